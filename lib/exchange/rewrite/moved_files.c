/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adapts file references to another folder (moved_files.h). */
#include "exchange/rewrite/moved_files.h"

#include "boxtimes_rewrite.h"
#include "ground/base/local_file.h"
#include "model/component/library.h"
#include "model/netlist/edit.h"

#include <string.h>
#include <unistd.h>

/* ---- One file ---- */

bxt_status bxt_file_move_make(struct bxt_netlist *netlist, const char *from, const char *to,
			      bxt_diagnostics *d, bxt_file_move *m)
{
	*m = (bxt_file_move){.netlist = netlist,
			     .from = bxt_local_file_folder(netlist->arena, from),
			     .to = bxt_local_file_folder(netlist->arena, to),
			     .d = d};
	return m->from && m->to ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_move_file(bxt_file_move *m, bxt_item *item, const char *attribute, const char *what,
			 const char *name, bxt_place place)
{
	const char *file = bxt_item_get(item, attribute), *moved;
	if (!file)
		return BXT_OK;
	BXT_TRY(bxt_local_file_move(m->netlist->arena, m->from, file, m->to, &moved));
	if (!moved) {
		bxt_error(m->d, place,
			  "%s '%s': %s=\"%s\" lies in the folder '%s', and a netlist in the folder "
			  "'%s' cannot name it: files lie beside what names them, or below",
			  what, name ? name : "?", attribute, file, *m->from ? m->from : ".",
			  *m->to ? m->to : ".");
		m->bad = true;
		return BXT_OK;
	}
	return moved == file ? BXT_OK : bxt_item_set(m->netlist, item, attribute, moved);
}

bxt_status bxt_move_component_files(bxt_file_move *m, bxt_item *component, bxt_place place)
{
	const char *name = bxt_item_get(component, "name");
	for (bxt_item *c = bxt_item_child(component, NULL, NULL); c;
	     c = bxt_item_child(component, NULL, c)) {
		if (strcmp(c->name, "plugin") == 0 || strcmp(c->name, "table") == 0)
			BXT_TRY(bxt_move_file(m, c, "file", "component", name, place));
		if (strcmp(c->name, "port-hamiltonian") != 0)
			continue;
		for (bxt_item *matrix = bxt_item_child(c, NULL, NULL); matrix;
		     matrix = bxt_item_child(c, NULL, matrix))
			BXT_TRY(bxt_move_file(m, matrix, "file", "component", name, place));
	}
	return BXT_OK;
}

bxt_status bxt_move_href(bxt_file_move *m, bxt_item *subsystem, bxt_place place)
{
	const char *href = bxt_item_get(subsystem, "href");
	const char *path = href ? bxt_local_file(m->netlist->arena, m->from, href) : NULL;
	if (href && !path)
		return BXT_ERR_MEMORY;
	if (!href || access(path, F_OK) != 0)
		return BXT_OK;
	return bxt_move_file(m, subsystem, "href", "subsystem", bxt_item_get(subsystem, "id"),
			     place);
}

/* ---- A whole netlist ---- */

/* Inline components precede their uses: 1 for those with a plug-in, else 0. */
static bxt_status note_inlines(const bxt_item *scope, bxt_map *inlines)
{
	for (const bxt_item *c = bxt_item_child(scope, NULL, NULL); c;
	     c = bxt_item_child(scope, NULL, c)) {
		if (strcmp(c->name, "subsystem") == 0)
			BXT_TRY(note_inlines(c, inlines));
		const char *name =
			strcmp(c->name, "component") == 0 ? bxt_item_get(c, "name") : NULL;
		if (name)
			BXT_TRY(bxt_map_put(inlines, name,
					    bxt_item_child(c, "plugin", NULL) != NULL));
	}
	return BXT_OK;
}

/* Elsewhere `plugin` may be any parameter. */
static bool has_plugin(bxt_library *library, const bxt_map *inlines, const char *component)
{
	const int there = bxt_map_get(inlines, component);
	bool broken;
	const bxt_component *c =
		there < 0 ? bxt_library_find(library, component, NULL, &broken) : NULL;
	return there > 0 || (c && c->sampled.plugin);
}

static bxt_status move_scope(bxt_file_move *m, bxt_item *scope, bxt_library *library,
			     const bxt_map *inlines)
{
	for (bxt_item *c = bxt_item_child(scope, NULL, NULL); c;
	     c = bxt_item_child(scope, NULL, c)) {
		if (strcmp(c->name, "subsystem") == 0) {
			BXT_TRY(bxt_move_href(m, c, c->place));
			BXT_TRY(move_scope(m, c, library, inlines));
		} else if (strcmp(c->name, "table") == 0) {
			BXT_TRY(bxt_move_file(m, c, "file", "table", bxt_item_get(c, "name"),
					      c->place));
		} else if (strcmp(c->name, "component") == 0) {
			BXT_TRY(bxt_move_component_files(m, c, c->place));
		} else if (!bxt_item_is_word(c) && bxt_item_get(c, "plugin") &&
			   has_plugin(library, inlines, c->name)) {
			BXT_TRY(bxt_move_file(m, c, "plugin", c->name, bxt_item_get(c, "id"),
					      c->place));
		}
	}
	return BXT_OK;
}

bxt_status bxt_netlist_move(bxt_netlist *netlist, bxt_library *library, const char *file,
			    bxt_diagnostics *d)
{
	bxt_map inlines = {0};
	if (!netlist || !library || !file)
		return BXT_ERR_ARGUMENT;
	bxt_file_move m;
	const char *name = bxt_arena_strdup(netlist->arena, file);
	if (!name)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_file_move_make(netlist, netlist->file, file, d, &m));
	bxt_status status = note_inlines(netlist->root, &inlines);
	if (status == BXT_OK)
		status = move_scope(&m, netlist->root, library, &inlines);
	bxt_map_free(&inlines);
	if (status == BXT_OK && m.bad)
		status = BXT_ERR_MODEL;
	if (status == BXT_OK)
		netlist->file = name;
	return status;
}
