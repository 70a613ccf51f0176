/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/base/random.h"

#include <math.h>

uint64_t bxt_random_next(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

double bxt_random_number(uint64_t *seed)
{
	return (double)(bxt_random_next(seed) >> 11) * 0x1p-52 - 1;
}

double bxt_quasi_random(long i)
{
	static const double GOLDEN = 0.61803398874989485; /* (sqrt(5) - 1)/2 */
	const double turns = GOLDEN * (double)i;
	return turns - floor(turns);
}
