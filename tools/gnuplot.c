/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gnuplot.h"
#include "output.h"
#include "program.h"

#include <math.h>
#include <string.h>

/* The length of the UTF-8 character at s, 0 when it is none. */
static size_t character(const unsigned char *s)
{
	const size_t length = *s < 0x80 ? 1 : *s < 0xc2 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4;
	if (*s > 0xf4)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

/* Marks, embeddings, overrides and isolates of direction, and separators of lines. */
static bool turns(const unsigned char *s, size_t length)
{
	const unsigned low = length == 3 ? s[2] : 0;
	return (length == 2 && s[0] == 0xd8 && s[1] == 0x9c) ||
	       (length == 3 && s[0] == 0xe2 && s[1] == 0x80 &&
		(low == 0x8e || low == 0x8f || (low >= 0xa8 && low <= 0xae))) ||
	       (length == 3 && s[0] == 0xe2 && s[1] == 0x81 && low >= 0xa6 && low <= 0xa9);
}

void gnuplot_word(const char *text, size_t size, FILE *script)
{
	const unsigned char *s = (const unsigned char *)text, *end = s + size;
	while (s < end && *s) {
		const size_t length = character(s);
		const bool control =
			*s < 0x20 || *s == 0x7f || (*s == 0xc2 && s[1] < 0xa0) || turns(s, length);
		if (length == 0)
			fputc('?', script);
		else if (control)
			fputc(' ', script);
		else if (*s == '"' || *s == '`')
			fputc('\'', script);
		else
			fwrite(s, 1, length, script);
		s += length ? length : 1;
	}
}

/* No start-up files: -d. The script is standard input. */
FILE *gnuplot_run(FILE *script)
{
	static const char *const argv[] = {"gnuplot", "-d", "-", NULL};
	return program_run(argv, script, "plot", "gnuplot-nox");
}

/* ---- Pictures ---- */

bool gnuplot_find_format(const char *option, const char *path, enum gnuplot_format *format)
{
	const char *dot = path ? strrchr(path, '.') : NULL;
	*format = !path                             ? GNUPLOT_TEXT
		  : dot && strcmp(dot, ".png") == 0 ? GNUPLOT_PNG
		  : dot && strcmp(dot, ".pdf") == 0 ? GNUPLOT_PDF
						    : GNUPLOT_SVG;
	if (!path || strcmp(path, "-") == 0 || *format != GNUPLOT_SVG ||
	    (dot && strcmp(dot, ".svg") == 0))
		return true;
	print_message("boxtimes: %s '%s': pictures end in .svg, .png or .pdf\n", option, path);
	return false;
}

void gnuplot_picture(enum gnuplot_format format, int height, FILE *script)
{
	enum { WIDTH = 960 };
	if (format == GNUPLOT_PNG)
		fprintf(script,
			"if (strstrt(GPVAL_TERMINALS, 'pngcairo')) { set terminal pngcairo size "
			"%d,%d noenhanced } else { set terminal png size %d,%d noenhanced }\n",
			WIDTH, height, WIDTH, height);
	else if (format == GNUPLOT_PDF)
		fprintf(script, "set terminal pdfcairo size %.2f,%.2f noenhanced font ',9'\n",
			WIDTH / 96.0, height / 96.0);
	else
		fprintf(script,
			"set terminal svg size %d,%d dynamic noenhanced background 'white'\n",
			WIDTH, height);
}

void gnuplot_value(double value, FILE *script)
{
	if (isfinite(value))
		fprintf(script, " %.10g", value);
	else
		fputs(" NaN", script);
}

void gnuplot_events(const bxt_table *t, const size_t rows[2], double factor, FILE *script)
{
	if (count_events(t, rows) == 0)
		return;
	for (size_t r = rows[0] + 1; r < rows[1]; r++)
		if (is_event(t, r))
			fprintf(script,
				"set arrow from first %.17g, graph 0 to first %.17g, graph 1 "
				"nohead back linecolor rgb '#bbbbbb' dashtype 3\n",
				bxt_table_time(t, r) * factor, bxt_table_time(t, r) * factor);
}
