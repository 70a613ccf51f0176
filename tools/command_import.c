/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command that makes a netlist of what other programs read: robots in URDF, decks of SPICE. */
#include "output.h"

#include <stdlib.h>
#include <string.h>

static bool find_base(const options *o, bxt_import_def *def)
{
	const char *base = o->import.base ? o->import.base : "fixed";
	def->floating = strcmp(base, "floating") == 0;
	if (def->floating || strcmp(base, "fixed") == 0)
		return true;
	print_message("boxtimes import: --base '%s' is not one of fixed, floating\n", base);
	return false;
}

static int write_netlist(const options *o, const bxt_netlist *netlist)
{
	output_file out;
	if (!output_open(&out, o->output))
		return EXIT_NUMERICS;
	const bool good = bxt_netlist_write(netlist, out.stream) == BXT_OK;
	return output_close(&out) && good ? EXIT_OK : EXIT_NUMERICS;
}

static bool has_ending(const char *path, const char *const *endings)
{
	const char *dot = strrchr(path, '.');
	for (; dot && *endings; endings++)
		if (strcmp(dot + 1, *endings) == 0)
			return true;
	return false;
}

/* XML begins with <, behind blanks and the mark of UTF-8; a deck has a title instead. */
static bool is_xml(const char *text, size_t length)
{
	size_t i = 0;
	while (i < length && strchr(" \t\r\n\xef\xbb\xbf", text[i]))
		i++;
	return i < length && text[i] == '<';
}

/* By the ending of the name, else by what the file begins with. */
static bool is_deck(const char *path)
{
	static const char *const decks[] = {"cir", "ckt", "sp", "spi", "spice", "net", NULL};
	static const char *const robots[] = {"urdf", "xml", "xacro", NULL};
	char start[256];
	if (has_ending(path, decks) || has_ending(path, robots))
		return has_ending(path, decks);
	FILE *f = fopen(path, "r");
	const size_t length = f ? fread(start, 1, sizeof start, f) : 0;
	if (f)
		fclose(f);
	return !is_xml(start, length);
}

/* All of standard input, NUL-terminated; NULL when out of memory. */
static char *read_input(size_t *length)
{
	size_t room = 1 << 16;
	char *text = malloc(room);
	*length = 0;
	while (text) {
		*length += fread(text + *length, 1, room - *length - 1, stdin);
		if (*length + 1 < room)
			break;
		char *more = realloc(text, room *= 2);
		if (!more)
			free(text);
		text = more;
	}
	if (text)
		text[*length] = '\0';
	return text;
}

/* What is imported: a file, or the text of standard input. */
typedef struct source {
	const char *path;
	char *text; /* NULL: the file */
	size_t length;
	bool deck;
} source;

static bool find_source(const options *o, source *s)
{
	*s = (source){.path = o->files.text[0]};
	if (strcmp(s->path, "-") == 0 && !(s->text = read_input(&s->length)))
		return false;
	s->deck = s->text ? !is_xml(s->text, s->length) : is_deck(s->path);
	return true;
}

/* Are the options for what the file is? False after a message. */
static bool fits(const options *o, const source *s)
{
	const char *option = !s->deck            ? (o->import.flat ? "flat" : NULL)
			     : o->import.base    ? "base"
			     : o->import.close.n ? "close"
						 : NULL;
	if (option)
		print_message("boxtimes import: '%s' is a %s: --%s does not apply\n", s->path,
			      s->deck ? "SPICE deck" : "robot", option);
	return !option;
}

static bxt_status import(const source *s, const bxt_import_def *def, bxt_diagnostics *d,
			 bxt_netlist **netlist)
{
	if (s->text)
		return (s->deck ? bxt_import_spice_memory : bxt_import_urdf_memory)(
			s->text, s->length, s->path, def, d, netlist);
	return (s->deck ? bxt_import_spice : bxt_import_urdf)(s->path, def, d, netlist);
}

int command_import(const options *o)
{
	bxt_import_def def;
	bxt_netlist *netlist = NULL;
	source s;
	bxt_default_import_def(&def);
	if (!find_base(o, &def) || !output_allowed(o, NULL, NULL, 0))
		return EXIT_USAGE;
	def.close = o->import.close.text;
	def.n_close = o->import.close.n;
	def.flat = o->import.flat;
	const bool found = find_source(o, &s);
	if (found && !fits(o, &s)) {
		free(s.text);
		return EXIT_USAGE;
	}
	if (found && s.deck && !(def.library = open_library(o))) {
		free(s.text);
		return EXIT_BAD_MODEL;
	}
	bxt_diagnostics *d = bxt_diagnostics_new();
	const bxt_status status = found && d ? import(&s, &def, d, &netlist) : BXT_ERR_MEMORY;
	int result = report(status, d, s.path, o->quiet);
	if (status == BXT_ERR_IO)
		result = EXIT_BAD_MODEL;
	if (status == BXT_OK)
		result = write_netlist(o, netlist);
	free(s.text);
	bxt_netlist_free(netlist);
	bxt_library_free(def.library);
	return result;
}
