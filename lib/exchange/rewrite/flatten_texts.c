/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flattens items that name parts of the network: <fix>, <symmetry>, <interconnection>, <signal>,
 * <record>. */
#include "exchange/rewrite/flatten_internal.h"

#include <string.h>

/* ---- <fix> ---- */

/* State of rewriting a <fix>. */
struct field {
	bxt_flattener *f;
	int primitive;
	const bxt_flat_frame *frame;
};

/*
 * Joined nodes have one copy of a coordinate. A node at the reference does not move and has no
 * copy.
 */
static const char *flat_owner(void *context, const bxt_designator *d, int k, bool *failed)
{
	const struct field *field = context;
	const bxt_flat_names *names = &field->f->names;
	(void)failed;
	if (k > 0)
		return NULL;
	if (d->owner == BXT_OWNER_ELEMENT)
		return names->element[d->element];
	return d->owner == BXT_OWNER_NODE && names->class_of[d->element] >= 0
		       ? names->node[d->element]
		       : NULL;
}

bxt_status bxt_flat_fix(bxt_flattener *f, const bxt_unit *unit, int primitive)
{
	struct field field = {f, primitive, NULL};
	const bxt_copy_names names = {&f->finder, primitive, flat_owner, NULL, &field, f->arena};
	bxt_item *copy;
	bool empty;
	BXT_TRY(bxt_unit_copy(f->out, f->out->root, unit, true, NULL, &copy));
	BXT_TRY(bxt_flat_settle_prefix(f, copy));
	BXT_TRY(bxt_rename_fix(&names, f->out, copy, &f->fixed, &empty));
	if (empty)
		bxt_item_remove(copy);
	return BXT_OK;
}

/* ---- <symmetry> ---- */

static const char *flat_parameter(void *context, const char *name)
{
	const struct field *field = context;
	return bxt_dictionary_get(&field->frame->parameter, name);
}

bxt_status bxt_flat_symmetry(bxt_flattener *f, const bxt_unit *unit, int primitive,
			     const bxt_flat_frame *frame)
{
	struct field field = {f, primitive, frame};
	const bxt_copy_names names = {&f->finder,     primitive, flat_owner,
				      flat_parameter, &field,    f->arena};
	const int i = bxt_find_symmetry(f->net, primitive, bxt_item_get(unit->item, "id"));
	bxt_item *copy;
	if (!f->symmetry && !(f->symmetry = BXT_NEW(f->arena, const char *, f->net->n_symmetries)))
		return BXT_ERR_MEMORY;
	const char *wish = i < 0 ? NULL : bxt_flat_symmetry_name(f->arena, f->net, (size_t)i);
	const char *name = wish ? bxt_take_name(f->arena, &f->ids, wish) : NULL;
	if (!name)
		return BXT_ERR_MEMORY;
	f->symmetry[i] = name;
	BXT_TRY(bxt_unit_copy(f->out, f->out->root, unit, true, NULL, &copy));
	BXT_TRY(bxt_flat_settle_prefix(f, copy));
	BXT_TRY(bxt_item_set(f->out, copy, "id", name));
	return bxt_rename_symmetry(&names, f->out, copy);
}

bxt_status bxt_flat_signal(bxt_flattener *f, const bxt_unit *unit, int primitive,
			   const bxt_flat_frame *frame)
{
	bxt_item *copy;
	BXT_TRY(bxt_unit_copy(f->out, f->out->root, unit, true, NULL, &copy));
	BXT_TRY(bxt_flat_settle_prefix(f, copy));
	const char *value = bxt_item_get(copy, "default");
	if (value && !(value = bxt_flat_value(f, frame, value, NULL)))
		return BXT_ERR_MEMORY;
	if (value)
		BXT_TRY(bxt_item_set(f->out, copy, "default", value));
	BXT_TRY(BXT_GROW(f->signals, f->c_signals, f->n_signals + 1));
	f->signals[f->n_signals++] = (bxt_flat_signal_item){copy, primitive, frame};
	return BXT_OK;
}

/* ---- <interconnection> ---- */

/* State of rewriting a row. */
struct row {
	bxt_flattener *f;
	const bxt_item *item;
	int primitive;
	const bxt_flat_frame *frame;
	bool failed;
};

/*
 * A port that a row needs stays, at its node, as a port of the netlist itself. NULL: there is no
 * port with that path, or it cannot stay.
 */
static const char *keep_port(struct row *r, const char *path)
{
	bxt_flattener *f = r->f;
	const bxt_meaning m = bxt_find_id(f->arena, f->net, r->primitive, path);
	if (m.type != BXT_ID_PORT)
		return NULL;
	if (f->port[m.index])
		return f->port[m.index];
	const bxt_net_port *port = &f->net->ports[m.index];
	const char *parent = f->net->primitives[port->primitive].path;
	if (port->node < 0 || f->names.class_of[port->node] < 0) {
		bxt_error(f->d, r->item->place,
			  "<%s> cannot become flat: its port '%s' is joined to the reference",
			  r->item->name, path);
		f->bad = true;
		return NULL;
	}
	/* as for elements: its own id unless another port that stays has the same */
	const bool own = !*parent || bxt_map_get(&f->port_ids, port->id) == 1;
	char *wish = own ? bxt_arena_strdup(f->arena, port->id)
			 : bxt_arena_printf(f->arena, "%s_%s", parent, port->id);
	for (char *c = wish; c && *c; c++)
		*c = *c == '.' ? '_' : *c;
	const char *name = wish ? bxt_take_name(f->arena, &f->ids, wish) : NULL;
	bxt_item *item = name ? bxt_item_add(f->out, f->out->root, "port") : NULL;
	r->failed = !item || bxt_item_set(f->out, item, "id", name) != BXT_OK ||
		    bxt_item_set(f->out, item, "node", f->names.node[port->node]) != BXT_OK;
	return r->failed ? NULL : (f->port[m.index] = name);
}

static const char *keep_port_of(void *context, const char *path)
{
	return keep_port(context, path);
}

static const char *rename_parameter(void *context, const char *name)
{
	const struct row *r = context;
	return bxt_dictionary_get(&r->frame->parameter, name);
}

/*
 * A row other than <connect> cannot be dissolved, because it is not a sum of flows into one node.
 * It stays, between ports of the netlist itself, so that the flat netlist describes the same
 * system.
 */
static bxt_status keep_row(bxt_flattener *f, bxt_item *group, const bxt_unit *unit, int primitive,
			   const bxt_flat_frame *frame, int connection)
{
	struct row r = {f, unit->item, primitive, frame, false};
	bxt_item *copy;
	BXT_TRY(bxt_unit_copy(f->out, group, unit, true, NULL, &copy));
	BXT_TRY(bxt_flat_settle_prefix(f, copy));
	const char *name = bxt_take_name(f->arena, &f->ids, f->net->connections[connection].id);
	f->connection[connection] = name ? bxt_arena_printf(f->arena, "%s.lambda", name) : NULL;
	if (!f->connection[connection])
		return BXT_ERR_MEMORY;
	const bxt_row_names names = {keep_port_of, rename_parameter, &r, f->arena};
	BXT_TRY(bxt_rename_row(&names, f->out, copy));
	BXT_TRY(bxt_item_set(f->out, copy, "id", name));
	return r.failed ? BXT_ERR_MEMORY : BXT_OK;
}

/* A <connect> joins its nodes into one; its multiplier becomes the potential of that node. */
static bxt_status dissolve(bxt_flattener *f, const bxt_unit *unit, int connection)
{
	const bxt_connection *c = &f->net->connections[connection];
	const int node = f->names.node_of_connection[connection];
	if (node >= 0 && f->names.class_of[node] >= 0 && c->kind &&
	    c->kind->type == BXT_PORT_BALANCE) {
		f->connection[connection] = bxt_arena_printf(
			f->arena, "node(%s).%s", f->names.node[node], c->kind->effort[0]);
		if (!f->connection[connection])
			return BXT_ERR_MEMORY;
	}
	return bxt_unit_copy(f->out, f->out->root, unit, false, NULL, NULL);
}

bxt_status bxt_flat_interconnection(bxt_flattener *f, const bxt_unit *unit, int primitive,
				    const bxt_flat_frame *frame)
{
	/* rows go to a group of their own, so that the ports they keep come before them */
	bxt_item *group = BXT_NEW(f->out->arena, bxt_item, 1);
	bxt_item *root = f->out->root;
	bool rows = false;
	const char *file = bxt_arena_strdup(f->out->arena, unit->item->place.file);
	if (!group || !file)
		return BXT_ERR_MEMORY;
	*group = (bxt_item){.type = BXT_ITEM_ELEMENT,
			    .ns = root->ns,
			    .prefix = root->prefix,
			    .name = "interconnection",
			    .place = {file, unit->item->place.line}};
	BXT_TRY(bxt_unit_copy(f->out, root, unit, false, NULL, NULL));
	for (bxt_unit u = {0}; bxt_unit_next(unit->item, &u);) {
		if (!u.item) {
			BXT_TRY(bxt_unit_copy(f->out, rows ? group : root, &u, false, NULL, NULL));
			continue;
		}
		const int c = f->next_connection++; /* same order as the builder */
		if (strcmp(u.item->name, "connect") == 0) {
			BXT_TRY(dissolve(f, &u, c));
			continue;
		}
		rows = true;
		BXT_TRY(keep_row(f, group, &u, primitive, frame, c));
	}
	if (rows)
		bxt_item_move_behind(root, group, root->last);
	return BXT_OK;
}

/* ---- <signal>, <record> ---- */

static bool any_connection(const bxt_flattener *f)
{
	for (size_t c = 0; c < f->net->n_connections; c++)
		if (f->net->connections[c].is_sigma)
			return true;
	return false;
}

static bool is_flat_parameter(void *context, const char *name)
{
	const struct field *field = context;
	const bxt_item *root = field->frame->file->root, *p = NULL;
	while ((p = bxt_item_child(root, NULL, p))) {
		const bool declares =
			strcmp(p->name, "parameter") == 0 || strcmp(p->name, "input") == 0;
		const char *known = declares ? bxt_item_get(p, "name") : NULL;
		if (known && strcmp(known, name) == 0)
			return true;
	}
	return false;
}

static bxt_status rename_signals(bxt_flattener *f, const bxt_renaming *renaming)
{
	for (size_t i = 0; i < f->n_signals; i++) {
		const bxt_flat_signal_item *s = &f->signals[i];
		struct field field = {f, s->primitive, s->frame};
		const bxt_signal_renaming names = {
			renaming, s->primitive, flat_parameter, is_flat_parameter, &field,
			f->arena, f->d};
		const bxt_status status = bxt_rename_signal(&names, f->out, s->item);
		f->bad = f->bad || status == BXT_ERR_MODEL;
		if (status != BXT_ERR_MODEL)
			BXT_TRY(status);
	}
	return BXT_OK;
}

static bxt_status rename_records(bxt_flattener *f, const bxt_renaming *names)
{
	bxt_item *next;
	for (bxt_item *r = bxt_item_child(f->out->root, "record", NULL); r; r = next) {
		next = bxt_item_child(f->out->root, "record", r);
		const char *text = bxt_item_content(f->arena, r), *other;
		if (!text)
			return BXT_ERR_MEMORY;
		const bxt_status status =
			bxt_rename_record(names, f->arena, text, r->place, f->d, &other);
		f->bad = f->bad || status == BXT_ERR_MODEL;
		if (status == BXT_ERR_MODEL)
			continue;
		BXT_TRY(status);
		if (*other)
			BXT_TRY(bxt_item_set_content(f->out, r, other));
		else if (*text)
			bxt_item_remove(r);
	}
	return BXT_OK;
}

bxt_status bxt_flat_readers(bxt_flattener *f)
{
	const bxt_network *net = f->net;
	int *size = BXT_NEW(f->arena, int, net->n_nodes);
	bool *divided = BXT_NEW(f->arena, bool, net->n_nodes);
	const char **node = BXT_NEW(f->arena, const char *, net->n_nodes);
	if (!size || !divided || !node)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < net->n_nodes; i++)
		if (f->names.class_of[i] >= 0)
			size[f->names.class_of[i]]++;
	for (size_t i = 0; i < net->n_nodes; i++)
		if (f->names.class_of[i] >= 0) {
			divided[i] = size[f->names.class_of[i]] > 1;
			node[i] = f->names.node[i];
		}
	const bxt_renaming names = {.net = net,
				    .finder = &f->finder,
				    .element = f->names.element,
				    .node = node,
				    .port = f->port,
				    .connection = f->connection,
				    .symmetry = f->symmetry,
				    .signal = f->names.signal,
				    .divided = divided,
				    .connected = any_connection(f)};
	BXT_TRY(rename_signals(f, &names));
	return rename_records(f, &names);
}
