/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Controllers as shared objects, for boxtimes: what both sides see of each other. A component says
 *
 *     <sample period="Ts" delay="Td"/>
 *     <plugin file="pid.so" reads="r m.x" writes="u"/>
 *
 * and an object made from this header alone (cc -shared -fPIC pid.c -o pid.so) has the function
 * bxt_plugin_entry, which gives a table of functions. At each sample `step` gets the values of what
 * the component reads and gives the next values of the states that it writes; hold and delay are
 * the program's. tests/plugins/pi.c in the sources is an example to start from.
 *
 * The plug-in keeps what it remembers in its instance, never in static variables: one object
 * serves several elements and several runs at a time, each with an instance of its own. Calls of
 * one instance never overlap.
 *
 * All plug-ins of a run live in one process beside that of the program, a copy of it made when the
 * run begins; what crashes, hangs or ends it ends the run with an error that names it. What is
 * printed to standard output goes to standard error there. Loading, instantiating and a first step
 * are tried in such a process before the run: a plug-in that talks to the world (a file, a device)
 * must expect these calls twice. Whoever runs it may choose the program's own process after the
 * trial.
 */
#ifndef BOXTIMES_PLUGIN_H
#define BOXTIMES_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this interface. What is added at the ends of the structures below does not change it. */
#define BXT_PLUGIN_VERSION 1

#if defined(__GNUC__)
#define BXT_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define BXT_PLUGIN_EXPORT
#endif

/* What an instance is made for. Everything in it is valid during the call only. */
typedef struct bxt_plugin_setup {
	size_t size;                           /* of this structure, as the program knows it */
	const char *element;                   /* path of the element, "drive.C1" */
	double period, delay, simulation_step; /* [s] */
	/* All numbers that are parameters of the element, in the units of its component; those that
	 * follow time with their value at t = 0 (to follow them, read them). */
	size_t n_parameters;
	const char *const *parameter_names; /* (n_parameters) */
	const double *parameters;           /* (n_parameters) */
	size_t n_inputs, n_outputs;
	const char *const *input_names;  /* (n_inputs) what the component reads, as it says */
	const char *const *output_names; /* (n_outputs) the states that it writes */
} bxt_plugin_setup;

/* What an instance says of itself. The program has set it to zero. */
typedef struct bxt_plugin_shape {
	size_t size;                /* of this structure, set by the program */
	size_t n_inputs, n_outputs; /* must be those of the component */
} bxt_plugin_shape;

/*
 * The functions. Those that return an int return 0 when all is well; otherwise they may have put a
 * text in `error`, which has room for error_size bytes, the last one 0 (snprintf does it right). No
 * pointer to a function may be NULL, but that `state_size`, `save` and `restore` may be all three:
 * then an instance remembers nothing from one step to the next.
 */
typedef struct bxt_plugin {
	uint32_t version; /* BXT_PLUGIN_VERSION */
	uint32_t size;    /* sizeof(bxt_plugin) */

	/* Makes an instance: *instance is handed to all other functions, and may be NULL. */
	int (*instantiate)(const bxt_plugin_setup *setup, bxt_plugin_shape *shape, void **instance,
			   char *error, size_t error_size);
	void (*free)(void *instance);

	/*
	 * A sample at time t [s]: all of outputs (n_outputs) from inputs (n_inputs) and from what
	 * the instance remembers. Must be finite. Called once for each sample, in order of time.
	 */
	int (*step)(void *instance, double t, const double *inputs, double *outputs, char *error,
		    size_t error_size);

	/*
	 * What the instance remembers, as bytes: so many; written to `bytes`, which has room for
	 * them; read from `size` bytes that were written by another instance, so that the steps
	 * from there on are the same bit for bit. They never leave the program that runs.
	 */
	size_t (*state_size)(void *instance);
	int (*save)(void *instance, void *bytes, char *error, size_t error_size);
	int (*restore)(void *instance, const void *bytes, size_t size, char *error,
		       size_t error_size);
} bxt_plugin;

/*
 * The one function that an object exports: its table, valid as long as the object is loaded. The
 * argument is the version that the program knows: an object that serves several can choose. NULL
 * when it cannot serve that one.
 */
typedef const bxt_plugin *bxt_plugin_entry_function(uint32_t version);
BXT_PLUGIN_EXPORT const bxt_plugin *bxt_plugin_entry(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
