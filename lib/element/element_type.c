/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A component's names and layout; what is computed from them is in equations.c and
 * kind_forms.c. */
#include "element/element_internal.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ERRORS_PER_TEXT = 8 };

int bxt_type_parameter(const bxt_component *c, int k)
{
	int index = 0;
	if (c->parameters[k].of)
		return -1;
	for (int i = 0; i < k; i++)
		index += !c->parameters[i].of;
	return index;
}

int bxt_type_rate(const bxt_component *c, int k)
{
	int index = 0;
	if (!c->parameters[k].time)
		return -1;
	for (int i = 0; i < c->n_parameters; i++)
		index += !c->parameters[i].of + (i < k && c->parameters[i].time);
	return index;
}

/* ---- Names ---- */

bxt_ex bxt_type_q(struct bxt_type_maker *m, int a)
{
	return bxt_ex_var(m->g, bxt_type_var_q(m->k) + a);
}

bxt_ex bxt_type_v(struct bxt_type_maker *m, int a)
{
	return bxt_ex_var(m->g, bxt_type_var_v(m->k) + a);
}

static bool is_before_dot(const char *name, const char *dot, const char *owner)
{
	return strlen(owner) == (size_t)(dot - name) &&
	       strncmp(owner, name, (size_t)(dot - name)) == 0;
}

/* "binding.q" and "binding.i" of a bound element, as below. */
static int bound_name(const struct bxt_type_maker *m, const char *name, const char *dot,
		      bool *is_flow)
{
	for (int i = 0; i < m->c->n_bindings; i++)
		for (int s = 0; is_before_dot(name, dot, m->c->bindings[i].name) &&
				s < m->bound[i]->n_coordinates;
		     s++) {
			const bxt_coordinate *q = &m->bound[i]->coordinates[s];
			*is_flow = strcmp(dot + 1, q->flow) == 0;
			if (*is_flow || strcmp(dot + 1, q->name) == 0)
				return m->bound_coord[i] + s;
		}
	return -1;
}

/* "port.x" and "port.vx" of a shared port: the local coordinate, and whether it is the flow. */
static int dotted_name(const struct bxt_type_maker *m, const char *name, bool *is_flow)
{
	const char *dot = strchr(name, '.');
	if (!dot)
		return -1;
	for (int p = 0; p < m->c->n_ports; p++) {
		const bxt_port *port = &m->c->ports[p];
		if (port->kind->type != BXT_PORT_SHARED || !is_before_dot(name, dot, port->name))
			continue;
		for (int s = 0; s < port->kind->n; s++) {
			*is_flow = strcmp(dot + 1, port->kind->flow[s]) == 0;
			if (*is_flow || strcmp(dot + 1, port->kind->coordinate[s]) == 0)
				return m->shared_coord[p] + s;
		}
	}
	return bound_name(m, name, dot, is_flow);
}

const char *bxt_type_coordinate_name(const struct bxt_type_maker *m, int a, bool flow)
{
	const bxt_element_type *k = m->k;
	const int shared = a - k->n_own, bound = shared - k->n_shared;
	if (bound < 0) {
		const bxt_port *port = &m->c->ports[k->port_of_coord[shared]];
		const int s = k->sub_of_coord[shared];
		return bxt_arena_printf(m->arena, "%s.%s", port->name,
					flow ? port->kind->flow[s] : port->kind->coordinate[s]);
	}
	const int i = k->binding_of_coord[bound];
	const bxt_coordinate *q = &m->bound[i]->coordinates[k->sub_of_bound[bound]];
	return bxt_arena_printf(m->arena, "%s.%s", m->c->bindings[i].name,
				flow ? q->flow : q->name);
}

/* "q@0", "a.x@1": the local coordinate, and whether it is that of the end; -1 for none. */
static int end_point(const struct bxt_type_maker *m, const char *name, bool *at_end)
{
	const char *sign = strrchr(name, '@');
	bool is_flow = false;
	int a = -1;
	if (!sign || (strcmp(sign, "@0") != 0 && strcmp(sign, "@1") != 0))
		return -1;
	char *bare = bxt_arena_strndup(m->arena, name, (size_t)(sign - name));
	*at_end = sign[1] == '1';
	for (int i = 0; bare && i < m->c->n_coordinates && a < 0; i++)
		if (strcmp(bare, m->c->coordinates[i].name) == 0)
			a = i;
	if (bare && a < 0)
		a = dotted_name(m, bare, &is_flow);
	return is_flow ? -1 : a;
}

/* Names of a discrete Lagrangian besides parameters. */
static bool lookup_discrete(struct bxt_type_maker *m, const char *name, bxt_ex *out)
{
	bool at_end = false;
	const int a = end_point(m, name, &at_end);
	if (a >= 0)
		*out = at_end ? bxt_type_v(m, a) : bxt_type_q(m, a);
	else if (strcmp(name, "h") == 0)
		*out = bxt_ex_var(m->g, bxt_type_var_h(m->k));
	else
		return false;
	return true;
}

static bool lookup(void *context, bxt_graph *g, const char *name, bxt_ex *out)
{
	struct bxt_type_maker *m = context;
	bool is_flow;
	int a;
	if (m->only_name) { /* inside an element's expression */
		if (strcmp(name, m->only_name) == 0)
			return *out = m->only_value, true;
		const bxt_scope *known = m->only_known;
		return known && known->lookup(known->context, g, name, out);
	}
	for (int i = 0; i < m->c->n_parameters; i++)
		if (strcmp(name, m->c->parameters[i].name) == 0) {
			if (m->c->parameters[i].of && m->no_expressions)
				return false;
			*out = m->c->parameters[i].of ? m->of_value[i]
						      : bxt_ex_var(g, bxt_type_parameter(m->c, i));
			return true;
		}
	if (m->discrete)
		return lookup_discrete(m, name, out);
	for (int i = 0; i < m->c->n_coordinates; i++) {
		if (strcmp(name, m->c->coordinates[i].name) == 0)
			return *out = bxt_type_q(m, i), true;
		if (strcmp(name, m->c->coordinates[i].flow) == 0)
			return *out = bxt_type_v(m, i), true;
	}
	if (strcmp(name, "t") == 0)
		return *out = bxt_ex_var(g, bxt_type_var_t(m->k)), true;
	if ((a = dotted_name(m, name, &is_flow)) >= 0)
		return *out = is_flow ? bxt_type_v(m, a) : bxt_type_q(m, a), true;
	const bxt_scope local = {lookup, NULL, m, &m->c->curves};
	return m->reader && m->reader->read(m->reader->context, g, name, &local, out);
}

static void offer_ends(const struct bxt_type_maker *m, void (*visit)(void *, const char *),
		       void *visitor)
{
	for (int a = 0; a < m->k->nl; a++)
		for (int end = 0; end < 2; end++) {
			const char *name = a < m->k->n_own ? m->c->coordinates[a].name
							   : bxt_type_coordinate_name(m, a, false);
			const char *full =
				bxt_arena_printf(m->arena, "%s@%d", name ? name : "", end);
			if (full)
				visit(visitor, full);
		}
	visit(visitor, "h");
}

static void offer_names(void *context, void (*visit)(void *, const char *), void *visitor)
{
	const struct bxt_type_maker *m = context;
	if (m->only_name) {
		visit(visitor, m->only_name);
		if (m->only_known)
			m->only_known->names(m->only_known->context, visit, visitor);
		return;
	}
	for (int i = 0; i < m->c->n_parameters; i++)
		if (!m->c->parameters[i].of || !m->no_expressions)
			visit(visitor, m->c->parameters[i].name);
	if (m->discrete) {
		offer_ends(m, visit, visitor);
		return;
	}
	for (int i = 0; i < m->c->n_coordinates; i++) {
		visit(visitor, m->c->coordinates[i].name);
		visit(visitor, m->c->coordinates[i].flow);
	}
	for (int a = m->k->n_own; a < m->k->nl; a++)
		for (int flow = 0; flow < 2; flow++) {
			const char *full = bxt_type_coordinate_name(m, a, flow);
			if (full)
				visit(visitor, full);
		}
	visit(visitor, "t");
}

bxt_ex bxt_type_parse(struct bxt_type_maker *m, bxt_written w, const char *what, const char *of)
{
	bxt_ex f = bxt_ex_const(m->g, 0);
	if (!w.text)
		return f;
	/* an element's expression knows what there is where it stands */
	const bool foreign = m->only_name && m->only_known;
	const bxt_scope scope = {lookup, offer_names, m,
				 foreign ? m->only_known->curves : &m->c->curves};
	bxt_expr_error errors[MAX_ERRORS_PER_TEXT];
	int n = bxt_expr_parse(m->g, w.text, &scope, &f, errors, MAX_ERRORS_PER_TEXT);
	for (int i = 0; i < n && i < MAX_ERRORS_PER_TEXT; i++)
		bxt_error(m->d, w.place, "component '%s', %s%s%s%s, column %d: %s", m->c->name,
			  what, of ? " '" : "", of ? of : "", of ? "'" : "", errors[i].column,
			  errors[i].text);
	m->errors += n;
	return n ? bxt_ex_const(m->g, 0) : f;
}

/* The local coordinate that a <force on> or <gyrator a, b> names; -1 after a finding. */
int bxt_type_find_coordinate(struct bxt_type_maker *m, const char *name, bxt_place place,
			     const char *what)
{
	bool is_flow;
	bxt_nearest_search near = {.name = name};
	for (int i = 0; i < m->c->n_coordinates; i++) {
		if (strcmp(m->c->coordinates[i].name, name) == 0)
			return i;
		bxt_nearest_offer(&near, m->c->coordinates[i].name);
	}
	for (int i = m->k->n_own; i < m->k->nl; i++) {
		const char *full = bxt_type_coordinate_name(m, i, false);
		if (full)
			bxt_nearest_offer(&near, full);
	}
	int a = dotted_name(m, name, &is_flow);
	if (a >= 0 && !is_flow)
		return a;
	bxt_error(m->d, place, "component '%s': no coordinate '%s' for %s%s", m->c->name, name,
		  what, bxt_did_you_mean(m->arena, near.best));
	m->errors++;
	return -1;
}

/* ---- Layout ---- */

/* All coordinates of the bound elements follow. */
static bxt_status lay_out_bound(struct bxt_type_maker *m)
{
	bxt_element_type *k = m->k;
	int n = 0, at = 0;
	for (int i = 0; i < m->c->n_bindings; i++)
		n += m->bound[i]->n_coordinates;
	k->bound = m->bound;
	k->binding_of_coord = BXT_NEW(m->arena, int, n);
	k->sub_of_bound = BXT_NEW(m->arena, int, n);
	m->bound_coord = BXT_NEW(m->arena, int, m->c->n_bindings);
	if (!k->binding_of_coord || !k->sub_of_bound || !m->bound_coord)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < m->c->n_bindings; i++) {
		m->bound_coord[i] = k->nl + at;
		for (int s = 0; s < m->bound[i]->n_coordinates; s++) {
			k->binding_of_coord[at] = i;
			k->sub_of_bound[at++] = s;
		}
	}
	k->nl += n;
	return BXT_OK;
}

bxt_status bxt_type_lay_out(struct bxt_type_maker *m)
{
	bxt_element_type *k = m->k;
	const bxt_component *c = m->c;
	k->n_own = k->nl = c->n_coordinates;
	k->n_constraint = k->ml = c->n_constraints;
	for (int i = 0; i < c->n_parameters; i++)
		k->n_parameter += !c->parameters[i].of + c->parameters[i].time;
	int shared = 0, balance = 0;
	for (int p = 0; p < c->n_ports; p++)
		if (c->ports[p].kind->type == BXT_PORT_SHARED)
			shared += c->ports[p].kind->n;
		else
			balance++;
	k->port_of_coord = BXT_NEW(m->arena, int, shared);
	k->sub_of_coord = BXT_NEW(m->arena, int, shared);
	k->port_of_row = BXT_NEW(m->arena, int, balance);
	k->port_group = BXT_NEW(m->arena, int, balance);
	m->balance_row = BXT_NEW(m->arena, int, c->n_ports);
	m->shared_coord = BXT_NEW(m->arena, int, c->n_ports);
	m->of_value = BXT_NEW(m->arena, bxt_ex, c->n_parameters);
	m->output = BXT_NEW(m->arena, bxt_ex, c->n_outputs);
	m->output_known = BXT_NEW(m->arena, bool, c->n_outputs);
	if (!k->port_of_coord || !k->sub_of_coord || !k->port_of_row || !k->port_group ||
	    !m->balance_row || !m->shared_coord || !m->of_value || !m->output || !m->output_known)
		return BXT_ERR_MEMORY;
	for (int p = 0; p < c->n_ports; p++) {
		m->balance_row[p] = m->shared_coord[p] = -1;
		if (c->ports[p].kind->type == BXT_PORT_BALANCE) {
			k->port_of_row[k->ml - k->n_constraint] = p;
			m->balance_row[p] = k->ml++;
			continue;
		}
		m->shared_coord[p] = k->nl;
		for (int s = 0; s < c->ports[p].kind->n; s++) {
			k->port_of_coord[k->nl - k->n_own] = p;
			k->sub_of_coord[k->nl - k->n_own] = s;
			k->nl++;
		}
	}
	k->n_shared = k->nl - k->n_own;
	BXT_TRY(lay_out_bound(m));
	const int n_var = bxt_type_var_hoisted(k);
	m->class_of = BXT_NEW(m->arena, uint32_t, n_var);
	m->P = BXT_NEW(m->arena, bxt_ex, k->nl);
	m->D = BXT_NEW(m->arena, bxt_ex, k->nl);
	m->F = BXT_NEW(m->arena, bxt_ex, k->nl);
	m->E = BXT_NEW(m->arena, bxt_ex, k->nl);
	m->K = BXT_NEW(m->arena, bxt_ex, k->nl);
	m->C = BXT_NEW(m->arena, bxt_ex, k->ml);
	m->phi = BXT_NEW(m->arena, bxt_ex, k->n_constraint);
	k->massless = BXT_NEW(m->arena, bool, k->nl);
	k->rate_used = BXT_NEW(m->arena, bool, c->n_parameters);
	if (!m->class_of || !m->P || !m->D || !m->F || !m->E || !m->K || !m->C || !m->phi ||
	    !k->massless || !k->rate_used)
		return BXT_ERR_MEMORY;
	for (int i = 0, v = 0; i < c->n_parameters; i++)
		if (!c->parameters[i].of)
			m->class_of[v++] = c->parameters[i].time ? ON_TIME : ON_PARAMETER;
	for (int i = 0; i < c->n_parameters; i++)
		if (c->parameters[i].time)
			m->class_of[bxt_type_rate(c, i)] = ON_TIME;
	for (int a = 0; a < k->nl; a++) {
		m->class_of[bxt_type_var_q(k) + a] = ON_Q;
		m->class_of[bxt_type_var_v(k) + a] = ON_V;
	}
	for (int r = 0; r < k->ml; r++)
		m->class_of[bxt_type_var_lambda(k) + r] = ON_LAMBDA;
	m->class_of[bxt_type_var_t(k)] = ON_TIME;
	m->class_of[bxt_type_var_h(k)] = ON_STEP;
	return BXT_OK;
}

/* ---- The whole ---- */

bxt_ex bxt_type_output(struct bxt_type_maker *m, int i)
{
	const bxt_output *o = &m->c->outputs[i];
	if (!m->output_known[i]) /* once: a wrong text is told once */
		m->output[i] = bxt_type_parse(m, o->expression, "<output>", o->name);
	m->output_known[i] = true;
	return m->output[i];
}

bxt_ex bxt_type_argument(struct bxt_type_maker *m, const bxt_parameter *p)
{
	const bxt_component *c = m->c;
	bxt_ex value = bxt_ex_const(m->g, 0);
	for (int a = 0; a < c->n_coordinates; a++)
		if (strcmp(c->coordinates[a].name, p->of) == 0)
			return bxt_type_q(m, a);
	m->no_expressions = true; /* else an output could be a function of itself */
	for (int i = 0; i < c->n_outputs; i++)
		if (strcmp(c->outputs[i].name, p->of) == 0)
			value = bxt_type_output(m, i);
	m->no_expressions = false;
	return value; /* the reader has seen to it that there is one */
}

/* An expression-valued parameter: the element's text in its own scope, or the default. */
static bxt_ex parse_of_value(struct bxt_type_maker *m, int i)
{
	const bxt_parameter *p = &m->c->parameters[i];
	bxt_written w = {m->of_text ? m->of_text[i] : NULL, p->place};
	m->only_known = NULL;
	if (w.text) {
		w.place = m->of_place[i];
		m->only_known = m->known;
	} else if (p->default_text) {
		w.text = p->default_text + (p->default_text[0] == '=');
	}
	return bxt_type_parse(m, w, "parameter", p->name);
}

/* The element's expressions first: the component's own texts refer to them. */
static void parse_of_values(struct bxt_type_maker *m)
{
	for (int i = 0; i < m->c->n_parameters; i++) {
		const bxt_parameter *p = &m->c->parameters[i];
		m->of_value[i] = bxt_ex_const(m->g, 0);
		if (!p->of)
			continue;
		m->only_value = bxt_type_argument(m, p);
		m->only_name = p->of;
		m->of_value[i] = parse_of_value(m, i);
		m->only_name = NULL;
	}
}

/* P, F, E, C, phi, V, energy and outputs, free of all that was derived from them. */
static bxt_status keep_motion(struct bxt_type_maker *m)
{
	bxt_element_type *k = m->k;
	const size_t nl = (size_t)k->nl, ml = (size_t)k->ml, own = (size_t)k->n_constraint;
	const size_t out = (size_t)m->c->n_outputs, n = 3 * nl + ml + own + 2 + out;
	const bxt_ex potential = bxt_type_at_rest(m, m->energy); /* E = v.dL/dv - L at v = 0 */
	k->graph = bxt_graph_new();
	k->momentum = BXT_NEW(m->arena, bxt_ex, n);
	if (!k->graph || !k->momentum || m->failed)
		return BXT_ERR_MEMORY;
	k->force = k->momentum + nl;
	k->external = k->force + nl;
	k->rows = k->external + nl;
	k->phi = k->rows + ml;
	k->potential = k->phi + own;
	k->energy = k->potential + 1;
	k->outputs = k->energy + 1;
	memcpy(k->momentum, m->P, nl * sizeof *m->P);
	memcpy(k->force, m->F, nl * sizeof *m->F);
	memcpy(k->external, m->E, nl * sizeof *m->E);
	memcpy(k->rows, m->C, ml * sizeof *m->C);
	memcpy(k->phi, m->phi, own * sizeof *m->phi);
	*k->potential = potential;
	*k->energy = m->energy;
	for (size_t i = 0; i < out; i++)
		k->outputs[i] = bxt_type_output(m, (int)i);
	return bxt_ex_copy(k->graph, m->g, k->momentum, (int)n);
}

static bxt_status make(struct bxt_type_maker *m)
{
	BXT_TRY(bxt_type_lay_out(m));
	parse_of_values(m);
	bxt_type_dynamics(m);
	BXT_TRY(bxt_type_rows(m));
	BXT_TRY(bxt_type_discrete(m));
	BXT_TRY(bxt_type_updates(m));
	BXT_TRY(bxt_type_fields(m));
	BXT_TRY(bxt_type_make_forms(m));
	return keep_motion(m);
}

/* NULL after findings, or when memory ends. */
static bxt_element_type *compile(struct bxt_type_maker *m, bxt_status *status)
{
	m->k = BXT_NEW(m->arena, bxt_element_type, 1);
	m->g = bxt_graph_new();
	*status = m->k && m->g ? BXT_OK : BXT_ERR_MEMORY;
	if (*status == BXT_OK) {
		m->k->component = m->c;
		m->k->key = m->c->name;
		*status = make(m);
	}
	bxt_graph_free(m->g);
	if (*status != BXT_OK) {
		bxt_type_release(m->k);
		return NULL;
	}
	return m->k;
}

bxt_element_type *bxt_type_compile(bxt_arena *arena, const bxt_component *component,
				   const bxt_component *const *bound, const char *const *of_text,
				   const bxt_place *of_place, const bxt_scope *known,
				   bxt_diagnostics *d, bxt_status *status)
{
	struct bxt_type_maker m = {.arena = arena,
				   .c = component,
				   .bound = bound,
				   .of_text = of_text,
				   .of_place = of_place,
				   .known = known,
				   .d = d};
	return compile(&m, status);
}

bxt_element_type *bxt_type_compile_reading(bxt_arena *arena, const bxt_component *component,
					   const bxt_component *const *bound,
					   const bxt_type_reader *reader, bxt_diagnostics *d,
					   bxt_status *status)
{
	struct bxt_type_maker m = {
		.arena = arena, .c = component, .bound = bound, .reader = reader, .d = d};
	return compile(&m, status);
}

void bxt_type_release(bxt_element_type *type)
{
	if (!type)
		return;
	type->prelude = bxt_tape_free(type->prelude);
	type->graph = bxt_graph_free(type->graph);
	for (int id = 0; id < BXT_FORM_COUNT; id++)
		type->form[id].tape = bxt_tape_free(type->form[id].tape);
	for (int i = 0; i < type->n_fields; i++)
		bxt_vector_field_release(&type->fields[i]);
}
