/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads <omega>: a two-form of D_int over flows of exported ports, e_i = -sum_j Omega_ij f_j. */
#include "ground/base/tolerances.h"
#include "model/builder/port_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A matrix of expressions; rows end with ';', entries with ','. */
struct matrix {
	bxt_ex *entry; /* (n x n) by rows */
	int n;
};

/* The end of the text of an entry: a ',' or ';' outside of parentheses, or the end. */
static size_t entry_length(const char *text)
{
	size_t i = 0;
	for (int depth = 0; text[i] && (depth > 0 || (text[i] != ',' && text[i] != ';')); i++)
		depth += (text[i] == '(') - (text[i] == ')');
	return i;
}

static bool read_matrix(struct bxt_port_names *w, const char *text, struct matrix *m)
{
	bxt_builder *b = w->b;
	int row = 0, column = 0;
	bool good = true, square = true;
	for (;;) {
		const size_t length = entry_length(text);
		const char *entry = bxt_arena_strndup(b->scratch, text, length);
		bxt_ex f = 0;
		if (!entry)
			return !(b->failed = true);
		const bool last_empty = !text[length] && column == 0 &&
					strspn(entry, " \t\r\n") == length && row > 0;
		if (!last_empty) {
			good = bxt_port_names_parse(w, entry, &f) && good;
			if (row < m->n && column < m->n)
				m->entry[row * m->n + column] = f;
			column++;
		}
		if (text[length] != ',' && !last_empty) {
			square = square && column == m->n;
			row++;
			column = 0;
		}
		if (b->failed || !text[length])
			break;
		text += length + 1;
	}
	if (!b->failed && (row != m->n || !square)) {
		bxt_error(b->d, w->item->place,
			  "<omega>: a matrix of %d rows and columns is needed, one for each of the "
			  "flows; entries end with ',' and rows with ';'",
			  m->n);
		good = false;
	}
	return good && !b->failed;
}

/*
 * Is `sum` zero? If its expression is not 0, values at scattered points decide: a nonzero function
 * is nonzero at almost all of them.
 */
static bool vanishes(struct bxt_port_names *w, bxt_ex sum, bxt_ex one, bxt_ex other)
{
	enum { POINTS = 8 };
	double value, *at = BXT_NEW(w->b->scratch, double, 2 * w->n);
	if (!at)
		return w->b->failed = true;
	if (bxt_ex_is_const(w->g, sum, &value))
		return value == 0;
	for (int i = 0; i < POINTS; i++) {
		for (size_t k = 0; k < w->n; k++)
			at[2 * k] = sin((double)(7 * i + 1) * (1 + 0.37 * (double)k));
		const double size =
			fabs(bxt_ex_value(w->g, one, at)) + fabs(bxt_ex_value(w->g, other, at));
		if (fabs(bxt_ex_value(w->g, sum, at)) > BXT_SAME_EXPRESSION * size)
			return false;
	}
	return true;
}

/* Reports entries that are not skew: they would create power. */
static bool check_skew(struct bxt_port_names *w, const struct matrix *m)
{
	bool skew = true;
	for (int i = 0; i < m->n; i++)
		for (int j = i; j < m->n; j++) {
			const bxt_ex a = m->entry[i * m->n + j], z = m->entry[j * m->n + i];
			if (vanishes(w, bxt_ex_add(w->g, a, z), a, z))
				continue;
			skew = false;
			char *one = bxt_ex_text(w->g, a, bxt_port_names_said, w),
			     *other = bxt_ex_text(w->g, z, bxt_port_names_said, w);
			if (i == j)
				bxt_error(w->b->d, w->item->place,
					  "<omega>: entry (%d,%d) is %s: on the diagonal of a skew "
					  "matrix is 0",
					  i + 1, i + 1, one ? one : "?");
			else
				bxt_error(
					w->b->d, w->item->place,
					"<omega>: entry (%d,%d) is %s and (%d,%d) is %s: not "
					"opposite, so that the interconnection would create power",
					i + 1, j + 1, one ? one : "?", j + 1, i + 1,
					other ? other : "?");
			free(one);
			free(other);
		}
	return skew;
}

/* Efforts e_i = -sum Omega_ij f_j: each pair above the diagonal is a gyrator. */
static bxt_status join_by(struct bxt_port_names *w, const struct matrix *m, const int *quantity,
			  int connection)
{
	bxt_builder *b = w->b;
	const size_t n = (size_t)m->n;
	bxt_turn *turn = BXT_NEW(b->arena, bxt_turn, n * n);
	bxt_interaction what = {
		.name = "omega", .port = w->port, .n_port = (int)w->n_port, .turn = turn};
	if (!turn)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < m->n; i++)
		for (int j = i + 1; j < m->n; j++) {
			const bxt_ex f = m->entry[i * m->n + j];
			double value;
			if (bxt_ex_is_const(w->g, f, &value) && value == 0)
				continue;
			turn[what.n_turn++] = (bxt_turn){
				bxt_arena_strdup(b->arena,
						 bxt_port_names_local(w, 2 * quantity[i])),
				bxt_arena_strdup(b->arena,
						 bxt_port_names_local(w, 2 * quantity[j])),
				bxt_port_names_text(w, f)};
		}
	if (b->failed)
		return BXT_ERR_MEMORY;
	if (what.n_turn == 0)
		bxt_error(b->d, w->item->place, "<omega>: all entries are 0: nothing is joined");
	return what.n_turn == 0 ? BXT_OK : bxt_build_interaction(b, &what, connection);
}

static bxt_status read_omega(struct bxt_port_names *w, const char *flows, const char *text,
			     int connection)
{
	bxt_builder *b = w->b;
	char *list = bxt_arena_strdup(b->scratch, flows), *save = NULL;
	int *quantity = BXT_NEW(b->scratch, int, strlen(flows) + 1);
	struct matrix m = {0};
	bool good = true;
	if (!list || !quantity)
		return BXT_ERR_MEMORY;
	for (char *word = strtok_r(list, " \t\r\n,", &save); word && !b->failed;
	     word = strtok_r(NULL, " \t\r\n,", &save)) {
		const int v = strchr(word, '.') ? bxt_port_names_find(w, word) : -1;
		if (!strchr(word, '.') || (v >= 0 && v % 2 == 0))
			bxt_error(b->d, w->item->place,
				  "<omega>: '%s' is no flow of a port (as in a.s.i)", word);
		quantity[m.n] = v / 2;
		good = good && v >= 0 && v % 2 == 1;
		for (int i = 0; i < m.n && good; i++)
			if (quantity[i] == quantity[m.n]) {
				bxt_error(b->d, w->item->place, "<omega>: flow '%s' stands twice",
					  word);
				good = false;
			}
		m.n++;
	}
	m.entry = BXT_NEW(b->scratch, bxt_ex, (size_t)m.n * (size_t)m.n);
	if (!m.entry || b->failed)
		return BXT_ERR_MEMORY;
	w->no_flows = true;
	good = read_matrix(w, text, &m) && good;
	if (!good || !check_skew(w, &m))
		return b->failed ? BXT_ERR_MEMORY : BXT_OK;
	return join_by(w, &m, quantity, connection);
}

/* <omega id flows="a.s.i b.s.i">0, k; -k, 0</omega>: the two-form of D_int on those flows. */
bxt_status bxt_build_omega(bxt_builder *b, const bxt_item *item, int primitive)
{
	struct bxt_port_names w;
	int connection;
	const char *text = bxt_item_content(b->scratch, item), *flows = bxt_item_get(item, "flows");
	bxt_build_attributes(b, item);
	BXT_TRY(bxt_build_joint(b, item, primitive, &connection));
	if (!text)
		return BXT_ERR_MEMORY;
	if (!flows) {
		bxt_error(b->d, item->place,
			  "<omega> needs flows=\"SUBSYSTEM.PORT.FLOW ...\", one for each row");
		return BXT_OK;
	}
	if (!bxt_port_names_begin(&w, b, item, primitive))
		return BXT_ERR_MEMORY;
	const bxt_status status = read_omega(&w, flows, text, connection);
	bxt_port_names_end(&w);
	return status;
}
