/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Draws a CSV file through gnuplot. The script is fixed except for numbers. All text of the user
 * (names, title) is in lines of data, where gnuplot executes nothing.
 */
#include "columns.h"
#include "gnuplot.h"
#include "output.h"
#include "program.h"
#include "report.h"
#include "side_views.h"
#include "spectrum.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MOST_BY_DEFAULT = 12, MOST_ROWS = 8000 };

/* A file that is drawn: rows from [0], before [1]. */
struct source {
	bxt_table *table;
	columns columns;
	size_t rows[2];
	bool *keep; /* (rows of the table) */
};

/* What is drawn: columns of the file, and, unless -1, of the one that is laid over it. */
struct plot {
	struct source source, over;
	choice x;
	long *other; /* (x.n) */
	axis time, y[MOST_PANELS];
	spectrum spectrum;
	side_views views;
};

/* ---- Reading ---- */

static bool find_rows(struct source *s, const options *o, const char *file)
{
	const size_t rows = bxt_table_rows(s->table);
	while (s->rows[0] < rows && !(bxt_table_time(s->table, s->rows[0]) >= o->picture.range[0]))
		s->rows[0]++;
	s->rows[1] = rows;
	while (s->rows[1] > s->rows[0] &&
	       !(bxt_table_time(s->table, s->rows[1] - 1) <= o->picture.range[1]))
		s->rows[1]--;
	const bool has = bxt_table_columns(s->table) > 0 && rows > 0;
	if (!has)
		print_message(
			"%s: error: nothing to plot: the file needs a header, a column of times, "
			"other columns, and rows\n",
			file);
	else if (s->rows[0] == s->rows[1])
		print_message("%s: error: nothing to plot: no row is in --range\n", file);
	return has && s->rows[0] < s->rows[1];
}

/* Is it a model in place of results? Says so, and what to do. */
static bool is_model(FILE *stream, const char *file)
{
	const int first = getc(stream);
	if (first == EOF || ungetc(first, stream) == EOF || first != '<')
		return false;
	print_message("%s: error: this is an XML file, not results: 'boxtimes run MODEL.xml -o "
		      "RESULTS.csv' "
		      "writes results that can be plotted\n",
		      file);
	return true;
}

static bool read_source(struct source *s, const options *o, const char *file)
{
	FILE *stream = strcmp(file, "-") == 0 ? stdin : fopen(file, "r");
	if (!stream) {
		print_message("%s: error: cannot be read: %s\n", file, strerror(errno));
		return false;
	}
	if (is_model(stream, file)) {
		if (stream != stdin)
			fclose(stream);
		return false;
	}
	bxt_diagnostics *findings = bxt_diagnostics_new();
	const bxt_status status =
		findings ? bxt_table_read_csv(stream, file, findings, &s->table) : BXT_ERR_MEMORY;
	if (stream != stdin)
		fclose(stream);
	report(status, findings, file, o->quiet);
	return status == BXT_OK && find_rows(s, o, file) &&
	       columns_open(&s->columns, s->table, file);
}

/* The column of the other file with that name and unit; -1: none. */
static long find_other(const struct plot *p, size_t column)
{
	const columns *a = &p->source.columns, *b = &p->over.columns;
	for (size_t i = 0; i < b->n; i++)
		if (strcmp(a->name[column], b->name[i]) == 0)
			return (long)i;
	return -1;
}

static bool choose(struct plot *p, const options *o)
{
	const columns *c = &p->source.columns;
	if (!columns_choose(c, o->picture.xy ? o->picture.xy : o->picture.columns, MOST_BY_DEFAULT,
			    &p->x))
		return false;
	if (o->picture.xy && p->x.n != 2) {
		print_message("boxtimes: --xy '%s' names %zu columns, not two\n", o->picture.xy,
			      p->x.n);
		return false;
	}
	if (!o->picture.columns && !o->picture.xy && p->x.n < c->n && !o->quiet)
		print_message("%s: note: %zu of %zu columns are drawn; choose with --columns\n",
			      c->file, p->x.n, c->n);
	p->other = calloc(p->x.n, sizeof *p->other);
	for (size_t i = 0; p->other && i < p->x.n; i++) {
		p->other[i] = find_other(p, p->x.column[i]);
		if (o->picture.overlay && p->other[i] < 0 && !o->quiet)
			print_message("%s: note: no column '%s'\n", o->picture.overlay,
				      c->name[p->x.column[i]]);
	}
	return p->other != NULL;
}

/* ---- Axes ---- */

static void raise_to(double *largest, double value)
{
	if (fabs(value) > *largest && isfinite(value))
		*largest = fabs(value);
}

static double largest_in(const struct source *s, size_t column)
{
	double largest = 0;
	for (size_t r = s->rows[0]; r < s->rows[1]; r++)
		raise_to(&largest, bxt_table_value(s->table, r, column));
	return largest;
}

static void find_axes(struct plot *p, const options *o)
{
	const struct source *s = &p->source;
	double end = 0, largest[MOST_PANELS] = {0};
	raise_to(&end, bxt_table_time(s->table, s->rows[0]));
	raise_to(&end, bxt_table_time(s->table, s->rows[1] - 1));
	p->time = o->picture.over_frequency ? axis_of("frequency", "Hz", 1)
					    : axis_of("time", "s", end);
	for (size_t i = 0; i < p->x.n; i++) {
		double *most = &largest[p->x.panel[i]];
		raise_to(most, largest_in(s, p->x.column[i]));
		if (p->other[i] >= 0)
			raise_to(most, largest_in(&p->over, (size_t)p->other[i]));
	}
	for (int k = 0; k < p->x.panels; k++)
		p->y[k] = axis_of_panel(&s->columns, &p->x, k, largest[k]);
	if (o->picture.spectrum)
		p->time = axis_of("frequency", "Hz", p->spectrum.step * (double)p->spectrum.n);
	for (int k = 0; o->picture.xy && k < 2; k++) {
		const size_t column = p->x.column[k];
		p->y[k] = axis_of(s->columns.name[column], s->columns.unit[column],
				  largest_in(s, column));
	}
}

/* ---- Data ---- */

static void write_word(const char *text, FILE *f)
{
	fputs("\n| ", f);
	gnuplot_word(text, strlen(text), f);
}

/* The title: given, or the name of the file without folder and ending. */
static void write_title(const options *o, FILE *f)
{
	const char *file = o->files.text[0], *slash = strrchr(file, '/');
	const char *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');
	const bool standard = strcmp(file, "-") == 0;
	fputs("\n| ", f);
	if (o->picture.title)
		gnuplot_word(o->picture.title, strlen(o->picture.title), f);
	else if (!standard)
		gnuplot_word(name, dot && dot > name ? (size_t)(dot - name) : strlen(name), f);
}

/* Lines begin with "| ", so that none can be the end mark: the title, the label of the time axis,
 * those of the panels. */
static void write_words(const struct plot *p, const options *o, FILE *f)
{
	fputs("$WORDS << BXT_END", f);
	write_title(o, f);
	write_word(o->picture.xy ? p->y[0].label : p->time.label, f);
	for (int k = 0; k < p->x.panels && !o->picture.xy; k++)
		write_word(p->y[k].label, f);
	if (o->picture.xy)
		write_word(p->y[1].label, f);
	fputs("\nBXT_END\n", f);
}

/* The factor of the k-th column that is drawn. */
static double factor_of(const struct plot *p, const options *o, size_t k)
{
	return p->y[o->picture.xy ? k : (size_t)p->x.panel[k]].factor;
}

static bool thin(struct source *s, const size_t *column, size_t n, bool all)
{
	s->keep = calloc(bxt_table_rows(s->table), sizeof *s->keep);
	if (!s->keep)
		return false;
	thin_rows(s->table, s->rows, column, n, all ? (size_t)-1 : MOST_ROWS, s->keep);
	return true;
}

/* The rows of one file; the columns of the other one have the names of the first. */
static bool write_rows(struct plot *p, const options *o, struct source *s, FILE *f)
{
	const bool other = s == &p->over;
	size_t n = 0, *column = calloc(p->x.n + 1, sizeof *column);
	for (size_t i = 0; column && i < p->x.n; i++)
		if (!other || p->other[i] >= 0)
			column[n++] = other ? (size_t)p->other[i] : p->x.column[i];
	const bool good = column && thin(s, column, n, o->picture.xy != NULL);
	free(column);
	if (!good)
		return false;
	fputs(other ? "$OVER << BXT_END\n\"time\"" : "$DATA << BXT_END\n\"time\"", f);
	for (size_t i = 0; i < p->x.n; i++) {
		const char *name = p->source.columns.name[p->x.column[i]];
		fputs(" \"", f);
		gnuplot_word(name, strlen(name), f);
		fputs(other ? " (2)\"" : "\"", f);
	}
	fputc('\n', f);
	for (size_t r = s->rows[0]; r < s->rows[1]; r++) {
		if (!s->keep[r])
			continue;
		gnuplot_value(bxt_table_time(s->table, r) * p->time.factor, f);
		for (size_t i = 0; i < p->x.n; i++) {
			const long at = other ? p->other[i] : (long)p->x.column[i];
			gnuplot_value(at < 0 ? NAN
					     : bxt_table_value(s->table, r, (size_t)at) *
						       factor_of(p, o, i),
				      f);
		}
		fputc('\n', f);
	}
	fputs("BXT_END\n", f);
	return true;
}

static void write_amplitudes(const struct plot *p, FILE *f)
{
	fputs("$DATA << BXT_END\n\"frequency\"", f);
	for (size_t i = 0; i < p->x.n; i++) {
		const char *name = p->source.columns.name[p->x.column[i]];
		fputs(" \"", f);
		gnuplot_word(name, strlen(name), f);
		fputc('"', f);
	}
	for (size_t k = 0; k < p->spectrum.n; k++) {
		fputc('\n', f);
		gnuplot_value((double)k * p->spectrum.step * p->time.factor, f);
		for (size_t i = 0; i < p->x.n; i++)
			gnuplot_value(p->spectrum.amplitude[i * p->spectrum.n + k] *
					      p->y[p->x.panel[i]].factor,
				      f);
	}
	fputs("\nBXT_END\n", f);
}

/* ---- Script ---- */

static void write_terminal(int panels, enum gnuplot_format format, FILE *f)
{
	const int height = panels > 1 ? 70 + 210 * panels : 480;
	if (format != GNUPLOT_TEXT) {
		gnuplot_picture(format, height, f);
		return;
	}
	struct winsize size = {.ws_col = 79, .ws_row = 25};
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 40 || size.ws_row < 12)
		size = (struct winsize){.ws_col = 80, .ws_row = 25};
	fprintf(f, "set terminal dumb %d %d noenhanced\n", size.ws_col - 1,
		panels > 1 ? 16 * panels : size.ws_row - 1);
}

/* The legend is beside the curves, as wide as the longest name needs; in text it is above them. */
static void write_legend(const struct plot *p, bool text, FILE *f)
{
	size_t longest = 0;
	for (size_t i = 0; i < p->x.n; i++) {
		const size_t length = strlen(p->source.columns.name[p->x.column[i]]);
		longest = length > longest ? length : longest;
	}
	longest = longest > 40 ? 40 : longest;
	if (text)
		fputs("set key outside top right noenhanced\nset lmargin 12\n", f);
	else
		fprintf(f,
			"set key outside right top noenhanced samplen 2\nset lmargin 11\n"
			"set rmargin %zu\nset grid\n",
			longest + 9);
	for (int k = 0; k < 2 * COLOURS && !text; k++)
		fprintf(f, "set linetype %d linecolor rgb '%s' dashtype %d\n", k + 1,
			colours[k % COLOURS], k < COLOURS ? 1 : 4);
}

/* The curves of a panel: plot $DATA using 1:2 ..., $OVER using 1:2 ... */
static void write_curves(const struct plot *p, const options *o, int panel, FILE *f)
{
	int line = 0;
	for (size_t i = 0; i < p->x.n; i++) {
		if (p->x.panel[i] != panel)
			continue;
		fprintf(f,
			"%s $DATA using 1:%zu with lines linetype %d linewidth 1.5 title "
			"columnheader(%zu)",
			line == 0 ? "plot" : ",", i + 2, line + 1, i + 2);
		if (o->picture.overlay && p->other[i] >= 0)
			fprintf(f,
				", $OVER using 1:%zu with lines linetype %d linewidth 1.5 dashtype "
				"2 "
				"title columnheader(%zu)",
				i + 2, line + 1, i + 2);
		line = line + 1 < 2 * COLOURS ? line + 1 : 0;
	}
	fputc('\n', f);
}

static void write_script(const struct plot *p, const options *o, enum gnuplot_format format,
			 FILE *f)
{
	const int panels = o->picture.xy ? 1 : p->x.panels;
	fputs("set encoding utf8\n", f);
	write_terminal(panels, format, f);
	write_legend(p, format == GNUPLOT_TEXT, f);
	if (format != GNUPLOT_TEXT && !o->picture.xy && !o->picture.spectrum)
		gnuplot_events(p->source.table, p->source.rows, p->time.factor, f);
	if (o->picture.log[0] || o->picture.log[1])
		fprintf(f, "set logscale %s%s\n", o->picture.log[0] ? "x" : "",
			o->picture.log[1] ? "y" : "");
	for (int i = 1; i <= panels + 2; i++)
		fprintf(f, "w%d = $WORDS[%d]\nw%d = substr(w%d, 3, strlen(w%d))\n", i, i, i, i, i);
	fprintf(f,
		panels > 1 ? "set multiplot layout %d,1 title w1 noenhanced\n"
			   : "set title w1 noenhanced # %d\n",
		panels);
	for (int k = 0; k < panels; k++) {
		fprintf(f, "set ylabel w%d noenhanced\n", k + 3);
		if (k == panels - 1)
			fputs("set xlabel w2 noenhanced\n", f);
		if (o->picture.xy)
			fputs("plot $DATA using 2:3 with lines linetype 1 linewidth 1.5 notitle\n",
			      f);
		else
			write_curves(p, o, k, f);
	}
	if (panels > 1)
		fputs("unset multiplot\n", f);
}

/* ---- The whole ---- */

static bool write_data(struct plot *p, const options *o, FILE *f)
{
	bool good = true;
	write_words(p, o, f);
	if (o->picture.spectrum)
		write_amplitudes(p, f);
	else
		good = write_rows(p, o, &p->source, f) &&
		       (!o->picture.overlay || write_rows(p, o, &p->over, f));
	if (!good)
		fputs("boxtimes: out of memory\n", stderr);
	return good;
}

static FILE *picture_of(struct plot *p, const options *o, enum gnuplot_format format)
{
	FILE *script = tmpfile(), *picture = NULL;
	if (!script) {
		print_message("boxtimes: no temporary file: %s\n", strerror(errno));
		return NULL;
	}
	find_axes(p, o);
	if (write_data(p, o, script)) {
		write_script(p, o, format, script);
		if (ferror(script))
			fputs("boxtimes: a temporary file cannot be written\n", stderr);
		else
			picture = gnuplot_run(script);
	}
	fclose(script);
	return picture;
}

/* Traces of bodies, seen along the axes. */
static FILE *picture_of_views(const struct plot *p, const options *o, enum gnuplot_format format)
{
	FILE *script = tmpfile(), *picture = NULL;
	if (!script) {
		print_message("boxtimes: no temporary file: %s\n", strerror(errno));
		return NULL;
	}
	side_views_write(&p->views, &p->source.columns, p->source.rows,
			 o->picture.title ? o->picture.title : "", format, script);
	picture = gnuplot_run(script);
	fclose(script);
	return picture;
}

static int draw(struct plot *p, const options *o, enum gnuplot_format format)
{
	FILE *picture =
		o->picture.space ? picture_of_views(p, o, format) : picture_of(p, o, format);
	const int status = picture ? output_copy(picture, o->output) : EXIT_NUMERICS;
	if (picture)
		fclose(picture);
	if (status == EXIT_OK && o->picture.open)
		program_start((const char *const[]){"xdg-open", o->output, NULL});
	return status;
}

static void source_close(struct source *s)
{
	columns_close(&s->columns);
	bxt_table_free(s->table);
	free(s->keep);
}

static void plot_close(struct plot *p)
{
	free(p->spectrum.amplitude);
	free(p->other);
	side_views_free(&p->views);
	choice_free(&p->x);
	source_close(&p->source);
	source_close(&p->over);
}

FILE *plot_picture(bxt_table *table, const options *o, const char *file)
{
	struct plot p = {.source.table = table};
	FILE *picture = NULL;
	if (find_rows(&p.source, o, file) && columns_open(&p.source.columns, table, file) &&
	    choose(&p, o))
		picture = picture_of(&p, o, GNUPLOT_SVG);
	p.source.table = NULL; /* the caller's */
	plot_close(&p);
	return picture;
}

int plot_on_terminal(bxt_table *table, const options *o, const char *file)
{
	struct plot p = {.source.table = table};
	int status = EXIT_BAD_MODEL;
	if (find_rows(&p.source, o, file) && columns_open(&p.source.columns, table, file) &&
	    choose(&p, o))
		status = draw(&p, o, GNUPLOT_TEXT);
	p.source.table = NULL; /* the caller's */
	plot_close(&p);
	return status;
}

static int draw_page(const struct plot *p, const options *o)
{
	const int status =
		report_plot(&p->source.columns, &p->x,
			    o->picture.title ? o->picture.title : o->files.text[0], o->output);
	if (status == EXIT_OK && o->picture.open)
		program_start((const char *const[]){"xdg-open", o->output, NULL});
	return status;
}

int command_plot(const options *o)
{
	struct plot p = {0};
	enum gnuplot_format format = GNUPLOT_SVG;
	const char *dot = o->output ? strrchr(o->output, '.') : NULL;
	const bool html = dot && strcmp(dot, ".html") == 0;
	const bool other = o->picture.xy || o->picture.space || o->picture.overlay ||
			   o->picture.spectrum || o->picture.log[0] || o->picture.log[1] ||
			   isfinite(o->picture.range[0]) || isfinite(o->picture.range[1]);
	if (html && other) {
		print_message("boxtimes: an HTML page shows signals over time, without --xy, "
			      "--space, --log, "
			      "--overlay and --spectrum\n");
		return EXIT_USAGE;
	}
	if (!html && !gnuplot_find_format("-o", o->output, &format))
		return EXIT_USAGE;
	if (!output_allowed(o, NULL, NULL, 0))
		return EXIT_USAGE;
	int status = EXIT_BAD_MODEL;
	if (read_source(&p.source, o, o->files.text[0]) &&
	    (!o->picture.overlay || read_source(&p.over, o, o->picture.overlay)) &&
	    (o->picture.space ? side_views_choose(&p.source.columns, o->picture.space, &p.views)
			      : choose(&p, o)) &&
	    (!o->picture.spectrum || spectrum_of(&p.spectrum, p.source.table, p.source.rows, &p.x)))
		status = html ? draw_page(&p, o) : draw(&p, o, format);
	plot_close(&p);
	return status;
}
