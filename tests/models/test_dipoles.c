/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dipoles of Parks' thesis, chapter 4, as shipped: made again to the digit, held to the motion
 * that SciPy's DOP853 (rtol 1e-13) finds for equations (4.11) to (4.14) in (q, p, m, Q), and to the
 * momenta.
 */
#include "bench/dipoles.h"
#include "support/harness.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The generator ---- */

/* Sines and roots of another C library may differ in their last bit: a few of them add up. */
static const double SAME_NUMBER = 8 * DBL_EPSILON;

static char *shipped_text(void)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/dipoles.xml", getenv("BXT_NETLISTS"));
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	char *text = NULL;
	size_t room = 0;
	ck_assert(getdelim(&text, &room, '\0', f) > 0);
	fclose(f);
	return text;
}

static bool begins_number(const char *c)
{
	return isdigit((unsigned char)*c) || (*c == '-' && isdigit((unsigned char)c[1]));
}

START_TEST(made_again)
{
	char *made = NULL, *shipped = shipped_text();
	size_t size = 0;
	FILE *f = open_memstream(&made, &size);
	const dipoles d = dipoles_shipped();
	ck_assert(f && dipoles_write_netlist(&d, f));
	fclose(f);
	char *a = made, *b = shipped;
	long numbers = 0;
	while (*a && *b)
		if (begins_number(a) && begins_number(b)) {
			const double x = strtod(a, &a), y = strtod(b, &b);
			ck_assert_double_eq_tol(x, y, SAME_NUMBER);
			numbers++;
		} else {
			ck_assert_msg(*a == *b, "made '%.60s', shipped '%.60s'", a, b);
			a++, b++;
		}
	ck_assert_int_eq(*a, *b);
	/* 24 values of each body, 3 of its dipole, and many in expressions */
	ck_assert_int_ge(numbers, 15 * 27);
	free(made);
	free(shipped);
}
END_TEST

START_TEST(too_many)
{
	dipoles d = dipoles_shipped();
	d.n = 19;
	ck_assert(!dipoles_write_netlist(&d, stdout));
	d.n = 0;
	ck_assert(!dipoles_write_netlist(&d, stdout));
}
END_TEST

/* ---- The motion ---- */

#define RECORD                                                                                     \
	"D0.x, D0.y, D0.z, energy, momentum(turnx), momentum(turny), momentum(turnz), "            \
	"momentum(shiftx), momentum(shifty), momentum(shiftz)"
/* E(0), and the angular momentum at the start, by NumPy */
static const double energy = 0.243618138560764;
static const struct {
	const char *name;
	double value;
} momenta[] = {{"momentum(turnx)", -5.82939697471676},  {"momentum(turny)", -0.763899401788148},
	       {"momentum(turnz)", -2.05791842943946},  {"momentum(shiftx)", -0.0964024852163184},
	       {"momentum(shifty)", 0.178947094738628}, {"momentum(shiftz)", -0.155536943700257}};

static bxt_table *run(double step, double end, const char *scheme)
{
	model m = model_of_file("dipoles.xml");
	bxt_table *t = model_run(&m,
				 &(bxt_run_def){.size = sizeof(bxt_run_def),
						.scheme = scheme,
						.step = step,
						.end = end,
						.projection = "off",
						.record = RECORD},
				 NULL);
	model_free(&m);
	return t;
}

static void check_momenta(const bxt_table *t)
{
	for (size_t row = 0; row < bxt_table_rows(t); row++)
		for (int k = 0; k < COUNT(momenta); k++)
			/* fifteen digits are given; sums over 15 bodies of products up to 20 */
			ck_assert_double_eq_tol(value_at(t, row, momenta[k].name), momenta[k].value,
						2e-13);
}

START_TEST(two_steps)
{
	bxt_table *t = run(0.05, 0.1, "gauss1");
	ck_assert_double_eq_tol(value_at(t, 0, "energy"), energy, 1e-15);
	check_momenta(t);
	bxt_table_free(t);
}
END_TEST

/* At t = 10, where thirteen digits are given; by steps of 0.05 it is off by 6e-13. */
START_TEST(positions)
{
	static const char *const names[] = {"D0.x", "D0.y", "D0.z"};
	static const double q[] = {-0.7430617805855, 1.0598293217679, 0.0032227084432};
	bxt_table *t = run(0.05, 10, "gauss3");
	check_momenta(t);
	for (int k = 0; k < 3; k++)
		ck_assert_double_eq_tol(last_value(t, names[k]), q[k], 5e-12);
	bxt_table_free(t);
}
END_TEST

TEST_SUITE("dipoles")
{
	const test_case tests[] = {
		{"made again", made_again},
		{"too many", too_many},
		{"two steps", two_steps, .slow = true},
		{"positions", positions, .slow = true},
	};
	ADD_TESTS(tests);
}
