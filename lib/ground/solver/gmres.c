/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/solver/gmres.h"

#include "ground/base/vector.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative size of the part of a new vector that is independent of those before, up to which the
 * space is exhausted: the rest is round-off of two projections. */
static const double ENDED = 100 * DBL_EPSILON;

/* The iteration stops if PATIENCE products leave more than the part STALLED of the residual. Then A
 * is singular and b is not in its range: further directions are round-off. */
enum { PATIENCE = 12 };
static const double STALLED = 0.98;

/* The space so far: v[k] orthonormal, column k of R in r[k] (k + 1), rotations c, s, and what they
 * make of the right side. */
struct space {
	double **v, **r, *c, *s, *right;
	int k;
};

/* Adds h (k + 2), column k of Hessenberg's matrix, to R and the right-hand side. */
static void rotate(struct space *p, double *h)
{
	const int k = p->k;
	for (int i = 0; i < k; i++) {
		const double t = p->c[i] * h[i] + p->s[i] * h[i + 1];
		h[i + 1] = -p->s[i] * h[i] + p->c[i] * h[i + 1];
		h[i] = t;
	}
	const double size = hypot(h[k], h[k + 1]);
	p->c[k] = size > 0 ? h[k] / size : 1;
	p->s[k] = size > 0 ? h[k + 1] / size : 0;
	h[k] = size;
	p->right[k + 1] = -p->s[k] * p->right[k];
	p->right[k] *= p->c[k];
	p->r[k] = h;
	p->k++;
}

/* One product; *ended: no vector is left that is independent of those before. */
static bxt_status extend(bxt_arena *arena, const bxt_gmres *g, struct space *p, bool *ended)
{
	const int k = p->k, n = g->n;
	double *h = BXT_NEW(arena, double, (size_t)k + 2);
	double *w = p->v[k + 1] = BXT_NEW(arena, double, (size_t)n);
	BXT_TRY(bxt_arena_status(arena));
	BXT_TRY(g->apply(g->context, p->v[k], w));
	const double before = bxt_norm(n, w);
	for (int round = 0; round < 2; round++) /* twice is sufficient (Kahan) */
		for (int i = 0; i <= k; i++) {
			const double along = bxt_dot(n, p->v[i], w);
			h[i] += along;
			bxt_add_scaled(n, -along, p->v[i], w);
		}
	const double size = bxt_norm(n, w);
	if (!isfinite(size))
		return BXT_ERR_NOT_FINITE;
	*ended = size <= ENDED * before;
	h[k + 1] = *ended ? 0 : size;
	for (int i = 0; i < n && !*ended; i++)
		w[i] /= size;
	rotate(p, h);
	return BXT_OK;
}

/* Is column k of R round-off in all directions, as when A is singular? */
static bool is_lost(const struct space *p, int k)
{
	return fabs(p->r[k][k]) <= ENDED * bxt_largest(k + 1, p->r[k]);
}

/* x from R y = right, without singular directions. */
static void combine(const struct space *p, int n, double *x)
{
	double *y = p->right;
	memset(x, 0, (size_t)n * sizeof *x);
	for (int k = p->k; k-- > 0;) {
		y[k] = is_lost(p, k) ? 0 : y[k] / p->r[k][k];
		for (int i = 0; i < k; i++)
			y[i] -= p->r[k][i] * y[k];
		bxt_add_scaled(n, y[k], p->v[k], x);
	}
}

bxt_status bxt_gmres_solve(bxt_arena *arena, const bxt_gmres *g, const double *b, double *x,
			   double *left)
{
	const size_t most = (size_t)(g->most < g->n ? g->most : g->n);
	const double size = bxt_norm(g->n, b);
	struct space p = {.v = BXT_NEW(arena, double *, most + 1),
			  .r = BXT_NEW(arena, double *, most + 1),
			  .c = BXT_NEW(arena, double, most + 1),
			  .s = BXT_NEW(arena, double, most + 1),
			  .right = BXT_NEW(arena, double, most + 2)};
	bool ended = false;
	memset(x, 0, (size_t)g->n * sizeof *x);
	*left = 0;
	BXT_TRY(bxt_arena_status(arena));
	if (!isfinite(size))
		return BXT_ERR_NOT_FINITE;
	if (size == 0)
		return BXT_OK;
	if (!(p.v[0] = BXT_NEW(arena, double, (size_t)g->n)))
		return BXT_ERR_MEMORY;
	bxt_add_scaled(g->n, 1 / size, b, p.v[0]);
	p.right[0] = size;
	*left = 1;
	double before = 1; /* residual at that time */
	while (*left > g->tolerance && !ended && (size_t)p.k < most) {
		if (p.k > 0 && p.k % PATIENCE == 0) {
			if (*left > STALLED * before)
				break;
			before = *left;
		}
		BXT_TRY(extend(arena, g, &p, &ended));
		*left = fabs(p.right[p.k - (ended && is_lost(&p, p.k - 1))]) / size;
	}
	combine(&p, g->n, x);
	return BXT_OK;
}
