/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * As in ngspice 39, log is the natural logarithm, u(0) is 1/2, and x^y and x**y are |x|^y. In
 * expressions of sources pow(x, y) is |x|^y too. There pwr(x, y) keeps the sign of x; in
 * expressions of parameters it does not.
 *
 * Where a function or its slope is not finite, the text stays away from that point by an amount
 * that no result shows, because Newton's method starts with all voltages at 0.
 */
#include "exchange/spice/spice_functions.h"

#include <math.h>
#include <string.h>

static double sign(double x)
{
	return (x > 0) - (x < 0);
}

static double step(double x)
{
	return (1 + sign(x)) / 2;
}

static double ramp_to_one(double x)
{
	return fmin(1, fmax(0, x));
}

static double ramp(double x)
{
	return fmax(x, 0);
}

static double square(double x)
{
	return x * x;
}

static double power_of_size(double x, double y)
{
	return pow(fabs(x), y);
}

static double power_with_sign(double x, double y)
{
	return sign(x) * pow(fabs(x), y);
}

static double is_zero(double x)
{
	return x == 0;
}

static double is_not_zero(double x)
{
	return x != 0;
}

static double is_above(double x)
{
	return x > 0;
}

static double is_below(double x)
{
	return x < 0;
}

static double is_at_least(double x)
{
	return x >= 0;
}

static double is_at_most(double x)
{
	return x <= 0;
}

static const bxt_spice_builtin builtins[] = {
	{"abs", fabs, NULL, "abs%"},
	{"sqrt", sqrt, NULL, "sqrt(max(%, 0) + 1e-32)"},
	{"exp", exp, NULL, "exp%"},
	{"ln", log, NULL, "log(max(%, 1e-99))"},
	{"log", log, NULL, "log(max(%, 1e-99))"},
	{"log10", log10, NULL, "log10(max(%, 1e-99))"},
	{"sin", sin, NULL, "sin%"},
	{"cos", cos, NULL, "cos%"},
	{"tan", tan, NULL, "tan%"},
	{"asin", asin, NULL, "asin%"},
	{"acos", acos, NULL, "acos%"},
	{"atan", atan, NULL, "atan%"},
	{"arctan", atan, NULL, "atan%"},
	{"sinh", sinh, NULL, "sinh%"},
	{"cosh", cosh, NULL, "cosh%"},
	{"tanh", tanh, NULL, "tanh%"},
	{"asinh", asinh, NULL, "log(% + sqrt(%^2 + 1))"},
	{"acosh", acosh, NULL, "log(% + sqrt(%^2 - 1))"},
	{"atanh", atanh, NULL, "log((1 + %)/(1 - %))/2"},
	{"sgn", sign, NULL, "sign%"},
	{"u", step, NULL, "(1 + sign%)/2"},
	{"u2", ramp_to_one, NULL, "max(0, min(1, %))"},
	{"uramp", ramp, NULL, "max(%, 0)"},
	{"floor", floor, NULL, "floor%"},
	{"ceil", ceil, NULL, "ceil%"},
	{"nint", nearbyint, NULL,
	 "(floor(% + 0.5) - if(% + 0.5 == floor(% + 0.5), abs(mod(floor(% + 0.5), 2)), 0))"},
	{"int", trunc, NULL, "sign%*floor(abs%)"},
	{"sqr", square, NULL, "%^2"},
	{"eq0", is_zero, NULL, "if(% == 0, 1, 0)"},
	{"ne0", is_not_zero, NULL, "if(% != 0, 1, 0)"},
	{"gt0", is_above, NULL, "if(% > 0, 1, 0)"},
	{"lt0", is_below, NULL, "if(% < 0, 1, 0)"},
	{"ge0", is_at_least, NULL, "if(% >= 0, 1, 0)"},
	{"le0", is_at_most, NULL, "if(% <= 0, 1, 0)"},
	{"min", NULL, fmin, "min(%, @)"},
	{"max", NULL, fmax, "max(%, @)"},
	{"atan2", NULL, atan2, "atan2(%, @ + 1e-32)"},
};
static const bxt_spice_builtin of_parameters[] = {
	{"pow", NULL, pow, "%^@"},
	{"pwr", NULL, power_of_size, "abs%^@"},
};
static const bxt_spice_builtin of_sources[] = {
	{"pow", NULL, power_of_size, "$"}, /* see spice_print.c */
	{"pwr", NULL, power_with_sign, "sign%*$"},
};

const bxt_spice_builtin *bxt_spice_builtin_of(const char *name, int arguments, bool behavioural)
{
	const bxt_spice_builtin *powers = behavioural ? of_sources : of_parameters;
	for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
		if (strcmp(builtins[i].name, name) == 0)
			return arguments == (builtins[i].one ? 1 : 2) ? &builtins[i] : NULL;
	for (size_t i = 0; i < 2; i++)
		if (strcmp(powers[i].name, name) == 0)
			return arguments == 2 ? &powers[i] : NULL;
	return NULL;
}
