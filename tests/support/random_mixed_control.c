/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns parts of a random network into port-Hamiltonian blocks of the same physics, and lets PID
 * controllers, continuous, limited and sampled, drive some of its sources.
 */
#include "support/random_mixed.h"

#include "support/random_network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PH_COMPONENT(name, domain)                                                                 \
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"" name "\" domain=\"" domain "\">"
#define PH_PARAMETER(name, unit) "<parameter name=\"" name "\" unit=\"" unit "\"/>"
#define PH_PINS "<port name=\"p\" kind=\"electrical\"/><port name=\"n\" kind=\"electrical\"/>"
#define PH_END "</port-hamiltonian></component>\n"

const char mixed_control_components[] =
	PH_COMPONENT("ph-coil", "electrical") PH_PARAMETER("L", "H") PH_PINS
	"<port-hamiltonian><state name=\"phi\" unit=\"Wb\" rate=\"v\" effort=\"j\"/>"
	"<hamiltonian>phi^2/(2*L)</hamiltonian><input port=\"p\" return=\"n\">1</input>" PH_END
		PH_COMPONENT("ph-condenser", "electrical") PH_PARAMETER("C", "F") PH_PINS
	"<port-hamiltonian><state name=\"Q\" unit=\"C\" rate=\"j\" effort=\"u\"/>"
	"<hamiltonian>Q^2/(2*C)</hamiltonian>"
	"<input port=\"p\" return=\"n\" takes=\"flow\">1</input>" PH_END PH_COMPONENT(
		"ph-resonator", "electrical") PH_PARAMETER("C", "F") PH_PARAMETER("L", "H")
		PH_PARAMETER("r", "ohm") PH_PINS
	"<port-hamiltonian><state name=\"Q\" unit=\"C\" rate=\"j\" effort=\"u\"/>"
	"<state name=\"phi\" unit=\"Wb\" rate=\"v\" effort=\"k\"/>"
	"<hamiltonian>Q^2/(2*C) + phi^2/(2*L)</hamiltonian><structure>0, -1; 1, 0</structure>"
	"<dissipation>0, 0; 0, r</dissipation><input port=\"p\" return=\"n\">0; 1</input>" PH_END
		PH_COMPONENT("ph-spring", "translational") PH_PARAMETER(
			"k", "N/m") "<parameter name=\"k3\" unit=\"N/m3\" default=\"0 N/m3\"/>"
				    "<port name=\"a\" kind=\"translational\"/><port name=\"b\" "
				    "kind=\"translational\"/>"
				    "<port-hamiltonian><state name=\"s\" unit=\"m\" rate=\"w\" "
				    "effort=\"f\"/>"
				    "<hamiltonian>k*s^2/2 + k3*s^4/4</hamiltonian>"
				    "<input port=\"a\" takes=\"flow\">-1</input><input port=\"b\" "
				    "takes=\"flow\">1</input>" PH_END;

static double chance(uint64_t *seed)
{
	return (double)random_below(seed, 1000) / 1000;
}

/* The number after KEY="; 0 if it is not written. */
static double value_of(const mixed_element *e, const char *key)
{
	double value = 0;
	const char *at = strstr(e->values, key);
	if (at)
		sscanf(at + strlen(key), "=\"%lf", &value);
	return value;
}

/*
 * Turns a branch into a block with the same equation and the same start. A resistor becomes a
 * resonator instead.
 */
static void make_block(const random_mixed *net, mixed_element *e, uint64_t *seed)
{
	const double L = value_of(e, "L"), C = value_of(e, "C"), q = value_of(e, "q");
	switch (e->type) {
	case MIXED_INDUCTOR:
		e->type = MIXED_PH_COIL;
		snprintf(e->values, sizeof e->values, "L=\"%.17g\" phi=\"%.17g\"", L,
			 L * value_of(e, " i"));
		break;
	case MIXED_CAPACITOR:
		e->type = MIXED_PH_CONDENSER;
		snprintf(e->values, sizeof e->values, "C=\"%.17g\" Q=\"%.17g\"", C, q);
		break;
	case MIXED_RESISTOR:
		e->type = MIXED_PH_RESONATOR;
		snprintf(e->values, sizeof e->values, "C=\"%.3g\" L=\"%.3g\" r=\"%.3g\"",
			 0.1 + chance(seed), 0.1 + chance(seed), 0.1 + chance(seed));
		break;
	default:
		e->type = MIXED_PH_SPRING;
		const size_t length = strlen(e->values);
		snprintf(e->values + length, sizeof e->values - length, " s=\"%.17g\"",
			 net->nodes[e->node[1]].q[0] - net->nodes[e->node[0]].q[0]);
	}
}

/* Lets a signal drive the source. */
static void make_actuator(random_mixed *net, int i, uint64_t *seed)
{
	mixed_element *e = &net->elements[i];
	mixed_control *c = &net->controls[net->n_controls++];
	*c = (mixed_control){.actuator = i, .sensor = -1};
	c->input = e->type == MIXED_VOLTAGE_SOURCE ? "e" : "u";
	e->type = e->type == MIXED_VOLTAGE_SOURCE   ? MIXED_VOLTAGE_ACTUATOR
		  : e->type == MIXED_CURRENT_SOURCE ? MIXED_CURRENT_ACTUATOR
						    : MIXED_FORCE_ACTUATOR;
	*e->values = 0;
	const double Kp = 0.05 + 0.3 * chance(seed), Ki = 0.1 + chance(seed);
	const char *limits = random_below(seed, 2) ? " umin=\"-1\" umax=\"1\"" : "";
	if (random_below(seed, 2))
		snprintf(c->law, sizeof c->law,
			 "<sampled-pid id=\"Law%d\" Kp=\"%.3g\" Ki=\"%.3g s-1\" Ts=\"%.17g s\" "
			 "Td=\"%.17g s\"%s/>",
			 i, Kp, Ki, 2 * net->step, random_below(seed, 2) * net->step, limits);
	else
		snprintf(c->law, sizeof c->law,
			 "<pid id=\"Law%d\" Kp=\"%.3g\" Ki=\"%.3g s-1\" Kd=\"%.3g s\"%s/>", i, Kp,
			 Ki, 0.01 * random_below(seed, 2), limits);
	c->omega = 0.5 + 2 * chance(seed);
}

/*
 * The quantity that the law reads: the current of a resistor, or the velocity of a mass. Other
 * quantities are unsuitable: potentials of floating islands depend on the choice of the reference,
 * and currents in loops of capacitors depend on derivatives of the sources, so that feedback would
 * give an equation of index 3.
 */
static void choose_sensor(const random_mixed *net, mixed_control *c, uint64_t *seed)
{
	const int first = random_below(seed, net->n_elements);
	for (int k = 0; k < net->n_elements && c->sensor < 0; k++) {
		const int i = (first + k) % net->n_elements, type = net->elements[i].type;
		if (type == MIXED_RESISTOR || type == MIXED_MASS)
			c->sensor = i;
	}
}

void random_mixed_control(random_mixed *net, uint64_t *seed)
{
	for (int i = 0; i < net->n_elements; i++) {
		mixed_element *e = &net->elements[i];
		const bool spring = e->type == MIXED_SPRING || e->type == MIXED_CUBIC_SPRING;
		const bool source = e->type == MIXED_VOLTAGE_SOURCE ||
				    e->type == MIXED_CURRENT_SOURCE || e->type == MIXED_FORCE;
		const bool branch = e->type == MIXED_INDUCTOR || e->type == MIXED_CAPACITOR ||
				    (e->type == MIXED_RESISTOR && random_below(seed, 2));
		if ((spring || branch) && random_below(seed, 2))
			make_block(net, e, seed);
		else if (source && net->n_controls < MIXED_CONTROLS)
			make_actuator(net, i, seed);
	}
	for (int k = 0; k < net->n_controls; k++)
		choose_sensor(net, &net->controls[k], seed);
}
