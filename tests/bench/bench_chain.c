/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pendulum chains, let go stretched out: a Newton iteration against the bare refactorisation and
 * solve of its matrix by KLU, the growth with the number of links, and, where SUNDIALS is, a run
 * against IDA at the same error. All figures are ratios within this run, in processor time; parts
 * of an iteration are the library's own account, in wall time, and need an idle machine.
 *
 *     bench_chain [LINKS]
 */
#include "bench/benchmark.h"
#include "bench/chain_ida.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 100 }; /* of chain_make's 0.01 s: the first second */

static bool write_chain(const void *what, FILE *stream)
{
	return chain_write_netlist(what, stream);
}

static const struct variant {
	const char *scheme, *projection;
} variants[] = {{"gauss1", "off"}, {"gauss1", "on"}, {"gauss2", "off"}, {"gauss2", "on"}};
enum { VARIANTS = sizeof variants / sizeof *variants };

static bxt_status open_chain(bench_model *m, const chain *c, const struct variant *v)
{
	*m = (bench_model){.def = {.size = sizeof m->def}};
	m->def.scheme = v->scheme;
	m->def.projection = v->projection;
	m->def.solver = "klu";
	return bench_open(m, write_chain, c);
}

/* ---- 1: an iteration ---- */

enum { EVALUATE, FACTOR, SOLVE, MONITOR, PARTS };

struct iterations {
	double whole[STEPS], row[STEPS], part[PARTS][STEPS];
	int n;
};

static void read_parts(const bench_model *m, double *part)
{
	const bxt_newton *newton = &m->stepper->newton;
	part[EVALUATE] = newton->seconds_evaluate;
	part[FACTOR] = newton->seconds_factor;
	part[SOLVE] = newton->seconds_solve;
	part[MONITOR] = m->monitor->seconds;
}

/* A step against as many bare iterations as it took. */
static bxt_status iteration_turn(bench_model *m, bench_bare *k, struct iterations *it)
{
	double before[PARTS], after[PARTS], bare = 0;
	const long first = m->stepper->newton.iterations;
	read_parts(m, before);
	const double start = bench_now();
	BXT_TRY(bench_step(m));
	const double stepped = bench_now();
	read_parts(m, after);
	BXT_TRY(bxt_recorder_grid(m->recorder, m->monitor, m->state, m->state->t, NULL));
	const double recorded = bench_now();
	bench_bare_right_side(k, m->stepper);
	for (long i = first; i < m->stepper->newton.iterations; i++)
		bare += bench_bare_iteration(k, m->stepper);
	it->whole[it->n] = (stepped - start) / bare;
	it->row[it->n] = (recorded - start) / bare;
	for (int i = 0; i < PARTS; i++)
		it->part[i][it->n] = (after[i] - before[i]) / bare;
	it->n++;
	return BXT_OK;
}

static void report_iterations(const char *what, const bench_model *m, struct iterations *it)
{
	size_t entries;
	long full, reused;
	bxt_linsol_counts(m->stepper->solver, &entries, &full, &reused);
	printf("%s: Newton iteration / bare klu_refactor + klu_solve %.2f (target 2), with a row "
	       "at each step %.2f\n",
	       what, bench_median(it->whole, it->n), bench_median(it->row, it->n));
	printf("  of which evaluate %.2f, factor %.2f, solve %.2f, monitor %.2f\n",
	       bench_median(it->part[EVALUATE], it->n), bench_median(it->part[FACTOR], it->n),
	       bench_median(it->part[SOLVE], it->n), bench_median(it->part[MONITOR], it->n));
	printf("  %.1f iterations a step, %d unknowns, %zu entries of the factors, %ld full "
	       "factorisations\n",
	       (double)m->stepper->newton.iterations / (double)m->state->steps, m->stepper->n_x,
	       entries, full);
}

static int iterations(const chain *c, const struct variant *v)
{
	static struct iterations it;
	bench_model m;
	bench_bare k = {0};
	char what[64];
	it.n = 0;
	snprintf(what, sizeof what, "%d links, %s, projection %s", c->links, v->scheme,
		 v->projection);
	bxt_status status = open_chain(&m, c, v);
	if (status == BXT_OK)
		status = bench_step(&m);
	if (status == BXT_OK && !bench_bare_open(&k, m.stepper))
		status = BXT_ERR_MEMORY;
	while (status == BXT_OK && it.n < STEPS)
		status = iteration_turn(&m, &k, &it);
	if (status == BXT_OK)
		report_iterations(what, &m, &it);
	else
		bench_complain(&m, what, status);
	bench_bare_close(&k);
	bench_close(&m);
	return status != BXT_OK;
}

/* ---- 2: growth ---- */

enum { SIZES = 3, GROWTH_STEPS = 40 };

/* The same steps with chains of a tenth, of all and of ten times the links, in turns. */
static int growth(const chain *middle, const struct variant *v)
{
	bench_model m[SIZES] = {0};
	double ratio[SIZES][GROWTH_STEPS];
	chain c[SIZES] = {*middle, *middle, *middle};
	bxt_status status = BXT_OK;
	int at = 0;
	c[0].links = middle->links / 10;
	c[2].links = middle->links * 10;
	for (int i = 0; i < SIZES && status == BXT_OK; at = i++)
		status = open_chain(&m[i], &c[i], v);
	for (int k = 0; k < GROWTH_STEPS && status == BXT_OK; k++) {
		double each[SIZES];
		for (int i = 0; i < SIZES && status == BXT_OK; at = i++) {
			const double start = bench_now();
			status = bench_step(&m[i]);
			each[i] = (bench_now() - start) / c[i].links;
		}
		for (int i = 0; i < SIZES && status == BXT_OK; i++)
			ratio[i][k] = each[i] / each[1];
	}
	if (status != BXT_OK)
		bench_complain(&m[at], "growth", status);
	for (int i = 0; i < SIZES && status == BXT_OK; i++)
		printf("%s, projection %s: time per link and step of %d links %.2f (%.1f "
		       "iterations a step)\n",
		       v->scheme, v->projection, c[i].links, bench_median(ratio[i], GROWTH_STEPS),
		       (double)m[i].stepper->newton.iterations / GROWTH_STEPS);
	for (int i = 0; i < SIZES; i++)
		bench_close(&m[i]);
	return status != BXT_OK;
}

/* ---- 3: IDA ---- */

enum { TURNS = 3 }; /* of which the shortest counts */

/* x, y of each point, then their rates. */
struct motion {
	double *position, *velocity; /* (2 links) */
	double seconds;
	long steps, iterations, factorizations;
	size_t entries; /* of the factors */
};

static bool motion_new(struct motion *a, const chain *c)
{
	*a = (struct motion){.position = calloc(4 * (size_t)c->links, sizeof *a->position)};
	a->velocity = a->position ? a->position + 2 * (size_t)c->links : NULL;
	return a->position != NULL;
}

/* By the names of the coordinates: "node(n7).x". */
static void read_motion(const bench_model *m, const chain *c, struct motion *out)
{
	const bxt_system *s = m->system;
	bxt_buffer name = {0};
	for (int i = 0; i < s->n; i++) {
		int k;
		char axis, rest;
		const char *text = bxt_system_x_name(s, i, &name);
		if (sscanf(text, "node(n%d).%c%c", &k, &axis, &rest) != 2 || k < 1 || k > c->links)
			continue;
		const size_t at = 2 * (size_t)(k - 1) + (axis == 'y');
		out->position[at] = m->state->q[i];
		out->velocity[at] = m->state->p[i] / c->m;
	}
	bxt_buffer_free(&name);
}

/* From the start to c->steps c->step; everything after the consistent start is timed. */
static bxt_status own(const chain *c, const struct variant *v, struct motion *out)
{
	bench_model m;
	bxt_status status = open_chain(&m, c, v);
	const double start = bench_now();
	for (long i = 0; i < c->steps && status == BXT_OK; i++)
		status = bench_step(&m);
	out->seconds = bench_now() - start + m.seconds_prepare;
	if (status == BXT_OK) {
		out->steps = m.state->steps;
		out->iterations = m.stepper->newton.iterations;
		long full, reused;
		bxt_linsol_counts(m.stepper->solver, &out->entries, &full, &reused);
		out->factorizations = full + reused;
		read_motion(&m, c, out);
	} else {
		bench_complain(&m, v->scheme, status);
	}
	bench_close(&m);
	return status;
}

/* The largest distance of two motions' points [m]. */
static double distance(const chain *c, const struct motion *a, const struct motion *b)
{
	double largest = 0;
	for (size_t k = 0; k < (size_t)c->links; k++)
		largest = fmax(largest, hypot(a->position[2 * k] - b->position[2 * k],
					      a->position[2 * k + 1] - b->position[2 * k + 1]));
	return largest;
}

/* Largest |phi| [m] and |A v| [m/s] over the rods, phi as in components/planar/rod.xml. */
static void drift(const chain *c, const struct motion *a, double *phi, double *rate)
{
	*phi = *rate = 0;
	for (size_t k = 0; k < (size_t)c->links; k++) {
		double d[4];
		for (size_t i = 0; i < 4; i++) {
			const double *from = i < 2 ? a->position : a->velocity;
			const size_t at = 2 * k + i % 2;
			d[i] = from[at] - (k > 0 ? from[at - 2] : 0);
		}
		*phi = fmax(*phi, fabs(d[0] * d[0] + d[1] * d[1] - c->l * c->l) / (2 * c->l));
		*rate = fmax(*rate, fabs(d[0] * d[2] + d[1] * d[3]) / c->l);
	}
}

static void tell(const char *what, const chain *c, const struct motion *a, const struct motion *ref)
{
	double phi, rate;
	drift(c, a, &phi, &rate);
	printf("  %s: error %.1e m, drift |phi| %.1e m, |A v| %.1e m/s; %ld steps, %ld iterations, "
	       "%ld factorisations of %zu entries\n",
	       what, distance(c, a, ref), phi, rate, a->steps, a->iterations, a->factorizations,
	       a->entries);
}

/* IDA's errors and times as tolerances fall. */
struct curve {
	double error[32], seconds[32];
	int n;
};

/* Down to the first tolerance that comes to the error `wanted`. False when none does. */
static bool ida_curve(const chain *c, double end, double wanted, const struct motion *ref,
		      struct motion *a, struct curve *curve)
{
	static const double ROUGHEST = 1e-2;
	enum { HALF_DECADES = 23 }; /* to 1e-13 */
	double error = INFINITY;
	curve->n = 0;
	for (int i = 0; i < HALF_DECADES && error > wanted; i++) {
		const double tol = ROUGHEST * pow(10, -0.5 * i);
		chain_ida_run run = {.position = a->position, .velocity = a->velocity};
		double best = INFINITY;
		bool good = true;
		for (int turn = 0; turn < TURNS && good; turn++) {
			good = chain_ida(c, end, tol, &run);
			best = fmin(best, run.seconds);
		}
		if (!good) {
			printf("  IDA gives up at tolerance %.0e\n", tol);
			continue;
		}
		a->steps = run.steps;
		a->iterations = run.iterations;
		a->factorizations = run.factorizations;
		a->entries = run.entries;
		error = distance(c, a, ref);
		curve->error[curve->n] = error;
		curve->seconds[curve->n++] = best;
		char what[64];
		snprintf(what, sizeof what, "IDA, tolerance %.1e", tol);
		tell(what, c, a, ref);
	}
	return error <= wanted;
}

/* The time at an error: between two tolerances it goes with a power of the error. */
static double time_at(const struct curve *curve, double error)
{
	int i = 0;
	while (curve->error[i] > error)
		i++;
	if (i == 0)
		return curve->seconds[0];
	return curve->seconds[i - 1] *
	       pow(curve->seconds[i] / curve->seconds[i - 1],
		   log(curve->error[i - 1] / error) / log(curve->error[i - 1] / curve->error[i]));
}

/* Steps that are so many times 0.01 s. */
static const struct contestant {
	struct variant variant;
	int stride;
} contestants[] = {
	{{"gauss2", "on"}, 1},
	{{"gauss2", "off"}, 1},
	{{"gauss2", "on"}, 2},
	{{"gauss3", "on"}, 4},
};
enum { CONTESTANTS = sizeof contestants / sizeof *contestants };

/* Runs them all: the error and the time of each, and the smallest error. */
static bxt_status contest(const chain *given, const struct motion *ref, struct motion *a,
			  double *error, double *seconds, double *least)
{
	*least = INFINITY;
	for (int i = 0; i < CONTESTANTS; i++) {
		const struct contestant *one = &contestants[i];
		chain c = *given;
		char what[64];
		c.step *= one->stride;
		c.steps /= one->stride;
		seconds[i] = INFINITY;
		for (int turn = 0; turn < TURNS; turn++) {
			BXT_TRY(own(&c, &one->variant, a));
			seconds[i] = fmin(seconds[i], a->seconds);
		}
		error[i] = distance(&c, a, ref);
		*least = fmin(*least, error[i]);
		snprintf(what, sizeof what, "%s, projection %s, step %g s", one->variant.scheme,
			 one->variant.projection, c.step);
		tell(what, &c, a, ref);
	}
	return BXT_OK;
}

/* The error is measured against gauss3 in steps a quarter as long. */
static int against_ida(const chain *c)
{
	enum { FINER = 4 };
	double error[CONTESTANTS], seconds[CONTESTANTS], least;
	chain fine = *c;
	struct motion a, ref;
	struct curve curve;
	fine.step /= FINER;
	fine.steps *= FINER;
	const double end = c->step * (double)c->steps;
	bool good = motion_new(&a, c);
	good = motion_new(&ref, c) && good; /* both, for free */
	printf("%d links for %g s:\n", c->links, end);
	good = good && own(&fine, &(struct variant){"gauss3", "on"}, &ref) == BXT_OK &&
	       contest(c, &ref, &a, error, seconds, &least) == BXT_OK;
	if (good && !ida_curve(c, end, least, &ref, &a, &curve))
		puts("  IDA does not come to these errors");
	else
		for (int i = 0; i < CONTESTANTS && good; i++)
			printf("  IDA / %s, projection %s, step %g s: time at the same error "
			       "%.2f\n",
			       contestants[i].variant.scheme, contestants[i].variant.projection,
			       c->step * contestants[i].stride,
			       time_at(&curve, error[i]) / seconds[i]);
	free(a.position);
	free(ref.position);
	return !good;
}

int main(int argc, char **argv)
{
	const long links = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
	if (links < 10 || links > 1000000) {
		fputs("Usage: bench_chain [LINKS], 10 to 1000000\n", stderr);
		return 2;
	}
	const chain c = chain_make((int)links, false, STEPS);
	chain less = c;
	less.links /= 10;
	setvbuf(stdout, NULL, _IOLBF, 0);
	int failed = 0;
	for (int i = 0; i < VARIANTS; i++)
		failed |= iterations(&c, &variants[i]);
	for (int i = 1; i < VARIANTS; i += 2)
		failed |= growth(&c, &variants[i]);
	if (!chain_ida_exists()) {
		puts("no SUNDIALS to compare with");
		return failed;
	}
	failed |= against_ida(&less);
	failed |= against_ida(&c);
	return failed;
}
