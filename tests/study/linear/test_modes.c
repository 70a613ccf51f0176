/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Modes against closed forms: circuits, mechanisms, fluids; torn and whole. */
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct found {
	bxt_linear *l;
	const bxt_linear_mode *mode;
	size_t n;
};

static struct found modes_of(model *m)
{
	struct found f = {0};
	ck_assert_msg(bxt_linear_new(m->system, NULL, m->findings, &f.l) == BXT_OK, "linearised");
	ck_assert_msg(bxt_linear_modes(f.l, &f.mode, &f.n, m->findings) == BXT_OK, "modes");
	return f;
}

/* One of them is re + i im, and its error is what it is off by at most. */
static void has(const struct found *f, double re, double im, double tolerance)
{
	const double size = hypot(re, im);
	double best = INFINITY;
	for (size_t k = 0; k < f->n; k++) {
		const double off = hypot(f->mode[k].re - re, f->mode[k].im - im);
		if (off < best)
			best = off;
		if (off <= tolerance * size)
			ck_assert_msg(off <= 64 * f->mode[k].error, "%g is off by %g, not %g", size,
				      off, f->mode[k].error);
	}
	ck_assert_msg(best <= tolerance * size, "%.15g%+.15gi is missing, by %g", re, im, best);
}

static void count(const struct found *f, size_t n)
{
	ck_assert_msg(f->n == n, "%zu modes, not %zu", f->n, n);
}

/* The modes of a text, n pairs (re, im). */
static void check(const char *text, const double *expected, size_t n, double tolerance)
{
	model m = model_of_text(text);
	struct found f = modes_of(&m);
	count(&f, n);
	for (size_t k = 0; k < n; k++)
		has(&f, expected[2 * k], expected[2 * k + 1], tolerance);
	bxt_linear_free(f.l);
	model_free(&m);
}

START_TEST(circuits)
{
	const double series[] = {-513.16701949486, 0, -19486.83298050514, 0};
	check(NETLIST("<voltage-source id='V1' p='in' n='0' e='0 V'/>"
		      "<resistor id='R1' p='in' n='a' R='1 kohm'/>"
		      "<inductor id='L1' p='a' n='b' L='50 mH'/>"
		      "<capacitor id='C1' p='b' n='0' C='2 uF'/>"),
	      series, 2, 1e-13);
	/* two resonators, coupled by k: 1/sqrt(L C (1 +- k)) */
	const double coupled[] = {0, 1e5 / sqrt(1.1), 0, 1e5 / sqrt(0.9)};
	check(NETLIST("<coupled-inductors id='T1' p1='a' n1='0' p2='b' n2='0' L1='1 mH' L2='1 mH' "
		      "k='0.1'/><capacitor id='C1' p='a' n='0' C='100 nF'/>"
		      "<capacitor id='C2' p='b' n='0' C='100 nF'/>"),
	      coupled, 2, 1e-13);
	/* k = 1: both windings have one voltage, and the capacitors add up; what they keep of
	 * different charges is no mode of its own */
	const double tight[] = {0, 1 / sqrt(1e-3 * 300e-9)};
	check(NETLIST("<coupled-inductors id='T1' p1='a' n1='0' p2='b' n2='0' L1='1 mH' L2='1 mH' "
		      "k='1'/><capacitor id='C1' p='a' n='0' C='100 nF'/>"
		      "<capacitor id='C2' p='b' n='0' C='200 nF'/>"),
	      tight, 1, 1e-12);
	/* 1 s and 1 ns beside each other */
	const double apart[] = {-1, 0, -1e9, 0};
	check(NETLIST("<resistor id='R1' p='a' n='0' R='1 Mohm'/>"
		      "<capacitor id='C1' p='a' n='0' C='1 uF'/>"
		      "<resistor id='R2' p='b' n='0' R='1 ohm'/>"
		      "<capacitor id='C2' p='b' n='0' C='1 nF'/>"),
	      apart, 2, 1e-12);
}
END_TEST

/* A voltage source across capacitors, a current source into inductors: states that rows tie. */
START_TEST(tied_states)
{
	/* C1 and C2 in series at a source, R across C2 */
	const double loop[] = {-1 / (1e3 * 3e-6), 0};
	check(NETLIST("<voltage-source id='V' p='a' n='0' e='1 V'/>"
		      "<capacitor id='C1' p='a' n='b' C='1 uF'/>"
		      "<capacitor id='C2' p='b' n='0' C='2 uF'/>"
		      "<resistor id='R' p='b' n='0' R='1 kohm'/>"),
	      loop, 1, 1e-13);
	/* L1 and L2 at a current source, R behind L2 */
	const double cut[] = {-1e3 / 3e-3, 0};
	check(NETLIST("<current-source id='I' p='0' n='a' I='1 A'/>"
		      "<inductor id='L1' p='a' n='0' L='1 mH'/>"
		      "<inductor id='L2' p='a' n='b' L='2 mH'/>"
		      "<resistor id='R' p='b' n='0' R='1 kohm'/>"),
	      cut, 1, 1e-13);
}
END_TEST

START_TEST(pendulums)
{
	/* hangs at rest: one mode, though it has two coordinates and a row */
	const double hanging[] = {0, sqrt(9.81 / 0.5)};
	check(NETLIST("<node id='p' kind='planar' x='0 m' y='-0.5 m'/>"
		      "<point-mass id='P' a='p' m='2 kg' g='9.81 m/s2'/>"
		      "<rod id='R' a='wall' b='p' l='0.5 m'/>"),
	      hanging, 1, 1e-13);
	/* stands */
	const double standing[] = {sqrt(9.81 / 0.5), 0, -sqrt(9.81 / 0.5), 0};
	check(NETLIST("<node id='p' kind='planar' x='0 m' y='0.5 m'/>"
		      "<point-mass id='P' a='p' m='2 kg' g='9.81 m/s2'/>"
		      "<rod id='R' a='wall' b='p' l='0.5 m'/>"),
	      standing, 2, 1e-13);
	/* two equal ones below each other: g/l (2 +- sqrt 2) */
	const double both[] = {0, sqrt(9.81 * (2 - sqrt(2))), 0, sqrt(9.81 * (2 + sqrt(2)))};
	check(NETLIST("<node id='p' kind='planar' x='0 m' y='-1 m'/>"
		      "<node id='q' kind='planar' x='0 m' y='-2 m'/>"
		      "<point-mass id='P' a='p' m='3 kg' g='9.81 m/s2'/>"
		      "<point-mass id='Q' a='q' m='3 kg' g='9.81 m/s2'/>"
		      "<rod id='R' a='wall' b='p' l='1 m'/><rod id='S' a='p' b='q' l='1 m'/>"),
	      both, 2, 1e-12);
}
END_TEST

/*
 * The four-bar of four-bar.xml at rest in its equilibrium, crank and rocker upright. In the crank's
 * angle phi its potential and inertia are, by differences of the positions of both masses computed
 * from circles, V'' = -1.8 g and M = 3: s^2 = 0.6 g.
 */
START_TEST(four_bar)
{
	const double expected[] = {sqrt(0.6 * 9.81), 0, -sqrt(0.6 * 9.81), 0};
	check(NETLIST("<node id='b' kind='planar' x='0 m' y='1 m'/>"
		      "<node id='c' kind='planar' x='2 m' y='2.5 m'/>"
		      "<point-mass id='B' a='b' m='1 kg' g='9.81 m/s2'/>"
		      "<point-mass id='C' a='c' m='2 kg' g='9.81 m/s2'/>"
		      "<rod id='crank' a='wall' b='b' l='1 m'/>"
		      "<rod id='coupler' a='b' b='c' l='2.5 m'/>"
		      "<ground-rod id='rocker' a='c' X='2 m' l='2.5 m'/>"),
	      expected, 2, 1e-12);
}
END_TEST

/* Two stores of fluid with the pressure k V, and the pipe between them; a mode of constant volume.
 */
START_TEST(fluids)
{
	const double k = 2e8, inertance = 1000.0 * 2 / 1e-4, r = 3e7;
	const double damping = r / (2 * inertance);
	const double expected[] = {-damping, sqrt(2 * k / inertance - damping * damping)};
	model m = model_of_text(
		NETLIST("<hydraulic-storage id='A' p='a' n='tank' energy='1e8*V^2' V='1e-4 m3'/>"
			"<hydraulic-storage id='B' p='b' n='tank' energy='1e8*V^2' V='1e-4 m3'/>"
			"<pipe id='P' p='a' n='c' l='2 m' A='1e-4 m2'/>"
			"<hydraulic-resistance id='R' p='c' n='b' R='3e7 Pa.s/m3'/>"));
	struct found f = modes_of(&m);
	count(&f, 2);
	ck_assert(f.mode[0].re == 0 && f.mode[0].im == 0 && isnan(f.mode[0].damping));
	has(&f, expected[0], expected[1], 1e-12);
	ck_assert_double_eq_tol(f.mode[1].damping, damping / hypot(expected[0], expected[1]),
				1e-12);
	ck_assert_double_eq_tol(f.mode[1].frequency, expected[1] / 6.283185307179586, 1e-9);
	ck_assert_str_eq(f.mode[1].part, "P");
	bxt_linear_free(f.l);
	model_free(&m);
}
END_TEST

/* Springs and masses all equal: 2 sin((2k - 1) pi / 14). */
START_TEST(chain)
{
	const char *const files[] = {"spring-chain.xml", "spring-chain-torn.xml"};
	for (int i = 0; i < 2; i++) {
		model m = model_of_file(files[i]);
		struct found f = modes_of(&m);
		count(&f, 3);
		for (int k = 1; k <= 3; k++)
			has(&f, 0, 2 * sin((2 * k - 1) * 3.14159265358979324 / 14), 1e-13);
		ck_assert(!has_finding(&m, BXT_WARNING, "no equilibrium"));
		bxt_linear_free(f.l);
		model_free(&m);
	}
}
END_TEST

/* Torn models have the modes of whole ones, without any of their joints. */
START_TEST(torn)
{
	static const char *const pairs[][2] = {{"rlc-parallel.xml", "rlc-torn.xml"},
					       {"spring-chain.xml", "spring-chain-torn.xml"},
					       {"loudspeaker.xml", "loudspeaker-parts.xml"}};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		model m[2] = {model_of_file(pairs[i][0]), model_of_file(pairs[i][1])};
		struct found a = modes_of(&m[0]), b = modes_of(&m[1]);
		count(&b, a.n);
		for (size_t k = 0; k < a.n; k++)
			if (a.mode[k].re != 0 || a.mode[k].im != 0)
				has(&b, a.mode[k].re, a.mode[k].im, 1e-10);
		for (int k = 0; k < 2; k++) {
			bxt_linear_free(k ? b.l : a.l);
			model_free(&m[k]);
		}
	}
}
END_TEST

/* What moves is told, and what does not is not. */
START_TEST(equilibrium)
{
	model moving = model_of_file("four-bar.xml"), resting = model_of_file("colpitts.xml");
	struct found f = modes_of(&moving);
	ck_assert(has_finding(&moving, BXT_WARNING, "no equilibrium"));
	bxt_linear_free(f.l);
	bxt_linear_def def;
	bxt_default_linear_def(&def);
	def.run.start = "operating-point";
	ck_assert_int_eq(bxt_linear_new(resting.system, &def, resting.findings, &f.l), BXT_OK);
	ck_assert(!has_finding(&resting, BXT_WARNING, "no equilibrium"));
	/* and it oscillates: the start is not stable */
	ck_assert_int_eq(bxt_linear_modes(f.l, &f.mode, &f.n, resting.findings), BXT_OK);
	ck_assert(f.mode[f.n - 1].re > 0 && f.mode[f.n - 1].damping < 0);
	bxt_linear_free(f.l);
	model_free(&moving);
	model_free(&resting);
}
END_TEST

/* The matrices have these eigenvalues: C (s E - A)^-1 B has its peaks there. */
START_TEST(as_files)
{
	char *folder = scratch_folder();
	char path[4096], line[256] = "";
	model m = model_of_file("rlc-series.xml");
	bxt_linear_def def;
	bxt_linear *l = NULL;
	bxt_default_linear_def(&def);
	def.from = "V1.e";
	def.to = "node(b).v";
	ck_assert_int_eq(bxt_linear_new(m.system, &def, m.findings, &l), BXT_OK);
	ck_assert_int_eq(bxt_linear_write(l, folder, m.findings), BXT_OK);
	snprintf(path, sizeof path, "%s/E.mtx", folder);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
	ck_assert_str_eq(line, "%%MatrixMarket matrix coordinate real general\n");
	ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
	/* the charge of C1, four currents, three potentials; C1.q' and L1.i' */
	ck_assert_str_eq(line, "8 8 2\n");
	fclose(f);
	snprintf(path, sizeof path, "%s/names.csv", folder);
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	bool input = false, output = false, state = false;
	while (fgets(line, sizeof line, f)) {
		input = input || strcmp(line, "input,1,\"V1.e\",\"V\"\n") == 0;
		output = output || strcmp(line, "output,1,\"node(b).v\",\"V\"\n") == 0;
		state = state || strcmp(line, "state,1,\"C1.q\",\"C\"\n") == 0;
	}
	fclose(f);
	ck_assert(input && output && state);
	snprintf(path, sizeof path, "%s/names.csv/none", folder);
	ck_assert_int_eq(bxt_linear_write(l, path, m.findings), BXT_ERR_IO);
	bxt_linear_free(l);
	model_free(&m);
	scratch_remove(folder);
}
END_TEST

/*
 * A negative conductance of 4 mS charges 1 nF at 4e6/s, much faster than steps of 1 us follow:
 * gauss1 would make (1 + 2)/(1 - 2) of it in each. No step is made for modes, so that none is
 * judged; a run is refused.
 */
static const char charges_itself[] =
	NETLIST("<simulation step='1 us' end='1 ms'/><capacitor id='C' p='a' n='0' C='1 nF'/>"
		"<vccs id='G' p='a' n='0' cp='a' cn='0' gm='-4 mS'/>"
		"<inductor id='L' p='b' n='0' L='1 mH'/><resistor id='R' p='b' n='0' R='1 ohm'/>");

START_TEST(faster_than_steps)
{
	const double roots[] = {4e6, 0, -1e3, 0};
	check(charges_itself, roots, 2, 1e-12);
	model m = model_of_text(charges_itself);
	bxt_state *state;
	ck_assert_int_eq(bxt_initialize(m.system, NULL, m.findings, &state), BXT_ERR_MODEL);
	ck_assert(has_finding(&m, BXT_ERROR, "use a shorter step"));
	model_free(&m);
}
END_TEST

TEST_SUITE("modes of linearised models")
{
	const test_case tests[] = {
		{"circuits", circuits},   {"tied states", tied_states},
		{"pendulums", pendulums}, {"four-bar", four_bar},
		{"fluids", fluids},       {"chain", chain},
		{"torn", torn},           {"equilibrium", equilibrium},
		{"as files", as_files},   {"faster than steps", faster_than_steps},
	};
	ADD_TESTS(tests);
}
