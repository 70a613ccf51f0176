/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/compare/match.h"

#include <string.h>

int *bxt_filled(bxt_arena *arena, size_t n, int value)
{
	int *a = BXT_NEW(arena, int, n);
	for (size_t i = 0; a && i < n; i++)
		a[i] = value;
	return a;
}

static bool is_free(const bxt_match_side *names, size_t i)
{
	return names->partner[i] < 0 && names->name[i] && *names->name[i];
}

/* The first number of each name without a partner. */
static bxt_status index_names(const bxt_match_side *names, bxt_map *out)
{
	for (size_t i = 0; i < names->n; i++)
		if (is_free(names, i) && bxt_map_get(out, names->name[i]) < 0)
			BXT_TRY(bxt_map_put(out, names->name[i], (int)i));
	return BXT_OK;
}

static void pair_parts(const bxt_match_side *a, size_t i, const bxt_match_side *b, int j)
{
	a->partner[i] = j;
	b->partner[j] = (int)i;
}

bxt_status bxt_match_equal(const bxt_match_side *a, const bxt_match_side *b)
{
	bxt_map there = {0};
	const bxt_status status = index_names(b, &there);
	for (size_t i = 0; i < a->n && status == BXT_OK; i++) {
		const int j = is_free(a, i) ? bxt_map_get(&there, a->name[i]) : -1;
		if (j >= 0 && b->partner[j] < 0)
			pair_parts(a, i, b, j);
	}
	bxt_map_free(&there);
	return status;
}

/* ---- Suffixes ---- */

/* Two lists of names, and which names match. */
struct suffixes {
	bxt_arena *arena;
	const bxt_match_side *names[2];
	bool signals;
	int *fits[2], *how_many[2]; /* the last name that matches, and the number of matches */
	bxt_map whole[2];           /* the names without a partner */
};

/* The name without the words of its path before `path`; NULL when out of memory. */
static const char *shortened(struct suffixes *s, const char *name, size_t head, const char *path)
{
	return head ? bxt_arena_printf(s->arena, "%.*s%s", (int)head, name, path) : path;
}

/* Counts the names of the other list that are a proper end of name i of list `side`. */
static bxt_status count_ends(struct suffixes *s, int side, size_t i)
{
	const char *name = s->names[side]->name[i];
	const char *open = s->signals ? strchr(name, '(') : NULL;
	const size_t head = open ? (size_t)(open + 1 - name) : 0;
	const char *close = open ? strchr(open, ')') : NULL;
	for (const char *dot = strchr(name + head, '.'); dot && (!close || dot < close);
	     dot = strchr(dot + 1, '.')) {
		if (s->signals && !open && !strchr(dot + 1, '.'))
			break; /* "q" alone identifies no owner */
		const char *end = shortened(s, name, head, dot + 1);
		if (!end)
			return BXT_ERR_MEMORY;
		const int other = bxt_map_get(&s->whole[1 - side], end);
		if (other < 0)
			continue;
		s->fits[side][i] = other;
		s->how_many[side][i]++;
		s->fits[1 - side][other] = (int)i;
		s->how_many[1 - side][other]++;
	}
	return BXT_OK;
}

static bxt_status count_all(struct suffixes *s)
{
	for (int side = 0; side < 2; side++) {
		const bxt_match_side *names = s->names[side];
		s->fits[side] = bxt_filled(s->arena, names->n, -1);
		s->how_many[side] = bxt_filled(s->arena, names->n, 0);
		if (!s->fits[side] || !s->how_many[side])
			return BXT_ERR_MEMORY;
		BXT_TRY(index_names(names, &s->whole[side]));
	}
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < s->names[side]->n; i++)
			if (is_free(s->names[side], i))
				BXT_TRY(count_ends(s, side, i));
	return BXT_OK;
}

bxt_status bxt_match_suffixes(bxt_arena *arena, const bxt_match_side *a, const bxt_match_side *b,
			      bool signals)
{
	struct suffixes s = {.arena = arena, .names = {a, b}, .signals = signals};
	const bxt_status status = count_all(&s);
	for (size_t i = 0; i < a->n && status == BXT_OK; i++) {
		const int j = s.fits[0][i];
		if (s.how_many[0][i] == 1 && s.how_many[1][j] == 1)
			pair_parts(a, i, b, j);
	}
	bxt_map_free(&s.whole[0]);
	bxt_map_free(&s.whole[1]);
	return status;
}
