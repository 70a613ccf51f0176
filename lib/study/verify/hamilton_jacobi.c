/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares a run with dirac+ with the discrete Hamilton-Jacobi theory with forces (de Leon, Lainz
 * and Lopez-Gordon, section 4). S_d = sum L_d along the run, and everything else follows from
 * positions:
 *
 *     gamma^- = -D1 L_d - f^- = p_j - A^T l ,   gamma^+ = D2 L_d + f^+ = p_{j+1}
 *     S_d^{j+1} - S_d^j - gamma^+ q_{j+1} + H_d+(q_j, gamma^+) = 0                       (123a)
 *     S_d^{j+1} - S_d^j + gamma^- q_j + H_d-(q_{j+1}, gamma^-) = 0                       (123b)
 *     (q_{j-1}, q_j) to q_{j+1} by D2 L_d + f^+ + D1 L_d + f^- = 0 at q_j            (35), (42)
 *
 * H_d+ and H_d- are computed by solving the Legendre transforms for the other end of the step, from
 * a displaced guess. With dq the variation of the other end that results,
 *
 *     D1 H_d+ = p_j + f^- + (dq_{j+1}/dq_j)^T f^+
 *     D2 H_d+ = q_{j+1} + (dq_{j+1}/dp_{j+1})^T f^+
 *     D1 H_d- = -p_{j+1} + f^+ + (dq_j/dq_{j+1})^T f^-
 *     D2 H_d- = -q_j + (dq_j/dp_j)^T f^-
 *
 * These are (48), (49) with the force terms that are missing in (48b) and (49b) as printed.
 * Derivatives are central differences in a random direction. If the transforms cannot be solved,
 * L_d itself is differentiated: dL_d + f^- dq_j + f^+ dq_{j+1} = p_{j+1} dq_{j+1} - p_j dq_j.
 */
#include "ground/base/vector.h"
#include "motion/methods/legendre.h"
#include "study/verify/verify_internal.h"

#include "motion/start/start.h"
#include "run/simulation/step_halving.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Relative step of differences. The truncation error is DELTA^2 times the nonlinearity, the
 * round-off that of L_d divided by DELTA.
 */
static const double DELTA = 1e-5;
/* Relative error of the guesses from which the Legendre transforms are solved. */
static const double OFF = 1e-3;
/* Relative to the largest terms of any row. */
static const double ROUND_OFF = 1e-12;
/*
 * Fraction of the last step by which the run may end too early: times are rounded. With a larger
 * limit the run could get a step too many.
 */
static const double PART_OF_STEP = 1e-9;
enum { MAX_SAMPLES = 64 }; /* steps, evenly over the run, where functions are differentiated */

enum { D_ACTION, D1_RIGHT, D2_RIGHT, D1_LEFT, D2_LEFT, RIGHT, LEFT, FIGURES };

struct theory {
	bxt_verifier *v;
	const bxt_system *s;
	bxt_settings run, right, left;
	bxt_arena *arena;
	bxt_stepper *st, *again;  /* of the run, and of the flow on Q x Q */
	bxt_stepper *to[2];       /* for q_{j+1} of H_d+, and for q_j of H_d-; NULL: not solved */
	bxt_legendre *at, *near;  /* at the pair of the run, and at any other pair */
	bxt_state *state, *other; /* of the run, and of other solved steps */
	const char *why_not;      /* reason why H_d+ and H_d- are not checked */
	double h, t;              /* of the step that is checked */
	double *q, *p;            /* (size) q_j, p_j */
	double *q_end;            /* (size) q_{j+1} */
	double *flows;            /* (n_x) V of the step */
	double *momentum;         /* (size) gamma^+ of the step before */
	double *off[3], *size_p, *size_q,
		*size_v;                  /* (size) largest gamma^- - p, gamma^+ - p, flow - q */
	double *unit_q, *unit_p, *unit_v; /* (n) sizes by units */
	double *dq, *dp;                  /* (size) a random direction */
	double *dv, *side[2];             /* (n_x) its flows, flows to both sides */
	double *zero, *r, *r_abs;         /* (n_x) */
	double action;                    /* S_d */
	double figure[FIGURES];
	long steps, judged;
};

static size_t stages_of(const struct theory *m)
{
	return (size_t)m->at->mixture.of[0].s * (size_t)m->s->size;
}

/* ---- Making ---- */

static bxt_status make_arrays(struct theory *m)
{
	const size_t size = (size_t)m->s->size + BXT_LANES, n_x = (size_t)m->st->n_x + BXT_LANES;
	double **const of_size[] = {&m->q,      &m->p,      &m->q_end,  &m->momentum, &m->off[0],
				    &m->off[1], &m->off[2], &m->size_p, &m->size_q,   &m->unit_q,
				    &m->unit_p, &m->unit_v, &m->size_v, &m->dq,       &m->dp};
	double **const of_step[] = {&m->flows, &m->dv, &m->side[0], &m->side[1],
				    &m->zero,  &m->r,  &m->r_abs};
	for (size_t i = 0; i < sizeof of_size / sizeof *of_size; i++)
		if (!(*of_size[i] = BXT_NEW(m->arena, double, size)))
			return BXT_ERR_MEMORY;
	for (size_t i = 0; i < sizeof of_step / sizeof *of_step; i++)
		if (!(*of_step[i] = BXT_NEW(m->arena, double, n_x)))
			return BXT_ERR_MEMORY;
	return BXT_OK;
}

/* What prevents solving for the other end of a step; NULL: nothing. */
static const char *unsolvable(const bxt_system *s)
{
	for (int i = 0; i < s->n; i++)
		if (s->pinned[i])
			return "coordinates without inertia have no Legendre transform";
	return s->m > 0 ? "constraints: they are defined on their annihilator alone" : NULL;
}

static bxt_status make_theory(struct theory *m)
{
	BXT_TRY(bxt_stepper_new(m->s, &m->run, m->state, &m->st));
	BXT_TRY(bxt_stepper_new(m->s, &m->run, m->state, &m->again));
	BXT_TRY(bxt_legendre_new(m->s, &m->run, &m->at));
	BXT_TRY(bxt_legendre_new(m->s, &m->run, &m->near));
	if (!(m->other = bxt_verify_state_new(m->s)))
		return BXT_ERR_MEMORY;
	m->why_not = unsolvable(m->s);
	m->right = m->left = m->run;
	m->right.scheme = &bxt_legendre_right;
	m->left.scheme = &bxt_legendre_left;
	if (!m->why_not) {
		BXT_TRY(bxt_stepper_new(m->s, &m->right, m->state, &m->to[0]));
		BXT_TRY(bxt_stepper_new(m->s, &m->left, m->state, &m->to[1]));
	}
	return make_arrays(m);
}

/* ---- Along the run ---- */

static void keep_largest(double *to, const double *a, const double *b, int n)
{
	for (int c = 0; c < n; c++) {
		const double off = fabs(a[c] - (b ? b[c] : 0));
		to[c] = off > to[c] || !isfinite(off) ? off : to[c];
	}
}

/* p_j = gamma^- - A(q_j)^T l, where l are the impulses of the only stage */
static void subtract_impulses(struct theory *m, double *start)
{
	static const bxt_weights minus = {{{[BXT_K] = -1}, {[BXT_K] = -1}}};
	bxt_evaluator *e = m->near->evaluator;
	if (m->s->m == 0)
		return;
	bxt_evaluator_set_time(e, bxt_stepper_time(m->st, 0));
	bxt_evaluate(e, BXT_SET_CONSTRAINT, (bxt_point){m->q, m->st->x, e->time[0]}, &minus, start,
		     NULL);
}

/* Compares gamma^- and gamma^+ with the momenta of the run, each row relative to its terms. */
static void judge_momenta(struct theory *m)
{
	const bxt_system *s = m->s;
	double *start = m->dp;
	memcpy(start, m->at->start, (size_t)s->size * sizeof *start);
	subtract_impulses(m, start);
	double largest = 0;
	for (int c = 0; c < s->n; c++)
		largest = fmax(largest, m->r_abs[c]);
	for (int c = 0; c < s->n; c++) {
		/*
		 * r_abs does not contain terms that cancel inside an element's expression. The
		 * residual that Newton's method leaves there is not checked, up to the round-off of
		 * other rows
		 */
		double open = 0;
		for (int i = 0; i < m->at->mixture.of[0].s; i++)
			open += fabs(m->r[(size_t)i * (size_t)s->size + (size_t)c]);
		if (fabs(start[c] - m->p[c]) <= fmin(2 * open, ROUND_OFF * largest))
			start[c] = m->p[c];
	}
	keep_largest(m->off[0], start, m->p, s->n);
	keep_largest(m->off[1], m->at->end, m->state->p, s->n);
	keep_largest(m->size_p, m->r_abs, NULL, s->n);
	keep_largest(m->size_q, m->q_end, NULL, s->n);
	keep_largest(m->size_v, m->flows, NULL, s->n);
}

/* (q_{j-1}, q_j) to q_{j+1}: a step from (q_j, gamma^+(q_{j-1}, q_j)). */
static bxt_status judge_flow(struct theory *m)
{
	const bxt_system *s = m->s;
	const size_t bytes = (size_t)s->size * sizeof(double);
	bxt_state *from = m->other;
	if (m->steps > 0) {
		memcpy(from->q, m->q, bytes);
		memcpy(from->p, m->momentum, bytes);
		memcpy(from->x, m->flows, bytes);
		/*
		 * a displaced guess, so that the solution has to be found. It is not
		 * displaced if flows may be nearly undetermined, such as those of blocked diodes
		 */
		double off = s->m > 0 ? OFF * OFF : OFF;
		for (int c = 0; c < s->n; c++)
			off = s->pinned[c] ? 0 : off;
		for (int c = 0; c < s->n; c++)
			from->x[c] += (c % 2 ? -off : off) * m->unit_q[c] / m->h;
		from->t = m->t;
		from->h = m->h;
		BXT_TRY(bxt_stepper_solve(m->again, from, m->h));
		bxt_legendre_next(m->near, m->q, m->again->x, m->h, m->dq);
		keep_largest(m->off[2], m->dq, m->q_end, s->n);
	}
	memcpy(m->momentum, m->at->end, bytes);
	return BXT_OK;
}

/* ---- Functions of pairs ---- */

static void note_figure(struct theory *m, int what, double off, double size)
{
	const double figure = off == 0 ? 0 : size > 0 ? fabs(off) / size : INFINITY;
	if (figure > m->figure[what] || isnan(figure))
		m->figure[what] = figure;
}

/* Compares (f(+) - f(-))/(2 DELTA) with the expected value, relative to the terms of both. */
static void note_slope(struct theory *m, int what, const double *f, double terms, double expected,
		       double size)
{
	note_figure(m, what, (f[0] - f[1]) / (2 * DELTA) - expected, size + terms);
}

/* H_d+(q_j, p) = p q_{j+1} - L_d, or H_d-(q_{j+1}, p) = -p q_j - L_d, at solved flows. */
static double hamiltonian(struct theory *m, bool left, const double *q, const double *p,
			  const double *flows, double *terms)
{
	bxt_legendre *l = m->near;
	double *from = m->r, *to = m->r_abs;
	if (left) { /* q is the end: goes back to the start */
		bxt_legendre_next(l, q, flows, -m->h, from);
		bxt_legendre_at(l, from, flows, m->t, m->h);
	} else {
		bxt_legendre_at(l, q, flows, m->t, m->h);
		bxt_legendre_next(l, q, flows, m->h, to);
	}
	*terms = l->action_size;
	const double product = bxt_verify_dot(m->s->n, p, left ? from : to, terms);
	return (left ? -product : product) - l->action;
}

/*
 * The flows of the step with a given end and a given momentum at the other end, from displaced
 * flows.
 */
static bxt_status solve_for(struct theory *m, bool left, const double *q, const double *p,
			    double *flows)
{
	const bxt_system *s = m->s;
	const size_t size = (size_t)s->size;
	const int n_flows = m->at->mixture.of[0].s;
	bxt_stepper *to = m->to[left];
	bxt_state *from = m->other;
	memcpy(from->q, q, size * sizeof *q);
	memcpy(from->p, p, size * sizeof *p);
	memcpy(from->x, m->flows, size * sizeof *m->flows);
	for (int c = 0; c < s->n; c++)
		from->x[c] += (c % 2 ? -OFF : OFF) * m->unit_q[c] / m->h;
	from->t = left ? m->t + m->h : m->t;
	from->h = left ? -m->h : m->h;
	BXT_TRY(bxt_stepper_solve(to, from, from->h));
	for (int i = 0; i < n_flows; i++) /* seen from the end, the nodes have the reverse order */
		memcpy(flows + (size_t)i * size, bxt_stepper_stage(to, left ? n_flows - 1 - i : i),
		       size * sizeof *flows);
	return BXT_OK;
}

/* A random direction in q and p, or in q and the flows, scaled by units. */
static void random_direction(struct theory *m)
{
	const size_t size = (size_t)m->s->size;
	for (int c = 0; c < m->s->n; c++) {
		m->dq[c] = m->unit_q[c] * bxt_random_number(&m->v->seed);
		m->dp[c] = m->unit_p[c] * bxt_random_number(&m->v->seed);
		for (int i = 0; i < m->at->mixture.of[0].s; i++)
			m->dv[(size_t)i * size + (size_t)c] =
				m->unit_v[c] * bxt_random_number(&m->v->seed);
	}
}

/* dL_d = p_{j+1} dq_{j+1} - p_j dq_j - the work of forces, in a random direction. */
static void judge_action(struct theory *m)
{
	const size_t n = stages_of(m), size = (size_t)m->s->size;
	double f[2], terms = 0, sum = 0;
	random_direction(m);
	for (int side = 0; side < 2; side++) {
		const double d = side ? -DELTA : DELTA;
		memcpy(m->r, m->q, size * sizeof *m->r);
		memcpy(m->side[side], m->flows, n * sizeof(double));
		bxt_add_scaled(m->s->n, d, m->dq, m->r);
		bxt_add_scaled((int)n, d, m->dv, m->side[side]);
		bxt_legendre_at(m->near, m->r, m->side[side], m->t, m->h);
		f[side] = m->near->action;
		terms = fmax(terms, m->near->action_size);
	}
	bxt_legendre_next(m->at, m->dq, m->dv, m->h, m->r);
	double work_size, expected = bxt_verify_dot(m->s->n, m->at->end, m->r, &sum);
	expected -= bxt_verify_dot(m->s->n, m->at->start, m->dq, &sum);
	expected -= bxt_legendre_work(m->at, m->dq, m->dv, m->h, &work_size);
	note_slope(m, D_ACTION, f, terms, expected, sum + work_size);
}

/* The derivative of H_d+ or H_d- with respect to its coordinates or its momenta. */
static bxt_status judge_slope(struct theory *m, bool left, bool by_momentum)
{
	const bxt_system *s = m->s;
	const size_t n = stages_of(m), size = (size_t)s->size;
	/* the given end and the other end, the given momentum */
	const double *q = left ? m->q_end : m->q, *p = left ? m->at->start : m->at->end;
	const double *other_q = left ? m->q : m->q_end;
	const double *other_p = left ? m->at->end : m->at->start;
	double *q_moved = m->momentum, *p_moved = m->dv, f[2], terms = 0, more, sum = 0;
	random_direction(m);
	for (int side = 0; side < 2; side++) {
		const double d = side ? -DELTA : DELTA;
		memcpy(q_moved, q, size * sizeof *q);
		memcpy(p_moved, p, size * sizeof *p);
		bxt_add_scaled(s->n, d, by_momentum ? m->dp : m->dq,
			       by_momentum ? p_moved : q_moved);
		BXT_TRY(solve_for(m, left, q_moved, p_moved, m->side[side]));
		f[side] = hamiltonian(m, left, q_moved, p_moved, m->side[side], &more);
		terms = fmax(terms, more);
	}
	for (size_t c = 0; c < n; c++)
		m->dv[c] = (m->side[0][c] - m->side[1][c]) / (2 * DELTA);
	const double *dq = by_momentum ? m->zero : m->dq;
	if (left) { /* of q_j, when q_{j+1} varies by dq */
		bxt_legendre_next(m->at, dq, m->dv, -m->h, m->r);
		dq = m->r;
	}
	double expected = by_momentum ? bxt_verify_dot(m->s->n, other_q, m->dp, &sum)
				      : bxt_verify_dot(m->s->n, other_p, m->dq, &sum);
	expected = (left ? -expected : expected) + bxt_legendre_work(m->at, dq, m->dv, m->h, &more);
	note_slope(m,
		   left ? (by_momentum ? D2_LEFT : D1_LEFT) : (by_momentum ? D2_RIGHT : D1_RIGHT),
		   f, terms, expected, sum + more);
	return BXT_OK;
}

/* Checks (123a), (123b) with Hamiltonians from their own Legendre transforms, and (48), (49). */
static bxt_status judge_hamiltonians(struct theory *m)
{
	for (int left = 0; left < 2; left++) {
		const double *q = left ? m->q_end : m->q, *p = left ? m->at->start : m->at->end;
		double size = m->at->action_size, terms;
		BXT_TRY(solve_for(m, left, q, p, m->side[0]));
		const double H = hamiltonian(m, left, q, p, m->side[0], &terms);
		const double product = bxt_verify_dot(m->s->n, p, left ? m->q : m->q_end, &size);
		note_figure(m, left ? LEFT : RIGHT, m->at->action + (left ? product : -product) + H,
			    size + terms);
		BXT_TRY(judge_slope(m, left, false));
		BXT_TRY(judge_slope(m, left, true));
	}
	return BXT_OK;
}

static bxt_status judge_functions(struct theory *m)
{
	const bxt_system *s = m->s;
	BXT_TRY(bxt_verify_sizes(s, m->size_q, m->unit_q));
	BXT_TRY(bxt_verify_sizes(s, m->size_p, m->unit_p));
	BXT_TRY(bxt_verify_sizes(s, m->size_v, m->unit_v));
	for (int c = 0; c < s->n; c++)
		if (bxt_verify_is_number(s, c))
			m->unit_q[c] = fmax(m->unit_q[c], 0.1);
	judge_action(m);
	m->judged++;
	if (m->why_not)
		return BXT_OK;
	/* this uses scratch of the flow on Q x Q */
	memcpy(m->p, m->momentum, (size_t)s->size * sizeof *m->p);
	const bxt_status status = judge_hamiltonians(m);
	memcpy(m->momentum, m->p, (size_t)s->size * sizeof *m->p);
	if (status >= BXT_ERR_SINGULAR) {
		m->why_not = "the Legendre transforms could not be solved";
		return BXT_OK;
	}
	return status;
}

/* ---- The run ---- */

/* Checks a solved step to the time t_next. */
static bxt_status judge_step(struct theory *m, double t_next, bool sampled)
{
	const size_t bytes = (size_t)m->s->size * sizeof(double);
	memcpy(m->q, m->state->q, bytes);
	memcpy(m->p, m->state->p, bytes);
	memcpy(m->flows, m->st->x, (size_t)m->st->n_x * sizeof *m->flows);
	bxt_stepper_residual(m->st, m->st->x, m->r, m->r_abs);
	m->t = m->state->t;
	BXT_TRY(bxt_stepper_advance(m->st, m->state, t_next));
	memcpy(m->q_end, m->state->q, bytes);
	bxt_legendre_at(m->at, m->q, m->flows, m->t, m->h);
	m->action += m->at->action;
	judge_momenta(m);
	BXT_TRY(judge_flow(m));
	m->steps++;
	return sampled ? judge_functions(m) : BXT_OK;
}

struct judged_step {
	struct theory *m;
	bool sampled; /* functions are differentiated at the first part of the step */
};

static bxt_status solve_judged(void *context, double h)
{
	struct theory *m = ((struct judged_step *)context)->m;
	m->h = h;
	return bxt_stepper_solve(m->st, m->state, h);
}

static bxt_status accept_judged(void *context, double h, double t_next)
{
	struct judged_step *w = context;
	const bool sampled = w->sampled;
	(void)h;
	w->sampled = false;
	return judge_step(w->m, t_next, sampled);
}

/* One step, halved if it does not converge, as in a run: L_d then has a smaller h. */
static bxt_status step_over(struct theory *m, double h, double t_next, bool sampled)
{
	struct judged_step judged = {m, sampled};
	const bxt_halving step = {.solve = solve_judged,
				  .accept = accept_judged,
				  .context = &judged,
				  .state = m->state,
				  .never = m->s->affine};
	return bxt_step_in_halves(&step, h, t_next);
}

static bxt_status follow(struct theory *m, const bxt_run_def *run, bxt_diagnostics *d)
{
	const double t0 = m->state->t, h = m->run.step;
	const long n = (long)floor((m->run.end - t0) / h + PART_OF_STEP);
	const long every = (n + MAX_SAMPLES - 1) / MAX_SAMPLES;
	double last = bxt_clock_seconds();
	for (long j = 0; j < n; j++) {
		const bxt_status status = step_over(m, h, t0 + (double)(j + 1) * h, j % every == 0);
		if (status >= BXT_ERR_SINGULAR)
			bxt_stepper_report_failure(m->st, status, m->state->t, d);
		BXT_TRY(status);
		const double now = run->progress ? bxt_clock_seconds() : 0;
		if (run->progress && now - last > 0.05) {
			last = now;
			if (!run->progress(run->progress_context, (double)(j + 1) / (double)n))
				return BXT_ERR_INTERRUPTED;
		}
	}
	return BXT_OK;
}

/* ---- The report ---- */

/* The largest off[c] relative to the size of its unit. */
static bxt_status report_along(struct theory *m, bxt_check check, const double *off,
			       const double *size, const char *what)
{
	const bxt_system *s = m->s;
	bxt_checks *c = &m->v->checks;
	bxt_buffer words = {0};
	double worst = 0;
	int at = -1;
	BXT_TRY(bxt_verify_sizes(s, size, m->unit_q));
	for (int i = 0; i < s->n; i++) {
		const double figure = off[i] == 0 ? 0 : off[i] / m->unit_q[i];
		if (figure > worst || isnan(figure)) {
			worst = figure;
			at = i;
		}
	}
	const bxt_place place = at < 0 ? BXT_NOWHERE : bxt_system_x_place(s, at);
	bxt_checks_add(c, check, worst, place, "%s%s%s", what, at < 0 ? "" : ", the worst is ",
		       at < 0 ? "" : bxt_system_x_name(s, at, &words));
	bxt_checks_release(c, &words);
	return BXT_OK;
}

static void report_figure(struct theory *m, int what, bxt_check check, const char *text)
{
	bxt_checks *c = &m->v->checks;
	bxt_checks_add(c, check, m->figure[what], BXT_NOWHERE, "%s; %ld of %ld steps", text,
		       m->judged, m->steps);
}

static bxt_status report_figures(struct theory *m)
{
	bxt_checks *c = &m->v->checks;
	bxt_checks_add(c, BXT_CHECK_HJ_RUN, 0, BXT_NOWHERE,
		       "dirac+ with rule %s, %ld steps of %.9g s: S_d = %.15g J s",
		       m->run.rule->name, m->steps, m->run.step, m->action);
	BXT_TRY(report_along(m, BXT_CHECK_HJ_START, m->off[0], m->size_p,
			     m->s->m ? "-D1 L_d - f^- less the impulses of constraints"
				     : "-D1 L_d - f^-"));
	BXT_TRY(report_along(m, BXT_CHECK_HJ_END, m->off[1], m->size_p, "D2 L_d + f^+"));
	BXT_TRY(report_along(m, BXT_CHECK_HJ_FLOW, m->off[2], m->size_q, "(q_j-1, q_j) to q_j+1"));
	report_figure(m, D_ACTION, BXT_CHECK_HJ_ACTION,
		      "p_j+1 dq_j+1 - p_j dq_j less the work of forces");
	if (m->why_not) {
		bxt_checks_add(c, BXT_CHECK_HJ_NOT_JUDGED, 0, BXT_NOWHERE, "not judged: %s",
			       m->why_not);
		return BXT_OK;
	}
	report_figure(m, RIGHT, BXT_CHECK_HJ_RIGHT, "S_d and H_d+(q_j, gamma^+)");
	report_figure(m, LEFT, BXT_CHECK_HJ_LEFT, "S_d and H_d-(q_j+1, gamma^-)");
	report_figure(m, D2_RIGHT, BXT_CHECK_HAMILTON_48A, "D2 H_d+");
	report_figure(m, D1_RIGHT, BXT_CHECK_HAMILTON_48B, "D1 H_d+");
	report_figure(m, D2_LEFT, BXT_CHECK_HAMILTON_49A, "D2 H_d-");
	report_figure(m, D1_LEFT, BXT_CHECK_HAMILTON_49B, "D1 H_d-");
	return BXT_OK;
}

/*
 * With several flows a step has impulses at its inner nodes, so L_d is no function of its ends
 * alone.
 */
static bool refuse_model(struct theory *m)
{
	if (m->run.rule->taylor) {
		bxt_checks_add(&m->v->checks, BXT_CHECK_HJ_RUN, 0, BXT_NOWHERE,
			       "not judged: rule %s makes L_d of accelerations as well",
			       m->run.rule->name);
		return true;
	}
	if (m->s->m == 0 || m->run.rule->degree == 1)
		return false;
	bxt_checks_add(&m->v->checks, BXT_CHECK_HJ_RUN, 0, BXT_NOWHERE,
		       "not judged: with rule %s constraints have impulses at internal nodes",
		       m->run.rule->name);
	return true;
}

static bxt_status prepare_theory(struct theory *m, const bxt_verify_def *def, bxt_diagnostics *d)
{
	bxt_run_def run = def->run;
	run.scheme = bxt_scheme_dirac_plus.name;
	BXT_TRY(bxt_settings_resolve(m->s, &run, d, &m->run));
	/* findings about the start have been reported already, except for another scheme */
	bxt_diagnostics *own = bxt_diagnostics_new();
	if (!own)
		return BXT_ERR_MEMORY;
	bxt_status status = bxt_initialize(m->s, &run, own, &m->state);
	bxt_diagnostics_free(own);
	return status == BXT_OK ? BXT_OK : bxt_initialize(m->s, &run, d, &m->state);
}

bxt_status bxt_verify_hamilton_jacobi(bxt_verifier *v, const bxt_verify_def *def,
				      bxt_diagnostics *d)
{
	struct theory m = {.v = v, .s = v->s, .arena = bxt_arena_new()};
	bxt_status status = m.arena ? prepare_theory(&m, def, d) : BXT_ERR_MEMORY;
	if (status == BXT_OK && !refuse_model(&m)) {
		status = make_theory(&m);
		if (status == BXT_OK)
			status = follow(&m, &def->run, d);
		if (status == BXT_OK)
			status = report_figures(&m);
	}
	bxt_stepper_free(m.st);
	bxt_stepper_free(m.again);
	bxt_stepper_free(m.to[0]);
	bxt_stepper_free(m.to[1]);
	bxt_legendre_free(m.at);
	bxt_legendre_free(m.near);
	bxt_state_free(m.state);
	bxt_state_free(m.other);
	bxt_arena_free(m.arena);
	return status;
}
