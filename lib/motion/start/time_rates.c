/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals along their tangents (time_rates.h). */
#include "motion/start/time_rates.h"

#include <math.h>
#include <string.h>

static bxt_status compile_slopes(bxt_arena *arena, bxt_time_rates *r)
{
	const bxt_network *net = r->system->net;
	const int n = net->timed.n, t = 0;
	bxt_ex *f = BXT_NEW(arena, bxt_ex, 2 * (size_t)n);
	bxt_graph *g = bxt_graph_new();
	bxt_status status = f && g ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		memcpy(f, net->timed.expression, (size_t)n * sizeof *f);
		status = bxt_ex_copy(g, net->timed.graph, f, n);
	}
	for (int i = 0; status == BXT_OK && i < n; i++)
		bxt_ex_gradient(g, f[i], &t, 1, &f[n + i]);
	if (status == BXT_OK &&
	    (bxt_graph_failed(g) || !(r->slopes = bxt_tape_compile(g, f + n, n))))
		status = BXT_ERR_MEMORY;
	bxt_graph_free(g);
	return status;
}

static bxt_status make(bxt_arena *arena, bxt_time_rates *r)
{
	const size_t n = (size_t)r->system->net->timed.n;
	BXT_TRY(compile_slopes(arena, r));
	r->signal = BXT_NEW(arena, double, n + 1);
	r->slope = BXT_NEW(arena, double, n + 1);
	r->work = BXT_NEW(arena, double, bxt_tape_work(r->slopes) + 16);
	r->evaluator = bxt_evaluator_new(r->system);
	r->in = BXT_NEW(arena, const double *, bxt_inputs_variables(r->system->inputs));
	if (!r->in)
		return BXT_ERR_MEMORY;
	bxt_inputs_offer(r->system->inputs, r->time, r->in);
	return r->signal && r->slope && r->work && r->evaluator ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_time_rates_new(bxt_arena *arena, const bxt_system *s, bxt_time_rates **out)
{
	*out = NULL;
	if (s->net->timed.n == 0)
		return BXT_OK;
	bxt_time_rates *r = BXT_NEW(arena, bxt_time_rates, 1);
	if (!r)
		return BXT_ERR_MEMORY;
	r->system = s;
	const bxt_status status = make(arena, r);
	if (status == BXT_OK)
		*out = r;
	else
		bxt_time_rates_release(r);
	return status;
}

void bxt_time_rates_release(bxt_time_rates *r)
{
	if (r) {
		r->evaluator = bxt_evaluator_free(r->evaluator);
		r->slopes = bxt_tape_free(r->slopes);
	}
}

double bxt_slope_after(double half, double after)
{
	/* Relative difference of the two slopes above which there is no slope. Powers t^a have none
	 * for a below about 0.998; smooth slopes change less over this distance. */
	static const double SETTLED = 1e-3;
	return fabs(after - half) <= SETTLED * fabs(after) ? after : 0;
}

static void run_slopes(bxt_time_rates *r, double t)
{
	for (int l = 0; l < BXT_LANES; l++)
		r->time[l] = t;
	bxt_tape_run(r->slopes, r->in, r->work);
}

/* Signals at t, and their slopes right after it. */
static void look(bxt_time_rates *r, double t, double after)
{
	const int n = r->system->net->timed.n;
	bxt_evaluator *e = r->evaluator;
	e->has_time = false;
	bxt_evaluator_set_time(e, t);
	run_slopes(r, t + (after - t) / 2);
	for (int k = 0; k < n; k++) {
		r->signal[k] = e->signal[k];
		r->slope[k] = *bxt_tape_result(r->slopes, k, r->in, r->work);
	}
	run_slopes(r, after);
	for (int k = 0; k < n; k++)
		r->slope[k] = bxt_slope_after(r->slope[k],
					      *bxt_tape_result(r->slopes, k, r->in, r->work));
}

void bxt_time_rates_move(bxt_time_rates *r, double t, double after, double d)
{
	const bxt_system *s = r->system;
	bxt_evaluator *e = r->evaluator;
	if (!r->known || r->now != t || r->inputs != s->inputs->version)
		look(r, t, after);
	r->inputs = s->inputs->version;
	r->known = true;
	r->now = t;
	e->has_time = false; /* the time that is set next has signals of its own */
	for (int l = 0; l < BXT_LANES; l++)
		e->time[l] = t;
	for (int k = 0; k < s->net->timed.n; k++)
		e->signal[k] = r->signal[k] + d * r->slope[k];
	for (int g = 0; g < s->n_groups; g++)
		for (int k = 0; k < s->groups[g].n_signal; k++)
			e->parameter[g][s->groups[g].signal_place[k]] =
				e->signal[s->groups[g].signal[k]];
}
