/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kinds of ports and the hydraulic, thermal, magnetic and electromechanical components: what the
 * comments of the netlists promise, against closed forms, and their accounts.
 */
#include "model/component/component.h"
#include "model/component/quantity.h"
#include "support/both.h"
#include "support/harness.h"

#include <check.h>
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
#define MU0 (4e-7 * PI)
#define LENGTH(x) (sizeof x / sizeof *x)

/* ---- Kinds ---- */

START_TEST(test_balance_kinds)
{
	static const char *const kinds[][4] = {
		{"electrical", "q", "i", "v"},
		{"hydraulic", "V", "Q", "p"},
		{"thermal", "S", "Sdot", "T"},
		{"magnetic", "phi", "phidot", "mmf"},
	};
	for (size_t i = 0; i < LENGTH(kinds); i++) {
		const bxt_port_kind *k = bxt_port_kind_find(kinds[i][0]);
		ck_assert_ptr_nonnull(k);
		ck_assert_int_eq(k->type, BXT_PORT_BALANCE);
		ck_assert_str_eq(k->coordinate[0], kinds[i][1]);
		ck_assert_str_eq(k->flow[0], kinds[i][2]);
		ck_assert_str_eq(k->effort[0], kinds[i][3]);
		ck_assert_str_eq(k->ground, "0");
	}
}
END_TEST

/* The one error of a netlist that must not compile. */
static void refuses(const char *xml, const char *words)
{
	const char *path = getenv("BOXTIMES_PATH");
	model m = {.findings = bxt_diagnostics_new()};
	ck_assert_ptr_nonnull(path);
	m.library = bxt_library_new(&path, 1, m.findings);
	ck_assert_int_eq(bxt_netlist_read_memory(xml, strlen(xml), "test", m.findings, &m.netlist),
			 BXT_OK);
	ck_assert_int_eq(bxt_system_compile(m.netlist, m.library, m.findings, &m.system),
			 BXT_ERR_MODEL);
	ck_assert_msg(has_finding(&m, BXT_ERROR, words), "%s: not '%s' but '%s'", xml, words,
		      bxt_diagnostics_get(m.findings, 0)->text);
	model_free(&m);
}

#define TANK(id, node) "<tank id='" id "' p='" node "' n='0' A='1 m2' V='1 m3'/>"
#define BODY(id, node) "<heat-capacity id='" id "' a='" node "' C='1 J/K'/>"
#define PATH(id, p, n) "<reluctance id='" id "' p='" p "' n='" n "' Rm='1 H-1'/>"
#define TWO(a, b)                                                                                  \
	NETLIST("<simulation end='1' step='0.1'/><subsystem id='x'>" a                             \
		"<port id='s' node='a'/></subsystem>"                                              \
		"<subsystem id='y'>" b "<port id='s' node='a'/></subsystem>"                       \
		"<interconnection><connect id='c' a='x.s' b='y.s'/></interconnection>")

/* In a node and across subsystems, also where the units would allow it. */
START_TEST(test_kinds_stay_apart)
{
	refuses(NETLIST("<simulation end='1' step='0.1'/>" TANK("T", "a") BODY("B", "a")),
		"but node 'a' is hydraulic");
	refuses(NETLIST("<simulation end='1' step='0.1'/>" PATH("R", "a", "0") TANK("T", "a")),
		"but node 'a' is magnetic");
	refuses(NETLIST("<simulation end='1' step='0.1'/><capacitor id='C' p='a' n='0' C='1 "
			"F'/>" PATH("R", "a", "0")),
		"but node 'a' is electrical");
	refuses(TWO(TANK("T", "a"), BODY("B", "a")), "thermal");
	refuses(TWO(PATH("R", "a", "0"), "<resistor id='R' p='a' n='0' R='1 ohm'/>"), "electrical");
	/* walls are for motion, 0 is for what is balanced */
	refuses(NETLIST("<simulation end='1' step='0.1'/>" BODY("B", "wall")), "wall");
	refuses(NETLIST("<simulation end='1' step='0.1'/><mass id='M' a='0' m='1 kg'/>"), "'0'");
}
END_TEST

/* Torn at a hydraulic, a thermal and a magnetic node the system is the same. */
START_TEST(test_torn)
{
#define SIM "<simulation end='5 s' step='0.05 s'/>"
#define WINDING                                                                                    \
	"<voltage-source id='V' p='e' n='0' e='=sin(3*t)'/><resistor id='R' p='e' n='f' R='2 "     \
	"ohm'/>"                                                                                   \
	"<winding id='W' p='f' n='0' mp='a' mn='0' N='3'/>"
#define FLUX "<reluctance id='M' p='a' n='0' Rm='5 H-1'/><eddy-loss id='E' p='a' n='0' G='2 S'/>"
#define FLOW                                                                                       \
	"<pressure-source id='P' p='e' n='0' pressure='=1e4*sin(3*t)'/>"                           \
	"<pipe id='L' p='e' n='a' l='2 m' A='1 m2' mu='0.1 Pa.s'/>"
#define WALL                                                                                       \
	"<conduction id='K' a='b' b='a' G='0.3 W/K'/><temperature-source id='Q' a='b' "            \
	"temperature='=300+20*sin(t)'/>"
	static const struct {
		const char *whole, *torn;
	} pairs[] = {
		{NETLIST(SIM WINDING FLUX), TWO(WINDING, FLUX)},
		{NETLIST(SIM FLOW TANK("T", "a")), TWO(FLOW, TANK("T", "a"))},
		{NETLIST(SIM WALL BODY("B", "a")), TWO(WALL, BODY("B", "a"))},
	};
	for (size_t i = 0; i < LENGTH(pairs); i++) {
		both x = both_of_texts(pairs[i].whole, pairs[i].torn);
		both_agree(&x, &(bxt_run_def){.size = sizeof(bxt_run_def), .step = 0.05, .end = 5},
			   false);
		both_close(&x);
	}
}
END_TEST

/* ---- Accounts ---- */

/* The residual of the account over a run, and all energy that stands in it. */
static double residual(const char *file, double step, double end, double *exchanged, bool *exact)
{
	bxt_summary s;
	model m = model_of_file(file);
	bxt_table *t = model_run(&m,
				 &(bxt_run_def){.size = sizeof(bxt_run_def),
						.scheme = "gauss1",
						.step = step,
						.end = end,
						.record = "energy"},
				 &s);
	const double r = s.total.residual;
	if (exchanged)
		*exchanged = largest(t, "energy") + fabs(s.total.supplied) + s.total.dissipated;
	if (exact)
		*exact = s.energy_exact;
	ck_assert_msg(s.halvings == 0, "%s: %ld steps were halved", file, s.halvings);
	ck_assert_uint_eq(bxt_diagnostics_count(m.findings, BXT_WARNING), 0);
	bxt_summary_free(&s);
	bxt_table_free(t);
	model_free(&m);
	return r;
}

/* Energies that are quadratic, and bodies whose heat is a coordinate: exact, linear or not. */
START_TEST(test_accounts_exact)
{
	static const struct {
		const char *file;
		bool linear;
	} cases[] = {
		{"examples/u-tube.xml", true},
		{"examples/hydraulic-transmission.xml", true},
		{"examples/magnetic-circuit.xml", true},
		{"examples/piezo-stack.xml", true},
		{"loudspeaker.xml", true},
		{"loudspeaker-parts.xml", true},
		{"dc-motor.xml", true},
		{"spring-damper-chain.xml", true},
		{"two-tanks.xml", false},
		{"examples/water-hammer.xml", false},
		{"examples/hot-plate.xml", false},
		{"examples/kettle.xml", false},
		{"examples/brake.xml", false},
		{"examples/thermocouple.xml", false},
	};
	for (size_t i = 0; i < LENGTH(cases); i++) {
		double exchanged;
		bool exact;
		const double r = residual(cases[i].file, 0, 0, &exchanged, &exact);
		ck_assert_msg(exact == cases[i].linear, "%s: exact is %d", cases[i].file, exact);
		/* some thousand steps of round-off */
		ck_assert_msg(fabs(r) <= 1e-12 * exchanged, "%s: residual %g of %g", cases[i].file,
			      r, exchanged);
	}
}
END_TEST

/* All others: second order. The step is halved from one that is coarse enough to stand out. */
START_TEST(test_accounts_second_order)
{
	static const struct {
		const char *file;
		double step, end;
	} cases[] = {
		{"loudspeaker-nonlinear.xml", 5e-4, 2e-2},
		{"maglev.xml", 4e-4, 0.1},
		{"examples/heat-exchange.xml", 2, 40},
		{"examples/funnel.xml", 0.4, 40},
		{"examples/hydraulic-press.xml", 5e-4, 1},
		{"examples/gas-spring.xml", 2e-3, 0.3},
		{"examples/inrush.xml", 1e-4, 5e-3},
		{"examples/solenoid.xml", 1e-4, 1e-2},
		{"examples/electrostatic-actuator.xml", 1e-6, 5e-4},
		{"examples/magnet-latch.xml", 2e-5, 1e-3},
	};
	for (size_t i = 0; i < LENGTH(cases); i++) {
		double exchanged;
		const double coarse =
			residual(cases[i].file, cases[i].step, cases[i].end, &exchanged, NULL);
		const double fine =
			residual(cases[i].file, cases[i].step / 2, cases[i].end, NULL, NULL);
		const double order = log2(coarse / fine);
		ck_assert_msg(fabs(coarse) > 1e-13 * exchanged,
			      "%s: %g of %g is round-off, no order", cases[i].file, coarse,
			      exchanged);
		ck_assert_msg(fabs(order - 2) < 0.15, "%s: order %g, %g and %g of %g",
			      cases[i].file, order, coarse, fine, exchanged);
	}
}
END_TEST

/* ---- Closed forms ---- */

static bxt_table *run(const char *file, const bxt_run_def *def)
{
	model m = model_of_file(file);
	bxt_table *t = model_run(&m, def, NULL);
	model_free(&m);
	return t;
}

START_TEST(test_u_tube)
{
	/* level difference d: d'' + 2 s d' + w^2 d = 0 */
	const double w2 = 9.81 * 1e-3 * 200 / 2.5, s = 4 * PI * 1e-3 / (1000 * 1e-3);
	const double W = sqrt(w2 - s * s);
	bxt_table *t = run("examples/u-tube.xml", &(bxt_run_def){.size = sizeof(bxt_run_def),
								 .scheme = "gauss2",
								 .record = "T1.level, T2.level"});
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double time = bxt_table_time(t, i);
		const double d = 0.2 * exp(-s * time) * (cos(W * time) + s / W * sin(W * time));
		/* (w h)^4/720 w t = 5e-9 of 0.1 m at the end */
		ck_assert_double_eq_tol(value_at(t, i, "T1.level"), 0.3 + d / 2, 1e-9);
		ck_assert_double_eq_tol(value_at(t, i, "T2.level"), 0.3 - d / 2, 1e-9);
	}
	bxt_table_free(t);
}
END_TEST

START_TEST(test_hydraulic_rest)
{
	bxt_table *t = run("examples/hydraulic-transmission.xml",
			   &(bxt_run_def){.size = sizeof(bxt_run_def),
					  .end = 10,
					  .record = "node(shaft).omega, node(line).p"});
	const double omega = 1e-3 / (1e-5 + 0.5 / (2.5e11 * 1e-5));
	/* the transient is slower than J/c = 0.4 s nowhere: e^{-25} */
	ck_assert_double_eq_tol(last_value(t, "node(shaft).omega"), omega, 1e-9 * omega);
	ck_assert_double_eq_tol(last_value(t, "node(line).p"), 0.5 * omega / 1e-5, 1e-2);
	bxt_table_free(t);

	t = run("examples/hydraulic-press.xml",
		&(bxt_run_def){.size = sizeof(bxt_run_def),
			       .end = 60,
			       .step = 0.01,
			       .record = "node(line).p, node(ram).x"});
	double u = 1e5; /* 1e-4 m3/s = G u^3/(u^2 + pc^2) + leak p */
	for (int k = 0; k < 50; k++)
		u = (1e-4 - 1e-14 * (20e5 + u)) * (u * u + 1e8) / (1e-9 * u * u);
	/* the accumulator settles with C/G = 3 s at most: e^{-20} of 1 bar */
	ck_assert_double_eq_tol(last_value(t, "node(line).p"), 20e5 + u, 1e-2);
	ck_assert_double_eq_tol(last_value(t, "node(ram).x"), 25e-4 * (20e5 + u) / 1e5, 1e-9);
	bxt_table_free(t);
}
END_TEST

START_TEST(test_water_hammer)
{
	bxt_table *t =
		run("examples/water-hammer.xml",
		    &(bxt_run_def){.size = sizeof(bxt_run_def), .record = "node(s12).p, V.Q"});
	const double v = 0.62 * 1.57e-4 * sqrt(2 * 5e5 / 1000) / 1e-2;
	/* until then nothing moves: the start is in balance but for 1e-4 of the flow */
	ck_assert_double_eq_tol(value_at(t, 498, "node(s12).p"), 5e5, 200);
	ck_assert_double_eq_tol(value_at(t, 498, "V.Q"), v * 1e-2, 1e-6);
	double sum = 0;
	int n = 0;
	for (size_t i = 0; i < bxt_table_rows(t); i++)
		if (bxt_table_time(t, i) > 1.1 && bxt_table_time(t, i) < 2.1) {
			sum += value_at(t, i, "node(s12).p");
			n++;
		}
	/* Joukowsky; the twelve sections ring about it, with some per cent of the mean left */
	ck_assert_double_eq_tol(sum / n, 5e5 + 1e6 * v, 0.03 * 1e6 * v);
	bxt_table_free(t);
}
END_TEST

START_TEST(test_funnel)
{
	/* while the tap is open the level goes to where Q of the pump and of the hole are equal */
	bxt_table *t =
		run("examples/funnel.xml",
		    &(bxt_run_def){.size = sizeof(bxt_run_def),
				   .record = "F.V, P.discharge, O.Q, node(f).p, node(up).p"});
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double Q = value_at(t, i, "O.Q"), V = value_at(t, i, "F.V");
		const double h = cbrt(3 * V / PI), q = value_at(t, i, "P.discharge");
		/* means of neighbouring stages: h^2/8 V'' and more where the tap is shut */
		const double tolerance = bxt_table_time(t, i) < 1      ? 3e-3
					 : bxt_table_time(t, i) < 58.5 ? 1e-4
								       : 3e-3;
		ck_assert_double_eq_tol(value_at(t, i, "node(f).p"), 9810 * h,
					tolerance * 9810 * h);
		/* Torricelli: 1 cm/s of core velocity against some m/s */
		ck_assert_double_eq_tol(Q, 0.62 * 0.5e-4 * sqrt(2 * 9.81 * h), 4e-3 * Q);
		ck_assert_double_eq_tol(value_at(t, i, "node(up).p"), 2e4 - 1e7 * q - 2e10 * q * q,
					200);
	}
	bxt_table_free(t);
}
END_TEST

START_TEST(test_heat)
{
	bxt_table *t = run("examples/heat-exchange.xml",
			   &(bxt_run_def){.size = sizeof(bxt_run_def),
					  .scheme = "gauss2",
					  .record = "A.T, node(b).T, A.S, B.S, K.created"});
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double e = exp(-0.03 * bxt_table_time(t, i));
		const double A = 310 + 40 * e, B = 310 - 20 * e;
		/* (0.015 h)^4 is 1e-9 of the 60 K */
		ck_assert_double_eq_tol(value_at(t, i, "A.T"), A, 1e-7);
		ck_assert_double_eq_tol(value_at(t, i, "node(b).T"), B, 1e-7);
		ck_assert_double_eq_tol(value_at(t, i, "A.S"), 500 * log(A / 350), 1e-7);
		ck_assert_double_eq_tol(value_at(t, i, "B.S"), 1000 * log(B / 290), 1e-7);
		/* the second law */
		ck_assert_double_ge(value_at(t, i, "K.created"), 0);
	}
	bxt_table_free(t);

	t = run("examples/hot-plate.xml",
		&(bxt_run_def){.size = sizeof(bxt_run_def), .end = 3600, .record = "C.T"});
	double T = 400; /* the balance of the plate, and it is approached with some 300 s */
	for (int k = 0; k < 50; k++)
		T -= (0.5 * (T - 293.15) + 0.08 * 5.670374419e-8 * (pow(T, 4) - pow(293.15, 4)) -
		      200) /
		     (0.5 + 0.32 * 5.670374419e-8 * pow(T, 3));
	ck_assert_double_eq_tol(last_value(t, "C.T"), T, 0.01);
	bxt_table_free(t);

	t = run("examples/thermocouple.xml",
		&(bxt_run_def){.size = sizeof(bxt_run_def),
			       .end = 3600,
			       .record = "box.T, node(a).v, plate.heat"});
	T = (0.8 * 293.15 + 9) / 0.95; /* i^2 1 ohm = 9 W; e^{-3600 0.95/60} of the start left */
	ck_assert_double_eq_tol(last_value(t, "box.T"), T, 1e-9);
	ck_assert_double_eq_tol(last_value(t, "node(a).v"), 0.05 * (293.15 - T) + 6, 1e-9);
	ck_assert_double_eq_tol(last_value(t, "plate.heat"), -3 * last_value(t, "node(a).v"), 1e-8);
	bxt_table_free(t);
}
END_TEST

START_TEST(test_made_heat)
{
	bxt_table *t = run("examples/brake.xml",
			   &(bxt_run_def){.size = sizeof(bxt_run_def), .record = "disk.T, oil.T"});
	/* all has come to rest: e^{-20}; 0.05 kg m2 (100/s)^2/2 = 250 J, 100 N/m (0.1 m)^2/2 */
	ck_assert_double_eq_tol(last_value(t, "disk.T"), 293.15 + 250. / 100, 1e-10);
	ck_assert_double_eq_tol(last_value(t, "oil.T"), 293.15 + 0.5, 1e-8);
	bxt_table_free(t);

	t = run("examples/kettle.xml",
		&(bxt_run_def){.size = sizeof(bxt_run_def),
			       .record = "C.T, C.U, water.U, W.i, wall.heat, supplied(V)"});
	double lost = 0;
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double R = 26.45 * (1 + 1e-4 * (value_at(t, i, "C.T") - 293.15));
		/* T of the grid, W.i a mean of stages, h^2/8 of 67 K/s within 0.8 s */
		if (i > 0)
			ck_assert_double_eq_tol(value_at(t, i, "W.i"), 230 / R, 1e-4 * 230 / R);
		if (i > 0) /* trapezoids over 1 s */
			lost += (value_at(t, i, "wall.heat") + value_at(t, i - 1, "wall.heat")) / 2;
	}
	ck_assert_double_eq_tol(last_value(t, "C.U") + last_value(t, "water.U") + lost,
				last_value(t, "supplied(V)"), 1e-5 * last_value(t, "supplied(V)"));
	bxt_table_free(t);
}
END_TEST

/* The time of the first maximum of a signal after some time. */
static double first_peak(const bxt_table *t, const char *name, double from)
{
	for (size_t i = 1; i + 1 < bxt_table_rows(t); i++)
		if (bxt_table_time(t, i) > from &&
		    value_at(t, i, name) > value_at(t, i - 1, name) &&
		    value_at(t, i, name) >= value_at(t, i + 1, name))
			return bxt_table_time(t, i);
	ck_abort_msg("%s has no maximum", name);
	return 0;
}

START_TEST(test_gas)
{
	const double rest = -0.1 * (1 - 101325. / 121325);
	bxt_table *t = run("examples/gas-spring.xml",
			   &(bxt_run_def){.size = sizeof(bxt_run_def),
					  .end = 20,
					  .record = "node(piston).x, node(g).p, G.T"});
	/* isothermal in the end; the walls take (n cv)/G = 0.9 s and more */
	ck_assert_double_eq_tol(last_value(t, "node(piston).x"), rest, 1e-6);
	ck_assert_double_eq_tol(last_value(t, "node(g).p"), 2e4, 1e-3);
	ck_assert_double_eq_tol(last_value(t, "G.T"), 293.15, 1e-3);
	bxt_table_free(t);

	/* a light load: small motions, adiabatic within a period; the damper does nothing to the
	 * frequency but 3e-4, and rows are 0.1 ms apart in 89 ms */
	model m = model_of_text(NETLIST(
		"<gas-volume id='G' p='g' n='0' a='gas' V0='0.1 l'/>"
		"<hydraulic-cylinder id='C' p='g' n='0' a='wall' b='x' A='10 cm2'/>"
		"<mass id='M' a='x' m='0.282 kg'/><force id='F' a='wall' b='x' f='-0.01 N'/>"
		"<conduction id='K' a='gas' b='w' G='1e-6 W/K'/>"
		"<temperature-source id='T' a='w' temperature='293.15 K'/>"));
	t = model_run(&m,
		      &(bxt_run_def){.size = sizeof(bxt_run_def),
				     .step = 1e-4,
				     .end = 0.2,
				     .record = "node(x).x"},
		      NULL);
	const double w = sqrt(1.4 * 101325 * 1e-6 / (0.282 * 1e-4));
	ck_assert_double_eq_tol(first_peak(t, "node(x).x", 0.01), 2 * PI / w, 1.5e-4);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

START_TEST(test_magnetic)
{
	bxt_table *t = run("examples/magnetic-circuit.xml",
			   &(bxt_run_def){.size = sizeof(bxt_run_def),
					  .end = 2,
					  .record = "W1.i, W2.i, C.B, node(b).v"});
	/* phasors: N1 I1 = Rc phi + N2 I2 = Rl phi_leak, 5 I2 = jw N2 phi, 10 = I1 + jw N1 (phi +
	 * phi_leak) */
	const double complex jw = 2 * PI * 50 * I;
	const double Rc = 0.25 / (MU0 * 5000 * 5e-4), Rl = 2e7;
	const double complex y = jw * 100 * 100 / 5; /* mmf of W2 per flux */
	const double complex per_i = 200 / (Rc + y); /* phi per I1 */
	const double complex I1 = 10 / (1 + jw * 200 * (per_i + 200 / Rl));
	const double complex B = I1 * per_i / 5e-4, V2 = jw * 100 * I1 * per_i;
	double peak_B = 0, peak_V = 0, peak_I = 0;
	for (size_t i = 0; i < bxt_table_rows(t); i++)
		if (bxt_table_time(t, i) > 1.9) { /* five periods; L/R is 0.02 s */
			peak_B = fmax(peak_B, value_at(t, i, "C.B"));
			peak_V = fmax(peak_V, value_at(t, i, "node(b).v"));
			peak_I = fmax(peak_I, value_at(t, i, "W1.i"));
		}
	/* rows are 1.8 deg apart, and the midpoint rule errs by (w h)^2/12 */
	ck_assert_double_eq_tol(peak_B, cabs(B), 3e-4 * cabs(B));
	ck_assert_double_eq_tol(peak_V, cabs(V2), 3e-4 * cabs(V2));
	ck_assert_double_eq_tol(peak_I, cabs(I1), 3e-4 * cabs(I1));
	bxt_table_free(t);

	/* a winding on a reluctance is an inductor N^2/Rm, to round-off */
	static const char *const coils[] = {"<winding id='W' p='a' n='0' mp='m' mn='0' N='30'/>"
					    "<reluctance id='M' p='m' n='0' Rm='450 H-1'/>",
					    "<inductor id='W' p='a' n='0' L='2 H'/>"};
	double i[2];
	for (int k = 0; k < 2; k++) {
		char text[600];
		snprintf(text, sizeof text,
			 NETLIST("<voltage-source id='V' p='e' n='0' e='=cos(t)'/>"
				 "<resistor id='R' p='e' n='a' R='3 ohm'/>%s"),
			 coils[k]);
		t = run_text(text, &(bxt_run_def){.size = sizeof(bxt_run_def),
						  .step = 0.01,
						  .end = 2,
						  .record = "R.q"});
		i[k] = last_value(t, "R.q");
		bxt_table_free(t);
	}
	ck_assert_double_eq_tol(i[0], i[1], 1e-13);
}
END_TEST

START_TEST(test_inrush)
{
	bxt_table *t = run("examples/inrush.xml", &(bxt_run_def){.size = sizeof(bxt_run_def),
								 .record = "W.i, C.B, W.phidot"});
	double first = 0, most = 0, late = 0;
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double time = bxt_table_time(t, i);
		const double B = value_at(t, i, "C.B");
		if (time < 0.02)
			first = fmax(first, value_at(t, i, "W.i"));
		if (time > 0.36)
			late = fmax(late, value_at(t, i, "W.i"));
		most = fmax(most, fabs(B));
		/* N i = H l + G dphi/dt; i and dphi/dt are means of stages, h^2/8 of what bends */
		const double H = B / (4000 * MU0) + 500 * copysign(pow(fabs(B) / 1.5, 9), B);
		if (i > 0)
			ck_assert_double_eq_tol(600 * value_at(t, i, "W.i"),
						0.4 * H + 5 * value_at(t, i, "W.phidot"),
						2e-3 * (fabs(0.4 * H) + 100));
	}
	/* twice the flux, 325 V/(w 600 15 cm2) = 1.15 T, less what the resistance takes */
	ck_assert(most > 1.5 && most < 2 * 1.15);
	ck_assert_double_ge(first, 3 * late);
	bxt_table_free(t);
}
END_TEST

START_TEST(test_latch)
{
	bxt_table *t = run("examples/magnet-latch.xml",
			   &(bxt_run_def){.size = sizeof(bxt_run_def),
					  .end = 0.3,
					  .record = "node(armature).x, gap.pull, PM.B"});
	/* it starts where the spring holds the pull: 12 kN/m 1.15 mm, by the four digits of that */
	ck_assert_double_eq_tol(value_at(t, 0, "gap.pull"), 12e3 * 1.15e-3, 0.02 * 13.8);
	const double x = last_value(t, "node(armature).x"), pull = last_value(t, "gap.pull");
	ck_assert(x > 2.8e-3 && x < 2.82e-3);
	/* at rest, and the flux goes around: magnet, yoke and gap share the magnet's Br l/(mu0 mur)
	 */
	ck_assert_double_eq_tol(pull, 12e3 * x + 1e6 * (x - 2.8e-3), 1e-6 * pull);
	const double phi = last_value(t, "PM.B") * 1e-4, A = 1e-4;
	ck_assert_double_eq_tol(pull, phi * phi / (2 * MU0 * A), 1e-12 * pull);
	const double mmf = phi * 2e-3 / (1.05 * MU0 * A) + 1e6 * phi + 1e18 * pow(phi, 5) +
			   phi * (3e-3 - x) / (MU0 * A);
	ck_assert_double_eq_tol(mmf, 1.2 * 2e-3 / (1.05 * MU0), 1e-9 * mmf);
	bxt_table_free(t);
}
END_TEST

START_TEST(test_actuators)
{
	/* at rest: current by the resistance, force of the coil L'(x) i^2/2 against the spring */
	bxt_table *t = run("examples/solenoid.xml", &(bxt_run_def){.size = sizeof(bxt_run_def),
								   .end = 1,
								   .record = "S.i, S.flux, S.x"});
	double x = last_value(t, "S.x");
	const double th = tanh((x - 3e-3) / 2e-3);
	ck_assert_double_eq_tol(last_value(t, "S.i"), 1.5, 1e-10);
	ck_assert_double_eq_tol(last_value(t, "S.flux"), 1.5 * (0.04 + 0.02 * th), 1e-10);
	ck_assert_double_eq_tol(800 * x, 0.02 * (1 - th * th) / 2e-3 * 1.125, 1e-8);
	bxt_table_free(t);

	t = run("examples/electrostatic-actuator.xml",
		&(bxt_run_def){.size = sizeof(bxt_run_def),
			       .end = 4e-3,
			       .record = "A.q, A.v, node(plate).x"});
	x = last_value(t, "node(plate).x");
	const double epsA = 8.8541878128e-12 * 4e-8, v = last_value(t, "A.v");
	ck_assert_double_eq_tol(v, 9.3, 1e-9);
	ck_assert_double_eq_tol(16 * x * (2e-6 - x) * (2e-6 - x), epsA * v * v / 2,
				1e-9 * epsA * v * v);
	ck_assert_double_eq_tol(x, 0.3528048265705e-6,
				1e-15); /* the root below d/3, by bisection */
	bxt_table_free(t);

	t = run("examples/piezo-stack.xml",
		&(bxt_run_def){.size = sizeof(bxt_run_def), .record = "P.q, P.v, node(load).x"});
	/* 5 uF 100 V + 10 C/m 8 um; overdamped within 2 ms: e^{-10} at least of some um */
	ck_assert_double_eq_tol(last_value(t, "node(load).x"), 8e-6, 1e-14);
	ck_assert_double_eq_tol(last_value(t, "P.q"), 5.8e-4, 1e-13);
	bxt_table_free(t);
}
END_TEST

/* Two layers between them: the temperature of a node without capacity is found. */
START_TEST(test_wall)
{
	bxt_table *t =
		run_text(NETLIST("<temperature-source id='H' a='h' temperature='350 K'/>"
				 "<conduction id='A' a='h' b='m' G='3 W/K'/>"
				 "<convection id='B' a='m' b='c' htc='2 W/(m2.K)' A='0.5 m2'/>"
				 "<temperature-source id='C' a='c' temperature='270 K'/>"),
			 &(bxt_run_def){.size = sizeof(bxt_run_def),
					.step = 1,
					.end = 5,
					.record = "node(m).T, A.heat, B.heat, A.created"});
	/* 3 (350 - T) = 1 (T - 270) */
	ck_assert_double_eq_tol(last_value(t, "node(m).T"), 330, 1e-10);
	ck_assert_double_eq_tol(last_value(t, "B.heat"), 60, 1e-9);
	ck_assert_double_eq_tol(last_value(t, "A.created"), 60. / 330 - 60. / 350, 1e-12);
	bxt_table_free(t);
}
END_TEST

/* Bodies that share a temperature, and a prescribed one: by entropy these are loops of storages. */
START_TEST(test_shared_temperature)
{
#define STORED(id, C) "<thermal-storage id='" id "' a='a' energy='=" C "*290*exp(S/" C ")'/>"
	bxt_table *t = run_text(
		NETLIST(STORED("A", "500")
				STORED("B", "200") "<temperature-source id='T' a='a' "
						   "temperature='=290 + 10*sin(t/10)'/>"),
		&(bxt_run_def){
			.size = sizeof(bxt_run_def), .step = 0.5, .end = 20, .record = "A.S, B.S"});
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double lot = log1p(sin(bxt_table_time(t, i) / 10) / 29);
		/* closed at every grid point, to the last bits of some J/K */
		ck_assert_double_eq_tol(value_at(t, i, "A.S"), 500 * lot, 1e-11);
		ck_assert_double_eq_tol(value_at(t, i, "B.S"), 200 * lot, 1e-11);
	}
	bxt_table_free(t);
	/* by energy, the temperature at the stages: exact at grid points where the last stage is
	 * one, else e_k+1 = -e_k + h^2 T''/4, T'' up to 0.1 K/s2 */
	static const struct {
		const char *scheme;
		double tolerance;
	} schemes[] = {{"radau2", 1e-9}, {"gauss1", 0.25 * 0.1 / 4}};
	for (int k = 0; k < 2; k++) {
		t = run_text(NETLIST(BODY("B", "a") "<temperature-source id='T' a='a' "
						    "temperature='=290 + 10*sin(t/10)'/>"),
			     &(bxt_run_def){.size = sizeof(bxt_run_def),
					    .step = 0.5,
					    .end = 20,
					    .scheme = schemes[k].scheme,
					    .record = "B.T"});
		for (size_t i = 0; i < bxt_table_rows(t); i++)
			ck_assert_double_eq_tol(value_at(t, i, "B.T"),
						290 + 10 * sin(bxt_table_time(t, i) / 10),
						schemes[k].tolerance);
		bxt_table_free(t);
	}
}
END_TEST

TEST_SUITE("domains")
{
	const test_case tests[] = {
		{"balance kinds", test_balance_kinds},
		{"kinds stay apart", test_kinds_stay_apart},
		{"torn", test_torn},
		{"accounts, exact", test_accounts_exact},
		{"accounts, second order", test_accounts_second_order},
		{"u-tube", test_u_tube},
		{"hydraulic, at rest", test_hydraulic_rest},
		{"water hammer", test_water_hammer},
		{"funnel", test_funnel},
		{"heat", test_heat},
		{"made heat", test_made_heat},
		{"wall", test_wall},
		{"shared temperature", test_shared_temperature},
		{"gas", test_gas},
		{"magnetic", test_magnetic},
		{"inrush", test_inrush},
		{"latch", test_latch},
		{"actuators", test_actuators},
	};
	ADD_TESTS(tests);
}
