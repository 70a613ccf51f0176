/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines and cells of CSV files (RFC 4180; a cell ends with its line). What they mean is for who
 * reads. */
#ifndef BXT_BASE_CSV_H
#define BXT_BASE_CSV_H

#include "base/status.h"

/* Zero-initialise but for the file. */
typedef struct bxt_csv_lines {
	FILE *file;
	char *text; /* the line; cells are taken from it in place */
	size_t capacity;
	int line;       /* its number, from 1 */
	bool binary;    /* it holds a NUL byte: what stands behind that would be passed over */
	bool no_memory; /* and therefore the lines ended */
} bxt_csv_lines;

/* The next line that is not blank, a mark of UTF-8 at the file's start left out; false at the end.
 */
bool bxt_csv_next_line(bxt_csv_lines *lines);
void bxt_csv_lines_free(bxt_csv_lines *lines);

/*
 * The cell that begins at *at, without the space around it, ended in place; *at goes behind its
 * comma, or becomes NULL after the last one. With quotes a cell that begins with '"' ends with the
 * next, which may stand doubled for one.
 */
char *bxt_csv_next_cell(char **at, bool quotes);

#endif
