/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes fused tapes where they are faster than the tapes of groups. */
#include "model/system/fused.h"

#include "model/system/runner_internal.h"

#include <stdlib.h>

const bxt_output_set_id bxt_fused_sets[BXT_FUSED_SETS] = {
	BXT_SET_DYNAMICS, BXT_SET_CONSTRAINT, BXT_SET_REST,     BXT_SET_MOMENTUM,
	BXT_SET_JAC_DYN,  BXT_SET_JAC_CON,    BXT_SET_POWER,    BXT_SET_PORTS,
	BXT_SET_POSITION, BXT_SET_EXTERNAL,   BXT_SET_DISCRETE, BXT_SET_DISCRETE_BACK};

/* Cost model: a tape has a fixed cost per group and per operation, however few its lanes. A fused
 * tape costs less per operation, but repeats each operation for each element. */
bool bxt_fused_pays(const bxt_system *s, bxt_output_set_id id, double speed, long longest)
{
	enum { GROUP = 40 };
	long tapes = 0, program = 0;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_output_set *set = &group->type->set[id];
		if (set->n == 0)
			continue;
		const long work = bxt_tape_operations(set->tape) + set->n;
		const bool few = group->count <= BXT_FEW_LANES;
		tapes += group->blocks * (GROUP + (work + set->n_reads) * (few ? 4 : 10));
		program += group->count * (work + set->n_reads);
	}
	return program > 0 && (double)program < speed * (double)tapes && program < longest;
}

/* The index of an element's variable in the fused tape's work; -1 when out of memory. */
static int source_of(const bxt_system *s, bxt_fused_tape *p, const bxt_group *group, int i,
		     const bxt_read *read)
{
	const int rows = group->type->n_parameter + group->type->n_hoisted;
	const int at = ((i / BXT_LANES) * rows + read->index) * BXT_LANES + i % BXT_LANES;
	switch (read->source) {
	case BXT_FROM_Q:
		return bxt_fused_tape_input(p, BXT_JOINED_Q, group->at[read->index][i]);
	case BXT_FROM_X:
		return bxt_fused_tape_input(p, BXT_JOINED_X, group->at[read->index][i]);
	case BXT_FROM_TIME:
		return bxt_fused_tape_input(p, BXT_JOINED_TIME, 0);
	case BXT_FROM_STEP:
		return bxt_fused_tape_input(p, BXT_JOINED_STEP, 0);
	case BXT_FROM_CONDITION:
		return bxt_fused_tape_input(p, BXT_JOINED_CONDITION,
					    s->of_element.first_condition[group->element[i]] +
						    read->index);
	default:
		break;
	}
	for (int k = 0; k < group->n_signal; k++)
		if (group->signal_place[k] == at)
			return bxt_fused_tape_input(p, BXT_JOINED_SIGNAL, group->signal[k]);
	return bxt_fused_tape_number(p, group->parameter[at]);
}

static bxt_fused_output describe_output(const bxt_system *s, bxt_output_set_id id, int g, int k,
					int i, int first)
{
	const bxt_group *group = &s->groups[g];
	const bxt_entry *entry = &group->type->set[id].entries[k];
	const bool row = entry->term == BXT_C || entry->term == BXT_CQ || entry->term == BXT_CV;
	bxt_fused_output out = {.group = g, .term = (short)entry->term};
	if (bxt_set_is_sum(id)) {
		out.place = first + i;
		out.role = (short)entry->row;
		return out;
	}
	out.role = (short)(row ? 0 : group->pinned[entry->row]);
	out.place = bxt_set_is_jacobian(id)
			    ? group->slot[bxt_jacobian_slot(id)][k][i]
			    : group->at[row ? group->type->nl + entry->row : entry->row][i];
	return out;
}

/* The position of output k of element i among its group's outputs: by block, output, lane. */
static int order_of(const bxt_group *group, int n_outputs, int k, int i)
{
	const int first = i - i % BXT_LANES, left = group->count - first,
		  lanes = left < BXT_LANES ? left : BXT_LANES;
	return first * n_outputs + k * lanes + i % BXT_LANES;
}

/* All elements of a group: their outputs in the order of tapes. */
static bxt_status join_group(const bxt_system *s, bxt_output_set_id id, int g, int first,
			     bxt_fused *j)
{
	const bxt_group *group = &s->groups[g];
	const bxt_output_set *set = &group->type->set[id];
	int *variable = calloc((size_t)bxt_type_n_var(group->type) + 1, sizeof *variable);
	int *results = calloc((size_t)set->n + 1, sizeof *results);
	bxt_status status = variable && results ? BXT_OK : BXT_ERR_MEMORY;
	for (int i = 0; i < group->count && status == BXT_OK; i++) {
		for (int r = 0; r < set->n_reads && status == BXT_OK; r++) {
			const int place = source_of(s, j->program, group, i, &set->reads[r]);
			variable[set->reads[r].variable] = place;
			status = place < 0 ? BXT_ERR_MEMORY : BXT_OK;
		}
		if (status == BXT_OK)
			status = bxt_fused_tape_join(j->program, set->tape, variable, results);
		for (int k = 0; k < set->n && status == BXT_OK; k++) {
			bxt_fused_output *out = &j->outputs[j->n + order_of(group, set->n, k, i)];
			*out = describe_output(s, id, g, k, i, first);
			out->value = results[k];
			if (bxt_set_is_jacobian(id))
				j->terms |= UINT32_C(1) << (out->role * BXT_TERM_COUNT + out->term);
		}
	}
	j->n += set->n * group->count;
	free(variable);
	free(results);
	return status;
}

bxt_status bxt_fused_new(const bxt_system *s, bxt_output_set_id id, bxt_arena *arena,
			 bxt_fused **out)
{
	bxt_fused *j = *out = BXT_NEW(arena, bxt_fused, 1);
	size_t n = 0;
	int first = 0;
	for (int g = 0; g < s->n_groups; g++)
		n += (size_t)s->groups[g].type->set[id].n * (size_t)s->groups[g].count;
	if (!j || !(j->outputs = BXT_NEW(arena, bxt_fused_output, n)) ||
	    !(j->program = bxt_fused_tape_new()))
		return BXT_ERR_MEMORY;
	for (int g = 0; g < s->n_groups; g++) {
		if (s->groups[g].type->set[id].n > 0)
			BXT_TRY(join_group(s, id, g, first, j));
		first += s->groups[g].count;
	}
	return bxt_fused_tape_trim(j->program);
}

static bxt_status join(bxt_system *s, bxt_output_set_id id)
{
	/* the program is freed with the system, complete or not */
	BXT_TRY(bxt_fused_new(s, id, s->arena, &s->tapes.fused[id]));
	s->tapes.runner[id] = &bxt_fused_runner;
	s->tapes.fused[id]->first_work = s->tapes.fused_work;
	s->tapes.fused_work += bxt_fused_tape_work(s->tapes.fused[id]->program);
	return BXT_OK;
}

/* The variables of the expressions of time in the program; false when out of memory. */
static bool add_variables(const bxt_system *s, bxt_fused_tape *p, int *variable)
{
	const int n = (int)bxt_inputs_variables(s->inputs);
	bool added = true;
	for (int v = 0; v < n; v++) {
		variable[v] =
			v == 0 ? bxt_fused_tape_input(p, BXT_JOINED_TIME, 0)
			       : bxt_fused_tape_input(p, BXT_JOINED_INPUT, (v - 1) * BXT_LANES);
		added = added && variable[v] >= 0;
	}
	return added;
}

/* The expressions of time of a network. */
static bxt_status join_signals(bxt_system *s)
{
	enum { LARGEST = 1000 };
	const bxt_tape *tape = s->net->timed.tape;
	if (!tape || bxt_tape_operations(tape) > LARGEST)
		return BXT_OK;
	s->tapes.fused_signals = BXT_NEW(s->arena, bxt_fused, 1);
	int *results = calloc((size_t)s->net->timed.n + 1, sizeof *results);
	int *variable = calloc(bxt_inputs_variables(s->inputs), sizeof *variable);
	bxt_fused *j = s->tapes.fused_signals;
	bxt_status status = j && results && variable && (j->program = bxt_fused_tape_new()) &&
					    (j->outputs = BXT_NEW(s->arena, bxt_fused_output,
								  (size_t)s->net->timed.n))
				    ? BXT_OK
				    : BXT_ERR_MEMORY;
	if (status == BXT_OK && !add_variables(s, j->program, variable))
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_fused_tape_join(j->program, tape, variable, results);
	for (int k = 0; k < s->net->timed.n && status == BXT_OK; k++)
		j->outputs[j->n++].value = results[k];
	free(results);
	free(variable);
	if (status == BXT_OK)
		status = bxt_fused_tape_trim(j->program);
	if (status == BXT_OK) {
		j->first_work = s->tapes.fused_work;
		s->tapes.fused_work += bxt_fused_tape_work(j->program);
	}
	return status;
}

bxt_status bxt_fused_make(bxt_system *s)
{
	enum { LARGEST = 4000 };
	BXT_TRY(join_signals(s));
	for (int f = 0; f < BXT_FUSED_SETS; f++)
		if (bxt_fused_pays(s, bxt_fused_sets[f], 1, LARGEST))
			BXT_TRY(join(s, bxt_fused_sets[f]));
	return BXT_OK;
}

void bxt_fused_release(bxt_system *s)
{
	if (s->tapes.fused_signals)
		bxt_fused_tape_free(s->tapes.fused_signals->program);
	s->tapes.fused_signals = NULL;
	for (int f = 0; f < BXT_SET_COUNT; f++) {
		if (s->tapes.fused[f])
			bxt_fused_tape_free(s->tapes.fused[f]->program);
		s->tapes.fused[f] = NULL;
		s->tapes.runner[f] = &bxt_tape_runner;
	}
}
