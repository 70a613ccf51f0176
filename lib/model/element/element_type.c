/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiles a component to an element type: its layout, then the other files in order. */
#include "model/element/element_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- Layout ---- */

/* Appends all coordinates of the bound elements. */
static bxt_status lay_out_bound(struct bxt_type_maker *m)
{
	bxt_element_type *k = m->k;
	int n = 0, at = 0;
	for (int i = 0; i < m->c->n_bindings; i++)
		n += m->def->bound[i]->n_coordinates;
	k->origin.bound = m->def->bound;
	k->origin.binding_of_coord = BXT_NEW(m->arena, int, n);
	k->origin.sub_of_bound = BXT_NEW(m->arena, int, n);
	m->bound_coord = BXT_NEW(m->arena, int, m->c->n_bindings);
	if (!k->origin.binding_of_coord || !k->origin.sub_of_bound || !m->bound_coord)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < m->c->n_bindings; i++) {
		m->bound_coord[i] = k->nl + at;
		for (int s = 0; s < m->def->bound[i]->n_coordinates; s++) {
			k->origin.binding_of_coord[at] = i;
			k->origin.sub_of_bound[at++] = s;
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
	BXT_TRY(bxt_type_lay_out_switches(m));
	BXT_TRY(bxt_type_lay_out_lets(m));
	int shared = 0, balance = 0;
	for (int p = 0; p < c->n_ports; p++)
		if (c->ports[p].kind->type == BXT_PORT_SHARED)
			shared += c->ports[p].kind->n;
		else
			balance++;
	k->origin.port_of_coord = BXT_NEW(m->arena, int, shared);
	k->origin.sub_of_coord = BXT_NEW(m->arena, int, shared);
	k->origin.port_of_row = BXT_NEW(m->arena, int, balance);
	k->port_group = BXT_NEW(m->arena, int, balance);
	m->balance_row = BXT_NEW(m->arena, int, c->n_ports);
	m->shared_coord = BXT_NEW(m->arena, int, c->n_ports);
	m->of_value = BXT_NEW(m->arena, bxt_ex, c->n_parameters);
	m->output = BXT_NEW(m->arena, bxt_ex, c->n_outputs);
	m->output_known = BXT_NEW(m->arena, bool, c->n_outputs);
	m->required = BXT_NEW(m->arena, bxt_ex, c->n_requirements);
	if (!k->origin.port_of_coord || !k->origin.sub_of_coord || !k->origin.port_of_row ||
	    !k->port_group || !m->balance_row || !m->shared_coord || !m->of_value || !m->output ||
	    !m->output_known || !m->required)
		return BXT_ERR_MEMORY;
	for (int p = 0; p < c->n_ports; p++) {
		m->balance_row[p] = m->shared_coord[p] = -1;
		if (c->ports[p].kind->type == BXT_PORT_BALANCE) {
			k->origin.port_of_row[k->ml - k->n_constraint] = p;
			m->balance_row[p] = k->ml++;
			continue;
		}
		m->shared_coord[p] = k->nl;
		for (int s = 0; s < c->ports[p].kind->n; s++) {
			k->origin.port_of_coord[k->nl - k->n_own] = p;
			k->origin.sub_of_coord[k->nl - k->n_own] = s;
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
	k->row_measure = BXT_NEW(m->arena, bxt_measure, k->n_constraint);
	k->massless = BXT_NEW(m->arena, bool, k->nl);
	k->flows_alone = BXT_NEW(m->arena, bool, k->nl);
	k->has_term = BXT_NEW(m->arena, bool, k->nl);
	k->rate_used = BXT_NEW(m->arena, bool, c->n_parameters);
	if (!m->class_of || !m->P || !m->D || !m->F || !m->E || !m->K || !m->C || !m->phi ||
	    !k->massless || !k->flows_alone || !k->has_term || !k->rate_used || !k->row_measure)
		return BXT_ERR_MEMORY;
	for (int i = 0, v = 0; i < c->n_parameters; i++)
		if (!c->parameters[i].of)
			m->class_of[v++] = c->parameters[i].time ? ON_TIME : ON_PARAMETER;
	for (int i = 0; i < c->n_parameters; i++)
		if (c->parameters[i].time)
			m->class_of[bxt_type_rate(c, i)] = ON_TIME;
	bxt_type_classify_switches(m);
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

/* An expression-valued parameter: the element's text in its own scope, or the default. */
static bxt_ex parse_of_value(struct bxt_type_maker *m, int i)
{
	const bxt_parameter *p = &m->c->parameters[i];
	bxt_written w = {m->def->of_text ? m->def->of_text[i] : NULL, p->place};
	m->parsing.only_known = NULL;
	if (w.text) {
		w.place = m->def->of_place[i];
		m->parsing.only_known = m->def->known;
	} else if (p->default_text) {
		w.text = p->default_text + (p->default_text[0] == '=');
	}
	return bxt_type_parse(m, w, "parameter", p->name);
}

/* Parses the element's expressions first, because the component's texts use them. */
static void parse_of_values(struct bxt_type_maker *m)
{
	for (int i = 0; i < m->c->n_parameters; i++) {
		const bxt_parameter *p = &m->c->parameters[i];
		m->of_value[i] = bxt_ex_const(m->g, 0);
		if (!p->of)
			continue;
		m->parsing.only_value = bxt_type_argument(m, p);
		m->parsing.only_name = p->of;
		m->of_value[i] = parse_of_value(m, i);
		m->parsing.only_name = NULL;
	}
}

/* Keeps P, F, E, K, C, phi, V, energy and outputs in a graph without their derivatives. */
static bxt_status keep_motion(struct bxt_type_maker *m)
{
	bxt_element_type *k = m->k;
	const size_t nl = (size_t)k->nl, ml = (size_t)k->ml, own = (size_t)k->n_constraint;
	const size_t out = (size_t)m->c->n_outputs, required = (size_t)m->c->n_requirements;
	const size_t switches = (size_t)k->n_switches;
	const size_t delays = (size_t)m->c->delayed.n_delays;
	const size_t n = 4 * nl + ml + own + 2 + out + required + switches + 2 * delays;
	const bxt_ex potential =
		bxt_type_at_rest(m, m->power.energy); /* E = v.dL/dv - L at v = 0 */
	k->formulas.graph = bxt_graph_new();
	k->formulas.momentum = BXT_NEW(m->arena, bxt_ex, n);
	if (!k->formulas.graph || !k->formulas.momentum || m->failed)
		return BXT_ERR_MEMORY;
	k->formulas.force = k->formulas.momentum + nl;
	k->formulas.external = k->formulas.force + nl;
	k->formulas.rows = k->formulas.external + nl;
	k->formulas.phi = k->formulas.rows + ml;
	k->formulas.potential = k->formulas.phi + own;
	k->formulas.energy = k->formulas.potential + 1;
	k->formulas.outputs = k->formulas.energy + 1;
	k->formulas.requirements = k->formulas.outputs + out;
	k->formulas.before = k->formulas.requirements + required + switches;
	k->formulas.stored = k->formulas.before + delays;
	k->formulas.reaction = k->formulas.stored + delays;
	memcpy(k->formulas.momentum, m->P, nl * sizeof *m->P);
	memcpy(k->formulas.force, m->F, nl * sizeof *m->F);
	memcpy(k->formulas.external, m->E, nl * sizeof *m->E);
	memcpy(k->formulas.reaction, m->K, nl * sizeof *m->K);
	memcpy(k->formulas.rows, m->C, ml * sizeof *m->C);
	memcpy(k->formulas.phi, m->phi, own * sizeof *m->phi);
	*k->formulas.potential = potential;
	*k->formulas.energy = m->power.energy;
	for (size_t i = 0; i < out; i++)
		k->formulas.outputs[i] = bxt_type_output(m, (int)i);
	memcpy(k->formulas.requirements, m->required, required * sizeof *m->required);
	memcpy(k->formulas.before, m->delay + delays, 2 * delays * sizeof *m->delay);
	for (int i = 0; i < k->n_switches; i++)
		k->formulas.requirements[required + (size_t)i] =
			k->switches[i].row ? bxt_ex_const(m->g, 0) : k->switches[i].initial;
	BXT_TRY(bxt_ex_copy(k->formulas.graph, m->g, k->formulas.momentum, (int)n));
	for (int i = 0; i < k->n_switches; i++)
		k->switches[i].initial = k->formulas.requirements[required + (size_t)i];
	return BXT_OK;
}

/* Expressions of parameters alone, which are known before the run. */
static bxt_ex parse_requirement(struct bxt_type_maker *m, const bxt_requirement *r)
{
	const bxt_ex f = bxt_type_parse(m, r->expression, "<require>", NULL);
	if (bxt_type_classes(m, f) & ~(uint32_t)ON_PARAMETER) {
		bxt_error(m->d, r->expression.place,
			  "component '%s', <require>: only parameters that do not depend on time "
			  "can be judged before a run",
			  m->c->name);
		m->errors++;
	}
	return f;
}

static bxt_status make_type(struct bxt_type_maker *m)
{
	BXT_TRY(bxt_type_lay_out(m));
	parse_of_values(m);
	bxt_type_parse_lets(m);
	for (int i = 0; i < m->c->n_requirements; i++)
		m->required[i] = parse_requirement(m, &m->c->requirements[i]);
	bxt_type_dynamics(m);
	BXT_TRY(bxt_type_rows(m));
	BXT_TRY(bxt_type_modes(m));
	BXT_TRY(bxt_type_discrete(m));
	BXT_TRY(bxt_type_updates(m));
	BXT_TRY(bxt_type_delays(m));
	BXT_TRY(bxt_type_fields(m));
	BXT_TRY(bxt_type_make_sets(m));
	return keep_motion(m);
}

bxt_element_type *bxt_type_compile(bxt_arena *arena, const bxt_type_def *def, bxt_diagnostics *d,
				   bxt_status *status)
{
	struct bxt_type_maker m = {.arena = arena,
				   .g = bxt_graph_new(),
				   .k = BXT_NEW(arena, bxt_element_type, 1),
				   .c = def->component,
				   .def = def,
				   .d = d};
	*status = m.k && m.g ? BXT_OK : BXT_ERR_MEMORY;
	if (*status == BXT_OK) {
		m.k->component = m.c;
		m.k->key = m.c->name;
		*status = make_type(&m);
	}
	bxt_graph_free(m.g);
	if (*status == BXT_OK)
		return m.k;
	bxt_type_release(m.k);
	return NULL;
}

void bxt_type_release(bxt_element_type *type)
{
	if (!type)
		return;
	type->prelude = bxt_tape_free(type->prelude);
	type->formulas.graph = bxt_graph_free(type->formulas.graph);
	for (int id = 0; id < BXT_SET_COUNT; id++)
		type->set[id].tape = bxt_tape_free(type->set[id].tape);
	for (int i = 0; i < type->n_fields; i++)
		bxt_vector_field_release(&type->fields[i]);
}
