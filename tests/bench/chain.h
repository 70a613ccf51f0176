/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plane pendulum chains of any length, hung up at the origin and let go stretched out along x. */
#ifndef CHAIN_H
#define CHAIN_H

#include <stdbool.h>
#include <stdio.h>

typedef struct chain {
	int links;
	bool bodies; /* uniform bars on hinges; else points on massless rods */
	double l, m; /* of a link [m, kg] */
	double g;    /* gravity along -y [m/s2] */
	double step; /* [s] */
	long steps;
} chain;

/* 1 m and 1 kg a link: positions are whole numbers, so that the start meets the constraints to the
 * bit. */
chain chain_make(int links, bool bodies, long steps);
/* False when the stream failed. */
bool chain_write_netlist(const chain *c, FILE *stream);

#endif
