/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Delays of elements. The output of a delay during a step is known before the step, from earlier
 * inputs of the delay: in the equations it is a source that depends on time. So its parameter
 * follows an expression of time, a polynomial whose coefficients the owner of the run sets.
 */
#include "model/builder/builder.h"

#include <stdlib.h>
#include <string.h>

static bxt_ex polynomial(bxt_builder *b, int input)
{
	bxt_graph *g = b->timed.graph;
	const bxt_ex s = bxt_ex_sub(g, bxt_ex_var(g, 0),
				    bxt_ex_var(g, bxt_input_variable(input, BXT_INPUT_SINCE)));
	bxt_ex f = bxt_ex_const(g, 0);
	for (int k = BXT_DELAY_DEGREE; k >= 0; k--) {
		const bxt_ex c = bxt_ex_var(
			g, bxt_input_variable(bxt_delay_input(input, k), bxt_delay_number(k)));
		f = bxt_ex_add(g, c, bxt_ex_mul(g, s, f));
	}
	return f;
}

static bxt_status add_inputs(bxt_builder *b, const bxt_element *e, const char *name, double before)
{
	bxt_network *net = b->net;
	bxt_buffer path = {0};
	const char *id = bxt_arena_printf(b->scratch, "%s.%s", e->id ? e->id : "?", name);
	const char *text =
		id ? bxt_arena_strdup(b->arena, bxt_network_path(net, e->primitive, id, &path))
		   : NULL;
	bxt_buffer_free(&path);
	if (!text)
		return BXT_ERR_MEMORY;
	BXT_TRY(BXT_GROW(net->inputs, b->room.inputs, (size_t)net->n_inputs + BXT_DELAY_INPUTS));
	for (int k = 0; k < BXT_DELAY_INPUTS; k++)
		net->inputs[net->n_inputs++] = (bxt_net_input){.path = text,
							       .unit = "",
							       .doc = "",
							       .place = e->place,
							       .primitive = e->primitive,
							       .value = k == 0 ? before : 0};
	return BXT_OK;
}

static bxt_status add_delay(bxt_builder *b, int element, int k, bool *wrong)
{
	bxt_network *net = b->net;
	bxt_element *e = &net->elements[element];
	const bxt_element_type *type = net->types[e->type];
	const bxt_component *c = type->component;
	const bxt_delay *y = &c->delayed.delays[k];
	bxt_net_delay *to = &net->delays[net->n_delays++];
	*to = (bxt_net_delay){.element = element, .index = k, .input = net->n_inputs};
	for (int i = 0; i < c->n_parameters; i++)
		if (strcmp(c->parameters[i].name, y->by) == 0)
			to->by = e->parameter[bxt_type_parameter(c, i)];
	to->before = bxt_ex_value(type->formulas.graph, type->formulas.before[k], e->parameter);
	to->energy = bxt_ex_value(type->formulas.graph, type->formulas.stored[k], e->parameter);
	*wrong = *wrong || !(to->by > 0);
	if (!(to->by > 0))
		bxt_error(b->d, e->place,
			  "%s '%s': the delay %s is %.9g s: it must be above 0, or nothing is late",
			  c->name, e->id ? e->id : "?", y->by, to->by);
	BXT_TRY(add_inputs(b, e, y->name, to->before));
	return bxt_build_follow(b, type, y->delayed, bxt_type_parameter(c, y->delayed),
				polynomial(b, to->input), e)
		       ? BXT_OK
		       : BXT_ERR_MEMORY;
}

bxt_status bxt_build_delays(bxt_builder *b)
{
	bxt_network *net = b->net;
	size_t n = 0;
	bool wrong = false;
	net->n_given = net->n_inputs;
	for (size_t e = 0; e < net->n_elements; e++)
		n += (size_t)net->types[net->elements[e].type]->component->delayed.n_delays;
	if (!(net->delays = BXT_NEW(b->arena, bxt_net_delay, n)))
		return BXT_ERR_MEMORY;
	for (size_t e = 0; e < net->n_elements; e++)
		for (int k = 0; k < net->types[net->elements[e].type]->component->delayed.n_delays;
		     k++)
			BXT_TRY(add_delay(b, (int)e, k, &wrong));
	return wrong ? BXT_ERR_MODEL : BXT_OK;
}

/* ---- At rest ---- */

static bxt_status share(const bxt_network *from, bxt_network *net)
{
	const size_t n = from->n_elements;
	if (!(net->arena = bxt_arena_new()) ||
	    !(net->elements = malloc((n + 1) * sizeof *net->elements)))
		return BXT_ERR_MEMORY;
	memcpy(net->elements, from->elements, n * sizeof *net->elements);
	for (size_t e = 0; e < n; e++) {
		const bxt_element_type *type = from->types[from->elements[e].type];
		const bxt_component *c = type->component;
		if (c->delayed.n_delays == 0)
			continue;
		double *parameter = BXT_NEW(net->arena, double, (size_t)type->n_parameter);
		if (!parameter)
			return BXT_ERR_MEMORY;
		memcpy(parameter, from->elements[e].parameter,
		       (size_t)type->n_parameter * sizeof *parameter);
		parameter[bxt_type_parameter(c, c->delayed.at_rest)] = 1;
		net->elements[e].parameter = parameter;
	}
	return BXT_OK;
}

bxt_status bxt_network_at_rest(const bxt_network *from, bxt_network **out)
{
	bxt_network *net = *out = malloc(sizeof *net);
	if (!net)
		return BXT_ERR_MEMORY;
	*net = *from;
	net->shared = true;
	net->arena = NULL;
	net->elements = NULL;
	const bxt_status status = share(from, net);
	if (status != BXT_OK) {
		free(net->elements);
		bxt_arena_free(net->arena);
		*out = bxt_free(net);
	}
	return status;
}
