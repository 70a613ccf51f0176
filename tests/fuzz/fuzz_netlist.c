/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include "boxtimes.h"

#include <stdio.h>
#include <stdlib.h>

/* Reading the unit database takes longer than most inputs. */
static bxt_library *library;
static long inputs;

/* What the netlists of one input go through. */
struct work {
	bxt_diagnostics *d;
	bxt_netlist *netlist;
	unsigned choice; /* a number that the input decides */
};

static bxt_system *compile(const struct work *w, const bxt_netlist *netlist)
{
	bxt_system *system = NULL;
	bxt_system_compile(netlist, library, w->d, &system);
	return system;
}

/* Reads an input; false when it is no netlist. */
static bool begin(struct work *w, const uint8_t *bytes, size_t length)
{
	const char *directory = getenv("BOXTIMES_PATH");
	if (inputs++ % FUZZ_RENEW == 0) {
		bxt_library_free(library);
		library = bxt_library_new(&directory, directory ? 1 : 0, NULL);
		if (!library)
			abort(); /* nothing would be tested */
	}
	*w = (struct work){.d = bxt_diagnostics_new()};
	for (size_t i = 0; i < length; i++)
		w->choice = 31 * w->choice + bytes[i];
	return length <= FUZZ_LARGEST &&
	       bxt_netlist_read_memory((const char *)bytes, length, "fuzz", w->d, &w->netlist) ==
		       BXT_OK;
}

static void end(struct work *w)
{
	bxt_netlist_free(w->netlist);
	bxt_diagnostics_free(w->d);
}

void fuzz_netlist_end(void)
{
	library = bxt_library_free(library);
	inputs = 0;
}

int fuzz_netlist(const uint8_t *bytes, size_t length)
{
	struct work w;
	if (begin(&w, bytes, length))
		bxt_system_free(compile(&w, w.netlist));
	end(&w);
	return 0;
}

/* ---- Steps ---- */

static bxt_run_def some_steps(unsigned choice)
{
	static const char *const schemes[] = {"gauss1", "gauss2", "radau2", "dirac+",
					      "dirac-", "theta",  "rk4",    "discrete-gradient"};
	static const char *const rules[] = {"midpoint", "rectangle", "trapezoid", "simpson"};
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.step = choice / 64 % 2 ? 1e-3 : 0.1;
	def.end = 5 * def.step;
	def.scheme = schemes[choice % 8];
	def.rule = choice / 8 % 8 < 4 ? rules[choice / 8 % 4] : NULL;
	return def;
}

int fuzz_step(const uint8_t *bytes, size_t length)
{
	struct work w;
	bxt_system *system = begin(&w, bytes, length) ? compile(&w, w.netlist) : NULL;
	const bxt_run_def def = some_steps(w.choice);
	bxt_state *state = NULL;
	bxt_table *table = bxt_table_new();
	bxt_summary summary;
	bxt_sink sink;
	bxt_table_sink(table, &sink);
	if (system && bxt_initialize(system, &def, w.d, &state) == BXT_OK) {
		bxt_run(system, state, &def, &sink, &summary, w.d);
		bxt_summary_free(&summary);
	}
	bxt_table_free(table);
	bxt_state_free(state);
	bxt_system_free(system);
	end(&w);
	return 0;
}

/* ---- Taking apart and putting together ---- */

/* What was made of a netlist that compiles has to compile. */
static void must_compile(struct work *w, bxt_netlist *made)
{
	bxt_system *system = compile(w, made);
	if (!system) {
		for (size_t i = 0; i < bxt_diagnostics_count(w->d, BXT_NOTE); i++)
			fprintf(stderr, "%s\n", bxt_diagnostics_get(w->d, i)->text);
		bxt_netlist_write(made, stderr);
		abort();
	}
	bxt_system_free(system);
}

int fuzz_rewrite(const uint8_t *bytes, size_t length)
{
	struct work w;
	bxt_system *system = begin(&w, bytes, length) ? compile(&w, w.netlist) : NULL;
	bxt_netlist *flat = NULL, *torn = NULL, *canonical = NULL;
	bxt_tear_def def;
	bxt_default_tear_def(&def);
	def.parts = 2 + (int)(w.choice % 3);
	if (system && bxt_netlist_canonical(w.netlist, &canonical) == BXT_OK)
		must_compile(&w, canonical);
	if (system && bxt_netlist_flatten(w.netlist, library, w.d, &flat) == BXT_OK)
		must_compile(&w, flat);
	if (flat && bxt_netlist_tear(flat, library, &def, w.d, &torn) == BXT_OK)
		must_compile(&w, torn);
	bxt_netlist_free(canonical);
	bxt_netlist_free(flat);
	bxt_netlist_free(torn);
	bxt_system_free(system);
	end(&w);
	return 0;
}

/* ---- Verifying ---- */

int fuzz_verify(const uint8_t *bytes, size_t length)
{
	struct work w;
	bxt_system *system = begin(&w, bytes, length) ? compile(&w, w.netlist) : NULL;
	bxt_verification *v = NULL;
	bxt_verify_def def;
	bxt_default_verify_def(&def);
	def.states = 1;
	def.run = some_steps(w.choice);
	if (system)
		bxt_verify(system, &def, w.d, &v);
	bxt_verification_free(v);
	v = NULL;
	if (system)
		bxt_verify_against(system, system, &def, w.d, &v);
	bxt_verification_free(v);
	bxt_system_free(system);
	end(&w);
	return 0;
}
