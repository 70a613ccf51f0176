/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The quadrature list of a step: the points where rows hold and where forces and multipliers act,
 * their weights, and the moves of coordinates that are not integrals of flows. Over the step
 *
 *     p_{k+1} - p_k = sum weight f(q, x, t) + sum weight_impulse A(q_impulse)^T l + ...
 *
 * Ledger, Noether accounts, records and checks loop over this list. Therefore they do not depend on
 * the step method.
 */
#ifndef BXT_STEP_QUADRATURE_H
#define BXT_STEP_QUADRATURE_H

#include "model/system/evaluate.h"
#include "motion/scheme/scheme.h"

typedef enum bxt_entry_kind {
	BXT_ENTRY_STAGE, /* rows hold and multipliers act; forces act, too, unless points follow */
	BXT_ENTRY_POINT, /* only forces act, of rules with points of their own */
	BXT_ENTRY_WRITTEN, /* forces f^-, f^+ of written discrete Lagrangians from q at flows x */
	BXT_ENTRY_KICK,    /* impulses at one end of the step, on rows with mass only */
	BXT_ENTRY_MOVE,    /* coordinates moved at one end while momenta p stayed */
	BXT_ENTRY_LOOP     /* likewise after the step, by x, along lossless loops */
} bxt_entry_kind;

typedef struct bxt_quadrature_entry {
	bxt_entry_kind kind;
	const double *q, *x; /* (size) coordinates; flows and impulses */
	double t;            /* [s] */
	double weight;       /* [s] of powers: h b_i for a stage; 0: no forces act here */
	double weight_impulse;
	bool forces; /* forces act here, whatever their weight */
	bool end;    /* of a kick, a move: at the end of the step */
	/* STAGE: where its rows hold, and where A^T l acts */
	const double *q_rows, *q_impulse;
	/* The shares of forces that act at q_k and at q_{k+1}; at_ends false: all act at q. */
	bool at_ends;
	double share[2];
	/* (groups) the rule of each group, NULL where all follow one. Then the weights [s] by rule,
	 * of the terms of L and of forces. `written` is the rule of written discrete Lagrangians,
	 * which define no powers and have the run's weights; -1: there are none. */
	const int *rule_of_group;
	double of_rule[BXT_MAX_RULES + 1], of_force[BXT_MAX_RULES + 1];
	int written;
	/* KICK: (size) >= 0 at the rows that take part. */
	const int *takes_part;
	/* MOVE, LOOP: (size) coordinates before and after, and the momenta that stayed. */
	const double *from, *to, *p;
	double work; /* [J] LOOP: stored beyond the work of external forces */
	/* STAGE: functions that evaluate its rows (added to r) and the power through ports; NULL:
	 * the tapes at q and x do. */
	void (*rows)(void *own, const bxt_evaluator *e, const double *x, double *r);
	void (*ports)(void *own, const bxt_evaluator *e, const double *x, bxt_block_visitor *visit,
		      void *context);
	void *own;
} bxt_quadrature_entry;

/* Impulse and work of a row with bounds in a step that did not end at its event. */
typedef struct bxt_contact_work {
	int which; /* the switch */
	int element;
	bxt_switch_state state; /* after the step */
	bool impact;            /* an impact's; else friction's */
	double impulse;         /* [J s per unit of the row] */
	double work;            /* [J] on what moves, by flows that the row leaves */
	double supplied;        /* [J] by its own motion */
} bxt_contact_work;

/* Stages, points, written ones, kicks and moves at both ends, lossless loops. */
enum { BXT_MAX_ENTRIES = BXT_MAX_STAGES + BXT_MAX_POINTS + 7 };

typedef struct bxt_quadrature_list {
	bool published;        /* it belongs to the solved step */
	const double *q_start; /* (size) where the step began */
	const double
		*p_start; /* (size) (size) the momenta there, for stages in blocks; else NULL */
	double t, h;      /* [s] */
	int n;
	bxt_quadrature_entry entry[BXT_MAX_ENTRIES]; /* the stages first */
	/* Rows with bounds that the step adds to those of the model, and a function that adds their
	 * impulses A^T Pi (size), at the first stage's q, to f; NULL: there are none. */
	int n_contacts;
	const bxt_contact_work *contact;
	void (*contact_impulses)(void *owner, double *f);
	void *contact_owner;
} bxt_quadrature_list;

/* The kick at the end of the step; NULL: there is none. */
const bxt_quadrature_entry *bxt_quadrature_end(const bxt_quadrature_list *list);

/* Appends an entry of which only kind and time are set. */
bxt_quadrature_entry *bxt_quadrature_append(bxt_quadrature_list *list, bxt_entry_kind kind,
					    double t);
struct bxt_stepper;
/* Appends the stages of a stepper. Rows of the first stage hold at q_rows, those of the others
 * where their forces act. */
void bxt_quadrature_stages(const struct bxt_stepper *st, const double *q_rows,
			   bxt_quadrature_list *list);
/* Appends its points, at flows[j] (size), and written forces; at_ends: forces act on both ends. */
void bxt_quadrature_points(const struct bxt_stepper *st, double *const *flows, bool at_ends,
			   bxt_quadrature_list *list);

#endif
