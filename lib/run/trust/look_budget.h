/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limit on the cost of computing the roots of a step. Costs are counted in multiplications, so that
 * every run of a model makes the same decisions. Small models never reach the limit. For large
 * ones, fewer vectors are used, which find the largest roots only, or the computation is postponed.
 */
#ifndef BXT_TRUST_LOOK_BUDGET_H
#define BXT_TRUST_LOOK_BUDGET_H

#include "motion/step/spectrum.h"
#include "run/account/account.h"

typedef struct bxt_look_budget {
	double worked; /* multiplications of all steps so far */
	double spent;  /* multiplications of all computations of roots so far */
} bxt_look_budget;

/* Adds the work of a step that was solved. */
void bxt_look_budget_step(bxt_look_budget *budget, const bxt_stepper *st);
/* Returns how many vectors may be used now, at most `vectors`; 0: the computation has to wait. */
int bxt_look_budget_vectors(const bxt_look_budget *budget, const bxt_spectrum *spectrum,
			    int vectors);
void bxt_look_budget_spend(bxt_look_budget *budget, const bxt_spectrum *spectrum, int vectors);
void bxt_look_budget_keep(bxt_look_budget *budget, bxt_account *account);

#endif
