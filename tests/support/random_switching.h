/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Seeded random networks that switch, and their netlists in any order of the elements.
 *
 * CIRCUIT: resistors, inductors, capacitors, sources with a resistor in series, ideal diodes, and
 * relays with a resistor in series with their contacts. The diodes form no loop, each node has a
 * resistor or a capacitor to the reference, and the start is at rest. So currents are unique, and
 * nothing jumps. MECHANISM: masses on a line with springs, dampers, driving forces, end stops with
 * restitution, and dry friction. Rows of stops and of friction form no loop, so multipliers are
 * unique.
 */
#ifndef BXT_TESTS_SUPPORT_RANDOM_SWITCHING_H
#define BXT_TESTS_SUPPORT_RANDOM_SWITCHING_H

#include "ground/base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum { SWITCHING_NODES = 8, SWITCHING_ELEMENTS = 48, SWITCHING_ROWS = 24, SWITCHING_COLUMNS = 72 };

typedef enum switching_family { SWITCHING_CIRCUIT, SWITCHING_MECHANISM } switching_family;

typedef struct switching_element {
	char text[280]; /* its element in the netlist */
} switching_element;

/* A row with bounds: w = sum weight * column - offset, with recorded columns. */
typedef struct switching_row {
	int column[2]; /* -1: none */
	double weight[2], offset;
	int lambda;          /* the column of its multiplier */
	double lower, upper; /* bounds of the multiplier, for static friction */
	double slipping;     /* of friction: its magnitude while w is not 0 */
	bool one_sided;      /* w >= 0 and lambda >= 0; otherwise w < 0 or w > 0 only at a bound */
} switching_row;

typedef struct random_switching {
	switching_family family;
	int n_nodes, n_elements, n_rows, n_columns;
	bool initial; /* nodes have initial values */
	double x[SWITCHING_NODES + 1], v[SWITCHING_NODES + 1];
	switching_element elements[SWITCHING_ELEMENTS];
	switching_row rows[SWITCHING_ROWS];
	bxt_buffer record; /* the list of signals */
} random_switching;

/* The record list is heap memory, which random_switching_free releases. */
void random_switching_make(random_switching *net, switching_family family, uint64_t seed);
void random_switching_free(random_switching *net);
/* Writes elements and nodes in the order in which they were made, or in another order. */
void random_switching_write(const random_switching *net, uint64_t seed, bool shuffled,
			    bxt_buffer *xml);

#endif
