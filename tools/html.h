/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text of any origin in HTML. */
#ifndef BXT_TOOL_HTML_H
#define BXT_TOOL_HTML_H

#include <stdio.h>

/* Writes text plain (bxt_write_plain), with entities for what HTML would obey. NULL is "". */
void html_text(const char *text, FILE *f);
/* Writes text plain as a string of JSON that may stand in a <script>: no < is in it. */
void html_json(const char *text, FILE *f);
/* Writes what stands in an SVG file from its <svg> on; its texts are escaped already. */
void html_svg(FILE *picture, FILE *f);

#endif
