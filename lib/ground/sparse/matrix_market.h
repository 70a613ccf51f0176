/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads sparse matrices from Matrix Market files (Boisvert, Pozo and Remington, NISTIR 5935). */
#ifndef BXT_SPARSE_MATRIX_MARKET_H
#define BXT_SPARSE_MATRIX_MARKET_H

#include "ground/base/arena.h"

typedef struct bxt_market_matrix {
	int rows, cols, n;
	int *row, *col; /* (n) from 0; of symmetric and skew-symmetric files both triangles */
	double *value;  /* (n) */
} bxt_market_matrix;

/*
 * Reads a real or integer matrix, sparse or dense. Memory in the arena. BXT_ERR_IO: *why is the
 * cause, a static text.
 */
bxt_status bxt_matrix_market_read(bxt_arena *arena, const char *path, bxt_market_matrix *out,
				  const char **why);

#endif
