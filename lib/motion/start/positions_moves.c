/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The consistent start: positions. Rows phi(q,t0) = 0 of position constraints and q_a = q_b of
 * connections between shared ports are closed by moves that are smallest in the inertia's measure,
 *
 *     min 1/2 d^T H d  subject to  A d = -phi ,                A = dphi/dq, H = dP/dv
 *
 * (Gauss-Newton), damped as in Levenberg and Marquardt by slack in the rows,
 *
 *     min 1/2 d^T H d + 1/2 |y|^2  subject to  R (A d + phi) + sqrt(mu) y = 0 ,
 *
 * where R scales row i by its effective inertia, R_i^2 A_i H^-1 A_i^T = 1, so that nothing here
 * depends on units. Where no q closes the rows, the iteration ends at the smallest |R phi|, whose
 * worst rows are reported. A closed mechanism then slides along its rows to the point nearest to
 * its start.
 */
#include "motion/start/positions.h"

#include <math.h>
#include <string.h>

enum { MAX_STEPS = 400, MAX_SLIDES = 50, MAX_SLOW = 5, MAX_HALVINGS = 6, MAX_PARTS = 5 };

/* Damping: first value, last value, and the value below which it is zero. */
static const double FIRST_MU = 1e-6, LAST_MU = 1e14, LEAST_MU = 1e-8;
/* Relative reduction of |R phi|^2 up to which a move counts as slow. */
static const double SLOW = 1e-4;
/* Length of a slide, relative to the whole move, below which sliding ends. */
static const double SLIDE = 1e-8;

/* The active rows. */
static bool all_met(const struct bxt_position_closing *c)
{
	bool met = true;
	for (int i = 0; i < c->r; i++)
		met = met && (!c->active[i] || bxt_closing_is_met(c, i));
	return met;
}

/* ---- Moves ---- */

/* d: the smallest with R (A d - want) + sqrt(mu) y = 0 in the pending mechanisms. */
static bxt_status solve(struct bxt_position_closing *c, const double *want)
{
	c->scaled.count = 0;
	for (size_t k = 0; k < c->g.count; k++) {
		const int i = c->g.row[k];
		if (c->scale[i] > 0 && c->progress.pending[bxt_closing_mechanism(c, i)])
			BXT_TRY(bxt_rows_add(&c->scaled, i, c->g.col[k],
					     c->scale[i] * c->g.value[k]));
	}
	for (int i = 0; i < c->r; i++) {
		const int m = bxt_closing_mechanism(c, i);
		BXT_TRY(bxt_rows_add(&c->scaled, i, c->n + i, sqrt(c->progress.mu[m])));
		c->rhs[i] = c->progress.pending[m] ? c->scale[i] * want[i] : 0;
	}
	c->scaled.r = c->r;
	const bxt_status status =
		bxt_correct(&c->scaled, c->rhs, &c->h, c->held, c->n + c->r, c->d);
	if (status == BXT_ERR_SINGULAR || status == BXT_ERR_NOT_FINITE) { /* no move at all */
		memset(c->d, 0, (size_t)(c->n + c->r) * sizeof *c->d);
		return BXT_OK;
	}
	return status;
}

/*
 * Tries part of the move d from q_before. A mechanism keeps it when |R phi|^2 falls by at least a
 * tenth of the fall that its linearised rows predict; the others go back. False when no mechanism
 * is left pending.
 */
static bool try_part(struct bxt_position_closing *c, double part)
{
	double *q = c->a->q;
	bool left = false;
	bxt_closing_multiply(c, c->d);
	for (int i = 0; i < c->r; i++) /* phi is negated here */
		c->change[i] = part * c->change[i] - c->phi[i];
	bxt_closing_misfit(c, c->change, c->progress.promised);
	for (int j = 0; j < c->n; j++)
		if (c->progress.pending[bxt_sets_find(c->set, j)])
			q[j] = c->q_before[j] + part * c->d[j];
	bxt_closing_evaluate(c, q, c->change);
	bxt_closing_misfit(c, c->change, c->progress.now);
	for (int m = 0; m < c->n + c->r; m++) {
		const double fallen = c->progress.old[m] - c->progress.now[m];
		if (!c->progress.pending[m])
			continue;
		c->progress.gain[m] = fallen / c->progress.old[m];
		c->progress.pending[m] = !(fallen > 0 && fallen >= 0.1 * (c->progress.old[m] -
									  c->progress.promised[m]));
		left = left || c->progress.pending[m];
	}
	for (int j = 0; j < c->n && left; j++)
		if (c->progress.pending[bxt_sets_find(c->set, j)])
			q[j] = c->q_before[j];
	return left;
}

/* Sets c->pending: the mechanisms still to be moved. False when there is none. */
static bool choose_pending(struct bxt_position_closing *c)
{
	bool any = false;
	bxt_closing_misfit(c, c->phi, c->progress.old);
	memset(c->progress.pending, 0, (size_t)(c->n + c->r) * sizeof *c->progress.pending);
	for (int i = 0; i < c->r; i++) {
		const int m = bxt_closing_mechanism(c, i);
		if (c->active[i] && !c->progress.done[m] && c->progress.old[m] > 0 &&
		    !bxt_closing_is_round_off(c, i))
			any = c->progress.pending[m] = true;
	}
	return any;
}

/* Raises the damping of pending mechanisms; ends those that the largest damping does not
 * improve. */
static bool damp(struct bxt_position_closing *c)
{
	bool any = false;
	for (int m = 0; m < c->n + c->r; m++)
		c->progress.worth[m] = false;
	for (int i = 0; i < c->r; i++) /* If all rows are met, the remainder is round-off of phi. */
		if (!bxt_closing_is_met(c, i))
			c->progress.worth[bxt_closing_mechanism(c, i)] = true;
	for (int m = 0; m < c->n + c->r; m++) {
		if (!c->progress.pending[m])
			continue;
		c->progress.mu[m] = c->progress.mu[m] > 0 ? 10 * c->progress.mu[m] : FIRST_MU;
		if (c->progress.mu[m] > LAST_MU || !c->progress.worth[m]) {
			c->progress.done[m] = true;
			c->progress.pending[m] = false;
		}
		any = any || c->progress.pending[m];
	}
	return any;
}

/*
 * One move of each pending mechanism. It first tries parts of the undamped move: they follow the
 * flow q' = -A^+ phi, which converges from further away. Damping serves where rows are dependent.
 */
static bxt_status move(struct bxt_position_closing *c)
{
	memcpy(c->q_before, c->a->q, (size_t)c->n * sizeof *c->q_before);
	memcpy(c->progress.moving, c->progress.pending,
	       (size_t)(c->n + c->r) * sizeof *c->progress.moving);
	for (int i = 0; i < c->r; i++)
		c->phi[i] = -c->phi[i];
	do {
		double part = 1;
		BXT_TRY(solve(c, c->phi));
		for (int k = 0; k < MAX_PARTS && try_part(c, part); k++)
			part /= 2;
	} while (damp(c));
	for (int m = 0; m < c->n + c->r; m++) {
		if (!c->progress.moving[m])
			continue;
		c->progress.mu[m] = c->progress.mu[m] / 10 < LEAST_MU ? 0 : c->progress.mu[m] / 10;
		c->progress.slow[m] = c->progress.gain[m] < SLOW ? c->progress.slow[m] + 1 : 0;
		c->progress.done[m] = c->progress.done[m] || c->progress.slow[m] == MAX_SLOW;
	}
	return BXT_OK;
}

/* Closes the active rows by coordinates that are not held. *finite: the rows could be evaluated. */
static bxt_status iterate(struct bxt_position_closing *c, bool *finite)
{
	const size_t all = (size_t)(c->n + c->r);
	memset(c->progress.mu, 0, all * sizeof *c->progress.mu);
	memset(c->progress.slow, 0, all * sizeof *c->progress.slow);
	memset(c->progress.done, 0, all * sizeof *c->progress.done);
	for (int step = 0;; step++) {
		BXT_TRY(bxt_closing_linearize(c));
		*finite = bxt_closing_is_finite(c);
		if (!*finite)
			return BXT_OK;
		bxt_closing_weigh(c);
		if (!choose_pending(c) || step == MAX_STEPS)
			return BXT_OK;
		BXT_TRY(move(c));
	}
}

/*
 * Slides along the rows towards q_start: by the part T of the way back with A T = 0, then closes
 * again. Repeats while the distance falls.
 */
static bxt_status slide(struct bxt_position_closing *c)
{
	struct bxt_start *a = c->a;
	const size_t bytes = (size_t)c->n * sizeof *a->q;
	double *back = a->delta, *kept = a->sizes, part = 1;
	for (int k = 0, halved = 0; k < MAX_SLIDES && halved < MAX_HALVINGS; k++) {
		bool finite;
		for (int j = 0; j < c->n; j++)
			back[j] = c->held[j] ? 0 : c->q_start[j] - a->q[j];
		bxt_closing_multiply(c, back);
		for (int i = 0; i < c->n + c->r; i++) {
			c->progress.pending[i] = true;
			c->progress.mu[i] = 0;
		}
		BXT_TRY(solve(c, c->change));
		const double whole = bxt_closing_length(c, back);
		for (int j = 0; j < c->n; j++)
			back[j] -= c->d[j];
		if (!(bxt_closing_length(c, back) > SLIDE * SLIDE * whole))
			return BXT_OK;
		memcpy(kept, a->q, bytes);
		for (int j = 0; j < c->n; j++)
			a->q[j] += c->held[j] ? 0 : part * back[j];
		BXT_TRY(iterate(c, &finite));
		for (int j = 0; j < c->n; j++)
			back[j] = c->held[j] ? 0 : c->q_start[j] - a->q[j];
		if (finite && all_met(c) && bxt_closing_length(c, back) < whole)
			continue;
		memcpy(a->q, kept, bytes);
		BXT_TRY(bxt_closing_linearize(c));
		bxt_closing_weigh(c);
		part /= 2;
		halved++;
	}
	return BXT_OK;
}

/* ---- Mechanisms ---- */

/* Finds the mechanisms: coordinates and rows that rows or inertia connect, without fixed
 * coordinates. */
static void find_mechanisms(struct bxt_position_closing *c)
{
	const bool *fixed = c->a->fixed;
	bxt_sets_reset(c->set, (size_t)(c->n + c->r));
	for (size_t k = 0; k < c->g.count; k++)
		if (!fixed[c->g.col[k]])
			bxt_sets_join(c->set, c->n + c->g.row[k], c->g.col[k]);
	for (int j = 0; j < c->n; j++)
		for (int k = c->h.colptr[j]; k < c->h.colptr[j + 1]; k++)
			if (!fixed[j] && !fixed[c->h.rowind[k]])
				bxt_sets_join(c->set, j, c->h.rowind[k]);
}

/*
 * Sets bad[mechanism] where a row is not met and counts these rows. If later attempts may move more
 * coordinates, a row without free coordinates counts as met only if it is round-off, because no
 * move of this attempt can change it.
 */
static int find_bad(struct bxt_position_closing *c, bool last)
{
	int count = 0;
	memset(c->progress.bad, 0, (size_t)(c->n + c->r) * sizeof *c->progress.bad);
	for (int i = 0; i < c->r; i++)
		if (!bxt_closing_is_met(c, i) ||
		    (!last && c->active[i] && c->felt[i] == 0 && !bxt_closing_is_round_off(c, i))) {
			c->progress.bad[bxt_closing_mechanism(c, i)] = true;
			count++;
		}
	return count;
}

/* Selects the mechanisms in todo; the others stay unchanged. */
static void turn_to_todo(struct bxt_position_closing *c)
{
	for (int i = 0; i < c->r; i++)
		c->active[i] = c->progress.todo[bxt_sets_find(c->set, c->n + i)];
	for (int j = 0; j < c->n; j++)
		c->held[j] = c->kept[j] || !c->progress.todo[bxt_sets_find(c->set, j)];
}

/* Closes the bad mechanisms by coordinates that are not kept. bad: those still not closed, *count
 * rows.
 */
static bxt_status close_bad(struct bxt_position_closing *c, bool last, int *count)
{
	const int all = c->n + c->r;
	bool finite;
	memcpy(c->progress.todo, c->progress.bad, (size_t)all * sizeof *c->progress.todo);
	turn_to_todo(c);
	BXT_TRY(iterate(c, &finite));
	if (!finite) { /* the cause is unknown; all mechanisms are tried again */
		memcpy(c->progress.bad, c->progress.todo, (size_t)all * sizeof *c->progress.todo);
		return BXT_OK;
	}
	*count = find_bad(c, last);
	for (int m = 0; m < all; m++)
		c->progress.better[m] = c->progress.bad[m] && !c->progress.done[m];
	for (int i = 0; i<all && * count> 0; i++)
		c->progress.todo[i] = c->progress.todo[i] && !c->progress.bad[i];
	if (*count > 0) {
		turn_to_todo(c);
		BXT_TRY(bxt_closing_linearize(c));
		bxt_closing_weigh(c);
	}
	return slide(c);
}

bxt_status bxt_closing_close(struct bxt_position_closing *c, bxt_diagnostics *d, bool *moved)
{
	struct bxt_start *a = c->a;
	int bad = c->r;
	*moved = false;
	bxt_evaluator_set_time(a->e, a->t0);
	bxt_closing_evaluate(c, c->no_flow, c->at_zero); /* at q = 0: the rows' own constants */
	memcpy(c->q_start, a->q, (size_t)c->n * sizeof *a->q);
	memset(c->neutral, 0, (size_t)c->n * sizeof *c->neutral);
	memset(c->progress.bad, true, (size_t)(c->n + c->r) * sizeof *c->progress.bad);
	BXT_TRY(bxt_closing_linearize(c));
	if (!bxt_closing_is_finite(c))
		return bxt_closing_report_not_finite(c, d);
	find_mechanisms(c);
	bxt_closing_widen(c);
	memcpy(c->wide_start, c->wide, (size_t)c->r * sizeof *c->wide);
	bool fine = true;
	for (int i = 0; i < c->r; i++)
		fine = fine && bxt_closing_is_round_off(c, i);
	if (fine)
		return BXT_OK;
	/* unwritten values; written ones that carry no inertia; all but fixed ones */
	for (int may = 0; may < 3 && bad > 0; may++) {
		for (int j = 0; j < c->n; j++) {
			if (c->progress.bad[bxt_sets_find(c->set, j)]) /* from the start again */
				a->q[j] = c->q_start[j];
			c->kept[j] = a->fixed[j] ||
				     (a->held_q[j] && (may == 0 || (may == 1 && !c->massless[j])));
		}
		BXT_TRY(close_bad(c, may == 2, &bad));
	}
	if (bad > 0)
		return bxt_closing_report(c, d);
	bxt_start_settle(a->s, c->q_start, a->q);
	for (int j = 0; j < c->n; j++) {
		*moved = *moved || a->q[j] != c->q_start[j];
		a->telling[j] = a->telling[j] || a->q[j] != c->q_start[j];
	}
	return BXT_OK;
}
