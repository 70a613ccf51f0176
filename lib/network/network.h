/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The network, what a netlist says with all names resolved: primitives (subsystems, the
 * anonymous one first), their elements, nodes and ports, and the connections between ports. It
 * holds no mathematics beyond kinds; dirac.h makes geometry of it.
 */
#ifndef BXT_NETWORK_NETWORK_H
#define BXT_NETWORK_NETWORK_H

#include "base/text.h"
#include "component/library.h"
#include "element/element_type.h"

/* A coordinate of another element that a binding makes visible, or of an exported port. */
typedef struct bxt_bound {
	int element, coordinate; /* the element, and which of its own coordinates */
	int port;                /* element -1: the balance port that an interaction acts on */
} bxt_bound;

/* Families of rows of A: the balance of a node, a component's constraint, Sigma_Q. */
typedef enum bxt_family {
	BXT_FAMILY_NODE,       /* balance of flows at a node: Delta_Q */
	BXT_FAMILY_CONSTRAINT, /* of a component: Delta_Q */
	BXT_FAMILY_CONNECTION, /* Sigma_Q */
	BXT_FAMILY_COUNT
} bxt_family;

/* A row of A by what it belongs to: a node, an element or a connection, and which of its rows. */
typedef struct bxt_net_row {
	bxt_family family;
	int owner, local;
} bxt_net_row;

/* An element of the netlist. */
typedef struct bxt_element {
	const char *id;
	bxt_place place;
	int type;          /* index into types */
	int primitive;     /* where it stands */
	int *node;         /* (ports of the component) node index, BXT_GROUND for the reference */
	bxt_bound *bound;  /* (nl - n_own - n_shared of the kind) NULL when it binds nothing */
	double *parameter; /* (kind->n_parameter) values, in the parameters' units */
	int *signal; /* (kind->n_parameter) index of the time expression, or -1; NULL when none */
	/* the file of its plug-in, attribute plugin="..."; NULL: it names none */
	const char *plugin;
	/*
	 * An interaction: no element of a primitive, but what a connection says in expressions. Its
	 * constraints are rows of Sigma_Q, its gyrators the two-form Omega_int.
	 */
	bool is_interaction;
	int connection; /* of an interaction; -1 of what connects a signal, which has no rows */
	/* Interactions with coordinates of their own: what reads a multiplier (multiplier_probe.c),
	 * and a signal of the netlist, whose id and path are the whole name of its flow. */
	const bxt_net_row *reads; /* the row whose multiplier is its second flow; NULL of others */
	bool is_signal;
} bxt_element;

enum { BXT_GROUND = -1 };

typedef struct bxt_net_node {
	const char *name;
	const bxt_port_kind *kind; /* NULL until a port tells */
	bxt_place place;
	int primitive;
	int pins; /* ports of elements at this node, exported ports included */
	/*
	 * Shared kinds: which of the kind's coordinates exist here, because an element at this node
	 * or at one connected to it uses them (point masses and rods know no angle).
	 */
	bool used[BXT_PORT_MAX_COORDINATES];
	int n_used;
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
	const char *id; /* never NULL: made up ("connect1") when not written */
	bxt_place place;
	int primitive; /* the scope in which it was written */
	const bxt_port_kind *kind;
	int *port; /* (n) indices into ports whose power is accounted here */
	int n;
	/*
	 * Of a <sigma>: the row sum weight[k] i_port[k] = 0. Rows that share ports carry power only
	 * together: `port` of the first of them lists the ports of all, that of the others is
	 * empty.
	 */
	bool is_sigma;
	int *term; /* (n_term) indices into ports */
	double *weight;
	int n_term;
	/*
	 * The interaction that holds rows and two-form of all else that joins ports: <transformer>,
	 * <gyrator>, <omega>, and a <sigma> that is not constant or whose ports are shared. -1 for
	 * connections without. Then is_sigma is set, and term lists the ports, without weights.
	 */
	int element;
} bxt_connection;

/* Does it equate flows of shared ports, v_first - v_other = 0? */
static inline bool bxt_connection_equates(const bxt_connection *c)
{
	return !c->is_sigma && c->kind->type == BXT_PORT_SHARED;
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
	bxt_map ids, nodes; /* names in this scope: items (see network.c) and nodes */
	/* it includes a file that cannot be had, or is not read yet: what is wrong was told */
	bool missing;
	bxt_map signals; /* index into signal_ids, whose names are no other items' */
	bxt_members elements, nodes_inside, ports; /* what stands in it, in order */
} bxt_primitive;

/* A value written for a coordinate or a flow: of an element (element >= 0) or of a shared node. */
typedef struct bxt_initial {
	int element, node;
	int coordinate; /* local: the element's own, or among those that the node has */
	bool is_flow;
	double value;
	bxt_place place;
} bxt_initial;

/* A coordinate that the consistent start may not move: of an element or of a shared node. */
typedef struct bxt_fix {
	int element, node; /* one of them is -1 */
	int coordinate;    /* local, as in bxt_initial */
	bool named;        /* itself, not as one of all of a node */
	bxt_place place;
} bxt_fix;

/* A coordinate of an element, or of a shared node by the number that its kind gives it. */
typedef struct bxt_net_coordinate {
	int element, node; /* one of them is -1 */
	int coordinate;
} bxt_net_coordinate;

/* A <symmetry>: of the netlist, or of an element whose component declares it. */
typedef struct bxt_net_symmetry {
	const char *id;
	bxt_place place;
	int primitive;          /* where it, or the element, stands */
	int element;            /* the element; -1: the netlist's own */
	const bxt_field *field; /* the kind's; of the netlist's own it is `own` */
	bxt_field *own;
	bxt_net_coordinate *at; /* (field->nl) of the netlist's own: what they are */
} bxt_net_symmetry;

/* A signal with an id: one of the netlist's own, or a name for an element's. */
typedef struct bxt_net_signal {
	const char *id;
	bxt_place place;
	int primitive;
	int element, coordinate; /* whose flow it is; -1 after findings */
} bxt_net_signal;

/* What <simulation> says: times are read here, other texts by the floors that know them. */
typedef struct bxt_setting {
	const char *name, *value;
	double time; /* [s] of step and end */
	bxt_place place;
} bxt_setting;

typedef struct bxt_network {
	bxt_arena *arena;
	const char *name;
	bxt_element_type **types;
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
	bxt_setting *settings;
	size_t n_settings;
	struct bxt_netlist **included; /* trees of included files */
	size_t n_included;
	const char *record; /* text of <record>, or NULL */
	bxt_place record_place;
	/* Distinct time expressions: one tape, evaluated once per stage time (variable 0 is t). */
	bxt_tape *signals;
	int n_signals;
	/* (n_signals) the same as expressions, for their derivatives; NULL when there are none */
	bxt_graph *signal_graph;
	bxt_ex *signal;
} bxt_network;

/*
 * Resolves a netlist and the files that it includes. All findings to d; *out is NULL unless there
 * was no error. The network keeps references into the netlist and the library: both must outlive
 * it.
 */
bxt_status bxt_network_build(const struct bxt_netlist *netlist, bxt_library *library,
			     bxt_diagnostics *d, bxt_network **out);
bxt_network *bxt_network_free(bxt_network *net);

/* The place of the kind's coordinate s among those that a shared node has, -1 for none. */
int bxt_network_coordinate(const bxt_net_node *node, int s);

/* "loop.R1": the path of an id within a primitive, written to a buffer that is cleared first. */
const char *bxt_network_path(const bxt_network *net, int primitive, const char *id,
			     bxt_buffer *buffer);
/* "loop.rotation", "loop.P.rotation": what a symmetry is called in records and reports. */
const char *bxt_network_symmetry_name(const bxt_network *net, int symmetry, bxt_buffer *buffer);

#endif
