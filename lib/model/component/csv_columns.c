/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads CSV files. Only commas separate columns: in files with ';' a comma may be the decimal sign,
 * and a wrong assumption would give wrong numbers.
 */
#include "model/component/csv_columns.h"

#include "ground/base/csv.h"
#include "ground/base/local_file.h"
#include "ground/base/text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	bxt_arena *arena;
	bxt_units *units;
	bxt_diagnostics *d;
	bxt_csv *csv;
	bxt_csv_lines lines;
	bxt_buffer quantity; /* a cell with its unit */
	bxt_map columns;     /* the first of each name */
	int findings;
	bool no_memory;
};

#define WRONG(r, ...)                                                                              \
	do {                                                                                       \
		(r)->csv->bad = true;                                                              \
		if ((r)->findings++ < BXT_CSV_MOST_FINDINGS)                                       \
			bxt_error((r)->d, (bxt_place){(r)->csv->path, (r)->lines.line},            \
				  __VA_ARGS__);                                                    \
	} while (0)

static const char blank[] = " \t\r\n";

/* The next line that is neither blank nor a comment; false at the end. */
static bool next_line(struct reader *r)
{
	while (bxt_csv_next_line(&r->lines)) {
		if (r->lines.binary)
			WRONG(r, "the line holds a NUL byte: it is not text");
		else if (r->lines.text[strspn(r->lines.text, blank)] != '#')
			return true;
	}
	r->no_memory = r->no_memory || r->lines.no_memory;
	return false;
}

static bool is_number(const char *cell)
{
	double value;
	const size_t length = strlen(cell);
	return length > 0 && bxt_read_number(cell, length, &value) == length;
}

/* ---- The first line ---- */

/* "speed [rad/s]" */
static void read_name(struct reader *r, char *cell, int number)
{
	bxt_csv_column *c = &r->csv->column[number];
	char *open = strchr(cell, '['), *close = strrchr(cell, ']');
	char si[128] = ""; /* powers of base units: the length does not depend on the input */
	*c = (bxt_csv_column){
		.name = bxt_arena_printf(r->arena, "%d", number + 1), .unit = "", .si = ""};
	if (!c->name) {
		r->no_memory = true;
		return;
	}
	if (strchr(cell, '"')) {
		WRONG(r, "column %d: quotes are not read: write %s", number + 1, "the name alone");
		return;
	}
	if (open && (!close || close < open || close[1])) {
		WRONG(r, "column %d: '%s' is no name with its unit: write \"speed [rad/s]\"",
		      number + 1, cell);
		return;
	}
	if (open) {
		*open = *close = '\0';
		char *unit = open + 1 + strspn(open + 1, blank);
		for (char *end = unit + strlen(unit); end > unit && strchr(blank, end[-1]);)
			*--end = '\0';
		for (char *end = open; end > cell && strchr(blank, end[-1]);)
			*--end = '\0';
		const bxt_quantity_error error = bxt_units_si(r->units, unit, si, sizeof si);
		c->unit = bxt_arena_strdup(r->arena, unit);
		r->no_memory = r->no_memory || !c->unit || error == BXT_QUANTITY_MEMORY;
		if (error == BXT_QUANTITY_BAD_UNIT)
			WRONG(r, "column %d: the unit '%s' is not known", number + 1, unit);
	}
	if (!*cell)
		WRONG(r, "column %d has no name", number + 1);
	const int there = *cell ? bxt_map_get(&r->columns, cell) : -1;
	if (there >= 0)
		WRONG(r, "columns %d and %d are both called '%s'", there + 1, number + 1, cell);
	if (*cell)
		c->name = bxt_arena_strdup(r->arena, cell);
	if (*cell && c->name && there < 0)
		r->no_memory = bxt_map_put(&r->columns, c->name, number) != BXT_OK || r->no_memory;
	c->si = bxt_arena_strdup(r->arena, si);
	r->no_memory = r->no_memory || !c->name || !c->si;
}

/* Does a unit change numbers? Conversions are affine, so two points decide. */
static void find_scale(struct reader *r, bxt_csv_column *c)
{
	static const char *const probes[] = {"0", "1"};
	for (int k = 0; k < 2 && c->unit && *c->unit && !r->csv->bad; k++) {
		double value = k;
		const char *text = bxt_arena_printf(r->arena, "%s %s", probes[k], c->unit);
		r->no_memory = r->no_memory || !text ||
			       bxt_quantity_read(r->units, text, c->si, &value) != BXT_QUANTITY_OK;
		c->scaled = c->scaled || value != k;
	}
}

static void read_names(struct reader *r)
{
	int n = 1, numbers = 0;
	for (const char *s = r->lines.text; (s = strchr(s, ',')); s++)
		n++;
	r->csv->column = BXT_NEW(r->arena, bxt_csv_column, (size_t)n);
	if (!r->csv->column) {
		r->no_memory = true;
		return;
	}
	char *at = r->lines.text;
	const char *other = n > 1 ? NULL : strpbrk(r->lines.text, ";\t");
	if (other && *other == ';') {
		WRONG(r, "columns are separated by commas, not by ';'");
		return;
	}
	if (other && other[strspn(other, blank)]) {
		WRONG(r, "columns are separated by commas, not by tabs");
		return;
	}
	for (int i = 0; i < n && at && !r->no_memory; i++) {
		char *cell = bxt_csv_next_cell(&at, false);
		numbers += is_number(cell);
		r->csv->n_columns = i + 1;
		read_name(r, cell, i);
	}
	if (numbers == n)
		WRONG(r, "the first line is numbers: it has to name the columns, as in \"time [s], "
			 "speed [rad/s]\"");
	for (int i = 0; i < r->csv->n_columns && !r->no_memory; i++)
		find_scale(r, &r->csv->column[i]);
}

/* ---- The rows ---- */

/* A number of the column in SI units, converted with the same rounding as by bxt_quantity_read. */
static bool read_value(struct reader *r, const bxt_csv_column *c, const char *cell, double *value)
{
	const size_t length = strlen(cell);
	if (bxt_read_number(cell, length, value) != length || !isfinite(*value))
		return false;
	if (!c->scaled)
		return true;
	bxt_buffer_clear(&r->quantity);
	bxt_buffer_printf(&r->quantity, "%s %s", cell, c->unit);
	const bxt_quantity_error error =
		r->quantity.failed ? BXT_QUANTITY_MEMORY
				   : bxt_quantity_read(r->units, r->quantity.text, c->si, value);
	r->no_memory = r->no_memory || error == BXT_QUANTITY_MEMORY;
	return error == BXT_QUANTITY_OK;
}

static void read_row(struct reader *r)
{
	bxt_csv *csv = r->csv;
	const size_t row = (size_t)csv->n_rows;
	char *at = r->lines.text;
	int n = 0, more = 0;
	if (csv->n_rows == INT_MAX - 1 || BXT_GROW(csv->line, csv->c_line, row + 1) != BXT_OK) {
		r->no_memory = true;
		return;
	}
	for (; at; n++) {
		const char *cell = bxt_csv_next_cell(&at, false);
		if (n >= csv->n_columns) {
			more++;
			continue;
		}
		bxt_csv_column *c = &csv->column[n];
		if (BXT_GROW(c->value, c->capacity, row + 1) != BXT_OK) {
			r->no_memory = true;
			return;
		}
		if (!*cell)
			WRONG(r, "the cell of column '%s' is empty", c->name);
		else if (!read_value(r, c, cell, &c->value[row]) && !r->no_memory)
			WRONG(r, "column '%s': '%.40s' is not a finite number", c->name, cell);
	}
	if (more)
		WRONG(r, "the line has %d cells for %d column%s", n, csv->n_columns,
		      csv->n_columns == 1 ? "" : "s");
	else if (n < csv->n_columns)
		WRONG(r,
		      "the cell of column '%s' is missing: the line has %d cell%s for %d columns",
		      csv->column[n].name, n, n == 1 ? "" : "s", csv->n_columns);
	if (n < csv->n_columns) /* so that columns have rows */
		for (; n < csv->n_columns && !r->no_memory; n++)
			r->no_memory = BXT_GROW(csv->column[n].value, csv->column[n].capacity,
						row + 1) != BXT_OK;
	csv->line[csv->n_rows++] = r->lines.line;
}

static void read_all(struct reader *r)
{
	if (!next_line(r)) {
		r->lines.line = 0;
		if (!r->no_memory)
			WRONG(r, "there is no line in it that names the columns");
		return;
	}
	read_names(r);
	const bool named = r->csv->n_columns > 0 && r->csv->column[0].name;
	while (!r->no_memory && named && next_line(r))
		read_row(r);
	if (r->findings > BXT_CSV_MOST_FINDINGS)
		bxt_error(r->d, (bxt_place){r->csv->path, r->lines.line}, "and %d findings more",
			  r->findings - BXT_CSV_MOST_FINDINGS);
}

bxt_status bxt_csv_read(bxt_arena *arena, bxt_units *units, const char *path, bxt_diagnostics *d,
			bxt_csv *out, const char **why)
{
	struct reader r = {.arena = arena, .units = units, .d = d, .csv = out};
	off_t bytes;
	*out = (bxt_csv){.path = path};
	if (!(r.lines.file = bxt_local_file_open(path, &bytes, why)))
		return BXT_ERR_IO;
	read_all(&r);
	const bool failed = ferror(r.lines.file);
	fclose(r.lines.file);
	bxt_csv_lines_free(&r.lines);
	bxt_buffer_free(&r.quantity);
	bxt_map_free(&r.columns);
	*why = "it cannot be read";
	return r.no_memory ? BXT_ERR_MEMORY : failed ? BXT_ERR_IO : BXT_OK;
}

void bxt_csv_release(bxt_csv *csv)
{
	for (int i = 0; i < csv->n_columns; i++)
		bxt_free(csv->column[i].value);
	bxt_free(csv->line);
}
