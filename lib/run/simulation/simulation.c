/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The simulation as an object that its owner steps. */
#include "run/simulation/state_events.h"

#include "ground/base/time.h"
#include "model/netlist/setting_members.h"
#include "run/initial/initialize.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Findings: parts keep the list of the simulation, callers bring one of their own ---- */

/* Passes the findings to the caller, and returns the status. */
static bxt_status tell(const bxt_simulation *m, bxt_diagnostics *d, bxt_status status)
{
	bxt_diagnostics_move(m->d, d);
	return status;
}

/* ---- Making ---- */

/* Returns a copy of a list of texts; sets *failed when out of memory. */
static const char *const *copy_list(bxt_arena *arena, const char *const *from, size_t n,
				    bool *failed)
{
	const char **to = BXT_NEW(arena, const char *, n);
	for (size_t i = 0; i < n && to; i++)
		*failed = !(to[i] = bxt_arena_strdup(arena, from[i])) || *failed;
	*failed = *failed || !to;
	return to;
}

/* Copies the settings with their texts, which the caller may free. */
static bxt_status copy_def(bxt_arena *arena, const bxt_run_def *from, bxt_run_def *to)
{
	bool failed = false;
	*to = *from;
	for (int i = 0; i < BXT_RUN_DEF_MEMBERS; i++) {
		const bxt_member *field = &bxt_run_def_members[i];
		const char **text = (const char **)((char *)to + field->offset);
		if (field->type == BXT_MEMBER_TEXT && *text)
			failed = !(*text = bxt_arena_strdup(arena, *text)) || failed;
	}
	to->record_also = copy_list(arena, from->record_also, from->n_record_also, &failed);
	to->plugins = copy_list(arena, from->plugins, from->n_plugins, &failed);
	to->progress = NULL; /* the owner makes each step itself */
	to->save = NULL;
	return failed ? BXT_ERR_MEMORY : BXT_OK;
}

/* A time of the netlist's <simulation>, 0: not written. */
static double written_time(const bxt_system *s, const char *name)
{
	for (size_t i = 0; i < s->net->simulation.n_settings; i++)
		if (strcmp(s->net->simulation.settings[i].name, name) == 0)
			return s->net->simulation.settings[i].number;
	return 0;
}

/* If no end is given, it is a fixed number of steps away; only the checks of the start need it. */
static bxt_status resolve(bxt_simulation *m)
{
	static const double STEPS = 1000;
	const double step = m->def.step != 0 ? m->def.step : written_time(m->base, "step");
	if (m->def.end == 0 && written_time(m->base, "end") == 0)
		m->def.end = STEPS * step;
	BXT_TRY(bxt_settings_resolve(m->base, &m->def, m->d, &m->settings));
	m->settings.at_start = m->at_start;
	if (!m->settings.reversible)
		return BXT_OK;
	bxt_error(m->d, BXT_NOWHERE,
		  "reversible steps are those of a whole run: a simulation that is stepped from "
		  "outside has steps of one size, or a tolerance");
	return BXT_ERR_MODEL;
}

/* Computes the consistent start with the present inputs and parameters, and makes new machinery. */
static bxt_status start(bxt_simulation *m)
{
	bxt_state *state = bxt_state_new(m->s);
	if (!state)
		return BXT_ERR_MEMORY;
	bxt_status status = m->state ? bxt_simulation_keep_outside(m, state) : BXT_OK;
	if (status == BXT_OK)
		status = bxt_state_start(m->s, &m->settings, state, m->d);
	if (status != BXT_OK) {
		bxt_state_free(state);
		return status;
	}
	return bxt_simulation_replace(m, state, false);
}

static bxt_status make(bxt_simulation *m, const bxt_run_def *def, const bxt_state *state,
		       const bxt_simulation *like)
{
	BXT_TRY(copy_def(m->arena, def, &m->def));
	BXT_TRY(resolve(m));
	for (size_t i = 0; like && i < like->controllers.n; i++)
		BXT_TRY(bxt_controllers_add(m, &like->controllers.of[i]->def));
	if (!state)
		return start(m);
	bxt_state *copy = bxt_state_copy(state, m->s);
	return copy ? bxt_simulation_replace(m, copy, copy->account != NULL) : BXT_ERR_MEMORY;
}

static bxt_status create(const bxt_system *system, const bxt_run_def *def, const bxt_state *state,
			 const bxt_simulation *like, bool at_start, bxt_diagnostics *d,
			 bxt_simulation **out)
{
	*out = NULL;
	bxt_simulation *m = calloc(1, sizeof *m);
	if (!m)
		return BXT_ERR_MEMORY;
	m->base = m->s = system;
	m->at_start = at_start;
	m->sink.size = sizeof m->sink;
	m->arena = bxt_arena_new();
	m->d = bxt_diagnostics_new();
	bxt_status status = m->arena && m->d ? make(m, def, state, like) : BXT_ERR_MEMORY;
	tell(m, d, status);
	*out = status == BXT_OK ? m : bxt_simulation_free(m);
	return status;
}

bxt_status bxt_simulation_make(const bxt_system *system, const bxt_run_def *def,
			       const bxt_state *state, const bxt_simulation *like,
			       bxt_diagnostics *d, bxt_simulation **out)
{
	return create(system, def, state, like, false, d, out);
}

bxt_status bxt_simulation_at_start(const bxt_system *system, const bxt_run_def *def,
				   bxt_diagnostics *d, bxt_simulation **out)
{
	return create(system, def, NULL, NULL, true, d, out);
}

bxt_status bxt_simulation_new(const bxt_system *system, const bxt_run_def *def, bxt_diagnostics *d,
			      bxt_simulation **out)
{
	bxt_run_def standard, given;
	BXT_NEEDS(d, out);
	*out = NULL;
	BXT_NEEDS(d, system);
	bxt_default_run_def(&standard);
	BXT_TRY(bxt_take_sized(def ? def : &standard, &given, sizeof given, "bxt_run_def", d));
	return bxt_simulation_make(system, &given, NULL, NULL, d, out);
}

bxt_simulation *bxt_simulation_free(bxt_simulation *m)
{
	if (m) {
		bxt_simulation_dismantle(m);
		bxt_controllers_free(m);
		bxt_arena_free(m->matrix);
		bxt_switching_free(m->switching);
		bxt_own_system_free(m->own);
		bxt_state_free(m->state);
		bxt_diagnostics_free(m->d);
		bxt_arena_free(m->arena);
		free(m);
	}
	return NULL;
}

bxt_status bxt_simulation_reset(bxt_simulation *m, bxt_diagnostics *d)
{
	BXT_NEEDS(d, m);
	if (m->stepping)
		return bxt_simulation_idle(m, d);
	return tell(m, d, start(m));
}

/* ---- Steps ---- */

double bxt_simulation_time(const bxt_simulation *m)
{
	return m ? m->state->t : NAN;
}

long bxt_simulation_steps(const bxt_simulation *m)
{
	return m ? m->work.steps : -1;
}

bxt_status bxt_simulation_observe(bxt_simulation *m, bool (*after)(void *context, double t),
				  void *context)
{
	BXT_NEEDS(NULL, m);
	m->observer.after = after;
	m->observer.context = context;
	return BXT_OK;
}

static bxt_status observed(const bxt_simulation *m)
{
	return !m->observer.after || m->observer.after(m->observer.context, m->state->t)
		       ? BXT_OK
		       : BXT_ERR_INTERRUPTED;
}

static double next_point(const bxt_simulation *m)
{
	return m->state->t0 + (double)(m->state->steps + 1) * bxt_simulation_h(m);
}

bxt_status bxt_simulation_step(bxt_simulation *m, long n, long *done, bxt_diagnostics *d)
{
	bxt_status status = BXT_OK;
	if (done)
		*done = 0;
	BXT_NEEDS(d, m);
	BXT_TRY(bxt_simulation_idle(m, d));
	if (n < 0) {
		bxt_error(d, BXT_NOWHERE, "bxt_simulation_step: %ld steps cannot be made", n);
		return BXT_ERR_ARGUMENT;
	}
	m->stepping = true;
	for (long k = 0; k < n && status == BXT_OK; k++) {
		status = bxt_simulation_advance(m, next_point(m), m->on_grid);
		if (status == BXT_OK && done)
			*done = k + 1;
		if (status == BXT_OK)
			status = observed(m);
	}
	m->stepping = false;
	return tell(m, d, status);
}

/* A step that ends between two points of the grid. */
static bxt_status cut_step(bxt_simulation *m, double t, unsigned flags)
{
	BXT_TRY(bxt_simulation_advance(m, t, false));
	m->state->steps--; /* it was no step of the grid */
	if (!(flags & BXT_STEP_KEEP_GRID))
		bxt_simulation_begin_grid(m);
	return observed(m);
}

bxt_status bxt_simulation_step_to(bxt_simulation *m, double t, unsigned flags, bxt_diagnostics *d)
{
	BXT_NEEDS(d, m);
	BXT_TRY(bxt_simulation_idle(m, d));
	const double h = bxt_simulation_h(m), near = BXT_SAME_TIME * fabs(h);
	const double sign = h < 0 ? -1 : 1;
	if (!isfinite(t) || sign * (m->state->t - t) > near ||
	    (flags & ~(unsigned)BXT_STEP_KEEP_GRID)) {
		bxt_error(
			d, BXT_NOWHERE,
			"bxt_simulation_step_to: %.9g s lies behind %.9g s, is not finite, or the "
			"flags %u are unknown",
			t, m->state->t, flags);
		return BXT_ERR_ARGUMENT;
	}
	bxt_status status = BXT_OK;
	m->stepping = true;
	while (status == BXT_OK && sign * (t - next_point(m)) >= -near) {
		status = bxt_simulation_advance(m, next_point(m), m->on_grid);
		if (status == BXT_OK)
			status = observed(m);
	}
	if (status == BXT_OK && sign * (t - m->state->t) > near)
		status = cut_step(m, t, flags);
	m->stepping = false;
	return tell(m, d, status);
}

/* ---- Signals ---- */

size_t bxt_simulation_signals(const bxt_simulation *m)
{
	return m && m->recorder ? m->recorder->n : 0;
}

const bxt_column *bxt_simulation_signal(const bxt_simulation *m, size_t i)
{
	return i < bxt_simulation_signals(m) ? &m->recorder->columns[i] : NULL;
}

bxt_status bxt_simulation_summary(bxt_simulation *m, bxt_summary *out, bxt_diagnostics *d)
{
	BXT_NEEDS(d, out);
	*out = (bxt_summary){.size = sizeof *out};
	BXT_NEEDS(d, m);
	BXT_TRY(bxt_simulation_ready(m, d));
	m->completed = true;
	bxt_status status = bxt_simulation_summarize(m, 0, out);
	m->completed = false;
	out->steps = m->work.steps; /* a step that was cut begins another grid */
	if (status == BXT_OK && out->trust.errors > 0)
		status = BXT_ERR_TRUST;
	return tell(m, d, status);
}
