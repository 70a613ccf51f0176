/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The systems of a model that switches: one for each combination of states of its switches that a
 * run has met, with what finds the next combination. Each is a smooth system of its own, so that
 * rows, lossless loops and singular inertia are those of the combination.
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
	bxt_stepper *probe; /* steps of backward Euler; NULL until one is made */
	/* the same over contacts, of a mode without rows with bounds; NULL until one is made */
	bxt_stepper *capture;
	bxt_state *begin;    /* of that: with states of switches */
	bxt_state *at, *end; /* scratch */
	double *x;           /* (size) scratch */
	/* what a higher floor keeps for the next time in this mode; NULL: nothing */
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
 * Finds what holds: a step of backward Euler over contacts of size h from a state of the model in
 * the modes of `states` (network's n_switches), where the states of rows become those at its end;
 * those of rows that act on no inertia stay as they are. rests: restitution is 0.
 */
bxt_status bxt_mode_capture(bxt_modes *m, const bxt_state *from, double h, bool rests,
			    unsigned char *states);
/* The flows of rows with bounds at a state, as far as they follow from momenta: rate (network's
 * n_switches), else NAN. */
bxt_status bxt_mode_rates(bxt_modes *m, const bxt_state *from, double h,
			  const unsigned char *states, double *rate);
/* A step of backward Euler of size h from `at` to `end`; x: flows and multipliers at its end. */
bxt_status bxt_mode_probe(bxt_modes *m, bxt_mode_system *in, double h);

#endif
