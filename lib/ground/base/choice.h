/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A choice between two ways to solve one problem again and again, such as with factors that are
 * kept or with new ones. Each solve reports its cost. The way with the lower recent mean is
 * preferred; the other one is tried from time to time, because costs change during a run.
 *
 * Costs are counts of multiplications or updates, not times: a repeated run makes the same choices
 * and gives the same bits. Both users are Newton's methods (motion/step/newton.c, near_stages.c).
 */
#ifndef BXT_BASE_CHOICE_H
#define BXT_BASE_CHOICE_H

#include <stdbool.h>

/* The parameters of a choice; const, one set for each user. */
typedef struct bxt_choice_rule {
	double weight; /* weight of a new cost in the running mean, 0 ... 1 */
	double worth;  /* way 1 is preferred while its mean cost is at most this fraction of that of
			* way 0 */
	/*
	 * Number of solves in the preferred way between two trials of the other way. It starts at
	 * this value after a change to way 0 or 1, and doubles after each trial without a change,
	 * up to the maximum.
	 */
	int span[2], most_span;
	int first; /* solves in way 0 before the first trial of way 1 */
	/* true: the preference is updated after every solve. false: only at a trial, so that a
	 * single expensive solve does not change it. */
	bool at_once;
} bxt_choice_rule;

typedef struct bxt_choice {
	double cost[2]; /* running means, in the caller's unit; 0: unknown */
	int preferred;  /* 0 or 1 */
	int left, span; /* solves in the preferred way until the next trial: remaining, and at the
			 * start */
} bxt_choice;

/* Forgets all costs: way 0 first. */
void bxt_choice_start(bxt_choice *c, const bxt_choice_rule *rule);
/* The way of the next solve, 0 or 1; the caller may use the other one if necessary. */
int bxt_choice_next(const bxt_choice *c);
/* Reports the cost > 0 of a solve in a way, 0 or 1. */
void bxt_choice_learn(bxt_choice *c, const bxt_choice_rule *rule, int way, double cost);

#endif
