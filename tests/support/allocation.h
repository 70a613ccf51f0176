/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counting and failing allocations. Works for code linked statically with
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc, and for SuiteSparse after allocation_hook().
 */
#ifndef BXT_TESTS_SUPPORT_ALLOCATION_H
#define BXT_TESTS_SUPPORT_ALLOCATION_H

#include <stdbool.h>

/* Allocations since the start of the program. */
long allocation_count(void);
/* The allocation number n from now (0: the next one) fails, once; n < 0: none does. */
void allocation_fail(long n);
/* Did the failure asked for happen? */
bool allocation_failed(void);
/* Lets SuiteSparse allocate through here, too. */
void allocation_hook(void);

#endif
