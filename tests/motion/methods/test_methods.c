/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of step methods, what they publish of a step, and what they refuse. */
#include "motion/methods/methods.h"
#include "motion/step/stepper.h"
#include "support/harness.h"

#include <check.h>
#include <math.h>
#include <string.h>

#define LENGTH(x) (sizeof x / sizeof *x)

START_TEST(table_is_whole)
{
	bool named[BXT_METHOD_COUNT] = {false};
	ck_assert_ptr_null(bxt_motion.method[BXT_METHOD_END]);
	for (int k = 1; k < BXT_METHOD_COUNT; k++) {
		const bxt_step_method *m = bxt_motion.method[k];
		ck_assert_msg(m && m->name && m->doc, "method %d", k);
		ck_assert_msg(m->create && m->move && m->residual && m->jacobian && m->advance &&
				      m->quadrature,
			      "method '%s' lacks what every step needs", m->name);
		ck_assert_msg(!m->failed == !m->reason, "%s", m->name);
		for (int other = 1; other < k; other++)
			ck_assert_str_ne(m->name, bxt_motion.method[other]->name);
	}
	for (int k = 0; bxt_schemes[k]; k++) {
		const bxt_method_id *id = bxt_schemes[k]->method;
		ck_assert_msg(*id != BXT_METHOD_END, "nothing steps %s", bxt_schemes[k]->name);
		for (; *id != BXT_METHOD_END; id++)
			named[*id] = true;
	}
	for (int k = 1; k < BXT_METHOD_COUNT; k++)
		ck_assert_msg(named[k], "no scheme names '%s'", bxt_motion.method[k]->name);
	for (int k = 0; k < BXT_CLOSINGS; k++)
		ck_assert(bxt_motion.closing[k]->name && bxt_motion.closing[k]->create &&
			  bxt_motion.closing[k]->free);
}
END_TEST

/* One step; its list is of the stepper. */
static bxt_stepper *one_step(model *m, const bxt_run_def *def, bxt_settings *settings,
			     bxt_state **state)
{
	bxt_stepper *st = NULL;
	ck_assert_int_eq(bxt_initialize(m->system, def, m->findings, state), BXT_OK);
	ck_assert_int_eq(bxt_settings_resolve(m->system, def, m->findings, settings), BXT_OK);
	ck_assert_int_eq(bxt_stepper_new(m->system, settings, *state, &st), BXT_OK);
	const double h = settings->scheme->backward ? -settings->step : settings->step;
	ck_assert_int_eq(bxt_stepper_solve(st, *state, h), BXT_OK);
	ck_assert_int_eq(bxt_stepper_advance(st, *state, (*state)->t + h), BXT_OK);
	return st;
}

static void check_weights(const char *file, const bxt_run_def *def)
{
	model m = model_of_file(file);
	bxt_settings settings;
	bxt_state *state = NULL;
	bxt_stepper *st = one_step(&m, def, &settings, &state);
	const bxt_quadrature_list *list = bxt_stepper_quadrature(st);
	double forces = 0, impulses = 0;
	ck_assert_int_eq(list->entry[0].kind, BXT_ENTRY_STAGE);
	for (int i = 0; i < list->n; i++) {
		const bxt_quadrature_entry *e = &list->entry[i];
		if (e->kind == BXT_ENTRY_STAGE)
			impulses += e->weight_impulse;
		if (!e->forces)
			continue;
		forces += e->weight;
		if (e->at_ends) /* f^- and f^+ are the whole of it */
			ck_assert_double_eq_tol(e->share[0] + e->share[1], 1, 1e-14);
	}
	ck_assert_msg(fabs(forces - list->h) < 1e-14 * fabs(list->h),
		      "%s, %s %s: weights are %.17g of a step %g", file, settings.scheme->name,
		      settings.rule->name, forces, list->h);
	ck_assert_msg(fabs(impulses - 1) < 1e-14, "%s, %s %s: impulses %.17g", file,
		      settings.scheme->name, settings.rule->name, impulses);
	bxt_stepper_free(st);
	bxt_state_free(state);
	model_free(&m);
}

/* All of them step a model without rows whose inertia is regular. */
START_TEST(weights_of_schemes)
{
	for (int k = 0; bxt_schemes[k]; k++)
		check_weights("henon-heiles.xml", &(bxt_run_def){.size = sizeof(bxt_run_def),
								 .scheme = bxt_schemes[k]->name});
}
END_TEST

START_TEST(weights_of_rules)
{
	for (int k = 0; bxt_rules[k].name; k++)
		for (int back = 0; back < 2; back++)
			check_weights("henon-heiles.xml",
				      &(bxt_run_def){.size = sizeof(bxt_run_def),
						     .scheme = back ? "dirac-" : "dirac+",
						     .rule = bxt_rules[k].name,
						     .theta = "0.3"});
}
END_TEST

/* Kicks at both ends, on rows that take part, and moves between points that lie where they say. */
START_TEST(list_of_a_projected_step)
{
	model m = model_of_file("four-bar.xml");
	bxt_settings settings;
	bxt_state *state = NULL;
	bxt_stepper *st = one_step(
		&m,
		&(bxt_run_def){.size = sizeof(bxt_run_def), .scheme = "gauss2", .projection = "on"},
		&settings, &state);
	const bxt_quadrature_list *list = bxt_stepper_quadrature(st);
	const bxt_quadrature_entry *last = bxt_quadrature_end(list);
	int kicks = 0, rows = 0;
	ck_assert_ptr_eq(st->method, &bxt_method_blocks);
	ck_assert_ptr_nonnull(last);
	ck_assert_double_eq(last->t, state->t);
	ck_assert_mem_eq(last->q, state->q, (size_t)m.system->n * sizeof *state->q);
	for (int i = 0; i < list->n; i++)
		kicks += list->entry[i].kind == BXT_ENTRY_KICK;
	ck_assert_int_eq(kicks, 2);
	for (int i = m.system->n; i < m.system->spare; i++)
		rows += last->takes_part[i] >= 0;
	ck_assert_int_eq(rows, st->unknowns.n_end_rows);
	bxt_stepper_free(st);
	bxt_state_free(state);
	model_free(&m);
}
END_TEST

/* A method refuses, by name, what it cannot step; none refuses what it can. */
START_TEST(refusals)
{
	static const struct {
		bxt_method_id method;
		const char *file, *words;
		bxt_run_def def;
	} cases[] = {
		{BXT_METHOD_RUNGE_KUTTA,
		 "rlc-parallel.xml",
		 "steps models without constraints",
		 {.size = sizeof(bxt_run_def), .scheme = "rk4"}},
		{BXT_METHOD_SHOOTING,
		 "rlc-parallel.xml",
		 "constraint rows",
		 {.size = sizeof(bxt_run_def), .scheme = "dirac+", .rule = "taylor3-gauss2"}},
		{BXT_METHOD_CHARTS,
		 "four-bar.xml",
		 "theta 0",
		 {.size = sizeof(bxt_run_def), .scheme = "theta", .theta = "0"}},
	};
	model kind = model_of_file("henon-heiles.xml");
	for (size_t k = 0; k < LENGTH(cases); k++) {
		const bxt_step_method *method = bxt_motion.method[cases[k].method];
		model m = model_of_file(cases[k].file);
		bxt_settings settings;
		ck_assert_ptr_nonnull(method->check);
		ck_assert_int_eq(
			bxt_settings_resolve(m.system, &cases[k].def, m.findings, &settings),
			BXT_ERR_MODEL);
		ck_assert_msg(has_finding(&m, BXT_ERROR, cases[k].words), "%s", method->name);
		ck_assert_int_eq(
			bxt_settings_resolve(kind.system, &cases[k].def, kind.findings, &settings),
			BXT_OK);
		ck_assert_int_eq(method->check(kind.system, &settings, kind.findings), BXT_OK);
		model_free(&m);
	}
	model_free(&kind);
}
END_TEST

TEST_SUITE("step methods")
{
	const test_case tests[] = {
		{"table", table_is_whole},
		{"weights of schemes", weights_of_schemes},
		{"weights of rules", weights_of_rules},
		{"projected", list_of_a_projected_step},
		{"refusals", refusals},
	};
	ADD_TESTS(tests);
}
