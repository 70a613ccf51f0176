/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Operations as C against the interpreter of tapes, to the last bit: each operation at special
 * values, and random expressions. The cache of compiled code, and what it refuses.
 */
#define _XOPEN_SOURCE 700 /* setenv */

#include "ground/base/shared_object.h"
#include "ground/expr/code.h"
#include "ground/expr/curve_node.h"
#include "ground/expr/divided_difference.h"
#include "support/harness.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N = 4, MOST = 400, POINTS = 200 };

static char *folder;
static bxt_graph *g;
static uint64_t seed;

static void setup(void)
{
	folder = scratch_folder();
	setenv("XDG_CACHE_HOME", folder, 1);
	unsetenv("BOXTIMES_CC");
	g = bxt_graph_new();
	ck_assert_ptr_nonnull(g);
	seed = 7;
}

static void teardown(void)
{
	g = bxt_graph_free(g);
	scratch_remove(folder);
}

static int random_below(int n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (int)((uint32_t)(seed >> 33) % (uint32_t)n);
}

static double random_number(void)
{
	static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e308, 5e-324, 1.0};
	return random_below(6) == 0 ? special[random_below(8)] : random_below(4001) / 1000.0 - 2;
}

static const double corner_at[] = {-1, 0.25, 1}, corner_y[] = {0.5, -0.25, 1};
static const bxt_curve corner = {.name = "corner",
				 .x = corner_at,
				 .y = corner_y,
				 .n = 3,
				 .shape = BXT_CURVE_LINEAR,
				 .beyond = BXT_BEYOND_EXTEND};

static bxt_ex unary(bxt_op op, bxt_ex a)
{
	return op == BXT_OP_CURVE ? bxt_ex_curve(g, &corner, 0, a) : bxt_ex_unary(g, op, a);
}

/* Every operation, of variables and of a number. */
static int every_operation(bxt_ex *f)
{
	const bxt_ex a = bxt_ex_var(g, 0), b = bxt_ex_var(g, 1), c = bxt_ex_var(g, 2),
		     k = bxt_ex_const(g, 0.7);
	int n = 0;
	for (int op = BXT_OP_NEG; op < BXT_OP_ADD; op++)
		f[n++] = unary((bxt_op)op, a);
	for (int op = BXT_OP_ADD; op < BXT_OP_IF; op++) {
		f[n++] = bxt_ex_binary(g, (bxt_op)op, a, b);
		f[n++] = bxt_ex_binary(g, (bxt_op)op, k, b);
		f[n++] = bxt_ex_binary(g, (bxt_op)op, a, k);
	}
	f[n++] = bxt_ex_if(g, a, b, c);
	f[n++] = bxt_ex_if(g, bxt_ex_binary(g, BXT_OP_LT, a, b), k, c);
	f[n++] = bxt_ex_chord(g, BXT_OP_EXP, a, 1, b, 2, -1);
	f[n++] = bxt_ex_chord(g, BXT_OP_TANH, k, 3, b, 1, -1);
	f[n++] = bxt_ex_chord(g, BXT_OP_POW, a, 1, k, 2, c);
	f[n++] = bxt_ex_curve_chord(g, &corner, 0, a, 1, b, 1);
	f[n++] = bxt_ex_curve_chord(g, &corner, 0, k, 1, b, 2);
	f[n++] = bxt_ex_curve(g, &corner, 1, b);
	return n;
}

/* Random expressions, each of what stands before it. */
static int random_expressions(bxt_ex *f)
{
	int n = 0;
	for (; n < N; n++)
		f[n] = bxt_ex_var(g, n);
	while (n < MOST) {
		const bxt_ex a = f[random_below(n)], b = f[random_below(n)], c = f[random_below(n)];
		const int op = BXT_OP_NEG + random_below(BXT_OP_IF + 1 - BXT_OP_NEG);
		f[n++] = op < BXT_OP_ADD   ? unary((bxt_op)op, a)
			 : op == BXT_OP_IF ? bxt_ex_if(g, a, b, c)
					   : bxt_ex_binary(g, (bxt_op)op, a, b);
	}
	return n;
}

/* Same bits, or not-a-number both: the sign of that means nothing. */
static bool same(double a, double b)
{
	return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

typedef void function(const bxt_code_tables *z, const double *const *s, double *y);

/* The text of one function that gives all results. */
static void write_function(bxt_code *code, const bxt_fused_tape *p, const int *results, int n)
{
	bxt_code_values values = {0};
	bxt_code_begin(code);
	bxt_buffer_printf(&code->text, "void f(const struct tables *z, const double *const *s, "
				       "double *y)\n{\n");
	ck_assert_int_eq(bxt_code_write_tape(code, p, &values), BXT_OK);
	for (int i = 0; i < n; i++) {
		bxt_buffer_printf(&code->text, "\ty[%d] = ", i);
		bxt_code_name_value(code, &values, results[i]);
		bxt_buffer_printf(&code->text, ";\n");
	}
	bxt_buffer_printf(&code->text, "}\n");
	bxt_code_values_free(&values);
	ck_assert(!code->text.failed && !code->failed);
}

START_TEST(same_bits)
{
	bxt_ex f[MOST];
	const int n = _i == 0 ? every_operation(f) : random_expressions(f);
	bxt_tape *tape = bxt_tape_compile(g, f, n);
	bxt_fused_tape *p = bxt_fused_tape_new();
	int variable[N], results[MOST];
	for (int v = 0; v < N; v++)
		variable[v] =
			v == 3 ? bxt_fused_tape_number(p, 0.3) : bxt_fused_tape_input(p, 0, v);
	ck_assert_int_eq(bxt_fused_tape_join(p, tape, variable, results), BXT_OK);
	ck_assert_int_eq(bxt_fused_tape_trim(p), BXT_OK);
	bxt_code code = {0};
	write_function(&code, p, results, n);
	bxt_shared_object *object;
	ck_assert_int_eq(bxt_shared_object_make(code.text.text, NULL, &object), BXT_OK);
	void *found = bxt_shared_object_find(object, "f");
	function *run;
	memcpy(&run, &found, sizeof run);
	const bxt_code_tables tables = bxt_code_get_tables(&code);
	double *work = malloc(bxt_fused_tape_work(p) * sizeof *work), at[N], y[MOST];
	const double *const sources[] = {at};
	bxt_fused_tape_start(p, work);
	for (int point = 0; point < POINTS; point++) {
		for (int v = 0; v < N; v++)
			at[v] = random_number();
		bxt_fused_tape_run(p, sources, work);
		run(&tables, sources, y);
		for (int i = 0; i < n; i++)
			ck_assert_msg(same(work[results[i]], y[i]), "result %d: %a, not %a", i,
				      y[i], work[results[i]]);
	}
	free(work);
	bxt_shared_object_free(object);
	bxt_code_free(&code);
	bxt_fused_tape_free(p);
	bxt_tape_free(tape);
}
END_TEST

/* ---- The cache ---- */

/* Makes that text, and expects the status; `told` is a part of the only finding, or NULL. */
static void make(const char *text, bxt_status expected, const char *told)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_shared_object *object;
	ck_assert_int_eq(bxt_shared_object_make(text, d, &object), expected);
	ck_assert((object != NULL) == (expected == BXT_OK));
	ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_NOTE), told ? 1 : 0);
	if (told)
		ck_assert_msg(strstr(bxt_diagnostics_get(d, 0)->text, told) != NULL, "%s",
			      bxt_diagnostics_get(d, 0)->text);
	bxt_shared_object_free(object);
	bxt_diagnostics_free(d);
}

static const char some[] = "int f(void) { return 1; }\n";

/* A compiler that counts its calls. */
static void count_calls(void)
{
	char path[512];
	snprintf(path, sizeof path, "%s/counting", folder);
	FILE *file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file, "#!/bin/sh\necho >>%s/calls\nexec cc \"$@\"\n", folder);
	fclose(file);
	ck_assert_int_eq(chmod(path, 0700), 0);
	setenv("BOXTIMES_CC", path, 1);
}

static int calls(void)
{
	char path[512];
	struct stat s;
	snprintf(path, sizeof path, "%s/calls", folder);
	return stat(path, &s) == 0 ? (int)s.st_size : 0;
}

START_TEST(one_text_is_compiled_once)
{
	count_calls();
	make(some, BXT_OK, NULL);
	make(some, BXT_OK, NULL);
	ck_assert_int_eq(calls(), 1);
	make("int f(void) { return 2; }\n", BXT_OK, NULL);
	ck_assert_int_eq(calls(), 2);
	/* a text beside the object that is not its own */
	char command[2048];
	snprintf(command, sizeof command, "for f in %s/boxtimes/*.c; do echo >>$f; done", folder);
	ck_assert_int_eq(system(command), 0);
	make(some, BXT_OK, NULL);
	ck_assert_int_eq(calls(), 3);
	make(some, BXT_OK, NULL);
	ck_assert_int_eq(calls(), 3);
	snprintf(command, sizeof command,
		 "test $(ls %s/boxtimes | wc -l) -eq 4 && test -z \"$(find %s/boxtimes -perm "
		 "/077)\"",
		 folder, folder);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(refused)
{
	char path[512];
	make("no C\n", BXT_ERR_IO, "fails: ");
	setenv("BOXTIMES_CC", "/nonexistent/cc", 1);
	make(some, BXT_ERR_IO, "name it by BOXTIMES_CC");
	unsetenv("BOXTIMES_CC");
	/* others may write the folder: nothing there is loaded */
	snprintf(path, sizeof path, "%s/boxtimes", folder);
	make(some, BXT_OK, NULL);
	ck_assert_int_eq(chmod(path, 0777), 0);
	make(some, BXT_ERR_IO, "no one else may write");
	ck_assert_int_eq(chmod(path, 0700), 0);
	make(some, BXT_OK, NULL);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	make(some, BXT_ERR_IO, "neither this nor HOME");
}
END_TEST

TEST_SUITE("code")
{
	const test_case tests[] = {
		{"same bits", same_bits, .loops = 2, .slow = true},
		{"one text is compiled once", one_text_is_compiled_once},
		{"refused", refused},
	};
	ADD_TESTS_WITH(setup, teardown, tests);
}
