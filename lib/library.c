/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "library.h"

#include "text.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A component's file; what is in it is known after the first question. */
struct entry {
	const char *name, *path;
	enum { UNREAD, READ, BROKEN } state;
	const bxt_component *component;
};

struct bxt_library {
	bxt_arena *arena;
	bxt_units *units;
	struct entry *entries; /* in order of precedence */
	size_t count, capacity;
	bxt_map names; /* name -> number of its entry */
};

/* What is known of a directory while it is listed. */
struct listing {
	bxt_library *library;
	bxt_diagnostics *d;
	const char **paths; /* of files NAME.xml, in the library's arena */
	size_t count, capacity;
};

/* ---- Listing --------------------------------------------------------------------------------- */

static bxt_status list_folder(struct listing *l, const char *folder, bool deeper);

/* A folder is listed one level deep, a file NAME.xml is remembered, the rest is none of ours. */
static bxt_status list_entry(struct listing *l, const char *folder, const char *name, bool deeper)
{
	const size_t length = strlen(name);
	if (*name == '.')
		return BXT_OK;
	const char *path = bxt_arena_printf(l->library->arena, "%s/%s", folder, name);
	if (!path)
		return BXT_ERR_MEMORY;
	struct stat about;
	if (stat(path, &about) != 0)
		return BXT_OK; /* vanished, or a link to nowhere */
	if (S_ISDIR(about.st_mode))
		return deeper ? list_folder(l, path, false) : BXT_OK;
	if (!S_ISREG(about.st_mode) || length <= 4 || strcmp(name + length - 4, ".xml") != 0)
		return BXT_OK;
	BXT_TRY(BXT_GROW(l->paths, l->capacity, l->count + 1));
	l->paths[l->count++] = path;
	return BXT_OK;
}

static bxt_status list_folder(struct listing *l, const char *folder, bool deeper)
{
	const bxt_place place = {folder, 0};
	DIR *stream = opendir(folder);
	if (!stream) {
		if (errno == ENOMEM)
			return BXT_ERR_MEMORY;
		bxt_warning(l->d, place, "the component folder cannot be read: %s",
			    strerror(errno));
		return BXT_OK;
	}
	bxt_status status = BXT_OK;
	const struct dirent *found;
	while (status == BXT_OK && (found = readdir(stream)))
		status = list_entry(l, folder, found->d_name, deeper);
	closedir(stream);
	return status;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The file's name without folder and ".xml"; NULL when memory ends. */
static const char *stem(bxt_arena *arena, const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	return bxt_arena_strndup(arena, name, strlen(name) - 4);
}

/*
 * Takes over a directory's files in sorted order. What an earlier directory has is hidden; the same
 * name twice in one directory is a slip.
 */
static bxt_status add_listing(struct listing *l)
{
	bxt_library *library = l->library;
	const int before = (int)library->count;
	if (l->count)
		qsort(l->paths, l->count, sizeof *l->paths, compare);
	for (size_t i = 0; i < l->count; i++) {
		const bxt_place place = {l->paths[i], 0};
		const char *name = stem(library->arena, l->paths[i]);
		if (!name)
			return BXT_ERR_MEMORY;
		const int known = bxt_map_get(&library->names, name);
		if (known >= before)
			bxt_warning(l->d, place, "the component '%s' is taken from %s instead",
				    name, library->entries[known].path);
		if (known >= 0)
			continue;
		BXT_TRY(BXT_GROW(library->entries, library->capacity, library->count + 1));
		BXT_TRY(bxt_map_put(&library->names, name, (int)library->count));
		library->entries[library->count++] =
			(struct entry){.name = name, .path = l->paths[i]};
	}
	return BXT_OK;
}

static bxt_status add_directory(bxt_library *library, const char *directory, bxt_diagnostics *d)
{
	struct listing l = {.library = library, .d = d};
	bxt_status status = list_folder(&l, directory, true);
	if (status == BXT_OK)
		status = add_listing(&l);
	bxt_free(l.paths);
	return status;
}

bxt_library *bxt_library_new(const char *const *directories, size_t n, bxt_diagnostics *d)
{
	bxt_library *library = calloc(1, sizeof *library);
	if (!library)
		return NULL;
	library->arena = bxt_arena_new();
	library->units = library->arena ? bxt_units_new() : NULL;
	bxt_status status = library->units ? BXT_OK : BXT_ERR_MEMORY;
	if (library->arena && !library->units)
		bxt_error(d, (bxt_place){0}, "the unit database of UDUNITS-2 cannot be loaded");
	for (size_t i = 0; i < n && status == BXT_OK; i++)
		status = add_directory(library, directories[i], d);
	return status == BXT_OK ? library : bxt_library_free(library);
}

bxt_library *bxt_library_free(bxt_library *library)
{
	if (library) {
		bxt_map_free(&library->names);
		bxt_units_free(library->units);
		bxt_arena_free(library->arena);
		bxt_free(library->entries);
		bxt_free(library);
	}
	return NULL;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Reads an entry's file. Out of memory leaves it unread, so that it can be asked for again. */
static void read_entry(bxt_library *library, struct entry *e, bxt_diagnostics *d)
{
	bxt_netlist *tree = NULL;
	const bxt_place place = {e->path, 0};
	const bxt_status status =
		bxt_tree_read_file(e->path, BXT_NS_COMPONENT, "component", d, &tree);
	if (status == BXT_ERR_MEMORY) {
		bxt_error(d, place, "out of memory");
		return;
	}
	e->state = BROKEN;
	if (status != BXT_OK)
		return;
	const bxt_component *c = bxt_component_read(library->arena, tree->root, library->units, d);
	if (c && strcmp(c->name, e->name) != 0)
		bxt_error(d, c->place, "the component is named '%s', its file '%s.xml'", c->name,
			  e->name);
	else if (c)
		e->component = c;
	if (e->component)
		e->state = READ;
	bxt_netlist_free(tree);
}

const bxt_component *bxt_library_find(bxt_library *library, const char *name, bxt_diagnostics *d,
				      bool *broken)
{
	const int i = bxt_map_get(&library->names, name);
	*broken = false;
	if (i < 0)
		return NULL;
	struct entry *e = &library->entries[i];
	if (e->state == UNREAD)
		read_entry(library, e, d);
	*broken = !e->component;
	return e->component;
}

void bxt_library_offer_names(const bxt_library *library,
			     void (*visit)(void *visitor, const char *name), void *visitor)
{
	for (size_t i = 0; i < library->count; i++)
		visit(visitor, library->entries[i].name);
}

bxt_units *bxt_library_units(bxt_library *library)
{
	return library->units;
}
