/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of two models, or of two tables: which of one are which of the other. */
#ifndef BXT_COMPARE_MATCH_H
#define BXT_COMPARE_MATCH_H

#include "base/text.h"

typedef struct bxt_match_side {
	const char *const *name; /* (n) NULL and "" are nobody's */
	int *partner;            /* (n) the number of its twin on the other side, -1: none yet */
	size_t n;
} bxt_match_side;

/* n numbers of that value; NULL: no memory. */
int *bxt_filled(bxt_arena *arena, size_t n, int value);
/* Pairs equal names; of those that have no partner yet, the first of each side. O(n). */
bxt_status bxt_match_equal(const bxt_match_side *a, const bxt_match_side *b);
/*
 * Pairs those that have no partner yet by unique suffix: one name is the end of the other after a
 * dot, and that is so of no other two with either of them. Of signals, the path in "node(PATH).v"
 * counts, and the end must hold the owner's name.
 */
bxt_status bxt_match_suffixes(bxt_arena *arena, const bxt_match_side *a, const bxt_match_side *b,
			      bool signals);

#endif
