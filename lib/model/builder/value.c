/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values in a netlist: a number with a unit, or an expression in the parameters of its file. The
 * current frame has the values of the parameters.
 */
#include "model/builder/builder.h"

#include <math.h>
#include <string.h>

enum { MAX_ERRORS_PER_TEXT = 4 };

/* ---- Values ---- */

/* The number of the netlist's units in one SI unit of that dimension: 1 except in tests of units
 * (component/quantity.h). Expressions in netlists are in SI units. */
static double scale_of(const bxt_builder *b, const char *unit)
{
	return bxt_units_scale_of(bxt_library_units(b->library), unit);
}

bool bxt_is_plain_number(const char *text, double *value)
{
	const size_t length = strlen(text);
	return length > 0 && bxt_read_number(text, length, value) == length;
}

/* The parameters of the enclosing netlist. */
static bool lookup_constant(void *context, bxt_graph *g, const char *name, bxt_ex *out)
{
	double value;
	if (bxt_frame_find(context, name, &value) < 0)
		return false;
	*out = bxt_ex_const(g, value);
	return true;
}

static void offer_constants(void *context, void (*visit)(void *, const char *), void *visitor)
{
	bxt_frame_offer(context, visit, visitor);
}

bxt_scope bxt_build_constants(bxt_builder *b)
{
	return (bxt_scope){lookup_constant, offer_constants, b, bxt_frame_curves(b)};
}

static bool lookup_value(void *context, bxt_graph *g, const char *name, bxt_ex *out)
{
	const bxt_builder *b = context;
	if (strcmp(name, "t") == 0) {
		*out = bxt_ex_div(g, bxt_ex_var(g, 0), bxt_ex_const(g, scale_of(b, "s")));
		return true;
	}
	double value, own;
	const int input = bxt_frame_input(b, name);
	if (input >= 0) {
		const char *unit = b->net->inputs[input].unit;
		*out = bxt_ex_div(g, bxt_build_input_value(context, input),
				  bxt_ex_const(g, scale_of(b, unit)));
		return true;
	}
	const int i = bxt_frame_find(b, name, &value), k = bxt_own_find(b, name, &own);
	if (i >= 0) {
		const char *unit = b->files.sources[b->frame->source]->parameters[i].unit;
		if (k >= 0 && own != value && !b->own->warned) {
			bxt_warning(b->d, b->own->item->place,
				    "%s '%s': '%s' in its initial values is the netlist's "
				    "parameter, not its own: rename the netlist's where its own "
				    "is meant",
				    b->own->item->name, b->own->element->id, name);
			b->own->warned = true;
		}
		*out = bxt_ex_const(g, value / scale_of(b, unit));
	} else if (k >= 0) {
		*out = bxt_ex_const(g, own / scale_of(b, b->own->component->parameters[k].unit));
	}
	return i >= 0 || k >= 0;
}

static void offer_values(void *context, void (*visit)(void *, const char *), void *visitor)
{
	visit(visitor, "t");
	visit(visitor, "pi");
	offer_constants(context, visit, visitor);
	const bxt_own *own = ((const bxt_builder *)context)->own;
	for (int i = 0; own && i < own->component->n_parameters; i++)
		if (!own->component->parameters[i].of)
			visit(visitor, own->component->parameters[i].name);
}

bool bxt_build_expression(bxt_builder *b, const char *text, const char *unit, const char *what,
			  bxt_place place, bxt_ex *out)
{
	const bxt_scope scope = {lookup_value, offer_values, b, bxt_frame_curves(b)};
	bxt_expr_error errors[MAX_ERRORS_PER_TEXT];
	int n = bxt_expr_parse(b->timed.graph, text + 1, &scope, out, errors, MAX_ERRORS_PER_TEXT);
	if (bxt_graph_failed(b->timed.graph)) { /* suppresses the parser's errors */
		b->failed = true;
		return false;
	}
	for (int i = 0; i < n && i < MAX_ERRORS_PER_TEXT; i++)
		bxt_error(b->d, place, "%s: column %d of '%s': %s", what, errors[i].column,
			  text + 1, errors[i].text);
	return n == 0 && bxt_build_check_units(b, text + 1, unit, what, place);
}

static bool read_quantity(bxt_builder *b, const char *text, const char *unit, const char *what,
			  bxt_place place, double *value)
{
	bxt_units *units = bxt_library_units(b->library);
	const bxt_quantity_error error = bxt_quantity_read(units, text, unit, value);
	const bxt_status status = bxt_quantity_report(units, error, text, unit, what, place, b->d);
	b->failed = b->failed || status == BXT_ERR_MEMORY;
	return status == BXT_OK;
}

bool bxt_build_is_quantity(bxt_builder *b, const char *text, const char *unit, double *value)
{
	double read;
	if (text[0] == '=' ||
	    bxt_quantity_read(bxt_library_units(b->library), text, unit, &read) != BXT_QUANTITY_OK)
		return false;
	*value = read;
	return true;
}

bool bxt_build_value(bxt_builder *b, const char *text, const char *unit, const char *what,
		     bxt_place place, double *value)
{
	if (text[0] != '=')
		return read_quantity(b, text, unit, what, place, value);
	bxt_ex f;
	const double zero = 0;
	if (!bxt_build_expression(b, text, unit, what, place, &f))
		return false;
	if (bxt_ex_depends(b->timed.graph, f, 0)) {
		bxt_error(b->d, place,
			  "%s: '%s' may not depend on the time t or an input; only parameters "
			  "declared with time=\"true\" may",
			  what, text);
		return false;
	}
	*value = bxt_ex_value(b->timed.graph, f, &zero) * scale_of(b, unit);
	if (!isfinite(*value)) {
		bxt_error(b->d, place, "%s: '%s' is not a finite number", what, text);
		return false;
	}
	return true;
}

bool bxt_build_numbers(bxt_builder *b, const char *text, const char *unit, const char *what,
		       bxt_place place, bxt_numbers out)
{
	static const char between[] = " \t\r\n,";
	char *copy = bxt_arena_strdup(b->scratch, text), *save = NULL;
	int n = 0;
	bool good = copy;
	b->failed = b->failed || !copy;
	for (char *word = copy ? strtok_r(copy, between, &save) : NULL; word;
	     word = strtok_r(NULL, between, &save), n++)
		if (n < out.n && !bxt_build_value(b, word, unit, what, place, &out.value[n]))
			good = false;
	if (n != out.n)
		bxt_error(b->d, place, "%s=\"%s\" has %d numbers: %d are needed", what, text, n,
			  out.n);
	return good && n == out.n;
}
