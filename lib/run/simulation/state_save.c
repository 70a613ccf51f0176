/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of states: their bytes are made and read in state_file.c. */
#include "run/simulation/simulation.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files beyond this are not read [bytes]. */
static const int64_t LARGEST_FILE = INT64_C(1) << 40;

/* ---- Writing ---- */

/* Writes all bytes to a new file, and waits until they are on the disk. */
static bool write_file(int file, const char *bytes, size_t n)
{
	while (n > 0) {
		const ssize_t written = write(file, bytes, n);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		bytes += written;
		n -= (size_t)written;
	}
	return fsync(file) == 0;
}

/* Writes the folder with the new name to the disk, so that after a crash either the old or the new
 * file is there. */
static void sync_folder(const char *path, bxt_arena *arena)
{
	const char *slash = strrchr(path, '/');
	const char *folder =
		slash ? bxt_arena_strndup(arena, path, (size_t)(slash - path) + 1) : ".";
	const int file = folder ? open(folder, O_RDONLY | O_CLOEXEC) : -1;
	if (file >= 0) {
		fsync(file); /* some file systems cannot do this; failures are ignored */
		close(file);
	}
}

static bxt_status save(const char *bytes, size_t n, const char *path, bxt_arena *arena,
		       bxt_diagnostics *d)
{
	char *beside = bxt_arena_printf(arena, "%s.XXXXXX", path);
	if (!beside)
		return BXT_ERR_MEMORY;
	const int file = mkstemp(beside);
	bool done = file >= 0 && write_file(file, bytes, n);
	const int first = errno;
	if (file >= 0)
		done = close(file) == 0 && done;
	if (done && chmod(beside, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH) == 0 &&
	    rename(beside, path) == 0) {
		sync_folder(path, arena);
		return BXT_OK;
	}
	bxt_error(d, (bxt_place){path, 0}, "the state cannot be saved: %s",
		  strerror(done ? errno : first));
	if (file >= 0)
		unlink(beside);
	return BXT_ERR_IO;
}

bxt_status bxt_state_save(const bxt_state *state, const char *path, bxt_diagnostics *d)
{
	void *bytes;
	size_t n;
	BXT_NEEDS(d, state);
	BXT_NEEDS(d, path);
	BXT_TRY(bxt_state_to_memory(state, &bytes, &n));
	bxt_arena *arena = bxt_arena_new();
	const bxt_status status = arena ? save(bytes, n, path, arena, d) : BXT_ERR_MEMORY;
	bxt_arena_free(arena);
	free(bytes);
	return status;
}

/* ---- Reading ---- */

static bxt_status read_file(FILE *stream, bxt_buffer *to)
{
	char some[4096];
	size_t n;
	while ((n = fread(some, 1, sizeof some, stream)) > 0) {
		bxt_buffer_add(to, some, n);
		if (to->failed || (int64_t)to->length > LARGEST_FILE)
			return BXT_ERR_MEMORY;
	}
	return ferror(stream) ? BXT_ERR_IO : BXT_OK;
}

bxt_status bxt_state_load(const bxt_system *system, const char *path, bxt_diagnostics *d,
			  bxt_state **out)
{
	bxt_buffer b = {0};
	BXT_NEEDS(d, out);
	*out = NULL;
	BXT_NEEDS(d, system);
	BXT_NEEDS(d, path);
	FILE *stream = fopen(path, "rb");
	bxt_status status = stream ? read_file(stream, &b) : BXT_ERR_IO;
	if (status == BXT_ERR_IO)
		bxt_error(d, (bxt_place){path, 0}, "the state cannot be read: %s", strerror(errno));
	if (stream)
		fclose(stream);
	if (status == BXT_OK)
		status =
			bxt_state_from_memory(system, b.text ? b.text : "", b.length, path, d, out);
	bxt_buffer_free(&b);
	return status;
}
