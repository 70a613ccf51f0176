/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Derivatives of runs: the commands sensitivity, steady and fit. */
#include "rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sensitivity ---- */

int command_sensitivity(const options *o)
{
	model m = {0};
	bxt_table *table = NULL;
	bxt_run_def run = watched(o);
	bxt_sensitivity_def def;
	if (!o->study.by) {
		print_message("boxtimes sensitivity: --by is missing: list parameters, separated "
			      "by commas; "
			      "see "
			      "'boxtimes sensitivity --help'\n");
		return EXIT_USAGE;
	}
	bxt_library *library = open_library(o);
	int result = library ? model_open(&m, o, o->files.text[0], library, false) : EXIT_NUMERICS;
	if (result == EXIT_OK && !output_allowed(o, library, &m.netlist, 1))
		result = EXIT_USAGE;
	if (result == EXIT_OK) {
		bxt_default_sensitivity_def(&def);
		def.run = &run;
		def.by = o->study.by;
		bxt_diagnostics *d = bxt_diagnostics_new();
		const bxt_status status =
			d ? bxt_sensitivity_run(m.system, &def, d, &table) : BXT_ERR_MEMORY;
		progress_done();
		result = report(status, d, m.file, o->quiet);
	}
	if (result == EXIT_OK)
		result = rows_write(o, table, bxt_netlist_name(m.netlist));
	bxt_table_free(table);
	model_close(&m);
	bxt_library_free(library);
	return result;
}

static void write_json_number(double x, FILE *f)
{
	if (isfinite(x))
		fprintf(f, "%.17g", x);
	else
		fputs("null", f);
}

/* ---- steady ---- */

static void write_motion(const options *o, const bxt_steady *s, FILE *f)
{
	/* smaller ones are changes that are gone */
	static const double GONE = 1e-9;
	size_t gone = 0;
	fprintf(f, "periodic: %d steps of Newton's method, states return to %.1e\n", s->iterations,
		s->residual);
	if (o->study.oscillator) {
		fprintf(f, "period %.12g s", s->period);
		if (isfinite(s->period_error))
			fprintf(f, " +- %.1e s by its steps", s->period_error);
		fprintf(f, ", frequency %.9g Hz\n", 1 / s->period);
	}
	if (s->n_multipliers < s->n_states)
		fprintf(f, "the %zu largest of %zu multipliers:\n", s->n_multipliers, s->n_states);
	for (size_t k = 0; k < s->n_multipliers; k++) {
		const double *m = &s->multiplier[2 * k];
		if (hypot(m[0], m[1]) < GONE)
			gone++;
		else if (m[1] == 0)
			fprintf(f, "multiplier %.9g\n", m[0]);
		else if (m[1] > 0)
			fprintf(f, "multipliers %.9g +- %.9g i, of size %.9g\n", m[0], m[1],
				hypot(m[0], m[1]));
	}
	if (gone > 0)
		fprintf(f, "multiplier%s 0: %zu\n", gone > 1 ? "s" : "", gone);
}

static void write_json_steady(const options *o, const bxt_steady *s, FILE *f)
{
	fprintf(f, "{\"period\": %.17g, ", s->period);
	if (o->study.oscillator) {
		fputs("\"period_error\": ", f);
		write_json_number(s->period_error, f);
		fputs(", ", f);
	}
	fprintf(f, "\"iterations\": %d, \"residual\": %.17g, \"states\": %zu, \"multipliers\": [",
		s->iterations, s->residual, s->n_states);
	for (size_t k = 0; k < s->n_multipliers; k++)
		fprintf(f, "%s\n  {\"re\": %.17g, \"im\": %.17g}", k ? "," : "",
			s->multiplier[2 * k], s->multiplier[2 * k + 1]);
	fputs("\n]}\n", f);
}

/* Rows to -o or --plot, without --json to standard output; the state to --checkpoint. */
static int write_steady(const options *o, const model *m, const bxt_steady *s)
{
	int result = EXIT_OK;
	if (o->json)
		write_json_steady(o, s, stdout);
	else if (!o->quiet)
		write_motion(o, s, stderr);
	if (!o->json || o->output || o->plot)
		result = rows_write(o, (bxt_table *)(void *)s->rows, bxt_netlist_name(m->netlist));
	if (result == EXIT_OK && o->run.checkpoint) {
		bxt_diagnostics *d = bxt_diagnostics_new();
		const bxt_status status =
			d ? bxt_state_save(s->state, o->run.checkpoint, d) : BXT_ERR_MEMORY;
		result = report(status, d, o->run.checkpoint, o->quiet);
	}
	return result;
}

int command_steady(const options *o)
{
	model m = {0};
	bxt_steady *steady = NULL;
	bxt_steady_def def;
	if (!(o->study.period > 0) && !o->study.oscillator) {
		print_message(
			"boxtimes steady: --period is missing: the time after which the sources "
			"repeat; or --oscillator, whose period is found; see 'boxtimes steady "
			"--help'\n");
		return EXIT_USAGE;
	}
	bxt_library *library = open_library(o);
	int result = library ? model_open(&m, o, o->files.text[0], library, false) : EXIT_NUMERICS;
	if (result == EXIT_OK && (!output_allowed(o, library, &m.netlist, 1) ||
				  !output_allowed_states(o, library, m.netlist)))
		result = EXIT_USAGE;
	if (result == EXIT_OK) {
		bxt_default_steady_def(&def);
		def.run = &o->def;
		def.period = o->study.period;
		def.oscillator = o->study.oscillator;
		bxt_diagnostics *d = bxt_diagnostics_new();
		const bxt_status status =
			d ? bxt_steady_find(m.system, &def, d, &steady) : BXT_ERR_MEMORY;
		result = report(status, d, m.file, o->quiet);
	}
	if (result == EXIT_OK)
		result = write_steady(o, &m, steady);
	bxt_steady_free(steady);
	model_close(&m);
	bxt_library_free(library);
	return result;
}

/* ---- fit ---- */

static bxt_status read_data(const options *o, bxt_diagnostics *d, bxt_table **out)
{
	FILE *f = fopen(o->to, "r");
	if (!f) {
		print_message("%s: error: cannot be read: %s\n", o->to, strerror(errno));
		return BXT_ERR_IO;
	}
	const bxt_status status = bxt_table_read_csv(f, o->to, d, out);
	fclose(f);
	return status;
}

static void write_fit(const bxt_fit *fit, FILE *f)
{
	for (size_t k = 0; k < fit->n; k++) {
		const bxt_fit_parameter *p = &fit->parameter[k];
		print_message_on(f, "%s = %.9g%s%s", p->name, p->value, *p->unit ? " " : "",
				 p->unit);
		if (isfinite(p->error))
			fprintf(f, " +- %.2g", p->error);
		else if (isnan(p->error))
			fputs(" (as many data as parameters: the error is unknown)", f);
		else
			fputs(" (not determined)", f);
		print_message_on(f, ", from %.9g%s\n", p->start,
				 p->at_bound ? "; at a bound of its range" : "");
	}
	for (size_t k = 0; k < fit->n_signals; k++)
		print_message_on(f, "%s: rms of data less run %.4g%s%s, %.4g before\n",
				 fit->signal[k].name, fit->rms[k], *fit->signal[k].unit ? " " : "",
				 fit->signal[k].unit, fit->rms_before[k]);
	fprintf(f, "%zu data, %d steps, %d runs\n", fit->n_points, fit->iterations, fit->runs);
}

/* Paths and units have neither quotes nor backslashes; signals may be expressions, which have no
 * quotes either. */
static void write_json_fit(const bxt_fit *fit, FILE *f)
{
	fputs("{\"parameters\": [", f);
	for (size_t k = 0; k < fit->n; k++) {
		const bxt_fit_parameter *p = &fit->parameter[k];
		fprintf(f,
			"%s\n  {\"name\": \"%s\", \"unit\": \"%s\", \"start\": %.17g, \"value\": "
			"%.17g, \"error\": ",
			k ? "," : "", p->name, p->unit, p->start, p->value);
		write_json_number(p->error, f);
		fprintf(f, ", \"at_bound\": %s}", p->at_bound ? "true" : "false");
	}
	fputs("\n], \"covariance\": ", f);
	if (!fit->covariance)
		fputs("null", f);
	for (size_t k = 0; fit->covariance && k < fit->n * fit->n; k++) {
		fputs(k == 0 ? "[[" : k % fit->n == 0 ? "], [" : ", ", f);
		write_json_number(fit->covariance[k], f);
	}
	fputs(fit->covariance ? "]], \"signals\": [" : ", \"signals\": [", f);
	for (size_t k = 0; k < fit->n_signals; k++) {
		fprintf(f,
			"%s\n  {\"name\": \"%s\", \"unit\": \"%s\", \"rms_before\": ", k ? "," : "",
			fit->signal[k].name, fit->signal[k].unit);
		write_json_number(fit->rms_before[k], f);
		fputs(", \"rms\": ", f);
		write_json_number(fit->rms[k], f);
		putc('}', f);
	}
	fprintf(f, "\n], \"data\": %zu, \"iterations\": %d, \"runs\": %d}\n", fit->n_points,
		fit->iterations, fit->runs);
}

/* Sets the values in the netlist. */
static bxt_status set_values(bxt_netlist *netlist, const bxt_fit *fit, bxt_diagnostics *d)
{
	bxt_status status = BXT_OK;
	for (size_t k = 0; k < fit->n && status == BXT_OK; k++) {
		const bxt_fit_parameter *p = &fit->parameter[k];
		char *path = strdup(p->name), *text = malloc(strlen(p->unit) + 40);
		char *dot = path ? strrchr(path, '.') : NULL;
		if (dot)
			*dot++ = '\0';
		if (text)
			sprintf(text, "%.17g%s%s", p->value,
				*p->unit && strcmp(p->unit, "1") != 0 ? " " : "",
				strcmp(p->unit, "1") != 0 ? p->unit : "");
		status = path && text ? bxt_netlist_set(netlist, dot ? path : "", dot ? dot : path,
							text, d)
				      : BXT_ERR_MEMORY;
		free(path);
		free(text);
	}
	return status;
}

/* The netlist with the values, as it was read but for them. */
static int write_netlist(const options *o, bxt_library *library, const bxt_fit *fit)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *netlist = NULL;
	bxt_status status = d ? read_netlist(o, o->files.text[0], d, &netlist) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = set_values(netlist, fit, d);
	if (status == BXT_OK && output_is_beside(o->output))
		status = bxt_netlist_move(netlist, library, o->output, d);
	int result = report(status, d, o->files.text[0], o->quiet);
	if (result == EXIT_OK)
		result = output_netlist(o, netlist);
	bxt_netlist_free(netlist);
	return result;
}

static int fit_model(const options *o, const model *m, bxt_fit **fit)
{
	bxt_fit_def def;
	bxt_table *data = NULL;
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_default_fit_def(&def);
	bxt_status status = d ? read_data(o, d, &data) : BXT_ERR_MEMORY;
	const bool unread = status == BXT_ERR_IO;
	def.run = &o->def;
	def.vary = o->study.vary;
	def.data = data;
	if (status == BXT_OK)
		status = bxt_fit_run(m->system, &def, d, fit);
	bxt_table_free(data);
	const int result = report(status, d, m->file, o->quiet);
	return unread ? EXIT_BAD_MODEL : result;
}

int command_fit(const options *o)
{
	model m = {0};
	bxt_fit *fit = NULL;
	options own = *o;
	own.reduction.snapshots = o->to; /* a file that the command reads */
	if (!o->to || !o->study.vary) {
		print_message(
			"boxtimes fit: --to FILE.csv and --vary LIST are needed; see 'boxtimes fit "
			"--help'\n");
		return EXIT_USAGE;
	}
	bxt_library *library = open_library(o);
	int result = library ? model_open(&m, o, o->files.text[0], library, false) : EXIT_NUMERICS;
	if (result == EXIT_OK && !output_allowed(&own, library, &m.netlist, 1))
		result = EXIT_USAGE;
	if (result == EXIT_OK)
		result = fit_model(o, &m, &fit);
	if (result == EXIT_OK && o->json)
		write_json_fit(fit, stdout);
	else if (result == EXIT_OK && !o->quiet)
		write_fit(fit, o->output && strcmp(o->output, "-") == 0 ? stderr : stdout);
	if (result == EXIT_OK && o->output)
		result = write_netlist(o, library, fit);
	bxt_fit_free(fit);
	model_close(&m);
	bxt_library_free(library);
	return result;
}
