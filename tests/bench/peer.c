/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/peer.h"

#include <stdlib.h>
#include <string.h>

static bool grow(int **list, size_t room)
{
	int *more = realloc(*list, room * sizeof **list);
	if (more)
		*list = more;
	return more != NULL;
}

void peer_put_new(peer_entries *e, int row, int col)
{
	if (e->n == e->room) {
		const size_t room = e->room ? 2 * e->room : 64;
		if (!grow(&e->row, room) || !grow(&e->col, room)) {
			e->failed = true;
			return;
		}
		e->room = room;
	}
	e->row[e->n] = row;
	e->col[e->n++] = col;
}

/* Sorted by columns, then rows: twice by counting. */
static bool sort_entries(int n, int count, const int *row, const int *col, int *order)
{
	int *first = calloc((size_t)n + 1, sizeof *first),
	    *by_row = malloc(((size_t)count + 1) * sizeof *by_row);
	const bool good = first && by_row;
	for (int turn = 0; turn < 2 && good; turn++) {
		const int *key = turn ? col : row;
		int *to = turn ? order : by_row;
		memset(first, 0, ((size_t)n + 1) * sizeof *first);
		for (int k = 0; k < count; k++)
			first[key[k] + 1]++;
		for (int i = 0; i < n; i++)
			first[i + 1] += first[i];
		for (int i = 0; i < count; i++) {
			const int k = turn ? by_row[i] : i;
			to[first[key[k]]++] = k;
		}
	}
	free(first);
	free(by_row);
	return good;
}

/* Numbers the places of the sorted entries, equal ones once. */
static void number(peer_pattern *out, const int *row, const int *col, const int *order, int count,
		   int *at)
{
	int places = 0;
	memset(out->start, 0, ((size_t)out->n + 1) * sizeof *out->start);
	for (int i = 0; i < count; i++) {
		const int k = order[i], before = i > 0 ? order[i - 1] : k;
		if (i == 0 || row[k] != row[before] || col[k] != col[before]) {
			out->row[places++] = row[k];
			out->start[col[k] + 1]++;
		}
		at[k] = places - 1;
	}
	for (int j = 0; j < out->n; j++)
		out->start[j + 1] += out->start[j];
}

bool peer_pattern_make(int n, peer_entries *const *sets, int n_sets, peer_pattern *out)
{
	size_t count = 0;
	bool good = true;
	for (int s = 0; s < n_sets; s++) {
		count += sets[s]->n;
		good = good && !sets[s]->failed;
	}
	int *row = malloc((count + 1) * sizeof *row), *col = malloc((count + 1) * sizeof *col),
	    *order = malloc((count + 1) * sizeof *order), *at = malloc((count + 1) * sizeof *at);
	*out = (peer_pattern){.n = n,
			      .start = malloc(((size_t)n + 1) * sizeof *out->start),
			      .row = malloc((count + 1) * sizeof *out->row)};
	good = good && row && col && order && at && out->start && out->row;
	size_t k = 0;
	for (int s = 0; s < n_sets && good; k += sets[s]->n, s++) {
		memcpy(row + k, sets[s]->row, sets[s]->n * sizeof *row);
		memcpy(col + k, sets[s]->col, sets[s]->n * sizeof *col);
	}
	good = good && sort_entries(n, (int)count, row, col, order);
	if (good)
		number(out, row, col, order, (int)count, at);
	k = 0;
	for (int s = 0; s < n_sets && good; k += sets[s]->n, s++) {
		sets[s]->at = malloc((sets[s]->n + 1) * sizeof *at);
		good = sets[s]->at != NULL;
		if (good)
			memcpy(sets[s]->at, at + k, sets[s]->n * sizeof *at);
	}
	free(row);
	free(col);
	free(order);
	free(at);
	return good;
}

void peer_pattern_free(peer_pattern *a)
{
	free(a->start);
	free(a->row);
	*a = (peer_pattern){0};
}

void peer_entries_free(peer_entries *e)
{
	free(e->row);
	free(e->col);
	free(e->at);
	*e = (peer_entries){0};
}

void peer_entries_begin(peer_entries *e, const peer_pattern *a, double *values)
{
	memset(values, 0, (size_t)a->start[a->n] * sizeof *values);
	e->values = values;
	e->n = 0;
}
