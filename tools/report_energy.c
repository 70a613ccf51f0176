/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the energy went: on the left what elements supplied or gave from their store, on the right
 * what they took: dissipated, stored, or drawn by forces. Both sides are equal but for the
 * residual.
 */
#include "html.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BANDS = 8, HEIGHT = 220, LEFT = 250, WIDTH = 320 };

/* Energy of one element in one way. */
struct band {
	const char *path, *how;
	double energy;
};

struct side {
	struct band *band;
	size_t n;
	double sum;
};

static void add(struct side *s, const char *path, const char *how, double energy)
{
	if (energy > 0 && isfinite(energy)) {
		s->band[s->n++] = (struct band){path, how, energy};
		s->sum += energy;
	}
}

static int by_energy(const void *a, const void *b)
{
	const double x = ((const struct band *)a)->energy, y = ((const struct band *)b)->energy;
	return (x < y) - (x > y);
}

/* The largest bands; one more takes the rest, and those that are too thin to be seen. */
static void sort(struct side *s)
{
	const double least = 0.003 * s->sum;
	size_t n = 0;
	qsort(s->band, s->n, sizeof *s->band, by_energy);
	while (n < s->n && n < MOST_BANDS && s->band[n].energy >= least)
		n++;
	if (s->n <= n + 1)
		return;
	for (size_t i = n + 1; i < s->n; i++)
		s->band[n].energy += s->band[i].energy;
	s->band[n].path = "others";
	s->band[n].how = "";
	s->n = n + 1;
}

static void find_sides(const bxt_summary *s, struct side *from, struct side *to)
{
	for (size_t i = 0; i < s->n_ledger; i++) {
		const bxt_ledger_entry *e = &s->ledger[i];
		if (strcmp(e->kind, "component") != 0)
			continue;
		add(from, e->path, "supplied", e->supplied);
		add(from, e->path, "from its store", e->start - e->end);
		add(from, e->path, "by its damping", -e->dissipated);
		add(to, e->path, "heat", e->dissipated);
		add(to, e->path, "stored", e->end - e->start);
		add(to, e->path, "taken", -e->supplied);
	}
	sort(from);
	sort(to);
}

/* Bars on one side, with a band to the middle and a label for each. */
static void draw_side(const struct side *s, double scale, bool left, FILE *f)
{
	const int bar = left ? LEFT : LEFT + WIDTH, middle = LEFT + WIDTH / 2;
	const char *colour = left ? "#1f77b4" : "#d98a2b", *light = left ? "#c9dcec" : "#f3e1cb";
	double y = 10, label = 0;
	for (size_t i = 0; i < s->n; i++) {
		const double height = s->band[i].energy * scale, centre = y + height / 2;
		fprintf(f,
			"<rect x=\"%d\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" fill=\"%s\"/>"
			"<rect x=\"%d\" y=\"%.2f\" width=\"12\" height=\"%.2f\" fill=\"%s\" "
			"stroke=\"#ffffff\" stroke-width=\"0.5\"/>",
			left ? bar : middle, y, WIDTH / 2, height, light, left ? bar : bar - 12, y,
			height, colour);
		label = centre > label + 14 || i == 0 ? centre : label + 14;
		fprintf(f, "<text x=\"%d\" y=\"%.2f\" text-anchor=\"%s\">",
			left ? bar - 8 : bar + 8, label + 4, left ? "end" : "start");
		html_text(s->band[i].path, f);
		fprintf(f, " %s %.4g J</text>\n", s->band[i].how, s->band[i].energy);
		y += height;
	}
}

static void draw_bands(const struct side *from, const struct side *to, FILE *f)
{
	const double most = from->sum > to->sum ? from->sum : to->sum;
	if (!(most > 0)) {
		fputs("<p>No energy was exchanged.</p>\n", f);
		return;
	}
	fprintf(f,
		"<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" font-size=\"12\" "
		"role=\"img\" "
		"aria-label=\"energy\">\n",
		2 * LEFT + WIDTH, HEIGHT + 60, 2 * LEFT + WIDTH, HEIGHT + 60);
	draw_side(from, HEIGHT / most, true, f);
	draw_side(to, HEIGHT / most, false, f);
	fprintf(f, "<rect x=\"%d\" y=\"10\" width=\"4\" height=\"%d\" fill=\"#555555\"/>\n</svg>\n",
		LEFT + WIDTH / 2 - 2, HEIGHT);
}

static void number(double x, FILE *f)
{
	fprintf(f, isfinite(x) ? "<td class=\"n\">%.6g</td>" : "<td class=\"n\">-</td>", x);
}

static void write_entry(const bxt_ledger_entry *e, FILE *f)
{
	const bool total = strcmp(e->kind, "total") == 0;
	fputs(total ? "<tr class=\"total\"><td>total" : "<tr><td>", f);
	html_text(total ? "" : e->path, f);
	fputs("</td><td>", f);
	html_text(e->kind, f);
	fputs("</td>", f);
	number(e->start, f);
	number(e->end, f);
	number(e->supplied, f);
	number(e->dissipated, f);
	number(e->through, f);
	number(e->residual, f);
	fputs("</tr>\n", f);
}

void report_energy(const bxt_summary *s, FILE *f)
{
	enum { MOST_ENTRIES = 200 };
	const size_t room = 3 * s->n_ledger + 1;
	struct side from = {calloc(room, sizeof(struct band)), 0, 0},
		    to = {calloc(room, sizeof(struct band)), 0, 0};
	fputs("<h2>Where the energy went</h2>\n", f);
	if (from.band && to.band) {
		find_sides(s, &from, &to);
		draw_bands(&from, &to, f);
	}
	free(from.band);
	free(to.band);
	fputs("<h2>Ledger [J]</h2>\n<table><tr><th>part</th><th></th><th>start</th><th>end</th>"
	      "<th>supplied</th><th>dissipated</th><th>through ports</th><th>residual</th></tr>\n",
	      f);
	for (size_t i = 0; i < s->n_ledger && i < MOST_ENTRIES; i++)
		write_entry(&s->ledger[i], f);
	write_entry(&s->total, f);
	fputs("</table>\n", f);
	if (s->n_ledger > MOST_ENTRIES)
		fprintf(f, "<p>%zu more parts are not shown.</p>\n", s->n_ledger - MOST_ENTRIES);
}
