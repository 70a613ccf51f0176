/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rigid dipoles in space, the molecular dynamics of Parks' thesis, chapter 4, from random starts.
 */
#ifndef DIPOLES_H
#define DIPOLES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct dipoles {
	int n; /* at most those of the lattice: 18 */
	uint64_t seed;
	double spacing;    /* of the lattice */
	double inertia[3]; /* principal moments */
	double step, end;
} dipoles;

/* Fifteen with the numbers of the shipped netlist. */
dipoles dipoles_shipped(void);
/* False when the stream failed. */
bool dipoles_write_netlist(const dipoles *d, FILE *stream);

#endif
