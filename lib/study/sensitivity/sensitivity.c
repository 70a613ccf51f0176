/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs with derivatives with respect to parameters. */
#include "study/sensitivity/sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Distance between the points of differences: 2^-14 of the parameter. The errors of fourth-order
 * differences then equal their round-off for values that change by as much as the parameter.
 */
static const double PART = 1.0 / 16384;
/*
 * If values change by more, so that second-order differences are off by more than GOOD, the run is
 * repeated with points nearer together by the factor NEARER. The error of fourth-order differences
 * is about the square of that of second-order ones.
 */
static const double GOOD = 1e-4, NEARER = 1.0 / 16;
enum { MOST_TRIES = 3 };
/* Above this error values change by jumps or kinks, and have no derivative. */
static const double DOUBTFUL = 1e-2;

void bxt_default_sensitivity_def(bxt_sensitivity_def *def)
{
	if (def)
		*def = (bxt_sensitivity_def){.size = sizeof *def};
}

/* ---- Columns ---- */

static const char *unit_of_quotient(bxt_arena *arena, const char *y, const char *p)
{
	if (!*y || !*p)
		return "";
	if (strcmp(y, p) == 0)
		return "1";
	if (strcmp(p, "1") == 0)
		return y;
	return bxt_arena_printf(arena, strpbrk(p, "./ *") ? "%s/(%s)" : "%s/%s", y, p);
}

/* The signals, then the derivatives by each parameter. */
static bxt_status begin_rows(const bxt_simulation *m, const bxt_parameter_list *by,
			     bxt_arena *arena, const bxt_sink *to)
{
	const size_t n = m->recorder->n;
	bxt_column *c = BXT_NEW(arena, bxt_column, n * (by->n + 1) + 1);
	bool failed = !c;
	for (size_t k = 0; k <= by->n && c; k++)
		for (size_t i = 0; i < n; i++) {
			const bxt_column *y = &m->recorder->columns[i];
			bxt_column *z = &c[k * n + i];
			*z = *y;
			if (k == 0)
				continue;
			z->name = bxt_arena_printf(arena, "d(%s)/d(%s)", y->name, by->name[k - 1]);
			z->unit = unit_of_quotient(arena, y->unit ? y->unit : "", by->si[k - 1]);
			failed = failed || !z->name || !z->unit;
		}
	return failed ? BXT_ERR_MEMORY : to->columns(to->context, n * (by->n + 1), c);
}

/* ---- Rows ---- */

static bxt_status give_row(bxt_simulation *m, bxt_tangent *t, const bxt_parameter_list *by,
			   double *row, const bxt_sink *to)
{
	const size_t n = m->recorder->n;
	BXT_TRY(bxt_simulation_read(m, row));
	for (size_t k = 0; k < by->n; k++) {
		double *of = row + (k + 1) * n;
		BXT_TRY(bxt_tangent_read(t, (int)k, of));
		for (size_t i = 0; i < n; i++)
			of[i] /= by->value[k];
	}
	return to->row(to->context, m->state->t, n * (by->n + 1), row);
}

static bxt_status make_rows(bxt_simulation *m, bxt_tangent *t, const bxt_parameter_list *by,
			    const bxt_sink *to, bxt_diagnostics *d)
{
	const double end = bxt_simulation_end(m);
	const long every = m->settings.every;
	bool cut;
	long rest = bxt_simulation_points(m, end, &cut);
	rest -= cut;
	double *row = malloc((m->recorder->n * (by->n + 1) + 1) * sizeof *row);
	bxt_status status = row ? give_row(m, t, by, row, to) : BXT_ERR_MEMORY;
	while (rest > 0 && status == BXT_OK) {
		const long n = rest < every ? rest : every;
		status = bxt_simulation_step(m, n, NULL, d);
		rest -= n;
		/* the last row comes after a part of a step */
		if (status == BXT_OK && !(cut && rest == 0 && n < every))
			status = give_row(m, t, by, row, to);
		if (m->def.progress && status == BXT_OK && end != 0 &&
		    !m->def.progress(m->def.progress_context, m->state->t / end))
			status = BXT_ERR_INTERRUPTED;
	}
	if (cut && status == BXT_OK)
		status = bxt_simulation_step_to(m, end, 0, d);
	if (cut && status == BXT_OK)
		status = give_row(m, t, by, row, to);
	free(row);
	return status;
}

static bxt_status add_all(bxt_tangent *t, const bxt_parameter_list *by, bxt_diagnostics *d)
{
	bxt_status worst = BXT_OK;
	for (size_t k = 0; k < by->n; k++) {
		const bxt_status status = bxt_tangent_add_parameter(t, by->index[k], d);
		if (status == BXT_ERR_MEMORY)
			return status;
		worst = status != BXT_OK ? BXT_ERR_MODEL : worst;
	}
	return worst;
}

/* Warns of columns that are not derivatives. */
static void name_doubtful(const bxt_simulation *m, const bxt_tangent *t,
			  const bxt_parameter_list *by, bxt_diagnostics *d)
{
	static const double DOUBTFUL_ROW = 1e-3;
	for (size_t k = 0; k < by->n; k++)
		for (size_t i = 0; i < m->recorder->n; i++) {
			const double doubt = bxt_tangent_doubt(t, (int)k, i);
			if (doubt > DOUBTFUL_ROW)
				bxt_warning(d, BXT_NOWHERE,
					    "d(%s)/d(%s) is doubtful, by %.2g of its largest "
					    "value: the signal has kinks or jumps, or is known to "
					    "round-off alone",
					    m->recorder->columns[i].name, by->name[k], doubt);
		}
}

bxt_status bxt_sensitivity_rows(bxt_simulation *m, const bxt_parameter_list *by, double part,
				const bxt_sink *to, double *error, bxt_diagnostics *d)
{
	bxt_tangent *t = NULL;
	BXT_TRY(bxt_tangent_new(m, part, d, &t));
	bxt_status status = add_all(t, by, d);
	if (status == BXT_OK)
		status = make_rows(m, t, by, to, d);
	if (status != BXT_OK)
		bxt_tangent_report(t, d);
	else
		name_doubtful(m, t, by, d);
	*error = bxt_tangent_error(t);
	bxt_tangent_free(t);
	return status;
}

/* ---- A run ---- */

/* One try. Findings go to d also on success. */
static bxt_status try_part(const bxt_system *system, const bxt_run_def *run,
			   const bxt_parameter_list *by, double part, bxt_table *table,
			   double *error, bxt_diagnostics *d)
{
	bxt_simulation *m = NULL;
	bxt_sink to;
	bxt_table_sink(table, &to);
	BXT_TRY(bxt_simulation_new(system, run, d, &m));
	bxt_arena *arena = bxt_arena_new();
	bxt_status status = arena ? begin_rows(m, by, arena, &to) : BXT_ERR_MEMORY;
	m->def.progress = run->progress;
	m->def.progress_context = run->progress_context;
	if (status == BXT_OK)
		status = bxt_sensitivity_rows(m, by, part, &to, error, d);
	bxt_arena_free(arena);
	bxt_simulation_free(m);
	return status;
}

static bxt_status run_all(const bxt_system *system, const bxt_run_def *run,
			  const bxt_parameter_list *by, bxt_diagnostics *d, bxt_table **out)
{
	double part = PART, error = 0;
	for (int k = 1;; k++) {
		bxt_diagnostics *own = bxt_diagnostics_new();
		*out = bxt_table_new();
		bxt_status status = own && *out ? BXT_OK : BXT_ERR_MEMORY;
		if (status == BXT_OK)
			status = try_part(system, run, by, part, *out, &error, own);
		const bool again = status == BXT_OK && error > GOOD && k < MOST_TRIES;
		if (own && !again)
			bxt_diagnostics_move(own, d);
		bxt_diagnostics_free(own);
		if (status != BXT_OK)
			return status;
		if (!again)
			break;
		*out = bxt_table_free(*out);
		part *= NEARER;
	}
	if (error > DOUBTFUL)
		bxt_warning(d, BXT_NOWHERE,
			    "derivatives are doubtful: within 1e-6 of the parameters, differences "
			    "still vary by %.2g of the largest: the model has kinks or jumps on "
			    "the way",
			    error);
	return BXT_OK;
}

bxt_status bxt_sensitivity_run(const bxt_system *system, const bxt_sensitivity_def *given,
			       bxt_diagnostics *d, bxt_table **out)
{
	bxt_sensitivity_def def;
	bxt_run_def run;
	bxt_parameter_list by;
	BXT_NEEDS(d, out);
	*out = NULL;
	BXT_NEEDS(d, system);
	BXT_NEEDS(d, given);
	BXT_TRY(bxt_take_sized(given, &def, sizeof def, "bxt_sensitivity_def", d));
	bxt_default_run_def(&run);
	if (def.run)
		BXT_TRY(bxt_take_sized(def.run, &run, sizeof run, "bxt_run_def", d));
	bxt_arena *arena = bxt_arena_new();
	bxt_status status =
		arena ? bxt_parameter_list_read(system, def.by, "derivatives", arena, d, &by)
		      : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = run_all(system, &run, &by, d, out);
	if (status != BXT_OK)
		*out = bxt_table_free(*out);
	bxt_arena_free(arena);
	return status;
}
