/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The derivative of a step's map, applied to d = (dq, dp). The step solves r(x; q, p) = 0 and then
 * advances, (q', p') = a(x; q, p), so that
 *
 *     dx = -J^-1 (dr/d(q,p)) d          d' = (da/dx) dx + (da/d(q,p)) d
 *
 * with the step's own factored matrix J = dr/dx. An affine model is stepped from (q, p) + d: the
 * difference is d' exactly. Otherwise r and a are differentiated centrally: the steps from both
 * sides are solved with the same factors, from the same solution. Methods that solve by themselves
 * (Runge-Kutta, Taylor shooting) have no such matrix: they step from both sides.
 *
 * Coordinates and momenta are measured in the units of step/units.h.
 */
#include "motion/step/spectrum.h"

#include "ground/base/larger.h"
#include "ground/sparse/lapack.h"
#include "motion/start/grid_values.h"
#include "motion/step/units.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Displacement of the state to either side for central differences, relative to the state's size.
 * The truncation error is its square times the curvature, the round-off DBL_EPSILON divided by it.
 */
static const double MOVE = 1e-6;
/* Resulting relative error of d': of affine models, and of other models with a margin for curvature
 * (exponentials of diodes change by 4e-4). A root that this error may have caused is not reported.
 */
static const double ERROR_AFFINE = 64 * DBL_EPSILON, ERROR_MOVED = 1e-8;
/* |z| - 1 above which a root counts as growing, for a whole step; less for a short one. Round-off
 * splits the size of double roots at -1 into 1 +- 1e-8. Growth of 1e-5 in each step is a factor of
 * e in 1e5 steps. */
static const double GROWS = 1e-5;
/* Re z below which a root counts as ringing: the sign alternates, and the amplitude needs nearly
 * two steps or more to fall to a tenth. */
static const double RINGS = -0.3;
/* |Im z / Re z| up to which a root counts as real. */
static const double NEARLY_REAL = 1e-2;
/* A root is reported as growing only if |z| - 1 exceeds its error by this factor: the error is a
 * first-order estimate, and multiple roots split by more. */
static const double SURE = 8;
/* Error of a root above which ringing is not reported. It is large because the limit of -0.3 is not
 * sharp. */
static const double UNCERTAIN = 0.1;
/* Size of a new vector, relative to the image before orthogonalisation, below which the iteration
 * ends: the space is invariant. */
static const double INVARIANT = 1e-12;
/* Change of an entry of the equilibrated matrix, whose largest entries are 1, above which the roots
 * are computed again. */
static const double MUCH = 0.5;
enum { EQUILIBRATIONS = 6, CORRECTIONS = 4 };
/* Size of an update of a moved step, relative to the first one, at which the iteration ends. */
static const double CORRECTED = 1e-8;
/* [numbers] Memory for vectors; large models get fewer vectors. */
enum { ROOM = 16000000 };
/* Average number of updates of a moved step; cost, in updates, of the step itself and its
 * matrix. */
enum { UPDATES = 2, PREPARATION = 12 };

/* Part of an eigenvector that must remain after its momentum along the rows is removed, in steps
 * that keep that momentum. Such momentum alternates its sign in each step but enters no reported
 * value; the remaining part then is of the order of the step. */
static const double SEEN = 0.5;

/* Largest relative difference of the images of an eigenvector from both sides (CORNER), and of the
 * image from z times the vector (FOUND). Beyond, the step has a corner here, or the root is
 * inaccurate; it is not reported. */
static const double CORNER = 0.02, FOUND = 0.05;

enum { M = BXT_ROOT_VECTORS };

struct bxt_spectrum {
	bxt_stepper *st;
	bxt_arena *arena;
	int n, width; /* coordinates; numbers of a vector, 2n */
	int room;     /* vectors */
	bxt_state trial;
	const bxt_state *state; /* the point at which the roots are computed */
	double h, size;         /* size: that of the state in its units */
	double *unit;           /* (2n) of q and p */
	double *basis;          /* (room + 1)(2n) */
	double *end, *other;    /* (2n) ends of steps */
	double *rest;           /* (2n) scratch */
	double *vector[2];      /* (2n) an eigenvector, real and imaginary parts */
	double *x;              /* (n_x) the solution of the step from the state */
	double *row, *column;   /* (n_x) scales of the matrix */
	double *values;         /* (nnz) the matrix itself; NULL where it is constant */
	bxt_grid_values *grid;  /* NULL until needed */
	double *flow[2];        /* (size) */
	double hessenberg[M + 1][M];
	double matrix[M * M], left[M * M], right[M * M], re[M], im[M], work[8 * M];
};

static bxt_status make(bxt_spectrum *sp)
{
	const bxt_stepper *st = sp->st;
	const size_t size = (size_t)st->system->size + BXT_LANES, width = (size_t)sp->width,
		     n_x = (size_t)st->n_x, nnz = (size_t)bxt_sparse_nnz(&st->pattern) + 1;
	sp->trial.q = BXT_NEW(sp->arena, double, size);
	sp->trial.p = BXT_NEW(sp->arena, double, size);
	sp->trial.x = BXT_NEW(sp->arena, double, size);
	sp->unit = BXT_NEW(sp->arena, double, width);
	sp->basis = BXT_NEW(sp->arena, double, ((size_t)sp->room + 1) * width);
	sp->end = BXT_NEW(sp->arena, double, width);
	sp->other = BXT_NEW(sp->arena, double, width);
	sp->rest = BXT_NEW(sp->arena, double, width);
	sp->vector[0] = BXT_NEW(sp->arena, double, width);
	sp->vector[1] = BXT_NEW(sp->arena, double, width);
	sp->x = BXT_NEW(sp->arena, double, n_x + (size_t)st->stages.s * size);
	sp->flow[0] = BXT_NEW(sp->arena, double, size);
	sp->flow[1] = BXT_NEW(sp->arena, double, size);
	sp->row = BXT_NEW(sp->arena, double, n_x);
	sp->column = BXT_NEW(sp->arena, double, n_x);
	if (!st->affine && !(sp->values = BXT_NEW(sp->arena, double, nnz)))
		return BXT_ERR_MEMORY;
	return sp->trial.q && sp->trial.p && sp->trial.x && sp->unit && sp->basis && sp->end &&
			       sp->other && sp->rest && sp->vector[0] && sp->vector[1] && sp->x &&
			       sp->flow[0] && sp->flow[1] && sp->row && sp->column
		       ? BXT_OK
		       : BXT_ERR_MEMORY;
}

bxt_status bxt_spectrum_new(bxt_stepper *st, bxt_spectrum **out)
{
	bxt_spectrum *sp = *out = calloc(1, sizeof *sp);
	if (!sp)
		return BXT_ERR_MEMORY;
	sp->st = st;
	sp->n = st->system->n;
	sp->width = 2 * sp->n;
	sp->room = ROOM / (sp->width + 1);
	sp->room = sp->room > M ? M : sp->room < BXT_FEWEST_VECTORS ? BXT_FEWEST_VECTORS : sp->room;
	sp->arena = bxt_arena_new();
	const bxt_status status = sp->arena ? make(sp) : BXT_ERR_MEMORY;
	if (status != BXT_OK)
		*out = bxt_spectrum_free(sp);
	return status;
}

bxt_spectrum *bxt_spectrum_free(bxt_spectrum *sp)
{
	if (sp) {
		bxt_grid_values_free(sp->grid);
		bxt_arena_free(sp->arena);
	}
	free(sp);
	return NULL;
}

/* ---- Units ---- */

/* Scales rows and columns of the step's matrix to a largest entry of 1 each. */
static void equilibrate(bxt_spectrum *sp)
{
	const bxt_sparse *a = &sp->st->pattern;
	const double *values = sp->st->newton.values;
	double *row = sp->row, *column = sp->column;
	for (int i = 0; i < a->ncol; i++)
		row[i] = column[i] = 1;
	for (int sweep = 0; sweep < EQUILIBRATIONS; sweep++)
		for (int columns = 0; columns < 2; columns++) {
			double *scale = columns ? column : row, *largest = sp->x;
			memset(largest, 0, (size_t)a->ncol * sizeof *largest);
			for (int j = 0; j < a->ncol; j++)
				for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
					const int i = a->rowind[k], at = columns ? j : i;
					largest[at] = bxt_larger(
						largest[at], fabs(values[k]) * row[i] * column[j]);
				}
			for (int i = 0; i < a->ncol; i++)
				if (largest[i] > 0 && isfinite(largest[i]))
					scale[i] /= sqrt(largest[i]);
		}
}

/* Sets the units of q and p, and stores the matrix to detect later changes. */
static void choose_units(bxt_spectrum *sp)
{
	const bxt_stepper *st = sp->st;
	equilibrate(sp);
	if (sp->values)
		memcpy(sp->values, st->newton.values,
		       (size_t)bxt_sparse_nnz(&st->pattern) * sizeof *sp->values);
	bxt_state_units(st, sp->h, sp->x, sp->unit);
}

bool bxt_spectrum_changed(const bxt_spectrum *sp)
{
	const bxt_sparse *a = &sp->st->pattern;
	const double *now = sp->st->newton.values;
	for (int j = 0; sp->values && j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
			if (fabs(now[k] - sp->values[k]) * sp->row[a->rowind[k]] * sp->column[j] >
			    MUCH)
				return true;
	return false;
}

/* The largest of q, p and their changes in the step, in their units. */
static void measure(bxt_spectrum *sp)
{
	const int n = sp->n;
	double size = 0;
	for (int i = 0; i < n; i++) {
		const double q = sp->state->q[i], p = sp->state->p[i];
		size = bxt_larger(size, fabs(q) / sp->unit[i]);
		size = bxt_larger(size, fabs(sp->end[i] - q) / sp->unit[i]);
		size = bxt_larger(size, fabs(p) / sp->unit[n + i]);
		size = bxt_larger(size, fabs(sp->end[n + i] - p) / sp->unit[n + i]);
	}
	sp->size = size > 0 && isfinite(size) ? size : 1;
}

/* ---- The derivative ---- */

/* q and p at the end of the step that the stepper has solved. */
static bxt_status advance(bxt_spectrum *sp, double *end)
{
	bxt_stepper *st = sp->st;
	bxt_state *trial = &sp->trial;
	const double t = trial->t;
	st->method->move(st, st->x);
	st->method->advance(st, trial, t + sp->h);
	trial->t = t + sp->h;
	bxt_status status = BXT_OK;
	for (int k = 0; k < BXT_CLOSINGS && status == BXT_OK; k++)
		if (st->closing[k] && st->board->closing[k]->close)
			status = st->board->closing[k]->close(st, st->closing[k], trial);
	trial->t = t;
	memcpy(end, trial->q, (size_t)sp->n * sizeof *end);
	memcpy(end + sp->n, trial->p, (size_t)sp->n * sizeof *end);
	return status;
}

/* Solves a moved step with the factors at hand. */
static bxt_status correct(bxt_spectrum *sp)
{
	bxt_stepper *st = sp->st;
	bxt_newton *newton = &st->newton;
	double first = 0;
	memcpy(st->x, sp->x, (size_t)st->n_x * sizeof *st->x);
	for (int k = 0; k < CORRECTIONS; k++) {
		double size = 0;
		bxt_stepper_residual(st, st->x, newton->r, newton->r_abs);
		BXT_TRY(bxt_stepper_divide(st, newton->r));
		for (int i = 0; i < st->n_x; i++) {
			st->x[i] -= newton->r[i];
			size = bxt_larger(size, fabs(newton->r[i]) / sp->column[i]);
		}
		if (!isfinite(size))
			return BXT_ERR_NOT_FINITE;
		if (k == 0)
			first = size;
		else if (size <= CORRECTED * first)
			break;
	}
	return BXT_OK;
}

/* The end of the step from the state moved by `by` times d, in units; d NULL: from the state. */
static bxt_status step_from(bxt_spectrum *sp, const double *d, double by, double *end)
{
	bxt_stepper *st = sp->st;
	const bxt_state *from = sp->state;
	bxt_state *trial = &sp->trial;
	const int n = sp->n;
	const size_t bytes = (size_t)st->system->size * sizeof(double);
	memcpy(trial->q, from->q, bytes);
	memcpy(trial->p, from->p, bytes);
	memcpy(trial->x, from->x, bytes);
	for (int i = 0; d && i < n; i++) {
		trial->q[i] += by * sp->unit[i] * d[i];
		trial->p[i] += by * sp->unit[n + i] * d[n + i];
	}
	if (!d || st->method->solve) {
		BXT_TRY(bxt_stepper_solve(st, trial, sp->h));
		return advance(sp, end);
	}
	BXT_TRY(bxt_stepper_begin(st, trial, sp->h));
	if (!st->affine) {
		BXT_TRY(correct(sp));
		return advance(sp, end);
	}
	bxt_stepper_right_hand_side(st);
	BXT_TRY(bxt_stepper_divide(st, st->x));
	return advance(sp, end);
}

static double norm(const double *v, int n)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += v[i] * v[i];
	return sqrt(sum);
}

/* to = the derivative times d. */
static bxt_status apply(bxt_spectrum *sp, const double *d, double *to)
{
	const bool one_sided = sp->st->affine && !sp->st->method->solve;
	const double by = one_sided ? sp->size : MOVE * sp->size;
	BXT_TRY(step_from(sp, d, by, to));
	if (!one_sided)
		BXT_TRY(step_from(sp, d, -by, sp->other));
	const double *base = one_sided ? sp->end : sp->other, over = one_sided ? by : 2 * by;
	for (int i = 0; i < sp->width; i++)
		to[i] = (to[i] - base[i]) / (over * sp->unit[i]);
	return isfinite(norm(to, sp->width)) ? BXT_OK : BXT_ERR_NOT_FINITE;
}

/* Solves the step from the state and factors its matrix there. */
static bxt_status prepare(bxt_spectrum *sp, const bxt_state *state, double h)
{
	bxt_stepper *st = sp->st;
	double *q = sp->trial.q, *p = sp->trial.p, *x = sp->trial.x;
	sp->trial = *state;
	sp->trial.q = q;
	sp->trial.p = p;
	sp->trial.x = x;
	sp->state = state;
	sp->h = h;
	BXT_TRY(step_from(sp, NULL, 0, sp->end));
	if (!st->affine && !st->method->solve) {
		memcpy(sp->trial.q, state->q, (size_t)st->system->size * sizeof *q);
		memcpy(sp->trial.p, state->p, (size_t)st->system->size * sizeof *p);
		BXT_TRY(bxt_stepper_factor(st, &sp->trial, h));
	}
	choose_units(sp);
	memcpy(sp->x, st->x, (size_t)st->n_x * sizeof *sp->x);
	measure(sp);
	return BXT_OK;
}

/* ---- Arnoldi's method ---- */

/* A reproducible start vector with components in all directions: fractions of multiples of the
 * golden ratio. Momenta that the scheme holds at 0 stay 0. */
static void start_vector(const bxt_spectrum *sp, double *v)
{
	static const double GOLDEN = 0.61803398874989485;
	const bxt_system *s = sp->st->system;
	const bool carries = sp->st->settings->scheme->carries_momenta;
	for (int i = 0; i < sp->width; i++) {
		const double turn = (i + 1) * GOLDEN;
		v[i] = turn - floor(turn) - 0.5;
		if (i >= sp->n && s->pinned[i - sp->n] && !carries)
			v[i] = 0;
	}
}

static bool normalise(double *v, int n)
{
	const double size = norm(v, n);
	for (int i = 0; i < n && size > 0; i++)
		v[i] /= size;
	return size > 0;
}

/* Orthogonalises w against the first k + 1 vectors, twice, because the first pass leaves round-
 * off. */
static void orthogonalise(bxt_spectrum *sp, int k, double *w)
{
	for (int twice = 0; twice < 2; twice++)
		for (int j = 0; j <= k; j++) {
			const double *v = sp->basis + (size_t)j * (size_t)sp->width;
			double product = 0;
			for (int i = 0; i < sp->width; i++)
				product += v[i] * w[i];
			for (int i = 0; i < sp->width; i++)
				w[i] -= product * v[i];
			sp->hessenberg[j][k] += product;
		}
}

/* Builds the basis and the projected matrix; *rest is the norm of the last image's part outside the
 * basis. */
static bxt_status iterate(bxt_spectrum *sp, int vectors, int *found, double *rest)
{
	const size_t width = (size_t)sp->width;
	memset(sp->hessenberg, 0, sizeof sp->hessenberg);
	*found = 0;
	*rest = 0;
	/* The iteration starts from the image of the start vector, which lies in the space that
	 * steps reach. */
	start_vector(sp, sp->basis + width);
	BXT_TRY(apply(sp, sp->basis + width, sp->basis));
	if (!normalise(sp->basis, sp->width))
		return BXT_OK;
	for (int k = 0; k < vectors; k++) {
		double *w = sp->basis + (size_t)(k + 1) * width;
		BXT_TRY(apply(sp, sp->basis + (size_t)k * width, w));
		const double before = norm(w, sp->width);
		orthogonalise(sp, k, w);
		*rest = norm(w, sp->width);
		*found = k + 1;
		if (*rest <= INVARIANT * before || *rest == 0) {
			*rest = 0;
			break;
		}
		sp->hessenberg[k + 1][k] = *rest;
		normalise(w, sp->width);
	}
	return BXT_OK;
}

/* ---- Roots ---- */

/* Entry i of eigenvector k, as LAPACK keeps pairs: real parts in a column, imaginary in the next.
 */
static void entry(const bxt_spectrum *sp, const double *vectors, int m, int k, int i, double *re,
		  double *im)
{
	const bool pair = sp->im[k] != 0, second = pair && sp->im[k] < 0;
	const int first = second ? k - 1 : k;
	*re = vectors[first * m + i];
	*im = pair ? vectors[(first + 1) * m + i] * (second ? -1 : 1) : 0;
}

/* The condition of root k, |x| |y| / |y^H x|; *last: the share of x along the last vector. */
static double condition_of(const bxt_spectrum *sp, int m, int k, double *last)
{
	double re = 0, im = 0, x2 = 0, y2 = 0;
	for (int i = 0; i < m; i++) {
		double xr, xi, yr, yi;
		entry(sp, sp->right, m, k, i, &xr, &xi);
		entry(sp, sp->left, m, k, i, &yr, &yi);
		re += xr * yr + xi * yi;
		im += xi * yr - xr * yi;
		x2 += xr * xr + xi * xi;
		y2 += yr * yr + yi * yi;
		*last = hypot(xr, xi);
	}
	*last /= sqrt(x2);
	return sqrt(x2 * y2) / hypot(re, im);
}

/* Eigenvector k in the space of (q, p), its parts in sp->vector. */
static void form_vector(bxt_spectrum *sp, int m, int k)
{
	double *re = sp->vector[0], *im = sp->vector[1];
	memset(re, 0, (size_t)sp->width * sizeof *re);
	memset(im, 0, (size_t)sp->width * sizeof *im);
	for (int j = 0; j < m; j++) {
		double a, b;
		entry(sp, sp->right, m, k, j, &a, &b);
		const double *v = sp->basis + (size_t)j * (size_t)sp->width;
		for (int i = 0; i < sp->width; i++) {
			re[i] += a * v[i];
			im[i] += b * v[i];
		}
	}
}

/* Names the largest coordinates of the eigenvector, by q and p together. */
static void name_parts(const bxt_spectrum *sp, bxt_root *root)
{
	const double *re = sp->vector[0], *im = sp->vector[1];
	double value[BXT_ROOT_PARTS] = {0};
	root->n_part = 0;
	for (int i = 0; i < sp->n; i++) {
		const double size = fmax(hypot(re[i], im[i]), hypot(re[sp->n + i], im[sp->n + i]));
		int at = root->n_part;
		while (at > 0 && value[at - 1] < size)
			at--;
		if (at == BXT_ROOT_PARTS)
			continue;
		root->n_part += root->n_part < BXT_ROOT_PARTS;
		for (int j = root->n_part - 1; j > at; j--) {
			value[j] = value[j - 1];
			root->part[j] = root->part[j - 1];
		}
		value[at] = size;
		root->part[at] = i;
	}
	static const double SMALL = 1e-3; /* drops coordinates that are small beside the largest */
	while (root->n_part > 1 && value[root->n_part - 1] < SMALL * value[0])
		root->n_part--;
}

/*
 * Verifies an eigenvector by the step itself: computes its image again, separately from each side.
 * The two agree if the step is smooth.
 */
static bool is_certain(bxt_spectrum *sp, double re, double im)
{
	const double by = MOVE * sp->size;
	double off = 0, corner = 0, size = 0;
	for (int part = 0; part < (im != 0 ? 2 : 1); part++) {
		const double *v = sp->vector[part], *w = sp->vector[1 - part];
		const double turn = part ? im : -im; /* A (x + i y) = z (x + i y) */
		double *plus = sp->end, *minus = sp->other, *middle = sp->rest;
		if (step_from(sp, v, by, plus) != BXT_OK ||
		    step_from(sp, v, -by, minus) != BXT_OK || step_from(sp, v, 0, middle) != BXT_OK)
			return false;
		for (int i = 0; i < sp->width; i++) {
			const double unit = sp->unit[i] * by;
			const double image = (plus[i] - minus[i]) / (2 * unit);
			off += pow(image - re * v[i] - turn * w[i], 2);
			corner += pow((plus[i] - 2 * middle[i] + minus[i]) / (2 * unit), 2);
			size += image * image;
		}
	}
	/* A root of condition 16 may have 16 times this error, which must stay below |z| - 1. */
	const double found = fmin(FOUND, (hypot(re, im) - 1) / 16);
	return off <= found * found * size && corner <= CORNER * CORNER * size;
}

/* Flows at the state moved by `by` times the eigenvector, without the momentum along rows. */
static bxt_status flows_at(bxt_spectrum *sp, double by, double *flow)
{
	bxt_state *trial = &sp->trial;
	memcpy(flow, sp->state->x, (size_t)sp->st->system->size * sizeof *flow);
	for (int i = 0; i < sp->n; i++) {
		trial->q[i] = sp->state->q[i] + by * sp->unit[i] * sp->vector[0][i];
		trial->p[i] = sp->state->p[i] + by * sp->unit[sp->n + i] * sp->vector[0][sp->n + i];
	}
	return bxt_grid_values_find(sp->grid, trial->q, trial->p, sp->state->t, NULL, flow);
}

/* Does the eigenvector contain more than momentum along rows, which grid values remove? */
static bool is_seen(bxt_spectrum *sp)
{
	const bxt_stepper *st = sp->st;
	const double by = MOVE * sp->size;
	double left = 0;
	if ((st->stages.kick != 0 && st->settings->project_rows) || st->system->m == 0 ||
	    st->settings->scheme->carries_momenta)
		return true;
	if (!sp->grid &&
	    bxt_grid_values_new(st->system, sp->st->settings->step, false, &sp->grid) != BXT_OK)
		return true;
	if (flows_at(sp, by, sp->flow[0]) != BXT_OK || flows_at(sp, -by, sp->flow[1]) != BXT_OK)
		return true;
	for (int i = 0; i < sp->n; i++) {
		const double q = sp->vector[0][i], unit = sp->unit[i] / fabs(sp->h),
			     v = (sp->flow[0][i] - sp->flow[1][i]) / (2 * by * unit);
		left += q * q + v * v;
	}
	return left >= SEEN * SEEN;
}

/* errors: the root's error and condition. */
static void offer(bxt_spectrum *sp, int m, int k, const double errors[2], bxt_root *root,
		  const bxt_root *ringing)
{
	const bxt_root none = *root;
	*root = (bxt_root){.re = sp->re[k],
			   .im = sp->im[k],
			   .size = hypot(sp->re[k], sp->im[k]),
			   .error = errors[0],
			   .condition = errors[1]};
	form_vector(sp, m, k);
	name_parts(sp, root);
	/* A root whose |z| - 1 is within its error is not a growing root and needs no
	 * verification. */
	if ((root->size - 1 > errors[0] && !is_certain(sp, root->re, root->im)) ||
	    (root == ringing && !is_seen(sp)))
		*root = none;
}

static bxt_status find_roots(bxt_spectrum *sp, int m, double rest, bxt_roots *out)
{
	const int lwork = 8 * M;
	int info = 0;
	double largest = 1;
	for (int j = 0; j < m; j++)
		for (int i = 0; i < m; i++) {
			sp->matrix[j * m + i] = sp->hessenberg[i][j];
			largest = fmax(largest, fabs(sp->hessenberg[i][j]));
		}
	dgeev_("V", "V", &m, sp->matrix, &m, sp->re, sp->im, sp->left, &m, sp->right, &m, sp->work,
	       &lwork, &info, 1, 1);
	if (info != 0)
		return BXT_ERR_NOT_FINITE;
	const bool exact = sp->st->affine && !sp->st->method->solve;
	const double grows = GROWS * fmin(fabs(sp->h) / sp->st->settings->step, 1);
	const double noise = largest * (exact ? ERROR_AFFINE : ERROR_MOVED);
	for (int k = 0; k < m; k++) {
		const double size = hypot(sp->re[k], sp->im[k]);
		double last = 0;
		const double condition = condition_of(sp, m, k, &last);
		/* from the last image's part outside the basis, and from the error of the
		 * derivative */
		const double error = condition * (rest * last + noise);
		out->largest = fmax(out->largest, size);
		if (size - 1 > grows && size - 1 > SURE * error) {
			bxt_root *root = sp->re[k] < 0 ? &out->alternating : &out->growing;
			if (size > root->size)
				offer(sp, m, k, (const double[2]){error, condition}, root,
				      &out->ringing);
		} else if (sp->re[k] < RINGS && fabs(sp->im[k]) <= -NEARLY_REAL * sp->re[k] &&
			   error < UNCERTAIN && sp->re[k] < out->ringing.re)
			offer(sp, m, k, (const double[2]){error, condition}, &out->ringing,
			      &out->ringing);
	}
	return BXT_OK;
}

bxt_status bxt_spectrum_find(bxt_spectrum *sp, const bxt_state *state, double h, int vectors,
			     bxt_roots *out)
{
	bxt_stepper *st = sp->st;
	const bxt_newton counts = st->newton;
	const bool failed = st->guesses.after_failure;
	const double trusted = st->guesses.trusted;
	double rest = 0;
	*out = (bxt_roots){.vectors = 0};
	vectors = vectors < sp->room ? vectors : sp->room;
	vectors = vectors < sp->width ? vectors : sp->width;
	bxt_status status = prepare(sp, state, h);
	if (status == BXT_OK)
		status = iterate(sp, vectors, &out->vectors, &rest);
	if (status == BXT_OK && out->vectors > 0)
		status = find_roots(sp, out->vectors, rest, out);
	out->complete = status == BXT_OK && out->vectors > 0 && rest == 0;
	const bool kept =
		counts.kept && st->newton.kept; /* the computation may have replaced factors */
	st->newton = counts;
	st->newton.kept = kept;
	st->newton.gain = 0;
	st->newton.evaluated = false;
	st->guesses.after_failure = failed;
	st->guesses.trusted = trusted;
	st->quadrature.published = false;
	return status;
}

double bxt_spectrum_work(const bxt_spectrum *sp, int vectors)
{
	const bool one_sided = sp->st->affine && !sp->st->method->solve;
	const double updates = PREPARATION + vectors * (one_sided ? 1.0 : 2.0 * UPDATES);
	/* each vector is orthogonalised twice against the earlier ones, by a product and a
	 * difference */
	return updates * bxt_newton_update_work(&sp->st->equations) +
	       2.0 * vectors * (vectors + 1) * sp->width;
}
