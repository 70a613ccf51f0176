/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* mkstemp, lstat, posix_spawn */

#include "ground/base/shared_object.h"

#include "ground/base/checksum.h"
#include "ground/base/text.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/*
 * No fused multiply-add: the code gives the same bits as the library's own evaluation. Without
 * errno sqrt is one instruction. -w: warnings about generated text are of no use.
 */
static const char *const options[] = {"-std=c17",          "-O2", "-fPIC", "-shared",        "-w",
				      "-ffp-contract=off", "-x",  "c",     "-fno-math-errno"};
enum { OPTIONS = sizeof options / sizeof *options };
/*
 * [bytes] Texts beyond this length are compiled with less optimisation, which takes half the time.
 */
enum { LONG = 100000 };
/* [bytes] Length of the part of the compiler's output that a finding repeats. */
enum { MOST_SAID = 400 };

struct bxt_shared_object {
	void *handle;
};

/* The data of one call. */
struct work {
	bxt_arena *arena;
	bxt_diagnostics *d;
	const char *compiler, *level, *folder;
	const char *source, *object; /* paths in the cache */
};

bxt_shared_object *bxt_shared_object_free(bxt_shared_object *object)
{
	if (object && object->handle)
		dlclose(object->handle);
	free(object);
	return NULL;
}

void *bxt_shared_object_find(const bxt_shared_object *object, const char *symbol)
{
	return dlsym(object->handle, symbol);
}

static bxt_status refuse(const struct work *w, const char *path, const char *why)
{
	bxt_error(w->d, BXT_NOWHERE, "compiled code: '%s': %s", path, why);
	return BXT_ERR_IO;
}

/* ---- The cache ---- */

/* Does it belong to the user, and can no other user write to it? */
static bool is_own(const struct stat *s)
{
	return s->st_uid == geteuid() && (s->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static bxt_status find_folder(struct work *w)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct stat s;
	if (!cache || cache[0] != '/') {
		if (!home || home[0] != '/')
			return refuse(w, "XDG_CACHE_HOME",
				      "neither this nor HOME names a folder to keep it in");
		cache = bxt_arena_printf(w->arena, "%s/.cache", home);
	}
	w->folder = cache ? bxt_arena_printf(w->arena, "%s/boxtimes", cache) : NULL;
	if (!w->folder)
		return BXT_ERR_MEMORY;
	mkdir(cache, S_IRWXU); /* a failure here is reported by the calls below */
	if (mkdir(w->folder, S_IRWXU) != 0 && errno != EEXIST)
		return refuse(w, w->folder, strerror(errno));
	if (lstat(w->folder, &s) != 0)
		return refuse(w, w->folder, strerror(errno));
	if (!S_ISDIR(s.st_mode) || !is_own(&s))
		return refuse(w, w->folder,
			      "must be a folder of the user's own that no one else may write");
	return BXT_OK;
}

/* Does that file contain exactly this text? */
static bool holds(const char *path, const char *text)
{
	FILE *file = fopen(path, "r");
	bool same = file != NULL;
	for (int c; same && (c = getc(file)) != EOF; text++)
		same = *text != '\0' && (unsigned char)*text == c;
	if (file)
		fclose(file);
	return same && *text == '\0';
}

/* Is there an object compiled from this text? */
static bool is_kept(const struct work *w, const char *text)
{
	struct stat s;
	return lstat(w->object, &s) == 0 && S_ISREG(s.st_mode) && is_own(&s) &&
	       holds(w->source, text);
}

/* ---- The compiler ---- */

/* A new file of that pattern, whose last six letters are X. */
static int open_new(char *pattern)
{
	const int file = mkstemp(pattern);
	if (file >= 0)
		fcntl(file, F_SETFD, FD_CLOEXEC);
	return file;
}

static bool write_all(int file, const char *text)
{
	size_t left = strlen(text);
	while (left > 0) {
		const ssize_t n = write(file, text, left);
		if (n < 0 && errno != EINTR)
			return false;
		text += n > 0 ? n : 0;
		left -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* The beginning of the compiler's output, for the finding. */
static void tell_failure(const struct work *w, int said)
{
	char text[MOST_SAID + 1];
	const ssize_t n = pread(said, text, MOST_SAID, 0);
	text[n > 0 ? n : 0] = '\0';
	bxt_error(w->d, BXT_NOWHERE, "compiled code: %s fails: %s", w->compiler,
		  n > 0 ? text : "it says nothing");
}

static bool is_written(const char *path)
{
	struct stat s;
	return stat(path, &s) == 0 && s.st_size > 0;
}

/* Runs the compiler on a file; its output goes to `said`. */
static bxt_status run_compiler(const struct work *w, const char *from, const char *to, int said)
{
	const char *argv[OPTIONS + 7] = {w->compiler, w->level};
	int n = 2, ended = -1;
	for (int i = 0; i < OPTIONS; i++)
		argv[n++] = options[i];
	argv[n++] = "-o";
	argv[n++] = to;
	argv[n++] = from;
	argv[n] = "-lm";
	posix_spawn_file_actions_t actions;
	if (posix_spawn_file_actions_init(&actions) != 0)
		return BXT_ERR_MEMORY;
	pid_t child = -1;
	int why = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	for (int to_fd = 1; to_fd <= 2 && why == 0; to_fd++)
		why = posix_spawn_file_actions_adddup2(&actions, said, to_fd);
	if (why == 0) /* posix_spawnp changes no argument */
		why = posix_spawnp(&child, w->compiler, &actions, NULL, (char *const *)argv,
				   environ);
	posix_spawn_file_actions_destroy(&actions);
	if (why != 0) {
		bxt_error(w->d, BXT_NOWHERE,
			  "compiled code: the C compiler '%s' does not start: %s; install one, or "
			  "name it by BOXTIMES_CC",
			  w->compiler, strerror(why));
		return BXT_ERR_IO;
	}
	pid_t waited;
	while ((waited = waitpid(child, &ended, 0)) < 0 && errno == EINTR)
		;
	/*
	 * a process that ignores SIGCHLD gets no exit status: then check that the object is there
	 */
	if (waited < 0 ? is_written(to) : WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
		return BXT_OK;
	tell_failure(w, said);
	return BXT_ERR_IO;
}

/* Compiles into temporary files and renames them when complete: other processes may compile the
 * same text at the same time. */
static bxt_status compile(const struct work *w, const char *text)
{
	char *from = bxt_arena_printf(w->arena, "%s/text-XXXXXX", w->folder);
	char *to = bxt_arena_printf(w->arena, "%s/object-XXXXXX", w->folder);
	char *log = bxt_arena_printf(w->arena, "%s/said-XXXXXX", w->folder);
	if (!from || !to || !log)
		return BXT_ERR_MEMORY;
	const int source = open_new(from), object = open_new(to), said = open_new(log);
	bxt_status status = BXT_OK;
	if (source < 0 || object < 0 || said < 0 || !write_all(source, text))
		status = refuse(w, w->folder, strerror(errno));
	if (status == BXT_OK)
		status = run_compiler(w, from, to, said);
	if (status == BXT_OK &&
	    (chmod(to, S_IRWXU) != 0 || rename(to, w->object) != 0 || rename(from, w->source) != 0))
		status = refuse(w, w->folder, strerror(errno));
	const int files[] = {source, object, said};
	const char *const names[] = {from, to, log};
	for (int i = 0; i < 3; i++)
		if (files[i] >= 0) {
			close(files[i]);
			unlink(names[i]); /* after both renames only the log is left */
		}
	return status;
}

/* ---- All of it ---- */

/* The text with the command before it, and the paths derived from both. */
static bxt_status name_files(struct work *w, bxt_buffer *whole, const char *text)
{
	bxt_buffer_printf(whole, "/* %s %s", w->compiler, w->level);
	for (int i = 0; i < OPTIONS; i++)
		bxt_buffer_printf(whole, " %s", options[i]);
	bxt_buffer_printf(whole, ", boxtimes %s */\n", bxt_version());
	bxt_buffer_add(whole, text, strlen(text));
	if (whole->failed)
		return BXT_ERR_MEMORY;
	const unsigned long long sum = bxt_checksum(0, whole->text, whole->length);
	w->source = bxt_arena_printf(w->arena, "%s/%016llx.c", w->folder, sum);
	w->object = bxt_arena_printf(w->arena, "%s/%016llx.so", w->folder, sum);
	return w->source && w->object ? BXT_OK : BXT_ERR_MEMORY;
}

static bxt_status make(struct work *w, const char *text, bxt_shared_object *object)
{
	bxt_buffer whole = {0};
	bxt_status status = find_folder(w);
	w->level = strlen(text) > LONG ? "-O1" : "-O2";
	if (status == BXT_OK)
		status = name_files(w, &whole, text);
	if (status == BXT_OK && !is_kept(w, whole.text))
		status = compile(w, whole.text);
	bxt_buffer_free(&whole);
	BXT_TRY(status);
	object->handle = dlopen(w->object, RTLD_NOW | RTLD_LOCAL);
	return object->handle ? BXT_OK : refuse(w, w->object, dlerror());
}

bxt_status bxt_shared_object_make(const char *text, bxt_diagnostics *d, bxt_shared_object **out)
{
	const char *named = getenv("BOXTIMES_CC");
	struct work w = {.d = d, .compiler = named && *named ? named : "cc"};
	bxt_shared_object *object = *out = calloc(1, sizeof *object);
	w.arena = bxt_arena_new();
	const bxt_status status = object && w.arena ? make(&w, text, object) : BXT_ERR_MEMORY;
	bxt_arena_free(w.arena);
	if (status != BXT_OK)
		*out = bxt_shared_object_free(object);
	return status;
}
