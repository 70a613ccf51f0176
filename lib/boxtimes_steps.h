/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of boxtimes.h: what is known of the steps of a run. */
#ifndef BOXTIMES_STEPS_H
#define BOXTIMES_STEPS_H

#include <stddef.h>

/* The steps that were taken. */
typedef struct bxt_step_figures {
	size_t size;
	long at_events; /* steps of a fixed size that were cut at an event of the time */
	/* With a tolerance (0: there is none): steps, attempts that had too large an error, the
	 * smallest and the largest step [s], and what most often had the largest error. */
	double tolerance;
	long accepted, rejected;
	double smallest, largest;
	const char *limited_by; /* a coordinate, or its momentum, "L1.p"; NULL: nothing */
} bxt_step_figures;

#endif
