/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Draws a CSV file through gnuplot. The script is fixed except for numbers. All text of the user
 * (names, title) is in lines of data, where gnuplot executes nothing.
 */
#include "gnuplot.h"
#include "output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MOST_BY_DEFAULT = 12, MOST_PANELS = 6, MANY_ROWS = 8000, BUCKETS = 2000 };

/* What is drawn: columns of the table, and in which panel. */
struct drawing {
	bxt_table *table;
	size_t *column;
	int *panel;
	size_t n;
	const char *quantity[MOST_PANELS]; /* ends at quantity_length */
	size_t quantity_length[MOST_PANELS];
	int panels;
};

/* ---- Choice of columns ---- */

/* A column by its name read from the end; those with the same end lie beside each other. */
struct ending {
	const char *name;
	size_t length, column;
};

/* The order of two names read from the end, as far as `most` characters. */
static int compare_ends(const char *a, size_t n, const char *b, size_t m, size_t most)
{
	for (size_t i = 1; i <= most; i++) {
		if (i > n || i > m)
			return (i <= n) - (i <= m);
		if (a[n - i] != b[m - i])
			return (unsigned char)a[n - i] < (unsigned char)b[m - i] ? -1 : 1;
	}
	return 0;
}

static int by_end(const void *x, const void *y)
{
	const struct ending *a = x, *b = y;
	const size_t most = a->length > b->length ? a->length : b->length;
	const int order = compare_ends(a->name, a->length, b->name, b->length, most);
	return order ? order : (a->column > b->column) - (a->column < b->column);
}

/* All columns in that order; NULL after a message. */
static struct ending *list_ends(const bxt_table *t)
{
	const size_t columns = bxt_table_columns(t);
	struct ending *list = malloc((columns + 1) * sizeof *list);
	if (!list) {
		fputs("boxtimes: out of memory\n", stderr);
		return NULL;
	}
	for (size_t i = 0; i < columns; i++)
		list[i] = (struct ending){bxt_table_name(t, i), strlen(bxt_table_name(t, i)), i};
	qsort(list, columns, sizeof *list, by_end);
	return list;
}

/* The first place whose name, as far as `end` goes, does not come before `end`, or (after) the
 * first that comes behind. */
static size_t search_end(const struct ending *list, size_t n, const char *end, bool after)
{
	const size_t length = strlen(end);
	size_t low = 0;
	while (n > 0) {
		const struct ending *middle = &list[low + n / 2];
		const int order = compare_ends(middle->name, middle->length, end, length, length);
		if (order < 0 || (after && order == 0)) {
			low += n / 2 + 1;
			n -= n / 2 + 1;
		} else {
			n /= 2;
		}
	}
	return low;
}

/* The column of a name, or of the only name that ends so behind a dot; -1 after a message. `room`
 * holds a dot, the word and its end. */
static long find_column(const bxt_table *t, const struct ending *list, const char *word,
			size_t length, char *room, const char *file)
{
	const size_t columns = bxt_table_columns(t);
	room[0] = '.';
	memcpy(room + 1, word, length);
	room[length + 1] = '\0';
	const long whole = bxt_table_find(t, room + 1);
	if (whole >= 0)
		return whole;
	const size_t first = search_end(list, columns, room, false);
	const size_t n = search_end(list, columns, room, true) - first;
	if (n == 1)
		return (long)list[first].column;
	say("%s: error: %s column '%.*s'; there are:", file, n ? "more than one" : "no",
	    (int)length, word);
	for (size_t i = 0; i < columns && i < 40; i++)
		say(" %s", bxt_table_name(t, i));
	fputs(columns > 40 ? " ...\n" : "\n", stderr);
	return -1;
}

static bool choose_words(struct drawing *d, const char *list, const char *file,
			 const struct ending *ends, bool *chosen, char *room)
{
	for (const char *word = list; *word;) {
		static const char between[] = ", \t\n";
		word += strspn(word, between);
		/* a comma inside brackets never occurs in a name */
		const size_t length = strcspn(word, between);
		const long column =
			length ? find_column(d->table, ends, word, length, room, file) : 0;
		if (column < 0)
			return false;
		if (length && !chosen[column]) {
			chosen[column] = true;
			d->column[d->n++] = (size_t)column;
		}
		word += length;
	}
	if (d->n == 0)
		say("boxtimes: --columns '%s' names nothing\n", list);
	return d->n > 0;
}

static bool choose_named(struct drawing *d, const char *list, const char *file)
{
	struct ending *ends = list_ends(d->table);
	bool *chosen = calloc(bxt_table_columns(d->table) + 1, sizeof *chosen);
	char *room = malloc(strlen(list) + 2);
	const bool good = ends && chosen && room && choose_words(d, list, file, ends, chosen, room);
	free(ends);
	free(chosen);
	free(room);
	return good;
}

/* "q" of store.C1.q, "power" of power(R1.p); energies of all sorts are one quantity. */
static void quantity_of(const char *name, const char **word, size_t *length)
{
	static const char *const energies[] = {"energy", "dissipated", "supplied"};
	const size_t full = strlen(name);
	const char *dot = strrchr(name, '.');
	*word = name;
	*length = full;
	if (full && name[full - 1] == ')') {
		*length = strcspn(name, "(");
	} else if (dot) {
		*word = dot + 1;
		*length = strlen(dot + 1);
	}
	for (size_t i = 0; i < sizeof energies / sizeof *energies; i++)
		if (strlen(energies[i]) == *length && strncmp(energies[i], *word, *length) == 0) {
			*word = energies[0];
			*length = strlen(energies[0]);
		}
}

/* Equal quantities share a panel; when there are too many, the last panel takes the rest. */
static void choose_panels(struct drawing *d)
{
	for (size_t i = 0; i < d->n; i++) {
		const char *word;
		size_t length;
		int p = 0;
		quantity_of(bxt_table_name(d->table, d->column[i]), &word, &length);
		while (p < d->panels && (d->quantity_length[p] != length ||
					 strncmp(d->quantity[p], word, length) != 0))
			p++;
		if (p == MOST_PANELS) {
			d->quantity[--p] = "others";
			d->quantity_length[p] = strlen("others");
		} else if (p == d->panels) {
			d->quantity[p] = word;
			d->quantity_length[p] = length;
			d->panels++;
		}
		d->panel[i] = p;
	}
}

static bool choose(struct drawing *d, const options *o, const char *file)
{
	const size_t columns = bxt_table_columns(d->table);
	d->column = calloc(columns, sizeof *d->column);
	d->panel = calloc(columns, sizeof *d->panel);
	if (!d->column || !d->panel) {
		fputs("boxtimes: out of memory\n", stderr);
		return false;
	}
	if (o->columns) {
		if (!choose_named(d, o->columns, file))
			return false;
	} else {
		for (size_t i = 0; i < columns && d->n < MOST_BY_DEFAULT; i++)
			d->column[d->n++] = i;
		if (d->n < columns && !o->quiet)
			say("%s: note: %zu of %zu columns are drawn; choose with --columns\n", file,
			    d->n, columns);
	}
	choose_panels(d);
	return true;
}

/* ---- Data ---- */

/*
 * Which rows are drawn: of very many the least and the greatest value of each column in each of
 * BUCKETS stretches, so that every peak stays.
 */
static void thin(const struct drawing *d, bool *keep)
{
	const size_t rows = bxt_table_rows(d->table);
	for (size_t r = 0; r < rows; r++)
		keep[r] = rows <= MANY_ROWS || r == 0 || r == rows - 1;
	for (size_t b = 0; rows > MANY_ROWS && b < BUCKETS; b++)
		for (size_t i = 0; i < d->n; i++) {
			const size_t first = rows / BUCKETS * b,
				     end = b + 1 < BUCKETS ? rows / BUCKETS * (b + 1) : rows;
			size_t least = first, most = first;
			for (size_t r = first; r < end; r++) {
				const double x = bxt_table_value(d->table, r, d->column[i]);
				if (!(x >= bxt_table_value(d->table, least, d->column[i])))
					least = r;
				if (!(x <= bxt_table_value(d->table, most, d->column[i])))
					most = r;
			}
			keep[least] = keep[most] = true;
		}
}

/* Words first: each line begins with "| ", so that none can be the end mark. */
static bool write_data(const struct drawing *d, const options *o, FILE *f)
{
	const char *title = o->title ? o->title : "";
	bool *keep = calloc(bxt_table_rows(d->table), sizeof *keep);
	if (!keep) {
		fputs("boxtimes: out of memory\n", stderr);
		return false;
	}
	thin(d, keep);
	fputs("$WORDS << BXT_END\n| ", f);
	gnuplot_word(title, strlen(title), f);
	for (int p = 0; p < d->panels; p++) {
		fputs("\n| ", f);
		gnuplot_word(d->quantity[p], d->quantity_length[p], f);
	}
	fputs("\nBXT_END\n$DATA << BXT_END\n\"time\"", f);
	for (size_t i = 0; i < d->n; i++) {
		fputs(" \"", f);
		gnuplot_word(bxt_table_name(d->table, d->column[i]),
			     strlen(bxt_table_name(d->table, d->column[i])), f);
		fputc('"', f);
	}
	fputc('\n', f);
	for (size_t r = 0; r < bxt_table_rows(d->table); r++) {
		if (!keep[r])
			continue;
		gnuplot_value(bxt_table_time(d->table, r), f);
		for (size_t i = 0; i < d->n; i++)
			gnuplot_value(bxt_table_value(d->table, r, d->column[i]), f);
		fputc('\n', f);
	}
	fputs("BXT_END\n", f);
	free(keep);
	return true;
}

/* ---- Script ---- */

static void write_terminal(const struct drawing *d, enum gnuplot_format format, FILE *f)
{
	const int height = d->panels > 1 ? 60 + 220 * d->panels : 480;
	if (format != GNUPLOT_TEXT) {
		gnuplot_picture(format, height, f);
	} else {
		struct winsize size = {.ws_col = 79, .ws_row = 25};
		if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 40 ||
		    size.ws_row < 12)
			size = (struct winsize){.ws_col = 80, .ws_row = 25};
		fprintf(f, "set terminal dumb %d %d noenhanced\n", size.ws_col - 1,
			d->panels > 1 ? 16 * d->panels : size.ws_row - 1);
	}
}

static void write_script(const struct drawing *d, const options *o, enum gnuplot_format format,
			 FILE *f)
{
	fputs("set encoding utf8\n", f);
	write_terminal(d, format, f);
	fputs("set key top right noenhanced\nset lmargin 12\n", f);
	if (format != GNUPLOT_TEXT)
		fputs("set grid\n", f);
	for (int i = 1; i <= d->panels + 1; i++)
		fprintf(f, "w%d = $WORDS[%d]\nw%d = substr(w%d, 3, strlen(w%d))\n", i, i, i, i, i);
	if (d->panels > 1)
		fprintf(f, "set multiplot layout %d,1%s\n", d->panels,
			o->title ? " title w1 noenhanced" : "");
	else if (o->title)
		fputs("set title w1 noenhanced\n", f);
	for (int p = 0; p < d->panels; p++) {
		fprintf(f, "set ylabel w%d noenhanced\n", p + 2);
		if (p == d->panels - 1)
			fputs("set xlabel 'time [s]'\n", f);
		fputs("plot for [i in '", f);
		for (size_t i = 0; i < d->n; i++)
			if (d->panel[i] == p)
				fprintf(f, " %zu", i + 2);
		fputs("'] $DATA using 1:(column(int(i))) with lines linewidth 1.5 "
		      "title columnheader(int(i))\n",
		      f);
	}
	if (d->panels > 1)
		fputs("unset multiplot\n", f);
}

/* ---- The whole ---- */

static int draw(const struct drawing *d, const options *o, enum gnuplot_format format)
{
	FILE *script = tmpfile(), *picture = NULL;
	if (!script) {
		say("boxtimes: no temporary file: %s\n", strerror(errno));
		return EXIT_NUMERICS;
	}
	if (write_data(d, o, script)) {
		write_script(d, o, format, script);
		if (ferror(script))
			fputs("boxtimes: a temporary file cannot be written\n", stderr);
		else
			picture = gnuplot_run(script);
	}
	fclose(script);
	const int status = picture ? output_copy(picture, o->output) : EXIT_NUMERICS;
	if (picture)
		fclose(picture);
	return status;
}

static bool has_rows(const struct drawing *d, const char *file)
{
	const bool has = bxt_table_columns(d->table) > 0 && bxt_table_rows(d->table) > 0;
	if (!has)
		say("%s: error: nothing to draw: needs a header, a column of times, "
		    "others beside it, and rows\n",
		    file);
	return has;
}

/* Chooses columns and draws; the table is the caller's. */
static int draw_table(bxt_table *table, const options *o, const char *file,
		      enum gnuplot_format format)
{
	struct drawing d = {.table = table};
	const int status =
		has_rows(&d, file) && choose(&d, o, file) ? draw(&d, o, format) : EXIT_BAD_MODEL;
	free(d.column);
	free(d.panel);
	return status;
}

int plot_on_terminal(bxt_table *table, const options *o, const char *file)
{
	return draw_table(table, o, file, GNUPLOT_TEXT);
}

int command_plot(const options *o)
{
	const char *file = o->files.text[0];
	bxt_table *table = NULL;
	enum gnuplot_format format;
	if (!gnuplot_find_format("-o", o->output, &format))
		return EXIT_USAGE;
	if (!output_allowed(o, NULL, NULL, 0))
		return EXIT_USAGE;
	FILE *stream = strcmp(file, "-") == 0 ? stdin : fopen(file, "r");
	if (!stream) {
		say("%s: error: cannot be read: %s\n", file, strerror(errno));
		return EXIT_BAD_MODEL;
	}
	bxt_diagnostics *findings = bxt_diagnostics_new();
	bxt_status read =
		findings ? bxt_table_read_csv(stream, file, findings, &table) : BXT_ERR_MEMORY;
	if (stream != stdin)
		fclose(stream);
	report(read, findings, file, o->quiet);
	const int status = read == BXT_OK ? draw_table(table, o, file, format) : EXIT_BAD_MODEL;
	bxt_table_free(table);
	return status;
}
