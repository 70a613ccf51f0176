/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file may refer only to files inside its own folder: the path, with symlinks resolved, must lie
 * there. */
#ifndef BXT_BASE_LOCAL_FILE_H
#define BXT_BASE_LOCAL_FILE_H

#include "ground/base/arena.h"

#include <stdio.h>
#include <sys/types.h>

/*
 * The folder of a file with the final '/', "" for the working folder (also for NULL); and the path
 * of a name relative to that folder. NULL when out of memory.
 */
const char *bxt_local_file_folder(bxt_arena *arena, const char *file);
const char *bxt_local_file(bxt_arena *arena, const char *folder, const char *name);
/* Is it impossible for the name to leave the folder: is it relative, and without ".."? */
bool bxt_local_file_is_plain(const char *name);
/* Is the path below the folder? Both are absolute without links, as realpath gives them. */
bool bxt_local_file_holds(const char *folder, const char *path);
/* Does the path, links resolved, lie below the folder? */
bool bxt_local_file_is_below(const char *folder, const char *path);
/* Opens a regular file, never anything else; on NULL *why is the reason. */
FILE *bxt_local_file_open(const char *path, off_t *bytes, const char **why);
/*
 * The name of a file in folder `from` as a name in folder `to`. *out is the same pointer where
 * nothing changes, as when one of the folders does not exist, and NULL when the file does not lie
 * in `to` or below. BXT_ERR_MEMORY only.
 */
bxt_status bxt_local_file_move(bxt_arena *arena, const char *from, const char *name, const char *to,
			       const char **out);

#endif
