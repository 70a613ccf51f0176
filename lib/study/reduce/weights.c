/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Energy-conserving sampling and weighting (Farhat, Avery, Chapman and Cortial, Int. J. Numer.
 * Meth. Engng 98, 2014). The element e contributes U^T P_e to the momenta of the modes and U^T F_e
 * to their forces (element/element_type.h). Weights w >= 0, most of them 0, are sought with
 *
 *     sum_e w_e U^T P_e = sum_e U^T P_e,   sum_e w_e U^T F_e = sum_e U^T F_e
 *
 * at the states q0 + U x, U x' of snapshots, and the first also at q0 with the flows of each mode
 * alone, so that no mode loses its inertia. These equations give the columns G and the right-hand
 * side G 1 of a least squares problem (nnls.h). Each of the three blocks is divided by its own
 * norm. The weighted model is Lagrangian again: L = sum_e w_e L_e keeps its energy.
 *
 * Elements that depend on time, or that have forces only, act from outside: they keep the weight 1.
 */
#include "study/reduce/weights.h"

#include "study/reduce/nnls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Limit on the number of values in G, which bounds memory: fewer snapshots of a large model are
 * used.
 */
enum { MOST_NUMBERS = 20000000 };

struct weighing {
	const bxt_modes *m;
	int n;       /* number of columns: elements that get weights */
	int *column; /* (elements) -1: no weight is sought */
	int rows;    /* of G */
	double *g;   /* (rows x n) by columns */
	int at;      /* first row of the next values */
	bxt_term term;
	const double *time; /* of the rows of the run */
	int *sample;        /* (samples) rows that are used */
	int samples;
};

static bool is_weighed(const bxt_network *net, const bxt_element *e)
{
	const bxt_element_type *k = net->types[e->type];
	const bxt_component *c = k->component;
	const bxt_output_set *set = &k->set[BXT_SET_DYNAMICS];
	for (int i = 0; e->signal && i < k->n_parameter; i++)
		if (e->signal[i] >= 0)
			return false;
	for (int i = 0; i < set->n_reads; i++)
		if (set->reads[i].source == BXT_FROM_TIME)
			return false;
	return c->lagrangian.text || c->rayleigh.text || c->n_gyrators || c->n_momenta;
}

/* U^T of the values of one term. */
static void collect_weights(void *context, const bxt_group *group, int first, int count,
			    const bxt_output_set *set, const double *const *in, const double *work)
{
	const struct weighing *w = context;
	const bxt_modes *m = w->m;
	for (int k = 0; k < set->n; k++) {
		const bxt_entry *e = &set->entries[k];
		if (e->term != w->term)
			continue;
		const double *value = bxt_tape_result(set->tape, k, in, work);
		for (int i = 0; i < count; i++) {
			const int column = w->column[group->element[first + i]];
			const int x = group->at[e->row][first + i];
			if (column < 0 || x >= m->n)
				continue;
			double *to = w->g + (size_t)w->rows * (size_t)column + w->at;
			for (int j = 0; j < m->r; j++)
				to[j] += m->u[(size_t)x + (size_t)m->n * (size_t)j] * value[i];
		}
	}
}

/* to = start + U x */
static void combine(const bxt_modes *m, const double *start, const double *x, double *to)
{
	for (int i = 0; i < m->n; i++)
		to[i] = start ? start[i] : 0;
	for (int j = 0; j < m->r; j++)
		for (int i = 0; i < m->n; i++)
			to[i] += m->u[(size_t)i + (size_t)m->n * (size_t)j] * x[j];
}

/* The three blocks, in rows 0, r^2 and r^2 + r samples. */
static void fill_columns(struct weighing *w, bxt_evaluator *e, double *work)
{
	const bxt_modes *m = w->m;
	const size_t size = (size_t)m->system->size, r = (size_t)m->r;
	double *q = work, *x = work + size + BXT_LANES, *unit = x + size + BXT_LANES;
	const bxt_point at = {q, x, 0};
	bxt_evaluator_set_step(e, 1);
	bxt_evaluator_set_time(e, w->time[0]);
	combine(m, m->q0, unit, q);
	for (int j = 0; j < m->r; j++) {
		unit[j] = 1;
		combine(m, NULL, unit, x);
		unit[j] = 0;
		w->term = BXT_P;
		w->at = m->r * j;
		bxt_evaluate_blocks(e, BXT_SET_DYNAMICS, at, collect_weights, w);
	}
	for (int k = 0; k < w->samples; k++) {
		const size_t from = r * (size_t)w->sample[k];
		const bxt_point there = {q, x, w->time[w->sample[k]]};
		combine(m, m->q0, m->at + from, q);
		combine(m, NULL, m->moving + from, x);
		bxt_evaluator_set_time(e, there.t);
		for (int part = 0; part < 2; part++) {
			w->term = part ? BXT_F : BXT_P;
			w->at = m->r * (m->r + k + part * w->samples);
			bxt_evaluate_blocks(e, BXT_SET_DYNAMICS, there, collect_weights, w);
		}
	}
}

/* The row sums of G; each block of rows is divided by the length of its sum. */
static void scale(const struct weighing *w, double *sum)
{
	const int r = w->m->r, from[] = {0, r * r, r * (r + w->samples), w->rows};
	const size_t rows = (size_t)w->rows;
	for (int j = 0; j < w->n; j++)
		for (size_t i = 0; i < rows; i++)
			sum[i] += w->g[rows * (size_t)j + i];
	for (int b = 0; b < 3; b++) {
		double size = 0;
		for (int i = from[b]; i < from[b + 1]; i++)
			size += sum[i] * sum[i];
		for (int i = from[b]; i < from[b + 1] && size > 0; i++) {
			sum[i] /= sqrt(size);
			for (int j = 0; j < w->n; j++)
				w->g[rows * (size_t)j + (size_t)i] /= sqrt(size);
		}
	}
}

static bxt_status weigh_elements(bxt_arena *arena, struct weighing *w, double tolerance,
				 bxt_weighing *out, double *weight)
{
	const bxt_system *s = w->m->system;
	const size_t size = (size_t)s->size + BXT_LANES;
	double *work = BXT_NEW(arena, double, 2 * size + (size_t)w->m->r);
	double *sum = BXT_NEW(arena, double, (size_t)w->rows);
	double *x = BXT_NEW(arena, double, (size_t)w->n), length = 0;
	bxt_evaluator *e = work && sum && x ? bxt_evaluator_new(s) : NULL;
	w->g = calloc((size_t)w->rows * (size_t)w->n + 1, sizeof *w->g);
	bxt_status status = e && w->g ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		fill_columns(w, e, work);
		scale(w, sum);
		status = bxt_nnls(w->rows, w->n, w->g, sum, tolerance, x, &out->misfit);
	}
	for (int i = 0; i < w->rows && status == BXT_OK; i++)
		length += sum[i] * sum[i];
	out->misfit = length > 0 ? out->misfit / sqrt(length) : 0;
	for (size_t i = 0; i < s->net->n_elements && status == BXT_OK; i++)
		if (w->column[i] >= 0)
			weight[i] = x[w->column[i]];
	bxt_evaluator_free(e);
	free(w->g);
	return status;
}

bxt_status bxt_weights_find(bxt_arena *arena, size_t rows, const double *time, double tolerance,
			    bxt_modes *modes, bxt_weighing *out)
{
	const bxt_network *net = modes->system->net;
	struct weighing w = {.m = modes,
			     .time = time,
			     .column = BXT_NEW(arena, int, net->n_elements),
			     .sample = BXT_NEW(arena, int, rows)};
	double *weight = BXT_NEW(arena, double, net->n_elements);
	bool *left_out = BXT_NEW(arena, bool, net->n_elements);
	if (!w.column || !weight || !left_out || !w.sample)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < net->n_elements; i++) {
		w.column[i] = is_weighed(net, &net->elements[i]) ? w.n++ : -1;
		weight[i] = 1;
	}
	const double each = 2.0 * modes->r * (w.n > 0 ? w.n : 1);
	const size_t step = 1 + (size_t)(each * (double)rows / MOST_NUMBERS);
	for (size_t k = 0; k < rows; k += step)
		w.sample[w.samples++] = (int)k;
	w.rows = modes->r * (modes->r + 2 * w.samples);
	BXT_TRY(weigh_elements(arena, &w, tolerance, out, weight));
	for (size_t i = 0; i < net->n_elements; i++) {
		left_out[i] = weight[i] == 0;
		out->elements[0] += w.column[i] >= 0;
		out->elements[1] += w.column[i] >= 0 && weight[i] > 0;
	}
	modes->weight = weight;
	modes->left_out = left_out;
	return BXT_OK;
}
