/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Points and directions that elements give in axes of the ground at the start pose. With the start
 * pose (x, R) of the node at a port, as it is written,
 *
 *     point:     p = R^T (at - x)
 *     n, s, t:   R^T of the direction, and of two unit vectors at right angles to it and each other
 *
 * become parameters of the element, that is constants in the local frame, as if written there.
 */
#include "model/builder/builder.h"

#include <math.h>
#include <string.h>

/* A start pose: coordinates of a kind with a frame. */
typedef double pose[BXT_PORT_MAX_COORDINATES];

/* The attribute of an element, as read. */
struct placed {
	bxt_builder *b;
	const bxt_item *item;
	double v[3];
	double part[BXT_PLACEMENT_PARTS][3];
};

/* Poses of all nodes with frames, (n_nodes); NULL when memory ends. */
static pose *list_poses(bxt_builder *b)
{
	const bxt_network *net = b->net;
	pose *poses = BXT_NEW(b->scratch, pose, net->n_nodes);
	for (size_t i = 0; poses && i < net->n_nodes; i++)
		if (net->nodes[i].kind)
			memcpy(poses[i], net->nodes[i].kind->fixed, sizeof poses[i]);
	for (size_t i = 0; poses && i < net->n_initials; i++) {
		const bxt_initial *w = &net->initials[i];
		if (w->node >= 0 && !w->is_flow && !w->is_momentum && w->coordinate >= 0)
			poses[w->node][w->coordinate] = w->value;
	}
	return poses;
}

/* Three numbers with white space or commas between them. */
static bool read_vector(struct placed *p, const char *attribute, const char *unit)
{
	return bxt_build_numbers(p->b, bxt_item_get(p->item, attribute), unit,
				 bxt_build_describe(p->b, p->item, "attribute", attribute),
				 p->item->place, (bxt_numbers){p->v, 3});
}

/* n, and s and t: from the axis of the ground that is farthest from n. */
static bool make_directions(struct placed *p, const char *attribute)
{
	double *n = p->part[BXT_PLACEMENT_N], *s = p->part[BXT_PLACEMENT_S],
	       *t = p->part[BXT_PLACEMENT_T], length = hypot(hypot(p->v[0], p->v[1]), p->v[2]);
	int far = 0;
	if (!(length > 0)) {
		bxt_error(p->b->d, p->item->place, "%s has no direction: all its numbers are 0",
			  bxt_build_describe(p->b, p->item, "attribute", attribute));
		return false;
	}
	for (int i = 0; i < 3; i++) {
		n[i] = p->v[i] / length;
		far = fabs(n[i]) < fabs(n[far]) ? i : far;
	}
	length = sqrt((1 - n[far]) * (1 + n[far]));
	for (int i = 0; i < 3; i++)
		s[i] = ((i == far) - n[far] * n[i]) / length;
	for (int i = 0; i < 3; i++)
		t[i] = n[(i + 1) % 3] * s[(i + 2) % 3] - n[(i + 2) % 3] * s[(i + 1) % 3];
	return true;
}

/* The vector of the ground in the frame, into the parameters of the placement. */
static void set_parameters(struct placed *p, const bxt_placement *of, const double *x,
			   const bxt_unplaced *u)
{
	bxt_element *e = &p->b->net->elements[u->element];
	const bxt_port_kind *kind = u->component->ports[of->port].kind;
	const double *v = p->part[of->part], *r = x + kind->frame;
	for (int j = 0; j < 3; j++) {
		const int index = bxt_type_parameter(u->component, of->parameter[j]);
		const char *name = u->component->parameters[of->parameter[j]].name;
		double value = 0;
		if (bxt_item_get(p->item, name))
			bxt_error(p->b->d, p->item->place,
				  "%s is given twice: %s=\"%s\" tells it, too: leave one out",
				  bxt_build_describe(p->b, p->item, "parameter", name),
				  of->attribute, bxt_item_get(p->item, of->attribute));
		for (int i = 0; i < 3; i++)
			value += r[3 * j + i] *
				 (v[i] - (of->part == BXT_PLACEMENT_POINT ? x[i] : 0));
		e->parameter[index] = value;
		bxt_build_override(p->b, u->element, index, &e->parameter[index]);
	}
}

/*
 * A node that a port exports, without written initial values, starts at the position of the nodes
 * that a <connect> joins to it (start/start.c). That position is not known here, so points and
 * directions in axes of the ground cannot be converted.
 */
static bool is_told(bxt_builder *b, const bxt_unplaced *u, int node, const char *attribute)
{
	const bxt_network *net = b->net;
	bool exported = false;
	for (size_t i = 0; i < net->n_ports && !exported; i++)
		exported = net->ports[i].node == node;
	for (size_t i = 0; i < net->n_initials && exported; i++)
		exported = net->initials[i].node != node || net->initials[i].is_flow;
	if (exported)
		bxt_error(b->d, u->item->place,
			  "%s: nothing is written of where node '%s' starts, which a port exports: "
			  "write <node id=\"%s\" kind=\"%s\" x=\"...\"/>",
			  bxt_build_describe(b, u->item, "attribute", attribute),
			  net->nodes[node].name, net->nodes[node].name,
			  net->nodes[node].kind->name);
	return !exported;
}

static void place_element(bxt_builder *b, const bxt_unplaced *u, pose *poses)
{
	const bxt_component *c = u->component;
	const bxt_element *e = &b->net->elements[u->element];
	for (int i = 0; i < c->geometry.n_placements && e->type >= 0; i++) {
		const bxt_placement *of = &c->geometry.placements[i];
		struct placed p = {.b = b, .item = u->item};
		bool first = bxt_item_get(u->item, of->attribute) != NULL, good = false;
		for (int k = 0; k < i; k++)
			first = first &&
				strcmp(c->geometry.placements[k].attribute, of->attribute) != 0;
		if (!first)
			continue;
		if (of->part == BXT_PLACEMENT_POINT) {
			good = read_vector(&p, of->attribute, "m");
			memcpy(p.part[BXT_PLACEMENT_POINT], p.v, sizeof p.v);
		} else {
			good = read_vector(&p, of->attribute, "") &&
			       make_directions(&p, of->attribute);
		}
		for (int k = i; k < c->geometry.n_placements && good; k++) {
			const bxt_placement *to = &c->geometry.placements[k];
			const int node = e->node[to->port];
			if (strcmp(to->attribute, of->attribute) == 0 &&
			    (node < 0 || is_told(b, u, node, of->attribute)))
				set_parameters(
					&p, to,
					node < 0 ? c->ports[to->port].kind->fixed : poses[node], u);
		}
	}
}

bxt_status bxt_build_placements(bxt_builder *b, size_t first)
{
	if (b->pending.n_unplaced == first)
		return BXT_OK;
	pose *poses = list_poses(b);
	if (!poses)
		return BXT_ERR_MEMORY;
	for (size_t i = first; i < b->pending.n_unplaced; i++)
		place_element(b, &b->pending.unplaced[i], poses);
	b->pending.n_unplaced = first;
	return b->failed ? BXT_ERR_MEMORY : BXT_OK;
}
