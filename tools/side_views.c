/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The script is fixed but for numbers; names are in lines of data, as in command_plot.c. A trace
 * begins at a ring and ends at a dot.
 */
#include "side_views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 4000, AXES = 3 };

/* ---- The bodies ---- */

/* "node(a), D*" becomes "node(a).x, D*.x"; heap memory. */
static char *list_of_x(const char *list)
{
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);
	int depth = 0;
	for (const char *c = list; f; c++) {
		const bool between = !*c || (depth == 0 && strchr(", \t\n", *c));
		const bool ends = between && c > list && !strchr(", \t\n", c[-1]);
		depth += (*c == '(') - (*c == ')' && depth > 0);
		fputs(ends ? ".x" : "", f);
		if (!*c)
			break;
		fputc(*c, f);
	}
	if (f && fclose(f) == 0)
		return out;
	free(out);
	return NULL;
}

/* The column of the same body in that direction; -1: none. */
static long beside(const columns *c, size_t x, char direction)
{
	const size_t length = strlen(c->name[x]);
	for (size_t i = 0; i < c->n; i++)
		if (strlen(c->name[i]) == length && c->name[i][length - 1] == direction &&
		    strncmp(c->name[i], c->name[x], length - 1) == 0)
			return (long)i;
	return -1;
}

bool side_views_choose(const columns *c, const char *list, side_views *out)
{
	choice x = {0};
	char *words = list_of_x(list);
	bool good = words && columns_choose(c, words, 0, &x);
	*out = (side_views){.body = calloc(x.n + 1, sizeof *out->body)};
	if (!words || !out->body)
		fputs("boxtimes: out of memory\n", stderr);
	good = good && out->body;
	for (size_t i = 0; i < x.n && good; i++) {
		long *b = out->body[out->n++];
		b[0] = (long)x.column[i];
		b[1] = beside(c, x.column[i], 'y');
		b[2] = beside(c, x.column[i], 'z');
		out->space = out->space || b[2] >= 0;
		if (b[1] < 0) {
			print_message("%s: error: no column '%.*sy' beside '%s'\n", c->file,
				      (int)strlen(c->name[b[0]]) - 1, c->name[b[0]], c->name[b[0]]);
			good = false;
		}
	}
	choice_free(&x);
	free(words);
	return good;
}

void side_views_free(side_views *v)
{
	free(v->body);
	*v = (side_views){0};
}

/* ---- The script ---- */

/* Lines of words begin with "| ", so that none can be the end mark. */
static void write_words(const side_views *v, const columns *c, const char *title, FILE *f)
{
	const long *b = v->body[0];
	fputs("$WORDS << BXT_END\n| ", f);
	gnuplot_word(title, strlen(title), f);
	for (int k = 0; k < AXES; k++) {
		const char *unit = c->unit[b[0]];
		fprintf(f, "\n| %c", "xyz"[k]);
		if (*unit && strcmp(unit, "1") != 0) {
			fputs(" [", f);
			gnuplot_word(unit, strlen(unit), f);
			fputc(']', f);
		}
	}
	for (size_t i = 0; i < v->n; i++) {
		const char *name = c->name[v->body[i][0]];
		fputs("\n| ", f);
		gnuplot_word(name, strlen(name) - 2, f); /* without ".x" */
	}
	fputs("\nBXT_END\n", f);
}

/* A body without z is in the plane z = 0. */
static double value_of(const side_views *v, const columns *c, size_t row, size_t i, int k)
{
	const long column = v->body[i][k];
	return column < 0 ? 0 : bxt_table_value(c->table, row, (size_t)column);
}

static void write_data(const side_views *v, const columns *c, const size_t rows[2], FILE *f)
{
	const size_t all = rows[1] - rows[0], n = all < MOST_POINTS ? all : MOST_POINTS;
	fputs("$DATA << BXT_END\n", f);
	for (size_t i = 0; i < n; i++) {
		const size_t r = rows[0] + (n > 1 ? i * (all - 1) / (n - 1) : 0);
		for (size_t k = 0; k < v->n * AXES; k++)
			gnuplot_value(value_of(v, c, r, k / AXES, (int)(k % AXES)), f);
		fputc('\n', f);
	}
	fputs("BXT_END\n", f);
}

/* All views have one scale: ranges as wide as the widest, about the middle of each direction. */
static void find_ranges(const side_views *v, const columns *c, const size_t rows[2],
			double range[AXES][2])
{
	double half = 0;
	for (int k = 0; k < AXES; k++) {
		double least = INFINITY, most = -INFINITY;
		for (size_t i = 0; i < v->n; i++)
			for (size_t r = rows[0]; r < rows[1]; r++) {
				const double x = value_of(v, c, r, i, k);
				least = isfinite(x) ? fmin(least, x) : least;
				most = isfinite(x) ? fmax(most, x) : most;
			}
		range[k][0] = range[k][1] = least <= most ? (least + most) / 2 : 0;
		half = fmax(half, least <= most ? (most - least) / 2 : 0);
	}
	half = half > 0 ? 1.05 * half : 1;
	for (int k = 0; k < AXES; k++) {
		range[k][0] -= half;
		range[k][1] += half;
	}
}

static void write_view(const side_views *v, int across, int up, bool text, FILE *f)
{
	fprintf(f, "set xlabel substr($WORDS[%d], 3, strlen($WORDS[%d])) noenhanced\n", across + 2,
		across + 2);
	fprintf(f, "set ylabel substr($WORDS[%d], 3, strlen($WORDS[%d])) noenhanced\n", up + 2,
		up + 2);
	for (size_t i = 0; i < v->n; i++) {
		const size_t x = i * AXES + (size_t)across + 1, y = i * AXES + (size_t)up + 1;
		const int colour = (int)(i % COLOURS) + 1;
		fprintf(f,
			"%s $DATA using %zu:%zu with lines linetype %d linewidth 1.3 title "
			"substr($WORDS[%zu], 3, strlen($WORDS[%zu]))",
			i ? "," : "plot", x, y, colour, i + 5, i + 5);
		if (!text)
			fprintf(f,
				", '' using %zu:%zu every ::0::0 with points linetype %d pointtype "
				"6 notitle, $DATA using %zu:($0 == last ? column(%zu) : NaN) with "
				"points linetype %d pointtype 7 pointsize 0.7 notitle",
				x, y, colour, x, y, colour);
	}
	fputc('\n', f);
}

void side_views_write(const side_views *v, const columns *c, const size_t rows[2],
		      const char *title, enum gnuplot_format format, FILE *script)
{
	static const int views[3][2] = {{0, 1}, {0, 2}, {1, 2}};
	const int n = v->space ? 3 : 1;
	const bool text = format == GNUPLOT_TEXT;
	const size_t all = rows[1] - rows[0];
	double range[AXES][2];
	find_ranges(v, c, rows, range);
	write_words(v, c, title, script);
	write_data(v, c, rows, script);
	fputs("set encoding utf8\n", script);
	if (text)
		fputs("set terminal dumb 79 32 noenhanced\n", script);
	else
		gnuplot_picture(format, n > 1 ? 420 : 640, script);
	for (int k = 0; k < COLOURS && !text; k++)
		fprintf(script, "set linetype %d linecolor rgb '%s'\n", k + 1, colours[k]);
	fprintf(script, "last = %zu\nset size ratio -1\nset grid\n%s\n",
		(all < MOST_POINTS ? all : MOST_POINTS) - 1,
		v->n > 1 && v->n <= 12 ? "set key outside below center horizontal noenhanced"
				       : "set key off");
	fprintf(script, "w1 = substr($WORDS[1], 3, strlen($WORDS[1]))\n%s title w1 noenhanced\n",
		n > 1 && !text ? "set multiplot layout 1,3" : "set");
	for (int k = 0; k < n; k++) {
		const double *x = range[views[k][0]], *y = range[views[k][1]];
		fprintf(script, "set xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n", x[0], x[1],
			y[0], y[1]);
		write_view(v, views[k][0], views[k][1], text, script);
	}
	if (n > 1 && !text)
		fputs("unset multiplot\n", script);
}
