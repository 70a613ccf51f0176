/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that take netlists apart and put them together: tear, flatten. */
#include "tool.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Writing ---- */

static bool write_to(const char *name, const char *text, size_t length)
{
	FILE *f = fopen(name, "w");
	bool good = f && fwrite(text, 1, length, f) == length;
	if (f)
		good = fclose(f) == 0 && good;
	return good;
}

/* Writes a temporary file beside the target and renames it when complete: the target may be the
 * input. */
static bool write_file(const char *name, const char *text, size_t length)
{
	static const char beside_end[] = ".part";
	struct stat about;
	if (stat(name, &about) == 0 && !S_ISREG(about.st_mode)) {
		if (write_to(name, text, length))
			return true;
		fprintf(stderr, "boxtimes: cannot write '%s': %s\n", name, strerror(errno));
		return false;
	}
	char *beside = malloc(strlen(name) + sizeof beside_end);
	if (!beside) {
		fputs("boxtimes: out of memory\n", stderr);
		return false;
	}
	strcat(strcpy(beside, name), beside_end);
	const bool good = write_to(beside, text, length) && rename(beside, name) == 0;
	if (!good) {
		fprintf(stderr, "boxtimes: cannot write '%s': %s\n", name, strerror(errno));
		remove(beside);
	}
	free(beside);
	return good;
}

/* Does the netlist get a folder of its own: files that it names are to be seen from there. */
static bool is_written_beside(const char *name)
{
	struct stat about;
	return name && strcmp(name, "-") != 0 &&
	       (stat(name, &about) != 0 || S_ISREG(about.st_mode));
}

static int write_netlist(const options *o, const bxt_netlist *netlist)
{
	char *text = NULL;
	size_t length = 0;
	FILE *f = open_memstream(&text, &length);
	bool good = f && bxt_netlist_write(netlist, f) == BXT_OK;
	if (f)
		good = fclose(f) == 0 && good;
	if (!good)
		fputs("boxtimes: out of memory\n", stderr);
	else if (o->output && strcmp(o->output, "-") != 0)
		good = write_file(o->output, text, length);
	else if (fwrite(text, 1, length, stdout) != length || fflush(stdout) != 0) {
		fputs("boxtimes: cannot write to standard output\n", stderr);
		good = false;
	}
	free(text);
	return good ? EXIT_OK : EXIT_NUMERICS;
}

/* ---- Commands ---- */

/* --parts: what is no number of parts is the user's mistake about the model, as too many are. */
static bool read_parts(const options *o, int *parts)
{
	char *end;
	errno = 0;
	const long n = o->parts ? strtol(o->parts, &end, 10) : 0;
	*parts = (int)n;
	if (!o->parts || (*o->parts && !*end && errno == 0 && n >= 2 && n <= INT_MAX))
		return true;
	fprintf(stderr, "%s: error: --parts '%s' is no number of parts: at least 2 are needed\n",
		o->files.text[0], o->parts);
	return false;
}

static bxt_status tear(const options *o, bxt_library *library, int parts, bxt_diagnostics *d,
		       bxt_netlist **out)
{
	bxt_netlist *netlist = NULL, *like = NULL;
	bxt_status status = read_netlist(o, o->files.text[0], d, &netlist);
	if (status == BXT_OK && o->like)
		status = bxt_netlist_read(o->like, d, &like);
	if (status == BXT_ERR_IO) /* a file that is not there is a mistake as any other */
		status = BXT_ERR_MODEL;
	bxt_tear_def def;
	bxt_default_tear_def(&def);
	def.node = o->node;
	def.elements = o->elements;
	def.parts = parts;
	def.like = like;
	def.names = o->part_names;
	if (status == BXT_OK)
		status = bxt_netlist_tear(netlist, library, &def, d, out);
	bxt_netlist_free(like);
	bxt_netlist_free(netlist);
	return status;
}

static bxt_status flatten(const options *o, bxt_library *library, bxt_diagnostics *d,
			  bxt_netlist **out)
{
	bxt_netlist *netlist = NULL;
	bxt_status status = read_netlist(o, o->files.text[0], d, &netlist);
	if (status == BXT_ERR_IO)
		status = BXT_ERR_MODEL;
	if (status == BXT_OK)
		status = o->canonical ? bxt_netlist_canonical(netlist, out)
				      : bxt_netlist_flatten(netlist, library, d, out);
	bxt_netlist_free(netlist);
	return status;
}

static int work(const options *o, bool tears)
{
	int parts;
	if (!read_parts(o, &parts))
		return EXIT_BAD_MODEL;
	bxt_library *library = open_library(o);
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *out = NULL;
	bxt_status status = library && d ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = tears ? tear(o, library, parts, d, &out) : flatten(o, library, d, &out);
	if (status == BXT_OK && is_written_beside(o->output))
		status = bxt_netlist_move(out, library, o->output, d);
	int result = report(status, d, o->files.text[0], o->quiet);
	if (status == BXT_OK)
		result = write_netlist(o, out);
	bxt_netlist_free(out);
	bxt_library_free(library);
	return result;
}

int command_tear(const options *o)
{
	return work(o, true);
}

int command_flatten(const options *o)
{
	return work(o, false);
}
