/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sampled states. At multiples of its period, which are grid points where steps have one size, an
 * element's sampled states get new values. An <update> or a plug-in computes them from the old
 * values and from coordinates and flows there. With a delay the new values are kept beside the
 * state until they take effect. Sampled states are coordinates, so that a saved state has them;
 * samples that wait behind others, where the delay is longer than the period, are in the state as
 * well. A sample is made at the begin of the step from its grid point: a run that ends there leaves
 * it to the next run.
 */
#ifndef BXT_CONTROL_SAMPLER_H
#define BXT_CONTROL_SAMPLER_H

#include "run/account/grid_point.h"
#include "run/control/plugin.h"

/* One sampled element. */
typedef struct bxt_sampled {
	int group, place;   /* of the element in the group */
	long period, delay; /* in sampler.step */
	const int *rows; /* (n_rows) local indices of its sampled states; those of a plug-in last */
	int n_rows;
	bxt_controller *controller; /* or NULL */
	/* depth: samples that wait besides the oldest, which is a coordinate; 0 if the delay is at
	 * most a period. At the present grid point: `waiting`, their number after the oldest took
	 * effect; `taken`, the oldest takes effect; `made`, a new sample was made, which is in
	 * `value` if it waits behind others. */
	int depth, waiting;
	bool taken, made;
	double *value; /* (n_rows) */
} bxt_sampled;

typedef struct bxt_sampler {
	const bxt_system *system;
	const bxt_settings *settings;
	bxt_arena *arena;
	bxt_evaluator *evaluator;
	bxt_grid_point *here; /* created at the first sample that needs flows */
	bxt_sampled *sampled; /* (n) */
	int n;
	int *first;  /* (groups) the first of each group in `sampled` */
	double step; /* [s] all periods and delays are multiples of it */
	bool reads_flows;
	/* (size) coordinates before the sample, with delayed values in effect; flows at the grid
	 * point; coordinates after the sample */
	double *q, *x, *next;
	long k;                      /* the time of the sample, in `step` from t = 0 */
	bxt_controller *controllers; /* (n_controllers) */
	int n_controllers;
	bxt_plugin_host *host; /* of the controllers, from begin on; NULL: there are none */
	bxt_diagnostics *d;    /* for findings about plug-ins */
} bxt_sampler;

/*
 * *out is NULL when nothing is sampled. BXT_ERR_MODEL after findings: a period or delay that is no
 * multiple of the step (with a tolerance, those that have no common divisor), a delay of too many
 * periods, a scheme that cannot have samples, a plug-in without a file. Nothing is loaded yet;
 * findings about plug-ins go to d until the sampler is freed.
 */
bxt_status bxt_sampler_new(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d,
			   bxt_sampler **out);
bxt_sampler *bxt_sampler_free(bxt_sampler *p);
/*
 * Loads plug-ins, and restores what the state remembers of them. To be called before threads are
 * created. `rehearses`: bxt_sampler_rehearse will follow.
 */
bxt_status bxt_sampler_begin(bxt_sampler *p, const struct bxt_state *state, bool rehearses);
/* Makes room in the state for samples on their way. To be called once, before the first sample. */
bxt_status bxt_sampler_make_room(const bxt_sampler *p, struct bxt_state *state);
/* Saves what plug-ins remember to the state. */
bxt_status bxt_sampler_end(bxt_sampler *p, struct bxt_state *state);
/* Frees plug-ins by their own functions; failures are reported. */
bxt_status bxt_sampler_close(bxt_sampler *p);
/* Computes a first sample of the plug-ins' outputs without changing the state; failures are
 * reported. */
bxt_status bxt_sampler_rehearse(bxt_sampler *p, const struct bxt_state *state);
/*
 * The origin of the grid of steps for a run that starts or continues at t: t itself when it is a
 * multiple of the step, else the multiple below. A shortened first step then leads back to the grid
 * of samples.
 */
double bxt_sampler_origin(const bxt_sampler *p, double t);
/* The first time after t at which a sample is made or takes effect; `to` if that comes first. */
double bxt_sampler_next(const bxt_sampler *p, double t, double to);
/* Makes the samples that are due at the state's time; *changed: at least one was due. */
bxt_status bxt_sampler_sample(bxt_sampler *p, struct bxt_state *state, bool *changed);

#endif
