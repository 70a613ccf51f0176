/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/component/unit_names.h"

#include "model/component/quantity.h"

#include <string.h>

const bxt_unit_prefix bxt_unit_prefixes[] = {
	/* "da" before "d": the longer one first */
	{"da", 1},     {"Y", 24},      {"Z", 21},     {"E", 18},      {"P", 15},      {"T", 12},
	{"G", 9},      {"M", 6},       {"k", 3},      {"h", 2},       {"d", -1},      {"c", -2},
	{"m", -3},     {"u", -6},      {"n", -9},     {"p", -12},     {"f", -15},     {"a", -18},
	{"z", -21},    {"y", -24},     {"yotta", 24}, {"zetta", 21},  {"exa", 18},    {"peta", 15},
	{"tera", 12},  {"giga", 9},    {"mega", 6},   {"kilo", 3},    {"hecto", 2},   {"deka", 1},
	{"deca", 1},   {"deci", -1},   {"centi", -2}, {"milli", -3},  {"micro", -6},  {"nano", -9},
	{"pico", -12}, {"femto", -15}, {"atto", -18}, {"zepto", -21}, {"yocto", -24}, {NULL, 0},
};

/* Names that UDUNITS lacks, or reads differently from engineering practice. */
const char *const bxt_unit_aliases[][2] = {
	{"deg", "arc_degree"},
	{"rev", "turn"},
	{"mho", "siemens"},
	{NULL, NULL},
};

/* Common characters beyond ASCII in units. The database itself contains "°C". */
static const char *const spellings[][2] = {
	{"\xC2\xB5", "u"},       /* micro sign */
	{"\xCE\xBC", "u"},       /* Greek mu */
	{"\xCE\xA9", "ohm"},     /* Greek Omega */
	{"\xE2\x84\xA6", "ohm"}, /* ohm sign */
	{"\xC2\xB7", "."},       /* middle dot */
	{"\xC2\xB2", "2"},       /* superscripts */
	{"\xC2\xB3", "3"},
};

void bxt_unit_respell(bxt_buffer *out, const char *text)
{
	bxt_buffer_clear(out);
	bxt_buffer_add(out, "", 0); /* never NULL */
	while (*text) {
		size_t i = 0;
		const size_t n = sizeof spellings / sizeof *spellings;
		while (i < n && strncmp(text, spellings[i][0], strlen(spellings[i][0])) != 0)
			i++;
		if (i < n) {
			bxt_buffer_add(out, spellings[i][1], strlen(spellings[i][1]));
			text += strlen(spellings[i][0]);
		} else {
			bxt_buffer_add(out, text++, 1);
		}
	}
}
