/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables as the run writes them: a header of names, then rows of numbers. */
#ifndef BXT_TOOL_CSV_H
#define BXT_TOOL_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct csv {
	char **name;    /* (columns) */
	double *values; /* (rows, columns); not a number where a field is empty or none */
	size_t columns, rows, capacity;
} csv;

/* False after a message that begins with the file's name and line. csv_free in any case. */
bool csv_read(csv *table, FILE *stream, const char *file);
void csv_free(csv *table);

#endif
