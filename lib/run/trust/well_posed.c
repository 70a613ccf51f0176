/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/trust/well_posed.h"

#include "ground/base/tolerances.h"
#include "model/system/rows_of_a.h"
#include "motion/start/inertia.h"
#include "motion/step/determined.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FINDINGS = 10, MAX_NAMED = 8 };

/* Largest distance, relative to its norm, of a dependent column from the other columns at which
 * null vectors are sought: it suffices if the null vector has a part of a millionth there. A larger
 * bound only costs time: more vectors are tried and rejected. */
static const double FARTHEST = 1e-8;
/* Below this reciprocal condition, which includes an ample margin, a pivot may be round-off and a
 * further check is made. A larger bound only costs time. */
static const double DOUBTFUL = 1e-8;
/* Largest product of the matrix with a null vector, relative to the vector: it consists of
 * round-off and of parts of the vector that were dropped as round-off. With a larger bound, regular
 * but badly conditioned matrices would count as singular. */
static const double ROUND_OFF = 1e-12;

/* Writes the names of the unknowns in a null vector, elements by their path, each once. *place:
 * that of the first. */
static void name_parts(const bxt_system *s, const bxt_sparse *z, int column, bool flows,
		       bxt_buffer *words, bxt_place *place)
{
	double largest = 0;
	int named = 0, owners[MAX_NAMED], n_owners = 0;
	bxt_buffer name = {0};
	for (int k = z->colptr[column]; k < z->colptr[column + 1]; k++)
		largest = fmax(largest, fabs(z->values[k]));
	for (int k = z->colptr[column]; k < z->colptr[column + 1]; k++) {
		const int x = z->rowind[k];
		if (fabs(z->values[k]) < BXT_NULL_PART * largest || (x < s->n) != flows ||
		    x >= s->spare)
			continue;
		const bxt_coord_info *c = flows ? &s->dirac.coord[s->coord_of_x[x]] : NULL;
		const bool element = c && c->type == BXT_COORD_ELEMENT;
		int known = 0; /* search among the elements named so far, which are few */
		while (element && known < n_owners && owners[known] != c->owner)
			known++;
		if (element && known < n_owners)
			continue;
		if (element && n_owners < MAX_NAMED)
			owners[n_owners++] = c->owner;
		const bxt_element *e = element ? &s->net->elements[c->owner] : NULL;
		if (e && !place->file)
			*place = e->place;
		if (c && c->type == BXT_COORD_NODE && !place->file)
			*place = s->net->nodes[c->owner].place;
		if (!flows && !place->file)
			*place = bxt_system_x_place(s, x);
		if (named++ == MAX_NAMED)
			bxt_buffer_printf(words, ", ...");
		if (named > MAX_NAMED)
			continue;
		bxt_buffer_printf(words, "%s%s", words->length ? ", " : "",
				  e ? bxt_network_path(s->net, e->primitive, e->id, &name)
				    : bxt_system_x_name(s, x, &name));
	}
	bxt_buffer_free(&name);
}

/* A copy of the matrix with rows scaled to unit maximum; columns are scaled by the null space
 * itself. */
static bxt_status equilibrated(bxt_arena *arena, const bxt_sparse *pattern, const double *values,
			       bxt_sparse *out)
{
	const int nnz = bxt_sparse_nnz(pattern);
	double *scale = BXT_NEW(arena, double, (size_t)pattern->nrow);
	*out = *pattern;
	out->values = BXT_NEW(arena, double, (size_t)nnz);
	if (!scale || !out->values)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < nnz; k++)
		scale[pattern->rowind[k]] = fmax(scale[pattern->rowind[k]], fabs(values[k]));
	for (int k = 0; k < nnz; k++)
		out->values[k] =
			scale[pattern->rowind[k]] > 0 ? values[k] / scale[pattern->rowind[k]] : 0;
	return BXT_OK;
}

/* Does a null vector move shared nodes only? *several: it moves more than one of their
 * coordinates. */
static bool moves_nodes(const bxt_system *s, const bxt_sparse *z, int column, bool *several)
{
	double largest = 0;
	int parts = 0;
	for (int k = z->colptr[column]; k < z->colptr[column + 1]; k++)
		largest = fmax(largest, fabs(z->values[k]));
	for (int k = z->colptr[column]; k < z->colptr[column + 1]; k++) {
		const int x = z->rowind[k];
		if (fabs(z->values[k]) < BXT_NULL_PART * largest)
			continue;
		if (x >= s->n || s->dirac.coord[s->coord_of_x[x]].type != BXT_COORD_NODE)
			return false;
		parts++;
	}
	*several = parts > 1;
	return parts > 0;
}

/* The elements that have the coordinates of a null vector. */
static void name_users(const bxt_system *s, const bxt_sparse *z, int column, bxt_buffer *words)
{
	bxt_buffer name = {0};
	int named = 0;
	for (size_t i = 0; i < s->net->n_elements && named <= MAX_NAMED; i++) {
		const bxt_group *group = &s->groups[s->of_element.group[i]];
		const bxt_element *e = &s->net->elements[i];
		bool uses = false;
		for (int a = 0; a < group->type->nl && !uses; a++)
			for (int k = z->colptr[column]; k < z->colptr[column + 1]; k++)
				uses = uses || group->at[a][s->of_element.place[i]] == z->rowind[k];
		if (uses)
			bxt_buffer_printf(words, "%s%s", named ? ", " : "",
					  named < MAX_NAMED ? bxt_network_path(s->net, e->primitive,
									       e->id, &name)
							    : "...");
		named += uses;
	}
	bxt_buffer_free(&name);
}

/* Forces at rest. Their product with a null vector of the step's matrix is a force that no flow can
 * balance. */
struct rest {
	double *force, *size; /* by x index; the sum of the absolute values of a force's parts */
	double t;
};

static bxt_status forces_at_rest(bxt_arena *arena, bxt_evaluator *e, const bxt_state *state,
				 struct rest *rest)
{
	static const bxt_weights forces = {{{[BXT_F] = 1}, {[BXT_F] = 1}}};
	const size_t n = (size_t)e->system->size;
	double *zero = BXT_NEW(arena, double, n);
	*rest = (struct rest){BXT_NEW(arena, double, n), BXT_NEW(arena, double, n), state->t};
	if (!zero || !rest->force || !rest->size)
		return BXT_ERR_MEMORY;
	bxt_evaluator_set_time(e, state->t);
	bxt_evaluate(e, BXT_SET_REST, (bxt_point){state->q, zero, state->t}, &forces, rest->force,
		     rest->size);
	return BXT_OK;
}

/* The unit of effort of an element's first port, such as "V"; "" if it has none. */
static const char *effort_unit(const bxt_system *s, int x)
{
	const bxt_coord_info *c = &s->dirac.coord[s->coord_of_x[x]];
	const bxt_element *e = c->type == BXT_COORD_ELEMENT ? &s->net->elements[c->owner] : NULL;
	const bxt_component *component = e ? s->net->types[e->type]->component : NULL;
	return component && component->n_ports > 0 ? component->ports[0].kind->effort_unit[0] : "";
}

/* Reports a loop of massless flows around which given efforts do not sum to zero: sources that
 * contradict each other. */
static bool report_contradiction(const bxt_system *s, const bxt_sparse *z, int column,
				 const struct rest *rest, const char *flows, bxt_place place,
				 bxt_diagnostics *d)
{
	static const double EXACT = 1e-9; /* of the terms of the sum */
	double sum = 0, size = 0, largest = 0;
	const char *unit = "";
	bool several = false;
	for (int k = z->colptr[column]; k < z->colptr[column + 1]; k++) {
		const int x = z->rowind[k];
		sum += z->values[k] * rest->force[x];
		size += fabs(z->values[k]) * rest->size[x];
		largest = fmax(largest, fabs(z->values[k]));
	}
	for (int k = z->colptr[column]; k < z->colptr[column + 1]; k++) {
		if (fabs(z->values[k]) < BXT_NULL_PART * largest || z->rowind[k] >= s->n)
			continue;
		const char *here = effort_unit(s, z->rowind[k]);
		several = several || (*unit && strcmp(unit, here) != 0);
		unit = here;
	}
	if (!(fabs(sum) > EXACT * size))
		return false;
	bxt_error(
		d, place,
		"ill-posed: %s: the given efforts around this loop contradict each other, %.6g%s%s "
		"are left over at t = %.6g s, and nothing in it has resistance, inertia or "
		"stiffness; put a resistance into the loop, or leave out one of the sources",
		flows, fabs(sum) / largest, *unit && !several ? " " : "", several ? "" : unit,
		rest->t);
	return true;
}

static void report(const bxt_system *s, const bxt_sparse *z, int column, const struct rest *rest,
		   bxt_diagnostics *d)
{
	bxt_buffer flows = {0}, rows = {0}, users = {0};
	bxt_place place = BXT_NOWHERE;
	name_parts(s, z, column, true, &flows, &place);
	name_parts(s, z, column, false, &rows, &place);
	bool several = false;
	if (moves_nodes(s, z, column, &several)) {
		name_users(s, z, column, &users);
		bxt_error(
			d, place,
			"ill-posed: %s%s neither mass nor equation: no inertia, stiffness, damping "
			"or constraint determines how it moves; elements there: %s; add one that "
			"has inertia along it (a rigid-body turns, a point-mass does not), or a "
			"constraint, or use elements that do without it",
			flows.text ? flows.text : "?",
			several ? " can move together; that motion has" : " has",
			users.text ? users.text : "none");
	} else if (flows.length && !rows.length &&
		   report_contradiction(s, z, column, rest, flows.text, place, d)) {
		/* the finding is complete */
	} else if (flows.length && !rows.length)
		bxt_error(d, place,
			  "ill-posed: the flow around %s is not determined; nothing in this loop "
			  "has resistance, inertia or stiffness",
			  flows.text);
	else if (rows.length && !flows.length)
		bxt_error(d, place,
			  "ill-posed: the multipliers of %s are not determined; their rows depend "
			  "on each other",
			  rows.text);
	else
		bxt_error(d, place,
			  "ill-posed: flows of %s and multipliers of %s are not determined",
			  flows.text ? flows.text : "?", rows.text ? rows.text : "?");
	bxt_buffer_free(&flows);
	bxt_buffer_free(&rows);
	bxt_buffer_free(&users);
}

/* The same for the matrix that explicit schemes solve for flows. */
static void report_flows(const bxt_system *s, const bxt_sparse *z, int column,
			 const struct rest *rest, bxt_diagnostics *d)
{
	(void)rest;
	bxt_buffer words = {0};
	bxt_place place = BXT_NOWHERE;
	name_parts(s, z, column, true, &words, &place);
	bxt_error(
		d, place,
		"explicit schemes cannot step this model: the flow of %s does not follow from the "
		"state; nothing there has inertia, resistance or a momentum that depends on "
		"coordinates (use gauss1)",
		words.text ? words.text : "?");
	bxt_buffer_free(&words);
}

/*
 * Finds null vectors; `singular`: the matrix is known to be singular. The computed distance of a
 * dependent column from the others depends on their order: if its own part of the null vector is
 * small, the distance is larger than round-off. The product of matrix and vector, both in scaled
 * rows and unknowns, therefore decides: at the first distance that finds vectors it is 0 within
 * round-off, or there are none.
 */
static bxt_status find_null_vectors(bxt_arena *arena, const bxt_sparse *a, bool singular,
				    bxt_sparse *z)
{
	BXT_TRY(bxt_sparse_null_space(arena, a, BXT_DEPENDENT, z));
	if (!singular || z->ncol > 0)
		return BXT_OK;
	for (double tol = 10 * BXT_DEPENDENT; z->ncol == 0 && tol < FARTHEST; tol *= 10)
		BXT_TRY(bxt_sparse_null_space(arena, a, tol, z));
	double *product = BXT_NEW(arena, double, (size_t)a->nrow + 1);
	double *norm = BXT_NEW(arena, double, (size_t)a->ncol + 1);
	if (!product || !norm)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
			norm[j] = hypot(norm[j], a->values[k]);
	for (int c = 0; c < z->ncol; c++) {
		double left = 0, size = 0;
		memset(product, 0, (size_t)a->nrow * sizeof *product);
		for (int k = z->colptr[c]; k < z->colptr[c + 1]; k++) {
			const int j = z->rowind[k];
			size = hypot(size, z->values[k] * norm[j]);
			for (int i = a->colptr[j]; i < a->colptr[j + 1]; i++)
				product[a->rowind[i]] += z->values[k] * a->values[i];
		}
		for (int i = 0; i < a->nrow; i++)
			left = hypot(left, product[i]);
		if (left > ROUND_OFF * size)
			z->ncol = 0;
	}
	return BXT_OK;
}

struct ordered {
	const bxt_sparse *z;
	int column;
	double largest;
};

/* Lexicographic, by the unknowns that are parts of the vectors. */
static int compare_vectors(const void *one, const void *other)
{
	const struct ordered *a = one, *b = other;
	int i = a->z->colptr[a->column], j = b->z->colptr[b->column];
	const int end_a = a->z->colptr[a->column + 1], end_b = b->z->colptr[b->column + 1];
	for (;; i++, j++) {
		while (i < end_a && fabs(a->z->values[i]) < BXT_NULL_PART * a->largest)
			i++;
		while (j < end_b && fabs(b->z->values[j]) < BXT_NULL_PART * b->largest)
			j++;
		if (i == end_a && j == end_b)
			return a->column - b->column;
		if (i == end_a || j == end_b)
			return (i < end_a) - (j < end_b);
		if (a->z->rowind[i] != b->z->rowind[j])
			return a->z->rowind[i] < b->z->rowind[j] ? -1 : 1;
	}
}

/* Sorts null vectors, whose order comes from a factorisation, so that findings follow the order of
 * the netlist. */
static bxt_status order_vectors(bxt_arena *arena, const bxt_sparse *z, int **order)
{
	struct ordered *of = BXT_NEW(arena, struct ordered, (size_t)z->ncol + 1);
	*order = BXT_NEW(arena, int, (size_t)z->ncol + 1);
	if (!of || !*order)
		return BXT_ERR_MEMORY;
	for (int c = 0; c < z->ncol; c++) {
		of[c] = (struct ordered){z, c, 0};
		for (int k = z->colptr[c]; k < z->colptr[c + 1]; k++)
			of[c].largest = fmax(of[c].largest, fabs(z->values[k]));
	}
	qsort(of, (size_t)z->ncol, sizeof *of, compare_vectors);
	for (int c = 0; c < z->ncol; c++)
		(*order)[c] = of[c].column;
	return BXT_OK;
}

static bxt_status report_null_space(const bxt_stepper *st, const bxt_state *state, bool singular,
				    void (*tell)(const bxt_system *, const bxt_sparse *, int,
						 const struct rest *, bxt_diagnostics *),
				    bxt_diagnostics *d)
{
	const bxt_system *s = st->system;
	struct rest rest;
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse matrix, z = {0};
	int *order = NULL;
	bxt_status status = arena ? equilibrated(arena, &st->pattern, st->newton.values, &matrix)
				  : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = find_null_vectors(arena, &matrix, singular, &z);
	if (status == BXT_OK && z.ncol > 0)
		status = forces_at_rest(arena, st->evaluator[0], state, &rest);
	if (status == BXT_OK)
		status = order_vectors(arena, &z, &order);
	for (int c = 0; status == BXT_OK && c < z.ncol && c < MAX_FINDINGS; c++)
		tell(s, &z, order[c], &rest, d);
	if (status == BXT_OK && z.ncol > MAX_FINDINGS)
		bxt_error(d, BXT_NOWHERE, "... and %d more dependencies like these",
			  z.ncol - MAX_FINDINGS);
	if (status == BXT_OK && z.ncol > 0)
		status = BXT_ERR_MODEL;
	bxt_arena_free(arena);
	return status;
}

/* Names the unknowns and rows where the matrix of the step is not finite. */
static void report_not_finite(const bxt_stepper *st, bxt_diagnostics *d)
{
	const bxt_system *s = st->system;
	const bxt_sparse *p = &st->pattern;
	bxt_buffer words = {0}, name = {0};
	int named = 0, last = -1;
	for (int j = 0; j < s->spare && named < MAX_NAMED; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1] && last != j; k++) {
			if (isfinite(st->newton.values[k]) || p->rowind[k] >= s->spare)
				continue;
			last = j;
			bxt_buffer_printf(&words, "%s%s", named++ ? ", " : "",
					  bxt_system_x_name(s, j, &name));
		}
	bxt_error(d, BXT_NOWHERE,
		  "the equations are not finite at the start, at %s: check initial values and "
		  "parameters",
		  words.text ? words.text : "their right side");
	bxt_buffer_free(&words);
	bxt_buffer_free(&name);
}

/*
 * Derivatives of rows that depend on coordinates contain their multipliers. Whether such rows
 * determine a step under load (two heat capacities, T_1(U_1) = T_2(U_2)) is therefore checked at
 * the solution of the first step, or of a shorter one. If there is no solution (a square root of a
 * value that becomes negative), the matrix at a point where no unknown is zero decides, and the run
 * reports the failure. The guess is unchanged on return.
 */
static bxt_status is_regular_loaded(bxt_stepper *st, const bxt_state *state, bool *regular)
{
	enum { SHORTER = 3 };
	const size_t bytes = (size_t)st->n_x * sizeof *st->x;
	double h = st->settings->step, *guess = malloc(bytes);
	if (!guess)
		return BXT_ERR_MEMORY;
	memcpy(guess, st->x, bytes);
	bxt_status status = bxt_stepper_try(st, state, h);
	for (int shorter = 0; shorter < SHORTER && bxt_status_is_recoverable(status); shorter++)
		status = bxt_stepper_try(st, state, h /= 8);
	if (status != BXT_OK && status != BXT_ERR_MEMORY) {
		memcpy(st->x, guess, bytes);
		bxt_stepper_disturb(st, true);
		status = BXT_OK;
	}
	if (status == BXT_OK)
		status = bxt_stepper_factor(st, state, h);
	*regular = false;
	if (status == BXT_OK)
		status = bxt_stepper_is_determined(st, regular);
	memcpy(st->x, guess, bytes);
	free(guess);
	return status == BXT_ERR_MEMORY || status == BXT_ERR_NOT_FINITE ? status : BXT_OK;
}

/*
 * Is the matrix at the guess regular? A pivot that is round-off may exceed the bound. Where rows
 * depend on the state, and badly conditioned matrices are rare, the effect of round-off on flows
 * decides.
 */
static bxt_status is_regular(bxt_stepper *st, const bxt_state *state, bool *regular)
{
	const bxt_status status = bxt_stepper_factor(st, state, st->settings->step);
	const double rcond = bxt_stepper_rcond(st);
	*regular = status == BXT_OK && rcond >= BXT_RCOND_SINGULAR;
	return *regular && !st->system->constraints.constant && rcond < DOUBTFUL
		       ? bxt_stepper_is_determined(st, regular)
		       : status;
}

bxt_status bxt_check_step(bxt_stepper *st, const bxt_state *state, bxt_diagnostics *d)
{
	const bxt_system *s = st->system;
	bool regular = false, loaded = false;
	bxt_status status = is_regular(st, state, &regular);
	if (regular)
		return bxt_stepper_report_rows(st, state, d);
	if (!s->affine && (status == BXT_OK || status == BXT_ERR_SINGULAR)) {
		/* a law without slope at rest, such as r i^3, is no error: check the matrix away
		 * from rest */
		bxt_stepper_disturb(st, false);
		status = is_regular(st, state, &regular);
		if (regular)
			return bxt_stepper_report_rows(st, state, d);
		loaded = !s->constraints.constant && s->m > 0;
		if (loaded)
			status = is_regular_loaded(st, state, &regular);
		if (regular)
			return bxt_stepper_report_rows(st, state, d);
		if (!s->constraints.constant && status == BXT_OK) /* for the finding */
			status = bxt_stepper_factor(st, state, st->settings->step);
	}
	if (status != BXT_OK && status != BXT_ERR_SINGULAR) {
		if (status != BXT_ERR_NOT_FINITE)
			return status;
		report_not_finite(st, d);
		return BXT_ERR_MODEL;
	}
	const bool singular = status == BXT_ERR_SINGULAR;
	status = report_null_space(st, state, loaded,
				   st->method->flows_alone ? report_flows : report, d);
	if (status == BXT_OK && singular && s->affine) {
		bxt_stepper_report_failure(st, BXT_ERR_SINGULAR, state->t, d);
		return BXT_ERR_SINGULAR;
	}
	return status;
}

/* ---- Inertia: its sign is judged in start/inertia.c, its null vectors here ---- */

static void report_inertia(const bxt_system *s, const bxt_sparse *z, int column, bxt_diagnostics *d)
{
	bxt_buffer words = {0};
	bxt_place place = BXT_NOWHERE;
	name_parts(s, z, column, true, &words, &place);
	bxt_error(d, place,
		  "the inertia of %s is singular although it is not structurally zero: a "
		  "combination of its flows has no inertia, and no constraint fixes it",
		  words.text ? words.text : "?");
	bxt_buffer_free(&words);
}

/* Builds the matrix with M above A. It omits rows of massless coordinates but keeps their columns:
 * a row that a massless flow can satisfy fixes no inertia. */
static bxt_status inertia_and_rows(bxt_arena *arena, bxt_evaluator *e, const bxt_sparse *mass,
				   bxt_point at, bxt_sparse *out)
{
	const bxt_system *s = e->system;
	const bxt_sparse *p = &s->pattern;
	double *values = BXT_NEW(arena, double, (size_t)bxt_sparse_nnz(p) + 1);
	const size_t most = (size_t)bxt_sparse_nnz(mass) + (size_t)bxt_sparse_nnz(p);
	int n = 0;
	*out = (bxt_sparse){s->spare, s->n, BXT_NEW(arena, int, (size_t)s->n + 1),
			    BXT_NEW(arena, int, most), BXT_NEW(arena, double, most)};
	if (!values || !out->colptr || !out->rowind || !out->values)
		return BXT_ERR_MEMORY;
	bxt_assemble(e, at, &bxt_only_rows, values);
	for (int j = 0; j < s->n; j++) {
		for (int k = mass->colptr[j]; k < mass->colptr[j + 1] && !s->pinned[j]; k++) {
			out->rowind[n] = mass->rowind[k];
			out->values[n++] = mass->values[k];
		}
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			if (p->rowind[k] >= s->n && p->rowind[k] < s->spare) {
				out->rowind[n] = p->rowind[k];
				out->values[n++] = values[k];
			}
		out->colptr[j + 1] = n;
	}
	return BXT_OK;
}

/* Reports directions without inertia that no row fixes. Directions of massless flows only are
 * checked elsewhere. */
static bxt_status check_directions(bxt_evaluator *e, const bxt_sparse *mass, bxt_point at,
				   bxt_diagnostics *d)
{
	const bxt_system *s = e->system;
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse both, matrix, z = {0};
	int found = 0, *order = NULL;
	bxt_status status = arena ? inertia_and_rows(arena, e, mass, at, &both) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = equilibrated(arena, &both, both.values, &matrix);
	if (status == BXT_OK)
		status = bxt_sparse_null_space(arena, &matrix, BXT_DEPENDENT, &z);
	if (status == BXT_OK)
		status = order_vectors(arena, &z, &order);
	for (int c = 0; status == BXT_OK && c < z.ncol; c++) {
		const int v = order[c];
		bool heavy = false;
		for (int k = z.colptr[v]; k < z.colptr[v + 1]; k++)
			heavy = heavy || !s->pinned[z.rowind[k]];
		if (heavy && found++ < MAX_FINDINGS)
			report_inertia(s, &z, v, d);
	}
	bxt_arena_free(arena);
	return status == BXT_OK && found ? BXT_ERR_MODEL : status;
}

bxt_status bxt_check_inertia(const bxt_system *s, const double *q, double t, bxt_diagnostics *d)
{
	bxt_velocity *u = NULL;
	bxt_evaluator *e = bxt_evaluator_new(s);
	double *zero = calloc((size_t)s->size, sizeof *zero);
	bxt_status status = zero && e ? bxt_velocity_new(s, &u) : BXT_ERR_MEMORY;
	const bxt_point at = {q, zero, t};
	if (status == BXT_OK) {
		bxt_evaluator_set_time(e, t);
		status = bxt_check_inertia_signs(s, e, at, d);
	}
	if (status == BXT_OK) {
		status = bxt_velocity_factor(u, e, at);
		if (status == BXT_ERR_SINGULAR || (status == BXT_OK && u->singular))
			status = check_directions(e, &u->mass, at, d);
	}
	free(zero);
	bxt_velocity_free(u);
	bxt_evaluator_free(e);
	return status;
}
