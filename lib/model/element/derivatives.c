/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dependence of a component's expressions on variables, and their derivatives. */
#include "model/element/element_internal.h"

#include <stdlib.h>

bool bxt_type_is_zero(const struct bxt_type_maker *m, bxt_ex f)
{
	double value;
	return bxt_ex_is_const(m->g, f, &value) && value == 0;
}

bool bxt_type_is_affine(struct bxt_type_maker *m, bxt_ex f, int first, int n)
{
	bool *in_set = calloc((size_t)(first + n) + 1, sizeof *in_set);
	m->failed = m->failed || !in_set;
	for (int i = first; in_set && i < first + n; i++)
		in_set[i] = true;
	const bool affine = in_set && bxt_ex_affine(m->g, f, in_set, first + n);
	free(in_set);
	return affine;
}

uint32_t bxt_type_classes(const struct bxt_type_maker *m, bxt_ex f)
{
	return bxt_ex_classes(m->g, f, m->class_of, bxt_type_var_hoisted(m->k));
}

/* f with all flows and multipliers set to zero. */
bxt_ex bxt_type_at_rest(struct bxt_type_maker *m, bxt_ex f)
{
	const bxt_element_type *k = m->k;
	const int n = k->nl + k->ml;
	double number;
	if (bxt_ex_is_const(m->g, f, &number)) /* common: most rows if there are many bindings */
		return f;
	int *vars = malloc(((size_t)n + 1) * sizeof *vars);
	bxt_ex *zeros = malloc(((size_t)n + 1) * sizeof *zeros);
	for (int i = 0; vars && zeros && i < n; i++) {
		vars[i] = bxt_type_var_v(k) + i; /* flows, then multipliers */
		zeros[i] = bxt_ex_const(m->g, 0);
	}
	if (vars && zeros)
		bxt_ex_substitute(m->g, &f, 1, vars, zeros, n);
	else
		m->failed = true;
	free(vars);
	free(zeros);
	return f;
}

void bxt_type_gradient(struct bxt_type_maker *m, bxt_ex f, int first, int n, bxt_ex *out)
{
	const bxt_ex zero = bxt_ex_const(m->g, 0);
	double number;
	for (int i = 0; i < n; i++)
		out[i] = zero; /* a valid node, since callers go on after a failure */
	if (bxt_ex_is_const(m->g, f, &number))
		return;
	int *vars = malloc(((size_t)n + 1) * sizeof *vars);
	for (int i = 0; vars && i < n; i++)
		vars[i] = first + i;
	if (vars)
		bxt_ex_gradient(m->g, f, vars, n, out);
	else
		m->failed = true;
	free(vars);
}
