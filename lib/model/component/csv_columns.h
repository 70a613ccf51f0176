/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads columns of numbers from CSV files, strictly (RFC 4180 without quotes). */
#ifndef BXT_COMPONENT_CSV_COLUMNS_H
#define BXT_COMPONENT_CSV_COLUMNS_H

#include "ground/base/diagnostics.h"
#include "model/component/quantity.h"

typedef struct bxt_csv_column {
	const char *name;
	const char *unit, *si; /* as written, and the SI unit of its numbers; "" for none */
	bool scaled;           /* unit and si differ */
	double *value;         /* (n_rows) heap */
	size_t capacity;
} bxt_csv_column;

typedef struct bxt_csv {
	const char *path;
	bxt_csv_column *column; /* (n_columns) in the arena */
	int n_columns, n_rows;
	int *line; /* (n_rows) line of each row in the file, heap */
	size_t c_line;
	bool bad; /* there are findings: the data is not reliable */
} bxt_csv;

/* Largest number of findings reported one by one for a file. */
enum { BXT_CSV_MOST_FINDINGS = 50 };

/*
 * Reads a file; texts in the arena. BXT_OK also after findings, which name lines of the file:
 * missing or extra cells, cells that are no finite numbers, invalid names and units.
 * BXT_ERR_IO: the file cannot be read, *why gives the reason. The caller releases out in any case.
 */
bxt_status bxt_csv_read(bxt_arena *arena, bxt_units *units, const char *path, bxt_diagnostics *d,
			bxt_csv *out, const char **why);
void bxt_csv_release(bxt_csv *csv);

#endif
