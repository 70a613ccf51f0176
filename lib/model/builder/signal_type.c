/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The element type of a <signal>: a component of its own, with one relation. */
#include "model/builder/signal_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Quantities that it reads ---- */

static const bxt_element_type *type_of(const bxt_network *net, int element)
{
	return net->types[net->elements[element].type];
}

static int number_of(const struct bxt_signal_wire *w, bxt_wire_owner o)
{
	size_t i = 0;
	while (w->owner[i].type != o.type || w->owner[i].index != o.index)
		i++;
	return (int)i;
}

static bxt_status add_owner(struct bxt_signal_wire *w, bxt_wire_owner o)
{
	for (size_t i = 0; i < w->n_owner; i++)
		if (w->owner[i].type == o.type && w->owner[i].index == o.index)
			return BXT_OK;
	BXT_TRY(BXT_GROW(w->owner, w->c_owner, w->n_owner + 1));
	w->owner[w->n_owner++] = o;
	return BXT_OK;
}

static bxt_wire_owner owner_of(const bxt_net_coordinate *at)
{
	return at->element >= 0 ? (bxt_wire_owner){BXT_WIRE_ELEMENT, at->element}
				: (bxt_wire_owner){BXT_WIRE_NODE, at->node};
}

/* Is the variable an expression of an element type? */
static bool is_taken_over(const bxt_path_variable *v)
{
	return v->type >= BXT_READ_OUTPUT && v->type <= BXT_READ_PIN_FLOW;
}

/* That expression. */
static bxt_ex expression_of(const bxt_element_type *type, const bxt_path_variable *v)
{
	switch (v->type) {
	case BXT_READ_OUTPUT:
		return type->formulas.outputs[v->at.coordinate];
	case BXT_READ_ENERGY:
		return *type->formulas.energy;
	case BXT_READ_MOMENTUM:
		return type->formulas.momentum[v->at.coordinate];
	default:
		return type->formulas.rows[type->n_constraint + v->at.coordinate];
	}
}

/* The owner's coordinate behind the local coordinate a of an element; false: the reference. */
static bool coordinate_at(const bxt_network *net, int element, int a, bxt_net_coordinate *out)
{
	const bxt_element *e = &net->elements[element];
	const bxt_element_type *type = net->types[e->type];
	const int shared = a - type->n_own, bound = shared - type->n_shared;
	if (shared < 0)
		*out = (bxt_net_coordinate){element, -1, a};
	else if (bound < 0)
		*out = (bxt_net_coordinate){-1, e->node[type->origin.port_of_coord[shared]],
					    type->origin.sub_of_coord[shared]};
	else
		*out = (bxt_net_coordinate){e->bound[bound].element, -1,
					    e->bound[bound].coordinate};
	return out->element >= 0 || out->node >= 0;
}

static bool depends_on(const bxt_element_type *type, bxt_ex f, int a, bool flow)
{
	return bxt_ex_depends(type->formulas.graph, f,
			      (flow ? bxt_type_var_v(type) : bxt_type_var_q(type)) + a);
}

static void read_input(struct bxt_signal_wire *w, int input)
{
	w->n_inputs += !w->reads_input[input];
	w->reads_input[input] = true;
}

/* The inputs that parameters follow which an expression of an element depends on. */
static void read_inputs_of(struct bxt_signal_wire *w, int element, const bxt_element_type *type,
			   bxt_ex f)
{
	const bxt_builder *b = w->path.b;
	const bxt_element *e = &b->net->elements[element];
	for (int p = 0; p < type->n_parameter && e->signal; p++)
		for (int k = 0; k < b->net->n_inputs; k++)
			if (e->signal[p] >= 0 && bxt_ex_depends(type->formulas.graph, f, p) &&
			    bxt_ex_depends(b->timed.graph, b->timed.expression[e->signal[p]],
					   bxt_input_variable(k, BXT_INPUT_VALUE)))
				read_input(w, k);
}

/* The numbers of switches are copied with their initial values, and would never change. */
static void refuse_switches(struct bxt_signal_wire *w, int element, const bxt_element_type *type,
			    bxt_ex f)
{
	const bxt_element *e = &w->path.b->net->elements[element];
	for (int p = 0; p < type->n_parameter; p++) {
		bool number = false;
		for (int i = 0; i < type->n_switches; i++)
			number = number ||
				 (p >= type->switches[i].parameter &&
				  p <= type->switches[i].parameter + type->switches[i].row);
		if (!number || !bxt_ex_depends(type->formulas.graph, f, p))
			continue;
		BXT_PATH_FAIL(&w->path, w->path.item->place,
			      "<signal>: it reads a quantity of '%s' that depends on what switches "
			      "there, which signals cannot follow: read coordinates and flows",
			      e->id ? e->id : "?");
		return;
	}
}

/* Lists the elements, nodes and ports that own its variables, each once; and inputs. */
bxt_status bxt_signal_find_owners(struct bxt_signal_wire *w)
{
	const bxt_network *net = w->path.b->net;
	if (!(w->reads_input = BXT_NEW(w->path.b->scratch, bool, (size_t)net->n_inputs)))
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < w->path.n; i++) {
		const bxt_path_variable *v = &w->path.at[i];
		bxt_net_coordinate at;
		if (v->type == BXT_READ_COORDINATE)
			BXT_TRY(add_owner(w, owner_of(&v->at)));
		if (v->type == BXT_READ_PORT)
			BXT_TRY(add_owner(w, (bxt_wire_owner){BXT_WIRE_PORT, v->at.coordinate}));
		if (v->type == BXT_READ_INPUT)
			read_input(w, v->at.coordinate);
		if (!is_taken_over(v))
			continue;
		const bxt_element_type *type = type_of(net, v->at.element);
		const bxt_ex f = expression_of(type, v);
		read_inputs_of(w, v->at.element, type, f);
		refuse_switches(w, v->at.element, type, f);
		for (int a = 0; a < type->nl; a++)
			if ((depends_on(type, f, a, false) || depends_on(type, f, a, true)) &&
			    coordinate_at(net, v->at.element, a, &at))
				BXT_TRY(add_owner(w, owner_of(&at)));
	}
	return BXT_OK;
}

/* ---- Names in the component ---- */

/* "b0.omega", "n1.x": the name of a coordinate or flow in the component. */
static const char *local_coordinate(struct bxt_signal_wire *w, bxt_net_coordinate at, bool is_flow)
{
	const bxt_network *net = w->path.b->net;
	const int number = number_of(w, owner_of(&at));
	bxt_arena *arena = w->path.b->arena;
	if (at.element >= 0) {
		const bxt_coordinate *q =
			&type_of(net, at.element)->component->coordinates[at.coordinate];
		return bxt_arena_printf(arena, "b%d.%s", number, is_flow ? q->flow : q->name);
	}
	const bxt_port_kind *kind = net->nodes[at.node].kind;
	return bxt_arena_printf(arena, "n%d.%s", number,
				is_flow ? kind->flow[at.coordinate]
					: kind->coordinate[at.coordinate]);
}

static const char *local_port(struct bxt_signal_wire *w, const bxt_path_variable *v)
{
	const bxt_network *net = w->path.b->net;
	const bxt_port_kind *kind = net->nodes[net->ports[v->at.coordinate].node].kind;
	return bxt_arena_printf(w->path.b->arena, "p%d.%s",
				number_of(w, (bxt_wire_owner){BXT_WIRE_PORT, v->at.coordinate}),
				v->is_flow ? kind->flow[0] : kind->coordinate[0]);
}

static const char *local_name(struct bxt_signal_wire *w, int variable);

/* "(x3 + x4)", "(b1.lambda*x2)": parts are no sums or products themselves. */
static const char *local_combined(struct bxt_signal_wire *w, const bxt_path_variable *v)
{
	bxt_buffer out = {0};
	for (int i = 0; i < v->n_part; i++)
		bxt_buffer_printf(&out, "%s%s",
				  i == 0                    ? "("
				  : v->type == BXT_READ_SUM ? " + "
							    : "*",
				  local_name(w, v->part[i]));
	bxt_buffer_printf(&out, v->n_part > 0 ? ")" : "0");
	const char *copy = out.failed ? NULL : bxt_arena_strdup(w->path.b->arena, out.text);
	bxt_buffer_free(&out);
	return copy;
}

/* An input is a parameter of the component, which follows it. */
static const char *input_name(struct bxt_signal_wire *w, int input)
{
	return bxt_arena_printf(w->path.b->arena, "input%d", input);
}

/* The name of a variable in the component: "b0.omega", "n1.x", "t"; "x4" if taken over. */
static const char *local_name(struct bxt_signal_wire *w, int variable)
{
	const bxt_path_variable *v = &w->path.at[variable];
	const char *name = v->type == BXT_READ_TIME         ? "t"
			   : v->type == BXT_READ_INPUT      ? input_name(w, v->at.coordinate)
			   : v->type == BXT_READ_COORDINATE ? local_coordinate(w, v->at, v->is_flow)
			   : v->type == BXT_READ_PORT       ? local_port(w, v)
			   : is_taken_over(v) ? bxt_arena_printf(w->path.b->arena, "x%d", variable)
					      : local_combined(w, v);
	w->path.b->failed = w->path.b->failed || !name;
	return name ? name : "?";
}

/* A variable's name in the component, or a parameter's value; NULL: the word stays. */
static const char *local_word(void *wire, const char *word)
{
	struct bxt_signal_wire *w = wire;
	const int variable = bxt_map_get(&w->path.variable_of, word);
	double value;
	if (variable >= 0)
		return local_name(w, variable);
	if (strcmp(word, "pi") == 0 || bxt_frame_find(w->path.b, word, &value) < 0)
		return NULL;
	char digits[32];
	bxt_format_number(digits, value);
	const char *number =
		bxt_arena_printf(w->path.b->scratch, signbit(value) ? "(%s)" : "%s", digits);
	w->path.b->failed = w->path.b->failed || !number;
	return number;
}

static const char *local_call(void *wire, const char *call)
{
	struct bxt_signal_wire *w = wire;
	return local_name(w, bxt_map_get(&w->path.variable_of, call));
}

/*
 * The written text with the component's names. It is replaced as text, since parsed expressions
 * have shared parts and operations that the language lacks. NULL when memory ends.
 */
static const char *local_text(struct bxt_signal_wire *w, const char *text)
{
	const char *local =
		bxt_name_rename_expression(w->path.b->scratch, text, local_word, local_call, w);
	return local ? bxt_arena_strdup(w->path.b->arena, local) : NULL;
}

/* ---- The component ---- */

/* The component of an owner: "#3" for element type 3, "electrical" for a port of that kind. */
static const char *component_name(struct bxt_signal_wire *w, bxt_wire_owner o)
{
	const bxt_network *net = w->path.b->net;
	return o.type == BXT_WIRE_ELEMENT
		       ? bxt_arena_printf(w->path.b->arena, "#%d", net->elements[o.index].type)
		       : net->nodes[net->ports[o.index].node].kind->name;
}

/* The parameters that follow inputs, in the order of their numbers. */
static bool make_parameters(struct bxt_signal_wire *w, bxt_component *c)
{
	const bxt_network *net = w->path.b->net;
	const size_t most = (size_t)net->n_inputs;
	c->parameters = w->n_inputs > 0 ? BXT_NEW(w->path.b->arena, bxt_parameter, most) : NULL;
	for (int k = 0; k < net->n_inputs && c->parameters; k++)
		if (w->reads_input[k])
			c->parameters[c->n_parameters++] =
				(bxt_parameter){.name = input_name(w, k),
						.unit = "",
						.si = "",
						.doc = "",
						.measure = {.kind = BXT_MEASURE_ANY},
						.time = true,
						.min = -INFINITY,
						.max = INFINITY,
						.place = w->path.item->place};
	return w->n_inputs == 0 || c->parameters;
}

/* Bindings and ports, named by the owners' indices, and the relation; NULL when memory ends. */
static bxt_component *make_component(struct bxt_signal_wire *w, const char *text)
{
	bxt_builder *b = w->path.b;
	bxt_arena *a = b->arena;
	const bxt_place place = w->path.item->place;
	bxt_component *c = BXT_NEW(a, bxt_component, 1);
	if (!c)
		return NULL;
	*c = (bxt_component){.name = "signal",
			     .domain = "control",
			     .doc = "",
			     .place = place,
			     .curves = *bxt_frame_curves(b)};
	c->ports = BXT_NEW(a, bxt_port, w->n_owner);
	c->bindings = BXT_NEW(a, bxt_binding, w->n_owner);
	c->forces = BXT_NEW(a, bxt_force, 1);
	if (!c->ports || !c->bindings || !c->forces || !make_parameters(w, c))
		return NULL;
	for (size_t k = 0; k < w->n_owner; k++) {
		const bxt_wire_owner o = w->owner[k];
		const char *name = bxt_arena_printf(a, "%c%zu", "bnp"[o.type], k);
		const char **of = BXT_NEW(a, const char *, 1);
		if (!name || !of)
			return NULL;
		if (o.type == BXT_WIRE_NODE) {
			c->ports[c->n_ports++] = (bxt_port){
				.name = name, .kind = b->net->nodes[o.index].kind, .place = place};
			continue;
		}
		if (!(of[0] = component_name(w, o)))
			return NULL;
		c->bindings[c->n_bindings++] = (bxt_binding){name, "", of, 1, place};
	}
	const char *on = local_coordinate(w, w->path.at[w->to].at, false);
	c->forces[c->n_forces++] = (bxt_force){on, true, {text, place}};
	return on ? c : NULL;
}

static const bxt_component *find_bound(void *context, const char *name, bool *broken)
{
	const bxt_builder *b = context;
	*broken = false;
	return name[0] == '#' ? b->net->types[strtol(name + 1, NULL, 10)]->component
			      : bxt_build_port_component(b->arena, name);
}

/* ---- Expressions that are taken over ---- */

/* The state while an expression of an element type is rewritten in the component's names. */
struct taking {
	struct bxt_signal_wire *w;
	bxt_graph *g;
	const bxt_scope *local;
	int *variable; /* of the element type */
	bxt_ex *with;  /* its replacement here */
	size_t n, c_variable, c_with;
};

static void replace(struct taking *t, int variable, bxt_ex with)
{
	bool *failed = &t->w->path.b->failed;
	*failed = *failed || BXT_GROW(t->variable, t->c_variable, t->n + 1) != BXT_OK ||
		  BXT_GROW(t->with, t->c_with, t->n + 1) != BXT_OK;
	if (*failed)
		return;
	t->variable[t->n] = variable;
	t->with[t->n++] = with;
}

static bxt_ex local_value(struct taking *t, const char *name)
{
	bxt_ex value = bxt_ex_const(t->g, 0);
	if (!name || !t->local->lookup(t->local->context, t->g, name, &value))
		t->w->path.b->failed = true;
	return value;
}

/* An expression of time and inputs in the component's: value + rate (t - since) of an input is its
 * parameter, whose rate the element has apart. */
static bxt_ex time_expression(struct taking *t, bxt_ex f)
{
	bxt_builder *b = t->w->path.b;
	const int n = bxt_input_variable(b->net->n_inputs, 0);
	int *variable = BXT_NEW(b->scratch, int, (size_t)n);
	bxt_ex *with = BXT_NEW(b->scratch, bxt_ex, (size_t)n);
	b->failed = b->failed || !variable || !with;
	for (int i = 0; i < n && !b->failed; i++) {
		const int k = (i - 1) / BXT_INPUT_NUMBERS, number = (i - 1) % BXT_INPUT_NUMBERS;
		variable[i] = i;
		with[i] = i == 0 ? local_value(t, "t")
			  : number == BXT_INPUT_VALUE && t->w->reads_input[k]
				  ? local_value(t, input_name(t->w, k))
				  : bxt_ex_const(t->g, 0);
	}
	b->failed = b->failed || bxt_ex_copy(t->g, b->timed.graph, &f, 1) != BXT_OK;
	if (b->failed)
		return bxt_ex_const(t->g, 0);
	bxt_ex_substitute(t->g, &f, 1, variable, with, n);
	return f;
}

/* The value of a parameter: a number, or a function of time and inputs. */
static bxt_ex parameter_value(struct taking *t, const bxt_element *e, int p)
{
	bxt_builder *b = t->w->path.b;
	if (!e->signal || e->signal[p] < 0)
		return bxt_ex_const(t->g, e->parameter[p]);
	return time_expression(t, b->timed.expression[e->signal[p]]);
}

static void replace_all(struct taking *t, const bxt_element_type *type, int element, bxt_ex f)
{
	const bxt_network *net = t->w->path.b->net;
	for (int p = 0; p < type->n_parameter; p++)
		if (bxt_ex_depends(type->formulas.graph, f, p))
			replace(t, p, parameter_value(t, &net->elements[element], p));
	for (int a = 0; a < type->nl; a++)
		for (int flow = 0; flow < 2; flow++) {
			bxt_net_coordinate at;
			if (!depends_on(type, f, a, flow))
				continue;
			const int v = (flow ? bxt_type_var_v(type) : bxt_type_var_q(type)) + a;
			replace(t, v,
				coordinate_at(net, element, a, &at)
					? local_value(t, local_coordinate(t->w, at, flow))
					: bxt_ex_const(t->g, 0));
		}
	if (bxt_ex_depends(type->formulas.graph, f, bxt_type_var_t(type)))
		replace(t, bxt_type_var_t(type), local_value(t, "t"));
}

/* "x4": the expression of variable 4. */
static bool take_over(void *wire, bxt_graph *g, const char *name, const bxt_scope *local,
		      bxt_ex *out)
{
	struct bxt_signal_wire *w = wire;
	bool *failed = &w->path.b->failed;
	if (name[0] != 'x' || !name[1] || strspn(name + 1, "0123456789") != strlen(name + 1))
		return false;
	const bxt_path_variable *v = &w->path.at[strtol(name + 1, NULL, 10)];
	const bxt_element_type *type = type_of(w->path.b->net, v->at.element);
	struct taking t = {.w = w, .g = g, .local = local};
	bxt_ex f = expression_of(type, v);
	replace_all(&t, type, v->at.element, f);
	*failed = *failed || bxt_ex_copy(g, type->formulas.graph, &f, 1) != BXT_OK;
	*out = *failed ? bxt_ex_const(g, 0) : f;
	if (!*failed)
		bxt_ex_substitute(g, out, 1, t.variable, t.with, (int)t.n);
	free(t.variable);
	free(t.with);
	return true;
}

/* ---- Its type ---- */

/* Adds to the key what identifies an expression: its type, parameters, coordinates. */
static void add_to_key(struct bxt_signal_wire *w, bxt_buffer *key, int variable)
{
	const bxt_network *net = w->path.b->net;
	const bxt_path_variable *v = &w->path.at[variable];
	const bxt_element *e = &net->elements[v->at.element];
	const bxt_element_type *type = net->types[e->type];
	const bxt_ex f = expression_of(type, v);
	bxt_buffer_printf(key, " x%d=%d:%d of #%d(", variable, (int)v->type, v->at.coordinate,
			  e->type);
	for (int p = 0; p < type->n_parameter; p++) {
		char number[32];
		bxt_format_number(number, e->parameter[p]);
		if (bxt_ex_depends(type->formulas.graph, f, p) && e->signal && e->signal[p] >= 0)
			bxt_buffer_printf(key, " %d=t%d", p, e->signal[p]);
		else if (bxt_ex_depends(type->formulas.graph, f, p))
			bxt_buffer_printf(key, " %d=%s", p, number);
	}
	for (int a = 0; a < type->nl; a++) {
		bxt_net_coordinate at;
		if (!depends_on(type, f, a, false) && !depends_on(type, f, a, true))
			continue;
		const bool moves = coordinate_at(net, v->at.element, a, &at);
		bxt_buffer_printf(key, " q%d=%d.%d", a, moves ? number_of(w, owner_of(&at)) : -1,
				  moves ? at.coordinate : 0);
	}
	bxt_buffer_printf(key, ")");
}

static const char *key_of(struct bxt_signal_wire *w, const char *text)
{
	bxt_buffer key = {0};
	bxt_buffer_printf(&key, "<signal> %d %s", number_of(w, owner_of(&w->path.at[w->to].at)),
			  text);
	bxt_buffer_printf(&key, " to %d", w->path.at[w->to].at.coordinate);
	for (size_t k = 0; k < w->n_owner; k++) {
		const bxt_wire_owner o = w->owner[k];
		const char *name = o.type == BXT_WIRE_NODE
					   ? w->path.b->net->nodes[o.index].kind->name
					   : component_name(w, o);
		bxt_buffer_printf(&key, " %c%s", "bnp"[o.type], name ? name : "");
		key.failed = key.failed || !name;
	}
	for (size_t i = 0; i < w->path.n; i++)
		if (is_taken_over(&w->path.at[i]))
			add_to_key(w, &key, (int)i);
	const char *copy = key.failed ? NULL : bxt_arena_strdup(w->path.b->arena, key.text);
	bxt_buffer_free(&key);
	return copy;
}

/* The index of its element type; -1 after findings. */
bxt_status bxt_signal_type(struct bxt_signal_wire *w, const char *written, int *out)
{
	bxt_builder *b = w->path.b;
	const char *text = local_text(w, written);
	const char *key = text && !b->failed ? bxt_frame_key(b, key_of(w, text), text) : NULL;
	*out = key ? bxt_map_get(&b->net->type_by_key, key) : -1;
	if (key && *out < 0)
		*out = bxt_build_known_type(b, key);
	if (!key || *out >= 0)
		return key ? BXT_OK : BXT_ERR_MEMORY;
	bxt_component *c = make_component(w, text);
	const bxt_component_finder finder = {find_bound, NULL, b};
	const bxt_component *const *bound = NULL;
	const bxt_type_reader reader = {take_over, w};
	bxt_status status;
	if (!c)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_type_find_bound(b->arena, c, &finder, b->d, &bound));
	const bxt_type_def def = {.component = c, .bound = bound, .reader = &reader};
	bxt_element_type *type = bxt_type_compile(b->arena, &def, b->d, &status);
	if (b->failed)
		bxt_type_release(type);
	if (!type || b->failed) /* after a finding the model is rejected */
		return status == BXT_ERR_MEMORY || b->failed ? BXT_ERR_MEMORY : BXT_OK;
	*out = bxt_build_element_type(b, type, key);
	return *out >= 0 ? BXT_OK : BXT_ERR_MEMORY;
}
