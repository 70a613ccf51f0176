/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Conditions: where an expression has branches, which of two operands is the larger one.
 * Comparisons < and <=, min, max, abs and sign have one; equal pairs of operands share it. Each
 * gets an offset that is added to one operand wherever the two are compared: with 0 the operands
 * select the branch, and an infinite offset fixes it for all values. So one tape serves steps with
 * free branches and steps with frozen branches (L. F. Shampine, I. Gladwell and R. W. Brankin, ACM
 * TOMS 17, 1991, on why the latter keep the order at an event).
 */
#ifndef BXT_EXPR_CONDITIONS_H
#define BXT_EXPR_CONDITIONS_H

#include "ground/expr/expr.h"

typedef struct bxt_condition_list {
	const bool *depends; /* (n_var) operands of a condition depend on such a variable */
	int n_var;
	int first;          /* condition k has the variable first + k as its offset */
	bxt_ex *difference; /* (n) heap, owned by the caller: positive where +infinity holds the
			     * branch */
	int n;
} bxt_condition_list;

/* Gives an offset to each condition in one of the first n_dynamic expressions; rewrites all n of
 * f[] in place. Sets difference and n of the list. */
bxt_status bxt_ex_find_conditions(bxt_graph *g, bxt_ex *f, int n, int n_dynamic,
				  bxt_condition_list *list);

#endif
