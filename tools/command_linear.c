/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small signals: the commands ac, linearize and modes. */
#include "cases.h"
#include "linear.h"
#include "output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void linear_close(linearised *l)
{
	bxt_linear_free(l->linear);
	model_close(&l->m);
	bxt_library_free(l->library);
	*l = (linearised){0};
}

/* May the file of -o be written, or those in the folder of linearize? False after a message. */
static bool may_write(const options *o, linearised *l)
{
	static const char *const names[] = {"E.mtx", "A.mtx", "B.mtx",
					    "C.mtx", "D.mtx", "names.csv"};
	const bool folder = strcmp(o->command, "linearize") == 0 && !has_suffix(o->output, ".mat");
	bool may = true;
	if (!folder)
		return output_allowed(o, l->library, &l->m.netlist, 1);
	for (size_t i = 0; i < sizeof names / sizeof *names && may; i++) {
		options own = *o;
		char *path = malloc(strlen(o->output) + strlen(names[i]) + 2);
		if (!path)
			return false;
		sprintf(path, "%s/%s", o->output, names[i]);
		own.output = path;
		may = output_allowed(&own, l->library, &l->m.netlist, 1);
		free(path);
	}
	return may;
}

int linear_make(const options *o, linearised *l)
{
	bxt_linear_def def;
	bxt_default_linear_def(&def);
	def.from = o->linear.from;
	def.to = o->to;
	def.run = o->def;
	bxt_diagnostics *d = bxt_diagnostics_new();
	const bxt_status status =
		d ? bxt_linear_new(l->m.system, &def, d, &l->linear) : BXT_ERR_MEMORY;
	return report(status, d, l->m.file, o->quiet);
}

/* Returns an exit status. */
static int open_linear(const options *o, linearised *l)
{
	if (!(l->library = open_library(o)))
		return EXIT_NUMERICS;
	int result = model_open(&l->m, o, o->files.text[0], l->library, false);
	if (result != EXIT_OK)
		return result;
	if (!may_write(o, l))
		return EXIT_USAGE;
	return linear_make(o, l);
}

/* ---- Frequencies ---- */

size_t linear_points(const frequencies *s)
{
	if (s->spacing == LINEAR)
		return s->points;
	const double ratio = s->spacing == BY_DECADES ? 10 : 2;
	const double n = s->points * log(s->to / s->from) / log(ratio);
	return (size_t)floor(n + 1e-9) + 1;
}

double linear_point(const frequencies *s, size_t k)
{
	if (s->spacing == LINEAR)
		return s->points == 1
			       ? s->from
			       : s->from + (s->to - s->from) * (double)k / (double)(s->points - 1);
	const double base = s->spacing == BY_DECADES ? 10 : 2;
	return s->from * pow(base, (double)k / s->points);
}

/* ---- ac ---- */

static bool find_form(const options *o, int *form)
{
	static const char *const names[] = {"polar", "db", "complex"};
	*form = FORM_POLAR;
	for (int k = 0; o->linear.form; k++) {
		if (k == 3) {
			print_message("boxtimes %s: --form '%s' is not one of polar, db, complex\n",
				      o->command, o->linear.form);
			return false;
		}
		*form = k;
		if (strcmp(names[k], o->linear.form) == 0)
			break;
	}
	return true;
}

char *linear_pair_name(const bxt_linear *l, size_t out, size_t in)
{
	const char *y = bxt_linear_name(l, BXT_LINEAR_OUTPUTS, out)->name;
	const char *u = bxt_linear_name(l, BXT_LINEAR_INPUTS, in)->name;
	const bool several = bxt_linear_count(l, BXT_LINEAR_INPUTS) > 1;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	fprintf(f, several ? "%s / %s" : "%s", y, u);
	fclose(f);
	return text;
}

/* "V/V" is a number; a unit that is not known makes the quotient unknown. */
static void write_unit(const char *y, const char *u, FILE *f)
{
	if (!*y || !*u)
		return;
	if (strcmp(y, u) == 0)
		fputs(" [1]", f);
	else if (strcmp(u, "1") == 0)
		fprintf(f, " [%s]", y);
	else
		fprintf(f, strpbrk(u, "./ *") ? " [%s/(%s)]" : " [%s/%s]", y, u);
}

/* A name of a column, quoted where it has a comma or a quote. */
static void write_column(const char *function, const char *name, const char *unit_y,
			 const char *unit_u, FILE *f)
{
	const bool quote = strpbrk(name, ",\"") != NULL;
	fputs(quote ? ",\"" : ",", f);
	fprintf(f, "%s(", function);
	for (const char *c = name; *c; c++) {
		if (*c == '"')
			putc('"', f);
		putc(*c, f);
	}
	putc(')', f);
	write_unit(unit_y, unit_u, f);
	if (quote)
		putc('"', f);
}

void linear_write_head(const char *name, const char *unit_y, const char *unit_u, int form, FILE *f)
{
	static const char *const functions[][2] = {{"abs", "arg"}, {"abs", "arg"}, {"re", "im"}};
	const bool db = form == FORM_DECIBEL, complex = form == FORM_COMPLEX;
	write_column(functions[form][0], name, db ? "dB" : unit_y, db ? "1" : unit_u, f);
	write_column(functions[form][1], name, complex ? unit_y : "deg", complex ? unit_u : "1", f);
}

static bool write_head(const bxt_linear *l, int form, FILE *f)
{
	fputs("frequency [Hz]", f);
	for (size_t i = 0; i < bxt_linear_count(l, BXT_LINEAR_OUTPUTS); i++)
		for (size_t k = 0; k < bxt_linear_count(l, BXT_LINEAR_INPUTS); k++) {
			char *name = linear_pair_name(l, i, k);
			if (!name)
				return false;
			linear_write_head(name, bxt_linear_name(l, BXT_LINEAR_OUTPUTS, i)->unit,
					  bxt_linear_name(l, BXT_LINEAR_INPUTS, k)->unit, form, f);
			free(name);
		}
	putc('\n', f);
	return true;
}

void linear_take_form(int form, const double *value, double *last, double out[2])
{
	static const double DEGREES = 57.29577951308232; /* of a radian */
	const double size = hypot(value[0], value[1]);
	double angle = atan2(value[1], value[0]) * DEGREES;
	if (last && isfinite(*last))
		angle += 360 * round((*last - angle) / 360);
	if (last)
		*last = angle;
	out[0] = form == FORM_COMPLEX ? value[0] : form == FORM_DECIBEL ? 20 * log10(size) : size;
	out[1] = form == FORM_COMPLEX ? value[1] : angle;
}

static void write_value(int form, const double *value, double *last, FILE *f)
{
	double out[2];
	linear_take_form(form, value, last, out);
	fprintf(f, ",%.17g,%.17g", out[0], out[1]);
}

/* The rows of all frequencies; `continuous`: phases go on beyond 180 degrees. Findings are in d. */
static bxt_status write_rows(const options *o, bxt_linear *l, int form, bool continuous,
			     bxt_diagnostics *d, FILE *f)
{
	const size_t n =
		bxt_linear_count(l, BXT_LINEAR_OUTPUTS) * bxt_linear_count(l, BXT_LINEAR_INPUTS);
	double *values = malloc((3 * n + 1) * sizeof *values), *last = values + 2 * n;
	bxt_status status = values ? BXT_OK : BXT_ERR_MEMORY;
	for (size_t i = 0; i < n && values; i++)
		last[i] = NAN;
	for (size_t k = 0; k < linear_points(&o->linear.frequencies) && status == BXT_OK; k++) {
		const double frequency = linear_point(&o->linear.frequencies, k);
		status = bxt_linear_response(l, frequency, values, d);
		if (status != BXT_OK)
			break;
		fprintf(f, "%.17g", frequency);
		for (size_t i = 0; i < n; i++)
			write_value(form, values + 2 * i, continuous ? &last[i] : NULL, f);
		putc('\n', f);
	}
	free(values);
	return status;
}

/* The same as a raw file. */
static bxt_status write_raw(const options *o, const linearised *l, bxt_diagnostics *d, FILE *f)
{
	const size_t n_in = bxt_linear_count(l->linear, BXT_LINEAR_INPUTS);
	const size_t n = n_in * bxt_linear_count(l->linear, BXT_LINEAR_OUTPUTS);
	bxt_column *columns = calloc(n + 1, sizeof *columns);
	double *values = malloc((2 * n + 1) * sizeof *values);
	bxt_raw *raw = NULL;
	bxt_sink to;
	bxt_status status =
		columns && values
			? bxt_raw_new_complex(f, bxt_netlist_name(l->m.netlist), o->run.ascii, &raw)
			: BXT_ERR_MEMORY;
	for (size_t i = 0; i < n && status == BXT_OK; i++) {
		columns[i].name = linear_pair_name(l->linear, i / n_in, i % n_in);
		columns[i].unit = bxt_linear_name(l->linear, BXT_LINEAR_OUTPUTS, i / n_in)->unit;
		status = columns[i].name ? BXT_OK : BXT_ERR_MEMORY;
	}
	bxt_raw_sink(raw, &to);
	if (status == BXT_OK)
		status = to.columns(to.context, n, columns);
	for (size_t k = 0; k < linear_points(&o->linear.frequencies) && status == BXT_OK; k++) {
		const double frequency = linear_point(&o->linear.frequencies, k);
		status = bxt_linear_response(l->linear, frequency, values, d);
		if (status == BXT_OK)
			status = to.row(to.context, frequency, n, values);
	}
	for (size_t i = 0; i < n && columns; i++)
		free((char *)columns[i].name);
	free(columns);
	free(values);
	const bxt_status finished = bxt_raw_finish(raw);
	return status != BXT_OK ? status : finished;
}

/* The picture of a table, magnitudes and phases over the logarithm of the frequency. */
static int draw_bode(const options *o, FILE *csv)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_table *table = NULL;
	options own = *o;
	rewind(csv);
	const bxt_status status =
		d ? bxt_table_read_csv(csv, o->files.text[0], d, &table) : BXT_ERR_MEMORY;
	int result = report(status, d, o->files.text[0], o->quiet);
	own.picture.log[0] = o->linear.frequencies.spacing != LINEAR;
	own.picture.over_frequency = true;
	FILE *picture = result == EXIT_OK ? plot_picture(table, &own, o->files.text[0]) : NULL;
	if (result == EXIT_OK)
		result = picture ? output_copy(picture, o->plot) : EXIT_NUMERICS;
	if (picture)
		fclose(picture);
	bxt_table_free(table);
	return result;
}

/* Nothing is written unless all of it is known. */
static int write_response(const options *o, const linearised *model, int form)
{
	bxt_linear *l = model->linear;
	const bool raw = has_suffix(o->output, ".raw");
	FILE *f = tmpfile(), *picture = o->plot ? tmpfile() : NULL;
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_status status = f && d && (picture || !o->plot) ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK && raw)
		status = write_raw(o, model, d, f);
	else if (status == BXT_OK && !write_head(l, form, f))
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK && !raw)
		status = write_rows(o, l, form, false, d, f);
	if (status == BXT_OK && picture &&
	    (!write_head(l, FORM_DECIBEL, picture) ||
	     write_rows(o, l, FORM_DECIBEL, true, d, picture) != BXT_OK))
		status = BXT_ERR_MEMORY;
	int result = report(status, d, o->files.text[0], o->quiet);
	if (result == EXIT_OK && (o->output || !o->plot)) {
		rewind(f);
		result = output_copy(f, o->output);
	}
	if (result == EXIT_OK && picture)
		result = draw_bode(o, picture);
	if (f)
		fclose(f);
	if (picture)
		fclose(picture);
	return result;
}

int command_ac(const options *o)
{
	linearised l = {0};
	int form;
	if (!find_form(o, &form))
		return EXIT_USAGE;
	if (!o->linear.from || !o->to || o->linear.frequencies.points == 0) {
		print_message("boxtimes ac: --from, --to, and one of --dec, --oct and --lin are "
			      "needed; see "
			      "'boxtimes ac --help'\n");
		return EXIT_USAGE;
	}
	if (o->linear.form && has_suffix(o->output, ".raw")) {
		print_message(
			"boxtimes ac: --form is for CSV, not for a raw file, which is complex\n");
		return EXIT_USAGE;
	}
	if (o->run.ascii && !has_suffix(o->output, ".raw")) {
		print_message("boxtimes ac: --ascii is for a raw file: -o FILE.raw\n");
		return EXIT_USAGE;
	}
	if (o->linear.nyquist || cases_any(o))
		return families_ac(o, form);
	int result = open_linear(o, &l);
	if (result == EXIT_OK)
		result = write_response(o, &l, form);
	linear_close(&l);
	return result;
}

/* ---- linearize ---- */

static int write_folder(const options *o, bxt_linear *l)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	const bxt_status status = !d                    ? BXT_ERR_MEMORY
				  : o->linear.by_states ? bxt_linear_write_states(l, o->output, d)
							: bxt_linear_write(l, o->output, d);
	return report(status, d, o->output, o->quiet);
}

static int write_mat(const options *o, bxt_linear *l)
{
	output_file out;
	bxt_csc probe = {.size = sizeof probe};
	if (bxt_linear_get(l, BXT_LINEAR_E, &probe) != BXT_OK) {
		print_message("%s: error: the model has delays, which no constant matrices "
			      "represent; see "
			      "boxtimes ac\n",
			      o->output);
		return EXIT_BAD_MODEL;
	}
	if (!output_open(&out, o->output))
		return EXIT_NUMERICS;
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_status status = !d                    ? BXT_ERR_MEMORY
			    : o->linear.by_states ? bxt_linear_write_states_mat(l, out.stream, d)
						  : bxt_linear_write_mat(l, out.stream);
	const int result = report(status, d, o->output, o->quiet);
	return output_close(&out) ? result : EXIT_NUMERICS;
}

/* What was written. */
static void tell_linearized(const options *o, bxt_linear *l, bool mat)
{
	const bxt_linear_states *s = NULL;
	const size_t in = bxt_linear_count(l, BXT_LINEAR_INPUTS);
	const size_t out = bxt_linear_count(l, BXT_LINEAR_OUTPUTS);
	if (!o->linear.by_states)
		print_message("%s: E, A: %zu unknowns; B: %zu inputs; C: %zu outputs%s\n",
			      o->output, bxt_linear_count(l, BXT_LINEAR_STATES), in, out,
			      mat ? "" : "; names.csv");
	else if (bxt_linear_to_states(l, &s, NULL) == BXT_OK)
		print_message("%s: A: %zu states; B: %zu inputs; C: %zu outputs%s; transfer "
			      "functions equal "
			      "to "
			      "%.0e\n",
			      o->output, s->n, in, out, mat ? "" : "; names.csv", s->error);
}

int command_linearize(const options *o)
{
	linearised l = {0};
	if (!o->output) {
		print_message("boxtimes linearize: -o FOLDER is missing; see 'boxtimes linearize "
			      "--help'\n");
		return EXIT_USAGE;
	}
	int result = open_linear(o, &l);
	const bool mat = has_suffix(o->output, ".mat");
	if (result == EXIT_OK && o->linear.by_states) { /* before a file is begun */
		bxt_diagnostics *d = bxt_diagnostics_new();
		const bxt_linear_states *s;
		const bxt_status status =
			d ? bxt_linear_to_states(l.linear, &s, d) : BXT_ERR_MEMORY;
		result = report(status, d, l.m.file, o->quiet);
	}
	if (result == EXIT_OK)
		result = mat ? write_mat(o, l.linear) : write_folder(o, l.linear);
	if (result == EXIT_OK && !o->quiet)
		tell_linearized(o, l.linear, mat);
	linear_close(&l);
	return result;
}

/* ---- modes ---- */

const bxt_linear_mode *linear_mode_at(const bxt_linear_mode *list, size_t k)
{
	return (const bxt_linear_mode *)(const void *)((const char *)list + k * list->size);
}

static void write_table(const bxt_linear_mode *list, size_t n, FILE *f)
{
	fprintf(f, "%22s %22s %9s %16s %11s  %s\n", "re [s-1]", "im [s-1]", "+-", "frequency [Hz]",
		"damping", "part with most energy");
	for (size_t k = 0; k < n; k++) {
		const bxt_linear_mode *m = linear_mode_at(list, k);
		fprintf(f, "%22.12g %22.12g %9.1e %16.9g ", m->re, m->im, m->error, m->frequency);
		if (isnan(m->damping))
			fprintf(f, "%11s", "-");
		else
			fprintf(f, "%11.6g", m->damping);
		if (*m->part)
			print_message_on(f, "  %s (%.0f %%)", m->part, 100 * m->share);
		putc('\n', f);
	}
}

static void write_json_modes(const bxt_linear_mode *list, size_t n, FILE *f)
{
	fputs("{\"modes\": [", f);
	for (size_t k = 0; k < n; k++) {
		const bxt_linear_mode *m = linear_mode_at(list, k);
		fprintf(f,
			"%s\n  {\"re\": %.17g, \"im\": %.17g, \"error\": %.3g, \"frequency\": "
			"%.17g, ",
			k ? "," : "", m->re, m->im, m->error, m->frequency);
		if (isnan(m->damping))
			fputs("\"damping\": null, ", f);
		else
			fprintf(f, "\"damping\": %.17g, ", m->damping);
		/* paths of ids: letters, digits, '_', '-' and dots */
		fprintf(f, "\"part\": \"%s\", \"share\": %.6g", m->part, m->share);
		if (!isnan(m->residual))
			fprintf(f, ", \"residual\": %.3g", m->residual);
		putc('}', f);
	}
	fputs("\n]}\n", f);
}

int linear_modes(const options *o, const linearised *l, const bxt_linear_mode **list, size_t *n)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_linear_modes_def def;
	bxt_default_linear_modes_def(&def);
	def.count = (size_t)o->linear.count;
	def.near = o->linear.near;
	const bxt_status status =
		d ? bxt_linear_modes_near(l->linear, &def, list, n, d) : BXT_ERR_MEMORY;
	return report(status, d, l->m.file, o->quiet);
}

int command_modes(const options *o)
{
	linearised l = {0};
	const bxt_linear_mode *list = NULL;
	size_t n = 0;
	if (o->plot || cases_any(o))
		return families_modes(o);
	int result = open_linear(o, &l);
	if (result == EXIT_OK)
		result = linear_modes(o, &l, &list, &n);
	FILE *f = result == EXIT_OK ? tmpfile() : NULL;
	if (result == EXIT_OK && !f)
		result = EXIT_NUMERICS;
	if (f) {
		(o->json ? write_json_modes : write_table)(list, n, f);
		rewind(f);
		result = output_copy(f, o->output);
		fclose(f);
	}
	linear_close(&l);
	return result;
}
