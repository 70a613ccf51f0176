/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names in files and on the command line may contain anything: escape sequences that a terminal
 * executes (ECMA-48: C0 and C1 controls), characters that reorder the text around them (Unicode
 * Standard Annex 9), invisible characters, bytes that are not UTF-8. The output has readable
 * escapes instead, which have no effect on a terminal.
 */
#include "ground/base/plain.h"

#include <stdlib.h>
#include <string.h>

size_t bxt_utf8_bytes(const char *text)
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
	const unsigned char *s = (const unsigned char *)text;
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

static unsigned code_of(const char *s, size_t bytes)
{
	unsigned code = (unsigned char)*s & (bytes == 1 ? 0x7Fu : 0xFFu >> (bytes + 1));
	for (size_t i = 1; i < bytes; i++)
		code = code << 6 | ((unsigned char)s[i] & 0x3Fu);
	return code;
}

/* Controls, and the Unicode characters that reorder, hide or tag text. */
static bool is_escaped(unsigned code)
{
	static const struct {
		unsigned first, last;
	} ranges[] = {
		{0x00, 0x08},       /* C0, up to the tab */
		{0x0B, 0x1F},       /* C0, from behind the line feed */
		{0x7F, 0x9F},       /* delete, C1 */
		{0x61C, 0x61C},     /* Arabic letter mark */
		{0x180E, 0x180E},   /* Mongolian vowel separator */
		{0x200B, 0x200F},   /* without width; marks of direction */
		{0x2028, 0x202E},   /* separators of lines; embeddings and overrides of direction */
		{0x2060, 0x206F},   /* invisible operators; isolates of direction */
		{0xFEFF, 0xFEFF},   /* byte order mark */
		{0xFFF9, 0xFFFB},   /* annotations */
		{0xE0000, 0xE0FFF}, /* tags */
	};
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

/* The length in bytes of the character at s if it can be printed as it is, else 0. */
static size_t plain_bytes(const char *s, bool lines)
{
	const size_t bytes = bxt_utf8_bytes(s);
	const unsigned code = bytes ? code_of(s, bytes) : 0;
	return bytes == 0 || is_escaped(code) || (code == '\n' && !lines) ? 0 : bytes;
}

bool bxt_plain_needs(const char *text, bool lines)
{
	for (size_t bytes; *text; text += bytes)
		if ((bytes = plain_bytes(text, lines)) == 0)
			return true;
	return false;
}

void bxt_plain_add(bxt_buffer *out, const char *text, bool lines)
{
	while (*text) {
		const size_t shown = plain_bytes(text, lines);
		if (shown > 0) {
			bxt_buffer_add(out, text, shown);
			text += shown;
			continue;
		}
		const size_t bytes = bxt_utf8_bytes(text);
		const unsigned code = bytes ? code_of(text, bytes) : 0;
		if (*text == '\n')
			bxt_buffer_add(out, "\\n", 2);
		else if (bytes <= 1)
			bxt_buffer_printf(out, "\\x%02X", (unsigned char)*text);
		else
			bxt_buffer_printf(out, code > 0xFFFF ? "\\U%08X" : "\\u%04X", code);
		text += bytes ? bytes : 1;
	}
}

FILE *bxt_plain_open(bxt_plain_stream *p, FILE *to)
{
	*p = (bxt_plain_stream){.to = to};
	return p->stream = open_memstream(&p->text, &p->size);
}

bxt_status bxt_plain_close(bxt_plain_stream *p, bxt_status status)
{
	const bool good = p->stream && fclose(p->stream) == 0;
	if (good && p->text)
		bxt_write_plain(p->text, p->to);
	free(p->text);
	*p = (bxt_plain_stream){0};
	return status != BXT_OK ? status : good ? BXT_OK : BXT_ERR_MEMORY;
}

void bxt_write_plain(const char *text, FILE *stream)
{
	bxt_buffer plain = {0};
	if (!text || !stream)
		return;
	while (*text) { /* piece by piece, so that nothing is lost if memory runs out */
		size_t length = 0, bytes;
		while (text[length] && (bytes = plain_bytes(text + length, true)) > 0)
			length += bytes;
		fwrite(text, 1, length, stream);
		text += length;
		if (!*text)
			break;
		const size_t escaped = bxt_utf8_bytes(text);
		char one[5] = "";
		memcpy(one, text, escaped ? escaped : 1);
		bxt_buffer_clear(&plain);
		bxt_plain_add(&plain, one, true);
		fputs(plain.failed ? "?" : plain.text, stream);
		text += escaped ? escaped : 1;
	}
	bxt_buffer_free(&plain);
}
