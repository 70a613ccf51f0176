/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Units of coordinates, flows, momenta, multipliers and impulses. A component or a port kind
 * declares the units of its coordinates, flows and efforts, and these are kept as written. All
 * others follow by dimension, since an effort times a flow is a power:
 *
 *     [flow] = [q]/s    [momentum] = J s/[q]    [multiplier] = W/[row]    [impulse] = J/[row]
 */
#ifndef BXT_SYSTEM_SIGNAL_UNITS_H
#define BXT_SYSTEM_SIGNAL_UNITS_H

#include "ground/expr/measure.h"
#include "model/system/system.h"

/* The unit of a signal. */
typedef struct bxt_signal_unit {
	/* As written, "m/s"; "1" is a number, "" is not known. In the arena of the call or static;
	 * NULL when memory ended. */
	const char *text;
	bxt_measure measure; /* its dimension; BXT_MEASURE_ANY where that is not known */
} bxt_signal_unit;

/* Which of the three quantities of a coordinate. */
typedef enum bxt_of_coordinate {
	BXT_OF_COORDINATE,
	BXT_OF_FLOW,
	BXT_OF_MOMENTUM
} bxt_of_coordinate;

bxt_signal_unit bxt_unit_of_coordinate(bxt_arena *arena, const bxt_network *net,
				       const bxt_coord_info *coord, bxt_of_coordinate what);
/* The multiplier of a row, or its impulse. */
bxt_signal_unit bxt_unit_of_row(bxt_arena *arena, const bxt_network *net, const bxt_row_info *row,
				bool impulse);
/* The drift |A v - b| of a family of rows, or its time integral. For BXT_FAMILY_COUNT, the residual
 * |phi| of position constraints. Not known where rows of the family differ in their units. */
bxt_signal_unit bxt_unit_of_drift(bxt_arena *arena, const bxt_system *s, int family,
				  bool integrated);
/* The unit that is written in the text, to which the result points. */
bxt_signal_unit bxt_unit_declared(const char *text);
/* The SI unit of a dimension. */
bxt_signal_unit bxt_unit_of_measure(bxt_arena *arena, bxt_measure measure);

#endif
