/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "animation.h"
#include "checkpoint.h"
#include "report.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* CSV that goes to a file once the model is known to be good: the file is opened with the first
 * row. */
struct output {
	const char *path; /* NULL: none */
	output_file file;
	checkpoint *saved; /* NULL: the run is not saved */
	bxt_sink csv;
	const char *title; /* of a raw file */
	bool ascii;        /* the raw file is text */
	bxt_raw *raw;      /* NULL: CSV */
	bool failed;
};

/* columns: with units; else names alone. */
static bxt_status write_header(FILE *stream, size_t n, const char *const *names,
			       const bxt_column *columns)
{
	bxt_sink csv;
	bxt_csv_sink(stream, &csv);
	return columns ? csv.columns(csv.context, n, columns) : csv.begin(csv.context, n, names);
}

/* The file of a run that is saved is opened by its header. */
static bxt_status open_saved(struct output *out, size_t n, const char *const *names,
			     const bxt_column *columns)
{
	char *header = NULL;
	size_t size;
	FILE *f = open_memstream(&header, &size);
	bxt_status status = f ? write_header(f, n, names, columns) : BXT_ERR_MEMORY;
	if (f && fclose(f) != 0)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK && !checkpoint_open_rows(out->saved, &out->file, header, n + 1)) {
		out->failed = true;
		status = BXT_ERR_IO;
	}
	free(header);
	if (status == BXT_OK)
		bxt_csv_sink(out->file.stream, &out->csv);
	return status;
}

static bxt_status open_output(struct output *out, size_t n, const char *const *names,
			      const bxt_column *columns)
{
	if (out->saved)
		return open_saved(out, n, names, columns);
	if (!output_open(&out->file, out->path)) {
		out->failed = true;
		return BXT_ERR_IO;
	}
	if (has_suffix(out->path, ".raw")) {
		if (bxt_raw_new(out->file.stream, out->title, out->ascii, &out->raw) != BXT_OK)
			return BXT_ERR_MEMORY;
		bxt_raw_sink(out->raw, &out->csv);
		return out->csv.columns(out->csv.context, n, columns);
	}
	bxt_csv_sink(out->file.stream, &out->csv);
	return write_header(out->file.stream, n, names, columns);
}

static bxt_status output_begin(void *context, size_t n, const char *const *names)
{
	return open_output(context, n, names, NULL);
}

static bxt_status output_columns(void *context, size_t n, const bxt_column *columns)
{
	return open_output(context, n, NULL, columns);
}

static bxt_status output_row(void *context, double t, size_t n, const double *values)
{
	struct output *out = context;
	if (out->saved)
		out->saved->made++;
	return out->csv.row(out->csv.context, t, n, values);
}

/* ---- Accuracy ---- */

/* Rows go to three sinks: the output, a table, and a table of the animation. */
struct tee {
	bxt_sink to[3];
	size_t own; /* columns that the first two get; 0: all */
};

static size_t columns_for(const struct tee *t, int k, size_t n)
{
	return k < 2 && t->own && t->own < n ? t->own : n;
}

/* A sink that wants no units gets the names alone. */
static bxt_status begin_with_names(const bxt_sink *to, size_t n, const bxt_column *columns)
{
	const char **names = to->begin ? malloc((n + 1) * sizeof *names) : NULL;
	if (!to->begin)
		return BXT_OK;
	for (size_t i = 0; names && i < n; i++)
		names[i] = columns[i].name;
	const bxt_status status = names ? to->begin(to->context, n, names) : BXT_ERR_MEMORY;
	free(names);
	return status;
}

static bxt_status tee_columns(void *context, size_t n, const bxt_column *columns)
{
	const struct tee *t = context;
	bxt_status status = BXT_OK;
	for (int k = 0; k < 3 && status == BXT_OK; k++) {
		const bxt_sink *to = &t->to[k];
		const size_t m = columns_for(t, k, n);
		status = to->columns ? to->columns(to->context, m, columns)
				     : begin_with_names(to, m, columns);
	}
	return status;
}

static bxt_status tee_row(void *context, double time, size_t n, const double *values)
{
	const struct tee *t = context;
	bxt_status status = BXT_OK;
	for (int k = 0; k < 3 && status == BXT_OK; k++)
		if (t->to[k].row)
			status = t->to[k].row(t->to[k].context, time, columns_for(t, k, n), values);
	return status;
}

/* Error of a signal by its range above which the result is doubtful: two digits are lost. */
static const double DOUBTFUL = 0.01;

/* Tells of the signal whose error is largest by its range, where that is much. */
static void judge_accuracy(const options *o, const model *m, bxt_summary *summary)
{
	const bxt_accuracy *worst = NULL;
	for (size_t i = 0; i < summary->n_accuracy; i++) {
		const bxt_accuracy *a = &summary->accuracy[i];
		if (!isfinite(a->error) || !isfinite(a->range)) {
			summary->trust.notes++;
			if (!o->quiet)
				print_message("%s: note: %s is not finite at t = %.6g s: its error "
					      "is not "
					      "estimated\n",
					      m->file, a->name, a->at);
		} else if (a->error > DOUBTFUL * a->range &&
			   (!worst || a->error * worst->range > worst->error * a->range)) {
			worst = a;
		}
	}
	if (!worst)
		return;
	summary->trust.notes++;
	if (!o->quiet)
		print_message(
			"%s: note: %s errs by about %.2g of its range at t = %.6g s: %s\n", m->file,
			worst->name, worst->error / worst->range, worst->at,
			summary->taken.tolerance > 0
				? "use a smaller --tolerance, or radau3 if the scheme is another"
				: "the step is too long for it, or the scheme rings there; use a "
				  "shorter step, or radau3");
}

/*
 * The run whose rows show how exact those of the first are. With a tolerance `step` is the interval
 * of rows alone: the finer run has a tenth of all that is allowed, and no step above half the
 * largest one, which may have been as large as it could be. Returns the order of errors in what is
 * halved, 0: the difference counts as it is.
 */
static int make_finer(const bxt_summary *summary, bxt_run_def *def)
{
	const bxt_step_figures *taken = &summary->taken;
	if (!(taken->tolerance > 0)) {
		def->step = summary->step / 2;
		def->every = 2 * summary->every;
		return (int)summary->order;
	}
	def->refine = 10;
	def->max_step = taken->largest / 2;
	def->min_step = def->max_step * DBL_EPSILON; /* the first run's would be too large */
	return 0;
}

/* Runs with finer steps, and puts the differences into the summary. */
static bxt_status estimate(const options *o, model *m, const bxt_table *coarse,
			   bxt_summary *summary, bxt_diagnostics *d)
{
	bxt_run_def def = watched(o);
	bxt_state *state = NULL;
	bxt_table *fine = bxt_table_new();
	bxt_sink rows;
	bxt_accuracy *accuracy = NULL;
	const int order = make_finer(summary, &def);
	bxt_status status = fine ? bxt_initialize(m->system, &def, NULL, &state) : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		bxt_table_sink(fine, &rows);
		status = bxt_run(m->system, state, &def, &rows, NULL, NULL);
		progress_done();
	}
	if (status == BXT_OK)
		status = bxt_estimate_accuracy(coarse, fine, order, d, &accuracy,
					       &summary->n_accuracy);
	summary->accuracy = accuracy;
	if (status == BXT_OK)
		judge_accuracy(o, m, summary);
	bxt_state_free(state);
	bxt_table_free(fine);
	return status;
}

/* ---- run ---- */

/* The exit status with --strict: doubts about the results are errors. */
static int judge(const options *o, const bxt_summary *summary, int result)
{
	if (!o->run.strict || result != EXIT_OK || summary->trust.notes == 0)
		return result;
	print_message("boxtimes: --strict: %ld of the findings above make the results doubtful\n",
		      summary->trust.notes);
	return EXIT_NUMERICS;
}

static int write_summary(const options *o, const bxt_summary *summary, int result)
{
	if (summary->scheme && o->json && bxt_summary_write_json(summary, stdout) != BXT_OK) {
		fputs("boxtimes: cannot write the summary\n", stderr);
		result = EXIT_NUMERICS;
	}
	if (summary->scheme && !o->json && !o->quiet)
		(o->run.verbose ? bxt_summary_write_text : bxt_summary_write_brief)(summary,
										    stderr);
	return result;
}

/* A person at a terminal wants a picture: numbers go to files, pipes and "-o -". */
static bool wants_picture(const options *o)
{
	return !o->output && !o->json && !o->run.report && !o->run.animate && isatty(STDOUT_FILENO);
}

static int show_picture(const options *o, const model *m, bxt_table *rows)
{
	if (bxt_table_rows(rows) == 0)
		return EXIT_OK;
	if (plot_on_terminal(rows, o, m->file) != EXIT_OK)
		print_message("boxtimes: %zu rows are not shown; -o FILE.csv writes them\n",
			      bxt_table_rows(rows));
	else if (!o->quiet)
		print_message("-o FILE.csv writes the %zu rows, \"-o -\" shows them\n",
			      bxt_table_rows(rows));
	return EXIT_OK;
}

static int finish(const options *o, const model *m, bxt_summary *summary, bxt_table *rows,
		  int result)
{
	summary->seconds.compile = m->seconds;
	if (rows && wants_picture(o))
		show_picture(o, m, rows);
	return write_summary(o, summary, result);
}

/* scene: what is animated; NULL: nothing */
static int run(const options *o, model *m, bxt_library *library, const scene *scene)
{
	const bool picture = wants_picture(o);
	const bool shown = o->json || picture || o->run.report || o->run.animate;
	struct output out = {.path = o->output ? o->output
				     : shown   ? NULL
					       : "-",
			     .title = bxt_netlist_name(m->netlist),
			     .ascii = o->run.ascii};
	struct tee tee = {
		.to = {{.size = sizeof(bxt_sink),
			.begin = out.path ? output_begin : NULL,
			.row = out.path ? output_row : NULL,
			.context = &out,
			.columns = out.path && !o->run.plain_header ? output_columns : NULL}},
		.own = scene ? scene->own : 0};
	const bxt_sink both = {
		.size = sizeof both, .row = tee_row, .context = &tee, .columns = tee_columns};
	bxt_table *rows = o->run.accuracy || picture || o->run.report ? bxt_table_new() : NULL;
	if (rows)
		bxt_table_sink(rows, &tee.to[1]);
	bxt_table *poses = o->run.animate ? bxt_table_new() : NULL;
	if (poses)
		bxt_table_sink(poses, &tee.to[2]);
	bxt_summary summary;
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_run_def def = watched(o);
	if (scene) {
		def.record_also = scene->record;
		def.n_record_also = scene->n_record;
	}
	checkpoint saved = {.o = o, .d = d};
	bxt_status status = BXT_OK;
	summary = (bxt_summary){.size = sizeof summary};
	if (checkpoint_wanted(o)) {
		out.saved = &saved;
		status = checkpoint_begin(&saved, library, m, &def);
	}
	if (status == BXT_OK)
		status = bxt_run(m->system, m->state, &def, rows || poses ? &both : &tee.to[0],
				 &summary, d);
	progress_done();
	const bool counted = bxt_raw_finish(out.raw) == BXT_OK;
	const bool written = output_close(&out.file) && !out.failed && counted;
	if (status == BXT_ERR_INTERRUPTED)
		print_message("boxtimes: interrupted at t = %g s; the rows written are valid%s%s\n",
			      summary.t,
			      o->run.checkpoint ? "; the run goes on with --continue " : "",
			      o->run.checkpoint ? o->run.checkpoint : "");
	const bool estimated = status != BXT_OK || !rows || !o->run.accuracy ||
			       estimate(o, m, rows, &summary, d) == BXT_OK;
	if (o->run.report)
		model_keep(m, d);
	int result = judge(o, &summary, report(status, d, m->file, o->quiet));
	if (!estimated) {
		print_message(
			"boxtimes: errors were not estimated: the run with finer steps failed\n");
		result = EXIT_NUMERICS;
	}
	checkpoint_report(&saved, m->file, status == BXT_OK);
	checkpoint_free(&saved);
	result = saved.refused ? EXIT_BAD_MODEL : finish(o, m, &summary, rows, result);
	if (o->run.report && rows && status != BXT_ERR_MEMORY) {
		const run_report r = {o, m, library, &summary, rows, status != BXT_OK};
		const int reported = report_write(&r);
		result = result == EXIT_OK ? reported : result;
	}
	if (poses && status != BXT_ERR_MEMORY) {
		const int drawn = scene_write(scene, poses, o, m);
		result = result == EXIT_OK ? drawn : result;
	}
	free((void *)summary.accuracy);
	bxt_table_free(rows);
	bxt_table_free(poses);
	bxt_summary_free(&summary);
	return written || saved.refused ? result : EXIT_NUMERICS;
}

/* The state that a run goes on from. */
static int load_state(const options *o, model *m)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	const bxt_status status =
		d ? bxt_state_load(m->system, o->run.go_on, d, &m->state) : BXT_ERR_MEMORY;
	const int result = report(status, d, m->file, o->quiet);
	return status == BXT_ERR_IO ? EXIT_BAD_MODEL : result;
}

/* What goes with a raw file; false after a message. */
static bool raw_allowed(const options *o)
{
	const bool raw = has_suffix(o->output, ".raw");
	const char *option = raw && checkpoint_wanted(o)  ? "--checkpoint"
			     : raw && o->run.plain_header ? "--plain-header"
			     : !raw && o->run.ascii       ? "--ascii"
							  : NULL;
	if (option)
		print_message("boxtimes run: %s is %s\n", option,
			      raw ? "for CSV, not for a raw file" : "for a raw file: -o FILE.raw");
	return !option;
}

int command_run(const options *o)
{
	model m = {0};
	scene seen = {0};
	bxt_library *library = open_library(o);
	if (!library)
		return EXIT_NUMERICS;
	int status = model_open(&m, o, o->files.text[0], library, !o->run.go_on);
	if (status == EXIT_OK && !output_allowed(o, library, &m.netlist, 1))
		status = EXIT_USAGE;
	if (status == EXIT_OK && !raw_allowed(o))
		status = EXIT_USAGE;
	if (status == EXIT_OK)
		status = checkpoint_check(o, library, m.netlist);
	if (status == EXIT_OK && o->run.go_on)
		status = load_state(o, &m);
	if (status == EXIT_OK && o->run.animate)
		status = scene_open(&seen, &m, &o->def);
	if (status == EXIT_OK)
		status = run(o, &m, library, o->run.animate ? &seen : NULL);
	scene_close(&seen);
	model_close(&m);
	bxt_library_free(library);
	return status;
}

/* The names in <record>, which a run would ask for. */
static int check_record(const options *o, const model *m)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	char **names = NULL;
	size_t n = 0;
	bxt_status status = bxt_signal_names(m->system, &o->def, d, &names, &n);
	bxt_signal_names_free(names, n);
	return report(status, d, m->file, true);
}

/* A file that only exports is checked without a start: its ports are open. */
static bool is_part(const options *o, const model *m)
{
	return bxt_system_is_part(m->system) && !(o->def.step > 0) && !(o->def.end > 0);
}

int command_check(const options *o)
{
	bxt_library *library = open_library(o);
	int worst = library ? EXIT_OK : EXIT_NUMERICS;
	for (size_t i = 0; library && i < o->files.n; i++) {
		model m = {0};
		int status = model_open(&m, o, o->files.text[i], library, false);
		const bool part = status == EXIT_OK && is_part(o, &m);
		if (status == EXIT_OK && !part)
			status = model_start(&m, o);
		if (status == EXIT_OK && !part)
			status = check_record(o, &m);
		if (status == EXIT_OK && !o->quiet)
			print_message_on(stdout, "%s: ok%s\n", o->files.text[i],
					 part ? " (a part for other netlists: not run)" : "");
		worst = status > worst ? status : worst;
		model_close(&m);
	}
	bxt_library_free(library);
	return worst;
}

/* Names of schemes and signals that do not exist are mistakes here, too. */
static int check_settings(const options *o, model *m)
{
	char **names = NULL;
	size_t n = 0;
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_status status = bxt_signal_names(m->system, &o->def, d, &names, &n);
	const int result = report(status, d, m->file, true);
	bxt_signal_names_free(names, n);
	return result;
}

int command_info(const options *o)
{
	model m = {0};
	bxt_library *library = open_library(o);
	if (!library)
		return EXIT_NUMERICS;
	int status = model_open(&m, o, o->files.text[0], library, false);
	if (status == EXIT_OK)
		status = check_settings(o, &m);
	if (status == EXIT_OK && bxt_system_write_info(m.system, &o->def, stdout) != BXT_OK)
		status = EXIT_NUMERICS;
	model_close(&m);
	bxt_library_free(library);
	return status;
}
