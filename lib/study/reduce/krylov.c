/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rational Krylov spaces. If V consists of the columns (s E - J + R)^-1 B and their moments, the
 * transfer function of the reduced part equals that of the part at the shifts s, and so do
 * derivatives of it:
 *
 *     krylov   moments at four real shifts over the range of frequencies
 *     irka     single columns (s_k E - J + R)^-1 B d_k at the mirrored eigenvalues s_k of the
 *              reduced part and the directions d_k of its residues, iterated (Gugercin, Polyuga,
 *              Beattie and van der Schaft, Automatica 48, 2012)
 */
#include "ground/base/vector.h"
#include "study/reduce/methods.h"
#include "study/reduce/reduced.h"
#include "study/reduce/shifted.h"

#include "ground/sparse/lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHIFTS = 4, MOST_ITERATIONS = 150, PATIENCE = 40 };
/* Fraction of the other inputs in the first directions: a single input may move nothing. */
static const double MIXED = 0.25;
/* Relative change of all shifts below which the iteration has converged. */
static const double CONVERGED = 1e-9;
/* Relative imaginary part of a shift up to which it is round-off of a real shift. */
static const double REAL = 1e-9;

/* n values from low to high, evenly spaced on a logarithmic scale. */
static double between(const bxt_method_def *def, int k, int n)
{
	return n == 1 ? sqrt(def->low * def->high)
		      : def->low * pow(def->high / def->low, (double)k / (n - 1));
}

static bxt_status too_few(const bxt_part_model *p, int modes, int rank, bxt_diagnostics *d)
{
	bxt_error(d, p->place,
		  "part '%s': %d modes are asked for, and its ports reach %d states: ask for fewer",
		  p->path, modes, rank);
	return BXT_ERR_MODEL;
}

/* ---- krylov ---- */

/*
 * Appends the next moment of each input at a shift: from column `from` on, or the first moment for
 * -1.
 */
static bxt_status add_moments(const bxt_part_model *p, bxt_shifted *s, int from, double *work,
			      bxt_basis *out)
{
	const size_t n = (size_t)p->n;
	for (int k = 0; k < bxt_part_inputs(p); k++) {
		double *u = work + 4 * n, *v, *q, energy;
		BXT_TRY(bxt_basis_add(out, p->n, &v, &q));
		if (from < 0) {
			memset(u, 0, (size_t)bxt_part_inputs(p) * sizeof *u);
			u[k] = 1;
			BXT_TRY(bxt_shifted_inputs(s, u, NULL, work, work + 2 * n));
			memcpy(v, work, n * sizeof *v);
			memcpy(q, work + 2 * n, n * sizeof *q);
		} else {
			memcpy(v, bxt_basis_v(out, from + k), n * sizeof *v);
			memcpy(q, bxt_basis_q(out, from + k), n * sizeof *q);
			BXT_TRY(bxt_shifted_again(s, v, q));
		}
		BXT_TRY(bxt_basis_energy(p, v, q, &energy));
		if (energy > 0)
			bxt_scale(p->n, 1 / sqrt(energy), v);
		bxt_scale(p->n, 1 / sqrt(energy), q);
	}
	return BXT_OK;
}

static bxt_status find_krylov(const bxt_part_model *p, bxt_algebra *algebra,
			      const bxt_method_def *def, bxt_diagnostics *d, bxt_basis *out,
			      bxt_method_result *result)
{
	const int inputs = bxt_part_inputs(p), each = SHIFTS * inputs;
	double *work = malloc((4 * (size_t)p->n + (size_t)inputs + 1) * sizeof *work);
	bxt_shifted *s[SHIFTS] = {NULL};
	bxt_status status = work ? BXT_OK : BXT_ERR_MEMORY;
	(void)result;
	for (int k = 0; k < SHIFTS && status == BXT_OK; k++)
		status = bxt_shifted_new(p, algebra, between(def, k, SHIFTS), 0, d, &s[k]);
	while (out->r < def->modes && each > 0 && status == BXT_OK)
		for (int k = 0; k < SHIFTS && status == BXT_OK; k++)
			status =
				add_moments(p, s[k], out->r < each ? -1 : out->r - each, work, out);
	if (status == BXT_OK)
		status = bxt_basis_orthonormalise(p, out, NULL, d);
	if (status == BXT_OK && out->r < def->modes)
		status = too_few(p, def->modes, out->r, d);
	if (status == BXT_OK)
		out->r = def->modes;
	for (int k = 0; k < SHIFTS; k++)
		bxt_shifted_free(s[k]);
	free(work);
	return status;
}

/* ---- irka ---- */

struct irka {
	const bxt_part_model *p;
	bxt_algebra *algebra;
	int r, inputs;
	double *re, *im;     /* (r) shifts; the one of a pair with im > 0 comes first */
	double *d_re, *d_im; /* (inputs x r) directions */
	double *old_re, *old_im;
	double *a, *vectors; /* (r x r) */
	double *b;    /* (r x inputs) of the states, including what the inputs cause at once */
	double *work; /* (4n) */
};

static bxt_status irka_columns(struct irka *k, bxt_basis *out, bxt_diagnostics *d)
{
	const size_t n = (size_t)k->p->n;
	bxt_basis_free(out);
	for (int i = 0; i < k->r; i++) {
		bxt_shifted *s;
		double *v, *q;
		const bool pair = k->im[i] != 0;
		const double *u = k->d_re + (size_t)i * (size_t)k->inputs;
		const double *w = k->d_im + (size_t)i * (size_t)k->inputs;
		BXT_TRY(bxt_shifted_new(k->p, k->algebra, k->re[i], k->im[i], d, &s));
		bxt_status status =
			bxt_shifted_inputs(s, u, pair ? w : NULL, k->work, k->work + 2 * n);
		bxt_shifted_free(s);
		for (int half = 0; half < (pair ? 2 : 1) && status == BXT_OK; half++) {
			status = bxt_basis_add(out, k->p->n, &v, &q);
			if (status == BXT_OK) {
				memcpy(v, k->work + (size_t)half * n, n * sizeof *v);
				memcpy(q, k->work + 2 * n + (size_t)half * n, n * sizeof *q);
			}
		}
		BXT_TRY(status);
		i += pair;
	}
	return BXT_OK;
}

/* to (rows of states x columns) += (J - R)_xw u, u (w x columns) */
static void add_flows(const bxt_reduced *m, const double *u, int columns, double *to)
{
	const size_t n = (size_t)m->n, r = (size_t)m->r, w = (size_t)m->w;
	for (size_t c = 0; c < (size_t)columns; c++)
		for (size_t i = 0; i < r; i++)
			for (size_t j = 0; j < w; j++) {
				const size_t at = i + n * (r + j);
				to[i + r * c] += (m->j[at] - m->loss[at]) * u[j + w * c];
			}
}

/* A = J - R and B of the states alone: those without energy obey 0 = A_wx x + A_ww w + B_w u. */
static bxt_status eliminate(struct irka *k, const bxt_reduced *m)
{
	const size_t n = (size_t)m->n, r = (size_t)m->r, w = (size_t)m->w;
	const int columns = m->r + k->inputs;
	double *loss = malloc((w * w + 1) * sizeof *loss);
	double *u = malloc((w * (size_t)columns + 1) * sizeof *u);
	int *pivot = malloc((w + 1) * sizeof *pivot), info = 0;
	bxt_status status = loss && u && pivot ? BXT_OK : BXT_ERR_MEMORY;
	for (size_t j = 0; j < n && status == BXT_OK; j++)
		for (size_t i = 0; i < n; i++) {
			const double a = m->j[i + n * j] - m->loss[i + n * j];
			if (i < r && j < r)
				k->a[i + r * j] = a;
			else if (i >= r && j < r)
				u[i - r + w * j] = a;
			else if (i >= r)
				loss[i - r + w * (j - r)] = -a;
		}
	for (size_t c = 0; c < (size_t)k->inputs && status == BXT_OK; c++) {
		memcpy(k->b + r * c, m->b + n * c, r * sizeof *k->b);
		memcpy(u + w * (r + c), m->b + n * c + r, w * sizeof *u);
	}
	if (status == BXT_OK && w > 0) {
		dgetrf_(&m->w, &m->w, loss, &m->w, pivot, &info);
		if (info == 0)
			dgetrs_("N", &m->w, &columns, loss, &m->w, pivot, u, &m->w, &info, 1);
		status = info ? BXT_ERR_SINGULAR : BXT_OK;
	}
	if (status == BXT_OK) {
		add_flows(m, u, m->r, k->a);
		add_flows(m, u + w * r, k->inputs, k->b);
	}
	free(loss);
	free(u);
	free(pivot);
	return status;
}

/* Left vectors y^T A = mu y^T as right ones of A^T; the direction of mu is B^T y. */
static void take_direction(struct irka *k, int i, const double *re, const double *im)
{
	double norm = 0;
	for (int c = 0; c < k->inputs; c++) {
		double *to_re = k->d_re + (size_t)i * (size_t)k->inputs + c;
		double *to_im = k->d_im + (size_t)i * (size_t)k->inputs + c;
		*to_re = *to_im = 0;
		for (int j = 0; j < k->r; j++) {
			const double b = k->b[(size_t)c * (size_t)k->r + (size_t)j];
			*to_re += b * re[j];
			*to_im += im ? b * im[j] : 0;
		}
		norm += *to_re * *to_re + *to_im * *to_im;
	}
	for (int c = 0; c < k->inputs && norm > 0; c++) {
		k->d_re[(size_t)i * (size_t)k->inputs + (size_t)c] /= sqrt(norm);
		k->d_im[(size_t)i * (size_t)k->inputs + (size_t)c] /= sqrt(norm);
	}
}

/* New shifts and directions from the reduced part. */
static bxt_status mirror(struct irka *k)
{
	const int r = k->r, lwork = 8 * r + 1;
	double *transposed = malloc(((size_t)r * (size_t)r + 1) * sizeof *transposed);
	double *work = malloc((size_t)lwork * sizeof *work), nothing = 0;
	const int one = 1;
	int info = 0;
	if (!transposed || !work) {
		free(transposed);
		free(work);
		return BXT_ERR_MEMORY;
	}
	for (int i = 0; i < r; i++)
		for (int j = 0; j < r; j++)
			transposed[i + r * j] = k->a[j + r * i];
	dgeev_("N", "V", &r, transposed, &r, k->re, k->im, &nothing, &one, k->vectors, &r, work,
	       &lwork, &info, 1, 1);
	for (int i = 0; i < r && info == 0; i++) {
		const bool pair = k->im[i] != 0 && i + 1 < r;
		const double *re = k->vectors + (size_t)i * (size_t)r;
		k->re[i] = -k->re[i];
		if (!pair) {
			take_direction(k, i, re, NULL);
			continue;
		}
		/* mu = a + ib with y: the shift is -a - ib, with conj: -a + ib and conj y */
		k->re[i + 1] = k->re[i];
		take_direction(k, i, re, re + r);
		for (int c = 0; c < k->inputs; c++)
			k->d_im[(size_t)i * (size_t)k->inputs + (size_t)c] *= -1;
		i++;
	}
	free(transposed);
	free(work);
	return info ? BXT_ERR_NOT_FINITE : BXT_OK;
}

/* Gives shifts a positive real part. A real shift at 0 becomes the lowest frequency. */
static void keep_right(struct irka *k, double low)
{
	for (int i = 0; i < k->r; i++) {
		if (fabs(k->im[i]) <= REAL * fabs(k->re[i]))
			k->im[i] = 0;
		const double size = hypot(k->re[i], k->im[i]);
		const double least = REAL * (size > low ? size : low);
		if (k->im[i] == 0 && k->re[i] < least)
			k->re[i] = low;
		else if (k->re[i] < least)
			k->re[i] = least;
	}
}

static int by_shift(const void *x, const void *y)
{
	const double *a = x, *b = y;
	if (a[0] != b[0])
		return a[0] < b[0] ? -1 : 1;
	return (a[1] > b[1]) - (a[1] < b[1]);
}

/* The largest relative change since the previous shifts, in the order of magnitude. */
static double change(const struct irka *k, double *sorted)
{
	double worst = 0;
	double *to[2] = {sorted, sorted + 2 * k->r};
	for (int i = 0; i < k->r; i++) {
		to[0][2 * i] = k->re[i];
		to[0][2 * i + 1] = fabs(k->im[i]);
		to[1][2 * i] = k->old_re[i];
		to[1][2 * i + 1] = fabs(k->old_im[i]);
	}
	for (int h = 0; h < 2; h++)
		qsort(to[h], (size_t)k->r, 2 * sizeof **to, by_shift);
	for (int i = 0; i < k->r; i++) {
		const double size = hypot(to[0][2 * i], to[0][2 * i + 1]);
		const double off =
			hypot(to[0][2 * i] - to[1][2 * i], to[0][2 * i + 1] - to[1][2 * i + 1]);
		worst = fmax(worst, off / size);
	}
	return worst;
}

static bxt_status iterate_irka(struct irka *k, const bxt_method_def *def, bxt_diagnostics *d,
			       bxt_basis *out, bxt_method_result *result)
{
	double *sorted = malloc((4 * (size_t)k->r + 1) * sizeof *sorted), best = INFINITY;
	bxt_basis now = {0};
	bxt_status status = sorted ? BXT_OK : BXT_ERR_MEMORY;
	int since = 0;
	result->stagnated = true;
	for (int it = 0; it < MOST_ITERATIONS && since < PATIENCE && status == BXT_OK; it++) {
		bxt_reduced *m = NULL;
		status = irka_columns(k, &now, d);
		if (status == BXT_OK)
			status = bxt_reduced_new(k->p, k->algebra, &now, d, &m);
		if (status == BXT_OK && now.r < k->r)
			status = too_few(k->p, k->r, now.r, d);
		memcpy(k->old_re, k->re, (size_t)k->r * sizeof *k->re);
		memcpy(k->old_im, k->im, (size_t)k->r * sizeof *k->im);
		if (status == BXT_OK)
			status = eliminate(k, m);
		if (status == BXT_OK)
			status = mirror(k);
		bxt_reduced_free(m);
		if (status != BXT_OK)
			break;
		keep_right(k, def->low);
		const double off = change(k, sorted);
		result->iterations = it + 1;
		since++;
		if (off < best) {
			const bxt_basis swap = *out;
			best = off;
			since = 0;
			*out = now;
			now = swap;
		}
		if (off <= CONVERGED) {
			result->stagnated = false;
			break;
		}
	}
	bxt_basis_free(&now);
	free(sorted);
	return status;
}

static bxt_status find_irka(const bxt_part_model *p, bxt_algebra *algebra,
			    const bxt_method_def *def, bxt_diagnostics *d, bxt_basis *out,
			    bxt_method_result *result)
{
	bxt_arena *arena = bxt_arena_new();
	const size_t r = (size_t)def->modes, inputs = (size_t)bxt_part_inputs(p);
	if (!arena)
		return BXT_ERR_MEMORY;
	struct irka k = {.p = p, .algebra = algebra, .r = def->modes, .inputs = (int)inputs};
	double **const of_r[] = {&k.re, &k.im, &k.old_re, &k.old_im};
	bool good = (k.work = BXT_NEW(arena, double, 4 * (size_t)p->n)) != NULL;
	for (size_t i = 0; i < sizeof of_r / sizeof *of_r; i++)
		good = (*of_r[i] = BXT_NEW(arena, double, r)) && good;
	good = (k.d_re = BXT_NEW(arena, double, r *inputs)) && good;
	good = (k.d_im = BXT_NEW(arena, double, r *inputs)) && good;
	good = (k.a = BXT_NEW(arena, double, r *r)) && good;
	good = (k.vectors = BXT_NEW(arena, double, r *r)) && good;
	good = (k.b = BXT_NEW(arena, double, r *inputs)) && good;
	bxt_status status = good ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK && inputs == 0)
		status = too_few(p, def->modes, 0, d);
	for (size_t i = 0; i < r && status == BXT_OK; i++) {
		k.re[i] = between(def, (int)i, (int)r);
		for (size_t c = 0; c < inputs; c++) /* each has the largest weight in turn */
			k.d_re[i * inputs + c] = c == i % inputs ? 1 : MIXED;
	}
	if (status == BXT_OK)
		status = iterate_irka(&k, def, d, out, result);
	bxt_arena_free(arena);
	return status;
}

const bxt_method bxt_method_krylov = {
	.name = "krylov",
	.doc = "moments of the transfer function at four frequencies from 1/end to 1/(10 step)",
	.find = find_krylov,
};
const bxt_method bxt_method_irka = {
	.name = "irka",
	.doc = "the transfer function at the mirrored eigenvalues of the reduced part, iterated",
	.find = find_irka,
};
