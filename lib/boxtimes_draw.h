/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drawings of netlists. Included by boxtimes.h. */
#ifndef BOXTIMES_DRAW_H
#define BOXTIMES_DRAW_H

#include "boxtimes_netlist.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bxt_draw_def {
	/* sizeof(bxt_draw_def), set by bxt_default_draw_def; fields that a later library
	 * appends count as absent */
	size_t size;
	/* with more elements and subsystems than this each subsystem is one box; 0: 1000 */
	size_t most;
	bool untitled; /* without the netlist's name above */
} bxt_draw_def;
/* Sets the size and the defaults of a definition. Level: rare. */
BXT_API void bxt_default_draw_def(bxt_draw_def *def);

/*
 * Draws a netlist as text in the language of Graphviz' program dot: elements as boxes in the colour
 * of their domain with their main value, nodes as points, subsystems as frames with their ports,
 * connections, signals as arrows. A model with errors is drawn as far as it can be read;
 * bxt_system_compile reports the errors. Findings here: errors in components of the library, and a
 * note where subsystems are boxes. Texts of the netlist are escaped for dot, and for terminals as
 * by bxt_write_plain. Level: rare.
 */
BXT_API bxt_status bxt_netlist_write_dot(const bxt_netlist *netlist, bxt_library *library,
					 const bxt_draw_def *def, FILE *stream, bxt_diagnostics *d);

/* The netlist's name, for titles; NULL where it has none. Level: rare. */
BXT_API const char *bxt_netlist_name(const bxt_netlist *netlist);

#ifdef __cplusplus
}
#endif

#endif
