/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sink for rows that writes the raw files of SPICE 3 (ngspice manual, "rawfile"): lines that name
 * the variables, then rows of doubles in the machine's order, or of text. The header has the number
 * of rows, which is known only at the end and is then overwritten.
 */
#include "boxtimes_records.h"
#include "ground/base/diagnostics.h"
#include "ground/base/text.h"

#include <stdlib.h>
#include <string.h>

struct bxt_raw {
	FILE *stream;
	char *title;
	bool ascii, complex;
	long at; /* position of the number of rows; -1: nothing was written */
	size_t rows;
};

bxt_status bxt_raw_new(FILE *stream, const char *title, bool ascii, bxt_raw **out)
{
	BXT_NEEDS(NULL, out);
	*out = NULL;
	BXT_NEEDS(NULL, stream);
	bxt_raw *raw = calloc(1, sizeof *raw);
	char *copy = strdup(title ? title : "");
	if (!raw || !copy) {
		free(raw);
		free(copy);
		return BXT_ERR_MEMORY;
	}
	*raw = (bxt_raw){stream, copy, ascii, false, -1, 0};
	*out = raw;
	return BXT_OK;
}

bxt_status bxt_raw_new_complex(FILE *stream, const char *title, bool ascii, bxt_raw **out)
{
	BXT_TRY(bxt_raw_new(stream, title, ascii, out));
	(*out)->complex = true;
	return BXT_OK;
}

/* ---- Header ---- */

static void add_line(FILE *f, const char *text)
{
	for (const char *c = text; *c; c++)
		fputc(*c == '\n' || *c == '\r' ? ' ' : *c, f);
	fputc('\n', f);
}

/* node(out).v is v(out), V1.i is i(V1); other names stay, without blanks. */
static void write_name(FILE *f, const char *name)
{
	const size_t n = strlen(name);
	if (strncmp(name, "node(", 5) == 0 && n > 8 && strcmp(name + n - 3, ").v") == 0)
		fprintf(f, "v(%.*s)", (int)(n - 8), name + 5);
	else if (n > 2 && strcmp(name + n - 2, ".i") == 0 && !strpbrk(name, "( "))
		fprintf(f, "i(%.*s)", (int)(n - 2), name);
	else
		for (const char *c = name; *c; c++)
			fputc(strchr(" \t\n\r", *c) ? '_' : *c, f);
}

static const char *type_of(const char *unit)
{
	return strcmp(unit, "V") == 0 ? "voltage" : strcmp(unit, "A") == 0 ? "current" : "notype";
}

static bxt_status raw_columns(void *context, size_t n, const bxt_column *columns)
{
	bxt_raw *raw = context;
	BXT_NEEDS(NULL, raw);
	FILE *f = raw->stream;
	fputs("Title: ", f);
	add_line(f, raw->title);
	/* a fixed date, so that the same run writes the same bytes */
	fprintf(f, "Date: Thu Jan  1 00:00:00  1970\nPlotname: %s Analysis\nFlags: %s\n",
		raw->complex ? "AC" : "Transient", raw->complex ? "complex" : "real");
	fprintf(f, "No. Variables: %zu\nNo. Points: ", n + 1);
	raw->at = ftell(f);
	const char *argument = raw->complex ? "frequency" : "time";
	fprintf(f, "%-20d\nVariables:\n\t0\t%s\t%s\n", 0, argument, argument);
	for (size_t i = 0; i < n; i++) {
		fprintf(f, "\t%zu\t", i + 1);
		write_name(f, columns[i].name);
		fprintf(f, "\t%s\n", type_of(columns[i].unit));
	}
	fputs(raw->ascii ? "Values:\n" : "Binary:\n", f);
	return raw->at < 0 || ferror(f) ? BXT_ERR_IO : BXT_OK;
}

/* ---- Rows ---- */

static void write_text(const bxt_raw *raw, const double *value)
{
	char number[32];
	bxt_format_number(number, value[0]);
	fprintf(raw->stream, "\t%s", number);
	if (raw->complex) {
		bxt_format_number(number, value[1]);
		fprintf(raw->stream, ",%s", number);
	}
	putc('\n', raw->stream);
}

static bxt_status raw_row(void *context, double t, size_t n, const double *values)
{
	bxt_raw *raw = context;
	BXT_NEEDS(NULL, raw);
	FILE *f = raw->stream;
	const double argument[] = {t, 0};
	const size_t parts = raw->complex ? 2 : 1;
	if (raw->ascii) {
		fprintf(f, " %zu", raw->rows);
		write_text(raw, argument);
		for (size_t i = 0; i < n; i++)
			write_text(raw, values + parts * i);
	} else if (fwrite(argument, sizeof t, parts, f) != parts ||
		   fwrite(values, sizeof *values, parts * n, f) != parts * n) {
		return BXT_ERR_IO;
	}
	raw->rows++;
	return ferror(f) ? BXT_ERR_IO : BXT_OK;
}

void bxt_raw_sink(bxt_raw *raw, bxt_sink *out)
{
	if (out)
		*out = (bxt_sink){sizeof *out, NULL, raw_row, raw, raw_columns};
}

bxt_status bxt_raw_finish(bxt_raw *raw)
{
	if (!raw)
		return BXT_OK;
	const bool good = raw->at < 0 || (fseek(raw->stream, raw->at, SEEK_SET) == 0 &&
					  fprintf(raw->stream, "%-20zu", raw->rows) > 0 &&
					  fseek(raw->stream, 0, SEEK_END) == 0);
	free(raw->title);
	free(raw);
	return good ? BXT_OK : BXT_ERR_IO;
}
