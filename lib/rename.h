/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Floor 4: texts that name parts of a network, written anew for a network in which these parts have
 * other names: <record>, <fix>, and rows of <interconnection>.
 */
#ifndef BXT_RENAME_H
#define BXT_RENAME_H

#include "network.h"

/* What the parts of a network are called elsewhere; NULL: they are not there any more. */
typedef struct bxt_renaming {
	const bxt_network *net;
	const char **instance;   /* (n_instances) paths */
	const char **node;       /* (n_nodes) */
	const char **port;       /* (n_ports) */
	const char **connection; /* (n_connections) the signal that its multiplier is there */
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

/* Elements come first among the instances; interactions, which are no elements, follow. */
size_t bxt_element_count(const bxt_network *net);

/* What "x.y.ID" means from a scope on; the type as in network_internal.h's ids, -1 for nothing. */
typedef struct bxt_meaning {
	int type, index;
} bxt_meaning;
bxt_meaning bxt_find_id(bxt_arena *arena, const bxt_network *net, int primitive, const char *path);
/* The node "x.y.NODE" of a scope, -1 for none. */
int bxt_find_node(bxt_arena *arena, const bxt_network *net, int primitive, const char *path);

#endif
