/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/base/disjoint_sets.h"

int *bxt_sets_new(bxt_arena *arena, size_t n)
{
	int *sets = BXT_NEW(arena, int, n);
	if (sets)
		bxt_sets_reset(sets, n);
	return sets;
}

void bxt_sets_reset(int *sets, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sets[i] = (int)i;
}

int bxt_sets_find(int *sets, int i)
{
	while (sets[i] != i)
		i = sets[i] = sets[sets[i]];
	return i;
}

int bxt_sets_join(int *sets, int i, int j)
{
	const int a = bxt_sets_find(sets, i), b = bxt_sets_find(sets, j);
	return a < b ? (sets[b] = a) : (sets[a] = b);
}
