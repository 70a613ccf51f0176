/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records. A list of designators becomes signals. Their values belong to grid points: coordinates,
 * momenta and accounts are the state's, flows, efforts and multipliers follow from it in every
 * scheme (start/grid_values.h). Impulses and centred momenta belong to the step that starts there.
 * A row with any of them is therefore complete one step later.
 */
#ifndef BXT_ACCOUNT_RECORD_H
#define BXT_ACCOUNT_RECORD_H

#include "boxtimes_compare.h"
#include "model/names/designator.h"
#include "model/system/signal_units.h"
#include "motion/step/stepper.h"
#include "run/account/ledger.h"

typedef enum bxt_signal_type {
	BXT_SIGNAL_COORDINATE, /* a: x index */
	BXT_SIGNAL_MOMENTUM,   /* a: x index */
	BXT_SIGNAL_CENTRED,    /* a: x index; p_k - A^T mu_k / 2 */
	BXT_SIGNAL_FLOW,       /* a: x index */
	BXT_SIGNAL_MULTIPLIER, /* a: x index of a row, or the spare for a reference */
	BXT_SIGNAL_BOUND,      /* a: element, b: value of its switch: the multiplier at a bound */
	BXT_SIGNAL_IMPULSE,    /* likewise; l of the step that starts there */
	BXT_SIGNAL_ENERGY,     /* a: primitive, b: element or -1 */
	BXT_SIGNAL_DISSIPATED, /* likewise */
	BXT_SIGNAL_SUPPLIED,   /* likewise */
	BXT_SIGNAL_PORT_POWER, /* a: x index of i_port, b: x index of the node's row */
	BXT_SIGNAL_PIN_POWER,  /* a: element, b: balance row of its element type */
	BXT_SIGNAL_OUTPUT,     /* a: element, b: output */
	BXT_SIGNAL_DIFFERENCE, /* a, b: x indices of two nodes' rows */
	BXT_SIGNAL_FORCE,      /* a: element, b: local coordinate of a shared port */
	BXT_SIGNAL_DRIFT,      /* a: family, or BXT_FAMILY_COUNT; b: 1 for the integrated rows */
	BXT_SIGNAL_MAP,        /* a: symmetry; its momentum map J */
	BXT_SIGNAL_NOETHER     /* a: symmetry; residual of its balance in the last step */
} bxt_signal_type;

typedef struct bxt_signal {
	bxt_signal_type type;
	const char *name;
	int a, b;
	bxt_signal_unit unit;
	bxt_signal_group group; /* set by bxt_recorder_all */
} bxt_signal;

typedef struct bxt_recorder {
	const bxt_system *system;
	const bxt_settings *settings;
	bxt_arena *arena;
	bxt_evaluator *evaluator;
	/* Where contacts are captured by steps (record_view.c): the system where all rows with
	 * bounds hold, which `system` is then; a state of it; flows and multipliers of the run's.
	 * Else NULL. */
	const bxt_system
		*stepped; /* the system that the recorder was made for: of its rows is drift */
	bxt_system *held;
	bxt_state *view;
	double *without;
	bxt_signal *signals; /* (n_signals) signals of columns, and further ones that expressions
				read */
	size_t n_signals;
	bxt_column *columns; /* (n) */
	const char **names;  /* (n) the same without units */
	/* (n) the signal of each column; -1 - k: expression k */
	int *of_column;
	size_t n;
	/* Of the expressions: their tape, in which variable 0 is the time and 1 + i signal i. */
	bxt_tape *tape;
	bxt_graph *graph; /* the same as expressions; NULL: there are none */
	bxt_ex *expression;
	const double **in; /* (n_signals + 1) */
	double *work;
	bool needs_grid, needs_momenta, needs_here;
	bool needs_ledger; /* some signal is a sum that the ledger keeps along the steps */
	bool waits;        /* rows need the step that starts at them */
	double *value;     /* (n_signals) at t; pending: not yet given to the sink */
	double *row;       /* (n) */
	double t, time[BXT_LANES];
	bool pending;
	double *x, *rest, *momenta, *impulses; /* (size) grid values, 0, p, l of a step */
	bool found;                            /* grid values of the last row were found */
	long failures;                         /* number of failures to find grid values */
	const char *failure;                   /* the first of them */
	/* that of the pending row if the state does not determine some of its values; else NULL */
	bxt_grid_point *blurred;
	long n_blurred;            /* rows with such */
	const char *blurred_words; /* the first of them */
} bxt_recorder;

/* Resolves the settings' list. BXT_ERR_MODEL after findings with the nearest names. */
bxt_status bxt_recorder_new(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d,
			    bxt_recorder **out);
bxt_recorder *bxt_recorder_free(bxt_recorder *r);
/* Makes a recorder that lists all names that a record may contain; it cannot record. */
bxt_status bxt_recorder_all(const bxt_system *s, bxt_recorder **out);

/* Makes the row of a grid point, and gives it to the sink unless it waits. `label` is the time
 * written in the row: that of the state, or of the event next to it. */
bxt_status bxt_recorder_grid(bxt_recorder *r, bxt_ledger *m, const bxt_state *state, double label,
			     const bxt_sink *sink);
/* Called when a step is solved: completes the row it started at. */
bxt_status bxt_recorder_stage(bxt_recorder *r, bxt_stepper *st, const bxt_sink *sink);
/* Gives the row to the sink without waiting for the next step: values that belong to that step are
 * NaN, values that the state does not determine are those of the last step. */
bxt_status bxt_recorder_now(bxt_recorder *r, const bxt_sink *sink);
/* Called at the end: a row that waits goes to the sink as it is. */
bxt_status bxt_recorder_flush(bxt_recorder *r, const bxt_sink *sink);

/* Saves or restores the row that waits. */
void bxt_recorder_keep(bxt_recorder *r, bxt_ledger *m, bxt_account *account);

/* Reports rows whose grid values were not found, as a warning. */
void bxt_recorder_report(const bxt_recorder *r, bxt_diagnostics *d);

/* record_view.c: *view is the state with the multipliers of contacts; without captured ones it is
 * the state itself. */
bxt_status bxt_recorder_make_view(bxt_recorder *r, const bxt_system *s);
const bxt_state *bxt_recorder_view(bxt_recorder *r, const bxt_ledger *m, const bxt_state *state);
/* Flows at the state, and mean multipliers of the last step, to r->x. */
bxt_status bxt_recorder_find_view(bxt_recorder *r, const bxt_ledger *m, const bxt_state *state);
/* Impulses of a step to r->impulses. */
void bxt_recorder_view_impulses(bxt_recorder *r, const bxt_stepper *st,
				const bxt_quadrature_list *list);

/* record_names.c: resolves the list of names to signals, in the recorder's arena; or all names. */
bxt_status bxt_recorder_resolve(bxt_recorder *r, const bxt_settings *settings, bxt_diagnostics *d);
bxt_status bxt_recorder_resolve_all(bxt_recorder *r);

/* signal_groups.c: what the designator's quantity measures; a signal of the netlist is an output.
 */
bxt_signal_group bxt_group_of_designator(const bxt_designator *d);

#endif
