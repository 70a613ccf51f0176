/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a <manifold>: coordinates on a manifold, and the rows phi = 0 of its embedding. */
#include "model/component/manifold.h"

#include "ground/base/text.h"

#include <string.h>

struct reader {
	bxt_arena *arena;
	bxt_diagnostics *d;
	const bxt_component *c;
	const bxt_manifold *m; /* the current one */
	bool bad;
};

#define FAIL(r, ...)                                                                               \
	do {                                                                                       \
		(r)->bad = true;                                                                   \
		bxt_error((r)->d, (r)->m->place, __VA_ARGS__);                                     \
	} while (0)

static const char blank[] = " \t\r\n";

static int count_words(const char *text)
{
	int n = 0;
	for (const char *s = text + strspn(text, blank); *s; s += strspn(s, blank), n++)
		s += strcspn(s, blank);
	return n;
}

static const bxt_manifold_kind *find_kind(struct reader *r, const char *name)
{
	bxt_nearest_search search = {.name = name};
	bxt_buffer all = {0};
	for (const bxt_manifold_kind *k = bxt_manifold_kinds; k->name; k++) {
		if (strcmp(k->name, name) == 0)
			return bxt_buffer_free(&all), k;
		bxt_nearest_offer(&search, k->name);
		bxt_buffer_printf(&all, "%s%s", all.length ? ", " : "", k->name);
	}
	FAIL(r, "<manifold>: kind '%s' is not one of %s%s", name, all.text ? all.text : "",
	     bxt_did_you_mean(r->arena, search.best));
	bxt_buffer_free(&all);
	return NULL;
}

static const bxt_retraction *find_retraction(struct reader *r, const char *name)
{
	bxt_nearest_search search = {.name = name};
	bxt_buffer all = {0};
	const bxt_retraction *list = r->m->kind->retractions;
	if (!name)
		return list;
	for (const bxt_retraction *k = list; k->name; k++) {
		if (strcmp(k->name, name) == 0)
			return bxt_buffer_free(&all), k;
		bxt_nearest_offer(&search, k->name);
		bxt_buffer_printf(&all, "%s%s", all.length ? ", " : "", k->name);
	}
	FAIL(r, "<manifold>: a %s has no retraction '%s', only %s%s", r->m->kind->name, name,
	     all.text ? all.text : "", bxt_did_you_mean(r->arena, search.best));
	bxt_buffer_free(&all);
	return NULL;
}

/* An own coordinate without unit and on no other manifold; -1 after a finding. */
static int find_coordinate(struct reader *r, const char *name, int n_before)
{
	bxt_nearest_search search = {.name = name};
	const bxt_component *c = r->c;
	int a = 0;
	for (; a < c->n_coordinates && strcmp(c->coordinates[a].name, name) != 0; a++)
		bxt_nearest_offer(&search, c->coordinates[a].name);
	if (a == c->n_coordinates) {
		FAIL(r, "<manifold>: there is no coordinate '%s'%s", name,
		     bxt_did_you_mean(r->arena, search.best));
		return -1;
	}
	for (int i = 0; i < n_before; i++)
		if (r->m->coordinate[i] == a) {
			FAIL(r, "<manifold> lists the coordinate '%s' twice", name);
			return -1;
		}
	for (const bxt_manifold *m = c->geometry.manifolds; m < r->m; m++)
		for (int i = 0; i < m->n; i++)
			if (m->coordinate[i] == a) {
				FAIL(r, "the coordinate '%s' is already on the manifold of line %d",
				     name, m->place.line);
				return -1;
			}
	const char *unit = c->coordinates[a].unit;
	if (*unit && strcmp(unit, "1") != 0)
		FAIL(r, "<manifold>: the coordinate '%s' has the unit '%s'; on a %s it is a number",
		     name, unit, r->m->kind->name);
	return a;
}

static bxt_status read_coordinates(struct reader *r, bxt_manifold *m, const char *text)
{
	const int most = count_words(text);
	m->coordinate = BXT_NEW(r->arena, int, (size_t)most);
	if (!m->coordinate)
		return BXT_ERR_MEMORY;
	for (const char *s = text + strspn(text, blank); *s; s += strspn(s, blank)) {
		const size_t length = strcspn(s, blank);
		const char *name = bxt_arena_strndup(r->arena, s, length);
		if (!name)
			return BXT_ERR_MEMORY;
		s += length;
		const int a = find_coordinate(r, name, m->n);
		if (a >= 0)
			m->coordinate[m->n++] = a;
	}
	if (!r->bad && (m->n < m->kind->least || m->n > m->kind->most))
		FAIL(r, "<manifold>: %s; %d coordinate%s given", m->kind->doc, m->n,
		     m->n == 1 ? " is" : "s are");
	return BXT_OK;
}

static bxt_status look_up(bxt_arena *arena, const bxt_component *c, bxt_manifold *m,
			  bxt_diagnostics *d, bool *bad)
{
	struct reader r = {arena, d, c, m, false};
	bxt_status status = BXT_OK;
	m->kind = *m->kind_name ? find_kind(&r, m->kind_name) : NULL;
	if (m->kind) {
		m->retraction = find_retraction(&r, m->retraction_name);
		if (*m->coordinate_names) /* otherwise already reported */
			status = read_coordinates(&r, m, m->coordinate_names);
	}
	*bad = *bad || r.bad;
	return status;
}

/* The position constraints of its embedding. */
static bxt_status append_rows(bxt_arena *arena, bxt_component *c, const bxt_manifold *m)
{
	const int rows = m->kind->rows(m->n);
	const char **names = BXT_NEW(arena, const char *, (size_t)m->n);
	if (!names)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < m->n; i++)
		names[i] = c->coordinates[m->coordinate[i]].name;
	for (int row = 0; row < rows; row++) {
		bxt_constraint *to = &c->constraints[c->n_constraints++];
		*to = (bxt_constraint){
			.name = rows == 1 ? m->name
					  : bxt_arena_printf(arena, "%s%d", m->name, row + 1),
			.position = true,
			.expression = {m->kind->row(arena, row, m->n, names), m->place}};
		if (!to->name || !to->expression.text)
			return BXT_ERR_MEMORY;
	}
	return BXT_OK;
}

bxt_status bxt_component_read_manifolds(bxt_arena *arena, bxt_component *c, bxt_diagnostics *d,
					bool *bad)
{
	int rows = 0;
	for (int i = 0; i < c->geometry.n_manifolds; i++) {
		BXT_TRY(look_up(arena, c, &c->geometry.manifolds[i], d, bad));
		rows += c->geometry.manifolds[i].kind
				? c->geometry.manifolds[i].kind->rows(c->geometry.manifolds[i].n)
				: 0;
	}
	if (rows == 0 || *bad)
		return BXT_OK;
	bxt_constraint *all = BXT_NEW(arena, bxt_constraint, (size_t)(c->n_constraints + rows));
	if (!all)
		return BXT_ERR_MEMORY;
	memcpy(all, c->constraints, (size_t)c->n_constraints * sizeof *all);
	c->constraints = all;
	for (int i = 0; i < c->geometry.n_manifolds; i++)
		BXT_TRY(append_rows(arena, c, &c->geometry.manifolds[i]));
	return BXT_OK;
}
