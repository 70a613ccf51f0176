/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Modes: the finite eigenvalues of s E - A. What is infinite is taken out first (deflate.h), then
 * LAPACK's dggevx finds the rest with the condition 1/c of each. Round-off moves an eigenvalue mu
 * of the pencil mu B - A by about
 *
 *     eps |(A, B)| / c (1 + |mu|^2) ,
 *
 * the chordal distance eps |(A, B)| / c (LAPACK Users' Guide, 4.11) as one of mu. Time is measured
 * so that A and B have equal norms.
 */
#include "linear/deflate.h"
#include "linear/energy.h"
#include "sparse/lapack.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Dense eigenvalues take 66 n^3 operations, which are minutes of 2,000. Constraints may leave so
 * many of thrice as many unknowns with rates. */
enum { MOST_DENSE = 2000, MOST_RATES = 3 * MOST_DENSE };
static const double TURN = 6.283185307179586; /* [rad] */

/* The dense problem. */
struct dense {
	int n;
	double *a, *b;                      /* (n, n) by columns */
	double *re, *im, *beta, *condition; /* (n) */
	double *left, *right;               /* (n, n) */
	double rate;                        /* [s-1] eigenvalues are this times mu */
	double norm;
};

static void spread_out(const bxt_sparse *from, double factor, double *to)
{
	for (int j = 0; j < from->ncol; j++)
		for (int k = from->colptr[j]; k < from->colptr[j + 1]; k++)
			to[(size_t)j * (size_t)from->nrow + (size_t)from->rowind[k]] =
				factor * from->values[k];
}

static double norm_of(const bxt_sparse *a)
{
	double sum = 0;
	for (int k = 0; k < bxt_sparse_nnz(a); k++)
		sum = hypot(sum, a->values[k]);
	return sum;
}

static bxt_status solve(bxt_arena *arena, struct dense *p)
{
	const int n = p->n;
	const size_t size = (size_t)n;
	int ilo, ihi, info = 0, lwork = -1;
	double abnrm, bbnrm, want = 1, nothing;
	double *scales = BXT_NEW(arena, double, 2 * size);
	int *iwork = BXT_NEW(arena, int, size + 6), *bwork = BXT_NEW(arena, int, size);
	double *work = &want;
	if (!scales || !iwork || !bwork)
		return BXT_ERR_MEMORY;
	for (int pass = 0; pass < 2; pass++) {
		dggevx_("B", "V", "V", "E", &n, p->a, &n, p->b, &n, p->re, p->im, p->beta, p->left,
			&n, p->right, &n, &ilo, &ihi, scales, scales + n, &abnrm, &bbnrm,
			p->condition, &nothing, work, &lwork, iwork, bwork, &info, 1, 1, 1, 1);
		if (pass == 0) {
			lwork = (int)want;
			if (!(work = BXT_NEW(arena, double, (size_t)lwork)))
				return BXT_ERR_MEMORY;
		}
	}
	p->norm = hypot(abnrm, bbnrm);
	return info == 0 ? BXT_OK : BXT_ERR_NEWTON;
}

static bxt_status find_eigenvalues(bxt_arena *arena, const bxt_deflated *d, struct dense *p)
{
	const size_t n = (size_t)d->e.ncol, all = n * n;
	double **of[] = {&p->a, &p->b, &p->left, &p->right};
	double **vector[] = {&p->re, &p->im, &p->beta, &p->condition};
	p->n = d->e.ncol;
	for (int k = 0; k < 4; k++)
		if (!(*of[k] = BXT_NEW(arena, double, all)) ||
		    !(*vector[k] = BXT_NEW(arena, double, n)))
			return BXT_ERR_MEMORY;
	const double ratio = norm_of(&d->a) / norm_of(&d->e);
	int exponent = 0;
	if (ratio > 0)
		frexp(ratio, &exponent);
	p->rate = ldexp(1, exponent);
	spread_out(&d->a, 1, p->a);
	spread_out(&d->e, p->rate, p->b);
	return solve(arena, p);
}

/* ---- What is told of them ---- */

static int by_size(const void *a, const void *b)
{
	const bxt_linear_mode *x = a, *y = b;
	const double one = hypot(x->re, x->im), other = hypot(y->re, y->im);
	if (one != other)
		return one < other ? -1 : 1;
	return x->re != y->re ? (x->re < y->re ? -1 : 1) : (x->im > y->im) - (x->im < y->im);
}

static bxt_linear_mode mode_of(const struct dense *p, int k)
{
	bxt_linear_mode m = {.size = sizeof m, .part = ""};
	const double re = p->re[k] / p->beta[k], im = p->im[k] / p->beta[k];
	const double chord = DBL_EPSILON * p->norm / p->condition[k];
	m.error = p->rate * chord * (1 + re * re + im * im);
	m.re = p->rate * re;
	m.im = p->rate * im;
	if (hypot(m.re, m.im) <= m.error)
		m.re = m.im = 0;
	if (fabs(m.re) <= m.error && m.im != 0)
		m.re = 0; /* no damping that is told from none */
	m.frequency = m.im / TURN;
	m.damping = m.re == 0 && m.im == 0 ? NAN : -m.re / hypot(m.re, m.im);
	if (m.damping == 0)
		m.damping = 0; /* not -0 */
	return m;
}

/* The element with most of the energy of eigenvector k. */
static bxt_status find_part(const bxt_linear *l, const bxt_deflated *d, const struct dense *p,
			    int k, bxt_linear_energy *energy, bxt_linear_mode *m)
{
	const size_t n = (size_t)p->n, n_z = (size_t)l->n_z;
	const bool complex = p->im[k] != 0;
	double *z = calloc(2 * n_z + 1, sizeof *z);
	bxt_buffer path = {0};
	if (!z)
		return BXT_ERR_MEMORY;
	bxt_sparse_multiply(&d->z, 1, p->right + n * (size_t)k, z);
	if (complex)
		bxt_sparse_multiply(&d->z, 1, p->right + n * (size_t)(k + 1), z + n_z);
	const int element = bxt_linear_energy_most(energy, z, z + n_z, &m->share);
	if (element >= 0) {
		const bxt_element *e = &l->s->net->elements[element];
		m->part = bxt_arena_strdup(l->arena,
					   bxt_network_path(l->s->net, e->primitive, e->id, &path));
	}
	const bool failed = path.failed || !m->part;
	bxt_buffer_free(&path);
	free(z);
	return failed ? BXT_ERR_MEMORY : BXT_OK;
}

static bxt_status list(bxt_linear *l, bxt_arena *arena, const bxt_deflated *d,
		       const struct dense *p)
{
	bxt_linear_energy *energy;
	l->mode = BXT_NEW(l->arena, bxt_linear_mode, (size_t)p->n);
	if (!l->mode)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_linear_energy_new(l, arena, &energy));
	for (int k = 0; k < p->n; k++) {
		if (p->im[k] < 0 || p->beta[k] == 0)
			continue;
		bxt_linear_mode *m = &l->mode[l->n_modes++];
		*m = mode_of(p, k);
		BXT_TRY(find_part(l, d, p, k, energy, m));
	}
	qsort(l->mode, l->n_modes, sizeof *l->mode, by_size);
	return BXT_OK;
}

static bxt_status make(bxt_linear *l, bxt_arena *arena, bxt_diagnostics *d)
{
	bxt_deflated deflated;
	struct dense dense = {0};
	int rates;
	bxt_status status = bxt_deflate(arena, &l->matrix[BXT_LINEAR_E], &l->matrix[BXT_LINEAR_A],
					MOST_RATES, &rates, &deflated);
	if (status == BXT_ERR_SINGULAR)
		bxt_error(
			d, BXT_NOWHERE,
			"the model has no modes: its small motions are not determined, s E - A is "
			"singular for every s");
	if (status == BXT_OK)
		rates = deflated.e.ncol;
	if (status == BXT_ERR_ARGUMENT || (status == BXT_OK && rates > MOST_DENSE)) {
		bxt_error(d, BXT_NOWHERE,
			  "the model has %d states: modes are found of at most %d; reduce parts of "
			  "it first (boxtimes reduce)",
			  rates, MOST_DENSE);
		return BXT_ERR_MODEL;
	}
	BXT_TRY(status);
	if (deflated.e.ncol == 0)
		return BXT_OK;
	status = find_eigenvalues(arena, &deflated, &dense);
	if (status == BXT_ERR_NEWTON)
		bxt_error(d, BXT_NOWHERE, "the iteration for eigenvalues did not converge");
	BXT_TRY(status);
	return list(l, arena, &deflated, &dense);
}

bxt_status bxt_linear_modes(bxt_linear *l, const bxt_linear_mode **out, size_t *n,
			    bxt_diagnostics *d)
{
	BXT_NEEDS(d, l);
	BXT_NEEDS(d, out);
	BXT_NEEDS(d, n);
	bxt_status status = bxt_linear_refuse_delays(l, "an eigenvalue problem", d);
	if (!l->has_modes && status == BXT_OK) {
		bxt_arena *arena = bxt_arena_new();
		l->n_modes = 0;
		status = arena ? make(l, arena, d) : BXT_ERR_MEMORY;
		bxt_arena_free(arena);
		l->has_modes = status == BXT_OK;
	}
	*out = status == BXT_OK ? l->mode : NULL;
	*n = status == BXT_OK ? l->n_modes : 0;
	return status;
}
