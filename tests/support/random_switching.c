/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/random_switching.h"

#include "support/random_network.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char components[] =
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"test-valve\" domain=\"test\">\n"
	"<coordinate name=\"q\" unit=\"C\" flow=\"i\"/>\n"
	"<port name=\"p\" kind=\"electrical\" flow=\"i\"/>\n"
	"<port name=\"n\" kind=\"electrical\" flow=\"-i\"/>\n"
	"<constraint name=\"on\" kind=\"flow\" side=\"above\">i</constraint>\n"
	"</component>\n"
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"test-battery\" domain=\"test\">\n"
	"<parameter name=\"e\" unit=\"V\" time=\"true\"/><parameter name=\"R\" unit=\"ohm\"/>\n"
	"<coordinate name=\"q\" unit=\"C\" flow=\"i\"/>\n"
	"<port name=\"p\" kind=\"electrical\" flow=\"i\"/>\n"
	"<port name=\"n\" kind=\"electrical\" flow=\"-i\"/>\n"
	"<rayleigh>R*i^2/2</rayleigh><force on=\"q\">-e</force>\n"
	"</component>\n"
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"test-contactor\" domain=\"test\">\n"
	"<parameter name=\"R\" unit=\"ohm\"/><parameter name=\"Rc\" unit=\"ohm\"/>\n"
	"<parameter name=\"Lc\" unit=\"H\"/>\n"
	"<parameter name=\"pull\" unit=\"A\"/><parameter name=\"drop\" unit=\"A\"/>\n"
	"<coordinate name=\"q\" unit=\"C\" flow=\"i\"/>\n"
	"<coordinate name=\"qc\" unit=\"C\" flow=\"ic\"/>\n"
	"<port name=\"p\" kind=\"electrical\" flow=\"i\"/>\n"
	"<port name=\"n\" kind=\"electrical\" flow=\"-i\"/>\n"
	"<port name=\"c\" kind=\"electrical\" flow=\"ic\"/>\n"
	"<port name=\"d\" kind=\"electrical\" flow=\"-ic\"/>\n"
	"<lagrangian>Lc*ic^2/2</lagrangian><rayleigh>R*i^2/2 + Rc*ic^2/2</rayleigh>\n"
	"<mode name=\"closed\" initial=\"0\"><on when=\"ic &gt; pull\"/>"
	"<off when=\"ic &lt; drop\"/></mode>\n"
	"<constraint name=\"open\" kind=\"flow\" while=\"not closed\">i</constraint>\n"
	"</component>\n"
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"test-stop\" domain=\"test\">\n"
	"<parameter name=\"d\" unit=\"m\"/><parameter name=\"e\" unit=\"1\"/>\n"
	"<port name=\"a\" kind=\"translational\"/><port name=\"b\" kind=\"translational\"/>\n"
	"<constraint name=\"hit\" kind=\"position\" side=\"above\" restitution=\"e\">"
	"b.x - a.x - d</constraint>\n"
	"</component>\n"
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"test-rub\" domain=\"test\">\n"
	"<parameter name=\"F\" unit=\"N\"/><parameter name=\"Fs\" unit=\"N\"/>\n"
	"<port name=\"a\" kind=\"translational\"/><port name=\"b\" kind=\"translational\"/>\n"
	"<constraint name=\"grip\" kind=\"flow\" min=\"-F\" max=\"F\" static=\"Fs\">"
	"b.v - a.v</constraint>\n"
	"</component>\n";

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

/* ---- Parts ---- */

__attribute__((format(printf, 2, 0))) static int add_column(random_switching *net,
							    const char *format, int number)
{
	bxt_buffer_printf(&net->record, "%s", net->n_columns ? ", " : "");
	bxt_buffer_printf(&net->record, format, number);
	return net->n_columns++;
}

/* An element between two nodes; returns its number. */
__attribute__((format(printf, 5, 6))) static int add(random_switching *net, const char *type,
						     const char *ends, const int *node,
						     const char *format, ...)
{
	const int number = net->n_elements++;
	const char *ground = net->family == SWITCHING_CIRCUIT ? "0" : "wall";
	char *text = net->elements[number].text;
	const size_t room = sizeof net->elements[number].text;
	size_t n = (size_t)snprintf(text, room, "<%s id=\"X%d\"", type, number);
	for (int k = 0; ends[k]; k++)
		n += (size_t)(node[k] ? snprintf(text + n, room - n, " %c=\"n%d\"", ends[k],
						 node[k])
				      : snprintf(text + n, room - n, " %c=\"%s\"", ends[k],
						 ground));
	text[n++] = ' ';
	va_list list;
	va_start(list, format);
	n += (size_t)vsnprintf(text + n, room - n, format, list);
	va_end(list);
	snprintf(text + n, room - n, "/>\n");
	return number;
}

/* Sets of nodes that rows already join, each with a representative. */
static int set_of(const int *set, int node)
{
	while (set[node] != node)
		node = set[node];
	return node;
}

static bool join(int *set, int a, int b)
{
	a = set_of(set, a);
	b = set_of(set, b);
	set[a] = b;
	return a != b;
}

/* ---- Circuits ---- */

enum { RESISTOR, INDUCTOR, CAPACITOR, SOURCE, DIODE, RELAY };

static void add_diode(random_switching *net, const int *node)
{
	const int number = add(net, "test-valve", "pn", node, "%s", "");
	switching_row *row = &net->rows[net->n_rows++];
	*row = (switching_row){.column = {add_column(net, "X%d.i", number), -1},
			       .weight = {1, 0},
			       .upper = INFINITY,
			       .one_sided = true};
	row->lambda = add_column(net, "X%d.on.lambda", number);
}

static void add_branch(random_switching *net, uint64_t *seed, int *set, int a, int b)
{
	static const int types[] = {RESISTOR, INDUCTOR, CAPACITOR, SOURCE, DIODE,
				    DIODE,    DIODE,    DIODE,     RELAY};
	int type = types[random_below(seed, sizeof types / sizeof *types)];
	const bool turned = chance(seed, 50);
	const int node[] = {turned ? b : a, turned ? a : b, 1 + random_below(seed, net->n_nodes),
			    0};
	if (type == DIODE && !join(set, a, b))
		type = RESISTOR;
	const double value = magnitude(seed, 0.3, 3);
	switch (type) {
	case DIODE:
		add_diode(net, node);
		return;
	case RELAY:
		add_column(net, "X%d.ic",
			   add(net, "test-contactor", "pncd", node,
			       "R=\"%.3g\" Rc=\"%.3g\" Lc=\"%.3g\" pull=\"%.3g\" drop=\"%.3g\"",
			       value, magnitude(seed, 1, 3), magnitude(seed, 0.1, 1),
			       between(seed, 0.1, 0.2), between(seed, -0.05, 0.05)));
		return;
	case SOURCE:
		add_column(net, "X%d.i",
			   add(net, "test-battery", "pn", node,
			       "e=\"=%.3g*sin(%.3g*t + %d)\" R=\"%.3g\"", magnitude(seed, 1, 4),
			       magnitude(seed, 2, 9), random_below(seed, 7), value));
		return;
	default:
		add_column(net, "X%d.i",
			   add(net,
			       type == RESISTOR   ? "resistor"
			       : type == INDUCTOR ? "inductor"
						  : "capacitor",
			       "pn", node, "%c=\"%.3g\"", "RLC"[type], value / 3));
	}
}

static void make_circuit(random_switching *net, uint64_t *seed)
{
	int set[SWITCHING_NODES + 1];
	const int n = net->n_nodes = 2 + random_below(seed, SWITCHING_NODES - 1);
	for (int i = 0; i <= n; i++)
		set[i] = i;
	for (int i = 1; i <= n; i++) {
		const int node[] = {i, 0};
		const bool storage = chance(seed, 60);
		add_column(net, "X%d.i",
			   add(net, storage ? "capacitor" : "resistor", "pn", node, "%c=\"%.3g\"",
			       storage ? 'C' : 'R', magnitude(seed, 0.1, 2)));
		add_branch(net, seed, set, i, random_below(seed, i));
	}
	const int one[] = {1, 0};
	add_column(net, "X%d.i",
		   add(net, "test-battery", "pn", one, "e=\"=%.3g*sin(%.3g*t)\" R=\"%.3g\"",
		       magnitude(seed, 2, 5), magnitude(seed, 5, 30), magnitude(seed, 0.1, 1)));
	for (int i = n / 2 + random_below(seed, n); i > 0; i--) {
		const int a = random_below(seed, n + 1);
		add_branch(net, seed, set, a, (a + 1 + random_below(seed, n)) % (n + 1));
	}
}

/* ---- Mechanisms ---- */

/* b.x - a.x or b.v - a.v from their columns; node 0 is the wall. */
static switching_row *add_row(random_switching *net, const int *node, bool speed)
{
	switching_row *row = &net->rows[net->n_rows++];
	*row = (switching_row){.column = {-1, -1}, .weight = {1, -1}};
	for (int k = 0; k < 2; k++)
		if (node[1 - k])
			row->column[k] = 2 * (node[1 - k] - 1) + speed;
	return row;
}

static void add_stop(random_switching *net, uint64_t *seed, int a, int b)
{
	const int node[] = {a, b};
	const double rest = net->x[b] - net->x[a], d = rest - between(seed, 0.02, 0.2);
	const double e = chance(seed, 20) ? 0 : chance(seed, 20) ? 1 : between(seed, 0.2, 0.9);
	const int number = add(net, "test-stop", "ab", node, "d=\"%.3g\" e=\"%.3g\"", d, e);
	switching_row *row = add_row(net, node, false);
	char text[40];
	snprintf(text, sizeof text, "%.3g", d);
	row->offset = strtod(text, NULL);
	row->one_sided = true;
	row->upper = INFINITY;
	row->lambda = add_column(net, "X%d.hit.lambda", number);
}

static void add_rub(random_switching *net, uint64_t *seed, int a, int b)
{
	const int node[] = {a, b};
	const double F = magnitude(seed, 0.1, 1), hold = chance(seed, 50) ? 1 : 1.5;
	const int number = add(net, "test-rub", "ab", node, "F=\"%.3g\" Fs=\"%.3g\"", F, hold * F);
	switching_row *row = add_row(net, node, true);
	row->upper = hold * F * 1.01; /* the text has three digits of it */
	row->lower = -row->upper;
	char text[40];
	snprintf(text, sizeof text, "%.3g", F);
	row->slipping = strtod(text, NULL);
	row->lambda = add_column(net, "X%d.grip.lambda", number);
}

/* The elements between two nodes, a below b. */
static void add_link(random_switching *net, uint64_t *seed, int *set, int a, int b)
{
	const int node[] = {a, b};
	if (a == 0 || chance(seed, 70))
		add(net, "spring", "ab", node, "k=\"%.3g\" l0=\"%.3g\"", magnitude(seed, 2, 20),
		    net->x[b] - net->x[a] - between(seed, -0.2, 0.2));
	if (chance(seed, 40))
		add(net, "damper", "ab", node, "c=\"%.3g\"", magnitude(seed, 0.05, 0.5));
	if (chance(seed, 60) && join(set, a, b)) {
		if (chance(seed, 50))
			add_stop(net, seed, a, b);
		else
			add_rub(net, seed, a, b);
	}
}

static void make_mechanism(random_switching *net, uint64_t *seed)
{
	int set[SWITCHING_NODES + 1];
	const int n = net->n_nodes = 1 + random_below(seed, SWITCHING_NODES / 2 + 1);
	net->initial = true;
	for (int i = 0; i <= n; i++) {
		set[i] = i;
		net->x[i] = i;
		net->v[i] = between(seed, -2, 2);
	}
	for (int i = 1; i <= n; i++) {
		const int node[] = {i};
		add(net, "mass", "a", node, "m=\"%.3g\"", magnitude(seed, 0.3, 3));
		add_column(net, "node(n%d).x", i);
		add_column(net, "node(n%d).v", i);
	}
	for (int i = 1; i <= n; i++)
		add_link(net, seed, set, i - 1, i);
	for (int i = 1 + random_below(seed, n); i > 0; i--) {
		const int b = 1 + random_below(seed, n);
		add_link(net, seed, set, random_below(seed, b), b);
	}
	const int node[] = {0, 1 + random_below(seed, n)};
	add(net, "force", "ab", node, "f=\"=%.3g*sin(%.3g*t)\"", magnitude(seed, 1, 8),
	    magnitude(seed, 3, 15));
	if (net->n_rows == 0) {
		if (chance(seed, 50))
			add_stop(net, seed, 0, 1);
		else
			add_rub(net, seed, 0, 1);
	}
}

/* ---- The whole network ---- */

void random_switching_make(random_switching *net, switching_family family, uint64_t seed)
{
	seed = seed * 2 + (uint64_t)family;
	*net = (random_switching){.family = family};
	if (family == SWITCHING_CIRCUIT)
		make_circuit(net, &seed);
	else
		make_mechanism(net, &seed);
}

void random_switching_free(random_switching *net)
{
	bxt_buffer_free(&net->record);
}

static void make_order(int *order, int n, uint64_t *seed, bool shuffled)
{
	for (int i = 0; i < n; i++)
		order[i] = i;
	for (int i = n - 1; i > 0 && shuffled; i--) {
		const int k = random_below(seed, i + 1), other = order[k];
		order[k] = order[i];
		order[i] = other;
	}
}

void random_switching_write(const random_switching *net, uint64_t seed, bool shuffled,
			    bxt_buffer *xml)
{
	int order[SWITCHING_ELEMENTS];
	bxt_buffer_printf(xml, "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"switching\">\n%s",
			  components);
	bxt_buffer_printf(xml, "<simulation step=\"%s\" end=\"3 s\"/>\n",
			  net->family == SWITCHING_CIRCUIT ? "10 ms" : "5 ms");
	make_order(order, net->n_elements, &seed, shuffled);
	for (int i = 0; i < net->n_elements; i++)
		bxt_buffer_printf(xml, "%s", net->elements[order[i]].text);
	make_order(order, net->n_nodes, &seed, shuffled);
	for (int i = 0; i < net->n_nodes && net->initial; i++)
		bxt_buffer_printf(xml,
				  "<node id=\"n%d\" kind=\"translational\" x=\"%.17g\" "
				  "v=\"%.17g\"/>\n",
				  order[i] + 1, net->x[order[i] + 1], net->v[order[i] + 1]);
	bxt_buffer_printf(xml, "<record>%s</record>\n</netlist>\n", net->record.text);
}
