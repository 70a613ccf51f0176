/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of flatten share. */
#ifndef BXT_REWRITE_FLATTEN_INTERNAL_H
#define BXT_REWRITE_FLATTEN_INTERNAL_H

#include "netlist/edit.h"
#include "network/builder.h"
#include "rewrite/flat_names.h"
#include "rewrite/moved_files.h"
#include "rewrite/rename.h"

/* A netlist file whose content dissolves. */
typedef struct bxt_flat_file {
	const char *name;
	const bxt_item *root;
	bool done;                /* its components are there */
	bxt_dictionary component; /* those that are called otherwise now */
	bxt_dictionary table;     /* what its tables are called: one for all inclusions */
} bxt_flat_file;

/* One inclusion of it. */
typedef struct bxt_flat_frame {
	const struct bxt_flat_frame *outer;
	bxt_flat_file *file;
	bxt_dictionary parameter; /* those that are called otherwise now, and tables as "NAME(" */
} bxt_flat_frame;

/* A <signal> that is there, to be written anew when all names are known. */
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
	/* places in the network of what the walk meets next, which goes as the builder went */
	int next_element, next_primitive, next_connection;
	bxt_flat_file **files;
	size_t n_files, c_files;
	bxt_flat_frame **frames;
	size_t n_frames, c_frames;
	bxt_map ids, parameters, components; /* names that are taken; tables are as parameters */
	bxt_map parameter_wishes;            /* of included files: how many have one */
	bxt_map port_ids;                    /* of ports that stay: how many have it */
	bxt_map fixed;                       /* what is fixed already */
	bxt_item *holder;                    /* of the parameters of included files */
	bxt_item **node_item;                /* (n_nodes) the <node> of a class, by its first */
	bxt_place *node_place;               /* (n_nodes) where it was written */
	int *node_source;                    /* (n_nodes) for which node */
	const char **port, **connection;     /* as in bxt_renaming */
	const char **symmetry;               /* likewise; NULL: none was met */
	bxt_flat_signal_item *signals;
	size_t n_signals, c_signals;
	bool bad; /* there are findings */
} bxt_flattener;

/* flatten_include.c */
bxt_flat_frame *bxt_flat_frame_new(bxt_flattener *f, const bxt_flat_frame *outer, const char *name,
				   const bxt_item *root);
void bxt_flat_frames_free(bxt_flattener *f);
/* The names that are taken from the start: those of the netlist itself. */
bxt_status bxt_flat_take_names(bxt_flattener *f, const bxt_item *root);
/* The frame of an included file with its parameters; *out NULL: there is nothing in it. */
bxt_status bxt_flat_include(bxt_flattener *f, const bxt_item *item, int primitive,
			    const bxt_flat_frame *outer, const bxt_flat_frame **out);
/* An inline component, once a file. */
bxt_status bxt_flat_component(bxt_flattener *f, const bxt_unit *unit, const bxt_flat_frame *frame);
/* Namespace declarations of an element that dissolves. */
bxt_status bxt_flat_hoist(bxt_flattener *f, const bxt_item *item);
/* The items that came from elsewhere as children of the root would be written there. */
bxt_status bxt_flat_settle_prefix(bxt_flattener *f, bxt_item *item);
/* Parameters of included files go behind the netlist's own, which their values may use. */
void bxt_flat_place_parameters(bxt_flattener *f);
/*
 * A value in the names of the flat netlist: "=EXPR", or any expression when it is a function of the
 * coordinate `of` (else NULL), whose name means that. NULL when out of memory.
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
/* The <signal>s and <record>s of the root, when all else is there. */
bxt_status bxt_flat_readers(bxt_flattener *f);

#endif
