/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * <signal> of a netlist, written anew for a network in which what it reads has other names. What
 * has no counterpart there is an error: left out, the model would be another.
 */
#include "netlist/edit.h"
#include "network/builder.h"
#include "rewrite/rename.h"

#include <stdlib.h>
#include <string.h>

struct renamer {
	const bxt_signal_renaming *n;
	bxt_place place;
	bool bad, failed;
};

/* "" after a finding. */
static const char *gone(struct renamer *r, const char *written, const char *why)
{
	bxt_error(r->n->d, r->place, "<signal>: '%s' cannot be read any more: %s", written, why);
	r->bad = true;
	return "";
}

static const char *kept(struct renamer *r, const char *text)
{
	r->failed = r->failed || !text;
	return text ? text : "";
}

static bool is_inside(const bxt_network *net, int primitive, int outer)
{
	while (primitive > outer)
		primitive = net->primitives[primitive].parent;
	return primitive == outer;
}

/* The sum of the energies of the elements of a subsystem that dissolves. */
static const char *energy_of(struct renamer *r, int primitive)
{
	const bxt_renaming *names = r->n->names;
	const size_t n = bxt_element_count(names->net);
	bxt_buffer sum = {0};
	for (size_t i = 0; i < n; i++)
		if (is_inside(names->net, names->net->elements[i].primitive, primitive))
			bxt_buffer_printf(&sum, "%senergy(%s)", sum.length ? " + " : "(",
					  names->element[i]);
	bxt_buffer_printf(&sum, sum.length ? ")" : "0");
	const char *text = sum.failed ? NULL : bxt_arena_strdup(r->n->arena, sum.text);
	bxt_buffer_free(&sum);
	return kept(r, text);
}

static const char *rename_energy(struct renamer *r, const char *path)
{
	const bxt_renaming *names = r->n->names;
	if (!*path)
		return r->n->primitive == 0 ? "energy" : energy_of(r, r->n->primitive);
	const bxt_meaning m = bxt_find_id(r->n->arena, names->net, r->n->primitive, path);
	return m.type == BXT_ID_ELEMENT ? kept(r, bxt_arena_printf(r->n->arena, "energy(%s)",
								   names->element[m.index]))
					: energy_of(r, m.index);
}

static const char *rename_node(struct renamer *r, const char *written, const char *path,
			       const char *rest)
{
	const bxt_renaming *names = r->n->names;
	const int node = bxt_find_node(r->n->arena, names->net, r->n->primitive, path);
	/* of a pressure node "p" is the effort: a momentum has a coordinate before it */
	if (strchr(rest + 1, '.') && names->divided && names->divided[node])
		return gone(r, written,
			    "the momentum of a node is that of all that stands there, which is "
			    "not the same there");
	if (!names->node[node])
		return "0"; /* the reference */
	return kept(r, bxt_arena_printf(r->n->arena, "node(%s)%s", names->node[node], rest));
}

/* A port with what stands behind it; it may be one of the rows that stay. */
static const char *rename_port(struct renamer *r, const char *written, int port, const char *before,
			       const char *behind)
{
	const char *name = r->n->names->port[port];
	return name ? kept(r, bxt_arena_printf(r->n->arena, "%s%s%s", before, name, behind))
		    : gone(r, written,
			   "the port is gone: read the flows or powers of the elements behind it");
}

/* What is written up to the last dot that names an item of a scope, and the rest with the dot. */
static bxt_meaning find_owner(struct renamer *r, const char *written, const char **rest)
{
	const bxt_network *net = r->n->names->net;
	bxt_meaning m = {-1, -1};
	for (size_t n = strlen(written); n > 0 && m.type < 0; n--) {
		if (written[n - 1] != '.')
			continue;
		const char *path = bxt_arena_strndup(r->n->arena, written, n - 1);
		r->failed = r->failed || !path;
		*rest = written + n - 1;
		if (path)
			m = bxt_find_id(r->n->arena, net, r->n->primitive, path);
	}
	return m;
}

/* A made-up id is in no scope's list. */
static int find_connection(struct renamer *r, const char *written, const char **rest)
{
	const bxt_network *net = r->n->names->net;
	for (size_t c = 0; c < net->n_connections; c++) {
		const bxt_connection *k = &net->connections[c];
		const char *path = net->primitives[k->primitive].path;
		const size_t skip = strlen(net->primitives[r->n->primitive].path);
		if (!is_inside(net, k->primitive, r->n->primitive))
			continue;
		path += path[skip] ? skip + (skip > 0) : skip;
		const char *full =
			bxt_arena_printf(r->n->arena, "%s%s%s.", path, *path ? "." : "", k->id);
		r->failed = r->failed || !full;
		if (full && strncmp(written, full, strlen(full)) == 0) {
			*rest = written + strlen(full) - 1;
			return (int)c;
		}
	}
	return -1;
}

/* ID.lambda, ID.2.lambda: "t1.lambda" there, or the potential that it is. */
static const char *rename_multiplier(struct renamer *r, const char *written, int connection,
				     const char *rest)
{
	static const char lambda[] = ".lambda";
	const char *name = r->n->names->connection[connection];
	if (!name)
		return gone(r, written, "there is no such connection");
	const size_t length = strlen(name), own = strlen(lambda);
	if (length <= own || strcmp(name + length - own, lambda) != 0)
		return name;
	return kept(r, bxt_arena_printf(r->n->arena, "%.*s%s", (int)(length - own), name, rest));
}

static const char *rename_path(struct renamer *r, const char *written)
{
	const bxt_signal_renaming *n = r->n;
	const bxt_network *net = n->names->net;
	const char *rest = "";
	const int signal = bxt_find_signal_path(n->arena, net, n->primitive, written);
	if (signal >= 0)
		return n->names->signal ? n->names->signal[signal] : net->signal_ids[signal].id;
	const int connection = find_connection(r, written, &rest);
	if (connection >= 0)
		return rename_multiplier(r, written, connection, rest);
	const bxt_meaning m = find_owner(r, written, &rest);
	if (m.type == BXT_ID_PORT)
		return rename_port(r, written, m.index, "", rest);
	if (m.type != BXT_ID_ELEMENT)
		return gone(r, written, "there is nothing of that name");
	return kept(r, bxt_arena_printf(n->arena, "%s%s", n->names->element[m.index], rest));
}

static const char *rename_power(struct renamer *r, const char *written, const char *path)
{
	const bxt_signal_renaming *n = r->n;
	const char *rest = "";
	bxt_meaning m = bxt_find_id(n->arena, n->names->net, n->primitive, path);
	if (m.type == BXT_ID_PORT)
		return rename_port(r, written, m.index, "power(", ")");
	m = find_owner(r, path, &rest);
	return m.type == BXT_ID_ELEMENT
		       ? kept(r, bxt_arena_printf(n->arena, "power(%s%s)",
						  n->names->element[m.index], rest))
		       : gone(r, written, "there is nothing of that name");
}

/* One name or call; what could not be read was refused when the network was built. */
static const char *rename_one(void *context, const char *written)
{
	struct renamer *r = context;
	const char *open = strchr(written, '('), *close = open ? strchr(open, ')') : NULL;
	if (!close)
		return strcmp(written, "energy") == 0 &&
				       bxt_find_signal_path(r->n->arena, r->n->names->net,
							    r->n->primitive, written) < 0
			       ? rename_energy(r, "")
			       : rename_path(r, written);
	const char *path = bxt_arena_strndup(r->n->arena, open + 1, (size_t)(close - open) - 1);
	if (!path)
		return kept(r, NULL);
	return written[0] == 'n'   ? rename_node(r, written, path, close + 1)
	       : written[0] == 'p' ? rename_power(r, written, path)
				   : rename_energy(r, path);
}

/* A path, a signal's id or a parameter; NULL: it stays. */
static const char *rename_word(void *context, const char *word)
{
	struct renamer *r = context;
	const bxt_signal_renaming *n = r->n;
	const char *parameter =
		n->parameter && !strchr(word, '.') ? n->parameter(n->context, word) : NULL;
	const bool named = bxt_find_signal_path(n->arena, n->names->net, n->primitive, word) >= 0;
	if (strchr(word, '.') || named)
		return rename_one(r, word);
	const bool known = n->is_parameter && n->is_parameter(n->context, word);
	return parameter || known || strcmp(word, "energy") != 0 ? parameter : rename_one(r, word);
}

bxt_status bxt_rename_signal(const bxt_signal_renaming *names, struct bxt_netlist *out,
			     bxt_item *signal)
{
	struct renamer r = {.n = names, .place = signal->place};
	const char *to = bxt_item_get(signal, "to"), *id = bxt_item_get(signal, "id");
	const int own = id ? bxt_find_signal(names->names->net, names->primitive, id) : -1;
	if (to)
		BXT_TRY(bxt_item_set(out, signal, "to", rename_one(&r, to)));
	if (own >= 0 && names->names->signal)
		BXT_TRY(bxt_item_set(out, signal, "id", names->names->signal[own]));
	for (bxt_item *i = signal->first; i; i = i->next) {
		if (i->type != BXT_ITEM_TEXT)
			continue;
		const char *text =
			bxt_rename_with_calls(names->arena, i->text, rename_word, rename_one, &r);
		if (!text || r.failed || !(i->text = bxt_arena_strdup(out->arena, text)))
			return BXT_ERR_MEMORY;
	}
	return r.failed ? BXT_ERR_MEMORY : r.bad ? BXT_ERR_MODEL : BXT_OK;
}
