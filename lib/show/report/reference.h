/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that make the chapters of the reference. */
#ifndef BXT_REPORT_REFERENCE_H
#define BXT_REPORT_REFERENCE_H

#include "show/report/page.h"

/* reference_languages.c: makes the chapters of the two languages. NULL when out of memory. */
bxt_page *bxt_reference_netlist(bxt_arena *arena);
bxt_page *bxt_reference_component(bxt_arena *arena);
/* reference_structures.c: makes the chapter on the structures of a run. */
bxt_page *bxt_reference_structures(bxt_arena *arena);

#endif
