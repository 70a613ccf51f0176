/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the ledger and the drift to the summary. */
#include "run/account/ledger.h"

#include <math.h>

static void close_entry(bxt_ledger_entry *e)
{
	e->residual = e->end - e->start - e->supplied - e->through + e->dissipated - e->projection -
		      e->impact;
}

static char *path_copy(const bxt_network *net, int primitive, const char *id, bxt_arena *arena,
		       bxt_buffer *buffer)
{
	return bxt_arena_strdup(arena, bxt_network_path(net, primitive, id, buffer));
}

/*
 * Marks unknown entries. If coordinates with inertia are shared, an element's part of the common
 * change of momentum is not computed, nor is the work of bindings on the coordinates of other
 * elements.
 */
static void forget_unknown(bxt_ledger *m)
{
	const bxt_network *net = m->system->net;
	for (size_t i = 0; i < net->n_elements && m->through; i++) {
		const bxt_element *e = &net->elements[i];
		const bxt_element_type *type = net->types[e->type];
		if (type->inertia_shared)
			m->through[m->slot_of_element[i]] = NAN;
		for (int a = 0; a < type->nl - type->n_own - type->n_shared && !e->is_interaction;
		     a++)
			m->through[m->slot_of_element[e->bound[a].element]] = NAN;
	}
}

static bxt_status report_components(bxt_ledger *m, bxt_summary *out, bxt_arena *arena,
				    bxt_buffer *name)
{
	const bxt_network *net = m->system->net;
	forget_unknown(m);
	for (size_t i = 0; i < net->n_elements; i++) {
		const int slot = m->slot_of_element[i];
		if (net->elements[i].is_interaction) /* its ports are those of its connection */
			continue;
		bxt_ledger_entry *e = &out->ledger[out->n_ledger++];
		*e = (bxt_ledger_entry){.size = sizeof *e,
					.kind = "component",
					.path = path_copy(net, net->elements[i].primitive,
							  net->elements[i].id, arena, name),
					.start = m->energy_start[slot],
					.end = m->energy[slot],
					.dissipated = m->dissipated[slot],
					.supplied = m->supplied[slot],
					.impact = m->impact[slot],
					.through = m->through ? m->through[slot] + m->moved[slot]
							      : NAN};
		close_entry(e);
		if (!e->path)
			return BXT_ERR_MEMORY;
	}
	return BXT_OK;
}

/* Reports each subsystem with all below it: its elements, and its own exported ports. */
static bxt_status report_subsystems(bxt_ledger *m, bxt_summary *out, bxt_arena *arena)
{
	const bxt_network *net = m->system->net;
	bxt_ledger_entry *first = out->ledger + out->n_ledger;
	for (size_t p = 1; p < net->n_primitives; p++) {
		out->ledger[out->n_ledger] = (bxt_ledger_entry){
			.size = sizeof *first,
			.kind = "subsystem",
			.path = bxt_arena_strdup(arena, net->primitives[p].path)};
		if (!out->ledger[out->n_ledger++].path)
			return BXT_ERR_MEMORY;
	}
	for (size_t i = 0; i < net->n_elements; i++)
		for (int p = net->elements[i].primitive; p > 0; p = net->primitives[p].parent) {
			first[p - 1].start += m->energy_start[m->slot_of_element[i]];
			first[p - 1].end += m->energy[m->slot_of_element[i]];
			first[p - 1].dissipated += m->dissipated[m->slot_of_element[i]];
			first[p - 1].impact += m->impact[m->slot_of_element[i]];
			first[p - 1].supplied += m->supplied[m->slot_of_element[i]];
			first[p - 1].through += m->moved[m->slot_of_element[i]];
		}
	/* a connection made above a subsystem carries energy into it; one inside it does not */
	for (size_t k = 0; k < net->n_ports; k++) {
		const int c = net->ports[k].connection;
		for (int p = net->ports[k].primitive; c >= 0 && p > 0;
		     p = net->primitives[p].parent) {
			bool inside = false;
			for (int up = net->connections[c].primitive; up >= 0;
			     up = net->primitives[up].parent)
				inside = inside || up == p;
			if (inside)
				break;
			first[p - 1].through += m->through_port[k];
		}
	}
	for (size_t p = 1; p < net->n_primitives; p++)
		close_entry(&first[p - 1]);
	return BXT_OK;
}

static bxt_status report_ports(bxt_ledger *m, bxt_summary *out, bxt_arena *arena, bxt_buffer *name)
{
	const bxt_network *net = m->system->net;
	for (size_t k = 0; k < net->n_ports; k++) {
		if (net->ports[k].connection < 0)
			continue;
		bxt_ledger_entry *e = &out->ledger[out->n_ledger++];
		*e = (bxt_ledger_entry){.size = sizeof *e,
					.kind = "port",
					.path = path_copy(net, net->ports[k].primitive,
							  net->ports[k].id, arena, name),
					.through = m->through_port[k]};
		if (!e->path)
			return BXT_ERR_MEMORY;
	}
	for (size_t c = 0; c < net->n_connections;
	     c++) { /* the powers of an interconnection sum to zero */
		bxt_ledger_entry *e = &out->ledger[out->n_ledger++];
		*e = (bxt_ledger_entry){.size = sizeof *e,
					.kind = "connection",
					.path = path_copy(net, net->connections[c].primitive,
							  net->connections[c].id, arena, name)};
		for (int i = 0; i < net->connections[c].n; i++)
			e->through += m->through_port[net->connections[c].port[i]];
		e->residual = e->through;
		if (!e->path)
			return BXT_ERR_MEMORY;
	}
	return BXT_OK;
}

static bxt_status report_symmetries(const bxt_noether *n, bxt_summary *out, bxt_arena *arena)
{
	if (!n)
		return BXT_OK;
	out->symmetry = BXT_NEW(arena, bxt_symmetry_entry, (size_t)n->n);
	if (!out->symmetry)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < n->n; k++) {
		const bxt_noether_account *a = &n->account[k];
		bxt_symmetry_entry *e = &out->symmetry[out->n_symmetry++];
		*e = (bxt_symmetry_entry){sizeof *e,
					  bxt_arena_strdup(arena, n->field[k].name),
					  a->start,
					  a->momentum,
					  a->forces,
					  a->constraints,
					  a->worst,
					  a->scale,
					  n->field[k].field->affine};
		if (!e->path)
			return BXT_ERR_MEMORY;
	}
	return BXT_OK;
}

bxt_status bxt_ledger_report(bxt_ledger *m, bxt_summary *out)
{
	const bxt_network *net = m->system->net;
	bxt_arena *arena = bxt_arena_new();
	bxt_buffer name = {0};
	out->memory = arena;
	if (!arena)
		return BXT_ERR_MEMORY;
	/* the sum of powers through ports over all components is the power of the nodes: zero
	 * except for drift */
	out->total = (bxt_ledger_entry){.size = sizeof out->total,
					.kind = "total",
					.path = "",
					.start = m->total_start,
					.end = m->total_energy,
					.dissipated = bxt_ledger_total(m, m->dissipated),
					.supplied = bxt_ledger_total(m, m->supplied),
					.projection = m->projection,
					.impact = bxt_ledger_total(m, m->impact)};
	close_entry(&out->total);
	out->energy_largest = m->largest;
	out->ledger =
		BXT_NEW(arena, bxt_ledger_entry,
			net->n_elements + net->n_primitives + net->n_ports + net->n_connections);
	bxt_status status = out->ledger ? report_subsystems(m, out, arena) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = report_ports(m, out, arena, &name);
	if (status == BXT_OK)
		status = report_components(m, out, arena, &name);
	if (status == BXT_OK)
		status = bxt_drift_report(m->drift, out, arena);
	if (status == BXT_OK)
		status = report_symmetries(m->noether, out, arena);
	bxt_buffer_free(&name);
	return status;
}

void bxt_summary_free(bxt_summary *summary)
{
	if (summary) {
		bxt_arena_free(summary->memory);
		*summary = (bxt_summary){.size = sizeof *summary};
	}
}

/* ---- Going on ---- */

void bxt_ledger_keep(bxt_ledger *m, bxt_account *account)
{
	const bxt_system *s = m->system;
	const size_t n = s->net->n_elements;
	BXT_KEEP_ARRAY(account, m->dissipated, n);
	BXT_KEEP_ARRAY(account, m->supplied, n);
	BXT_KEEP_ARRAY(account, m->through, n);
	BXT_KEEP_ARRAY(account, m->moved, n);
	BXT_KEEP_ARRAY(account, m->impact, n);
	if (m->contact)
		BXT_KEEP_ARRAY(account, m->contact, s->net->n_switches);
	BXT_KEEP_ARRAY(account, m->through_port, s->net->n_ports);
	BXT_KEEP(account, m->projection);
	if (m->delays)
		bxt_delays_keep(m->delays, account);
	bxt_numerical_keep(m->numerical, account);
	bxt_account_by_x(account, s, m->x_grid);
	BXT_KEEP_ARRAY(account, m->energy_start, n);
	BXT_KEEP(account, m->total_start);
	BXT_KEEP(account, m->largest);
	bxt_drift_keep(m->drift, account);
	bxt_grid_point_keep(m->here, account);
	if (m->noether)
		bxt_noether_keep(m->noether, account);
}
