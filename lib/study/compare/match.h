/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matches the names of two models, or of two tables. */
#ifndef BXT_COMPARE_MATCH_H
#define BXT_COMPARE_MATCH_H

#include "ground/base/text.h"

typedef struct bxt_match_side {
	const char *const *name; /* (n) NULL and "" have no partner */
	int *partner;            /* (n) index of the twin on the other side, -1: none yet */
	size_t n;
} bxt_match_side;

/* An array of n elements with that value; NULL: out of memory. */
int *bxt_filled(bxt_arena *arena, size_t n, int value);
/*
 * Pairs equal names. If several names without a partner are equal, the first of each side are
 * paired. O(n).
 */
bxt_status bxt_match_equal(const bxt_match_side *a, const bxt_match_side *b);
/*
 * Pairs names without a partner by unique suffix: one name is the end of the other, after a dot,
 * and neither name matches a third one in this way. For signals the path in "node(PATH).v" is
 * compared, and the suffix must contain the owner's name.
 */
bxt_status bxt_match_suffixes(bxt_arena *arena, const bxt_match_side *a, const bxt_match_side *b,
			      bool signals);

#endif
