/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Interface of plug-ins: controllers as shared objects. A component declares one by
 *
 *     <sample period="Ts" delay="Td"/>
 *     <plugin file="pid.so" reads="r m.x" writes="u"/>
 *
 * The object needs this header alone (cc -shared -fPIC pid.c -o pid.so). It exports the function
 * bxt_plugin_entry, which returns a table of functions. At each sample `step` gets the values that
 * the component reads and returns the next values of the states that it writes. The program does
 * hold and delay. tests/plugins/pi.c in the sources is an example to start from.
 *
 * A plug-in keeps its memory in its instance, never in static variables: one object serves several
 * elements and several runs at a time, each with an instance of its own. Calls of one instance
 * never overlap.
 *
 * All plug-ins of a run live in one process, a copy of the program's process made when the run
 * begins. A plug-in that crashes, hangs or exits ends the run with an error that names it. Output
 * to standard output goes to standard error there. Loading, instantiating and a first step are
 * tried in such a process before the run: a plug-in that uses a file or a device must expect these
 * calls twice. The user may choose the program's own process after the trial.
 */
#ifndef BOXTIMES_PLUGIN_H
#define BOXTIMES_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. Fields added at the ends of structures do not change it. */
#define BXT_PLUGIN_VERSION 1

#if defined(__GNUC__)
#define BXT_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define BXT_PLUGIN_EXPORT
#endif

/* The environment of a new instance. Its contents are valid during the call only. */
typedef struct bxt_plugin_setup {
	size_t size;                           /* of this structure in the program's version */
	const char *element;                   /* path of the element, "drive.C1" */
	double period, delay, simulation_step; /* [s] */
	/* All numeric parameters of the element, in the units of its component. Those that
	 * depend on time have their value at t = 0; to follow them, the component reads them as
	 * inputs. */
	size_t n_parameters;
	const char *const *parameter_names; /* (n_parameters) */
	const double *parameters;           /* (n_parameters) */
	size_t n_inputs, n_outputs;
	const char *const *input_names;  /* what the component reads, as written in it */
	const char *const *output_names; /* (n_outputs) the states that it writes */
} bxt_plugin_setup;

/* The numbers of inputs and outputs of an instance. The program has set it to zero. */
typedef struct bxt_plugin_shape {
	size_t size;                /* of this structure, set by the program */
	size_t n_inputs, n_outputs; /* must be those of the component */
} bxt_plugin_shape;

/*
 * The functions. Those that return an int return 0 for success. On failure they may write a text to
 * `error`, which has room for error_size bytes with the final 0 (snprintf does it right). No
 * pointer to a function may be NULL, except that `state_size`, `save` and `restore` may all be:
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
	 * A sample at time t [s]: computes all outputs (n_outputs) from the inputs (n_inputs) and
	 * the memory of the instance. Outputs must be finite. Called once for each sample, in order
	 * of time.
	 */
	int (*step)(void *instance, double t, const double *inputs, double *outputs, char *error,
		    size_t error_size);

	/*
	 * The memory of an instance as bytes: state_size gives their number, save writes them to
	 * `bytes`, restore reads `size` bytes that another instance saved. Later steps must then be
	 * the same bit for bit. A saved state of a run has the bytes, so that they may be restored
	 * in another process, days later: they hold no pointers and no handles.
	 */
	size_t (*state_size)(void *instance);
	int (*save)(void *instance, void *bytes, char *error, size_t error_size);
	int (*restore)(void *instance, const void *bytes, size_t size, char *error,
		       size_t error_size);
} bxt_plugin;

/*
 * The one function that an object exports. It returns the table, valid as long as the object is
 * loaded, or NULL when it does not support `version`, the interface version of the program. An
 * object that supports several can choose.
 */
typedef const bxt_plugin *bxt_plugin_entry_function(uint32_t version);
BXT_PLUGIN_EXPORT const bxt_plugin *bxt_plugin_entry(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
