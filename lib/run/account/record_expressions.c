/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recorded expressions, such as node(b).v/node(a).v. First, names with a parenthesis are replaced
 * by plain words. Then each name is resolved like an item of the list, to a signal that need not be
 * a column. All expressions share one graph and one tape.
 */
#include "model/names/designator.h"
#include "run/account/record_list.h"

#include <stdlib.h>
#include <string.h>

/* While one expression is parsed. */
struct reader {
	bxt_record_expressions *e;
	const char **call; /* (n_calls) names with a parenthesis */
	size_t n_calls, c_calls;
	bool bad;
};

/* No name of a model has this form, since its second word is a number. */
static const char prefix[] = "call.";

static const char *hide_call(void *context, const char *written)
{
	struct reader *r = context;
	bxt_arena *arena = r->e->r->arena;
	const char *copy = bxt_arena_strdup(arena, written);
	if (!copy || BXT_GROW(r->call, r->c_calls, r->n_calls + 1) != BXT_OK)
		return NULL;
	r->call[r->n_calls++] = copy;
	return bxt_arena_printf(arena, "%s%zu", prefix, r->n_calls);
}

static const char *keep_word(void *context, const char *word)
{
	(void)context;
	(void)word;
	return NULL;
}

/* Variable 0 is the time, 1 + i signal i. */
static bool lookup(void *context, bxt_graph *g, const char *name, bxt_ex *out)
{
	struct reader *r = context;
	const size_t length = sizeof prefix - 1;
	const char *text = name;
	if (strcmp(name, "t") == 0) {
		*out = bxt_ex_var(g, 0);
		return true;
	}
	if (strncmp(name, prefix, length) == 0 && r->n_calls > 0) {
		const unsigned long k = strtoul(name + length, NULL, 10);
		text = k >= 1 && k <= r->n_calls ? r->call[k - 1] : name;
	}
	if (text == name && !strchr(name, '.') && !r->e->known(r->e->context, name))
		return false;
	const int signal = r->e->operand(r->e->context, text);
	r->bad = r->bad || signal < 0;
	/* a wrong name is a finding of its own */
	*out = signal < 0 ? bxt_ex_const(g, 1) : bxt_ex_var(g, 1 + signal);
	return true;
}

/* ---- Units ---- */

static const char *name_of(void *context, int variable)
{
	const bxt_recorder *r = context;
	return variable > 0 && (size_t)variable <= r->n_signals ? r->signals[variable - 1].name
								: "t";
}

/* Returns the unit that all signals in the expression have, if it fits, else the one by dimension.
 * NULL: out of memory. */
static const char *text_of(bxt_recorder *r, const bxt_graph *g, bxt_ex f, bxt_measure measure)
{
	bxt_tape *tape = bxt_tape_compile(g, &f, 1);
	const char *same = NULL;
	bool all = true;
	for (size_t i = 0; i < r->n_signals && tape; i++) {
		const bxt_signal_unit *u = &r->signals[i].unit;
		if (!bxt_tape_reads(tape, (int)i + 1))
			continue;
		all = all && (!same || strcmp(same, u->text) == 0) &&
		      u->measure.kind == BXT_MEASURE_KNOWN &&
		      bxt_dimension_equal(u->measure.dimension, measure.dimension);
		same = u->text;
	}
	const char *text = !tape                                              ? NULL
			   : measure.kind == BXT_MEASURE_KNOWN && same && all ? same
			   : measure.kind == BXT_MEASURE_NUMBER
				   ? "1"
				   : bxt_unit_of_measure(r->arena, measure).text;
	bxt_tape_free(tape);
	return text;
}

static const char *unit_of(bxt_record_expressions *e, bxt_ex f, const char *written)
{
	bxt_recorder *r = e->r;
	bxt_measure *of = calloc(r->n_signals + 1, sizeof *of);
	bxt_buffer fault = {0};
	if (!of)
		return NULL;
	of[0] = bxt_unit_declared("s").measure;
	of[0].bare = true;
	for (size_t i = 0; i < r->n_signals; i++)
		of[i + 1] = r->signals[i].unit.measure;
	const bxt_measures with = {of, (int)r->n_signals + 1, false, name_of, r};
	const bxt_measure measure = bxt_ex_measure(e->g, f, &with, &fault);
	if (fault.length > 0 && e->d)
		bxt_warning(e->d, e->place, "record: '%s' has the wrong dimension: %s", written,
			    fault.text);
	const char *unit = fault.failed ? NULL : text_of(r, e->g, f, measure);
	bxt_buffer_free(&fault);
	free(of);
	return unit;
}

/* ---- All ---- */

static bxt_status parse(bxt_record_expressions *e, const char *written, bxt_ex *out)
{
	enum { MOST = 4 };
	struct reader r = {.e = e};
	const bxt_scope scope = {lookup, NULL, &r, NULL};
	bxt_expr_error errors[MOST];
	const char *text =
		bxt_name_rename_expression(e->r->arena, written, keep_word, hide_call, &r);
	const int n = text ? bxt_expr_parse(e->g, text, &scope, out, errors, MOST) : 0;
	for (int i = 0; i < n && i < MOST && e->d && !r.bad; i++)
		bxt_error(e->d, e->place, "record: '%s': %s", written, errors[i].text);
	free(r.call);
	return !text || bxt_graph_failed(e->g) ? BXT_ERR_MEMORY
	       : n > 0 || r.bad                ? BXT_ERR_MODEL
					       : BXT_OK;
}

bxt_status bxt_record_expression(bxt_record_expressions *e, const char *written, const char **unit)
{
	bxt_ex f = 0;
	if (!e->g && !(e->g = bxt_graph_new()))
		return BXT_ERR_MEMORY;
	BXT_TRY(parse(e, written, &f));
	BXT_TRY(BXT_GROW(e->expression, e->capacity, e->n + 1));
	e->expression[e->n++] = f;
	*unit = unit_of(e, f, written);
	return *unit ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_record_expressions_compile(bxt_record_expressions *e)
{
	if (e->n == 0)
		return BXT_OK;
	e->r->tape = bxt_tape_compile(e->g, e->expression, (int)e->n);
	e->r->graph = e->g;
	e->r->expression = e->expression;
	e->g = NULL;
	e->expression = NULL;
	return e->r->tape ? BXT_OK : BXT_ERR_MEMORY;
}

void bxt_record_expressions_free(bxt_record_expressions *e)
{
	bxt_graph_free(e->g);
	free(e->expression);
}
