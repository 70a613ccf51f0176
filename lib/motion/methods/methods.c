/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/methods/methods.h"

#include "model/system/switch_values.h"
#include "motion/step/stepper.h"

static const bxt_step_method *const methods[BXT_METHOD_COUNT] = {
	[BXT_METHOD_SINGLE_STAGE] = &bxt_method_single_stage,
	[BXT_METHOD_RECTANGLE_BORDER] = &bxt_method_rectangle_border,
	[BXT_METHOD_CHARTS] = &bxt_method_charts,
	[BXT_METHOD_BLOCKS] = &bxt_method_blocks,
	[BXT_METHOD_DISCRETE_GRADIENT] = &bxt_method_discrete_gradient,
	[BXT_METHOD_RUNGE_KUTTA] = &bxt_method_runge_kutta,
	[BXT_METHOD_SHOOTING] = &bxt_method_shooting,
	[BXT_METHOD_LIE_MIDPOINT] = &bxt_method_lie_midpoint,
	[BXT_METHOD_LIE_GALERKIN] = &bxt_method_lie_galerkin,
	[BXT_METHOD_LIE_RULE] = &bxt_method_lie_rule,
	[BXT_METHOD_PROJECTED_ENDS] = &bxt_method_projected_ends,
	[BXT_METHOD_MOREAU] = &bxt_method_moreau,
};

static const bxt_closing *const closings[BXT_CLOSINGS] = {
	[BXT_CLOSE_ENDS] = &bxt_closing_both_ends,  [BXT_CLOSE_POSITIONS] = &bxt_closing_positions,
	[BXT_CLOSE_MOMENTA] = &bxt_closing_momenta, [BXT_CLOSE_END] = &bxt_closing_end,
	[BXT_CLOSE_LOOPS] = &bxt_closing_loops,
};

const bxt_plug_board bxt_motion = {.method = methods, .closing = closings};

bxt_status bxt_stepper_new(const bxt_system *s, const bxt_settings *settings,
			   const bxt_state *state, bxt_stepper **out)
{
	return bxt_stepper_make(&bxt_motion, s, settings, state, out);
}

/*
 * Rows that switch need a method that supports rows, and a state that is valid in every mode.
 * Momenta of coordinates without mass belong to one mode. Runs backward in time find no events.
 */
static bxt_status check_switches(const bxt_system *s, const bxt_settings *settings,
				 bxt_diagnostics *d)
{
	const bxt_scheme *scheme = settings->scheme;
	const char *setting;
	bxt_buffer name = {0};
	if (s->net->n_switches == 0 || (!scheme->backward && !scheme->carries_momenta &&
					!bxt_methods_by_itself(settings, &setting)))
		return BXT_OK;
	bxt_error(
		d, settings->scheme_place,
		"scheme '%s' cannot step models in which something switches, as %s does here: use "
		"gauss1, gauss2, gauss3, radau2, radau3, theta or discrete-gradient",
		scheme->name, bxt_switch_name(s, 0, &name));
	bxt_buffer_free(&name);
	return BXT_ERR_MODEL;
}

/*
 * Momentum terms have no Lagrangian, from which rules, discrete gradients and Lie schemes derive a
 * step. Explicit schemes are for models without rows.
 */
static bxt_status check_terms(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d)
{
	const bxt_scheme *scheme = settings->scheme;
	const char *setting;
	if (!s->has_terms || !(scheme->uses_rule || scheme->exact_energy ||
			       bxt_methods_by_itself(settings, &setting)))
		return BXT_OK;
	for (size_t i = 0; i < s->net->n_elements; i++) {
		const bxt_element *e = &s->net->elements[i];
		const bxt_component *c = s->net->types[e->type]->component;
		if (c->n_momenta == 0)
			continue;
		bxt_error(d, settings->scheme_place,
			  "scheme '%s' cannot step the <momentum> of %s '%s', which no Lagrangian "
			  "has: use gauss1, gauss2, gauss3, radau2, radau3 or theta",
			  scheme->name, c->name, e->id);
		break;
	}
	return BXT_ERR_MODEL;
}

bxt_status bxt_methods_check(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d)
{
	BXT_TRY(check_switches(s, settings, d));
	BXT_TRY(check_terms(s, settings, d));
	for (const bxt_method_id *id = settings->scheme->method; *id != BXT_METHOD_END; id++)
		if (methods[*id]->check)
			BXT_TRY(methods[*id]->check(s, settings, d));
	return BXT_OK;
}

void bxt_methods_describe(const bxt_system *s, const bxt_settings *settings, FILE *stream)
{
	for (const bxt_method_id *id = settings->scheme->method; *id != BXT_METHOD_END; id++)
		if (methods[*id]->describe)
			methods[*id]->describe(s, settings, stream);
}

const bxt_step_method *bxt_methods_by_itself(const bxt_settings *settings, const char **setting)
{
	for (const bxt_method_id *id = settings->scheme->method; *id != BXT_METHOD_END; id++) {
		const bxt_step_method *m = methods[*id];
		*setting = m->by_itself ? m->by_itself(settings) : NULL;
		if (*setting)
			return m;
	}
	return NULL;
}

void bxt_methods_judge(const bxt_settings *settings, bxt_settings *judge)
{
	const char *setting;
	const bxt_step_method *alone = bxt_methods_by_itself(settings, &setting);
	*judge = *settings;
	if (alone && alone->flows_alone)
		return;
	judge->scheme = &bxt_scheme_gauss1;
	judge->project_rows = judge->keep_positions = judge->project_ends = false;
}
