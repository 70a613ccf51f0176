/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Matrix Market files (matrix_market.h). This reader rejects what common readers accept: a comma in
 * a number, too many entries, or both triangles of a symmetric matrix would change the model
 * without a message.
 */
#define _POSIX_C_SOURCE 200809L /* getline */

#include "ground/sparse/matrix_market.h"

#include "ground/base/local_file.h"
#include "ground/base/text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef enum symmetry { GENERAL, SYMMETRIC, SKEW } symmetry;

struct reader {
	FILE *file;
	off_t bytes;
	char *line; /* heap, grown by getline */
	size_t capacity;
	bool dense, pattern;
	symmetry symmetry;
	const char *why;
};

static bxt_status wrong(struct reader *r, const char *why)
{
	r->why = why;
	return BXT_ERR_IO;
}

/* ---- Lines ---- */

static const char blank[] = " \t\r\n";

/* The next line that is neither blank nor a comment; false at the end. */
static bool next_line(struct reader *r)
{
	while (getline(&r->line, &r->capacity, r->file) >= 0)
		if (r->line[0] != '%' && r->line[strspn(r->line, blank)] != '\0')
			return true;
	return false;
}

/* Reads n numbers that must fill the line. */
static bool read_numbers(const char *text, double *to, int n)
{
	for (int k = 0; k < n; k++) {
		text += strspn(text, blank);
		const size_t length = strcspn(text, blank);
		if (length == 0 || bxt_read_number(text, length, &to[k]) != length ||
		    !isfinite(to[k]))
			return false;
		text += length;
	}
	return text[strspn(text, blank)] == '\0';
}

static bool is_count(double x, double most)
{
	return x >= 0 && x <= most && x == floor(x);
}

/* ---- The head ---- */

static bxt_status read_head(struct reader *r)
{
	char *save = NULL, *word[5];
	if (getline(&r->line, &r->capacity, r->file) < 0)
		return wrong(r, "it is empty");
	for (int k = 0; k < 5; k++)
		word[k] = strtok_r(k ? NULL : r->line, blank, &save);
	if (!word[4] || strcmp(word[0], "%%MatrixMarket") != 0 ||
	    strcasecmp(word[1], "matrix") != 0)
		return wrong(
			r, "its first line is not \"%%MatrixMarket matrix FORMAT FIELD SYMMETRY\"");
	r->dense = strcasecmp(word[2], "array") == 0;
	r->pattern = strcasecmp(word[3], "pattern") == 0;
	if (!r->dense && strcasecmp(word[2], "coordinate") != 0)
		return wrong(r, "its format is neither coordinate nor array");
	if (strcasecmp(word[3], "complex") == 0)
		return wrong(r, "its entries are complex numbers");
	if ((!r->pattern || r->dense) && strcasecmp(word[3], "real") != 0 &&
	    strcasecmp(word[3], "integer") != 0)
		return wrong(r, "its field is neither real, integer nor pattern");
	r->symmetry = strcasecmp(word[4], "symmetric") == 0        ? SYMMETRIC
		      : strcasecmp(word[4], "skew-symmetric") == 0 ? SKEW
								   : GENERAL;
	if (r->symmetry == GENERAL && strcasecmp(word[4], "general") != 0)
		return wrong(r, "its symmetry is neither general, symmetric nor skew-symmetric");
	return BXT_OK;
}

/* Rows, columns, and how many entries the file has; an entry takes two bytes at least. */
static bxt_status read_size(struct reader *r, bxt_market_matrix *out, int *entries)
{
	double size[3] = {0};
	if (!next_line(r) || !read_numbers(r->line, size, r->dense ? 2 : 3))
		return wrong(r, "the line with its size is wrong or missing");
	if (r->dense)
		size[2] = r->symmetry == GENERAL     ? size[0] * size[1]
			  : r->symmetry == SYMMETRIC ? size[0] * (size[0] + 1) / 2
						     : size[0] * (size[0] - 1) / 2;
	if (!is_count(size[0], INT_MAX) || !is_count(size[1], INT_MAX) || size[0] < 1 ||
	    size[1] < 1 || !is_count(size[2], INT_MAX / 2) || size[2] > (double)r->bytes / 2)
		return wrong(r, "its size is not one that a file of its length can have");
	if (r->symmetry != GENERAL && size[0] != size[1])
		return wrong(r, "it is symmetric and not square");
	out->rows = (int)size[0];
	out->cols = (int)size[1];
	*entries = (int)size[2];
	return BXT_OK;
}

/* ---- Entries ---- */

static void put(bxt_market_matrix *out, int row, int col, double value)
{
	if (value == 0)
		return;
	out->row[out->n] = row;
	out->col[out->n] = col;
	out->value[out->n++] = value;
}

/* With the other triangle's. */
static void put_entry(const struct reader *r, bxt_market_matrix *out, int row, int col,
		      double value)
{
	put(out, row, col, value);
	if (r->symmetry != GENERAL && row != col)
		put(out, col, row, r->symmetry == SKEW ? -value : value);
}

static bxt_status read_coordinate(struct reader *r, bxt_market_matrix *out)
{
	double entry[3] = {0, 0, 1};
	if (!next_line(r))
		return wrong(r, "it has fewer entries than it says");
	if (!read_numbers(r->line, entry, r->pattern ? 2 : 3))
		return wrong(r, "an entry is not a row, a column and a number");
	if (!is_count(entry[0], out->rows) || !is_count(entry[1], out->cols) || entry[0] < 1 ||
	    entry[1] < 1)
		return wrong(r, "an entry lies outside of it");
	if (r->symmetry != GENERAL && entry[0] < entry[1])
		return wrong(r, "it is symmetric and has an entry above the diagonal");
	if (r->symmetry == SKEW && entry[0] == entry[1])
		return wrong(r, "it is skew-symmetric and has an entry on the diagonal");
	put_entry(r, out, (int)entry[0] - 1, (int)entry[1] - 1, entry[2]);
	return BXT_OK;
}

static bxt_status read_array(struct reader *r, bxt_market_matrix *out)
{
	for (int col = 0; col < out->cols; col++)
		for (int row = r->symmetry == GENERAL ? 0
			       : r->symmetry == SKEW  ? col + 1
						      : col;
		     row < out->rows; row++) {
			double value;
			if (!next_line(r))
				return wrong(r, "it has fewer entries than its size");
			if (!read_numbers(r->line, &value, 1))
				return wrong(r, "an entry is not a number");
			put_entry(r, out, row, col, value);
		}
	return BXT_OK;
}

static bxt_status read_matrix(struct reader *r, bxt_arena *arena, bxt_market_matrix *out)
{
	int entries = 0;
	*out = (bxt_market_matrix){0};
	BXT_TRY(read_head(r));
	BXT_TRY(read_size(r, out, &entries));
	const size_t most = 2 * (size_t)entries;
	out->row = BXT_NEW(arena, int, most);
	out->col = BXT_NEW(arena, int, most);
	out->value = BXT_NEW(arena, double, most);
	if (!out->row || !out->col || !out->value)
		return BXT_ERR_MEMORY;
	if (r->dense)
		BXT_TRY(read_array(r, out));
	for (int k = 0; k < entries && !r->dense; k++)
		BXT_TRY(read_coordinate(r, out));
	return next_line(r) ? wrong(r, "it has more entries than it says") : BXT_OK;
}

bxt_status bxt_matrix_market_read(bxt_arena *arena, const char *path, bxt_market_matrix *out,
				  const char **why)
{
	struct reader r = {0};
	if (!(r.file = bxt_local_file_open(path, &r.bytes, why)))
		return BXT_ERR_IO;
	const bxt_status status = read_matrix(&r, arena, out);
	*why = r.why ? r.why : "";
	free(r.line);
	fclose(r.file);
	return status;
}
