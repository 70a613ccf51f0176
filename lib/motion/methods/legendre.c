/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/methods/legendre.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Making ---- */

static bxt_status make(bxt_legendre *l, const bxt_settings *settings)
{
	const bxt_system *s = l->system;
	const size_t n = (size_t)s->size + BXT_LANES;
	double **const arrays[] = {&l->q,     &l->x,   &l->term,       &l->zero,
				   &l->start, &l->end, &l->written[0], &l->written[1]};
	if (!(l->evaluator = bxt_evaluator_new(s)))
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_settings_mixture(settings, s, l->arena, &l->mixture));
	bxt_scheme_dirac_plus.stages(settings, &l->mixture, &l->stages);
	l->weights = BXT_NEW(l->arena, bxt_weights, (size_t)l->mixture.n);
	l->of_energy = BXT_NEW(l->arena, double, (size_t)l->mixture.n);
	l->pull = BXT_NEW(l->arena, double, (size_t)l->mixture.of[0].r *n);
	if (!l->weights || !l->of_energy || !l->pull)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		if (!(*arrays[i] = BXT_NEW(l->arena, double, n)))
			return BXT_ERR_MEMORY;
	return BXT_OK;
}

bxt_status bxt_legendre_new(const bxt_system *s, const bxt_settings *settings, bxt_legendre **out)
{
	bxt_legendre *l = *out = calloc(1, sizeof *l);
	if (!l)
		return BXT_ERR_MEMORY;
	l->system = s;
	l->arena = bxt_arena_new();
	const bxt_status status = l->arena ? make(l, settings) : BXT_ERR_MEMORY;
	if (status != BXT_OK)
		*out = bxt_legendre_free(l);
	return status;
}

bxt_legendre *bxt_legendre_free(bxt_legendre *l)
{
	if (l) {
		bxt_evaluator_free(l->evaluator);
		bxt_arena_free(l->arena);
		free(l);
	}
	return NULL;
}

/* ---- At a pair of positions ---- */

static double *pull_of(const bxt_legendre *l, int i)
{
	return l->pull + (size_t)i * ((size_t)l->system->size + BXT_LANES);
}

/* b_i of forces under rule k; forces may have another rule than L. */
static double force_weight(const bxt_mixture *m, int k, int i)
{
	return m->of[k].b[i] + (m->force_rule ? m->more[k].b[i] : 0);
}

void bxt_legendre_next(const bxt_legendre *l, const double *q, const double *v, double h,
		       double *next)
{
	const bxt_discretization *d = l->mixture.of;
	const size_t size = (size_t)l->system->size;
	memcpy(next, q, size * sizeof *next);
	for (int k = 0; k < d->s; k++)
		for (int c = 0; c < l->system->n; c++)
			next[c] += h * d->weight[k] * v[(size_t)k * size + (size_t)c];
}

/* q(c_i) = q_k + h sum a_ij V_j, v(c_i) = sum flow_ij V_j */
void bxt_legendre_point(bxt_legendre *l, int i, const double *q, const double *v, double t,
			double h, bxt_point *at)
{
	const bxt_discretization *d = l->mixture.of;
	const size_t size = (size_t)l->system->size;
	memcpy(l->q, q, size * sizeof *q);
	memset(l->x, 0, size * sizeof *l->x);
	for (int k = 0; k < d->s; k++)
		for (int c = 0; c < l->system->n; c++) {
			l->q[c] += h * d->a[i][k] * v[(size_t)k * size + (size_t)c];
			l->x[c] += d->flow[i][k] * v[(size_t)k * size + (size_t)c];
		}
	*at = (bxt_point){l->q, l->x, t + d->c[i] * h};
	bxt_evaluator_set_time(l->evaluator, at->t);
}

void bxt_legendre_force_weights(const bxt_legendre *l, const bxt_group *group, int i, double *minus,
				double *plus)
{
	const bxt_mixture *m = &l->mixture;
	const int k = m->of_group[group - l->system->groups];
	*plus = m->of[k].b[i] * m->of[k].c[i] + (m->force_rule ? m->more_end[k][i] : 0);
	*minus = force_weight(m, k, i) - *plus;
}

/* Selects the weights of P and F: those of L, or those of forces, of each rule. */
struct share {
	double p, f;
	bool forces;
};

/* The momentum rows of an output set, P and F with the weights of each rule, added to r. */
static void add(bxt_legendre *l, bxt_output_set_id set, bxt_point at, int i, struct share w,
		double *r)
{
	const bxt_mixture *m = &l->mixture;
	for (int k = 0; k < m->n; k++) {
		const double b = m->of[k].b[i];
		const double by = w.forces ? force_weight(m, k, i) : b;
		l->weights[k] = (bxt_weights){{{[BXT_P] = w.p * b, [BXT_F] = w.f * by},
					       {[BXT_P] = w.p * b, [BXT_F] = w.f * by}}};
	}
	l->evaluator->weights_of = m->of_group;
	bxt_evaluate(l->evaluator, set, at, l->weights, r, NULL);
	l->evaluator->weights_of = NULL;
}

/* h times the excess of forces over the weights of the rule of L, at one end. */
static void add_more(bxt_legendre *l, bxt_point at, int i, bool end, double h, double *r)
{
	const bxt_mixture *m = &l->mixture;
	if (!m->force_rule)
		return;
	for (int k = 0; k < m->n; k++) {
		const double last = m->more_end[k][i];
		const double f = end ? h * last : h * (last - m->more[k].b[i]);
		l->weights[k] = (bxt_weights){{{[BXT_F] = f}, {[BXT_F] = f}}};
	}
	l->evaluator->weights_of = m->of_group;
	bxt_evaluate(l->evaluator, BXT_SET_EXTERNAL, at, l->weights, r, NULL);
	l->evaluator->weights_of = NULL;
}

static void take_energy(void *context, const bxt_group *group, int first, int count,
			const bxt_output_set *set, const double *const *in, const double *work)
{
	bxt_legendre *l = context;
	const double b = l->of_energy[l->mixture.of_group[group - l->system->groups]];
	const double *y = bxt_tape_result(set->tape, 0, in, work);
	(void)first;
	for (int i = 0; i < count; i++) {
		l->action -= b * y[i];
		l->action_size += fabs(b * y[i]);
	}
}

/* The part of point i: L = v.P - E, P and F, and the forces by themselves. */
static void add_point(bxt_legendre *l, int i, bxt_point at, double h)
{
	const bxt_system *s = l->system;
	const bxt_mixture *m = &l->mixture;
	const double c = m->of[0].c[i];
	const size_t size = (size_t)s->size;
	double *pull = pull_of(l, i);
	memset(l->term, 0, size * sizeof *l->term);
	add(l, BXT_SET_MOMENTUM, at, i, (struct share){.p = h}, l->term);
	for (int a = 0; a < s->n; a++) {
		l->action += l->x[a] * l->term[a];
		l->action_size += fabs(l->x[a] * l->term[a]);
	}
	for (int k = 0; k < m->n; k++)
		l->of_energy[k] = h * m->of[k].b[i];
	bxt_evaluate_blocks(l->evaluator, BXT_SET_ENERGY, at, take_energy, l);
	add(l, BXT_SET_DYNAMICS, at, i, (struct share){1, -(1 - c) * h, false}, l->start);
	add(l, BXT_SET_DYNAMICS, at, i, (struct share){1, c * h, false}, l->end);
	add_more(l, at, i, false, h, l->start);
	add_more(l, at, i, true, h, l->end);
	memset(pull, 0, size * sizeof *pull);
	add(l, BXT_SET_EXTERNAL, at, i, (struct share){0, h, true}, pull);
}

static void take_written_action(void *context, const bxt_group *group, int first, int count,
				const bxt_output_set *set, const double *const *in,
				const double *work)
{
	bxt_legendre *l = context;
	const double *y = bxt_tape_result(set->tape, 0, in, work);
	(void)group;
	(void)first;
	for (int i = 0; i < count; i++) {
		l->action += y[i];
		l->action_size += fabs(y[i]);
	}
}

static void add_written(bxt_legendre *l, const double *q, const double *v, double t)
{
	static const bxt_weights p = {{{[BXT_P] = 1}, {[BXT_P] = 1}}},
				 f = {{{[BXT_F] = 1}, {[BXT_F] = 1}}};
	const bxt_system *s = l->system;
	const bxt_point at = {q, v, t};
	bxt_evaluator_set_time(l->evaluator, t);
	bxt_evaluate_blocks(l->evaluator, BXT_SET_DISCRETE_ACTION, at, take_written_action, l);
	bxt_evaluate(l->evaluator, BXT_SET_DISCRETE, at, &p, l->start, NULL);
	bxt_evaluate(l->evaluator, BXT_SET_DISCRETE, at, &f, l->end, NULL);
	memset(l->written[0], 0, (size_t)s->size * sizeof(double));
	memset(l->written[1], 0, (size_t)s->size * sizeof(double));
	bxt_evaluate(l->evaluator, BXT_SET_DISCRETE_FORCE, at, &p, l->written[0], NULL);
	bxt_evaluate(l->evaluator, BXT_SET_DISCRETE_FORCE, at, &f, l->written[1], NULL);
}

void bxt_legendre_at(bxt_legendre *l, const double *q, const double *v, double t, double h)
{
	const size_t bytes = (size_t)l->system->size * sizeof(double);
	l->action = l->action_size = 0;
	memset(l->start, 0, bytes);
	memset(l->end, 0, bytes);
	bxt_evaluator_set_step(l->evaluator, h);
	for (int i = 0; i < l->mixture.of[0].r; i++) {
		bxt_point at;
		bxt_legendre_point(l, i, q, v, t, h, &at);
		add_point(l, i, at, h);
	}
	if (l->mixture.has_written)
		add_written(l, q, v, t);
	l->start[l->system->spare] = l->end[l->system->spare] = 0;
}

double bxt_legendre_work(const bxt_legendre *l, const double *dq, const double *dv, double h,
			 double *size)
{
	const bxt_discretization *d = l->mixture.of;
	const size_t n = (size_t)l->system->size;
	double sum = 0;
	*size = 0;
	for (int c = 0; c < l->system->n; c++) {
		double next = dq[c], term;
		for (int k = 0; k < d->s; k++)
			next += h * d->weight[k] * dv[(size_t)k * n + (size_t)c];
		for (int i = 0; i < d->r; i++) {
			double there = dq[c];
			for (int k = 0; k < d->s; k++)
				there += h * d->a[i][k] * dv[(size_t)k * n + (size_t)c];
			sum += term = pull_of(l, i)[c] * there;
			*size += fabs(term);
		}
		sum += term = l->written[0][c] * dq[c] + l->written[1][c] * next;
		*size += fabs(term);
	}
	return sum;
}

/* ---- The inverse transforms ---- */

/*
 * With p_{k+1} = p_k + h sum b_i F_i the equations of a step become those for p_{k+1}:
 * sum_i (momentum_ji P_i - (force_ji - b_i) h F_i) = p_{k+1}.
 */
static void from_other_end(bxt_mixture *m, bxt_stages *out)
{
	out->other_end = true;
	out->force -= 1;
	for (int k = 0; k < m->n; k++)
		for (int j = 0; j < m->of[k].s; j++)
			for (int i = 0; i < m->of[k].r; i++) {
				m->of[k].force[j][i] -= m->of[k].b[i];
				if (m->force_rule)
					m->more[k].force[j][i] -= m->more[k].b[i];
			}
}

static void right_stages(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	bxt_scheme_dirac_plus.stages(settings, mixture, out);
	from_other_end(mixture, out);
}

static void left_stages(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	bxt_scheme_dirac_minus.stages(settings, mixture, out);
	from_other_end(mixture, out);
}

const bxt_scheme bxt_legendre_right = {
	.name = "H_d+",
	.doc = "q_{k+1} from q_k and p_{k+1}",
	.carries_momenta = true,
	.uses_rule = true,
	.method = {BXT_METHOD_RECTANGLE_BORDER, BXT_METHOD_BLOCKS, BXT_METHOD_SINGLE_STAGE},
	.stages = right_stages,
};

const bxt_scheme bxt_legendre_left = {
	.name = "H_d-",
	.doc = "q_k from q_{k+1} and p_k",
	.carries_momenta = true,
	.uses_rule = true,
	.backward = true,
	.method = {BXT_METHOD_RECTANGLE_BORDER, BXT_METHOD_BLOCKS, BXT_METHOD_SINGLE_STAGE},
	.stages = left_stages,
};
