/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Torn systems solved in two ways: as they are, and subsystem by subsystem with a Schur complement
 * between them. Both are the same equations.
 */
#include "support/harness.h"

#include "sparse/schur.h"
#include "support/allocation.h"
#include "support/dense.h"
#include "support/random_network.h"
#include "system/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Of the largest quantity of its kind, after a thousand steps: the condition of a step's matrix, up
 * to 1e5 here, times 1e-16 a step where errors add up. Measured: 3e-13.
 */
static const double SAME = 1e-11;
/* dirac+ carries the momenta of massless coordinates and amplifies their round-off, whatever the
 * way (test_torn.c). Measured: 9e-11 as they are, 1e-10 part by part. */
static const double SAME_RAW = 1e-9;
/* Values are of order 1; what stays at rest has only round-off. */
static const double REST = 1e-3;
enum { STEPS = 1000, NETWORKS = 12 };

typedef struct way {
	const char *torn;
	int threads;
} way;
static const way ways[] = {{"explicit", 1}, {"schur", 1}, {"schur", 3}};
enum { WAYS = sizeof ways / sizeof *ways };

static const char *const schemes[] = {"gauss1", "gauss2", "radau2", "dirac+"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

/* ---- Comparing ---- */

/* A charge, a flow or a potential: the letters after the last dot of a name. */
static const char *kind_of(const bxt_table *t, size_t column)
{
	const char *dot = strrchr(bxt_table_name(t, column), '.');
	return dot ? dot : "";
}

static double scale_of(const bxt_table *t, const char *kind)
{
	double most = REST;
	for (size_t j = 0; j < bxt_table_columns(t); j++)
		for (size_t i = 0; i < bxt_table_rows(t) && strcmp(kind_of(t, j), kind) == 0; i++)
			most = fmax(most, fabs(bxt_table_value(t, i, j)));
	return most;
}

/* Column by column, of the largest value of the kind; potentials only where they are determined. */
static double apart(const bxt_table *a, const bxt_table *b, bool potentials)
{
	double most = 0;
	ck_assert_uint_eq(bxt_table_rows(a), bxt_table_rows(b));
	ck_assert_uint_eq(bxt_table_columns(a), bxt_table_columns(b));
	for (size_t j = 0; j < bxt_table_columns(a); j++) {
		const char *kind = kind_of(a, j);
		const double scale = scale_of(a, kind);
		if (strcmp(kind, ".v") == 0 && !potentials)
			continue;
		for (size_t i = 0; i < bxt_table_rows(a); i++) {
			const double d = bxt_table_value(a, i, j) - bxt_table_value(b, i, j);
			ck_assert(isfinite(d));
			most = fmax(most, fabs(d) / scale);
		}
	}
	return most;
}

static bool same_bits(const bxt_table *a, const bxt_table *b)
{
	for (size_t i = 0; i < bxt_table_rows(a); i++)
		for (size_t j = 0; j < bxt_table_columns(a); j++) {
			const double x = bxt_table_value(a, i, j), y = bxt_table_value(b, i, j);
			if (memcmp(&x, &y, sizeof x) != 0)
				return false;
		}
	return bxt_table_rows(a) == bxt_table_rows(b);
}

static void check_ledgers(const bxt_summary *a, const bxt_summary *b, double tolerance)
{
	double exchanged = fabs(a->total.start) + fabs(a->total.end) + fabs(a->total.supplied) +
			   a->total.dissipated + REST * REST;
	ck_assert_uint_eq(a->n_ledger, b->n_ledger);
	for (size_t i = 0; i < a->n_ledger; i++)
		exchanged = fmax(exchanged, fabs(a->ledger[i].through));
	for (size_t i = 0; i < a->n_ledger; i++) {
		const bxt_ledger_entry *x = &a->ledger[i], *y = &b->ledger[i];
		ck_assert_str_eq(x->path, y->path);
		ck_assert_double_le(fabs(x->end - y->end), tolerance * exchanged);
		if (isfinite(x->through))
			ck_assert_double_le(fabs(x->through - y->through), tolerance * exchanged);
	}
}

/* ---- Random networks ---- */

static bxt_table *run_one(model *m, const char *scheme, way w, const char *record,
			  bxt_summary *summary)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = 0.05,
				 .end = 0.05 * STEPS,
				 .every = 10,
				 .scheme = scheme,
				 .torn = w.torn,
				 .threads = w.threads,
				 .record = record};
	return model_run(m, &def, summary);
}

static void check_random(uint64_t seed, bool linear, const char *scheme, double *worst)
{
	random_network net;
	bxt_buffer xml[2] = {{0}}, record[2] = {{0}};
	bxt_summary of_whole, of_torn[WAYS];
	bxt_table *torn[WAYS];
	random_network_make(&net, seed, linear);
	for (int i = 0; i < 2; i++)
		random_network_write(&net, NULL, i == 1, &xml[i], &record[i]);
	model m = model_of_text(xml[0].text), t = model_of_text(xml[1].text);
	bxt_table *whole = run_one(&m, scheme, ways[0], record[0].text, &of_whole);
	const double tolerance = strcmp(scheme, "dirac+") == 0 ? SAME_RAW : SAME;
	for (int w = 0; w < WAYS; w++) {
		torn[w] = run_one(&t, scheme, ways[w], record[1].text, &of_torn[w]);
		const bool potentials = of_whole.references == 0 && of_torn[w].references == 0;
		const double d = apart(whole, torn[w], potentials);
		ck_assert_msg(d <= tolerance, "seed %llu, %s, %s: differs by %g",
			      (unsigned long long)seed, scheme, ways[w].torn, d);
		worst[w] = fmax(worst[w], d);
		check_ledgers(&of_torn[0], &of_torn[w], 10 * tolerance);
	}
	ck_assert_int_gt(of_torn[1].parts, 1);
	ck_assert_int_eq(of_torn[1].solved_whole, 0);
	ck_assert(same_bits(torn[1], torn[2]));
	for (int w = 0; w < WAYS; w++) {
		bxt_table_free(torn[w]);
		bxt_summary_free(&of_torn[w]);
	}
	bxt_table_free(whole);
	bxt_summary_free(&of_whole);
	for (int i = 0; i < 2; i++) {
		bxt_buffer_free(&xml[i]);
		bxt_buffer_free(&record[i]);
	}
	model_free(&m);
	model_free(&t);
}

static void check_networks(int scheme)
{
	double worst[WAYS] = {0};
	for (int i = 0; i < campaign(NETWORKS); i++)
		check_random(1000u + (uint64_t)i, i % 2 == 0, schemes[scheme], worst);
	for (int w = 0; w < WAYS && getenv("BXT_TESTS_TELL"); w++)
		fprintf(stderr, "%s, %s: torn - whole %.1e\n", schemes[scheme], ways[w].torn,
			worst[w]);
}

START_TEST(random_networks_gauss1)
{
	check_networks(0);
}
END_TEST

START_TEST(random_networks_gauss2)
{
	check_networks(1);
}
END_TEST

START_TEST(random_networks_radau2)
{
	check_networks(2);
}
END_TEST

START_TEST(random_networks_dirac)
{
	check_networks(3);
}
END_TEST

/* ---- Shipped and special models ---- */

/* All coordinates and flows in all ways. */
static void check_ways(model *m, const char *scheme, double step, int steps, double tolerance,
		       bxt_summary *of_schur)
{
	bxt_table *table[WAYS];
	bxt_summary summary[WAYS];
	char *record = all_coordinates(m);
	for (int w = 0; w < WAYS; w++) {
		const bxt_run_def def = {.size = sizeof(bxt_run_def),
					 .step = step,
					 .end = step * steps,
					 .scheme = scheme,
					 .torn = ways[w].torn,
					 .threads = ways[w].threads,
					 .record = record};
		table[w] = model_run(m, &def, &summary[w]);
		const double d = apart(table[0], table[w], true);
		ck_assert_msg(d <= tolerance, "%s, %s, %s: differs by %g", m->system->net->name,
			      scheme ? scheme : "its own scheme", ways[w].torn, d);
		ck_assert_str_eq(summary[w].torn, ways[w].torn);
		check_ledgers(&summary[0], &summary[w], 10 * tolerance);
	}
	ck_assert(same_bits(table[1], table[2]));
	ck_assert_int_eq(summary[0].parts, 0);
	if (of_schur)
		*of_schur = summary[1];
	for (int w = 0; w < WAYS; w++) {
		bxt_table_free(table[w]);
		bxt_summary_free(&summary[w]);
	}
	free(record);
}

START_TEST(shipped_netlists)
{
	static const char *const names[] = {"rlc-torn.xml", "spring-chain-torn.xml"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (int s = 0; s < SCHEMES; s++) {
			bxt_summary schur;
			model m = model_of_file(names[i]);
			check_ways(&m, schemes[s], 0.05, STEPS, SAME, &schur);
			ck_assert_int_eq(schur.parts, 2);
			ck_assert_int_eq(schur.solved_whole, 0);
			model_free(&m);
		}
}
END_TEST

/* Whatever else is joined, in its own scheme. */
START_TEST(all_joined_netlists)
{
	netlist_names all = all_netlists();
	int checked = 0;
	for (size_t i = 0; i < all.n; i++) {
		model m = model_of_file(all.name[i]);
		if (m.system->net->n_connections > 0) {
			const bxt_run_def def =
				first_steps(&m, (bxt_run_def){.size = sizeof(bxt_run_def)}, 300);
			check_ways(&m, NULL, def.step, 300, SAME, NULL);
			checked++;
		}
		model_free(&m);
	}
	ck_assert_int_ge(checked, 2);
	all_netlists_free(&all);
}
END_TEST

/*
 * Parts that are singular by themselves: a resistor and an inductor between ports (no reference), a
 * current source that ends at a port, a voltage source that meets a capacitor only through ports.
 */
#define SINGULAR                                                                                   \
	NETLIST("<subsystem id=\"line\">"                                                          \
		"<resistor id=\"R1\" p=\"a\" n=\"m\" R=\"2 ohm\"/>"                                \
		"<inductor id=\"L1\" p=\"m\" n=\"b\" L=\"0.5 H\" i=\"0.1 A\"/>"                    \
		"<port id=\"a\" node=\"a\"/><port id=\"b\" node=\"b\"/></subsystem>"               \
		"<subsystem id=\"feed\">"                                                          \
		"<current-source id=\"I1\" p=\"0\" n=\"a\" I=\"=sin(t)\"/>"                        \
		"<port id=\"s\" node=\"a\"/></subsystem>"                                          \
		"<subsystem id=\"supply\">"                                                        \
		"<voltage-source id=\"V1\" p=\"a\" n=\"0\" e=\"=1+cos(3*t)\"/>"                    \
		"<port id=\"s\" node=\"a\"/></subsystem>"                                          \
		"<subsystem id=\"store\">"                                                         \
		"<capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"1 F\" q=\"2 C\"/>"                       \
		"<capacitor id=\"C2\" p=\"b\" n=\"0\" C=\"2 F\"/>"                                 \
		"<resistor id=\"R2\" p=\"b\" n=\"0\" R=\"5 ohm\"/>"                                \
		"<port id=\"a\" node=\"a\"/><port id=\"b\" node=\"b\"/></subsystem>"               \
		"<interconnection><connect id=\"c1\" ports=\"supply.s store.a line.a\"/>"          \
		"<connect id=\"c2\" ports=\"line.b store.b feed.s\"/></interconnection>")

START_TEST(singular_parts)
{
	for (int s = 0; s < SCHEMES; s++) {
		bxt_summary schur;
		model m = model_of_text(SINGULAR);
		check_ways(&m, schemes[s], 0.05, STEPS,
			   strcmp(schemes[s], "dirac+") == 0 ? SAME_RAW : SAME, &schur);
		ck_assert_int_eq(schur.parts, 4);
		/* the potential of the line's nodes, and the current of the source's node */
		ck_assert_int_ge(schur.moved_to_interface, 2);
		ck_assert_int_eq(schur.solved_whole, 0);
		model_free(&m);
	}
}
END_TEST

/* Bars in parallel between two subsystems: one row depends on others and is left out by the step.
 */
#define REDUNDANT                                                                                  \
	NETLIST("<subsystem id=\"left\">"                                                          \
		"<point-mass id=\"M1\" a=\"a\" m=\"1 kg\"/>"                                       \
		"<node id=\"a\" kind=\"planar\" x=\"0 m\" y=\"0 m\" vx=\"1 m/s\"/>"                \
		"<port id=\"s\" node=\"a\"/></subsystem>"                                          \
		"<subsystem id=\"right\">"                                                         \
		"<point-mass id=\"M2\" a=\"b\" m=\"2 kg\"/>"                                       \
		"<node id=\"b\" kind=\"planar\" x=\"1 m\" y=\"0 m\" vx=\"1 m/s\" vy=\"1 m/s\"/>"   \
		"<node id=\"c\" kind=\"planar\" x=\"0 m\" y=\"0 m\" vx=\"1 m/s\"/>"                \
		"<rod id=\"B1\" a=\"b\" b=\"c\" l=\"1 m\"/><rod id=\"B2\" a=\"b\" b=\"c\" "        \
		"l=\"1 m\"/><port id=\"s\" node=\"c\"/></subsystem>"                               \
		"<interconnection><connect id=\"c1\" a=\"left.s\" "                                \
		"b=\"right.s\"/></interconnection>")

START_TEST(redundant_rows)
{
	for (int s = 0; s < 3; s++) {
		model m = model_of_text(REDUNDANT);
		check_ways(&m, schemes[s], 0.02, 200, SAME, NULL);
		model_free(&m);
	}
}
END_TEST

/* The search for it takes steps of any size, up to 1e10 s here; the start is the same in all ways.
 */
START_TEST(from_an_operating_point)
{
	for (int w = 0; w < WAYS; w++) {
		model m = model_of_file("spring-chain-torn.xml");
		const bxt_run_def def = {.size = sizeof(bxt_run_def),
					 .step = 0.05,
					 .end = 5,
					 .scheme = "gauss2",
					 .start = "operating-point",
					 .torn = ways[w].torn,
					 .record = "node(left.m2).x"};
		bxt_table *t = model_run(&m, &def, NULL);
		/* of 0.5 m at the start: nothing holds the chain anywhere else */
		ck_assert_double_le(largest(t, "node(left.m2).x"), 1e-15);
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

START_TEST(nothing_to_take_apart)
{
	bxt_summary summary;
	model m = model_of_file("rlc-parallel.xml");
	const bxt_run_def plain = {.size = sizeof(bxt_run_def),
				   .step = 0.05,
				   .end = 1,
				   .record = "C1.q"},
			  def = {.size = sizeof(bxt_run_def),
				 .step = 0.05,
				 .end = 1,
				 .record = "C1.q",
				 .torn = "schur"};
	bxt_table *a = model_run(&m, &plain, NULL), *b = model_run(&m, &def, &summary);
	ck_assert(same_bits(a, b));
	ck_assert(has_finding(&m, BXT_NOTE, "no subsystems are joined"));
	ck_assert_str_eq(summary.torn, "explicit");
	bxt_summary_free(&summary);
	bxt_table_free(a);
	bxt_table_free(b);
	model_free(&m);
}
END_TEST

static void check_refused(const bxt_run_def *def, const char *words)
{
	bxt_state *state;
	model m = model_of_file("rlc-torn.xml");
	ck_assert_int_eq(bxt_initialize(m.system, def, m.findings, &state), BXT_ERR_MODEL);
	ck_assert(has_finding(&m, BXT_ERROR, words));
	model_free(&m);
}

START_TEST(refused_settings)
{
	check_refused(&(bxt_run_def){.size = sizeof(bxt_run_def), .torn = "schurr"},
		      "did you mean 'schur'");
	check_refused(&(bxt_run_def){.size = sizeof(bxt_run_def), .torn = "whole"},
		      "is not one of explicit, schur");
	check_refused(&(bxt_run_def){.size = sizeof(bxt_run_def), .torn = "eliminate"},
		      "was removed: use 'explicit'");
	check_refused(&(bxt_run_def){.size = sizeof(bxt_run_def), .solver = "dense"},
		      "is not one of auto, klu, klu-metis, ");
	check_refused(&(bxt_run_def){.size = sizeof(bxt_run_def), .threads = -1},
		      "is not between 1 and 1024");
	check_refused(&(bxt_run_def){.size = sizeof(bxt_run_def), .threads = 5000},
		      "is not between 1 and 1024");
}
END_TEST

START_TEST(in_the_netlist)
{
	bxt_summary summary;
	model m = model_of_text(
		NETLIST("<simulation step=\"0.1 s\" end=\"1 s\" torn=\"schur\"/>"
			"<subsystem id=\"a\"><inductor id=\"L1\" p=\"a\" n=\"0\" L=\"1 H\" "
			"i=\"1 A\"/><port id=\"s\" node=\"a\"/></subsystem><subsystem id=\"b\">"
			"<capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"1 F\"/><port id=\"s\" "
			"node=\"a\"/></subsystem><interconnection><connect id=\"c1\" a=\"a.s\" "
			"b=\"b.s\"/></interconnection><record>energy</record>"));
	bxt_run_def def;
	bxt_default_run_def(&def);
	bxt_table *t = model_run(&m, &def, &summary);
	ck_assert_str_eq(summary.torn, "schur");
	ck_assert_int_eq(summary.parts, 2);
	bxt_summary_free(&summary);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* ---- The solvers by themselves ---- */

static double both_signs(uint64_t *seed)
{
	return 2 * ((double)(random_next(seed) >> 11) / 9007199254740992.0) - 1;
}

/* Blocks of `size` that couple through n_border unknowns at the end only. */
typedef struct blocks {
	bxt_arena *arena;
	bxt_sparse a;
	int *part;
	int n, n_parts;
} blocks;

/* In each part the diagonal, `extra` other entries and some to the border. */
static blocks blocks_make(uint64_t *seed, int n_parts, int size, int n_border)
{
	blocks b = {.arena = bxt_arena_new(), .n = n_parts * size + n_border, .n_parts = n_parts};
	bxt_triplets t = {0};
	b.part = BXT_NEW(b.arena, int, (size_t)b.n);
	for (int i = 0; i < b.n; i++) {
		b.part[i] = i < n_parts * size ? i / size : -1;
		ck_assert_int_eq(bxt_triplets_add(&t, i, i), BXT_OK);
	}
	for (int i = 0; i < n_parts * size; i++) {
		const int other = i / size * size + random_below(seed, size);
		const int border = n_parts * size + random_below(seed, n_border);
		ck_assert_int_eq(bxt_triplets_add(&t, i, other), BXT_OK);
		if (i % size == 0 || random_below(seed, 4) == 0) {
			ck_assert_int_eq(bxt_triplets_add(&t, i, border), BXT_OK);
			ck_assert_int_eq(bxt_triplets_add(&t, border, i), BXT_OK);
		}
	}
	ck_assert_int_eq(bxt_sparse_pattern(b.arena, &t, b.n, b.n, &b.a, NULL), BXT_OK);
	for (int j = 0; j < b.n; j++)
		for (int k = b.a.colptr[j]; k < b.a.colptr[j + 1]; k++)
			b.a.values[k] = b.a.rowind[k] == j ? 3 : both_signs(seed);
	bxt_triplets_free(&t);
	return b;
}

static bxt_linsol *solver_for(const blocks *b, int threads)
{
	bxt_linsol *s;
	ck_assert_int_eq(bxt_linsol_schur_create(&bxt_linsol_klu, &b->a, NULL, b->part, b->n_parts,
						 threads, &s),
			 BXT_OK);
	return s;
}

/* Entries of 1 and diagonals of 3, a handful in a row: condition up to some 1e3, so that
 * 1e-11 leaves room for four digits more. */
static void check_solution(const blocks *b, bxt_linsol *s, uint64_t *seed)
{
	double x[400], y[400], most = 0;
	bxt_linsol *dense;
	ck_assert_int_le(b->n, 400);
	ck_assert_int_eq(bxt_linsol_create(&dense_solver, &b->a, &dense), BXT_OK);
	ck_assert_int_eq(bxt_linsol_factor(dense, b->a.values, NULL), BXT_OK);
	ck_assert_int_eq(bxt_linsol_factor(s, b->a.values, NULL), BXT_OK);
	for (int i = 0; i < b->n; i++)
		x[i] = y[i] = both_signs(seed);
	ck_assert_int_eq(bxt_linsol_solve(dense, x), BXT_OK);
	ck_assert_int_eq(bxt_linsol_solve(s, y), BXT_OK);
	for (int i = 0; i < b->n; i++)
		most = fmax(most, fabs(x[i]));
	for (int i = 0; i < b->n; i++)
		ck_assert_double_le(fabs(x[i] - y[i]), 1e-11 * most);
	bxt_linsol_free(dense);
}

START_TEST(equal_to_dense)
{
	uint64_t seed = 77;
	for (int round = 0; round < 60; round++) {
		const int n_parts = 1 + random_below(&seed, 5), size = 1 + random_below(&seed, 40);
		blocks b = blocks_make(&seed, n_parts, size, 1 + random_below(&seed, 12));
		bxt_linsol *s = solver_for(&b, 2);
		for (int again = 0; again < 3; again++) {
			check_solution(&b, s, &seed);
			for (int k = 0; k < bxt_sparse_nnz(&b.a); k++)
				b.a.values[k] *= 1 + 0.1 * both_signs(&seed);
		}
		bxt_linsol_free(s);
		bxt_arena_free(b.arena);
	}
}
END_TEST

/* Part 0 loses the unknown that couples to the border: all its entries inside become zero. */
static void make_singular(blocks *b, int i, int size)
{
	for (int j = 0; j < size; j++)
		for (int k = b->a.colptr[j]; k < b->a.colptr[j + 1]; k++)
			if (b->a.rowind[k] < size && (j == i || b->a.rowind[k] == i))
				b->a.values[k] = 0;
}

START_TEST(parts_that_become_singular)
{
	uint64_t seed = 6;
	const int size = 20;
	blocks b = blocks_make(&seed, 3, size, 6);
	bxt_linsol *s = solver_for(&b, 1);
	check_solution(&b, s, &seed);
	ck_assert_int_eq(bxt_linsol_get_shape(s).moved, 0);
	make_singular(&b, 0, size);
	check_solution(&b, s, &seed);
	const bxt_linsol_shape shape = bxt_linsol_get_shape(s);
	ck_assert_int_eq(shape.moved, 1);
	ck_assert_int_eq(shape.interface, 7);
	ck_assert_int_eq(shape.whole, 0);
	/* the whole is singular: said with a column, as by the solver of the whole */
	for (int k = 0; k < bxt_sparse_nnz(&b.a); k++)
		b.a.values[k] = b.a.rowind[k] == 3 ? 0 : b.a.values[k];
	int culprit;
	ck_assert_int_eq(bxt_linsol_factor(s, b.a.values, &culprit), BXT_ERR_SINGULAR);
	ck_assert_int_ge(culprit, 0);
	ck_assert_int_eq(bxt_linsol_get_shape(s).whole, 1);
	b.a.values[0] = INFINITY;
	ck_assert_int_eq(bxt_linsol_factor(s, b.a.values, NULL), BXT_ERR_NOT_FINITE);
	ck_assert_int_eq(bxt_linsol_solve(s, (double[1]){0}), BXT_ERR_ARGUMENT);
	bxt_linsol_free(s);
	bxt_arena_free(b.arena);
}
END_TEST

/* Each sum has its order, whoever computes its terms. */
START_TEST(any_number_of_threads)
{
	uint64_t seed = 8;
	blocks b = blocks_make(&seed, 7, 40, 10);
	double x[4][400];
	for (int threads = 1; threads <= 4; threads++) {
		bxt_linsol *s = solver_for(&b, threads);
		double *to = x[threads - 1];
		for (int round = 0; round < 50; round++) {
			ck_assert_int_eq(bxt_linsol_factor(s, b.a.values, NULL), BXT_OK);
			for (int i = 0; i < b.n; i++)
				to[i] = sin(i + round);
			ck_assert_int_eq(bxt_linsol_solve(s, to), BXT_OK);
		}
		ck_assert_int_eq(memcmp(to, x[0], (size_t)b.n * sizeof *to), 0);
		bxt_linsol_free(s);
	}
	bxt_arena_free(b.arena);
}
END_TEST

START_TEST(failing_allocations)
{
	uint64_t seed = 9;
	allocation_hook();
	blocks b = blocks_make(&seed, 3, 8, 4);
	make_singular(&b, 0, 8); /* so that the search for dependences is made, too */
	long refused = 0;
	for (long n = 0;; n++) {
		bxt_linsol *s = NULL;
		allocation_fail(n);
		bxt_status status = bxt_linsol_schur_create(&bxt_linsol_klu, &b.a, NULL, b.part,
							    b.n_parts, 1, &s);
		if (status == BXT_OK)
			status = bxt_linsol_factor(s, b.a.values, NULL);
		const bool failed = allocation_failed();
		allocation_fail(-1);
		ck_assert(status == BXT_OK || (failed && status == BXT_ERR_MEMORY));
		refused += status != BXT_OK;
		if (s) /* whatever happened, it can be used again */
			check_solution(&b, s, &seed);
		bxt_linsol_free(s);
		if (!failed)
			break;
	}
	ck_assert_int_gt(refused, 20);
	bxt_arena_free(b.arena);
}
END_TEST

TEST_SUITE("torn_solve")
{
	const test_case tests[] = {
		{"equal to dense", equal_to_dense},
		{"parts that become singular", parts_that_become_singular},
		{"any number of threads", any_number_of_threads},
		{"failing allocations", failing_allocations},
		{"shipped netlists", shipped_netlists, .slow = true},
		{"all joined netlists", all_joined_netlists, .slow = true},
		{"singular parts", singular_parts, .slow = true},
		{"redundant rows", redundant_rows, .slow = true},
		{"from an operating point", from_an_operating_point},
		{"nothing to take apart", nothing_to_take_apart},
		{"refused settings", refused_settings},
		{"in the netlist", in_the_netlist},
		{"random networks, gauss1", random_networks_gauss1, .slow = true},
		{"random networks, gauss2", random_networks_gauss2, .slow = true},
		{"random networks, radau2", random_networks_radau2, .slow = true},
		{"random networks, dirac+", random_networks_dirac, .slow = true},
	};
	ADD_TESTS(tests);
}
