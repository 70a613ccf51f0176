/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rewrites <record> lists and rows of <interconnection> with new names (rename.h). */
#include "exchange/rewrite/rename.h"

#include "model/builder/builder.h"
#include "model/names/designator_list.h"
#include "model/netlist/edit.h"

#include <string.h>

static const char white[] = " \t\r\n";

/* ---- Items of scopes ---- */

bxt_meaning bxt_find_id(bxt_arena *arena, const bxt_network *net, int primitive, const char *path)
{
	char *word = bxt_arena_strdup(arena, path);
	int there = -1;
	for (char *dot; word; word = dot + 1) {
		if ((dot = strchr(word, '.')))
			*dot = '\0';
		there = bxt_map_get(&net->primitives[primitive].ids, word);
		if (!dot || there < 0)
			break;
		if (there % 4 != BXT_ID_SUBSYSTEM)
			return (bxt_meaning){-1, -1};
		primitive = there / 4;
	}
	return there < 0 ? (bxt_meaning){-1, -1} : (bxt_meaning){there % 4, there / 4};
}

/* ---- Names of parts in the other network ---- */

static bool is_momentum(const bxt_designator *d)
{
	return d->word == BXT_WORD_MOMENTUM || d->word == BXT_WORD_CENTRED;
}

static const char *owner_there(const bxt_renaming *names, const bxt_designator *d, bxt_arena *arena,
			       const char **why)
{
	const bxt_net_symmetry *s;
	const char *name = NULL;
	switch (d->owner) {
	case BXT_OWNER_ELEMENT:
		return names->element[d->element];
	case BXT_OWNER_NODE:
		*why = "the node is the reference";
		if (is_momentum(d) && names->divided && names->divided[d->element])
			*why = "the momentum of a node is that of all that stands there, which is "
			       "not the same there";
		else
			name = names->node[d->element];
		return name;
	case BXT_OWNER_PORT:
		*why = "the port is gone: read the flows or powers of the elements behind it";
		return names->port[d->element];
	case BXT_OWNER_SIGNAL:
		return names->signal ? names->signal[d->element]
				     : names->net->signal_ids[d->element].id;
	case BXT_OWNER_SYMMETRY:
		*why = "there is no such symmetry any more";
		s = &names->net->symmetries[d->element];
		return s->element >= 0
			       ? bxt_arena_printf(arena, "%s.%s", names->element[s->element], s->id)
		       : names->symmetry ? names->symmetry[d->element]
					 : s->id;
	default:
		*why = "there is no such subsystem any more";
		return NULL;
	}
}

/* "t1.lambda" in the other network, or the potential that equals the multiplier. */
static const char *multiplier_there(const bxt_renaming *names, const bxt_designator *d,
				    bxt_arena *arena)
{
	static const char lambda[] = ".lambda";
	const char *name = names->connection[d->element];
	const size_t length = strlen(name), own = strlen(lambda);
	if (length <= own || strcmp(name + length - own, lambda) != 0)
		return name;
	const char *owner = bxt_arena_strndup(arena, name, length - own);
	return owner ? bxt_names_renamed(names->finder, arena, owner) : NULL;
}

const char *bxt_rename_found(const bxt_renaming *names, const bxt_designator *d, bxt_arena *arena,
			     const char **why)
{
	const char *owner;
	*why = NULL;
	if (d->owner == BXT_OWNER_CONNECTION) {
		if (names->connection[d->element])
			return multiplier_there(names, d, arena);
		*why = "there is no such connection any more";
		return NULL;
	}
	if (d->word == BXT_WORD_DRIFT && d->element == BXT_FAMILY_CONNECTION && !names->connected) {
		*why = "there are no connections any more";
		return NULL;
	}
	if (d->owner == BXT_OWNER_FAMILY)
		return bxt_arena_strdup(arena, names->finder->text);
	if (d->owner == BXT_OWNER_SUBSYSTEM && d->element == 0) /* "energy()" is "energy" */
		return bxt_call_words[BXT_CALL_ENERGY + d->word - BXT_WORD_ENERGY];
	if (!(owner = owner_there(names, d, arena, why)))
		return NULL;
	*why = NULL;
	return bxt_names_renamed(names->finder, arena, owner);
}

/* ---- <record> ---- */

/* State of the rewriting of a list. */
struct record {
	const bxt_renaming *names;
	bxt_arena *arena;
	bxt_place place;
	bxt_diagnostics *d;
	bxt_buffer out;
	bxt_map seen;     /* what was written */
	const char *gone; /* reason why an operand of an expression no longer exists */
	bool bad, failed;
};

/* The item with its words; text is NULL when out of memory. */
static void put(struct record *r, const char *text)
{
	if (!text || r->failed) {
		r->failed = true;
		return;
	}
	if (bxt_map_get(&r->seen, text) >= 0)
		return;
	r->failed = bxt_map_put(&r->seen, text, 1) != BXT_OK;
	if (r->out.length)
		bxt_buffer_printf(&r->out, ", ");
	bxt_buffer_printf(&r->out, "%s", text);
}

/* SUBSYSTEM.*: its elements, those of subsystems inside with them, and signals. */
static void put_all_inside(struct record *r, int primitive)
{
	const bxt_network *net = r->names->net;
	const size_t n_elements = bxt_element_count(net);
	for (size_t i = 0; i < n_elements; i++)
		if (bxt_names_is_inside(net, net->elements[i].primitive, primitive))
			put(r, bxt_arena_printf(r->arena, "%s.*", r->names->element[i]));
	for (size_t i = 0; i < net->n_signal_ids; i++)
		if (bxt_names_is_inside(net, net->signal_ids[i].primitive, primitive))
			put(r, r->names->signal ? r->names->signal[i] : net->signal_ids[i].id);
}

static void put_found(struct record *r, const char *item, const bxt_designator *d, bool written)
{
	const char *why;
	if (d->owner == BXT_OWNER_SUBSYSTEM && d->word == BXT_WORD_ALL) {
		put_all_inside(r, d->element);
		return;
	}
	const char *text = bxt_rename_found(r->names, d, r->arena, &why);
	if (!why)
		put(r, text);
	else if (written)
		bxt_warning(r->d, r->place, "record: '%s' is left out: %s", item, why);
}

/*
 * Adds one of the signals that match a pattern. A match at the reference may be omitted without
 * loss.
 */
static void put_match(void *context, const char *text, const bxt_designator *d)
{
	put_found(context, text, d, false);
}

/* A name in an expression; NULL keeps a function's. */
static const char *rename_operand(struct record *r, const char *text, bool call)
{
	bxt_designator d;
	const char *why = NULL;
	if (bxt_names_find(r->names->finder, 0, text, &d) != BXT_NAME_GOOD) {
		if (!call && !strchr(text, '.'))
			return NULL; /* a function, or the time */
		r->bad = true;
		bxt_error(r->d, r->place, "record: %s",
			  bxt_names_why(r->names->finder, "signal", true));
		return text;
	}
	const char *other = bxt_rename_found(r->names, &d, r->arena, &why);
	if (why && d.owner == BXT_OWNER_NODE && !r->names->node[d.element])
		return "0"; /* the reference */
	r->gone = why ? why : r->gone;
	r->failed = r->failed || (!other && !why);
	return other ? other : text;
}

static const char *rename_word(void *context, const char *word)
{
	return rename_operand(context, word, false);
}

static const char *rename_call(void *context, const char *word)
{
	return rename_operand(context, word, true);
}

static void put_expression(struct record *r, const char *name, const char *text)
{
	r->gone = NULL;
	const char *other = bxt_name_rename_expression(r->arena, text, rename_word, rename_call, r);
	r->failed = r->failed || !other;
	if (r->gone)
		bxt_warning(r->d, r->place, "record: '%s' is left out: %s", name ? name : text,
			    r->gone);
	else if (other && !r->bad)
		put(r, name ? bxt_arena_printf(r->arena, "%s = %s", name, other) : other);
}

static void put_item(struct record *r, char *item)
{
	bxt_names *finder = r->names->finder;
	bxt_designator d;
	const char *name, *text = bxt_record_cut_name(item, &name);
	finder->recorded = true;
	if (name || bxt_record_is_expression(text)) {
		put_expression(r, name, text);
		return;
	}
	if (bxt_record_is_pattern(text)) {
		r->failed = !bxt_record_match(finder, text, put_match, r) || r->failed;
		return;
	}
	if (bxt_names_find(finder, 0, text, &d) == BXT_NAME_GOOD) {
		put_found(r, text, &d, true);
	} else if (bxt_record_is_difference(finder, text)) {
		put_expression(r, name, text);
	} else {
		bxt_names_find(finder, 0, text, &d); /* whose finding is explained */
		r->bad = true;
		bxt_error(r->d, r->place, "record: %s", bxt_names_why(finder, "signal", true));
	}
}

/* A list of several lines keeps its lines: each ends where the author ended it. */
static void put_list(struct record *r, char *list)
{
	for (char *item = list, *next; item; item = next) {
		char *end = item + bxt_record_item_length(item);
		next = *end ? end + 1 : NULL;
		*end = '\0';
		const size_t before = r->out.length, blank = strspn(item, white);
		const char *line = memchr(item, '\n', blank);
		const char *indent = line;
		for (const char *c = line; c && c < item + blank; c++)
			indent = *c == '\n' ? c : indent;
		item += blank;
		while (end > item && strchr(white, end[-1]))
			*--end = '\0';
		if (*item)
			put_item(r, item);
		if (line && before && r->out.length > before && !r->out.failed) {
			/* ", x" becomes ",\n    x" */
			char *rest = bxt_arena_strdup(r->arena, r->out.text + before + 2);
			r->failed = r->failed || !rest;
			r->out.length = before;
			bxt_buffer_printf(&r->out, ",%.*s%s", (int)(item - indent), indent,
					  rest ? rest : "");
		}
	}
}

bxt_status bxt_rename_record(const bxt_renaming *names, bxt_arena *arena, const char *text,
			     bxt_place place, bxt_diagnostics *d, const char **out)
{
	struct record r = {.names = names, .arena = arena, .place = place, .d = d};
	char *copy = bxt_arena_strdup(arena, text);
	*out = NULL;
	if (copy)
		put_list(&r, copy);
	r.failed = r.failed || !copy || r.out.failed || names->finder->failed;
	if (!r.failed && !r.bad)
		*out = bxt_arena_strdup(arena, r.out.length ? r.out.text : "");
	bxt_buffer_free(&r.out);
	bxt_map_free(&r.seen);
	return r.bad && !r.failed ? BXT_ERR_MODEL : *out ? BXT_OK : BXT_ERR_MEMORY;
}

/* ---- Rows ---- */

struct row {
	const bxt_row_names *names;
	bool failed;
};

/* "x.s.i" names a flow of a port, a word without dots a parameter. */
static const char *rename_in_row(void *context, const char *name)
{
	struct row *r = context;
	const bxt_row_names *names = r->names;
	const char *dot = strrchr(name, '.');
	if (!dot)
		return names->parameter ? names->parameter(names->context, name) : NULL;
	const char *path = bxt_arena_strndup(names->arena, name, (size_t)(dot - name));
	const char *port = path ? names->port(names->context, path) : NULL;
	const char *text = port ? bxt_arena_printf(names->arena, "%s%s", port, dot) : NULL;
	r->failed = r->failed || !path || (port && !text);
	return text;
}

/* A list of ports and of flows of ports. */
static const char *rename_words(struct row *r, struct bxt_netlist *out, const char *text)
{
	const bxt_row_names *names = r->names;
	bxt_buffer list = {0};
	for (const char *c = text; *c && !list.failed;) {
		const size_t gap = strspn(c, " \t\r\n,"), n = strcspn(c + gap, " \t\r\n,");
		const char *word = bxt_arena_strndup(names->arena, c + gap, n);
		const char *other = word && n ? names->port(names->context, word) : NULL;
		if (word && n && !other)
			other = rename_in_row(r, word);
		bxt_buffer_add(&list, c, gap);
		bxt_buffer_printf(&list, "%s", other ? other : word ? word : "");
		list.failed = list.failed || !word;
		c += gap + n;
	}
	const char *result =
		list.failed ? NULL : bxt_arena_strdup(out->arena, list.length ? list.text : "");
	bxt_buffer_free(&list);
	return result;
}

/* An attribute of a row; what is neither a list of ports nor an expression stays. */
static const char *rename_attribute(struct row *r, struct bxt_netlist *out, const bxt_attribute *a)
{
	static const char *const lists[] = {"a", "b", "ports", "flows"};
	if (bxt_attribute_is_foreign(a))
		return a->value;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (strcmp(a->name, lists[i]) == 0)
			return rename_words(r, out, a->value);
	return a->value[0] == '=' ? bxt_rename_in_expression(out->arena, a->value, rename_in_row, r)
				  : a->value;
}

bxt_status bxt_rename_row(const bxt_row_names *names, struct bxt_netlist *out, bxt_item *row)
{
	struct row r = {names, false};
	for (bxt_attribute *a = NULL; (a = bxt_item_attribute(row, a));)
		if (!(a->value = rename_attribute(&r, out, a)))
			return BXT_ERR_MEMORY;
	for (bxt_item *i = row->first; i; i = i->next)
		if (i->type == BXT_ITEM_TEXT &&
		    !(i->text = bxt_rename_in_expression(out->arena, i->text, rename_in_row, &r)))
			return BXT_ERR_MEMORY;
	return r.failed ? BXT_ERR_MEMORY : BXT_OK;
}

size_t bxt_element_count(const bxt_network *net)
{
	size_t n = net->n_elements;
	while (n > 0 && net->elements[n - 1].is_interaction)
		n--;
	return n;
}
