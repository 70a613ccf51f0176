/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/modes.h"

#include <stdlib.h>
#include <string.h>

bxt_status bxt_modes_new(const bxt_system *base, const bxt_settings *settings, bxt_modes **out)
{
	*out = NULL;
	if (base->net->n_switches == 0)
		return BXT_OK;
	bxt_modes *m = *out = calloc(1, sizeof *m);
	if (!m)
		return BXT_ERR_MEMORY;
	m->base = base;
	m->settings = settings;
	bxt_methods_backward_euler(settings, &m->of_probe);
	return BXT_OK;
}

static void drop_kept(bxt_mode_system *one)
{
	if (one->kept)
		one->free_kept(one->kept);
	one->kept = NULL;
}

void bxt_modes_drop_kept(bxt_modes *m)
{
	for (bxt_mode_system *one = m->list; one; one = one->next)
		drop_kept(one);
}

static void free_mode(bxt_mode_system *one)
{
	drop_kept(one);
	bxt_stepper_free(one->probe);
	bxt_grid_point_free(one->here);
	bxt_switch_values_free(one->values);
	bxt_state_free(one->at);
	bxt_state_free(one->end);
	bxt_system_free(one->system);
	free(one->states);
	free(one->x);
	free(one);
}

bxt_modes *bxt_modes_free(bxt_modes *m)
{
	while (m && m->list) {
		bxt_mode_system *next = m->list->next;
		free_mode(m->list);
		m->list = next;
	}
	free(m);
	return NULL;
}

static bxt_status make(const bxt_modes *m, const unsigned char *states, bxt_mode_system *one)
{
	const size_t n = (size_t)m->base->net->n_switches;
	bxt_network *net;
	bxt_diagnostics *dropped = bxt_diagnostics_new();
	if (!dropped || !(one->states = malloc(n))) {
		bxt_diagnostics_free(dropped);
		return BXT_ERR_MEMORY;
	}
	memcpy(one->states, states, n);
	bxt_status status = bxt_network_switched(m->base->net, states, &net);
	if (status == BXT_OK)
		status = bxt_system_of_network(net, dropped, &one->system);
	bxt_diagnostics_free(dropped);
	BXT_TRY(status);
	one->system->inputs = m->base->inputs;
	BXT_TRY(bxt_switch_values_new(one->system, &one->values));
	BXT_TRY(bxt_grid_point_new(one->system, m->settings, &one->here));
	one->at = bxt_state_new(one->system);
	one->end = bxt_state_new(one->system);
	one->x = calloc((size_t)one->system->size + BXT_LANES, sizeof *one->x);
	return one->at && one->end && one->x ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_modes_get(bxt_modes *m, const unsigned char *states, bxt_mode_system **out)
{
	const size_t n = (size_t)m->base->net->n_switches;
	for (bxt_mode_system **at = &m->list; *at; at = &(*at)->next) {
		bxt_mode_system *found = *at;
		if (memcmp(found->states, states, n) != 0)
			continue;
		*at = found->next; /* the next search begins with it */
		found->next = m->list;
		*out = m->list = found;
		return BXT_OK;
	}
	bxt_mode_system *one = *out = calloc(1, sizeof *one);
	if (!one)
		return BXT_ERR_MEMORY;
	const bxt_status status = make(m, states, one);
	if (status != BXT_OK) {
		free_mode(one);
		return status;
	}
	one->next = m->list;
	m->list = one;
	return BXT_OK;
}

bxt_status bxt_mode_probe(bxt_modes *m, bxt_mode_system *in, double h)
{
	const bxt_system *s = in->system;
	if (!in->probe)
		BXT_TRY(bxt_stepper_new(s, &m->of_probe, in->at, &in->probe));
	in->probe->n_history = 0;
	bxt_state_carry(in->at, in->end);
	BXT_TRY(bxt_stepper_solve(in->probe, in->end, h));
	const double *x = bxt_stepper_stage(in->probe, 0);
	for (int i = 0; i < s->spare; i++)
		in->x[i] = i < s->n ? x[i] : x[i] / h;
	in->x[s->spare] = 0;
	return bxt_stepper_advance(in->probe, in->end, in->at->t + h);
}
