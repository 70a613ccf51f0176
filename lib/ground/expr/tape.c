/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compiles and runs tapes. First the nodes that the results need become operations, operands first.
 * Then registers (BXT_LANES doubles each) are assigned by liveness, the last one freed first, so
 * the working set stays in the first cache. A register is never source and destination of one
 * operation; so the loops can be restrict and vectorise without checks.
 */
#include "ground/expr/curve_node.h"
#include "ground/expr/divided_difference.h"
#include "ground/expr/tape_internal.h"

#include <stdlib.h>
#include <string.h>

bxt_tape *bxt_tape_free(bxt_tape *tape)
{
	if (tape) {
		free(tape->operations);
		free(tape->results);
		free(tape->reads);
		free(tape);
	}
	return NULL;
}

/* ---- Compilation ---- */

struct compiler {
	const bxt_graph *g;
	bxt_tape *tape;
	int *place; /* for each node: register, -1 - v, or NOWHERE */
	int *uses; /* number of operands that still refer to the node; results keep one reference */
	bxt_ex *other; /* for a sin its cos and for a cos its sin, -1 where absent */
	int *free_registers;
	int n_free;
};

enum { NOWHERE = INT32_MIN };

/* Is the operand a number that goes into the operation itself? */
static bool is_immediate(const bxt_graph *g, const bxt_node *x, bxt_ex operand)
{
	if (g->nodes[operand].op != BXT_OP_CONST)
		return false;
	/* builders put numbers first, except in a denominator; at most one operand is a number */
	switch (x->op) {
	case BXT_OP_ADD:
	case BXT_OP_SUB:
	case BXT_OP_MUL:
		return operand == x->a && g->nodes[x->b].op != BXT_OP_CONST;
	case BXT_OP_DIV:
		return g->nodes[x->a].op != BXT_OP_CONST || g->nodes[x->b].op != BXT_OP_CONST;
	default:
		return false;
	}
}

static int take_register(struct compiler *c)
{
	if (c->n_free > 0)
		return c->free_registers[--c->n_free];
	return c->tape->n_registers++;
}

static void release(struct compiler *c, bxt_ex x)
{
	if (x >= 0 && --c->uses[x] == 0 && c->place[x] >= 0)
		c->free_registers[c->n_free++] = c->place[x];
}

static bxt_operation *append(struct compiler *c, int op)
{
	bxt_operation *o = &c->tape->operations[c->tape->n_operations++];
	*o = (bxt_operation){.op = op, .d2 = -1};
	return o;
}

/* A number that needs a register. */
static void emit_fill(struct compiler *c, bxt_ex x)
{
	bxt_operation *o = append(c, TAPE_FILL);
	o->k = c->g->nodes[x].value;
	o->d = c->place[x] = take_register(c);
}

/* sin x and cos x together; an unused one is not stored. */
static void emit_sincos(struct compiler *c, bxt_ex x)
{
	const bxt_node node = c->g->nodes[x];
	const bxt_ex other = c->other[x];
	bxt_operation *o = append(c, TAPE_SINCOS);
	const int mine = c->place[x] = take_register(c);
	const int its = other < 0 ? -1 : (c->place[other] = take_register(c));
	o->a = c->place[node.a];
	o->d = node.op == BXT_OP_SIN ? mine : its;
	o->d2 = node.op == BXT_OP_SIN ? its : mine;
	release(c, node.a);
	if (other >= 0)
		release(c, node.a);
}

static void emit_binary(struct compiler *c, bxt_ex x)
{
	const bxt_graph *g = c->g;
	const bxt_node node = g->nodes[x];
	const bool ka = is_immediate(g, &node, node.a), kb = is_immediate(g, &node, node.b);
	bxt_operation *o = append(c, (int)node.op);
	if (ka || kb) {
		o->k = g->nodes[ka ? node.a : node.b].value;
		o->a = c->place[ka ? node.b : node.a];
		o->op = node.op == BXT_OP_ADD   ? TAPE_ADDK
			: node.op == BXT_OP_SUB ? TAPE_SUBK
			: node.op == BXT_OP_MUL ? TAPE_MULK
			: ka                    ? TAPE_KDIV
						: TAPE_DIVK;
	} else {
		o->a = c->place[node.a];
		o->b = c->place[node.b];
	}
	o->d = c->place[x] = take_register(c); /* before the operands are released */
	if (!ka)
		release(c, node.a);
	if (!kb)
		release(c, node.b);
}

static void emit(struct compiler *c, bxt_ex x)
{
	const bxt_node node = c->g->nodes[x];
	if (c->place[x] != NOWHERE || c->uses[x] == 0)
		return; /* a variable, the other half of a sincos, or an immediate number */
	if (node.op == BXT_OP_CONST) {
		emit_fill(c, x);
	} else if (node.op == BXT_OP_SIN || node.op == BXT_OP_COS) {
		emit_sincos(c, x);
	} else if (node.b >= 0 && node.c < 0 && node.op != BXT_OP_CHORD &&
		   node.op != BXT_OP_CURVE_CHORD) {
		emit_binary(c, x);
	} else {
		const bool curve = node.op == BXT_OP_CURVE || node.op == BXT_OP_CURVE_CHORD;
		bxt_operation *o = append(c, (int)node.op);
		o->k = node.value;
		if (curve) {
			o->op = TAPE_CURVE + bxt_curve_use_code(bxt_curve_use_of(&node));
			o->curve = bxt_curve_of(c->g, &node);
		}
		o->a = c->place[node.a];
		o->b = node.b >= 0 ? c->place[node.b] : 0;
		o->c = node.c >= 0 ? c->place[node.c] : 0;
		o->d = c->place[x] = take_register(c);
		release(c, node.a);
		release(c, node.b);
		release(c, node.c);
	}
}

/* Counts uses, pairs sines with cosines, locates the variables. */
static void prepare(struct compiler *c, const bxt_ex *order, int count)
{
	const bxt_graph *g = c->g;
	bxt_tape *tape = c->tape;
	for (int i = 0; i < count; i++) {
		const bxt_ex x = order[i];
		const bxt_node node = g->nodes[x];
		c->place[x] = NOWHERE;
		if (node.op == BXT_OP_VAR) {
			c->place[x] = -1 - node.a;
			tape->reads[node.a] = true;
			continue;
		}
		const bxt_ex operands[3] = {node.a, node.b, node.c};
		for (int k = 0; k < 3; k++)
			if (operands[k] >= 0 && !is_immediate(g, &node, operands[k]))
				c->uses[operands[k]]++;
	}
}

/* Pairs sin x with cos x: `half[x]` stores the first of the two. */
static void pair_sincos(struct compiler *c, const bxt_ex *order, int count, bxt_ex *half)
{
	for (int i = 0; i < count; i++) {
		const bxt_ex x = order[i];
		const bxt_node node = c->g->nodes[x];
		c->other[x] = -1;
		half[x] = -1;
		if (node.op != BXT_OP_SIN && node.op != BXT_OP_COS)
			continue;
		if (half[node.a] < 0) {
			half[node.a] = x;
		} else {
			c->other[x] = half[node.a];
			c->other[half[node.a]] = x;
		}
	}
}

static bxt_ex highest(const bxt_ex *x, int n)
{
	bxt_ex most = 0;
	for (int i = 0; i < n; i++)
		most = x[i] > most ? x[i] : most;
	return most;
}

static int count_inputs(const bxt_graph *g, const bxt_ex *order, int count)
{
	int inputs = 0;
	for (int i = 0; i < count; i++) {
		const bxt_node node = g->nodes[order[i]];
		if (node.op == BXT_OP_VAR && node.a >= inputs)
			inputs = node.a + 1;
	}
	return inputs;
}

static void generate(struct compiler *c, const bxt_ex *order, int count, const bxt_ex *expressions)
{
	bxt_tape *tape = c->tape;
	prepare(c, order, count);
	pair_sincos(c, order, count, c->free_registers); /* its memory is not needed yet */
	for (int k = 0; k < tape->n_results; k++)
		c->uses[expressions[k]]++;
	for (int i = 0; i < count; i++)
		emit(c, order[i]);
	for (int k = 0; k < tape->n_results; k++)
		tape->results[k] = c->place[expressions[k]];
}

bxt_tape *bxt_tape_compile(const bxt_graph *g, const bxt_ex *expressions, int n)
{
	const size_t size = (size_t)highest(expressions, n) + 1;
	const int count = bxt_graph_walk(g, expressions, n, NULL);
	const bxt_ex *order = g->scratch.order;
	bxt_tape *tape = calloc(1, sizeof *tape);
	struct compiler c = {.g = g,
			     .tape = tape,
			     .place = calloc(size, sizeof *c.place),
			     .uses = calloc(size, sizeof *c.uses),
			     .other = calloc(size, sizeof *c.other),
			     .free_registers = calloc(size, sizeof *c.free_registers)};
	bool ok = tape && c.place && c.uses && c.other && c.free_registers;
	if (ok) {
		tape->n_results = n;
		tape->n_inputs = count_inputs(g, order, count);
		tape->operations = calloc((size_t)count + 1, sizeof *tape->operations);
		tape->results = calloc((size_t)n + 1, sizeof *tape->results);
		tape->reads = calloc((size_t)tape->n_inputs + 1, sizeof *tape->reads);
		ok = tape->operations && tape->results && tape->reads;
	}
	if (ok)
		generate(&c, order, count, expressions);
	else
		tape = bxt_tape_free(tape);
	free(c.place);
	free(c.uses);
	free(c.other);
	free(c.free_registers);
	return tape;
}

/* ---- Questions ---- */

int bxt_tape_operations(const bxt_tape *tape)
{
	return tape->n_operations;
}

size_t bxt_tape_work(const bxt_tape *tape)
{
	return (size_t)tape->n_registers * BXT_LANES;
}

bool bxt_tape_reads(const bxt_tape *tape, int v)
{
	return v >= 0 && v < tape->n_inputs && tape->reads[v];
}

#if defined(__GNUC__)
#define ALWAYS_INLINE __attribute__((always_inline))
#define ALIGNED(pointer, bytes) __builtin_assume_aligned((pointer), (bytes))
#else
#define ALWAYS_INLINE
#define ALIGNED(pointer, bytes) (pointer)
#endif

/* The address of an operand. Registers are `apart` doubles apart; variables are behind `in`. */
static inline ALWAYS_INLINE const double *locate(int place, const double *const *in,
						 const double *work, size_t apart)
{
	/* fused tapes, packed, have no variables elsewhere */
	return apart < BXT_LANES || place >= 0 ? work + (ptrdiff_t)place * (ptrdiff_t)apart
					       : in[-1 - place];
}

const double *bxt_tape_result(const bxt_tape *tape, int k, const double *const *in,
			      const double *work)
{
	return locate(tape->results[k], in, work, BXT_LANES);
}

/* ---- Evaluation ---- */

/*
 * Wider vectors if the processor has them. AVX2 alone introduces no fused multiply-add, so the bits
 * are the same. Not with sanitizers, which are not initialised when the loader selects the version.
 */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__) &&       \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

#define LANES(expression)                                                                          \
	do {                                                                                       \
		for (int i = 0; i < lanes; i++)                                                    \
			d[i] = (expression);                                                       \
	} while (0);                                                                               \
	break

/* Functions of the C math library, one lane after the other. */
static void run_function(const bxt_operation *o, const double *a, const double *b, const double *c,
			 double *d, int lanes)
{
	switch (o->op) {
	case BXT_OP_EXP:
		LANES(exp(a[i]));
	case BXT_OP_LOG:
		LANES(log(a[i]));
	case BXT_OP_TAN:
		LANES(tan(a[i]));
	case BXT_OP_ASIN:
		LANES(asin(a[i]));
	case BXT_OP_ACOS:
		LANES(acos(a[i]));
	case BXT_OP_ATAN:
		LANES(atan(a[i]));
	case BXT_OP_SINH:
		LANES(sinh(a[i]));
	case BXT_OP_COSH:
		LANES(cosh(a[i]));
	case BXT_OP_TANH:
		LANES(tanh(a[i]));
	case BXT_OP_POW:
		LANES(pow(a[i], b[i]));
	case BXT_OP_ATAN2:
		LANES(atan2(a[i], b[i]));
	case BXT_OP_CHORD: /* c is ignored where there is no exponent */
		LANES(bxt_chord_value(o->k, a[i], b[i], c[i]));
	default:
		break;
	}
}

/* Numbers of fused tapes are packed, blocks BXT_LANES apart and aligned. */
static inline ALWAYS_INLINE void run_sincos(const bxt_operation *o, const double *a, double *work,
					    int lanes, const size_t apart)
{
	double unused[BXT_LANES];
	double *sine = o->d < 0 ? unused : work + (size_t)o->d * apart;
	double *cosine = o->d2 < 0 ? unused : work + (size_t)o->d2 * apart;
	for (int i = 0; i < lanes; i++)
		bxt_sincos(a[i], &sine[i], &cosine[i]);
}

/* b is ignored where the node is no chord. */
static void run_curve(const bxt_operation *o, const double *a, const double *b, double *d,
		      int lanes)
{
	const bxt_curve_use use = bxt_curve_use_decode(o->op - TAPE_CURVE);
	for (int i = 0; i < lanes; i++)
		d[i] = bxt_curve_node_value(o->curve, use, a[i], b[i]);
}

/* `lanes` is a constant after inlining: each loop has a fixed length. Functions, which take long,
 * are evaluated for the first `used` lanes. */
static inline ALWAYS_INLINE void run(const bxt_operation *o, const bxt_operation *end,
				     const double *const *in, double *work, const int lanes,
				     const size_t apart, int used)
{
	for (; o < end; o++) {
		if (o->op >= TAPE_SPECIAL) {
			if (o->op == TAPE_SINCOS)
				run_sincos(o, locate(o->a, in, work, apart), work, used, apart);
			else
				run_curve(o, locate(o->a, in, work, apart),
					  locate(o->b, in, work, apart),
					  work + (size_t)o->d * apart, used);
			continue;
		}
		const double *restrict a =
			o->op == TAPE_FILL ? work : locate(o->a, in, work, apart);
		const double *restrict b = locate(o->b, in, work, apart);
		const double *restrict c = locate(o->c, in, work, apart);
		double *restrict d = apart == 1          ? work + o->d
				     : apart < BXT_LANES ? ALIGNED(work + (size_t)o->d * apart, 32)
							 : ALIGNED(work + (size_t)o->d * apart, 64);
		const double k = o->k;
		switch (o->op) {
		case BXT_OP_ADD:
			LANES(a[i] + b[i]);
		case BXT_OP_SUB:
			LANES(a[i] - b[i]);
		case BXT_OP_MUL:
			LANES(a[i] * b[i]);
		case BXT_OP_DIV:
			LANES(a[i] / b[i]);
		case TAPE_ADDK:
			LANES(k + a[i]);
		case TAPE_SUBK:
			LANES(k - a[i]);
		case TAPE_MULK:
			LANES(k * a[i]);
		case TAPE_DIVK:
			LANES(a[i] / k);
		case TAPE_KDIV:
			LANES(k / a[i]);
		case TAPE_FILL:
			LANES(k);
		case BXT_OP_NEG:
			LANES(-a[i]);
		case BXT_OP_SQRT:
			LANES(sqrt(a[i]));
		case BXT_OP_ABS:
			LANES(fabs(a[i]));
		case BXT_OP_SIGN:
			LANES(bxt_sign(a[i]));
		case BXT_OP_FLOOR:
			LANES(floor(a[i]));
		case BXT_OP_MIN:
			LANES(a[i] <= b[i] ? a[i] : b[i]);
		case BXT_OP_MAX:
			LANES(a[i] >= b[i] ? a[i] : b[i]);
		case BXT_OP_LT:
			LANES(a[i] < b[i] ? 1.0 : 0.0);
		case BXT_OP_LE:
			LANES(a[i] <= b[i] ? 1.0 : 0.0);
		case BXT_OP_EQ:
			LANES(a[i] == b[i] ? 1.0 : 0.0);
		case BXT_OP_NE:
			LANES(a[i] != b[i] ? 1.0 : 0.0);
		case BXT_OP_IF:
			LANES(a[i] != 0 ? b[i] : c[i]);
		default:
			run_function(o, a, b, c, d, used);
			break;
		}
	}
}

WIDE void bxt_tape_run(const bxt_tape *tape, const double *const *in, double *work)
{
	run(tape->operations, tape->operations + tape->n_operations, in, work, BXT_LANES, BXT_LANES,
	    BXT_LANES);
}

WIDE static void run_few(const bxt_tape *tape, const double *const *in, double *work)
{
	run(tape->operations, tape->operations + tape->n_operations, in, work, BXT_FEW_LANES,
	    BXT_LANES, BXT_FEW_LANES);
}

static void run_one(const bxt_tape *tape, const double *const *in, double *work)
{
	run(tape->operations, tape->operations + tape->n_operations, in, work, 1, BXT_LANES, 1);
}

void bxt_tape_run_first(const bxt_tape *tape, const double *const *in, double *work, int count)
{
	if (count == 1)
		run_one(tape, in, work);
	else if (count <= BXT_FEW_LANES)
		run_few(tape, in, work);
	else
		bxt_tape_run(tape, in, work);
}

void bxt_operations_run(const bxt_operation *operations, int n, double *work)
{
	if (n > 0) /* otherwise there may be no array */
		run(operations, operations + n, NULL, work, 1, 1, 1);
}

WIDE void bxt_operations_run_points(const bxt_operation *operations, int n, double *work,
				    int points)
{
	if (n > 0)
		run(operations, operations + n, NULL, work, BXT_POINTS, BXT_POINTS, points);
}
