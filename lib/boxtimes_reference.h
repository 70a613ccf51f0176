/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reference: what the languages, expressions, records, settings and units have. */
#ifndef BOXTIMES_REFERENCE_H
#define BOXTIMES_REFERENCE_H

#include "boxtimes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Visits names, each with a line about it. */
typedef void bxt_setting_visit(void *context, const char *name, const char *doc);

/* The values that each setting accepts, a line each: "scheme gauss1 dirac+". */
BXT_API bxt_status bxt_write_settings(FILE *stream);
/* Visits the values of a setting; those of "method" are step methods, of which a scheme uses those
 * that can step the model. Other words have no values. */
BXT_API void bxt_setting_values(const char *setting, bxt_setting_visit *visit, void *context);

/* Visits the chapters of the reference: "netlist", "component", "functions", ... */
BXT_API void bxt_reference_chapters(bxt_setting_visit *visit, void *context);
/* Visits the formats of pages: "md", "man", "json". */
BXT_API void bxt_page_formats(bxt_setting_visit *visit, void *context);
/*
 * Writes a chapter; further ones become sections at its end. The reference comes from the tables
 * that the program goes by. BXT_ERR_ARGUMENT: no such chapter or format.
 */
BXT_API bxt_status bxt_reference_write(const char *const *chapters, size_t n, const char *format,
				       FILE *stream);

/*
 * Writes the page of a component: what it is, ports, parameters, equations with TeX, where energy
 * goes, how a netlist uses it. `example` and `text`: a sentence about a netlist and its XML, or
 * NULL. BXT_ERR_MODEL with findings when the component is unknown or has errors; BXT_ERR_ARGUMENT:
 * no such format.
 */
BXT_API bxt_status bxt_component_write_page(bxt_library *library, const char *name,
					    const char *example, const char *text,
					    const char *format, FILE *stream, bxt_diagnostics *d);

/*
 * Lists netlist files by the subject that their root has; those without one are left out. Each
 * comes with its name and a sentence: the first one of its <doc>, else of its first comment.
 * `format` NULL: text for people. BXT_ERR_MODEL with findings when some cannot be read; the others
 * are listed.
 */
BXT_API bxt_status bxt_examples_write(const char *const *files, size_t n, const char *format,
				      FILE *stream, bxt_diagnostics *d);

#ifdef __cplusplus
}
#endif
#endif
