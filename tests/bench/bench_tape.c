/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The double pendulum: L, its 4 first and 10 distinct second derivatives over (q1, q2, v1, v2), for
 * many elements, by a tape and by hand-written C.
 *
 *     L = (m1+m2)/2 l1^2 v1^2 + m2/2 l2^2 v2^2 + m2 l1 l2 v1 v2 cos(q1-q2)
 *       + (m1+m2) g l1 cos q1 + m2 g l2 cos q2
 */
#include "ground/expr/tape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { Q1, Q2, V1, V2, M1, M2, L1, L2, G, INPUTS };
enum { OUTPUTS = 15, INSTANCES = 100000, BLOCKS = (INSTANCES + BXT_LANES - 1) / BXT_LANES };
enum { MOST_HOISTED = 32, REPEATS = 15 };

/* Entries agree to round-off: a few operations of 1.1e-16 each, against the largest entry. */
static const double tolerance = 1e-14;

static const char *const names[INPUTS] = {"q1", "q2", "v1", "v2", "m1", "m2", "l1", "l2", "g"};

static const char lagrangian[] = "(m1 + m2)*l1^2*v1^2/2 + m2*l2^2*v2^2/2"
				 " + m2*l1*l2*v1*v2*cos(q1 - q2)"
				 " + (m1 + m2)*g*l1*cos(q1) + m2*g*l2*cos(q2)";

void hand_written(const double *x, double *out);

static bool lookup(void *context, bxt_graph *g, const char *name, bxt_ex *out)
{
	(void)context;
	for (int v = 0; v < INPUTS; v++)
		if (strcmp(names[v], name) == 0) {
			*out = bxt_ex_var(g, v);
			return true;
		}
	return false;
}

/* The library's sine and cosine in one call where there is one, as a good programmer would. */
#ifdef __GLIBC__
void sincos(double angle, double *sine, double *cosine);
#else
static void sincos(double angle, double *sine, double *cosine)
{
	*sine = sin(angle);
	*cosine = cos(angle);
}
#endif

/* L, dq1 dq2 dv1 dv2, then the upper triangle of the Hessian by rows. */
__attribute__((noinline)) void hand_written(const double *x, double *out)
{
	const double v1 = x[V1], v2 = x[V2], m2 = x[M2], l1 = x[L1], l2 = x[L2];
	double s1, c1, s2, c2, s12, c12;
	sincos(x[Q1], &s1, &c1);
	sincos(x[Q2], &s2, &c2);
	sincos(x[Q1] - x[Q2], &s12, &c12);
	const double m = x[M1] + m2, k1 = m * x[G] * l1, k2 = m2 * x[G] * l2;
	const double i1 = m * l1 * l1, i2 = m2 * l2 * l2, k = m2 * l1 * l2;
	const double kc = k * c12, ks = k * s12, vv = v1 * v2;
	const double kcv = kc * vv, ksv = ks * vv;
	out[0] = 0.5 * (i1 * v1 * v1 + i2 * v2 * v2) + kcv + k1 * c1 + k2 * c2;
	out[1] = -ksv - k1 * s1;
	out[2] = ksv - k2 * s2;
	out[3] = i1 * v1 + kc * v2;
	out[4] = i2 * v2 + kc * v1;
	out[5] = -kcv - k1 * c1; /* q1 q1 */
	out[6] = kcv;            /* q1 q2 */
	out[7] = -ks * v2;       /* q1 v1 */
	out[8] = -ks * v1;       /* q1 v2 */
	out[9] = -kcv - k2 * c2; /* q2 q2 */
	out[10] = ks * v2;       /* q2 v1 */
	out[11] = ks * v1;       /* q2 v2 */
	out[12] = i1;            /* v1 v1 */
	out[13] = kc;            /* v1 v2 */
	out[14] = i2;            /* v2 v2 */
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A block of elements: the inputs, hoisted values after them, BXT_LANES each. */
static double *inputs; /* BLOCKS x (INPUTS + MOST_HOISTED) x BXT_LANES */

static double *input(int block, int v)
{
	return inputs + ((size_t)block * (INPUTS + MOST_HOISTED) + (size_t)v) * BXT_LANES;
}

static void fill_inputs(void)
{
	uint64_t seed = 1;
	for (int block = 0; block < BLOCKS; block++)
		for (int v = 0; v < INPUTS; v++)
			for (int i = 0; i < BXT_LANES; i++) {
				seed = seed * 6364136223846793005u + 1442695040888963407u;
				const double u = (double)(seed >> 11) * 0x1p-53;
				input(block, v)[i] = v < M1 ? 6 * u - 3 : 0.5 + u;
			}
}

static void point_to(int block, const double **in)
{
	for (int v = 0; v < INPUTS + MOST_HOISTED; v++)
		in[v] = input(block, v);
}

/* Best time of one pass over all elements, in ns per element. */
static double time_tape(const bxt_tape *tape, double *work, double *sum)
{
	double best = INFINITY;
	const double *in[INPUTS + MOST_HOISTED];
	for (int r = 0; r < REPEATS; r++) {
		const double start = now();
		for (int block = 0; block < BLOCKS; block++) {
			point_to(block, in);
			bxt_tape_run(tape, in, work);
			*sum += bxt_tape_result(tape, 0, in, work)[block % BXT_LANES];
		}
		best = fmin(best, now() - start);
	}
	return 1e9 * best / ((double)BLOCKS * BXT_LANES);
}

/* The hand-written function gets its elements as it wants them: one after the other. */
static double time_hand(const double *points, double *sum)
{
	double best = INFINITY, out[OUTPUTS];
	for (int r = 0; r < REPEATS; r++) {
		const double start = now();
		for (int i = 0; i < BLOCKS * BXT_LANES; i++) {
			hand_written(points + (size_t)i * INPUTS, out);
			*sum += out[0];
		}
		best = fmin(best, now() - start);
	}
	return 1e9 * best / ((double)BLOCKS * BXT_LANES);
}

/* Largest difference, relative to the largest entry of the element. */
static double deviation(const bxt_tape *tape, double *work, const double *points)
{
	double worst = 0;
	const double *in[INPUTS + MOST_HOISTED];
	for (int block = 0; block < BLOCKS; block++) {
		point_to(block, in);
		bxt_tape_run(tape, in, work);
		for (int i = 0; i < BXT_LANES; i++) {
			double out[OUTPUTS], largest = 0, error = 0;
			hand_written(points + ((size_t)block * BXT_LANES + (size_t)i) * INPUTS,
				     out);
			for (int k = 0; k < OUTPUTS; k++) {
				const double y = bxt_tape_result(tape, k, in, work)[i];
				largest = fmax(largest, fabs(out[k]));
				/* a not-a-number must not pass for agreement */
				error = isfinite(y) ? fmax(error, fabs(y - out[k])) : INFINITY;
			}
			worst = fmax(worst, error / largest);
		}
	}
	return worst;
}

static int build(bxt_graph *g, bxt_ex *out)
{
	static const int coordinates[] = {Q1, Q2, V1, V2};
	const bxt_scope scope = {.lookup = lookup};
	bxt_expr_error error;
	if (bxt_expr_parse(g, lagrangian, &scope, &out[0], &error, 1) != 0)
		return 1;
	bxt_ex_gradient(g, out[0], coordinates, 4, out + 1);
	for (int i = 0, n = 5; i < 4; i++) {
		bxt_ex row[4];
		bxt_ex_gradient(g, out[1 + i], coordinates, 4, row);
		for (int j = i; j < 4; j++)
			out[n++] = row[j];
	}
	return bxt_graph_failed(g);
}

/* Values of the hoisted expressions for all elements: once, before the loop in time. */
static void evaluate_hoisted(const bxt_tape *tape, int n, double *work)
{
	const double *in[INPUTS + MOST_HOISTED];
	for (int block = 0; block < BLOCKS; block++) {
		point_to(block, in);
		bxt_tape_run(tape, in, work);
		for (int k = 0; k < n; k++)
			memcpy(input(block, INPUTS + k), bxt_tape_result(tape, k, in, work),
			       BXT_LANES * sizeof(double));
	}
}

static double *new_work(const bxt_tape *tape)
{
	return aligned_alloc(64, (bxt_tape_work(tape) + BXT_LANES) * sizeof(double));
}

static int report(const char *what, double ns, double hand, int operations, double error)
{
	printf("%s: %.1f ns per element, %.2f times hand-written C, %d operations\n", what, ns,
	       ns / hand, operations);
	printf("%s: largest deviation %.1e of the element's largest entry\n", what, error);
	return !(error <= tolerance);
}

int main(void)
{
	bool allowed[INPUTS];
	for (int v = 0; v < INPUTS; v++)
		allowed[v] = v >= M1;
	const size_t total = (size_t)BLOCKS * BXT_LANES;
	inputs = calloc(total * (INPUTS + MOST_HOISTED), sizeof *inputs);
	double *points = malloc(total * INPUTS * sizeof *points);
	bxt_graph *g = bxt_graph_new();
	bxt_ex out[OUTPUTS], *hoisted;
	int n_hoisted;
	if (!inputs || !points || !g || build(g, out))
		return 1;
	fill_inputs();
	for (size_t i = 0; i < total; i++)
		for (int v = 0; v < INPUTS; v++)
			points[i * INPUTS + (size_t)v] =
				input((int)(i / BXT_LANES), v)[i % BXT_LANES];
	bxt_tape *plain = bxt_tape_compile(g, out, OUTPUTS);
	if (bxt_ex_hoist(g, out, OUTPUTS, allowed, INPUTS, &hoisted, &n_hoisted) ||
	    n_hoisted > MOST_HOISTED)
		return 1;
	bxt_tape *once = bxt_tape_compile(g, hoisted, n_hoisted);
	bxt_tape *lean = bxt_tape_compile(g, out, OUTPUTS);
	if (!plain || !once || !lean)
		return 1;
	double *work[3] = {new_work(plain), new_work(once), new_work(lean)};
	if (!work[0] || !work[1] || !work[2])
		return 1;
	evaluate_hoisted(once, n_hoisted, work[1]);

	double sum = 0; /* keeps the work from being optimised away */
	const double hand = time_hand(points, &sum);
	const double plain_ns = time_tape(plain, work[0], &sum);
	const double lean_ns = time_tape(lean, work[2], &sum);
	printf("hand-written C: %.1f ns per element\n", hand);
	int failed = report("tape", plain_ns, hand, bxt_tape_operations(plain),
			    deviation(plain, work[0], points));
	failed |= report("tape, parameters hoisted", lean_ns, hand, bxt_tape_operations(lean),
			 deviation(lean, work[2], points));
	failed |= !isfinite(sum);

	for (int i = 0; i < 3; i++)
		free(work[i]);
	bxt_tape_free(plain);
	bxt_tape_free(once);
	bxt_tape_free(lean);
	free(hoisted);
	bxt_graph_free(g);
	free(inputs);
	free(points);
	return failed;
}
