/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that compile an element type, lowest first: units.c, lets.c, names.c,
 * derivatives.c, hamiltonian.c, symmetry.c, switches.c, equations.c, outputs.c, element_type.c. */
#ifndef BXT_ELEMENT_ELEMENT_INTERNAL_H
#define BXT_ELEMENT_ELEMENT_INTERNAL_H

#include "model/element/element_type.h"

/* Classes of variables, as bits for bxt_ex_classes. */
enum { ON_PARAMETER = 1, ON_Q = 2, ON_V = 4, ON_LAMBDA = 8, ON_TIME = 16, ON_STEP = 32 };

/* The values of a switch, while its type is compiled. */
struct bxt_switch_values_ex {
	bxt_ex gap, rate, lower, upper, hold, restitution; /* of a row */
	bxt_ex on, off, *action;                           /* of a mode */
};

/* Number of errors that are reported for one text; further ones mostly follow from these. */
enum { BXT_ERRORS_PER_TEXT = 8 };

/* The meaning of names in the text that is parsed. */
struct bxt_type_parsing {
	const char *only_name; /* while an of_text is parsed: its argument's name */
	bxt_ex only_value;
	const bxt_scope *only_known; /* and the further names it may use; NULL: none */
	bool no_expressions;         /* while an argument is parsed: it may use no of_value */
	bool measuring;              /* while dimensions are checked: of_value are variables */
	bool at_event;               /* while conditions are parsed: multipliers have names */
	bool discrete;               /* while L_d is parsed: names are q@0, q@1 (kept in q, v), h */
};

/* The momenta of a written discrete Lagrangian. */
struct bxt_type_step {
	bxt_ex *start, *end;             /* (nl) -D1 L_d - f^-, D2 L_d + f^+ in q@0, q@1; or NULL */
	bxt_ex action;                   /* L_d itself */
	bxt_ex *force_start, *force_end; /* (nl) f^-, f^+ in start, end; or NULL */
};

/* The rows of BXT_SET_POWER and BXT_SET_PORTS, and the energy. */
struct bxt_type_powers {
	bxt_ex supplied, constraint, friction, of_time, dissipated, energy;
	bxt_ex ports, shared, impulse_shared;
};

/* The state while an element type is compiled. */
struct bxt_type_maker {
	bxt_arena *arena;
	bxt_graph *g;
	bxt_element_type *k;
	const bxt_component *c;
	const bxt_type_def *def;
	struct bxt_type_parsing parsing;
	bxt_ex *of_value; /* (c->n_parameters) parsed expression-valued parameters */
	bxt_ex *output;   /* (c->n_outputs) parsed on first use */
	bool *output_known;
	bxt_ex *required; /* now */
	struct bxt_let_value {
		bxt_ex f;
		int terms;               /* the scope in which f is known; 0: none */
		bool is_read;            /* now */
		bool is_reported;        /* its errors */
	} * let;                         /* (c->n_lets) */
	int lets_inside;                 /* those that are being read */
	int *balance_row, *shared_coord; /* (c->n_ports) first local row or coordinate, -1 */
	int *bound_coord;                /* (c->n_bindings) first local coordinate */
	bxt_ex *P, *D, *F, *C, *K;       /* (nl, nl, nl, ml, nl) */
	bxt_ex *E;                       /* (nl) the part of F that is not from L */
	bxt_ex *phi;                     /* (n_constraint) phi of position constraints, else 0 */
	struct bxt_type_step step;
	struct bxt_type_powers power;
	/* (n_resistance) entries of R and D, in local coordinates */
	struct bxt_resistance {
		int row, col;
		bxt_ex f;
	} * resistance;
	int n_resistance;
	bxt_ex *update;                         /* (n_updates) */
	bxt_ex *delay;                          /* (3 n_delays) what enters, `before`, `energy` */
	bxt_ex *read;                           /* (plugin->n_reads) */
	struct bxt_switch_values_ex *of_switch; /* (k->n_switches) */
	uint32_t *class_of;                     /* (n_var) */
	bxt_diagnostics *d;
	int errors;
	bool failed; /* memory ended */
};

/* names.c */
/* "NAME.q" and "NAME.i" of local coordinates that are not the component's own; NULL: no memory. */
const char *bxt_type_coordinate_name(const struct bxt_type_maker *m, int a, bool flow);
/* The local coordinate a, and its flow: variables, or numbers at a fixed port. */
bxt_ex bxt_type_q(struct bxt_type_maker *m, int a);
bxt_ex bxt_type_v(struct bxt_type_maker *m, int a);
/* "port.wx": a flow that follows from the coordinates and flows of a shared port. */
bool bxt_type_derived_flow(struct bxt_type_maker *m, const char *name, bxt_ex *out);
/* Parses a written expression; 0 after findings. */
bxt_ex bxt_type_parse(struct bxt_type_maker *m, bxt_written w, const char *what, const char *of);
/* lets.c: names that stand for expressions, resolved in `scope` or that of the component. */
bxt_status bxt_type_lay_out_lets(struct bxt_type_maker *m);
bool bxt_type_let(struct bxt_type_maker *m, const bxt_scope *scope, const char *name, bxt_ex *out);
void bxt_type_forget_lets(struct bxt_type_maker *m);
/* The variable that is let i while dimensions are checked. */
static inline int bxt_type_measured_let(const struct bxt_type_maker *m, int i)
{
	return bxt_type_var_hoisted(m->k) + m->c->n_parameters + i;
}
/* names.c */
/* Finds the errors of all names of expressions, also of those that nothing uses. */
void bxt_type_parse_lets(struct bxt_type_maker *m);
/* The value of output i. */
bxt_ex bxt_type_output(struct bxt_type_maker *m, int i);
/* The argument of an expression-valued parameter: a coordinate, or an output's value. */
bxt_ex bxt_type_argument(struct bxt_type_maker *m, const bxt_parameter *p);
/* The local coordinate that a <force on> or <gyrator a, b> names; -1 after a finding. */
int bxt_type_find_coordinate(struct bxt_type_maker *m, const char *name, bxt_place place,
			     const char *what);

/* units.c: warns of a formula whose dimensions are not consistent, or not those of `what` "of",
 * which is the local coordinate a, or -1. */
void bxt_type_check_units(struct bxt_type_maker *m, bxt_written w, const bxt_scope *scope,
			  const char *what, const char *of, int a);

/* derivatives.c */
bool bxt_type_is_zero(const struct bxt_type_maker *m, bxt_ex f);
/* Is f affine in the n variables from `first` on, whatever other variables it contains? */
bool bxt_type_is_affine(struct bxt_type_maker *m, bxt_ex f, int first, int n);
/* OR of the class bits of all variables f depends on. */
uint32_t bxt_type_classes(const struct bxt_type_maker *m, bxt_ex f);
/* f with all flows and multipliers set to zero. */
bxt_ex bxt_type_at_rest(struct bxt_type_maker *m, bxt_ex f);
/* df/d(variables first ... first + n - 1) */
void bxt_type_gradient(struct bxt_type_maker *m, bxt_ex f, int first, int n, bxt_ex *out);

/* equations.c: P, D, F, C, K, powers and energy. */
void bxt_type_dynamics(struct bxt_type_maker *m);
/* hamiltonian.c: adds the port-Hamiltonian part to L and R, then to F and the powers; the output
 * flow of input k; the row of input k at a shared port. */
void bxt_type_hamiltonian_energies(struct bxt_type_maker *m, bxt_ex *L, bxt_ex *R);
void bxt_type_hamiltonian_forces(struct bxt_type_maker *m);
bxt_ex bxt_type_output_flow(struct bxt_type_maker *m, int k);
bxt_ex bxt_type_input_row(struct bxt_type_maker *m, int k);
bxt_status bxt_type_updates(struct bxt_type_maker *m);
bxt_status bxt_type_delays(struct bxt_type_maker *m);
/* The momenta of a written discrete Lagrangian. */
bxt_status bxt_type_discrete(struct bxt_type_maker *m);
/* Rewrites f[0..n) in q@0 and q@1: the other end of the step in terms of q, v and h. */
void bxt_type_other_end(struct bxt_type_maker *m, bxt_ex *f, int n, bool back);
bxt_status bxt_type_rows(struct bxt_type_maker *m);
/* Are the second derivatives of the energy by q and v independent of q and v? */
void bxt_type_judge_energy(struct bxt_type_maker *m);

/* switches.c: their numbers among the parameters. */
bxt_status bxt_type_lay_out_switches(struct bxt_type_maker *m);
void bxt_type_classify_switches(struct bxt_type_maker *m);
/* The force of row r, with the slopes dC/dv (nl), while its multiplier is at a bound. */
void bxt_type_bound_row(struct bxt_type_maker *m, int r, const bxt_ex *slope);
bxt_status bxt_type_modes(struct bxt_type_maker *m);
/* The values of switch i, in order; memory in the arena. */
int bxt_type_switch_values(struct bxt_type_maker *m, int i, const bxt_ex **list);

/* symmetry.c: the vector fields of symmetries. */
bxt_status bxt_type_fields(struct bxt_type_maker *m);

/* outputs.c: output sets, hoisting and tapes. */
bxt_status bxt_type_make_sets(struct bxt_type_maker *m);

/* element_type.c */
/* Counts local coordinates and rows, and makes room for the equations. */
bxt_status bxt_type_lay_out(struct bxt_type_maker *m);

#endif
