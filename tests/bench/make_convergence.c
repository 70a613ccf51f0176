/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the orders of all schemes and rules as measured (convergence.h), as text or as HTML. */
#include "bench/convergence.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int usage(void)
{
	fputs("Usage: make_convergence [--html]\n"
	      "Measures the order of every scheme and rule on an oscillator, a pendulum, Kepler's\n"
	      "problem and an RLC loop with components of $BOXTIMES_PATH, and prints a table: the\n"
	      "order as stated and, for each model, the coarsest step h, the largest relative "
	      "errors\n"
	      "of q with h, h/2, h/4, and the orders of q and p in the last halving.\n"
	      "  --html  as tables for a page\n",
	      stderr);
	return 2;
}

static void print_text(const convergence *c)
{
	for (int k = 0; k < CONVERGENCE_MODELS; k++) {
		printf("%s%s\n%-38s %5s %8s  %28s  %7s %7s\n", k ? "\n" : "", convergence_models[k],
		       "scheme, rule or gradient", "order", "h", "errors of q with h, h/2, h/4",
		       "order q", "order p");
		for (size_t i = 0; i < c->n; i++) {
			const convergence_row *r = &c->row[i];
			const convergence_cell *x = &r->cell[k];
			const int wide = printf("%s%s%s", r->scheme, r->rule ? " " : "",
						r->rule ? r->rule : "");
			printf("%*s %5d ", wide < 38 ? 38 - wide : 0, "", r->stated);
			if (x->refused)
				printf("refused: %s\n", x->refused);
			else
				printf("%8g  %9.2e %9.2e %8.2e  %7.3f %7.3f\n", x->step[0],
				       x->error[CONVERGENCE_Q][0], x->error[CONVERGENCE_Q][1],
				       x->error[CONVERGENCE_Q][2], x->order[CONVERGENCE_Q],
				       x->order[CONVERGENCE_P]);
		}
	}
}

static void print_escaped(const char *text)
{
	for (; *text; text++)
		if (*text == '&')
			fputs("&amp;", stdout);
		else if (*text == '<')
			fputs("&lt;", stdout);
		else if (*text == '"')
			fputs("&quot;", stdout);
		else
			putchar(*text);
}

static void print_cell(const convergence_cell *x)
{
	if (x->refused) {
		fputs("<td colspan=\"3\" class=\"refused\" title=\"", stdout);
		print_escaped(x->refused);
		fputs("\">refused</td>", stdout);
	} else {
		printf("<td>%.1e</td><td>%.2f</td><td>%.2f</td>",
		       x->error[CONVERGENCE_Q][CONVERGENCE_STEPS - 1], x->order[CONVERGENCE_Q],
		       x->order[CONVERGENCE_P]);
	}
}

static void print_refusals(const convergence *c)
{
	fputs("<h4>Why some are refused</h4>\n<ul class=\"reasons\">\n", stdout);
	for (int k = 0; k < CONVERGENCE_MODELS; k++)
		for (size_t i = 0; i < c->n; i++)
			if (c->row[i].cell[k].refused) {
				printf("<li>%s: ", convergence_models[k]);
				print_escaped(c->row[i].cell[k].refused);
				fputs("</li>\n", stdout);
			}
	fputs("</ul>\n", stdout);
}

static void print_html(const convergence *c)
{
	fputs("<table>\n<tr><th rowspan=\"2\">scheme, rule</th><th rowspan=\"2\">order</th>"
	      "<th rowspan=\"2\">smallest step</th>",
	      stdout);
	for (int k = 0; k < CONVERGENCE_MODELS; k++)
		printf("<th colspan=\"3\">%s</th>", convergence_models[k]);
	fputs("</tr>\n<tr>", stdout);
	for (int k = 0; k < CONVERGENCE_MODELS; k++)
		fputs("<th>error of q</th><th>q</th><th>p</th>", stdout);
	fputs("</tr>\n", stdout);
	for (size_t i = 0; i < c->n; i++) {
		const convergence_row *r = &c->row[i];
		printf("<tr><th>%s %s</th><td>%d</td><td>%g</td>", r->scheme,
		       r->rule ? r->rule : "", r->stated, r->cell[0].step[CONVERGENCE_STEPS - 1]);
		for (int k = 0; k < CONVERGENCE_MODELS; k++)
			print_cell(&r->cell[k]);
		fputs("</tr>\n", stdout);
	}
	fputs("</table>\n", stdout);
	print_refusals(c);
}

int main(int argc, char **argv)
{
	const char *path = getenv("BOXTIMES_PATH");
	const bool html = argc == 2 && strcmp(argv[1], "--html") == 0;
	if (argc > 2 || (argc == 2 && !html) || !path)
		return usage();
	convergence c = {0};
	bxt_diagnostics *d = bxt_diagnostics_new();
	const bxt_status status = d ? convergence_measure(path, d, &c) : BXT_ERR_MEMORY;
	if (status == BXT_OK && html)
		print_html(&c);
	else if (status == BXT_OK)
		print_text(&c);
	else
		fprintf(stderr, "convergence: %s\n", bxt_status_text(status));
	for (size_t i = 0; status != BXT_OK && i < bxt_diagnostics_count(d, BXT_ERROR); i++)
		fprintf(stderr, "%s\n", bxt_diagnostics_get(d, i)->text);
	convergence_free(&c);
	bxt_diagnostics_free(d);
	return status == BXT_OK && fflush(stdout) == 0 ? 0 : 1;
}
