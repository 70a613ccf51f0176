/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Expands uses of blocks: each becomes a scope with its own ids and nodes. In the netlist a
 * subcircuit is a <subsystem> with ports, which connections join to the nodes outside. In a flat
 * netlist its elements are part of the netlist, and their names begin with those of the uses.
 */
#include "exchange/spice/spice.h"

#include <string.h>

static void expand_block(bxt_spice_scope *scope, const bxt_deck_block *block, int depth);

static const char *lower_of(bxt_deck *deck, const char *text)
{
	char *copy = bxt_spice_lower(deck->arena, text, strlen(text));
	deck->failed = deck->failed || !copy;
	return copy ? copy : "";
}

/* ---- Ids ---- */

static const char *give_id(bxt_spice_scope *scope, bxt_deck_line *line, const char *name)
{
	bxt_deck *deck = scope->deck;
	const char *lower = lower_of(deck, name);
	if (bxt_map_get(&scope->element_ids, lower) >= 0) {
		bxt_deck_error(deck, line, "there is another element '%.100s'", name);
		return "";
	}
	const char *id = bxt_spice_new_id(scope, name);
	deck->failed = deck->failed ||
		       BXT_GROW(scope->id_names, scope->id_names_capacity, scope->n_id_names + 1) !=
			       BXT_OK ||
		       bxt_map_put(&scope->element_ids, lower, (int)scope->n_id_names) != BXT_OK;
	if (!deck->failed)
		scope->id_names[scope->n_id_names++] = id;
	return id;
}

/* ---- .ic and .nodeset ---- */

/* "V(NODE)=VALUE", any number of them */
static void read_condition(bxt_spice_scope *scope, bxt_deck_line *line, bxt_map *index)
{
	bxt_deck *deck = scope->deck;
	bxt_spice_list list = {0};
	char *text = bxt_arena_strdup(deck->arena, line->text + strcspn(line->text, " \t"));
	deck->failed = deck->failed || !text;
	for (char *open = text ? strchr(text, '(') : NULL; open; open = strchr(open, '(')) {
		char *close = strchr(open, ')');
		if (open > text && (open[-1] == 'v' || open[-1] == 'V'))
			open[-1] = ' ';
		*open = ' ';
		if (close)
			*close = ' ';
	}
	if (text)
		bxt_spice_assignments(deck, text, line, &list);
	for (size_t i = 0; i < list.n && !bxt_deck_is_over(deck); i++) {
		const bxt_spice_assignment *a = &list.items[i];
		double v = 0;
		if (!a->text) {
			bxt_deck_error(deck, line, "write V(NODE)=VOLTAGE");
			return;
		}
		bxt_spice_value(deck, scope->env, a->text, line, &v);
		deck->failed = deck->failed ||
			       BXT_GROW(scope->conditions, scope->conditions_capacity,
					scope->n_conditions + 1) != BXT_OK ||
			       bxt_map_put(index, a->name, (int)scope->n_conditions) != BXT_OK;
		if (!deck->failed)
			scope->conditions[scope->n_conditions++] = v;
	}
}

static void read_conditions(bxt_spice_scope *scope, const bxt_deck_block *block)
{
	for (size_t i = 0; i < block->n_conditions; i++)
		read_condition(scope, block->conditions[i],
			       bxt_spice_begins(block->conditions[i]->text, ".ic")
				       ? &scope->condition_index
				       : &scope->nodeset_index);
}

/* Conditions of nodes without elements have no effect. */
static bool has_node(const bxt_spice_scope *scope, const char *name)
{
	return bxt_map_get(&scope->node_index, name) >= 0;
}

static void write_nodesets(bxt_spice_scope *scope)
{
	const bxt_map *index = &scope->nodeset_index;
	for (size_t i = 0; i < index->capacity; i++) {
		if (!index->keys[i] || !has_node(scope, index->keys[i]))
			continue;
		bxt_spice_open(scope, "node", bxt_spice_node_id(scope, index->keys[i], true));
		bxt_spice_text_attribute(scope, "kind", "electrical");
		bxt_spice_value_attribute(scope, "nodeset", scope->conditions[index->values[i]],
					  "V");
		bxt_spice_close(scope);
	}
}

/*
 * Without UIC these nodes are held while the operating point is computed, and released at once: a
 * conductance holds them at t = 0 only.
 */
static void hold_conditions(bxt_spice_scope *scope)
{
	static const char held[] =
		"    <parameter name=\"v0\" unit=\"V\">voltage at the start</parameter>\n"
		"    <parameter name=\"G\" unit=\"S\" default=\"1e6 S\">conductance that holds "
		"it</parameter>\n"
		"    <coordinate name=\"q\" unit=\"C\" flow=\"i\"/>\n"
		"    <coordinate name=\"s\" unit=\"V.s\" flow=\"v\"/>\n"
		"    <port name=\"p\" kind=\"electrical\" flow=\"i\"/>\n"
		"    <lagrangian>s*i</lagrangian>\n"
		"    <force on=\"s\">-if(t &gt; 0, 0, G)*(v - v0)</force>\n";
	bxt_deck *deck = scope->deck;
	for (size_t i = 0; i < scope->condition_index.capacity && !deck->failed; i++) {
		const char *node = scope->condition_index.keys[i];
		if (!node || !has_node(scope, node))
			continue;
		const char *component = bxt_spice_inline(deck, held, "");
		char *wish = bxt_arena_printf(deck->arena, "ic-%s", node);
		deck->failed = deck->failed || !wish;
		bxt_spice_open(scope, component, bxt_spice_new_id(scope, wish ? wish : ""));
		bxt_spice_node_attribute(scope, "p", node);
		bxt_spice_value_attribute(scope, "v0",
					  scope->conditions[scope->condition_index.values[i]], "V");
		bxt_spice_close(scope);
		deck->has_ic = true;
	}
}

/* ---- X ---- */

static const bxt_deck_block *block_of(const bxt_deck *deck, const bxt_spice_env *env,
				      const char *name, const bxt_spice_env **where)
{
	for (; env; env = env->outer) {
		const int k = bxt_map_get(&env->block->block_index, name);
		if (k >= 0) {
			*where = env;
			return deck->blocks[k];
		}
	}
	return NULL;
}

static bool give_parameters(bxt_spice_scope *scope, const bxt_spice_element *e,
			    bxt_spice_env *inner)
{
	bxt_deck *deck = scope->deck;
	for (size_t i = 0; i < e->values.n && !bxt_deck_is_over(deck); i++) {
		const bxt_spice_assignment *a = &e->values.items[i];
		const int k = bxt_map_get(&inner->block->parameter_index, a->name);
		double value = 0;
		if (!a->text || !bxt_spice_value(deck, scope->env, a->text, e->line, &value))
			return false;
		if (k >= 0) {
			inner->values[k] = value;
			inner->states[k] = 2;
		} else if (strcmp(a->name, "m") != 0 || value != 1) {
			bxt_deck_error(deck, e->line,
				       "'%s': subcircuit '%s' has no parameter '%.100s'",
				       e->words.word[0], inner->block->name, a->name);
		}
	}
	return !bxt_deck_is_over(deck);
}

static void join(bxt_spice_scope *outer, const char *outside, const char *use, const char *port,
		 const char *inner)
{
	bxt_spice_node *node = bxt_spice_node_of(outer, outside);
	if (!node)
		return;
	bxt_buffer_printf(&node->outside, "%s%s.%s", node->n_outside++ ? " " : "", use, port);
	if (!node->alias)
		node->alias = bxt_arena_printf(outer->deck->arena, "%s.%s", use, inner);
	outer->deck->failed = outer->deck->failed || !node->alias || node->outside.failed;
}

/* A node that subsystems join has a port of its own, unless no element is connected to it. */
static void export_node(bxt_spice_scope *scope, bxt_spice_node *node)
{
	bxt_buffer *out = &scope->xml;
	const int indent = 2 * scope->depth + 2;
	if (!node->used && !node->pin && node->n_outside > 1)
		return;
	char *wish = bxt_arena_printf(scope->deck->arena, "at-%s", node->id);
	scope->deck->failed = scope->deck->failed || !wish;
	node->port = bxt_spice_new_id(scope, wish ? wish : "");
	if (!node->used)
		bxt_buffer_printf(out, "%*s<node id=\"%s\" kind=\"electrical\"/>\n", indent, "",
				  node->id);
	bxt_buffer_printf(out, "%*s<port id=\"%s\" node=\"%s\"/>\n", indent, "", node->port,
			  node->id);
}

static void write_connections(bxt_spice_scope *scope)
{
	bxt_buffer *out = &scope->xml;
	const int indent = 2 * scope->depth + 2;
	bool any = false;
	for (size_t i = 0; i < scope->n_nodes; i++)
		if (scope->nodes[i].n_outside > 0) {
			any = true;
			export_node(scope, &scope->nodes[i]);
		}
	if (!any)
		return;
	bxt_buffer_printf(out, "%*s<interconnection>\n", indent, "");
	for (size_t i = 0; i < scope->n_nodes; i++) {
		const bxt_spice_node *node = &scope->nodes[i];
		if (node->n_outside > 0)
			bxt_buffer_printf(out, "%*s<connect ports=\"%s%s%s\"/>\n", indent + 2, "",
					  node->port ? node->port : "", node->port ? " " : "",
					  node->outside.text ? node->outside.text : "");
	}
	bxt_buffer_printf(out, "%*s</interconnection>\n", indent, "");
}

static void write_port(bxt_spice_scope *inner, bxt_spice_node *node, const char *name,
		       const char *use, const char *outside)
{
	const char *port = bxt_spice_new_id(inner, name);
	if (!node->used && node->n_outside == 0)
		return; /* nothing is connected to it */
	bxt_buffer_printf(&inner->xml, "%*s<port id=\"%s\" node=\"%s\"/>\n", 2 * inner->depth + 2,
			  "", port, node->id);
	join(inner->outer, outside, use, port, node->id);
}

static void use_subsystem(bxt_spice_scope *scope, const bxt_spice_element *e, bxt_spice_env *env,
			  int depth)
{
	const bxt_deck_block *block = env->block;
	bxt_spice_scope inner = {.deck = scope->deck,
				 .outer = scope,
				 .env = env,
				 .prefix = "",
				 .depth = scope->depth + 1};
	inner.root = &inner;
	for (int i = 0; i < block->n_pins; i++)
		if (strcmp(bxt_spice_node_id(scope, e->words.word[i + 1], false), "0") == 0)
			bxt_spice_tie_node(&inner, block->pins[i], "0");
	expand_block(&inner, block, depth + 1);
	for (size_t i = 0; i < inner.n_nodes; i++)
		inner.nodes[i].pin = inner.nodes[i].global != NULL;
	for (int i = 0; i < block->n_pins; i++) {
		const int k = bxt_map_get(&inner.node_index, block->pins[i]);
		if (k >= 0)
			inner.nodes[k].pin = true;
	}
	write_connections(&inner);
	for (int i = 0; i < block->n_pins && !bxt_deck_is_over(scope->deck); i++) {
		const int k = bxt_map_get(&inner.node_index, block->pins[i]);
		if (k >= 0 && strcmp(inner.nodes[k].id, "0") != 0)
			write_port(&inner, &inner.nodes[k], block->pins[i], e->id,
				   e->words.word[i + 1]);
	}
	for (size_t i = 0; i < inner.n_nodes && !bxt_deck_is_over(scope->deck); i++)
		if (inner.nodes[i].global)
			write_port(&inner, &inner.nodes[i], inner.nodes[i].global, e->id,
				   inner.nodes[i].global);
	bxt_buffer *out = &scope->xml;
	bxt_buffer_printf(out, "%*s<subsystem id=\"%s\">\n", 2 * scope->depth + 2, "", e->id);
	bxt_buffer_add(out, inner.xml.text ? inner.xml.text : "", inner.xml.length);
	bxt_buffer_printf(out, "%*s</subsystem>\n", 2 * scope->depth + 2, "");
	scope->deck->failed = scope->deck->failed || inner.xml.failed;
	bxt_spice_scope_free(&inner);
}

static void use_flat(bxt_spice_scope *scope, const bxt_spice_element *e, bxt_spice_env *env,
		     int depth)
{
	const bxt_deck_block *block = env->block;
	bxt_spice_scope inner = {.deck = scope->deck,
				 .outer = scope,
				 .root = scope->root,
				 .env = env,
				 .prefix = bxt_arena_printf(scope->deck->arena, "%s_", e->id)};
	scope->deck->failed = scope->deck->failed || !inner.prefix;
	for (int i = 0; i < block->n_pins && inner.prefix; i++)
		bxt_spice_tie_node(&inner, block->pins[i],
				   bxt_spice_node_id(scope, e->words.word[i + 1], true));
	if (inner.prefix)
		expand_block(&inner, block, depth + 1);
	bxt_spice_scope_free(&inner);
}

static void use_block(bxt_spice_scope *scope, bxt_spice_element *e, int depth)
{
	bxt_deck *deck = scope->deck;
	const bxt_spice_env *where = NULL;
	int n = e->words.n;
	if (n > 1 && bxt_spice_same(e->words.word[n - 1], "params:"))
		n--;
	const char *name = n > 1 ? lower_of(deck, e->words.word[n - 1]) : "";
	const bxt_deck_block *block = block_of(deck, scope->env, name, &where);
	if (!block) {
		bxt_deck_error(deck, e->line, "'%s': there is no subcircuit '%.100s'",
			       e->words.word[0], name);
		return;
	}
	if (block->n_pins != n - 2) {
		bxt_deck_error(deck, e->line, "'%s': subcircuit '%s' has %d nodes, not %d",
			       e->words.word[0], name, block->n_pins, n - 2);
		return;
	}
	if (depth >= BXT_SPICE_DEPTH) {
		bxt_deck_error(deck, e->line,
			       "subcircuits use each other too deeply: does '%s' use itself?",
			       name);
		deck->errors = BXT_SPICE_ERRORS;
		return;
	}
	bxt_spice_env *env = bxt_spice_enter(deck, where, block);
	if (!env || !give_parameters(scope, e, env))
		return;
	if (deck->flat)
		use_flat(scope, e, env, depth);
	else
		use_subsystem(scope, e, env, depth);
}

/* ---- Elements ---- */

static void expand_element(bxt_spice_scope *scope, bxt_spice_element *e, int depth)
{
	const char letter = (char)(*e->words.word[0] | 32);
	if (strchr("rlc", letter))
		bxt_spice_passive(scope, e);
	else if (strchr("vi", letter))
		bxt_spice_source(scope, e);
	else if (strchr("efgh", letter))
		bxt_spice_controlled(scope, e);
	else if (letter == 'b')
		bxt_spice_b_source(scope, e);
	else if (strchr("dqmj", letter))
		bxt_spice_write_device(scope, e);
	else if (strchr("sw", letter))
		bxt_spice_switch(scope, e);
	else if (letter == 't')
		bxt_spice_line(scope, e);
	else if (letter == 'k')
		bxt_spice_couple(scope, e);
	else
		use_block(scope, e, depth);
}

/* Types of elements that the import does not support. */
static const char *refused(char letter)
{
	static const struct {
		char letter;
		const char *what;
	} elements[] = {{'a', "code models (XSPICE)"},
			{'n', "compiled Verilog-A models"},
			{'u', "uniform RC lines"},
			{'p', "coupled lossy lines"},
			{'o', "lossy transmission lines"},
			{'y', "lossy transmission lines"},
			{'z', "MESFETs"}};
	for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
		if (elements[i].letter == letter)
			return elements[i].what;
	return letter >= 'a' && letter <= 'z' ? NULL : "lines that begin so";
}

/* "dc=5" and "ac=1" of sources mean the same without "=". Other words may follow. */
static const char *text_of(bxt_deck *deck, const bxt_deck_line *line)
{
	if (!strchr("vViI", *line->text))
		return line->text;
	char *text = bxt_arena_strdup(deck->arena, line->text);
	deck->failed = deck->failed || !text;
	for (char *c = text ? strchr(text, '=') : NULL; c; c = strchr(c + 1, '=')) {
		const char *word = c;
		while (word > text && strchr(" \t", word[-1]))
			word--;
		if (word - text > 3 && strchr(" \t)", word[-3]) &&
		    (bxt_spice_begins(word - 2, "dc") || bxt_spice_begins(word - 2, "ac")))
			*c = ' ';
	}
	return text ? text : "";
}

static bxt_spice_element *read_elements(bxt_spice_scope *scope, const bxt_deck_block *block)
{
	bxt_deck *deck = scope->deck;
	bxt_spice_element *all = BXT_NEW(deck->arena, bxt_spice_element, block->n_elements);
	deck->failed = deck->failed || !all;
	for (size_t i = 0; i < block->n_elements && !bxt_deck_is_over(deck); i++) {
		bxt_spice_element *e = &all[i];
		e->line = block->elements[i];
		if (!bxt_spice_branch_holds(deck, scope->env, e->line->branch))
			continue;
		e->words = bxt_spice_split(deck, text_of(deck, e->line));
		if (e->words.n == 0 || deck->failed) {
			e->words.n = 0;
			bxt_deck_error(deck, e->line, "the line has no element");
			continue;
		}
		const char *what = refused((char)(*e->words.word[0] | 32));
		if (what) {
			bxt_deck_error(deck, e->line, "'%.100s': %s are not taken over",
				       e->words.word[0], what);
			e->words.n = 0;
			continue;
		}
		e->id = give_id(scope, e->line, e->words.word[0]);
		bxt_spice_assignments(deck, e->words.rest, e->line, &e->values);
		bxt_spice_count_sense(scope, e->line, &e->words);
	}
	return all;
}

static void expand_block(bxt_spice_scope *scope, const bxt_deck_block *block, int depth)
{
	bxt_deck *deck = scope->deck;
	deck->n_elements += block->n_elements + 1;
	if (deck->n_elements > BXT_SPICE_ELEMENTS) {
		bxt_deck_error(
			deck, block->line,
			"the deck has more than %d elements when its subcircuits are expanded",
			BXT_SPICE_ELEMENTS);
		deck->errors = BXT_SPICE_ERRORS;
		return;
	}
	read_conditions(scope, block);
	bxt_spice_element *all = read_elements(scope, block);
	for (int pass = 0; pass < 3; pass++) {
		for (size_t i = 0; i < block->n_elements && !bxt_deck_is_over(deck); i++) {
			bxt_spice_element *e = &all[i];
			const bool last = e->words.n > 0 && (*e->words.word[0] | 32) == 'k';
			if (e->words.n == 0 || e->line->error)
				continue;
			if (pass == 0 && (*e->words.word[0] | 32) == 'v')
				bxt_spice_place_sense(scope, &e->words);
			else if (pass > 0 && (pass == 2) == last)
				expand_element(scope, e, depth);
		}
		if (pass == 0)
			bxt_spice_check_senses(scope);
	}
	bxt_spice_write_couplings(scope);
	if (!deck->uic) {
		hold_conditions(scope);
		write_nodesets(scope);
	}
}

void bxt_spice_expand(bxt_deck *deck, bxt_spice_env *env, bxt_spice_scope *root)
{
	*root = (bxt_spice_scope){.deck = deck, .env = env, .prefix = ""};
	root->root = root;
	expand_block(root, env->block, 0);
	if (!bxt_deck_is_over(deck))
		write_connections(root);
}
