/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks whether a file is among those that a netlist consists of, so that no output overwrites one
 * of them.
 */
#define _XOPEN_SOURCE 700 /* realpath */

#include "boxtimes_rewrite.h"
#include "ground/base/diagnostics.h"
#include "ground/base/local_file.h"
#include "ground/base/text.h"
#include "model/component/library.h"
#include "model/netlist/netlist.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct search {
	bxt_arena *arena;
	bxt_library *library;
	struct stat wanted;
	bxt_map visited; /* real paths of netlists */
	const char *found;
	bxt_status status;
};

/* Is it the file? A netlist in memory, or a name without a file, is not. */
static bool is_wanted(struct search *s, const char *path)
{
	struct stat about;
	if (stat(path, &about) != 0 || about.st_dev != s->wanted.st_dev ||
	    about.st_ino != s->wanted.st_ino)
		return false;
	s->found = bxt_arena_strdup(s->arena, path);
	s->status = s->found ? s->status : BXT_ERR_MEMORY;
	return true;
}

static bool is_done(const struct search *s)
{
	return s->found || s->status != BXT_OK;
}

static void search_tree(struct search *s, const char *file, const bxt_item *root);

/* Checks an included netlist and the files that it consists of. */
static void search_netlist(struct search *s, const char *path)
{
	char *real = realpath(path, NULL);
	const char *key = real ? bxt_arena_strdup(s->arena, real) : NULL;
	free(real);
	if (!key || bxt_map_get(&s->visited, key) >= 0)
		return;
	struct bxt_netlist *tree = NULL;
	s->status = bxt_map_put(&s->visited, key, 1);
	if (s->status == BXT_OK &&
	    bxt_tree_read_file(path, BXT_NS_NETLIST, "netlist", NULL, &tree) == BXT_OK)
		search_tree(s, path, tree->root);
	bxt_netlist_free(tree);
}

/*
 * Checks a file that an item names: relative to the folder of the item's file, otherwise in the
 * library.
 */
static void search_named(struct search *s, const char *folder, const char *name, bool netlist)
{
	const char *directory = "";
	for (size_t i = 0; directory && !is_done(s); i++) {
		const char *path = i == 0 ? bxt_local_file(s->arena, folder, name)
					  : bxt_arena_printf(s->arena, "%s/%s", directory, name);
		if (!path) {
			s->status = BXT_ERR_MEMORY;
			return;
		}
		if (!is_wanted(s, path) && netlist)
			search_netlist(s, path);
		directory = netlist ? bxt_library_directory(s->library, i) : NULL;
	}
}

/*
 * Checks all items that may name a file. An attribute with one of these names that names no file
 * leads to no file, so it is harmless.
 */
static void search_items(struct search *s, const char *folder, const bxt_item *item)
{
	static const char *const attributes[] = {"file", "plugin", "href"};
	for (size_t k = 0; k < 3 && !is_done(s); k++) {
		const char *name = bxt_item_get(item, attributes[k]);
		if (name)
			search_named(s, folder, name, k == 2);
	}
	for (const bxt_item *c = bxt_item_child(item, NULL, NULL); c && !is_done(s);
	     c = bxt_item_child(item, NULL, c))
		search_items(s, folder, c);
}

static void search_tree(struct search *s, const char *file, const bxt_item *root)
{
	const char *folder = bxt_local_file_folder(s->arena, file);
	if (!folder)
		s->status = BXT_ERR_MEMORY;
	else
		search_items(s, folder, root);
}

/* The components that were read, and the tables, matrices and plug-ins that they name. */
static void search_component(void *search, const char *path)
{
	struct search *s = search;
	struct bxt_netlist *tree = NULL;
	if (is_done(s) || is_wanted(s, path))
		return;
	if (bxt_tree_read_file(path, BXT_NS_COMPONENT, "component", NULL, &tree) == BXT_OK)
		search_tree(s, path, tree->root);
	bxt_netlist_free(tree);
}

bxt_status bxt_netlist_find_file(const bxt_netlist *netlist, bxt_library *library, const char *path,
				 char **out)
{
	struct search s = {.library = library};
	BXT_NEEDS(NULL, out);
	*out = NULL;
	BXT_NEEDS(NULL, netlist);
	BXT_NEEDS(NULL, library);
	BXT_NEEDS(NULL, path);
	if (stat(path, &s.wanted) != 0)
		return BXT_OK;
	if (!(s.arena = bxt_arena_new()))
		return BXT_ERR_MEMORY;
	if (!is_wanted(&s, netlist->file))
		search_tree(&s, netlist->file, netlist->root);
	if (!is_done(&s))
		bxt_library_visit_read(library, search_component, &s);
	if (s.found && !(*out = strdup(s.found)))
		s.status = BXT_ERR_MEMORY;
	bxt_map_free(&s.visited);
	bxt_arena_free(s.arena);
	return s.status;
}
