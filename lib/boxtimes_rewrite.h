/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rewriting of netlists: flatten, tear, canonical form, move. Included by boxtimes.h. */
#ifndef BOXTIMES_REWRITE_H
#define BOXTIMES_REWRITE_H

#include "boxtimes_netlist.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Splitting and joining networks ---- */

/*
 * Flattens a torn netlist into its monolithic twin. Subsystems and included files dissolve; the
 * parameters of those files become the netlist's own. Nodes joined by <connect> become one.
 * Elements and nodes keep their names; where two would collide, both are called by their paths,
 * with "_" for ".". Rows of <interconnection> other than <connect> stay, between ports of the
 * netlist itself. Comments, foreign elements, inline components, parameters and settings stay.
 * Signals of <record> that no longer exist are dropped with a warning. A netlist without subsystems
 * and connections gets its canonical form. *out is the caller's. BXT_ERR_MODEL with findings:
 * errors of the netlist, contradicting initial values of joined nodes.
 * Level: often.
 */
BXT_API bxt_status bxt_netlist_flatten(const bxt_netlist *netlist, bxt_library *library,
				       bxt_diagnostics *d, bxt_netlist **out);

/* Where to cut a netlist: set one of node, elements, parts and like. */
typedef struct bxt_tear_def {
	/* sizeof(bxt_tear_def), set by bxt_default_tear_def; fields that a later library
	 * appends count as absent */
	size_t size;
	/* at that node: each part that stays connected without it and the reference is a
	 * subsystem */
	const char *node;
	/* these elements against the rest: ids separated by white space or commas */
	const char *elements;
	/* into this many parts of about the same number of elements with few common nodes */
	int parts;
	/* like this torn netlist, with its names. Its monolithic twin must have the model's
	 * elements and nodes. Files that it includes stay included, with the same values. */
	const bxt_netlist *like;
	/* ids of the subsystems, separated by white space or commas; NULL: part1, part2, ... */
	const char *names;
} bxt_tear_def;
/* Sets the size and the defaults of a definition. Level: often. */
BXT_API void bxt_default_tear_def(bxt_tear_def *def);

/*
 * Cuts a netlist without subsystems into subsystems. A node that several parts use is in each of
 * them, with the same name and initial values, exported as a port; a <connect> named after it joins
 * them. Elements that are bound to each other (mutual inductances) stay together; the reference is
 * in every part. Signals of <record> get their new paths. The result is deterministic; *out is the
 * caller's. BXT_ERR_MODEL with findings: errors of the netlist, unknown names (nearest name), parts
 * without elements.
 * Level: often.
 */
BXT_API bxt_status bxt_netlist_tear(const bxt_netlist *netlist, bxt_library *library,
				    const bxt_tear_def *def, bxt_diagnostics *d, bxt_netlist **out);

/*
 * The canonical form: elements, nodes, subsystems, ports and connections sorted in the natural
 * order of their ids, group by group, with uniform white space. A comment moves with the item that
 * it precedes, or that it follows on the same line. Flat netlists stay flat, torn ones torn. *out
 * is the caller's.
 * Level: rare.
 */
BXT_API bxt_status bxt_netlist_canonical(const bxt_netlist *netlist, bxt_netlist **out);

/*
 * Prepares a netlist to be written to `file`, and names it so. References to matrices, tables,
 * plug-ins and netlists become relative to the new folder. BXT_ERR_MODEL with findings when they do
 * not lie in that folder or below; the netlist is then unusable.
 * Level: rare.
 */
BXT_API bxt_status bxt_netlist_move(bxt_netlist *netlist, bxt_library *library, const char *file,
				    bxt_diagnostics *d);

/*
 * Finds whether `path` is one of the files of the netlist: itself, included netlists, tables,
 * matrices, plug-ins, or components that the library has read. Links are resolved, so any name of
 * the file is recognised. *out is the name by which the netlist refers to it, heap memory for
 * free(), or NULL for none. Level: rare.
 */
BXT_API bxt_status bxt_netlist_find_file(const bxt_netlist *netlist, bxt_library *library,
					 const char *path, char **out);

#ifdef __cplusplus
}
#endif
#endif
