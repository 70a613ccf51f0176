/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tapes of groups whose elements share values of parameters. Transistors of one model have the same
 * numbers, many of them 0: terms with a factor 0, such as an Early effect or a leakage, are not
 * computed.
 */
#include "model/system/special_tapes.h"

#include <stdlib.h>

/* The output sets that each step evaluates. */
static const bxt_output_set_id sets[] = {BXT_SET_DYNAMICS, BXT_SET_CONSTRAINT, BXT_SET_REST,
					 BXT_SET_MOMENTUM, BXT_SET_JAC_DYN,    BXT_SET_JAC_CON,
					 BXT_SET_POWER,    BXT_SET_PORTS,      BXT_SET_POSITION};

/* The value of a row of the parameter block that all elements share; false: there is none. */
static bool is_shared(const bxt_group *group, int row, double *value)
{
	const int rows = group->type->n_parameter + group->type->n_hoisted;
	for (int k = 0; k < group->n_signal; k++)
		if (group->signal_place[k] / BXT_LANES % rows == row)
			return false;
	for (int i = 0; i < group->count; i++) {
		const double v = group->parameter[((i / BXT_LANES) * rows + row) * BXT_LANES +
						  i % BXT_LANES];
		*value = i == 0 ? v : *value;
		if (v != *value)
			return false;
	}
	return true;
}

/* NULL: the type's tape is as fast, or out of memory (*failed). */
static bxt_tape *special(const bxt_group *group, const bxt_output_set *set, bool *known,
			 double *value, bool *failed)
{
	bool any = false;
	for (int v = 0; v < bxt_type_n_var(group->type); v++)
		known[v] = false;
	for (int r = 0; r < set->n_reads; r++) {
		const bxt_read *read = &set->reads[r];
		const int v = read->variable;
		known[v] =
			read->source == BXT_FROM_BLOCK && is_shared(group, read->index, &value[v]);
		any = any || known[v];
	}
	bxt_tape *tape = any ? bxt_tape_special(set->tape, known, value) : NULL;
	*failed = *failed || (any && !tape);
	return tape && bxt_tape_operations(tape) >= bxt_tape_operations(set->tape)
		       ? bxt_tape_free(tape)
		       : tape;
}

bxt_status bxt_special_tapes_make(bxt_system *s)
{
	bool failed = false;
	bool *known = calloc((size_t)s->tapes.most_variables + 1, sizeof *known);
	double *value = calloc((size_t)s->tapes.most_variables + 1, sizeof *value);
	failed = !known || !value;
	for (int g = 0; g < s->n_groups && !failed; g++)
		for (size_t f = 0; f < sizeof sets / sizeof *sets && !failed; f++) {
			bxt_group *group = &s->groups[g];
			const bxt_output_set *set = &group->type->set[sets[f]];
			if (s->tapes.fused[sets[f]] || set->n == 0 || !set->tape)
				continue;
			bxt_tape *tape = special(group, set, known, value, &failed);
			group->special[sets[f]] = tape;
			if (tape && bxt_tape_work(tape) > s->tapes.most_work)
				s->tapes.most_work = bxt_tape_work(tape);
		}
	free(known);
	free(value);
	return failed ? BXT_ERR_MEMORY : BXT_OK;
}

void bxt_special_tapes_free(bxt_system *s)
{
	for (int g = 0; s->groups && g < s->n_groups; g++)
		for (int f = 0; f < BXT_SET_COUNT; f++)
			s->groups[g].special[f] = bxt_tape_free(s->groups[g].special[f]);
}
