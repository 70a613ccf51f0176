/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/benchmark.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/amd.h>
#include <time.h>
#include <unistd.h>

double bench_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_seconds_of(int who)
{
	struct rusage u;
	getrusage(who, &u);
	return (double)u.ru_utime.tv_sec + (double)u.ru_stime.tv_sec +
	       1e-6 * ((double)u.ru_utime.tv_usec + (double)u.ru_stime.tv_usec);
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double bench_median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, by_size);
	return n == 0 ? NAN : n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* ---- The model ---- */

/* A new temporary file with the netlist in it; *path is heap memory. */
static bool write_file(bool (*write)(const void *what, FILE *stream), const void *what, char **path)
{
	const char *directory = getenv("TMPDIR");
	if (!directory || !*directory)
		directory = "/tmp";
	const size_t length = strlen(directory) + sizeof "/bench-XXXXXX";
	*path = malloc(length);
	if (!*path)
		return false;
	snprintf(*path, length, "%s/bench-XXXXXX", directory);
	const int file = mkstemp(*path);
	FILE *stream = file >= 0 ? fdopen(file, "w") : NULL;
	if (!stream && file >= 0)
		close(file);
	const bool good = stream && write(what, stream);
	return !(stream && fclose(stream) != 0) && good;
}

static bxt_status compile(bench_model *m, const char *path)
{
	const char *components = getenv("BOXTIMES_PATH");
	if (!components)
		components = BXT_PKGDATADIR "/components";
	m->d = bxt_diagnostics_new();
	m->library = m->d ? bxt_library_new(&components, 1, m->d) : NULL;
	if (!m->library)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_netlist_read(path, m->d, &m->netlist));
	return bxt_system_compile(m->netlist, m->library, m->d, &m->system);
}

static bxt_status prepare(bench_model *m)
{
	BXT_TRY(bxt_settings_resolve(m->system, &m->def, m->d, &m->settings));
	if (m->settings.compile)
		BXT_TRY(bxt_native_make(m->system, m->d, &m->native));
	BXT_TRY(bxt_initialize(m->system, &m->def, m->d, &m->state));
	const double start = bench_now();
	BXT_TRY(bxt_stepper_new(m->system, &m->settings, m->state, &m->stepper));
	BXT_TRY(bxt_ledger_new(m->system, &m->settings, m->state, NULL, &m->monitor));
	BXT_TRY(bxt_recorder_new(m->system, &m->settings, m->d, &m->recorder));
	BXT_TRY(bxt_recorder_grid(m->recorder, m->monitor, m->state, m->state->t, NULL));
	m->seconds_prepare = bench_now() - start;
	return BXT_OK;
}

bxt_status bench_open(bench_model *m, bool (*write)(const void *what, FILE *stream),
		      const void *what)
{
	char *path;
	bxt_status status = write_file(write, what, &path) ? compile(m, path) : BXT_ERR_IO;
	if (status == BXT_OK)
		status = prepare(m);
	if (path)
		unlink(path);
	free(path);
	return status;
}

void bench_close(bench_model *m)
{
	bxt_recorder_free(m->recorder);
	bxt_ledger_free(m->monitor);
	bxt_stepper_free(m->stepper);
	bxt_state_free(m->state);
	bxt_system_free(m->system);
	bxt_native_free(m->native);
	bxt_netlist_free(m->netlist);
	bxt_library_free(m->library);
	bxt_diagnostics_free(m->d);
	*m = (bench_model){0};
}

bxt_status bench_step(bench_model *m)
{
	const double h = m->settings.step;
	const double t = m->state->t0 + (double)(m->state->steps + 1) * h;
	BXT_TRY(bxt_stepper_solve(m->stepper, m->state, h));
	BXT_TRY(bxt_recorder_stage(m->recorder, m->stepper, NULL));
	BXT_TRY(bxt_stepper_advance(m->stepper, m->state, t));
	bxt_ledger_step(m->monitor, bxt_stepper_quadrature(m->stepper), m->state);
	m->state->steps++;
	return BXT_OK;
}

void bench_complain(bench_model *m, const char *what, bxt_status status)
{
	enum { MOST_TOLD = 5 }; /* what is wrong with one link is wrong with all */
	if (m->stepper && m->state)
		bxt_stepper_report_failure(m->stepper, status, m->state->t, m->d);
	printf("%s: %s\n", what, bxt_status_text(status));
	for (size_t i = 0; m->d && i < bxt_diagnostics_count(m->d, BXT_NOTE) && i < MOST_TOLD;
	     i++) {
		const bxt_finding *f = bxt_diagnostics_get(m->d, i);
		printf("  %s%s%s\n", f->file ? f->file : "", f->file ? ": " : "", f->text);
	}
}

/* ---- The bare solver ---- */

/* AMD on the groups of the pattern of A + A^T, the members of each in turn. */
static bool order_groups(bxt_arena *arena, const bxt_stepper *st, int *order)
{
	const bxt_sparse *a = &st->pattern;
	const int count = st->system->size, *group = st->unknowns.stands_for;
	bxt_triplets t = {0};
	bxt_sparse both;
	bool good = true;
	for (int j = 0; j < a->ncol && good; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1] && good; k++)
			good = bxt_triplets_add(&t, group[a->rowind[k]], group[j]) == BXT_OK &&
			       bxt_triplets_add(&t, group[j], group[a->rowind[k]]) == BXT_OK;
	good = good && bxt_sparse_pattern(arena, &t, count, count, &both, NULL) == BXT_OK;
	bxt_triplets_free(&t);
	int *first = BXT_NEW(arena, int, (size_t)count),
	    *next = BXT_NEW(arena, int, (size_t)a->ncol),
	    *of_groups = BXT_NEW(arena, int, (size_t)count);
	if (!good || !first || !next || !of_groups ||
	    amd_order(count, both.colptr, both.rowind, of_groups, NULL, NULL) < AMD_OK)
		return false;
	for (int g = 0; g < count; g++)
		first[g] = -1;
	for (int j = a->ncol - 1; j >= 0; j--) {
		next[j] = first[group[j]];
		first[group[j]] = j;
	}
	for (int g = 0, at = 0; g < count; g++)
		for (int j = first[of_groups[g]]; j >= 0; j = next[j])
			order[at++] = j;
	return true;
}

static void analyse(bench_bare *k, const bxt_stepper *st)
{
	const bxt_sparse *a = k->a;
	bxt_arena *arena = bxt_arena_new();
	int *order = arena ? BXT_NEW(arena, int, (size_t)a->ncol) : NULL;
	if (!st->unknowns.stands_for) /* one stage alone has no groups */
		k->symbolic = klu_analyze(a->ncol, a->colptr, a->rowind, &k->common);
	else if (order && order_groups(arena, st, order))
		k->symbolic =
			klu_analyze_given(a->ncol, a->colptr, a->rowind, order, order, &k->common);
	bxt_arena_free(arena);
}

bool bench_bare_open(bench_bare *k, const bxt_stepper *st)
{
	const bxt_sparse *a = &st->pattern;
	*k = (bench_bare){.a = a};
	klu_defaults(&k->common);
	k->common.btf = 0;
	k->common.ordering = 0;
	k->common.tol = 0.1;
	k->common.scale = 2;
	k->b = calloc((size_t)a->ncol, sizeof *k->b);
	k->x = calloc((size_t)a->ncol, sizeof *k->x);
	analyse(k, st);
	if (k->symbolic)
		k->numeric = klu_factor(a->colptr, a->rowind, st->newton.values, k->symbolic,
					&k->common);
	return k->b && k->x && k->numeric;
}

void bench_bare_close(bench_bare *k)
{
	klu_free_numeric(&k->numeric, &k->common);
	klu_free_symbolic(&k->symbolic, &k->common);
	free(k->b);
	free(k->x);
	*k = (bench_bare){0};
}

void bench_bare_right_side(bench_bare *k, const bxt_stepper *st)
{
	const bxt_sparse *a = k->a;
	memset(k->b, 0, (size_t)a->nrow * sizeof *k->b);
	for (int j = 0; j < a->ncol; j++)
		for (int e = a->colptr[j]; e < a->colptr[j + 1]; e++)
			k->b[a->rowind[e]] += st->newton.values[e] * st->x[j];
}

void bench_bare_once(bench_bare *k, const bxt_stepper *st, bool factor)
{
	const bxt_sparse *a = k->a;
	memcpy(k->x, k->b, (size_t)a->ncol * sizeof *k->b);
	if (factor)
		klu_refactor(a->colptr, a->rowind, st->newton.values, k->symbolic, k->numeric,
			     &k->common);
	klu_solve(k->symbolic, k->numeric, a->ncol, 1, k->x, &k->common);
}

double bench_bare_iteration(bench_bare *k, const bxt_stepper *st)
{
	const double start = bench_now();
	bench_bare_once(k, st, true);
	return bench_now() - start;
}
