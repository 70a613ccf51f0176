/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a linearised model, and gives access to its names and matrices. */
#include "study/linear/linear.h"

#include <stdlib.h>
#include <string.h>

void bxt_default_linear_def(bxt_linear_def *def)
{
	if (def) {
		*def = (bxt_linear_def){.size = sizeof *def};
		bxt_default_run_def(&def->run);
	}
}

/* ---- Models that cannot be linearised ---- */

/* Values that change only at samples have no linear equations in continuous time. */
static bxt_status refuse_samples(const bxt_system *s, bxt_diagnostics *d)
{
	const bxt_network *net = s->net;
	bxt_buffer path = {0};
	bxt_status status = BXT_OK;
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_element *e = &net->elements[i];
		const bxt_component *c = net->types[e->type]->component;
		if (c->sampled.n_updates == 0 && !c->sampled.plugin)
			continue;
		bxt_error(d, e->place,
			  "element '%s' (%s) is sampled: between samples its outputs are held, so "
			  "that it has no linear equations; replace it by one in continuous time",
			  bxt_network_path(net, e->primitive, e->id, &path), c->name);
		status = BXT_ERR_MODEL;
	}
	const bool failed = path.failed;
	bxt_buffer_free(&path);
	return failed ? BXT_ERR_MEMORY : status;
}

/* ---- The point ---- */

/* Rows that depend on others at the point are left out, as in a step. */
static void find_left_out(bxt_linear *l, bxt_diagnostics *d)
{
	const bxt_grid_point *here = l->simulation->ledger->here;
	const bool *out = here->choice ? here->choice->out[BXT_AT_STAGES] : NULL;
	for (int i = l->s->n; out && i < l->s->spare; i++)
		if (out[i])
			l->out = out;
	if (l->out)
		bxt_note(d, BXT_NOWHERE,
			 "rows of the model follow from others at the start: they are left out of "
			 "its linear equations, too");
}

static bxt_status find_point(bxt_linear *l, const bxt_system *system, bxt_diagnostics *d)
{
	bxt_settings_need_no_step(system, &l->run);
	l->run.record = "energy"; /* the linearisation does not use the netlist's records */
	l->run.n_record_also = 0;
	l->run.record_also = NULL;
	BXT_TRY(bxt_simulation_at_start(system, &l->run, d, &l->simulation));
	const bxt_simulation *m = l->simulation;
	l->s = m->s;
	l->x = BXT_NEW(l->arena, double, (size_t)l->s->size + BXT_LANES);
	l->used = BXT_NEW(l->arena, bool, (size_t)l->s->n);
	if (!l->x || !l->used || !(l->e = bxt_evaluator_new(l->s)))
		return BXT_ERR_MEMORY;
	bxt_status status = bxt_grid_point_find(m->ledger->here, m->state, l->x);
	if (bxt_status_is_recoverable(status) && m->settings.operating_point && m->state->h != 0) {
		/*
		 * the search for the operating point ended with a step in which all is at rest: the
		 * flows are those of this step
		 */
		for (int i = 0; i < l->s->size; i++)
			l->x[i] = m->state->x[i] / (i < l->s->n ? 1 : m->state->h);
		status = BXT_OK;
	}
	if (status != BXT_OK) {
		bxt_buffer words = {0};
		bxt_grid_values_name_rows(m->ledger->here->values, &words);
		if (status != BXT_ERR_MEMORY)
			bxt_error(d, BXT_NOWHERE,
				  "flows and multipliers are not found at the start (%s; at %s)",
				  bxt_status_text(status), words.text ? words.text : "?");
		bxt_buffer_free(&words);
		return status;
	}
	find_left_out(l, d);
	l->at = (bxt_point){m->state->q, l->x, m->state->t};
	bxt_evaluator_set_time(l->e, m->state->t);
	bxt_evaluator_set_step(l->e, m->settings.step);
	return BXT_OK;
}

/* ---- Names ---- */

static const char *unit_of_x(const bxt_linear *l, int x, bool flow)
{
	const bxt_system *s = l->s;
	return x < s->n
		       ? bxt_unit_of_coordinate(l->arena, s->net, &s->dirac.coord[s->coord_of_x[x]],
						flow ? BXT_OF_FLOW : BXT_OF_COORDINATE)
				 .text
		       : bxt_unit_of_row(l->arena, s->net, &s->dirac.row[s->row_of_x[x - s->n]],
					 false)
				 .text;
}

/* The name of a coordinate, its flow, or a row. */
static const char *name_of_x(const bxt_linear *l, int x, bool flow, bxt_buffer *b)
{
	const bxt_system *s = l->s;
	return x < s->n ? bxt_dirac_coord_name(s->net, &s->dirac.coord[s->coord_of_x[x]], flow, b)
			: bxt_dirac_row_name(s->net, &s->dirac.row[s->row_of_x[x - s->n]], b);
}

static bxt_status name_states(bxt_linear *l)
{
	bxt_buffer b = {0};
	bool failed = false;
	for (int k = 0; k < 2; k++)
		if (!(l->name[k] = BXT_NEW(l->arena, bxt_column, (size_t)l->n_z)))
			return BXT_ERR_MEMORY;
	for (int x = 0; x < l->s->spare; x++)
		for (int flow = 0; flow < 2; flow++) {
			const int z = flow ? bxt_linear_z(l, x) : x < l->s->n ? l->z_of_q[x] : -1;
			if (z < 0)
				continue;
			const char *name = bxt_arena_strdup(l->arena, name_of_x(l, x, flow, &b));
			/* the quantity of the equation */
			const char *of = bxt_arena_printf(
				l->arena,
				flow ? x < l->s->n ? "balance of %s" : "row %s" : "rate of %s",
				name ? name : "");
			const char *unit = unit_of_x(l, x, flow);
			failed = failed || !name || !of || !unit || b.failed;
			l->name[0][z] = (bxt_column){sizeof(bxt_column), name, unit};
			l->name[1][z] = (bxt_column){sizeof(bxt_column), of, ""};
		}
	for (int k = 0; k < l->n_inputs; k++) {
		const int z = l->z_of_input[k];
		if (z < 0)
			continue;
		l->name[0][z] = l->input[k].name;
		l->name[1][z] = (bxt_column){
			sizeof(bxt_column),
			bxt_arena_printf(l->arena, "input %s", l->input[k].name.name), ""};
		failed = failed || !l->name[1][z].name;
	}
	bxt_buffer_free(&b);
	return failed ? BXT_ERR_MEMORY : BXT_OK;
}

/* ---- The whole model ---- */

static bxt_status linearise(bxt_linear *l, const bxt_system *system, const bxt_linear_def *def,
			    bxt_diagnostics *d)
{
	BXT_TRY(refuse_samples(system, d));
	BXT_TRY(find_point(l, system, d));
	const bxt_status inputs = bxt_linear_find_inputs(l, def->from, d);
	if (inputs != BXT_OK && inputs != BXT_ERR_MODEL)
		return inputs;
	BXT_TRY(bxt_linear_find_outputs(l, def->to, d));
	BXT_TRY(inputs);
	BXT_TRY(bxt_linear_evaluate(l));
	BXT_TRY(bxt_linear_find_delays(l));
	bxt_linear_check_inputs(l, d);
	BXT_TRY(bxt_linear_assemble(l));
	BXT_TRY(bxt_linear_check_equilibrium(l, d));
	return name_states(l);
}

bxt_status bxt_linear_new(const bxt_system *system, const bxt_linear_def *def, bxt_diagnostics *d,
			  bxt_linear **out)
{
	bxt_linear_def standard, own;
	bxt_run_def run;
	BXT_NEEDS(d, out);
	*out = NULL;
	BXT_NEEDS(d, system);
	bxt_default_linear_def(&standard);
	BXT_TRY(bxt_take_sized(def ? def : &standard, &own, sizeof own, "bxt_linear_def", d));
	BXT_TRY(bxt_take_sized(&own.run, &run, sizeof run, "bxt_run_def", d));
	bxt_arena *arena = bxt_arena_new();
	bxt_linear *l = arena ? BXT_NEW(arena, bxt_linear, 1) : NULL;
	if (!l) {
		bxt_arena_free(arena);
		return BXT_ERR_MEMORY;
	}
	l->arena = arena;
	l->run = run;
	const bxt_status status = linearise(l, system, &own, d);
	*out = status == BXT_OK ? l : bxt_linear_free(l);
	return status;
}

bxt_linear *bxt_linear_free(bxt_linear *l)
{
	if (l) {
		bxt_linear_release_inputs(l);
		bxt_linear_release_outputs(l);
		bxt_complex_lu_free(l->pencil.lu);
		free(l->delays.entry);
		free(l->delays.input);
		bxt_evaluator_free(l->e);
		bxt_simulation_free(l->simulation);
		bxt_arena_free(l->arena);
	}
	return NULL;
}

bxt_status bxt_linear_get(const bxt_linear *l, bxt_linear_matrix which, bxt_csc *out)
{
	BXT_NEEDS(NULL, l);
	BXT_NEEDS(NULL, out);
	if ((unsigned)which >= BXT_LINEAR_MATRIX_COUNT || out->size < sizeof *out)
		return BXT_ERR_ARGUMENT;
	BXT_TRY(bxt_linear_refuse_delays(l, "this", NULL));
	const bxt_sparse *a = &l->matrix[which];
	*out = (bxt_csc){sizeof *out, a->nrow, a->ncol, a->colptr, a->rowind, a->values};
	return BXT_OK;
}

size_t bxt_linear_count(const bxt_linear *l, bxt_linear_list list)
{
	if (!l)
		return 0;
	switch (list) {
	case BXT_LINEAR_STATES:
	case BXT_LINEAR_EQUATIONS:
		return (size_t)l->n_z;
	case BXT_LINEAR_INPUTS:
		return (size_t)l->n_inputs;
	case BXT_LINEAR_OUTPUTS:
		return (size_t)l->n_outputs;
	default:
		return 0;
	}
}

const bxt_column *bxt_linear_name(const bxt_linear *l, bxt_linear_list list, size_t i)
{
	if (i >= bxt_linear_count(l, list))
		return NULL;
	switch (list) {
	case BXT_LINEAR_STATES:
		return &l->name[0][i];
	case BXT_LINEAR_EQUATIONS:
		return &l->name[1][i];
	case BXT_LINEAR_INPUTS:
		return &l->input[i].name;
	default:
		return &l->recorder->columns[i];
	}
}

bxt_status bxt_linear_outputs(const bxt_linear *l, double *values)
{
	BXT_NEEDS(NULL, l);
	BXT_NEEDS(NULL, values);
	if (l->n_outputs > 0)
		memcpy(values, l->value, (size_t)l->n_outputs * sizeof *values);
	return BXT_OK;
}
