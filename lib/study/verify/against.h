/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that verify one model against another. */
#ifndef BXT_VERIFY_AGAINST_H
#define BXT_VERIFY_AGAINST_H

#include "exchange/rewrite/flat_names.h"
#include "study/verify/verify_internal.h"

/* One of the two models, with the names that its parts have in its monolithic twin. */
typedef struct bxt_against_side {
	const bxt_system *s;
	const char *letter; /* "A", "B" */
	bxt_flat_names names;
	bxt_evaluator *e;
	const char **key; /* (nodes) by class: the name of a shared node in both models */
	int *other;       /* (elements) the counterpart in the other model, or -1 */
	bool *covered;    /* (elements) no counterpart, but its structure is in the other model */
	bool *inside;     /* (nodes) by class: only covered elements are at the node */
	int *common;      /* (dirac.n) its flat coordinate, -1 for ports and fixed ones */
	double *zero;     /* (size) */
	double *q, *x;    /* (size) a state common to both models */
} bxt_against_side;

typedef struct bxt_against {
	bxt_against_side side[2];
	bxt_arena *arena;
	bxt_checks checks;
	uint64_t seed;
	const char **name; /* (n) of the flat coordinates, "R1.q", "node(a).x" */
	bool *held[2];     /* (n) the side has the coordinate */
	int n;
	bool same_elements;
	/*
	 * the angle between structures that were candidates for covering but differ; 0: none.
	 * Two-forms are compared only there if the order of their ports differs
	 */
	double apart;
	bool covers; /* some elements are covered; their inner coordinates have no number */
} bxt_against;

/*
 * against_parts.c: names the parts of a side, pairs counterparts, and numbers common coordinates.
 */
bxt_status bxt_against_open(bxt_against *g, bxt_against_side *t, const bxt_system *s,
			    const char *letter);
bxt_status bxt_against_pair(bxt_against *g);
bxt_status bxt_against_number(bxt_against *g);
/* Number of ports of an element; 0 for an interaction. */
int bxt_against_pins(const bxt_against_side *t, int element);
/* The class of the node where a pin stands; BXT_GROUND for the reference. */
int bxt_against_class(const bxt_against_side *t, int element, int port);
/*
 * Is the element the value of a <signal>? False for an element that the signal reads and for a
 * name.
 */
static inline bool bxt_against_is_signal(const bxt_against_side *t, int element)
{
	const bxt_element *e = &t->s->net->elements[element];
	return e->is_interaction && e->connection < 0 && !e->is_signal && !e->reads && !e->is_frame;
}
const char *bxt_against_path(const bxt_against_side *t, int element, bxt_buffer *b);
/* A parameter's value at the evaluator's time; the index of a component's parameter, or -1. */
double bxt_against_parameter(const bxt_against_side *t, int element, int parameter);
int bxt_against_parameter_named(const bxt_component *c, const char *name);
/* The input that a signal drives, "C.y", or its id, in the twin's names. */
const char *bxt_against_input(const bxt_against_side *t, int element, bxt_buffer *b);
/*
 * Is it the coordinate of a port, or of a covered part? The other model need not have such a
 * coordinate.
 */
bool bxt_against_is_inside(const bxt_against_side *t, int coordinate);
/* Random positions, the same for both models; q (n). */
void bxt_against_random(bxt_against *g, double *q);
/* against_scale.c: the factor between a constraint of B and that of A; 1 if there is none. */
typedef struct bxt_against_scales bxt_against_scales;
bxt_status bxt_against_scales_make(bxt_against *g, double time, bxt_against_scales **out);
double bxt_against_scale(const bxt_against *g, bxt_against_scales *s, int element, int row);
/* against_structure.c: covers structure that is the same, but written differently. */
bxt_status bxt_against_cover(bxt_against *g);
/* against_start.c: compares the values from which runs start. */
bxt_status bxt_against_starts(bxt_against *g);
/* against_signals.c */
/*
 * Compares two values of a signal at the same random state. *worst is the largest difference so
 * far.
 */
void bxt_against_signal(bxt_against *g, int element, double a, double b, double *worst);
/* Compares periods, delays, written states, files of plug-ins. */
bxt_status bxt_against_samples(bxt_against *g);
/* against_elements.c: compares components and parameters; then values at random states. */
bxt_status bxt_against_elements(bxt_against *g);
bxt_status bxt_against_values(bxt_against *g);
/* against_rows.c: compares the distributions on the common coordinates. */
bxt_status bxt_against_rows(bxt_against *g);

#endif
