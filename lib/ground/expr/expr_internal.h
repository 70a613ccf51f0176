/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Internals shared by the files of lib/ground/expr; not for other folders. */
#ifndef BXT_EXPR_EXPR_INTERNAL_H
#define BXT_EXPR_EXPR_INTERNAL_H

#include "ground/expr/expr.h"

#include <math.h>

/* The nodes every graph starts with. */
enum { BXT_EX_ZERO = 0, BXT_EX_ONE = 1 };

/*
 * The shape of a node identifies like terms. A product has the same hash however it is associated.
 * a-b has the same hash as b-a; the two differ by `flip`.
 */
typedef struct bxt_shape {
	uint64_t hash;
	bool flip; /* an odd number of the factors are differences a-b with a > b */
} bxt_shape;

/*
 * Scratch for walks over the graph, as large as the graph, so that queries allocate nothing.
 * Therefore a graph serves one thread at a time.
 */
typedef struct bxt_scratch {
	bxt_ex *order; /* result of the last walk: operands before users */
	bxt_ex *stack;
	uint32_t *marks; /* mark: on the stack; mark + 1: in the order */
	double *values;
	uint8_t *degrees;
	size_t order_capacity, stack_capacity, mark_capacity, value_capacity, degree_capacity;
	uint32_t mark;
} bxt_scratch;

struct bxt_graph {
	bxt_node *nodes;   /* operands have smaller numbers than their users */
	bxt_shape *shapes; /* one a node */
	bxt_ex *table; /* open addressing; 0 is an empty entry (the node of 0 is never searched) */
	size_t node_capacity, shape_capacity, table_size;
	const bxt_curve **curves; /* nodes refer to them by number */
	size_t curve_capacity;
	int count, n_curves;
	bool failed;
	bxt_scratch scratch;
};

/* The node with these contents, made when missing. No simplification. */
bxt_ex bxt_graph_intern(bxt_graph *g, bxt_op op, bxt_ex a, bxt_ex b, bxt_ex c, double value);
/* The node of variable v, or -1 when there is none. */
bxt_ex bxt_graph_find_var(const bxt_graph *g, int v);
/*
 * Lists all nodes that n roots depend on, operands before users, in g->scratch.order (which keeps
 * its contents while nodes are built, but may move). Nodes x with stop[x] are listed but not
 * entered; stop may be NULL. Returns the number of nodes.
 */
int bxt_graph_walk(const bxt_graph *g, const bxt_ex *roots, int n, const uint8_t *stop);
/* The simplified node with another node's operation and the given operands. */
bxt_ex bxt_graph_rebuild(bxt_graph *g, bxt_node model, bxt_ex a, bxt_ex b, bxt_ex c);

/* Functions made of other operations (composite.c); v has the arguments in their order, and pwl
 * has n points. */
bxt_ex bxt_ex_log10(bxt_graph *g, bxt_ex x);
bxt_ex bxt_ex_mod(bxt_graph *g, bxt_ex x, bxt_ex y);
bxt_ex bxt_ex_ceil(bxt_graph *g, bxt_ex x);
bxt_ex bxt_ex_round(bxt_graph *g, bxt_ex x);
bxt_ex bxt_ex_ramp(bxt_graph *g, const bxt_ex *v);
bxt_ex bxt_ex_pulse(bxt_graph *g, const bxt_ex *v);
bxt_ex bxt_ex_pwl(bxt_graph *g, const bxt_ex *v, size_t n);

static inline bool bxt_op_is_unary(bxt_op op)
{
	return op >= BXT_OP_NEG && op <= BXT_OP_CURVE;
}

static inline bool bxt_op_is_comparison(bxt_op op)
{
	return op >= BXT_OP_LT && op <= BXT_OP_NE;
}

static inline bool bxt_op_is_leaf(bxt_op op)
{
	return op == BXT_OP_CONST || op == BXT_OP_VAR;
}

#ifdef __GLIBC__
void sincos(double angle, double *sine, double *cosine);
#endif

/*
 * The only sine and cosine of the program: a tape that needs only one of them gets the same bits.
 */
static inline void bxt_sincos(double angle, double *sine, double *cosine)
{
#ifdef __GLIBC__
	sincos(angle, sine, cosine);
#else
	*sine = sin(angle);
	*cosine = cos(angle);
#endif
}

static inline double bxt_sine(double angle)
{
	double s, c;
	bxt_sincos(angle, &s, &c);
	return s;
}

static inline double bxt_cosine(double angle)
{
	double s, c;
	bxt_sincos(angle, &s, &c);
	return c;
}

/* sign(0) is 0, and NaN stays NaN. */
static inline double bxt_sign(double x)
{
	return x > 0 ? 1.0 : x < 0 ? -1.0 : x;
}

/* One operation on numbers; unused operands b and c are ignored. */
static inline double bxt_op_apply(bxt_op op, double a, double b, double c)
{
	switch (op) {
	case BXT_OP_NEG:
		return -a;
	case BXT_OP_SQRT:
		return sqrt(a);
	case BXT_OP_EXP:
		return exp(a);
	case BXT_OP_LOG:
		return log(a);
	case BXT_OP_SIN:
		return bxt_sine(a);
	case BXT_OP_COS:
		return bxt_cosine(a);
	case BXT_OP_TAN:
		return tan(a);
	case BXT_OP_ASIN:
		return asin(a);
	case BXT_OP_ACOS:
		return acos(a);
	case BXT_OP_ATAN:
		return atan(a);
	case BXT_OP_SINH:
		return sinh(a);
	case BXT_OP_COSH:
		return cosh(a);
	case BXT_OP_TANH:
		return tanh(a);
	case BXT_OP_ABS:
		return fabs(a);
	case BXT_OP_SIGN:
		return bxt_sign(a);
	case BXT_OP_FLOOR:
		return floor(a);
	case BXT_OP_ADD:
		return a + b;
	case BXT_OP_SUB:
		return a - b;
	case BXT_OP_MUL:
		return a * b;
	case BXT_OP_DIV:
		return a / b;
	case BXT_OP_POW:
		return pow(a, b);
	case BXT_OP_ATAN2:
		return atan2(a, b);
	case BXT_OP_MIN:
		return a <= b ? a : b;
	case BXT_OP_MAX:
		return a >= b ? a : b;
	case BXT_OP_LT:
		return a < b ? 1.0 : 0.0;
	case BXT_OP_LE:
		return a <= b ? 1.0 : 0.0;
	case BXT_OP_EQ:
		return a == b ? 1.0 : 0.0;
	case BXT_OP_NE:
		return a != b ? 1.0 : 0.0;
	case BXT_OP_IF:
		return a != 0 ? b : c;
	case BXT_OP_CHORD: /* has a function and multiplicities: divided_difference.h */
	case BXT_OP_CURVE: /* need the graph's curves: curve_node.h */
	case BXT_OP_CURVE_CHORD:
	case BXT_OP_CONST:
	case BXT_OP_VAR:
	case BXT_OP_COUNT:
		break;
	}
	return NAN;
}

#endif
