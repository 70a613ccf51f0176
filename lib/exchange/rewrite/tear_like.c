/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tear --like: tears a flat netlist, the model, like another netlist, the template. The model is
 * compared with the template's monolithic twin F: their elements and nodes must be the same. The
 * template gives subsystems, ports and connections with their comments (the skeleton). Elements,
 * values and everything else come from the model. Files that the template includes stay included,
 * and the model must agree with them. A <record> or <fix> of the model that equals F's is written
 * as in the template.
 */
#include "exchange/rewrite/moved_files.h"
#include "exchange/rewrite/tear_internal.h"
#include "model/builder/build.h"

#include <string.h>

typedef bxt_like like;

enum { MANY = 1 << 30 }; /* above any number of comments */

/* ---- What the model and the twin have in common ---- */

static bxt_status list_units(like *l)
{
	for (bxt_unit u = {0}; bxt_unit_next(l->t->netlist->root, &u);) {
		BXT_TRY(BXT_GROW(l->units, l->c_units, l->n_units + 1));
		l->units[l->n_units++] = u;
	}
	l->placed = BXT_NEW(l->t->arena, bool, l->n_units);
	l->unit = BXT_NEW(l->t->arena, const bxt_unit *, l->n_elements);
	l->flat = BXT_NEW(l->t->arena, const bxt_item *, l->n_elements);
	l->scope = BXT_NEW(l->t->arena, bxt_item *, l->net->n_primitives);
	if (!l->placed || !l->unit || !l->flat || !l->scope)
		return BXT_ERR_MEMORY;
	size_t n = 0;
	for (const bxt_item *i = bxt_item_child(l->twin->root, NULL, NULL); i;
	     i = bxt_item_child(l->twin->root, NULL, i))
		if (!bxt_item_is_word(i) && n < l->n_elements)
			l->flat[n++] = i;
	for (size_t i = 0; i < l->n_units; i++) {
		const bxt_item *item = l->units[i].item;
		const char *id = item ? bxt_item_get(item, "id") : NULL;
		if (id && strcmp(item->name, "node") == 0)
			BXT_TRY(bxt_map_put(&l->node_unit, id, (int)i));
	}
	for (size_t i = l->net->n_nodes; i-- > 0;)
		if (l->names.class_of[i] >= 0)
			BXT_TRY(bxt_map_put(&l->node_index, l->names.node[i], (int)i));
	return BXT_OK;
}

/* Has the element the same component and nodes in both? A finding otherwise. */
static bool same_element(like *l, const bxt_element *e, const bxt_item *item, const bxt_item *flat)
{
	const bxt_component *c = l->t->net->types[e->type]->component;
	bool same = strcmp(item->name, flat->name) == 0;
	if (!same)
		bxt_error(l->t->d, item->place, "'%s' is of component %s here and of %s in %s",
			  e->id, item->name, flat->name, l->netlist->file);
	for (int p = 0; p < c->n_ports && same; p++) {
		const char *here = bxt_item_get(item, c->ports[p].name);
		const char *there = bxt_item_get(flat, c->ports[p].name);
		if (here && there && strcmp(here, there) == 0)
			continue;
		bxt_error(l->t->d, item->place,
			  "'%s': port '%s' is at node '%s' here and at node '%s' in %s", e->id,
			  c->ports[p].name, here ? here : "", there ? there : "", l->netlist->file);
		same = false;
	}
	return same;
}

/* Matches the elements of the model and of the twin one to one. */
static bxt_status match_elements(like *l)
{
	bxt_tearing *t = l->t;
	bxt_map there = {0};
	bxt_status status = BXT_OK;
	size_t n = 0;
	for (size_t i = 0; i < l->n_elements && status == BXT_OK; i++)
		status = bxt_map_put(&there, l->names.element[i], (int)i);
	for (size_t u = 0; u < l->n_units && status == BXT_OK; u++) {
		const bxt_item *item = l->units[u].item;
		if (!item || bxt_item_is_word(item))
			continue;
		const bxt_element *e = &t->net->elements[n++];
		const int i = bxt_map_get(&there, e->id);
		if (i >= 0) {
			l->bad = !same_element(l, e, item, l->flat[i]) || l->bad;
			l->unit[i] = &l->units[u];
			continue;
		}
		bxt_nearest_search near = {.name = e->id};
		for (size_t k = 0; k < l->n_elements; k++)
			bxt_nearest_offer(&near, l->names.element[k]);
		bxt_error(t->d, item->place, "there is no element '%s' in %s%s", e->id,
			  l->netlist->file, bxt_did_you_mean(t->arena, near.best));
		l->bad = true;
	}
	for (size_t i = 0; i < l->n_elements && status == BXT_OK; i++)
		if (!l->unit[i]) {
			bxt_error(t->d, l->net->elements[i].place,
				  "there is no element '%s' in %s, which shall be torn like this",
				  l->names.element[i], t->netlist->file);
			l->bad = true;
		}
	bxt_map_free(&there);
	return status;
}

/* Was it written in the template itself, not in an included file? */
static bool is_own(const like *l, bxt_place place)
{
	return strcmp(place.file, l->netlist->file) == 0;
}

static void differs(like *l, const char *what)
{
	bxt_error(
		l->t->d, l->t->netlist->root->place,
		"%s are not as %s has them, which includes files: only what these say can be torn "
		"like it",
		what, l->netlist->file);
	l->bad = true;
}

/* A file stays included, so the model must agree with its content. */
static void check_included(like *l)
{
	static const char *const words[][2] = {{"parameter", "parameters"},
					       {"input", "inputs"},
					       {"table", "tables"},
					       {"component", "inline components"},
					       {"node", "initial values of nodes"},
					       {"fix", "<fix>"},
					       {"symmetry", "<symmetry>"},
					       {"signal", "<signal>"}};
	bxt_arena *arena = l->t->arena;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!bxt_same_all(arena, l->t->netlist->root, l->twin->root, words[i][0]))
			differs(l, words[i][1]);
	for (size_t i = 0; i < l->n_elements; i++) {
		const bxt_element *e = &l->net->elements[i];
		if (!l->unit[i] || is_own(l, e->place) ||
		    bxt_same_item(arena, l->unit[i]->item, l->flat[i]))
			continue;
		bxt_error(l->t->d, l->unit[i]->item->place,
			  "'%s' is not as %s has it, which stays included: line %d there",
			  l->names.element[i], e->place.file, e->place.line);
		l->bad = true;
	}
}

static bxt_status match(like *l)
{
	bxt_tearing *t = l->t;
	const bxt_item *here = t->netlist->root, *there = l->twin->root;
	BXT_TRY(list_units(l));
	BXT_TRY(match_elements(l));
	if (!bxt_same_rows(t->arena, here, there)) {
		bxt_error(t->d, here->place,
			  "the rows of <interconnection> and their ports are not those of %s",
			  l->netlist->file);
		l->bad = true;
	}
	l->same_records = bxt_same_all(t->arena, here, there, "record");
	l->same_fixes = bxt_same_all(t->arena, here, there, "fix");
	l->same_symmetries = bxt_same_all(t->arena, here, there, "symmetry");
	l->same_signals = bxt_same_all(t->arena, here, there, "signal");
	if (l->net->origin.n_included > 0)
		check_included(l);
	return l->bad ? BXT_ERR_MODEL : BXT_OK;
}

/* ---- What the skeleton contains ---- */

static bool is_word(const bxt_unit *u, const char *word)
{
	return u->item && strcmp(u->item->name, word) == 0;
}

/* Does the item come from the template, with its comments, and not from the model? */
static bool is_skeleton(const like *l, const bxt_unit *u, bool top)
{
	if (!u->item)
		return !top;
	return is_word(u, "subsystem") || is_word(u, "port") || is_word(u, "interconnection") ||
	       (is_word(u, "fix") && l->same_fixes) ||
	       (is_word(u, "symmetry") && l->same_symmetries) ||
	       (is_word(u, "signal") && l->same_signals) ||
	       (is_word(u, "record") && l->same_records);
}

static bxt_status count_comments(like *l, const bxt_unit *u)
{
	for (const bxt_item *i = u->first; i; i = i == u->last ? NULL : i->next)
		if (i->type == BXT_ITEM_COMMENT) {
			const int n = bxt_map_get(&l->told, i->text);
			BXT_TRY(bxt_map_put(&l->told, i->text, n < 0 ? 1 : n + 1));
		}
	return BXT_OK;
}

/* All comments of an included file stay there. */
static bxt_status gather_included(like *l, const bxt_item *root)
{
	for (const bxt_item *item = root; item; item = bxt_item_next(root, item, true))
		if (item->type == BXT_ITEM_COMMENT)
			BXT_TRY(bxt_map_put(&l->told, item->text, MANY));
	return BXT_OK;
}

/* As deep as XML files may be. */
static bxt_status gather(like *l, const bxt_item *scope, bool top)
{
	const bool rows = strcmp(scope->name, "interconnection") == 0;
	for (bxt_unit u = {0}; bxt_unit_next(scope, &u);) {
		const char *name =
			is_word(&u, "component") && !top ? bxt_item_get(u.item, "name") : NULL;
		if (name)
			BXT_TRY(bxt_map_put(&l->inside, name, 1));
		if (rows || is_skeleton(l, &u, top))
			BXT_TRY(count_comments(l, &u));
		if (is_word(&u, "subsystem") || is_word(&u, "interconnection"))
			BXT_TRY(gather(l, u.item, false));
	}
	return BXT_OK;
}

/* ---- The torn netlist ---- */

/* The model's element with the names of the template. */
static bxt_status put_element(like *l, const bxt_unit *theirs, bxt_item *to)
{
	const int i = l->next_element++;
	bxt_netlist *out = l->t->out;
	if ((size_t)i >= l->n_elements) /* tree and network have the same elements */
		return BXT_ERR_ARGUMENT;
	const bxt_component *c = l->net->types[l->net->elements[i].type]->component;
	bxt_item *copy;
	BXT_TRY(bxt_unit_copy(out, to, l->unit[i], true, &l->told, &copy));
	BXT_TRY(bxt_item_set(out, copy, "id", l->net->elements[i].id));
	for (int k = 0; k < c->n_ports + c->n_bindings; k++) {
		const char *name =
			k < c->n_ports ? c->ports[k].name : c->bindings[k - c->n_ports].name;
		BXT_TRY(bxt_item_set(out, copy, name, bxt_item_get(theirs->item, name)));
	}
	return BXT_OK;
}

/* The model's <node> where the template has one, with the attributes that the template has. */
static bxt_status put_node(like *l, const bxt_unit *theirs, int primitive, bxt_item *to)
{
	const char *id = bxt_item_get(theirs->item, "id");
	const int node = id ? bxt_map_get(&l->net->primitives[primitive].nodes, id) : -1;
	const int u = node < 0 || l->names.class_of[node] < 0
			      ? -1
			      : bxt_map_get(&l->node_unit, l->names.node[node]);
	bxt_item *copy;
	if (u < 0)
		return BXT_OK;
	if (l->placed[u])
		copy = bxt_item_copy(l->t->out, to, l->units[u].item);
	else
		BXT_TRY(bxt_unit_copy(l->t->out, to, &l->units[u], true, &l->told, &copy));
	l->placed[u] = true;
	if (!copy)
		return BXT_ERR_MEMORY;
	for (int i = copy->n_attributes - 1; i >= 0; i--) {
		const bxt_attribute *a = &copy->attributes[i];
		/* values of another joined node are written at that other node */
		if (!bxt_attribute_is_foreign(a) && !bxt_item_get(theirs->item, a->name))
			bxt_item_drop_attribute(copy, a->name);
	}
	return bxt_item_set(l->t->out, copy, "id", id);
}

static bxt_status put_scope(like *l, const bxt_item *scope, int primitive, bxt_item *to);

/*
 * Skips the content of an included file: its elements and subsystems are consecutive there. Its
 * connections and signals are elements of the network too, but are not counted here.
 */
static void pass_included(like *l, int primitive)
{
	const bxt_network *net = l->net;
	int p = primitive;
	do {
		const bxt_members *list = &net->primitives[p++].elements;
		for (int k = 0; k < list->n; k++)
			l->next_element += !net->elements[list->index[k]].is_interaction;
	} while ((size_t)p < net->n_primitives && net->primitives[p].parent >= primitive);
	l->next_primitive = p;
}

static bxt_status put_subsystem(like *l, const bxt_unit *u, bxt_item *to)
{
	const int primitive = l->next_primitive++;
	bxt_item *item;
	BXT_TRY(bxt_unit_copy(l->t->out, to, u, true, NULL, &item));
	item->first = item->last = NULL; /* only the start tag is needed */
	l->scope[primitive] = item;
	if (bxt_item_get(u->item, "href")) {
		bxt_file_move move;
		BXT_TRY(bxt_file_move_make(l->t->out, l->netlist->file, l->t->netlist->file,
					   l->t->d, &move));
		BXT_TRY(bxt_move_href(&move, item, u->item->place));
		l->bad = l->bad || move.bad;
		pass_included(l, primitive);
		return BXT_OK;
	}
	return put_scope(l, u->item, primitive, item);
}

/* An inline component stays where the template has it, with the model's text. */
static bxt_status put_component(like *l, const bxt_unit *theirs, bxt_item *to)
{
	const char *name = bxt_item_get(theirs->item, "name");
	for (size_t i = 0; i < l->n_units && name; i++) {
		const char *own = is_word(&l->units[i], "component")
					  ? bxt_item_get(l->units[i].item, "name")
					  : NULL;
		if (!own || l->placed[i] || strcmp(own, name) != 0)
			continue;
		l->placed[i] = true;
		return bxt_unit_copy(l->t->out, to, &l->units[i], true, &l->told, NULL);
	}
	return BXT_OK;
}

/* As deep as XML files may be. */
static bxt_status put_scope(like *l, const bxt_item *scope, int primitive, bxt_item *to)
{
	l->scope[primitive] = to;
	for (bxt_unit u = {0}; bxt_unit_next(scope, &u);) {
		if (is_word(&u, "subsystem"))
			BXT_TRY(put_subsystem(l, &u, to));
		else if (is_word(&u, "node"))
			BXT_TRY(put_node(l, &u, primitive, to));
		else if (is_word(&u, "component") && primitive > 0)
			BXT_TRY(put_component(l, &u, to));
		else if (u.item && !bxt_item_is_word(u.item))
			BXT_TRY(put_element(l, &u, to));
		else if (is_skeleton(l, &u, primitive == 0) && !is_word(&u, "record"))
			BXT_TRY(bxt_unit_copy(l->t->out, to, &u, true, NULL, NULL));
	}
	return BXT_OK;
}

/* Copies initial values of nodes that have none in the template to every part with the node. */
static bxt_status put_other_nodes(like *l)
{
	if (l->net->origin.n_included > 0)
		return BXT_OK; /* the model has those that are there, and no other */
	for (size_t i = 0; i < l->net->n_nodes; i++) {
		const int u = l->names.class_of[i] < 0
				      ? -1
				      : bxt_map_get(&l->node_unit, l->names.node[i]);
		if (u < 0 || l->placed[u])
			continue;
		for (size_t k = i; k < l->net->n_nodes; k++) {
			if (l->names.class_of[k] != l->names.class_of[i])
				continue;
			bxt_item *copy;
			BXT_TRY(bxt_unit_copy(l->t->out, l->scope[l->net->nodes[k].primitive],
					      &l->units[u], true, &l->told, &copy));
			BXT_TRY(bxt_item_set(l->t->out, copy, "id", l->net->nodes[k].name));
		}
		l->placed[u] = true;
	}
	return BXT_OK;
}

/* ---- Texts of the model that differ from those of the twin ---- */

static bxt_status put_record(like *l, const bxt_unit *u)
{
	bxt_tearing *t = l->t;
	bxt_item *copy;
	const char *text = bxt_item_content(t->arena, u->item), *other;
	if (l->same_records) { /* those of the torn netlist, all at its first <record> */
		BXT_TRY(bxt_unit_copy(t->out, t->out->root, u, false, &l->told, NULL));
		if (u->item != bxt_item_child(t->netlist->root, "record", NULL))
			return BXT_OK;
		for (bxt_unit theirs = {0}; bxt_unit_next(l->netlist->root, &theirs);)
			if (is_word(&theirs, "record"))
				BXT_TRY(bxt_unit_copy(t->out, t->out->root, &theirs, true, NULL,
						      NULL));
		return BXT_OK;
	}
	bxt_renaming names;
	if (!text)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_like_names(l, &names));
	BXT_TRY(bxt_rename_record(&names, t->arena, text, u->item->place, t->d, &other));
	BXT_TRY(bxt_unit_copy(t->out, t->out->root, u, *other || !*text, &l->told, &copy));
	return copy && *other ? bxt_item_set_content(t->out, copy, other) : BXT_OK;
}

struct field {
	like *l;
	bxt_renaming names;
};

/* The k-th copy of a node in the torn netlist. */
static const char *copy_of_node(like *l, const char *name, int k, bool *failed)
{
	const int first = bxt_map_get(&l->node_index, name);
	for (size_t i = 0; i < l->net->n_nodes && first >= 0; i++) {
		const bxt_net_node *node = &l->net->nodes[i];
		const char *where = l->net->primitives[node->primitive].path;
		if (l->names.class_of[i] != l->names.class_of[first] || k-- > 0)
			continue;
		const char *path = bxt_arena_printf(l->t->arena, "%s%s%s", where, *where ? "." : "",
						    node->name);
		*failed = *failed || !path;
		return path;
	}
	return NULL;
}

static const char *like_owner(void *context, const bxt_designator *d, int k, bool *failed)
{
	struct field *field = context;
	like *l = field->l;
	if (d->owner == BXT_OWNER_NODE)
		return copy_of_node(l, l->t->net->nodes[d->element].name, k, failed);
	return k > 0 ? NULL : field->names.element[d->element];
}

static bxt_status put_fix(like *l, const bxt_unit *u)
{
	bxt_tearing *t = l->t;
	struct field field = {.l = l};
	const bxt_copy_names names = {&t->finder, 0, like_owner, NULL, &field, t->arena};
	bxt_item *copy;
	bool empty;
	if (l->same_fixes) /* they came with the skeleton */
		return bxt_unit_copy(t->out, t->out->root, u, false, &l->told, NULL);
	BXT_TRY(bxt_like_names(l, &field.names));
	BXT_TRY(bxt_unit_copy(t->out, t->out->root, u, true, &l->told, &copy));
	return bxt_rename_fix(&names, t->out, copy, NULL, &empty);
}

/* ---- <symmetry> ---- */

/* A <symmetry> in the names that its coordinates have here. */
static bxt_status put_symmetry(like *l, const bxt_unit *u)
{
	bxt_tearing *t = l->t;
	struct field field = {.l = l};
	const bxt_copy_names names = {&t->finder, 0, like_owner, NULL, &field, t->arena};
	bxt_item *copy;
	if (l->same_symmetries) /* they came with the skeleton */
		return bxt_unit_copy(t->out, t->out->root, u, false, &l->told, NULL);
	BXT_TRY(bxt_like_names(l, &field.names));
	BXT_TRY(bxt_unit_copy(t->out, t->out->root, u, true, &l->told, &copy));
	return bxt_rename_symmetry(&names, t->out, copy);
}

static bxt_status put_signal(like *l, const bxt_unit *u)
{
	bxt_tearing *t = l->t;
	bxt_renaming renaming;
	const bxt_signal_renaming names = {.names = &renaming, .arena = t->arena, .d = t->d};
	bxt_item *copy;
	if (l->same_signals)
		return bxt_unit_copy(t->out, t->out->root, u, false, &l->told, NULL);
	BXT_TRY(bxt_like_names(l, &renaming));
	BXT_TRY(bxt_unit_copy(t->out, t->out->root, u, true, &l->told, &copy));
	return bxt_rename_signal(&names, t->out, copy);
}

/* ---- The whole netlist ---- */

/* Does a component, parameter or table come from a subsystem, or from an included file? */
static bool is_from_inside(const like *l, const bxt_item *item)
{
	const bxt_item *there = NULL, *root = l->netlist->root;
	const char *name = bxt_item_get(item, "name"), *other;
	if (!name)
		return false;
	if (strcmp(item->name, "component") == 0 && bxt_map_get(&l->inside, name) >= 0)
		return true;
	while (l->net->origin.n_included > 0 && (there = bxt_item_child(root, item->name, there)))
		if ((other = bxt_item_get(there, "name")) && strcmp(name, other) == 0)
			return false;
	return l->net->origin.n_included > 0;
}

static bxt_status put_unit(like *l, size_t i)
{
	const bxt_unit *u = &l->units[i];
	bxt_tearing *t = l->t;
	const bool moves = u->item && (!bxt_item_is_word(u->item) || is_word(u, "node") ||
				       is_word(u, "port") || is_word(u, "interconnection"));
	if (moves && !l->begun) {
		l->begun = true;
		BXT_TRY(put_scope(l, l->netlist->root, 0, t->out->root));
		BXT_TRY(put_other_nodes(l));
	}
	if (l->placed[i] || (u->item && !bxt_item_is_word(u->item)))
		return BXT_OK;
	if ((is_word(u, "component") || is_word(u, "parameter") || is_word(u, "input") ||
	     is_word(u, "table")) &&
	    is_from_inside(l, u->item))
		return BXT_OK;
	if (is_word(u, "interconnection"))
		for (bxt_unit row = {0}; bxt_unit_next(u->item, &row);)
			BXT_TRY(bxt_unit_copy(t->out, t->out->root, &row, false, &l->told, NULL));
	if (is_word(u, "interconnection") || is_word(u, "port"))
		return bxt_unit_copy(t->out, t->out->root, u, false, &l->told, NULL);
	if (is_word(u, "record"))
		return put_record(l, u);
	if (is_word(u, "fix"))
		return put_fix(l, u);
	if (is_word(u, "symmetry"))
		return put_symmetry(l, u);
	if (is_word(u, "signal"))
		return put_signal(l, u);
	return bxt_unit_copy(t->out, t->out->root, u, true, &l->told, NULL);
}

static bxt_status work(like *l)
{
	bxt_tearing *t = l->t;
	l->n_elements = bxt_element_count(l->net);
	if (l->net->n_primitives == 1) {
		bxt_error(t->d, l->netlist->root->place,
			  "the netlist has no subsystems: nothing is torn here");
		return BXT_ERR_MODEL;
	}
	BXT_TRY(bxt_flat_names_make(t->arena, l->net, &l->names));
	/* warnings of flattening about what it leaves out have no meaning here; its errors have */
	bxt_status status = bxt_netlist_flatten(l->netlist, t->library, NULL, &l->twin);
	if (status == BXT_ERR_MODEL)
		status = bxt_netlist_flatten(l->netlist, t->library, t->d, &l->twin);
	BXT_TRY(status);
	/*
	 * names that both netlists use denote the same files; what has no name here is compared
	 * unchanged
	 */
	if (bxt_netlist_move(l->twin, t->library, t->netlist->file, NULL) == BXT_ERR_MEMORY)
		return BXT_ERR_MEMORY;
	BXT_TRY(match(l));
	BXT_TRY(gather(l, l->netlist->root, true));
	for (size_t i = 0; i < l->net->origin.n_included; i++)
		BXT_TRY(gather_included(l, l->net->origin.included[i]->root));
	for (size_t i = 0; i < l->n_units; i++)
		BXT_TRY(put_unit(l, i));
	return l->bad ? BXT_ERR_MODEL : BXT_OK;
}

bxt_status bxt_tear_like(bxt_tearing *t)
{
	bxt_network *net = NULL;
	like l = {.t = t, .netlist = t->def->like, .next_primitive = 1};
	BXT_TRY(bxt_network_build(l.netlist, t->library, t->d, &net));
	l.net = net;
	const bxt_status status = work(&l);
	bxt_netlist_free(l.twin);
	bxt_map_free(&l.node_unit);
	bxt_map_free(&l.node_index);
	bxt_map_free(&l.told);
	bxt_map_free(&l.inside);
	bxt_free(l.units);
	bxt_network_free(net);
	return status;
}
