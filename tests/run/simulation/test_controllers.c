/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Controllers as functions, against the same law in a loop, and over states. */
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double H = 1e-3, SET = 2, KP = 8, KI = 30;
enum { PERIOD = 5, STEPS = 400 };

/* A mass that a force drives against a damper. */
static const char PLANT[] =
	NETLIST("<input name='F' default='0'/><input name='G' default='0'/>"
		"<mass id='M' a='a' m='0.5 kg'/><damper id='D' a='a' b='wall' c='1 N.s/m'/>"
		"<force-actuator id='A' a='wall' b='a'/><signal to='A.u'>F + 0*G</signal>");

typedef struct pi_state {
	double integral;
	long calls;
} pi_state;

static double pi_law(pi_state *s, double v)
{
	s->integral += KI * PERIOD * H * (SET - v);
	s->calls++;
	return KP * (SET - v) + s->integral;
}

static int pi_step(void *context, void *remembered, double t, const double *read, double *write,
		   char *error, size_t error_size)
{
	(void)context, (void)t, (void)error, (void)error_size;
	write[0] = pi_law(remembered, read[0]);
	return 0;
}

static bxt_simulation *begin(model *m)
{
	bxt_run_def def;
	bxt_simulation *s = NULL;
	bxt_default_run_def(&def);
	def.step = H;
	def.record = "node(a).v";
	ck_assert_int_eq(bxt_simulation_new(m->system, &def, m->findings, &s), BXT_OK);
	return s;
}

static double speed(bxt_simulation *s)
{
	double v;
	ck_assert_int_eq(bxt_simulation_read(s, &v), BXT_OK);
	return v;
}

static bxt_controller_def pi_def(double delay)
{
	bxt_controller_def def;
	bxt_default_controller_def(&def);
	def.reads = "node(a).v";
	def.writes = "F";
	def.period = PERIOD * H;
	def.delay = delay;
	def.step = pi_step;
	def.remembered_size = sizeof(pi_state);
	return def;
}

static void add_pi(model *m, bxt_simulation *s, double delay)
{
	const bxt_controller_def def = pi_def(delay);
	ck_assert_int_eq(bxt_simulation_add_controller(s, &def, m->findings), BXT_OK);
}

/* Without and with a delay of 0, 2 and 12 steps, which is more than a period. */
static const int delays[] = {0, 2, 12};

START_TEST(as_in_a_loop)
{
	const int delay = delays[_i];
	model m = model_of_text(PLANT);
	bxt_simulation *a = begin(&m), *b = begin(&m);
	double force[STEPS + 20] = {0}, value = 0;
	const size_t F = 0;
	pi_state law = {0};
	add_pi(&m, a, delay * H);
	for (int k = 0; k < STEPS; k++) {
		if (k % PERIOD == 0) {
			const double f = pi_law(&law, speed(b));
			for (int j = k + delay; j < STEPS + 20; j++)
				force[j] = f;
		}
		if (force[k] != value || k == 0)
			ck_assert_int_eq(bxt_simulation_set_inputs(b, 1, &F, &force[k], NULL),
					 BXT_OK);
		value = force[k];
		ck_assert_int_eq(bxt_simulation_step(a, 1, NULL, m.findings), BXT_OK);
		ck_assert_int_eq(bxt_simulation_step(b, 1, NULL, m.findings), BXT_OK);
		ck_assert_msg(speed(a) == speed(b), "step %d: %.17g, %.17g", k, speed(a), speed(b));
	}
	ck_assert_msg(delay > 2 || fabs(speed(a) - SET) < 0.2, "%g", speed(a));
	bxt_simulation_free(a);
	bxt_simulation_free(b);
	model_free(&m);
}
END_TEST

/* A state has what controllers remember, and what waits. */
START_TEST(over_states)
{
	model m = model_of_text(PLANT);
	bxt_simulation *s = begin(&m), *copy;
	bxt_state *state;
	add_pi(&m, s, 12 * H);
	ck_assert_int_eq(bxt_simulation_step(s, 33, NULL, m.findings), BXT_OK);
	ck_assert_int_eq(bxt_simulation_get_state(s, &state), BXT_OK);
	ck_assert_int_eq(bxt_simulation_copy(s, m.findings, &copy), BXT_OK);
	ck_assert_int_eq(bxt_simulation_step(s, 100, NULL, m.findings), BXT_OK);
	ck_assert_int_eq(bxt_simulation_step(copy, 100, NULL, m.findings), BXT_OK);
	const double v = speed(s);
	ck_assert(speed(copy) == v);
	ck_assert_int_eq(bxt_simulation_set_state(s, state, m.findings), BXT_OK);
	ck_assert_int_eq(bxt_simulation_step(s, 100, NULL, m.findings), BXT_OK);
	ck_assert(speed(s) == v);
	ck_assert_int_eq(bxt_simulation_reset(s, m.findings), BXT_OK);
	const double zero = 0;
	const size_t F = 0;
	ck_assert_int_eq(bxt_simulation_set_inputs(s, 1, &F, &zero, NULL), BXT_OK);
	ck_assert_int_eq(bxt_simulation_step(s, 133, NULL, m.findings), BXT_OK);
	ck_assert_msg(fabs(speed(s) - v) <= 1e-13, "%.17g, %.17g", speed(s), v);
	bxt_state_free(state);
	bxt_simulation_free(s);
	bxt_simulation_free(copy);
	model_free(&m);
}
END_TEST

/* After a step that was cut the grid of controllers is met again. */
START_TEST(cut_steps)
{
	model m = model_of_text(PLANT);
	bxt_simulation *s = begin(&m);
	double force;
	double both[2];
	bxt_controller_def def = pi_def(0);
	def.period = H;
	ck_assert_int_eq(bxt_simulation_add_controller(s, &def, m.findings), BXT_OK);
	ck_assert_int_eq(bxt_simulation_step_to(s, 3.5 * H, 0, m.findings), BXT_OK);
	ck_assert(fabs(bxt_simulation_time(s) - 3.5 * H) < 1e-15);
	ck_assert_int_eq(bxt_simulation_get_inputs(s, both), BXT_OK);
	force = both[0];
	ck_assert_int_eq(bxt_simulation_step(s, 1, NULL, m.findings), BXT_OK);
	ck_assert_msg(fabs(bxt_simulation_time(s) - 4 * H) < 1e-15, "%g", bxt_simulation_time(s));
	ck_assert_int_eq(bxt_simulation_step(s, 1, NULL, m.findings), BXT_OK);
	ck_assert_int_eq(bxt_simulation_get_inputs(s, both), BXT_OK);
	ck_assert(both[0] != force);
	bxt_simulation_free(s);
	model_free(&m);
}
END_TEST

struct meddler {
	bxt_simulation *s;
	int refused, allowed;
};

/* Calls everything that would change what the step is using. */
static void meddle(struct meddler *m)
{
	bxt_state *state = NULL;
	bxt_simulation *copy = NULL;
	double v, inputs[2];
	const size_t k = 0;
	const bxt_controller_def def = pi_def(0);
	const bxt_status refused[] = {
		bxt_simulation_step(m->s, 1, NULL, NULL),
		bxt_simulation_step_to(m->s, 1, 0, NULL),
		bxt_simulation_reset(m->s, NULL),
		bxt_simulation_get_state(m->s, &state),
		bxt_simulation_copy(m->s, NULL, &copy),
		bxt_simulation_set_parameters(m->s, 1, &k, &(double){2}, NULL),
		bxt_simulation_set_vectors(m->s, NULL, NULL, NULL),
		bxt_simulation_add_controller(m->s, &def, NULL)};
	for (int i = 0; i < COUNT(refused); i++)
		m->refused += refused[i] == BXT_ERR_ARGUMENT;
	m->allowed += bxt_simulation_read(m->s, &v) == BXT_OK;
	m->allowed += bxt_simulation_get_inputs(m->s, inputs) == BXT_OK;
	m->allowed += bxt_simulation_set_inputs(m->s, 1, &k, inputs, NULL) == BXT_OK;
}

static bool meddles_after(void *context, double t)
{
	(void)t;
	meddle(context);
	return true;
}

static int meddles(void *context, void *remembered, double t, const double *read, double *write,
		   char *error, size_t error_size)
{
	(void)remembered, (void)t, (void)read, (void)write, (void)error, (void)error_size;
	meddle(context);
	return 0;
}

/* What a function calls back must not change what the step is using. */
START_TEST(called_back)
{
	model m = model_of_text(PLANT);
	struct meddler context = {begin(&m), 0, 0};
	bxt_controller_def def = pi_def(0);
	def.step = meddles;
	def.context = &context;
	def.period = 0;
	ck_assert_int_eq(bxt_simulation_add_controller(context.s, &def, m.findings), BXT_OK);
	ck_assert_int_eq(bxt_simulation_observe(context.s, meddles_after, &context), BXT_OK);
	ck_assert_int_eq(bxt_simulation_step(context.s, 5, NULL, m.findings), BXT_OK);
	ck_assert_int_eq(bxt_simulation_step_to(context.s, 7 * H, 0, m.findings), BXT_OK);
	ck_assert_int_eq(context.refused, 2 * 7 * 8);
	ck_assert_int_eq(context.allowed, 2 * 7 * 3);
	bxt_simulation_free(context.s);
	model_free(&m);
}
END_TEST

static int fails(void *context, void *remembered, double t, const double *read, double *write,
		 char *error, size_t error_size)
{
	(void)context, (void)remembered, (void)read;
	write[0] = t > 0.0205 ? NAN : 0;
	if (t > 0.0105 && context)
		snprintf(error, error_size, "the valve is stuck");
	return context && t > 0.0105;
}

START_TEST(failures)
{
	model m = model_of_text(PLANT);
	bxt_simulation *s = begin(&m);
	bxt_controller_def def = pi_def(0);
	long done;
	def.writes = "F, H";
	ck_assert_int_eq(bxt_simulation_add_controller(s, &def, m.findings), BXT_ERR_MODEL);
	ck_assert(has_finding(&m, BXT_ERROR, "'H', which is no input"));
	def.writes = "F";
	def.reads = "node(b).v";
	ck_assert_int_eq(bxt_simulation_add_controller(s, &def, m.findings), BXT_ERR_MODEL);
	def.reads = NULL;
	def.period = 1.5 * H;
	ck_assert_int_eq(bxt_simulation_add_controller(s, &def, m.findings), BXT_ERR_MODEL);
	def.period = 0;
	def.step = fails;
	def.context = &def;
	ck_assert_int_eq(bxt_simulation_add_controller(s, &def, m.findings), BXT_OK);
	ck_assert_int_eq(bxt_simulation_step(s, 100, &done, m.findings), BXT_ERR_PLUGIN);
	ck_assert_int_eq(done, 11);
	ck_assert(has_finding(&m, BXT_ERROR, "the valve is stuck"));
	bxt_simulation_free(s);
	s = begin(&m);
	def.context = NULL;
	ck_assert_int_eq(bxt_simulation_add_controller(s, &def, m.findings), BXT_OK);
	ck_assert_int_eq(bxt_simulation_step(s, 100, &done, m.findings), BXT_ERR_NOT_FINITE);
	ck_assert_int_eq(done, 21);
	bxt_simulation_free(s);
	model_free(&m);
}
END_TEST

TEST_SUITE("controllers as functions")
{
	const test_case tests[] = {
		{"as in a loop", as_in_a_loop, .loops = COUNT(delays)},
		{"over states", over_states},
		{"cut steps", cut_steps},
		{"called back", called_back},
		{"failures", failures},
	};
	ADD_TESTS(tests);
}
