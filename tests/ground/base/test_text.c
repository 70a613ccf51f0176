/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names that are near, maps, numbers: each against what says it directly. */
#include "ground/base/text.h"
#include "support/harness.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* splitmix64: the same numbers on every machine. */
static uint64_t next(void)
{
	static uint64_t seed = 1;
	uint64_t z = seed += 0x9E3779B97F4A7C15u;
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

static int below(int n)
{
	return (int)(next() % (uint64_t)n);
}

/* ---- Names ---- */

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* 2 for a letter more or less, another one, or two that are exchanged; 1 for another case. */
static int edits(const char *a, const char *b)
{
	int d = 1000;
	if (!*a && !*b)
		return 0;
	if (*a)
		d = least(d, 2 + edits(a + 1, b));
	if (*b)
		d = least(d, 2 + edits(a, b + 1));
	if (*a && *b)
		d = least(d, (*a == *b ? 0 : (*a ^ *b) == 32 ? 1 : 2) + edits(a + 1, b + 1));
	if (*a && a[1] && *b && b[1] && *a == b[1] && a[1] == *b)
		d = least(d, 2 + edits(a + 2, b + 2));
	return d;
}

START_TEST(distances)
{
	enum { PAIRS = 3000, MOST = 6 };
	int near = 0;
	for (int k = 0; k < PAIRS; k++) {
		char a[MOST + 1] = "", b[MOST + 1] = "";
		const int n = 3 + below(MOST - 2), m = 3 + below(MOST - 2);
		for (int i = 0; i < n; i++)
			a[i] = "abcA"[below(4)];
		for (int i = 0; i < m; i++)
			b[i] = k % 2 && i < n && below(4) ? a[i] : "abcA"[below(4)];
		bxt_nearest_search s = {.name = a};
		bxt_nearest_offer(&s, b);
		const int d = edits(a, b);
		if (s.best) {
			near++;
			ck_assert_msg(s.distance == d, "%s, %s: %d is not %d", a, b, s.distance, d);
		} else { /* a letter in three may differ, and half of both */
			ck_assert_msg(d > 2 * ((n + 1) / 3) || 2 * d >= 2 * (n + m), "%s, %s", a,
				      b);
		}
	}
	ck_assert_int_gt(near, 300);
	static const char *const names[] = {"omega", "theta", "Omega", "voltage"};
	ck_assert_str_eq(bxt_nearest("omgea", names, 4), "omega"); /* exchanged */
	ck_assert_str_eq(bxt_nearest("oMega", names, 4), "omega"); /* the first of two */
	ck_assert_str_eq(bxt_nearest("voltag", names, 4), "voltage");
	ck_assert_ptr_null(bxt_nearest("current", names, 4));
}
END_TEST

/* ---- Maps ---- */

START_TEST(maps)
{
	enum { KEYS = 5000 };
	static char key[KEYS][16];
	bxt_map map = {0};
	ck_assert_int_eq(bxt_map_get(&map, "k"), -1);
	for (int i = 0; i < KEYS; i++) {
		snprintf(key[i], sizeof key[i], "k%d", i);
		ck_assert_int_eq(bxt_map_put(&map, key[i], 2 * i), BXT_OK);
		ck_assert_int_eq(bxt_map_put(&map, key[i / 2], i / 2), BXT_OK); /* again */
	}
	ck_assert_uint_eq(map.count, KEYS);
	for (int i = 0; i < KEYS; i++)
		ck_assert_int_eq(bxt_map_get(&map, key[i]), i < KEYS / 2 ? i : 2 * i);
	ck_assert_int_eq(bxt_map_get(&map, "k5000"), -1);
	bxt_map_free(&map);
}
END_TEST

/* ---- Numbers ---- */

START_TEST(numbers)
{
	char text[32];
	double value;
	for (int i = 0; i < 20000; i++) { /* every double is read as it was written */
		const uint64_t bits = next();
		double x;
		memcpy(&x, &bits, sizeof x);
		if (!isfinite(x))
			continue;
		bxt_format_number(text, x);
		ck_assert_uint_eq(bxt_read_number(text, strlen(text), &value), strlen(text));
		ck_assert_msg(memcmp(&x, &value, sizeof x) == 0, "%s", text);
	}
	ck_assert_uint_eq(bxt_read_number("1e400", 5, &value), 0);
	ck_assert_uint_eq(bxt_read_number("-1e400", 6, &value), 0);
	ck_assert_uint_eq(bxt_read_number("0x10", 4, &value), 1);
	ck_assert_uint_eq(bxt_read_number("1.5e", 4, &value), 3);
	ck_assert(value == 1.5);
	ck_assert_uint_eq(bxt_read_number("12345", 3, &value), 3);
	ck_assert(value == 123);
	ck_assert_uint_eq(bxt_read_number("nan", 3, &value), 0);
	ck_assert_uint_eq(bxt_read_number(".", 1, &value), 0);
	ck_assert_uint_eq(bxt_read_number("-.5", 3, &value), 3);
	ck_assert(value == -0.5);
}
END_TEST

TEST_SUITE("text")
{
	const test_case tests[] = {
		{"distances", distances},
		{"maps", maps},
		{"numbers", numbers},
	};
	ADD_TESTS(tests);
}
