/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a model; netlists and components without files. Included by boxtimes.h. */
#ifndef BOXTIMES_MODEL_H
#define BOXTIMES_MODEL_H

#include "boxtimes_run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Frees memory that the library gave as "free with bxt_release" or "for free()". NULL is allowed.
 * Level: often.
 */
BXT_API void bxt_release(void *memory);

/* ---- Building netlists without text ---- */

typedef struct bxt_attribute_value {
	const char *name, *value;
} bxt_attribute_value;
/*
 * An empty netlist. `name` stands for its file: in messages, whose lines are the numbers of the
 * calls that have added to it, and as the place that paths of other files start from.
 * Level: often.
 */
BXT_API bxt_status bxt_netlist_new(const char *name, bxt_netlist **out);
/*
 * Adds <tag name="value" ...>text</tag> at the end of the scope with that path of ids: "" the
 * netlist, "loop" a subsystem, "interconnection" that of the netlist, "loop.interconnection" of the
 * subsystem (made when absent). text may be NULL. BXT_ERR_MODEL with a finding: the id is taken,
 * the scope does not exist (nearest id), characters that XML does not allow. Then nothing is added.
 * Further errors are found by bxt_system_compile. Level: often.
 */
BXT_API bxt_status bxt_netlist_add(bxt_netlist *netlist, const char *scope, const char *tag,
				   const bxt_attribute_value *attributes, size_t n_attributes,
				   const char *text, bxt_diagnostics *d);
/*
 * The same for elements with all that is in them, written as XML in the namespace of netlists, as
 * an inline component: "<component xmlns=\"urn:boxtimes:component:1\" name=...>...</component>".
 * Level: often.
 */
BXT_API bxt_status bxt_netlist_add_xml(bxt_netlist *netlist, const char *scope, const char *xml,
				       bxt_diagnostics *d);
/* Removes the element with that path of ids. BXT_ERR_MODEL with a finding (nearest id): there is
 * none. Level: rare. */
BXT_API bxt_status bxt_netlist_remove(bxt_netlist *netlist, const char *path, bxt_diagnostics *d);
BXT_API bxt_status bxt_netlist_copy(const bxt_netlist *netlist, bxt_netlist **out);
/* As bxt_netlist_write, to memory that ends with a 0 byte beyond `length`; *bytes: bxt_release.
 * Level: rare. */
BXT_API bxt_status bxt_netlist_to_memory(const bxt_netlist *netlist, char **bytes, size_t *length);
/*
 * A component file from memory; `name` stands for it in findings. It has precedence over files, and
 * over earlier ones of the same name. BXT_ERR_ARGUMENT with a finding: a model has used a component
 * of that name already. BXT_ERR_MODEL with findings: it has errors. Level: rare.
 */
BXT_API bxt_status bxt_library_add_memory(bxt_library *library, const char *bytes, size_t length,
					  const char *name, bxt_diagnostics *d);

/* ---- The parts of a model ---- */

typedef enum bxt_part {
	BXT_PART_SUBSYSTEM,
	BXT_PART_ELEMENT,
	BXT_PART_NODE,       /* without references, which are no unknowns */
	BXT_PART_PORT,       /* exported by a subsystem, or by the netlist itself */
	BXT_PART_CONNECTION, /* rows of <interconnection> */
	BXT_PART_PARAMETER,  /* numeric ones of elements, "loop.R1.R", then of netlists, "tau" */
	BXT_PART_INPUT,      /* what the outside gives: <input>s and open signals with a default */
	BXT_PART_SIGNAL,     /* every single signal that a record may name, but no expressions */
	BXT_PART_COORDINATE, /* the unknowns of the equations, in their order */
	/* the rows of constraints that are kept, in their order; then those that do not hold at
	 * first, of a model that switches */
	BXT_PART_ROW,
	BXT_PART_COUNT
} bxt_part;

/* Texts are never NULL but `file`; they live as long as the system. */
typedef struct bxt_part_info {
	size_t size;      /* sizeof(bxt_part_info), set by the caller */
	const char *path; /* "loop.R1.R"; no other part of its sort has it */
	/* component of an element; kind of a node, port or connection; component or kind that a
	 * coordinate is of; family of a row; group of a signal; else "" */
	const char *kind;
	/* of parameters, inputs, signals, coordinates, multipliers of rows; "" or "1": a number, or
	 * not known. Values are in SI: "m.s-1" where a component says "km/h". */
	const char *unit;
	const char *doc;  /* of the component, of the parameter; "" for none */
	const char *file; /* where it is written; NULL: nowhere */
	int line;
	/* the subsystem that holds it, the element of a parameter; -1: none, which of a parameter
	 * means that it is a netlist's own */
	long parent;
	double value;       /* of parameters and inputs as compiled, NaN where it follows time */
	double least, most; /* of parameters; -inf, inf */
	bool positive;      /* of parameters: must be > 0 */
	bool tunable;       /* a parameter that bxt_simulation_set_parameters may change */
	bool massless;      /* of coordinates: L does not depend on its flow */
	bool is_position;   /* of rows: a constraint on positions */
	bool is_reference;  /* of nodes: its row is left out, as it follows from the others */
} bxt_part_info;

/* The number of parts; 0 for NULL, for an invalid `part`, and when out of memory.
 * Level: often. */
BXT_API size_t bxt_system_count(const bxt_system *system, bxt_part part);
/* Part i. BXT_ERR_ARGUMENT outside, BXT_ERR_MEMORY. O(1), but for the first call, which is linear.
 * Level: often.
 */
BXT_API bxt_status bxt_system_part(const bxt_system *system, bxt_part part, size_t i,
				   bxt_part_info *out);
/*
 * The index by path, O(1), or by the end of just one path ("R1.R" of "loop.R1.R", "node(m).x" of
 * "node(loop.m).x"), O(number of parts). -1 with a finding (nearest path) for none or several.
 * Level: often.
 */
BXT_API long bxt_system_find(const bxt_system *system, bxt_part part, const char *path,
			     bxt_diagnostics *d);
/*
 * The ports of element i: their number, the index of the node at each (-1: the reference), and
 * their names in the component. node and name may be NULL. 0 outside.
 * Level: rare.
 */
BXT_API size_t bxt_system_element_ports(const bxt_system *system, size_t i, const long **node,
					const char *const **name);

/* Whether the model is meant for inclusion: it exports ports or signals, and has no step and end.
 * Level: rare. */
BXT_API bool bxt_system_is_part(const bxt_system *system);
/* Describes a model as text: elements, rows, references, structure of the step's matrix.
 * Level: rare. */
BXT_API bxt_status bxt_system_write_info(const bxt_system *system, const bxt_run_def *def,
					 FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
