/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The weight w of an element, as of element weights in reduced models (Farhat, Avery, Chapman and
 * Cortial, Int. J. Numer. Meth. Engng 98, 2014): the element represents w copies with the same
 * motion. The quantities that add up over the copies have the factor w:
 *
 *     w L,  w R,  w f,  w k of gyrators,  w times the flow into a balance port
 *
 * The other quantities have no factor: coordinates, flows, rows and outputs are those of one copy.
 */
#include "model/component/component.h"

#include <math.h>
#include <string.h>

static const char NAME[] = "weight";

static bool declares(const bxt_component *c)
{
	bool found = bxt_component_places(c, NAME);
	for (int i = 0; i < c->n_parameters; i++)
		found = found || strcmp(c->parameters[i].name, NAME) == 0;
	for (int i = 0; i < c->n_coordinates; i++)
		found = found || strcmp(c->coordinates[i].name, NAME) == 0 ||
			strcmp(c->coordinates[i].flow, NAME) == 0;
	for (int i = 0; i < c->n_ports; i++)
		found = found || strcmp(c->ports[i].name, NAME) == 0;
	for (int i = 0; i < c->n_bindings; i++)
		found = found || strcmp(c->bindings[i].name, NAME) == 0;
	return found;
}

const char *bxt_component_why_no_weight(const bxt_component *c)
{
	for (int i = 0; i < c->n_coordinates; i++)
		if (c->coordinates[i].role != BXT_PLAIN)
			return "it has states or signals";
	return declares(c)      ? "it has something of its own that is called weight"
	       : c->hamiltonian ? "it has a port-Hamiltonian part"
	       : c->sampled.n_updates || c->sampled.plugin ? "it has samples"
							   : NULL;
}

bool bxt_component_takes_weight(const bxt_component *c, const char *attribute)
{
	return strcmp(attribute, NAME) == 0 && !declares(c);
}

bxt_component *bxt_component_weighted(bxt_arena *arena, const bxt_component *c)
{
	const size_t n = (size_t)c->n_parameters;
	bxt_component *own = BXT_NEW(arena, bxt_component, 1);
	bxt_parameter *all = BXT_NEW(arena, bxt_parameter, n + 1);
	if (!own || !all)
		return NULL;
	if (n > 0)
		memcpy(all, c->parameters, n * sizeof *all);
	all[n] = (bxt_parameter){.name = NAME,
				 .unit = "",
				 .si = "",
				 .doc = "",
				 .has_default = true,
				 .default_value = 1,
				 .positive = true,
				 .min = -INFINITY,
				 .max = INFINITY,
				 .place = c->place};
	*own = *c;
	own->parameters = all;
	own->n_parameters = (int)n + 1;
	own->weight = own->n_parameters;
	return own;
}
