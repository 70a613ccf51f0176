/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by component.c and the files that read single elements of a <component>. */
#ifndef BXT_COMPONENT_COMPONENT_INTERNAL_H
#define BXT_COMPONENT_COMPONENT_INTERNAL_H

#include "ground/base/text.h"
#include "model/component/component.h"
#include "model/netlist/language.h"

struct bxt_component_builder {
	bxt_arena *arena;
	bxt_units *units;
	bxt_diagnostics *d;
	bxt_component *c;
	const char *file; /* copy that lives as long as the component */
	const char *like; /* the same of the file whose parts it shares; NULL: none */
	bxt_map names;    /* the one scope: name -> line */
	const bxt_item *hamiltonian;
	struct bxt_curve_tables *tables;
	const bxt_curve **curves; /* capacity: all its <table>s */
	bool bad;                 /* a finding was an error */
	bool no_memory;
};

#define BXT_FAIL(b, place, ...)                                                                    \
	do {                                                                                       \
		(b)->bad = true;                                                                   \
		bxt_error((b)->d, (place), __VA_ARGS__);                                           \
	} while (0)

/* read.c */
bool bxt_is_among(const char *name, const char *const *words, size_t count);
bxt_place bxt_component_place_of(struct bxt_component_builder *b, const bxt_item *item);
/* A copy in the arena; "" and no_memory set when memory ends. */
const char *bxt_component_keep(struct bxt_component_builder *b, const char *text);
/* The text content; the same as an expression, which is required. */
const char *bxt_component_content(struct bxt_component_builder *b, const bxt_item *item);
bxt_written bxt_component_written(struct bxt_component_builder *b, const bxt_item *item);
/* A required attribute: "" and a finding when absent. An optional one: "" when absent. */
const char *bxt_component_required(struct bxt_component_builder *b, const bxt_item *item,
				   const char *attribute);
const char *bxt_component_optional(struct bxt_component_builder *b, const bxt_item *item,
				   const char *attribute);
/* Declares a name in the component's one scope; in_expressions: it must be valid in expressions. */
void bxt_component_declare(struct bxt_component_builder *b, bxt_place place, const char *name,
			   bool in_expressions);
/* The value of the attribute "unit", checked. */
const char *bxt_component_unit(struct bxt_component_builder *b, const bxt_item *item);
/* The same for quantities that enter equations as they are: in SI units. */
const char *bxt_component_si_unit(struct bxt_component_builder *b, const bxt_item *item);
/* Must numbers in that unit be converted before they are values? */
bool bxt_component_converts(const struct bxt_component_builder *b, const char *unit);
bxt_measure bxt_component_measure(const struct bxt_component_builder *b, const char *unit);
/* Of a coordinate: any unit is allowed if its own is "1". */
bxt_measure bxt_component_measure_coordinate(const struct bxt_component_builder *b,
					     const char *unit);
/* Reports the attributes that the language does not have. */
void bxt_component_check_attributes(struct bxt_component_builder *b, const bxt_item *item);
/* How many children of that name an element has. */
int bxt_component_count(const bxt_item *element, const char *name);
/* Reads a <let>. */
void bxt_component_read_let(struct bxt_component_builder *b, const bxt_item *item);

/* signal.c: <state>, <rate>, <update>, <sample> and <signal>. */
void bxt_component_read_state(struct bxt_component_builder *b, const bxt_item *item);
void bxt_component_read_rate(struct bxt_component_builder *b, const bxt_item *item);
void bxt_component_read_update(struct bxt_component_builder *b, const bxt_item *item);
void bxt_component_read_sample(struct bxt_component_builder *b, const bxt_item *item);
void bxt_component_read_signal(struct bxt_component_builder *b, const bxt_item *item);
/* Appends the coordinate of a state or signal that `item` names, with its unit. */
bxt_coordinate *bxt_component_add_signal(struct bxt_component_builder *b, const bxt_item *item,
					 bxt_role role);
/* The name in an attribute, which must be that of a parameter in seconds. */
const char *bxt_component_time(struct bxt_component_builder *b, const bxt_item *item,
			       const char *attribute);
/* After reading: reports states without rates and rates without states. */
void bxt_component_check_states(struct bxt_component_builder *b);

/* delay.c: <delay>. */
void bxt_component_read_delay(struct bxt_component_builder *b, const bxt_item *item);

/* plugin.c: <plugin>; how often it writes a state; checks that it writes states only. */
void bxt_component_read_plugin(struct bxt_component_builder *b, const bxt_item *item);
int bxt_component_count_writes(const bxt_component *c, const char *state);
void bxt_component_check_plugin(struct bxt_component_builder *b);

/* placement.c: <placement>; when all ports and parameters are known, what they name. */
void bxt_component_read_placement(struct bxt_component_builder *b, const bxt_item *item);
void bxt_component_check_placements(struct bxt_component_builder *b);

/* bounds.c: the bounds of a <constraint>; <mode> and <event>; when all names are known, what they
 * name. */
void bxt_component_read_bounds(struct bxt_component_builder *b, const bxt_item *item,
			       bxt_constraint *c);
void bxt_component_read_mode(struct bxt_component_builder *b, const bxt_item *item);
void bxt_component_read_event(struct bxt_component_builder *b, const bxt_item *item);
void bxt_component_check_bounds(struct bxt_component_builder *b);

/* table.c: <table>. */
void bxt_component_read_table(struct bxt_component_builder *b, const bxt_item *item);

/* spice.c: <spice>; when all names are known, what it names. */
void bxt_component_read_spice(struct bxt_component_builder *b, const bxt_item *item);
/* An attribute; NULL when absent. */
const char *bxt_component_names(struct bxt_component_builder *b, const bxt_item *item,
				const char *attribute);
void bxt_component_check_spice(struct bxt_component_builder *b);

/* hamiltonian.c: the <port-hamiltonian>, read when all ports are known. */
void bxt_component_read_hamiltonian(struct bxt_component_builder *b, const bxt_item *item);

#endif
