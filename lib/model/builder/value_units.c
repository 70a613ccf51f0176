/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dimensions of "=EXPR" in a netlist (expr/measure.h). A parameter without unit is a number like a
 * literal, which is in the expected unit. R="=C0" with C0 in farad is an error. In "=m*9.81" as a
 * force the number may carry the missing unit, which is a warning.
 */
#include "model/builder/builder.h"

#include <stdlib.h>
#include <string.h>

/* The variables: 0 is t, 1 + i parameter i, and then those of the element itself, which fit any
 * unit: in q="=C*5" the number is in volt. */
struct reader {
	bxt_builder *b;
	const bxt_netfile *file;
	bxt_measure *of; /* (n) */
	int n;
};

static bxt_measure measure_of(bxt_builder *b, const char *unit)
{
	const bool number = !*unit || strcmp(unit, "1") == 0;
	bxt_measure m = {.kind = number ? BXT_MEASURE_NUMBER : BXT_MEASURE_KNOWN};
	if (!number && bxt_units_dimension(bxt_library_units(b->library), unit, &m.dimension) !=
			       BXT_QUANTITY_OK)
		m.kind = BXT_MEASURE_ANY;
	return m;
}

static bool lookup(void *context, bxt_graph *g, const char *name, bxt_ex *out)
{
	struct reader *r = context;
	double value;
	const int i = strcmp(name, "t") == 0 ? -1 : bxt_frame_name(r->b, name);
	const int own = i < 0 ? bxt_own_find(r->b, name, &value) : -1;
	if (own >= 0 && strcmp(name, "t") != 0) {
		const int variable = 1 + (int)r->file->n_parameters + own;
		*out = bxt_ex_var(g, variable);
		r->of[variable] = (bxt_measure){.kind = BXT_MEASURE_ANY};
		return true;
	}
	if (i < 0 && strcmp(name, "t") != 0)
		return false;
	*out = bxt_ex_var(g, i + 1);
	r->of[i + 1] = measure_of(r->b, i < 0 ? "s" : r->file->parameters[i].unit);
	r->of[i + 1].bare = i < 0;
	return true;
}

static const char *name_of(void *context, int variable)
{
	const struct reader *r = context;
	const int own = variable - 1 - (int)r->file->n_parameters;
	if (own >= 0)
		return r->b->own->component->parameters[own].name;
	return variable > 0 ? r->file->parameters[variable - 1].name : "t";
}

/* Reports the errors of f; with `carry` only those that no unit of a number in it can correct. */
static bool fits(struct reader *r, const bxt_graph *g, bxt_ex f, const char *unit, bool carry,
		 bxt_buffer *fault)
{
	const bxt_measures with = {r->of, r->n, carry, name_of, r};
	const bxt_measure found = bxt_ex_measure(g, f, &with, fault);
	char is[BXT_DIMENSION_TEXT];
	bxt_dimension_write(found.dimension, is);
	if (fault->length == 0 && *unit && !bxt_measure_fits(found, measure_of(r->b, unit)))
		bxt_buffer_printf(fault, "it is in '%s', not in '%s'", is, unit);
	r->b->failed = r->b->failed || fault->failed;
	return fault->length == 0;
}

static bool check_dimension(struct reader *r, bxt_graph *g, const char *text, const char *unit,
			    const char *what, bxt_place place)
{
	const bxt_scope scope = {lookup, NULL, r, bxt_frame_curves(r->b)};
	bxt_buffer fault = {0}, rest = {0};
	bxt_ex f;
	bool good = true;
	if (bxt_expr_parse(g, text, &scope, &f, NULL, 0) == 0 && !bxt_graph_failed(g) &&
	    !fits(r, g, f, unit, false, &fault)) {
		good = fits(r, g, f, unit, true, &rest);
		if (!good)
			bxt_error(r->b->d, place, "%s: '%s' has the wrong dimension: %s", what,
				  text, fault.text);
		else
			bxt_warning(r->b->d, place,
				    "%s: '%s' has the wrong dimension unless a number in it "
				    "carries a unit: %s; make a <parameter> with a unit of that "
				    "number",
				    what, text, fault.text);
	}
	bxt_buffer_free(&fault);
	bxt_buffer_free(&rest);
	return good;
}

bool bxt_build_check_units(bxt_builder *b, const char *text, const char *unit, const char *what,
			   bxt_place place)
{
	const bxt_netfile *file = b->files.sources[b->frame->source];
	const int same = bxt_map_get(&file->parameter_by_name, text);
	if (same >= 0 && strcmp(file->parameters[same].unit, unit) == 0)
		return true; /* R="=R0", common in large netlists */
	const int n = (int)file->n_parameters + 1 + (b->own ? b->own->component->n_parameters : 0);
	struct reader r = {b, file, calloc((size_t)n, sizeof *r.of), n};
	bxt_graph *g = bxt_graph_new();
	b->failed = b->failed || !g || !r.of;
	const bool good = b->failed || check_dimension(&r, g, text, unit, what, place);
	b->failed = b->failed || bxt_graph_failed(g);
	bxt_graph_free(g);
	free(r.of);
	return good;
}
