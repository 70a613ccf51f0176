/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the connections of input signals, and the times and sources of samples. */
#include "ground/base/local_file.h"
#include "study/verify/against.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const bxt_component *component_of(const bxt_against_side *t, int i)
{
	return t->s->net->types[t->s->net->elements[i].type]->component;
}

/* ---- Signals ---- */

void bxt_against_signal(bxt_against *g, int i, double x, double y, double *worst)
{
	const bxt_against_side *a = &g->side[0], *b = &g->side[1];
	const double scale = fmax(fabs(x), fabs(y));
	const double apart = x == y || (!isfinite(x) && !isfinite(y)) ? 0
			     : isfinite(scale)                        ? fabs(x - y) / scale
								      : INFINITY;
	if (apart <= bxt_checks_tolerance(&g->checks, BXT_CHECK_SAME_SIGNALS) || apart <= *worst)
		return;
	*worst = apart;
	const bxt_place here = a->s->net->elements[i].place,
			there = b->s->net->elements[a->other[i]].place;
	bxt_buffer input = {0};
	bxt_checks_add(&g->checks, BXT_CHECK_SAME_SIGNALS, apart, there,
		       "<signal> of '%s' is %.12g in A (%s:%d), %.12g in B (%s:%d), at a random "
		       "state",
		       bxt_against_input(a, i, &input), x, here.file, here.line, y, there.file,
		       there.line);
	bxt_checks_release(&g->checks, &input);
}

/* ---- Samples ---- */

/* The period in <sample>, 0 if it has none; -1: nothing is sampled. */
static double time_of(const bxt_against_side *t, int i, bool delay)
{
	const bxt_component *c = component_of(t, i);
	const char *name = delay ? c->sampled.sample.delay : c->sampled.sample.period;
	if (!c->sampled.sample.period)
		return -1;
	const int k = name ? bxt_against_parameter_named(c, name) : -1;
	return k < 0 ? 0 : bxt_against_parameter(t, i, k);
}

/* The file that the model names, "" if it names none. */
static const char *file_of(bxt_against *g, const bxt_against_side *t, int i)
{
	const bxt_element *e = &t->s->net->elements[i];
	const bxt_plugin_part *part = component_of(t, i)->sampled.plugin;
	const char *name = e->plugin ? e->plugin : part->file;
	const char *folder =
		name ? bxt_local_file_folder(g->arena, e->plugin ? e->place.file : part->place.file)
		     : NULL;
	const char *path = folder ? bxt_local_file(g->arena, folder, name) : NULL;
	g->checks.failed = g->checks.failed || (name && !path);
	return path ? path : "";
}

/*
 * Are both the same file, or files with the same bytes? Files that cannot be read are compared by
 * name.
 */
static bool same_file(const char *a, const char *b)
{
	struct stat one, other;
	if (strcmp(a, b) == 0)
		return true;
	if (stat(a, &one) != 0 || stat(b, &other) != 0)
		return false;
	if (one.st_dev == other.st_dev && one.st_ino == other.st_ino)
		return true;
	if (!S_ISREG(one.st_mode) || !S_ISREG(other.st_mode) || one.st_size != other.st_size)
		return false;
	FILE *f = fopen(a, "rb"), *h = fopen(b, "rb");
	bool same = f && h;
	for (int x = 0, y = 0; same && x != EOF; same = x == y) {
		x = getc(f);
		y = getc(h);
	}
	if (f)
		fclose(f);
	if (h)
		fclose(h);
	return same;
}

static bool same_names(const char *const *a, int n, const char *const *b, int m)
{
	bool same = n == m;
	for (int k = 0; k < n && same; k++)
		same = strcmp(a[k], b[k]) == 0;
	return same;
}

static void add_list(bxt_buffer *out, const char *const *names, int n)
{
	for (int k = 0; k < n; k++)
		bxt_buffer_printf(out, "%s%s", k ? " " : "", names[k]);
}

/* Appends the differences between plug-ins to the text; nothing if they agree. */
static void compare_plugins(bxt_against *g, int i, bxt_buffer *words)
{
	const bxt_against_side *a = &g->side[0], *b = &g->side[1];
	const bxt_plugin_part *x = component_of(a, i)->sampled.plugin,
			      *y = component_of(b, a->other[i])->sampled.plugin;
	if (!x || !y) {
		if (x || y)
			bxt_buffer_printf(words,
					  "is sampled by a plug-in in %s, by <update>s in %s",
					  x ? "A" : "B", x ? "B" : "A");
		return;
	}
	const char *file = file_of(g, a, i), *other = file_of(g, b, a->other[i]);
	if (!same_file(file, other)) {
		bxt_buffer_printf(words, "has the plug-in '%s' in A, '%s' in B", file, other);
	} else if (!same_names(x->writes, x->n_writes, y->writes, y->n_writes)) {
		bxt_buffer_printf(words, "has a plug-in that writes \"");
		add_list(words, x->writes, x->n_writes);
		bxt_buffer_printf(words, "\" in A, \"");
		add_list(words, y->writes, y->n_writes);
		bxt_buffer_printf(words, "\" in B");
	} else if (x->n_reads != y->n_reads) { /* otherwise their values are compared */
		bxt_buffer_printf(words, "has a plug-in that reads %d values in A, %d in B",
				  x->n_reads, y->n_reads);
	}
}

/* Appends nothing if an element is sampled in the same way in both models. */
static void compare_samples(bxt_against *g, int i, bxt_buffer *words)
{
	const bxt_against_side *a = &g->side[0], *b = &g->side[1];
	const int k = a->other[i];
	for (int delay = 0; delay < 2 && words->length == 0; delay++) {
		const double x = time_of(a, i, delay), y = time_of(b, k, delay);
		if (fabs(x - y) <= bxt_checks_tolerance(&g->checks, BXT_CHECK_SAME_PARAMETERS) *
					   fmax(fabs(x), fabs(y)))
			continue;
		if (x < 0 || y < 0)
			bxt_buffer_printf(words, "is sampled in %s, and not in %s",
					  x < 0 ? "B" : "A", x < 0 ? "A" : "B");
		else
			bxt_buffer_printf(words, "is sampled with a %s of %.9g s in A, %.9g s in B",
					  delay ? "delay" : "period", x, y);
	}
	if (words->length == 0)
		compare_plugins(g, i, words);
}

bxt_status bxt_against_samples(bxt_against *g)
{
	const bxt_against_side *a = &g->side[0], *b = &g->side[1];
	bxt_buffer words = {0}, path = {0};
	int sampled = 0;
	bxt_evaluator_set_time(a->e, 0);
	bxt_evaluator_set_time(b->e, 0);
	for (size_t i = 0; i < a->s->net->n_elements && words.length == 0; i++) {
		if (a->other[i] < 0 || bxt_against_is_signal(a, (int)i))
			continue;
		sampled += component_of(a, (int)i)->sampled.sample.period != NULL;
		compare_samples(g, (int)i, &words);
		if (words.length == 0)
			continue;
		const bxt_place here = a->s->net->elements[i].place,
				there = b->s->net->elements[a->other[i]].place;
		/*
		 * other differences in what the element reads or writes have no values to compare
		 */
		g->same_elements = false;
		bxt_checks_add(&g->checks, BXT_CHECK_SAME_SAMPLES, 1, there,
			       "'%s' %s (%s:%d, %s:%d)", bxt_against_path(a, (int)i, &path),
			       words.text, here.file, here.line, there.file, there.line);
	}
	if (sampled > 0 && words.length == 0)
		bxt_checks_add(&g->checks, BXT_CHECK_SAME_SAMPLES, 0, BXT_NOWHERE, "of %d elements",
			       sampled);
	bxt_checks_release(&g->checks, &words);
	bxt_checks_release(&g->checks, &path);
	return BXT_OK;
}
