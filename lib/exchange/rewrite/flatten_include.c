/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dissolves included files: their parameters and components get unique names. */
#include "exchange/rewrite/flatten_internal.h"

#include <string.h>

/* ---- Frames ---- */

static bxt_flat_file *find_file(bxt_flattener *f, const char *name, const bxt_item *root)
{
	for (size_t i = 0; i < f->n_files; i++)
		if (f->files[i]->root == root)
			return f->files[i];
	bxt_flat_file *file = BXT_NEW(f->arena, bxt_flat_file, 1);
	if (!file || BXT_GROW(f->files, f->c_files, f->n_files + 1) != BXT_OK)
		return NULL;
	file->name = name;
	file->root = root;
	return f->files[f->n_files++] = file;
}

bxt_flat_frame *bxt_flat_frame_new(bxt_flattener *f, const bxt_flat_frame *outer, const char *name,
				   const bxt_item *root)
{
	bxt_flat_frame *frame = BXT_NEW(f->arena, bxt_flat_frame, 1);
	if (!frame || BXT_GROW(f->frames, f->c_frames, f->n_frames + 1) != BXT_OK)
		return NULL;
	frame->outer = outer;
	frame->file = find_file(f, name, root);
	return frame->file ? f->frames[f->n_frames++] = frame : NULL;
}

void bxt_flat_frames_free(bxt_flattener *f)
{
	for (size_t i = 0; i < f->n_files; i++)
		bxt_dictionary_free(&f->files[i]->component);
	for (size_t i = 0; i < f->n_files; i++)
		bxt_dictionary_free(&f->files[i]->table);
	for (size_t i = 0; i < f->n_frames; i++)
		bxt_dictionary_free(&f->frames[i]->parameter);
	bxt_free(f->files);
	bxt_free(f->frames);
}

/* ---- Names ---- */

/* Combines "x.y" and "R" to "x_y_R"; also replaces '-', which not every name may contain. */
static char *path_name(bxt_flattener *f, int primitive, const char *name)
{
	char *text = bxt_arena_printf(f->arena, "%s_%s", f->net->primitives[primitive].path, name);
	for (char *c = text; c && *c; c++)
		if (*c == '.' || *c == '-')
			*c = '_';
	return text;
}

/* The file whose content a primitive is, found by the source location of its items. */
static const struct bxt_netlist *content_of(const bxt_flattener *f, int primitive)
{
	const bxt_network *net = f->net;
	const bxt_primitive *p = &net->primitives[primitive];
	const char *file = NULL;
	if (p->elements.n > 0)
		file = net->elements[p->elements.index[0]].place.file;
	else if (p->nodes_inside.n > 0)
		file = net->nodes[p->nodes_inside.index[0]].place.file;
	for (size_t i = 0; i < net->n_primitives && !file; i++)
		if (net->primitives[i].parent == primitive)
			file = net->primitives[i].place.file;
	for (size_t i = 0; i < net->origin.n_included && file; i++)
		if (strcmp(net->origin.included[i]->file, file) == 0)
			return net->origin.included[i];
	return NULL;
}

/* <parameter> and <input>: expressions use both by their names. */
static bool is_parameter(const bxt_item *item)
{
	return item && (strcmp(item->name, "parameter") == 0 || strcmp(item->name, "input") == 0);
}

/* Counts the inclusions that want a parameter or an input of each name. */
static bxt_status count_parameters(bxt_flattener *f)
{
	for (size_t i = 1; i < f->net->n_primitives && f->net->origin.n_included > 0; i++) {
		const struct bxt_netlist *content = content_of(f, (int)i);
		/* otherwise it belongs to the file that contains it */
		const bool included =
			content && strcmp(content->file, f->net->primitives[i].place.file) != 0;
		for (const bxt_item *p = NULL;
		     included && (p = bxt_item_child(content->root, NULL, p));) {
			const char *name = is_parameter(p) ? bxt_item_get(p, "name") : NULL;
			const int n = name ? bxt_map_get(&f->parameter_wishes, name) : 0;
			if (name)
				BXT_TRY(bxt_map_put(&f->parameter_wishes, name, n < 0 ? 1 : n + 1));
		}
	}
	return BXT_OK;
}

/* The file's own components, also inside its subsystems: recursion is as deep as the XML file. */
static bxt_status take_components(bxt_flattener *f, const bxt_item *scope, bxt_flat_file *file,
				  int primitive)
{
	for (const bxt_item *c = bxt_item_child(scope, NULL, NULL); c;
	     c = bxt_item_child(scope, NULL, c)) {
		if (strcmp(c->name, "subsystem") == 0)
			BXT_TRY(take_components(f, c, file, primitive));
		const char *name =
			strcmp(c->name, "component") == 0 ? bxt_item_get(c, "name") : NULL;
		bool broken = false;
		if (!name)
			continue;
		const char *wish = name;
		while (wish && (bxt_map_get(&f->components, wish) >= 0 ||
				(wish != name &&
				 (bxt_library_find(f->library, wish, NULL, &broken) || broken))))
			wish = wish == name ? path_name(f, primitive, name)
					    : bxt_arena_printf(f->arena, "%s_", wish);
		if (!wish)
			return BXT_ERR_MEMORY;
		BXT_TRY(bxt_map_put(&f->components, wish, 1));
		if (wish != name)
			BXT_TRY(bxt_dictionary_put(&file->component, name, wish));
	}
	return BXT_OK;
}

/* Names with a meaning in expressions of energies. No parameter may have one of these names. */
static bxt_status take_coordinates(bxt_flattener *f)
{
	for (size_t k = 0; k < f->net->n_types; k++) {
		const bxt_component *c = f->net->types[k]->component;
		for (int i = 0; i < c->n_parameters; i++)
			if (c->parameters[i].of)
				BXT_TRY(bxt_map_put(&f->parameters, c->parameters[i].of, 1));
	}
	return BXT_OK;
}

bxt_status bxt_flat_take_names(bxt_flattener *f, const bxt_item *root)
{
	for (const bxt_item *p = NULL; (p = bxt_item_child(root, NULL, p));)
		if (is_parameter(p) && bxt_item_get(p, "name"))
			BXT_TRY(bxt_map_put(&f->parameters, bxt_item_get(p, "name"), 1));
	for (const bxt_item *t = bxt_item_child(root, "table", NULL); t;
	     t = bxt_item_child(root, "table", t))
		BXT_TRY(bxt_map_put(&f->parameters, bxt_item_get(t, "name"), 1));
	BXT_TRY(take_coordinates(f));
	BXT_TRY(count_parameters(f));
	for (size_t i = 0; i < bxt_element_count(f->net); i++)
		BXT_TRY(bxt_map_put(&f->ids, f->names.element[i], 1));
	for (size_t i = 0; i < f->net->n_signal_ids; i++) {
		while (bxt_map_get(&f->parameters, f->names.signal[i]) >= 0)
			f->names.signal[i] = bxt_arena_printf(f->arena, "%s_", f->names.signal[i]);
		if (!f->names.signal[i])
			return BXT_ERR_MEMORY;
		BXT_TRY(bxt_map_put(&f->ids, f->names.signal[i], 1));
		BXT_TRY(bxt_map_put(&f->parameters, f->names.signal[i], 1));
	}
	for (size_t i = 0; i < f->net->n_ports; i++) {
		const bxt_net_port *port = &f->net->ports[i];
		const int n = bxt_map_get(&f->port_ids, port->id);
		if (port->connection >= 0 && f->net->connections[port->connection].is_sigma)
			BXT_TRY(bxt_map_put(&f->port_ids, port->id, n < 0 ? 1 : n + 1));
	}
	f->files[0]->done = true; /* components of the netlist itself stay in place */
	return take_components(f, root, f->files[0], 0);
}

/* ---- Values ---- */

struct meaning {
	const bxt_flat_frame *frame;
	const char *of;
};

static const char *rename_parameter(void *context, const char *name)
{
	const struct meaning *m = context;
	if (m->of && strcmp(name, m->of) == 0)
		return NULL;
	return bxt_dictionary_get(&m->frame->parameter, name);
}

/* Is it an expression, or a list of values with one? */
static bool has_expression(const char *text)
{
	for (const char *sign = strchr(text, '='); sign; sign = strchr(sign + 1, '='))
		if (sign == text || strchr(" \t\r\n,", sign[-1]))
			return true;
	return false;
}

const char *bxt_flat_value(bxt_flattener *f, const bxt_flat_frame *frame, const char *text,
			   const char *of)
{
	struct meaning m = {frame, of};
	if ((!has_expression(text) && !of) || frame->parameter.n == 0)
		return text;
	return bxt_rename_in_expression(f->arena, text, rename_parameter, &m);
}

/* ---- Inclusions ---- */

/* Adds a <parameter> or <input> of an included file with the includer's value, under a unique name.
 */
static bxt_status add_parameter(bxt_flattener *f, const bxt_unit *unit, const bxt_item *includer,
				int primitive, bxt_flat_frame *frame)
{
	const char *name = bxt_item_get(unit->item, "name"), *text = bxt_item_get(includer, name);
	const char *value = text ? text : bxt_item_get(unit->item, "default");
	const char *own = name;
	bxt_item *copy;
	/* as for elements, the name stays unless two items want it */
	if (bxt_map_get(&f->parameters, name) >= 0 || bxt_map_get(&f->parameter_wishes, name) > 1) {
		const char *wish = path_name(f, primitive, name);
		own = wish ? bxt_take_name(f->arena, &f->parameters, wish) : NULL;
	} else {
		BXT_TRY(bxt_map_put(&f->parameters, name, 1));
	}
	value = value ? bxt_flat_value(f, text ? frame->outer : frame, value, NULL) : NULL;
	if (!own || !value)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_unit_copy(f->out, f->holder, unit, true, NULL, &copy));
	BXT_TRY(bxt_item_set(f->out, copy, "name", own));
	BXT_TRY(bxt_item_set(f->out, copy, "default", value));
	if (own != name)
		BXT_TRY(bxt_dictionary_put(&frame->parameter, name, own));
	return bxt_flat_settle_prefix(f, copy);
}

/* A <table> of an included file, once for all its inclusions; its CSV file stays where it is. */
static bxt_status add_table(bxt_flattener *f, const bxt_unit *unit, int primitive,
			    bxt_flat_frame *frame)
{
	const char *name = bxt_item_get(unit->item, "name");
	const char *own = bxt_dictionary_get(&frame->file->table, name);
	bxt_item *copy;
	if (!own) {
		bxt_file_move move;
		own = name;
		if (bxt_map_get(&f->parameters, name) < 0)
			BXT_TRY(bxt_map_put(&f->parameters, name, 1));
		else if (!(own = path_name(f, primitive, name)) ||
			 !(own = bxt_take_name(f->arena, &f->parameters, own)))
			return BXT_ERR_MEMORY;
		BXT_TRY(bxt_unit_copy(f->out, f->holder, unit, true, NULL, &copy));
		BXT_TRY(bxt_item_set(f->out, copy, "name", own));
		BXT_TRY(bxt_file_move_make(f->out, frame->file->name, f->frames[0]->file->name,
					   f->d, &move));
		BXT_TRY(bxt_move_file(&move, copy, "file", "table", name, unit->item->place));
		f->bad = f->bad || move.bad;
		BXT_TRY(bxt_dictionary_put(&frame->file->table, name, own));
		BXT_TRY(bxt_flat_settle_prefix(f, copy));
	}
	const char *call = bxt_arena_printf(f->arena, "%s(", name);
	if (strcmp(own, name) == 0)
		return BXT_OK;
	return call ? bxt_dictionary_put(&frame->parameter, call, own) : BXT_ERR_MEMORY;
}

bxt_status bxt_flat_include(bxt_flattener *f, const bxt_item *item, int primitive,
			    const bxt_flat_frame *outer, const bxt_flat_frame **out)
{
	const struct bxt_netlist *content = content_of(f, primitive);
	*out = NULL;
	if (!content)
		return BXT_OK;
	bxt_flat_frame *frame = bxt_flat_frame_new(f, outer, content->file, content->root);
	if (!frame)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_flat_hoist(f, content->root));
	if (!frame->file->done)
		BXT_TRY(take_components(f, content->root, frame->file, primitive));
	for (bxt_unit u = {0}; bxt_unit_next(content->root, &u);)
		if (is_parameter(u.item))
			BXT_TRY(add_parameter(f, &u, item, primitive, frame));
		else if (u.item && strcmp(u.item->name, "table") == 0)
			BXT_TRY(add_table(f, &u, primitive, frame));
	*out = frame;
	return BXT_OK;
}

/* Is it an <input>, or a comment before one? */
static bool is_of_input(const bxt_item *item)
{
	while (item && item->type != BXT_ITEM_ELEMENT)
		item = item->next;
	return item && strcmp(item->name, "input") == 0;
}

/* Moves the parameters, or the inputs, to the root, behind its own. */
static void place(bxt_flattener *f, bool inputs)
{
	bxt_item *root = f->out->root, *after = NULL;
	for (bxt_item *p = NULL; (p = bxt_item_child(root, NULL, p));)
		if (strcmp(p->name, "parameter") == 0 || (inputs && is_parameter(p)))
			after = p;
	for (bxt_item **link = &f->holder->first, *item; (item = *link);) {
		if (is_of_input(item) != inputs) {
			link = &item->next;
			continue;
		}
		*link = item->next;
		item->parent = NULL;
		bxt_item_move_behind(root, item, after);
		after = item;
	}
}

void bxt_flat_place_parameters(bxt_flattener *f)
{
	place(f, false);
	place(f, true);
}

/* ---- Components ---- */

/* Bindings name components of the file by the names they had. */
static bxt_status rename_bindings(bxt_flattener *f, bxt_item *component, const bxt_flat_file *file)
{
	for (bxt_item *b = bxt_item_child(component, "binding", NULL); b;
	     b = bxt_item_child(component, "binding", b)) {
		const char *text = bxt_item_get(b, "component");
		bxt_buffer list = {0};
		while (text && *text) {
			const size_t gap = strspn(text, " \t\r\n,");
			const size_t n = strcspn(text + gap, " \t\r\n,");
			const char *word = bxt_arena_strndup(f->arena, text + gap, n);
			const char *other =
				word ? bxt_dictionary_get(&file->component, word) : NULL;
			bxt_buffer_add(&list, text, gap);
			bxt_buffer_printf(&list, "%s", other ? other : word ? word : "");
			list.failed = list.failed || !word;
			text += gap + n;
		}
		bxt_status status = list.failed ? BXT_ERR_MEMORY : BXT_OK;
		if (status == BXT_OK && list.length)
			status = bxt_item_set(f->out, b, "component", list.text);
		bxt_buffer_free(&list);
		BXT_TRY(status);
	}
	return BXT_OK;
}

bxt_status bxt_flat_component(bxt_flattener *f, const bxt_unit *unit, const bxt_flat_frame *frame)
{
	const bxt_flat_file *file = frame->file;
	const char *name = bxt_item_get(unit->item, "name");
	bxt_item *copy;
	if (file->done && frame->outer) /* the same text as before */
		return BXT_OK;
	BXT_TRY(bxt_unit_copy(f->out, f->out->root, unit, true, NULL, &copy));
	const char *other = name ? bxt_dictionary_get(&file->component, name) : NULL;
	if (other)
		BXT_TRY(bxt_item_set(f->out, copy, "name", other));
	if (file->component.n > 0)
		BXT_TRY(rename_bindings(f, copy, file));
	bxt_file_move move;
	BXT_TRY(bxt_file_move_make(f->out, file->name, f->frames[0]->file->name, f->d, &move));
	BXT_TRY(bxt_move_component_files(&move, copy, unit->item->place));
	f->bad = f->bad || move.bad;
	return bxt_flat_settle_prefix(f, copy);
}

/* ---- Namespaces ---- */

bxt_status bxt_flat_hoist(bxt_flattener *f, const bxt_item *item)
{
	for (const bxt_attribute *a = NULL; (a = bxt_item_attribute(item, a));) {
		if (strncmp(a->name, "xmlns:", 6) != 0)
			continue;
		const bxt_attribute *there = NULL;
		while ((there = bxt_item_attribute(f->out->root, there)))
			if (strcmp(there->name, a->name) == 0)
				break;
		if (there && strcmp(there->value, a->value) == 0)
			continue;
		if (there) {
			bxt_error(
				f->d, item->place,
				"the prefix '%s' means \"%s\" here and \"%s\" in the netlist that "
				"becomes flat: call it otherwise",
				a->name + 6, a->value, there->value);
			f->bad = true;
			continue;
		}
		BXT_TRY(bxt_item_set(f->out, f->out->root, a->name, a->value));
	}
	return BXT_OK;
}

bxt_status bxt_flat_settle_prefix(bxt_flattener *f, bxt_item *item)
{
	const bxt_item *root = f->out->root;
	if (strcmp(item->ns, BXT_NS_NETLIST) == 0) {
		item->prefix = root->prefix;
		return BXT_OK;
	}
	if (*item->prefix)
		return BXT_OK; /* it was moved to the root */
	for (const bxt_attribute *a = NULL; (a = bxt_item_attribute(item, a));)
		if (strcmp(a->name, "xmlns") == 0)
			return BXT_OK;
	/* a default namespace that an ancestor declared */
	return bxt_item_set(f->out, item, "xmlns", item->ns);
}
