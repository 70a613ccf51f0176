/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/network/parameters.h"

#include <math.h>
#include <string.h>

/* Does it belong to the element of a connection or a signal? */
static bool is_hidden(const bxt_element *e)
{
	return e->is_interaction || !e->id;
}

bxt_status bxt_network_parameters(const bxt_network *net, bxt_arena *arena, bxt_parameter_ref **out,
				  size_t *n)
{
	size_t count = net->n_parameters;
	for (size_t i = 0; i < net->n_elements; i++)
		count += is_hidden(&net->elements[i]) ? 0
						      : (size_t)net->types[net->elements[i].type]
								->component->n_parameters;
	bxt_parameter_ref *list = BXT_NEW(arena, bxt_parameter_ref, count);
	if (!list)
		return BXT_ERR_MEMORY;
	*n = 0;
	for (size_t i = 0; i < net->n_elements; i++) {
		if (is_hidden(&net->elements[i]))
			continue;
		const bxt_component *c = net->types[net->elements[i].type]->component;
		int index = 0;
		for (int k = 0; k < c->n_parameters; k++)
			if (!c->parameters[k].of) {
				const bxt_parameter_ref ref = {(int)i, index++, &c->parameters[k]};
				if (!c->parameters[k].hidden)
					list[(*n)++] = ref;
			}
	}
	for (size_t i = 0; i < net->n_parameters; i++)
		list[(*n)++] = (bxt_parameter_ref){-1, (int)i, NULL};
	*out = list;
	return BXT_OK;
}

const char *bxt_parameter_path(const bxt_network *net, const bxt_parameter_ref *p,
			       bxt_buffer *buffer)
{
	if (p->element < 0) {
		const bxt_own_parameter *own = &net->parameters[p->index];
		return bxt_network_path(net, own->primitive, own->name, buffer);
	}
	const bxt_element *e = &net->elements[p->element];
	bxt_network_path(net, e->primitive, e->id, buffer);
	bxt_buffer_printf(buffer, ".%s", p->declared->name);
	return buffer->failed ? "" : buffer->text;
}

/* Does an expression in t determine its value? */
static bool follows_time(const bxt_network *net, const bxt_parameter_ref *p)
{
	const int *signal = p->element < 0 ? NULL : net->elements[p->element].signal;
	return signal && signal[p->index] >= 0;
}

double bxt_parameter_value(const bxt_network *net, const bxt_parameter_ref *p)
{
	if (p->element < 0)
		return net->parameters[p->index].value;
	return follows_time(net, p) ? NAN : net->elements[p->element].parameter[p->index];
}

bool bxt_parameter_is_tunable(const bxt_network *net, const bxt_parameter_ref *p)
{
	if (p->element < 0)
		return true;
	const bxt_component *c = net->types[net->elements[p->element].type]->component;
	const char *times[] = {c->sampled.sample.period, c->sampled.sample.delay};
	for (int k = 0; k < 2; k++)
		if (times[k] && strcmp(times[k], p->declared->name) == 0)
			return false;
	for (int k = 0; k < c->delayed.n_delays; k++) /* its history has the times of the first */
		if (strcmp(c->delayed.delays[k].by, p->declared->name) == 0)
			return false;
	return !follows_time(net, p);
}
