/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tool.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Both models, and what each recorded. */
struct pair {
	model m[2];
	bxt_table *table[2];
	char **names[2]; /* of what each would record by itself */
	size_t n[2];
};

/* The signals by themselves: the union is then asked of both. */
static int find_names(const options *o, struct pair *p, int i)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_status status = bxt_signal_names(p->m[i].system, &o->def, d, &p->names[i], &p->n[i]);
	return report(status, d, p->m[i].file, true);
}

static int run_one(const options *o, struct pair *p, int i)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_summary summary;
	bxt_run_def def = watched(o);
	p->table[i] = bxt_table_new();
	if (!d || !p->table[i]) {
		bxt_diagnostics_free(d);
		return EXIT_NUMERICS;
	}
	const bxt_sink sink = bxt_table_sink(p->table[i]);
	def.record_also = (const char *const *)p->names[1 - i];
	def.n_record_also = p->n[1 - i];
	bxt_status status = bxt_run(p->m[i].system, p->m[i].state, &def, &sink, &summary, d);
	progress_done();
	const int result = report(status, d, p->m[i].file, o->quiet);
	if (status == BXT_ERR_INTERRUPTED)
		fputs("boxtimes: interrupted; nothing was compared\n", stderr);
	summary.seconds.compile = p->m[i].seconds;
	if (summary.scheme && !o->quiet) {
		fprintf(stderr, "%s: ", p->m[i].file);
		bxt_summary_write_text(&summary, stderr);
	}
	bxt_summary_free(&summary);
	return result;
}

/* ---- The table
 * ----------------------------------------------------------------------------------- */

static void json_text(const char *text, FILE *f)
{
	fputc('"', f);
	for (; *text; text++)
		fprintf(f, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
	fputc('"', f);
}

/* Nothing in JSON is infinite or not a number. */
static void json_number(double value, const char *after, FILE *f)
{
	if (isfinite(value))
		fprintf(f, "%.17g%s", value, after);
	else
		fprintf(f, "null%s", after);
}

static void write_json(const options *o, const bxt_difference *d, size_t n, double largest, FILE *f)
{
	fprintf(f, "{\n  \"tolerance\": %.17g,\n  \"largest\": ", o->tolerance);
	json_number(largest, ",\n  \"signals\": [", f);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? ",\n    {\"a\": " : "\n    {\"a\": ", f);
		json_text(d[i].a, f);
		fputs(", \"b\": ", f);
		json_text(d[i].b, f);
		fputs(", \"difference\": ", f);
		json_number(d[i].relative, ", \"largest\": ", f);
		json_number(d[i].largest, ", \"scale\": ", f);
		json_number(d[i].scale, ", \"at\": ", f);
		json_number(d[i].at, "}", f);
	}
	fputs("\n  ]\n}\n", f);
}

static void write_csv(const bxt_difference *d, size_t n, FILE *f)
{
	fputs("a,b,difference,largest,scale,at\n", f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s,%s,%.17g,%.17g,%.17g,%.17g\n", d[i].a, d[i].b, d[i].relative,
			d[i].largest, d[i].scale, d[i].at);
}

static void write_text(const options *o, const bxt_difference *d, size_t n, double largest, FILE *f)
{
	fprintf(f, "%-24s %-24s %12s %12s %12s\n", "signal of A", "signal of B", "difference",
		"max|a|", "at t [s]");
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%-24s %-24s %12.3g %12.6g %12.6g%s\n", d[i].a, d[i].b, d[i].relative,
			d[i].scale, d[i].at,
			d[i].relative <= o->tolerance ? "" : "  <-- beyond the tolerance");
	fprintf(f, "%zu signals; largest difference %.3g, tolerance %g: the models %s\n", n,
		largest, o->tolerance, largest <= o->tolerance ? "agree" : "differ");
}

static int write_table(const options *o, const bxt_difference *d, size_t n, double largest)
{
	bool good = true;
	const bool csv_only = o->output && strcmp(o->output, "-") == 0;
	if (o->output && !csv_only) {
		FILE *f = fopen(o->output, "w");
		if (f)
			write_csv(d, n, f);
		good = f && fflush(f) == 0 && !ferror(f);
		if (!good)
			fprintf(stderr, "boxtimes: cannot write '%s': %s\n", o->output,
				strerror(errno));
		if (f)
			good = fclose(f) == 0 && good;
	}
	if (csv_only)
		write_csv(d, n, stdout);
	else if (o->json)
		write_json(o, d, n, largest, stdout);
	else
		write_text(o, d, n, largest, stdout);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "boxtimes: cannot write the table: %s\n", strerror(errno));
		good = false;
	}
	if (!good)
		return EXIT_NUMERICS;
	return largest <= o->tolerance ? EXIT_OK : EXIT_DIFFERENT;
}

/* "A=B" pairs as bxt_compare wants them; the texts live in *copies. */
static const char **split_maps(const options *o, char ***copies)
{
	const char **map = calloc(2 * o->map.n + 1, sizeof *map);
	*copies = calloc(o->map.n + 1, sizeof **copies);
	for (size_t i = 0; map && *copies && i < o->map.n; i++) {
		char *copy = (*copies)[i] = strdup(o->map.text[i]);
		if (!copy)
			continue;
		char *equal = strchr(copy, '=');
		*equal = '\0';
		map[2 * i] = copy;
		map[2 * i + 1] = equal + 1;
	}
	return map;
}

static int compare(const options *o, const struct pair *p)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_difference *differences = NULL;
	size_t n = 0;
	char **copies;
	const char **map = split_maps(o, &copies);
	bxt_status status =
		bxt_compare(p->table[0], p->table[1], map, o->map.n, d, &differences, &n);
	int result = report(status, d, o->files.text[1], o->quiet);
	for (size_t i = 0; i < o->map.n; i++)
		free(copies[i]);
	free(copies);
	free(map);
	double largest = 0;
	for (size_t i = 0; i < n; i++)
		if (!(differences[i].relative <= largest))
			largest = differences[i].relative;
	if (status == BXT_OK && n == 0) {
		fprintf(stderr,
			"%s: error: no signal in common with %s; name pairs with --map A=B\n",
			o->files.text[1], o->files.text[0]);
		result = EXIT_BAD_MODEL;
	} else if (status == BXT_OK) {
		result = write_table(o, differences, n, largest);
	}
	free(differences);
	return result;
}

int command_compare(const options *o)
{
	struct pair p = {0};
	bxt_library *library = open_library(o);
	int status = library ? EXIT_OK : EXIT_NUMERICS;
	for (int i = 0; i < 2 && status == EXIT_OK; i++)
		status = model_open(&p.m[i], o, o->files.text[i], library, true);
	for (int i = 0; i < 2 && status == EXIT_OK; i++)
		status = find_names(o, &p, i);
	for (int i = 0; i < 2 && status == EXIT_OK; i++)
		status = run_one(o, &p, i);
	if (status == EXIT_OK)
		status = compare(o, &p);
	for (int i = 0; i < 2; i++) {
		bxt_table_free(p.table[i]);
		bxt_signal_names_free(p.names[i], p.n[i]);
		model_close(&p.m[i]);
	}
	bxt_library_free(library);
	return status;
}
