/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* CSV that goes to a file once the model is known to be good: the file is opened with the first
 * row. */
struct output {
	const char *path; /* NULL: none */
	FILE *stream;
	bxt_sink csv;
	bool failed;
};

static bxt_status output_begin(void *context, size_t n, const char *const *names)
{
	struct output *out = context;
	out->stream = strcmp(out->path, "-") == 0 ? stdout : fopen(out->path, "w");
	if (!out->stream) {
		fprintf(stderr, "boxtimes: cannot write '%s': %s\n", out->path, strerror(errno));
		out->failed = true;
		return BXT_ERR_IO;
	}
	bxt_csv_sink(out->stream, &out->csv);
	return out->csv.begin(out->csv.context, n, names);
}

static bxt_status output_row(void *context, double t, size_t n, const double *values)
{
	struct output *out = context;
	errno = 0;
	bxt_status status = out->csv.row(out->csv.context, t, n, values);
	if (status != BXT_OK) {
		fprintf(stderr, "boxtimes: cannot write '%s': %s\n", out->path,
			errno ? strerror(errno) : "write error");
		out->failed = true;
	}
	return status;
}

/* A full disk may have cut the last row: what follows the last whole line goes. */
static void cut_after_last_line(const char *path)
{
	FILE *f = fopen(path, "r+");
	if (!f)
		return;
	long end = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : 0; /* 0 also for devices */
	for (; end > 0; end--)
		if (fseek(f, end - 1, SEEK_SET) != 0 || fgetc(f) == '\n')
			break;
	if (end >= 0 && ftruncate(fileno(f), end) != 0)
		clearerr(f); /* not a regular file: nothing to cut */
	fclose(f);
}

/* True when everything reached the file. */
static bool output_close(struct output *out)
{
	if (!out->stream)
		return !out->failed;
	errno = 0;
	bool good = fflush(out->stream) == 0 && !ferror(out->stream);
	if (out->stream != stdout) {
		good = fclose(out->stream) == 0 && good;
		if (!good)
			cut_after_last_line(out->path);
	}
	if (!good && !out->failed)
		fprintf(stderr, "boxtimes: cannot write '%s': %s\n", out->path,
			errno ? strerror(errno) : "write error");
	return good;
}

static int run(const options *o, model *m)
{
	struct output out = {.path = o->output ? o->output : o->json ? NULL : "-"};
	const bxt_sink sink = {sizeof sink, out.path ? output_begin : NULL,
			       out.path ? output_row : NULL, &out};
	bxt_summary summary;
	bxt_diagnostics *d = bxt_diagnostics_new();
	const bxt_run_def def = watched(o);
	bxt_status status = bxt_run(m->system, m->state, &def, &sink, &summary, d);
	progress_done();
	int result = report(status, d, m->file, o->quiet);
	const bool written = output_close(&out);
	if (status == BXT_ERR_INTERRUPTED)
		fprintf(stderr, "boxtimes: interrupted at t = %g s; the rows written are valid\n",
			summary.t);
	summary.seconds.compile = m->seconds;
	if (summary.scheme && o->json && bxt_summary_write_json(&summary, stdout) != BXT_OK) {
		fputs("boxtimes: cannot write the summary\n", stderr);
		result = EXIT_NUMERICS;
	}
	if (summary.scheme && !o->json && !o->quiet)
		bxt_summary_write_text(&summary, stderr);
	bxt_summary_free(&summary);
	return written ? result : EXIT_NUMERICS;
}

int command_run(const options *o)
{
	model m = {0};
	bxt_library *library = open_library(o);
	if (!library)
		return EXIT_NUMERICS;
	int status = model_open(&m, o, o->files.text[0], library, true);
	if (status == EXIT_OK)
		status = run(o, &m);
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

int command_check(const options *o)
{
	bxt_library *library = open_library(o);
	int worst = library ? EXIT_OK : EXIT_NUMERICS;
	for (size_t i = 0; library && i < o->files.n; i++) {
		model m = {0};
		int status = model_open(&m, o, o->files.text[i], library, true);
		if (status == EXIT_OK)
			status = check_record(o, &m);
		if (status == EXIT_OK && !o->quiet)
			printf("%s: ok\n", o->files.text[i]);
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
