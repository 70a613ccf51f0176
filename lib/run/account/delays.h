/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Delays of a run. Values that enter them at the stages of a step go to the history of the state
 * (scheme/history.h). The values under way there have an energy in the ledger,
 *
 *     E = sum g int_{t-T}^t y^2,   E' = sum g (f^2 - y^2),
 *
 * f the value that enters a delay, y the value that leaves it, g its attribute `energy`. The energy
 * of a lossless line is what its ports have received (F. H. Branin, Transient analysis of lossless
 * transmission lines, Proc. IEEE 55, 1967).
 */
#ifndef BXT_ACCOUNT_DELAYS_H
#define BXT_ACCOUNT_DELAYS_H

#include "motion/scheme/history.h"
#include "motion/scheme/settings.h"
#include "motion/step/quadrature.h"
#include "run/account/grid_point.h"

typedef struct bxt_delays bxt_delays;

/* *out NULL: the system has none. */
bxt_status bxt_delays_new(const bxt_system *s, const bxt_settings *settings, bxt_arena *arena,
			  bxt_delays **out);
void bxt_delays_free(bxt_delays *p);
/* Adds E' of each delay, by the weights of the step, to `supplied` (elements) by slot; returns the
 * sum. */
double bxt_delays_supply(bxt_delays *p, bxt_evaluator *e, const bxt_quadrature_list *list,
			 const int *slot_of_element, double *supplied);
/* Appends the step of the last bxt_delays_supply, which began at t0, to the history of the state at
 * its end; inside: the latest time at which the step evaluates sources. */
bxt_status bxt_delays_keep_step(bxt_delays *p, bxt_evaluator *e, double t0,
				const struct bxt_state *end, double inside);
/* The same for the state at which a step begins apart from the last one, with the delays at that
 * time. */
bxt_status bxt_delays_read_begin(bxt_delays *p, bxt_evaluator *e, const struct bxt_state *state,
				 double inside);
void bxt_delays_keep(bxt_delays *p, bxt_account *account);
/* The next step begins apart from where the last one ended. */
void bxt_delays_forget(bxt_delays *p);
/* The energy of delay k at the time t. */
double bxt_delays_energy(const bxt_delays *p, const bxt_history *history, int k, double t);

/* Checks that the run can have the model's delays. BXT_ERR_MODEL after findings: the scheme is no
 * collocation scheme, or steps are longer than a delay. */
bxt_status bxt_check_delays(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d);
/* Checks that the values under way in the state come from steps with that many stages. A state
 * without any begins its history. BXT_ERR_MODEL after a finding. */
bxt_status bxt_delays_go_on(const bxt_system *s, const bxt_settings *settings, int stages,
			    struct bxt_state *state, bxt_diagnostics *d);
/* Makes the history of a run that starts at the state: constant values, with the flows of an
 * operating point. */
bxt_status bxt_delays_start(const bxt_system *s, const bxt_settings *settings,
			    struct bxt_state *state);

#endif
