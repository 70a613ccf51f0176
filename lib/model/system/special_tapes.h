/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tapes of groups whose elements share values of parameters (expr/tape.h, bxt_tape_special). */
#ifndef BXT_SYSTEM_SPECIAL_TAPES_H
#define BXT_SYSTEM_SPECIAL_TAPES_H

#include "model/system/system.h"

/* For output sets that are not fused, where they have fewer operations than those of the types. */
bxt_status bxt_special_tapes_make(bxt_system *s);
void bxt_special_tapes_free(bxt_system *s);

/* The tape that evaluates an output set of a group. */
static inline const bxt_tape *bxt_tape_of(const bxt_group *group, bxt_output_set_id id)
{
	return group->special[id] ? group->special[id] : group->type->set[id].tape;
}

#endif
