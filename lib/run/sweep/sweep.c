/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sweep: threads take cases in turn. Each thread has a simulation and findings of its own, which
 * it discards after a case that failed. Results of a case do not depend on the case before, since a
 * simulation that is reset equals a new one bit for bit.
 */
#include "ground/base/csv.h"
#include "run/simulation/simulation.h"
#include "run/sweep/sweep_axes.h"
#include "run/sweep/sweep_measures.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_JOBS = 256 };

/* Data that threads share. */
typedef struct sweep {
	const bxt_system *system;
	const bxt_parameter_sweep_def *def;
	bxt_sweep_axes axes;
	bxt_run_def run;
	bxt_row_measure *measure;
	size_t n_measures, n_signals;
	double *value; /* (cases x columns) */
	size_t columns;

	pthread_mutex_t lock;
	size_t next, n_done, n_failed;
	size_t worst; /* the first case that failed ... */
	char *why;    /* ... and the reason, heap */
	bxt_status status;
} sweep;

/* Data of one thread. */
typedef struct worker {
	sweep *w;
	bxt_simulation *simulation;
	bxt_diagnostics *d;
	double *t, *y; /* (rows), (rows x measures) */
	size_t n, room;
} worker;

/* ---- The public object ---- */

typedef struct result {
	bxt_parameter_sweep sweep; /* first member: the caller has a pointer to it */
	bxt_arena *arena;
} result;

void bxt_default_parameter_sweep_def(bxt_parameter_sweep_def *def)
{
	if (def)
		*def = (bxt_parameter_sweep_def){.size = sizeof *def, .seed = 1};
}

bxt_parameter_sweep *bxt_parameter_sweep_free(bxt_parameter_sweep *s)
{
	if (s)
		bxt_arena_free(((result *)(void *)s)->arena);
	return NULL;
}

/* ---- One case ---- */

static bxt_status keep_row(worker *k)
{
	const size_t m = k->w->n_signals;
	if (k->n == k->room) {
		const size_t room = k->room ? 2 * k->room : 256;
		double *t = realloc(k->t, room * sizeof *t);
		k->t = t ? t : k->t;
		double *y = t ? realloc(k->y, room * m * sizeof *y) : NULL;
		k->y = y ? y : k->y;
		if (!y)
			return BXT_ERR_MEMORY;
		k->room = room;
	}
	k->t[k->n] = bxt_simulation_time(k->simulation);
	BXT_TRY(bxt_simulation_read(k->simulation, &k->y[k->n * m]));
	k->n++;
	return BXT_OK;
}

static bxt_status run_rows(worker *k)
{
	bxt_simulation *m = k->simulation;
	const double end = bxt_simulation_end(m);
	const long every = m->settings.every;
	bool cut;
	long rest = bxt_simulation_points(m, end, &cut);
	rest -= cut;
	k->n = 0;
	BXT_TRY(keep_row(k));
	if (k->w->def->at_start)
		return BXT_OK;
	while (rest > 0) {
		const long n = rest < every ? rest : every;
		BXT_TRY(bxt_simulation_step(m, n, NULL, k->d));
		BXT_TRY(keep_row(k));
		rest -= n;
	}
	if (!cut)
		return BXT_OK;
	BXT_TRY(bxt_simulation_step_to(m, end, 0, k->d));
	return keep_row(k);
}

static bxt_status run_case(worker *k, const double *parameters)
{
	const sweep *w = k->w;
	if (!k->simulation)
		BXT_TRY(bxt_simulation_new(w->system, &w->run, k->d, &k->simulation));
	BXT_TRY(bxt_simulation_set_parameters(k->simulation, w->axes.n_parameters,
					      w->axes.parameter, parameters, k->d));
	BXT_TRY(bxt_simulation_reset(k->simulation, k->d));
	return run_rows(k);
}

/* Returns the first error of the findings; warnings of a case are not reported. */
static const char *first_error(const bxt_diagnostics *d)
{
	const size_t n = bxt_diagnostics_count(d, BXT_NOTE);
	for (size_t i = 0; i < n; i++) {
		const bxt_finding *f = bxt_diagnostics_get(d, i);
		if (f->severity == BXT_ERROR)
			return f->text;
	}
	return NULL;
}

/* To be called with the lock held. */
static void note_failure(sweep *w, size_t number, bxt_status status, const bxt_diagnostics *d)
{
	const char *why = first_error(d);
	if (w->n_failed++ > 0 && number > w->worst)
		return;
	free(w->why);
	w->why = strdup(why ? why : bxt_status_text(status));
	w->worst = number;
}

static bxt_status do_case(worker *k, size_t number)
{
	sweep *w = k->w;
	double *row = &w->value[number * w->columns];
	bxt_sweep_axes_case(&w->axes, number, row);
	const bxt_status status = run_case(k, row);
	for (size_t i = 0; i < w->n_measures; i++) {
		const bxt_row_measure *m = &w->measure[i];
		row[w->axes.n_parameters + i] =
			status == BXT_OK
				? bxt_row_measure_of(m, k->n, k->t, &k->y[m->column], w->n_signals)
				: NAN;
	}
	if (status != BXT_OK)
		k->simulation = bxt_simulation_free(k->simulation);
	return status;
}

/* ---- Threads ---- */

/* Takes the next case; false: there is none, or the sweep has ended. */
static bool take(sweep *w, size_t *number)
{
	pthread_mutex_lock(&w->lock);
	const bool more = w->status == BXT_OK && w->next < w->axes.n_cases;
	*number = w->next;
	w->next += more;
	pthread_mutex_unlock(&w->lock);
	return more;
}

static void settle(worker *k, size_t number, bxt_status status)
{
	sweep *w = k->w;
	const bxt_parameter_sweep_def *def = w->def;
	pthread_mutex_lock(&w->lock);
	if (status == BXT_ERR_MEMORY || status == BXT_ERR_INTERRUPTED)
		w->status = status;
	else if (status != BXT_OK)
		note_failure(w, number, status, k->d);
	w->n_done++;
	if (w->status == BXT_OK && def->done &&
	    !def->done(def->context, w->n_done, w->axes.n_cases))
		w->status = BXT_ERR_INTERRUPTED;
	pthread_mutex_unlock(&w->lock);
}

static void *work(void *argument)
{
	worker k = {.w = argument};
	size_t number;
	while (take(k.w, &number)) {
		bxt_diagnostics_free(k.d);
		k.d = bxt_diagnostics_new();
		settle(&k, number, k.d ? do_case(&k, number) : BXT_ERR_MEMORY);
	}
	bxt_simulation_free(k.simulation);
	bxt_diagnostics_free(k.d);
	free(k.t);
	free(k.y);
	return NULL;
}

static size_t jobs_of(const sweep *w)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t jobs =
		w->def->jobs > 0 ? (size_t)w->def->jobs : (size_t)(processors > 0 ? processors : 1);
	jobs = jobs < MOST_JOBS ? jobs : MOST_JOBS;
	return jobs < w->axes.n_cases ? jobs : w->axes.n_cases;
}

/* Runs the threads. The calling thread also works, alone if no other can be created. */
static void run_threads(sweep *w)
{
	pthread_t thread[MOST_JOBS];
	const size_t jobs = jobs_of(w);
	size_t started = 0;
	while (started + 1 < jobs && pthread_create(&thread[started], NULL, work, w) == 0)
		started++;
	work(w);
	for (size_t i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
}

/* ---- Before and after ---- */

/* Reads the measures, and makes the record on which they depend. */
static bxt_status read_measures(sweep *w, bxt_arena *arena, bxt_diagnostics *d)
{
	bxt_buffer record = {0};
	if (!w->def->measures)
		return BXT_OK;
	BXT_TRY(bxt_row_measures_read(w->def->measures, arena, d, &w->measure, &w->n_measures));
	for (size_t i = 0; i < w->n_measures; i++) {
		bxt_row_measure *m = &w->measure[i];
		const bxt_row_measure *same = w->measure;
		while (strcmp(same->signal, m->signal) != 0)
			same++;
		m->column = same == m ? w->n_signals++ : same->column;
		if (same == m)
			bxt_buffer_printf(&record, "%s%s", m->column ? ", " : "", m->signal);
	}
	w->run.record = record.text ? bxt_arena_strdup(arena, record.text) : NULL;
	bxt_buffer_free(&record);
	return w->run.record ? BXT_OK : BXT_ERR_MEMORY;
}

static bxt_status name_columns(sweep *w, const bxt_simulation *m, bxt_arena *arena,
			       bxt_diagnostics *d, bxt_column **out)
{
	const size_t n = bxt_simulation_signals(m), first = w->axes.n_parameters;
	if (!w->def->measures) {
		w->n_measures = w->n_signals = n;
		w->measure = BXT_NEW(arena, bxt_row_measure, n + 1);
		for (size_t i = 0; i < n && w->measure; i++)
			w->measure[i].column = i;
	} else if (n != w->n_signals) {
		bxt_error(d, BXT_NOWHERE, "measures '%s': an item stands for several signals",
			  w->def->measures);
		return BXT_ERR_MODEL;
	}
	w->columns = first + w->n_measures;
	bxt_column *c = *out = BXT_NEW(arena, bxt_column, w->columns + 1);
	if (!c || !w->measure)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < w->columns; i++) {
		bxt_row_measure *to = i < first ? NULL : &w->measure[i - first];
		const bxt_column *signal = to ? bxt_simulation_signal(m, to->column) : NULL;
		if (to && !to->name)
			to->name = bxt_arena_strdup(arena, signal->name);
		c[i] = (bxt_column){
			.size = sizeof *c,
			.name = to ? to->name : w->axes.name[i],
			.unit = to ? bxt_arena_strdup(arena, bxt_row_measure_unit(to, signal->unit))
				   : w->axes.si[i]};
		if (!c[i].name || !c[i].unit)
			return BXT_ERR_MEMORY;
	}
	return BXT_OK;
}

static bxt_status tell_failures(const sweep *w, bxt_diagnostics *d)
{
	bxt_buffer where = {0};
	const double *row = &w->value[w->worst * w->columns];
	if (w->n_failed == 0)
		return BXT_OK;
	for (size_t i = 0; i < w->axes.n_parameters; i++)
		bxt_buffer_printf(&where, "%s%s = %.9g", i ? ", " : "", w->axes.name[i], row[i]);
	bxt_warning(d, BXT_NOWHERE, "%zu of %zu cases failed, the first of them case %zu (%s): %s",
		    w->n_failed, w->axes.n_cases, w->worst + 1, where.text ? where.text : "?",
		    w->why ? w->why : "?");
	bxt_buffer_free(&where);
	return BXT_OK;
}

/* Prepares the simulation of the unchanged model, so that findings about settings and records are
 * reported once. */
static bxt_status prepare(sweep *w, bxt_arena *arena, bxt_diagnostics *d, bxt_column **column)
{
	bxt_simulation *m = NULL;
	BXT_TRY(bxt_sweep_axes_read(w->system, w->def, arena, d, &w->axes));
	BXT_TRY(read_measures(w, arena, d));
	BXT_TRY(bxt_simulation_new(w->system, &w->run, d, &m));
	bxt_status status = name_columns(w, m, arena, d, column);
	bxt_simulation_free(m);
	if (status != BXT_OK)
		return status;
	w->value = BXT_NEW(arena, double, w->axes.n_cases * w->columns + 1);
	return w->value ? BXT_OK : BXT_ERR_MEMORY;
}

static bxt_status run_all(sweep *w, bxt_diagnostics *d)
{
	if (pthread_mutex_init(&w->lock, NULL) != 0)
		return BXT_ERR_MEMORY;
	run_threads(w);
	pthread_mutex_destroy(&w->lock);
	if (w->status == BXT_OK)
		w->status = tell_failures(w, d);
	free(w->why);
	return w->status;
}

bxt_status bxt_parameter_sweep_run(const bxt_system *system, const bxt_parameter_sweep_def *given,
				   bxt_diagnostics *d, bxt_parameter_sweep **out)
{
	bxt_parameter_sweep_def def;
	bxt_column *column = NULL;
	BXT_NEEDS(d, out);
	*out = NULL;
	BXT_NEEDS(d, system);
	BXT_NEEDS(d, given);
	BXT_TRY(bxt_take_sized(given, &def, sizeof def, "bxt_parameter_sweep_def", d));
	bxt_arena *arena = bxt_arena_new();
	result *r = arena ? BXT_NEW(arena, result, 1) : NULL;
	sweep w = {.system = system, .def = &def};
	bxt_default_run_def(&w.run);
	bxt_status status = r ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK && def.run)
		status = bxt_take_sized(def.run, &w.run, sizeof w.run, "bxt_run_def", d);
	if (status == BXT_OK && def.at_start)
		bxt_settings_need_no_step(system, &w.run);
	if (status == BXT_OK)
		status = prepare(&w, arena, d, &column);
	if (status == BXT_OK)
		status = run_all(&w, d);
	if (status != BXT_OK) {
		bxt_arena_free(arena);
		return status;
	}
	*r = (result){.sweep = {.n_cases = w.axes.n_cases,
				.n_varied = w.axes.n_parameters,
				.n_columns = w.columns,
				.column = column,
				.value = w.value,
				.n_failed = w.n_failed},
		      .arena = arena};
	*out = &r->sweep;
	return BXT_OK;
}

static bxt_status list_cases(const bxt_system *system, const bxt_parameter_sweep_def *def,
			     bxt_arena *arena, bxt_diagnostics *d, bxt_parameter_sweep *out)
{
	bxt_sweep_axes axes;
	BXT_TRY(bxt_sweep_axes_read(system, def, arena, d, &axes));
	const size_t n = axes.n_parameters;
	bxt_column *c = BXT_NEW(arena, bxt_column, n + 1);
	double *value = BXT_NEW(arena, double, axes.n_cases *n + 1);
	if (!c || !value)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < n; i++)
		c[i] = (bxt_column){sizeof *c, axes.name[i], axes.si[i]};
	for (size_t k = 0; k < axes.n_cases; k++)
		bxt_sweep_axes_case(&axes, k, value + k * n);
	*out = (bxt_parameter_sweep){.n_cases = axes.n_cases,
				     .n_varied = n,
				     .n_columns = n,
				     .column = c,
				     .value = value};
	return BXT_OK;
}

bxt_status bxt_parameter_cases(const bxt_system *system, const bxt_parameter_sweep_def *given,
			       bxt_diagnostics *d, bxt_parameter_sweep **out)
{
	bxt_parameter_sweep_def def;
	BXT_NEEDS(d, out);
	*out = NULL;
	BXT_NEEDS(d, system);
	BXT_NEEDS(d, given);
	BXT_TRY(bxt_take_sized(given, &def, sizeof def, "bxt_parameter_sweep_def", d));
	bxt_arena *arena = bxt_arena_new();
	result *r = arena ? BXT_NEW(arena, result, 1) : NULL;
	const bxt_status status =
		r ? list_cases(system, &def, arena, d, &r->sweep) : BXT_ERR_MEMORY;
	if (status != BXT_OK) {
		bxt_arena_free(arena);
		return status;
	}
	r->arena = arena;
	*out = &r->sweep;
	return BXT_OK;
}

/* ---- Writing ---- */

bxt_status bxt_parameter_sweep_write_csv(const bxt_parameter_sweep *s, FILE *stream)
{
	BXT_NEEDS(NULL, s);
	BXT_NEEDS(NULL, stream);
	char number[32];
	for (size_t i = 0; i < s->n_columns; i++) {
		if (i > 0)
			fputc(',', stream);
		bxt_csv_write_name(stream, s->column[i].name, s->column[i].unit);
	}
	fputc('\n', stream);
	for (size_t k = 0; k < s->n_cases && !ferror(stream); k++)
		for (size_t i = 0; i < s->n_columns; i++) {
			bxt_format_number(number, s->value[k * s->n_columns + i]);
			fputs(number, stream);
			fputc(i + 1 < s->n_columns ? ',' : '\n', stream);
		}
	return ferror(stream) ? BXT_ERR_IO : BXT_OK;
}
