/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests that compare two models: their twins, their runs, their differences. */
#ifndef BXT_TESTS_SUPPORT_BOTH_H
#define BXT_TESTS_SUPPORT_BOTH_H

#include "support/harness.h"

/*
 * Tolerance for torn against whole models over hundreds of steps, which have another order of
 * elimination (test_torn.c).
 */
#define BOTH_SAME 1e-12

typedef struct both {
	model m[2];
	bxt_diagnostics *d;
	bxt_twins twins;
	bxt_table *table[2];
	bxt_summary summary[2];
	bxt_difference *difference;
	double largest; /* largest relative difference of all that is compared */
} both;

both both_of_files(const char *a, const char *b);
both both_of_texts(const char *a, const char *b);
void both_close(both *x);

/* Finds the twins; findings go to x->d. */
bxt_status both_find(both *x, const bxt_run_def *def, const char *const *map, size_t n_map);
/* Finds the twins, runs both models and measures their differences. */
void both_run(both *x, const bxt_run_def *def, double tolerance);
/*
 * Runs both models and checks that they agree in everything: signals, the power in connections,
 * accounts. Exception: the energies of masses that are torn apart with dirac+ and dirac-, because
 * they are computed from the momentum of one part.
 */
void both_agree(both *x, const bxt_run_def *def, bool masses);

/* The twin with these names, or NULL. */
const bxt_twin *both_twin(const both *x, const char *a, const char *b);
void both_expect(const both *x, const char *const (*pairs)[2], size_t n);
#define EXPECT_TWINS(x, ...)                                                                       \
	do {                                                                                       \
		static const char *const pairs_[][2] = {__VA_ARGS__};                              \
		both_expect(x, pairs_, sizeof pairs_ / sizeof *pairs_);                            \
	} while (0)
/* Does the signal of model s have no twin? */
bool both_alone(const both *x, int s, const char *name);
/* Does an error contain these words? */
bool both_say(const both *x, const char *words);

#endif
