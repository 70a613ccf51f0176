/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/backward_error.h"

#include <math.h>
#include <stdlib.h>

double backward_error(const bxt_sparse *m, const double *x, const double *b)
{
	const int n = m->ncol;
	double *r = calloc(2 * (size_t)n, sizeof *r), *sizes = r + n, worst = 0, most = 0;
	for (int j = 0; j < n; j++)
		most = fmax(most, fabs(x[j]));
	for (int i = 0; i < n; i++) {
		r[i] = -b[i];
		sizes[i] = fabs(b[i]);
	}
	for (int j = 0; j < n; j++)
		for (int k = m->colptr[j]; k < m->colptr[j + 1]; k++) {
			r[m->rowind[k]] += m->values[k] * x[j];
			sizes[m->rowind[k]] += fabs(m->values[k]) * most;
		}
	for (int i = 0; i < n; i++)
		if (r[i] != 0)
			worst = fmax(worst, fabs(r[i]) / sizes[i]);
	free(r);
	return worst;
}
