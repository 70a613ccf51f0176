/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "posed.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Below this a matrix is looked at; whether it is singular is decided by its null vectors. */
static const double SUSPICIOUS = 1e-14;
/* Parts of a null vector smaller than this, relative to its largest, are round-off. */
static const double PART = 1e-7;
enum { MAX_FINDINGS = 10, MAX_NAMED = 8 };

/* The names of what a null vector touches, elements by their path, each once; *place of the first.
 */
static void name_parts(const bxt_system *s, const bxt_sparse *z, int column, bool flows,
		       bxt_buffer *words, bxt_place *place)
{
	double largest = 0;
	int named = 0, last_owner = -1;
	bxt_buffer name = {0};
	for (int k = z->colptr[column]; k < z->colptr[column + 1]; k++)
		largest = fmax(largest, fabs(z->values[k]));
	for (int k = z->colptr[column]; k < z->colptr[column + 1]; k++) {
		const int x = z->rowind[k];
		if (fabs(z->values[k]) < PART * largest || (x < s->n) != flows || x >= s->spare)
			continue;
		const bxt_coord_info *c = flows ? &s->dirac.coord[s->coord_of_x[x]] : NULL;
		const bool element = c && c->type == BXT_COORD_ELEMENT;
		if (element && c->owner == last_owner)
			continue;
		last_owner = element ? c->owner : -1;
		const bxt_instance *e = element ? &s->net->instances[c->owner] : NULL;
		if (e && !place->file)
			*place = e->place;
		if (!flows && !place->file) {
			const bxt_row_info *row = &s->dirac.row[s->row_of_x[x - s->n]];
			*place = row->family == BXT_FAMILY_NODE ? s->net->nodes[row->owner].place
				 : row->family == BXT_FAMILY_CONSTRAINT
					 ? s->net->instances[row->owner].place
					 : s->net->connections[row->owner].place;
		}
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

static void report(const bxt_system *s, const bxt_sparse *z, int column, bxt_diagnostics *d)
{
	bxt_buffer flows = {0}, rows = {0};
	bxt_place place = BXT_NOWHERE;
	name_parts(s, z, column, true, &flows, &place);
	name_parts(s, z, column, false, &rows, &place);
	if (flows.length && !rows.length)
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
}

/* The same of the matrix that explicit schemes solve for flows. */
static void report_flows(const bxt_system *s, const bxt_sparse *z, int column, bxt_diagnostics *d)
{
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

static bxt_status
report_null_space(const bxt_system *s, const bxt_sparse *pattern, const double *values,
		  void (*tell)(const bxt_system *, const bxt_sparse *, int, bxt_diagnostics *),
		  bxt_diagnostics *d)
{
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse matrix, z = {0};
	bxt_status status = arena ? equilibrated(arena, pattern, values, &matrix) : BXT_ERR_MEMORY;
	/* exact dependencies only: a conductance of 1e-12 S beside 1 S is a model, not a mistake */
	if (status == BXT_OK)
		status = bxt_sparse_null_space(arena, &matrix, 16 * DBL_EPSILON, &z);
	for (int c = 0; status == BXT_OK && c < z.ncol && c < MAX_FINDINGS; c++)
		tell(s, &z, c, d);
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

/* Rows that are left out at the start: redundant, or in contradiction. */
static bxt_status check_rows(const bxt_stepper *st, const bxt_state *state, bxt_diagnostics *d)
{
	if (!st->choice || st->choice->n_out[BXT_AT_STAGES] == 0)
		return BXT_OK;
	return bxt_row_choice_report(st->choice, state->q, state->t, d);
}

bxt_status bxt_check_step(bxt_stepper *st, const bxt_state *state, bxt_diagnostics *d)
{
	const bxt_system *s = st->system;
	bxt_status status = bxt_stepper_factor(st, state, st->settings->step);
	if (status == BXT_OK && bxt_linsol_rcond(st->solver) >= SUSPICIOUS)
		return check_rows(st, state, d);
	if (!s->affine && (status == BXT_OK || status == BXT_ERR_SINGULAR)) {
		/* a law without slope at rest, r i^3, is no mistake: judge it away from there */
		bxt_stepper_disturb(st);
		status = bxt_stepper_factor(st, state, st->settings->step);
		if (status == BXT_OK && bxt_linsol_rcond(st->solver) >= SUSPICIOUS)
			return check_rows(st, state, d);
	}
	if (status != BXT_OK && status != BXT_ERR_SINGULAR) {
		if (status != BXT_ERR_NOT_FINITE)
			return status;
		report_not_finite(st, d);
		return BXT_ERR_MODEL;
	}
	const bool singular = status == BXT_ERR_SINGULAR;
	status = report_null_space(s, &st->pattern, st->newton.values,
				   st->explicit ? report_flows : report, d);
	if (status == BXT_OK && singular && s->affine) {
		bxt_stepper_blame(st, BXT_ERR_SINGULAR, state->t, d);
		return BXT_ERR_SINGULAR;
	}
	return status;
}

/* ---- Inertia: element by element its sign, then together its null vectors ---- */

/* The inertia dP/dv of each instance that has any, row by row. */
struct inertia {
	size_t *at; /* (instances) place of the first entry in value */
	double *value;
};

static bool has_inertia(const bxt_kind *kind)
{
	for (int a = 0; a < kind->nl; a++)
		if (!kind->massless[a])
			return true;
	return false;
}

static void collect_inertia(void *context, const bxt_group *group, int first, int count,
			    const bxt_form *form, const double *const *in, const double *work)
{
	const struct inertia *inertia = context;
	const size_t nl = (size_t)group->kind->nl;
	for (int k = 0; k < form->n; k++) {
		const bxt_entry entry = form->entries[k];
		if (entry.class != BXT_PV)
			continue;
		const double *lane = bxt_tape_result(form->tape, k, in, work);
		for (int i = 0; i < count; i++)
			inertia->value[inertia->at[group->instance[first + i]] +
				       (size_t)entry.row * nl + (size_t)entry.col] = lane[i];
	}
}

/* Unit diagonal, so that what is small does not depend on units; true: a sign is wrong already. */
static bool scale_to_unit_diagonal(double *m, int n)
{
	for (int i = 0; i < n; i++) {
		const double diagonal = m[i * n + i], by = sqrt(diagonal);
		if (diagonal < 0)
			return true;
		for (int j = 0; j < n; j++) {
			if (diagonal == 0 && m[i * n + j] != 0)
				return true;
			if (diagonal > 0) {
				m[i * n + j] /= by;
				m[j * n + i] /= by;
			}
		}
	}
	return false;
}

/*
 * Has the symmetric m (n x n, overwritten) a negative direction beyond round-off? By the pivots of
 * L D L^T, the largest first: when that is 0, all that is left must be.
 */
static bool is_indefinite(double *m, int n)
{
	const double round_off = 8 * n * DBL_EPSILON;
	if (scale_to_unit_diagonal(m, n))
		return true;
	for (int done = 0; done < n; done++) {
		int p = 0;
		for (int i = 1; i < n; i++)
			if (m[i * n + i] > m[p * n + p])
				p = i;
		const double pivot = m[p * n + p];
		if (!(pivot > round_off))
			break;
		for (int i = 0; i < n; i++) /* M -= m_p m_p^T / pivot */
			for (int j = 0; j < n && i != p; j++)
				if (j != p)
					m[i * n + j] -= m[i * n + p] * m[p * n + j] / pivot;
		for (int i = 0; i < n; i++)
			m[i * n + p] = m[p * n + i] = 0;
	}
	for (int i = 0; i < n * n; i++)
		if (fabs(m[i]) > round_off)
			return true;
	return false;
}

static bxt_status report_indefinite(const bxt_system *s, const struct inertia *inertia,
				    bxt_diagnostics *d)
{
	bxt_buffer path = {0};
	int found = 0;
	for (size_t i = 0; i < s->net->n_instances; i++) {
		const bxt_instance *e = &s->net->instances[i];
		const bxt_kind *kind = s->groups[s->group_of_instance[i]].kind;
		if (!has_inertia(kind) ||
		    !is_indefinite(inertia->value + inertia->at[i], kind->nl) ||
		    found++ >= MAX_FINDINGS)
			continue;
		bxt_error(d, e->place,
			  "%s '%s': its inertia is not positive definite: some flows would have "
			  "negative kinetic energy",
			  kind->component->name,
			  bxt_network_path(s->net, e->primitive, e->id, &path));
	}
	if (found > MAX_FINDINGS)
		bxt_error(d, BXT_NOWHERE, "... and %d more like these", found - MAX_FINDINGS);
	bxt_buffer_free(&path);
	return found ? BXT_ERR_MODEL : BXT_OK;
}

/* Semidefinite passes here: an inerter between two masses is so; null vectors are looked at below.
 */
static bxt_status check_signs(const bxt_system *s, bxt_evaluator *e, bxt_point at,
			      bxt_diagnostics *d)
{
	const size_t n = s->net->n_instances;
	struct inertia inertia = {.at = calloc(n + 1, sizeof *inertia.at)};
	size_t total = 0;
	for (size_t i = 0; inertia.at && i < n; i++) {
		const bxt_kind *kind = s->groups[s->group_of_instance[i]].kind;
		inertia.at[i] = total;
		total += has_inertia(kind) ? (size_t)kind->nl * (size_t)kind->nl : 0;
	}
	inertia.value = calloc(total + 1, sizeof *inertia.value);
	bxt_status status = inertia.at && inertia.value ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		bxt_evaluate_blocks(e, BXT_FORM_JAC_CONST, at, collect_inertia, &inertia);
		bxt_evaluate_blocks(e, BXT_FORM_JAC_DYN, at, collect_inertia, &inertia);
		status = report_indefinite(s, &inertia, d);
	}
	free(inertia.at);
	free(inertia.value);
	return status;
}

static void report_inertia(const bxt_system *s, const bxt_sparse *z, int column, bxt_diagnostics *d)
{
	bxt_buffer words = {0};
	bxt_place place = BXT_NOWHERE;
	name_parts(s, z, column, true, &words, &place);
	bxt_error(d, place,
		  "the inertia of %s is singular although it is not structurally zero: a "
		  "combination of its flows has no inertia",
		  words.text ? words.text : "?");
	bxt_buffer_free(&words);
}

bxt_status bxt_check_inertia(const bxt_system *s, const double *q, double t, bxt_diagnostics *d)
{
	bxt_velocity *u = NULL;
	bxt_evaluator *e = bxt_evaluator_new(s);
	double *zero = calloc((size_t)s->size, sizeof *zero);
	bxt_status status = zero && e ? bxt_velocity_new(s, &u) : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		bxt_evaluator_set_time(e, t);
		status = check_signs(s, e, (bxt_point){q, zero, t}, d);
	}
	if (status == BXT_OK) {
		status = bxt_velocity_factor(u, e, (bxt_point){q, zero, t});
		bool suspicious = status == BXT_ERR_SINGULAR;
		if (status == BXT_OK && u->solver)
			suspicious = bxt_linsol_rcond(u->solver) < SUSPICIOUS;
		for (int i = 0; status == BXT_OK && !u->solver && i < s->n; i++)
			suspicious = suspicious || u->mass.values[i] == 0;
		if (suspicious)
			status = report_null_space(s, &u->mass, u->mass.values, report_inertia, d);
	}
	free(zero);
	bxt_velocity_free(u);
	bxt_evaluator_free(e);
	return status;
}
