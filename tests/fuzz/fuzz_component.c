/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include "model/element/element_type.h"

#include <stdlib.h>

static bxt_units *units; /* reading the unit database takes longer than most inputs */
static long inputs;

void fuzz_component_end(void)
{
	units = bxt_units_free(units);
	inputs = 0;
}

/* Expression-valued parameters get their default, or a simple expression. */
static void compile(bxt_arena *arena, const bxt_component *c, bxt_diagnostics *d)
{
	const size_t n = (size_t)c->n_parameters + 1;
	const char **texts = BXT_NEW(arena, const char *, n);
	bxt_place *places = BXT_NEW(arena, bxt_place, n);
	bxt_status status;
	if (!texts || !places)
		return;
	for (int k = 0; k < c->n_parameters; k++) {
		const bxt_parameter *p = &c->parameters[k];
		places[k] = p->place;
		if (p->of)
			texts[k] = p->default_text ? p->default_text : p->of;
	}
	/* what it binds to is of its own kind: no other is at hand */
	const bxt_component **bound = BXT_NEW(arena, const bxt_component *, (size_t)c->n_bindings);
	if (!bound)
		return;
	for (int k = 0; k < c->n_bindings; k++)
		bound[k] = c;
	const bxt_type_def def = {
		.component = c, .bound = bound, .of_text = texts, .of_place = places};
	bxt_type_release(bxt_type_compile(arena, &def, d, &status));
}

int fuzz_component(const uint8_t *bytes, size_t length)
{
	struct bxt_netlist *tree = NULL;
	if (length > FUZZ_LARGEST)
		return 0;
	if (inputs++ % FUZZ_RENEW == 0) {
		bxt_units_free(units);
		units = bxt_units_new();
		if (!units)
			abort(); /* nothing would be tested */
	}
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_arena *arena = bxt_arena_new();
	if (arena && bxt_tree_read_memory((const char *)bytes, length, "fuzz", BXT_NS_COMPONENT,
					  "component", d, &tree) == BXT_OK) {
		const bxt_component *c = bxt_component_read(arena, tree->root, units, d);
		if (c)
			compile(arena, c, d);
	}
	bxt_netlist_free(tree);
	bxt_arena_free(arena);
	bxt_diagnostics_free(d);
	return 0;
}
