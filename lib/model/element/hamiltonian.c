/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The port-Hamiltonian part of an element type (component/component.h has its definition and
 * sources). With integrals s of the efforts, s' = e,
 *
 *     L = -s.E x' - H(x)         E^T e = dH/dx          Euler-Lagrange equation of x
 *     Rayleigh function e.R e/2  E x' = -R e + ...      of s, massless as that of x
 *     two-form J: f_s = J e      E x' = J e + ...
 *     input u = l at a port of flow B^T e:  E x' = B l + ...,  or u = w', a coordinate's flow, with
 *     the two-form f_s = B w', f_w = -B^T e: y = B^T e is the effort at its port
 *
 * so that x and s are massless coordinates, and the energy v.dL/dv - L is H. Along a direction n of
 * states with E n = 0 on which H does not depend, E^T e = dH/dx is 0 = 0: the efforts are
 * unknowns that E x' = ... determines, and 0 = n.x' keeps the states along n constant.
 */
#include "ground/base/tolerances.h"
#include "ground/sparse/sparse.h"
#include "model/element/element_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Entries ---- */

/* Does f contain flows? With `signals`: flows other than signals. */
static bool has_flows(struct bxt_type_maker *m, bxt_ex f, bool signals)
{
	const bxt_element_type *k = m->k;
	if (!(bxt_type_classes(m, f) & (ON_V | ON_LAMBDA)))
		return false;
	for (int a = 0; a < k->nl; a++) {
		const bool signal = a < k->n_own && bxt_role_is_signal(m->c->coordinates[a].role);
		if (!(signals && signal) && bxt_ex_depends(m->g, f, bxt_type_var_v(k) + a))
			return true;
	}
	return false;
}

/*
 * Entry k of a matrix, in coordinates and parameters; 0 with a finding when it contains flows.
 * Signals are allowed in J and B. They are not in R, whose potential would be differentiated by
 * them.
 */
static bxt_ex entry_of(struct bxt_type_maker *m, const bxt_matrix *matrix, int k, const char *what)
{
	const bool signals = strcmp(what, "<structure>") == 0 || strcmp(what, "<input>") == 0;
	const bxt_matrix_entry *e = &matrix->entry[k];
	if (!e->written.text)
		return bxt_ex_const(m->g, e->number);
	const bxt_ex f = bxt_type_parse(m, e->written, what, NULL);
	if (has_flows(m, f, signals)) {
		bxt_error(m->d, e->written.place,
			  "component '%s', %s: entry (%d,%d) contains flows; a matrix depends on "
			  "states and parameters, J and B also on signals",
			  m->c->name, what, e->row + 1, e->col + 1);
		m->errors++;
		return bxt_ex_const(m->g, 0);
	}
	return f;
}

/*
 * Is `sum` zero? If its expression is not 0, values at scattered points decide: a nonzero function
 * is nonzero at almost all of them.
 */
static bool vanishes(struct bxt_type_maker *m, bxt_ex sum, bxt_ex one, bxt_ex other)
{
	enum { POINTS = 8 };
	const int n = bxt_type_var_hoisted(m->k);
	double value, *at;
	if (bxt_ex_is_const(m->g, sum, &value)) {
		double size = 0; /* numbers in a file may differ in the last digit */
		return value == 0 || (bxt_ex_is_const(m->g, one, &size) &&
				      fabs(value) <= BXT_SAME_EXPRESSION * fabs(size));
	}
	if (!(at = calloc((size_t)n + 1, sizeof *at))) {
		m->failed = true;
		return true;
	}
	bool zero = true;
	int looked = 0;
	for (int i = 0; i < POINTS && zero; i++) {
		const double around = i % 2 ? 0.1 : 10; /* two scales: f may not be finite at one */
		for (int k = 0; k < n; k++)
			at[k] = around *
				(0.1 + fabs(sin((double)(7 * i + 1) * (1 + 0.37 * (double)k))));
		const double value_there = bxt_ex_value(m->g, sum, at);
		const double size =
			fabs(bxt_ex_value(m->g, one, at)) + fabs(bxt_ex_value(m->g, other, at));
		if (!isfinite(value_there) || !isfinite(size))
			continue;
		looked++;
		zero = fabs(value_there) <= BXT_SAME_EXPRESSION * size;
	}
	zero = zero && looked > 0;
	free(at);
	return zero;
}

/* A matrix on the graph: n entries, sorted by rows. */
struct entries {
	int n;
	struct entry {
		int row, col, index; /* index: of the entry as written */
		bxt_ex f;
	} * of;
};

static int by_place(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->col != y->col)
		return x->col < y->col ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Reads a matrix. Entries at the same row and column are added, since files may contain them. */
static bool read_entries(struct bxt_type_maker *m, const bxt_matrix *matrix, const char *what,
			 struct entries *out)
{
	*out = (struct entries){.of = malloc(((size_t)matrix->n + 1) * sizeof *out->of)};
	if (!out->of) {
		m->failed = true;
		return false;
	}
	for (int k = 0; k < matrix->n; k++)
		out->of[k] = (struct entry){matrix->entry[k].row, matrix->entry[k].col, k,
					    entry_of(m, matrix, k, what)};
	qsort(out->of, (size_t)matrix->n, sizeof *out->of, by_place);
	for (int k = 0; k < matrix->n; k++) {
		struct entry *last = out->n > 0 ? &out->of[out->n - 1] : NULL;
		if (last && last->row == out->of[k].row && last->col == out->of[k].col)
			last->f = bxt_ex_add(m->g, last->f, out->of[k].f);
		else
			out->of[out->n++] = out->of[k];
	}
	return true;
}

static const struct entry *find_entry(const struct entries *all, int row, int col)
{
	int low = 0, high = all->n;
	while (low < high) {
		const int middle = (low + high) / 2;
		const struct entry *e = &all->of[middle];
		if (e->row < row || (e->row == row && e->col < col))
			low = middle + 1;
		else
			high = middle;
	}
	return low < all->n && all->of[low].row == row && all->of[low].col == col ? &all->of[low]
										  : NULL;
}

/* The name of a variable in a component's texts. */
static const char *name_of(void *maker, int variable)
{
	struct bxt_type_maker *m = maker;
	const bxt_element_type *k = m->k;
	if (variable < bxt_type_var_q(k)) {
		for (int i = 0; i < m->c->n_parameters; i++)
			if (bxt_type_parameter(m->c, i) == variable)
				return m->c->parameters[i].name;
		return "?";
	}
	if (variable >= bxt_type_var_v(k))
		return "t";
	const int a = variable - bxt_type_var_q(k);
	const char *name =
		a < k->n_own ? m->c->coordinates[a].name : bxt_type_coordinate_name(m, a, false);
	return name ? name : "?";
}

/* Reports the entries that violate M = sign M^T. */
static void check_transpose(struct bxt_type_maker *m, const struct entries *all, bxt_place place,
			    const char *what, int sign)
{
	enum { MAX_SHOWN = 4 };
	int shown = 0;
	for (int k = 0; k < all->n && shown < MAX_SHOWN; k++) {
		const struct entry *e = &all->of[k], *t = find_entry(all, e->col, e->row);
		const bxt_ex other = t ? t->f : bxt_ex_const(m->g, 0),
			     signed_one = sign > 0 ? other : bxt_ex_neg(m->g, other);
		if (t && t < e)
			continue; /* already checked */
		if (vanishes(m, bxt_ex_sub(m->g, e->f, signed_one), e->f, other))
			continue;
		char *one = bxt_ex_text(m->g, e->f, name_of, m),
		     *two = bxt_ex_text(m->g, other, name_of, m);
		if (e->row == e->col)
			bxt_error(m->d, place,
				  "component '%s', %s: entry (%d,%d) is %s: on the diagonal of a "
				  "skew matrix is 0",
				  m->c->name, what, e->row + 1, e->col + 1, one ? one : "?");
		else
			bxt_error(m->d, place,
				  "component '%s', %s: entry (%d,%d) is %s and (%d,%d) is %s: %s",
				  m->c->name, what, e->row + 1, e->col + 1, one ? one : "?",
				  e->col + 1, e->row + 1, two ? two : "?",
				  sign > 0 ? "not equal, and the matrix must be symmetric"
					   : "not opposite, so that power would be created");
		free(one);
		free(two);
		m->errors++;
		shown++;
	}
}

/* ---- Contributions to the equations ---- */

/* The two-form: F_a += f v_b, F_b -= f v_a. */
static void add_two_form(struct bxt_type_maker *m, int a, int b, bxt_ex f)
{
	bxt_graph *g = m->g;
	const bxt_ex on_a = bxt_ex_mul(g, f, bxt_type_v(m, b)),
		     on_b = bxt_ex_mul(g, f, bxt_type_v(m, a));
	m->F[a] = bxt_ex_add(g, m->F[a], on_a);
	m->E[a] = bxt_ex_add(g, m->E[a], on_a);
	m->F[b] = bxt_ex_sub(g, m->F[b], on_b);
	m->E[b] = bxt_ex_sub(g, m->E[b], on_b);
}

/* Keeps entries of R or D for the check of passivity. */
static void keep_resistance(struct bxt_type_maker *m, int row, int col, bxt_ex f)
{
	const bxt_hamiltonian *h = m->c->hamiltonian;
	if (!m->resistance)
		m->resistance =
			BXT_NEW(m->arena, struct bxt_resistance, (size_t)h->r.n + (size_t)h->d.n);
	if (m->resistance)
		m->resistance[m->n_resistance++] = (struct bxt_resistance){row, col, f};
	else
		m->failed = true;
}

/* Adds a skew matrix over the coordinates at[row] and at[col], from its upper triangle. */
static void add_skew(struct bxt_type_maker *m, const struct entries *all, const int *at)
{
	for (int k = 0; k < all->n; k++) {
		const struct entry *e = &all->of[k];
		if (e->row < e->col)
			add_two_form(m, at[e->row], at[e->col], e->f);
	}
}

/* v.M v / 2 */
static bxt_ex quadratic(struct bxt_type_maker *m, const struct entries *all, const int *at,
			bxt_ex (*of)(struct bxt_type_maker *, int))
{
	bxt_ex sum = bxt_ex_const(m->g, 0);
	for (int k = 0; k < all->n; k++) {
		const struct entry *e = &all->of[k];
		const bxt_ex both = bxt_ex_mul(m->g, of(m, at[e->row]), of(m, at[e->col]));
		const double half = 0.5;
		sum = bxt_ex_add(
			m->g, sum,
			bxt_ex_mul(m->g, bxt_ex_const(m->g, half), bxt_ex_mul(m->g, e->f, both)));
	}
	return sum;
}

/* The local coordinate whose flow is the input; -1: the input is a multiplier or a signal. */
static int flow_of_input(struct bxt_type_maker *m, const bxt_input *in)
{
	if (in->coordinate >= 0)
		return in->coordinate;
	if (in->shared && in->kind == BXT_INPUT_FLOW)
		return bxt_type_find_coordinate(m, in->shared, in->place, "<input>");
	return -1;
}

/* -s.E x' */
static bxt_ex pairing(struct bxt_type_maker *m, const bxt_hamiltonian *h)
{
	bxt_graph *g = m->g;
	bxt_ex sum = bxt_ex_const(g, 0);
	struct entries e;
	for (int i = 0; i < h->n && !h->e.entry; i++)
		sum = bxt_ex_sub(g, sum,
				 bxt_ex_mul(g, bxt_type_q(m, h->first_effort + i),
					    bxt_type_v(m, h->first_state + i)));
	if (!h->e.entry || !read_entries(m, &h->e, "<descriptor>", &e))
		return sum;
	for (int k = 0; k < e.n; k++) {
		if (bxt_type_classes(m, e.of[k].f) & (ON_Q | ON_TIME)) {
			bxt_error(m->d, h->e.place,
				  "component '%s', <descriptor>: entry (%d,%d) is not constant",
				  m->c->name, e.of[k].row + 1, e.of[k].col + 1);
			m->errors++;
		}
		sum = bxt_ex_sub(
			g, sum,
			bxt_ex_mul(g, e.of[k].f,
				   bxt_ex_mul(g, bxt_type_q(m, h->first_effort + e.of[k].row),
					      bxt_type_v(m, h->first_state + e.of[k].col))));
	}
	free(e.of);
	return sum;
}

/* L += -s.E x' - H, L += s_u y' for inputs with feed-through, R += e.R e / 2 */
void bxt_type_hamiltonian_energies(struct bxt_type_maker *m, bxt_ex *L, bxt_ex *R)
{
	const bxt_hamiltonian *h = m->c->hamiltonian;
	bxt_graph *g = m->g;
	struct entries all;
	int *at = malloc(((size_t)h->n + 1) * sizeof *at);
	m->n_resistance = 0;
	if (!at) {
		m->failed = true;
		return;
	}
	bxt_ex H = h->energy.text ? bxt_type_parse(m, h->energy, "<hamiltonian>", NULL)
				  : bxt_ex_const(g, 0);
	for (int i = 0; i < h->n; i++)
		at[i] = h->first_state + i;
	if (h->q.entry && read_entries(m, &h->q, "<energy>", &all)) {
		check_transpose(m, &all, h->q.place, "<energy>", 1);
		H = bxt_ex_add(g, H, quadratic(m, &all, at, bxt_type_q));
		free(all.of);
	}
	if (bxt_type_classes(m, H) & ON_V) {
		bxt_error(m->d, h->place,
			  "component '%s': <hamiltonian> contains flows; H depends on states and "
			  "parameters",
			  m->c->name);
		m->errors++;
	}
	*L = bxt_ex_add(g, *L, bxt_ex_sub(g, pairing(m, h), H));
	for (int i = 0; i < h->n; i++)
		at[i] = h->first_effort + i;
	if (h->r.entry && read_entries(m, &h->r, "<dissipation>", &all)) {
		check_transpose(m, &all, h->r.place, "<dissipation>", 1);
		*R = bxt_ex_add(g, *R, quadratic(m, &all, at, bxt_type_v));
		for (int k = 0; k < all.n; k++)
			keep_resistance(m, at[all.of[k].row], at[all.of[k].col], all.of[k].f);
		free(all.of);
	}
	for (int k = 0; k < h->n_inputs; k++)
		if (h->inputs[k].output >= 0)
			*L = bxt_ex_add(g, *L,
					bxt_ex_mul(g, bxt_type_q(m, h->inputs[k].coordinate),
						   bxt_type_v(m, h->inputs[k].output)));
	free(at);
}

/* f_s = B u and f_w = -B^T e */
static void add_input(struct bxt_type_maker *m, const bxt_hamiltonian *h, const bxt_input *in)
{
	bxt_graph *g = m->g;
	const int w = flow_of_input(m, in);
	for (int k = 0; k < in->b.n; k++) {
		const int s = h->first_effort + in->b.entry[k].row;
		const bxt_ex b = entry_of(m, &in->b, k, "<input>");
		if (in->kind == BXT_INPUT_SIGNAL) {
			const bxt_written signal = {in->name, in->place};
			const bxt_ex f =
				bxt_ex_mul(g, b, bxt_type_parse(m, signal, "<input>", NULL));
			m->F[s] = bxt_ex_add(g, m->F[s], f);
			m->E[s] = bxt_ex_add(g, m->E[s], f);
			m->power.supplied = bxt_ex_add(g, m->power.supplied,
						       bxt_ex_mul(g, f, bxt_type_v(m, s)));
		} else if (w >= 0) {
			add_two_form(m, s, w, b);
		}
	}
}

/* F_w -= D u, y = ... + D u. u.D u is dissipated; the skew part of D has no power. */
static void add_feedthrough(struct bxt_type_maker *m, const bxt_hamiltonian *h)
{
	bxt_graph *g = m->g;
	struct entries d;
	if (!h->d.entry || !read_entries(m, &h->d, "<feedthrough>", &d))
		return;
	for (int k = 0; k < d.n; k++) {
		const struct entry *e = &d.of[k];
		const int a = flow_of_input(m, &h->inputs[e->row]),
			  b = flow_of_input(m, &h->inputs[e->col]);
		if (a < 0 || b < 0) {
			bxt_error(m->d, h->d.place,
				  "component '%s', <feedthrough>: entry (%d,%d) is between inputs "
				  "of which one has no output: '%s' is a signal",
				  m->c->name, e->row + 1, e->col + 1,
				  h->inputs[a < 0 ? e->row : e->col].name);
			m->errors++;
			continue;
		}
		const bxt_ex f = bxt_ex_mul(g, e->f, bxt_type_v(m, b));
		m->F[a] = bxt_ex_sub(g, m->F[a], f);
		m->E[a] = bxt_ex_sub(g, m->E[a], f);
		m->power.dissipated =
			bxt_ex_add(g, m->power.dissipated, bxt_ex_mul(g, f, bxt_type_v(m, a)));
		keep_resistance(m, a, b, e->f);
		m->k->dissipative = true;
	}
	free(d.of);
}

/* ---- States without energy ---- */

/* The rows E and Q, one above the other. */
static bxt_status rows_of_states(struct bxt_type_maker *m, const bxt_hamiltonian *h,
				 bxt_sparse *out)
{
	static const double GENERIC = 0.6180339887498949; /* of entries that depend on parameters */
	const bxt_matrix *const of[] = {&h->e, &h->q};
	bxt_triplets t = {0};
	bxt_status status = BXT_OK;
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < of[k]->n && status == BXT_OK; i++)
			status = bxt_triplets_add(&t, k * h->n + of[k]->entry[i].row,
						  of[k]->entry[i].col);
	int *slot = status == BXT_OK ? BXT_NEW(m->arena, int, t.count + 1) : NULL;
	if (!slot)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_sparse_pattern(m->arena, &t, 2 * h->n, h->n, out, slot);
	size_t at = 0;
	for (int k = 0; k < 2 && status == BXT_OK; k++)
		for (int i = 0; i < of[k]->n; i++) {
			double value = GENERIC + i;
			const bxt_ex f = entry_of(m, of[k], i, k ? "<energy>" : "<descriptor>");
			bxt_ex_is_const(m->g, f, &value);
			out->values[slot[at++]] += value;
		}
	bxt_triplets_free(&t);
	return status;
}

/* sum_i n_i f(i) over column c of n */
static bxt_ex along(struct bxt_type_maker *m, const bxt_sparse *n, int c, const bxt_ex *f)
{
	bxt_ex sum = bxt_ex_const(m->g, 0);
	for (int k = n->colptr[c]; k < n->colptr[c + 1]; k++)
		sum = bxt_ex_add(
			m->g, sum,
			bxt_ex_mul(m->g, bxt_ex_const(m->g, n->values[k]), f[n->rowind[k]]));
	return sum;
}

/* 0 = n (n.x') for each direction n of states without energy. */
static bxt_status hold_idle_states(struct bxt_type_maker *m, const bxt_hamiltonian *h)
{
	enum { MOST = 2000 }; /* states; larger systems are discretised fields */
	bxt_sparse rows, n;
	if (!h->e.entry || h->n > MOST || m->errors)
		return BXT_OK;
	bxt_ex *slope = BXT_NEW(m->arena, bxt_ex, (size_t)h->n);
	bxt_ex *flow = BXT_NEW(m->arena, bxt_ex, (size_t)h->n);
	if (!slope || !flow)
		return BXT_ERR_MEMORY;
	BXT_TRY(rows_of_states(m, h, &rows));
	BXT_TRY(bxt_sparse_null_space(m->arena, &rows, BXT_DEPENDENT, &n));
	const bxt_ex H = h->energy.text ? bxt_type_parse(m, h->energy, "<hamiltonian>", NULL)
					: bxt_ex_const(m->g, 0);
	bxt_type_gradient(m, H, bxt_type_var_q(m->k) + h->first_state, h->n, slope);
	for (int i = 0; i < h->n; i++)
		flow[i] = bxt_type_v(m, h->first_state + i);
	for (int c = 0; c < n.ncol; c++) {
		const bxt_ex change = along(m, &n, c, slope), sum = along(m, &n, c, flow);
		if (!vanishes(m, change, slope[n.rowind[n.colptr[c]]],
			      slope[n.rowind[n.colptr[c + 1] - 1]]))
			continue;
		for (int k = n.colptr[c]; k < n.colptr[c + 1]; k++) {
			const int a = h->first_state + n.rowind[k];
			const bxt_ex part = bxt_ex_mul(m->g, bxt_ex_const(m->g, n.values[k]), sum);
			m->F[a] = bxt_ex_sub(m->g, m->F[a], part);
			m->E[a] = bxt_ex_sub(m->g, m->E[a], part);
		}
	}
	return BXT_OK;
}

/* Adds the two-forms of J, B and D and the signals; call it after P, D and F of L and R. */
void bxt_type_hamiltonian_forces(struct bxt_type_maker *m)
{
	const bxt_hamiltonian *h = m->c->hamiltonian;
	struct entries j;
	int *at = malloc(((size_t)h->n + 1) * sizeof *at);
	if (!at) {
		m->failed = true;
		return;
	}
	for (int i = 0; i < h->n; i++)
		at[i] = h->first_effort + i;
	if (h->j.entry && read_entries(m, &h->j, "<structure>", &j)) {
		check_transpose(m, &j, h->j.place, "<structure>", -1);
		add_skew(m, &j, at);
		free(j.of);
	}
	for (int k = 0; k < h->n_inputs; k++)
		add_input(m, h, &h->inputs[k]);
	add_feedthrough(m, h);
	const bxt_status status = hold_idle_states(m, h);
	m->failed = m->failed || status == BXT_ERR_MEMORY;
	free(at);
}

/* y_k = B^T e, the flow into the port; with feed-through the flow of its own coordinate. */
bxt_ex bxt_type_output_flow(struct bxt_type_maker *m, int k)
{
	const bxt_hamiltonian *h = m->c->hamiltonian;
	const bxt_input *in = &h->inputs[k];
	bxt_ex sum = bxt_ex_const(m->g, 0);
	if (in->output >= 0)
		return bxt_type_v(m, in->output);
	if (in->kind == BXT_INPUT_FLOW)
		return bxt_type_v(m, in->coordinate);
	for (int i = 0; i < in->b.n; i++)
		sum = bxt_ex_add(m->g, sum,
				 bxt_ex_mul(m->g, entry_of(m, &in->b, i, "<input>"),
					    bxt_type_v(m, h->first_effort + in->b.entry[i].row)));
	return sum;
}

/* The row v - B^T e = 0 of a shared port whose velocity is an output. */
bxt_ex bxt_type_input_row(struct bxt_type_maker *m, int k)
{
	const bxt_input *in = &m->c->hamiltonian->inputs[k];
	const int a = bxt_type_find_coordinate(m, in->shared, in->place, "<input>");
	const bxt_ex y = bxt_type_output_flow(m, k);
	return a < 0 ? y : bxt_ex_sub(m->g, y, bxt_type_v(m, a));
}
