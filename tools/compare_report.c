/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a comparison as text, CSV and JSON. */
#include "comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Signals that text shows when nobody asked for some; CSV and JSON have all. */
enum { MOST_SIGNALS = 40 };

/* What goes first: the group, and within it the largest relative difference. */
static int by_group(const void *x, const void *y)
{
	const bxt_difference *a = *(const bxt_difference *const *)x,
			     *b = *(const bxt_difference *const *)y;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (isnan(a->relative) != isnan(b->relative))
		return isnan(a->relative) ? -1 : 1;
	if (a->relative != b->relative)
		return a->relative > b->relative ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* All signals in that order; NULL when memory ends. */
static const bxt_difference **sorted(const comparison *c)
{
	const bxt_difference **list = malloc((c->twins.n + 1) * sizeof *list);
	for (size_t i = 0; list && i < c->twins.n; i++)
		list[i] = &c->difference[i];
	if (list)
		qsort(list, c->twins.n, sizeof *list, by_group);
	else
		fputs("boxtimes: out of memory\n", stderr);
	return list;
}

/* The number of signals of the group that begins at list[from]. */
static size_t group_end(const bxt_difference *const *list, size_t from, size_t n)
{
	size_t end = from;
	while (end < n && list[end]->group == list[from]->group)
		end++;
	return end;
}

/* The drift of a family in one run, or not a number. */
static double drift_of(const bxt_summary *s, const char *family)
{
	for (size_t i = 0; i < s->n_drift; i++)
		if (strcmp(s->drift[i].family, family) == 0)
			return s->drift[i].max;
	return NAN;
}

/* ---- Text ---- */

struct widths {
	int a, b;
};

static int wider(int width, const char *text)
{
	enum { WIDEST = 44 };
	const size_t n = strlen(text);
	return n > WIDEST ? WIDEST : n > (size_t)width ? (int)n : width;
}

static void write_line(const bxt_difference *d, const char *first, struct widths w,
		       const options *o, FILE *f)
{
	const bool bad = is_judged(d->group) && !is_within(d->relative, o);
	fprintf(f, "%-18s %11.3g  %-*s  %-*s %12.6g %12.6g%s\n", first, d->relative, w.a, d->a, w.b,
		d->b, d->scale, d->at, bad ? "  <-- beyond the tolerance" : "");
}

static void write_heading(const char *first, struct widths w, FILE *f)
{
	fprintf(f, "%-18s %11s  %-*s  %-*s %12s %12s\n", first, "difference", w.a, "signal of A",
		w.b, "signal of B", "max|a|", "at t [s]");
}

/* Of each group the number of its signals and the one that differs most. */
static void write_groups(const bxt_difference *const *list, size_t n, struct widths w,
			 const options *o, FILE *f)
{
	write_heading("group", w, f);
	for (size_t i = 0, end; i < n; i = end) {
		char first[64];
		end = group_end(list, i, n);
		snprintf(first, sizeof first, "%-12s%6zu", bxt_signal_group_name(list[i]->group),
			 end - i);
		write_line(list[i], first, w, o, f);
	}
}

/* All signals when they are few; else of each group those that differ most. */
static void write_signals(const bxt_difference *const *list, size_t n, struct widths w,
			  const options *o, FILE *f)
{
	size_t groups = 0, shown = 0;
	for (size_t i = 0; i < n; i = group_end(list, i, n))
		groups++;
	const size_t share = n <= MOST_SIGNALS ? n : MOST_SIGNALS / (groups ? groups : 1);
	fputc('\n', f);
	write_heading("signals", w, f);
	for (size_t i = 0, end; i < n; i = end) {
		end = group_end(list, i, n);
		for (size_t k = i; k < end && k < i + share; k++, shown++)
			write_line(list[k], bxt_signal_group_name(list[k]->group), w, o, f);
	}
	if (shown < n)
		fprintf(f, "... and %zu more that differ less: all are in -o FILE and --json\n",
			n - shown);
}

static void write_carried(const comparison *c, const options *o, FILE *f)
{
	size_t width = 12;
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < c->n_carried[s]; i++)
			width = (size_t)wider((int)width, c->carried[s][i].connection);
	if (c->n_carried[0] + c->n_carried[1] == 0)
		return;
	fprintf(f, "\n%-18s %11s  %-*s %6s %14s %12s\n", "interconnection", "lost", (int)width, "",
		"ports", "carried [W]", "at t [s]");
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < c->n_carried[s]; i++) {
			const bxt_carried *k = &c->carried[s][i];
			fprintf(f, "%-18s %11.3g  %-*s %6zu %14.6g %12.6g%s\n", s ? "of B" : "of A",
				k->relative, (int)width, k->connection, k->n_ports, k->carried,
				k->at,
				is_within(k->relative, o) ? "" : "  <-- beyond the tolerance");
		}
}

static void write_account(const bxt_account_difference *d, const options *o, FILE *f)
{
	const bool two = *d->a && *d->b && strcmp(d->a, d->b) != 0;
	fprintf(f, "%-18s %11.3g  %s%s%s%s%s: ", d->kind, d->relative, *d->a ? d->a : d->b,
		two ? ", " : "", two ? d->b : "", *d->a || *d->b ? " " : "", d->what);
	if (strcmp(d->kind, "connection") == 0)
		fprintf(f, "%.3g J", d->difference);
	else
		fprintf(f, "%.3g of %.6g J", d->difference, d->value);
	fputs(is_within(d->relative, o) ? "\n" : "  <-- beyond the tolerance\n", f);
}

/* The total, and the part whose account differs most. */
static void write_accounts(const comparison *c, const options *o, FILE *f)
{
	size_t worst = 0;
	for (size_t i = 1; i < c->n_account; i++)
		if (worst == 0 || !(c->account[i].relative <= c->account[worst].relative))
			worst = i;
	fprintf(f, "\n%-18s %11s  what differs most\n", "account", "difference");
	if (c->n_account > 0)
		write_account(&c->account[0], o, f);
	if (worst > 0)
		write_account(&c->account[worst], o, f);
}

static void write_drift(const comparison *c, FILE *f)
{
	bool first = true;
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < c->summary[s].n_drift; i++) {
			const char *family = c->summary[s].drift[i].family;
			const double other = drift_of(&c->summary[1 - s], family);
			if (s == 1 && !isnan(other))
				continue; /* was shown with A */
			if (first)
				fprintf(f, "\n%-18s %11s %11s  largest, not judged\n", "drift", "A",
					"B");
			first = false;
			char text[2][32] = {"-", "-"};
			snprintf(text[s], sizeof text[s], "%.3g", c->summary[s].drift[i].max);
			if (!isnan(other))
				snprintf(text[1 - s], sizeof text[1 - s], "%.3g", other);
			fprintf(f, "%-18s %11s %11s\n", family, text[0], text[1]);
		}
}

/* Wanted signals that only one of the models has. */
static void write_alone(const comparison *c, FILE *f)
{
	enum { SOME = 5 };
	for (int s = 0; s < 2; s++) {
		if (c->twins.n_alone[s] == 0)
			continue;
		fprintf(f, "\nonly in %c, not compared: %zu:", s ? 'B' : 'A', c->twins.n_alone[s]);
		for (size_t i = 0; i < c->twins.n_alone[s] && i < SOME; i++)
			fprintf(f, " %s", c->twins.alone[s][i]);
		fputs(c->twins.n_alone[s] > SOME ? " ..." : "", f);
	}
	if (c->twins.n_alone[0] + c->twins.n_alone[1] > 0)
		fputc('\n', f);
}

void compare_write_text(const comparison *c, const options *o, FILE *f)
{
	const bxt_difference **list = sorted(c);
	struct widths w = {11, 11};
	if (!list)
		return;
	for (size_t i = 0; i < c->twins.n; i++) {
		w.a = wider(w.a, c->difference[i].a);
		w.b = wider(w.b, c->difference[i].b);
	}
	print_message_on(f, "A: %s\nB: %s\n\n", c->file[0], c->file[1]);
	write_groups(list, c->twins.n, w, o, f);
	write_signals(list, c->twins.n, w, o, f);
	free(list);
	write_carried(c, o, f);
	write_accounts(c, o, f);
	write_drift(c, f);
	write_alone(c, f);
	fprintf(f,
		"\n%zu signals, %zu rows; largest difference %.3g, tolerance %g: the models %s\n",
		c->twins.n, bxt_table_rows(c->table[0]), c->largest, o->tolerance,
		is_within(c->largest, o) ? "agree" : "differ");
}

/* ---- CSV ---- */

static void csv_line(const char *a, const char *b, const double values[4], const char *group,
		     FILE *f)
{
	fprintf(f, "%s,%s", a, b);
	for (int i = 0; i < 4; i++)
		if (isnan(values[i]))
			fputs(",nan", f);
		else
			fprintf(f, ",%.17g", values[i]);
	fprintf(f, ",%s\n", group);
}

void compare_write_csv(const comparison *c, FILE *f)
{
	fputs("a,b,difference,largest,scale,at,group\n", f);
	for (size_t i = 0; i < c->twins.n; i++) {
		const bxt_difference *d = &c->difference[i];
		csv_line(d->a, d->b, (double[]){d->relative, d->largest, d->scale, d->at},
			 bxt_signal_group_name(d->group), f);
	}
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < c->n_carried[s]; i++) {
			const bxt_carried *k = &c->carried[s][i];
			csv_line(s ? "" : k->connection, s ? k->connection : "",
				 (double[]){k->relative, k->lost, k->carried, k->at},
				 "interconnection", f);
		}
	for (size_t i = 0; i < c->n_account; i++) {
		const bxt_account_difference *d = &c->account[i];
		csv_line(*d->a ? d->a : "total", *d->b ? d->b : "total",
			 (double[]){d->relative, d->difference, d->value, NAN}, "account", f);
	}
	for (size_t i = 0; i < c->summary[0].n_drift; i++) {
		const bxt_drift_entry *d = &c->summary[0].drift[i];
		const double other = drift_of(&c->summary[1], d->family);
		if (!isnan(other))
			csv_line(d->family, d->family,
				 (double[]){NAN, fabs(d->max - other), d->max, NAN}, "drift", f);
	}
}

/* ---- JSON ---- */

void compare_write_json(const comparison *c, const options *o, FILE *f)
{
	const bxt_comparison found = {.size = sizeof found,
				      .twins = &c->twins,
				      .summary = {&c->summary[0], &c->summary[1]},
				      .difference = c->difference,
				      .carried = {c->carried[0], c->carried[1]},
				      .n_carried = {c->n_carried[0], c->n_carried[1]},
				      .account = c->account,
				      .n_account = c->n_account,
				      .largest = c->largest,
				      .tolerance = o->tolerance};
	bxt_comparison_write_json(&found, f); /* the caller checks the stream */
}
