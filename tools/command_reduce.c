/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command reduce: a model of fewer unknowns as a netlist. */
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The table of --snapshots. */
static bxt_status read_snapshots(const options *o, bxt_diagnostics *d, bxt_table **out)
{
	*out = NULL;
	if (!o->reduction.snapshots)
		return BXT_OK;
	FILE *f = fopen(o->reduction.snapshots, "r");
	if (!f) {
		print_message("%s: error: cannot be read: %s\n", o->reduction.snapshots,
			      strerror(errno));
		return BXT_ERR_IO;
	}
	const bxt_status status = bxt_table_read_csv(f, o->reduction.snapshots, d, out);
	fclose(f);
	return status;
}

static bxt_status reduce(const options *o, bxt_library *library, const bxt_netlist *netlist,
			 bxt_diagnostics *d, bxt_netlist **out, bxt_reduction **about)
{
	bxt_reduce_def def;
	bxt_table *table;
	bxt_default_reduce_def(&def);
	bxt_status status = read_snapshots(o, d, &table);
	def.part = o->reduction.part;
	def.modes = o->reduction.modes;
	def.tolerance = o->tolerance;
	def.method = o->reduction.method;
	def.as = o->reduction.as;
	def.snapshots = table;
	/* at 1e-3 weights err less than the modes do in the models at hand */
	def.weights = o->reduction.misfit > 0 ? o->reduction.misfit
		      : o->reduction.weights  ? 1e-3
					      : 0;
	def.run = o->def;
	if (status == BXT_OK)
		status = bxt_netlist_reduce(netlist, library, &def, d, out, about);
	bxt_table_free(table);
	return status;
}

int command_reduce(const options *o)
{
	bxt_library *library = open_library(o);
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *out = NULL, *netlist = NULL;
	bxt_reduction *about = NULL;
	bxt_status status =
		library && d ? read_netlist(o, o->files.text[0], d, &netlist) : BXT_ERR_MEMORY;
	const bool allowed = status != BXT_OK || output_allowed(o, library, &netlist, 1);
	if (status == BXT_OK && allowed)
		status = reduce(o, library, netlist, d, &out, &about);
	if (status == BXT_OK && allowed && output_is_beside(o->output))
		status = bxt_netlist_move(out, library, o->output, d);
	int result = report(status, d, o->files.text[0], o->quiet);
	if (status == BXT_ERR_IO) /* a file that is not there is a mistake as any other */
		result = EXIT_BAD_MODEL;
	if (status == BXT_OK)
		result = allowed ? output_netlist(o, out) : EXIT_USAGE;
	if (about && result == EXIT_OK && !o->quiet)
		bxt_reduction_write_text(about, stderr);
	bxt_reduction_free(about);
	bxt_netlist_free(out);
	bxt_netlist_free(netlist);
	bxt_library_free(library);
	return result;
}
