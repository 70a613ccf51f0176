/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that describe the component library. */
#ifndef BXT_REPORT_DESCRIBE_H
#define BXT_REPORT_DESCRIBE_H

#include "model/component/library.h"

/*
 * All components of the library, by domain and name, in heap memory for bxt_free. BXT_ERR_MODEL
 * when some have errors; the list then has the others.
 */
bxt_status bxt_library_gather(bxt_library *library, bxt_diagnostics *d,
			      const bxt_component ***components, size_t *n);

#endif
