/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a <spice>: how decks of SPICE write the elements of a component. */
#include "model/component/component_internal.h"

#include "ground/base/text.h"

#include <string.h>

static const char blank[] = " \t\r\n";

const char *bxt_component_names(struct bxt_component_builder *b, const bxt_item *item,
				const char *attribute)
{
	return bxt_item_get(item, attribute) ? bxt_component_optional(b, item, attribute) : NULL;
}

void bxt_component_read_spice(struct bxt_component_builder *b, const bxt_item *item)
{
	const bxt_place place = bxt_component_place_of(b, item);
	if (b->c->spice) {
		BXT_FAIL(b, place, "a second <spice>; the first is in line %d",
			 b->c->spice->place.line);
		return;
	}
	bxt_spice_part *s = b->c->spice = BXT_NEW(b->arena, bxt_spice_part, 1);
	if (!s) {
		b->no_memory = true;
		return;
	}
	s->place = place;
	const char *letter = bxt_component_required(b, item, "letter");
	s->letter = (char)(letter[0] | ('a' ^ 'A'));
	if (*letter && (letter[1] || s->letter < 'a' || s->letter > 'z'))
		BXT_FAIL(b, place, "<spice>: '%s' is not one letter", letter);
	s->nodes = bxt_component_required(b, item, "nodes");
	if (bxt_item_get(item, "when"))
		s->when = (bxt_written){bxt_component_required(b, item, "when"), place};
	s->silent = bxt_component_names(b, item, "silent");
	s->warm = bxt_component_names(b, item, "warm");
	s->without = bxt_component_names(b, item, "without");
	s->line_names = bxt_component_names(b, item, "line");
}

static bool has_port(const bxt_component *c, const char *name, size_t length)
{
	for (int i = 0; i < c->n_ports; i++)
		if (strlen(c->ports[i].name) == length &&
		    strncmp(c->ports[i].name, name, length) == 0)
			return true;
	return false;
}

void bxt_component_check_spice(struct bxt_component_builder *b)
{
	const bxt_component *c = b->c;
	if ((c->model_type != NULL) != (c->spice != NULL))
		BXT_FAIL(b, c->place,
			 "a component of decks has both the attribute spice=\"…\" and the element "
			 "<spice>");
	for (const char *s = c->spice ? c->spice->nodes : ""; *(s += strspn(s, blank));) {
		const size_t length = strcspn(s, blank);
		if (!has_port(c, s, length))
			BXT_FAIL(b, c->spice->place, "<spice>: there is no port '%.*s'",
				 (int)length, s);
		s += length;
	}
}
