/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The signals of a report. All numbers and names are data of type JSON, which no browser executes;
 * names become text nodes. Scripts: dygraphs as installed, and the one below.
 */
#include "gnuplot.h"
#include "html.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 60, MOST_POINTS = 4000 }; /* of a panel */

static const char script_text[] =
	"'use strict';\n"
	"(function () {\n"
	"  var data = JSON.parse(document.getElementById('data').textContent);\n"
	/* its legend, which has no use here, sets style attributes, which the policy forbids */
	"  Dygraph.PLUGINS = Dygraph.PLUGINS.filter(function (x) {\n"
	"    return x !== Dygraph.Plugins.Legend;\n"
	"  });\n"
	"  var graphs = [], busy = false, place = document.getElementById('panels');\n"
	"  function add(to, tag, name, text) {\n"
	"    var e = document.createElement(tag);\n"
	"    e.className = name;\n"
	"    e.textContent = text;\n"
	"    to.appendChild(e);\n"
	"    return e;\n"
	"  }\n"
	"  function together(from, to) {\n"
	"    if (busy) return;\n"
	"    busy = true;\n"
	"    graphs.forEach(function (g) { g.updateOptions({dateWindow: [from, to]}); });\n"
	"    busy = false;\n"
	"  }\n"
	"  data.panels.forEach(function (p) {\n"
	"    var head = add(place, 'div', 'head', ''), values = [];\n"
	"    add(head, 'span', 'axis', p.label);\n"
	"    p.names.forEach(function (name, i) {\n"
	"      var item = add(head, 'span', 'name', '\\u2014 ' + name);\n"
	"      item.style.color = p.colours[i];\n"
	"      values.push(add(head, 'span', 'value', ''));\n"
	"    });\n"
	"    var div = add(place, 'div', 'panel', '');\n"
	"    graphs.push(new Dygraph(div, p.rows, {\n"
	"      labels: ['t'].concat(p.names.map(function (name, i) { return 's' + i; })),\n"
	"      colors: p.colours, legend: 'never', strokeWidth: 1.4, axisLabelFontSize: 12,\n"
	"      dateWindow: data.range.slice(), gridLineColor: '#dddddd', labelsKMB: false,\n"
	"      digitsAfterDecimal: 6, axes: {y: {axisLabelWidth: 70}},\n"
	"      underlayCallback: function (canvas, area, g) {\n"
	"        canvas.fillStyle = '#bbbbbb';\n"
	"        data.events.forEach(function (t) {\n"
	"          canvas.fillRect(g.toDomXCoord(t), area.y, 1, area.h);\n"
	"        });\n"
	"      },\n"
	"      zoomCallback: function (from, to) { together(from, to); },\n"
	"      highlightCallback: function (event, x, points) {\n"
	"        points.forEach(function (q) {\n"
	"          values[Number(q.name.slice(1))].textContent = q.yval.toPrecision(5);\n"
	"        });\n"
	"      },\n"
	"      unhighlightCallback: function () {\n"
	"        values.forEach(function (v) { v.textContent = ''; });\n"
	"      }\n"
	"    }));\n"
	"    div.addEventListener('dblclick', function () {\n"
	"      together(data.range[0], data.range[1]);\n"
	"    });\n"
	"  });\n"
	"  add(place, 'div', 'axis', data.time);\n"
	"  window.boxtimesPanels = graphs;\n"
	"})();\n";

static void number(double x, FILE *f)
{
	if (isfinite(x))
		fprintf(f, ",%.7g", x);
	else
		fputs(",null", f);
}

static double largest_of(const bxt_table *t, size_t column)
{
	double most = 0;
	for (size_t r = 0; r < bxt_table_rows(t); r++) {
		const double y = fabs(bxt_table_value(t, r, column));
		most = isfinite(y) && y > most ? y : most;
	}
	return most;
}

/* The columns of a panel; their number. */
static size_t columns_of(const choice *x, int panel, size_t *column)
{
	size_t n = 0;
	for (size_t i = 0; i < x->n; i++)
		if (x->panel[i] == panel)
			column[n++] = x->column[i];
	return n;
}

static void write_names(const columns *c, const size_t *column, size_t n, FILE *f)
{
	fputs(",\n\"names\":[", f);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? "," : "", f);
		html_json(c->name[column[i]], f);
	}
	fputs("],\"colours\":[", f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s\"%s\"", i ? "," : "", colours[i % COLOURS]);
	fputs("],\n\"rows\":[", f);
}

static bool write_panel(const columns *c, const choice *x, int panel, double time, FILE *f)
{
	const bxt_table *t = c->table;
	const size_t rows[2] = {0, bxt_table_rows(t)};
	size_t *column = calloc(x->n + 1, sizeof *column);
	bool *keep = calloc(rows[1] + 1, sizeof *keep), first = true;
	double largest = 0;
	const size_t n = column ? columns_of(x, panel, column) : 0;
	for (size_t i = 0; i < n; i++) {
		const double most = largest_of(t, column[i]);
		largest = most > largest ? most : largest;
	}
	const axis y = axis_of_panel(c, x, panel, largest);
	fputs(panel ? ",\n{\"label\":" : "\n{\"label\":", f);
	html_json(y.label, f);
	write_names(c, column, n, f);
	if (column && keep)
		thin_rows(t, rows, column, n, MOST_POINTS, keep);
	for (size_t r = 0; r < rows[1] && column && keep; r++) {
		if (!keep[r])
			continue;
		fprintf(f, "%s[%.10g", first ? "" : ",\n", bxt_table_time(t, r) * time);
		first = false;
		for (size_t i = 0; i < n; i++)
			number(bxt_table_value(t, r, column[i]) * y.factor, f);
		fputc(']', f);
	}
	fputs("]}", f);
	free(column);
	free(keep);
	return column && keep;
}

static void write_events(const bxt_table *t, double time, FILE *f)
{
	const size_t rows[2] = {0, bxt_table_rows(t)};
	bool first = true;
	if (count_events(t, rows) == 0)
		return;
	for (size_t r = 1; r < rows[1]; r++)
		if (is_event(t, r)) {
			fprintf(f, "%s%.10g", first ? "" : ",", bxt_table_time(t, r) * time);
			first = false;
		}
}

static void copy(FILE *from, FILE *to)
{
	char bytes[8192];
	size_t n;
	while ((n = fread(bytes, 1, sizeof bytes, from)) > 0)
		fwrite(bytes, 1, n, to);
}

void report_scripts(const columns *c, const choice *x, FILE *script, const char *nonce, FILE *f)
{
	const size_t rows = bxt_table_rows(c->table);
	const double first = bxt_table_time(c->table, 0), last = bxt_table_time(c->table, rows - 1);
	const axis time = axis_of("time", "s", fmax(fabs(first), fabs(last)));
	fputs("<p class=\"hint\">Drag to zoom; a double click shows all. The panels move together."
	      "</p>\n<div id=\"panels\"></div>\n<script type=\"application/json\" id=\"data\">"
	      "{\"time\":",
	      f);
	html_json(time.label, f);
	fprintf(f, ",\"range\":[%.10g,%.10g],\"events\":[", first * time.factor,
		last * time.factor);
	write_events(c->table, time.factor, f);
	fputs("],\"panels\":[", f);
	for (int p = 0; p < x->panels; p++)
		write_panel(c, x, p, time.factor, f);
	fprintf(f, "]}</script>\n<script nonce=\"%s\">", nonce);
	copy(script, f);
	fprintf(f, "</script>\n<script nonce=\"%s\">\n%s</script>\n", nonce, script_text);
}

/* The same as a picture, where dygraphs is not installed. */
static void write_picture(const run_report *r, FILE *f)
{
	FILE *picture = plot_picture(r->rows, r->o, r->m->file);
	if (picture)
		html_svg(picture, f);
	else
		fputs("<p>There is no picture: neither dygraphs (Debian package libjs-dygraphs) "
		      "nor "
		      "gnuplot (gnuplot-nox) is installed.</p>\n",
		      f);
	if (picture)
		fclose(picture);
}

void report_panels(const run_report *r, FILE *script, const char *nonce, FILE *f)
{
	columns c = {0};
	choice x = {0};
	fputs("<h2>Signals</h2>\n", f);
	if (bxt_table_rows(r->rows) == 0 || bxt_table_columns(r->rows) == 0)
		fputs("<p>No rows were recorded.</p>\n", f);
	else if (!script)
		write_picture(r, f);
	else if (columns_open(&c, r->rows, r->m->file) &&
		 columns_choose(&c, NULL, MOST_COLUMNS, &x)) {
		if (x.n < c.n)
			fprintf(f, "<p>%zu of %zu columns are shown.</p>\n", x.n, c.n);
		report_scripts(&c, &x, script, nonce, f);
	}
	choice_free(&x);
	columns_close(&c);
}
