/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Operations as C text; the compiled code is faster than an interpreter of the operations. It
 * carries out the same operations in the same order, so the bits are the same. Numbers are kept in
 * a table, not in the text: models that differ in numbers alone have the same text.
 */
#ifndef BXT_EXPR_CODE_H
#define BXT_EXPR_CODE_H

#include "ground/base/text.h"
#include "ground/expr/curve.h"
#include "ground/expr/fused_tape.h"

/* The library functions that the code calls, as its text declares them. */
typedef struct bxt_code_host {
	void (*sincos)(double angle, double *sine, double *cosine);
	double (*chord)(double code, double a, double b, double exponent);
	double (*curve)(const void *curve, int use, double a, double b);
} bxt_code_host;

/* The argument `z` of every function of the code. */
typedef struct bxt_code_tables {
	const double *number;
	const void *const *curve;
	const bxt_code_host *host;
} bxt_code_tables;

/* A text under construction, and its tables. Zero-initialise. */
typedef struct bxt_code {
	bxt_buffer text;
	double *number;
	const void **curve;
	size_t n_numbers, n_curves, numbers_capacity, curves_capacity;
	bool failed; /* out of memory */
} bxt_code;

void bxt_code_free(bxt_code *code);
/* The declarations at the beginning of every text. */
void bxt_code_begin(bxt_code *code);
/* Valid as long as the code. */
bxt_code_tables bxt_code_get_tables(const bxt_code *code);
/* Appends the number to the table; returns its index. */
size_t bxt_code_number(bxt_code *code, double value);

/*
 * Writes the operations of a fused tape as the beginning of a function's body. The function has
 * `s`, an array of sources (bxt_fused_tape_input), and `z`. bxt_code_name_value writes the name of
 * the value with index i in the tape's work.
 */
typedef struct bxt_code_values {
	int *number; /* (values) index in the table of numbers, -1: it is a variable */
} bxt_code_values;
bxt_status bxt_code_write_tape(bxt_code *code, const bxt_fused_tape *tape, bxt_code_values *values);
void bxt_code_name_value(bxt_code *code, const bxt_code_values *values, int i);
void bxt_code_values_free(bxt_code_values *values);

#endif
