/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbolic slopes at one point (slopes.h), on a copy of the element type's graph. */
#include "model/element/slopes.h"

#include <stdlib.h>
#include <string.h>

int bxt_function_count(const bxt_element_type *type, bxt_function f)
{
	switch (f) {
	case BXT_FUNCTION_MOMENTUM:
	case BXT_FUNCTION_BALANCE:
		return type->nl;
	case BXT_FUNCTION_ROW:
		return type->ml;
	case BXT_FUNCTION_POSITION:
		return type->n_constraint;
	case BXT_FUNCTION_OUTPUT:
		return type->component->n_outputs;
	}
	return 0;
}

/* f_first ... as stored by the element type. */
static const bxt_ex *kept(const bxt_element_type *type, bxt_function f)
{
	switch (f) {
	case BXT_FUNCTION_MOMENTUM:
	case BXT_FUNCTION_BALANCE:
		return type->formulas.momentum;
	case BXT_FUNCTION_ROW:
		return type->formulas.rows;
	case BXT_FUNCTION_POSITION:
		return type->formulas.phi;
	case BXT_FUNCTION_OUTPUT:
		return type->formulas.outputs;
	}
	return NULL;
}

/* dP/dq v + dP/dt, including parameters that depend on time. df: scratch for all variables. */
static bxt_ex rate_of(const bxt_element_type *type, bxt_graph *g, bxt_ex p, int *vars, bxt_ex *df)
{
	const bxt_component *c = type->component;
	bxt_ex sum;
	int n = 0;
	for (int a = 0; a < type->nl; a++)
		vars[n++] = bxt_type_var_q(type) + a;
	for (int i = 0; i < c->n_parameters; i++)
		if (c->parameters[i].time)
			vars[n++] = bxt_type_parameter(c, i);
	vars[n++] = bxt_type_var_t(type);
	bxt_ex_gradient(g, p, vars, n, df);
	sum = df[--n];
	for (int i = c->n_parameters - 1; i >= 0; i--)
		if (c->parameters[i].time)
			sum = bxt_ex_add(
				g, sum, bxt_ex_mul(g, df[--n], bxt_ex_var(g, bxt_type_rate(c, i))));
	for (int a = 0; a < type->nl; a++)
		sum = bxt_ex_add(g, sum,
				 bxt_ex_mul(g, df[a], bxt_ex_var(g, bxt_type_var_v(type) + a)));
	return sum;
}

/* The functions in g: out (n), scratch (2n). */
static bxt_status take_slopes(const bxt_element_type *type, bxt_function f, int first, int n,
			      bxt_graph *g, bxt_ex *out)
{
	bxt_ex *force = out + n, *reaction = force + n;
	memcpy(out, kept(type, f) + first, (size_t)n * sizeof *out);
	BXT_TRY(bxt_ex_copy(g, type->formulas.graph, out, n));
	if (f != BXT_FUNCTION_BALANCE)
		return BXT_OK;
	memcpy(force, type->formulas.force + first, (size_t)n * sizeof *force);
	memcpy(reaction, type->formulas.reaction + first, (size_t)n * sizeof *reaction);
	BXT_TRY(bxt_ex_copy(g, type->formulas.graph, force, 2 * n));
	const size_t most = (size_t)bxt_type_var_hoisted(type);
	int *vars = malloc((most + 1) * sizeof *vars);
	bxt_ex *df = malloc((most + 1) * sizeof *df);
	for (int i = 0; i < n && vars && df; i++)
		out[i] = bxt_ex_sub(g, rate_of(type, g, out[i], vars, df),
				    bxt_ex_add(g, force[i], reaction[i]));
	const bxt_status status = vars && df ? BXT_OK : BXT_ERR_MEMORY;
	free(vars);
	free(df);
	return status;
}

/* Evaluates f (n) at the values. */
static bxt_status evaluate(const bxt_element_type *type, const bxt_graph *g, const bxt_ex *f, int n,
			   const double *values, double *out)
{
	const size_t n_var = (size_t)bxt_type_var_hoisted(type);
	bxt_tape *tape = bxt_tape_compile(g, f, n);
	const size_t work_size = tape ? (bxt_tape_work(tape) + 8) / 8 * 8 : 8;
	double *work = aligned_alloc(64, work_size * sizeof *work);
	double *lanes = aligned_alloc(64, (n_var + 1) * BXT_LANES * sizeof *lanes);
	const double **in = malloc((n_var + 1) * sizeof *in);
	const bool made = tape && work && lanes && in;
	for (size_t v = 0; made && v < n_var; v++) {
		in[v] = lanes + v * BXT_LANES;
		for (int l = 0; l < BXT_LANES; l++)
			lanes[v * BXT_LANES + (size_t)l] = values[v];
	}
	if (made)
		bxt_tape_run_first(tape, in, work, 1);
	for (int i = 0; made && i < n; i++)
		out[i] = *bxt_tape_result(tape, i, in, work);
	bxt_tape_free(tape);
	free(work);
	free(lanes);
	free(in);
	return made ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_type_slopes(const bxt_element_type *type, const bxt_slopes_def *def,
			   const double *values, double *slopes)
{
	const size_t n = (size_t)def->n, width = (size_t)def->n_variables, all = n * width;
	if (all == 0)
		return BXT_OK;
	bxt_graph *g = bxt_graph_new();
	bxt_ex *of = malloc(3 * n * sizeof *of), *df = malloc(all * sizeof *df);
	bxt_status status = g && of && df
				    ? take_slopes(type, def->function, def->first, def->n, g, of)
				    : BXT_ERR_MEMORY;
	for (size_t i = 0; i < n && status == BXT_OK; i++)
		bxt_ex_gradient(g, of[i], def->variable, def->n_variables, df + i * width);
	if (status == BXT_OK && bxt_graph_failed(g))
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = evaluate(type, g, df, (int)all, values, slopes);
	free(of);
	free(df);
	bxt_graph_free(g);
	return status;
}
