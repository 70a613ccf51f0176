/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Floor 6: shared by the files that verify one model against another. */
#ifndef BXT_VERIFY_AGAINST_H
#define BXT_VERIFY_AGAINST_H

#include "flat_names.h"
#include "verify_internal.h"

/* One of the two, with the names that its parts have in its monolithic twin. */
typedef struct bxt_side {
	const bxt_system *s;
	const char *letter; /* "A", "B" */
	bxt_flat_names names;
	bxt_evaluator *e;
	const char **key; /* (nodes) by class: the name that both use for a shared node */
	int *other;       /* (instances) the counterpart in the other, -1 */
	int *common;      /* (dirac.n) its flat coordinate, -1 for ports and what stands still */
	double *zero;     /* (size) */
	double *q, *x;    /* (size) a state that both have */
} bxt_side;

typedef struct bxt_against {
	bxt_side side[2];
	bxt_arena *arena;
	bxt_checks checks;
	double tolerance; /* of parameters */
	uint64_t seed;
	const char **name; /* (n) of the flat coordinates, "R1.q", "node(a).x" */
	bool *held[2];     /* (n) that side has it */
	int n;
	bool same_elements;
} bxt_against;

/* The ports of an element, 0 of an interaction. */
int bxt_against_pins(const bxt_side *t, int instance);
/* The class of the node where a pin stands; BXT_GROUND for the reference. */
int bxt_against_class(const bxt_side *t, int instance, int port);
/* verify_against_elements.c: counterparts, kinds, parameters; then values at random states. */
bxt_status bxt_against_elements(bxt_against *g);
bxt_status bxt_against_values(bxt_against *g);
/* verify_against_rows.c: the distribution on the common coordinates. */
bxt_status bxt_against_rows(bxt_against *g);

#endif
