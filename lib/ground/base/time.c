/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/base/time.h"

#include <float.h>
#include <math.h>

/* Number of steps up to which single steps are resolved: 1e15 < 2^53. */
static const double MOST_STEPS = 1e15;
/* Uncertainty of a written time of nine digits, relative to its number of steps. */
static const double NINE_DIGITS = 1e-3 * BXT_WRITTEN_TIME;
/* Resolution of times next to 0, in steps. */
static const double LEAST = 1e-15;

bool bxt_same_time(double a, double b, double step)
{
	return fabs(a - b) <= BXT_SAME_TIME * fabs(step);
}

long bxt_steps_in(double time, double step)
{
	const double exact = time / step, n = round(exact);
	const bool is_whole = n >= 0 && n <= MOST_STEPS &&
			      fabs(exact - n) <= fmax(BXT_WRITTEN_TIME, NINE_DIGITS * n);
	return is_whole ? (long)n : -1;
}

double bxt_time_apart(double t, double step)
{
	return fmax(4 * DBL_EPSILON * fabs(t), LEAST * fabs(step));
}

double bxt_time_after(double t, double step)
{
	return t + bxt_time_apart(t, step);
}
