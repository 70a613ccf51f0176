/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs of calls: bytes, slots, the loop. */
#include "fuzz/fuzz_api.h"

#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 60, CALLS = 120 };

/* Reading the unit database takes longer than most programs. */
static bxt_library *library;
static long programs;

_Noreturn void fuzz_broken(const char *function, const char *what)
{
	fprintf(stderr, "%s: not so: %s\n", function, what);
	abort();
}

/* ---- Bytes ---- */

unsigned fuzz_byte(fuzz_world *w)
{
	return w->at < w->end ? *w->at++ : 0;
}

int fuzz_choice(fuzz_world *w, int n)
{
	return (int)fuzz_byte(w) % n;
}

size_t fuzz_index(fuzz_world *w, size_t n)
{
	static const size_t odd[] = {SIZE_MAX, SIZE_MAX / 2, (size_t)1 << 32, (size_t)1 << 31};
	const unsigned byte = fuzz_byte(w);
	if (byte >= 240)
		return byte % 5 == 4 ? n : odd[byte % 5];
	return n > 0 ? byte % n : 0;
}

long fuzz_steps(fuzz_world *w)
{
	const unsigned byte = fuzz_byte(w);
	long n = byte >= 248 ? 50 : byte >= 240 ? -1 : (long)(byte % 6);
	if (n > w->steps)
		n = w->steps;
	w->steps -= n > 0 ? n : 0;
	return n;
}

/* ---- Slots ---- */

#define SLOT(w, array, full, n)                                                                    \
	const unsigned byte = fuzz_byte(w);                                                        \
	int i = (int)byte % (n);                                                                   \
	for (int k = 0; k < (n) && byte < 230 && !(w)->array[i] full; k++)                         \
		i = (i + 1) % (n);                                                                 \
	return i

int fuzz_netlist_slot(fuzz_world *w)
{
	SLOT(w, netlist, , FUZZ_NETLISTS);
}

int fuzz_system_slot(fuzz_world *w)
{
	SLOT(w, system, .system, FUZZ_SYSTEMS);
}

int fuzz_state_slot(fuzz_world *w)
{
	SLOT(w, state, .state, FUZZ_STATES);
}

int fuzz_simulation_slot(fuzz_world *w)
{
	SLOT(w, simulation, .m, FUZZ_SIMULATIONS);
}

void fuzz_free_simulation(fuzz_world *w, int i)
{
	w->simulation[i].m = bxt_simulation_free(w->simulation[i].m);
}

void fuzz_free_state(fuzz_world *w, int i)
{
	w->state[i].state = bxt_state_free(w->state[i].state);
}

void fuzz_free_system(fuzz_world *w, int i)
{
	for (int k = 0; k < FUZZ_SIMULATIONS; k++)
		if (w->simulation[k].system == i)
			fuzz_free_simulation(w, k);
	for (int k = 0; k < FUZZ_STATES; k++)
		if (w->state[k].system == i)
			fuzz_free_state(w, k);
	w->system[i].system = bxt_system_free(w->system[i].system);
}

void fuzz_free_netlist(fuzz_world *w, int i)
{
	for (int k = 0; k < FUZZ_SYSTEMS; k++)
		if (w->system[k].netlist == i)
			fuzz_free_system(w, k);
	w->netlist[i] = bxt_netlist_free(w->netlist[i]);
}

/* ---- A program ---- */

static void begin(fuzz_world *w, const uint8_t *bytes, size_t length)
{
	const char *directory = getenv("BOXTIMES_PATH");
	if (programs++ % FUZZ_RENEW == 0) {
		bxt_library_free(library);
		library = bxt_library_new(&directory, directory ? 1 : 0, NULL);
		if (!library)
			abort(); /* nothing would be tested */
	}
	*w = (fuzz_world){.at = bytes, .end = bytes + length, .steps = STEPS};
	w->library[0] = library;
	w->null = fopen("/dev/null", "w");
	w->d = fuzz_choice(w, 4) ? bxt_diagnostics_new() : NULL;
	fuzz_make_netlist(w, 0);
	fuzz_make_netlist(w, 1);
	fuzz_make_system(w, 0, 0);
	fuzz_make_system(w, 1, 1);
	fuzz_make_simulation(w, 0, 0);
	fuzz_make_simulation(w, 1, 0);
	fuzz_make_simulation(w, 2, 1);
}

static void end(fuzz_world *w)
{
	for (int i = 0; i < FUZZ_NETLISTS; i++)
		fuzz_free_netlist(w, i);
	for (int i = 0; i < FUZZ_TABLES; i++)
		bxt_table_free(w->table[i]);
	bxt_library_free(w->library[1]);
	bxt_diagnostics_free(w->d);
	fclose(w->null);
}

int fuzz_api(const uint8_t *bytes, size_t length)
{
	/* simulations are what there is most to do with */
	static const fuzz_calls *const groups[] = {&fuzz_simulation_calls, &fuzz_simulation_calls,
						   &fuzz_simulation_calls, &fuzz_state_calls,
						   &fuzz_state_calls,      &fuzz_system_calls,
						   &fuzz_netlist_calls};
	fuzz_world w;
	if (length > FUZZ_LARGEST)
		return 0;
	begin(&w, bytes, length);
	for (int k = 0; k < CALLS && w.steps > 0 && w.at < w.end; k++) {
		const fuzz_calls *group = FUZZ_WORD(&w, groups);
		group->call[fuzz_choice(&w, group->n)](&w);
	}
	end(&w);
	return 0;
}

void fuzz_api_end(void)
{
	library = bxt_library_free(library);
	programs = 0;
}
