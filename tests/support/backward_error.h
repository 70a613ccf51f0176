/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BACKWARD_ERROR_H
#define BACKWARD_ERROR_H

#include "ground/sparse/sparse.h"

/*
 * The backward error of a solution x of M x = b: max |M x - b| / (|M| max |x| + |b|) over the rows.
 */
double backward_error(const bxt_sparse *m, const double *x, const double *b);

#endif
