/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes native code and calls it. */
#include "model/system/native.h"

#include "model/system/fused.h"
#include "model/system/native_internal.h"
#include "model/system/runner_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bxt_native *bxt_native_free(bxt_native *native)
{
	if (native) {
		bxt_code_free(&native->code);
		bxt_shared_object_free(native->object);
	}
	free(native);
	return NULL;
}

/* ---- Calling it ---- */

/* Arrays by the sources of a fused tape. */
static void point_at(const bxt_evaluator *e, bxt_point at, const double *to[BXT_JOINED_SOURCES])
{
	to[BXT_JOINED_Q] = at.q;
	to[BXT_JOINED_X] = at.x;
	to[BXT_JOINED_TIME] = e->time;
	to[BXT_JOINED_STEP] = e->step;
	to[BXT_JOINED_SIGNAL] = e->signal;
	to[BXT_JOINED_INPUT] = e->system->inputs->number;
	to[BXT_JOINED_CONDITION] = e->system->inputs->offset;
}

/* Evaluates an output set with weights by group, which the code cannot. */
static const bxt_runner *without_code(const bxt_system *s, bxt_output_set_id id)
{
	return s->tapes.fused[id] ? &bxt_fused_runner : &bxt_tape_runner;
}

static void residual(bxt_evaluator *e, bxt_output_set_id id, bxt_point at, const bxt_weights *w,
		     const bxt_residual *to)
{
	const bxt_native *native = e->system->tapes.native;
	if (e->weights_of) {
		without_code(e->system, id)->residual(e, id, at, w, to);
		return;
	}
	const double *sources[BXT_JOINED_SOURCES];
	double *r_abs = to->r_abs ? to->r_abs : e->ignored, *p_abs = to->p_abs;
	point_at(e, at, sources);
	(to->p == to->r ? native->set[id].residual : native->set[id].apart)(
		&native->tables, sources, &w->of[0][0], to->r, r_abs, to->p,
		p_abs ? p_abs : e->ignored + e->system->size + BXT_LANES);
}

static void jacobian(bxt_evaluator *e, bxt_output_set_id id, bxt_point at, int n,
		     const bxt_weights *w, double *const *values)
{
	const bxt_native *native = e->system->tapes.native;
	if (e->weights_of) {
		without_code(e->system, id)->jacobian(e, id, at, n, w, values);
		return;
	}
	if (!bxt_has_wanted(native->set[id].terms, n, w))
		return;
	const double *sources[BXT_JOINED_SOURCES];
	point_at(e, at, sources);
	native->set[id].jacobian(&native->tables, sources, n, &w->of[0][0], values);
}

static void sums(bxt_evaluator *e, bxt_output_set_id id, bxt_point at, const bxt_sums *s)
{
	const bxt_native *native = e->system->tapes.native;
	if (e->weights_of) {
		without_code(e->system, id)->sums(e, id, at, s);
		return;
	}
	const double *sources[BXT_JOINED_SOURCES];
	point_at(e, at, sources);
	native->set[id].sums(&native->tables, sources, s->weight, s->to);
}

static const bxt_runner runner = {residual, jacobian, sums};

static void run_rows(bxt_evaluator *e, bxt_point at, const bxt_weights *w, double *r, double *r_abs)
{
	const bxt_native *native = e->system->tapes.native;
	native->rows(&native->tables, &w->of[0][0], at.x, r, r_abs ? r_abs : e->ignored);
}

static void run_signals(bxt_evaluator *e)
{
	const bxt_native *native = e->system->tapes.native;
	const double *sources[BXT_JOINED_SOURCES];
	point_at(e, (bxt_point){NULL, NULL, 0}, sources);
	native->signals(&native->tables, sources, e->signal);
}

/* ---- Making it ---- */

/* The function of an output set; ISO C has no way from an object's address to a function's. */
static bool find_function(const bxt_native *native, const char *name, int id, void *function)
{
	char symbol[32];
	snprintf(symbol, sizeof symbol, id < 0 ? "%s" : "%s_%d", name, id);
	void *found = bxt_shared_object_find(native->object, symbol);
	memcpy(function, &found, sizeof found);
	return found != NULL;
}

static bool find_set(bxt_native *native, int id)
{
	bxt_native_set *set = &native->set[id];
	if (bxt_set_is_jacobian((bxt_output_set_id)id))
		return find_function(native, "jacobian", id, &set->jacobian);
	if (bxt_set_is_sum((bxt_output_set_id)id))
		return find_function(native, "sums", id, &set->sums);
	return find_function(native, "residual", id, &set->residual) &&
	       find_function(native, "apart", id, &set->apart);
}

static bxt_status make_native(bxt_system *s, bxt_native *native, bxt_diagnostics *d)
{
	bool found = true;
	BXT_TRY(bxt_native_write(s, native));
	if (native->n == 0) {
		bxt_note(d, BXT_NOWHERE,
			 "the model is too large for compiled code: blocks of %d elements are as "
			 "fast",
			 BXT_LANES);
		return BXT_OK;
	}
	BXT_TRY(bxt_shared_object_make(native->code.text.text, d, &native->object));
	native->tables = bxt_code_get_tables(&native->code);
	bxt_buffer_free(&native->code.text);
	for (int id = 0; id < BXT_SET_COUNT; id++)
		found = found && (!native->has[id] || find_set(native, id));
	found = found &&
		(!s->tapes.fused_signals || find_function(native, "signals", -1, &native->signals));
	if (!found) {
		bxt_error(d, BXT_NOWHERE, "compiled code: the object lacks a function");
		return BXT_ERR_IO;
	}
	if (find_function(native, "rows", -1,
			  &native->rows)) /* which may have stayed with its columns */
		native->run_rows = run_rows;
	if (native->signals)
		native->run_signals = run_signals;
	s->tapes.native = native;
	for (int id = 0; id < BXT_SET_COUNT; id++)
		if (native->has[id])
			s->tapes.runner[id] = &runner;
	return BXT_OK;
}

bxt_status bxt_native_make(bxt_system *s, bxt_diagnostics *d, bxt_native **out)
{
	bxt_native *native = *out = calloc(1, sizeof *native);
	const bxt_status status = native ? make_native(s, native, d) : BXT_ERR_MEMORY;
	if (status != BXT_OK)
		*out = bxt_native_free(native);
	return status;
}
