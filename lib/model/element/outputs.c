/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The output sets of an element type: their outputs, hoisting of values that depend on parameters
 * alone, and the tapes. */
#include "model/element/element_internal.h"

#include "ground/expr/conditions.h"

#include <stdlib.h>
#include <string.h>

/* The outputs of all output sets in one list, so that common values are hoisted once. */
struct outputs {
	bxt_ex *f;
	bxt_entry *entries;
	int *set;
	size_t n, f_capacity, e_capacity, set_capacity;
	bool failed;
};

static void put_output(struct outputs *o, int set, bxt_term term, int row, int col, bxt_ex f)
{
	if (o->failed || BXT_GROW(o->f, o->f_capacity, o->n + 1) != BXT_OK ||
	    BXT_GROW(o->entries, o->e_capacity, o->n + 1) != BXT_OK ||
	    BXT_GROW(o->set, o->set_capacity, o->n + 1) != BXT_OK) {
		o->failed = true;
		return;
	}
	o->f[o->n] = f;
	o->entries[o->n] = (bxt_entry){term, row, col};
	o->set[o->n++] = set;
}

static void put_nonzero(struct bxt_type_maker *m, struct outputs *o, int set, bxt_term term,
			int row, bxt_ex f)
{
	if (!bxt_type_is_zero(m, f))
		put_output(o, set, term, row, -1, f);
}

/* The nonzero entries of the derivative of f[0..n) by n_var variables from `first` on. */
static void put_jacobian(struct bxt_type_maker *m, struct outputs *o, bxt_term term,
			 const bxt_ex *f, int n, int first, int n_var)
{
	const bool dynamics = term == BXT_PQ || term == BXT_PV || term == BXT_DQ ||
			      term == BXT_DV || term == BXT_FQ || term == BXT_FV;
	bxt_ex *grad = malloc(((size_t)n_var + 1) * sizeof *grad);
	if (!grad)
		o->failed = true;
	for (int r = 0; grad && r < n; r++) {
		double number;
		if (bxt_ex_is_const(m->g, f[r], &number))
			continue;
		bxt_type_gradient(m, f[r], first, n_var, grad);
		/* constant slopes do not imply affine if f jumps, as sign(q) does */
		m->k->affine = m->k->affine && bxt_type_is_affine(m, f[r], first, n_var);
		for (int c = 0; c < n_var; c++) {
			if (bxt_type_is_zero(m, grad[c]))
				continue;
			const bool constant =
				!(bxt_type_classes(m, grad[c]) & ~(uint32_t)ON_PARAMETER);
			if (!constant)
				m->k->affine = false;
			if (term == BXT_PV)
				m->k->massless[r] = false;
			put_output(o,
				   constant   ? BXT_SET_JAC_CONST
				   : dynamics ? BXT_SET_JAC_DYN
					      : BXT_SET_JAC_CON,
				   term, r, c, grad[c]);
		}
	}
	free(grad);
}

/* The momenta of a written L_d, and the slopes of those that a step solves for. */
static void list_discrete(struct bxt_type_maker *m, struct outputs *o, bool back)
{
	bxt_element_type *k = m->k;
	const int values = back ? BXT_SET_DISCRETE_BACK : BXT_SET_DISCRETE;
	bxt_ex *f = malloc(2 * (size_t)k->nl * sizeof *f + 1);
	bxt_ex *grad = malloc((size_t)k->nl * sizeof *grad + 1);
	o->failed = o->failed || !f || !grad;
	for (int a = 0; f && grad && a < k->nl; a++) {
		f[a] = back ? m->step.end[a] : m->step.start[a];
		f[k->nl + a] = back ? m->step.start[a] : m->step.end[a];
	}
	if (f && grad)
		bxt_type_other_end(m, f, 2 * k->nl, back);
	for (int i = 0; f && grad && i < 2 * k->nl; i++) {
		const bool other = i >= k->nl;
		const int a = i % k->nl;
		put_nonzero(m, o, values, other ? BXT_F : BXT_P, a, f[i]);
		bxt_type_gradient(m, f[i], bxt_type_var_v(k), k->nl, grad);
		for (int c = 0; c < k->nl; c++) {
			if (bxt_type_is_zero(m, grad[c]))
				continue;
			if (bxt_type_classes(m, grad[c]) & ~(uint32_t)(ON_PARAMETER | ON_STEP))
				k->affine = false;
			put_output(o, back ? BXT_SET_JAC_DISCRETE_BACK : BXT_SET_JAC_DISCRETE,
				   other ? BXT_FV : BXT_PV, a, c, grad[c]);
		}
	}
	free(f);
	free(grad);
}

/* f^- and f^+ of a written L_d, from one end of the step. */
static void list_discrete_forces(struct bxt_type_maker *m, struct outputs *o, bool back)
{
	const int set = back ? BXT_SET_DISCRETE_FORCE_BACK : BXT_SET_DISCRETE_FORCE;
	for (int a = 0; a < m->k->nl; a++) {
		bxt_ex f[2] = {m->step.force_start[a], m->step.force_end[a]};
		bxt_type_other_end(m, f, 2, back);
		put_nonzero(m, o, set, BXT_P, a, f[0]);
		put_nonzero(m, o, set, BXT_F, a, f[1]);
	}
}

/* A written L_d itself, and the slopes of its forces. */
static void list_discrete_slopes(struct bxt_type_maker *m, struct outputs *o)
{
	const int n = m->k->nl;
	bxt_ex L = m->step.action;
	bxt_ex *grad = malloc(2 * (size_t)n * sizeof *grad + 1);
	o->failed = o->failed || !grad;
	bxt_type_other_end(m, &L, 1, false);
	put_nonzero(m, o, BXT_SET_DISCRETE_ACTION, BXT_P, 0, L);
	for (int i = 0; i < 2 * n && grad; i++) {
		const bool end = i >= n;
		const bxt_ex f = end ? m->step.force_end[i - n] : m->step.force_start[i];
		bxt_type_gradient(m, f, bxt_type_var_q(m->k), 2 * n, grad); /* q@0, then q@1 */
		bxt_type_other_end(m, grad, 2 * n, false);
		for (int c = 0; c < 2 * n; c++) {
			const bxt_term by_start = end ? BXT_FQ : BXT_PQ,
				       by_end = end ? BXT_FV : BXT_PV;
			if (!bxt_type_is_zero(m, grad[c]))
				put_output(o, BXT_SET_JAC_DISCRETE_FORCE, c < n ? by_start : by_end,
					   i % n, c % n, grad[c]);
		}
	}
	free(grad);
}

/* Forces that do not come from L, with their slopes. */
static void list_external(struct bxt_type_maker *m, struct outputs *o)
{
	const int n = m->k->nl, first[2] = {bxt_type_var_q(m->k), bxt_type_var_v(m->k)};
	bxt_ex *grad = malloc(((size_t)n + 1) * sizeof *grad);
	o->failed = o->failed || !grad;
	for (int a = 0; grad && a < n; a++) {
		put_nonzero(m, o, BXT_SET_EXTERNAL, BXT_F, a, m->E[a]);
		for (int by_v = 0; by_v < 2; by_v++) {
			bxt_type_gradient(m, m->E[a], first[by_v], n, grad);
			for (int c = 0; c < n; c++)
				if (!bxt_type_is_zero(m, grad[c]))
					put_output(o, BXT_SET_JAC_EXTERNAL, by_v ? BXT_FV : BXT_FQ,
						   a, c, grad[c]);
		}
	}
	free(grad);
}

/* The values of switches, one after another. */
static void list_switches(struct bxt_type_maker *m, struct outputs *o)
{
	int value = 0;
	for (int i = 0; i < m->k->n_switches; i++) {
		const bxt_ex *list;
		m->k->switches[i].value = value;
		const int n = bxt_type_switch_values(m, i, &list);
		for (int j = 0; j < n; j++)
			put_output(o, BXT_SET_EVENT, BXT_P, value++, -1, list[j]);
	}
}

/* The partial derivatives by time of the expressions of a step. */
static void list_by_time(struct bxt_type_maker *m, struct outputs *o)
{
	const struct {
		const bxt_ex *f;
		int n, set;
		bxt_term term;
	} parts[] = {{m->P, m->k->nl, BXT_SET_DYNAMICS_BY_TIME, BXT_P},
		     {m->D, m->k->nl, BXT_SET_DYNAMICS_BY_TIME, BXT_D},
		     {m->F, m->k->nl, BXT_SET_DYNAMICS_BY_TIME, BXT_F},
		     {m->C, m->k->ml, BXT_SET_CONSTRAINT_BY_TIME, BXT_C},
		     {m->K, m->k->nl, BXT_SET_CONSTRAINT_BY_TIME, BXT_K}};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		for (int row = 0; row < parts[i].n; row++) {
			bxt_ex slope;
			bxt_type_gradient(m, parts[i].f[row], bxt_type_var_t(m->k), 1, &slope);
			put_nonzero(m, o, parts[i].set, parts[i].term, row, slope);
		}
}

static void list_outputs(struct bxt_type_maker *m, struct outputs *o)
{
	bxt_element_type *k = m->k;
	const int q = bxt_type_var_q(k), v = bxt_type_var_v(k), lambda = bxt_type_var_lambda(k);
	k->affine = true;
	for (int a = 0; a < k->nl; a++) {
		k->massless[a] = true;
		k->flows_alone[a] =
			!(bxt_type_classes(m, m->P[a]) & ~(uint32_t)(ON_PARAMETER | ON_V));
	}
	put_jacobian(m, o, BXT_PV, m->P, k->nl, v, k->nl);
	put_jacobian(m, o, BXT_PQ, m->P, k->nl, q, k->nl);
	put_jacobian(m, o, BXT_FQ, m->F, k->nl, q, k->nl);
	put_jacobian(m, o, BXT_FV, m->F, k->nl, v, k->nl);
	list_external(m, o);
	put_jacobian(m, o, BXT_CQ, m->C, k->ml, q, k->nl);
	put_jacobian(m, o, BXT_CV, m->C, k->ml, v, k->nl);
	put_jacobian(m, o, BXT_KQ, m->K, k->nl, q, k->nl);
	put_jacobian(m, o, BXT_KL, m->K, k->nl, lambda, k->ml);
	/* Only massless rows need D. Rows whose P depends on flows get D = 0, unless parameters
	 * alone can remove that dependence (an inductance of 0). */
	for (size_t i = 0; i < o->n && !o->failed; i++)
		if (o->entries[i].term == BXT_PV && o->set[i] == BXT_SET_JAC_DYN)
			m->D[o->entries[i].row] = bxt_ex_const(m->g, 0);
	put_jacobian(m, o, BXT_DQ, m->D, k->nl, q, k->nl);
	put_jacobian(m, o, BXT_DV, m->D, k->nl, v, k->nl);
	for (int a = 0; a < k->nl; a++) {
		put_nonzero(m, o, BXT_SET_DYNAMICS, BXT_P, a, m->P[a]);
		put_nonzero(m, o, BXT_SET_DYNAMICS, BXT_D, a, m->D[a]);
		put_nonzero(m, o, BXT_SET_DYNAMICS, BXT_F, a, m->F[a]);
		put_nonzero(m, o, BXT_SET_CONSTRAINT, BXT_K, a, m->K[a]);
		put_nonzero(m, o, BXT_SET_MOMENTUM, BXT_P, a, m->P[a]);
		put_nonzero(m, o, BXT_SET_REST, BXT_P, a, bxt_type_at_rest(m, m->P[a]));
		put_nonzero(m, o, BXT_SET_REST, BXT_D, a, bxt_type_at_rest(m, m->D[a]));
		put_nonzero(m, o, BXT_SET_REST, BXT_F, a, bxt_type_at_rest(m, m->F[a]));
	}
	for (int r = 0; r < k->ml; r++) {
		put_nonzero(m, o, BXT_SET_CONSTRAINT, BXT_C, r, m->C[r]);
		put_nonzero(m, o, BXT_SET_REST, BXT_C, r, bxt_type_at_rest(m, m->C[r]));
	}
	list_by_time(m, o);
	put_nonzero(m, o, BXT_SET_POWER, BXT_P, BXT_POWER_DISSIPATED, m->power.dissipated);
	put_nonzero(m, o, BXT_SET_POWER, BXT_P, BXT_POWER_SUPPLIED, m->power.supplied);
	put_nonzero(m, o, BXT_SET_POWER, BXT_P, BXT_POWER_CONSTRAINT, m->power.constraint);
	put_nonzero(m, o, BXT_SET_POWER, BXT_P, BXT_POWER_FRICTION, m->power.friction);
	put_nonzero(m, o, BXT_SET_POWER, BXT_P, BXT_POWER_OF_TIME, m->power.of_time);
	put_nonzero(m, o, BXT_SET_PORTS, BXT_P, BXT_PORTS_BALANCE, m->power.ports);
	put_nonzero(m, o, BXT_SET_PORTS, BXT_P, BXT_PORTS_FORCES, m->power.shared);
	put_nonzero(m, o, BXT_SET_PORTS, BXT_P, BXT_PORTS_IMPULSES, m->power.impulse_shared);
	for (int a = k->n_own; a < k->nl; a++)
		k->inertia_shared = k->inertia_shared || !k->massless[a];
	put_nonzero(m, o, BXT_SET_ENERGY, BXT_P, 0, m->power.energy);
	for (int r = 0; r < k->n_constraint; r++)
		put_nonzero(m, o, BXT_SET_POSITION, BXT_C, r, m->phi[r]);
	for (int back = 0; back < 2 && m->step.start; back++)
		list_discrete(m, o, back);
	for (int i = 0; i < m->n_resistance; i++)
		put_output(o, BXT_SET_RESISTANCE, BXT_FV, m->resistance[i].row,
			   m->resistance[i].col, m->resistance[i].f);
	for (int i = 0; i < m->c->sampled.n_updates; i++)
		for (int a = 0; a < k->n_own; a++)
			if (strcmp(m->c->coordinates[a].name, m->c->sampled.updates[i].of) == 0)
				put_output(o, BXT_SET_UPDATE, BXT_P, a, -1, m->update[i]);
	for (int i = 0; i < m->c->delayed.n_delays; i++)
		put_output(o, BXT_SET_DELAY, BXT_P, i, -1, m->delay[i]);
	for (int back = 0; back < 2 && m->step.start; back++)
		list_discrete_forces(m, o, back);
	if (m->step.start)
		list_discrete_slopes(m, o);
	for (int i = 0; m->c->sampled.plugin && i < m->c->sampled.plugin->n_reads; i++)
		put_output(o, BXT_SET_READ, BXT_P, i, -1, m->read[i]);
	list_switches(m, o);
	for (int i = 0; i < m->c->n_outputs; i++)
		put_output(o, BXT_SET_OUTPUT, BXT_P, i, -1, bxt_type_output(m, i));
}

/* Replaces expressions of parameters alone by hoisted variables, except in sets that run once. */
static bxt_status hoist(struct bxt_type_maker *m, struct outputs *o)
{
	bxt_element_type *k = m->k;
	const int n_var = bxt_type_var_hoisted(k);
	bool *allowed = calloc((size_t)n_var, sizeof *allowed);
	bxt_ex *loop = malloc((o->n + 1) * sizeof *loop), *hoisted = NULL;
	int n = 0;
	bxt_status status = allowed && loop ? BXT_OK : BXT_ERR_MEMORY;
	for (int v = 0; status == BXT_OK && v < n_var; v++)
		allowed[v] = m->class_of[v] == ON_PARAMETER;
	for (size_t i = 0; status == BXT_OK && i < o->n; i++)
		if (o->set[i] != BXT_SET_JAC_CONST)
			loop[n++] = o->f[i];
	if (status == BXT_OK)
		status = bxt_ex_hoist(m->g, loop, n, allowed, n_var, &hoisted, &k->n_hoisted);
	if (status == BXT_OK && k->n_hoisted > 0 &&
	    !(k->prelude = bxt_tape_compile(m->g, hoisted, k->n_hoisted)))
		status = BXT_ERR_MEMORY;
	n = 0;
	for (size_t i = 0; status == BXT_OK && i < o->n; i++)
		if (o->set[i] != BXT_SET_JAC_CONST)
			o->f[i] = loop[n++];
	free(allowed);
	free(loop);
	free(hoisted);
	return status;
}

/* Does a step evaluate the output set? The branches of all other sets are never held: their
 * operands select them. */
static bool is_dynamic(int set)
{
	return set == BXT_SET_DYNAMICS || set == BXT_SET_CONSTRAINT;
}

static bool has_held_branches(int set)
{
	switch (set) {
	case BXT_SET_DYNAMICS:
	case BXT_SET_CONSTRAINT:
	case BXT_SET_MOMENTUM:
	case BXT_SET_JAC_DYN:
	case BXT_SET_JAC_CON:
	case BXT_SET_POWER:
	case BXT_SET_PORTS:
	case BXT_SET_ENERGY:
	case BXT_SET_OUTPUT:
	case BXT_SET_EXTERNAL:
	case BXT_SET_JAC_EXTERNAL:
	case BXT_SET_RESISTANCE:
	case BXT_SET_DELAY:
	case BXT_SET_DYNAMICS_BY_TIME:
	case BXT_SET_CONSTRAINT_BY_TIME:
		return true;
	default:
		return false;
	}
}

/* The operands of conditions become an output set. */
static void put_conditions(struct bxt_type_maker *m, struct outputs *o, const bxt_ex *difference)
{
	uint32_t classes = 0;
	for (int k = 0; k < m->k->n_conditions; k++) {
		put_output(o, BXT_SET_CONDITION, BXT_P, k, -1, difference[k]);
		classes |= bxt_type_classes(m, difference[k]);
	}
	m->k->conditions_read_flows = (classes & (ON_V | ON_LAMBDA)) != 0;
}

/*
 * Do momenta have branches? If flows follow from momenta, there may be no flow for a held branch.
 */
static bxt_status has_branches_of_momenta(struct bxt_type_maker *m, bxt_condition_list list,
					  bool *out)
{
	const size_t n = (size_t)m->k->nl;
	bxt_ex *P = malloc((n + 1) * sizeof *P);
	if (!P)
		return BXT_ERR_MEMORY;
	memcpy(P, m->P, n * sizeof *P);
	const bxt_status status = bxt_ex_find_conditions(m->g, P, (int)n, (int)n, &list);
	*out = list.n > 0;
	free(list.difference);
	free(P);
	return status;
}

/* Adds offsets, which can hold branches, to the branches of the expressions of a step. */
static bxt_status find_conditions(struct bxt_type_maker *m, struct outputs *o)
{
	bxt_element_type *k = m->k;
	const int n_var = bxt_type_var_hoisted(k);
	bool *depends = calloc((size_t)n_var, sizeof *depends);
	bxt_condition_list list = {
		.depends = depends, .n_var = n_var, .first = bxt_type_var_condition(k)};
	size_t *of = malloc((o->n + 1) * sizeof *of);
	bxt_ex *f = malloc((o->n + 1) * sizeof *f);
	int n = 0, n_dynamic = 0;
	bxt_status status = depends && of && f ? BXT_OK : BXT_ERR_MEMORY;
	for (int v = 0; status == BXT_OK && v < n_var; v++)
		depends[v] = (m->class_of[v] & (ON_Q | ON_V | ON_LAMBDA)) != 0;
	bool of_momenta = false;
	if (status == BXT_OK)
		status = has_branches_of_momenta(m, list, &of_momenta);
	for (int pass = 0; pass < 2 && status == BXT_OK && !of_momenta; pass++) {
		for (size_t i = 0; i < o->n; i++)
			if (has_held_branches(o->set[i]) && is_dynamic(o->set[i]) == (pass == 0)) {
				of[n] = i;
				f[n++] = o->f[i];
			}
		n_dynamic = pass == 0 ? n : n_dynamic;
	}
	if (status == BXT_OK)
		status = bxt_ex_find_conditions(m->g, f, n, n_dynamic, &list);
	k->n_conditions = status == BXT_OK ? list.n : 0;
	for (int i = 0; i < n && status == BXT_OK; i++)
		o->f[of[i]] = f[i];
	if (status == BXT_OK)
		put_conditions(m, o, list.difference);
	free(depends);
	free(of);
	free(f);
	free(list.difference);
	return o->failed ? BXT_ERR_MEMORY : status;
}

static bxt_read read_of(const bxt_element_type *k, int v)
{
	if (v < bxt_type_var_q(k))
		return (bxt_read){v, BXT_FROM_BLOCK, v};
	if (v < bxt_type_var_v(k))
		return (bxt_read){v, BXT_FROM_Q, v - bxt_type_var_q(k)};
	if (v < bxt_type_var_t(k)) /* flows, then multipliers, as in x */
		return (bxt_read){v, BXT_FROM_X, v - bxt_type_var_v(k)};
	if (v == bxt_type_var_t(k))
		return (bxt_read){v, BXT_FROM_TIME, 0};
	if (v == bxt_type_var_h(k))
		return (bxt_read){v, BXT_FROM_STEP, 0};
	if (v >= bxt_type_var_condition(k))
		return (bxt_read){v, BXT_FROM_CONDITION, v - bxt_type_var_condition(k)};
	return (bxt_read){v, BXT_FROM_BLOCK, k->n_parameter + v - bxt_type_var_hoisted(k)};
}

static bxt_status list_reads(struct bxt_type_maker *m, bxt_output_set *set)
{
	const int n_var = bxt_type_n_var(m->k);
	set->reads = BXT_NEW(m->arena, bxt_read, (size_t)n_var);
	for (int v = 0; set->reads && v < n_var && set->tape; v++)
		if (bxt_tape_reads(set->tape, v))
			set->reads[set->n_reads++] = read_of(m->k, v);
	return set->reads ? BXT_OK : BXT_ERR_MEMORY;
}

static bxt_status make_sets(struct bxt_type_maker *m, const struct outputs *o)
{
	bxt_ex *f = malloc((o->n + 1) * sizeof *f);
	if (!f)
		return BXT_ERR_MEMORY;
	bxt_status status = BXT_OK;
	for (int id = 0; id < BXT_SET_COUNT && status == BXT_OK; id++) {
		bxt_output_set *set = &m->k->set[id];
		size_t n = 0;
		for (size_t i = 0; i < o->n; i++)
			n += o->set[i] == id;
		set->entries = BXT_NEW(m->arena, bxt_entry, n);
		if (!set->entries) {
			status = BXT_ERR_MEMORY;
			break;
		}
		for (size_t i = 0; i < o->n; i++)
			if (o->set[i] == id) {
				set->entries[set->n] = o->entries[i];
				f[set->n++] = o->f[i];
			}
		if (set->n > 0 && !(set->tape = bxt_tape_compile(m->g, f, set->n)))
			status = BXT_ERR_MEMORY;
		else
			status = list_reads(m, set);
	}
	free(f);
	return status;
}

/* Finds the coordinates that an output reads or acts on; others do not count as the type's. */
static bxt_status find_uses(struct bxt_type_maker *m)
{
	bxt_element_type *k = m->k;
	k->uses = BXT_NEW(m->arena, bool, (size_t)k->nl);
	for (int id = 0; k->uses && id < BXT_SET_COUNT; id++) {
		const bxt_output_set *set = &k->set[id];
		for (int i = 0; i < set->n_reads; i++) /* x: flows, then multipliers */
			if (set->reads[i].source == BXT_FROM_Q ||
			    (set->reads[i].source == BXT_FROM_X && set->reads[i].index < k->nl))
				k->uses[set->reads[i].index] = true;
		for (int i = 0; id <= BXT_SET_CONSTRAINT && i < set->n; i++)
			if (set->entries[i].term != BXT_C)
				k->uses[set->entries[i].row] = true;
	}
	return k->uses ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_type_make_sets(struct bxt_type_maker *m)
{
	struct outputs outputs = {0};
	list_outputs(m, &outputs);
	if (m->k->affine)
		bxt_type_judge_energy(m);
	bxt_status status = BXT_OK;
	if (outputs.failed || m->failed || bxt_graph_failed(m->g))
		status = BXT_ERR_MEMORY;
	else if (m->errors)
		status = BXT_ERR_MODEL;
	if (status == BXT_OK)
		status = hoist(m, &outputs);
	if (status == BXT_OK)
		status = find_conditions(m, &outputs);
	if (status == BXT_OK)
		status = make_sets(m, &outputs);
	if (status == BXT_OK)
		status = find_uses(m);
	free(outputs.f);
	free(outputs.entries);
	free(outputs.set);
	return status;
}
