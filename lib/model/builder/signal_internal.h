/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A <signal> while it is read (signal.c), and the element type that is made for it
 * (signal_type.c). */
#ifndef BXT_BUILDER_SIGNAL_INTERNAL_H
#define BXT_BUILDER_SIGNAL_INTERNAL_H

#include "model/builder/path.h"

/* The owner of a quantity: the component is bound to it or has a port at it. */
typedef enum bxt_wire_owner_type {
	BXT_WIRE_ELEMENT,
	BXT_WIRE_NODE,
	BXT_WIRE_PORT
} bxt_wire_owner_type;
typedef struct bxt_wire_owner {
	bxt_wire_owner_type type;
	int index;
} bxt_wire_owner;

/* The state while one <signal> is read; its bindings are the owners of its variables. */
struct bxt_signal_wire {
	bxt_path_reader path;
	int to; /* the variable of the input */
	bxt_wire_owner *owner;
	size_t n_owner, c_owner;
	bool *reads_input; /* (inputs of the network) */
	int n_inputs;      /* that are read */
};

/* Lists the elements, nodes and ports that own its variables, each once; and inputs. */
bxt_status bxt_signal_find_owners(struct bxt_signal_wire *w);
/* The index of the element type for a text; -1 after findings. */
bxt_status bxt_signal_type(struct bxt_signal_wire *w, const char *text, int *out);

#endif
