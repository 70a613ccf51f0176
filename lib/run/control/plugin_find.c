/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the file of an element's plug-in. The caller's settings come first, for the element or for
 * its component. Then follow, if this is allowed, the netlist's setting for the element and that of
 * the component.
 */
#define _XOPEN_SOURCE 700 /* realpath */

#include "ground/base/local_file.h"
#include "run/control/plugin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const bxt_component *component_of(const bxt_system *s, const bxt_element *e)
{
	return s->net->types[e->type]->component;
}

/* The PATH of the last "NAME=PATH" with that name; NULL for none. */
static const char *named(const bxt_settings *settings, const char *name)
{
	const size_t length = strlen(name);
	for (size_t i = settings->plugins.n; i-- > 0;)
		if (strncmp(settings->plugins.paths[i], name, length) == 0 &&
		    settings->plugins.paths[i][length] == '=')
			return settings->plugins.paths[i] + length + 1;
	return NULL;
}

/* The canonical path of an existing file, in the arena. */
static bxt_status make_absolute(bxt_arena *arena, const char *path, const char **out)
{
	char *real = realpath(path, NULL);
	const int why = errno;
	*out = real ? bxt_arena_strdup(arena, real) : NULL;
	free(real);
	errno = why;
	return *out ? BXT_OK : real || why == ENOMEM ? BXT_ERR_MEMORY : BXT_ERR_MODEL;
}

/* The plug-in that is requested: where it is written, and by whom. */
struct wanted {
	const char *element, *component; /* names */
	const char *file;
	bxt_place place;
};

/* Finds a file that the model names. */
static bxt_status find_beside(const struct wanted *w, bool allowed, bxt_arena *arena,
			      bxt_diagnostics *d, const char **path)
{
	const char *folder = bxt_local_file_folder(arena, w->place.file);
	const char *full = folder ? bxt_local_file(arena, folder, w->file) : NULL;
	if (!full)
		return BXT_ERR_MEMORY;
	if (!bxt_local_file_is_plain(w->file)) {
		bxt_error(d, w->place,
			  "%s '%s': plug-in '%s': it lies in the folder of the file that names it, "
			  "or below; one from elsewhere is named by --plugin %s=PATH",
			  w->component, w->element, w->file, w->element);
		return BXT_ERR_MODEL;
	}
	if (!allowed) {
		bxt_error(d, w->place,
			  "%s '%s': plug-in '%s' is not loaded: it is code, which runs with all "
			  "your rights; where you trust it give --allow-plugins, or --plugin %s=%s",
			  w->component, w->element, w->file, w->element, full);
		return BXT_ERR_MODEL;
	}
	const bxt_status status = make_absolute(arena, full, path);
	if (status == BXT_ERR_MODEL)
		bxt_error(d, w->place, "%s '%s': plug-in '%s' cannot be loaded: %s", w->component,
			  w->element, full, strerror(errno));
	if (status != BXT_OK || bxt_local_file_is_below(folder, full))
		return status;
	bxt_error(d, w->place,
		  "%s '%s': plug-in '%s' cannot be loaded: it leads out of the folder of the file "
		  "that names it",
		  w->component, w->element, full);
	return BXT_ERR_MODEL;
}

static bxt_status find(const bxt_settings *settings, const bxt_element *e, const bxt_component *c,
		       const char *element, bxt_arena *arena, bxt_diagnostics *d, const char **path)
{
	const char *given = named(settings, element);
	given = given ? given : named(settings, c->name);
	if (given) {
		const bxt_status status = make_absolute(arena, given, path);
		if (status == BXT_ERR_MODEL)
			bxt_error(d, BXT_NOWHERE, "%s '%s': plug-in '%s' cannot be loaded: %s",
				  c->name, element, given, strerror(errno));
		return status;
	}
	const struct wanted w = {element, c->name, e->plugin ? e->plugin : c->sampled.plugin->file,
				 e->plugin ? e->place : c->sampled.plugin->place};
	if (w.file)
		return find_beside(&w, settings->plugins.allowed, arena, d, path);
	bxt_error(d, e->place,
		  "%s '%s' has no plug-in: name it by plugin=\"FILE\", or --plugin %s=PATH",
		  c->name, element, element);
	return BXT_ERR_MODEL;
}

bxt_status bxt_plugin_find(const bxt_system *s, const bxt_settings *settings, int element,
			   bxt_arena *arena, bxt_diagnostics *d, const char **path)
{
	const bxt_element *e = &s->net->elements[element];
	bxt_buffer name = {0};
	const char *path_of = bxt_network_path(s->net, e->primitive, e->id, &name);
	const bxt_status status =
		name.failed ? BXT_ERR_MEMORY
			    : find(settings, e, component_of(s, e), path_of, arena, d, path);
	bxt_buffer_free(&name);
	return status;
}

/* ---- Names that the one who runs it gave ---- */

/* The result of the search for a name. */
struct search {
	bxt_nearest_search near;
	bxt_arena *arena;
	bool known, has_plugin;
};

static bxt_status look_at(struct search *found, const char *name, const bxt_component *c)
{
	/* the search keeps pointers to names */
	const char *copy = c->sampled.plugin ? bxt_arena_strdup(found->arena, name) : NULL;
	if (c->sampled.plugin && !copy)
		return BXT_ERR_MEMORY;
	if (strcmp(name, found->near.name) == 0) {
		found->known = true;
		found->has_plugin = found->has_plugin || c->sampled.plugin;
	}
	if (copy)
		bxt_nearest_offer(&found->near, copy);
	return BXT_OK;
}

static bxt_status look_for(const bxt_system *s, struct search *found)
{
	bxt_buffer path = {0};
	bxt_status status = BXT_OK;
	for (size_t i = 0; i < s->net->n_elements && status == BXT_OK; i++) {
		const bxt_element *e = &s->net->elements[i];
		if (e->is_interaction)
			continue;
		const char *name = bxt_network_path(s->net, e->primitive, e->id, &path);
		status = path.failed ? BXT_ERR_MEMORY : look_at(found, name, component_of(s, e));
	}
	for (size_t i = 0; i < s->net->n_types && status == BXT_OK; i++)
		status = look_at(found, s->net->types[i]->component->name,
				 s->net->types[i]->component);
	bxt_buffer_free(&path);
	return status;
}

static bxt_status check_name(const bxt_system *s, const char *pair, bxt_arena *arena,
			     bxt_diagnostics *d)
{
	const char *equal = strchr(pair, '=');
	if (!equal || equal == pair || !equal[1]) {
		bxt_error(d, BXT_NOWHERE, "plug-in '%s' is not NAME=PATH", pair);
		return BXT_ERR_MODEL;
	}
	struct search found = {.arena = arena};
	found.near.name = bxt_arena_strndup(arena, pair, (size_t)(equal - pair));
	if (!found.near.name)
		return BXT_ERR_MEMORY;
	BXT_TRY(look_for(s, &found));
	if (found.has_plugin)
		return BXT_OK;
	if (found.known) { /* if two models are compared, only one of them may have it */
		bxt_warning(d, BXT_NOWHERE, "plug-in '%s' is left out: '%s' has no <plugin>", pair,
			    found.near.name);
		return BXT_OK;
	}
	bxt_error(d, BXT_NOWHERE, "plug-in '%s': there is no element or component '%s'%s", pair,
		  found.near.name, bxt_did_you_mean(arena, found.near.best));
	return BXT_ERR_MODEL;
}

bxt_status bxt_plugin_check_names(const bxt_system *s, const bxt_settings *settings,
				  bxt_diagnostics *d)
{
	bxt_status status = BXT_OK;
	bxt_arena *arena = bxt_arena_new();
	if (!arena)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < settings->plugins.n && status != BXT_ERR_MEMORY; i++) {
		const bxt_status one = check_name(s, settings->plugins.paths[i], arena, d);
		status = one != BXT_OK ? one : status;
	}
	bxt_arena_free(arena);
	return status;
}
