/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command that makes a netlist of a robot in URDF. */
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

int command_import(const options *o)
{
	bxt_import_def def;
	bxt_netlist *netlist = NULL;
	bxt_default_import_def(&def);
	if (!find_base(o, &def) || !output_allowed(o, NULL, NULL, 0))
		return EXIT_USAGE;
	def.close = o->close.text;
	def.n_close = o->close.n;
	bxt_diagnostics *d = bxt_diagnostics_new();
	const bxt_status status =
		d ? bxt_import_urdf(o->files.text[0], &def, d, &netlist) : BXT_ERR_MEMORY;
	int result = report(status, d, o->files.text[0], o->quiet);
	if (status == BXT_ERR_IO)
		result = EXIT_BAD_MODEL;
	if (status == BXT_OK)
		result = write_netlist(o, netlist);
	bxt_netlist_free(netlist);
	return result;
}
