/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * LU of a small matrix as a list of operations. The pivots are chosen once (lu_order.h), then their
 * elimination is recorded: the place of each entry of the matrix, and the place from which each
 * product of an entry below a pivot and one beside it is subtracted. A factorisation executes this
 * list, without a search and without a branch that depends on values. The numbers of a step are
 * adjacent:
 *
 *     pivot  l_1 ... l_m  u_1 ... u_r       l_i <- l_i / pivot,   target_ij -= l_i u_j
 *
 * KLU takes several times as long, because it scatters and gathers columns of a few entries. KLU
 * factors matrices whose list would be long.
 */
#include "ground/base/tolerances.h"
#include "ground/solver/lu_code.h"
#include "ground/solver/lu_order.h"
#include "ground/solver/pivots.h"
#include "ground/solver/whole.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/amd.h>

/*
 * Numbers of unknowns, and of products of a factorisation, above which KLU is used. The search for
 * pivots visits all entries for each pivot: above these numbers it takes milliseconds. A longer
 * list exceeds the first-level cache, where KLU is as fast. The numbers are twice the recommended
 * ones, since predictions are not exact.
 */
enum { MOST_UNKNOWNS = 2 * BXT_COMPILED_UNKNOWNS, MOST_PRODUCTS = 2 * BXT_COMPILED_PRODUCTS };

/*
 * The pivots are reused while no multiplier is larger than this. If multipliers amplify each other,
 * some three digits are lost, and refinement restores them. Above this value, rows may only have
 * changed their scale, as those of a diode that blocks: a sample solution decides.
 */
static const double GROWN = 1e3;
/* Backward error of the sample, row by row, up to which the pivots are reused: that of the largest
 * matrices here is 200 eps; the rest is margin. */
static const double WORN = 1e-13;
/*
 * Number of factorisations and solves with one list before it is compiled: a compiler takes as long
 * as some thousands of them. Most lists that one solver compiles: pivots that are chosen anew more
 * often will change again.
 */
enum { HOT = 2000, MOST_CODES = 4 };

struct solver {
	const bxt_sparse *pattern;
	int n;
	bxt_lu_list list; /* n_slots 0: there is none */
	int *memory;      /* of the list */
	double *number;   /* (n_slots) of the factors */
	double *inverse;  /* (n) of the pivots */
	double *x, *y;    /* (n), (3 n) scratch */
	bxt_whole whole;  /* in use if whole.self is set; then there is no list */
	double rcond, full_rcond;
	int suspect;
	long full, reused;
	bool wants_code;   /* lists are compiled to native code */
	int carried_out;   /* factorisations and solves with this list, up to HOT */
	int n_codes;       /* lists that became code so far */
	bxt_lu_code *code; /* NULL: the list is interpreted */
};

static void drop_list(struct solver *s)
{
	free(s->memory);
	free(s->number);
	s->memory = NULL;
	s->number = NULL;
	s->list.n_slots = 0;
	s->code = bxt_lu_code_free(s->code);
}

static void destroy(void *self)
{
	struct solver *s = self;
	if (!s)
		return;
	drop_list(s);
	bxt_whole_release(&s->whole);
	free(s->x);
	free(s);
}

static bxt_status create(const bxt_sparse *pattern, const bxt_grouping *grouping, void **self)
{
	const size_t n = (size_t)pattern->ncol;
	*self = NULL;
	if (pattern->nrow != pattern->ncol)
		return BXT_ERR_ARGUMENT;
	struct solver *s = calloc(1, sizeof *s);
	if (!s)
		return BXT_ERR_MEMORY;
	s->pattern = s->whole.pattern = pattern;
	s->n = pattern->ncol;
	s->suspect = -1;
	s->x = malloc((4 * n + 1) * sizeof *s->x);
	bxt_status status = s->x ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK && s->n > MOST_UNKNOWNS)
		status = bxt_linsol_klu.create(pattern, grouping, &s->whole.self);
	if (status != BXT_OK) {
		destroy(s);
		return status;
	}
	s->y = s->x + n;
	*self = s;
	return BXT_OK;
}

double bxt_linsol_predict_products(const bxt_sparse *a)
{
	double info[AMD_INFO] = {0};
	int *order = malloc(((size_t)a->ncol + 1) * sizeof *order);
	const int status = order ? amd_order(a->ncol, a->colptr, a->rowind, order, NULL, info)
				 : AMD_OUT_OF_MEMORY;
	free(order);
	return status >= AMD_OK ? info[AMD_NMULTSUBS_LU] : INFINITY;
}

/* ---- The list ---- */

static bxt_status allocate(struct solver *s, const bxt_lu_order *o)
{
	const size_t n = (size_t)s->n, nnz = (size_t)bxt_sparse_nnz(s->pattern),
		     slots = (size_t)o->n_parts;
	bxt_lu_list *list = &s->list;
	s->memory = malloc((4 * n + slots + nnz + o->n_targets + 1) * sizeof *s->memory);
	s->number = malloc((slots + n + 1) * sizeof *s->number);
	if (!s->memory || !s->number) {
		drop_list(s);
		return BXT_ERR_MEMORY;
	}
	*list = (bxt_lu_list){.n = s->n,
			      .nnz = bxt_sparse_nnz(s->pattern),
			      .n_slots = o->n_parts,
			      .n_targets = o->n_targets,
			      .row = s->memory};
	list->col = list->row + n;
	list->n_l = list->col + n;
	list->n_u = list->n_l + n;
	list->place = list->n_u + n;
	list->slot = list->place + slots;
	list->target = list->slot + nnz;
	s->inverse = s->number + slots;
	return BXT_OK;
}

/* Replaces entries by slots: slot_of[e] of entry e. */
static void write_list(struct solver *s, const bxt_lu_order *o, int *slot_of, int *step_of)
{
	const bxt_lu_list *list = &s->list;
	const size_t n = (size_t)s->n;
	int *step_of_row = step_of, *step_of_col = step_of + n;
	memcpy(list->row, o->row, n * sizeof *list->row);
	memcpy(list->col, o->col, n * sizeof *list->col);
	memcpy(list->n_l, o->n_l, n * sizeof *list->n_l);
	memcpy(list->n_u, o->n_u, n * sizeof *list->n_u);
	for (int k = 0; k < s->n; k++) {
		step_of_row[o->row[k]] = k;
		step_of_col[o->col[k]] = k;
	}
	for (int k = 0; k < s->n; k++)
		for (int i = 0, at = o->at[k]; i <= o->n_l[k] + o->n_u[k]; i++, at++) {
			const bxt_lu_entry *e = &o->entry[o->part[at]];
			slot_of[o->part[at]] = at;
			list->place[at] = i == 0           ? k
					  : i <= o->n_l[k] ? step_of_row[e->row]
							   : step_of_col[e->col];
		}
	for (int e = 0; e < bxt_sparse_nnz(s->pattern); e++)
		list->slot[e] = slot_of[e];
	for (size_t t = 0; t < o->n_targets; t++)
		list->target[t] = slot_of[o->target[t]];
}

/* Chooses the pivots for these values and writes the list. */
static bxt_status compile(struct solver *s, const double *values, int *culprit)
{
	bxt_lu_order order;
	drop_list(s);
	bxt_status status = bxt_lu_order_find(s->pattern, values, MOST_PRODUCTS, culprit, &order);
	int *scratch = NULL;
	if (status == BXT_OK) {
		scratch =
			malloc(((size_t)order.n_entries + 2 * (size_t)s->n + 1) * sizeof *scratch);
		status = scratch ? allocate(s, &order) : BXT_ERR_MEMORY;
	}
	if (status == BXT_OK)
		write_list(s, &order, scratch, scratch + order.n_entries);
	free(scratch);
	bxt_lu_order_free(&order);
	s->carried_out = 0;
	return status;
}

/* ---- Carrying it out ---- */

/* Compiles a list that is used often. If that fails the list is interpreted. */
static void warm_up(struct solver *s)
{
	if (!s->wants_code || s->carried_out == HOT)
		return;
	if (++s->carried_out == HOT && s->n_codes++ < MOST_CODES)
		bxt_lu_code_make(&s->list, &s->code);
}

/* L and U of the values; *most_l: the largest multiplier. Returns the condition estimate: the
 * smallest pivot by the largest, 0 if one is zero or NaN. */
static void eliminate(struct solver *s, const double *restrict values, double *most_l)
{
	const bxt_lu_list *list = &s->list;
	double *restrict number = s->number;
	const int *restrict target = list->target;
	bxt_lu_pivots p = {.least = INFINITY};
	warm_up(s);
	if (s->code) {
		bxt_lu_code_eliminate(s->code, values, number, s->inverse, &p);
	} else {
		memset(number, 0, (size_t)list->n_slots * sizeof *number);
		for (int k = 0; k < list->nnz; k++)
			number[list->slot[k]] = values[k];
		double *at = number;
		for (int k = 0; k < s->n; k++) {
			const int n_l = list->n_l[k], n_u = list->n_u[k];
			const double pivot = *at, size = fabs(pivot);
			const double *u = at + 1 + n_l;
			s->inverse[k] = 1 / pivot;
			p.bad |= !(size > 0);
			p.least = size < p.least ? size : p.least;
			p.most = size > p.most ? size : p.most;
			for (int i = 1; i <= n_l; i++) {
				const double l = at[i] /= pivot;
				p.grown = fabs(l) > p.grown ? fabs(l) : p.grown;
				for (int j = 0; j < n_u; j++)
					number[*target++] -= l * u[j];
			}
			at += 1 + n_l + n_u;
		}
	}
	*most_l = p.grown;
	s->rcond = s->n == 0 ? 1 : p.bad || !(p.most <= DBL_MAX) ? 0 : p.least / p.most;
}

static void substitute(struct solver *s, double *restrict b)
{
	const bxt_lu_list *list = &s->list;
	double *restrict x = s->x;
	const double *number = s->number;
	const int *place = list->place;
	warm_up(s);
	if (s->code) {
		bxt_lu_code_substitute(s->code, number, s->inverse, b);
		return;
	}
	for (int k = 0; k < s->n; k++)
		x[k] = b[list->row[k]];
	for (int k = 0; k < s->n; k++) {
		const double by = x[k];
		const int n_l = list->n_l[k];
		for (int i = 1; i <= n_l; i++)
			x[place[i]] -= number[i] * by;
		number += 1 + n_l + list->n_u[k];
		place += 1 + n_l + list->n_u[k];
	}
	for (int k = s->n - 1; k >= 0; k--) {
		const int n_u = list->n_u[k];
		double sum = x[k];
		for (int j = 1; j <= n_u; j++)
			sum -= number[-j] * x[place[-j]];
		number -= 1 + list->n_l[k] + n_u;
		place -= 1 + list->n_l[k] + n_u;
		x[k] = sum * s->inverse[k];
		b[list->col[k]] = x[k];
	}
}

static bxt_status substitute_sample(void *self, double *b)
{
	substitute(self, b);
	return BXT_OK;
}

/* ---- Suspects ---- */

/* L by rows and U by columns, the form that the search for suspects needs. One allocation each. */
struct factors {
	int *l_end, *l_col, *u_ptr, *u_row, *u_end;
	double *l, *u, *row;
};

/* Counts become starts; in the end of L's rows they become ends as these are filled. */
static void fill_factors(const struct solver *s, struct factors *f)
{
	const int n = s->n;
	for (int pass = 0; pass < 2; pass++) {
		for (int k = 0, at = 0; k < n; k++) {
			const int first_u = at + 1 + s->list.n_l[k], end = first_u + s->list.n_u[k];
			for (int i = at; i < end; i++) {
				const bool below = i > at && i < first_u;
				int *next = below ? &f->l_end[s->list.place[i]]
						  : &f->u_end[s->list.place[i]];
				if (pass == 1) {
					(below ? f->l_col : f->u_row)[*next] = k;
					(below ? f->l : f->u)[*next] = s->number[i];
				}
				++*next;
			}
			at = end;
		}
		for (int k = 0, l = 0, u = 0; pass == 0 && k < n; k++) {
			const int more_l = f->l_end[k], more_u = f->u_end[k];
			f->l_end[k] = l;
			f->u_end[k] = f->u_ptr[k] = u;
			f->u_ptr[k + 1] = u += more_u;
			l += more_l;
		}
	}
}

static bxt_status find_suspect(struct solver *s)
{
	const size_t n = (size_t)s->n, slots = (size_t)s->list.n_slots;
	struct factors f = {.l_end = calloc(3 * (n + 1) + 2 * slots, sizeof *f.l_end),
			    .l = malloc((2 * slots + n + 1) * sizeof *f.l)};
	const bxt_status status = f.l_end && f.l ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		f.u_ptr = f.l_end + n + 1;
		f.u_end = f.u_ptr + n + 1;
		f.l_col = f.u_end + n + 1;
		f.u_row = f.l_col + slots;
		f.u = f.l + slots;
		f.row = f.u + slots;
		fill_factors(s, &f);
		const bxt_factors lu = {s->n, f.l_end, f.l_col, f.l, f.u_ptr, f.u_row, f.u};
		const int k = bxt_linsol_suspect(&lu, f.row);
		s->suspect = k < 0 ? -1 : s->list.col[k];
	}
	free(f.l_end);
	free(f.l);
	return status;
}

/* ---- The table's functions ---- */

static bxt_status factor(void *self, const double *values, int *culprit)
{
	struct solver *s = self;
	double most_l;
	s->full++;
	s->rcond = 0;
	s->suspect = -1;
	*culprit = -1;
	const bxt_status status = s->whole.self ? BXT_ERR_ARGUMENT : compile(s, values, culprit);
	if (status == BXT_ERR_ARGUMENT) {
		drop_list(s);
		return bxt_whole_factor(&s->whole, values, &s->rcond, culprit);
	}
	BXT_TRY(status);
	eliminate(s, values, &most_l);
	s->full_rcond = s->rcond;
	bxt_status found = s->rcond < BXT_RCOND_SUSPECT ? find_suspect(s) : BXT_OK;
	*culprit = s->suspect;
	if (found == BXT_OK && !(s->rcond > 0)) /* the factors exceed the range of a double */
		found = BXT_ERR_SINGULAR;
	if (found != BXT_OK) {
		drop_list(s);
		s->rcond = 0;
	}
	return found;
}

static bool refactor(void *self, const double *values)
{
	struct solver *s = self;
	double most_l;
	bool good;
	if (s->whole.self) {
		good = bxt_whole_refactor(&s->whole, values, &s->rcond);
	} else {
		eliminate(s, values, &most_l);
		good = !bxt_pivots_are_worn(s->rcond, s->full_rcond) &&
		       (most_l <= GROWN ||
			bxt_pivots_are_sound(s->pattern, values, substitute_sample, s, WORN, s->y));
	}
	s->reused += good;
	return good;
}

static bxt_status solve(void *self, double *b)
{
	struct solver *s = self;
	if (s->whole.self)
		return bxt_whole_solve(&s->whole, b);
	if (s->n > 0 && !s->memory)
		return BXT_ERR_ARGUMENT;
	substitute(s, b);
	return BXT_OK;
}

static void use_code(void *self)
{
	struct solver *s = self;
	s->wants_code = true;
}

static double rcond(void *self)
{
	const struct solver *s = self;
	return s->n == 0 ? 1 : s->rcond;
}

static void counts(const void *self, size_t *factor_entries, long *full, long *reused)
{
	const struct solver *s = self;
	*factor_entries = s->whole.self ? bxt_whole_entries(&s->whole) : (size_t)s->list.n_slots;
	*full = s->full;
	*reused = s->reused;
}

/* Products and numbers of the factors are what the loops pass over. */
static void work(void *self, double *factor, double *solve)
{
	struct solver *s = self;
	*factor = (double)s->list.n_targets + s->list.n_slots;
	*solve = s->list.n_slots;
	bxt_whole_work(&s->whole, factor, solve);
}

const bxt_linsol_kind bxt_linsol_compiled = {
	.name = "compiled",
	.doc = "LU written down as a list of operations once, then carried out: for small systems",
	.create = create,
	.factor = factor,
	.refactor = refactor,
	.solve = solve,
	.use_code = use_code,
	.rcond = rcond,
	.counts = counts,
	.work = work,
	.destroy = destroy,
};
