/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verification of a model: runs all checks in their order. */
#include "study/verify/verify_internal.h"

#include "motion/methods/methods.h"
#include "motion/scheme/traits.h"
#include "motion/start/start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void bxt_default_verify_def(bxt_verify_def *def)
{
	if (!def)
		return;
	*def = (bxt_verify_def){.size = sizeof *def, .seed = 1, .states = 3};
	bxt_default_run_def(&def->run);
}

/* ---- Source locations ---- */

/* Primitives are stacked in their order, coordinates and rows (network/dirac.h). */
static bxt_status find_ranges(bxt_verifier *v)
{
	const bxt_network *net = v->s->net;
	const bxt_dirac *d = &v->s->dirac;
	const size_t n = net->n_primitives;
	v->coord_first = BXT_NEW(v->arena, int, n + 1);
	v->row_first = BXT_NEW(v->arena, int, n + 1);
	if (!v->coord_first || !v->row_first)
		return BXT_ERR_MEMORY;
	for (size_t c = 0; c < d->n; c++) {
		const bxt_coord_info *q = &d->coord[c];
		v->coord_first[1 + (q->type == BXT_COORD_ELEMENT ? net->elements[q->owner].primitive
				    : q->type == BXT_COORD_NODE
					    ? net->nodes[q->owner].primitive
					    : net->ports[q->owner].primitive)]++;
	}
	for (size_t r = 0; r < d->m; r++) {
		const bxt_row_info *row = &d->row[r];
		if (row->family == BXT_FAMILY_CONNECTION)
			continue;
		v->m_delta++;
		v->row_first[1 + (row->family == BXT_FAMILY_NODE
					  ? net->nodes[row->owner].primitive
					  : net->elements[row->owner].primitive)]++;
	}
	for (size_t p = 0; p < n; p++) {
		v->coord_first[p + 1] += v->coord_first[p];
		v->row_first[p + 1] += v->row_first[p];
	}
	return BXT_OK;
}

/*
 * The step of the scheme itself, without corrections after it; that of gauss1 for explicit schemes.
 */
static bxt_status choose_scheme(bxt_verifier *v, const bxt_verify_def *def, bxt_diagnostics *d)
{
	/* bxt_initialize has reported findings about the settings */
	bxt_status status = bxt_settings_resolve(v->s, &def->run, NULL, &v->settings);
	if (status != BXT_OK)
		return bxt_settings_resolve(v->s, &def->run, d, &v->settings);
	const char *setting;
	if (bxt_methods_by_itself(&v->settings, &setting)) {
		bxt_note(d, BXT_NOWHERE,
			 "the %s %s steps by itself: the step that is verified is that of gauss1",
			 setting,
			 strcmp(setting, "rule") ? v->settings.scheme->name
						 : v->settings.rule->name);
		v->settings.scheme = &bxt_scheme_gauss1;
	}
	if (bxt_traits(&v->settings)
		    .events_inside) /* between its events it takes steps of gauss1 */
		v->settings.scheme = &bxt_scheme_gauss1;
	v->settings.project_rows = v->settings.keep_positions = v->settings.project_loops = false;
	v->settings.project_ends = false;
	return BXT_OK;
}

static bxt_status go_there(bxt_verifier *v, const bxt_verify_def *def, bxt_diagnostics *d)
{
	bxt_run_def run = def->run;
	BXT_TRY(bxt_initialize(v->s, &run, d, &v->base));
	if (def->at > 0) {
		run.end = def->at;
		run.record = "energy";
		run.n_record_also = 0;
		BXT_TRY(bxt_run(v->s, v->base, &run, NULL, NULL, d));
	}
	return choose_scheme(v, def, d);
}

static bxt_status prepare_verifier(bxt_verifier *v, const bxt_verify_def *def, bxt_diagnostics *d)
{
	const bxt_system *s = v->s;
	BXT_TRY(bxt_checks_open(&v->checks, def->tolerance));
	v->arena = bxt_arena_new();
	v->e = bxt_evaluator_new(s);
	v->near = bxt_verify_state_new(s);
	if (!v->arena || !v->e || !v->near)
		return BXT_ERR_MEMORY;
	v->dropped = BXT_NEW(v->arena, bool, s->dirac.m);
	v->block_regular = BXT_NEW(v->arena, bool, s->net->n_primitives);
	v->block_culprit = BXT_NEW(v->arena, int, s->net->n_primitives);
	v->zero = BXT_NEW(v->arena, double, (size_t)s->size + BXT_LANES);
	v->q = BXT_NEW(v->arena, double, (size_t)s->size + BXT_LANES);
	if (!v->dropped || !v->block_regular || !v->block_culprit || !v->zero || !v->q)
		return BXT_ERR_MEMORY;
	v->seed = def->seed;
	BXT_TRY(find_ranges(v));
	return go_there(v, def, d);
}

/* ---- The checks ---- */

static bxt_status check_state(bxt_verifier *v, const bxt_state *state, bool at_base)
{
	if (at_base || !v->s->constraints.constant)
		BXT_TRY(bxt_verify_structure(v, state, at_base));
	BXT_TRY(bxt_verify_ports(v, state));
	BXT_TRY(bxt_verify_step(v, state));
	return bxt_verify_elements(v, state);
}

/*
 * Distance of the first random state, relative to the size of the coordinates: far above round-off,
 * and small enough for every device.
 */
static const double FARTHEST = 1e-3;

/* Finds a random state from which the model can step. Approaches the base until one exists. */
static bxt_status check_near(bxt_verifier *v)
{
	enum { TRIES = 6 };
	double size = FARTHEST;
	for (int i = 0; i < TRIES; i++, size /= 10) {
		bxt_status status = bxt_verify_near(v, size);
		if (status == BXT_OK)
			status = check_state(v, v->near, false);
		if (status == BXT_OK)
			v->checks.out->states++;
		if (!bxt_status_is_recoverable(status))
			return status;
	}
	return BXT_OK;
}

static bxt_status check_all(bxt_verifier *v, const bxt_verify_def *def, bxt_diagnostics *d)
{
	const bxt_status status = check_state(v, v->base, true);
	if (bxt_status_is_recoverable(status))
		bxt_error(d, BXT_NOWHERE, "t = %.9g s: the step to verify cannot be made: %s",
			  v->base->t, bxt_status_text(status));
	BXT_TRY(status);
	v->checks.out->states++;
	BXT_TRY(bxt_verify_constraint_algorithm(v));
	for (int i = 0; i < def->states; i++)
		BXT_TRY(check_near(v));
	bxt_verify_blocks_report(v);
	BXT_TRY(bxt_verify_symmetries(v, def->states));
	BXT_TRY(bxt_verify_symplectic(v));
	BXT_TRY(bxt_verify_switching(v, def));
	return def->hamilton_jacobi ? bxt_verify_hamilton_jacobi(v, def, d) : BXT_OK;
}

bxt_status bxt_verify(const bxt_system *system, const bxt_verify_def *def, bxt_diagnostics *d,
		      bxt_verification **out)
{
	bxt_verify_def standard, given;
	BXT_NEEDS(d, out);
	*out = NULL;
	BXT_NEEDS(d, system);
	bxt_default_verify_def(&standard);
	bxt_verifier v = {.s = system};
	BXT_TRY(bxt_take_sized(def ? def : &standard, &given, sizeof given, "bxt_verify_def", d));
	def = &given;
	bxt_status status = prepare_verifier(&v, def, d);
	if (status == BXT_OK)
		status = check_all(&v, def, d);
	bxt_state_free(v.base);
	bxt_state_free(v.near);
	bxt_evaluator_free(v.e);
	bxt_arena_free(v.null_arena);
	bxt_arena_free(v.arena);
	return bxt_checks_close(&v.checks, status, out);
}
