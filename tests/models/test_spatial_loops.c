/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Closed loops in space. A four-bar of four parallel hinges has three rows too many: it moves as
 * the same four-bar in the plane does, and what is left out are rows of hinges, not of frames. A
 * loop whose axes do not fit stands still. A torn loop is the whole one.
 */
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Crank of 1 m on (0, 0), coupler of 2 m, rocker of 1.2 m on (2, -0.2): both upright at the start,
 * and never in one line. The centres of mass are in the middles. */
#define IN_SPACE(last)                                                                             \
	"<node id='a' kind='spatial' x='0 m' y='0.5 m' vx='-0.5 m/s' wz='1 rad/s'/>"               \
	"<node id='b' kind='spatial' x='1 m' y='1 m' yaw='0 rad'/>"                                \
	"<node id='c' kind='spatial' x='2 m' y='0.4 m'/>"                                          \
	"<body id='A' a='a' m='1 kg' Ixx='.1 kg.m2' Iyy='.03 kg.m2' Izz='.1 kg.m2' "               \
	"gy='-9.81 m/s2'/><body id='B' a='b' m='2 kg' Ixx='.03 kg.m2' Iyy='.3 kg.m2' "             \
	"Izz='.3 kg.m2' gy='-9.81 m/s2'/><body id='C' a='c' m='1 kg' Ixx='.1 kg.m2' "              \
	"Iyy='.03 kg.m2' Izz='.1 kg.m2' gy='-9.81 m/s2'/>"                                         \
	"<hinge id='J1' a='wall' b='a' by='-0.5 m'/>"                                              \
	"<hinge id='J2' a='a' b='b' ay='0.5 m' bx='-1 m'/>"                                        \
	"<hinge id='J3' a='b' b='c' ax='1 m' by='0.6 m'/>" last
#define LAST_HINGE "<hinge id='J4' a='wall' b='c' ax='2 m' ay='-0.2 m' by='-0.6 m'/>"
#define IN_THE_PLANE                                                                               \
	"<node id='a' kind='planar' x='0 m' y='0.5 m' vx='-0.5 m/s' omega='1 rad/s'/>"             \
	"<node id='b' kind='planar' x='1 m' y='1 m'/><node id='c' kind='planar' x='2 m' "          \
	"y='0.4 m'/><rigid-body id='A' a='a' m='1 kg' J='.1 kg.m2' g='9.81 m/s2'/>"                \
	"<rigid-body id='B' a='b' m='2 kg' J='.3 kg.m2' g='9.81 m/s2'/>"                           \
	"<rigid-body id='C' a='c' m='1 kg' J='.1 kg.m2' g='9.81 m/s2'/>"                           \
	"<pin id='J1' a='a' ay='-0.5 m'/>"                                                         \
	"<revolute id='J2' a='a' b='b' ay='0.5 m' bx='-1 m'/>"                                     \
	"<revolute id='J3' a='b' b='c' ax='1 m' by='0.6 m'/>"                                      \
	"<pin id='J4' a='c' X='2 m' Y='-0.2 m' ay='-0.6 m'/>"

static bxt_table *run_model(model *m, double step, double end, const char *record)
{
	return model_run(m,
			 &(bxt_run_def){.size = sizeof(bxt_run_def),
					.scheme = "gauss3",
					.step = step,
					.end = end,
					.record = record},
			 NULL);
}

/* Are there findings of rows left out, and does each begin with a hinge's? */
static int hinge_rows_left_out(const model *m)
{
	int n = 0;
	for (size_t i = 0; i < bxt_diagnostics_count(m->findings, BXT_NOTE); i++) {
		const char *text = bxt_diagnostics_get(m->findings, i)->text;
		const char *row = strstr(text, "redundant constraint: ");
		ck_assert_msg(!row || row[strlen("redundant constraint: ")] == 'J', "%s", text);
		n += row != NULL;
	}
	return n;
}

/* The crank turns once around and more in both. */
START_TEST(four_bar)
{
	model space = model_of_text(NETLIST(IN_SPACE(LAST_HINGE)));
	model plane = model_of_text(NETLIST(IN_THE_PLANE));
	bxt_table *s = run_model(&space, 0.0025, 1.5, "node(a).x, node(b).y, node(c).x, energy");
	bxt_table *p = run_model(&plane, 0.0025, 1.5, "node(a).x, node(b).y, node(c).x, energy");
	static const char *const names[] = {"node(a).x", "node(b).y", "node(c).x"};
	for (int k = 0; k < COUNT(names); k++)
		ck_assert_msg(difference(s, names[k], p, names[k]) < 1e-9, "%s: %.3g", names[k],
			      difference(s, names[k], p, names[k]));
	ck_assert_double_gt(largest(s, "node(a).x"), 0.4);
	ck_assert_int_eq(hinge_rows_left_out(&space), 3);
	bxt_table_free(s);
	bxt_table_free(p);
	model_free(&space);
	model_free(&plane);
}
END_TEST

/* A hinge, a ball joint and a universal joint less: nothing is left out, and it moves alike. */
START_TEST(isostatic_loop)
{
	model space = model_of_text(NETLIST(
		"<node id='a' kind='spatial' x='0 m' y='0.5 m' vx='-0.5 m/s' wz='1 rad/s'/>"
		"<node id='b' kind='spatial' x='1 m' y='1 m'/>"
		"<node id='c' kind='spatial' x='2 m' y='0.4 m'/>"
		"<body id='A' a='a' m='1 kg' Ixx='.1 kg.m2' Iyy='.03 kg.m2' Izz='.1 kg.m2' "
		"gy='-9.81 m/s2'/><body id='B' a='b' m='2 kg' Ixx='.03 kg.m2' Iyy='.3 kg.m2' "
		"Izz='.3 kg.m2' gy='-9.81 m/s2'/><body id='C' a='c' m='1 kg' Ixx='.1 kg.m2' "
		"Iyy='.03 kg.m2' Izz='.1 kg.m2' gy='-9.81 m/s2'/>"
		"<hinge id='J1' a='wall' b='a' at='0 0 0' axis='0 0 1'/>"
		"<universal id='J2' a='a' b='b' at='0 1 0' axis='0 0 1' cross='0 1 0'/>"
		"<ball id='J3' a='b' b='c' at='2 1 0'/>"
		"<hinge id='J4' a='wall' b='c' at='2 -0.2 0' axis='0 0 1'/>"));
	model plane = model_of_text(NETLIST(IN_THE_PLANE));
	bxt_table *s = run_model(&space, 0.0025, 1, "node(a).x, node(b).y, node(b).z, node(c).x");
	bxt_table *p = run_model(&plane, 0.0025, 1, "node(a).x, node(b).y, node(c).x");
	static const char *const names[] = {"node(a).x", "node(b).y", "node(c).x"};
	for (int k = 0; k < COUNT(names); k++)
		ck_assert_double_le(difference(s, names[k], p, names[k]), 1e-9);
	ck_assert_double_le(largest(s, "node(b).z"), 1e-12);
	ck_assert_int_eq(hinge_rows_left_out(&space), 0);
	bxt_table_free(s);
	bxt_table_free(p);
	model_free(&space);
	model_free(&plane);
}
END_TEST

/* The coupler is a part of its own, joined at both ends by frames. */
START_TEST(torn_loop)
{
	model whole = model_of_text(NETLIST(IN_SPACE(LAST_HINGE)));
	model torn = model_of_text(NETLIST(
		"<subsystem id='base'>"
		"<node id='a' kind='spatial' x='0 m' y='0.5 m' vx='-0.5 m/s' wz='1 rad/s'/>"
		"<node id='c' kind='spatial' x='2 m' y='0.4 m'/>"
		"<body id='A' a='a' m='1 kg' Ixx='.1 kg.m2' Iyy='.03 kg.m2' Izz='.1 kg.m2' "
		"gy='-9.81 m/s2'/><body id='C' a='c' m='1 kg' Ixx='.1 kg.m2' Iyy='.03 kg.m2' "
		"Izz='.1 kg.m2' gy='-9.81 m/s2'/><hinge id='J1' a='wall' b='a' by='-0.5 m'/>"
		"<hinge id='J4' a='wall' b='c' ax='2 m' ay='-0.2 m' by='-0.6 m'/>"
		"<port id='a' node='a'/><port id='c' node='c'/></subsystem>"
		"<subsystem id='rod'><node id='b' kind='spatial' x='1 m' y='1 m'/>"
		"<node id='a' kind='spatial' x='0 m' y='0.5 m'/>"
		"<node id='c' kind='spatial' x='2 m' y='0.4 m'/>"
		"<body id='B' a='b' m='2 kg' Ixx='.03 kg.m2' Iyy='.3 kg.m2' Izz='.3 kg.m2' "
		"gy='-9.81 m/s2'/><hinge id='J2' a='a' b='b' ay='0.5 m' bx='-1 m'/>"
		"<hinge id='J3' a='b' b='c' ax='1 m' by='0.6 m'/><port id='a' node='a'/>"
		"<port id='c' node='c'/></subsystem><interconnection>"
		"<connect id='one' a='base.a' b='rod.a'/><connect id='two' a='base.c' b='rod.c'/>"
		"</interconnection>"));
	bxt_table *w = run_model(&whole, 0.01, 0.5, "node(a).x, node(b).y, node(b).R11");
	bxt_table *t =
		run_model(&torn, 0.01, 0.5, "node(base.a).x, node(rod.b).y, node(rod.b).R11");
	ck_assert_double_le(difference(w, "node(a).x", t, "node(base.a).x"), 1e-12);
	ck_assert_double_le(difference(w, "node(b).y", t, "node(rod.b).y"), 1e-12);
	ck_assert_double_le(difference(w, "node(b).R11", t, "node(rod.b).R11"), 1e-12);
	bxt_table_free(w);
	bxt_table_free(t);
	model_free(&whole);
	model_free(&torn);
}
END_TEST

TEST_SUITE("loops in space")
{
	const test_case tests[] = {
		{"four-bar", four_bar, .slow = true},
		{"isostatic loop", isostatic_loop, .slow = true},
		{"torn loop", torn_loop, .slow = true},
	};
	ADD_TESTS(tests);
}
