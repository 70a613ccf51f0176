/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The change of switches at one time. The next combination of states is one in which a short step
 * of backward Euler ends with no margin below zero: every row holds within its bounds, or its
 * multiplier is at a bound and its gap is open. In the first rounds, all switches with a margin
 * below zero change together; later only the first of them in the order of the network changes
 * (least index, as K. Murty, Linear Complementarity, 1988, section 2).
 *
 * Impacts: p+ = p- + A^T Pi, where 0 <= Pi, 0 <= A_c (v+ + e v-) and one of them is 0 for each
 * closing row c (Newton's law of restitution; Moreau, Unilateral contact and dry friction, 1988).
 * Rows that always hold take part, A v+ = b. Dry friction at an impact has at most mu Pi.
 */
#ifndef BXT_SWITCHING_SWITCHING_H
#define BXT_SWITCHING_SWITCHING_H

#include "run/switching/modes.h"

struct bxt_switching;
/* A function that is called at each jump of flows. w->before is the state before the jump, to->at
 * the state after it, to->x flows and impulses there; w->struck, rate and restitution belong to
 * this jump. */
typedef struct bxt_jump_follower {
	bxt_status (*jumped)(void *context, const struct bxt_switching *w,
			     const bxt_mode_system *to);
	void *context;
} bxt_jump_follower;

typedef struct bxt_switching {
	bxt_modes *modes;
	bxt_arena *arena;
	int n;                        /* switches */
	unsigned char *states, *next; /* (n) present states; states to be tried */
	/* (n) the largest multiplier, gap and rate of each so far, the scales of round-off */
	double *of_lambda, *of_gap, *of_rate;
	double *of_quantity; /* (quantities) the same for all flows and multipliers with one unit */
	double *of_position; /* (quantities) the same for all coordinates with one unit */
	double *rate, *restitution; /* (n) before an impact */
	double *moved;              /* (n) charges that a jump moves through rows */
	bool *struck;               /* (n) rows that take part in a jump */
	bool *fires;                /* (n) events that become active */
	bool *parked;               /* (n) rows that give no impulse, but held before a jump */
	bool jumped;                /* flows jumped on the way to the state */
	const char *why; /* why no state follows, for the culprit; NULL: no combination lasts */
	bool acting;     /* events act; false at the start */
	unsigned char *tried,
		*wanted; /* (n) the last states tried; the states in which there was no solution */
	unsigned char *kept; /* (n) scratch */
	bool captured;       /* a step that captures contacts was tried at this event */
	bxt_state *origin;   /* of the base: scratch */
	bool one_by_one;     /* rows are released one at a time */
	bxt_state *before;   /* of the base: the state before a jump */
	double *target;      /* (coordinates and rows) scratch */
	double shortest;     /* [s] a bounce that takes less time than this is the last */
	long impacts;        /* so far */
	int culprit;         /* the switch for which no state was found, or -1 */
	const bxt_jump_follower *follower;
} bxt_switching;

/* *out NULL: nothing switches. */
bxt_status bxt_switching_new(const bxt_system *base, const bxt_settings *settings,
			     bxt_switching **out);
bxt_switching *bxt_switching_free(bxt_switching *w);

/* Saves or restores the largest values so far. */
void bxt_switching_keep(bxt_switching *w, bxt_account *account);

/* Is the margin of switch k below zero by more than round-off? */
bool bxt_switching_is_over(bxt_switching *w, const bxt_switch_values *v, int k,
			   bxt_switch_state *next, double *margin);
/* Returns the size of the terms of the margin. */
double bxt_switching_size(const bxt_switching *w, const bxt_switch_values *v, int k);
/*
 * Checks the charge A_k dq that the jump from w->before to in->at has moved through each one-sided
 * row. If it went backward through a row that conducts, that row is set to block in w->next. False:
 * there is no such row.
 */
bool bxt_switching_block_moves(bxt_switching *w, bxt_mode_system *in);
/* Updates the largest values; x (size): flows and multipliers at the state. */
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
 * Finds the states in which a run starts, to w->states: the netlist's states of modes, and the
 * states of rows that the consistent start in these modes allows.
 */
typedef bxt_status bxt_start_in(const bxt_system *s, const bxt_settings *settings, bxt_state *state,
				bxt_diagnostics *d);
bxt_status bxt_switching_start(bxt_switching *w, bxt_start_in *start, double t,
			       bxt_mode_system **out);

/*
 * Does the combination w->states last at the state of rest that was found in it (*lasts)? If not,
 * w->states and *mode become the next combination in which to search rest: all switches with a
 * margin below zero change, or with `one` the first of them only.
 */
bxt_status bxt_switching_at_rest(bxt_switching *w, const bxt_state *state, bool one,
				 bxt_mode_system **mode, bool *lasts);

#endif
