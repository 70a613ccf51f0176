/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include "boxtimes.h"

#include <stdlib.h>

static bxt_library *library; /* reading the unit database takes longer than most inputs */
static long inputs;

void fuzz_netlist_end(void)
{
	library = bxt_library_free(library);
	inputs = 0;
}

int fuzz_netlist(const uint8_t *bytes, size_t length)
{
	const char *directory = getenv("BOXTIMES_PATH");
	bxt_netlist *netlist = NULL;
	bxt_system *system = NULL;
	if (length > FUZZ_LARGEST)
		return 0;
	if (inputs++ % FUZZ_RENEW == 0) {
		bxt_library_free(library);
		library = bxt_library_new(&directory, directory ? 1 : 0, NULL);
		if (!library)
			abort(); /* nothing would be tested */
	}
	bxt_diagnostics *d = bxt_diagnostics_new();
	if (bxt_netlist_read_memory((const char *)bytes, length, "fuzz", d, &netlist) == BXT_OK)
		bxt_system_compile(netlist, library, d, &system);
	bxt_system_free(system);
	bxt_netlist_free(netlist);
	bxt_diagnostics_free(d);
	return 0;
}

#ifdef BXT_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	return fuzz_netlist(bytes, length);
}
#endif
