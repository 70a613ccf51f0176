/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A component's names and layout; what is computed from them is in kind_equations.c and
 * kind_forms.c. */
#include "kind_internal.h"

#include "text.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ERRORS_PER_TEXT = 8 };

int bxt_kind_parameter(const bxt_component *c, int k)
{
	int index = 0;
	if (c->parameters[k].of)
		return -1;
	for (int i = 0; i < k; i++)
		index += !c->parameters[i].of;
	return index;
}

/* ---- Names -------------------------------------------------------------------------------------
 */

bxt_ex bxt_kind_q(struct bxt_kind_maker *m, int a)
{
	return bxt_ex_var(m->g, bxt_kind_var_q(m->k) + a);
}

bxt_ex bxt_kind_v(struct bxt_kind_maker *m, int a)
{
	return bxt_ex_var(m->g, bxt_kind_var_v(m->k) + a);
}

/* "port.x" and "port.vx" of a shared port: the local coordinate, and whether it is the flow. */
static int shared_name(const struct bxt_kind_maker *m, const char *name, bool *is_flow)
{
	const char *dot = strchr(name, '.');
	if (!dot)
		return -1;
	for (int p = 0; p < m->c->n_ports; p++) {
		const bxt_port *port = &m->c->ports[p];
		if (port->kind->type != BXT_PORT_SHARED ||
		    strlen(port->name) != (size_t)(dot - name) ||
		    strncmp(port->name, name, (size_t)(dot - name)) != 0)
			continue;
		for (int s = 0; s < port->kind->n; s++) {
			*is_flow = strcmp(dot + 1, port->kind->flow[s]) == 0;
			if (*is_flow || strcmp(dot + 1, port->kind->coordinate[s]) == 0)
				return m->shared_coord[p] + s;
		}
	}
	return -1;
}

static bool lookup(void *context, bxt_graph *g, const char *name, bxt_ex *out)
{
	struct bxt_kind_maker *m = context;
	bool is_flow;
	int a;
	if (m->only_coordinate >= 0) { /* inside an instance's expression */
		if (strcmp(name, m->c->coordinates[m->only_coordinate].name) != 0)
			return false;
		*out = bxt_kind_q(m, m->only_coordinate);
		return true;
	}
	for (int i = 0; i < m->c->n_parameters; i++)
		if (strcmp(name, m->c->parameters[i].name) == 0) {
			*out = m->c->parameters[i].of ? m->of_value[i]
						      : bxt_ex_var(g, bxt_kind_parameter(m->c, i));
			return true;
		}
	for (int i = 0; i < m->c->n_coordinates; i++) {
		if (strcmp(name, m->c->coordinates[i].name) == 0)
			return *out = bxt_kind_q(m, i), true;
		if (strcmp(name, m->c->coordinates[i].flow) == 0)
			return *out = bxt_kind_v(m, i), true;
	}
	if (strcmp(name, "t") == 0)
		return *out = bxt_ex_var(g, bxt_kind_var_t(m->k)), true;
	if ((a = shared_name(m, name, &is_flow)) >= 0)
		return *out = is_flow ? bxt_kind_v(m, a) : bxt_kind_q(m, a), true;
	return false;
}

static void offer_names(void *context, void (*visit)(void *, const char *), void *visitor)
{
	const struct bxt_kind_maker *m = context;
	if (m->only_coordinate >= 0) {
		visit(visitor, m->c->coordinates[m->only_coordinate].name);
		return;
	}
	for (int i = 0; i < m->c->n_parameters; i++)
		visit(visitor, m->c->parameters[i].name);
	for (int i = 0; i < m->c->n_coordinates; i++) {
		visit(visitor, m->c->coordinates[i].name);
		visit(visitor, m->c->coordinates[i].flow);
	}
	for (int p = 0; p < m->c->n_ports; p++)
		for (int s = 0;
		     m->c->ports[p].kind->type == BXT_PORT_SHARED && s < m->c->ports[p].kind->n;
		     s++) {
			const bxt_port_kind *kind = m->c->ports[p].kind;
			const char *name[2] = {kind->coordinate[s], kind->flow[s]};
			for (int i = 0; i < 2; i++) {
				char *full = bxt_arena_printf(m->arena, "%s.%s",
							      m->c->ports[p].name, name[i]);
				if (full)
					visit(visitor, full);
			}
		}
	visit(visitor, "t");
}

bxt_ex bxt_kind_parse(struct bxt_kind_maker *m, bxt_written w, const char *what, const char *of)
{
	bxt_ex f = bxt_ex_const(m->g, 0);
	if (!w.text)
		return f;
	const bxt_scope scope = {lookup, offer_names, m};
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
int bxt_kind_find_coordinate(struct bxt_kind_maker *m, const char *name, bxt_place place,
			     const char *what)
{
	bool is_flow;
	bxt_nearest_search near = {.name = name};
	for (int i = 0; i < m->c->n_coordinates; i++) {
		if (strcmp(m->c->coordinates[i].name, name) == 0)
			return i;
		bxt_nearest_offer(&near, m->c->coordinates[i].name);
	}
	int a = shared_name(m, name, &is_flow);
	if (a >= 0 && !is_flow)
		return a;
	bxt_error(m->d, place, "component '%s': no coordinate '%s' for %s%s", m->c->name, name,
		  what, bxt_did_you_mean(m->arena, near.best));
	m->errors++;
	return -1;
}

/* ---- Layout ------------------------------------------------------------------------------------
 */

bxt_status bxt_kind_lay_out(struct bxt_kind_maker *m)
{
	bxt_kind *k = m->k;
	const bxt_component *c = m->c;
	k->n_own = k->nl = c->n_coordinates;
	k->n_constraint = k->ml = c->n_constraints;
	for (int i = 0; i < c->n_parameters; i++)
		k->n_parameter += !c->parameters[i].of;
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
	if (!k->port_of_coord || !k->sub_of_coord || !k->port_of_row || !k->port_group ||
	    !m->balance_row || !m->shared_coord || !m->of_value)
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
	const int n_var = bxt_kind_var_hoisted(k);
	m->class_of = BXT_NEW(m->arena, uint32_t, n_var);
	m->P = BXT_NEW(m->arena, bxt_ex, k->nl);
	m->D = BXT_NEW(m->arena, bxt_ex, k->nl);
	m->F = BXT_NEW(m->arena, bxt_ex, k->nl);
	m->K = BXT_NEW(m->arena, bxt_ex, k->nl);
	m->C = BXT_NEW(m->arena, bxt_ex, k->ml);
	m->phi = BXT_NEW(m->arena, bxt_ex, k->n_constraint);
	k->massless = BXT_NEW(m->arena, bool, k->nl);
	if (!m->class_of || !m->P || !m->D || !m->F || !m->K || !m->C || !m->phi || !k->massless)
		return BXT_ERR_MEMORY;
	for (int i = 0, v = 0; i < c->n_parameters; i++)
		if (!c->parameters[i].of)
			m->class_of[v++] = c->parameters[i].time ? ON_TIME : ON_PARAMETER;
	for (int a = 0; a < k->nl; a++) {
		m->class_of[bxt_kind_var_q(k) + a] = ON_Q;
		m->class_of[bxt_kind_var_v(k) + a] = ON_V;
	}
	for (int r = 0; r < k->ml; r++)
		m->class_of[bxt_kind_var_lambda(k) + r] = ON_LAMBDA;
	m->class_of[bxt_kind_var_t(k)] = ON_TIME;
	return BXT_OK;
}

/* ---- The whole
 * ----------------------------------------------------------------------------------- */

/* The instance's expressions first: the component's own texts refer to them. */
static void parse_of_values(struct bxt_kind_maker *m)
{
	for (int i = 0; i < m->c->n_parameters; i++) {
		const bxt_parameter *p = &m->c->parameters[i];
		m->of_value[i] = bxt_ex_const(m->g, 0);
		for (int a = 0; p->of && a < m->c->n_coordinates; a++)
			if (strcmp(m->c->coordinates[a].name, p->of) == 0) {
				m->only_coordinate = a;
				m->of_value[i] = bxt_kind_parse(
					m, (bxt_written){m->of_text[i], m->of_place[i]},
					"parameter", p->name);
			}
		m->only_coordinate = -1;
	}
}

static bxt_status make(struct bxt_kind_maker *m)
{
	BXT_TRY(bxt_kind_lay_out(m));
	parse_of_values(m);
	bxt_kind_dynamics(m);
	BXT_TRY(bxt_kind_rows(m));
	return bxt_kind_make_forms(m);
}

bxt_kind *bxt_kind_compile(bxt_arena *arena, const bxt_component *component,
			   const char *const *of_text, const bxt_place *of_place,
			   bxt_diagnostics *d, bxt_status *status)
{
	struct bxt_kind_maker m = {.arena = arena,
				   .c = component,
				   .of_text = of_text,
				   .of_place = of_place,
				   .only_coordinate = -1,
				   .d = d};
	m.k = BXT_NEW(arena, bxt_kind, 1);
	m.g = bxt_graph_new();
	*status = m.k && m.g ? BXT_OK : BXT_ERR_MEMORY;
	if (*status == BXT_OK) {
		m.k->component = component;
		m.k->key = component->name;
		*status = make(&m);
	}
	bxt_graph_free(m.g);
	if (*status != BXT_OK) {
		bxt_kind_release(m.k);
		return NULL;
	}
	return m.k;
}

void bxt_kind_release(bxt_kind *kind)
{
	if (!kind)
		return;
	kind->prelude = bxt_tape_free(kind->prelude);
	for (int id = 0; id < BXT_FORM_COUNT; id++)
		kind->form[id].tape = bxt_tape_free(kind->form[id].tape);
}
