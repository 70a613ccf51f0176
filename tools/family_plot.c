/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "family_plot.h"

#include "gnuplot.h"
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Titles that a legend holds, beside one panel and beside one of several: of more every second,
 * third,
 * ... is told, and the last. */
enum { MOST_TITLES = 20, MOST_OF_PANEL = 8 };

/* ---- Making ---- */

static char *label(const char *name, const char *unit)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	fprintf(f, *unit ? "%s [%s]" : "%s", name, unit);
	return fclose(f) == 0 ? text : NULL;
}

int family_panel(family *f, const char *name, const char *unit)
{
	char **more = realloc(f->y_label, ((size_t)f->panels + 1) * sizeof *more);
	f->y_label = more ? more : f->y_label;
	char *text = more ? label(name, unit) : NULL;
	if (!text) {
		f->failed = true;
		return 0;
	}
	f->y_label[f->panels] = text;
	return f->panels++;
}

void family_x(family *f, const char *name, const char *unit)
{
	free(f->x_label);
	f->x_label = label(name, unit);
	f->failed = f->failed || !f->x_label;
}

void family_curve(family *f, int panel, int colour, curve_style style, const char *title)
{
	if (f->failed)
		return;
	if (f->n == f->room) {
		const size_t room = f->room ? 2 * f->room : 16;
		curve *more = realloc(f->of, room * sizeof *more);
		f->failed = !more;
		if (!more)
			return;
		f->of = more;
		f->room = room;
	}
	curve *c = &f->of[f->n];
	*c = (curve){.title = strdup(title), .panel = panel, .colour = colour, .style = style};
	f->failed = !c->title;
	f->n += c->title != NULL;
}

void family_point(family *f, double x, double y)
{
	if (f->failed || f->n == 0)
		return;
	curve *c = &f->of[f->n - 1];
	if (c->n == c->room) {
		const size_t room = c->room ? 2 * c->room : 64;
		double *more_x = realloc(c->x, room * sizeof *more_x);
		c->x = more_x ? more_x : c->x;
		double *more_y = realloc(c->y, room * sizeof *more_y);
		c->y = more_y ? more_y : c->y;
		f->failed = !more_x || !more_y;
		if (f->failed)
			return;
		c->room = room;
	}
	c->x[c->n] = x;
	c->y[c->n++] = y;
}

void family_free(family *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->of[i].title);
		free(f->of[i].x);
		free(f->of[i].y);
	}
	for (int i = 0; i < f->panels; i++)
		free(f->y_label[i]);
	free(f->y_label);
	free(f->x_label);
	free(f->of);
	*f = (family){0};
}

/* ---- Writing ---- */

static void write_word(const char *text, FILE *script)
{
	fputs("\n| ", script);
	gnuplot_word(text, strlen(text), script);
}

/* Lines begin with "| ", so that none can be the end mark: the title, labels, titles of curves. */
static void write_words(const family *f, FILE *script)
{
	const char *slash = strrchr(f->file, '/'), *name = slash ? slash + 1 : f->file;
	const char *dot = strrchr(name, '.');
	fputs("$WORDS << BXT_END\n| ", script);
	gnuplot_word(name, dot && dot > name ? (size_t)(dot - name) : strlen(name), script);
	write_word(f->x_label ? f->x_label : "", script);
	for (int k = 0; k < f->panels; k++)
		write_word(f->y_label[k], script);
	for (size_t i = 0; i < f->n; i++)
		write_word(f->of[i].title, script);
	fputs("\nBXT_END\n", script);
	const size_t all = 2 + (size_t)f->panels + f->n;
	fprintf(script,
		"array w[%zu]\ndo for [i=1:%zu] { w[i] = substr($WORDS[i], 3, strlen($WORDS[i])) "
		"}\n",
		all, all);
}

static void write_data(const family *f, FILE *script)
{
	for (size_t i = 0; i < f->n; i++) {
		fprintf(script, "$C%zu << BXT_END\n", i);
		for (size_t k = 0; k < f->of[i].n; k++) {
			gnuplot_value(f->of[i].x[k], script);
			gnuplot_value(f->of[i].y[k], script);
			fputc('\n', script);
		}
		fputs("BXT_END\n", script);
	}
}

static void write_curves(const family *f, int panel, FILE *script)
{
	static const char *const styles[] = {
		"with lines linewidth 1.5", "with lines linewidth 1 dashtype 2",
		"with points pointtype 7 pointsize 0.4", "with points pointtype 2 pointsize 1",
		"with points pointtype 6 pointsize 1"};
	const int most = f->panels > 1 ? MOST_OF_PANEL : MOST_TITLES;
	int titles = 0, curves = 0, all = 0;
	for (size_t i = 0; i < f->n; i++)
		all += f->of[i].panel == panel && f->of[i].n > 0 && *f->of[i].title;
	const int each = all > most ? (all - 2) / (most - 1) + 1 : 1;
	for (size_t i = 0; i < f->n; i++) {
		const curve *c = &f->of[i];
		if (c->panel != panel || c->n == 0)
			continue;
		fprintf(script, "%s $C%zu using 1:2 %s linecolor rgb '%s'", curves++ ? "," : "plot",
			i, styles[c->style], colours[c->colour % COLOURS]);
		titles += *c->title != '\0';
		if (*c->title && ((titles - 1) % each == 0 || titles == all))
			fprintf(script, " title w[%zu]", 3 + (size_t)f->panels + i);
		else
			fputs(" notitle", script);
	}
	if (f->mark)
		fputs(", '-' using 1:2 with points pointtype 1 pointsize 1.5 linecolor rgb 'black' "
		      "notitle\n-1 0\ne",
		      script);
	fputc('\n', script);
}

static void write_script(const family *f, enum gnuplot_format format, FILE *script)
{
	fputs("set encoding utf8\n", script);
	gnuplot_picture(format,
			f->panels > 1 ? 70 + 210 * f->panels
			: f->plane    ? 640
				      : 480,
			script);
	size_t longest = 0;
	for (size_t i = 0; i < f->n; i++) {
		const size_t length = strlen(f->of[i].title);
		longest = length > longest ? length : longest;
	}
	longest = longest > 40 ? 40 : longest;
	fprintf(script,
		"set key outside right top noenhanced samplen 2\nset grid\nset lmargin 11\nset "
		"rmargin %zu\n",
		longest > 0 ? longest + 9 : 4);
	if (f->log_x)
		fputs("set logscale x\n", script);
	if (f->plane)
		fputs("set xzeroaxis\nset yzeroaxis\n", script);
	fprintf(script,
		f->panels > 1 ? "set multiplot layout %d,1 title w[1] noenhanced\n"
			      : "set title w[1] noenhanced # %d\n",
		f->panels);
	for (int k = 0; k < f->panels; k++) {
		fprintf(script, "set ylabel w[%d] noenhanced\n", k + 3);
		if (k == f->panels - 1)
			fputs("set xlabel w[2] noenhanced\n", script);
		write_curves(f, k, script);
	}
	if (f->panels > 1)
		fputs("unset multiplot\n", script);
}

bool family_named(const char *option, const char *path)
{
	enum gnuplot_format format;
	return gnuplot_find_format(option, path, &format);
}

int family_draw(const family *f, const char *option, const char *path)
{
	enum gnuplot_format format;
	if (!gnuplot_find_format(option, path, &format))
		return EXIT_USAGE;
	size_t points = 0;
	for (size_t i = 0; i < f->n; i++)
		points += f->of[i].n;
	if (!f->failed && (points == 0 || f->panels == 0)) {
		print_message("boxtimes: %s: there is nothing to draw\n", option);
		return EXIT_NUMERICS;
	}
	FILE *script = f->failed ? NULL : tmpfile();
	if (!script) {
		print_message("boxtimes: no picture: %s\n",
			      f->failed ? "out of memory" : strerror(errno));
		return EXIT_NUMERICS;
	}
	write_words(f, script);
	write_data(f, script);
	write_script(f, format, script);
	FILE *picture = gnuplot_run(script);
	fclose(script);
	const int result = picture ? output_copy(picture, path) : EXIT_NUMERICS;
	if (picture)
		fclose(picture);
	return result;
}
