/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small vectors, generic numbers, times, and choices by cost. */
#include "ground/base/choice.h"
#include "ground/base/random.h"
#include "ground/base/time.h"
#include "ground/base/vector.h"
#include "support/runner.h"

#include <check.h>
#include <float.h>
#include <stdint.h>

/* ---- Vectors ---- */

START_TEST(vectors)
{
	const double x[3] = {3, -4, 12}, y[3] = {1, 10, -2};
	double out[3] = {0}, z[3] = {1, 1, 1};
	ck_assert_double_eq(bxt_dot(3, x, y), 3 - 40 - 24);
	ck_assert_double_eq(bxt_dot(0, x, y), 0);
	ck_assert_double_eq(bxt_norm(3, x), 13);
	ck_assert_double_eq(bxt_largest(2, x), 4);
	bxt_combine(3, 2, x, -1, y, out);
	ck_assert(out[0] == 5 && out[1] == -18 && out[2] == 26);
	bxt_combine(3, 1, out, 1, y, out);
	ck_assert(out[0] == 6 && out[1] == -8 && out[2] == 24);
	bxt_add_scaled(3, -2, x, z);
	ck_assert(z[0] == -5 && z[1] == 9 && z[2] == -23);
	bxt_scale(2, 3, z);
	ck_assert(z[0] == -15 && z[1] == 27 && z[2] == -23);
	ck_assert_double_eq(bxt_normalise(3, out), 26);
	ck_assert_double_eq(out[2], 24.0 / 26);
	double none[2] = {0};
	ck_assert_double_eq(bxt_normalise(2, none), 0);
	ck_assert_double_eq(none[0], 0);
}
END_TEST

/* [1 2 3; 4 5 6] by columns. */
START_TEST(small_matrices)
{
	const double a[6] = {1, 4, 2, 5, 3, 6}, x[3] = {1, 10, 100}, u[2] = {1, 10};
	double y[2] = {1000, 2000}, v[3] = {1000, 2000, 3000};
	bxt_dense_multiply(2, 3, a, x, y);
	ck_assert(y[0] == 1321 && y[1] == 2654);
	bxt_dense_multiply_transposed(2, 3, a, u, v);
	ck_assert(v[0] == 1041 && v[1] == 2052 && v[2] == 3063);
}
END_TEST

START_TEST(the_circle)
{
	ck_assert_double_eq(BXT_PI, acos(-1.0));
	ck_assert_double_eq(BXT_TURN, 2 * acos(-1.0));
}
END_TEST

/* ---- Generic numbers ---- */

/* The reference values of splitmix64 for seed 1234567, as its author's program prints them. */
START_TEST(random_numbers)
{
	static const uint64_t reference[] = {6457827717110365317u, 3203168211198807973u,
					     9817491932198370423u, 4593380528125082431u,
					     16408922859458223821u};
	uint64_t seed = 1234567;
	for (size_t k = 0; k < sizeof reference / sizeof *reference; k++)
		ck_assert(bxt_random_next(&seed) == reference[k]);
	double least = 1, most = -1, sum = 0;
	enum { N = 10000 };
	for (int i = 0; i < N; i++) {
		const double x = bxt_random_number(&seed);
		least = fmin(least, x);
		most = fmax(most, x);
		sum += x;
	}
	ck_assert(-1 <= least && least < -0.999 && 0.999 < most && most < 1);
	/* four standard deviations of a uniform mean */
	ck_assert_double_le(fabs(sum / N), 4 / sqrt(3.0 * N));
}
END_TEST

/* Every gap between the first n elements is one of at most three lengths, at least 0.38/n. */
START_TEST(quasi_random_numbers)
{
	enum { N = 200 };
	for (int i = 0; i < N; i++) {
		const double x = bxt_quasi_random(i), golden = (sqrt(5) - 1) / 2;
		ck_assert(0 <= x && x < 1);
		ck_assert_double_le(fabs(remainder(x - i * golden, 1)), 1e-13);
		for (int j = 0; j < i; j++)
			ck_assert_double_ge(fabs(x - bxt_quasi_random(j)), 0.38 / N);
	}
}
END_TEST

/* ---- Times ---- */

START_TEST(times_of_a_run)
{
	double sum = 0;
	for (int i = 0; i < 1000; i++)
		sum += 1e-3;
	ck_assert(sum != 1); /* or nothing is tried here */
	ck_assert(bxt_same_time(sum, 1, 1e-3));
	ck_assert(bxt_same_time(1, sum, -1e-3));
	ck_assert(bxt_same_time(1 + 0.9e-12, 1, 1e-3));
	ck_assert(!bxt_same_time(1 + 1.1e-12, 1, 1e-3));
	ck_assert(!bxt_same_time(1 - 1.1e-12, 1, 1e-3));
	ck_assert(!bxt_same_time(INFINITY, 1, 1e-3));
	ck_assert(!bxt_same_time(NAN, 1, 1e-3));
}
END_TEST

START_TEST(written_times)
{
	ck_assert_int_eq(bxt_steps_in(0.3, 0.1), 3);
	ck_assert_int_eq(bxt_steps_in(0, 0.1), 0);
	ck_assert_int_eq(bxt_steps_in(0.333333333, 1.0 / 3 * 1e-3), 1000);
	ck_assert_int_eq(bxt_steps_in(1 + 0.9e-6, 1), 1);
	ck_assert_int_eq(bxt_steps_in(1 + 1.1e-6, 1), -1);
	ck_assert_int_eq(bxt_steps_in(1 - 1.1e-6, 1), -1);
	ck_assert_int_eq(bxt_steps_in(1e6 + 0.9e-3, 1), 1000000);
	ck_assert_int_eq(bxt_steps_in(1e6 + 1.1e-3, 1), -1);
	ck_assert_int_eq(bxt_steps_in(-1, 1), -1);
	ck_assert_int_eq(bxt_steps_in(2e15, 1), -1);
	ck_assert_int_eq(bxt_steps_in(NAN, 1), -1);
	ck_assert_int_eq(bxt_steps_in(INFINITY, 1), -1);
}
END_TEST

START_TEST(times_beyond_rounding)
{
	for (double t = 1e-12; t < 1e12; t *= 7) {
		const double apart = bxt_time_apart(t, 1e-30);
		ck_assert(t + apart > nextafter(t, INFINITY));
		ck_assert_double_le(apart, 8 * DBL_EPSILON * t);
		ck_assert_double_eq(bxt_time_apart(-t, 1e-30), apart);
		ck_assert_double_eq(bxt_time_after(t, 1e-30), t + apart);
	}
	ck_assert_double_eq(bxt_time_apart(0, -2), 2e-15);
	ck_assert_double_eq(bxt_time_after(0, 2), 2e-15);
}
END_TEST

/* ---- Choices ---- */

static const bxt_choice_rule rule = {
	.weight = 0.5, .worth = 0.9, .span = {4, 2}, .most_span = 8, .first = 3};

/* Makes n solves with these costs of both ways; the ways as digits. */
static const char *choose(bxt_choice *c, const bxt_choice_rule *by, int n, double zero, double one)
{
	static char ways[64];
	for (int i = 0; i < n; i++) {
		const int way = bxt_choice_next(c);
		bxt_choice_learn(c, by, way, way ? one : zero);
		ways[i] = (char)('0' + way);
		ways[i + 1] = '\0';
	}
	return ways;
}

START_TEST(the_cheaper_way_is_taken)
{
	bxt_choice c;
	bxt_choice_start(&c, &rule);
	/* the first three, a trial; spans of 2, 4, 8, 8 */
	ck_assert_str_eq(choose(&c, &rule, 29, 10, 8), "00011101111011111111011111111");
	bxt_choice_start(&c, &rule);
	/* a tenth is not saved: way 0, with trials after 4, 8 and 8 more */
	ck_assert_str_eq(choose(&c, &rule, 27, 10, 9.5), "000100001000000001000000001");
}
END_TEST

/* After way 1 has become dear a trial of way 0 changes the preference, with the span of way 0. */
START_TEST(ways_change_with_their_costs)
{
	bxt_choice c;
	bxt_choice_start(&c, &rule);
	ck_assert_str_eq(choose(&c, &rule, 6, 10, 5), "000111");
	ck_assert_str_eq(choose(&c, &rule, 7, 10, 50), "0111100");
	/* way 1: half of the way from 5 to 50, four times */
	ck_assert_double_eq(c.cost[0], 10);
	ck_assert_double_eq(c.cost[1], 47.1875);
	bxt_choice_rule eager = rule;
	eager.at_once = true;
	bxt_choice_start(&c, &eager);
	ck_assert_str_eq(choose(&c, &eager, 5, 10, 5), "00011");
	ck_assert_str_eq(choose(&c, &eager, 3, 10, 50), "110");
}
END_TEST

/* A way that the caller had to take counts in its mean, and changes nothing else. */
START_TEST(a_forced_way_is_no_trial)
{
	bxt_choice c;
	bxt_choice_start(&c, &rule);
	bxt_choice_learn(&c, &rule, 1, 1);
	ck_assert_int_eq(c.left, 3);
	ck_assert_int_eq(c.preferred, 0);
	bxt_choice_learn(&c, &rule, 1, 3);
	ck_assert_double_eq(c.cost[1], 2);
	ck_assert_int_eq(bxt_choice_next(&c), 0);
}
END_TEST

TEST_SUITE("numbers")
{
	const test_case tests[] = {
		{"vectors", vectors},
		{"small matrices", small_matrices},
		{"the circle", the_circle},
		{"random numbers", random_numbers},
		{"quasi-random numbers", quasi_random_numbers},
		{"times of a run", times_of_a_run},
		{"written times", written_times},
		{"times beyond rounding", times_beyond_rounding},
		{"the cheaper way", the_cheaper_way_is_taken},
		{"ways change", ways_change_with_their_costs},
		{"a forced way", a_forced_way_is_no_trial},
	};
	ADD_TESTS(tests);
}
