/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of a model as lists (boxtimes_model.h). Each list is made at the first request, and
 * kept with the system (bxt_kept).
 */

#include "boxtimes_model.h"
#include "ground/base/text.h"
#include "model/names/path_end.h"
#include "model/network/parameters.h"
#include "model/system/parts.h"
#include "run/account/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The parts of one sort. */
struct list {
	bool made;
	bxt_part_info *info; /* (n) */
	size_t n;
	bxt_map by_path;
};

struct parts {
	const bxt_system *system;
	bxt_arena *arena;
	struct list list[BXT_PART_COUNT];
	bxt_recorder *signals;    /* owns the texts of BXT_PART_SIGNAL */
	int *of_element;          /* (elements of the network) index among parts, -1: none */
	int *element;             /* the reverse */
	const char ***port_names; /* (types of the network) NULL: not made yet */
	long **nodes;             /* (parts) nodes of an element's ports; NULL: not made yet */
};

/* ---- One part ---- */

static bxt_part_info at_place(bxt_place place, int primitive)
{
	return (bxt_part_info){.size = sizeof(bxt_part_info),
			       .kind = "",
			       .unit = "",
			       .doc = "",
			       .file = place.file,
			       .line = place.line,
			       .parent = primitive - 1L,
			       .value = NAN,
			       .least = -INFINITY,
			       .most = INFINITY};
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

/* The parent is the element's by its index in the network. */
static bxt_part_info of_element(const bxt_network *net, size_t i)
{
	const bxt_element *e = &net->elements[i];
	const bxt_component *c = net->types[e->type]->component;
	bxt_part_info info = at_place(e->place, e->primitive);
	info.kind = c->name;
	info.doc = or_empty(c->doc);
	return info;
}

static bxt_part_info of_parameter(const struct parts *p, const bxt_parameter_ref *ref,
				  bxt_status *status)
{
	const bxt_network *net = p->system->net;
	bxt_part_info info;
	if (ref->element < 0) {
		const bxt_own_parameter *own = &net->parameters[ref->index];
		info = at_place(own->declared->place, 0);
		info.unit = own->unit;
		info.doc = bxt_item_content(p->arena, own->declared);
		if (!info.doc)
			*status = BXT_ERR_MEMORY;
	} else {
		const bxt_parameter *declared = ref->declared;
		info = at_place(net->elements[ref->element].place, 0);
		info.unit = declared->si;
		info.doc = or_empty(declared->doc);
		info.parent = p->of_element[ref->element];
		info.least = declared->min;
		info.most = declared->max;
		info.positive = declared->positive;
	}
	info.value = bxt_parameter_value(net, ref);
	info.tunable = bxt_parameter_is_tunable(net, ref);
	return info;
}

static int primitive_of(const bxt_network *net, const bxt_coord_info *c)
{
	return c->type == BXT_COORD_ELEMENT ? net->elements[c->owner].primitive
	       : c->type == BXT_COORD_NODE  ? net->nodes[c->owner].primitive
					    : net->ports[c->owner].primitive;
}

static const char *name_of_kind(const bxt_port_kind *kind)
{
	return kind ? kind->name : "";
}

static bxt_part_info of_coordinate(const struct parts *p, size_t x)
{
	const bxt_system *s = p->system;
	const bxt_network *net = s->net;
	const bxt_coord_info *c = &s->dirac.coord[s->coord_of_x[x]];
	bxt_part_info info = at_place(bxt_dirac_coord_place(net, c), primitive_of(net, c));
	info.kind = c->type == BXT_COORD_ELEMENT
			    ? net->types[net->elements[c->owner].type]->component->name
		    : c->type == BXT_COORD_NODE ? name_of_kind(net->nodes[c->owner].kind)
						: name_of_kind(bxt_port_kind_of(net, c->owner));
	info.unit = bxt_unit_of_coordinate(p->arena, net, c, BXT_OF_COORDINATE).text;
	info.massless = s->pinned[x];
	return info;
}

static bxt_part_info of_row(const struct parts *p, size_t i)
{
	const bxt_system *s = p->system;
	const bxt_network *net = s->net;
	const bxt_row_info *row = &s->dirac.row[bxt_row_outside(s, (int)i)];
	const int primitive = row->family == BXT_FAMILY_NODE ? net->nodes[row->owner].primitive
			      : bxt_family_is_of_element(row->family)
				      ? net->elements[row->owner].primitive
				      : net->connections[row->owner].primitive;
	bxt_part_info info = at_place(bxt_dirac_row_place(net, row), primitive);
	info.kind = bxt_family_names[row->family];
	info.unit = bxt_unit_of_row(p->arena, net, row, false).text;
	info.is_position =
		row->family == BXT_FAMILY_CONSTRAINT && net->types[net->elements[row->owner].type]
								->component->constraints[row->local]
								.position;
	return info;
}

/* The node's row, if it has one, follows from the others. */
static bool is_reference(const bxt_system *s, size_t node)
{
	const int row = s->where.node_row[node];
	return row >= 0 && s->dirac.row[row].reference;
}

/* ---- Paths ---- */

/* The rows of a connection with several rows are numbered: "c1.2", as in c1.2.lambda. */
static const char *path_of_row(const struct parts *p, size_t i, bxt_buffer *b)
{
	const bxt_system *s = p->system;
	const size_t k = (size_t)bxt_row_outside(s, (int)i);
	const bxt_row_info *row = &s->dirac.row[k];
	bxt_dirac_row_name(s->net, row, b);
	const bool several =
		row->local > 0 ||
		(k + 1 < s->dirac.m && row[1].family == row->family && row[1].owner == row->owner);
	if (row->family == BXT_FAMILY_CONNECTION && several)
		bxt_buffer_printf(b, ".%d", row->local + 1);
	return b->failed ? "" : b->text;
}

static const char *path_of(const struct parts *p, bxt_part part, size_t i, bxt_buffer *b)
{
	const bxt_system *s = p->system;
	const bxt_network *net = s->net;
	switch (part) {
	case BXT_PART_SUBSYSTEM:
		return bxt_network_path(net, (int)i + 1, "", b);
	case BXT_PART_ELEMENT: {
		const bxt_element *e = &net->elements[p->element[i]];
		return bxt_network_path(net, e->primitive, e->id, b);
	}
	case BXT_PART_NODE:
		return bxt_network_path(net, net->nodes[i].primitive, net->nodes[i].name, b);
	case BXT_PART_PORT:
		return bxt_network_path(net, net->ports[i].primitive, net->ports[i].id, b);
	case BXT_PART_CONNECTION:
		return bxt_network_path(net, net->connections[i].primitive, net->connections[i].id,
					b);
	case BXT_PART_COORDINATE:
		return bxt_system_x_name(s, (int)i, b);
	case BXT_PART_ROW:
		return path_of_row(p, i, b);
	default:
		return "";
	}
}

/* ---- Lists ---- */

/* Describes the part with index i in its list of the network. */
static bxt_part_info info_of(const struct parts *p, bxt_part part, size_t i)
{
	const bxt_network *net = p->system->net;
	bxt_part_info info = {0};
	switch (part) {
	case BXT_PART_SUBSYSTEM:
		info = at_place(net->primitives[i + 1].place, net->primitives[i + 1].parent);
		break;
	case BXT_PART_ELEMENT:
		info = of_element(net, (size_t)p->element[i]);
		break;
	case BXT_PART_NODE:
		info = at_place(net->nodes[i].place, net->nodes[i].primitive);
		info.kind = name_of_kind(net->nodes[i].kind);
		info.is_reference = is_reference(p->system, i);
		break;
	case BXT_PART_PORT:
		info = at_place(net->ports[i].place, net->ports[i].primitive);
		info.kind = name_of_kind(bxt_port_kind_of(net, (int)i));
		break;
	case BXT_PART_CONNECTION:
		info = at_place(net->connections[i].place, net->connections[i].primitive);
		info.kind = name_of_kind(net->connections[i].kind);
		break;
	case BXT_PART_COORDINATE:
		info = of_coordinate(p, i);
		break;
	case BXT_PART_ROW:
		info = of_row(p, i);
		break;
	default:
		break;
	}
	return info;
}

static size_t count(const struct parts *p, bxt_part part)
{
	const bxt_system *s = p->system;
	const bxt_network *net = s->net;
	size_t n = 0;
	switch (part) {
	case BXT_PART_SUBSYSTEM:
		return net->n_primitives - 1;
	case BXT_PART_ELEMENT:
		for (size_t i = 0; i < net->n_elements; i++)
			n += p->of_element[i] >= 0;
		return n;
	case BXT_PART_NODE:
		return net->n_nodes;
	case BXT_PART_PORT:
		return net->n_ports;
	case BXT_PART_CONNECTION:
		return net->n_connections;
	case BXT_PART_COORDINATE:
		return (size_t)s->n;
	case BXT_PART_ROW:
		return (size_t)bxt_rows_outside(s);
	default:
		return 0;
	}
}

/* One with the path in the buffer, which is copied. */
static bxt_status add(const struct parts *p, struct list *list, bxt_part_info info,
		      const char *path)
{
	info.path = bxt_arena_strdup(p->arena, path);
	if (!info.path || !info.unit)
		return BXT_ERR_MEMORY;
	if (bxt_map_get(&list->by_path, info.path) < 0)
		BXT_TRY(bxt_map_put(&list->by_path, info.path, (int)list->n));
	list->info[list->n++] = info;
	return BXT_OK;
}

static bxt_status make_plain(struct parts *p, bxt_part part, struct list *list, bxt_buffer *b)
{
	const size_t n = count(p, part);
	bxt_status status = BXT_OK;
	if (!(list->info = BXT_NEW(p->arena, bxt_part_info, n)))
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < n && status == BXT_OK; i++) {
		const char *path = path_of(p, part, i, b);
		status = b->failed ? BXT_ERR_MEMORY : add(p, list, info_of(p, part, i), path);
	}
	return status;
}

static bxt_status make_parameters(struct parts *p, struct list *list, bxt_buffer *b)
{
	bxt_parameter_ref *ref;
	size_t n;
	bxt_status status = BXT_OK;
	BXT_TRY(bxt_network_parameters(p->system->net, p->arena, &ref, &n));
	if (!(list->info = BXT_NEW(p->arena, bxt_part_info, n)))
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < n && status == BXT_OK; i++) {
		const bxt_part_info info = of_parameter(p, &ref[i], &status);
		const char *path = bxt_parameter_path(p->system->net, &ref[i], b);
		if (status == BXT_OK)
			status = b->failed ? BXT_ERR_MEMORY : add(p, list, info, path);
	}
	return status;
}

static bxt_status make_signals(struct parts *p, struct list *list)
{
	if (!p->signals)
		BXT_TRY(bxt_recorder_all(p->system, &p->signals));
	const bxt_recorder *r = p->signals;
	if (!(list->info = BXT_NEW(p->arena, bxt_part_info, r->n)))
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < r->n; i++) {
		bxt_part_info info = at_place(BXT_NOWHERE, 0);
		info.kind = bxt_signal_group_name(r->signals[r->of_column[i]].group);
		info.unit = r->columns[i].unit;
		BXT_TRY(add(p, list, info, r->columns[i].name));
	}
	return BXT_OK;
}

/* Lists the inputs of a model. A network that is not compiled has none yet. */
static bxt_status make_inputs(struct parts *p, struct list *list)
{
	const bxt_network *net = p->system->net;
	bxt_status status = BXT_OK;
	if (!(list->info = BXT_NEW(p->arena, bxt_part_info, (size_t)net->n_given)))
		return BXT_ERR_MEMORY;
	for (int k = 0; k < net->n_given && status == BXT_OK; k++) {
		const bxt_net_input *input = &net->inputs[k];
		bxt_part_info info = at_place(input->place, input->primitive);
		info.unit = input->unit;
		info.doc = input->doc;
		info.value = input->value;
		status = add(p, list, info, input->path);
	}
	return status;
}

static bxt_status make_list(struct parts *p, bxt_part part)
{
	struct list *list = &p->list[part];
	bxt_buffer b = {0};
	if (list->made)
		return BXT_OK;
	list->n = 0; /* of an earlier attempt, when memory ended */
	bxt_map_free(&list->by_path);
	const bxt_status status = part == BXT_PART_PARAMETER ? make_parameters(p, list, &b)
				  : part == BXT_PART_SIGNAL  ? make_signals(p, list)
				  : part == BXT_PART_INPUT   ? make_inputs(p, list)
							     : make_plain(p, part, list, &b);
	bxt_buffer_free(&b);
	list->made = status == BXT_OK;
	return status;
}

/* ---- All lists ---- */

static void free_parts(void *memory)
{
	struct parts *p = memory;
	for (int k = 0; k < BXT_PART_COUNT; k++)
		bxt_map_free(&p->list[k].by_path);
	bxt_recorder_free(p->signals);
	bxt_arena_free(p->arena);
	free(p);
}

static struct parts *new_parts(const bxt_system *s)
{
	const bxt_network *net = s->net;
	struct parts *p = calloc(1, sizeof *p);
	if (!p || !(p->arena = bxt_arena_new())) {
		free(p);
		return NULL;
	}
	p->system = s;
	p->of_element = BXT_NEW(p->arena, int, net->n_elements);
	p->element = BXT_NEW(p->arena, int, net->n_elements);
	p->port_names = BXT_NEW(p->arena, const char **, net->n_types);
	p->nodes = BXT_NEW(p->arena, long *, net->n_elements);
	if (!p->of_element || !p->element || !p->port_names || !p->nodes) {
		free_parts(p);
		return NULL;
	}
	for (int i = 0, n = 0; i < (int)net->n_elements; i++) {
		const bool shown = !net->elements[i].is_interaction && net->elements[i].id;
		p->of_element[i] = shown ? n : -1;
		if (shown)
			p->element[n++] = i;
	}
	return p;
}

/* Returns the parts of a system, locked until let_go(); NULL when out of memory. */
static struct parts *take(const bxt_system *s)
{
	pthread_mutex_lock(&s->kept->lock);
	if (!s->kept->memory) {
		s->kept->memory = new_parts(s);
		s->kept->free = free_parts;
	}
	return s->kept->memory;
}

static void let_go(const bxt_system *s)
{
	pthread_mutex_unlock(&s->kept->lock);
}

/* Returns a list, which is not changed once it is made. NULL when out of memory. */
static const struct list *find_list(const bxt_system *s, bxt_part part)
{
	struct parts *p = take(s);
	const bool made = p && make_list(p, part) == BXT_OK;
	let_go(s);
	return made ? &p->list[part] : NULL;
}

static bool is_part(bxt_part part)
{
	return (int)part >= 0 && part < BXT_PART_COUNT;
}

size_t bxt_system_count(const bxt_system *system, bxt_part part)
{
	const struct list *list = system && is_part(part) ? find_list(system, part) : NULL;
	return list ? list->n : 0;
}

bxt_status bxt_system_part(const bxt_system *system, bxt_part part, size_t i, bxt_part_info *out)
{
	BXT_NEEDS(NULL, system);
	BXT_NEEDS(NULL, out);
	if (!is_part(part))
		return BXT_ERR_ARGUMENT;
	const struct list *list = find_list(system, part);
	if (!list)
		return BXT_ERR_MEMORY;
	return i < list->n ? bxt_give_sized(&list->info[i], sizeof *out, out, "bxt_part_info", NULL)
			   : BXT_ERR_ARGUMENT;
}

/* ---- By name ---- */

/* Is `end` a final part of the path that begins after a point? "node(m).x" is one of
 * "node(loop.m).x". */
static bool is_end(const char *path, const char *end)
{
	const char *open = strchr(path, '('), *open_end = strchr(end, '(');
	if (!open != !open_end)
		return false;
	if (open) {
		if (open - path != open_end - end || strncmp(path, end, (size_t)(open - path)) != 0)
			return false;
		path = open + 1;
		end = open_end + 1;
	}
	return bxt_path_fits_text(path, end) == BXT_PATH_END;
}

/* Names of quantities need their owner: "R" alone is the end of too many paths. */
static bool is_quantity(bxt_part part)
{
	return part == BXT_PART_PARAMETER || part == BXT_PART_SIGNAL || part == BXT_PART_COORDINATE;
}

static const char *const nouns[BXT_PART_COUNT] = {
	[BXT_PART_SUBSYSTEM] = "subsystem",
	[BXT_PART_ELEMENT] = "element",
	[BXT_PART_NODE] = "node",
	[BXT_PART_PORT] = "port",
	[BXT_PART_CONNECTION] = "connection",
	[BXT_PART_PARAMETER] = "parameter",
	[BXT_PART_INPUT] = "input",
	[BXT_PART_SIGNAL] = "signal",
	[BXT_PART_COORDINATE] = "coordinate",
	[BXT_PART_ROW] = "row",
};

static void report_unknown(const struct list *list, bxt_part part, const char *path,
			   bxt_diagnostics *d)
{
	bxt_nearest_search near = {.name = path};
	for (size_t i = 0; i < list->n && d; i++)
		bxt_nearest_offer(&near, list->info[i].path);
	bxt_error(d, BXT_NOWHERE, "no %s '%s'%s%s%s", nouns[part], path,
		  near.best ? " (did you mean '" : "", near.best ? near.best : "",
		  near.best ? "'?)" : "");
}

long bxt_system_find(const bxt_system *system, bxt_part part, const char *path, bxt_diagnostics *d)
{
	if (!system || !path || !is_part(part)) {
		bxt_missing(d, __func__, !system ? "system" : !path ? "path" : "part");
		return -1;
	}
	const struct list *list = find_list(system, part);
	if (!list) {
		bxt_error(d, BXT_NOWHERE, "out of memory");
		return -1;
	}
	long found = bxt_map_get(&list->by_path, path);
	if (found >= 0)
		return found;
	const bool may_be_end = !is_quantity(part) || strchr(path, '.') || strchr(path, '(');
	for (size_t i = 0; i < list->n && may_be_end; i++) {
		if (!is_end(list->info[i].path, path))
			continue;
		if (found >= 0) {
			bxt_error(d, BXT_NOWHERE, "the %s '%s' is ambiguous: '%s' or '%s'",
				  nouns[part], path, list->info[found].path, list->info[i].path);
			return -1;
		}
		found = (long)i;
	}
	if (found < 0)
		report_unknown(list, part, path, d);
	return found;
}

/* ---- Ports of elements ---- */

static bool make_ports(struct parts *p, size_t i)
{
	const bxt_network *net = p->system->net;
	const bxt_element *e = &net->elements[p->element[i]];
	const bxt_component *c = net->types[e->type]->component;
	const char ***names = &p->port_names[e->type];
	if (!*names) {
		const char **list = BXT_NEW(p->arena, const char *, (size_t)c->n_ports);
		for (int k = 0; list && k < c->n_ports; k++)
			list[k] = c->ports[k].name;
		*names = list;
	}
	if (!p->nodes[i]) {
		long *nodes = BXT_NEW(p->arena, long, (size_t)c->n_ports);
		for (int k = 0; nodes && k < c->n_ports; k++)
			nodes[k] = e->node[k] < 0 ? -1 : e->node[k];
		p->nodes[i] = nodes;
	}
	return *names && p->nodes[i];
}

size_t bxt_system_element_ports(const bxt_system *system, size_t i, const long **node,
				const char *const **name)
{
	if (node)
		*node = NULL;
	if (name)
		*name = NULL;
	if (i >= bxt_system_count(system, BXT_PART_ELEMENT))
		return 0;
	struct parts *p = take(system);
	const bxt_element *e = &system->net->elements[p->element[i]];
	const bool made = make_ports(p, i);
	if (made && node)
		*node = p->nodes[i];
	if (made && name)
		*name = p->port_names[e->type];
	let_go(system);
	return made ? (size_t)system->net->types[e->type]->component->n_ports : 0;
}
