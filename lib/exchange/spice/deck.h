/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A netlist being written as a deck of SPICE. */
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
	bxt_map pins;           /* node -> how many pins of elements are there */
	bxt_map senses[2];      /* by the node at cp, at cn */
	bxt_map sources;        /* of voltage, by the node at n */
	bxt_map model_numbers;  /* text of a model -> its number */
	bxt_buffer out, models;
	bool uic, failed;
	int errors, depth;
} bxt_deck_writer;

/* deck_text.c: a value in the coherent unit; false: it is no constant. The same of an attribute,
 * with an error. */
bool bxt_deck_value(bxt_deck_writer *w, const char *text, const char *unit, double *value);
double bxt_deck_number(bxt_deck_writer *w, const bxt_item *item, const char *name,
		       const char *unit);
void bxt_deck_wrong(bxt_deck_writer *w, const bxt_item *item, const char *format, ...)
	BXT_PRINTF(3, 4);
/* Names in the deck. */
const char *bxt_deck_node(bxt_deck_writer *w, const char *id);
const char *bxt_deck_name(bxt_deck_writer *w, const bxt_item *item, char letter);
/* The wish, with a number behind it where another name is the same but for case. */
const char *bxt_deck_free_name(bxt_deck_writer *w, bxt_map *taken, const char *wish);
/* A blank and the number, with the fewest digits that give it. */
void bxt_deck_add(bxt_deck_writer *w, double value);

/* deck_senses.c: what senses currents in series with voltage sources. First all elements are
 * found. */
void bxt_deck_find_elements(bxt_deck_writer *w);
/* The element of that id; NULL: none. */
const bxt_item *bxt_deck_element(const bxt_deck_writer *w, const char *id);
/* The element that senses between that node, where nothing else is, and another one; NULL. */
const bxt_item *bxt_deck_sense_at(const bxt_deck_writer *w, const char *node);
/* The voltage source in series before the element; NULL: none. */
const bxt_item *bxt_deck_source_before(const bxt_deck_writer *w, const bxt_item *item);
/* " PULSE(...)" of "=pulse(t, ...)" and so on; false: the expression is none of these. */
bool bxt_deck_waveform(bxt_deck_writer *w, const char *text);
/* deck_devices.c: D, Q, M, J and their models; false: the component is none of decks. */
bool bxt_deck_device(bxt_deck_writer *w, const bxt_item *item);

#endif
