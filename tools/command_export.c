/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command that writes a netlist for another program: a deck of SPICE. */
#include "output.h"

#include <stdlib.h>

/* The deck is made in memory, so that nothing is written half. */
static int write_deck(const options *o, const char *text, size_t size)
{
	output_file out;
	if (!output_open(&out, o->output))
		return EXIT_NUMERICS;
	const bool good = fwrite(text, 1, size, out.stream) == size;
	return output_close(&out) && good ? EXIT_OK : EXIT_NUMERICS;
}

int command_export(const options *o)
{
	bxt_library *library = open_library(o);
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *netlist = NULL;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	bxt_status status =
		library && d && f ? read_netlist(o, o->files.text[0], d, &netlist) : BXT_ERR_MEMORY;
	const bool unread = status == BXT_ERR_IO;
	if (status == BXT_OK)
		status = bxt_netlist_write_spice(netlist, library, f, d);
	if (f && fclose(f) != 0 && status == BXT_OK)
		status = BXT_ERR_MEMORY;
	const bool allowed = status != BXT_OK || output_allowed(o, library, &netlist, 1);
	int result = report(status, d, o->files.text[0], o->quiet);
	if (unread)
		result = EXIT_BAD_MODEL;
	if (status == BXT_OK)
		result = allowed ? write_deck(o, text, size) : EXIT_USAGE;
	free(text);
	bxt_netlist_free(netlist);
	bxt_library_free(library);
	return result;
}
