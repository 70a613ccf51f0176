/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "comparison.h"
#include "gnuplot.h"
#include "output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool is_within(double relative, const options *o)
{
	return relative <= o->tolerance;
}

bool is_judged(bxt_signal_group group)
{
	return group != BXT_SIGNALS_DRIFT;
}

/* ---- Pairs ---- */

/* "A=B" pairs as the library wants them; the texts live in *copies. */
static const char **split_maps(const options *o, char ***copies)
{
	const char **map = calloc(2 * o->map.n + 1, sizeof *map);
	char **copy = *copies = calloc(o->map.n + 1, sizeof **copies);
	bool good = map && copy;
	for (size_t i = 0; good && i < o->map.n; i++) {
		if (!(copy[i] = strdup(o->map.text[i]))) {
			good = false;
			break;
		}
		char *equal = strchr(copy[i], '=');
		*equal = '\0';
		map[2 * i] = copy[i];
		map[2 * i + 1] = equal + 1;
	}
	if (good)
		return map;
	free(map);
	return NULL;
}

static int find_twins(const options *o, model m[2], comparison *c)
{
	char **copies = NULL;
	const char **map = split_maps(o, &copies);
	bxt_diagnostics *d = bxt_diagnostics_new();
	const bxt_status status = map && d ? bxt_twins_find(m[0].system, m[1].system, &o->def, map,
							    o->map.n, d, &c->twins)
					   : BXT_ERR_MEMORY;
	for (size_t i = 0; copies && i < o->map.n; i++)
		free(copies[i]);
	free(copies);
	free(map);
	return report(status, d, m[1].file, o->quiet);
}

static void print_some(const char *file, const char *const *names, size_t n)
{
	enum { SOME = 6 };
	print_message("  %s:", file);
	for (size_t i = 0; i < n && i < SOME; i++)
		print_message(" %s", names[i]);
	fputs(n > SOME ? " ...\n" : n > 0 ? "\n" : " nothing\n", stderr);
}

/* That both have an energy is not much in common, unless somebody asked for it. */
static bool have_common(const options *o, const comparison *c)
{
	for (size_t i = 0; i < c->twins.n; i++)
		if (o->def.record || o->map.n > 0 || strpbrk(c->twins.twin[i].side[0].name, ".("))
			return true;
	print_message("%s: error: no signal in common with %s; name pairs with --map A=B\n",
		      c->file[1], c->file[0]);
	for (int s = 0; s < 2; s++)
		print_some(c->file[s], c->twins.alone[s], c->twins.n_alone[s]);
	return false;
}

/* ---- Runs ---- */

static int run_one(const options *o, const model *m, comparison *c, int i)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_run_def def = watched(o);
	c->table[i] = bxt_table_new();
	if (!d || !c->table[i]) {
		fputs("boxtimes: out of memory\n", stderr);
		bxt_diagnostics_free(d);
		return EXIT_NUMERICS;
	}
	bxt_sink sink;
	bxt_table_sink(c->table[i], &sink);
	def.record = "energy";
	def.record_also = c->twins.record[i];
	def.n_record_also = c->twins.n_record[i];
	def.every = c->twins.every[i];
	const bxt_status status = bxt_run(m->system, m->state, &def, &sink, &c->summary[i], d);
	progress_done();
	const int result = report(status, d, m->file, o->quiet);
	if (status == BXT_ERR_INTERRUPTED)
		fputs("boxtimes: interrupted; nothing was compared\n", stderr);
	c->summary[i].seconds.compile = m->seconds;
	if (c->summary[i].scheme && !o->quiet) {
		print_message("%s: ", m->file);
		bxt_summary_write_brief(&c->summary[i], stderr);
	}
	return result;
}

static int run_both(const options *o, const model m[2], comparison *c)
{
	if (c->twins.fewer_rows && !o->quiet)
		print_message("%s: note: too many values for memory: every %ldth step is compared; "
			      "choose with --every or --record\n",
			      c->file[0], c->twins.every[0]);
	int status = EXIT_OK;
	for (int i = 0; i < 2 && status == EXIT_OK; i++)
		status = run_one(o, &m[i], c, i);
	return status;
}

/* ---- Measuring ---- */

static void raise(double *largest, double relative)
{
	if (!(relative <= *largest) && !isnan(*largest))
		*largest = relative;
}

static void judge(comparison *c)
{
	for (size_t i = 0; i < c->twins.n; i++)
		if (is_judged(c->difference[i].group))
			raise(&c->largest, c->difference[i].relative);
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < c->n_carried[s]; i++)
			raise(&c->largest, c->carried[s][i].relative);
	for (size_t i = 0; i < c->n_account; i++)
		raise(&c->largest, c->account[i].relative);
}

static int measure(const options *o, comparison *c)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_status status = d ? bxt_twins_compare(&c->twins, c->table[0], c->table[1],
						  &c->summary[0], o->tolerance, d, &c->difference)
			      : BXT_ERR_MEMORY;
	for (int s = 0; s < 2 && status == BXT_OK; s++)
		status = bxt_twins_carried(&c->twins, s, c->table[s], &c->summary[s], o->tolerance,
					   &c->carried[s], &c->n_carried[s]);
	if (status == BXT_OK)
		status = bxt_twins_accounts(&c->twins, &c->summary[0], &c->summary[1], &c->account,
					    &c->n_account);
	if (status == BXT_OK)
		judge(c);
	return report(status, d, c->file[1], o->quiet);
}

/* ---- The report ---- */

static bool write_file(const options *o, const comparison *c)
{
	output_file out;
	if (!output_open(&out, o->output))
		return false;
	compare_write_csv(c, out.stream);
	return output_close(&out);
}

static int show(const options *o, const comparison *c)
{
	const bool csv_only = o->output && strcmp(o->output, "-") == 0;
	bool good = !o->output || csv_only || write_file(o, c);
	if (csv_only)
		compare_write_csv(c, stdout);
	else if (o->json)
		compare_write_json(c, o, stdout);
	else
		compare_write_text(c, o, stdout);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		print_message("boxtimes: cannot write the table: %s\n", strerror(errno));
		good = false;
	}
	const int drawn = good && o->plot ? compare_plot(c, o) : EXIT_OK;
	if (!good || drawn != EXIT_OK)
		return good ? drawn : EXIT_NUMERICS;
	return is_within(c->largest, o) ? EXIT_OK : EXIT_DIFFERENT;
}

static void comparison_free(comparison *c)
{
	free(c->difference);
	free(c->account);
	for (int s = 0; s < 2; s++) {
		free(c->carried[s]);
		bxt_table_free(c->table[s]);
		bxt_summary_free(&c->summary[s]);
	}
	bxt_twins_free(&c->twins);
}

int command_compare(const options *o)
{
	model m[2] = {{0}, {0}};
	comparison c = {.file = {o->files.text[0], o->files.text[1]}};
	enum gnuplot_format format;
	if (o->plot && !gnuplot_find_format("--plot", o->plot, &format))
		return EXIT_USAGE;
	bxt_library *library = open_library(o);
	int status = library ? EXIT_OK : EXIT_NUMERICS;
	for (int i = 0; i < 2 && status == EXIT_OK; i++)
		status = model_open(&m[i], o, o->files.text[i], library, true);
	const bool allowed =
		status != EXIT_OK ||
		output_allowed(o, library, (bxt_netlist *[]){m[0].netlist, m[1].netlist}, 2);
	status = allowed ? status : EXIT_USAGE;
	if (status == EXIT_OK)
		status = find_twins(o, m, &c);
	if (status == EXIT_OK && !have_common(o, &c))
		status = EXIT_BAD_MODEL;
	if (status == EXIT_OK)
		status = run_both(o, m, &c);
	if (status == EXIT_OK)
		status = measure(o, &c);
	if (status == EXIT_OK)
		status = show(o, &c);
	comparison_free(&c);
	for (int i = 0; i < 2; i++)
		model_close(&m[i]);
	bxt_library_free(library);
	return status;
}
