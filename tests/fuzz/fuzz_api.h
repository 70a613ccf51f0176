/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs of calls to the library. Each byte chooses a call or an argument. Objects live in slots,
 * some of which are empty, so that calls get NULL and objects of other systems. The contract is
 * kept where C cannot check it: nothing is used after it was freed, a system outlives what is made
 * of it.
 */
#ifndef BXT_TESTS_FUZZ_API_H
#define BXT_TESTS_FUZZ_API_H

#include "boxtimes.h"

enum {
	FUZZ_NETLISTS = 4,
	FUZZ_SYSTEMS = 3,
	FUZZ_STATES = 4,
	FUZZ_SIMULATIONS = 4,
	FUZZ_TABLES = 2,
	FUZZ_CONTROLLERS = 8
};

/* What a controller does, and what it was made with. */
typedef struct fuzz_controller {
	int kind, n_writes;
	bool reads, remembers;
} fuzz_controller;

typedef struct fuzz_world {
	const uint8_t *at, *end;
	long steps;              /* that may still be made: longer programs only cost time */
	bxt_library *library[2]; /* that of all programs; one of this program, or NULL */
	bxt_diagnostics *d;      /* may be NULL */
	bxt_netlist *netlist[FUZZ_NETLISTS];
	struct {
		bxt_system *system;
		int netlist;
	} system[FUZZ_SYSTEMS];
	struct {
		bxt_state *state;
		int system;
	} state[FUZZ_STATES];
	struct {
		bxt_simulation *m;
		int system;
	} simulation[FUZZ_SIMULATIONS];
	bxt_table *table[FUZZ_TABLES];
	fuzz_controller controller[FUZZ_CONTROLLERS];
	int n_controllers;
	FILE *null;
} fuzz_world;

typedef void fuzz_call(fuzz_world *w);

/* ---- Arguments ---- */

/* The next byte, 0 at the end; and a number below n. */
unsigned fuzz_byte(fuzz_world *w);
int fuzz_choice(fuzz_world *w, int n);
/* A slot of its sort, mostly one that is full. */
int fuzz_netlist_slot(fuzz_world *w);
int fuzz_system_slot(fuzz_world *w);
int fuzz_state_slot(fuzz_world *w);
int fuzz_simulation_slot(fuzz_world *w);
/* A number, often an odd one: not finite, tiny, huge. */
double fuzz_number(fuzz_world *w);
/* An index below n, sometimes one outside. */
size_t fuzz_index(fuzz_world *w, size_t n);
/* A number of steps that the budget allows. */
long fuzz_steps(fuzz_world *w);
#define FUZZ_WORD(w, list) ((list)[fuzz_choice(w, (int)(sizeof(list) / sizeof *(list)))])
/* One of the models, their components and elements. */
const char *fuzz_model(fuzz_world *w);
const char *fuzz_component_text(fuzz_world *w);
const char *fuzz_path(fuzz_world *w);
bxt_run_def fuzz_run_def(fuzz_world *w);

/* Ends the program of the fuzzer: what the library promised does not hold. */
#define FUZZ_PROMISE(holds)                                                                        \
	do {                                                                                       \
		if (!(holds))                                                                      \
			fuzz_broken(__func__, #holds);                                             \
	} while (0)
_Noreturn void fuzz_broken(const char *function, const char *what);

/* ---- Slots ---- */

/* Empties a slot, and those that need what is in it. */
void fuzz_free_simulation(fuzz_world *w, int i);
void fuzz_free_state(fuzz_world *w, int i);
void fuzz_free_system(fuzz_world *w, int i);
void fuzz_free_netlist(fuzz_world *w, int i);

/* ---- Calls ---- */

typedef struct fuzz_calls {
	fuzz_call *const *call;
	int n;
} fuzz_calls;
extern const fuzz_calls fuzz_netlist_calls, fuzz_system_calls, fuzz_simulation_calls,
	fuzz_state_calls;
/* What each program begins with. */
void fuzz_make_netlist(fuzz_world *w, int to);
void fuzz_make_system(fuzz_world *w, int to, int from);
void fuzz_make_simulation(fuzz_world *w, int to, int from);

#endif
