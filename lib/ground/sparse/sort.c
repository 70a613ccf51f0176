/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/sparse/sort.h"

#include <string.h>

/* Counts in start[2 ... n + 1] become starts in start[1 ... n], which become ends as they are used:
 * in the end start[0 ... n] are starts again. */
void bxt_accumulate_starts(int *start, int n)
{
	for (int k = 0; k < n; k++)
		start[k + 2] += start[k + 1];
}

void bxt_sort_by_key(size_t count, const int *key, int n, int *start, int *order)
{
	memset(start, 0, ((size_t)n + 2) * sizeof *start);
	for (size_t i = 0; i < count; i++)
		start[key[i] + 2]++;
	bxt_accumulate_starts(start, n);
	for (size_t i = 0; i < count; i++)
		order[start[key[i] + 1]++] = (int)i;
}
