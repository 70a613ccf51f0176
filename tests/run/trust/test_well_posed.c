/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is a step determined? The verdict belongs to the model: the order of its elements, units, the
 * size of the step, how it moves at the start and what else is in the netlist must not change it.
 */
#include "ground/solver/subspace.h"
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CASES = 60 };

static double drawn(uint64_t *seed, const double *of, int n)
{
	return of[bxt_random_next(seed) % (uint64_t)n];
}

/* A body whose moment of inertia about one axis is so small a part of those about the others, among
 * others that are complete, in any order. */
static char *rod(uint64_t *seed, double part)
{
	static const double moments[] = {0.1, 0.3, 1e-3, 7, 0.4719}, masses[] = {1, 2.5, 1000};
	static const double spins[] = {0, 1, 3, 0.362, -0.0471},
			    steps[] = {0.01, 0.003, 0.001, 0.1};
	static const double others[] = {0, 0, 1, 5};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	const int axis = (int)(bxt_random_next(seed) % 3), n = (int)drawn(seed, others, 4);
	const int before = n > 0 ? (int)(bxt_random_next(seed) % (uint64_t)n) : 0;
	double moment[3] = {0}, spin[3];
	moment[0] = moment[1] = moment[2] = drawn(seed, moments, 5);
	moment[axis] *= part;
	for (int k = 0; k < 3; k++)
		spin[k] = drawn(seed, spins, 5);
	fprintf(f,
		"<netlist xmlns='urn:boxtimes:netlist:1' name='rod'><simulation step='%g s' "
		"end='1 s'/>",
		drawn(seed, steps, 4));
	for (int k = 0; k <= n; k++) {
		const bool first = bxt_random_next(seed) % 2;
		for (int part_of = 0; part_of < 2; part_of++)
			if ((part_of == 0) != first)
				fprintf(f,
					"<node id='n%d' kind='spatial' wx='%g' wy='%g' wz='%g'/>",
					k, k == before ? spin[0] : 1, k == before ? spin[1] : 0,
					k == before ? spin[2] : 0);
			else if (k == before)
				fprintf(f,
					"<body id='rod' a='n%d' m='%g kg' Ixx='%.17g kg.m2' "
					"Iyy='%.17g kg.m2' Izz='%.17g kg.m2'/>",
					k, drawn(seed, masses, 3), moment[0], moment[1], moment[2]);
			else
				fprintf(f,
					"<body id='B%d' a='n%d' m='1 kg' Ixx='0.1 kg.m2' "
					"Iyy='0.2 kg.m2' Izz='0.15 kg.m2'/>",
					k, k);
	}
	fputs("</netlist>", f);
	fclose(f);
	return text;
}

/* Errors of the check; *named: one of them says what `words` are. */
static size_t errors_of(const char *text, const char *words, bool *named)
{
	bxt_state *state = NULL;
	bxt_run_def def;
	bxt_default_run_def(&def);
	model m = model_of_text(text);
	const bxt_status status = bxt_initialize(m.system, &def, m.findings, &state);
	const size_t errors = bxt_diagnostics_count(m.findings, BXT_ERROR);
	ck_assert_int_eq(status == BXT_OK, errors == 0);
	*named = words && has_finding(&m, BXT_ERROR, words);
	bxt_state_free(state);
	model_free(&m);
	return errors;
}

/* Nothing turns a rod about its own axis: that motion has no inertia, and no row holds it. */
START_TEST(thin_rods)
{
	uint64_t seed = 20;
	for (int k = 0; k < CASES; k++) {
		char *text = rod(&seed, 0);
		bool named;
		ck_assert_msg(errors_of(text, "can move together", &named) == 1 && named, "%s",
			      text);
		free(text);
	}
}
END_TEST

/* A small inertia is one. */
START_TEST(slender_rods)
{
	static const double parts[] = {1e-3, 1e-6, 1e-9, 1e-11};
	uint64_t seed = 21;
	for (int k = 0; k < CASES; k++) {
		char *text = rod(&seed, parts[k % 4]);
		bool named;
		ck_assert_msg(errors_of(text, NULL, &named) == 0, "%s", text);
		free(text);
	}
}
END_TEST

/*
 * Heat capacities of one node have one temperature. At multipliers of zero no row tells how they
 * share heat; what they are in equilibrium does, at any ratio of theirs.
 */
START_TEST(joined_capacities)
{
	static const double capacities[] = {1e-3, 0.3, 1, 100, 300, 1e5},
			    contacts[] = {1e-12, 1, 100};
	uint64_t seed = 22;
	for (int k = 0; k < CASES; k++) {
		char *text = NULL;
		size_t size;
		bool named;
		const int n = 2 + k % 4, at = (int)(bxt_random_next(&seed) % 2) * n;
		FILE *f = open_memstream(&text, &size);
		fputs("<netlist xmlns='urn:boxtimes:netlist:1' name='heat'><simulation step='0.5 "
		      "s' "
		      "end='10 s'/>",
		      f);
		for (int i = 0; i <= n; i++)
			if (i == at)
				fprintf(f,
					"<conduction id='G' a='w' b='v' G='%g W/K'/><heat-capacity "
					"id='C' a='v' C='1000 J/K' U='%g J'/>",
					drawn(&seed, contacts, 3), k % 2 ? 1000.0 : 0);
			else
				fprintf(f, "<heat-capacity id='C%d' a='w' C='%g J/K' U='0 J'/>", i,
					drawn(&seed, capacities, 6));
		fputs("</netlist>", f);
		fclose(f);
		ck_assert_msg(errors_of(text, NULL, &named) == 0, "%s", text);
		free(text);
	}
}
END_TEST

/* ---- Findings ---- */

enum { PIECES = 8, MOST_PADS = 50 };

static void write_pad(FILE *f, int k)
{
	static const double ohms[] = {1, 1e-3, 1e6}, farads[] = {1, 1e-6, 1e-12};
	fprintf(f,
		"<resistor id='R%d' p='m%d' n='m%d' R='%g ohm'/><capacitor id='C%d' p='m%d' n='0' "
		"C='%g F'/>",
		k, k, k + 1, ohms[k % 3], k, k + 1, farads[k / 3 % 3]);
}

/*
 * Three sources in parallel leave two loops in which voltages differ, a rod between points without
 * mass three motions, in any order and in whatever netlist: one finding for each.
 */
START_TEST(findings)
{
	static const char *const piece[PIECES] = {
		"<voltage-source id='V1' p='a' n='0' e='1 V'/>",
		"<voltage-source id='V2' p='a' n='0' e='2 V'/>",
		"<voltage-source id='V3' p='a' n='0' e='4 V'/>",
		"<resistor id='R' p='a' n='0' R='1 ohm'/>",
		"<node id='u' kind='planar' x='1 m' y='1 m'/>",
		"<node id='w' kind='planar' x='2 m' y='1 m'/>",
		"<rod id='rod' a='u' b='w' l='1 m'/>",
		"<resistor id='P' p='m0' n='0' R='1 ohm'/>",
	};
	uint64_t seed = 23;
	for (int k = 0; k < CASES; k++) {
		char *text = NULL;
		size_t size;
		bool named;
		const int n = PIECES + (k % 3 == 0 ? 0 : k % 3 == 1 ? 3 : MOST_PADS);
		int order[PIECES + MOST_PADS];
		FILE *f = open_memstream(&text, &size);
		fputs("<netlist xmlns='urn:boxtimes:netlist:1' name='any order'><simulation "
		      "step='0.1 s' end='1 s'/>",
		      f);
		for (int i = 0; i < n; i++) {
			const int at = (int)(bxt_random_next(&seed) % (uint64_t)(i + 1));
			order[i] = order[at];
			order[at] = i;
		}
		for (int i = 0; i < n; i++)
			if (order[i] < PIECES)
				fputs(piece[order[i]], f);
			else
				write_pad(f, order[i] - PIECES);
		fputs("</netlist>", f);
		fclose(f);
		ck_assert_msg(errors_of(text, "can move together", &named) == 5 && named, "%s",
			      text);
		free(text);
	}
}
END_TEST

TEST_SUITE("well posed")
{
	const test_case tests[] = {{"thin rods", thin_rods},
				   {"slender rods", slender_rods},
				   {"joined capacities", joined_capacities},
				   {"findings", findings}};
	ADD_TESTS(tests);
}
