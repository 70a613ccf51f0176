/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reference of languages, expressions, records, settings and units. */
#ifndef BOXTIMES_REFERENCE_H
#define BOXTIMES_REFERENCE_H

#include "boxtimes_netlist.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Called for each name with one line of description. */
typedef void bxt_setting_visit(void *context, const char *name, const char *doc);

/* The values that each setting accepts, a line each: "scheme gauss1 dirac+". Level: rare. */
BXT_API bxt_status bxt_write_settings(FILE *stream);
/* Visits the values of a setting; those of "method" are step methods, of which a scheme uses those
 * that can step the model, those of "setting" the settings that have values. Other words have no
 * values. Level: rare. */
BXT_API void bxt_setting_values(const char *setting, bxt_setting_visit *visit, void *context);

/* Visits the chapters of the reference: "netlist", "component", "functions", ... Level: rare. */
BXT_API void bxt_reference_chapters(bxt_setting_visit *visit, void *context);
/* Visits the formats of pages: "md", "man", "json". Level: rare. */
BXT_API void bxt_page_formats(bxt_setting_visit *visit, void *context);
/*
 * Writes a chapter; further ones become sections at its end. The reference is printed from the
 * tables that the program uses. BXT_ERR_ARGUMENT: no such chapter or format. Level: rare.
 */
BXT_API bxt_status bxt_reference_write(const char *const *chapters, size_t n, const char *format,
				       FILE *stream);

/*
 * Writes the page of a component: description, ports, parameters, equations in TeX, energies, and
 * an example of its use in a netlist. `example` and `text`: a sentence about a netlist and its XML,
 * or NULL. BXT_ERR_MODEL with findings when the component is unknown or has errors;
 * BXT_ERR_ARGUMENT: no such format. Level: rare.
 */
BXT_API bxt_status bxt_component_write_page(bxt_library *library, const char *name,
					    const char *example, const char *text,
					    const char *format, FILE *stream, bxt_diagnostics *d);

/*
 * Lists netlist files by the subject that their root has; those without one are left out. Each
 * comes with its name and a sentence: the first one of its <doc>, else of its first comment.
 * `format` NULL: text for people. BXT_ERR_MODEL with findings when some cannot be read; the others
 * are listed.
 * Level: rare.
 */
BXT_API bxt_status bxt_examples_write(const char *const *files, size_t n, const char *format,
				      FILE *stream, bxt_diagnostics *d);

/* ---- The library for people and editors ---- */

/*
 * Lists the components by domain, one a line. With `word` only those whose name, domain or
 * description contains it (ignoring case); with names_only bare names. BXT_ERR_MODEL with findings
 * when there are none, and when some have errors (the others are written).
 * Level: rare.
 */
BXT_API bxt_status bxt_library_write_list(bxt_library *library, const char *word, bool names_only,
					  FILE *stream, bxt_diagnostics *d);
/*
 * Describes one component: description, parameters, ports, coordinates, its equations as derived
 * and facts about them. BXT_ERR_MODEL with findings when it is unknown (nearest name) or has
 * errors.
 * Level: rare.
 */
BXT_API bxt_status bxt_component_write_description(bxt_library *library, const char *name,
						   FILE *stream, bxt_diagnostics *d);
/*
 * An XML schema (XSD) of netlists with the library's components, and with the inline components of
 * `netlist` unless that is NULL.
 * Level: rare.
 */
BXT_API bxt_status bxt_library_write_schema(bxt_library *library, const bxt_netlist *netlist,
					    FILE *stream, bxt_diagnostics *d);

#ifdef __cplusplus
}
#endif
#endif
