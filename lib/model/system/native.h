/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Native code: the output sets of one small system as C functions, compiled by the system's
 * compiler (base/shared_object.h) and called in place of tapes. They carry out the same operations
 * and sums, with the same bits.
 */
#ifndef BXT_SYSTEM_NATIVE_H
#define BXT_SYSTEM_NATIVE_H

#include "model/system/system.h"

typedef struct bxt_native bxt_native;

/*
 * Compiles a system's output sets and uses the code for all later evaluations: evaluators must not
 * exist yet, and the code must outlive them. Output sets that are too long keep their tapes.
 * BXT_ERR_IO after a finding: base/shared_object.h.
 */
bxt_status bxt_native_make(bxt_system *s, bxt_diagnostics *d, bxt_native **out);
bxt_native *bxt_native_free(bxt_native *native);

#endif
