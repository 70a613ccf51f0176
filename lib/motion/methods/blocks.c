/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The residual of a step in blocks (equations: scheme/scheme.h), and the state at its end. */
#include "motion/methods/blocks_internal.h"
#include "motion/methods/near_end.h"
#include "motion/step/stepper.h"

#include <math.h>
#include <string.h>

/* ---- Where the tapes are evaluated ---- */

/* Copies the end block's unknowns to their x indices; all others are 0. */
static void expand_end(const bxt_blocks *b, const double *x)
{
	const bxt_projection *p = b->projection;
	const double *from = x + (size_t)b->s * (size_t)b->system->size;
	memset(b->x_end, 0, (size_t)b->system->size * sizeof *b->x_end);
	for (int i = 0; i < p->size; i++)
		if (i < p->n_row || i >= p->first_flow)
			b->x_end[p->place[i]] = from[i];
}

/* Impulses at the start: tau times nu, with the pivots' own entries of nu, so that all of them
 * change with tau. */
static void expand_start(bxt_blocks *b, const double *x)
{
	const bxt_projection *p = b->projection;
	const double *from = x + (size_t)b->s * (size_t)b->system->size;
	for (int i = 0; i < p->n_row; i++) {
		const int row = p->place[i], at = p->at_start[row];
		b->x_start[row] = p->tau[p->part[i]] * from[at];
	}
}

/* q(c_j) = q_k + h sum a_jk V_k, v(c_j) = sum flow_jk V_k */
static void move_points(bxt_blocks *b, const bxt_step *step, const double *x)
{
	const bxt_discretization *d = b->stages->points;
	const size_t size = (size_t)b->system->size;
	const int n = b->system->n;
	for (int j = 0; j < d->r; j++) {
		double *restrict q = step->q_stage[bxt_blocks_place(b, j)];
		double *restrict v = b->x_point[j];
		memcpy(q, step->q, (size_t)n * sizeof *q);
		memset(v, 0, (size_t)n * sizeof *v);
		for (int k = 0; k < d->s; k++)
			for (int c = 0; c < n; c++) {
				q[c] += step->h * d->a[j][k] * x[(size_t)k * size + (size_t)c];
				v[c] += d->flow[j][k] * x[(size_t)k * size + (size_t)c];
			}
	}
}

/* q + h sum a_j V_j of three stages, in one pass: the same sums. */
static void move_third(const bxt_step *step, const double *a, const double *x, size_t size, int n,
		       double *restrict out)
{
	const double *restrict q = step->q, *restrict v0 = x, *restrict v1 = x + size,
			       *restrict v2 = x + 2 * size;
	const double a0 = step->h * a[0], a1 = step->h * a[1], a2 = step->h * a[2];
	for (int c = 0; c < n; c++)
		out[c] = q[c] + a0 * v0[c] + a1 * v1[c] + a2 * v2[c];
}

static void move_blocks(bxt_blocks *b, const bxt_step *step, const double *x)
{
	const bxt_stages *g = b->stages;
	const int n = b->system->n;
	const size_t size = (size_t)b->system->size;
	for (int i = 0; i < b->s; i++) {
		double *restrict q = step->q_stage[i];
		if (b->s == 3 && !b->position) {
			move_third(step, g->a[i], x, size, n, q);
			continue;
		}
		for (int c = 0; c < n; c++)
			q[c] = step->q[c] + (b->position ? b->position->d0[c] : 0);
		for (int j = 0; j < b->s; j++)
			for (int c = 0; c < n; c++)
				q[c] += step->h * g->a[i][j] * x[(size_t)j * size + (size_t)c];
	}
	if (g->points)
		move_points(b, step, x);
	if (b->projection)
		expand_end(b, x);
	if (!b->projection && !b->position)
		return;
	for (int c = 0; c < n; c++)
		b->q_end[c] =
			step->q[c] + (b->position ? b->position->d0[c] + b->position->d1[c] : 0);
	for (int j = 0; j < b->s; j++)
		for (int c = 0; c < n; c++)
			b->q_end[c] += step->h * g->b[j] * x[(size_t)j * size + (size_t)c];
}

/* ---- Residual ---- */

/* p_0 = p_k + kick A(q_k)^T nu on rows with mass, and A_D(q_k)^T nu on massless ones, to be 0. */
static void start_momenta(bxt_blocks *b, const bxt_step *step, const double *x)
{
	const bxt_system *s = b->system;
	memcpy(b->p0, step->p, (size_t)s->size * sizeof *b->p0);
	for (int c = 0; c < s->n; c++)
		b->p0_abs[c] = fabs(step->p[c]);
	if (!b->projection)
		return;
	const bxt_weights w = {{{[BXT_K] = b->stages->kick}, {[BXT_K] = 1}}};
	bxt_evaluator *e = b->projection->start;
	expand_start(b, x);
	bxt_evaluate(e, BXT_SET_CONSTRAINT, (bxt_point){step->q, b->x_start, e->time[0]}, &w, b->p0,
		     b->p0_abs);
}

/* Moves the equations that determine the pivots' impulses to the end block's rows, and sets pinned
 * momenta to 0 again. */
static void hold_pivots(bxt_blocks *b, double *r, double *r_abs)
{
	const bxt_system *s = b->system;
	const bxt_projection *p = b->projection;
	for (int i = 0; i < p->n_pivot; i++) {
		r[p->n_row + i] = b->p0[p->pivot_col[i]];
		r_abs[p->n_row + i] = b->p0_abs[p->pivot_col[i]];
	}
	for (int c = 0; c < s->n; c++)
		if (s->pinned[c])
			b->p0[c] = b->p0_abs[c] = 0;
}

static void add_scaled(int n, double w, const double *restrict from, const double *restrict abs,
		       double *restrict to, double *restrict to_abs)
{
	for (int c = 0; c < n && w != 0; c++) {
		to[c] += w * from[c];
		to_abs[c] += fabs(w) * abs[c];
	}
}

/* P of the stages; their D and F to the rows. */
static void stage_rows(bxt_blocks *b, const bxt_step *step, const double *x, double *r,
		       double *r_abs)
{
	const size_t size = (size_t)b->system->size;
	const double f = -b->stages->force * step->h;
	const bxt_weights w = {{{[BXT_P] = 1, [BXT_F] = f}, {[BXT_D] = step->h, [BXT_F] = f}}};
	bxt_point at[BXT_MAX_STAGES];
	bxt_residual to[BXT_MAX_STAGES];
	bxt_blocks_list_stages(b, step, x, at);
	for (int i = 0; i < b->s; i++) {
		for (int k = 0; k < b->n_massive; k++)
			b->p[i][b->massive[k]] = b->p_abs[i][b->massive[k]] = 0;
		to[i] = (bxt_residual){r + (size_t)i * size, r_abs + (size_t)i * size, b->p[i],
				       b->p_abs[i]};
	}
	bxt_evaluate_together(b->together, step->evaluator, b->s, BXT_SET_DYNAMICS, at, &w, to);
}

/* to[c] += w from[c], of sizes as well, of the rows with momenta. */
static inline void add_momenta(const bxt_blocks *b, double w, int j, double *restrict to,
			       double *restrict to_abs)
{
	const double *restrict p = b->p[j], *restrict p_abs = b->p_abs[j];
	const int *restrict massive = b->massive;
	for (int k = 0; k < b->n_massive && w != 0; k++) {
		const int c = massive[k];
		to[c] += w * p[c];
		to_abs[c] += fabs(w) * p_abs[c];
	}
}

/* Adds P_j - p_0 to the rows. The difference is formed first, so that constant momenta leave no
 * round-off of the coefficients. */
static void stage_momenta(bxt_blocks *b, int j, double *r, double *r_abs)
{
	const bxt_stages *g = b->stages;
	const size_t size = (size_t)b->system->size;
	for (int k = 0; k < b->n_massive; k++) {
		const int c = b->massive[k];
		b->p[j][c] -= b->p0[c];
		b->p_abs[j][c] += b->p0_abs[c];
	}
	for (int i = 0; i < b->s; i++)
		add_momenta(b, g->momentum[i][j], j, r + (size_t)i * size,
			    r_abs + (size_t)i * size);
	if (b->projection)
		add_momenta(b, -g->end[j], j, b->end, b->end_abs);
}

/* P of point j to b->momenta; its F to the rows. */
static void point_rows(bxt_blocks *b, const bxt_step *step, int j, const double *x, double *r,
		       double *r_abs)
{
	static const bxt_weights w = {{{[BXT_P] = 1, [BXT_F] = 1}, {[BXT_P] = 1, [BXT_F] = 1}}};
	const bxt_discretization *d = b->stages->points;
	const size_t size = (size_t)b->system->size, bytes = size * sizeof *r;
	const int place = bxt_blocks_place(b, j);
	bxt_evaluator *e = step->evaluator[place];
	const bxt_point at = {step->q_stage[place], bxt_blocks_flows(b, x, j), e->time[0]};
	memset(b->momenta, 0, bytes);
	memset(b->momenta_abs, 0, bytes);
	memset(b->force, 0, bytes);
	memset(b->force_abs, 0, bytes);
	bxt_evaluate_apart(e, BXT_SET_DYNAMICS, at, &w,
			   &(bxt_residual){b->force, b->force_abs, b->momenta, b->momenta_abs});
	for (int i = 0; i < b->s; i++)
		add_scaled(b->system->n, -d->force[i][j] * step->h, b->force, b->force_abs,
			   r + (size_t)i * size, r_abs + (size_t)i * size);
}

/* The same of a mixture: momentum_ij P_j - force_ij h F_j to the rows of all stages. */
static void mixed_rows(bxt_blocks *b, const bxt_step *step, int j, const double *x, double *r,
		       double *r_abs)
{
	const bxt_mixture *m = b->stages->mixture;
	const int place = bxt_blocks_place(b, j);
	bxt_evaluator *e = step->evaluator[place];
	const bxt_point at = {step->q_stage[place], bxt_blocks_flows(b, x, j), e->time[0]};
	bxt_blocks_mix(b, e, true);
	for (int i = 0; i < b->s; i++) {
		const size_t first = (size_t)i * (size_t)b->system->size;
		bxt_weights w[BXT_MIXED] = {{{{0}}}};
		for (int k = 0; k < m->n; k++)
			for (int role = 0; role < 2; role++) {
				w[k].of[role][BXT_P] = m->of[k].momentum[i][j];
				w[k].of[role][BXT_F] = -m->of[k].force[i][j] * step->h;
			}
		bxt_evaluate(e, BXT_SET_DYNAMICS, at, w, r + first, r_abs + first);
		for (int k = 0; k < m->n && m->force_rule; k++)
			for (int role = 0; role < 2; role++)
				w[k].of[role][BXT_F] = -m->more[k].force[i][j] * step->h;
		if (m->force_rule)
			bxt_evaluate(e, BXT_SET_EXTERNAL, at, w, r + first, r_abs + first);
	}
	bxt_blocks_mix(b, e, false);
}

/* The momentum that a step solves for, or the one at its other end, of written L_d
 * (element/element_type.h). */
static void evaluate_written(const bxt_step *step, const double *x, bool other, double *r,
			     double *r_abs)
{
	const bxt_weights w = {
		{{[BXT_P] = !other, [BXT_F] = other}, {[BXT_P] = !other, [BXT_F] = other}}};
	bxt_evaluate(step->evaluator[0], step->h < 0 ? BXT_SET_DISCRETE_BACK : BXT_SET_DISCRETE,
		     (bxt_point){step->q, x, step->evaluator[0]->time[0]}, &w, r, r_abs);
}

/* C and K of all stages to their rows. */
static void stage_constraints(bxt_blocks *b, const bxt_step *step, const double *x, double *r,
			      double *r_abs)
{
	static const bxt_weights both = {
		{{[BXT_K] = -1, [BXT_C] = 1}, {[BXT_K] = -1, [BXT_C] = 1}}};
	const size_t size = (size_t)b->system->size;
	bxt_point at[BXT_MAX_STAGES];
	bxt_residual to[BXT_MAX_STAGES];
	bxt_blocks_list_stages(b, step, x, at);
	for (int i = 0; i < b->s; i++) {
		double *own = r + (size_t)i * size, *own_abs = r_abs + (size_t)i * size;
		to[i] = (bxt_residual){own, own_abs, own, own_abs};
	}
	bxt_evaluate_together(b->together, step->evaluator, b->s, BXT_SET_CONSTRAINT, at, &both,
			      to);
}

/* If P and F have points of their own: adds C of stage m to its rows, and K to the rows of all
 * stages on which it acts. */
static void constraint_rows(bxt_blocks *b, const bxt_step *step, int m, const double *x, double *r,
			    double *r_abs)
{
	static const bxt_weights rows = {{{[BXT_C] = 1}, {[BXT_C] = 1}}};
	static const bxt_weights impulses = {{{[BXT_K] = 1}, {[BXT_K] = 1}}};
	const bxt_stages *g = b->stages;
	const size_t size = (size_t)b->system->size;
	bxt_evaluator *e = step->evaluator[m];
	const double *q = step->q_stage[m], *x_m = x + (size_t)m * size, t = e->time[0];
	double *r_m = r + (size_t)m * size, *abs_m = r_abs + (size_t)m * size;
	bxt_evaluate(e, BXT_SET_CONSTRAINT, (bxt_point){bxt_rows_at_start(g) ? step->q : q, x_m, t},
		     &rows, r_m, abs_m);
	memset(b->force, 0, size * sizeof *b->force);
	memset(b->force_abs, 0, size * sizeof *b->force_abs);
	bxt_evaluate(e, BXT_SET_CONSTRAINT,
		     (bxt_point){bxt_impulses_at_start(g) ? step->q : q, x_m, t}, &impulses,
		     b->force, b->force_abs);
	for (int i = 0; i < b->s; i++)
		add_scaled(b->system->n, -bxt_share_of_impulse(g, i, m), b->force, b->force_abs,
			   r + (size_t)i * size, r_abs + (size_t)i * size);
}

/* The rows of the end block: P(q_{k+1}, v) - p_1 - A^T nu, -A_D^T nu, A v - b. */
static void end_rows(bxt_blocks *b, double *r, double *r_abs)
{
	static const bxt_weights w = {
		{{[BXT_P] = 1, [BXT_K] = -1, [BXT_C] = 1}, {[BXT_K] = -1, [BXT_C] = 1}}};
	const bxt_projection *p = b->projection;
	const bxt_point at = {b->q_end, b->x_end, p->end->time[0]};
	bxt_evaluate(p->end, BXT_SET_MOMENTUM, at, &w, b->end, b->end_abs);
	bxt_evaluate(p->end, BXT_SET_CONSTRAINT, at, &w, b->end, b->end_abs);
	for (int i = 0; i < p->size; i++) {
		if (i >= p->n_row && i < p->first_flow)
			continue;
		r[i] = b->end[p->place[i]];
		r_abs[i] = b->end_abs[p->place[i]];
	}
}

static void blocks_residual(bxt_blocks *b, const bxt_step *step, const double *x, double *r,
			    double *r_abs)
{
	const bxt_stages *g = b->stages;
	const bxt_system *s = b->system;
	const size_t size = (size_t)s->size;
	memset(r, 0, (size_t)b->n * sizeof *r);
	memset(r_abs, 0, (size_t)b->n * sizeof *r_abs);
	memset(b->end, 0, size * sizeof *b->end);
	memset(b->end_abs, 0, size * sizeof *b->end_abs);
	move_blocks(b, step, x);
	double *end = r + (size_t)b->s * size, *end_abs = r_abs + (size_t)b->s * size;
	if (b->projection) {
		expand_start(b, x);
		bxt_projection_scale(b->projection, step->q, b->q_end, b->x_start, b->x_end);
	}
	start_momenta(b, step, x);
	if (b->projection)
		hold_pivots(b, end, end_abs);
	if (g->mixture && g->mixture->has_written)
		evaluate_written(step, x, g->other_end, r, r_abs);
	for (int i = 0; g->mixture && i < b->s; i++)
		add_scaled(s->n, -1, b->p0, b->p0_abs, r + (size_t)i * size,
			   r_abs + (size_t)i * size);
	if (!g->points)
		stage_rows(b, step, x, r, r_abs);
	for (int j = 0; j < bxt_blocks_points(b); j++) {
		if (!g->points) {
			stage_momenta(b, j, r, r_abs);
			continue;
		}
		if (g->mixture) {
			mixed_rows(b, step, j, x, r, r_abs);
			continue;
		}
		point_rows(b, step, j, x, r, r_abs);
		add_scaled(s->n, -1, b->p0, b->p0_abs, b->momenta, b->momenta_abs);
		for (int i = 0; i < b->s; i++)
			add_scaled(s->n, g->points->momentum[i][j], b->momenta, b->momenta_abs,
				   r + (size_t)i * size, r_abs + (size_t)i * size);
	}
	if (!g->points)
		stage_constraints(b, step, x, r, r_abs);
	for (int i = 0; i < b->s && g->points; i++)
		constraint_rows(b, step, i, x, r, r_abs);
	for (int i = 0; i < b->s; i++) {
		r[(size_t)i * size + (size_t)s->spare] = 0;
		r_abs[(size_t)i * size + (size_t)s->spare] = 0;
	}
	if (!b->projection)
		return;
	add_scaled(s->n, -1, b->p0, b->p0_abs, b->end, b->end_abs);
	end_rows(b, end, end_abs);
}

/* ---- The end of the step ---- */

/* If forces have a rule of their own: adds h F_j at point j times the excess, at the end, of the
 * forces' weight over that of L. */
static void advance_forces(bxt_blocks *b, const bxt_step *step, const double *x, int j, double *p)
{
	const bxt_mixture *m = b->stages->mixture;
	const int place = bxt_blocks_place(b, j);
	bxt_weights w[BXT_MIXED] = {{{{0}}}};
	for (int k = 0; k < m->n; k++)
		for (int role = 0; role < 2; role++)
			w[k].of[role][BXT_F] = m->more_end[k][j] * step->h;
	bxt_evaluate(step->evaluator[place], BXT_SET_EXTERNAL,
		     (bxt_point){step->q_stage[place], bxt_blocks_flows(b, x, j),
				 step->evaluator[place]->time[0]},
		     w, p, NULL);
}

/* p_{k+1} = sum_j b_j (P_j + c_j h F_j), of all rows, and the impulses of several flows likewise */
static void advance_points(bxt_blocks *b, const bxt_step *step, const double *x, double *p)
{
	const bxt_discretization *d = b->stages->points;
	const size_t size = (size_t)b->system->size;
	memset(p, 0, (size_t)b->system->size * sizeof *p);
	for (int j = 0; j < d->r; j++) {
		const int place = bxt_blocks_place(b, j);
		bxt_evaluator *e = step->evaluator[place];
		bxt_weights w[BXT_MIXED] = {{{{0}}}};
		for (int m = 0; m < bxt_blocks_rules(b); m++)
			for (int role = 0; role < 2; role++) {
				const double share = bxt_blocks_rule(b, m)->b[j];
				w[m].of[role][BXT_P] = share;
				w[m].of[role][BXT_F] = share * d->c[j] * step->h;
			}
		bxt_blocks_mix(b, e, true);
		bxt_evaluate(
			e, BXT_SET_DYNAMICS,
			(bxt_point){step->q_stage[place], bxt_blocks_flows(b, x, j), e->time[0]}, w,
			p, NULL);
		if (bxt_blocks_force_rule(b))
			advance_forces(b, step, x, j, p);
		bxt_blocks_mix(b, e, false);
	}
	if (b->stages->mixture && b->stages->mixture->has_written)
		evaluate_written(step, x, true, p, NULL);
	for (int m = 0; m < d->s && !bxt_impulses_at_start(b->stages); m++) {
		const double share = d->weight[m] * d->node[m];
		const bxt_weights w = {{{[BXT_K] = share}, {[BXT_K] = share}}};
		bxt_evaluator *e = step->evaluator[m];
		bxt_evaluate(e, BXT_SET_CONSTRAINT,
			     (bxt_point){step->q_stage[m], x + (size_t)m * size, e->time[0]}, &w, p,
			     NULL);
	}
	p[b->system->spare] = 0;
}

static void advance_momenta(bxt_blocks *b, const bxt_step *step, const double *x, double *p)
{
	static const bxt_weights impulse = {{{[BXT_K] = 1}, {0}}};
	static const bxt_weights momentum = {{{[BXT_P] = 1}, {0}}};
	const bxt_stages *g = b->stages;
	const bxt_system *s = b->system;
	move_blocks(b, step, x);
	if (g->points) {
		advance_points(b, step, x, p);
		return;
	}
	start_momenta(b, step, x);
	for (int c = 0; c < s->n; c++)
		p[c] = s->pinned[c] || g->end_start == 0 ? 0 : b->p0[c];
	for (int j = 0; j < b->s; j++) { /* p_0 + sum d_j (P_j - p_0); Radau: P_s */
		bxt_evaluator *e = step->evaluator[j];
		if (g->end[j] == 0)
			continue;
		memset(b->momenta, 0, (size_t)s->size * sizeof *b->momenta);
		bxt_evaluate(
			e, BXT_SET_MOMENTUM,
			(bxt_point){step->q_stage[j], x + (size_t)j * (size_t)s->size, e->time[0]},
			&momentum, b->momenta, NULL);
		for (int c = 0; c < s->n; c++)
			if (!s->pinned[c])
				p[c] += g->end[j] *
					(b->momenta[c] - (g->end_start == 0 ? 0 : b->p0[c]));
	}
	if (b->projection) {
		bxt_evaluator *e = b->projection->end;
		bxt_evaluate(e, BXT_SET_CONSTRAINT, (bxt_point){b->q_end, b->x_end, e->time[0]},
			     &impulse, p, NULL);
	}
	p[s->spare] = 0;
}

/* ---- The row ---- */

static bxt_step step_of(const bxt_stepper *st)
{
	return (bxt_step){st->state->q, st->state->p, st->h, st->evaluator, st->q_stage};
}

/* The matrix does not contain the slope of tau. If tau converges too slowly, it is set to 1 for
 * this step. */
static void drop_tau(void *stepper)
{
	bxt_stepper *st = stepper;
	const bxt_blocks *b = st->own;
	bxt_projection_drop(b->projection);
	st->equations.incomplete = false;
}

static bxt_status number_unknowns(bxt_stepper *st, const bxt_blocks *b)
{
	const int size = st->system->size, stages = b->s * size;
	st->n_x = b->n;
	st->pattern = b->pattern;
	st->factors.grouped = true;
	if (!(st->unknowns.stands_for = BXT_NEW(st->arena, int, (size_t)b->n)))
		return BXT_ERR_MEMORY;
	for (int i = 0; i < b->n; i++)
		st->unknowns.stands_for[i] =
			i < stages ? i % size : b->projection->place[i - stages];
	st->p_start = b->p0;
	if (b->projection || b->position)
		st->q_end = b->q_end;
	if (!b->projection)
		return BXT_OK;
	st->unknowns.n_impulses = b->projection->first_flow;
	st->unknowns.n_end_rows = b->projection->n_row;
	if (b->projection->varies)
		st->equations.drop = drop_tau;
	return BXT_OK;
}

static bxt_status create(bxt_stepper *st, const bxt_state *state, bool *mine)
{
	const bxt_point at = {state->q, st->x, state->t};
	bxt_position *position = st->closing[BXT_CLOSE_POSITIONS];
	bxt_projection *projection = NULL;
	bxt_blocks *b = NULL;
	if (st->stages.kick != 0 && st->settings->project_rows)
		BXT_TRY(bxt_projection_new(st->arena, st->evaluator[0], at, &projection));
	*mine = st->stages.s > 1 || projection || position || st->stages.points;
	if (!*mine)
		return BXT_OK;
	const bxt_status status = bxt_blocks_new(st->arena, st->evaluator[0], st->q_stage[0],
						 &st->stages, projection, position, &b);
	st->own = b;
	if (!b)
		bxt_projection_release(projection);
	BXT_TRY(status);
	if (!st->stages.points && !(b->together = st->together = bxt_together_new(st->system)))
		return BXT_ERR_MEMORY;
	return number_unknowns(st, b);
}

static bxt_status begin(bxt_stepper *st)
{
	bxt_blocks *b = st->own;
	const bxt_step step = step_of(st);
	if (!b->projection)
		return BXT_OK;
	b->projection->plain = st->plain;
	st->equations.incomplete = b->projection->varies && !st->plain;
	bxt_evaluator_set_time(b->projection->start, st->t);
	bxt_evaluator_set_time(b->projection->end, st->t + st->h);
	bxt_blocks_begin(b, &step);
	return BXT_OK;
}

static void set_step(bxt_stepper *st)
{
	bxt_blocks *b = st->own;
	b->has_constant = false;
}

static void move(bxt_stepper *st, const double *x)
{
	const bxt_step step = step_of(st);
	move_blocks(st->own, &step, x);
}

static void residual(bxt_stepper *st, const double *x, double *r, double *r_abs)
{
	const bxt_step step = step_of(st);
	blocks_residual(st->own, &step, x, r, r_abs);
}

static void jacobian(bxt_stepper *st, const double *x, double *values)
{
	const bxt_step step = step_of(st);
	move_blocks(st->own, &step, x);
	bxt_blocks_jacobian(st->own, &step, x, values);
}

static void advance(bxt_stepper *st, bxt_state *state, double t_next)
{
	const bxt_system *s = st->system;
	const bxt_step step = step_of(st);
	(void)t_next;
	advance_momenta(st->own, &step, st->x, state->p);
	if (st->q_end) { /* displacements of positions included */
		memcpy(state->q, st->q_end, (size_t)s->n * sizeof *state->q);
		return;
	}
	for (int j = 0; j < st->stages.s; j++) {
		const double *v = bxt_stepper_stage(st, j), w = st->h * st->stages.b[j];
		for (int i = 0; i < s->n; i++)
			state->q[i] += w * v[i];
	}
}

static void quadrature(bxt_stepper *st, bxt_quadrature_list *list)
{
	const bxt_blocks *b = st->own;
	bxt_quadrature_stages(st, st->q_stage[0], list);
	if (st->stages.points)
		bxt_quadrature_points(st, b->x_point, b->s == 1, list);
	for (int end = 0; b->projection && end < 2; end++) {
		bxt_quadrature_entry *e =
			bxt_quadrature_append(list, BXT_ENTRY_KICK, end ? st->t + st->h : st->t);
		e->q = end ? b->q_end : st->q_start;
		e->x = end ? b->x_end : b->x_start;
		e->end = end;
		e->weight_impulse = end ? 1 : st->stages.kick;
		e->takes_part = b->projection->at;
	}
}

static void release(void *own)
{
	bxt_blocks *b = own;
	bxt_projection_release(b->projection);
}

const bxt_step_method bxt_method_blocks = {
	.name = "stage blocks",
	.doc = "several stages, or points of their own, as blocks of one matrix; with the "
	       "symmetric "
	       "projection an end block",
	.create = create,
	.begin = begin,
	.set_step = set_step,
	.move = move,
	.residual = residual,
	.jacobian = jacobian,
	.advance = advance,
	.quadrature = quadrature,
	.has_stages = true,
	.near_end = &bxt_near_end_of_blocks,
	.free = release,
};
