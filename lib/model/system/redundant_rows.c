/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds redundant rows: y^T A = 0 from the null space of A^T, then checks y^T b = 0 in time. */
#include "model/system/redundant_rows.h"

#include "ground/base/tolerances.h"
#include "ground/sparse/dependency.h"
#include "model/system/rows_of_a.h"

#include <math.h>
#include <string.h>

/* y^T b below this part of its terms is round-off of the expressions. */
static const double CONSISTENT = 1e-12;
enum { SAMPLES = 64, MAX_NAMED = 8, MAX_FINDINGS = 10 };

struct search {
	bxt_system *s;
	bxt_arena *arena;
	bxt_evaluator *e;
	bxt_diagnostics *d;
	double *q, *x, *rest, *values; /* (size), values: (nnz + 1) */
	bool *permanent; /* (size) rows without bounds, by x index: others make no row redundant */
	bxt_sparse y;    /* (m x nullity): y^T A = 0 */
	bxt_dependency *found; /* (nullity) */
	double end;            /* [s] last sampled time */
	int findings;
};

/* ---- The null space ---- */

static bool has_constraints(const bxt_system *s)
{
	for (int g = 0; g < s->n_groups; g++)
		if (s->groups[g].type->n_constraint > 0)
			return true;
	return false;
}

/* Rows that depend on coordinates are evaluated at a generic point. */
static void choose_point(struct search *f)
{
	const double golden = 0.6180339887498949;
	for (int i = 0; i < f->s->n && !f->s->constraints.constant; i++)
		f->q[i] = fmod((i + 1) * golden, 1) + 0.1;
}

/* ---- One row for each vector ---- */

static const bxt_row_info *row_info(const struct search *f, int row)
{
	return &f->s->dirac.row[f->s->row_of_x[row]];
}

/* Preference for making a row the reference: nodes first, constraints never. SOONER outweighs any
 * weight. */
static double prefer(const void *context, int row, double weight, double largest)
{
	static const double SOONER = 1e8; /* above the range of weights, 1 / BXT_NULL_PART */
	const struct search *f = context;
	const bxt_row_info *info = row_info(f, row);
	switch (info->family) {
	case BXT_FAMILY_NODE:
		return SOONER * (weight / largest);
	case BXT_FAMILY_CONNECTION: /* an interaction's rows may depend on coordinates */
		return f->s->net->connections[info->owner].element < 0 ? weight / largest : 0;
	default:
		return 0;
	}
}

/* Is the vector a row that was left out of the search? */
static bool is_no_dependency(const struct search *f, int vector)
{
	return !f->permanent[f->s->n + f->found[vector].row[0]];
}

/* ---- Consistency ---- */

/* -b of all rows at a time, in rest + n. */
static void evaluate_rest(struct search *f, double t)
{
	static const bxt_weights rows_only = {{{[BXT_C] = 1}, {0}}};
	memset(f->rest, 0, (size_t)f->s->size * sizeof *f->rest);
	bxt_evaluator_set_time(f->e, t);
	bxt_evaluate(f->e, BXT_SET_REST, (bxt_point){f->q, f->x, t}, &rows_only, f->rest, NULL);
}

/* Lists a vector's constraints, "I1.current, I2.current"; returns their number. *place: of the
 * last.
 */
static int name_constraints(const struct search *f, int vector, bxt_buffer *words, bxt_place *place)
{
	bxt_buffer name = {0};
	int named = 0;
	for (int k = 0; k < f->found[vector].n; k++) {
		const bxt_row_info *row = row_info(f, f->found[vector].row[k]);
		if (!bxt_family_is_of_element(row->family))
			continue;
		*place = f->s->net->elements[row->owner].place;
		if (named < MAX_NAMED)
			bxt_buffer_printf(words, "%s%s", named ? ", " : "",
					  bxt_dirac_row_name(f->s->net, row, &name));
		else if (named == MAX_NAMED)
			bxt_buffer_printf(words, ", ...");
		named++;
	}
	bxt_buffer_free(&name);
	return named;
}

static void report_contradiction(struct search *f, int vector, double left_over, double t)
{
	const bxt_network *net = f->s->net;
	bxt_buffer words = {0}, name = {0};
	bxt_place place = BXT_NOWHERE;
	const int named = name_constraints(f, vector, &words, &place);
	const bxt_row_info *row =
		f->found[vector].pivot < 0 ? NULL : row_info(f, f->found[vector].pivot);
	const bxt_port_kind *kind = !row ? NULL
				    : row->family == BXT_FAMILY_NODE
					    ? net->nodes[row->owner].kind
					    : net->connections[row->owner].kind;
	if (row)
		bxt_dirac_row_name(net, row, &name);
	if (++f->findings <= MAX_FINDINGS && named == 1 && words.text && name.text)
		bxt_error(f->d, place,
			  "ill-posed: %s contradicts the balance of %s: %.6g %s is left over at "
			  "t = %.6g s",
			  words.text, name.text, fabs(left_over), kind->flow_unit[0], t);
	else if (f->findings <= MAX_FINDINGS)
		bxt_error(f->d, place,
			  "ill-posed: %s contradict each other: %.6g%s%s is left over%s%s at "
			  "t = %.6g s",
			  words.text ? words.text : "rows", fabs(left_over), kind ? " " : "",
			  kind ? kind->flow_unit[0] : "", name.text ? " at " : "",
			  name.text ? name.text : "", t);
	bxt_buffer_free(&words);
	bxt_buffer_free(&name);
}

/* Checks y^T b = 0 at the sampled times for every vector; a finding for each failure. */
static bxt_status check_consistency(struct search *f)
{
	bool *reported = BXT_NEW(f->arena, bool, (size_t)f->y.ncol);
	if (!reported)
		return BXT_ERR_MEMORY;
	const bool moving = f->s->net->timed.n > 0;
	for (int i = 0; i < (moving ? SAMPLES : 1); i++) {
		/*
		 * irregular times: those of a regular grid could coincide with the zeros of a sine
		 */
		const double t = f->end * (i + 0.37 * fmod(i * 0.754877666, 1)) / SAMPLES;
		evaluate_rest(f, t);
		for (int v = 0; v < f->y.ncol; v++) {
			double sum = 0, terms = 0;
			for (int k = 0; k < f->found[v].n; k++) {
				const double b = f->found[v].weight[k] *
						 f->rest[f->s->n + f->found[v].row[k]];
				sum += b;
				terms += fabs(b);
			}
			if (reported[v] || is_no_dependency(f, v) ||
			    fabs(sum) <= CONSISTENT * terms)
				continue;
			reported[v] = true;
			report_contradiction(f, v, sum, t);
		}
	}
	return f->findings ? BXT_ERR_MODEL : BXT_OK;
}

/* ---- The whole ---- */

static bxt_status mark_rows(struct search *f, int *marked)
{
	bxt_network *net = f->s->net;
	bxt_buffer words = {0}, name = {0};
	for (int v = 0; v < f->y.ncol; v++) {
		if (is_no_dependency(f, v))
			continue;
		if (f->found[v].pivot < 0) { /* constraints alone: one is left out of each step */
			for (int k = 0; k < f->found[v].n; k++)
				f->s->dirac.row[f->s->row_of_x[f->found[v].row[k]]].optional = true;
			++*marked;
			continue;
		}
		bxt_row_info *row = &f->s->dirac.row[f->s->row_of_x[f->found[v].pivot]];
		bxt_place place = BXT_NOWHERE;
		row->reference = true;
		++*marked;
		bxt_buffer_clear(&words);
		name_constraints(f, v, &words, &place);
		if (row->family == BXT_FAMILY_NODE)
			place = net->nodes[row->owner].place;
		bxt_note(f->d, place,
			 "%s is a further reference (0 by choice): its balance follows from %s",
			 bxt_dirac_row_name(net, row, &name),
			 words.text && words.length ? words.text : "the other rows");
	}
	const bool failed = words.failed || name.failed;
	bxt_buffer_free(&words);
	bxt_buffer_free(&name);
	return failed ? BXT_ERR_MEMORY : BXT_OK;
}

static bxt_status prepare(struct search *f)
{
	const size_t size = (size_t)f->s->size;
	f->e = bxt_evaluator_new(f->s);
	f->q = BXT_NEW(f->arena, double, size);
	f->x = BXT_NEW(f->arena, double, size);
	f->rest = BXT_NEW(f->arena, double, size);
	f->values = BXT_NEW(f->arena, double, (size_t)bxt_sparse_nnz(&f->s->pattern) + 1);
	if (!f->e || !f->q || !f->x || !f->rest || !f->values)
		return BXT_ERR_MEMORY;
	choose_point(f);
	bxt_evaluator_set_time(f->e, 0);
	f->end = 1;
	for (size_t i = 0; i < f->s->net->simulation.n_settings; i++)
		if (strcmp(f->s->net->simulation.settings[i].name, "end") == 0)
			f->end = f->s->net->simulation.settings[i].number;
	return BXT_OK;
}

/* Rows with bounds switch on and off, except in the system of a combination. */
static void find_permanent(struct search *f)
{
	const bxt_system *s = f->s;
	f->permanent = BXT_NEW(f->arena, bool, (size_t)s->size);
	for (int i = 0; f->permanent && i < s->m; i++)
		f->permanent[s->n + i] = s->net->lasting || !s->dirac.row[s->row_of_x[i]].bounded;
}

static bxt_status search_rows(struct search *f, int *marked)
{
	bxt_sparse transposed;
	const bool *tying = bxt_tying_columns(f->arena, f->s);
	find_permanent(f);
	if (!tying || !f->permanent)
		return BXT_ERR_MEMORY;
	BXT_TRY(prepare(f));
	bxt_assemble(f->e, (bxt_point){f->q, f->x, 0}, &bxt_only_rows, f->values);
	BXT_TRY(bxt_rows_of_a_transposed(f->arena, f->s, f->values, f->permanent, tying,
					 &transposed));
	bxt_status status = bxt_sparse_null_space(f->arena, &transposed, BXT_DEPENDENT, &f->y);
	if (status == BXT_ERR_NOT_FINITE) /* the check of the start reports this */
		return BXT_OK;
	BXT_TRY(status);
	const size_t n = (size_t)f->y.ncol;
	if (n == 0)
		return BXT_OK;
	const bxt_dependency_rule rule = {
		.round_off = BXT_NULL_PART, .preference = prefer, .context = f};
	f->found = BXT_NEW(f->arena, bxt_dependency, n);
	if (!f->found)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_dependencies(f->arena, &f->y, &rule, f->found));
	BXT_TRY(check_consistency(f));
	return mark_rows(f, marked);
}

bxt_status bxt_mark_redundant(bxt_system *s, bxt_diagnostics *d, int *marked)
{
	struct search f = {.s = s, .d = d, .arena = NULL};
	*marked = 0;
	if (!has_constraints(s))
		return BXT_OK;
	f.arena = bxt_arena_new();
	bxt_status status = f.arena ? search_rows(&f, marked) : BXT_ERR_MEMORY;
	bxt_evaluator_free(f.e);
	bxt_arena_free(f.arena);
	return status;
}
