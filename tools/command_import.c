/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command that makes a netlist of what other programs read: robots in URDF, decks of SPICE. */
#include "output.h"

#include <stdlib.h>
#include <string.h>

static bool find_base(const options *o, bxt_import_def *def)
{
	const char *base = o->base ? o->base : "fixed";
	def->floating = strcmp(base, "floating") == 0;
	if (def->floating || strcmp(base, "fixed") == 0)
		return true;
	say("boxtimes import: --base '%s' is not one of fixed, floating\n", base);
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

/* Is it XML? A deck has a title instead. Standard input keeps what was looked at. */
static bool is_xml(const char *path)
{
	const bool standard = strcmp(path, "-") == 0;
	FILE *f = standard ? stdin : fopen(path, "r");
	int c = f ? getc(f) : EOF;
	if (standard && c != EOF)
		ungetc(c, stdin);
	while (!standard && (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0xef ||
			     c == 0xbb || c == 0xbf))
		c = getc(f);
	if (f && !standard)
		fclose(f);
	return c == '<';
}

static bool has_ending(const char *path, const char *const *endings)
{
	const char *dot = strrchr(path, '.');
	for (; dot && *endings; endings++)
		if (strcmp(dot + 1, *endings) == 0)
			return true;
	return false;
}

/* By the ending of the name, else by what the file begins with. */
static bool is_deck(const char *path)
{
	static const char *const decks[] = {"cir", "ckt", "sp", "spi", "spice", "net", NULL};
	static const char *const robots[] = {"urdf", "xml", "xacro", NULL};
	if (has_ending(path, decks))
		return true;
	return !has_ending(path, robots) && !is_xml(path);
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

static bxt_status read_deck(const char *path, const bxt_import_def *def, bxt_diagnostics *d,
			    bxt_netlist **netlist)
{
	size_t length;
	if (strcmp(path, "-") != 0)
		return bxt_import_spice(path, def, d, netlist);
	char *text = read_input(&length);
	const bxt_status status =
		text ? bxt_import_spice_memory(text, length, "-", def, d, netlist) : BXT_ERR_MEMORY;
	free(text);
	return status;
}

int command_import(const options *o)
{
	bxt_import_def def;
	bxt_netlist *netlist = NULL;
	bxt_default_import_def(&def);
	if (!find_base(o, &def) || !output_allowed(o, NULL, NULL, 0))
		return EXIT_USAGE;
	def.close = o->close.text;
	def.n_close = o->close.n;
	def.flat = o->flat;
	const char *path = o->files.text[0];
	const bool deck = is_deck(path);
	if (deck ? o->base != NULL || o->close.n > 0 : o->flat) {
		say("boxtimes import: '%s' is a %s: --%s is not for it\n", path,
		    deck ? "deck of SPICE" : "robot", deck ? (o->base ? "base" : "close") : "flat");
		return EXIT_USAGE;
	}
	bxt_diagnostics *d = bxt_diagnostics_new();
	const bxt_status status = !d     ? BXT_ERR_MEMORY
				  : deck ? read_deck(path, &def, d, &netlist)
					 : bxt_import_urdf(path, &def, d, &netlist);
	int result = report(status, d, o->files.text[0], o->quiet);
	if (status == BXT_ERR_IO)
		result = EXIT_BAD_MODEL;
	if (status == BXT_OK)
		result = write_netlist(o, netlist);
	bxt_netlist_free(netlist);
	return result;
}
