/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Delays of a linearised model. The output of a delay T is y(t) = f(t - T), so that at a frequency
 * f
 *
 *     dy - exp(-2 pi i f T) (df/dv dv + df/dq dq) = 0.
 *
 * At rest y = f, and the same row is dy - df = 0: the slopes of f are the difference of the rows of
 * the model at rest and in a run.
 */
#include "ground/base/vector.h"
#include "model/builder/build.h"
#include "model/element/slopes.h"
#include "study/linear/linear.h"

#include <math.h>
#include <stdlib.h>

bxt_status bxt_linear_refuse_delays(const bxt_linear *l, const char *what, bxt_diagnostics *d)
{
	const bxt_network *net = l->s->net;
	bxt_buffer path = {0};
	if (net->n_delays == 0)
		return BXT_OK;
	const bxt_element *e = &net->elements[net->delays[0].element];
	bxt_error(d, e->place,
		  "element '%s' (%s) is a delay: no constant matrices represent its equations, and "
		  "%s "
		  "needs them; boxtimes ac computes its response over frequency",
		  bxt_network_path(net, e->primitive, e->id, &path),
		  net->types[e->type]->component->name, what);
	bxt_buffer_free(&path);
	return BXT_ERR_MODEL;
}

/* The x index of the row of a delay, which is that of its quantity. */
static int row_of(const bxt_system *s, const bxt_net_delay *y)
{
	const bxt_element_type *type = s->net->types[s->net->elements[y->element].type];
	return s->groups[s->of_element.group[y->element]]
		.at[type->delayed[y->index]][s->of_element.place[y->element]];
}

static bxt_status add_delay(bxt_linear *l, const bxt_linear_delay *entry)
{
	if (entry->value == 0)
		return BXT_OK;
	BXT_TRY(BXT_GROW(l->delays.entry, l->delays.c, l->delays.n + 1));
	l->delays.entry[l->delays.n++] = *entry;
	return BXT_OK;
}

/* Entries of the rows of delays, from the slopes at rest, by_x and by_q. */
static bxt_status compare_slopes(bxt_linear *l, const int *delay_of_row, const double *by_x,
				 const double *by_q)
{
	const bxt_sparse *p = &l->s->pattern;
	for (int j = 0; j < l->s->n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
			const int i = p->rowind[k], of = delay_of_row[i] - 1;
			if (of < 0)
				continue;
			const double by = l->s->net->delays[of].by;
			const bxt_linear_delay flow = {i, j, false, by_x[k] - l->by_x[k], by, 0},
					       place = {i, j, true, by_q[k] - l->by_q[k], by, 0};
			BXT_TRY(add_delay(l, &flow));
			BXT_TRY(add_delay(l, &place));
			l->used[j] = l->used[j] || place.value != 0;
		}
	return BXT_OK;
}

/* The slopes of an element's delayed expressions with respect to one of its parameters. */
static bxt_status find_input(bxt_linear *l, int input, const bxt_linear_term *term)
{
	const bxt_network *net = l->s->net;
	const bxt_element_type *type = net->types[net->elements[term->element].type];
	bxt_status status = BXT_OK;
	for (int k = 0; k < net->n_delays && status == BXT_OK; k++) {
		const bxt_net_delay *y = &net->delays[k];
		double *values =
			y->element == term->element ? bxt_linear_variables(l, term->element) : NULL;
		double run = 0, rest = 0;
		const bxt_slopes_def def = {BXT_FUNCTION_BALANCE, type->delayed[y->index], 1,
					    &term->index, 1};
		if (y->element != term->element)
			continue;
		status = values ? bxt_type_slopes(type, &def, values, &run) : BXT_ERR_MEMORY;
		if (status == BXT_OK) {
			values[bxt_type_parameter(type->component,
						  type->component->delayed.at_rest)] = 1;
			status = bxt_type_slopes(type, &def, values, &rest);
		}
		free(values);
		if (status == BXT_OK && rest != run)
			status = BXT_GROW(l->delays.input, l->delays.c_inputs,
					  l->delays.n_inputs + 1);
		if (status == BXT_OK && rest != run)
			l->delays.input[l->delays.n_inputs++] = (bxt_linear_delayed_input){
				row_of(l->s, y), input, term->weight * (rest - run), y->by};
	}
	return status;
}

/* A quantity whose value differs from its delayed expression at the point. */
static void find_under_way(bxt_linear *l, bxt_evaluator *e, double *r)
{
	static const bxt_weights all = {{{[BXT_F] = -1}, {[BXT_D] = 1, [BXT_F] = -1}}};
	/* round-off of an operating point, as in equilibrium.c */
	static const double AT_REST = 1e-5;
	bxt_evaluate(e, BXT_SET_DYNAMICS, l->at, &all, r, NULL);
	for (int k = 0; k < l->s->net->n_delays && l->delays.under_way < 0; k++) {
		const int i = row_of(l->s, &l->s->net->delays[k]);
		if (fabs(r[i]) > AT_REST * (fabs(l->at.x[i]) + fabs(r[i])))
			l->delays.under_way = k;
	}
}

static bxt_status find_entries(bxt_linear *l, const bxt_system *rest)
{
	const size_t nnz = (size_t)bxt_sparse_nnz(&l->s->pattern) + 1;
	double *by_x = BXT_NEW(l->arena, double, nnz), *by_q = BXT_NEW(l->arena, double, nnz);
	int *delay_of_row = BXT_NEW(l->arena, int, (size_t)l->s->size);
	bxt_evaluator *e = bxt_evaluator_new(rest);
	bxt_status status = by_x && by_q && delay_of_row && e ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		for (int k = 0; k < l->s->net->n_delays; k++)
			delay_of_row[row_of(l->s, &l->s->net->delays[k])] = k + 1;
		bxt_evaluator_set_time(e, l->at.t);
		bxt_linear_slopes(e, l->at, by_x, by_q);
		status = compare_slopes(l, delay_of_row, by_x, by_q);
	}
	double *r = BXT_NEW(l->arena, double, (size_t)l->s->size + BXT_LANES);
	if (status == BXT_OK && !r)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		find_under_way(l, e, r);
	for (int k = 0; k < l->n_inputs; k++)
		for (int i = 0; i < l->input[k].n && status == BXT_OK; i++)
			status = find_input(l, k, &l->input[k].term[i]);
	bxt_evaluator_free(e);
	return status;
}

bxt_status bxt_linear_find_delays(bxt_linear *l)
{
	bxt_network *net;
	bxt_system *rest = NULL;
	l->delays.under_way = -1;
	if (l->s->net->n_delays == 0)
		return BXT_OK;
	BXT_TRY(bxt_network_at_rest(l->s->net, &net));
	bxt_diagnostics *dropped = bxt_diagnostics_new();
	bxt_status status = dropped ? bxt_system_of_network(net, dropped, &rest) : BXT_ERR_MEMORY;
	bxt_diagnostics_free(dropped);
	if (status == BXT_OK) {
		rest->inputs = l->s->inputs;
		status = find_entries(l, rest);
	}
	bxt_system_free(rest);
	return status;
}

void bxt_linear_delay_entry(const bxt_linear *l, size_t k, int *row, int *col)
{
	const bxt_linear_delay *y = &l->delays.entry[k];
	*row = bxt_linear_z(l, y->row);
	*col = y->of_q ? l->z_of_q[y->col] : bxt_linear_z(l, y->col);
}

void bxt_linear_fill_delays(const bxt_linear *l, double frequency, double *values)
{
	for (size_t k = 0; k < l->delays.n; k++) {
		const bxt_linear_delay *y = &l->delays.entry[k];
		const double angle = -BXT_TURN * remainder(frequency * y->by, 1);
		values[2 * (size_t)y->slot] += y->value * cos(angle);
		values[2 * (size_t)y->slot + 1] += y->value * sin(angle);
	}
}

void bxt_linear_add_delayed_input(const bxt_linear *l, int input, double *x)
{
	for (size_t k = 0; k < l->delays.n_inputs; k++) {
		const bxt_linear_delayed_input *in = &l->delays.input[k];
		const double angle = -BXT_TURN * remainder(l->pencil.frequency * in->by, 1);
		if (in->input != input)
			continue;
		x[2 * bxt_linear_z(l, in->row)] -= in->value * cos(angle);
		x[2 * bxt_linear_z(l, in->row) + 1] -= in->value * sin(angle);
	}
}
