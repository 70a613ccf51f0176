/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes JSON (RFC 8259) to a stream. Members come in the order of the calls; commas, line ends and
 * escapes are added here. Numbers have the fewest digits that read as the same, and a decimal
 * point in any locale.
 * Infinite values and NaN, which JSON lacks, become null.
 */
#ifndef BXT_BASE_JSON_H
#define BXT_BASE_JSON_H

#include "ground/base/status.h"

#include <stdio.h>

/* The layout of the members of an object or array. */
typedef enum bxt_json_layout {
	BXT_JSON_INLINE,  /* on one line */
	BXT_JSON_LINES,   /* a line each, the bracket on a line of its own */
	BXT_JSON_HANGING, /* a line each, the bracket behind the last */
} bxt_json_layout;

enum { BXT_JSON_DEPTH = 16 };

/* Zero-initialise but for the stream. */
typedef struct bxt_json {
	FILE *stream;
	int depth; /* open brackets, at most BXT_JSON_DEPTH */
	struct {
		char close;
		bxt_json_layout layout;
		size_t count; /* of members so far */
	} open[BXT_JSON_DEPTH];
} bxt_json;

/* Below, key is the name of a member of an object; NULL for the root and in arrays. */
void bxt_json_object(bxt_json *json, const char *key, bxt_json_layout layout);
void bxt_json_array(bxt_json *json, const char *key, bxt_json_layout layout);
/* Closes the innermost open object or array. */
void bxt_json_close(bxt_json *json);

/* Bytes that are not UTF-8 become U+FFFD. */
void bxt_json_text(bxt_json *json, const char *key, const char *text);
void bxt_json_number(bxt_json *json, const char *key, double value);
void bxt_json_integer(bxt_json *json, const char *key, long long value);
void bxt_json_boolean(bxt_json *json, const char *key, bool value);

/* Ends the last line and flushes. BXT_ERR_IO when the stream has failed. */
bxt_status bxt_json_end(bxt_json *json);

#endif
