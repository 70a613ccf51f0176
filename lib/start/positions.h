/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Closing positions: what positions_moves.c (the moves) and positions_report.c (the words) share.
 */
#ifndef BXT_START_POSITIONS_H
#define BXT_START_POSITIONS_H

#include "base/disjoint_sets.h"
#include "start/start_internal.h"

/* A row that vanishes at the start: phi of a position constraint, or q_first - q_other. */
typedef struct bxt_closing_row {
	int place;        /* in x; -1: of a connection */
	int d_row;        /* in D */
	int first, other; /* places of a connection's coordinates */
} bxt_closing_row;

/*
 * A mechanism is what rows and inertia tie together; it stands for itself in all of this, and has
 * the index of its representative (base/disjoint_sets.h).
 */
struct bxt_closing {
	struct bxt_start *a;
	int n, r;             /* coordinates, rows */
	bxt_closing_row *row; /* (r) */
	int *row_at;          /* (size) the row with that place, or -1 */
	int *unit, n_units;   /* (n) of coordinates, numbered */
	int *set;             /* (n + r) of coordinates and rows: the forest of mechanisms */
	bool *kept;           /* (n) not to be moved by what is tried now */
	bool *held;           /* (n + r) and those of other mechanisms; slack always may */
	bool *active;         /* (r) shall be closed now */
	bxt_sparse h;         /* (n + r x n + r) inertia in parts of the largest; 1 for slack */
	double *diagonal, *neutral;     /* (n) of it, and of coordinates without mass */
	bxt_rows g, scaled;             /* A, all columns; what is handed to bxt_correct */
	double *phi, *at_zero, *change; /* (r) at q, at q = 0, of a trial */
	double *terms, *wide;       /* (r) what phi is round-off of: its own terms, and widen()'s */
	double *wide_start;         /* (r) wide at first: all of a mechanism may move to zero */
	double *felt, *scale, *rhs; /* (r) A H^-1 A^T, R, right side */
	double *d;                  /* (n + r) */
	double *q_start, *q_before; /* (size) at first, and before a move */
	double *no_flow;            /* (size) 0 */
	/* (n + r) by mechanism */
	bool *bad, *todo;       /* it is not closed; it is worked on */
	bool *pending, *moving; /* its move is not accepted yet; it has one in this step */
	bool *better;           /* the last move of a bad one still helped */
	bool *done, *worth;     /* no move makes it better; some row is more than round-off */
	int *slow;              /* moves in a row that gained little */
	double *mu;             /* damping */
	double *old, *now, *promised, *gain; /* |R phi|^2 before and after, by A, part that went */
};

/* positions.c */
const char *bxt_closing_unit(const bxt_system *s, int x);
/* The representative of a row's set. */
int bxt_closing_mechanism(const struct bxt_closing *c, int row);
/* phi (r) of all rows at q. */
void bxt_closing_evaluate(struct bxt_closing *c, const double *q, double *phi);
/* A (g), phi, terms, wide and inertia at a->q. */
bxt_status bxt_closing_linearize(struct bxt_closing *c);
/*
 * wide[i] = sum_j |A_ij| (the largest coordinate of j's unit in the mechanism): a row y = 0 is met
 * to the round-off of its neighbours, not of y.
 */
void bxt_closing_widen(struct bxt_closing *c);
bool bxt_closing_is_finite(const struct bxt_closing *c);
bool bxt_closing_is_met(const struct bxt_closing *c, int i);
/* So near to 0 that it is left as it is. */
bool bxt_closing_is_round_off(const struct bxt_closing *c, int i);
/* H and R, with what is held and active. */
void bxt_closing_weigh(struct bxt_closing *c);
/* |R phi|^2 by mechanism; d^T H d of a move; change = A d. */
void bxt_closing_misfit(const struct bxt_closing *c, const double *phi, double *sum);
double bxt_closing_length(const struct bxt_closing *c, const double *d);
void bxt_closing_multiply(struct bxt_closing *c, const double *d);

/* positions_report.c */
/* Errors that name the rows of bad mechanisms and what is fixed there: BXT_ERR_MODEL. */
bxt_status bxt_closing_report(struct bxt_closing *c, bxt_diagnostics *d);
/* Rows that are not finite where the start stands: BXT_ERR_MODEL. */
bxt_status bxt_closing_report_not_finite(struct bxt_closing *c, bxt_diagnostics *d);

#endif
