/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Properties of the steps of a run, for code that reads its states. They follow from the settings,
 * so that code outside motion does not depend on individual schemes.
 */
#ifndef BXT_SCHEME_TRAITS_H
#define BXT_SCHEME_TRAITS_H

#include "motion/scheme/scheme.h"

typedef struct bxt_step_traits {
	double direction;        /* 1; -1: steps go backward in time, by -h */
	bool symmetric;          /* a step of -h undoes a step of h */
	bool quadratic_balances; /* quadratic energies and momentum maps balance exactly */
	bool exact_energy;       /* the change of stored energy is supply less loss, to round-off */
	bool bounded_energy;     /* the error of the energy has no trend */
	bool massless_momenta;   /* momenta of coordinates without mass are part of the state; else
				  * they follow from the other values of a grid point */
	bool pre_impulse;        /* momenta at a grid point lack half of the impulse there */
	bool events_inside;  /* rows with bounds switch within steps; no step ends at an event */
	bool numerical_loss; /* a step of a model without losses loses energy, which the account
			      * computes from its stages (account/numerical.h) */
} bxt_step_traits;

bxt_step_traits bxt_traits(const bxt_settings *settings);

#endif
