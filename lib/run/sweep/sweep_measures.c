/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Between rows, a signal is interpolated linearly: integrals are sums of trapezoids, crossings lie
 * on the straight line.
 */
#include "run/sweep/sweep_measures.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

typedef struct rows {
	size_t n, stride;
	const double *t, *y;
} rows;

static double at(const rows *r, size_t k)
{
	return r->y[k * r->stride];
}

/* ---- Values ---- */

static double start(const rows *r)
{
	return at(r, 0);
}

static double final(const rows *r)
{
	return at(r, r->n - 1);
}

static double largest(const rows *r)
{
	double most = at(r, 0);
	for (size_t k = 1; k < r->n; k++)
		most = at(r, k) > most ? at(r, k) : most;
	return most;
}

static double least(const rows *r)
{
	double least_one = at(r, 0);
	for (size_t k = 1; k < r->n; k++)
		least_one = at(r, k) < least_one ? at(r, k) : least_one;
	return least_one;
}

static double range(const rows *r)
{
	return largest(r) - least(r);
}

/* ---- Means ---- */

static double duration(const rows *r)
{
	return r->t[r->n - 1] - r->t[0];
}

static double mean(const rows *r)
{
	double sum = 0;
	for (size_t k = 1; k < r->n; k++)
		sum += (r->t[k] - r->t[k - 1]) * (at(r, k) + at(r, k - 1)) / 2;
	return r->n > 1 ? sum / duration(r) : at(r, 0);
}

/* The square of a line is integrated exactly: (a^2 + ab + b^2)/3. */
static double rms(const rows *r)
{
	double sum = 0;
	for (size_t k = 1; k < r->n; k++) {
		const double a = at(r, k - 1), b = at(r, k);
		sum += (r->t[k] - r->t[k - 1]) * (a * a + a * b + b * b) / 3;
	}
	return r->n > 1 ? sqrt(sum / duration(r)) : fabs(at(r, 0));
}

/* ---- Periods ---- */

/* Returns the time of the upward crossing of a level within the interval before row k; NaN: there
 * is none. */
static double upward(const rows *r, size_t k, double level)
{
	const double a = at(r, k - 1) - level, b = at(r, k) - level;
	return a < 0 && b >= 0 ? r->t[k - 1] + (r->t[k] - r->t[k - 1]) * a / (a - b) : NAN;
}

/* The first and the last upward crossing of the mean; returns the periods between them. */
static size_t find_periods(const rows *r, double ends[2])
{
	const double level = mean(r);
	size_t n = 0;
	for (size_t k = 1; k < r->n; k++) {
		const double t = upward(r, k, level);
		if (isnan(t))
			continue;
		ends[n > 0] = t;
		n++;
	}
	return n > 0 ? n - 1 : 0;
}

static double period(const rows *r)
{
	double ends[2];
	const size_t n = find_periods(r, ends);
	return n > 0 ? (ends[1] - ends[0]) / (double)n : NAN;
}

/* Integrals over a window of y, y^2, y cos(omega t) and y sin(omega t). */
static void integrate(const rows *r, const double ends[2], double omega, double sum[4])
{
	memset(sum, 0, 4 * sizeof *sum);
	for (size_t k = 1; k < r->n; k++) {
		const double from = fmax(r->t[k - 1], ends[0]), to = fmin(r->t[k], ends[1]);
		const double slope = (at(r, k) - at(r, k - 1)) / (r->t[k] - r->t[k - 1]);
		if (!(from < to))
			continue;
		const double a = at(r, k - 1) + slope * (from - r->t[k - 1]),
			     b = at(r, k - 1) + slope * (to - r->t[k - 1]), h = to - from;
		sum[0] += h * (a + b) / 2;
		sum[1] += h * (a * a + a * b + b * b) / 3;
		sum[2] += h / 2 * (a * cos(omega * from) + b * cos(omega * to));
		sum[3] += h / 2 * (a * sin(omega * from) + b * sin(omega * to));
	}
}

/* sqrt(rms^2 - mean^2 - A^2/2)/(A/sqrt 2), A the amplitude of the fundamental. */
static double thd(const rows *r)
{
	double ends[2], sum[4];
	const size_t n = find_periods(r, ends);
	if (n == 0)
		return NAN;
	const double window = ends[1] - ends[0];
	integrate(r, ends, 2 * PI * (double)n / window, sum);
	const double dc = sum[0] / window, square = sum[1] / window;
	const double fundamental = 2 * (sum[2] * sum[2] + sum[3] * sum[3]) / (window * window);
	return sqrt(fmax(square - dc * dc - fundamental, 0) / fundamental);
}

/* ---- Edges ---- */

/* Returns the first time at which the value has covered that part of the change from start to
 * final; NaN: never. */
static double first_at(const rows *r, double part)
{
	const double from = start(r), way = final(r) - from;
	for (size_t k = 1; k < r->n; k++) {
		const double a = (at(r, k - 1) - from) / way, b = (at(r, k) - from) / way;
		if (a < part && b >= part)
			return r->t[k - 1] + (r->t[k] - r->t[k - 1]) * (part - a) / (b - a);
	}
	return NAN;
}

static double rise(const rows *r)
{
	return first_at(r, 0.9) - first_at(r, 0.1);
}

/* ---- The table ---- */

static const struct {
	const char *name;
	double (*of)(const rows *r);
	const char *unit; /* NULL: that of the signal */
} functions[] = {
	{"final", final, NULL}, {"start", start, NULL},  {"max", largest, NULL},
	{"min", least, NULL},   {"range", range, NULL},  {"mean", mean, NULL},
	{"rms", rms, NULL},     {"period", period, "s"}, {"rise", rise, "s"},
	{"thd", thd, "1"},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

const char *bxt_row_measure_unit(const bxt_row_measure *m, const char *of_signal)
{
	return functions[m->function].unit ? functions[m->function].unit : of_signal;
}

double bxt_row_measure_of(const bxt_row_measure *m, size_t n, const double *t, const double *y,
			  size_t stride)
{
	const rows r = {n, stride, t, y};
	for (size_t k = 0; k < n; k++)
		if (!isfinite(at(&r, k)))
			return NAN;
	return functions[m->function].of(&r);
}

/* ---- Reading ---- */

/* Returns the end of an item, a comma outside of parentheses or the end of the text; NULL:
 * parentheses do not match. */
static const char *end_of_item(const char *text)
{
	int depth = 0;
	for (; *text && (*text != ',' || depth > 0); text++) {
		depth += (*text == '(') - (*text == ')');
		if (depth < 0)
			return NULL;
	}
	return depth == 0 ? text : NULL;
}

/* Is it FUNCTION(one item)? max(a, b) is an expression, and so is max(a)/max(b). */
static int function_of(const char *item, size_t length, size_t *name)
{
	*name = strspn(item, "abcdefghijklmnopqrstuvwxyz");
	if (*name >= length || item[*name] != '(' || item[length - 1] != ')')
		return -1;
	int depth = 0;
	for (size_t i = *name; i < length; i++) {
		depth += (item[i] == '(') - (item[i] == ')');
		if ((depth == 0 && i + 1 < length) || (depth == 1 && item[i] == ','))
			return -1;
	}
	for (int f = 0; f < FUNCTIONS; f++)
		if (strlen(functions[f].name) == *name &&
		    strncmp(functions[f].name, item, *name) == 0)
			return f;
	return -1;
}

static bxt_status add(const char *item, size_t length, bxt_arena *arena, bxt_row_measure *to)
{
	size_t name;
	const int f = function_of(item, length, &name);
	to->function = f < 0 ? 0 : f;
	to->name = bxt_arena_printf(arena, "%.*s", (int)length, item);
	to->signal =
		f < 0 ? to->name
		      : bxt_arena_printf(arena, "%.*s", (int)(length - name - 2), item + name + 1);
	return to->name && to->signal ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_row_measures_read(const char *text, bxt_arena *arena, bxt_diagnostics *d,
				 bxt_row_measure **out, size_t *n)
{
	size_t commas = 0;
	for (const char *c = text; *c; c++)
		commas += *c == ',';
	*n = 0;
	*out = BXT_NEW(arena, bxt_row_measure, commas + 1);
	if (!*out)
		return BXT_ERR_MEMORY;
	for (const char *item = text, *end; item; item = *end ? end + 1 : NULL) {
		end = end_of_item(item);
		while (isspace((unsigned char)*item))
			item++;
		size_t length = end ? (size_t)(end - item) : 0;
		while (length > 0 && isspace((unsigned char)item[length - 1]))
			length--;
		if (length == 0) {
			bxt_error(d, BXT_NOWHERE, "measures '%s': %s", text,
				  end ? "an item is empty" : "parentheses do not match");
			return BXT_ERR_MODEL;
		}
		BXT_TRY(add(item, length, arena, &(*out)[(*n)++]));
	}
	return BXT_OK;
}
