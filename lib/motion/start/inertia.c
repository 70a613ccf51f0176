/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is the kinetic energy v.M v/2 of a set of coupled elements negative for some v? M is scaled to
 * unit diagonal, so that tolerances do not depend on units, and factored, M = L D L^T, in profile
 * storage: each row begins with its first entry, and all fill stays inside. A pivot below zero
 * gives the direction z = L^-T e with z.M z < 0. To exclude round-off, z.M z is then computed: an
 * element is refused only when it is negative beyond its own round-off.
 */
#include "motion/start/inertia.h"

#include "ground/base/disjoint_sets.h"
#include "ground/base/tolerances.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FINDINGS = 10, MAX_NAMED = 8 };

/* Relative excess of an entry over the bound by the element's own diagonal above which it is not
 * round-off: products of three numbers have less. Elements below this are checked separately. */
static const double LEANING = 64 * DBL_EPSILON;

/* ---- A symmetric matrix in profile ---- */

struct profile {
	int n;
	int *first;    /* (n) column of a row's first entry */
	size_t *start; /* (n) index of that entry in m and l; the diagonal is the row's last */
	double *m, *l; /* the matrix, and L without its diagonal */
	double *pivot; /* (n) D */
	double *scale; /* (n) */
	double *z;     /* (n) a direction */
	size_t c_first, c_start, c_m, c_l, c_pivot, c_scale, c_z;
};

static double *entry(const struct profile *p, double *of, int i, int j)
{
	return i >= j ? of + p->start[i] + (j - p->first[i]) : of + p->start[j] + (i - p->first[j]);
}

/* Room for n rows whose first columns are known. */
static bxt_status open_profile(struct profile *p)
{
	size_t size = 0;
	for (int i = 0; i < p->n; i++) {
		p->start[i] = size;
		size += (size_t)(i - p->first[i]) + 1;
	}
	BXT_TRY(BXT_GROW(p->m, p->c_m, size));
	BXT_TRY(BXT_GROW(p->l, p->c_l, size));
	memset(p->m, 0, size * sizeof *p->m);
	return BXT_OK;
}

static bxt_status open_rows(struct profile *p, int n)
{
	const size_t size = (size_t)n;
	p->n = n;
	BXT_TRY(BXT_GROW(p->first, p->c_first, size));
	BXT_TRY(BXT_GROW(p->start, p->c_start, size));
	BXT_TRY(BXT_GROW(p->pivot, p->c_pivot, size));
	BXT_TRY(BXT_GROW(p->scale, p->c_scale, size));
	BXT_TRY(BXT_GROW(p->z, p->c_z, size));
	for (int i = 0; i < n; i++)
		p->first[i] = i;
	return BXT_OK;
}

static void free_profile(struct profile *p)
{
	free(p->first);
	free(p->start);
	free(p->m);
	free(p->l);
	free(p->pivot);
	free(p->scale);
	free(p->z);
}

static double round_off(const struct profile *p)
{
	return 8 * p->n * DBL_EPSILON;
}

/* Unit diagonal; where that is 0, the largest entry of the row becomes about 1. */
static void scale_rows(struct profile *p)
{
	for (int i = 0; i < p->n; i++) {
		const double diagonal = fabs(*entry(p, p->m, i, i));
		p->scale[i] = diagonal > 0 ? sqrt(diagonal) : 0;
	}
	for (int i = 0; i < p->n; i++)
		for (int j = p->first[i]; j < i; j++) {
			const double m = fabs(*entry(p, p->m, i, j));
			const bool zero_i = *entry(p, p->m, i, i) == 0;
			const bool zero_j = *entry(p, p->m, j, j) == 0;
			if (zero_i)
				p->scale[i] = fmax(p->scale[i], zero_j ? m : m / p->scale[j]);
			if (zero_j)
				p->scale[j] = fmax(p->scale[j], zero_i ? m : m / p->scale[i]);
		}
	for (int i = 0; i < p->n; i++)
		for (int j = p->first[i]; j <= i; j++) {
			const double by = p->scale[i] * p->scale[j];
			if (by > 0) /* else the entry is 0 */
				*entry(p, p->m, i, j) /= by;
		}
}

/* z = L^-T w of rows 0 ... last, w standing in z. */
static void go_back(struct profile *p, int last)
{
	for (int i = last; i > 0; i--)
		for (int j = p->first[i]; j < i; j++)
			p->z[j] -= *entry(p, p->l, i, j) * p->z[i];
}

/* Is z.M z negative beyond its round-off? z is 0 from row `last` + 1 on. */
static bool is_negative(const struct profile *p, int last)
{
	double sum = 0, size = 0;
	for (int i = 0; i <= last; i++)
		for (int j = p->first[i]; j <= i; j++) {
			const double term =
				(i == j ? 1 : 2) * p->z[i] * *entry(p, p->m, i, j) * p->z[j];
			sum += term;
			size += fabs(term);
		}
	return sum < -round_off(p) * size;
}

/* The direction of a pivot below zero, or, partner >= 0, of an entry u beside a pivot of zero. */
static bool try_direction(struct profile *p, int row, int partner, double u)
{
	memset(p->z, 0, (size_t)p->n * sizeof *p->z);
	p->z[row] = 1;
	if (partner >= 0) /* (e_i - e_j / u): 1 - 2 */
		p->z[partner] = -1 / u;
	go_back(p, row);
	return is_negative(p, row);
}

/* Row `i` of L: u_ij = m_ij - sum_k u_ik l_jk, l_ij = u_ij / d_j. True: z is a negative direction.
 */
static bool split_row(struct profile *p, int i)
{
	double *row = p->l + p->start[i] - p->first[i], largest = 0;
	double pivot = *entry(p, p->m, i, i);
	int beside = -1;
	for (int j = p->first[i]; j < i; j++) {
		const double *other = p->l + p->start[j] - p->first[j];
		row[j] = *entry(p, p->m, i, j);
		for (int k = p->first[i] > p->first[j] ? p->first[i] : p->first[j]; k < j; k++)
			row[j] -= row[k] * other[k];
	}
	for (int j = p->first[i]; j < i; j++) {
		const double u = row[j];
		row[j] = p->pivot[j] > 0 ? u / p->pivot[j] : 0;
		pivot -= u * row[j];
		if (p->pivot[j] == 0 && fabs(u) > fabs(largest)) {
			largest = u;
			beside = j;
		}
	}
	p->pivot[i] = pivot > round_off(p) ? pivot : 0;
	/* |u| is at most sqrt(d_i d_j) where no direction is negative */
	if (fabs(largest) > 4 * sqrt(round_off(p)) && try_direction(p, i, beside, largest))
		return true;
	return pivot < -round_off(p) && try_direction(p, i, -1, 0);
}

static bool is_indefinite(struct profile *p)
{
	scale_rows(p);
	for (int i = 0; i < p->n; i++)
		if (split_row(p, i))
			return true;
	return false;
}

/* ---- Elements ---- */

struct check {
	const bxt_system *s;
	bxt_diagnostics *d;
	/* The inertia dP/dv of each element that has any, row by row. */
	size_t *at; /* (elements) index of the first entry in value */
	double *value;
	int *set;    /* (elements) disjoint sets of those coupled by bindings or at nodes */
	int *next;   /* (elements) the next of the set, -1 at its end; the root is its first */
	int *last;   /* (elements) of a root: the last of its set */
	int *row_of; /* (size) row in the profile of an x index, or -1; before that, an element that
			leans on the inertia of others there */
	struct row {
		int x, degree;
	} * rows; /* (n) of the set under test */
	size_t c_rows;
	int n, found;
	bool failed; /* memory is exhausted */
	struct profile profile;
};

static const bxt_element_type *type_of(const struct check *c, int element)
{
	return c->s->groups[c->s->of_element.group[element]].type;
}

static bool has_inertia(const bxt_element_type *type)
{
	for (int a = 0; a < type->nl; a++)
		if (!type->massless[a])
			return true;
	return false;
}

static void collect_inertia(void *context, const bxt_group *group, int first, int count,
			    const bxt_output_set *set, const double *const *in, const double *work)
{
	const struct check *c = context;
	const size_t nl = (size_t)group->type->nl;
	for (int k = 0; k < set->n; k++) {
		const bxt_entry e = set->entries[k];
		if (e.term != BXT_PV || group->type->has_term[e.row])
			continue; /* no energy has a momentum term */
		const double *lane = bxt_tape_result(set->tape, k, in, work);
		for (int i = 0; i < count; i++)
			c->value[c->at[group->element[first + i]] + (size_t)e.row * nl +
				 (size_t)e.col] = lane[i];
	}
}

/* The x index of a local coordinate. */
static int place(const struct check *c, int element, int a)
{
	const bxt_group *group = &c->s->groups[c->s->of_element.group[element]];
	return group->at[a][c->s->of_element.place[element]];
}

/* Marks coordinates of nodes at which the element's own inertia is negative, m_aa < 0, or too small
 * for its coupling, m_ab^2 > m_aa m_bb. The inertia of other elements there may compensate for it.
 */
static void mark_leaning(struct check *c, int element)
{
	const bxt_element_type *type = type_of(c, element);
	const double *value = c->value + c->at[element];
	const int nl = type->nl;
	for (int a = 0; has_inertia(type) && a < nl; a++)
		for (int b = 0; b <= a; b++) {
			const int x = place(c, element, a), y = place(c, element, b);
			const double aa = value[a * nl + a], off = value[a * nl + b];
			const bool leans =
				a == b ? aa < 0
				       : off * off > (1 + LEANING) * fabs(aa * value[b * nl + b]);
			if (leans && off != 0 && x != c->s->spare && y != c->s->spare)
				c->row_of[x] = c->row_of[y] = element;
		}
}

/* Joins elements that have inertia at one marked coordinate. */
static void join_at_nodes(struct check *c)
{
	const int n = (int)c->s->net->n_elements;
	for (int i = 0; i < n; i++)
		mark_leaning(c, i);
	for (int i = 0; i < n; i++) {
		const bxt_element_type *type = type_of(c, i);
		for (int a = 0; has_inertia(type) && a < type->nl; a++)
			if (!type->massless[a] && place(c, i, a) != c->s->spare &&
			    c->row_of[place(c, i, a)] >= 0)
				bxt_sets_join(c->set, i, c->row_of[place(c, i, a)]);
	}
	for (int x = 0; x < c->s->size; x++)
		c->row_of[x] = -1;
}

/* Sets of elements that bindings or nodes couple, in the order of the netlist. */
static void couple(struct check *c)
{
	const bxt_network *net = c->s->net;
	const int n = (int)net->n_elements;
	for (int i = 0; i < n; i++)
		c->next[i] = -1;
	for (int x = 0; x < c->s->size; x++)
		c->row_of[x] = -1;
	for (int i = 0; i < n; i++) {
		const bxt_element_type *type = type_of(c, i);
		const int n_bound = type->nl - type->n_own - type->n_shared;
		for (int a = 0; n_bound > 0 && has_inertia(type) && a < n_bound; a++)
			bxt_sets_join(c->set, i, net->elements[i].bound[a].element);
	}
	join_at_nodes(c);
	for (int i = 0; i < n; i++) {
		const int root = bxt_sets_find(c->set, i);
		if (root != i)
			c->next[c->last[root]] = i;
		c->last[root] = i;
	}
}

/* Calls visit for each nonzero entry of an element's inertia, except at fixed coordinates.
 */
static void visit_entries(struct check *c, int element,
			  void (*visit)(struct check *, int x, int y, double value))
{
	const bxt_element_type *type = type_of(c, element);
	const double *value = c->value + c->at[element];
	for (int a = 0; has_inertia(type) && a < type->nl; a++)
		for (int b = 0; b < type->nl; b++) {
			const int x = place(c, element, a), y = place(c, element, b);
			if (value[a * type->nl + b] != 0 && x != c->s->spare && y != c->s->spare)
				visit(c, x, y, value[a * type->nl + b]);
		}
}

static void count_entry(struct check *c, int x, int y, double value)
{
	(void)value;
	if (c->row_of[x] < 0) {
		if (BXT_GROW(c->rows, c->c_rows, (size_t)c->n + 1) != BXT_OK) {
			c->failed = true;
			return;
		}
		c->rows[c->n] = (struct row){x, 0};
		c->row_of[x] = c->n++;
	}
	c->rows[c->row_of[x]].degree += x != y;
}

static void widen(struct check *c, int x, int y, double value)
{
	const int i = c->row_of[x], j = c->row_of[y];
	(void)value;
	if (j < c->profile.first[i])
		c->profile.first[i] = j;
}

static void add_entry(struct check *c, int x, int y, double value)
{
	const int i = c->row_of[x], j = c->row_of[y];
	if (j <= i)
		*entry(&c->profile, c->profile.m, i, j) += value;
}

/* The elements with the most couplings come last, which keeps rows short; otherwise the order is
 * that of the netlist. */
static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	if (x->degree != y->degree)
		return x->degree < y->degree ? -1 : 1;
	return (x->x > y->x) - (x->x < y->x);
}

static void for_set(struct check *c, int root, void (*visit)(struct check *, int, int, double))
{
	for (int i = root; i >= 0; i = c->next[i])
		visit_entries(c, i, visit);
}

/* ---- Words ---- */

static double largest_part(const struct check *c)
{
	double largest = 0;
	for (int i = 0; i < c->n; i++)
		largest = fmax(largest, fabs(c->profile.z[i]));
	return largest;
}

/* Has an element a part in the direction z? */
static bool takes_part(const struct check *c, int element, double least)
{
	const bxt_element_type *type = type_of(c, element);
	const double *value = c->value + c->at[element];
	for (int a = 0; has_inertia(type) && a < type->nl; a++)
		for (int b = 0; b < type->nl; b++) {
			const int i = c->row_of[place(c, element, a)];
			const int j = c->row_of[place(c, element, b)];
			if (value[a * type->nl + b] != 0 && i >= 0 && j >= 0 &&
			    fabs(c->profile.z[i]) > least && fabs(c->profile.z[j]) > least)
				return true;
		}
	return false;
}

/* Lists the paths of elements that bind others, or of those that do not; returns their number. */
static int name_parts(const struct check *c, int root, bool binding, bxt_buffer *words, int *first)
{
	const double least = BXT_NULL_PART * largest_part(c);
	int n = 0;
	bxt_buffer path = {0};
	for (int i = root; i >= 0; i = c->next[i]) {
		const bxt_element *e = &c->s->net->elements[i];
		if ((e->bound != NULL) != binding || !takes_part(c, i, least))
			continue;
		if (n == 0)
			*first = i;
		if (n++ < MAX_NAMED)
			bxt_buffer_printf(words, "%s%s", words->length ? ", " : "",
					  bxt_network_path(c->s->net, e->primitive, e->id, &path));
	}
	if (n > MAX_NAMED)
		bxt_buffer_printf(words, " and %d more", n - MAX_NAMED);
	bxt_buffer_free(&path);
	return n;
}

static void report(const struct check *c, int root)
{
	bxt_buffer elements = {0}, couplings = {0};
	int first = root, first_coupling = root;
	const int n = name_parts(c, root, false, &elements, &first);
	const int n_coupling = name_parts(c, root, true, &couplings, &first_coupling);
	const bxt_element *e = &c->s->net->elements[n ? first : first_coupling];
	if (n + n_coupling <= 1)
		bxt_error(c->d, e->place,
			  "%s '%s': its inertia is not positive definite: some flows would have "
			  "negative kinetic energy",
			  type_of(c, n ? first : first_coupling)->component->name,
			  elements.text    ? elements.text
			  : couplings.text ? couplings.text
					   : e->id);
	else if (n_coupling == 0)
		bxt_error(c->d, e->place,
			  "the inertia of %s together is not positive definite: some flows would "
			  "have negative kinetic energy",
			  elements.text ? elements.text : "?");
	else
		bxt_error(c->d, c->s->net->elements[n_coupling ? first_coupling : first].place,
			  "the inertia of %s, coupled by %s, is not positive definite: some flows "
			  "would have negative kinetic energy",
			  elements.text ? elements.text : "?",
			  couplings.text ? couplings.text : "?");
	bxt_buffer_free(&elements);
	bxt_buffer_free(&couplings);
}

/* ---- The whole ---- */

static bxt_status check_set(struct check *c, int root)
{
	c->n = 0;
	for_set(c, root, count_entry);
	bxt_status status = c->failed ? BXT_ERR_MEMORY : open_rows(&c->profile, c->n);
	if (c->n > 0)
		qsort(c->rows, (size_t)c->n, sizeof *c->rows, compare);
	for (int i = 0; i < c->n; i++)
		c->row_of[c->rows[i].x] = i;
	if (status == BXT_OK && c->n > 0) {
		for_set(c, root, widen);
		status = open_profile(&c->profile);
	}
	if (status == BXT_OK && c->n > 0) {
		for_set(c, root, add_entry);
		if (is_indefinite(&c->profile) && c->found++ < MAX_FINDINGS)
			report(c, root);
	}
	for (int i = 0; i < c->n; i++)
		c->row_of[c->rows[i].x] = -1;
	return status;
}

static bxt_status check_sets(struct check *c)
{
	bxt_status status = BXT_OK;
	couple(c);
	for (size_t i = 0; i < c->s->net->n_elements && status == BXT_OK; i++)
		if (c->set[i] == (int)i && (c->next[i] >= 0 || has_inertia(type_of(c, (int)i))))
			status = check_set(c, (int)i);
	if (c->found > MAX_FINDINGS)
		bxt_error(c->d, BXT_NOWHERE, "... and %d more like these", c->found - MAX_FINDINGS);
	return status == BXT_OK && c->found ? BXT_ERR_MODEL : status;
}

bxt_status bxt_check_inertia_signs(const bxt_system *s, bxt_evaluator *e, bxt_point at,
				   bxt_diagnostics *d)
{
	const size_t n = s->net->n_elements;
	bxt_arena *arena = bxt_arena_new();
	struct check c = {.s = s, .d = d};
	size_t total = 0;
	if (!arena)
		return BXT_ERR_MEMORY;
	c.at = BXT_NEW(arena, size_t, n);
	c.set = bxt_sets_new(arena, n);
	c.next = BXT_NEW(arena, int, n);
	c.last = BXT_NEW(arena, int, n);
	c.row_of = BXT_NEW(arena, int, (size_t)s->size);
	for (size_t i = 0; c.at && i < n; i++) {
		const bxt_element_type *type = type_of(&c, (int)i);
		c.at[i] = total;
		total += has_inertia(type) ? (size_t)type->nl * (size_t)type->nl : 0;
	}
	c.value = BXT_NEW(arena, double, total);
	bxt_status status =
		c.at && c.set && c.next && c.last && c.row_of && c.value ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		bxt_evaluate_blocks(e, BXT_SET_JAC_CONST, at, collect_inertia, &c);
		bxt_evaluate_blocks(e, BXT_SET_JAC_DYN, at, collect_inertia, &c);
		status = check_sets(&c);
	}
	free(c.rows);
	free_profile(&c.profile);
	bxt_arena_free(arena);
	return status;
}
