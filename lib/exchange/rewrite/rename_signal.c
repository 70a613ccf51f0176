/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rewrites a <signal> for a network in which the quantities that it reads have other names. A
 * quantity without a counterpart is an error: leaving it out would change the model.
 */
#include "exchange/rewrite/rename.h"
#include "model/builder/builder.h"
#include "model/netlist/edit.h"

#include <string.h>

struct renamer {
	const bxt_signal_renaming *n;
	bxt_place place;
	bool bad, failed;
};

/* "" after a finding. */
static const char *gone(struct renamer *r, const char *written, const char *why)
{
	bxt_error(r->n->d, r->place, "<signal>: '%s' cannot be read any more: %s", written, why);
	r->bad = true;
	return "";
}

static const char *kept(struct renamer *r, const char *text)
{
	r->failed = r->failed || !text;
	return text ? text : "";
}

/* The sum of the energies of the elements of a dissolved subsystem. */
static const char *energy_of(struct renamer *r, int primitive)
{
	const bxt_renaming *names = r->n->names;
	const size_t n = bxt_element_count(names->net);
	bxt_buffer sum = {0};
	for (size_t i = 0; i < n; i++)
		if (bxt_names_is_inside(names->net, names->net->elements[i].primitive, primitive))
			bxt_buffer_printf(&sum, "%senergy(%s)", sum.length ? " + " : "(",
					  names->element[i]);
	bxt_buffer_printf(&sum, sum.length ? ")" : "0");
	const char *text = sum.failed ? NULL : bxt_arena_strdup(r->n->arena, sum.text);
	bxt_buffer_free(&sum);
	return kept(r, text);
}

/* One name. The network's builder has already refused names that cannot be read. */
static const char *rename_one(void *context, const char *written)
{
	struct renamer *r = context;
	const bxt_renaming *names = r->n->names;
	bxt_designator d;
	const char *why;
	names->finder->recorded = false;
	if (bxt_names_find(names->finder, r->n->primitive, written, &d) != BXT_NAME_GOOD)
		return gone(r, written, "there is nothing of that name");
	if (d.owner == BXT_OWNER_SUBSYSTEM && d.element > 0)
		return energy_of(r, d.element);
	const char *text = bxt_rename_found(names, &d, r->n->arena, &why);
	if (why && d.owner == BXT_OWNER_NODE && !names->node[d.element])
		return "0"; /* the reference */
	return why ? gone(r, written, why) : kept(r, text);
}

/* The new name of a path, a signal's id or a parameter; NULL: it stays. */
static const char *rename_word(void *context, const char *word)
{
	struct renamer *r = context;
	const bxt_signal_renaming *n = r->n;
	bxt_designator d;
	if (strchr(word, '.'))
		return rename_one(r, word);
	const char *parameter = n->parameter ? n->parameter(n->context, word) : NULL;
	if (parameter || (n->is_parameter && n->is_parameter(n->context, word)))
		return parameter;
	n->names->finder->recorded = false;
	return bxt_names_find(n->names->finder, n->primitive, word, &d) == BXT_NAME_GOOD
		       ? rename_one(r, word)
		       : NULL;
}

bxt_status bxt_rename_signal(const bxt_signal_renaming *names, struct bxt_netlist *out,
			     bxt_item *signal)
{
	struct renamer r = {.n = names, .place = signal->place};
	const char *to = bxt_item_get(signal, "to"), *id = bxt_item_get(signal, "id");
	const int own = id ? bxt_find_signal(names->names->net, names->primitive, id) : -1;
	if (to)
		BXT_TRY(bxt_item_set(out, signal, "to", rename_one(&r, to)));
	if (own >= 0 && names->names->signal)
		BXT_TRY(bxt_item_set(out, signal, "id", names->names->signal[own]));
	for (bxt_item *i = signal->first; i; i = i->next) {
		if (i->type != BXT_ITEM_TEXT)
			continue;
		const char *text = bxt_name_rename_expression(names->arena, i->text, rename_word,
							      rename_one, &r);
		if (!text || r.failed || !(i->text = bxt_arena_strdup(out->arena, text)))
			return BXT_ERR_MEMORY;
	}
	r.failed = r.failed || names->names->finder->failed;
	return r.failed ? BXT_ERR_MEMORY : r.bad ? BXT_ERR_MODEL : BXT_OK;
}
