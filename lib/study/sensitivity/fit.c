/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds parameters from data by nonlinear least squares, with the steps of Levenberg and Marquardt,
 * (J^T J + lambda s_1^2 1) du = - J^T r. They are computed from the singular values of J, which
 * also show what the data do not determine. J are derivatives of the discrete run (tangent.h). u is
 * log p for parameters that must be positive, otherwise p divided by its magnitude at the start, so
 * neither has a unit. Source: More, The Levenberg-Marquardt algorithm, Lecture Notes in Math. 630
 * (1978).
 */
#include "model/component/quantity.h"
#include "run/account/table.h"
#include "study/sensitivity/sensitivity.h"
#include "study/sensitivity/singular_values.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITERATIONS = 100 };
static const double PART = 1.0 / 16384;
/*
 * lambda at first, the value above which a step is too short to matter, and the factor by which it
 * changes.
 */
static const double LAMBDA = 1e-3, HOPELESS = 1e10, MORE = 10;
/*
 * A parameter changes at most by the factor exp(FARTHEST) in a step, or by FARTHEST times its
 * start.
 */
static const double FARTHEST = 1;
/*
 * The search ends when the relative changes of all parameters, or of the sum of squares, are below
 * these limits.
 */
static const double DONE = 1e-10, DONE_SUM = 1e-14;
/*
 * Singular values of J below this fraction of the largest belong to combinations of parameters that
 * change no signal.
 */
static const double UNDETERMINED = 1e-7;
/* A parameter is named if its share in such a combination exceeds this. */
static const double SHARE = 0.1;
/*
 * Distance of parameters from their bounds, relative to their start: derivatives need values on
 * both sides.
 */
static const double OFF_BOUND = 1.0 / 1024;

typedef struct result {
	bxt_fit fit; /* first member, because the caller has a pointer to it */
	bxt_arena *arena;
} result;

typedef struct datum {
	size_t row, column;
	double value;
} datum;

typedef struct search {
	bxt_arena *arena;
	bxt_simulation *m;
	const bxt_table *data;
	bxt_diagnostics *d;
	bxt_parameter_list list;
	double *start, *least, *most; /* (list.n) */
	bool *by_log;                 /* (list.n) */
	size_t columns, n;
	datum *datum;      /* (n) */
	double *range;     /* (columns) */
	double *r, *trial; /* (n) (run - y) / range */
	double *j;         /* (n, list.n) by columns, by u */
	int runs;
} search;

void bxt_default_fit_def(bxt_fit_def *def)
{
	if (def)
		*def = (bxt_fit_def){.size = sizeof *def};
}

bxt_fit *bxt_fit_free(bxt_fit *f)
{
	if (f)
		bxt_arena_free(((result *)(void *)f)->arena);
	return NULL;
}

/* ---- Data ---- */

/* value in SI = offset + scale value; false after a finding. */
static bool find_unit(const search *f, bxt_units *units, size_t column, double *offset,
		      double *scale)
{
	const char *unit = bxt_table_unit(f->data, column);
	const char *si = f->m->recorder->columns[column].unit;
	char text[2][96], what[160];
	double at[2];
	*offset = 0;
	*scale = 1;
	if (!unit || !*unit || !si || strcmp(unit, si) == 0)
		return true;
	snprintf(what, sizeof what, "data: column '%.100s'", bxt_table_name(f->data, column));
	for (int k = 0; k < 2; k++) {
		snprintf(text[k], sizeof text[k], "%d %.80s", k, unit);
		const bxt_quantity_error error =
			bxt_quantity_read(units, text[k], *si ? si : "1", &at[k]);
		if (error != BXT_QUANTITY_OK) {
			bxt_quantity_report(units, error, text[k], *si ? si : "1", what,
					    BXT_NOWHERE, f->d);
			return false;
		}
	}
	*offset = at[0];
	*scale = at[1] - at[0];
	return true;
}

static bxt_status take_data(search *f)
{
	const size_t rows = bxt_table_rows(f->data);
	bxt_units *units = bxt_units_new();
	bool good = units != NULL;
	f->datum = BXT_NEW(f->arena, datum, rows * f->columns + 1);
	f->range = BXT_NEW(f->arena, double, f->columns + 1);
	if (!units || !f->datum || !f->range) {
		bxt_units_free(units);
		return BXT_ERR_MEMORY;
	}
	for (size_t c = 0; c < f->columns; c++) {
		double offset, scale, least = INFINITY, most = -INFINITY;
		good = find_unit(f, units, c, &offset, &scale) && good;
		for (size_t i = 0; i < rows; i++) {
			const double y = offset + scale * bxt_table_value(f->data, i, c);
			if (!isfinite(y))
				continue;
			f->datum[f->n++] = (datum){i, c, y};
			least = fmin(least, y);
			most = fmax(most, y);
		}
		f->range[c] = most > least ? most - least : fabs(most) > 0 ? fabs(most) : 1;
	}
	bxt_units_free(units);
	if (good && f->n < f->list.n) {
		bxt_error(f->d, BXT_NOWHERE, "fit: %zu data do not determine %zu parameters", f->n,
			  f->list.n);
		good = false;
	}
	f->r = BXT_NEW(f->arena, double, f->n + 1);
	f->trial = BXT_NEW(f->arena, double, f->n + 1);
	f->j = BXT_NEW(f->arena, double, f->n * f->list.n + 1);
	return !f->r || !f->trial || !f->j ? BXT_ERR_MEMORY : good ? BXT_OK : BXT_ERR_MODEL;
}

/* The list of signals that the data contain. */
static char *record_of(const bxt_table *data, bxt_arena *arena)
{
	bxt_buffer list = {0};
	for (size_t c = 0; c < bxt_table_columns(data); c++)
		bxt_buffer_printf(&list, "%s%s", c ? ", " : "", bxt_table_name(data, c));
	char *text = list.failed ? NULL : bxt_arena_strdup(arena, list.text ? list.text : "");
	bxt_buffer_free(&list);
	return text;
}

static bxt_status check_times(const bxt_table *data, bxt_diagnostics *d)
{
	const size_t rows = bxt_table_rows(data);
	bool good = rows > 0 && bxt_table_columns(data) > 0;
	if (!good)
		bxt_error(d, BXT_NOWHERE, "fit: there are no data");
	if (good && !bxt_table_is_over_time(data)) {
		bxt_error(d, BXT_NOWHERE,
			  "fit: the first column of the data must be the times, with a header such "
			  "as 'time [s]'");
		good = false;
	}
	for (size_t i = 0; i < rows && good; i++) {
		const double t = bxt_table_time(data, i);
		good = isfinite(t) && t >= 0 && (i == 0 || t >= bxt_table_time(data, i - 1));
		if (!good)
			bxt_error(d, BXT_NOWHERE,
				  "fit: the times of the data must not be negative, nor go back: "
				  "row %zu is at %g s",
				  i + 1, t);
	}
	return good ? BXT_OK : BXT_ERR_MODEL;
}

/* ---- A run ---- */

/* Column c of the rows at a time, by linear interpolation between rows. *row only increases. */
static double at_time(const bxt_table *rows, size_t c, double t, size_t *row)
{
	const size_t n = bxt_table_rows(rows);
	while (*row + 1 < n && bxt_table_time(rows, *row + 1) < t)
		++*row;
	const double a = bxt_table_value(rows, *row, c);
	if (*row + 1 == n)
		return a;
	const double from = bxt_table_time(rows, *row), to = bxt_table_time(rows, *row + 1);
	const double b = bxt_table_value(rows, *row + 1, c);
	const double x = to > from ? fmin(fmax((t - from) / (to - from), 0), 1) : 0;
	return x == 1 ? b : a + x * (b - a);
}

/*
 * Runs with the values; writes residuals to r and, if requested, derivatives with respect to u to
 * f->j.
 */
static bxt_status run_with(search *f, const double *value, bool derivatives, double *r)
{
	static const bxt_parameter_list none;
	const size_t k = f->list.n;
	bxt_parameter_list by = f->list;
	bxt_sink to;
	double error;
	bxt_table *rows = bxt_table_new();
	bxt_column *names = calloc(f->columns * (k + 1) + 1, sizeof *names);
	bxt_status status = rows && names ? BXT_OK : BXT_ERR_MEMORY;
	by.value = (double *)value;
	f->runs++;
	for (size_t i = 0; i < f->columns * (k + 1) && names; i++)
		names[i] = (bxt_column){sizeof *names, "", ""};
	if (status == BXT_OK) {
		bxt_table_sink(rows, &to);
		status = to.columns(to.context, f->columns * (derivatives ? k + 1 : 1), names);
	}
	if (status == BXT_OK)
		status = bxt_simulation_set_parameters(f->m, k, by.index, value, f->d);
	if (status == BXT_OK)
		status = bxt_simulation_reset(f->m, f->d);
	if (status == BXT_OK)
		status = bxt_sensitivity_rows(f->m, derivatives ? &by : &none, PART, &to, &error,
					      f->d);
	for (size_t i = 0, row = 0, c = 0; i < f->n && status == BXT_OK; i++) {
		const datum *y = &f->datum[i];
		const double t = bxt_table_time(f->data, y->row), w = 1 / f->range[y->column];
		row = y->column == c ? row : 0;
		c = y->column;
		r[i] = w * (at_time(rows, c, t, &row) - y->value);
		for (size_t p = 0; p < k && derivatives; p++) {
			const double u = f->by_log[p] ? value[p] : fabs(f->start[p]);
			f->j[p * f->n + i] =
				w * u * at_time(rows, (p + 1) * f->columns + c, t, &row);
		}
		if (!isfinite(r[i]))
			status = BXT_ERR_NOT_FINITE;
	}
	free(names);
	bxt_table_free(rows);
	return status;
}

static double sum_of_squares(const double *r, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += r[i] * r[i];
	return sum;
}

/* ---- Steps ---- */

/* Values after a step by u, inside the bounds. Returns the largest relative change that remains. */
static double step_from(const search *f, const double *value, const double *u, double *to)
{
	double most = 0;
	for (size_t k = 0; k < f->list.n; k++) {
		const double by = fmin(fmax(u[k], -FARTHEST), FARTHEST);
		double p = f->by_log[k] ? value[k] * exp(by) : value[k] + fabs(f->start[k]) * by;
		const double off = OFF_BOUND * fabs(f->start[k]);
		p = isfinite(f->least[k]) && f->least[k] != 0 ? fmax(p, f->least[k] + off) : p;
		p = isfinite(f->most[k]) ? fmin(p, f->most[k] - off) : p;
		to[k] = p;
		most = fmax(most, fabs(p - value[k]) /
					  (f->by_log[k] ? fabs(value[k]) : fabs(f->start[k])));
	}
	return most;
}

/* Findings of runs that only try values are discarded. */
static bxt_status try_values(search *f, const double *value)
{
	bxt_diagnostics *own = f->d;
	f->d = bxt_diagnostics_new();
	const bxt_status status = f->d ? run_with(f, value, false, f->trial) : BXT_ERR_MEMORY;
	bxt_diagnostics_free(f->d);
	f->d = own;
	return status;
}

/*
 * Finds a step with a smaller sum of squares; *lambda and the values change. *change: the largest
 * change of a parameter, 0: there is no such step.
 */
static bxt_status take_step(search *f, const bxt_singular_values *s, double *value, double *sum,
			    double *lambda, double *change)
{
	const size_t k = f->list.n;
	double *u = malloc(2 * k * sizeof *u + 1), *to = u + k;
	if (!u)
		return BXT_ERR_MEMORY;
	bxt_status status = BXT_OK;
	*change = 0;
	for (; *lambda < HOPELESS; *lambda *= MORE) {
		bxt_singular_values_solve(s, 1e-12, sqrt(*lambda) * s->s[0], f->r, u);
		for (size_t i = 0; i < k; i++)
			u[i] = -u[i];
		const double most = step_from(f, value, u, to);
		if (most < DONE)
			break;
		status = try_values(f, to);
		if (status == BXT_ERR_MEMORY || status == BXT_ERR_INTERRUPTED)
			break;
		const double next = status == BXT_OK ? sum_of_squares(f->trial, f->n) : INFINITY;
		status = BXT_OK;
		if (next < *sum) {
			*change = *sum - next <= DONE_SUM * *sum ? 0 : most;
			*sum = next;
			*lambda /= MORE;
			memcpy(value, to, k * sizeof *value);
			break;
		}
	}
	free(u);
	return status;
}

static bxt_status find_values(search *f, bxt_singular_values *s, double *value, int *iterations,
			      double *sum)
{
	const size_t size = f->n * f->list.n;
	double lambda = LAMBDA, change = 1;
	for (;;) {
		BXT_TRY(run_with(f, value, true, f->r));
		*sum = sum_of_squares(f->r, f->n);
		double *a = malloc((size + 1) * sizeof *a);
		if (!a)
			return BXT_ERR_MEMORY;
		memcpy(a, f->j, size * sizeof *a);
		const bxt_status status =
			bxt_singular_values_find(f->arena, (int)f->n, (int)f->list.n, a, s);
		free(a);
		BXT_TRY(status);
		if (change == 0 || *iterations == MOST_ITERATIONS || *sum == 0)
			return BXT_OK;
		BXT_TRY(take_step(f, s, value, sum, &lambda, &change));
		if (change == 0)
			return BXT_OK;
		++*iterations;
	}
}

/* ---- The result ---- */

static bool is_at_bound(const search *f, size_t k, double value)
{
	const double off = 2 * OFF_BOUND * fabs(f->start[k]);
	return (isfinite(f->least[k]) && f->least[k] != 0 && value <= f->least[k] + off) ||
	       (isfinite(f->most[k]) && value >= f->most[k] - off);
}

static void name_undetermined(search *f, const bool *open)
{
	bxt_buffer names = {0};
	for (size_t k = 0; k < f->list.n; k++)
		if (open[k])
			bxt_buffer_printf(&names, "%s%s", names.length ? ", " : "",
					  f->list.name[k]);
	if (names.length)
		bxt_warning(f->d, BXT_NOWHERE,
			    "fit: the data do not determine %s: a change of these, of several "
			    "together, changes no signal that was measured",
			    names.text);
	bxt_buffer_free(&names);
}

/* Covariance sigma^2 V S^-2 V^T of u, then of values. */
static bxt_status tell_parameters(search *f, const bxt_singular_values *s, const double *value,
				  double sum, result *r)
{
	const size_t n = f->list.n;
	const double freedom = (double)f->n - (double)n;
	const double variance = freedom > 0 ? sum / freedom : NAN;
	bxt_fit_parameter *to = BXT_NEW(r->arena, bxt_fit_parameter, n + 1);
	double *covariance = BXT_NEW(r->arena, double, n *n + 1);
	bool *open = BXT_NEW(r->arena, bool, n + 1), any = false;
	if (!to || !covariance || !open)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < s->k; i++) {
		const bool lost = !(s->s[i] > UNDETERMINED * s->s[0]);
		any = any || lost;
		for (size_t a = 0; a < n; a++) {
			const double va = s->vt[a * (size_t)s->k + (size_t)i];
			open[a] = open[a] || (lost && fabs(va) > SHARE);
			for (size_t b = 0; b < n && !lost; b++)
				covariance[a * n + b] += variance * va *
							 s->vt[b * (size_t)s->k + (size_t)i] /
							 (s->s[i] * s->s[i]);
		}
	}
	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; b < n; b++)
			covariance[a * n + b] *= (f->by_log[a] ? value[a] : fabs(f->start[a])) *
						 (f->by_log[b] ? value[b] : fabs(f->start[b]));
	for (size_t k = 0; k < n; k++)
		to[k] = (bxt_fit_parameter){.size = sizeof *to,
					    .name = f->list.name[k],
					    .unit = f->list.si[k],
					    .start = f->start[k],
					    .value = value[k],
					    .error = open[k] ? INFINITY
							     : sqrt(covariance[k * n + k]),
					    .at_bound = is_at_bound(f, k, value[k])};
	name_undetermined(f, open);
	r->fit.n = n;
	r->fit.parameter = to;
	r->fit.covariance = any ? NULL : covariance;
	return BXT_OK;
}

static void rms_of(const search *f, const double *residual, double *to)
{
	size_t *count = calloc(f->columns + 1, sizeof *count);
	memset(to, 0, f->columns * sizeof *to);
	for (size_t i = 0; i < f->n && count; i++) {
		const size_t c = f->datum[i].column;
		const double by = residual[i] * f->range[c];
		to[c] += by * by;
		count[c]++;
	}
	for (size_t c = 0; c < f->columns && count; c++)
		to[c] = count[c] ? sqrt(to[c] / (double)count[c]) : NAN;
	free(count);
}

/* Signals, with texts that outlive the simulation. */
static bxt_status name_signals(const search *f, result *r)
{
	bxt_column *c = BXT_NEW(r->arena, bxt_column, f->columns + 1);
	if (!c)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < f->columns; i++) {
		const bxt_column *from = &f->m->recorder->columns[i];
		c[i] = (bxt_column){sizeof *c, bxt_arena_strdup(r->arena, from->name),
				    bxt_arena_strdup(r->arena, from->unit ? from->unit : "")};
		if (!c[i].name || !c[i].unit)
			return BXT_ERR_MEMORY;
	}
	r->fit.n_signals = f->columns;
	r->fit.signal = c;
	r->fit.n_points = f->n;
	return BXT_OK;
}

static bxt_status fit_all(search *f, result *r)
{
	const size_t n = f->list.n;
	bxt_singular_values s;
	double *value = BXT_NEW(f->arena, double, n + 1), sum;
	double *before = BXT_NEW(r->arena, double, f->columns + 1);
	double *after = BXT_NEW(r->arena, double, f->columns + 1);
	if (!value || !before || !after)
		return BXT_ERR_MEMORY;
	BXT_TRY(take_data(f));
	memcpy(value, f->start, n * sizeof *value);
	BXT_TRY(run_with(f, value, false, f->r));
	rms_of(f, f->r, before);
	BXT_TRY(find_values(f, &s, value, &r->fit.iterations, &sum));
	if (r->fit.iterations == MOST_ITERATIONS)
		bxt_warning(f->d, BXT_NOWHERE, "fit: %d steps have not come to the least squares",
			    MOST_ITERATIONS);
	BXT_TRY(run_with(f, value, true, f->r));
	rms_of(f, f->r, after);
	r->fit.rms_before = before;
	r->fit.rms = after;
	r->fit.runs = f->runs;
	BXT_TRY(name_signals(f, r));
	return tell_parameters(f, &s, value, sum, r);
}

/* Start values, bounds, and the parameters that vary by their logarithm. */
static bxt_status take_parameters(search *f, const bxt_system *system)
{
	const size_t n = f->list.n;
	f->start = BXT_NEW(f->arena, double, n + 1);
	f->least = BXT_NEW(f->arena, double, n + 1);
	f->most = BXT_NEW(f->arena, double, n + 1);
	f->by_log = BXT_NEW(f->arena, bool, n + 1);
	if (!f->start || !f->least || !f->most || !f->by_log)
		return BXT_ERR_MEMORY;
	for (size_t k = 0; k < n; k++) {
		bxt_part_info info = {.size = sizeof info};
		BXT_TRY(bxt_system_part(system, BXT_PART_PARAMETER, f->list.index[k], &info));
		f->start[k] = f->list.value[k];
		f->least[k] = info.least;
		f->most[k] = info.most;
		f->by_log[k] = f->start[k] > 0 && (info.positive || info.least >= 0);
	}
	return BXT_OK;
}

static bxt_status fit_data(const bxt_system *system, const bxt_fit_def *def, bxt_diagnostics *d,
			   result *r)
{
	bxt_run_def run;
	search f = {.arena = r->arena, .data = def->data, .d = d};
	bxt_default_run_def(&run);
	if (def->run)
		BXT_TRY(bxt_take_sized(def->run, &run, sizeof run, "bxt_run_def", d));
	BXT_TRY(check_times(def->data, d));
	BXT_TRY(bxt_parameter_list_read(system, def->vary, "fit", r->arena, d, &f.list));
	BXT_TRY(take_parameters(&f, system));
	run.record = record_of(def->data, r->arena);
	run.every = 1; /* data may lie at any time */
	run.record_also = NULL;
	run.n_record_also = 0;
	run.end = bxt_table_time(def->data, bxt_table_rows(def->data) - 1);
	f.columns = bxt_table_columns(def->data);
	if (!run.record)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_simulation_new(system, &run, d, &f.m));
	bxt_status status = BXT_OK;
	if (f.m->recorder->n != f.columns) {
		bxt_error(d, BXT_NOWHERE, "fit: a column of the data stands for several signals");
		status = BXT_ERR_MODEL;
	}
	if (status == BXT_OK)
		status = fit_all(&f, r);
	bxt_simulation_free(f.m);
	return status;
}

bxt_status bxt_fit_run(const bxt_system *system, const bxt_fit_def *given, bxt_diagnostics *d,
		       bxt_fit **out)
{
	bxt_fit_def def;
	BXT_NEEDS(d, out);
	*out = NULL;
	BXT_NEEDS(d, system);
	BXT_NEEDS(d, given);
	BXT_TRY(bxt_take_sized(given, &def, sizeof def, "bxt_fit_def", d));
	BXT_NEEDS(d, def.data);
	bxt_arena *arena = bxt_arena_new();
	result *r = arena ? BXT_NEW(arena, result, 1) : NULL;
	if (!r) {
		bxt_arena_free(arena);
		return BXT_ERR_MEMORY;
	}
	r->arena = arena;
	const bxt_status status = fit_data(system, &def, d, r);
	*out = status == BXT_OK ? &r->fit : bxt_fit_free(&r->fit);
	return status;
}
