/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of a device, by the names that its model card and its component use for them. */
#include "exchange/spice/spice_device.h"

#include <stdlib.h>
#include <string.h>

/* ---- Lists of names, separated by blanks ---- */

bool bxt_spice_lists_name(const char *names, const char *name, double *value)
{
	const size_t length = strlen(name);
	for (const char *s = names ? names : ""; *(s += strspn(s, " \t\r\n"));) {
		const size_t own = strcspn(s, " \t\r\n=");
		size_t k = 0;
		while (own == length && k < length && (s[k] | 32) == (name[k] | 32))
			k++;
		s += own;
		if (value && *s == '=')
			*value = strtod(s + 1, NULL);
		if (own == length && k == length)
			return true;
		s += strcspn(s, " \t\r\n");
	}
	return false;
}

/* ---- Values ---- */

int bxt_spice_find_of_card(const bxt_component *c, const char *name)
{
	for (int k = 0; k < c->n_parameters; k++)
		if (bxt_spice_lists_name(c->parameters[k].spice, name, NULL))
			return k;
	return -1;
}

static int find_parameter(const bxt_component *c, const char *name)
{
	const int of_card = bxt_spice_find_of_card(c, name);
	for (int k = 0; k < c->n_parameters && of_card < 0; k++)
		if (bxt_spice_same(c->parameters[k].name, name))
			return k;
	return of_card;
}

double bxt_spice_card_value(const bxt_spice_device *d, const char *name, double usual)
{
	const bxt_spice_assignment *a = bxt_spice_find(&d->model->values, name);
	if (a && a->text)
		bxt_spice_value(d->scope->deck, d->where, a->text, d->model->line, &usual);
	return usual;
}

double bxt_spice_device_value(const bxt_spice_device *d, const char *name, double usual)
{
	const int k = find_parameter(d->component, name);
	return k < 0 ? bxt_spice_card_value(d, name, usual) : d->given[k] ? d->values[k] : usual;
}

bool bxt_spice_device_has(const bxt_spice_device *d, const char *name)
{
	const int k = find_parameter(d->component, name);
	return k >= 0 && d->given[k];
}

void bxt_spice_device_set(const bxt_spice_device *d, const char *name, double value)
{
	const int k = find_parameter(d->component, name);
	if (k >= 0) {
		d->values[k] = value;
		d->given[k] = true;
	}
}
