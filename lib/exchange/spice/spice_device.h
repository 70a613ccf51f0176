/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A device D, Q, M or J of a deck with its model card, while it is converted to an element. */
#ifndef BXT_SPICE_SPICE_DEVICE_H
#define BXT_SPICE_SPICE_DEVICE_H

#include "exchange/spice/spice.h"
#include "model/component/component.h"

typedef struct bxt_spice_device {
	bxt_spice_scope *scope;
	const bxt_spice_element *e;
	const bxt_spice_model *model;
	const bxt_spice_env *where; /* the scope of the model */
	const bxt_component *component;
	/* (parameters of the component) values as the card and the line give them; temperatures in
	 * degrees Celsius */
	double *values;
	bool *given;
	double area; /* times the number of copies, if the component has an area */
} bxt_spice_device;

/*
 * Does a list of names, separated by blanks, contain the name in any case? `value` (may be NULL)
 * becomes what follows "NAME=" in the list.
 */
bool bxt_spice_lists_name(const char *names, const char *name, double *value);
/* The parameter that a model card sets by that name; -1: none. */
int bxt_spice_find_of_card(const bxt_component *c, const char *name);
/*
 * The value of a parameter of the component, by its own name or its name in a card. If there is no
 * such parameter, the value in the card; if there is neither, `usual`.
 */
double bxt_spice_device_value(const bxt_spice_device *d, const char *name, double usual);
bool bxt_spice_device_has(const bxt_spice_device *d, const char *name);
/* Sets a parameter of the component. */
void bxt_spice_device_set(const bxt_spice_device *d, const char *name, double value);
/* The value of a name of the card; `usual` if the card does not set it. */
double bxt_spice_card_value(const bxt_spice_device *d, const char *name, double usual);

/*
 * spice_derive.c: computes values that SPICE derives from others, depending on the type of the
 * card.
 */
void bxt_spice_device_derive(const bxt_spice_device *d);

#endif
