/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of MATLAB's level 5: walked through by their tags, as the format says, and compared with
 * the matrices and names that were written. */
#include "support/harness.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* An element: its type, and its bytes. */
typedef struct element {
	uint32_t type, size;
	const char *data;
} element;

/* The element at *at, which goes to the next one. */
static element next(const char **at, const char *end)
{
	element e;
	ck_assert_int_ge(end - *at, 8);
	memcpy(&e.type, *at, 4);
	memcpy(&e.size, *at + 4, 4);
	e.data = *at + 8;
	*at += 8 + (e.size + 7) / 8 * 8;
	ck_assert(*at <= end);
	return e;
}

static void check_head(const char **at, const char *end, uint32_t class, int32_t rows,
		       int32_t columns, const char *name)
{
	uint32_t flags[2];
	int32_t dimensions[2];
	element e = next(at, end);
	ck_assert_uint_eq(e.type, 6);
	ck_assert_uint_eq(e.size, 8);
	memcpy(flags, e.data, 8);
	ck_assert_uint_eq(flags[0] & 0xff, class);
	e = next(at, end);
	ck_assert_uint_eq(e.type, 5);
	ck_assert_uint_eq(e.size, 8);
	memcpy(dimensions, e.data, 8);
	ck_assert_int_eq(dimensions[0], rows);
	ck_assert_int_eq(dimensions[1], columns);
	e = next(at, end);
	ck_assert_uint_eq(e.type, 1);
	ck_assert_uint_eq(e.size, strlen(name));
	ck_assert_int_eq(memcmp(e.data, name, e.size), 0);
}

static void check_matrix(const char **at, const char *end, const bxt_linear *l,
			 bxt_linear_matrix which, const char *name)
{
	bxt_csc a = {.size = sizeof a};
	ck_assert_int_eq(bxt_linear_get(l, which, &a), BXT_OK);
	const size_t n = (size_t)a.colptr[a.n_columns];
	const element whole = next(at, end);
	const char *in = whole.data, *stop = whole.data + whole.size;
	ck_assert_uint_eq(whole.type, 14);
	check_head(&in, stop, 5, a.n_rows, a.n_columns, name);
	const element rows = next(&in, stop), columns = next(&in, stop), values = next(&in, stop);
	ck_assert_uint_eq(rows.size, 4 * n);
	ck_assert_uint_eq(columns.size, 4 * ((size_t)a.n_columns + 1));
	ck_assert_uint_eq(values.type, 9);
	ck_assert_uint_eq(values.size, 8 * n);
	ck_assert(n == 0 || memcmp(rows.data, a.rowind, rows.size) == 0);
	ck_assert_int_eq(memcmp(columns.data, a.colptr, columns.size), 0);
	ck_assert(n == 0 || memcmp(values.data, a.values, values.size) == 0);
	ck_assert_ptr_eq(in, stop);
}

/* Names of these models are plain: a unit of UTF-16 is a character. */
static void check_list(const char **at, const char *end, const bxt_linear *l, bxt_linear_list list,
		       bool units, const char *name)
{
	const size_t n = bxt_linear_count(l, list);
	const element whole = next(at, end);
	const char *in = whole.data, *stop = whole.data + whole.size;
	check_head(&in, stop, 1, (int32_t)n, 1, name);
	for (size_t i = 0; i < n; i++) {
		const bxt_column *c = bxt_linear_name(l, list, i);
		const char *text = units ? c->unit : c->name;
		const element cell = next(&in, stop);
		const char *inside = cell.data;
		check_head(&inside, cell.data + cell.size, 4, *text != '\0', (int32_t)strlen(text),
			   "");
		const element letters = next(&inside, cell.data + cell.size);
		ck_assert_uint_eq(letters.type, 4);
		ck_assert_uint_eq(letters.size, 2 * strlen(text));
		for (size_t k = 0; k < strlen(text); k++) {
			uint16_t unit;
			memcpy(&unit, letters.data + 2 * k, 2);
			ck_assert_uint_eq(unit, (unsigned char)text[k]);
		}
	}
	ck_assert_ptr_eq(in, stop);
}

static void check_file(const char *netlist, const char *from, const char *to)
{
	static const char *const matrices[] = {"E", "A", "B", "C", "D"};
	model m = model_of_file(netlist);
	bxt_linear_def def;
	bxt_linear *l = NULL;
	char *text = NULL;
	size_t size;
	bxt_default_linear_def(&def);
	def.from = from;
	def.to = to;
	ck_assert_int_eq(bxt_linear_new(m.system, &def, m.findings, &l), BXT_OK);
	FILE *f = open_memstream(&text, &size);
	ck_assert_int_eq(bxt_linear_write_mat(l, f), BXT_OK);
	fclose(f);
	uint16_t mark[2];
	ck_assert_uint_gt(size, 128);
	ck_assert_int_eq(memcmp(text, "MATLAB 5.0 MAT-file", 19), 0);
	memcpy(mark, text + 124, 4);
	ck_assert_uint_eq(mark[0], 0x0100);
	ck_assert_uint_eq(mark[1], 0x4d49);
	const char *at = text + 128, *end = text + size;
	for (int k = 0; k < 5; k++)
		check_matrix(&at, end, l, (bxt_linear_matrix)k, matrices[k]);
	check_list(&at, end, l, BXT_LINEAR_STATES, false, "states");
	check_list(&at, end, l, BXT_LINEAR_STATES, true, "state_units");
	check_list(&at, end, l, BXT_LINEAR_EQUATIONS, false, "equations");
	check_list(&at, end, l, BXT_LINEAR_INPUTS, false, "inputs");
	check_list(&at, end, l, BXT_LINEAR_INPUTS, true, "input_units");
	check_list(&at, end, l, BXT_LINEAR_OUTPUTS, false, "outputs");
	check_list(&at, end, l, BXT_LINEAR_OUTPUTS, true, "output_units");
	ck_assert_ptr_eq(at, end);
	free(text);
	bxt_linear_free(l);
	model_free(&m);
}

START_TEST(files)
{
	check_file("rlc-series.xml", "V1.e", "node(b).v, L1.i");
	check_file("spring-chain.xml", NULL, NULL);
	check_file("bridge-rectifier.xml", "C1.C", "C1.q");
}
END_TEST

TEST_SUITE("files of MATLAB")
{
	const test_case tests[] = {
		{"files", files},
	};
	ADD_TESTS(tests);
}
