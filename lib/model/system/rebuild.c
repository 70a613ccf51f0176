/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A system that is compiled again with other values of parameters. The same code compiles it, so it
 * has the bits of a netlist with those values. Its structure must be that of the first, so that
 * both have the same states.
 */
#include "model/builder/build.h"
#include "model/system/system.h"

#include <stdlib.h>
#include <string.h>

static bool same_ints(const int *a, const int *b, int n)
{
	return n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

/* The elements by group, and the roles of their coordinates. */
static bool same_groups(const bxt_system *a, const bxt_system *b)
{
	if (a->n_groups != b->n_groups)
		return false;
	for (int g = 0; g < a->n_groups; g++)
		if (a->groups[g].count != b->groups[g].count ||
		    !same_ints(a->groups[g].element, b->groups[g].element, a->groups[g].count))
			return false;
	return same_ints(a->coord_of_x, b->coord_of_x, a->n) &&
	       memcmp(a->pinned, b->pinned, (size_t)a->n * sizeof *a->pinned) == 0;
}

static bool same_pattern(const bxt_sparse *a, const bxt_sparse *b)
{
	return a->ncol == b->ncol && same_ints(a->colptr, b->colptr, a->ncol + 1) &&
	       same_ints(a->rowind, b->rowind, a->colptr[a->ncol]);
}

/* The difference; NULL: there is none. */
static const char *difference(const bxt_system *a, const bxt_system *b)
{
	if (a->net->n_elements != b->net->n_elements || a->n != b->n)
		return "it has other coordinates";
	if (!same_groups(a, b))
		return "inertia appears or vanishes";
	if (a->m != b->m || !same_ints(a->row_of_x, b->row_of_x, a->m))
		return "other rows are redundant";
	if (a->singular.basis.ncol != b->singular.basis.ncol)
		return "inertia becomes singular, or regular";
	return same_pattern(&a->pattern, &b->pattern) ? NULL : "other entries vanish";
}

/* The states of the network's switches, those of all rows replaced. */
static unsigned char *states_of_rows(const bxt_network *net, bxt_switch_state state)
{
	unsigned char *states = malloc((size_t)net->n_switches + 1);
	if (!states)
		return NULL;
	for (size_t e = 0; e < net->n_elements; e++) {
		const bxt_element_type *type = net->types[net->elements[e].type];
		const int first = net->elements[e].first_switch;
		for (int i = 0; i < type->n_switches; i++)
			states[first + i] = type->switches[i].row ? (unsigned char)state
								  : net->switches[first + i];
	}
	return states;
}

bxt_status bxt_system_with_bounds(const bxt_system *from, bxt_switch_state state, bxt_system **out)
{
	bxt_network *net;
	*out = NULL;
	unsigned char *states = states_of_rows(from->net, state);
	bxt_diagnostics *dropped = bxt_diagnostics_new(); /* reported for the first system */
	bxt_status status =
		states && dropped ? bxt_network_switched(from->net, states, &net) : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		/* rows whose modes are off stay absent */
		if (state != BXT_ABSENT)
			bxt_network_follow_modes(net, net->switches);
		net->lasting = false;
		status = bxt_system_of_network(net, dropped, out);
	}
	free(states);
	bxt_diagnostics_free(dropped);
	BXT_TRY(status);
	(*out)->inputs = from->inputs;
	if ((*out)->n == from->n && same_ints((*out)->coord_of_x, from->coord_of_x, from->n))
		return BXT_OK;
	*out = bxt_system_free(*out);
	return BXT_ERR_ARGUMENT;
}

bxt_status bxt_system_rebuild(const bxt_system *from, const bxt_override *list, size_t n,
			      bxt_diagnostics *d, bxt_system **out)
{
	bxt_network *net;
	*out = NULL;
	BXT_TRY(bxt_network_rebuild(from->net, list, n, d, &net));
	BXT_TRY(bxt_system_of_network(net, d, out));
	const char *what = difference(from, *out);
	if (!what)
		return BXT_OK;
	bxt_error(
		d, from->net->primitives[0].place,
		"with these values the model has another structure (%s): compile the netlist with "
		"them, in place of setting them in a simulation",
		what);
	*out = bxt_system_free(*out);
	return BXT_ERR_MODEL;
}
