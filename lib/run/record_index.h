/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Everything that signals are named after, by its full path and by all ends of it. A list
 * of thousands of names, as comparisons give it, is resolved in linear time with it.
 */
#ifndef BXT_RUN_RECORD_INDEX_H
#define BXT_RUN_RECORD_INDEX_H

#include "network/dirac.h"

typedef enum owner_type {
	OWNER_INSTANCE,
	OWNER_PRIMITIVE,
	OWNER_PORT,
	OWNER_CONNECTION,
	OWNER_NODE,
	OWNER_COUNT
} owner_type;

typedef struct bxt_record_index {
	bxt_map full[OWNER_COUNT], end[OWNER_COUNT]; /* of ends that several have: BXT_INDEX_MANY */
	bool made;
} bxt_record_index;

enum { BXT_INDEX_NONE = -1, BXT_INDEX_MANY = -2 };

/* Paths in the arena; free it also when that fails. */
bxt_status bxt_record_index_make(bxt_arena *arena, const bxt_network *net, bxt_record_index *out);
void bxt_record_index_free(bxt_record_index *index);

/*
 * The owner of one of the types (bits 1 << owner_type) that has the path, or the only one whose
 * path ends so after a dot, as its index and *type. BXT_INDEX_MANY: look one by one.
 */
int bxt_record_index_find(const bxt_record_index *index, const char *path, unsigned types,
			  owner_type *type);

/* Does a full path match what was written: all of it, or a suffix after a dot? 2 for all of it. */
int bxt_path_matches(const char *full, const char *written, size_t length);
/* The row k that "c1.k" names, which then has the length of "c1"; 0 when it names none. */
int bxt_path_row(const char *written, size_t *length);
/*
 * Does what is written end a path PRIMITIVE.id at the start of a word? Judged without building the
 * path, since thousands of elements may share an id.
 */
bool bxt_path_may_end(const bxt_network *net, int primitive, const char *id, const char *written,
		      size_t length);

/* record_facts.c: the next item of a list that is cut at commas, white space around it gone; NULL:
 * that was all. */
char *bxt_record_next(char **list);
/* Is a primitive inside another one, or it? */
bool bxt_record_is_inside(const bxt_network *net, int primitive, int outer);
/* The signal of the netlist's own whose path the item is, or with `suffix` just one's end; -1 for
 * none. `path` is scratch. */
int bxt_record_signal(const bxt_network *net, const char *item, bxt_buffer *path, bool suffix);
/* Is it what reads a multiplier for a signal, which is recorded under its own name, or the integral
 * of a signal of the netlist's own? */
bool bxt_record_is_hidden(const bxt_network *net, const bxt_coord_info *coord, bool flow);
/* The rows of Sigma_Q that a connection is. */
int bxt_record_rows(const bxt_network *net, const bxt_connection *c);
/* Is that a coordinate or flow of the node's kind that the node does not have? */
bool bxt_record_is_unused(const bxt_net_node *node, const char *name);
/* The symmetry whose path ends so, and how many there are (*other: a second one); -1 for none. The
 * scratch `path` has failed when memory ended. */
int bxt_record_symmetry(bxt_arena *arena, const bxt_network *net, const char *written,
			bxt_buffer *path, bxt_nearest_search *near, int *count, const char **other);

#endif
