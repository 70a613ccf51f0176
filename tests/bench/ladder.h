/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * RLC ladders of any length, as a netlist and as the same circuit for ngspice:
 *
 *     n0 --R1-- m1 --L1-- n1 --R2-- m2 --L2-- n2 ...
 *     V1                  C1 (D1)             C2 (D2) ...
 *     0                   0                   0
 */
#ifndef LADDER_H
#define LADDER_H

#include <stdbool.h>
#include <stdio.h>

typedef struct ladder {
	int sections;
	bool diodes; /* one beside each capacitor */
	/* Capacitors start with a wave of this amplitude [V]; 0: at rest, and everything ahead of
	 * the first wave front is an exponential tail down to the smallest numbers there are. */
	double charge;
	double R, L, C;              /* of a section [ohm, H, F] */
	double amplitude, frequency; /* of the source [V, Hz] */
	double step;                 /* [s] */
	long steps;
	double reltol; /* of ngspice\'s Newton iteration, the absolute tolerances in proportion */
	double newton_tolerance; /* of ours; 0: to round-off */
} ladder;

ladder ladder_make(int sections, bool diodes, long steps);
/* Elements of the circuit, the source included. */
long ladder_elements(const ladder *l);
/* The voltage of capacitor k = 1 ... sections at the start [V]. */
double ladder_charge(const ladder *l, int k);
/* False when the stream failed. */
bool ladder_write_netlist(const ladder *l, FILE *stream);
/* The deck for `ngspice -b -r FILE`: trapezoidal rule, error control out of the way, so that every
 * step is `step` but for the few small ones it starts with. */
bool ladder_write_spice(const ladder *l, FILE *stream);

#endif
