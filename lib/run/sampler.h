/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sampled states. At the multiples of its period, which are grid points, an element's
 * states get new values from those before and from coordinates and flows there; with a delay they
 * wait for it beside the state. By <update>, or from a plug-in. They are coordinates, so that a
 * saved state has them. A sample is made when the step that begins at it is begun: a run that ends
 * there leaves it to the next.
 */
#ifndef BXT_RUN_SAMPLER_H
#define BXT_RUN_SAMPLER_H

#include "run/plugin.h"
#include "step/grid_values.h"

/* One element that is sampled. */
typedef struct bxt_sampled {
	int group, place;   /* of the element in the group */
	long period, delay; /* in steps */
	const int *rows;    /* (n_rows) its sampled states, local; those of a plug-in last */
	int n_rows;
	bxt_controller *controller; /* or NULL */
} bxt_sampled;

typedef struct bxt_sampler {
	const bxt_system *system;
	const bxt_settings *settings;
	bxt_arena *arena;
	bxt_evaluator *evaluator;
	bxt_grid_values *endpoint; /* made at the first sample that needs flows */
	bxt_sampled *sampled;      /* (n) */
	int n;
	int *first; /* (groups) of a group's in sampled, where they stand in its order */
	bool reads_flows;
	/* (size) coordinates before the sample, those that waited in force; flows at the grid
	 * point; coordinates after it */
	double *q, *x, *next;
	long k;                      /* the grid point, counted from t = 0 */
	bxt_controller *controllers; /* (n_controllers) */
	int n_controllers;
	bxt_plugin_host *host; /* of the controllers, from begin on; NULL: there are none */
	bxt_diagnostics *d;    /* for what plug-ins do wrong */
} bxt_sampler;

/*
 * NULL in *out when nothing is sampled. BXT_ERR_MODEL after findings: a period or delay that is no
 * multiple of the step, a delay beyond the period, a scheme that cannot have samples, a plug-in
 * without a file. Nothing is loaded yet; findings about plug-ins go to d until the sampler is
 * freed.
 */
bxt_status bxt_sampler_new(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d,
			   bxt_sampler **out);
bxt_sampler *bxt_sampler_free(bxt_sampler *p);
/*
 * Loads plug-ins, and restores what the state remembers of them. To be called before threads are
 * made. `rehearses`: for bxt_sampler_rehearse.
 */
bxt_status bxt_sampler_begin(bxt_sampler *p, const struct bxt_state *state, bool rehearses);
/* What they remember, to the state. */
bxt_status bxt_sampler_end(bxt_sampler *p, struct bxt_state *state);
/* Frees plug-ins in good order: what goes wrong there is told. */
bxt_status bxt_sampler_close(bxt_sampler *p);
/* A first sample of what a plug-in writes, which changes nothing: what fails there is told. */
bxt_status bxt_sampler_rehearse(bxt_sampler *p, const struct bxt_state *state);
/*
 * Where a grid of steps begins that a run starts or goes on with at t: there when that is a
 * multiple of the step, else at the multiple below it, so that a first step which is cut leads back
 * to where samples are made.
 */
double bxt_sampler_origin(const bxt_sampler *p, double t);
/* Makes the samples that are due at the state's time; *changed: there were some. */
bxt_status bxt_sampler_sample(bxt_sampler *p, struct bxt_state *state, bool *changed);

#endif
