/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where bodies go, seen along each axis: plot --space. */
#ifndef BXT_TOOL_SIDE_VIEWS_H
#define BXT_TOOL_SIDE_VIEWS_H

#include "columns.h"
#include "gnuplot.h"

/* Columns of bodies: x, y, and z or -1. */
typedef struct side_views {
	long (*body)[3]; /* (n) */
	size_t n;
	bool space; /* has any of them z? */
} side_views;

/* Finds the bodies that a list names: "node(a), D*" has columns "node(a).x", "D1.y" ... False after
 * a message. */
bool side_views_choose(const columns *c, const char *list, side_views *out);
void side_views_free(side_views *v);
/* Writes the script of the picture: x-y alone or also x-z and y-z, one scale for both axes of each.
 * `title` is a line. */
void side_views_write(const side_views *v, const columns *c, const size_t rows[2],
		      const char *title, enum gnuplot_format format, FILE *script);

#endif
