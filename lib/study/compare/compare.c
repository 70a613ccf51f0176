/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes how far signals of two tables differ. */

#include "study/compare/compare.h"
#include "ground/base/diagnostics.h"
#include "study/compare/round_off.h"
#include "study/compare/signals_of_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Measuring ---- */

/*
 * The signals of one table in all pairs: pair k is the sum of terms first[k] ... first[k + 1] - 1.
 */
struct columns {
	const bxt_table *table;
	size_t *first;
	long *column;
	double *weight;
};

static bxt_status new_columns(bxt_arena *arena, const bxt_table *table, size_t n, size_t n_terms,
			      struct columns *out)
{
	*out = (struct columns){table, BXT_NEW(arena, size_t, n + 1), BXT_NEW(arena, long, n_terms),
				BXT_NEW(arena, double, n_terms)};
	return out->first && out->column && out->weight ? BXT_OK : BXT_ERR_MEMORY;
}

static double value_of(const struct columns *c, size_t row, size_t pair)
{
	double sum = 0;
	for (size_t i = c->first[pair]; i < c->first[pair + 1]; i++)
		sum += c->weight[i] * bxt_table_value(c->table, row, (size_t)c->column[i]);
	return sum;
}

/* Indices of the rows of two tables that are paired. */
struct pairs {
	size_t *of[2]; /* (n) */
	size_t n;
};

/*
 * Compares row after row, in memory order. A NaN makes the difference NaN for the rest of the run.
 */
static void measure_difference(const struct columns *a, const struct columns *b,
			       const struct pairs *rows, bxt_difference *out, size_t n)
{
	for (size_t i = 0; i < rows->n; i++)
		for (size_t k = 0; k < n; k++) {
			const double x = value_of(a, rows->of[0][i], k),
				     y = value_of(b, rows->of[1][i], k);
			bxt_difference *d = &out[k];
			if (!(fabs(x - y) <= d->largest) && !isnan(d->largest)) {
				d->largest = fabs(x - y);
				d->at = bxt_table_time(a->table, rows->of[0][i]);
			}
			d->scale = fmax(d->scale, fabs(x));
		}
	for (size_t k = 0; k < n; k++)
		out[k].relative = out[k].scale > 0 ? out[k].largest / out[k].scale : out[k].largest;
}

/* ---- Rows ---- */

/*
 * Distance, relative to the duration of a run, up to which rows are at one time. ONE_TIME covers
 * the round-off of k h and an event at the time of a row. ONE_EVENT is the distance of the same
 * event in two runs: a gap that closes slowly determines its time no more accurately.
 */
static const double ONE_TIME = 1e-10, ONE_EVENT = 1e-8;

/* The number of rows from `from` on at the time of row `from`: two where a value jumps. */
static size_t rows_of_time(const bxt_table *t, size_t from, double apart)
{
	size_t n = from < bxt_table_rows(t);
	while (n > 0 && from + n < bxt_table_rows(t) &&
	       fabs(bxt_table_time(t, from + n) - bxt_table_time(t, from)) <= apart)
		n++;
	return n;
}

/*
 * The duration of the longer run, or a hundredth of its last time if that is more: times have the
 * round-off of the last time.
 */
static double time_of_run(const bxt_table *const table[2])
{
	double most = 0;
	for (int s = 0; s < 2; s++) {
		const size_t n = bxt_table_rows(table[s]);
		const double first = n > 0 ? bxt_table_time(table[s], 0) : 0;
		const double last = n > 0 ? bxt_table_time(table[s], n - 1) : 0;
		most = fmax(most, fmax(fabs(last - first), fabs(last) / 100));
	}
	return most;
}

static void add_pair(struct pairs *p, size_t i, size_t j)
{
	p->of[0][p->n] = i;
	p->of[1][p->n++] = j;
}

/*
 * Pairs rows of equal times: rows before a jump with rows before it, rows after it likewise. A
 * single row counts as after the jump, since the later value holds there. Two rows at a time
 * without rows in the other table are a jump between its rows, and are left out. Two rows in each
 * table at about one time are the same event.
 */
static bool pair_times(const bxt_table *const table[2], struct pairs *p, bxt_diagnostics *d)
{
	const double whole = time_of_run(table);
	size_t at[2] = {0, 0}, n[2];
	for (;;) {
		for (int s = 0; s < 2; s++)
			n[s] = rows_of_time(table[s], at[s], ONE_TIME * whole);
		if (n[0] == 0 && n[1] == 0)
			return true;
		const double t = bxt_table_time(table[0], at[0]),
			     u = bxt_table_time(table[1], at[1]);
		const double apart = (n[0] > 1 && n[1] > 1 ? ONE_EVENT : ONE_TIME) * whole;
		if (n[0] > 0 && n[1] > 0 && fabs(t - u) <= apart) {
			const size_t before = n[0] == n[1] ? n[0] - 1 : n[0] > 1 && n[1] > 1;
			for (size_t k = 0; k < before; k++)
				add_pair(p, at[0] + k, at[1] + k);
			add_pair(p, at[0] + n[0] - 1, at[1] + n[1] - 1);
			at[0] += n[0];
			at[1] += n[1];
			continue;
		}
		const int early = n[1] == 0 || (n[0] > 0 && t < u) ? 0 : 1;
		if (n[early] < 2)
			break;
		at[early] += n[early];
	}
	if (n[0] > 0 && n[1] > 0)
		bxt_error(d, BXT_NOWHERE,
			  "row %zu is at %.9g s in one run and at %.9g s in the other: give both "
			  "the same step and end",
			  at[0], bxt_table_time(table[0], at[0]), bxt_table_time(table[1], at[1]));
	else
		bxt_error(d, BXT_NOWHERE,
			  "the two runs have %zu and %zu rows: give both the same step and end",
			  bxt_table_rows(table[0]), bxt_table_rows(table[1]));
	return false;
}

static bxt_status find_pairs(bxt_arena *arena, const bxt_table *a, const bxt_table *b,
			     bxt_diagnostics *d, struct pairs *out)
{
	const bxt_table *table[2] = {a, b};
	const size_t most = bxt_table_rows(a) + bxt_table_rows(b);
	*out = (struct pairs){{BXT_NEW(arena, size_t, most), BXT_NEW(arena, size_t, most)}, 0};
	if (!out->of[0] || !out->of[1])
		return BXT_ERR_MEMORY;
	return pair_times(table, out, d) ? BXT_OK : BXT_ERR_MODEL;
}

/* ---- Tables, by names alone ---- */

struct named {
	const bxt_table *table;
	bxt_match_side names;
};

static bxt_status list_names(bxt_arena *arena, const bxt_table *t, struct named *out)
{
	const size_t n = bxt_table_columns(t);
	const char **name = BXT_NEW(arena, const char *, n);
	*out = (struct named){t, {name, bxt_filled(arena, n, -1), n}};
	if (!name || !out->names.partner)
		return BXT_ERR_MEMORY;
	for (size_t j = 0; j < n; j++)
		name[j] = bxt_table_name(t, j);
	return BXT_OK;
}

/* The column whose name is, or ends with, that text; -1 after a finding. */
static long find_column(bxt_arena *arena, const struct named *side, const char *name,
			bxt_diagnostics *d)
{
	const char *const *all = side->names.name;
	long found = bxt_table_find(side->table, name), second = -1;
	for (size_t i = 0; i < side->names.n && found < 0; i++) {
		if (!bxt_name_is_end(all[i], name))
			continue;
		for (second = (long)i + 1; second < (long)side->names.n; second++)
			if (bxt_name_is_end(all[second], name))
				break;
		found = (long)i;
	}
	if (second >= 0 && second < (long)side->names.n) {
		bxt_error(d, BXT_NOWHERE,
			  "map: '%s' is ambiguous: '%s' and '%s' match; write more of the path",
			  name, all[found], all[second]);
		return -1;
	}
	if (found < 0)
		bxt_error(d, BXT_NOWHERE, "map: no recorded signal '%s'%s", name,
			  bxt_did_you_mean(arena, bxt_nearest(name, all, side->names.n)));
	return found;
}

static bxt_status pair_by_map(bxt_arena *arena, struct named side[2], const char *const *map,
			      size_t n_map, bxt_diagnostics *d)
{
	bool good = true;
	for (size_t k = 0; k < n_map; k++) {
		const long i = find_column(arena, &side[0], map[2 * k], d);
		const long j = find_column(arena, &side[1], map[2 * k + 1], d);
		good = good && i >= 0 && j >= 0;
		if (i >= 0 && j >= 0) {
			side[0].names.partner[i] = (int)j;
			side[1].names.partner[j] = (int)i;
		}
	}
	return good ? BXT_OK : BXT_ERR_MODEL;
}

static bxt_status pair_names(bxt_arena *arena, struct named side[2], const char *const *map,
			     size_t n_map, bxt_diagnostics *d)
{
	BXT_TRY(pair_by_map(arena, side, map, n_map, d));
	BXT_TRY(bxt_match_equal(&side[0].names, &side[1].names));
	return bxt_match_suffixes(arena, &side[0].names, &side[1].names, true);
}

static bxt_status compare_names(bxt_arena *arena, const struct named side[2],
				const struct pairs *rows, bxt_difference **out, size_t *n_out)
{
	struct columns columns[2];
	size_t n = 0;
	*out = calloc(side[0].names.n + 1, sizeof **out);
	if (!*out)
		return BXT_ERR_MEMORY;
	for (int s = 0; s < 2; s++)
		BXT_TRY(new_columns(arena, side[s].table, side[0].names.n, side[0].names.n,
				    &columns[s]));
	for (size_t i = 0; i < side[0].names.n; i++) {
		const int j = side[0].names.partner[i];
		if (j < 0)
			continue;
		(*out)[n] = (bxt_difference){.size = sizeof **out,
					     .a = bxt_table_name(side[0].table, i),
					     .b = bxt_table_name(side[1].table, (size_t)j),
					     .group = bxt_group_of_name(side[0].names.name[i])};
		columns[0].column[n] = (long)i;
		columns[1].column[n] = j;
		for (int s = 0; s < 2; s++) {
			columns[s].weight[n] = 1;
			columns[s].first[n + 1] = n + 1;
		}
		n++;
	}
	measure_difference(&columns[0], &columns[1], rows, *out, n);
	*n_out = n;
	return BXT_OK;
}

bxt_status bxt_compare(const bxt_table *a, const bxt_table *b, const char *const *map, size_t n_map,
		       bxt_diagnostics *d, bxt_difference **out, size_t *n_out)
{
	struct named side[2];
	BXT_NEEDS(d, out);
	*out = NULL;
	BXT_NEEDS(d, n_out);
	*n_out = 0;
	BXT_NEEDS(d, a);
	BXT_NEEDS(d, b);
	BXT_NEEDS(d, map || n_map == 0);
	struct pairs rows;
	bxt_arena *arena = bxt_arena_new();
	bxt_status status = arena ? find_pairs(arena, a, b, d, &rows) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = list_names(arena, a, &side[0]);
	if (status == BXT_OK)
		status = list_names(arena, b, &side[1]);
	if (status == BXT_OK)
		status = pair_names(arena, side, map, n_map, d);
	if (status == BXT_OK)
		status = compare_names(arena, side, &rows, out, n_out);
	if (status != BXT_OK)
		*out = bxt_free(*out);
	bxt_arena_free(arena);
	return status;
}

/* ---- Twins ---- */

static bxt_status twin_columns(bxt_arena *arena, const bxt_twins *twins, int s,
			       const bxt_table *table, struct columns *out)
{
	size_t n_terms = 0, at = 0;
	for (size_t k = 0; k < twins->n; k++)
		n_terms += twins->twin[k].side[s].n;
	BXT_TRY(new_columns(arena, table, twins->n, n_terms, out));
	for (size_t k = 0; k < twins->n; k++) {
		const bxt_twin_side *side = &twins->twin[k].side[s];
		for (size_t i = 0; i < side->n; i++, at++) {
			out->column[at] = bxt_table_find(table, side->signal[i]);
			out->weight[at] = side->weight[i];
			if (out->column[at] < 0) /* the table belongs to another run */
				return BXT_ERR_ARGUMENT;
		}
		out->first[k + 1] = at;
	}
	return BXT_OK;
}

/*
 * Angles and lengths of one mechanism have about the same magnitude in rad and m, so both units
 * form one family: a signal of one unit that is round-off of the other is zero. An angle that
 * results from the balance of forces, not of motions, has an error of more than one unit in the
 * last place of these: 17 eps for a plate that hangs at rest. 256 eps leaves room.
 */
static const double AKIN_ROUND_OFF = 256 * DBL_EPSILON;

static const char *family_of(const char *quantity)
{
	return strcmp(quantity, "m") == 0 || strcmp(quantity, "rad") == 0 ? "m, rad" : quantity;
}

/* Numbers that stand for texts, and the largest scale for each number. */
struct scales {
	bxt_map number;
	double *largest; /* (n) */
	int n;
};

/*
 * The number of the pair (group, word). The largest scale of that number becomes at least `scale`.
 */
static bxt_status count_scale(bxt_arena *arena, struct scales *s, bxt_signal_group group,
			      const char *word, double scale, int *out)
{
	const char *key = bxt_arena_printf(arena, "%d %s", (int)group, word);
	if (!key)
		return BXT_ERR_MEMORY;
	if ((*out = bxt_map_get(&s->number, key)) < 0)
		BXT_TRY(bxt_map_put(&s->number, key, *out = s->n++));
	s->largest[*out] = fmax(s->largest[*out], scale);
	return BXT_OK;
}

/*
 * The scale of each pair: its own or, if that is larger, the scale at which the round-off of the
 * largest signal of its quantity and family equals the tolerance.
 */
static bxt_status rescale(bxt_arena *arena, const bxt_twins *twins, double tolerance,
			  const bxt_run_scale *run, bxt_difference *out)
{
	const double energy = run->energy;
	double *floor = BXT_NEW(arena, double, twins->n);

	struct scales same = {.largest = BXT_NEW(arena, double, twins->n)},
		      akin = {.largest = BXT_NEW(arena, double, twins->n)};
	int *of_same = BXT_NEW(arena, int, twins->n), *of_akin = BXT_NEW(arena, int, twins->n);
	bxt_status status = floor && same.largest && akin.largest && of_same && of_akin
				    ? bxt_round_off_floors(arena, twins, out, run, floor)
				    : BXT_ERR_MEMORY;
	for (size_t k = 0; k < twins->n && status == BXT_OK; k++) {
		const bxt_twin *t = &twins->twin[k];
		const double scale =
			t->group == BXT_SIGNALS_ENERGY ? fmax(out[k].scale, energy) : out[k].scale;
		status = count_scale(arena, &same, t->group, t->quantity, scale, &of_same[k]);
		if (status == BXT_OK)
			status = count_scale(arena, &akin, t->group, family_of(t->quantity), scale,
					     &of_akin[k]);
	}
	bxt_map_free(&same.number);
	bxt_map_free(&akin.number);
	for (size_t k = 0; k < twins->n && status == BXT_OK; k++) {
		const double least =
			same.largest[of_same[k]] * fmin(1, BXT_COMPARE_ROUND_OFF / tolerance);
		const double other = akin.largest[of_akin[k]] * fmin(1, AKIN_ROUND_OFF / tolerance);
		const double noise = bxt_is_like_noise(&out[k]) ? floor[k] / tolerance : 0;
		const double scale = fmax(fmax(out[k].scale, noise), fmax(least, other));
		out[k].relative = scale > 0 ? out[k].largest / scale : out[k].largest;
	}
	return status;
}

static bxt_status compare_twins(bxt_arena *arena, const bxt_twins *twins, const bxt_table *table[2],
				const struct pairs *pairs, double tolerance,
				const bxt_summary *account, bxt_difference *out)
{
	const size_t rows = bxt_table_rows(table[0]);
	const double from = rows ? bxt_table_time(table[0], 0) : 0,
		     to = rows ? bxt_table_time(table[0], rows - 1) : 0;
	const bxt_run_scale run = {account ? bxt_exchanged(account) : 0, fabs(to - from),
				   account && account->step != 0 ? fabs(account->step)
				   : rows > 1 ? fabs(to - from) / (double)(rows - 1)
					      : 0};

	struct columns columns[2];
	for (int s = 0; s < 2; s++)
		BXT_TRY(twin_columns(arena, twins, s, table[s], &columns[s]));
	for (size_t k = 0; k < twins->n; k++)
		out[k] = (bxt_difference){.size = sizeof *out,
					  .a = twins->twin[k].side[0].name,
					  .b = twins->twin[k].side[1].name,
					  .group = twins->twin[k].group};
	measure_difference(&columns[0], &columns[1], pairs, out, twins->n);
	return rescale(arena, twins, tolerance, &run, out);
}

bxt_status bxt_twins_compare(const bxt_twins *twins, const bxt_table *a, const bxt_table *b,
			     const bxt_summary *account, double tolerance, bxt_diagnostics *d,
			     bxt_difference **out)
{
	BXT_NEEDS(d, out);
	*out = NULL;
	BXT_NEEDS(d, twins);
	BXT_NEEDS(d, a);
	BXT_NEEDS(d, b);
	BXT_TRY(bxt_check_filled(twins, sizeof *twins, "bxt_twins", d));
	if (account)
		BXT_TRY(bxt_check_filled(account, sizeof *account, "bxt_summary", d));
	struct pairs rows;
	bxt_arena *arena = bxt_arena_new();
	*out = calloc(twins->n + 1, sizeof **out);
	bxt_status status = arena && *out ? find_pairs(arena, a, b, d, &rows) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = compare_twins(arena, twins, (const bxt_table *[]){a, b}, &rows, tolerance,
				       account, *out);
	if (status != BXT_OK)
		*out = bxt_free(*out);
	bxt_arena_free(arena);
	return status;
}
