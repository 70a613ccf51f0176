/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of schemes that capture contacts in their steps (methods/contacts.h). The system that is
 * stepped has no rows with bounds, so that grid values do not include their forces. Rows are
 * therefore read in the system in which all of them hold: flows are those at the grid point,
 * multipliers the means over the step that leads there, impulse divided by step. Multipliers are
 * unknown before the first step.
 */
#include "run/account/record.h"

#include "motion/scheme/traits.h"

#include <math.h>
#include <string.h>

bxt_status bxt_recorder_make_view(bxt_recorder *r, const bxt_system *s)
{
	if (!bxt_traits(r->settings).events_inside || s->net->n_switches == 0)
		return BXT_OK;
	BXT_TRY(bxt_system_with_bounds(s, BXT_HOLDS, &r->held));
	r->system = r->held;
	r->view = bxt_state_new(r->held);
	r->without = BXT_NEW(r->arena, double, (size_t)s->size + BXT_LANES);
	return r->view && r->without ? BXT_OK : BXT_ERR_MEMORY;
}

/* The x index of the row of switch k; the spare: it is a mode. */
static int row_of(const bxt_system *s, size_t element, int k)
{
	const bxt_element_type *type = s->net->types[s->net->elements[element].type];
	const bxt_switch *of = &type->switches[k];
	return of->row ? s->x_of_row[s->where.first_row[element] + of->index] : s->spare;
}

const bxt_state *bxt_recorder_view(bxt_recorder *r, const bxt_ledger *m, const bxt_state *state)
{
	const bxt_network *net = r->system->net;
	if (!r->held)
		return state;
	bxt_state_carry(state, r->view);
	for (size_t e = 0; e < net->n_elements; e++)
		for (int k = 0; k < net->types[net->elements[e].type]->n_switches; k++)
			r->view->x[row_of(r->system, e, k)] =
				m->contact[net->elements[e].first_switch + k] * state->h;
	r->view->x[r->system->spare] = 0;
	return r->view;
}

bxt_status bxt_recorder_find_view(bxt_recorder *r, const bxt_ledger *m, const bxt_state *state)
{
	const bxt_system *s = r->system;
	const bxt_status status = bxt_grid_point_find(m->here, state, r->without);
	const bxt_state *view = bxt_recorder_view(r, m, state);
	memcpy(r->x, r->without, (size_t)s->n * sizeof *r->x);
	for (int i = s->n; i < s->spare; i++)
		r->x[i] = state->h != 0 ? view->x[i] / state->h : NAN;
	r->x[s->spare] = 0;
	return status;
}

void bxt_recorder_view_impulses(bxt_recorder *r, const bxt_stepper *st,
				const bxt_quadrature_list *list)
{
	const bxt_system *s = r->system, *without = st->system;
	const bxt_network *net = s->net;
	memset(r->impulses, 0, (size_t)s->size * sizeof *r->impulses);
	for (size_t i = 0; i < s->dirac.m; i++)
		r->impulses[s->x_of_row[i]] = list->entry[0].x[without->x_of_row[i]];
	for (int i = 0; i < list->n_contacts; i++) {
		const bxt_contact_work *c = &list->contact[i];
		const int first = net->elements[c->element].first_switch;
		r->impulses[row_of(s, (size_t)c->element, c->which - first)] = c->impulse;
	}
	r->impulses[s->spare] = 0;
}
