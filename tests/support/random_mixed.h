/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Seeded random networks of several domains, and their netlists: whole, or torn at random places
 * into two to six subsystems that <connect>s join, in any order. Some subsystems are inside others,
 * and some elements outside all of them. Ids and nodes have the same names in all forms.
 *
 * CIRCUIT: RLC networks with sources, transformers, gyrators and coupled windings. A spanning tree
 * without current sources joins the nodes, and no chord is a voltage source. So there are no loops
 * of voltage sources and no cuts of current sources. MECHANISM: masses, springs and dampers on a
 * line, with levers, inerters and prescribed motion; or points, bodies, rods and hinges in the
 * plane under gravity, which hang near their rest. MIXED: circuits, shafts and slides, joined by
 * motors, voice coils, moving plates, gears, belts and racks. CONTROLLED: circuits and slides with
 * port-Hamiltonian blocks, whose sources are driven by controllers. The constraints of a mechanism
 * form a tree, except for one rod that closes a loop in some; nodes without inertia are damped. So
 * every network can be run.
 */
#ifndef BXT_TESTS_SUPPORT_RANDOM_MIXED_H
#define BXT_TESTS_SUPPORT_RANDOM_MIXED_H

#include "ground/base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	MIXED_NODES = 40,
	MIXED_ELEMENTS = 140,
	MIXED_PARTS = 6,
	MIXED_PINS = 4,
	MIXED_STEPS = 1000,
	MIXED_CONTROLS = 3
};

/* Types of elements: rows of mixed_types. */
enum {
	MIXED_RESISTOR,
	MIXED_CONDUCTANCE,
	MIXED_INDUCTOR,
	MIXED_CAPACITOR,
	MIXED_VOLTAGE_SOURCE,
	MIXED_CURRENT_SOURCE,
	MIXED_TRANSFORMER,
	MIXED_GYRATOR,
	MIXED_WINDINGS,
	MIXED_MASS,
	MIXED_SPRING,
	MIXED_CUBIC_SPRING,
	MIXED_DAMPER,
	MIXED_INERTER,
	MIXED_FORCE,
	MIXED_LEVER,
	MIXED_PRESCRIBED,
	MIXED_INERTIA,
	MIXED_TORSION_SPRING,
	MIXED_BEARING,
	MIXED_TORQUE,
	MIXED_GEAR,
	MIXED_BELT,
	MIXED_BELT_SPRING,
	MIXED_RACK,
	MIXED_POINT_MASS,
	MIXED_RIGID_BODY,
	MIXED_ROD,
	MIXED_GROUND_ROD,
	MIXED_BODY_ROD,
	MIXED_BODY_POINT,
	MIXED_REVOLUTE,
	MIXED_PIN,
	MIXED_POINT_SPRING,
	MIXED_POINT_DAMPER,
	MIXED_DRAG,
	MIXED_JOINT_SPRING,
	MIXED_JOINT_DAMPER,
	MIXED_POINT_FORCE,
	MIXED_MOTOR,
	MIXED_LIGHT_MOTOR,
	MIXED_VOICE_COIL,
	MIXED_MOVING_PLATE,
	MIXED_PH_COIL,
	MIXED_PH_CONDENSER,
	MIXED_PH_RESONATOR,
	MIXED_PH_SPRING,
	MIXED_VOLTAGE_ACTUATOR,
	MIXED_CURRENT_ACTUATOR,
	MIXED_FORCE_ACTUATOR
};

typedef enum mixed_family {
	MIXED_CIRCUIT,
	MIXED_MECHANISM,
	MIXED_MIXED,
	MIXED_CONTROLLED,
	MIXED_FAMILIES
} mixed_family;

typedef struct mixed_node {
	char kind;  /* 'e'lectrical, 't'ranslational, 'r'otational, 'p'lanar */
	bool angle; /* of a planar node: it has theta */
	int parent; /* of a planar node: the node that it hangs on */
	bool heavy; /* it has inertia, so its initial velocity is written */
	double q[3], v[3];
} mixed_node;

typedef struct mixed_element {
	int type;
	int node[MIXED_PINS]; /* 0 is the reference, or the wall */
	int part;             /* its subsystem when torn */
	char values[288];
} mixed_element;

/* A controller outside all parts: its law reads a sensor and drives an actuator. */
typedef struct mixed_control {
	int actuator, sensor; /* elements */
	const char *input;    /* the actuator's signal */
	double omega;         /* of the set-point, a sine [rad/s] */
	char law[200];        /* its element */
} mixed_control;

typedef struct random_mixed {
	mixed_family family;
	int n_nodes, n_elements, n_parts; /* without node 0 */
	bool outside; /* when torn, elements of part 0 are outside all subsystems */
	bool nested;  /* parts 1 and 2 are in a common subsystem */
	double step;  /* [s] suitable for the network */
	mixed_node nodes[MIXED_NODES + 1];
	mixed_element elements[MIXED_ELEMENTS];
	int n_controls;
	mixed_control controls[MIXED_CONTROLS];
} random_mixed;

/* The order of elements, of nodes 1 ..., and of parts in the text: permutations. */
typedef struct mixed_order {
	int element[MIXED_ELEMENTS], node[MIXED_NODES], part[MIXED_PARTS];
} mixed_order;

/* A <connect> of the torn form, as the columns of its ports' powers are recorded. */
typedef struct mixed_connection {
	int node, n_ports;
	int n_flows; /* of a port: 0 for balance ports, whose power is recorded directly */
} mixed_connection;

void random_mixed_make(random_mixed *net, mixed_family family, uint64_t seed);
mixed_order random_mixed_order(const random_mixed *net, uint64_t seed, bool shuffled);
void random_mixed_write(const random_mixed *net, const mixed_order *order, bool torn,
			bxt_buffer *xml);
/*
 * Adds signals to a list, in the same order in all forms: the elements' coordinates and flows, the
 * nodes' positions, velocities and potentials; or the multipliers of constraints.
 */
void random_mixed_motion(const random_mixed *net, bool torn, bxt_buffer *record);
void random_mixed_forces(const random_mixed *net, bool torn, bxt_buffer *record);
/*
 * Adds the signals that determine the power in the connections of the torn form to a list, and the
 * names of their columns, a group for each returned connection. For balance ports these are the
 * powers. For shared ports they are the flows of all ports, then the (n_ports - 1) n_flows
 * multipliers, which act on the first port, and with the opposite sign on the others. connections
 * has room for MIXED_NODES. Returns their number.
 */
int random_mixed_powers(const random_mixed *net, const mixed_order *order,
			mixed_connection *connections, bxt_buffer *columns, bxt_buffer *record);

/* Turns some elements into blocks and controls some sources: random_mixed_control.c. */
void random_mixed_control(random_mixed *net, uint64_t *seed);
extern const char mixed_control_components[];

/* For random_mixed_write.c: properties of the types of elements. */
typedef struct mixed_type {
	const char *component, *prefix;
	const char *kinds; /* port kinds of the nodes, one letter each */
	const char *ports[MIXED_PINS];
	const char *signals[MIXED_PINS]; /* own coordinates and flows */
	const char *constraints[2];
} mixed_type;
extern const mixed_type mixed_types[];
int random_mixed_pins(const mixed_element *e);

#endif
