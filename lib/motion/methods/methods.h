/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plug board of motion. It lists the step methods and the closings, which are defined in files
 * of their own, and selects the method that steps a model with given settings.
 */
#ifndef BXT_METHODS_METHODS_H
#define BXT_METHODS_METHODS_H

#include "motion/step/closing.h"
#include "motion/step/method.h"

/* The rows, each at the end of its file in methods/, or in step/closing.c. */
extern const bxt_step_method bxt_method_single_stage, bxt_method_rectangle_border,
	bxt_method_charts, bxt_method_blocks, bxt_method_discrete_gradient, bxt_method_runge_kutta,
	bxt_method_shooting, bxt_method_lie_midpoint, bxt_method_lie_galerkin, bxt_method_lie_rule,
	bxt_method_projected_ends, bxt_method_moreau;
extern const bxt_closing bxt_closing_both_ends, bxt_closing_positions, bxt_closing_momenta,
	bxt_closing_end, bxt_closing_loops;

extern const bxt_plug_board bxt_motion;

/* BXT_ERR_MODEL after findings: none of the scheme's methods can step the system with these
 * settings. */
bxt_status bxt_methods_check(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d);
/* Prints the properties of the scheme's methods in a model, a line each. */
void bxt_methods_describe(const bxt_system *s, const bxt_settings *settings, FILE *stream);
/* The method that solves its own equations, NULL: none; *setting: the setting that selects it, such
 * as "the scheme rk4". */
const bxt_step_method *bxt_methods_by_itself(const bxt_settings *settings, const char **setting);
/* The settings of the step that checks a model at its start: one stage of gauss1, except for
 * methods with flows_alone. Failures of another scheme beyond this check are properties of that
 * scheme (trust/trust.h). */
void bxt_methods_judge(const bxt_settings *settings, bxt_settings *judge);

#endif
