/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The two languages as tables: every element with the elements that it stands in, its attributes
 * and its text. Readers search these rows for each element and attribute, so that a netlist can
 * only use what is in a table. The schema, the reference and the man pages are printed from the
 * same rows.
 */
#ifndef BXT_NETLIST_LANGUAGE_H
#define BXT_NETLIST_LANGUAGE_H

#include "model/netlist/netlist.h"

typedef enum bxt_language { BXT_LANGUAGE_NETLIST, BXT_LANGUAGE_COMPONENT } bxt_language;

/* The kind of an attribute or a text: a word of the reference, and the type of the schema. */
typedef struct bxt_value_type {
	const char *name, *xsd, *doc;
} bxt_value_type;

typedef struct bxt_attribute_row {
	const char *name;
	const char *type;      /* a bxt_value_type, or a setting whose values have names */
	const char *otherwise; /* the default; NULL: none */
	bool required;
	const char *doc;
} bxt_attribute_row;

enum { BXT_MOST_ATTRIBUTES = 24 };

typedef struct bxt_element_row {
	const char *name;
	const char *inside; /* names of the elements that it stands in, separated by spaces; "":
			     * it is the root */
	const char *holds;  /* "" nothing, "elements", or the type of its text */
	const char *doc;
	const char *more;    /* its further attributes and their origin; or NULL */
	const char *example; /* XML that compiles as part of a model */
	bxt_attribute_row attributes[BXT_MOST_ATTRIBUTES]; /* the end: name NULL */
} bxt_element_row;

/* All rows of a language in the order in which they are explained; the end: name NULL. */
extern const bxt_element_row bxt_netlist_rows[], bxt_component_rows[];
/* An element of a netlist that is a use of a component; its attributes are those of the component.
 */
extern const bxt_element_row bxt_component_use;
/* The types of values; the end: name NULL. */
extern const bxt_value_type bxt_value_types[];

/* The rows of a language. */
const bxt_element_row *bxt_language_rows(bxt_language language);
/* The row of an element of that name inside another ("": the root); NULL: there is none. */
const bxt_element_row *bxt_language_find(bxt_language language, const char *inside,
					 const char *name);
/* The same of an item. The elements of a scope are found inside a netlist and inside a subsystem.
 */
const bxt_element_row *bxt_language_of(bxt_language language, const bxt_item *item);
/* Any row of that name, for messages about elements in the wrong place; NULL: none. */
const bxt_element_row *bxt_language_anywhere(bxt_language language, const char *name);
/* Does the row have an attribute of that name? */
bool bxt_language_has(const bxt_element_row *row, const char *name);
/*
 * The first attribute behind `after` (NULL: from the start) that the row does not have; NULL: none.
 * *near is the nearest name that it has, or NULL.
 */
const bxt_attribute *bxt_language_stray(const bxt_element_row *row, const bxt_item *item,
					const bxt_attribute *after, const char **near);
/* The name of an element inside `inside` that is nearest to `name`; NULL: none is near. */
const char *bxt_language_nearest(bxt_language language, const char *inside, const char *name);

#endif
