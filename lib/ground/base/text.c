/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/base/text.h"

#include "ground/base/shortest.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void bxt_buffer_add(bxt_buffer *b, const char *bytes, size_t length)
{
	if (b->failed || BXT_GROW(b->text, b->capacity, b->length + length + 1) != BXT_OK) {
		b->failed = true;
		return;
	}
	if (length > 0) /* memcpy must not get NULL, even for 0 bytes */
		memcpy(b->text + b->length, bytes, length);
	b->length += length;
	b->text[b->length] = '\0';
}

void bxt_buffer_printf(bxt_buffer *b, const char *format, ...)
{
	va_list arguments, again;
	va_start(arguments, format);
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0 || b->failed ||
	    BXT_GROW(b->text, b->capacity, b->length + (size_t)length + 1) != BXT_OK)
		b->failed = true;
	else {
		vsnprintf(b->text + b->length, (size_t)length + 1, format, again);
		b->length += (size_t)length;
	}
	va_end(again);
}

void bxt_buffer_clear(bxt_buffer *b)
{
	b->length = 0;
	if (b->text)
		b->text[0] = '\0';
}

void bxt_buffer_free(bxt_buffer *b)
{
	free(b->text);
	*b = (bxt_buffer){0};
}

/* FNV-1a. */
static size_t hash(const char *key)
{
	uint64_t h = 14695981039346656037u;
	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * 1099511628211u;
	return (size_t)(h ^ (h >> 32));
}

/* The index of a key in the table, or of the empty entry where it would go. */
static size_t map_find(const bxt_map *map, const char *key)
{
	size_t i = hash(key) & (map->capacity - 1);
	while (map->keys[i] && strcmp(map->keys[i], key) != 0)
		i = (i + 1) & (map->capacity - 1);
	return i;
}

static bxt_status map_rehash(bxt_map *map, size_t capacity)
{
	bxt_map grown = {calloc(capacity, sizeof *grown.keys),
			 calloc(capacity, sizeof *grown.values), map->count, capacity};
	if (!grown.keys || !grown.values) {
		bxt_map_free(&grown);
		return BXT_ERR_MEMORY;
	}
	for (size_t i = 0; i < map->capacity; i++)
		if (map->keys[i]) { /* keys differ */
			size_t j = hash(map->keys[i]) & (capacity - 1);
			while (grown.keys[j])
				j = (j + 1) & (capacity - 1);
			grown.keys[j] = map->keys[i];
			grown.values[j] = map->values[i];
		}
	bxt_map_free(map);
	*map = grown;
	return BXT_OK;
}

bxt_status bxt_map_put(bxt_map *map, const char *key, int value)
{
	if (4 * (map->count + 1) > 3 * map->capacity)
		BXT_TRY(map_rehash(map, map->capacity ? 2 * map->capacity : 16));
	size_t i = map_find(map, key);
	map->count += !map->keys[i];
	map->keys[i] = key;
	map->values[i] = value;
	return BXT_OK;
}

int bxt_map_get(const bxt_map *map, const char *key)
{
	if (!map->capacity)
		return -1;
	size_t i = map_find(map, key);
	return map->keys[i] ? map->values[i] : -1;
}

void bxt_map_free(bxt_map *map)
{
	free(map->keys);
	free(map->values);
	*map = (bxt_map){0};
}

enum { LONGEST_COMPARED = 63 };

/* Optimal string alignment distance with costs 2 for an edit or a swap, 1 for a change of case. */
static int distance(const char *a, const char *b)
{
	const size_t na = strlen(a), nb = strlen(b);
	if (na > LONGEST_COMPARED || nb > LONGEST_COMPARED)
		return 1000;
	int rows[3][LONGEST_COMPARED + 1];
	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = 2 * (int)j;
	for (size_t i = 1; i <= na; i++) {
		int *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
		now[0] = 2 * (int)i;
		for (size_t j = 1; j <= nb; j++) {
			int change = a[i - 1] == b[j - 1] ? 0 : 2;
			if (change &&
			    tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]))
				change = 1;
			int d = last[j - 1] + change;
			if (last[j] + 2 < d)
				d = last[j] + 2;
			if (now[j - 1] + 2 < d)
				d = now[j - 1] + 2;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 2 < d)
				d = before[j - 2] + 2;
			now[j] = d;
		}
	}
	return rows[na % 3][nb];
}

void bxt_nearest_offer(bxt_nearest_search *s, const char *candidate)
{
	/* One edit for every three letters is a likely typing error; with more it is a different
	 * word. */
	const size_t length = strlen(s->name);
	const int limit = 2 * (int)(length < 3 ? 1 : length < 10 ? (length + 1) / 3 : 4);
	const int d = distance(s->name, candidate);
	if (d <= limit && d < 2 * (int)(length + strlen(candidate)) / 2 &&
	    (!s->best || d < s->distance)) {
		s->best = candidate;
		s->distance = d;
	}
}

const char *bxt_nearest(const char *name, const char *const *candidates, size_t count)
{
	bxt_nearest_search search = {.name = name};
	for (size_t i = 0; i < count; i++)
		bxt_nearest_offer(&search, candidates[i]);
	return search.best;
}

const char *bxt_did_you_mean(bxt_arena *arena, const char *best)
{
	const char *text = best ? bxt_arena_printf(arena, " (did you mean '%s'?)", best) : NULL;
	return text ? text : "";
}

/* The length of a number's text, 0 when there is none. */
static size_t number_length(const char *s, size_t length)
{
	size_t i = 0, digits = 0;
	if (i < length && (s[i] == '+' || s[i] == '-'))
		i++;
	for (; i < length && isdigit((unsigned char)s[i]); i++)
		digits++;
	if (i < length && s[i] == '.')
		for (i++; i < length && isdigit((unsigned char)s[i]); i++)
			digits++;
	if (!digits)
		return 0;
	size_t j = i;
	if (j < length && (s[j] == 'e' || s[j] == 'E')) {
		j++;
		if (j < length && (s[j] == '+' || s[j] == '-'))
			j++;
		if (j < length && isdigit((unsigned char)s[j])) {
			while (j < length && isdigit((unsigned char)s[j]))
				j++;
			i = j;
		}
	}
	return i;
}

size_t bxt_read_number(const char *s, size_t length, double *value)
{
	const size_t taken = number_length(s, length);
	*value = 0;
	if (!taken)
		return 0;
	char small[64], *copy = taken < sizeof small ? small : malloc(taken + 1);
	if (!copy)
		return 0;
	memcpy(copy, s, taken);
	copy[taken] = '\0';
	/* strtod rounds correctly but expects the locale's decimal point: replace it. */
	char *point = strchr(copy, '.');
	if (point)
		*point = localeconv()->decimal_point[0];
	*value = strtod(copy, NULL);
	if (copy != small)
		free(copy);
	return isfinite(*value) ? taken : 0;
}

/* Decimal exponents between which numbers are written without an exponent, as "%.17g" does. */
enum { LEAST_PLAIN = -4, MOST_PLAIN = 16 };

/* Exponent of at least two digits. */
static char *write_exponent(char *out, int exponent)
{
	unsigned rest = (unsigned)(exponent < 0 ? -exponent : exponent);
	*out++ = 'e';
	*out++ = exponent < 0 ? '-' : '+';
	if (rest >= 100)
		*out++ = (char)('0' + rest / 100);
	*out++ = (char)('0' + rest / 10 % 10);
	*out++ = (char)('0' + rest % 10);
	return out;
}

static char *append(char *out, const char *text, int n)
{
	memcpy(out, text, (size_t)n);
	return out + n;
}

static char *append_zeros(char *out, int n)
{
	for (int i = 0; i < n; i++)
		*out++ = '0';
	return out;
}

/* n digits; the first one has the weight 10^exponent. */
static char *write_digits(char *out, const char *digit, int n, int exponent)
{
	const bool plain = exponent >= LEAST_PLAIN && exponent <= MOST_PLAIN;
	const int whole = plain ? exponent + 1 : 1; /* digits before the point */
	if (whole <= 0) {
		out = append_zeros(append(out, "0.", 2), -whole);
		return append(out, digit, n);
	}
	if (n <= whole) {
		out = append_zeros(append(out, digit, n), whole - n);
	} else {
		out = append(out, digit, whole);
		*out++ = '.';
		out = append(out, digit + whole, n - whole);
	}
	return plain ? out : write_exponent(out, exponent);
}

/* Writes the digits of a number so that they end before `end`; two at a time, since each division
 * is slow. */
static char *write_backward(uint64_t digits, char *end)
{
	for (; digits >= 10; digits /= 100) {
		const unsigned two = (unsigned)(digits % 100);
		*--end = (char)('0' + two % 10);
		*--end = (char)('0' + two / 10);
	}
	if (digits > 0)
		*--end = (char)('0' + digits);
	return end;
}

size_t bxt_format_number(char *out, double value)
{
	char digit[24], *const begin = out, *const end = digit + sizeof digit;
	int exponent;
	if (!isfinite(value)) {
		strcpy(out, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
		return strlen(out);
	}
	if (signbit(value))
		*out++ = '-';
	if (value == 0) {
		strcpy(out, "0");
		return (size_t)(out + 1 - begin);
	}
	uint64_t digits = bxt_shortest(fabs(value), &exponent);
	for (; digits % 10 == 0; digits /= 10)
		exponent++;
	const char *first = write_backward(digits, end);
	const int n = (int)(end - first);
	out = write_digits(out, first, n, exponent + n - 1);
	*out = '\0';
	return (size_t)(out - begin);
}

bool bxt_is_name(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	for (s++; *s; s++)
		if (!isalnum((unsigned char)*s) && *s != '_' && *s != '-')
			return false;
	return true;
}

char **bxt_split_words(bxt_arena *arena, const char *text, const char *between, int *n)
{
	*n = 0;
	char *copy = bxt_arena_strdup(arena, text ? text : "");
	/* each word but the last is followed by a separator */
	char **words = BXT_NEW(arena, char *, copy ? strlen(copy) / 2 + 2 : 0);
	for (char *at = words ? copy + strspn(copy, between) : ""; *at;) {
		words[(*n)++] = at;
		at += strcspn(at, between);
		if (*at)
			*at++ = '\0';
		at += strspn(at, between);
	}
	return words;
}
