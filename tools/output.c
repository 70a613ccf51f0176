/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* flock, O_NOFOLLOW, O_CLOEXEC */

#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- What may be written ---- */

static bool is_standard(const char *path)
{
	return !path || strcmp(path, "-") == 0;
}

/* Where an output goes, where an input comes from: "-" is a file as well where a shell made it so.
 */
static bool look(const char *path, int standard, struct stat *about)
{
	return is_standard(path) ? fstat(standard, about) == 0 : stat(path, about) == 0;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Is the output the file of that name, which the command reads? */
static bool is_input(const struct stat *output, const char *path)
{
	struct stat about;
	return path && look(path, STDIN_FILENO, &about) && same_file(output, &about);
}

/* The part of NAME=PATH that is a path. */
static const char *path_of(const char *plugin)
{
	return strchr(plugin, '=') + 1;
}

/* The name by which the command or a netlist knows that file; NULL: it is no input. */
static char *find_input(const options *o, const struct stat *output, const char *path,
			bxt_library *library, bxt_netlist *const *netlists, size_t n)
{
	const char *other = NULL;
	char *found = NULL;
	const bool reads_files = strcmp(o->command, "describe") != 0 && strcmp(o->command, "list");
	for (size_t i = 0; i < o->files.n && reads_files && !other; i++)
		other = is_input(output, o->files.text[i]) ? o->files.text[i] : NULL;
	for (size_t i = 0; i < o->plugins.n && !other; i++)
		other = is_input(output, path_of(o->plugins.text[i])) ? o->plugins.text[i] : NULL;
	if (!other && o->tear.like && is_input(output, o->tear.like))
		other = o->tear.like;
	if (!other && o->reduction.snapshots && is_input(output, o->reduction.snapshots))
		other = o->reduction.snapshots;
	if (other)
		return strdup(is_standard(other) ? "standard input" : other);
	const char *name = is_standard(path) ? "/proc/self/fd/1" : path;
	for (size_t i = 0; i < n && !found && library; i++)
		if (netlists[i])
			bxt_netlist_find_file(netlists[i], library, name, &found);
	return found;
}

static bool may_write(const options *o, const char *option, const char *path, bxt_library *library,
		      bxt_netlist *const *netlists, size_t n)
{
	struct stat output;
	if (!look(path, STDOUT_FILENO, &output) || !S_ISREG(output.st_mode))
		return true;
	char *input = find_input(o, &output, path, library, netlists, n);
	if (input)
		print_message(
			"boxtimes %s: %s '%s' is refused: it would overwrite '%s', which is read\n",
			o->command, option, is_standard(path) ? "-" : path, input);
	free(input);
	return !input;
}

/* Two files that may not be there yet are one when their folders and names are. */
static bool same_place(const char *a, const char *b)
{
	struct stat x, y;
	if (stat(a, &x) == 0 || stat(b, &y) == 0)
		return stat(a, &x) == 0 && stat(b, &y) == 0 && same_file(&x, &y);
	const char *in_a = strrchr(a, '/'), *in_b = strrchr(b, '/');
	char *folder_a = in_a ? strndup(a, (size_t)(in_a + 1 - a)) : strdup(".");
	char *folder_b = in_b ? strndup(b, (size_t)(in_b + 1 - b)) : strdup(".");
	const bool same = strcmp(in_a ? in_a + 1 : a, in_b ? in_b + 1 : b) == 0 && folder_a &&
			  folder_b && stat(folder_a, &x) == 0 && stat(folder_b, &y) == 0 &&
			  x.st_dev == y.st_dev && x.st_ino == y.st_ino;
	free(folder_a);
	free(folder_b);
	return same;
}

/* Do both want one file? Says so. */
static bool clash(const options *o, const char *a, const char *in_a, const char *b,
		  const char *in_b)
{
	const bool same =
		in_a && in_b && !is_standard(in_a) && !is_standard(in_b) && same_place(in_a, in_b);
	if (same)
		print_message("boxtimes %s: %s and %s both want '%s'\n", o->command, a, b, in_b);
	return same;
}

bool output_allowed(const options *o, bxt_library *library, bxt_netlist *const *netlists, size_t n)
{
	const bool writes = o->output || (!o->plot && !o->run.report && !o->run.animate);
	if (writes &&
	    !may_write(o, o->output ? "-o" : "standard output", o->output, library, netlists, n))
		return false;
	const struct {
		const char *name, *path;
	} others[] = {
		{"--report", o->run.report}, {"--animate", o->run.animate}, {"--plot", o->plot}};
	for (size_t i = 0; i < 3; i++) {
		if (!others[i].path)
			continue;
		if (clash(o, "-o", o->output, others[i].name, others[i].path))
			return false;
		for (size_t j = 0; j < i; j++)
			if (clash(o, others[j].name, others[j].path, others[i].name,
				  others[i].path))
				return false;
		if (!may_write(o, others[i].name, others[i].path, library, netlists, n))
			return false;
	}
	return true;
}

bool output_allowed_states(const options *o, bxt_library *library, bxt_netlist *netlist)
{
	const struct {
		const char *name, *path;
	} files[] = {{"-o", o->output},
		     {"--report", o->run.report},
		     {"--checkpoint", o->run.checkpoint},
		     {"--continue", o->run.go_on}};
	for (size_t i = 0; i < 4; i++)
		for (size_t j = i + 1 > 2 ? i + 1 : 2; j < 4 && i < 2; j++)
			if (files[i].path && files[j].path &&
			    same_place(files[i].path, files[j].path)) {
				print_message("boxtimes %s: %s and %s both want '%s'\n", o->command,
					      files[i].name, files[j].name, files[j].path);
				return false;
			}
	return !o->run.checkpoint ||
	       may_write(o, "--checkpoint", o->run.checkpoint, library, &netlist, 1);
}

/* ---- Writing ---- */

static const char beside_end[] = ".boxtimes-part";

static bool cannot(const char *path)
{
	print_message("boxtimes: cannot write '%s': %s\n", path,
		      errno ? strerror(errno) : "write error");
	return false;
}

/*
 * The file beside the target, locked, empty, and still of that name: the run that had it before may
 * have renamed it in between. -1 with errno; EWOULDBLOCK: another run has it.
 */
static int open_locked(const char *name)
{
	enum { TRIES = 100 };
	struct stat here, there;
	for (int i = 0; i < TRIES; i++) {
		const int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (fd < 0)
			return -1;
		if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
			close(fd);
			errno = EWOULDBLOCK;
			return -1;
		}
		const bool current = fstat(fd, &here) == 0 && stat(name, &there) == 0 &&
				     same_file(&here, &there);
		if (current && ftruncate(fd, 0) == 0)
			return fd;
		close(fd);
	}
	errno = EBUSY;
	return -1;
}

/* The file itself, locked, with what is in it. */
static int open_as_it_is(const char *name)
{
	const int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		close(fd);
		errno = EWOULDBLOCK;
		return -1;
	}
	return fd;
}

/* The same, empty: where no other can be beside it. */
static int open_in_place(const char *name)
{
	const int fd = open_as_it_is(name);
	if (fd >= 0 && ftruncate(fd, 0) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Does another run write that file, or one beside it that will take its name? */
static bool is_locked(const char *name)
{
	const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	const bool locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	if (fd >= 0)
		close(fd);
	if (locked)
		errno = EWOULDBLOCK;
	return locked;
}

/* Names of the target and of the file beside it; false when out of memory. */
static bool name_files(output_file *out)
{
	out->target = realpath(out->path, NULL);
	if (!out->target && errno != ENOENT)
		return errno != ENOMEM;
	if (!out->target && !(out->target = strdup(out->path)))
		return false;
	out->beside = malloc(strlen(out->target) + sizeof beside_end);
	if (out->beside)
		strcat(strcpy(out->beside, out->target), beside_end);
	return out->beside != NULL;
}

/* A device or pipe, or a link to nothing: there is no file to keep. */
static bool is_special(const char *path, struct stat *about, bool *there)
{
	struct stat link;
	*there = stat(path, about) == 0;
	return *there ? !S_ISREG(about->st_mode) : lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
}

static int open_file(output_file *out)
{
	struct stat about;
	bool there;
	if (is_special(out->path, &about, &there)) {
		const int fd = open(out->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		return fd;
	}
	if (!name_files(out)) {
		errno = ENOMEM;
		return -1;
	}
	if (there && access(out->path, W_OK) != 0)
		return -1; /* a file that is write-protected stays */
	if (there && is_locked(out->target))
		return -1; /* by a run that writes it in place */
	int fd = open_locked(out->beside);
	if (fd < 0 && (errno == EACCES || errno == EPERM || errno == EROFS || errno == ELOOP ||
		       errno == ENAMETOOLONG)) {
		free(out->beside);
		out->beside = NULL;
		fd = open_in_place(out->path);
	} else if (fd >= 0 && there && fchmod(fd, about.st_mode & 07777) != 0) {
		errno = 0; /* the file has the usual rights, then */
	}
	return fd;
}

/* The stream of a file that was opened. False after a message. */
static bool open_stream(output_file *out, int fd, const char *mode)
{
	const char *path = out->path;
	out->stream = fd < 0 ? NULL : fdopen(fd, mode);
	if (out->stream)
		return true;
	if (errno == EWOULDBLOCK)
		print_message("boxtimes: cannot write '%s': another run is writing it now\n", path);
	else
		cannot(path);
	if (fd >= 0)
		close(fd);
	free(out->target);
	free(out->beside);
	*out = (output_file){.path = path};
	return false;
}

bool output_open(output_file *out, const char *path)
{
	*out = (output_file){.path = path};
	if (is_standard(path)) {
		out->stream = stdout;
		return true;
	}
	errno = 0;
	return open_stream(out, open_file(out), "w");
}

bool output_open_in_place(output_file *out, const char *path)
{
	*out = (output_file){.path = path};
	errno = 0;
	const bool other = name_files(out) && is_locked(out->beside);
	free(out->target);
	free(out->beside);
	out->target = out->beside = NULL; /* nothing takes the name of the file at the end */
	return open_stream(out, other ? -1 : open_as_it_is(path), "r+");
}

/* A full disk may have cut the last row: what follows the last whole line goes. */
static void cut_after_last_line(int fd)
{
	off_t end = lseek(fd, 0, SEEK_END); /* -1 for pipes */
	char c = 0;
	while (end > 0 && (pread(fd, &c, 1, end - 1) != 1 || c != '\n'))
		end--;
	if (end >= 0 && ftruncate(fd, end) != 0)
		errno = 0; /* nothing to cut in a device */
}

bool output_close(output_file *out)
{
	if (!out->stream)
		return true;
	errno = 0;
	bool good = fflush(out->stream) == 0 && !ferror(out->stream);
	int why = errno;
	if (out->stream != stdout) {
		struct stat about;
		if (!good && fstat(fileno(out->stream), &about) == 0 && S_ISREG(about.st_mode))
			cut_after_last_line(fileno(out->stream));
		/* renamed while the lock is held */
		if (out->beside && rename(out->beside, out->target) != 0) {
			why = good ? errno : why;
			good = false;
			remove(out->beside);
		}
		errno = 0;
		if (fclose(out->stream) != 0 && good) {
			why = errno;
			good = false;
		}
	}
	errno = why;
	if (!good)
		cannot(is_standard(out->path) ? "-" : out->path);
	free(out->target);
	free(out->beside);
	*out = (output_file){.path = out->path};
	return good;
}

static void copy(FILE *from, FILE *to)
{
	char bytes[8192];
	size_t n;
	while ((n = fread(bytes, 1, sizeof bytes, from)) > 0)
		if (fwrite(bytes, 1, n, to) != n)
			return;
}

int output_copy(FILE *from, const char *path)
{
	output_file out;
	if (!output_open(&out, path))
		return EXIT_NUMERICS;
	copy(from, out.stream);
	return output_close(&out) ? EXIT_OK : EXIT_NUMERICS;
}

/* ---- Netlists ---- */

bool output_is_beside(const char *name)
{
	struct stat about;
	return name && strcmp(name, "-") != 0 &&
	       (stat(name, &about) != 0 || S_ISREG(about.st_mode));
}

int output_netlist(const options *o, const bxt_netlist *netlist)
{
	char *text = NULL;
	size_t length = 0;
	FILE *f = open_memstream(&text, &length);
	bool good = f && bxt_netlist_write(netlist, f) == BXT_OK;
	if (f)
		good = fclose(f) == 0 && good;
	if (!good) {
		fputs("boxtimes: out of memory\n", stderr);
	} else {
		output_file out;
		good = output_open(&out, o->output);
		if (good) {
			fwrite(text, 1, length, out.stream);
			good = output_close(&out);
		}
	}
	free(text);
	return good ? EXIT_OK : EXIT_NUMERICS;
}

bool has_suffix(const char *path, const char *suffix)
{
	const char *dot = path ? strrchr(path, '.') : NULL;
	return dot && strcmp(dot, suffix) == 0;
}
