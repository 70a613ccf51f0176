/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sinks for rows: CSV, and a table in memory; reads CSV back. */
#include "boxtimes_compare.h"
#include "ground/base/csv.h"
#include "ground/base/diagnostics.h"
#include "ground/base/text.h"
#include "ground/base/time.h"
#include "model/component/quantity.h"
#include "run/account/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- CSV ---- */

static bxt_status csv_begin(void *context, size_t n, const char *const *names)
{
	FILE *stream = context;
	BXT_NEEDS(NULL, stream);
	fputs("time", stream);
	for (size_t i = 0; i < n; i++) {
		fputc(',', stream);
		bxt_csv_write_name(stream, names[i], "");
	}
	return fputc('\n', stream) == EOF ? BXT_ERR_IO : BXT_OK;
}

static bxt_status csv_columns(void *context, size_t n, const bxt_column *columns)
{
	FILE *stream = context;
	BXT_NEEDS(NULL, stream);
	fputs("time [s]", stream);
	for (size_t i = 0; i < n; i++) {
		fputc(',', stream);
		bxt_csv_write_name(stream, columns[i].name, columns[i].unit);
	}
	return fputc('\n', stream) == EOF ? BXT_ERR_IO : BXT_OK;
}

/* Collects the text of a row: one call of the stream takes as long as formatting one number. */
static bxt_status csv_row(void *context, double t, size_t n, const double *values)
{
	enum { NUMBER = 32, ROOM = 64 * NUMBER };
	FILE *stream = context;
	char text[ROOM];
	size_t length = bxt_format_number(text, t);
	for (size_t i = 0; i < n; i++) {
		if (length + NUMBER > ROOM) {
			fwrite(text, 1, length, stream);
			length = 0;
		}
		text[length++] = ',';
		length += bxt_format_number(text + length, values[i]);
	}
	text[length++] = '\n';
	return fwrite(text, 1, length, stream) < length || ferror(stream) ? BXT_ERR_IO : BXT_OK;
}

void bxt_csv_sink(FILE *stream, bxt_sink *out)
{
	if (out)
		*out = (bxt_sink){sizeof *out, csv_begin, csv_row, stream, csv_columns};
}

/* ---- Table ---- */

struct bxt_table {
	bxt_arena *names_arena;
	char **names;    /* (columns) */
	char **units;    /* (columns) "": not known */
	bxt_map by_name; /* the first column of each name */
	double *values;  /* (1 + columns)(capacity), the times first */
	size_t columns, rows, capacity;
	bool other; /* the first column is not the time */
};

/* Number of doubles in a cache line. Columns are an odd number of lines apart; otherwise the
 * entries of a row, one in each column, would all map to a few sets of the cache. */
enum { CACHE_LINE = 8 };

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

static bxt_status make_columns(bxt_table *t, size_t n)
{
	t->columns = n;
	t->names = BXT_NEW(t->names_arena, char *, n);
	t->units = BXT_NEW(t->names_arena, char *, n);
	return t->names && t->units ? BXT_OK : BXT_ERR_MEMORY;
}

static bxt_status set_column(bxt_table *t, size_t i, const char *name, const char *unit)
{
	t->names[i] = bxt_arena_strdup(t->names_arena, name);
	t->units[i] = bxt_arena_strdup(t->names_arena, unit);
	if (!t->names[i] || !t->units[i])
		return BXT_ERR_MEMORY;
	return bxt_map_get(&t->by_name, t->names[i]) < 0
		       ? bxt_map_put(&t->by_name, t->names[i], (int)i)
		       : BXT_OK;
}

static bxt_status table_begin(void *context, size_t n, const char *const *names)
{
	bxt_table *t = context;
	BXT_NEEDS(NULL, t);
	BXT_TRY(make_columns(t, n));
	for (size_t i = 0; i < n; i++)
		BXT_TRY(set_column(t, i, names[i], ""));
	return BXT_OK;
}

static bxt_status table_columns(void *context, size_t n, const bxt_column *columns)
{
	bxt_table *t = context;
	BXT_NEEDS(NULL, t);
	BXT_TRY(make_columns(t, n));
	for (size_t i = 0; i < n; i++)
		BXT_TRY(set_column(t, i, columns[i].name, columns[i].unit));
	return BXT_OK;
}

/* Room for twice as many rows; columns move apart, the last one first. */
static bxt_status grow_columns(bxt_table *t)
{
	const size_t n = t->columns + 1, old = t->capacity,
		     capacity = old ? 2 * old + CACHE_LINE : CACHE_LINE;
	if (capacity > SIZE_MAX / 4 / sizeof *t->values / n)
		return BXT_ERR_MEMORY;
	double *values = realloc(t->values, n * capacity * sizeof *values);
	if (!values)
		return BXT_ERR_MEMORY;
	for (size_t j = n; j-- > 1 && old > 0;)
		memmove(values + j * capacity, values + j * old, t->rows * sizeof *values);
	t->values = values;
	t->capacity = capacity;
	return BXT_OK;
}

static bxt_status table_row(void *context, double time, size_t n, const double *values)
{
	bxt_table *t = context;
	if (n != t->columns)
		return BXT_ERR_ARGUMENT;
	if (t->rows == t->capacity)
		BXT_TRY(grow_columns(t));
	double *to = t->values + t->rows++;
	*to = time;
	for (size_t j = 0; j < n; j++)
		*(to += t->capacity) = values[j];
	return BXT_OK;
}

void bxt_table_sink(bxt_table *table, bxt_sink *out)
{
	if (out)
		*out = (bxt_sink){sizeof *out, table_begin, table_row, table, table_columns};
}

size_t bxt_table_rows(const bxt_table *t)
{
	return t ? t->rows : 0;
}

size_t bxt_table_columns(const bxt_table *t)
{
	return t ? t->columns : 0;
}

const char *bxt_table_name(const bxt_table *t, size_t j)
{
	return t && j < t->columns ? t->names[j] : NULL;
}

const char *bxt_table_unit(const bxt_table *t, size_t j)
{
	return t && j < t->columns ? t->units[j] : NULL;
}

double bxt_table_time(const bxt_table *t, size_t i)
{
	return t && i < t->rows ? t->values[i] : NAN;
}

double bxt_table_value(const bxt_table *t, size_t i, size_t j)
{
	return t && i < t->rows && j < t->columns ? t->values[(j + 1) * t->capacity + i] : NAN;
}

const double *bxt_table_column(const bxt_table *t, long j)
{
	return t && t->rows > 0 && j >= -1 && j < (long)t->columns
		       ? t->values + (size_t)(j + 1) * t->capacity
		       : NULL;
}

long bxt_table_find(const bxt_table *t, const char *name)
{
	return t && name ? bxt_map_get(&t->by_name, name) : -1;
}

/* ---- From CSV ---- */

struct reader {
	bxt_csv_lines lines;
	bxt_diagnostics *d;
	const char *file;
	bxt_column *column; /* (n) texts in the line */
	double *value;      /* (n) of a row, the time among them */
	size_t n, c_column, c_value;
	double second; /* in the unit of the times */
};

static bxt_status refuse(const struct reader *r, const char *why)
{
	bxt_error(r->d, (bxt_place){r->file, r->lines.line}, "%s", why);
	return BXT_ERR_MODEL;
}

/* Cuts "C1.q [C]" in two; the unit is "" where there is none. */
static const char *cut_unit(char *name)
{
	static const char before[] = " [";
	const size_t length = strlen(name);
	char *open = NULL;
	for (char *c = strstr(name, before); c; c = strstr(c + 1, before))
		open = c;
	if (!open || open == name || name[length - 1] != ']')
		return name + length;
	name[length - 1] = *open = '\0';
	return open + strlen(before);
}

/* Times are stored in seconds. A first column of another dimension, such as frequencies, is
 * unchanged. */
static bxt_status read_first(struct reader *r, bxt_table *t)
{
	const char *name = r->column->name, *unit = r->column->unit;
	bxt_buffer one = {0};
	r->second = 1;
	t->other = !*unit && strcasecmp(name, "time") != 0 && strcasecmp(name, "t") != 0;
	if (!*unit || strcmp(unit, "s") == 0)
		return BXT_OK;
	bxt_units *units = bxt_units_new();
	bxt_buffer_printf(&one, "1 %s", unit);
	bxt_status status = units && !one.failed ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		t->other = bxt_quantity_read(units, one.text, "s", &r->second) != BXT_QUANTITY_OK;
	r->second = t->other ? 1 : r->second;
	bxt_buffer_free(&one);
	bxt_units_free(units);
	return status;
}

bool bxt_table_is_over_time(const bxt_table *t)
{
	return !t->other;
}

static bxt_status read_header(struct reader *r, bxt_table *t)
{
	for (char *at = r->lines.text; at; r->n++) {
		BXT_TRY(BXT_GROW(r->column, r->c_column, r->n + 1));
		BXT_TRY(BXT_GROW(r->value, r->c_value, r->n + 1));
		char *name = bxt_csv_next_cell(&at, true);
		const char *unit = cut_unit(name);
		r->column[r->n] = (bxt_column){sizeof(bxt_column), name, unit};
	}
	BXT_TRY(read_first(r, t));
	return table_columns(t, r->n - 1, r->column + 1);
}

/* Reads a number, also infinities and NaN as the C library writes them. */
static bool read_value(const char *cell, double *value)
{
	const size_t length = strlen(cell);
	const char *word = cell + (*cell == '-');
	const bool infinite = strcmp(word, "inf") == 0;
	*value = infinite ? (word > cell ? -INFINITY : INFINITY) : NAN;
	return infinite || !*cell || strcmp(word, "nan") == 0 ||
	       bxt_read_number(cell, length, value) == length;
}

static bxt_status read_row(struct reader *r, bxt_table *t)
{
	size_t n = 0;
	for (char *at = r->lines.text; at && n <= r->n; n++) {
		const char *cell = bxt_csv_next_cell(&at, true);
		if (n < r->n && !read_value(cell, &r->value[n])) {
			bxt_error(r->d, (bxt_place){r->file, r->lines.line},
				  "field %zu is not a number", n + 1);
			return BXT_ERR_MODEL;
		}
	}
	if (n != r->n)
		return refuse(r, n < r->n ? "the row has fewer fields than the header"
					  : "the row has more fields than the header");
	return table_row(t, r->second * r->value[0], r->n - 1, r->value + 1);
}

bxt_status bxt_table_read_csv(FILE *stream, const char *file, bxt_diagnostics *d, bxt_table **out)
{
	struct reader r = {.lines = {.file = stream}, .d = d, .file = file};
	BXT_NEEDS(d, out);
	*out = NULL;
	BXT_NEEDS(d, stream);
	bxt_table *t = bxt_table_new();
	bxt_status status = t ? BXT_OK : BXT_ERR_MEMORY;
	while (status == BXT_OK && bxt_csv_next_line(&r.lines))
		status = r.lines.binary ? refuse(&r, "the line holds a NUL byte: it is not text")
			 : r.n == 0     ? read_header(&r, t)
					: read_row(&r, t);
	if (status == BXT_OK && r.lines.no_memory)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK && ferror(stream)) {
		bxt_error(d, (bxt_place){file, 0}, "cannot be read: %s", strerror(errno));
		status = BXT_ERR_IO;
	}
	bxt_csv_lines_free(&r.lines);
	bxt_free(r.column);
	bxt_free(r.value);
	*out = status == BXT_OK ? t : bxt_table_free(t);
	return status;
}

/* ---- Accuracy ---- */

/* Times of two runs that differ by less than this part of the later one count as equal. */
static const double SAME_TIME = 1e-9;

static const size_t NO_ROW = (size_t)-1;

/* Returns the number of rows from i on that have the time of row i. */
static size_t at_one_time(const bxt_table *t, size_t i, double near)
{
	size_t n = 1;
	while (i + n < bxt_table_rows(t) &&
	       fabs(bxt_table_time(t, i + n) - bxt_table_time(t, i)) <= near)
		n++;
	return n;
}

/* Finds the row of the finer run for each row; NO_ROW: there is none. Events of the state have
 * other times there, and perhaps another number of rows. Returns the number of pairs. */
static size_t pair_rows(const bxt_table *coarse, const bxt_table *fine, size_t *partner)
{
	const size_t rows = bxt_table_rows(coarse), others = bxt_table_rows(fine);
	const double near = rows > 0 ? SAME_TIME * fabs(bxt_table_time(coarse, rows - 1)) : 0;
	size_t paired = 0;
	for (size_t i = 0, k = 0; i < rows;) {
		const size_t n = at_one_time(coarse, i, near);
		const double t = bxt_table_time(coarse, i);
		while (k < others && bxt_table_time(fine, k) < t - near)
			k++;
		/* several rows: events of sources have the same time in both runs, others do not */
		const double within = n > 1 ? bxt_time_apart(t, 0) : near;
		const bool same = k < others && fabs(bxt_table_time(fine, k) - t) <= within &&
				  at_one_time(fine, k, near) == n;
		for (size_t j = 0; j < n; j++)
			partner[i + j] = same ? k + j : NO_ROW;
		paired += same ? n : 0;
		i += n;
	}
	return paired;
}

static void compare_column(const bxt_table *coarse, const bxt_table *fine, const size_t *partner,
			   size_t j, double share, bxt_accuracy *out)
{
	const size_t rows = bxt_table_rows(coarse);
	double least = INFINITY, most = -INFINITY;
	*out = (bxt_accuracy){.size = sizeof *out,
			      .name = bxt_table_name(coarse, j),
			      .unit = bxt_table_unit(coarse, j)};
	for (size_t i = 0; i < rows; i++) {
		if (partner[i] == NO_ROW)
			continue;
		const double y = bxt_table_value(coarse, i, j);
		const double error = share * fabs(y - bxt_table_value(fine, partner[i], j));
		least = fmin(least, y);
		most = fmax(most, y);
		if (!isfinite(y) && isfinite(out->error)) {
			out->error = NAN;
			out->at = bxt_table_time(coarse, i);
		}
		if (error > out->error) {
			out->error = error;
			out->at = bxt_table_time(coarse, i);
		}
	}
	out->range = rows > 0 ? most - least : 0;
}

/* Least range, as a part of the largest value in the same unit. A signal that is constant except
 * for round-off, such as a conserved energy, has no range of its own to compare an error with. */
static const double STILL = 1e-6;

static bxt_status widen_ranges(const bxt_table *t, bxt_accuracy *a, size_t n)
{
	bxt_map units = {0};
	int *unit = calloc(n + 1, sizeof *unit), n_units = 0;
	double *largest = calloc(n + 1, sizeof *largest);
	bxt_status status = unit && largest ? BXT_OK : BXT_ERR_MEMORY;
	for (size_t j = 0; j < n && status == BXT_OK; j++) {
		if ((unit[j] = bxt_map_get(&units, a[j].unit)) < 0)
			status = bxt_map_put(&units, a[j].unit, unit[j] = n_units++);
		for (size_t i = 0; i < bxt_table_rows(t) && status == BXT_OK; i++) {
			const double y = fabs(bxt_table_value(t, i, j));
			if (isfinite(y) && y > largest[unit[j]])
				largest[unit[j]] = y;
		}
	}
	for (size_t j = 0; j < n && status == BXT_OK; j++)
		a[j].range = fmax(a[j].range, STILL * largest[unit[j]]);
	bxt_map_free(&units);
	free(unit);
	free(largest);
	return status;
}

bxt_status bxt_estimate_accuracy(const bxt_table *coarse, const bxt_table *fine, int order,
				 bxt_diagnostics *d, bxt_accuracy **out, size_t *n_out)
{
	BXT_NEEDS(d, coarse);
	BXT_NEEDS(d, fine);
	BXT_NEEDS(d, out);
	BXT_NEEDS(d, n_out);
	const size_t rows = bxt_table_rows(coarse), columns = bxt_table_columns(coarse);
	const double share = order > 0 ? 1 / (1 - exp2(-order)) : 1;
	*out = NULL;
	*n_out = 0;
	size_t *partner = calloc(rows + 1, sizeof *partner);
	if (!partner)
		return BXT_ERR_MEMORY;
	const size_t others = bxt_table_rows(fine), paired = pair_rows(coarse, fine, partner);
	/* if more than a quarter of the rows have no partner, events cannot be the reason: the runs
	 * cannot be compared */
	if (columns != bxt_table_columns(fine) ||
	    rows + others - 2 * paired > (rows + others) / 4) {
		free(partner);
		bxt_error(d, BXT_NOWHERE,
			  "the run with finer steps has other rows or columns: there is no "
			  "estimate of errors");
		return BXT_ERR_MODEL;
	}
	bxt_accuracy *a = calloc(columns + 1, sizeof *a);
	for (size_t j = 0; j < columns && a; j++)
		compare_column(coarse, fine, partner, j, share, &a[j]);
	free(partner);
	if (!a)
		return BXT_ERR_MEMORY;
	const bxt_status status = widen_ranges(coarse, a, columns);
	if (status != BXT_OK) {
		free(a);
		return status;
	}
	*out = a;
	*n_out = columns;
	return BXT_OK;
}
