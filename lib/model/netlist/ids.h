/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ids of a netlist that is built by calls, in maps, one for each scope (netlist/build.c). */
#ifndef BXT_NETLIST_IDS_H
#define BXT_NETLIST_IDS_H

#include "ground/base/text.h"
#include "model/netlist/netlist.h"

/* Kinds of ids: an id of one kind may equal an id of another. */
typedef enum bxt_id_kind {
	BXT_IDS_OF_ELEMENTS, /* and of subsystems, ports, connections and signals */
	BXT_IDS_OF_SYMMETRIES,
	BXT_IDS_OF_NODES,
	BXT_ID_KINDS
} bxt_id_kind;

/* An element that others are added to, with the ids in it and in its <interconnection>. */
typedef struct bxt_id_scope {
	bxt_item *item, *interconnection; /* NULL: it has none yet */
	int depth;                        /* 1: the netlist */
	bxt_map ids[BXT_ID_KINDS];        /* index into items */
} bxt_id_scope;

struct bxt_ids {
	bxt_id_scope *scopes;
	size_t n_scopes, c_scopes;
	bxt_map by_path; /* of scopes */
	bxt_item **items;
	size_t n_items, c_items;
};

/* Call it when other code changes ids, removes elements, or frees the netlist. */
void bxt_ids_forget(struct bxt_netlist *n);

#endif
