/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds the network from the netlist's tree: primitives, nodes and ports. */
#include "model/builder/builder.h"
#include "model/component/curve_table.h"
#include "model/netlist/setting_members.h"

#include <stdlib.h>
#include <string.h>

/* ---- The language's own elements ---- */

static bxt_status read_simulation(bxt_builder *b, const bxt_item *item)
{
	bxt_network *net = b->net;
	bxt_build_attributes(b, item);
	if (net->simulation.n_settings > 0)
		bxt_error(b->d, item->place, "a second <simulation>; the first is in line %d",
			  net->simulation.settings[0].place.line);
	for (const bxt_attribute *a = NULL; (a = bxt_item_attribute(item, a));) {
		if (bxt_attribute_is_foreign(a))
			continue;
		BXT_TRY(BXT_GROW(net->simulation.settings, b->room.settings,
				 net->simulation.n_settings + 1));
		bxt_setting *setting = &net->simulation.settings[net->simulation.n_settings++];
		*setting = (bxt_setting){a->name, a->value, 0, item->place};
		const bxt_member *field = bxt_setting_member(a->name);
		if (field && field->type == BXT_MEMBER_REAL)
			bxt_build_value(b, a->value, field->unit ? field->unit : "", a->name,
					item->place, &setting->number);
		double theta; /* the value of an expression in parameters */
		if (strcmp(a->name, "theta") == 0 && a->value[0] == '=' &&
		    bxt_build_value(b, a->value, "", a->name, item->place, &theta) &&
		    !(setting->value = bxt_arena_printf(b->arena, "%.17g", theta)))
			return BXT_ERR_MEMORY;
	}
	return BXT_OK;
}

static bxt_status read_record(bxt_builder *b, const bxt_item *item)
{
	const char *text = bxt_item_content(b->arena, item);
	if (!text)
		return BXT_ERR_MEMORY;
	bxt_build_attributes(b, item);
	if (b->net->simulation.record) /* joins several lists */
		text = bxt_arena_printf(b->arena, "%s, %s", b->net->simulation.record, text);
	else
		b->net->simulation.record_place = item->place;
	b->net->simulation.record = text;
	return text ? BXT_OK : BXT_ERR_MEMORY;
}

/* Does the name belong to the pose of a frame, as "roll"? */
static bool is_of_pose(const bxt_port_kind *kind, const char *name)
{
	for (int i = 0; kind->frame > 0 && i < BXT_POSE_COUNT; i++)
		if (strcmp(bxt_pose_rows[i].name, name) == 0)
			return true;
	return false;
}

/* Reads initial values of a <node> of a shared kind. */
static bxt_status read_node_values(bxt_builder *b, const bxt_item *item, int node)
{
	bxt_network *net = b->net;
	const bxt_port_kind *kind = net->nodes[node].kind;
	const bxt_element_row *row = bxt_language_of(BXT_LANGUAGE_NETLIST, item);
	const size_t first = net->n_initials;
	for (const bxt_attribute *a = NULL; (a = bxt_item_attribute(item, a));) {
		if (bxt_attribute_is_foreign(a) || bxt_language_has(row, a->name) ||
		    is_of_pose(kind, a->name))
			continue;
		bxt_initial value = {-1, node, -1, false, 0, item->place, false};
		bxt_nearest_search near = {.name = a->name};
		for (int s = 0; s < kind->n && kind->type == BXT_PORT_SHARED; s++) {
			bxt_nearest_offer(&near, kind->coordinate[s]);
			bxt_nearest_offer(&near, kind->flow[s]);
			value.is_flow = value.is_flow || strcmp(a->name, kind->flow[s]) == 0;
			const bool is_momentum =
				bxt_name_is_momentum(a->name, kind->coordinate[s]) ||
				(kind->n == 1 && strcmp(a->name, "p") == 0);
			value.is_momentum = value.is_momentum || is_momentum;
			if (strcmp(a->name, kind->coordinate[s]) == 0 ||
			    strcmp(a->name, kind->flow[s]) == 0 || is_momentum)
				value.coordinate = s;
		}
		for (int i = 0; kind->frame > 0 && i < BXT_POSE_COUNT; i++)
			bxt_nearest_offer(&near, bxt_pose_rows[i].name);
		if (kind->type == BXT_PORT_BALANCE)
			bxt_nearest_offer(&near, "nodeset");
		if (value.coordinate < 0) {
			bxt_error(b->d, item->place,
				  "node '%s' of kind %s has no initial value '%s'%s",
				  net->nodes[node].name, kind->name, a->name,
				  bxt_did_you_mean(b->scratch, near.best));
			continue;
		}
		const char *unit = value.is_flow ? kind->flow_unit[value.coordinate]
						 : kind->coordinate_unit[value.coordinate];
		if (value.is_momentum)
			unit = bxt_momentum_unit(b, kind->flow_unit[value.coordinate]);
		if (!unit)
			return BXT_ERR_MEMORY;
		if (!bxt_build_value(b, a->value, unit, a->name, item->place, &value.value))
			continue;
		BXT_TRY(BXT_GROW(net->initials, b->room.initials, net->n_initials + 1));
		net->initials[net->n_initials++] = value;
	}
	return bxt_build_pose(b, item, node, first);
}

/* <node nodeset="5 V">: a guess of the effort at the operating point. */
static void read_nodeset(bxt_builder *b, const bxt_item *item, bxt_net_node *node)
{
	const char *text = bxt_item_get(item, "nodeset");
	if (text && node->kind->type != BXT_PORT_BALANCE)
		bxt_error(
			b->d, item->place,
			"node '%s' of kind %s has no nodeset, which is a potential: write initial "
			"values of its coordinates",
			node->name, node->kind->name);
	else if (text)
		node->has_nodeset = bxt_build_value(b, text, node->kind->effort_unit[0], "nodeset",
						    item->place, &node->nodeset);
}

/* <node id kind ...>: declares a node; initial values are for shared kinds. */
static bxt_status read_node(bxt_builder *b, const bxt_item *item, int primitive)
{
	const char *id = bxt_item_get(item, "id"), *name = bxt_item_get(item, "kind");
	const bxt_port_kind *kind = name ? bxt_port_kind_find(name) : NULL;
	int node;
	if (!id || !name) {
		bxt_error(b->d, item->place, "<node> needs id and kind");
		return BXT_OK;
	}
	if (!kind) {
		bxt_nearest_search near = {.name = name};
		for (int i = 0; i < bxt_port_kind_count; i++)
			bxt_nearest_offer(&near, bxt_port_kinds[i].name);
		bxt_error(b->d, item->place, "no kind of port '%s'%s", name,
			  bxt_did_you_mean(b->scratch, near.best));
		return BXT_OK;
	}
	BXT_TRY(bxt_build_node(b, primitive, id, kind, item, NULL, &node));
	if (node < 0)
		return BXT_OK;
	b->net->nodes[node].pins--; /* a declaration is no pin */
	if (b->net->nodes[node].kind == kind)
		read_nodeset(b, item, &b->net->nodes[node]);
	/* the kind of the node determines how values are read, and the declaration may contradict
	 * it */
	return b->net->nodes[node].kind == kind ? read_node_values(b, item, node) : BXT_OK;
}

/* <port id node>: exports a node, at the end of the scope, when all nodes are known. */
static bxt_status read_port(bxt_builder *b, const bxt_item *item, int primitive)
{
	bxt_network *net = b->net;
	const char *node = bxt_item_get(item, "node");
	bxt_build_attributes(b, item);
	BXT_TRY(bxt_build_id(b, primitive, item, BXT_ID_PORT, (int)net->n_ports));
	int i = node ? bxt_map_get(&net->primitives[primitive].nodes, node) : -1;
	if (!node)
		bxt_error(b->d, item->place, "<port> needs node=\"NODE\"");
	else if (i < 0 && bxt_is_reference(NULL, node))
		bxt_error(b->d, item->place,
			  "node '%s' is the reference everywhere: it needs no port", node);
	else if (i < 0) {
		bxt_nearest_search near = {.name = node};
		for (size_t k = 0; k < net->n_nodes; k++)
			if (net->nodes[k].primitive == primitive)
				bxt_nearest_offer(&near, net->nodes[k].name);
		if (near.best)
			bxt_error(b->d, item->place, "no node '%s' in this subsystem%s", node,
				  bxt_did_you_mean(b->scratch, near.best));
		else
			bxt_error(b->d, item->place,
				  "no element of this subsystem is at node '%s': declare a node "
				  "that only a port is at, as <node id=\"%s\" "
				  "kind=\"electrical\"/>",
				  node, node);
	} else
		net->nodes[i].pins++;
	BXT_TRY(BXT_GROW(net->ports, b->room.ports, net->n_ports + 1));
	const char *id = bxt_item_get(item, "id");
	net->ports[net->n_ports++] = (bxt_net_port){id ? id : "?", item->place, primitive, i, -1};
	return BXT_OK;
}

static bxt_status read_subsystem(bxt_builder *b, const bxt_item *item, int parent)
{
	bxt_network *net = b->net;
	const int index = (int)net->n_primitives;
	const char *id = bxt_item_get(item, "id");
	bxt_buffer path = {0};
	const bool includes = bxt_item_get(item, "href") != NULL;
	if (!includes) /* else the file defines the parameters */
		bxt_build_attributes(b, item);
	BXT_TRY(bxt_build_id(b, parent, item, BXT_ID_SUBSYSTEM, index));
	BXT_TRY(BXT_GROW(b->files.frame_of, b->files.c_frames, net->n_primitives + 1));
	b->files.frame_of[index] = includes ? NULL : b->frame;
	BXT_TRY(BXT_GROW(net->primitives, b->room.primitives, net->n_primitives + 1));
	bxt_primitive *p = &net->primitives[net->n_primitives++];
	*p = (bxt_primitive){.id = id ? id : "?",
			     .place = item->place,
			     .parent = parent,
			     .missing = includes,
			     .rule = bxt_item_get(item, "rule")};
	bxt_network_path(net, parent, p->id, &path);
	p->path = path.failed ? NULL : bxt_arena_strdup(b->arena, path.text);
	bxt_buffer_free(&path);
	if (!net->primitives[index].path)
		return BXT_ERR_MEMORY;
	return includes ? bxt_build_include(b, item, index) : bxt_build_scope(b, item, index);
}

/* An inline <component>: known in its whole file, must not hide a name of the library. */
static bxt_status read_inline(bxt_builder *b, int source, const bxt_item *item)
{
	bool broken = false;
	const char *name = bxt_item_get(item, "name");
	bxt_map *known = &b->files.sources[source]->inline_by_name;
	const bxt_component *c =
		bxt_component_read(b->arena, item, bxt_library_units(b->library), b->d);
	const int first = name ? bxt_map_get(known, name) : -1;
	if (!c || !name) /* 0 marks an error, so that its uses do not report it again */
		return name && first < 0 ? bxt_map_put(known, name, 0) : BXT_OK;
	/* its uses keep the earlier meaning, so that they do not report the error again */
	if (first > 0) {
		bxt_error(b->d, item->place, "component '%s' is defined twice, first in line %d",
			  c->name, b->files.inlines[first - 1].component->place.line);
		return BXT_OK;
	}
	if (bxt_library_find(b->library, c->name, NULL, &broken) || broken) {
		bxt_error(b->d, item->place,
			  "component '%s' would hide the library's: choose another name", c->name);
		return BXT_OK;
	}
	const char *key = source == 0 ? c->name
				      : bxt_arena_printf(b->arena, "%s (%s)", c->name,
							 b->files.sources[source]->file);
	if (!key)
		return BXT_ERR_MEMORY;
	BXT_TRY(BXT_GROW(b->files.inlines, b->files.c_inlines, b->files.n_inlines + 1));
	BXT_TRY(bxt_map_put(known, c->name, (int)b->files.n_inlines + 1));
	b->files.inlines[b->files.n_inlines++] = (bxt_inline){c, key};
	return BXT_OK;
}

/* Reports an element of the language that stands where it has no meaning. */
static void report_misplaced(bxt_builder *b, const bxt_item *item, const bxt_element_row *row)
{
	if (!*row->inside)
		bxt_error(b->d, item->place, "<%s> is the root of a file", item->name);
	else if (strcmp(row->inside, "netlist") == 0)
		bxt_error(b->d, item->place, "<%s> belongs to the netlist, not to a subsystem",
			  item->name);
	else
		bxt_error(b->d, item->place, "<%s> belongs inside <%s>", item->name, row->inside);
}

static bxt_status read_item(bxt_builder *b, const bxt_item *item, int primitive)
{
	if (strcmp(item->ns, BXT_NS_COMPONENT) == 0 || strcmp(item->name, "component") == 0)
		return BXT_OK; /* read before */
	const bxt_element_row *row = bxt_language_of(BXT_LANGUAGE_NETLIST, item);
	/* components may be called as elements that stand elsewhere: transformer, gyrator */
	const bxt_element_row *other =
		row || !bxt_name_is_reserved(item->name)
			? NULL
			: bxt_language_anywhere(BXT_LANGUAGE_NETLIST, item->name);
	if (other)
		report_misplaced(b, item, other);
	if (!row)
		return other ? BXT_OK : bxt_build_element(b, item, primitive);
	if (strcmp(row->name, "subsystem") == 0)
		return read_subsystem(b, item, primitive);
	if (strcmp(row->name, "node") == 0)
		return read_node(b, item, primitive);
	if (strcmp(row->name, "doc") == 0)
		bxt_build_attributes(b, item);
	/* the settings of an included netlist are ignored */
	if (strcmp(row->name, "simulation") == 0 && primitive == 0)
		return read_simulation(b, item);
	if (strcmp(row->name, "record") == 0 && primitive == 0)
		return read_record(b, item);
	return BXT_OK; /* others are read before, or at the end of the scope */
}

bxt_status bxt_build_scope(bxt_builder *b, const bxt_item *item, int primitive)
{
	const size_t first_unbound = b->pending.n_unbound, first_unplaced = b->pending.n_unplaced;
	bxt_build_no_text(b, item);
	size_t word = 0; /* the next of the words */
	for (const bxt_item *c = bxt_item_child(item, NULL, NULL); c;
	     c = bxt_item_child(item, NULL, c)) {
		const bool known = item == b->words.scope;
		const bool is_word = known && word < b->words.n && b->words.item[word] == c;
		word += is_word;
		BXT_TRY(known && !is_word ? bxt_build_element(b, c, primitive)
					  : read_item(b, c, primitive));
	}
	BXT_TRY(bxt_build_bindings(b, first_unbound));
	for (const bxt_item *c = NULL; (c = bxt_build_word(b, item, "port", c));)
		BXT_TRY(read_port(b, c, primitive));
	BXT_TRY(bxt_build_placements(b, first_unplaced));
	BXT_TRY(bxt_build_signal_ids(b, item, primitive));
	for (const bxt_item *c = NULL; (c = bxt_build_word(b, item, "fix", c));)
		BXT_TRY(bxt_build_fix(b, c, primitive));
	for (const bxt_item *c = NULL; (c = bxt_build_word(b, item, "symmetry", c));)
		BXT_TRY(bxt_build_symmetry(b, c, primitive));
	return BXT_OK;
}

bxt_status bxt_build_inlines(bxt_builder *b, int source, const bxt_item *item)
{
	for (const bxt_item *c = NULL; (c = bxt_build_word(b, item, NULL, c));) {
		if (strcmp(c->name, "component") == 0)
			BXT_TRY(read_inline(b, source, c));
		else if (strcmp(c->name, "subsystem") == 0)
			BXT_TRY(bxt_build_inlines(b, source, c));
	}
	return BXT_OK;
}

/* ---- The whole ---- */

/* Reports declared nodes that are never used, and balance nodes where a flow cannot leave. */
static void check_nodes(bxt_builder *b)
{
	const bxt_network *net = b->net;
	for (size_t i = 0; i < net->n_nodes; i++) {
		const bxt_net_node *n = &net->nodes[i];
		if (b->files.frame_of[n->primitive]->repeated)
			continue; /* reported for the first inclusion */
		if (n->kind && n->kind->type == BXT_PORT_BALANCE && n->pins == 1)
			bxt_warning(b->d, n->place,
				    "node '%s' dangles: one port alone, so its flow is zero",
				    n->name);
		else if (n->pins == 0)
			bxt_warning(b->d, n->place, "node '%s' is not used", n->name);
	}
	for (size_t i = 0; i < net->n_ports; i++) {
		const bxt_net_port *port = &net->ports[i];
		const bxt_primitive *p = &net->primitives[port->primitive];
		const bxt_frame *frame = b->files.frame_of[port->primitive];
		/* whether the port of an included file is open depends on the includer */
		const bool included = p->parent >= 0 && b->files.frame_of[p->parent] != frame;
		if (port->connection >= 0 || (included ? frame->parent : frame)->repeated)
			continue;
		bxt_note(b->d, included ? p->place : port->place,
			 "port '%s%s%s' is open: nothing is connected to it", included ? p->id : "",
			 included ? "." : "", port->id);
	}
}

/* Lists n things by primitive: `which` selects the list, `of` gives the primitive of a thing. */
static bxt_status list_members(bxt_builder *b, size_t n, bxt_members *(*which)(bxt_primitive *),
			       int (*of)(const bxt_network *, size_t))
{
	bxt_network *net = b->net;
	for (size_t i = 0; i < n; i++)
		which(&net->primitives[of(net, i)])->n++;
	for (size_t p = 0; p < net->n_primitives; p++) {
		bxt_members *list = which(&net->primitives[p]);
		list->index = BXT_NEW(b->arena, int, (size_t)list->n);
		list->n = 0;
		if (!list->index)
			return BXT_ERR_MEMORY;
	}
	for (size_t i = 0; i < n; i++) {
		bxt_members *list = which(&net->primitives[of(net, i)]);
		list->index[list->n++] = (int)i;
	}
	return BXT_OK;
}

static bxt_members *instances_of(bxt_primitive *p)
{
	return &p->elements;
}

static bxt_members *nodes_of(bxt_primitive *p)
{
	return &p->nodes_inside;
}

static bxt_members *ports_of(bxt_primitive *p)
{
	return &p->ports;
}

static int primitive_of_element(const bxt_network *net, size_t i)
{
	return net->elements[i].primitive;
}

static int primitive_of_node(const bxt_network *net, size_t i)
{
	return net->nodes[i].primitive;
}

static int primitive_of_port(const bxt_network *net, size_t i)
{
	return net->ports[i].primitive;
}

static bxt_status list_all_members(bxt_builder *b)
{
	BXT_TRY(list_members(b, b->net->n_elements, instances_of, primitive_of_element));
	BXT_TRY(list_members(b, b->net->n_nodes, nodes_of, primitive_of_node));
	return list_members(b, b->net->n_ports, ports_of, primitive_of_port);
}

/* Keeps the time expressions as a tape, and in a graph without other expressions. */
static bxt_status keep_signals(bxt_builder *b)
{
	bxt_network *net = b->net;
	net->timed.n = (int)b->timed.n;
	if (net->timed.n == 0)
		return BXT_OK;
	net->timed.tape = bxt_tape_compile(b->timed.graph, b->timed.expression, net->timed.n);
	net->timed.graph = bxt_graph_new();
	net->timed.expression = BXT_NEW(b->arena, bxt_ex, b->timed.n);
	if (!net->timed.tape || !net->timed.graph || !net->timed.expression)
		return BXT_ERR_MEMORY;
	memcpy(net->timed.expression, b->timed.expression,
	       b->timed.n * sizeof *net->timed.expression);
	return bxt_ex_copy(net->timed.graph, b->timed.graph, net->timed.expression, net->timed.n);
}

static bxt_status build_network(bxt_builder *b, const struct bxt_netlist *netlist)
{
	const bxt_item *root = netlist->root;
	bxt_network *net = b->net;
	net->name = bxt_item_get(root, "name");
	BXT_TRY(BXT_GROW(net->primitives, b->room.primitives, 1));
	net->primitives[net->n_primitives++] =
		(bxt_primitive){.id = "", .path = "", .place = root->place, .parent = -1};
	BXT_TRY(bxt_build_words(b, root));
	BXT_TRY(bxt_build_top(b, netlist));
	BXT_TRY(bxt_build_scope(b, root, 0));
	BXT_TRY(bxt_build_frames(b));
	BXT_TRY(bxt_build_interconnections(b, root, 0));
	BXT_TRY(bxt_build_named_signals(b));
	BXT_TRY(bxt_build_signals(b, root, 0));
	BXT_TRY(bxt_build_default_inputs(b));
	BXT_TRY(bxt_build_sigma_groups(b));
	if (b->failed)
		return BXT_ERR_MEMORY;
	if (net->n_elements == 0)
		bxt_error(b->d, root->place,
			  "the netlist has no elements: there is nothing to simulate");
	if (bxt_diagnostics_count(b->d, BXT_ERROR) > b->errors_before)
		return BXT_ERR_MODEL;
	BXT_TRY(bxt_build_check_signals(b));
	if (bxt_diagnostics_count(b->d, BXT_ERROR) > b->errors_before)
		return BXT_ERR_MODEL;
	check_nodes(b);
	BXT_TRY(bxt_build_delays(b));
	BXT_TRY(bxt_build_element_symmetries(b));
	BXT_TRY(bxt_frame_keep_all(b));
	BXT_TRY(bxt_build_uses(b));
	BXT_TRY(bxt_build_frame_rows(b));
	BXT_TRY(list_all_members(b));
	bxt_build_symmetry_uses(b);
	BXT_TRIM(net->elements, b->room.elements, net->n_elements);
	BXT_TRIM(net->nodes, b->room.nodes, net->n_nodes);
	BXT_TRIM(net->initials, b->room.initials, net->n_initials);
	BXT_TRY(bxt_network_place_switches(net));
	BXT_TRY(bxt_build_keep(b, netlist));
	return bxt_graph_failed(b->timed.graph) ? BXT_ERR_MEMORY : keep_signals(b);
}

/* With the values of a list, in the order of elements, those of netlists first. */
static bxt_status build_with(bxt_builder b, const struct bxt_netlist *netlist, bxt_network **out)
{
	bxt_diagnostics *own = b.d ? NULL : bxt_diagnostics_new();
	*out = NULL;
	if (!b.d)
		b.d = own;
	b.net = calloc(1, sizeof *b.net);
	b.errors_before = bxt_diagnostics_count(b.d, BXT_ERROR);
	b.scratch = bxt_arena_new();
	b.timed.graph = bxt_graph_new();
	if (b.net)
		b.arena = b.net->arena = bxt_arena_new();
	bxt_names_begin(&b.names, b.net, b.scratch);
	bxt_status status = b.d && b.net && b.arena && b.scratch && b.timed.graph
				    ? build_network(&b, netlist)
				    : BXT_ERR_MEMORY;
	bxt_graph_free(b.timed.graph);
	bxt_map_free(&b.broken);
	bxt_map_free(&b.files.source_by_href);
	bxt_buffer_free(&b.files.key);
	for (size_t i = 0; i < b.files.n_sources; i++)
		bxt_netfile_release(b.files.sources[i]);
	bxt_curve_tables_free(b.files.tables);
	free(b.files.sources);
	free(b.files.frame_of);
	free(b.timed.index_of);
	free(b.pending.unbound);
	free(b.pending.unplaced);
	free(b.files.inlines);
	free(b.words.item);
	free(b.timed.expression);
	free(b.wires);
	free(b.signal_items);
	bxt_map_free(&b.reading_of);
	bxt_names_end(&b.names);
	bxt_arena_free(b.scratch); /* holds the sources */
	bxt_diagnostics_free(own);
	if (status == BXT_OK)
		*out = b.net;
	else
		bxt_network_free(b.net);
	return status;
}

bxt_status bxt_network_build(const struct bxt_netlist *netlist, bxt_library *library,
			     bxt_diagnostics *d, bxt_network **out)
{
	return build_with((bxt_builder){.library = library, .d = d}, netlist, out);
}

static int by_owner(const void *a, const void *b)
{
	const bxt_override *x = a, *y = b;
	return x->element != y->element ? (x->element > y->element) - (x->element < y->element)
					: (x->index > y->index) - (x->index < y->index);
}

bxt_status bxt_network_rebuild(const bxt_network *from, const bxt_override *list, size_t n,
			       bxt_diagnostics *d, bxt_network **out)
{
	*out = NULL;
	if (from->origin.netlist->revision != from->origin.revision) {
		bxt_error(d, from->primitives[0].place,
			  "the netlist was edited after the model was compiled: its parameters "
			  "cannot be set any more");
		return BXT_ERR_ARGUMENT;
	}
	bxt_override *sorted = malloc((n + 1) * sizeof *sorted);
	if (!sorted)
		return BXT_ERR_MEMORY;
	memcpy(sorted, list, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, by_owner);
	const bxt_builder b = {.library = from->origin.library,
			       .d = d,
			       .again.from = from,
			       .again.override = sorted,
			       .again.n_override = n};
	/* queries of expressions use scratch of their graphs, which all rebuilt networks share */
	bxt_library_hold(from->origin.library);
	const bxt_status status = build_with(b, from->origin.netlist, out);
	bxt_library_let_go(from->origin.library);
	free(sorted);
	return status;
}

bxt_network *bxt_network_free(bxt_network *net)
{
	if (!net)
		return NULL;
	if (net->shared) {
		free(net->elements);
		bxt_arena_free(net->arena);
		free(net);
		return NULL;
	}
	for (size_t i = 0; i < net->n_types; i++)
		if (!net->origin.borrowed[i])
			bxt_type_release(net->types[i]);
	bxt_map_free(&net->type_by_key);
	free(net->origin.borrowed);
	free(net->origin.curves);
	for (size_t i = 0; i < net->n_primitives; i++) {
		bxt_map_free(&net->primitives[i].ids);
		bxt_map_free(&net->primitives[i].nodes);
		bxt_map_free(&net->primitives[i].signals);
	}
	bxt_tape_free(net->timed.tape);
	bxt_graph_free(net->timed.graph);
	free(net->types);
	free(net->elements);
	free(net->nodes);
	free(net->ports);
	free(net->connections);
	free(net->primitives);
	free(net->initials);
	free(net->fixes);
	free(net->signal_ids);
	for (size_t i = 0; i < net->n_symmetries; i++)
		if (net->symmetries[i].own)
			bxt_vector_field_release(net->symmetries[i].own);
	free(net->symmetries);
	for (size_t i = 0; i < net->origin.n_included; i++)
		bxt_netlist_free(net->origin.included[i]);
	free(net->origin.included);
	free(net->inputs);
	free(net->simulation.settings);
	bxt_arena_free(net->arena);
	free(net);
	return NULL;
}
