/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads <symmetry name="rotation"><generator on="x">-y</generator> ... of a component. */
#include "model/component/symmetry.h"

#include "ground/base/text.h"
#include "model/netlist/language.h"

#include <string.h>

struct reader {
	bxt_arena *arena;
	bxt_symmetry *s;
	bxt_diagnostics *d;
	bool *bad;
};

#define FAIL(r, place, ...)                                                                        \
	do {                                                                                       \
		*(r)->bad = true;                                                                  \
		bxt_error((r)->d, (place), __VA_ARGS__);                                           \
	} while (0)

static void check_attributes(struct reader *r, const bxt_item *item)
{
	const bxt_element_row *row = bxt_language_of(BXT_LANGUAGE_COMPONENT, item);
	const char *near = NULL;
	if (!row)
		FAIL(r, item->place, "<%s> is no element of the component language", item->name);
	for (const bxt_attribute *a = NULL; row && (a = bxt_language_stray(row, item, a, &near));)
		FAIL(r, item->place, "<%s> has no attribute '%s'%s", item->name, a->name,
		     bxt_did_you_mean(r->arena, near));
	const bxt_item *inner = bxt_item_child(item, NULL, NULL);
	if (inner)
		FAIL(r, inner->place, "<%s> cannot stand inside <%s>", inner->name, item->name);
}

static bxt_status read_generator(struct reader *r, const bxt_item *item)
{
	bxt_symmetry *s = r->s;
	bxt_generator *g = &s->generators[s->n_generators];
	const char *on = bxt_item_get(item, "on");
	check_attributes(r, item);
	/* the symmetry's copy of the file name lives as long as the component */
	g->expression.place = (bxt_place){s->place.file, item->place.line};
	g->expression.text = bxt_item_content(r->arena, item);
	g->on = bxt_arena_strdup(r->arena, on ? on : "");
	if (!g->on || !g->expression.text)
		return BXT_ERR_MEMORY;
	if (!*g->on)
		FAIL(r, item->place, "<generator> needs the attribute on=\"…\"");
	if (!*g->expression.text)
		FAIL(r, item->place, "<generator> is empty: it needs an expression");
	for (int i = 0; i < s->n_generators && *g->on; i++)
		if (strcmp(s->generators[i].on, g->on) == 0)
			FAIL(r, item->place,
			     "<symmetry> '%s': a second <generator> on '%s'; the first is in line "
			     "%d",
			     s->name, g->on, s->generators[i].expression.place.line);
	s->n_generators++;
	return BXT_OK;
}

static bxt_status read_part(struct reader *r, const bxt_item *item)
{
	if (strcmp(item->name, "generator") == 0)
		return read_generator(r, item);
	if (strcmp(item->name, "doc") != 0) {
		FAIL(r, item->place, "<symmetry> has no <%s>%s", item->name,
		     bxt_did_you_mean(r->arena, bxt_language_nearest(BXT_LANGUAGE_COMPONENT,
								     "symmetry", item->name)));
		return BXT_OK;
	}
	check_attributes(r, item);
	r->s->doc = bxt_item_content(r->arena, item);
	return r->s->doc ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_component_read_symmetry(bxt_arena *arena, const bxt_item *item, bxt_symmetry *out,
				       bxt_diagnostics *d, bool *bad)
{
	struct reader r = {arena, out, d, bad};
	size_t n = 0;
	for (const bxt_item *i = NULL; (i = bxt_item_child(item, "generator", i));)
		n++;
	out->doc = "";
	out->generators = BXT_NEW(arena, bxt_generator, n);
	if (!out->generators)
		return BXT_ERR_MEMORY;
	for (const bxt_item *i = item->first; i; i = i->next)
		if (i->type == BXT_ITEM_TEXT && i->text[strspn(i->text, " \t\r\n")])
			FAIL(&r, i->place, "text inside <symmetry> that is in no <generator>");
	for (const bxt_item *i = NULL; (i = bxt_item_child(item, NULL, i));)
		BXT_TRY(read_part(&r, i));
	if (n == 0)
		FAIL(&r, out->place, "<symmetry> '%s' has no <generator on=\"…\">", out->name);
	return BXT_OK;
}
