/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Linear solvers behind one small table of functions: analyse the pattern once, factor new values,
 * solve in place. KLU is for circuit-like systems, UMFPACK for general ones.
 */
#ifndef BXT_SOLVER_LINSOL_H
#define BXT_SOLVER_LINSOL_H

#include "ground/sparse/sparse.h"

typedef struct bxt_linsol bxt_linsol;

/*
 * Groups of unknowns that stay adjacent in the elimination order, such as the copies of a
 * coordinate in the stages of a step. The ordering is computed on groups, so it equals that of one
 * stage. group[j] (n) < count for unknown j.
 */
typedef struct bxt_grouping {
	const int *group;
	int count;
} bxt_grouping;

/* One row of the table of solvers. */
typedef struct bxt_linsol_kind {
	const char *name; /* "klu" */
	const char *doc;  /* one line for help */
	/*
	 * Analyses the pattern (kept by reference: it must outlive the solver; its values are not
	 * read); *self is heap memory. BXT_ERR_ARGUMENT when it is not square. The grouping
	 * may be NULL.
	 */
	bxt_status (*create)(const bxt_sparse *pattern, const bxt_grouping *grouping, void **self);
	/*
	 * Factors finite values (nnz), pivots chosen anew. A zero pivot: BXT_ERR_SINGULAR,
	 * recoverable, *culprit is the column of that pivot (in the caller's order), and no factors
	 * are left. On BXT_OK *culprit is -1, or the column of a suspect pivot. Such a pivot is no
	 * larger than its own rounding error: the matrix is singular to working precision, and
	 * round-off determines the solution. Suspects are searched if the condition estimate is
	 * below 1e-12.
	 */
	bxt_status (*factor)(void *self, const double *values, int *culprit);
	/*
	 * Factors with the pivots of the last factorisation, without allocating. False: the factors
	 * must not be used, because the reciprocal condition estimate fell below 1e-3 of that of
	 * the last full factorisation, or below 1e-14 if that was above it. NULL: the solver always
	 * chooses pivots.
	 */
	bool (*refactor)(void *self, const double *values);
	/* b (n) is replaced by the solution. BXT_ERR_ARGUMENT without factors. */
	bxt_status (*solve)(void *self, double *b);
	/* Compiles solves to native code from the next factorisation on, with the same bits; NULL:
	 * not available. */
	void (*use_code)(void *self);
	/* Cheap reciprocal condition estimate of the current factors; 0 without factors. */
	double (*rcond)(void *self);
	/* For information: entries of the factors, numbers of full and of pivot-reusing
	 * factorisations. */
	void (*counts)(const void *self, size_t *factor_entries, long *full, long *reused);
	/* Multiplications of a factorisation with the pivots in use, and of one solve. NULL: not
	 * known.
	 */
	void (*work)(void *self, double *factor, double *solve);
	void (*destroy)(void *self);
	/* The solver gets matrices as they are, not equilibrated. */
	bool as_given;
	/* The solver orders by structure, and keeps the diagonals as pivots. */
	bool by_structure;
} bxt_linsol_kind;

extern const bxt_linsol_kind bxt_linsol_klu, bxt_linsol_klu_metis, bxt_linsol_umfpack,
	bxt_linsol_condensed, bxt_linsol_compiled;
/* Products of a factorisation, predicted from the order of AMD; INFINITY without memory. `compiled`
 * is for systems with at most BXT_COMPILED_PRODUCTS products and as many unknowns. */
double bxt_linsol_predict_products(const bxt_sparse *pattern);
enum { BXT_COMPILED_PRODUCTS = 20000, BXT_COMPILED_UNKNOWNS = 250 };
/* All solvers, NULL-terminated (solvers.c). */
extern const bxt_linsol_kind *const bxt_linsol_kinds[];

/*
 * A solver with equilibration: values are equilibrated (equilibrate.h) before the solver of the
 * table gets them, so condition estimates and suspects are those of the equilibrated matrix.
 */
bxt_status bxt_linsol_create(const bxt_linsol_kind *kind, const bxt_sparse *pattern,
			     bxt_linsol **out);
/*
 * The same with a grouping (or NULL), whose unknowns also share their scale; solvers that compute
 * their own order ignore it. Rows with local[k] (n, or NULL) are eliminated first if possible
 * (local_rows.h). Condition estimates are then those of the remaining matrix. If that is singular
 * to working precision, or cannot be formed, the whole matrix is factored, and a culprit is one of
 * its columns.
 */
bxt_status bxt_linsol_create_local(const bxt_linsol_kind *kind, const bxt_sparse *pattern,
				   const bxt_grouping *grouping, const bool *local,
				   bxt_linsol **out);
/*
 * Factors values (nnz). The first call, and any after a failed one, chooses scales and pivots;
 * later ones reuse them without allocating while the condition estimate allows it. Values that are
 * not finite: BXT_ERR_NOT_FINITE. Other errors and *culprit as in the table; culprit may be NULL.
 */
bxt_status bxt_linsol_factor(bxt_linsol *s, const double *values, int *culprit);
/* b (n) is replaced by the solution. BXT_ERR_ARGUMENT without factors. */
bxt_status bxt_linsol_solve(bxt_linsol *s, double *b);
/* Compiles solves to native code (solver/lu_code.h) if the solver can. */
void bxt_linsol_use_code(bxt_linsol *s);
double bxt_linsol_rcond(bxt_linsol *s);
void bxt_linsol_counts(const bxt_linsol *s, size_t *factor_entries, long *full, long *reused);
/* Multiplications of a factorisation with the pivots in use, and of one solve; 0: not known. */
void bxt_linsol_work(bxt_linsol *s, double *factor, double *solve);
bxt_linsol *bxt_linsol_free(bxt_linsol *s);

#endif
