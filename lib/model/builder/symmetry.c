/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads <symmetry id="turn"><generator on="m1.x">-m1.y</generator>...</symmetry>: a vector field on
 * coordinates of elements and nodes. Names are resolved in its own scope.
 */
#include "model/builder/path.h"

#include <stdlib.h>
#include <string.h>

/* The state while one <symmetry> is read. */
struct reader {
	bxt_path_reader path;
	int *on;
	bxt_ex *xi;
	size_t n_on, c_on, c_xi;
};

/* ---- The element ---- */

static bxt_status read_generator(struct reader *r, const bxt_item *item)
{
	bxt_builder *b = r->path.b;
	const char *on = bxt_item_get(item, "on");
	const char *text = bxt_item_content(b->scratch, item);
	bxt_ex xi = bxt_ex_const(r->path.g, 0);
	r->path.item = item;
	bxt_build_attributes(b, item);
	if (!text)
		return BXT_ERR_MEMORY;
	const bxt_item *inner = bxt_item_child(item, NULL, NULL);
	if (inner)
		BXT_PATH_FAIL(&r->path, inner->place, "<%s> cannot stand inside <generator>",
			      inner->name);
	if (!on || !*on)
		BXT_PATH_FAIL(&r->path, item->place,
			      "<generator> needs on=\"ELEMENT.COORDINATE\" or "
			      "on=\"node(NODE).COORDINATE\"");
	if (!*text)
		BXT_PATH_FAIL(&r->path, item->place,
			      "<generator> is empty: it needs an expression");
	const int v = on && *on ? bxt_path_variable_of(&r->path, on) : -1;
	const bool good = *text && bxt_path_parse(&r->path, text, &xi);
	if (v >= 0 && r->path.at[v].taken)
		BXT_PATH_FAIL(&r->path, item->place, "<symmetry>: a second <generator> on '%s'",
			      on);
	if (v >= 0)
		r->path.at[v].taken = true;
	if (b->failed)
		return BXT_ERR_MEMORY;
	if (!good || v < 0)
		return BXT_OK;
	BXT_TRY(BXT_GROW(r->on, r->c_on, r->n_on + 1));
	BXT_TRY(BXT_GROW(r->xi, r->c_xi, r->n_on + 1));
	r->on[r->n_on] = v;
	r->xi[r->n_on++] = xi;
	return BXT_OK;
}

/* Checks that its id is new in the scope. */
static void check_id(struct reader *r, const bxt_item *item)
{
	const bxt_network *net = r->path.b->net;
	const char *id = bxt_item_get(item, "id");
	if (!id || !bxt_is_name(id)) {
		BXT_PATH_FAIL(&r->path, item->place,
			      id ? "<symmetry>: id '%s' is not a name (a letter or _, then "
				   "letters, digits, "
				   "_ or -)"
				 : "<symmetry> has no id",
			      id ? id : "");
		return;
	}
	if (bxt_name_is_reserved(id))
		BXT_PATH_FAIL(&r->path, item->place,
			      "id '%s' is a word of the language: choose another", id);
	if (bxt_map_get(&net->primitives[r->path.primitive].ids, id) >= 0)
		BXT_PATH_FAIL(&r->path, item->place, "id '%s' is already used in this scope", id);
	for (size_t i = 0; i < net->n_symmetries; i++)
		if (net->symmetries[i].primitive == r->path.primitive &&
		    strcmp(net->symmetries[i].id, id) == 0)
			BXT_PATH_FAIL(&r->path, item->place, "id '%s' is already used in line %d",
				      id, net->symmetries[i].place.line);
}

static bxt_status read_children(struct reader *r, const bxt_item *item, const char **doc)
{
	int n = 0;
	for (const bxt_item *c = NULL; (c = bxt_item_child(item, NULL, c));) {
		if (strcmp(c->name, "generator") == 0) {
			BXT_TRY(read_generator(r, c));
			n++;
		} else if (strcmp(c->name, "doc") != 0) {
			BXT_PATH_FAIL(&r->path, c->place, "<symmetry> has no <%s>%s", c->name,
				      bxt_did_you_mean(r->path.b->scratch,
						       bxt_language_nearest(BXT_LANGUAGE_NETLIST,
									    "symmetry", c->name)));
		} else if (!(*doc = bxt_item_content(r->path.b->arena, c))) {
			return BXT_ERR_MEMORY;
		}
	}
	if (n == 0)
		BXT_PATH_FAIL(&r->path, item->place, "<symmetry> has no <generator on=\"…\">");
	return BXT_OK;
}

static bxt_status keep_symmetry(struct reader *r, const bxt_item *item, const char *doc)
{
	bxt_builder *b = r->path.b;
	bxt_network *net = b->net;
	const char *id = bxt_item_get(item, "id");
	bxt_field *field = BXT_NEW(b->arena, bxt_field, 1);
	bxt_net_coordinate *at = BXT_NEW(b->arena, bxt_net_coordinate, r->path.n);
	if (!field || !at)
		return BXT_ERR_MEMORY;
	*field = (bxt_field){.name = id, .doc = doc, .place = item->place, .nl = (int)r->path.n};
	for (size_t k = 0; k < r->path.n; k++)
		at[k] = r->path.at[k].at;
	BXT_TRY(BXT_GROW(net->symmetries, b->room.symmetries, net->n_symmetries + 1));
	BXT_TRY(bxt_vector_field_compile(b->arena, r->path.g, r->on, r->xi, (int)r->n_on, field));
	net->symmetries[net->n_symmetries++] =
		(bxt_net_symmetry){id, item->place, r->path.primitive, -1, field, field, at};
	return BXT_OK;
}

static bxt_status read_symmetry(struct reader *r, const bxt_item *item)
{
	const char *doc = "";
	bxt_build_attributes(r->path.b, item);
	bxt_build_no_text(r->path.b, item);
	check_id(r, item);
	BXT_TRY(read_children(r, item, &doc));
	if (bxt_graph_failed(r->path.g) || r->path.b->failed)
		return BXT_ERR_MEMORY;
	return r->path.bad ? BXT_OK : keep_symmetry(r, item, doc);
}

bxt_status bxt_build_symmetry(bxt_builder *b, const bxt_item *item, int primitive)
{
	struct reader r = {.on = NULL};
	bxt_status status = bxt_path_begin(&r.path, b, primitive, "symmetry", false);
	if (status == BXT_OK)
		status = read_symmetry(&r, item);
	bxt_path_end(&r.path);
	free(r.on);
	free(r.xi);
	return status;
}

/* ---- Afterwards ---- */

bxt_status bxt_build_element_symmetries(bxt_builder *b)
{
	bxt_network *net = b->net;
	const size_t own = net->n_symmetries;
	size_t n = 0;
	for (size_t i = 0; i < net->n_elements; i++)
		n += (size_t)net->types[net->elements[i].type]->n_fields;
	if (n == 0)
		return BXT_OK;
	BXT_TRY(BXT_GROW(net->symmetries, b->room.symmetries, own + n));
	memmove(net->symmetries + n, net->symmetries, own * sizeof *net->symmetries);
	net->n_symmetries = own + n;
	n = 0;
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_element *e = &net->elements[i];
		const bxt_element_type *type = net->types[e->type];
		for (int k = 0; k < type->n_fields; k++)
			net->symmetries[n++] = (bxt_net_symmetry){
				type->fields[k].name, e->place, e->primitive, (int)i,
				&type->fields[k],     NULL,     NULL};
	}
	return BXT_OK;
}

void bxt_build_symmetry_uses(bxt_builder *b)
{
	const bxt_network *net = b->net;
	for (size_t i = 0; i < net->n_symmetries; i++) {
		const bxt_net_symmetry *s = &net->symmetries[i];
		for (int a = 0; s->element < 0 && a < s->field->nl; a++) {
			const bxt_net_coordinate *at = &s->at[a];
			const bxt_net_node *node = at->node < 0 ? NULL : &net->nodes[at->node];
			if (node && !node->used[at->coordinate])
				bxt_warning(b->d, s->place,
					    "symmetry '%s': no element uses %s of node '%s'", s->id,
					    node->kind->coordinate[at->coordinate], node->name);
		}
	}
}
