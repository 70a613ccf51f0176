/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/base/dimension.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const base[BXT_BASE_UNITS] = {"kg", "m", "s", "A", "K", "mol", "cd"};

bxt_dimension bxt_dimension_read(const char *text)
{
	bxt_dimension d = {{0}};
	while (*text) {
		const size_t name = strcspn(text, "-0123456789. "),
			     rest = strspn(text + name, "-0123456789");
		const int power = rest > 0 ? (int)strtol(text + name, NULL, 10) : 1;
		for (int k = 0; k < BXT_BASE_UNITS; k++)
			if (strlen(base[k]) == name && strncmp(text, base[k], name) == 0)
				d.of[k] += power * BXT_DIMENSION_ONE;
		text += name + rest;
		text += strspn(text, ". ");
	}
	return d;
}

void bxt_dimension_write(bxt_dimension d, char out[BXT_DIMENSION_TEXT])
{
	size_t n = 0;
	for (int k = 0; k < BXT_BASE_UNITS; k++) {
		const int whole = d.of[k] / BXT_DIMENSION_ONE;
		const char *dot = n > 0 ? "." : "";
		if (d.of[k] == 0)
			continue;
		n += (size_t)(whole * BXT_DIMENSION_ONE != d.of[k]
				      ? sprintf(out + n, "%s%s^(%d/%d)", dot, base[k], d.of[k],
						BXT_DIMENSION_ONE)
			      : whole == 1 ? sprintf(out + n, "%s%s", dot, base[k])
					   : sprintf(out + n, "%s%s%d", dot, base[k], whole));
	}
	if (n == 0)
		strcpy(out, "1");
}

bool bxt_dimension_equal(bxt_dimension a, bxt_dimension b)
{
	return memcmp(a.of, b.of, sizeof a.of) == 0;
}

bool bxt_dimension_is_number(bxt_dimension d)
{
	return bxt_dimension_equal(d, (bxt_dimension){{0}});
}

bxt_dimension bxt_dimension_times(bxt_dimension a, bxt_dimension b, int power)
{
	for (int k = 0; k < BXT_BASE_UNITS; k++)
		a.of[k] += b.of[k] * power;
	return a;
}
