/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The electrical components against their equations, and the netlists that are made of them. */
#include "support/harness.h"

#include <check.h>
#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

#define LENGTH(x) (sizeof x / sizeof *x)

/* A linear circuit solved once: a few roundings. */
static const double LINEAR = 1e-13;
/* Newton stops when the rows are round-off; junctions of 26 mV pass on 40 times of it. */
static const double NEWTON = 1e-9;

#define ck_close(x, y, tolerance)                                                                  \
	ck_assert_double_eq_tol(x, y, (tolerance) * (1 + fabs((double)(y))))

#define V(id, plus, value) "<voltage-source id=\"" id "\" p=\"" plus "\" n=\"0\" e=\"" value "\"/>"
#define I(id, plus, value) "<current-source id=\"" id "\" p=\"0\" n=\"" plus "\" I=\"" value "\"/>"
#define R(id, plus, value) "<resistor id=\"" id "\" p=\"" plus "\" n=\"0\" R=\"" value "\"/>"
#define BETWEEN(id, a, b, value) "<resistor id=\"" id "\" p=\"" a "\" n=\"" b "\" R=\"" value "\"/>"

/* Massless circuits with constant sources: every row is the operating point. */
static double steady(const char *xml, const char *name)
{
	bxt_table *t = run_text(xml, &(bxt_run_def){.size = sizeof(bxt_run_def),
						    .step = 0.125,
						    .end = 0.5,
						    .record = name});
	const double value = last_value(t, name);
	bxt_table_free(t);
	return value;
}

typedef struct point {
	const char *xml, *signal;
	double value;
} point;

static void check_points(const point *points, size_t n, double tolerance, double smallest)
{
	for (size_t i = 0; i < n; i++) {
		const double value = steady(points[i].xml, points[i].signal);
		ck_assert_msg(fabs(value - points[i].value) <=
				      tolerance * fabs(points[i].value) + smallest,
			      "%zu: %s is %.15g, not %.15g", i, points[i].signal, value,
			      points[i].value);
	}
}

/* ---- Sources ---- */

START_TEST(test_controlled_sources)
{
	static const char vcvs[] =
		NETLIST(V("V", "c", "2 V") R("RC", "c", "1 ohm")
				R("R", "a", "4 ohm") "<vcvs id=\"E\" p=\"a\" "
						     "n=\"0\" cp=\"c\" cn=\"0\" mu=\"-3\"/>");
	static const char vccs[] = NETLIST(
		V("V", "c", "2 V") R("R", "a", "4 ohm") "<vccs id=\"G\" p=\"a\" n=\"0\" cp=\"c\" "
							"cn=\"0\" gm=\"0.5 S\"/>");
	static const char ccvs[] = NETLIST(
		I("I", "c", "2 A") R("R", "a", "4 ohm") "<ccvs id=\"H\" p=\"a\" n=\"0\" cp=\"c\" "
							"cn=\"0\" r=\"3 ohm\"/>");
	static const char cccs[] = NETLIST(
		I("I", "c", "2 A") R("R", "a", "4 ohm") "<cccs id=\"F\" p=\"a\" n=\"0\" cp=\"c\" "
							"cn=\"0\" beta=\"5\"/>");
	static const point points[] = {
		{vcvs, "node(a).v", -6}, {vcvs, "E.i", 1.5},       {vcvs, "V.i", -2},
		{vcvs, "E.ic", 0},       {vccs, "node(a).v", -4},  {vccs, "G.i", 1},
		{vccs, "V.i", 0},        {ccvs, "node(a).v", 6},   {ccvs, "node(c).v", 0},
		{ccvs, "H.ic", 2},       {cccs, "node(a).v", -40}, {cccs, "node(c).v", 0},
		{cccs, "F.i", 10},
	};
	check_points(points, LENGTH(points), LINEAR, LINEAR);
}
END_TEST

START_TEST(test_op_amp)
{
	static const char inverting[] = NETLIST(
		V("V", "in", "1 V") BETWEEN("R1", "in", "m", "1 kohm") BETWEEN("R2", "m", "out",
									       "4.7 kohm")
			R("RL", "out",
			  "100 ohm") "<op-amp id=\"A\" p=\"0\" n=\"m\" out=\"out\" ref=\"0\"/>");
	static const char other[] = NETLIST(V("V", "in", "1 V") R("R1", "m", "1 kohm") BETWEEN(
		"R2", "m", "out",
		"3 kohm") "<op-amp id=\"A\" p=\"in\" n=\"m\" out=\"out\" ref=\"0\"/>");
	static const point points[] = {
		{inverting, "node(out).v", -4.7}, {inverting, "node(m).v", 0},
		{inverting, "A.i", 0.048},        {inverting, "A.w", 4.7},
		{other, "node(out).v", 4},        {other, "V.i", 0},
	};
	check_points(points, LENGTH(points), LINEAR, LINEAR);
}
END_TEST

/* A capacitor at a source: its charge is moved to C e(t) after each step. */
static void check_waveform(const char *source, double (*exact)(double))
{
	char xml[1024];
	snprintf(xml, sizeof xml, NETLIST("%s<capacitor id=\"C\" p=\"a\" n=\"0\" C=\"1 F\"/>"),
		 source);
	bxt_table *t = run_text(
		xml, &(bxt_run_def){
			     .size = sizeof(bxt_run_def), .step = 0.05, .end = 4, .record = "C.q"});
	for (size_t i = 1; i < bxt_table_rows(t); i++)
		ck_close(value_at(t, i, "C.q"), exact(bxt_table_time(t, i)), LINEAR);
	bxt_table_free(t);
}

static double exact_pulse(double t)
{
	const double u = fmod(t - 0.31, 1.5);
	if (t < 0.31)
		return -1;
	if (u < 0.1)
		return -1 + 3 * u / 0.1;
	return u < 0.6 ? 2 : u < 0.8 ? 2 - 3 * (u - 0.6) / 0.2 : -1;
}

static double exact_sine(double t)
{
	const double u = t < 0.7 ? 0 : t - 0.7;
	return 0.5 + 2 * exp(-0.4 * u) * sin(2 * PI * 1.3 * u + PI / 6);
}

static double exact_exp(double t)
{
	double v = 1;
	if (t > 0.3)
		v += 4 * (1 - exp(-(t - 0.3) / 0.5));
	if (t > 2.1)
		v -= 4 * (1 - exp(-(t - 2.1) / 0.25));
	return v;
}

static double exact_am(double t)
{
	const double u = t < 0.2 ? 0 : t - 0.2;
	return 3 * (1 + 0.5 * sin(2 * PI * 0.4 * u)) * sin(2 * PI * 2 * u);
}

static double exact_pwl(double t)
{
	return t < 1 ? 0 : t < 2 ? 3 * (t - 1) : t < 3 ? 3 - 4 * (t - 2) : -1;
}

START_TEST(test_waveforms)
{
	check_waveform("<pulse-source id=\"V\" p=\"a\" n=\"0\" low=\"-1 V\" high=\"2 V\" "
		       "delay=\"310 ms\" rise=\"0.1 s\" fall=\"0.2 s\" width=\"0.5 s\" "
		       "period=\"1.5 s\"/>",
		       exact_pulse);
	check_waveform("<sine-source id=\"V\" p=\"a\" n=\"0\" offset=\"0.5 V\" amplitude=\"2 V\" "
		       "frequency=\"1.3 Hz\" delay=\"0.7 s\" damping=\"0.4 s-1\" "
		       "phase=\"30 deg\"/>",
		       exact_sine);
	check_waveform("<exp-source id=\"V\" p=\"a\" n=\"0\" v1=\"1 V\" v2=\"5 V\" "
		       "delay1=\"0.3 s\" tau1=\"0.5 s\" delay2=\"2.1 s\" tau2=\"0.25 s\"/>",
		       exact_exp);
	check_waveform("<am-source id=\"V\" p=\"a\" n=\"0\" amplitude=\"3 V\" depth=\"0.5\" "
		       "carrier=\"2 Hz\" modulation=\"0.4 Hz\" delay=\"0.2 s\"/>",
		       exact_am);
	check_waveform("<voltage-source id=\"V\" p=\"a\" n=\"0\" "
		       "e=\"=pwl(t, 1, 0, 2, 3, 3, -1)\"/>",
		       exact_pwl);
}
END_TEST

/* ---- Coupled windings and lines ---- */

/* Currents that rise by 1, 2 and -3 A/s make constant voltages. */
START_TEST(test_windings)
{
	static const char two[] = NETLIST(I("I1", "a", "=t") I(
		"I2", "b",
		"=2*t") "<coupled-inductors id=\"T\" p1=\"a\" n1=\"0\" p2=\"b\" n2=\"0\" "
			"L1=\"1 H\" L2=\"4 H\" k=\"-0.75\"/>");
	static const char mutual[] = NETLIST(I("I1", "a", "=t") I(
		"I2", "b",
		"=2*t") "<coupled-inductors id=\"T\" p1=\"a\" n1=\"0\" p2=\"b\" n2=\"0\" "
			"L1=\"1 H\" L2=\"4 H\" M=\"-1.5 H\"/>");
	/* M12 = 1, M13 = 1.5, M23 = -1.5 */
	static const char three[] = NETLIST(I("I1", "a", "=t") I("I2", "b", "=2*t") I(
		"I3", "c",
		"=-3*t") "<coupled-inductors-3 id=\"T\" p1=\"a\" n1=\"0\" p2=\"b\" n2=\"0\" "
			 "p3=\"c\" n3=\"0\" L1=\"1 H\" L2=\"4 H\" L3=\"9 H\" k12=\"0.5\" "
			 "k13=\"0.5\" k23=\"-0.25\"/>");
	static const point points[] = {
		{two, "node(a).v", 1 - 3},          {two, "node(b).v", 8 - 1.5},
		{mutual, "node(a).v", 1 - 3},       {mutual, "node(b).v", 8 - 1.5},
		{three, "node(a).v", 1 + 2 - 4.5},  {three, "node(b).v", 1 + 8 + 4.5},
		{three, "node(c).v", 1.5 - 3 - 27},
	};
	check_points(points, LENGTH(points), LINEAR, 0);
}
END_TEST

/* Is the start refused, with these words? */
static void check_refused(const char *xml, const char *words)
{
	model m = model_of_text(xml);
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .step = 0.1, .end = 1};
	bxt_state *state = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_ERR_MODEL);
	ck_assert_ptr_null(state);
	ck_assert_msg(has_finding(&m, BXT_ERROR, words), "no finding '%s'", words);
	model_free(&m);
}

#define COUPLED(more)                                                                              \
	NETLIST(R("R1", "a", "1 ohm") R(                                                           \
		"R2", "b",                                                                         \
		"1 ohm") "<coupled-inductors id=\"T7\" p1=\"a\" n1=\"0\" p2=\"b\" n2=\"0\" "       \
			 "L1=\"1 H\" L2=\"2 H\" " more "/>")
#define COUPLED_3(more)                                                                            \
	NETLIST(R("R1", "a", "1 ohm") R("R2", "b", "1 ohm") R(                                     \
		"R3", "c",                                                                         \
		"1 ohm") "<coupled-inductors-3 id=\"T8\" p1=\"a\" n1=\"0\" p2=\"b\" n2=\"0\" "     \
			 "p3=\"c\" n3=\"0\" L1=\"1 H\" L2=\"2 H\" L3=\"3 mH\" " more "/>")

START_TEST(test_positive_definite)
{
	check_refused(COUPLED("M=\"1.5 H\""), "'T7': its inertia is not positive definite");
	/* each pair is possible, all three together are not */
	check_refused(COUPLED_3("k12=\"0.9\" k13=\"0.9\" k23=\"-0.9\""),
		      "'T8': its inertia is not positive definite");
	/* the limit is not beyond it: k = 1, where a combination of currents has no inertia, and
	 * 1 + 2 k^3 = 3 k^2 at k = -1/2 */
	static const char *const good[] = {
		COUPLED("k=\"0.99999\""), COUPLED("k=\"1\""), COUPLED_3("k12=\"1\""),
		COUPLED_3("k12=\"-0.499\" k13=\"-0.499\" k23=\"-0.499\"")};
	for (size_t i = 0; i < LENGTH(good); i++)
		ck_assert_double_eq(steady(good[i], "R1.i"), 0);
	check_refused(COUPLED_3("k12=\"-0.501\" k13=\"-0.501\" k23=\"-0.501\""), "T8");
}
END_TEST

/* gauss2 turns w into 2/h atan(w h/2/(1 - (w h)^2/12)), its stability function being the diagonal
 * Pade approximant of order 4, and is exact otherwise. */
START_TEST(test_coupled_resonators)
{
	model m = model_of_file("coupled-inductors.xml");
	bxt_table *t = model_run(
		&m, &(bxt_run_def){.size = sizeof(bxt_run_def), .record = "C1.q, C2.q"}, NULL);
	const double h = 1e-6, x1 = h / sqrt(1e-10 * 1.1), x2 = h / sqrt(1e-10 * 0.9),
		     w1 = 2 / h * atan(x1 / 2 / (1 - x1 * x1 / 12)),
		     w2 = 2 / h * atan(x2 / 2 / (1 - x2 * x2 / 12));
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double a = cos(w1 * bxt_table_time(t, i)), b = cos(w2 * bxt_table_time(t, i));
		/* 2000 steps, a few roundings in each */
		ck_assert_double_eq_tol(value_at(t, i, "C1.q"), 0.5e-6 * (a + b), 1e-6 * 1e-11);
		ck_assert_double_eq_tol(value_at(t, i, "C2.q"), 0.5e-6 * (a - b), 1e-6 * 1e-11);
	}
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

#define DRIVEN(body)                                                                               \
	NETLIST(V("V", "in", "=sin(3*t)") BETWEEN("RS", "in", "a", "2 ohm") R("RL", "b", "3 ohm")  \
			body)
#define CAP(id, plus, value) "<capacitor id=\"" id "\" p=\"" plus "\" n=\"0\" C=\"" value "\"/>"

START_TEST(test_line_sections)
{
	static const char pi_section[] = DRIVEN("<line-section-pi id=\"W\" a=\"a\" b=\"b\" "
						"ref=\"0\" L=\"2 H\" C=\"0.5 F\"/>");
	static const char pi_parts[] =
		DRIVEN(CAP("CA", "a", "0.25 F")
			       CAP("CB", "b", "0.25 F") "<inductor id=\"L\" p=\"a\" n=\"b\" "
							"L=\"2 H\"/>");
	static const char t_section[] = DRIVEN("<line-section-t id=\"W\" a=\"a\" b=\"b\" "
					       "ref=\"0\" L=\"2 H\" C=\"0.5 F\"/>");
	static const char t_parts[] =
		DRIVEN(CAP("C", "m", "0.5 F") "<inductor id=\"LA\" p=\"a\" n=\"m\" L=\"1 H\"/>"
					      "<inductor id=\"LB\" p=\"m\" n=\"b\" L=\"1 H\"/>");
	static const char *const pairs[][2] = {{pi_section, pi_parts}, {t_section, t_parts}};
	static const char *const signals[] = {"RS.q", "RL.q", "node(a).v", "node(b).v", "energy"};
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = 0.05,
				 .end = 10,
				 .record = "RS.q, RL.q, node(a).v, node(b).v, energy"};
	for (size_t k = 0; k < LENGTH(pairs); k++) {
		bxt_table *a = run_text(pairs[k][0], &def), *b = run_text(pairs[k][1], &def);
		for (size_t i = 0; i < LENGTH(signals); i++) /* 200 steps of the same equations */
			ck_assert_double_le(difference(a, signals[i], b, signals[i]), 1e-12);
		bxt_table_free(a);
		bxt_table_free(b);
	}
}
END_TEST

/* ---- Junctions ---- */

static const double IS = 1e-14, VT = 25.85e-3;

#define BIPOLAR(kind, more) "<" kind " id=\"Q\" c=\"c\" b=\"b\" e=\"0\" betaR=\"4\" " more "/>"
#define NPN BIPOLAR("npn", "gmin=\"0 S\"")
#define PNP BIPOLAR("pnp", "gmin=\"0 S\"")

/*
 * By hand, x = Is (exp(vF/Vt) - 1), y = Is (exp(vR/Vt) - 1): iC = x - y (1 + 1/betaR) and
 * iB = x/betaF + y/betaR with betaF = 100, betaR = 4.
 */
START_TEST(test_bipolar)
{
	static const char active[] = NETLIST(V("V", "c", "5 V") I("I", "b", "10 uA") NPN);
	static const char active_p[] = NETLIST(V("V", "c", "-5 V") I("I", "b", "-10 uA") PNP);
	static const char saturated[] =
		NETLIST(I("IC", "c", "1 mA") I("I", "b", "1 mA") BIPOLAR("npn", ""));
	static const char saturated_p[] =
		NETLIST(I("IC", "c", "-1 mA") I("I", "b", "-1 mA") BIPOLAR("pnp", ""));
	static const char reverse[] = NETLIST(V("V", "c", "-5 V") V("VB", "b", "-4.4 V") NPN);
	/* active: y = -Is */
	const double x = 100 * (1e-5 + IS / 4), iC = x + IS * 1.25, vbe = VT * log1p(x / IS);
	/* saturated: solved for x, then y; gmin's share of the currents is 1e-9 */
	const double xs = (1e-3 + 5 * 1e-3) / (1 + 5 / 100.), ys = 4 * (1e-3 - xs / 100),
		     vs = VT * (log1p(xs / IS) - log1p(ys / IS));
	/* reverse: vR = 0.6, vF = -4.4: x = -Is */
	const double yr = IS * expm1(0.6 / VT);
	const point points[] = {
		{active, "Q.iC", iC},
		{active, "Q.iB", 1e-5},
		{active, "Q.iE", iC + 1e-5},
		{active, "node(b).v", vbe},
		{active, "V.i", -iC},
		{active_p, "Q.iC", iC},
		{active_p, "Q.iE", iC + 1e-5},
		{active_p, "node(b).v", -vbe},
		{active_p, "V.i", iC},
		{saturated, "node(c).v", vs},
		{saturated, "node(b).v", VT * log1p(xs / IS)},
		{saturated_p, "node(c).v", -vs},
		{reverse, "Q.iC", -IS - yr * 1.25},
		{reverse, "Q.iE", -IS - IS / 100 - yr},
		{reverse, "Q.iB", -IS / 100 + yr / 4},
	};
	check_points(points, LENGTH(points), NEWTON, 0);
	/* what gmin adds: blocked with 5 V at both junctions, 1e-12 S each */
	ck_close(steady(NETLIST(V("V", "b", "-5 V") "<npn id=\"Q\" c=\"0\" b=\"b\" e=\"0\" "
						    "gmin=\"1 uS\"/>"),
			"Q.iB") *
			 1e5,
		 -1, 1e-7);
}
END_TEST

#define FET(kind, d, g, more)                                                                      \
	NETLIST(V("VD", "d", d) V("VG", "g", g) "<" kind " id=\"M\" d=\"d\" g=\"g\" s=\"0\" " more \
						"/>")
#define NJF(d, g) FET("n-jfet", d, g, "beta=\"1 mA/V2\" lambda=\"0.05 1/V\" gmin=\"0 S\"")
#define PJF(d, g) FET("p-jfet", d, g, "beta=\"1 mA/V2\" lambda=\"0.05 1/V\" gmin=\"0 S\"")

START_TEST(test_jfet)
{
	static const point points[] = {
		{NJF("5 V", "-1 V"), "M.channel", 1e-3 * 1 * 1.25},              /* saturated */
		{NJF("0.5 V", "-1 V"), "M.channel", 1e-3 * 0.5 * 1.5 * 1.025},   /* linear */
		{NJF("5 V", "-3 V"), "M.channel", 0},                            /* cut off */
		{NJF("-0.5 V", "-1 V"), "M.channel", -1e-3 * 0.5 * 2.5 * 1.025}, /* backwards */
		{PJF("-5 V", "1 V"), "M.channel", 1e-3 * 1 * 1.25},
		{PJF("-0.5 V", "1 V"), "M.channel", 1e-3 * 0.5 * 1.5 * 1.025},
		{PJF("-5 V", "3 V"), "M.channel", 0},
		{NJF("5 V", "-1 V"), "VD.i", -1.25e-3 - 1e-14},
		{PJF("-5 V", "1 V"), "VD.i", 1.25e-3 + 1e-14},
		/* the gate's junctions: one forward, one blocked */
		{NJF("5 V", "0.5 V"), "VG.i", -1e-14 * 251239870.26 + 2e-14},
	};
	check_points(points, LENGTH(points) - 1, LINEAR, 1e-20);
	/* its exponential in full */
	const double gate = IS * expm1(0.5 / VT) - IS;
	ck_close(steady(points[LENGTH(points) - 1].xml, "VG.i") / gate, -1, LINEAR * 100);
}
END_TEST

#define NMOS(d, g) FET("n-mosfet", d, g, "lambda=\"0.05 1/V\" gmin=\"0 S\"")
#define PMOS(d, g) FET("p-mosfet", d, g, "KP=\"100 uA/V2\" lambda=\"0.05 1/V\" gmin=\"0 S\"")

/* KP W/L = 1 mA/V^2, Vto = 0.7 V */
START_TEST(test_mosfet)
{
	static const point points[] = {
		{NMOS("5 V", "2.7 V"), "M.i", 0.5e-3 * 4 * 1.25},                  /* saturated */
		{NMOS("0.5 V", "2.7 V"), "M.i", 1e-3 * (2 * 0.5 - 0.125) * 1.025}, /* linear */
		{NMOS("5 V", "0.6 V"), "M.i", 0},                                  /* cut off */
		{NMOS("-0.5 V", "2.7 V"), "M.i", -1e-3 * (2.5 * 0.5 - 0.125) * 1.025},
		{PMOS("-5 V", "-2.7 V"), "M.i", 0.5e-3 * 4 * 1.25},
		{PMOS("-0.5 V", "-2.7 V"), "M.i", 1e-3 * (2 * 0.5 - 0.125) * 1.025},
		{PMOS("-5 V", "-0.6 V"), "M.i", 0},
		{PMOS("0.5 V", "-2.7 V"), "M.i", -1e-3 * (2.5 * 0.5 - 0.125) * 1.025},
		{NMOS("5 V", "2.7 V"), "VD.i", -2.5e-3},
		{PMOS("-5 V", "-2.7 V"), "VD.i", 2.5e-3},
		{NMOS("5 V", "2.7 V"), "VG.i", 0},
	};
	check_points(points, LENGTH(points), LINEAR, 1e-18);
	/* as a diode, 2 mA: Vto + sqrt(2 I/K) */
	ck_close(steady(NETLIST(I("I", "d", "2 mA") "<n-mosfet id=\"M\" d=\"d\" g=\"d\" s=\"0\"/>"),
			"node(d).v"),
		 0.7 + 2, NEWTON);
	/* an inverter of two alike, in the middle of its supply */
	ck_close(
		steady(NETLIST(V("VDD", "dd", "3 V") V(
			       "VG", "g",
			       "1.5 V") "<n-mosfet id=\"N\" d=\"out\" g=\"g\" s=\"0\" "
					"lambda=\"0.05 1/V\"/>"
					"<p-mosfet id=\"P\" d=\"out\" g=\"g\" s=\"dd\" W=\"25 um\" "
					"lambda=\"0.05 1/V\"/>"),
		       "node(out).v"),
		1.5, NEWTON);
}
END_TEST

START_TEST(test_zener)
{
#define ZENER "<zener id=\"Z\" p=\"0\" n=\"a\" Bv=\"6.2 V\" Ibv=\"2 mA\"/>"
	static const char at_bv[] = NETLIST(I("I", "a", "2 mA") ZENER);
	static const char beyond[] = NETLIST(I("I", "a", "20 mA") ZENER);
	static const char forward[] = NETLIST(I("I", "a", "-1 mA") ZENER);
	static const char blocked[] = NETLIST(V("V", "a", "3 V") ZENER);
	const point points[] = {
		{at_bv, "node(a).v", 6.2},
		{beyond, "node(a).v", 6.2 + 0.05 * log(10)},
		{forward, "node(a).v", -VT * log1p(1e-3 / IS)},
	};
	check_points(points, LENGTH(points), NEWTON, 0);
	/* -Is, gmin, and what is left of the breakdown, 2 mA exp(-3.2/0.05) */
	ck_assert_double_eq_tol(steady(blocked, "Z.i"), -IS - 3e-12 - 2e-3 * exp(-64), 1e-24);
}
END_TEST

/* ---- Switches, loads ---- */

START_TEST(test_switches)
{
#define SWITCH(control)                                                                            \
	NETLIST(V("V", "a", "2 V") "<switch id=\"S\" p=\"a\" n=\"0\" Ron=\"1 ohm\" "               \
				   "Roff=\"1 Mohm\" control=\"" control "\"/>")
#define BY_VOLTAGE(vc)                                                                             \
	NETLIST(V("V", "a", "2 V")                                                                 \
			V("VC", "c", vc) "<voltage-switch id=\"S\" p=\"a\" n=\"0\" cp=\"c\" "      \
					 "cn=\"0\" Ron=\"1 ohm\" Roff=\"1 Mohm\"/>")
	static const point points[] = {
		{SWITCH("0"), "S.i", 2e-6},
		{SWITCH("0.5"), "S.i", 2e-3},
		{SWITCH("1"), "S.i", 2},
		{SWITCH("7"), "S.i", 2},
		{SWITCH("=-t"), "S.i", 2e-6},
		{SWITCH("=pulse(t, 0, 1, 0.3, 0.01, 0.01, 1, 2)"), "S.i", 2},
		{BY_VOLTAGE("-1 V"), "S.i", 2e-6},
		{BY_VOLTAGE("0.5 V"), "S.i", 2e-3},
		{BY_VOLTAGE("2 V"), "S.i", 2},
		{BY_VOLTAGE("2 V"), "VC.i", 0},
	};
	check_points(points, LENGTH(points), 1e-12, 1e-17); /* powers of 1e6 */
}
END_TEST

/* The control rises to 1 V in 1 s and falls again. */
START_TEST(test_hysteresis)
{
	bxt_table *t = run_text(
		NETLIST(V("V", "in", "1 V") BETWEEN("R", "in", "a", "1 kohm") V(
			"VC", "c", "=pwl(t, 0, 0, 1, 1, 2, 0)") "<hysteresis-switch id=\"S\" "
								"p=\"a\" n=\"0\" cp=\"c\" "
								"cn=\"0\" Ron=\"1 ohm\" "
								"Roff=\"1 Mohm\" x=\"-1\" "
								"Von=\"0.7 V\" Voff=\"0.2 V\" "
								"tau=\"10 us\"/>"),
		&(bxt_run_def){.size = sizeof(bxt_run_def),
			       .step = 2e-4,
			       .end = 2,
			       .record = "S.x, node(a).v, energy"});
	double closed = 0, opened = 0;
	for (size_t i = 1; i < bxt_table_rows(t); i++) {
		const double before = value_at(t, i - 1, "S.x"), now = value_at(t, i, "S.x");
		ck_assert_double_le(fabs(now), 1.1);
		if (before < 0 && now >= 0)
			closed = bxt_table_time(t, i);
		if (before >= 0 && now < 0)
			opened = bxt_table_time(t, i);
	}
	/* the state lingers near a fold for a while of (tau^2 V/slope)^(1/3), about 1 ms */
	ck_assert_double_eq_tol(closed, 0.7, 3e-3);
	ck_assert_double_eq_tol(opened, 1.8, 3e-3);
	ck_assert_double_le(largest(t, "energy"), 1e-12);
	ck_assert_double_eq_tol(value_at_time(t, 0.6, "node(a).v"), 1e6 / 1.001e6, 1e-3);
	ck_assert_double_eq_tol(value_at_time(t, 1.2, "node(a).v"), 1 / 1001., 1e-4);
	bxt_table_free(t);
}
END_TEST

START_TEST(test_constant_power)
{
#define LOAD "<constant-power-load id=\"P\" p=\"a\" n=\"0\" P=\"16 W\" Vmin=\"4 V\"/>"
	static const char behind[] =
		NETLIST(V("V", "in", "10 V") BETWEEN("R", "in", "a", "1 ohm") LOAD);
	static const point points[] = {
		{behind, "node(a).v", 8}, /* v (10 - v) = 16 */
		{behind, "P.i", 2},
		{NETLIST(V("V", "a", "4 V") LOAD), "P.i", 4},
		{NETLIST(V("V", "a", "-8 V") LOAD), "P.i", -2},
		{NETLIST(V("V", "a", "2 V") LOAD), "P.i", 4 * (1 - 0.125)}, /* 2 x - x^3, x = 1/2 */
		{NETLIST(V("V", "a", "0 V") LOAD), "P.i", 0},
	};
	check_points(points, LENGTH(points), 1e-12, 1e-15);
	ck_close(steady(behind, "dissipated") / 0.5, 10 * 2, 1e-12); /* in 0.5 s, all of it */
}
END_TEST

TEST_SUITE("devices")
{
	const test_case tests[] = {
		{"controlled sources", test_controlled_sources},
		{"op-amp", test_op_amp},
		{"waveforms", test_waveforms},
		{"windings", test_windings},
		{"positive definite", test_positive_definite},
		{"coupled resonators", test_coupled_resonators},
		{"line sections", test_line_sections},
		{"bipolar", test_bipolar},
		{"jfet", test_jfet},
		{"mosfet", test_mosfet},
		{"zener", test_zener},
		{"switches", test_switches},
		{"hysteresis", test_hysteresis},
		{"constant power", test_constant_power},
	};
	ADD_TESTS(tests);
}
