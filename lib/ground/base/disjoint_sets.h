/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Disjoint sets of the numbers 0 ... n - 1 (Tarjan 1975). The smallest number of a set represents
 * it, so the answer does not depend on the order of the joins.
 */
#ifndef BXT_BASE_DISJOINT_SETS_H
#define BXT_BASE_DISJOINT_SETS_H

#include "ground/base/arena.h"

/* (n) in the arena, each number a set of its own; NULL when out of memory. */
int *bxt_sets_new(bxt_arena *arena, size_t n);
/* The same in memory of the caller. */
void bxt_sets_reset(int *sets, size_t n);

/* The representative of the set of i. Shortens the path to it for the next search. */
int bxt_sets_find(int *sets, int i);
/* Joins the sets of i and j; returns the representative. */
int bxt_sets_join(int *sets, int i, int j);

#endif
