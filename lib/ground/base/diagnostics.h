/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of all findings. Every function below tolerates d == NULL (nothing is kept). */
#ifndef BXT_BASE_DIAGNOSTICS_H
#define BXT_BASE_DIAGNOSTICS_H

#include "ground/base/arena.h"

/* A source location. bxt_report copies `file`. */
typedef struct bxt_place {
	const char *file;
	int line;
} bxt_place;

/* Adds a finding, as one line of plain text (base/plain.h). When memory runs out the list records
 * that it is incomplete. */
void bxt_report(bxt_diagnostics *d, bxt_severity severity, bxt_place place, const char *format, ...)
	BXT_PRINTF(4, 5);

#define bxt_error(d, ...) bxt_report((d), BXT_ERROR, __VA_ARGS__)
#define bxt_warning(d, ...) bxt_report((d), BXT_WARNING, __VA_ARGS__)
#define bxt_note(d, ...) bxt_report((d), BXT_NOTE, __VA_ARGS__)

/*
 * Checks an argument at the start of a public function: a required pointer is NULL.
 * BXT_ERR_ARGUMENT and a finding.
 */
#define BXT_NEEDS(d, pointer)                                                                      \
	do {                                                                                       \
		if (!(pointer))                                                                    \
			return bxt_missing((d), __func__, #pointer);                               \
	} while (0)
bxt_status bxt_missing(bxt_diagnostics *d, const char *function, const char *what);

/* Appends the findings of one list to another, and empties it; with `to` NULL they are dropped. */
void bxt_diagnostics_move(bxt_diagnostics *from, bxt_diagnostics *to);

/* The source location of a finding that refers to no file. */
#define BXT_NOWHERE ((bxt_place){NULL, 0})

/*
 * Copies a public structure of the caller, which begins with its size, into `own` (known bytes).
 * Fields that the caller's version lacks become 0. BXT_ERR_ARGUMENT with a finding when the size
 * was never set, or exceeds `known`.
 */
bxt_status bxt_take_sized(const void *given, void *own, size_t known, const char *what,
			  bxt_diagnostics *d);
/* The same for a structure that the library has filled and the caller passes back: it must have
 * been filled. */
bxt_status bxt_check_filled(const void *given, size_t known, const char *what, bxt_diagnostics *d);
/* The reverse, for a structure that the library fills for the caller: copies as much of `own` as
 * fits. */
bxt_status bxt_give_sized(const void *own, size_t known, void *given, const char *what,
			  bxt_diagnostics *d);

#endif
