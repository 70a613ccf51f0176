/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads <fix node="a"/> and <fix of="E.q, node(a).x"/>: coordinates that the consistent start may
 * not move, named from the scope of the <fix>.
 */
#include "model/builder/builder.h"

#include <string.h>

/* The state while one <fix> is read. */
struct fix {
	bxt_builder *b;
	bxt_place place;
	int primitive; /* that contains it */
};

static bxt_status add_fix(struct fix *f, const bxt_designator *d, int coordinate)
{
	bxt_network *net = f->b->net;
	const bool node = d->owner == BXT_OWNER_NODE;
	BXT_TRY(BXT_GROW(net->fixes, f->b->room.fixes, net->n_fixes + 1));
	net->fixes[net->n_fixes++] =
		(bxt_fix){node ? -1 : d->element, node ? d->element : -1, coordinate,
			  d->word == BXT_WORD_COORDINATE, f->place};
	return BXT_OK;
}

/* The number of coordinates of an element or of a node of a shared kind. */
static int count_coordinates(const bxt_network *net, const bxt_designator *d)
{
	if (d->owner == BXT_OWNER_ELEMENT)
		return net->types[net->elements[d->element].type]->component->n_coordinates;
	if (d->owner != BXT_OWNER_NODE || net->nodes[d->element].kind->type != BXT_PORT_SHARED)
		return 0;
	return net->nodes[d->element].kind->n;
}

/* Reports a designator that is no coordinate. */
static void refuse(struct fix *f, const char *item, const bxt_designator *d)
{
	const bxt_network *net = f->b->net;
	const bxt_net_node *node = d->owner == BXT_OWNER_NODE ? &net->nodes[d->element] : NULL;
	if (node && node->kind->type == BXT_PORT_BALANCE)
		bxt_error(f->b->d, f->place,
			  "<fix>: node '%s' is %s: it has no coordinates, its elements have",
			  node->name, node->kind->name);
	else if (d->word == BXT_WORD_FLOW && (node || d->owner == BXT_OWNER_ELEMENT))
		bxt_error(f->b->d, f->place, "<fix>: '%s' is a flow; what can be fixed is '%s'",
			  item,
			  node ? node->kind->coordinate[d->index]
			       : net->types[net->elements[d->element].type]
					  ->component->coordinates[d->index]
					  .name);
	else
		bxt_error(f->b->d, f->place, "<fix>: '%s' is no coordinate of an element or a node",
			  item);
}

/* Reports the fault of a name. */
static void explain(struct fix *f, const char *item)
{
	bxt_names *names = &f->b->names;
	const char *last = names->n_words ? names->word[names->n_words - 1] : "";
	if (names->name.call == BXT_CALL_NODE && bxt_is_reference(NULL, last)) {
		bxt_error(f->b->d, f->place, "<fix>: '%s' never moves by itself", last);
		return;
	}
	if (names->fault == BXT_NAME_NO_OWNER && !strpbrk(item, ".("))
		bxt_error(f->b->d, f->place,
			  "<fix>: what of '%s'? Write ELEMENT.COORDINATE or node(NODE).COORDINATE",
			  item);
	else
		bxt_error(f->b->d, f->place, "<fix>: %s", bxt_names_why(names, "coordinate", true));
}

static bxt_status fix_coordinate(struct fix *f, const char *item)
{
	bxt_builder *b = f->b;
	bxt_designator d;
	const bxt_name_fault fault = bxt_names_find(&b->names, f->primitive, item, &d);
	if (b->names.failed)
		return BXT_ERR_MEMORY;
	if (fault == BXT_NAME_BROKEN)
		return BXT_OK; /* its errors are already reported */
	if (fault != BXT_NAME_GOOD)
		explain(f, item);
	const int n = fault == BXT_NAME_GOOD ? count_coordinates(b->net, &d) : 0;
	const bool has_some = n > 0 && (d.word == BXT_WORD_ALL || d.word == BXT_WORD_COORDINATE);
	if (fault == BXT_NAME_GOOD && !has_some)
		refuse(f, item, &d);
	if (has_some && d.word == BXT_WORD_COORDINATE)
		return add_fix(f, &d, d.index);
	for (int i = 0; has_some && i < n; i++)
		BXT_TRY(add_fix(f, &d, i));
	return BXT_OK;
}

static bxt_status fix_node(struct fix *f, const char *path)
{
	const char *item = bxt_arena_printf(f->b->scratch, "node(%s).*", path);
	return item ? fix_coordinate(f, item) : BXT_ERR_MEMORY;
}

/* ---- The element ---- */

/* Visits each item of a list, separated by commas and white space; *n: their number. */
static bxt_status each(struct fix *f, const char *list,
		       bxt_status (*read)(struct fix *, const char *), int *n)
{
	char *text = bxt_arena_strdup(f->b->scratch, list), *save = NULL;
	if (!text)
		return BXT_ERR_MEMORY;
	for (char *word = strtok_r(text, " \t\r\n,", &save); word;
	     word = strtok_r(NULL, " \t\r\n,", &save), ++*n)
		BXT_TRY(read(f, word));
	return BXT_OK;
}

bxt_status bxt_build_fix(bxt_builder *b, const bxt_item *item, int primitive)
{
	struct fix f = {.b = b, .place = item->place, .primitive = primitive};
	const char *nodes = bxt_item_get(item, "node"), *of = bxt_item_get(item, "of");
	int n = 0;
	bxt_build_attributes(b, item);
	bxt_build_no_text(b, item);
	if (nodes)
		BXT_TRY(each(&f, nodes, fix_node, &n));
	if (of)
		BXT_TRY(each(&f, of, fix_coordinate, &n));
	if (n == 0)
		bxt_error(b->d, item->place,
			  "<fix> holds nothing: it needs node=\"NODE\" or of=\"ELEMENT.COORDINATE, "
			  "node(NODE).COORDINATE\"");
	return BXT_OK;
}
