/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The constraint algorithm at the base (Barbero-Linan et al., section 3). The model is an implicit
 * differential equation on T*Q with (q, p), 2n coordinates,
 *
 *     S_0 = {q' = v, p' = F + A^T lambda, p = dL/dv(q, v), A v = b for some v, lambda}
 *     M_i = tau(S_i) ,   S_{i+1} = S_i n TM_i
 *
 * M_0 has p_D = alpha(q) for coordinates D without inertia, positions phi(q) = 0, and the
 * combinations Y^T A v = b that do not depend on massless flows and therefore restrict p. Vectors
 * tangent to M_0 are those that also satisfy
 *
 *     [D - F - A^T lambda]_D = 0 ,   d/dt (Y^T A v - b) = 0
 *
 * The first are equations for (v_D, lambda). Together with P_I = p_I and A v = b they form G
 * (start/grid_values.h). Where G has left null vectors beyond those of M_0, these are conditions on
 * (q, p), and M_1 is smaller: charges of lossless loops, B^T dH = 0 of closed ports. Their
 * derivatives determine the rest of v and lambda, M_2 = M_1, if grid values exist, that is up to
 * index 2. Dimensions are those of ranks at the flows of the base.
 */
#include "study/verify/verify_internal.h"

#include "motion/start/grid_values.h"

#include <math.h>
#include <string.h>

struct algorithm {
	bxt_verifier *v;
	bxt_arena *arena;
	const bxt_state *base;
	double *values;       /* (nnz + 1) of the system's pattern */
	bool *marked;         /* (size) equations to be named */
	bool *reduced;        /* (size) equations of G that belong to M_0: all except those of D */
	bxt_sparse all, some; /* left null vectors of G; of its equations `reduced` */
	int primary, positions, dependent;
};

/* The transposed G, or only its marked equations; zeros are left out. */
static bxt_status transposed(struct algorithm *a, const bool *rows, bxt_sparse *out)
{
	const bxt_system *s = a->v->s;
	const bxt_sparse *p = &s->pattern;
	bxt_entries e = {0};
	bxt_status status = BXT_OK;
	for (int c = 0; c < s->spare; c++)
		for (int k = p->colptr[c]; k < p->colptr[c + 1] && status == BXT_OK; k++) {
			const int r = p->rowind[k];
			if (r < s->spare && a->values[k] != 0 && (!rows || rows[r]))
				status = bxt_entries_add(&e, c, r, a->values[k]);
		}
	if (status == BXT_OK)
		status = bxt_entries_matrix(a->arena, &e, s->spare, s->spare, out);
	bxt_entries_free(&e);
	return status;
}

/*
 * Left null vectors on those equations. The other equations, which are columns of zeros, give null
 * vectors as well.
 */
static bxt_status left_null(struct algorithm *a, const bool *rows, bxt_sparse *out, int *count)
{
	bxt_sparse t;
	BXT_TRY(transposed(a, rows, &t));
	BXT_TRY(bxt_sparse_null_space(a->arena, &t, BXT_VERIFY_DEPENDENT, out));
	*count = out->ncol;
	for (int r = 0; r < a->v->s->spare && rows; r++)
		*count -= !rows[r];
	return BXT_OK;
}

static bxt_status assemble(struct algorithm *a)
{
	static const bxt_weights g = {
		{{[BXT_PV] = 1, [BXT_CV] = 1}, {[BXT_DV] = 1, [BXT_FV] = -1, [BXT_KL] = -1}}};
	const bxt_system *s = a->v->s;
	const bxt_point at = {a->base->q, a->base->x, a->base->t};
	a->values = BXT_NEW(a->arena, double, (size_t)bxt_sparse_nnz(&s->pattern) + 1);
	a->reduced = BXT_NEW(a->arena, bool, (size_t)s->size);
	a->marked = BXT_NEW(a->arena, bool, (size_t)s->size);
	if (!a->values || !a->reduced || !a->marked)
		return BXT_ERR_MEMORY;
	bxt_evaluator_set_time(a->v->e, at.t);
	bxt_assemble(a->v->e, at, &g, a->values);
	for (int i = 0; i < s->spare; i++)
		a->reduced[i] = i >= s->n || !s->pinned[i];
	return BXT_OK;
}

/* ---- Report ---- */

/* Marks the equations of a null vector. */
static void mark_vector(const bxt_sparse *z, int j, bool *marked)
{
	static const double SMALL = 1e-6; /* relative to the largest: round-off of a null space */
	double most = 0;
	for (int k = z->colptr[j]; k < z->colptr[j + 1]; k++)
		most = fmax(most, fabs(z->values[k]));
	for (int k = z->colptr[j]; k < z->colptr[j + 1]; k++)
		marked[z->rowind[k]] = marked[z->rowind[k]] || fabs(z->values[k]) > SMALL * most;
}

static void list_marked(const struct algorithm *a, int first, int end, const bool *marked,
			bxt_buffer *words)
{
	for (int i = first, n = 0; i < end; i++)
		if (marked[i])
			bxt_system_list_x(a->v->s, i, n++, words);
}

/* Does the null vector contain an equation that does not belong to M_0? */
static bool is_new(const struct algorithm *a, const bxt_sparse *z, int j)
{
	for (int k = z->colptr[j]; k < z->colptr[j + 1]; k++)
		if (!a->reduced[z->rowind[k]] && z->values[k] != 0)
			return true;
	return false;
}

static int report_first(struct algorithm *a, int velocities)
{
	const bxt_system *s = a->v->s;
	const int dimension = 2 * s->n - a->primary - a->positions - velocities;
	bxt_buffer massless = {0}, rows = {0};
	memset(a->marked, 0, (size_t)s->size * sizeof *a->marked);
	for (int j = 0; j < a->some.ncol && velocities > 0; j++)
		if (!is_new(a, &a->some, j))
			mark_vector(&a->some, j, a->marked);
	list_marked(a, s->n, s->spare, a->marked, &rows);
	list_marked(a, 0, s->n, s->pinned, &massless);
	bxt_checks_add(&a->v->checks, BXT_CHECK_FIRST_SET, dimension, BXT_NOWHERE,
		       "dimension %d of %d: p = alpha(q) %d%s%s%s, positions %d, rows on "
		       "velocities %d%s%s%s",
		       dimension, 2 * s->n, a->primary, massless.length ? " (" : "",
		       massless.length ? massless.text : "", massless.length ? ")" : "",
		       a->positions, velocities, rows.length ? " (" : "",
		       rows.length ? rows.text : "", rows.length ? ")" : "");
	bxt_checks_release(&a->v->checks, &massless);
	bxt_checks_release(&a->v->checks, &rows);
	return dimension;
}

static int report_second(struct algorithm *a, int first, int more)
{
	const bxt_system *s = a->v->s;
	bxt_buffer words = {0};
	memset(a->marked, 0, (size_t)s->size * sizeof *a->marked);
	for (int j = 0; j < a->all.ncol && more > 0; j++)
		if (is_new(a, &a->all, j))
			mark_vector(&a->all, j, a->marked);
	list_marked(a, 0, s->spare, a->marked, &words);
	if (more > 0)
		bxt_checks_add(&a->v->checks, BXT_CHECK_SECOND_SET, first - more, BXT_NOWHERE,
			       "dimension %d of %d: %d more, from the equations of %s",
			       first - more, 2 * s->n, more, words.text ? words.text : "?");
	else
		bxt_checks_add(&a->v->checks, BXT_CHECK_SECOND_SET, first, BXT_NOWHERE,
			       "M_1 = M_0: the algorithm ends");
	bxt_checks_release(&a->v->checks, &words);
	return first - more;
}

/* Reports that M_2 = M_1 if grid values exist. */
static void report_third(struct algorithm *a, int second, bool exist)
{
	bxt_checks_add(
		&a->v->checks, BXT_CHECK_THIRD_SET, second, BXT_NOWHERE,
		exist ? "M_2 = M_1: the algorithm ends, flows and multipliers follow"
		      : "not determined: derivatives of M_1 do not give flows and multipliers");
}

/*
 * Do grid values exist? *nullity: that of G near the base, where slopes that vanish at the base do
 * not.
 */
static bxt_status look(struct algorithm *a, bool *exist, int *nullity)
{
	const bxt_system *s = a->v->s;
	bxt_grid_values *g = NULL;
	double *x = BXT_NEW(a->arena, double, (size_t)s->size + BXT_LANES);
	if (!x)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < s->size; i++)
		x[i] = i < s->n ? a->base->x[i] : 0;
	BXT_TRY(bxt_grid_values_new(s, a->v->settings.step, false, &g));
	const bxt_status status =
		bxt_grid_values_find(g, a->base->q, a->base->p, a->base->t, NULL, x);
	*exist = status == BXT_OK;
	*nullity = *exist ? g->values->nullity : -1;
	bxt_grid_values_free(g);
	return status == BXT_OK || bxt_status_is_recoverable(status) ? BXT_OK : status;
}

static bxt_status run_algorithm(struct algorithm *a)
{
	const bxt_system *s = a->v->s;
	int all, some, nullity;
	bool exist;
	bxt_sparse y;
	BXT_TRY(assemble(a));
	BXT_TRY(left_null(a, NULL, &a->all, &all));
	BXT_TRY(left_null(a, a->reduced, &a->some, &some));
	/* dependent rows are no conditions */
	static const bxt_weights rows_alone = {{{[BXT_CV] = 1}, {0}}};
	bool *rows = BXT_NEW(a->arena, bool, (size_t)s->size);
	if (!rows)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < s->spare; i++)
		rows[i] = i >= s->n;
	bxt_assemble(a->v->e, (bxt_point){a->base->q, a->base->x, a->base->t}, &rows_alone,
		     a->values);
	BXT_TRY(left_null(a, rows, &y, &a->dependent));
	for (int i = s->n; i < s->spare; i++)
		rows[i] = s->constraints.is_position[i];
	int positions;
	BXT_TRY(left_null(a, rows, &y, &positions));
	for (int i = s->n; i < s->spare; i++)
		a->positions += s->constraints.is_position[i];
	a->positions -= positions;
	for (int i = 0; i < s->n; i++)
		a->primary += s->pinned[i];
	const int first = report_first(a, some - a->dependent);
	BXT_TRY(look(a, &exist, &nullity));
	if (exist && a->dependent == 0) /* a diode at rest acts as an open circuit */
		all = nullity > some ? nullity : some;
	const int second = report_second(a, first, all - some);
	if (all > some)
		report_third(a, second, exist);
	return BXT_OK;
}

bxt_status bxt_verify_constraint_algorithm(bxt_verifier *v)
{
	struct algorithm a = {.v = v, .arena = bxt_arena_new(), .base = v->base};
	const bxt_status status = a.arena ? run_algorithm(&a) : BXT_ERR_MEMORY;
	bxt_arena_free(a.arena);
	return status;
}
