/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * <signal to="C.y">M.omega</signal>: what an input signal of an element is, an expression in
 * coordinates, flows and signals of others, and in t. It is an instance of a component that is made
 * for it, bound to the input and to all that it reads, whose one relation is y = expression:
 * nothing acts back on what is read. Equal texts share a kind.
 */
#include "network_path.h"

#include "netlist_edit.h"
#include "rename.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The component -----------------------------------------------------------------------------
 */

/* While one <signal> is read: what it is bound to, by the owners of its variables. */
struct wire {
	bxt_path_reader path;
	int to;     /* the variable of the input */
	int *owner; /* (n_owner) instance, or -1 - node */
	int n_owner;
};

static int owner_of(const bxt_net_coordinate *at)
{
	return at->instance >= 0 ? at->instance : -1 - at->node;
}

static int number_of(const struct wire *w, int owner)
{
	int i = 0;
	while (w->owner[i] != owner)
		i++;
	return i;
}

/* "b0.omega", "n1.x", "t": a variable in the component's words; NULL when memory ends. */
static const char *local_name(struct wire *w, int variable)
{
	const bxt_network *net = w->path.b->net;
	const bxt_path_variable *v = &w->path.at[variable];
	if (v->at.instance < 0 && v->at.node < 0)
		return "t";
	const int number = number_of(w, owner_of(&v->at));
	const char *name;
	if (v->at.instance >= 0) {
		const bxt_component *c = net->kinds[net->instances[v->at.instance].kind]->component;
		const bxt_coordinate *q = &c->coordinates[v->at.coordinate];
		name = bxt_arena_printf(w->path.b->arena, "b%d.%s", number,
					v->is_flow ? q->flow : q->name);
	} else {
		const bxt_port_kind *kind = net->nodes[v->at.node].kind;
		name = bxt_arena_printf(w->path.b->arena, "n%d.%s", number,
					v->is_flow ? kind->flow[v->at.coordinate]
						   : kind->coordinate[v->at.coordinate]);
	}
	w->path.b->failed = w->path.b->failed || !name;
	return name ? name : "?";
}

/* The elements and nodes that its variables belong to, each once. */
static bool find_owners(struct wire *w)
{
	w->owner = malloc((w->path.n + 1) * sizeof *w->owner);
	for (size_t i = 0; w->owner && i < w->path.n; i++) {
		const bxt_net_coordinate *at = &w->path.at[i].at;
		bool known = at->instance < 0 && at->node < 0;
		for (int k = 0; k < w->n_owner && !known; k++)
			known = w->owner[k] == owner_of(at);
		if (!known)
			w->owner[w->n_owner++] = owner_of(at);
	}
	return w->owner != NULL;
}

/* A variable in the component's words, a parameter as its number; NULL: it stays. */
static const char *local_word(void *wire, const char *word)
{
	struct wire *w = wire;
	const int variable = bxt_map_get(&w->path.variable_of, word);
	double value;
	if (variable >= 0)
		return local_name(w, variable);
	if (strcmp(word, "pi") == 0 || bxt_frame_find(w->path.b, word, &value) < 0)
		return NULL;
	char digits[32];
	bxt_format_number(digits, value);
	const char *number =
		bxt_arena_printf(w->path.b->scratch, signbit(value) ? "(%s)" : "%s", digits);
	w->path.b->failed = w->path.b->failed || !number;
	return number;
}

/*
 * What was written, in the component's words: text for text, since what the parser makes of it has
 * operations that are not in the language, and parts that are shared. NULL when memory ends.
 */
static const char *local_text(struct wire *w, const char *text)
{
	bxt_arena *scratch = w->path.b->scratch;
	bxt_buffer out = {0};
	for (size_t before, length; *text && !out.failed; text += before + length) {
		before = bxt_node_call_find(text);
		length = bxt_node_call_length(text + before);
		const char *part = bxt_arena_strndup(scratch, text, before);
		const char *call = bxt_arena_strndup(scratch, text + before, length);
		if (part)
			part = bxt_rename_in_expression(scratch, part, local_word, w);
		out.failed = out.failed || !part || !call;
		if (!out.failed)
			bxt_buffer_printf(
				&out, "%s%s", part,
				length ? local_name(w, bxt_map_get(&w->path.variable_of, call))
				       : "");
	}
	const char *copy =
		out.failed ? NULL : bxt_arena_strdup(w->path.b->arena, out.length ? out.text : "");
	bxt_buffer_free(&out);
	return copy;
}

/* Bindings and ports called by the owners' numbers, and the relation; NULL when memory ends. */
static bxt_component *make_component(struct wire *w, const char *text)
{
	bxt_builder *b = w->path.b;
	bxt_arena *a = b->arena;
	const bxt_network *net = b->net;
	const bxt_place place = w->path.item->place;
	bxt_component *c = BXT_NEW(a, bxt_component, 1);
	const size_t n = (size_t)w->n_owner;
	if (!c)
		return NULL;
	*c = (bxt_component){.name = "signal", .domain = "control", .doc = "", .place = place};
	c->ports = BXT_NEW(a, bxt_port, n);
	c->bindings = BXT_NEW(a, bxt_binding, n);
	c->forces = BXT_NEW(a, bxt_force, 1);
	if (!c->ports || !c->bindings || !c->forces)
		return NULL;
	for (int k = 0; k < w->n_owner; k++) {
		const int owner = w->owner[k];
		const char *name = bxt_arena_printf(a, owner >= 0 ? "b%d" : "n%d", k);
		const char **of = BXT_NEW(a, const char *, 1);
		if (!name || !of)
			return NULL;
		if (owner < 0) {
			c->ports[c->n_ports++] = (bxt_port){
				.name = name, .kind = net->nodes[-1 - owner].kind, .place = place};
			continue;
		}
		of[0] = bxt_arena_printf(a, "#%d", net->instances[owner].kind);
		if (!of[0])
			return NULL;
		c->bindings[c->n_bindings++] = (bxt_binding){name, "", of, 1, place};
	}
	const bxt_net_coordinate *to = &w->path.at[w->to].at;
	const bxt_component *input = net->kinds[net->instances[to->instance].kind]->component;
	const char *on = bxt_arena_printf(a, "b%d.%s", number_of(w, to->instance),
					  input->coordinates[to->coordinate].name);
	c->forces[c->n_forces++] = (bxt_force){on, true, {text, place}};
	return on ? c : NULL;
}

/* "#3": the component of kind 3. */
static const bxt_component *find_by_kind(void *context, const char *name, bool *broken)
{
	const bxt_builder *b = context;
	*broken = false;
	return b->net->kinds[strtol(name + 1, NULL, 10)]->component;
}

static const char *key_of(struct wire *w, const char *text)
{
	bxt_buffer key = {0};
	bxt_buffer_printf(&key, "<signal> %d %s", number_of(w, owner_of(&w->path.at[w->to].at)),
			  text);
	bxt_buffer_printf(&key, " to %d", w->path.at[w->to].at.coordinate);
	for (int k = 0; k < w->n_owner; k++) {
		const int owner = w->owner[k];
		const bxt_network *net = w->path.b->net;
		if (owner >= 0)
			bxt_buffer_printf(&key, " #%d", net->instances[owner].kind);
		else
			bxt_buffer_printf(&key, " %s", net->nodes[-1 - owner].kind->name);
	}
	const char *copy = key.failed ? NULL : bxt_arena_strdup(w->path.b->arena, key.text);
	bxt_buffer_free(&key);
	return copy;
}

/* The index of its kind, -1 after findings. */
static bxt_status find_kind(struct wire *w, const char *written, int *out)
{
	bxt_builder *b = w->path.b;
	const char *text = local_text(w, written);
	const char *key = text && !b->failed ? key_of(w, text) : NULL;
	*out = key ? bxt_map_get(&b->kind_by_key, key) : -1;
	if (!key || *out >= 0)
		return key ? BXT_OK : BXT_ERR_MEMORY;
	bxt_component *c = make_component(w, text);
	const bxt_component_finder finder = {find_by_kind, NULL, b};
	const bxt_component *const *bound = NULL;
	const bxt_scope nothing = {NULL, NULL, NULL};
	const char *no_text = NULL;
	bxt_status status;
	if (!c)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_kind_find_bound(b->arena, c, &finder, b->d, &bound));
	bxt_kind *kind = bxt_kind_compile(b->arena, c, bound, &no_text, &w->path.item->place,
					  &nothing, b->d, &status);
	if (!kind)
		return status == BXT_ERR_MEMORY ? status : BXT_OK; /* a finding forbids the model */
	*out = bxt_build_kind(b, kind, key);
	return *out >= 0 ? BXT_OK : BXT_ERR_MEMORY;
}

/* ---- The instance ------------------------------------------------------------------------------
 */

static bxt_status add_instance(struct wire *w, const char *written)
{
	bxt_builder *b = w->path.b;
	bxt_network *net = b->net;
	int k;
	BXT_TRY(find_kind(w, written, &k));
	if (k < 0)
		return BXT_OK;
	const bxt_kind *kind = net->kinds[k];
	const int n_bound = kind->nl - kind->n_own - kind->n_shared;
	const bxt_net_coordinate *to = &w->path.at[w->to].at;
	bxt_instance e = {.id = net->instances[to->instance].id,
			  .place = w->path.item->place,
			  .kind = k,
			  .primitive = net->instances[to->instance].primitive,
			  .is_interaction = true,
			  .connection = -1,
			  .node = BXT_NEW(b->arena, int, (size_t)kind->component->n_ports),
			  .bound = BXT_NEW(b->arena, bxt_bound, (size_t)n_bound),
			  .parameter = BXT_NEW(b->arena, double, 1)};
	if (!e.node || !e.bound || !e.parameter)
		return BXT_ERR_MEMORY;
	for (int i = 0, port = 0; i < w->n_owner; i++)
		if (w->owner[i] < 0)
			e.node[port++] = -1 - w->owner[i];
	for (int a = 0; a < n_bound; a++) {
		const char *name = kind->component->bindings[kind->binding_of_coord[a]].name;
		e.bound[a] =
			(bxt_bound){w->owner[strtol(name + 1, NULL, 10)], kind->sub_of_bound[a], 0};
	}
	for (int i = 0; i < w->n_owner; i++)
		if (w->owner[i] < 0)
			net->nodes[-1 - w->owner[i]].pins++;
	BXT_TRY(BXT_GROW(net->instances, b->c_instances, net->n_instances + 1));
	net->instances[net->n_instances] = e;
	BXT_TRY(BXT_GROW(b->wires, b->c_wires, b->n_wires + 1));
	b->wires[b->n_wires++] = (bxt_wire){to->instance, to->coordinate, (int)net->n_instances++};
	return BXT_OK;
}

/* ---- The element -------------------------------------------------------------------------------
 */

static const bxt_coordinate *coordinate_of(const bxt_network *net, const bxt_net_coordinate *at)
{
	return &net->kinds[net->instances[at->instance].kind]
			->component->coordinates[at->coordinate];
}

/* The input that `to` names; false after findings. */
static bool find_input(struct wire *w)
{
	bxt_builder *b = w->path.b;
	const bxt_item *item = w->path.item;
	const char *to = bxt_item_get(item, "to");
	if (!to || !*to) {
		BXT_PATH_FAIL(&w->path, item->place,
			      "<signal> needs to=\"ELEMENT.SIGNAL\", the input that it is for");
		return false;
	}
	w->to = bxt_path_variable_of(&w->path, to);
	if (w->to < 0)
		return false;
	const bxt_path_variable *v = &w->path.at[w->to];
	const bxt_coordinate *q = v->at.instance < 0 ? NULL : coordinate_of(b->net, &v->at);
	if (!q || !v->is_flow || q->role != BXT_SIGNAL_IN) {
		BXT_PATH_FAIL(
			&w->path, item->place, "<signal> to=\"%s\": that is no input signal%s", to,
			q && q->role == BXT_SIGNAL_OUT ? ": the element's component says what it is"
						       : "");
		return false;
	}
	return true;
}

/* "3 rad/s": a number, then what can be a unit and no operator. */
static bool is_quantity(const char *text)
{
	double value;
	size_t n = bxt_read_number(text, strlen(text), &value);
	const size_t number = n;
	n += strspn(text + n, " \t\r\n");
	return number > 0 && ((text[n] >= 'a' && text[n] <= 'z') ||
			      (text[n] >= 'A' && text[n] <= 'Z') || text[n] == '%');
}

/* One bare path has a unit, and the input, too. */
static void check_unit(struct wire *w, const char *text)
{
	bxt_builder *b = w->path.b;
	const bxt_network *net = b->net;
	const int i = bxt_map_get(&w->path.variable_of, text);
	const bxt_path_variable *v = i < 0 ? NULL : &w->path.at[i];
	if (!v || (v->at.instance < 0 && v->at.node < 0))
		return;
	const char *unit;
	if (v->at.instance >= 0) {
		const bxt_coordinate *q = coordinate_of(net, &v->at);
		unit = v->is_flow ? q->flow_unit : q->unit;
	} else {
		const bxt_port_kind *kind = net->nodes[v->at.node].kind;
		unit = v->is_flow ? kind->flow_unit[v->at.coordinate]
				  : kind->coordinate_unit[v->at.coordinate];
	}
	const char *wanted = coordinate_of(net, &w->path.at[w->to].at)->flow_unit;
	const bool number =
		!*wanted || strcmp(wanted, "1") == 0 || !*unit || strcmp(unit, "1") == 0;
	if (number) /* it takes everything, and is taken, in SI units */
		return;
	if (bxt_units_same_dimension(bxt_library_units(b->library), unit, wanted) == 0)
		BXT_PATH_FAIL(&w->path, w->path.item->place,
			      "<signal>: '%s' is in '%s' and the input '%s' in '%s'", text, unit,
			      bxt_item_get(w->path.item, "to"), wanted);
}

static bxt_status read(struct wire *w)
{
	bxt_builder *b = w->path.b;
	const bxt_item *item = w->path.item;
	const char *text = bxt_item_content(b->scratch, item);
	bxt_ex f; /* only whether it can be read counts */
	BXT_CHECK_ATTRIBUTES(b, item, "to");
	const bxt_item *inner = bxt_item_child(item, NULL, NULL);
	if (!text)
		return BXT_ERR_MEMORY;
	if (inner)
		BXT_PATH_FAIL(&w->path, inner->place, "<%s> cannot stand inside <signal>",
			      inner->name);
	if (!find_input(w))
		return b->failed ? BXT_ERR_MEMORY : BXT_OK;
	if (!*text) {
		BXT_PATH_FAIL(&w->path, item->place, "<signal> is empty: it needs an expression");
	} else if (is_quantity(text)) {
		double value = 0;
		char digits[32];
		const char *unit = coordinate_of(b->net, &w->path.at[w->to].at)->flow_unit;
		if (!bxt_build_value(b, text, unit, "<signal>", item->place, &value))
			w->path.bad = true;
		bxt_format_number(digits, value);
		text = bxt_arena_strdup(b->scratch, digits);
		b->failed = b->failed || !text;
	} else if (bxt_path_parse(&w->path, text, &f)) {
		check_unit(w, text);
	}
	if (b->failed || bxt_graph_failed(w->path.g))
		return BXT_ERR_MEMORY;
	if (w->path.bad)
		return BXT_OK;
	return find_owners(w) ? add_instance(w, text) : BXT_ERR_MEMORY;
}

bxt_status bxt_build_signal(bxt_builder *b, const bxt_item *item, int primitive)
{
	struct wire w = {.to = -1};
	bxt_status status = bxt_path_begin(&w.path, b, primitive, "signal", true);
	w.path.item = item;
	if (status == BXT_OK)
		status = read(&w);
	bxt_path_end(&w.path);
	free(w.owner);
	return status;
}

/* ---- All of them -------------------------------------------------------------------------------
 */

/* A signal or state as a part of loops: a coordinate with a relation. */
struct signals {
	bxt_builder *b;
	int *first;  /* (instances + 1) numbers of their own coordinates */
	int *wire;   /* (first[n]) instance that connects it, -1 */
	int *mark;   /* (first[n]) 0 new, 1 on the way, 2 done */
	int *way, n; /* (first[n]) what leads here */
	int *next;   /* (first[n]) how many of the slopes of its relation were looked at */
};

static const bxt_kind *kind_of(const bxt_network *net, int instance)
{
	return net->kinds[net->instances[instance].kind];
}

static bool has_relation(const bxt_network *net, int instance, int coordinate)
{
	const bxt_component *c = kind_of(net, instance)->component;
	return coordinate < c->n_coordinates && c->coordinates[coordinate].role != BXT_PLAIN;
}

/* What the k-th slope of a relation's row reads: its number, -1 for none of interest, -2 for the
 * end. `row` is local in the kind of `reader`; bound coordinates are others' own. */
static int read_by(const struct signals *s, int reader, int row, int k)
{
	const bxt_network *net = s->b->net;
	const bxt_kind *kind = kind_of(net, reader);
	const bxt_form *form = &kind->form[BXT_FORM_JAC_EXTERNAL];
	if (k >= form->n)
		return -2;
	const bxt_entry *e = &form->entries[k];
	if (e->row != row || e->col == row || e->class != BXT_FV) /* itself: reads_itself */
		return -1;
	const int bound = e->col - kind->n_own - kind->n_shared;
	const int owner = bound >= 0 ? net->instances[reader].bound[bound].instance : reader,
		  own = bound >= 0 ? net->instances[reader].bound[bound].coordinate : e->col;
	if (owner < 0 || (bound < 0 && e->col >= kind->n_own) || !has_relation(net, owner, own))
		return -1;
	return s->first[owner] + own;
}

/* Is its own flow in what the relation 0 = f - v says it is? Then the slope is not -1 alone. */
static bool reads_itself(const struct signals *s, int reader, int row)
{
	const bxt_kind *kind = kind_of(s->b->net, reader);
	const int v = bxt_kind_var_v(kind) + row;
	double slope;
	bxt_ex by_v;
	bxt_ex_gradient(kind->graph, kind->external[row], &v, 1, &by_v);
	s->b->failed = s->b->failed || bxt_graph_failed(kind->graph);
	return !bxt_ex_is_const(kind->graph, by_v, &slope) || slope != -1;
}

static int instance_of(const struct signals *s, int number)
{
	int low = 0, high = (int)s->b->net->n_instances;
	while (high - low > 1) {
		const int middle = (low + high) / 2;
		*(s->first[middle] <= number ? &low : &high) = middle;
	}
	while (s->first[low + 1] == s->first[low])
		low--;
	return low;
}

/* The next signal that number v reads without delay; -1: that was all. */
static int next_read(struct signals *s, int v)
{
	const bxt_network *net = s->b->net;
	const int i = instance_of(s, v), wire = s->wire[v];
	const bxt_kind *kind = wire < 0 ? NULL : kind_of(net, wire);
	int reader = i, row = v - s->first[i];
	for (int a = 0; wire >= 0 && a < kind->nl - kind->n_own - kind->n_shared; a++)
		if (net->instances[wire].bound[a].instance == i &&
		    net->instances[wire].bound[a].coordinate == row) {
			reader = wire;
			row = kind->n_own + kind->n_shared + a;
			break;
		}
	if (s->next[v] == 0) {
		const bxt_role role = kind_of(net, i)->component->coordinates[v - s->first[i]].role;
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
		const bxt_coordinate *q = &kind_of(net, i)->component->coordinates[v - s->first[i]];
		bxt_buffer_printf(&names, "%s%s.%s", j < s->n ? " -> " : "",
				  bxt_network_path(net, net->instances[i].primitive,
						   net->instances[i].id, &path),
				  q->flow);
	}
	bxt_error(s->b->d, net->instances[instance_of(s, from)].place,
		  "an algebraic loop of signals: %s; a state or a sample must stand in it",
		  names.text ? names.text : "?");
	s->b->failed = s->b->failed || names.failed || path.failed;
	bxt_buffer_free(&names);
	bxt_buffer_free(&path);
}

/* Depth first, without recursion; each loop is told where it closes. */
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

/* Which instance connects each input: one does. */
static void mark_wires(struct signals *s)
{
	const bxt_network *net = s->b->net;
	bxt_buffer path = {0};
	for (size_t i = 0; i < s->b->n_wires; i++) {
		const bxt_wire *w = &s->b->wires[i];
		const bxt_instance *e = &net->instances[w->instance];
		int *wire = &s->wire[s->first[w->instance] + w->coordinate];
		if (*wire >= 0)
			bxt_error(s->b->d, net->instances[w->wire].place,
				  "<signal> to=\"%s.%s\": the input is connected already, in line "
				  "%d",
				  bxt_network_path(net, e->primitive, e->id, &path),
				  net->kinds[e->kind]->component->coordinates[w->coordinate].flow,
				  net->instances[*wire].place.line);
		else
			*wire = w->wire;
	}
	s->b->failed = s->b->failed || path.failed;
	bxt_buffer_free(&path);
}

static void check_inputs(struct signals *s)
{
	const bxt_network *net = s->b->net;
	for (size_t i = 0; i < net->n_instances; i++) {
		const bxt_instance *e = &net->instances[i];
		const bxt_component *c = net->kinds[e->kind]->component;
		for (int a = 0; a < c->n_coordinates && !e->is_interaction; a++)
			if (c->coordinates[a].role == BXT_SIGNAL_IN && s->wire[s->first[i] + a] < 0)
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
	const size_t n = net->n_instances;
	struct signals s = {.b = b, .first = BXT_NEW(b->scratch, int, n + 1)};
	if (!s.first)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < n; i++)
		s.first[i + 1] =
			s.first[i] +
			(net->instances[i].is_interaction ? 0 : kind_of(net, (int)i)->n_own);
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
