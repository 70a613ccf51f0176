/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of boxtimes.h: what is known of the steps of a run, and of its errors. */
#ifndef BOXTIMES_STEPS_H
#define BOXTIMES_STEPS_H

#include <stdbool.h>
#include <stddef.h>

/* The steps that were taken. */
typedef struct bxt_step_figures {
	size_t size;
	long at_events; /* steps of a fixed size that were cut at an event of the time */
	/* With a tolerance (0: there is none): steps, attempts that had too large an error, the
	 * smallest and the largest step [s], those of reversible steps as well, and what most often
	 * had the largest error. */
	double tolerance;
	long accepted, rejected;
	double smallest, largest;
	const char *limited_by; /* a coordinate, or its momentum, "L1.p"; NULL: nothing */
	/* The part of the residual of the energy balance that the scheme itself took or gave: the
	 * quadrature error of the energy along its polynomials [J]. Measured for Radau schemes. */
	double numerical;
	bool has_numerical;
	/* events of the state: rows that came to hold or were released, modes, branches of texts */
	long at_states;
	long impacts; /* of them those at which flows jumped */
} bxt_step_figures;

/* How far the results of a run may be trusted, as measured along it. */
typedef struct bxt_trust_figures {
	size_t size;
	/* |residual| by what parts exchanged; difference of its means in both halves by its scatter
	 * (NaN: round-off); largest error of a step and alternating increment, by size; times */
	double residual, trend, coarse, ringing, coarse_at, ringing_at;
	const char *coarse_of, *ringing_of; /* NULL: not estimated, nothing rings */
	/* of the energy balance; findings of these checks, or that rows lack values */
	long samples, notes, errors;
} bxt_trust_figures;
/* The error of a signal, estimated: the largest over the rows, its time, and the signal's range. */
typedef struct bxt_accuracy {
	size_t size;
	const char *name;
	double error, at, range;
	const char *unit; /* as in bxt_column */
} bxt_accuracy;

#endif
