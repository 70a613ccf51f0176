/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words, numbers with suffixes and lists of assignments of SPICE's lines. */
#include "exchange/spice/spice.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---- Findings ---- */

static void tell(bxt_deck *deck, const bxt_deck_line *line, bxt_severity severity,
		 const char *format, va_list arguments)
{
	char *text = bxt_arena_vprintf(deck->arena, format, arguments);
	deck->failed = deck->failed || !text;
	if (text)
		bxt_report(deck->d, severity,
			   line ? (bxt_place){line->file, line->number}
				: (bxt_place){deck->file, 0},
			   "%s", text);
}

void bxt_deck_error(bxt_deck *deck, bxt_deck_line *line, const char *format, ...)
{
	if (line && line->error)
		return;
	va_list arguments;
	va_start(arguments, format);
	if (deck->errors < BXT_SPICE_ERRORS)
		tell(deck, line, BXT_ERROR, format, arguments);
	va_end(arguments);
	if (++deck->errors == BXT_SPICE_ERRORS)
		bxt_error(deck->d, ((bxt_place){deck->file, 0}),
			  "there are %d errors: no more are looked for", BXT_SPICE_ERRORS);
	if (line)
		line->error = true;
}

void bxt_deck_warning(bxt_deck *deck, bxt_deck_line *line, const char *format, ...)
{
	if (line->warned)
		return;
	va_list arguments;
	va_start(arguments, format);
	tell(deck, line, BXT_WARNING, format, arguments);
	va_end(arguments);
	line->warned = true;
}

bool bxt_deck_is_over(const bxt_deck *deck)
{
	return deck->failed || deck->errors >= BXT_SPICE_ERRORS;
}

/* ---- Characters ---- */

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

char *bxt_spice_lower(bxt_arena *arena, const char *text, size_t length)
{
	char *copy = bxt_arena_strndup(arena, text, length);
	for (char *c = copy; c && *c; c++)
		*c = lower(*c);
	return copy;
}

bool bxt_spice_same(const char *a, const char *b)
{
	while (*a && lower(*a) == lower(*b))
		a++, b++;
	return lower(*a) == lower(*b);
}

bool bxt_spice_begins(const char *text, const char *start)
{
	while (*start && lower(*text) == *start)
		text++, start++;
	return *start == '\0';
}

static bool is_letter(char c)
{
	return lower(c) >= 'a' && lower(c) <= 'z';
}

bool bxt_spice_is_word(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '#' ||
	       c == '$' || c == '@';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* ---- Numbers ---- */

/* The suffix changes the decimal exponent, so that 10u is exactly 1e-05. */
static int exponent_of(const char *s, size_t *length)
{
	static const struct {
		const char *name;
		int exponent;
	} suffixes[] = {{"meg", 6},   {"t", 12}, {"g", 9},         {"k", 3},
			{"m", -3},    {"u", -6}, {"\xc2\xb5", -6}, {"\xce\xbc", -6},
			{"\xb5", -6}, {"n", -9}, {"p", -12},       {"f", -15}};
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
		if (bxt_spice_begins(s, suffixes[i].name)) {
			*length = strlen(suffixes[i].name);
			return suffixes[i].exponent;
		}
	*length = 0;
	return 0;
}

size_t bxt_spice_number(const char *s, double *value)
{
	char scaled[400];
	double power = 0;
	size_t length, suffix, digits = bxt_read_number(s, strlen(s), value);
	if (digits == 0)
		return 0;
	const char *end = s + digits;
	if (bxt_spice_begins(end, "mil")) {
		*value *= 25.4e-6;
	} else if ((length = (size_t)exponent_of(end, &suffix), suffix > 0)) {
		const int exponent = (int)length;
		const char *e = memchr(s, 'e', digits);
		e = e ? e : memchr(s, 'E', digits);
		const size_t mantissa = e ? (size_t)(e - s) : digits;
		if (e)
			bxt_read_number(e + 1, digits - mantissa - 1, &power);
		if (mantissa < sizeof scaled - 20 && fabs(power) < 1000) {
			snprintf(scaled, sizeof scaled, "%.*se%d", (int)mantissa, s,
				 (int)power + exponent);
			if (bxt_read_number(scaled, strlen(scaled), value) == 0)
				return 0;
		} else {
			*value *= pow(10, exponent);
		}
		end += suffix; /* it may be outside ASCII, as the Greek mu */
	}
	while (is_letter(*end) || (*end >= '0' && *end <= '9') || *end == '_')
		end++;
	return (size_t)(end - s);
}

/* ---- Words ---- */

/* The end of a group that begins with { or ', and its text without the delimiters. */
static const char *skip_group(const char *s)
{
	int depth = 0;
	if (*s == '\'' || *s == '"') {
		const char *end = strchr(s + 1, *s);
		return end ? end + 1 : s + strlen(s);
	}
	for (; *s; s++) {
		depth += (*s == '{') - (*s == '}');
		if (depth == 0)
			return s + 1;
	}
	return s;
}

static bool is_group(char c)
{
	return c == '{' || c == '\'' || c == '"';
}

static const char *skip_blank(const char *s)
{
	while (is_blank(*s))
		s++;
	return s;
}

static bool is_separator(char c)
{
	return is_blank(c) || c == '(' || c == ')' || c == ',';
}

static const char *end_of_word(const char *s)
{
	if (is_group(*s))
		return skip_group(s);
	while (*s && !is_separator(*s) && *s != '=' && !is_group(*s))
		s++;
	return s;
}

/* Does an assignment begin here, that is, a word followed by "=" but not by "=="? */
static bool is_assignment(const char *s)
{
	if (!bxt_spice_is_word(*s))
		return false;
	const char *stop = end_of_word(s), *end = skip_blank(stop);
	return *end == '=' && end[1] != '=' && !strchr("<>!", stop[-1]);
}

static const char *word_text(bxt_deck *deck, const char *s, const char *end)
{
	const bool group = is_group(*s);
	const size_t length = (size_t)(end - s);
	char *text = bxt_arena_strndup(deck->arena, s + group,
				       length - (group ? (length > 1 ? 2 : 1) : 0));
	deck->failed = deck->failed || !text;
	return text ? text : "";
}

bxt_spice_words bxt_spice_split(bxt_deck *deck, const char *text)
{
	bxt_spice_words words = {0};
	size_t most = 1;
	for (const char *c = text; *c; c++)
		most += is_separator(*c) || *c == '=' || is_group(*c);
	words.word = BXT_NEW(deck->arena, const char *, most + 1);
	words.rest = "";
	deck->failed = deck->failed || !words.word;
	for (const char *s = text; *s && words.word;) {
		if (is_separator(*s) || *s == '=') {
			s++;
		} else if (is_assignment(s)) {
			words.rest = s;
			break;
		} else {
			const char *end = end_of_word(s);
			words.word[words.n++] = word_text(deck, s, end);
			s = end;
		}
	}
	return words;
}

void bxt_spice_list_add(bxt_deck *deck, bxt_spice_list *list, bxt_spice_assignment item)
{
	if (list->n == list->capacity) { /* in the arena, so that no call frees it */
		const size_t capacity = list->capacity ? 2 * list->capacity : 8;
		bxt_spice_assignment *items = BXT_NEW(deck->arena, bxt_spice_assignment, capacity);
		deck->failed = deck->failed || !items;
		if (!items)
			return;
		if (list->n)
			memcpy(items, list->items, list->n * sizeof *items);
		list->items = items;
		list->capacity = capacity;
	}
	list->items[list->n++] = item;
}

/* A value ends where the next assignment begins. */
static const char *end_of_value(const char *s)
{
	int depth = 0;
	for (char before = ' '; *s; before = s[-1]) {
		if (depth <= 0 && strchr(" \t,)}'\"", before) && is_assignment(s))
			return s;
		depth += (*s == '(') - (*s == ')');
		s = is_group(*s) ? skip_group(s) : s + 1;
	}
	return s;
}

static const char *value_text(bxt_deck *deck, const char *s, const char *end)
{
	s = skip_blank(s);
	while (end > s && (is_blank(end[-1]) || end[-1] == ','))
		end--;
	if (is_group(*s) && skip_group(s) == end)
		return word_text(deck, s, end);
	char *text = bxt_arena_strndup(deck->arena, s, (size_t)(end - s));
	deck->failed = deck->failed || !text;
	return text ? text : "";
}

void bxt_spice_assignments(bxt_deck *deck, const char *text, bxt_deck_line *line,
			   bxt_spice_list *list)
{
	const char *s = text;
	while (*s && !bxt_deck_is_over(deck)) {
		if (is_separator(*s)) {
			s++;
			continue;
		}
		const char *end = end_of_word(s);
		const char *equals = skip_blank(end);
		if (*equals != '=') {
			if (end == s)
				end++;
			bxt_spice_list_add(
				deck, list,
				(bxt_spice_assignment){
					bxt_spice_lower(deck->arena, s, (size_t)(end - s)), NULL,
					line});
			s = end;
			continue;
		}
		const char *stop = end_of_value(equals + 1);
		bxt_spice_list_add(
			deck, list,
			(bxt_spice_assignment){bxt_spice_lower(deck->arena, s, (size_t)(end - s)),
					       value_text(deck, equals + 1, stop), line});
		s = stop;
	}
}

const bxt_spice_assignment *bxt_spice_find(const bxt_spice_list *list, const char *name)
{
	for (size_t i = list->n; i-- > 0;)
		if (strcmp(list->items[i].name, name) == 0)
			return &list->items[i];
	return NULL;
}
