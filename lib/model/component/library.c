/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/component/library.h"

#include "boxtimes_model.h"
#include "ground/base/text.h"
#include "model/component/like.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A component's file; it is read on first use. */
struct entry {
	const char *name, *path;
	const char *like; /* path of the component that its `like` names; NULL: none */
	enum { UNREAD, READ, BROKEN, NETLIST } state;
	const bxt_component *component;
	bool hidden; /* an earlier entry has its name */
	bool taken;  /* a model uses its component */
	bool memory; /* it is not a file */
	int next;    /* the next entry of that name, used if this one is a netlist; -1: none */
};

struct bxt_library {
	bxt_arena *arena;
	bxt_units *units;
	struct entry *entries; /* in order of precedence */
	size_t count, capacity;
	bxt_map names; /* name -> index of its first entry */
	const char **directories;
	size_t n_directories;
	/*
	 * Protects the entries and the arena. It is recursive, since a visitor of the names may
	 * search for them. Components that were read never change, so that using them needs no
	 * lock.
	 */
	pthread_mutex_t lock;
};

/* Initialises a recursive lock; false: the system cannot create one. */
static bool make_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t kind;
	if (pthread_mutexattr_init(&kind) != 0)
		return false;
	const bool made = pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE) == 0 &&
			  pthread_mutex_init(lock, &kind) == 0;
	pthread_mutexattr_destroy(&kind);
	return made;
}

/* The state while a directory is listed. */
struct listing {
	bxt_library *library;
	bxt_diagnostics *d;
	const char **paths; /* of files NAME.xml, in the library's arena */
	size_t count, capacity;
};

/* ---- Listing ---- */

static bxt_status list_folder(struct listing *l, const char *folder, bool deeper);

/* Lists a folder one level deep, adds a file NAME.xml, and skips all other files. */
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
		return BXT_OK; /* the file has vanished, or is a broken link */
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

static int compare_entries(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The file's name without folder and ".xml"; NULL when memory ends. */
static const char *stem(bxt_arena *arena, const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	return bxt_arena_strndup(arena, name, strlen(name) - 4);
}

/* Netlists for inclusion may lie beside components. An unreadable file is not a netlist. */
static bool is_netlist(const char *path, bxt_status *status)
{
	bxt_netlist *tree = NULL;
	const bxt_status read = bxt_tree_read_file(path, BXT_NS_NETLIST, "netlist", NULL, &tree);
	if (read == BXT_ERR_MEMORY)
		*status = read;
	bxt_netlist_free(tree);
	return read == BXT_OK;
}

/* Appends an entry to those of its name. Warns of one component twice in a directory. */
static bxt_status hide(struct listing *l, int first, int from_here, int entry)
{
	struct entry *entries = l->library->entries, *e = &entries[entry];
	bxt_status status = BXT_OK;
	int i = first;
	while (entries[i].next >= 0)
		i = entries[i].next;
	entries[i].next = entry;
	e->hidden = true;
	if (first >= from_here && !is_netlist(e->path, &status) &&
	    !is_netlist(entries[first].path, &status) && status == BXT_OK)
		bxt_warning(l->d, (bxt_place){e->path, 0},
			    "the component '%s' is taken from %s instead", e->name,
			    entries[first].path);
	return status;
}

/* Adds a directory's files in sorted order. Earlier directories take precedence. */
static bxt_status add_listing(struct listing *l)
{
	bxt_library *library = l->library;
	const int before = (int)library->count;
	if (l->count)
		qsort(l->paths, l->count, sizeof *l->paths, compare_entries);
	for (size_t i = 0; i < l->count; i++) {
		const char *name = stem(library->arena, l->paths[i]);
		const int entry = (int)library->count;
		if (!name)
			return BXT_ERR_MEMORY;
		BXT_TRY(BXT_GROW(library->entries, library->capacity, library->count + 1));
		library->entries[library->count++] =
			(struct entry){.name = name, .path = l->paths[i], .next = -1};
		const int first = bxt_map_get(&library->names, name);
		BXT_TRY(first < 0 ? bxt_map_put(&library->names, name, entry)
				  : hide(l, first, before, entry));
	}
	return BXT_OK;
}

static bxt_status add_directory(bxt_library *library, const char *directory, bxt_diagnostics *d)
{
	struct listing l = {.library = library, .d = d};
	const char *copy = bxt_arena_strdup(library->arena, directory);
	if (!copy)
		return BXT_ERR_MEMORY;
	library->directories[library->n_directories++] = copy;
	bxt_status status = list_folder(&l, directory, true);
	if (status == BXT_OK)
		status = add_listing(&l);
	bxt_free(l.paths);
	return status;
}

bxt_library *bxt_library_new(const char *const *directories, size_t n, bxt_diagnostics *d)
{
	bxt_library *library = calloc(1, sizeof *library);
	if (!library || !make_lock(&library->lock))
		return bxt_free(library);
	if (!directories)
		n = 0;
	library->arena = bxt_arena_new();
	library->units = library->arena ? bxt_units_new() : NULL;
	bxt_status status = library->units ? BXT_OK : BXT_ERR_MEMORY;
	if (library->arena && !library->units)
		bxt_error(d, (bxt_place){0}, "the unit database of UDUNITS-2 cannot be loaded");
	if (status == BXT_OK && !(library->directories = BXT_NEW(library->arena, const char *, n)))
		status = BXT_ERR_MEMORY;
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
		pthread_mutex_destroy(&library->lock);
		bxt_free(library);
	}
	return NULL;
}

/* ---- Reading ---- */

/* Reads an entry's file. When memory ends it stays unread, so that a later call can retry. */
static void read_entry(bxt_library *library, struct entry *e, bxt_diagnostics *d)
{
	bxt_netlist *tree = NULL, *whole = NULL;
	const bxt_place place = {e->path, 0};
	bxt_status status = BXT_OK;
	const bool netlist = is_netlist(e->path, &status);
	if (status == BXT_OK && !netlist)
		status = bxt_tree_read_file(e->path, BXT_NS_COMPONENT, "component", d, &tree);
	if (status == BXT_OK && tree)
		status = bxt_component_follow_like(library->arena, tree, d, &whole, &e->like);
	if (status == BXT_ERR_MEMORY)
		bxt_error(d, place, "out of memory");
	else
		e->state = netlist ? NETLIST : BROKEN;
	if (status == BXT_OK && tree)
		e->component = bxt_component_read(library->arena, whole ? whole->root : tree->root,
						  library->units, d);
	if (e->component && strcmp(e->component->name, e->name) != 0) {
		bxt_error(d, e->component->place, "the component is named '%s', its file '%s.xml'",
			  e->component->name, e->name);
		e->component = NULL;
	}
	if (e->component)
		e->state = READ;
	bxt_netlist_free(whole);
	bxt_netlist_free(tree);
}

static const bxt_component *find_component(bxt_library *library, const char *name,
					   bxt_diagnostics *d, bool *broken)
{
	*broken = false;
	for (int i = bxt_map_get(&library->names, name); i >= 0; i = library->entries[i].next) {
		struct entry *e = &library->entries[i];
		if (e->state == UNREAD)
			read_entry(library, e, d);
		if (e->state == NETLIST)
			continue;
		*broken = !e->component;
		return e->component;
	}
	return NULL;
}

const bxt_component *bxt_library_find(bxt_library *library, const char *name, bxt_diagnostics *d,
				      bool *broken)
{
	pthread_mutex_lock(&library->lock);
	const bxt_component *c = find_component(library, name, d, broken);
	pthread_mutex_unlock(&library->lock);
	return c;
}

const bxt_component *bxt_library_take(bxt_library *library, const char *name, bxt_diagnostics *d,
				      bool *broken)
{
	pthread_mutex_lock(&library->lock);
	const bxt_component *c = find_component(library, name, d, broken);
	const int first = c ? bxt_map_get(&library->names, name) : -1;
	if (first >= 0)
		library->entries[first].taken = true;
	pthread_mutex_unlock(&library->lock);
	return c;
}

void bxt_library_hold(bxt_library *library)
{
	pthread_mutex_lock(&library->lock);
}

void bxt_library_let_go(bxt_library *library)
{
	pthread_mutex_unlock(&library->lock);
}

void bxt_library_offer_names(bxt_library *library, void (*visit)(void *visitor, const char *name),
			     void *visitor)
{
	pthread_mutex_lock(&library->lock);
	for (size_t i = 0; i < library->count; i++) {
		const struct entry *e = &library->entries[i];
		while (e->state == NETLIST && e->next >= 0)
			e = &library->entries[e->next];
		if (!library->entries[i].hidden && e->state != NETLIST)
			visit(visitor, e->name);
	}
	pthread_mutex_unlock(&library->lock);
}

void bxt_library_visit_read(bxt_library *library, void (*visit)(void *visitor, const char *path),
			    void *visitor)
{
	pthread_mutex_lock(&library->lock);
	for (size_t i = 0; i < library->count; i++) {
		const struct entry *e = &library->entries[i];
		if (e->memory || (e->state != READ && e->state != BROKEN))
			continue;
		visit(visitor, e->path);
		if (e->like)
			visit(visitor, e->like);
	}
	pthread_mutex_unlock(&library->lock);
}

const char *bxt_library_directory(const bxt_library *library, size_t i)
{
	return i < library->n_directories ? library->directories[i] : NULL;
}

bxt_units *bxt_library_units(bxt_library *library)
{
	return library->units;
}

/* ---- From memory ---- */

/* Inserts the entry before all others of its name. */
static bxt_status enter(bxt_library *library, const bxt_component *c, const char *path,
			bxt_diagnostics *d)
{
	const int first = bxt_map_get(&library->names, c->name), index = (int)library->count;
	if (first >= 0 && library->entries[first].taken) {
		bxt_error(d, c->place, "a model uses the component '%s' of %s already", c->name,
			  library->entries[first].path);
		return BXT_ERR_ARGUMENT;
	}
	BXT_TRY(BXT_GROW(library->entries, library->capacity, library->count + 1));
	BXT_TRY(bxt_map_put(&library->names, c->name, index));
	library->entries[library->count++] = (struct entry){.name = c->name,
							    .path = path,
							    .state = READ,
							    .component = c,
							    .memory = true,
							    .next = first};
	if (first >= 0)
		library->entries[first].hidden = true;
	return BXT_OK;
}

static bxt_status add_memory(bxt_library *library, const bxt_netlist *tree, bxt_diagnostics *d)
{
	const size_t before = bxt_diagnostics_count(d, BXT_ERROR);
	const char *path = bxt_arena_strdup(library->arena, tree->file);
	const bxt_component *c =
		path ? bxt_component_read(library->arena, tree->root, library->units, d) : NULL;
	if (!c) /* if there is no error, memory has ended */
		return !d || bxt_diagnostics_count(d, BXT_ERROR) > before ? BXT_ERR_MODEL
									  : BXT_ERR_MEMORY;
	return enter(library, c, path, d);
}

bxt_status bxt_library_add_memory(bxt_library *library, const char *bytes, size_t length,
				  const char *name, bxt_diagnostics *d)
{
	bxt_netlist *tree = NULL;
	BXT_NEEDS(d, library);
	BXT_NEEDS(d, bytes);
	BXT_NEEDS(d, name);
	BXT_TRY(bxt_tree_read_memory(bytes, length, name, BXT_NS_COMPONENT, "component", d, &tree));
	pthread_mutex_lock(&library->lock);
	const bxt_status status = add_memory(library, tree, d);
	pthread_mutex_unlock(&library->lock);
	bxt_netlist_free(tree);
	return status;
}
