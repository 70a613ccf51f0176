/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables from CSV files as functions of expressions: in netlists, in components, taken apart. */
#include "support/allocation.h"
#include "support/cuts.h"
#include "support/files.h"

#include "model/network/network.h"
#include "model/system/system.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMPONENT "<component xmlns='urn:boxtimes:component:1' "

static bxt_run_def with(const char *scheme, double step, double end, const char *record)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = scheme;
	def.step = step;
	def.end = end;
	def.record = record;
	return def;
}

static model compiled(const char *name)
{
	model m;
	const bxt_status status = compile(&m, name, NULL);
	char *all = told(&m);
	ck_assert_msg(status == BXT_OK, "%s: %s", name, all);
	free(all);
	return m;
}

/* ---- Set-points ---- */

static const char set_point[] = "# from the shop floor\r\n"
				"time [ms],  e [mV] , w [rpm],T [degC],x\r\n"
				"\r\n"
				"0,0,0,20,0\r\n"
				"0.5e3,1000,60,-273.15,1e-3\r\n"
				"   # half way\r\n"
				"1000, -5e2, 120, 100, -2E-3\r\n"
				"2500,+250,0,0,0.001\r\n";
#define PWL(f) "pwl(t,0,0,0.5," f ",1,-0.5*" f ",2.5,0.25*" f ")"

/* Linear interpolation is what pwl does. */
START_TEST(as_pwl)
{
	static const struct {
		const char *body, *record[2], *scheme, *rule;
	} cases[] = {
		/* a circuit, whose source is a force; a mass; a motion, whose rate is used */
		{"<voltage-source id='V1' p='a' n='0' e='=e(t)'/><voltage-source id='V2' p='c' "
		 "n='0' e='=" PWL("1") "'/><resistor id='R1' p='a' n='b' R='1'/><capacitor id='C1' "
				       "p='b' n='0' C='0.3'/><resistor id='R2' p='c' n='d' "
				       "R='1'/><capacitor id='C2' "
				       "p='d' n='0' C='0.3'/>",
		 {"C1.q", "C2.q"},
		 NULL,
		 NULL},
		{"<mass id='m' a='a' m='1'/><damper id='d' a='wall' b='a' c='0.7'/><force id='f' "
		 "a='wall' b='a' f='=2*e(t)'/><mass id='n' a='b' m='1'/><damper id='g' a='wall' "
		 "b='b' c='0.7'/><force id='u' a='wall' b='b' f='=" PWL("2") "'/>",
		 {"node(a).x", "node(b).x"},
		 NULL,
		 NULL},
		{"<mass id='m' a='a' m='1'/><prescribed-motion id='p' a='wall' b='c' X='=x(t)'/>"
		 "<spring id='k' a='c' b='a' k='30'/><mass id='n' a='b' m='1'/>"
		 "<prescribed-motion id='q' a='wall' b='d' X='=pwl(t,0,0,0.5,0.001,1,-0.002,2.5,"
		 "0.001)'/><spring id='l' a='d' b='b' k='30'/>",
		 {"node(a).x", "node(b).x"},
		 NULL,
		 NULL},
		{"<mass id='m' a='a' m='1'/><spring id='d' a='wall' b='a' k='3'/><force id='f' "
		 "a='wall' b='a' f='=2*e(t)'/><mass id='n' a='b' m='1'/><spring id='g' a='wall' "
		 "b='b' k='3'/><force id='u' a='wall' b='b' f='=" PWL("2") "'/>",
		 {"node(a).x", "node(b).x"},
		 "dirac+",
		 "taylor4-gauss2"},
	};
	static const char *const schemes[] = {"gauss1", "gauss2", "radau2", "dirac+",
					      "discrete-gradient"};
	char text[2048], record[64];
	put("ref.csv", set_point);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(text, sizeof text,
			 HEAD "<table name='e' file='ref.csv' column='e'/><table name='x' "
			      "file='ref.csv' column='x'/>%s</netlist>",
			 cases[i].body);
		put("top.xml", text);
		for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
			if (cases[i].scheme && strcmp(schemes[s], cases[i].scheme) != 0)
				continue;
			model m = compiled("top.xml");
			snprintf(record, sizeof record, "%s, %s", cases[i].record[0],
				 cases[i].record[1]);
			bxt_run_def def = with(schemes[s], 0.013, 3, record); /* off the points */
			if (cases[i].rule)
				def.rule = cases[i].rule;
			bxt_table *t = model_run(&m, &def, NULL);
			/* other roundings of the same lines, over 230 steps */
			ck_assert_double_le(
				difference(t, cases[i].record[0], t, cases[i].record[1]), 1e-13);
			ck_assert_double_gt(largest(t, cases[i].record[0]), 1e-4);
			bxt_table_free(t);
			model_free(&m);
		}
	}
}
END_TEST

/* Units are those of the first line, offsets with them; digits as exact as elsewhere. */
START_TEST(units)
{
	put("ref.csv", set_point);
	put("top.xml", HEAD
	    "<table name='e' file='ref.csv' column='e'/>\n"
	    "<table name='w' file='ref.csv' column='w'/>\n"
	    "<table name='T' file='ref.csv' column='T'/>\n"
	    "<table name='inverse' file='ref.csv' argument='time' column='T' "
	    "interpolation='hold' outside='extend'/>\n"
	    "<parameter name='half' default='=e(0.25)'/>\n"
	    "<resistor id='a' p='a' n='0' R='=half'/><resistor id='b' p='a' n='0' R='=w(0.5)'/>"
	    "<resistor id='c' p='a' n='0' R='=T(1)'/><resistor id='d' p='a' n='0' "
	    "R='=T(0.5) + 1'/><resistor id='e' p='a' n='0' R='=inverse(2.4)'/></netlist>");
	model m = compiled("top.xml");
	ck_assert(parameter(&m, "a", 0) == 0.5);
	ck_assert_double_eq_tol(parameter(&m, "b", 0), 2 * acos(-1.0), 1e-14);
	ck_assert_double_eq_tol(parameter(&m, "c", 0), 373.15, 1e-12);
	ck_assert_double_eq_tol(parameter(&m, "d", 0), 1, 1e-12);
	ck_assert_double_eq_tol(parameter(&m, "e", 0), 373.15, 1e-12);
	model_free(&m);
}
END_TEST

/* A held force of 1, -2, 0 N for a second each: the midpoint rule is exact on such a motion. */
START_TEST(held)
{
	put("f.csv", "t [s],F [kN]\n0,0.001\n1,-0.002\n2,0\n");
	put("top.xml", HEAD "<table name='F' file='f.csv' interpolation='hold'/>"
			    "<mass id='m' a='a' m='2'/><force id='f' a='wall' b='a' f='=F(t)'/>"
			    "</netlist>");
	model m = compiled("top.xml");
	bxt_run_def def = with("gauss1", 0.125, 3, "node(a).x, node(a).v");
	bxt_table *t = model_run(&m, &def, NULL);
	/* v: 1/2, then 1/2 - 1; x: 1/4, 1/4 + 1/2 - 1/2, then falls by 1/2 */
	ck_assert_double_eq_tol(value_at_time(t, 1, "node(a).x"), 0.25, 1e-14);
	ck_assert_double_eq_tol(value_at_time(t, 2, "node(a).x"), 0.25, 1e-14);
	ck_assert_double_eq_tol(value_at_time(t, 3, "node(a).x"), -0.25, 1e-14);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* A periodic table goes on like its function; beyond the ends nothing else does. */
START_TEST(periodic)
{
	bxt_buffer csv = {0};
	enum { ROWS = 400 };
	bxt_buffer_printf(&csv, "t,e\n");
	for (int i = 0; i <= ROWS; i++)
		bxt_buffer_printf(&csv, "%.17g,%.17g\n", (double)i / ROWS,
				  i == ROWS ? 0 : sin(2 * acos(-1.0) * i / ROWS));
	put("sine.csv", csv.text);
	bxt_buffer_free(&csv);
	put("top.xml",
	    HEAD "<table name='e' file='sine.csv' outside='periodic' interpolation='cubic'/>"
		 "<voltage-source id='V1' p='a' n='0' e='=e(t)'/><resistor id='R1' p='a' n='b' "
		 "R='1'/><capacitor id='C1' p='b' n='0' C='0.3'/>"
		 "<voltage-source id='V2' p='c' n='0' e='=sin(2*pi*t)'/><resistor id='R2' p='c' "
		 "n='d' R='1'/><capacitor id='C2' p='d' n='0' C='0.3'/></netlist>");
	model m = compiled("top.xml");
	bxt_run_def def = with("gauss1", 0.01, 7, "C1.q, C2.q");
	bxt_table *t = model_run(&m, &def, NULL);
	/* monotone slopes are of order 2 at extrema: (2 pi/400)^2/8 there, less elsewhere */
	ck_assert_double_le(difference(t, "C1.q", t, "C2.q"), 3e-5);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/*
 * Two rows with one argument are a jump: the step ends there, both values are recorded, and
 * the capacitor's voltage is 1 - exp(-s/RC) s after the first, exp(-s/RC)(1 - exp(-1)) s after the
 * second. A periodic table that says where it jumps at its end does the same again.
 */
START_TEST(jumps)
{
	put("square.csv", "t,e\n0,0\n1,0\n1,1\n2,1\n2,0\n4,0\n");
	put("turns.csv", "t,e\n1,0\n1,1\n2,1\n2,0\n4,0\n4,1\n");
	for (int turns = 0; turns < 2; turns++) {
		put("top.xml", turns ? HEAD "<table name='e' file='turns.csv' outside='periodic'/>"
					    "<voltage-source id='V' p='a' n='0' "
					    "e='=if(t &lt; 1, 0, e(t))'/>"
					    "<resistor id='R' p='a' n='b' R='1'/>"
					    "<capacitor id='C' p='b' n='0' C='1'/></netlist>"
				     : HEAD "<table name='e' file='square.csv'/>"
					    "<voltage-source id='V' p='a' n='0' e='=e(t)'/>"
					    "<resistor id='R' p='a' n='b' R='1'/>"
					    "<capacitor id='C' p='b' n='0' C='1'/></netlist>");
		model m = compiled("top.xml");
		bxt_run_def def = with("radau3", 0.03, 3.9, "node(a).v, node(b).v");
		bxt_table *t = model_run(&m, &def, NULL);
		int pairs = 0;
		for (size_t i = 0; i < bxt_table_rows(t); i++) {
			const double at = bxt_table_time(t, i);
			const bool after = i > 0 && at == bxt_table_time(t, i - 1);
			const bool before =
				i + 1 < bxt_table_rows(t) && at == bxt_table_time(t, i + 1);
			pairs += after;
			const double e = before ? at == 2 : at >= 1 && at < 2;
			ck_assert_msg(value_at(t, i, "node(a).v") == e, "%d: t = %.17g: %g", turns,
				      at, value_at(t, i, "node(a).v"));
			const double u = at < 1   ? 0
					 : at < 2 ? -expm1(1 - at)
						  : -expm1(-1) * exp(2 - at);
			/* radau3 is of order 5: .03^5/7200 = 3e-12 */
			ck_assert_double_eq_tol(value_at(t, i, "node(b).v"), u, 1e-11);
		}
		ck_assert_int_eq(pairs, 2);
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

static void make_curves(void)
{
	ck_assert_int_eq(mkdir("parts/curves", 0700), 0);
}

/* The shipped drive follows its table within what the integral of its controller lags. */
START_TEST(drive_cycle)
{
	model m = model_of_file("drive-cycle.xml");
	const double rpm = acos(-1.0) / 30;
	bxt_run_def def;
	bxt_default_run_def(&def);
	bxt_table *t = model_run(&m, &def, NULL);
	static const double rows[][2] = {{0.5, 300}, {1, 900}, {1.6, 900}, {2.2, 400}, {3, 400}};
	for (int k = 0; k < 5; k++)
		for (int turn = 0; turn < 2;
		     turn++) /* gauss1 shows means of stages: 1 ms of 1e3/s */
			ck_assert_double_eq_tol(
				value_at_time(t, rows[k][0] + 4 * turn, "control.C.r"),
				rows[k][1] * rpm, 0.05);
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double now = bxt_table_time(t, i) - (bxt_table_time(t, i) >= 4 ? 4 : 0);
		if (now > 1 && now < 1.6) /* level */
			ck_assert_double_eq_tol(value_at(t, i, "control.C.r"), 900 * rpm, 1e-3);
	}
	/* the current that carries the load, k i = 10 N.m, while that is held and the speed nearly
	 * settled */
	ck_assert_double_eq_tol(value_at_time(t, 2.99, "plant.M.i"), 10 / 0.636619772368, 0.6);
	ck_assert_double_eq_tol(value_at_time(t, 2.99, "node(plant.s).omega"), 400 * rpm, 0.5);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* ---- Characteristics ---- */

static const char spring[] = "d [mm],E [mJ]\n-1000,900\n-400,200\n0,0\n300,100\n700,600\n"
			     "1000,1200\n";

/* An energy that is a table: the discrete gradient's balance is round-off, its motion bounded. */
START_TEST(energies)
{
	put("spring.csv", spring);
	static const char *const shapes[] = {"linear", "cubic"};
	char text[1024];
	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof text,
			 HEAD "<table name='E' file='spring.csv' interpolation='%s' "
			      "outside='extend'/><mass id='m' a='a' m='1'/><energy-spring id='k' "
			      "a='wall' b='a' energy='E(d)'/><node id='a' kind='translational' "
			      "x='0.8' v='0.1'/></netlist>",
			 shapes[i]);
		put("top.xml", text);
		model m = compiled("top.xml");
		bxt_run_def def = with("discrete-gradient", 0.01, 200, "node(a).x, energy");
		bxt_summary s;
		bxt_table *t = model_run(&m, &def, &s);
		/* roundings of 20000 steps add up like a random walk */
		ck_assert_double_le(fabs(s.total.residual),
				    12 * DBL_EPSILON * s.energy_largest * sqrt(20000));
		ck_assert(s.energy_exact);
		ck_assert_double_gt(largest(t, "node(a).x"), 0.7);
		ck_assert_double_lt(value_at_time(t, 2, "node(a).x"), 0);
		bxt_summary_free(&s);
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

/* Straight characteristics are those of the expression; of an inline component, too. */
START_TEST(characteristics)
{
	put("pump.csv", "Q [l/s],head [bar]\n0,2\n1,1.5\n4,0\n");
	make_curves();
	put("parts/curves/soft.csv", "x,f\n-1,-3\n0,0\n1,3\n");
	put("top.xml",
	    HEAD "<table name='head' file='pump.csv' outside='extend'/>" COMPONENT
		 "name='soft'><table name='f' file='parts/curves/soft.csv'/><port name='b' "
		 "kind='translational'/><force on='b.x'>-f(b.x)</force></component>"
		 "<pump-curve id='P1' p='a' n='0' pressure='head(discharge)'/><tank id='T1' p='b' "
		 "n='0' A='0.1' V='0.01'/><hydraulic-resistance id='R1' p='a' n='b' R='3e7'/>"
		 "<pump-curve id='P2' p='c' n='0' pressure='2e5 - 5e7*discharge'/><tank id='T2' "
		 "p='d' n='0' A='0.1' V='0.01'/><hydraulic-resistance id='R2' p='c' n='d' R='3e7'/>"
		 "<mass id='m1' a='x' m='1'/><soft id='s1' b='x'/><mass id='m2' a='y' m='1'/>"
		 "<spring id='s2' a='wall' b='y' k='3'/><node id='x' kind='translational' "
		 "x='0.5'/><node id='y' kind='translational' x='0.5'/></netlist>");
	model m = compiled("top.xml");
	bxt_run_def def = with("gauss1", 0.05, 20, "T1.V, T2.V, node(x).x, node(y).x");
	bxt_table *t = model_run(&m, &def, NULL);
	ck_assert_double_le(difference(t, "T1.V", t, "T2.V"), 1e-13); /* 400 steps' round-off */
	ck_assert_double_le(difference(t, "node(x).x", t, "node(y).x"), 1e-12);
	ck_assert_double_gt(largest(t, "T1.V"), 0.015);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* ---- Files that include files ---- */

/* The same name means another table in another file; each file has its own folder. */
static void put_parts(void)
{
	make_curves();
	put("ref.csv", set_point);
	put("parts/curves/e.csv", "t,e\n0,0\n1,2\n3,-1\n");
	put("parts/curves/E.csv", spring);
	put("E.csv", "d,E\n-1,2\n0,0\n1,2\n");
	put("parts/rc.xml",
	    HEAD "<parameter name='k' default='1'/><table name='e' file='curves/e.csv'/>"
		 "<table name='E' file='curves/E.csv' interpolation='cubic'/>"
		 "<voltage-source id='V' p='a' n='0' e='=k*e(t)'/><resistor id='R' p='a' n='b' "
		 "R='1'/><capacitor id='C' p='b' n='0' C='0.3'/><port id='s' node='b'/>"
		 "<mass id='m' a='x' m='1'/><energy-spring id='k' a='wall' b='x' energy='E(d)'/>"
		 "<node id='x' kind='translational' x='0.6'/></netlist>");
	put("top.xml",
	    HEAD "<table name='E' file='E.csv' interpolation='cubic'/>"
		 "<table name='ratio' file='E.csv' interpolation='cubic'/>"
		 "<table name='e' file='ref.csv' column='e'/>" COMPONENT
		 "name='law' domain='control'><signal name='y' unit='1'/><signal name='u' "
		 "unit='1'>2*y</signal></component>"
		 "<subsystem id='one' href='parts/rc.xml'/><subsystem id='two' "
		 "href='parts/rc.xml' k='2'/><law id='L'/><signal to='L.y'>e(t) + "
		 "E(two.C.q)</signal>"
		 "<subsystem id='own'><mass id='m' a='x' m='1'/><energy-spring id='k' a='wall' "
		 "b='x' energy='E(d)'/><force id='f' a='wall' b='x' f='=e(t)'/><node id='x' "
		 "kind='translational' x='0.6'/><mass id='o' a='y' m='2'/>"
		 "<port id='x' node='x'/><port id='y' node='y'/></subsystem>"
		 "<interconnection><connect id='c' a='one.s' b='two.s'/>"
		 "<sigma id='r'>own.y.v - (1 + ratio(own.x.x))*own.x.v</sigma></interconnection>"
		 "</netlist>");
}

static const char of_parts[] = "one.C.q, two.C.q, node(own.x).x, node(own.y).x, node(one.x).x, "
			       "node(two.x).x, L.u";

static bxt_table *run_parts(const char *name, const char *record)
{
	model m = compiled(name);
	bxt_run_def def = with("gauss1", 0.01, 3, record);
	bxt_table *t = model_run(&m, &def, NULL);
	model_free(&m);
	return t;
}

START_TEST(included)
{
	put_parts();
	bxt_table *t = run_parts("top.xml", of_parts);
	/* the same with each expression where it belongs, and no file but the tables' */
	put("same.xml",
	    HEAD "<table name='E1' file='parts/curves/E.csv' interpolation='cubic'/>"
		 "<table name='E0' file='E.csv' interpolation='cubic'/>"
		 "<voltage-source id='V1' p='a' n='0' e='=pwl(t,0,0,1,2,3,-1)'/><resistor id='R1' "
		 "p='a' n='b' R='1'/><capacitor id='C1' p='b' n='0' C='0.3'/>"
		 "<voltage-source id='V2' p='c' n='0' e='=2*pwl(t,0,0,1,2,3,-1)'/><resistor "
		 "id='R2' p='c' n='b' R='1'/><capacitor id='C2' p='b' n='0' C='0.3'/>"
		 "<mass id='m' a='x' m='1'/><energy-spring id='k' a='wall' b='x' energy='E1(d)'/>"
		 "<node id='x' kind='translational' x='0.6'/></netlist>");
	bxt_table *u = run_parts("same.xml", "C1.q, C2.q, node(x).x");
	ck_assert_double_le(difference(t, "one.C.q", u, "C1.q"), 1e-12);
	ck_assert_double_le(difference(t, "two.C.q", u, "C2.q"), 1e-12);
	ck_assert_double_le(difference(t, "node(one.x).x", u, "node(x).x"), 1e-12);
	ck_assert_double_le(difference(t, "node(two.x).x", u, "node(x).x"), 1e-12);
	ck_assert_double_gt(difference(t, "node(one.x).x", t, "node(own.x).x"), 0.1);
	/* the signal: E is 2 d^2 nearly, and exactly 0 and 2 at its points; the curve's own value
	 */
	ck_assert_double_gt(largest(t, "L.u"), 1);
	/* the row: dy = (1 + E(x)) dx along the motion, by the trapezoidal rule of 0.01 s */
	double y = 0;
	for (size_t i = 1; i < bxt_table_rows(t); i++) {
		const double a = value_at(t, i - 1, "node(own.x).x"),
			     b = value_at(t, i, "node(own.x).x");
		/* E of E.csv: the cubic with slopes 0 at 0, 4 at -1 and 1 at most: 2 d^2 */
		const double Ea = 2 * a * a, Eb = 2 * b * b;
		y += (b - a) * (1 + (Ea + Eb) / 2);
	}
	const double first = value_at(t, 0, "node(own.y).x");
	ck_assert_double_eq_tol(last_value(t, "node(own.y).x") - first, y, 0.02);
	bxt_table_free(t);
	bxt_table_free(u);
}
END_TEST

static void write_to(const char *name, const bxt_netlist *n)
{
	FILE *f = fopen(name, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(bxt_netlist_write(n, f), BXT_OK);
	fclose(f);
}

START_TEST(flat_and_torn)
{
	put_parts();
	bxt_table *t = run_parts("top.xml", of_parts);
	model m = compiled("top.xml");
	bxt_netlist *whole = flat(m.netlist, m.library);
	write_to("whole.xml", whole);
	char *text = text_of(whole);
	/* a table once for all inclusions, its file from here, other names where they would meet */
	ck_assert_ptr_nonnull(strstr(text, "<table name=\"one_e\" file=\"parts/curves/e.csv\"/>"));
	ck_assert_ptr_nonnull(strstr(text, "energy=\"one_E(d)\""));
	ck_assert_ptr_nonnull(strstr(text, "one_e(t)"));
	ck_assert_ptr_null(strstr(text, "two_e"));
	free(text);
	bxt_table *u =
		run_parts("whole.xml", "one_C.q, node(own_x).x, node(y).x, node(two_x).x, L.u");
	static const char *const pairs[][2] = {{"one.C.q", "one_C.q"},
					       {"node(own.x).x", "node(own_x).x"},
					       {"node(own.y).x", "node(y).x"},
					       {"node(two.x).x", "node(two_x).x"},
					       {"L.u", "L.u"}};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		ck_assert_double_le(difference(t, pairs[i][0], u, pairs[i][1]), 1e-12);
	bxt_table_free(u);
	/* taken apart as it was: the included files bring their tables themselves */
	bxt_tear_def def;
	bxt_default_tear_def(&def);
	def.like = m.netlist;
	bxt_netlist *again = torn(whole, m.library, &def, NULL);
	write_to("again.xml", again);
	u = run_parts("again.xml", of_parts);
	ck_assert_double_le(difference(t, "one.C.q", u, "one.C.q"), 1e-12);
	ck_assert_double_le(difference(t, "L.u", u, "L.u"), 1e-12);
	text = text_of(again);
	ck_assert_ptr_nonnull(
		strstr(text, "<subsystem id=\"two\" href=\"parts/rc.xml\" k=\"2\"/>"));
	ck_assert_ptr_null(strstr(text, "one_e"));
	free(text);
	bxt_table_free(u);
	bxt_netlist_free(again);
	bxt_netlist_free(whole);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* Parts of one file call its tables as before. */
START_TEST(torn_apart)
{
	put("ref.csv", set_point);
	put("whole.xml", HEAD "<table name='e' file='ref.csv' column='e'/>"
			      "<voltage-source id='V' p='a' n='0' e='=e(t)'/><resistor id='R1' "
			      "p='a' n='b' R='1'/><nonlinear-capacitor id='C1' p='b' n='0' "
			      "energy='q^2*(2 + e(q))'/><resistor id='R2' p='b' n='c' R='1'/>"
			      "<capacitor id='C2' p='c' n='0' C='0.3'/></netlist>");
	model m = compiled("whole.xml");
	bxt_tear_def def;
	bxt_default_tear_def(&def);
	def.node = "b";
	bxt_netlist *parts = torn(m.netlist, m.library, &def, NULL);
	write_to("parts.xml", parts);
	bxt_netlist *whole = flat(parts, m.library);
	write_to("flat.xml", whole);
	static const char *const record = "C1.q, C2.q";
	bxt_table *t = run_parts("whole.xml", record), *u = run_parts("parts.xml", record),
		  *v = run_parts("flat.xml", record);
	bxt_netlist_free(whole);
	const char *name = bxt_table_name(u, 0);
	ck_assert_ptr_nonnull(strstr(name, ".C1.q")); /* in a subsystem */
	ck_assert_double_le(difference(t, "C1.q", u, name), 1e-12);
	ck_assert_double_le(difference(t, "C1.q", v, "C1.q"), 1e-12);
	ck_assert_double_le(difference(t, "C2.q", v, "C2.q"), 1e-12);
	bxt_table_free(t);
	bxt_table_free(u);
	bxt_table_free(v);
	bxt_netlist_free(parts);
	model_free(&m);
}
END_TEST

/* ---- Size and memory ---- */

/* A million rows cost their reading, and a step the logarithm of them. */
START_TEST(a_million_rows)
{
	enum { ROWS = 1000000, STEPS = 100000 };
	FILE *f = fopen("long.csv", "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f, "t [ms],x\n");
	for (int i = 0; i < ROWS; i++)
		fprintf(f, "%d.5,%d\n", i, i * 37 % 1000);
	fclose(f);
	put("top.xml", HEAD "<table name='x' file='long.csv' interpolation='cubic'/>"
			    "<mass id='m' a='a' m='1'/><damper id='d' a='wall' b='a' c='1'/>"
			    "<force id='f' a='wall' b='a' f='=x(t)'/></netlist>");
	double from = cpu_seconds();
	model m = compiled("top.xml");
	const double reading = cpu_seconds() - from;
	bxt_run_def def = with("gauss1", 1e-2, STEPS * 1e-2, "node(a).x");
	from = cpu_seconds();
	bxt_table *t = model_run(&m, &def, NULL);
	const double stepping = cpu_seconds() - from;
	if (getenv("BXT_SHOW"))
		printf("%d rows in %.2f s, %d steps in %.2f s\n", ROWS, reading, STEPS, stepping);
	ck_assert_uint_eq(bxt_table_rows(t), STEPS + 1);
	/* the mean of the force is 499.5 N, of every tenth value, which steps see, nearly */
	ck_assert_double_eq_tol(last_value(t, "node(a).x"), 499.5 * 999, 0.01 * 499.5 * 999);
	/* 1 s and 0.1 s here; linear search would take hours */
	ck_assert_double_le(reading, 60);
	ck_assert_double_le(stepping, 60);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

static bool has_words(const bxt_diagnostics *d, const char *words)
{
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++)
		if (strcmp(bxt_diagnostics_get(d, i)->text, words) == 0)
			return true;
	return false;
}

START_TEST(memory_ends)
{
	put_parts();
	const char *const path[1] = {getenv("BOXTIMES_PATH")};
	bxt_library *library = bxt_library_new(path, 1, NULL);
	bxt_netlist *n = NULL, *out = NULL;
	bxt_system *system = NULL;
	ck_assert_int_eq(bxt_netlist_read("top.xml", NULL, &n), BXT_OK);
	ck_assert_int_eq(bxt_system_compile(n, library, NULL, &system), BXT_OK);
	bxt_system_free(system);
	allocation_hook();
	for (int flatten = 0; flatten < 2; flatten++) {
		long k = 0;
		for (bool failed = true; failed; k++) {
			bxt_diagnostics *d = bxt_diagnostics_new();
			allocation_fail(k);
			system = NULL, out = NULL;
			const bxt_status status =
				flatten ? bxt_netlist_flatten(n, library, d, &out)
					: bxt_system_compile(n, library, d, &system);
			failed = allocation_failed();
			allocation_fail(-1);
			const bool said = has_words(d, "out of memory");
			ck_assert_msg(
				status == BXT_OK || (failed && (status == BXT_ERR_MEMORY || said)),
				"allocation %ld: %s: %s", k, bxt_status_text(status),
				bxt_diagnostics_count(d, BXT_NOTE) ? bxt_diagnostics_get(d, 0)->text
								   : "");
			bxt_system_free(system);
			bxt_netlist_free(out);
			bxt_diagnostics_free(d);
		}
		ck_assert_int_gt(k, 100);
	}
	bxt_netlist_free(n);
	bxt_library_free(library);
}
END_TEST

TEST_SUITE("tables")
{
	const test_case tests[] = {
		{"as pwl", as_pwl},
		{"units", units},
		{"held", held},
		{"drive cycle", drive_cycle},
		{"periodic", periodic},
		{"jumps", jumps},
		{"energies", energies},
		{"characteristics", characteristics},
		{"included", included},
		{"flat and torn", flat_and_torn},
		{"torn apart", torn_apart},
		{"a million rows", a_million_rows, .slow = true},
		{"memory ends", memory_ends, .slow = true},
	};
	ADD_TESTS_WITH(make_folder, remove_folder, tests);
}
