/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small circuits and mechanisms, where a step is made of overheads: a step as bxt_run takes it,
 * ledger and drift included, against as many bare refactorisations and solves of its matrix as it
 * took, and against the same midpoint step written by hand for that one circuit. All figures are
 * ratios within this run, of medians that take turns.
 */
#include "bench/benchmark.h"

#include <math.h>
#include <stdlib.h>

/* WARM: steps before the first turn, by which factorisations have become code. */
enum { TURNS = 9, STEPS = 20000, WARM = 2000 };

static const double PI = 3.14159265358979323846;

/* ---- By hand: states and what is constant of one circuit; no account, no checks. ---- */

/* V - R i - q/C = phi', i = phi/L = q': the linear step in closed form. */
static double rlc_by_hand(long steps)
{
	const double R = 1000, L = 50e-3, C = 2e-6, h = 1.0 / 48000;
	const double divisor = 1 + h * R / (2 * L) + h * h / (4 * L * C);
	double phi = 0, q = 0;
	for (long k = 0; k < steps; k++) {
		const double v = sin(2 * PI * 800 * (((double)k + 0.5) * h));
		const double middle = (phi + h / 2 * (v - q / C)) / divisor;
		q += h * middle / L;
		phi = 2 * middle - phi;
	}
	return q + phi;
}

/* The same with a diode, i = Is (exp(u/Vt) - 1): Newton for the current at the midpoint. */
static double dlc_by_hand(long steps)
{
	const double R = 0.5, L = 0.1, C = 0.2533, Is = 2e-9, Vt = 1.7 * 0.026, h = 1.0 / 192000;
	double phi = 0, q = 0, u = 0;
	for (long k = 0; k < steps; k++) {
		const double v = sin(2 * PI * 500 * (((double)k + 0.5) * h));
		for (int it = 0; it < 50; it++) { /* unknown u, the diode's voltage */
			const double e = exp(u / Vt), i = Is * (e - 1), slope = Is * e / Vt;
			const double a = L + h / 2 * R + h * h / (4 * C);
			const double r = a * i - phi - h / 2 * (v - u - q / C);
			const double du = -r / (a * slope + h / 2);
			u += du > 2 * Vt ? 2 * Vt : du;
			if (fabs(du) < 1e-15 + 1e-14 * fabs(u))
				break;
		}
		const double i = Is * (exp(u / Vt) - 1);
		q += h * i;
		phi = 2 * L * i - phi;
	}
	return q + phi;
}

static const struct circuit {
	const char *file, *scheme;
	double (*by_hand)(long steps);
} circuits[] = {{"rlc-series.xml", "gauss1", rlc_by_hand},
		{"dlc.xml", "gauss1", dlc_by_hand},
		{"loudspeaker.xml", "gauss1", NULL},
		{"loudspeaker-nonlinear.xml", "gauss1", NULL},
		{"bjtamp.xml", "gauss1", NULL},
		{"oscillator-nl.xml", "discrete-gradient", NULL}};

static bool copy_netlist(const void *what, FILE *stream)
{
	const char *folder = getenv("BXT_NETLISTS");
	bxt_buffer path = {0};
	bxt_buffer_printf(&path, "%s/%s", folder ? folder : "netlists", (const char *)what);
	FILE *from = path.failed ? NULL : fopen(path.text, "r");
	bxt_buffer_free(&path);
	for (int c; from && (c = getc(from)) != EOF;)
		putc(c, stream);
	return from && fclose(from) == 0;
}

/* The times of STEPS steps, of their bare iterations, and of the steps by hand. */
static bxt_status turn(bench_model *m, bench_bare *bare, const struct circuit *c, double *step,
		       double *solve, double *hand)
{
	const long first = m->stepper->newton.iterations;
	double start = bench_now(), ignored = 0;
	for (int i = 0; i < STEPS; i++)
		BXT_TRY(bench_step(m));
	*step = bench_now() - start;
	const long iterations = m->stepper->newton.iterations - first;
	start = bench_now();
	for (long i = 0; i < iterations; i++)
		bench_bare_once(bare, m->stepper, !m->system->affine);
	*solve = bench_now() - start;
	start = bench_now();
	if (c->by_hand)
		ignored = c->by_hand(STEPS);
	*hand = c->by_hand && isfinite(ignored) ? bench_now() - start : NAN;
	return BXT_OK;
}

static bxt_status measure(const struct circuit *c, bool compile, bench_model *m)
{
	double by_solve[TURNS], by_hand[TURNS];
	bench_bare bare = {0};
	*m = (bench_model){.def = {.size = sizeof m->def}};
	m->def.scheme = c->scheme;
	m->def.compile = compile;
	BXT_TRY(bench_open(m, copy_netlist, c->file));
	m->stepper->newton.watch.weight = m->monitor->watch.weight = 0;
	for (int i = 0; i < WARM; i++)
		BXT_TRY(bench_step(m));
	bxt_status status = bench_bare_open(&bare, m->stepper) ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		bench_bare_right_side(&bare, m->stepper);
	const long before = m->stepper->newton.iterations;
	for (int k = 0; k < TURNS && status == BXT_OK; k++) {
		double step = NAN, solve = NAN, hand = NAN;
		status = turn(m, &bare, c, &step, &solve, &hand);
		by_solve[k] = step / solve;
		by_hand[k] = step / hand;
	}
	bench_bare_close(&bare);
	if (status != BXT_OK)
		return status;
	const double iterations = (double)(m->stepper->newton.iterations - before);
	printf("%-26s%s %4d unknowns %5.2f iterations a step: %5.1f of the bare solver's", c->file,
	       compile ? " --compile" : "          ", m->stepper->n_x, iterations / TURNS / STEPS,
	       bench_median(by_solve, TURNS));
	if (c->by_hand)
		printf(", %5.1f of the step by hand", bench_median(by_hand, TURNS));
	printf("\n");
	return BXT_OK;
}

int main(void)
{
	int failed = 0;
	printf("a step, account included, in terms of the bare factor and solve of its matrix\n");
	for (size_t i = 0; i < 2 * sizeof circuits / sizeof *circuits; i++) {
		const struct circuit *c = &circuits[i / 2];
		bench_model m;
		const bxt_status status = measure(c, i % 2 == 1, &m);
		if (status != BXT_OK)
			bench_complain(&m, c->file, status);
		failed += status != BXT_OK;
		bench_close(&m);
	}
	return failed > 0;
}
