/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath */

#include "ground/base/local_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *bxt_local_file_folder(bxt_arena *arena, const char *file)
{
	const char *slash = file ? strrchr(file, '/') : NULL;
	return bxt_arena_strndup(arena, file ? file : "", slash ? (size_t)(slash + 1 - file) : 0);
}

const char *bxt_local_file(bxt_arena *arena, const char *folder, const char *name)
{
	return bxt_arena_printf(arena, "%s%s", folder, name);
}

bool bxt_local_file_is_plain(const char *name)
{
	return *name != '/' && !strstr(name, "..");
}

bool bxt_local_file_holds(const char *folder, const char *path)
{
	const size_t n = strlen(folder);
	return strncmp(path, folder, n) == 0 && (path[n] == '/' || folder[n - 1] == '/');
}

bool bxt_local_file_is_below(const char *folder, const char *path)
{
	char *real_folder = realpath(*folder ? folder : ".", NULL), *real = realpath(path, NULL);
	const bool below = real && real_folder && bxt_local_file_holds(real_folder, real);
	free(real_folder);
	free(real);
	return below;
}

/* O_NONBLOCK: opening a pipe must not wait for a writer. */
FILE *bxt_local_file_open(const char *path, off_t *bytes, const char **why)
{
	struct stat about = {0};
	const int number = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	*why = "it cannot be opened";
	if (number < 0)
		return NULL;
	*why = "it is no regular file";
	const bool regular = fstat(number, &about) == 0 && S_ISREG(about.st_mode);
	FILE *file = regular ? fdopen(number, "r") : NULL;
	if (!file)
		close(number);
	if (!file && regular) {
		*why = "there is no memory for it";
		errno = ENOMEM;
	}
	*bytes = about.st_size;
	return file;
}

/* Removes empty words, "." and ".." in place; the path begins with '/'. */
static void normalise(char *path)
{
	char *end = path;
	for (const char *word = path; *word;) {
		const char *start = word + strspn(word, "/");
		const size_t length = strcspn(start, "/");
		word = start + length;
		if (length == 2 && strncmp(start, "..", 2) == 0) {
			while (end > path && *--end != '/')
				continue;
		} else if (length > 0 && !(length == 1 && *start == '.')) {
			*end++ = '/';
			memmove(end, start, length);
			end += length;
		}
	}
	*end = '\0';
}

static bxt_status move(bxt_arena *arena, const char *from, const char *name, const char *to,
		       const char **out)
{
	char *path = bxt_arena_printf(arena, "%s/%s", from, name);
	const size_t n = strcmp(to, "/") == 0 ? 0 : strlen(to);
	if (!path)
		return BXT_ERR_MEMORY;
	normalise(path);
	*out = strncmp(path, to, n) == 0 && path[n] == '/' && path[n + 1] ? path + n + 1 : NULL;
	return BXT_OK;
}

bxt_status bxt_local_file_move(bxt_arena *arena, const char *from, const char *name, const char *to,
			       const char **out)
{
	*out = name;
	if (*name == '/' || strcmp(from, to) == 0)
		return BXT_OK;
	errno = 0;
	char *real_from = realpath(*from ? from : ".", NULL);
	char *real_to = real_from ? realpath(*to ? to : ".", NULL) : NULL;
	bxt_status status = errno == ENOMEM ? BXT_ERR_MEMORY : BXT_OK;
	if (real_to && strcmp(real_from, real_to) != 0)
		status = move(arena, real_from, name, real_to, out);
	free(real_from);
	free(real_to);
	return status;
}
