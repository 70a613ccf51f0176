/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files that a netlist names, when what names them comes to stand in another folder:
 * tables, matrices and plug-ins of inline components, plug-ins of elements, included netlists.
 */
#ifndef BXT_REWRITE_MOVED_FILES_H
#define BXT_REWRITE_MOVED_FILES_H

#include "netlist/netlist.h"

/* From where to where: folders with the final '/', "" for the working folder. */
typedef struct bxt_file_move {
	struct bxt_netlist *netlist; /* that gets the new names */
	const char *from, *to;
	bxt_diagnostics *d;
	bool bad; /* a file would lie outside: there are findings */
} bxt_file_move;

/* From the folder of a file to that of another. */
bxt_status bxt_file_move_make(struct bxt_netlist *netlist, const char *from, const char *to,
			      bxt_diagnostics *d, bxt_file_move *m);
/*
 * An attribute that names a file. `what` and `name` tell whose it is, "component 'coil'". `place`
 * is that of the finding. BXT_ERR_MEMORY only.
 */
bxt_status bxt_move_file(bxt_file_move *m, bxt_item *item, const char *attribute, const char *what,
			 const char *name, bxt_place place);
/* All that an inline component names. */
bxt_status bxt_move_component_files(bxt_file_move *m, bxt_item *component, bxt_place place);
/* The href of a subsystem; one that is found in the library's directories stays. */
bxt_status bxt_move_href(bxt_file_move *m, bxt_item *subsystem, bxt_place place);

#endif
