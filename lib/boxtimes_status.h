/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Status codes, the version, and the list of findings. Included by boxtimes.h. */
#ifndef BOXTIMES_STATUS_H
#define BOXTIMES_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BXT_API __attribute__((visibility("default")))
#define BXT_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define BXT_API
#define BXT_PRINTF(fmt, first)
#endif

/* ---- Status ---- */

/* name, what it means. Codes from BXT_ERR_SINGULAR on are numerical failures. */
#define BXT_STATUS_LIST(X)                                                                         \
	X(BXT_OK, "no error")                                                                      \
	X(BXT_ERR_MEMORY, "out of memory")                                                         \
	X(BXT_ERR_ARGUMENT, "the caller broke the contract of a function")                         \
	X(BXT_ERR_IO, "a file could not be read or written")                                       \
	X(BXT_ERR_MODEL, "the model has errors, see the diagnostics")                              \
	X(BXT_ERR_INTERRUPTED, "the run was stopped from outside")                                 \
	X(BXT_ERR_PLUGIN, "a plug-in failed, crashed or did not return")                           \
	X(BXT_ERR_SINGULAR, "the linear system of a step is singular")                             \
	X(BXT_ERR_NEWTON, "Newton's method did not converge")                                      \
	X(BXT_ERR_NOT_FINITE, "a value became infinite or not a number")                           \
	X(BXT_ERR_TRUST, "the run has ended, but its results are wrong")

typedef enum bxt_status {
#define BXT_ENUM(name, text) name,
	BXT_STATUS_LIST(BXT_ENUM)
#undef BXT_ENUM
} bxt_status;

/* The name of a code, "BXT_OK"; a static string. See also bxt_status_text. Level: rare. */
BXT_API const char *bxt_status_name(bxt_status status);
/* What a code means, in words; a static string. Level: often. */
BXT_API const char *bxt_status_text(bxt_status status);

/* The version of these headers. */
#define BXT_VERSION_MAJOR 0
#define BXT_VERSION_MINOR 1
#define BXT_VERSION_PATCH 0
/* The version of the library that runs, "0.1.0"; a static string. Level: often. */
BXT_API const char *bxt_version(void);

/* ---- Diagnostics ---- */

typedef enum bxt_severity { BXT_NOTE, BXT_WARNING, BXT_ERROR } bxt_severity;

/* One finding. Strings belong to the list and live as long as it does. */
typedef struct bxt_finding {
	size_t size; /* sizeof(bxt_finding) */
	bxt_severity severity;
	const char *file; /* NULL when the finding concerns no file */
	int line;         /* 1-based; 0 when unknown */
	const char *text;
} bxt_finding;

/* A list of findings in the order in which they were made. */
typedef struct bxt_diagnostics bxt_diagnostics;

/* An empty list; NULL when out of memory. Level: first. */
BXT_API bxt_diagnostics *bxt_diagnostics_new(void);
/* Always returns NULL; NULL is allowed. Level: first. */
BXT_API bxt_diagnostics *bxt_diagnostics_free(bxt_diagnostics *diagnostics);
/* The number of findings with at least the given severity; BXT_NOTE counts all. Level: first. */
BXT_API size_t bxt_diagnostics_count(const bxt_diagnostics *diagnostics, bxt_severity at_least);
/* Finding number i, 0 <= i < bxt_diagnostics_count(d, BXT_NOTE); NULL outside. Level: first. */
BXT_API const bxt_finding *bxt_diagnostics_get(const bxt_diagnostics *diagnostics, size_t i);

/*
 * Writes text of any origin for people to read. Control characters but tabs and line feeds,
 * characters that reorder or hide text, and bytes that are not UTF-8 become escapes ("\x1B",
 * "\u202E", "\xFF"), so a terminal executes none of them. Texts of findings are escaped already.
 * Level: rare.
 */
BXT_API void bxt_write_plain(const char *text, FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
