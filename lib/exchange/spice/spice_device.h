/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A device of a deck, D, Q, M or J, with its model card, on its way to an element of a component.
 */
#ifndef BXT_SPICE_SPICE_DEVICE_H
#define BXT_SPICE_SPICE_DEVICE_H

#include "exchange/spice/spice.h"
#include "model/component/component.h"

typedef struct bxt_spice_device {
	bxt_spice_scope *scope;
	const bxt_spice_element *e;
	const bxt_spice_model *model;
	const bxt_spice_env *where; /* of the model */
	const bxt_component *component;
	/* (parameters of the component) values as the card and the line give them; temperatures in
	 * degrees Celsius */
	double *values;
	bool *given;
	double area; /* with the number of copies, where the component has an area */
} bxt_spice_device;

/* Is the name in a list of names between blanks, in any case? `value` (may be NULL) becomes what
 * follows "NAME=" there. */
bool bxt_spice_lists_name(const char *names, const char *name, double *value);
/* The parameter that a model card gives by that name; -1: none. */
int bxt_spice_find_of_card(const bxt_component *c, const char *name);
/* The value of a parameter of the component, by its name or one of those in a card; without such a
 * parameter that of the card. `usual` where neither is given. */
double bxt_spice_device_value(const bxt_spice_device *d, const char *name, double usual);
bool bxt_spice_device_has(const bxt_spice_device *d, const char *name);
/* Gives a parameter of the component a value. */
void bxt_spice_device_set(const bxt_spice_device *d, const char *name, double value);
/* The value of a card's name; `usual` where it is not given. */
double bxt_spice_card_value(const bxt_spice_device *d, const char *name, double usual);

/* spice_derive.c: values that SPICE derives from others, by the type of the card. */
void bxt_spice_device_derive(const bxt_spice_device *d);

#endif
