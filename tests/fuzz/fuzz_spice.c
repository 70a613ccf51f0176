/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include "boxtimes.h"

#include <stdio.h>
#include <stdlib.h>

/* A deck of SPICE: what is imported is a netlist that can be written and read again. */
int fuzz_spice(const uint8_t *bytes, size_t length)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	static bxt_library *library; /* of all inputs; kept until the end */
	const char *components = getenv("BOXTIMES_PATH");
	bxt_import_def def;
	bxt_netlist *netlist = NULL, *again = NULL;
	char *text = NULL;
	size_t size;
	bxt_default_import_def(&def);
	def.flat = length % 2;
	if (!library)
		library = bxt_library_new(&components, components != NULL, NULL);
	def.library = library;
	const bool good = length <= FUZZ_LARGEST &&
			  bxt_import_spice_memory((const char *)bytes, length, "fuzz", &def, d,
						  &netlist) == BXT_OK;
	if (good && bxt_netlist_to_memory(netlist, &text, &size) == BXT_OK &&
	    bxt_netlist_read_memory(text, size, "again", d, &again) != BXT_OK) {
		fprintf(stderr, "%s\n", text);
		abort();
	}
	bxt_release(text);
	bxt_netlist_free(again);
	bxt_netlist_free(netlist);
	bxt_diagnostics_free(d);
	return 0;
}
