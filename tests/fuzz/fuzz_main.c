/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of libFuzzer, for the target that $BXT_FUZZ names (fuzz.sh). */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static const fuzz_target *target;
	const char *name = getenv("BXT_FUZZ");
	for (size_t i = 0; i < n_fuzz_targets && !target && name; i++)
		if (strcmp(fuzz_targets[i].name, name) == 0)
			target = &fuzz_targets[i];
	if (!target)
		abort();
	return target->run(bytes, length);
}
