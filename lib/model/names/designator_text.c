/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Designators as texts: parses their parts and finds them in expressions. */
#include "model/names/path_end.h"

#include "model/netlist/edit.h"

#include <string.h>

const char *const bxt_call_words[BXT_CALL_COUNT] = {[BXT_CALL_NODE] = "node",
						    [BXT_CALL_ENERGY] = "energy",
						    [BXT_CALL_DISSIPATED] = "dissipated",
						    [BXT_CALL_SUPPLIED] = "supplied",
						    [BXT_CALL_POWER] = "power",
						    [BXT_CALL_DRIFT] = "drift",
						    [BXT_CALL_MOMENTUM] = "momentum",
						    [BXT_CALL_NOETHER] = "noether"};

static bxt_call call_of(bxt_span word)
{
	for (int c = 0; c < BXT_CALL_COUNT; c++)
		if (strlen(bxt_call_words[c]) == word.length &&
		    strncmp(bxt_call_words[c], word.at, word.length) == 0)
			return (bxt_call)c;
	return BXT_CALL_UNKNOWN;
}

/* Splits "plant.node" at its last dot; a dot at the start does not split and makes the word
 * unknown. */
static void cut_outer(bxt_name *name)
{
	size_t dot = name->word.length;
	while (dot > 0 && name->word.at[dot - 1] != '.')
		dot--;
	if (dot < 2)
		return;
	name->outer = (bxt_span){name->word.at, dot - 1};
	name->word.at += dot;
	name->word.length -= dot;
}

bxt_name bxt_name_parse(const char *text)
{
	const char *open = strchr(text, '('), *close = open ? strchr(open, ')') : NULL;
	bxt_name name = {.call = BXT_CALL_NONE, .path = {text, strlen(text)}};
	if (!open || !close) {
		name.fault = open                ? BXT_NAME_NO_CLOSE
			     : strchr(text, ')') ? BXT_NAME_NO_OPEN
						 : BXT_NAME_GOOD;
		return name;
	}
	name.word = (bxt_span){text, (size_t)(open - text)};
	name.path = (bxt_span){open + 1, (size_t)(close - open) - 1};
	name.rest = (bxt_span){close + 1, strlen(close + 1)};
	cut_outer(&name);
	name.call = call_of(name.word);
	const bool goes_on = name.rest.length > 1 && name.rest.at[0] == '.';
	if (name.call == BXT_CALL_UNKNOWN || (name.call == BXT_CALL_DRIFT && name.outer.length))
		name.fault = BXT_NAME_NO_WORD;
	else if (name.call == BXT_CALL_NODE)
		name.fault = goes_on ? BXT_NAME_GOOD : BXT_NAME_WHAT_OF;
	else
		name.fault = name.rest.length ? BXT_NAME_TOO_MUCH : BXT_NAME_GOOD;
	return name;
}

/* Removes `end` and the dot before it from a path, if the path ends so. */
static bool take_end(bxt_span *path, bxt_span end, bool *whole)
{
	const bxt_path_fit fit = bxt_path_fits(*path, end);
	*whole = path->length == end.length;
	if (fit == BXT_PATH_OTHER)
		return false;
	path->length = fit == BXT_PATH_WHOLE ? 0 : path->length - end.length - 1;
	return true;
}

bool bxt_name_is_end(const char *full, const char *written)
{
	bxt_name all = bxt_name_parse(full);
	const bxt_name end = bxt_name_parse(written);
	bool whole;
	if (all.fault || end.fault || all.call != end.call || all.outer.length ||
	    all.rest.length != end.rest.length ||
	    (all.rest.length && strcmp(all.rest.at, end.rest.at) != 0) ||
	    !take_end(&all.path, end.path, &whole))
		return false;
	if (end.outer.length && (whole || !take_end(&all.path, end.outer, &whole)))
		return false;
	return whole || end.call != BXT_CALL_NONE || memchr(end.path.at, '.', end.path.length);
}

/* ---- Expressions ---- */

static bool starts_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* A '-' is a minus in expressions. */
static bool in_word(char c)
{
	return starts_word(c) || (c >= '0' && c <= '9') || c == '.';
}

static size_t word_length(const char *text)
{
	size_t n = 0;
	while (in_word(text[n]))
		n++;
	return n;
}

/* The length of the call that begins with OUTER.WORD = text[0..n); 0: it is no call. */
static size_t call_length(const char *text, size_t n)
{
	const char *close = text[n] == '(' ? text + n + 1 + strcspn(text + n + 1, "()") : NULL;
	bxt_name name = {.word = {text, n}};
	if (!close || *close != ')')
		return 0;
	cut_outer(&name);
	const bxt_call call = call_of(name.word);
	if (call == BXT_CALL_UNKNOWN)
		return 0;
	if (call != BXT_CALL_NODE)
		return (size_t)(close + 1 - text);
	size_t rest = close[1] == '.' ? word_length(close + 1) : 0;
	while (rest > 0 && close[rest] == '.') /* trailing dots are not part of it */
		rest--;
	return rest > 0 ? (size_t)(close + 1 - text) + rest : 0;
}

size_t bxt_name_find_call(const char *expression, size_t *length)
{
	size_t i = 0;
	*length = 0;
	while (expression[i]) {
		const size_t n = word_length(expression + i);
		if (n > 0 && starts_word(expression[i]))
			*length = call_length(expression + i, n);
		if (*length > 0)
			return i;
		i += n > 0 ? n : 1;
	}
	return i;
}

const char *bxt_name_rename_expression(bxt_arena *arena, const char *text,
				       const char *(*word)(void *, const char *),
				       const char *(*call)(void *, const char *), void *context)
{
	bxt_buffer out = {0};
	bool failed = false;
	while (*text && !failed) {
		size_t length;
		const size_t before = bxt_name_find_call(text, &length);
		const char *piece = bxt_arena_strndup(arena, text, before);
		const char *written = bxt_arena_strndup(arena, text + before, length);
		const char *other =
			piece ? bxt_rename_in_expression(arena, piece, word, context) : NULL;
		const char *name = !written || !other ? NULL : length ? call(context, written) : "";
		if (name)
			bxt_buffer_printf(&out, "%s%s", other, name);
		failed = !name || out.failed;
		text += before + length;
	}
	const char *copy = failed ? NULL : bxt_arena_strdup(arena, out.length ? out.text : "");
	bxt_buffer_free(&out);
	return copy;
}
