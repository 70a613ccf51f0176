/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes expressions as TeX. */
#ifndef BXT_REPORT_TEX_H
#define BXT_REPORT_TEX_H

#include "ground/base/text.h"

/*
 * Appends the TeX of an expression: quotients as fractions, powers raised, Greek names as letters,
 * "b.x" as x with the index b. A text that is no expression is appended unchanged in typewriter
 * type.
 */
void bxt_tex_add(bxt_buffer *out, const char *expression);

#endif
