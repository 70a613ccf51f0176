/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "show/draw/drawing.h"

int bxt_drawing_shape(bxt_drawing *g, bxt_shape shape)
{
	if (BXT_GROW(g->shapes, g->c_shapes, g->n_shapes + 1) != BXT_OK) {
		g->failed = true;
		return -1;
	}
	g->shapes[g->n_shapes] = shape;
	return (int)g->n_shapes++;
}

void bxt_drawing_line(bxt_drawing *g, bxt_drawn_line line)
{
	if (line.from < 0 || line.to < 0)
		return;
	if (BXT_GROW(g->lines, g->c_lines, g->n_lines + 1) != BXT_OK)
		g->failed = true;
	else
		g->lines[g->n_lines++] = line;
}
