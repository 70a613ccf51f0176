/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

static void new_line(const bxt_json *j)
{
	fprintf(j->stream, "\n%*s", 2 * j->depth, "");
}

/*
 * The number of bytes of the UTF-8 character at s; 0 when it is not valid: overlong, a surrogate,
 * or beyond U+10FFFF (RFC 3629, section 4).
 */
static size_t character(const unsigned char *s)
{
	static const struct {
		unsigned char first, last; /* of the first byte */
		unsigned char from, to;    /* of the second one */
		size_t bytes;
	} forms[] = {{0x00, 0x7F, 0x00, 0xFF, 1}, {0xC2, 0xDF, 0x80, 0xBF, 2},
		     {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
		     {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
		     {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4},
		     {0xF4, 0xF4, 0x80, 0x8F, 4}};
	size_t f = 0;
	while (f < sizeof forms / sizeof *forms && (*s < forms[f].first || *s > forms[f].last))
		f++;
	if (f == sizeof forms / sizeof *forms)
		return 0;
	for (size_t i = 1; i < forms[f].bytes; i++)
		if (s[i] < (i == 1 ? forms[f].from : 0x80) || s[i] > (i == 1 ? forms[f].to : 0xBF))
			return 0;
	return forms[f].bytes;
}

static void write_text(const char *text, FILE *f)
{
	const unsigned char *s = (const unsigned char *)text;
	fputc('"', f);
	while (*s) {
		const size_t bytes = character(s);
		if (bytes == 0)
			fputs("\\ufffd", f);
		else if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if (*s < 0x20)
			fprintf(f, "\\u%04x", *s);
		else
			fwrite(s, 1, bytes, f);
		s += bytes ? bytes : 1;
	}
	fputc('"', f);
}

/* Writes the comma, line end, indentation and key before a member. */
static void begin(bxt_json *j, const char *key)
{
	if (j->depth > 0) {
		const bool lines = j->open[j->depth - 1].layout != BXT_JSON_INLINE;
		if (j->open[j->depth - 1].count++ > 0)
			fputs(lines ? "," : ", ", j->stream);
		if (lines)
			new_line(j);
	}
	if (key) {
		write_text(key, j->stream);
		fputs(": ", j->stream);
	}
}

static void open(bxt_json *j, const char *key, const char *brackets, bxt_json_layout layout)
{
	begin(j, key);
	fputc(brackets[0], j->stream);
	j->open[j->depth].close = brackets[1];
	j->open[j->depth].layout = layout;
	j->open[j->depth++].count = 0;
}

void bxt_json_object(bxt_json *j, const char *key, bxt_json_layout layout)
{
	open(j, key, "{}", layout);
}

void bxt_json_array(bxt_json *j, const char *key, bxt_json_layout layout)
{
	open(j, key, "[]", layout);
}

void bxt_json_close(bxt_json *j)
{
	j->depth--;
	if (j->open[j->depth].layout == BXT_JSON_LINES && j->open[j->depth].count > 0)
		new_line(j);
	fputc(j->open[j->depth].close, j->stream);
}

void bxt_json_text(bxt_json *j, const char *key, const char *text)
{
	begin(j, key);
	write_text(text, j->stream);
}

void bxt_json_number(bxt_json *j, const char *key, double value)
{
	char text[32];
	begin(j, key);
	bxt_format_number(text, value);
	fputs(isfinite(value) ? text : "null", j->stream);
}

void bxt_json_integer(bxt_json *j, const char *key, long long value)
{
	begin(j, key);
	fprintf(j->stream, "%lld", value);
}

void bxt_json_boolean(bxt_json *j, const char *key, bool value)
{
	begin(j, key);
	fputs(value ? "true" : "false", j->stream);
}

bxt_status bxt_json_end(bxt_json *j)
{
	fputc('\n', j->stream);
	return bxt_stream_status(j->stream);
}
