/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interface of symmetry.c for component.c. */
#ifndef BXT_COMPONENT_SYMMETRY_H
#define BXT_COMPONENT_SYMMETRY_H

#include "model/component/component.h"

/*
 * Reads the content of a <symmetry> whose name and place are known. Names of coordinates are
 * resolved later. *bad: after findings. BXT_ERR_MEMORY only.
 */
bxt_status bxt_component_read_symmetry(bxt_arena *arena, const bxt_item *item, bxt_symmetry *out,
				       bxt_diagnostics *d, bool *bad);

#endif
