/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Seeded random circuits of all electrical components, and their netlists: with elements in any
 * order, whole or torn into subsystems.
 *
 * A spanning tree without current sources joins the nodes. All other elements are chords, none of
 * them a voltage source. So there are no loops of voltage sources and no cuts of current sources.
 * Transformers and gyrators may still connect a source with another one that contradicts it; the
 * model is then refused. Every diode has a resistor in series.
 */
#ifndef BXT_TESTS_SUPPORT_RANDOM_NETWORK_H
#define BXT_TESTS_SUPPORT_RANDOM_NETWORK_H

#include "ground/base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum { RANDOM_NODES = 20, RANDOM_ELEMENTS = 80, RANDOM_PARTS = 4 };

typedef struct random_element {
	int type;
	int node[4]; /* two pins, or four of a two-port; 0 is the reference */
	int part;    /* its subsystem when torn */
	char values[160];
} random_element;

typedef struct random_network {
	int n_nodes; /* without the reference, with inner nodes of diodes */
	int n_elements, n_parts;
	bool nonlinear; /* has a diode or a nonlinear capacitor */
	random_element elements[RANDOM_ELEMENTS];
} random_network;

/* splitmix64: the same numbers on every machine. */
uint64_t random_next(uint64_t *seed);
/* 0 ... n - 1 */
int random_below(uint64_t *seed, int n);

/* Makes 3 ... 20 nodes, plus those inside diodes; no nonlinear elements when linear is true. */
void random_network_make(random_network *net, uint64_t seed, bool linear);
/* The elements in a random order, as a permutation of their numbers. */
void random_network_shuffle(const random_network *net, uint64_t seed, int *order);
/*
 * Writes the netlist with its elements in that order (NULL: as made), and the list of signals to
 * record: coordinates and flows by element number, then the potentials of nodes, in the same order
 * for every order of the netlist.
 */
void random_network_write(const random_network *net, const int *order, bool torn, bxt_buffer *xml,
			  bxt_buffer *record);

#endif
