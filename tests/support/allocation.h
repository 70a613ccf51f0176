/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts allocations and lets them fail. Works for code linked statically with
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc, and for SuiteSparse after allocation_hook().
 */
#ifndef BXT_TESTS_SUPPORT_ALLOCATION_H
#define BXT_TESTS_SUPPORT_ALLOCATION_H

#include <stdbool.h>

/* Allocations since the start of the program. */
long allocation_count(void);
/* Lets allocation number n from now (0: the next one) fail, once; n < 0: none. */
void allocation_fail(long n);
/* Has the requested failure occurred? */
bool allocation_failed(void);
/* Makes SuiteSparse allocate through these functions, too. */
void allocation_hook(void);

#endif
