/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of native code (native.h), and the writer of their text (native_text.c). */
#ifndef BXT_SYSTEM_NATIVE_INTERNAL_H
#define BXT_SYSTEM_NATIVE_INTERNAL_H

#include "ground/base/shared_object.h"
#include "ground/expr/code.h"
#include "model/system/evaluate.h"
#include "model/system/native.h"

/* s: sources (system/fused.h); w: weights by role and term, one array after the other. */
typedef void bxt_native_residual(const bxt_code_tables *z, const double *const *s, const double *w,
				 double *r, double *r_abs, double *p, double *p_abs);
typedef void bxt_native_jacobian(const bxt_code_tables *z, const double *const *s, int n,
				 const double *w, double *const *values);
typedef void bxt_native_sums(const bxt_code_tables *z, const double *const *s, const double *w,
			     double *const *to);
typedef void bxt_native_rows(const bxt_code_tables *z, const double *w, const double *x, double *r,
			     double *r_abs);
typedef void bxt_native_signals(const bxt_code_tables *z, const double *const *s, double *signal);

/* The code of an output set; unused functions are NULL. */
typedef struct bxt_native_set {
	bxt_native_residual *residual; /* where p and r are one array */
	bxt_native_residual *apart;    /* where they are two */
	bxt_native_jacobian *jacobian;
	bxt_native_sums *sums;
	uint32_t terms; /* bxt_fused */
} bxt_native_set;

struct bxt_native {
	bxt_code code; /* its tables */
	bxt_code_tables tables;
	bxt_shared_object *object;
	bxt_native_set set[BXT_SET_COUNT];
	bxt_native_rows *rows;       /* of constant A; NULL: none */
	bxt_native_signals *signals; /* of the expressions of time; NULL: none */
	/* the code calls them through these; NULL if there are none */
	void (*run_rows)(bxt_evaluator *e, bxt_point at, const bxt_weights *w, double *r,
			 double *r_abs);
	void (*run_signals)(bxt_evaluator *e);
	int n; /* output sets */
	bool has[BXT_SET_COUNT];
};

/* Writes all functions; has, terms. */
bxt_status bxt_native_write(const bxt_system *s, bxt_native *native);

#endif
