/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares two models. match.c matches names, match_parts.c then matches the parts. From these
 * match_signals.c finds the signals that are the same quantity. compare.c computes how far they
 * differ.
 */
#ifndef BXT_COMPARE_COMPARE_H
#define BXT_COMPARE_COMPARE_H

#include "boxtimes_compare.h"
#include "exchange/rewrite/flat_names.h"
#include "model/names/designator.h"
#include "motion/scheme/settings.h"
#include "study/compare/match.h"

#include <float.h>

/*
 * Difference, relative to the largest signals, up to which signals are equal: the round-off of
 * sums, of other orders of elimination, and of earlier steps. After a thousand steps, torn and
 * whole circuits differ by 1e-13 of the largest signals.
 */
#define BXT_COMPARE_ROUND_OFF (1024 * DBL_EPSILON)

/*
 * The kind of part that a signal belongs to. BXT_SIDE_WHOLE: the whole model ("energy",
 * "drift(node)").
 */
typedef enum bxt_part_type {
	BXT_SIDE_ELEMENT,
	BXT_SIDE_NODE,
	BXT_SIDE_PORT,
	BXT_SIDE_CONNECTION,
	BXT_SIDE_SUBSYSTEM,
	BXT_SIDE_COUNT,
	BXT_SIDE_WHOLE = BXT_SIDE_COUNT
} bxt_part_type;

/* All parts of one kind in one model. */
typedef struct bxt_parts {
	const char **path; /* (n) full paths */
	int *partner;      /* (n) its twin in the other model, or -1 */
	bxt_map by_path;
	size_t n;
} bxt_parts;

enum { BXT_NO_TWIN = -2 }; /* for arrays where BXT_GROUND (-1) has a meaning */

/*
 * A signal that this model can record. Its name consists of a head, the path of its part, and a
 * rest.
 */
typedef struct bxt_known_signal {
	const char *name, *rest;
	size_t head; /* characters before the path: 5 of "node(a).v" */
	bxt_part_type type;
	int part;
	bxt_signal_group group;
	const char *quantity; /* signals of a group with the same quantity share one scale */
	bool wanted, paired;
	bool mapped;  /* the user chose its twin */
	bool carries; /* needed for what a connection carries */
	bool summed;  /* of joined nodes: only the sum over all of them has a twin */
} bxt_known_signal;

/* One term of the power that a connection carries through one of its ports: weight * signal [*
 * signal]. */
typedef struct bxt_carry {
	int connection, port;
	int signal[2]; /* the second may be -1 */
	double weight;
} bxt_carry;

/* A balance port of an element, and the next one at the same node (-1: none). */
typedef struct bxt_pin {
	int element, port, next;
} bxt_pin;

typedef struct bxt_side {
	const bxt_system *system;
	const bxt_network *net;
	bxt_names finder;
	bxt_flat_names flat;
	bxt_parts parts[BXT_SIDE_COUNT];
	int *class_twin;  /* (nodes) by class: class of the other model, BXT_GROUND, BXT_NO_TWIN */
	int *next_member; /* (nodes) the next node of the same class, or -1 */
	int *reference;   /* (nodes) by class: the class with potential 0 in its island, or -1 */
	bxt_pin *pin;
	int *first_pin; /* (nodes) */
	int *ports_at;  /* (nodes) exported ports with coordinates */
	bxt_known_signal *signal;
	size_t n, capacity;
	bxt_map by_name;
	bxt_carry *carry; /* in the order of connections and ports */
	size_t n_carry, c_carry;
} bxt_side;

/*
 * Collects the parts of a side by their paths. Memory in the arena; bxt_side_free frees the maps.
 */
bxt_status bxt_side_make(bxt_arena *arena, const bxt_system *system, bxt_side *out);
void bxt_side_free(bxt_side *side);
/* Finds the twins of all parts. O(size of both models). */
bxt_status bxt_sides_pair(bxt_arena *arena, bxt_side *a, bxt_side *b);

/* The largest entry of the energy account, or energy stored or in motion at any time [J]. */
double bxt_exchanged(const bxt_summary *summary);

/* Owns the memory of the public list of twins. */
typedef struct bxt_twins_memory {
	bxt_arena *arena;
	bxt_side side[2];
} bxt_twins_memory;

#endif
