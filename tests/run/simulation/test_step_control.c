/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps of controlled size: errors that follow the tolerance, rows inside steps, accounts that
 * balance, and runs that go on, against closed forms, published values and runs with fixed steps.
 */
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *i_scheme(int i)
{
	return i == 0 ? "radau2" : "radau3";
}

typedef struct control {
	const char *scheme, *record;
	double tolerance, step, end;
} control;

static bxt_table *run_with(const char *xml, const control *c)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .scheme = c->scheme,
				 .record = c->record,
				 .tolerance = c->tolerance,
				 .step = c->step,
				 .end = c->end};
	return run_text(xml, &def);
}

/* R L C in series with a step at 0.3 s and a slow decay: w0 = 10/s, damping 1/s. */
static const char rlc[] =
	NETLIST("<voltage-source id='V' p='a' n='0' e='=if(t &lt; 0.3, 0, 1)'/>"
		"<resistor id='R' p='a' n='b' R='2 ohm'/><inductor id='L' p='b' n='c' L='1 H'/>"
		"<capacitor id='C' p='c' n='0' C='0.01 F'/>");

static double charge(double t)
{
	const double a = 1, w = sqrt(99), s = t - 0.3;
	return s < 0 ? 0 : 0.01 * (1 - exp(-a * s) * (cos(w * s) + a / w * sin(w * s)));
}

static double error_of(const char *scheme, double tolerance)
{
	const control c = {scheme, "C.q", tolerance, 0.1, 2};
	bxt_table *t = run_with(rlc, &c);
	double error = 0;
	for (size_t k = 0; k < bxt_table_rows(t); k++)
		error = fmax(error, fabs(value_at(t, k, "C.q") - charge(bxt_table_time(t, k))));
	bxt_table_free(t);
	return error / 0.01;
}

static const char *const schemes[] = {"radau2", "radau3", "gauss1", "gauss2",
				      "gauss3", "dirac+", "theta"};

/* A smaller tolerance is worth its cost: a hundred times smaller, errors eight times at least,
 * unless the largest step is what bounds both. */
START_TEST(ladder)
{
	const double coarse = error_of(schemes[_i], 1e-4), fine = error_of(schemes[_i], 1e-6);
	ck_assert_msg(coarse < 3e-2, "%s: %g", schemes[_i], coarse);
	ck_assert_msg(fine < 3e-4, "%s: %g", schemes[_i], fine);
	ck_assert_msg(fine < coarse / 8 || fine < 3e-6, "%s: %g, %g", schemes[_i], coarse, fine);
}
END_TEST

/* Rows lie where they are asked for, whatever steps are made, at the event twice. */
START_TEST(rows)
{
	const control c = {"radau3", "C.q, L.i, node(a).v", 1e-8, 0.25, 2};
	bxt_table *t = run_with(rlc, &c);
	ck_assert_uint_eq(bxt_table_rows(t), 11);
	for (size_t k = 0; k < 11; k++) {
		const double at = k < 2 ? 0.25 * (double)k : k < 4 ? 0.3 : 0.25 * (double)(k - 2);
		ck_assert_double_eq_tol(bxt_table_time(t, k), at, 1e-15);
		ck_assert_double_eq_tol(value_at(t, k, "node(a).v"), k < 3 ? 0 : 1, 1e-14);
		ck_assert_double_eq_tol(value_at(t, k, "C.q"), charge(at), 1e-9);
	}
	bxt_table_free(t);
}
END_TEST

/* An edge within round-off of a row is at that row: there are two rows, not three. */
START_TEST(edge_at_a_row)
{
	static const char xml[] =
		NETLIST("<pulse-source id='V' p='a' n='0' high='1 V' delay='0.6 ms' rise='0 s' "
			"fall='0 s' width='1 ms' period='9 ms'/><resistor id='R' p='a' n='b' "
			"R='1 kohm'/><capacitor id='C' p='b' n='0' C='1 uF'/>");
	const control c = {"radau3", "node(a).v", 1e-6, 1e-4, 1e-3};
	bxt_table *t = run_with(xml, &c);
	ck_assert_uint_eq(bxt_table_rows(t), 12);
	for (size_t k = 0; k < 12; k++)
		ck_assert_double_eq_tol(value_at(t, k, "node(a).v"), k < 7 ? 0 : 1, 1e-12);
	bxt_table_free(t);
}
END_TEST

/* The transistor amplifier of the Test Set for IVP Solvers: potentials at 0.2 s. */
static const double amplifier[] = {-0.5562145012262709e-2, 3.006522471903042, 2.849958788608128,
				   2.926422536206241,      2.704617865010554, 2.761837778393145,
				   4.770927631616772,      1.236995868091548};

START_TEST(published)
{
	static const struct {
		double tolerance, error;
	} cases[] = {{1e-3, 2e-3}, {1e-6, 2e-6}, {1e-8, 2e-8}};
	model m = model_of_file("transistor-amplifier.xml");
	const bxt_run_def def = {
		.size = sizeof def,
		.scheme = "radau3",
		.tolerance = cases[_i].tolerance,
		.step = 1e-3,
		.record = "node(1).v, node(2).v, node(3).v, node(4).v, node(5).v, node(6).v, "
			  "node(7).v, node(8).v"};
	bxt_summary s;
	bxt_table *t = model_run(&m, &def, &s);
	const size_t last = bxt_table_rows(t) - 1;
	for (size_t k = 0; k < 8; k++)
		ck_assert_double_eq_tol(bxt_table_value(t, last, k) / amplifier[k], 1,
					cases[_i].error);
	/* the ledger balances along the steps that were made */
	ck_assert_double_le(fabs(s.total.residual), cases[_i].tolerance * s.total.supplied);
	ck_assert_double_eq(s.taken.tolerance, cases[_i].tolerance);
	ck_assert_int_gt(s.taken.accepted, 100);
	ck_assert_double_gt(s.taken.largest, 10 * s.taken.smallest);
	bxt_summary_free(&s);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/*
 * Flows of rows inside a step, where a small resistance makes them a difference of potentials that
 * are nearly equal. 1 mohm before 1 kohm and 1 uF at e^t V: i = e^t/Z(1/s) once a nanosecond has
 * passed.
 */
START_TEST(stiff_flows_inside)
{
	static const char xml[] = NETLIST("<voltage-source id='V' p='a' n='0' e='=exp(t)'/>"
					  "<resistor id='Rs' p='a' n='b' R='1 mohm'/>"
					  "<resistor id='R' p='b' n='0' R='1 kohm'/>"
					  "<capacitor id='C' p='b' n='0' C='1 uF' v='1 V'/>");
	const control c = {i_scheme(_i), "V.i, node(b).v", 1e-6, 0.05, 10};
	const double y = 1e-3 + 1e-6, admittance = y / (1 + 1e-3 * y);
	bxt_table *t = run_with(xml, &c);
	ck_assert_uint_eq(bxt_table_rows(t), 201);
	for (size_t k = 1; k < 201; k++) {
		const double e = exp(bxt_table_time(t, k));
		ck_assert_double_eq_tol(value_at(t, k, "V.i") / (-admittance * e), 1, 1e-5);
		ck_assert_double_eq_tol(value_at(t, k, "node(b).v") / e, 1 - 1e-3 * admittance,
					1e-5);
	}
	bxt_table_free(t);
}
END_TEST

/* The same of a diode behind 1 mohm whose junction follows v = 0.3 + 0.02 t: the source is what
 * that takes, i = IS (exp(v/VT) - 1) + C v'. */
START_TEST(junction_inside)
{
	static const char xml[] = NETLIST(
		"<voltage-source id='V' p='a' n='0' e='=0.3 + 0.02*t + 1e-3*(1e-14*(exp((0.3 + "
		"0.02*t)/0.025) - 1) + 2e-11)'/><spice-diode id='D' p='a' n='0' IS='1e-14 A' "
		"RS='1 mohm' CJO='1 nF' M='0' temp='=0.025/8.617333262e-5' "
		"tnom='=0.025/8.617333262e-5' gmin='0 S'/>");
	const control c = {i_scheme(_i), "V.i", 1e-6, 0.1, 20};
	bxt_table *t = run_with(xml, &c);
	ck_assert_uint_eq(bxt_table_rows(t), 201);
	for (size_t k = 1; k < 201; k++) {
		const double v = 0.3 + 0.02 * bxt_table_time(t, k);
		const double i = 1e-14 * (exp(v / 0.025) - 1) + 2e-11;
		ck_assert_double_eq_tol(-value_at(t, k, "V.i") / i, 1, 1e-5);
	}
	bxt_table_free(t);
}
END_TEST

/* A step of another size begins where the polynomial of the last one leads, and the halves of a
 * step on that of the whole: a few iterations of Newton's method are left. From the last flows they
 * are 3.3 in Radau steps, and 2.0 in Gauss steps. */
START_TEST(guesses)
{
	static const struct {
		const char *file, *scheme;
		double end, step;
		int solves; /* of an attempt */
		double most;
	} cases[] = {{"transistor-amplifier.xml", "radau3", 0.1, 1e-3, 1, 2.2},
		     {"kepler.xml", "gauss3", 6, 0.1, 3, 1.4}};
	model m = model_of_file(cases[_i].file);
	const bxt_run_def def = {.size = sizeof def,
				 .scheme = cases[_i].scheme,
				 .tolerance = 1e-8,
				 .step = cases[_i].step,
				 .end = cases[_i].end};
	bxt_summary s;
	bxt_table_free(model_run(&m, &def, &s));
	const double attempts = (double)(s.taken.accepted + s.taken.rejected);
	const double each = (double)s.newton_iterations / attempts / cases[_i].solves;
	ck_assert_msg(each < cases[_i].most, "%s: %g iterations", cases[_i].file, each);
	bxt_summary_free(&s);
	model_free(&m);
}
END_TEST

/* A pair of power transistors: residuals of their laws grow on the way to the solution, and steps
 * that only let them fall took 5.1 iterations. */
START_TEST(laws_of_exponentials)
{
	static const char xml[] = NETLIST(
		"<voltage-source id='V' p='vdd' n='0' e='5 V'/><voltage-source id='S' p='in' n='0' "
		"e='=pulse(t, 0, 5, 1e-8, 1e-8, 1e-8, 1.4e-7, 3e-7)'/>"
		"<spice-pvdmos id='P' d='out' g='in' s='vdd' RG='5 kohm' CGS='0.5 pF' CGDMIN='0.2 "
		"pF' "
		"CGDMAX='1 pF' A='2 1/V' RB='1e9 ohm' CJO='0.1 pF'/>"
		"<spice-nvdmos id='N' d='out' g='in' s='0' RG='5 kohm' CGS='0.5 pF' CGDMIN='0.2 "
		"pF' "
		"CGDMAX='1 pF' A='2 1/V' RB='1e9 ohm' CJO='0.1 pF'/>");
	model m = model_of_text(xml);
	const bxt_run_def def = {.size = sizeof def,
				 .scheme = "radau3",
				 .tolerance = 1e-6,
				 .step = 1e-9,
				 .end = 1e-6,
				 .start = "operating-point",
				 .record = "node(out).v"};
	bxt_summary s;
	bxt_table_free(model_run(&m, &def, &s));
	ck_assert_double_le((double)s.newton_iterations, 3.5 * (double)s.taken.accepted);
	bxt_summary_free(&s);
	model_free(&m);
}
END_TEST

/* Supply, loss and energy of a row inside a step are those of its time: a source of 1 V feeds R C
 * from rest, E = q^2/2, supplied = q, dissipated = q - q^2/2. */
START_TEST(accounts_inside)
{
	static const char xml[] = NETLIST("<voltage-source id='V' p='a' n='0' e='1 V'/>"
					  "<resistor id='R' p='a' n='b' R='1 ohm'/>"
					  "<capacitor id='C' p='b' n='0' C='1 F' q='0 C'/>");
	const control c = {"radau3", "C.q, energy, supplied, dissipated", 1e-6, 1e-2, 3};
	bxt_table *t = run_with(xml, &c);
	ck_assert_uint_eq(bxt_table_rows(t), 301);
	for (size_t k = 0; k < 301; k++) {
		const double q = 1 - exp(-bxt_table_time(t, k));
		ck_assert_double_eq_tol(value_at(t, k, "C.q"), q, 1e-6);
		ck_assert_double_eq_tol(value_at(t, k, "energy"), q * q / 2, 1e-6);
		ck_assert_double_eq_tol(value_at(t, k, "supplied"), q, 1e-6);
		ck_assert_double_eq_tol(value_at(t, k, "dissipated"), q - q * q / 2, 1e-6);
	}
	bxt_table_free(t);
}
END_TEST

/* A state that begins at 0 beside large ones needs no steps of its own. */
START_TEST(from_zero)
{
	model m = model_of_file("motor-arm.xml");
	const bxt_run_def def = {.size = sizeof def, .scheme = "radau3", .tolerance = 1e-6};
	bxt_summary s;
	bxt_table_free(model_run(&m, &def, &s));
	ck_assert_int_lt(s.taken.accepted, 2000);
	ck_assert_double_gt(s.taken.smallest, 1e-7);
	bxt_summary_free(&s);
	model_free(&m);
}
END_TEST

/* What begins at 0, with nothing beside it that has a size, takes no steps of 1e-18 s: a diode
 * charges a capacitor by little more than sin(w t)^2 dt, an inductor in series with one is at rest.
 */
static const struct {
	const char *file, *scheme;
	double tolerance;
	int most;
} cold[] = {{"bridge-rectifier.xml", "gauss1", 1e-4, 1500},
	    {"bridge-rectifier.xml", "radau2", 1e-4, 1000},
	    {"bridge-rectifier.xml", "radau3", 1e-9, 5000},
	    {"dlc.xml", "radau3", 1e-6, 8000},
	    {"dlc.xml", "radau3", 1e-7, 8000}};

START_TEST(cold_start)
{
	model m = model_of_file(cold[_i].file);
	const bxt_run_def def = {
		.size = sizeof def, .scheme = cold[_i].scheme, .tolerance = cold[_i].tolerance};
	bxt_summary s;
	bxt_table_free(model_run(&m, &def, &s));
	ck_assert_int_lt(s.taken.accepted, cold[_i].most);
	bxt_summary_free(&s);
	model_free(&m);
}
END_TEST

/* Rows that lie far apart do not make the flows behind an event doubtful: a voltage of 15 V charges
 * an inductor of 20 mH from 0 to 10 us, which then feeds 20 uF and 30 ohm. */
START_TEST(event_between_rows)
{
	model m = model_of_file("boost-converter.xml");
	const bxt_run_def def = {.size = sizeof def,
				 .scheme = "radau3",
				 .tolerance = 1e-9,
				 .step = 4e-4,
				 .every = 1,
				 .end = 8e-4,
				 .record = "B.i, B.v"};
	bxt_run_def fixed = def;
	fixed.tolerance = 0;
	fixed.step = 1e-6;
	fixed.every = 400;
	bxt_table *t = model_run(&m, &def, NULL), *f = model_run(&m, &fixed, NULL);
	ck_assert_double_eq_tol(last_value(t, "B.i"), last_value(f, "B.i"), 1e-9);
	ck_assert_double_eq_tol(last_value(t, "B.v"), last_value(f, "B.v"), 1e-9);
	bxt_table_free(t);
	bxt_table_free(f);
	model_free(&m);
}
END_TEST

/* Rows between the ends of steps hold as exactly: a current of 0.2 A has brought 0.2 t, whether a
 * part of the model may switch or not. */
START_TEST(rows_inside_hold)
{
	static const char *const parts[] = {"", "<ideal-diode id='D' p='a' n='0' Vf='0.15'/>"};
	char xml[1024];
	snprintf(xml, sizeof xml,
		 NETLIST("<current-source id='I' p='0' n='a' I='0.2'/><capacitor id='C' p='a' "
			 "n='0' C='1 F'/><resistor id='R' p='a' n='0' R='1 ohm'/>%s"),
		 parts[_i]);
	const control c = {"radau3", "I.q, drift(constraint.q)", 1e-7, 0.01, 3};
	bxt_table *t = run_with(xml, &c);
	ck_assert_uint_ge(bxt_table_rows(t), 300);
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		ck_assert_double_eq_tol(value_at(t, k, "I.q"), 0.2 * bxt_table_time(t, k), 1e-13);
		ck_assert_double_le(value_at(t, k, "drift(constraint.q)"), 1e-13);
	}
	bxt_table_free(t);
}
END_TEST

/*
 * Coordinates that the time determines: the charge across a source, which other sources may lift,
 * and the heat of a capacity whose temperature is given. Between the stages they are about as exact
 * as the tolerance says, and the current as the charge.
 */
static const struct {
	const char *elements, *charge, *flow;
	double mean, size; /* of the charge: mean + size sin(60 t) */
} timed[] = {
	{"<voltage-source id='V' p='a' n='0' e='=5*sin(60*t)'/>"
	 "<capacitor id='C' p='a' n='0' C='2 uF'/>",
	 "C.q", "C.i", 0, 1e-5},
	{"<voltage-source id='V' p='a' n='0' e='=1e3+5*sin(60*t)'/>"
	 "<voltage-source id='W' p='b' n='0' e='1e3 V'/>"
	 "<capacitor id='B' p='a' n='c' C='6 uF'/><capacitor id='C' p='c' n='b' C='3 uF'/>",
	 "C.q", "C.i", 0, 1e-5},
	{"<temperature-source id='E' a='a' temperature='=300+10*sin(60*t)'/>"
	 "<heat-capacity id='A' a='a' C='10 J/K'/>",
	 "A.U", NULL, 68.5, 100},
};

START_TEST(determined_by_time)
{
	static const double tolerances[] = {1e-5, 1e-8};
	const int k = _i / 4;
	char xml[1024], record[64];
	snprintf(xml, sizeof xml, NETLIST("%s"), timed[k].elements);
	snprintf(record, sizeof record, "%s%s%s", timed[k].charge, timed[k].flow ? ", " : "",
		 timed[k].flow ? timed[k].flow : "");
	const double tolerance = tolerances[_i / 2 % 2], size = timed[k].size,
		     largest = fabs(timed[k].mean) + size;
	const control c = {i_scheme(_i % 2), record, tolerance, 1e-3, 0.3};
	bxt_table *t = run_with(xml, &c);
	for (size_t row = 0; row < bxt_table_rows(t); row++) {
		const double phase = 60 * bxt_table_time(t, row);
		/* round-off of 1 kV is that of 5 V times 200, and slopes magnify it */
		ck_assert_double_eq_tol(value_at(t, row, timed[k].charge),
					timed[k].mean + size * sin(phase),
					(2 * tolerance + 1e-11) * largest);
		if (timed[k].flow)
			ck_assert_double_eq_tol(value_at(t, row, timed[k].flow),
						60 * size * cos(phase),
						(3 * tolerance + 1e-9) * 60 * size);
	}
	bxt_table_free(t);
}
END_TEST

/* The units of a model change nothing but round-off: a capacitor of pF runs as one of F. */
START_TEST(units)
{
	static const char *const values[] = {
		"R='1 ohm'/><capacitor id='C' p='b' n='0' C='1 F'/>",
		"R='1e12 ohm'/><capacitor id='C' p='b' n='0' C='1 pF'/>"};
	bxt_table *t[2];
	for (int k = 0; k < 2; k++) {
		char xml[1024];
		const control c = {"radau3", "node(b).v", 1e-6, 0.1, 5};
		snprintf(xml, sizeof xml,
			 NETLIST("<voltage-source id='V' p='a' n='0' e='=sin(t)'/><resistor "
				 "id='R' p='a' n='b' %s"),
			 values[k]);
		t[k] = run_with(xml, &c);
	}
	ck_assert_uint_eq(bxt_table_rows(t[0]), bxt_table_rows(t[1]));
	for (size_t k = 0; k < bxt_table_rows(t[0]); k++)
		ck_assert_double_eq_tol(value_at(t[0], k, "node(b).v"),
					value_at(t[1], k, "node(b).v"), 1e-11);
	bxt_table_free(t[0]);
	bxt_table_free(t[1]);
}
END_TEST

/* The largest error of the charge; *steps: how many it took. */
static double error_with(const char *absolute, double refine, long *steps)
{
	model m = model_of_text(rlc);
	const bxt_run_def def = {.size = sizeof def,
				 .scheme = "radau3",
				 .record = "C.q",
				 .tolerance = 1e-11,
				 .step = 0.1,
				 .end = 2,
				 .absolute = absolute,
				 .refine = refine};
	bxt_summary s = {.size = sizeof s};
	bxt_table *t = model_run(&m, &def, &s);
	double error = 0;
	for (size_t k = 0; k < bxt_table_rows(t); k++)
		error = fmax(error, fabs(value_at(t, k, "C.q") - charge(bxt_table_time(t, k))));
	*steps = s.taken.accepted;
	bxt_summary_free(&s);
	bxt_table_free(t);
	model_free(&m);
	return error;
}

/* An absolute error that is allowed saves steps and is met; a tenth of all costs as many steps
 * more as the order says, 10^(1/4) of radau3; prefixes do not matter. */
START_TEST(absolute)
{
	long relative, absolute, finer, prefixed;
	const double exact = error_with(NULL, 0, &relative);
	const double coarse = error_with("1e-6 C; 1e-4 Wb", 0, &absolute);
	const double fine = error_with("1e-6 C; 1e-4 Wb", 1000, &finer);
	ck_assert_double_le(exact, 1e-12);
	ck_assert_double_ge(coarse, 1e-8);
	ck_assert_double_le(coarse, 2e-5);
	ck_assert_double_le(fine, coarse / 100);
	ck_assert_int_lt(3 * absolute, relative);
	ck_assert_int_gt(2 * finer, 5 * absolute);
	ck_assert_double_eq(error_with(" 100 uWb ;1e-3mC;", 0, &prefixed), coarse);
	ck_assert_int_eq(prefixed, absolute);
}
END_TEST

/* A simulation reads its settings again when it begins anew: the caller's texts may be gone. */
START_TEST(texts)
{
	char absolute[] = "1e-6 C", after[] = "after";
	model m = model_of_text(rlc);
	const bxt_run_def def = {.size = sizeof def,
				 .tolerance = 1e-6,
				 .step = 0.1,
				 .end = 2,
				 .absolute = absolute,
				 .events = after};
	bxt_simulation *s;
	ck_assert_int_eq(bxt_simulation_new(m.system, &def, m.findings, &s), BXT_OK);
	memset(absolute, 'x', sizeof absolute - 1);
	memset(after, 'x', sizeof after - 1);
	ck_assert_int_eq(bxt_simulation_reset(s, m.findings), BXT_OK);
	ck_assert_int_eq(bxt_simulation_step_to(s, 1, 0, m.findings), BXT_OK);
	bxt_simulation_free(s);
	model_free(&m);
}
END_TEST

static const struct {
	bxt_run_def def;
	const char *finding;
} wrong[] = {
	{{.tolerance = -1}, "tolerance is -1: must be above 0"},
	{{.tolerance = 2}, "must be above 0 and below 1"},
	{{.tolerance = NAN}, "must be above 0"},
	{{.tolerance = 1e-6, .max_step = -1}, "max-step is -1 s: must be a positive time"},
	{{.tolerance = 1e-6, .max_step = 1, .min_step = 2}, "min-step 2 s is above max-step"},
	{{.tolerance = 1e-6, .scheme = "dirac-"}, "steps backward: it has no step control"},
	{{.tolerance = 1e-6, .absolute = "1e-9 m"},
	 "no coordinate of the model is in 'm', nor a momentum; they are in C, "},
	{{.tolerance = 1e-6, .absolute = "1e-9 c"}, "(did you mean 'C'?)"},
	{{.tolerance = 1e-6, .absolute = "1e-9 Cc"}, "(did you mean 'C'?)"},
	{{.tolerance = 1e-6, .absolute = "tiny C"}, "absolute: 'tiny C' is not a finite number"},
	{{.tolerance = 1e-6, .absolute = "1 C; 2 mC"},
	 "absolute: '1 C' and '2 mC' are for the same coordinates"},
	{{.tolerance = 1e-6, .absolute = "0 C"}, "absolute: '0 C' must be above 0"},
	{{.tolerance = 1e-6, .absolute = "1 degC"}, "no coordinate of the model is in 'degC'"},
	{{.tolerance = 1e-6, .absolute = ""}, "absolute: '' is not a finite number"},
};

START_TEST(refused)
{
	model m = model_of_text(rlc);
	bxt_run_def def = wrong[_i].def;
	bxt_state *state;
	def.size = sizeof def;
	def.step = 0.01;
	def.end = 1;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_ERR_MODEL);
	ck_assert_msg(has_finding(&m, BXT_ERROR, wrong[_i].finding), "%s", wrong[_i].finding);
	model_free(&m);
}
END_TEST

/*
 * A bridge that is balanced: 10 V lie across it, and nothing but round-off charges the capacitor in
 * its middle, until 1 uA flows there from 0.1 ms on. Between its ends are two times R/2. Beside it
 * a network that a source lifts, and in which nothing flows.
 */
static const char balanced_bridge[] = NETLIST(
	"<voltage-source id='V' p='a' n='0' e='=10*sin(2*pi*2320*t)'/>"
	"<resistor id='R1' p='a' n='l' R='1 kohm'/><resistor id='R2' p='l' n='0' R='1 kohm'/>"
	"<resistor id='R3' p='a' n='r' R='1 kohm'/><resistor id='R4' p='r' n='0' R='1 kohm'/>"
	"<capacitor id='C' p='l' n='r' C='100 nF'/>"
	"<current-source id='I' p='r' n='l' I='=if(t &lt; 1e-4, 0, 1e-6)'/>"
	"<inductor id='L' p='b' n='a' L='3.395 mH'/><resistor id='R5' p='b' n='a' R='37 ohm'/>"
	"<capacitor id='C1' p='a' n='c' C='563.9 nF'/><capacitor id='C2' p='b' n='d' C='304.9 nF'/>"
	"<capacitor id='C3' p='d' n='c' C='139.2 nF'/>");

START_TEST(balanced)
{
	static const char *const with[] = {"radau2", "radau3", "gauss1", "gauss2", "gauss3"};
	const control c = {with[_i], "C.q, C1.q, node(c).v", 1e-8, 1e-5, 1e-3};
	const double rc = 1e-4;
	bxt_table *t = run_with(balanced_bridge, &c);
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		const double time = bxt_table_time(t, k), since = fmax(time - 1e-4, 0);
		const double v = 10 * sin(2 * acos(-1) * 2320 * time);
		ck_assert_double_eq_tol(value_at(t, k, "C.q"), -1e-10 * expm1(-since / rc), 1e-16);
		ck_assert_double_le(fabs(value_at(t, k, "C1.q")), 1e-12 * 563.9e-9 * 10);
		ck_assert_double_eq_tol(value_at(t, k, "node(c).v"), v, 1e-11);
	}
	bxt_table_free(t);
}
END_TEST

TEST_SUITE("step control")
{
	const test_case tests[] = {
		{"ladder", ladder, .loops = COUNT(schemes)},
		{"rows", rows},
		{"edge at a row", edge_at_a_row},
		{"published", published, .loops = 3},
		{"stiff flows inside", stiff_flows_inside, .loops = 2},
		{"junction inside", junction_inside, .loops = 2},
		{"guesses", guesses, .loops = 2},
		{"laws of exponentials", laws_of_exponentials},
		{"accounts inside", accounts_inside},
		{"from zero", from_zero},
		{"balanced", balanced, .loops = 5},
		{"cold start", cold_start, .loops = COUNT(cold)},
		{"event between rows", event_between_rows},
		{"rows inside hold", rows_inside_hold, .loops = 2},
		{"determined by time", determined_by_time, .loops = 4 * COUNT(timed)},
		{"units", units},
		{"absolute", absolute},
		{"texts", texts},
		{"refused", refused, .loops = COUNT(wrong)}};
	ADD_TESTS(tests);
}
