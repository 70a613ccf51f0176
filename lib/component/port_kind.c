/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The port kinds. For each coordinate of each kind effort * flow is a power [W]. */
#include "component/component.h"

#include <string.h>

/* clang-format off */
const bxt_port_kind bxt_port_kinds[] = {
	/* name, type, n, coordinate, its unit, flow, its unit, effort, its unit, fixed node */
	{"electrical", BXT_PORT_BALANCE, 1, {"q"}, {"C"}, {"i"}, {"A"}, {"v"}, {"V"}, "0"},
	{"hydraulic", BXT_PORT_BALANCE, 1, {"V"}, {"m3"}, {"Q"}, {"m3/s"}, {"p"}, {"Pa"}, "0"},
	{"thermal", BXT_PORT_BALANCE, 1, {"S"}, {"J/K"}, {"Sdot"}, {"W/K"}, {"T"}, {"K"}, "0"},
	{"magnetic", BXT_PORT_BALANCE, 1, {"phi"}, {"Wb"}, {"phidot"}, {"V"}, {"mmf"}, {"A"}, "0"},
	{"translational", BXT_PORT_SHARED, 1, {"x"}, {"m"}, {"v"}, {"m/s"}, {"f"}, {"N"}, "wall"},
	{"rotational", BXT_PORT_SHARED, 1,
	 {"theta"}, {"rad"}, {"omega"}, {"rad/s"}, {"tau"}, {"N.m"}, "wall"},
	{"planar", BXT_PORT_SHARED, 3,
	 {"x", "y", "theta"}, {"m", "m", "rad"},
	 {"vx", "vy", "omega"}, {"m/s", "m/s", "rad/s"},
	 {"fx", "fy", "tau"}, {"N", "N", "N.m"}, "wall"},
};
/* clang-format on */

const int bxt_port_kind_count = sizeof bxt_port_kinds / sizeof *bxt_port_kinds;

const bxt_port_kind *bxt_port_kind_find(const char *name)
{
	for (int i = 0; i < bxt_port_kind_count; i++)
		if (strcmp(bxt_port_kinds[i].name, name) == 0)
			return &bxt_port_kinds[i];
	return NULL;
}

bool bxt_is_reference(const bxt_port_kind *kind, const char *node)
{
	if (strcmp(node, "ground") == 0)
		return true;
	for (int i = 0; i < bxt_port_kind_count; i++)
		if ((!kind || kind == &bxt_port_kinds[i]) &&
		    strcmp(node, bxt_port_kinds[i].ground) == 0)
			return true;
	return false;
}

int bxt_component_through(const bxt_component *c)
{
	if (c->n_ports < 1 || c->n_ports > 2)
		return -1;
	const char *in = c->ports[0].flow.text, *out = c->ports[c->n_ports - 1].flow.text;
	for (int i = 0; i < c->n_coordinates && in && out; i++)
		if (strcmp(in, c->coordinates[i].flow) == 0 &&
		    (c->n_ports == 1 || (*out == '-' && strcmp(out + 1, in) == 0)))
			return i;
	return -1;
}
