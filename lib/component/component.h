/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A component as written: names, units and expression texts with their places. Checked for
 * everything that can be told without an element; turning it into mathematics is floor 4's kind.
 */
#ifndef BXT_COMPONENT_COMPONENT_H
#define BXT_COMPONENT_COMPONENT_H

#include "component/quantity.h"
#include "component/retraction.h"
#include "expr/curve.h"
#include "netlist/netlist.h"

/* ---- Kinds of ports (port_kind.c: one const table, the design's "Kinds of ports") ---- */
enum { BXT_PORT_MAX_COORDINATES = 3 };
typedef enum bxt_port_type { BXT_PORT_BALANCE, BXT_PORT_SHARED } bxt_port_type;
typedef struct bxt_port_kind {
	const char *name; /* "electrical" */
	bxt_port_type type;
	int n; /* coordinates: 1, or 3 for planar */
	const char *coordinate[BXT_PORT_MAX_COORDINATES],
		*coordinate_unit[BXT_PORT_MAX_COORDINATES];
	const char *flow[BXT_PORT_MAX_COORDINATES], *flow_unit[BXT_PORT_MAX_COORDINATES];
	const char *effort[BXT_PORT_MAX_COORDINATES], *effort_unit[BXT_PORT_MAX_COORDINATES];
	const char
		*ground; /* the name of the fixed node: "0" for balance kinds, "wall" for shared */
} bxt_port_kind;
extern const bxt_port_kind bxt_port_kinds[];
extern const int bxt_port_kind_count;
const bxt_port_kind *bxt_port_kind_find(const char *name);

/* ---- The component ---- */
/* An expression as written. */
typedef struct bxt_written {
	const char *text; /* NULL when absent */
	bxt_place place;
} bxt_written;

typedef struct bxt_parameter {
	const char *name, *unit, *doc; /* unit "" for a pure number; doc "" when absent */
	bool has_default;
	double default_value;
	bool positive, time; /* must be > 0; may be an expression in t */
	double min, max;     /* -inf, inf when not given */
	/* Name of the coordinate or output that an expression-valued parameter is a function of
	 * (attribute of="q": the element gives an expression in it, e.g. an energy); NULL for a
	 * number. */
	const char *of;
	const char *default_text; /* of an expression-valued one; NULL when none */
	bxt_place place;
} bxt_parameter;

/*
 * Coordinates of signals: a state z with z' = rate; of a signal u the time integral, whose flow u
 * is. They have no inertia and no reaction: z' = rate, u = expression are all that acts on them.
 */
typedef enum bxt_role {
	BXT_PLAIN,
	BXT_STATE,
	BXT_SIGNAL_IN,
	BXT_SIGNAL_OUT,
	BXT_PENDING, /* the next value of a sampled state that waits for its delay: the place behind
			that of the state */
} bxt_role;

typedef struct bxt_coordinate {
	const char *name, *unit, *flow, *flow_unit; /* flow_unit is "UNIT.s-1" text */
	bxt_role role;
	bxt_place place;
} bxt_coordinate;

typedef struct bxt_port {
	const char *name;
	const bxt_port_kind *kind;
	bxt_written flow; /* balance ports: the flow into the element at this port */
	/* k + 1: its flow is the output of input k of the port-Hamiltonian part, or that's input,
	 * -k - 1: minus it, where what enters at another port leaves; 0: neither */
	int input;
	bxt_place place;
} bxt_port;

/* Another element whose coordinates the expressions use, as NAME.q and NAME.i. */
typedef struct bxt_binding {
	const char *name, *doc;
	const char **components; /* (n) names of what it may be; the first one's names are used */
	int n_components;
	bxt_place place;
} bxt_binding;

typedef struct bxt_force {
	const char *on; /* a coordinate: own name, "port.coordinate" of a shared port, or
			   "binding.coordinate" */
	bool relation;  /* not a force: what the coordinate's flow is, of a state or signal */
	bxt_written expression;
} bxt_force;

/* What a state becomes at each sample; between them it stays as it is. */
typedef struct bxt_update {
	const char *of; /* a state */
	bxt_written expression;
} bxt_update;

/*
 * A shared object that gives states their next values at each sample, in place of <update>s
 * (boxtimes_plugin.h). Which file is loaded an element may say, and the one who runs it.
 */
typedef struct bxt_plugin_part {
	const char *file;    /* as written, beside the component's file; NULL: none */
	const char **reads;  /* (n_reads) names of its scope, values of which it gets */
	const char **writes; /* (n_writes) states */
	int n_reads, n_writes;
	bxt_place place;
} bxt_plugin_part;

/* When: at multiples of the period, in force after the delay; parameters in seconds. */
typedef struct bxt_sample {
	const char *period, *delay; /* delay NULL: none */
	bxt_place place;
} bxt_sample;

/* Part of a discrete Lagrangian's force: f^- on q@0, or f^+ on q@1. */
typedef struct bxt_discrete_force {
	const char *on; /* a coordinate as in bxt_force */
	bool at_end;    /* f^+ */
	bxt_written expression;
} bxt_discrete_force;

typedef struct bxt_gyrator {
	const char *a, *b; /* coordinates as in bxt_force: F_a -= k v_b, F_b += k v_a */
	bxt_written k;
} bxt_gyrator;

typedef struct bxt_constraint {
	const char *name;
	bool position; /* kind="position"; else kind="flow" */
	bxt_written expression;
	int input; /* k + 1: the row of input k of the port-Hamiltonian part, not written; else 0 */
} bxt_constraint;

/* An entry of a matrix: an expression, or where text is NULL a number. */
typedef struct bxt_matrix_entry {
	int row, col;
	bxt_written written;
	double number;
} bxt_matrix_entry;

/* A matrix by entries; those that are not there are 0. */
typedef struct bxt_matrix {
	bxt_matrix_entry *entry; /* (n) */
	int n, rows, cols;       /* 0 x 0: it is not given */
	bxt_place place;
} bxt_matrix;

/* What an input is: the effort or the flow at a port, or a parameter that may follow time. */
typedef enum bxt_input_kind { BXT_INPUT_EFFORT, BXT_INPUT_FLOW, BXT_INPUT_SIGNAL } bxt_input_kind;
typedef struct bxt_input {
	bxt_input_kind kind;
	const char *name; /* of the port or the parameter */
	bxt_matrix b;     /* (n x 1) its column of B */
	/* The coordinate whose flow the input is: an own one's index, or of a shared port "a.x";
	 * of an effort with feed-through the integral of the effort; -1, NULL: there is none */
	int coordinate;
	const char *shared;
	int output; /* the coordinate whose flow is the output, where the input is an effort with
		       feed-through; -1 */
	bxt_place place;
} bxt_input;

/*
 * A port-Hamiltonian part (Barbero-Linan et al., section 7; van der Schaft and Jeltsema,
 * Port-Hamiltonian systems theory, 2014), with states x and efforts e:
 *
 *     E x' = (J(x) - R(x)) e + B(x) u ,   E^T e = dH/dx ,   y = B^T e + D u
 *
 * Each state is a coordinate, each effort the flow of another: L = -s.E x' - H with s' = e.
 */
typedef struct bxt_hamiltonian {
	int n, first_state, first_effort; /* coordinates: states x, then integrals s of efforts */
	bxt_written energy;               /* H; text NULL: q alone */
	bxt_matrix q;                     /* x^T Q x / 2, added to H */
	bxt_matrix e, j, r, d;            /* E (absent: 1), J, R, D */
	bxt_input *inputs;
	int n_inputs;
	bxt_place place;
} bxt_hamiltonian;
/* Coordinates that lie on a manifold; its rows are among the constraints. */
typedef struct bxt_manifold {
	const char *name, *kind_name, *retraction_name, *coordinate_names; /* as written */
	const bxt_manifold_kind *kind;
	const bxt_retraction *retraction; /* of the scheme theta */
	int n, *coordinate;               /* (n) own coordinates */
	bxt_place place;
} bxt_manifold;

typedef struct bxt_output {
	const char *name, *unit, *doc;
	bxt_written expression;
} bxt_output;

/* A component of a vector field. */
typedef struct bxt_generator {
	const char *on; /* a coordinate as in bxt_force */
	bxt_written expression;
} bxt_generator;

/* A vector field on the component's coordinates along which its Lagrangian should not change. */
typedef struct bxt_symmetry {
	const char *name, *doc;
	bxt_place place;
	bxt_generator *generators;
	int n_generators;
} bxt_symmetry;

typedef struct bxt_component {
	const char *name, *domain, *doc;
	bxt_place place;
	bxt_parameter *parameters;
	bxt_coordinate *coordinates;
	bxt_port *ports;
	bxt_binding *bindings;
	bxt_written lagrangian, rayleigh; /* text NULL: 0. */
	/* L_d(q@0, q@1, h) with its forces, in place of a rule of dirac+ and dirac-; NULL: a rule
	 */
	bxt_written discrete_lagrangian;
	bxt_discrete_force *discrete_forces;
	bxt_force *forces;
	bxt_gyrator *gyrators;
	bxt_constraint *constraints;
	bxt_manifold *manifolds;
	bxt_output *outputs;
	bxt_hamiltonian *hamiltonian; /* or NULL */
	bxt_update *updates;
	bxt_sample sample;       /* period NULL: nothing is sampled */
	bxt_plugin_part *plugin; /* or NULL */
	bxt_symmetry *symmetries;
	bxt_curves curves; /* functions of its expressions */
	int n_parameters, n_coordinates, n_ports, n_bindings, n_forces, n_gyrators, n_constraints,
		n_outputs, n_discrete_forces, n_updates, n_symmetries, n_manifolds;
} bxt_component;

/*
 * Reads a <component> element of a tree. Memory in the arena; strings are copied. All findings to d
 * (unknown elements and attributes with the nearest name, duplicate names in the one scope,
 * reserved names, unknown port kinds, bad units and defaults, missing attributes, names that no
 * expression could hold). NULL when any was an error or memory ended. Expressions are only checked
 * for presence here: their names are resolved by floor 4.
 */
bxt_component *bxt_component_read(bxt_arena *arena, const bxt_item *element, bxt_units *units,
				  bxt_diagnostics *d);

/* The component's own coordinate of that name; -1: none. */
int bxt_component_find(const bxt_component *component, const char *name);

/* The one coordinate whose momentum is the element's: the only one that is no state or signal, or
 * the only one at all; -1: none. */
int bxt_component_only_momentum(const bxt_component *component);

bool bxt_name_is_reserved(const char *name);
/* Is it one of the functions of the expression language? */
bool bxt_name_is_function(const char *name);

#endif
