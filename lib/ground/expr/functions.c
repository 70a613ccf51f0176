/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/expr/functions.h"

#include <string.h>

#define OF_BRANCH "that of the branch or piece that is taken"

const bxt_function bxt_functions[] = {
	{"sqrt", BXT_OP_SQRT, 1, "x", "The square root. x is 0 or more.", "1/(2*sqrt(x))"},
	{"exp", BXT_OP_EXP, 1, "x", "The exponential.", "exp(x)"},
	{"log", BXT_OP_LOG, 1, "x", "The natural logarithm. x is above 0.", "1/x"},
	{"log10", BXT_FUNCTION_LOG10, 1, "x", "The logarithm to base 10. x is above 0.",
	 "1/(x*log(10))"},
	{"sin", BXT_OP_SIN, 1, "x", "The sine of an angle in radians.", "cos(x)"},
	{"cos", BXT_OP_COS, 1, "x", "The cosine of an angle in radians.", "-sin(x)"},
	{"tan", BXT_OP_TAN, 1, "x", "The tangent of an angle in radians.", "1 + tan(x)^2"},
	{"asin", BXT_OP_ASIN, 1, "x", "The arc sine, from -pi/2 to pi/2.", "1/sqrt(1 - x^2)"},
	{"acos", BXT_OP_ACOS, 1, "x", "The arc cosine, from 0 to pi.", "-1/sqrt(1 - x^2)"},
	{"atan", BXT_OP_ATAN, 1, "x", "The arc tangent, from -pi/2 to pi/2.", "1/(1 + x^2)"},
	{"atan2", BXT_OP_ATAN2, 2, "y, x", "The angle of the point (x, y), from -pi to pi.",
	 "-y/(x^2 + y^2)"},
	{"sinh", BXT_OP_SINH, 1, "x", "The hyperbolic sine.", "cosh(x)"},
	{"cosh", BXT_OP_COSH, 1, "x", "The hyperbolic cosine.", "sinh(x)"},
	{"tanh", BXT_OP_TANH, 1, "x", "The hyperbolic tangent.", "1 - tanh(x)^2"},
	{"abs", BXT_OP_ABS, 1, "x", "The magnitude.", "sign(x)"},
	{"min", BXT_OP_MIN, 2, "x, y", "The smaller of two values.", OF_BRANCH},
	{"max", BXT_OP_MAX, 2, "x, y", "The larger of two values.", OF_BRANCH},
	{"sign", BXT_OP_SIGN, 1, "x", "-1, 0 or 1.", "0"},
	{"floor", BXT_OP_FLOOR, 1, "x", "The largest whole number that is not above x.", "0"},
	{"ceil", BXT_FUNCTION_CEIL, 1, "x", "The smallest whole number that is not below x.", "0"},
	{"round", BXT_FUNCTION_ROUND, 1, "x",
	 "The nearest whole number; halves go away from 0, so that round(-2.5) is -3.", "0"},
	{"mod", BXT_FUNCTION_MOD, 2, "x, y",
	 "What is left of x when y is taken away as often as it fits: x - y*floor(x/y), which has "
	 "the sign of y.",
	 "1"},
	{"ln", BXT_OP_LOG, 1, "x", "The same as log: the natural logarithm.", "1/x"},
	{"if", BXT_OP_IF, 3, "condition, yes, no",
	 "One of two values. The condition compares with <, <=, >, >=, == or !=; comparisons stand "
	 "nowhere else.",
	 OF_BRANCH},
	{"pulse", BXT_FUNCTION_PULSE, 8, "t, lo, hi, delay, rise, fall, width, period",
	 "A train of pulses from lo to hi. The first edge begins at delay; rise and fall are the "
	 "durations of edges, width that of the top. A period of 0 gives one pulse.",
	 OF_BRANCH},
	{"pwl", BXT_FUNCTION_PWL, 0, "t, t1, y1, t2, y2, ...",
	 "Straight lines between points, constant before the first and after the last. Times do "
	 "not decrease; at a jump the later value holds.",
	 OF_BRANCH},
	{"ramp", BXT_FUNCTION_RAMP, 5, "t, t0, t1, y0, y1",
	 "y0 until t0, y1 from t1 on, and a straight line between.", OF_BRANCH},
	{0},
};

const bxt_function *bxt_function_find(const char *name)
{
	for (const bxt_function *f = bxt_functions; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

bool bxt_function_is_free(const bxt_function *function)
{
	return strcmp(function->name, "ln") == 0 || function->op == BXT_FUNCTION_LOG10 ||
	       function->op == BXT_OP_FLOOR || function->op == BXT_FUNCTION_CEIL ||
	       function->op == BXT_FUNCTION_ROUND || function->op == BXT_FUNCTION_MOD;
}
