/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts that name parts of a network, written anew for a network in which these parts have
 * other names: <record>, <fix>, and rows of <interconnection>.
 */
#ifndef BXT_REWRITE_RENAME_H
#define BXT_REWRITE_RENAME_H

#include "network/designator.h"

/* What the parts of a network are called elsewhere; NULL: they are not there any more. */
typedef struct bxt_renaming {
	const bxt_network *net;
	bxt_names *finder;       /* in that network */
	const char **element;    /* (n_elements) paths */
	const char **node;       /* (n_nodes) */
	const char **port;       /* (n_ports) */
	const char **connection; /* (n_connections) the signal that its multiplier is there */
	const char **symmetry;   /* (n_symmetries) of the netlist's own; NULL: as they were */
	const char **signal;     /* (n_signal_ids) NULL: as they were */
	/* (n_nodes) what stands there is not the same set of elements: a momentum has no
	 * counterpart */
	const bool *divided;
	bool connected; /* there are connections */
} bxt_renaming;

/*
 * A list of <record>, with its white space. Signals that are not there are left out with a warning,
 * those that are there twice stand once. BXT_ERR_MODEL after findings: names that mean nothing here
 * (nearest name), or several things. *out "" when nothing is left.
 */
bxt_status bxt_rename_record(const bxt_renaming *names, bxt_arena *arena, const char *text,
			     bxt_place place, bxt_diagnostics *d, const char **out);

/*
 * A row of <interconnection>, a copy in `out`: the words of attributes that port() knows, and in
 * expressions the flows of such ports and what parameter() knows. NULL from either: it stays.
 */
typedef struct bxt_row_names {
	const char *(*port)(void *context, const char *path);
	const char *(*parameter)(void *context, const char *name);
	void *context;
	bxt_arena *arena;
} bxt_row_names;
bxt_status bxt_rename_row(const bxt_row_names *names, struct bxt_netlist *out, bxt_item *row);

/* Elements come first among the elements; interactions, which are no elements, follow. */
size_t bxt_element_count(const bxt_network *net);

/* What "x.y.ID" means from a scope on; the type as in network/builder.h's ids, -1 for nothing. */
typedef struct bxt_meaning {
	int type, index;
} bxt_meaning;
bxt_meaning bxt_find_id(bxt_arena *arena, const bxt_network *net, int primitive, const char *path);
/*
 * What was found last by the finder, as it is called there. NULL with *why it is not there any
 * more, and with *why NULL when memory ends.
 */
const char *bxt_rename_found(const bxt_renaming *names, const bxt_designator *d, bxt_arena *arena,
			     const char **why);
/*
 * rename_symmetry.c: a <symmetry> or a <fix> of a netlist, a copy in `out`. owner() is the path of
 * copy k of an element or a node; NULL: there are no more, of k = 0: it does not move. parameter()
 * as above.
 */
typedef struct bxt_copy_names {
	bxt_names *finder;
	int primitive; /* where it stands */
	const char *(*owner)(void *context, const bxt_designator *d, int k, bool *failed);
	const char *(*parameter)(void *context, const char *name);
	void *context;
	bxt_arena *arena;
} bxt_copy_names;
bxt_status bxt_rename_symmetry(const bxt_copy_names *names, struct bxt_netlist *out,
			       bxt_item *symmetry);
/* What is in `fixed` (NULL: nothing) is left out, what is not goes there; *empty: nothing is left.
 */
bxt_status bxt_rename_fix(const bxt_copy_names *names, struct bxt_netlist *out, bxt_item *fix,
			  bxt_map *fixed, bool *empty);
/*
 * rename_signal.c: the same of a <signal> of a scope, with its id and the input that it is for.
 * BXT_ERR_MODEL after findings: what it reads has no counterpart. is_parameter() tells of words
 * that stay.
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
/* What a symmetry of the netlist itself, or of a subsystem, is called when all is flat. */
const char *bxt_flat_symmetry_name(bxt_arena *arena, const bxt_network *net, size_t symmetry);
/* The symmetry of that id in a scope, -1 for none. */
int bxt_find_symmetry(const bxt_network *net, int primitive, const char *id);

#endif
