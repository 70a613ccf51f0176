/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks for the runs of any scheme. */
#ifndef BXT_TESTS_SUPPORT_RUN_CHECKS_H
#define BXT_TESTS_SUPPORT_RUN_CHECKS_H

#include "boxtimes.h"

/*
 * The largest entry of |J^T W J - W| of a step's map near base = (q, p), (2 n), J by central
 * differences; the coordinates of the system are its state, n <= 4.
 */
double asymplecticity(const bxt_system *s, const bxt_run_def *def, const double *base);

/*
 * Lets each allocation of the start and of the run fail once: the result is BXT_ERR_MEMORY or
 * success.
 */
void fail_each_allocation(const char *xml, const bxt_run_def *def);

#endif
