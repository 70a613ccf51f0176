/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads expressions of <signal> and <symmetry> in designators. */
#include "model/builder/path.h"

#include <stdlib.h>
#include <string.h>

/* The search for the nearest name is slow, so only the first errors of a netlist get it. */
enum { MAX_ERRORS_PER_TEXT = 4, MOST_WITH_NEAREST = 20 };

/* ---- Names ---- */

/* Is the quantity allowed where the name stands? */
static bool is_wanted(const bxt_path_reader *r, const bxt_designator *d)
{
	const bxt_network *net = r->b->net;
	if (r->target)
		return d->owner == BXT_OWNER_ELEMENT && d->word == BXT_WORD_FLOW &&
		       net->types[net->elements[d->element].type]
				       ->component->coordinates[d->index]
				       .role == BXT_SIGNAL_IN;
	if (d->owner == BXT_OWNER_CONNECTION &&
	    bxt_connection_equates(&net->connections[d->element]))
		return false;
	return r->changing || (d->word == BXT_WORD_COORDINATE && d->owner != BXT_OWNER_PORT);
}

struct offering {
	bxt_path_reader *r;
	void (*visit)(void *, const char *);
	void *visitor;
	bxt_buffer text;
};

static void offer_one(void *context, const bxt_designator *d)
{
	struct offering *o = context;
	bxt_arena *scratch = o->r->b->scratch;
	if (!is_wanted(o->r, d))
		return;
	bxt_buffer_clear(&o->text);
	bxt_designator_print(o->r->b->net, o->r->primitive, d, &o->text);
	const char *kept = o->text.failed ? NULL : bxt_arena_strdup(scratch, o->text.text);
	if (kept)
		o->visit(o->visitor, kept);
}

/* Visits all names allowed in this scope. */
static void offer_quantities(bxt_path_reader *r, void (*visit)(void *, const char *), void *visitor)
{
	struct offering o = {r, visit, visitor, {0}};
	if (bxt_diagnostics_count(r->b->d, BXT_ERROR) < r->b->errors_before + MOST_WITH_NEAREST)
		bxt_designators_visit(r->b->net, r->primitive, offer_one, &o);
	bxt_buffer_free(&o.text);
}

static void offer_nearest(void *search, const char *name)
{
	bxt_nearest_offer(search, name);
}

static void not_found(bxt_path_reader *r, const char *text)
{
	const char *plain = bxt_names_plain(&r->b->names);
	bxt_nearest_search near = {.name = plain ? plain : text};
	offer_quantities(r, offer_nearest, &near);
	const char *help = bxt_did_you_mean(r->b->scratch, near.best);
	if (r->target)
		BXT_PATH_FAIL(r, r->item->place, "<%s>: no signal input is called '%s'%s", r->what,
			      text, help);
	else
		BXT_PATH_FAIL(r, r->item->place, "<%s>: %s '%s' of an element or a node%s", r->what,
			      r->changing ? "nothing that can be read is called" : "no coordinate",
			      text, help);
}

int bxt_path_add(bxt_path_reader *r, const char *text, bxt_path_variable v)
{
	const char *key = bxt_arena_strdup(r->b->scratch, text);
	if (!key || BXT_GROW(r->at, r->c_at, r->n + 1) != BXT_OK ||
	    bxt_map_put(&r->variable_of, key, (int)r->n) != BXT_OK) {
		r->b->failed = true;
		return -1;
	}
	r->at[r->n] = v;
	return (int)r->n++;
}

int bxt_path_variable_of(bxt_path_reader *r, const char *text)
{
	const int known = bxt_map_get(&r->variable_of, text);
	const int found = known >= 0 ? known : bxt_path_quantity(r, text);
	if (found == BXT_QUANTITY_UNKNOWN)
		not_found(r, text);
	return found < 0 ? -1 : found;
}

/* ---- Expressions ---- */

static bool lookup(void *context, bxt_graph *g, const char *name, bxt_ex *out)
{
	bxt_path_reader *r = context;
	double value;
	const char *text = name;
	*out = bxt_ex_const(g, 0);
	if (strcmp(name, "t") == 0 && !r->changing) {
		BXT_PATH_FAIL(r, r->item->place, "<%s>: does not depend on the time t", r->what);
		return true;
	}
	if (strcmp(name, "t") == 0) {
		const int known = bxt_map_get(&r->variable_of, name);
		const int v = known >= 0 ? known
					 : bxt_path_add(r, name,
							(bxt_path_variable){.at = {-1, -1, -1},
									    .type = BXT_READ_TIME});
		if (v >= 0)
			*out = bxt_ex_var(g, v);
		return true;
	}
	if (strncmp(name, "node@", 5) == 0 && strspn(name + 5, "0123456789") == strlen(name + 5) &&
	    strtoul(name + 5, NULL, 10) < r->n_calls)
		text = r->calls[strtoul(name + 5, NULL, 10)];
	int v = bxt_map_get(&r->variable_of, text);
	const int input =
		r->own && strcmp(r->own, text) == 0 ? r->own_input : bxt_frame_input(r->b, text);
	if (input >= 0 && v < 0) {
		if (!r->changing)
			BXT_PATH_FAIL(r, r->item->place, "<%s>: does not depend on the input '%s'",
				      r->what, text);
		v = bxt_path_add(
			r, bxt_arena_strdup(r->b->scratch, text),
			(bxt_path_variable){.at = {-1, -1, input}, .type = BXT_READ_INPUT});
		if (v < 0)
			return true;
	}
	if (!strpbrk(text, ".(") && v < 0) {
		if (bxt_frame_find(r->b, text, &value) >= 0)
			return *out = bxt_ex_const(g, value), true;
		v = r->changing ? bxt_path_quantity(r, text) : BXT_QUANTITY_UNKNOWN;
		if (v == BXT_QUANTITY_UNKNOWN)
			return false;
	}
	if (v < 0 && v != BXT_QUANTITY_TOLD)
		v = bxt_path_variable_of(r, text);
	if (v >= 0)
		*out = bxt_ex_var(g, v);
	return true; /* errors are already reported */
}

static void offer_names(void *context, void (*visit)(void *, const char *), void *visitor)
{
	bxt_path_reader *r = context;
	visit(visitor, "pi");
	bxt_frame_offer(r->b, visit, visitor);
	offer_quantities(r, visit, visitor);
}

static const char *same_word(void *reader, const char *word)
{
	(void)reader;
	(void)word;
	return NULL;
}

/*
 * Replaces "node(a.b).x" by "node@0     ", a name for the parser of expressions of the same length,
 * so that columns in messages stay right. NULL when memory ends.
 */
static const char *without_call(void *reader, const char *call)
{
	bxt_path_reader *r = reader;
	if (BXT_GROW(r->calls, r->c_calls, r->n_calls + 1) != BXT_OK)
		return NULL;
	r->calls[r->n_calls] = call;
	const char *word = bxt_arena_printf(r->b->scratch, "node@%zu", r->n_calls++);
	return word ? bxt_arena_printf(r->b->scratch, "%-*s", (int)strlen(call), word) : NULL;
}

bool bxt_path_parse(bxt_path_reader *r, const char *text, bxt_ex *out)
{
	const bxt_scope scope = {lookup, offer_names, r, bxt_frame_curves(r->b)};
	bxt_expr_error errors[MAX_ERRORS_PER_TEXT];
	const char *plain =
		bxt_name_rename_expression(r->b->scratch, text, same_word, without_call, r);
	if (!plain)
		return r->b->failed = true, false;
	const int n = bxt_expr_parse(r->g, plain, &scope, out, errors, MAX_ERRORS_PER_TEXT);
	for (int i = 0; i < n && i < MAX_ERRORS_PER_TEXT; i++)
		BXT_PATH_FAIL(r, r->item->place, "<%s>: column %d of '%s': %s", r->what,
			      errors[i].column, text, errors[i].text);
	return n == 0;
}

/* ---- Beginning and end ---- */

bxt_status bxt_path_begin(bxt_path_reader *r, bxt_builder *b, int primitive, const char *what,
			  bool changing)
{
	*r = (bxt_path_reader){.b = b, .what = what, .primitive = primitive, .changing = changing};
	r->g = bxt_graph_new();
	return r->g ? BXT_OK : BXT_ERR_MEMORY;
}

void bxt_path_end(bxt_path_reader *r)
{
	bxt_graph_free(r->g);
	bxt_map_free(&r->variable_of);
	free(r->at);
	free(r->calls);
}
