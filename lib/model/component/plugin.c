/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a <plugin>: a shared object that replaces <update>s. It is not loaded here. */
#include "model/component/component_internal.h"

#include <string.h>

typedef struct bxt_component_builder builder;

static const char between[] = " \t\r\n,";
static const char in_names[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789.";

/* The names in an attribute, separated by white space or commas; `once`: each at most once. */
static const char **read_names(builder *b, const bxt_item *item, const char *attribute, bool once,
			       int *n)
{
	const bxt_place place = bxt_component_place_of(b, item);
	const char *text = bxt_component_optional(b, item, attribute);
	size_t most = 0;
	for (const char *s = text + strspn(text, between); *s; s += strspn(s, between), most++)
		s += strcspn(s, between);
	const char **names = BXT_NEW(b->arena, const char *, most);
	b->no_memory = b->no_memory || !names;
	for (const char *s = text + strspn(text, between); *s && names;) {
		const size_t length = strcspn(s, between);
		const char *name = bxt_arena_strndup(b->arena, s, length);
		s += length;
		s += strspn(s, between);
		if (!name) {
			b->no_memory = true;
			break;
		}
		if (name[strspn(name, in_names)])
			BXT_FAIL(b, place, "<plugin> %s=\"…\": '%s' is no name", attribute, name);
		for (int i = 0; i < *n && once; i++)
			if (strcmp(names[i], name) == 0)
				BXT_FAIL(b, place, "<plugin> %s '%s' twice", attribute, name);
		names[(*n)++] = name;
	}
	return names;
}

void bxt_component_read_plugin(builder *b, const bxt_item *item)
{
	const bxt_place place = bxt_component_place_of(b, item);
	if (b->c->sampled.plugin) {
		BXT_FAIL(b, place, "a second <plugin>; the first is in line %d",
			 b->c->sampled.plugin->place.line);
		return;
	}
	bxt_plugin_part *p = b->c->sampled.plugin = BXT_NEW(b->arena, bxt_plugin_part, 1);
	if (!p) {
		b->no_memory = true;
		return;
	}
	p->place = place;
	if (bxt_item_get(item, "file"))
		p->file = bxt_component_required(b, item, "file");
	if (*bxt_component_content(b, item))
		BXT_FAIL(b, place, "<plugin> is empty: what it does is in the shared object");
	p->reads = read_names(b, item, "reads", false, &p->n_reads);
	p->writes = read_names(b, item, "writes", true, &p->n_writes);
	if (p->n_writes == 0 && !b->no_memory)
		BXT_FAIL(b, place, "<plugin> needs writes=\"…\", the states that it gives values");
	/* elements have an attribute of that name for another file */
	bxt_component_declare(b, place, "plugin", false);
}

int bxt_component_count_writes(const bxt_component *c, const char *state)
{
	int n = 0;
	for (int i = 0; c->sampled.plugin && i < c->sampled.plugin->n_writes; i++)
		n += strcmp(c->sampled.plugin->writes[i], state) == 0;
	return n;
}

void bxt_component_check_plugin(builder *b)
{
	const bxt_component *c = b->c;
	for (int i = 0; i < c->sampled.plugin->n_writes; i++) {
		bxt_nearest_search near = {.name = c->sampled.plugin->writes[i]};
		bool found = false;
		for (int k = 0; k < c->n_coordinates; k++)
			if (c->coordinates[k].role == BXT_STATE) {
				found = found || strcmp(c->coordinates[k].name, near.name) == 0;
				bxt_nearest_offer(&near, c->coordinates[k].name);
			}
		if (!found)
			BXT_FAIL(b, c->sampled.plugin->place,
				 "<plugin> writes '%s': there is no such state%s", near.name,
				 bxt_did_you_mean(b->arena, near.best));
	}
	if (!c->sampled.sample.period)
		BXT_FAIL(b, c->sampled.plugin->place,
			 "<plugin>: when it is called must be said by <sample period=\"…\"/>");
}

int bxt_component_find(const bxt_component *c, const char *name)
{
	for (int i = 0; i < c->n_coordinates; i++)
		if (strcmp(c->coordinates[i].name, name) == 0)
			return i;
	return -1;
}
