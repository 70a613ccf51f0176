/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Modes: the finite eigenvalues of s E - A. A few modes of many states are found by shift and
 * invert (near.h). Otherwise the infinite eigenvalues are removed first (deflate.h), and LAPACK's
 * dggevx computes the others with the condition 1/c of each. Round-off moves an eigenvalue mu of
 * the pencil mu B - A by about
 *
 *     eps |(A, B)| / c (1 + |mu|^2) ,
 *
 * which is the chordal distance eps |(A, B)| / c (LAPACK Users' Guide, 4.11) as a distance of mu.
 * Time is scaled so that A and B have equal norms.
 */
#include "ground/base/vector.h"
#include "ground/solver/arnoldi.h"
#include "ground/sparse/lapack.h"
#include "study/linear/deflate.h"
#include "study/linear/energy.h"
#include "study/linear/near.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Largest number of unknowns with rates. Constraints may reduce three times as many of these to
 * MOST_DENSE states.
 */
enum { MOST_DENSE = BXT_LINEAR_MOST_DENSE, MOST_RATES = 3 * MOST_DENSE };
/*
 * With fewer states than these, or than this number for each mode that is requested, the dense
 * solver takes negligible time.
 */
enum { FEW_STATES = 200, STATES_OF_EACH = 8 };
enum { DEFAULT_COUNT = 10 };

/* The dense problem. */
struct dense {
	int n;
	double *a, *b;                      /* (n, n) by columns */
	double *re, *im, *beta, *condition; /* (n) */
	double *left, *right;               /* (n, n) */
	double rate;                        /* [s-1] eigenvalues are this times mu */
	double norm;
};

static double norm_of(const bxt_sparse *a)
{
	double sum = 0;
	for (int k = 0; k < bxt_sparse_nnz(a); k++)
		sum = hypot(sum, a->values[k]);
	return sum;
}

static bxt_status solve_dense(bxt_arena *arena, struct dense *p)
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

/*
 * Clears entries that are round-off of zeros in products: entries far below the largest of both
 * their row and their column, in either matrix. They must be cleared because balancing uses
 * logarithms, for which 1e-32 weighs as much as 1e32. E and A were scaled together, and rates below
 * 1e-17 rad/s count as 0. largest (2 n).
 */
static void clear_round_off(double *const of[2], int n, double *largest)
{
	static const double NOTHING = DBL_EPSILON / 16; /* negligible perturbation */
	double *row = largest, *column = largest + n;
	for (int m = 0; m < 2; m++)
		for (int j = 0; j < n; j++)
			for (int i = 0; i < n; i++) {
				const double size = fabs(of[m][i + (size_t)j * (size_t)n]);
				row[i] = fmax(row[i], size);
				column[j] = fmax(column[j], size);
			}
	for (int m = 0; m < 2; m++)
		for (int j = 0; j < n; j++)
			for (int i = 0; i < n; i++) {
				double *entry = &of[m][i + (size_t)j * (size_t)n];
				if (fabs(*entry) <= NOTHING * fmin(row[i], column[j]))
					*entry = 0;
			}
}

static bxt_status find_eigenvalues(bxt_arena *arena, const bxt_deflated *d, struct dense *p)
{
	const size_t n = (size_t)d->e.ncol, all = n * n;
	double **of[] = {&p->a, &p->b, &p->left, &p->right};
	double **vector[] = {&p->re, &p->im, &p->beta, &p->condition};
	double *largest = BXT_NEW(arena, double, 2 * n);
	p->n = d->e.ncol;
	if (!largest)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < 4; k++)
		if (!(*of[k] = BXT_NEW(arena, double, all)) ||
		    !(*vector[k] = BXT_NEW(arena, double, n)))
			return BXT_ERR_MEMORY;
	const double ratio = norm_of(&d->a) / norm_of(&d->e);
	int exponent = 0;
	if (ratio > 0)
		frexp(ratio, &exponent);
	p->rate = ldexp(1, exponent);
	bxt_sparse_spread(&d->a, 1, p->a);
	bxt_sparse_spread(&d->e, 1, p->b);
	clear_round_off((double *const[]){p->a, p->b}, p->n, largest);
	for (size_t k = 0; k < all; k++)
		p->b[k] *= p->rate; /* a power of two */
	return solve_dense(arena, p);
}

/* ---- Properties of a mode ---- */

static int by_size(const void *a, const void *b)
{
	const bxt_linear_mode *x = a, *y = b;
	const double one = hypot(x->re, x->im), other = hypot(y->re, y->im);
	if (one != other)
		return one < other ? -1 : 1;
	return x->re != y->re ? (x->re < y->re ? -1 : 1) : (x->im > y->im) - (x->im < y->im);
}

/* The other columns of s. */
static void complete(bxt_linear_mode *m)
{
	if (hypot(m->re, m->im) <= m->error)
		m->re = m->im = 0;
	if (fabs(m->im) <= m->error)
		m->im = 0;
	if (fabs(m->re) <= m->error && m->im != 0)
		m->re = 0; /* the damping is round-off */
	m->frequency = m->im / BXT_TURN;
	m->damping = m->re == 0 && m->im == 0 ? NAN : -m->re / hypot(m->re, m->im);
	if (m->damping == 0)
		m->damping = 0; /* not -0 */
}

static bxt_linear_mode mode_of(const struct dense *p, int k)
{
	bxt_linear_mode m = {.size = sizeof m, .part = "", .residual = NAN};
	const double re = p->re[k] / p->beta[k], im = p->im[k] / p->beta[k];
	const double chord = DBL_EPSILON * p->norm / p->condition[k];
	m.error = p->rate * chord * (1 + re * re + im * im);
	m.re = p->rate * re;
	m.im = p->rate * im;
	complete(&m);
	return m;
}

/* The element with most of the energy of amplitudes z, re and im (2 n_z). */
static bxt_status find_part(const bxt_linear *l, const double *z, bxt_linear_energy *energy,
			    bxt_linear_mode *m)
{
	bxt_buffer path = {0};
	const int element = bxt_linear_energy_most(energy, z, z + l->n_z, &m->share);
	if (element >= 0) {
		const bxt_element *e = &l->s->net->elements[element];
		m->part = bxt_arena_strdup(l->arena,
					   bxt_network_path(l->s->net, e->primitive, e->id, &path));
	}
	const bool failed = path.failed || !m->part;
	bxt_buffer_free(&path);
	return failed ? BXT_ERR_MEMORY : BXT_OK;
}

/* The same of eigenvector k of the dense problem. */
static bxt_status find_dense_part(const bxt_linear *l, const bxt_deflated *d, const struct dense *p,
				  int k, bxt_linear_energy *energy, bxt_linear_mode *m)
{
	const size_t n = (size_t)p->n, n_z = (size_t)l->n_z;
	double *z = calloc(2 * n_z + 1, sizeof *z);
	if (!z)
		return BXT_ERR_MEMORY;
	/* of a pair the columns are re and im */
	const bool lower = p->im[k] < 0;
	bxt_sparse_multiply(&d->z, 1, p->right + n * (size_t)(lower ? k - 1 : k), z);
	if (p->im[k] != 0)
		bxt_sparse_multiply(&d->z, 1, p->right + n * (size_t)(lower ? k : k + 1), z + n_z);
	const bxt_status status = find_part(l, z, energy, m);
	free(z);
	return status;
}

/* ---- All modes ---- */

static bxt_status list(bxt_linear *l, bxt_arena *arena, const bxt_deflated *d,
		       const struct dense *p)
{
	bxt_linear_energy *energy;
	l->modes.mode = BXT_NEW(l->arena, bxt_linear_mode, (size_t)p->n);
	if (!l->modes.mode)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_linear_energy_new(l, arena, &energy));
	for (int k = 0; k < p->n; k++) {
		if (p->beta[k] == 0)
			continue;
		bxt_linear_mode *m = &l->modes.mode[l->modes.n];
		*m = mode_of(p, k);
		if (m->im < 0) /* both modes of a pair that round-off does not separate from 0 */
			continue;
		l->modes.n++;
		BXT_TRY(find_dense_part(l, d, p, k, energy, m));
	}
	return BXT_OK;
}

static bxt_status tell_singular(bxt_status status, bxt_diagnostics *d)
{
	if (status == BXT_ERR_SINGULAR)
		bxt_error(
			d, BXT_NOWHERE,
			"the model has no modes: its small motions are not determined, s E - A is "
			"singular for every s");
	else if (status == BXT_ERR_NEWTON)
		bxt_error(d, BXT_NOWHERE, "the iteration for eigenvalues did not converge");
	return status;
}

/*
 * *states: the number of states, or of unknowns with rates. If it is too large for the dense
 * solver, the function ends there with BXT_ERR_ARGUMENT.
 */
static bxt_status find_all(bxt_linear *l, bxt_arena *arena, int *states, bxt_diagnostics *d)
{
	bxt_deflated deflated;
	struct dense dense = {0};
	const bxt_status status =
		bxt_deflate(arena, &l->matrix[BXT_LINEAR_E], &l->matrix[BXT_LINEAR_A], MOST_RATES,
			    states, &deflated);
	if (status == BXT_OK)
		*states = deflated.e.ncol;
	if (status == BXT_OK && *states > MOST_DENSE)
		return BXT_ERR_ARGUMENT;
	if (status == BXT_ERR_ARGUMENT)
		return status;
	BXT_TRY(tell_singular(status, d));
	if (deflated.e.ncol == 0)
		return BXT_OK;
	BXT_TRY(tell_singular(find_eigenvalues(arena, &deflated, &dense), d));
	return list(l, arena, &deflated, &dense);
}

/* ---- Some modes ---- */

/* A mode with its distance from the point of the search. */
struct candidate {
	double distance;
	bxt_linear_mode mode;
};

static int by_distance(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	return by_size(&x->mode, &y->mode);
}

/* Keeps the `count` modes next to 2 pi i near. */
static bxt_status keep_nearest(bxt_linear *l, size_t count, double near)
{
	if (l->modes.n <= count)
		return BXT_OK;
	struct candidate *of = malloc(l->modes.n * sizeof *of);
	if (!of)
		return BXT_ERR_MEMORY;
	for (size_t k = 0; k < l->modes.n; k++)
		of[k] = (struct candidate){
			hypot(l->modes.mode[k].re, l->modes.mode[k].im - BXT_TURN * near),
			l->modes.mode[k]};
	qsort(of, l->modes.n, sizeof *of, by_distance);
	for (size_t k = 0; k < count; k++)
		l->modes.mode[k] = of[k].mode;
	l->modes.n = count;
	free(of);
	return BXT_OK;
}

static void tell_search(const bxt_linear *l, const bxt_near *found, int states, size_t count,
			double near, bxt_diagnostics *d)
{
	double worst = 0, farthest = 0;
	for (int k = 0; k < found->n; k++)
		worst = fmax(worst, found->mode[k].residual);
	for (size_t k = 0; k < l->modes.n; k++)
		farthest = fmax(farthest,
				hypot(l->modes.mode[k].re, l->modes.mode[k].im - BXT_TURN * near));
	bxt_note(d, BXT_NOWHERE,
		 "the %zu modes next to %.9g Hz of a model with %d unknowns that have a rate, by "
		 "shift and invert; the largest residual is %.1e",
		 l->modes.n, near, states, worst);
	if (found->missing > 0 || !found->complete)
		bxt_warning(d, BXT_NOWHERE,
			    "the iteration for eigenvalues ended before all of them had converged: "
			    "modes within %.6g s-1 of s = 2 pi i %.9g Hz may be missing",
			    farthest, near);
	if (found->failed > 0 && found->lost <= farthest)
		bxt_warning(
			d, BXT_NOWHERE,
			"modes are missing among these: %d values did not come again from "
			"shifts of their own, the nearest %.6g s-1 from s = 2 pi i %.9g Hz, and "
			"are left out",
			found->failed, found->lost, near);
	else if (l->modes.n < count)
		bxt_warning(d, BXT_NOWHERE,
			    "%zu of %zu modes are found: values beyond %.6g s-1 from s = 2 pi i "
			    "%.9g Hz are not told from infinite eigenvalues; --near looks there",
			    l->modes.n, count, farthest, near);
	else if (farthest > found->within)
		bxt_warning(d, BXT_NOWHERE,
			    "beyond %.6g s-1 from s = 2 pi i %.9g Hz modes may be missing",
			    found->within, near);
}

/* By shift and invert. */
static bxt_status find_near(bxt_linear *l, bxt_arena *arena, size_t count, double near,
			    bxt_diagnostics *d)
{
	bxt_near found;
	bxt_linear_energy *energy;
	int states = 0;
	const bxt_sparse *e = &l->matrix[BXT_LINEAR_E];
	for (int j = 0; j < e->ncol; j++)
		states += e->colptr[j + 1] > e->colptr[j];
	const bxt_status status =
		bxt_near_find(arena, e, &l->matrix[BXT_LINEAR_A], (int)count, near, &found);
	if (status == BXT_ERR_NEWTON && hypot(found.first[0], found.first[1]) > 0) {
		bxt_error(d, BXT_NOWHERE,
			  "no mode converged next to %.9g Hz: those next to it lie close together "
			  "about %.6g%+.6gi s-1; --near looks there (%.6g Hz)",
			  near, found.first[0], fabs(found.first[1]),
			  fabs(found.first[1]) / BXT_TURN);
		return status;
	}
	BXT_TRY(tell_singular(status, d));
	l->modes.mode = BXT_NEW(l->arena, bxt_linear_mode, (size_t)found.n);
	if (!l->modes.mode)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_linear_energy_new(l, arena, &energy));
	for (int k = 0; k < found.n; k++) {
		const bxt_near_mode *from = &found.mode[k];
		bxt_linear_mode *m = &l->modes.mode[l->modes.n++];
		*m = (bxt_linear_mode){.size = sizeof *m,
				       .re = from->s[0],
				       .im = from->s[1],
				       .error = from->error,
				       .part = "",
				       .residual = from->residual};
		complete(m);
		BXT_TRY(find_part(l, from->z, energy, m));
	}
	BXT_TRY(keep_nearest(l, count, near));
	tell_search(l, &found, states, count, near, d);
	return BXT_OK;
}

/* ---- Choice of the method ---- */

static bxt_status refuse_size(int states, bxt_diagnostics *d)
{
	bxt_error(d, BXT_NOWHERE,
		  "the model has %d states: all modes are found of at most %d, and those next to a "
		  "frequency with ARPACK, which this build of boxtimes has not (Debian package "
		  "libarpack2-dev); or reduce parts of the model first (boxtimes reduce)",
		  states, MOST_DENSE);
	return BXT_ERR_MODEL;
}

static bxt_status make_modes(bxt_linear *l, bxt_arena *arena, const bxt_linear_modes_def *def,
			     bxt_diagnostics *d)
{
	const bxt_sparse *e = &l->matrix[BXT_LINEAR_E];
	size_t rates = 0;
	for (int j = 0; j < e->ncol; j++)
		rates += e->colptr[j + 1] > e->colptr[j];
	const bool some = def->count > 0 || def->near > 0;
	const size_t count = def->count > 0 ? def->count : DEFAULT_COUNT;
	if (some && bxt_arnoldi_available && rates > FEW_STATES && count <= rates / STATES_OF_EACH)
		return find_near(l, arena, count, def->near, d);
	int states;
	const bxt_status status = find_all(l, arena, &states, d);
	if (status == BXT_OK)
		return some ? keep_nearest(l, count, def->near) : BXT_OK;
	if (status != BXT_ERR_ARGUMENT)
		return status;
	if (!bxt_arnoldi_available)
		return refuse_size(states, d);
	if (count > rates / STATES_OF_EACH) {
		bxt_error(d, BXT_NOWHERE,
			  "the model has %d states: all modes are found of at most %d, and of "
			  "larger models at most an eighth of them, %zu",
			  states, MOST_DENSE, rates / STATES_OF_EACH);
		return BXT_ERR_MODEL;
	}
	return find_near(l, arena, count, def->near, d);
}

void bxt_default_linear_modes_def(bxt_linear_modes_def *def)
{
	if (def)
		*def = (bxt_linear_modes_def){.size = sizeof *def};
}

bxt_status bxt_linear_modes_near(bxt_linear *l, const bxt_linear_modes_def *given,
				 const bxt_linear_mode **out, size_t *n, bxt_diagnostics *d)
{
	bxt_linear_modes_def def;
	BXT_NEEDS(d, l);
	BXT_NEEDS(d, out);
	BXT_NEEDS(d, n);
	*out = NULL;
	*n = 0;
	bxt_default_linear_modes_def(&def);
	if (given)
		BXT_TRY(bxt_take_sized(given, &def, sizeof def, "bxt_linear_modes_def", d));
	if (!isfinite(def.near) || def.near < 0 || def.count > INT_MAX / 4) {
		bxt_error(d, BXT_NOWHERE, "%zu modes next to %g Hz: none are there", def.count,
			  def.near);
		return BXT_ERR_ARGUMENT;
	}
	BXT_TRY(bxt_linear_refuse_delays(l, "an eigenvalue problem", d));
	if (!l->modes.known || def.count != l->modes.def.count || def.near != l->modes.def.near) {
		bxt_arena *arena = bxt_arena_new();
		l->modes.n = 0;
		l->modes.known = false;
		const bxt_status status = arena ? make_modes(l, arena, &def, d) : BXT_ERR_MEMORY;
		bxt_arena_free(arena);
		BXT_TRY(status);
		l->modes.known = true;
		l->modes.def = def;
		if (l->modes.n > 0)
			qsort(l->modes.mode, l->modes.n, sizeof *l->modes.mode, by_size);
	}
	*out = l->modes.mode;
	*n = l->modes.n;
	return BXT_OK;
}

bxt_status bxt_linear_modes(bxt_linear *l, const bxt_linear_mode **out, size_t *n,
			    bxt_diagnostics *d)
{
	return bxt_linear_modes_near(l, NULL, out, n, d);
}
