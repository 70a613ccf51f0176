/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of `compare`, for its reports and pictures. */
#ifndef BXT_TOOL_COMPARE_H
#define BXT_TOOL_COMPARE_H

#include "tool.h"

typedef struct comparison {
	const char *file[2];
	bxt_twins twins;
	bxt_table *table[2];
	bxt_summary summary[2];
	bxt_difference *difference; /* (twins.n) */
	bxt_carried *carried[2];    /* (n_carried) */
	bxt_account_difference *account;
	size_t n_carried[2], n_account;
	double largest; /* relative difference of all judged signals: all but drift */
} comparison;

/* Is the difference within the tolerance? NaN is not. */
bool is_within(double relative, const options *o);
/* Is a comparison of that group's signals judged? */
bool is_judged(bxt_signal_group group);

/* Write the report to any stream. */
void compare_write_text(const comparison *c, const options *o, FILE *f);
void compare_write_csv(const comparison *c, FILE *f);
void compare_write_json(const comparison *c, const options *o, FILE *f);

/* Draws signals of both models and their differences to o->plot. Returns an exit status. */
int compare_plot(const comparison *c, const options *o);

#endif
