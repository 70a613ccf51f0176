/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shortest decimal numbers, against the C library's and against long arithmetic. */
#include "ground/base/shortest.h"

#include "ground/base/text.h"
#include "support/runner.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The table, by long arithmetic ---- */

enum { WORDS = 80 }; /* of 32 bits, the lowest first */

static void times_ten(uint32_t *x)
{
	uint64_t carry = 0;
	for (int i = 0; i < WORDS; i++) {
		carry += (uint64_t)x[i] * 10;
		x[i] = (uint32_t)carry;
		carry >>= 32;
	}
	ck_assert_uint_eq(carry, 0);
}

static void by_ten(uint32_t *x)
{
	uint64_t rest = 0;
	for (int i = WORDS; i-- > 0;) {
		rest = rest << 32 | x[i];
		x[i] = (uint32_t)(rest / 10);
		rest %= 10;
	}
}

static int length(const uint32_t *x)
{
	for (int i = WORDS; i-- > 0;)
		for (int bit = 32; bit-- > 0;)
			if (x[i] >> bit & 1)
				return 32 * i + bit + 1;
	return 0;
}

static int bit(const uint32_t *x, int i)
{
	return i >= 0 && (x[i / 32] >> i % 32 & 1);
}

/* The first 128 bits, and 1. */
static void compare(const uint32_t *x, int k)
{
	const uint64_t *g = bxt_powers_of_ten[k - BXT_POWER_FIRST];
	const int n = length(x);
	uint64_t high = 0, low = 0;
	for (int i = 1; i <= 128; i++) {
		high = high << 1 | low >> 63;
		low = low << 1 | (uint64_t)bit(x, n - i);
	}
	high += ++low == 0;
	ck_assert_uint_eq(g[0], high);
	ck_assert_uint_eq(g[1], low);
}

START_TEST(table)
{
	uint32_t up[WORDS] = {1}, down[WORDS] = {0};
	down[WORDS - 1] = 1; /* 2^2528 / 10^292 has some 1558 bits left */
	for (int k = 0; k <= BXT_POWER_LAST; k++, times_ten(up))
		compare(up, k);
	for (int k = -1; k >= BXT_POWER_FIRST; k--) {
		by_ten(down);
		compare(down, k);
	}
}
END_TEST

/* ---- Numbers ---- */

/* The digits of a number without sign, point, exponent and zeros around: how many. */
static int count_digits(const char *s)
{
	int n = 0, zeros = 0;
	for (; *s && *s != 'e'; s++) {
		if (*s < '0' || *s > '9')
			continue;
		zeros = *s == '0' ? zeros + (n > 0) : 0;
		n += *s != '0' || n > 0;
	}
	return n - zeros;
}

static void check_number(double value)
{
	char text[32], other[64];
	int digits = 0;
	bxt_format_number(text, value);
	ck_assert_msg(strlen(text) < 26, "%s", text);
	const double read = strtod(text, NULL);
	ck_assert_msg(memcmp(&read, &value, sizeof read) == 0, "%s is not %.17g", text, value);
	for (double same = NAN; same != value; digits++) {
		snprintf(other, sizeof other, "%.*e", digits, value);
		same = strtod(other, NULL);
	}
	ck_assert_msg(count_digits(text) <= count_digits(other), "%s is longer than %s", text,
		      other);
	if (count_digits(text) == count_digits(other)) { /* the nearest of these */
		const long double off = fabsl(strtold(text, NULL) - value);
		ck_assert_msg(off <= fabsl(strtold(other, NULL) - value), "%s, not %s", text,
			      other);
		snprintf(other, sizeof other, "%.*g", count_digits(other), value);
		snprintf(other, sizeof other, "%.17g", strtod(other, NULL));
		/* where 17 digits need no rounding, the notation is that of the C library */
		if (count_digits(other) == count_digits(text))
			ck_assert_str_eq(text, other);
	}
}

START_TEST(random_numbers)
{
	uint64_t seed = 1;
	for (int i = 0; i < 200000; i++) {
		double value;
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		const uint64_t bits = seed ^ seed >> 29;
		memcpy(&value, &bits, sizeof value);
		if (isfinite(value))
			check_number(value);
		check_number((double)(seed >> 40) / 1000); /* of few digits */
		check_number(ldexp((double)(seed >> 11), -60));
	}
}
END_TEST

START_TEST(edges)
{
	static const double value[] = {0.0,         -0.0,
				       1,           -1,
				       0.1,         1e22,
				       1e23,        5e-324,
				       1e-5,        1e-4,
				       1e16,        1e17,
				       DBL_MAX,     DBL_MIN,
				       DBL_EPSILON, 2.5e-8,
				       1.7e308,     1 / 3.0,
				       123456.0,    99999999999999999.0,
				       1e-308,      9007199254740993.0,
				       4.35,        0.5,
				       1e15};
	for (size_t i = 0; i < sizeof value / sizeof *value; i++)
		if (value[i] != 0)
			check_number(value[i]);
	for (int k = -1074; k < 1024; k++) { /* neighbours below are nearer */
		check_number(ldexp(1, k));
		check_number(nextafter(ldexp(1, k), 0) > 0 ? nextafter(ldexp(1, k), 0) : 1);
		check_number(nextafter(ldexp(1, k), INFINITY));
	}
}
END_TEST

START_TEST(notation)
{
	static const struct {
		double value;
		const char *text;
	} given[] = {{0, "0"},
		     {-0.0, "-0"},
		     {0.1, "0.1"},
		     {-2.5, "-2.5"},
		     {1e16, "10000000000000000"},
		     {1e17, "1e+17"},
		     {1e-4, "0.0001"},
		     {1.25e-5, "1.25e-05"},
		     {1e100, "1e+100"},
		     {5e-324, "5e-324"},
		     {INFINITY, "inf"},
		     {-INFINITY, "-inf"},
		     {NAN, "nan"}};
	char text[32];
	for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
		bxt_format_number(text, given[i].value);
		ck_assert_str_eq(text, given[i].text);
	}
}
END_TEST

TEST_SUITE("shortest")
{
	const test_case tests[] = {
		{"table", table},
		{"random numbers", random_numbers},
		{"edges", edges},
		{"notation", notation},
	};
	ADD_TESTS(tests);
}
