/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SO(3) as a manifold: charts and their derivatives, discretisation maps, and models on it. */
#include "support/harness.h"

#include "model/component/retraction.h"

#include <math.h>
#include <string.h>

enum { KINDS = 2 };

static const bxt_retraction *retraction(int k)
{
	const bxt_manifold_kind *m = bxt_manifold_kinds;
	while (strcmp(m->name, "SO3"))
		m++;
	ck_assert_int_eq(m->rows(9), 6);
	ck_assert_int_eq(m->retractions[k].dimension, 3);
	return &m->retractions[k];
}

/* Deterministic, in (-1, 1). */
static double random_number(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static void random_vector(uint64_t *seed, double size, double *v)
{
	for (int i = 0; i < 3; i++)
		v[i] = random_number(seed);
	const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	for (int i = 0; i < 3; i++)
		v[i] *= size / length;
}

static double distance(int n, const double *a, const double *b)
{
	double most = 0;
	for (int i = 0; i < n; i++)
		most = fmax(most, fabs(a[i] - b[i]));
	return most;
}

/* out = A B, or A^T B; matrices by columns */
static void product(bool transposed, const double *a, const double *b, double *out)
{
	for (int j = 0; j < 3; j++)
		for (int i = 0; i < 3; i++) {
			out[3 * j + i] = 0;
			for (int k = 0; k < 3; k++)
				out[3 * j + i] +=
					a[transposed ? 3 * i + k : 3 * k + i] * b[3 * j + k];
		}
}

static void hat(const double *w, double *out)
{
	const double h[9] = {0, w[2], -w[1], -w[2], 0, w[0], w[1], -w[0], 0};
	memcpy(out, h, sizeof h);
}

static void times(const double *a, const double *x, double *out)
{
	for (int i = 0; i < 3; i++)
		out[i] = a[i] * x[0] + a[3 + i] * x[1] + a[6 + i] * x[2];
}

static const double UNIT[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
/* both sides of a = 1, where the exponential changes its formulas */
static const double SIZES[] = {1e-8, 0.01, 0.3, 0.999, 1.001, 2.5};
enum { N_SIZES = sizeof SIZES / sizeof *SIZES };

/* ---- The charts ---- */

/* cay: (1 - t^/2) psi = 1 + t^/2; exp: the sum of its series, which has 60 terms here. */
START_TEST(charts)
{
	uint64_t seed = 3;
	for (int s = 0; s < N_SIZES; s++) {
		double t[3], h[9], psi[9], left[9], right[9], both[9], term[9], next[9];
		random_vector(&seed, SIZES[s], t);
		hat(t, h);
		retraction(0)->group(t, psi);
		for (int i = 0; i < 9; i++) {
			left[i] = UNIT[i] - h[i] / 2;
			right[i] = UNIT[i] + h[i] / 2;
		}
		product(false, left, psi, both);
		ck_assert_double_le(distance(9, both, right), 2e-15);
		memcpy(both, UNIT, sizeof both);
		memcpy(term, UNIT, sizeof term);
		for (int k = 1; k < 60; k++) {
			product(false, term, h, next);
			for (int i = 0; i < 9; i++) {
				term[i] = next[i] / k;
				both[i] += term[i];
			}
		}
		retraction(1)->group(t, psi);
		ck_assert_double_le(distance(9, both, psi), 4e-15);
		for (int k = 0; k < KINDS; k++) {
			retraction(k)->group(t, psi);
			product(true, psi, psi, both);
			ck_assert_double_le(distance(9, both, UNIT), 2e-15);
		}
	}
}
END_TEST

/* psi^T dpsi = (D dt)^, D D^-1 = 1, d(D w)/dt and the second derivatives of m.D w: by central
 * differences over 2e-4, whose error is 1e-8 times third derivatives below 1, and round-off. */
static void check_derivatives(const bxt_retraction *r, const double *t, uint64_t *seed)
{
	static const double d = 1e-4;
	double w[3], m[3], psi[9], tangent[9], inverse[9], one[9], slope[9], curvature[9];
	random_vector(seed, 1.3, w);
	random_vector(seed, 0.8, m);
	r->group(t, psi);
	r->tangent(t, tangent);
	r->inverse_tangent(t, inverse);
	product(false, tangent, inverse, one);
	ck_assert_double_le(distance(9, one, UNIT), 4e-15);
	r->slope(t, w, slope);
	r->curvature(t, w, m, curvature);
	for (int k = 0; k < 3; k++) {
		double a[3], b[3], pa[9], pb[9], change[9], turn[9], da[9], db[9], va[3], vb[3];
		memcpy(a, t, sizeof a);
		memcpy(b, t, sizeof b);
		a[k] += d;
		b[k] -= d;
		r->group(a, pa);
		r->group(b, pb);
		for (int i = 0; i < 9; i++)
			change[i] = (pa[i] - pb[i]) / (2 * d);
		product(true, psi, change, turn);
		hat(tangent + 3 * k, one);
		ck_assert_double_le(distance(9, turn, one), 2e-8);
		r->tangent(a, da);
		r->tangent(b, db);
		times(da, w, va);
		times(db, w, vb);
		for (int i = 0; i < 3; i++)
			ck_assert_double_le(fabs((va[i] - vb[i]) / (2 * d) - slope[3 * k + i]),
					    2e-8);
		r->slope(a, w, da);
		r->slope(b, w, db);
		for (int i = 0; i < 3; i++) { /* the derivative by t_i of m.D w */
			double dot = 0;
			for (int j = 0; j < 3; j++)
				dot += (da[3 * i + j] - db[3 * i + j]) * m[j];
			ck_assert_double_le(fabs(dot / (2 * d) - curvature[3 * k + i]), 2e-8);
		}
	}
}

START_TEST(derivatives)
{
	uint64_t seed = 11;
	for (int k = 0; k < KINDS; k++)
		for (int s = 0; s < N_SIZES; s++)
			for (int i = 0; i < 5; i++) {
				double t[3];
				random_vector(&seed, SIZES[s], t);
				check_derivatives(retraction(k), t, &seed);
			}
}
END_TEST

/* ---- Discretisation maps ---- */

static const double THETA[] = {0, 0.3, 0.5, 1};

static void check_map(const bxt_retraction *r, double theta, double size, uint64_t *seed)
{
	static const double d = 1e-5;
	double t[3], h[9], q[9], v[9], x0[9], x1[9], q1[9], v1[9], u[9], slope[81];
	double ahead[9], back[9];
	random_vector(seed, 1.1, t);
	r->group(t, q);
	random_vector(seed, size, t);
	hat(t, h);
	product(false, q, h, v);
	r->map(9, theta, q, v, x0, x1);
	ck_assert(r->inverse(9, theta, x0, x1, q1, v1));
	ck_assert_double_le(distance(9, q, q1), 1e-14); /* a few roundings */
	ck_assert_double_le(distance(9, v, v1), 2e-14);
	r->point(9, theta, x0, v, q1, NULL);
	r->next(9, theta, q, v, v1);
	ck_assert_double_le(distance(9, q, q1), 1e-14);
	ck_assert_double_le(distance(9, x1, v1), 1e-14);
	for (int i = 0; i < 9; i++)
		u[i] = v[i] + 0.1 * q[i] * random_number(seed); /* not tangent */
	r->point(9, theta, x0, u, q1, slope);
	for (int j = 0; j < 9; j++) {
		const double kept = u[j];
		u[j] = kept + d;
		r->point(9, theta, x0, u, ahead, NULL);
		u[j] = kept - d;
		r->point(9, theta, x0, u, back, NULL);
		u[j] = kept;
		for (int i = 0; i < 9; i++) /* d^2 times third derivatives, 1e-16/d */
			ck_assert_double_le(fabs(slope[i * 9 + j] - (ahead[i] - back[i]) / (2 * d)),
					    1e-8);
	}
}

START_TEST(maps)
{
	uint64_t seed = 5;
	for (int k = 0; k < KINDS; k++)
		for (size_t i = 0; i < sizeof THETA / sizeof *THETA; i++)
			for (int s = 0; s < 4; s++)
				check_map(retraction(k), THETA[i],
					  (const double[]){1e-9, 0.04, 0.4, 1}[s], &seed);
	/* half a turn has no rotation vector */
	const double half[9] = {1, 0, 0, 0, -1, 0, 0, 0, -1};
	double q[9], v[9];
	for (int k = 0; k < KINDS; k++)
		ck_assert(!retraction(k)->inverse(9, 0.5, UNIT, half, q, v));
}
END_TEST

/* ---- Models ---- */

#define ROTATION                                                                                   \
	"<coordinate name='R11' unit='1' flow='U11'/><coordinate name='R21' unit='1' flow='U21'/>" \
	"<coordinate name='R31' unit='1' flow='U31'/><coordinate name='R12' unit='1' flow='U12'/>" \
	"<coordinate name='R22' unit='1' flow='U22'/><coordinate name='R32' unit='1' flow='U32'/>" \
	"<coordinate name='R13' unit='1' flow='U13'/><coordinate name='R23' unit='1' flow='U23'/>" \
	"<coordinate name='R33' unit='1' flow='U33'/>"
#define ON_SO3(retraction)                                                                         \
	"<manifold kind='SO3' coordinates='R11 R21 R31 R12 R22 R32 R13 R23 R33' "                  \
	"retraction='" retraction "'/>"

/*
 * A needle without inertia in a viscous medium: c |U|^2/2 = c w^2 for the angle f of d3 from e3,
 * V = - k cos f, so 2 c f' = - k sin f, tan(f/2) = tan(f_0/2) exp(- k t/(2 c)).
 */
#define NEEDLE(retraction)                                                                         \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='needle'>" ROTATION ON_SO3(      \
		retraction) "<lagrangian>0.8*R33</lagrangian><rayleigh>0.3*(U11^2 + U21^2 + "      \
			    "U31^2 + U12^2 + U22^2 + U32^2 + U13^2 + U23^2 + "                     \
			    "U33^2)/2</rayleigh></component>"                                      \
			    "<needle id='N' R11='1' R22='0.6' R32='0.8' R23='-0.8' R33='0.6'/>")
static const char *const needles[KINDS] = {NEEDLE("cayley"), NEEDLE("exponential")};

static bxt_run_def with(const char *scheme, const char *theta, double step, double end,
			const char *record)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = scheme;
	def.theta = theta;
	def.step = step;
	def.end = end;
	def.record = record;
	return def;
}

static double needle_error(const char *xml, const char *scheme, const char *theta, double step)
{
	const bxt_run_def def = with(scheme, theta, step, 2, "N.R33, N.R11");
	const double f = 2 * atan(tan(acos(0.6) / 2) * exp(-0.8 * 2 / (2 * 0.3)));
	bxt_table *t = run_text(xml, &def);
	const size_t last = bxt_table_rows(t) - 1;
	const double error = fabs(bxt_table_value(t, last, 0) - cos(f));
	ck_assert_double_le(fabs(bxt_table_value(t, last, 1) - 1), 1e-14);
	bxt_table_free(t);
	return error;
}

START_TEST(needle)
{
	for (int k = 0; k < KINDS; k++) {
		const double half[2] = {needle_error(needles[k], "theta", "0.5", 0.02),
					needle_error(needles[k], "theta", "0.5", 0.01)};
		const double whole[2] = {needle_error(needles[k], "theta", "1", 0.02),
					 needle_error(needles[k], "theta", "1", 0.01)};
		ck_assert_double_le(half[1], 2e-5); /* h^2 k^2 f/c^2 and smaller factors */
		ck_assert_double_eq_tol(log2(half[0] / half[1]), 2, 0.1);
		ck_assert_double_eq_tol(log2(whole[0] / whole[1]), 1, 0.1);
		/* as embedding rows */
		ck_assert_double_le(needle_error(needles[k], "gauss3", NULL, 0.05), 1e-8);
	}
}
END_TEST

/*
 * A pinned top by its directors, I = diag(.4, .5, .7) about its centre (.1, .2, .5), m = 2, at
 * R = exp(.4, -.3, .2), body rates (1, .5, 8). The figures at 2 s are those of Euler's equations by
 * scipy's DOP853, rtol 3e-14.
 */
#define TOP                                                                                        \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='top'>" ROTATION ON_SO3(         \
		"cayley") "<lagrangian>(0.42*(U11^2 + U21^2 + U31^2) + 0.38*(U12^2 + U22^2 + "     \
			  "U32^2) + 0.6*(U13^2 + U23^2 + U33^2))/2 + 0.04*(U11*U12 + "             \
			  "U21*U22 + U31*U32) + 0.1*(U11*U13 + U21*U23 + U31*U33) + "              \
			  "0.2*(U12*U13 + U22*U23 + U32*U33) - 2*9.81*(0.1*R31 + 0.2*R32 + "       \
			  "0.5*R33)</lagrangian></component>"                                      \
			  "<top id='B' R11='0.93655572699345557' R21='0.13190859175670214' "       \
			  "R31='0.32475143364814207' R12='-0.24903648038416884' "                  \
			  "R22='0.90239342614377771' R32='0.3516630999840043' "                    \
			  "R13='-0.24666617456316428' R23='-0.41022704429773765' "                 \
			  "R33='0.87799178267972222' U11='-1.8689587557917686' "                   \
			  "U21='7.4242609312990906' U31='2.3743089085321731' "                     \
			  "U12='-7.7391119905108088' U22='-1.4654957783513547' "                   \
			  "U32='-1.7200196865054145' U13='0.71731434388089665' "                   \
			  "U23='-0.8364391302654266' U33='-0.18928738315993326'/>")
static const double TOP_END[3] = {-.1304716720983, .8881990226833, .4405447070211};

static double top_error(const char *scheme, double step)
{
	const bxt_run_def def = with(scheme, NULL, step, 2, "B.R31, B.R32, B.R33, B.R11");
	bxt_table *t = run_text(TOP, &def);
	const size_t last = bxt_table_rows(t) - 1;
	double end[3];
	for (size_t i = 0; i < 3; i++)
		end[i] = bxt_table_value(t, last, i);
	/* the start is taken as it is written */
	ck_assert_double_eq_tol(bxt_table_value(t, 0, 3), 0.93655572699345557, 1e-15);
	bxt_table_free(t);
	return distance(3, end, TOP_END);
}

/* The rows of the embedding with schemes that know no manifolds. */
START_TEST(top)
{
	const double second[2] = {top_error("gauss2", 0.02), top_error("gauss2", 0.01)};
	ck_assert_double_eq_tol(log2(second[0] / second[1]), 4, 0.2);
	ck_assert_double_le(top_error("gauss3", 0.005), 1e-11);
	ck_assert_double_le(top_error("gauss1", 0.005), 1e-2);
}
END_TEST

TEST_SUITE("rotation")
{
	const test_case tests[] = {
		{"charts", charts}, {"derivatives", derivatives},  {"discretisation maps", maps},
		{"needle", needle}, {"top by its directors", top},
	};
	ADD_TESTS(tests);
}
