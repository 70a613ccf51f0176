/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Suggestions for a quantity that cannot be read: a prefix in place of the point (4k7), a prefix
 * without its unit (10u), units without the point between them (Nm, kWh), and wrong case (Ohm,
 * khz). A suggestion is made if it can be read and has the expected unit.
 */
#include "ground/base/text.h"
#include "model/component/quantity.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 12 }; /* largest number of letters of a unit that is split */

/* The quantity for which suggestions are tried. */
struct guess {
	bxt_units *units;
	bxt_arena *arena;
	const char *expected; /* NULL: any unit will do */
	const char *number;   /* the text before the unit */
	int length;           /* of the number */
	const char *found;
};

/* Keeps the suggestion if it can be read. */
static bool try_unit(struct guess *g, const char *unit)
{
	double value;
	bxt_dimension dimension;
	if (!g->expected) {
		if (bxt_units_dimension(g->units, unit, &dimension) == BXT_QUANTITY_OK)
			g->found = bxt_arena_strdup(g->arena, unit);
		return g->found;
	}
	const char *text = bxt_arena_printf(g->arena, "%.*s %s", g->length, g->number, unit);
	if (text && bxt_quantity_read(g->units, text, g->expected, &value) == BXT_QUANTITY_OK)
		g->found = text;
	return g->found;
}

/* The prefix for an engineer's letter; NULL: none. */
static const char *prefix_of(const char *letters)
{
	static const char *const prefixes[][2] = {
		{"k", "k"},   {"K", "k"}, {"M", "M"}, {"meg", "M"},      {"Meg", "M"},
		{"MEG", "M"}, {"G", "G"}, {"T", "T"}, {"m", "m"},        {"u", "u"},
		{"n", "n"},   {"p", "p"}, {"f", "f"}, {"\xC2\xB5", "u"}, {"\xCE\xBC", "u"}};
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (strcmp(letters, prefixes[i][0]) == 0)
			return prefixes[i][1];
	return NULL;
}

/* "4k7" and "10u", where the expected unit is a single one. */
static bool try_prefix(struct guess *g, const char *unit)
{
	const size_t letters = strcspn(unit, "0123456789");
	const char *digits = unit + letters;
	const size_t n = strspn(digits, "0123456789");
	if (!*g->expected ||
	    g->expected[strspn(g->expected, "abcdefghijklmnopqrstuvwxyz"
					    "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] ||
	    digits[n])
		return false;
	const char *word = bxt_arena_strndup(g->arena, unit, letters);
	const bool ohms = word && n > 0 && (strcmp(word, "R") == 0 || strcmp(word, "r") == 0);
	const char *prefix = ohms ? "" : word ? prefix_of(word) : NULL;
	if (!prefix)
		return false;
	if (n == 0)
		return try_unit(g, bxt_arena_printf(g->arena, "%s%s", prefix, g->expected));
	const struct guess whole = *g;
	if (memchr(g->number, '.', (size_t)g->length))
		return false;
	g->number = bxt_arena_printf(g->arena, "%.*s.%s", g->length, g->number, digits);
	g->length = g->number ? (int)strlen(g->number) : 0;
	const char *with = bxt_arena_printf(g->arena, "%s%s", prefix, g->expected);
	const bool good = g->number && with && try_unit(g, with);
	g->number = whole.number;
	g->length = whole.length;
	return good;
}

/* Inserts points between letters: one, then two. */
static bool try_points(struct guess *g, const char *unit, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const char *one = bxt_arena_printf(g->arena, "%.*s.%s", (int)i, unit, unit + i);
		if (!one || try_unit(g, one))
			return one;
	}
	for (size_t i = 1; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			const char *two = bxt_arena_printf(g->arena, "%.*s.%.*s.%s", (int)i, unit,
							   (int)(j - i), unit + i, unit + j);
			if (!two || try_unit(g, two))
				return two;
		}
	return false;
}

static char other_case(char c)
{
	return islower((unsigned char)c) ? (char)toupper((unsigned char)c)
					 : (char)tolower((unsigned char)c);
}

/* All letters in lower case, then one letter in the other case. */
static bool try_case(struct guess *g, const char *unit, size_t n)
{
	char *text = bxt_arena_strdup(g->arena, unit);
	for (size_t i = 0; text && i < n; i++)
		text[i] = (char)tolower((unsigned char)text[i]);
	if (!text || try_unit(g, text))
		return text;
	memcpy(text, unit, n);
	for (size_t i = 0; i < n; i++) {
		text[i] = other_case(text[i]);
		if (try_unit(g, text))
			return true;
		text[i] = unit[i];
	}
	return false;
}

static const char *guess_unit(struct guess *g, const char *unit)
{
	const size_t n = strlen(unit);
	if (n == 0 || n > LONGEST || (g->expected && try_prefix(g, unit)) ||
	    strspn(unit, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") < n)
		return g->found;
	if (!try_points(g, unit, n))
		try_case(g, unit, n);
	return g->found;
}

const char *bxt_quantity_suggest(bxt_units *units, bxt_arena *arena, const char *text,
				 const char *expected)
{
	double value;
	text += strspn(text, " \t\r\n");
	const size_t length = bxt_read_number(text, strlen(text), &value);
	const char *unit = text + length;
	unit += strspn(unit, " \t\r\n");
	struct guess g = {units, arena, expected, text, (int)length, NULL};
	return length > 0 && length < 64 ? guess_unit(&g, unit) : NULL;
}

const char *bxt_unit_suggest(bxt_units *units, bxt_arena *arena, const char *unit)
{
	struct guess g = {.units = units, .arena = arena, .number = ""};
	return guess_unit(&g, unit);
}
