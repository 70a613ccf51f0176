/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath */

#include "beside.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Without waiting for a writer, should it be a pipe. */
FILE *bxt_beside_open(const char *path, off_t *bytes, const char **why)
{
	struct stat about;
	const int number = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	*why = "it cannot be opened";
	if (number < 0)
		return NULL;
	*why = "it is no regular file";
	FILE *file =
		fstat(number, &about) == 0 && S_ISREG(about.st_mode) ? fdopen(number, "r") : NULL;
	if (!file)
		close(number);
	*bytes = about.st_size;
	return file;
}
