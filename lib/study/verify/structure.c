/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Dirac structures of a model, numerically. D induced by Delta = ker A is Delta + Delta°
 * (Parks, section 3.4): with N a basis of ker A it is isotropic when A N = 0, and of dimension n
 * when the rank of A by its columns, n - dim ker A, is that by its rows.
 *
 * The tensor product is formed by its definition,
 *
 *     D_a [x] D_b = {(v, a) : (v, a + b) in D_a, (v, -b) in D_b for some b}
 *
 * from the bases N_i of the primitives and N_s of Sigma_Q alone; what it must be is the structure
 * that (sum Delta_i) n Sigma_Q induces, from the rows of all together (Parks, Theorem 6).
 */
#include "study/verify/verify_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Entries of A below this fraction of the largest in their row are zero. */
static const double ROUND_OFF = 1e-14;

/* ---- A ---- */

struct rows {
	const bxt_system *s;
	bxt_entries entries;
	bxt_status status;
};

static void collect_rows(void *context, const bxt_group *group, int first, int count,
			 const bxt_output_set *set, const double *const *in, const double *work)
{
	struct rows *rows = context;
	const bxt_system *s = rows->s;
	for (int k = 0; k < set->n; k++) {
		const bxt_entry e = set->entries[k];
		if (e.term != BXT_CV)
			continue;
		const double *lane = bxt_tape_result(set->tape, k, in, work);
		for (int i = 0; i < count && rows->status == BXT_OK; i++) {
			const int row = bxt_system_row_in_d(s, group->element[first + i], e.row);
			const int x = group->at[e.col][first + i];
			if (row >= 0 && x != s->spare)
				rows->status = bxt_entries_add(&rows->entries, row,
							       s->coord_of_x[x], lane[i]);
		}
	}
}

/* sin(1e-17) is no constraint: alone in its column, it would weigh as much as any other entry */
static bxt_status drop_round_off(bxt_sparse *a)
{
	double *largest = calloc((size_t)a->nrow + 1, sizeof *largest);
	int n = 0, from = 0;
	bool finite = true;
	if (!largest)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < bxt_sparse_nnz(a); k++)
		largest[a->rowind[k]] = fmax(largest[a->rowind[k]], fabs(a->values[k]));
	for (int j = 0; j < a->ncol; j++) {
		const int end = a->colptr[j + 1];
		for (int k = from; k < end; k++) {
			finite = finite && isfinite(a->values[k]);
			if (fabs(a->values[k]) <= ROUND_OFF * largest[a->rowind[k]])
				continue;
			a->rowind[n] = a->rowind[k];
			a->values[n++] = a->values[k];
		}
		from = end;
		a->colptr[j + 1] = n;
	}
	free(largest);
	return finite ? BXT_OK : BXT_ERR_NOT_FINITE;
}

bxt_status bxt_verify_rows(bxt_verifier *v, bxt_arena *arena, const double *q, double t,
			   bxt_sparse *out)
{
	const bxt_dirac *d = &v->s->dirac;
	struct rows rows = {.s = v->s};
	const bxt_point at = {q, v->zero, t}; /* rows are affine in flows: any will do */
	bxt_evaluator_set_time(v->e, t);
	bxt_evaluate_blocks(v->e, BXT_SET_JAC_CONST, at, collect_rows, &rows);
	bxt_evaluate_blocks(v->e, BXT_SET_JAC_CON, at, collect_rows, &rows);
	for (size_t i = 0; i < d->n_entry && rows.status == BXT_OK; i++)
		rows.status = bxt_entries_add(&rows.entries, d->entry[i].row, d->entry[i].col,
					      d->entry[i].value);
	if (rows.status == BXT_OK)
		rows.status = bxt_entries_matrix(arena, &rows.entries, (int)d->m, (int)d->n, out);
	bxt_entries_free(&rows.entries);
	return rows.status == BXT_OK ? drop_round_off(out) : rows.status;
}

/* Rows and columns [r0, r1) x [c0, c1) of a. */
static bxt_status block(bxt_arena *arena, const bxt_sparse *a, int r0, int r1, int c0, int c1,
			bxt_sparse *out)
{
	bxt_entries e = {0};
	bxt_status status = BXT_OK;
	for (int j = c0; j < c1; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1] && status == BXT_OK; k++)
			if (a->rowind[k] >= r0 && a->rowind[k] < r1 && a->values[k] != 0)
				status = bxt_entries_add(&e, a->rowind[k] - r0, j - c0,
							 a->values[k]);
	if (status == BXT_OK)
		status = bxt_entries_matrix(arena, &e, r1 - r0, c1 - c0, out);
	bxt_entries_free(&e);
	return status;
}

/* ---- D = D^perp ---- */

/* A structure: its rows, a basis of their kernel, and the dependent rows. */
struct structure {
	bxt_sparse a, n, y;
	bool *dropped; /* (rows) */
	int first;     /* row of D that is its first row */
	bxt_check check;
	const char *name; /* of one primitive; NULL: use the name of the check */
};

/* Bases of a structure, and the check that it is its own annihilator. */
static bxt_status check_structure(bxt_verifier *v, bxt_arena *arena, struct structure *d)
{
	const bxt_system *s = v->s;
	double worst;
	int row, col;
	d->dropped = BXT_NEW(arena, bool, (size_t)d->a.nrow);
	if (!d->dropped)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_sparse_null_space(arena, &d->a, BXT_VERIFY_DEPENDENT, &d->n));
	BXT_TRY(bxt_dependent_rows(arena, &d->a, BXT_VERIFY_DEPENDENT, &d->y, d->dropped));
	BXT_TRY(bxt_sparse_miss(&d->a, &d->n, &worst, &row, &col));
	const int flows = d->n.ncol, efforts = d->a.nrow - d->y.ncol;
	const bool dimension = flows + efforts == d->a.ncol;
	bxt_buffer words = {0};
	const bool isotropic = worst <= bxt_checks_tolerance(&v->checks, d->check);
	if (!isotropic && row >= 0)
		bxt_dirac_row_name(s->net, &s->dirac.row[d->first + row], &words);
	bxt_checks_add_named(&v->checks, d->check, d->name, dimension ? worst : INFINITY,
			     isotropic || row < 0
				     ? BXT_NOWHERE
				     : bxt_dirac_row_place(s->net, &s->dirac.row[d->first + row]),
			     "%d flows + %d efforts of %d%s%s", flows, efforts, d->a.ncol,
			     isotropic ? "" : "; forces of this row do work on admissible flows: ",
			     isotropic || !words.text ? "" : words.text);
	bxt_checks_release(&v->checks, &words);
	return BXT_OK;
}

static const char *primitive_name(bxt_verifier *v, int p, bxt_buffer *words)
{
	const bxt_network *net = v->s->net;
	bxt_buffer_clear(words);
	if (net->n_primitives > BXT_VERIFY_LINES)
		return "D_i = D_i^perp, all primitives";
	if (p == 0)
		bxt_buffer_printf(words, "D_%d = D_%d^perp, outside subsystems", p, p);
	else
		bxt_buffer_printf(words, "D_%d = D_%d^perp, %s", p, p, net->primitives[p].path);
	return words->failed ? "D_i = D_i^perp" : words->text;
}

/* All primitives; the direct sum of their flows is N_1 (+) ... (+) N_k. */
static bxt_status check_primitives(bxt_verifier *v, bxt_arena *arena, const bxt_sparse *a,
				   bxt_sparse *sum)
{
	const int n = (int)v->s->net->n_primitives;
	bxt_buffer words = {0};
	bxt_entries stacked = {0};
	bxt_status status = BXT_OK;
	int columns = 0;
	for (int p = 0; p < n && status == BXT_OK; p++) {
		struct structure d = {.first = v->row_first[p],
				      .check = BXT_CHECK_PRIMITIVE,
				      .name = primitive_name(v, p, &words)};
		if (v->coord_first[p + 1] == v->coord_first[p])
			continue;
		status = block(arena, a, v->row_first[p], v->row_first[p + 1], v->coord_first[p],
			       v->coord_first[p + 1], &d.a);
		if (status == BXT_OK)
			status = check_structure(v, arena, &d);
		if (status == BXT_OK)
			status = bxt_entries_add_matrix(&stacked, &d.n, v->coord_first[p], columns,
							false);
		columns += status == BXT_OK ? d.n.ncol : 0;
	}
	if (status == BXT_OK)
		status = bxt_entries_matrix(arena, &stacked, a->ncol, columns, sum);
	bxt_entries_free(&stacked);
	bxt_buffer_free(&words);
	return status;
}

/* ---- The tensor product ---- */

/* Flows of the product: those of the sum that Sigma_Q admits, N x with A_s N x = 0. */
static bxt_status product_flows(bxt_arena *arena, const bxt_sparse *sum, const bxt_sparse *sigma,
				bxt_sparse *out)
{
	bxt_sparse closed, x;
	BXT_TRY(bxt_sparse_product(arena, sigma, sum, &closed));
	BXT_TRY(bxt_sparse_null_space(arena, &closed, BXT_VERIFY_DEPENDENT, &x));
	return bxt_sparse_product(arena, sum, &x, out);
}

/*
 * Its efforts: all a with N^T (a + b) = 0 and N_s^T b = 0 for some b on the ports, the coordinates
 * that Sigma_Q has. These are the null vectors (a, b) of [N^T N^T; 0 N_s^T], without b.
 */
static bxt_status product_efforts(bxt_arena *arena, const bxt_sparse *sum, const bxt_sparse *sigma,
				  bxt_sparse *out)
{
	const int n = sigma->ncol;
	bxt_sparse ports, flows, both, z;
	bxt_entries e = {0};
	int *port = BXT_NEW(arena, int, (size_t)n), n_ports = 0;
	int *keep = BXT_NEW(arena, int, (size_t)n);
	if (!port || !keep)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < n; j++)
		port[j] = sigma->colptr[j + 1] > sigma->colptr[j] ? n_ports++ : -1;
	BXT_TRY(bxt_sparse_select(arena, sigma, NULL, sigma->nrow, port, n_ports, &ports));
	BXT_TRY(bxt_sparse_null_space(arena, &ports, BXT_VERIFY_DEPENDENT, &flows));
	BXT_TRY(bxt_sparse_select(arena, sum, port, n_ports, NULL, sum->ncol, &both));
	bxt_status status = bxt_entries_add_matrix(&e, sum, 0, 0, true);
	if (status == BXT_OK)
		status = bxt_entries_add_matrix(&e, &both, 0, n, true);
	if (status == BXT_OK)
		status = bxt_entries_add_matrix(&e, &flows, sum->ncol, n, true);
	if (status == BXT_OK)
		status = bxt_entries_matrix(arena, &e, sum->ncol + flows.ncol, n + n_ports, &both);
	bxt_entries_free(&e);
	BXT_TRY(status);
	BXT_TRY(bxt_sparse_null_space(arena, &both, BXT_VERIFY_DEPENDENT, &z));
	int *row = BXT_NEW(arena, int, (size_t)(n + n_ports));
	if (!row)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < n + n_ports; i++)
		row[i] = i < n ? i : -1;
	return bxt_sparse_select(arena, &z, row, n, NULL, z.ncol, out);
}

/*
 * The angle between the range of the columns of x and ker A or its complement, in both directions.
 */
static bxt_status compare_spaces(bxt_verifier *v, bxt_arena *arena, bxt_check check,
				 const bxt_sparse *x, bxt_projector *of_a, int rank_of_a,
				 bool efforts)
{
	const bxt_system *s = v->s;
	const int n = x->nrow, right = efforts ? rank_of_a : n - rank_of_a;
	bxt_projector *p = NULL;
	bxt_sparse transposed;
	int left = 0, most = 0;
	double sine = 0;
	bxt_buffer words = {0};
	double *worst = BXT_NEW(arena, double, (size_t)n);
	if (!worst)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_sparse_transpose(arena, x, &transposed));
	BXT_TRY(bxt_projector_new(&transposed, BXT_VERIFY_DEPENDENT, &left, &p));
	bxt_status status = bxt_subspace_angle(
		(bxt_subspace){p, true}, (bxt_subspace){of_a, efforts}, n, &v->seed, &sine, worst);
	bxt_projector_free(p);
	BXT_TRY(status);
	for (int i = 1; i < n; i++)
		most = fabs(worst[i]) > fabs(worst[most]) ? i : most;
	const bool same = left == right && sine <= bxt_checks_tolerance(&v->checks, check);
	if (!same)
		bxt_dirac_coord_name(s->net, &s->dirac.coord[most], !efforts, &words);
	bxt_checks_add(&v->checks, check, left == right ? sine : INFINITY,
		       same ? BXT_NOWHERE : bxt_dirac_coord_place(s->net, &s->dirac.coord[most]),
		       "dimensions %d and %d, largest principal angle %.2g%s%s", left, right,
		       asin(fmin(sine, 1)), same ? "" : ", most of it at ",
		       same || !words.text ? "" : words.text);
	bxt_checks_release(&v->checks, &words);
	return BXT_OK;
}

static bxt_status check_product(bxt_verifier *v, bxt_arena *arena, const bxt_sparse *sum,
				const bxt_sparse *sigma, const bxt_sparse *a)
{
	bxt_sparse flows, efforts;
	bxt_projector *p = NULL;
	int rank;
	BXT_TRY(product_flows(arena, sum, sigma, &flows));
	BXT_TRY(product_efforts(arena, sum, sigma, &efforts));
	BXT_TRY(bxt_projector_new(a, BXT_VERIFY_DEPENDENT, &rank, &p));
	bxt_status status =
		compare_spaces(v, arena, BXT_CHECK_PRODUCT_FLOWS, &flows, p, rank, false);
	if (status == BXT_OK)
		status = compare_spaces(v, arena, BXT_CHECK_PRODUCT_EFFORTS, &efforts, p, rank,
					true);
	bxt_projector_free(p);
	return status;
}

/* ---- Ranks ---- */

/* Dependent rows of Sigma_Q itself: the model contains the same row twice. */
static void check_sigma(bxt_verifier *v, const struct structure *d)
{
	bxt_buffer words = {0};
	bxt_place place = BXT_NOWHERE;
	if (d->y.ncol > 0)
		bxt_verify_name_rows(v->s, &d->y, 0, d->first, &words, &place);
	bxt_checks_add(&v->checks, BXT_CHECK_SIGMA, d->y.ncol, place, "rank %d of %d rows%s%s",
		       d->a.nrow - d->y.ncol, d->a.nrow, d->y.ncol > 0 ? "; dependent: " : "",
		       words.text ? words.text : "");
	bxt_checks_release(&v->checks, &words);
}

/* Does the step know the dependency, that is, is one of its rows left out, or optional? */
static bool is_known(const bxt_system *s, const bxt_sparse *y, int j)
{
	for (int k = y->colptr[j]; k < y->colptr[j + 1]; k++) {
		const bxt_row_info *row = &s->dirac.row[y->rowind[k]];
		if (row->reference || row->optional || row->released)
			return true;
	}
	return false;
}

static void check_joined(bxt_verifier *v, const struct structure *d)
{
	const bxt_system *s = v->s;
	bxt_buffer words = {0};
	bxt_place place = BXT_NOWHERE;
	int known = 0, marked = 0, optional = 0;
	for (int j = 0; j < d->y.ncol; j++) {
		if (is_known(s, &d->y, j))
			known++;
		else if (!words.length)
			bxt_verify_name_rows(s, &d->y, j, 0, &words, &place);
	}
	for (size_t r = 0; r < s->dirac.m; r++) {
		marked += s->dirac.row[r].reference;
		optional += s->dirac.row[r].optional || s->dirac.row[r].released;
	}
	/*
	 * each reference explains one dependency; optional rows are left out if there is one, and
	 * rows at a bound are inactive
	 */
	const int unknown = d->y.ncol - known;
	const int missing = marked > d->y.ncol              ? marked - d->y.ncol
			    : d->y.ncol > marked + optional ? d->y.ncol - marked - optional
							    : 0;
	bxt_checks_add(
		&v->checks, BXT_CHECK_RANK, unknown + missing, place,
		"rank %d of %d rows, %d left out as references, %d more depend on others%s%s",
		d->a.nrow - d->y.ncol, d->a.nrow, marked,
		d->y.ncol > marked ? d->y.ncol - marked : 0, words.length ? ": " : "",
		words.length ? words.text : "");
	bxt_checks_release(&v->checks, &words);
}

/* The rank at nearby states. If it changes, the intersection is not clean there. */
static void compare_rank(bxt_verifier *v, const struct structure *d, bool at_base)
{
	const bxt_system *s = v->s;
	const int rank = d->a.nrow - d->y.ncol;
	bxt_buffer words = {0}, name = {0};
	bxt_place place = BXT_NOWHERE;
	int named = 0;
	if (at_base) {
		v->rank = rank;
		memcpy(v->dropped, d->dropped, s->dirac.m * sizeof *v->dropped);
	}
	for (size_t r = 0; r < s->dirac.m && rank != v->rank; r++) {
		if (v->dropped[r] == d->dropped[r] || named == 6)
			continue;
		place = bxt_dirac_row_place(s->net, &s->dirac.row[r]);
		bxt_buffer_printf(&words, "%s%s", named++ ? ", " : "; rows: ",
				  bxt_dirac_row_name(s->net, &s->dirac.row[r], &name));
	}
	bxt_checks_add(&v->checks, BXT_CHECK_RANK_NEAR, abs(rank - v->rank), place, "rank %d%s%s",
		       v->rank,
		       rank == v->rank ? s->constraints.constant ? ": the rows are constant" : ""
				       : "; it changes near by: the intersection is not clean here",
		       words.text ? words.text : "");
	bxt_checks_release(&v->checks, &words);
	bxt_checks_release(&v->checks, &name);
}

/* ---- All checks ---- */

static bxt_status check_structure_at(bxt_verifier *v, bxt_arena *arena, const bxt_state *state,
				     bool at_base)
{
	struct structure all = {.check = BXT_CHECK_WHOLE},
			 sigma = {.first = v->m_delta, .check = BXT_CHECK_INTERCONNECTION};
	bxt_sparse sum;
	BXT_TRY(bxt_verify_rows(v, arena, state->q, state->t, &all.a));
	BXT_TRY(check_primitives(v, arena, &all.a, &sum));
	const bool joined = all.a.nrow > v->m_delta;
	if (joined) {
		BXT_TRY(block(arena, &all.a, v->m_delta, all.a.nrow, 0, all.a.ncol, &sigma.a));
		BXT_TRY(check_structure(v, arena, &sigma));
	}
	BXT_TRY(check_structure(v, arena, &all));
	if (joined) {
		BXT_TRY(check_product(v, arena, &sum, &sigma.a, &all.a));
		check_sigma(v, &sigma);
	}
	check_joined(v, &all);
	compare_rank(v, &all, at_base);
	v->null = all.n;
	return BXT_OK;
}

bxt_status bxt_verify_structure(bxt_verifier *v, const bxt_state *state, bool at_base)
{
	bxt_arena_free(v->null_arena);
	v->null_arena = bxt_arena_new();
	return v->null_arena ? check_structure_at(v, v->null_arena, state, at_base)
			     : BXT_ERR_MEMORY;
}
