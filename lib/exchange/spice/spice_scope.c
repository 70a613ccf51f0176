/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts names of SPICE to ids of netlists that are unique in their scope; writes the text of
 * elements.
 */
#include "exchange/robot/words.h"
#include "exchange/spice/spice.h"

#include <string.h>

/* ---- Ids ---- */

static bool is_good(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

/*
 * Replaces characters that an id cannot have by _. Names of nodes may also consist of digits only.
 */
static char *make_id(bxt_deck *deck, const char *prefix, const char *name, bool node)
{
	const bool digits = node && !*prefix && name[strspn(name, "0123456789")] == '\0';
	const char first = *prefix ? *prefix : *name;
	const bool late = !digits && (first == '-' || (first >= '0' && first <= '9'));
	char *id = bxt_arena_printf(deck->arena, "%s%s%s", late ? "_" : "", prefix, name);
	deck->failed = deck->failed || !id;
	for (char *c = id; c && *c; c++)
		*c = is_good(*c) ? *c : '_';
	return id;
}

static const char *unique(bxt_deck *deck, bxt_map *taken, const char *id, bool reserved)
{
	const char *free_id = id;
	/* counts the names that became this one, so that no number is tried twice */
	int k = id ? bxt_map_get(taken, id) : -1;
	if (k < 0 && reserved)
		k = 1;
	if (k >= 0) {
		do {
			free_id = bxt_arena_printf(deck->arena, "%s_%d", id, ++k);
		} while (free_id && bxt_map_get(taken, free_id) >= 0);
	}
	deck->failed = deck->failed || !free_id || bxt_map_put(taken, free_id, 1) != BXT_OK ||
		       (k >= 0 && bxt_map_put(taken, id, k) != BXT_OK);
	return free_id && !deck->failed ? free_id : "";
}

const char *bxt_spice_new_id(bxt_spice_scope *scope, const char *wish)
{
	const char *id = make_id(scope->deck, scope->prefix, wish, false);
	return unique(scope->deck, &scope->root->ids, id, id && bxt_import_is_word(id));
}

/* 0, wall and ground are the reference nodes of all port kinds. */
const char *bxt_spice_new_node(bxt_spice_scope *scope, const char *wish)
{
	const char *id = make_id(scope->deck, scope->prefix, wish, true);
	return unique(scope->deck, &scope->root->node_ids, id,
		      id && (strcmp(id, "ground") == 0 || strcmp(id, "wall") == 0));
}

const char *bxt_spice_element_id(bxt_spice_scope *scope, const char *name)
{
	const int k = bxt_map_get(&scope->element_ids, name);
	return k < 0 ? NULL : scope->id_names[k];
}

/* ---- Nodes ---- */

static bxt_spice_node *add_node(bxt_spice_scope *scope, const char *name, const char *id)
{
	bxt_deck *deck = scope->deck;
	deck->failed =
		deck->failed ||
		BXT_GROW(scope->nodes, scope->nodes_capacity, scope->n_nodes + 1) != BXT_OK ||
		bxt_map_put(&scope->node_index, name, (int)scope->n_nodes) != BXT_OK;
	if (deck->failed)
		return NULL;
	scope->nodes[scope->n_nodes] = (bxt_spice_node){.id = id};
	return &scope->nodes[scope->n_nodes++];
}

void bxt_spice_tie_node(bxt_spice_scope *scope, const char *name, const char *id)
{
	add_node(scope, name, id);
}

bxt_spice_node *bxt_spice_node_of(bxt_spice_scope *scope, const char *given)
{
	bxt_deck *deck = scope->deck;
	char *name = bxt_spice_lower(deck->arena, given, strlen(given));
	deck->failed = deck->failed || !name;
	if (!name || strcmp(name, "0") == 0 || strcmp(name, "gnd") == 0)
		return NULL;
	const int k = bxt_map_get(&scope->node_index, name);
	if (k >= 0)
		return &scope->nodes[k];
	const bool global = scope->outer && bxt_map_get(&deck->globals, name) >= 0;
	if (global && scope->root != scope) { /* flat */
		const char *id = bxt_spice_node_id(scope->root, name, true);
		return add_node(scope, name, id);
	}
	bxt_spice_node *node = add_node(scope, name, bxt_spice_new_node(scope, given));
	if (node && global)
		node->global = name;
	return node;
}

const char *bxt_spice_node_id(bxt_spice_scope *scope, const char *name, bool used)
{
	bxt_spice_node *node = bxt_spice_node_of(scope, name);
	if (node)
		node->used = node->used || used;
	return node ? node->id : "0";
}

void bxt_spice_scope_free(bxt_spice_scope *scope)
{
	for (size_t i = 0; i < scope->n_nodes; i++)
		bxt_buffer_free(&scope->nodes[i].outside);
	bxt_map_free(&scope->node_index);
	bxt_map_free(&scope->node_ids);
	bxt_map_free(&scope->ids);
	bxt_map_free(&scope->element_ids);
	bxt_map_free(&scope->sense_index);
	bxt_map_free(&scope->winding_index);
	bxt_free(scope->nodes);
	bxt_free(scope->id_names);
	bxt_free(scope->senses);
	bxt_free(scope->windings);
	bxt_free(scope->pairs);
	bxt_map_free(&scope->condition_index);
	bxt_map_free(&scope->nodeset_index);
	bxt_free(scope->conditions);
	bxt_buffer_free(&scope->xml);
}

/* ---- Text ---- */

bxt_buffer *bxt_spice_open(bxt_spice_scope *scope, const char *component, const char *id)
{
	bxt_buffer *out = &scope->root->xml;
	bxt_buffer_printf(out, "%*s<%s id=\"%s\"", 2 * scope->root->depth + 2, "", component, id);
	return out;
}

void bxt_spice_text_attribute(bxt_spice_scope *scope, const char *name, const char *value)
{
	bxt_buffer *out = &scope->root->xml;
	bxt_buffer_printf(out, " %s=\"", name);
	bxt_spice_add_escaped(out, value);
	bxt_buffer_add(out, "\"", 1);
}

void bxt_spice_node_attribute(bxt_spice_scope *scope, const char *port, const char *name)
{
	bxt_spice_text_attribute(scope, port, bxt_spice_node_id(scope, name, true));
}

void bxt_spice_value_attribute(bxt_spice_scope *scope, const char *name, double value,
			       const char *unit)
{
	bxt_buffer *out = &scope->root->xml;
	bxt_buffer_printf(out, " %s=\"", name);
	bxt_spice_add_number(out, value);
	bxt_buffer_printf(out, "%s%s\"", *unit ? " " : "", unit);
}

void bxt_spice_close(bxt_spice_scope *scope)
{
	bxt_buffer_add(&scope->root->xml, "/>\n", 3);
}

/* ---- Values on a line ---- */

double bxt_spice_assigned(bxt_spice_scope *scope, const bxt_spice_element *e, const char *name,
			  double usual)
{
	double value = usual;
	const bxt_spice_assignment *a = bxt_spice_find(&e->values, name);
	if (a && a->text)
		bxt_spice_value(scope->deck, scope->env, a->text, e->line, &value);
	return value;
}

double bxt_spice_temperature(bxt_spice_scope *scope, const bxt_spice_element *e)
{
	return bxt_spice_find(&e->values, "temp")
		       ? bxt_spice_assigned(scope, e, "temp", 0)
		       : scope->deck->temperature + bxt_spice_assigned(scope, e, "dtemp", 0);
}

void bxt_spice_check_names(bxt_spice_scope *scope, const bxt_spice_element *e,
			   const char *const *names)
{
	for (size_t i = 0; i < e->values.n; i++) {
		size_t k = 0;
		while (names[k] && strcmp(names[k], e->values.items[i].name) != 0)
			k++;
		if (!names[k])
			bxt_deck_error(scope->deck, e->line, "'%s': '%.100s' is not known here",
				       e->words.word[0], e->values.items[i].name);
	}
}

bool bxt_spice_condition(bxt_spice_scope *scope, const char *node, double *v)
{
	char *name = bxt_spice_lower(scope->deck->arena, node, strlen(node));
	const int k = name ? bxt_map_get(&scope->condition_index, name) : -1;
	scope->deck->failed = scope->deck->failed || !name;
	*v = k >= 0 ? scope->conditions[k] : 0;
	return k >= 0;
}

bool bxt_spice_needs(bxt_spice_scope *scope, const bxt_spice_element *e, int n, const char *form)
{
	if (e->words.n < n)
		bxt_deck_error(scope->deck, e->line, "'%s' is not complete: write %s",
			       e->words.word[0], form);
	return e->words.n >= n;
}
