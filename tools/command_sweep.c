/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sweeps: of runs, and of operating points. */
#include "cases.h"
#include "family_plot.h"
#include "output.h"
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The first value alone: at an operating point a source is what it is given, whatever waveform it
 * follows else, and what follows time could not vary. NULL: out of memory.
 */
static char *first_value(const char *set)
{
	const char *value = strchr(set, '=') + 1;
	const char *end = value + strcspn(value, ":,"), *about = strstr(value, "+-");
	if (about && about < end)
		end = about;
	return strndup(set, (size_t)(end - set));
}

/* Gives the model the first values of what varies; `firsts` owns their texts. */
static bool set_firsts(const list *vary, options *fixed, list *firsts)
{
	bool good = true;
	for (size_t i = 0; i < vary->n && good; i++) {
		char *first = first_value(vary->text[i]);
		good = first && list_add(firsts, first);
		if (first && !good)
			free(first);
		good = good && list_add(&fixed->set, first);
	}
	return good;
}

static bool go_on(void *context, size_t done, size_t n)
{
	const options *o = context;
	if (!o->quiet && isatty(STDERR_FILENO) && (done % 16 == 0 || done == n))
		fprintf(stderr, "\r%zu of %zu cases%s", done, n, done == n ? "\n" : "");
	return true;
}

static bxt_parameter_sweep_def definition(const options *o, const list *vary,
					  const bxt_run_def *run, bool at_start)
{
	bxt_parameter_sweep_def def;
	bxt_default_parameter_sweep_def(&def);
	def.run = run;
	def.vary = vary->text;
	def.n_vary = vary->n;
	def.cases = o->sweep.cases;
	def.draws = (size_t)o->sweep.draws;
	def.seed = o->seed;
	def.measures = o->sweep.measures;
	def.at_start = at_start;
	def.jobs = o->sweep.jobs;
	def.done = go_on;
	def.context = (void *)o;
	return def;
}

static int write_sweep(const options *o, const bxt_parameter_sweep *sweep)
{
	output_file out;
	if (!output_open(&out, o->output))
		return EXIT_NUMERICS;
	bool good = bxt_parameter_sweep_write_csv(sweep, out.stream) == BXT_OK;
	if (!good)
		print_message("boxtimes: cannot write the cases: %s\n", strerror(errno));
	good = output_close(&out) && good;
	return !good || sweep->n_failed > 0 ? EXIT_NUMERICS : EXIT_OK;
}

/* ---- Pictures ---- */

static double value_of(const bxt_parameter_sweep *s, size_t k, size_t column)
{
	return s->value[k * s->n_columns + column];
}

/* Different values of a parameter. */
static size_t count_values(const bxt_parameter_sweep *s, size_t column)
{
	size_t n = 0;
	for (size_t k = 0; k < s->n_cases; k++) {
		size_t i = 0;
		while (value_of(s, i, column) != value_of(s, k, column))
			i++;
		n += i == k;
	}
	return n;
}

/* Have both cases the same parameters but for that one? */
static bool same_others(const bxt_parameter_sweep *s, size_t a, size_t b, size_t but)
{
	for (size_t i = 0; i < s->n_varied; i++)
		if (i != but && value_of(s, a, i) != value_of(s, b, i))
			return false;
	return true;
}

/* Are the values of a curve, at least four, in equal ratios? Then its axis is logarithmic. */
static bool in_ratios(const bxt_parameter_sweep *s, const size_t *of, size_t n, size_t column)
{
	const double first = value_of(s, of[0], column);
	const double ratio = n > 1 ? value_of(s, of[1], column) / first : 0;
	bool equal = n > 3 && first > 0 && ratio > 0 && ratio != 1;
	for (size_t i = 1; i < n && equal; i++) {
		const double here = value_of(s, of[i], column) / value_of(s, of[i - 1], column);
		equal = here / ratio > 1 - 1e-6 && here / ratio < 1 + 1e-6;
	}
	return equal;
}

/* "C1.C = 1e-06 F", the parameters of a case but one. */
static void write_others(const bxt_parameter_sweep *s, size_t k, size_t but, FILE *f)
{
	const char *between = "";
	for (size_t i = 0; i < s->n_varied; i++) {
		if (i == but)
			continue;
		fprintf(f, "%s%s = %.6g%s%s", between, s->column[i].name, value_of(s, k, i),
			*s->column[i].unit ? " " : "", s->column[i].unit);
		between = ", ";
	}
}

/* The cases of one curve, whose first is k, to `of`; 0: k belongs to one before. By x. */
static size_t find_curve(const bxt_parameter_sweep *s, size_t k, size_t x, bool single, size_t *of)
{
	size_t n = 0;
	for (size_t i = 0; i < k; i++)
		if (single || same_others(s, i, k, x))
			return 0;
	for (size_t i = k; i < s->n_cases; i++) {
		if (!single && !same_others(s, i, k, x))
			continue;
		size_t at = n++;
		for (; at > 0 && value_of(s, of[at - 1], x) > value_of(s, i, x); at--)
			of[at] = of[at - 1];
		of[at] = i;
	}
	return n;
}

/* Drawn and listed cases have no curves: they are points. */
static int draw_sweep(const options *o, const bxt_parameter_sweep *s)
{
	family p = {.file = o->files.text[0]};
	const bool points = o->sweep.draws > 0 || o->sweep.cases;
	size_t x = 0, *of = calloc(s->n_cases + 1, sizeof *of);
	for (size_t i = 1; i < s->n_varied; i++)
		if (count_values(s, i) > count_values(s, x))
			x = i;
	family_x(&p, s->column[x].name, s->column[x].unit);
	for (size_t m = s->n_varied; m < s->n_columns && of; m++) {
		const int panel = family_panel(&p, s->column[m].name, s->column[m].unit);
		int colour = 0;
		for (size_t k = 0; k < s->n_cases; k++) {
			const size_t n = find_curve(s, k, x, points, of);
			char *title = NULL;
			size_t size;
			FILE *f = n > 0 ? open_memstream(&title, &size) : NULL;
			if (!f)
				continue;
			if (!points && m == s->n_varied)
				write_others(s, k, x, f);
			fclose(f);
			p.log_x = p.log_x || in_ratios(s, of, n, x);
			family_curve(&p, panel, colour++, points ? CURVE_POINTS : CURVE_LINE,
				     title);
			for (size_t i = 0; i < n; i++)
				family_point(&p, value_of(s, of[i], x), value_of(s, of[i], m));
			free(title);
		}
	}
	p.failed = p.failed || !of;
	const int result = family_draw(&p, "--plot", o->plot);
	family_free(&p);
	free(of);
	return result;
}

/* The rows of one case, as curves of all panels. */
static int add_waveforms(const options *o, cases *c, size_t k, bxt_library *library, family *p)
{
	model m = {0};
	bxt_table *rows = bxt_table_new();
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_sink to;
	int result = cases_model(c, k, library, &m);
	if (result == EXIT_OK)
		result = model_start(&m, o);
	bxt_status status = rows && d ? BXT_OK : BXT_ERR_MEMORY;
	if (rows)
		bxt_table_sink(rows, &to);
	if (result == EXIT_OK && status == BXT_OK)
		status = bxt_run(m.system, m.state, &o->def, &to, NULL, d);
	const int told = report(status, d, m.file ? m.file : o->files.text[0], true);
	result = result == EXIT_OK ? told : result;
	char *words = cases_words(c, k, -1);
	for (size_t i = 0; result == EXIT_OK && i < bxt_table_columns(rows); i++) {
		if (k == 0)
			family_panel(p, bxt_table_name(rows, i), bxt_table_unit(rows, i));
		family_curve(p, (int)i, (int)k, CURVE_LINE, i == 0 && words ? words : "");
		for (size_t r = 0; r < bxt_table_rows(rows); r++)
			family_point(p, bxt_table_time(rows, r), bxt_table_value(rows, r, i));
	}
	free(words);
	bxt_table_free(rows);
	model_close(&m);
	return result;
}

static int draw_waveforms(const options *o, bxt_library *library)
{
	enum { MOST_SIGNALS = 12 };
	cases c = {0};
	family p = {.file = o->files.text[0]};
	family_x(&p, "time", "s");
	int result = cases_open(&c, o, library);
	for (size_t k = 0; result == EXIT_OK && k < c.list->n_cases; k++)
		result = add_waveforms(o, &c, k, library, &p);
	if (result == EXIT_OK && p.panels > MOST_SIGNALS) {
		print_message(
			"boxtimes sweep: --waveforms draws at most %d signals, not %d: choose with "
			"--record\n",
			MOST_SIGNALS, p.panels);
		result = EXIT_USAGE;
	}
	if (result == EXIT_OK)
		result = family_draw(&p, "--waveforms", o->sweep.waveforms);
	family_free(&p);
	cases_close(&c);
	return result;
}

/* ---- The whole ---- */

static int sweep_model(const options *o, const options *fixed, const list *vary, bool at_start)
{
	model m = {0};
	bxt_parameter_sweep *sweep = NULL;
	bxt_run_def run = o->def;
	bxt_library *library = open_library(o);
	int result =
		library ? model_open(&m, fixed, o->files.text[0], library, false) : EXIT_NUMERICS;
	if (at_start && !run.start)
		run.start = "operating-point";
	if (result == EXIT_OK && !output_allowed(o, library, &m.netlist, 1))
		result = EXIT_USAGE;
	if (result == EXIT_OK) {
		const bxt_parameter_sweep_def def = definition(o, vary, &run, at_start);
		bxt_diagnostics *d = bxt_diagnostics_new();
		const bxt_status status =
			d ? bxt_parameter_sweep_run(m.system, &def, d, &sweep) : BXT_ERR_MEMORY;
		result = report(status, d, m.file, o->quiet);
	}
	if (result == EXIT_OK && (o->output || !(o->plot || o->sweep.waveforms)))
		result = write_sweep(o, sweep);
	if (result == EXIT_OK && o->plot)
		result = draw_sweep(o, sweep);
	if (result == EXIT_OK && o->sweep.waveforms)
		result = draw_waveforms(o, library);
	bxt_parameter_sweep_free(sweep);
	model_close(&m);
	bxt_library_free(library);
	return result;
}

static int run_cases(const options *o, bool at_start)
{
	options fixed;
	list vary = {0}, firsts = {0};
	int result = EXIT_NUMERICS;
	if (!family_named("--plot", o->plot) || !family_named("--waveforms", o->sweep.waveforms))
		return EXIT_USAGE;
	if (o->sweep.waveforms && (o->sweep.cases || o->sweep.draws > 0)) {
		print_message(
			"boxtimes sweep: --waveforms draws cases of --set, without --cases and "
			"--random\n");
		return EXIT_USAGE;
	}
	if (cases_split(o, &fixed, &vary) && (!at_start || set_firsts(&vary, &fixed, &firsts))) {
		if (vary.n > 0 || o->sweep.cases) {
			result = sweep_model(o, &fixed, &vary, at_start);
		} else {
			print_message("boxtimes: %s: nothing varies: give --set NAME='FROM : TO : "
				      "NUMBER' or "
				      "--cases FILE\n",
				      o->command);
			result = EXIT_USAGE;
		}
	}
	for (size_t i = 0; i < firsts.n; i++)
		free((char *)firsts.text[i]);
	free(firsts.text);
	free(vary.text);
	free(fixed.set.text);
	return result;
}

int command_sweep(const options *o)
{
	return run_cases(o, false);
}

int command_dc(const options *o)
{
	return run_cases(o, true);
}
