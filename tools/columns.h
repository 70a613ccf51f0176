/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of a table for pictures: names, units, choice by words, panels by unit. */
#ifndef BXT_TOOL_COLUMNS_H
#define BXT_TOOL_COLUMNS_H

#include "tool.h"

enum { MOST_PANELS = 12, COLOURS = 10 };
/* Ten that people with colour-vision deficiency distinguish, too, "#1f77b4". */
extern const char *const colours[COLOURS];

/* The names of a table, with their units. Zero-initialise. */
typedef struct columns {
	const bxt_table *table;
	const char *file;
	char **name;       /* (n) without the unit */
	const char **unit; /* (n) "" where it is not known */
	size_t n;
} columns;
/* False after a message. */
bool columns_open(columns *c, const bxt_table *table, const char *file);
void columns_close(columns *c);

/* Columns that are drawn, in their order, and the panel of each. */
typedef struct choice {
	size_t *column; /* (n) */
	int *panel;     /* (n) */
	size_t n;
	int panels;
	size_t first[MOST_PANELS]; /* the first column of each panel, an index into `column` */
} choice;
/*
 * The columns that a list names: "C1.q, node(*).v, energy". The end of a name will do when no other
 * has it, and * stands for any characters but a dot outside brackets. NULL: efforts of nodes first,
 * `most` in all. False after a message.
 */
bool columns_choose(const columns *c, const char *list, size_t most, choice *out);
void choice_free(choice *x);

/* A panel's axis: its label, and by what its values are multiplied for that. */
typedef struct axis {
	char label[96];
	double factor;
} axis;
/* Of a unit and the largest number there: "[mV]"; `word` is what it measures, or NULL. */
axis axis_of(const char *word, const char *unit, double largest);
/* Of a panel whose largest number that is. */
axis axis_of_panel(const columns *c, const choice *x, int panel, double largest);

/* Events, in which the row is the second of one time, and how many a picture marks at most: more
 * would hide the curves. */
enum { MOST_EVENTS = 100 };
static inline bool is_event(const bxt_table *t, size_t row)
{
	return row > 0 && bxt_table_time(t, row) == bxt_table_time(t, row - 1);
}
/* How many are between rows[0] and rows[1]; 0 where these are too many. */
size_t count_events(const bxt_table *t, const size_t rows[2]);

/*
 * Marks in keep which of the rows first <= i < end to draw: of many, in each of as many stretches
 * as `most` allows, the least and the greatest value of each of the n columns, so that every peak
 * stays.
 */
void thin_rows(const bxt_table *t, const size_t rows[2], const size_t *column, size_t n,
	       size_t most, bool *keep);

#endif
