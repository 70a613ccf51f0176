/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/sweep/sweep_axes.h"

#include "boxtimes_model.h"
#include "ground/base/random.h"
#include "model/component/csv_columns.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* [cases] The results of more would not fit into memory, and would take too long. */
static const size_t MOST_CASES = 10000000;

typedef struct reader {
	const bxt_system *system;
	const bxt_parameter_sweep_def *def;
	bxt_arena *arena;
	bxt_diagnostics *d;
	bxt_units *units;
	bxt_sweep_axes *to;
	bool bad;
} reader;

/* ---- Parameters ---- */

static bxt_status add_parameter(reader *r, const char *path)
{
	bxt_sweep_axes *to = r->to;
	bxt_part_info info = {.size = sizeof info};
	const long at = bxt_system_find(r->system, BXT_PART_PARAMETER, path, r->d);
	if (at < 0 || bxt_system_part(r->system, BXT_PART_PARAMETER, (size_t)at, &info) != BXT_OK) {
		r->bad = true;
		return BXT_OK;
	}
	const char *why = info.tunable ? NULL
				       : "cannot vary: it follows time or an input, or it is a "
					 "sample period or a delay";
	for (size_t i = 0; i < to->n_parameters; i++)
		why = to->parameter[i] == (size_t)at ? "varies twice" : why;
	if (why) {
		bxt_error(r->d, BXT_NOWHERE, "sweep: parameter '%s' %s", info.path, why);
		r->bad = true;
		return BXT_OK;
	}
	to->parameter[to->n_parameters] = (size_t)at;
	to->name[to->n_parameters] = bxt_arena_strdup(r->arena, info.path);
	to->si[to->n_parameters] = bxt_arena_strdup(r->arena, info.unit);
	const bool good = to->name[to->n_parameters] && to->si[to->n_parameters];
	to->n_parameters++;
	return good ? BXT_OK : BXT_ERR_MEMORY;
}

/* ---- Values ---- */

/* Reads a quantity of the parameter that was added last. */
static bool read_value(reader *r, const char *text, double *out)
{
	const size_t i = r->to->n_parameters - 1;
	char what[256];
	snprintf(what, sizeof what, "sweep: %s", r->to->name[i]);
	const bxt_quantity_error error = bxt_quantity_read(r->units, text, r->to->si[i], out);
	if (error != BXT_QUANTITY_OK)
		bxt_quantity_report(r->units, error, text, r->to->si[i], what, BXT_NOWHERE, r->d);
	r->bad = r->bad || error != BXT_QUANTITY_OK;
	return error == BXT_QUANTITY_OK;
}

static char *trim(char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	size_t n = strlen(text);
	while (n > 0 && isspace((unsigned char)text[n - 1]))
		text[--n] = '\0';
	return text;
}

/* Cuts at a character; returns the parts, at most `most`, or most + 1: there are more. */
static size_t cut(char *text, char at, char **part, size_t most)
{
	size_t n = 0;
	for (char *next; text; text = next) {
		next = strchr(text, at);
		if (next)
			*next++ = '\0';
		if (n == most)
			return most + 1;
		part[n++] = trim(text);
	}
	return n;
}

static void refuse(reader *r, const char *written, const char *why)
{
	bxt_error(r->d, BXT_NOWHERE,
		  "sweep: '%s' %s: write NAME=FROM : TO : NUMBER, NAME=FROM : TO : log : NUMBER, "
		  "NAME=A, B, C, or NAME=MIDDLE +- PART %% [: normal]",
		  written, why);
	r->bad = true;
}

static bxt_status read_range(reader *r, const char *written, char **part, size_t n,
			     bxt_sweep_axis *axis)
{
	const bool log = n == 4 && strcmp(part[2], "log") == 0;
	char *end;
	const long points = strtol(part[n - 1], &end, 10);
	double from, to;
	if ((n == 4 && !log && strcmp(part[2], "lin") != 0) || *end || end == part[n - 1] ||
	    points < 2) {
		refuse(r, written, "has no number of values, 2 or more");
		return BXT_OK;
	}
	if ((size_t)points > MOST_CASES) {
		refuse(r, written, "has more than 1e7 values");
		return BXT_OK;
	}
	if (!read_value(r, part[0], &from) || !read_value(r, part[1], &to))
		return BXT_OK;
	if (log && !(from * to > 0)) {
		refuse(r, written, "has equal ratios between values of one sign alone");
		return BXT_OK;
	}
	axis->n = (size_t)points;
	axis->value = BXT_NEW(r->arena, double, axis->n);
	if (!axis->value)
		return BXT_ERR_MEMORY;
	for (size_t k = 0; k < axis->n; k++) {
		const double x = (double)k / (double)(points - 1);
		axis->value[k] = log ? from * pow(to / from, x) : from + x * (to - from);
	}
	axis->value[axis->n - 1] = to;
	return BXT_OK;
}

static bxt_status read_list(reader *r, char *text, bxt_sweep_axis *axis)
{
	size_t n = 1;
	for (const char *c = text; *c; c++)
		n += *c == ',';
	axis->n = n;
	axis->value = BXT_NEW(r->arena, double, n);
	char **part = BXT_NEW(r->arena, char *, n);
	if (!axis->value || !part)
		return BXT_ERR_MEMORY;
	cut(text, ',', part, n);
	for (size_t k = 0; k < n; k++)
		read_value(r, part[k], &axis->value[k]);
	return BXT_OK;
}

/* "1 kohm +- 5 %", "1 kohm +- 50 ohm : normal" */
static void read_drawn(reader *r, const char *written, char *text, bxt_sweep_axis *axis)
{
	char *part[2], *half = strstr(text, "+-");
	*half = '\0';
	const size_t n = cut(half + 2, ':', part, 2);
	if (n > 2 || (n == 2 && strcmp(part[1], "normal") != 0)) {
		refuse(r, written, "ends in what is not ': normal'");
		return;
	}
	if (!read_value(r, trim(text), &axis->middle))
		return;
	const size_t length = strlen(part[0]);
	if (length > 0 && part[0][length - 1] == '%') {
		part[0][length - 1] = '\0';
		char *end;
		axis->half = strtod(part[0], &end) / 100 * fabs(axis->middle);
		if (*trim(end) || end == part[0])
			refuse(r, written, "has no number of per cent");
	} else {
		read_value(r, part[0], &axis->half);
	}
	if (!(axis->half >= 0) || !isfinite(axis->half))
		refuse(r, written, "scatters by what is no positive number");
	axis->drawn = true;
	axis->normal = n == 2;
	axis->n = 1;
}

static bxt_status read_axis(reader *r, const char *written)
{
	bxt_sweep_axis *axis = &r->to->axis[r->to->n++];
	char *text = bxt_arena_strdup(r->arena, written), *part[4];
	if (!text)
		return BXT_ERR_MEMORY;
	*axis = (bxt_sweep_axis){.first = r->to->n_parameters, .n_parameters = 1};
	char *equal = strchr(text, '=');
	if (!equal || equal == text) {
		refuse(r, written, "names no parameter");
		return BXT_OK;
	}
	*equal = '\0';
	BXT_TRY(add_parameter(r, trim(text)));
	if (r->to->n_parameters == axis->first)
		return BXT_OK;
	char *values = equal + 1;
	if (strstr(values, "+-")) {
		read_drawn(r, written, values, axis);
		return BXT_OK;
	}
	if (!strchr(values, ':'))
		return read_list(r, values, axis);
	const size_t n = cut(values, ':', part, 4);
	if (n >= 3 && n <= 4)
		return read_range(r, written, part, n, axis);
	refuse(r, written, "is no range");
	return BXT_OK;
}

/* ---- Cases of a file ---- */

static bxt_status take_columns(reader *r, const bxt_csv *csv, bxt_sweep_axis *axis)
{
	axis->n = (size_t)csv->n_rows;
	axis->value = BXT_NEW(r->arena, double, axis->n *(size_t)csv->n_columns + 1);
	if (!axis->value)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < csv->n_columns; j++) {
		const bxt_csv_column *c = &csv->column[j];
		const size_t before = r->to->n_parameters;
		BXT_TRY(add_parameter(r, c->name));
		if (r->to->n_parameters == before)
			continue;
		const char *si = r->to->si[before];
		if (*c->unit && bxt_units_same_dimension(r->units, c->unit, *si ? si : "1") == 0) {
			bxt_error(r->d, BXT_NOWHERE,
				  "%s: column '%s' is in %s, the parameter in %s", csv->path,
				  c->name, c->unit, *si ? si : "1");
			r->bad = true;
		}
		for (size_t k = 0; k < axis->n; k++)
			axis->value[k * (size_t)csv->n_columns + (size_t)j] = c->value[k];
	}
	axis->n_parameters = (size_t)csv->n_columns;
	if (csv->n_rows == 0) {
		bxt_error(r->d, BXT_NOWHERE, "%s: there are no cases", csv->path);
		r->bad = true;
	}
	return BXT_OK;
}

static bxt_status read_cases(reader *r, const bxt_csv *csv)
{
	bxt_sweep_axis *axis = &r->to->axis[r->to->n++];
	*axis = (bxt_sweep_axis){.first = r->to->n_parameters};
	r->bad = r->bad || csv->bad;
	return csv->bad ? BXT_OK : take_columns(r, csv, axis);
}

/* ---- All of them ---- */

static bxt_status make_room(reader *r, size_t columns)
{
	bxt_sweep_axes *to = r->to;
	const size_t n = r->def->n_vary + columns;
	to->axis = BXT_NEW(r->arena, bxt_sweep_axis, r->def->n_vary + 1);
	to->parameter = BXT_NEW(r->arena, size_t, n + 1);
	to->name = BXT_NEW(r->arena, const char *, n + 1);
	to->si = BXT_NEW(r->arena, const char *, n + 1);
	return to->axis && to->parameter && to->name && to->si ? BXT_OK : BXT_ERR_MEMORY;
}

static void count_cases(reader *r)
{
	bxt_sweep_axes *to = r->to;
	bool drawn = false;
	to->n_cases = 1;
	for (size_t i = 0; i < to->n; i++)
		drawn = drawn || to->axis[i].drawn;
	to->draws = drawn && r->def->draws > 0 ? r->def->draws : 1;
	for (size_t i = 0; i <= to->n && !r->bad; i++) {
		const size_t n = i < to->n ? to->axis[i].n : to->draws;
		if (n <= MOST_CASES / to->n_cases) {
			to->n_cases *= n;
			continue;
		}
		bxt_error(r->d, BXT_NOWHERE, "sweep: there are more than 1e7 cases");
		r->bad = true;
	}
	if (r->def->draws > 1 && !drawn && !r->bad)
		bxt_warning(r->d, BXT_NOWHERE,
			    "sweep: nothing is drawn, each case is run once: write NAME=MIDDLE +- "
			    "PART %%");
}

static bxt_status read_all(reader *r)
{
	bxt_csv csv = {0};
	const char *why = NULL, *cases = r->def->cases;
	bxt_status status = BXT_OK;
	if (cases)
		status = bxt_csv_read(r->arena, r->units, cases, r->d, &csv, &why);
	if (status == BXT_ERR_IO) {
		status = BXT_ERR_MODEL;
		bxt_error(r->d, BXT_NOWHERE, "%s: cannot be read: %s", cases, why ? why : "?");
	}
	if (status == BXT_OK)
		status = make_room(r, (size_t)csv.n_columns);
	if (status == BXT_OK && cases)
		status = read_cases(r, &csv);
	for (size_t i = 0; i < r->def->n_vary && status == BXT_OK; i++)
		status = read_axis(r, r->def->vary[i]);
	if (cases)
		bxt_csv_release(&csv);
	return status;
}

bxt_status bxt_sweep_axes_read(const bxt_system *system, const bxt_parameter_sweep_def *def,
			       bxt_arena *arena, bxt_diagnostics *d, bxt_sweep_axes *out)
{
	*out = (bxt_sweep_axes){.seed = def->seed};
	reader r = {.system = system, .def = def, .arena = arena, .d = d, .to = out};
	r.units = bxt_units_new();
	bxt_status status = r.units ? read_all(&r) : BXT_ERR_MEMORY;
	bxt_units_free(r.units);
	BXT_TRY(status);
	count_cases(&r);
	return r.bad ? BXT_ERR_MODEL : BXT_OK;
}

/* Box and Muller's transform of two numbers in (-1, 1). */
static double draw_normal(uint64_t *state)
{
	const double u = (bxt_random_number(state) + 1) / 2, w = bxt_random_number(state);
	return sqrt(-2 * log(fmax(u, 0x1p-60))) * cos(3.14159265358979323846 * w);
}

/* Each drawn number has a seed of its own, from the case and the axis, so that it does not depend
 * on the thread. */
static double draw(const bxt_sweep_axes *axes, size_t axis, size_t number)
{
	const bxt_sweep_axis *a = &axes->axis[axis];
	uint64_t state = axes->seed;
	state = bxt_random_next(&state) + number;
	state = bxt_random_next(&state) + axis;
	return a->middle + a->half * (a->normal ? draw_normal(&state) : bxt_random_number(&state));
}

void bxt_sweep_axes_case(const bxt_sweep_axes *axes, size_t number, double *value)
{
	size_t rest = number / axes->draws;
	for (size_t i = axes->n; i-- > 0;) {
		const bxt_sweep_axis *a = &axes->axis[i];
		const size_t k = rest % a->n;
		rest /= a->n;
		for (size_t j = 0; j < a->n_parameters; j++)
			value[a->first + j] = a->drawn ? draw(axes, i, number)
						       : a->value[k * a->n_parameters + j];
	}
}
