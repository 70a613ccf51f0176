/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text: a growing buffer, a map from names to numbers, the nearest name, numbers, lists of words.
 */
#ifndef BXT_BASE_TEXT_H
#define BXT_BASE_TEXT_H

#include "ground/base/arena.h"

/* Text that grows. Zero-initialise; `failed` is sticky, so one check at the end is enough. */
typedef struct bxt_buffer {
	char *text; /* NUL-terminated once anything was added; NULL before */
	size_t length, capacity;
	bool failed; /* out of memory */
} bxt_buffer;

void bxt_buffer_add(bxt_buffer *buffer, const char *bytes, size_t length);
void bxt_buffer_printf(bxt_buffer *buffer, const char *format, ...) BXT_PRINTF(2, 3);
void bxt_buffer_clear(bxt_buffer *buffer);
void bxt_buffer_free(bxt_buffer *buffer);

/* Name -> int, open addressing; keys are not copied and must outlive the map. Zero-initialise. */
typedef struct bxt_map {
	const char **keys;
	int *values;
	size_t count, capacity;
} bxt_map;

bxt_status bxt_map_put(bxt_map *map, const char *key, int value);
/* The value of a key, or -1. */
int bxt_map_get(const bxt_map *map, const char *key);
void bxt_map_free(bxt_map *map);

/*
 * The candidate with the smallest edit distance to `name`, or NULL when none is close enough to be
 * useful. Case differences cost little; a swap of neighbours counts once.
 */
const char *bxt_nearest(const char *name, const char *const *candidates, size_t count);

/* The same, fed one candidate at a time: start with {.name = name}; the answer is .best. */
typedef struct bxt_nearest_search {
	const char *name, *best;
	int distance;
} bxt_nearest_search;
void bxt_nearest_offer(bxt_nearest_search *search, const char *candidate);

/* " (did you mean 'x'?)" built in the arena, or "" when best is NULL or memory runs out. */
const char *bxt_did_you_mean(bxt_arena *arena, const char *best);

/*
 * A number at the start of s[0..length): optional sign, digits with optional point, optional
 * exponent; C locale, correctly rounded; no inf, nan or hex. Returns how many characters it took,
 * 0 when there is no number or when it overflows to infinity (*value is then HUGE_VAL).
 */
size_t bxt_read_number(const char *s, size_t length, double *value);

/* Writes value with as few digits as read as the same number, a decimal point in any locale, and an
 * exponent where "%.17g" has one; out holds at least 32. The length of the text. */
size_t bxt_format_number(char *out, double value);

/* The separators of the names of a list: white space, or also commas. */
#define BXT_BLANKS " \t\r\n"
#define BXT_BLANKS_AND_COMMAS " \t\r\n,"

/*
 * The words of a text, separated by any number of characters of `between`, also before the first
 * and after the last: *n copies in the arena, then NULL. No words and *n = 0 for a text of
 * separators alone and for a NULL text. NULL and *n = 0 when the arena has failed, so that a loop
 * over the words needs no test of its own. Words may be changed in place.
 */
char **bxt_split_words(bxt_arena *arena, const char *text, const char *between, int *n);

/* Is s a name, [A-Za-z_][A-Za-z0-9_-]*? */
bool bxt_is_name(const char *s);

#endif
