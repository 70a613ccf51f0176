/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Curves from tables, <table name="ref" file="setpoint.csv" column="speed"/>. The first line of the
 * CSV file names the columns, "time [ms], speed [rad/s]". Each further line has as many numbers;
 * comments begin with '#'. Numbers are converted to SI units.
 */
#ifndef BXT_COMPONENT_CURVE_TABLE_H
#define BXT_COMPONENT_CURVE_TABLE_H

#include "ground/expr/curve.h"
#include "model/component/quantity.h"
#include "model/netlist/netlist.h"

/* Reads the tables of one file; a CSV file that several tables use is read once. */
typedef struct bxt_curve_tables bxt_curve_tables;
/* The arena is that of the curves. NULL when out of memory. */
bxt_curve_tables *bxt_curve_tables_new(bxt_arena *arena, bxt_units *units, bxt_diagnostics *d);
bxt_curve_tables *bxt_curve_tables_free(bxt_curve_tables *tables);

/* Values of interpolation="..." and outside="...", NULL at the end; the first is the default. */
extern const char *const bxt_curve_table_shapes[], *const bxt_curve_table_outsides[];

/*
 * The curve of a <table> at `place`. Its CSV file must lie in the folder of `file` or below. The
 * caller checks the name and the set of attributes. After findings *bad is set and *out is a
 * placeholder, so that expressions that call it cause no further findings. Findings in the CSV file
 * name its lines.
 */
bxt_status bxt_curve_table_read(bxt_curve_tables *tables, const bxt_item *item, bxt_place place,
				const char *file, bool *bad, const bxt_curve **out);

#endif
