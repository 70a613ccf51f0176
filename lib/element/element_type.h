/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A kind, a component made mathematics. Its expressions are differentiated once and become
 * tapes that every element shares. In local coordinates q (nl), flows v (nl) and multipliers
 * lambda (ml) a kind contributes
 *
 *     P = dL/dv                       momenta                                        (nl)
 *     D = dP/dq v + dP/dt             the same, differentiated in time: massless rows (nl)
 *     F = dL/dq - dR/dv + f + G v     forces: potential, Rayleigh, external, gyrator  (nl)
 *     C = A(q) v - b(q,t)             own constraints, then flows into balance ports  (ml)
 *     K = (dC/dv)^T lambda            constraint forces, A^T lambda                   (nl)
 *
 * (numerics of p = dL/dv, p' = F + A^T lambda, A v = b) and knows no scheme: a scheme combines
 * these classes with its own coefficients.
 */
#ifndef BXT_ELEMENT_ELEMENT_TYPE_H
#define BXT_ELEMENT_ELEMENT_TYPE_H

#include "component/component.h"
#include "element/vector_field.h"
#include "expr/tape.h"

/* What an output of a form is. Jacobian classes name the differentiated quantity and the variable:
 * PQ to FV stand in BXT_FORM_JAC_DYN, CQ to KL in BXT_FORM_JAC_CON, where they are not constant. */
typedef enum bxt_class {
	BXT_P,
	BXT_D,
	BXT_F,
	BXT_C,
	BXT_K,
	BXT_PQ,
	BXT_PV,
	BXT_DQ,
	BXT_DV,
	BXT_FQ,
	BXT_FV,
	BXT_CQ,
	BXT_CV,
	BXT_KQ,
	BXT_KL,
	BXT_CLASS_COUNT
} bxt_class;

/* One output of a form: local row, and local column of a Jacobian entry (else -1). */
typedef struct bxt_entry {
	bxt_class class;
	int row, col;
} bxt_entry;

/* A variable that a tape reads, and where it comes from. */
typedef enum bxt_source {
	BXT_FROM_BLOCK,
	BXT_FROM_Q,
	BXT_FROM_X,
	BXT_FROM_TIME,
	BXT_FROM_STEP
} bxt_source;
typedef struct bxt_read {
	int variable;
	bxt_source source;
	int index; /* row of the parameter block (parameters, hoisted), or local place 0 ... nl + ml
		      - 1 */
} bxt_read;

/* A tape with a meaning for each of its outputs; entries that are structurally zero are absent. */
typedef struct bxt_form {
	bxt_tape *tape;     /* NULL when n == 0 */
	bxt_entry *entries; /* (n) */
	int n;
	bxt_read *reads; /* (n_reads) */
	int n_reads;
} bxt_form;

typedef enum bxt_form_id {
	BXT_FORM_DYNAMICS,   /* P, D, F */
	BXT_FORM_CONSTRAINT, /* C, K */
	BXT_FORM_REST,       /* P, D, F, C at v = 0, lambda = 0: all that an affine step needs */
	BXT_FORM_MOMENTUM,   /* P */
	BXT_FORM_JAC_CONST,  /* Jacobian entries that depend on parameters alone */
	BXT_FORM_JAC_DYN,    /* the others of P, D, F */
	BXT_FORM_JAC_CON,    /* the others of C, K */
	BXT_FORM_POWER,      /* rows: BXT_POWER_* */
	BXT_FORM_PORTS,      /* what is received through ports and bindings, rows: BXT_PORTS_* */
	BXT_FORM_ENERGY,     /* v.dL/dv - L */
	BXT_FORM_OUTPUT,     /* <output> expressions */
	BXT_FORM_POSITION,   /* phi of position constraints, as class C in their rows */
	/*
	 * A written L_d with q@1 = q@0 + h v: class P is -D1 L_d - f^-, class F D2 L_d + f^+. Seen
	 * from the end of the step, q@0 = q@1 - h v, class P is D2 L_d + f^+ and F -D1 L_d - f^-.
	 */
	BXT_FORM_DISCRETE,
	BXT_FORM_DISCRETE_BACK,
	BXT_FORM_JAC_DISCRETE, /* classes PV and FV alone */
	BXT_FORM_JAC_DISCRETE_BACK,
	BXT_FORM_DISCRETE_ACTION, /* a written L_d itself */
	/* slopes of its forces: PQ and PV those of f^- by q@0 and q@1, FQ and FV those of f^+ */
	BXT_FORM_JAC_DISCRETE_FORCE,
	/* Of class F what does not come from L, -dR/dv + f + G v, and all its slopes, constant ones
	 * as well: for rules of their own and for balances of forces. */
	BXT_FORM_EXTERNAL,
	BXT_FORM_JAC_EXTERNAL,
	/* Class FV: R and D of a port-Hamiltonian part, at the flows that they act on; visited
	 * block by block, for its passivity. */
	BXT_FORM_RESISTANCE,
	BXT_FORM_UPDATE, /* class P in the row of a state: what it becomes at a sample */
	/* Of a written L_d: class P is f^-, class F f^+; and seen from the end of the step. */
	BXT_FORM_DISCRETE_FORCE,
	BXT_FORM_DISCRETE_FORCE_BACK,
	BXT_FORM_READ, /* class P in row k: what its plug-in reads as number k */
	BXT_FORM_COUNT
} bxt_form_id;

/* Rows of BXT_FORM_POWER [W]: by Rayleigh functions, by forces, by prescribed motion. */
enum { BXT_POWER_DISSIPATED, BXT_POWER_SUPPLIED, BXT_POWER_CONSTRAINT };
/*
 * Rows of BXT_FORM_PORTS: lambda.flow of balance ports; v.(D - F) and -v.K of the coordinates of
 * shared ports and bindings, where p' = D: the whole of it for elements without inertia there.
 */
enum { BXT_PORTS_BALANCE, BXT_PORTS_FORCES, BXT_PORTS_IMPULSES };

typedef struct bxt_element_type {
	const bxt_component *component;
	const char *key; /* component name and expression-valued parameters: equal keys, one kind */
	int n_parameter; /* numeric parameters, in the component's order without expression-valued
			    ones, then the rates of those that may depend on time */
	bool *rate_used; /* (component->n_parameters) its rate occurs in the equations */
	int n_hoisted;   /* values that depend on parameters alone, computed once per element */
	int nl, n_own;   /* local coordinates; the first n_own are the component's own, */
	int n_shared;    /* the next those of shared ports, the last those of bound elements */
	int ml, n_constraint; /* local rows; the first n_constraint are its constraints */
	bxt_tape *prelude;    /* parameters -> hoisted values */
	bxt_form form[BXT_FORM_COUNT];
	bool *massless;      /* (nl) dL/dv_a does not depend on flows */
	bool inertia_shared; /* it does for a coordinate that is not its own */
	bool *uses;  /* (nl) something depends on the coordinate or its flow, or acts on it */
	bool affine; /* every Jacobian entry depends on parameters alone */
	bool quadratic_energy;    /* E has constant second derivatives; asked where affine, */
	bool coupled_energy;      /* and then: some of them are by two coordinates */
	bool constant_rows;       /* A depends on parameters alone */
	bool dissipative;         /* a Rayleigh function is present */
	bool quadratic_positions; /* every phi is at most quadratic in coordinates and time */
	/* For references: the balance ports fall into groups whose flows sum to zero identically
	 * (-1: a port whose flow is not balanced by others, which ties its node to the reference).
	 */
	int *port_group; /* (ml - n_constraint) */
	/* (nl, nl) P and F as expressions, in a graph of their own: jet.h goes on there, */
	bxt_graph *graph;
	bxt_ex *momentum, *force;
	/* (nl, ml, n_constraint, 1) and discrete_gradient.h, of F what does not come from L, C, phi
	 * of position constraints, and V = -L at rest */
	bxt_ex *external, *rows, *phi, *potential;
	bxt_ex *energy, *outputs; /* (1, component->n_outputs) what others may read of it */
	/* Where the local rows and coordinates come from. */
	int *port_of_row;   /* (ml - n_constraint) port index of a balance row */
	int *port_of_coord; /* (n_shared) port index of a shared coordinate */
	int *sub_of_coord;  /* (n_shared) which of the port kind's coordinates */
	/* (component->n_bindings) the component whose names each binding uses */
	const bxt_component *const *bound;
	int *binding_of_coord; /* (nl - n_own - n_shared) binding index of a bound coordinate */
	int *sub_of_bound;     /* (nl - n_own - n_shared) which of that component's coordinates */
	bxt_field *fields;     /* (n_fields) its symmetries, on local coordinates */
	int n_fields;
} bxt_element_type;

/* Variables of a kind's tapes: [parameters][q][v][lambda][t][h][hoisted]. */
static inline int bxt_type_var_q(const bxt_element_type *k)
{
	return k->n_parameter;
}
static inline int bxt_type_var_v(const bxt_element_type *k)
{
	return bxt_type_var_q(k) + k->nl;
}
static inline int bxt_type_var_lambda(const bxt_element_type *k)
{
	return bxt_type_var_v(k) + k->nl;
}
static inline int bxt_type_var_t(const bxt_element_type *k)
{
	return bxt_type_var_lambda(k) + k->ml;
}
static inline int bxt_type_var_h(const bxt_element_type *k)
{
	return bxt_type_var_t(k) + 1;
}
static inline int bxt_type_var_hoisted(const bxt_element_type *k)
{
	return bxt_type_var_h(k) + 1;
}
static inline int bxt_type_n_var(const bxt_element_type *k)
{
	return bxt_type_var_hoisted(k) + k->n_hoisted;
}

/*
 * Where components are looked for by name; *broken: it is there, but has errors. Without offer
 * every name is found, unless memory ends.
 */
typedef struct bxt_component_finder {
	const bxt_component *(*find)(void *context, const char *name, bool *broken);
	void (*offer)(void *context, void (*visit)(void *, const char *), void *visitor);
	void *context;
} bxt_component_finder;

/*
 * The components whose names the bindings use, (component->n_bindings) in the arena. All that may
 * be bound are looked up: others must have the first one's coordinates. BXT_ERR_MODEL after
 * findings.
 */
bxt_status bxt_type_find_bound(bxt_arena *arena, const bxt_component *component,
			       const bxt_component_finder *finder, bxt_diagnostics *d,
			       const bxt_component *const **bound);
/* The coordinate of that name, when its flow has the other; -1 for none. */
int bxt_component_coordinate(const bxt_component *component, const char *name, const char *flow);

/*
 * Names of a component that is made for what it reads of other kinds: as lookup of a bxt_scope,
 * where `local` knows the component's own names, coordinates of ports and bindings among them.
 */
typedef struct bxt_type_reader {
	bool (*read)(void *context, bxt_graph *g, const char *name, const bxt_scope *local,
		     bxt_ex *out);
	void *context;
} bxt_type_reader;

/* What an element type is compiled from; NULL where there is none of it. */
typedef struct bxt_type_def {
	const bxt_component *component;
	const bxt_component *const *bound; /* what bxt_type_find_bound gave */
	/* of_text[k] is the expression of parameter k when it is expression-valued (else ignored),
	 * written at of_place[k]; it may use the names that `known` has besides what it is a
	 * function of. Where it is NULL the component's default counts, which has no such names. */
	const char *const *of_text;
	const bxt_place *of_place;
	const bxt_scope *known;
	const bxt_type_reader *reader; /* what other names in the component's texts mean */
} bxt_type_def;

/*
 * Compiles a component. Memory in the arena, except tapes (bxt_type_release). NULL after findings,
 * or when memory ends (*status tells).
 */
bxt_element_type *bxt_type_compile(bxt_arena *arena, const bxt_type_def *def, bxt_diagnostics *d,
				   bxt_status *status);
/* Frees the tapes. NULL is allowed. */
void bxt_type_release(bxt_element_type *type);

/* Numeric parameter's index of the component's parameter k, -1 for an expression-valued one. */
int bxt_type_parameter(const bxt_component *component, int k);
/* The same for its rate d/dt; -1 for one that does not depend on time. */
int bxt_type_rate(const bxt_component *component, int k);

#endif
