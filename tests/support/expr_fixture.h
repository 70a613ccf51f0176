/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the tests of expressions: a graph, a scope of names, a point. */
#ifndef BXT_TESTS_SUPPORT_EXPR_FIXTURE_H
#define BXT_TESTS_SUPPORT_EXPR_FIXTURE_H

#include "ground/expr/expr.h"
#include "support/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 8 };
static const char *const names[N] = {"x", "y", "m", "v", "t", "shaft.omega", "q@0", "q@1"};
enum { X, Y, M, V, T };

static inline bool lookup(void *context, bxt_graph *g, const char *name, bxt_ex *out)
{
	(void)context;
	for (int v = 0; v < N; v++)
		if (strcmp(names[v], name) == 0) {
			*out = bxt_ex_var(g, v);
			return true;
		}
	return false;
}

/* Names in temporary memory: the parser must copy the names that it keeps. */
static inline void visit_names(void *context, void (*visit)(void *visitor, const char *name),
			       void *visitor)
{
	char name[64];
	(void)context;
	for (int v = 0; v < N; v++) {
		snprintf(name, sizeof name, "%s", names[v]);
		visit(visitor, name);
	}
	memset(name, 'z', sizeof name - 1);
}

static const bxt_scope scope = {lookup, visit_names, NULL, NULL};
static bxt_graph *g;

static inline void setup(void)
{
	g = bxt_graph_new();
	ck_assert_ptr_nonnull(g);
}

static inline void teardown(void)
{
	ck_assert(!bxt_graph_failed(g));
	g = bxt_graph_free(g);
}

static inline bxt_ex parse(const char *text)
{
	bxt_expr_error error = {0};
	bxt_ex f;
	const int n = bxt_expr_parse(g, text, &scope, &f, &error, 1);
	ck_assert_msg(n == 0, "%s: column %d: %s", text, error.column, error.text);
	return f;
}

static inline const char *name_of(void *context, int v)
{
	(void)context;
	return v < N ? names[v] : NULL;
}

static inline void assert_text(bxt_ex f, const char *expected)
{
	char *text = bxt_ex_text(g, f, name_of, NULL);
	ck_assert_str_eq(text, expected);
	free(text);
}

static const double point[N] = {0.7, 1.3, 2.1, -0.4, 0.25, 3.5, -1.5, 0.9};

static inline double value(const char *text)
{
	return bxt_ex_value(g, parse(text), point);
}

static inline bxt_ex derivative(bxt_ex f, int v)
{
	bxt_ex d;
	bxt_ex_gradient(g, f, &v, 1, &d);
	return d;
}

/* count times `open`, then middle, then count times `close`; heap text. */
static inline char *nested(int count, const char *open, const char *middle, const char *close)
{
	const size_t a = strlen(open), m = strlen(middle), b = strlen(close);
	char *text = malloc((size_t)count * (a + b) + m + 1), *end = text;
	ck_assert_ptr_nonnull(text);
	for (int i = 0; i < count; i++, end += a)
		memcpy(end, open, a);
	memcpy(end, middle, m);
	end += m;
	for (int i = 0; i < count; i++, end += b)
		memcpy(end, close, b);
	*end = '\0';
	return text;
}

#endif
