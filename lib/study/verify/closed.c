/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The structures of port-Hamiltonian parts, numerically (Barbero-Linan et al., Proposition 7.1).
 * On pairs of flows f = E x' and efforts e, with the pairing <<(f,e),(f',e')>> = e.f' + e'.f,
 *
 *     D     = {(J e + B u, e)}             open ports: coisotropic, D^perp in D
 *     D^(c) = {(J e + B u, e) : B^T e = 0} closed ports: a Dirac structure, D^(c) = its ^perp
 *
 * D^perp in D holds if and only if D^perp is isotropic. D^(c) is Dirac if it is isotropic and its
 * dimension is that of the states. J and B are the slopes of the equations that are stepped: J - R,
 * and the columns of inputs that are flows, are slopes of the forces on the efforts' coordinates.
 * The columns of inputs that are efforts are slopes of their multipliers. R is computed from its
 * own tape. Signals are not ports here.
 *
 * The states that closed ports allow, phi = B^T e = 0 with e = dH, form a coisotropic submanifold
 * where all brackets {phi_a, phi_b} = dphi_a J dphi_b vanish: these ports are of the first class,
 * and a closed system does not determine their inputs. If the matrix of brackets is regular they
 * are of the second class. The check reports this for parts with E = 1, with dphi by differences.
 */
#include "study/verify/verify_internal.h"

#include <math.h>
#include <string.h>

struct structures {
	const bxt_system *s;
	int *first;  /* (elements) its first state in the list of all, -1: it has none */
	int *inputs; /* (elements) its first input there */
	int n, m;    /* states, inputs */
	int *x;      /* (n) x index of each effort's integral, */
	int *state;  /* (n) of each state */
	bxt_entries j, b;
	bxt_status status;
	bool resistance; /* entries of R are being added */
};

static const bxt_hamiltonian *part_of(const bxt_group *group)
{
	return group->type->component->hamiltonian;
}

/* The index of a local coordinate among the efforts; -1: it belongs to no effort. */
static int effort_of(const bxt_hamiltonian *h, int coordinate)
{
	const int i = coordinate - h->first_effort;
	return i >= 0 && i < h->n ? i : -1;
}

static bool is_state(const bxt_hamiltonian *h, int coordinate)
{
	return coordinate >= h->first_state && coordinate < h->first_state + h->n;
}

/* Is it the flow of a signal, which has no effort? */
static bool is_signal(const bxt_element_type *type, int coordinate)
{
	if (coordinate >= type->n_own)
		return false;
	const bxt_role role = type->component->coordinates[coordinate].role;
	return bxt_role_is_signal(role);
}

/* Inputs are the local coordinates and multipliers of an element. Most have no effect on it. */
static int count_inputs(const bxt_element_type *type)
{
	return type->nl + type->ml;
}

static bxt_status stack(struct structures *p, bxt_arena *arena)
{
	const bxt_system *s = p->s;
	const size_t elements = s->net->n_elements;
	p->first = BXT_NEW(arena, int, elements);
	p->inputs = BXT_NEW(arena, int, elements);
	if (!p->first || !p->inputs)
		return BXT_ERR_MEMORY;
	for (int round = 0; round < 2; round++) {
		p->n = p->m = 0;
		for (int g = 0; g < s->n_groups; g++) {
			const bxt_group *group = &s->groups[g];
			const bxt_hamiltonian *h = part_of(group);
			for (int i = 0; h && i < group->count; i++) {
				p->first[group->element[i]] = p->n;
				p->inputs[group->element[i]] = p->m;
				for (int k = 0; k < h->n && round == 1; k++) {
					p->x[p->n + k] = group->at[h->first_effort + k][i];
					p->state[p->n + k] = group->at[h->first_state + k][i];
				}
				p->n += h->n;
				p->m += count_inputs(group->type);
			}
		}
		if (round == 0 && (!(p->x = BXT_NEW(arena, int, (size_t)p->n)) ||
				   !(p->state = BXT_NEW(arena, int, (size_t)p->n))))
			return BXT_ERR_MEMORY;
	}
	return BXT_OK;
}

static void collect_structure(void *context, const bxt_group *group, int first, int count,
			      const bxt_output_set *set, const double *const *in,
			      const double *work)
{
	struct structures *p = context;
	const bxt_hamiltonian *h = part_of(group);
	for (int k = 0; k < set->n && h; k++) {
		const bxt_entry e = set->entries[k];
		const int row = effort_of(h, e.row);
		const bool by_flow = e.term == BXT_FV;
		if (row < 0 || (!by_flow && e.term != BXT_KL))
			continue;
		const int col = by_flow ? effort_of(h, e.col) : -1;
		/* E; slopes by signals */
		if (by_flow && (is_state(h, e.col) || is_signal(group->type, e.col)))
			continue;
		const double *lane = bxt_tape_result(set->tape, k, in, work);
		for (int i = 0; i < count && p->status == BXT_OK; i++) {
			const int element = group->element[first + i];
			const int input = (by_flow ? e.col : group->type->nl + e.col);
			if (lane[i] == 0 || (p->resistance && col < 0))
				continue;
			p->status = col >= 0 ? bxt_entries_add(&p->j, p->first[element] + row,
							       p->first[element] + col, lane[i])
					     : bxt_entries_add(&p->b, p->first[element] + row,
							       p->inputs[element] + input, lane[i]);
		}
	}
}

static void evaluate_structures(bxt_verifier *v, struct structures *p, bxt_point at)
{
	static const bxt_output_set_id sets[] = {BXT_SET_JAC_CONST, BXT_SET_JAC_DYN,
						 BXT_SET_JAC_CON, BXT_SET_RESISTANCE};
	bxt_evaluator_set_time(v->e, at.t);
	for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
		p->resistance = sets[k] == BXT_SET_RESISTANCE;
		bxt_evaluate_blocks(v->e, sets[k], at, collect_structure, p);
	}
}

/* (Sigma X)^T of X = [flows; efforts], Sigma the pairing: Sigma X = [efforts; flows]. */
static bxt_status paired(bxt_arena *arena, const bxt_sparse *x, bxt_sparse *out)
{
	const int n = x->nrow / 2;
	bxt_entries e = {0};
	bxt_status status = BXT_OK;
	for (int c = 0; c < x->ncol; c++)
		for (int k = x->colptr[c]; k < x->colptr[c + 1] && status == BXT_OK; k++)
			status = bxt_entries_add(&e, c, (x->rowind[k] + n) % (2 * n), x->values[k]);
	if (status == BXT_OK)
		status = bxt_entries_matrix(arena, &e, x->ncol, x->nrow, out);
	bxt_entries_free(&e);
	return status;
}

/* [J N, B; N, 0]; N NULL: 1 */
static bxt_status pairs(bxt_arena *arena, const bxt_sparse *j, const bxt_sparse *b,
			const bxt_sparse *n, bxt_sparse *out)
{
	bxt_sparse jn = *j;
	bxt_entries e = {0};
	const int size = j->nrow, columns = n ? n->ncol : size;
	bxt_status status = n ? bxt_sparse_product(arena, j, n, &jn) : BXT_OK;
	if (status == BXT_OK)
		status = bxt_entries_add_matrix(&e, &jn, 0, 0, false);
	if (status == BXT_OK && n)
		status = bxt_entries_add_matrix(&e, n, size, 0, false);
	for (int i = 0; i < size && status == BXT_OK && !n; i++)
		status = bxt_entries_add(&e, size + i, i, 1);
	if (status == BXT_OK)
		status = bxt_entries_add_matrix(&e, b, 0, columns, false);
	if (status == BXT_OK)
		status = bxt_entries_matrix(arena, &e, 2 * size, columns + b->ncol, out);
	bxt_entries_free(&e);
	return status;
}

/*
 * Is a set of pairs, the columns of x, isotropic? *at: the state with the largest error, -1: none.
 */
static bxt_status isotropy(bxt_arena *arena, const bxt_sparse *x, double *worst, int *at)
{
	bxt_sparse rows;
	int row, col;
	double most = 0;
	BXT_TRY(paired(arena, x, &rows));
	BXT_TRY(bxt_sparse_miss(&rows, x, worst, &row, &col));
	*at = -1;
	for (int k = col < 0 ? 0 : x->colptr[col]; col >= 0 && k < x->colptr[col + 1]; k++)
		if (x->rowind[k] >= x->nrow / 2 && fabs(x->values[k]) > most) {
			most = fabs(x->values[k]);
			*at = x->rowind[k] - x->nrow / 2;
		}
	return BXT_OK;
}

static void report_closed(bxt_verifier *v, const struct structures *p, bxt_check check,
			  double worst, int at, const char *words)
{
	bxt_buffer name = {0};
	const bool told = at >= 0 && !(worst <= bxt_checks_tolerance(&v->checks, check));
	bxt_checks_add(&v->checks, check, worst, BXT_NOWHERE, "%s%s%s", words,
		       told ? "; the worst is " : "",
		       told ? bxt_system_x_name(v->s, p->x[at], &name) : "");
	bxt_checks_release(&v->checks, &name);
}

static bxt_status check_open(bxt_verifier *v, const struct structures *p, bxt_arena *arena,
			     const bxt_sparse *j, const bxt_sparse *b)
{
	bxt_sparse open, rows, perp;
	bxt_buffer words = {0};
	double worst;
	int at;
	BXT_TRY(pairs(arena, j, b, NULL, &open));
	BXT_TRY(paired(arena, &open, &rows));
	BXT_TRY(bxt_sparse_null_space(arena, &rows, BXT_VERIFY_DEPENDENT, &perp));
	BXT_TRY(isotropy(arena, &perp, &worst, &at));
	bxt_buffer_printf(&words, "D of dimension %d, D^perp of dimension %d in it",
			  2 * p->n - perp.ncol, perp.ncol);
	report_closed(v, p, BXT_CHECK_OPEN_PORTS, worst, at, words.text ? words.text : "");
	bxt_checks_release(&v->checks, &words);
	return BXT_OK;
}

static bxt_status check_closed(bxt_verifier *v, const struct structures *p, bxt_arena *arena,
			       const bxt_sparse *j, const bxt_sparse *b)
{
	bxt_sparse transposed, n, closed, idle;
	bxt_entries e = {0};
	bxt_buffer words = {0};
	double worst;
	int at;
	bxt_status status = bxt_entries_add_matrix(&e, b, 0, 0, true);
	if (status == BXT_OK)
		status = bxt_entries_matrix(arena, &e, b->ncol, b->nrow, &transposed);
	bxt_entries_free(&e);
	BXT_TRY(status);
	BXT_TRY(bxt_sparse_null_space(arena, &transposed, BXT_VERIFY_DEPENDENT, &n));
	BXT_TRY(pairs(arena, j, b, &n, &closed));
	BXT_TRY(isotropy(arena, &closed, &worst, &at));
	/* [J N, B; N, 0] has the rank of N, whose columns are independent, plus that of B */
	BXT_TRY(bxt_sparse_null_space(arena, b, BXT_VERIFY_DEPENDENT, &idle));
	const int dimension = n.ncol + b->ncol - idle.ncol;
	bxt_buffer_printf(&words, "%d efforts with B^T e = 0 of %d, dimension %d", n.ncol, p->n,
			  dimension);
	report_closed(v, p, BXT_CHECK_CLOSED_PORTS, dimension == p->n ? worst : INFINITY, at,
		      words.text ? words.text : "");
	bxt_checks_release(&v->checks, &words);
	return BXT_OK;
}

/* ---- Brackets of the constraints of closed ports ---- */

/*
 * Step of differences relative to a state, or absolute where the state is 0. The truncation error
 * is its square, the round-off 1e-16 divided by it.
 */
static const double DELTA = 1e-5;
/* Brackets below this fraction of their terms are zero: differences leave an error of 1e-10. */
static const double VANISHES = 1e-7;
enum { MOST_STATES = 64 }; /* limit: the brackets form a dense matrix */

/* Is E = 1 for all states? */
static bool has_no_descriptor(const bxt_system *s)
{
	for (int g = 0; g < s->n_groups; g++)
		if (part_of(&s->groups[g]) && part_of(&s->groups[g])->e.rows > 0)
			return false;
	return true;
}

/* phi (m) = B(q)^T dH(q), with dH from the forces on states at rest. */
static bxt_status find_phi(bxt_verifier *v, struct structures *p, bxt_arena *arena, bxt_point at,
			   double *phi)
{
	static const bxt_weights force = {{{[BXT_F] = -1}, {[BXT_F] = -1}}};
	const bxt_system *s = v->s;
	struct structures here = *p;
	bxt_sparse b;
	double *slope = BXT_NEW(arena, double, (size_t)s->size + BXT_LANES);
	if (!slope)
		return BXT_ERR_MEMORY;
	here.j = here.b = (bxt_entries){0};
	evaluate_structures(v, &here, at);
	bxt_status status = here.status;
	if (status == BXT_OK)
		status = bxt_entries_matrix(arena, &here.b, p->n, p->m, &b);
	bxt_entries_free(&here.j);
	bxt_entries_free(&here.b);
	BXT_TRY(status);
	bxt_evaluate(v->e, BXT_SET_DYNAMICS, (bxt_point){at.q, v->zero, at.t}, &force, slope, NULL);
	for (int c = 0; c < p->m; c++) {
		phi[c] = 0;
		for (int k = b.colptr[c]; k < b.colptr[c + 1]; k++)
			phi[c] += b.values[k] * slope[p->state[b.rowind[k]]];
	}
	return BXT_OK;
}

/* dphi (n by m): column by column the slopes of each phi. */
static bxt_status find_slopes(bxt_verifier *v, struct structures *p, bxt_arena *arena,
			      const bxt_state *state, double *slopes)
{
	const size_t m = (size_t)p->m;
	double *phi = BXT_NEW(arena, double, 2 * m + 1);
	if (!phi)
		return BXT_ERR_MEMORY;
	memcpy(v->q, state->q, (size_t)v->s->size * sizeof *v->q);
	for (int i = 0; i < p->n; i++) {
		const int x = p->state[i];
		const double size = state->q[x] != 0 ? fabs(state->q[x]) : 1;
		for (int side = 0; side < 2; side++) {
			v->q[x] = state->q[x] + (side ? DELTA : -DELTA) * size;
			BXT_TRY(find_phi(v, p, arena, (bxt_point){v->q, state->x, state->t},
					 phi + (side ? m : 0)));
		}
		v->q[x] = state->q[x];
		for (size_t c = 0; c < m; c++)
			slopes[(size_t)i * m + c] = (phi[m + c] - phi[c]) / (2 * DELTA * size);
	}
	return BXT_OK;
}

/* {phi_a, phi_b} relative to the magnitude of its terms. */
static double bracket(const struct structures *p, const bxt_sparse *j, const double *slopes, int a,
		      int b)
{
	const size_t m = (size_t)p->m;
	double sum = 0, size = 0;
	for (int c = 0; c < j->ncol; c++)
		for (int k = j->colptr[c]; k < j->colptr[c + 1]; k++) {
			const double term = slopes[(size_t)j->rowind[k] * m + (size_t)a] *
					    j->values[k] * slopes[(size_t)c * m + (size_t)b];
			sum += term;
			size += fabs(term);
		}
	return size > 0 ? fabs(sum) / size : 0;
}

static bxt_status note_brackets(bxt_verifier *v, struct structures *p, bxt_arena *arena,
				const bxt_sparse *j, const bxt_sparse *b, const bxt_state *state)
{
	int ports = 0, pairs_left = 0;
	double most = 0;
	for (int c = 0; c < b->ncol; c++)
		ports += b->colptr[c + 1] > b->colptr[c];
	if (ports < 2 || p->n > MOST_STATES || !has_no_descriptor(v->s))
		return BXT_OK;
	double *slopes = BXT_NEW(arena, double, (size_t)p->n *(size_t)p->m);
	if (!slopes)
		return BXT_ERR_MEMORY;
	BXT_TRY(find_slopes(v, p, arena, state, slopes));
	for (int a = 0; a < p->m; a++)
		for (int c = 0; c < a; c++) {
			const double size = bracket(p, j, slopes, a, c);
			most = fmax(most, size);
			pairs_left += size > VANISHES;
		}
	bxt_checks_add(&v->checks, BXT_CHECK_BRACKETS_OF_PORTS, most, BXT_NOWHERE,
		       pairs_left == 0 ? "coisotropic: brackets of all %d ports vanish"
				       : "not coisotropic: of %d ports %d pairs have brackets",
		       ports, pairs_left);
	return BXT_OK;
}

static bxt_status check_structures(bxt_verifier *v, struct structures *p, bxt_arena *arena,
				   const bxt_state *state)
{
	bxt_sparse j, b;
	BXT_TRY(stack(p, arena));
	if (p->n == 0)
		return BXT_OK;
	evaluate_structures(v, p, (bxt_point){state->q, state->x, state->t});
	BXT_TRY(p->status);
	BXT_TRY(bxt_entries_matrix(arena, &p->j, p->n, p->n, &j));
	BXT_TRY(bxt_entries_matrix(arena, &p->b, p->n, p->m, &b));
	BXT_TRY(check_open(v, p, arena, &j, &b));
	BXT_TRY(check_closed(v, p, arena, &j, &b));
	return note_brackets(v, p, arena, &j, &b, state);
}

bxt_status bxt_verify_ports(bxt_verifier *v, const bxt_state *state)
{
	struct structures p = {.s = v->s};
	bxt_arena *arena = bxt_arena_new();
	const bxt_status status = arena ? check_structures(v, &p, arena, state) : BXT_ERR_MEMORY;
	bxt_entries_free(&p.j);
	bxt_entries_free(&p.b);
	bxt_arena_free(arena);
	return status;
}
