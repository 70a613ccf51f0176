/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The history of the inputs of a system's delays, over the time that each delay needs; part of the
 * state. Each step stores the values at its stages and ends. Polynomials do not extend across jumps
 * of values.
 */
#ifndef BXT_SCHEME_HISTORY_H
#define BXT_SCHEME_HISTORY_H

#include "ground/base/text.h"
#include "model/system/system.h"

typedef struct bxt_history bxt_history;

/* A history that is constant until t, with the values `before` (delays). NULL when out of
 * memory. */
bxt_history *bxt_history_new(const bxt_system *s, double t, const double *before);
bxt_history *bxt_history_free(bxt_history *p);
bxt_history *bxt_history_copy(const bxt_history *p);
/* Reserves memory for steps of that size and s stages, so that few allocations remain during the
 * run. */
bxt_status bxt_history_reserve(bxt_history *p, const bxt_system *s, double step, int stages);

/* The number of stages of its steps; 0: there are none. */
int bxt_history_stages(const bxt_history *p);

/* Marks a possible jump of values here, by an event or by a change of inputs. */
void bxt_history_mark(bxt_history *p);
bool bxt_history_is_fresh(const bxt_history *p);
/* Is the value right after the mark not known yet? Then it may be set, (delays). */
bool bxt_history_wants_begin(const bxt_history *p);
void bxt_history_set_begin(bxt_history *p, const double *value);

/* The inputs of the delays in a step: `value` (stages)(delays) at the stages, `end` (delays) at its
 * end; NULL: not known. */
typedef struct bxt_history_step {
	double t0, t1; /* [s] */
	int stages;
	const double *t, *weight, *value, *end;
} bxt_history_step;
bxt_status bxt_history_append(bxt_history *p, const bxt_system *s, const bxt_history_step *step);

/* Sets the polynomials of all delays for a step of size h that starts at t. Systems without inputs
 * of their own stay unchanged. */
void bxt_history_aim(const bxt_history *p, const bxt_system *s, double t, double h);
/* The same after the last step, and at the start. */
void bxt_history_settle(const bxt_history *p, const bxt_system *s);

/* The first time after `after` at which a jump leaves a delay; INFINITY: none. */
double bxt_history_next(const bxt_history *p, double after);
/* The content of delay k at the time t, int y^2 over its delay [unit of y, squared, times s]. */
double bxt_history_content(const bxt_history *p, const bxt_system *s, int k, double t);

/* As bytes. */
void bxt_history_write(const bxt_history *p, bxt_buffer *out);
/* NULL: the bytes are not a history of these delays, or memory is exhausted. */
bxt_history *bxt_history_read(const bxt_system *s, const void *bytes, size_t length);

#endif
