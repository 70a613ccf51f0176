/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A picture of a comparison: for each signal both curves, and beside them their difference. As in
 * command_plot.c all text of the user is in lines of data, where gnuplot executes nothing.
 */
#include "columns.h"
#include "comparison.h"
#include "gnuplot.h"
#include "output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BY_DEFAULT = 3, MOST_NAMED = 12, MOST_ROWS = 4000 };

struct picture {
	const comparison *c;
	size_t pair[MOST_NAMED]; /* (n) */
	size_t n;
};

/* ---- Choice ---- */

/* Is `end` all of the name, or what follows a dot in it? */
static bool fits(const char *name, const char *end, size_t length)
{
	const size_t full = strlen(name);
	return full >= length && strncmp(name + full - length, end, length) == 0 &&
	       (full == length || name[full - length - 1] == '.');
}

static bool is_chosen(const struct picture *p, size_t pair)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->pair[i] == pair)
			return true;
	return false;
}

/* One signal has that name as a whole, or else its end in either model; false after a message. */
static bool choose_one(struct picture *p, const char *word, size_t length)
{
	const comparison *c = p->c;
	size_t found = 0, n = 0;
	for (int whole = 1; whole >= 0 && n == 0; whole--)
		for (size_t i = 0; i < c->twins.n; i++) {
			const char *a = c->difference[i].a, *b = c->difference[i].b;
			if (whole && strlen(a) != length && strlen(b) != length)
				continue;
			if (!fits(a, word, length) && !fits(b, word, length))
				continue;
			if (n++ == 0)
				found = i; /* twins of one node: the first will do */
		}
	if (n == 0) {
		print_message("boxtimes: --columns: no signal '%.*s' was compared; there are:",
			      (int)length, word);
		for (size_t i = 0; i < c->twins.n && i < 20; i++)
			print_message(" %s", c->difference[i].a);
		fputs(c->twins.n > 20 ? " ...\n" : "\n", stderr);
	} else if (p->n == MOST_NAMED && !is_chosen(p, found)) {
		print_message("boxtimes: --columns: more than %d signals\n", MOST_NAMED);
		return false;
	} else if (!is_chosen(p, found)) {
		p->pair[p->n++] = found;
	}
	return n > 0;
}

static bool choose_named(struct picture *p, const char *list)
{
	for (const char *word = list; *word;) {
		static const char between[] = ", \t\n";
		word += strspn(word, between);
		const size_t length = strcspn(word, between);
		if (length && !choose_one(p, word, length))
			return false;
		word += length;
	}
	if (p->n == 0)
		print_message("boxtimes: --columns '%s' names nothing\n", list);
	return p->n > 0;
}

/* Selects the signals that differ most; NaN counts as the largest. */
static void choose_worst(struct picture *p)
{
	const comparison *c = p->c;
	while (p->n < MOST_BY_DEFAULT && p->n < c->twins.n) {
		size_t worst = c->twins.n;
		for (size_t i = 0; i < c->twins.n; i++)
			if (!is_chosen(p, i) &&
			    (worst == c->twins.n ||
			     c->difference[i].relative > c->difference[worst].relative ||
			     (isnan(c->difference[i].relative) &&
			      !isnan(c->difference[worst].relative))))
				worst = i;
		p->pair[p->n++] = worst;
	}
}

/* ---- Data ---- */

static double value(const comparison *c, int s, size_t pair, size_t row)
{
	const bxt_twin_side *side = &c->twins.twin[pair].side[s];
	double sum = 0;
	for (size_t i = 0; i < side->n; i++) {
		const long column = bxt_table_find(c->table[s], side->signal[i]);
		sum += side->weight[i] * bxt_table_value(c->table[s], row, (size_t)column);
	}
	return sum;
}

/* Rows of one time stand one behind the other, before and after a jump. */
static bool again(const bxt_table *t, size_t row)
{
	return row + 1 < bxt_table_rows(t) && bxt_table_time(t, row + 1) == bxt_table_time(t, row);
}

/* Goes on in B to what row r of A is compared with: a value may jump in one of them alone, which
 * then has a row more. False: B has no row of that time. */
static bool find_row_of_b(const comparison *c, size_t r, size_t *row)
{
	const bxt_table *a = c->table[0], *b = c->table[1];
	const double t = bxt_table_time(a, r), margin = 1e-12 * fabs(t);
	while (*row + 1 < bxt_table_rows(b) && bxt_table_time(b, *row) < t - margin)
		++*row;
	if (!again(a, r) && again(b, *row))
		++*row;
	return fabs(bxt_table_time(b, *row) - t) <= margin;
}

/* The unit of a pair: the quantity of potentials is the kind of their nodes. */
static const char *unit_of(const bxt_twin *twin)
{
	static const char *const kinds[][2] = {
		{"electrical", "V"}, {"hydraulic", "Pa"}, {"thermal", "K"}, {"magnetic", "A"}};
	for (size_t i = 0; twin->quantity && i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kinds[i][0], twin->quantity) == 0)
			return kinds[i][1];
	return twin->quantity ? twin->quantity : "";
}

static void write_word(const char *text, FILE *f)
{
	fputs("\n| ", f);
	gnuplot_word(text, strlen(text), f);
}

/* Words first, in lines that begin with "| ", so that none can be the end mark. */
static void write_data(const struct picture *p, const options *o, FILE *f)
{
	const comparison *c = p->c;
	const size_t rows = bxt_table_rows(c->table[0]);
	const size_t every = rows / MOST_ROWS + 1;
	fputs("$WORDS << BXT_END", f);
	write_word(o->picture.title ? o->picture.title : "", f);
	for (size_t i = 0; i < p->n; i++) {
		write_word(c->difference[p->pair[i]].a, f);
		write_word(c->difference[p->pair[i]].b, f);
		write_word(axis_of(NULL, unit_of(&c->twins.twin[p->pair[i]]), 0).label, f);
	}
	fputs("\nBXT_END\n$DATA << BXT_END\n", f);
	size_t other = 0;
	for (size_t r = 0; r < rows; r += every) {
		const bool both = find_row_of_b(c, r, &other);
		gnuplot_value(bxt_table_time(c->table[0], r), f);
		for (size_t i = 0; i < p->n; i++) {
			const double a = value(c, 0, p->pair[i], r),
				     b = both ? value(c, 1, p->pair[i], other) : NAN;
			gnuplot_value(a, f);
			gnuplot_value(b, f);
			gnuplot_value(a - b, f);
		}
		fputc('\n', f);
	}
	fputs("BXT_END\n", f);
}

static void write_script(const struct picture *p, const options *o, enum gnuplot_format format,
			 FILE *f)
{
	fputs("set encoding utf8\n", f);
	gnuplot_picture(format, 60 + 240 * (int)p->n, f);
	for (size_t i = 1; i <= 3 * p->n + 1; i++)
		fprintf(f, "w%zu = $WORDS[%zu]\nw%zu = substr(w%zu, 3, strlen(w%zu))\n", i, i, i, i,
			i);
	fprintf(f, "set multiplot layout %zu,2%s\nset key top right noenhanced\nset grid\n", p->n,
		o->picture.title ? " title w1 noenhanced" : "");
	const size_t rows[2] = {0, bxt_table_rows(p->c->table[0])};
	if (format != GNUPLOT_TEXT)
		gnuplot_events(p->c->table[0], rows, 1, f);
	for (size_t i = 0; i < p->n; i++) {
		if (i + 1 == p->n)
			fputs("set xlabel 'time [s]'\n", f);
		/* the second curve is dashed upon the first, so that both are seen */
		fprintf(f,
			"set format y '%%g'\nset ylabel w%zu noenhanced\n"
			"plot $DATA using 1:%zu with lines linewidth 3 linecolor rgb '#9ecae1' "
			"title 'A: '.w%zu, $DATA using 1:%zu with lines linewidth 1.5 dashtype 2 "
			"linecolor rgb '#08306b' title 'B: '.w%zu\n"
			"set format y '%%.1e'\n"
			"plot $DATA using 1:%zu with lines linecolor rgb '#b30000' "
			"title 'A - B, at most %.2g'\n",
			3 * i + 4, 3 * i + 2, 3 * i + 2, 3 * i + 3, 3 * i + 3, 3 * i + 4,
			p->c->difference[p->pair[i]].largest);
	}
	fputs("unset multiplot\n", f);
}

int compare_plot(const comparison *c, const options *o)
{
	struct picture p = {.c = c};
	enum gnuplot_format format;
	if (!gnuplot_find_format("--plot", o->plot, &format))
		return EXIT_USAGE;
	if (!o->picture.columns)
		choose_worst(&p);
	else if (!choose_named(&p, o->picture.columns))
		return EXIT_BAD_MODEL;
	FILE *script = tmpfile(), *picture = NULL;
	if (!script) {
		print_message("boxtimes: no temporary file: %s\n", strerror(errno));
		return EXIT_NUMERICS;
	}
	write_data(&p, o, script);
	write_script(&p, o, format, script);
	if (ferror(script))
		fputs("boxtimes: a temporary file cannot be written\n", stderr);
	else
		picture = gnuplot_run(script);
	fclose(script);
	const int status = picture ? output_copy(picture, o->plot) : EXIT_NUMERICS;
	if (picture)
		fclose(picture);
	return status;
}
