/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Partitions a hypergraph into parts of about equal weight with few cut nets. */
#ifndef BXT_SPARSE_PARTITION_H
#define BXT_SPARSE_PARTITION_H

#include "ground/base/arena.h"

/* Which vertices each net joins: vertex[first[e] ... first[e + 1]), each once. */
typedef struct bxt_hypergraph {
	int n_vertices, n_nets;
	const int *weight; /* (n_vertices) > 0 */
	const int *first;  /* (n_nets + 1) */
	const int *vertex;
} bxt_hypergraph;

/*
 * part[v] = 0 ... parts - 1; no part is empty, few nets lie in several. Needs 2 <= parts <=
 * n_vertices. Deterministic. BXT_ERR_MEMORY; BXT_ERR_ARGUMENT: too large for METIS' integers.
 */
bxt_status bxt_partition(bxt_arena *arena, const bxt_hypergraph *graph, int parts, int *part);

/*
 * Call METIS, directly or through CHOLMOD, only between these two. METIS uses rand(), which the
 * whole process shares, and sets signal handlers that it restores. With two threads in METIS
 * results would not be reproducible, and its handlers would stay. (A host that calls rand() at that
 * time may get other, equally valid results.)
 */
void bxt_metis_enter(void);
void bxt_metis_leave(void);

#endif
