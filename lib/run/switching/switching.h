/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a model switches at a point of time. The next combination of states is one in which a short
 * step of backward Euler ends with no margin below zero: there every row holds within its bounds,
 * or its multiplier is at a bound and its gap open. All switches that are wrong change at once at
 * first, later one at a time, the first in the order of the network (least index, as K. Murty,
 * Linear Complementarity, 1988, section 2).
 *
 * Impacts: p+ = p- + A^T Pi, where 0 <= Pi, 0 <= A_c (v+ + e v-) and one of them is 0 for each
 * closing row c (Newton's law of restitution; Moreau, Unilateral contact and dry friction, 1988).
 * Rows that always hold take part, A v+ = b. Dry friction at an impact has at most mu Pi.
 */
#ifndef BXT_SWITCHING_SWITCHING_H
#define BXT_SWITCHING_SWITCHING_H

#include "run/switching/modes.h"

struct bxt_switching;
/* Called at each jump of flows, NULL: nobody looks. w->before is the state before it, to->at the
 * one after, to->x flows and impulses there, w->struck, rate and restitution what they say. */
typedef struct bxt_jump_follower {
	bxt_status (*jumped)(void *context, const struct bxt_switching *w,
			     const bxt_mode_system *to);
	void *context;
} bxt_jump_follower;

typedef struct bxt_switching {
	bxt_modes *modes;
	bxt_arena *arena;
	int n;                        /* switches */
	unsigned char *states, *next; /* (n) of now; those that are tried */
	/* (n) the largest multiplier, gap and rate of each so far: round-off is a part of them */
	double *of_lambda, *of_gap, *of_rate;
	double *of_quantity; /* (quantities) the same of all flows and multipliers in one unit */
	double *of_position; /* (quantities) the same of all coordinates in one unit */
	double *rate, *restitution;    /* (n) before an impact */
	double *moved;                 /* (n) charges that a jump moves through rows */
	bool *struck;                  /* (n) rows that take part in a jump */
	bool *fires;                   /* (n) events that come on */
	bool *parked;                  /* (n) rows that give no impulse, and held before a jump */
	bool jumped;                   /* flows jumped on the way to the state */
	const char *why;               /* nothing follows, of the culprit; NULL: none lasts */
	bool acting;                   /* they act: not at the start */
	unsigned char *tried, *wanted; /* (n) the last states tried; those without a solution */
	unsigned char *kept;           /* (n) scratch */
	bool captured;                 /* a step over contacts was asked at this event */
	bxt_state *origin;             /* of the base: scratch */
	bool one_by_one;               /* rows are released one at a time */
	bxt_state *before;             /* of the base: the state before a jump */
	double *target;                /* (coordinates and rows) scratch */
	double shortest;               /* [s] a bounce that is over sooner than this is the last */
	long impacts;                  /* so far */
	int culprit;                   /* the switch that found no state, -1 */
	const bxt_jump_follower *follower;
} bxt_switching;

/* *out NULL: nothing switches. */
bxt_status bxt_switching_new(const bxt_system *base, const bxt_settings *settings,
			     bxt_switching **out);
bxt_switching *bxt_switching_free(bxt_switching *w);

/* What it has seen so far. */
void bxt_switching_keep(bxt_switching *w, bxt_account *account);

/* A margin that is below zero by more than round-off. */
bool bxt_switching_is_over(bxt_switching *w, const bxt_switch_values *v, int k,
			   bxt_switch_state *next, double *margin);
/* The size of what the margin is made of. */
double bxt_switching_size(const bxt_switching *w, const bxt_switch_values *v, int k);
/*
 * The charge A_k dq that the jump from w->before to in->at has moved through a one-sided row: where
 * it went backward through one that conducts, that is to block, in w->next. False: nothing did.
 */
bool bxt_switching_block_moves(bxt_switching *w, bxt_mode_system *in);
/* Notes the sizes of what was read; x (size): flows and multipliers there. */
void bxt_switching_note(bxt_switching *w, const bxt_switch_values *v, const double *q,
			const double *x);

/*
 * Changes the switches that `change` (n) marks to `to` (n) at the state, which may be of any mode,
 * and finds the combination that lasts; `h` is the scale of a step. On return w->states is that
 * combination and *out its system, with the state there in (*out)->at. BXT_ERR_MODEL, with
 * w->culprit: none was found.
 */
bxt_status bxt_switching_settle(bxt_switching *w, const bxt_state *state, const bool *change,
				const unsigned char *to, double h, bxt_mode_system **out);

/*
 * The states in which a run starts, to w->states: those of the netlist's modes, and rows that the
 * consistent start in them allows.
 */
typedef bxt_status bxt_start_in(const bxt_system *s, const bxt_settings *settings, bxt_state *state,
				bxt_diagnostics *d);
bxt_status bxt_switching_start(bxt_switching *w, bxt_start_in *start, double t,
			       bxt_mode_system **out);

/*
 * Does the combination w->states last at a state of rest that was found in it? Else w->states and
 * *mode become the one in which to look for rest next: all switches that are wrong change, or the
 * first of them alone.
 */
bxt_status bxt_switching_at_rest(bxt_switching *w, const bxt_state *state, bool one,
				 bxt_mode_system **mode, bool *lasts);

#endif
