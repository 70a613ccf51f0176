/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A choice between two ways to solve one problem again and again, such as with factors that are
 * kept or with new ones. Each solve reports what it cost; the way whose recent mean is lower is
 * preferred, and the other one is tried from time to time, as costs change on the way.
 *
 * Costs are counted, in multiplications or updates, never measured by a clock: a run that is
 * repeated makes the same choices and has the same bits. Both users are Newton's methods
 * (motion/step/newton.c, near_stages.c).
 */
#ifndef BXT_BASE_CHOICE_H
#define BXT_BASE_CHOICE_H

#include <stdbool.h>

/* How a choice is made; const, one for each user. */
typedef struct bxt_choice_rule {
	double weight; /* of a new cost in the running mean, 0 ... 1 */
	double worth;  /* way 1 is preferred where it costs at most this part of way 0 */
	/* Solves in the preferred way between two trials of the other: after a change to way 0 or
	 * 1, doubled after each trial that changes nothing, up to the most. */
	int span[2], most_span;
	int first; /* solves in way 0 before the first trial of way 1 */
	/* Preferences follow every solve; else they change at a trial alone, so that one dear solve
	 * changes nothing. */
	bool at_once;
} bxt_choice_rule;

typedef struct bxt_choice {
	double cost[2]; /* means, of the caller's unit; 0: unknown */
	int preferred;  /* 0 or 1 */
	int left, span; /* solves in the preferred way until the next trial, now and at first */
} bxt_choice;

/* Forgets all costs: way 0 first. */
void bxt_choice_start(bxt_choice *c, const bxt_choice_rule *rule);
/* The way of the next solve, 0 or 1; the caller may solve in the other one if it has to. */
int bxt_choice_next(const bxt_choice *c);
/* A solve in a way, 0 or 1, had a cost > 0. */
void bxt_choice_learn(bxt_choice *c, const bxt_choice_rule *rule, int way, double cost);

#endif
