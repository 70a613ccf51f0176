/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of all findings. Every function below tolerates d == NULL (nothing is kept). */
#ifndef BXT_BASE_DIAGNOSTICS_H
#define BXT_BASE_DIAGNOSTICS_H

#include "base/arena.h"

/* Where a thing was written. `file` outlives the diagnostics' reader: it is copied on report. */
typedef struct bxt_place {
	const char *file;
	int line;
} bxt_place;

/* Adds a finding. When memory ends the list remembers that it is incomplete. */
void bxt_report(bxt_diagnostics *d, bxt_severity severity, bxt_place place, const char *format, ...)
	BXT_PRINTF(4, 5);

#define bxt_error(d, ...) bxt_report((d), BXT_ERROR, __VA_ARGS__)
#define bxt_warning(d, ...) bxt_report((d), BXT_WARNING, __VA_ARGS__)
#define bxt_note(d, ...) bxt_report((d), BXT_NOTE, __VA_ARGS__)

/* The place of a finding that no file is to blame for. */
#define BXT_NOWHERE ((bxt_place){NULL, 0})

/*
 * A public structure of the caller's, which begins with its size, into `own` (known bytes): what it
 * is too old to have is 0. BXT_ERR_ARGUMENT after a finding when the size was never set, or is more
 * than is known here.
 */
bxt_status bxt_take_sized(const void *given, void *own, size_t known, const char *what,
			  bxt_diagnostics *d);

#endif
