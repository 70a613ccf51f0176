/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A linearised model by states alone. Let Z and W span what belongs to the finite eigenvalues of
 * s E - A on the right and on the left (deflate.h, of the pencil and of its transpose). Then
 * W^T E Z is regular, P = Z (W^T E Z)^-1 W^T E projects on them, and
 *
 *     C (s E - A)^-1 B = C Z (s W^T E Z - W^T A Z)^-1 W^T B + C (1 - P) (s E - A)^-1 B .
 *
 * The last part belongs to the infinite eigenvalues and is a polynomial in s. If it is constant it
 * becomes D. Otherwise outputs depend on derivatives of inputs, and there is no model of this form.
 * The part is computed at several s, and the result is compared with the descriptor form at others.
 * Source: Verghese, Levy and Kailath, A generalized state-space for singular systems, IEEE Trans.
 * AC-26, 1981.
 */
#include "ground/base/vector.h"
#include "ground/sparse/lapack.h"
#include "study/linear/deflate.h"
#include "study/linear/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Largest difference, relative to the largest value of the same output and input, of the part of
 * infinite eigenvalues between points (SAME_CONSTANT), and of the reduced transfer functions from
 * those of the model (SAME_RESPONSE). Above these limits the part is not constant, or the reduced
 * functions have lost digits, for example by a W^T E Z that is nearly singular.
 */
static const double SAME_CONSTANT = 1e-9, SAME_RESPONSE = 1e-9;
/*
 * The part of an unknown that belongs to infinite eigenvalues, as a fraction of the unknown. A
 * larger part is not round-off, so the state is not that unknown alone.
 */
static const double OWN = 1e-10;
/*
 * A constant, or a transfer function at all points, is 0 up to this fraction of the terms of its
 * sum.
 */
static const double NOTHING = 1e-13;
enum { MOST_DENSE = BXT_LINEAR_MOST_DENSE, MOST_RATES = 3 * MOST_DENSE };
/*
 * Points where D is computed, and points where the result is checked, as multiples of the largest
 * |s|.
 */
enum { POINTS = 3, CHECKS = 5 };
static const double AT[POINTS] = {0.73, 2.9, 11.3};
static const double CHECK_AT[CHECKS] = {41.3, 1.37, 3.31e-2, 7.7e-5, 2.9e-9};

struct work {
	bxt_arena *arena; /* for what the result does not need */
	bxt_linear *l;
	bxt_linear_states *out;
	bxt_sparse z, w; /* (n_z x n) */
	int n;
	double *m;        /* (n, n) factors of W^T E Z */
	int *pivot;       /* (n) */
	double *unit;     /* (n) factor from the unknown to state k */
	int *unknown;     /* (n) the unknown that is state k; -1: none */
	double *infinite; /* (n_z) the largest part of infinite eigenvalues ... */
	double *largest;  /* (n_z) ... and of all, in the points */
	double *constant; /* (POINTS, outputs, inputs) complex, by points */
	double rate;      /* [s-1] */
	bxt_diagnostics *d;
};

/* ---- States ---- */

static bxt_status refuse_size(const struct work *f, int states)
{
	bxt_error(
		f->d, BXT_NOWHERE,
		"the model has %d states: a state space is dense, and made of at most %d; without "
		"--reduce its matrices are sparse, and boxtimes reduce makes parts smaller",
		states, MOST_DENSE);
	return BXT_ERR_MODEL;
}

static bxt_status tell_singular(const struct work *f, bxt_status status)
{
	if (status == BXT_ERR_SINGULAR)
		bxt_error(f->d, BXT_NOWHERE,
			  "the model has no states: its small motions are not determined, s E - A "
			  "is singular for every s");
	return status;
}

static bxt_status find_spaces(struct work *f)
{
	bxt_sparse e = f->l->matrix[BXT_LINEAR_E], a = f->l->matrix[BXT_LINEAR_A];
	bxt_deflated found[2];
	for (int side = 0; side < 2; side++) {
		int states = 0;
		if (side == 1) {
			bxt_sparse e_t, a_t;
			BXT_TRY(bxt_sparse_transpose(f->arena, &e, &e_t));
			BXT_TRY(bxt_sparse_transpose(f->arena, &a, &a_t));
			e = e_t;
			a = a_t;
		}
		const bxt_status status =
			bxt_deflate(f->arena, &e, &a, MOST_RATES, &states, &found[side]);
		if (status == BXT_OK)
			states = found[side].e.ncol;
		if (status == BXT_ERR_ARGUMENT || (status == BXT_OK && states > MOST_DENSE))
			return refuse_size(f, states);
		BXT_TRY(tell_singular(f, status));
	}
	f->z = found[0].z;
	f->w = found[1].z;
	f->n = f->z.ncol;
	if (f->w.ncol != f->n) {
		bxt_error(f->d, BXT_NOWHERE,
			  "the number of states is not determined: round-off makes it %d or %d",
			  f->n, f->w.ncol);
		return BXT_ERR_SINGULAR;
	}
	return BXT_OK;
}

/*
 * State k is an unknown if a row of Z has one entry, in column k. Unknowns with a rate come first,
 * such as the current of an inductor, which is also the current of all elements in series with it.
 */
static bxt_status find_unknowns(struct work *f)
{
	const bxt_sparse *e = &f->l->matrix[BXT_LINEAR_E];
	bxt_sparse rows;
	BXT_TRY(bxt_sparse_transpose(f->arena, &f->z, &rows));
	f->unknown = BXT_NEW(f->arena, int, (size_t)f->n);
	f->unit = BXT_NEW(f->arena, double, (size_t)f->n);
	if (!f->unknown || !f->unit)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < f->n; k++) {
		f->unknown[k] = -1;
		f->unit[k] = 1;
	}
	for (int with_rate = 1; with_rate >= 0; with_rate--)
		for (int j = 0; j < rows.ncol; j++) {
			const int first = rows.colptr[j];
			if (rows.colptr[j + 1] != first + 1 ||
			    f->unknown[rows.rowind[first]] >= 0 ||
			    (e->colptr[j + 1] > e->colptr[j]) != with_rate)
				continue;
			f->unknown[rows.rowind[first]] = j;
			f->unit[rows.rowind[first]] = rows.values[first];
		}
	for (int k = 0; k < f->n; k++)
		for (int i = f->z.colptr[k]; i < f->z.colptr[k + 1]; i++)
			f->z.values[i] /= f->unit[k];
	return BXT_OK;
}

/* to (n, ncol) <- W^T M, dense; M (n_z x ncol). */
static bxt_status project_matrix(const struct work *f, const bxt_sparse *m, double *to)
{
	double *column = calloc((size_t)m->nrow + 1, sizeof *column);
	if (!column)
		return BXT_ERR_MEMORY;
	memset(to, 0, (size_t)f->n * (size_t)m->ncol * sizeof *to);
	for (int j = 0; j < m->ncol; j++) {
		for (int k = m->colptr[j]; k < m->colptr[j + 1]; k++)
			column[m->rowind[k]] = m->values[k];
		bxt_sparse_multiply_transposed(&f->w, 1, column, to + (size_t)j * (size_t)f->n);
		for (int k = m->colptr[j]; k < m->colptr[j + 1]; k++)
			column[m->rowind[k]] = 0;
	}
	free(column);
	return BXT_OK;
}

/* x (n, columns) <- (W^T E Z)^-1 x */
static void solve_projected(const struct work *f, double *x, int columns)
{
	int info;
	if (f->n > 0 && columns > 0)
		dgetrs_("N", &f->n, &columns, f->m, &f->n, f->pivot, x, &f->n, &info, 1);
}

/* An estimate of the largest |s|: the norm of the balanced A. */
static bxt_status find_rate(struct work *f)
{
	const size_t all = (size_t)f->n * (size_t)f->n;
	double *a = malloc((all + (size_t)f->n + 1) * sizeof *a), most = 0;
	int first, last, info = 0;
	if (!a)
		return BXT_ERR_MEMORY;
	memcpy(a, f->out->a, all * sizeof *a);
	if (f->n > 0)
		dgebal_("S", &f->n, a, &f->n, &first, &last, a + all, &info, 1);
	for (size_t k = 0; k < all; k++)
		most = fmax(most, fabs(a[k]));
	free(a);
	f->rate = most > 0 && isfinite(most) ? most : 1;
	return BXT_OK;
}

/* A, B and C; the factors of W^T E Z. */
static bxt_status find_matrices(struct work *f)
{
	const bxt_linear *l = f->l;
	const size_t n = (size_t)f->n, in = (size_t)l->n_inputs, out = (size_t)l->n_outputs;
	double *a = BXT_NEW(l->arena, double, n *n), *b = BXT_NEW(l->arena, double, n *in);
	double *c = BXT_NEW(l->arena, double, out *n);
	bxt_sparse e_z, a_z, c_z;
	int info = 0;
	f->m = BXT_NEW(f->arena, double, n *n);
	f->pivot = BXT_NEW(f->arena, int, n);
	if (!a || !b || !c || !f->m || !f->pivot)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_sparse_product(f->arena, &l->matrix[BXT_LINEAR_E], &f->z, &e_z));
	BXT_TRY(bxt_sparse_product(f->arena, &l->matrix[BXT_LINEAR_A], &f->z, &a_z));
	BXT_TRY(bxt_sparse_product(f->arena, &l->matrix[BXT_LINEAR_C], &f->z, &c_z));
	BXT_TRY(project_matrix(f, &e_z, f->m));
	BXT_TRY(project_matrix(f, &a_z, a));
	BXT_TRY(project_matrix(f, &l->matrix[BXT_LINEAR_B], b));
	if (f->n > 0)
		dgetrf_(&f->n, &f->n, f->m, &f->n, f->pivot, &info);
	if (info != 0)
		return tell_singular(f, BXT_ERR_SINGULAR);
	solve_projected(f, a, f->n);
	solve_projected(f, b, l->n_inputs);
	bxt_sparse_spread(&c_z, 1, c);
	f->out->a = a;
	f->out->b = b;
	f->out->c = c;
	return find_rate(f);
}

/* ---- The part of infinite eigenvalues ---- */

/* Removes from x (2 n_z) its part along finite eigenvalues. */
static bxt_status remove_finite(const struct work *f, double *x)
{
	const size_t n_z = (size_t)f->l->n_z, n = (size_t)f->n;
	double *own = malloc((2 * n_z + 2 * n + 1) * sizeof *own);
	if (!own)
		return BXT_ERR_MEMORY;
	for (int part = 0; part < 2; part++) {
		double *e_x = own, *along = own + 2 * n_z, *z = own + n_z;
		memset(own, 0, (2 * n_z + 2 * n) * sizeof *own);
		for (size_t i = 0; i < n_z; i++)
			z[i] = x[2 * i + (size_t)part];
		bxt_sparse_multiply(&f->l->matrix[BXT_LINEAR_E], 1, z, e_x);
		bxt_sparse_multiply_transposed(&f->w, 1, e_x, along);
		solve_projected(f, along, 1);
		bxt_sparse_multiply(&f->z, -1, along, z);
		for (size_t i = 0; i < n_z; i++)
			x[2 * i + (size_t)part] = z[i];
	}
	free(own);
	return BXT_OK;
}

/* Updates the largest values of unknowns: of all of x, and of the remaining part. */
static void note_sizes(const double *x, int n, double *most)
{
	for (int i = 0; i < n; i++)
		most[i] = fmax(most[i], hypot(x[2 * i], x[2 * i + 1]));
}

/* C x (2 outputs) */
static void read_outputs(const struct work *f, const double *x, double *y)
{
	const bxt_sparse *c = &f->l->matrix[BXT_LINEAR_C];
	memset(y, 0, 2 * (size_t)c->nrow * sizeof *y);
	for (int j = 0; j < c->ncol; j++)
		for (int k = c->colptr[j]; k < c->colptr[j + 1]; k++)
			for (int part = 0; part < 2; part++)
				y[2 * c->rowind[k] + part] += c->values[k] * x[2 * j + part];
}

static bxt_status find_infinite(struct work *f)
{
	bxt_linear *l = f->l;
	const size_t n_z = (size_t)l->n_z;
	const size_t all = 2 * (size_t)l->n_outputs * (size_t)l->n_inputs;
	double *x = BXT_NEW(f->arena, double, 2 * n_z);
	f->infinite = BXT_NEW(f->arena, double, n_z);
	f->largest = BXT_NEW(f->arena, double, n_z);
	f->constant = BXT_NEW(f->arena, double, POINTS *all);
	if (!x || !f->infinite || !f->largest || !f->constant)
		return BXT_ERR_MEMORY;
	for (int point = 0; point < POINTS && l->n_inputs > 0; point++) {
		BXT_TRY(bxt_linear_factor_at(l, AT[point] * f->rate / BXT_TURN, f->d));
		for (int in = 0; in < l->n_inputs; in++) {
			BXT_TRY(bxt_linear_solve_input(l, in, x));
			note_sizes(x, l->n_z, f->largest);
			BXT_TRY(remove_finite(f, x));
			note_sizes(x, l->n_z, f->infinite);
			read_outputs(f, x,
				     f->constant + (size_t)point * all +
					     2 * (size_t)in * (size_t)l->n_outputs);
		}
	}
	return BXT_OK;
}

/* The largest difference of the values at the points. */
static double spread_of(const struct work *f, size_t at, size_t all)
{
	double most = 0;
	for (int point = 1; point < POINTS; point++) {
		const double *here = f->constant + (size_t)point * all + at;
		most = fmax(most, hypot(here[0] - f->constant[at], here[1] - f->constant[at + 1]));
	}
	return most;
}

/* D, unless that part is not constant: BXT_ERR_MODEL after a finding for each such pair. */
static bxt_status find_direct(struct work *f)
{
	const bxt_linear *l = f->l;
	const size_t outs = (size_t)l->n_outputs, all = 2 * outs * (size_t)l->n_inputs;
	double *direct = BXT_NEW(l->arena, double, all / 2);
	bxt_status status = direct ? BXT_OK : BXT_ERR_MEMORY;
	BXT_TRY(status);
	bxt_sparse_spread(&l->matrix[BXT_LINEAR_D], 1, direct);
	const bxt_sparse *c = &l->matrix[BXT_LINEAR_C];
	double *terms = BXT_NEW(f->arena, double, outs);
	if (!terms)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < c->ncol; j++)
		for (int k = c->colptr[j]; k < c->colptr[j + 1]; k++)
			terms[c->rowind[k]] += fabs(c->values[k]) * f->largest[j];
	for (int in = 0; in < l->n_inputs; in++)
		for (int out = 0; out < l->n_outputs; out++) {
			const size_t at = 2 * ((size_t)in * outs + (size_t)out);
			if (spread_of(f, at, all) > SAME_CONSTANT * terms[out]) {
				bxt_error(
					f->d, BXT_NOWHERE,
					"'%s' follows a derivative of '%s': no state space x' = A "
					"x + B u, y = C x + D u has that; without --reduce the "
					"matrices have it",
					l->recorder->columns[out].name, l->input[in].name.name);
				status = BXT_ERR_MODEL;
			}
			/* more than the round-off of zero */
			if (fabs(f->constant[at]) > NOTHING * terms[out])
				direct[at / 2] += f->constant[at];
		}
	f->out->d = direct;
	return status;
}

/* ---- Names ---- */

static bxt_status name_states(struct work *f)
{
	bxt_column *names = BXT_NEW(f->l->arena, bxt_column, (size_t)f->n);
	if (!names)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < f->n; k++) {
		const int j = f->unknown[k];
		const bxt_column *from = j < 0 ? NULL : &f->l->name[0][j];
		const bool own = j >= 0 && f->infinite[j] <= OWN * f->largest[j];
		names[k] = (bxt_column){sizeof *names, "", from ? from->unit : ""};
		names[k].name =
			own    ? from->name
			: from ? bxt_arena_printf(f->l->arena, "free part of %s", from->name)
			       : bxt_arena_printf(f->l->arena, "state %d", k + 1);
		if (!names[k].name)
			return BXT_ERR_MEMORY;
	}
	f->out->state = names;
	return BXT_OK;
}

/* ---- Check ---- */

/* C (s - A)^-1 B + D at s = 2 pi i frequency to y (outputs, inputs), complex. */
static bxt_status reduced_response(const struct work *f, double frequency, double *y)
{
	const bxt_linear_states *r = f->out;
	const size_t n = r->n, in = r->inputs, out = r->outputs;
	double *k = calloc(2 * n * (n + in) + 1, sizeof *k), *x = k + 2 * n * n;
	int *pivot = calloc(n + 1, sizeof *pivot), info = 0;
	const int n_i = (int)n, in_i = (int)in;
	if (!k || !pivot) {
		free(k);
		free(pivot);
		return BXT_ERR_MEMORY;
	}
	for (size_t i = 0; i < n * n; i++)
		k[2 * i] = -r->a[i];
	for (size_t i = 0; i < n; i++)
		k[2 * i * (n + 1) + 1] += BXT_TURN * frequency;
	for (size_t i = 0; i < n * in; i++)
		x[2 * i] = r->b[i];
	if (n > 0 && in > 0)
		zgesv_(&n_i, &in_i, k, &n_i, pivot, x, &n_i, &info);
	for (size_t j = 0; j < in; j++)
		for (size_t i = 0; i < out; i++) {
			double *to = y + 2 * (j * out + i);
			to[0] = r->d[j * out + i];
			to[1] = 0;
			for (size_t s = 0; s < n; s++)
				for (size_t part = 0; part < 2; part++)
					to[part] += r->c[s * out + i] * x[2 * (j * n + s) + part];
		}
	free(k);
	free(pivot);
	return info == 0 ? BXT_OK : BXT_ERR_SINGULAR;
}

/*
 * The same for the model, C (s E - A)^-1 B + D. terms (outputs, inputs) += the sums of the absolute
 * values of the terms of each entry. x (2 n_z) is scratch.
 */
static bxt_status whole_response(const struct work *f, double frequency, double *x, double *y,
				 double *terms, bxt_diagnostics *d)
{
	bxt_linear *l = f->l;
	const bxt_sparse *c = &l->matrix[BXT_LINEAR_C], *direct = &l->matrix[BXT_LINEAR_D];
	const size_t out = (size_t)l->n_outputs;
	BXT_TRY(bxt_linear_factor_at(l, frequency, d));
	for (int in = 0; in < l->n_inputs; in++) {
		double *to = y + 2 * (size_t)in * out, *sum = terms + (size_t)in * out;
		BXT_TRY(bxt_linear_solve_input(l, in, x));
		read_outputs(f, x, to);
		for (int j = 0; j < c->ncol; j++)
			for (int k = c->colptr[j]; k < c->colptr[j + 1]; k++)
				sum[c->rowind[k]] +=
					fabs(c->values[k]) * hypot(x[2 * j], x[2 * j + 1]);
		for (int k = direct->colptr[in]; k < direct->colptr[in + 1]; k++) {
			to[2 * direct->rowind[k]] += direct->values[k];
			sum[direct->rowind[k]] += fabs(direct->values[k]);
		}
	}
	return BXT_OK;
}

static bxt_status check_response(struct work *f)
{
	const size_t all = f->out->outputs * f->out->inputs;
	double *whole = BXT_NEW(f->arena, double, 2 * CHECKS * all);
	double *small = BXT_NEW(f->arena, double, 2 * CHECKS * all);
	double *terms = BXT_NEW(f->arena, double, all);
	double *x = BXT_NEW(f->arena, double, 2 * (size_t)f->l->n_z);
	bxt_diagnostics *quiet = bxt_diagnostics_new();
	bxt_status status = whole && small && terms && x && quiet ? BXT_OK : BXT_ERR_MEMORY;
	for (size_t k = 0; k < CHECKS && status == BXT_OK; k++) {
		const double frequency = CHECK_AT[k] * f->rate / BXT_TURN;
		status = whole_response(f, frequency, x, whole + 2 * all * k, terms, quiet);
		if (status == BXT_OK)
			status = reduced_response(f, frequency, small + 2 * all * k);
	}
	for (size_t i = 0; i < all && status == BXT_OK; i++) {
		double most = 0, off = 0;
		for (size_t k = 0; k < CHECKS; k++) {
			const double *a = whole + 2 * (all * k + i);
			const double *b = small + 2 * (all * k + i);
			most = fmax(most, fmax(hypot(a[0], a[1]), hypot(b[0], b[1])));
			off = fmax(off, hypot(a[0] - b[0], a[1] - b[1]));
		}
		/* An output that is 0 except for round-off, such as that of a balanced bridge. */
		if (most > NOTHING * terms[i])
			f->out->error = fmax(f->out->error, off / most);
	}
	bxt_diagnostics_free(quiet);
	if (status == BXT_ERR_SINGULAR || (status == BXT_OK && !(f->out->error <= SAME_RESPONSE))) {
		bxt_error(f->d, BXT_NOWHERE,
			  "round-off leaves no state space: its transfer functions differ from "
			  "those of the model by %.1e of them",
			  f->out->error);
		return BXT_ERR_SINGULAR;
	}
	return status;
}

static bxt_status make_states(struct work *f)
{
	BXT_TRY(find_spaces(f));
	BXT_TRY(find_unknowns(f));
	*f->out = (bxt_linear_states){.size = sizeof *f->out,
				      .n = (size_t)f->n,
				      .inputs = (size_t)f->l->n_inputs,
				      .outputs = (size_t)f->l->n_outputs};
	BXT_TRY(find_matrices(f));
	BXT_TRY(find_infinite(f));
	BXT_TRY(find_direct(f));
	BXT_TRY(name_states(f));
	return check_response(f);
}

bxt_status bxt_linear_to_states(bxt_linear *l, const bxt_linear_states **out, bxt_diagnostics *d)
{
	BXT_NEEDS(d, l);
	BXT_NEEDS(d, out);
	*out = NULL;
	BXT_TRY(bxt_linear_refuse_delays(l, "a state space", d));
	if (!l->states) {
		struct work f = {.arena = bxt_arena_new(), .l = l, .d = d};
		f.out = BXT_NEW(l->arena, bxt_linear_states, 1);
		const bxt_status status = f.arena && f.out ? make_states(&f) : BXT_ERR_MEMORY;
		bxt_arena_free(f.arena);
		BXT_TRY(status);
		l->states = f.out;
	}
	*out = l->states;
	return BXT_OK;
}
