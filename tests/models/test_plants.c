/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The multi-physics plants that are shipped, against trusted values and methods of their own. */
#include "support/harness.h"

#include <check.h>
#include <math.h>

static const double PI = 3.14159265358979323846;
#define LENGTH(x) (sizeof x / sizeof *x)

static bxt_table *run(const char *file, const bxt_run_def *def)
{
	model m = model_of_file(file);
	bxt_table *t = model_run(&m, def, NULL);
	ck_assert_uint_eq(bxt_diagnostics_count(m.findings, BXT_WARNING), 0);
	model_free(&m);
	return t;
}

/* A value that is known to so many digits, and those are met: half a unit of the last. */
static void digits(const bxt_table *t, double time, const char *name, double value, int n)
{
	const double unit = pow(10, floor(log10(fabs(value))) + 1 - n);
	const double found = value_at_time(t, time, name);
	ck_assert_msg(fabs(found - value) <= 0.51 * unit, "%s at %g s is %.15g, not %.*g", name,
		      time, found, n, value);
}

/* ---- Loudspeaker ---- */

#define SPEAKER                                                                                    \
	"<loudspeaker id='S' p='a' n='0' cone='c' R='5.9 ohm' L='2.36 mH' Bl='16.37 N/A'"          \
	" M='75 g' K='10 kN/m' A='10 N.s/m'/>"

START_TEST(test_loudspeaker)
{
	static const char signals[] = "S.i, node(c).v, node(c).x";
	bxt_table *t = run_text(NETLIST("<voltage-source id='V' p='a' n='0' e='1 V'/>" SPEAKER),
				&(bxt_run_def){.size = sizeof(bxt_run_def),
					       .scheme = "gauss3",
					       .step = 2e-5,
					       .end = 0.05,
					       .record = signals});
	digits(t, 1e-3, "S.i", 0.123991105452, 12);
	digits(t, 1e-3, "node(c).v", 0.0197764137461, 12);
	digits(t, 1e-3, "node(c).x", 8.22988996732e-6, 12);
	digits(t, 0.05, "node(c).x", 2.77454270961e-4, 12);
	bxt_table_free(t);
	t = run("loudspeaker.xml", &(bxt_run_def){.size = sizeof(bxt_run_def), .step = 5e-5});
	digits(t, 0.05, "S.i", 0.207759775822, 12);
	digits(t, 0.05, "node(cone).v", -0.0601142328177, 12);
	digits(t, 0.05, "node(cone).x", 0.00154052999731, 12);
	bxt_table_free(t);
	t = run("loudspeaker-nonlinear.xml",
		&(bxt_run_def){.size = sizeof(bxt_run_def), .step = 5e-5});
	digits(t, 0.05, "S.i", 0.223672818642, 12);
	digits(t, 0.05, "node(cone).v", -0.066005496254, 11);
	digits(t, 0.05, "node(cone).x", 0.00153513555219, 12);
	bxt_table_free(t);
}
END_TEST

/* In one piece and in parts, two subsystems; linear, so that every scheme must agree. */
START_TEST(test_loudspeaker_in_parts)
{
	static const char *const schemes[] = {"gauss1", "gauss3", "radau3"};
	for (size_t k = 0; k < LENGTH(schemes); k++) {
		bxt_table *one = run("loudspeaker.xml",
				     &(bxt_run_def){.size = sizeof(bxt_run_def),
						    .scheme = schemes[k],
						    .record = "S.i, node(cone).x, energy"});
		bxt_table *two =
			run("loudspeaker-parts.xml",
			    &(bxt_run_def){.size = sizeof(bxt_run_def),
					   .scheme = schemes[k],
					   .record = "coil.L.i, node(membrane.cone).x, energy"});
		/* 500 steps in another order of elimination */
		ck_assert_double_le(difference(one, "S.i", two, "coil.L.i"), 1e-12);
		ck_assert_double_le(difference(one, "node(cone).x", two, "node(membrane.cone).x"),
				    1e-12);
		ck_assert_double_le(difference(one, "energy", two, "energy"), 1e-12);
		bxt_table_free(one);
		bxt_table_free(two);
	}
}
END_TEST

/* A force factor that depends on the position: the same in one piece and in parts. */
START_TEST(test_force_factor)
{
	static const char *const texts[] = {
		NETLIST("<voltage-source id='V' p='a' n='0' e='=10*sin(300*t)'/>"
			"<loudspeaker id='S' p='a' n='0' cone='c' R='5.9 ohm' L='2.36 mH' "
			"Bl='16.37 N/A'"
			" M='75 g' K='10 kN/m' A='10 N.s/m' shape='1 - 2e5*x^2'/>"),
		NETLIST("<voltage-source id='V' p='a' n='0' e='=10*sin(300*t)'/>"
			"<resistor id='R' p='a' n='b' R='5.9 ohm'/><inductor id='L' p='b' n='e' "
			"L='2.36 mH'/>"
			"<moving-coil id='S' p='e' n='0' a='wall' b='c' Bl='16.37 N/A' shape='1 - "
			"2e5*x^2'/>"
			"<mass id='M' a='c' m='75 g'/><spring id='K' a='wall' b='c' k='10 kN/m'/>"
			"<damper id='A' a='wall' b='c' c='10 N.s/m'/>")};
	bxt_table *t[2];
	for (int k = 0; k < 2; k++)
		t[k] = run_text(texts[k], &(bxt_run_def){.size = sizeof(bxt_run_def),
							 .step = 1e-4,
							 .end = 0.05,
							 .scheme = "gauss2",
							 .record = "S.i, node(c).x"});
	ck_assert_double_le(difference(t[0], "S.i", t[1], "S.i"), 1e-11);
	/* and it matters: 2 mm are 0.8 of Bl */
	bxt_table *linear =
		run_text(NETLIST("<voltage-source id='V' p='a' n='0' e='=10*sin(300*t)'/>" SPEAKER),
			 &(bxt_run_def){.size = sizeof(bxt_run_def),
					.step = 1e-4,
					.end = 0.05,
					.scheme = "gauss2",
					.record = "S.i, node(c).x"});
	ck_assert_double_ge(difference(t[0], "S.i", linear, "S.i"), 0.05);
	bxt_table_free(linear);
	bxt_table_free(t[0]);
	bxt_table_free(t[1]);
}
END_TEST

/* ---- Motor and chain ---- */

/* Trusted values of both with one to three digits more: exponentials of matrices in 30 digits. */
START_TEST(test_dc_motor)
{
	bxt_table *t = run("dc-motor.xml", &(bxt_run_def){.size = sizeof(bxt_run_def), .every = 1});
	digits(t, 0.5, "M.i", 91.915277532086, 13);
	digits(t, 0.5, "node(shaft).omega", 51.636369965877, 13);
	digits(t, 1.25, "M.i", 1.391086049681, 11); /* 100 V less 99.93 V, over 0.05 ohm */
	digits(t, 1.25, "node(shaft).omega", 156.96502141529, 13);
	digits(t, 2, "M.i", 99.974363430883, 13);
	digits(t, 2, "node(shaft).omega", 149.22784374982, 13);
	bxt_table_free(t);
}
END_TEST

START_TEST(test_chain)
{
	bxt_table *t =
		run("spring-damper-chain.xml",
		    &(bxt_run_def){.size = sizeof(bxt_run_def),
				   .step = 0.02,
				   .record = "node(x1).x, node(x1).x.p, node(x2).x, energy"});
	digits(t, 10, "node(x1).x", 1.4429742953274, 13);
	digits(t, 10, "node(x1).x.p", 0.40704958020863, 13);
	digits(t, 10, "node(x2).x", 1.2128848610145, 13);
	/* sixteen digits are given: some hundred steps of round-off */
	ck_assert_double_eq_tol(last_value(t, "energy"), 0.6480723469402329, 1e-13);
	bxt_table_free(t);
}
END_TEST

/* ---- Two tanks ---- */

/* The flow and the levels at rest, with the valve open by a share. */
static void tanks_at_rest(const bxt_table *t, double time, double opening)
{
	const double r = 1000 / (2 * 0.62 * 0.62), o = r / 1e-8, v = r / (4e-8 * opening * opening);
	const double Q = sqrt(2e4 / (5e10 + 2e10 + o + v));
	/* the cores of orifice and valve, 1 cm/s and 10 Pa, and e^{-t/T} of the start */
	ck_assert_double_eq_tol(value_at_time(t, time, "P.Q"), Q, 1e-4 * Q);
	ck_assert_double_eq_tol(value_at_time(t, time, "T2.level"), v * Q * Q / 9810,
				5e-4 * v * Q * Q / 9810);
	ck_assert_double_eq_tol(value_at_time(t, time, "T1.level"), (o + v) * Q * Q / 9810,
				2e-4 * (o + v) * Q * Q / 9810);
	ck_assert_double_eq_tol(value_at_time(t, time, "node(in).p"), 2e4 - 5e10 * Q * Q, 5);
}

START_TEST(test_two_tanks)
{
	bxt_table *t = run("two-tanks.xml",
			   &(bxt_run_def){.size = sizeof(bxt_run_def), .end = 6000, .every = 400});
	tanks_at_rest(t, 6000, 0.5);
	bxt_table_free(t);
}
END_TEST

/* ---- Magnetic levitation ---- */

/* The growing root of m x'' = k x + f i, L i' = -R i - f x', by Newton from above. */
static double growth(double R, double L, double k, double m, double f)
{
	double s = 1e3;
	for (int n = 0; n < 100; n++) {
		const double P = (m * s * s - k) * (L * s + R) + f * f * s;
		const double dP = 2 * m * s * (L * s + R) + (m * s * s - k) * L + f * f;
		s -= P / dP;
	}
	return s;
}

START_TEST(test_maglev)
{
	const double mu0 = 4e-7 * PI, A = 4e-4, N = 1000, m = 0.05, g0 = 5e-3, s0 = 2e-4;
	const double F = m * 9.81, l = 2 * g0 + s0, i0 = sqrt(F / (mu0 * A)) / N * l;
	/* L(x) = c/(l - 2 x): L' = 2 c/l^2, L'' = 8 c/l^3 */
	const double c = mu0 * A * N * N;
	const double rate =
		growth(10, c / l, 4 * c / (l * l * l) * i0 * i0, m, 2 * c / (l * l) * i0);
	/* a push that keeps it linear: x = 1e-5 of the gap at 90 ms */
	model plant = model_of_file("maglev.xml");
	ck_assert_int_eq(bxt_netlist_set(plant.netlist, "", "more", "1e-6", plant.findings),
			 BXT_OK);
	plant.system = bxt_system_free(plant.system);
	ck_assert_int_eq(
		bxt_system_compile(plant.netlist, plant.library, plant.findings, &plant.system),
		BXT_OK);
	bxt_table *t = model_run(&plant,
				 &(bxt_run_def){.size = sizeof(bxt_run_def),
						.scheme = "gauss2",
						.record = "node(ball).x, W.i, G1.pull"},
				 NULL);
	/* held where the pull of both gaps is the weight */
	ck_assert_double_eq_tol(value_at(t, 0, "G1.pull"), F / 2, 1e-12);
	ck_assert_double_eq_tol(value_at(t, 0, "W.i"), i0, 1e-5 * i0);
	/* differences know nothing of where it would balance now; what decays has decayed */
	const double x1 = value_at_time(t, 0.07, "node(ball).x"),
		     x2 = value_at_time(t, 0.08, "node(ball).x"),
		     x3 = value_at_time(t, 0.09, "node(ball).x");
	ck_assert_double_eq_tol(log((x3 - x2) / (x2 - x1)) / 0.01, rate, 1e-3 * rate);
	bxt_table_free(t);
	model_free(&plant);
}
END_TEST

/* The magnetic circuit is the solenoid with its L(x), to round-off. */
START_TEST(test_maglev_as_solenoid)
{
	static const char *const texts[] = {
		NETLIST("<voltage-source id='V' p='e' n='0' e='3.2 V'/><resistor id='R' p='e' "
			"n='c' R='10 ohm'/>"
			"<winding id='W' p='c' n='0' mp='y' mn='0' N='1000'/>"
			"<core id='C' p='y' n='o' l='0.2 mm' A='4 cm2'/>"
			"<air-gap id='G' p='o' n='0' a='x' b='wall' A='4 cm2' g0='10 mm'/>"
			"<mass id='M' a='x' m='50 g'/><spring id='S' a='wall' b='x' k='300 N/m'/>"),
		NETLIST("<voltage-source id='V' p='e' n='0' e='3.2 V'/>"
			"<solenoid id='W' p='e' n='0' a='wall' b='x' R='10 ohm'"
			" inductance='4e-7*pi*4e-4*1e6/(10.2e-3 - x)'/>"
			"<mass id='M' a='x' m='50 g'/><spring id='S' a='wall' b='x' k='300 "
			"N/m'/>")};
	bxt_table *t[2][2];
	for (int k = 0; k < 2; k++)
		for (int fine = 0; fine < 2; fine++)
			t[k][fine] = run_text(texts[k], &(bxt_run_def){.size = sizeof(bxt_run_def),
								       .scheme = "gauss3",
								       .step = fine ? 2e-4 : 4e-4,
								       .every = fine ? 2 : 1,
								       .end = 0.1,
								       .record = "node(x).x, W.i"});
	/* energy of flux and of current: other coordinates, the same motion in the limit; what is
	 * left is the truncation of the one and of the other */
	const double error = fmax(difference(t[0][0], "node(x).x", t[0][1], "node(x).x"),
				  difference(t[1][0], "node(x).x", t[1][1], "node(x).x"));
	ck_assert_double_le(error, 1e-8);
	ck_assert_double_le(difference(t[0][1], "node(x).x", t[1][1], "node(x).x"), error);
	for (int k = 0; k < 4; k++)
		bxt_table_free(t[k / 2][k % 2]);
}
END_TEST

/* ---- The saturating spring ---- */

static double saturating(double x)
{
	const double z = PI * x / 0.2;
	return 500 * x * x - 1e6 * 4 / (4 - PI) * (0.2 / PI) * (log(cos(z)) + z * z / 2);
}

/*
 * T = 4 int dx/v from 0 to the amplitude a; with x = a sin u the integrand is smooth, and 200
 * midpoints of a periodic function leave nothing but round-off, amplified where E - V cancels.
 */
static double period(double a, double m)
{
	double sum = 0;
	for (int k = 0; k < 200; k++) {
		const double u = (k + 0.5) * PI / 400;
		sum += a * cos(u) / sqrt(2 * (saturating(a) - saturating(a * sin(u))) / m);
	}
	return 4 * sum * PI / 400;
}

START_TEST(test_saturating_spring)
{
	const double T = period(0.01, 0.01);
	bxt_table *t = run("oscillator-nl.xml", &(bxt_run_def){.size = sizeof(bxt_run_def),
							       .scheme = "gauss3",
							       .step = T / 400,
							       .end = 10 * T});
	/* back at rest after ten periods, to (w h)^6 and the cancellation of 1e-12 in T */
	ck_assert_double_eq_tol(last_value(t, "node(m).x"), 0.01, 1e-12);
	ck_assert_double_eq_tol(last_value(t, "node(m).v"), 0, 1e-6);
	bxt_table_free(t);
}
END_TEST

/* ---- Two arms, in their four angles ---- */

typedef struct arm {
	double x0, m1, m2;
} arm;
static const arm arms[2] = {{0, 2, 1}, {0.3, 1, 0.6}};
static const double l1 = 0.5, l2 = 0.4, joint = 0.2, stiffness = 40, damping = 4;

/* y = (a, b, a', b') of both arms; the motion by Lagrange's equations written by hand. */
static void arms_rate(double t, const double y[8], double f[8])
{
	double tip[2][2], v[2][2], force[2][2];
	for (int k = 0; k < 2; k++) {
		const double *q = y + 4 * k;
		tip[k][0] = arms[k].x0 + l1 * cos(q[0]) + l2 * cos(q[1]);
		tip[k][1] = l1 * sin(q[0]) + l2 * sin(q[1]);
		v[k][0] = -l1 * sin(q[0]) * q[2] - l2 * sin(q[1]) * q[3];
		v[k][1] = l1 * cos(q[0]) * q[2] + l2 * cos(q[1]) * q[3];
	}
	for (int d = 0; d < 2; d++) {
		const double pull =
			stiffness * (tip[1][d] - tip[0][d]) + damping * (v[1][d] - v[0][d]);
		const double hand = t >= 1 ? 0 : d == 0 ? 1 : -2;
		force[0][d] = pull + hand;
		force[1][d] = -pull;
	}
	for (int k = 0; k < 2; k++) {
		const double *q = y + 4 * k, *F = force[k];
		const double m1 = arms[k].m1, m2 = arms[k].m2, half = m2 * l1 * l2 / 2;
		const double M11 = (m1 / 3 + m2) * l1 * l1, M22 = m2 * l2 * l2 / 3;
		const double M12 = half * cos(q[0] - q[1]), bent = half * sin(q[0] - q[1]);
		const double ra = -l1 * sin(q[0]) * F[0] + l1 * cos(q[0]) * F[1] -
				  bent * q[3] * q[3] - joint * q[2] + joint * (q[3] - q[2]);
		const double rb = -l2 * sin(q[1]) * F[0] + l2 * cos(q[1]) * F[1] +
				  bent * q[2] * q[2] - joint * (q[3] - q[2]);
		const double det = M11 * M22 - M12 * M12;
		f[4 * k] = q[2];
		f[4 * k + 1] = q[3];
		f[4 * k + 2] = (M22 * ra - M12 * rb) / det;
		f[4 * k + 3] = (M11 * rb - M12 * ra) / det;
	}
}

/* The classical Runge-Kutta method; the push ends between two steps. */
static void arms_run(double y[8], double end, int steps)
{
	const double h = end / steps;
	for (int n = 0; n < steps; n++) {
		double k[4][8], z[8];
		/* within the step that ends at 1 s the hand still pushes */
		const double inside = n * h + h / 2;
		for (int s = 0; s < 4; s++) {
			for (int i = 0; i < 8; i++)
				z[i] = y[i] + (s == 0 ? 0 : h * (s == 3 ? 1 : 0.5) * k[s - 1][i]);
			arms_rate(inside, z, k[s]);
		}
		for (int i = 0; i < 8; i++)
			y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
	}
}

START_TEST(test_two_arms)
{
	double y[8] = {PI / 3, -PI / 9, 0, 0, 5 * PI / 9, PI / 18, 0, 0};
	arms_run(y, 4, 8000); /* 5e-4 s: its error is some 1e-12 */
	bxt_table *t = run(
		"two-arms.xml",
		&(bxt_run_def){.size = sizeof(bxt_run_def),
			       .scheme = "gauss3",
			       .record = "master.arm.a, master.arm.b, slave.arm.a, slave.arm.b"});
	ck_assert_double_eq_tol(last_value(t, "master.arm.a"), y[0], 1e-9);
	ck_assert_double_eq_tol(last_value(t, "master.arm.b"), y[1], 1e-9);
	ck_assert_double_eq_tol(last_value(t, "slave.arm.a"), y[4], 1e-9);
	ck_assert_double_eq_tol(last_value(t, "slave.arm.b"), y[5], 1e-9);
	bxt_table_free(t);

	/* passive: with the hand away the energy only falls */
	t = run("two-arms.xml",
		&(bxt_run_def){.size = sizeof(bxt_run_def), .every = 1, .record = "energy"});
	for (size_t i = 1; i < bxt_table_rows(t); i++)
		if (bxt_table_time(t, i - 1) >= 1)
			ck_assert_double_le(value_at(t, i, "energy"),
					    value_at(t, i - 1, "energy") + 1e-12);
	bxt_table_free(t);
}
END_TEST

/* ---- Circuits ---- */

/*
 * The current of the series circuit is that of the diode at its voltage v: with the midpoint rule
 * one equation in v per step, L (i1 - i0)/h = e - R i - v - q/C with the means i and q.
 */
START_TEST(test_dlc)
{
	static const double Vt = 1.7 * 0.026, L = 0.1, R = 0.5, C = 0.2533, h = 1. / 192000;
	bxt_table *t =
		run("dlc.xml",
		    &(bxt_run_def){.size = sizeof(bxt_run_def), .every = 1, .record = "C.q, L.p"});
	double i0 = 0, q0 = 0, v = 0, most = 0;
	for (size_t n = 0; n + 1 < bxt_table_rows(t); n++) {
		const double e = sin(2 * PI * 500 * ((double)n + 0.5) * h);
		double i = 0;
		/* convex and rising in v: Newton from above goes down to the root */
		v = 0.7;
		for (int k = 0; k < 60; k++) {
			const double g = 2e-9 / Vt * exp(v / Vt) + 1e-12;
			i = 2e-9 * expm1(v / Vt) + 1e-12 * v;
			const double r =
				L * 2 * (i - i0) / h - e + R * i + v + (q0 + i * h / 2) / C;
			v -= r / (g * (2 * L / h + R + h / (2 * C)) + 1);
		}
		i = 2e-9 * expm1(v / Vt) + 1e-12 * v;
		i0 = 2 * i - i0;
		q0 += h * i;
		most = fmax(most, fabs(i0));
		/* some thousand steps, each to the round-off of L i/h = 20 V */
		ck_assert_double_eq_tol(value_at(t, n + 1, "C.q"), q0, 1e-15);
		ck_assert_double_eq_tol(value_at(t, n + 1, "L.p"), L * i0, 1e-12);
	}
	ck_assert_double_ge(most, 1e-3); /* it does conduct */
	bxt_table_free(t);
}
END_TEST

START_TEST(test_bjtamp)
{
	/* the bias: nothing flows through capacitors, all of Rcd's current goes through Re */
	const double Vt = 1.006 * 0.026, beta = 294.3;
	double ic = 1e-3;
	for (int k = 0; k < 200; k++) {
		const double ib = ic / beta, vbe = Vt * log(ic / 2.39e-14 + 1);
		const double vb = vbe + 0.4683 * (ic + ib) + ib;
		/* 9 V - 1 kohm (ic + ib) = vb + 270 kohm ib */
		ic += 0.5 * ((9 - vb) / (1e3 * (1 + 1 / beta) + 270e3 / beta) - ic);
	}
	bxt_table *t =
		run("bjtamp.xml", &(bxt_run_def){.size = sizeof(bxt_run_def),
						 .every = 1,
						 .record = "node(c).v, node(b).v, node(out).v"});
	const double vc = 9 - 1e3 * ic * (1 + 1 / beta);
	/* gmin and the reverse junction: 1e-12 A and 1e-14 A; the row is a mean over half a step */
	ck_assert_double_eq_tol(value_at(t, 0, "node(c).v"), vc, 2e-3);
	/* gain -gm (Rcd || Rbc), with Re fed back; the input's capacitor passes 800 Hz all but */
	const double gm = ic / Vt, gain = gm / (1 + gm * 0.4683) / (1e-3 + 1 / 270e3);
	double low = INFINITY, high = -INFINITY;
	for (size_t k = 0; k < bxt_table_rows(t); k++)
		if (bxt_table_time(t, k) > 0.02 - 1. / 800) {
			low = fmin(low, value_at(t, k, "node(out).v"));
			high = fmax(high, value_at(t, k, "node(out).v"));
		}
	ck_assert_double_eq_tol((high - low) / 2, 1e-3 * gain, 0.02 * 1e-3 * gain);
	bxt_table_free(t);
}
END_TEST

TEST_SUITE("plants")
{
	const test_case tests[] = {
		{"loudspeaker", test_loudspeaker},
		{"loudspeaker in parts", test_loudspeaker_in_parts},
		{"force factor", test_force_factor},
		{"dc motor", test_dc_motor},
		{"chain", test_chain},
		{"two tanks", test_two_tanks},
		{"maglev", test_maglev},
		{"maglev as solenoid", test_maglev_as_solenoid},
		{"saturating spring", test_saturating_spring},
		{"two arms", test_two_arms},
		{"dlc", test_dlc},
		{"bjtamp", test_bjtamp},
	};
	ADD_TESTS(tests);
}
