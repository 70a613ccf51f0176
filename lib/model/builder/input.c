/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs: values that the caller sets while a model runs. */
#include "model/builder/builder.h"

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
	    BXT_GROW(net->inputs, b->room.inputs, (size_t)net->n_inputs + 1) != BXT_OK)
		return b->failed = true, -1;
	net->inputs[net->n_inputs] =
		(bxt_net_input){text, unit, doc, item->place, primitive, value};
	return net->n_inputs++;
}

bxt_ex bxt_build_input_value(bxt_builder *b, int k)
{
	bxt_graph *g = b->timed.graph;
	const bxt_ex since = bxt_ex_var(g, bxt_input_variable(k, BXT_INPUT_SINCE));
	const bxt_ex rate = bxt_ex_var(g, bxt_input_variable(k, BXT_INPUT_RATE));
	const bxt_ex value = bxt_ex_var(g, bxt_input_variable(k, BXT_INPUT_VALUE));
	return bxt_ex_add(g, value, bxt_ex_mul(g, rate, bxt_ex_sub(g, bxt_ex_var(g, 0), since)));
}
