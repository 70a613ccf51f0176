/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/system/switch_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const bxt_element_type *type_of(const bxt_system *s, size_t element)
{
	return s->net->types[s->net->elements[element].type];
}

/* A coordinate whose flow the row reads; -1: none. */
static int coordinate_of(const bxt_system *s, int element, int r)
{
	static const bxt_output_set_id sets[] = {BXT_SET_JAC_CONST, BXT_SET_JAC_CON};
	const bxt_group *group = &s->groups[s->of_element.group[element]];
	for (size_t f = 0; f < sizeof sets / sizeof *sets; f++) {
		const bxt_output_set *set = &group->type->set[sets[f]];
		for (int k = 0; k < set->n; k++) {
			const int at = group->at[set->entries[k].col < 0 ? 0 : set->entries[k].col]
						[s->of_element.place[element]];
			if (set->entries[k].term == BXT_CV && set->entries[k].row == r && at < s->n)
				return at;
		}
	}
	return -1;
}

/* The switch, among those of the type from `first` on, of the row on which friction depends; -1. */
static int pressing_of(const bxt_element_type *type, const bxt_switch *of, int first)
{
	for (int i = 0; i < type->n_switches && of->row && of->bounds->friction_of; i++)
		if (type->switches[i].row && type->switches[i].index == of->bounds->of)
			return first + i;
	return -1;
}

static void place_values(bxt_switch_values *v)
{
	const bxt_system *s = v->system;
	int k = 0, value = 0;
	for (size_t e = 0; e < s->net->n_elements; e++) {
		const bxt_element_type *type = type_of(s, e);
		const int first = k;
		v->first[e] = value;
		for (int i = 0; i < type->n_switches; i++) {
			const bxt_switch *of = &type->switches[i];
			v->at[k++] = (bxt_switch_info){
				.element = (int)e,
				.of = of,
				.first = value + of->value,
				.row = of->row ? s->where.first_row[e] + of->index : -1,
				.position =
					of->row && type->component->constraints[of->index].position,
				.pressing = pressing_of(type, of, first),
				.coordinate = of->row ? coordinate_of(s, (int)e, of->index) : -1};
		}
		value += type->set[BXT_SET_EVENT].n;
	}
}

static bxt_status make_values(bxt_switch_values *v)
{
	const bxt_system *s = v->system;
	size_t values = 0;
	for (size_t e = 0; e < s->net->n_elements; e++)
		values += (size_t)type_of(s, e)->set[BXT_SET_EVENT].n;
	v->n = s->net->n_switches;
	v->at = BXT_NEW(v->arena, bxt_switch_info, (size_t)v->n);
	v->value = BXT_NEW(v->arena, double, values);
	v->lambda = BXT_NEW(v->arena, double, (size_t)v->n);
	v->first = BXT_NEW(v->arena, int, s->net->n_elements);
	v->e = bxt_evaluator_new(s);
	if (!v->at || !v->value || !v->lambda || !v->first || !v->e)
		return BXT_ERR_MEMORY;
	place_values(v);
	return BXT_OK;
}

bxt_status bxt_switch_values_new(const bxt_system *s, bxt_switch_values **out)
{
	*out = NULL;
	if (s->net->n_switches == 0)
		return BXT_OK;
	bxt_switch_values *v = *out = calloc(1, sizeof *v);
	if (!v)
		return BXT_ERR_MEMORY;
	v->system = s;
	v->arena = bxt_arena_new();
	const bxt_status status = v->arena ? make_values(v) : BXT_ERR_MEMORY;
	if (status != BXT_OK)
		*out = bxt_switch_values_free(v);
	return status;
}

bxt_switch_values *bxt_switch_values_free(bxt_switch_values *v)
{
	if (v) {
		bxt_evaluator_free(v->e);
		bxt_arena_free(v->arena);
		free(v);
	}
	return NULL;
}

static void collect_values(void *context, const bxt_group *group, int first, int count,
			   const bxt_output_set *set, const double *const *in, const double *work)
{
	const bxt_switch_values *v = context;
	for (int k = 0; k < set->n; k++) {
		const double *lane = bxt_tape_result(set->tape, k, in, work);
		for (int i = 0; i < count; i++)
			v->value[v->first[group->element[first + i]] + set->entries[k].row] =
				lane[i];
	}
}

void bxt_switch_values_read(bxt_switch_values *v, const double *q, const double *x, double t)
{
	const bxt_system *s = v->system;
	bxt_evaluator_set_time(v->e, t);
	bxt_evaluate_blocks(v->e, BXT_SET_EVENT, (bxt_point){q, x, t}, collect_values, v);
	for (int k = 0; k < v->n; k++) {
		const int row = v->at[k].row, at = row < 0 ? s->spare : s->x_of_row[row];
		v->lambda[k] = at == s->spare ? 0 : x[at];
	}
}

static double margin_of_row(const bxt_switch_values *v, int k, bxt_switch_state *next)
{
	const bxt_switch *of = v->at[k].of;
	const double hold = bxt_switch_value(v, k, BXT_SWITCH_HOLD);
	const bool apart = of->bounds->hold.text != NULL;
	double margin = INFINITY;
	*next = BXT_HOLDS;
	if (of->has_lower) {
		const double bound = apart ? -hold : bxt_switch_value(v, k, BXT_SWITCH_LOWER);
		margin = v->lambda[k] - bound;
		*next = BXT_AT_LOWER;
	}
	if (of->has_upper) {
		const double bound = apart ? hold : bxt_switch_value(v, k, BXT_SWITCH_UPPER);
		if (bound - v->lambda[k] < margin) {
			margin = bound - v->lambda[k];
			*next = BXT_AT_UPPER;
		}
	}
	return margin;
}

double bxt_switch_margin(const bxt_switch_values *v, int k, bxt_switch_state *next)
{
	const bxt_switch_state state = (bxt_switch_state)v->system->net->switches[k];
	*next = BXT_HOLDS;
	if (!v->at[k].of->row) {
		*next = state == BXT_MODE_ON ? BXT_MODE_OFF : BXT_MODE_ON;
		return -bxt_switch_value(v, k,
					 state == BXT_MODE_ON ? BXT_SWITCH_OFF : BXT_SWITCH_ON);
	}
	const int pressing = v->at[k].pressing;
	if (pressing >= 0 && v->system->net->switches[pressing] != BXT_HOLDS) {
		*next = BXT_AT_LOWER;
		return state == BXT_HOLDS ? -INFINITY : INFINITY;
	}
	switch (state) {
	case BXT_HOLDS:
		return margin_of_row(v, k, next);
	case BXT_AT_LOWER:
		return bxt_switch_value(v, k, BXT_SWITCH_GAP);
	case BXT_AT_UPPER:
		return -bxt_switch_value(v, k, BXT_SWITCH_GAP);
	default:
		return INFINITY;
	}
}

const char *bxt_switch_name(const bxt_system *s, int k, bxt_buffer *buffer)
{
	for (size_t e = 0; e < s->net->n_elements; e++) {
		const bxt_element *el = &s->net->elements[e];
		const bxt_element_type *type = type_of(s, e);
		const int i = k - el->first_switch;
		if (i < 0 || i >= type->n_switches)
			continue;
		const bxt_switch *of = &type->switches[i];
		const char *name = of->row ? type->component->constraints[of->index].name
					   : type->component->modes[of->index].name;
		const char *path = bxt_network_path(s->net, el->primitive, el->id, buffer);
		if (!path)
			return name;
		bxt_buffer_printf(buffer, ".%s", name);
		return buffer->text ? buffer->text : name;
	}
	return "?";
}
