/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the summary of a run as text: first whether its result can be trusted and why, then the
 * energy, then the parts of the run.
 */
#include "boxtimes_summary.h"
#include "ground/base/diagnostics.h"

#include <math.h>
#include <string.h>

static void write_symmetries(const bxt_summary *s, FILE *f)
{
	for (size_t i = 0; i < s->n_symmetry; i++) {
		const bxt_symmetry_entry *e = &s->symmetry[i];
		fprintf(f,
			"  symmetry %s: momentum %.9g -> %.9g, by forces %.6g, by constraints "
			"%.6g\n"
			"           residual of the balance %.2g in a step (of %.2g)\n",
			e->path, e->start, e->end, e->forces, e->constraints, e->residual,
			e->scale);
	}
}

/*
 * Trend above which a residual is reported as growing (account/balance.c), and the fraction of the
 * largest energy up to which a residual is round-off of sums over many steps.
 */
static const double TREND = 0.25, ROUND_OFF = 1e-9;

/* Properties that theory predicts are printed only if they were measured. */
static void write_residual(const bxt_summary *s, FILE *f)
{
	const bxt_trust_figures *t = &s->trust;
	const double residual = fabs(s->total.residual);
	fprintf(f, "           residual of the balance %.2g J (", s->total.residual);
	if (s->energy_exact && residual <= ROUND_OFF * s->energy_largest)
		fputs("exact for this scheme and model but for round-off", f);
	else if (t->trend > TREND)
		fprintf(f,
			"with a trend: the means of both halves of the run differ by %.2g of its "
			"scatter",
			t->trend);
	else if (s->energy_exact)
		fputs("more than round-off, where it should be exact", f);
	else if (t->trend <= TREND && s->energy_bounded)
		fprintf(f, "bounded in this run: no trend in %ld samples; not exact", t->samples);
	else if (s->energy_bounded && residual <= ROUND_OFF * s->energy_largest)
		fputs("round-off in this run; not exact for this scheme and model", f);
	else if (s->energy_bounded)
		fputs("not exact for this scheme and model; too few steps for a trend", f);
	else
		fputs("may grow with time: this scheme keeps no structure", f);
	fputs(")\n", f);
	if (s->taken.has_numerical && fabs(s->taken.numerical) > ROUND_OFF * s->energy_largest)
		fprintf(f,
			"           of it numerical %.2g J, %s by the scheme itself; the rest is "
			"%.2g "
			"J\n",
			s->taken.numerical, s->taken.numerical > 0 ? "given" : "taken",
			s->total.residual - s->taken.numerical);
}

/* Prints up to SHOWN signals in the order of the record, not sorted by error. */
static void write_accuracy(const bxt_summary *s, FILE *f)
{
	enum { SHOWN = 40 };
	for (size_t i = 0; i < s->n_accuracy && i < SHOWN; i++) {
		const bxt_accuracy *a = &s->accuracy[i];
		const bool has_unit = a->unit && *a->unit && strcmp(a->unit, "1") != 0;
		fprintf(f, "  %s %s: error about %.2g%s%s", i ? "        " : "accuracy", a->name,
			a->error, has_unit ? " " : "", has_unit ? a->unit : "");
		if (a->range > 0 && isfinite(a->range) && isfinite(a->error))
			fprintf(f, ", %.2g of its range", a->error / a->range);
		fprintf(f, ", at t = %.6g s\n", a->at);
	}
	if (s->n_accuracy > SHOWN)
		fprintf(f, "           and %zu more: see --json\n", s->n_accuracy - SHOWN);
}

/* ---- Trust ---- */

/* The family whose rows have drifted most; NULL: there are no rows. */
static const bxt_drift_entry *most_drift(const bxt_summary *s)
{
	const bxt_drift_entry *most = NULL;
	for (size_t i = 0; i < s->n_drift; i++)
		if (!most || s->drift[i].max > most->max)
			most = &s->drift[i];
	return most;
}

/*
 * The recorded signal with the largest error relative to its range; NULL: errors were not
 * estimated.
 */
static const bxt_accuracy *least_accurate(const bxt_summary *s)
{
	const bxt_accuracy *worst = NULL;
	for (size_t i = 0; i < s->n_accuracy; i++) {
		const bxt_accuracy *a = &s->accuracy[i];
		if (a->range > 0 && (!worst || a->error * worst->range > worst->error * a->range))
			worst = a;
	}
	return worst;
}

static void write_verdict(const bxt_trust_figures *t, FILE *f)
{
	if (t->errors > 0)
		fputs("  trust    none: the errors above say why", f);
	else if (t->notes == 1)
		fputs("  trust    doubtful: the finding above says why", f);
	else if (t->notes > 1)
		fprintf(f, "  trust    doubtful: %ld findings above say why", t->notes);
	else
		fputs("  trust    no doubts", f);
}

/*
 * Prints what was measured along the run in one line, then the error of the result, if it was
 * estimated.
 */
static void write_trust(const bxt_summary *s, FILE *f)
{
	const bxt_trust_figures *t = &s->trust;
	const bxt_drift_entry *drift = most_drift(s);
	const bxt_accuracy *a = least_accurate(s);
	/* closing loops and positions adds energy, for which the balance has a separate entry */
	const double moves =
		s->energy_largest > 0 ? fabs(s->total.projection) / s->energy_largest : 0;
	write_verdict(t, f);
	fprintf(f, "; energy balances to %.1g of what was exchanged", t->residual);
	if (moves > ROUND_OFF)
		fprintf(f, " (and %.1g by moves)", moves);
	if (drift)
		fprintf(f, ", rows hold to %.1g", drift->max);
	if (t->coarse_of)
		fprintf(f, ", a step errs by %.1g (%s)", t->coarse, t->coarse_of);
	if (a)
		fprintf(f, "\n           the result errs by about %.2g of its range (%s)",
			a->error / a->range, a->name);
	else if (s->taken.largest > 0 && !(s->taken.tolerance > 0))
		fputs("\n           how exact the result is was not measured: compare it with one "
		      "of "
		      "half the step",
		      f);
	else
		fputs("\n           how exact the result is was not measured: --accuracy does that",
		      f);
	fputc('\n', f);
}

/* ---- Energy ---- */

static void write_energy(const bxt_summary *s, FILE *f)
{
	const bxt_ledger_entry *e = &s->total;
	fprintf(f,
		"  energy   %.9g J at the start, %.9g J at the end, %.9g J supplied, %.9g J "
		"dissipated\n",
		e->start, e->end, e->supplied, e->dissipated);
	if (e->projection != 0)
		fprintf(f, "           %.9g J by moves that close loops and positions\n",
			e->projection);
	if (e->impact != 0)
		fprintf(f, "           %.9g J by events: impacts and switches\n", e->impact);
	write_residual(s, f);
}

static void write_subsystems(const bxt_summary *s, FILE *f)
{
	for (size_t i = 0; i < s->n_ledger; i++) {
		const bxt_ledger_entry *l = &s->ledger[i];
		if (strcmp(l->kind, "subsystem") == 0)
			fprintf(f,
				"  subsystem %-10s %.6g -> %.6g J, dissipated %.6g, supplied %.6g, "
				"through ports %.6g, residual %.2g\n",
				l->path, l->start, l->end, l->dissipated, l->supplied, l->through,
				l->residual);
		else if (strcmp(l->kind, "connection") == 0)
			fprintf(f, "  connection %-9s sum of the port work %.2g J\n", l->path,
				l->through);
	}
}

/* ---- The parts of the run ---- */

static void write_work(const bxt_summary *s, FILE *f)
{
	fprintf(f, "  solver   %s (%s)\n", s->solver, s->solver_reason);
	fprintf(f, "  unknowns %d (%d flows, %d multipliers), %zu nonzeros, %zu in the factors\n",
		s->unknowns, s->coordinates, s->rows, s->nonzeros, s->factor_nonzeros);
	fprintf(f, "  Newton   %ld iterations (at most %ld in a step), %ld factorizations%s\n",
		s->newton_iterations, s->most_iterations, s->factorizations,
		s->affine && s->most_iterations == 1 ? ": the model is affine, one solve a step"
						     : "");
	fputs("  drift   ", f);
	if (s->n_drift == 0)
		fputs(" none: there are no rows", f);
	for (size_t i = 0; i < s->n_drift; i++)
		fprintf(f, "%s %s %.2g", i ? "," : "", s->drift[i].family, s->drift[i].max);
	const double steps =
		s->seconds.evaluate + s->seconds.factor + s->seconds.solve + s->seconds.monitor;
	fprintf(f,
		"\n  time     compile %.3g s, run %.3g s: evaluate %.3g, factor %.3g, solve %.3g, "
		"monitor %.3g, trust %.3g, start and rows %.3g\n",
		s->seconds.compile, s->seconds.total, s->seconds.evaluate, s->seconds.factor,
		s->seconds.solve, s->seconds.monitor, s->trust_seconds,
		fmax(s->seconds.total - steps - s->trust_seconds, 0));
}

static void write_steps(const bxt_summary *s, FILE *f)
{
	const bxt_step_figures *taken = &s->taken;
	if (taken->tolerance > 0) {
		fprintf(f, "%ld steps of %.3g to %.3g s with %s to t = %g s, tolerance %g\n",
			taken->accepted, taken->smallest, taken->largest, s->scheme, s->t,
			taken->tolerance);
		fprintf(f, "  steps    %ld more had too large an error%s%s\n", taken->rejected,
			taken->limited_by ? "; the largest most often in " : "",
			taken->limited_by ? taken->limited_by : "");
		return;
	}
	if (taken->largest > 0)
		fprintf(f, "%ld reversible steps of %.3g to %.3g s with %s to t = %g s", s->steps,
			taken->smallest, taken->largest, s->scheme, s->t);
	else
		fprintf(f, "%ld steps of %g s with %s to t = %g s", s->steps, s->step, s->scheme,
			s->t);
	if (taken->at_events)
		fprintf(f, ", %ld of them cut where a source changes its branch", taken->at_events);
	fputc('\n', f);
}

static void write_events(const bxt_step_figures *taken, FILE *f)
{
	if (taken->at_states > 0)
		fprintf(f,
			"  events   %ld at which something switched or a branch changed, %ld of "
			"them with a jump of "
			"flows\n",
			taken->at_states, taken->impacts);
}

bxt_status bxt_summary_write_brief(const bxt_summary *summary, FILE *stream)
{
	const bxt_summary *const s = summary;
	FILE *const f = stream;
	BXT_NEEDS(NULL, summary);
	BXT_NEEDS(NULL, stream);
	BXT_TRY(bxt_check_filled(summary, sizeof *summary, "bxt_summary", NULL));
	BXT_NEEDS(NULL, summary->scheme); /* the run did not begin */
	write_steps(s, f);
	write_trust(s, f);
	write_events(&s->taken, f);
	if (s->halvings)
		fprintf(f, "  Newton   %ld steps were halved\n", s->halvings);
	if (s->left_out || s->rank_changes)
		fprintf(f, "  rows     %d left out as redundant, %ld changes of rank\n",
			s->left_out, s->rank_changes);
	write_energy(s, f);
	write_subsystems(s, f);
	write_symmetries(s, f);
	write_accuracy(s, f);
	return bxt_stream_status(f);
}

bxt_status bxt_summary_write_text(const bxt_summary *summary, FILE *stream)
{
	BXT_TRY(bxt_summary_write_brief(summary, stream));
	write_work(summary, stream);
	return bxt_stream_status(stream);
}
