/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrices and vectors of a simulation, against closed forms and states. */
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two masses between walls, with springs and a damper. */
static const char CHAIN[] =
	NETLIST("<mass id='M1' a='a' m='2 kg'/><mass id='M2' a='b' m='3 kg'/>"
		"<spring id='K1' a='wall' b='a' k='5 N/m'/><spring id='K2' a='a' b='b' k='7 N/m'/>"
		"<damper id='D' a='a' b='b' c='11 N.s/m'/>"
		"<node id='a' kind='translational' x='1 m' v='0.5 m/s'/>");

static bxt_simulation *begin(model *m, bxt_run_def def)
{
	bxt_simulation *s = NULL;
	const bxt_status status = bxt_simulation_new(m->system, &def, m->findings, &s);
	ck_assert_msg(status == BXT_OK, "%s", bxt_status_name(status));
	return s;
}

static bxt_run_def with_step(double h)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.step = h;
	return def;
}

static double entry(const bxt_csc *a, int row, int column)
{
	for (int k = a->colptr[column]; k < a->colptr[column + 1]; k++)
		if (a->rowind[k] == row)
			return a->values[k];
	return 0;
}

static long coordinate(const model *m, const char *path)
{
	const long k = bxt_system_find(m->system, BXT_PART_COORDINATE, path, m->findings);
	ck_assert_msg(k >= 0, "%s", path);
	return k;
}

START_TEST(chain)
{
	static const double expected[4][2][2] = {
		[BXT_MATRIX_MASS] = {{2, 0}, {0, 3}},
		[BXT_MATRIX_STIFFNESS] = {{12, -7}, {-7, 7}},
		[BXT_MATRIX_DAMPING] = {{11, -11}, {-11, 11}},
	};
	model m = model_of_text(CHAIN);
	bxt_simulation *s = begin(&m, with_step(0.01));
	const int at[2] = {(int)coordinate(&m, "node(a).x"), (int)coordinate(&m, "node(b).x")};
	for (int which = 0; which < BXT_MATRIX_STEP; which++) {
		bxt_csc a = {.size = sizeof a};
		if (which == BXT_MATRIX_CONSTRAINTS)
			continue;
		ck_assert_int_eq(bxt_simulation_matrix(s, (bxt_system_matrix)which, &a), BXT_OK);
		ck_assert_int_eq(a.n_rows, (int)bxt_system_count(m.system, BXT_PART_COORDINATE));
		for (int i = 0; i < 2; i++)
			for (int j = 0; j < 2; j++)
				ck_assert_msg(entry(&a, at[i], at[j]) == expected[which][i][j],
					      "matrix %d (%d, %d): %g", which, i, j,
					      entry(&a, at[i], at[j]));
	}
	bxt_simulation_free(s);
	model_free(&m);
}
END_TEST

/* The rows of A vanish on the flows of every shipped model that has no inhomogeneous rows. */
START_TEST(rows_hold)
{
	netlist_names names = all_netlists();
	int compared = 0;
	for (size_t k = 0; k < names.n; k++) {
		model m = model_of_file(names.name[k]);
		bxt_run_def def;
		bxt_default_run_def(&def);
		bxt_simulation *s = begin(&m, def);
		const size_t n = bxt_system_count(m.system, BXT_PART_COORDINATE),
			     rows = bxt_system_count(m.system, BXT_PART_ROW);
		double *v = calloc(n + 1, sizeof *v), *r = calloc(rows + 1, sizeof *r), most = 0,
		       size = 0;
		bxt_csc a = {.size = sizeof a};
		bxt_csc step = {.size = sizeof step};
		ck_assert_int_eq(bxt_simulation_step(s, 5, NULL, m.findings), BXT_OK);
		ck_assert_int_eq(bxt_simulation_matrix(s, BXT_MATRIX_CONSTRAINTS, &a), BXT_OK);
		ck_assert(a.n_rows == (int)rows && a.n_columns == (int)n);
		if (bxt_simulation_get_vectors(s, NULL, NULL, v, NULL) == BXT_OK) {
			for (int j = 0; j < a.n_columns; j++)
				for (int i = a.colptr[j]; i < a.colptr[j + 1]; i++) {
					r[a.rowind[i]] += a.values[i] * v[j];
					size = fmax(size, fabs(a.values[i] * v[j]));
				}
			for (size_t i = 0; i < rows; i++)
				most = fmax(most, fabs(r[i]));
			compared += most <= 1e-9 * size;
		}
		ck_assert_int_eq(bxt_simulation_matrix(s, BXT_MATRIX_STEP, &step),
				 step.n_rows > 0 ? BXT_OK : BXT_ERR_ARGUMENT);
		free(v);
		free(r);
		bxt_simulation_free(s);
		model_free(&m);
	}
	/* the others have sources of flow, or rows whose values in between the grid differ */
	ck_assert_msg(compared >= (int)names.n * 3 / 4, "%d of %zu", compared, names.n);
	all_netlists_free(&names);
}
END_TEST

/* Coordinates off the constraint move back onto it, and what moved is told. */
START_TEST(onto_the_constraint)
{
	model m = model_of_file("pendulum-cartesian.xml");
	bxt_run_def def;
	bxt_default_run_def(&def);
	bxt_simulation *s = begin(&m, def);
	ck_assert_int_eq(bxt_simulation_step(s, 10, NULL, m.findings), BXT_OK);
	const double t = bxt_simulation_time(s);
	const size_t n = bxt_system_count(m.system, BXT_PART_COORDINATE);
	double *q = calloc(n, sizeof *q), *later = calloc(n, sizeof *later);
	ck_assert_int_eq(bxt_simulation_get_vectors(s, q, NULL, NULL, NULL), BXT_OK);
	ck_assert_int_eq(bxt_simulation_set_vectors(s, q, NULL, m.findings), BXT_OK);
	ck_assert_int_eq(bxt_simulation_get_vectors(s, later, NULL, NULL, NULL), BXT_OK);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(fabs(q[i] - later[i]) <= 1e-12 * (1 + fabs(q[i])), "%zu: %g, %g", i,
			      q[i], later[i]);
	ck_assert(bxt_simulation_time(s) == t);
	ck_assert_int_eq(bxt_simulation_step(s, 10, NULL, m.findings), BXT_OK);
	q[0] = NAN;
	ck_assert_int_eq(bxt_simulation_set_vectors(s, q, NULL, m.findings), BXT_ERR_ARGUMENT);
	free(q);
	free(later);
	bxt_simulation_free(s);
	model_free(&m);
}
END_TEST

/* Set as they are, the vectors of every shipped model stay, and the model goes on. */
START_TEST(vectors_stay)
{
	netlist_names names = all_netlists();
	int stayed = 0;
	for (size_t k = 0; k < names.n; k++) {
		model m = model_of_file(names.name[k]);
		bxt_run_def def;
		bxt_default_run_def(&def);
		bxt_simulation *s = begin(&m, def);
		const size_t n = bxt_system_count(m.system, BXT_PART_COORDINATE);
		double *q = calloc(n + 1, sizeof *q), *later = calloc(n + 1, sizeof *later),
		       off = 0, size = 0;
		ck_assert_int_eq(bxt_simulation_step(s, 5, NULL, m.findings), BXT_OK);
		ck_assert_int_eq(bxt_simulation_get_vectors(s, q, NULL, NULL, NULL), BXT_OK);
		if (bxt_simulation_set_vectors(s, NULL, NULL, m.findings) == BXT_OK) {
			ck_assert_int_eq(bxt_simulation_get_vectors(s, later, NULL, NULL, NULL),
					 BXT_OK);
			for (size_t i = 0; i < n; i++) {
				off = fmax(off, fabs(q[i] - later[i]));
				size = fmax(size, fabs(q[i]));
			}
			stayed += off <= 1e-9 * size;
			bxt_simulation_step(s, 5, NULL, m.findings);
		} else { /* charges of junctions that block have no slope */
			stayed += has_finding(&m, BXT_ERROR,
					      "cannot be written: the inertia is singular with");
		}
		free(q);
		free(later);
		bxt_simulation_free(s);
		model_free(&m);
	}
	ck_assert_int_eq(stayed, (int)names.n);
	all_netlists_free(&names);
}
END_TEST

TEST_SUITE("matrices and vectors")
{
	const test_case tests[] = {
		{"chain", chain},
		{"rows hold", rows_hold, .slow = true},
		{"onto the constraint", onto_the_constraint},
		{"vectors stay", vectors_stay, .slow = true},
	};
	ADD_TESTS(tests);
}
