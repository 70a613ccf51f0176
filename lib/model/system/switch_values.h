/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The switches of a system at a point, with the distance of each from its next state. The margin of
 * a state is not negative while the state may last: for a row that holds, the distance of its
 * multiplier from its bounds; for one at a bound, its gap or its flow on that side; for a mode, the
 * distance from zero of the condition that ends it. The friction of an open contact does not hold;
 * it slides in either direction.
 */
#ifndef BXT_SYSTEM_SWITCH_VALUES_H
#define BXT_SYSTEM_SWITCH_VALUES_H

#include "model/system/evaluate.h"

/* One switch of the network. */
typedef struct bxt_switch_info {
	int element;
	const bxt_switch *of; /* in the element's type */
	int first;            /* its first value */
	int row;              /* in D, of a row; else -1 */
	bool position;        /* of a position constraint */
	int pressing;         /* of friction: the switch of the row that presses; -1: none */
	int coordinate; /* x index of a coordinate in its row, whose unit the row has; else -1 */
} bxt_switch_info;

typedef struct bxt_switch_values {
	const bxt_system *system;
	bxt_arena *arena;
	bxt_evaluator *e;
	bxt_switch_info *at; /* (n) in the order of the network */
	int n;
	double *value;  /* all values of all switches */
	double *lambda; /* (n) the multiplier of a row, 0 where it does not hold */
	int *first;     /* (elements) the first value of each */
} bxt_switch_values;

/* *out is NULL where the model has no switch. */
bxt_status bxt_switch_values_new(const bxt_system *s, bxt_switch_values **out);
bxt_switch_values *bxt_switch_values_free(bxt_switch_values *v);
/* Reads all values; x (size): flows and multipliers. */
void bxt_switch_values_read(bxt_switch_values *v, const double *q, const double *x, double t);
/* The margin of switch k, assuming it is in that state; *next: the state beyond. INFINITY: the
 * state lasts. */
double bxt_switch_margin(const bxt_switch_values *v, int k, bxt_switch_state *next);
/* A value of switch k by its number (element/element_type.h). */
static inline double bxt_switch_value(const bxt_switch_values *v, int k, int number)
{
	return v->value[v->at[k].first + number];
}
/* The name of switch k: "stop.contact", "relay.closed"; in the buffer. */
const char *bxt_switch_name(const bxt_system *s, int k, bxt_buffer *buffer);

#endif
