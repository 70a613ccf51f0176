/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What looks at the roots of a step may cost, in multiplications, which are the same in every run.
 * Small models never reach it. Looks of large ones have fewer vectors, which find the largest roots
 * alone, or come later.
 */
#ifndef BXT_TRUST_LOOK_BUDGET_H
#define BXT_TRUST_LOOK_BUDGET_H

#include "motion/step/spectrum.h"
#include "run/account/account.h"

typedef struct bxt_look_budget {
	double worked; /* by steps so far */
	double spent;  /* on looks */
} bxt_look_budget;

/* A step was solved. */
void bxt_look_budget_step(bxt_look_budget *budget, const bxt_stepper *st);
/* How many vectors a look may have now, at most `vectors`; 0: it has to wait. */
int bxt_look_budget_vectors(const bxt_look_budget *budget, const bxt_spectrum *spectrum,
			    int vectors);
void bxt_look_budget_spend(bxt_look_budget *budget, const bxt_spectrum *spectrum, int vectors);
void bxt_look_budget_keep(bxt_look_budget *budget, bxt_account *account);

#endif
