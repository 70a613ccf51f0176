/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of families of curves, each with points of its own: of cases over a parameter or over
 * time, in the complex plane. */
#ifndef BXT_TOOL_FAMILY_PLOT_H
#define BXT_TOOL_FAMILY_PLOT_H

#include "tool.h"

typedef enum curve_style {
	CURVE_LINE,
	CURVE_DASHED,
	CURVE_POINTS,  /* dots */
	CURVE_CROSSES, /* where a family begins */
	CURVE_CIRCLES  /* where it ends */
} curve_style;

typedef struct curve {
	char *title; /* "": not in the legend */
	int panel, colour;
	curve_style style;
	double *x, *y; /* (n) */
	size_t n, room;
} curve;

/* Zero-initialise. */
typedef struct family {
	const char *file; /* its name without folder and ending is the title */
	char *x_label;
	char **y_label; /* (panels) */
	int panels;
	bool log_x;
	bool plane; /* both axes have one unit and zero lines; `mark`: -1 is marked, too */
	bool mark;
	curve *of; /* (n) */
	size_t n, room;
	bool failed; /* memory has ended: nothing else has been added */
} family;

/* A panel with that label, "max(C1.q) [C]"; its number. */
int family_panel(family *f, const char *name, const char *unit);
void family_x(family *f, const char *name, const char *unit);
/* A curve, and its points; curves of one colour belong together. */
void family_curve(family *f, int panel, int colour, curve_style style, const char *title);
void family_point(family *f, double x, double y);
/* May a picture have that name (NULL: there is none)? False after a message. */
bool family_named(const char *option, const char *path);
/* Draws it to that path. Returns an exit status. */
int family_draw(const family *f, const char *option, const char *path);
void family_free(family *f);

#endif
