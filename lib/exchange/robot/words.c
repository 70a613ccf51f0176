/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exchange/robot/words.h"

#include <stddef.h>
#include <string.h>

bool bxt_import_is_word(const char *id)
{
	static const char *const words[] = {"id",     "href",   "name",       "xmlns",    "t",
					    "h",      "pi",     "if",         "wall",     "node",
					    "energy", "time",   "dissipated", "supplied", "power",
					    "drift",  "charge", "momentum",   "noether",  "g"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(id, words[i]) == 0)
			return true;
	return false;
}
