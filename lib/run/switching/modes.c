/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/switching/modes.h"

#include "model/system/native.h"
#include "motion/methods/contacts.h"

#include <math.h>
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
	bxt_settings_backward_euler(settings, &m->of_probe);
	m->of_capture = m->of_probe;
	m->of_capture.scheme = &bxt_scheme_capture;
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
	bxt_stepper_free(one->capture);
	bxt_state_free(one->begin);
	bxt_grid_point_free(one->here);
	bxt_switch_values_free(one->values);
	bxt_state_free(one->at);
	bxt_state_free(one->end);
	bxt_system_free(one->system);
	bxt_native_free(one->native);
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
	if (status == BXT_OK && m->settings->compile)
		status = bxt_native_make(one->system, dropped, &one->native);
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
	bxt_stepper_forget_guesses(in->probe);
	bxt_state_carry(in->at, in->end);
	BXT_TRY(bxt_stepper_solve(in->probe, in->end, h));
	const double *x = bxt_stepper_stage(in->probe, 0);
	for (int i = 0; i < s->spare; i++)
		in->x[i] = i < s->n ? x[i] : x[i] / h;
	in->x[s->spare] = 0;
	return bxt_stepper_advance(in->probe, in->end, in->at->t + h);
}

/* Gets the mode without any row with bounds. */
static bxt_status get_without_rows(bxt_modes *m, const unsigned char *states, bxt_mode_system **out)
{
	const bxt_network *net = m->base->net;
	unsigned char *without = malloc((size_t)net->n_switches);
	if (!without)
		return BXT_ERR_MEMORY;
	for (size_t e = 0; e < net->n_elements; e++) {
		const bxt_element_type *type = net->types[net->elements[e].type];
		const int first = net->elements[e].first_switch;
		for (int i = 0; i < type->n_switches; i++)
			without[first + i] = type->switches[i].row ? BXT_ABSENT : states[first + i];
	}
	const bxt_status status = bxt_modes_get(m, without, out);
	free(without);
	return status;
}

static bxt_status make_capture(bxt_modes *m, bxt_mode_system *in, const bxt_state *from)
{
	const size_t n = (size_t)m->base->net->n_switches;
	if (!in->begin && !(in->begin = bxt_state_new(in->system)))
		return BXT_ERR_MEMORY;
	if (!in->begin->switches && !(in->begin->switches = malloc(n)))
		return BXT_ERR_MEMORY;
	bxt_state_carry(from, in->begin);
	return bxt_stepper_new(in->system, &m->of_capture, in->begin, &in->capture);
}

/* Prepares the stepper that captures contacts in the modes of `states`, at the state; *contacts
 * NULL: there are none. */
static bxt_status open_capture(bxt_modes *m, const bxt_state *from, const unsigned char *states,
			       bxt_mode_system **in, bxt_contacts **contacts)
{
	BXT_TRY(get_without_rows(m, states, in));
	if (!(*in)->capture)
		BXT_TRY(make_capture(m, *in, from));
	*contacts = bxt_moreau_contacts((*in)->capture);
	bxt_state_carry(from, (*in)->begin);
	memcpy((*in)->begin->switches, states, (size_t)m->base->net->n_switches);
	bxt_stepper_forget_guesses((*in)->capture);
	return BXT_OK;
}

bxt_status bxt_mode_rates(bxt_modes *m, const bxt_state *from, double h,
			  const unsigned char *states, double *rate)
{
	bxt_mode_system *in;
	bxt_contacts *contacts;
	for (int k = 0; k < m->base->net->n_switches; k++)
		rate[k] = NAN;
	BXT_TRY(open_capture(m, from, states, &in, &contacts));
	if (contacts)
		BXT_TRY(bxt_stepper_begin(in->capture, in->begin, h));
	for (int i = 0; contacts && i < contacts->n; i++)
		if (!contacts->at[i].fixed)
			rate[contacts->of_switch[i]] = contacts->at[i].rate;
	return BXT_OK;
}

bxt_status bxt_mode_capture(bxt_modes *m, const bxt_state *from, double h, bool rests,
			    unsigned char *states)
{
	bxt_mode_system *in;
	bxt_contacts *contacts;
	BXT_TRY(open_capture(m, from, states, &in, &contacts));
	if (!contacts)
		return BXT_OK;
	contacts->given = true;
	contacts->rests = rests;
	BXT_TRY(bxt_stepper_solve(in->capture, in->begin, h));
	for (int i = 0; i < contacts->n; i++)
		if (!contacts->at[i].fixed)
			states[contacts->of_switch[i]] =
				(unsigned char)bxt_contacts_state(contacts, i);
	return BXT_OK;
}
