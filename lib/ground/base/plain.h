/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes text of any origin safe to print: characters that a terminal would execute are written as
 * escapes. */
#ifndef BXT_BASE_PLAIN_H
#define BXT_BASE_PLAIN_H

#include "ground/base/text.h"

/*
 * The number of bytes of the UTF-8 character at s; 0 when it is not valid: overlong, a surrogate,
 * or beyond U+10FFFF (RFC 3629, section 4). Reads no further than the byte that is wrong.
 */
size_t bxt_utf8_bytes(const char *s);
/* Does the text hold something that bxt_plain_add would escape? */
bool bxt_plain_needs(const char *text, bool lines);
/*
 * Appends the text to the buffer. A control character becomes \x1B, a character that reorders or
 * hides text \u202E, a byte that is not UTF-8 \xFF. With `lines` line feeds stay, else they become
 * \n; tabs stay.
 */
void bxt_plain_add(bxt_buffer *out, const char *text, bool lines);

/*
 * A stream to write to in place of `to`. bxt_plain_close writes its content to `to` as plain text,
 * line feeds kept. NULL when out of memory.
 */
typedef struct bxt_plain_stream {
	FILE *stream, *to;
	char *text;
	size_t size;
} bxt_plain_stream;
FILE *bxt_plain_open(bxt_plain_stream *p, FILE *to);
/* Returns `status`, or a failure of its own: BXT_ERR_MEMORY, BXT_ERR_IO. */
bxt_status bxt_plain_close(bxt_plain_stream *p, bxt_status status);

#endif
