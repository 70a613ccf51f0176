/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/initial/absolute.h"

#include "model/component/quantity.h"
#include "model/system/signal_units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One quantity of the list. */
typedef struct entry {
	const char *text, *unit;
	double value;
} entry;

typedef struct reader {
	const bxt_system *s;
	const bxt_settings *settings;
	bxt_units *units;
	bxt_arena *arena;
	bxt_diagnostics *d;
	entry *entries;
	size_t n, c;
	const char **of; /* (2n) units of the state; NULL: not known, or without inertia */
	size_t errors;
	bool no_memory;
} reader;

static void find_units(reader *r)
{
	const bxt_system *s = r->s;
	for (int i = 0; i < 2 * s->n; i++) {
		const bool momentum = i >= s->n;
		const int x = momentum ? i - s->n : i;
		const bxt_signal_unit unit =
			bxt_unit_of_coordinate(r->arena, s->net, &s->dirac.coord[s->coord_of_x[x]],
					       momentum ? BXT_OF_MOMENTUM : BXT_OF_COORDINATE);
		const bool known = unit.measure.kind == BXT_MEASURE_KNOWN ||
				   (unit.text && strcmp(unit.text, "1") == 0);
		r->no_memory = r->no_memory || !unit.text;
		r->of[i] = known && !(momentum && s->pinned[x]) ? unit.text : NULL;
	}
}

/* The units were read before, so that a failure here only means a lack of memory. */
static bool same(reader *r, const char *a, const char *b)
{
	const int same = bxt_units_same_dimension(r->units, a, b);
	r->no_memory = r->no_memory || same < 0;
	return same == 1;
}

static bool fits(reader *r, const entry *e, int i)
{
	return r->of[i] && same(r, e->unit, r->of[i]);
}

/* Reports the units of the state, each once, and the one that may have been meant. */
static void report_unit(reader *r, const entry *e)
{
	bxt_buffer all = {0};
	bxt_nearest_search near = {.name = e->unit};
	for (int i = 0; i < 2 * r->s->n; i++) {
		bool first = r->of[i] != NULL;
		for (int k = 0; k < i && first; k++)
			first = !r->of[k] || !same(r, r->of[k], r->of[i]);
		if (!first)
			continue;
		bxt_buffer_printf(&all, "%s%s", all.text ? ", " : "", r->of[i]);
		bxt_nearest_offer(&near, r->of[i]);
	}
	bxt_error(r->d, r->settings->absolute_place,
		  "absolute: no coordinate of the model is in '%s', nor a momentum; they are in "
		  "%s%s",
		  e->unit, all.text ? all.text : "no unit", bxt_did_you_mean(r->arena, near.best));
	bxt_buffer_free(&all);
	r->errors++;
}

/* Reads one quantity: a number and a unit that some entry of the state has. */
static bxt_status read_entry(reader *r, const char *text)
{
	const bxt_place place = r->settings->absolute_place;
	double number;
	const char *unit = text + bxt_read_number(text, strlen(text), &number);
	const bool is_number = unit != text;
	while (*unit == ' ' || *unit == '\t' || *unit == '\n')
		unit++;
	entry e = {text, *unit ? unit : "1", 0};
	const bxt_quantity_error error =
		bxt_quantity_read(r->units, text, is_number ? e.unit : "", &e.value);
	if (error == BXT_QUANTITY_BAD_UNIT || error == BXT_QUANTITY_WRONG_UNIT) {
		report_unit(r, &e);
		return BXT_OK;
	}
	const bxt_status status = bxt_quantity_report(
		r->units, error, text, is_number ? e.unit : "", "absolute", place, r->d);
	if (status != BXT_OK) {
		r->errors++;
		return status == BXT_ERR_MODEL ? BXT_OK : status;
	}
	bool used = false;
	for (int i = 0; i < 2 * r->s->n && !used; i++)
		used = fits(r, &e, i);
	const char *other = NULL;
	for (size_t k = 0; k < r->n && !other; k++)
		if (same(r, e.unit, r->entries[k].unit))
			other = r->entries[k].text;
	if (r->no_memory)
		return BXT_ERR_MEMORY;
	if (!(e.value > 0)) {
		bxt_error(r->d, place, "absolute: '%s' must be above 0", text);
		r->errors++;
	} else if (!used) {
		report_unit(r, &e);
	} else if (other) {
		bxt_error(r->d, place, "absolute: '%s' and '%s' are for the same coordinates",
			  other, text);
		r->errors++;
	}
	BXT_TRY(BXT_GROW(r->entries, r->c, r->n + 1));
	r->entries[r->n++] = e;
	return BXT_OK;
}

static bxt_status read_list(reader *r)
{
	static const char *const blanks = " \t\n";
	const char *at = r->settings->absolute;
	for (;;) {
		at += strspn(at, blanks);
		const size_t length = strcspn(at, ";");
		size_t end = length;
		while (end > 0 && strchr(blanks, at[end - 1]))
			end--;
		const char *text = bxt_arena_strndup(r->arena, at, end);
		if (!text)
			return BXT_ERR_MEMORY;
		BXT_TRY(read_entry(r, text));
		if (!at[length])
			return BXT_OK;
		at += length + 1;
		at += strspn(at, blanks);
		if (!*at) /* a semicolon ends the list as well */
			return BXT_OK;
	}
}

bxt_status bxt_absolute_read(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d,
			     double *out)
{
	const size_t n = 2 * (size_t)s->n;
	for (size_t i = 0; out && i < n; i++)
		out[i] = 0;
	if (!settings->absolute)
		return BXT_OK;
	reader r = {.s = s, .settings = settings, .arena = bxt_arena_new(), .d = d};
	r.units = bxt_library_units(s->net->origin.library);
	r.of = r.arena ? BXT_NEW(r.arena, const char *, n + 1) : NULL;
	bxt_status status = r.of ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		find_units(&r);
		status = r.no_memory ? BXT_ERR_MEMORY : read_list(&r);
	}
	for (size_t i = 0; out && status == BXT_OK && i < n; i++)
		for (size_t k = 0; k < r.n; k++)
			if (fits(&r, &r.entries[k], (int)i))
				out[i] = r.entries[k].value;
	if (r.no_memory)
		status = BXT_ERR_MEMORY;
	free(r.entries);
	bxt_arena_free(r.arena);
	return status != BXT_OK ? status : r.errors > 0 ? BXT_ERR_MODEL : BXT_OK;
}
