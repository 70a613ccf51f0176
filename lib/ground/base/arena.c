/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/base/arena.h"

#include "boxtimes_model.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

/*
 * Alignment of small requests (names, lists): 16 bytes, or 8 where the size is not a multiple of
 * 16, since the size of a type that needs 16 is a multiple of 16. Arrays that a loop streams start
 * on a cache line.
 */
static size_t alignment_of(size_t bytes)
{
	return bytes >= 256 ? ALIGNMENT : bytes % 16 ? 8 : 16;
}

/* A block is one allocation: this header, then `size` bytes. */
struct block {
	struct block *next;
	char *memory; /* aligned start */
	size_t used, size;
	bool zeroed; /* beyond `used` */
};

struct bxt_arena {
	struct block *head;
	size_t next_size; /* of the next ordinary block: grows, so that small arenas stay small */
	size_t bytes;
	bool failed; /* a request was refused */
};

bxt_arena *bxt_arena_new(void)
{
	bxt_arena *arena = calloc(1, sizeof *arena);
	if (arena)
		arena->next_size = FIRST_BLOCK;
	return arena;
}

bxt_arena *bxt_arena_free(bxt_arena *arena)
{
	if (arena) {
		for (struct block *b = arena->head, *next; b; b = next) {
			next = b->next;
			free(b);
		}
		free(arena);
	}
	return NULL;
}

/*
 * The system allocator serves a large block: its pages are zeroed only when they are first touched.
 */
static struct block *block_new(size_t size)
{
	const size_t bytes = sizeof(struct block) + size + ALIGNMENT;
	const bool zeroed = size >= LARGEST_BLOCK;
	struct block *b = zeroed ? calloc(bytes, 1) : malloc(bytes);
	if (!b)
		return NULL;
	uintptr_t start = (uintptr_t)(b + 1);
	b->memory = (char *)(b + 1) + (ALIGNMENT - start % ALIGNMENT) % ALIGNMENT;
	b->size = size;
	b->used = 0;
	b->zeroed = zeroed;
	return b;
}

/* A block with room for `bytes`. NULL: out of memory. */
static struct block *block_add(bxt_arena *arena, size_t bytes)
{
	const bool large = bytes > arena->next_size / 4;
	struct block *b = block_new(large ? bytes : arena->next_size);
	if (!b)
		return NULL;
	if (large && arena->head) { /* keep filling the current block afterwards */
		b->next = arena->head->next;
		arena->head->next = b;
	} else {
		b->next = arena->head;
		arena->head = b;
	}
	if (!large && arena->next_size < LARGEST_BLOCK)
		arena->next_size *= 2;
	return b;
}

/* Refuses a request, and all that follow. */
static void *refuse(bxt_arena *arena)
{
	arena->failed = true;
	return NULL;
}

void *bxt_arena_alloc(bxt_arena *arena, size_t count, size_t size)
{
	if (!arena || arena->failed)
		return NULL;
	if (size != 0 && count > (SIZE_MAX / 4) / size)
		return refuse(arena);
	size_t bytes = count * size;
	bytes = bytes ? (bytes + 7) / 8 * 8 : 8;
	const size_t alignment = alignment_of(bytes);
	struct block *b = arena->head;
	if (b)
		b->used = (b->used + alignment - 1) / alignment * alignment;
	if (!b || b->used > b->size || b->size - b->used < bytes)
		b = block_add(arena, bytes);
	if (!b)
		return refuse(arena);
	void *memory = b->memory + b->used;
	b->used += bytes;
	arena->bytes += bytes;
	return b->zeroed ? memory : memset(memory, 0, bytes);
}

bxt_status bxt_arena_status(const bxt_arena *arena)
{
	return arena && !arena->failed ? BXT_OK : BXT_ERR_MEMORY;
}

char *bxt_arena_strndup(bxt_arena *arena, const char *s, size_t length)
{
	if (!s)
		return NULL;
	char *copy = bxt_arena_alloc(arena, length + 1, 1);
	if (copy)
		memcpy(copy, s, length);
	return copy;
}

char *bxt_arena_strdup(bxt_arena *arena, const char *s)
{
	return s ? bxt_arena_strndup(arena, s, strlen(s)) : NULL;
}

char *bxt_arena_vprintf(bxt_arena *arena, const char *format, va_list arguments)
{
	va_list again;
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, arguments);
	char *text = bxt_arena_alloc(arena, length < 0 ? SIZE_MAX : (size_t)length + 1, 1);
	if (text)
		vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}

char *bxt_arena_printf(bxt_arena *arena, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = bxt_arena_vprintf(arena, format, arguments);
	va_end(arguments);
	return text;
}

size_t bxt_arena_bytes(const bxt_arena *arena)
{
	return arena->bytes;
}

bxt_status bxt_grow(void **items, size_t *capacity, size_t need, size_t size)
{
	if (need <= *capacity)
		return BXT_OK;
	size_t wanted = *capacity ? *capacity : 8;
	while (wanted < need) {
		if (wanted > SIZE_MAX / 4)
			return BXT_ERR_MEMORY;
		wanted *= 2;
	}
	if (wanted > (SIZE_MAX / 4) / size)
		return BXT_ERR_MEMORY;
	/* pages of a new array that are never used are never touched */
	void *grown = *items ? realloc(*items, wanted * size) : calloc(wanted, size);
	if (!grown)
		return BXT_ERR_MEMORY;
	if (*items)
		memset((char *)grown + *capacity * size, 0, (wanted - *capacity) * size);
	*items = grown;
	*capacity = wanted;
	return BXT_OK;
}

bxt_status bxt_arrays_new(const bxt_array *arrays, size_t n)
{
	bool failed = false;
	for (size_t i = 0; i < n; i++) {
		*arrays[i].items = calloc(arrays[i].count ? arrays[i].count : 1, arrays[i].size);
		failed = failed || !*arrays[i].items;
	}
	if (failed)
		bxt_arrays_free(arrays, n);
	return failed ? BXT_ERR_MEMORY : BXT_OK;
}

void bxt_arrays_free(const bxt_array *arrays, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*arrays[i].items = bxt_free(*arrays[i].items);
}

void bxt_trim(void **items, size_t *capacity, size_t count, size_t size)
{
	void *fitting = count > 0 && count < *capacity ? realloc(*items, count * size) : NULL;
	if (!fitting)
		return;
	*items = fitting;
	*capacity = count;
}

void *bxt_free(void *pointer)
{
	free(pointer);
	return NULL;
}

void bxt_release(void *memory)
{
	free(memory);
}
