/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The linear solver of a run, where none is asked for. */
#ifndef BXT_INITIAL_SOLVER_CHOICE_H
#define BXT_INITIAL_SOLVER_CHOICE_H

#include "model/system/system.h"
#include "motion/scheme/settings.h"

/*
 * Chooses by counts, never by times: entries in a row, unknowns, entries of the factors. Sets
 * solver and solver_reason unless there is a solver. BXT_ERR_MEMORY.
 */
bxt_status bxt_choose_solver(const bxt_system *s, bxt_settings *out);

#endif
