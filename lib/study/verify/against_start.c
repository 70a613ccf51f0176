/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares the starts of two models: positions and charges, and the flows of coordinates with
 * inertia, as the consistent start makes them from the written values. If one of the models has no
 * consistent start, the written values are compared.
 */
#include "motion/start/start.h"
#include "study/verify/against.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct start {
	double *q, *v; /* (n) on common coordinates */
	bool *moves;   /* (n) it has inertia: its flow is a part of the state */
};

/* The written values. (size) */
static void take_written(const bxt_system *s, double *q, double *v)
{
	memset(q, 0, (size_t)s->size * sizeof *q);
	memset(v, 0, (size_t)s->size * sizeof *v);
	for (size_t i = 0; i < s->net->n_initials; i++) {
		const bxt_initial *w = &s->net->initials[i];
		const int first = w->element >= 0 ? s->where.first_coord[w->element]
						  : s->where.node_coord[w->node];
		if (first >= 0 && !w->is_momentum)
			(w->is_flow ? v : q)[s->x_of_coord[first + w->coordinate]] = w->value;
	}
}

/*
 * Several coordinates may be one coordinate in the other model. A consistent start gives them the
 * same value. Of written values, some may be missing and thus 0: the largest is used.
 */
static void take_common(const bxt_against_side *t, const double *q, const double *v,
			struct start *out)
{
	const bxt_system *s = t->s;
	for (size_t c = 0; c < s->dirac.n; c++) {
		const int k = t->common[c], x = s->x_of_coord[c];
		if (k < 0)
			continue;
		out->q[k] = fabs(q[x]) > fabs(out->q[k]) ? q[x] : out->q[k];
		out->v[k] = fabs(v[x]) > fabs(out->v[k]) ? v[x] : out->v[k];
		out->moves[k] = out->moves[k] || !s->pinned[x];
	}
}

/* *found: there is a consistent start. `written`: uses the written values instead. */
static bxt_status find_start(bxt_against *g, int side, bool written, struct start *out, bool *found)
{
	const bxt_against_side *t = &g->side[side];
	const size_t size = (size_t)t->s->size + BXT_LANES;
	double *room = calloc(3 * size, sizeof *room);
	*out = (struct start){BXT_NEW(g->arena, double, (size_t)g->n),
			      BXT_NEW(g->arena, double, (size_t)g->n),
			      BXT_NEW(g->arena, bool, (size_t)g->n)};
	bxt_status status = room && out->q && out->v && out->moves ? BXT_OK : BXT_ERR_MEMORY;
	*found = false;
	if (status == BXT_OK && !written) {
		status = bxt_consistent_start(t->s, 0, room, room + size, room + 2 * size, NULL);
		*found = status == BXT_OK;
		status = status == BXT_ERR_MEMORY ? status : BXT_OK;
	}
	if (status == BXT_OK && !*found)
		take_written(t->s, room, room + size);
	if (status == BXT_OK)
		take_common(t, room, room + size, out);
	free(room);
	return status;
}

/* The unit of a common coordinate in A. */
static bxt_status find_units(const bxt_against *g, const char **unit)
{
	const bxt_against_side *a = &g->side[0];
	for (size_t c = 0; c < a->s->dirac.n; c++)
		if (a->common[c] >= 0)
			unit[a->common[c]] = bxt_dirac_coord_unit(a->s->net, &a->s->dirac.coord[c]);
	return BXT_OK;
}

/* The largest value of each unit, at its first coordinate; `size` (n). */
static bxt_status find_sizes(bxt_against *g, const char *const *unit, const struct start s[2],
			     bool flows, double *size)
{
	bxt_map first = {0};
	bxt_status status = BXT_OK;
	double *largest = BXT_NEW(g->arena, double, (size_t)g->n);
	int *of = BXT_NEW(g->arena, int, (size_t)g->n);
	if (!largest || !of)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < g->n && status == BXT_OK; i++) {
		const char *key = unit[i] ? unit[i] : "";
		if ((of[i] = bxt_map_get(&first, key)) < 0)
			status = bxt_map_put(&first, key, of[i] = i);
		for (int k = 0; k < 2; k++)
			largest[of[i]] = fmax(largest[of[i]], fabs(flows ? s[k].v[i] : s[k].q[i]));
	}
	for (int i = 0; i < g->n && status == BXT_OK; i++)
		size[i] = largest[of[i]];
	bxt_map_free(&first);
	return status;
}

/* The source location of a common coordinate in B. */
static bxt_place place_of(const bxt_against *g, int coordinate)
{
	const bxt_against_side *b = &g->side[1];
	for (size_t c = 0; c < b->s->dirac.n; c++)
		if (b->common[c] == coordinate)
			return bxt_system_x_place(b->s, b->s->x_of_coord[c]);
	return BXT_NOWHERE;
}

struct worst {
	double apart, a, b;
	int coordinate;
	bool flow;
};

static void compare_values(const bxt_against *g, const struct start s[2], bool flows,
			   const double *size, struct worst *worst)
{
	for (int i = 0; i < g->n; i++) {
		const double a = flows ? s[0].v[i] : s[0].q[i], b = flows ? s[1].v[i] : s[1].q[i];
		if (flows && !s[0].moves[i] && !s[1].moves[i])
			continue;
		const double apart = a == b ? 0 : fabs(a - b) / size[i];
		if (apart > worst->apart)
			*worst = (struct worst){apart, a, b, i, flows};
	}
}

bxt_status bxt_against_starts(bxt_against *g)
{
	struct start s[2];
	struct worst worst = {0};
	bool found[2];
	const char **unit = BXT_NEW(g->arena, const char *, (size_t)g->n);
	double *size = BXT_NEW(g->arena, double, (size_t)g->n);
	if (!unit || !size)
		return BXT_ERR_MEMORY;
	BXT_TRY(find_units(g, unit));
	for (int k = 0; k < 2; k++)
		BXT_TRY(find_start(g, k, false, &s[k], &found[k]));
	if (found[0] != found[1])
		for (int k = 0; k < 2; k++)
			BXT_TRY(find_start(g, k, true, &s[k], &found[k]));
	for (int flows = 0; flows < 2; flows++) {
		BXT_TRY(find_sizes(g, unit, s, flows, size));
		compare_values(g, s, flows, size, &worst);
	}
	if (worst.apart <= bxt_checks_tolerance(&g->checks, BXT_CHECK_SAME_START))
		bxt_checks_add(&g->checks, BXT_CHECK_SAME_START, worst.apart, BXT_NOWHERE,
			       "of %d coordinates%s", g->n, found[0] ? "" : ", as written");
	else
		bxt_checks_add(&g->checks, BXT_CHECK_SAME_START, worst.apart,
			       place_of(g, worst.coordinate),
			       "%s%s starts at %.12g in A, at %.12g in B%s",
			       worst.flow ? "the flow of " : "", g->name[worst.coordinate], worst.a,
			       worst.b, found[0] ? "" : ", as written");
	return BXT_OK;
}
