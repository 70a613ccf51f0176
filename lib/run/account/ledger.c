/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/account/ledger.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Making ---- */

/* Largest number of elements for which energy through ports is accounted individually; for more it
 * costs too much. */
enum { MAX_THROUGH = 2000 };

static bxt_status make_slots(bxt_ledger *m)
{
	const bxt_system *s = m->system;
	const size_t n = s->net->n_elements;
	m->slot_of_element = BXT_NEW(m->arena, int, n);
	m->first_slot = BXT_NEW(m->arena, int, (size_t)s->n_groups);
	m->dissipated = BXT_NEW(m->arena, double, n);
	m->supplied = BXT_NEW(m->arena, double, n);
	m->moved = BXT_NEW(m->arena, double, n);
	if (n <= MAX_THROUGH && !(m->through = BXT_NEW(m->arena, double, n)))
		return BXT_ERR_MEMORY;
	if (!m->slot_of_element || !m->first_slot || !m->dissipated || !m->supplied || !m->moved)
		return BXT_ERR_MEMORY;
	int slot = 0;
	for (int g = 0; g < s->n_groups; g++) {
		m->first_slot[g] = slot;
		for (int i = 0; i < s->groups[g].count; i++)
			m->slot_of_element[s->groups[g].element[i]] = slot++;
	}
	return BXT_OK;
}

/* Makes room for the multipliers of contacts: if no step ends at an event, they are known from
 * steps only. */
static bxt_status make_contacts(bxt_ledger *m)
{
	const size_t n = (size_t)m->system->net->n_switches;
	if (!bxt_traits(m->settings).events_inside || n == 0)
		return BXT_OK;
	if (!(m->contact = BXT_NEW(m->arena, double, n)))
		return BXT_ERR_MEMORY;
	for (size_t k = 0; k < n; k++)
		m->contact[k] = NAN; /* before the first step */
	return BXT_OK;
}

static bxt_status make(bxt_ledger *m, const bxt_state *state)
{
	const bxt_system *s = m->system;
	const size_t size = (size_t)s->size, n = s->net->n_elements;
	m->evaluator = bxt_evaluator_new(s);
	m->together = bxt_together_new(s);
	m->through_port = BXT_NEW(m->arena, double, s->net->n_ports);
	m->v = BXT_NEW(m->arena, double, size);
	m->p = BXT_NEW(m->arena, double, size);
	m->x_grid = BXT_NEW(m->arena, double, size + BXT_LANES);
	m->energy_start = BXT_NEW(m->arena, double, n);
	m->impact = BXT_NEW(m->arena, double, n);
	m->energy = BXT_NEW(m->arena, double, n);
	m->energy_before = BXT_NEW(m->arena, double, n);
	if (!m->evaluator || !m->together || !m->through_port || !m->v || !m->p || !m->x_grid ||
	    !m->impact || !m->energy_start || !m->energy || !m->energy_before)
		return BXT_ERR_MEMORY;
	BXT_TRY(make_slots(m));
	BXT_TRY(make_contacts(m));
	BXT_TRY(bxt_drift_new(s, state, m->arena, &m->drift));
	m->rows_of_time = bxt_drift_needs_time(m->drift);
	for (size_t c = 0; c < s->net->n_connections; c++)
		m->rows_of_time = m->rows_of_time || s->net->connections[c].element >= 0;
	memcpy(m->x_grid, state->x, size * sizeof *m->x_grid);
	BXT_TRY(bxt_velocity_new(s, &m->velocity));
	BXT_TRY(bxt_grid_point_new(s, m->settings, &m->here));
	BXT_TRY(bxt_delays_new(s, m->settings, m->arena, &m->delays));
	BXT_TRY(bxt_numerical_new(s, m->settings, m->arena, &m->numerical));
	BXT_TRY(bxt_ledger_grid(m, state));
	memcpy(m->energy_start, m->energy, n * sizeof *m->energy);
	m->total_start = m->total_energy;
	return BXT_OK;
}

bxt_status bxt_ledger_new(const bxt_system *s, const bxt_settings *settings, const bxt_state *state,
			  bxt_diagnostics *d, bxt_ledger **out)
{
	bxt_ledger *m = *out = calloc(1, sizeof *m);
	if (!m)
		return BXT_ERR_MEMORY;
	m->system = s;
	m->settings = settings;
	m->d = d;
	m->watch.weight = 1;
	m->arena = bxt_arena_new();
	bxt_status status = m->arena ? make(m, state) : BXT_ERR_MEMORY;
	if (status != BXT_OK)
		*out = bxt_ledger_free(m);
	return status;
}

bxt_ledger *bxt_ledger_free(bxt_ledger *m)
{
	if (m) {
		bxt_noether_free(m->noether);
		bxt_delays_free(m->delays);
		bxt_velocity_free(m->velocity);
		bxt_grid_point_free(m->here);
		bxt_together_free(m->together);
		bxt_evaluator_free(m->evaluator);
		bxt_arena_free(m->arena);
		free(m);
	}
	return NULL;
}

bxt_status bxt_ledger_symmetries(bxt_ledger *m, const bxt_state *state)
{
	return bxt_noether_new(m->system, m->settings, state, &m->noether);
}

/* ---- Steps ---- */

static double weight_of(const bxt_quadrature_entry *e, const bxt_ledger *m, const bxt_group *group)
{
	return e->rule_of_group ? e->of_rule[e->rule_of_group[group - m->system->groups]]
				: e->weight;
}

static int weights_in(const bxt_quadrature_entry *e)
{
	return e->rule_of_group ? BXT_MAX_RULES + 1 : 1;
}

/* Powers [W] by element, w [s] the weight of forces. Constraint powers are linear in l = h lambda:
 * they are impulses already. No time passes while coordinates move along loops. */
static bxt_sums sums_of_powers(const bxt_ledger *m, const bxt_quadrature_entry *e, double w)
{
	return (bxt_sums){.to = {[BXT_POWER_DISSIPATED] = m->dissipated,
				 [BXT_POWER_SUPPLIED] = m->supplied,
				 [BXT_POWER_CONSTRAINT] = m->supplied,
				 [BXT_POWER_FRICTION] = m->dissipated,
				 [BXT_POWER_OF_TIME] = m->supplied},
			  .weight = {[BXT_POWER_DISSIPATED] = w,
				     [BXT_POWER_SUPPLIED] = w,
				     [BXT_POWER_OF_TIME] = e->kind == BXT_ENTRY_LOOP ? 0 : w,
				     [BXT_POWER_CONSTRAINT] = e->weight_impulse,
				     [BXT_POWER_FRICTION] = e->weight_impulse}};
}

static void account_powers(bxt_ledger *m, const bxt_quadrature_entry *e, bxt_point at)
{
	bxt_sums sums[BXT_MAX_RULES + 1];
	for (int k = 0; k < weights_in(e); k++)
		sums[k] = sums_of_powers(m, e, e->rule_of_group ? e->of_force[k] : e->weight);
	m->evaluator->weights_of = e->rule_of_group;
	bxt_evaluate_sums(m->evaluator, BXT_SET_POWER, at, sums);
	m->evaluator->weights_of = NULL;
}

/* Powers that elements receive through their ports, likewise. */
static bxt_sums sums_through(const bxt_ledger *m, const bxt_quadrature_entry *e, double w)
{
	return (bxt_sums){.to = {m->through, m->through, m->through},
			  .weight = {[BXT_PORTS_BALANCE] = e->weight_impulse,
				     [BXT_PORTS_FORCES] = w,
				     [BXT_PORTS_IMPULSES] = e->weight_impulse}};
}

static void account_through(bxt_ledger *m, const bxt_quadrature_entry *e, bxt_point at)
{
	bxt_sums sums[BXT_MAX_RULES + 1];
	for (int k = 0; k < weights_in(e); k++)
		sums[k] = sums_through(m, e, e->rule_of_group ? e->of_rule[k] : e->weight);
	m->evaluator->weights_of = e->rule_of_group;
	bxt_evaluate_sums(m->evaluator, BXT_SET_PORTS, at, sums);
	m->evaluator->weights_of = NULL;
}

static void account_ports(void *context, const bxt_group *group, int first, int count,
			  const bxt_output_set *set, const double *const *in, const double *work)
{
	bxt_ledger *m = context;
	double *to = m->through + m->first_slot[group - m->system->groups] + first;
	for (int k = 0; k < set->n; k++) {
		const double *y = bxt_tape_result(set->tape, k, in, work);
		const bool forces = set->entries[k].row == BXT_PORTS_FORCES;
		const double h = forces ? weight_of(m->entry, m, group) : m->entry->weight_impulse;
		for (int l = 0; l < count; l++)
			to[l] += h * y[l];
	}
}

/* Adds half of the work of forces when coordinates are moved at rest. */
static void account_moved(void *context, const bxt_group *group, int first, int count,
			  const bxt_output_set *set, const double *const *in, const double *work)
{
	bxt_ledger *m = context;
	double *to = m->moved + m->first_slot[group - m->system->groups] + first;
	for (int k = 0; k < set->n; k++) {
		const double *y = bxt_tape_result(set->tape, k, in, work);
		for (int l = 0; l < count && set->entries[k].row == BXT_PORTS_FORCES; l++)
			to[l] += 0.5 * y[l];
	}
}

/* Accounts the work of an interaction at its shared ports: forces of its two-form, h F, and of its
 * rows, K. */
static void account_interaction(bxt_ledger *m, const bxt_quadrature_entry *entry,
				const bxt_connection *c, bxt_point at)
{
	const bxt_network *net = m->system->net;
	const bxt_element *e = &net->elements[c->element];
	const bxt_element_type *type = net->types[e->type];
	const bxt_group *group = &m->system->groups[m->system->of_element.group[c->element]];
	for (int a = type->n_own; a < type->n_own + type->n_shared; a++) {
		const int node = e->node[type->origin.port_of_coord[a - type->n_own]];
		const double v = at.x[group->at[a][m->system->of_element.place[c->element]]];
		const double work = entry->weight_impulse * v *
					    bxt_evaluate_one(m->evaluator, BXT_SET_CONSTRAINT,
							     c->element, BXT_K, a, at) +
				    weight_of(entry, m, group) * v *
					    bxt_evaluate_one(m->evaluator, BXT_SET_DYNAMICS,
							     c->element, BXT_F, a, at);
		for (int i = 0; i < c->n_term; i++)
			if (net->ports[c->term[i]].node == node)
				m->through_port[c->term[i]] += work;
	}
}

/* Accounts the work done on subsystems through their exported ports during the step. */
static void account_exported(bxt_ledger *m, const bxt_quadrature_entry *e, bxt_point at)
{
	const bxt_system *s = m->system;
	const bxt_network *net = s->net;
	const double *x = at.x;
	for (size_t p = 0; p < net->n_ports; p++) {
		const int coord = s->where.port_coord[p];
		if (coord >= 0) /* balance: i_port flows in, at the potential of the node */
			m->through_port[p] += e->weight_impulse * x[s->x_of_coord[coord]] *
					      x[s->x_of_row[s->where.node_row[net->ports[p].node]]];
	}
	for (size_t c = 0; c < net->n_connections;
	     c++) { /* equated: lambda acts on the first, -lambda on the other */
		const bxt_connection *con = &net->connections[c];
		if (con->element >= 0)
			account_interaction(m, e, con, at);
		if (!bxt_connection_equates(con))
			continue;
		const int row = s->where.connection_row[c];
		const int first = s->where.node_coord[net->ports[con->port[0]].node];
		const int n = net->nodes[net->ports[con->port[0]].node].n_used;
		for (int p = 1; p < con->n; p++)
			for (int i = 0; i < n; i++) {
				const int other =
					s->where.node_coord[net->ports[con->port[p]].node];
				const double l =
					e->weight_impulse * x[s->x_of_row[row + (p - 1) * n + i]];
				m->through_port[con->port[0]] += l * x[s->x_of_coord[first + i]];
				m->through_port[con->port[p]] -= l * x[s->x_of_coord[other + i]];
			}
	}
}

/*
 * Accounts the move along W after the step: sources supply f.move, and the work of an element's
 * branch on its ports is -(F before + F after)/2 . move, exact for quadratic potentials.
 */
static void account_move(bxt_ledger *m, const bxt_quadrature_entry *e)
{
	static const bxt_weights half_force = {{{[BXT_F] = 0.5}, {[BXT_F] = 0.5}}};
	const bxt_system *s = m->system;
	const double *move = e->x;
	const bxt_point ends[] = {{e->to, move, e->t}, {e->from, move, e->t}};
	double *force = m->v;
	m->projection += e->work;
	account_powers(m, e, (bxt_point){e->q, move, e->t});
	memset(force, 0, (size_t)s->size * sizeof *force);
	for (int k = 0; k < 2; k++)
		bxt_evaluate(m->evaluator, BXT_SET_REST, ends[k], &half_force, force, NULL);
	for (int i = 0; i < s->n; i++) {
		const bxt_coord_info *c = &s->dirac.coord[s->coord_of_x[i]];
		if (move[i] != 0 && c->type == BXT_COORD_ELEMENT)
			m->moved[m->slot_of_element[c->owner]] -= force[i] * move[i];
	}
	for (int k = 0; k < 2; k++) /* shared coordinates, the same way */
		bxt_evaluate_blocks(m->evaluator, BXT_SET_PORTS, ends[k], account_moved, m);
}

/* Stores the energy of each element before a displacement ... */
static void store_before(void *context, const bxt_group *group, int first, int count,
			 const bxt_output_set *set, const double *const *in, const double *work)
{
	bxt_ledger *m = context;
	const double *y = bxt_tape_result(set->tape, 0, in, work);
	memcpy(m->energy_before + m->first_slot[group - m->system->groups] + first, y,
	       (size_t)count * sizeof *y);
}

/* ... and adds its gain, through its ports as far as these are accounted. */
static void account_gain(void *context, const bxt_group *group, int first, int count,
			 const bxt_output_set *set, const double *const *in, const double *work)
{
	bxt_ledger *m = context;
	const double *y = bxt_tape_result(set->tape, 0, in, work);
	const int slot = m->first_slot[group - m->system->groups] + first;
	for (int l = 0; l < count; l++) {
		const double gain = y[l] - m->energy_before[slot + l];
		m->projection += gain;
		m->moved[slot + l] += gain;
	}
}

/* H(to,p) - H(from,p); NaN where the momenta give no flows. Those of a stage are the guess. */
static void account_displacement(bxt_ledger *m, const bxt_quadrature_entry *e,
				 const bxt_quadrature_entry *stage)
{
	const double *const ends[] = {e->from, e->to};
	memcpy(m->v, stage->x, (size_t)m->system->n * sizeof *m->v);
	for (int k = 0; k < 2; k++) {
		if (bxt_velocity_solve(m->velocity, m->evaluator, ends[k], e->p, e->t, m->v) !=
		    BXT_OK) {
			m->projection = NAN;
			return;
		}
		bxt_evaluate_blocks(m->evaluator, BXT_SET_ENERGY, (bxt_point){ends[k], m->v, e->t},
				    k ? account_gain : store_before, m);
	}
}

/* Accounts the powers at a point of the scheme's own quadrature. */
static void account_point(bxt_ledger *m, const bxt_quadrature_entry *e)
{
	const bxt_point at = {e->q, e->x, e->t};
	account_powers(m, e, at);
	if (m->through && e->ports)
		e->ports(e->own, m->evaluator, e->x, account_ports, m);
	else if (m->through)
		account_through(m, e, at);
	account_exported(m, e, at);
}

/* Accounts the first entries of the list that are stages of one rule, evaluated together by the
 * tapes; returns their number. */
static int account_stages(bxt_ledger *m, const bxt_quadrature_list *list)
{
	bxt_evaluator *e[BXT_MAX_STAGES];
	bxt_point at[BXT_MAX_STAGES];
	bxt_sums powers[BXT_MAX_STAGES], through[BXT_MAX_STAGES];
	int n = 0;
	for (; n < list->n && n < BXT_MAX_STAGES; n++) {
		const bxt_quadrature_entry *entry = &list->entry[n];
		if (entry->kind != BXT_ENTRY_STAGE || entry->rule_of_group || entry->ports)
			break;
		e[n] = m->evaluator;
		at[n] = (bxt_point){entry->q, entry->x, entry->t};
		powers[n] = sums_of_powers(m, entry, entry->weight);
		through[n] = sums_through(m, entry, entry->weight);
		if (m->rows_of_time || entry->rows)
			bxt_evaluator_set_time(m->evaluator, entry->t);
		bxt_drift_stage(m->drift, m->evaluator, entry, list->h, n == 0);
		account_exported(m, entry, at[n]);
	}
	if (n == 0)
		return 0;
	bxt_evaluate_sums_together(m->together, e, n, BXT_SET_POWER, at, powers);
	if (m->through)
		bxt_evaluate_sums_together(m->together, e, n, BXT_SET_PORTS, at, through);
	return n;
}

/*
 * Accounts the impulses of the symmetric projection at one end of the step: work on prescribed
 * motion, nu.((-1)^s b_k + b_{k+1}), and through ports. Flows at the start are those at the end of
 * the step before.
 */
static void account_kick(bxt_ledger *m, const bxt_quadrature_entry *e)
{
	const bxt_system *s = m->system;
	const bxt_point at = {e->q, m->x_grid, e->t};
	memcpy(m->x_grid + s->n, e->x + s->n, (size_t)(s->m + 1) * sizeof *m->x_grid);
	if (e->end)
		memcpy(m->x_grid, e->x, (size_t)s->n * sizeof *m->x_grid);
	if (s->constraints.have_b || s->has_terms)
		account_powers(m, e, at);
	if (m->through)
		account_through(m, e, at);
	account_exported(m, e, at);
	if (e->end)
		bxt_drift_grid(m->drift, m->evaluator, e);
}

static void account(bxt_ledger *m, const bxt_quadrature_list *list, const bxt_quadrature_entry *e)
{
	m->entry = e;
	bxt_evaluator_set_time(m->evaluator, e->t);
	switch (e->kind) {
	case BXT_ENTRY_STAGE:
		bxt_drift_stage(m->drift, m->evaluator, e, list->h, e == list->entry);
		account_point(m, e);
		break;
	case BXT_ENTRY_POINT:
		account_point(m, e);
		break;
	case BXT_ENTRY_WRITTEN: /* the run's rule defines the powers, at its points */
		break;
	case BXT_ENTRY_KICK:
		account_kick(m, e);
		break;
	case BXT_ENTRY_MOVE:
		account_displacement(m, e, list->entry);
		break;
	case BXT_ENTRY_LOOP:
		account_move(m, e);
		break;
	}
}

/* Accounts contacts: their work on moving parts goes through the element's ports, and the element
 * has lost as much. */
static void account_contacts(bxt_ledger *m, const bxt_quadrature_list *list)
{
	for (int i = 0; i < list->n_contacts; i++) {
		const bxt_contact_work *c = &list->contact[i];
		const int slot = m->slot_of_element[c->element];
		if (c->impact)
			m->impact[slot] += c->work;
		else
			m->dissipated[slot] -= c->work;
		m->supplied[slot] += c->supplied;
		if (m->through)
			m->through[slot] -= c->work + c->supplied;
		m->contact[c->which] = c->impulse / list->h;
	}
}

void bxt_ledger_step(bxt_ledger *m, const bxt_quadrature_list *list, const bxt_state *state)
{
	const double start = bxt_watch_now(&m->watch);
	for (int i = account_stages(m, list); i < list->n; i++)
		account(m, list, &list->entry[i]);
	account_contacts(m, list);
	if (m->delays) {
		const double stored = bxt_delays_supply(m->delays, m->evaluator, list,
							m->slot_of_element, m->supplied);
		if (m->numerical)
			bxt_numerical_gain(m->numerical, stored);
	}
	bxt_drift_positions(m->drift, m->evaluator, state, m->v);
	if (m->numerical && list->p_start)
		bxt_numerical_step(m->numerical, m->together, m->evaluator, list);
	if (m->noether)
		bxt_noether_step(m->noether, list, state);
	m->seconds += bxt_watch_now(&m->watch) - start;
}

double bxt_ledger_total(const bxt_ledger *m, const double *by_slot)
{
	double sum = 0;
	for (size_t i = 0; i < m->system->net->n_elements; i++)
		sum += by_slot[i];
	return sum;
}

/* ---- Grid points ---- */

static void store_energy(void *context, const bxt_group *group, int first, int count,
			 const bxt_output_set *set, const double *const *in, const double *work)
{
	bxt_ledger *m = context;
	const double *y = bxt_tape_result(set->tape, 0, in, work);
	double *to = m->energy + m->first_slot[group - m->system->groups] + first;
	for (int l = 0; l < count; l++) {
		to[l] = y[l];
		m->total_energy += y[l];
		m->largest = fmax(m->largest, fabs(y[l]));
	}
}

/* Adds the energy under way in delays. */
static void store_delays(bxt_ledger *m, const bxt_state *state)
{
	const bxt_network *net = m->system->net;
	for (int k = 0; k < net->n_delays; k++) {
		const double energy = bxt_delays_energy(m->delays, state->history, k, state->t);
		const int element = net->delays[k].element;
		const bxt_element_type *type = net->types[net->elements[element].type];
		double *to = &m->energy[m->slot_of_element[element]];
		if (net->delays[k].index == 0 && type->set[BXT_SET_ENERGY].n == 0)
			*to = 0; /* it stores nothing else */
		*to += energy;
		m->total_energy += energy;
		m->largest = fmax(m->largest, fabs(*to));
	}
}

static void tell_momenta(bxt_ledger *m, bxt_status status, double t)
{
	bxt_buffer words = {0};
	bxt_grid_values_name_rows(m->here->values, &words);
	bxt_error(m->d, BXT_NOWHERE,
		  "t = %.9g s: the flows of carried momenta are not found (%s; at %s)", t,
		  bxt_status_text(status), words.text ? words.text : "?");
	bxt_buffer_free(&words);
}

/* Finds the flows of the state's momenta, and these momenta, to m->v and m->p. */
static bxt_status find_flows(bxt_ledger *m, const bxt_state *state)
{
	if (bxt_traits(m->settings).massless_momenta) {
		const bxt_status found = bxt_grid_point_momenta(m->here, state, m->v, m->p);
		if (bxt_status_is_recoverable(found))
			tell_momenta(m, found, state->t);
		return found;
	}
	memcpy(m->p, state->p, (size_t)m->system->size * sizeof *m->p);
	memcpy(m->v, state->x, (size_t)m->system->n * sizeof *m->v);
	const bxt_status status =
		bxt_velocity_solve(m->velocity, m->evaluator, state->q, state->p, state->t, m->v);
	if (bxt_status_is_recoverable(status) && !m->told_flows)
		bxt_velocity_report(m->velocity, m->system, status, state->t, m->d);
	m->told_flows = m->told_flows || bxt_status_is_recoverable(status);
	return status;
}

void bxt_ledger_resume(bxt_ledger *m, const bxt_state *state)
{
	bxt_drift_resume(m->drift, state);
	if (m->delays)
		bxt_delays_forget(m->delays);
}

bxt_status bxt_ledger_grid(bxt_ledger *m, const bxt_state *state)
{
	const bxt_system *s = m->system;
	const double start = bxt_watch_now(&m->watch);
	bxt_evaluator_set_time(m->evaluator, state->t);
	BXT_TRY(find_flows(m, state));
	m->total_energy = 0;
	bxt_evaluate_blocks(m->evaluator, BXT_SET_ENERGY, (bxt_point){state->q, m->v, state->t},
			    store_energy, m);
	if (m->delays && state->history)
		store_delays(m, state);
	for (int i = 0; i < s->n; i++) /* energy of motion, also if a potential cancels it */
		m->largest = fmax(m->largest, fabs(m->p[i] * m->v[i]));
	bxt_drift_integrated(m->drift, state);
	m->seconds += bxt_watch_now(&m->watch) - start;
	return BXT_OK;
}
