/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The component library that imports of decks with devices need. */
#ifndef BXT_TESTS_SPICE_LIBRARY_H
#define BXT_TESTS_SPICE_LIBRARY_H

#include "support/harness.h"

#include <stdlib.h>

/* The shipped components; the caller frees the library. */
static inline bxt_library *device_library(void)
{
	const char *directory = getenv("BOXTIMES_PATH");
	bxt_library *library = bxt_library_new(&directory, 1, NULL);
	ck_assert_ptr_nonnull(library);
	return library;
}

#endif
