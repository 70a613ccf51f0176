/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/random_mixed.h"

#include "support/random_network.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ONE_PORT                                                                                   \
	"ee", {"p", "n"},                                                                          \
	{                                                                                          \
		"q", "i"                                                                           \
	}
#define TWO_PORT                                                                                   \
	"eeee", {"p1", "n1", "p2", "n2"},                                                          \
	{                                                                                          \
		"q1", "i1", "q2", "i2"                                                             \
	}
#define BETWEEN(kinds)                                                                             \
	kinds, {"a", "b"},                                                                         \
	{                                                                                          \
		NULL                                                                               \
	}

const mixed_type mixed_types[] = {
	[MIXED_RESISTOR] = {"resistor", "R", ONE_PORT, {NULL}},
	[MIXED_CONDUCTANCE] = {"conductance", "G", ONE_PORT, {NULL}},
	[MIXED_INDUCTOR] = {"inductor", "L", ONE_PORT, {NULL}},
	[MIXED_CAPACITOR] = {"capacitor", "C", ONE_PORT, {NULL}},
	[MIXED_VOLTAGE_SOURCE] = {"voltage-source", "V", ONE_PORT, {NULL}},
	[MIXED_CURRENT_SOURCE] = {"current-source", "I", ONE_PORT, {NULL}},
	[MIXED_TRANSFORMER] = {"transformer", "T", TWO_PORT, {"turns"}},
	[MIXED_GYRATOR] = {"gyrator", "Y", TWO_PORT, {NULL}},
	[MIXED_WINDINGS] = {"coupled-inductors", "W", TWO_PORT, {NULL}},
	[MIXED_MASS] = {"mass", "M", BETWEEN("t"), {NULL}},
	[MIXED_SPRING] = {"spring", "K", BETWEEN("tt"), {NULL}},
	[MIXED_CUBIC_SPRING] = {"cubic-spring", "Kc", BETWEEN("tt"), {NULL}},
	[MIXED_DAMPER] = {"damper", "D", BETWEEN("tt"), {NULL}},
	[MIXED_INERTER] = {"inerter", "B", BETWEEN("tt"), {NULL}},
	[MIXED_FORCE] = {"force", "F", BETWEEN("tt"), {NULL}},
	[MIXED_LEVER] = {"lever", "Le", BETWEEN("tt"), {"arms"}},
	[MIXED_PRESCRIBED] = {"prescribed-velocity", "Pv", BETWEEN("tt"), {"motion"}},
	[MIXED_INERTIA] = {"inertia", "J", BETWEEN("r"), {NULL}},
	[MIXED_TORSION_SPRING] = {"torsion-spring", "Kt", BETWEEN("rr"), {NULL}},
	[MIXED_BEARING] = {"rotational-damper", "Db", BETWEEN("rr"), {NULL}},
	[MIXED_TORQUE] = {"torque", "Tq", BETWEEN("rr"), {NULL}},
	[MIXED_GEAR] = {"gear", "Ge", BETWEEN("rr"), {"mesh"}},
	[MIXED_BELT] = {"belt", "Be", BETWEEN("rr"), {"no-slip"}},
	[MIXED_BELT_SPRING] = {"belt-spring", "Bs", BETWEEN("rr"), {NULL}},
	[MIXED_RACK] = {"rack-and-pinion", "Ra", "rt", {"pinion", "rack"}, {NULL}, {"mesh"}},
	[MIXED_POINT_MASS] = {"point-mass", "Pm", BETWEEN("p"), {NULL}},
	[MIXED_RIGID_BODY] = {"rigid-body", "Rb", BETWEEN("p"), {NULL}},
	[MIXED_ROD] = {"rod", "Rod", BETWEEN("pp"), {"length"}},
	[MIXED_GROUND_ROD] = {"ground-rod", "Gr", BETWEEN("p"), {"length"}},
	[MIXED_BODY_ROD] = {"body-rod", "Br", BETWEEN("pp"), {"length"}},
	[MIXED_BODY_POINT] = {"body-point", "Bp", BETWEEN("pp"), {"x", "y"}},
	[MIXED_REVOLUTE] = {"revolute", "H", BETWEEN("pp"), {"x", "y"}},
	[MIXED_PIN] = {"pin", "Pin", BETWEEN("p"), {"x", "y"}},
	[MIXED_POINT_SPRING] = {"point-spring", "Ps", BETWEEN("pp"), {NULL}},
	[MIXED_POINT_DAMPER] = {"point-damper", "Pd", BETWEEN("pp"), {NULL}},
	[MIXED_DRAG] = {"relative-damper", "Dr", BETWEEN("pp"), {NULL}},
	[MIXED_JOINT_SPRING] = {"joint-spring", "Js", BETWEEN("pp"), {NULL}},
	[MIXED_JOINT_DAMPER] = {"joint-damper", "Jd", BETWEEN("pp"), {NULL}},
	[MIXED_POINT_FORCE] = {"point-force", "Pf", BETWEEN("p"), {NULL}},
	[MIXED_MOTOR] = {"armature", "Mo", "eer", {"p", "n", "shaft"}, {"q", "i"}, {NULL}},
	[MIXED_LIGHT_MOTOR] = {"light-motor", "Ml", "eer", {"p", "n", "shaft"}, {"q", "i"}, {NULL}},
	[MIXED_VOICE_COIL] = {"voice-coil", "Vc", "eet", {"p", "n", "a"}, {"q", "i"}, {NULL}},
	[MIXED_MOVING_PLATE] = {"moving-plate", "Mp", "eet", {"p", "n", "a"}, {"q", "i"}, {NULL}},
	[MIXED_PH_COIL] = {"ph-coil", "Xl", "ee", {"p", "n"}, {"phi", "j"}, {NULL}},
	[MIXED_PH_CONDENSER] = {"ph-condenser", "Xc", "ee", {"p", "n"}, {"Q", "u"}, {NULL}},
	[MIXED_PH_RESONATOR] =
		{"ph-resonator", "Xr", "ee", {"p", "n"}, {"Q", "phi", "u", "k"}, {NULL}},
	[MIXED_PH_SPRING] = {"ph-spring", "Xk", "tt", {"a", "b"}, {"s", "f"}, {NULL}},
	[MIXED_VOLTAGE_ACTUATOR] = {"voltage-actuator", "Va", ONE_PORT, {NULL}},
	[MIXED_CURRENT_ACTUATOR] = {"current-actuator", "Ia", ONE_PORT, {NULL}},
	[MIXED_FORCE_ACTUATOR] = {"force-actuator", "Fa", BETWEEN("tt"), {NULL}},
};

/* ---- Random numbers ---- */

static double between(uint64_t *seed, double lo, double hi)
{
	return lo + (hi - lo) * ((double)(random_next(seed) >> 11) / 9007199254740992.0);
}

/* Uniform in the logarithm. */
static double magnitude(uint64_t *seed, double lo, double hi)
{
	return exp(between(seed, log(lo), log(hi)));
}

static bool chance(uint64_t *seed, int percent)
{
	return random_below(seed, 100) < percent;
}

static double sign(uint64_t *seed)
{
	return chance(seed, 50) ? 1 : -1;
}

/* ---- Parts of a network ---- */

static int add_node(random_mixed *net, char kind)
{
	net->nodes[++net->n_nodes] = (mixed_node){.kind = kind};
	return net->n_nodes;
}

__attribute__((format(printf, 5, 6))) static mixed_element *add(random_mixed *net, int type, int a,
								int b, const char *format, ...)
{
	mixed_element *e = &net->elements[net->n_elements++];
	*e = (mixed_element){.type = type, .node = {a, b}};
	va_list list;
	va_start(list, format);
	vsnprintf(e->values, sizeof e->values, format, list);
	va_end(list);
	return e;
}

static void add_three(random_mixed *net, int type, int a, int b, int c, const char *values)
{
	add(net, type, a, b, "%s", values)->node[2] = c;
}

/* A constant, a sine, or pulses whose edges fall between steps. */
static const char *waveform(uint64_t *seed, double size, char *out, size_t length)
{
	switch (random_below(seed, 4)) {
	case 0:
		snprintf(out, length, "%.3g", size);
		break;
	case 1:
		snprintf(out, length, "=pulse(t, %.3g, %.3g, %.3g, 0.103, 0.211, %.3g, %.3g)",
			 -size / 3, size, between(seed, 0.1, 1), between(seed, 0.2, 0.5),
			 between(seed, 1, 3));
		break;
	default:
		snprintf(out, length, "=%.3g*sin(%.3g*t + %d)", size, magnitude(seed, 0.5, 5),
			 random_below(seed, 7));
	}
	return out;
}

/* ---- Circuits ---- */

/* A positive value, and in half of the cases a written initial value. */
static void add_storage(random_mixed *net, uint64_t *seed, int type, int a, int b)
{
	const bool coil = type == MIXED_INDUCTOR;
	const double value = magnitude(seed, 0.1, 10), initial = sign(seed) * between(seed, 0.1, 1);
	if (chance(seed, 50))
		add(net, type, a, b, "%s=\"%.3g\" %s=\"%.3g\"", coil ? "L" : "C", value,
		    coil ? "i" : "q", initial);
	else
		add(net, type, a, b, "%s=\"%.3g\"", coil ? "L" : "C", value);
}

static void add_source(random_mixed *net, uint64_t *seed, int type, int a, int b)
{
	char text[200];
	const double size = sign(seed) * magnitude(seed, 0.3, 3);
	add(net, type, a, b, "%s=\"%s\"", type == MIXED_VOLTAGE_SOURCE ? "e" : "I",
	    waveform(seed, size, text, sizeof text));
}

static void add_branch(random_mixed *net, uint64_t *seed, bool chord, int a, int b)
{
	static const int types[] = {MIXED_RESISTOR,  MIXED_RESISTOR,      MIXED_CONDUCTANCE,
				    MIXED_INDUCTOR,  MIXED_INDUCTOR,      MIXED_CAPACITOR,
				    MIXED_CAPACITOR, MIXED_VOLTAGE_SOURCE};
	const int type = types[random_below(seed, 8)];
	if (type == MIXED_INDUCTOR || type == MIXED_CAPACITOR)
		add_storage(net, seed, type, a, b);
	else if (type == MIXED_VOLTAGE_SOURCE)
		add_source(net, seed, chord ? MIXED_CURRENT_SOURCE : MIXED_VOLTAGE_SOURCE, a, b);
	else
		add(net, type, a, b, type == MIXED_RESISTOR ? "R=\"%.3g\"" : "G=\"%.3g\"",
		    magnitude(seed, 0.1, 10));
}

/* The nodes first ... first + n - 1, and the reference where it is grounded. */
typedef struct island {
	int first, n;
	bool grounded;
} island;

/* Two different nodes of the range, in either order. */
static void two_nodes(uint64_t *seed, const island *at, int *a, int *b)
{
	const int n = at->n + at->grounded, i = random_below(seed, n);
	const int j = (i + 1 + random_below(seed, n - 1)) % n;
	*a = i < at->n ? at->first + i : 0;
	*b = j < at->n ? at->first + j : 0;
}

/*
 * A transformer has a resistor in series, so that sources on both sides do not contradict each
 * other.
 */
static void add_two_port(random_mixed *net, uint64_t *seed, const island *one, const island *two)
{
	int a, b, c, d;
	two_nodes(seed, one, &a, &b);
	two_nodes(seed, two, &c, &d);
	const double value = sign(seed) * magnitude(seed, 0.3, 3);
	const int type = MIXED_TRANSFORMER + random_below(seed, 3);
	mixed_element *e;
	if (type == MIXED_TRANSFORMER) {
		const int inner = add_node(net, 'e');
		add(net, MIXED_RESISTOR, a, inner, "R=\"%.3g\"", magnitude(seed, 0.1, 10));
		e = add(net, type, inner, b, "n=\"%.3g\"", value);
	} else if (type == MIXED_GYRATOR) {
		e = add(net, type, a, b, "r=\"%.3g\"", value);
	} else {
		e = add(net, type, a, b, "L1=\"%.3g\" L2=\"%.3g\" k=\"%.3g\"",
			magnitude(seed, 0.3, 3), magnitude(seed, 0.3, 3), between(seed, -0.9, 0.9));
	}
	e->node[2] = c;
	e->node[3] = d;
}

static island add_circuit(random_mixed *net, uint64_t *seed, int n, int chords, bool grounded)
{
	const island at = {net->n_nodes + 1, n, grounded};
	for (int i = 0; i < n; i++) {
		const int node = add_node(net, 'e');
		/* prefers near nodes: ladders rather than stars */
		const int back = 1 + random_below(seed, random_below(seed, i + 1) + 1);
		if (i == 0 && !grounded)
			continue;
		const int other = back <= i ? node - back : grounded ? 0 : at.first;
		if (chance(seed, 50))
			add_branch(net, seed, false, node, other);
		else
			add_branch(net, seed, false, other, node);
	}
	for (int i = 0; i < chords; i++) {
		int a, b;
		two_nodes(seed, &at, &a, &b);
		if (chance(seed, 15))
			add_two_port(net, seed, &at, &at);
		else
			add_branch(net, seed, true, a, b);
	}
	return at;
}

static void make_circuit(random_mixed *net, uint64_t *seed)
{
	const int n = 4 + random_below(seed, 14);
	const island one =
		add_circuit(net, seed, n, n / 2 + random_below(seed, n), chance(seed, 90));
	if (chance(seed,
		   30)) { /* a second island, behind a two-port, usually without a reference */
		const island two = add_circuit(net, seed, 3, 2, chance(seed, 30));
		add_two_port(net, seed, &one, &two);
	}
	net->step = 0.01;
}

/* ---- Lines: shafts and slides ---- */

typedef struct line_type {
	int inertia, spring, damper, drive, ratio;
	const char *inertia_of, *drive_of;
} line_type;

static const line_type slides = {MIXED_MASS,  MIXED_SPRING, MIXED_DAMPER, MIXED_FORCE,
				 MIXED_LEVER, "m",          "f"};
static const line_type shafts = {
	MIXED_INERTIA, MIXED_TORSION_SPRING, MIXED_BEARING, MIXED_TORQUE, MIXED_GEAR, "J", "tau"};

static void add_spring(random_mixed *net, uint64_t *seed, const line_type *line, int a, int b)
{
	if (line == &slides && chance(seed, 20))
		add(net, MIXED_CUBIC_SPRING, a, b, "k=\"%.3g\" k3=\"%.3g\"",
		    magnitude(seed, 0.5, 20), between(seed, -0.2, 2));
	else if (line == &shafts && a && chance(seed, 20))
		add(net, MIXED_BELT_SPRING, a, b, "ra=\"%.3g\" rb=\"%.3g\" k=\"%.3g\"",
		    magnitude(seed, 0.5, 2), magnitude(seed, 0.5, 2), magnitude(seed, 0.5, 20));
	else
		add(net, line->spring, a, b, "k=\"%.3g\"", magnitude(seed, 0.5, 20));
}

static void add_damper(random_mixed *net, uint64_t *seed, const line_type *line, int a, int b)
{
	add(net, line->damper, a, b, "c=\"%.3g\"", magnitude(seed, 0.1, 2));
}

/* A new node whose flow is a ratio times that of its parent. */
static void add_ratio(random_mixed *net, uint64_t *seed, const line_type *line, int parent,
		      int node)
{
	double ratio = magnitude(seed, 0.4, 2.5);
	if (line == &shafts && chance(seed, 40)) {
		const double r = magnitude(seed, 0.4, 2);
		add(net, MIXED_BELT, parent, node, "ra=\"%.17g\" rb=\"%.17g\"", r, r * ratio);
	} else {
		ratio *= sign(seed);
		add(net, line->ratio, parent, node, "ratio=\"%.17g\"", ratio);
	}
	net->nodes[node].v[0] = net->nodes[parent].v[0] / ratio;
}

/* A node that hangs on its parent; node 0 is the wall. If it has no inertia it is damped. */
static int add_link(random_mixed *net, uint64_t *seed, const line_type *line, int parent)
{
	const int node = add_node(net, line == &slides ? 't' : 'r');
	mixed_node *n = &net->nodes[node];
	n->q[0] = between(seed, -0.5, 0.5);
	n->v[0] = between(seed, -0.5, 0.5);
	n->heavy = chance(seed, 80);
	if (parent == 0 && line == &slides && chance(seed, 10)) {
		add(net, MIXED_PRESCRIBED, 0, node, "V=\"=%.3g*sin(%.3g*t)\"",
		    between(seed, 0.1, 0.5), magnitude(seed, 0.5, 5));
		n->v[0] = 0;
	} else if (parent && chance(seed, 25)) {
		add_ratio(net, seed, line, parent, node);
	} else {
		add_spring(net, seed, line, parent, node);
		if (!n->heavy || chance(seed, 40))
			add_damper(net, seed, line, parent, node);
		if (n->heavy && line == &slides && chance(seed, 10))
			add(net, MIXED_INERTER, parent, node, "B=\"%.3g\"",
			    magnitude(seed, 0.1, 1));
	}
	if (n->heavy)
		add(net, line->inertia, node, 0, "%s=\"%.3g\"", line->inertia_of,
		    magnitude(seed, 0.2, 3));
	return node;
}

static void add_drive(random_mixed *net, uint64_t *seed, const line_type *line, int a, int b)
{
	char text[200];
	add(net, line->drive, a, b, "%s=\"%s\"", line->drive_of,
	    waveform(seed, sign(seed) * magnitude(seed, 0.1, 1), text, sizeof text));
}

/* A tree of n nodes on the wall, and the other elements between them. */
static island add_line(random_mixed *net, uint64_t *seed, const line_type *line, int n, int chords)
{
	const island at = {net->n_nodes + 1, n, true};
	for (int i = 0; i < n; i++) {
		const int back = 1 + random_below(seed, random_below(seed, i + 1) + 1);
		add_link(net, seed, line, i == 0 || back > i ? 0 : at.first + i - back);
	}
	for (int i = 0; i < chords; i++) {
		int a, b;
		two_nodes(seed, &at, &a, &b);
		if (b == 0) { /* the wall is the first port */
			b = a;
			a = 0;
		}
		switch (random_below(seed, 3)) {
		case 0:
			add_spring(net, seed, line, a, b);
			break;
		case 1:
			add_damper(net, seed, line, a, b);
			break;
		default:
			add_drive(net, seed, line, a, b);
		}
	}
	return at;
}

/* ---- In the plane ---- */

enum { X, Y, THETA };

/* A point of an element: its position, and its velocity. */
typedef struct place {
	double q[2], v[2];
} place;

/* The point of a body at (ax, ay) in its frame. */
static place point_of(const mixed_node *n, double ax, double ay)
{
	const double c = cos(n->q[THETA]), s = sin(n->q[THETA]);
	const double dx = ax * c - ay * s, dy = ax * s + ay * c;
	return (place){{n->q[X] + dx, n->q[Y] + dy},
		       {n->v[X] - n->v[THETA] * dy, n->v[Y] + n->v[THETA] * dx}};
}

static double distance(const double *a, const double *b)
{
	return hypot(b[X] - a[X], b[Y] - a[Y]);
}

/*
 * A point below the place, at the angle alpha from straight down, and rotating about it with omega.
 */
static void hang(mixed_node *n, const place *from, double length, double alpha, double omega)
{
	const double dx = length * sin(alpha), dy = -length * cos(alpha);
	n->q[X] = from->q[X] + dx;
	n->q[Y] = from->q[Y] + dy;
	n->v[X] = from->v[X] - omega * dy;
	n->v[Y] = from->v[Y] + omega * dx;
}

static void add_point(random_mixed *net, uint64_t *seed, int parent, const place *from, bool still)
{
	const int node = add_node(net, 'p');
	mixed_node *n = &net->nodes[node];
	const mixed_node *above = &net->nodes[parent];
	hang(n, from, between(seed, 0.4, 1), between(seed, -0.4, 0.4),
	     still ? 0 : between(seed, -0.5, 0.5));
	n->heavy = true;
	add(net, MIXED_POINT_MASS, node, 0, "m=\"%.3g\" g=\"9.81\"", magnitude(seed, 0.5, 2));
	if (parent == 0) {
		add(net, MIXED_GROUND_ROD, node, 0, "X=\"%.17g\" Y=\"%.17g\" l=\"%.17g\"",
		    from->q[X], from->q[Y], distance(from->q, n->q));
	} else if (chance(seed, 60)) {
		add(net, MIXED_ROD, parent, node, "l=\"%.17g\"", distance(above->q, n->q));
	} else { /* stretched by a force of about its own weight */
		add(net, MIXED_POINT_SPRING, parent, node, "k=\"%.3g\" l0=\"%.3g\"",
		    magnitude(seed, 50, 300), 0.9 * distance(above->q, n->q));
		add(net, MIXED_POINT_DAMPER, parent, node, "c=\"%.3g\"", magnitude(seed, 0.5, 5));
	}
}

/* A body below the place (ax, ay) of its parent: on a hinge, or below another body on a rod. */
static void add_body(random_mixed *net, uint64_t *seed, int parent, const place *from, double ax,
		     double ay, bool still)
{
	const int node = add_node(net, 'p');
	mixed_node *n = &net->nodes[node];
	const double l = between(seed, 0.2, 0.5), omega = still ? 0 : between(seed, -0.5, 0.5);
	const bool rod = net->nodes[parent].angle && chance(seed, 30);
	place top = *from;
	if (rod) {
		mixed_node end = {0};
		hang(&end, from, between(seed, 0.3, 0.6), between(seed, -0.3, 0.3), 0);
		top = (place){{end.q[X], end.q[Y]}, {end.v[X], end.v[Y]}};
	}
	*n = (mixed_node){.kind = 'p', .angle = true, .heavy = true};
	n->q[THETA] = between(seed, -0.4, 0.4);
	n->v[THETA] = omega;
	hang(n, &top, l, n->q[THETA], omega); /* its point (0, l) is at the top */
	const double m = magnitude(seed, 0.5, 2);
	add(net, MIXED_RIGID_BODY, node, 0, "m=\"%.3g\" J=\"%.3g\" g=\"9.81\"", m, m * l * l / 2);
	if (rod)
		add(net, MIXED_BODY_ROD, parent, node,
		    "l=\"%.17g\" ax=\"%.17g\" ay=\"%.17g\" by=\"%.17g\"", distance(from->q, top.q),
		    ax, ay, l);
	else if (net->nodes[parent].angle)
		add(net, MIXED_REVOLUTE, parent, node, "ax=\"%.17g\" ay=\"%.17g\" by=\"%.17g\"", ax,
		    ay, l);
	else if (parent) /* a point mass has no frame */
		add(net, MIXED_BODY_POINT, node, parent, "ay=\"%.17g\"", l);
	else
		add(net, MIXED_PIN, node, 0, "X=\"%.17g\" Y=\"%.17g\" ay=\"%.17g\"", from->q[X],
		    from->q[Y], l);
	if (chance(seed, 50))
		add(net, MIXED_JOINT_DAMPER, net->nodes[parent].angle ? parent : 0, node,
		    "c=\"%.3g\"", magnitude(seed, 0.05, 0.5));
	if (chance(seed, 20))
		add(net, MIXED_JOINT_SPRING, net->nodes[parent].angle ? parent : 0, node,
		    "k=\"%.3g\"", magnitude(seed, 0.5, 5));
}

static void hang_one(random_mixed *net, uint64_t *seed, const island *at, bool still)
{
	const int i = net->n_nodes + 1 - at->first;
	const int back = 1 + random_below(seed, random_below(seed, i + 1) + 1);
	const int parent = back <= i ? at->first + i - back : 0;
	const mixed_node *above = &net->nodes[parent];
	double ax = 0, ay = 0;
	place from = {{1.1 * i, between(seed, -0.3, 0.3)}, {0, 0}};
	if (chance(seed, 40)) {
		if (above->angle) {
			ax = between(seed, -0.3, 0.3);
			ay = between(seed, -0.3, 0);
		}
		if (parent)
			from = point_of(above, ax, ay);
		add_body(net, seed, parent, &from, ax, ay, still);
	} else {
		if (parent)
			from = point_of(above, 0, 0);
		add_point(net, seed, parent, &from, still);
	}
	net->nodes[net->n_nodes].parent = parent;
}

static bool hangs_on(const random_mixed *net, int node, int other)
{
	while (node && node != other)
		node = net->nodes[node].parent;
	return node != 0;
}

/*
 * Points on different branches, for a rod or a spring. Along one branch a rod would be in a
 * singular position.
 */
static bool two_points(const random_mixed *net, uint64_t *seed, const island *at, int *a, int *b)
{
	two_nodes(seed, at, a, b);
	return !hangs_on(net, *a, *b) && !hangs_on(net, *b, *a) &&
	       distance(net->nodes[*a].q, net->nodes[*b].q) > 0.4;
}

static void make_plane(random_mixed *net, uint64_t *seed)
{
	const int n = 3 + random_below(seed, 5);
	const island at = {1, n, false};
	const bool loop = chance(seed, 40);
	int a, b;
	for (int i = 0; i < n; i++)
		hang_one(net, seed, &at, loop);
	/* one more rod removes a freedom, and each node has at least one */
	if (loop && two_points(net, seed, &at, &a, &b))
		add(net, MIXED_ROD, a, b, "l=\"%.17g\"",
		    distance(net->nodes[a].q, net->nodes[b].q));
	for (int i = 0; i < 2; i++)
		if (two_points(net, seed, &at, &a, &b))
			add(net, MIXED_POINT_SPRING, a, b, "k=\"%.3g\" l0=\"%.3g\"",
			    magnitude(seed, 1, 20), distance(net->nodes[a].q, net->nodes[b].q));
	for (int i = 1; i <= n; i++)
		if (chance(seed, 60))
			add(net, MIXED_DRAG, 0, i, "c=\"%.3g\"", magnitude(seed, 0.1, 1));
	for (int i = 0; i < 2; i++) {
		char fx[100], fy[100];
		add(net, MIXED_POINT_FORCE, 1 + random_below(seed, n), 0, "fx=\"%s\" fy=\"%s\"",
		    waveform(seed, between(seed, -1, 1), fx, sizeof fx),
		    waveform(seed, between(seed, -1, 1), fy, sizeof fy));
	}
	net->step = 0.002;
}

static void make_slides(random_mixed *net, uint64_t *seed)
{
	const int n = 4 + random_below(seed, 12);
	add_line(net, seed, &slides, n, n / 2 + random_below(seed, n));
	net->step = 0.01;
}

static void make_mechanism(random_mixed *net, uint64_t *seed)
{
	if (chance(seed, 50))
		make_plane(net, seed);
	else
		make_slides(net, seed);
}

/* ---- Several domains ---- */

static void add_motor(random_mixed *net, uint64_t *seed, const island *circuit, int shaft)
{
	int a, b;
	char values[160];
	two_nodes(seed, circuit, &a, &b);
	const double R = magnitude(seed, 0.1, 3), k = sign(seed) * magnitude(seed, 0.2, 2);
	const bool light = chance(seed, 30); /* neither inductance nor inertia */
	if (light)
		snprintf(values, sizeof values, "Ra=\"%.3g\" k=\"%.3g\"", R, k);
	else
		snprintf(values, sizeof values, "La=\"%.3g\" Ra=\"%.3g\" k=\"%.3g\" J=\"%.3g\"",
			 magnitude(seed, 0.1, 2), R, k, magnitude(seed, 0.1, 1));
	add_three(net, light ? MIXED_LIGHT_MOTOR : MIXED_MOTOR, a, b, shaft, values);
}

/* A coil in a magnet's field, or a capacitor with one moving plate, far from pull-in. */
static void add_transducer(random_mixed *net, uint64_t *seed, const island *circuit, int slide)
{
	int a, b;
	char values[160];
	two_nodes(seed, circuit, &a, &b);
	const bool coil = chance(seed, 60);
	if (coil)
		snprintf(values, sizeof values, "L=\"%.3g\" R=\"%.3g\" k=\"%.3g\"",
			 magnitude(seed, 0.1, 1), magnitude(seed, 0.2, 3),
			 sign(seed) * magnitude(seed, 0.2, 2));
	else
		snprintf(values, sizeof values, "C=\"%.3g\" d=\"20\"", magnitude(seed, 0.1, 1));
	add_three(net, coil ? MIXED_VOICE_COIL : MIXED_MOVING_PLATE, a, b, slide, values);
}

static void make_mixed(random_mixed *net, uint64_t *seed)
{
	const int n = 3 + random_below(seed, 5);
	const island circuit = add_circuit(net, seed, n, 2 + random_below(seed, n), true);
	const int m = 2 + random_below(seed, 4), o = 1 + random_below(seed, 4);
	const island shaft = add_line(net, seed, &shafts, m, random_below(seed, 3));
	const island slide = add_line(net, seed, &slides, o, random_below(seed, 3));
	for (int i = 1 + random_below(seed, 2); i >= 0; i--)
		add_motor(net, seed, &circuit, shaft.first + random_below(seed, m));
	for (int i = random_below(seed, 3); i > 0; i--)
		add_transducer(net, seed, &circuit, slide.first + random_below(seed, o));
	/* a rack has a slide of its own, which a spring joins to the others */
	const int pinion = shaft.first + random_below(seed, m), rack = add_node(net, 't');
	const double r = magnitude(seed, 0.3, 1);
	add(net, MIXED_RACK, pinion, rack, "r=\"%.17g\"", r);
	net->nodes[rack].v[0] = r * net->nodes[pinion].v[0];
	net->nodes[rack].heavy = chance(seed, 50);
	if (net->nodes[rack].heavy)
		add(net, MIXED_MASS, rack, 0, "m=\"%.3g\"", magnitude(seed, 0.2, 3));
	add_spring(net, seed, &slides, slide.first + random_below(seed, o), rack);
	if (chance(seed, 30)) {
		const island load = add_circuit(net, seed, 2, 1, false);
		add_two_port(net, seed, &circuit, &load);
	}
	net->step = 0.01;
}

static void make_controlled(random_mixed *net, uint64_t *seed)
{
	if (chance(seed, 50))
		make_circuit(net, seed);
	else
		make_slides(net, seed);
	random_mixed_control(net, seed);
}

/* ---- Tearing ---- */

int random_mixed_pins(const mixed_element *e)
{
	return (int)strlen(mixed_types[e->type].kinds);
}

/* Neighbours are usually in one part: an element goes to the part of one of its nodes. */
static void tear(random_mixed *net, uint64_t *seed)
{
	int part_of_node[MIXED_NODES + 1];
	bool torn = false;
	net->n_parts = 2 + random_below(seed, MIXED_PARTS - 1);
	for (int i = 0; i <= net->n_nodes; i++)
		part_of_node[i] = chance(seed, 75) ? i * net->n_parts / (net->n_nodes + 1)
						   : random_below(seed, net->n_parts);
	for (int i = 0; i < net->n_elements; i++) {
		mixed_element *e = &net->elements[i];
		int k = random_below(seed, random_mixed_pins(e));
		while (e->node[k] == 0) /* one of them is not the reference */
			k = (k + 1) % random_mixed_pins(e);
		e->part = part_of_node[e->node[k]];
		torn = torn || e->part != net->elements[0].part;
	}
	if (!torn) {
		mixed_element *last = &net->elements[net->n_elements - 1];
		last->part = (last->part + 1) % net->n_parts;
	}
	net->outside = chance(seed, 25);
	net->nested = net->n_parts > 3 && chance(seed, 40);
}

void random_mixed_make(random_mixed *net, mixed_family family, uint64_t seed)
{
	static void (*const make[MIXED_FAMILIES])(random_mixed *, uint64_t *) = {
		make_circuit, make_mechanism, make_mixed, make_controlled};
	seed = seed * 3 + (uint64_t)family; /* keeps the networks of older families */
	*net = (random_mixed){.family = family};
	make[family](net, &seed);
	tear(net, &seed);
}
