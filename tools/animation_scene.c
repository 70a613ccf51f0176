/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of a model can be seen: bodies by the names of coordinates, lines by those of ports and
 * their parameters. */
#include "animation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool no_memory(void)
{
	fputs("boxtimes: out of memory\n", stderr);
	return false;
}

/* ---- Bodies ---- */

static const char *const coordinates[POSE] = {"x",   "y",   "z",   "R11", "R21", "R31",
					      "R12", "R22", "R32", "R13", "R23", "R33"};

/* A coordinate: "node(a).x1" is the x of the body "node(a)1". */
typedef struct place {
	const char *path, *suffix; /* the suffix: "1" */
	size_t owner;              /* so many characters are the node or element */
	int which;                 /* of coordinates[]; POSE: theta; -1: another one */
} place;

static place place_of(const char *path)
{
	const char *dot = strrchr(path, '.');
	const char *word = dot ? dot + 1 : path;
	place p = {path, "", dot ? (size_t)(dot - path) : 0, -1};
	for (int i = 0; i < POSE; i++)
		if (strcmp(word, coordinates[i]) == 0)
			p.which = i;
	if (strcmp(word, "theta") == 0)
		p.which = POSE;
	if (p.which < 0 && *word >= 'x' && *word <= 'z' && word[1] &&
	    word[1 + strspn(word + 1, "0123456789")] == '\0') {
		p.which = *word - 'x';
		p.suffix = word + 1;
	}
	p.which = dot ? p.which : -1;
	return p;
}

static int by_body(const void *a, const void *b)
{
	const place *p = a, *q = b;
	const size_t least = p->owner < q->owner ? p->owner : q->owner;
	const int owners = strncmp(p->path, q->path, least);
	if (owners != 0 || p->owner != q->owner)
		return owners != 0 ? owners : p->owner < q->owner ? -1 : 1;
	const int suffixes = strcmp(p->suffix, q->suffix);
	return suffixes != 0 ? suffixes : p->which - q->which;
}

static bool same_body(const place *p, const place *q)
{
	return p->owner == q->owner && strncmp(p->path, q->path, p->owner) == 0 &&
	       strcmp(p->suffix, q->suffix) == 0;
}

/* A body has x and y; it turns in space when it has z and all directors. False when memory ends. */
static bool add_body(scene *s, const place *p, size_t n)
{
	const place *at[POSE + 1] = {NULL};
	body *b = &s->body[s->n_body];
	int directors = 0;
	for (size_t i = 0; i < n; i++) {
		at[p[i].which] = &p[i];
		directors += p[i].which >= 3 && p[i].which < POSE;
	}
	if (!at[0] || !at[1])
		return true;
	*b = (body){.name = malloc(p->owner + strlen(p->suffix) + 1)};
	if (!b->name)
		return no_memory();
	memcpy(b->name, p->path, p->owner);
	strcpy(b->name + p->owner, p->suffix);
	const bool turns = directors == POSE - 3 && at[2];
	for (int i = 0; i < POSE; i++)
		b->coordinate[i] = at[i] && (i < 3 || turns) ? at[i]->path : NULL;
	b->theta = at[POSE] && !at[2] ? at[POSE]->path : NULL;
	s->n_body++;
	return true;
}

static bool find_bodies(scene *s, const bxt_system *system)
{
	const size_t all = bxt_system_count(system, BXT_PART_COORDINATE);
	place *p = calloc(all + 1, sizeof *p);
	size_t n = 0;
	bool good = p != NULL;
	for (size_t i = 0; i < all && good; i++) {
		bxt_part_info info = {.size = sizeof info};
		good = bxt_system_part(system, BXT_PART_COORDINATE, i, &info) == BXT_OK;
		if (good)
			p[n] = place_of(info.path);
		n += good && p[n].which >= 0;
	}
	s->body = good ? calloc(n + 1, sizeof *s->body) : NULL;
	good = s->body != NULL || no_memory();
	if (good)
		qsort(p, n, sizeof *p, by_body);
	for (size_t i = 0, next; i < n && good; i = next) {
		for (next = i + 1; next < n && same_body(&p[i], &p[next]);)
			next++;
		good = add_body(s, &p[i], next - i);
	}
	free(p);
	return good;
}

/* ---- Lines ---- */

/* Bodies are in the order of place_of(): owners first, then suffixes. */
static int by_name(const void *key, const void *element)
{
	return strcmp(key, ((const body *)element)->name);
}

/* The body of a node, "node(PATH)"; -1: none. */
static long body_of_node(const scene *s, const bxt_system *system, long node)
{
	bxt_part_info info = {.size = sizeof info};
	if (node < 0 || bxt_system_part(system, BXT_PART_NODE, (size_t)node, &info) != BXT_OK)
		return -1;
	char *name = malloc(strlen(info.path) + sizeof "node()");
	if (!name)
		return -1;
	sprintf(name, "node(%s)", info.path);
	const body *b = bsearch(name, s->body, s->n_body, sizeof *b, by_name);
	free(name);
	return b ? b - s->body : -1;
}

/* The parameters of an element that are points: those of port NAME, NAMEx, NAMEy, NAMEz; X, Y, Z on
 * the ground. */
typedef struct points {
	double at[MOST_ENDS][3], ground[3];
	bool given[MOST_ENDS], fixed;
} points;

static void read_point(const char *name, double value, const char *const *ports, size_t n,
		       points *p)
{
	for (size_t k = 0; k < n && k < MOST_ENDS; k++) {
		const size_t length = strlen(ports[k]);
		if (strncmp(name, ports[k], length) == 0 && name[length] >= 'x' &&
		    name[length] <= 'z' && !name[length + 1] && isfinite(value)) {
			p->at[k][name[length] - 'x'] = value;
			p->given[k] = true;
		}
	}
	if (name[0] >= 'X' && name[0] <= 'Z' && !name[1] && isfinite(value)) {
		p->ground[name[0] - 'X'] = value;
		p->fixed = true;
	}
}

/* of all elements: (elements) */
static points *read_points(const bxt_system *system)
{
	const size_t all = bxt_system_count(system, BXT_PART_PARAMETER);
	points *p = calloc(bxt_system_count(system, BXT_PART_ELEMENT) + 1, sizeof *p);
	for (size_t i = 0; i < all && p; i++) {
		const char *const *ports = NULL;
		bxt_part_info info = {.size = sizeof info};
		if (bxt_system_part(system, BXT_PART_PARAMETER, i, &info) != BXT_OK)
			break;
		const char *dot = strrchr(info.path, '.');
		if (info.parent < 0 || !dot)
			continue;
		const size_t element = (size_t)info.parent;
		const size_t n = bxt_system_element_ports(system, element, NULL, &ports);
		read_point(dot + 1, info.value, ports, n, &p[element]);
	}
	return p;
}

static void add_end(scene *s, line *l, long i, const double *point)
{
	if (l->n == MOST_ENDS)
		return;
	l->body[l->n] = i;
	memcpy(l->point[l->n++], point, sizeof l->point[0]);
	if (i < 0)
		return;
	body *b = &s->body[i];
	for (int k = 0; k < 3; k++) {
		b->box[2 * k] = fmin(b->box[2 * k], point[k]);
		b->box[2 * k + 1] = fmax(b->box[2 * k + 1], point[k]);
		b->fastened = b->fastened || point[k] != 0;
	}
}

/* One with a body at a port at least is a line; it ends on the ground where another port of that
 * sort is there. */
static void add_line(scene *s, const bxt_system *system, const char *name, const long *nodes,
		     size_t n, const points *p)
{
	line l = {.name = name};
	bool any = false;
	long bodies[MOST_ENDS];
	n = n < MOST_ENDS ? n : MOST_ENDS;
	for (size_t k = 0; k < n; k++) {
		bodies[k] = body_of_node(s, system, nodes[k]);
		any = any || bodies[k] >= 0;
	}
	if (!any)
		return;
	for (size_t k = 0; k < n; k++)
		if (bodies[k] >= 0 || (nodes[k] < 0 && (p->given[k] || n == 2)))
			add_end(s, &l, bodies[k], p->at[k]);
	if (p->fixed && n == 1)
		add_end(s, &l, -1, p->ground);
	s->line[s->n_line++] = l;
}

static bool find_lines(scene *s, const bxt_system *system)
{
	const size_t n = bxt_system_count(system, BXT_PART_ELEMENT);
	points *p = read_points(system);
	s->line = p ? calloc(n + 1, sizeof *s->line) : NULL;
	for (size_t i = 0; s->line && i < n; i++) {
		const long *nodes;
		bxt_part_info info = {.size = sizeof info};
		const size_t n_ports = bxt_system_element_ports(system, i, &nodes, NULL);
		if (n_ports && bxt_system_part(system, BXT_PART_ELEMENT, i, &info) == BXT_OK)
			add_line(s, system, info.path, nodes, n_ports, &p[i]);
	}
	free(p);
	return s->line || no_memory();
}

/* ---- The record ---- */

static bool find_record(scene *s)
{
	s->record = calloc(s->n_body * (POSE + 1) + 1, sizeof *s->record);
	for (size_t i = 0; s->record && i < s->n_body; i++) {
		const body *b = &s->body[i];
		for (int k = 0; k < POSE; k++)
			if (b->coordinate[k])
				s->record[s->n_record++] = b->coordinate[k];
		if (b->theta)
			s->record[s->n_record++] = b->theta;
	}
	return s->record || no_memory();
}

int scene_open(scene *s, const model *m, const bxt_run_def *def)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	char **names = NULL;
	const bxt_status status =
		d ? bxt_signal_names(m->system, def, d, &names, &s->own) : BXT_ERR_MEMORY;
	bxt_signal_names_free(names, s->own);
	const int result = report(status, d, m->file, true);
	if (result != EXIT_OK)
		return result;
	if (!find_bodies(s, m->system) || !find_lines(s, m->system) || !find_record(s))
		return EXIT_NUMERICS;
	if (s->n_body == 0) {
		print_message("%s: error: nothing to animate: no node or element has coordinates x "
			      "and y\n",
			      m->file);
		return EXIT_BAD_MODEL;
	}
	return EXIT_OK;
}

void scene_close(scene *s)
{
	for (size_t i = 0; i < s->n_body; i++)
		free(s->body[i].name);
	free(s->body);
	free(s->line);
	free(s->record);
	*s = (scene){0};
}
