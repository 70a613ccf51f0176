/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Schur complement, S = K_bb - sum_i K_bi K_ii^-1 K_ib: solving, refinement, new interfaces. */
#include "sparse/schur.h"

#include "base/threads.h"
#include "sparse/schur_layout.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parts with a condition estimate below this are searched for dependences, and again when it has
 * fallen by this factor since. */
static const double LOOK = 1e-6, LOOK_AGAIN = 1e-3;
/* Backward error of the probe, row by row, above which solves are refined; and with that, above
 * which the whole matrix is factored instead. LU alone gets some eps. */
static const double REFINED = 64 * DBL_EPSILON, HOPELESS = 1e-10;
enum { MOST_CHOICES = 20 };

struct solver {
	const bxt_linsol_kind *kind;
	const bxt_sparse *pattern;
	bxt_grouping grouping;    /* group NULL: none */
	int *group;               /* (n) of it */
	int *row_part, *col_part; /* (n) at present */
	int n_parts, moved;
	double *looked_at; /* (n_parts) the estimate at the last search; 0: never searched */
	bxt_pool *pool;
	bool laid_out;
	bxt_schur_layout layout;
	bxt_linsol *inner;       /* of S */
	bxt_linsol *whole;       /* NULL: not needed so far */
	bool use_whole, give_up; /* for the present values; permanently */
	bool valid, refine;      /* there are factors; of doubtful accuracy */
	const double *values;    /* of the present factors */
	double *x, *out, *b, *r; /* (n) each */
	long full, reused, choices, n_whole;
};

static void drop_layout(struct solver *s)
{
	s->inner = bxt_linsol_free(s->inner);
	if (s->laid_out)
		bxt_schur_layout_free(&s->layout);
	s->laid_out = s->valid = false;
}

static void destroy(void *self)
{
	struct solver *s = self;
	if (!s)
		return;
	drop_layout(s);
	bxt_linsol_free(s->whole);
	bxt_pool_free(s->pool);
	free(s->group);
	free(s->row_part);
	free(s->col_part);
	free(s->looked_at);
	free(s->x);
	free(s->out);
	free(s->b);
	free(s->r);
	free(s);
}

/* ---- Solving ---- */

struct pass {
	struct solver *solver;
	const double *in;
};

static void forward(void *context, int p)
{
	const struct pass *pass = context;
	bxt_schur_part_forward(&pass->solver->layout.part[p], pass->in);
}

static void backward(void *context, int p)
{
	const struct pass *pass = context;
	bxt_schur_part_backward(&pass->solver->layout.part[p], pass->in, pass->solver->out);
}

/* b is replaced by the solution; sums over parts in their order, whoever computed them. */
static bxt_status solve_once(struct solver *s, double *b)
{
	const bxt_schur_layout *l = &s->layout;
	bxt_pool_run(s->pool, l->n_parts, forward, &(struct pass){s, b});
	for (int i = 0; i < l->n_s; i++)
		s->x[i] = b[l->row_of[i]];
	for (int p = 0; p < l->n_parts; p++)
		for (int r = 0; r < l->part[p].n_below; r++)
			s->x[l->part[p].below_row[r]] -= l->part[p].through[r];
	BXT_TRY(bxt_linsol_solve(s->inner, s->x));
	bxt_pool_run(s->pool, l->n_parts, backward, &(struct pass){s, s->x});
	for (int i = 0; i < l->n_s; i++)
		s->out[l->col_of[i]] = s->x[i];
	memcpy(b, s->out, (size_t)s->pattern->ncol * sizeof *b);
	return BXT_OK;
}

/* r <- b - K x */
static void residual(const struct solver *s, const double *b, const double *x, double *r)
{
	const bxt_sparse k = {s->pattern->nrow, s->pattern->ncol, s->pattern->colptr,
			      s->pattern->rowind, (double *)s->values};
	memcpy(r, b, (size_t)k.nrow * sizeof *r);
	bxt_sparse_multiply(&k, -1, x, r);
}

static bxt_status solve_refined(struct solver *s, double *b)
{
	const int n = s->pattern->ncol;
	memcpy(s->b, b, (size_t)n * sizeof *b);
	BXT_TRY(solve_once(s, b));
	residual(s, s->b, b, s->r);
	BXT_TRY(solve_once(s, s->r));
	for (int i = 0; i < n; i++)
		b[i] += s->r[i];
	return BXT_OK;
}

static bxt_status solve(void *self, double *b)
{
	struct solver *s = self;
	if (!s->valid)
		return BXT_ERR_ARGUMENT;
	if (s->use_whole)
		return bxt_linsol_solve(s->whole, b);
	return s->refine ? solve_refined(s, b) : solve_once(s, b);
}

/* ---- Factoring ---- */

static void factor_part(void *context, int p)
{
	const struct pass *pass = context;
	bxt_schur_part *part = &pass->solver->layout.part[p];
	part->status = bxt_schur_part_factor(part, pass->in);
}

static bxt_status lay_out(struct solver *s)
{
	const bxt_grouping *g = s->grouping.group ? &s->grouping : NULL;
	bxt_schur_layout *l = &s->layout;
	BXT_TRY(bxt_schur_layout_make(s->pattern, g, s->row_part, s->col_part, s->n_parts,
				      s->kind == &bxt_linsol_klu_metis, l));
	s->laid_out = true;
	const bxt_grouping of_s = {l->group, l->n_group};
	return bxt_linsol_create_grouped(s->kind, &l->s, g ? &of_s : NULL, &s->inner);
}

/* Moves what part p depends on to the interface. */
static bxt_status move_dependent(struct solver *s, int p, int *moved)
{
	const bxt_schur_part *part = &s->layout.part[p];
	const size_t n = (size_t)part->n;
	int *rows = malloc((2 * n + 1) * sizeof *rows), *cols = rows + n;
	if (!rows)
		return BXT_ERR_MEMORY;
	const bxt_status status = bxt_schur_part_dependent(part, rows, cols, moved);
	for (int i = 0; i < *moved && status == BXT_OK; i++) {
		s->row_part[part->row_of[rows[i]]] = -1;
		s->col_part[part->col_of[cols[i]]] = -1;
	}
	free(rows);
	s->moved += *moved;
	return status;
}

/* After all parts were factored: those that are singular, or nearly so. */
static bxt_status look_at_parts(struct solver *s, int *moved)
{
	*moved = 0;
	for (int p = 0; p < s->n_parts; p++)
		if (s->layout.part[p].status != BXT_OK &&
		    s->layout.part[p].status != BXT_ERR_SINGULAR)
			return s->layout.part[p].status;
	for (int p = 0; p < s->n_parts; p++) {
		const bxt_schur_part *part = &s->layout.part[p];
		const bool singular = part->status == BXT_ERR_SINGULAR;
		const bool low =
			part->anew && part->rcond < LOOK &&
			(s->looked_at[p] == 0 || part->rcond < LOOK_AGAIN * s->looked_at[p]);
		int n = 0;
		if (!singular && !low)
			continue;
		BXT_TRY(move_dependent(s, p, &n));
		s->looked_at[p] = singular ? 0 : part->rcond;
		*moved += n;
		if (singular && n == 0)
			s->give_up = true;
	}
	return BXT_OK;
}

/* S = K_bb - sum of the parts' products, in their order */
static void assemble(struct solver *s, const double *values)
{
	bxt_schur_layout *l = &s->layout;
	memset(l->s.values, 0, (size_t)bxt_sparse_nnz(&l->s) * sizeof(double));
	for (int k = 0; k < l->n_own; k++)
		l->s.values[l->own_slot[k]] = values[l->own_from[k]];
	for (int p = 0; p < l->n_parts; p++) {
		const bxt_schur_part *part = &l->part[p];
		const size_t count = (size_t)part->n_right * (size_t)part->n_below;
		for (size_t k = 0; k < count; k++)
			l->s.values[part->clique_slot[k]] -= part->clique[k];
	}
}

/* Factors the parts and moves rows to the interface until none is singular; *done: it succeeded.
 */
static bxt_status factor_parts(struct solver *s, const double *values, bool *done)
{
	*done = false;
	while (!s->give_up) {
		int moved;
		if (!s->laid_out) {
			const bxt_status status = lay_out(s);
			if (status != BXT_OK) {
				drop_layout(s);
				return status;
			}
		}
		bxt_pool_run(s->pool, s->n_parts, factor_part, &(struct pass){s, values});
		BXT_TRY(look_at_parts(s, &moved));
		if (moved == 0 && !s->give_up) {
			*done = true;
			return BXT_OK;
		}
		drop_layout(s);
		if (++s->choices > MOST_CHOICES)
			s->give_up = true;
	}
	return BXT_OK;
}

static bxt_status factor_whole(struct solver *s, const double *values, int *culprit)
{
	if (!s->whole)
		BXT_TRY(bxt_linsol_create_grouped(
			s->kind, s->pattern, s->grouping.group ? &s->grouping : NULL, &s->whole));
	s->use_whole = true;
	s->n_whole++;
	BXT_TRY(bxt_linsol_factor(s->whole, values, culprit));
	s->valid = true;
	return BXT_OK;
}

/* A solution whose unknowns all differ, from its right-hand side. Largest error of a row, relative
 * to its terms. */
static bxt_status probe(struct solver *s, double *error)
{
	static const double GOLDEN = 0.61803398874989485;
	const bxt_sparse *a = s->pattern;
	const int n = a->ncol;
	double *x = malloc(3 * ((size_t)n + 1) * sizeof *x), *b = x + n, *size = b + n;
	*error = INFINITY;
	if (!x)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < n; i++) {
		const double spread = GOLDEN * (i + 1) - floor(GOLDEN * (i + 1));
		x[i] = (i % 2 ? -1 : 1) * (0.5 + spread);
		b[i] = 0;
	}
	bxt_sparse_multiply(&(bxt_sparse){n, n, a->colptr, a->rowind, (double *)s->values}, 1, x,
			    b);
	memcpy(x, b, (size_t)n * sizeof *x);
	const bxt_status status = s->refine ? solve_refined(s, x) : solve_once(s, x);
	for (int i = 0; i < n; i++)
		size[i] = fabs(b[i]);
	for (int j = 0; j < n; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
			size[a->rowind[k]] += fabs(s->values[k] * x[j]);
	residual(s, b, x, s->r);
	*error = 0;
	for (int i = 0; i < n; i++)
		if (!(fabs(s->r[i]) <= *error * size[i]))
			*error = size[i] > 0 ? fabs(s->r[i]) / size[i] : INFINITY;
	if (isnan(*error))
		*error = INFINITY;
	free(x);
	return status;
}

/* Tests the accuracy of the factors. False: unusable. */
static bxt_status judge(struct solver *s, bool *useful)
{
	double error;
	*useful = true;
	s->refine = false;
	BXT_TRY(probe(s, &error));
	if (error <= REFINED)
		return BXT_OK;
	s->refine = true;
	BXT_TRY(probe(s, &error));
	*useful = error <= HOPELESS;
	return BXT_OK;
}

/* Forms S from the parts and factors it; *good false: the whole matrix must be factored. */
static bxt_status factor_interface(struct solver *s, const double *values, int *culprit, bool *good)
{
	size_t entries;
	long before, full, reused;
	int column = -1;
	bool anew = false;
	for (int p = 0; p < s->n_parts; p++)
		anew = anew || s->layout.part[p].anew;
	bxt_linsol_counts(s->inner, &entries, &before, &reused);
	assemble(s, values);
	const bxt_status status = bxt_linsol_factor(s->inner, s->layout.s.values, &column);
	*good = status == BXT_OK;
	if (status == BXT_ERR_MEMORY)
		return status;
	if (!*good)
		return BXT_OK;
	bxt_linsol_counts(s->inner, &entries, &full, &reused);
	anew = anew || full > before;
	*(anew ? &s->full : &s->reused) += 1;
	*culprit = column >= 0 ? s->layout.col_of[column] : -1;
	return anew ? judge(s, good) : BXT_OK;
}

static bxt_status factor(void *self, const double *values, int *culprit)
{
	struct solver *s = self;
	bool good = false;
	s->valid = s->use_whole = false;
	s->values = values;
	BXT_TRY(factor_parts(s, values, &good));
	if (good)
		BXT_TRY(factor_interface(s, values, culprit, &good));
	if (!good)
		return factor_whole(s, values, culprit);
	s->valid = true;
	return BXT_OK;
}

static double rcond(void *self)
{
	const struct solver *s = self;
	if (!s->valid)
		return 0;
	if (s->use_whole)
		return bxt_linsol_rcond(s->whole);
	double least = bxt_linsol_rcond(s->inner);
	for (int p = 0; p < s->n_parts; p++)
		least = fmin(least, s->layout.part[p].rcond);
	return least;
}

static void counts(const void *self, size_t *factor_entries, long *full, long *reused)
{
	const struct solver *s = self;
	long inner_full, inner_reused, whole_full = 0, whole_reused = 0;
	size_t whole_entries = 0;
	*factor_entries = 0;
	if (s->inner)
		bxt_linsol_counts(s->inner, factor_entries, &inner_full, &inner_reused);
	for (int p = 0; s->laid_out && p < s->n_parts; p++) {
		const bxt_schur_part *part = &s->layout.part[p];
		*factor_entries += part->n_lower + part->n_upper +
				   (size_t)part->z.ptr[part->n_right] +
				   (size_t)part->w.ptr[part->n_below];
	}
	if (s->whole)
		bxt_linsol_counts(s->whole, &whole_entries, &whole_full, &whole_reused);
	*factor_entries += whole_entries;
	*full = s->full + whole_full;
	*reused = s->reused + whole_reused;
}

static void shape(const void *self, bxt_linsol_shape *out)
{
	const struct solver *s = self;
	*out = (bxt_linsol_shape){
		.parts = s->n_parts, .moved = s->moved, .anew = s->choices, .whole = s->n_whole};
	for (int i = 0; i < s->pattern->ncol; i++)
		out->interface += s->col_part[i] < 0;
}

static const bxt_linsol_kind schur = {
	.name = "schur",
	.doc = "parts factored by themselves, and the Schur complement between them",
	.factor = factor,
	.solve = solve,
	.rcond = rcond,
	.counts = counts,
	.destroy = destroy,
	.shape = shape,
};

/* What couples two parts directly is interface. */
static void separate(const bxt_sparse *a, int *part)
{
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			const int i = a->rowind[k];
			if (part[i] >= 0 && part[j] >= 0 && part[i] != part[j])
				part[j] = -1;
		}
}

static bxt_status prepare(struct solver *s, const bxt_grouping *grouping, const int *part,
			  int threads)
{
	const size_t n = (size_t)s->pattern->ncol;
	s->row_part = malloc((n + 1) * sizeof *s->row_part);
	s->col_part = malloc((n + 1) * sizeof *s->col_part);
	s->group = malloc((n + 1) * sizeof *s->group);
	s->looked_at = calloc((size_t)s->n_parts + 1, sizeof *s->looked_at);
	s->x = malloc((n + 1) * sizeof *s->x);
	s->out = malloc((n + 1) * sizeof *s->out);
	s->b = malloc((n + 1) * sizeof *s->b);
	s->r = malloc((n + 1) * sizeof *s->r);
	if (!s->row_part || !s->col_part || !s->group || !s->looked_at || !s->x || !s->out ||
	    !s->b || !s->r)
		return BXT_ERR_MEMORY;
	memcpy(s->row_part, part, n * sizeof *part);
	separate(s->pattern, s->row_part);
	memcpy(s->col_part, s->row_part, n * sizeof *part);
	if (grouping) {
		memcpy(s->group, grouping->group, n * sizeof *s->group);
		s->grouping = (bxt_grouping){s->group, grouping->count};
	}
	return bxt_pool_new(threads < s->n_parts ? threads : s->n_parts, &s->pool);
}

bxt_status bxt_linsol_schur_create(const bxt_linsol_kind *inner, const bxt_sparse *pattern,
				   const bxt_grouping *grouping, const int *part, int n_parts,
				   int threads, bxt_linsol **out)
{
	*out = NULL;
	if (pattern->nrow != pattern->ncol)
		return BXT_ERR_ARGUMENT;
	struct solver *s = calloc(1, sizeof *s);
	if (!s)
		return BXT_ERR_MEMORY;
	s->kind = inner;
	s->pattern = pattern;
	s->n_parts = n_parts;
	const bxt_status status = prepare(s, grouping, part, threads);
	if (status != BXT_OK) {
		destroy(s);
		return status;
	}
	return bxt_linsol_wrap(&schur, pattern, grouping, s, out);
}
