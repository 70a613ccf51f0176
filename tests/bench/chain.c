/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/chain.h"

chain chain_make(int links, bool bodies, long steps)
{
	return (chain){.links = links,
		       .bodies = bodies,
		       .l = 1,
		       .m = 1,
		       .g = 9.81,
		       .step = 0.01,
		       .steps = steps};
}

/* Node k is the outer end of link k, which hangs on node k - 1. */
static void write_point(const chain *c, int k, FILE *stream)
{
	fprintf(stream,
		"  <node id=\"n%d\" kind=\"planar\" x=\"%.15g m\"/>\n"
		"  <point-mass id=\"M%d\" a=\"n%d\" m=\"%.15g kg\" g=\"%.15g m/s2\"/>\n",
		k, c->l * k, k, k, c->m, c->g);
	if (k == 1)
		fprintf(stream, "  <rod id=\"R1\" a=\"wall\" b=\"n1\" l=\"%.15g m\"/>\n", c->l);
	else
		fprintf(stream, "  <rod id=\"R%d\" a=\"n%d\" b=\"n%d\" l=\"%.15g m\"/>\n", k, k - 1,
			k, c->l);
}

/* Node k is the centre of link k. */
static void write_body(const chain *c, int k, FILE *stream)
{
	fprintf(stream,
		"  <node id=\"n%d\" kind=\"planar\" x=\"%.15g m\"/>\n"
		"  <rigid-body id=\"M%d\" a=\"n%d\" m=\"%.15g kg\" J=\"%.15g kg.m2\" "
		"g=\"%.15g m/s2\"/>\n",
		k, c->l * (k - 0.5), k, k, c->m, c->m * c->l * c->l / 12, c->g);
	if (k == 1)
		fprintf(stream, "  <pin id=\"R1\" a=\"n1\" ax=\"%.15g m\"/>\n", -c->l / 2);
	else
		fprintf(stream,
			"  <revolute id=\"R%d\" a=\"n%d\" b=\"n%d\" ax=\"%.15g m\" "
			"bx=\"%.15g m\"/>\n",
			k, k - 1, k, c->l / 2, -c->l / 2);
}

bool chain_write_netlist(const chain *c, FILE *stream)
{
	fprintf(stream,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<!--\n"
		"  A pendulum chain of %d links, %s, released from rest along the\n"
		"  horizontal. Written by tests/make_chain, which makes chains of any length.\n"
		"  What it shows: constraints that depend on each other's neighbours only, so that "
		"a\n"
		"  step costs a time in proportion to the number of links.\n"
		"-->\n"
		"<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"chain of %d pendulum links\" "
		"subject=\"mechanics\">\n"
		"  <simulation end=\"%.15g s\" step=\"%.15g s\" scheme=\"gauss1\"/>\n",
		c->links, c->bodies ? "uniform bars on hinges" : "points on massless rods",
		c->links, c->step * (double)c->steps, c->step);
	for (int k = 1; k <= c->links; k++)
		(c->bodies ? write_body : write_point)(c, k, stream);
	fprintf(stream,
		"  <record>node(n%d).x, node(n%d).y, energy, drift(constraint)</record>\n"
		"</netlist>\n",
		c->links, c->links);
	return fflush(stream) == 0 && !ferror(stream);
}
