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
/* Their start: q, p, m, then all Q by rows, (18 n); and the dipoles in axes of the bodies, (n). */
void dipoles_start(const dipoles *d, double *state, double (*moment)[3]);
/* R = exp(hat(v)). */
void dipoles_rotation(const double *v, double R[3][3]);

#endif
