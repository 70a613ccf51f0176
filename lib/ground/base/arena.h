/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory. An arena frees everything at once. It also records that a request was refused, so that a
 * function can make all its requests first and check the result once. bxt_arrays_new allocates
 * several heap arrays at once; bxt_grow enlarges one heap array.
 */
#ifndef BXT_BASE_ARENA_H
#define BXT_BASE_ARENA_H

#include "ground/base/status.h"

#include <stdarg.h>

typedef struct bxt_arena bxt_arena;

/* NULL when out of memory. */
bxt_arena *bxt_arena_new(void);
/* Always returns NULL; NULL is allowed. */
bxt_arena *bxt_arena_free(bxt_arena *arena);

/*
 * count * size zeroed bytes. From 256 bytes on they are aligned to 64; below, to what an object of
 * that size needs. Never NULL for count 0. NULL when out of memory; the arena then refuses every
 * later request as well. A NULL arena, as bxt_arena_new may return, refuses all requests.
 */
void *bxt_arena_alloc(bxt_arena *arena, size_t count, size_t size);
#define BXT_NEW(arena, type, count) ((type *)bxt_arena_alloc((arena), (count), sizeof(type)))

/*
 * BXT_ERR_MEMORY after the first refused request, and for a NULL arena; else BXT_OK. A function
 * that only stores the pointers, without reading or writing through them, calls this once, after
 * its last request:
 *
 *     x->values = BXT_NEW(arena, double, n);
 *     x->places = BXT_NEW(arena, int, n);
 *     BXT_TRY(bxt_arena_status(arena));
 */
bxt_status bxt_arena_status(const bxt_arena *arena);

/* Copies of text; NULL when out of memory, as above (or when s is NULL, which is no failure). */
char *bxt_arena_strdup(bxt_arena *arena, const char *s);
char *bxt_arena_strndup(bxt_arena *arena, const char *s, size_t length);
char *bxt_arena_printf(bxt_arena *arena, const char *format, ...) BXT_PRINTF(2, 3);
char *bxt_arena_vprintf(bxt_arena *arena, const char *format, va_list arguments);

/* Bytes handed out so far. */
size_t bxt_arena_bytes(const bxt_arena *arena);

/*
 * Makes room for `need` elements of `size` bytes in the heap array *items with capacity *capacity
 * (doubling); new elements are zeroed. On BXT_ERR_MEMORY the array is unchanged.
 */
bxt_status bxt_grow(void **items, size_t *capacity, size_t need, size_t size);
#define BXT_GROW(items, capacity, need)                                                            \
	bxt_grow((void **)&(items), &(capacity), (need), sizeof *(items))

/*
 * One of several heap arrays, for arrays that one function uses, or that grow:
 *
 *     const bxt_array arrays[] = {BXT_ARRAY(sum, n), BXT_ARRAY(seen, n)};
 *     BXT_TRY(bxt_arrays_new(arrays, BXT_COUNT(arrays)));
 *     ...
 *     bxt_arrays_free(arrays, BXT_COUNT(arrays));
 *
 * Each array may also be freed or grown by itself. Arrays with the same lifetime, such as the work
 * arrays of one function, may as well share an arena of their own.
 */
typedef struct bxt_array {
	void **items; /* the pointer that is set */
	size_t count, size;
} bxt_array;
#define BXT_ARRAY(items, count)                                                                    \
	{                                                                                          \
		(void **)&(items), (size_t)(count), sizeof *(items)                                \
	}
#define BXT_COUNT(array) (sizeof(array) / sizeof *(array))

/* Zeroed arrays, never NULL for count 0; on BXT_ERR_MEMORY all pointers are NULL. */
bxt_status bxt_arrays_new(const bxt_array *arrays, size_t n);
/* Frees the arrays and sets their pointers to NULL; those that are NULL already are allowed. */
void bxt_arrays_free(const bxt_array *arrays, size_t n);

/* Releases the capacity beyond the count of an array that no longer grows. */
void bxt_trim(void **items, size_t *capacity, size_t count, size_t size);
#define BXT_TRIM(items, capacity, count)                                                           \
	bxt_trim((void **)&(items), &(capacity), (count), sizeof *(items))

/* free() that returns NULL: x = bxt_free(x). */
void *bxt_free(void *pointer);

#endif
