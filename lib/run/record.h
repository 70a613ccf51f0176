/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records. A list of designators becomes signals. The value of a signal at a grid point comes from
 * the state there, or from the stages next to it:
 *
 *     Gauss: flows, efforts and multipliers are interpolated (at the ends extrapolated) linearly
 * between the two neighbouring stages, so a row is complete one step later; collocation with more
 * stages: they are recomputed at the grid point (step/grid_values.h); dirac: they belong to
 * the step that starts at the grid point; explicit: to its first stage, which is at the grid point.
 */
#ifndef BXT_RUN_RECORD_H
#define BXT_RUN_RECORD_H

#include "run/ledger.h"
#include "step/grid_values.h"

typedef enum bxt_signal_type {
	BXT_SIGNAL_COORDINATE, /* a: x index */
	BXT_SIGNAL_MOMENTUM,   /* a: x index */
	BXT_SIGNAL_CENTRED,    /* a: x index; p_k - A^T mu_k / 2 */
	BXT_SIGNAL_FLOW,       /* a: x index */
	BXT_SIGNAL_MULTIPLIER, /* a: x index of a row, or the spare for a reference */
	BXT_SIGNAL_ENERGY,     /* a: primitive, b: element or -1 */
	BXT_SIGNAL_DISSIPATED, /* likewise */
	BXT_SIGNAL_SUPPLIED,   /* likewise */
	BXT_SIGNAL_PORT_POWER, /* a: x index of i_port, b: x index of the node's row */
	BXT_SIGNAL_PIN_POWER,  /* a: element, b: balance row of its element type */
	BXT_SIGNAL_OUTPUT,     /* a: element, b: output */
	BXT_SIGNAL_DRIFT,      /* a: family, b: 1 for the integrated rows */
	BXT_SIGNAL_MAP,        /* a: symmetry; its momentum map J */
	BXT_SIGNAL_NOETHER     /* a: symmetry; residual of its balance in the last step */
} bxt_signal_type;

typedef struct bxt_signal {
	bxt_signal_type type;
	const char *name;
	int a, b;
	int part, n_parts; /* its values of a stage: parts[part ... part + n_parts) */
} bxt_signal;

/* One number of a stage: a flow, a multiplier (impulse by step), or a constraint impulse A^T l. */
typedef struct bxt_part {
	int place;
	bool multiplier, impulse;
} bxt_part;

/* A row whose grid values are known and whose stage values are not. */
typedef struct bxt_pending {
	double t;
	bool complete; /* its stage values are known, too */
	double *values;
	double *q; /* (n_parts) coordinates at the grid point, for parts that are flows */
} bxt_pending;

typedef struct bxt_recorder {
	const bxt_system *system;
	const bxt_settings *settings;
	bxt_arena *arena;
	bxt_evaluator *evaluator;
	bxt_ledger *ledger; /* the ledger, at the last grid point */
	bxt_signal *signals;
	const char **names; /* (n) */
	size_t n;
	bxt_part *parts;
	size_t n_parts;
	double *before, *after, *at; /* (n_parts) of the two last stages, and interpolated */
	/* (n_parts) impulses of the projection at the ends of these steps, by step */
	double *kick_before, *kick_after;
	bxt_grid_values *endpoint; /* for schemes with several stages; created when needed */
	double t_before, t_after;
	int stages; /* number of known stages: 0, 1 or 2 */
	bxt_pending pending[2];
	int n_pending;
	double *scratch, *momenta, *q, *x; /* (size) */
	double *kicks;                     /* (size) impulses of the projection, of minimum norm */
	bool needs_grid, needs_momenta, needs_impulses;
} bxt_recorder;

/* Resolves the settings' list. BXT_ERR_MODEL after findings with the nearest names. */
bxt_status bxt_recorder_new(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d,
			    bxt_recorder **out);
bxt_recorder *bxt_recorder_free(bxt_recorder *r);

/* Opens the row of a grid point, and reads its grid values now. */
bxt_status bxt_recorder_grid(bxt_recorder *r, bxt_ledger *m, const bxt_state *state);
/* Called when the step from the state is solved; rows that it completes go to the sink. */
bxt_status bxt_recorder_stage(bxt_recorder *r, bxt_stepper *st, const bxt_state *state,
			      const bxt_sink *sink);
/* Called at the end: pending rows go to the sink, extrapolated. */
bxt_status bxt_recorder_flush(bxt_recorder *r, const bxt_sink *sink);

/* record_names.c: resolves the list of names to signals, in the recorder's arena. */
bxt_status bxt_recorder_resolve(bxt_recorder *r, const bxt_settings *settings, bxt_diagnostics *d);

#endif
