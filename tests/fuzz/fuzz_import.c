/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include "boxtimes.h"

#include <stdio.h>
#include <stdlib.h>

/* A robot in URDF: what is imported is a netlist that can be written and read again. */
int fuzz_import(const uint8_t *bytes, size_t length)
{
	static const char *const close[] = {"ball a b 0 0 0.5"};
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_import_def def;
	bxt_netlist *netlist = NULL, *again = NULL;
	char *text = NULL;
	size_t size;
	bxt_default_import_def(&def);
	def.floating = length % 2;
	def.close = length % 3 ? NULL : close;
	def.n_close = length % 3 ? 0 : 1;
	const bool good = length <= FUZZ_LARGEST &&
			  bxt_import_urdf_memory((const char *)bytes, length, "fuzz", &def, d,
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
