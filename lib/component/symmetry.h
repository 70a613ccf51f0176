/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What component.c asks of component_symmetry.c. */
#ifndef BXT_COMPONENT_SYMMETRY_H
#define BXT_COMPONENT_SYMMETRY_H

#include "component/component.h"

/*
 * What is inside a <symmetry>, whose name and place are known; the names of coordinates are looked
 * at later. *bad: after findings. BXT_ERR_MEMORY only.
 */
bxt_status bxt_component_read_symmetry(bxt_arena *arena, const bxt_item *item, bxt_symmetry *out,
				       bxt_diagnostics *d, bool *bad);

#endif
