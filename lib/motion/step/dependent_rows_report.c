/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings about dependent rows (dependent_rows.h). */
#include "motion/step/dependent_rows.h"

#include <math.h>
#include <string.h>

enum { MAX_TOLD = 10 };

/* Appends the names of a dependency's rows that have visible weight, except one (-1: all). */
static void name_rows(const bxt_row_choice *c, const bxt_dependency *d, int but, bxt_buffer *words)
{
	static const double VISIBLE = 1e-4;
	const bxt_system *s = c->system;
	double largest = 0;
	int named = 0;
	for (int k = 0; k < d->n; k++)
		largest = fmax(largest, fabs(d->weight[k]) * c->norm[d->row[k]]);
	for (int k = 0; k < d->n; k++) {
		const int row = d->row[k];
		if (row == but || fabs(d->weight[k]) * c->norm[row] < VISIBLE * largest)
			continue;
		bxt_system_list_x(s, s->n + row, named++, words);
	}
}

void bxt_row_choice_tell_passage(bxt_row_choice *c, const bxt_dependency *d, double t)
{
	bxt_buffer words = {0};
	if (c->changes > MAX_TOLD)
		return;
	name_rows(c, d, -1, &words);
	bxt_note(c->d, bxt_system_x_place(c->system, c->system->n + d->pivot),
		 "t = %.6g s: the rank of the constraints drops for a moment: %s depend on each "
		 "other there",
		 t, words.text ? words.text : "rows");
	bxt_buffer_free(&words);
}

/* Appends the names of the rows marked in `here` and not in `there`; *place: of the first. */
static void name_marked(const bxt_row_choice *c, const bool *here, const bool *there,
			bxt_buffer *words, bxt_place *place)
{
	const bxt_system *s = c->system;
	int named = 0;
	for (int x = s->n; x < s->spare; x++) {
		if (!here[x] || there[x])
			continue;
		if (!place->file)
			*place = bxt_system_x_place(s, x);
		bxt_system_list_x(s, x, named++, words);
	}
}

void bxt_row_choice_tell_change(bxt_row_choice *c, double t)
{
	const bool *now = c->out[BXT_AT_STAGES];
	bxt_buffer gone = {0}, back = {0};
	bxt_place place = BXT_NOWHERE;
	name_marked(c, now, c->before, &gone, &place);
	name_marked(c, c->before, now, &back, &place);
	if (++c->changes <= MAX_TOLD && gone.text)
		bxt_note(c->d, place,
			 "t = %.6g s: the rank of the constraints changes: the step leaves out %s, "
			 "which depends on others there%s%s",
			 t, gone.text, back.text ? "; back comes " : "",
			 back.text ? back.text : "");
	else if (c->changes <= MAX_TOLD && back.text)
		bxt_note(c->d, place,
			 "t = %.6g s: the rank of the constraints changes: %s no longer depends on "
			 "others",
			 t, back.text);
	bxt_buffer_free(&gone);
	bxt_buffer_free(&back);
}

/* y^T r of the residuals r of a form at rest, and the size of its terms. */
static double left_over(bxt_row_choice *c, const bxt_dependency *d, bxt_output_set_id set,
			const double *q, double t, double *terms)
{
	static const bxt_weights rows_only = {{{[BXT_C] = 1}, {0}}};
	const bxt_system *s = c->system;
	const bxt_sparse *p = &s->pattern;
	double sum = 0;
	memset(c->work, 0, (size_t)s->size * sizeof *c->work);
	bxt_evaluator_set_time(c->e, t);
	bxt_evaluate(c->e, set, (bxt_point){q, c->x, t}, &rows_only, c->work, NULL);
	*terms = 0;
	for (int k = 0; k < d->n; k++) {
		const double r = d->weight[k] * c->work[s->n + d->row[k]];
		sum += r;
		*terms += fabs(r);
	}
	if (set != BXT_SET_POSITION)
		return sum;
	/* a position constraint is a difference of terms of about this size */
	memset(c->work, 0, (size_t)s->m * sizeof *c->work);
	for (int k = 0; k < d->n; k++)
		c->work[d->row[k]] = d->weight[k];
	for (int j = 0; j < s->n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			if (p->rowind[k] >= s->n && p->rowind[k] < s->spare)
				*terms += fabs(c->work[p->rowind[k] - s->n] * c->values[k] * q[j]);
	return sum;
}

/* Do its rows contradict each other? *moving: their flows; *off: by how much. */
static bool contradict(bxt_row_choice *c, const bxt_dependency *d, const double *q, double t,
		       bool *moving, double *off)
{
	/* Relative contradiction up to which rows count as consistent: the accuracy of written
	 * positions, and not below that of the dependencies. */
	static const double CONSISTENT = 1e-6;
	double terms[2];
	const double b = left_over(c, d, BXT_SET_REST, q, t, &terms[0]);
	const double phi = left_over(c, d, BXT_SET_POSITION, q, t, &terms[1]);
	*moving = fabs(b) > CONSISTENT * terms[0];
	*off = fabs(*moving ? b : phi);
	return *moving || fabs(phi) > CONSISTENT * terms[1];
}

/* Has a row of the dependency bounds? */
static bool has_bounds(const bxt_row_choice *c, const bxt_dependency *d)
{
	const bxt_system *s = c->system;
	bool any = false;
	for (int k = 0; k < d->n; k++)
		any = any || s->dirac.row[s->row_of_x[d->row[k]]].bounded;
	return any;
}

/* Reports one dependency at the start: the rows that depend on others, or contradict them. */
static void report(bxt_row_choice *c, const bxt_dependency *d, const double *q, double t,
		   bxt_diagnostics *diagnostics, bool *wrong)
{
	bxt_buffer words = {0}, name = {0};
	bool moving;
	double off;
	name_rows(c, d, d->pivot, &words);
	bxt_system_x_name(c->system, c->system->n + d->pivot, &name);
	if (contradict(c, d, q, t, &moving, &off)) {
		*wrong = true;
		bxt_error(diagnostics, bxt_system_x_place(c->system, c->system->n + d->pivot),
			  "ill-posed: %s%s%s contradict each other at t = %.6g s: they depend on "
			  "each other, and %.6g is left over of their %s",
			  name.text ? name.text : "rows", words.text ? ", " : "",
			  words.text ? words.text : "", t, off, moving ? "flows" : "positions");
	} else if (words.text) {
		/* Contacts become dependent in ordinary operation; a note suffices. */
		bxt_report(diagnostics, has_bounds(c, d) ? BXT_NOTE : BXT_WARNING,
			   bxt_system_x_place(c->system, c->system->n + d->pivot),
			   "redundant constraint: %s follows from %s; it is left out while it "
			   "does, and multipliers are those of minimum norm",
			   name.text ? name.text : "a row", words.text);
	} else { /* a row that is zero */
		bxt_warning(diagnostics, bxt_system_x_place(c->system, c->system->n + d->pivot),
			    "constraint %s restricts no flow where the run starts; it is left out "
			    "while that is so",
			    name.text ? name.text : "?");
	}
	bxt_buffer_free(&words);
	bxt_buffer_free(&name);
}

/* An error for signals that read a multiplier of dependent rows: these may share a force in any
 * proportion, so that its value is undetermined. */
static void refuse_readings(const bxt_row_choice *c, const bxt_dependency *d,
			    bxt_diagnostics *diagnostics, bool *wrong)
{
	const bxt_system *s = c->system;
	bxt_buffer name = {0}, words = {0};
	for (int k = 0; k < d->n; k++) {
		const bxt_row_info *row = &s->dirac.row[s->row_of_x[d->row[k]]];
		for (size_t i = 0; i < s->net->n_elements; i++) {
			const bxt_net_row *reads = s->net->elements[i].reads;
			if (!reads || reads->family != row->family || reads->owner != row->owner ||
			    reads->local != row->local)
				continue;
			*wrong = true;
			bxt_buffer_clear(&words);
			name_rows(c, d, d->row[k], &words);
			bxt_error(diagnostics,
				  bxt_system_x_place(c->system, c->system->n + d->row[k]),
				  "a signal reads the multiplier of %s, which is not determined: "
				  "%s%s",
				  bxt_system_x_name(s, s->n + d->row[k], &name),
				  words.length ? "it can be shared with " : "it restricts no flow",
				  words.length ? words.text : "");
		}
	}
	bxt_buffer_free(&name);
	bxt_buffer_free(&words);
}

bxt_status bxt_row_choice_report(bxt_row_choice *c, const double *q, double t, bxt_diagnostics *d)
{
	bool wrong = false;
	int told = 0;
	for (int v = 0; v < c->n_found; v++)
		if (c->found[v].pivot >= 0 && told++ < MAX_TOLD)
			report(c, &c->found[v], q, t, d, &wrong);
	for (int v = 0; v < c->n_found; v++)
		if (c->found[v].pivot >= 0)
			refuse_readings(c, &c->found[v], d, &wrong);
	if (told > MAX_TOLD)
		bxt_warning(d, BXT_NOWHERE, "... and %d more dependencies like these",
			    told - MAX_TOLD);
	return wrong ? BXT_ERR_MODEL : BXT_OK;
}

bxt_status bxt_row_choice_refuse(bxt_row_choice *c, const double *q, double t, bxt_diagnostics *d)
{
	bool wrong = false, moving;
	double off;
	for (int v = 0; v < c->n_found; v++)
		if (c->found[v].pivot >= 0 && contradict(c, &c->found[v], q, t, &moving, &off))
			report(c, &c->found[v], q, t, d, &wrong);
	return wrong ? BXT_ERR_MODEL : BXT_OK;
}
