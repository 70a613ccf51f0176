/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types and functions that the files of tear share. */
#ifndef BXT_REWRITE_TEAR_INTERNAL_H
#define BXT_REWRITE_TEAR_INTERNAL_H

#include "boxtimes_rewrite.h"
#include "exchange/rewrite/flat_names.h"
#include "exchange/rewrite/rename.h"
#include "model/builder/builder.h"
#include "model/netlist/edit.h"

typedef struct bxt_tearing {
	const bxt_netlist *netlist;
	const bxt_network *net;
	const bxt_tear_def *def;
	bxt_library *library;
	bxt_diagnostics *d;
	bxt_arena *arena; /* scratch */
	bxt_names finder;
	struct bxt_netlist *out;
	size_t n_elements; /* without interactions (bxt_element_count) */
	int n_parts;
	int *part;         /* (n_elements) */
	const char **name; /* (n_parts) */
	/* the parts of each node, ascending: in_part[first_part[i] ... first_part[i + 1]) */
	int *first_part, *in_part;
	const char **port_id;       /* (n_nodes) of cut nodes; NULL: not cut */
	const char **connection_id; /* (n_nodes) likewise */
	bxt_item **subsystem;       /* (n_parts) once they are made */
	bxt_item *interconnection;  /* NULL: nothing is cut */
} bxt_tearing;

/* The source location for findings about the caller's request. */
static inline bxt_place bxt_tear_place(const bxt_tearing *t)
{
	return (bxt_place){t->netlist->file, 0};
}

/* tear_cut.c: assigns a part to each element and counts the parts. BXT_ERR_MODEL after findings. */
bxt_status bxt_tear_cut(bxt_tearing *t);
/* The labels 0 ... n - 1 of the elements at each node, ascending:
 * (*list)[(*first)[i] ... (*first)[i + 1]). */
bxt_status bxt_tear_labels(bxt_tearing *t, const int *label, int n, int **first, int **list);

/* tear_like.c: tears a model in the same way as another netlist. */
bxt_status bxt_tear_like(bxt_tearing *t);

/* State of tearing a model like another netlist, the template. */
typedef struct bxt_like {
	bxt_tearing *t;
	const bxt_netlist *netlist; /* the template */
	const bxt_network *net;
	bxt_flat_names names;
	bxt_netlist *twin;
	size_t n_elements;
	const bxt_item **flat; /* (n_elements) each element in the twin */
	const bxt_unit **unit; /* what the root of the model contains */
	bxt_unit *units;       /* (n_units) what the model's root holds */
	size_t n_units, c_units;
	bool *placed;       /* (n_units) */
	bxt_item **scope;   /* (n_primitives) the subsystems that are made */
	bxt_map node_unit;  /* the model's <node>: index into units */
	bxt_map node_index; /* the twin's node: its first node in net */
	bxt_map told;       /* comments copied with the template */
	bxt_map inside;     /* inline components in subsystems of the template */
	int next_element, next_primitive;
	bool same_records, same_fixes, same_symmetries, same_signals, begun, bad;
} bxt_like;

/* tear_like_names.c: the names of the model's parts in the torn netlist. */
bxt_status bxt_like_names(bxt_like *l, bxt_renaming *r);

/* same.c: are two items equal except for source locations, comments and foreign attributes? */
bool bxt_same_item(bxt_arena *arena, const bxt_item *a, const bxt_item *b);
/* Do two scopes have equal items of that name in the same order? */
bool bxt_same_all(bxt_arena *arena, const bxt_item *a, const bxt_item *b, const char *name);
/* And the same rows of <interconnection>, with their ports? */
bool bxt_same_rows(bxt_arena *arena, const bxt_item *a, const bxt_item *b);

#endif
