/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * RADAU5, written anew from its publication: E. Hairer and G. Wanner, Solving Ordinary Differential
 * Equations II, second edition, section IV.8, for M y' = f(t, y), VI.1 for what it does with
 * variables of index 2 and 3.
 *
 *     z_i = h sum_j a_ij f(t + c_j h, y + z_j) ,   i = 1, 2, 3  (Radau IIA, order 5)
 *
 * With T^-1 A^-1 T = diag(gamma, [alpha -beta; beta alpha]) and W = T^-1 Z, a simplified Newton
 * step solves a real system gamma/h M - J and a complex one (alpha + i beta)/h M - J.
 */
#include "bench/benchmark.h"
#include "bench/peer_linear.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As RADAU5 sets them where its user does not. */
enum { MOST_ITERATIONS = 7, MOST_STEPS = 10000000 };
static const double SAFETY = 0.9, SHRINK = 0.2, GROW = 8; /* h/h_new in [1/8, 5] */
static const double THETA = 1e-3;                         /* slower convergence: new slopes */
static const double STAYS = 1.2;   /* a step that could grow by less stays as it is */
static const double ROUND = 1e-16; /* the rounding unit */

struct radau {
	peer_problem *p;
	peer_run *out;
	int n;
	double c[3], a_inverse[3][3], t[3][3], t_inverse[3][3], e[3];
	double gamma, alpha, beta;
	double rtol, stop; /* of a step's error; of Newton's */
	double *atol;      /* (n) */
	peer_pattern pattern;
	peer_entries of_slopes, of_mass;
	double *slope, *mass; /* of the pattern */
	peer_linear real, complex;
	double *y, *f0, *scale, *stage, *part[3], *z[3], *w[3], *dw[3], *pair, *error, *work;
	/* y + dense[0] s + ..., see dense_at */
	double *dense[3], *at_begin;
	double t_now, h, h_before, fac, theta, e_accepted, h_accepted, ratio;
	double g_before[PEER_MOST_ROOTS], g_after[PEER_MOST_ROOTS];
	bool first, rejected, has_slopes, fresh_slopes, has_factors, has_dense;
	int row;
};

/* ---- The method's numbers ---- */

static void invert(const double a[3][3], double inverse[3][3])
{
	double d = 0;
	for (int i = 0; i < 3; i++)
		d += a[0][i] * (a[1][(i + 1) % 3] * a[2][(i + 2) % 3] -
				a[1][(i + 2) % 3] * a[2][(i + 1) % 3]);
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			inverse[j][i] =
				(a[(i + 1) % 3][(j + 1) % 3] * a[(i + 2) % 3][(j + 2) % 3] -
				 a[(i + 1) % 3][(j + 2) % 3] * a[(i + 2) % 3][(j + 1) % 3]) /
				d;
}

/* (x0, x1) of (A^-1 - (re + i im)) (x0, x1, 1) = 0, as pairs, by its first two rows. */
static void eigenvector(const double a[3][3], double re, double im, double x[2][2])
{
	const double m00[2] = {a[0][0] - re, -im}, m11[2] = {a[1][1] - re, -im};
	const double d[2] = {m00[0] * m11[0] - m00[1] * m11[1] - a[0][1] * a[1][0],
			     m00[0] * m11[1] + m00[1] * m11[0]};
	const double b0 = -a[0][2], b1 = -a[1][2], square = d[0] * d[0] + d[1] * d[1];
	const double top[2][2] = {{b0 * m11[0] - a[0][1] * b1, b0 * m11[1]},
				  {m00[0] * b1 - a[1][0] * b0, m00[1] * b1}};
	for (int i = 0; i < 2; i++) {
		x[i][0] = (top[i][0] * d[0] + top[i][1] * d[1]) / square;
		x[i][1] = (top[i][1] * d[0] - top[i][0] * d[1]) / square;
	}
}

/* The eigenvalues of A are known in closed form; T's first column has the length 1, the others end
 * in (1, 0), which matters for the norm of Newton's updates. */
static void set_method(struct radau *r)
{
	const double s6 = sqrt(6), s9 = cbrt(9), real = (6 + s9 * (s9 - 1)) / 30,
		     re = (12 - s9 * (s9 - 1)) / 60, im = s9 * (s9 + 1) * sqrt(3) / 60,
		     square = re * re + im * im;
	const double a[3][3] = {{(88 - 7 * s6) / 360, (296 - 169 * s6) / 1800, (-2 + 3 * s6) / 225},
				{(296 + 169 * s6) / 1800, (88 + 7 * s6) / 360, (-2 - 3 * s6) / 225},
				{(16 - s6) / 36, (16 + s6) / 36, 1.0 / 9}};
	double x[2][2];
	r->c[0] = (4 - s6) / 10;
	r->c[1] = (4 + s6) / 10;
	r->c[2] = 1;
	r->gamma = 1 / real;
	r->alpha = re / square;
	r->beta = im / square;
	invert(a, r->a_inverse);
	eigenvector(r->a_inverse, r->gamma, 0, x);
	const double length = sqrt(x[0][0] * x[0][0] + x[1][0] * x[1][0] + 1);
	for (int i = 0; i < 3; i++)
		r->t[i][0] = (i < 2 ? x[i][0] : 1) / length;
	/* A^-1 (u + i v) = (alpha - i beta)(u + i v) is the block above */
	eigenvector(r->a_inverse, r->alpha, -r->beta, x);
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2; k++)
			r->t[i][1 + k] = x[i][k];
	r->t[2][1] = 1;
	r->t[2][2] = 0;
	invert(r->t, r->t_inverse);
	r->e[0] = (-13 - 7 * s6) / 3;
	r->e[1] = (-13 + 7 * s6) / 3;
	r->e[2] = -1.0 / 3;
}

static double *vector(int n)
{
	return calloc((size_t)n + 1, sizeof(double));
}

static bool open(struct radau *r, double tol)
{
	peer_problem *p = r->p;
	const int n = r->n = p->n;
	double **const vectors[] = {
		&r->y,        &r->f0,       &r->scale,    &r->stage,    &r->part[0], &r->part[1],
		&r->part[2],  &r->z[0],     &r->z[1],     &r->z[2],     &r->w[0],    &r->w[1],
		&r->w[2],     &r->dw[0],    &r->dw[1],    &r->dw[2],    &r->error,   &r->work,
		&r->dense[0], &r->dense[1], &r->dense[2], &r->at_begin, &r->atol};
	bool good = (r->pair = vector(2 * n)) != NULL;
	for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
		good = (*vectors[k] = vector(n)) != NULL && good;
	if (!good)
		return false;
	set_method(r);
	p->begin(p, r->y, r->work);
	p->slopes(p, 0, r->y, &r->of_slopes);
	p->mass(p, &r->of_mass);
	peer_entries *const sets[] = {&r->of_slopes, &r->of_mass};
	if (!peer_pattern_make(n, sets, 2, &r->pattern))
		return false;
	const int entries = r->pattern.start[n];
	r->slope = vector(entries);
	r->mass = vector(entries);
	if (!r->slope || !r->mass || !peer_linear_new(&r->real, &r->pattern, false) ||
	    !peer_linear_new(&r->complex, &r->pattern, true))
		return false;
	peer_entries_begin(&r->of_mass, &r->pattern, r->mass);
	p->mass(p, &r->of_mass);
	/* the error of a formula of order 3 is held against a tolerance that is meant for order 5
	 */
	r->rtol = 0.1 * pow(tol, 2.0 / 3);
	for (int i = 0; i < n; i++)
		r->atol[i] = r->rtol * (p->typical ? p->typical[i] : 1);
	r->stop = fmax(10 * ROUND / r->rtol, fmin(0.03, sqrt(r->rtol)));
	return true;
}

static void shut(struct radau *r)
{
	double *const vectors[] = {
		r->y,        r->f0,    r->scale, r->stage, r->part[0],  r->part[1],  r->part[2],
		r->z[0],     r->z[1],  r->z[2],  r->w[0],  r->w[1],     r->w[2],     r->dw[0],
		r->dw[1],    r->dw[2], r->error, r->work,  r->dense[0], r->dense[1], r->dense[2],
		r->at_begin, r->atol,  r->pair,  r->slope, r->mass};
	for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
		free(vectors[k]);
	peer_linear_free(&r->real);
	peer_linear_free(&r->complex);
	peer_pattern_free(&r->pattern);
	peer_entries_free(&r->of_slopes);
	peer_entries_free(&r->of_mass);
}

/* ---- What a step needs ---- */

static void right(struct radau *r, double t, const double *y, double *f)
{
	r->p->right(r->p, t, y, f);
	r->out->evaluations++;
}

static void renew_slopes(struct radau *r)
{
	peer_entries_begin(&r->of_slopes, &r->pattern, r->slope);
	r->p->slopes(r->p, r->t_now, r->y, &r->of_slopes);
	r->has_slopes = r->fresh_slopes = true;
	r->has_factors = false;
	r->out->slopes++;
}

static bool factor(struct radau *r)
{
	const int entries = r->pattern.start[r->n];
	const double g = r->gamma / r->h, a = r->alpha / r->h, b = r->beta / r->h;
	for (int k = 0; k < entries; k++) {
		r->real.values[k] = g * r->mass[k] - r->slope[k];
		r->complex.values[2 * k] = a * r->mass[k] - r->slope[k];
		r->complex.values[2 * k + 1] = b * r->mass[k];
	}
	r->has_factors = true;
	r->out->factorizations++;
	return peer_linear_factor(&r->real) && peer_linear_factor(&r->complex);
}

/* to = M x */
static void times_mass(const struct radau *r, const double *x, double *to)
{
	const peer_pattern *a = &r->pattern;
	memset(to, 0, (size_t)r->n * sizeof *to);
	for (int j = 0; j < r->n; j++)
		for (int k = a->start[j]; k < a->start[j + 1]; k++)
			to[a->row[k]] += r->mass[k] * x[j];
}

/* ratio: h over that of the step before, or of the attempt; variables of index 2 and 3 count h and
 * h^2 times as much. */
static void find_scale(struct radau *r)
{
	for (int i = 0; i < r->n; i++)
		r->scale[i] = r->atol[i] + r->rtol * fabs(r->y[i]);
}

static void scale_by_index(struct radau *r)
{
	const int first = r->p->of_index[0], second = first + r->p->of_index[1];
	if (first == 0)
		return;
	for (int i = first; i < r->n; i++)
		r->scale[i] /= i < second ? r->ratio : r->ratio * r->ratio;
}

static double norm(const struct radau *r, const double *x)
{
	double sum = 0;
	for (int i = 0; i < r->n; i++)
		sum += x[i] / r->scale[i] * (x[i] / r->scale[i]);
	return sum;
}

/* The polynomial of the last step, of degree 3: y at its end plus its value at t_end + s h. */
static double dense_at(const struct radau *r, int i, double s)
{
	return s * (r->dense[0][i] +
		    (s - (r->c[1] - 1)) * (r->dense[1][i] + (s - (r->c[0] - 1)) * r->dense[2][i]));
}

static void keep_dense(struct radau *r)
{
	for (int i = 0; i < r->n; i++) {
		const double z1 = r->z[0][i], z2 = r->z[1][i], z3 = r->z[2][i];
		const double third = (z1 - z2) / (r->c[0] - r->c[1]);
		r->dense[0][i] = (z2 - z3) / (r->c[1] - 1);
		r->dense[1][i] = (third - r->dense[0][i]) / (r->c[0] - 1);
		r->dense[2][i] = r->dense[1][i] - (third - z1 / r->c[0]) / r->c[1];
	}
	r->has_dense = true;
	r->h_before = r->h;
}

/* to = T from, of three vectors */
static void transform(const struct radau *r, const double t[3][3], double *const from[3],
		      double *const to[3])
{
	for (int i = 0; i < r->n; i++)
		for (int k = 0; k < 3; k++)
			to[k][i] =
				t[k][0] * from[0][i] + t[k][1] * from[1][i] + t[k][2] * from[2][i];
}

static void guess(struct radau *r)
{
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < r->n; i++)
			r->z[k][i] =
				r->has_dense ? dense_at(r, i, r->c[k] * r->h / r->h_before) : 0;
	transform(r, r->t_inverse, r->z, r->w);
}

/* The updates dw of a simplified Newton step. */
static void update(struct radau *r)
{
	const int n = r->n;
	const double g = r->gamma / r->h, a = r->alpha / r->h, b = r->beta / r->h;
	for (int k = 0; k < 3; k++) {
		for (int i = 0; i < n; i++)
			r->stage[i] = r->y[i] + r->z[k][i];
		right(r, r->t_now + r->c[k] * r->h, r->stage, r->part[k]);
	}
	transform(r, r->t_inverse, r->part, r->dw);
	for (int k = 0; k < 3; k++)
		times_mass(r, r->w[k], r->part[k]);
	for (int i = 0; i < n; i++) {
		r->dw[0][i] -= g * r->part[0][i];
		r->pair[2 * i] = r->dw[1][i] - a * r->part[1][i] + b * r->part[2][i];
		r->pair[2 * i + 1] = r->dw[2][i] - b * r->part[1][i] - a * r->part[2][i];
	}
	peer_linear_solve(&r->real, r->dw[0]);
	peer_linear_solve(&r->complex, r->pair);
	for (int i = 0; i < n; i++) {
		r->dw[1][i] = r->pair[2 * i];
		r->dw[2][i] = r->pair[2 * i + 1];
	}
	r->out->solves++;
	r->out->iterations++;
}

enum outcome { DONE, SLOW, DIVERGES };

/* Newton's method; SLOW: r->h is shortened to what may converge. */
static enum outcome solve(struct radau *r, int *iterations)
{
	double size = 0, before = 0, rate = 0;
	r->fac = pow(fmax(r->fac, ROUND), 0.8);
	r->theta = THETA;
	guess(r);
	for (int k = 1;; k++) {
		if (k > MOST_ITERATIONS)
			return DIVERGES;
		update(r);
		*iterations = k;
		size = sqrt((norm(r, r->dw[0]) + norm(r, r->dw[1]) + norm(r, r->dw[2])) /
			    (3.0 * r->n));
		if (!isfinite(size))
			return DIVERGES;
		if (k > 1 && k < MOST_ITERATIONS) {
			const double now = size / before;
			r->theta = k == 2 ? now : sqrt(now * rate);
			rate = now;
			if (r->theta >= 0.99)
				return DIVERGES;
			r->fac = r->theta / (1 - r->theta);
			const int left = MOST_ITERATIONS - 1 - k;
			const double off = r->fac * size * pow(r->theta, left) / r->stop;
			if (off >= 1) {
				r->ratio = 0.8 * pow(fmax(1e-4, fmin(20, off)), -1.0 / (4 + left));
				return SLOW;
			}
		}
		before = fmax(size, ROUND);
		for (int s = 0; s < 3; s++)
			for (int i = 0; i < r->n; i++)
				r->w[s][i] += r->dw[s][i];
		transform(r, r->t, r->w, r->z);
		if (r->fac * size <= r->stop)
			return DONE;
	}
}

/* (8.19) and, at a first step or behind a rejection, (8.20). */
static double estimate(struct radau *r)
{
	const int n = r->n;
	double *sum = r->stage, *of = r->part[0], *f = r->part[1], e;
	for (int i = 0; i < n; i++)
		sum[i] =
			(r->e[0] * r->z[0][i] + r->e[1] * r->z[1][i] + r->e[2] * r->z[2][i]) / r->h;
	times_mass(r, sum, of);
	for (int i = 0; i < n; i++)
		r->error[i] = of[i] + r->f0[i];
	peer_linear_solve(&r->real, r->error);
	e = fmax(sqrt(norm(r, r->error) / n), 1e-10);
	if (e < 1 || !(r->first || r->rejected))
		return e;
	for (int i = 0; i < n; i++)
		sum[i] = r->y[i] + r->error[i];
	right(r, r->t_now, sum, f);
	for (int i = 0; i < n; i++)
		r->error[i] = of[i] + f[i];
	peer_linear_solve(&r->real, r->error);
	return fmax(sqrt(norm(r, r->error) / n), 1e-10);
}

/* ---- Steps ---- */

/* The next step after one with the error e, without bounds. */
static double next_size(struct radau *r, double e, int iterations, bool accepted)
{
	const double fac = fmin(SAFETY, SAFETY * (1 + 2 * MOST_ITERATIONS) /
						(iterations + 2 * MOST_ITERATIONS));
	double quotient = fmax(1 / GROW, fmin(1 / SHRINK, pow(e, 0.25) / fac));
	if (accepted && !r->first) {
		const double predicted =
			r->h_accepted / r->h * pow(e * e / r->e_accepted, 0.25) / SAFETY;
		quotient = fmax(quotient, fmax(1 / GROW, fmin(1 / SHRINK, predicted)));
	}
	return r->p->longest > 0 ? fmin(r->h / quotient, r->p->longest) : r->h / quotient;
}

/* A failed attempt: its step is `share` times as long now. */
static void shorten(struct radau *r, double share)
{
	r->out->rejected++;
	r->h *= share;
	r->ratio = share;
	r->rejected = true;
	r->has_factors = false;
	if (!r->fresh_slopes)
		renew_slopes(r);
}

/* One accepted step from t_now, at most to `to`; the state is still at its begin. */
static bool attempt(struct radau *r, double to, double *next, bool *last)
{
	for (;;) {
		int iterations = 0;
		if (r->out->steps + r->out->rejected > MOST_STEPS ||
		    0.1 * r->h <= fabs(r->t_now) * ROUND)
			return false;
		*last = r->t_now + 1.0001 * r->h >= to;
		if (*last && r->h != to - r->t_now) {
			r->h = to - r->t_now;
			r->ratio = r->rejected ? r->ratio : r->h;
			r->has_factors = false;
		}
		if (!r->has_slopes)
			renew_slopes(r);
		if (!r->has_factors && !factor(r)) {
			shorten(r, 0.5);
			continue;
		}
		scale_by_index(r);
		const enum outcome outcome = solve(r, &iterations);
		if (outcome != DONE) {
			shorten(r, outcome == SLOW ? r->ratio : 0.5);
			continue;
		}
		const double e = estimate(r);
		*next = next_size(r, e, iterations, e < 1);
		if (e < 1) {
			r->e_accepted = fmax(1e-2, e);
			r->h_accepted = r->h;
			return true;
		}
		shorten(r, r->first ? 0.1 : *next / r->h);
	}
}

static void accept(struct radau *r)
{
	r->out->steps++;
	r->first = false;
	memcpy(r->at_begin, r->y, (size_t)r->n * sizeof *r->y);
	keep_dense(r);
	for (int i = 0; i < r->n; i++)
		r->y[i] += r->z[2][i];
	r->t_now += r->h;
	r->fresh_slopes = false;
}

/* The next size, and whether factors and slopes serve again. */
static void prepare(struct radau *r, double next)
{
	right(r, r->t_now, r->y, r->f0);
	find_scale(r);
	if (r->rejected)
		next = fmin(next, r->h);
	r->rejected = false;
	const double growth = next / r->h;
	const bool stays = r->theta <= THETA && growth >= 1 && growth <= STAYS;
	if (!stays) {
		r->h = next;
		r->has_factors = false;
	}
	r->ratio = r->h;
	if (r->theta > THETA)
		r->has_slopes = false;
}

/* Rows up to the time t, from the polynomial. */
static void give_rows(struct radau *r, double t)
{
	peer_run *out = r->out;
	for (; r->row < out->rows; r->row++) {
		const double at = peer_row_time(r->p, out, r->row);
		if (at > t * (1 + 1e-14))
			return;
		const double s = (at - r->t_now) / r->h_before;
		for (int i = 0; i < r->n; i++)
			r->work[i] = r->y[i] + dense_at(r, i, s);
		r->p->see(r->p, at, r->work, out->seen + (size_t)r->row * (size_t)r->p->n_seen);
	}
}

/* Root g of the polynomial within the last step, where g goes up through 0 (Illinois): its time. */
static double locate(struct radau *r, int g)
{
	double a = r->t_now - r->h_before, b = r->t_now, ga = r->g_before[g], gb = r->g_after[g];
	double all[PEER_MOST_ROOTS];
	int side = 0;
	for (int k = 0; k < 100 && b - a > 4 * DBL_EPSILON * fabs(b) && gb > 0; k++) {
		const double t = fmin(fmax(b - gb * (b - a) / (gb - ga), a), b);
		const double s = (t - r->t_now) / r->h_before;
		for (int i = 0; i < r->n; i++)
			r->work[i] = r->y[i] + dense_at(r, i, s);
		r->p->roots(r->p, t, r->work, all);
		const bool above = all[g] >= 0;
		*(above ? &b : &a) = t;
		*(above ? &gb : &ga) = all[g];
		if (above ? side > 0 : side < 0)
			*(above ? &ga : &gb) /= 2;
		side = above ? 1 : -1;
	}
	return b;
}

/* Moves the state back to the first root within the step; false: there is none. */
static bool find_root(struct radau *r)
{
	double first = INFINITY;
	if (r->p->n_roots == 0)
		return false;
	r->p->roots(r->p, r->t_now, r->y, r->g_after);
	for (int g = 0; g < r->p->n_roots; g++)
		if (r->g_before[g] < 0 && r->g_after[g] >= 0)
			first = fmin(first, locate(r, g));
	if (isinf(first))
		return false;
	give_rows(r, first);
	const double s = (first - r->t_now) / r->h_before;
	for (int i = 0; i < r->n; i++)
		r->work[i] = r->y[i] + dense_at(r, i, s);
	memcpy(r->y, r->work, (size_t)r->n * sizeof *r->y);
	r->t_now = first;
	return true;
}

/* A smooth way begins here. */
static void restart(struct radau *r, double h)
{
	r->first = true;
	r->rejected = r->has_slopes = r->fresh_slopes = r->has_factors = r->has_dense = false;
	r->fac = 1;
	r->theta = THETA;
	r->h = r->ratio = h;
	right(r, r->t_now, r->y, r->f0);
	find_scale(r);
	if (r->p->n_roots > 0)
		r->p->roots(r->p, r->t_now, r->y, r->g_before);
}

static bool run(struct radau *r)
{
	static const double FIRST = 1e-5; /* of the way */
	peer_problem *p = r->p;
	double next = FIRST * p->end;
	restart(r, next);
	while (r->t_now < p->end * (1 - 1e-14)) {
		const double stop =
			p->next_break ? fmin(p->next_break(p, r->t_now), p->end) : p->end;
		bool last;
		if (!attempt(r, stop, &next, &last))
			return false;
		accept(r);
		const bool root = find_root(r);
		if (!root && last)
			r->t_now = stop;
		if (root || (last && stop < p->end)) {
			if (!root)
				give_rows(r, r->t_now);
			p->pass(p, r->t_now, r->y, root);
			r->out->events++;
			restart(r, fmin(next, FIRST * p->end));
			continue;
		}
		give_rows(r, r->t_now);
		memcpy(r->g_before, r->g_after, sizeof r->g_before);
		prepare(r, next);
	}
	return r->row == r->out->rows;
}

bool peer_radau5(peer_problem *p, double tol, peer_run *out)
{
	struct radau r = {.p = p, .out = out};
	double *seen = out->seen;
	*out = (peer_run){.rows = out->rows, .seen = seen};
	const double start = bench_now();
	const bool good = open(&r, tol) && run(&r);
	out->seconds = bench_now() - start;
	shut(&r);
	return good;
}
