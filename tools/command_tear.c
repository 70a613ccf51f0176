/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that take netlists apart and put them together: tear, flatten. */
#include "output.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- Commands ---- */

/* --parts: what is no number of parts is the user's mistake about the model, as too many are. */
static bool read_parts(const options *o, int *parts)
{
	char *end;
	errno = 0;
	const long n = o->tear.parts ? strtol(o->tear.parts, &end, 10) : 0;
	*parts = (int)n;
	if (!o->tear.parts || (*o->tear.parts && !*end && errno == 0 && n >= 2 && n <= INT_MAX))
		return true;
	print_message("%s: error: --parts '%s' is no number of parts: at least 2 are needed\n",
		      o->files.text[0], o->tear.parts);
	return false;
}

/* Reads the netlist, and the one to tear like. A file that is not there is a mistake as any other.
 */
static bxt_status read_both(const options *o, bxt_diagnostics *d, bxt_netlist *netlist[2])
{
	bxt_status status = read_netlist(o, o->files.text[0], d, &netlist[0]);
	if (status == BXT_OK && o->tear.like)
		status = bxt_netlist_read(o->tear.like, d, &netlist[1]);
	return status == BXT_ERR_IO ? BXT_ERR_MODEL : status;
}

static bxt_status tear(const options *o, bxt_library *library, int parts,
		       bxt_netlist *const netlist[2], bxt_diagnostics *d, bxt_netlist **out)
{
	bxt_tear_def def;
	bxt_default_tear_def(&def);
	def.node = o->tear.node;
	def.elements = o->tear.elements;
	def.parts = parts;
	def.like = netlist[1];
	def.names = o->tear.part_names;
	return bxt_netlist_tear(netlist[0], library, &def, d, out);
}

static bxt_status rewrite(const options *o, bxt_library *library, int parts,
			  bxt_netlist *const netlist[2], bxt_diagnostics *d, bxt_netlist **out)
{
	if (strcmp(o->command, "tear") == 0)
		return tear(o, library, parts, netlist, d, out);
	return o->canonical ? bxt_netlist_canonical(netlist[0], out)
			    : bxt_netlist_flatten(netlist[0], library, d, out);
}

static int work(const options *o)
{
	int parts;
	if (!read_parts(o, &parts))
		return EXIT_BAD_MODEL;
	bxt_library *library = open_library(o);
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *out = NULL, *netlist[2] = {NULL, NULL};
	bxt_status status = library && d ? read_both(o, d, netlist) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = rewrite(o, library, parts, netlist, d, &out);
	const bool allowed = status != BXT_OK || output_allowed(o, library, netlist, 2);
	if (status == BXT_OK && allowed && output_is_beside(o->output))
		status = bxt_netlist_move(out, library, o->output, d);
	int result = report(status, d, o->files.text[0], o->quiet);
	if (status == BXT_OK)
		result = allowed ? output_netlist(o, out) : EXIT_USAGE;
	bxt_netlist_free(out);
	bxt_netlist_free(netlist[0]);
	bxt_netlist_free(netlist[1]);
	bxt_library_free(library);
	return result;
}

int command_tear(const options *o)
{
	return work(o);
}

int command_flatten(const options *o)
{
	return work(o);
}
