/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models without any freedom: nothing moves, and multipliers are the reactions, in every scheme. */
#include "support/harness.h"

#include <math.h>

static const char *const schemes[] = {"gauss1", "gauss2", "gauss3", "radau2",
				      "radau3", "dirac+", "theta",  "discrete-gradient"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

#define BAR "3.6055512754639896 m" /* sqrt(13) */

#define SUPPORTS                                                                                   \
	"<node id='a' kind='planar'/><node id='b' kind='planar' x='4 m'/>"                         \
	"<node id='c' kind='planar' x='2 m' y='3 m'/><point-pin id='pa' a='a'/>"                   \
	"<point-pin id='pb' a='b' X='4 m'/><rod id='ac' a='a' b='c' l='" BAR                       \
	"'/><rod id='bc' a='b' b='c' l='" BAR "'/>"

static bxt_table *run(const char *xml, const char *scheme, const char *record, model *m)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = scheme;
	def.step = 0.1;
	def.end = 0.5;
	def.record = record;
	*m = model_of_text(xml);
	return model_run(m, &def, NULL);
}

static void near(double value, double expected)
{
	ck_assert_double_le(fabs(value - expected), 1e-13 * fabs(expected));
}

/*
 * Two bars hold 19.62 N over supports 4 m apart, 3 m high: each pushes with F/2 * sqrt(13)/3, the
 * supports with F/3 inwards and F/2 upwards. The load is a weight, or a force on joints without
 * mass. A third bar between the supports changes nothing on the bars: of the thrust F/3 the
 * multipliers of least norm give a third to each of the supports and to it.
 */
START_TEST(truss)
{
	static const struct {
		const char *xml;
		double own, share; /* weight of the supports' nodes; share of the thrust */
	} loads[] = {
		{NETLIST(SUPPORTS "<point-mass id='A' a='a' m='1 kg' g='9.81 m/s2'/>"
				  "<point-mass id='B' a='b' m='1 kg' g='9.81 m/s2'/>"
				  "<point-mass id='C' a='c' m='2 kg' g='9.81 m/s2'/>"),
		 9.81, 1},
		{NETLIST(SUPPORTS "<point-force id='F' a='c' fy='-19.62 N'/>"), 0, 1},
		{NETLIST(SUPPORTS "<point-force id='F' a='c' fy='-19.62 N'/>"
				  "<rod id='ab' a='a' b='b' l='4 m'/>"),
		 0, 1.0 / 3},
	};
	for (size_t k = 0; k < sizeof loads / sizeof *loads; k++) {
		model m;
		bxt_table *t = run(loads[k].xml, schemes[_i],
				   "ac.length.lambda, bc.length.lambda, pa.x.lambda, pa.y.lambda, "
				   "pb.x.lambda, pb.y.lambda, node(c).x, node(c).y, energy",
				   &m);
		for (size_t r = 1; r < bxt_table_rows(t); r++) {
			near(value_at(t, r, "ac.length.lambda"), 9.81 * sqrt(13) / 3);
			near(value_at(t, r, "bc.length.lambda"), 9.81 * sqrt(13) / 3);
			near(value_at(t, r, "pa.x.lambda"), 6.54 * loads[k].share);
			near(value_at(t, r, "pb.x.lambda"), -6.54 * loads[k].share);
			near(value_at(t, r, "pa.y.lambda"), 9.81 + loads[k].own);
			near(value_at(t, r, "pb.y.lambda"), 9.81 + loads[k].own);
			near(value_at(t, r, "node(c).x"), 2);
			near(value_at(t, r, "node(c).y"), 3);
		}
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

/* A crank of 3 kg, 0.5 m before its axle, that a motor holds at 0: weight and torque m g 0.5 m. */
START_TEST(locked)
{
	model m;
	bxt_table *t = run(NETLIST("<node id='c' kind='planar' x='0.5 m'/>"
				   "<rigid-body id='B' a='c' m='3 kg' J='1 kg.m2' g='9.81 m/s2'/>"
				   "<pin id='P' a='c' ax='-0.5 m'/>"
				   "<prescribed-rotation id='M' a='wall' b='c' Theta='0'/>"),
			   schemes[_i], "M.angle.lambda, P.y.lambda", &m);
	for (size_t r = 1; r < bxt_table_rows(t); r++) {
		near(value_at(t, r, "P.y.lambda"), 3 * 9.81);
		near(fabs(value_at(t, r, "M.angle.lambda")), 3 * 9.81 * 0.5);
	}
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

TEST_SUITE("statics")
{
	const test_case tests[] = {
		{"truss", truss, .loops = SCHEMES},
		{"locked", locked, .loops = SCHEMES},
	};
	ADD_TESTS(tests);
}
