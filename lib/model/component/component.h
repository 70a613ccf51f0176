/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A component as written: names, units and expression texts with their source locations. It is
 * checked as far as possible without an element; element/element_type.h compiles it to equations.
 */
#ifndef BXT_COMPONENT_COMPONENT_H
#define BXT_COMPONENT_COMPONENT_H

#include "ground/expr/curve.h"
#include "ground/expr/measure.h"
#include "model/component/quantity.h"
#include "model/component/retraction.h"
#include "model/netlist/netlist.h"

/* ---- Port kinds (port_kind.c: one const table) ---- */
enum { BXT_PORT_MAX_COORDINATES = 12 };
typedef enum bxt_port_type { BXT_PORT_BALANCE, BXT_PORT_SHARED } bxt_port_type;
/*
 * A quantity that follows from a kind's coordinates and flows; its text names them as those of a
 * port "a". A force may act on one that is linear in the flows: <force on="a.wx">.
 */
typedef struct bxt_kind_quantity {
	const char *name, *unit, *text; /* the end: name NULL */
	bool is_flow;
} bxt_kind_quantity;
/* A position row that all nodes of a kind have, at port "a", or all pairs of joined ones, at ports
 * "a" and "b". */
typedef struct bxt_kind_row {
	const char *name, *text; /* the end: name NULL */
	bool of_frame;           /* it contains R_ij: omitted if a node has none */
} bxt_kind_row;
/* An attribute of <node> that gives the start pose of a frame (builder/pose.c). */
typedef enum bxt_pose_attribute {
	BXT_POSE_ROLL,
	BXT_POSE_PITCH,
	BXT_POSE_YAW,
	BXT_POSE_AXIS,
	BXT_POSE_ANGLE,
	BXT_POSE_QUATERNION,
	BXT_POSE_SPIN, /* wx, then wy, wz */
	BXT_POSE_COUNT = BXT_POSE_SPIN + 3
} bxt_pose_attribute;
typedef struct bxt_pose_row {
	const char *name, *unit, *doc;
	int numbers;
} bxt_pose_row;
extern const bxt_pose_row bxt_pose_rows[BXT_POSE_COUNT];

typedef struct bxt_port_kind {
	const char *name; /* "electrical" */
	bxt_port_type type;
	int n; /* number of coordinates: 1, 3 for planar, 12 for spatial */
	const char *coordinate[BXT_PORT_MAX_COORDINATES],
		*coordinate_unit[BXT_PORT_MAX_COORDINATES];
	const char *flow[BXT_PORT_MAX_COORDINATES], *flow_unit[BXT_PORT_MAX_COORDINATES];
	const char *effort[BXT_PORT_MAX_COORDINATES], *effort_unit[BXT_PORT_MAX_COORDINATES];
	const char
		*ground; /* the name of the fixed node: "0" for balance kinds, "wall" for shared */
	/* Coordinates of the fixed node, and of a node for which nothing is written. */
	double fixed[BXT_PORT_MAX_COORDINATES];
	/* The first R_ij: these nine exist together or not at all. 0: the kind has none. */
	int frame;
	const bxt_kind_quantity *derived; /* NULL: none */
	const bxt_kind_row *rows;         /* of each node; NULL: none */
	/* of each pair of nodes that a <connect> joins; NULL: their flows are equated */
	const bxt_kind_row *joined;
} bxt_port_kind;
extern const bxt_port_kind bxt_port_kinds[];
extern const int bxt_port_kind_count;
const bxt_port_kind *bxt_port_kind_find(const char *name);
/* Is it a name of the reference of that kind: "0" or "wall", or "ground", which all kinds have?
 * With kind NULL: of any kind. */
bool bxt_is_reference(const bxt_port_kind *kind, const char *node);

/* ---- The component ---- */
/* An expression as written. */
typedef struct bxt_written {
	const char *text; /* NULL when absent */
	bxt_place place;
} bxt_written;

typedef struct bxt_parameter {
	const char *name, *unit, *doc; /* unit "" for a pure number; doc "" when absent */
	const char *si; /* unit of its values: `unit` unless that is not coherent, as km/h */
	bool converts;  /* numbers without unit are not SI values yet */
	bxt_measure measure;
	bool has_default;
	double default_value;
	bool positive, time; /* must be > 0; may be an expression in t */
	double min, max;     /* -inf, inf when not given; values, as default_value */
	/* Attribute of="q": the coordinate or output that an expression-valued parameter is a
	 * function of. The element gives an expression in it, e.g. an energy. NULL: a number. */
	const char *of;
	const char *default_text; /* default expression of an expression-valued one; NULL: none */
	bool hidden; /* declared by the program: no attribute of elements, and in no list */
	/* Its names in a model card of SPICE, and on the line of an element: case does not matter,
	 * separated by blanks; the first one is written. NULL: none. */
	const char *spice, *spice_line;
	bxt_place place;
} bxt_parameter;

/*
 * Coordinates of states and signals. A state z obeys z' = rate. A signal u is the flow of its
 * coordinate, the time integral of u. Both lack inertia and reaction: their only equations are
 * z' = rate and u = expression.
 */
typedef enum bxt_role {
	BXT_PLAIN,
	BXT_STATE,
	BXT_SIGNAL_IN,
	BXT_SIGNAL_OUT,
	BXT_PENDING, /* next value of a sampled state until its delay has passed; its coordinate
		      * follows that of the state */
	BXT_DELAYED, /* as a signal: what a <delay> gives */
} bxt_role;
/* Is the flow the quantity, and the coordinate its time integral? */
static inline bool bxt_role_is_signal(bxt_role role)
{
	return role == BXT_SIGNAL_IN || role == BXT_SIGNAL_OUT || role == BXT_DELAYED;
}

typedef struct bxt_coordinate {
	const char *name, *unit, *flow, *flow_unit; /* flow_unit is "UNIT.s-1" text */
	bxt_role role;
	bool converts;       /* as of a parameter */
	bxt_measure measure; /* of the coordinate; a coordinate with unit "1" may stand for any
			      * quantity of a model in numbers */
	bxt_place place;
} bxt_coordinate;

typedef struct bxt_port {
	const char *name;
	const bxt_port_kind *kind;
	bxt_written flow; /* balance ports: the flow into the element at this port */
	/* k + 1: its flow is the output that belongs to input k of the port-Hamiltonian part, or
	 * input k itself; -k - 1: minus that flow, which enters at another port; 0: neither */
	int input;
	bxt_measure measure[BXT_PORT_MAX_COORDINATES]; /* of the coordinates */
	bxt_place place;
} bxt_port;

/* Another element whose coordinates the expressions use, as NAME.q and NAME.i. */
typedef struct bxt_binding {
	const char *name, *doc;
	const char **components; /* (n) allowed components; the first defines the names */
	int n_components;
	bxt_place place;
} bxt_binding;

typedef struct bxt_force {
	const char *on; /* a coordinate: own name, "port.coordinate" of a shared port, or
			 * "binding.coordinate" */
	bool relation;  /* no force: the expression is the flow of a state or signal */
	bxt_written expression;
} bxt_force;

/* The new value of a state at each sample. It is constant between samples. */
typedef struct bxt_update {
	const char *of; /* a state */
	bxt_written expression;
} bxt_update;

/*
 * A shared object that computes the next values of states at each sample, in place of <update>s
 * (boxtimes_plugin.h). An element and the caller of the run may override the file.
 */
typedef struct bxt_plugin_part {
	const char *file;    /* as written, beside the component's file; NULL: none */
	const char **reads;  /* (n_reads) names in the component's scope; it gets their values */
	const char **writes; /* (n_writes) states */
	int n_reads, n_writes;
	bxt_place place;
} bxt_plugin_part;

/* Samples at multiples of the period; new values hold after the delay. Parameters in seconds. */
typedef struct bxt_sample {
	const char *period, *delay; /* delay NULL: none */
	bxt_place place;
} bxt_sample;

/*
 * A delay, such as that of a wave on a line: a quantity y(t) = f(t - T), and f(t) at rest. Its
 * equation is y = at_rest f + (1 - at_rest) delayed_y, with two hidden parameters: at_rest is 1
 * while an operating point is computed, delayed_y follows the history of f.
 */
typedef struct bxt_delay {
	const char *name, *by;  /* the quantity; the parameter T */
	int delayed;            /* the parameter delayed_y */
	bxt_written expression; /* f */
	/* of parameters; NULL: 0. `before`: y until the first value arrives, if there is no
	 * operating point. `energy`: the stored energy per second of delay and per y^2. */
	bxt_written before, energy;
	bxt_place place;
} bxt_delay;

/* Part of a discrete Lagrangian's force: f^- on q@0, or f^+ on q@1. */
typedef struct bxt_discrete_force {
	const char *on; /* a coordinate as in bxt_force */
	bool at_end;    /* f^+ */
	bxt_written expression;
} bxt_discrete_force;

/* A term of P = dL/dv that is the derivative of no Lagrangian; its power counts as supplied. */
typedef struct bxt_momentum_term {
	const char *on; /* the component's own coordinate */
	bxt_written expression;
} bxt_momentum_term;

typedef struct bxt_gyrator {
	const char *a, *b; /* coordinates as in bxt_force: F_a -= k v_b, F_b += k v_a */
	bxt_written k;
} bxt_gyrator;

/* A mode that must be on, or off. */
typedef struct bxt_literal {
	const char *name;
	int mode; /* index in the component */
	bool off;
} bxt_literal;

/*
 * A row whose multiplier has bounds: w = A v - b, or phi, and lambda = mid(lower, lambda - rho w,
 * upper) for every rho > 0. While the multiplier is between its bounds, w = 0; at the lower bound w
 * may be positive, at the upper one negative. Texts are NULL where nothing is written.
 */
typedef struct bxt_bounds {
	bxt_written lower, upper; /* of the multiplier; NULL: none */
	bxt_written hold; /* static friction: the size of the multiplier up to which the row holds;
			   * NULL: the bounds */
	bxt_written restitution; /* of a position; NULL: 0 */
	const char *friction_of; /* -+ mu times the multiplier of that constraint are the bounds */
	int of;                  /* its index, -1 */
	bxt_written mu;
	bxt_literal *during; /* (n_during) the row exists while all of them hold */
	int n_during;
} bxt_bounds;

typedef struct bxt_constraint {
	const char *name;
	bool position; /* kind="position"; else kind="flow" */
	bxt_written expression;
	int input; /* k + 1: the row of input k of the port-Hamiltonian part, not written; else 0 */
	bxt_bounds *bounds; /* NULL: it always holds */
} bxt_constraint;

/* An action at an event: a state gets a value, or a coordinate an impulse. */
typedef struct bxt_action {
	bool impulse;
	const char *on; /* a state, or a coordinate as in bxt_force */
	bxt_written value;
} bxt_action;

/*
 * A mode becomes 1 when the condition `on` becomes true, and 0 when `off` does; in expressions it
 * is a number. An <event> is a mode that is on while its expression is positive; its actions are
 * carried out when the expression rises through 0. A condition is "a > b", several joined by "and",
 * and such groups joined by "or".
 */
typedef struct bxt_mode {
	const char *name;
	bool event;
	bxt_written initial; /* of parameters; NULL: 0 */
	bxt_written on, off;
	bxt_action *actions;
	int n_actions;
	bxt_place place;
} bxt_mode;

/* An entry of a matrix: an expression, or a number where its text is NULL. */
typedef struct bxt_matrix_entry {
	int row, col;
	bxt_written written;
	double number;
} bxt_matrix_entry;

/* A sparse matrix; absent entries are 0. */
typedef struct bxt_matrix {
	bxt_matrix_entry *entry; /* (n) */
	int n, rows, cols;       /* 0 x 0: not given */
	bxt_place place;
} bxt_matrix;

/* An input is the effort or the flow at a port, or a parameter that may depend on time. */
typedef enum bxt_input_kind { BXT_INPUT_EFFORT, BXT_INPUT_FLOW, BXT_INPUT_SIGNAL } bxt_input_kind;
typedef struct bxt_input {
	bxt_input_kind kind;
	const char *name; /* of the port or the parameter */
	bxt_matrix b;     /* (n x 1) its column of B */
	/* The coordinate whose flow is the input: the index of an own one, or "a.x" of a shared
	 * port. For an effort with feed-through: the integral of the effort. -1, NULL: none */
	int coordinate;
	const char *shared;
	int output; /* effort with feed-through: the coordinate whose flow is the output; else -1 */
	bxt_place place;
} bxt_input;

/*
 * The port-Hamiltonian part (Barbero-Linan et al., section 7; van der Schaft and Jeltsema,
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
/* Coordinates on a manifold. The rows of its embedding are appended to the constraints. */
typedef struct bxt_manifold {
	const char *name, *kind_name, *retraction_name, *coordinate_names; /* as written */
	const bxt_manifold_kind *kind;
	const bxt_retraction *retraction; /* used by the scheme theta */
	int n, *coordinate;               /* (n) own coordinates */
	bxt_place place;
} bxt_manifold;

/*
 * Three parameters are a point or a direction in the frame of a port. An element may give it in
 * axes of the ground at the start pose, by an attribute that several placements share. So a joint
 * has one point in two frames, and one axis gives the directions n, s and t, at right angles.
 */
typedef enum bxt_placement_part {
	BXT_PLACEMENT_POINT,
	BXT_PLACEMENT_N,
	BXT_PLACEMENT_S,
	BXT_PLACEMENT_T,
	BXT_PLACEMENT_PARTS
} bxt_placement_part;
extern const char *const bxt_placement_parts[BXT_PLACEMENT_PARTS];
typedef struct bxt_placement {
	const char *attribute, *port_name, *parameter_names; /* as written */
	bxt_placement_part part;
	int port, parameter[3];
	bxt_place place;
} bxt_placement;

/* A requirement on parameters: the expression, of parameters alone, is at least 0. */
typedef struct bxt_requirement {
	const char *doc; /* a clause */
	bxt_written expression;
} bxt_requirement;

/* A name for an expression. */
typedef struct bxt_let {
	const char *name, *unit; /* NULL: the unit that follows from the expression */
	bxt_measure measure;     /* of the unit */
	double scale;            /* the number of SI units in one such unit */
	bxt_written expression;
} bxt_let;

typedef struct bxt_output {
	const char *name, *unit, *doc;
	bxt_measure measure;
	bxt_written expression;
} bxt_output;

/* A component of a vector field. */
typedef struct bxt_generator {
	const char *on; /* a coordinate as in bxt_force */
	bxt_written expression;
} bxt_generator;

/* A vector field on the component's coordinates that should leave its Lagrangian invariant. */
typedef struct bxt_symmetry {
	const char *name, *doc;
	bxt_place place;
	bxt_generator *generators;
	int n_generators;
} bxt_symmetry;

/* A written L_d(q@0, q@1, h) with its forces. It replaces the rule of dirac+ and dirac-. */
typedef struct bxt_discrete_part {
	bxt_written lagrangian; /* text NULL: none is written */
	bxt_discrete_force *forces;
	int n_forces;
} bxt_discrete_part;

/* The actions at samples: <update>s of states, or a plug-in in their place. */
typedef struct bxt_sampled_part {
	bxt_sample sample; /* period NULL: nothing is sampled */
	bxt_update *updates;
	int n_updates;
	bxt_plugin_part *plugin; /* or NULL */
} bxt_sampled_part;

/* The geometry of the coordinates. */
typedef struct bxt_geometry_part {
	bxt_manifold *manifolds;
	bxt_placement *placements;
	bxt_symmetry *symmetries;
	int n_manifolds, n_placements, n_symmetries;
} bxt_geometry_part;

/* Quantities that follow others after a constant time. */
typedef struct bxt_delay_part {
	bxt_delay *delays;
	int n_delays;
	int at_rest; /* the hidden parameter of that name, where there are delays */
} bxt_delay_part;

/* How decks of SPICE write the component (<spice>). Names in any case, separated by blanks. */
typedef struct bxt_spice_part {
	char letter;       /* the first of the line of an element, in lower case */
	const char *nodes; /* ports in the order of that line */
	/* In parameters: above 0 for a model card that needs this component. With text NULL the
	 * component serves all cards of its type that need no other component. */
	bxt_written when;
	/*
	 * Names of a card that correspond to no parameter: those without effect on results; those
	 * with an effect only at other temperatures than that of the card; those without effect at
	 * one value, "name=value".
	 */
	const char *silent, *warm, *without;
	const char *line_names; /* further names that the line may give */
	bxt_place place;
} bxt_spice_part;

typedef struct bxt_component {
	const char *name, *domain, *doc;
	/* The type of a model card of SPICE, then words of which the card has one; NULL: decks have
	 * no such component. */
	const char *model_type;
	bxt_spice_part *spice; /* or NULL */
	bxt_place place;
	bool is_read; /* from a file: the dimensions of its formulas are checked */
	bxt_parameter *parameters;
	bxt_coordinate *coordinates;
	bxt_port *ports;
	bxt_binding *bindings;
	bxt_written lagrangian, rayleigh; /* text NULL: 0. */
	bxt_force *forces;
	bxt_momentum_term *momenta;
	bxt_gyrator *gyrators;
	bxt_constraint *constraints;
	bxt_mode *modes;
	bxt_output *outputs;
	bxt_requirement *requirements;
	bxt_let *lets;
	int n_parameters, n_coordinates, n_ports, n_bindings, n_forces, n_momenta, n_gyrators,
		n_constraints, n_outputs, n_requirements, n_modes, n_lets;
	bxt_hamiltonian *hamiltonian; /* or NULL */
	bxt_discrete_part discrete;
	bxt_sampled_part sampled;
	bxt_geometry_part geometry;
	bxt_delay_part delayed;
	bxt_curves curves; /* from its <table>s; its expressions may call them */
	/* k + 1: parameter k is the weight of its elements (weight.c); 0: it has none */
	int weight;
} bxt_component;

/*
 * Reads a <component> element of a tree. Memory in the arena; strings are copied. All findings go
 * to d: unknown elements and attributes with the nearest name, duplicate names in the one scope,
 * reserved names, unknown port kinds, bad units and defaults, missing attributes, names that an
 * expression cannot contain. NULL after an error or when memory ends. Expressions are only checked
 * for presence; bxt_type_compile resolves their names.
 */
bxt_component *bxt_component_read(bxt_arena *arena, const bxt_item *element, bxt_units *units,
				  bxt_diagnostics *d);

/* The component's own coordinate of that name; -1: none. */
int bxt_component_find(const bxt_component *component, const char *name);

/* The coordinate whose momentum is called the element's: the only one besides states and signals,
 * or the only one at all; -1: none. */
int bxt_component_only_momentum(const bxt_component *component);
/* The coordinate whose flow enters at the first of one or two balance ports, and leaves at the
 * second; -1: none. */
int bxt_component_through(const bxt_component *c);

/* Is it an attribute that gives a point or direction at the start pose? */
bool bxt_component_places(const bxt_component *component, const char *attribute);

/* The reason why its elements can have no weight; NULL: they can have one. */
const char *bxt_component_why_no_weight(const bxt_component *c);
/* Is it the attribute for the weight of an element? Not if the component itself declares that name.
 */
bool bxt_component_takes_weight(const bxt_component *c, const char *attribute);
/* The component with the weight of an element as its last parameter; NULL when memory ends. */
bxt_component *bxt_component_weighted(bxt_arena *arena, const bxt_component *c);

bool bxt_name_is_reserved(const char *name);
/* Is it a function of the expression language? */
bool bxt_name_is_function(const char *name);

#endif
