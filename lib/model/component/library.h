/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The component library: a search path of directories that hold NAME.xml files, also one folder
 * deeper, by domain. Directories are listed once, files are read on first use. Earlier directories
 * take precedence; components added from memory take precedence over all directories. Several
 * threads may use one library.
 */
#ifndef BXT_COMPONENT_LIBRARY_H
#define BXT_COMPONENT_LIBRARY_H

#include "model/component/component.h"

struct bxt_library; /* public, opaque: bxt_library */

/* Finds a component. NULL without a finding: no such name. NULL and *broken set: its file has
 * errors, which are reported once. */
const bxt_component *bxt_library_find(bxt_library *library, const char *name, bxt_diagnostics *d,
				      bool *broken);
/* The same for a model: from then on no other component can replace the one with that name. */
const bxt_component *bxt_library_take(bxt_library *library, const char *name, bxt_diagnostics *d,
				      bool *broken);
/* Passes every known name to a nearest-name search. */
void bxt_library_offer_names(bxt_library *library, void (*visit)(void *visitor, const char *name),
			     void *visitor);
/* Locks the library for one thread, which may lock it again. Searches of other threads wait. */
void bxt_library_hold(bxt_library *library);
void bxt_library_let_go(bxt_library *library);
bxt_units *bxt_library_units(bxt_library *library);
/* The directories as given, in order of precedence; NULL after the last. Any netlist can include
 * the netlists that lie there; they are no components. */
const char *bxt_library_directory(const bxt_library *library, size_t i);

/* Calls visit with the path of each component that was read, with errors or without, and of the
 * component that its `like` names. */
void bxt_library_visit_read(bxt_library *library, void (*visit)(void *visitor, const char *path),
			    void *visitor);

#endif
