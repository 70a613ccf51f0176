/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names in a component's texts: parameters, coordinates, flows, ports, bindings, outputs. */
#include "model/element/element_internal.h"

#include "ground/base/text.h"

#include <string.h>

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

/* Does the local coordinate belong to a port at the fixed node? */
static bool is_fixed(const struct bxt_type_maker *m, int a)
{
	const int shared = a - m->k->n_own;
	return m->def->fixed && !m->parsing.measuring && shared >= 0 && shared < m->k->n_shared &&
	       m->def->fixed[m->k->origin.port_of_coord[shared]];
}

bxt_ex bxt_type_q(struct bxt_type_maker *m, int a)
{
	const bxt_element_type *k = m->k;
	const int shared = a - k->n_own;
	if (is_fixed(m, a))
		return bxt_ex_const(m->g, m->c->ports[k->origin.port_of_coord[shared]]
						  .kind->fixed[k->origin.sub_of_coord[shared]]);
	return bxt_ex_var(m->g, bxt_type_var_q(k) + a);
}

bxt_ex bxt_type_v(struct bxt_type_maker *m, int a)
{
	/* a discrete Lagrangian has q@1 here */
	if (is_fixed(m, a))
		return m->parsing.discrete ? bxt_type_q(m, a) : bxt_ex_const(m->g, 0);
	return bxt_ex_var(m->g, bxt_type_var_v(m->k) + a);
}

static bool is_before_dot(const char *name, const char *dot, const char *owner)
{
	return strlen(owner) == (size_t)(dot - name) &&
	       strncmp(owner, name, (size_t)(dot - name)) == 0;
}

/* "binding.q" and "binding.i" of a bound element; result as of dotted_name. */
static int bound_name(const struct bxt_type_maker *m, const char *name, const char *dot,
		      bool *is_flow)
{
	for (int i = 0; i < m->c->n_bindings; i++)
		for (int s = 0; is_before_dot(name, dot, m->c->bindings[i].name) &&
				s < m->def->bound[i]->n_coordinates;
		     s++) {
			const bxt_coordinate *q = &m->def->bound[i]->coordinates[s];
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

/* ---- Quantities that follow from those of a port ---- */

struct kind_names {
	struct bxt_type_maker *m;
	int port;
};

/* The texts of a port kind name coordinates and flows as those of a port "a". */
static bool lookup_of_kind(void *context, bxt_graph *g, const char *name, bxt_ex *out)
{
	const struct kind_names *n = context;
	const bxt_port_kind *kind = n->m->c->ports[n->port].kind;
	(void)g;
	for (int s = 0; s < kind->n && name[0] == 'a' && name[1] == '.'; s++) {
		const int a = n->m->shared_coord[n->port] + s;
		if (strcmp(name + 2, kind->coordinate[s]) == 0)
			return *out = bxt_type_q(n->m, a), true;
		if (strcmp(name + 2, kind->flow[s]) == 0)
			return *out = bxt_type_v(n->m, a), true;
	}
	return false;
}

/* "port.wx" and the like. */
static const bxt_kind_quantity *find_derived(const struct bxt_type_maker *m, const char *name,
					     int *port)
{
	const char *dot = strchr(name, '.');
	for (int p = 0; dot && p < m->c->n_ports; p++) {
		const bxt_kind_quantity *of = m->c->ports[p].kind->derived;
		if (!of || !is_before_dot(name, dot, m->c->ports[p].name))
			continue;
		*port = p;
		for (; of->name; of++)
			if (strcmp(dot + 1, of->name) == 0)
				return of;
	}
	return NULL;
}

static bool lookup_derived(struct bxt_type_maker *m, const char *name, bxt_ex *out)
{
	struct kind_names names = {m, -1};
	const bxt_kind_quantity *of = find_derived(m, name, &names.port);
	const bxt_scope scope = {lookup_of_kind, NULL, &names, NULL};
	bxt_expr_error error;
	/* its texts are the library's own: an error means that memory ended */
	if (of && bxt_expr_parse(m->g, of->text, &scope, out, &error, 1) > 0) {
		m->failed = true;
		*out = bxt_ex_const(m->g, 0);
	}
	return of != NULL;
}

bool bxt_type_derived_flow(struct bxt_type_maker *m, const char *name, bxt_ex *out)
{
	int port;
	const bxt_kind_quantity *of = find_derived(m, name, &port);
	return of && of->is_flow && lookup_derived(m, name, out);
}

const char *bxt_type_coordinate_name(const struct bxt_type_maker *m, int a, bool flow)
{
	const bxt_element_type *k = m->k;
	const int shared = a - k->n_own, bound = shared - k->n_shared;
	if (bound < 0) {
		const bxt_port *port = &m->c->ports[k->origin.port_of_coord[shared]];
		const int s = k->origin.sub_of_coord[shared];
		return bxt_arena_printf(m->arena, "%s.%s", port->name,
					flow ? port->kind->flow[s] : port->kind->coordinate[s]);
	}
	const int i = k->origin.binding_of_coord[bound];
	const bxt_coordinate *q = &m->def->bound[i]->coordinates[k->origin.sub_of_bound[bound]];
	return bxt_arena_printf(m->arena, "%s.%s", m->c->bindings[i].name,
				flow ? q->flow : q->name);
}

/* "q@0", "a.x@1": the local coordinate, and whether at the end of the step; -1: none. */
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

/* The names in a discrete Lagrangian except parameters. */
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

/* The name of a mode. */
static bool mode_named(const struct bxt_type_maker *m, const char *name, bxt_ex *out)
{
	for (int i = 0; i < m->k->n_switches; i++) {
		const bxt_switch *s = &m->k->switches[i];
		if (s->row || strcmp(m->c->modes[s->index].name, name) != 0)
			continue;
		*out = bxt_ex_var(m->g, s->parameter);
		return true;
	}
	return false;
}

/* "stop.lambda" and "p.v": multipliers of rows, and efforts at balance ports. */
static bool multiplier_named(const struct bxt_type_maker *m, const char *name, bxt_ex *out)
{
	const bxt_element_type *k = m->k;
	const char *dot = strrchr(name, '.');
	const size_t length = dot ? (size_t)(dot - name) : 0;
	for (int r = 0; r < k->ml && dot; r++) {
		const bxt_port *port =
			r < k->n_constraint
				? NULL
				: &m->c->ports[k->origin.port_of_row[r - k->n_constraint]];
		const char *owner = port ? port->name : m->c->constraints[r].name;
		const char *word = port ? port->kind->effort[0] : "lambda";
		if (strlen(owner) != length || strncmp(owner, name, length) != 0 ||
		    strcmp(dot + 1, word) != 0)
			continue;
		*out = bxt_ex_var(m->g, bxt_type_var_lambda(k) + r);
		return true;
	}
	return false;
}

static void offer_names(void *context, void (*visit)(void *, const char *), void *visitor);

static bool lookup(void *context, bxt_graph *g, const char *name, bxt_ex *out)
{
	struct bxt_type_maker *m = context;
	bool is_flow;
	int a;
	if (m->parsing.only_name) { /* inside an element's expression */
		if (strcmp(name, m->parsing.only_name) == 0)
			return *out = m->parsing.only_value, true;
		const bxt_scope *known = m->parsing.only_known;
		return known && known->lookup(known->context, g, name, out);
	}
	for (int i = 0; i < m->c->n_parameters; i++)
		if (strcmp(name, m->c->parameters[i].name) == 0) {
			if (m->c->parameters[i].of && m->parsing.no_expressions)
				return false;
			*out = m->c->parameters[i].of && m->parsing.measuring
				       ? bxt_ex_var(g, bxt_type_var_hoisted(m->k) + i)
			       : m->c->parameters[i].of
				       ? m->of_value[i]
				       : bxt_ex_var(g, bxt_type_parameter(m->c, i));
			return true;
		}
	const bxt_scope local = {lookup, offer_names, m, &m->c->curves};
	if (mode_named(m, name, out) || bxt_type_let(m, &local, name, out))
		return true;
	if (m->parsing.discrete)
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
	if (lookup_derived(m, name, out) || (m->parsing.at_event && multiplier_named(m, name, out)))
		return true;
	return m->def->reader &&
	       m->def->reader->read(m->def->reader->context, g, name, &local, out);
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
	if (m->parsing.only_name) {
		visit(visitor, m->parsing.only_name);
		if (m->parsing.only_known)
			m->parsing.only_known->names(m->parsing.only_known->context, visit,
						     visitor);
		return;
	}
	for (int i = 0; i < m->c->n_parameters; i++)
		if (!m->c->parameters[i].of || !m->parsing.no_expressions)
			visit(visitor, m->c->parameters[i].name);
	for (int i = 0; i < m->c->n_lets; i++)
		visit(visitor, m->c->lets[i].name);
	for (int i = 0; i < m->c->n_modes; i++)
		visit(visitor, m->c->modes[i].name);
	if (m->parsing.discrete) {
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
	for (int p = 0; p < m->c->n_ports; p++)
		for (const bxt_kind_quantity *of = m->c->ports[p].kind->derived; of && of->name;
		     of++) {
			const char *full =
				bxt_arena_printf(m->arena, "%s.%s", m->c->ports[p].name, of->name);
			if (full)
				visit(visitor, full);
		}
	visit(visitor, "t");
}

/* The local coordinate of that name; -1: none. */
static int coordinate_named(const struct bxt_type_maker *m, const char *name)
{
	bool is_flow;
	for (int i = 0; i < m->c->n_coordinates && name; i++)
		if (strcmp(m->c->coordinates[i].name, name) == 0)
			return i;
	const int a = name ? dotted_name(m, name, &is_flow) : -1;
	return a >= 0 && is_flow ? -1 : a;
}

bxt_ex bxt_type_parse(struct bxt_type_maker *m, bxt_written w, const char *what, const char *of)
{
	bxt_ex f = bxt_ex_const(m->g, 0);
	if (!w.text)
		return f;
	/* an element's expression may call the tables of its netlist file */
	const bool foreign = m->parsing.only_name && m->parsing.only_known;
	const bxt_scope scope = {lookup, offer_names, m,
				 foreign ? m->parsing.only_known->curves : &m->c->curves};
	bxt_expr_error errors[BXT_ERRORS_PER_TEXT];
	int n = bxt_expr_parse(m->g, w.text, &scope, &f, errors, BXT_ERRORS_PER_TEXT);
	for (int i = 0; i < n && i < BXT_ERRORS_PER_TEXT; i++)
		bxt_error(m->d, w.place, "component '%s', %s%s%s%s, column %d: %s", m->c->name,
			  what, of ? " '" : "", of ? of : "", of ? "'" : "", errors[i].column,
			  errors[i].text);
	m->errors += n;
	if (m->c->is_read && !m->parsing.only_name && m->errors == 0)
		bxt_type_check_units(m, w, &scope, what, of, coordinate_named(m, of));
	return n ? bxt_ex_const(m->g, 0) : f;
}

void bxt_type_parse_lets(struct bxt_type_maker *m)
{
	for (int i = 0; i < m->c->n_lets; i++) {
		const bxt_let *let = &m->c->lets[i];
		const bxt_written name = {let->name, let->expression.place};
		bxt_type_parse(m, name, "<let>", let->name);
		if (m->errors == 0) /* now its dimension */
			bxt_type_parse(m, let->expression, "<let>", let->name);
	}
}

/* The local coordinate that a <force on> or <gyrator a, b> names; -1 after a finding. */
int bxt_type_find_coordinate(struct bxt_type_maker *m, const char *name, bxt_place place,
			     const char *what)
{
	const int a = coordinate_named(m, name);
	bxt_nearest_search near = {.name = name};
	if (a >= 0)
		return a;
	for (int i = 0; i < m->c->n_coordinates; i++)
		bxt_nearest_offer(&near, m->c->coordinates[i].name);
	for (int i = m->k->n_own; i < m->k->nl; i++) {
		const char *full = bxt_type_coordinate_name(m, i, false);
		if (full)
			bxt_nearest_offer(&near, full);
	}
	bxt_error(m->d, place, "component '%s': no coordinate '%s' for %s%s", m->c->name, name,
		  what, bxt_did_you_mean(m->arena, near.best));
	m->errors++;
	return -1;
}

bxt_ex bxt_type_output(struct bxt_type_maker *m, int i)
{
	const bxt_output *o = &m->c->outputs[i];
	if (!m->output_known[i]) /* once, so that its errors are reported once */
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
	m->parsing.no_expressions = true; /* otherwise an output could be a function of itself */
	for (int i = 0; i < c->n_outputs; i++)
		if (strcmp(c->outputs[i].name, p->of) == 0)
			value = bxt_type_output(m, i);
	m->parsing.no_expressions = false;
	return value; /* it exists: checked when the component was read */
}
