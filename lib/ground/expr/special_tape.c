/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tapes with numbers in place of some variables. A fused tape folds them (fused_tape.c). The
 * remaining operations get registers again: a value occupies one from the operation that computes
 * it to the last that reads it; results keep theirs.
 */
#include "ground/base/arena.h"
#include "ground/expr/fused_tape.h"
#include "ground/expr/tape_internal.h"

#include <stdlib.h>

enum { NOWHERE = INT32_MIN };

struct maker {
	bxt_fused_view from;
	bxt_tape *tape;
	int *place; /* by index of the fused tape: register, -1 - v, or NOWHERE */
	int *last;  /* the operation that reads it last; for results a number beyond all operations
		     */
	int *of_index; /* the registers that are free */
	int n_free;
};

static int take_register(struct maker *m)
{
	return m->n_free > 0 ? m->of_index[--m->n_free] : m->tape->n_registers++;
}

/* A number that an operation reads, or a result that is one. */
static void place_number(struct maker *m, int index)
{
	if (m->place[index] != NOWHERE || !m->from.known[index])
		return;
	bxt_operation *o = &m->tape->operations[m->tape->n_operations++];
	*o = (bxt_operation){.op = TAPE_FILL, .d2 = -1, .k = m->from.number[index]};
	o->d = m->place[index] = take_register(m);
}

static void release(struct maker *m, int index, int at)
{
	if (m->last[index] == at && m->place[index] >= 0) {
		m->of_index[m->n_free++] = m->place[index];
		m->last[index] = -1; /* once, however often the operation reads it */
	}
}

static void emit(struct maker *m, int at)
{
	bxt_operation o = m->from.operations[at];
	const int n = bxt_operands(o.op), operand[] = {o.a, o.b, o.c};
	int *const to[] = {&o.a, &o.b, &o.c};
	for (int k = 0; k < n; k++)
		place_number(m, operand[k]);
	for (int k = 0; k < 3; k++)
		*to[k] = k < n ? m->place[operand[k]] : n > 0 ? m->place[operand[0]] : 0;
	if (o.d >= 0)
		o.d = m->place[m->from.operations[at].d] = take_register(m);
	if (o.d2 >= 0)
		o.d2 = m->place[m->from.operations[at].d2] = take_register(m);
	m->tape->operations[m->tape->n_operations++] = o;
	for (int k = 0; k < n; k++)
		release(m, operand[k], at);
}

static void find_last(struct maker *m, const int *results)
{
	for (int i = 0; i < m->from.n_values; i++) {
		m->place[i] = NOWHERE;
		m->last[i] = -1;
	}
	for (int i = 0; i < m->from.n_operations; i++) {
		const bxt_operation *o = &m->from.operations[i];
		const int n = bxt_operands(o->op), operand[] = {o->a, o->b, o->c};
		for (int k = 0; k < n; k++)
			m->last[operand[k]] = i;
	}
	for (int k = 0; k < m->tape->n_results; k++)
		m->last[results[k]] = m->from.n_operations;
}

static bool make_room(struct maker *m, int n_variables)
{
	const size_t n = (size_t)m->from.n_values + 1;
	m->place = malloc(n * sizeof *m->place);
	m->last = malloc(n * sizeof *m->last);
	m->of_index = malloc(n * sizeof *m->of_index);
	m->tape->operations = calloc((size_t)m->from.n_operations + n, sizeof *m->tape->operations);
	m->tape->results = calloc((size_t)m->tape->n_results + 1, sizeof *m->tape->results);
	m->tape->reads = calloc((size_t)n_variables + 1, sizeof *m->tape->reads);
	return m->place && m->last && m->of_index && m->tape->operations && m->tape->results &&
	       m->tape->reads;
}

static bxt_tape *make(const bxt_fused_tape *p, const int *results, int n_results, int n_variables)
{
	struct maker m = {.from = bxt_fused_tape_view(p), .tape = calloc(1, sizeof *m.tape)};
	bool made = m.tape != NULL;
	if (made) {
		m.tape->n_results = n_results;
		m.tape->n_inputs = n_variables;
		made = make_room(&m, n_variables);
	}
	if (made) {
		find_last(&m, results);
		for (int i = 0; i < m.from.n_inputs; i++) {
			m.place[m.from.inputs[i].place] = -1 - m.from.inputs[i].index;
			m.tape->reads[m.from.inputs[i].index] = true;
		}
		for (int i = 0; i < m.from.n_operations; i++)
			emit(&m, i);
		for (int k = 0; k < n_results; k++) {
			place_number(&m, results[k]);
			m.tape->results[k] = m.place[results[k]];
		}
	} else {
		m.tape = bxt_tape_free(m.tape);
	}
	free(m.place);
	free(m.last);
	free(m.of_index);
	return m.tape;
}

bxt_tape *bxt_tape_special(const bxt_tape *tape, const bool *known, const double *value)
{
	const int n = tape->n_inputs;
	bxt_fused_tape *p = bxt_fused_tape_new();
	int *variable = calloc((size_t)n + 1, sizeof *variable);
	int *results = calloc((size_t)tape->n_results + 1, sizeof *results);
	bool made = p && variable && results;
	for (int v = 0; v < n && made; v++) {
		variable[v] = !tape->reads[v] ? -1
			      : known[v]      ? bxt_fused_tape_number(p, value[v])
					      : bxt_fused_tape_input(p, 0, v);
		made = !tape->reads[v] || variable[v] >= 0;
	}
	made = made && bxt_fused_tape_join(p, tape, variable, results) == BXT_OK &&
	       bxt_fused_tape_trim(p) == BXT_OK;
	bxt_tape *out = made ? make(p, results, tape->n_results, n) : NULL;
	bxt_fused_tape_free(p);
	free(variable);
	free(results);
	return out;
}
