/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of schemes. */
#include "scheme/scheme.h"

#include <math.h>

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
					 &bxt_scheme_lie_midpoint,
					 &bxt_scheme_lie_gauss2,
					 &bxt_scheme_lie_gauss3,
					 &bxt_scheme_lie_dirac_plus,
					 &bxt_scheme_lie_dirac_minus,
					 NULL};

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
		bxt_free(state);
	}
	return NULL;
}

double bxt_state_time(const bxt_state *state)
{
	return state ? state->t : NAN;
}

long bxt_state_steps(const bxt_state *state)
{
	return state ? state->steps : 0;
}
