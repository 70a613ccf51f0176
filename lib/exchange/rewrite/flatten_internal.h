/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types and functions that the files of flatten share. */
#ifndef BXT_REWRITE_FLATTEN_INTERNAL_H
#define BXT_REWRITE_FLATTEN_INTERNAL_H

#include "exchange/rewrite/flat_names.h"
#include "exchange/rewrite/moved_files.h"
#include "exchange/rewrite/rename.h"
#include "model/builder/builder.h"
#include "model/netlist/edit.h"

/* An included netlist file, whose content moves into the flat netlist. */
typedef struct bxt_flat_file {
	const char *name;
	const bxt_item *root;
	bool done;                /* its components are in the flat netlist */
	bxt_dictionary component; /* new names, where they changed */
	bxt_dictionary table;     /* names of its tables, one for all inclusions */
} bxt_flat_file;

/* One inclusion of a file. */
typedef struct bxt_flat_frame {
	const struct bxt_flat_frame *outer;
	bxt_flat_file *file;
	bxt_dictionary parameter; /* new names, where they changed; tables as "NAME(" */
} bxt_flat_frame;

/* A <signal> in the flat netlist; it is rewritten when all names are known. */
typedef struct bxt_flat_signal_item {
	bxt_item *item;
	int primitive;
	const bxt_flat_frame *frame;
} bxt_flat_signal_item;

typedef struct bxt_flattener {
	struct bxt_netlist *out;
	const bxt_network *net;
	bxt_library *library;
	bxt_diagnostics *d;
	bxt_arena *arena; /* scratch */
	bxt_flat_names names;
	bxt_names finder;
	/*
	 * the network's indices of the next items: the walk visits items in the order of the
	 * builder
	 */
	int next_element, next_primitive, next_connection;
	bxt_flat_file **files;
	size_t n_files, c_files;
	bxt_flat_frame **frames;
	size_t n_frames, c_frames;
	bxt_map ids, parameters, components; /* names in use; tables count as parameters */
	bxt_map parameter_wishes;            /* of included files: how many items want each name */
	bxt_map port_ids;                    /* of ports that stay: how many ports want each id */
	bxt_map fixed;                       /* coordinates already fixed */
	bxt_item *holder;                /* parent of the parameters, inputs of included files */
	bxt_item **node_item;            /* (n_nodes) the <node> of a class, by its first node */
	bxt_place *node_place;           /* (n_nodes) its source location */
	int *node_source;                /* (n_nodes) the node whose <node> it is */
	const char **port, **connection; /* as in bxt_renaming */
	const char **symmetry;           /* likewise; NULL: no symmetry so far */
	bxt_flat_signal_item *signals;
	size_t n_signals, c_signals;
	bool bad; /* there are findings */
} bxt_flattener;

/* flatten_include.c */
bxt_flat_frame *bxt_flat_frame_new(bxt_flattener *f, const bxt_flat_frame *outer, const char *name,
				   const bxt_item *root);
void bxt_flat_frames_free(bxt_flattener *f);
/* Reserves the names of the netlist itself. */
bxt_status bxt_flat_take_names(bxt_flattener *f, const bxt_item *root);
/* The frame of an included file with its parameters; *out NULL: no file is included. */
bxt_status bxt_flat_include(bxt_flattener *f, const bxt_item *item, int primitive,
			    const bxt_flat_frame *outer, const bxt_flat_frame **out);
/* Copies an inline component, once for each file. */
bxt_status bxt_flat_component(bxt_flattener *f, const bxt_unit *unit, const bxt_flat_frame *frame);
/* Moves the namespace declarations of a dissolved XML element to the root. */
bxt_status bxt_flat_hoist(bxt_flattener *f, const bxt_item *item);
/* Gives an item from another file the namespace prefix, or xmlns, that it needs in this file. */
bxt_status bxt_flat_settle_prefix(bxt_flattener *f, bxt_item *item);
/* Puts parameters and inputs of included files after the netlist's own, which their values may use.
 */
void bxt_flat_place_parameters(bxt_flattener *f);
/*
 * Translates a value, "=EXPR", to the names of the flat netlist. With `of` (may be NULL) it is any
 * expression in the coordinate of that name. NULL when out of memory.
 */
const char *bxt_flat_value(bxt_flattener *f, const bxt_flat_frame *frame, const char *text,
			   const char *of);

/* flatten_texts.c */
bxt_status bxt_flat_fix(bxt_flattener *f, const bxt_unit *unit, int primitive);
bxt_status bxt_flat_symmetry(bxt_flattener *f, const bxt_unit *unit, int primitive,
			     const bxt_flat_frame *frame);
bxt_status bxt_flat_signal(bxt_flattener *f, const bxt_unit *unit, int primitive,
			   const bxt_flat_frame *frame);
bxt_status bxt_flat_interconnection(bxt_flattener *f, const bxt_unit *unit, int primitive,
				    const bxt_flat_frame *frame);
/* Rewrites the <signal>s and <record>s of the root, after everything else. */
bxt_status bxt_flat_readers(bxt_flattener *f);

#endif
