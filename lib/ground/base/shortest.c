/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/base/shortest.h"

#include <stdbool.h>
#include <string.h>

enum { FRACTION_BITS = 52, EXPONENT_MASK = 0x7ff, BIAS = 1075 };

/* floor(log10(2^q)), or floor(log10(3/4 2^q)). Exact for the exponents of doubles, as is the next
 * function. */
static int floor_log10_of_power(int q, bool three_quarters)
{
	return (q * 1262611 - (three_quarters ? 524031 : 0)) >> 22;
}

static int floor_log2_of_power_of_ten(int k)
{
	return (k * 1741647) >> 19;
}

/* The high half of a b, the low one in *low. */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *low)
{
	const uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
	const uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
	const uint64_t middle = p10 + (p00 >> 32) + (p01 & UINT32_MAX);
	*low = (middle << 32) | (p00 & UINT32_MAX);
	return p11 + (middle >> 32) + (p01 >> 32);
}

/* floor(g c 2^-128), made odd where a nonzero part was cut off. */
static uint64_t round_to_odd(const uint64_t g[2], uint64_t c)
{
	uint64_t ignored, low;
	const uint64_t carried = multiply(g[1], c, &ignored);
	const uint64_t high = multiply(g[0], c, &low);
	low += carried;
	return (high + (low < carried)) | (low > 1);
}

/*
 * All numbers between the midpoints to the neighbours of c 2^q read as that double; the midpoints
 * themselves do where c is even. In units of 10^k/4, with 10^k just below the width of that range,
 * the range contains at most one multiple of 10^(k+1) and at least one of 10^k.
 */
uint64_t bxt_shortest(double value, int *exponent)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	const uint64_t fraction = bits & ((UINT64_C(1) << FRACTION_BITS) - 1);
	const int biased = (int)(bits >> FRACTION_BITS) & EXPONENT_MASK;
	const uint64_t c = biased ? fraction | UINT64_C(1) << FRACTION_BITS : fraction;
	const int q = (biased ? biased : 1) - BIAS;
	const bool near_below = fraction == 0 && biased > 1; /* the neighbour below is closer */
	const int k = floor_log10_of_power(q, near_below);
	const int h = q + floor_log2_of_power_of_ten(-k) + 1;
	const uint64_t *g = bxt_powers_of_ten[-k - BXT_POWER_FIRST];
	const uint64_t odd = c & 1;
	const uint64_t lower = round_to_odd(g, (4 * c - 2 + near_below) << h) + odd;
	const uint64_t at = round_to_odd(g, (4 * c) << h);
	const uint64_t upper = round_to_odd(g, (4 * c + 2) << h) - odd;
	const uint64_t s = at / 4, tens = s / 10;
	const bool tens_in = lower <= 40 * tens, next_in = 40 * tens + 40 <= upper;
	*exponent = k + 1;
	if (s >= 10 && tens_in != next_in)
		return tens + next_in;
	const bool below_in = lower <= 4 * s, above_in = 4 * s + 4 <= upper;
	*exponent = k;
	if (below_in != above_in)
		return s + above_in;
	const uint64_t middle = 4 * s + 2;
	return s + (at > middle || (at == middle && (s & 1)));
}
