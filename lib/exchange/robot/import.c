/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The public functions: convert a file to a tree, to a robot, to the text of a netlist, to a
 * netlist.
 */
#include "boxtimes_import.h"
#include "exchange/robot/robot.h"
#include "exchange/robot/words.h"

#include <string.h>

void bxt_default_import_def(bxt_import_def *def)
{
	if (def)
		*def = (bxt_import_def){.size = sizeof *def};
}

/* ---- Names ---- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Endings of the ids that a link or a joint needs: its nodes and elements are named after it. */
typedef struct made {
	const char *nodes[3], *elements[4]; /* endings, up to NULL */
} made;
static const made of_link = {{"", NULL}, {"-body", NULL}};
static const made of_joint = {{"-shaft", NULL}, {"", "-damper", "-follows", NULL}};
static const made of_closure = {{NULL}, {"", NULL}};

/* Are all of these ids free? With `take` they become used. */
static bool visit(bxt_robot *r, bxt_map *ids, const char *id, const char *const *ends, bool take)
{
	bool good = true;
	for (; *ends && good && !r->failed; ends++) {
		const char *full = bxt_arena_printf(r->arena, "%s%s", id, *ends);
		r->failed = r->failed || !full || (take && bxt_map_put(ids, full, 0) != BXT_OK);
		good = full && (take || (bxt_map_get(ids, full) < 0 && !bxt_import_is_word(full)));
	}
	return good;
}

/*
 * The name with _ for characters that an id cannot have, and with a number appended if that is
 * used. ids: of nodes, of elements.
 */
static const char *id_of(bxt_robot *r, bxt_map ids[2], const char *name, const made *m)
{
	const bool late = *name == '-' || (*name >= '0' && *name <= '9');
	char *id = bxt_arena_printf(r->arena, "%s%s", late ? "_" : "", name);
	for (char *c = id; c && *c; c++)
		*c = is_letter(*c) || (*c >= '0' && *c <= '9') || *c == '-' ? *c : '_';
	const char *unique = id;
	for (int k = 2; unique && !r->failed &&
			!(visit(r, &ids[0], unique, m->nodes, false) &&
			  visit(r, &ids[1], unique, m->elements, false));
	     k++)
		unique = bxt_arena_printf(r->arena, "%s_%d", id, k);
	r->failed = r->failed || !unique;
	if (!r->failed) {
		visit(r, &ids[0], unique, m->nodes, true);
		visit(r, &ids[1], unique, m->elements, true);
	}
	return unique ? unique : "";
}

static void give_ids(bxt_robot *r)
{
	bxt_map ids[2] = {{0}};
	for (int i = 0; i < r->n_links; i++)
		r->links[i].id = id_of(r, ids, r->links[i].name, &of_link);
	for (int i = 0; i < r->n_joints; i++)
		r->joints[i].id = id_of(r, ids, r->joints[i].name, &of_joint);
	for (int i = 0; i < r->n_closures; i++)
		r->closures[i].id = id_of(r, ids, "closure", &of_closure);
	bxt_map_free(&ids[0]);
	bxt_map_free(&ids[1]);
}

/* ---- Items that are left out ---- */

static void note_omissions(const bxt_robot *r)
{
	const bxt_place place = {r->file, 0};
	int limits = 0;
	for (int i = 0; i < r->n_joints; i++)
		limits += r->joints[i].limit != NULL && r->joints[i].type != BXT_JOINT_CONTINUOUS;
	if (r->n_shapes)
		bxt_note(r->d, place, "%d shapes of links are left out: they do not move it",
			 r->n_shapes);
	if (r->n_held)
		bxt_note(r->d, place,
			 "%d links without mass are at fixed joints: they are points of the link "
			 "that "
			 "holds them, without a node",
			 r->n_held);
	if (r->n_friction)
		bxt_note(r->d, place, "the dry friction of %d joints is left out", r->n_friction);
	if (limits)
		bxt_note(r->d, place, "the limits of %d joints are comments: nothing holds them",
			 limits);
}

/* ---- Import ---- */

static bxt_status netlist_of(bxt_robot *r, bxt_netlist **out)
{
	bxt_buffer text = {0};
	bxt_status status = BXT_OK;
	bxt_robot_write(r, &text);
	if (r->errors)
		status = BXT_ERR_MODEL;
	else if (text.failed || r->failed)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_netlist_read_memory(text.text, text.length, r->file, r->d, out);
	bxt_buffer_free(&text);
	return status;
}

static bxt_status import_tree(const struct bxt_netlist *tree, const bxt_import_def *def,
			      bxt_diagnostics *d, bxt_netlist **out)
{
	bxt_robot r = {.arena = bxt_arena_new(),
		       .d = d,
		       .file = tree->file,
		       .floating = def->floating,
		       .root = -1};
	if (!r.arena)
		return BXT_ERR_MEMORY;
	bxt_robot_read(&r, tree);
	if (!r.failed)
		bxt_robot_close(&r, def->close, def->close ? def->n_close : 0);
	if (!r.failed && r.errors == 0)
		bxt_robot_connect(&r);
	if (!r.failed && r.errors == 0)
		give_ids(&r);
	bxt_status status = r.failed ? BXT_ERR_MEMORY : r.errors ? BXT_ERR_MODEL : BXT_OK;
	if (status == BXT_OK)
		status = netlist_of(&r, out);
	if (status == BXT_OK)
		note_omissions(&r);
	bxt_map_free(&r.link_names);
	bxt_map_free(&r.joint_names);
	bxt_arena_free(r.arena);
	return status;
}

static bxt_status take_def(const bxt_import_def *def, bxt_diagnostics *d, bxt_import_def *own)
{
	bxt_default_import_def(own);
	return def ? bxt_take_sized(def, own, sizeof *own, "bxt_import_def", d) : BXT_OK;
}

bxt_status bxt_import_urdf(const char *path, const bxt_import_def *def, bxt_diagnostics *d,
			   bxt_netlist **out)
{
	bxt_import_def own;
	struct bxt_netlist *tree = NULL;
	BXT_NEEDS(d, path);
	BXT_NEEDS(d, out);
	*out = NULL;
	bxt_status status = take_def(def, d, &own);
	if (status == BXT_OK)
		status = bxt_tree_read_file(path, "", "robot", d, &tree);
	if (status == BXT_OK)
		status = import_tree(tree, &own, d, out);
	bxt_netlist_free(tree);
	return status;
}

bxt_status bxt_import_urdf_memory(const char *bytes, size_t length, const char *name,
				  const bxt_import_def *def, bxt_diagnostics *d, bxt_netlist **out)
{
	bxt_import_def own;
	struct bxt_netlist *tree = NULL;
	BXT_NEEDS(d, bytes);
	BXT_NEEDS(d, name);
	BXT_NEEDS(d, out);
	*out = NULL;
	bxt_status status = take_def(def, d, &own);
	if (status == BXT_OK)
		status = bxt_tree_read_memory(bytes, length, name, "", "robot", d, &tree);
	if (status == BXT_OK)
		status = import_tree(tree, &own, d, out);
	bxt_netlist_free(tree);
	return status;
}
