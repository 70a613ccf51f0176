/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values that settings take, with a line on each: bxt_setting_values. */
#ifndef BXT_INITIAL_SETTING_VALUES_H
#define BXT_INITIAL_SETTING_VALUES_H

#include "boxtimes_reference.h"

/* The settings whose values have names, the end marked by NULL. */
extern const char *const bxt_setting_names[];

#endif
