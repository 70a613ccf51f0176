/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tears a flat netlist: elements go to the subsystems that tear_cut.c chose, nodes that several
 * subsystems use are exported and joined, and everything else stays in place.
 */
#include "exchange/rewrite/tear_internal.h"
#include "model/builder/build.h"

#include <string.h>

/* ---- Names ---- */

/* A node's name as an id; digits alone and words of the language are not ids. */
static const char *node_id(bxt_tearing *t, bxt_map *taken, const char *name)
{
	const char *wish = !bxt_is_name(name)         ? bxt_arena_printf(t->arena, "n%s", name)
			   : bxt_id_is_reserved(name) ? bxt_arena_printf(t->arena, "%s_", name)
						      : name;
	return wish ? bxt_take_name(t->arena, taken, wish) : NULL;
}

static bxt_status name_parts(bxt_tearing *t, bxt_map *taken)
{
	char *list = t->def->names ? bxt_arena_strdup(t->arena, t->def->names) : NULL, *save = NULL;
	int n = 0;
	bool good = true;
	t->name = BXT_NEW(t->arena, const char *, (size_t)t->n_parts);
	if (!t->name || (t->def->names && !list))
		return BXT_ERR_MEMORY;
	for (int k = 0; k < t->n_parts && !list; k++) {
		const char *wish = bxt_arena_printf(t->arena, "part%d", k + 1);
		if (!wish || !(t->name[k] = bxt_take_name(t->arena, taken, wish)))
			return BXT_ERR_MEMORY;
	}
	for (char *word = list ? strtok_r(list, " \t\r\n,", &save) : NULL; word;
	     word = strtok_r(NULL, " \t\r\n,", &save), n++) {
		const bool valid = bxt_is_name(word) && !bxt_id_is_reserved(word);
		const bool again = bxt_map_get(taken, word) >= 0;
		if (!valid || again)
			bxt_error(
				t->d, bxt_tear_place(t),
				again ? "'%s' cannot be the id of a part: there is one already"
				      : "'%s' cannot be the id of a part: an id is a letter or _, "
					"then letters, digits, _ or -, and no word of the "
					"language",
				word);
		good = good && valid && !again;
		if (n < t->n_parts)
			t->name[n] = word;
		BXT_TRY(bxt_map_put(taken, word, 1));
	}
	if (list && n != t->n_parts)
		bxt_error(t->d, bxt_tear_place(t), "%d parts, but %d names", t->n_parts, n);
	return good && (!list || n == t->n_parts) ? BXT_OK : BXT_ERR_MODEL;
}

static int n_parts_at(const bxt_tearing *t, size_t node)
{
	return t->first_part[node + 1] - t->first_part[node];
}

/*
 * Ids of ports, which no element has, and of connections, which are unique in the netlist itself.
 */
static bxt_status name_cuts(bxt_tearing *t, bxt_map *inside, bxt_map *outside)
{
	const bxt_network *net = t->net;
	for (size_t i = 0; i < t->n_elements; i++)
		BXT_TRY(bxt_map_put(inside, net->elements[i].id, 1));
	for (size_t i = 0; i < net->n_ports; i++)
		BXT_TRY(bxt_map_put(inside, net->ports[i].id, 1));
	for (size_t i = 0; i < net->n_nodes; i++) {
		if (n_parts_at(t, i) < 2)
			continue;
		t->port_id[i] = node_id(t, inside, net->nodes[i].name);
		t->connection_id[i] = node_id(t, outside, net->nodes[i].name);
		if (!t->port_id[i] || !t->connection_id[i])
			return BXT_ERR_MEMORY;
	}
	return BXT_OK;
}

static bxt_status name_all(bxt_tearing *t)
{
	bxt_map inside = {0}, outside = {0};
	const bxt_network *net = t->net;
	bxt_status status = BXT_OK;
	t->port_id = BXT_NEW(t->arena, const char *, net->n_nodes);
	t->connection_id = BXT_NEW(t->arena, const char *, net->n_nodes);
	if (!t->port_id || !t->connection_id)
		return BXT_ERR_MEMORY;
	for (size_t c = 0; c < net->n_connections && status == BXT_OK; c++)
		status = bxt_map_put(&outside, net->connections[c].id, 1);
	for (size_t p = 0; p < net->n_ports && status == BXT_OK; p++)
		status = bxt_map_put(&outside, net->ports[p].id, 1);
	for (size_t i = 0; i < net->n_signal_ids && status == BXT_OK; i++)
		status = bxt_map_put(&outside, net->signal_ids[i].id, 1);
	if (status == BXT_OK)
		status = name_parts(t, &outside);
	if (status == BXT_OK)
		status = name_cuts(t, &inside, &outside);
	bxt_map_free(&inside);
	bxt_map_free(&outside);
	return status;
}

/* The new names of the flat network's parts. */
static bxt_status make_renaming(bxt_tearing *t, bxt_renaming *names)
{
	const bxt_network *net = t->net;
	bxt_arena *arena = t->arena;
	const char **element = BXT_NEW(arena, const char *, t->n_elements);
	const char **node = BXT_NEW(arena, const char *, net->n_nodes);
	const char **port = BXT_NEW(arena, const char *, net->n_ports);
	const char **connection = BXT_NEW(arena, const char *, net->n_connections);
	bool *divided = BXT_NEW(arena, bool, net->n_nodes);
	bool good = element && node && port && connection && divided;
	for (size_t i = 0; i < t->n_elements && good; i++)
		good = (element[i] = bxt_arena_printf(arena, "%s.%s", t->name[t->part[i]],
						      net->elements[i].id));
	for (size_t i = 0; i < net->n_nodes && good; i++) {
		const int n = n_parts_at(t, i);
		divided[i] = n > 1;
		node[i] = n == 0 ? net->nodes[i].name
				 : bxt_arena_printf(arena, "%s.%s",
						    t->name[t->in_part[t->first_part[i]]],
						    net->nodes[i].name);
		good = node[i];
	}
	for (size_t i = 0; i < net->n_ports && good; i++) {
		const int at = net->ports[i].node;
		port[i] = n_parts_at(t, (size_t)at) == 0
				  ? net->ports[i].id
				  : bxt_arena_printf(arena, "%s.%s",
						     t->name[t->in_part[t->first_part[at]]],
						     net->ports[i].id);
		good = port[i];
	}
	for (size_t i = 0; i < net->n_connections && good; i++)
		good = (connection[i] =
				bxt_arena_printf(arena, "%s.lambda", net->connections[i].id));
	*names = (bxt_renaming){.net = net,
				.finder = &t->finder,
				.element = element,
				.node = node,
				.port = port,
				.connection = connection,
				.divided = divided,
				.connected = true};
	return good ? BXT_OK : BXT_ERR_MEMORY;
}

/* ---- <fix> ---- */

/* State of rewriting or locating coordinates. */
struct field {
	bxt_tearing *t;
	int part; /* the only one that all nodes are in; -1: none yet, -2: several */
};

/* The coordinate in the names of the whole network: each copy of a node. */
static const char *torn_owner(void *context, const bxt_designator *d, int k, bool *failed)
{
	struct field *f = context;
	bxt_tearing *t = f->t;
	const bool node = d->owner == BXT_OWNER_NODE;
	const int copies = node ? n_parts_at(t, (size_t)d->element) : 1;
	if (k >= (copies ? copies : 1))
		return NULL;
	const int part = !node    ? t->part[d->element]
			 : copies ? t->in_part[t->first_part[d->element] + k]
				  : -2;
	const char *id = node ? t->net->nodes[d->element].name : t->net->elements[d->element].id;
	const char *path = copies ? bxt_arena_printf(t->arena, "%s.%s", t->name[part], id) : id;
	f->part = f->part == -1 || f->part == part ? part : -2;
	*failed = *failed || !path;
	return path;
}

/* A <fix> goes into its only part; one of several parts stays outside, with paths. */
static bxt_status place_fix(bxt_tearing *t, const bxt_unit *u)
{
	struct field field = {t, -1};
	const bxt_copy_names names = {&t->finder, 0, torn_owner, NULL, &field, t->arena};
	bxt_item *copy = bxt_item_copy(t->out, NULL, u->item);
	bool empty;
	if (!copy)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_rename_fix(&names, t->out, copy, NULL, &empty));
	if (field.part >= 0)
		return bxt_unit_copy(t->out, t->subsystem[field.part], u, true, NULL, NULL);
	BXT_TRY(bxt_unit_copy(t->out, t->out->root, u, true, NULL, &copy));
	return bxt_rename_fix(&names, t->out, copy, NULL, &empty);
}

/* ---- <symmetry> ---- */

/* A <symmetry> is about the whole system: it stays outside, with paths. */
static bxt_status place_symmetry(bxt_tearing *t, const bxt_unit *u)
{
	struct field field = {t, -1};
	const bxt_copy_names names = {&t->finder, 0, torn_owner, NULL, &field, t->arena};
	bxt_item *copy;
	BXT_TRY(bxt_unit_copy(t->out, t->out->root, u, true, NULL, &copy));
	return bxt_rename_symmetry(&names, t->out, copy);
}

static bxt_status place_signal(bxt_tearing *t, const bxt_renaming *names, const bxt_unit *u)
{
	const bxt_signal_renaming signal_names = {.names = names, .arena = t->arena, .d = t->d};
	bxt_item *copy;
	BXT_TRY(bxt_unit_copy(t->out, t->out->root, u, true, NULL, &copy));
	return bxt_rename_signal(&signal_names, t->out, copy);
}

/* ---- Placing ---- */

/* Makes the empty subsystems and the interconnection. */
static bxt_status make_subsystems(bxt_tearing *t)
{
	bool cut = false;
	t->subsystem = BXT_NEW(t->arena, bxt_item *, (size_t)t->n_parts);
	if (!t->subsystem)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < t->n_parts; k++) {
		t->subsystem[k] = bxt_item_add(t->out, t->out->root, "subsystem");
		if (!t->subsystem[k])
			return BXT_ERR_MEMORY;
		BXT_TRY(bxt_item_set(t->out, t->subsystem[k], "id", t->name[k]));
	}
	for (size_t i = 0; i < t->net->n_nodes; i++)
		cut = cut || t->port_id[i];
	if (cut && !(t->interconnection = bxt_item_add(t->out, t->out->root, "interconnection")))
		return BXT_ERR_MEMORY;
	return BXT_OK;
}

/* A <node> is copied with its attributes to every part of the node, its comments once. */
static bxt_status place_node(bxt_tearing *t, const bxt_unit *u)
{
	const char *id = bxt_item_get(u->item, "id");
	const int node = id ? bxt_map_get(&t->net->primitives[0].nodes, id) : -1;
	if (node < 0 || n_parts_at(t, (size_t)node) == 0)
		return bxt_unit_copy(t->out, t->out->root, u, true, NULL, NULL);
	const int *part = t->in_part + t->first_part[node];
	BXT_TRY(bxt_unit_copy(t->out, t->subsystem[part[0]], u, true, NULL, NULL));
	for (int k = 1; k < n_parts_at(t, (size_t)node); k++)
		if (!bxt_item_copy(t->out, t->subsystem[part[k]], u->item))
			return BXT_ERR_MEMORY;
	return BXT_OK;
}

/* A port of the netlist's own goes with its node. */
static bxt_status place_port(bxt_tearing *t, const bxt_unit *u)
{
	const char *name = bxt_item_get(u->item, "node");
	const int node = name ? bxt_map_get(&t->net->primitives[0].nodes, name) : -1;
	bxt_item *to = node < 0 || n_parts_at(t, (size_t)node) == 0
			       ? t->out->root
			       : t->subsystem[t->in_part[t->first_part[node]]];
	return bxt_unit_copy(t->out, to, u, true, NULL, NULL);
}

static const char *port_path(void *context, const char *path)
{
	const bxt_renaming *names = context;
	const int there = bxt_map_get(&names->net->primitives[0].ids, path);
	return there >= 0 && there % 4 == BXT_ID_PORT ? names->port[there / 4] : NULL;
}

/* Rows that the netlist has already, between ports that may be in parts now. */
static bxt_status place_interconnection(bxt_tearing *t, bxt_renaming *names, const bxt_unit *u,
					int *connection)
{
	const bxt_row_names row_names = {port_path, NULL, names, t->arena};
	bxt_item *copy;
	BXT_TRY(bxt_unit_copy(t->out, t->out->root, u, true, NULL, &copy));
	for (bxt_item *row = bxt_item_child(copy, NULL, NULL); row;
	     row = bxt_item_child(copy, NULL, row)) {
		BXT_TRY(bxt_rename_row(&row_names, t->out, row));
		/* a generated id contains the number of connections, which has grown */
		if (!bxt_item_get(row, "id"))
			BXT_TRY(bxt_item_set(t->out, row, "id",
					     t->net->connections[*connection].id));
		++*connection;
	}
	return BXT_OK;
}

static bxt_status place_record(bxt_tearing *t, const bxt_renaming *names, const bxt_unit *u)
{
	bxt_item *copy;
	const char *text = bxt_item_content(t->arena, u->item), *other;
	if (!text)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_rename_record(names, t->arena, text, u->item->place, t->d, &other));
	BXT_TRY(bxt_unit_copy(t->out, t->out->root, u, *other || !*text, NULL, &copy));
	return copy && *other ? bxt_item_set_content(t->out, copy, other) : BXT_OK;
}

static bxt_status place(bxt_tearing *t, bxt_renaming *names, const bxt_unit *u, int *element,
			int *connection)
{
	const char *word = u->item ? u->item->name : "";
	const bool is_word = !u->item || bxt_item_is_word(u->item);
	const bool moves = !is_word || strcmp(word, "node") == 0 || strcmp(word, "fix") == 0 ||
			   strcmp(word, "port") == 0;
	if (moves && !t->subsystem)
		BXT_TRY(make_subsystems(t));
	if (!is_word)
		return bxt_unit_copy(t->out, t->subsystem[t->part[(*element)++]], u, true, NULL,
				     NULL);
	if (strcmp(word, "node") == 0)
		return place_node(t, u);
	if (strcmp(word, "fix") == 0)
		return place_fix(t, u);
	if (strcmp(word, "symmetry") == 0)
		return place_symmetry(t, u);
	if (strcmp(word, "signal") == 0)
		return place_signal(t, names, u);
	if (strcmp(word, "port") == 0)
		return place_port(t, u);
	if (strcmp(word, "interconnection") == 0)
		return place_interconnection(t, names, u, connection);
	if (strcmp(word, "record") == 0)
		return place_record(t, names, u);
	return bxt_unit_copy(t->out, t->out->root, u, true, NULL, NULL);
}

/* ---- Joining ---- */

static bxt_status join_node(bxt_tearing *t, size_t node)
{
	const int *part = t->in_part + t->first_part[node], n = n_parts_at(t, node);
	bxt_item *connect = bxt_item_add(t->out, t->interconnection, "connect");
	bxt_buffer list = {0};
	if (!connect)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_item_set(t->out, connect, "id", t->connection_id[node]));
	for (int k = 0; k < n; k++) {
		bxt_item *port = bxt_item_add(t->out, t->subsystem[part[k]], "port");
		if (!port)
			return BXT_ERR_MEMORY;
		BXT_TRY(bxt_item_set(t->out, port, "id", t->port_id[node]));
		BXT_TRY(bxt_item_set(t->out, port, "node", t->net->nodes[node].name));
		const char *path =
			bxt_arena_printf(t->arena, "%s.%s", t->name[part[k]], t->port_id[node]);
		if (!path)
			return BXT_ERR_MEMORY;
		if (n == 2)
			BXT_TRY(bxt_item_set(t->out, connect, k ? "b" : "a", path));
		else
			bxt_buffer_printf(&list, "%s%s", k ? " " : "", path);
	}
	bxt_status status = list.failed ? BXT_ERR_MEMORY : BXT_OK;
	if (status == BXT_OK && list.length)
		status = bxt_item_set(t->out, connect, "ports", list.text);
	bxt_buffer_free(&list);
	return status;
}

/*
 * The momentum of a node that is cut is divided between the parts. The netlist does not specify
 * how.
 */
static bxt_status check_momenta(const bxt_tearing *t)
{
	bxt_status status = BXT_OK;
	for (size_t i = 0; i < t->net->n_initials; i++) {
		const bxt_initial *w = &t->net->initials[i];
		if (!w->is_momentum || w->element >= 0 || n_parts_at(t, (size_t)w->node) < 2)
			continue;
		bxt_error(t->d, w->place,
			  "node '%s' is cut, and its momentum would be shared by the parts: write "
			  "the flow in place of it",
			  t->net->nodes[w->node].name);
		status = BXT_ERR_MODEL;
	}
	return status;
}

static bxt_status tear(bxt_tearing *t)
{
	bxt_renaming names;
	int element = 0, connection = 0;
	BXT_TRY(bxt_tear_cut(t));
	BXT_TRY(bxt_tear_labels(t, t->part, t->n_parts, &t->first_part, &t->in_part));
	BXT_TRY(check_momenta(t));
	BXT_TRY(name_all(t));
	BXT_TRY(make_renaming(t, &names));
	for (bxt_unit u = {0}; bxt_unit_next(t->netlist->root, &u);)
		BXT_TRY(place(t, &names, &u, &element, &connection));
	for (size_t i = 0; i < t->net->n_nodes; i++)
		if (t->port_id[i])
			BXT_TRY(join_node(t, i));
	return BXT_OK;
}

/* ---- The whole netlist ---- */

/* Checks that the caller asks for exactly one way to cut, and that the model can be cut. */
static bool is_flat(bxt_tearing *t)
{
	const bxt_network *net = t->net;
	if (net->n_primitives > 1) {
		bxt_error(t->d, net->primitives[1].place,
			  "the netlist has subsystems already, '%s' is one: flatten it first",
			  net->primitives[1].path);
		return false;
	}
	for (size_t c = 0; c < net->n_connections; c++)
		if (!net->connections[c].is_sigma) {
			bxt_error(t->d, net->connections[c].place,
				  "the netlist has connections, '%s' is one: flatten it first",
				  net->connections[c].id);
			return false;
		}
	return true;
}

static bxt_status tear_network(bxt_tearing *t)
{
	if (!t->arena || !t->out)
		return BXT_ERR_MEMORY;
	if (!is_flat(t))
		return BXT_ERR_MODEL;
	BXT_TRY(bxt_tree_copy_frame(t->out, t->netlist));
	BXT_TRY(t->def->like ? bxt_tear_like(t) : tear(t));
	return bxt_tree_layout(t->out, false);
}

void bxt_default_tear_def(bxt_tear_def *def)
{
	if (def)
		*def = (bxt_tear_def){.size = sizeof *def};
}

bxt_status bxt_netlist_tear(const bxt_netlist *netlist, bxt_library *library,
			    const bxt_tear_def *def, bxt_diagnostics *d, bxt_netlist **out)
{
	bxt_network *net = NULL;
	bxt_tear_def given;
	if (out)
		*out = NULL;
	if (!netlist || !library || !def || !out)
		return BXT_ERR_ARGUMENT;
	BXT_TRY(bxt_take_sized(def, &given, sizeof given, "bxt_tear_def", d));
	def = &given;
	if ((def->node != NULL) + (def->elements != NULL) + (def->parts != 0) +
		    (def->like != NULL) !=
	    1)
		return BXT_ERR_ARGUMENT;
	BXT_TRY(bxt_network_build(netlist, library, d, &net));
	bxt_tearing t = {.netlist = netlist,
			 .net = net,
			 .n_elements = bxt_element_count(net),
			 .def = def,
			 .library = library,
			 .d = d,
			 .arena = bxt_arena_new(),
			 .out = bxt_tree_new(netlist->file)};
	bxt_names_begin(&t.finder, net, t.arena);
	const bxt_status status = tear_network(&t);
	bxt_names_end(&t.finder);
	bxt_arena_free(t.arena);
	bxt_network_free(net);
	if (status == BXT_OK)
		*out = t.out;
	else
		bxt_netlist_free(t.out);
	return status;
}
