/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of numbers from CSV files, strictly (RFC 4180 without quotes). */
#ifndef BXT_COMPONENT_CSV_COLUMNS_H
#define BXT_COMPONENT_CSV_COLUMNS_H

#include "base/diagnostics.h"
#include "component/quantity.h"

typedef struct bxt_csv_column {
	const char *name;
	const char *unit, *si; /* as written, and the SI unit of its numbers; "" for none */
	bool scaled;           /* they differ */
	double *value;         /* (n_rows) heap */
	size_t capacity;
} bxt_csv_column;

typedef struct bxt_csv {
	const char *path;
	bxt_csv_column *column; /* (n_columns) in the arena */
	int n_columns, n_rows;
	int *line; /* (n_rows) where a row was, heap */
	size_t c_line;
	bool bad; /* there are findings: the rest cannot be relied upon */
} bxt_csv;

/* Findings about one file that are told one by one. */
enum { BXT_CSV_MOST_FINDINGS = 50 };

/*
 * Reads a file; texts in the arena. BXT_OK also after findings, which name lines of the file:
 * cells that are missing, too many or no finite numbers, names and units that will not do.
 * BXT_ERR_IO: it cannot be had, *why says why. The caller releases it in any case.
 */
bxt_status bxt_csv_read(bxt_arena *arena, bxt_units *units, const char *path, bxt_diagnostics *d,
			bxt_csv *out, const char **why);
void bxt_csv_release(bxt_csv *csv);

#endif
