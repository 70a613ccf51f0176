/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that verify one model against another. */
#ifndef BXT_VERIFY_AGAINST_H
#define BXT_VERIFY_AGAINST_H

#include "rewrite/flat_names.h"
#include "verify/verify_internal.h"

/* One of the two, with the names that its parts have in its monolithic twin. */
typedef struct bxt_against_side {
	const bxt_system *s;
	const char *letter; /* "A", "B" */
	bxt_flat_names names;
	bxt_evaluator *e;
	const char **key; /* (nodes) by class: the name that both use for a shared node */
	int *other;       /* (elements) the counterpart in the other, -1 */
	int *common;      /* (dirac.n) its flat coordinate, -1 for ports and what stands still */
	double *zero;     /* (size) */
	double *q, *x;    /* (size) a state that both have */
} bxt_against_side;

typedef struct bxt_against {
	bxt_against_side side[2];
	bxt_arena *arena;
	bxt_checks checks;
	uint64_t seed;
	const char **name; /* (n) of the flat coordinates, "R1.q", "node(a).x" */
	bool *held[2];     /* (n) that side has it */
	int n;
	bool same_elements;
} bxt_against;

/* against_parts.c: a side, its parts' names, then their counterparts, then common coordinates. */
bxt_status bxt_against_open(bxt_against *g, bxt_against_side *t, const bxt_system *s,
			    const char *letter);
bxt_status bxt_against_pair(bxt_against *g);
bxt_status bxt_against_number(bxt_against *g);
/* The ports of an element, 0 of an interaction. */
int bxt_against_pins(const bxt_against_side *t, int element);
/* The class of the node where a pin stands; BXT_GROUND for the reference. */
int bxt_against_class(const bxt_against_side *t, int element, int port);
/* Is it what a <signal> of the netlist says? Not what it reads, nor what it gives a name. */
static inline bool bxt_against_is_signal(const bxt_against_side *t, int element)
{
	const bxt_element *e = &t->s->net->elements[element];
	return e->is_interaction && e->connection < 0 && !e->is_signal && !e->reads;
}
const char *bxt_against_path(const bxt_against_side *t, int element, bxt_buffer *b);
/* A parameter's value at the evaluator's time; that of a component's, -1: there is none. */
double bxt_against_parameter(const bxt_against_side *t, int element, int parameter);
int bxt_against_parameter_named(const bxt_component *c, const char *name);
/* The input that a signal is for, "C.y", or its id, in the twin's names. */
const char *bxt_against_input(const bxt_against_side *t, int element, bxt_buffer *b);
/* against_signals.c */
/* Two values of a signal at the same random state; the worst so far in *worst. */
void bxt_against_signal(bxt_against *g, int element, double a, double b, double *worst);
/* Periods, delays, which states are written, files of plug-ins. */
bxt_status bxt_against_samples(bxt_against *g);
/* against_elements.c: components, parameters; then values at random states. */
bxt_status bxt_against_elements(bxt_against *g);
bxt_status bxt_against_values(bxt_against *g);
/* against_rows.c: the distribution on the common coordinates. */
bxt_status bxt_against_rows(bxt_against *g);

#endif
