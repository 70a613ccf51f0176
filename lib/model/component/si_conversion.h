/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conversions between units of SI and their decimal multiples, without the database of units:
 * reading the database takes longer than a small run. */
#ifndef BXT_COMPONENT_SI_CONVERSION_H
#define BXT_COMPONENT_SI_CONVERSION_H

#include "ground/base/dimension.h"

/*
 * Converts from `given` to the coherent unit of the dimension of `expected`: multiply numbers by
 * 10^exponent. from and to: the dimensions of both. False: the database is needed.
 */
bool bxt_si_conversion(const char *given, const char *expected, bxt_dimension *from,
		       bxt_dimension *to, int *exponent);

#endif
