/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks all signals: each input is connected once, and no signal depends on itself. */
#include "model/builder/builder.h"

#include <string.h>

/* The search for algebraic loops over signals and states, coordinates with a relation. */
struct signals {
	bxt_builder *b;
	int *first;  /* (elements + 1) number of the first own coordinate */
	int *wire;   /* (first[n]) element that defines it, or -1 */
	int *mark;   /* (first[n]) 0 new, 1 on the current path, 2 done */
	int *way, n; /* (first[n]) the current path */
	int *next;   /* (first[n]) number of slopes of its relation already visited */
};

static const bxt_element_type *type_of(const bxt_network *net, int element)
{
	return net->types[net->elements[element].type];
}

/* Can the element have signals? Readers of multipliers, like flows, are part of Newton's equations
 * and close no loop. */
static bool has_signals(const bxt_network *net, int element)
{
	return !net->elements[element].is_interaction || net->elements[element].is_signal;
}

static bool has_relation(const bxt_network *net, int element, int coordinate)
{
	const bxt_component *c = type_of(net, element)->component;
	return coordinate < c->n_coordinates && c->coordinates[coordinate].role != BXT_PLAIN;
}

/* The number of the signal that slope k of a relation's row reads; -1: no signal; -2: no more
 * slopes. `row` is local in the type of `reader`; bound coordinates belong to other elements. */
static int read_by(const struct signals *s, int reader, int row, int k)
{
	const bxt_network *net = s->b->net;
	const bxt_element_type *type = type_of(net, reader);
	const bxt_output_set *set = &type->set[BXT_SET_JAC_EXTERNAL];
	if (k >= set->n)
		return -2;
	const bxt_entry *e = &set->entries[k];
	if (e->row != row || e->col == row || e->term != BXT_FV) /* itself: reads_itself */
		return -1;
	const int bound = e->col - type->n_own - type->n_shared;
	const int owner = bound >= 0 ? net->elements[reader].bound[bound].element : reader,
		  own = bound >= 0 ? net->elements[reader].bound[bound].coordinate : e->col;
	if (owner < 0 || (bound < 0 && e->col >= type->n_own) || !has_signals(net, owner) ||
	    !has_relation(net, owner, own))
		return -1;
	return s->first[owner] + own;
}

/* Does f in the relation 0 = f - v depend on v itself? Then the slope by v is not just -1. */
static bool reads_itself(const struct signals *s, int reader, int row)
{
	const bxt_element_type *type = type_of(s->b->net, reader);
	const int v = bxt_type_var_v(type) + row;
	double slope = -1;
	bool other = false;
	bxt_ex f = type->formulas.external[row], by_v;
	bxt_graph *g = bxt_graph_new(); /* that of the type may belong to several threads */
	if (g && bxt_ex_copy(g, type->formulas.graph, &f, 1) == BXT_OK) {
		bxt_ex_gradient(g, f, &v, 1, &by_v);
		other = !bxt_graph_failed(g) && (!bxt_ex_is_const(g, by_v, &slope) || slope != -1);
	}
	s->b->failed = s->b->failed || !g || bxt_graph_failed(g);
	bxt_graph_free(g);
	return other;
}

static int instance_of(const struct signals *s, int number)
{
	int low = 0, high = (int)s->b->net->n_elements;
	while (high - low > 1) {
		const int middle = (low + high) / 2;
		*(s->first[middle] <= number ? &low : &high) = middle;
	}
	while (s->first[low + 1] == s->first[low])
		low--;
	return low;
}

/* The next signal that number v reads without delay; -1: no more. */
static int next_read(struct signals *s, int v)
{
	const bxt_network *net = s->b->net;
	const int i = instance_of(s, v), wire = s->wire[v];
	const bxt_element_type *type = wire < 0 ? NULL : type_of(net, wire);
	int reader = i, row = v - s->first[i];
	for (int a = 0; wire >= 0 && a < type->nl - type->n_own - type->n_shared; a++)
		if (net->elements[wire].bound[a].element == i &&
		    net->elements[wire].bound[a].coordinate == row) {
			reader = wire;
			row = type->n_own + type->n_shared + a;
			break;
		}
	const bxt_role role = type_of(net, i)->component->coordinates[v - s->first[i]].role;
	if (role == BXT_DELAYED) /* it reads earlier values, and no present ones */
		return -1;
	if (s->next[v] == 0) {
		s->next[v]++;
		if ((wire >= 0 || role != BXT_SIGNAL_IN) && reads_itself(s, reader, row))
			return v;
	}
	for (;;) {
		const int found = read_by(s, reader, row, s->next[v]++ - 1);
		if (found == -2)
			return -1;
		if (found >= 0)
			return found;
	}
}

static void tell_loop(struct signals *s, int from)
{
	const bxt_network *net = s->b->net;
	bxt_buffer names = {0}, path = {0};
	int k = s->n - 1;
	while (s->way[k] != from)
		k--;
	for (int j = s->n; j >= k; j--) { /* in the order in which they act */
		const int v = s->way[j == s->n ? k : j], i = instance_of(s, v);
		const bxt_coordinate *q = &type_of(net, i)->component->coordinates[v - s->first[i]];
		const bool whole = net->elements[i].is_signal; /* its id is its whole name */
		bxt_buffer_printf(&names, "%s%s%s%s", j < s->n ? " -> " : "",
				  bxt_network_path(net, net->elements[i].primitive,
						   net->elements[i].id, &path),
				  whole ? "" : ".", whole ? "" : q->flow);
	}
	bxt_error(s->b->d, net->elements[instance_of(s, from)].place,
		  "an algebraic loop of signals: %s; a state or a sample must stand in it",
		  names.text ? names.text : "?");
	s->b->failed = s->b->failed || names.failed || path.failed;
	bxt_buffer_free(&names);
	bxt_buffer_free(&path);
}

/* Depth first, without recursion; reports each loop where it closes. */
static void find_loops(struct signals *s, int total)
{
	for (int start = 0; start < total; start++) {
		if (s->mark[start] || !has_relation(s->b->net, instance_of(s, start),
						    start - s->first[instance_of(s, start)]))
			continue;
		s->way[s->n++] = start;
		s->mark[start] = 1;
		while (s->n > 0) {
			const int v = s->way[s->n - 1], read = next_read(s, v);
			if (read < 0) {
				s->mark[v] = 2;
				s->n--;
			} else if (s->mark[read] == 1) {
				tell_loop(s, read);
			} else if (s->mark[read] == 0) {
				s->mark[read] = 1;
				s->way[s->n++] = read;
			}
		}
	}
}

/* Finds the element that defines each input; reports a second one. */
static void mark_wires(struct signals *s)
{
	const bxt_network *net = s->b->net;
	bxt_buffer path = {0};
	for (size_t i = 0; i < s->b->n_wires; i++) {
		const bxt_wire *w = &s->b->wires[i];
		const bxt_element *e = &net->elements[w->element];
		int *wire = &s->wire[s->first[w->element] + w->coordinate];
		if (*wire >= 0)
			bxt_error(s->b->d, net->elements[w->wire].place,
				  "<signal> to=\"%s.%s\": the input is connected already, in line "
				  "%d",
				  bxt_network_path(net, e->primitive, e->id, &path),
				  net->types[e->type]->component->coordinates[w->coordinate].flow,
				  net->elements[*wire].place.line);
		else
			*wire = w->wire;
	}
	s->b->failed = s->b->failed || path.failed;
	bxt_buffer_free(&path);
}

/*
 * Is the input defined by the file that includes this one, so that this one cannot run by itself?
 */
static bool is_open(bxt_network *net, size_t element, int coordinate)
{
	bool exported = false;
	for (size_t i = 0; i < net->n_signal_ids && bxt_network_is_part(net); i++) {
		bxt_net_signal *id = &net->signal_ids[i];
		id->open = id->open || (id->primitive == 0 && id->element == (int)element &&
					id->coordinate == coordinate);
		exported = exported || id->open;
	}
	return exported;
}

static void check_inputs(struct signals *s)
{
	bxt_network *net = s->b->net;
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_element *e = &net->elements[i];
		const bxt_component *c = net->types[e->type]->component;
		for (int a = 0; a < c->n_coordinates && !e->is_interaction; a++)
			if (c->coordinates[a].role == BXT_SIGNAL_IN &&
			    s->wire[s->first[i] + a] < 0 && !is_open(net, i, a))
				bxt_error(s->b->d, e->place,
					  "%s '%s': the input signal '%s' is not connected: "
					  "<signal to=\"%s.%s\">EXPRESSION</signal>",
					  c->name, e->id, c->coordinates[a].flow, e->id,
					  c->coordinates[a].flow);
	}
}

bxt_status bxt_build_check_signals(bxt_builder *b)
{
	const bxt_network *net = b->net;
	const size_t n = net->n_elements;
	struct signals s = {.b = b, .first = BXT_NEW(b->scratch, int, n + 1)};
	if (!s.first)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < n; i++)
		s.first[i + 1] =
			s.first[i] + (has_signals(net, (int)i) ? type_of(net, (int)i)->n_own : 0);
	const size_t total = (size_t)s.first[n];
	s.wire = BXT_NEW(b->scratch, int, total);
	s.mark = BXT_NEW(b->scratch, int, total);
	s.way = BXT_NEW(b->scratch, int, total);
	s.next = BXT_NEW(b->scratch, int, total);
	if (!s.wire || !s.mark || !s.way || !s.next)
		return BXT_ERR_MEMORY;
	memset(s.wire, -1, total * sizeof *s.wire);
	mark_wires(&s);
	check_inputs(&s);
	find_loops(&s, (int)total);
	return b->failed ? BXT_ERR_MEMORY : BXT_OK;
}
