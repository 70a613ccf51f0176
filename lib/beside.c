/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath */

#include "beside.h"

#include <stdlib.h>
#include <string.h>

const char *bxt_beside_folder(bxt_arena *arena, const char *file)
{
	const char *slash = file ? strrchr(file, '/') : NULL;
	return bxt_arena_strndup(arena, file ? file : "", slash ? (size_t)(slash + 1 - file) : 0);
}

const char *bxt_beside(bxt_arena *arena, const char *folder, const char *name)
{
	return bxt_arena_printf(arena, "%s%s", folder, name);
}

bool bxt_beside_is_plain(const char *name)
{
	return *name != '/' && !strstr(name, "..");
}

bool bxt_beside_is_below(const char *folder, const char *path)
{
	char *real_folder = realpath(*folder ? folder : ".", NULL), *real = realpath(path, NULL);
	const size_t n = real_folder ? strlen(real_folder) : 0;
	const bool below = real && n > 0 && strncmp(real, real_folder, n) == 0 &&
			   (real[n] == '/' || real_folder[n - 1] == '/');
	free(real_folder);
	free(real);
	return below;
}
