/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adapts file references when the items that contain them move to another folder:
 * tables, matrices and plug-ins of inline components, plug-ins of elements, included netlists.
 */
#ifndef BXT_REWRITE_MOVED_FILES_H
#define BXT_REWRITE_MOVED_FILES_H

#include "model/netlist/netlist.h"

/* A move between two folders, written with the final '/'; "" is the working folder. */
typedef struct bxt_file_move {
	struct bxt_netlist *netlist; /* receives the new names */
	const char *from, *to;
	bxt_diagnostics *d;
	bool bad; /* a file would lie outside the folder: there are findings */
} bxt_file_move;

/* Sets up a move from the folder of one file to that of another. */
bxt_status bxt_file_move_make(struct bxt_netlist *netlist, const char *from, const char *to,
			      bxt_diagnostics *d, bxt_file_move *m);
/*
 * Adapts an attribute that names a file. `what` and `name` are its owner in a finding, "component
 * 'coil'"; `place` is the source location of the finding. BXT_ERR_MEMORY only.
 */
bxt_status bxt_move_file(bxt_file_move *m, bxt_item *item, const char *attribute, const char *what,
			 const char *name, bxt_place place);
/* Adapts all files that an inline component names. */
bxt_status bxt_move_component_files(bxt_file_move *m, bxt_item *component, bxt_place place);
/* Adapts the href of a subsystem, unless the library's directories contain the file. */
bxt_status bxt_move_href(bxt_file_move *m, bxt_item *subsystem, bxt_place place);

#endif
