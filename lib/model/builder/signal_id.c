/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * <signal id="speed">M.omega</signal>: a signal of the netlist. Its name is its id, and its path
 * from outside, as with a <port id node>. It is an element with one input, and the expression is
 * connected to that input. With to="C.r" the id names that input instead. Without an expression an
 * outer scope defines the signal: <signal to="plant.set">.
 */
#include "model/builder/builder.h"

#include <string.h>

int bxt_find_signal(const bxt_network *net, int primitive, const char *id)
{
	return id ? bxt_map_get(&net->primitives[primitive].signals, id) : -1;
}

/* ---- Ids ---- */

/* Reports an id that is a parameter of the file too, since expressions could mean either. */
static void check_id(bxt_builder *b, const bxt_item *item, const char *id)
{
	double value;
	if (bxt_frame_find(b, id, &value) >= 0)
		bxt_error(b->d, item->place,
			  "<signal> id '%s': there is a parameter of that name: choose another",
			  id);
	for (const char *c = id; *c; c++)
		if (*c == '-') {
			bxt_error(b->d, item->place,
				  "<signal> id '%s': expressions name it, so that it may not hold "
				  "a '-'",
				  id);
			break;
		}
}

bxt_status bxt_build_signal_ids(bxt_builder *b, const bxt_item *scope, int primitive)
{
	bxt_network *net = b->net;
	for (const bxt_item *c = NULL; (c = bxt_build_word(b, scope, "signal", c));) {
		const char *id = bxt_item_get(c, "id");
		const size_t errors = bxt_diagnostics_count(b->d, BXT_ERROR);
		if (!id)
			continue;
		check_id(b, c, id);
		BXT_TRY(bxt_build_id(b, primitive, c, BXT_ID_SIGNAL, (int)net->n_signal_ids));
		if (bxt_diagnostics_count(b->d, BXT_ERROR) > errors &&
		    bxt_find_signal(net, primitive, id) != (int)net->n_signal_ids)
			continue;
		BXT_TRY(BXT_GROW(net->signal_ids, b->room.signal_ids, net->n_signal_ids + 1));
		BXT_TRY(BXT_GROW(b->signal_items, b->c_signal_items, net->n_signal_ids + 1));
		b->signal_items[net->n_signal_ids] = c;
		net->signal_ids[net->n_signal_ids++] =
			(bxt_net_signal){id, c->place, primitive, -1, -1, false};
	}
	return BXT_OK;
}

/* ---- The signals of ids ---- */

/* The unit of what the signal is, where that is one name; it may be changed when that is known. */
static int find_kind(bxt_builder *b, bxt_place place)
{
	static const char key[] = "<signal>";
	const int known = bxt_map_get(&b->net->type_by_key, key);
	if (known >= 0)
		return known;
	bxt_component *c = BXT_NEW(b->arena, bxt_component, 1);
	bxt_coordinate *q = BXT_NEW(b->arena, bxt_coordinate, 1);
	if (!c || !q)
		return -1;
	*q = (bxt_coordinate){.name = "int_u",
			      .unit = "s",
			      .flow = "u",
			      .flow_unit = "1",
			      .role = BXT_SIGNAL_IN,
			      .place = place};
	*c = (bxt_component){.name = "signal",
			     .domain = "control",
			     .doc = "",
			     .place = place,
			     .coordinates = q,
			     .n_coordinates = 1};
	bxt_status status;
	bxt_element_type *type =
		bxt_type_compile(b->arena, &(bxt_type_def){.component = c}, b->d, &status);
	return type ? bxt_build_element_type(b, type, key) : -1;
}

static bxt_status make_signal(bxt_builder *b, bxt_net_signal *s)
{
	bxt_network *net = b->net;
	const int kind = find_kind(b, s->place);
	double *parameter = BXT_NEW(b->arena, double, 1);
	if (kind < 0 || !parameter)
		return BXT_ERR_MEMORY;
	BXT_TRY(BXT_GROW(net->elements, b->room.elements, net->n_elements + 1));
	s->element = (int)net->n_elements;
	s->coordinate = 0;
	net->elements[net->n_elements++] = (bxt_element){.id = s->id,
							 .place = s->place,
							 .type = kind,
							 .primitive = s->primitive,
							 .is_interaction = true,
							 .connection = -1,
							 .is_signal = true,
							 .parameter = parameter};
	return BXT_OK;
}

static bool is_input(const bxt_network *net, const bxt_designator *d)
{
	return d->owner == BXT_OWNER_ELEMENT && d->word == BXT_WORD_FLOW &&
	       net->types[net->elements[d->element].type]->component->coordinates[d->index].role ==
		       BXT_SIGNAL_IN;
}

/*
 * Finds the input that `to` names, through any number of ids of inner scopes. Reports only cycles:
 * other errors are reported when the <signal> itself is read.
 */
static void find_input(bxt_builder *b, int index)
{
	bxt_network *net = b->net;
	int at = index;
	for (size_t step = 0; step <= net->n_signal_ids; step++) {
		const bxt_net_signal *s = &net->signal_ids[at];
		const char *to = bxt_item_get(b->signal_items[at], "to");
		bxt_designator d = {.owner = BXT_OWNER_ELEMENT, .element = -1};
		const bxt_name_fault fault = bxt_names_find(&b->names, s->primitive, to, &d);
		const int next = d.owner == BXT_OWNER_SIGNAL ? d.element : -1;
		b->failed = b->failed || b->names.failed;
		if (next < 0) {
			if (fault == BXT_NAME_GOOD && is_input(net, &d)) {
				net->signal_ids[index].element = d.element;
				net->signal_ids[index].coordinate = d.index;
			}
			return;
		}
		if (!bxt_item_get(b->signal_items[next], "to"))
			return; /* no input */
		at = next;
	}
	bxt_error(b->d, net->signal_ids[index].place,
		  "<signal> id '%s': to=\"%s\" leads back to itself", net->signal_ids[index].id,
		  bxt_item_get(b->signal_items[index], "to"));
}

bxt_status bxt_build_named_signals(bxt_builder *b)
{
	for (size_t i = 0; i < b->net->n_signal_ids; i++) {
		if (bxt_item_get(b->signal_items[i], "to"))
			find_input(b, (int)i);
		else
			BXT_TRY(make_signal(b, &b->net->signal_ids[i]));
	}
	return b->failed ? BXT_ERR_MEMORY : BXT_OK;
}
