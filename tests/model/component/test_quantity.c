/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantities: the traps of units, and that decimal prefixes are exact. */
#include "boxtimes.h"
#include "model/component/component.h"
#include "support/runner.h"

#include <check.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <udunits2.h>

static bxt_units *units;

/* Exact: the very double that the compiler makes of the literal. */
static const struct {
	const char *text, *expected;
	double value;
} exact[] = {
	{"1", "V", 1},
	{" -2.5e-3 ", "", -2.5e-3},
	{"+.5", "V", .5},
	{"5.", "V", 5},
	{"7 1", "", 7},
	{"10 uF", "F", 1e-05}, /* UDUNITS: 9.9999999999999991e-06 */
	{"10uF", "F", 1e-05},
	{"10 \xC2\xB5"
	 "F",
	 "F", 1e-05},
	{"10 \xCE\xBC"
	 "F",
	 "F", 1e-05},
	{"10 microfarad", "F", 1e-05},
	{"4.7 kohm", "ohm", 4.7e3},
	{"4.7 k\xCE\xA9", "ohm", 4.7e3},
	{"4.7 k\xE2\x84\xA6", "ohm", 4.7e3},
	{"4.7 kOhm", "ohm", 4.7e3},
	{"3.3 Mohm", "ohm", 3.3e6},
	{"3.3 mohm", "ohm", 3.3e-3},
	{"2.2 V/A", "ohm", 2.2},
	{"100 nF", "F", 1e-7},
	{"33 pF", "F", 33e-12},
	{"0.1 mH", "H", 1e-4},
	{"25.85 mV", "V", 25.85e-3},
	{"1.1e2 mV", "V", 1.1e-1},
	{"1.1E-2 mV", "V", 1.1e-5},
	{"1e-14 A", "A", 1e-14},
	{"0.3 fA", "A", 3e-16},
	{"9.1 kilovolts", "V", 9.1e3},
	{"0.7 us", "s", 7e-7},
	{"3 min", "s", 180},
	{"1 h", "s", 3600},
	{"2 d", "s", 172800},
	{"1.3 kHz", "Hz", 1.3e3},
	{"1.3 kHz", "1/s", 1.3e3},
	{"3 s-1", "Hz", 3},
	{"3 s^-1", "Hz", 3},
	{"3 1/s", "Hz", 3},
	{"0.3 mho", "S", .3},
	{"0.3 mmho", "S", .3e-3},
	{"1.7 1/kohm", "S", 1.7e-3},
	{"5 mg", "kg", 5e-6},
	{"5 kg", "kg", 5},
	{"0.3 mm2", "m2", .3e-6},
	{"0.3 mm\xC2\xB2", "m2", .3e-6},
	{"0.3 (mm)^2", "m2", .3e-6},
	{"3.1 V/us", "V/s", 3.1e6},
	{"3.1 m/(ms.ms)", "m/s2", 3.1e6},
	{"0.7 L", "m3", .7e-3},
	{"0.7 mbar", "Pa", 70},
	{"0.7 Pa", "Pa", .7},
	{"0.7 g.cm2", "kg.m2", .7e-7},
	{"0.7 kg m2", "kg.m2", .7},
	{"0.7 kg*m^2", "kg.m2", .7},
	{"0.7 N\xC2\xB7m", "N.m", .7},
	{"0.7 mV.s/rad", "V.s/rad", .7e-3},
	{"0.7 V.s", "V.s/rad", .7}, /* the radian is a number */
	{"0.7 Wb", "V.s", .7},
	{"0.7 rad", "", .7},
	{"0.7 rad/s", "1/s", .7},
	{"30 %", "", .3},
	{"1 ft", "m", .3048},
	{"2 mV", "uV", 2e-3}, /* values are in coherent units */
	{"36 km/h", "km/h", 10},
	{"36", "km/h", 10},
	{"10 m/s", "km/h", 10},
	{"60", "rpm", 6.283185307179586476925},
	{"5", "g", 5e-3},
	{"5 kg", "g", 5},
	{"2.5", "bar", 2.5e5},
	{"30", "%", .3},
	{"12", "mm", 12e-3},
	{"5", "Hz", 5},
	{"1 rev", "rad", 6.283185307179586476925},
	{"0 degC", "K", 273.15},
	{"25 celsius", "K", 298.15},
	{"1e308 mV", "V", 1e305},
};

START_TEST(exact_values)
{
	double value = NAN;
	const bxt_quantity_error e =
		bxt_quantity_read(units, exact[_i].text, exact[_i].expected, &value);
	ck_assert_msg(e == BXT_QUANTITY_OK, "%s: error %d", exact[_i].text, (int)e);
	ck_assert_msg(value == exact[_i].value, "%s: %.17g", exact[_i].text, value);
	/* and again out of the cache */
	ck_assert_int_eq(bxt_quantity_read(units, exact[_i].text, exact[_i].expected, &value),
			 BXT_QUANTITY_OK);
	ck_assert(value == exact[_i].value);
}
END_TEST

/* Where a factor with its own rounding enters: two roundings, so 4 ulp are ample. */
static const struct {
	const char *text, *expected;
	double value;
} near[] = {
	{"30 deg", "rad", 0.523598775598298873},
	{"180 degree", "rad", 3.14159265358979324},
	{"30 \xC2\xB0", "rad", 0.523598775598298873},
	{"1 mdeg", "rad", 1.74532925199432958e-5},
	{"2 deg/s", "rad/s", 0.0349065850398865915},
	{"60 rpm", "rad/s", 6.28318530717958648},
	{"2 mV.s/deg", "V.s/rad", 0.114591559026164642},
	{"77 degF", "K", 298.15},
	{"20 \xC2\xB0"
	 "C",
	 "K", 293.15},
};

START_TEST(rounded_values)
{
	double value = NAN;
	ck_assert_int_eq(bxt_quantity_read(units, near[_i].text, near[_i].expected, &value),
			 BXT_QUANTITY_OK);
	ck_assert_msg(fabs(value / near[_i].value - 1) <= 9e-16, "%s: %.17g", near[_i].text, value);
}
END_TEST

static const struct {
	const char *text, *expected;
	bxt_quantity_error error;
} refused[] = {
	{"", "V", BXT_QUANTITY_NO_NUMBER},
	{"V", "V", BXT_QUANTITY_NO_NUMBER},
	{"inf", "V", BXT_QUANTITY_NO_NUMBER},
	{"nan V", "V", BXT_QUANTITY_NO_NUMBER},
	{"- 1 V", "V", BXT_QUANTITY_NO_NUMBER},
	{"1e400", "V", BXT_QUANTITY_NO_NUMBER},
	{"1e307 kV", "V", BXT_QUANTITY_NO_NUMBER}, /* overflows by its unit */
	{"1e305 h", "us", BXT_QUANTITY_NO_NUMBER},
	{"=2*R", "ohm", BXT_QUANTITY_NO_NUMBER},
	{"0x10", "", BXT_QUANTITY_BAD_UNIT},
	{"2-3 V", "V", BXT_QUANTITY_BAD_UNIT}, /* UDUNITS: 0.125 V */
	{"2 3 V", "V", BXT_QUANTITY_BAD_UNIT},
	{"1,5 V", "V", BXT_QUANTITY_BAD_UNIT},
	{"1 2", "", BXT_QUANTITY_BAD_UNIT},
	{"5 m 3", "m", BXT_QUANTITY_BAD_UNIT},
	{"5 10m", "m", BXT_QUANTITY_BAD_UNIT},
	{"1 v", "V", BXT_QUANTITY_BAD_UNIT},
	{"1 volz", "V", BXT_QUANTITY_BAD_UNIT},
	{"1 k", "ohm", BXT_QUANTITY_BAD_UNIT},
	{"1 (m", "m", BXT_QUANTITY_BAD_UNIT},
	{"1 m)", "m", BXT_QUANTITY_BAD_UNIT},
	{"1 ()", "m", BXT_QUANTITY_BAD_UNIT},
	{"1 m.", "m", BXT_QUANTITY_BAD_UNIT},
	{"1 m^", "m", BXT_QUANTITY_BAD_UNIT},
	{"1 m^0", "m", BXT_QUANTITY_BAD_UNIT},
	{"1 m99999999999", "m", BXT_QUANTITY_BAD_UNIT},
	{"1 ((((((((((((((((((m))))))))))))))))))", "m", BXT_QUANTITY_BAD_UNIT},
	{"3 V since now", "V", BXT_QUANTITY_BAD_UNIT},
	{"3 lg(re V)", "V", BXT_QUANTITY_BAD_UNIT},
	{"1 J/degC", "J/K", BXT_QUANTITY_BAD_UNIT},
	{"1 degC2", "K2", BXT_QUANTITY_BAD_UNIT},
	{"1 mdegC", "K", BXT_QUANTITY_BAD_UNIT},
	{"1 K", "degC", BXT_QUANTITY_WRONG_UNIT},
	{"50 Hz", "s", BXT_QUANTITY_WRONG_UNIT}, /* UDUNITS: 0.02 s */
	{"2 S", "ohm", BXT_QUANTITY_WRONG_UNIT}, /* UDUNITS: 0.5 ohm */
	{"2 mho", "ohm", BXT_QUANTITY_WRONG_UNIT},
	{"1 V", "A", BXT_QUANTITY_WRONG_UNIT},
	{"1 V", "", BXT_QUANTITY_WRONG_UNIT},
	{"1 m", "ohm", BXT_QUANTITY_WRONG_UNIT},
	{"10 u", "F", BXT_QUANTITY_WRONG_UNIT}, /* an atomic mass */
	{"50 Hz", "rad/s", BXT_QUANTITY_WRONG_UNIT},
	{"60 rpm", "Hz", BXT_QUANTITY_WRONG_UNIT},
	{"5 BZ", "", BXT_QUANTITY_WRONG_UNIT}, /* a logarithm */
};

START_TEST(refused_values)
{
	double value;
	const bxt_quantity_error e =
		bxt_quantity_read(units, refused[_i].text, refused[_i].expected, &value);
	ck_assert_msg(e == refused[_i].error, "%s: %d", refused[_i].text, (int)e);
	ck_assert_int_eq(bxt_quantity_read(units, refused[_i].text, refused[_i].expected, &value),
			 refused[_i].error);
}
END_TEST

/* Has a times b the dimension of c? 1, 0, or -1 when one is unknown; "" and "1" are numbers. */
static int product(const char *a, const char *b, const char *c)
{
	char text[128];
	const bool has_a = *a && strcmp(a, "1") != 0, has_b = *b && strcmp(b, "1") != 0;
	if (has_a && has_b)
		snprintf(text, sizeof text, "(%s).(%s)", a, b);
	return bxt_units_same_dimension(units, has_a && has_b ? text : has_a ? a : b, c);
}

/* Every kind's effort times flow is a power; its flow is its coordinate per second. */
START_TEST(kinds_of_ports)
{
	ck_assert_int_eq(bxt_port_kind_count, 8);
	for (int i = 0; i < bxt_port_kind_count; i++) {
		const bxt_port_kind *k = &bxt_port_kinds[i];
		ck_assert_ptr_eq(bxt_port_kind_find(k->name), k);
		ck_assert_str_eq(k->ground, k->type == BXT_PORT_BALANCE ? "0" : "wall");
		for (int j = 0; j < k->n; j++) {
			ck_assert_int_eq(product(k->effort_unit[j], k->flow_unit[j], "W"), 1);
			ck_assert_int_eq(product(k->coordinate_unit[j], "s-1", k->flow_unit[j]), 1);
		}
	}
	ck_assert_ptr_null(bxt_port_kind_find("electric"));
}
END_TEST

START_TEST(dimensions)
{
	ck_assert_int_eq(bxt_units_same_dimension(units, "kg.m2", "N.m.s2"), 1);
	ck_assert_int_eq(bxt_units_same_dimension(units, "S", "ohm"), 0);
	ck_assert_int_eq(bxt_units_same_dimension(units, "S", "ohmm"), -1);
	ck_assert_int_eq(bxt_units_same_dimension(units, "", "1"), 1);
	ck_assert_int_eq(product("", "V", "V"), 1);
	ck_assert_int_eq(product("V", "1", "V"), 1);
	ck_assert_int_eq(product("V/s", "m/kg", "V.m/(s.kg)"), 1);
	ck_assert_int_eq(product("V", "A", "J"), 0);
	ck_assert_int_eq(product("K", "W", "W"), 0);
	ck_assert_int_eq(product("V", "Axx", "J"), -1);
}
END_TEST

static int handled(const char *format, va_list arguments)
{
	(void)format, (void)arguments;
	return 0;
}

/* The host's error handler of UDUNITS, which is global, is as it was. */
START_TEST(handler_is_restored)
{
	const ut_error_message_handler before = ut_set_error_message_handler(handled);
	bxt_units *other = bxt_units_new();
	double value;
	bxt_quantity_read(other, "1 nonsense", "V", &value);
	bxt_units_free(other);
	ck_assert_ptr_eq((void *)(size_t)ut_set_error_message_handler(before),
			 (void *)(size_t)handled);
}
END_TEST

START_TEST(locale_with_comma)
{
	if (!setlocale(LC_ALL, "de_DE.UTF-8"))
		return; /* not installed */
	double value;
	ck_assert_int_eq(bxt_quantity_read(units, "4.7 kohm", "ohm", &value), BXT_QUANTITY_OK);
	ck_assert(value == 4700);
	setlocale(LC_ALL, "C");
}
END_TEST

#define ROWS(table) ((int)(sizeof(table) / sizeof *(table)))

/* By the public call, with what is wrong in words. */
START_TEST(told)
{
	static const struct {
		const char *text, *unit, *finding;
	} bad[] = {
		{"3 kg", "s", "end: '3 kg' has the wrong unit; expected 's'"},
		{"3 parsnips", "s", "end: the unit of '3 parsnips' is not known; expected 's'"},
		{"soon", "s", "end: 'soon' is not a finite number with a unit of dimension 's'"},
		{"4k7", "ohm",
		 "end: the unit of '4k7' is not known; expected 'ohm' (did you mean '4.7 kohm'?)"},
		{"1 m", "", "end: '1 m' has the wrong unit; expected '1'"},
	};
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = bxt_library_new(NULL, 0, d);
	double value = 0;
	ck_assert_int_eq(bxt_library_read_quantity(library, "end", "3 ms", "s", d, &value), BXT_OK);
	ck_assert(value == 3e-3);
	ck_assert_int_eq(bxt_library_read_quantity(library, "v", "36", "km/h", d, &value), BXT_OK);
	ck_assert_double_eq_tol(value, 10, 1e-14);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		ck_assert_int_eq(bxt_library_read_quantity(library, "end", bad[i].text, bad[i].unit,
							   d, &value),
				 BXT_ERR_MODEL);
		ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_ERROR), i + 1);
		ck_assert_str_eq(bxt_diagnostics_get(d, i)->text, bad[i].finding);
	}
	bxt_library_free(library);
	bxt_diagnostics_free(d);
}
END_TEST

/* Parentheses lead past the short way for units of SI: all prefixes before all names, and products,
 * are what the database says, or are left to it. */
static void expect_as_in_database(const char *unit, const char *expected)
{
	char plain[128], apart[128];
	double a, b;
	snprintf(plain, sizeof plain, "3 %s", unit);
	snprintf(apart, sizeof apart, "3 (%s)", unit);
	const bxt_quantity_error one = bxt_quantity_read(units, plain, expected, &a),
				 other = bxt_quantity_read(units, apart, expected, &b);
	ck_assert_msg(one == other && a == b, "%s in %s: %d %.17g, %d %.17g", unit, expected, one,
		      a, other, b);
}

START_TEST(short_way)
{
	static const char *const names[] = {"kg",  "m",  "s", "A",  "K", "mol", "cd", "rad",
					    "sr",  "Hz", "N", "J",  "W", "Pa",  "C",  "V",
					    "ohm", "S",  "F", "Wb", "H", "T"};
	static const char *const products[] = {
		"N.m",   "m3/s", "kg m2",  "kg.m2.s-3", "rad/s", "1/s",  "1/1", "m.1",
		"m/1",   "1 m",  "10",     "m0",        "m12",   "m^2",  "m-1", "V/A",
		"N.m/A", "m..s", "rad.Hz", "Hz/rad",    "m2/s2", "s-1",  "m/",  "/m",
		"kohm2", "kN.m", "m s",    "m  s",      "W/Hz",  "1/Hz", "1m",  "kg",
		"kkg",   "min",  "h",      "g",         "t",     "degC", "deg", "turn",
		"bar",   "l",    "eV",     "m3",        "mm2",   "um",   "km/h"};
	char text[64];
	enum {
		NAMES = sizeof names / sizeof *names,
		PRODUCTS = sizeof products / sizeof *products
	};
	for (int i = 0; i < NAMES; i++) {
		for (const bxt_unit_prefix *p = bxt_unit_prefixes; p->text; p++) {
			snprintf(text, sizeof text, "%s%s", p->text, names[i]);
			for (int j = 0; j < NAMES; j++)
				expect_as_in_database(text, names[j]);
			expect_as_in_database(names[i], text);
			expect_as_in_database(text, text);
		}
		for (int k = 0; k < PRODUCTS; k++) {
			expect_as_in_database(products[k], names[i]);
			expect_as_in_database(names[i], products[k]);
		}
	}
	for (int k = 0; k < PRODUCTS; k++)
		for (int j = 0; j < PRODUCTS; j++)
			expect_as_in_database(products[k], products[j]);
}
END_TEST

TEST_SUITE("quantity")
{
	const test_case tests[] = {
		{"exact values", exact_values, .loops = ROWS(exact)},
		{"rounded values", rounded_values, .loops = ROWS(near)},
		{"refused values", refused_values, .loops = ROWS(refused)},
		{"kinds of ports", kinds_of_ports},
		{"told", told},
		{"dimensions", dimensions},
		{"handler is restored", handler_is_restored},
		{"locale with comma", locale_with_comma},
		{"short way", short_way},
	};
	units = bxt_units_new(); /* once: the processes of all tests have it */
	ADD_TESTS(tests);
}
