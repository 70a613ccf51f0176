/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of writing a netlist as a SPICE deck. */
#ifndef BXT_SPICE_DECK_H
#define BXT_SPICE_DECK_H

#include "ground/base/text.h"
#include "ground/expr/expr.h"
#include "model/component/quantity.h"
#include "model/netlist/edit.h"

typedef struct bxt_deck_writer {
	bxt_arena *arena;
	bxt_diagnostics *d;
	bxt_library *library;
	const struct bxt_netlist *tree; /* without subsystems */
	bxt_graph *graph;
	bxt_dictionary nodes, elements; /* ids to names in the deck */
	bxt_map node_names, element_names;
	const bxt_item **items; /* elements of the netlist; maps give indices */
	bxt_map ids;            /* by their ids */
	bxt_map pins;           /* node -> number of element pins at it */
	bxt_map senses[2];      /* by the node at cp, at cn */
	bxt_map sources;        /* of voltage, by the node at n */
	bxt_map model_numbers;  /* text of a model -> its number */
	bxt_buffer out, models;
	bool uic, failed;
	int errors, depth;
} bxt_deck_writer;

/*
 * deck_text.c: converts a value to the coherent unit; false: it is not a constant. The second
 * function does the same for an attribute and reports an error.
 */
bool bxt_deck_value(bxt_deck_writer *w, const char *text, const char *unit, double *value);
double bxt_deck_number(bxt_deck_writer *w, const bxt_item *item, const char *name,
		       const char *unit);
void bxt_deck_wrong(bxt_deck_writer *w, const bxt_item *item, const char *format, ...)
	BXT_PRINTF(3, 4);
/* Names in the deck. */
const char *bxt_deck_node(bxt_deck_writer *w, const char *id);
const char *bxt_deck_name(bxt_deck_writer *w, const bxt_item *item, char letter);
/* Returns the wanted name, with a number appended if another name differs from it only in case. */
const char *bxt_deck_free_name(bxt_deck_writer *w, bxt_map *taken, const char *wish);
/* Appends a blank and the number, with the fewest digits that reproduce it. */
void bxt_deck_add(bxt_deck_writer *w, double value);

/*
 * deck_senses.c: finds what senses currents in series with voltage sources. The first function must
 * have found all of them before the others are called.
 */
void bxt_deck_find_elements(bxt_deck_writer *w);
/* The element of that id; NULL: none. */
const bxt_item *bxt_deck_element(const bxt_deck_writer *w, const char *id);
/*
 * The element that senses between that node, to which nothing else is connected, and another node;
 * NULL: none.
 */
const bxt_item *bxt_deck_sense_at(const bxt_deck_writer *w, const char *node);
/* The voltage source in series before the element; NULL: none. */
const bxt_item *bxt_deck_source_before(const bxt_deck_writer *w, const bxt_item *item);
/*
 * Converts "=pulse(t, ...)" and so on to " PULSE(...)"; false: the expression has none of these
 * forms.
 */
bool bxt_deck_waveform(bxt_deck_writer *w, const char *text);
/*
 * deck_devices.c: writes D, Q, M, J and their models; false: decks have no device for the
 * component.
 */
bool bxt_deck_device(bxt_deck_writer *w, const bxt_item *item);

#endif
