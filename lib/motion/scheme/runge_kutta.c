/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Explicit Runge-Kutta methods: baselines for models without constraints. They preserve no
 * structure; their energy drifts. The tableaux are strictly lower triangular; methods/runge_kutta.h
 * has the equations of a stage.
 */
#include "motion/scheme/scheme.h"

static void rk4_stages(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	(void)settings;
	(void)mixture; /* Kutta, 1901 */
	*out = (bxt_stages){
		.s = 4,
		.a = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
		.b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
		.c = {0, 0.5, 0.5, 1},
	};
}

static void rk2_stages(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	(void)settings;
	(void)mixture; /* the explicit midpoint rule, Runge, 1895 */
	*out = (bxt_stages){.s = 2, .a = {{0}, {0.5}}, .b = {0, 1}, .c = {0, 0.5}};
}

static void euler_stages(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	(void)settings;
	(void)mixture;
	*out = (bxt_stages){.s = 1, .b = {1}};
}

const bxt_scheme bxt_scheme_rk4 = {
	.name = "rk4",
	.doc = "the classical Runge-Kutta method, explicit: order 4, models without constraints",
	.order = 4,
	.method = {BXT_METHOD_RUNGE_KUTTA},
	.stages = rk4_stages,
};

const bxt_scheme bxt_scheme_rk2 = {
	.name = "rk2",
	.doc = "explicit midpoint rule: order 2, models without constraints",
	.order = 2,
	.method = {BXT_METHOD_RUNGE_KUTTA},
	.stages = rk2_stages,
};

const bxt_scheme bxt_scheme_euler = {
	.name = "euler",
	.doc = "explicit Euler method: order 1, models without constraints",
	.order = 1,
	.method = {BXT_METHOD_RUNGE_KUTTA},
	.stages = euler_stages,
};
