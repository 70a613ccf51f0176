/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ledger: the account of energy, and the drift of rows. It reads steps and never changes them.
 *
 * Ledger, with the scheme's own quadrature (h b_i V_i, and h lambda = l):
 *
 *     dissipated = h v.dR/dv     supplied = h v.f + l.b     through = sum over ports of l_node flow
 *     residual   = E_end - E_start - supplied - through + dissipated - projection
 *                - impact
 *
 * and on coordinates of shared ports and bindings through has h v.(D - F) - v.K. Where an element
 * has inertia there, its part of p' is unknown, so that its through and residual are NaN.
 *
 * The residual vanishes to round-off for quadratic energies with Gauss collocation. Moves along W
 * (start/lossless_loops.h) do work: the sources' part is supply, the rest the entry "projection".
 *
 * Of a delay, what enters and leaves counts as supplied, and what is under way as stored
 * (account/delays.h); the residual is what the interpolation of its history loses.
 *
 * Drift, per family of rows: |A v - b| of each stage, the same at grid points where a projection
 * meets them, and for constant rows |A (q - q_0) - int b|; |phi| of position constraints.
 */
#ifndef BXT_ACCOUNT_LEDGER_H
#define BXT_ACCOUNT_LEDGER_H

#include "model/system/together.h"
#include "model/system/velocity.h"
#include "motion/step/newton.h"
#include "run/account/delays.h"
#include "run/account/grid_point.h"
#include "run/account/noether.h"
#include "run/account/numerical.h"

/* Consecutive kept rows of one family. */
typedef struct bxt_run_of_rows {
	bxt_family family;
	int first, end; /* rows 0 ... m - 1 */
} bxt_run_of_rows;

typedef struct bxt_ledger {
	const bxt_system *system;
	const bxt_settings *settings;
	bxt_diagnostics *d;
	bxt_arena *arena;
	bxt_evaluator *evaluator; /* its own: the stepper's points stay untouched */
	bool rows_of_time;        /* A v - b, or what interactions do, are evaluated at a time */
	bxt_together *together;   /* evaluates all stages of a step */
	bxt_velocity *velocity;
	bxt_grid_point *here; /* grid values of the run's states */
	/* Energy since the start [J] by element, in the order of groups so that blocks add up in
	 * lanes. */
	int *slot_of_element;                    /* (elements) index in the three arrays */
	int *first_slot;                         /* (groups) */
	double *dissipated, *supplied, *through; /* (elements); through is NULL for large models */
	double *moved;        /* (elements) by moves along W and displacements, through ports */
	double *impact;       /* (elements) by events of the state */
	double *contact;      /* (switches) mean multipliers in the last step; NULL: none */
	double *through_port; /* (exported ports) into the subsystem */
	double projection;
	double drift_max[BXT_FAMILY_COUNT], drift_last[BXT_FAMILY_COUNT];
	double drift_q_max[BXT_FAMILY_COUNT], drift_q_last[BXT_FAMILY_COUNT];
	double drift_grid_max[BXT_FAMILY_COUNT], drift_grid_last[BXT_FAMILY_COUNT];
	double drift_position_max, drift_position_last;
	bool has_grid;         /* the scheme meets rows at grid points */
	bool told_flows;       /* was reported: momenta give no flows */
	double *x_grid;        /* (size) flows at the grid point, and impulses of the projection */
	bxt_run_of_rows *runs; /* (n_runs) the kept rows by family */
	int n_runs;
	bxt_sparse
		by_rows;   /* constant A, transposed: column i holds row i; colptr NULL otherwise */
	double *rows;      /* (size) scratch: A v - b */
	double *impulse_b; /* (m) int b dt over the run, when rows have one; else NULL */
	double *q0, *dq, *v;   /* (size) start, difference, flows from momenta */
	double *p;             /* (size) momenta that belong to v */
	double *energy_start;  /* (elements) by slot, like those above */
	double *energy;        /* (elements) of the last call of bxt_ledger_grid */
	double *energy_before; /* (elements) scratch: before a displacement */
	double total_energy, total_start;
	double largest; /* energy of an element or p v of a coordinate, at any grid point */
	const bxt_quadrature_entry *entry; /* while it is accounted */
	bxt_watch watch;
	double seconds;
	bxt_noether *noether; /* momentum maps of declared symmetries; NULL when there is none */
	bxt_delays *delays;   /* NULL: there are none */
	bxt_numerical *numerical; /* what a Radau scheme does by itself; NULL for other schemes */
} bxt_ledger;

/* d receives the finding where momenta give no flows; may be NULL. */
bxt_status bxt_ledger_new(const bxt_system *s, const bxt_settings *settings, const bxt_state *state,
			  bxt_diagnostics *d, bxt_ledger **out);
bxt_ledger *bxt_ledger_free(bxt_ledger *m);
/* Adds Noether accounts of the declared symmetries. */
bxt_status bxt_ledger_symmetries(bxt_ledger *m, const bxt_state *state);

/* The drift of rows begins anew: others have held since the last step of this ledger. */
void bxt_ledger_resume(bxt_ledger *m, const bxt_state *state);
/* Accounts for the step that has just led to the state. */
void bxt_ledger_step(bxt_ledger *m, const bxt_quadrature_list *list, const bxt_state *state);
/* Computes the stored energy of each element and in total at a grid point, and the drift of the
 * integrated rows. Where a scheme carries all momenta, flows are those of p + A^T mu that meet
 * A v = b (start/grid_values.h). */
bxt_status bxt_ledger_grid(bxt_ledger *m, const bxt_state *state);
/* Sum over all elements. */
double bxt_ledger_total(const bxt_ledger *m, const double *by_slot);
/* Fills the summary's total, ledger and drift; memory by malloc, freed with the summary. */
bxt_status bxt_ledger_report(bxt_ledger *m, bxt_summary *summary);
/* What was accounted since the start. */
void bxt_ledger_keep(bxt_ledger *m, bxt_account *account);

#endif
