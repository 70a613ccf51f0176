/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports the rows and fixed coordinates that prevent closing the positions of a mechanism. */
#include "motion/start/positions.h"

#include <math.h>
#include <string.h>

enum { MAX_FINDINGS = 10, MAX_NAMED = 6, MAX_FIXED = 8 };

/* Residual of a row, relative to the worst row of its mechanism, below which it is not named. */
static const double WORTH_NAMING = 1e-3;

/* "rod 'r2' (length)", "connection 'c1' (x)" */
static void name_row(const struct bxt_position_closing *c, int i, bxt_buffer *words)
{
	const bxt_system *s = c->a->s;
	const bxt_row_info *row = &s->dirac.row[c->row[i].d_row];
	bxt_buffer path = {0};
	if (c->row[i].place < 0) {
		const bxt_connection *con = &s->net->connections[row->owner];
		const bxt_coord_info *q = &s->dirac.coord[s->coord_of_x[c->row[i].first]];
		bxt_buffer_printf(words, "connection '%s' (%s)",
				  bxt_network_path(s->net, con->primitive, con->id, &path),
				  con->kind->coordinate[q->local]);
	} else {
		const bxt_element *e = &s->net->elements[row->owner];
		const bxt_component *component = s->net->types[e->type]->component;
		bxt_buffer_printf(words, "%s '%s' (%s)", component->name,
				  bxt_network_path(s->net, e->primitive, e->id, &path),
				  component->constraints[row->local].name);
	}
	bxt_buffer_free(&path);
}

/*
 * The distance by which one body would have to move to satisfy only this row, |phi| / |dphi/dq|
 * over the coordinates of one unit of one owner, those with the steepest slope: a length for a rod,
 * in the unit of its ends. False when the row has no slope.
 */
static bool how_far(const struct bxt_position_closing *c, int i, double *far, const char **unit)
{
	const bxt_system *s = c->a->s;
	double steepest = 0;
	for (size_t k = 0; k < c->g.count; k++) {
		if (c->g.row[k] != i || c->g.value[k] == 0)
			continue;
		const bxt_coord_info *q = &s->dirac.coord[s->coord_of_x[c->g.col[k]]];
		const char *own = bxt_closing_unit(s, c->g.col[k]);
		double sum = 0;
		for (size_t z = 0; z < c->g.count; z++) {
			const bxt_coord_info *o = &s->dirac.coord[s->coord_of_x[c->g.col[z]]];
			if (c->g.row[z] == i && o->type == q->type && o->owner == q->owner &&
			    strcmp(bxt_closing_unit(s, c->g.col[z]), own) == 0)
				sum += c->g.value[z] * c->g.value[z];
		}
		/* only the first unit counts, because slopes per metre and per radian are not
		 * comparable */
		if ((steepest == 0 || strcmp(own, *unit) == 0) && sqrt(sum) > steepest) {
			steepest = sqrt(sum);
			*unit = own;
		}
	}
	*far = steepest > 0 ? fabs(c->phi[i]) / steepest : 0;
	return steepest > 0;
}

/* The residual of a row in the common measure of all rows; INFINITY without a slope. */
static double failure(const struct bxt_position_closing *c, int i)
{
	double slope = 0;
	for (size_t k = 0; k < c->g.count; k++)
		if (c->g.row[k] == i && c->diagonal[c->g.col[k]] > 0)
			slope += c->g.value[k] * c->g.value[k] / c->diagonal[c->g.col[k]];
	return c->phi[i] == 0 ? 0 : fabs(c->phi[i]) / sqrt(slope);
}

/* The worst rows of a mechanism into worst[], their number. */
static int find_worst(struct bxt_position_closing *c, int mechanism, int *worst)
{
	double of[MAX_NAMED] = {0};
	int n = 0;
	for (int i = 0; i < c->r; i++) {
		if (bxt_sets_find(c->set, c->n + i) != mechanism || c->phi[i] == 0)
			continue;
		const double f = failure(c, i);
		int at = n;
		while (at > 0 && f > of[at - 1])
			at--;
		if (at == MAX_NAMED)
			continue;
		n += n < MAX_NAMED;
		for (int z = n - 1; z > at; z--) {
			of[z] = of[z - 1];
			worst[z] = worst[z - 1];
		}
		of[at] = f;
		worst[at] = i;
	}
	while (n > 1 && of[n - 1] < WORTH_NAMING * (isfinite(of[0]) ? of[0] : of[n - 1]))
		n--;
	return n;
}

static void name_fixed(struct bxt_position_closing *c, int mechanism, bxt_buffer *words)
{
	const bxt_system *s = c->a->s;
	bxt_buffer name = {0};
	int named = 0;
	for (int j = 0; j < c->n; j++) {
		bool here = false;
		for (size_t k = 0; k < c->g.count && !here && c->a->fixed[j]; k++)
			here = c->g.col[k] == j && c->g.value[k] != 0 &&
			       bxt_sets_find(c->set, c->n + c->g.row[k]) == mechanism;
		if (!here)
			continue;
		if (named++ < MAX_FIXED)
			bxt_buffer_printf(words, "%s%s", named > 1 ? ", " : "; fixed: ",
					  bxt_system_x_name(s, j, &name));
		else if (named == MAX_FIXED + 1)
			bxt_buffer_printf(words, ", ...");
	}
	bxt_buffer_free(&name);
}

/* If the search stagnates, only a different start helps: suggests writing the coordinates of the
 * mechanism that are not written. */
static void hint_at_start(struct bxt_position_closing *c, int mechanism, bxt_buffer *words)
{
	const bxt_system *s = c->a->s;
	bxt_buffer name = {0};
	int named = 0;
	for (int j = 0; j < c->n && named <= MAX_FIXED; j++) {
		if (bxt_sets_find(c->set, j) != mechanism || c->a->held_q[j])
			continue;
		bxt_buffer_printf(words, "%s%s",
				  named ? ", "
					: "; the search stands still here: if the parts fit at "
					  "all, initial values must tell roughly how they lie; "
					  "nothing tells ",
				  named < MAX_FIXED ? bxt_system_x_name(s, j, &name) : "...");
		named++;
	}
	if (named == 0)
		bxt_buffer_printf(words, "; the search stands still here: if the parts fit "
					 "at all, other initial values may do it");
	bxt_buffer_free(&name);
}

static void report_mechanism(struct bxt_position_closing *c, int mechanism, bxt_diagnostics *d)
{
	const bxt_system *s = c->a->s;
	bxt_buffer words = {0};
	int worst[MAX_NAMED];
	bool flat = false;
	const int n = find_worst(c, mechanism, worst);
	for (int k = 0; k < n; k++) {
		double far;
		const char *unit = "";
		bxt_buffer_printf(&words, "%s", k ? ", " : "");
		name_row(c, worst[k], &words);
		if (how_far(c, worst[k], &far, &unit)) {
			bxt_buffer_printf(&words, " is off by about %.3g %s", far, unit);
		} else {
			bxt_buffer_printf(&words, " is off, it is %.3g, and has no slope here",
					  c->phi[worst[k]]);
			flat = true;
		}
	}
	name_fixed(c, mechanism, &words);
	if (flat)
		bxt_buffer_printf(&words,
				  "; initial values must tell the direction in which it closes");
	if (c->progress.better[mechanism])
		bxt_buffer_printf(&words, "; this was still getting better: initial values nearer "
					  "to a closed position may do it");
	else if (!flat)
		hint_at_start(c, mechanism, &words);
	bxt_error(d, bxt_dirac_row_place(s->net, &s->dirac.row[c->row[worst[0]].d_row]),
		  "the positions cannot be closed at t = %.9g s: %s", c->a->t0,
		  words.text ? words.text : "?");
	bxt_buffer_free(&words);
}

bxt_status bxt_closing_report(struct bxt_position_closing *c, bxt_diagnostics *d)
{
	int found = 0;
	for (int m = 0; m < c->n + c->r; m++)
		if (c->progress.bad[m] && bxt_sets_find(c->set, m) == m && found++ < MAX_FINDINGS)
			report_mechanism(c, m, d);
	if (found > MAX_FINDINGS)
		bxt_error(d, BXT_NOWHERE, "... and %d more mechanisms like these",
			  found - MAX_FINDINGS);
	return BXT_ERR_MODEL;
}

bxt_status bxt_closing_report_not_finite(struct bxt_position_closing *c, bxt_diagnostics *d)
{
	const bxt_system *s = c->a->s;
	int found = 0;
	bxt_buffer words = {0};
	for (int i = 0; i < c->r; i++) {
		bool finite = isfinite(c->phi[i]);
		for (size_t k = 0; k < c->g.count && finite; k++)
			finite = c->g.row[k] != i || isfinite(c->g.value[k]);
		if (finite || found++ >= MAX_FINDINGS)
			continue;
		bxt_buffer_clear(&words);
		name_row(c, i, &words);
		bxt_error(d, bxt_dirac_row_place(s->net, &s->dirac.row[c->row[i].d_row]),
			  "the position of %s or its slope is not finite at the start: check "
			  "initial values and parameters",
			  words.text ? words.text : "?");
	}
	bxt_buffer_free(&words);
	return BXT_ERR_MODEL;
}
