/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps whose linear systems eliminate the rows of frames are those of the whole systems: a pinned
 * top, a chain of three bodies and a torn pair, with every scheme that meets rows.
 */
#include "motion/step/stepper.h"
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BODY                                                                                       \
	"<component xmlns='urn:boxtimes:component:1' name='solid' domain='test'>"                  \
	"<parameter name='m' unit='kg'/><port name='a' kind='spatial'/><lagrangian>"               \
	"m*((a.vx + 0.4*a.U11 + 0.1*a.U12)^2 + (a.vy + 0.4*a.U21 + 0.1*a.U22)^2 "                  \
	"+ (a.vz + 0.4*a.U31 + 0.1*a.U32)^2 + 0.08*(a.U11^2 + a.U21^2 + a.U31^2) "                 \
	"+ 0.05*(a.U12^2 + a.U22^2 + a.U32^2) + 0.02*(a.U13^2 + a.U23^2 + a.U33^2))/2 "            \
	"- 9.81*m*(a.z + 0.4*a.R31 + 0.1*a.R32)</lagrangian></component>"                          \
	"<component xmlns='urn:boxtimes:component:1' name='joint' domain='test'>"                  \
	"<parameter name='l' unit='m'/>"                                                           \
	"<port name='a' kind='spatial'/><port name='b' kind='spatial'/>"                           \
	"<constraint name='x' kind='position'>b.x - a.x - a.R11*l</constraint>"                    \
	"<constraint name='y' kind='position'>b.y - a.y - a.R21*l</constraint>"                    \
	"<constraint name='z' kind='position'>b.z - a.z - a.R31*l</constraint></component>"
#define NODE(id, x)                                                                                \
	"<node id='" id "' kind='spatial' x='" x " m' wx='2 rad/s' wz='3 rad/s'/>"                 \
	"<solid id='B" id "' a='" id "' m='2 kg'/>"
#define JOINT(a, b, l) "<joint id='J" b "' a='" a "' b='" b "' l='" l " m'/>"

static const char *const top = NETLIST(BODY NODE("a", "0") JOINT("wall", "a", "0"));
static const char *const chain = NETLIST(BODY NODE("a", "0") NODE("b", "1") NODE("c", "2") JOINT(
	"wall", "a", "0") JOINT("a", "b", "1") JOINT("b", "c", "1"));
static const char *const torn = NETLIST(BODY "<subsystem id='r'>" NODE("a", "0") JOINT(
	"wall", "a", "0") "<port id='p' node='a'/></subsystem>"
			  "<subsystem id='s'>" NODE("a",
						    "0") "<port id='p' node='a'/></subsystem>"
							 "<interconnection><connect id='c' a='r.p' "
							 "b='s.p'/></interconnection>");

struct run {
	bxt_state *state;
	bxt_stepper *stepper;
};

static struct run start(model *m, const bxt_run_def *def, bxt_settings *settings)
{
	struct run r = {0};
	ck_assert_int_eq(bxt_initialize(m->system, def, m->findings, &r.state), BXT_OK);
	ck_assert_int_eq(bxt_settings_resolve(m->system, def, m->findings, settings), BXT_OK);
	ck_assert_int_eq(bxt_stepper_new(m->system, settings, r.state, &r.stepper), BXT_OK);
	return r;
}

static void step(struct run *r, int k, double h)
{
	ck_assert_int_eq(bxt_stepper_solve(r->stepper, r->state, h), BXT_OK);
	ck_assert_int_eq(bxt_stepper_advance(r->stepper, r->state, (k + 1) * h), BXT_OK);
}

static void finish(struct run *r)
{
	bxt_stepper_free(r->stepper);
	bxt_state_free(r->state);
}

static size_t factor_entries(const bxt_linsol *s)
{
	size_t entries;
	long full, reused;
	bxt_linsol_counts(s, &entries, &full, &reused);
	return entries;
}

/* The largest difference of coordinates, momenta and multipliers relative to the largest of each.
 */
static double furthest(const bxt_system *s, const struct run *a, const struct run *b)
{
	double most = 0, size[3] = {0}, apart[3] = {0};
	for (int i = 0; i < s->spare; i++) {
		const double *of[3][2] = {{a->state->q, b->state->q},
					  {a->state->p, b->state->p},
					  {a->state->x, b->state->x}};
		for (int k = i < s->n ? 0 : 2; k < 3; k++) {
			size[k] = fmax(size[k], fabs(of[k][0][i]));
			apart[k] = fmax(apart[k], fabs(of[k][0][i] - of[k][1][i]));
		}
	}
	for (int k = 0; k < 3; k++)
		most = fmax(most, apart[k] / size[k]);
	return most;
}

START_TEST(equals_the_whole)
{
	static const struct {
		const char *scheme, *projection;
	} ways[] = {{"gauss1", "off"}, {"gauss2", "off"}, {"gauss3", "off"}, {"radau2", NULL},
		    {"radau3", NULL},  {"gauss2", "on"},  {"dirac+", NULL},  {"dirac-", NULL}};
	const char *const models[] = {top, chain, torn};
	model m = model_of_text(models[_i % 3]);
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = ways[_i / 3].scheme;
	def.projection = ways[_i / 3].projection;
	def.step = 0.01;
	def.end = 1;
	bxt_settings settings[2];
	struct run left = start(&m, &def, &settings[0]), whole = start(&m, &def, &settings[1]);
	bxt_stepper *st = whole.stepper;
	bxt_linsol_free(st->solver);
	st->solver = NULL;
	ck_assert_int_eq(bxt_linsol_create(&bxt_linsol_klu, &st->pattern, &st->solver), BXT_OK);
	/* factors of different price serve differently: none are kept from step to step */
	left.stepper->equations.residual_work = whole.stepper->equations.residual_work = 0;
	for (int k = 0; k < 100; k++) {
		step(&left, k, def.step);
		step(&whole, k, def.step);
		ck_assert_double_lt(furthest(m.system, &left, &whole), 1e-12);
	}
	ck_assert_int_eq(left.stepper->newton.iterations, whole.stepper->newton.iterations);
	if (!settings[0].project_rows)
		ck_assert_uint_lt(2 * factor_entries(left.stepper->solver),
				  factor_entries(whole.stepper->solver));
	finish(&left);
	finish(&whole);
	model_free(&m);
}
END_TEST

TEST_SUITE("frames eliminated")
{
	const test_case tests[] = {
		{"equals the whole", equals_the_whole, .loops = 24},
	};
	ADD_TESTS(tests);
}
