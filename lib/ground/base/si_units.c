/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/base/si_units.h"

#include <string.h>

static const char base[] = "kg\0m\0s\0A\0K\0mol\0cd"; /* as in base/dimension.c */

/* Powers of the base units kg, m, s, A, K, mol and cd. Hz is read but never written: a quantity in
 * 1/s need not be a frequency. */
static const struct {
	const char *name;
	signed char of[BXT_BASE_UNITS];
} named[] = {
	{"rad", {0}},           {"sr", {0}},
	{"Hz", {0, 0, -1}},     {"N", {1, 1, -2}},
	{"J", {1, 2, -2}},      {"W", {1, 2, -3}},
	{"Pa", {1, -1, -2}},    {"C", {0, 0, 1, 1}},
	{"V", {1, 2, -3, -1}},  {"ohm", {1, 2, -3, -2}},
	{"S", {-1, -2, 3, 2}},  {"F", {-1, -2, 4, 2}},
	{"Wb", {1, 2, -2, -1}}, {"H", {1, 2, -2, -2}},
	{"T", {1, 0, -2, -1}},
};
enum { NAMED = sizeof named / sizeof *named, FIRST_WRITTEN = 3 };

/* Products for dimensions without a name of their own, in the order in which they are tried. */
static const char *const composed[] = {
	"1/s",  "1/s2",  "m/s",  "m/s2",  "m2",      "m3",    "m2/s",  "m3/s",  "1/m",   "N.s",
	"N/m",  "N.s/m", "N/s",  "J.s",   "W/s",     "Pa.s",  "Pa/s",  "J/K",   "W/K",   "K/W",
	"K.s",  "K/s",   "V/s",  "A/s",   "V/m",     "A/m",   "V.s/m", "V2",    "A2",    "W2",
	"1/V",  "1/A",   "1/C",  "1/N",   "1/J",     "1/W",   "1/K",   "1/Pa",  "m/V",   "m/N",
	"kg/s", "kg.m2", "J/kg", "kg/m3", "Pa.s/m3", "m3/Pa", "V/K",   "ohm/s", "Pa/m3", "K/J",
};
enum { COMPOSED = sizeof composed / sizeof *composed };

/* ---- Reading ---- */

static bool add_symbol(const char *text, size_t length, int power, bxt_dimension *d)
{
	const char *unit = base;
	for (int k = 0; k < BXT_BASE_UNITS; k++, unit += strlen(unit) + 1)
		if (strlen(unit) == length && strncmp(unit, text, length) == 0) {
			d->of[k] += power * BXT_DIMENSION_ONE;
			return true;
		}
	for (int i = 0; i < NAMED; i++)
		if (strlen(named[i].name) == length && strncmp(named[i].name, text, length) == 0) {
			for (int k = 0; k < BXT_BASE_UNITS; k++)
				d->of[k] += named[i].of[k] * power * BXT_DIMENSION_ONE;
			return true;
		}
	return length == 1 && *text == '1';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The power after a symbol: "2", "-1", "^2", or nothing; *text moves past it. */
static int read_power(const char **text)
{
	const char *c = *text + (**text == '^');
	const int sign = *c == '-' ? -1 : 1;
	int power = 0;
	c += *c == '-';
	if (!is_digit(*c))
		return 1;
	while (is_digit(*c) && power < 100)
		power = 10 * power + (*c++ - '0');
	*text = c;
	return sign * power;
}

bool bxt_si_unit_read(const char *text, bxt_dimension *out)
{
	int sign = 1;
	*out = (bxt_dimension){{0}};
	if (!*text)
		return true;
	for (;;) {
		const size_t length = *text == '1' ? 1 : strcspn(text, "-^0123456789./ *");
		const char *symbol = text;
		text += length;
		const int power = read_power(&text);
		if (length == 0 || !add_symbol(symbol, length, sign * power, out))
			return false;
		if (!*text)
			return true;
		if (!strchr("./ *", *text))
			return false;
		sign = *text++ == '/' ? -1 : 1;
	}
}

/* ---- Writing ---- */

void bxt_si_unit_write(bxt_dimension d, char out[BXT_DIMENSION_TEXT])
{
	bxt_dimension of;
	for (int i = FIRST_WRITTEN; i < NAMED; i++)
		if (bxt_si_unit_read(named[i].name, &of) && bxt_dimension_equal(of, d)) {
			strcpy(out, named[i].name);
			return;
		}
	for (int i = 0; i < COMPOSED; i++)
		if (bxt_si_unit_read(composed[i], &of) && bxt_dimension_equal(of, d)) {
			strcpy(out, composed[i]);
			return;
		}
	bxt_dimension_write(d, out);
}
