/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Problems as the users of other integrators write them, with analytic sparse slopes, and what
 * those integrators make of them: RADAU5 (peer_radau.c) and IDA of SUNDIALS (peer_ida.c).
 *
 *     M y' = f(t, y),   or for IDA alone   r(t, y, y') = 0
 *
 * Between events of the time and of the state a problem is smooth: it has a `piece`, which f reads.
 */
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct peer_problem peer_problem;

/* Entries of a matrix, put in the same order each time: the first time makes the pattern. */
typedef struct peer_entries {
	int *row, *col; /* (n) as they were put */
	int *at;        /* (n) their place in the pattern; NULL: it is being made */
	size_t n, room;
	double *values;
	bool failed; /* out of memory */
} peer_entries;

/* A sparse matrix by columns. */
typedef struct peer_pattern {
	int n, *start, *row; /* (n + 1), (start[n]) */
} peer_pattern;

void peer_put_new(peer_entries *e, int row, int col);

/* Adds to an entry. */
static inline void peer_put(peer_entries *e, int row, int col, double value)
{
	if (e->at)
		e->values[e->at[e->n++]] += value;
	else
		peer_put_new(e, row, col);
}

struct peer_problem {
	const char *name;
	int n;      /* unknowns */
	double end; /* [s] the begin is 0 */
	/* y' of it consistent; y, y' (n) */
	void (*begin)(peer_problem *p, double *y, double *dot);
	/* f, df/dy, M; NULL: IDA's form is the only one */
	void (*right)(const peer_problem *p, double t, const double *y, double *f);
	void (*slopes)(const peer_problem *p, double t, const double *y, peer_entries *e);
	void (*mass)(const peer_problem *p, peer_entries *e);
	/* r, dr/dy + c dr/dy'; NULL: those of M y' - f */
	void (*residual)(const peer_problem *p, double t, const double *y, const double *dot,
			 double *r);
	void (*matrix)(const peer_problem *p, double t, double c, const double *y,
		       const double *dot, peer_entries *e);
	/* Unknowns of index 1, 2 and 3 stand in this order, so many; all 0: n of index 1. */
	int of_index[3];
	const bool *algebraic; /* (n) out of IDA's tests of local errors; NULL: none is */
	/* (n) sizes: absolute tolerances are the relative one times these; NULL: 1 */
	const double *typical;
	double longest; /* [s] the longest step; 0: the integrator's own choice */
	/* Events. Breaks of the time: the next one after t, INFINITY: none. */
	double (*next_break)(const peer_problem *p, double t);
	int n_roots; /* of the state, at most PEER_MOST_ROOTS; functions that go up through 0 */
	void (*roots)(const peer_problem *p, double t, const double *y, double *g);
	/* Goes on behind the break, or the root, at t. */
	void (*pass)(peer_problem *p, double t, const double *y, bool root);
	int piece;
	/* What is compared, (n_seen). */
	int n_seen;
	void (*see)(const peer_problem *p, double t, const double *y, double *seen);
	const void *data;
};

enum { PEER_MOST_ROOTS = 4 };

/* A run and its account. */
typedef struct peer_run {
	int rows;     /* at end k/rows, k = 1 ... */
	double *seen; /* (rows, n_seen), made by the caller */
	double seconds;
	long steps, rejected; /* attempts that failed come on top of the steps */
	long evaluations, slopes, factorizations, solves, iterations, events;
} peer_run;

/* Row k of a run is due at this time [s]. */
static inline double peer_row_time(const peer_problem *p, const peer_run *out, int k)
{
	return p->end * (k + 1) / out->rows;
}

/* The pattern of the entries put by `put` and of `more`, of a problem; false without memory. */
bool peer_pattern_make(int n, peer_entries *const *sets, int n_sets, peer_pattern *out);
void peer_pattern_free(peer_pattern *a);
void peer_entries_free(peer_entries *e);
/* The values of a matrix are made anew: (entries of the pattern). */
void peer_entries_begin(peer_entries *e, const peer_pattern *a, double *values);

/* False after a failure of the integrator; the counts tell how far it came. */
bool peer_radau5(peer_problem *p, double tol, peer_run *out);
bool peer_ida(peer_problem *p, double tol, peer_run *out);
bool peer_ida_exists(void);

/* ---- The problems; ready to run, again and again. ---- */

peer_problem *peer_amplifier(void);
peer_problem *peer_amplifier_semi(void); /* semi-explicit, for IDA */
peer_problem *peer_ring_modulator(void);
peer_problem *peer_inverters(void);
struct ladder;
peer_problem *peer_diode_ladder(const struct ladder *l);
peer_problem *peer_kepler(void);
peer_problem *peer_rectifier(void);
peer_problem *peer_boost(void);
peer_problem *peer_andrews(void);     /* index 3, as the Test Set has it */
peer_problem *peer_andrews_ggl(void); /* index 2 with both constraints, for IDA */

#endif
