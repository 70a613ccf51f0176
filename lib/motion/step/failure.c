/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step failures: why a step has no solution, with the worst rows by name. */
#include "motion/step/stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The x index of an unknown or row of the step; `size` for the border, which has none. */
static int place_of(const bxt_stepper *st, int i)
{
	return st->unknowns.stands_for[i] < 0 ? st->system->size : st->unknowns.stands_for[i];
}

const char *bxt_stepper_name(const bxt_stepper *st, int place, bxt_buffer *buffer)
{
	return bxt_system_x_name(st->system, place_of(st, place), buffer);
}

/* The largest values by x index, the largest first. */
enum { NAMED = 3 };
struct worst {
	int place[NAMED], n;
	double value[NAMED];
};

static void offer(struct worst *w, int place, double value)
{
	int at = 0;
	if (value == 0)
		return;
	if (isnan(value))
		value = INFINITY;
	while (at < w->n && w->place[at] != place) /* a row stands in every stage: named once */
		at++;
	if (at < w->n && w->value[at] >= value)
		return;
	if (at == w->n && w->n < NAMED)
		w->n++;
	else if (at == NAMED && w->value[--at] >= value)
		return;
	for (; at > 0 && w->value[at - 1] < value; at--) {
		w->place[at] = w->place[at - 1];
		w->value[at] = w->value[at - 1];
	}
	w->place[at] = place;
	w->value[at] = value;
}

/* The rows with the largest residuals relative to their terms. */
static void find_worst_rows(const bxt_stepper *st, struct worst *w)
{
	for (int i = 0; i < st->n_x; i++)
		if (st->newton.r[i] != 0)
			offer(w, place_of(st, i), fabs(st->newton.r[i]) / st->newton.r_abs[i]);
}

/* The position constraints that are furthest from being met, in their own units. */
static void find_worst_positions(const bxt_stepper *st, struct worst *w)
{
	const bxt_position *p = st->closing[BXT_CLOSE_POSITIONS];
	for (int i = st->system->n; i < st->system->spare; i++)
		if (st->system->constraints.is_position[i])
			offer(w, i, fabs(p->phi[i]));
}

/* The element whose constraint that row is, if it follows a time expression; else -1. */
static int prescribes_motion(const bxt_system *s, int place)
{
	if (place < s->n || place >= s->spare)
		return -1;
	const bxt_row_info *row = &s->dirac.row[s->row_of_x[place - s->n]];
	if (row->family != BXT_FAMILY_CONSTRAINT)
		return -1;
	const bxt_element *e = &s->net->elements[row->owner];
	const bxt_element_type *type = s->net->types[e->type];
	const bxt_output_set *set = &type->set[BXT_SET_CONSTRAINT];
	for (int k = 0; k < set->n_reads; k++)
		if (set->reads[k].source == BXT_FROM_TIME)
			return row->owner;
	for (int k = 0; e->signal && k < type->n_parameter; k++)
		if (e->signal[k] >= 0)
			return row->owner;
	return -1;
}

/*
 * A prescribed motion that cannot be followed violates other rows: those of rods, not that of the
 * motor. Therefore this names the prescribed motions nearest to the worst rows, along the pattern
 * of the system.
 */
static void name_motions(const bxt_stepper *st, const struct worst *w, bxt_buffer *words)
{
	const bxt_system *s = st->system;
	int *queue = calloc((size_t)s->size, sizeof *queue), n = 0, named = 0, last = -1;
	bool *seen = calloc((size_t)s->size, sizeof *seen);
	bxt_buffer name = {0};
	const bool there =
		queue && seen &&
		s->constraints
			.has_positions; /* Otherwise the message is printed without this part. */
	for (int k = 0; there && k < w->n; k++)
		if (w->place[k] < s->spare && s->constraints.is_position[w->place[k]])
			seen[queue[n++] = w->place[k]] = true;
	for (int k = 0; k < n && named < NAMED; k++) {
		const int j = queue[k];
		const int e = prescribes_motion(s, j);
		if (e >= 0 && e != last) { /* The rows of an element are consecutive. */
			bxt_buffer_printf(words, "%s%s", named++ ? ", " : "; moved by ",
					  bxt_network_path(s->net, s->net->elements[e].primitive,
							   s->net->elements[e].id, &name));
			last = e;
		}
		for (int i = s->pattern.colptr[j]; i < s->pattern.colptr[j + 1]; i++)
			if (!seen[s->pattern.rowind[i]] && s->pattern.rowind[i] != s->spare) {
				seen[s->pattern.rowind[i]] = true;
				queue[n++] = s->pattern.rowind[i];
			}
	}
	bxt_buffer_free(&name);
	free(queue);
	free(seen);
}

/* "r1.length (residual 1 of its terms), r2.length (residual 0.5 of its terms)" */
static void name_worst(const bxt_stepper *st, const struct worst *w, const char *before,
		       const char *after, bxt_buffer *words)
{
	bxt_buffer name = {0};
	for (int k = 0; k < w->n; k++)
		bxt_buffer_printf(words, "%s%s (%s %.2g%s)", k ? ", " : "",
				  bxt_system_x_name(st->system, w->place[k], &name), before,
				  w->value[k], after);
	bxt_buffer_free(&name);
}

static void name_worst_rows(const bxt_stepper *st, const struct worst *w, bxt_buffer *words)
{
	name_worst(st, w, "residual", " of its terms", words);
}

/* Reports a failure of positions: how far each is off, and the worst rows if Newton has failed. */
static void name_positions(const bxt_stepper *st, bxt_buffer *words)
{
	static const double FAILED =
		1e-6; /* Least residual of the worst row, relative to its terms, at which rows are
			 named; below, all rows hold. */
	struct worst off = {.n = 0}, rows = {.n = 0};
	find_worst_positions(st, &off);
	if (!st->affine)
		find_worst_rows(st, &rows);
	while (off.n > 1 && off.value[off.n - 1] < FAILED * off.value[0])
		off.n--;
	while (rows.n > 0 && rows.value[rows.n - 1] < FAILED)
		rows.n--;
	name_worst(st, &off, "off by", "", words);
	if (rows.n > 0)
		bxt_buffer_printf(words, "; moving them fails at ");
	name_worst_rows(st, &rows, words);
	name_motions(st, &off, words);
}

/* The rows of an affine step whose right-hand side is not finite. */
static void name_not_finite(bxt_stepper *st, bxt_buffer *words)
{
	bxt_buffer name = {0};
	int named = 0;
	bxt_stepper_right_hand_side(st);
	for (int i = 0; i < st->n_x && named < NAMED; i++)
		if (!isfinite(st->x[i]))
			bxt_buffer_printf(words, "%s%s", named++ ? ", " : "in the equation of ",
					  bxt_stepper_name(st, i, &name));
	bxt_buffer_free(&name);
}

void bxt_stepper_report_failure(bxt_stepper *st, bxt_status status, double t, bxt_diagnostics *d)
{
	bxt_buffer words = {0}, name = {0};
	if (status == BXT_ERR_MEMORY) {
		bxt_error(d, BXT_NOWHERE, "out of memory");
		return;
	}
	struct worst worst = {.n = 0};
	if (st->method->why && st->method->why(st, &words)) {
		bxt_error(d, BXT_NOWHERE, "t = %.9g s, step %.3g s: %s", t, st->h,
			  words.text ? words.text : bxt_status_text(status));
	} else if (st->off_position) {
		name_positions(st, &words);
		bxt_error(
			d, BXT_NOWHERE,
			"t = %.9g s, step %.3g s: the positions at its end cannot be met (%s): %s",
			t, st->h, bxt_status_text(status),
			words.text && words.length ? words.text : "none is off");
	} else if (status == BXT_ERR_SINGULAR && st->culprit >= 0) {
		bxt_error(d, BXT_NOWHERE,
			  "t = %.9g s, step %.3g s: the system of the step is singular at %s", t,
			  st->h, bxt_stepper_name(st, st->culprit, &name));
	} else if (st->method->failed && status != BXT_ERR_SINGULAR) {
		find_worst_rows(st, &worst);
		name_worst_rows(st, &worst, &words);
		bxt_error(d, BXT_NOWHERE,
			  "t = %.9g s, step %.3g s: %s (%s after %ld iterations), %s; worst rows: "
			  "%s",
			  t, st->h, st->method->failed,
			  status == BXT_ERR_NEWTON ? "it does not converge"
						   : bxt_status_text(status),
			  st->newton.last_iterations, st->method->reason,
			  words.text && words.length ? words.text : "none");
	} else if (st->affine && status == BXT_ERR_NOT_FINITE) {
		name_not_finite(st, &words);
		bxt_error(d, BXT_NOWHERE, "t = %.9g s, step %.3g s: %s: %s", t, st->h,
			  bxt_status_text(status), words.text ? words.text : "the solution");
	} else if (st->affine) {
		bxt_error(d, BXT_NOWHERE, "t = %.9g s, step %.3g s: %s", t, st->h,
			  bxt_status_text(status));
	} else {
		find_worst_rows(st, &worst);
		name_worst_rows(st, &worst, &words);
		name_motions(st, &worst, &words);
		bxt_error(d, BXT_NOWHERE,
			  "t = %.9g s, step %.3g s: %s after %ld iterations; worst rows: %s", t,
			  st->h, bxt_status_text(status), st->newton.last_iterations,
			  words.text && words.length ? words.text : "none");
	}
	bxt_buffer_free(&words);
	bxt_buffer_free(&name);
}
