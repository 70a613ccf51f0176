/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What entered the delays of a system, as long as it is on its way: part of the state. Each step
 * leaves the values at its stages and ends. Where values jump no polynomial reaches across.
 */
#ifndef BXT_SCHEME_HISTORY_H
#define BXT_SCHEME_HISTORY_H

#include "ground/base/text.h"
#include "model/system/system.h"

typedef struct bxt_history bxt_history;

/* A history that is constant until t; before: (delays). NULL when out of memory. */
bxt_history *bxt_history_new(const bxt_system *s, double t, const double *before);
bxt_history *bxt_history_free(bxt_history *p);
bxt_history *bxt_history_copy(const bxt_history *p);
/* Makes room for steps of that size and s stages, so that few allocations are left for the run. */
bxt_status bxt_history_reserve(bxt_history *p, const bxt_system *s, double step, int stages);

/* Of the steps in it; 0: there are none. */
int bxt_history_stages(const bxt_history *p);

/* From here on values may be others, by an event or by what the outside does. */
void bxt_history_mark(bxt_history *p);
bool bxt_history_is_fresh(const bxt_history *p);
/* Is the value right after that not known yet? Then it may be set, (delays). */
bool bxt_history_wants_begin(const bxt_history *p);
void bxt_history_set_begin(bxt_history *p, const double *value);

/* What a step integrated: `value` is (stages)(delays), `end` (delays) that at its end, NULL: not
 * known. */
typedef struct bxt_history_step {
	double t0, t1; /* [s] */
	int stages;
	const double *t, *weight, *value, *end;
} bxt_history_step;
bxt_status bxt_history_append(bxt_history *p, const bxt_system *s, const bxt_history_step *step);

/* Sets the polynomials of all delays for a step of size h from t on. Systems that have no inputs
 * of their own are left as they are. */
void bxt_history_aim(const bxt_history *p, const bxt_system *s, double t, double h);
/* The same for the last step, and at the start. */
void bxt_history_settle(const bxt_history *p, const bxt_system *s);

/* The first time after `after` at which something arrives that jumped; INFINITY: none. */
double bxt_history_next(const bxt_history *p, double after);
/* What is under way in delay k at the time t, int y^2 [unit of y, squared, times s]. */
double bxt_history_content(const bxt_history *p, const bxt_system *s, int k, double t);

/* As bytes. */
void bxt_history_write(const bxt_history *p, bxt_buffer *out);
/* NULL: they are no history of these delays, or memory ends. */
bxt_history *bxt_history_read(const bxt_system *s, const void *bytes, size_t length);

#endif
