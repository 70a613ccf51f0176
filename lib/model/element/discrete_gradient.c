/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiles the equations of discrete_gradient.h: F = -g + (J^T - J) v - dP/dt + E and C, K, P. */
#include "model/element/discrete_gradient.h"

#include <stdlib.h>
#include <string.h>

/* Terms of F: -g, E, (J^T - J) v - dP/dt. They are separate, so that the size of the terms of each
 * row is known. */
enum { POTENTIAL, EXTERNAL, SKEW, PARTS };

/* Variables: [parameters][q_0][v][lambda][t][h] as in the element type, then [v_0]. */
struct maker {
	bxt_arena *arena;
	const bxt_element_type *k;
	const bxt_discrete_gradient *which;
	bxt_type_gradient *out;
	bxt_graph *g;
	int nl, ml;
	int *q;                                               /* (nl) variables */
	int *vars;                                            /* (nl + ml + 1) scratch */
	bxt_ex *end;                                          /* (nl) q_0 + h v */
	bxt_ex *middle;                                       /* (nl) q_0 + h v/2 */
	bxt_ex *momentum, *external, *rows, *phi, *potential; /* the element type's, in g */
	bxt_ex *M;                                            /* (nl, nl) */
	bxt_ex *P, *F, *C, *K, *to;                           /* (nl, nl, ml, nl, nl) */
	bxt_ex *part[PARTS];                                  /* (nl each) F is their sum */
	bxt_ex *A;                                            /* (ml, nl) dC/dv */
	bxt_ex *rest;                                         /* (ml) C at rest */
	bxt_ex *slope;                                        /* (nl + ml) scratch */
};

static bxt_ex number(struct maker *m, double value)
{
	return bxt_ex_const(m->g, value);
}

static bxt_ex v(struct maker *m, int a)
{
	return bxt_ex_var(m->g, bxt_type_var_v(m->k) + a);
}

static int var_before(const struct maker *m, int a)
{
	return bxt_type_var_hoisted(m->k) + a;
}

static bxt_ex v0(struct maker *m, int a)
{
	return bxt_ex_var(m->g, var_before(m, a));
}

static bxt_ex add_product(struct maker *m, bxt_ex sum, bxt_ex a, bxt_ex b)
{
	return bxt_ex_add(m->g, sum, bxt_ex_mul(m->g, a, b));
}

static bxt_ex halved(struct maker *m, bxt_ex f)
{
	return bxt_ex_mul(m->g, number(m, 0.5), f);
}

/* f with q_0 replaced. */
static bxt_ex at(struct maker *m, bxt_ex f, const bxt_ex *q)
{
	bxt_ex_substitute(m->g, &f, 1, m->q, q, m->nl);
	return f;
}

static void gradient(struct maker *m, bxt_ex f, int first, int n, bxt_ex *out)
{
	for (int i = 0; i < n; i++)
		m->vars[i] = first + i;
	bxt_ex_gradient(m->g, f, m->vars, n, out);
}

static bool depends_on(struct maker *m, bxt_ex f, int first, int n)
{
	for (int i = 0; i < n; i++)
		if (bxt_ex_depends(m->g, f, first + i))
			return true;
	return false;
}

/* Does f depend on t, or on a parameter that may depend on time in a netlist? */
static bool depends_on_time(struct maker *m, bxt_ex f)
{
	const bxt_component *c = m->k->component;
	for (int i = 0; i < c->n_parameters; i++)
		if (c->parameters[i].time && bxt_ex_depends(m->g, f, bxt_type_parameter(c, i)))
			return true;
	return bxt_ex_depends(m->g, f, bxt_type_var_t(m->k));
}

/* ---- Making ---- */

/* Copies the element type's expressions into a new graph, and forms M = dP/dv. */
static bxt_status start(struct maker *m)
{
	const bxt_element_type *k = m->k;
	const size_t nl = (size_t)(m->nl = k->nl), ml = (size_t)(m->ml = k->ml);
	const size_t n =
		3 * nl + ml + (size_t)k->n_constraint + 1; /* as element_type.c keeps them */
	m->g = bxt_graph_new();
	m->q = BXT_NEW(m->arena, int, nl);
	m->vars = BXT_NEW(m->arena, int, nl + ml + 1);
	m->end = BXT_NEW(m->arena, bxt_ex, 2 * nl);
	m->momentum = BXT_NEW(m->arena, bxt_ex, n);
	m->M = BXT_NEW(m->arena, bxt_ex, nl * nl);
	m->P = BXT_NEW(m->arena, bxt_ex, (4 + PARTS) * nl + 2 * ml);
	m->A = BXT_NEW(m->arena, bxt_ex, nl * ml);
	m->slope = BXT_NEW(m->arena, bxt_ex, nl + ml);
	if (!m->g || !m->q || !m->vars || !m->end || !m->momentum || !m->M || !m->P || !m->A ||
	    !m->slope)
		return BXT_ERR_MEMORY;
	m->middle = m->end + nl;
	m->F = m->P + nl;
	m->K = m->F + nl;
	m->to = m->K + nl;
	for (size_t i = 0; i < PARTS; i++)
		m->part[i] = m->to + (i + 1) * nl;
	m->C = m->to + (PARTS + 1) * nl;
	m->rest = m->C + ml;
	memcpy(m->momentum, k->formulas.momentum, n * sizeof *m->momentum);
	BXT_TRY(bxt_ex_copy(m->g, k->formulas.graph, m->momentum, (int)n));
	m->external = m->momentum + (k->formulas.external - k->formulas.momentum);
	m->rows = m->momentum + (k->formulas.rows - k->formulas.momentum);
	m->phi = m->momentum + (k->formulas.phi - k->formulas.momentum);
	m->potential = m->momentum + (k->formulas.potential - k->formulas.momentum);
	const bxt_ex h = bxt_ex_var(m->g, bxt_type_var_h(k));
	for (int a = 0; a < k->nl; a++) {
		const bxt_ex q = bxt_ex_var(m->g, m->q[a] = bxt_type_var_q(k) + a),
			     hv = bxt_ex_mul(m->g, h, v(m, a));
		m->end[a] = bxt_ex_add(m->g, q, hv);
		m->middle[a] = bxt_ex_add(m->g, q, halved(m, hv));
		gradient(m, m->momentum[a], bxt_type_var_v(k), m->nl, m->M + (size_t)a * nl);
	}
	return BXT_OK;
}

/* P, the momentum at the end, and the part of (T(.,v_0) + T(.,v_1))/2 that depends on q, as a
 * function of q. */
static void inertia(struct maker *m, bxt_ex *kinetic)
{
	*kinetic = number(m, 0);
	for (int a = 0; a < m->nl; a++) {
		m->P[a] = m->to[a] = number(m, 0);
		for (int b = 0; b < m->nl; b++) {
			const bxt_ex M0 = m->M[a * m->nl + b], M1 = at(m, M0, m->end);
			const bxt_ex twice = bxt_ex_mul(m->g, number(m, 2), v(m, b));
			if (M0 == M1) {
				m->P[a] = add_product(m, m->P[a], M0, v(m, b));
				m->to[a] = add_product(m, m->to[a], M0, twice);
				continue;
			}
			const bxt_ex va1 = bxt_ex_sub(m->g, bxt_ex_mul(m->g, number(m, 2), v(m, a)),
						      v0(m, a)),
				     vb1 = bxt_ex_sub(m->g, twice, v0(m, b));
			m->out->varies = true;
			/* Mbar v - (M1 - M0) v_0/2 */
			m->P[a] = add_product(m, m->P[a], halved(m, bxt_ex_add(m->g, M0, M1)),
					      v(m, b));
			m->P[a] = add_product(m, m->P[a], halved(m, bxt_ex_sub(m->g, M0, M1)),
					      v0(m, b));
			m->to[a] = add_product(m, m->to[a], M1, vb1);
			m->to[a] = add_product(m, m->to[a], M0, v0(m, b));
			/* (T(.,v_0) + T(.,v_1))/2 */
			const bxt_ex pairs = bxt_ex_add(m->g, bxt_ex_mul(m->g, v0(m, a), v0(m, b)),
							bxt_ex_mul(m->g, va1, vb1));
			*kinetic = add_product(m, *kinetic,
					       bxt_ex_mul(m->g, number(m, 0.25), pairs), M0);
		}
	}
}

/* dP_a/dt in the middle: by t, and by parameters through their rates. */
static bxt_ex time_rate(struct maker *m, int a)
{
	const bxt_component *c = m->k->component;
	bxt_ex sum, slope;
	gradient(m, m->momentum[a], bxt_type_var_t(m->k), 1, &sum);
	for (int i = 0; i < c->n_parameters; i++) {
		if (!c->parameters[i].time)
			continue;
		gradient(m, m->momentum[a], bxt_type_parameter(c, i), 1, &slope);
		sum = add_product(m, sum, slope, bxt_ex_var(m->g, bxt_type_rate(c, i)));
	}
	return at(m, sum, m->middle);
}

/* F = -g + (J^T - J) v - dP/dt + E */
static void forces(struct maker *m, bxt_ex kinetic)
{
	bxt_graph *g = m->g;
	bxt_ex **part = m->part;
	m->which->of(g, bxt_ex_add(g, *m->potential, kinetic), m->q, m->end, m->nl,
		     part[POTENTIAL]);
	for (int a = 0; a < m->nl; a++) {
		part[POTENTIAL][a] = bxt_ex_neg(g, part[POTENTIAL][a]);
		part[EXTERNAL][a] = at(m, m->external[a], m->middle);
		part[SKEW][a] = bxt_ex_neg(g, time_rate(m, a));
	}
	for (int a = 0; a < m->nl; a++) {
		gradient(m, m->momentum[a], m->q[0], m->nl, m->slope);
		for (int b = 0; b < m->nl; b++) {
			const bxt_ex J = at(m, m->slope[b], m->middle);
			if (a == b) /* the diagonal of J^T - J is 0 */
				continue;
			part[SKEW][b] = add_product(m, part[SKEW][b], J, v(m, a));
			part[SKEW][a] = bxt_ex_sub(g, part[SKEW][a], bxt_ex_mul(g, J, v(m, b)));
		}
	}
	for (int a = 0; a < m->nl; a++)
		m->F[a] = bxt_ex_add(g, part[POTENTIAL][a],
				     bxt_ex_add(g, part[EXTERNAL][a], part[SKEW][a]));
}

/* The row at rest in the middle: -b; dphi/dt for position constraints. */
static bxt_ex at_rest(struct maker *m, bxt_ex row)
{
	for (int i = 0; i < m->nl + m->ml; i++) { /* flows, then multipliers */
		m->vars[i] = bxt_type_var_v(m->k) + i;
		m->slope[i] = number(m, 0);
	}
	bxt_ex_substitute(m->g, &row, 1, m->vars, m->slope, m->nl + m->ml);
	return at(m, row, m->middle);
}

/* C, and K = (dC/dv)^T lambda */
static void rows(struct maker *m)
{
	const bxt_element_type *k = m->k;
	for (int a = 0; a < m->nl; a++)
		m->K[a] = number(m, 0);
	for (int r = 0; r < m->ml; r++) {
		const bool position = r < k->n_constraint && k->component->constraints[r].position;
		const bxt_ex lambda = bxt_ex_var(m->g, bxt_type_var_lambda(k) + r);
		m->C[r] = m->rest[r] = at_rest(m, m->rows[r]);
		if (position)
			m->which->of(m->g, m->phi[r], m->q, m->end, m->nl, m->slope);
		else
			gradient(m, m->rows[r], bxt_type_var_v(k), m->nl, m->slope);
		for (int a = 0; a < m->nl; a++) {
			const bxt_ex slope = position ? m->slope[a] : at(m, m->slope[a], m->middle);
			m->A[r * m->nl + a] = slope;
			m->C[r] = add_product(m, m->C[r], slope, v(m, a));
			m->K[a] = add_product(m, m->K[a], slope, lambda);
		}
	}
}

/* ---- Output sets ---- */

/* The outputs of an output set while they are listed. */
struct list {
	struct maker *m;
	bxt_ex *f;
	bxt_entry *entries;
	size_t n, c_f, c_entries;
	bool failed;
};

static void put_entry(struct list *l, bxt_term term, int row, int col, bxt_ex f)
{
	double value;
	if (bxt_ex_is_const(l->m->g, f, &value) && value == 0)
		return;
	if (l->failed || BXT_GROW(l->f, l->c_f, l->n + 1) != BXT_OK ||
	    BXT_GROW(l->entries, l->c_entries, l->n + 1) != BXT_OK) {
		l->failed = true;
		return;
	}
	l->f[l->n] = f;
	l->entries[l->n++] = (bxt_entry){term, row, col};
}

/* P; then F, C and K, term by term. */
static void put_values(struct list *l)
{
	struct maker *m = l->m;
	for (int a = 0; a < m->nl; a++) {
		put_entry(l, BXT_P, a, -1, m->P[a]);
		for (int i = 0; i < PARTS; i++)
			put_entry(l, BXT_F, a, -1, m->part[i][a]);
	}
	for (int r = 0; r < m->ml; r++) {
		const bxt_ex lambda = bxt_ex_var(m->g, bxt_type_var_lambda(m->k) + r);
		put_entry(l, BXT_C, r, -1, m->rest[r]);
		for (int a = 0; a < m->nl; a++) {
			const bxt_ex slope = m->A[r * m->nl + a];
			put_entry(l, BXT_C, r, -1, bxt_ex_mul(m->g, slope, v(m, a)));
			put_entry(l, BXT_K, a, -1, bxt_ex_mul(m->g, slope, lambda));
		}
	}
}

static void put_slopes_of(struct list *l, bxt_term term, const bxt_ex *f, int n, int first,
			  int n_var)
{
	struct maker *m = l->m;
	for (int r = 0; r < n; r++) {
		gradient(m, f[r], first, n_var, m->slope);
		for (int c = 0; c < n_var; c++)
			put_entry(l, term, r, c, m->slope[c]);
	}
}

static void put_slopes(struct list *l)
{
	struct maker *m = l->m;
	const int by_v = bxt_type_var_v(m->k), by_lambda = bxt_type_var_lambda(m->k);
	put_slopes_of(l, BXT_PV, m->P, m->nl, by_v, m->nl);
	put_slopes_of(l, BXT_FV, m->F, m->nl, by_v, m->nl);
	put_slopes_of(l, BXT_CV, m->C, m->ml, by_v, m->nl);
	put_slopes_of(l, BXT_KQ, m->K, m->nl, by_v, m->nl);
	put_slopes_of(l, BXT_KL, m->K, m->nl, by_lambda, m->ml);
}

static void put_end(struct list *l)
{
	for (int a = 0; a < l->m->nl; a++)
		put_entry(l, BXT_P, a, -1, l->m->to[a]);
}

static void put_ports(struct list *l)
{
	struct maker *m = l->m;
	const bxt_element_type *k = m->k;
	bxt_ex balance = number(m, 0), force = number(m, 0), impulse = number(m, 0);
	for (int r = k->n_constraint; r < m->ml; r++)
		balance = add_product(m, balance, bxt_ex_var(m->g, bxt_type_var_lambda(k) + r),
				      m->C[r]);
	for (int a = k->n_own; a < m->nl; a++) {
		force = bxt_ex_sub(m->g, force, bxt_ex_mul(m->g, v(m, a), m->F[a]));
		impulse = bxt_ex_sub(m->g, impulse, bxt_ex_mul(m->g, v(m, a), m->K[a]));
	}
	put_entry(l, BXT_P, BXT_PORTS_BALANCE, -1, balance);
	put_entry(l, BXT_P, BXT_PORTS_FORCES, -1, force);
	put_entry(l, BXT_P, BXT_PORTS_IMPULSES, -1, impulse);
}

static bxt_gradient_read read_of(const struct maker *m, int variable)
{
	const bxt_element_type *k = m->k;
	if (variable < bxt_type_var_q(k))
		return (bxt_gradient_read){variable, BXT_GRADIENT_OF_BLOCK, variable};
	if (variable < bxt_type_var_v(k))
		return (bxt_gradient_read){variable, BXT_GRADIENT_OF_START,
					   variable - bxt_type_var_q(k)};
	if (variable < bxt_type_var_t(k)) /* flows, then multipliers, as in x */
		return (bxt_gradient_read){variable, BXT_GRADIENT_OF_X,
					   variable - bxt_type_var_v(k)};
	if (variable >= bxt_type_var_hoisted(k))
		return (bxt_gradient_read){variable, BXT_GRADIENT_OF_BEFORE,
					   variable - bxt_type_var_hoisted(k)};
	return (bxt_gradient_read){
		variable,
		variable == bxt_type_var_t(k) ? BXT_GRADIENT_OF_TIME : BXT_GRADIENT_OF_STEP, 0};
}

static bxt_status make_set(struct maker *m, void (*list)(struct list *), bxt_gradient_set *out)
{
	struct list l = {.m = m};
	const int n_var = m->out->n_var;
	list(&l);
	bxt_output_set *set = &out->set;
	set->entries = BXT_NEW(m->arena, bxt_entry, l.n);
	out->reads = BXT_NEW(m->arena, bxt_gradient_read, (size_t)n_var);
	bxt_status status = l.failed || bxt_graph_failed(m->g) || !set->entries || !out->reads
				    ? BXT_ERR_MEMORY
				    : BXT_OK;
	if (status == BXT_OK && l.n > 0) {
		set->n = (int)l.n;
		memcpy(set->entries, l.entries, l.n * sizeof *l.entries);
		set->tape = bxt_tape_compile(m->g, l.f, set->n);
		if (!set->tape)
			status = BXT_ERR_MEMORY;
	}
	for (int i = 0; status == BXT_OK && set->tape && i < n_var; i++)
		if (bxt_tape_reads(set->tape, i))
			out->reads[set->n_reads++] = read_of(m, i);
	free(l.f);
	free(l.entries);
	return status;
}

static bxt_status make_gradient(struct maker *m)
{
	bxt_gradient_set *set = m->out->set;
	bxt_ex kinetic;
	BXT_TRY(start(m));
	inertia(m, &kinetic);
	forces(m, kinetic);
	rows(m);
	BXT_TRY(make_set(m, put_values, &set[BXT_GRADIENT_VALUES]));
	BXT_TRY(make_set(m, put_slopes, &set[BXT_GRADIENT_SLOPES]));
	BXT_TRY(make_set(m, put_end, &set[BXT_GRADIENT_END]));
	return make_set(m, put_ports, &set[BXT_GRADIENT_PORTS]);
}

bxt_status bxt_type_gradient_new(bxt_arena *arena, const bxt_element_type *type,
				 const bxt_discrete_gradient *which, bxt_type_gradient **out)
{
	struct maker m = {.arena = arena, .k = type, .which = which};
	m.out = *out = BXT_NEW(arena, bxt_type_gradient, 1);
	if (!m.out)
		return BXT_ERR_MEMORY;
	m.out->type = type;
	m.out->n_var = bxt_type_var_hoisted(type) + type->nl;
	const bxt_status status = make_gradient(&m);
	bxt_graph_free(m.g);
	return status;
}

void bxt_type_gradient_release(bxt_type_gradient *gradient)
{
	for (int i = 0; gradient && i < BXT_GRADIENT_SETS; i++)
		gradient->set[i].set.tape = bxt_tape_free(gradient->set[i].set.tape);
}

/* ---- Refusal ---- */

static bxt_gradient_refusal find_refusal(struct maker *m)
{
	for (int i = 0; i < m->nl * m->nl; i++) {
		if (depends_on(m, m->M[i], bxt_type_var_v(m->k), m->nl))
			return BXT_GRADIENT_NOT_QUADRATIC;
		if (depends_on_time(m, m->M[i]))
			return BXT_GRADIENT_IN_TIME;
	}
	return BXT_GRADIENT_POSSIBLE;
}

bxt_status bxt_type_gradient_refusal(const bxt_element_type *type, bxt_gradient_refusal *out)
{
	struct maker m = {.arena = bxt_arena_new(), .k = type};
	bxt_status status = m.arena ? start(&m) : BXT_ERR_MEMORY;
	*out = BXT_GRADIENT_POSSIBLE;
	if (status == BXT_OK && m.nl > 0)
		*out = find_refusal(&m);
	if (status == BXT_OK && bxt_graph_failed(m.g))
		status = BXT_ERR_MEMORY;
	bxt_graph_free(m.g);
	bxt_arena_free(m.arena);
	return status;
}
