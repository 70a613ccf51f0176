/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L /* access */

#include "model/component/curve_table.h"

#include "ground/base/local_file.h"
#include "ground/base/text.h"
#include "model/component/csv_columns.h"

#include <string.h>
#include <unistd.h>

const char *const bxt_curve_table_shapes[] = {"linear", "hold", "cubic", NULL};
const char *const bxt_curve_table_outsides[] = {"hold", "extend", "periodic", NULL};

static const bxt_curve_shape shapes[] = {BXT_CURVE_LINEAR, BXT_CURVE_HOLD, BXT_CURVE_CUBIC};
static const bxt_curve_beyond outsides[] = {BXT_BEYOND_HOLD, BXT_BEYOND_EXTEND,
					    BXT_BEYOND_PERIODIC};

enum { MOST_NAMED = 12 }; /* largest number of columns named in a message */

/* A jump is a pair of equal arguments: first the value before it, then the value from there on. */
enum order { NOT_ASKED, INCREASES, HAS_JUMPS, DOES_NOT };

/* A file, with its columns as far as they are known. */
struct source {
	bxt_csv csv;
	enum order *order;   /* (n_columns) */
	const double **kept; /* (n_columns) the numbers in the arena of the curves, or NULL */
	const char *why;     /* why it cannot be read; else NULL */
};

struct bxt_curve_tables {
	bxt_arena *arena, *scratch;
	bxt_units *units;
	bxt_diagnostics *d;
	struct source **sources;
	size_t n, capacity;
};

bxt_curve_tables *bxt_curve_tables_new(bxt_arena *arena, bxt_units *units, bxt_diagnostics *d)
{
	bxt_arena *scratch = bxt_arena_new();
	bxt_curve_tables *t = scratch ? BXT_NEW(scratch, bxt_curve_tables, 1) : NULL;
	if (!t) {
		bxt_arena_free(scratch);
		return NULL;
	}
	*t = (bxt_curve_tables){.arena = arena, .scratch = scratch, .units = units, .d = d};
	return t;
}

bxt_curve_tables *bxt_curve_tables_free(bxt_curve_tables *tables)
{
	if (!tables)
		return NULL;
	for (size_t i = 0; i < tables->n; i++)
		bxt_csv_release(&tables->sources[i]->csv);
	bxt_free(tables->sources);
	bxt_arena_free(tables->scratch); /* holds the tables themselves */
	return NULL;
}

/* ---- Files ---- */

/* The file, read when it is new. */
static bxt_status find_source(bxt_curve_tables *t, const char *path, struct source **out)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp((*out = t->sources[i])->csv.path, path) == 0)
			return BXT_OK;
	BXT_TRY(BXT_GROW(t->sources, t->capacity, t->n + 1));
	struct source *s = BXT_NEW(t->scratch, struct source, 1);
	if (!s)
		return BXT_ERR_MEMORY;
	*out = t->sources[t->n++] = s;
	const char *why;
	const bxt_status status = bxt_csv_read(t->scratch, t->units, path, t->d, &s->csv, &why);
	s->order = BXT_NEW(t->scratch, enum order, (size_t)s->csv.n_columns);
	s->kept = BXT_NEW(t->scratch, const double *, (size_t)s->csv.n_columns);
	if (status == BXT_ERR_MEMORY || !s->order || !s->kept)
		return BXT_ERR_MEMORY;
	s->why = status == BXT_OK ? NULL : why;
	return BXT_OK;
}

/* The file of the table; *out NULL after findings. */
static bxt_status open_source(bxt_curve_tables *t, const bxt_item *item, bxt_place place,
			      const char *file, struct source **out)
{
	const char *name = bxt_item_get(item, "file");
	const char *folder = bxt_local_file_folder(t->scratch, file);
	const char *path = folder && name ? bxt_local_file(t->scratch, folder, name) : NULL;
	*out = NULL;
	if (!folder || (name && !path))
		return BXT_ERR_MEMORY;
	if (!name || !*name) {
		bxt_error(t->d, place, "<table> needs the attribute file=\"…\"");
		return BXT_OK;
	}
	if (!bxt_local_file_is_plain(name)) {
		bxt_error(t->d, place,
			  "file=\"%s\": a table lies in the folder of the file that names it, or "
			  "below",
			  name);
		return BXT_OK;
	}
	struct source *s = NULL;
	const char *why = "it leads out of the folder of the file that names it";
	if (bxt_local_file_is_below(folder, path)) { /* else its content must not be revealed */
		BXT_TRY(find_source(t, path, &s));
		why = s->why;
	} else if (access(path, F_OK) != 0) {
		why = "there is no such file";
	}
	if (why)
		bxt_error(t->d, place, "the table '%s' cannot be read: %s", path, why);
	else if (!s->csv.bad) /* else its findings are reported */
		*out = s;
	return BXT_OK;
}

/* ---- Columns ---- */

/* Index of the column that the attribute names, else `otherwise`; -1 after a finding. */
static int find_column(bxt_curve_tables *t, const struct source *s, const bxt_item *item,
		       bxt_place place, const char *attribute, int otherwise)
{
	const char *name = bxt_item_get(item, attribute);
	bxt_nearest_search near = {.name = name};
	bxt_buffer all = {0};
	if (!name && otherwise >= 0)
		return otherwise;
	for (int i = 0; i < s->csv.n_columns; i++) {
		const char *candidate = s->csv.column[i].name;
		if (name && strcmp(candidate, name) == 0) {
			bxt_buffer_free(&all);
			return i;
		}
		if (name)
			bxt_nearest_offer(&near, candidate);
		if (i < MOST_NAMED)
			bxt_buffer_printf(&all, "%s'%.40s'", i ? ", " : "", candidate);
		else if (i == MOST_NAMED)
			bxt_buffer_printf(&all, ", ...");
	}
	if (name && near.best)
		bxt_error(t->d, place, "%s=\"%s\": %s has no such column%s", attribute, name,
			  s->csv.path, bxt_did_you_mean(t->scratch, near.best));
	else if (name)
		bxt_error(t->d, place, "%s=\"%s\": %s has no such column: there are %s", attribute,
			  name, s->csv.path, all.failed ? "others" : all.text);
	else
		bxt_error(t->d, place, "<table> needs %s=\"…\": the columns of %s are %s",
			  attribute, s->csv.path, all.failed ? "several" : all.text);
	bxt_buffer_free(&all);
	return -1;
}

/* Checks how the argument changes from row to row. Reports all rows with errors in one finding. */
static enum order find_order(bxt_curve_tables *t, struct source *s, int column)
{
	const double *x = s->csv.column[column].value;
	int findings = 0;
	bool jumps = false;
	if (s->order[column] != NOT_ASKED)
		return s->order[column];
	for (int i = 1; i < s->csv.n_rows; i++) {
		const bool same = x[i] == x[i - 1];
		const bool third = same && i > 1 && x[i - 1] == x[i - 2];
		jumps = jumps || same;
		if (x[i] > x[i - 1] || (same && !third) || findings++ >= BXT_CSV_MOST_FINDINGS)
			continue;
		const bxt_place place = {s->csv.path, s->csv.line[i]};
		if (third)
			bxt_error(
				t->d, place,
				"column '%s': %.10g stands in more than two rows: a jump has two, "
				"the value before it and the value from there on",
				s->csv.column[column].name, x[i]);
		else
			bxt_error(t->d, place,
				  "column '%s' has to increase: %.10g follows %.10g (line %d)",
				  s->csv.column[column].name, x[i], x[i - 1], s->csv.line[i - 1]);
	}
	if (findings > BXT_CSV_MOST_FINDINGS)
		bxt_error(t->d, (bxt_place){s->csv.path, s->csv.line[s->csv.n_rows - 1]},
			  "and %d findings more", findings - BXT_CSV_MOST_FINDINGS);
	s->order[column] = findings ? DOES_NOT : jumps ? HAS_JUMPS : INCREASES;
	return s->order[column];
}

/* A column's numbers in the arena of the curves; NULL when memory ends. */
static const double *keep_column(bxt_curve_tables *t, struct source *s, int column)
{
	const size_t n = (size_t)s->csv.n_rows;
	double *copy = s->kept[column] ? NULL : BXT_NEW(t->arena, double, n);
	if (copy) {
		memcpy(copy, s->csv.column[column].value, n * sizeof *copy);
		s->kept[column] = copy;
	}
	return s->kept[column];
}

/* ---- Tables ---- */

/* The index of an attribute's value in a list, 0 when absent; -1 after a finding. */
static int choice(bxt_curve_tables *t, const bxt_item *item, bxt_place place, const char *attribute,
		  const char *const *words)
{
	const char *text = bxt_item_get(item, attribute);
	size_t n = 0;
	for (; words[n]; n++)
		if (text && strcmp(text, words[n]) == 0)
			return (int)n;
	if (!text)
		return 0;
	bxt_error(t->d, place, "%s=\"%s\": it is %s, %s or %s%s", attribute, text, words[0],
		  words[1], words[2], bxt_did_you_mean(t->scratch, bxt_nearest(text, words, n)));
	return -1;
}

/* The columns of a curve's points, its interpolation and its extrapolation. */
struct choices {
	int argument, column;
	bxt_curve curve;
};

/* The first row of the curve, and the number of rows. At the ends of a periodic table the outer row
 * of a pair is omitted, since the other end has that value. */
struct rows {
	int first, n;
};

/* Reports properties that a table with jumps cannot have. `rows` are the remaining rows. */
static bool has_good_jumps(bxt_curve_tables *t, const struct source *s, bxt_place place,
			   const struct choices *of, struct rows *rows)
{
	const double *x = s->csv.column[of->argument].value, *y = s->csv.column[of->column].value;
	const char *argument = s->csv.column[of->argument].name;
	const int last = s->csv.n_rows - 1;
	const bool first_jumps = x[0] == x[1], last_jumps = x[last - 1] == x[last];
	if (of->curve.shape == BXT_CURVE_CUBIC) {
		int i = 1;
		while (x[i] != x[i - 1])
			i++;
		bxt_error(
			t->d, (bxt_place){s->csv.path, s->csv.line[i]},
			"column '%s': two rows with %.10g are a jump, and a cubic has none: write "
			"interpolation=\"linear\", or drop one of both rows",
			argument, x[i]);
		return false;
	}
	if (of->curve.beyond == BXT_BEYOND_EXTEND && of->curve.shape == BXT_CURVE_LINEAR &&
	    (first_jumps || last_jumps)) {
		bxt_error(t->d, (bxt_place){s->csv.path, s->csv.line[first_jumps ? 1 : last]},
			  "column '%s': the table has a jump at its end, %.10g, and so no tangent "
			  "there: write outside=\"hold\", or add a row beyond the jump",
			  argument, x[first_jumps ? 0 : last]);
		return false;
	}
	if (of->curve.beyond != BXT_BEYOND_PERIODIC)
		return true;
	if (x[0] == x[last]) {
		bxt_error(t->d, place, "the table '%s' has no period: all its rows have %s = %.10g",
			  s->csv.path, argument, x[0]);
		return false;
	}
	const double before = y[last_jumps ? last - 1 : last], after = y[first_jumps ? 1 : 0];
	if ((first_jumps && y[0] != before) || (last_jumps && y[last] != after)) {
		const int i = first_jumps && y[0] != before ? 0 : last;
		bxt_error(t->d, (bxt_place){s->csv.path, s->csv.line[i]},
			  "column '%s': the last row of a periodic table is the first one again, "
			  "which jumps from %.10g to %.10g: %.10g is a third value there; drop "
			  "this row",
			  s->csv.column[of->column].name, before, after, y[i]);
		return false;
	}
	*rows = (struct rows){first_jumps, last + 1 - first_jumps - last_jumps};
	return true;
}

static bxt_status make_curve(bxt_curve_tables *t, struct source *s, const bxt_item *item,
			     bxt_place place, const struct choices *of, const bxt_curve **out)
{
	const int n = s->csv.n_rows;
	struct rows rows = {0, n};
	const bool periodic = of->curve.beyond == BXT_BEYOND_PERIODIC;
	const double *y = s->csv.column[of->column].value;
	if (n < 2) {
		bxt_error(t->d, place, "the table '%s' has %s: two rows are needed at least",
			  s->csv.path, n ? "one row" : "no rows");
		return BXT_OK;
	}
	const enum order order = find_order(t, s, of->argument);
	if (order == DOES_NOT || (order == HAS_JUMPS && !has_good_jumps(t, s, place, of, &rows)))
		return BXT_OK;
	if (periodic && of->curve.shape == BXT_CURVE_CUBIC && y[0] != y[n - 1]) {
		bxt_error(t->d, (bxt_place){s->csv.path, s->csv.line[n - 1]},
			  "column '%s': the last row of a periodic cubic table is the first one "
			  "again, and %.10g is not %.10g",
			  s->csv.column[of->column].name, y[n - 1], y[0]);
		return BXT_OK;
	}
	const char *name = bxt_item_get(item, "name"); /* a missing name is already reported */
	bxt_curve *c = BXT_NEW(t->arena, bxt_curve, 1);
	double *slope = NULL;
	if (!c)
		return BXT_ERR_MEMORY;
	*c = of->curve;
	c->n = rows.n;
	c->name = bxt_arena_strdup(t->arena, name ? name : "");
	c->x = keep_column(t, s, of->argument);
	c->y = keep_column(t, s, of->column);
	if (of->curve.shape == BXT_CURVE_CUBIC &&
	    !(c->slope = slope = BXT_NEW(t->arena, double, (size_t)n)))
		return BXT_ERR_MEMORY;
	if (!c->name || !c->x || !c->y)
		return BXT_ERR_MEMORY;
	c->x += rows.first;
	c->y += rows.first;
	if (slope)
		bxt_curve_slopes(c->x, c->y, n, periodic, slope);
	*out = c;
	return BXT_OK;
}

/* *out NULL after findings. */
static bxt_status read_table(bxt_curve_tables *t, const bxt_item *item, bxt_place place,
			     const char *file, const bxt_curve **out)
{
	struct source *s;
	const int shape = choice(t, item, place, "interpolation", bxt_curve_table_shapes);
	const int outside = choice(t, item, place, "outside", bxt_curve_table_outsides);
	*out = NULL;
	BXT_TRY(open_source(t, item, place, file, &s));
	if (!s)
		return BXT_OK;
	const int argument = find_column(t, s, item, place, "argument", 0);
	const int other = s->csv.n_columns == 2 && argument >= 0 ? 1 - argument : -1;
	const int column = argument < 0 ? -1 : find_column(t, s, item, place, "column", other);
	if (argument < 0 || column < 0 || shape < 0 || outside < 0)
		return BXT_OK;
	const struct choices of = {
		argument, column, {.shape = shapes[shape], .beyond = outsides[outside]}};
	return make_curve(t, s, item, place, &of, out);
}

bxt_status bxt_curve_table_read(bxt_curve_tables *tables, const bxt_item *item, bxt_place place,
				const char *file, bool *bad, const bxt_curve **out)
{
	static const double origin = 0, one = 1;
	const char *name = bxt_item_get(item, "name");
	BXT_TRY(read_table(tables, item, place, file, out));
	if (*out)
		return BXT_OK;
	*bad = true;
	bxt_curve *c = BXT_NEW(tables->arena, bxt_curve, 1);
	if (!c || !(name = bxt_arena_strdup(tables->arena, name ? name : "")))
		return BXT_ERR_MEMORY;
	*c = (bxt_curve){.name = name, .x = &origin, .y = &one, .n = 1};
	*out = c;
	return BXT_OK;
}
