/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inertia that depends on coordinates or flows: flows are found from momenta at every grid point,
 * to the floor that the condition of the inertia allows. Arms in relative joint angles, in absolute
 * ones and of the library's parts are held to an integration of their equations in absolute angles,
 * made here; a junction's charge to a closed form.
 */
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINKS = 6, TEXT = 1 << 16 };

static const double G = 9.81, MASS = 1, LENGTH = 1, INERTIA = 1.0 / 12;

/* Angles at the start, each from the vertical (absolute) or from the link before. */
static double first_angle(int i)
{
	return 0.5 + 0.2 * i;
}

/* ---- The arm, in text ---- */

struct text {
	char at[TEXT];
	size_t n;
};

static void add(struct text *t, const char *words)
{
	const size_t n = strlen(words);
	ck_assert_uint_lt(t->n + n, TEXT);
	memcpy(t->at + t->n, words, n + 1);
	t->n += n;
}

/* "(q0+q1)" or "(q1)" */
static void add_angle(struct text *t, char letter, int i, bool relative)
{
	char one[16];
	for (int k = relative ? 0 : i; k <= i; k++) {
		snprintf(one, sizeof one, "%s%c%d", k == (relative ? 0 : i) ? "(" : "+", letter, k);
		add(t, one);
	}
	add(t, ")");
}

/* The velocity of the middle of link i along x (cos) or y (sin). */
static void add_velocity(struct text *t, const char *of, int i, bool relative)
{
	for (int k = 0; k <= i; k++) {
		add(t, k ? "+" : "(");
		add(t, k < i ? "1.0*" : "0.5*");
		add(t, of);
		add_angle(t, 'q', k, relative);
		add(t, "*");
		add_angle(t, 'w', k, relative);
	}
	add(t, ")");
}

static char *arm(int n, bool relative)
{
	struct text t = {.n = 0};
	char one[128];
	add(&t,
	    "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"arm\">"
	    "<component xmlns=\"urn:boxtimes:component:1\" name=\"arm\" domain=\"mechanical\">");
	for (int i = 0; i < n; i++) {
		snprintf(one, sizeof one, "<coordinate name=\"q%d\" unit=\"rad\" flow=\"w%d\"/>", i,
			 i);
		add(&t, one);
	}
	add(&t, "<lagrangian>0");
	for (int i = 0; i < n; i++) {
		add(&t, "+(");
		add_velocity(&t, "cos", i, relative);
		add(&t, "^2+");
		add_velocity(&t, "sin", i, relative);
		add(&t, "^2)/2+");
		add_angle(&t, 'w', i, relative);
		add(&t, "^2/24");
		for (int k = 0; k <= i; k++) {
			add(&t, k < i ? "+9.81*cos" : "+9.81*0.5*cos");
			add_angle(&t, 'q', k, relative);
		}
	}
	add(&t, "</lagrangian></component><arm id=\"a\"");
	for (int i = 0; i < n; i++) {
		snprintf(one, sizeof one, " q%d=\"%.17g rad\"", i, first_angle(i));
		add(&t, one);
	}
	add(&t, "/></netlist>");
	return strdup(t.at);
}

/* The same of arm-links and arm-couplings, whose angles count from the x axis. */
static char *arm_of_parts(int n)
{
	static const char link[] = "m=\"1 kg\" l=\"1 m\" cx=\"0.5 m\"";
	struct text t = {.n = 0};
	char one[256];
	add(&t, "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"arm\">");
	for (int i = 0; i < n; i++) {
		snprintf(one, sizeof one,
			 "<node id=\"n%d\" kind=\"rotational\" theta=\"=%.17g - pi/2\"/>"
			 "<arm-link id=\"L%d\" a=\"n%d\" %s J=\"=1/12\" load=\"%d kg\" "
			 "g=\"9.81 m/s2\"/>",
			 i, first_angle(i), i, i, link, n - 1 - i);
		add(&t, one);
		for (int k = 0; k < i; k++) {
			snprintf(one, sizeof one,
				 "<arm-coupling id=\"C%d-%d\" a=\"n%d\" b=\"n%d\" la=\"1 m\" %s "
				 "load=\"%d kg\"/>",
				 k, i, k, i, link, n - 1 - i);
			add(&t, one);
		}
	}
	add(&t, "</netlist>");
	return strdup(t.at);
}

/* ---- The same in absolute angles, M(a) a'' = f(a, a'), by the classical Runge-Kutta method ----
 */

/* M_ij = c_ij cos(a_i - a_j), f_i = - sum_j c_ij sin(a_i - a_j) w_j^2 - g b_i sin a_i */
static void accelerations(int n, const double *a, const double *w, double *out)
{
	double m[MOST_LINKS][MOST_LINKS + 1];
	for (int i = 0; i < n; i++) {
		const double behind = n - 1 - i;
		m[i][n] = -G * MASS * LENGTH * (0.5 + behind) * sin(a[i]);
		for (int j = 0; j < n; j++) {
			const double c =
				i == j ? INERTIA + MASS * LENGTH * LENGTH * (0.25 + behind)
				       : MASS * LENGTH * LENGTH * (0.5 + n - 1 - (i > j ? i : j));
			m[i][j] = c * cos(a[i] - a[j]);
			m[i][n] -= i == j ? 0 : c * sin(a[i] - a[j]) * w[j] * w[j];
		}
	}
	for (int k = 0; k < n; k++) /* M is positive definite: no pivots are looked for */
		for (int i = k + 1; i < n; i++) {
			const double by = m[i][k] / m[k][k];
			for (int j = k; j <= n; j++)
				m[i][j] -= by * m[k][j];
		}
	for (int i = n - 1; i >= 0; i--) {
		out[i] = m[i][n];
		for (int j = i + 1; j < n; j++)
			out[i] -= m[i][j] * out[j];
		out[i] /= m[i][i];
	}
}

static void integrate(int n, double end, int steps, double *a, double *w)
{
	static const double part[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
	const double h = end / steps;
	for (int s = 0; s < steps; s++) {
		double da[MOST_LINKS] = {0}, dw[MOST_LINKS] = {0};
		double ka[MOST_LINKS] = {0}, kw[MOST_LINKS] = {0};
		for (int k = 0; k < 4; k++) {
			double at[MOST_LINKS] = {0}, v[MOST_LINKS] = {0};
			for (int i = 0; i < n; i++) {
				at[i] = a[i] + part[k] * h * ka[i];
				v[i] = w[i] + part[k] * h * kw[i];
			}
			accelerations(n, at, v, kw);
			memcpy(ka, v, sizeof ka);
			for (int i = 0; i < n; i++) {
				da[i] += weight[k] * h / 6 * ka[i];
				dw[i] += weight[k] * h / 6 * kw[i];
			}
		}
		for (int i = 0; i < n; i++) {
			a[i] += da[i];
			w[i] += dw[i];
		}
	}
}

/* ---- The tests ---- */

static const int links[] = {2, 3, 4, 5, 6};
static const enum form { ABSOLUTE, RELATIVE, PARTS } forms[] = {ABSOLUTE, RELATIVE, PARTS};
static const char *const form_names[] = {"absolute", "relative", "parts"};

/* The largest error of an angle from the vertical at the end [rad], where a[] is right. */
static double worst_angle(const bxt_table *t, int n, enum form form, const double *a)
{
	double worst = 0, sum = 0;
	char name[32];
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof name, form == PARTS ? "node(n%d).theta" : "a.q%d", i);
		const double angle = last_value(t, name);
		sum = form == RELATIVE ? sum + angle : form == PARTS ? angle + acos(0) : angle;
		worst = fmax(worst, fabs(sum - a[i]));
	}
	return worst;
}

/* gauss3 to ten digits in either kind of angles, every other scheme to what its order allows. */
START_TEST(arms)
{
	/* the largest error of an angle [rad] at the end, where an order p leaves C h^p */
	static const struct {
		const char *scheme;
		double error;
	} schemes[] = {
		{"gauss3", 1e-11}, {"gauss2", 1e-7}, {"radau3", 1e-9}, {"radau2", 1e-4},
		{"gauss1", 1e-3},  {"dirac+", 1e-3}, {"dirac-", 1e-3}, {"theta", 1e-3},
		{"rk4", 1e-6},     {"rk2", 1e-2},    {"euler", 1},     {"discrete-gradient", 1e-3},
	};
	const int n = links[_i / COUNT(forms)];
	const enum form form = forms[_i % COUNT(forms)];
	char *xml = form == PARTS ? arm_of_parts(n) : arm(n, form == RELATIVE);
	double a[MOST_LINKS], w[MOST_LINKS] = {0}, sum = 0;
	for (int i = 0; i < n; i++)
		a[i] = (sum = form == RELATIVE ? sum + first_angle(i) : first_angle(i));
	integrate(n, 0.5, 4000, a, w);
	for (int k = 0; k < COUNT(schemes); k++) {
		model m = model_of_text(xml);
		bxt_run_def def;
		bxt_default_run_def(&def);
		def.scheme = schemes[k].scheme;
		def.step = 0.005;
		def.end = 0.5; /* dirac- steps backward as far, and the motion is even in time */
		char *record = all_coordinates(&m);
		static const char *const also[] = {"energy"};
		def.record = record;
		def.record_also = also;
		def.n_record_also = 1;
		bxt_table *t = model_run(&m, &def, NULL);
		const double worst = worst_angle(t, n, form, a);
		ck_assert_msg(worst <= schemes[k].error, "%d links, %s, %s: %.3g rad", n,
			      form_names[form], schemes[k].scheme, worst);
		if (getenv("BXT_TESTS_TELL"))
			printf("%d links, %s, %s: %.3g rad\n", n, form_names[form],
			       schemes[k].scheme, worst);
		if (strcmp(schemes[k].scheme, "discrete-gradient") == 0)
			for (size_t r = 0; r < bxt_table_rows(t); r++)
				ck_assert_double_le(
					fabs(value_at(t, r, "energy") - value_at(t, 0, "energy")),
					1e-11 * fabs(value_at(t, 0, "energy")));
		bxt_table_free(t);
		free(record);
		model_free(&m);
	}
	free(xml);
}
END_TEST

/*
 * The charge of a junction, q(u) = T I0 (exp(u/V) - 1), is the momentum of the time integral of its
 * voltage u. A constant current charges it: u(t) = V log(1 + I t/(T I0)), over seven decades of
 * dq/du.
 */
START_TEST(junction)
{
	static const char *const schemes[] = {"gauss1", "gauss2", "gauss3", "radau2", "radau3",
					      "dirac+", "theta",  "rk4",    "rk2",    "euler"};
	const double charge = 5e-9 * 1e-14, v = 0.025852, current = 1e-3;
	for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
		model m = model_of_text(NETLIST(
			"<component xmlns=\"urn:boxtimes:component:1\" name=\"junction\" "
			"domain=\"electrical\"><parameter name=\"T\" unit=\"s\"/>"
			"<parameter name=\"I0\" unit=\"A\"/><parameter name=\"V\" unit=\"V\"/>"
			"<parameter name=\"I\" unit=\"A\"/>"
			"<coordinate name=\"s\" unit=\"V.s\" flow=\"u\"/>"
			"<lagrangian>T*I0*(V*exp(u/V) - u) + I*s</lagrangian></component>"
			"<junction id=\"D\" T=\"5 ns\" I0=\"1e-14 A\" V=\"0.025852 V\" "
			"I=\"1 mA\"/>"));
		bxt_run_def def;
		bxt_default_run_def(&def);
		def.scheme = schemes[k];
		def.step = 1e-11;
		def.end = 1e-9;
		def.record = "D.s, D.p, energy";
		bxt_table *t = model_run(&m, &def, NULL);
		const double q = current * 1e-9, u = v * log1p(q / charge);
		ck_assert_double_le(fabs(last_value(t, "D.p") - q), 1e-12 * q);
		/* E = u P - L, with u as found from P */
		const double expected = u * q - charge * (v * expm1(u / v) - u) - charge * v -
					current * last_value(t, "D.s");
		ck_assert_double_le(fabs(last_value(t, "energy") - expected), 1e-13 * u * q);
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

/*
 * The natural kinetic energy of a quaternion, w = 2 conj(q) q', has no part along q: the constraint
 * fixes that direction. A symmetric top without torque, inertia (1, 1, 2): w3 stays, w1 + i w2
 * turns by w3 in each unit of time. In the plane the same is a body that turns uniformly.
 */
#define QUATERNION(constraint)                                                                     \
	NETLIST("<component xmlns=\"urn:boxtimes:component:1\" name=\"top\" "                      \
		"domain=\"mechanical\">"                                                           \
		"<coordinate name=\"a\" unit=\"1\" flow=\"da\"/><coordinate name=\"b\" "           \
		"unit=\"1\" "                                                                      \
		"flow=\"db\"/><coordinate name=\"c\" unit=\"1\" flow=\"dc\"/><coordinate "         \
		"name=\"d\" "                                                                      \
		"unit=\"1\" flow=\"dd\"/><lagrangian>2*((a*db - b*da - c*dd + d*dc)^2 + "          \
		"(a*dc + b*dd - c*da - d*db)^2 + 2*(a*dd - b*dc + c*db - d*da)^2)</lagrangian>"    \
		"<constraint name=\"unit\" kind=\"position\">" constraint                          \
		"</constraint></component><top id=\"P\" a=\"1\" db=\"0.5\" dc=\"0.3\" "            \
		"dd=\"-0.4\"/>")

START_TEST(quaternion)
{
	static const struct {
		const char *scheme;
		double error; /* of rates, at the end */
	} schemes[] = {{"gauss1", 1e-4},
		       {"gauss2", 1e-8},
		       {"gauss3", 1e-11},
		       {"radau3", 1e-9},
		       {"theta", 1e-4}};
	static const char *const xml[] = {QUATERNION("(a^2 + b^2 + c^2 + d^2 - 1)/2"),
					  QUATERNION("sqrt(a^2 + b^2 + c^2 + d^2) - 1")};
	for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
		model m = model_of_text(xml[_i]);
		bxt_run_def def;
		bxt_default_run_def(&def);
		bxt_summary s;
		def.scheme = schemes[k].scheme;
		def.step = 0.01;
		def.end = 5;
		def.record = "P.a, P.b, P.c, P.d, P.da, P.db, P.dc, P.dd, energy";
		bxt_table *t = model_run(&m, &def, &s);
		const double a = last_value(t, "P.a"), b = last_value(t, "P.b");
		const double c = last_value(t, "P.c"), d = last_value(t, "P.d");
		const double da = last_value(t, "P.da"), db = last_value(t, "P.db");
		const double dc = last_value(t, "P.dc"), dd = last_value(t, "P.dd");
		const double w1 = 2 * (a * db - b * da - c * dd + d * dc);
		const double w2 = 2 * (a * dc + b * dd - c * da - d * db);
		const double w3 = 2 * (a * dd - b * dc + c * db - d * da);
		const double turned = -0.8 * 5; /* w1' = -w2 w3, w2' = w1 w3 */
		ck_assert_double_le(fabs(w3 + 0.8), schemes[k].error);
		ck_assert_double_le(fabs(w1 - (cos(turned) - 0.6 * sin(turned))), schemes[k].error);
		ck_assert_double_le(fabs(w2 - (sin(turned) + 0.6 * cos(turned))), schemes[k].error);
		ck_assert_double_le(fabs(a * a + b * b + c * c + d * d - 1), 1e-12);
		ck_assert_double_le(fabs(value_at(t, 0, "energy") - (1 + 0.36 + 2 * 0.64) / 2),
				    1e-14);
		bxt_summary_free(&s);
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

/* Without the constraint nothing determines the norm of the quaternion. */
START_TEST(free_direction)
{
	model m = model_of_text(
		NETLIST("<component xmlns=\"urn:boxtimes:component:1\" name=\"top\" "
			"domain=\"mechanical\"><coordinate name=\"a\" unit=\"1\" flow=\"da\"/>"
			"<coordinate name=\"b\" unit=\"1\" flow=\"db\"/>"
			"<lagrangian>2*(a*db - b*da)^2</lagrangian></component>"
			"<top id=\"P\" a=\"1\" b=\"0.5\" db=\"1\"/>"));
	bxt_run_def def;
	bxt_default_run_def(&def);
	bxt_state *state = NULL;
	def.step = 0.01;
	def.end = 1;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_ERR_MODEL);
	ck_assert(has_finding(&m, BXT_ERROR, "has no inertia, and no constraint fixes it"));
	model_free(&m);
}
END_TEST

TEST_SUITE("arms")
{
	const test_case tests[] = {
		{"arms", arms, .loops = COUNT(links) * COUNT(forms), .slow = true},
		{"junction", junction},
		{"quaternion", quaternion, .loops = 2},
		{"free direction", free_direction},
	};
	ADD_TESTS(tests);
}
