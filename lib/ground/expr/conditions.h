/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Conditions: where an expression has branches, which of two operands is the larger one.
 * Comparisons < and <=, min, max, abs and sign have one; equal pairs of operands share it. Each
 * gets an offset that is added to one operand wherever the two are compared: 0 leaves the branch to
 * the operands, and infinity holds it, whatever their values. So one tape serves steps that see
 * their branches and steps whose branches are frozen (L. F. Shampine, I. Gladwell and R. W.
 * Brankin, ACM TOMS 17, 1991, on why the latter keep the order at an event).
 */
#ifndef BXT_EXPR_CONDITIONS_H
#define BXT_EXPR_CONDITIONS_H

#include "ground/expr/expr.h"

typedef struct bxt_condition_list {
	const bool *depends; /* (n_var) operands of a condition depend on such a variable */
	int n_var;
	int first;          /* condition k has the variable first + k as its offset */
	bxt_ex *difference; /* (n) heap, the caller's: positive where +infinity holds the branch */
	int n;
} bxt_condition_list;

/* Gives an offset to each condition that one of the first n_dynamic expressions has; all n of f[]
 * are rewritten in place. Sets difference and n of the list. */
bxt_status bxt_ex_find_conditions(bxt_graph *g, bxt_ex *f, int n, int n_dynamic,
				  bxt_condition_list *list);

#endif
