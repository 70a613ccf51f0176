/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Separates the stages into matrices of the system's size (equations: stage_transform.h). */
#include "motion/step/stage_transform.h"

#include "ground/sparse/lapack.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Round-off of coefficients; with a larger deviation the momenta are not those of collocation. */
static const double ROUND_OFF = 1e-10;

/* Cost of a complex multiplication in KLU, in real ones, by the number of instructions: each index
 * moves two numbers. */
static const double COMPLEX = 2.5;

/* ---- Eigenvalues ---- */

/* Are the stages those of collocation: w is a^-1, and no term is evaluated at other points? */
static bool collocates(const bxt_stages *g)
{
	if (g->s < 2 || g->points || g->mixture || g->carried || g->force != 1)
		return false;
	for (int i = 0; i < g->s; i++)
		for (int k = 0; k < g->s; k++) {
			double product = -(i == k);
			for (int j = 0; j < g->s; j++)
				product += g->momentum[i][j] * g->a[j][k];
			if (fabs(product) > ROUND_OFF)
				return false;
		}
	return true;
}

static void put(double complex z, double *to)
{
	to[0] = creal(z);
	to[1] = cimag(z);
}

/* a v = mu v and u^H a = mu u^H give T = (v ...) and T^-1 = (u^H / (u^H v) ...). */
int bxt_stage_modes(const bxt_stages *g, bxt_stage_mode *modes)
{
	enum { MOST = BXT_MAX_STAGES, WORK = 8 * MOST };
	double a[MOST * MOST], re[MOST], im[MOST], left[MOST * MOST], right[MOST * MOST];
	double work[WORK];
	int info, found = 0;
	const int n = g->s, size = WORK;
	if (!collocates(g))
		return 0;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			a[i + k * n] = g->a[i][k];
	dgeev_("V", "V", &n, a, &n, re, im, left, &n, right, &n, work, &size, &info, 1, 1);
	for (int m = 0; m < n && info == 0; m += im[m] == 0 ? 1 : 2) {
		bxt_stage_mode *mode = &modes[found++];
		double complex product = 0, u[MOST], v[MOST];
		*mode = (bxt_stage_mode){.pair = im[m] != 0, .mu = {re[m], im[m]}};
		for (int i = 0; i < n; i++) {
			const int at = i + m * n;
			u[i] = left[at] + (mode->pair ? left[at + n] * I : 0);
			v[i] = right[at] + (mode->pair ? right[at + n] * I : 0);
			product += conj(u[i]) * v[i];
		}
		for (int i = 0; i < n; i++) {
			put(conj(u[i]) / product, mode->in[i]);
			put(v[i], mode->out[i]);
		}
	}
	return found;
}

/* ---- Memory ---- */

bxt_status bxt_stage_transform_new(bxt_arena *arena, const bxt_system *s, const bxt_stages *stages,
				   const bxt_linsol_kind *kind, bxt_stage_transform **out)
{
	const size_t nnz = (size_t)bxt_sparse_nnz(&s->pattern), size = (size_t)s->size;
	bxt_stage_mode mode[BXT_MAX_STAGES];
	const int n = bxt_stage_modes(stages, mode);
	*out = NULL;
	if (n == 0)
		return BXT_OK;
	bxt_stage_transform *t = BXT_NEW(arena, bxt_stage_transform, 1);
	if (!t)
		return BXT_ERR_MEMORY;
	*t = (bxt_stage_transform){
		.system = s, .stages = stages, .kind = kind, .n_modes = n, .h = NAN};
	memcpy(t->mode, mode, sizeof mode);
	bool failed = false;
	for (int m = 0; m < n; m++)
		for (int part = 0; part <= mode[m].pair; part++) {
			t->constant[m][part] = BXT_NEW(arena, double, nnz + 1);
			t->value[m][part] = BXT_NEW(arena, double, nnz + 1);
			failed = failed || !t->constant[m][part] || !t->value[m][part];
		}
	t->joined = BXT_NEW(arena, double, 2 * nnz + 1);
	t->right = BXT_NEW(arena, double, (size_t)stages->s *size);
	t->part = BXT_NEW(arena, double, 2 * size);
	t->size = BXT_NEW(arena, double, nnz + 1);
	if (failed || !t->joined || !t->right || !t->part || !t->size)
		return BXT_ERR_MEMORY;
	*out = t;
	return BXT_OK;
}

bxt_stage_factors *bxt_stage_factors_free(bxt_stage_factors *f)
{
	for (int m = 0; f && m < BXT_MAX_STAGES; m++) {
		bxt_linsol_free(f->real[m]);
		bxt_complex_lu_free(f->pair[m]);
	}
	free(f);
	return NULL;
}

bxt_status bxt_stage_factors_new(const bxt_stage_transform *t, bxt_stage_factors **out)
{
	bxt_stage_factors *f = *out = calloc(1, sizeof *f);
	bxt_status status = f ? BXT_OK : BXT_ERR_MEMORY;
	for (int m = 0; m < t->n_modes && status == BXT_OK; m++) {
		if (!t->mode[m].pair) {
			status = bxt_linsol_create(t->kind, &t->system->pattern, &f->real[m]);
			continue;
		}
		status = bxt_complex_lu_new(&t->system->pattern, &f->pair[m]);
		if (status == BXT_OK)
			bxt_complex_lu_serve_steps(f->pair[m]);
	}
	if (status != BXT_OK)
		*out = bxt_stage_factors_free(f);
	return status;
}

/* ---- Values ---- */

/* The destinations to which tapes add, and their weights. */
struct destinations {
	int n;
	bxt_weights w[2 * BXT_MAX_STAGES];
	double *to[2 * BXT_MAX_STAGES];
};

/* The terms of S(mu), times `share`: their real or imaginary parts. */
static bxt_weights weights_of(const bxt_stage_mode *mode, double h, double share, int part)
{
	const double re = mode->mu[0], im = mode->mu[1], square = re * re + im * im;
	const double by_mu = share * (part ? im : re), one = part ? 0 : share;
	bxt_weights w = {{{0}}};
	for (int role = 0; role < 2; role++) {
		double *to = w.of[role];
		if (role == 0) {
			to[BXT_PV] = share * (part ? -im : re) / square;
			to[BXT_PQ] = h * one;
		} else {
			to[BXT_DV] = h * one;
			to[BXT_DQ] = h * h * by_mu;
		}
		to[BXT_FV] = -h * one;
		to[BXT_FQ] = -h * h * by_mu;
		to[BXT_KL] = -one;
		to[BXT_KQ] = -h * by_mu;
		to[BXT_CV] = one;
		to[BXT_CQ] = h * by_mu;
	}
	return w;
}

static void list(const bxt_stage_transform *t, double share, double *const (*values)[2],
		 struct destinations *d)
{
	d->n = 0;
	for (int m = 0; m < t->n_modes; m++)
		for (int part = 0; part <= t->mode[m].pair; part++) {
			d->w[d->n] = weights_of(&t->mode[m], t->h, share, part);
			d->to[d->n++] = values[m][part];
		}
}

void bxt_stage_transform_set_step(bxt_stage_transform *t, bxt_evaluator *e, const double *q,
				  double h)
{
	const bxt_system *s = t->system;
	struct destinations d;
	t->h = h;
	list(t, 1, t->constant, &d);
	for (int k = 0; k < d.n; k++)
		memset(d.to[k], 0, ((size_t)bxt_sparse_nnz(&s->pattern) + 1) * sizeof **d.to);
	/* constant entries read neither coordinates nor flows */
	bxt_evaluate_jacobian_to(e, BXT_SET_JAC_CONST, (bxt_point){q, q, 0}, d.n, d.w, d.to);
	for (int m = 0; m < t->n_modes; m++)
		t->constant[m][0][s->spare_slot] = 1;
}

static void assemble(bxt_stage_transform *t, bxt_evaluator *const *e, double *const *q,
		     const double *x)
{
	const bxt_system *s = t->system;
	const size_t bytes = ((size_t)bxt_sparse_nnz(&s->pattern) + 1) * sizeof(double);
	struct destinations d;
	list(t, 1.0 / t->stages->s, t->value, &d);
	for (int m = 0; m < t->n_modes; m++)
		for (int part = 0; part <= t->mode[m].pair; part++)
			memcpy(t->value[m][part], t->constant[m][part], bytes);
	for (int i = 0; i < t->stages->s; i++) {
		const bxt_point at = {q[i], x + (size_t)i * (size_t)s->size, e[i]->time[0]};
		bxt_evaluate_jacobian_to(e[i], BXT_SET_JAC_DYN, at, d.n, d.w, d.to);
		bxt_evaluate_jacobian_to(e[i], BXT_SET_JAC_CON, at, d.n, d.w, d.to);
	}
}

const double *bxt_stage_transform_sizes(bxt_stage_transform *t)
{
	const int nnz = bxt_sparse_nnz(&t->system->pattern);
	memset(t->size, 0, (size_t)nnz * sizeof *t->size);
	for (int m = 0; m < t->n_modes; m++) {
		const double *re = t->value[m][0], *im = t->value[m][1];
		for (int k = 0; k < nnz; k++) {
			const double size = im ? hypot(re[k], im[k]) : fabs(re[k]);
			t->size[k] = size > t->size[k] ? size : t->size[k];
		}
	}
	return t->size;
}

/* ---- Factors ---- */

bxt_status bxt_stage_transform_factor(bxt_stage_transform *t, bxt_evaluator *const *e,
				      double *const *q, const double *x, bxt_stage_factors *f)
{
	const int nnz = bxt_sparse_nnz(&t->system->pattern);
	int culprit;
	assemble(t, e, q, x);
	for (int m = 0; m < t->n_modes; m++) {
		const double *re = t->value[m][0], *im = t->value[m][1];
		if (f->real[m]) {
			BXT_TRY(bxt_linsol_factor(f->real[m], re, &culprit));
			continue;
		}
		for (int k = 0; k < nnz; k++) {
			t->joined[2 * k] = re[k];
			t->joined[2 * k + 1] = im[k];
		}
		BXT_TRY(bxt_complex_lu_factor(f->pair[m], t->joined, &culprit));
	}
	return BXT_OK;
}

/* part = sum_i in_i r_i; constant numbers of stages make loops without branches. */
static inline void take(const bxt_stage_transform *t, const bxt_stage_mode *mode, int s)
{
	const int size = t->system->size;
	const double *restrict r = t->right;
	double *restrict z = t->part;
	for (int c = 0; c < size && !mode->pair; c++) {
		double re = 0;
		for (int i = 0; i < s; i++)
			re += mode->in[i][0] * r[i * (size_t)size + (size_t)c];
		z[c] = re;
	}
	for (int c = 0; c < size && mode->pair; c++) {
		double re = 0, im = 0;
		for (int i = 0; i < s; i++) {
			const double term = r[i * (size_t)size + (size_t)c];
			re += mode->in[i][0] * term;
			im += mode->in[i][1] * term;
		}
		z[2 * c] = re;
		z[2 * c + 1] = im;
	}
}

/* b += out y */
static inline void give(const bxt_stage_transform *t, const bxt_stage_mode *mode, int s, double *b)
{
	const int size = t->system->size;
	const double *restrict y = t->part;
	double *restrict v = b;
	for (int c = 0; c < size && !mode->pair; c++)
		for (int i = 0; i < s; i++)
			v[i * (size_t)size + (size_t)c] += mode->out[i][0] * y[c];
	for (int c = 0; c < size && mode->pair; c++)
		for (int i = 0; i < s; i++)
			v[i * (size_t)size + (size_t)c] +=
				2 * (mode->out[i][0] * y[2 * c] - mode->out[i][1] * y[2 * c + 1]);
}

static void take_part(const bxt_stage_transform *t, const bxt_stage_mode *mode)
{
	if (t->stages->s == 2)
		take(t, mode, 2);
	else if (t->stages->s == 3)
		take(t, mode, 3);
	else
		take(t, mode, t->stages->s);
}

static void give_part(const bxt_stage_transform *t, const bxt_stage_mode *mode, double *b)
{
	if (t->stages->s == 2)
		give(t, mode, 2, b);
	else if (t->stages->s == 3)
		give(t, mode, 3, b);
	else
		give(t, mode, t->stages->s, b);
}

bxt_status bxt_stage_transform_solve(const bxt_stage_transform *t, bxt_stage_factors *f, double *b)
{
	const size_t bytes = (size_t)t->stages->s * (size_t)t->system->size * sizeof *b;
	memcpy(t->right, b, bytes);
	memset(b, 0, bytes);
	for (int m = 0; m < t->n_modes; m++) {
		take_part(t, &t->mode[m]);
		BXT_TRY(f->real[m] ? bxt_linsol_solve(f->real[m], t->part)
				   : bxt_complex_lu_solve_once(f->pair[m], t->part));
		give_part(t, &t->mode[m], b);
	}
	return BXT_OK;
}

double bxt_stage_factors_rcond(const bxt_stage_factors *f)
{
	double least = 1;
	for (int m = 0; m < BXT_MAX_STAGES; m++) {
		if (f->real[m])
			least = fmin(least, bxt_linsol_rcond(f->real[m]));
		if (f->pair[m])
			least = fmin(least, bxt_complex_lu_rcond(f->pair[m]));
	}
	return least;
}

void bxt_stage_factors_work(const bxt_stage_factors *f, double *factor, double *solve)
{
	*factor = *solve = 0;
	for (int m = 0; m < BXT_MAX_STAGES; m++) {
		double products = 0, entries = 0;
		size_t numbers;
		if (f->real[m])
			bxt_linsol_work(f->real[m], &products, &entries);
		*factor += products;
		*solve += entries;
		if (!f->pair[m])
			continue;
		bxt_complex_lu_size(f->pair[m], &numbers, &products);
		*factor += COMPLEX * products;
		*solve += COMPLEX * (double)numbers;
	}
}

void bxt_stage_factors_count(const bxt_stage_factors *f, size_t *entries, long *full, long *reused)
{
	*entries = 0;
	*full = *reused = 0;
	for (int m = 0; m < BXT_MAX_STAGES; m++) {
		size_t own = 0;
		long own_full = 0, own_reused = 0;
		double products;
		if (f->real[m])
			bxt_linsol_counts(f->real[m], &own, &own_full, &own_reused);
		*entries += own;
		*full += own_full;
		*reused += own_reused;
		if (!f->pair[m])
			continue;
		bxt_complex_lu_size(f->pair[m], &own, &products);
		bxt_complex_lu_counts(f->pair[m], &own_full, &own_reused);
		*entries += 2 * own;
		*full += own_full;
		*reused += own_reused;
	}
}
