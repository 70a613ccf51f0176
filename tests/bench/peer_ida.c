/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/peer.h"

#ifndef BXT_HAVE_SUNDIALS

bool peer_ida_exists(void)
{
	return false;
}

bool peer_ida(peer_problem *p, double tol, peer_run *out)
{
	(void)p, (void)tol, (void)out;
	return false;
}

#else

#include "bench/benchmark.h"

#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

struct ida {
	peer_problem *p;
	SUNContext context;
	N_Vector y, dot, id, atol;
	SUNMatrix jacobian;
	SUNLinearSolver solver;
	void *memory;
	peer_pattern pattern;
	peer_entries of_slopes, of_mass; /* of_slopes: of the whole matrix in IDA's own form */
	double *work, *mass;             /* (n), (entries) */
};

bool peer_ida_exists(void)
{
	return true;
}

static int residual(realtype t, N_Vector yy, N_Vector yp, N_Vector rr, void *context)
{
	const struct ida *s = context;
	const peer_problem *p = s->p;
	const double *y = N_VGetArrayPointer(yy), *dot = N_VGetArrayPointer(yp);
	double *r = N_VGetArrayPointer(rr);
	if (p->residual) {
		p->residual(p, t, y, dot, r);
		return 0;
	}
	const peer_pattern *a = &s->pattern;
	p->right(p, t, y, s->work);
	for (int i = 0; i < p->n; i++)
		r[i] = -s->work[i];
	for (int j = 0; j < p->n; j++)
		for (int k = a->start[j]; k < a->start[j + 1]; k++)
			r[a->row[k]] += s->mass[k] * dot[j];
	return 0;
}

static int matrix(realtype t, realtype c, N_Vector yy, N_Vector yp, N_Vector rr, SUNMatrix jac,
		  void *context, N_Vector v1, N_Vector v2, N_Vector v3)
{
	(void)rr, (void)v1, (void)v2, (void)v3;
	struct ida *s = context;
	const peer_problem *p = s->p;
	const peer_pattern *a = &s->pattern;
	double *values = SUNSparseMatrix_Data(jac);
	sunindextype *start = SUNSparseMatrix_IndexPointers(jac),
		     *row = SUNSparseMatrix_IndexValues(jac);
	for (int j = 0; j <= p->n; j++)
		start[j] = a->start[j];
	for (int k = 0; k < a->start[p->n]; k++)
		row[k] = a->row[k];
	peer_entries_begin(&s->of_slopes, a, values);
	if (p->matrix) {
		p->matrix(p, t, c, N_VGetArrayPointer(yy), N_VGetArrayPointer(yp), &s->of_slopes);
		return 0;
	}
	p->slopes(p, t, N_VGetArrayPointer(yy), &s->of_slopes);
	for (int k = 0; k < a->start[p->n]; k++)
		values[k] = c * s->mass[k] - values[k];
	return 0;
}

static int roots(realtype t, N_Vector yy, N_Vector yp, realtype *g, void *context)
{
	(void)yp;
	const struct ida *s = context;
	s->p->roots(s->p, t, N_VGetArrayPointer(yy), g);
	return 0;
}

/* The pattern, the start, and the constant mass matrix. */
static bool prepare(struct ida *s, double tol)
{
	peer_problem *p = s->p;
	double *y = N_VGetArrayPointer(s->y), *dot = N_VGetArrayPointer(s->dot);
	p->begin(p, y, dot);
	if (p->matrix)
		p->matrix(p, 0, 1, y, dot, &s->of_slopes);
	else
		p->slopes(p, 0, y, &s->of_slopes);
	if (!p->matrix)
		p->mass(p, &s->of_mass);
	peer_entries *const sets[] = {&s->of_slopes, &s->of_mass};
	if (!peer_pattern_make(p->n, sets, 2, &s->pattern))
		return false;
	s->work = calloc((size_t)p->n + 1, sizeof *s->work);
	s->mass = calloc((size_t)s->pattern.start[p->n] + 1, sizeof *s->mass);
	if (!s->work || !s->mass)
		return false;
	if (!p->matrix) {
		peer_entries_begin(&s->of_mass, &s->pattern, s->mass);
		p->mass(p, &s->of_mass);
	}
	for (int i = 0; i < p->n; i++) {
		N_VGetArrayPointer(s->id)[i] = !(p->algebraic && p->algebraic[i]);
		N_VGetArrayPointer(s->atol)[i] = tol * (p->typical ? p->typical[i] : 1);
	}
	return true;
}

static bool open(struct ida *s, double tol)
{
	const sunindextype n = s->p->n;
	if (SUNContext_Create(NULL, &s->context) != 0)
		return false;
	s->y = N_VNew_Serial(n, s->context);
	s->dot = N_VNew_Serial(n, s->context);
	s->id = N_VNew_Serial(n, s->context);
	s->atol = N_VNew_Serial(n, s->context);
	if (!s->y || !s->dot || !s->id || !s->atol || !prepare(s, tol))
		return false;
	s->jacobian = SUNSparseMatrix(n, n, s->pattern.start[n], CSC_MAT, s->context);
	s->solver = s->jacobian ? SUNLinSol_KLU(s->y, s->jacobian, s->context) : NULL;
	s->memory = IDACreate(s->context);
	return s->solver && s->memory &&
	       IDAInit(s->memory, residual, 0, s->y, s->dot) == IDA_SUCCESS &&
	       IDASVtolerances(s->memory, tol, s->atol) == IDA_SUCCESS &&
	       IDASetUserData(s->memory, s) == IDA_SUCCESS &&
	       IDASetId(s->memory, s->id) == IDA_SUCCESS &&
	       (!s->p->algebraic || IDASetSuppressAlg(s->memory, SUNTRUE) == IDA_SUCCESS) &&
	       IDASetMaxNumSteps(s->memory, 10000000) == IDA_SUCCESS &&
	       IDASetErrFile(s->memory, NULL) == IDA_SUCCESS && /* the caller tells */
	       IDASetLinearSolver(s->memory, s->solver, s->jacobian) == IDA_SUCCESS &&
	       IDASetJacFn(s->memory, matrix) == IDA_SUCCESS &&
	       (s->p->longest == 0 || IDASetMaxStep(s->memory, s->p->longest) == IDA_SUCCESS) &&
	       (s->p->n_roots == 0 ||
		(IDARootInit(s->memory, s->p->n_roots, roots) == IDA_SUCCESS &&
		 IDASetRootDirection(s->memory, (int[PEER_MOST_ROOTS]){1, 1, 1, 1}) ==
			 IDA_SUCCESS));
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
	peer_pattern_free(&s->pattern);
	peer_entries_free(&s->of_slopes);
	peer_entries_free(&s->of_mass);
	free(s->work);
	free(s->mass);
}

/* Counts of the integration so far are lost when it begins again. */
static void count(const struct ida *s, peer_run *out)
{
	long steps = 0, tests = 0, failures = 0, evaluations = 0, slopes = 0, iterations = 0,
	     setups = 0;
	IDAGetNumSteps(s->memory, &steps);
	IDAGetNumErrTestFails(s->memory, &tests);
	IDAGetNumNonlinSolvConvFails(s->memory, &failures);
	IDAGetNumResEvals(s->memory, &evaluations);
	IDAGetNumJacEvals(s->memory, &slopes);
	IDAGetNumNonlinSolvIters(s->memory, &iterations);
	IDAGetNumLinSolvSetups(s->memory, &setups);
	out->steps += steps;
	out->rejected += tests + failures;
	out->evaluations += evaluations;
	out->slopes += slopes;
	out->factorizations += setups;
	out->iterations += iterations;
	out->solves += iterations;
}

/* Behind an event: what is consistent there, then a new start. */
static bool begin_again(struct ida *s, double t, double next, peer_run *out)
{
	count(s, out);
	out->events++;
	return IDAReInit(s->memory, t, s->y, s->dot) == IDA_SUCCESS &&
	       IDACalcIC(s->memory, IDA_YA_YDP_INIT, next) == IDA_SUCCESS &&
	       IDAGetConsistentIC(s->memory, s->y, s->dot) == IDA_SUCCESS;
}

/* To the next row; on the way over the events before it. */
static bool to_row(struct ida *s, double at, double *t, peer_run *out)
{
	static const double CLOSE = 1e-12; /* of the time: round-off */
	peer_problem *p = s->p;
	while (*t < at * (1 - CLOSE)) {
		const double stop = p->next_break ? fmin(p->next_break(p, *t), p->end) : p->end,
			     to = fmin(stop, at);
		if (IDASetStopTime(s->memory, stop) != IDA_SUCCESS)
			return false;
		const int flag = IDASolve(s->memory, to, t, s->y, s->dot, IDA_NORMAL);
		if (flag < 0)
			return false;
		const bool root = flag == IDA_ROOT_RETURN;
		if (!root && !(*t >= stop * (1 - CLOSE) && stop < p->end))
			continue;
		p->pass(p, *t, N_VGetArrayPointer(s->y), root);
		const double next = p->next_break ? p->next_break(p, *t) : p->end;
		if (!begin_again(s, *t, fmin(next, p->end), out))
			return false;
	}
	return true;
}

bool peer_ida(peer_problem *p, double tol, peer_run *out)
{
	struct ida s = {.p = p};
	double *seen = out->seen, t = 0;
	*out = (peer_run){.rows = out->rows, .seen = seen};
	const double start = bench_now();
	bool good = open(&s, tol);
	for (int k = 0; k < out->rows && good; k++) {
		const double at = peer_row_time(p, out, k);
		good = to_row(&s, at, &t, out);
		if (good)
			p->see(p, at, N_VGetArrayPointer(s.y),
			       out->seen + (size_t)k * (size_t)p->n_seen);
	}
	out->seconds = bench_now() - start;
	if (s.memory)
		count(&s, out);
	shut(&s);
	return good;
}

#endif
