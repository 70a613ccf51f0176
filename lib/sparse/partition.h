/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vertices that share nets, parted into pieces of about the same weight. */
#ifndef BXT_SPARSE_PARTITION_H
#define BXT_SPARSE_PARTITION_H

#include "base/arena.h"

/* Which vertices each net joins: vertex[first[e] ... first[e + 1]), each once. */
typedef struct bxt_hypergraph {
	int n_vertices, n_nets;
	const int *weight; /* (n_vertices) > 0 */
	const int *first;  /* (n_nets + 1) */
	const int *vertex;
} bxt_hypergraph;

/*
 * part[v] = 0 ... parts - 1, none of them empty, few nets in several. Needs 2 <= parts <=
 * n_vertices. The same answer each time. BXT_ERR_MEMORY; BXT_ERR_ARGUMENT when it is too large for
 * METIS' integers.
 */
bxt_status bxt_partition(bxt_arena *arena, const bxt_hypergraph *graph, int parts, int *part);

#endif
