/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words that mean something in a netlist or in a designator: no id is one. */
#ifndef BXT_ROBOT_WORDS_H
#define BXT_ROBOT_WORDS_H

#include <stdbool.h>

bool bxt_import_is_word(const char *id);

#endif
