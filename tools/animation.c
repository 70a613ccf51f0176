/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The page: a canvas, its controls, the motion as JSON, a script. Its policy lets nothing be
 * loaded, and lets run only the script that carries a number made for this file; names of the model
 * are escaped besides.
 */
#include "animation.h"

#include "columns.h"
#include "html.h"
#include "output.h"

#include <math.h>
#include <stdlib.h>

/* Frames are enough for a smooth motion, numbers for a browser. */
enum { MOST_FRAMES = 900, MOST_NUMBERS = 3000000 };
/* A run is shown as fast as it is, where that takes so long [s]; else in SHOWN. */
static const double LEAST_SHOWN = 3, MOST_SHOWN = 40, SHOWN = 10;

static const char style_text[] =
	"body{font:15px/1.45 sans-serif;color:#222;max-width:1080px;margin:1em auto;padding:0 1em}"
	"h1{font-size:1.4em;margin:0 0 .4em}canvas{width:100%;height:70vh;border:1px solid #ddd;"
	"touch-action:none}.row{display:flex;gap:1em;align-items:center;margin:.5em 0}"
	"#time{flex:1}#clock{min-width:9em;font-variant-numeric:tabular-nums}.hint{color:#666;"
	"font-size:.9em}";

/* ---- The motion ---- */

typedef struct frames {
	const bxt_table *rows;
	size_t n;
} frames;

static size_t row_of(const frames *f, size_t i)
{
	const size_t rows = bxt_table_rows(f->rows);
	return f->n > 1 ? (size_t)((double)i * (double)(rows - 1) / (double)(f->n - 1) + 0.5) : 0;
}

static void number(double x, FILE *f)
{
	if (isfinite(x))
		fprintf(f, "%.6g", x);
	else
		fputs("null", f);
}

/* The columns of a body's pose, in the order in which the script takes them; their number. */
static int columns_of_body(const body *b, const bxt_table *rows, long *column)
{
	int n = 0;
	for (int k = 0; k < POSE; k++)
		if (b->coordinate[k])
			column[n++] = bxt_table_find(rows, b->coordinate[k]);
	if (b->theta && n == 2)
		column[n++] = bxt_table_find(rows, b->theta);
	return n;
}

static const char *kind_of(const body *b)
{
	if (b->coordinate[POSE - 1])
		return "spatial";
	if (b->coordinate[2])
		return "point3";
	return b->theta ? "planar" : "point";
}

static void write_body(const body *b, const frames *motion, bool first, FILE *f)
{
	long column[POSE + 1];
	const int n = columns_of_body(b, motion->rows, column);
	fputs(first ? "\n{\"name\":" : ",\n{\"name\":", f);
	html_json(b->name, f);
	fprintf(f, ",\"kind\":\"%s\",\"n\":%d,\"box\":", kind_of(b), n);
	for (int k = 0; k < 6 && b->fastened; k++) {
		fputs(k ? "," : "[", f);
		number(b->box[k], f);
	}
	fputs(b->fastened ? "],\"at\":[" : "null,\"at\":[", f);
	for (size_t i = 0; i < motion->n; i++)
		for (int k = 0; k < n; k++) {
			fputs(i || k ? "," : "", f);
			number(column[k] < 0 ? NAN
					     : bxt_table_value(motion->rows, row_of(motion, i),
							       (size_t)column[k]),
			       f);
		}
	fputs("]}", f);
}

static void write_line(const line *l, bool first, FILE *f)
{
	fputs(first ? "\n{\"name\":" : ",\n{\"name\":", f);
	html_json(l->name, f);
	fputs(",\"ends\":[", f);
	for (int k = 0; k < l->n; k++)
		fprintf(f, "%s[%ld,%.6g,%.6g,%.6g]", k ? "," : "", l->body[k], l->point[k][0],
			l->point[k][1], l->point[k][2]);
	fputs("]}", f);
}

static void write_motion(const scene *s, const frames *motion, FILE *f)
{
	fputs("<script type=\"application/json\" id=\"data\">{\"time\":[", f);
	for (size_t i = 0; i < motion->n; i++) {
		fputs(i ? "," : "", f);
		fprintf(f, "%.9g", bxt_table_time(motion->rows, row_of(motion, i)));
	}
	fputs("],\n\"colours\":[", f);
	for (int i = 0; i < COLOURS; i++)
		fprintf(f, "%s\"%s\"", i ? "," : "", colours[i]);
	fputs("],\n\"bodies\":[", f);
	for (size_t i = 0; i < s->n_body; i++)
		write_body(&s->body[i], motion, i == 0, f);
	fputs("],\n\"lines\":[", f);
	for (size_t i = 0; i < s->n_line; i++)
		write_line(&s->line[i], i == 0, f);
	fputs("]}</script>\n", f);
}

/* ---- The page ---- */

static void write_head(const char *title, const char *nonce, FILE *f)
{
	fprintf(f,
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"script-src 'nonce-%s'; style-src 'nonce-%s'; base-uri 'none'; form-action "
		"'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
		nonce, nonce);
	html_text(title, f);
	fprintf(f, "</title>\n<style nonce=\"%s\">%s</style></head><body>\n<h1>", nonce,
		style_text);
	html_text(title, f);
	fputs("</h1>\n", f);
}

static void write_controls(double duration, FILE *f)
{
	static const double speeds[] = {0.1, 0.5, 1, 2, 10};
	const bool real = duration >= LEAST_SHOWN && duration <= MOST_SHOWN;
	fputs("<canvas id=\"scene\"></canvas>\n<div class=\"row\"><button id=\"play\">Play</button>"
	      "<input id=\"time\" type=\"range\" min=\"0\" value=\"0\"><span id=\"clock\"></span>"
	      "<select id=\"speed\">",
	      f);
	if (!real)
		fprintf(f, "<option value=\"%.6g\" selected>in %g s</option>",
			duration > 0 ? duration / SHOWN : 1, SHOWN);
	for (int i = 0; i < 5; i++)
		fprintf(f, "<option value=\"%g\"%s>× %g</option>", speeds[i],
			real && speeds[i] == 1 ? " selected" : "", speeds[i]);
	fputs("</select><label><input id=\"traces\" type=\"checkbox\" checked> traces</label>"
	      "<label><input id=\"names\" type=\"checkbox\"> names</label></div>\n"
	      "<p class=\"hint\">Drag to turn what is in space; the wheel zooms.</p>\n",
	      f);
}

static size_t frames_of(const scene *s, size_t rows)
{
	const size_t fit = MOST_NUMBERS / (s->n_record ? s->n_record : 1);
	size_t n = rows < MOST_FRAMES ? rows : MOST_FRAMES;
	n = n < fit ? n : fit;
	return n < 2 && rows > 1 ? 2 : n;
}

int scene_write(const scene *s, const bxt_table *rows, const options *o, const model *m)
{
	char nonce[HTML_NONCE];
	output_file out;
	const size_t n = bxt_table_rows(rows);
	if (n == 0) /* it never began */
		return EXIT_OK;
	if (!html_nonce(nonce))
		return EXIT_NUMERICS;
	if (!output_open(&out, o->run.animate))
		return EXIT_NUMERICS;
	const char *name = bxt_netlist_name(m->netlist);
	const frames motion = {rows, frames_of(s, n)};
	write_head(name && *name ? name : m->file, nonce, out.stream);
	write_controls(bxt_table_time(rows, n - 1) - bxt_table_time(rows, 0), out.stream);
	write_motion(s, &motion, out.stream);
	fprintf(out.stream, "<script nonce=\"%s\">\n%s</script>\n</body></html>\n", nonce,
		animation_script);
	return output_close(&out) ? EXIT_OK : EXIT_NUMERICS;
}
