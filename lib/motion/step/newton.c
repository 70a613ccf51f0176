/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Damped Newton's method: J(x) dx = -r(x), x <- x + a dx, a = 1, 1/2, 1/4, ... until |D^-1 r|
 * falls.
 *
 * D is the largest entry of each row of J. An update below 1e-9 relative is taken undamped. Done
 * when every row's residual is round-off of its own terms; a fixed tolerance would stall where the
 * terms are large (offsets) or demand too little where they are small. A row whose terms are all
 * round-off never meets this criterion. So Newton's method also ends when every row has settled and
 * updates either predict that the one after next is round-off, or are below 1e-9 and shrink no
 * more. A row has settled if its residual r after r' is
 *
 *     |r_i| <= C eps (terms_i + reach_i) ,   reach_i = sum_j |J_ij| (largest unknown of j's unit) ,
 *
 * or is predicted to be, |r| (|r| / |r'|), or |r| > |r'| / 2. The size of updates alone is no
 * criterion, because one vector contains values of 1e6 Pa and of 1e-6 m3/s.
 *
 * A further criterion serves unknowns that are all round-off, as are rows that contain only these:
 * the forces in the joints of a falling robot. Round-off e of the rows changes the unknowns by
 * J^{-1} e, where e_i = +- C eps (terms_i + sum_j |J_ij| |x_j|). An update that does not shrink is
 * round-off if no entry exceeds the largest of some samples of J^{-1} e. This criterion must not
 * use the largest unknown of a unit in place of |x_j|: beside kiloamperes, a part with a leakage
 * current of picoamperes would count as solved while its exponentials still fall by a factor e in
 * each update.
 */
#include "ground/base/larger.h"
#include "motion/step/newton_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SMALL_UPDATE =
	1e-9; /* relative; below: updates undamped, stagnation is success */
static const double STALLED_UPDATE =
	1e-5; /* relative; above: no solution, even with all rows at floors */
/* CHORD: relative size of an update below which the next one uses the same factors. It is accepted
 * if smaller by the factor CHORD_TAKEN; a further one follows if smaller by CHORD_KEEPS. */
static const double CHORD = 1e-2, CHORD_TAKEN = 0.05, CHORD_KEEPS = 1e-3;
/* Largest relative error that such updates may leave after one more. It is far below round-off
 * because this error always has the same sign and accumulates over the steps. */
static const double CHORD_DONE = DBL_EPSILON / 256;
static const double SMALLEST_STEP = 1e-10; /* of the damping factor */
/* Size of unknowns, relative to their typical size, below which they are passing through zero. */
static const double PASSING = 1e-3;
/* If two ratios of updates exceed SLOW, the part of the residual without a slope prevents
 * convergence and is dropped. Updates must be below NEAR, where Newton's method would converge. */
static const double SLOW = 0.5, NEAR = 0.1;
/* Cost of a factorisation, in updates, below which each solve makes new factors. */
static const double KEPT_PRICE = 2;
/* Assumed ratio of the convergence rate of updates with the same factors to the last reduction of
 * the residual, which may be small only because of nearly linear unknowns. */
static const double SLOWER = 4;
/* TRY_OTHER: number of solves with the cheaper strategy (new or kept factors) between two trials of
 * the other. NEWS: weight of a new cost in the running mean. */
enum { TRY_OTHER = 32 };
static const double NEWS = 0.25;
/* Kept factors must save a tenth of the cost of solves, which varies by about as much. */
static const double WORTH = 0.9;
/* Number of updates with the same factors that give two ratios; the second is the rate. */
enum { TWO_RATIOS = 3 };
/* Decay of the typical size of unknowns in each solve. */
static const double FORGETTING = 0.98;
/* Number of samples of round-off with random signs. Because of C a sample is about 16 times larger
 * than an update that is round-off. Such an update exceeds one sample in about one of 25 unknowns,
 * and all four in one of 4e5. The next update gets other samples. */
enum { SAMPLES = 4 };
/* Sampling stops when the update exceeds a sample by this factor: it cannot be round-off. */
static const double HOPELESS = 1e4;
enum { MAX_ITERATIONS = 200, MOST_POLISHES = 4 };

/* The entries of the pattern by rows, columns ascending. */
static bxt_status list_rows(bxt_newton *newton, bxt_arena *arena, const bxt_sparse *p)
{
	const size_t n = (size_t)p->nrow, nnz = (size_t)bxt_sparse_nnz(p);
	int *start = newton->rows.start = BXT_NEW(arena, int, n + 2);
	newton->rows.entry = BXT_NEW(arena, int, nnz + 1);
	newton->rows.col = BXT_NEW(arena, int, nnz + 1);
	if (!start || !newton->rows.entry || !newton->rows.col)
		return BXT_ERR_MEMORY;
	for (size_t k = 0; k < nnz; k++)
		start[p->rowind[k] + 2]++;
	for (size_t i = 0; i < n; i++)
		start[i + 2] += start[i + 1];
	for (int j = 0; j < p->ncol; j++) /* ends of rows, as these are filled */
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
			const int at = start[p->rowind[k] + 1]++;
			newton->rows.entry[at] = k;
			newton->rows.col[at] = j;
		}
	return BXT_OK;
}

bxt_status bxt_newton_init(bxt_newton *newton, bxt_arena *arena, const bxt_equations *equations)
{
	const size_t n = (size_t)equations->n;
	*newton = (bxt_newton){.max_iterations = MAX_ITERATIONS, .watch = {1}};
	newton->r = BXT_NEW(arena, double, n);
	newton->r_abs = BXT_NEW(arena, double, n);
	newton->dx = BXT_NEW(arena, double, n);
	newton->trial = BXT_NEW(arena, double, n);
	newton->row_scale = BXT_NEW(arena, double, n);
	newton->r_before = BXT_NEW(arena, double, n);
	newton->reach = BXT_NEW(arena, double, n);
	newton->added = BXT_NEW(arena, double, n);
	newton->sample = BXT_NEW(arena, double, n);
	newton->noise = BXT_NEW(arena, double, n);
	newton->largest = BXT_NEW(arena, double, (size_t)equations->n_quantities + 1);
	newton->values = BXT_NEW(arena, double, (size_t)bxt_sparse_nnz(equations->pattern) + 1);
	BXT_TRY(list_rows(newton, arena, equations->pattern));
	return newton->r && newton->r_abs && newton->dx && newton->trial && newton->row_scale &&
			       newton->r_before && newton->reach && newton->added &&
			       newton->sample && newton->noise && newton->largest && newton->values
		       ? BXT_OK
		       : BXT_ERR_MEMORY;
}

static void scale_rows(bxt_newton *newton, const bxt_equations *eq)
{
	const bxt_sparse *p = eq->pattern;
	memset(newton->row_scale, 0, (size_t)p->nrow * sizeof(double));
	for (int s = 0; s < eq->n_split; s++)
		for (int k = p->colptr[eq->split[s]]; k < p->colptr[eq->split[s + 1]]; k++) {
			const double a = fabs(newton->values[k]) * eq->unit[s];
			if (a > newton->row_scale[p->rowind[k]])
				newton->row_scale[p->rowind[k]] = a;
		}
}

/* max |r_i| / D_i, infinite when a value is not finite. */
static double norm(const bxt_newton *newton, int n)
{
	double largest = 0;
	for (int i = 0; i < n; i++) {
		const double a = fabs(newton->r[i]);
		if (!(a <= DBL_MAX))
			return INFINITY;
		if (a > largest * newton->row_scale[i] && newton->row_scale[i] > 0)
			largest = a / newton->row_scale[i];
	}
	return largest;
}

/*
 * Largest update relative to the largest unknown in its unit (those of one kind may all be
 * round-off: flows at the end of a step in which no mass moves); where all pass through zero,
 * relative to their typical size.
 */
static double update_size(const bxt_newton *newton, const bxt_equations *eq, const double *x)
{
	double dx[2] = {0}, scale[2] = {0}, size = 0;
	for (int k = 0; k < eq->n_split; k++) {
		double most = dx[k % 2], largest = fmax(scale[k % 2], PASSING * newton->typical[k]);
		for (int i = eq->split[k]; i < eq->split[k + 1]; i++) {
			const double a = fabs(newton->dx[i]), b = fabs(x[i] + newton->dx[i]);
			if (!(a <= DBL_MAX))
				return INFINITY;
			most = a > most ? a : most;
			largest = b > largest ? b : largest;
		}
		dx[k % 2] = most;
		scale[k % 2] = largest;
	}
	for (int z = 0; z < 2; z++)
		if (dx[z] > 0)
			size = fmax(size, dx[z] / (scale[z] > 0 ? scale[z] : 1));
	return size;
}

/* Makes the present residual the previous one; the next one is evaluated in its place. */
static void step_back(bxt_newton *newton)
{
	double *r = newton->r_before;
	newton->r_before = newton->r;
	newton->r = r;
}

static void evaluate(bxt_newton *newton, const bxt_equations *eq, const double *x)
{
	const double start = bxt_watch_now(&newton->watch);
	eq->residual(eq->context, x, newton->r, newton->r_abs);
	newton->seconds_evaluate += bxt_watch_now(&newton->watch) - start;
}

double bxt_newton_distance(bxt_newton *newton, const bxt_equations *eq, const double *x)
{
	evaluate(newton, eq, x);
	return norm(newton, eq->n);
}

/* b <- J^{-1} b with the present factors. */
static bxt_status divide(const bxt_newton *newton, bxt_linsol *solver, double *b)
{
	return newton->by_near.matrix
		       ? newton->by_near.matrix->solve(newton->by_near.matrix->self, b)
		       : bxt_linsol_solve(solver, b);
}

/* dx = -J^{-1} r with the present factors. */
static bxt_status chord(bxt_newton *newton, const bxt_equations *eq, bxt_linsol *solver)
{
	const double start = bxt_watch_now(&newton->watch);
	for (int i = 0; i < eq->n; i++)
		newton->dx[i] = -newton->r[i];
	const bxt_status status = divide(newton, solver, newton->dx);
	*(newton->by_near.matrix ? &newton->by_near.updates : &newton->updates) += 1;
	newton->seconds_solve += bxt_watch_now(&newton->watch) - start;
	return status;
}

/*
 * Cost of new factors relative to that of an update with existing factors. Both include
 * multiplications and passes over memory.
 */
static double price_of_factors(const bxt_equations *eq, bxt_linsol *solver)
{
	double factor, solve;
	const double nnz = bxt_sparse_nnz(eq->pattern);
	bxt_linsol_work(solver, &factor, &solve);
	return factor > 0 && eq->residual_work > 0
		       ? (factor + solve + eq->jacobian_work + BXT_NEWTON_ASSEMBLY * nnz) /
				 (solve + bxt_newton_update_work(eq))
		       : 0;
}

/* dx = -J^{-1} r */
static bxt_status direction(bxt_newton *newton, const bxt_equations *eq, bxt_linsol *solver,
			    const double *x, int *culprit)
{
	const double start = bxt_watch_now(&newton->watch);
	eq->jacobian(eq->context, x, newton->values);
	scale_rows(newton, eq);
	const double evaluated = bxt_watch_now(&newton->watch);
	const bxt_status status = bxt_linsol_factor(solver, newton->values, culprit);
	if (newton->keeping.price == 0 && status == BXT_OK)
		newton->keeping.price = price_of_factors(eq, solver);
	newton->kept = status == BXT_OK;
	newton->factorizations++;
	newton->alike = newton->old ? 1 : newton->alike;
	newton->old = false;
	newton->seconds_evaluate += evaluated - start;
	newton->seconds_factor += bxt_watch_now(&newton->watch) - evaluated;
	return status == BXT_OK ? chord(newton, eq, solver) : status;
}

/* A pseudorandom but reproducible sign (mixing of splitmix64). */
static double sign_of(unsigned long long i)
{
	i = (i + 1) * 0x9e3779b97f4a7c15ULL;
	i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9ULL;
	i = (i ^ (i >> 27)) * 0x94d049bb133111ebULL;
	return (i ^ (i >> 31)) & 1 ? 1 : -1;
}

/*
 * Is the update no larger than the change of the unknowns by round-off of the rows' terms at x?
 */
static bool is_noise(bxt_newton *newton, const bxt_equations *eq, bxt_linsol *solver,
		     const double *x)
{
	const double start = bxt_watch_now(&newton->watch);
	const unsigned long long n = (unsigned long long)eq->n;
	unsigned long long drawn = (unsigned long long)newton->last_iterations * SAMPLES * n;
	bool hopeless = false, noise = false;
	bxt_newton_find_own_reach(newton, eq, x);
	memset(newton->noise, 0, (size_t)n * sizeof *newton->noise);
	for (int k = 0; k < SAMPLES && !hopeless; k++) {
		for (int i = 0; i < eq->n; i++)
			newton->sample[i] = bxt_newton_round_off(newton, i) * sign_of(drawn++);
		hopeless = divide(newton, solver, newton->sample) != BXT_OK;
		noise = true;
		for (int j = 0; j < eq->n && !hopeless; j++) {
			newton->noise[j] = bxt_larger(newton->noise[j], fabs(newton->sample[j]));
			noise = noise && fabs(newton->dx[j]) <= newton->noise[j];
			hopeless = !(fabs(newton->dx[j]) <= HOPELESS * newton->noise[j]);
		}
	}
	newton->seconds_solve += bxt_watch_now(&newton->watch) - start;
	return noise && !hopeless;
}

/* Discards the ratios of updates, at the start of a sequence. */
static void forget_updates(bxt_newton *newton)
{
	newton->gain = 0;
	newton->alike = 0;
	newton->old = false;
	newton->shortened = false;
	newton->fell = INFINITY;
	newton->last = newton->ratio = newton->ratio_before = INFINITY;
}

/* Goes over to the Jacobian. */
static void leave_near(bxt_newton *newton)
{
	newton->by_near.matrix = NULL;
	newton->by_near.all = false;
	forget_updates(newton);
}

/* Replaces the factors of an earlier solve by new ones at x, where the residual is known. */
static bxt_status renew(bxt_newton *newton, const bxt_equations *eq, bxt_linsol *solver,
			const double *x, double *size, int *culprit)
{
	newton->gain = 0;
	BXT_TRY(direction(newton, eq, solver, x, culprit));
	*size = update_size(newton, eq, x);
	return isfinite(*size) ? BXT_OK : BXT_ERR_NOT_FINITE;
}

/* Largest update by unit, relative to the largest unknown of that unit. */
static double natural_size(bxt_newton *newton, const bxt_equations *eq, const double *x,
			   const double *dx)
{
	double size = 0;
	memset(newton->largest, 0, (size_t)eq->n_quantities * sizeof *newton->largest);
	for (int j = 0; j < eq->n; j++) {
		double *largest = &newton->largest[eq->quantity[j]];
		*largest = bxt_larger(*largest, fabs(x[j]));
	}
	for (int j = 0; j < eq->n; j++) {
		const double largest = newton->largest[eq->quantity[j]], a = fabs(dx[j]);
		if (!(a <= size * largest))
			size = largest > 0 ? a / largest : a > 0 ? INFINITY : size;
	}
	return size;
}

/*
 * The natural monotonicity test (Deuflhard, Newton Methods for Nonlinear Problems, 3.3): is the
 * update shorter that the same factors give at the trial point? Residuals of exponentials may grow
 * while all unknowns approach the solution, and a norm of very different rows measures no progress.
 */
static bool comes_nearer(bxt_newton *newton, const bxt_equations *eq, bxt_linsol *solver, double a)
{
	const double start = bxt_watch_now(&newton->watch);
	const double before = natural_size(newton, eq, newton->trial, newton->dx);
	for (int i = 0; i < eq->n; i++)
		newton->sample[i] = -newton->r[i];
	const bool solved = bxt_linsol_solve(solver, newton->sample) == BXT_OK;
	newton->seconds_solve += bxt_watch_now(&newton->watch) - start;
	return solved &&
	       natural_size(newton, eq, newton->trial, newton->sample) <= (1 - a / 2) * before;
}

/*
 * Moves x along dx, shortened until the equilibrated residual falls. This requires new factors;
 * along dx of old ones the residual need not fall. If the residual is at its floor and falls no
 * more, x is as accurate as the matrix allows (potentials behind blocked diodes are known only to
 * eps i / gmin) and stays unchanged: stalled. With a matrix near the Jacobian steps are not
 * shortened: the full step is accepted or none.
 */
static bxt_status advance(bxt_newton *newton, const bxt_equations *eq, bxt_linsol *solver,
			  double *x, double *size, bool *stalled, int *culprit)
{
	double before = norm(newton, eq->n), a = 1;
	*stalled = false;
	step_back(newton);
	for (;; a /= 2) {
		for (int i = 0; i < eq->n; i++)
			newton->trial[i] = x[i] + a * newton->dx[i];
		evaluate(newton, eq, newton->trial);
		const double after = norm(newton, eq->n);
		newton->fell = a < 1 ? INFINITY : after / before;
		if (after <= (1 - 1e-4 * a) * before || (*size < SMALL_UPDATE && isfinite(after)) ||
		    bxt_newton_rows_done(newton, eq->n) ||
		    (a == 1 && isfinite(after) &&
		     bxt_newton_no_row_grows(newton, eq, newton->trial)))
			break;
		if (!newton->old && isfinite(after) && comes_nearer(newton, eq, solver, a))
			break;
		if (a == 1) {
			evaluate(newton, eq, x);
			if (newton->old) {
				BXT_TRY(renew(newton, eq, solver, x, size, culprit));
				before = norm(newton, eq->n);
				a = 2;
				continue;
			}
			*stalled = (*size < STALLED_UPDATE && bxt_newton_at_floor(newton, eq, x)) ||
				   is_noise(newton, eq, solver, x);
			if (*stalled)
				return BXT_OK;
			if (newton->by_near.matrix) {
				leave_near(newton);
				return BXT_OK;
			}
		}
		if (a < SMALLEST_STEP)
			return isfinite(after) ? BXT_ERR_NEWTON : BXT_ERR_NOT_FINITE;
	}
	newton->damped += a < 1;
	newton->shortened = a < 1;
	memcpy(x, newton->trial, (size_t)eq->n * sizeof *x);
	return BXT_OK;
}

/*
 * Is the ratio of updates known well enough to detect stagnation? With a matrix near the Jacobian
 * the first ratio does not suffice: multipliers follow flows one update later, possibly by a larger
 * one.
 */
static bool knows_ratio(const bxt_newton *newton)
{
	return !newton->by_near.matrix || isfinite(newton->ratio_before);
}

/*
 * Do undamped updates no longer shrink although x is a solution? If updates are small, the rows
 * that fell must have settled. If not, the unknowns themselves are round-off, such as the flows of
 * a truss; then all rows must be at their floors.
 */
static bool stagnates(bxt_newton *newton, const bxt_equations *eq, const double *x, double size)
{
	if (!(size >= newton->last / 2) || !knows_ratio(newton))
		return false;
	return size < SMALL_UPDATE && !newton->by_near.matrix
		       ? bxt_newton_rows_settled(newton, eq, x)
		       : bxt_newton_rows_at_floor(newton, eq, x);
}

/*
 * Two consecutive updates predict the next one, which shrinks at least as fast; with quadratic
 * convergence its size is size (size / last)^2. If that is below round-off it is not worth a
 * factorisation. If the Jacobian is incomplete, the first ratio is that of quadratic convergence;
 * later ones, in this solve or an earlier one of the step, give the rate.
 */
static bool converges(const bxt_newton *newton, const bxt_equations *eq, double size)
{
	const double ratio = newton->by_near.matrix ? bxt_newton_near_rate(newton) : newton->ratio;
	if (eq->tolerance > 0)
		return size * fmin(ratio, 1) < eq->tolerance;
	if (newton->by_near.matrix)
		return size * ratio * ratio < DBL_EPSILON / 4;
	if (eq->incomplete && newton->rate > 0)
		return size * newton->rate * newton->rate < DBL_EPSILON / 4;
	if (newton->last >= 1)
		return false;
	if (eq->incomplete)
		return size * ratio < DBL_EPSILON / 4;
	/* With used factors, the final update (polish) provides the second ratio. */
	return size * ratio * ratio < (newton->gain > 0 ? CHORD_DONE : DBL_EPSILON / 4);
}

static void remember(bxt_newton *newton, const bxt_equations *eq, const double *x)
{
	for (int k = 0; k < eq->n_split; k++) {
		double largest = FORGETTING * newton->typical[k];
		for (int i = eq->split[k]; i < eq->split[k + 1]; i++)
			largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
		newton->typical[k] = largest;
	}
}

static void take_update(const bxt_newton *newton, const bxt_equations *eq, double *x)
{
	for (int i = 0; i < eq->n; i++)
		x[i] += newton->dx[i];
}

/*
 * Makes one more update with the present residual and factors. The remaining error is round-off,
 * but always of the same sign; without this update it would accumulate to a drift of energy after a
 * million steps. With a matrix near the Jacobian updates follow until the next one is round-off;
 * `size` is that of the previous update.
 */
static void polish(bxt_newton *newton, const bxt_equations *eq, bxt_linsol *solver, double *x,
		   double size)
{
	for (int k = 0; k < (newton->by_near.matrix ? MOST_POLISHES : 1); k++) {
		if (k > 0)
			evaluate(newton, eq, x);
		if (chord(newton, eq, solver) != BXT_OK)
			return;
		const double next = update_size(newton, eq, x);
		if (!(next < SMALL_UPDATE))
			return;
		take_update(newton, eq, x);
		if (next * (next / size) < DBL_EPSILON / 4 || next > BXT_NEWTON_FALLING * size)
			return;
		size = next;
	}
}

/*
 * Should the solve begin with the factors of the solve before? They replace new factors at the
 * guess. The costs of recent solves decide; the other strategy is tried at times (TRY_OTHER).
 */
static bool begins_with_kept(const bxt_newton *newton, const bxt_equations *eq)
{
	if (!newton->kept || eq->renew || newton->keeping.price < KEPT_PRICE)
		return false;
	if (newton->keeping.cost[0] == 0 || newton->keeping.cost[1] == 0)
		return newton->keeping.cost[0] > 0;
	return (newton->keeping.cost[1] <= WORTH * newton->keeping.cost[0]) ==
	       (newton->keeping.in_a_row < TRY_OTHER);
}

/* Records the cost of the solve, in updates. */
static void remember_cost(bxt_newton *newton)
{
	const double cost =
		(double)newton->last_iterations + newton->keeping.price * newton->factorizations;
	double *of = &newton->keeping.cost[newton->keeping.began];
	if (newton->by_near.updates > 0)
		return;
	newton->keeping.in_a_row =
		newton->keeping.in_a_row < TRY_OTHER ? newton->keeping.in_a_row + 1 : 0;
	*of += *of > 0 ? NEWS * (cost - *of) : cost;
}

/*
 * Makes the first update with the factors of the solve before. It is accepted if it halves the
 * residual; that ratio first estimates the rate of convergence. *taken false: r is that of x.
 */
static bxt_status begin_with_kept(bxt_newton *newton, const bxt_equations *eq, bxt_linsol *solver,
				  double *x, double *size, bool *taken)
{
	const double before = norm(newton, eq->n);
	BXT_TRY(chord(newton, eq, solver));
	*size = update_size(newton, eq, x);
	step_back(newton);
	for (int i = 0; i < eq->n; i++)
		newton->trial[i] = x[i] + newton->dx[i];
	evaluate(newton, eq, newton->trial);
	const double after = norm(newton, eq->n);
	*taken = isfinite(*size) && after <= BXT_NEWTON_FALLING * before;
	if (!*taken) {
		evaluate(newton, eq, x);
		return BXT_OK;
	}
	newton->old = true;
	newton->alike = 1;
	newton->gain = newton->fell = after / before;
	memcpy(x, newton->trial, (size_t)eq->n * sizeof *x);
	return BXT_OK;
}

/* Number of updates, the first of the given size and each `rate` times the one before, until one
 * more after the last would leave less than `done`. */
static double updates_left(double size, double rate, double done)
{
	const double left = size * rate * rate;
	return left < done ? 1 : rate < 1 ? 1 + ceil(log(done / left) / log(rate)) : INFINITY;
}

/*
 * Do the remaining updates with the present factors cost less than new factors and their updates?
 * The next update is predicted from the last reduction of the residual; with the present factors
 * the following ones shrink by that ratio times SLOWER, with new factors quadratically.
 */
static bool factors_pay(const bxt_newton *newton, const bxt_equations *eq)
{
	const double next = newton->last * newton->fell, rate = SLOWER * newton->fell;
	const double done = eq->tolerance > 0 ? eq->tolerance * rate : CHORD_DONE;
	if (!(newton->fell < 1)) /* or not known */
		return false;
	if (next * rate * rate < done)
		return true;
	return newton->keeping.price >= 1 &&
	       updates_left(next, rate, done) <=
		       newton->keeping.price + updates_left(next, rate * newton->fell, done);
}

/* Can the next update use the present factors? Not after a large update, because the fall of a
 * residual over rows of very different size then is no reliable measure. Factors of an earlier
 * solve are used while their updates cost less than new factors and two updates. */
static bool factors_serve(const bxt_newton *newton, const bxt_equations *eq)
{
	if (!(newton->last < CHORD) || eq->renew)
		return false;
	if (!newton->old && newton->keeping.price > 0 && !eq->incomplete)
		return factors_pay(newton, eq);
	if (!newton->old)
		return newton->gain < (eq->incomplete ? CHORD_TAKEN : CHORD_KEEPS);
	if (!(newton->gain < BXT_NEWTON_FALLING))
		return false;
	const double updates = log(DBL_EPSILON / newton->last) / log(newton->gain);
	return updates <= newton->keeping.price + 2;
}

/* Finds the next update with the matrix near the Jacobian, while that costs less. */
static bool find_near_update(bxt_newton *newton, const bxt_equations *eq, bxt_linsol *solver,
			     const double *x, double *size)
{
	const bxt_near_matrix *near = newton->by_near.matrix;
	if (newton->by_near.old || bxt_near_pays(newton)) {
		const double start = bxt_watch_now(&newton->watch);
		const bool anew = bxt_near_renews(newton);
		newton->by_near.old = newton->by_near.old && !anew;
		newton->by_near.renewals += anew;
		newton->by_near.set = !anew || near->set(near->self, newton, x) == BXT_OK;
		newton->seconds_factor += bxt_watch_now(&newton->watch) - start;
		if (newton->by_near.set && chord(newton, eq, solver) == BXT_OK) {
			*size = update_size(newton, eq, x);
			if (isfinite(*size))
				return true;
		}
	}
	leave_near(newton);
	return false;
}

/*
 * Finds the next update. After an update of relative size e the factors have an error O(e). Used
 * once more they leave an error O(e^2), as new factors would, at the cost of one solve. If they
 * leave more, new factors are made. If the Jacobian is incomplete, the missing slopes limit
 * convergence with new factors, too.
 */
static bxt_status find_update(bxt_newton *newton, const bxt_equations *eq, bxt_linsol *solver,
			      const double *x, double *size, int *culprit)
{
	if (newton->by_near.matrix && find_near_update(newton, eq, solver, x, size))
		return BXT_OK;
	newton->alike++;
	if (factors_serve(newton, eq)) {
		BXT_TRY(chord(newton, eq, solver));
		*size = update_size(newton, eq, x);
		newton->gain = *size / newton->last;
		if (newton->gain <= (newton->old ? BXT_NEWTON_FALLING : CHORD_TAKEN))
			return BXT_OK;
	}
	return renew(newton, eq, solver, x, size, culprit);
}

/* Drops the part of the residual without a slope if it prevents convergence. */
static void drop(bxt_newton *newton, const bxt_equations *eq, const double *x)
{
	if (!eq->incomplete || newton->old || newton->alike < TWO_RATIOS || newton->last > NEAR ||
	    newton->last < SMALL_UPDATE || newton->ratio < SLOW || newton->ratio_before < SLOW)
		return;
	eq->drop(eq->owner);
	evaluate(newton, eq, x);
	forget_updates(newton);
}

bxt_status bxt_newton_solve(bxt_newton *newton, const bxt_equations *eq, bxt_linsol *solver,
			    double *x, int *culprit)
{
	double size;
	*culprit = -1;
	newton->solves++;
	newton->last_iterations = 0;
	newton->factorizations = 0;
	newton->updates = newton->by_near.renewals = newton->by_near.updates = 0;
	newton->by_near.old = newton->by_near.set;
	newton->by_near.all = newton->by_near.matrix != NULL;
	forget_updates(newton);
	if (!newton->evaluated)
		evaluate(newton, eq, x);
	newton->evaluated = false;
	for (;;) {
		bool begun = false, stalled = false, shortened = newton->shortened;
		newton->keeping.began =
			newton->last_iterations == 0
				? !newton->by_near.matrix && begins_with_kept(newton, eq)
				: newton->keeping.began;
		if (newton->last_iterations == 0 && newton->keeping.began)
			BXT_TRY(begin_with_kept(newton, eq, solver, x, &size, &begun));
		if (!begun)
			BXT_TRY(find_update(newton, eq, solver, x, &size, culprit));
		const bxt_near_matrix *near = newton->by_near.matrix;
		newton->iterations++;
		if (++newton->last_iterations > newton->most_iterations)
			newton->most_iterations = newton->last_iterations;
		newton->ratio_before = newton->ratio;
		newton->ratio = isfinite(newton->last) ? size / newton->last : INFINITY;
		if (newton->alike >= TWO_RATIOS)
			newton->rate = newton->ratio;
		if (newton->ratio > BXT_NEWTON_FALLING && isfinite(newton->ratio) &&
		    knows_ratio(newton) && is_noise(newton, eq, solver, x)) {
			take_update(newton, eq, x);
			remember(newton, eq, x);
			remember_cost(newton);
			return BXT_OK;
		}
		if (!begun)
			BXT_TRY(advance(newton, eq, solver, x, &size, &stalled, culprit));
		if (near && !newton->by_near.matrix)
			continue;
		shortened = shortened || newton->shortened;
		if (stalled || bxt_newton_rows_done(newton, eq->n) ||
		    (!shortened && stagnates(newton, eq, x, size)) ||
		    (converges(newton, eq, size) &&
		     (eq->tolerance > 0 || bxt_newton_rows_settled(newton, eq, x)))) {
			if (!stalled)
				polish(newton, eq, solver, x, size);
			remember(newton, eq, x);
			remember_cost(newton);
			return BXT_OK;
		}
		if (newton->last_iterations >= newton->max_iterations)
			return BXT_ERR_NEWTON;
		newton->last = size;
		drop(newton, eq, x);
	}
}
