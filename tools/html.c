/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "html.h"

#include "tool.h"

#include <stdlib.h>
#include <string.h>

/* The text plain, heap memory; NULL when out of memory. */
static char *plain(const char *text)
{
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);
	if (!f)
		return NULL;
	bxt_write_plain(text ? text : "", f);
	if (fclose(f) == 0)
		return out;
	free(out);
	return NULL;
}

void html_text(const char *text, FILE *f)
{
	char *s = plain(text);
	for (const char *c = s; c && *c; c++)
		switch (*c) {
		case '&':
			fputs("&amp;", f);
			break;
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		case '\'':
			fputs("&#39;", f);
			break;
		default:
			fputc(*c, f);
		}
	free(s);
}

void html_json(const char *text, FILE *f)
{
	char *s = plain(text);
	fputc('"', f);
	for (const char *c = s; c && *c; c++)
		if (strchr("\"\\<>&", *c) || (unsigned char)*c < 0x20)
			fprintf(f, "\\u%04x", (unsigned)(unsigned char)*c);
		else
			fputc(*c, f);
	fputc('"', f);
	free(s);
}

bool html_nonce(char nonce[HTML_NONCE])
{
	unsigned char bytes[HTML_NONCE / 2];
	FILE *f = fopen("/dev/urandom", "rb");
	const bool good = f && fread(bytes, 1, sizeof bytes, f) == sizeof bytes;
	for (size_t i = 0; good && i < sizeof bytes; i++)
		sprintf(nonce + 2 * i, "%02x", bytes[i]);
	if (f)
		fclose(f);
	if (!good)
		fputs("boxtimes: no random number for the page\n", stderr);
	return good;
}

void html_svg(FILE *picture, FILE *f)
{
	char *line = NULL;
	size_t room = 0;
	bool inside = false;
	while (getline(&line, &room, picture) >= 0) {
		const char *start = inside ? line : strstr(line, "<svg");
		inside = inside || start;
		if (start)
			fputs(start, f);
	}
	free(line);
}
