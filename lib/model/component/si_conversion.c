/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/component/si_conversion.h"

#include "ground/base/si_units.h"
#include "model/component/quantity.h"

#include <ctype.h>
#include <string.h>

/*
 * Is the text a product of coherent units of SI, or one of them with a prefix? Texts that the
 * database may read differently or not at all are excluded: powers of two digits, a number between
 * names. A test compares all prefixes with the database.
 */
static bool read_si(const char *text, bxt_dimension *dimension, int *exponent)
{
	*exponent = 0;
	if (*text == '1' && text[1] && text[1] != '/')
		return false;
	for (const char *c = text; *c; c++)
		if (strchr("0^*(\t\n\r", *c) ||
		    (strchr("./ ", *c) && !isalpha((unsigned char)c[1])) ||
		    (isdigit((unsigned char)*c) && isdigit((unsigned char)c[1])))
			return false;
	if (bxt_si_unit_read(text, dimension))
		return true;
	if (text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")])
		return false;
	/* prefixes that are words are left to the database: "microN" is one micron there */
	for (const bxt_unit_prefix *p = bxt_unit_prefixes; p->text; p++) {
		const size_t length = strlen(p->text);
		if (length <= 2 && strncmp(text, p->text, length) == 0 && text[length] &&
		    bxt_si_unit_read(text + length, dimension)) {
			*exponent = p->exponent;
			return true;
		}
	}
	return false;
}

/* Angles are numbers, except beside frequencies, which count cycles. */
static bool has_angle_and_cycle(const char *given, const char *expected)
{
	const bool cycle = strstr(given, "Hz") || strstr(expected, "Hz");
	return cycle && (strstr(given, "rad") || strstr(expected, "rad") || strstr(given, "sr") ||
			 strstr(expected, "sr"));
}

bool bxt_si_conversion(const char *given, const char *expected, bxt_dimension *from,
		       bxt_dimension *to, int *exponent)
{
	int of_expected;
	return read_si(given, from, exponent) && read_si(expected, to, &of_expected) &&
	       !has_angle_and_cycle(given, expected);
}
