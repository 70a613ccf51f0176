/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/base/json.h"

#include "ground/base/plain.h"

#include <math.h>
#include <string.h>

static void new_line(const bxt_json *j)
{
	fprintf(j->stream, "\n%*s", 2 * j->depth, "");
}

static void write_text(const char *text, FILE *f)
{
	const unsigned char *s = (const unsigned char *)text;
	fputc('"', f);
	while (*s) {
		const size_t bytes = bxt_utf8_bytes((const char *)s);
		if (bytes == 0)
			fputs("\\ufffd", f);
		else if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if (*s < 0x20 || *s == 0x7F)
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
