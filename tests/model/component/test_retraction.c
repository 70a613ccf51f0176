/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Discretisation maps of manifolds, and the scheme theta that moves along them. */
#include "support/allocation.h"
#include "support/harness.h"

#include "ground/base/text.h"
#include "model/component/retraction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The maps ---- */

enum { MOST = 7 };
static const double THETA[] = {0, 0.1, 0.5, 0.8, 1};
enum { THETAS = sizeof THETA / sizeof *THETA };

/* Deterministic, in (-1, 1). */
static double random_number(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static double dot(int n, const double *a, const double *b)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

static double distance(int n, const double *a, const double *b)
{
	double most = 0;
	for (int i = 0; i < n; i++)
		most = fmax(most, fabs(a[i] - b[i]));
	return most;
}

/* A point of the unit sphere and a tangent vector of that size there. */
static void random_point(uint64_t *seed, int n, double size, double *q, double *v)
{
	for (int i = 0; i < n; i++) {
		q[i] = random_number(seed);
		v[i] = random_number(seed);
	}
	const double length = sqrt(dot(n, q, q));
	for (int i = 0; i < n; i++)
		q[i] /= length;
	const double along = dot(n, q, v);
	for (int i = 0; i < n; i++)
		v[i] -= along * q[i];
	const double speed = sqrt(dot(n, v, v));
	for (int i = 0; i < n; i++)
		v[i] *= size / speed;
}

typedef void check_map(const bxt_retraction *r, int n, double theta, const double *q,
		       const double *v);

/* Every map of spheres of several dimensions, with vectors small and large (but v = 0). */
static void for_each_map(check_map *check)
{
	static const double sizes[] = {1e-9, 1e-3, 0.04, 0.3, 1.4};
	uint64_t seed = 1;
	double q[MOST], v[MOST];
	ck_assert_str_eq(bxt_manifold_kinds[0].name, "sphere");
	for (const bxt_retraction *r = bxt_manifold_kinds[0].retractions; r->name; r++)
		for (int n = 2; n <= MOST; n++)
			for (int k = 0; k < THETAS; k++)
				for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
					random_point(&seed, n, sizes[s], q, v);
					check(r, n, THETA[k], q, v);
				}
}

/* R_d(q, 0) = (q, q); x_0 and x_1 on the sphere; d/ds (x_1 - x_0) = v at s v, s = 0. */
static void check_definition(const bxt_retraction *r, int n, double theta, const double *q,
			     const double *v)
{
	static const double none[MOST] = {0};
	double x0[MOST], x1[MOST], back0[MOST], back1[MOST], sv[MOST];
	const double s = 1e-4 / sqrt(dot(n, v, v));
	r->map(n, theta, q, none, x0, x1);
	/* to the round-off of one normalisation */
	ck_assert_double_le(distance(n, x0, q), 4e-16);
	ck_assert_double_le(distance(n, x1, q), 4e-16);
	r->map(n, theta, q, v, x0, x1);
	ck_assert_double_le(fabs(dot(n, x0, x0) - 1), 1e-15);
	ck_assert_double_le(fabs(dot(n, x1, x1) - 1), 1e-15);
	for (int i = 0; i < n; i++)
		sv[i] = s * v[i];
	r->map(n, theta, q, sv, x0, x1);
	for (int i = 0; i < n; i++)
		sv[i] = -s * v[i];
	r->map(n, theta, q, sv, back0, back1);
	for (int i = 0; i < n; i++) {
		const double slope = (x1[i] - x0[i] - back1[i] + back0[i]) / (2 * s);
		/* differences by 1e-4: 1e-8 of v, and round-off 1e-16/1e-4 of it */
		ck_assert_double_le(fabs(slope - v[i]), 2e-8 * sqrt(dot(n, v, v)));
	}
}

START_TEST(definition)
{
	for_each_map(check_definition);
}
END_TEST

/* R_d^-1 R_d = id, and R_d R_d^-1 = id. */
static void check_inverse(const bxt_retraction *r, int n, double theta, const double *q,
			  const double *v)
{
	double x0[MOST], x1[MOST], q1[MOST], v1[MOST], again0[MOST], again1[MOST];
	r->map(n, theta, q, v, x0, x1);
	ck_assert(r->inverse(n, theta, x0, x1, q1, v1));
	ck_assert_double_le(distance(n, q, q1), 4e-15); /* a few roundings of numbers about 1 */
	ck_assert_double_le(distance(n, v, v1), 4e-15);
	r->map(n, theta, q1, v1, again0, again1);
	ck_assert_double_le(distance(n, x0, again0), 4e-15);
	ck_assert_double_le(distance(n, x1, again1), 4e-15);
}

START_TEST(inverse)
{
	for_each_map(check_inverse);
}
END_TEST

/* What a step uses: Q(x_0, v) = q, x_{k+1} = x_1, and the slopes of Q, for any v. */
static void check_step(const bxt_retraction *r, int n, double theta, const double *q,
		       const double *v)
{
	double x0[MOST], x1[MOST], point[MOST], next[MOST], slope[MOST * MOST], u[MOST];
	double ahead[MOST], back[MOST];
	static const double d = 1e-5;
	r->map(n, theta, q, v, x0, x1);
	r->point(n, theta, x0, v, point, NULL);
	r->next(n, theta, point, v, next);
	ck_assert_double_le(distance(n, q, point), 4e-15);
	ck_assert_double_le(distance(n, x1, next), 4e-15);
	for (int i = 0; i < n; i++)
		u[i] = v[i] + 0.1 * q[i]; /* not tangent */
	r->point(n, theta, x0, u, point, slope);
	for (int j = 0; j < n; j++) {
		const double kept = u[j];
		u[j] = kept + d;
		r->point(n, theta, x0, u, ahead, NULL);
		u[j] = kept - d;
		r->point(n, theta, x0, u, back, NULL);
		u[j] = kept;
		for (int i = 0; i < n; i++) {
			/* d^2 times third derivatives, which are large near cos(theta r) = 0 (at
			 * theta r = 1.4: 1/cos^4 = 1200), and round-off 1e-16/d */
			ck_assert_double_le(fabs(slope[i * n + j] - (ahead[i] - back[i]) / (2 * d)),
					    1e-6);
		}
	}
}

START_TEST(step_slopes)
{
	for_each_map(check_step);
}
END_TEST

/* At theta = 1/2 v = k(x_0.x_1) (x_1 - x_0), and the derivatives of k. */
START_TEST(chords)
{
	static const double sizes[] = {1e-6, 0.1, 0.6, 1.4}, d = 1e-5;
	uint64_t seed = 5;
	double q[3], v[3], x0[3], x1[3], q1[3], v1[3], k[3], ahead[3], back[3];
	for (const bxt_retraction *r = bxt_manifold_kinds[0].retractions; r->name; r++)
		for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
			random_point(&seed, 3, sizes[s], q, v);
			r->map(3, 0.5, q, v, x0, x1);
			r->inverse(3, 0.5, x0, x1, q1, v1);
			const double c = dot(3, x0, x1);
			r->chord(c, k);
			for (int i = 0; i < 3; i++) /* differences of numbers about 1 */
				ck_assert_double_le(fabs(v1[i] - k[0] * (x1[i] - x0[i])), 1e-15);
			/* both sides of the place where formulas change, too: c = 0.9 */
			for (int side = 0; side < 2; side++) {
				const double at = side ? 0.9 : c - 2 * d;
				r->chord(at, k);
				r->chord(at + d, ahead);
				r->chord(at - d, back);
				for (int i = 0; i < 2; i++)
					ck_assert_double_eq_tol((ahead[i] - back[i]) / (2 * d),
								k[i + 1], 1e-8);
			}
		}
}
END_TEST

/* theta = 1/2: (2) of Example 5.3 and its inverse, the great circle of the exponential. */
START_TEST(printed_formulas)
{
	const bxt_retraction *r = bxt_manifold_kinds[0].retractions;
	uint64_t seed = 7;
	double q[3], v[3], x0[3], x1[3], q1[3], v1[3];
	random_point(&seed, 3, 0.8, q, v);
	r[0].map(3, 0.5, q, v, x0, x1);
	r[0].inverse(3, 0.5, x0, x1, q1, v1);
	const double sum[3] = {x0[0] + x1[0], x0[1] + x1[1], x0[2] + x1[2]};
	const double length = sqrt(dot(3, sum, sum));
	for (int i = 0; i < 3; i++) {
		ck_assert_double_eq_tol(q1[i], sum[i] / length, 1e-15);
		ck_assert_double_eq_tol(v1[i], 2 * (x1[i] - x0[i]) / length, 1e-15);
	}
	r[1].map(3, 0, q, v, x0, x1);
	for (int i = 0; i < 3; i++) { /* log_x(y) = acos<x, y> P_x(y - x)/|P_x(y - x)| */
		ck_assert_double_eq_tol(x0[i], q[i], 1e-15);
		ck_assert_double_eq_tol(x1[i], q[i] * cos(0.8) + v[i] * sin(0.8) / 0.8, 1e-15);
	}
	/* opposite points have no tangent vector between them */
	const double opposite[3] = {-q[0], -q[1], -q[2]};
	ck_assert(!r[0].inverse(3, 0.5, q, opposite, q1, v1));
	ck_assert(!r[1].inverse(3, 0.5, q, opposite, q1, v1));
}
END_TEST

/* ---- The free rigid body, Example 5.6 ---- */

#define TOP(retraction)                                                                            \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='top'>"                          \
		"<coordinate name='x' unit='1' flow='vx'/><coordinate name='y' unit='1' "          \
		"flow='vy'/>"                                                                      \
		"<coordinate name='z' unit='1' flow='vz'/>"                                        \
		"<manifold kind='sphere' coordinates='x y z' retraction='" retraction "'/>"        \
		"<lagrangian>-(x^2 + y^2/2 + z^2/3)/2</lagrangian>"                                \
		"<gyrator a='x' b='y'>-z</gyrator><gyrator a='y' b='z'>-x</gyrator>"               \
		"<gyrator a='z' b='x'>-y</gyrator></component>"                                    \
		"<top id='B' x='0.6' y='0.64' z='0.48'/>")
static const char *const tops[] = {TOP("normalised"), TOP("exponential")};

static bxt_run_def with_theta(const char *theta, double step, double end)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = "theta";
	def.theta = theta;
	def.step = step;
	def.end = end;
	def.record = "B.x, B.y, B.z, energy";
	return def;
}

static void point_at(const bxt_table *t, size_t row, double *x)
{
	for (size_t i = 0; i < 3; i++)
		x[i] = bxt_table_value(t, row, i);
}

/* |x| and H after 1e5 steps, both maps. */
START_TEST(top_keeps_sphere_and_energy)
{
	for (int k = 0; k < 2; k++) {
		model m = model_of_text(tops[k]);
		bxt_run_def def = with_theta("0.5", 0.1, 1e4);
		double sphere = 0, energy = 0;
		bxt_table *t = model_run(&m, &def, NULL);
		ck_assert_uint_eq(bxt_table_rows(t), 100001);
		for (size_t i = 0; i < bxt_table_rows(t); i++) {
			double x[3];
			point_at(t, i, x);
			sphere = fmax(sphere, fabs(sqrt(dot(3, x, x)) - 1));
			energy = fmax(energy,
				      fabs(bxt_table_value(t, i, 3) - bxt_table_value(t, 0, 3)));
		}
		/* one normalisation; a random walk of 1e5 roundings of 0.3: 300 * 6e-17 */
		ck_assert_double_le(sphere, 5e-16);
		ck_assert_double_le(energy, 1e-13);
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

/* 2 (x_1 - x_0)/(h |x_0 + x_1|) = m x I^-1 m at every step. */
START_TEST(top_meets_its_equation)
{
	static const double h = 0.1, inverse[3] = {1, 1. / 2, 1. / 3};
	model m = model_of_text(tops[0]);
	bxt_run_def def = with_theta("0.5", h, 100);
	bxt_table *t = model_run(&m, &def, NULL);
	for (size_t k = 0; k + 1 < bxt_table_rows(t); k++) {
		double x0[3], x1[3], s[3];
		point_at(t, k, x0);
		point_at(t, k + 1, x1);
		for (int i = 0; i < 3; i++)
			s[i] = x0[i] + x1[i];
		const double length = sqrt(dot(3, s, s));
		for (int i = 0; i < 3; i++) {
			const int a = (i + 1) % 3, b = (i + 2) % 3;
			const double cross =
				s[a] * s[b] * (inverse[b] - inverse[a]) / (length * length);
			/* of the positions, that is by h: two roundings of numbers below 1 and what
			 * Newton's method leaves */
			ck_assert_double_le(fabs(2 * (x1[i] - x0[i]) / length - h * cross), 1e-15);
		}
	}
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

static void end_of(const char *xml, bxt_run_def def, double *x)
{
	bxt_table *t = run_text(xml, &def);
	point_at(t, bxt_table_rows(t) - 1, x);
	bxt_table_free(t);
}

/* Order 2 at theta = 1/2, else 1, against gauss3 with the constraint. */
START_TEST(orders)
{
	static const char *const theta[] = {"0.5", "0.25", "1", "0"};
	for (int k = 0; k < 2; k++) {
		double exact[3], x[3];
		bxt_run_def fine = with_theta(NULL, 0.01, 8);
		fine.scheme = "gauss3";
		end_of(tops[k], fine, exact);
		for (int i = 0; i < 4; i++) {
			double error[2];
			for (int level = 0; level < 2; level++) {
				end_of(tops[k], with_theta(theta[i], level ? 0.01 : 0.02, 8), x);
				error[level] = distance(3, exact, x);
			}
			const double order = log2(error[0] / error[1]);
			/* what the next order leaves at h = 0.02 */
			ck_assert_msg(fabs(order - (i == 0 ? 2 : 1)) < 0.1,
				      "map %d, theta %s: order %g", k, theta[i], order);
		}
	}
}
END_TEST

/* ---- Spins that turn each other ---- */

#define SPIN(retraction)                                                                           \
	"<component xmlns='urn:boxtimes:component:1' name='spin'>"                                 \
	"<parameter name='K' default='0'/>"                                                        \
	"<coordinate name='x' unit='1' flow='vx'/><coordinate name='y' unit='1' flow='vy'/>"       \
	"<coordinate name='z' unit='1' flow='vz'/>"                                                \
	"<manifold kind='sphere' coordinates='x y z' retraction='" retraction "'/>"                \
	"<lagrangian>K*z^2/2</lagrangian>"                                                         \
	"<gyrator a='x' b='y'>-z</gyrator><gyrator a='y' b='z'>-x</gyrator>"                       \
	"<gyrator a='z' b='x'>-y</gyrator></component>"                                            \
	"<component xmlns='urn:boxtimes:component:1' name='exchange'>"                             \
	"<parameter name='J' default='1'/><binding name='a' component='spin'/>"                    \
	"<binding name='b' component='spin'/>"                                                     \
	"<lagrangian>J*(a.x*b.x + a.y*b.y + a.z*b.z)</lagrangian></component>"

/* A square of N x N spins, neighbours joined, periodic. */
static char *lattice(int n, bool exponential)
{
	bxt_buffer xml = {0};
	uint64_t seed = 3;
	bxt_buffer_printf(&xml, "<netlist xmlns='urn:boxtimes:netlist:1' name='spins'>%s",
			  exponential ? SPIN("exponential") : SPIN("normalised"));
	for (int i = 0; i < n * n; i++) {
		double q[3], v[3];
		random_point(&seed, 3, 1, q, v);
		bxt_buffer_printf(&xml, "<spin id='S%d' K='0.3' x='%.17g' y='%.17g' z='%.17g'/>", i,
				  q[0], q[1], q[2]);
	}
	for (int i = 0; i < n * n; i++) {
		const int right = i / n * n + (i + 1) % n, below = (i + n) % (n * n);
		bxt_buffer_printf(&xml,
				  "<exchange id='R%d' a='S%d' b='S%d'/>"
				  "<exchange id='D%d' a='S%d' b='S%d' J='0.7'/>",
				  i, i, right, i, i, below);
	}
	bxt_buffer_printf(&xml, "</netlist>");
	ck_assert(!xml.failed);
	return xml.text;
}

/* Bound by bindings: every spin stays on its sphere, the energy within its band, order 2. */
START_TEST(spins)
{
	enum { SIDE = 6 };
	for (int k = 0; k < 2; k++) {
		char *xml = lattice(SIDE, k);
		model m = model_of_text(xml);
		double error[2], band[2];
		bxt_run_def def = with_theta(NULL, 0.01, 4);
		bxt_summary summary;
		char *all = all_coordinates(&m);
		bxt_buffer with_energy = {0};
		bxt_buffer_printf(&with_energy, "%s, energy", all);
		def.record = all;
		def.scheme = "gauss3";
		def.every = 400;
		bxt_table *exact = model_run(&m, &def, NULL);
		for (int level = 0; level < 2; level++) {
			def = with_theta("0.5", level ? 0.02 : 0.04, 4);
			def.record = with_energy.text;
			bxt_table *t = model_run(&m, &def, &summary);
			error[level] = band[level] = 0;
			for (size_t i = 0; i < bxt_table_rows(t); i++)
				band[level] = fmax(band[level], fabs(value_at(t, i, "energy") -
								     value_at(t, 0, "energy")));
			for (int i = 0; i < SIDE * SIDE; i++) {
				char name[3][32];
				double x[3];
				for (int a = 0; a < 3; a++) {
					snprintf(name[a], sizeof name[a], "S%d.%c", i, "xyz"[a]);
					x[a] = last_value(t, name[a]);
					error[level] =
						fmax(error[level],
						     fabs(x[a] - last_value(exact, name[a])));
				}
				/* one normalisation */
				ck_assert_double_le(fabs(sqrt(dot(3, x, x)) - 1), 5e-16);
			}
			ck_assert(summary.energy_bounded);
			bxt_summary_free(&summary);
			bxt_table_free(t);
		}
		/* what the next order leaves */
		ck_assert_msg(fabs(log2(error[0] / error[1]) - 2) < 0.1, "order %g",
			      log2(error[0] / error[1]));
		ck_assert_double_le(band[1], 0.3 * band[0]); /* of order 2 */
		bxt_table_free(exact);
		free(all);
		bxt_buffer_free(&with_energy);
		model_free(&m);
		free(xml);
	}
}
END_TEST

/* ---- Beside other coordinates, and torn ---- */

#define ROTOR                                                                                      \
	"<component xmlns='urn:boxtimes:component:1' name='rotor'>"                                \
	"<coordinate name='q' unit='C' flow='i'/>"                                                 \
	"<coordinate name='x' unit='1' flow='vx'/><coordinate name='y' unit='1' flow='vy'/>"       \
	"<coordinate name='z' unit='1' flow='vz'/>"                                                \
	"<manifold kind='sphere' coordinates='x y z' retraction='exponential'/>"                   \
	"<lagrangian>0.3*i*x + z + 0.01*i^2/2</lagrangian>"                                        \
	"<gyrator a='x' b='y'>-z</gyrator><gyrator a='y' b='z'>-x</gyrator>"                       \
	"<gyrator a='z' b='x'>-y</gyrator><port name='p' kind='electrical' flow='i'/>"             \
	"<port name='n' kind='electrical' flow='-i'/></component>"
#define ROTORS                                                                                     \
	NETLIST(ROTOR "<subsystem id='a'><rotor id='S' p='u' n='0' x='0.6' z='0.8'/>"              \
		      "<resistor id='R' p='u' n='0' R='1'/><port id='s' node='u'/></subsystem>"    \
		      "<subsystem id='b'><rotor id='S' p='w' n='0' y='0.6' z='0.8'/>"              \
		      "<capacitor id='C' p='w' n='0' C='1' q='1'/><port id='s' node='w'/>"         \
		      "</subsystem><interconnection><connect id='c' a='a.s' b='b.s'/>"             \
		      "</interconnection>")
#define ROTORS_WHOLE                                                                               \
	NETLIST(ROTOR "<rotor id='S1' p='u' n='0' x='0.6' z='0.8'/>"                               \
		      "<resistor id='R' p='u' n='0' R='1'/>"                                       \
		      "<rotor id='S2' p='u' n='0' y='0.6' z='0.8'/>"                               \
		      "<capacitor id='C' p='u' n='0' C='1' q='1'/>")

/* Spins in a circuit with inductance and resistance: torn and whole; order 2. */
START_TEST(torn_circuit)
{
	static const char *const names[][2] = {
		{"a.S.x", "S1.x"}, {"b.S.y", "S2.y"}, {"b.C.q", "C.q"}, {"a.R.i", "R.i"}};
	enum { NAMES = sizeof names / sizeof *names };
	bxt_run_def def = with_theta("0.5", 0.1, 10);
	def.record = "S1.x, S2.y, C.q, R.i";
	bxt_table *whole = run_text(ROTORS_WHOLE, &def);
	def.record = "a.S.x, b.S.y, b.C.q, a.R.i";
	bxt_table *t = run_text(ROTORS, &def);
	for (int i = 0; i < NAMES; i++) /* 100 steps of round-off */
		ck_assert_double_le(difference(whole, names[i][1], t, names[i][0]), 1e-12);
	bxt_table_free(t);
	double error[2];
	def.record = "S1.x";
	def.scheme = "gauss3";
	def.theta = NULL;
	bxt_table *exact = run_text(ROTORS_WHOLE, &def);
	for (int level = 0; level < 2; level++) {
		def = with_theta("0.5", level ? 0.01 : 0.02, 10);
		def.record = "S1.x";
		bxt_table *t = run_text(ROTORS_WHOLE, &def);
		error[level] = fabs(last_value(t, "S1.x") - last_value(exact, "S1.x"));
		bxt_table_free(t);
	}
	ck_assert_msg(fabs(log2(error[0] / error[1]) - 2) < 0.1, "order %g",
		      log2(error[0] / error[1])); /* what the next order leaves */
	bxt_table_free(exact);
	bxt_table_free(whole);
}
END_TEST

/* ---- The language ---- */

static void finds(const char *manifold, const char *words)
{
	bxt_buffer xml = {0};
	bxt_buffer_printf(
		&xml,
		"<netlist xmlns='urn:boxtimes:netlist:1' name='test'>"
		"<component xmlns='urn:boxtimes:component:1' name='top'>"
		"<coordinate name='x' unit='1' flow='vx'/>"
		"<coordinate name='y' unit='1' flow='vy'/>"
		"<coordinate name='w' unit='m' flow='vw'/>"
		"<lagrangian>x*vy</lagrangian>%s</component><top id='B' x='1'/></netlist>",
		manifold);
	bxt_diagnostics *d = bxt_diagnostics_new();
	const char *folder = getenv("BOXTIMES_PATH");
	bxt_library *library = bxt_library_new(&folder, 1, d);
	bxt_netlist *netlist = NULL;
	bxt_system *system = NULL;
	bool found = false;
	ck_assert_int_eq(bxt_netlist_read_memory(xml.text, xml.length, "test", d, &netlist),
			 BXT_OK);
	ck_assert_int_eq(bxt_system_compile(netlist, library, d, &system), BXT_ERR_MODEL);
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++)
		found = found || strstr(bxt_diagnostics_get(d, i)->text, words);
	ck_assert_msg(found, "not found: %s; first: %s", words, bxt_diagnostics_get(d, 0)->text);
	bxt_netlist_free(netlist);
	bxt_library_free(library);
	bxt_diagnostics_free(d);
	bxt_buffer_free(&xml);
}

START_TEST(findings)
{
	finds("<manifold kind='spere' coordinates='x y'/>", "did you mean 'sphere'");
	finds("<manifold kind='sphere' coordinates='x yy'/>", "no coordinate 'yy' (did you");
	finds("<manifold kind='sphere' coordinates='x x'/>", "'x' twice");
	finds("<manifold kind='sphere' coordinates='x'/>",
	      "two or more coordinates; 1 coordinate is given");
	finds("<manifold kind='sphere' coordinates='x w'/>", "'w' has the unit 'm'");
	finds("<manifold kind='sphere' coordinates='x y' retraction='normalized'/>",
	      "did you mean 'normalised'");
	finds("<manifold kind='sphere' coordinates='x y' retract='normalised'/>",
	      "has no attribute 'retract'");
	finds("<manifold kind='sphere'/>", "coordinates=");
	finds("<manifold kind='sphere' coordinates='x y'/>"
	      "<manifold kind='sphere' name='other' coordinates='y x'/>",
	      "'y' is already on the manifold of line 1");
	finds("<manifold kind='sphere' coordinates='x y'/>"
	      "<manifold kind='sphere' coordinates='x y'/>",
	      "'sphere' is used twice");
}
END_TEST

/* A start off the sphere is moved onto it; with inertia the scheme theta is refused by name. */
START_TEST(start_and_inertia)
{
	model m = model_of_text(TOP("normalised"));
	bxt_run_def def = with_theta("0.5", 0.1, 1);
	ck_assert_int_eq(bxt_netlist_set(m.netlist, "B", "x", "0.9", m.findings), BXT_OK);
	m.system = bxt_system_free(m.system);
	ck_assert_int_eq(bxt_system_compile(m.netlist, m.library, m.findings, &m.system), BXT_OK);
	bxt_table *t = model_run(&m, &def, NULL);
	double x[3];
	point_at(t, 0, x);
	ck_assert_double_le(fabs(dot(3, x, x) - 1), 1e-14);
	ck_assert(has_finding(&m, BXT_NOTE, "B.x"));
	bxt_table_free(t);
	model_free(&m);
	m = model_of_text(
		NETLIST("<component xmlns='urn:boxtimes:component:1' name='pendulum'>"
			"<coordinate name='x' unit='1' flow='vx'/><coordinate name='y' unit='1' "
			"flow='vy'/><manifold kind='sphere' coordinates='x y'/>"
			"<lagrangian>(vx^2 + vy^2)/2 - y</lagrangian></component>"
			"<pendulum id='B' x='1'/>"));
	bxt_state *state = NULL;
	def.record = "B.x, B.y";
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_ERR_MODEL);
	ck_assert(has_finding(&m, BXT_ERROR, "B.x, B.y have: use gauss1"));
	def.scheme = "gauss1"; /* which keeps the circle as any quadratic constraint */
	def.theta = NULL;
	def.end = 10;
	t = model_run(&m, &def, NULL);
	x[0] = last_value(t, "B.x");
	x[1] = last_value(t, "B.y");
	ck_assert_double_le(fabs(dot(2, x, x) - 1), 1e-13); /* 100 roundings */
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* ---- Memory ---- */

/* *told: memory ended, and it was said. */
static bxt_status compile_and_run(const char *xml, bxt_library *library, bool *told)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *netlist = NULL;
	bxt_system *system = NULL;
	bxt_state *state = NULL;
	const bxt_run_def def = with_theta("0.5", 0.1, 0.2);
	bxt_status status = d ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_netlist_read_memory(xml, strlen(xml), "test", d, &netlist);
	if (status == BXT_OK)
		status = bxt_system_compile(netlist, library, d, &system);
	if (status == BXT_OK)
		status = bxt_initialize(system, &def, d, &state);
	if (status == BXT_OK)
		status = bxt_run(system, state, &def, NULL, NULL, d);
	*told = status == BXT_ERR_MEMORY;
	for (size_t i = 0; d && i < bxt_diagnostics_count(d, BXT_NOTE); i++)
		*told = *told || strcmp(bxt_diagnostics_get(d, i)->text, "out of memory") == 0;
	bxt_state_free(state);
	bxt_system_free(system);
	bxt_netlist_free(netlist);
	bxt_diagnostics_free(d);
	return status;
}

START_TEST(memory_ends)
{
	long n = 0;
	bool told, failed = true;
	const char *folder = getenv("BOXTIMES_PATH");
	bxt_library *library = bxt_library_new(&folder, 1, NULL);
	ck_assert_ptr_nonnull(library);
	allocation_hook();
	for (; failed; n++) {
		allocation_fail(n);
		const bxt_status status = compile_and_run(TOP("exponential"), library, &told);
		failed = allocation_failed();
		allocation_fail(-1);
		ck_assert_msg(status == BXT_OK || (failed && told), "allocation %ld: %s", n,
			      bxt_status_text(status));
	}
	ck_assert_int_gt(n, 100); /* else nothing was tested */
	ck_assert_int_eq(compile_and_run(TOP("exponential"), library, &told), BXT_OK);
	bxt_library_free(library);
}
END_TEST

TEST_SUITE("retraction")
{
	const test_case tests[] = {
		{"definition of discretisation maps", definition},
		{"inverse", inverse},
		{"slopes of a step", step_slopes},
		{"printed formulas", printed_formulas},
		{"chords", chords},
		{"rigid body keeps |x| and H", top_keeps_sphere_and_energy, .slow = true},
		{"rigid body's equation", top_meets_its_equation},
		{"orders on the sphere", orders},
		{"spins", spins, .slow = true},
		{"torn circuit", torn_circuit},
		{"findings", findings},
		{"start and inertia", start_and_inertia},
		{"memory", memory_ends, .slow = true},
	};
	ADD_TESTS(tests);
}
