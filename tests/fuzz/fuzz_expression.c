/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include "ground/expr/tape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLES = 4 };
static const char *const names[VARIABLES] = {"x", "y", "t", "a.b"};

static bool lookup(void *context, bxt_graph *g, const char *name, bxt_ex *out)
{
	(void)context;
	for (int v = 0; v < VARIABLES; v++)
		if (strcmp(names[v], name) == 0) {
			*out = bxt_ex_var(g, v);
			return true;
		}
	return false;
}

static const char *name_of(void *context, int v)
{
	(void)context;
	return names[v];
}

/* The tape's value is that of the expression: to the bit, but that a NaN may be any. */
static void compare(const bxt_graph *g, const bxt_ex *f, int n)
{
	static const double point[VARIABLES] = {0.3, -1.7, 2.5, 1e-3};
	static double lanes[VARIABLES][BXT_LANES];
	const double *in[VARIABLES];
	bxt_tape *tape = bxt_tape_compile(g, f, n);
	if (!tape)
		abort();
	for (int v = 0; v < VARIABLES; v++) {
		in[v] = lanes[v];
		for (int i = 0; i < BXT_LANES; i++)
			lanes[v][i] = point[v];
	}
	double *work = aligned_alloc(64, (bxt_tape_work(tape) * sizeof *work / 64 + 1) * 64);
	bxt_tape_run(tape, in, work);
	for (int k = 0; k < n; k++) {
		const double a = bxt_ex_value(g, f[k], point);
		const double b = bxt_tape_result(tape, k, in, work)[BXT_LANES - 1];
		if (memcmp(&a, &b, sizeof a) != 0 && a != b && !(isnan(a) && isnan(b)))
			abort();
	}
	free(work);
	bxt_tape_free(tape);
}

int fuzz_expression(const uint8_t *bytes, size_t length)
{
	static const bxt_scope scope = {lookup, NULL, NULL, NULL};
	static const int variables[VARIABLES] = {0, 1, 2, 3};
	bxt_expr_error errors[4];
	bxt_ex f[1 + VARIABLES];
	if (length > FUZZ_LARGEST || memchr(bytes, 0, length))
		return 0;
	char *text = calloc(length + 1, 1);
	memcpy(text, bytes, length);
	bxt_graph *g = bxt_graph_new();
	if (bxt_expr_parse(g, text, &scope, &f[0], errors, 4) == 0 && !bxt_graph_failed(g)) {
		bxt_ex_gradient(g, f[0], variables, VARIABLES, f + 1);
		if (!bxt_graph_failed(g))
			compare(g, f, 1 + VARIABLES);
		free(bxt_ex_text(g, f[0], name_of, NULL));
	}
	bxt_graph_free(g);
	free(text);
	return 0;
}
