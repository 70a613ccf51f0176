/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws a netlist with Graphviz' program dot, which is never linked. */
#include "output.h"
#include "program.h"

#include <errno.h>
#include <string.h>

/* What dot makes, by the ending of the file's name; NULL: its own text. False after a message. */
static bool find_format(const char *path, const char **format)
{
	static const char *const formats[] = {"svg", "png", "pdf"};
	const char *dot = path ? strrchr(path, '.') : NULL;
	*format = NULL;
	for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++)
		if (strcmp(dot + 1, formats[i]) == 0)
			*format = formats[i];
	if (!path || strcmp(path, "-") == 0 || *format || (dot && strcmp(dot, ".dot") == 0))
		return true;
	print_message("boxtimes: -o '%s': drawings end in .svg, .png, .pdf or .dot\n", path);
	return false;
}

/* Reports what is wrong with the model; the drawing may help to find it. */
static int check(const options *o, const bxt_netlist *netlist, bxt_library *library)
{
	bxt_system *system = NULL;
	bxt_diagnostics *d = bxt_diagnostics_new();
	const bxt_status status =
		d ? bxt_system_compile(netlist, library, d, &system) : BXT_ERR_MEMORY;
	bxt_system_free(system);
	return report(status, d, o->files.text[0], o->quiet);
}

/* The picture of the text for dot, or NULL after a message. */
static FILE *picture_of(FILE *text, const char *format)
{
	const char *type = strcmp(format, "png") == 0   ? "-Tpng"
			   : strcmp(format, "pdf") == 0 ? "-Tpdf"
							: "-Tsvg";
	const char *const argv[] = {"dot", type, "-Gdpi=120", NULL};
	const char *const scaled[] = {"dot", type, NULL};
	return program_run(strcmp(format, "png") == 0 ? argv : scaled, text, "draw", "graphviz");
}

static int draw(const options *o, const bxt_netlist *netlist, bxt_library *library,
		const char *format)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	FILE *text = tmpfile(), *picture = NULL;
	if (!text)
		print_message("boxtimes: no temporary file: %s\n", strerror(errno));
	const bxt_status status =
		text ? bxt_netlist_write_dot(netlist, library, NULL, text, d) : BXT_ERR_IO;
	int result = report(status, d, o->files.text[0], o->quiet);
	if (result == EXIT_OK && format)
		picture = picture_of(text, format);
	else if (result == EXIT_OK)
		rewind(text);
	if (result == EXIT_OK)
		result = picture || !format ? output_copy(format ? picture : text, o->output)
					    : EXIT_NUMERICS;
	if (picture)
		fclose(picture);
	if (text)
		fclose(text);
	return result;
}

int command_draw(const options *o)
{
	const char *format;
	if (!find_format(o->output, &format))
		return EXIT_USAGE;
	bxt_library *library = open_library(o);
	if (!library)
		return EXIT_NUMERICS;
	bxt_netlist *netlist = NULL;
	bxt_diagnostics *d = bxt_diagnostics_new();
	const bxt_status read = read_netlist(o, o->files.text[0], d, &netlist);
	int status = report(read, d, o->files.text[0], o->quiet);
	if (status == EXIT_OK && !output_allowed(o, library, &netlist, 1))
		status = EXIT_USAGE;
	if (status == EXIT_OK) {
		const int checked = check(o, netlist, library);
		status = draw(o, netlist, library, format);
		status = status == EXIT_OK ? checked : status;
	}
	bxt_netlist_free(netlist);
	bxt_library_free(library);
	return status;
}
