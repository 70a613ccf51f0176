/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Import of SPICE decks and URDF robots, export of SPICE decks. Included by boxtimes.h. */
#ifndef BOXTIMES_IMPORT_H
#define BOXTIMES_IMPORT_H

#include "boxtimes_netlist.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bxt_import_def {
	size_t size;   /* sizeof(bxt_import_def), set by bxt_default_import_def */
	bool floating; /* the base moves freely; else it is fixed to the ground */
	/* joints that close loops: "ball A B X Y Z", links A and B and the point where they are
	 * joined, in axes of the base at the start [m]. May be NULL. */
	const char *const *close;
	size_t n_close;
	bool flat; /* of a deck: without subsystems, the elements of subcircuits one by one */
	/* Of a deck: components for devices (D, Q, M and J), whose files have the names of values
	 * in model cards. NULL: a deck with devices is an error. The caller keeps it. */
	bxt_library *library;
} bxt_import_def;
/* Sets the size and the defaults of a definition. Level: often. */
BXT_API void bxt_default_import_def(bxt_import_def *def);

/*
 * Reads a robot in URDF ("-": standard input) as a netlist of spatial parts. Links become nodes and
 * bodies; joints become motor-hinge, rail-slider, weld and plane-joint; damping becomes dampers,
 * and mimic a gear. At the start all joints are at 0. Notes list everything in the file that is not
 * converted. BXT_ERR_IO or BXT_ERR_MODEL with findings; then *out is NULL. Level: often.
 */
BXT_API bxt_status bxt_import_urdf(const char *path, const bxt_import_def *def, bxt_diagnostics *d,
				   bxt_netlist **out);
/* The same from memory; `name` stands for the file in messages. Level: rare. */
BXT_API bxt_status bxt_import_urdf_memory(const char *bytes, size_t length, const char *name,
					  const bxt_import_def *def, bxt_diagnostics *d,
					  bxt_netlist **out);

/*
 * Reads a circuit in SPICE's input language as a netlist. Subcircuits become subsystems; parameters
 * are evaluated; .tran gives the run. Included files must be in its folder or below. A statement
 * without a counterpart is an error, and one that is omitted a warning or a note. BXT_ERR_IO or
 * BXT_ERR_MODEL with findings; then *out is NULL. Level: often.
 */
BXT_API bxt_status bxt_import_spice(const char *path, const bxt_import_def *def, bxt_diagnostics *d,
				    bxt_netlist **out);
/* The same from memory; `name` stands for the file in messages. Nothing can be included.
 * Level: rare. */
BXT_API bxt_status bxt_import_spice_memory(const char *bytes, size_t length, const char *name,
					   const bxt_import_def *def, bxt_diagnostics *d,
					   bxt_netlist **out);

/*
 * Writes a netlist as a deck of SPICE, the reverse of bxt_import_spice: R, L, C, K, V, I, E, F, G,
 * H, and D, Q, M, J of the components spice-... Subsystems are dissolved. Any other element is an
 * error; all of them are reported together, and nothing is written. BXT_ERR_MODEL with findings;
 * BXT_ERR_IO when the stream fails. Level: rare.
 */
BXT_API bxt_status bxt_netlist_write_spice(const bxt_netlist *netlist, bxt_library *library,
					   FILE *stream, bxt_diagnostics *d);

#ifdef __cplusplus
}
#endif

#endif
