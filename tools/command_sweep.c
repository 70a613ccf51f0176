/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sweeps: of runs, and of operating points. */
#include "output.h"
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Does --set NAME=VALUE give several values? An =EXPR is one. */
static bool varies(const char *set)
{
	const char *value = strchr(set, '=') + 1;
	while (*value == ' ')
		value++;
	return *value != '=' && (strpbrk(value, ":,") || strstr(value, "+-"));
}

/* The options of the model alone; *vary gets the rest of --set. */
static bool split(const options *o, options *fixed, list *vary)
{
	bool good = true;
	*fixed = *o;
	fixed->set = (list){0};
	for (size_t i = 0; i < o->set.n && good; i++)
		good = list_add(varies(o->set.text[i]) ? vary : &fixed->set, o->set.text[i]);
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
	def.cases = o->cases;
	def.draws = (size_t)o->draws;
	def.seed = o->seed;
	def.measures = o->measures;
	def.at_start = at_start;
	def.jobs = o->jobs;
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
		say("boxtimes: cannot write the cases: %s\n", strerror(errno));
	good = output_close(&out) && good;
	return !good || sweep->n_failed > 0 ? EXIT_NUMERICS : EXIT_OK;
}

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
	if (result == EXIT_OK)
		result = write_sweep(o, sweep);
	bxt_parameter_sweep_free(sweep);
	model_close(&m);
	bxt_library_free(library);
	return result;
}

static int run_cases(const options *o, bool at_start)
{
	options fixed;
	list vary = {0};
	int result = EXIT_NUMERICS;
	if (split(o, &fixed, &vary)) {
		if (vary.n > 0 || o->cases) {
			result = sweep_model(o, &fixed, &vary, at_start);
		} else {
			say("boxtimes: %s: nothing varies: give --set NAME='FROM : TO : NUMBER' or "
			    "--cases FILE\n",
			    o->command);
			result = EXIT_USAGE;
		}
	}
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
