/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a simulation. */
#include "motion/scheme/traits.h"
#include "run/simulation/state_events.h"
#include "run/simulation/step_adapt.h"
#include "run/simulation/step_reversible.h"

#include <math.h>

/* Is the energy quadratic, and are the equations of all stages those of one matrix? Gauss methods
 * then conserve it. */
static bool is_quadratic(const bxt_system *s)
{
	bool quadratic = s->affine;
	for (int g = 0; g < s->n_groups; g++)
		quadratic = quadratic && s->groups[g].type->quadratic_energy;
	return quadratic;
}

/* Does time itself, or a parameter that follows it, occur in a stored energy? */
static bool energies_in_time(const bxt_system *s)
{
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_element_type *type = s->groups[g].type;
		const bxt_output_set *set = &type->set[BXT_SET_ENERGY];
		for (int k = 0; k < set->n_reads; k++) {
			const bxt_read *read = &set->reads[k];
			if (read->source == BXT_FROM_TIME)
				return true;
			for (int i = 0; i < type->component->n_parameters; i++)
				if (s->groups[g].n_signal > 0 && read->source == BXT_FROM_BLOCK &&
				    type->component->parameters[i].time &&
				    read->index == bxt_type_parameter(type->component, i))
					return true;
		}
	}
	return false;
}

/* The names and units of what was recorded, for as long as the summary lives. */
static bxt_status keep_columns(const bxt_recorder *r, bxt_summary *out)
{
	bxt_arena *arena = out->memory;
	bxt_column *columns = BXT_NEW(arena, bxt_column, r->n);
	if (!columns)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < r->n; i++) {
		columns[i] =
			(bxt_column){sizeof *columns, bxt_arena_strdup(arena, r->columns[i].name),
				     bxt_arena_strdup(arena, r->columns[i].unit)};
		if (!columns[i].name || !columns[i].unit)
			return BXT_ERR_MEMORY;
	}
	out->columns = columns;
	out->n_columns = r->n;
	return BXT_OK;
}

/* The least of the orders of the run's rules. */
static int order_of_rules(const bxt_settings *settings)
{
	const bxt_rule *forces = settings->force_rule, *plus = settings->force_rule_plus;
	const int order = bxt_rule_order(settings->rule);
	double whole;
	if (!forces)
		return order;
	const int of_forces =
		plus ? bxt_rules_of_ends_order(forces, plus, &whole) : bxt_rule_order(forces);
	return of_forces < order ? of_forces : order;
}

static bxt_status keep_steps(const bxt_simulation *m, bxt_summary *out)
{
	bxt_step_figures *taken = &out->taken;
	*taken = (bxt_step_figures){.size = sizeof *taken,
				    .at_events = m->work.at_events,
				    .at_states = m->work.at_states,
				    .impacts = m->switching ? m->switching->impacts : 0,
				    .numerical =
					    bxt_numerical_part(m->ledger->numerical, &out->total),
				    .has_numerical = m->ledger->numerical != NULL};
	if (m->reversible)
		bxt_reversible_sizes(m->reversible, &taken->smallest, &taken->largest);
	if (!m->adapt)
		return BXT_OK;
	const bxt_step_control *c = m->adapt->control;
	bool momentum;
	const int at = bxt_step_control_blamed(c, &momentum);
	bxt_buffer name = {0};
	taken->tolerance = m->settings.tolerance;
	taken->accepted = c->n_accepted;
	taken->rejected = c->n_rejected;
	taken->smallest = c->smallest;
	taken->largest = c->widest;
	if (at >= 0)
		taken->limited_by =
			bxt_arena_printf(out->memory, "%s%s", bxt_system_x_name(m->s, at, &name),
					 momentum ? ".p" : "");
	bxt_buffer_free(&name);
	return at < 0 || taken->limited_by ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_simulation_summarize(bxt_simulation *m, double seconds, bxt_summary *out)
{
	const bxt_system *s = m->s;
	const bxt_newton *newton = &m->stepper->newton;
	long full, reused;
	bxt_simulation_count_work(m);
	bxt_status status = bxt_ledger_grid(m->ledger, m->state);
	out->scheme = m->settings.scheme->name;
	out->solver = m->settings.solver->name;
	out->solver_reason = m->settings.solver_reason;
	out->steps = m->state->steps;
	out->newton_iterations = m->work.iterations;
	out->most_iterations = m->work.most_iterations;
	out->halvings = m->work.halvings;
	bxt_stepper_count_factors(m->stepper, &out->factor_nonzeros, &full, &reused);
	out->factorizations = m->work.factorizations;
	out->refactorizations = m->work.refactorizations;
	out->t = m->state->t;
	out->step = m->settings.step;
	out->every = m->settings.every;
	out->order = m->settings.scheme->order > 0   ? m->settings.scheme->order
		     : m->settings.scheme->uses_rule ? order_of_rules(&m->settings)
						     : m->settings.gradient->order;
	out->coordinates = s->n;
	out->rows = s->m;
	bxt_stepper_count(m->stepper, &out->unknowns, &out->left_out, &out->rank_changes);
	out->loops = m->stepper->loops;
	for (size_t i = 0; i < s->dirac.m; i++)
		out->references += s->dirac.row[i].reference;
	out->nonzeros = (size_t)bxt_sparse_nnz(&m->stepper->pattern);
	out->system_bytes = s->bytes;
	out->rcond = bxt_stepper_rcond(m->stepper);
	out->affine = s->affine;
	out->energy_exact = bxt_traits(&m->settings).exact_energy
				    ? !energies_in_time(s)
				    : is_quadratic(s) && bxt_traits(&m->settings).symmetric;
	out->energy_bounded = bxt_traits(&m->settings).bounded_energy;
	out->seconds.evaluate = newton->seconds_evaluate;
	out->seconds.factor = newton->seconds_factor;
	out->seconds.solve = newton->seconds_solve;
	out->seconds.monitor = m->ledger->seconds;
	out->trust_seconds = bxt_trust_seconds(m->trust);
	out->seconds.total = seconds;
	bxt_status reported = bxt_ledger_report(m->ledger, out);
	if (reported == BXT_OK && m->recorder)
		reported = keep_columns(m->recorder, out);
	for (size_t k = 0; reported == BXT_OK && k < out->n_symmetry; k++)
		if (!isfinite(out->symmetry[k].residual))
			bxt_warning(m->d, BXT_NOWHERE,
				    "symmetry '%s': its momentum or its balance is not a number: "
				    "the field is not finite somewhere on the way",
				    out->symmetry[k].path);
	if (reported == BXT_OK)
		reported = keep_steps(m, out);
	out->trust.size = sizeof out->trust;
	out->trust.trend = NAN;
	if (reported == BXT_OK && status == BXT_OK && m->completed)
		bxt_balance_report(m->balance, out, m->d);
	if (reported == BXT_OK && m->completed)
		reported = bxt_trust_report(m->trust, out);
	/* rows lack the values that the recorder has reported */
	if (m->completed && m->recorder && m->recorder->failures > 0)
		out->trust.notes++;
	return reported != BXT_OK ? reported : status;
}
