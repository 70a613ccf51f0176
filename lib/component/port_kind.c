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
