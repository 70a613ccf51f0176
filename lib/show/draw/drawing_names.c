/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the parts of a drawing that refer to others by name: connections, bindings, and the
 * quantities that signals read.
 */
#include "show/draw/drawing.h"

#include <ctype.h>
#include <string.h>

enum { MOST_CHARACTERS = 36 }; /* of an expression of a signal */

/* ---- Designators ---- */

/* Finds the id in a scope. Returns the value in the maps of scopes; -1: none. */
static int id_in(const bxt_drawn_scope *scope, const char *word)
{
	const int signal = bxt_map_get(&scope->signals, word);
	const int id = bxt_map_get(&scope->ids, word);
	return id < 0 && signal >= 0 ? 2 * signal : id;
}

/* Copies the word at *at. *at then points behind the word and its dot. */
static const char *next_word(bxt_drawing *g, const char **at, const char *end)
{
	const char *dot = memchr(*at, '.', (size_t)(end - *at));
	const char *word = bxt_arena_strndup(g->arena, *at, (size_t)((dot ? dot : end) - *at));
	*at = dot ? dot + 1 : end;
	g->failed = g->failed || !word;
	return word;
}

/*
 * Is the scope a whole file, so that its <input>s are known in it and in the subsystems written
 * there?
 */
static bool is_file(const bxt_drawing *g, int scope)
{
	return g->scopes[scope].parent < 0 || g->scopes[scope].href;
}

/* The <input> of that name, which the file of a scope declares; -1: none. */
static int find_input(bxt_drawing *g, int scope, const char *text, size_t length)
{
	while (!is_file(g, scope))
		scope = g->scopes[scope].parent;
	const char *name = bxt_arena_strndup(g->arena, text, length);
	g->failed = g->failed || !name;
	return name ? bxt_map_get(&g->scopes[scope].inputs, name) : -1;
}

static int find(bxt_drawing *g, int scope, const char *text, size_t length, bool node,
		const char **rest)
{
	const char *at = text, *end = text + length;
	while (at < end) {
		const char *word = next_word(g, &at, end);
		if (!word)
			return -1;
		int there = id_in(&g->scopes[scope], word);
		if (node && at == end) {
			const int shape = bxt_map_get(&g->scopes[scope].nodes, word);
			there = shape >= 0 ? 2 * shape : -1;
		}
		if (there >= 0 && there % 2 == 1) {
			scope = there / 2;
			continue;
		}
		*rest = bxt_arena_strndup(g->arena, at, (size_t)(end - at));
		g->failed = g->failed || !*rest;
		return there >= 0 && *rest ? there / 2 : -1;
	}
	return -1;
}

/*
 * Finds the shape that a designator begins with, as seen from a scope. The rest of the designator
 * is in the arena ("" for an empty rest); -1: none.
 */
static int find_designated(bxt_drawing *g, int scope, const char *text, size_t length,
			   const char **rest)
{
	static const char open[] = "node(";
	*rest = NULL;
	if (length < sizeof open - 1 || strncmp(text, open, sizeof open - 1) != 0) {
		const int shape = find(g, scope, text, length, false, rest);
		return shape >= 0 ? shape : find_input(g, scope, text, length);
	}
	const char *path = text + sizeof open - 1, *end = text + length;
	const char *close = memchr(path, ')', (size_t)(end - path)), *inside;
	if (!close)
		return -1;
	const int shape = find(g, scope, path, (size_t)(close - path), true, &inside);
	const char *name = close + 1 < end && close[1] == '.' ? close + 2 : close + 1;
	*rest = bxt_arena_strndup(g->arena, name, (size_t)(end - name));
	g->failed = g->failed || !*rest;
	return *rest ? shape : -1;
}

/* ---- Signals ---- */

/* Finds the next designator in an expression: [*from, *to); false: there are none after *to. */
static bool next_designator(const char *text, size_t *from, size_t *to)
{
	size_t i = *to;
	for (;;) {
		while (text[i] && !isalnum((unsigned char)text[i]) && text[i] != '_')
			i++;
		if (!text[i])
			return false;
		const bool number = isdigit((unsigned char)text[i]);
		*from = i;
		while (isalnum((unsigned char)text[i]) || text[i] == '_' || text[i] == '.')
			i++;
		const bool node = i - *from == 4 && strncmp(text + *from, "node", 4) == 0;
		const char *close = node && text[i] == '(' ? strchr(text + i, ')') : NULL;
		if (close) {
			i = (size_t)(close + 1 - text);
			while (isalnum((unsigned char)text[i]) || text[i] == '_' || text[i] == '.')
				i++;
		}
		*to = i;
		if (!number)
			return true;
	}
}

/* Joins each quantity that an expression reads, once, to `shape`. */
static void join_reads(bxt_drawing *g, int scope, const char *text, int shape)
{
	size_t from, to = 0;
	const size_t first = g->n_lines;
	while (!g->failed && next_designator(text, &from, &to)) {
		const char *rest;
		const int source = find_designated(g, scope, text + from, to - from, &rest);
		bool there = source < 0 || source == shape;
		for (size_t i = first; i < g->n_lines && !there; i++)
			there = g->lines[i].from == source && rest && g->lines[i].at_from &&
				strcmp(g->lines[i].at_from, rest) == 0;
		if (!there)
			bxt_drawing_line(
				g, (bxt_drawn_line){BXT_LINE_SIGNAL, source, shape, rest, NULL});
	}
}

/* The shape that is read if the expression is a single designator; -1: it is not. */
static int only_read(bxt_drawing *g, int scope, const char *text, const char **rest)
{
	size_t from, to = 0;
	if (!next_designator(text, &from, &to) || from != 0 || text[to])
		return -1;
	return find_designated(g, scope, text, to, rest);
}

/* ---- Inputs ---- */

static void add_inputs(bxt_drawing *g, int scope)
{
	for (const bxt_item *c = NULL;
	     !g->failed && (c = bxt_item_child(g->scopes[scope].item, "input", c));) {
		const char *name = bxt_item_get(c, "name");
		if (!name)
			continue;
		const int shape = bxt_drawing_shape(
			g, (bxt_shape){.type = BXT_SHAPE_INPUT, .scope = scope, .id = name});
		if (shape < 0 || bxt_map_put(&g->scopes[scope].inputs, name, shape) != BXT_OK)
			g->failed = true;
	}
}

/* Joins an element to the inputs that its values depend on. */
static void read_inputs(bxt_drawing *g, int scope, const bxt_item *element)
{
	const char *id = bxt_item_get(element, "id");
	const int index = id ? bxt_map_get(&g->scopes[scope].ids, id) : -1;
	if (index < 0 || index % 2 == 1)
		return;
	for (const bxt_attribute *a = NULL; (a = bxt_item_attribute(element, a));) {
		size_t from, to = 0;
		const size_t first = g->n_lines;
		while (a->value[0] == '=' && !g->failed && next_designator(a->value, &from, &to)) {
			const int shape = find_input(g, scope, a->value + from, to - from);
			bool there = shape < 0;
			for (size_t i = first; i < g->n_lines && !there; i++)
				there = g->lines[i].from == shape;
			if (!there)
				bxt_drawing_line(g, (bxt_drawn_line){BXT_LINE_SIGNAL, shape,
								     index / 2, NULL, a->name});
		}
	}
}

static void join_inputs(bxt_drawing *g)
{
	for (size_t s = 0; s < g->n_scopes; s++)
		for (const bxt_item *c = NULL;
		     !g->failed && (c = bxt_item_child(g->scopes[s].item, NULL, c));)
			if (bxt_drawing_is_element(c))
				read_inputs(g, (int)s, c);
}

static void read_signal(bxt_drawing *g, int scope, const bxt_item *item)
{
	const char *id = bxt_item_get(item, "id"), *to = bxt_item_get(item, "to");
	const char *text = bxt_item_content(g->arena, item), *at_to = NULL, *rest = NULL;
	const int named = id ? bxt_map_get(&g->scopes[scope].signals, id) : -1;
	int target = to ? find_designated(g, scope, to, strlen(to), &at_to) : named;
	if (!text || g->failed) {
		g->failed = true;
		return;
	}
	if (to && named >= 0) { /* a name for an input */
		bxt_drawing_line(g, (bxt_drawn_line){BXT_LINE_SIGNAL, named, target, NULL, at_to});
		target = named;
		at_to = NULL;
	}
	if (!*text || target < 0)
		return;
	const int source = only_read(g, scope, text, &rest);
	if (source >= 0) {
		bxt_drawing_line(g, (bxt_drawn_line){BXT_LINE_SIGNAL, source, target, rest, at_to});
		return;
	}
	const char *words = bxt_drawing_short(g, text, MOST_CHARACTERS);
	const int box = bxt_drawing_shape(
		g, (bxt_shape){.type = BXT_SHAPE_TEXT, .scope = scope, .id = words});
	bxt_drawing_line(g, (bxt_drawn_line){BXT_LINE_SIGNAL, box, target, NULL, at_to});
	join_reads(g, scope, text, box);
}

void bxt_drawing_signals(bxt_drawing *g)
{
	for (size_t s = 0; s < g->n_scopes; s++)
		if (is_file(g, (int)s))
			add_inputs(g, (int)s);
	for (size_t s = 0; s < g->n_scopes; s++)
		for (const bxt_item *c = NULL;
		     !g->failed && (c = bxt_item_child(g->scopes[s].item, "signal", c));) {
			const char *id = bxt_item_get(c, "id");
			if (!id || bxt_map_get(&g->scopes[s].signals, id) >= 0)
				continue;
			const int shape = bxt_drawing_shape(
				g,
				(bxt_shape){.type = BXT_SHAPE_SIGNAL, .scope = (int)s, .id = id});
			if (shape < 0 || bxt_map_put(&g->scopes[s].signals, id, shape) != BXT_OK)
				g->failed = true;
		}
	join_inputs(g);
	for (size_t s = 0; s < g->n_scopes; s++)
		for (const bxt_item *c = NULL;
		     !g->failed && (c = bxt_item_child(g->scopes[s].item, "signal", c));)
			read_signal(g, (int)s, c);
}

/* ---- Connections ---- */

static void join_ports(bxt_drawing *g, int scope, int connection, const char *list)
{
	static const char between[] = " \t\r\n,";
	const size_t first = g->n_lines;
	for (const char *word = list; !g->failed && *word;) {
		const char *rest;
		word += strspn(word, between);
		const size_t length = strcspn(word, between);
		const int port = length ? find_designated(g, scope, word, length, &rest) : -1;
		bool there = port < 0;
		for (size_t i = first; i < g->n_lines && !there; i++)
			there = g->lines[i].to == port &&
				(g->shapes[port].type == BXT_SHAPE_PORT || !rest ||
				 strcmp(g->lines[i].at_to, rest) == 0);
		if (!there)
			bxt_drawing_line(g, (bxt_drawn_line){BXT_LINE_CONNECTION, connection, port,
							     NULL, rest});
		word += length;
	}
}

/* Reads attributes and text that may name ports: a and b, lists, the row of a <sigma>. */
static void read_connection(bxt_drawing *g, int scope, const bxt_item *item)
{
	const bool plain = strcmp(item->name, "connect") == 0;
	bxt_shape shape = {.type = BXT_SHAPE_CONNECTION,
			   .scope = scope,
			   .id = bxt_item_get(item, "id"),
			   .word = plain ? NULL : item->name};
	const char *ratio = bxt_item_get(item, "ratio");
	if (ratio)
		shape.value = bxt_drawing_short(g, ratio + (ratio[0] == '='), MOST_CHARACTERS);
	const int index = bxt_drawing_shape(g, shape);
	if (index < 0)
		return;
	if (shape.id && bxt_map_get(&g->scopes[scope].ids, shape.id) < 0 &&
	    bxt_map_put(&g->scopes[scope].ids, shape.id, 2 * index) != BXT_OK)
		g->failed = true;
	static const char *const attributes[] = {"a", "b", "ports", "flows"};
	for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++) {
		const char *list = bxt_item_get(item, attributes[k]);
		if (list)
			join_ports(g, scope, index, list);
	}
	const char *text = plain ? "" : bxt_item_content(g->arena, item);
	size_t from, to = 0;
	while (text && !g->failed && next_designator(text, &from, &to)) {
		char *word = bxt_arena_strndup(g->arena, text + from, to - from);
		if (word)
			join_ports(g, scope, index, word);
		g->failed = g->failed || !word;
	}
}

static void read_bindings(bxt_drawing *g, int scope, const bxt_item *item)
{
	const char *id = bxt_item_get(item, "id"), *rest;
	const int index = id ? bxt_map_get(&g->scopes[scope].ids, id) : -1;
	const bxt_component *c =
		index >= 0 && index % 2 == 0 ? g->shapes[index / 2].component : NULL;
	for (int k = 0; c && k < c->n_bindings; k++) {
		const char *to = bxt_item_get(item, c->bindings[k].name);
		const int other = to ? find_designated(g, scope, to, strlen(to), &rest) : -1;
		bxt_drawing_line(g, (bxt_drawn_line){BXT_LINE_BINDING, index / 2, other,
						     c->bindings[k].name, NULL});
	}
}

void bxt_drawing_connections(bxt_drawing *g)
{
	for (size_t s = 0; s < g->n_scopes; s++)
		for (const bxt_item *c = NULL;
		     !g->failed && (c = bxt_item_child(g->scopes[s].item, NULL, c));) {
			if (bxt_drawing_is_element(c))
				read_bindings(g, (int)s, c);
			if (strcmp(c->name, "interconnection") != 0)
				continue;
			for (const bxt_item *x = NULL;
			     !g->failed && (x = bxt_item_child(c, NULL, x));)
				read_connection(g, (int)s, x);
		}
}
