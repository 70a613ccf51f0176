/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For tests of tear and flatten: reads netlists from texts and files, and returns them as texts,
 * flat and torn.
 */
#ifndef BXT_TESTS_SUPPORT_CUTS_H
#define BXT_TESTS_SUPPORT_CUTS_H

#include "support/harness.h"

/* The text in heap memory: as written, and in canonical form. */
char *text_of(const bxt_netlist *n);
char *canonical_of(const bxt_netlist *n);
bxt_netlist *netlist_of(const char *text);
void tell(const bxt_diagnostics *d);
bxt_library *library_of(void);
bxt_netlist *flat(const bxt_netlist *n, bxt_library *library);
/* NULL after findings. The first of them must contain the words (NULL: any words). */
bxt_netlist *torn(const bxt_netlist *n, bxt_library *library, const bxt_tear_def *def,
		  const char *words);
bxt_netlist *read_shipped(const char *name);

#endif
