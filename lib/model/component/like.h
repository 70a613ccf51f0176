/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Components that are written as variations of other ones. */
#ifndef BXT_COMPONENT_LIKE_H
#define BXT_COMPONENT_LIKE_H

#include "model/netlist/netlist.h"

/*
 * The whole component of a file whose root has like="NAME": the parts of NAME.xml in the same
 * folder, where the parts of `own` replace those of the same name. *whole is NULL if the root has
 * no such attribute; else the caller frees it before `own`, from which it takes the attributes of
 * its root. *path is the other file, in the arena, also after an error in it. BXT_ERR_MEMORY, or
 * BXT_ERR_IO and BXT_ERR_MODEL with findings.
 */
bxt_status bxt_component_follow_like(bxt_arena *arena, bxt_netlist *own, bxt_diagnostics *d,
				     bxt_netlist **whole, const char **path);

#endif
