/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Floor 7: where rows go: CSV, a table in memory; and the comparison of two tables. */
#include "boxtimes.h"
#include "diagnostics.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- CSV
 * ----------------------------------------------------------------------------------------- */

static bxt_status csv_begin(void *context, size_t n, const char *const *names)
{
	FILE *stream = context;
	fputs("time", stream);
	for (size_t i = 0; i < n; i++)
		fprintf(stream, ",%s", names[i]);
	return fputc('\n', stream) == EOF ? BXT_ERR_IO : BXT_OK;
}

static bxt_status csv_row(void *context, double t, size_t n, const double *values)
{
	FILE *stream = context;
	char number[32];
	bxt_format_number(number, t);
	fputs(number, stream);
	for (size_t i = 0; i < n; i++) {
		bxt_format_number(number, values[i]);
		fputc(',', stream);
		fputs(number, stream);
	}
	return fputc('\n', stream) == EOF || ferror(stream) ? BXT_ERR_IO : BXT_OK;
}

bxt_sink bxt_csv_sink(FILE *stream)
{
	return (bxt_sink){csv_begin, csv_row, stream};
}

/* ---- Table
 * --------------------------------------------------------------------------------------- */

struct bxt_table {
	bxt_arena *names_arena;
	char **names;    /* (columns) */
	bxt_map by_name; /* the first column of each name */
	double *values;  /* (rows)(1 + columns), the time first */
	size_t columns, rows, capacity;
};

bxt_table *bxt_table_new(void)
{
	bxt_table *t = calloc(1, sizeof *t);
	if (t && !(t->names_arena = bxt_arena_new()))
		t = bxt_free(t);
	return t;
}

bxt_table *bxt_table_free(bxt_table *t)
{
	if (t) {
		bxt_map_free(&t->by_name);
		bxt_arena_free(t->names_arena);
		free(t->values);
		free(t);
	}
	return NULL;
}

static bxt_status table_begin(void *context, size_t n, const char *const *names)
{
	bxt_table *t = context;
	t->columns = n;
	t->names = BXT_NEW(t->names_arena, char *, n);
	for (size_t i = 0; t->names && i < n; i++) {
		if (!(t->names[i] = bxt_arena_strdup(t->names_arena, names[i])))
			return BXT_ERR_MEMORY;
		if (bxt_map_get(&t->by_name, t->names[i]) < 0)
			BXT_TRY(bxt_map_put(&t->by_name, t->names[i], (int)i));
	}
	return t->names ? BXT_OK : BXT_ERR_MEMORY;
}

static bxt_status table_row(void *context, double time, size_t n, const double *values)
{
	bxt_table *t = context;
	BXT_TRY(BXT_GROW(t->values, t->capacity, (t->rows + 1) * (n + 1)));
	double *row = t->values + t->rows++ * (n + 1);
	row[0] = time;
	if (n > 0)
		memcpy(row + 1, values, n * sizeof *values);
	return BXT_OK;
}

bxt_sink bxt_table_sink(bxt_table *table)
{
	return (bxt_sink){table_begin, table_row, table};
}

size_t bxt_table_rows(const bxt_table *t)
{
	return t->rows;
}

size_t bxt_table_columns(const bxt_table *t)
{
	return t->columns;
}

const char *bxt_table_name(const bxt_table *t, size_t j)
{
	return j < t->columns ? t->names[j] : NULL;
}

double bxt_table_time(const bxt_table *t, size_t i)
{
	return i < t->rows ? t->values[i * (t->columns + 1)] : NAN;
}

double bxt_table_value(const bxt_table *t, size_t i, size_t j)
{
	return i < t->rows && j < t->columns ? t->values[i * (t->columns + 1) + 1 + j] : NAN;
}

long bxt_table_find(const bxt_table *t, const char *name)
{
	return bxt_map_get(&t->by_name, name);
}

/* ---- Comparison
 * ---------------------------------------------------------------------------------- */

/*
 * Are two names the same but for leading path words of the paths in them? "C1.q" and "store.C1.q",
 * "node(a).v" and "node(loop.a).v", "power(C1.p)" and "power(store.C1.p)".
 */
static bool same_but_path(const char *a, const char *b)
{
	const char *open_a = strchr(a, '('), *open_b = strchr(b, '(');
	if (!open_a != !open_b)
		return false;
	if (open_a) {
		const size_t prefix = (size_t)(open_a - a) + 1;
		if ((size_t)(open_b - b) + 1 != prefix || strncmp(a, b, prefix) != 0)
			return false;
		a += prefix;
		b += prefix;
	}
	const size_t na = strlen(a), nb = strlen(b);
	const char *longer = na > nb ? a : b, *shorter = na > nb ? b : a;
	const size_t cut = strlen(longer) - strlen(shorter);
	/* the words that stay must include the owner's id: "energy" is nobody's suffix */
	return strcmp(longer + cut, shorter) == 0 && (cut == 0 || longer[cut - 1] == '.') &&
	       (open_a || strchr(shorter, '.'));
}

/* The column of b for column j of a; -1 when there is none or more than one. */
static long partner(const bxt_table *a, const bxt_table *b, size_t j, const char *const *map,
		    size_t n_map)
{
	const char *name = a->names[j];
	long found = bxt_table_find(b, name);
	for (size_t k = 0; k < n_map; k++)
		if (strcmp(map[2 * k], name) == 0)
			return bxt_table_find(b, map[2 * k + 1]);
	if (found >= 0)
		return found;
	for (size_t k = 0; k < b->columns; k++) {
		if (!same_but_path(name, b->names[k]) || bxt_table_find(a, b->names[k]) >= 0)
			continue;
		if (found >= 0)
			return -1;
		found = (long)k;
	}
	/* unique from the other side, too */
	for (size_t k = 0; found >= 0 && k < a->columns; k++)
		if (k != j && same_but_path(a->names[k], b->names[found]))
			return -1;
	return found;
}

static bxt_difference measure(const bxt_table *a, const bxt_table *b, size_t j, size_t k)
{
	bxt_difference d = {.a = a->names[j], .b = b->names[k]};
	for (size_t i = 0; i < a->rows; i++) {
		const double x = bxt_table_value(a, i, j), y = bxt_table_value(b, i, k);
		if (!(fabs(x - y) <= d.largest)) {
			d.largest = fabs(x - y);
			d.at = bxt_table_time(a, i);
		}
		d.scale = fmax(d.scale, fabs(x));
	}
	d.relative = d.scale > 0 ? d.largest / d.scale : d.largest;
	return d;
}

bxt_status bxt_compare(const bxt_table *a, const bxt_table *b, const char *const *map, size_t n_map,
		       bxt_diagnostics *d, bxt_difference **out, size_t *n_out)
{
	*out = NULL;
	*n_out = 0;
	if (a->rows != b->rows) {
		bxt_error(d, BXT_NOWHERE,
			  "the two runs have %zu and %zu rows: give both the same step and end",
			  a->rows, b->rows);
		return BXT_ERR_MODEL;
	}
	for (size_t i = 0; i < a->rows; i++) {
		const double t = bxt_table_time(a, i), u = bxt_table_time(b, i);
		if (fabs(t - u) > 1e-12 * fmax(fabs(t), fabs(u))) { /* round-off of k h */
			bxt_error(d, BXT_NOWHERE,
				  "row %zu is at %.9g s in one run and at %.9g s in the other", i,
				  t, u);
			return BXT_ERR_MODEL;
		}
	}
	for (size_t k = 0; k < n_map; k++)
		if (bxt_table_find(a, map[2 * k]) < 0 || bxt_table_find(b, map[2 * k + 1]) < 0) {
			bxt_error(d, BXT_NOWHERE, "map: no recorded signal '%s'",
				  bxt_table_find(a, map[2 * k]) < 0 ? map[2 * k] : map[2 * k + 1]);
			return BXT_ERR_MODEL;
		}
	*out = calloc(a->columns + 1, sizeof **out);
	if (!*out)
		return BXT_ERR_MEMORY;
	for (size_t j = 0; j < a->columns; j++) {
		const long k = partner(a, b, j, map, n_map);
		if (k >= 0)
			(*out)[(*n_out)++] = measure(a, b, j, (size_t)k);
	}
	return BXT_OK;
}
