/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Helpers that read any element of a component: words, attributes, texts, names of its scope. */
#include "model/component/component_internal.h"

#include "ground/expr/functions.h"

#include <string.h>

/* ---- Words ---- */

static const char *const reserved[] = {
	"id",         "href",       "name",      "xmlns",           "t",
	"h",          "pi",         "if",        "netlist",         "rule",
	"force-rule", "simulation", "subsystem", "interconnection", "connect",
	"record",     "port",       "node",      "sigma",           "fix",
	"symmetry",   "signal",     "component", "parameter",       "table",
};

bool bxt_is_among(const char *name, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (name[0] == words[i][0] && strcmp(name, words[i]) == 0)
			return true;
	return false;
}

bool bxt_name_is_reserved(const char *name)
{
	return bxt_is_among(name, reserved, sizeof reserved / sizeof *reserved);
}

bool bxt_name_is_function(const char *name)
{
	const bxt_function *f = bxt_function_find(name);
	return f && !bxt_function_is_free(f);
}

/* ---- Helpers ---- */

bxt_place bxt_component_place_of(struct bxt_component_builder *b, const bxt_item *item)
{
	const char *file = item->place.file;
	if (!file || !b->file || strcmp(file, b->file) == 0)
		return (bxt_place){b->file, item->place.line};
	if (!b->like)
		b->like = bxt_component_keep(b, file);
	return (bxt_place){b->like, item->place.line};
}

/* A copy in the arena; "" and no_memory set when memory ends. */
const char *bxt_component_keep(struct bxt_component_builder *b, const char *text)
{
	const char *copy = bxt_arena_strdup(b->arena, text);
	if (copy)
		return copy;
	b->no_memory = true;
	return "";
}

const char *bxt_component_content(struct bxt_component_builder *b, const bxt_item *item)
{
	const char *text = bxt_item_content(b->arena, item);
	if (text)
		return text;
	b->no_memory = true;
	return "";
}

bxt_written bxt_component_written(struct bxt_component_builder *b, const bxt_item *item)
{
	const bxt_written w = {bxt_component_content(b, item), bxt_component_place_of(b, item)};
	if (!*w.text && !b->no_memory)
		BXT_FAIL(b, w.place, "<%s> is empty: it needs an expression", item->name);
	return w;
}

/* A required attribute; "" with a finding when absent. */
const char *bxt_component_required(struct bxt_component_builder *b, const bxt_item *item,
				   const char *attribute)
{
	const char *value = bxt_item_get(item, attribute);
	if (value && *value)
		return bxt_component_keep(b, value);
	BXT_FAIL(b, bxt_component_place_of(b, item), "<%s> needs the attribute %s=\"…\"",
		 item->name, attribute);
	return "";
}

const char *bxt_component_optional(struct bxt_component_builder *b, const bxt_item *item,
				   const char *attribute)
{
	const char *value = bxt_item_get(item, attribute);
	return value ? bxt_component_keep(b, value) : "";
}

/* Declares a name in the component's one scope; in_expressions: it must be valid there. */
void bxt_component_declare(struct bxt_component_builder *b, bxt_place place, const char *name,
			   bool in_expressions)
{
	if (!*name)
		return; /* its absence is already reported */
	if (!bxt_is_name(name))
		BXT_FAIL(b, place,
			 "'%s' is not a name: letters, digits, '_' and '-', no digit first", name);
	else if (bxt_name_is_reserved(name))
		BXT_FAIL(b, place, "the name '%s' is reserved", name);
	else if (in_expressions && strchr(name, '-'))
		BXT_FAIL(b, place, "'%s' cannot be used in expressions, where '-' is minus", name);
	else if (bxt_name_is_function(name))
		BXT_FAIL(b, place, "the name '%s' is that of a function", name);
	else if (bxt_map_get(&b->names, name) >= 0)
		BXT_FAIL(b, place, "the name '%s' is used twice, first in line %d", name,
			 bxt_map_get(&b->names, name));
	else if (bxt_map_put(&b->names, name, place.line) != BXT_OK)
		b->no_memory = true;
}

const char *bxt_component_unit(struct bxt_component_builder *b, const bxt_item *item)
{
	const char *text = bxt_component_optional(b, item, "unit");
	bxt_dimension dimension;
	const bxt_quantity_error error = bxt_units_dimension(b->units, text, &dimension);
	if (error == BXT_QUANTITY_MEMORY)
		b->no_memory = true;
	else if (error != BXT_QUANTITY_OK)
		BXT_FAIL(b, bxt_component_place_of(b, item),
			 "the unit '%s' is not known or has no fixed zero%s", text,
			 bxt_did_you_mean(b->arena, bxt_unit_suggest(b->units, b->arena, text)));
	return text;
}

const char *bxt_component_si_unit(struct bxt_component_builder *b, const bxt_item *item)
{
	const char *unit = bxt_component_unit(b, item);
	char si[BXT_UNIT_TEXT];
	if (!bxt_units_coherent(b->units, unit) &&
	    bxt_units_si(b->units, unit, si, sizeof si) == BXT_QUANTITY_OK)
		BXT_FAIL(b, bxt_component_place_of(b, item),
			 "<%s> has unit=\"%s\", but equations are in SI units: write unit=\"%s\"",
			 item->name, unit, *si ? si : "1");
	return unit;
}

bool bxt_component_converts(const struct bxt_component_builder *b, const char *unit)
{
	return !bxt_units_coherent(b->units, unit) || bxt_units_scale_of(b->units, unit) != 1;
}

bxt_measure bxt_component_measure(const struct bxt_component_builder *b, const char *unit)
{
	bxt_measure m = {.kind = *unit ? BXT_MEASURE_KNOWN : BXT_MEASURE_NUMBER};
	if (*unit && bxt_units_dimension(b->units, unit, &m.dimension) != BXT_QUANTITY_OK)
		m.kind = BXT_MEASURE_ANY;
	return m;
}

bxt_measure bxt_component_measure_coordinate(const struct bxt_component_builder *b,
					     const char *unit)
{
	const bxt_measure any = {.kind = BXT_MEASURE_ANY};
	return !*unit || strcmp(unit, "1") == 0 ? any : bxt_component_measure(b, unit);
}

void bxt_component_check_attributes(struct bxt_component_builder *b, const bxt_item *item)
{
	const bxt_element_row *row = bxt_language_of(BXT_LANGUAGE_COMPONENT, item);
	const char *near = NULL;
	if (!row)
		BXT_FAIL(b, bxt_component_place_of(b, item),
			 "<%s> is no element of the component language", item->name);
	for (const bxt_attribute *a = NULL; row && (a = bxt_language_stray(row, item, a, &near));)
		BXT_FAIL(b, bxt_component_place_of(b, item), "<%s> has no attribute '%s'%s",
			 item->name, a->name, bxt_did_you_mean(b->arena, near));
}

void bxt_component_read_let(struct bxt_component_builder *b, const bxt_item *item)
{
	bxt_let *let = &b->c->lets[b->c->n_lets++];
	let->name = bxt_component_required(b, item, "name");
	bxt_component_declare(b, bxt_component_place_of(b, item), let->name, true);
	const char *unit = bxt_component_si_unit(b, item);
	let->unit = bxt_item_get(item, "unit") ? unit : NULL;
	let->measure = bxt_component_measure(b, unit);
	let->scale = bxt_units_scale_of(b->units, unit);
	let->expression = bxt_component_written(b, item);
}

int bxt_component_count(const bxt_item *element, const char *name)
{
	int n = 0;
	for (const bxt_item *i = NULL; (i = bxt_item_child(element, name, i));)
		n++;
	return n;
}
