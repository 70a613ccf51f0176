/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Lie schemes: orders, momentum and energy of bodies against Euler's equations, their matrices
 * against differences, lines against Gauss schemes, and what is refused. */
#include "motion/methods/lie.h"
#include "run/initial/initialize.h"
#include "support/allocation.h"
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static const char *const schemes[] = {"lie-midpoint", "lie-gauss2", "lie-gauss3"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

/* ---- Orders ---- */

/*
 * The figures are those of Euler's equations with the rotation matrix, and of Newton's for places,
 * by scipy's DOP853 with rtol 3e-14.
 */
struct figure {
	const char *name;
	double value;
};
static const struct figure top[] = {{"T.R31", -.1304716720983}, {"T.R32", .8881990226833},
				    {"T.R33", .4405447070211},  {"T.Wx", -2.6367078598358},
				    {"T.Wy", 3.9303982764408},  {"T.Wz", 7.0066686942789}};
static const struct figure tether[] = {
	{"A.x", 0.52710688389814},    {"A.y", -0.20324802927222},  {"A.z", 0.68250295472714},
	{"A.R13", 0.704871792229},    {"A.R23", 0.59308301683686}, {"A.R33", 0.38911218390017},
	{"B.x", 0.44040862831751},    {"B.y", -0.21890994511459},  {"B.z", 0.12030695988661},
	{"B.R11", -0.40637604231676}, {"B.R21", -0.3486683235082}, {"B.R31", -0.84456433290363}};

static double error_of(const char *file, const char *scheme, double step, double end,
		       const struct figure *figures, size_t n)
{
	model m = model_of_file(file);
	const bxt_run_def def = with(scheme, step, end, NULL);
	bxt_table *t = model_run(&m, &def, NULL);
	double error = 0;
	for (size_t i = 0; i < n; i++)
		error = fmax(error, fabs(last_value(t, figures[i].name) - figures[i].value));
	bxt_table_free(t);
	model_free(&m);
	return error;
}

START_TEST(orders)
{
	static const double step[SCHEMES] = {0.005, 0.01, 0.02};
	/* the largest errors at half of these steps, measured: a figure of each scheme */
	static const double most_top[SCHEMES] = {2e-2, 4e-7, 5e-8},
			    most_tether[SCHEMES] = {1e-4, 2e-8, 5e-11};
	for (int k = 0; k < SCHEMES; k++) {
		double error[2][2];
		for (int level = 0; level < 2; level++) {
			const double h = step[k] / (level + 1);
			error[0][level] = error_of("heavy-top.xml", schemes[k], h, 2, top,
						   sizeof top / sizeof *top);
			error[1][level] = error_of("tethered-bodies.xml", schemes[k], h, 3, tether,
						   sizeof tether / sizeof *tether);
		}
		for (int i = 0; i < 2; i++) {
			const double order = log2(error[i][0] / error[i][1]);
			ck_assert_msg(fabs(order - 2 * (k + 1)) < 0.25, "%s, model %d: order %g",
				      schemes[k], i, order);
		}
		ck_assert_double_le(error[0][1], most_top[k]);
		ck_assert_double_le(error[1][1], most_tether[k]);
	}
}
END_TEST

/* Order 1 of the rectangle, 2 of symmetric rules, with the retraction of the file. */
START_TEST(rules)
{
	static const struct {
		const char *rule;
		int order;
	} rules[] = {{"rectangle", 1}, {"midpoint", 2}, {"trapezoid", 2}, {"gauss2", 2}};
	for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
		double error[2] = {0, 0};
		for (int level = 0; level < 2; level++) {
			model m = model_of_file("tethered-bodies.xml");
			bxt_run_def def = with("lie-dirac+", level ? 0.0025 : 0.005, 3, NULL);
			def.rule = rules[k].rule;
			bxt_table *t = model_run(&m, &def, NULL);
			for (size_t i = 0; i < sizeof tether / sizeof *tether; i++)
				error[level] =
					fmax(error[level],
					     fabs(last_value(t, tether[i].name) - tether[i].value));
			bxt_table_free(t);
			model_free(&m);
		}
		const double order = log2(error[0] / error[1]);
		ck_assert_msg(fabs(order - rules[k].order) < 0.2, "%s: order %g (%g)",
			      rules[k].rule, order, error[1]);
	}
}
END_TEST

/*
 * Parks' integrator, chapter 4, on the dipoles: q_0 at 20 s with steps of .0125 s, of a program in
 * numpy that steps with its own formulas, m + h t/2 = I w + h/2 w x I w + h^2/4 (w.I w) w.
 */
START_TEST(dipoles_of_the_thesis)
{
	static const struct figure figures[] = {
		{"D0.x", -.8067683715035}, {"D0.y", 3.3739390833527}, {"D0.z", .6426245847599}};
	model m = model_of_file("dipoles.xml");
	bxt_run_def def = with("lie-dirac+", 0.0125, 20, NULL);
	def.rule = "trapezoid";
	bxt_table *t = model_run(&m, &def, NULL);
	for (int i = 0; i < 3; i++)
		ck_assert_double_eq_tol(last_value(t, figures[i].name), figures[i].value, 1e-12);
	ck_assert_double_eq_tol(last_value(t, "momentum(turnx)"), value_at(t, 0, "momentum(turnx)"),
				1e-12);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* dirac- undoes a step of dirac+. */
START_TEST(adjoint)
{
	static const char *const rules[] = {"rectangle", "trapezoid"};
	for (int k = 0; k < 2; k++) {
		model m = model_of_file("tethered-bodies.xml");
		bxt_run_def def = with("lie-dirac+", 0.05, 1, NULL);
		def.rule = rules[k];
		bxt_settings settings[2];
		bxt_state *state = NULL;
		bxt_stepper *st[2] = {NULL, NULL};
		double start[64], moved = 0, left = 0;
		ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
		for (int i = 0; i < 2; i++) {
			def.scheme = i ? "lie-dirac-" : "lie-dirac+";
			ck_assert_int_eq(bxt_settings_resolve(m.system, &def, NULL, &settings[i]),
					 BXT_OK);
			ck_assert_int_eq(bxt_stepper_new(m.system, &settings[i], state, &st[i]),
					 BXT_OK);
		}
		memcpy(start, state->q, (size_t)m.system->n * sizeof *start);
		for (int i = 0; i < 20; i++) {
			const double h = i < 10 ? 0.05 : -0.05;
			ck_assert_int_eq(bxt_stepper_solve(st[i / 10], state, h), BXT_OK);
			ck_assert_int_eq(bxt_stepper_advance(st[i / 10], state, state->t + h),
					 BXT_OK);
			for (int c = 0; c < m.system->n && i == 9; c++)
				moved = fmax(moved, fabs(state->q[c] - start[c]));
		}
		for (int c = 0; c < m.system->n; c++)
			left = fmax(left, fabs(state->q[c] - start[c]));
		ck_assert_double_ge(moved, 0.5);
		ck_assert_double_le(left, 1e-12);
		bxt_stepper_free(st[0]);
		bxt_stepper_free(st[1]);
		bxt_state_free(state);
		model_free(&m);
	}
}
END_TEST

/* The sphere with inertia: the figures are those of scipy in other coordinates. */
static const struct figure bob[] = {
	{"B.x", -.3328936957194}, {"B.y", -.4344775311175}, {"B.z", -.8369056471935}};
#define BOB(retraction)                                                                            \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='bob'>"                          \
		"<coordinate name='x' unit='1' flow='vx'/><coordinate name='y' unit='1' "          \
		"flow='vy'/><coordinate name='z' unit='1' flow='vz'/><manifold kind='sphere' "     \
		"coordinates='x y z' retraction='" retraction "'/><lagrangian>(vx^2 + vy^2 + "     \
		"vz^2)/2 - 9.81*z</lagrangian></component><bob id='B' x='0.6' z='-0.8' vy='1'/>")

START_TEST(spheres)
{
	static const char *const bobs[] = {BOB("normalised"), BOB("exponential")};
	for (int r = 0; r < 2; r++) {
		double error[2] = {0, 0};
		for (int level = 0; level < 2; level++) {
			const bxt_run_def def = with("lie-midpoint", level ? 0.005 : 0.01, 5,
						     "B.x, B.y, B.z, energy");
			bxt_table *t = run_text(bobs[r], &def);
			const size_t last = bxt_table_rows(t) - 1;
			double square = 0;
			for (int i = 0; i < 3; i++) {
				const double x = last_value(t, bob[i].name);
				error[level] = fmax(error[level], fabs(x - bob[i].value));
				square += x * x;
			}
			ck_assert_double_eq_tol(square, 1, 2e-15);
			ck_assert_double_eq_tol(value_at(t, last, "energy"),
						value_at(t, 0, "energy"), 2e-4);
			bxt_table_free(t);
		}
		ck_assert_double_eq_tol(log2(error[0] / error[1]), 2, 0.1);
		ck_assert_double_le(error[1], 2e-4);
	}
}
END_TEST

/* ---- What is kept ---- */

/* The mean of the energy's error in both halves of a run, and its largest. */
static void measure_energy(const bxt_table *t, double mean[2], double *most)
{
	const size_t n = bxt_table_rows(t), half = n / 2;
	const double start = value_at(t, 0, "energy");
	mean[0] = mean[1] = *most = 0;
	for (size_t i = 0; i < 2 * half; i++) {
		const double off = value_at(t, i, "energy") - start;
		mean[i / half] += off / (double)half;
		*most = fmax(*most, fabs(off));
	}
}

START_TEST(momentum_and_energy)
{
	model m = model_of_file("heavy-top.xml");
	for (int k = 0; k < SCHEMES; k++) {
		const bxt_run_def def = with(schemes[k], 0.02, 200, "momentum(T.vertical), energy");
		double mean[2], most, momentum = 0;
		bxt_summary summary;
		bxt_table *t = model_run(&m, &def, &summary);
		const double start = value_at(t, 0, "momentum(T.vertical)");
		for (size_t i = 0; i < bxt_table_rows(t); i++)
			momentum = fmax(momentum,
					fabs(value_at(t, i, "momentum(T.vertical)") - start));
		measure_energy(t, mean, &most);
		/* 1e4 steps that each round numbers up to 7 some times */
		ck_assert_double_le(momentum, 1e-12);
		ck_assert_double_ge(most, 1e-9); /* it is not exact, else the next says nothing */
		ck_assert_double_le(fabs(mean[1] - mean[0]), 0.02 * most);
		ck_assert(summary.energy_bounded);
		bxt_summary_free(&summary);
		bxt_table_free(t);
	}
	model_free(&m);
}
END_TEST

/* A push and a damper: what they do is in the balance, and momentum without a torque is kept. */
START_TEST(balance)
{
	model m = model_of_file("tethered-bodies.xml");
	for (int k = 0; k < SCHEMES; k++) {
		const bxt_run_def def =
			with(schemes[k], 0.02, 20, "momentum(S.rx), energy, dissipated, supplied");
		static const double most[SCHEMES] = {2e-3, 1e-5, 5e-9};
		bxt_table *t = model_run(&m, &def, NULL);
		const size_t last = bxt_table_rows(t) - 1;
		const double change = value_at(t, last, "energy") - value_at(t, 0, "energy");
		ck_assert_double_ge(last_value(t, "dissipated"), 1);
		ck_assert_double_le(
			fabs(change + last_value(t, "dissipated") - last_value(t, "supplied")),
			most[k]);
		ck_assert_double_le(
			fabs(last_value(t, "momentum(S.rx)") - value_at(t, 0, "momentum(S.rx)")),
			1e-13);
		bxt_table_free(t);
	}
	model_free(&m);
}
END_TEST

/* ---- Matrices ---- */

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
 * No term is that of a rigid body alone: inertia that depends on the rotation and couples it to a
 * place, a potential of both, a gyroscopic term, a force and friction that are not invariant.
 */
#define GENERAL(retraction)                                                                        \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='odd'>" ROTATION                 \
		"<coordinate name='x' unit='1' flow='v'/>" ON_SO3(                                 \
			retraction) "<lagrangian>(U11^2 + U21^2 + U31^2)/2 + 0.7*(U12^2 + U22^2 "  \
				    "+ U32^2)/2 + 0.9*(U13^2 + U23^2 + U33^2)/2 + (2 + "           \
				    "R11*x)*v^2/2 + 0.3*v*U23 + 0.2*R12*U31 + 0.1*R33^2*U21^2 "    \
				    "- sin(x + R31)*R22 - x^2</lagrangian><force on='R13'>0.1*v "  \
				    "- "                                                           \
				    "0.2*U21</force><rayleigh>0.05*(v - U12)^2</rayleigh>"         \
				    "</component><odd id='O' R11='1' R22='0.6' R32='0.8' "         \
				    "R23='-0.8' R33='0.6' x='0.3' v='0.2' U21='0.5' U31='1.5' "    \
				    "U12='-1.5' U22='-0.8' U32='0.6' U13='-0.5' U23='-0.6' "       \
				    "U33='-0.8'/>")
static const char *const general[] = {GENERAL("cayley"), GENERAL("exponential")};

/* A sphere, a rotation and a place that turn each other. */
#define WITH_SPHERE(retraction)                                                                    \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='odd'>" ROTATION                 \
		"<coordinate name='x' unit='1' flow='v'/><coordinate name='a' unit='1' "           \
		"flow='va'/><coordinate name='b' unit='1' flow='vb'/><coordinate name='c' "        \
		"unit='1' flow='vc'/>" ON_SO3(                                                     \
			"cayley") "<manifold kind='sphere' name='s' "                              \
				  "coordinates='a b c' retraction='" retraction                    \
				  "'/><lagrangian>(U11^2 + U21^2 + U31^2)/2 + 0.7*(U12^2 + U22^2 " \
				  "+ U32^2)/2 + "                                                  \
				  "0.9*(U13^2 + U23^2 + U33^2)/2 + v^2/2 + (1 + R11*a)*(va^2 + "   \
				  "vb^2)/2 + "                                                     \
				  "0.4*vc^2 + 0.2*vc*U21 + 0.1*va*v - sin(x + b)*R22*c - "         \
				  "x^2</lagrangian><rayleigh>0.05*(v - "                           \
				  "vb)^2</rayleigh></component>"                                   \
				  "<odd id='O' R11='1' R22='1' R33='1' a='0.6' b='0.8' vc='0.5' "  \
				  "U12='0.3' "                                                     \
				  "U21='-0.3'/>")
static const char *const with_sphere[] = {WITH_SPHERE("normalised"), WITH_SPHERE("exponential")};

/* dr/dy of a step by central differences at unknowns that are no solution. */
static void check_matrix(const char *xml, const char *scheme, const char *rule)
{
	static const double d = 1e-6;
	model m = model_of_text(xml);
	bxt_run_def def = with(scheme, 0.3, 3, NULL);
	def.rule = rule;
	bxt_settings settings;
	bxt_state *state = NULL;
	bxt_stepper *st = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	ck_assert_int_eq(bxt_settings_resolve(m.system, &def, NULL, &settings), BXT_OK);
	ck_assert_int_eq(bxt_stepper_new(m.system, &settings, state, &st), BXT_OK);
	ck_assert_int_eq(bxt_stepper_begin(st, state, 0.3), BXT_OK);
	const int n = st->n_x;
	double *y = calloc(5 * (size_t)n, sizeof *y), *ahead = y + n, *back = y + 2 * n,
	       *sizes = y + 3 * n, *column = y + 4 * n,
	       *values = calloc((size_t)bxt_sparse_nnz(&st->pattern) + 1, sizeof *values);
	uint64_t seed = 9;
	for (int i = 0; i < n; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		y[i] = (double)(seed >> 11) / 4503599627370496.0 - 1;
	}
	st->method->jacobian(st, y, values);
	for (int j = 0; j < n; j++) {
		const double kept = y[j];
		y[j] = kept + d;
		st->method->residual(st, y, ahead, sizes);
		y[j] = kept - d;
		st->method->residual(st, y, back, sizes);
		y[j] = kept;
		memset(column, 0, (size_t)n * sizeof *column);
		for (int k = st->pattern.colptr[j]; k < st->pattern.colptr[j + 1]; k++)
			column[st->pattern.rowind[k]] = values[k];
		for (int i = 0; i < n; i++) /* d^2 times third derivatives, and 1e-16/d */
			ck_assert_msg(fabs(column[i] - (ahead[i] - back[i]) / (2 * d)) < 2e-8,
				      "%s, entry %d %d: %g for %g", scheme, i, j, column[i],
				      (ahead[i] - back[i]) / (2 * d));
	}
	free(y);
	free(values);
	bxt_stepper_free(st);
	bxt_state_free(state);
	model_free(&m);
}

START_TEST(matrices)
{
	for (int r = 0; r < 2; r++) {
		for (int k = 0; k < SCHEMES; k++)
			check_matrix(general[r], schemes[k], NULL);
		check_matrix(with_sphere[r], "lie-midpoint", NULL);
		check_matrix(general[r], "lie-dirac+", "trapezoid");
		check_matrix(general[r], "lie-dirac+", "gauss2");
	}
}
END_TEST

START_TEST(sphere_and_rotation)
{
	static const char record[] = "O.R11, O.a, O.c, O.x, O.vb, O.U21";
	static const char *const names[] = {"O.R11", "O.a", "O.c", "O.x", "O.vb", "O.U21"};
	const bxt_run_def fine = with("gauss3", 0.01, 2, record);
	bxt_table *exact = run_text(with_sphere[0], &fine);
	for (int r = 0; r < 2; r++) {
		double error[2] = {0, 0};
		for (int level = 0; level < 2; level++) {
			const bxt_run_def def =
				with("lie-midpoint", level ? 0.01 : 0.02, 2, record);
			bxt_table *t = run_text(with_sphere[r], &def);
			for (int i = 0; i < 6; i++)
				error[level] =
					fmax(error[level], fabs(last_value(t, names[i]) -
								last_value(exact, names[i])));
			bxt_table_free(t);
		}
		ck_assert_double_eq_tol(log2(error[0] / error[1]), 2, 0.1);
	}
	bxt_table_free(exact);
}
END_TEST

/* Against the same model by constraint rows: gauss3 with a short step. */
START_TEST(general_model)
{
	static const char *const names[] = {"O.R11", "O.R23", "O.R32", "O.x", "O.v", "O.U21"};
	bxt_run_def fine = with("gauss3", 0.005, 2, NULL);
	fine.record = "O.R11, O.R23, O.R32, O.x, O.v, O.U21";
	bxt_table *exact = run_text(general[0], &fine);
	for (int r = 0; r < 2; r++)
		for (int k = 0; k < SCHEMES; k++) {
			double error[2] = {0, 0};
			for (int level = 0; level < 2; level++) {
				bxt_run_def def = with(schemes[k], level ? 0.025 : 0.05, 2, NULL);
				def.record = fine.record;
				bxt_table *t = run_text(general[r], &def);
				for (int i = 0; i < 6; i++)
					error[level] = fmax(error[level],
							    fabs(last_value(t, names[i]) -
								 last_value(exact, names[i])));
				bxt_table_free(t);
			}
			const double order = log2(error[0] / error[1]);
			ck_assert_msg(fabs(order - 2 * (k + 1)) < 0.3,
				      "%s, retraction %d: order %g (%g)", schemes[k], r, order,
				      error[1]);
		}
	bxt_table_free(exact);
}
END_TEST

/* Two bodies at nodes with frames, held by springs and a damper: against gauss3 with the rows of
 * the frames. */
#define FRAMES                                                                                     \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='solid' domain='test'>"          \
		"<parameter name='m' unit='kg'/><parameter name='c' unit='m'/>"                    \
		"<parameter name='C1' unit='kg.m2'/><parameter name='C2' unit='kg.m2'/>"           \
		"<parameter name='C3' unit='kg.m2'/><port name='a' kind='spatial'/>"               \
		"<lagrangian>m*((a.vx + a.U13*c)^2 + (a.vy + a.U23*c)^2 + (a.vz + a.U33*c)^2)/2 "  \
		"+ C1*(a.U11^2 + a.U21^2 + a.U31^2)/2 + C2*(a.U12^2 + a.U22^2 + a.U32^2)/2 + "     \
		"C3*(a.U13^2 + a.U23^2 + a.U33^2)/2 - m*9.81*(a.z + a.R33*c)</lagrangian>"         \
		"</component><component xmlns='urn:boxtimes:component:1' name='cord' "             \
		"domain='test'><parameter name='s' unit='m'/><parameter name='k' unit='N/m'/>"     \
		"<port name='a' kind='spatial'/><port name='b' kind='spatial'/>"                   \
		"<lagrangian>-k*((b.x + b.R13*s - a.x - a.R11*s)^2 + (b.y + b.R23*s - a.y - "      \
		"a.R21*s)^2 + (b.z + b.R33*s - a.z - a.R31*s)^2)/2</lagrangian>"                   \
		"<rayleigh>0.2*((b.vx - a.vx)^2 + (b.vy - a.vy)^2 + (b.vz - a.vz)^2)</rayleigh>"   \
		"</component><node id='b' kind='spatial' axis='.4 -.3 .2' angle='0.5 rad' "        \
		"wx='-1 rad/s' wy='-2 rad/s' wz='4 rad/s'/><node id='c' kind='spatial' x='1 m' "   \
		"y='0.2 m' wz='0.5 rad/s'/><solid id='B' a='b' m='2' c='.3' C1='.4' C2='.3' "      \
		"C3='.1'/><solid id='D' a='c' m='1' c='.1' C1='.2' C2='.3' C3='.15'/>"             \
		"<cord id='K' a='b' b='c' s='.3' k='40'/><cord id='W' a='wall' b='b' s='0' "       \
		"k='100'/>")

START_TEST(frames)
{
	static const char *const names[] = {"node(b).x", "node(b).R31", "node(c).z", "node(c).Wx"};
	static const char record[] = "node(b).x, node(b).R31, node(c).z, node(c).Wx";
	const bxt_run_def fine = with("gauss3", 0.0025, 1, record);
	bxt_table *exact = run_text(FRAMES, &fine);
	for (int k = 0; k < SCHEMES; k++) {
		double error[2] = {0, 0};
		for (int level = 0; level < 2; level++) {
			const bxt_run_def def = with(schemes[k], level ? 0.01 : 0.02, 1, record);
			bxt_table *t = run_text(FRAMES, &def);
			for (int i = 0; i < 4; i++)
				error[level] =
					fmax(error[level], fabs(last_value(t, names[i]) -
								last_value(exact, names[i])));
			bxt_table_free(t);
		}
		const double order = log2(error[0] / error[1]);
		ck_assert_msg(fabs(order - 2 * (k + 1)) < 0.3, "%s: order %g (%g)", schemes[k],
			      order, error[1]);
	}
	bxt_table_free(exact);
}
END_TEST

/* Without groups they are the Gauss schemes. */
START_TEST(lines)
{
	static const char *const gauss[SCHEMES] = {"gauss1", "gauss2", "gauss3"};
	model m = model_of_file("kepler.xml");
	for (int k = 0; k < SCHEMES; k++) {
		const bxt_run_def lie = with(schemes[k], 0.05, 5, "p.x, p.y, p.vx, energy"),
				  line = with(gauss[k], 0.05, 5, "p.x, p.y, p.vx, energy");
		bxt_table *a = model_run(&m, &lie, NULL), *b = model_run(&m, &line, NULL);
		ck_assert_double_le(difference(a, "p.x", b, "p.x"), 1e-12);
		ck_assert_double_le(difference(a, "p.vx", b, "p.vx"), 1e-12);
		ck_assert_double_le(difference(a, "energy", b, "energy"), 1e-12);
		bxt_table_free(a);
		bxt_table_free(b);
	}
	model_free(&m);
}
END_TEST

/* Backward over the same steps leads to the start. */
START_TEST(reversible)
{
	for (int k = 0; k < SCHEMES; k++) {
		model m = model_of_file("heavy-top.xml");
		const bxt_run_def def = with(schemes[k], 0.02, 1, "T.R31");
		bxt_settings settings;
		bxt_state *state = NULL;
		bxt_stepper *st = NULL;
		double start[64];
		ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
		ck_assert_int_eq(bxt_settings_resolve(m.system, &def, NULL, &settings), BXT_OK);
		ck_assert_int_eq(bxt_stepper_new(m.system, &settings, state, &st), BXT_OK);
		memcpy(start, state->q, (size_t)m.system->n * sizeof *start);
		for (int i = 0; i < 20; i++) {
			ck_assert_int_eq(bxt_stepper_solve(st, state, 0.02), BXT_OK);
			ck_assert_int_eq(bxt_stepper_advance(st, state, state->t + 0.02), BXT_OK);
		}
		double moved = 0, left = 0;
		for (int i = 0; i < m.system->n; i++)
			moved = fmax(moved, fabs(state->q[i] - start[i]));
		for (int i = 0; i < 20; i++) {
			ck_assert_int_eq(bxt_stepper_solve(st, state, -0.02), BXT_OK);
			ck_assert_int_eq(bxt_stepper_advance(st, state, state->t - 0.02), BXT_OK);
		}
		for (int i = 0; i < m.system->n; i++)
			left = fmax(left, fabs(state->q[i] - start[i]));
		ck_assert_double_ge(moved, 0.5);
		if (k == 0) /* the chart in the middle is the same from both sides */
			ck_assert_double_le(left, 1e-12);
		else /* to the order of the scheme: charts stand at the start of steps */
			ck_assert_double_le(left, k == 1 ? 2e-4 : 1e-6);
		bxt_stepper_free(st);
		bxt_state_free(state);
		model_free(&m);
	}
}
END_TEST

/* ---- What is refused ---- */

static void check_refusal_of(const char *file, const char *xml, const char *scheme,
			     const char *rule, const char *words)
{
	model m = file ? model_of_file(file) : model_of_text(xml);
	bxt_run_def def = with(scheme, 0.01, 0.1, NULL);
	def.rule = rule;
	bxt_state *state = NULL;
	bxt_status status = bxt_initialize(m.system, &def, m.findings, &state);
	if (status == BXT_OK)
		status = bxt_run(m.system, state, &def, NULL, NULL, m.findings);
	ck_assert_int_eq(status, BXT_ERR_MODEL);
	ck_assert_msg(has_finding(&m, BXT_ERROR, words), "no finding \"%s\"", words);
	bxt_state_free(state);
	model_free(&m);
}

static void check_refusal(const char *file, const char *xml, const char *scheme, const char *words)
{
	check_refusal_of(file, xml, scheme, NULL, words);
}

START_TEST(refused)
{
	check_refusal("pendulum-cartesian.xml", NULL, "lie-gauss2", "without constraint rows");
	check_refusal("rigid-body-sphere.xml", NULL, "lie-midpoint", "B.x, B.y, B.z do not have");
	check_refusal("spherical-pendulum.xml", NULL, "lie-gauss2", "without constraint rows");
	check_refusal(NULL,
		      NETLIST("<component xmlns='urn:boxtimes:component:1' name='slow'>"
			      "<coordinate name='x' unit='1' flow='v'/>"
			      "<lagrangian>-x^2</lagrangian><rayleigh>v^2</rayleigh></component>"
			      "<slow id='S' x='1'/>"),
		      "lie-gauss3", "S.x does not have");
	check_refusal_of("heavy-top.xml", NULL, "lie-dirac+", "galerkin2-gauss2",
			 "rules along the straight line");
}
END_TEST

/* Any allocation of a stepper and its first step may fail; what only finds an order or a closing
 * may do without. */
static void check_memory(const char *xml, const char *scheme)
{
	model m = model_of_text(xml);
	const bxt_run_def def = with(scheme, 0.1, 1, NULL);
	bxt_settings settings;
	bxt_state *state = NULL;
	long n = 0;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	ck_assert_int_eq(bxt_settings_resolve(m.system, &def, NULL, &settings), BXT_OK);
	for (bool failed = true; failed; n++) {
		bxt_stepper *st = NULL;
		allocation_fail(n);
		bxt_status status = bxt_stepper_new(m.system, &settings, state, &st);
		if (status == BXT_OK)
			status = bxt_stepper_solve(st, state, 0.1);
		failed = allocation_failed();
		allocation_fail(-1);
		ck_assert_msg(status == BXT_OK || (failed && status == BXT_ERR_MEMORY),
			      "%s, allocation %ld: %s", scheme, n, bxt_status_text(status));
		bxt_stepper_free(st);
	}
	ck_assert_int_gt(n, 50); /* else nothing was tested */
	bxt_state_free(state);
	model_free(&m);
}

START_TEST(memory)
{
	allocation_hook();
	check_memory(with_sphere[0], "lie-midpoint");
	check_memory(general[0], "lie-gauss2");
	check_memory(general[1], "lie-dirac+");
}
END_TEST

TEST_SUITE("lie")
{
	const test_case tests[] = {
		{"orders", orders},
		{"rules", rules},
		{"spheres", spheres},
		{"dipoles of the thesis", dipoles_of_the_thesis, .slow = true},
		{"adjoint", adjoint},
		{"momentum and energy", momentum_and_energy, .slow = true},
		{"balance", balance},
		{"matrices", matrices},
		{"sphere and rotation", sphere_and_rotation},
		{"general model", general_model},
		{"frames of nodes", frames},
		{"lines", lines},
		{"reversible", reversible},
		{"refused", refused},
		{"memory", memory},
	};
	ADD_TESTS(tests);
}
