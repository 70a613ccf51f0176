/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands on the component library: list, schema. */
#include "reference.h"

static int list_library(const options *o, bxt_diagnostics *d)
{
	bxt_library *library = open_library(o);
	if (!library) {
		bxt_diagnostics_free(d);
		return EXIT_NUMERICS;
	}
	const char *word = o->files.n ? o->files.text[0] : NULL;
	const bxt_status status =
		bxt_library_write_list(library, word, o->listing.names, stdout, d);
	bxt_library_free(library);
	return written(status, report(status, d, "boxtimes list", o->quiet));
}

int command_list(const options *o)
{
	if (o->listing.settings) {
		const bxt_status status = bxt_write_settings(stdout);
		print_settings();
		return written(status, status == BXT_OK ? EXIT_OK : EXIT_NUMERICS);
	}
	bxt_diagnostics *d = bxt_diagnostics_new();
	return d ? list_library(o, d) : EXIT_NUMERICS;
}

int command_schema(const options *o)
{
	const char *file = o->files.n ? o->files.text[0] : "boxtimes schema";
	bxt_library *library = open_library(o);
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *netlist = NULL;
	bxt_status status = library && d ? BXT_OK : BXT_ERR_MEMORY;
	bool unread = false;
	if (status == BXT_OK && o->files.n) {
		status = bxt_netlist_read(file, d, &netlist);
		unread = status == BXT_ERR_IO;
	}
	if (status == BXT_OK)
		status = bxt_library_write_schema(library, netlist, stdout, d);
	const int result = report(status, d, file, o->quiet);
	bxt_netlist_free(netlist);
	bxt_library_free(library);
	return unread ? EXIT_BAD_MODEL : written(status, result);
}
