/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the equations of a component, and finds properties such as affine. */
#include "model/element/describe.h"

#include "model/element/element_internal.h"

#include <stdlib.h>
#include <string.h>

/*
 * An expression-valued parameter e(q) is unknown here. It is replaced by its expansion about a new
 * variable b,
 *
 *     e_0 + e_1 (q - b) + e_2 (q - b)^2 / 2 ,
 *
 * whose derivatives by q, up to the second, are those of e when q is substituted for b. Higher ones
 * are not needed. The new variables follow those of the element type.
 */
enum { JET_VALUE, JET_FIRST, JET_SECOND, JET_BASE, JET_SIZE };

static int jet_variable(const bxt_element_type *k, int parameter, int which)
{
	return bxt_type_var_hoisted(k) + JET_SIZE * parameter + which;
}

static void expand_unknown(struct bxt_type_maker *m)
{
	bxt_graph *g = m->g;
	for (int i = 0; i < m->c->n_parameters; i++) {
		const bxt_parameter *p = &m->c->parameters[i];
		m->of_value[i] = bxt_ex_const(g, 0);
		if (!p->of)
			continue;
		const bxt_ex x = bxt_ex_sub(g, bxt_type_argument(m, p),
					    bxt_ex_var(g, jet_variable(m->k, i, JET_BASE)));
		const bxt_ex first =
			bxt_ex_mul(g, bxt_ex_var(g, jet_variable(m->k, i, JET_FIRST)), x);
		const bxt_ex second =
			bxt_ex_mul(g, bxt_ex_var(g, jet_variable(m->k, i, JET_SECOND)),
				   bxt_ex_div(g, bxt_ex_mul(g, x, x), bxt_ex_const(g, 2)));
		m->of_value[i] = bxt_ex_add(g, bxt_ex_var(g, jet_variable(m->k, i, JET_VALUE)),
					    bxt_ex_add(g, first, second));
	}
}

/* Substitutes q for b; the result must not be differentiated. */
static bxt_ex at_base(struct bxt_type_maker *m, bxt_ex f)
{
	for (int i = 0; i < m->c->n_parameters; i++) {
		const bxt_parameter *p = &m->c->parameters[i];
		if (!p->of)
			continue;
		const int variable = jet_variable(m->k, i, JET_BASE);
		const bxt_ex q = bxt_type_argument(m, p);
		bxt_ex_substitute(m->g, &f, 1, &variable, &q, 1);
	}
	return f;
}

/* ---- Names ---- */

struct names {
	const char **of; /* by variable */
	int n;
	bool failed;
};

static const char *name_of(void *context, int v)
{
	const struct names *names = context;
	return v < names->n ? names->of[v] : NULL;
}

static void name(struct names *names, int v, const char *text)
{
	names->of[v] = text;
	names->failed = names->failed || !text;
}

static void name_multipliers(struct bxt_type_maker *m, struct names *names)
{
	const bxt_element_type *k = m->k;
	for (int r = 0; r < k->ml; r++) {
		const bxt_port *port =
			r < k->n_constraint
				? NULL
				: &m->c->ports[k->origin.port_of_row[r - k->n_constraint]];
		name(names, bxt_type_var_lambda(k) + r,
		     port ? bxt_arena_printf(m->arena, "%s.%s", port->name, port->kind->effort[0])
			  : bxt_arena_printf(m->arena, "%s.lambda", m->c->constraints[r].name));
	}
}

static bxt_status name_variables(struct bxt_type_maker *m, struct names *names)
{
	const bxt_element_type *k = m->k;
	const bxt_component *c = m->c;
	names->n = jet_variable(k, c->n_parameters, 0);
	names->of = BXT_NEW(m->arena, const char *, (size_t)names->n);
	if (!names->of)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < c->n_parameters; i++) {
		const bxt_parameter *p = &c->parameters[i];
		static const char *const primes[] = {"", "'", "''"};
		if (!p->of)
			name(names, bxt_type_parameter(c, i), p->name);
		if (p->time)
			name(names, bxt_type_rate(c, i),
			     bxt_arena_printf(m->arena, "%s'", p->name));
		for (int j = JET_VALUE; p->of && j <= JET_SECOND; j++)
			name(names, jet_variable(k, i, j),
			     bxt_arena_printf(m->arena, "%s%s(%s)", p->name, primes[j], p->of));
	}
	for (int a = 0; a < k->nl; a++) {
		const char *text[2];
		if (a < k->n_own) {
			text[0] = c->coordinates[a].name;
			text[1] = c->coordinates[a].flow;
		} else {
			text[0] = bxt_type_coordinate_name(m, a, false);
			text[1] = bxt_type_coordinate_name(m, a, true);
		}
		name(names, bxt_type_var_q(k) + a, text[0]);
		name(names, bxt_type_var_v(k) + a, text[1]);
	}
	name_multipliers(m, names);
	name(names, bxt_type_var_t(k), "t");
	return names->failed ? BXT_ERR_MEMORY : BXT_OK;
}

/* ---- Texts ---- */

/* The expression as text in the arena; NULL when memory ends, which the maker remembers. */
static const char *text_of(struct bxt_type_maker *m, struct names *names, bxt_ex f)
{
	char *text = bxt_ex_text(m->g, at_base(m, f), name_of, names);
	const char *copy = bxt_arena_strdup(m->arena, text);
	free(text);
	m->failed = m->failed || !copy;
	return copy;
}

static bxt_status allocate_text(struct bxt_type_maker *m, bxt_type_text *t)
{
	const char ***of_coordinate[] = {&t->coordinate, &t->flow,  &t->momentum, &t->dL_dq,
					 &t->dR_dv,      &t->force, &t->inertia,  &t->reaction};
	const char ***of_row[] = {&t->row, &t->multiplier};
	for (size_t i = 0; i < sizeof of_coordinate / sizeof *of_coordinate; i++)
		if (!(*of_coordinate[i] = BXT_NEW(m->arena, const char *, (size_t)m->k->nl)))
			return BXT_ERR_MEMORY;
	for (size_t i = 0; i < sizeof of_row / sizeof *of_row; i++)
		if (!(*of_row[i] = BXT_NEW(m->arena, const char *, (size_t)m->k->ml)))
			return BXT_ERR_MEMORY;
	t->massless = BXT_NEW(m->arena, bool, (size_t)m->k->nl);
	return t->massless ? BXT_OK : BXT_ERR_MEMORY;
}

/* Does f depend on that derivative of an expression-valued parameter? */
static bool has_derivative(struct bxt_type_maker *m, bxt_ex f, int which)
{
	for (int i = 0; i < m->c->n_parameters; i++)
		if (m->c->parameters[i].of && bxt_ex_depends(m->g, f, jet_variable(m->k, i, which)))
			return true;
	return false;
}

/* Clears t->affine unless the derivatives of f by coordinates and flows are constant. */
static void judge_affine(struct bxt_type_maker *m, bxt_type_text *t, bxt_ex f, bxt_ex *gradient)
{
	const int n = 2 * m->k->nl; /* coordinates, then flows */
	t->affine = t->affine && bxt_type_is_affine(m, at_base(m, f), bxt_type_var_q(m->k), n);
	bxt_type_gradient(m, f, bxt_type_var_q(m->k), n, gradient);
	for (int i = 0; i < n; i++) {
		const bxt_ex entry = at_base(m, gradient[i]);
		/* the slope of a law, which is no energy, is constant only for a straight line */
		if (bxt_type_classes(m, entry) & ~(uint32_t)ON_PARAMETER ||
		    has_derivative(m, entry, JET_FIRST))
			t->affine = false;
		if (has_derivative(m, entry, JET_SECOND))
			t->affine_if = true;
	}
}

static void write_facts(struct bxt_type_maker *m, bxt_type_text *t)
{
	const bxt_element_type *k = m->k;
	bxt_ex *gradient = malloc((2 * (size_t)k->nl + 1) * sizeof *gradient);
	m->failed = m->failed || !gradient;
	t->affine = true;
	for (int a = 0; gradient && a < k->nl; a++) {
		judge_affine(m, t, m->P[a], gradient);
		judge_affine(m, t, m->F[a], gradient);
		t->massless[a] = true;
		bxt_type_gradient(m, m->P[a], bxt_type_var_v(k), k->nl, gradient);
		for (int b = 0; b < k->nl; b++)
			t->massless[a] = t->massless[a] && bxt_type_is_zero(m, gradient[b]);
		t->explicit_time =
			t->explicit_time ||
			((bxt_type_classes(m, m->F[a]) | bxt_type_classes(m, m->P[a])) & ON_TIME);
	}
	for (int r = 0; gradient && r < k->ml; r++) {
		judge_affine(m, t, m->C[r], gradient);
		t->explicit_time = t->explicit_time || (bxt_type_classes(m, m->C[r]) & ON_TIME);
	}
	free(gradient);
	t->constant_rows = k->constant_rows;
	t->port_group = k->port_group;
}

static void write_texts(struct bxt_type_maker *m, struct names *names, bxt_type_text *t)
{
	const bxt_element_type *k = m->k;
	bxt_ex L = bxt_type_parse(m, m->c->lagrangian, "<lagrangian>", NULL);
	bxt_ex R = bxt_type_parse(m, m->c->rayleigh, "<rayleigh>", NULL);
	if (m->c->hamiltonian)
		bxt_type_hamiltonian_energies(m, &L, &R);
	t->lagrangian = text_of(m, names, L);
	t->rayleigh = text_of(m, names, R);
	t->energy = text_of(m, names, m->power.energy);
	t->dissipated = text_of(m, names, m->power.dissipated);
	t->supplied = text_of(m, names, m->power.supplied);
	t->prescribed = text_of(m, names, m->power.constraint);
	for (int a = 0; a < k->nl; a++) {
		bxt_ex dL_dq, dR_dv;
		bxt_type_gradient(m, L, bxt_type_var_q(k) + a, 1, &dL_dq);
		bxt_type_gradient(m, R, bxt_type_var_v(k) + a, 1, &dR_dv);
		t->coordinate[a] = names->of[bxt_type_var_q(k) + a];
		t->flow[a] = names->of[bxt_type_var_v(k) + a];
		t->dL_dq[a] = text_of(m, names, dL_dq);
		t->dR_dv[a] = text_of(m, names, dR_dv);
		t->momentum[a] = text_of(m, names, m->P[a]);
		t->has_term = m->k->has_term;
		t->force[a] = text_of(m, names, m->F[a]);
		t->reaction[a] = text_of(m, names, m->K[a]);
		t->inertia[a] = t->massless[a] ? text_of(m, names, m->D[a]) : NULL;
	}
	for (int r = 0; r < k->ml; r++) {
		t->row[r] = text_of(m, names, m->C[r]);
		t->multiplier[r] = names->of[bxt_type_var_lambda(k) + r];
	}
}

static bxt_status describe_type(struct bxt_type_maker *m, bxt_type_text *t)
{
	struct names names = {0};
	BXT_TRY(bxt_type_lay_out(m));
	expand_unknown(m);
	bxt_type_parse_lets(m);
	bxt_type_dynamics(m);
	BXT_TRY(bxt_type_rows(m));
	for (int i = 0; i < m->c->n_outputs; i++) /* no equations, but may have errors */
		bxt_type_output(m, i);
	if (m->failed || bxt_graph_failed(m->g))
		return BXT_ERR_MEMORY;
	if (m->errors)
		return BXT_ERR_MODEL;
	BXT_TRY(allocate_text(m, t));
	BXT_TRY(name_variables(m, &names));
	t->nl = m->k->nl;
	t->n_shared = m->k->n_shared;
	t->ml = m->k->ml;
	t->n_constraint = m->k->n_constraint;
	write_facts(m, t);
	write_texts(m, &names, t);
	return m->failed || bxt_graph_failed(m->g) ? BXT_ERR_MEMORY : BXT_OK;
}

bxt_status bxt_type_describe(bxt_arena *arena, const bxt_component *component,
			     const bxt_component *const *bound, bxt_diagnostics *d,
			     bxt_type_text **out)
{
	const bxt_type_def def = {.component = component, .bound = bound};
	struct bxt_type_maker m = {.arena = arena, .c = component, .def = &def, .d = d};
	bxt_type_text *t = BXT_NEW(arena, bxt_type_text, 1);
	m.k = BXT_NEW(arena, bxt_element_type, 1);
	m.g = bxt_graph_new();
	bxt_status status = t && m.k && m.g ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		m.k->component = component;
		m.k->key = component->name;
		status = describe_type(&m, t);
	}
	bxt_graph_free(m.g);
	*out = status == BXT_OK ? t : NULL;
	return status;
}
