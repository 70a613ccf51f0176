/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The totals of a run: energies, drift, momenta, steps and trust. Included by boxtimes.h. */
#ifndef BOXTIMES_SUMMARY_H
#define BOXTIMES_SUMMARY_H

#include "boxtimes_status.h"
#include "boxtimes_steps.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Energy in, through and out of one part of the model over the run [J]. */
typedef struct bxt_ledger_entry {
	size_t size;      /* sizeof(bxt_ledger_entry) */
	const char *kind; /* "total", "subsystem", "component", "port", "connection" */
	const char *path;
	double start, end; /* stored */
	double dissipated; /* by Rayleigh functions */
	double supplied;   /* by forces, sources and prescribed motion */
	double through;    /* received through ports */
	double projection; /* work of moves along lossless loops beyond the sources' part */
	double residual;   /* end - start - supplied - through + dissipated - projection - impact */
	double impact;     /* by events: impacts, rows that begin to hold, modes */
} bxt_ledger_entry;

typedef struct bxt_drift_entry {
	size_t size; /* sizeof(bxt_drift_entry) */
	const char
		*family; /* "node", "constraint", "connection", or with ".q" the integrated rows */
	double max, last;
} bxt_drift_entry;

/*
 * The Noether account of a declared symmetry: its vector field xi and momentum J = p.xi(q). J
 * changes by what forces and constraints do along xi, and by the residual. The residual is
 * round-off where xi leaves the (discrete) Lagrangian invariant.
 */
typedef struct bxt_symmetry_entry {
	size_t size; /* sizeof(bxt_symmetry_entry) */
	const char *path;
	double start, end;          /* J */
	double forces, constraints; /* what they supplied */
	double residual;            /* the largest of any step */
	double scale;               /* the largest sum of |p_i xi_i|: the scale of J's round-off */
	bool affine; /* xi is affine: J is quadratic, and Gauss schemes conserve it */
} bxt_symmetry_entry;

/* What a run did. Arrays belong to the summary. */
typedef struct bxt_summary {
	size_t size; /* sizeof(bxt_summary), set by bxt_run */
	const char *scheme, *solver, *solver_reason;
	long steps, newton_iterations, most_iterations, factorizations, refactorizations, halvings;
	double t, step;
	int unknowns, coordinates, rows, references, loops;
	int left_out;      /* dependent rows that the last step left out */
	long rank_changes; /* changes of the constraints' rank during the run */
	size_t nonzeros, factor_nonzeros, system_bytes;
	double rcond;
	bool affine, energy_exact;
	bool energy_bounded; /* the energy error has no trend: symmetric and variational schemes */
	double energy_largest; /* of a part at any time: the scale of round-off of energies [J] */
	bxt_ledger_entry total, *ledger;
	bxt_drift_entry *drift;
	bxt_symmetry_entry *symmetry;
	size_t n_ledger, n_drift, n_symmetry;
	struct {
		double compile, evaluate, factor, solve, monitor, total;
	} seconds;    /* compile: set by the caller */
	void *memory; /* owns the arrays */
	bxt_trust_figures trust;
	long order, every;            /* of the scheme, on smooth models; steps for each row */
	const bxt_accuracy *accuracy; /* (n_accuracy) set by the caller; NULL: none */
	size_t n_accuracy;
	const struct bxt_column *columns; /* (n_columns) what was recorded */
	size_t n_columns;
	bxt_step_figures taken; /* its size is 0 of a run that did not begin */
	double trust_seconds;   /* looking for roots, ringing and coarse steps, beside `seconds` */
} bxt_summary;
/* Frees the arrays of a summary; NULL is allowed. Level: often. */
BXT_API void bxt_summary_free(bxt_summary *summary);

/* The summary as one JSON object. BXT_ERR_IO when the stream fails; BXT_ERR_ARGUMENT when the run
 * did not begin. This holds for the two functions below as well. Level: often. */
BXT_API bxt_status bxt_summary_write_json(const bxt_summary *summary, FILE *stream);
/* The summary as text, without the figures of the work that the run took. Level: rare. */
BXT_API bxt_status bxt_summary_write_brief(const bxt_summary *summary, FILE *stream);
/* The summary as text, with all figures. Level: often. */
BXT_API bxt_status bxt_summary_write_text(const bxt_summary *summary, FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
