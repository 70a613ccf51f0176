/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Methods that choose the states of a reduced part. Each fills a basis, best columns first. */
#ifndef BXT_REDUCE_METHODS_H
#define BXT_REDUCE_METHODS_H

#include "study/reduce/algebra.h"
#include "study/reduce/basis.h"

/* The input of a method. */
typedef struct bxt_method_def {
	int modes;                  /* 0: chosen by the tolerance */
	double tolerance;           /* fraction of the norm that may be lost; 0: modes is given */
	double low, high;           /* [s-1] the range of frequencies, 0 < low <= high */
	const bxt_basis *snapshots; /* NULL: there are none */
} bxt_method_def;

/* Further results of a method. */
typedef struct bxt_method_result {
	double *values; /* (n_values) singular values, descending; heap memory */
	int n_values;
	int iterations;
	bool stagnated; /* the iteration ended without convergence; the best basis so far is used */
} bxt_method_result;

/* A method: a row of the table. */
typedef struct bxt_method {
	const char *name, *doc;
	bool needs_snapshots;
	bool allows_tolerance;
	/* algebra NULL: no port takes a flow */
	bxt_status (*find)(const bxt_part_model *part, bxt_algebra *algebra,
			   const bxt_method_def *def, bxt_diagnostics *d, bxt_basis *out,
			   bxt_method_result *result);
} bxt_method;

extern const bxt_method bxt_method_pod, bxt_method_krylov, bxt_method_irka,
	bxt_method_craig_bampton;

#endif
