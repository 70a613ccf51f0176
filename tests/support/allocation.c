/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/allocation.h"

#include <stdlib.h>
#include <suitesparse/SuiteSparse_config.h>

/* Threads of the library allocate, too. */
static _Atomic long count, countdown = -1;
static _Atomic bool failed;

/* The linker's names for the real functions. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static bool refuse(void)
{
	count++;
	if (countdown < 0 || countdown-- > 0)
		return false;
	failed = true;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return refuse() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return refuse() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return refuse() ? NULL : __real_realloc(p, size);
}

long allocation_count(void)
{
	return count;
}

void allocation_fail(long n)
{
	countdown = n;
	failed = false;
}

bool allocation_failed(void)
{
	return failed;
}

void allocation_hook(void)
{
	SuiteSparse_config.malloc_func = __wrap_malloc;
	SuiteSparse_config.calloc_func = __wrap_calloc;
	SuiteSparse_config.realloc_func = __wrap_realloc;
}
