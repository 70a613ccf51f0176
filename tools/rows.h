/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables as files: CSV, raw files, pictures. */
#ifndef BXT_TOOL_ROWS_H
#define BXT_TOOL_ROWS_H

#include "output.h"

/*
 * Writes a table to -o, standard output without: CSV, or a raw file of that title where the name
 * ends with .raw; and draws it to --plot, then without -o no CSV is written. Returns an exit
 * status.
 */
int rows_write(const options *o, bxt_table *table, const char *title);

#endif
