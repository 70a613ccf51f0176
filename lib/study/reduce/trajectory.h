/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of a model: its states as snapshots, and signals to compare. */
#ifndef BXT_REDUCE_TRAJECTORY_H
#define BXT_REDUCE_TRAJECTORY_H

#include "ground/base/text.h"
#include "run/simulation/simulation.h"
#include "study/reduce/basis.h"

typedef struct bxt_trajectory {
	int n;         /* coordinates of the system */
	size_t rows;   /* the start first */
	double *q, *v; /* (n x rows) by columns; only the start unless snapshots are requested */
	size_t n_signals;
	char **name;           /* (n_signals) */
	double *time, *signal; /* (rows), (n_signals x rows) by columns */
} bxt_trajectory;

/*
 * Runs to the end, with a few hundred rows. record: signals, NULL: none. end false: computes only
 * the start.
 */
bxt_status bxt_trajectory_run(const bxt_system *system, const bxt_run_def *def, const char *record,
			      bool snapshots, bool end, bxt_diagnostics *d, bxt_trajectory **out);
bxt_trajectory *bxt_trajectory_free(bxt_trajectory *t);

/* The coordinates of the part among those of the system, by their names; (part->n) in its arena. */
bxt_status bxt_trajectory_find(const bxt_system *system, const bxt_part_model *part, int **out);
/* The snapshots and the start of a part. */
bxt_status bxt_trajectory_cut(const bxt_trajectory *t, const int *where, bxt_part_model *part,
			      bxt_basis *out);
/* The snapshots of a part from a table. BXT_ERR_MODEL after a finding: signals are missing. */
bxt_status bxt_trajectory_of_table(const bxt_table *table, const bxt_part_model *part,
				   bxt_diagnostics *d, bxt_basis *out);

#endif
