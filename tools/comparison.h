/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `compare` has found out, for those who show it. */
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
	double largest; /* relative difference of what is judged: all but drift */
} comparison;

/* Not beyond the tolerance; what is not a number is. */
bool is_within(double relative, const options *o);
/* Is a comparison of that group's signals judged? */
bool is_judged(bxt_signal_group group);

/* The forms of the report, to any stream. */
void compare_write_text(const comparison *c, const options *o, FILE *f);
void compare_write_csv(const comparison *c, FILE *f);
void compare_write_json(const comparison *c, const options *o, FILE *f);

/* Draws signals of both and their difference to o->plot. Returns an exit status. */
int compare_plot(const comparison *c, const options *o);

#endif
