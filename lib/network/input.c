/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs: values that the outside gives while a model runs. */
#include "network/builder.h"

#include <string.h>

int bxt_build_input(bxt_builder *b, const bxt_item *item, int primitive, const char *name,
		    const char *unit, double value)
{
	bxt_network *net = b->net;
	bxt_buffer path = {0};
	const char *text =
		bxt_arena_strdup(b->arena, bxt_network_path(net, primitive, name, &path));
	const char *doc = bxt_item_content(b->arena, item);
	bxt_buffer_free(&path);
	if (!text || !doc ||
	    BXT_GROW(net->inputs, b->c_inputs, (size_t)net->n_inputs + 1) != BXT_OK)
		return b->failed = true, -1;
	net->inputs[net->n_inputs] =
		(bxt_net_input){text, unit, doc, item->place, primitive, value};
	return net->n_inputs++;
}

bxt_ex bxt_build_input_value(bxt_builder *b, int k)
{
	bxt_graph *g = b->signal_graph;
	const bxt_ex since = bxt_ex_var(g, bxt_input_variable(k, BXT_INPUT_SINCE));
	const bxt_ex rate = bxt_ex_var(g, bxt_input_variable(k, BXT_INPUT_RATE));
	const bxt_ex value = bxt_ex_var(g, bxt_input_variable(k, BXT_INPUT_VALUE));
	return bxt_ex_add(g, value, bxt_ex_mul(g, rate, bxt_ex_sub(g, bxt_ex_var(g, 0), since)));
}

static bool is_wired(const bxt_builder *b, const bxt_net_signal *id)
{
	for (size_t i = 0; i < b->n_wires; i++)
		if (b->wires[i].element == id->element && b->wires[i].coordinate == id->coordinate)
			return true;
	return false;
}

/* The frame of the file that a scope stands in. */
static const bxt_frame *frame_around(const bxt_builder *b, int primitive)
{
	while (primitive > 0 && !b->frame_of[primitive])
		primitive = b->net->primitives[primitive].parent;
	return b->frame_of[primitive];
}

bxt_status bxt_build_default_inputs(bxt_builder *b)
{
	const bxt_frame *frame = b->frame;
	bxt_status status = BXT_OK;
	for (size_t i = 0; i < b->net->n_signal_ids && status == BXT_OK; i++) {
		const bxt_net_signal id = b->net->signal_ids[i];
		const bxt_item *item = b->signal_items[i];
		if (!bxt_item_get(item, "default") || id.element < 0 || is_wired(b, &id))
			continue;
		b->frame = frame_around(b, id.primitive);
		status = bxt_build_default_input(b, item, id.primitive);
	}
	b->frame = frame;
	return status;
}
