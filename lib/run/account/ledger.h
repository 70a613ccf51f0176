/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ledger: the account of energy. It reads steps and never changes them.
 *
 * For each element, subsystem and port it sums over the points of the scheme's own quadrature
 * (weight h b_i, flows V_i, impulses l = h lambda):
 *
 *     dissipated = h v.dR/dv     supplied = h v.f + l.b     through = sum over ports of l_node flow
 *     residual   = E_end - E_start - supplied - through + dissipated - projection
 *                - impact
 *
 * On coordinates of shared ports and bindings, `through` is h v.(D - F) - v.K. If an element has
 * inertia there, its share of p' is unknown; `through` and the residual are then NaN.
 *
 * With Gauss collocation the residual of a quadratic energy is round-off. Moves along W
 * (start/lossless_loops.h) do work: the sources' part is supplied, the rest is the entry
 * "projection".
 *
 * Energy that enters or leaves a delay counts as supplied, energy under way as stored
 * (account/delays.h). The residual of a delay is then the error of interpolation in its history.
 */
#ifndef BXT_ACCOUNT_LEDGER_H
#define BXT_ACCOUNT_LEDGER_H

#include "model/system/together.h"
#include "model/system/velocity.h"
#include "motion/scheme/traits.h"
#include "motion/step/newton.h"
#include "run/account/delays.h"
#include "run/account/drift.h"
#include "run/account/grid_point.h"
#include "run/account/noether.h"
#include "run/account/numerical.h"

typedef struct bxt_ledger {
	const bxt_system *system;
	const bxt_settings *settings;
	bxt_diagnostics *d; /* NULL: findings are dropped */
	bxt_arena *arena;
	bxt_evaluator *evaluator; /* its own: the stepper's points stay untouched */
	bool rows_of_time;        /* A v - b, or what interactions do, are evaluated at a time */
	bxt_together *together;   /* evaluates all stages of a step */
	bxt_velocity *velocity;
	bxt_grid_point *here; /* grid values of the run's states */
	/* Energies [J] by element since the start, in "slots": the order of groups, so that blocks
	 * of elements add up in lanes. */
	int *slot_of_element;                    /* (elements) */
	int *first_slot;                         /* (groups) */
	double *dissipated, *supplied, *through; /* (elements); through: NULL for large models */
	double *moved;         /* (elements) through ports, by moves along W and displacements */
	double *impact;        /* (elements) by events of the state */
	double *energy_start;  /* (elements) stored at the start */
	double *energy;        /* (elements) stored at the last call of bxt_ledger_grid */
	double *energy_before; /* (elements) scratch: before a displacement */
	double *through_port;  /* (exported ports) [J] into the subsystem */
	double projection;     /* [J] of all elements */
	double total_energy, total_start; /* [J] the sums of `energy`, `energy_start` */
	double largest;  /* [J] |energy| of an element, |p v| of a coordinate, at any grid point */
	double *contact; /* (switches) mean multipliers in the last step; NULL unless the scheme
			    captures contacts */
	bool told_flows; /* the finding that momenta determine no flows was added */
	double *x_grid;  /* (size) flows at the grid point, and impulses of the projection */
	double *v, *p;   /* (size) flows from momenta, and these momenta */
	const bxt_quadrature_entry *entry; /* the entry that is being accounted */
	bxt_watch watch;
	double seconds; /* [s] spent here, by `watch` */
	bxt_drift *drift;
	bxt_noether *noether;     /* momentum maps of declared symmetries; NULL: there are none */
	bxt_delays *delays;       /* NULL: there are none */
	bxt_numerical *numerical; /* numerical damping of a Radau scheme; NULL for other schemes */
} bxt_ledger;

/* d receives a finding if momenta determine no flows; may be NULL. */
bxt_status bxt_ledger_new(const bxt_system *s, const bxt_settings *settings, const bxt_state *state,
			  bxt_diagnostics *d, bxt_ledger **out);
bxt_ledger *bxt_ledger_free(bxt_ledger *m);
/* Adds Noether accounts of the declared symmetries. */
bxt_status bxt_ledger_symmetries(bxt_ledger *m, const bxt_state *state);

/* Restarts the integrated drift: other rows have held since the last step of this ledger. */
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
/* Saves or restores all sums since the start. */
void bxt_ledger_keep(bxt_ledger *m, bxt_account *account);

#endif
