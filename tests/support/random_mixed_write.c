/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Netlists of random networks, and lists of their signals. */
#include "support/random_mixed.h"

#include "support/random_network.h"

#define CURRENT                                                                                    \
	"<coordinate name=\"q\" unit=\"C\" flow=\"i\"/>"                                           \
	"<port name=\"p\" kind=\"electrical\" flow=\"i\"/>"                                        \
	"<port name=\"n\" kind=\"electrical\" flow=\"-i\"/>"
/*
 * Couplings of domains that the component library does not have. A gyrator transfers power and
 * stores none.
 */
static const char inline_components[] =
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"armature\" "
	"domain=\"electromechanical\">"
	"<parameter name=\"La\" unit=\"H\"/><parameter name=\"Ra\" unit=\"ohm\"/>"
	"<parameter name=\"k\" unit=\"V.s/rad\"/><parameter name=\"J\" unit=\"kg.m2\"/>" CURRENT
	"<port name=\"shaft\" kind=\"rotational\"/>"
	"<lagrangian>La*i^2/2 + J*shaft.omega^2/2</lagrangian><rayleigh>Ra*i^2/2</rayleigh>"
	"<gyrator a=\"q\" b=\"shaft.theta\">k</gyrator></component>\n"
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"light-motor\" "
	"domain=\"electromechanical\"><parameter name=\"Ra\" unit=\"ohm\"/>"
	"<parameter name=\"k\" unit=\"V.s/rad\"/>" CURRENT
	"<port name=\"shaft\" kind=\"rotational\"/><rayleigh>Ra*i^2/2</rayleigh>"
	"<gyrator a=\"q\" b=\"shaft.theta\">k</gyrator></component>\n"
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"voice-coil\" "
	"domain=\"electromechanical\">"
	"<parameter name=\"L\" unit=\"H\"/><parameter name=\"R\" unit=\"ohm\"/>"
	"<parameter name=\"k\" unit=\"N/A\"/>" CURRENT "<port name=\"a\" kind=\"translational\"/>"
	"<lagrangian>L*i^2/2</lagrangian><rayleigh>R*i^2/2</rayleigh>"
	"<gyrator a=\"q\" b=\"a.x\">k</gyrator></component>\n"
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"moving-plate\" "
	"domain=\"electromechanical\">"
	"<parameter name=\"C\" unit=\"F\"/><parameter name=\"d\" unit=\"m\"/>" CURRENT
	"<port name=\"a\" kind=\"translational\"/>"
	"<lagrangian>-q^2*(d + a.x)/(2*C*d)</lagrangian></component>\n";

/* ---- Order ---- */

static void shuffle(int *order, int n, uint64_t *seed, bool shuffled)
{
	for (int i = 0; i < n; i++) {
		const int j = shuffled ? random_below(seed, i + 1) : i;
		order[i] = order[j];
		order[j] = i;
	}
}

mixed_order random_mixed_order(const random_mixed *net, uint64_t seed, bool shuffled)
{
	mixed_order order = {0};
	shuffle(order.element, net->n_elements, &seed, shuffled);
	shuffle(order.node, net->n_nodes, &seed, shuffled);
	shuffle(order.part, net->n_parts, &seed, shuffled);
	return order;
}

/* ---- Netlists ---- */

enum { INNER_FIRST = 1, INNER_LAST = 2 }; /* the parts of a nested subsystem */

static bool is_inner(const random_mixed *net, int part)
{
	return net->nested && part >= INNER_FIRST && part <= INNER_LAST;
}

static bool touches(const random_mixed *net, int part, int node)
{
	for (int i = 0; i < net->n_elements; i++)
		for (int k = 0; k < random_mixed_pins(&net->elements[i]); k++)
			if (net->elements[i].node[k] == node &&
			    (part < 0 || net->elements[i].part == part))
				return true;
	return false;
}

static bool is_empty(const random_mixed *net, int part)
{
	for (int i = 0; i < net->n_elements; i++)
		if (net->elements[i].part == part)
			return false;
	return true;
}

/* The number of parts at the node; *inner: only those of the nested subsystem. */
static int parts_at(const random_mixed *net, int node, bool *inner)
{
	int n = 0;
	*inner = true;
	for (int part = 0; part < net->n_parts; part++)
		if (touches(net, part, node)) {
			*inner = *inner && is_inner(net, part);
			n++;
		}
	return n;
}

/* "hub.s1.", or the rest of it inside hub. */
static void add_path(const random_mixed *net, int part, bool in_hub, bxt_buffer *out)
{
	if (is_inner(net, part) && !in_hub)
		bxt_buffer_printf(out, "hub.");
	if (!net->outside || part > 0)
		bxt_buffer_printf(out, "s%d.", part);
}

static void write_element(const random_mixed *net, int i, bxt_buffer *xml)
{
	const mixed_element *e = &net->elements[i];
	const mixed_type *type = &mixed_types[e->type];
	bxt_buffer_printf(xml, "<%s id=\"%s%d\"", type->component, type->prefix, i);
	for (int k = 0; k < random_mixed_pins(e); k++)
		if (e->node[k])
			bxt_buffer_printf(xml, " %s=\"n%d\"", type->ports[k], e->node[k]);
		else
			bxt_buffer_printf(xml, " %s=\"%s\"", type->ports[k],
					  type->kinds[k] == 'e' ? "0" : "wall");
	bxt_buffer_printf(xml, " %s/>\n", e->values);
}

/* The names of a node's positions, then of its flows. */
static const char *const *names_of(const mixed_node *n, int *count)
{
	static const char *const line[] = {"x", "v"}, *const shaft[] = {"theta", "omega"};
	static const char *const point[] = {"x", "y", "vx", "vy"};
	static const char *const body[] = {"x", "y", "theta", "vx", "vy", "omega"};
	*count = n->kind == 'e' ? 0 : n->kind != 'p' ? 1 : n->angle ? 3 : 2;
	return n->kind == 'p' ? (n->angle ? body : point) : n->kind == 't' ? line : shaft;
}

/* Initial values, the same for all copies of the node. */
static void write_node(const random_mixed *net, int node, bxt_buffer *xml)
{
	const mixed_node *n = &net->nodes[node];
	const char *kind = n->kind == 'p'   ? "planar"
			   : n->kind == 't' ? "translational"
					    : "rotational";
	int count;
	const char *const *name = names_of(n, &count);
	if (count == 0)
		return;
	bxt_buffer_printf(xml, "<node id=\"n%d\" kind=\"%s\"", node, kind);
	for (int k = 0; k < count; k++)
		bxt_buffer_printf(xml, " %s=\"%.17g\"", name[k], n->q[k]);
	for (int k = 0; k < count && n->heavy; k++)
		bxt_buffer_printf(xml, " %s=\"%.17g\"", name[count + k], n->v[k]);
	bxt_buffer_printf(xml, "/>\n");
}

/* Writes the elements, nodes and ports of a part; of all parts for -1. */
static void write_part(const random_mixed *net, const mixed_order *order, int part, bxt_buffer *xml)
{
	bool inner;
	for (int i = 0; i < net->n_elements; i++)
		if (part < 0 || net->elements[order->element[i]].part == part)
			write_element(net, order->element[i], xml);
	for (int i = 0; i < net->n_nodes; i++) {
		const int node = order->node[i] + 1;
		if (!touches(net, part, node))
			continue;
		write_node(net, node, xml);
		if (part >= 0 && parts_at(net, node, &inner) > 1)
			bxt_buffer_printf(xml, "<port id=\"at_n%d\" node=\"n%d\"/>\n", node, node);
	}
}

static void write_subsystem(const random_mixed *net, const mixed_order *order, int part,
			    bxt_buffer *xml)
{
	if (is_empty(net, part))
		return;
	const bool bare = net->outside && part == 0;
	if (!bare)
		bxt_buffer_printf(xml, "<subsystem id=\"s%d\">\n", part);
	write_part(net, order, part, xml);
	if (!bare)
		bxt_buffer_printf(xml, "</subsystem>\n");
}

static void write_connect(const random_mixed *net, const mixed_order *order, int node, bool in_hub,
			  bxt_buffer *xml)
{
	bxt_buffer_printf(xml, "<connect id=\"j%d\" ports=\"", node);
	for (int i = 0, n = 0; i < net->n_parts; i++)
		if (touches(net, order->part[i], node)) {
			bxt_buffer_printf(xml, "%s", n++ ? " " : "");
			add_path(net, order->part[i], in_hub, xml);
			bxt_buffer_printf(xml, "at_n%d", node);
		}
	bxt_buffer_printf(xml, "\"/>\n");
}

static void write_connections(const random_mixed *net, const mixed_order *order, bool in_hub,
			      bxt_buffer *xml)
{
	bool inner, any = false;
	for (int i = 0; i < net->n_nodes; i++) {
		const int node = order->node[i] + 1;
		if (parts_at(net, node, &inner) < 2 || inner != in_hub)
			continue;
		bxt_buffer_printf(xml, "%s", any ? "" : "<interconnection>\n");
		any = true;
		write_connect(net, order, node, in_hub, xml);
	}
	bxt_buffer_printf(xml, "%s", any ? "</interconnection>\n" : "");
}

static void write_torn(const random_mixed *net, const mixed_order *order, bxt_buffer *xml)
{
	bool done = false;
	for (int i = 0; i < net->n_parts; i++) {
		const int part = order->part[i];
		if (!is_inner(net, part)) {
			write_subsystem(net, order, part, xml);
		} else if (!done) {
			done = true;
			bxt_buffer_printf(xml, "<subsystem id=\"hub\">\n");
			for (int k = INNER_FIRST; k <= INNER_LAST; k++)
				write_subsystem(net, order, k, xml);
			write_connections(net, order, true, xml);
			bxt_buffer_printf(xml, "</subsystem>\n");
		}
	}
	write_connections(net, order, false, xml);
}

/* The signal that a law reads, as seen from the law in this form. */
static void write_sensor(const random_mixed *net, int sensor, bool torn, bxt_buffer *xml)
{
	const mixed_element *e = &net->elements[sensor];
	if (e->type == MIXED_MASS)
		bxt_buffer_printf(xml, "node(");
	if (torn)
		add_path(net, e->part, false, xml);
	if (e->type == MIXED_MASS)
		bxt_buffer_printf(xml, "n%d).v", e->node[0]);
	else
		bxt_buffer_printf(xml, "%s%d.i", mixed_types[e->type].prefix, sensor);
}

static void write_control(const random_mixed *net, const mixed_control *c, bool torn,
			  bxt_buffer *xml)
{
	const mixed_element *e = &net->elements[c->actuator];
	const int i = c->actuator;
	bxt_buffer_printf(xml, "%s\n<signal to=\"Law%d.r\">0.5*sin(%.3g*t)</signal>\n", c->law, i,
			  c->omega);
	bxt_buffer_printf(xml, "<signal to=\"Law%d.y\">", i);
	if (c->sensor < 0)
		bxt_buffer_printf(xml, "0");
	else
		write_sensor(net, c->sensor, torn, xml);
	bxt_buffer_printf(xml, "</signal>\n<signal to=\"");
	if (torn)
		add_path(net, e->part, false, xml);
	bxt_buffer_printf(xml, "%s%d.%s\">Law%d.u</signal>\n", mixed_types[e->type].prefix, i,
			  c->input, i);
}

void random_mixed_write(const random_mixed *net, const mixed_order *order, bool torn,
			bxt_buffer *xml)
{
	bxt_buffer_printf(xml,
			  "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"random\">\n"
			  "<simulation step=\"%.17g\" end=\"%.17g\"/>\n",
			  net->step, MIXED_STEPS * net->step);
	if (net->family == MIXED_MIXED)
		bxt_buffer_printf(xml, "%s", inline_components);
	if (net->family == MIXED_CONTROLLED)
		bxt_buffer_printf(xml, "%s", mixed_control_components);
	for (int i = 0; i < net->n_controls; i++)
		write_control(net, &net->controls[i], torn, xml);
	if (torn)
		write_torn(net, order, xml);
	else
		write_part(net, order, -1, xml);
	bxt_buffer_printf(xml, "</netlist>\n");
}

/* ---- Signals ---- */

static void comma(bxt_buffer *record)
{
	if (record->length)
		bxt_buffer_printf(record, ", ");
}

static void add_signal(const random_mixed *net, bool torn, int element, const char *name,
		       const char *suffix, bxt_buffer *record)
{
	const mixed_element *e = &net->elements[element];
	comma(record);
	if (torn)
		add_path(net, e->part, false, record);
	bxt_buffer_printf(record, "%s%d.%s%s", mixed_types[e->type].prefix, element, name, suffix);
}

static void add_node_signal(const random_mixed *net, int part, int node, const char *name,
			    bxt_buffer *record)
{
	comma(record);
	bxt_buffer_printf(record, "node(");
	if (part >= 0)
		add_path(net, part, false, record);
	bxt_buffer_printf(record, "n%d).%s", node, name);
}

/* The name of a node; of a node with several copies the last one. */
static void add_node_motion(const random_mixed *net, bool torn, int node, bxt_buffer *record)
{
	int part = -1, count;
	const char *const *name = names_of(&net->nodes[node], &count);
	for (int k = 0; k < net->n_parts && torn; k++)
		part = touches(net, k, node) ? k : part;
	if (net->nodes[node].kind == 'e')
		add_node_signal(net, part, node, "v", record);
	for (int k = 0; k < 2 * count; k++)
		add_node_signal(net, part, node, name[k], record);
}

void random_mixed_motion(const random_mixed *net, bool torn, bxt_buffer *record)
{
	for (int i = 0; i < net->n_elements; i++) {
		const mixed_type *type = &mixed_types[net->elements[i].type];
		for (int k = 0; k < MIXED_PINS && type->signals[k]; k++)
			add_signal(net, torn, i, type->signals[k], "", record);
	}
	for (int node = 1; node <= net->n_nodes; node++)
		if (touches(net, -1, node))
			add_node_motion(net, torn, node, record);
}

void random_mixed_forces(const random_mixed *net, bool torn, bxt_buffer *record)
{
	for (int i = 0; i < net->n_elements; i++) {
		const mixed_type *type = &mixed_types[net->elements[i].type];
		for (int k = 0; k < 2 && type->constraints[k]; k++)
			add_signal(net, torn, i, type->constraints[k], ".lambda", record);
	}
}

/* "hub.j3.lambda", or of one of several rows "hub.j3.2.lambda". */
static void add_multiplier(int node, bool inner, int row, bxt_buffer *record)
{
	comma(record);
	bxt_buffer_printf(record, "%sj%d.", inner ? "hub." : "", node);
	if (row > 0)
		bxt_buffer_printf(record, "%d.", row);
	bxt_buffer_printf(record, "lambda");
}

static void add_port(const random_mixed *net, const mixed_connection *c, int part,
		     bxt_buffer *columns)
{
	int count;
	const char *const *name = names_of(&net->nodes[c->node], &count);
	if (c->n_flows == 0) {
		comma(columns);
		bxt_buffer_printf(columns, "power(");
		add_path(net, part, false, columns);
		bxt_buffer_printf(columns, "at_n%d)", c->node);
	}
	for (int k = 0; k < c->n_flows; k++)
		add_node_signal(net, part, c->node, name[c->n_flows + k], columns);
}

static void add_powers(const random_mixed *net, const mixed_order *order, mixed_connection *c,
		       bool inner, bxt_buffer *columns)
{
	names_of(&net->nodes[c->node], &c->n_flows);
	for (int i = 0; i < net->n_parts; i++)
		if (touches(net, order->part[i], c->node))
			add_port(net, c, order->part[i], columns);
	const int rows = (c->n_ports - 1) * c->n_flows;
	for (int row = 1; row <= rows; row++)
		add_multiplier(c->node, inner, rows > 1 ? row : 0, columns);
}

int random_mixed_powers(const random_mixed *net, const mixed_order *order,
			mixed_connection *connections, bxt_buffer *columns, bxt_buffer *record)
{
	int n = 0;
	bool inner;
	for (int node = 1; node <= net->n_nodes; node++) {
		mixed_connection *c = &connections[n];
		*c = (mixed_connection){.node = node, .n_ports = parts_at(net, node, &inner)};
		if (c->n_ports < 2)
			continue;
		n++;
		add_powers(net, order, c, inner, columns);
		for (int i = 0; i < net->n_parts; i++)
			if (touches(net, order->part[i], node))
				add_port(net, c, order->part[i], record);
		if (c->n_flows > 0)
			add_multiplier(node, inner, 0, record);
	}
	return n;
}
