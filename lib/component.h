/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Floor 3: a component as written: names, units and expression texts with their places. Checked for
 * everything that can be told without an instance; turning it into mathematics is floor 4's kind.
 */
#ifndef BXT_COMPONENT_H
#define BXT_COMPONENT_H

#include "netlist.h"
#include "quantity.h"
#include "retraction.h"

/* ---- Kinds of ports (portkind.c: one const table, the design's "Kinds of ports") ---- */
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
	 * (attribute of="q": the instance gives an expression in it, e.g. an energy); NULL for a
	 * number. */
	const char *of;
	const char *default_text; /* of an expression-valued one; NULL when none */
	bxt_place place;
} bxt_parameter;

typedef struct bxt_coordinate {
	const char *name, *unit, *flow, *flow_unit; /* flow_unit is "UNIT.s-1" text */
	bxt_place place;
} bxt_coordinate;

typedef struct bxt_port {
	const char *name;
	const bxt_port_kind *kind;
	bxt_written flow; /* balance ports: the flow into the element at this port */
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
	bxt_written expression;
} bxt_force;

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
} bxt_constraint;

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
	bxt_symmetry *symmetries;
	int n_parameters, n_coordinates, n_ports, n_bindings, n_forces, n_gyrators, n_constraints,
		n_outputs, n_discrete_forces, n_symmetries, n_manifolds;
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

bool bxt_name_is_reserved(const char *name);

#endif
