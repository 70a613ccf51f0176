/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that print documentation: describe, reference, examples. */
#include "reference.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

int written(bxt_status status, int result)
{
	if (status == BXT_ERR_IO)
		fputs("boxtimes: cannot write to standard output\n", stderr);
	return result;
}

/* ---- The shipped netlists ---- */

/* Paths in heap memory. */
struct paths {
	char **path;
	size_t n;
};

static void free_paths(struct paths *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->path[i]);
	free(p->path);
	*p = (struct paths){0};
}

static bool add_path(struct paths *p, const char *folder, const char *name)
{
	const size_t size = strlen(folder) + strlen(name) + 2;
	char **more = realloc(p->path, (p->n + 1) * sizeof *more), *path = malloc(size);
	if (more)
		p->path = more;
	if (!more || !path) {
		free(path);
		return false;
	}
	snprintf(path, size, "%s/%s", folder, name);
	p->path[p->n++] = path;
	return true;
}

static bool is_netlist(const char *name)
{
	const size_t length = strlen(name);
	return length > 4 && strcmp(name + length - 4, ".xml") == 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The netlists of a folder and of examples/ in it, sorted; false when memory ends. */
static bool find_paths(const char *folder, struct paths *p)
{
	static const char *const inside[] = {"", "/examples"};
	bool good = true;
	for (int i = 0; i < 2 && good; i++) {
		const size_t size = strlen(folder) + strlen(inside[i]) + 1;
		char *name = malloc(size);
		if (!name)
			return false;
		snprintf(name, size, "%s%s", folder, inside[i]);
		DIR *d = opendir(name);
		for (struct dirent *e; d && good && (e = readdir(d));)
			good = !is_netlist(e->d_name) || add_path(p, name, e->d_name);
		if (d)
			closedir(d);
		free(name);
	}
	if (p->n)
		qsort(p->path, p->n, sizeof *p->path, by_name);
	return good;
}

/* Is NAME, or examples/NAME, what the path of a netlist ends with? */
static bool is_called(const char *path, const char *name)
{
	const size_t length = strlen(name), all = strlen(path) - strlen(".xml");
	return all > length && path[all - length - 1] == '/' &&
	       strncmp(path + all - length, name, length) == 0;
}

/* The content of a file in heap memory; NULL: it cannot be read, or is very long. */
static char *read_file(const char *path)
{
	enum { MOST = 1 << 20 };
	FILE *f = fopen(path, "r");
	char *text = f ? malloc(MOST + 1) : NULL;
	const size_t n = text ? fread(text, 1, MOST + 1, f) : 0;
	if (f)
		fclose(f);
	if (!text || n > MOST) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

/* Does the text have a tag of that name? */
static bool has_tag(const char *text, const char *name)
{
	const size_t length = strlen(name);
	for (const char *at = text; (at = strstr(at, name)); at += length)
		if (at > text && at[-1] == '<' && strchr(" \t\r\n/>", at[length]))
			return true;
	return false;
}

/*
 * The netlist examples/NAME.xml, or the shortest one that uses the component, and its text in heap
 * memory. p->n and NULL: none.
 */
static size_t find_use(const struct paths *p, const char *component, char **text)
{
	size_t best = p->n;
	*text = NULL;
	for (size_t i = 0; i < p->n; i++) {
		char *content = read_file(p->path[i]);
		const bool own = is_called(p->path[i], component);
		const bool uses = content && has_tag(content, component);
		if (uses && (own || !*text || strlen(content) < strlen(*text))) {
			free(*text);
			*text = content;
			best = i;
		} else {
			free(content);
		}
		if (uses && own)
			break;
	}
	return best;
}

/* ---- Commands ---- */

/* One component: as text, or as a page in the format of the options. */
static int describe(const options *o, bxt_library *library, const struct paths *netlists,
		    const char *name)
{
	char *text = NULL, sentence[256];
	const size_t i = o->listing.format ? find_use(netlists, name, &text) : 0;
	if (text)
		snprintf(sentence, sizeof sentence,
			 "The netlist %s, one of those that come with the program.",
			 strrchr(netlists->path[i], '/') + 1);
	bxt_diagnostics *d = bxt_diagnostics_new();
	const bxt_status status =
		o->listing.format ? bxt_component_write_page(library, name, text ? sentence : NULL,
							     text, o->listing.format, stdout, d)
				  : bxt_component_write_description(library, name, stdout, d);
	free(text);
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
		print_message("boxtimes: --format '%s' is not one of md, man and json\n", unknown);
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

static int describe_all(const options *o, bxt_library *library, const struct paths *netlists)
{
	int worst = EXIT_OK;
	char *save = NULL;
	bxt_diagnostics *d = bxt_diagnostics_new();
	char *names = d ? all_names(library, d) : NULL;
	if (!names)
		return report(BXT_ERR_MODEL, d, "boxtimes describe", o->quiet);
	bxt_diagnostics_free(d);
	for (char *name = strtok_r(names, "\n", &save); name; name = strtok_r(NULL, "\n", &save)) {
		const int result = describe(o, library, netlists, name);
		worst = result > worst ? result : worst;
	}
	free(names);
	return worst;
}

int command_describe(const options *o)
{
	if (!format_is_known(o->listing.format))
		return EXIT_USAGE;
	if (!o->files.n && !o->listing.format) {
		print_message(
			"boxtimes: describe needs a COMPONENT, or --format for all of them\n");
		return EXIT_USAGE;
	}
	struct paths netlists = {0};
	char *folder = o->listing.format ? find_netlists(o) : NULL;
	bxt_library *library = open_library(o);
	int worst = library && (!folder || find_paths(folder, &netlists)) ? EXIT_OK : EXIT_NUMERICS;
	if (library && !o->files.n)
		worst = describe_all(o, library, &netlists);
	for (size_t i = 0; library && i < o->files.n; i++) {
		if (i && !o->listing.format)
			fputc('\n', stdout);
		const int result = describe(o, library, &netlists, o->files.text[i]);
		worst = result > worst ? result : worst;
	}
	bxt_library_free(library);
	free_paths(&netlists);
	free(folder);
	return worst;
}

static void say_chapter(void *context, const char *name, const char *doc)
{
	(void)context;
	print_message("  %-10s %s\n", name, doc);
}

int command_reference(const options *o)
{
	if (print_reference_of_commands(&o->files))
		return EXIT_OK;
	if (!format_is_known(o->listing.format))
		return EXIT_USAGE;
	const bxt_status status = bxt_reference_write(
		o->files.text, o->files.n, o->listing.format ? o->listing.format : "md", stdout);
	if (status != BXT_ERR_ARGUMENT)
		return written(status, status == BXT_OK ? EXIT_OK : EXIT_NUMERICS);
	print_message("boxtimes: the reference has these chapters:\n");
	bxt_reference_chapters(say_chapter, NULL);
	return EXIT_USAGE;
}

/* The path of one netlist. */
static int print_path(const struct paths *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (is_called(p->path[i], name)) {
			puts(p->path[i]);
			return EXIT_OK;
		}
	print_message("boxtimes: there is no example '%s'; 'boxtimes examples' lists them\n", name);
	return EXIT_BAD_MODEL;
}

int command_examples(const options *o)
{
	struct paths netlists = {0};
	if (!format_is_known(o->listing.format))
		return EXIT_USAGE;
	char *folder = find_netlists(o);
	int result = EXIT_NUMERICS;
	if (!folder)
		print_message("boxtimes: found no folder of netlists beside the components\n");
	if (folder && find_paths(folder, &netlists)) {
		bxt_diagnostics *d = bxt_diagnostics_new();
		bxt_status status = BXT_OK;
		if (!o->files.n)
			status = bxt_examples_write((const char *const *)netlists.path, netlists.n,
						    o->listing.format, stdout, d);
		result = written(status, report(status, d, "boxtimes examples", o->quiet));
		if (o->files.n)
			result = print_path(&netlists, o->files.text[0]);
	}
	free_paths(&netlists);
	free(folder);
	return result;
}
