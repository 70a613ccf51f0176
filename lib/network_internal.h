/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the network's builder share. */
#ifndef BXT_NETWORK_INTERNAL_H
#define BXT_NETWORK_INTERNAL_H

#include "network.h"

/* Building: growing heap arrays that are copied into the network's arena at the end. */
typedef struct bxt_builder {
	bxt_network *net;
	bxt_library *library;
	bxt_diagnostics *d;
	bxt_arena *arena;   /* the network's */
	bxt_arena *scratch; /* words for messages, gone after building */
	size_t c_kinds, c_instances, c_nodes, c_ports, c_connections, c_primitives, c_initials,
		c_settings;
	bxt_map kind_by_key;    /* key -> index into kinds */
	bxt_map inline_by_name; /* inline component -> index into inlines */
	const bxt_component **inlines;
	size_t n_inlines, c_inlines;
	bxt_map broken; /* component names whose errors were told already */
	bxt_graph *signal_graph;
	bxt_ex *signals;
	size_t n_signals, c_signals;
	size_t errors_before; /* findings of earlier work in the same list */
	bool failed;          /* memory ended */
} bxt_builder;

/* What an id of a scope stands for; the map holds the index times 4 plus this. */
enum { BXT_ID_ELEMENT, BXT_ID_SUBSYSTEM, BXT_ID_PORT, BXT_ID_CONNECTION };

/* network_element.c: one element with its pins, parameters and initial values. */
bxt_status bxt_build_element(bxt_builder *b, const bxt_item *item, int primitive);
/*
 * The node of that name in a scope, made when new; *out BXT_GROUND for the reference. Counts a pin.
 * Findings name the item's port; port NULL: a <node> declares it.
 */
bxt_status bxt_build_node(bxt_builder *b, int primitive, const char *name,
			  const bxt_port_kind *kind, const bxt_item *item, const char *port,
			  int *out);
/* "resistor 'R1', parameter 'R'"; short-lived text for messages, made only when there is one. */
const char *bxt_build_describe(bxt_builder *b, const bxt_item *item, const char *what,
			       const char *name);
/* Registers an id in a scope; a finding when it is missing, malformed, reserved or taken. */
bxt_status bxt_build_id(bxt_builder *b, int primitive, const bxt_item *item, int what, int index);
/* A finding for each piece of text directly inside an element that holds none. */
void bxt_build_no_text(bxt_builder *b, const bxt_item *item);
/* Reads a value of an attribute: a quantity or =EXPR without t. False after a finding. */
bool bxt_build_value(bxt_builder *b, const char *text, const char *unit, const char *what,
		     bxt_place place, double *value);

#endif
