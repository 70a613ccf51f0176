/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Interactions: the expressions of a connection become an element, whose component is made for it.
 * The component is bound to the flows of balance ports and has ports at the nodes of shared ones.
 * Its constraints become rows of Sigma_Q and its gyrators the two-form Omega_int, so that
 *
 *     D_int = {(v, f) : v in Sigma_Q, f - Omega v in Sigma_Q°}
 *
 * is evaluated, differentiated and checked like an element. Equal texts share an element type.
 */
#include "model/builder/builder.h"

#include <string.h>

/* ---- The component ---- */

static const bxt_port_kind *kind_of_port(const bxt_builder *b, int port)
{
	return b->net->nodes[b->net->ports[port].node].kind;
}

static const bxt_component *find_port_component(void *context, const char *name, bool *broken)
{
	*broken = false;
	return bxt_build_port_component(context, name);
}

static bool add_ports(bxt_builder *b, const bxt_interaction *what, bxt_component *c)
{
	for (int k = 0; k < what->n_port; k++) {
		const bxt_port_kind *kind = kind_of_port(b, what->port[k]);
		const char *name = bxt_arena_printf(b->arena, "p%d", k + 1);
		const char **of = BXT_NEW(b->arena, const char *, 1);
		if (!name || !of)
			return false;
		of[0] = kind->name;
		if (kind->type == BXT_PORT_SHARED)
			c->ports[c->n_ports++] =
				(bxt_port){.name = name, .kind = kind, .place = c->place};
		else
			c->bindings[c->n_bindings++] = (bxt_binding){name, "", of, 1, c->place};
	}
	return true;
}

/* NULL when memory ends. */
static bxt_component *make_component(bxt_builder *b, const bxt_interaction *what, bxt_place place)
{
	bxt_arena *a = b->arena;
	const size_t n = (size_t)what->n_port;
	bxt_component *c = BXT_NEW(a, bxt_component, 1);
	if (!c)
		return NULL;
	*c = (bxt_component){.name = what->name,
			     .domain = "interconnection",
			     .doc = "",
			     .place = place,
			     .curves = *bxt_frame_curves(b)};
	c->parameters = BXT_NEW(a, bxt_parameter, 1);
	c->ports = BXT_NEW(a, bxt_port, n);
	c->bindings = BXT_NEW(a, bxt_binding, n);
	c->constraints = BXT_NEW(a, bxt_constraint, (size_t)what->n_row);
	c->gyrators = BXT_NEW(a, bxt_gyrator, (size_t)what->n_turn);
	if (!c->parameters || !c->ports || !c->bindings || !c->constraints || !c->gyrators ||
	    !add_ports(b, what, c))
		return NULL;
	if (what->ratio_unit)
		c->parameters[c->n_parameters++] = (bxt_parameter){
			.name = "ratio", .unit = what->ratio_unit, .doc = "", .place = place};
	for (int r = 0; r < what->n_row; r++) {
		const char *name = bxt_arena_printf(a, "row%d", r + 1);
		if (!name)
			return NULL;
		c->constraints[c->n_constraints++] =
			(bxt_constraint){.name = name, .expression = {what->row[r], place}};
	}
	for (int t = 0; t < what->n_turn; t++)
		c->gyrators[c->n_gyrators++] =
			(bxt_gyrator){what->turn[t].a, what->turn[t].b, {what->turn[t].k, place}};
	return c;
}

/* ---- Its element type ---- */

/* The key of its element type: port kinds and texts. */
static const char *key_of(bxt_builder *b, const bxt_interaction *what)
{
	bxt_buffer key = {0};
	bxt_buffer_printf(&key, "<%s>", what->name); /* no component has such a name */
	for (int k = 0; k < what->n_port; k++)
		bxt_buffer_printf(&key, " %s", kind_of_port(b, what->port[k])->name);
	for (int r = 0; r < what->n_row; r++)
		bxt_buffer_printf(&key, "|%s", what->row[r]);
	for (int t = 0; t < what->n_turn; t++)
		bxt_buffer_printf(&key, "|%s %s %s", what->turn[t].a, what->turn[t].b,
				  what->turn[t].k);
	const char *copy = key.failed ? NULL : bxt_arena_strdup(b->arena, key.text);
	bxt_buffer_free(&key);
	return copy ? bxt_frame_key(b, copy, copy) : NULL;
}

/* The index of the type, -1 after findings. */
static bxt_status find_kind(bxt_builder *b, const bxt_interaction *what, bxt_place place, int *out)
{
	const char *key = key_of(b, what);
	*out = key ? bxt_map_get(&b->net->type_by_key, key) : -1;
	if (!key || *out >= 0)
		return key ? BXT_OK : BXT_ERR_MEMORY;
	bxt_component *c = make_component(b, what, place);
	const bxt_component_finder finder = {find_port_component, NULL, b->arena};
	const bxt_component *const *bound = NULL;
	if (!c)
		return BXT_ERR_MEMORY;
	if (c->n_bindings > 0)
		BXT_TRY(bxt_type_find_bound(b->arena, c, &finder, b->d, &bound));
	bxt_status status;
	const char *no_text = NULL;
	const bxt_scope nothing = {0};
	const bxt_type_def def = {.component = c,
				  .bound = bound,
				  .of_text = &no_text,
				  .of_place = &place,
				  .known = &nothing};
	bxt_element_type *type = bxt_type_compile(b->arena, &def, b->d, &status);
	if (!type)
		return status == BXT_ERR_MEMORY ? status : BXT_OK; /* after a finding */
	*out = bxt_build_element_type(b, type, key);
	return *out >= 0 ? BXT_OK : BXT_ERR_MEMORY;
}

/* ---- The element ---- */

/* The n-th shared, or balance, port. */
static int nth_port(const bxt_builder *b, const bxt_interaction *what, bool shared, int n)
{
	for (int k = 0; k < what->n_port; k++)
		if ((kind_of_port(b, what->port[k])->type == BXT_PORT_SHARED) == shared && n-- == 0)
			return what->port[k];
	return -1;
}

bxt_status bxt_build_interaction(bxt_builder *b, const bxt_interaction *what, int connection)
{
	bxt_network *net = b->net;
	bxt_connection *c = &net->connections[connection];
	int k;
	BXT_TRY(find_kind(b, what, c->place, &k));
	if (k < 0)
		return BXT_OK;
	const bxt_element_type *type = net->types[k];
	const int n_bound = type->nl - type->n_own - type->n_shared;
	bxt_element e = {.id = c->id,
			 .place = c->place,
			 .type = k,
			 .primitive = c->primitive,
			 .is_interaction = true,
			 .connection = connection,
			 .node = BXT_NEW(b->arena, int, (size_t)type->component->n_ports),
			 .bound = BXT_NEW(b->arena, bxt_bound, (size_t)n_bound),
			 .parameter = BXT_NEW(b->arena, double, (size_t)type->n_parameter)};
	c->term = BXT_NEW(b->arena, int, (size_t)what->n_port);
	if (!e.node || !e.bound || !e.parameter || !c->term)
		return BXT_ERR_MEMORY;
	for (int p = 0; p < type->component->n_ports; p++)
		e.node[p] = net->ports[nth_port(b, what, true, p)].node;
	for (int a = 0; a < n_bound; a++)
		e.bound[a] = (bxt_bound){
			-1, 0, nth_port(b, what, false, type->origin.binding_of_coord[a])};
	if (what->ratio_unit)
		e.parameter[0] = what->ratio;
	for (int i = 0; i < what->n_port; i++)
		c->term[c->n_term++] = what->port[i];
	c->kind = kind_of_port(b, what->port[0]);
	c->element = (int)net->n_elements;
	BXT_TRY(BXT_GROW(net->elements, b->room.elements, net->n_elements + 1));
	net->elements[net->n_elements++] = e;
	bxt_build_take_ports(b, c, connection);
	return BXT_OK;
}
