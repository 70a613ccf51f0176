/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that a file names: they lie in its folder or below, links followed. */
#ifndef BXT_BASE_LOCAL_FILE_H
#define BXT_BASE_LOCAL_FILE_H

#include "base/arena.h"

#include <stdio.h>
#include <sys/types.h>

/*
 * The folder of a file with the final '/', "" for the working folder (also of NULL); and a name
 * seen from there. NULL when out of memory.
 */
const char *bxt_local_file_folder(bxt_arena *arena, const char *file);
const char *bxt_local_file(bxt_arena *arena, const char *folder, const char *name);
/* Is the name one that could lead nowhere else: relative, and without ".."? */
bool bxt_local_file_is_plain(const char *name);
/* Is the path below the folder? Of paths from the root without links, as realpath gives them. */
bool bxt_local_file_holds(const char *folder, const char *path);
/* Does the path lead to something below the folder, links followed? */
bool bxt_local_file_is_below(const char *folder, const char *path);
/* Opens a regular file, and nothing else; NULL: *why says why not. */
FILE *bxt_local_file_open(const char *path, off_t *bytes, const char **why);
/*
 * The name of a file in folder `from` as a name in folder `to`; the same pointer where nothing
 * changes, as when one of the folders is not there; *out NULL: it does not lie in `to` or below.
 * BXT_ERR_MEMORY only.
 */
bxt_status bxt_local_file_move(bxt_arena *arena, const char *from, const char *name, const char *to,
			       const char **out);

#endif
