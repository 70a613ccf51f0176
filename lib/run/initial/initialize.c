/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The consistent start of a run, and the checks that refuse a model there. */
#include "run/initial/initialize.h"
#include "model/builder/build.h"

#include "motion/methods/methods.h"
#include "motion/scheme/traits.h"
#include "run/account/delays.h"

#include "motion/methods/contacts.h"
#include "motion/start/grid_values.h"
#include "motion/start/start.h"
#include "motion/step/dependent_rows.h"
#include "run/account/passivity.h"
#include "run/control/sampler.h"
#include "run/initial/operating_point.h"
#include "run/initial/start_momenta.h"
#include "run/switching/switching.h"
#include "run/trust/trust.h"
#include "run/trust/well_posed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Momenta of massless coordinates are state of the raw discrete Dirac schemes only. */
static void drop_pinned_momenta(bxt_state *state, const bxt_settings *settings)
{
	for (int i = 0; i < state->system->n && !bxt_traits(settings).massless_momenta; i++)
		if (state->system->pinned[i])
			state->p[i] = 0;
}

/* Does the flow belong to a torn node that has inertia in another part? It is part of the state
 * there. */
static bool has_heavy_copy(const bxt_system *s, const bxt_initial *w)
{
	const bxt_network *net = s->net;
	for (size_t p = 0; p < net->n_ports; p++) {
		const int c = net->ports[p].connection;
		if (w->node < 0 || net->ports[p].node != w->node || c < 0 ||
		    net->connections[c].is_sigma)
			continue;
		for (int k = 0; k < net->connections[c].n; k++) {
			const int node = net->ports[net->connections[c].port[k]].node;
			if (node >= 0 &&
			    !s->pinned[s->x_of_coord[s->where.node_coord[node] + w->coordinate]])
				return true;
		}
	}
	return false;
}

/* Finds the flows that follow from the equations at the start, to x. If they cannot be found, x
 * keeps the flows of the first stage, half a step later. */
static bxt_status flows_at_start(bxt_stepper *stepper, const bxt_state *state, double *x)
{
	const bxt_system *s = stepper->system;
	bxt_grid_values *g;
	memcpy(x, stepper->x, (size_t)s->size * sizeof *x);
	BXT_TRY(bxt_grid_values_new(s, stepper->settings->step, false, &g));
	const bxt_status status = bxt_grid_values_find(g, state->q, state->p, state->t, NULL, x);
	bxt_grid_values_free(g);
	return status == BXT_ERR_MEMORY ? status : BXT_OK;
}

/*
 * A flow written for a branch without inertia is not part of the state: reports it if the equations
 * give a different value. The stage is half a step later; only if the flow differs there, the flows
 * at the start are computed.
 */
static bxt_status check_written_flows(bxt_stepper *stepper, const bxt_state *state,
				      bxt_diagnostics *d)
{
	static const double NEAR =
		0.05; /* relative to the written value, or to the difference at the stage */
	const bxt_system *s = stepper->system;
	const bxt_network *net = s->net;
	bxt_buffer name = {0};
	bool solved = false;
	double *at_start = NULL;
	bxt_status status = BXT_OK;
	for (size_t i = 0; i < net->n_initials && status == BXT_OK; i++) {
		const bxt_initial *w = &net->initials[i];
		const int coord = (w->element >= 0 ? s->where.first_coord[w->element]
						   : s->where.node_coord[w->node]) +
				  w->coordinate;
		const int x = s->x_of_coord[coord];
		if (!w->is_flow || !s->pinned[x])
			continue;
		if (!solved && bxt_stepper_solve(stepper, state, stepper->settings->step) != BXT_OK)
			break; /* the run will report it */
		solved = true;
		const double off = fabs(stepper->x[x] - w->value);
		if (off <= NEAR * fabs(w->value) || has_heavy_copy(s, w))
			continue;
		if (!at_start) {
			at_start = malloc(((size_t)s->size + 1) * sizeof *at_start);
			status = at_start ? flows_at_start(stepper, state, at_start)
					  : BXT_ERR_MEMORY;
		}
		if (status == BXT_OK &&
		    fabs(at_start[x] - w->value) > NEAR * fmax(fabs(w->value), off))
			bxt_warning(d, w->place,
				    "initial value of %s is not kept: the flow of a branch without "
				    "inertia follows from the equations, which give about %.6g, "
				    "not %.6g",
				    bxt_dirac_coord_name(net, &s->dirac.coord[coord], true, &name),
				    at_start[x], w->value);
	}
	const bool failed = name.failed;
	bxt_buffer_free(&name);
	free(at_start);
	return failed ? BXT_ERR_MEMORY : status;
}

/* Checks, before anything runs, that periods are multiples of the step and that plug-ins exist. */
static bxt_status check_samples(const bxt_system *s, const bxt_settings *settings,
				bxt_diagnostics *d)
{
	bxt_sampler *sampler;
	const bxt_status named = bxt_plugin_check_names(s, settings, d);
	const bxt_status status = bxt_sampler_new(s, settings, d, &sampler);
	bxt_sampler_free(sampler);
	return status != BXT_OK ? status : named;
}

/* Checks that plug-ins load and make a first step; their memory is discarded afterwards. */
static bxt_status check_plugins(const bxt_settings *settings, const bxt_state *state,
				bxt_diagnostics *d)
{
	bxt_sampler *sampler;
	bxt_status status = bxt_sampler_new(state->system, settings, d, &sampler);
	if (status == BXT_OK && sampler)
		status = bxt_sampler_begin(sampler, state, true);
	if (status == BXT_OK && sampler)
		status = bxt_sampler_rehearse(sampler, state);
	if (status == BXT_OK && sampler)
		status = bxt_sampler_close(sampler);
	bxt_sampler_free(sampler);
	return status;
}

/* Refuses rows that contradict each other at the start, with any scheme. */
static bxt_status refuse_contradictions(const bxt_system *s, const bxt_state *state,
					bxt_diagnostics *d)
{
	bxt_row_choice *choice;
	bxt_status status = bxt_row_choice_new(s, &choice);
	if (status == BXT_OK && choice)
		status = bxt_row_choice_look(choice, state->q, state->t, BXT_ROWS_CLOSE);
	if (status == BXT_OK && choice)
		status = bxt_row_choice_refuse(choice, state->q, state->t, d);
	bxt_row_choice_free(choice);
	return status;
}

/* Refuses a file that cannot be run by itself, as its inputs are to be set by a file that includes
 * it. */
static bxt_status refuse_open_inputs(const bxt_system *s, bxt_diagnostics *d)
{
	bxt_status status = BXT_OK;
	bxt_buffer path = {0};
	for (size_t k = 0; k < s->net->n_signal_ids; k++) {
		const bxt_net_signal *open = &s->net->signal_ids[k];
		if (!open->open)
			continue;
		const bxt_element *e = &s->net->elements[open->element];
		const bxt_component *c = s->net->types[e->type]->component;
		status = BXT_ERR_MODEL;
		bxt_error(d, e->place,
			  "the input signal '%s' of %s is not connected: a netlist that includes "
			  "this file connects it, or <signal to=\"...\">EXPRESSION</signal> here",
			  c->coordinates[open->coordinate].flow,
			  bxt_network_path(s->net, e->primitive, e->id, &path));
	}
	bxt_buffer_free(&path);
	return status;
}

/* At rest, the output of a delay equals its input. The operating point is sought in such a model,
 * which has other values but the same unknowns. */
static bxt_status find_operating_point(const bxt_system *s, const bxt_settings *settings,
				       bxt_state *state, bxt_diagnostics *d)
{
	bxt_network *net;
	bxt_system *rest = NULL;
	if (s->net->n_delays == 0)
		return bxt_operating_point(s, settings, state, d);
	BXT_TRY(bxt_network_at_rest(s->net, &net));
	bxt_diagnostics *dropped =
		bxt_diagnostics_new(); /* they were reported for the model itself */
	bxt_status status = dropped ? bxt_system_of_network(net, dropped, &rest) : BXT_ERR_MEMORY;
	bxt_diagnostics_free(dropped);
	if (status == BXT_OK) {
		rest->inputs = s->inputs;
		state->system = rest;
		status = bxt_operating_point(rest, settings, state, d);
		state->system = s;
	}
	bxt_system_free(rest);
	return status;
}

/* Computes and checks the consistent start in a mode. */
static bxt_status start_in(const bxt_system *s, const bxt_settings *settings, bxt_state *state,
			   bxt_diagnostics *d)
{
	bxt_stepper *stepper = NULL;
	bxt_settings plain;
	bxt_methods_judge(settings, &plain);
	BXT_TRY(refuse_open_inputs(s, d));
	BXT_TRY(bxt_written_positions(s, state->q));
	BXT_TRY(bxt_check_inertia(s, state->q, state->t, d));
	memset(state->q, 0, (size_t)s->size * sizeof *state->q);
	BXT_TRY(bxt_consistent_start(s, state->t, state->q, state->x, state->p, d));
	drop_pinned_momenta(state, settings);
	BXT_TRY(bxt_start_jump(s, settings, state, d));
	BXT_TRY(bxt_check_passivity(s, state, d));
	BXT_TRY(check_samples(s, settings, d));
	BXT_TRY(bxt_check_delays(s, settings, d));
	bxt_status status = bxt_stepper_new(s, &plain, state, &stepper);
	if (status == BXT_OK)
		status = bxt_check_step(stepper, state, d);
	if (status == BXT_OK)
		status = refuse_contradictions(s, state, d);
	if (status == BXT_OK)
		status = check_written_flows(stepper, state, d);
	bxt_stepper_free(stepper);
	if (status == BXT_OK && settings->operating_point)
		status = find_operating_point(s, settings, state, d);
	if (status == BXT_OK && settings->tolerance == 0) /* with step control, step sizes vary */
		status = bxt_check_roots(s, settings, state, d);
	return status == BXT_OK ? check_plugins(settings, state, d) : status;
}

bxt_status bxt_state_start_alone(const bxt_system *s, const bxt_settings *settings,
				 bxt_state *state, bxt_diagnostics *d)
{
	BXT_TRY(bxt_consistent_start(s, state->t, state->q, state->x, state->p, d));
	drop_pinned_momenta(state, settings);
	return bxt_start_jump(s, settings, state, d);
}

/* A state of rest is sought in at most ROUNDS combinations. In the first ROUNDS_OF_ALL, all
 * switches with a margin below zero change together. */
enum { ROUNDS = 60, ROUNDS_OF_ALL = 20 };

/* The start in one combination: to the state, if there is one, with its findings. */
static bxt_status start_in_mode(bxt_switching *w, const bxt_mode_system *mode, bxt_state *own,
				bxt_state *state, bxt_diagnostics *d)
{
	own->t = own->t0 = state->t;
	const bxt_status status = start_in(mode->system, w->modes->settings, own, d);
	if (status == BXT_OK)
		bxt_state_carry(own, state);
	return status;
}

/*
 * At the operating point in the combination of the consistent start, margins of switches may be
 * below zero. The point is then sought in the next combination, until one lasts. If none does, or
 * if the next one has no operating point, the last point is kept, and the run begins with the
 * events there.
 */
static bxt_status start_switched(bxt_switching *w, bxt_state *state, bxt_diagnostics *d)
{
	bxt_mode_system *mode;
	BXT_TRY(bxt_switching_start(w, bxt_state_start_alone, state->t, &mode));
	unsigned char *states = malloc((size_t)w->n + 1);
	bxt_status status = states ? BXT_OK : BXT_ERR_MEMORY;
	bool lasts = false;
	for (int round = 0; status == BXT_OK && !lasts; round++) {
		bxt_state *own = bxt_state_new(mode->system);
		bxt_diagnostics *told = bxt_diagnostics_new();
		status = own && told ? start_in_mode(w, mode, own, state, told) : BXT_ERR_MEMORY;
		lasts = true;
		if (status == BXT_OK) {
			memcpy(states, w->states, (size_t)w->n);
			if (w->modes->settings->operating_point && round < ROUNDS)
				status = bxt_switching_at_rest(w, own, round >= ROUNDS_OF_ALL,
							       &mode, &lasts);
		} else if (round > 0 && status != BXT_ERR_MEMORY) {
			status = BXT_OK;
			memcpy(w->states, states, (size_t)w->n);
			bxt_note(told, BXT_NOWHERE,
				 "the switches that are wrong at the operating point lead to none: "
				 "the run begins where they switch");
		}
		if (lasts || status != BXT_OK)
			bxt_diagnostics_move(told, d);
		bxt_diagnostics_free(told);
		bxt_state_free(own);
	}
	free(states);
	return status;
}

/*
 * The start of a scheme that captures contacts ignores them. Contacts that are penetrated or
 * closing there are handled by the first steps.
 */
static bxt_status start_without(const bxt_system *s, const bxt_settings *settings, bxt_state *state,
				bxt_diagnostics *d)
{
	bxt_system *without = NULL;
	BXT_TRY(bxt_system_with_bounds(s, BXT_ABSENT, &without));
	bxt_state *own = bxt_state_new(without);
	bxt_status status = own ? BXT_OK : BXT_ERR_MEMORY;
	if (own)
		own->t = own->t0 = state->t;
	if (status == BXT_OK)
		status = start_in(without, settings, own, d);
	if (status == BXT_OK)
		status = bxt_contacts_report(without, own, settings->scheme_place, d);
	if (status == BXT_OK)
		bxt_state_carry(own, state);
	bxt_state_free(own);
	bxt_system_free(without);
	return status;
}

bxt_status bxt_state_start(const bxt_system *s, const bxt_settings *settings, bxt_state *state,
			   bxt_diagnostics *d)
{
	bxt_switching *w;
	bxt_system_begin_delays(s);
	if (s->net->n_switches == 0) {
		BXT_TRY(start_in(s, settings, state, d));
		return bxt_delays_start(s, settings, state);
	}
	BXT_TRY(bxt_switching_new(s, settings, &w));
	bxt_status status = bxt_traits(settings).events_inside
				    ? start_without(s, settings, state, d)
				    : start_switched(w, state, d);
	const size_t n = (size_t)w->n;
	state->switches = bxt_free(state->switches);
	if (status == BXT_OK && !(state->switches = malloc(n)))
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		memcpy(state->switches, w->states, n);
	bxt_switching_free(w);
	return status == BXT_OK ? bxt_delays_start(s, settings, state) : status;
}

bxt_status bxt_initialize(const bxt_system *system, const bxt_run_def *def, bxt_diagnostics *d,
			  bxt_state **out)
{
	bxt_run_def standard, given;
	bxt_default_run_def(&standard);
	bxt_settings settings;
	BXT_NEEDS(d, out);
	*out = NULL;
	BXT_NEEDS(d, system);
	BXT_TRY(bxt_take_sized(def ? def : &standard, &given, sizeof given, "bxt_run_def", d));
	BXT_TRY(bxt_settings_resolve(system, &given, d, &settings));
	bxt_state *state = bxt_state_new(system);
	if (!state)
		return BXT_ERR_MEMORY;
	bxt_status status = bxt_state_start(system, &settings, state, d);
	if (status != BXT_OK) {
		bxt_state_free(state);
		return status;
	}
	*out = state;
	return BXT_OK;
}
