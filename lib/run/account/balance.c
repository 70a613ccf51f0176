/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures of the balance r = E - E(0) - supplied - through + dissipated - projection:
 *
 *     residual  |r| at the end / (sum_c max_t |E_c - E_c(0)| + sum_c |supplied_c|
 *                                 + sum_i max_t |T_i - T_i(0)|) ,   T_i = p_i v_i / 2 ,
 *     trend     |mean of r in the second half - in the first| / its scatter within the halves ,
 *
 * c being elements and i coordinates with inertia: totals only would mislead if one element stores
 * what another loses, and elements only if one element holds all of a model. The trend of an
 * oscillating residual is small, since the means of both halves differ little compared with the
 * scatter. That of a linearly growing residual is 2 sqrt(3).
 */
#include "run/account/balance.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* |residual| relative to the exchanged energy: above COARSE there is a note, above WRONG an error,
 * since the residual exceeds the exchanged energy itself. */
static const double COARSE = 1e-2, WRONG = 1;
/* |residual| relative to the largest energy of any part, below which it is round-off of sums. */
static const double ROUND_OFF = 1e-9;

bxt_status bxt_balance_new(bxt_ledger *ledger, long steps, bxt_balance **out)
{
	bxt_balance *b = *out = calloc(1, sizeof *b);
	if (!b)
		return BXT_ERR_MEMORY;
	b->ledger = ledger;
	b->every = steps > 0 ? 1 + (steps - 1) / BXT_BALANCE_SAMPLES : 1;
	b->arena = bxt_arena_new();
	b->moved = b->arena ? BXT_NEW(b->arena, double, ledger->system->net->n_elements) : NULL;
	if (b->moved) {
		b->motion = BXT_NEW(b->arena, double, (size_t)ledger->system->size);
		b->motion_start = BXT_NEW(b->arena, double, (size_t)ledger->system->size);
	}
	if (!b->moved || !b->motion || !b->motion_start)
		*out = bxt_balance_free(b);
	return *out ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_balance *bxt_balance_free(bxt_balance *b)
{
	if (b)
		bxt_arena_free(b->arena);
	free(b);
	return NULL;
}

/* Updates max |E_c - E_c(0)| and max |T_i - T_i(0)| from the last values of the ledger. */
static void follow(bxt_balance *b, const bxt_state *state)
{
	const bxt_ledger *m = b->ledger;
	for (size_t i = 0; i < m->system->net->n_elements; i++)
		b->moved[i] = fmax(b->moved[i], fabs(m->energy[i] - m->energy_start[i]));
	for (int i = 0; i < m->system->n; i++) {
		const double motion = m->system->pinned[i] ? 0 : state->p[i] * m->v[i] / 2;
		if (b->n == 0) /* the first sample stands for the start */
			b->motion_start[i] = motion;
		b->motion[i] = fmax(b->motion[i], fabs(motion - b->motion_start[i]));
	}
}

/* Keeps every other sample, those at multiples of the new interval. */
static void thin_out(bxt_balance *b)
{
	for (int i = 1; i < b->n; i += 2)
		b->residual[i / 2] = b->residual[i];
	b->n /= 2;
	b->every *= 2;
}

void bxt_balance_step(bxt_balance *b, const bxt_state *state, long k)
{
	bxt_ledger *m = b->ledger;
	if (k % b->every != 0)
		return;
	if (b->n == BXT_BALANCE_SAMPLES) /* the run is longer than expected */
		thin_out(b);
	if (k % b->every != 0)
		return;
	if (bxt_ledger_grid(m, state) != BXT_OK)
		return; /* a row or the summary reports it */
	follow(b, state);
	b->residual[b->n++] = m->total_energy - m->total_start - bxt_ledger_total(m, m->supplied) +
			      bxt_ledger_total(m, m->dissipated) - m->projection;
}

static double mean(const double *x, int n)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += x[i];
	return sum / n;
}

static double squares(const double *x, int n, double middle)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += (x[i] - middle) * (x[i] - middle);
	return sum;
}

/* Returns the trend of the residual; NaN: too few samples, or only round-off. */
static double trend(const bxt_balance *b, double scale)
{
	enum { FEWEST = 16 };
	const int half = b->n / 2, first = b->n - half;
	const double *r = b->residual, *s = b->residual + first;
	if (b->n < FEWEST)
		return NAN;
	const double one = mean(r, half), two = mean(s, half);
	const double scatter = sqrt((squares(r, half, one) + squares(s, half, two)) / (2 * half));
	double most = 0;
	for (int i = 0; i < b->n; i++)
		most = fmax(most, fabs(r[i]));
	return most > ROUND_OFF * scale && scatter > 0 ? fabs(two - one) / scatter : NAN;
}

static void add(double part, double *sum, double *largest)
{
	*sum += part;
	*largest = fmax(*largest, part);
}

/* Returns the energy exchanged by all parts, and the largest exchange of one part. */
static double exchange(const bxt_balance *b, double *largest)
{
	const bxt_ledger *m = b->ledger;
	double sum = 0;
	for (size_t i = 0; i < m->system->net->n_elements; i++) {
		add(fmax(b->moved[i], fabs(m->energy[i] - m->energy_start[i])), &sum, largest);
		add(fabs(m->supplied[i]), &sum, largest);
	}
	for (int i = 0; i < m->system->n; i++)
		add(b->motion[i], &sum, largest);
	return sum;
}

void bxt_balance_report(const bxt_balance *b, bxt_summary *summary, bxt_diagnostics *d)
{
	const bxt_ledger *m = b->ledger;
	const bxt_ledger_entry *total = &summary->total;
	bxt_trust_figures *out = &summary->trust;
	double largest = 0;
	const double exchanged = exchange(b, &largest);
	out->samples = b->n;
	out->trend = trend(b, fmax(m->largest, exchanged));
	out->residual = exchanged > 0 ? fabs(total->residual) / exchanged : 0;
	if (!isfinite(total->end) || !isfinite(total->residual)) {
		bxt_error(d, BXT_NOWHERE,
			  "the energy at the end is not finite: the run has blown up");
		out->errors++;
		return;
	}
	/* if one part holds all energy, its gain is the residual itself, which gives no scale */
	if (exchanged - largest <= COARSE * fabs(total->residual))
		return;
	if (out->residual <= COARSE || fabs(total->residual) <= ROUND_OFF * m->largest)
		return;
	const bool wrong = out->residual > WRONG;
	bxt_report(d, wrong ? BXT_ERROR : BXT_NOTE, BXT_NOWHERE,
		   "the energy balance is off by %.2g J, %.2g of what was exchanged: %s",
		   total->residual, out->residual,
		   wrong ? "the result is wrong" : "a shorter step is more exact");
	out->notes += !wrong;
	out->errors += wrong;
}

void bxt_balance_keep(bxt_balance *b, bxt_account *account)
{
	const bxt_system *s = b->ledger->system;
	BXT_KEEP_ARRAY(account, b->moved, s->net->n_elements);
	BXT_KEEP_ARRAY(account, b->motion, s->n);
	BXT_KEEP_ARRAY(account, b->motion_start, s->n);
	BXT_KEEP(account, b->residual);
	bxt_account_within(account, &b->n, 0, BXT_BALANCE_SAMPLES, 0);
	bxt_account_count(account, &b->every);
	b->every = b->every > 0 ? b->every : 1;
}
