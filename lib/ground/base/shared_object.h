/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared objects that the system's C compiler makes from a text. They are cached for the user in
 * $XDG_CACHE_HOME/boxtimes or ~/.cache/boxtimes, under the checksum of command and text: the same
 * text is compiled once. A cached object is used only if the text stored beside it is identical
 * byte for byte, and if folder and object belong to the user and no other user can write to them.
 */
#ifndef BXT_BASE_SHARED_OBJECT_H
#define BXT_BASE_SHARED_OBJECT_H

#include "ground/base/diagnostics.h"

typedef struct bxt_shared_object bxt_shared_object;

/*
 * Compiles a NUL-terminated text, unless a compiled object is in the cache, and loads the object.
 * BXT_ERR_IO after a finding: there is no compiler, no folder, or the text does not compile. The
 * environment variable BOXTIMES_CC names the compiler; the default is "cc".
 */
bxt_status bxt_shared_object_make(const char *text, bxt_diagnostics *d, bxt_shared_object **out);
bxt_shared_object *bxt_shared_object_free(bxt_shared_object *object);
/* NULL: there is no such symbol. */
void *bxt_shared_object_find(const bxt_shared_object *object, const char *symbol);

#endif
