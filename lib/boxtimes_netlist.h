/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Component libraries, netlists and systems compiled from them. Included by boxtimes.h. */
#ifndef BOXTIMES_NETLIST_H
#define BOXTIMES_NETLIST_H

#include "boxtimes_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Component library and netlist ---- */

/* The component library: directories with component files. Owned by the caller. */
typedef struct bxt_library bxt_library;

/*
 * A library that searches the given directories in this order (n may be 0). NULL when out of memory
 * or when the unit database cannot be loaded. Unreadable directories are findings (warnings).
 * Level: first.
 */
BXT_API bxt_library *bxt_library_new(const char *const *directories, size_t n, bxt_diagnostics *d);
/* Always returns NULL; NULL is allowed. Level: first. */
BXT_API bxt_library *bxt_library_free(bxt_library *library);

/* An editable netlist: a tree that remembers file and line of everything. */
typedef struct bxt_netlist bxt_netlist;

/*
 * Reads a netlist file ("-": standard input). BXT_ERR_IO or BXT_ERR_MODEL with findings; then
 * *out is NULL.
 * Level: often.
 */
BXT_API bxt_status bxt_netlist_read(const char *path, bxt_diagnostics *d, bxt_netlist **out);
/* The same from memory; `name` stands for the file in messages. See also bxt_netlist_new.
 * Level: first. */
BXT_API bxt_status bxt_netlist_read_memory(const char *bytes, size_t length, const char *name,
					   bxt_diagnostics *d, bxt_netlist **out);
/* Writes it back as XML: same content, order, comments and foreign elements. Level: often. */
BXT_API bxt_status bxt_netlist_write(const bxt_netlist *netlist, FILE *stream);
/* Always returns NULL; NULL is allowed. Level: first. */
BXT_API bxt_netlist *bxt_netlist_free(bxt_netlist *netlist);
/*
 * Sets an attribute, for example a parameter, of the element with that path of ids ("loop.R1"). The
 * path "" is the netlist itself; "simulation" its <simulation>, made when absent. BXT_ERR_MODEL
 * with a finding (nearest id) when there is no such element.
 * Level: often.
 */
BXT_API bxt_status bxt_netlist_set(bxt_netlist *netlist, const char *path, const char *attribute,
				   const char *value, bxt_diagnostics *d);

/* ---- The compiled system ---- */

/* Compiled and immutable: index layout, sparsity pattern, assembly slots, tapes. */
typedef struct bxt_system bxt_system;

/*
 * Compiles a netlist: (D_1 (+) ... (+) D_n) [x] D_int as one sparse block system. The netlist and
 * the library must outlive the system. BXT_ERR_MODEL with all findings in d; *out is then NULL.
 * Time and memory are linear in the number of elements. See also bxt_simulation_new,
 * bxt_initialize. Level: first.
 */
BXT_API bxt_status bxt_system_compile(const bxt_netlist *netlist, bxt_library *library,
				      bxt_diagnostics *d, bxt_system **out);
/* Always returns NULL; NULL is allowed. Level: first. */
BXT_API bxt_system *bxt_system_free(bxt_system *system);

#ifdef __cplusplus
}
#endif
#endif
