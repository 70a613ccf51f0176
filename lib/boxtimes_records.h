/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of a run: columns, CSV, raw files and tables. Included by boxtimes.h. */
#ifndef BOXTIMES_RECORDS_H
#define BOXTIMES_RECORDS_H

#include "boxtimes_run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A recorded signal. */
typedef struct bxt_column {
	size_t size; /* sizeof(bxt_column) */
	const char *name;
	/* In SI: "C", "m/s"; "1": a number; "": not known, as in models that are written in numbers
	 * alone. */
	const char *unit;
} bxt_column;

/*
 * A sink that writes CSV (RFC 4180) to an open stream: a line "time [s],C1.q [C],...", and rows
 * with the fewest digits that read as the same numbers. A column without a known unit has only its
 * name. If the caller sets `columns` of the sink to NULL, no names have units. Level: often.
 */
BXT_API void bxt_csv_sink(FILE *stream, bxt_sink *out);

/*
 * A sink that writes a raw file of SPICE: doubles in the machine's order, or text. node(a).v is
 * called v(a), and V1.i i(V1). The stream, which must allow seeking, stays the caller's.
 * bxt_raw_finish writes the number of rows into the header and frees it: BXT_ERR_IO when the
 * stream fails.
 */
typedef struct bxt_raw bxt_raw;
/* Makes such a sink; bxt_raw_sink fills in its functions. Level: rare. */
BXT_API bxt_status bxt_raw_new(FILE *stream, const char *title, bool ascii, bxt_raw **out);
/* The same for responses over the frequency: time is the frequency [Hz], and each of the n values
 * of a row is two numbers, real and imaginary part. Level: rare. */
BXT_API bxt_status bxt_raw_new_complex(FILE *stream, const char *title, bool ascii, bxt_raw **out);
BXT_API void bxt_raw_sink(bxt_raw *raw, bxt_sink *out);
BXT_API bxt_status bxt_raw_finish(bxt_raw *raw);

/* A sink that keeps all rows in memory. */
typedef struct bxt_table bxt_table;
/* An empty table (NULL when out of memory), its end, its sink, and its numbers of rows and
 * columns. Level: often. */
BXT_API bxt_table *bxt_table_new(void);
BXT_API bxt_table *bxt_table_free(bxt_table *table);
BXT_API void bxt_table_sink(bxt_table *table, bxt_sink *out);
BXT_API size_t bxt_table_rows(const bxt_table *table);
BXT_API size_t bxt_table_columns(const bxt_table *table);
/* The name of column j, 0 <= j < columns, and its unit as in bxt_column. Level: often. */
BXT_API const char *bxt_table_name(const bxt_table *table, size_t j);
BXT_API const char *bxt_table_unit(const bxt_table *table, size_t j);
/* The time of row i [s], and the value in column j. Level: often. */
BXT_API double bxt_table_time(const bxt_table *table, size_t i);
BXT_API double bxt_table_value(const bxt_table *table, size_t i, size_t j);
/* The values of column j, (rows); -1: the times. Valid until the table gets its next row. NULL: no
 * such column, or no rows. Level: often. */
BXT_API const double *bxt_table_column(const bxt_table *table, long j);
/* The column of that name, or -1. Level: often. */
BXT_API long bxt_table_find(const bxt_table *table, const char *name);

/*
 * Reads the CSV of bxt_csv_sink or a similar one: a line of names, quoted or not, with or without
 * units in brackets, the first that of the times, then rows of numbers. Times become seconds where
 * the first column has another unit of time. An empty cell is read as not a number. *out is the
 * caller's. BXT_ERR_MODEL with findings, which name lines of `file`; BXT_ERR_IO when the stream
 * fails.
 * Level: often.
 */
BXT_API bxt_status bxt_table_read_csv(FILE *stream, const char *file, bxt_diagnostics *d,
				      bxt_table **out);

/* The full names of the signals that a run would record; *names is freed with
 * bxt_signal_names_free. Level: rare. */
BXT_API bxt_status bxt_signal_names(const bxt_system *system, const bxt_run_def *def,
				    bxt_diagnostics *d, char ***names, size_t *n);
BXT_API void bxt_signal_names_free(char **names, size_t n);
/* The same with units; *columns is one block for free(). Level: rare. */
BXT_API bxt_status bxt_signal_columns(const bxt_system *system, const bxt_run_def *def,
				      bxt_diagnostics *d, bxt_column **columns, size_t *n);

#ifdef __cplusplus
}
#endif

#endif
