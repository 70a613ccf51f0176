/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700

#include "checkpoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool checkpoint_wanted(const options *o)
{
	return o->run.checkpoint || o->run.go_on;
}

/* ---- What is refused ---- */

static int refuse(const char *why)
{
	print_message("boxtimes run: %s; see 'boxtimes run --help'\n", why);
	return EXIT_USAGE;
}

static int check_options(const options *o)
{
	if (o->run.save_every && !o->run.checkpoint)
		return refuse("--save-every needs --checkpoint FILE, where the state goes");
	if (o->run.checkpoint && !o->run.save_every)
		return refuse("--checkpoint needs --save-every TIME, which says when");
	if (!checkpoint_wanted(o))
		return EXIT_OK;
	if (!o->output || strcmp(o->output, "-") == 0)
		return refuse("--checkpoint and --continue need -o FILE: rows on standard output "
			      "cannot be found again");
	if (o->run.go_on && o->run.accuracy)
		return refuse("--accuracy needs all rows, and --continue makes the later ones "
			      "alone");
	if (o->run.go_on && o->run.animate)
		return refuse(
			"--animate shows all rows, and --continue makes the later ones alone");
	if (o->run.go_on && o->run.report)
		return refuse("--report shows all rows, and --continue makes the later ones alone: "
			      "use 'boxtimes plot' on the file of -o");
	return EXIT_OK;
}

/* May files be made in the folder of that file? A state is written beside its file first. */
static bool folder_is_writable(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	const bool good = folder && access(folder, W_OK | X_OK) == 0;
	const int why = errno;
	free(folder);
	errno = why;
	return good;
}

/* A file that is there is replaced only where it is a state, or empty. */
static bool is_state_or_new(const char *path)
{
	char head[4];
	struct stat about;
	if (stat(path, &about) != 0)
		return errno == ENOENT;
	FILE *f = S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
	if (!f)
		return false;
	const size_t n = fread(head, 1, sizeof head, f);
	fclose(f);
	return n == 0 || (n == sizeof head && memcmp(head, "BXTS", sizeof head) == 0);
}

static int check_places(const options *o)
{
	struct stat about;
	if (o->run.checkpoint && !folder_is_writable(o->run.checkpoint)) {
		print_message("boxtimes run: --checkpoint '%s' cannot be written: %s\n",
			      o->run.checkpoint, strerror(errno));
		return EXIT_USAGE;
	}
	if (o->run.checkpoint && !is_state_or_new(o->run.checkpoint)) {
		print_message(
			"boxtimes run: --checkpoint '%s' is refused: the file there is no saved "
			"state\n",
			o->run.checkpoint);
		return EXIT_USAGE;
	}
	if (stat(o->output, &about) == 0 ? !S_ISREG(about.st_mode) || access(o->output, W_OK) != 0
					 : errno != ENOENT || !folder_is_writable(o->output)) {
		print_message(
			"boxtimes run: -o '%s' is refused: --checkpoint and --continue need a file "
			"that can be written\n",
			o->output);
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

int checkpoint_check(const options *o, bxt_library *library, bxt_netlist *netlist)
{
	int status = check_options(o);
	if (status != EXIT_OK || !checkpoint_wanted(o))
		return status;
	return output_allowed_states(o, library, netlist) ? check_places(o) : EXIT_USAGE;
}

/* ---- Saving ---- */

/* The rows up to the state are on the disk before the state is. */
static bxt_status save(void *context, const bxt_state *state)
{
	const checkpoint *c = context;
	FILE *rows = c->file->stream;
	errno = 0;
	if (fflush(rows) != 0 || fsync(fileno(rows)) != 0) {
		print_message("boxtimes: cannot write '%s': %s\n", c->o->output, strerror(errno));
		return BXT_ERR_IO;
	}
	return bxt_state_save(state, c->o->run.checkpoint, c->d);
}

/* The start as it is before the run has touched it. */
static bxt_status copy_start(checkpoint *c, const model *m)
{
	void *bytes = NULL;
	size_t size;
	bxt_status status = bxt_state_to_memory(m->state, &bytes, &size);
	if (status == BXT_OK)
		status = bxt_state_from_memory(m->system, bytes, size, "start", c->d, &c->start);
	free(bytes);
	return status;
}

bxt_status checkpoint_begin(checkpoint *c, bxt_library *library, const model *m, bxt_run_def *def)
{
	const options *o = c->o;
	bxt_status status = BXT_OK;
	def->go_on = o->run.go_on != NULL;
	c->kept = bxt_state_rows(m->state);
	c->time = bxt_state_time(m->state);
	if (!o->run.checkpoint)
		return BXT_OK;
	def->save = save;
	def->save_context = c;
	status = bxt_library_read_quantity(library, "--save-every", o->run.save_every, "s", c->d,
					   &def->save_every);
	/* a state to go on from is there already */
	return status == BXT_OK && !o->run.go_on ? copy_start(c, m) : status;
}

/* ---- The rows that are there ---- */

static bool none_of_this_run(checkpoint *c)
{
	c->refused = true;
	return false;
}

/* The field of a header in which the character at `at` is, and its length. */
static const char *field_at(const char *header, size_t at, int *length)
{
	while (at > 0 && header[at - 1] != ',')
		at--;
	*length = (int)strcspn(header + at, ",\n");
	return header + at;
}

/* Compares the first bytes of the file with the header; *cut: the header is not whole. */
static bool check_header(checkpoint *c, FILE *f, const char *wanted, bool *cut)
{
	const size_t size = strlen(wanted);
	char *found = calloc(1, size + 1);
	size_t at = 0;
	int n_found, n_wanted;
	if (!found) {
		fputs("boxtimes: out of memory\n", stderr);
		return false;
	}
	const size_t n = fread(found, 1, size, f);
	while (at < n && found[at] == wanted[at])
		at++;
	*cut = at == n && n < size;
	const bool good = at == size || (*cut && c->kept == 0);
	if (!good) {
		const char *a = field_at(found, at, &n_found), *b = field_at(wanted, at, &n_wanted);
		print_message("boxtimes: '%s' cannot be continued: its columns are not those of "
			      "this run: "
			      "'%.*s' instead of '%.*s'\n",
			      c->o->output, n_found, a, n_wanted, b);
		none_of_this_run(c);
	}
	free(found);
	return good;
}

/* Skips a row. False: it is cut, or has another number of fields. */
static bool skip_row(FILE *f, size_t fields)
{
	size_t n = 1;
	int byte;
	while ((byte = getc_unlocked(f)) != EOF && byte != '\n')
		n += byte == ',';
	return byte == '\n' && n == fields;
}

/* Goes behind the rows that stay, and counts those behind them. */
static bool skip_rows(checkpoint *c, FILE *f, size_t fields)
{
	for (long i = 0; i < c->kept; i++) {
		if (skip_row(f, fields))
			continue;
		print_message("boxtimes: '%s' cannot be continued: it has %ld whole rows, and had "
			      "%ld when "
			      "'%s' was saved\n",
			      c->o->output, i, c->kept, c->o->run.go_on);
		return none_of_this_run(c);
	}
	const off_t behind = ftello(f);
	while (skip_row(f, fields))
		c->cut++;
	return behind >= 0 && fseeko(f, behind, SEEK_SET) == 0;
}

/* Cuts off what is behind the place of the stream. */
static bool cut_here(FILE *f, const char *path)
{
	errno = 0;
	const off_t at = ftello(f);
	if (at >= 0 && fflush(f) == 0 && ftruncate(fileno(f), at) == 0 &&
	    fseeko(f, at, SEEK_SET) == 0)
		return true;
	print_message("boxtimes: cannot write '%s': %s\n", path, strerror(errno));
	return false;
}

/* The state comes first: a run that is killed here has a state and no rows, and can go on. What is
 * in the file is cut only when all of it is known. */
bool checkpoint_open_rows(checkpoint *c, output_file *file, const char *header, size_t fields)
{
	const options *o = c->o;
	bool cut = true;
	c->file = file;
	if (c->start && bxt_state_save(c->start, o->run.checkpoint, c->d) != BXT_OK)
		return false;
	if (o->run.go_on && c->kept > 0 && access(o->output, F_OK) != 0) {
		print_message("boxtimes: '%s' cannot be continued: %s\n", o->output,
			      strerror(errno));
		return none_of_this_run(c);
	}
	if (!output_open_in_place(file, o->output))
		return false;
	if (o->run.go_on && !check_header(c, file->stream, header, &cut))
		return false;
	if (!cut)
		return skip_rows(c, file->stream, fields) && cut_here(file->stream, o->output);
	rewind(file->stream);
	return cut_here(file->stream, o->output) && fputs(header, file->stream) >= 0;
}

void checkpoint_report(const checkpoint *c, const char *model, bool completed)
{
	const options *o = c->o;
	if (!o->run.go_on || o->quiet || c->refused || !c->file)
		return;
	print_message(
		"%s: note: %ld rows of '%s' up to t = %.6g s stay, %ld behind them were made again",
		model, c->kept, o->output, c->time, c->cut < c->made ? c->cut : c->made);
	if (completed && c->made <= c->cut)
		print_message("; the run had ended, and no row is new\n");
	else
		print_message(", %ld are new\n", c->made > c->cut ? c->made - c->cut : 0);
}

void checkpoint_free(checkpoint *c)
{
	c->start = bxt_state_free(c->start);
}
