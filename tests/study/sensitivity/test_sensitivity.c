/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Derivatives by parameters: against closed forms of linear models, against derivatives of the
 * discrete steps by hand, and against differences of whole runs of models that were compiled with
 * other values, in every step method and over the shipped models.
 */
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bxt_table *derived(model *m, const bxt_run_def *run, const char *by)
{
	bxt_sensitivity_def def;
	bxt_table *t = NULL;
	bxt_default_sensitivity_def(&def);
	def.run = run;
	def.by = by;
	const bxt_status status = bxt_sensitivity_run(m->system, &def, m->findings, &t);
	for (size_t i = 0; status != BXT_OK && i < bxt_diagnostics_count(m->findings, BXT_NOTE);
	     i++)
		printf("%s\n", bxt_diagnostics_get(m->findings, i)->text);
	ck_assert_int_eq(status, BXT_OK);
	return t;
}

/* ---- Closed forms ---- */

#define RC                                                                                         \
	NETLIST("<voltage-source id='V' p='in' n='0' e='2'/><resistor id='R' p='in' n='out' "      \
		"R='1 kohm'/><capacitor id='C' p='out' n='0' C='1 uF'/>")

/* v = e (1 - exp(-t/RC)), also where the rows of gauss3 are exact to 1e-12. */
START_TEST(low_pass)
{
	const bxt_run_def run = {.size = sizeof run,
				 .scheme = "gauss3",
				 .step = 2e-5,
				 .end = 3e-3,
				 .record = "node(out).v, R.i"};
	model m = model_of_text(RC);
	bxt_table *t = derived(&m, &run, "R.R, C.C, V.e");
	ck_assert_uint_eq(bxt_table_columns(t), 8);
	ck_assert_str_eq(bxt_table_unit(t, 2), "V/ohm");
	ck_assert_str_eq(bxt_table_name(t, 2), "d(node(out).v)/d(R.R)");
	ck_assert_str_eq(bxt_table_unit(t, 6), "1");
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double s = bxt_table_time(t, i), r = 1e3, c = 1e-6, tau = r * c;
		const double e = exp(-s / tau);
		ck_assert_double_eq_tol(value_at(t, i, "d(node(out).v)/d(V.e)"), 1 - e, 1e-10);
		ck_assert_double_eq_tol(value_at(t, i, "d(node(out).v)/d(R.R)"),
					-2 * e * s / tau / r, 1e-10 / r);
		ck_assert_double_eq_tol(value_at(t, i, "d(node(out).v)/d(C.C)"),
					-2 * e * s / tau / c, 1e-10 / c);
		ck_assert_double_eq_tol(value_at(t, i, "d(R.i)/d(R.R)"),
					2 / r * e * (s / tau - 1) / r, 1e-10 / r);
	}
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* The midpoint rule takes q' = (e - q/C)/R to q_n = C e (1 - g^n), g = (1 - z)/(1 + z), z = h/2RC:
 * the derivative is that of these numbers, not of the exponential. */
START_TEST(of_the_discrete_step)
{
	const double h = 5e-4, z = h / 2e-3, g = (1 - z) / (1 + z);
	const bxt_run_def run = {.size = sizeof run, .step = h, .end = 5e-3, .record = "C.q"};
	model m = model_of_text(RC);
	bxt_table *t = derived(&m, &run, "R.R");
	for (size_t n = 0; n < bxt_table_rows(t); n++) {
		/* dg/dR = 2 z / (1 + z)^2 / R */
		const double k = (double)n, by = 2 * z / ((1 + z) * (1 + z)) / 1e3;
		const double right = n == 0 ? 0 : -2e-6 * k * pow(g, k - 1) * by;
		ck_assert_double_eq_tol(value_at(t, n, "d(C.q)/d(R.R)"), right, 1e-10 * 2e-9);
	}
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* A consistent start depends on parameters: an operating point of a divider, and a phase. */
START_TEST(starts)
{
	static const char xml[] =
		NETLIST("<parameter name='f' unit='Hz' default='50'/><voltage-source id='V' p='in' "
			"n='0' e='3'/><resistor id='A' p='in' n='out' R='1 kohm'/><resistor id='B' "
			"p='out' n='0' R='2 kohm'/><capacitor id='C' p='out' n='0' C='1 uF'/>"
			"<voltage-source id='S' p='s' n='0' e='=sin(2*pi*f*t + 1)'/><resistor "
			"id='D' p='s' n='0' R='1'/>");
	const bxt_run_def run = {.size = sizeof run,
				 .start = "operating-point",
				 .step = 1e-4,
				 .end = 1e-2,
				 .record = "node(out).v, node(s).v"};
	model m = model_of_text(xml);
	bxt_table *t = derived(&m, &run, "A.R, B.R, f");
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double s = bxt_table_time(t, i), pi = acos(-1);
		ck_assert_double_eq_tol(value_at(t, i, "d(node(out).v)/d(A.R)"), -3 * 2e3 / 9e6,
					1e-12);
		ck_assert_double_eq_tol(value_at(t, i, "d(node(out).v)/d(B.R)"), 3 * 1e3 / 9e6,
					1e-12);
		ck_assert_double_eq_tol(value_at(t, i, "d(node(s).v)/d(f)"),
					2 * pi * s * cos(100 * pi * s + 1), 1e-10);
	}
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* ---- Differences of runs ---- */

/* The rows of a run with another value of a parameter; NULL: it does not start or run so. */
static bxt_table *run_with(const model *m, const bxt_run_def *def, size_t index, double value)
{
	bxt_simulation *s = NULL;
	bxt_table *t = bxt_table_new();
	bxt_sink to;
	bxt_table_sink(t, &to);
	bool good = bxt_simulation_new(m->system, def, NULL, &s) == BXT_OK &&
		    bxt_simulation_set_parameters(s, 1, &index, &value, NULL) == BXT_OK &&
		    bxt_simulation_reset(s, NULL) == BXT_OK;
	const size_t n = bxt_simulation_signals(s);
	bxt_column *column = calloc(n + 1, sizeof *column);
	double *row = calloc(n + 1, sizeof *row);
	for (size_t i = 0; i < n; i++)
		column[i] = *bxt_simulation_signal(s, i);
	ck_assert_int_eq(to.columns(to.context, n, column), BXT_OK);
	while (good) {
		ck_assert_int_eq(bxt_simulation_read(s, row), BXT_OK);
		ck_assert_int_eq(to.row(to.context, bxt_simulation_time(s), n, row), BXT_OK);
		if (bxt_simulation_time(s) > def->end - def->step / 2)
			break;
		good = bxt_simulation_step(s, 1, NULL, NULL) == BXT_OK;
	}
	free(column);
	free(row);
	bxt_simulation_free(s);
	return good ? t : bxt_table_free(t);
}

/* The largest value of all columns in the unit of column j. */
static double largest_in_unit(const bxt_table *t, size_t n, size_t j)
{
	double most = 0;
	for (size_t c = 0; c < n; c++)
		for (size_t i = 0; i < bxt_table_rows(t); i++)
			if (strcmp(bxt_table_unit(t, c), bxt_table_unit(t, j)) == 0)
				most = fmax(most, fabs(bxt_table_value(t, i, c)));
	return most;
}

/* Drift is round-off, and so are currents of what blocks, and angles of what does not turn. */
static bool is_round_off(const bxt_table *t, size_t n, size_t j)
{
	static const struct {
		const char *unit;
		double least;
	} floors[] = {{"A", 1e-10}, {"rad", 1e-6}};
	for (size_t k = 0; k < sizeof floors / sizeof *floors; k++)
		if (strcmp(bxt_table_unit(t, j), floors[k].unit) == 0 &&
		    largest_in_unit(t, n, j) < floors[k].least)
			return true;
	return strncmp(bxt_table_name(t, j), "drift", 5) == 0;
}

/*
 * Differences of fourth order of runs, each Newton iteration of which ends somewhere else in its
 * round-off, against derivatives. Of p dy/dp they are good to 1e-6 of the largest, or to what
 * round-off of the values leaves, 2e-7 of the largest in the unit. Returns the largest difference
 * by this, over all columns; above 1 it is too much. NaN: there are no runs beside.
 */
static double differs(const model *m, const bxt_table *t, const bxt_run_def *def, size_t index,
		      double value)
{
	static const double PART = 2e-4, by[] = {-2, -1, 1, 2};
	bxt_table *at[4];
	bool good = true;
	double worst = 0;
	for (int k = 0; k < 4; k++) {
		at[k] = run_with(m, def, index, value * (1 + by[k] * PART));
		good = good && at[k] && bxt_table_rows(t) == bxt_table_rows(at[k]);
	}
	const size_t n = bxt_table_columns(t) / 2;
	for (size_t j = 0; j < n && good; j++) {
		if (is_round_off(t, n, j))
			continue;
		double most = 0, apart = 0, rough = 0, f[4];
		for (size_t i = 0; i < bxt_table_rows(t); i++) {
			for (int k = 0; k < 4; k++)
				f[k] = bxt_table_value(at[k], i, j);
			const double right = (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / 12 / PART;
			const double found = bxt_table_value(t, i, n + j) * value;
			most = fmax(most, fabs(right));
			rough = fmax(rough, fabs((f[3] - f[0]) / 4 - (f[2] - f[1]) / 2) / PART);
			apart = isfinite(found) ? fmax(apart, fabs(right - found)) : INFINITY;
		}
		const double allowed = 1e-6 * most + 2e-7 * largest_in_unit(t, n, j) + 20 * rough;
		if (apart > allowed)
			printf("  %s: %g, allowed are %g\n", bxt_table_name(t, n + j), apart,
			       allowed);
		worst = apart > 0 ? fmax(worst, apart / allowed) : worst;
	}
	for (int k = 0; k < 4; k++)
		bxt_table_free(at[k]);
	return good ? worst : NAN;
}

static size_t find(const model *m, const char *path, double *value)
{
	bxt_part_info info = {.size = sizeof info};
	const long at = bxt_system_find(m->system, BXT_PART_PARAMETER, path, m->findings);
	ck_assert_int_ge(at, 0);
	ck_assert_int_eq(bxt_system_part(m->system, BXT_PART_PARAMETER, (size_t)at, &info), BXT_OK);
	*value = info.value;
	return (size_t)at;
}

struct one {
	const char *file, *path, *scheme, *record;
	double step, end;
};
static const struct one ones[] = {
	{"rlc-series.xml", "R1.R", "gauss1", "C1.q, L1.i, node(b).v, energy, dissipated", 1e-6,
	 2e-4},
	{"rlc-series.xml", "L1.L", "gauss2", "C1.q, L1.i, node(b).v, energy", 1e-6, 2e-4},
	{"rlc-series.xml", "C1.C", "radau3", "C1.q, L1.i, node(b).v, energy", 1e-6, 2e-4},
	{"rlc-series.xml", "C1.C", "dirac+", "C1.q, L1.i", 1e-6, 2e-4},
	{"rlc-series.xml", "C1.C", "discrete-gradient", "C1.q, L1.i", 1e-6, 2e-4},
	{"bridge-rectifier.xml", "C1.C", "gauss1", "C1.q, node(out).v", 1e-4, 2e-2},
	{"bridge-rectifier.xml", "R1.R", "gauss3", "C1.q, node(out).v", 1e-4, 2e-2},
	{"bridge-rectifier.xml", "D1.Is", "radau2", "C1.q, node(out).v, D1.i", 1e-4, 2e-2},
};

START_TEST(schemes)
{
	for (size_t i = 0; i < sizeof ones / sizeof *ones; i++) {
		const struct one *k = &ones[i];
		const bxt_run_def def = {.size = sizeof def,
					 .scheme = k->scheme,
					 .step = k->step,
					 .end = k->end,
					 .record = k->record};
		model m = model_of_file(k->file);
		double value;
		const size_t at = find(&m, k->path, &value);
		bxt_table *t = derived(&m, &def, k->path);
		const double worst = differs(&m, t, &def, at, value);
		printf("%s by %s with %s: %.2g\n", k->file, k->path, k->scheme, worst);
		if (!(worst <= 1))
			ck_abort_msg("%s by %s with %s: %g", k->file, k->path, k->scheme, worst);
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

/* Of each shipped model, by its first parameters that have derivatives. */
static void compare_model(const char *file, int *compared, int *refused, int *bad)
{
	enum { STEPS = 20 };
	const int parameters = campaign(1);
	model m = model_of_file(file);
	const bxt_run_def def =
		first_steps(&m, (bxt_run_def){.size = sizeof def, .every = 1}, STEPS);
	const size_t n = bxt_system_count(m.system, BXT_PART_PARAMETER);
	int done = 0;
	for (size_t i = 0; i < n && done < parameters; i++) {
		bxt_part_info info = {.size = sizeof info};
		bxt_sensitivity_def by;
		bxt_table *t = NULL;
		bxt_default_sensitivity_def(&by);
		ck_assert_int_eq(bxt_system_part(m.system, BXT_PART_PARAMETER, i, &info), BXT_OK);
		by.run = &def;
		by.by = info.path;
		if (!info.tunable || !isfinite(info.value) || info.value == 0)
			continue;
		done++;
		bxt_diagnostics *d = bxt_diagnostics_new();
		const bxt_status status = bxt_sensitivity_run(m.system, &by, d, &t);
		const double worst = status == BXT_OK ? differs(&m, t, &def, i, info.value) : NAN;
		if (status != BXT_OK)
			printf("%s by %s: %s\n", file, info.path,
			       bxt_diagnostics_get(d, bxt_diagnostics_count(d, BXT_NOTE) - 1)
				       ->text);
		else
			printf("%s by %s: %.2g\n", file, info.path, worst);
		*refused += isnan(worst);
		*compared += !isnan(worst);
		if (worst > 1)
			*bad += 1;
		bxt_table_free(t);
		bxt_diagnostics_free(d);
	}
	model_free(&m);
}

START_TEST(shipped)
{
	netlist_names names = all_netlists();
	const size_t every = getenv("BXT_FAST") ? 7 : 1;
	int compared = 0, refused = 0, bad = 0;
	for (size_t i = 0; i < names.n; i += every)
		compare_model(names.name[i], &compared, &refused, &bad);
	printf("%d compared, %d refused\n", compared, refused);
	ck_assert_int_eq(bad, 0);
	ck_assert_int_ge(compared, 2 * refused);
	all_netlists_free(&names);
}
END_TEST

/* A trolley and its load hang at rest: nothing is doubtful, though the trolley's angle and all
 * momenta are zero and their derivatives round-off of that. The load is at -len. */
START_TEST(at_rest)
{
	const bxt_run_def run = {.size = sizeof run,
				 .scheme = "gauss2",
				 .step = .01,
				 .end = 2,
				 .record = "node(l).y"};
	model m = model_of_text(NETLIST(
		"<parameter name='len' default='2 m' unit='m'/>"
		"<node id='t' kind='planar' x='0 m' y='0 m'/><node id='l' kind='planar' y='=-len'/>"
		"<point-mass id='T' a='t' m='5 kg' g='9.81 m/s2'/>"
		"<prismatic id='rail' a='wall' b='t'/>"
		"<point-mass id='L' a='l' m='2 kg' g='9.81 m/s2'/>"
		"<rod id='rope' a='t' b='l' l='=len'/>"
		"<point-spring id='K' a='wall' b='t' k='1 N/m' l0='0 m'/>"));
	bxt_table *t = derived(&m, &run, "len");
	ck_assert_uint_eq(bxt_diagnostics_count(m.findings, BXT_WARNING), 0);
	for (size_t n = 0; n < bxt_table_rows(t); n++)
		ck_assert_double_eq_tol(value_at(t, n, "d(node(l).y)/d(len)"), -1, 1e-8);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/*
 * Conditions of a component's text: q'' = -k sign(q) falls from 1 as 1 - k t^2/2, and its
 * derivative is -t^2/2 until it comes to the kink of |q|, which is refused; so long as none changes
 * they do nothing.
 */
START_TEST(conditions)
{
	static const char xml[] =
		"<netlist xmlns='urn:boxtimes:netlist:1' name='a particle'><component "
		"xmlns='urn:boxtimes:component:1' name='particle' domain='mechanical'><parameter "
		"name='k' unit='1' default='1'/><coordinate name='q' unit='1' flow='v'/>"
		"<lagrangian>v^2/2 - k*abs(q)</lagrangian></component><particle id='a' q='1' "
		"v='0'/></netlist>";
	bxt_run_def run = {
		.size = sizeof run, .scheme = "gauss2", .step = 0.05, .end = 1, .record = "a.q"};
	model m = model_of_text(xml);
	bxt_table *t = derived(&m, &run, "a.k");
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double s = bxt_table_time(t, i);
		ck_assert_double_eq_tol(value_at(t, i, "d(a.q)/d(a.k)"), -s * s / 2, 1e-10);
	}
	bxt_table_free(t);
	bxt_sensitivity_def def;
	bxt_default_sensitivity_def(&def);
	run.end = 2;
	def.run = &run;
	def.by = "a.k";
	t = NULL;
	ck_assert_int_ne(bxt_sensitivity_run(m.system, &def, m.findings, &t), BXT_OK);
	ck_assert_ptr_null(t);
	ck_assert(has_finding(&m, BXT_ERROR, "a branch of a component's text changes"));
	model_free(&m);
}
END_TEST

/*
 * What starts at zero and depends on no parameter has differences of round-off alone, in the first
 * step also relative to the start. Nothing is doubted then, and points stay apart, so that the
 * twist t^2 tau/2J has its derivative to round-off.
 */
START_TEST(beside_what_starts_at_zero)
{
	static const char xml[] =
		NETLIST("<mass id='M' a='x' m='0.7'/><force id='F' a='wall' b='x' f='=0.3*t'/>"
			"<inertia id='J' a='s' J='1.3'/><torque id='T' a='wall' b='s' tau='0.9'/>");
	const bxt_run_def run = {
		.size = sizeof run, .step = 0.01, .end = 1, .record = "node(s).theta"};
	model m = model_of_text(xml);
	bxt_table *t = derived(&m, &run, "J.J");
	ck_assert(!has_finding(&m, BXT_WARNING, "doubtful"));
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double s = bxt_table_time(t, i);
		ck_assert_double_eq_tol(value_at(t, i, "d(node(s).theta)/d(J.J)"),
					-0.9 * s * s / 2 / (1.3 * 1.3), 1e-11);
	}
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* ---- How exact differences are ---- */

#define SOURCE(e)                                                                                  \
	NETLIST("<parameter name='a' unit='1' default='1'/>"                                       \
		"<voltage-source id='V' p='n' n='0' e='=" e "'/>"                                  \
		"<capacitor id='C' p='n' n='0' C='1 F'/>")

/*
 * A charge exp(600 a t) C at a = 1: within the first points of differences, 2^-14 of a apart, it
 * changes by 4 %, which costs differences of fourth order 6e-8 of the derivative. Those of second
 * order are then 2e-4 off, and the run is made again with points that are nearer together.
 */
START_TEST(strongly_curved)
{
	const bxt_run_def run = {.size = sizeof run, .step = 0.125, .end = 1, .record = "C.q"};
	model m = model_of_text(SOURCE("exp(600*a*t)"));
	bxt_table *t = derived(&m, &run, "a");
	ck_assert_uint_eq(bxt_diagnostics_count(m.findings, BXT_WARNING), 0);
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double s = bxt_table_time(t, i), right = 600 * s * exp(600 * s);
		ck_assert_double_eq_tol(value_at(t, i, "d(C.q)/d(a)"), right, 1e-9 * right + 1e-9);
	}
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/*
 * At a jump or a cubic root of the parameter no points are near enough. By the value at the nearest
 * point, differences of second order are 1. Those of fourth order are (8 - 1)/6 at a jump, which is
 * 1/7 apart, and (8 - cbrt 2)/6 at a root, which is 0.11 apart.
 */
START_TEST(no_derivative)
{
	static const struct {
		const char *xml, *warning;
	} of[] = {
		{SOURCE("1 + t*sign(a - 1)"), "still vary by 0.14 of the largest"},
		{SOURCE("1 + t*exp(ln(abs(a - 1) + 1e-30)/3)*sign(a - 1)"),
		 "still vary by 0.11 of"},
	};
	const bxt_run_def run = {.size = sizeof run, .step = 0.25, .end = 1, .record = "C.q"};
	for (int k = 0; k < COUNT(of); k++) {
		model m = model_of_text(of[k].xml);
		bxt_table *t = derived(&m, &run, "a");
		for (size_t i = 0; i < bxt_diagnostics_count(m.findings, BXT_NOTE); i++)
			printf("%s\n", bxt_diagnostics_get(m.findings, i)->text);
		ck_assert(has_finding(&m, BXT_WARNING, of[k].warning));
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

/* Each is refused by name, and nothing is given. */
static void refused_as(const char *file, const char *by, const bxt_run_def *run, const char *words)
{
	model m = model_of_file(file);
	bxt_table *t = NULL;
	bxt_sensitivity_def def;
	bxt_default_sensitivity_def(&def);
	def.run = run;
	def.by = by;
	ck_assert_int_eq(bxt_sensitivity_run(m.system, &def, m.findings, &t), BXT_ERR_MODEL);
	ck_assert_ptr_null(t);
	if (!has_finding(&m, BXT_ERROR, words))
		ck_abort_msg("%s: no finding has '%s'", file, words);
	model_free(&m);
}

START_TEST(refusals)
{
	const bxt_run_def standard = {.size = sizeof standard},
			  tolerance = {.size = sizeof tolerance, .tolerance = 1e-6};
	refused_as("rlc-series.xml", "R1.RR", &standard, "did you mean 'R1.R'");
	refused_as("rlc-series.xml", "R1.R, R1.R", &standard, "twice");
	refused_as("rlc-series.xml", " , ", &standard, "empty");
	refused_as("rlc-series.xml", "R1.R", &tolerance, "tolerance");
	refused_as("bouncing-ball.xml", "ball.m", &standard, "switches");
	refused_as("boost-control.xml", "B.L", &standard, "element 'B' (boost) is sampled");
	refused_as("circulator.xml", "one.V.delay", &standard, "moves the time");
}
END_TEST

TEST_SUITE("derivatives of runs by parameters")
{
	const test_case tests[] = {
		{"low pass", low_pass},
		{"of the discrete step", of_the_discrete_step},
		{"starts", starts},
		{"schemes", schemes},
		{"shipped models", shipped},
		{"conditions", conditions},
		{"at rest", at_rest},
		{"strongly curved", strongly_curved},
		{"no derivative", no_derivative},
		{"refusals", refusals},
		{"beside what starts at zero", beside_what_starts_at_zero},
	};
	ADD_TESTS(tests);
}
