/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The states of the switches (element/element_type.h) of all elements of a network, one after
 * another. A network in other states shares all data with the first except these states and the
 * parameters of its elements that follow from them.
 */
#include "model/network/dirac.h"

#include <stdlib.h>
#include <string.h>

static const bxt_element_type *type_of(const bxt_network *net, size_t element)
{
	const int k = net->elements[element].type;
	return k < 0 ? NULL : net->types[k];
}

/* The modes of the element during which the row exists. */
static bool exists(const bxt_element_type *type, const bxt_switch *row, const unsigned char *state)
{
	const bxt_bounds *b = row->bounds;
	for (int k = 0; k < b->n_during; k++)
		for (int i = 0; i < type->n_switches; i++)
			if (!type->switches[i].row &&
			    type->switches[i].index == b->during[k].mode &&
			    (state[i] == BXT_MODE_ON) == b->during[k].off)
				return false;
	return true;
}

/* The initial state of a row that comes into existence: a one-sided position is open, all others
 * hold. */
static bxt_switch_state first_state(const bxt_element_type *type, const bxt_switch *s)
{
	if (!type->component->constraints[s->index].position || s->has_lower == s->has_upper)
		return BXT_HOLDS;
	return s->has_lower ? BXT_AT_LOWER : BXT_AT_UPPER;
}

void bxt_network_follow_modes(const bxt_network *net, unsigned char *state)
{
	for (size_t e = 0; e < net->n_elements; e++) {
		const bxt_element_type *type = type_of(net, e);
		unsigned char *own = state + net->elements[e].first_switch;
		for (int i = 0; type && i < type->n_switches; i++) {
			const bxt_switch *s = &type->switches[i];
			if (s->row && !exists(type, s, own))
				own[i] = BXT_ABSENT;
			else if (s->row && own[i] == BXT_ABSENT)
				own[i] = (unsigned char)first_state(type, s);
		}
	}
}

/* Writes the numbers of all switches of an element to its parameters. */
static void set_numbers(const bxt_network *net, size_t element, double *parameter)
{
	const bxt_element_type *type = type_of(net, element);
	const unsigned char *state = net->switches + net->elements[element].first_switch;
	for (int i = 0; i < type->n_switches; i++)
		bxt_type_switch_numbers(&type->switches[i], (bxt_switch_state)state[i],
					parameter + type->switches[i].parameter);
}

bxt_status bxt_network_place_switches(bxt_network *net)
{
	net->n_switches = 0;
	for (size_t e = 0; e < net->n_elements; e++) {
		const bxt_element_type *type = type_of(net, e);
		net->elements[e].first_switch = net->n_switches;
		net->n_switches += type ? type->n_switches : 0;
	}
	net->switches = BXT_NEW(net->arena, unsigned char, (size_t)net->n_switches);
	if (!net->switches)
		return BXT_ERR_MEMORY;
	for (size_t e = 0; e < net->n_elements; e++) {
		const bxt_element_type *type = type_of(net, e);
		unsigned char *own = net->switches + net->elements[e].first_switch;
		for (int i = 0; type && i < type->n_switches; i++) {
			const bxt_switch *s = &type->switches[i];
			if (s->row)
				own[i] = BXT_ABSENT; /* until modes are known */
			else
				own[i] = bxt_ex_value(type->formulas.graph, s->initial,
						      net->elements[e].parameter) > 0.5
						 ? BXT_MODE_ON
						 : BXT_MODE_OFF;
		}
	}
	bxt_network_follow_modes(net, net->switches);
	for (size_t e = 0; e < net->n_elements; e++)
		if (type_of(net, e) && type_of(net, e)->n_switches > 0)
			set_numbers(net, e, net->elements[e].parameter);
	return BXT_OK;
}

bool bxt_network_may_switch_to(const bxt_network *net, size_t k, unsigned char state)
{
	for (size_t e = 0; e < net->n_elements; e++) {
		const bxt_element *el = &net->elements[e];
		const bxt_element_type *type = net->types[el->type];
		const size_t first = (size_t)el->first_switch;
		if (k < first || k >= first + (size_t)type->n_switches)
			continue;
		const bxt_switch *of = &type->switches[k - first];
		return !of->row                ? state <= BXT_MODE_ON
		       : state == BXT_AT_LOWER ? of->has_lower
		       : state == BXT_AT_UPPER ? of->has_upper
		       : state == BXT_ABSENT   ? of->bounds->n_during > 0
					       : state == BXT_HOLDS;
	}
	return false;
}

void bxt_dirac_release(const bxt_network *net, bxt_dirac *d, const bxt_incidence *where)
{
	for (size_t e = 0; e < net->n_elements; e++) {
		const bxt_element_type *type = type_of(net, e);
		for (int i = 0; type && i < type->n_switches; i++) {
			if (!type->switches[i].row)
				continue;
			bxt_row_info *row = &d->row[where->first_row[e] + type->switches[i].index];
			row->bounded = true;
			row->released =
				net->switches[net->elements[e].first_switch + i] != BXT_HOLDS;
		}
	}
}

static bxt_status share(const bxt_network *from, const unsigned char *state, bxt_network *net)
{
	const size_t n = from->n_elements;
	if (!(net->arena = bxt_arena_new()) ||
	    !(net->elements = malloc((n + 1) * sizeof *net->elements)) ||
	    !(net->switches = BXT_NEW(net->arena, unsigned char, (size_t)from->n_switches)))
		return BXT_ERR_MEMORY;
	memcpy(net->elements, from->elements, n * sizeof *net->elements);
	memcpy(net->switches, state, (size_t)from->n_switches);
	for (size_t e = 0; e < n; e++) {
		const bxt_element_type *type = type_of(from, e);
		if (!type || type->n_switches == 0)
			continue;
		double *parameter = BXT_NEW(net->arena, double, (size_t)type->n_parameter);
		if (!parameter)
			return BXT_ERR_MEMORY;
		memcpy(parameter, from->elements[e].parameter,
		       (size_t)type->n_parameter * sizeof *parameter);
		set_numbers(net, e, parameter);
		net->elements[e].parameter = parameter;
	}
	return BXT_OK;
}

bxt_status bxt_network_switched(const bxt_network *from, const unsigned char *state,
				bxt_network **out)
{
	bxt_network *net = *out = malloc(sizeof *net);
	if (!net)
		return BXT_ERR_MEMORY;
	*net = *from;
	net->shared = net->lasting = true;
	net->arena = NULL;
	net->elements = NULL;
	const bxt_status status = share(from, state, net);
	if (status != BXT_OK) {
		free(net->elements);
		bxt_arena_free(net->arena);
		*out = bxt_free(net);
	}
	return status;
}
