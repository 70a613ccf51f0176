/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Expressions as a hash-consed graph: equal subexpressions are one node, so derivatives share
 * common parts. Nodes are simplified when built. The graph contains no physics.
 *
 * Failure is sticky: when memory runs out a builder returns the node of 0 and bxt_graph_failed() is
 * true from then on; check once after building. All walks are iterative: deep input cannot exhaust
 * the stack. A graph serves one thread at a time, also where it is const: walks use its scratch
 * room.
 */
#ifndef BXT_EXPR_EXPR_H
#define BXT_EXPR_EXPR_H

#include "ground/expr/curve.h"

typedef int32_t bxt_ex; /* a node of a graph, >= 0 */

typedef enum bxt_op {
	BXT_OP_CONST,
	BXT_OP_VAR,
	/* unary */
	BXT_OP_NEG,
	BXT_OP_SQRT,
	BXT_OP_EXP,
	BXT_OP_LOG,
	BXT_OP_SIN,
	BXT_OP_COS,
	BXT_OP_TAN,
	BXT_OP_ASIN,
	BXT_OP_ACOS,
	BXT_OP_ATAN,
	BXT_OP_SINH,
	BXT_OP_COSH,
	BXT_OP_TANH,
	BXT_OP_ABS,
	BXT_OP_SIGN,
	BXT_OP_FLOOR, /* ceil, round, mod and periodic waveforms are built from it */
	BXT_OP_CURVE, /* a curve of the graph, or its derivative */
	/* binary */
	BXT_OP_ADD,
	BXT_OP_SUB,
	BXT_OP_MUL,
	BXT_OP_DIV,
	BXT_OP_POW,
	BXT_OP_ATAN2,
	BXT_OP_MIN,
	BXT_OP_MAX,
	/* comparisons: 1 or 0; in the language inside if() only */
	BXT_OP_LT,
	BXT_OP_LE,
	BXT_OP_EQ,
	BXT_OP_NE,
	/* ternary */
	BXT_OP_IF, /* a != 0 ? b : c */
	/* f[a,b] = (f(b) - f(a))/(b - a), not in the language (divided_difference.h); c: the
	 * exponent of a power, else -1 */
	BXT_OP_CHORD,
	BXT_OP_CURVE_CHORD, /* the same for a curve */
	BXT_OP_COUNT
} bxt_op;

typedef struct bxt_node {
	bxt_op op;
	bxt_ex a, b, c; /* operands, -1 where absent; for VAR a is the variable's index */
	/* CONST: the number. CHORD: the function and the multiplicities of its arguments. CURVE:
	 * the curve and the order of its derivative. CURVE_CHORD: both. */
	double value;
} bxt_node;

typedef struct bxt_graph bxt_graph;

bxt_graph *bxt_graph_new(void);
bxt_graph *bxt_graph_free(bxt_graph *g);
bool bxt_graph_failed(const bxt_graph *g);
/* Node x, valid until the next node is made. */
bxt_node bxt_graph_node(const bxt_graph *g, bxt_ex x);
int bxt_graph_size(const bxt_graph *g);

/* ---- Building (with simplification: constants folded, 0 and 1 removed, x-x, -(-x), ...) ---- */
/* Folding never turns a finite expression into a not-a-number: 0*x is 0, x/x stays. */
bxt_ex bxt_ex_const(bxt_graph *g, double value);
bxt_ex bxt_ex_var(bxt_graph *g, int index);
bxt_ex bxt_ex_unary(bxt_graph *g, bxt_op op, bxt_ex a);
bxt_ex bxt_ex_binary(bxt_graph *g, bxt_op op, bxt_ex a, bxt_ex b);
bxt_ex bxt_ex_if(bxt_graph *g, bxt_ex condition, bxt_ex yes, bxt_ex no);
bxt_ex bxt_ex_add(bxt_graph *g, bxt_ex a, bxt_ex b);
bxt_ex bxt_ex_sub(bxt_graph *g, bxt_ex a, bxt_ex b);
bxt_ex bxt_ex_mul(bxt_graph *g, bxt_ex a, bxt_ex b);
bxt_ex bxt_ex_div(bxt_graph *g, bxt_ex a, bxt_ex b);
bxt_ex bxt_ex_neg(bxt_graph *g, bxt_ex a);
/* The derivative of that order of a curve at a; the curve must outlive the graph and its tapes. */
bxt_ex bxt_ex_curve(bxt_graph *g, const bxt_curve *curve, int order, bxt_ex a);

/* ---- Parsing ---- */

/* The names that an expression may use. They may contain dots and '@' ("shaft.omega", "q@0"),
 * never '-'. */
typedef struct bxt_scope {
	/* Sets *out and returns true when the name is known. */
	bool (*lookup)(void *context, bxt_graph *g, const char *name, bxt_ex *out);
	/* Calls visit(visitor, name) for every known name, to find the nearest; may be NULL. */
	void (*names)(void *context, void (*visit)(void *visitor, const char *name), void *visitor);
	void *context;
	const bxt_curves *curves; /* functions besides those of the language; may be NULL */
} bxt_scope;

/* One error in a text: 1-based column and message. */
typedef struct bxt_expr_error {
	int column;
	char text[256]; /* cut when longer */
} bxt_expr_error;

/*
 * Parses the whole text into *out. ^ (right) > unary - > * / > + -; no implicit product; functions
 * sqrt exp log ln log10 sin cos tan asin acos atan atan2 sinh cosh tanh abs min max sign floor ceil
 * round mod, words of the language only before '('; if(c,a,b) with < <= > >= == != inside the
 * condition only; waveforms pulse(t,lo,hi,delay,rise,fall,width,period), pwl(t,t1,y1,...),
 * ramp(t,t0,t1,y0,y1); the scope's curves; the constant pi. log and ln are natural; round takes
 * halves away from 0; mod(x,y) has the sign of y. Unknown names and functions, wrong argument
 * counts and characters are collected (recovering), up to max_errors. Returns the number of errors;
 * *out is meaningful when it is 0. Nesting deeper than 200 is an error.
 */
int bxt_expr_parse(bxt_graph *g, const char *text, const bxt_scope *scope, bxt_ex *out,
		   bxt_expr_error *errors, int max_errors);

/* ---- Calculus ---- */

/*
 * Gradient by reverse accumulation: out[k] = df/d var[k], n entries, one pass for all of them. The
 * derivative of abs is sign, those of sign and floor are 0, that of min/max/if is the selected
 * branch's.
 */
void bxt_ex_gradient(bxt_graph *g, bxt_ex f, const int *vars, int n, bxt_ex *out);

/* f with var[k] replaced by with[k], simplified; the replacement is simultaneous. In place over
 * n_f. */
void bxt_ex_substitute(bxt_graph *g, bxt_ex *f, int n_f, const int *vars, const bxt_ex *with,
		       int n);

/* Copies f[0..n) into another graph, in place; nodes they share stay shared. The walk does not
 * use the scratch room of `from`. */
bxt_status bxt_ex_copy(bxt_graph *to, const bxt_graph *from, bxt_ex *f, int n);

/* ---- Facts ---- */

/* Is f a constant? Then *value is its number. */
bool bxt_ex_is_const(const bxt_graph *g, bxt_ex f, double *value);
/*
 * The bitwise OR of class_of[v] (n_var entries) over all variables v that f depends on. With one
 * bit for each class, one call finds whether f depends on flows, or on parameters alone.
 */
uint32_t bxt_ex_classes(const bxt_graph *g, bxt_ex f, const uint32_t *class_of, int n_var);
/* Does f depend on variable v (structurally)? */
bool bxt_ex_depends(const bxt_graph *g, bxt_ex f, int v);
/*
 * Is f jointly affine in all variables whose flag in_set[v] (n_var entries) is set: f = c + sum a_k
 * v_k with c and a_k free of them? Decided by degree bounds on the graph; if/min/max of these
 * variables are not affine. Conservative: the answer may be wrongly no, never wrongly yes.
 */
bool bxt_ex_affine(const bxt_graph *g, bxt_ex f, const bool *in_set, int n_var);

/*
 * Hoists what is constant in time. Every maximal non-trivial (not a leaf) subexpression of
 * out[0..n) whose variables all have allowed[v] set (n_var entries) is replaced by a new variable
 * n_var, n_var + 1, ... The replaced expressions are returned in *hoisted (heap, caller frees),
 * *n_hoisted.
 */
bxt_status bxt_ex_hoist(bxt_graph *g, bxt_ex *out, int n, const bool *allowed, int n_var,
			bxt_ex **hoisted, int *n_hoisted);

/* Value at a point (n_var values), for set-up and tests. */
double bxt_ex_value(const bxt_graph *g, bxt_ex f, const double *vars);

/* Infix text with minimal parentheses, for `describe`; name(context, v) names the variables.
 * Returns heap text (caller frees), NULL when out of memory. */
char *bxt_ex_text(const bxt_graph *g, bxt_ex f, const char *(*name)(void *context, int v),
		  void *context);

#endif
