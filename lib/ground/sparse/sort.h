/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting by counting, for keys that are small whole numbers. */
#ifndef BXT_SPARSE_SORT_H
#define BXT_SPARSE_SORT_H

#include <stddef.h>

/*
 * The numbers 0 ... count - 1 sorted by their keys in 0 ... n - 1; numbers with the same key keep
 * their order. They are order[start[key]] ... order[start[key + 1] - 1]; start has n + 2 numbers,
 * order has count. O(count + n).
 */
void bxt_sort_by_key(size_t count, const int *key, int n, int *start, int *order);

/* Counts in start[2 ... n + 1] become starts in start[1 ... n], which become ends as they are used:
 * in the end start[0 ... n] are starts again. */
void bxt_accumulate_starts(int *start, int n);

#endif
