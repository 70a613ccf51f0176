/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Delays of a run: what enters them at the stages of a step goes to the history of the state
 * (scheme/history.h), and what is under way there has its energy in the ledger,
 *
 *     E = sum g int_{t-T}^t y^2,   E' = sum g (f^2 - y^2),
 *
 * f what enters a delay, y what leaves it, g its attribute `energy`. That of a lossless line is
 * what its ports receive (F. H. Branin, Transient analysis of lossless transmission lines, Proc.
 * IEEE 55, 1967).
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
/* Adds E' of each delay, by the weights of the step, to `supplied` (elements) by slot; their sum.
 */
double bxt_delays_supply(bxt_delays *p, bxt_evaluator *e, const bxt_quadrature_list *list,
			 const int *slot_of_element, double *supplied);
/* Appends the step that was supplied last, from t0 on, to the history of the state to which it led;
 * inside: the latest time that the step sees. */
bxt_status bxt_delays_keep_step(bxt_delays *p, bxt_evaluator *e, double t0,
				const struct bxt_state *end, double inside);
/* The same at the state where a step begins apart from the last one, with delays as they are then.
 */
bxt_status bxt_delays_read_begin(bxt_delays *p, bxt_evaluator *e, const struct bxt_state *state,
				 double inside);
void bxt_delays_keep(bxt_delays *p, bxt_account *account);
/* The next step begins apart from where the last one ended. */
void bxt_delays_forget(bxt_delays *p);
/* The energy of delay k at the time t. */
double bxt_delays_energy(const bxt_delays *p, const bxt_history *history, int k, double t);

/* Can the run have delays? BXT_ERR_MODEL after findings: a scheme that does not collocate, steps
 * that are longer than a delay. */
bxt_status bxt_check_delays(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d);
/* What the state has under way must be of steps with that many stages; a state that has none is at
 * the begin of its history. BXT_ERR_MODEL after a finding. */
bxt_status bxt_delays_go_on(const bxt_system *s, const bxt_settings *settings, int stages,
			    struct bxt_state *state, bxt_diagnostics *d);
/* The history of a run that starts at the state: constant, with the flows of an operating point. */
bxt_status bxt_delays_start(const bxt_system *s, const bxt_settings *settings,
			    struct bxt_state *state);

#endif
