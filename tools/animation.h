/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The animation of a run: one HTML file that needs nothing else and asks for nothing. A body is
 * whatever has coordinates x and y: a node of a planar or spatial kind, or an element with its own;
 * with theta or R11 ... R33 it turns. Elements between bodies are lines between their points, which
 * parameters called after the port give: ax, ay, az for port a.
 */
#ifndef BXT_TOOL_ANIMATION_H
#define BXT_TOOL_ANIMATION_H

#include "tool.h"

enum { POSE = 12, MOST_ENDS = 4 };

/* A body: its name, the names of its coordinates, and the box about what is fastened to it. */
typedef struct body {
	char *name;
	const char *coordinate[POSE]; /* x, y, z, R11, R21, ... R33, as recorded; NULL: none */
	const char *theta;            /* the same */
	double box[6];                /* from, to along each axis of the body */
	bool fastened;                /* is there anything beside its origin? */
} body;

/* An element: bodies (-1: the ground) and the points in their axes. */
typedef struct line {
	const char *name;
	int n;
	long body[MOST_ENDS];
	double point[MOST_ENDS][3];
} line;

/* Zero-initialise. */
typedef struct scene {
	body *body;
	line *line;
	size_t n_body, n_line;
	const char **record; /* (n_record) all coordinates of bodies */
	size_t n_record;
	size_t own; /* columns that the run has without them */
} scene;

/*
 * What the model shows, and how many columns a run of that definition has; those of `record` are
 * for its record_also. Returns an exit status, after a message where there is nothing to show.
 */
int scene_open(scene *s, const model *m, const bxt_run_def *def);
void scene_close(scene *s);
/* Writes the rows as a page to o->run.animate. Returns an exit status. */
int scene_write(const scene *s, const bxt_table *rows, const options *o, const model *m);

/* animation_script.c: what runs in the page */
extern const char animation_script[];

#endif
