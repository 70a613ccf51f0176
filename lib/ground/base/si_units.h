/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of coherent SI units: from a dimension to its usual name, and back. */
#ifndef BXT_BASE_SI_UNITS_H
#define BXT_BASE_SI_UNITS_H

#include "ground/base/dimension.h"

/*
 * The dimension of a coherent unit such as "N.m", "m3/s", "kg.m2.s-3" or "rad/s". False when the
 * text is not a coherent unit, such as "km".
 */
bool bxt_si_unit_read(const char *text, bxt_dimension *out);
/* Writes "V" for the dimension of a voltage, and powers of base units where no name fits. */
void bxt_si_unit_write(bxt_dimension d, char out[BXT_DIMENSION_TEXT]);

#endif
