/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared objects that the system's C compiler makes of a text. They are kept in the user's cache,
 * $XDG_CACHE_HOME/boxtimes or ~/.cache/boxtimes, by the checksum of command and text: the same text
 * is compiled once. An object serves only where the text kept beside it is the same byte for byte,
 * and where folder and object belong to the user and nobody else may write them.
 */
#ifndef BXT_BASE_SHARED_OBJECT_H
#define BXT_BASE_SHARED_OBJECT_H

#include "ground/base/diagnostics.h"

typedef struct bxt_shared_object bxt_shared_object;

/*
 * Compiles a NUL-terminated text, unless that was done before, and loads the object.
 * BXT_ERR_IO after a finding: there is no compiler, no folder, or the text does not compile. The
 * environment's BOXTIMES_CC names the compiler; "cc" otherwise.
 */
bxt_status bxt_shared_object_make(const char *text, bxt_diagnostics *d, bxt_shared_object **out);
bxt_shared_object *bxt_shared_object_free(bxt_shared_object *object);
/* NULL: it has no such symbol. */
void *bxt_shared_object_find(const bxt_shared_object *object, const char *symbol);

#endif
