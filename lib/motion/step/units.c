/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/step/units.h"

#include <math.h>
#include <string.h>

enum { EQUILIBRATIONS = 6 };

/* Sets the scales u of flows without inertia, resistance and stiffness of their own: that of the
 * largest flow that a row joins with them. */
static void scale_by_rows(const bxt_stepper *st, double *largest, double *u)
{
	const bxt_sparse *a = &st->pattern;
	const double *values = st->newton.values;
	const int n = st->system->n, rows = st->n_x;
	memset(largest, 0, (size_t)rows * sizeof *largest);
	for (int known = 1; known >= 0; known--)
		for (int j = 0; j < n && j < rows; j++) {
			double scale = 0;
			for (int k = a->colptr[j]; k < a->colptr[j + 1] && (u[j] > 0) == known;
			     k++) {
				const int i = a->rowind[k];
				const double size = fabs(values[k]);
				if (i < n || size == 0 || !isfinite(size))
					continue;
				if (known)
					largest[i] = fmax(largest[i], size * u[j]);
				else
					scale = fmax(scale, largest[i] / size);
			}
			if (!known && u[j] <= 0)
				u[j] = -scale; /* not to be taken for a known one */
		}
	for (int j = 0; j < n; j++)
		u[j] = u[j] > 0 ? u[j] : u[j] < 0 ? -u[j] : 1;
}

/* The scales u of flows, from rows of momenta; 0 where these are empty. */
static void scale_by_energy(const bxt_stepper *st, double *largest, double *u)
{
	const bxt_sparse *a = &st->pattern;
	const double *values = st->newton.values;
	const int n = st->system->n < st->n_x ? st->system->n : st->n_x;
	for (int i = 0; i < st->system->n; i++)
		u[i] = i < n;
	for (int sweep = 0; sweep < EQUILIBRATIONS; sweep++) {
		memset(largest, 0, (size_t)n * sizeof *largest);
		for (int j = 0; j < n; j++)
			for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
				const int i = a->rowind[k];
				if (i >= n || !isfinite(values[k]))
					continue;
				const double size = fabs(values[k]) * u[i] * u[j];
				largest[i] = fmax(largest[i], size);
				largest[j] = fmax(largest[j], size);
			}
		for (int i = 0; i < n; i++)
			u[i] = largest[i] > 0 ? u[i] / sqrt(largest[i]) : 0;
	}
}

void bxt_state_units(const bxt_stepper *st, double h, double *scratch, double *unit)
{
	const int n = st->system->n;
	scale_by_energy(st, scratch, unit);
	scale_by_rows(st, scratch, unit);
	for (int i = 0; i < n; i++) {
		unit[n + i] = 1 / unit[i];
		unit[i] *= fabs(h);
	}
}
