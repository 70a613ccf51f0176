/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a netlist without subsystems in modes: q = q0 + U x, with the flows U x'.
 *
 *     modes   each element becomes one of L(q0 + U x, U x') and of the forces along U; nodes and
 *             rows A v = 0 are no more, as A U = 0
 *     rows    all stays, and rows v - U x' = 0 with massless x are added
 */
#ifndef BXT_REDUCE_WRITE_MODES_H
#define BXT_REDUCE_WRITE_MODES_H

#include "ground/base/text.h"
#include "model/system/system.h"

typedef struct bxt_modes {
	const bxt_system *system;
	bxt_library *library;
	int n, r;           /* coordinates of the system, modes */
	const double *q0;   /* (n) */
	const double *u;    /* (n x r) by columns */
	const double *rate; /* (r) x' at the start */
	/* (r x rows) by columns: x and x' of the snapshots, U^T M (q - q0) and U^T M v */
	const double *at, *moving;
	const bool *left_out; /* (elements) they do not enter; NULL: none */
	const double *weight; /* (elements) of L, losses and forces; NULL: 1 */
} bxt_modes;

/* Into a copy of the system's netlist; signals of <record> become outputs of elements in modes.
 * BXT_ERR_MODEL after findings: what cannot be written so. */
bxt_status bxt_write_modes(bxt_netlist *netlist, const bxt_modes *modes, bxt_diagnostics *d);
bxt_status bxt_write_rows(bxt_netlist *netlist, const bxt_modes *modes, bxt_diagnostics *d);
/* The signal in modes that equals a coordinate or flow; NULL when out of memory. */
const char *bxt_modes_signal(bxt_arena *arena, const char *name);

#endif
