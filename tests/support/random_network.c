/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/random_network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum type {
	RESISTOR,
	CONDUCTANCE,
	INDUCTOR,
	CAPACITOR,
	VOLTAGE_SOURCE,
	CURRENT_SOURCE,
	DIODE,
	NONLINEAR_CAPACITOR,
	TRANSFORMER,
	GYRATOR,
	TYPES
} type;

static const struct {
	const char *name, *prefix;
	int tree, chord; /* relative frequency in the tree and among chords */
	bool two_port, nonlinear;
} types[TYPES] = {
	[RESISTOR] = {"resistor", "R", 4, 4, false, false},
	[CONDUCTANCE] = {"conductance", "G", 2, 2, false, false},
	[INDUCTOR] = {"inductor", "L", 3, 4, false, false},
	[CAPACITOR] = {"capacitor", "C", 4, 4, false, false},
	[VOLTAGE_SOURCE] = {"voltage-source", "V", 2, 0, false, false},
	[CURRENT_SOURCE] = {"current-source", "I", 0, 1, false, false},
	[DIODE] = {"diode", "D", 0, 2, false, true},
	[NONLINEAR_CAPACITOR] = {"nonlinear-capacitor", "N", 0, 1, false, true},
	[TRANSFORMER] = {"transformer", "T", 0, 1, true, false},
	[GYRATOR] = {"gyrator", "Y", 0, 1, true, false},
};

uint64_t random_next(uint64_t *seed)
{
	uint64_t z = (*seed += 0x9E3779B97F4A7C15u);
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

int random_below(uint64_t *seed, int n)
{
	return (int)(random_next(seed) % (uint64_t)n);
}

/* Between lo and hi, uniform in the logarithm. */
static double magnitude(uint64_t *seed, double lo, double hi)
{
	const double part = (double)(random_next(seed) >> 11) / 9007199254740992.0;
	return lo * pow(hi / lo, part);
}

static double sign(uint64_t *seed)
{
	return random_below(seed, 2) ? 1 : -1;
}

static type choose(uint64_t *seed, bool tree, bool linear)
{
	int total = 0;
	for (int t = 0; t < TYPES; t++)
		if (!linear || !types[t].nonlinear)
			total += tree ? types[t].tree : types[t].chord;
	int left = random_below(seed, total), t = 0;
	for (;; t++) {
		const int weight = tree ? types[t].tree : types[t].chord;
		if (linear && types[t].nonlinear)
			continue;
		if (left < weight)
			return (type)t;
		left -= weight;
	}
}

/* ---- Values ---- */

static void source(uint64_t *seed, const char *what, random_element *e)
{
	const double size = magnitude(seed, 0.3, 3), omega = magnitude(seed, 0.5, 5);
	if (random_below(seed, 3) == 0)
		snprintf(e->values, sizeof e->values, "%s=\"%.3g\"", what, sign(seed) * size);
	else
		snprintf(e->values, sizeof e->values, "%s=\"=%.3g*sin(%.3g*t + %d)\"", what, size,
			 omega, random_below(seed, 7));
}

/* A positive value, and in half of the cases a written initial value. */
static void storage(uint64_t *seed, const char *what, const char *initial, random_element *e)
{
	const int n = snprintf(e->values, sizeof e->values, "%s=\"%.3g\"", what,
			       magnitude(seed, 0.1, 10));
	if (random_below(seed, 2))
		snprintf(e->values + n, sizeof e->values - (size_t)n, " %s=\"%.3g\"", initial,
			 sign(seed) * magnitude(seed, 0.1, 2));
}

static void give_values(uint64_t *seed, random_element *e)
{
	const double value = magnitude(seed, 0.1, 10);
	switch ((type)e->type) {
	case RESISTOR:
		snprintf(e->values, sizeof e->values, "R=\"%.3g\"", value);
		break;
	case CONDUCTANCE:
		snprintf(e->values, sizeof e->values, "G=\"%.3g\"", value);
		break;
	case INDUCTOR:
		storage(seed, "L", "i", e);
		break;
	case CAPACITOR:
		storage(seed, "C", "q", e);
		break;
	case VOLTAGE_SOURCE:
		source(seed, "e", e);
		break;
	case CURRENT_SOURCE:
		source(seed, "I", e);
		break;
	case DIODE: /* of silicon, or a soft one */
		if (random_below(seed, 2))
			snprintf(e->values, sizeof e->values, "Is=\"%.3g\" Vt=\"%.3g\"",
				 1e-3 * value, 0.2 * magnitude(seed, 0.5, 2));
		break;
	case NONLINEAR_CAPACITOR:
		snprintf(e->values, sizeof e->values, "energy=\"=%.3g*q^2 + q^4/40\"", value);
		break;
	case TRANSFORMER:
		snprintf(e->values, sizeof e->values, "n=\"%.3g\"",
			 sign(seed) * magnitude(seed, 0.3, 3));
		break;
	case GYRATOR:
	default:
		snprintf(e->values, sizeof e->values, "r=\"%.3g\"",
			 sign(seed) * magnitude(seed, 0.3, 3));
		break;
	}
}

/* ---- Topology ---- */

/* Two islands of nodes, first ... split - 1 and split ... end - 1; the second may be empty. */
typedef struct islands {
	int first, split, end;
} islands;

static random_element *add(random_network *net, uint64_t *seed, type t)
{
	random_element *e = &net->elements[net->n_elements++];
	*e = (random_element){.type = t};
	net->nonlinear = net->nonlinear || types[t].nonlinear;
	give_values(seed, e);
	return e;
}

static void in_either_direction(uint64_t *seed, int a, int b, int *pins)
{
	const bool turned = random_below(seed, 2);
	pins[0] = turned ? b : a;
	pins[1] = turned ? a : b;
}

/* Two different nodes of one island. */
static void two_nodes(uint64_t *seed, const islands *at, int *pins)
{
	const int size = at->end - at->first, low = at->split - at->first;
	const bool upper = at->end - at->split > 1 && random_below(seed, size) >= low;
	const int first = upper ? at->split : at->first, n = (upper ? at->end : at->split) - first;
	const int a = random_below(seed, n), b = (a + 1 + random_below(seed, n - 1)) % n;
	in_either_direction(seed, first + a, first + b, pins);
}

/*
 * A transformer with both sides between the same nodes requires v = n v, so v = 0: a voltage source
 * there would make the network unsolvable. (An island has three nodes or more.)
 */
static bool same_pair(const int *pins)
{
	return (pins[0] == pins[2] && pins[1] == pins[3]) ||
	       (pins[0] == pins[3] && pins[1] == pins[2]);
}

/*
 * Every diode has a resistor in series. Directly across voltage sources it would carry 1e19 A, for
 * which no test can pass.
 */
static void protect(random_network *net, uint64_t *seed, random_element *diode)
{
	random_element *r = add(net, seed, RESISTOR);
	r->node[0] = ++net->n_nodes;
	r->node[1] = diode->node[1];
	diode->node[1] = r->node[0];
}

static void grow_tree(random_network *net, uint64_t *seed, int first, int end)
{
	for (int node = first + 1; node < end; node++) {
		random_element *e = add(net, seed, choose(seed, true, true));
		/* prefers near nodes: ladders rather than stars */
		const int back = 1 + random_below(seed, random_below(seed, node - first) + 1);
		in_either_direction(seed, node, node - back, e->node);
	}
}

static void tear(random_network *net, uint64_t *seed)
{
	int part_of_node[RANDOM_ELEMENTS];
	net->n_parts = 2 + random_below(seed, RANDOM_PARTS - 1);
	for (int i = 0; i <= net->n_nodes; i++)
		part_of_node[i] = random_below(seed, 4) ? i * net->n_parts / (net->n_nodes + 1)
							: random_below(seed, net->n_parts);
	for (int i = 0; i < net->n_elements; i++) {
		random_element *e = &net->elements[i];
		e->part = part_of_node[e->node[random_below(seed, 2)]];
	}
}

void random_network_make(random_network *net, uint64_t seed, bool linear)
{
	*net = (random_network){.n_nodes = 3 + random_below(&seed, RANDOM_NODES - 2)};
	const int end = net->n_nodes + 1;
	/* every fourth has a floating island, every eighth no ground at all */
	islands at = {random_below(&seed, 8) == 0, end, end};
	if (net->n_nodes >= 6 && random_below(&seed, 4) == 0)
		at.split = at.first + 3 + random_below(&seed, end - at.first - 5);
	grow_tree(net, &seed, at.first, at.split);
	grow_tree(net, &seed, at.split, at.end);
	const int chords = net->n_nodes / 2 + 1 + random_below(&seed, net->n_nodes);
	for (int i = 0; i < chords; i++) {
		random_element *e = add(net, &seed, choose(&seed, false, linear));
		two_nodes(&seed, &at, e->node);
		if (types[e->type].two_port)
			two_nodes(&seed, &at, e->node + 2);
		while (e->type == TRANSFORMER && same_pair(e->node))
			two_nodes(&seed, &at, e->node + 2);
		if (e->type == DIODE)
			protect(net, &seed, e);
	}
	tear(net, &seed);
}

void random_network_shuffle(const random_network *net, uint64_t seed, int *order)
{
	for (int i = 0; i < net->n_elements; i++) {
		const int j = random_below(&seed, i + 1);
		order[i] = order[j];
		order[j] = i;
	}
}

/* ---- Netlists ---- */

static int pins(const random_element *e)
{
	return types[e->type].two_port ? 4 : 2;
}

static bool touches(const random_network *net, int part, int node)
{
	for (int i = 0; i < net->n_elements; i++)
		for (int k = 0; k < pins(&net->elements[i]); k++)
			if (net->elements[i].node[k] == node &&
			    (part < 0 || net->elements[i].part == part))
				return true;
	return false;
}

/* The number of parts at the node; *first is one of them. */
static int parts_at(const random_network *net, int node, int *first)
{
	int n = 0;
	for (int part = net->n_parts - 1; part >= 0; part--)
		if (touches(net, part, node)) {
			*first = part;
			n++;
		}
	return n;
}

static void write_element(const random_network *net, int i, bxt_buffer *xml)
{
	static const char *const one[] = {"p", "n"}, *const two[] = {"p1", "n1", "p2", "n2"};
	const random_element *e = &net->elements[i];
	bxt_buffer_printf(xml, "<%s id=\"%s%d\"", types[e->type].name, types[e->type].prefix, i);
	for (int k = 0; k < pins(e); k++)
		bxt_buffer_printf(xml, e->node[k] ? " %s=\"n%d\"" : " %s=\"%d\"",
				  (pins(e) == 2 ? one : two)[k], e->node[k]);
	bxt_buffer_printf(xml, " %s/>\n", e->values);
}

static void write_part(const random_network *net, const int *order, int part, bxt_buffer *xml)
{
	int first;
	bool any = false;
	for (int i = 0; i < net->n_elements; i++)
		any = any || net->elements[i].part == part;
	if (!any)
		return;
	bxt_buffer_printf(xml, "<subsystem id=\"s%d\">\n", part);
	for (int i = 0; i < net->n_elements; i++)
		if (net->elements[order ? order[i] : i].part == part)
			write_element(net, order ? order[i] : i, xml);
	for (int node = 1; node <= net->n_nodes; node++)
		if (touches(net, part, node) && parts_at(net, node, &first) > 1)
			bxt_buffer_printf(xml, "<port id=\"x%d\" node=\"n%d\"/>\n", node, node);
	bxt_buffer_printf(xml, "</subsystem>\n");
}

static void write_connections(const random_network *net, bxt_buffer *xml)
{
	int first;
	bxt_buffer_printf(xml, "<interconnection>\n");
	for (int node = 1; node <= net->n_nodes; node++) {
		if (parts_at(net, node, &first) < 2)
			continue;
		bxt_buffer_printf(xml, "<connect id=\"j%d\" ports=\"", node);
		for (int part = 0; part < net->n_parts; part++)
			if (touches(net, part, node))
				bxt_buffer_printf(xml, "%ss%d.x%d", part == first ? "" : " ", part,
						  node);
		bxt_buffer_printf(xml, "\"/>\n");
	}
	bxt_buffer_printf(xml, "</interconnection>\n");
}

static void list_signals(const random_network *net, bool torn, bxt_buffer *record)
{
	static const char *const one[] = {"q", "i"}, *const two[] = {"q1", "i1", "q2", "i2"};
	for (int i = 0; i < net->n_elements; i++) {
		const random_element *e = &net->elements[i];
		for (int k = 0; k < pins(e); k++) {
			bxt_buffer_printf(record, "%s", record->length ? ", " : "");
			if (torn)
				bxt_buffer_printf(record, "s%d.", e->part);
			bxt_buffer_printf(record, "%s%d.%s", types[e->type].prefix, i,
					  (pins(e) == 2 ? one : two)[k]);
		}
	}
	for (int node = 1; node <= net->n_nodes; node++) {
		int first = -1;
		if (parts_at(net, node, &first) == 0)
			continue;
		if (torn)
			bxt_buffer_printf(record, ", node(s%d.n%d).v", first, node);
		else
			bxt_buffer_printf(record, ", node(n%d).v", node);
	}
}

void random_network_write(const random_network *net, const int *order, bool torn, bxt_buffer *xml,
			  bxt_buffer *record)
{
	bxt_buffer_printf(xml, "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"random\">\n");
	for (int part = 0; torn && part < net->n_parts; part++)
		write_part(net, order, part, xml);
	for (int i = 0; !torn && i < net->n_elements; i++)
		write_element(net, order ? order[i] : i, xml);
	if (torn)
		write_connections(net, xml);
	bxt_buffer_printf(xml, "</netlist>\n");
	list_signals(net, torn, record);
}
