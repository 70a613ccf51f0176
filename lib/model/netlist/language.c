/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds elements and attributes in the tables of the two languages. */
#include "model/netlist/language.h"

#include "ground/base/text.h"

#include <string.h>

const bxt_value_type bxt_value_types[] = {
	{"id", "id",
	 "A name that is unique in its scope: a letter or _, then letters, digits, _ or -."},
	{"name", "id",
	 "A name that expressions can use: a letter or _, then letters, digits or _, and no word "
	 "of the language."},
	{"node", "node",
	 "The name of a node: as an id, or digits alone. 0 and wall are the "
	 "references; ground is another name of both."},
	{"quantity", "quantity",
	 "A number with a unit, \"10 uF\", or =EXPRESSION in the parameters of the file and pi. A "
	 "number without a unit counts in the unit of what it is for."},
	{"count", "count", "A whole number, 1 or more."},
	{"number", "xs:double", "A number without a unit, or =EXPRESSION."},
	{"text", "xs:string", "Any text."},
	{"unit", "xs:string", "A unit, \"kg.m2\", \"V/s\"; \"1\": a pure number."},
	{"name-of", "xs:string",
	 "The name of a quantity, of an element or of a port, as seen from the "
	 "scope: R1.i, node(a).x, store.s."},
	{"names", "xs:string", "Several names, separated by blanks or commas."},
	{"file", "xs:string", "A file in the folder of the file that names it, or below."},
	{"expression", "xs:string",
	 "An expression; the functions are listed by 'boxtimes reference "
	 "functions'."},
	{"matrix", "xs:string", "Expressions; entries end with a comma, rows with a semicolon."},
	{"flag", "xs:string", "true or false."},
	{"choice", "xs:string", "One of the words that the text lists."},
	{"kind", "kind",
	 "A kind of ports: electrical, hydraulic, thermal, magnetic, translational, "
	 "rotational, planar or spatial."},
	{"interpolation", "interpolation", "linear, hold or cubic."},
	{"outside", "outside", "hold, extend or periodic."},
	{NULL, NULL, NULL},
};

const bxt_element_row *bxt_language_rows(bxt_language language)
{
	return language == BXT_LANGUAGE_NETLIST ? bxt_netlist_rows : bxt_component_rows;
}

/* Is `word` one of the words of a list? */
static bool lists(const char *list, const char *word)
{
	const size_t length = strlen(word);
	for (const char *at = list; length && (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	return length == 0 && !*list;
}

const bxt_element_row *bxt_language_find(bxt_language language, const char *inside,
					 const char *name)
{
	for (const bxt_element_row *row = bxt_language_rows(language); row->name; row++)
		if (strcmp(row->name, name) == 0 && lists(row->inside, inside))
			return row;
	return NULL;
}

const bxt_element_row *bxt_language_of(bxt_language language, const bxt_item *item)
{
	/* a <component> inside a netlist is a root of its own */
	const bool root = !item->parent || (language == BXT_LANGUAGE_COMPONENT &&
					    strcmp(item->name, "component") == 0);
	return bxt_language_find(language, root ? "" : item->parent->name, item->name);
}

const bxt_element_row *bxt_language_anywhere(bxt_language language, const char *name)
{
	for (const bxt_element_row *row = bxt_language_rows(language); row->name; row++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

bool bxt_language_has(const bxt_element_row *row, const char *name)
{
	for (const bxt_attribute_row *a = row->attributes; a->name; a++)
		if (strcmp(a->name, name) == 0)
			return true;
	return false;
}

const bxt_attribute *bxt_language_stray(const bxt_element_row *row, const bxt_item *item,
					const bxt_attribute *after, const char **near)
{
	for (const bxt_attribute *a = after; (a = bxt_item_attribute(item, a));) {
		if (bxt_attribute_is_foreign(a) || bxt_language_has(row, a->name))
			continue;
		bxt_nearest_search search = {.name = a->name};
		for (const bxt_attribute_row *k = row->attributes; k->name; k++)
			bxt_nearest_offer(&search, k->name);
		*near = search.best;
		return a;
	}
	return NULL;
}

const char *bxt_language_nearest(bxt_language language, const char *inside, const char *name)
{
	bxt_nearest_search search = {.name = name};
	for (const bxt_element_row *row = bxt_language_rows(language); row->name; row++)
		if (lists(row->inside, inside))
			bxt_nearest_offer(&search, row->name);
	return search.best;
}
