/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An element type is the compiled form of a component. Its expressions are differentiated once and
 * compiled to tapes that all its elements share. In local coordinates q (nl), flows v (nl) and
 * multipliers lambda (ml) an element type contributes
 *
 *     P = dL/dv + m(q,v,t)            momenta, with what <momentum> adds             (nl)
 *     D = dP/dq v + dP/dt             the same, differentiated in time: massless rows (nl)
 *     F = dL/dq - dR/dv + f + G v     forces: potential, Rayleigh, external, gyrator  (nl)
 *     C = A(q) v - b(q,t)             own constraints, then flows into balance ports  (ml)
 *     K = (dC/dv)^T lambda            constraint forces, A^T lambda                   (nl)
 *
 * to p = dL/dv, p' = F + A^T lambda, A v = b. It does not depend on the scheme: a scheme combines
 * these outputs with its own coefficients.
 */
#ifndef BXT_ELEMENT_ELEMENT_TYPE_H
#define BXT_ELEMENT_ELEMENT_TYPE_H

#include "ground/expr/tape.h"
#include "model/component/component.h"
#include "model/element/vector_field.h"

/* The meaning of an output. Jacobian terms name the differentiated quantity and the variable:
 * PQ to FV stand in BXT_SET_JAC_DYN, CQ to KL in BXT_SET_JAC_CON, constant ones in
 * BXT_SET_JAC_CONST. */
typedef enum bxt_term {
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
	BXT_TERM_COUNT
} bxt_term;

/* One output: local row, and local column of a Jacobian entry (else -1). */
typedef struct bxt_entry {
	bxt_term term;
	int row, col;
} bxt_entry;

/* A variable that a tape reads, and its source. */
typedef enum bxt_source {
	BXT_FROM_BLOCK,
	BXT_FROM_Q,
	BXT_FROM_X,
	BXT_FROM_TIME,
	BXT_FROM_STEP,
	BXT_FROM_CONDITION
} bxt_source;
typedef struct bxt_read {
	int variable;
	bxt_source source;
	int index; /* row of the parameter block (parameters, hoisted), local x index 0 ... nl + ml
		    * - 1, or number of the condition */
} bxt_read;

/* An output set: a tape and the meaning of each output. Structural zeros are absent. */
typedef struct bxt_output_set {
	bxt_tape *tape;     /* NULL when n == 0 */
	bxt_entry *entries; /* (n) */
	int n;
	bxt_read *reads; /* (n_reads) */
	int n_reads;
} bxt_output_set;

typedef enum bxt_output_set_id {
	BXT_SET_DYNAMICS,   /* P, D, F */
	BXT_SET_CONSTRAINT, /* C, K */
	BXT_SET_REST,       /* P, D, F, C at v = 0, lambda = 0: sufficient for affine steps */
	BXT_SET_MOMENTUM,   /* P */
	BXT_SET_JAC_CONST,  /* Jacobian entries that depend on parameters alone */
	BXT_SET_JAC_DYN,    /* the others of P, D, F */
	BXT_SET_JAC_CON,    /* the others of C, K */
	BXT_SET_POWER,      /* rows: BXT_POWER_* */
	BXT_SET_PORTS,      /* power received by ports and bindings, rows: BXT_PORTS_* */
	BXT_SET_ENERGY,     /* v.dL/dv - L */
	BXT_SET_OUTPUT,     /* <output> expressions */
	BXT_SET_POSITION,   /* phi of position constraints, as term C in their rows */
	/*
	 * A written L_d with q@1 = q@0 + h v: term P is -D1 L_d - f^-, term F D2 L_d + f^+. Seen
	 * from the end of the step, q@0 = q@1 - h v, term P is D2 L_d + f^+ and F -D1 L_d - f^-.
	 */
	BXT_SET_DISCRETE,
	BXT_SET_DISCRETE_BACK,
	BXT_SET_JAC_DISCRETE, /* terms PV and FV alone */
	BXT_SET_JAC_DISCRETE_BACK,
	BXT_SET_DISCRETE_ACTION, /* a written L_d itself */
	/* slopes of its forces: PQ, PV are df^-/dq@0, df^-/dq@1; FQ, FV the same of f^+ */
	BXT_SET_JAC_DISCRETE_FORCE,
	/* Class F: the part that is not from L, -dR/dv + f + G v; then all its slopes, constant
	 * ones included. Used by rules with points of their own and by balances of forces. */
	BXT_SET_EXTERNAL,
	BXT_SET_JAC_EXTERNAL,
	/* Class FV: R and D of a port-Hamiltonian part, at the flows on which they act; the check
	 * of passivity reads them block by block. */
	BXT_SET_RESISTANCE,
	BXT_SET_UPDATE, /* term P, row of a state: its new value at a sample */
	/* A written L_d: term P is f^-, term F f^+; BACK: seen from the end of the step. */
	BXT_SET_DISCRETE_FORCE,
	BXT_SET_DISCRETE_FORCE_BACK,
	BXT_SET_READ,               /* term P, row k: value k that its plug-in reads */
	BXT_SET_EVENT,              /* term P, row k: values of its switches (bxt_switch.value) */
	BXT_SET_CONDITION,          /* term P, row k: changes its sign where condition k does */
	BXT_SET_DELAY,              /* term P, row k: what enters delay k */
	BXT_SET_DYNAMICS_BY_TIME,   /* P, D, F differentiated by the time that they read */
	BXT_SET_CONSTRAINT_BY_TIME, /* the same of C, K */
	BXT_SET_COUNT
} bxt_output_set_id;

/*
 * Rows of BXT_SET_POWER [W]: power of Rayleigh functions, of forces, of prescribed motion; the loss
 * by friction whose bound is a multiplier; the change of energy by explicit time dependence,
 * -dL/dt.
 */
enum {
	BXT_POWER_DISSIPATED,
	BXT_POWER_SUPPLIED,
	BXT_POWER_CONSTRAINT,
	BXT_POWER_FRICTION,
	BXT_POWER_OF_TIME,
	BXT_POWER_COUNT
};
/*
 * Rows of BXT_SET_PORTS: lambda.flow of balance ports; v.(D - F) and -v.K of the coordinates
 * of shared ports and bindings. D = p' there, exact for elements without inertia at them.
 */
enum { BXT_PORTS_BALANCE, BXT_PORTS_FORCES, BXT_PORTS_IMPULSES };

/*
 * The switches of an element: a row with bounds, or a mode. A row holds, or its multiplier is at a
 * bound, or it does not exist because of a mode.
 */
typedef enum bxt_switch_state {
	BXT_HOLDS,
	BXT_AT_LOWER,
	BXT_AT_UPPER,
	BXT_ABSENT,
	BXT_MODE_OFF = BXT_HOLDS,
	BXT_MODE_ON
} bxt_switch_state;

/* Values of a switch in BXT_SET_EVENT: of a row; of a mode, then of its actions. */
enum {
	BXT_SWITCH_GAP,  /* phi, or A v - b */
	BXT_SWITCH_RATE, /* A v - b */
	BXT_SWITCH_LOWER,
	BXT_SWITCH_UPPER,
	BXT_SWITCH_HOLD,
	BXT_SWITCH_RESTITUTION,
	BXT_SWITCH_ROW_VALUES,
	BXT_SWITCH_ON = 0, /* positive where the mode becomes 1; 0 */
	BXT_SWITCH_OFF,
	BXT_SWITCH_ACTION
};

typedef struct bxt_switch {
	bool row;
	int index;                /* of the constraint, or of the mode, in the component */
	const bxt_bounds *bounds; /* of a row */
	int parameter;            /* its first number among the parameters */
	int value;                /* its first value in BXT_SET_EVENT */
	bool has_lower, has_upper;
	int n_actions;
	int *action_on; /* (n_actions) local coordinates */
	bxt_ex initial; /* of a mode, in the type's graph */
} bxt_switch;

/*
 * The equations as expressions, in a graph of their own, for files that differentiate them further.
 */
typedef struct bxt_type_formulas {
	/* (nl, nl, nl) P, F and K; jet.h copies P and F */
	bxt_graph *graph;
	bxt_ex *momentum, *force, *reaction; /* reaction: K */
	/* (nl, ml, n_constraint, 1) for discrete_gradient.h: the part of F that is not from L, C,
	 * phi of position constraints, V = -L at rest */
	bxt_ex *external, *rows, *phi, *potential;
	bxt_ex *energy, *outputs; /* (1, component->n_outputs) for signals that read them */
	bxt_ex *requirements;     /* (component->n_requirements) of parameters, at least 0 */
	bxt_ex *before, *stored;  /* (component->n_delays) their `before` and `energy` */
} bxt_type_formulas;

/* The origin of local rows and coordinates. */
typedef struct bxt_type_origin {
	int *port_of_row;   /* (ml - n_constraint) port index of a balance row */
	int *port_of_coord; /* (n_shared) port index of a shared coordinate */
	int *sub_of_coord;  /* (n_shared) which of the port kind's coordinates */
	/* (component->n_bindings) the component that defines the names of each binding */
	const bxt_component *const *bound;
	int *binding_of_coord; /* (nl - n_own - n_shared) binding index of a bound coordinate */
	int *sub_of_bound;     /* (nl - n_own - n_shared) which of that component's coordinates */
} bxt_type_origin;

typedef struct bxt_element_type {
	const bxt_component *component;
	const char *key; /* component name and expression-valued parameters; unique */
	int n_parameter; /* numeric parameters in the component's order, then the time derivatives
			  * (rates) of those that may depend on time, then numbers of switches */
	bool *rate_used; /* (component->n_parameters) the equations use its rate */
	int n_hoisted;   /* values that depend on parameters alone, computed once per element */
	int nl, n_own;   /* local coordinates; first the component's own, */
	int n_shared;    /* then those of shared ports, then of bound elements */
	int ml, n_constraint; /* local rows; first its constraints, then balance ports */
	bxt_tape *prelude;    /* parameters -> hoisted values */
	bxt_output_set set[BXT_SET_COUNT];
	bool *massless;    /* (nl) P_a does not depend on flows */
	bool *flows_alone; /* (nl) P_a depends on flows and constant parameters alone */
	bool *has_term; /* (nl) P_a has a term of <momentum>, whose power is supplied, not stored */
	bool inertia_shared; /* dL/dv_a depends on flows for an a that is not its own */
	bool *uses;  /* (nl) an output depends on the coordinate or its flow, or acts on it */
	bool affine; /* every Jacobian entry depends on parameters alone */
	bool quadratic_energy;    /* only if affine: E has constant second derivatives */
	bool coupled_energy;      /* only if affine: some of them mix two coordinates */
	bool constant_rows;       /* A depends on parameters alone */
	bool dissipative;         /* a Rayleigh function is present */
	bool quadratic_positions; /* every phi is at most quadratic in coordinates and time */
	/* dL/dv is M v with a constant M; every phi is at most quadratic and free of time, and all
	 * other rows are constant */
	bool quadratic_motion;
	/* For references: groups of balance ports whose flows sum to zero identically. -1: no other
	 * ports balance the flow of this one, which ties its node to the reference. */
	int *port_group; /* (ml - n_constraint) */
	bxt_type_formulas formulas;
	bxt_type_origin origin;
	int *delayed;      /* (component->n_delays) coordinates whose flows they are */
	bxt_field *fields; /* (n_fields) its symmetries, on local coordinates */
	/* (n_constraint) of each <constraint> as written; not known where nothing was measured */
	bxt_measure *row_measure;
	int n_fields;
	bxt_switch *switches; /* (n_switches) rows, then modes */
	int n_switches;
	int n_conditions;           /* branches that depend on the motion (expr/conditions.h) */
	bool conditions_read_flows; /* some do so on flows or multipliers */
} bxt_element_type;

/* Variables of its tapes: [parameters][q][v][lambda][t][h][hoisted][offsets of conditions]. */
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
static inline int bxt_type_var_condition(const bxt_element_type *k)
{
	return bxt_type_var_hoisted(k) + k->n_hoisted;
}
static inline int bxt_type_n_var(const bxt_element_type *k)
{
	return bxt_type_var_condition(k) + k->n_conditions;
}

/*
 * Finds components by name; *broken: it exists but has errors. With `offer` NULL every name is
 * found, unless memory ends.
 */
typedef struct bxt_component_finder {
	const bxt_component *(*find)(void *context, const char *name, bool *broken);
	void (*offer)(void *context, void (*visit)(void *, const char *), void *visitor);
	void *context;
} bxt_component_finder;

/*
 * The components that define the names of the bindings, (component->n_bindings) in the arena. Every
 * component that a binding allows is found and must have the coordinates of the first one.
 * BXT_ERR_MODEL after findings.
 */
bxt_status bxt_type_find_bound(bxt_arena *arena, const bxt_component *component,
			       const bxt_component_finder *finder, bxt_diagnostics *d,
			       const bxt_component *const **bound);
/* The coordinate with that name and that name of its flow; -1: none. */
int bxt_component_coordinate(const bxt_component *component, const char *name, const char *flow);

/*
 * Finds names of expressions of other element types, for a component that is made to read them.
 * Works as lookup of a bxt_scope; `local` has the component's own names, including those of
 * coordinates of ports and bindings.
 */
typedef struct bxt_type_reader {
	bool (*read)(void *context, bxt_graph *g, const char *name, const bxt_scope *local,
		     bxt_ex *out);
	void *context;
} bxt_type_reader;

/* The input of bxt_type_compile; NULL: absent. */
typedef struct bxt_type_def {
	const bxt_component *component;
	const bxt_component *const *bound; /* result of bxt_type_find_bound */
	/* of_text[k], written at of_place[k], is the expression of parameter k, ignored unless k is
	 * expression-valued. It may use its argument and the names of `known`. NULL: the
	 * component's default, which may use its argument alone. */
	const char *const *of_text;
	const bxt_place *of_place;
	const bxt_scope *known;
	const bxt_type_reader *reader; /* the meaning of other names in the component's texts */
	/* (ports) is the port at the fixed node, whose coordinates are then numbers? NULL: they are
	 * variables at all ports, with the value 0 at the fixed node */
	const bool *fixed;
} bxt_type_def;

/*
 * Compiles a component. Memory in the arena, except tapes (bxt_type_release). NULL after findings
 * or when memory ends, with *status.
 */
bxt_element_type *bxt_type_compile(bxt_arena *arena, const bxt_type_def *def, bxt_diagnostics *d,
				   bxt_status *status);
/* Frees the tapes. NULL is allowed. */
void bxt_type_release(bxt_element_type *type);

/* The numbers of a switch in that state, to the parameters from its first on. */
void bxt_type_switch_numbers(const bxt_switch *s, bxt_switch_state state, double *numbers);

/* Index among numeric parameters of the component's parameter k; -1: expression-valued. */
int bxt_type_parameter(const bxt_component *component, int k);
/* The same for its rate, its time derivative; -1: it may not depend on time. */
int bxt_type_rate(const bxt_component *component, int k);

#endif
