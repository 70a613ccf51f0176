/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes that rows of Sigma_Q make one, other than <connect>. */
#ifndef BXT_COMPARE_TIED_NODES_H
#define BXT_COMPARE_TIED_NODES_H

#include "model/system/system.h"

/*
 * Joins the classes of shared nodes (rewrite/flat_names.h) whose coordinates, all of them, rows of
 * Sigma_Q equate: v_a - v_b = 0, with any factor. Such nodes are one in the network put together,
 * as if by <connect>. class_of (nodes) is changed in place.
 */
bxt_status bxt_tie_nodes(bxt_arena *arena, const bxt_system *s, int *class_of);

#endif
