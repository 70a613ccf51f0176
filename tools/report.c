/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The document. Its policy lets nothing be loaded, and lets run only the scripts that carry a
 * number made for this file; texts of the model are escaped besides.
 */
#include "report.h"

#include "html.h"
#include "output.h"
#include "program.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DRAWN = 300 };

static const char style_text[] =
	"body{font:15px/1.45 sans-serif;color:#222;max-width:1080px;margin:1.5em auto;padding:0 "
	"1em}"
	"h1{font-size:1.5em;margin:0 0 .5em}h2{font-size:1.1em;border-bottom:1px solid #ddd;"
	"margin:1.6em 0 .6em;padding-bottom:.2em}.cards{display:flex;flex-wrap:wrap;gap:.6em}"
	".card{background:#f3f7fc;border-radius:8px;padding:.5em .9em}.card b{display:block}"
	".trust{border-left:4px solid #2ca02c;padding:.2em .8em;margin:1em 0;white-space:pre-wrap}"
	".trust.doubt{border-color:#d62728}.hint{color:#666;font-size:.9em}"
	".panel{width:100%;height:190px}.head{margin-top:.8em;font-size:.9em}"
	".axis{color:#555;margin-right:1em}.name{margin-left:.8em;font-weight:bold}"
	".value{margin-left:.4em}table{border-collapse:collapse;font-size:.92em}"
	"td,th{padding:.2em .8em;border-bottom:1px solid #eee;text-align:left}"
	"td.n{text-align:right;font-variant-numeric:tabular-nums}"
	"tr.total td{font-weight:bold;border-top:2px solid #444}"
	"pre{background:#f7f7f7;padding:.8em;overflow:auto;font-size:.85em}svg{max-width:100%;"
	"height:auto}";

/* ---- Parts of the document ---- */

static void card(const char *name, const char *value, FILE *f)
{
	fputs("<div class=\"card\">", f);
	html_text(name, f);
	fputs("<b>", f);
	html_text(value, f);
	fputs("</b></div>\n", f);
}

static void card_of(const char *name, FILE *f, const char *format, ...) BXT_PRINTF(3, 4);
static void card_of(const char *name, FILE *f, const char *format, ...)
{
	char value[160];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(value, sizeof value, format, arguments);
	va_end(arguments);
	card(name, value, f);
}

static double largest_drift(const bxt_summary *s)
{
	double most = 0;
	for (size_t i = 0; i < s->n_drift; i++)
		most = fmax(most, s->drift[i].max);
	return most;
}

static void write_cards(const bxt_summary *s, FILE *f)
{
	double worst = 0;
	for (size_t i = 0; i < s->n_accuracy; i++)
		if (s->accuracy[i].range > 0)
			worst = fmax(worst, s->accuracy[i].error / s->accuracy[i].range);
	fputs("<div class=\"cards\">\n", f);
	if (s->taken.tolerance > 0)
		card_of("steps", f, "%ld, %.3g to %.3g s", s->taken.accepted, s->taken.smallest,
			s->taken.largest);
	else
		card_of("steps", f, "%ld × %.6g s", s->steps, s->step);
	card_of("scheme, solver", f, "%.40s, %.40s", s->scheme, s->solver);
	card_of("Newton per step", f, "%.3g (most %ld)",
		s->steps ? (double)s->newton_iterations / (double)s->steps : 0, s->most_iterations);
	card_of("drift", f, "%.3g", largest_drift(s));
	card_of("energy residual", f, "%.3g J", s->total.residual);
	if (s->n_accuracy)
		card_of("largest error, estimated", f, "%.2g of the range", worst);
	card("results",
	     s->trust.errors  ? "wrong, see below"
	     : s->trust.notes ? "doubtful, see below"
			      : "nothing measured speaks against them",
	     f);
	fputs("</div>\n", f);
}

/* The summary that standard error has, too. */
static void write_summary(const run_report *r, FILE *f)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	if (!memory)
		return;
	bxt_summary_write_brief(r->summary, memory);
	fclose(memory);
	const bool doubt = r->unfinished || r->summary->trust.notes || r->summary->trust.errors;
	fprintf(f, "<div class=\"trust%s\">", doubt ? " doubt" : "");
	html_text(r->unfinished ? "The run did not reach its end.\n" : "", f);
	html_text(text, f);
	fputs("</div>\n", f);
	free(text);
}

static void write_drift(const bxt_summary *s, FILE *f)
{
	if (s->n_drift == 0)
		return;
	fputs("<h2>Drift</h2>\n<table><tr><th>rows</th><th>largest</th><th>at the end</th></tr>\n",
	      f);
	for (size_t i = 0; i < s->n_drift; i++) {
		fputs("<tr><td>", f);
		html_text(s->drift[i].family, f);
		fprintf(f, "</td><td class=\"n\">%.3g</td><td class=\"n\">%.3g</td></tr>\n",
			s->drift[i].max, s->drift[i].last);
	}
	fputs("</table>\n", f);
}

static void write_accuracy(const bxt_summary *s, FILE *f)
{
	enum { MOST = 200 };
	if (s->n_accuracy == 0)
		return;
	fputs("<h2>Estimated errors</h2>\n<table><tr><th>signal</th><th>error</th><th>at [s]</th>"
	      "<th>range</th></tr>\n",
	      f);
	for (size_t i = 0; i < s->n_accuracy && i < MOST; i++) {
		fputs("<tr><td>", f);
		html_text(s->accuracy[i].name, f);
		fprintf(f,
			"</td><td class=\"n\">%.3g</td><td class=\"n\">%.4g</td><td class=\"n\">"
			"%.4g</td></tr>\n",
			s->accuracy[i].error, s->accuracy[i].at, s->accuracy[i].range);
	}
	fputs("</table>\n", f);
}

static void write_messages(const model *m, FILE *f)
{
	if (!m->messages || !*m->messages)
		return;
	fputs("<h2>Messages</h2>\n<pre>", f);
	html_text(m->messages, f);
	fputs("</pre>\n", f);
}

static void write_drawing(const run_report *r, FILE *f)
{
	static const char *const argv[] = {"dot", "-Tsvg", NULL};
	bxt_draw_def def;
	bxt_default_draw_def(&def);
	def.untitled = true;
	def.most = MOST_DRAWN;
	bxt_diagnostics *d = bxt_diagnostics_new();
	FILE *text = tmpfile(), *picture = NULL;
	fputs("<h2>Network</h2>\n", f);
	const bool drawable =
		text && d &&
		bxt_netlist_write_dot(r->m->netlist, r->library, &def, text, d) == BXT_OK;
	if (drawable && r->summary->unknowns <= 10 * MOST_DRAWN)
		picture = program_run(argv, text, "the drawing of a report", "graphviz");
	if (picture)
		html_svg(picture, f);
	else
		fputs("<p>Not drawn: too large, or Graphviz is not installed.</p>\n", f);
	if (picture)
		fclose(picture);
	if (text)
		fclose(text);
	bxt_diagnostics_free(d);
}

static void write_netlist(const model *m, FILE *f)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	if (!memory)
		return;
	const bool good = bxt_netlist_write(m->netlist, memory) == BXT_OK;
	fclose(memory);
	fputs("<h2>Netlist</h2>\n<details><summary>", f);
	html_text(m->file, f);
	fputs("</summary><pre>", f);
	html_text(good ? text : "", f);
	fputs("</pre></details>\n", f);
	free(text);
}

static void write_command(const options *o, FILE *f)
{
	fputs("<h2>Made by</h2>\n<pre>boxtimes", f);
	for (int i = 0; i < o->argc; i++) {
		const bool plain =
			o->argv[i][0] &&
			!o->argv[i][strspn(o->argv[i],
					   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
					   "WXYZ0123456789-_=./:,+%@")];
		fputs(plain ? " " : " &#39;", f);
		html_text(o->argv[i], f);
		fputs(plain ? "" : "&#39;", f);
	}
	fprintf(f, "\nversion %s</pre>\n", bxt_version());
}

/* ---- The document ---- */

static FILE *open_dygraphs(const char *name)
{
	const char *folder = getenv("BOXTIMES_DYGRAPHS");
	folder = folder ? folder : BXT_DYGRAPHS;
	char *path = malloc(strlen(folder) + strlen(name) + 2);
	if (!path)
		return NULL;
	sprintf(path, "%s/%s", folder, name);
	FILE *f = fopen(path, "r");
	free(path);
	return f;
}

static void write_head(const char *title, const char *nonce, FILE *f)
{
	char line[4096];
	FILE *css = open_dygraphs("dygraph.min.css");
	fprintf(f,
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"script-src 'nonce-%s'; style-src 'nonce-%s'; base-uri 'none'; form-action "
		"'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
		nonce, nonce);
	html_text(title, f);
	fprintf(f, "</title>\n<style nonce=\"%s\">%s\n", nonce, style_text);
	while (css && fgets(line, sizeof line, css))
		if (!strstr(line, "sourceMappingURL"))
			fputs(line, f);
	if (css)
		fclose(css);
	fputs("</style></head><body>\n<h1>", f);
	html_text(title, f);
	fputs("</h1>\n", f);
}

static void write_document(const run_report *r, const char *nonce, FILE *f)
{
	FILE *script = open_dygraphs("dygraph.min.js");
	const char *name = bxt_netlist_name(r->m->netlist);
	write_head(name && *name ? name : r->m->file, nonce, f);
	write_cards(r->summary, f);
	write_summary(r, f);
	write_messages(r->m, f);
	report_panels(r, script, nonce, f);
	report_energy(r->summary, f);
	write_drift(r->summary, f);
	write_accuracy(r->summary, f);
	write_drawing(r, f);
	write_netlist(r->m, f);
	write_command(r->o, f);
	fputs("</body></html>\n", f);
	if (script)
		fclose(script);
}

int report_write(const run_report *r)
{
	char nonce[HTML_NONCE];
	output_file out;
	if (!r->summary->scheme) /* it never began */
		return EXIT_OK;
	if (!html_nonce(nonce))
		return EXIT_NUMERICS;
	if (!output_open(&out, r->o->run.report))
		return EXIT_NUMERICS;
	write_document(r, nonce, out.stream);
	return output_close(&out) ? EXIT_OK : EXIT_NUMERICS;
}

int report_plot(const columns *c, const choice *x, const char *title, const char *path)
{
	char nonce[HTML_NONCE];
	output_file out;
	FILE *script = open_dygraphs("dygraph.min.js");
	const bool ready = script && html_nonce(nonce);
	if (!script)
		print_message("boxtimes: plot needs dygraphs for HTML, which was not found (Debian "
			      "package "
			      "libjs-dygraphs)\n");
	const bool open = ready && output_open(&out, path);
	if (open) {
		write_head(title, nonce, out.stream);
		report_scripts(c, x, script, nonce, out.stream);
		fputs("</body></html>\n", out.stream);
	}
	if (script)
		fclose(script);
	return open && output_close(&out) ? EXIT_OK : EXIT_NUMERICS;
}
