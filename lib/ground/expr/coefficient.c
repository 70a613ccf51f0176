/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Exact arithmetic with coefficients num/den; results outside the range of numbers are not folded.
 */
#include "ground/expr/coefficient.h"

#include <math.h>

bool bxt_is_integer(double x)
{
	return fabs(x) <= 0x1p53 && x == floor(x);
}

static double gcd(double a, double b)
{
	while (b != 0) {
		const double rest = fmod(a, b);
		a = b;
		b = rest;
	}
	return a;
}

bxt_coefficient bxt_coefficient_reduce(double num, double den)
{
	if (den == 1)
		return (bxt_coefficient){num, 1};
	for (int k = 0; k < 20 && num != floor(num); k++) { /* 0.5/3 is 1/6 */
		num *= 2;
		den *= 2;
	}
	if (!bxt_is_integer(num) || !bxt_is_integer(den) || den == 0)
		return (bxt_coefficient){num / den, 1};
	const double common = copysign(gcd(fabs(num), fabs(den)), den);
	num /= common;
	den /= common;
	for (; fmod(den, 2) == 0; den /= 2) /* powers of two are exact in the numerator */
		num /= 2;
	return (bxt_coefficient){num, den};
}

/* False when the result overflows or underflows: then nothing is folded. */
static bool coef_usable(bxt_coefficient c)
{
	return isnormal(c.num) && isnormal(c.num / c.den);
}

bool bxt_coefficient_mul(bxt_coefficient a, bxt_coefficient b, bxt_coefficient *out)
{
	*out = bxt_coefficient_reduce(a.num * b.num, a.den * b.den);
	return coef_usable(*out);
}

bool bxt_coefficient_div(bxt_coefficient a, bxt_coefficient b, bxt_coefficient *out)
{
	*out = bxt_coefficient_reduce(a.num * b.den, a.den * b.num);
	return coef_usable(*out);
}

/* Here the result may be zero. */
bool bxt_coefficient_add(bxt_coefficient a, bxt_coefficient b, bxt_coefficient *out)
{
	if (a.den == b.den)
		*out = bxt_coefficient_reduce(a.num + b.num, a.den);
	else
		*out = bxt_coefficient_reduce(a.num * b.den + b.num * a.den, a.den * b.den);
	return out->num == 0 || coef_usable(*out);
}
