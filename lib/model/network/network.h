/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The network is a netlist with all names resolved: primitives (subsystems, the anonymous one
 * first), their elements, nodes and ports, and the connections between ports. Its equations are
 * those of the element types; dirac.h derives the Dirac structures.
 */
#ifndef BXT_NETWORK_NETWORK_H
#define BXT_NETWORK_NETWORK_H

#include "ground/base/text.h"
#include "model/component/library.h"
#include "model/element/element_type.h"

/* A coordinate that a binding makes visible: of another element, or of an exported port. */
typedef struct bxt_bound {
	int element, coordinate; /* the element, and one of its own coordinates */
	int port;                /* element -1: the balance port that an interaction acts on */
} bxt_bound;

/* Families of rows of A: the balance of a node, a component's constraint, Sigma_Q. */
typedef enum bxt_family {
	BXT_FAMILY_NODE,       /* balance of flows at a node: Delta_Q */
	BXT_FAMILY_CONSTRAINT, /* of a component: Delta_Q */
	BXT_FAMILY_CONNECTION, /* Sigma_Q */
	BXT_FAMILY_RIGID,      /* of a frame, the rows R^T R = 1 of a node: Delta_Q */
	BXT_FAMILY_COUNT
} bxt_family;

/* Is the owner of such a row an element? */
static inline bool bxt_family_is_of_element(bxt_family family)
{
	return family == BXT_FAMILY_CONSTRAINT || family == BXT_FAMILY_RIGID;
}

/* A row of A: its owner (a node, an element or a connection), and which of the owner's rows. */
typedef struct bxt_net_row {
	bxt_family family;
	int owner, local;
} bxt_net_row;

/* An element of the netlist. */
typedef struct bxt_element {
	const char *id;
	bxt_place place;
	int type;          /* index into types */
	int primitive;     /* that contains it */
	int *node;         /* (ports of the component) node index, BXT_GROUND for the reference */
	bxt_bound *bound;  /* (nl - n_own - n_shared of the type) NULL: it binds nothing */
	double *parameter; /* (n_parameter of the type) values, in the parameters' units */
	int *signal;       /* (n_parameter) index of the time expression, or -1; NULL when none */
	/* the file of its plug-in, attribute plugin="..."; NULL: none */
	const char *plugin;
	/*
	 * An interaction represents the expressions of a connection and belongs to no primitive.
	 * Its constraints are rows of Sigma_Q, its gyrators the two-form Omega_int.
	 */
	bool is_interaction;
	int connection; /* of an interaction; -1: none (signals, readers of multipliers) */
	/* Two kinds of interactions have coordinates of their own: the reader of a multiplier
	 * (multiplier_probe.c), and a signal of the netlist, whose flow is named by its path. */
	const bxt_net_row *reads; /* the row whose multiplier is its second flow; else NULL */
	bool is_signal;
	bool is_frame;    /* of a node, with the rows of its port kind (frame_rows.c) */
	int first_switch; /* the index of its first switch in the network */
} bxt_element;

/* Are its rows those of Sigma_Q? */
static inline bool bxt_element_is_joining(const bxt_element *e)
{
	return e->is_interaction && !e->is_frame;
}

enum { BXT_GROUND = -1 };

typedef struct bxt_net_node {
	const char *name;
	const bxt_port_kind *kind; /* NULL until a port or <node> sets it */
	bxt_place place;
	int primitive;
	int pins; /* ports of elements at this node, exported ports included */
	/*
	 * Shared kinds: the coordinates of the kind that exist here, because an element at this
	 * node or at one connected to it uses them (point masses and rods have no angle).
	 */
	bool used[BXT_PORT_MAX_COORDINATES];
	int n_used;
	int frame; /* the element with the rows of its kind; -1: it has none */
	bool has_nodeset;
	double nodeset; /* of balance kinds: approximate effort at the operating point */
} bxt_net_node;

/* A port that a primitive exports. */
typedef struct bxt_net_port {
	const char *id;
	bxt_place place;
	int primitive, node;
	int connection; /* index (the first of coupled <sigma> rows), or -1 while open */
} bxt_net_port;

/* A set of rows of Sigma_Q over ports. */
typedef struct bxt_connection {
	const char *id; /* never NULL: generated ("connect1") when not written */
	bxt_place place;
	int primitive; /* the scope that contains it */
	const bxt_port_kind *kind;
	int *port; /* (n) indices into ports whose power is counted here */
	int n;
	/*
	 * Of a <sigma>: the row sum weight[k] i_port[k] = 0. Rows that share ports conserve power
	 * only together: `port` of the first of these rows lists the ports of all, and is empty in
	 * the rest.
	 */
	bool is_sigma;
	int *term; /* (n_term) indices into ports */
	double *weight;
	int n_term;
	/*
	 * The interaction that holds the rows and the two-form of a <transformer>, <gyrator>,
	 * <omega>, or <sigma> that is not constant or has shared ports, with is_sigma set, or the
	 * position rows of a <connect> of frames; -1: none. If there is one, term lists the ports,
	 * without weights.
	 */
	int element;
} bxt_connection;

/* Does it equate the flows of shared ports, v_first - v_other = 0? */
static inline bool bxt_connection_equates(const bxt_connection *c)
{
	return !c->is_sigma && c->element < 0 && c->kind->type == BXT_PORT_SHARED;
}

/* Indices into one of the network's lists. */
typedef struct bxt_members {
	int *index; /* (n) */
	int n;
} bxt_members;

typedef struct bxt_primitive {
	const char *id;   /* "" for the anonymous one */
	const char *path; /* "" or "motor.winding" */
	bxt_place place;
	int parent;         /* -1 for the anonymous one */
	const char *rule;   /* discretisation rule written on the subsystem, or NULL */
	bxt_map ids, nodes; /* names in this scope: items (BXT_ID_ELEMENT ...) and nodes */
	/* its included file cannot be read (already reported) or is not read yet */
	bool missing;
	bxt_map signals; /* index into signal_ids; their names are not in ids */
	bxt_members elements, nodes_inside, ports; /* its content, in order */
} bxt_primitive;

/* An initial value of a coordinate, flow or momentum: of an element (element >= 0) or of a shared
 * node. */
typedef struct bxt_initial {
	int element, node;
	int coordinate; /* local: the element's own, or among those that the node has */
	bool is_flow;
	double value;
	bxt_place place;
	bool is_momentum; /* dL/dv of the coordinate, in place of its flow */
} bxt_initial;

/* A coordinate that the consistent start may not move: of an element or of a shared node. */
typedef struct bxt_fix {
	int element, node; /* one of them is -1 */
	int coordinate;    /* local, as in bxt_initial */
	bool named;        /* by itself, not with all coordinates of its node */
	bxt_place place;
} bxt_fix;

/* A coordinate of an element, or of a shared node by its number in the port kind. */
typedef struct bxt_net_coordinate {
	int element, node; /* one of them is -1 */
	int coordinate;
} bxt_net_coordinate;

/* A <symmetry>: of the netlist, or of an element whose component declares it. */
typedef struct bxt_net_symmetry {
	const char *id;
	bxt_place place;
	int primitive;          /* that contains it, or its element */
	int element;            /* the element; -1: the netlist's own */
	const bxt_field *field; /* the element type's, or `own` for the netlist's own */
	bxt_field *own;
	bxt_net_coordinate *at; /* (field->nl) netlist's own: the coordinates of the field */
} bxt_net_symmetry;

/* A signal with an id: one of the netlist's own, or a name for an element's. */
typedef struct bxt_net_signal {
	const char *id;
	bxt_place place;
	int primitive;
	int element, coordinate; /* whose flow it is; -1 after findings */
	bool open;               /* an input that the including file has to define */
} bxt_net_signal;

/*
 * An input: a value that the caller sets while a model runs. It is an <input>, or an exported
 * signal with a default and without a source. Expressions of time read it as value + rate (t -
 * since), with three variables that the owner of the run sets; its time derivative is then rate.
 */
typedef struct bxt_net_input {
	const char *path, *unit, *doc;
	bxt_place place;
	int primitive; /* the scope */
	double value;  /* the default */
} bxt_net_input;
enum { BXT_INPUT_VALUE, BXT_INPUT_RATE, BXT_INPUT_SINCE, BXT_INPUT_NUMBERS };

/* The variable of the expressions of time for a number of input k; 0 is the time. */
static inline int bxt_input_variable(int k, int number)
{
	return 1 + BXT_INPUT_NUMBERS * k + number;
}

/*
 * A delay of an element (component/component.h). Its quantity is a polynomial in t - since, where
 * since belongs to the first of its inputs. The coefficients are value and rate of each of its
 * inputs in turn.
 */
enum { BXT_DELAY_INPUTS = 3, BXT_DELAY_DEGREE = 2 * BXT_DELAY_INPUTS - 1 };
static inline int bxt_delay_input(int first, int power)
{
	return first + power / 2;
}
static inline int bxt_delay_number(int power)
{
	return power % 2 == 0 ? BXT_INPUT_VALUE : BXT_INPUT_RATE;
}
typedef struct bxt_net_delay {
	int element, index; /* among the delays of its component */
	int input;          /* the first of its inputs */
	double by;          /* [s] */
	double before;      /* the quantity until the first value arrives */
	double energy;      /* [W] stored per second and square of the quantity */
} bxt_net_delay;

/* A setting of <simulation>: times are read here, other texts where they are used. */
typedef struct bxt_setting {
	const char *name, *value;
	double number; /* in SI units, of a time and of the tolerance */
	bxt_place place;
} bxt_setting;

/* A parameter of a netlist file, in one inclusion of it: "tau" of the compiled one, "motor.R". */
typedef struct bxt_own_parameter {
	const char *name, *unit; /* unit of the value, "": a number */
	double value;
	int primitive;                   /* that includes the file; 0: the compiled netlist */
	const struct bxt_item *declared; /* the <parameter> */
} bxt_own_parameter;

/* A file that the network was built from, and what an href stands for: its index among these. */
typedef struct bxt_net_source {
	const char *file, *folder, *real; /* as in bxt_netfile */
	int below;
	const struct bxt_item *root;
} bxt_net_source;
typedef struct bxt_net_href {
	const char *key;
	int source;
} bxt_net_href;

/* A <table> of a file. */
typedef struct bxt_net_curve {
	int source;
	const char *name;
	const bxt_curve *curve;
} bxt_net_curve;

/* The kind of item behind an id of a scope. The map stores 4 index + this value; signals have a map
 * of their own. */
enum { BXT_ID_ELEMENT, BXT_ID_SUBSYSTEM, BXT_ID_PORT, BXT_ID_CONNECTION, BXT_ID_SIGNAL };

/* The data from which the network was built. A network with other values is built from the same
 * data (builder/rebuild.c). */
typedef struct bxt_net_origin {
	const struct bxt_netlist *netlist;
	bxt_library *library;
	long revision;                 /* of the netlist */
	struct bxt_netlist **included; /* (n_included) trees of included files */
	size_t n_included;
	bxt_net_source *sources; /* (n_sources) */
	bxt_net_href *hrefs;     /* (n_hrefs) */
	bxt_net_curve *curves;   /* (n_curves) */
	size_t n_sources, n_hrefs, n_curves;
	bool *borrowed; /* (n_types) the type belongs to the network that this one is built from */
} bxt_net_origin;

/* The settings of the netlist for its run. */
typedef struct bxt_net_simulation {
	bxt_setting *settings;
	size_t n_settings;
	const char *record; /* text of <record>, or NULL */
	bxt_place record_place;
} bxt_net_simulation;

/* Distinct expressions of time and inputs: one tape, evaluated once per stage time. */
typedef struct bxt_net_timed {
	bxt_tape *tape;
	int n;
	/* (n) the same as expressions, for their derivatives; NULL: none */
	bxt_graph *graph;
	bxt_ex *expression;
} bxt_net_timed;

typedef struct bxt_network {
	bxt_arena *arena;
	const char *name;
	bxt_element_type **types;
	bxt_map type_by_key;
	bxt_element *elements;
	bxt_net_node *nodes;
	bxt_net_port *ports;
	bxt_connection *connections;
	bxt_primitive *primitives;
	bxt_initial *initials;
	bxt_fix *fixes;
	bxt_net_signal *signal_ids;
	bxt_net_symmetry *symmetries; /* of elements in their order, then the netlist's own */
	size_t n_types, n_elements, n_nodes, n_ports, n_connections, n_primitives, n_initials,
		n_fixes, n_symmetries, n_signal_ids;
	/* (n_switches) the bxt_switch_state of each switch, element by element */
	unsigned char *switches;
	int n_switches;
	bool lasting; /* its switches have the states of a combination, and rows with bounds are
		       * treated like all others; else they make no row redundant */
	bool shared;  /* all but arena, elements and switches belong to another network */
	bxt_own_parameter *parameters; /* (n_parameters) by primitive, then as declared */
	size_t n_parameters;
	/* (n_inputs) the first n_given are set by the caller; the others are those of the delays */
	bxt_net_input *inputs;
	int n_inputs, n_given;
	bxt_net_delay *delays;
	int n_delays;
	bxt_net_timed timed;
	bxt_net_simulation simulation;
	bxt_net_origin origin;
} bxt_network;

/* A new value of a numeric parameter: of an element, or of a netlist file in one inclusion. */
typedef struct bxt_override {
	int element;      /* -1: of a netlist */
	int index;        /* among the numeric parameters of the element's component */
	int primitive;    /* element -1: the inclusion ... */
	const char *name; /* ... and the parameter */
	double value;
} bxt_override;

/* switches.c: numbers the switches of a network that was read, and sets their initial states. */
bxt_status bxt_network_place_switches(bxt_network *net);
/*
 * In `state` (n_switches), marks the rows as absent whose modes are not on; the others exist again.
 */
void bxt_network_follow_modes(const bxt_network *net, unsigned char *state);
/* May switch k have that state? */
bool bxt_network_may_switch_to(const bxt_network *net, size_t k, unsigned char state);
/* The network in other states; `from` must outlive it. */
bxt_status bxt_network_switched(const bxt_network *from, const unsigned char *state,
				bxt_network **out);

/* Does the netlist itself export ports or signals, and have neither step nor end time? */
bool bxt_network_is_part(const bxt_network *net);

/* The index of the kind's coordinate s among those that a shared node has; -1: none. */
int bxt_network_coordinate(const bxt_net_node *node, int s);

/* "loop.R1": the path of an id within a primitive, written to a buffer that is cleared first. */
const char *bxt_network_path(const bxt_network *net, int primitive, const char *id,
			     bxt_buffer *buffer);
/* "loop.rotation", "loop.P.rotation": the name of a symmetry in records and reports. */
const char *bxt_network_symmetry_name(const bxt_network *net, int symmetry, bxt_buffer *buffer);

#endif
