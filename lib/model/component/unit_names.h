/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common notations of units: prefixes, other names, characters beyond ASCII. */
#ifndef BXT_COMPONENT_UNIT_NAMES_H
#define BXT_COMPONENT_UNIT_NAMES_H

#include "ground/base/text.h"

/* The text with characters of other alphabets in ASCII: "kohm" for a Greek Omega behind k. */
void bxt_unit_respell(bxt_buffer *out, const char *text);

#endif
