/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Explains faults of designators and suggests the nearest names. */
#include "model/names/designator.h"

#include "ground/expr/functions.h"
#include "model/network/dirac.h"

#include <string.h>

/* ---- Nearest names ---- */

struct help {
	const bxt_names *n;
	bxt_nearest_search near;
	bxt_buffer text; /* scratch */
};

/* Passes the path of an id, as seen from the scope, to the search. */
static void offer_id(struct help *h, int primitive, const char *id)
{
	const bxt_network *net = h->n->net;
	const size_t outer = strlen(net->primitives[h->n->scope].path);
	if (!bxt_names_is_inside(net, primitive, h->n->scope))
		return;
	const char *full = bxt_network_path(net, primitive, id, &h->text);
	full += outer ? outer + 1 : 0;
	bxt_nearest_offer(&h->near, full);
	if (h->near.best == full) /* scratch: the next one overwrites it */
		h->near.best = bxt_arena_strdup(h->n->arena, full);
}

static void offer_owners(struct help *h)
{
	const bxt_network *net = h->n->net;
	const bxt_call call = h->n->name.call;
	const bool node = call == BXT_CALL_NODE, port = call == BXT_CALL_POWER;
	const bool symmetry = call == BXT_CALL_MOMENTUM || call == BXT_CALL_NOETHER;
	for (size_t i = 0; i < net->n_elements && !node && !symmetry; i++)
		if (!net->elements[i].is_interaction)
			offer_id(h, net->elements[i].primitive, net->elements[i].id);
	for (size_t i = 1;
	     i < net->n_primitives && call != BXT_CALL_NONE && !node && !symmetry && !port; i++)
		offer_id(h, net->primitives[i].parent, net->primitives[i].id);
	for (size_t i = 0; i < net->n_ports && (call == BXT_CALL_NONE || port); i++)
		offer_id(h, net->ports[i].primitive, net->ports[i].id);
	for (size_t i = 0; i < net->n_nodes && node; i++)
		if (net->nodes[i].kind)
			offer_id(h, net->nodes[i].primitive, net->nodes[i].name);
	for (size_t i = 0; i < net->n_symmetries && symmetry; i++) {
		const bxt_net_symmetry *s = &net->symmetries[i];
		bxt_nearest_offer(&h->near, s->id);
		if (s->element < 0)
			offer_id(h, s->primitive, s->id);
	}
}

/* Passes the words of calls, and signals whose name is one word, to the search. */
static void offer_words(struct help *h)
{
	const bxt_network *net = h->n->net;
	for (int c = 0; c < BXT_CALL_COUNT; c++)
		bxt_nearest_offer(&h->near, bxt_call_words[c]);
	for (size_t i = 0; i < net->n_signal_ids; i++)
		bxt_nearest_offer(&h->near, net->signal_ids[i].id);
}

/*
 * Passes the quantities of a port kind to the search; of a node only its own coordinates, if known.
 */
static void offer_kind(struct help *h, const bxt_port_kind *kind, const bxt_net_node *node)
{
	for (int s = 0; s < kind->n; s++) {
		if (node && kind->type == BXT_PORT_BALANCE) {
			bxt_nearest_offer(&h->near, kind->effort[s]);
		} else if (!node || node->n_used == 0 || node->used[s]) {
			bxt_nearest_offer(&h->near, kind->coordinate[s]);
			bxt_nearest_offer(&h->near, kind->flow[s]);
		}
	}
	for (const bxt_kind_quantity *d = kind->derived; d && d->name; d++)
		bxt_nearest_offer(&h->near, d->name);
}

/* Passes the quantities of the owner to the search. */
static void offer_quantities(struct help *h)
{
	const bxt_network *net = h->n->net;
	const bxt_designator *d = &h->n->found[0];
	if (d->owner == BXT_OWNER_CONNECTION)
		bxt_nearest_offer(&h->near, "lambda"), bxt_nearest_offer(&h->near, "mu");
	if (d->owner == BXT_OWNER_NODE)
		offer_kind(h, net->nodes[d->element].kind, &net->nodes[d->element]);
	if (d->owner == BXT_OWNER_PORT && net->ports[d->element].node >= 0)
		offer_kind(h, net->nodes[net->ports[d->element].node].kind, NULL);
	if (d->owner != BXT_OWNER_ELEMENT)
		return;
	const bxt_element_type *type = net->types[net->elements[d->element].type];
	const bxt_component *c = type->component;
	if (h->n->name.call == BXT_CALL_POWER) {
		for (int r = 0; r < type->ml - type->n_constraint; r++)
			bxt_nearest_offer(&h->near, c->ports[type->origin.port_of_row[r]].name);
		return;
	}
	for (int a = 0; a < c->n_coordinates; a++) {
		bxt_nearest_offer(&h->near, c->coordinates[a].name);
		bxt_nearest_offer(&h->near, c->coordinates[a].flow);
	}
	for (int o = 0; o < c->n_outputs; o++)
		bxt_nearest_offer(&h->near, c->outputs[o].name);
	bxt_element_effort e;
	for (int i = 0; i < c->n_ports * BXT_PORT_MAX_COORDINATES && h->n->recorded; i++)
		if (bxt_effort_of_element(type, i, &e))
			bxt_nearest_offer(&h->near, c->ports[e.port[0]].kind->effort[e.sub]);
}

/* " (did you mean 'x'?)" */
static const char *suggest(const bxt_names *n, const char *name, void (*offer_all)(struct help *))
{
	struct help h = {.n = n, .near = {.name = name}};
	if (name && *name)
		offer_all(&h);
	const bool same = h.near.best && strcmp(h.near.best, name) == 0; /* it needs an argument */
	const char *text = same ? bxt_arena_printf(n->arena, " (did you mean '%s(...)'?)", name)
				: bxt_did_you_mean(n->arena, h.near.best);
	text = text ? text : "";
	bxt_buffer_free(&h.text);
	return text;
}

/* ---- Faults ---- */

/* The path without its last words. */
static const char *without_last(const bxt_names *n, size_t words)
{
	const char *end = n->word[n->n_words - words] - n->cut.text + n->path.text;
	return bxt_arena_strndup(n->arena, n->path.text, (size_t)(end - n->path.text) - 1);
}

/* Do all words but the last name a node from the scope? */
static bool is_node(const bxt_names *n)
{
	int p = n->scope;
	for (size_t j = 0; j + 2 < n->n_words; j++) {
		const int there = bxt_map_get(&n->net->primitives[p].ids, n->word[j]);
		if (there < 0 || there % 4 != BXT_ID_SUBSYSTEM)
			return false;
		p = there / 4;
	}
	return bxt_map_get(&n->net->primitives[p].nodes, n->word[n->n_words - 2]) >= 0;
}

static const char *no_owner(const bxt_names *n, const char *noun, bool near)
{
	static const char *const nouns[] = {[BXT_CALL_NODE] = "node",
					    [BXT_CALL_ENERGY] = "element or subsystem",
					    [BXT_CALL_DISSIPATED] = "element or subsystem",
					    [BXT_CALL_SUPPLIED] = "element or subsystem",
					    [BXT_CALL_POWER] = "port",
					    [BXT_CALL_DRIFT] = "family of rows",
					    [BXT_CALL_MOMENTUM] = "symmetry",
					    [BXT_CALL_NOETHER] = "symmetry"};
	const bxt_call call = n->name.call;
	const char *path = n->path.text ? n->path.text : "", *help = "";
	if (call != BXT_CALL_NONE) {
		if (near)
			help = suggest(n, path, offer_owners);
		return bxt_arena_printf(n->arena, "no %s '%s'%s", nouns[call], path, help);
	}
	if (n->n_words < 2) {
		if (near)
			help = suggest(n, n->text, offer_words);
		return bxt_arena_printf(n->arena, "no %s '%s'%s", noun, n->text, help);
	}
	const char *owner = without_last(n, 1), *last = n->word[n->n_words - 1];
	if (owner && is_node(n))
		return bxt_arena_printf(n->arena,
					"'%s' is a node, not an element: write 'node(%s).%s'",
					owner, owner, last);
	if (near) /* the nearest name is searched for the owner's path alone */
		help = suggest(n, owner, offer_owners);
	return bxt_arena_printf(n->arena, "no %s '%s'%s", noun, n->text, help);
}

static const char *no_quantity(const bxt_names *n)
{
	const bool node = n->name.call == BXT_CALL_NODE;
	const char *rest =
		node ? n->name.rest.at + 1 : n->path.text + (n->word[n->owner_words] - n->cut.text);
	const char *near = suggest(n, rest, offer_quantities);
	if (n->name.call == BXT_CALL_POWER)
		return bxt_arena_printf(n->arena, "no balance port '%s'%s", n->path.text, near);
	if (node)
		return bxt_arena_printf(n->arena, "node(%s) has no '%s'%s", n->path.text, rest,
					near);
	return bxt_arena_printf(n->arena, "'%.*s' has no '%s'%s", (int)(rest - 1 - n->path.text),
				n->path.text, rest, near);
}

static const char *ambiguous(const bxt_names *n)
{
	bxt_buffer one = {0}, two = {0};
	const bool call = n->name.call != BXT_CALL_NONE;
	bxt_designator_print_owner(n->net, n->scope, &n->found[0], &one);
	bxt_designator_print_owner(n->net, n->scope, &n->found[1], &two);
	const char *text =
		one.failed || two.failed
			? NULL
			: bxt_arena_printf(n->arena,
					   "'%s' is ambiguous: %d match, '%s' and '%s'%s; write "
					   "more of the path",
					   call ? n->path.text : n->text, n->n_found, one.text,
					   two.text, n->n_found > 2 ? " among them" : "");
	bxt_buffer_free(&one);
	bxt_buffer_free(&two);
	return text;
}

static const char *no_word(const bxt_names *n)
{
	const bxt_span word = n->name.word;
	bxt_nearest_search near = {.name = bxt_arena_strndup(n->arena, word.at, word.length)};
	for (int c = 0; near.name && c < BXT_CALL_COUNT; c++)
		bxt_nearest_offer(&near, bxt_call_words[c]);
	for (const bxt_function *f = bxt_functions; near.name && f->name && n->recorded; f++)
		bxt_nearest_offer(&near, f->name);
	return bxt_arena_printf(n->arena, "no such quantity '%s'%s", near.name ? near.name : "",
				bxt_did_you_mean(n->arena, near.best));
}

static const char *no_family(const bxt_names *n)
{
	bxt_nearest_search near = {.name = n->path.text ? n->path.text : ""};
	bxt_nearest_offer(&near, bxt_family_of_positions);
	for (int f = 0; f < BXT_FAMILY_COUNT; f++) {
		bxt_nearest_offer(&near, bxt_family_names[f]);
		const char *integrated = bxt_arena_printf(n->arena, "%s.q", bxt_family_names[f]);
		if (integrated)
			bxt_nearest_offer(&near, integrated);
	}
	return bxt_arena_printf(n->arena, "no family of rows '%s'%s", near.name,
				bxt_did_you_mean(n->arena, near.best));
}

const char *bxt_names_why(bxt_names *n, const char *noun, bool near)
{
	const char *text = NULL;
	const int head = n->name.rest.at ? (int)(n->name.rest.at - n->text) : 0;
	switch (n->fault) {
	case BXT_NAME_NO_OPEN:
	case BXT_NAME_NO_CLOSE:
		text = bxt_arena_printf(n->arena, "'%s' is missing in '%s'",
					n->fault == BXT_NAME_NO_OPEN ? "(" : ")", n->text);
		break;
	case BXT_NAME_NO_WORD:
		text = no_word(n);
		break;
	case BXT_NAME_TOO_MUCH:
		text = bxt_arena_printf(n->arena, "'%s' after '%.*s' is too much", n->name.rest.at,
					head, n->text);
		break;
	case BXT_NAME_WHAT_OF:
		text = bxt_arena_printf(n->arena,
					"what of %.*s? Write %.*s.NAME, or %.*s.* for all", head,
					n->text, head, n->text, head, n->text);
		break;
	case BXT_NAME_NO_FAMILY:
		text = no_family(n);
		break;
	case BXT_NAME_NO_QUANTITY:
		text = no_quantity(n);
		break;
	case BXT_NAME_AMBIGUOUS:
		text = ambiguous(n);
		break;
	default:
		text = no_owner(n, noun, near);
	}
	n->failed = n->failed || !text;
	return text ? text : "";
}
