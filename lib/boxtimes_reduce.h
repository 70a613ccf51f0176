/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Model reduction. Included by boxtimes.h. */
#ifndef BOXTIMES_REDUCE_H
#define BOXTIMES_REDUCE_H

#include "boxtimes_records.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bxt_reduce_def {
	/* sizeof(bxt_reduce_def), set by bxt_default_reduce_def; fields that a later library
	 * appends count as absent */
	size_t size;
	const char *part; /* a subsystem at the top; NULL: all that can be reduced */
	int modes;        /* of each part; 0: by the tolerance */
	double tolerance; /* part of the norm of the snapshots that may be lost */
	/* NULL: "pod", "matrices". "modes" and "rows" are of the whole model, by "pod" */
	const char *method, *as;
	const bxt_table *snapshots; /* coordinates and flows; NULL: a run is made */
	bxt_run_def run;            /* of the model, for snapshots and to compare */
	/* Of "modes": elements get weights, as many of them 0 as weights allow whose inertia and
	 * forces differ by that part of their size. 0: all elements stay as they are. */
	double weights;
} bxt_reduce_def;
/* Sets the size and the defaults of a definition. Level: rare. */
BXT_API void bxt_default_reduce_def(bxt_reduce_def *def);

/* The reduction of one part. */
typedef struct bxt_reduced_part {
	size_t size;      /* sizeof(bxt_reduced_part) */
	const char *path; /* "" for the model itself */
	int unknowns;     /* coordinates and rows that it had */
	int states;       /* with energy */
	int at_once;      /* without energy, for what ports cause at once */
	int ports;        /* coordinates of ports */
	int flow_ports;   /* of those, with the flow as input */
	double kept;      /* energy sum of the snapshots that is kept, 0 to 1; NaN: not known */
	/* smallest eigenvalue of R by the largest entry of J and R: not below round-off where the
	 * part is passive; NaN: not computed */
	double least_loss;
	const double *singular; /* (n_singular) of the snapshots, descending */
	size_t n_singular;
	int iterations; /* 0: none are made */
	bool stagnated; /* they did not converge */
	int weighed[2]; /* elements that may get weights, and those that are left; 0: no weights */
	double misfit;  /* of inertia and forces with weights, relative */
} bxt_reduced_part;

/* A signal at a port, in the runs of the model and of the reduced one. */
typedef struct bxt_reduced_signal {
	size_t size; /* sizeof(bxt_reduced_signal) */
	const char *name;
	double largest, scale, relative, at; /* as in bxt_difference */
} bxt_reduced_signal;

/* Everything belongs to it. */
typedef struct bxt_reduction {
	size_t size; /* sizeof(bxt_reduction) */
	const char *method, *as;
	const bxt_reduced_part *part; /* (n_parts) */
	const bxt_reduced_signal *signal;
	size_t n_parts, n_signals;
	int unknowns[2]; /* of the model, of the reduced one */
	void *memory;
} bxt_reduction;

/*
 * Reduces the parts of a netlist to matrices, each by itself; ports and the rows of
 * <interconnection> stay. Or writes a whole model without subsystems, which need not be linear, in
 * modes: q = q0 + U x, or as rows v - U x' = 0 beside it.
 * *out is a netlist, *about (may be NULL) has its figures; both are the caller's.
 * BXT_ERR_MODEL with findings: a named part that is not linear, negative energy or loss, too few
 * snapshots, names in <fix>, <signal> or <symmetry> that no longer exist. Signals of <record> that
 * no longer exist are omitted with a warning. Numerical failures of the runs. Level: rare.
 */
BXT_API bxt_status bxt_netlist_reduce(const bxt_netlist *netlist, bxt_library *library,
				      const bxt_reduce_def *def, bxt_diagnostics *d,
				      bxt_netlist **out, bxt_reduction **about);
/* Always returns NULL; NULL is allowed. Level: rare. */
BXT_API bxt_reduction *bxt_reduction_free(bxt_reduction *about);
/* Writes it as text. BXT_ERR_IO when the stream fails. Level: rare. */
BXT_API bxt_status bxt_reduction_write_text(const bxt_reduction *about, FILE *stream);

#ifdef __cplusplus
}
#endif

#endif
