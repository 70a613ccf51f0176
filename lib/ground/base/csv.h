/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines and cells of CSV files (RFC 4180, except that a cell ends with its line). The caller
 * interprets the cells. */
#ifndef BXT_BASE_CSV_H
#define BXT_BASE_CSV_H

#include "ground/base/status.h"

/* Zero-initialise but for the file. */
typedef struct bxt_csv_lines {
	FILE *file;
	char *text; /* the line; cells are taken from it in place */
	size_t capacity;
	int line;       /* its number, from 1 */
	bool binary;    /* the line holds a NUL byte, which would hide the rest of the line */
	bool no_memory; /* reading stopped because memory ran out, not at the end of the file */
} bxt_csv_lines;

/* The next line that is not blank, without a UTF-8 mark at the file's start; false at the end. */
bool bxt_csv_next_line(bxt_csv_lines *lines);
void bxt_csv_lines_free(bxt_csv_lines *lines);

/*
 * The cell that begins at *at, trimmed and terminated in place. *at then points behind its comma,
 * or is NULL after the last cell. With quotes a cell that begins with '"' ends at the next '"'; a
 * doubled '"' stands for one.
 */
char *bxt_csv_next_cell(char **at, bool quotes);

/* Writes a cell of the first line, with its unit unless that is ""; in quotes where the text
 * contains a character that would end the cell. */
void bxt_csv_write_name(FILE *stream, const char *name, const char *unit);

#endif
