/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions as TeX. */
#ifndef BXT_REPORT_TEX_H
#define BXT_REPORT_TEX_H

#include "ground/base/text.h"

/*
 * Appends the TeX of an expression: quotients as fractions, powers raised, Greek names as letters,
 * "b.x" as x with the index b. What is no expression is appended verbatim, in typewriter letters.
 */
void bxt_tex_add(bxt_buffer *out, const char *expression);

#endif
