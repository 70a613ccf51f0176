/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The choice of the linear solver of a run, if the settings select none. */
#ifndef BXT_INITIAL_SOLVER_CHOICE_H
#define BXT_INITIAL_SOLVER_CHOICE_H

#include "model/system/system.h"
#include "motion/scheme/settings.h"

/*
 * Chooses by counts of entries in a row, unknowns and entries of the factors, never by measured
 * times. Sets solver and solver_reason unless a solver is set. BXT_ERR_MEMORY.
 */
bxt_status bxt_choose_solver(const bxt_system *s, bxt_settings *out);

#endif
