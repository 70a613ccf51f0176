/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiles the jet of jet.h: e_1 = D_t P - F, e_{m+1} = D_t e_m, and their gradients. */
#include "model/element/jet.h"

#include <stdlib.h>
#include <string.h>

/*
 * Variables: those of the element type, [parameters][q][v][lambda][t][h], then
 * [y_2 ... y_P][lambda_1 ... lambda_{P-1}][first ... (P-1)-th derivatives of parameters].
 */
struct maker {
	bxt_arena *arena;
	const bxt_element_type *k;
	bxt_type_jet *rates;
	bxt_graph *g;
	bxt_ex *e;  /* (P)(nl) e_m, [0] unused */
	int *vars;  /* (n) variables that depend on time */
	int *rate;  /* (n) the variable that is the time derivative of vars; -1: vars is t,
		       derivative 1 */
	bxt_ex *df; /* (n) scratch */
	int n;
};

static int var_y(const struct maker *m, int order, int a)
{
	const bxt_element_type *k = m->k;
	return order == 0   ? bxt_type_var_q(k) + a
	       : order == 1 ? bxt_type_var_v(k) + a
			    : bxt_type_var_hoisted(k) + (order - 2) * k->nl + a;
}

static int var_lambda(const struct maker *m, int order, int a)
{
	return var_y(m, m->rates->degree + order, a);
}

static int var_signal(const struct maker *m, int order, int parameter)
{
	return var_lambda(m, m->rates->degree, 0) + (order - 1) * m->k->component->n_parameters +
	       parameter;
}

static void depends(struct maker *m, int variable, int rate)
{
	m->vars[m->n] = variable;
	m->rate[m->n++] = rate;
}

/* Lists the variables that D_t differentiates by. */
static bxt_status list_times(struct maker *m)
{
	const bxt_component *c = m->k->component;
	const int degree = m->rates->degree;
	const size_t n = (size_t)degree * (size_t)(m->k->nl + c->n_parameters) + 1;
	m->vars = BXT_NEW(m->arena, int, n);
	m->rate = BXT_NEW(m->arena, int, n);
	m->df = BXT_NEW(m->arena, bxt_ex, n);
	m->e = BXT_NEW(m->arena, bxt_ex, (size_t)degree * (size_t)m->k->nl);
	if (!m->vars || !m->rate || !m->df || !m->e)
		return BXT_ERR_MEMORY;
	depends(m, bxt_type_var_t(m->k), -1);
	for (int order = 0; order < degree; order++)
		for (int a = 0; a < m->k->nl; a++)
			depends(m, var_y(m, order, a), var_y(m, order + 1, a));
	for (int i = 0; i < c->n_parameters; i++)
		for (int order = 0; order < degree - 1 && c->parameters[i].time; order++)
			depends(m, order ? var_signal(m, order, i) : bxt_type_parameter(c, i),
				var_signal(m, order + 1, i));
	return BXT_OK;
}

/* D_t f */
static bxt_ex rate_of(struct maker *m, bxt_ex f)
{
	bxt_ex sum = bxt_ex_const(m->g, 0);
	bxt_ex_gradient(m->g, f, m->vars, m->n, m->df);
	for (int i = 0; i < m->n; i++) {
		const bxt_ex rate =
			m->rate[i] < 0 ? bxt_ex_const(m->g, 1) : bxt_ex_var(m->g, m->rate[i]);
		sum = bxt_ex_add(m->g, sum, bxt_ex_mul(m->g, m->df[i], rate));
	}
	return sum;
}

static void differentiate(struct maker *m)
{
	const int nl = m->k->nl;
	for (int order = 1; order < m->rates->degree; order++)
		for (int a = 0; a < nl; a++) {
			const bxt_ex from = order > 1 ? m->e[(order - 1) * nl + a] : 0;
			m->e[order * nl + a] =
				order > 1 ? rate_of(m, from)
					  : bxt_ex_sub(m->g, rate_of(m, m->k->formulas.momentum[a]),
						       m->k->formulas.force[a]);
		}
}

static bxt_rate_read read_of(const struct maker *m, int v)
{
	const bxt_element_type *k = m->k;
	const int nl = k->nl, degree = m->rates->degree;
	if (v < bxt_type_var_q(k))
		return (bxt_rate_read){v, BXT_RATE_OF_BLOCK, 0, v};
	if (v < bxt_type_var_lambda(k)) /* q, then v */
		return (bxt_rate_read){v, BXT_RATE_OF_MOTION, (v - bxt_type_var_q(k)) / nl,
				       (v - bxt_type_var_q(k)) % nl};
	if (v < bxt_type_var_hoisted(k)) /* P and F contain neither multipliers nor the step */
		return (bxt_rate_read){v, BXT_RATE_OF_TIME, 0, 0};
	if (v < var_signal(m, 1, 0)) {
		const int at = v - bxt_type_var_hoisted(k), order = at / nl + 2;
		const bool motion = order <= degree;
		return (bxt_rate_read){v, motion ? BXT_RATE_OF_MOTION : BXT_RATE_OF_ADJOINT,
				       motion ? order : order - degree, at % nl};
	}
	const int at = v - var_signal(m, 1, 0), n = k->component->n_parameters;
	return (bxt_rate_read){v, BXT_RATE_OF_SIGNAL, at / n + 1, at % n};
}

/* f[i] is the output by y_{first + i / nl} of coordinate i % nl. */
static bxt_status make_set(struct maker *m, bxt_ex *f, int n, int first, bxt_jet_set *set)
{
	const int nl = m->k->nl, n_var = m->rates->n_var;
	set->order = BXT_NEW(m->arena, int, (size_t)n);
	set->row = BXT_NEW(m->arena, int, (size_t)n);
	set->reads = BXT_NEW(m->arena, bxt_rate_read, (size_t)n_var);
	if (!set->order || !set->row || !set->reads)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < n; i++) {
		double value;
		if (bxt_ex_is_const(m->g, f[i], &value) && value == 0)
			continue;
		set->order[set->n] = first + i / nl;
		set->row[set->n] = i % nl;
		f[set->n++] = f[i];
	}
	if (bxt_graph_failed(m->g))
		return BXT_ERR_MEMORY;
	if (set->n == 0)
		return BXT_OK;
	if (!(set->tape = bxt_tape_compile(m->g, f, set->n)))
		return BXT_ERR_MEMORY;
	for (int v = 0; v < n_var; v++)
		if (bxt_tape_reads(set->tape, v))
			set->reads[set->n_reads++] = read_of(m, v);
	return BXT_OK;
}

static bxt_status make_rest(struct maker *m, int order, int *vars, bxt_ex *f)
{
	const int nl = m->k->nl;
	for (int a = 0; a < nl; a++) {
		vars[a] = var_y(m, order + 1, a);
		f[nl + a] = bxt_ex_const(m->g, 0);
	}
	memcpy(f, m->e + order * nl, (size_t)nl * sizeof *f);
	bxt_ex_substitute(m->g, f, nl, vars, f + nl, nl);
	return make_set(m, f, nl, 0, &m->rates->rest[order]);
}

static bxt_status make_adjoint(struct maker *m, int order, int *vars, bxt_ex *f)
{
	const int nl = m->k->nl, first = order > 1 ? order : 0, n = (order - first + 1) * nl;
	bxt_ex sum = bxt_ex_const(m->g, 0);
	for (int i = order; i < m->rates->degree; i++)
		for (int a = 0; a < nl; a++)
			sum = bxt_ex_add(m->g, sum,
					 bxt_ex_mul(m->g, bxt_ex_var(m->g, var_lambda(m, i, a)),
						    m->e[i * nl + a]));
	for (int i = 0; i < n; i++)
		vars[i] = var_y(m, first + i / nl, i % nl);
	bxt_ex_gradient(m->g, sum, vars, n, f);
	return make_set(m, f, n, first, &m->rates->adjoint[order]);
}

static bxt_status make_jet(struct maker *m)
{
	const bxt_element_type *k = m->k;
	const size_t nl = (size_t)k->nl;
	BXT_TRY(list_times(m));
	m->rates->n_var = var_signal(m, m->rates->degree, 0);
	bxt_ex *f = BXT_NEW(m->arena, bxt_ex, 2 * nl);
	int *vars = BXT_NEW(m->arena, int, 2 * nl);
	if (!f || !vars)
		return BXT_ERR_MEMORY;
	differentiate(m);
	for (int order = 1; order < m->rates->degree; order++) {
		BXT_TRY(make_rest(m, order, vars, f));
		BXT_TRY(make_adjoint(m, order, vars, f));
	}
	return BXT_OK;
}

/* Copies P and F to the maker's graph, so that the element type's graph stays unchanged. */
static bxt_status copy_motion(struct maker *m, bxt_element_type *copy)
{
	const size_t n = 2 * (size_t)m->k->nl;
	*copy = *m->k;
	copy->formulas.momentum = BXT_NEW(m->arena, bxt_ex, n);
	if (!copy->formulas.momentum || !m->g)
		return BXT_ERR_MEMORY;
	copy->formulas.force = copy->formulas.momentum + m->k->nl;
	memcpy(copy->formulas.momentum, m->k->formulas.momentum,
	       n * sizeof *copy->formulas.momentum);
	m->k = copy;
	return bxt_ex_copy(m->g, copy->formulas.graph, copy->formulas.momentum, (int)n);
}

bxt_status bxt_type_jet_new(bxt_arena *arena, const bxt_element_type *type, int degree,
			    bxt_type_jet **out)
{
	bxt_element_type copy;
	bxt_type_jet *rates = *out = BXT_NEW(arena, bxt_type_jet, 1);
	if (!rates)
		return BXT_ERR_MEMORY;
	*rates = (bxt_type_jet){.type = type, .degree = degree};
	struct maker m = {.arena = arena, .k = type, .rates = rates, .g = bxt_graph_new()};
	bxt_status status = copy_motion(&m, &copy);
	if (status == BXT_OK)
		status = make_jet(&m);
	bxt_graph_free(m.g);
	return status;
}

void bxt_type_jet_release(bxt_type_jet *rates)
{
	for (int i = 0; rates && i < BXT_MAX_DEGREE; i++) {
		rates->rest[i].tape = bxt_tape_free(rates->rest[i].tape);
		rates->adjoint[i].tape = bxt_tape_free(rates->adjoint[i].tape);
	}
}
