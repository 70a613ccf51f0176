/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text of any origin in HTML. */
#ifndef BXT_TOOL_HTML_H
#define BXT_TOOL_HTML_H

#include <stdbool.h>
#include <stdio.h>

/* Writes text plain (bxt_write_plain), with entities for what HTML would obey. NULL is "". */
void html_text(const char *text, FILE *f);
/* Writes text plain as a string of JSON that may stand in a <script>: no < is in it. */
void html_json(const char *text, FILE *f);
/* A number that nobody who writes a model can know, for the policy of a page. False after a
 * message. */
enum { HTML_NONCE = 33 };
bool html_nonce(char nonce[HTML_NONCE]);
/* Writes what stands in an SVG file from its <svg> on; its texts are escaped already. */
void html_svg(FILE *picture, FILE *f);

#endif
