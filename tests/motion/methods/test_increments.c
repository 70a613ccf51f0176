/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The scheme discrete-gradient by coordinate increments: its equations against quotients of the
 * potential, the mean of either order, where increments are what the other forms are, systems torn
 * and written in another order, what is told of it. Balances and orders are in
 * test_gradient_scheme.
 */
#include "support/harness.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bxt_run_def definition(const char *gradient, double step, double end, const char *record)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = "discrete-gradient";
	def.gradient = gradient;
	def.step = step;
	def.end = end;
	def.record = record;
	return def;
}

/* ---- Equations ---- */

/* Three coordinates, all coupled; masses 1. */
#define COUPLED                                                                                    \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='own'>"                          \
		"<coordinate name='x' unit='1' flow='vx'/><coordinate name='y' unit='1' "          \
		"flow='vy'/>"                                                                      \
		"<coordinate name='z' unit='1' flow='vz'/>"                                        \
		"<lagrangian>(vx^2 + vy^2 + vz^2)/2 - 2*(x^2 + y^2 + z^2) + "                      \
		"1/sqrt(1 + x^2 + y*z) - sin(x*y)*exp(z)/3 + 0.2*x*y*z</lagrangian></component>"   \
		"<own id='P' x='0.6' y='-0.4' z='0.5' vx='0.3' vy='0.7' vz='-0.5'/>")
enum { N = 3 };

static double potential(const double *q)
{
	const double x = q[0], y = q[1], z = q[2];
	return 2 * (x * x + y * y + z * z) - 1 / sqrt(1 + x * x + y * z) + sin(x * y) * exp(z) / 3 -
	       0.2 * x * y * z;
}

/* The quotient in coordinate k, the others before it at their end (turned: after it). */
static double quotient(const double *q0, const double *q1, int k, bool turned)
{
	double low[N], high[N];
	for (int j = 0; j < N; j++)
		low[j] = high[j] = (turned ? j > k : j < k) ? q1[j] : q0[j];
	high[k] = q1[k];
	return (potential(high) - potential(low)) / (q1[k] - q0[k]);
}

/* p_1 - p_0 = -h g and q_1 - q_0 = h (p_0 + p_1)/2, g by quotients. */
static void check_equations(const char *gradient, double forth)
{
	enum { STEPS = 40 };
	const double h = 0.05;
	static const char *const names[2][N] = {{"P.x", "P.y", "P.z"}, {"P.x.p", "P.y.p", "P.z.p"}};
	const bxt_run_def def =
		definition(gradient, h, STEPS * h, "P.x, P.y, P.z, P.x.p, P.y.p, P.z.p");
	bxt_table *t = run_text(COUPLED, &def);
	for (size_t row = 0; row < STEPS; row++) {
		double q[2][N], p[2][N];
		for (size_t i = 0; i < 2; i++)
			for (int k = 0; k < N; k++) {
				q[i][k] = value_at(t, row + i, names[0][k]);
				p[i][k] = value_at(t, row + i, names[1][k]);
			}
		for (int k = 0; k < N; k++) {
			const double dq = q[1][k] - q[0][k],
				     g = forth * quotient(q[0], q[1], k, false) +
					 (1 - forth) * quotient(q[0], q[1], k, true);
			/* round-off of V, of size 2, over the increment; Newton's last digits */
			const double eps = DBL_EPSILON * (50 + 20 / fabs(dq));
			ck_assert_msg(fabs(p[1][k] - p[0][k] + h * g) <= h * eps + 1e-14,
				      "%s, step %zu, %d: %g, not %g", gradient, row, k,
				      p[1][k] - p[0][k], -h * g);
			ck_assert_double_eq_tol(dq, h * (p[0][k] + p[1][k]) / 2, 1e-14);
		}
	}
	bxt_table_free(t);
}

START_TEST(equations)
{
	check_equations("increments", 1);
	check_equations("increments-symmetric", 0.5);
}
END_TEST

/* ---- What is the same ---- */

/* The largest difference of two tables by the largest value of each column. */
static double apart(const bxt_table *a, const bxt_table *b)
{
	double most = 0;
	ck_assert_uint_eq(bxt_table_rows(a), bxt_table_rows(b));
	ck_assert_uint_eq(bxt_table_columns(a), bxt_table_columns(b));
	for (size_t j = 0; j < bxt_table_columns(a); j++) {
		double scale = 0, off = 0;
		for (size_t row = 0; row < bxt_table_rows(a); row++) {
			const double x = bxt_table_value(a, row, j);
			scale = fmax(scale, fabs(x));
			off = fmax(off, fabs(x - bxt_table_value(b, row, j)));
		}
		most = fmax(most, off / fmax(scale, DBL_MIN));
	}
	return most;
}

/* Energies of one coordinate each, or of sums of such: all forms are the same. */
START_TEST(separable)
{
	/* round-off of 400 steps, sums being made in another order; the oscillator's is that of
	 * 3e5 J times log(cos(u)), of which 15 J are left */
	static const struct {
		const char *file;
		double tolerance;
	} of[] = {{"oscillator-nl.xml", 3e5 / 15 * 2 * DBL_EPSILON},
		  {"port-hamiltonian-pendulum.xml", 1e-13}};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		model m = model_of_file(of[i].file);
		bxt_run_def def = first_steps(&m, definition("midpoint", 0, 0, NULL), 400);
		bxt_table *middle = model_run(&m, &def, NULL);
		def.gradient = "increments";
		bxt_table *forth = model_run(&m, &def, NULL);
		def.gradient = "increments-symmetric";
		bxt_table *mean = model_run(&m, &def, NULL);
		ck_assert_double_le(apart(middle, forth), of[i].tolerance);
		ck_assert_double_le(apart(middle, mean), of[i].tolerance);
		bxt_table_free(middle);
		bxt_table_free(forth);
		bxt_table_free(mean);
		model_free(&m);
	}
}
END_TEST

/* A spring couples the masses at its ends: by increments that is another step than gauss1, though
 * all is linear, and their balance is exact as well. */
START_TEST(quadratic)
{
	static const char *const xml =
		NETLIST("<mass id='m' a='a' m='0.7'/><mass id='n' a='b' m='1.3'/>"
			"<spring id='k' a='a' b='b' k='2'/><spring id='l' a='wall' b='a' k='3'/>"
			"<damper id='d' a='wall' b='b' c='0.1'/>"
			"<node id='a' kind='translational' x='0.2' v='0.65'/>"
			"<node id='b' kind='translational' x='-0.3'/>");
	static const char *const record = "node(a).x, node(b).x";
	bxt_run_def def = definition("midpoint", 0.05, 20, record), gauss = def;
	gauss.scheme = "gauss1";
	gauss.gradient = NULL;
	bxt_table *middle = run_text(xml, &gauss);
	def.gradient = "increments-symmetric";
	bxt_table *mean = run_text(xml, &def);
	ck_assert_double_eq(apart(middle, mean), 0); /* to the bit: it steps by gauss1 */
	model m = model_of_text(xml);
	bxt_summary s;
	def.gradient = "increments";
	bxt_table *forth = model_run(&m, &def, &s);
	ck_assert_double_ge(apart(middle, forth), 1e-3); /* of order h */
	ck_assert_double_ge(s.total.dissipated, 1e-2);
	/* 400 roundings of energies of 0.4 J */
	ck_assert_double_le(fabs(s.total.residual), 400 * DBL_EPSILON);
	ck_assert(s.energy_exact);
	bxt_summary_free(&s);
	bxt_table_free(middle);
	bxt_table_free(mean);
	bxt_table_free(forth);
	model_free(&m);
}
END_TEST

/* ---- Torn, and in another order ---- */

#define ENERGY "energy='=exp(d) - d + d^4'"
#define KINDS                                                                                      \
	"<component xmlns='urn:boxtimes:component:1' name='field'>"                                \
	"<port name='a' kind='translational'/><port name='b' kind='translational'/>"               \
	"<lagrangian>-a.x^2*b.x^2 - sin(a.x - 2*b.x)/4</lagrangian></component>"
#define M "<mass id='m' a='a' m='0.7'/>"
#define W "<energy-spring id='w' a='wall' b='a' " ENERGY "/>"
#define NODE_A "<node id='a' kind='translational' x='0.2' v='0.65'/>"
#define K "<energy-spring id='k' a='a' b='b' " ENERGY "/>"
#define F "<field id='f' a='a' b='b'/>"
#define P "<mass id='n' a='b' m='1.3'/>"
#define D "<damper id='d' a='wall' b='b' c='0.1'/>"
#define NODE_B "<node id='b' kind='translational' x='-0.3'/>"

static const char *const whole = NETLIST(KINDS M W NODE_A K F P D NODE_B);
static const char *const permuted = NETLIST(KINDS NODE_B D F P K NODE_A W M);
static const char *const torn = NETLIST(
	KINDS "<subsystem id='A'>" M W NODE_A "<port id='s' node='a'/></subsystem>"
	      "<subsystem id='B'>" NODE_A K F P D NODE_B "<port id='s' node='a'/></subsystem>"
	      "<interconnection><connect id='c' a='A.s' b='B.s'/></interconnection>");

static void check_same(const char *gradient)
{
	bxt_run_def def = definition(gradient, 0.02, 20, "node(a).x, node(b).x, energy"),
		    parts = def;
	bxt_summary s;
	parts.record = "node(A.a).x, node(B.b).x, energy";
	bxt_table *one = run_text(whole, &def), *other = run_text(permuted, &def);
	model m = model_of_text(torn);
	bxt_table *joined = model_run(&m, &parts, &s);
	/* round-off of 1000 steps, not amplified */
	ck_assert_msg(apart(one, other) <= 1e-12, "%s: %g", gradient, apart(one, other));
	ck_assert_msg(apart(one, joined) <= 1e-12, "%s, torn: %g", gradient, apart(one, joined));
	/* the connection does no work; subsystems balance each by itself */
	for (size_t k = 0; k < s.n_ledger; k++)
		ck_assert_msg(!(fabs(s.ledger[k].residual) > 1e-13), "%s: %g", s.ledger[k].path,
			      s.ledger[k].residual);
	bxt_summary_free(&s);
	bxt_table_free(one);
	bxt_table_free(other);
	bxt_table_free(joined);
	model_free(&m);
}

START_TEST(torn_and_permuted)
{
	check_same("increments");
	check_same("increments-symmetric");
}
END_TEST

/* ---- What is told ---- */

static char *info_of(const model *m, const bxt_run_def *def)
{
	char *text = NULL;
	size_t length;
	FILE *f = open_memstream(&text, &length);
	ck_assert_int_eq(bxt_system_write_info(m->system, def, f), BXT_OK);
	fclose(f);
	return text;
}

START_TEST(told)
{
	static const struct {
		const char *scheme, *gradient, *words;
	} of[] = {
		{"discrete-gradient", NULL, "\ngradient midpoint: "},
		{"discrete-gradient", "increments", "(Itoh and Abe), order 1, 2 where no"},
		{"discrete-gradient", "increments-symmetric",
		 "forth and back through the coordinates, order 2\n"},
		{"gauss1", NULL, NULL},
	};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		model m = model_of_text(COUPLED);
		bxt_run_def def = definition(of[i].gradient, 0.1, 1, NULL);
		def.scheme = of[i].scheme;
		char *text = info_of(&m, &def);
		ck_assert_msg(of[i].words ? strstr(text, of[i].words) != NULL
					  : strstr(text, "gradient") == NULL,
			      "%s", text);
		free(text);
		model_free(&m);
	}
}
END_TEST

/* Of a block whose coordinates are all coupled by a sum: what a coordinate needs are its terms. */
START_TEST(large)
{
	enum { STATES = 120, MOST = 200000 };
	char *xml = malloc(MOST), *p = xml;
	ck_assert_ptr_nonnull(xml);
	p += sprintf(p, "<netlist xmlns='urn:boxtimes:netlist:1'><component "
			"xmlns='urn:boxtimes:component:1' name='own'>");
	for (int i = 0; i < STATES; i++)
		p += sprintf(p, "<coordinate name='x%d' unit='1' flow='v%d'/>", i, i);
	p += sprintf(p, "<lagrangian>0");
	for (int i = 0; i < STATES; i++)
		p += sprintf(p, " + v%d^2/2 - x%d^4/4 - (x%d - x%d)^4", i, i, i, (i + 1) % STATES);
	p += sprintf(p, "</lagrangian></component><own id='P' x0='1'/></netlist>");
	ck_assert_int_lt(p - xml, MOST);
	bxt_summary s;
	model m = model_of_text(xml);
	bxt_run_def def = definition("increments-symmetric", 0.01, 1, "energy");
	bxt_table *t = model_run(&m, &def, &s);
	/* 100 roundings of 1.3 J in a sum of 240 terms */
	ck_assert_double_le(fabs(s.total.residual), 1e-12);
	/* as many as the coordinates' neighbours, and the spare's */
	ck_assert_uint_eq(s.nonzeros, 3 * STATES + 1);
	bxt_summary_free(&s);
	bxt_table_free(t);
	model_free(&m);
	free(xml);
}
END_TEST

TEST_SUITE("coordinate increments")
{
	const test_case tests[] = {
		{"equations", equations}, {"separable", separable},
		{"quadratic", quadratic}, {"torn and permuted", torn_and_permuted, .slow = true},
		{"told", told},           {"large", large},
	};
	ADD_TESTS(tests);
}
