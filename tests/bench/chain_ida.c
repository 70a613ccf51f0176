/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/chain_ida.h"

#ifndef BXT_HAVE_SUNDIALS

bool chain_ida_exists(void)
{
	return false;
}

bool chain_ida(const chain *c, double end, double tol, chain_ida_run *out)
{
	(void)c, (void)end, (void)tol, (void)out;
	return false;
}

#else

#include "bench/benchmark.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

/* Unknowns of link k: y[6 k + ...]; the rows stand in the same order. */
enum { X, Y, VX, VY, LAMBDA, MU, UNKNOWNS };

/* Entries of a column at most: the columns of x and y meet two rods. */
enum { MOST_ENTRIES = 10 };

bool chain_ida_exists(void)
{
	return true;
}

/* The rod from point k - 1 (the wall for k = 0) to point k: directions d / l and relative v. */
struct rod {
	double x, y, vx, vy;
};

static struct rod rod_at(const chain *c, const double *y, int k)
{
	static const double wall[UNKNOWNS];
	const double *b = y + (size_t)k * UNKNOWNS, *a = k > 0 ? b - UNKNOWNS : wall;
	return (struct rod){(b[X] - a[X]) / c->l, (b[Y] - a[Y]) / c->l, (b[VX] - a[VX]) / c->l,
			    (b[VY] - a[VY]) / c->l};
}

static int residual(realtype t, N_Vector yy, N_Vector yp, N_Vector rr, void *context)
{
	(void)t;
	const chain *c = context;
	const double *y = N_VGetArrayPointer(yy), *dot = N_VGetArrayPointer(yp);
	double *r = N_VGetArrayPointer(rr);
	for (int k = 0; k < c->links; k++, y += UNKNOWNS, dot += UNKNOWNS, r += UNKNOWNS) {
		const double *all = N_VGetArrayPointer(yy);
		const struct rod in = rod_at(c, all, k);
		r[X] = c->m * (dot[X] - y[VX]) + in.x * y[MU];
		r[Y] = c->m * (dot[Y] - y[VY]) + in.y * y[MU];
		r[VX] = c->m * dot[VX] - in.x * y[LAMBDA];
		r[VY] = c->m * (dot[VY] + c->g) - in.y * y[LAMBDA];
		r[LAMBDA] = c->l * (in.x * in.x + in.y * in.y - 1) / 2; /* phi */
		r[MU] = c->l * (in.x * in.vx + in.y * in.vy);           /* A v */
		if (k + 1 == c->links)
			continue;
		const struct rod out = rod_at(c, all, k + 1);
		const double *next = y + UNKNOWNS;
		r[X] -= out.x * next[MU];
		r[Y] -= out.y * next[MU];
		r[VX] += out.x * next[LAMBDA];
		r[VY] += out.y * next[LAMBDA];
	}
	return 0;
}

/* A matrix as it grows, column by column; rows need no order for KLU. */
struct filling {
	sunindextype *row, at;
	double *value;
};

static void put(struct filling *f, int row, double value)
{
	f->row[f->at] = row;
	f->value[f->at++] = value;
}

/*
 * Columns x (axis 0) and y (axis 1) of point k, and its columns vx, vy. With the rod `in` to the
 * point before and `out` to the next, for s = -lambda and mu:
 *
 *     rows of the point:  cj m + (s_in + s_out)/l     rows of its neighbours:  - s/l
 */
static void point_columns(struct filling *f, const chain *c, const double *y, int k, int axis,
			  double cj, sunindextype *start)
{
	const bool first = k == 0, last = k + 1 == c->links;
	const double *p = y + (size_t)k * UNKNOWNS, *next = p + UNKNOWNS;
	const struct rod in = rod_at(c, y, k), out = last ? in : rod_at(c, y, k + 1);
	const double mu_out = last ? 0 : next[MU], lambda_out = last ? 0 : next[LAMBDA];
	const double d_in = axis ? in.y : in.x, v_in = axis ? in.vy : in.vx;
	const double d_out = axis ? out.y : out.x, v_out = axis ? out.vy : out.vx;
	const int at = k * UNKNOWNS;
	start[at + axis] = f->at; /* column x or y */
	if (!first) {
		put(f, at - UNKNOWNS + X + axis, -p[MU] / c->l);
		put(f, at - UNKNOWNS + VX + axis, p[LAMBDA] / c->l);
	}
	put(f, at + X + axis, cj * c->m + (p[MU] + mu_out) / c->l);
	put(f, at + VX + axis, -(p[LAMBDA] + lambda_out) / c->l);
	put(f, at + LAMBDA, d_in);
	put(f, at + MU, v_in);
	if (last)
		return;
	put(f, at + UNKNOWNS + X + axis, -mu_out / c->l);
	put(f, at + UNKNOWNS + VX + axis, lambda_out / c->l);
	put(f, at + UNKNOWNS + LAMBDA, -d_out);
	put(f, at + UNKNOWNS + MU, -v_out);
}

static void velocity_column(struct filling *f, const chain *c, const double *y, int k, int axis,
			    double cj, sunindextype *start)
{
	const bool last = k + 1 == c->links;
	const struct rod in = rod_at(c, y, k), out = last ? in : rod_at(c, y, k + 1);
	const int at = k * UNKNOWNS;
	start[at + VX + axis] = f->at;
	put(f, at + X + axis, -c->m);
	put(f, at + VX + axis, cj * c->m);
	put(f, at + MU, axis ? in.y : in.x);
	if (!last)
		put(f, at + UNKNOWNS + MU, axis ? -out.y : -out.x);
}

/* Column lambda (row = VX) or mu (row = X, the other sign) of rod k. */
static void multiplier_column(struct filling *f, const chain *c, const double *y, int k, int row,
			      double sign)
{
	const struct rod in = rod_at(c, y, k);
	const int at = k * UNKNOWNS + row;
	if (k > 0) {
		put(f, at - UNKNOWNS, -sign * in.x);
		put(f, at - UNKNOWNS + 1, -sign * in.y);
	}
	put(f, at, sign * in.x);
	put(f, at + 1, sign * in.y);
}

static int jacobian(realtype t, realtype cj, N_Vector yy, N_Vector yp, N_Vector rr, SUNMatrix jac,
		    void *context, N_Vector a, N_Vector b, N_Vector d)
{
	(void)t, (void)yp, (void)rr, (void)a, (void)b, (void)d;
	const chain *c = context;
	const double *y = N_VGetArrayPointer(yy);
	sunindextype *start = SUNSparseMatrix_IndexPointers(jac);
	struct filling f = {SUNSparseMatrix_IndexValues(jac), 0, SUNSparseMatrix_Data(jac)};
	for (int k = 0; k < c->links; k++) {
		for (int axis = 0; axis < 2; axis++)
			point_columns(&f, c, y, k, axis, cj, start);
		for (int axis = 0; axis < 2; axis++)
			velocity_column(&f, c, y, k, axis, cj, start);
		start[k * UNKNOWNS + LAMBDA] = f.at;
		multiplier_column(&f, c, y, k, VX, -1);
		start[k * UNKNOWNS + MU] = f.at;
		multiplier_column(&f, c, y, k, X, 1);
	}
	start[c->links * UNKNOWNS] = f.at;
	return 0;
}

struct ida {
	SUNContext context;
	N_Vector y, dot, id, atol;
	SUNMatrix jacobian;
	SUNLinearSolver solver;
	void *memory;
};

/* Stretched out along x, at rest, everything in free fall: a consistent start. */
static void start_values(const struct ida *s, const chain *c, double tol)
{
	/* The multipliers are in no test: neither local error (of an index-2 variable it would not
	 * shrink with the step) nor Newton's. Both are met with fewer iterations this way. */
	static const double UNTESTED = 1e30;
	N_VConst(0, s->y);
	N_VConst(0, s->dot);
	for (int k = 0; k < c->links; k++) {
		const size_t at = (size_t)k * UNKNOWNS;
		N_VGetArrayPointer(s->y)[at + X] = c->l * (k + 1);
		N_VGetArrayPointer(s->dot)[at + VY] = -c->g;
		for (int i = 0; i < UNKNOWNS; i++) {
			N_VGetArrayPointer(s->id)[at + (size_t)i] = i < LAMBDA;
			N_VGetArrayPointer(s->atol)[at + (size_t)i] = i < LAMBDA ? tol : UNTESTED;
		}
	}
}

static bool open(struct ida *s, chain *c, double tol)
{
	const sunindextype n = (sunindextype)c->links * UNKNOWNS;
	if (SUNContext_Create(NULL, &s->context) != 0)
		return false;
	s->y = N_VNew_Serial(n, s->context);
	s->dot = N_VNew_Serial(n, s->context);
	s->id = N_VNew_Serial(n, s->context);
	s->atol = N_VNew_Serial(n, s->context);
	s->jacobian = SUNSparseMatrix(n, n, n * MOST_ENTRIES, CSC_MAT, s->context);
	if (!s->y || !s->dot || !s->id || !s->atol || !s->jacobian)
		return false;
	start_values(s, c, tol);
	s->solver = SUNLinSol_KLU(s->y, s->jacobian, s->context);
	s->memory = IDACreate(s->context);
	if (!s->solver || !s->memory)
		return false;
	SUNLinSol_KLUSetOrdering(s->solver, 0);     /* AMD, like boxtimes */
	SUNLinSol_KLUGetCommon(s->solver)->btf = 0; /* likewise */
	return IDAInit(s->memory, residual, 0, s->y, s->dot) == IDA_SUCCESS &&
	       IDASVtolerances(s->memory, tol, s->atol) == IDA_SUCCESS &&
	       IDASetUserData(s->memory, c) == IDA_SUCCESS &&
	       IDASetId(s->memory, s->id) == IDA_SUCCESS &&
	       IDASetSuppressAlg(s->memory, SUNTRUE) == IDA_SUCCESS &&
	       IDASetMaxNumSteps(s->memory, 10000000) == IDA_SUCCESS &&
	       IDASetErrFile(s->memory, NULL) == IDA_SUCCESS && /* the caller tells */
	       IDASetLinearSolver(s->memory, s->solver, s->jacobian) == IDA_SUCCESS &&
	       IDASetJacFn(s->memory, jacobian) == IDA_SUCCESS;
}

static void shut(struct ida *s)
{
	if (s->memory)
		IDAFree(&s->memory);
	if (s->solver)
		SUNLinSolFree(s->solver);
	if (s->jacobian)
		SUNMatDestroy(s->jacobian);
	N_Vector vectors[] = {s->y, s->dot, s->id, s->atol};
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
		if (vectors[i])
			N_VDestroy(vectors[i]);
	SUNContext_Free(&s->context);
}

bool chain_ida(const chain *c, double end, double tol, chain_ida_run *out)
{
	struct ida s = {0};
	chain copy = *c; /* IDA's user data is not const */
	realtype t = 0;
	bool good = open(&s, &copy, tol) && IDASetStopTime(s.memory, end) == IDA_SUCCESS;
	const double start = bench_now();
	good = good && IDASolve(s.memory, end, &t, s.y, s.dot, IDA_NORMAL) >= 0 && t == end;
	out->seconds = bench_now() - start;
	for (int k = 0; good && k < c->links; k++) {
		const double *y = N_VGetArrayPointer(s.y) + (size_t)k * UNKNOWNS;
		memcpy(out->position + 2 * (size_t)k, y + X, 2 * sizeof *y);
		memcpy(out->velocity + 2 * (size_t)k, y + VX, 2 * sizeof *y);
	}
	good = good && IDAGetNumSteps(s.memory, &out->steps) == IDA_SUCCESS &&
	       IDAGetNumResEvals(s.memory, &out->iterations) == IDA_SUCCESS &&
	       IDAGetNumJacEvals(s.memory, &out->factorizations) == IDA_SUCCESS;
	if (good)
		out->entries = (size_t)(SUNLinSol_KLUGetNumeric(s.solver)->lnz +
					SUNLinSol_KLUGetNumeric(s.solver)->unz);
	shut(&s);
	return good;
}

#endif
