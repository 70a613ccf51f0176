/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The consistent start, positions: shared by positions.c (rows, measures), positions_moves.c
 * (moves) and positions_report.c (findings).
 */
#ifndef BXT_START_POSITIONS_H
#define BXT_START_POSITIONS_H

#include "ground/base/disjoint_sets.h"
#include "motion/start/start_internal.h"

/* A row that vanishes at the start: phi of a position constraint, or q_first - q_other. */
typedef struct bxt_closing_row {
	int place;        /* x index; -1: a row of a connection */
	int d_row;        /* in D */
	int first, other; /* x indices of a connection's coordinates */
} bxt_closing_row;

/* How far the closing of each mechanism has come, by its first coordinate or row: (n + r) each. */
typedef struct bxt_closing_progress {
	bool *bad, *todo;       /* not closed; being closed */
	bool *pending, *moving; /* its move is not yet accepted; it moves in this step */
	bool *better;           /* bad, but its last move reduced the residual */
	bool *done, *worth;     /* no move improves it; some row exceeds round-off */
	int *slow;              /* consecutive moves that gained little */
	double *mu;             /* damping */
	double *old, *now, *promised, *gain; /* |R phi|^2 before, after, by A; part removed */
} bxt_closing_progress;

/*
 * A mechanism is a set of coordinates and rows that rows and inertia connect. Mechanisms are
 * independent of each other; each has the index of its representative (base/disjoint_sets.h).
 */
struct bxt_position_closing {
	struct bxt_start *a;
	int n, r;             /* coordinates, rows */
	bxt_closing_row *row; /* (r) */
	int *row_at;          /* (size) the row with that x index, or -1 */
	int *set;             /* (n + r) of coordinates and rows: the forest of mechanisms */
	bool *kept;           /* (n) the current attempt may not move it */
	bool *held;           /* (n + r) kept, or of another mechanism; slack is never held */
	bool *active;         /* (r) the current attempt closes it */
	bxt_sparse h;    /* (n + r x n + r) inertia divided by its largest entry; 1 for slack */
	int *h_diagonal; /* (n) where its diagonal is */
	bool *implied;   /* (elements) their rows follow from other ones */
	int *same;       /* (n) the first of a coordinate's copies */
	bool *massless;  /* (n) no copy has mass */
	double *diagonal, *neutral;     /* (n) of all copies, and of coordinates without mass */
	bxt_rows g, scaled;             /* A, all columns; its scaled rows for bxt_correct */
	double *phi, *at_zero, *change; /* (r) at q, at q = 0, of a trial */
	double *terms, *wide;       /* (r) bounds of the round-off of phi: its terms, widen()'s */
	double *wide_start;         /* (r) wide at first: all of a mechanism may move to zero */
	double *felt, *scale, *rhs; /* (r) A H^-1 A^T, R, right side */
	double *d;                  /* (n + r) */
	double *q_start, *q_before; /* (size) q at the start, and before a move */
	double *no_flow;            /* (size) 0 */
	bxt_closing_progress progress;
};

/* positions.c */
const char *bxt_closing_unit(const bxt_system *s, int x);
/* The representative of a row's set. */
int bxt_closing_mechanism(const struct bxt_position_closing *c, int row);
/* phi (r) of all rows at q. */
void bxt_closing_evaluate(struct bxt_position_closing *c, const double *q, double *phi);
/* A (g), phi, terms, wide and inertia at a->q. */
bxt_status bxt_closing_linearize(struct bxt_position_closing *c);
/*
 * wide[i] = sum_j |A_ij| (the largest coordinate of j's unit in the mechanism): a row y = 0 is met
 * to the round-off of its neighbours, not of y.
 */
void bxt_closing_widen(struct bxt_position_closing *c);
bool bxt_closing_is_finite(const struct bxt_position_closing *c);
bool bxt_closing_is_met(const struct bxt_position_closing *c, int i);
/* Is the row so near to 0 that it is not corrected? */
bool bxt_closing_is_round_off(const struct bxt_position_closing *c, int i);
/* Computes H and R for the held coordinates and active rows. */
void bxt_closing_weigh(struct bxt_position_closing *c);
/* |R phi|^2 by mechanism; d^T H d of a move; change = A d. */
void bxt_closing_misfit(const struct bxt_position_closing *c, const double *phi, double *sum);
double bxt_closing_length(const struct bxt_position_closing *c, const double *d);
void bxt_closing_multiply(struct bxt_position_closing *c, const double *d);

/* positions_report.c */
/* Reports errors that name the rows of bad mechanisms and the fixed coordinates there:
 * BXT_ERR_MODEL. */
bxt_status bxt_closing_report(struct bxt_position_closing *c, bxt_diagnostics *d);
/* Reports the rows that are not finite at the current q: BXT_ERR_MODEL. */
bxt_status bxt_closing_report_not_finite(struct bxt_position_closing *c, bxt_diagnostics *d);

#endif
