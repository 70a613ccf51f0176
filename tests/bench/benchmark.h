/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What benchmarks share: a model that is stepped as bxt_run steps it, and the bare solver of its
 * step's matrix. Times are processor times; what is compared takes turns, and medians are given.
 */
#ifndef BENCHMARK_H
#define BENCHMARK_H

#include "model/system/native.h"
#include "motion/start/start.h"
#include "run/account/record.h"

#include <stdio.h>
#include <suitesparse/klu.h>
#include <sys/resource.h>

/* Processor time of this process [s]. */
double bench_now(void);
/* The same with time spent for it, of this process or of its children (RUSAGE_SELF,
 * RUSAGE_CHILDREN). */
double bench_seconds_of(int who);
/* Sorts v (n). NaN when there are none. */
double bench_median(double *v, int n);

/* Set the definition, open it, step it. Zero-initialise. */
typedef struct bench_model {
	bxt_run_def def; /* asked for */
	bxt_diagnostics *d;
	bxt_library *library;
	bxt_netlist *netlist;
	bxt_system *system;
	bxt_native *native; /* where def.compile asks for it */
	bxt_settings settings;
	bxt_state *state;
	bxt_stepper *stepper;
	bxt_ledger *monitor;
	bxt_recorder *recorder;
	double seconds_prepare; /* of what a run does between its start and its first step */
} bench_model;

/* Reads the netlist that write puts into a stream; write may return false when that fails. */
bxt_status bench_open(bench_model *m, bool (*write)(const void *what, FILE *stream),
		      const void *what);
void bench_close(bench_model *m);
/* A step as bxt_run takes it, without the row: drift and ledger included. */
bxt_status bench_step(bench_model *m);
/* Prints what failed and the findings. */
void bench_complain(bench_model *m, const char *what, bxt_status status);

/* KLU without anything around it, set as in lib/linsol_klu.c. */
typedef struct bench_bare {
	klu_common common;
	klu_symbolic *symbolic;
	klu_numeric *numeric;
	const bxt_sparse *a;
	double *b, *x;
} bench_bare;

/* Factors the stepper's last matrix in AMD's order on the groups of unknowns, one of the two that
 * its solver chooses from. False without memory; close it in any case. */
bool bench_bare_open(bench_bare *k, const bxt_stepper *stepper);
void bench_bare_close(bench_bare *k);
/* A right-hand side like the step's own: b = J x at the last solution. */
void bench_bare_right_side(bench_bare *k, const bxt_stepper *stepper);
/* A refactorisation, if wanted, and a solve, for what is timed as a whole.
 */
void bench_bare_once(bench_bare *k, const bxt_stepper *stepper, bool factor);
/* The time of a refactorisation of the stepper's last matrix and of a solve. */
double bench_bare_iteration(bench_bare *k, const bxt_stepper *stepper);

#endif
