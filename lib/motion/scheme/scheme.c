/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of schemes. */
#include "motion/scheme/scheme.h"

#include "motion/scheme/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const bxt_scheme *const bxt_schemes[] = {&bxt_scheme_gauss1,
					 &bxt_scheme_gauss2,
					 &bxt_scheme_gauss3,
					 &bxt_scheme_radau2,
					 &bxt_scheme_radau3,
					 &bxt_scheme_dirac_plus,
					 &bxt_scheme_dirac_minus,
					 &bxt_scheme_rk4,
					 &bxt_scheme_rk2,
					 &bxt_scheme_euler,
					 &bxt_scheme_theta,
					 &bxt_scheme_gradient,
					 &bxt_scheme_moreau,
					 &bxt_scheme_lie_midpoint,
					 &bxt_scheme_lie_gauss2,
					 &bxt_scheme_lie_gauss3,
					 &bxt_scheme_lie_dirac_plus,
					 &bxt_scheme_lie_dirac_minus,
					 NULL};

bxt_state *bxt_state_new(const bxt_system *s)
{
	bxt_state *state = calloc(1, sizeof *state);
	if (!state)
		return NULL;
	state->system = s;
	state->q = calloc((size_t)s->size, sizeof *state->q);
	state->p = calloc((size_t)s->size, sizeof *state->p);
	state->x = calloc((size_t)s->size, sizeof *state->x);
	return state->q && state->p && state->x ? state : bxt_state_free(state);
}

bxt_state *bxt_state_free(bxt_state *state)
{
	if (state) {
		bxt_free(state->q);
		bxt_free(state->p);
		bxt_free(state->x);
		for (int i = 0; i < state->n_remembered; i++)
			bxt_free(state->remembered[i].bytes);
		bxt_free(state->remembered);
		for (int i = 0; i < state->n_underway; i++)
			bxt_free(state->underway[i].value);
		bxt_free(state->underway);
		bxt_free(state->account);
		bxt_free(state->inputs);
		bxt_free(state->tuned);
		bxt_free(state->switches);
		bxt_history_free(state->history);
		bxt_free(state);
	}
	return NULL;
}

void bxt_state_copy_values(const bxt_system *s, const bxt_state *from, bxt_state *to)
{
	const size_t bytes = (size_t)s->size * sizeof(double);
	double *q = to->q, *p = to->p, *x = to->x;
	*to = *from;
	to->q = memcpy(q, from->q, bytes);
	to->p = memcpy(p, from->p, bytes);
	to->x = memcpy(x, from->x, bytes);
}

void bxt_state_carry(const bxt_state *from, bxt_state *to)
{
	const bxt_system *a = from->system, *b = to->system;
	const size_t flows = (size_t)b->n * sizeof *to->q;
	to->t = from->t;
	to->t0 = from->t0;
	to->steps = from->steps;
	to->h_grid = from->h_grid;
	to->h = from->h;
	to->kicked = from->kicked;
	memcpy(to->q, from->q, flows);
	memcpy(to->p, from->p, flows);
	memcpy(to->x, from->x, flows);
	for (int i = b->n; i < b->size; i++)
		to->q[i] = to->p[i] = to->x[i] = 0;
	for (size_t r = 0; r < b->dirac.m; r++)
		if (b->x_of_row[r] != b->spare && a->x_of_row[r] != a->spare)
			to->x[b->x_of_row[r]] = from->x[a->x_of_row[r]];
}

double bxt_state_time(const bxt_state *state)
{
	return state ? state->t : NAN;
}

long bxt_state_steps(const bxt_state *state)
{
	return state ? state->steps : 0;
}

void bxt_settings_backward_euler(const bxt_settings *settings, bxt_settings *out)
{
	*out = *settings;
	out->scheme = &bxt_scheme_radau1;
	out->project_ends = out->project_loops = out->project_rows = out->keep_positions = false;
}

void bxt_settings_name_scheme(const bxt_settings *settings, bxt_buffer *words)
{
	const bxt_scheme *scheme = settings->scheme;
	bxt_buffer_printf(words, "scheme '%s'", scheme->name);
	if (scheme->uses_rule)
		bxt_buffer_printf(words, " with rule '%s'", settings->rule->name);
	if (scheme->uses_rule && settings->force_rule)
		bxt_buffer_printf(words, ", '%s%s%s' for forces", settings->force_rule->name,
				  settings->force_rule_plus ? "; " : "",
				  settings->force_rule_plus ? settings->force_rule_plus->name : "");
	if (scheme == &bxt_scheme_theta ||
	    (scheme->uses_rule && settings->rule->family == BXT_THETA))
		bxt_buffer_printf(words, ", theta %g", settings->theta);
}
