/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions of expressions as a table: the parser reads it, the reference is printed from it.
 */
#ifndef BXT_EXPR_FUNCTIONS_H
#define BXT_EXPR_FUNCTIONS_H

#include "ground/expr/expr.h"

/* Functions that are made of operations of the graph. */
enum {
	BXT_FUNCTION_RAMP = BXT_OP_COUNT,
	BXT_FUNCTION_PULSE,
	BXT_FUNCTION_PWL,
	BXT_FUNCTION_LOG10,
	BXT_FUNCTION_CEIL,
	BXT_FUNCTION_ROUND,
	BXT_FUNCTION_MOD
};

typedef struct bxt_function {
	const char *name;
	int op;           /* a bxt_op, or one of those above */
	int arguments;    /* 0: t and then pairs */
	const char *list; /* their names */
	const char *doc;
	const char *slope; /* the derivative by x, as an expression or in words */
} bxt_function;

/* All of them; the end: name NULL. */
extern const bxt_function bxt_functions[];
const bxt_function *bxt_function_find(const char *name);
/*
 * May parameters, tables and coordinates have this name? Such a word is a function before '(' only.
 * Words that were added to the language later are allowed, since existing models use them as names.
 */
bool bxt_function_is_free(const bxt_function *function);

#endif
