/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands on the component library: list, describe, schema. */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

/* A listing that did not reach standard output is reported, like any other file. */
static int written(bxt_status status, int result)
{
	if (status == BXT_ERR_IO)
		fputs("boxtimes: cannot write to standard output\n", stderr);
	return result;
}

static int list_library(const options *o, bxt_diagnostics *d)
{
	bxt_library *library = open_library(o);
	if (!library) {
		bxt_diagnostics_free(d);
		return EXIT_NUMERICS;
	}
	const char *word = o->files.n ? o->files.text[0] : NULL;
	const bxt_status status = bxt_library_write_list(library, word, o->names, stdout, d);
	bxt_library_free(library);
	return written(status, report(status, d, "boxtimes list", o->quiet));
}

int command_list(const options *o)
{
	if (o->settings) {
		const bxt_status status = bxt_write_settings(stdout);
		print_settings();
		return written(status, status == BXT_OK ? EXIT_OK : EXIT_NUMERICS);
	}
	bxt_diagnostics *d = bxt_diagnostics_new();
	return d ? list_library(o, d) : EXIT_NUMERICS;
}

/* One component: as text, or as a page in the format of the options. */
static int describe(const options *o, bxt_library *library, const char *name)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	const bxt_status status =
		o->format
			? bxt_component_write_page(library, name, NULL, NULL, o->format, stdout, d)
			: bxt_component_write_description(library, name, stdout, d);
	return written(status, report(status, d, "boxtimes describe", o->quiet));
}

static void find_format(void *wanted, const char *name, const char *doc)
{
	(void)doc;
	const char **format = wanted;
	if (*format && strcmp(*format, name) == 0)
		*format = NULL;
}

/* False after a message about --format. */
static bool format_is_known(const char *format)
{
	const char *unknown = format;
	bxt_page_formats(find_format, &unknown);
	if (unknown)
		say("boxtimes: --format '%s': there are md, man and json\n", unknown);
	return !unknown;
}

/* The names of all components, a line each, in heap memory; NULL after findings. */
static char *all_names(bxt_library *library, bxt_diagnostics *d)
{
	char *names = NULL;
	size_t length;
	FILE *f = open_memstream(&names, &length);
	const bxt_status status =
		f ? bxt_library_write_list(library, NULL, true, f, d) : BXT_ERR_MEMORY;
	if (f && fclose(f) != 0)
		names = NULL;
	if (status == BXT_OK)
		return names;
	free(names);
	return NULL;
}

static int describe_all(const options *o, bxt_library *library)
{
	int worst = EXIT_OK;
	char *save = NULL;
	bxt_diagnostics *d = bxt_diagnostics_new();
	char *names = d ? all_names(library, d) : NULL;
	if (!names)
		return report(BXT_ERR_MODEL, d, "boxtimes describe", o->quiet);
	bxt_diagnostics_free(d);
	for (char *name = strtok_r(names, "\n", &save); name; name = strtok_r(NULL, "\n", &save)) {
		const int result = describe(o, library, name);
		worst = result > worst ? result : worst;
	}
	free(names);
	return worst;
}

int command_describe(const options *o)
{
	if (!format_is_known(o->format))
		return EXIT_USAGE;
	if (!o->files.n && !o->format) {
		say("boxtimes: describe needs a COMPONENT, or --format for all of them\n");
		return EXIT_USAGE;
	}
	bxt_library *library = open_library(o);
	int worst = library ? EXIT_OK : EXIT_NUMERICS;
	if (library && !o->files.n)
		worst = describe_all(o, library);
	for (size_t i = 0; library && i < o->files.n; i++) {
		if (i && !o->format)
			fputc('\n', stdout);
		const int result = describe(o, library, o->files.text[i]);
		worst = result > worst ? result : worst;
	}
	bxt_library_free(library);
	return worst;
}

static void say_chapter(void *context, const char *name, const char *doc)
{
	(void)context;
	say("  %-10s %s\n", name, doc);
}

int command_reference(const options *o)
{
	if (print_reference_of_commands(&o->files))
		return EXIT_OK;
	if (!format_is_known(o->format))
		return EXIT_USAGE;
	const bxt_status status = bxt_reference_write(o->files.text, o->files.n,
						      o->format ? o->format : "md", stdout);
	if (status != BXT_ERR_ARGUMENT)
		return written(status, status == BXT_OK ? EXIT_OK : EXIT_NUMERICS);
	say("boxtimes: the reference has these chapters:\n");
	bxt_reference_chapters(say_chapter, NULL);
	return EXIT_USAGE;
}

int command_schema(const options *o)
{
	const char *file = o->files.n ? o->files.text[0] : "boxtimes schema";
	bxt_library *library = open_library(o);
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *netlist = NULL;
	bxt_status status = library && d ? BXT_OK : BXT_ERR_MEMORY;
	bool unread = false;
	if (status == BXT_OK && o->files.n) {
		status = bxt_netlist_read(file, d, &netlist);
		unread = status == BXT_ERR_IO;
	}
	if (status == BXT_OK)
		status = bxt_library_write_schema(library, netlist, stdout, d);
	const int result = report(status, d, file, o->quiet);
	bxt_netlist_free(netlist);
	bxt_library_free(library);
	return unread ? EXIT_BAD_MODEL : written(status, result);
}
