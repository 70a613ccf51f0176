/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fuses tapes. Every value has an index of its own in `work`, so a number or a result can be used
 * at any later time. */
#include "ground/expr/fused_tape.h"

#include "ground/base/arena.h"
#include "ground/expr/curve_node.h"
#include "ground/expr/tape_internal.h"

#include <stdlib.h>
#include <string.h>

struct bxt_fused_tape {
	bxt_operation *operations;
	bxt_fused_input *inputs;
	double *number; /* the value, if it is known, by index in `work` */
	bool *known;    /* is it known? */
	bool *wanted;   /* is it the result of a tape? */
	size_t operations_capacity, inputs_capacity, number_capacity, known_capacity;
	size_t wanted_capacity, n_operations, n_inputs, n;
};

bxt_fused_tape *bxt_fused_tape_free(bxt_fused_tape *p)
{
	if (p) {
		free(p->operations);
		free(p->inputs);
		free(p->number);
		free(p->known);
		free(p->wanted);
		free(p);
	}
	return NULL;
}

static int new_place(bxt_fused_tape *p, bool known, double value)
{
	if (BXT_GROW(p->number, p->number_capacity, p->n + 1) != BXT_OK ||
	    BXT_GROW(p->known, p->known_capacity, p->n + 1) != BXT_OK ||
	    BXT_GROW(p->wanted, p->wanted_capacity, p->n + 1) != BXT_OK)
		return -1;
	p->wanted[p->n] = false;
	p->number[p->n] = value;
	p->known[p->n] = known;
	return (int)p->n++;
}

int bxt_fused_tape_number(bxt_fused_tape *p, double value)
{
	return new_place(p, true, value);
}

bxt_fused_tape *bxt_fused_tape_new(void)
{
	bxt_fused_tape *p = calloc(1, sizeof *p);
	/* index 0 serves absent operands */
	return p && bxt_fused_tape_number(p, 0) == 0 ? p : bxt_fused_tape_free(p);
}

int bxt_fused_tape_input(bxt_fused_tape *p, int source, int index)
{
	for (size_t i = 0; i < p->n_inputs; i++)
		if (p->inputs[i].source == source && p->inputs[i].index == index)
			return p->inputs[i].place;
	if (BXT_GROW(p->inputs, p->inputs_capacity, p->n_inputs + 1) != BXT_OK)
		return -1;
	const int place = new_place(p, false, 0);
	if (place >= 0)
		p->inputs[p->n_inputs++] = (bxt_fused_input){source, index, place};
	return place;
}

int bxt_operands(int op)
{
	if (op == TAPE_FILL)
		return 0;
	if (op >= TAPE_CURVE)
		return bxt_curve_use_decode(op - TAPE_CURVE).m ? 2 : 1;
	if (op == BXT_OP_IF || op == BXT_OP_CHORD)
		return 3;
	return op >= BXT_OP_ADD && op <= BXT_OP_NE ? 2 : 1;
}

/* A number among the operands of a sum, product or quotient becomes the operation's `k`. */
static void take_in_number(const bxt_fused_tape *p, bxt_operation *o)
{
	const bool ka = p->known[o->a], kb = p->known[o->b];
	const int other = ka ? o->b : o->a;
	const double k = ka ? p->number[o->a] : p->number[o->b];
	if (ka == kb)
		return;
	switch (o->op) {
	case BXT_OP_ADD:
		*o = (bxt_operation){.op = TAPE_ADDK, .a = other, .d2 = -1, .k = k};
		break;
	case BXT_OP_SUB: /* a - k is (-k) + a to the last bit */
		*o = (bxt_operation){
			.op = ka ? TAPE_SUBK : TAPE_ADDK, .a = other, .d2 = -1, .k = ka ? k : -k};
		break;
	case BXT_OP_MUL:
		*o = (bxt_operation){.op = TAPE_MULK, .a = other, .d2 = -1, .k = k};
		break;
	case BXT_OP_DIV:
		*o = (bxt_operation){
			.op = ka ? TAPE_KDIV : TAPE_DIVK, .a = other, .d2 = -1, .k = k};
		break;
	default:
		break;
	}
}

/* The value of an operation on numbers alone. */
static double fold(const bxt_fused_tape *p, bxt_operation o, bool second)
{
	double work[5] = {p->number[o.a], p->number[o.b], p->number[o.c], 0, 0};
	o.a = 0;
	o.b = 1;
	o.c = 2;
	o.d = o.d < 0 ? -1 : 3;
	o.d2 = o.d2 < 0 ? -1 : 4;
	bxt_operations_run(&o, 1, work);
	return work[second ? 4 : 3];
}

/*
 * Simplifies an operation with a number among its operands, so that it need not be carried out: for
 * `if` the selected branch, for 1 x and 0 + x the operand, for 0 x the number 0. -1: the operation
 * is needed.
 */
static int comes_to(bxt_fused_tape *p, const bxt_operation *o)
{
	if (o->op == BXT_OP_IF && p->known[o->a])
		return p->number[o->a] != 0 ? o->b : o->c;
	if ((o->op == TAPE_MULK || o->op == TAPE_DIVK) && o->k == 1)
		return o->a;
	if (o->op == TAPE_ADDK && o->k == 0)
		return o->a;
	return o->op == TAPE_MULK && o->k == 0 ? bxt_fused_tape_number(p, 0) : -1;
}

/* Adds an operation. *first and *second: the index of a number, of an operand, or of a new
 * result. */
static bxt_status add(bxt_fused_tape *p, bxt_operation o, int *first, int *second)
{
	const int n = bxt_operands(o.op);
	const bool known =
		(n < 1 || p->known[o.a]) && (n < 2 || p->known[o.b]) && (n < 3 || p->known[o.c]);
	*second = -1;
	if (known) {
		*first = bxt_fused_tape_number(p, fold(p, o, false));
		if (o.op == TAPE_SINCOS)
			*second = bxt_fused_tape_number(p, fold(p, o, true));
		return *first < 0 || (o.op == TAPE_SINCOS && *second < 0) ? BXT_ERR_MEMORY : BXT_OK;
	}
	if (n == 2)
		take_in_number(p, &o);
	if ((*first = comes_to(p, &o)) >= 0)
		return BXT_OK;
	BXT_TRY(BXT_GROW(p->operations, p->operations_capacity, p->n_operations + 1));
	o.d = o.d < 0 ? -1 : (*first = new_place(p, false, 0));
	o.d2 = o.d2 < 0 ? -1 : (*second = new_place(p, false, 0));
	p->operations[p->n_operations++] = o;
	return BXT_OK;
}

bxt_status bxt_fused_tape_join(bxt_fused_tape *p, const bxt_tape *tape, const int *variable,
			       int *results)
{
	/* the index of each register's present value */
	int *place = calloc((size_t)tape->n_registers + 1, sizeof *place);
	bxt_status status = place ? BXT_OK : BXT_ERR_MEMORY;
	for (int i = 0; i < tape->n_operations && status == BXT_OK; i++) {
		bxt_operation o = tape->operations[i];
		const int n = bxt_operands(o.op), d = o.d, d2 = o.d2;
		int first = -1, second = -1;
		o.a = n < 1 ? 0 : o.a >= 0 ? place[o.a] : variable[-1 - o.a];
		o.b = n < 2 ? o.a : o.b >= 0 ? place[o.b] : variable[-1 - o.b];
		o.c = n < 3 ? o.a : o.c >= 0 ? place[o.c] : variable[-1 - o.c];
		status = add(p, o, &first, &second);
		if (status == BXT_OK && ((d >= 0 && first < 0) || (d2 >= 0 && second < 0)))
			status = BXT_ERR_MEMORY;
		if (d >= 0)
			place[d] = first;
		if (d2 >= 0)
			place[d2] = second;
	}
	for (int k = 0; k < tape->n_results && status == BXT_OK; k++) {
		results[k] = tape->results[k] >= 0 ? place[tape->results[k]]
						   : variable[-1 - tape->results[k]];
		p->wanted[results[k]] = true;
	}
	free(place);
	return status;
}

/* Marks the operands of an operation. */
static void mark(const bxt_operation *o, bool *wanted)
{
	const int n = bxt_operands(o->op), operand[] = {o->a, o->b, o->c};
	for (int k = 0; k < n; k++)
		wanted[operand[k]] = true;
}

bxt_status bxt_fused_tape_trim(bxt_fused_tape *p)
{
	bool *wanted = malloc(p->n + 1);
	size_t n = 0;
	if (!wanted)
		return BXT_ERR_MEMORY;
	memcpy(wanted, p->wanted, p->n);
	for (size_t i = p->n_operations; i-- > 0;) {
		const bxt_operation *o = &p->operations[i];
		if ((o->d >= 0 && wanted[o->d]) || (o->d2 >= 0 && wanted[o->d2]))
			mark(o, wanted);
	}
	for (size_t i = 0; i < p->n_operations; i++) {
		const bxt_operation *o = &p->operations[i];
		if ((o->d >= 0 && wanted[o->d]) || (o->d2 >= 0 && wanted[o->d2]))
			p->operations[n++] = *o;
	}
	p->n_operations = n;
	free(wanted);
	return BXT_OK;
}

bxt_fused_view bxt_fused_tape_view(const bxt_fused_tape *p)
{
	return (bxt_fused_view){p->operations, (int)p->n_operations, (int)p->n,
				p->inputs,     (int)p->n_inputs,     p->known,
				p->number};
}

size_t bxt_fused_tape_work(const bxt_fused_tape *p)
{
	return p->n;
}

void bxt_fused_tape_start(const bxt_fused_tape *p, double *work)
{
	if (p->n > 0)
		memcpy(work, p->number, p->n * sizeof *work);
}

void bxt_fused_tape_run(const bxt_fused_tape *p, const double *const *sources, double *work)
{
	for (size_t i = 0; i < p->n_inputs; i++) /* there may be no array */
		work[p->inputs[i].place] = sources[p->inputs[i].source][p->inputs[i].index];
	bxt_operations_run(p->operations, (int)p->n_operations, work);
}

void bxt_fused_tape_start_points(const bxt_fused_tape *p, double *work)
{
	for (size_t i = 0; i < p->n; i++)
		for (int l = 0; l < BXT_POINTS; l++)
			work[i * BXT_POINTS + (size_t)l] = p->number[i];
}

void bxt_fused_tape_run_points(const bxt_fused_tape *p, const double *const *const *sources, int n,
			       double *work)
{
	for (size_t i = 0; i < p->n_inputs; i++) {
		const bxt_fused_input input = p->inputs[i];
		double *to = work + (size_t)input.place * BXT_POINTS;
		for (int l = 0; l < n; l++)
			to[l] = sources[l][input.source][input.index];
	}
	bxt_operations_run_points(p->operations, (int)p->n_operations, work, n);
}
