/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory. An arena frees everything at once; bxt_grow serves heap arrays that grow. */
#ifndef BXT_BASE_ARENA_H
#define BXT_BASE_ARENA_H

#include "ground/base/status.h"

#include <stdarg.h>

typedef struct bxt_arena bxt_arena;

/* NULL when out of memory. */
bxt_arena *bxt_arena_new(void);
/* Always returns NULL; NULL is allowed. */
bxt_arena *bxt_arena_free(bxt_arena *arena);

/* count * size zeroed bytes, aligned to 64, below 256 bytes to what an object of that size needs;
 * never NULL for count 0; NULL when out of memory. */
void *bxt_arena_alloc(bxt_arena *arena, size_t count, size_t size);
#define BXT_NEW(arena, type, count) ((type *)bxt_arena_alloc((arena), (count), sizeof(type)))

/* Copies of text; NULL when out of memory (or when s is NULL). */
char *bxt_arena_strdup(bxt_arena *arena, const char *s);
char *bxt_arena_strndup(bxt_arena *arena, const char *s, size_t length);
char *bxt_arena_printf(bxt_arena *arena, const char *format, ...) BXT_PRINTF(2, 3);
char *bxt_arena_vprintf(bxt_arena *arena, const char *format, va_list arguments);

/* Bytes handed out so far. */
size_t bxt_arena_bytes(const bxt_arena *arena);

/*
 * Makes room for `need` elements of `size` bytes in the heap array *items with capacity *capacity
 * (doubling); new elements are zeroed. On BXT_ERR_MEMORY the array is as it was.
 */
bxt_status bxt_grow(void **items, size_t *capacity, size_t need, size_t size);
#define BXT_GROW(items, capacity, need)                                                            \
	bxt_grow((void **)&(items), &(capacity), (need), sizeof *(items))

/* Gives back what an array that no longer grows has beyond its count. */
void bxt_trim(void **items, size_t *capacity, size_t count, size_t size);
#define BXT_TRIM(items, capacity, count)                                                           \
	bxt_trim((void **)&(items), &(capacity), (count), sizeof *(items))

/* free() that returns NULL: x = bxt_free(x). */
void *bxt_free(void *pointer);

#endif
