/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const colours[COLOURS] = {"#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd",
				      "#17a2b8", "#8c564b", "#e377c2", "#7f7f7f", "#9a9a00"};

static bool no_memory(void)
{
	fputs("boxtimes: out of memory\n", stderr);
	return false;
}

/* ---- Names and units ---- */

bool columns_open(columns *c, const bxt_table *table, const char *file)
{
	c->table = table;
	c->file = file;
	const size_t n = bxt_table_columns(table);
	c->name = calloc(n + 1, sizeof *c->name);
	c->unit = calloc(n + 1, sizeof *c->unit);
	if (!c->name || !c->unit)
		return no_memory();
	for (; c->n < n; c->n++) {
		if (!(c->name[c->n] = strdup(bxt_table_name(table, c->n))))
			return no_memory();
		c->unit[c->n] = bxt_table_unit(table, c->n);
	}
	return true;
}

void columns_close(columns *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->name[i]);
	free(c->name);
	free(c->unit);
	*c = (columns){0};
}

/* ---- Choice ---- */

/* Does the name match a pattern, in which * stands for any characters? */
static bool matches(const char *name, const char *pattern, size_t length)
{
	const char *star = memchr(pattern, '*', length);
	const size_t before = star ? (size_t)(star - pattern) : length;
	if (strncmp(name, pattern, before) != 0)
		return false;
	if (!star)
		return name[length] == '\0';
	for (const char *rest = name + before;; rest++) {
		if (matches(rest, star + 1, length - before - 1))
			return true;
		if (!*rest)
			return false;
	}
}

/* Is the word all of the name, or what follows a dot in it? */
static bool is_end(const char *name, const char *word, size_t length)
{
	const size_t full = strlen(name);
	return full > length && name[full - length - 1] == '.' &&
	       strncmp(name + full - length, word, length) == 0;
}

static void add(choice *x, size_t column)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->column[i] == column)
			return;
	x->column[x->n++] = column;
}

static bool refuse(const columns *c, const char *what, const char *word, size_t length)
{
	print_message("%s: error: %s column '%.*s'; there are:", c->file, what, (int)length, word);
	for (size_t i = 0; i < c->n && i < 40; i++)
		print_message(" %s", c->name[i]);
	fputs(c->n > 40 ? " ...\n" : "\n", stderr);
	return false;
}

/* Adds what one word names; false after a message. */
static bool choose_word(const columns *c, const char *word, size_t length, choice *x)
{
	size_t found = 0, n = 0;
	const size_t before = x->n;
	const bool pattern = memchr(word, '*', length) != NULL;
	for (size_t i = 0; i < c->n && !pattern; i++)
		if (strlen(c->name[i]) == length && strncmp(c->name[i], word, length) == 0) {
			add(x, i);
			return true;
		}
	for (size_t i = 0; i < c->n; i++) {
		if (pattern) {
			if (matches(c->name[i], word, length))
				add(x, i);
		} else if (is_end(c->name[i], word, length)) {
			found = i;
			n++;
		}
	}
	if (pattern)
		return x->n > before || refuse(c, "no", word, length);
	if (n != 1)
		return refuse(c, n ? "more than one" : "no", word, length);
	add(x, found);
	return true;
}

/* The length of the word of a list, which ends at a comma or a space outside brackets. */
static size_t word_length(const char *list)
{
	int depth = 0;
	size_t i = 0;
	for (; list[i] && (depth > 0 || !strchr(", \t\n", list[i])); i++)
		depth += (list[i] == '(') - (list[i] == ')' && depth > 0);
	return i;
}

static bool choose_words(const columns *c, const char *list, choice *x)
{
	for (const char *word = list; *word;) {
		word += strspn(word, ", \t\n");
		const size_t length = word_length(word);
		if (length && !choose_word(c, word, length, x))
			return false;
		word += length;
	}
	if (x->n == 0)
		print_message("boxtimes: --columns '%s' names nothing\n", list);
	return x->n > 0;
}

/* ---- Panels ---- */

static const char *last_word(const char *name, size_t *length)
{
	static const char *const energies[] = {"energy", "dissipated", "supplied"};
	const size_t full = strlen(name);
	const char *dot = strrchr(name, '.'), *word = name;
	*length = full;
	if (full && name[full - 1] == ')') {
		*length = strcspn(name, "(");
	} else if (dot) {
		word = dot + 1;
		*length = strlen(word);
	}
	for (size_t i = 0; i < sizeof energies / sizeof *energies; i++)
		if (strlen(energies[i]) == *length && strncmp(energies[i], word, *length) == 0) {
			*length = strlen(energies[0]);
			return energies[0];
		}
	return word;
}

/* By unit; without one by the last word of the name. */
static bool same_panel(const columns *c, size_t a, size_t b)
{
	size_t n, m;
	if (*c->unit[a] || *c->unit[b])
		return strcmp(c->unit[a], c->unit[b]) == 0;
	const char *x = last_word(c->name[a], &n), *y = last_word(c->name[b], &m);
	return n == m && strncmp(x, y, n) == 0;
}

/* When there are too many quantities the last panel takes the rest. */
static void choose_panels(const columns *c, choice *x)
{
	for (size_t i = 0; i < x->n; i++) {
		int p = 0;
		while (p < x->panels && !same_panel(c, x->column[i], x->column[x->first[p]]))
			p++;
		if (p == MOST_PANELS)
			p--;
		else if (p == x->panels)
			x->first[x->panels++] = i;
		x->panel[i] = p;
	}
}

bool columns_choose(const columns *c, const char *list, size_t most, choice *out)
{
	*out = (choice){.column = calloc(c->n + 1, sizeof *out->column),
			.panel = calloc(c->n + 1, sizeof *out->panel)};
	if (!out->column || !out->panel)
		return no_memory();
	if (list && !choose_words(c, list, out))
		return false;
	for (int pass = 0; pass < 2 && !list; pass++)
		for (size_t i = 0; i < c->n && out->n < most; i++)
			if ((strncmp(c->name[i], "node(", 5) == 0) == (pass == 0))
				out->column[out->n++] = i;
	choose_panels(c, out);
	return true;
}

void choice_free(choice *x)
{
	free(x->column);
	free(x->panel);
	*x = (choice){0};
}

/* ---- Axes ---- */

/* Units that a decimal prefix may stand before. */
static bool takes_prefix(const char *unit)
{
	static const char *const units[] = {"ohm", "F",   "H",   "V",  "A",  "W",  "S",
					    "s",   "m",   "N",   "J",  "Pa", "Wb", "C",
					    "Hz",  "N.m", "m/s", "Wb", "V.s"};
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(unit, units[i]) == 0)
			return true;
	return false;
}

axis axis_of(const char *word, const char *unit, double largest)
{
	static const char *const prefixes[] = {"f", "p", "n", "µ", "m", "", "k", "M", "G", "T"};
	enum { ONE = 5 };
	axis a = {.factor = 1};
	int at = ONE;
	if (takes_prefix(unit) && largest > 0 && isfinite(largest)) {
		/* from .5 on in the larger unit: 800 mV are 0.8 V */
		at = ONE + (int)floor((log10(largest) + 0.3) / 3);
		at = at < 0 ? 0 : at > 9 ? 9 : at;
		a.factor = pow(10, 3 * (ONE - at));
	}
	if (*unit && strcmp(unit, "1") != 0)
		snprintf(a.label, sizeof a.label, "%.40s%s[%s%.32s]", word ? word : "",
			 word && *word ? " " : "", prefixes[at], unit);
	else
		snprintf(a.label, sizeof a.label, "%.80s", word ? word : "");
	return a;
}

axis axis_of_panel(const columns *c, const choice *x, int panel, double largest)
{
	size_t length;
	const size_t first = x->column[x->first[panel]];
	char word[48] = "";
	const char *last = last_word(c->name[first], &length);
	snprintf(word, sizeof word, "%.*s", (int)(length < 40 ? length : 40), last);
	for (size_t i = 0; i < x->n; i++) {
		size_t m;
		const char *other = last_word(c->name[x->column[i]], &m);
		if (x->panel[i] == panel && (m != length || strncmp(other, last, m) != 0))
			strcpy(word, *c->unit[first] ? "" : "others");
	}
	return axis_of(word, c->unit[first], largest);
}

/* ---- Rows ---- */

void thin_rows(const bxt_table *t, const size_t rows[2], const size_t *column, size_t n,
	       size_t most, bool *keep)
{
	enum { LEAST = 50 }; /* stretches, however many columns there are */
	const size_t all = rows[1] - rows[0], fit = most / (2 * (n ? n : 1));
	const size_t stretches = fit > LEAST ? fit : LEAST;
	const bool many = all > most && all > 2 * stretches;
	for (size_t r = rows[0]; r < rows[1]; r++)
		keep[r] = !many || r == rows[0] || r + 1 == rows[1];
	for (size_t b = 0; many && b < stretches; b++) {
		const double length = (double)all / (double)stretches;
		const size_t first = rows[0] + (size_t)(length * (double)b);
		const size_t next = rows[0] + (size_t)(length * (double)(b + 1));
		const size_t end = b + 1 < stretches ? next : rows[1];
		for (size_t i = 0; i < n; i++) {
			size_t least = first, greatest = first;
			for (size_t r = first; r < end; r++) {
				const double y = bxt_table_value(t, r, column[i]);
				if (!(y >= bxt_table_value(t, least, column[i])))
					least = r;
				if (!(y <= bxt_table_value(t, greatest, column[i])))
					greatest = r;
			}
			keep[least] = keep[greatest] = true;
		}
	}
}

size_t count_events(const bxt_table *t, const size_t rows[2])
{
	size_t n = 0;
	for (size_t r = rows[0] + 1; r < rows[1]; r++)
		n += is_event(t, r);
	return n <= MOST_EVENTS ? n : 0;
}
