/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Proper orthogonal decomposition. Of the snapshots X = U S W^T in energy coordinates the first
 * columns of U lose least of the sum of the snapshots' energies. The loss is the sum of squares of
 * the other singular values (Sirovich, Quart. Appl. Math. 45, 1987).
 */
#include "study/reduce/methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Singular values below this fraction of the largest are round-off of the run that gave the
 * snapshots.
 */
static const double NOISE = 1e-13;

/* The smallest number of modes whose relative loss is within the tolerance. */
static int count_modes(const bxt_method_def *def, const double *s, int n)
{
	double all = 0, lost = 0;
	int r = n;
	if (def->modes)
		return def->modes;
	for (int i = 0; i < n; i++)
		all += s[i] * s[i];
	while (r > 1 && sqrt(lost + s[r - 1] * s[r - 1]) <= def->tolerance * sqrt(all)) {
		lost += s[r - 1] * s[r - 1];
		r--;
	}
	return r;
}

static bxt_status check_rank(const bxt_part_model *p, const bxt_method_def *def, const double *s,
			     int n, bxt_diagnostics *d)
{
	int rank = 0;
	while (rank < n && s[rank] > NOISE * s[0])
		rank++;
	if (def->modes <= rank && rank > 0)
		return BXT_OK;
	bxt_error(d, p->place,
		  "%s%s%s%d modes are asked for, and the snapshots (%d) have %d independent "
		  "ones: ask for fewer, or record a run that moves more",
		  *p->path ? "part '" : "", p->path, *p->path ? "': " : "", def->modes,
		  def->snapshots->r, rank);
	return BXT_ERR_MODEL;
}

/* The rows of R that are in use, stored without gaps. */
static double *squeeze(const double *coefficients, int rank, int columns)
{
	double *a = malloc(((size_t)rank * (size_t)columns + 1) * sizeof *a);
	for (int j = 0; a && j < columns; j++)
		memcpy(a + (size_t)j * (size_t)rank, coefficients + (size_t)j * (size_t)columns,
		       (size_t)rank * sizeof *a);
	return a;
}

static bxt_status copy_basis(const bxt_basis *from, bxt_basis *to)
{
	bxt_status status = BXT_OK;
	for (int j = 0; j < from->r && status == BXT_OK; j++) {
		double *v, *q;
		status = bxt_basis_add(to, from->n, &v, &q);
		if (status != BXT_OK)
			break;
		memcpy(v, bxt_basis_v(from, j), (size_t)from->n * sizeof *v);
		memcpy(q, bxt_basis_q(from, j), (size_t)from->n * sizeof *q);
	}
	return status;
}

static bxt_status find_pod(const bxt_part_model *p, bxt_algebra *algebra, const bxt_method_def *def,
			   bxt_diagnostics *d, bxt_basis *out, bxt_method_result *result)
{
	const int columns = def->snapshots->r;
	const size_t all = (size_t)columns * (size_t)columns + 1;
	double *coefficients = calloc(all, sizeof *coefficients), *a = NULL, *u = NULL;
	bxt_status status = coefficients ? copy_basis(def->snapshots, out) : BXT_ERR_MEMORY;
	for (int j = 0; j < out->r && algebra; j++)
		bxt_algebra_close_ports(algebra, bxt_basis_v(out, j));
	if (status == BXT_OK)
		status = bxt_basis_orthonormalise(p, out, coefficients, d);
	const int rank = out->r;
	if (status == BXT_OK) {
		a = squeeze(coefficients, rank, columns);
		u = malloc(((size_t)rank * (size_t)rank + 1) * sizeof *u);
		result->values = calloc((size_t)rank + 1, sizeof *result->values);
		result->n_values = rank;
		status = a && u && result->values
				 ? bxt_singular_values(rank, columns, a, result->values, u)
				 : BXT_ERR_MEMORY;
	}
	if (status == BXT_OK)
		status = check_rank(p, def, result->values, rank, d);
	if (status == BXT_OK)
		status = bxt_basis_combine(out, u, count_modes(def, result->values, rank));
	free(coefficients);
	free(a);
	free(u);
	return status;
}

const bxt_method bxt_method_pod = {
	.name = "pod",
	.doc = "proper orthogonal decomposition of the states of a run",
	.needs_snapshots = true,
	.allows_tolerance = true,
	.find = find_pod,
};
