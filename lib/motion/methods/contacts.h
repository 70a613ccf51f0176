/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows with bounds in a step of fixed size that does not end at their events (J. J. Moreau,
 * Unilateral contact and dry friction in finite freedom dynamics, 1988; M. Jean, The non-smooth
 * contact dynamics method, Comput. Methods Appl. Mech. Eng. 177, 1999). With the flows V = (1 -
 * theta) v- + theta v+ of the step, the impulse l of a row, and w = A V - b at these flows,
 *
 *     s = w - (1 - theta - theta e) w- ,   w- = A v- - b ,    so that s = theta (w+ + e w-) ,
 *     s = 0 and lower <= l <= upper, or l = lower and s >= 0, or l = upper and s <= 0.
 *
 * A contact takes part if its gap is closed at q + theta h v-; its restitution e is 0 where it does
 * not approach. Bounds are h times those of the multiplier; of friction -mu l_n and mu l_n.
 *
 * An active set method finds the rows that hold: at first all rows that violate their state change
 * it, later only the first one (K. Murty, Linear Complementarity, 1988). With constant bounds this
 * terminates. The bounds of friction are not constant. If the search cycles, they are held constant
 * during a search and set from l_n after it, until they no longer change (J. Haslinger, Math.
 * Methods Appl. Sci. 5, 1983). Rows that hold may depend on each other, such as four feet on a
 * floor. Therefore each has a compliance far below its inertia, s + epsilon (l - l'), and l'
 * follows l until the difference is round-off (proximal points; R. T. Rockafellar, SIAM J. Control
 * Optim. 14, 1976). The flows are then those of rigid rows, and the rows share the impulses.
 */
#ifndef BXT_METHODS_CONTACTS_H
#define BXT_METHODS_CONTACTS_H

#include "model/system/switch_values.h"
#include "model/system/velocity.h"
#include "motion/scheme/scheme.h"

typedef struct bxt_contact {
	int row;             /* x index of its row in the system where all rows hold */
	int unknown;         /* in the step */
	int of;              /* of friction, the unknown of the normal impulse l_n; else -1 */
	bool one_sided;      /* the energy it takes counts as that of an impact; else of friction */
	bool fixed;          /* no inertia: it keeps its state */
	bool takes_part;     /* in this step */
	double gap, of_gap;  /* gap on its side; the largest gap so far, or the size of its terms */
	unsigned char state; /* bxt_switch_state */
	double target;       /* (1 - theta - theta e) w- */
	double lower, upper; /* impulses, infinite: none; of friction in parts of that of `of` */
	double lower_held, upper_held; /* the same while the row holds: static friction */
	double rate;                   /* w- */
	double size;                   /* the largest rate so far: round-off is a part of it */
	double natural;                /* impulse that would close or open the gap in the step */
	double response;               /* of its rate to its impulse, without other contacts */
	double epsilon, before;        /* compliance, and l' */
	double pressing;               /* l_n, while bounds of friction are held */
	double w, impulse;             /* at the end of the solution */
	double supplied;               /* [J] work of b */
	int element;
} bxt_contact;

typedef struct bxt_contacts {
	const bxt_system *system; /* where all rows with bounds hold */
	bxt_switch_values *values;
	int *of_switch; /* (n) the switch of each contact */
	bxt_contact *at;
	int n;
	const bxt_system *without; /* where none of them does, with the same coordinates */
	bxt_velocity *velocity;    /* of `without`, as the evaluator */
	bxt_velocity_rows *tied;   /* rows that transmit impulses to coordinates with inertia; NULL:
				      impulses act on these directly */
	bxt_evaluator *e;
	double theta;            /* of the step, 1/2 unless the owner sets another */
	bool given;              /* the search begins with the given states, also those of gaps */
	bool rests;              /* restitution is 0 */
	bool scaled;             /* compliances are known */
	int *first, *col, *slot; /* (n + 1), (entries) of A in the rows of contacts */
	double *slopes;          /* (system nnz + 1) */
	double *v,
		*q; /* (size) flows at the begin of the step; coordinates at its predicted middle */
	double *f;  /* (size) scratch */
	double natural;    /* the largest of all */
	bool holds_bounds; /* of friction */
	/* numbers in this step: changes of the set, of held bounds, of l' */
	int rounds, turns, moves;
	int culprit; /* the contact that changed last, -1 */
} bxt_contacts;

/* The contacts of `held`, a system where all rows with bounds hold. first: unknown of the first. */
bxt_status bxt_contacts_new(bxt_arena *arena, const bxt_system *held, const bxt_system *without,
			    int first, bxt_contacts **out);
void bxt_contacts_release(bxt_contacts *c);
/* Adds an error for each mode of the model, because such steps do not support modes. */
bxt_status bxt_contacts_check(const bxt_system *s, bxt_place scheme, bxt_diagnostics *d);
/* Checks the start, in the system without contacts: an error for each contact that moves no
 * inertia, a warning for each gap that is negative there. */
bxt_status bxt_contacts_report(const bxt_system *without, const bxt_state *state, bxt_place scheme,
			       bxt_diagnostics *d);

/* Called before a step from a state of the system, inside [t, t + h]: sets flows, targets and
 * bounds, and the contacts that take part. switches: states of the last step, or NULL; t_middle:
 * the time at which expressions are evaluated. */
bxt_status bxt_contacts_begin(bxt_contacts *c, const bxt_state *state,
			      const unsigned char *switches, double h, double t_middle);
/*
 * Called after the equations were solved with the contacts' states. x are the unknowns and w the
 * rows (by x index of the system). *again: states or l' have changed, and another solution is
 * needed. Also sets w and impulses of the contacts. BXT_ERR_NEWTON: no set of states is consistent
 * with its solution.
 */
bxt_status bxt_contacts_settle(bxt_contacts *c, const double *x, const double *w, bool *again);
struct bxt_stepper;
/* The contacts of a stepper that captures events of contacts; NULL: it does not. */
bxt_contacts *bxt_moreau_contacts(const struct bxt_stepper *st);
/* The state of contact i after the step. */
bxt_switch_state bxt_contacts_state(const bxt_contacts *c, int i);

/* A bound [J s per unit] of a contact at x, valid while it holds. */
static inline double bxt_contact_bound(const bxt_contacts *all, const bxt_contact *c, bool upper,
				       bool holds, const double *x)
{
	const double bound =
		upper ? (holds ? c->upper_held : c->upper) : (holds ? c->lower_held : c->lower);
	if (c->of < 0)
		return bound;
	return bound * (all->holds_bounds ? c->pressing : x[c->of]);
}

#endif
