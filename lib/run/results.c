/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where rows go: CSV, a table in memory. */
#include "base/diagnostics.h"
#include "base/text.h"
#include "boxtimes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- CSV ---- */

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

/* ---- Table ---- */

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
