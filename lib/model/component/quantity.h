/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Quantities, a number and a unit ("4.7 kohm"), by UDUNITS-2 without its pitfalls. Decimal prefixes
 * change the exponent: 10 uF is exactly 1e-05. Two units have the same dimension if their quotient
 * is a number, so 2 S is no resistance and 50 Hz is no time. deg, rev, mho and ohm are defined. The
 * number is split off before the unit is read.
 */
#ifndef BXT_COMPONENT_QUANTITY_H
#define BXT_COMPONENT_QUANTITY_H

#include "ground/base/arena.h"
#include "ground/base/diagnostics.h"
#include "ground/base/dimension.h"

/*
 * A unit system, one for each library; NULL: out of memory, or no database. Several threads may use
 * one. The database is read once and stays until the process ends.
 */
typedef struct bxt_units bxt_units;
bxt_units *bxt_units_new(void);
bxt_units *bxt_units_free(bxt_units *units);

/* Outcome of reading a quantity. The caller words the message, since it has name and place. */
typedef enum bxt_quantity_error {
	BXT_QUANTITY_OK,
	BXT_QUANTITY_NO_NUMBER,  /* does not start with a finite decimal number */
	BXT_QUANTITY_BAD_UNIT,   /* the unit is not known */
	BXT_QUANTITY_WRONG_UNIT, /* the unit has another dimension */
	BXT_QUANTITY_MEMORY
} bxt_quantity_error;

/*
 * Reads "number [unit]" (`expected`: a unit's text such as "ohm" or "km/h"; "" or "1" for a pure
 * number). Without a unit the number is in the expected one. *value is in the coherent unit of that
 * dimension: equations know SI units alone, so that 36 km/h are 10.
 */
bxt_quantity_error bxt_quantity_read(bxt_units *units, const char *text, const char *expected,
				     double *value);

/*
 * Reports what was wrong with a quantity that was read, BXT_ERR_MODEL with a finding that begins
 * with `what`; BXT_OK, BXT_ERR_MEMORY.
 */
bxt_status bxt_quantity_report(bxt_units *units, bxt_quantity_error error, const char *text,
			       const char *unit, const char *what, bxt_place place,
			       bxt_diagnostics *d);

/* A suggestion for a quantity that cannot be read: "4.7 kohm" for "4k7", "3 N.m" for "3 Nm"; NULL:
 * no suggestion fits the expected unit, or memory ended. */
const char *bxt_quantity_suggest(bxt_units *units, bxt_arena *arena, const char *text,
				 const char *expected);
/* The same for a unit alone: "N.m" for "Nm". */
const char *bxt_unit_suggest(bxt_units *units, bxt_arena *arena, const char *unit);

/* Does a number keep its value when it is converted from this unit to the coherent one? An unknown
 * unit is reported elsewhere. */
bool bxt_units_coherent(bxt_units *units, const char *unit);
/* Do two units have the same dimension? 1, 0, or -1 when one is unknown. */
int bxt_units_same_dimension(bxt_units *units, const char *a, const char *b);
enum { BXT_UNIT_TEXT = 128 }; /* a scale and powers of base units, for any input */
/* The SI unit of the same dimension, "kg.m2.s-3"; "" for a number. */
bxt_quantity_error bxt_units_si(bxt_units *units, const char *unit, char *out, size_t size);
bxt_quantity_error bxt_units_dimension(bxt_units *units, const char *unit, bxt_dimension *out);

/* Decimal prefixes, longer ones before those that they begin with; the end: text NULL. */
typedef struct bxt_unit_prefix {
	const char *text;
	int exponent;
} bxt_unit_prefix;
extern const bxt_unit_prefix bxt_unit_prefixes[];
/* Synonyms of units of the database; the end: NULL. */
extern const char *const bxt_unit_aliases[][2];

/*
 * For tests; call it before anything is read. The coherent unit of base dimension k becomes
 * 2^-exponents[k] of the SI unit. All values are then multiplied by powers of two, and no threshold
 * may react to it.
 */
void bxt_units_scale(bxt_units *units, const int *exponents);
/* The number of coherent units in one SI unit after that call; else 1. */
double bxt_units_scale_of(bxt_units *units, const char *unit);

#endif
