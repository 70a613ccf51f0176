/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ac and modes of several cases, and pictures in the complex plane: Nyquist's curves, root loci. */
#include "cases.h"
#include "family_plot.h"
#include "linear.h"
#include "output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cases, or the one model without. */
typedef struct families {
	bxt_library *library;
	cases cases;
	size_t n; /* 1 without cases */
} families;

static int open_families(const options *o, families *f)
{
	f->n = 1;
	if (!(f->library = open_library(o)))
		return EXIT_NUMERICS;
	if (!cases_any(o))
		return EXIT_OK;
	const int result = cases_open(&f->cases, o, f->library);
	f->n = f->cases.list ? f->cases.list->n_cases : 0;
	return result;
}

static void close_families(families *f)
{
	cases_close(&f->cases);
	bxt_library_free(f->library);
}

/* Linearises a case. Findings carry the parameters of the case. */
static int open_case(const options *o, families *f, size_t k, linearised *l)
{
	const bool several = f->cases.list != NULL;
	int result = several ? cases_model(&f->cases, k, f->library, &l->m)
			     : model_open(&l->m, o, o->files.text[0], f->library, false);
	if (result == EXIT_OK && k == 0 && !output_allowed(o, f->library, &l->m.netlist, 1))
		return EXIT_USAGE;
	if (result == EXIT_OK)
		result = linear_make(several ? &f->cases.fixed : o, l);
	char *words = result != EXIT_OK && several ? cases_words(&f->cases, k, -1) : NULL;
	if (words)
		print_message("boxtimes: in case %zu: %s\n", k + 1, words);
	free(words);
	return result;
}

/* "NAME" or "NAME; R1.R = 100 ohm". */
static char *with_case(const families *f, size_t k, const char *name)
{
	char *words = f->cases.list ? cases_words(&f->cases, k, -1) : NULL, *text = NULL;
	size_t size;
	FILE *s = f->cases.list && !words ? NULL : open_memstream(&text, &size);
	if (s) {
		fprintf(s, "%s%s%s", name, words ? "; " : "", words ? words : "");
		if (fclose(s) != 0)
			text = NULL;
	}
	free(words);
	return text;
}

/* ---- ac ---- */

/* The responses of all cases. */
typedef struct responses {
	size_t points, pairs, cases;
	double *value; /* (cases, points, pairs, 2) */
	char **name;   /* (pairs) */
	char **unit_y, **unit_u;
} responses;

static void free_responses(responses *r)
{
	char **const lists[] = {r->name, r->unit_y, r->unit_u};
	for (size_t k = 0; k < 3; k++) {
		for (size_t i = 0; i < r->pairs && lists[k]; i++)
			free(lists[k][i]);
		free(lists[k]);
	}
	free(r->value);
}

static bool begin_responses(const options *o, const families *f, const bxt_linear *l, responses *r)
{
	const size_t in = bxt_linear_count(l, BXT_LINEAR_INPUTS);
	r->pairs = in * bxt_linear_count(l, BXT_LINEAR_OUTPUTS);
	r->points = linear_points(&o->linear.frequencies);
	r->cases = f->n;
	r->value = calloc(2 * r->pairs * r->points * r->cases + 1, sizeof *r->value);
	r->name = calloc(r->pairs + 1, sizeof *r->name);
	r->unit_y = calloc(r->pairs + 1, sizeof *r->unit_y);
	r->unit_u = calloc(r->pairs + 1, sizeof *r->unit_u);
	bool good = r->value && r->name && r->unit_y && r->unit_u;
	for (size_t i = 0; i < r->pairs && good; i++) {
		r->name[i] = linear_pair_name(l, i / in, i % in);
		r->unit_y[i] = strdup(bxt_linear_name(l, BXT_LINEAR_OUTPUTS, i / in)->unit);
		r->unit_u[i] = strdup(bxt_linear_name(l, BXT_LINEAR_INPUTS, i % in)->unit);
		good = r->name[i] && r->unit_y[i] && r->unit_u[i];
	}
	return good;
}

static double *response_at(const responses *r, size_t k, size_t point, size_t pair)
{
	return r->value + 2 * ((k * r->points + point) * r->pairs + pair);
}

static int respond(const options *o, families *f, responses *r)
{
	for (size_t k = 0; k < f->n; k++) {
		linearised l = {0};
		int result = open_case(o, f, k, &l);
		if (result == EXIT_OK && k == 0 && !begin_responses(o, f, l.linear, r))
			result = EXIT_NUMERICS;
		bxt_diagnostics *d = bxt_diagnostics_new();
		bxt_status status = d ? BXT_OK : BXT_ERR_MEMORY;
		for (size_t i = 0; i < r->points && result == EXIT_OK && status == BXT_OK; i++)
			status = bxt_linear_response(l.linear,
						     linear_point(&o->linear.frequencies, i),
						     response_at(r, k, i, 0), d);
		const int told = report(status, d, o->files.text[0], o->quiet);
		result = result == EXIT_OK ? told : result;
		linear_close(&l);
		if (result != EXIT_OK)
			return result;
	}
	return EXIT_OK;
}

static bool write_responses(const options *o, const families *f, const responses *r, int form,
			    FILE *out)
{
	bool good = true;
	fputs("frequency [Hz]", out);
	for (size_t k = 0; k < r->cases && good; k++)
		for (size_t i = 0; i < r->pairs && good; i++) {
			char *name = with_case(f, k, r->name[i]);
			good = name != NULL;
			if (good)
				linear_write_head(name, r->unit_y[i], r->unit_u[i], form, out);
			free(name);
		}
	putc('\n', out);
	for (size_t p = 0; p < r->points && good; p++) {
		fprintf(out, "%.17g", linear_point(&o->linear.frequencies, p));
		for (size_t k = 0; k < r->cases; k++)
			for (size_t i = 0; i < r->pairs; i++) {
				double value[2];
				linear_take_form(form, response_at(r, k, p, i), NULL, value);
				fprintf(out, ",%.17g,%.17g", value[0], value[1]);
			}
		putc('\n', out);
	}
	return good;
}

/* Magnitudes and phases of all cases. */
static int draw_bode(const options *o, const families *f, const responses *r)
{
	family p = {.file = o->files.text[0], .log_x = o->linear.frequencies.spacing != LINEAR};
	family_x(&p, "frequency", "Hz");
	const int panel[2] = {family_panel(&p, "magnitude", "dB"),
			      family_panel(&p, "phase", "deg")};
	for (int part = 0; part < 2; part++)
		for (size_t k = 0; k < r->cases; k++)
			for (size_t i = 0; i < r->pairs; i++) {
				char *name = with_case(f, k, r->name[i]);
				double last = NAN, value[2];
				family_curve(&p, panel[part], (int)(k * r->pairs + i), CURVE_LINE,
					     part == 0 && name ? name : "");
				for (size_t at = 0; at < r->points; at++) {
					linear_take_form(FORM_DECIBEL, response_at(r, k, at, i),
							 &last, value);
					family_point(&p, linear_point(&o->linear.frequencies, at),
						     value[part]);
				}
				free(name);
			}
	const int result = family_draw(&p, "--plot", o->plot);
	family_free(&p);
	return result;
}

/* Im over Re; dashed at negative frequencies, whose responses are the conjugates. */
static int draw_nyquist(const options *o, const families *f, const responses *r)
{
	family p = {.file = o->files.text[0], .plane = true, .mark = true};
	family_x(&p, "Re", "");
	const int panel = family_panel(&p, "Im", "");
	for (size_t k = 0; k < r->cases; k++)
		for (size_t i = 0; i < r->pairs; i++)
			for (int half = 0; half < 2; half++) {
				char *name = half == 0 ? with_case(f, k, r->name[i]) : NULL;
				family_curve(&p, panel, (int)(k * r->pairs + i),
					     half ? CURVE_DASHED : CURVE_LINE, name ? name : "");
				for (size_t at = 0; at < r->points; at++) {
					const double *v = response_at(r, k, at, i);
					family_point(&p, v[0], half ? -v[1] : v[1]);
				}
				free(name);
			}
	const int result = family_draw(&p, "--nyquist", o->linear.nyquist);
	family_free(&p);
	return result;
}

int families_ac(const options *o, int form)
{
	families f = {0};
	responses r = {0};
	if (has_suffix(o->output, ".raw") && cases_any(o)) {
		print_message(
			"boxtimes ac: a raw file holds one model: write the cases to a FILE.csv\n");
		return EXIT_USAGE;
	}
	if (has_suffix(o->output, ".raw")) {
		print_message("boxtimes ac: --nyquist cannot be combined with a raw file\n");
		return EXIT_USAGE;
	}
	if (!family_named("--plot", o->plot) || !family_named("--nyquist", o->linear.nyquist))
		return EXIT_USAGE;
	int result = open_families(o, &f);
	if (result == EXIT_OK)
		result = respond(o, &f, &r);
	FILE *csv = result == EXIT_OK && (o->output || (!o->plot && !o->linear.nyquist)) ? tmpfile()
											 : NULL;
	if (csv) {
		result = write_responses(o, &f, &r, form, csv) ? EXIT_OK : EXIT_NUMERICS;
		rewind(csv);
		if (result == EXIT_OK)
			result = output_copy(csv, o->output);
		fclose(csv);
	}
	if (result == EXIT_OK && o->plot)
		result = draw_bode(o, &f, &r);
	if (result == EXIT_OK && o->linear.nyquist)
		result = draw_nyquist(o, &f, &r);
	free_responses(&r);
	close_families(&f);
	return result;
}

/* ---- modes ---- */

/* A quoted name with its unit, as "R1.R [ohm]". */
static void write_parameter(const bxt_column *c, FILE *out)
{
	const bool quote = strpbrk(c->name, ",\"") != NULL;
	fprintf(out, *c->unit ? "%s%s [%s]%s," : "%s%s%s%s,", quote ? "\"" : "", c->name,
		*c->unit ? c->unit : "", quote ? "\"" : "");
}

static void write_modes_head(const families *f, FILE *out)
{
	const bxt_parameter_sweep *s = f->cases.list;
	for (size_t i = 0; s && i < s->n_varied; i++)
		write_parameter(&s->column[i], out);
	fputs("mode,re [s-1],im [s-1],error [s-1],frequency [Hz],damping [1]\n", out);
}

static void write_modes(const families *f, size_t k, const bxt_linear_mode *list, size_t n,
			FILE *out)
{
	const bxt_parameter_sweep *s = f->cases.list;
	for (size_t j = 0; j < n; j++) {
		const bxt_linear_mode *m = linear_mode_at(list, j);
		for (size_t i = 0; s && i < s->n_varied; i++)
			fprintf(out, "%.17g,", s->value[k * s->n_columns + i]);
		fprintf(out, "%zu,%.17g,%.17g,%.3g,%.17g,%.17g\n", j + 1, m->re, m->im, m->error,
			m->frequency, m->damping);
	}
}

/* Crosses, where there is one case or at the first; circles at the last; dots between them. */
static void draw_modes(family *p, const families *f, size_t k, const bxt_linear_mode *list,
		       size_t n)
{
	const bool first = k == 0, last = f->n > 1 && k + 1 == f->n;
	char *words = f->cases.list && (first || last) ? cases_words(&f->cases, k, -1) : NULL;
	family_curve(p, 0,
		     last    ? 1
		     : first ? 0
			     : 2,
		     first  ? CURVE_CROSSES
		     : last ? CURVE_CIRCLES
			    : CURVE_POINTS,
		     words ? words : "");
	for (size_t j = 0; j < n; j++) {
		const bxt_linear_mode *m = linear_mode_at(list, j);
		family_point(p, m->re, m->im);
		if (m->im > 0)
			family_point(p, m->re, -m->im);
	}
	free(words);
}

int families_modes(const options *o)
{
	families f = {0};
	family p = {.file = o->files.text[0], .plane = true};
	if (o->json) {
		print_message("boxtimes modes: --json takes one model and no --plot\n");
		return EXIT_USAGE;
	}
	if (!family_named("--plot", o->plot))
		return EXIT_USAGE;
	family_x(&p, "re s", "s-1");
	family_panel(&p, "im s", "s-1");
	int result = open_families(o, &f);
	FILE *csv = result == EXIT_OK ? tmpfile() : NULL;
	if (csv)
		write_modes_head(&f, csv);
	else if (result == EXIT_OK)
		result = EXIT_NUMERICS;
	for (size_t k = 0; k < f.n && result == EXIT_OK; k++) {
		linearised l = {0};
		const bxt_linear_mode *list;
		size_t n;
		result = open_case(o, &f, k, &l);
		if (result == EXIT_OK)
			result = linear_modes(o, &l, &list, &n);
		if (result == EXIT_OK) {
			write_modes(&f, k, list, n, csv);
			draw_modes(&p, &f, k, list, n);
		}
		linear_close(&l);
	}
	if (result == EXIT_OK && (o->output || !o->plot)) {
		rewind(csv);
		result = output_copy(csv, o->output);
	}
	if (result == EXIT_OK && o->plot)
		result = family_draw(&p, "--plot", o->plot);
	if (csv)
		fclose(csv);
	family_free(&p);
	close_families(&f);
	return result;
}
