/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The systems of a model with switches: one for each combination of states that a run has met, with
 * the data to find the next combination. Each is a smooth system of its own, with the rows,
 * lossless loops and singular inertia of the combination.
 */
#ifndef BXT_SWITCHING_MODES_H
#define BXT_SWITCHING_MODES_H

#include "model/system/native.h"
#include "model/system/switch_values.h"
#include "motion/step/stepper.h"
#include "run/account/grid_point.h"

/* The model in one combination of states. */
typedef struct bxt_mode_system {
	unsigned char *states; /* (network's n_switches) */
	bxt_system *system;
	bxt_native *native; /* its code; NULL: none */
	bxt_switch_values *values;
	bxt_grid_point *here;
	bxt_stepper *probe; /* makes steps of backward Euler; NULL until the first one */
	/* makes steps of backward Euler that capture contacts, in a mode without rows with bounds;
	 * NULL until the first one */
	bxt_stepper *capture;
	bxt_state *begin;    /* begin of such a step, with states of switches */
	bxt_state *at, *end; /* scratch */
	double *x;           /* (size) scratch */
	/* data that a higher storey keeps until the model is in this mode again; NULL: none */
	void *kept;
	void (*free_kept)(void *kept);
	struct bxt_mode_system *next;
} bxt_mode_system;

typedef struct bxt_modes {
	const bxt_system *base;
	const bxt_settings *settings;
	bxt_settings of_probe, of_capture;
	bxt_mode_system *list; /* the latest first */
} bxt_modes;

/* *out NULL: nothing switches. Both arguments must outlive it. */
bxt_status bxt_modes_new(const bxt_system *base, const bxt_settings *settings, bxt_modes **out);
bxt_modes *bxt_modes_free(bxt_modes *m);
/* The system in these states. Findings about rows that are redundant in them are dropped. */
bxt_status bxt_modes_get(bxt_modes *m, const unsigned char *states, bxt_mode_system **out);
/* Frees what is kept for all modes. */
void bxt_modes_drop_kept(bxt_modes *m);
/*
 * Finds which rows hold, by a step of backward Euler of size h that captures contacts, from a state
 * of the model in the modes of `states` (network's n_switches). The states of rows become those at
 * its end, except for rows that act on no inertia. rests: restitution is 0.
 */
bxt_status bxt_mode_capture(bxt_modes *m, const bxt_state *from, double h, bool rests,
			    unsigned char *states);
/* Finds the flows of rows with bounds at a state, to rate (network's n_switches); NAN if they do
 * not follow from momenta. */
bxt_status bxt_mode_rates(bxt_modes *m, const bxt_state *from, double h,
			  const unsigned char *states, double *rate);
/* Makes a step of backward Euler of size h from `at` to `end`; x: flows and multipliers at its
 * end. */
bxt_status bxt_mode_probe(bxt_modes *m, bxt_mode_system *in, double h);

#endif
