/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lists of what is recorded, as texts. Items stand between commas outside parentheses. An item is a
 * designator, a pattern of designators with '*' for any path (node(*).v, *.i), or an expression of
 * designators with or without a name (gain = node(b).v/node(a).v).
 */
#ifndef BXT_NAMES_DESIGNATOR_LIST_H
#define BXT_NAMES_DESIGNATOR_LIST_H

#include "model/names/designator.h"

/* The length of the first item, white space included: up to a comma outside parentheses. */
size_t bxt_record_item_length(const char *list);
/* Cuts "NAME = TEXT" in place; returns TEXT. *name is NULL where there is no name. */
char *bxt_record_cut_name(char *item, const char **name);
/* May a column have that name? */
bool bxt_record_is_name(const char *name);
/* Does the text contain something that no designator contains? A '-' may be part of an id. */
bool bxt_record_is_expression(const char *text);
/* Is a text that is no name itself a difference of names, such as a.i-b.i? */
bool bxt_record_is_difference(bxt_names *n, const char *text);
/* Does a '*' stand for a path, other than in "PATH.*"? */
bool bxt_record_is_pattern(const char *text);
/* Visits the designators that a pattern fits, in the order of the network; false: memory ended. */
bool bxt_record_match(bxt_names *n, const char *pattern,
		      void (*visit)(void *, const char *text, const bxt_designator *),
		      void *visitor);

#endif
