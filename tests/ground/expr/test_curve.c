/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions given by points: values, slopes, divided differences; in expressions and on tapes. */
#include "support/expr_fixture.h"

#include "ground/expr/curve_node.h"
#include "ground/expr/discrete_gradient.h"
#include "ground/expr/divided_difference.h"
#include "ground/expr/fused_tape.h"
#include "ground/expr/tape.h"
#include "support/harness.h"

#include <float.h>

enum { POINTS = 7 };
static const double at[POINTS] = {-1, -0.5, 0.25, 0.3, 1, 2, 4};
static const double y[POINTS] = {2, 3, 3.5, 1, 1, -2, 2};
static double slope[POINTS], again[POINTS];

static const bxt_curve_shape shapes[] = {BXT_CURVE_HOLD, BXT_CURVE_LINEAR, BXT_CURVE_CUBIC};
static const bxt_curve_beyond beyonds[] = {BXT_BEYOND_HOLD, BXT_BEYOND_EXTEND, BXT_BEYOND_PERIODIC};

static bxt_curve curve_of(bxt_curve_shape shape, bxt_curve_beyond beyond)
{
	const bool periodic = beyond == BXT_BEYOND_PERIODIC;
	bxt_curve_slopes(at, y, POINTS, periodic, periodic ? again : slope);
	return (bxt_curve){.name = "c",
			   .x = at,
			   .y = y,
			   .slope = shape != BXT_CURVE_CUBIC ? NULL
				    : periodic               ? again
							     : slope,
			   .n = POINTS,
			   .shape = shape,
			   .beyond = beyond};
}

/* xorshift64: the same points on every machine. */
static double random_in(double low, double high)
{
	static unsigned long long seed = 0x9E3779B97F4A7C15u;
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return low + (high - low) * ((double)(seed >> 11) * 0x1p-53);
}

/* How far x is from the next point, of a periodic curve in its period. */
static double from_points(const bxt_curve *c, double x)
{
	double least = INFINITY;
	if (c->beyond == BXT_BEYOND_PERIODIC)
		x -= 5 * floor((x + 1) / 5);
	for (int i = 0; i < POINTS; i++)
		least = fmin(least, fabs(x - at[i]));
	return least;
}

/* ---- Values ---- */

START_TEST(between_points)
{
	bxt_curve c = curve_of(BXT_CURVE_LINEAR, BXT_BEYOND_HOLD);
	for (int i = 0; i < POINTS; i++)
		for (int s = 0; s < 3; s++)
			for (int k = 0; k < 3; k++) {
				const bxt_curve any = curve_of(shapes[s], beyonds[k]);
				ck_assert(bxt_curve_value(&any, 0, at[i]) == y[i]);
			}
	ck_assert(bxt_curve_value(&c, 0, -0.75) == 2.5);
	ck_assert(bxt_curve_value(&c, 1, -0.75) == 2);
	ck_assert(bxt_curve_value(&c, 1, -0.5) == 0.5 / 0.75); /* of what follows */
	ck_assert(bxt_curve_value(&c, 0, 3) == 0);
	ck_assert(bxt_curve_value(&c, 0, -7) == 2 && bxt_curve_value(&c, 0, 9) == 2);
	ck_assert(bxt_curve_value(&c, 1, -7) == 0 && bxt_curve_value(&c, 1, 9) == 0);
	ck_assert(isnan(bxt_curve_value(&c, 0, NAN)) && isnan(bxt_curve_value(&c, 0, INFINITY)));
	c = curve_of(BXT_CURVE_HOLD, BXT_BEYOND_EXTEND);
	ck_assert(bxt_curve_value(&c, 0, 0.29) == 3.5 && bxt_curve_value(&c, 0, -9) == 2);
	ck_assert(bxt_curve_value(&c, 0, 5) == 2);
	c = curve_of(BXT_CURVE_LINEAR, BXT_BEYOND_EXTEND);
	ck_assert(bxt_curve_value(&c, 0, 6) == 6 && bxt_curve_value(&c, 0, -2) == 0);
	c = curve_of(BXT_CURVE_LINEAR, BXT_BEYOND_PERIODIC);
	ck_assert(bxt_curve_value(&c, 0, 3 + 5) == 0 && bxt_curve_value(&c, 0, -0.75 - 10) == 2.5);
}
END_TEST

/* C1, monotone where the points are, flat at their extrema; a straight line stays one. */
START_TEST(monotone_cubic)
{
	const bxt_curve c = curve_of(BXT_CURVE_CUBIC, BXT_BEYOND_EXTEND);
	static const double line_x[] = {0, 1, 3, 3.5}, line_y[] = {1, 3, 7, 8};
	double m[4];
	for (int i = 1; i < POINTS; i++) {
		const double low = fmin(y[i - 1], y[i]), high = fmax(y[i - 1], y[i]);
		double last = y[i - 1];
		for (int k = 1; k <= 200; k++) {
			const double x = at[i - 1] + (at[i] - at[i - 1]) * k / 200,
				     now = bxt_curve_value(&c, 0, x);
			ck_assert((now - last) * (y[i] - y[i - 1]) >= -1e-14); /* round-off of 3 */
			ck_assert(now >= low - 1e-14 && now <= high + 1e-14);
			last = now;
		}
	}
	for (int i = 0; i < POINTS; i++) { /* value and slope from both sides */
		const double left = nextafter(at[i], -INFINITY);
		ck_assert_double_eq_tol(bxt_curve_value(&c, 0, left), y[i], 1e-13);
		ck_assert_double_eq_tol(bxt_curve_value(&c, 1, left), bxt_curve_value(&c, 1, at[i]),
					1e-11); /* of 2.5/0.05 */
	}
	ck_assert(bxt_curve_value(&c, 1, 0.25) == 0 && bxt_curve_value(&c, 1, 2) == 0);
	bxt_curve_slopes(line_x, line_y, 4, false, m);
	for (int i = 0; i < 4; i++)
		ck_assert_double_eq_tol(m[i], 2, 1e-15);
	/* Fritsch and Butland's mean by hand: h 0.5, 0.75; d 2, 2/3 */
	ck_assert_double_eq_tol(slope[1], 3.75 / (2 / 2.0 + 1.75 / (2 / 3.0)), 1e-15);
	const bxt_curve p = curve_of(BXT_CURVE_CUBIC, BXT_BEYOND_PERIODIC);
	ck_assert_double_eq_tol(bxt_curve_value(&p, 1, nextafter(4, 0)), bxt_curve_value(&p, 1, 4),
				1e-11);
	ck_assert_double_gt(bxt_curve_value(&p, 1, 4), 0.1);
}
END_TEST

/* n points, monotone ones when that is wanted: intervals and steps differ by factors up to 1e3. */
static void random_points(int n, bool monotone, double *px, double *py)
{
	const double sign = random_in(-1, 1) < 0 ? -1 : 1;
	px[0] = random_in(-2, 2);
	py[0] = random_in(-2, 2);
	for (int i = 1; i < n; i++) {
		const double step = random_in(-1, 1) < -0.8 ? 0 : pow(10, random_in(-3, 0));
		px[i] = px[i - 1] + pow(10, random_in(-3, 0));
		py[i] = py[i - 1] + (monotone || random_in(-1, 1) > 0 ? sign : -sign) * step;
	}
}

/*
 * What a cubic table promises, of any table: between two points it rises or falls with them and
 * leaves their range nowhere, at the ends as well. So a monotone table is a monotone curve within
 * the range of its data. Slopes are those of the points' parabola at an end, where that holds.
 */
START_TEST(monotone_tables)
{
	enum { TABLES = 4000, MOST = 7, PARTS = 64 };
	int clamped = 0, kept = 0;
	for (int k = 0; k < TABLES; k++) {
		double px[MOST], py[MOST], m[MOST];
		const int n = 2 + k % (MOST - 1);
		random_points(n, k % 2 == 0, px, py);
		bxt_curve_slopes(px, py, n, false, m);
		const bxt_curve c = {.name = "c",
				     .x = px,
				     .y = py,
				     .slope = m,
				     .n = n,
				     .shape = BXT_CURVE_CUBIC,
				     .beyond = BXT_BEYOND_EXTEND};
		for (int i = 1; i < n; i++) {
			const double sign = py[i] > py[i - 1] ? 1 : py[i] < py[i - 1] ? -1 : 0;
			const double h = px[i] - px[i - 1], size = fabs(py[i]) + fabs(py[i - 1]);
			/* round-off of values, and of places where slopes are large */
			const double tiny = 1e-14 * size + 1e-13 * fabs(py[i] - py[i - 1]);
			bool rises = true, inside = true; /* assertions are slow */
			double last = py[i - 1];
			for (int p = 1; p < PARTS; p++) {
				const double now =
					bxt_curve_value(&c, 0, px[i - 1] + h * p / PARTS);
				rises = rises && (sign == 0 ? fabs(now - last) <= tiny
							    : sign * (now - last) >= -tiny);
				inside = inside && sign * (py[i] - now) >= -tiny;
				last = now;
			}
			ck_assert_msg(rises && inside, "table %d, after point %d", k, i - 1);
		}
		if (n < 3)
			continue;
		/* an end either has the parabola's slope, or that would have left the region */
		const double h0 = px[1] - px[0], h1 = px[2] - px[1], d0 = (py[1] - py[0]) / h0,
			     d1 = (py[2] - py[1]) / h1;
		const double parabola = d0 - h0 * (d1 - d0) / (h0 + h1);
		const bool inside = parabola * d0 > 0 && fabs(parabola) <= 3 * fabs(d0);
		if (inside)
			ck_assert_double_eq_tol(m[0], parabola,
						1e-12 * (fabs(d0) + fabs(d1) + fabs(parabola)));
		else
			ck_assert(parabola * d0 > 0 ? m[0] == 3 * d0 : m[0] == 0);
		clamped += !inside;
		kept += inside;
	}
	/* both are common among such tables */
	ck_assert_int_gt(clamped, 300);
	ck_assert_int_gt(kept, 300);
}
END_TEST

START_TEST(derivatives)
{
	for (int s = 0; s < 3; s++)
		for (int k = 0; k < 3; k++) {
			const bxt_curve c = curve_of(shapes[s], beyonds[k]);
			for (int n = 0; n < 2000; n++) {
				const double x = random_in(-8, 12), h = 1e-4;
				if (from_points(&c, x) < h)
					continue;
				for (int order = 0; order < 3; order++) {
					const double slope_here =
						(bxt_curve_value(&c, order, x + h) -
						 bxt_curve_value(&c, order, x - h)) /
						(2 * h);
					/* h^2/6 times the third derivative, 12*2.5/0.05^3 = 2.4e5,
					 * and round-off/h of the second */
					ck_assert_double_eq_tol(bxt_curve_value(&c, order + 1, x),
								slope_here, 1e-3);
				}
			}
		}
}
END_TEST

/* ---- Divided differences ---- */

/* f[a, b] = mean of f' between: exact by pieces, from the derivatives in the middle of each. */
static double mean_slope(const bxt_curve *c, double a, double b)
{
	long double sum = 0;
	double from = a;
	while (from < b) {
		double low = -100, high = 100;
		for (int k = -3; k < 4; k++)
			for (int i = 0; i < POINTS; i++) {
				const double turn = c->beyond == BXT_BEYOND_PERIODIC ? 5 * k : 0;
				low = at[i] + turn <= from ? fmax(low, at[i] + turn) : low;
				high = at[i] + turn > from ? fmin(high, at[i] + turn) : high;
			}
		const double to = fmin(b, high), middle = low + (high - low) / 2;
		const long double u = (long double)from - middle, v = (long double)to - middle;
		sum += (v - u) * (bxt_curve_value(c, 1, middle) +
				  bxt_curve_value(c, 2, middle) * (u + v) / 2 +
				  bxt_curve_value(c, 3, middle) * (u * u + u * v + v * v) / 6);
		from = to;
	}
	return (double)(sum / ((long double)b - a));
}

START_TEST(divided_differences)
{
	for (int s = 1; s < 3; s++)
		for (int k = 0; k < 3; k++) {
			const bxt_curve c = curve_of(shapes[s], beyonds[k]);
			for (int n = 0; n < 4000; n++) {
				const int point = n % POINTS;
				const double near = pow(10, random_in(-12, 0.5)),
					     a = (n % 2 ? at[point] : random_in(-6, 8)) -
						 near * random_in(0, 1),
					     b = a + near;
				const double f = bxt_curve_chord(&c, 0, a, 1, b, 1);
				ck_assert(f == bxt_curve_chord(&c, 0, b, 1, a, 1));
				/* the second derivative is 1e4 at most, places are to 1e-16: no
				 * loss by 1/(b - a), which quotients had; but places of points in
				 * other periods are to 1e-15, and slopes there change by 75 */
				const bool turns = c.beyond == BXT_BEYOND_PERIODIC;
				ck_assert_double_eq_tol(f, mean_slope(&c, a, b),
							1e-10 + turns * 4e-15 * 75 / near);
				ck_assert_double_eq_tol(f * (b - a),
							bxt_curve_value(&c, 0, b) -
								bxt_curve_value(&c, 0, a),
							64 * DBL_EPSILON * (4 + fabs(a) * 75));
			}
			for (int n = 0; n < 400; n++) { /* a = b, and more arguments */
				const double a = random_in(-6, 8), b = random_in(-6, 8);
				ck_assert_double_eq_tol(bxt_curve_chord(&c, 0, a, 1, a, 1),
							bxt_curve_value(&c, 1, a), 1e-12);
				ck_assert_double_eq_tol(bxt_curve_chord(&c, 0, a, 2, b, 1) *
								(b - a),
							bxt_curve_chord(&c, 0, a, 1, b, 1) -
								bxt_curve_value(&c, 1, a),
							1e-11);
				ck_assert_double_eq_tol(
					bxt_curve_chord(&c, 0, a, 2, a, 1),
					bxt_curve_value(&c, 2, a) / 2,
					1e-12 * (1 + fabs(bxt_curve_value(&c, 2, a))));
			}
		}
}
END_TEST

/* A curve with jumps: the difference is all there is. */
START_TEST(jumps)
{
	const bxt_curve c = curve_of(BXT_CURVE_HOLD, BXT_BEYOND_HOLD);
	ck_assert_double_eq_tol(bxt_curve_chord(&c, 0, 0.29, 1, 0.31, 1), -2.5 / 0.02, 1e-10);
	ck_assert(bxt_curve_chord(&c, 0, 0.26, 1, 0.29, 1) == 0);
}
END_TEST

/* Points with one argument in pairs: at an end, within, and where the value stays. */
enum { STEPS = 8 };
static const double step_at[STEPS] = {0, 0, 1, 1, 2, 2, 3, 3};
static const double step_y[STEPS] = {5, 1, 3, -1, 0, 0, 4, 2};

static bxt_curve steps_of(bxt_curve_shape shape)
{
	return (bxt_curve){.name = "s",
			   .x = step_at,
			   .y = step_y,
			   .n = STEPS,
			   .shape = shape,
			   .beyond = BXT_BEYOND_HOLD};
}

/* The later value holds at a jump, and the derivative is that from the right. */
START_TEST(pairs)
{
	bxt_curve c = steps_of(BXT_CURVE_LINEAR);
	const double tiny = 0x1p-40;
	static const double left[] = {5, 3, 0, 4}, right[] = {1, -1, 0, 2};
	static const double slope_left[] = {0, 2, 1, 4}, slope_right[] = {2, 1, 4, 0};
	for (int k = 0; k < 4; k++) {
		ck_assert(bxt_curve_value(&c, 0, k) == right[k]);
		ck_assert(bxt_curve_value(&c, 1, k) == slope_right[k]);
		ck_assert_double_eq_tol(bxt_curve_value(&c, 0, k - tiny), left[k], 8 * tiny);
		ck_assert(bxt_curve_value(&c, 1, k - tiny) == slope_left[k]);
	}
	ck_assert(bxt_curve_value(&c, 0, -1) == 5 && bxt_curve_value(&c, 0, 9) == 2);
	/* across a jump the quotient of differences; beside it the slope */
	ck_assert_double_eq_tol(bxt_curve_chord(&c, 0, 0.5, 1, 1.25, 1), -2.75 / 0.75, 1e-15);
	ck_assert_double_eq_tol(bxt_curve_chord(&c, 0, 1.25, 1, 0.5, 1), -2.75 / 0.75, 1e-15);
	ck_assert_double_eq_tol(bxt_curve_chord(&c, 0, -1, 1, 0.5, 1), -3 / 1.5, 1e-15);
	ck_assert_double_eq_tol(bxt_curve_chord(&c, 0, 2.5, 1, 4, 1), 0, 1e-15);
	ck_assert_double_eq_tol(bxt_curve_chord(&c, 0, 0.5, 2, 1.25, 1), (-2.75 / 0.75 - 2) / 0.75,
				1e-14);
	ck_assert(bxt_curve_chord(&c, 0, 1, 1, 1.5, 1) == 1);
	ck_assert(bxt_curve_chord(&c, 0, 1, 1, 1, 1) == 1);
	c = steps_of(BXT_CURVE_HOLD);
	for (int k = 0; k < 4; k++)
		ck_assert(bxt_curve_value(&c, 0, k) == right[k] && bxt_curve_value(&c, 1, k) == 0);
	ck_assert(bxt_curve_value(&c, 0, 0.5) == 1 && bxt_curve_value(&c, 0, -0.5) == 5);
	/* periodic, without the outer points of pairs at its ends */
	c = steps_of(BXT_CURVE_LINEAR);
	c.x++;
	c.y++;
	c.n -= 2;
	c.beyond = BXT_BEYOND_PERIODIC;
	for (int turn = -2; turn < 3; turn++) {
		ck_assert(bxt_curve_value(&c, 0, 3 * turn) == 1);
		ck_assert(bxt_curve_value(&c, 0, 3 * turn + 1) == -1);
		ck_assert_double_eq_tol(bxt_curve_value(&c, 0, 3 * turn - tiny), 4, 8 * tiny);
		ck_assert_double_eq_tol(
			bxt_curve_chord(&c, 0, 3 * turn - 0.5, 1, 3 * turn + 0.5, 1), 0, 1e-15);
		ck_assert_double_eq_tol(
			bxt_curve_chord(&c, 0, 3 * turn - 0.5, 1, 3 * turn + 1.5, 1), -2.5 / 2,
			1e-15);
	}
}
END_TEST

/* ---- In expressions ---- */

static bxt_ex parse_with(bxt_graph *graph, const char *text, const bxt_curve *c)
{
	const bxt_curves curves = {&c, 1};
	const bxt_scope with = {lookup, visit_names, NULL, &curves};
	bxt_expr_error error = {0};
	bxt_ex f;
	const int n = bxt_expr_parse(graph, text, &with, &f, &error, 1);
	ck_assert_msg(n == 0, "%s: %s", text, error.text);
	return f;
}

START_TEST(expressions)
{
	setup();
	const bxt_curve c = curve_of(BXT_CURVE_CUBIC, BXT_BEYOND_PERIODIC);
	const bxt_ex f = parse_with(g, "y*c(x + 2*m) - c(x)^2 + c(0.5)", &c);
	const double u = point[X] + 2 * point[M];
	/* one rounding a sum */
	ck_assert_double_eq_tol(bxt_ex_value(g, f, point),
				point[Y] * bxt_curve_value(&c, 0, u) -
					pow(bxt_curve_value(&c, 0, point[X]), 2) +
					bxt_curve_value(&c, 0, 0.5),
				1e-14);
	const bxt_ex fx = derivative(f, X), fxm = derivative(fx, M);
	ck_assert_double_eq_tol(bxt_ex_value(g, fxm, point),
				2 * point[Y] * bxt_curve_value(&c, 2, u), 1e-13);
	assert_text(parse_with(g, "c(2*x)", &c), "c(2*x)");
	assert_text(derivative(parse_with(g, "c(x)", &c), X), "c'(x)");
	ck_assert(parse_with(g, "c(x)", &c) == parse_with(g, "c(x)", &c));
	bxt_ex fourth = parse_with(g, "c(x)", &c);
	for (int i = 0; i < 4; i++)
		fourth = derivative(fourth, X);
	ck_assert(bxt_ex_is_const(g, fourth, NULL));
	ck_assert(!bxt_ex_affine(g, f, (bool[N]){[X] = true}, N));
	teardown();
}
END_TEST

START_TEST(tapes_and_programs)
{
	setup();
	const bxt_curve c = curve_of(BXT_CURVE_CUBIC, BXT_BEYOND_PERIODIC);
	const bxt_ex f = parse_with(g, "y*c(x + 2*m) - c(x)^2 + c(0.5)", &c);
	const bxt_ex fx = derivative(f, X), fxm = derivative(fx, M);

	/* the same numbers from a tape, to the last bit, in every lane, and in another graph */
	const bxt_curve other = curve_of(BXT_CURVE_LINEAR, BXT_BEYOND_HOLD);
	bxt_graph *copy = bxt_graph_new();
	bxt_ex before = parse_with(copy, "c(y)", &other), kept[3] = {f, fx, fxm};
	ck_assert_int_eq(bxt_ex_copy(copy, g, kept, 3), BXT_OK);
	ck_assert(bxt_ex_value(copy, before, point) == bxt_curve_value(&other, 0, point[Y]));
	const bxt_ex all[] = {kept[0], kept[1], kept[2], before};
	bxt_tape *tape = bxt_tape_compile(copy, all, 4);
	double *work = aligned_alloc(64, (bxt_tape_work(tape) + BXT_LANES) * sizeof *work);
	double lanes[N][BXT_LANES], here[N];
	const double *in[N];
	for (int v = 0; v < N; v++) {
		in[v] = lanes[v];
		for (int i = 0; i < BXT_LANES; i++)
			lanes[v][i] = random_in(-9, 9);
	}
	bxt_tape_run(tape, in, work);
	for (int i = 0; i < BXT_LANES; i++) {
		for (int v = 0; v < N; v++)
			here[v] = lanes[v][i];
		const double expected[] = {bxt_ex_value(g, f, here), bxt_ex_value(g, fx, here),
					   bxt_ex_value(g, fxm, here),
					   bxt_curve_value(&other, 0, here[Y])};
		for (int k = 0; k < 4; k++)
			ck_assert(bxt_tape_result(tape, k, in, work)[i] == expected[k]);
	}
	/* and from a program of single numbers, m being one that is known */
	bxt_fused_tape *program = bxt_fused_tape_new();
	int variable[N], results[6];
	const bxt_ex with_chord[] = {
		all[0],
		all[1],
		all[2],
		all[3],
		bxt_ex_curve_chord(copy, &other, 0, bxt_ex_var(copy, X), 1, bxt_ex_var(copy, Y), 1),
		bxt_ex_curve_chord(copy, &c, 1, bxt_ex_var(copy, M), 2, bxt_ex_var(copy, Y), 1)};
	bxt_tape *more = bxt_tape_compile(copy, with_chord, 6);
	for (int v = 0; v < N; v++) {
		here[v] = v < 4 ? lanes[v][3] : 0;
		variable[v] = v == M ? bxt_fused_tape_number(program, here[v])
				     : bxt_fused_tape_input(program, 0, v);
	}
	ck_assert_int_eq(bxt_fused_tape_join(program, more, variable, results), BXT_OK);
	double *numbers = calloc(bxt_fused_tape_work(program), sizeof *numbers);
	const double *const sources[] = {here};
	bxt_fused_tape_start(program, numbers);
	bxt_fused_tape_run(program, sources, numbers);
	for (int k = 0; k < 4; k++)
		ck_assert(numbers[results[k]] == bxt_tape_result(tape, k, in, work)[3]);
	ck_assert(numbers[results[4]] == bxt_curve_chord(&other, 0, here[X], 1, here[Y], 1));
	ck_assert(numbers[results[5]] == bxt_curve_chord(&c, 1, here[M], 2, here[Y], 1));
	free(numbers);
	bxt_fused_tape_free(program);
	bxt_tape_free(more);
	free(work);
	bxt_tape_free(tape);
	bxt_graph_free(copy);
	teardown();
}
END_TEST

/* The discrete gradient times the increment is the difference, to round-off, and has slopes. */
START_TEST(discrete_gradient)
{
	const int var = X;
	setup();
	for (int s = 0; s < 3; s++) {
		const bxt_curve c = curve_of(shapes[s], BXT_BEYOND_EXTEND);
		const bxt_ex f = parse_with(g, "c(x)*m + c(2*x)", &c), end = bxt_ex_var(g, Y);
		bxt_ex d;
		bxt_ex_discrete_gradient(g, f, &var, &end, 1, &d);
		const bxt_ex slope_of = derivative(d, Y);
		for (int n = 0; n < 500; n++) {
			double here[N] = {random_in(-2, 5), 0, 1.5}, there[N];
			here[Y] = here[X] + random_in(-1, 1) * (n % 2 ? 1 : 1e-6);
			memcpy(there, here, sizeof there);
			there[X] = here[Y];
			const double rise = bxt_ex_value(g, f, there) - bxt_ex_value(g, f, here);
			ck_assert_double_eq_tol(bxt_ex_value(g, d, here) * (here[Y] - here[X]),
						rise, 1e-12); /* of values up to 30 */
			if (s == 0 || fabs(here[Y] - here[X]) < 0.1)
				continue;
			const double h = 1e-7;
			double up[N], down[N];
			memcpy(up, here, sizeof up);
			memcpy(down, here, sizeof down);
			up[Y] += h;
			down[Y] -= h;
			if (from_points(&c, here[Y]) > 2 * h &&
			    from_points(&c, 2 * here[Y]) > 4 * h)
				ck_assert_double_eq_tol(
					bxt_ex_value(g, slope_of, here),
					(bxt_ex_value(g, d, up) - bxt_ex_value(g, d, down)) /
						(2 * h),
					1e-3); /* values/0.1/h: round-off */
		}
	}
	teardown();
}
END_TEST

TEST_SUITE("curves")
{
	const test_case tests[] = {{"between points", between_points},
				   {"monotone cubic", monotone_cubic},
				   {"monotone tables", monotone_tables},
				   {"derivatives", derivatives},
				   {"divided differences", divided_differences},
				   {"jumps", jumps},
				   {"pairs", pairs},
				   {"expressions", expressions},
				   {"tapes and programs", tapes_and_programs},
				   {"discrete gradient", discrete_gradient}};
	ADD_TESTS(tests);
}
