/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Outputs: signals as records name them, and their slopes with respect to coordinates, flows and
 * multipliers.
 */
#include "model/element/slopes.h"
#include "study/linear/linear.h"

#include <stdlib.h>
#include <string.h>

static bxt_status add_part(bxt_linear_output *out, bool of_q, int x, double weight)
{
	if (weight == 0)
		return BXT_OK;
	BXT_TRY(BXT_GROW(out->part, out->c_part, (size_t)out->n + 1));
	out->part[out->n++] = (bxt_linear_part){of_q, x, weight};
	return BXT_OK;
}

/* A flow or multiplier; the extra entry stands for a reference, which is 0. */
static bxt_status add_x(const bxt_linear *l, bxt_linear_output *out, int x, double weight)
{
	return x == l->s->spare ? BXT_OK : add_part(out, false, x, weight);
}

/* ---- Functions of an element ---- */

/* The variables q, v and lambda of an element, then the parameters that inputs change. */
static int list_variables(const bxt_linear *l, const bxt_element_type *type, int element,
			  int *variable)
{
	int n = 0;
	for (int v = bxt_type_var_q(type); v < bxt_type_var_t(type); v++)
		variable[n++] = v;
	for (int k = 0; k < l->n_inputs; k++)
		for (int i = 0; i < l->input[k].n; i++)
			if (l->input[k].term[i].element == element)
				variable[n++] = l->input[k].term[i].index;
	return n;
}

/* slopes: those of one function, in the order of list_variables. */
static bxt_status add_function(const bxt_linear *l, bxt_linear_output *out, int element,
			       const double *slopes, double weight)
{
	const bxt_system *s = l->s;
	const bxt_group *group = &s->groups[s->of_element.group[element]];
	const int place = s->of_element.place[element], nl = group->type->nl, ml = group->type->ml;
	for (int a = 0; a < nl; a++) {
		const int x = group->at[a][place];
		if (x == s->spare)
			continue;
		BXT_TRY(add_part(out, true, x, weight * slopes[a]));
		BXT_TRY(add_part(out, false, x, weight * slopes[nl + a]));
	}
	for (int r = 0; r < ml; r++)
		BXT_TRY(add_x(l, out, group->at[nl + r][place], weight * slopes[2 * nl + r]));
	int n = 2 * nl + ml;
	for (int k = 0; k < l->n_inputs; k++)
		for (int i = 0; i < l->input[k].n; i++)
			if (l->input[k].term[i].element == element)
				out->direct[k] += weight * l->input[k].term[i].weight * slopes[n++];
	return BXT_OK;
}

static bxt_status add_element(const bxt_linear *l, bxt_linear_output *out, int element,
			      bxt_function f, int row, double weight)
{
	const bxt_system *s = l->s;
	const bxt_element_type *type = s->groups[s->of_element.group[element]].type;
	size_t most = (size_t)bxt_type_var_hoisted(type);
	for (int k = 0; k < l->n_inputs; k++)
		most += (size_t)l->input[k].n;
	int *variable = malloc((most + 1) * sizeof *variable);
	double *slopes = malloc((most + 1) * sizeof *slopes);
	double *values = bxt_linear_variables(l, element);
	bxt_status status = variable && slopes && values ? BXT_OK : BXT_ERR_MEMORY;
	const int n = status == BXT_OK ? list_variables(l, type, element, variable) : 0;
	const bxt_slopes_def def = {f, row, 1, variable, n};
	if (status == BXT_OK)
		status = bxt_type_slopes(type, &def, values, slopes);
	if (status == BXT_OK)
		status = add_function(l, out, element, slopes, weight);
	free(variable);
	free(slopes);
	free(values);
	return status;
}

/* The flow into a balance port times the potential of its node. */
static bxt_status add_pin_power(const bxt_linear *l, bxt_linear_output *out,
				const bxt_signal *signal, double weight)
{
	const bxt_system *s = l->s;
	const bxt_group *group = &s->groups[s->of_element.group[signal->a]];
	const int row = group->type->n_constraint + signal->b;
	const int x = group->at[group->type->nl + row][s->of_element.place[signal->a]];
	const double potential = l->at.x[x];
	const double flow =
		bxt_evaluate_one(l->e, BXT_SET_CONSTRAINT, signal->a, BXT_C, row, l->at);
	BXT_TRY(add_x(l, out, x, weight * flow));
	return add_element(l, out, signal->a, BXT_FUNCTION_ROW, row, weight * potential);
}

/* ---- One signal ---- */

/* dL/dv of a coordinate: a row of PQ and PV. */
static bxt_status add_momentum(const bxt_linear *l, bxt_linear_output *out, int row, double weight)
{
	static const bxt_weights by[2] = {{{{[BXT_PQ] = 1}, {[BXT_PQ] = 1}}},
					  {{{[BXT_PV] = 1}, {[BXT_PV] = 1}}}};
	const bxt_sparse *p = &l->s->pattern;
	double *slopes = malloc(((size_t)bxt_sparse_nnz(p) + 1) * sizeof *slopes);
	bxt_status status = slopes ? BXT_OK : BXT_ERR_MEMORY;
	for (int k = 0; k < 2 && status == BXT_OK; k++) {
		bxt_assemble(l->e, l->at, &by[k], slopes);
		for (int j = 0; j < l->s->n; j++)
			for (int i = p->colptr[j]; i < p->colptr[j + 1]; i++)
				if (p->rowind[i] == row && status == BXT_OK)
					status = add_part(out, k == 0, j, weight * slopes[i]);
	}
	free(slopes);
	return status;
}

static bxt_status refuse_signal(const bxt_signal *signal, bxt_diagnostics *d)
{
	bxt_error(d, BXT_NOWHERE,
		  "--to: '%s' is no function of coordinates, flows and multipliers at one time: "
		  "energies, sums along a run and impulses have no small signal",
		  signal->name);
	return BXT_ERR_MODEL;
}

static bool reads_multiplier(bxt_signal_type type)
{
	return type == BXT_SIGNAL_MULTIPLIER || type == BXT_SIGNAL_DIFFERENCE;
}

static bxt_status add_signal(const bxt_linear *l, bxt_linear_output *out, const bxt_signal *signal,
			     double weight, bxt_diagnostics *d)
{
	if (l->out && reads_multiplier(signal->type)) {
		bxt_error(d, BXT_NOWHERE,
			  "--to: '%s' is not unique: rows of the model follow from others at the "
			  "start, so that multipliers are not determined",
			  signal->name);
		return BXT_ERR_MODEL;
	}
	switch (signal->type) {
	case BXT_SIGNAL_COORDINATE:
		return add_part(out, true, signal->a, weight);
	case BXT_SIGNAL_FLOW:
	case BXT_SIGNAL_MULTIPLIER:
		return add_x(l, out, signal->a, weight);
	case BXT_SIGNAL_DIFFERENCE:
		BXT_TRY(add_x(l, out, signal->a, weight));
		return add_x(l, out, signal->b, -weight);
	case BXT_SIGNAL_MOMENTUM:
		return add_momentum(l, out, signal->a, weight);
	case BXT_SIGNAL_PORT_POWER:
		BXT_TRY(add_x(l, out, signal->a, weight * l->at.x[signal->b]));
		return add_x(l, out, signal->b, weight * l->at.x[signal->a]);
	case BXT_SIGNAL_PIN_POWER:
		return add_pin_power(l, out, signal, weight);
	case BXT_SIGNAL_OUTPUT:
		return add_element(l, out, signal->a, BXT_FUNCTION_OUTPUT, signal->b, weight);
	case BXT_SIGNAL_FORCE: /* for elements without inertia at the coordinate */
		return add_element(l, out, signal->a, BXT_FUNCTION_BALANCE, signal->b, weight);
	default:
		return refuse_signal(signal, d);
	}
}

/* An expression of signals, by its slopes at their values. */
static bxt_status add_expression(const bxt_linear *l, bxt_linear_output *out, int expression,
				 bxt_diagnostics *d)
{
	bxt_recorder *r = l->recorder;
	const int n = (int)r->n_signals;
	int *variable = malloc(((size_t)n + 1) * sizeof *variable);
	bxt_ex *slope = malloc(((size_t)n + 1) * sizeof *slope);
	double *values = malloc(((size_t)n + 1) * sizeof *values);
	bxt_status status = variable && slope && values ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		values[0] = l->at.t;
		for (int i = 0; i < n; i++) {
			variable[i] = 1 + i;
			values[1 + i] = r->value[i];
		}
		bxt_ex_gradient(r->graph, r->expression[expression], variable, n, slope);
		status = bxt_graph_failed(r->graph) ? BXT_ERR_MEMORY : BXT_OK;
	}
	for (int i = 0; i < n && status == BXT_OK; i++)
		if (bxt_ex_depends(r->graph, r->expression[expression], 1 + i))
			status = add_signal(l, out, &r->signals[i],
					    bxt_ex_value(r->graph, slope[i], values), d);
	free(variable);
	free(slope);
	free(values);
	return status;
}

bxt_status bxt_linear_find_outputs(bxt_linear *l, const char *to, bxt_diagnostics *d)
{
	if (!to)
		return BXT_OK;
	bxt_settings settings = l->simulation->settings;
	settings.record = to;
	settings.record_place = BXT_NOWHERE;
	settings.n_record_also = 0;
	BXT_TRY(bxt_recorder_new(l->s, &settings, d, &l->recorder));
	bxt_recorder *r = l->recorder;
	r->settings = &l->simulation->settings;
	l->value = BXT_NEW(l->arena, double, r->n);
	l->output = BXT_NEW(l->arena, bxt_linear_output, r->n);
	if (!l->value || !l->output)
		return BXT_ERR_MEMORY;
	l->n_outputs = (int)r->n;
	BXT_TRY(bxt_simulation_read_with(l->simulation, r, l->value));
	bxt_status worst = BXT_OK;
	for (int k = 0; k < l->n_outputs; k++) {
		bxt_linear_output *out = &l->output[k];
		if (!(out->direct = BXT_NEW(l->arena, double, (size_t)l->n_inputs)))
			return BXT_ERR_MEMORY;
		const int of = r->of_column[k];
		const bxt_status status = of >= 0 ? add_signal(l, out, &r->signals[of], 1, d)
						  : add_expression(l, out, -1 - of, d);
		if (status != BXT_OK && status != BXT_ERR_MODEL)
			return status;
		worst = worst == BXT_OK ? status : worst;
	}
	return worst;
}

void bxt_linear_release_outputs(bxt_linear *l)
{
	for (int k = 0; k < l->n_outputs; k++)
		free(l->output[k].part);
	bxt_recorder_free(l->recorder);
}
