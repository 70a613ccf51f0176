/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rewrites texts that name parts of a network for another network in which these parts have other
 * names: the texts of <record>, <fix>, <symmetry>, <signal> and of rows of <interconnection>.
 */
#ifndef BXT_REWRITE_RENAME_H
#define BXT_REWRITE_RENAME_H

#include "model/names/designator.h"

/* The names of a network's parts in the other network; NULL: the part no longer exists. */
typedef struct bxt_renaming {
	const bxt_network *net;
	bxt_names *finder;       /* in that network */
	const char **element;    /* (n_elements) paths */
	const char **node;       /* (n_nodes) */
	const char **port;       /* (n_ports) */
	const char **connection; /* (n_connections) the signal that has its multiplier */
	const char **symmetry;   /* (n_symmetries) the netlist's own; NULL: unchanged */
	const char **signal;     /* (n_signal_ids) NULL: unchanged */
	/* (n_nodes) the node has another set of elements there, so its momentum has no
	 * counterpart */
	const bool *divided;
	bool connected; /* the other network has connections */
} bxt_renaming;

/*
 * Rewrites a list of <record>, with its white space. Signals that no longer exist are left out with
 * a warning; duplicates occur once. BXT_ERR_MODEL after findings: unknown names (with the nearest
 * name) and ambiguous ones. *out is "" when nothing is left.
 */
bxt_status bxt_rename_record(const bxt_renaming *names, bxt_arena *arena, const char *text,
			     bxt_place place, bxt_diagnostics *d, const char **out);

/*
 * Copies a row of <interconnection> to `out` with new names: ports in attributes and port flows in
 * expressions by port(), parameters by parameter(). NULL from either: the name stays.
 */
typedef struct bxt_row_names {
	const char *(*port)(void *context, const char *path);
	const char *(*parameter)(void *context, const char *name);
	void *context;
	bxt_arena *arena;
} bxt_row_names;
bxt_status bxt_rename_row(const bxt_row_names *names, struct bxt_netlist *out, bxt_item *row);

/* The number of elements other than interactions. Interactions follow these in net->elements. */
size_t bxt_element_count(const bxt_network *net);

/*
 * What "x.y.ID" means in a scope. The type is one of the ids of builder/builder.h; -1: the scope
 * has no such item.
 */
typedef struct bxt_meaning {
	int type, index;
} bxt_meaning;
bxt_meaning bxt_find_id(bxt_arena *arena, const bxt_network *net, int primitive, const char *path);
/*
 * The name in the other network of what the finder found last. NULL: *why is the reason that it no
 * longer exists, or NULL when out of memory.
 */
const char *bxt_rename_found(const bxt_renaming *names, const bxt_designator *d, bxt_arena *arena,
			     const char **why);
/*
 * rename_symmetry.c: copies a <symmetry> or a <fix> to `out` with new names. owner() is the path of
 * copy k of an element or a node; NULL: no more copies, and for k = 0: it does not move.
 * parameter() as above.
 */
typedef struct bxt_copy_names {
	bxt_names *finder;
	int primitive; /* its scope */
	const char *(*owner)(void *context, const bxt_designator *d, int k, bool *failed);
	const char *(*parameter)(void *context, const char *name);
	void *context;
	bxt_arena *arena;
} bxt_copy_names;
bxt_status bxt_rename_symmetry(const bxt_copy_names *names, struct bxt_netlist *out,
			       bxt_item *symmetry);
/* Leaves out names in `fixed` (may be NULL) and adds the others to it; *empty: nothing is left.
 */
bxt_status bxt_rename_fix(const bxt_copy_names *names, struct bxt_netlist *out, bxt_item *fix,
			  bxt_map *fixed, bool *empty);
/*
 * rename_signal.c: copies a <signal> of a scope to `out` in the same way, with its id and the input
 * that it drives. BXT_ERR_MODEL after findings: a quantity that it reads has no counterpart. Words
 * for which is_parameter() is true stay.
 */
typedef struct bxt_signal_renaming {
	const bxt_renaming *names;
	int primitive;
	const char *(*parameter)(void *context, const char *name);
	bool (*is_parameter)(void *context, const char *name);
	void *context;
	bxt_arena *arena;
	bxt_diagnostics *d;
} bxt_signal_renaming;
bxt_status bxt_rename_signal(const bxt_signal_renaming *names, struct bxt_netlist *out,
			     bxt_item *signal);
/* The name in the monolithic twin of a symmetry of the netlist itself or of a subsystem. */
const char *bxt_flat_symmetry_name(bxt_arena *arena, const bxt_network *net, size_t symmetry);
/* The symmetry of that id in a scope; -1: none. */
int bxt_find_symmetry(const bxt_network *net, int primitive, const char *id);

#endif
