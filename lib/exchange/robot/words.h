/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words with a meaning in a netlist or in a designator. No id may be one of them. */
#ifndef BXT_ROBOT_WORDS_H
#define BXT_ROBOT_WORDS_H

#include <stdbool.h>

bool bxt_import_is_word(const char *id);

#endif
