/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts that name parts of a network, written anew for a network in which these parts have
 * other names: <record>, <fix>, and rows of <interconnection>.
 */
#ifndef BXT_REWRITE_RENAME_H
#define BXT_REWRITE_RENAME_H

#include "network/network.h"

/* What the parts of a network are called elsewhere; NULL: they are not there any more. */
typedef struct bxt_renaming {
	const bxt_network *net;
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
/* rename_symmetry.c: the length of "node(PATH).NAME", or of "power(PATH)", "energy(PATH)" and their
 * like, at the start of a text, 0: it is none; and where in a text the first of them is, or its
 * end. */
size_t bxt_node_call_length(const char *text);
size_t bxt_node_call_find(const char *text);
/*
 * An expression with words and such calls renamed: word() as in bxt_rename_in_expression, call()
 * always says a name. NULL: out of memory.
 */
typedef const char *bxt_rename_part(void *context, const char *written);
const char *bxt_rename_with_calls(bxt_arena *arena, const char *text, bxt_rename_part *word,
				  bxt_rename_part *call, void *context);
/*
 * A <symmetry> of a netlist, a copy in `out`: coordinate() is name k of what is written as "m1.x"
 * or "node(a).y"; NULL: there are no more, of k = 0: it does not move. parameter() as above.
 */
typedef struct bxt_symmetry_names {
	const char *(*coordinate)(void *context, const char *written, int k, bool *failed);
	const char *(*parameter)(void *context, const char *name);
	void *context;
	bxt_arena *arena;
} bxt_symmetry_names;
bxt_status bxt_rename_symmetry(const bxt_symmetry_names *names, struct bxt_netlist *out,
			       bxt_item *symmetry);
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
/* The signal "x.y.ID" of a scope, -1 for none. */
int bxt_find_signal_path(bxt_arena *arena, const bxt_network *net, int primitive, const char *path);
/* What a symmetry of the netlist itself, or of a subsystem, is called when all is flat. */
const char *bxt_flat_symmetry_name(bxt_arena *arena, const bxt_network *net, size_t symmetry);
/* The symmetry of that id in a scope, -1 for none. */
int bxt_find_symmetry(const bxt_network *net, int primitive, const char *id);
/* The node "x.y.NODE" of a scope, -1 for none. */
int bxt_find_node(bxt_arena *arena, const bxt_network *net, int primitive, const char *path);

#endif
