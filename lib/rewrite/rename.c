/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rewrite/rename.h"

#include "netlist/edit.h"
#include "network/builder.h"

#include <string.h>

static const char white[] = " \t\r\n";

/* ---- Paths from a scope ---- */

/* The scope of the last word of a path, -1 when there is none; *last is that word. */
static int find_scope(bxt_arena *arena, const bxt_network *net, int primitive, const char *path,
		      const char **last)
{
	char *word = bxt_arena_strdup(arena, path);
	for (char *dot; word && (dot = strchr(word, '.')); word = dot + 1) {
		*dot = '\0';
		const int there = bxt_map_get(&net->primitives[primitive].ids, word);
		if (there < 0 || there % 4 != BXT_ID_SUBSYSTEM)
			return -1;
		primitive = there / 4;
	}
	*last = word;
	return word ? primitive : -1;
}

bxt_meaning bxt_find_id(bxt_arena *arena, const bxt_network *net, int primitive, const char *path)
{
	const char *last;
	const int scope = find_scope(arena, net, primitive, path, &last);
	const int there = scope < 0 ? -1 : bxt_map_get(&net->primitives[scope].ids, last);
	return there < 0 ? (bxt_meaning){-1, -1} : (bxt_meaning){there % 4, there / 4};
}

int bxt_find_node(bxt_arena *arena, const bxt_network *net, int primitive, const char *path)
{
	const char *last;
	const int scope = find_scope(arena, net, primitive, path, &last);
	return scope < 0 ? -1 : bxt_map_get(&net->primitives[scope].nodes, last);
}

int bxt_find_signal_path(bxt_arena *arena, const bxt_network *net, int primitive, const char *path)
{
	const char *last;
	const int scope = find_scope(arena, net, primitive, path, &last);
	return scope < 0 ? -1 : bxt_map_get(&net->primitives[scope].signals, last);
}

/* ---- Paths of records: a unique suffix will do ---- */

enum {
	OF_INSTANCE = 1,
	OF_PRIMITIVE = 2,
	OF_PORT = 4,
	OF_CONNECTION = 8,
	OF_NODE = 16,
	OF_SYMMETRY = 32,
	OF_SIGNAL = 64
};

struct owner {
	int type, index, quality, count;
};

/* While a list is written anew. */
struct record {
	const bxt_renaming *names;
	const bxt_network *net;
	bxt_arena *arena;
	bxt_place place;
	bxt_diagnostics *d;
	bxt_buffer out;
	bxt_map seen;     /* what was written */
	const char *item; /* as written, for messages */
	bxt_nearest_search near;
	bool helping; /* nothing fits: look for what is near */
	bool bad, failed;
};

/*
 * How well PATH.id fits what is written: 2 it is that, 1 it ends so at the start of a word, 0 not.
 * Judged without building the path, since thousands of elements may share an id.
 */
static int fits(const char *path, const char *id, const char *written, size_t length)
{
	const size_t own = strlen(id), all = strlen(path);
	if (own > length || strncmp(written + length - own, id, own) != 0)
		return 0;
	if (own == length)
		return *path ? 1 : 2;
	const size_t rest = length - own - 1;
	if (!*path || written[rest] != '.' || rest > all ||
	    strncmp(path + all - rest, written, rest) != 0)
		return 0;
	return rest == all ? 2 : path[all - rest - 1] == '.';
}

static void offer_at(struct record *r, struct owner *best, int type, size_t index, const char *path,
		     const char *id, const char *written, size_t length)
{
	if (r->helping) {
		const char *full =
			bxt_arena_printf(r->arena, "%s%s%s", path, *path && *id ? "." : "", id);
		r->failed = r->failed || !full;
		if (full)
			bxt_nearest_offer(&r->near, full);
		return;
	}
	const int quality = fits(path, id, written, length);
	if (quality > best->quality)
		*best = (struct owner){type, (int)index, quality, 1};
	else if (quality && quality == best->quality)
		best->count++;
}

static void offer(struct record *r, struct owner *best, int type, size_t index, int primitive,
		  const char *id, const char *written, size_t length)
{
	offer_at(r, best, type, index, r->net->primitives[primitive].path, id, written, length);
}

/* Those of elements are parts of theirs. */
static void offer_symmetry(struct record *r, struct owner *best, size_t i, const char *written,
			   size_t length)
{
	const bxt_net_symmetry *s = &r->net->symmetries[i];
	const char *path = r->net->primitives[s->primitive].path;
	if (s->element >= 0)
		path = bxt_arena_printf(r->arena, "%s%s%s", path, *path ? "." : "",
					r->net->elements[s->element].id);
	r->failed = r->failed || !path;
	if (path)
		offer_at(r, best, OF_SYMMETRY, i, path, s->id, written, length);
}

static struct owner find_owner(struct record *r, const char *written, size_t length, int types)
{
	const bxt_network *net = r->net;
	const size_t n_elements = types & OF_INSTANCE ? bxt_element_count(net) : 0;
	struct owner best = {0};
	for (size_t i = 0; i < n_elements; i++)
		offer(r, &best, OF_INSTANCE, i, net->elements[i].primitive, net->elements[i].id,
		      written, length);
	for (size_t i = 1; types & OF_PRIMITIVE && i < net->n_primitives; i++)
		offer(r, &best, OF_PRIMITIVE, i, net->primitives[i].parent, net->primitives[i].id,
		      written, length);
	for (size_t i = 0; types & OF_PORT && i < net->n_ports; i++)
		offer(r, &best, OF_PORT, i, net->ports[i].primitive, net->ports[i].id, written,
		      length);
	for (size_t i = 0; types & OF_CONNECTION && i < net->n_connections; i++)
		offer(r, &best, OF_CONNECTION, i, net->connections[i].primitive,
		      net->connections[i].id, written, length);
	for (size_t i = 0; types & OF_NODE && i < net->n_nodes; i++)
		if (net->nodes[i].kind)
			offer(r, &best, OF_NODE, i, net->nodes[i].primitive, net->nodes[i].name,
			      written, length);
	for (size_t i = 0; types & OF_SIGNAL && i < net->n_signal_ids; i++)
		offer(r, &best, OF_SIGNAL, i, net->signal_ids[i].primitive, net->signal_ids[i].id,
		      written, length);
	for (size_t i = 0; types & OF_SYMMETRY && i < net->n_symmetries; i++)
		offer_symmetry(r, &best, i, written, length);
	return best;
}

/* A finding unless there is exactly one. */
static bool unique(struct record *r, struct owner o, const char *what, const char *written,
		   size_t length, int types)
{
	if (o.count == 1)
		return true;
	r->bad = true;
	if (o.count > 1) {
		bxt_error(r->d, r->place,
			  "record: '%.*s' is ambiguous: %d match; write more of the path",
			  (int)length, written, o.count);
		return false;
	}
	char *name = bxt_arena_strndup(r->arena, written, length);
	r->failed = r->failed || !name;
	if (!name)
		return false;
	r->near = (bxt_nearest_search){.name = name};
	r->helping = true;
	find_owner(r, written, length, types);
	r->helping = false;
	bxt_error(r->d, r->place, "record: no %s '%s'%s", what, name,
		  bxt_did_you_mean(r->arena, r->near.best));
	return false;
}

/* ---- Writing ---- */

/* The item with its words; text NULL after memory ended. */
static void put(struct record *r, char *text)
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

static void gone(struct record *r, const char *why)
{
	bxt_warning(r->d, r->place, "record: '%s' is left out: %s", r->item, why);
}

static const char no_subsystem[] = "there is no such subsystem any more";
static const char no_port[] = "there is no such port any more";
static const char no_connection[] = "there is no such connection any more";

/* WORD(ARGUMENT) of energies. */
static void put_energy(struct record *r, const char *word, const char *argument)
{
	const int types = OF_INSTANCE | OF_PRIMITIVE;
	const struct owner o = find_owner(r, argument, strlen(argument), types);
	if (!unique(r, o, "element or subsystem", argument, strlen(argument), types))
		return;
	if (o.type == OF_INSTANCE)
		put(r, bxt_arena_printf(r->arena, "%s(%s)", word, r->names->element[o.index]));
	else
		gone(r, no_subsystem);
}

static void put_node(struct record *r, const char *argument, const char *rest)
{
	const struct owner o = find_owner(r, argument, strlen(argument), OF_NODE);
	const size_t length = strlen(rest);
	const bool momentum = (length > 2 && strcmp(rest + length - 2, ".p") == 0) ||
			      (length > 3 && strcmp(rest + length - 3, ".pc") == 0);
	if (!unique(r, o, "node", argument, strlen(argument), OF_NODE))
		return;
	/* of a pressure node "p" is the effort: a momentum has a coordinate before it */
	if (momentum && strchr(rest + 1, '.') && r->names->divided && r->names->divided[o.index])
		gone(r, "the momentum of a node is that of all that stands there, which is not the "
			"same any more");
	else if (r->names->node[o.index])
		put(r, bxt_arena_printf(r->arena, "node(%s)%s", r->names->node[o.index], rest));
	else
		gone(r, "the node is the reference");
}

static void put_symmetry(struct record *r, const char *word, const char *argument)
{
	const struct owner o = find_owner(r, argument, strlen(argument), OF_SYMMETRY);
	if (!unique(r, o, "symmetry", argument, strlen(argument), OF_SYMMETRY))
		return;
	const bxt_net_symmetry *s = &r->net->symmetries[o.index];
	const char *name = s->element >= 0      ? bxt_arena_printf(r->arena, "%s.%s",
								   r->names->element[s->element], s->id)
			   : r->names->symmetry ? r->names->symmetry[o.index]
						: s->id;
	if (name || s->element >= 0)
		put(r, name ? bxt_arena_printf(r->arena, "%s(%s)", word, name) : NULL);
	else
		gone(r, "there is no such symmetry any more");
}

/* Of an exported port, or of an element's pin. */
static void put_power(struct record *r, const char *argument)
{
	const char *dot = strrchr(argument, '.');
	struct owner o = find_owner(r, argument, strlen(argument), OF_PORT);
	if (o.count == 1 && r->names->port[o.index])
		put(r, bxt_arena_printf(r->arena, "power(%s)", r->names->port[o.index]));
	else if (o.count == 1)
		gone(r, no_port);
	if (o.count == 1)
		return;
	const size_t length = dot ? (size_t)(dot - argument) : strlen(argument);
	if (o.count > 1 && !unique(r, o, "port", argument, strlen(argument), OF_PORT))
		return;
	o = find_owner(r, argument, length, OF_INSTANCE);
	if (unique(r, o, "element or port", argument, length, OF_INSTANCE | OF_PORT))
		put(r, bxt_arena_printf(r->arena, "power(%s%s)", r->names->element[o.index],
					dot ? dot : ""));
}

/* One of the netlist's own. */
static void put_signal(struct record *r, int signal)
{
	const char *name =
		r->names->signal ? r->names->signal[signal] : r->net->signal_ids[signal].id;
	put(r, bxt_arena_strdup(r->arena, name));
}

/* SUBSYSTEM.*: its elements, those of subsystems inside with them. */
static bool put_all_inside(struct record *r, const char *written, size_t length)
{
	const bxt_network *net = r->net;
	const struct owner o = find_owner(r, written, length, OF_PRIMITIVE);
	if (o.count != 1)
		return false;
	const size_t n_elements = bxt_element_count(net);
	for (size_t i = 0; i < n_elements; i++) {
		int p = net->elements[i].primitive;
		while (p > 0 && p != o.index)
			p = net->primitives[p].parent;
		if (p == o.index)
			put(r, bxt_arena_printf(r->arena, "%s.*", r->names->element[i]));
	}
	for (size_t i = 0; i < net->n_signal_ids; i++) {
		int p = net->signal_ids[i].primitive;
		while (p > 0 && p != o.index)
			p = net->primitives[p].parent;
		if (p == o.index)
			put_signal(r, (int)i);
	}
	return true;
}

/* PATH.NAME, PATH.*, PATH.COORDINATE.p, PATH.CONSTRAINT.lambda, CONNECTION.lambda */
static void put_path(struct record *r, const char *item)
{
	const char *dot = strrchr(item, '.');
	const int types = OF_INSTANCE | OF_PORT;
	const struct owner signal = find_owner(r, item, strlen(item), OF_SIGNAL);
	if (signal.quality == 2 || (signal.count == 1 && !dot)) {
		put_signal(r, signal.index);
		return;
	}
	if (!dot) {
		r->bad = true;
		bxt_error(r->d, r->place, "record: no signal '%s'", item);
		return;
	}
	size_t length = (size_t)(dot - item);
	if (strcmp(dot, ".lambda") == 0) {
		const struct owner c = find_owner(r, item, length, OF_CONNECTION);
		const char *there = c.count == 1 ? r->names->connection[c.index] : NULL;
		if (c.count == 1 && there)
			put(r, bxt_arena_strdup(r->arena, there));
		else if (c.count == 1)
			gone(r, no_connection);
		if (c.count == 1)
			return;
	}
	if (strcmp(dot, ".*") == 0 && put_all_inside(r, item, length))
		return;
	struct owner o = find_owner(r, item, length, types);
	const char *first = dot; /* or the last two words are the signal: L1.q.p */
	while (o.count == 0 && first > item && first[-1] != '.')
		first--;
	if (o.count == 0 && first > item) {
		const struct owner two = find_owner(r, item, (size_t)(first - 1 - item), types);
		if (two.count > 0) {
			o = two;
			length = (size_t)(first - 1 - item);
		}
	}
	if (o.count == 0 && signal.count == 1) {
		put_signal(r, signal.index);
		return;
	}
	if (!unique(r, o, "signal", item, length, types))
		return;
	const char *const *of = o.type == OF_PORT ? r->names->port : r->names->element;
	if (of[o.index])
		put(r, bxt_arena_printf(r->arena, "%s%s", of[o.index], item + length));
	else
		gone(r, no_port);
}

/* WORD(ARGUMENT)REST */
static void put_call(struct record *r, const char *word, const char *argument, const char *rest)
{
	if (strcmp(word, "node") == 0)
		put_node(r, argument, rest);
	else if (strcmp(word, "power") == 0)
		put_power(r, argument);
	else if (strcmp(word, "momentum") == 0 || strcmp(word, "noether") == 0)
		put_symmetry(r, word, argument);
	else if (strcmp(word, "drift") != 0)
		put_energy(r, word, argument);
	else if (strncmp(argument, "connection", 10) != 0 || r->names->connected)
		put(r, bxt_arena_printf(r->arena, "drift(%s)", argument));
	else
		gone(r, "there are no connections any more");
}

static void put_item(struct record *r, char *item)
{
	static const char *const calls[] = {"energy", "dissipated", "supplied", "node",
					    "power",  "drift",      "momentum", "noether"};
	char *open = strchr(item, '('), *close = open ? strchr(open, ')') : NULL;
	bool known = false;
	r->item = bxt_arena_strdup(r->arena, item);
	r->failed = r->failed || !r->item;
	if (r->failed)
		return;
	for (size_t i = 0; i < 3; i++)
		if (strcmp(item, calls[i]) == 0) {
			put(r, bxt_arena_strdup(r->arena, item));
			return;
		}
	if (!open && !strchr(item, ')')) {
		put_path(r, item);
		return;
	}
	for (size_t i = 0; open && close && i < sizeof calls / sizeof *calls; i++)
		known = known || (strncmp(item, calls[i], (size_t)(open - item)) == 0 &&
				  !calls[i][open - item]);
	if (!known) {
		r->bad = true;
		bxt_error(r->d, r->place, "record: '%s' is no signal", item);
		return;
	}
	*open = *close = '\0';
	put_call(r, item, open + 1, close + 1);
}

/* A list of several lines stays one: lines end where the author ended them. */
static void put_list(struct record *r, char *list)
{
	for (char *item = list, *next; item; item = next) {
		char *end = item + strcspn(item, ",");
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
	struct record r = {
		.names = names, .net = names->net, .arena = arena, .place = place, .d = d};
	char *copy = bxt_arena_strdup(arena, text);
	*out = NULL;
	if (copy)
		put_list(&r, copy);
	r.failed = r.failed || !copy || r.out.failed;
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
	if (a->foreign)
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
	for (bxt_attribute *a = row->attributes; a; a = a->next)
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
