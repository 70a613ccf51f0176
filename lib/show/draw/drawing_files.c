/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files of a drawing. As in the compiler (builder/include.c), an included file must lie in or
 * below the folder of the netlist or a directory of the library, with links resolved.
 */
#define _XOPEN_SOURCE 700 /* realpath */

#include "show/draw/drawing.h"

#include "ground/base/local_file.h"

#include <stdlib.h>
#include <string.h>

bool bxt_drawing_is_element(const bxt_item *item)
{
	static const char *const words[] = {
		"simulation", "record",    "subsystem", "interconnection", "port",
		"node",       "parameter", "table",     "component",       "symmetry",
		"signal",     "fix",       "doc",       "connect",         "input"};
	if (strcmp(item->ns, BXT_NS_COMPONENT) == 0)
		return false;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(item->name, words[i]) == 0)
			return false;
	return true;
}

/* ---- Reading ---- */

static void read_inlines(bxt_drawing *g, bxt_map *by_name, const bxt_item *scope)
{
	for (const bxt_item *c = bxt_item_child(scope, NULL, NULL); c;
	     c = bxt_item_child(scope, NULL, c)) {
		if (strcmp(c->name, "subsystem") == 0)
			read_inlines(g, by_name, c);
		if (strcmp(c->name, "component") != 0)
			continue;
		const bxt_component *x =
			bxt_component_read(g->arena, c, bxt_library_units(g->library), NULL);
		if (!x)
			continue;
		if (BXT_GROW(g->inlines, g->c_inlines, g->n_inlines + 1) != BXT_OK ||
		    bxt_map_put(by_name, x->name, (int)g->n_inlines) != BXT_OK) {
			g->failed = true;
			return;
		}
		g->inlines[g->n_inlines++] = x;
	}
}

/* The path with links resolved, "" being the working folder; NULL: there is no such file. */
static const char *real_path(bxt_drawing *g, const char *path)
{
	char *real = realpath(*path ? path : ".", NULL);
	const char *copy = bxt_arena_strdup(g->arena, real);
	g->failed = g->failed || (real && !copy);
	free(real);
	return copy;
}

static int add_file(bxt_drawing *g, const char *file, const char *root, const bxt_item *item,
		    struct bxt_netlist *tree)
{
	const char *folder = bxt_local_file_folder(g->arena, file);
	bxt_map inlines = {0};
	if (!folder || BXT_GROW(g->files, g->c_files, g->n_files + 1) != BXT_OK) {
		g->failed = true;
		bxt_netlist_free(tree);
		return -1;
	}
	read_inlines(g, &inlines, item);
	g->files[g->n_files] = (bxt_drawn_file){file, root, folder, tree, item, inlines, 0, false};
	return (int)g->n_files++;
}

bxt_status bxt_drawing_top(bxt_drawing *g, const struct bxt_netlist *netlist)
{
	const bool standard = strcmp(netlist->file, "-") == 0;
	const char *folder = bxt_local_file_folder(g->arena, standard ? NULL : netlist->file);
	const char *root = folder ? real_path(g, folder) : NULL;
	g->failed = g->failed || !folder;
	add_file(g, standard ? "" : netlist->file, root, netlist->root, NULL);
	return g->failed ? BXT_ERR_MEMORY : BXT_OK;
}

/* The file below the root, read if it is new; -1: it does not exist, or is refused. */
static int open_below(bxt_drawing *g, const char *root, const char *path)
{
	const char *real = root ? real_path(g, path) : NULL;
	if (!real || !bxt_local_file_holds(root, real))
		return -1;
	const int there = bxt_map_get(&g->file_by_path, real);
	if (there >= 0)
		return there - 1;
	struct bxt_netlist *tree = NULL;
	const bxt_status status = bxt_tree_read_file(path, BXT_NS_NETLIST, "netlist", NULL, &tree);
	g->failed = g->failed || status == BXT_ERR_MEMORY;
	const int file = status == BXT_OK ? add_file(g, path, root, tree->root, tree) : -1;
	if (bxt_map_put(&g->file_by_path, real, file + 1) != BXT_OK)
		g->failed = true;
	return file;
}

int bxt_drawing_include(bxt_drawing *g, int file, const char *href)
{
	if (href[0] == '/' || strstr(href, "://"))
		return -1;
	const char *path = bxt_local_file(g->arena, g->files[file].folder, href), *directory;
	int found = path ? open_below(g, g->files[file].root, path) : -1;
	g->failed = g->failed || !path;
	for (size_t i = 0;
	     found < 0 && !g->failed && (directory = bxt_library_directory(g->library, i)); i++) {
		path = bxt_arena_printf(g->arena, "%s/%s", directory, href);
		g->failed = g->failed || !path;
		found = path ? open_below(g, real_path(g, directory), path) : -1;
	}
	return g->failed ? -1 : found;
}

/* ---- Counting ---- */

/*
 * Each file is counted once, however often it is included. A file that includes itself counts as
 * empty.
 */
static double count_file(bxt_drawing *g, int file)
{
	if (!g->files[file].counted) {
		g->files[file].counted = true;
		const double amount = bxt_drawing_count(g, file, g->files[file].item);
		g->files[file].amount = amount;
	}
	return g->files[file].amount;
}

double bxt_drawing_count(bxt_drawing *g, int file, const bxt_item *scope)
{
	double sum = 0;
	for (const bxt_item *c = bxt_item_child(scope, NULL, NULL); c && !g->failed;
	     c = bxt_item_child(scope, NULL, c)) {
		const bool subsystem = strcmp(c->name, "subsystem") == 0;
		const char *href = subsystem ? bxt_item_get(c, "href") : NULL;
		const int inner = href ? bxt_drawing_include(g, file, href) : -1;
		sum += subsystem || bxt_drawing_is_element(c);
		if (subsystem && !href)
			sum += bxt_drawing_count(g, file, c);
		else if (inner >= 0)
			sum += count_file(g, inner);
	}
	return sum;
}
