/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolves designators in a network: first the owner by its path, then the owner's quantity. */
#include "model/names/path_end.h"

#include "model/network/dirac.h"

#include <stdlib.h>
#include <string.h>

bool bxt_id_is_reserved(const char *id)
{
	static const char *const of_records[] = {"energy", "dissipated", "supplied", "power",
						 "drift"};
	for (size_t i = 0; i < sizeof of_records / sizeof *of_records; i++)
		if (strcmp(id, of_records[i]) == 0)
			return true;
	return bxt_name_is_reserved(id);
}

void bxt_names_begin(bxt_names *n, const bxt_network *net, bxt_arena *arena)
{
	*n = (bxt_names){.net = net, .arena = arena};
}

static void forget_index(bxt_names *n)
{
	bxt_map_free(&n->first);
	bxt_map_free(&n->made_up);
	n->n_links = 0;
}

void bxt_names_end(bxt_names *n)
{
	forget_index(n);
	bxt_buffer_free(&n->path);
	bxt_buffer_free(&n->cut);
	free(n->word);
	free(n->link);
}

/* ---- Words ---- */

/* Stores OUTER.PATH whole and cut into words. */
static void split(bxt_names *n)
{
	const bxt_span outer = n->name.outer, path = n->name.path;
	bxt_buffer_clear(&n->path);
	bxt_buffer_clear(&n->cut);
	if (outer.length)
		bxt_buffer_add(&n->path, outer.at, outer.length);
	if (outer.length && path.length)
		bxt_buffer_add(&n->path, ".", 1);
	bxt_buffer_add(&n->path, path.at, path.length);
	bxt_buffer_add(&n->cut, n->path.text, n->path.length);
	n->n_words = 0;
	n->failed = n->failed || n->path.failed || n->cut.failed;
	for (char *word = n->path.length ? n->cut.text : NULL; word && !n->failed;) {
		char *dot = strchr(word, '.');
		if (BXT_GROW(n->word, n->c_words, n->n_words + 1) != BXT_OK) {
			n->failed = true;
			break;
		}
		n->word[n->n_words++] = word;
		if (dot)
			*dot = '\0';
		word = dot ? dot + 1 : NULL;
	}
}

/* The rest of the path after its first words, without the dot. */
static const char *behind(const bxt_names *n, size_t words)
{
	return words < n->n_words ? n->path.text + (n->word[words] - n->cut.text)
				  : n->path.text + n->path.length;
}

/* Is it "lambda" or "mu", quantities of a row? */
static bool of_row(const char *written, bxt_word *word)
{
	*word = strcmp(written, "mu") == 0 ? BXT_WORD_IMPULSE : BXT_WORD_MULTIPLIER;
	return *word == BXT_WORD_IMPULSE || strcmp(written, "lambda") == 0;
}

/* Is the rest after the first words "lambda" or "2.lambda", or the same with "mu"? */
static bool is_multiplier(const bxt_names *n, size_t words)
{
	const size_t rest = n->n_words - words;
	bxt_word word;
	if (rest < 1 || rest > 2 || !of_row(n->word[n->n_words - 1], &word))
		return false;
	const char *row = n->word[words];
	return rest == 1 || (*row && strspn(row, "0123456789") == strlen(row));
}

/* ---- The index ---- */

/* A primitive in which a word names something; next link or -1; last link, in the first only. */
struct bxt_name_link {
	int primitive, next, last;
};

static void link_word(bxt_names *n, const char *word, int primitive)
{
	const int head = word ? bxt_map_get(&n->first, word) : -1, new = (int)n->n_links;
	if (!word || n->failed || (head >= 0 && n->link[n->link[head].last].primitive == primitive))
		return;
	if (BXT_GROW(n->link, n->c_links, n->n_links + 1) != BXT_OK ||
	    (head < 0 && bxt_map_put(&n->first, word, new) != BXT_OK)) {
		n->failed = true;
		return;
	}
	n->link[n->n_links++] = (struct bxt_name_link){primitive, -1, new};
	if (head < 0)
		return;
	n->link[n->link[head].last].next = new;
	n->link[head].last = new;
}

static void link_connection(bxt_names *n, size_t i)
{
	const bxt_connection *c = &n->net->connections[i];
	link_word(n, c->id, c->primitive);
	if (bxt_map_get(&n->net->primitives[c->primitive].ids, c->id) !=
	    4 * (int)i + BXT_ID_CONNECTION)
		n->failed = n->failed || bxt_map_put(&n->made_up, c->id, (int)i) != BXT_OK;
}

/* Is the index up to date: has no named item been added to the network since? */
static bool is_indexed(bxt_names *n)
{
	const bxt_network *net = n->net;
	const size_t now[] = {net->n_primitives, net->n_nodes, net->n_ports, net->n_connections,
			      net->n_signal_ids};
	const bool same = n->first.capacity > 0 && memcmp(now, n->indexed, sizeof now) == 0;
	while (same && n->n_elements < net->n_elements &&
	       net->elements[n->n_elements].is_interaction)
		n->n_elements++;
	if (same && n->n_elements == net->n_elements)
		return true;
	memcpy(n->indexed, now, sizeof now);
	n->n_elements = net->n_elements;
	return false;
}

static void make_index(bxt_names *n)
{
	const bxt_network *net = n->net;
	if (is_indexed(n))
		return;
	forget_index(n);
	for (size_t i = 0; i < net->n_elements; i++)
		if (!net->elements[i].is_interaction)
			link_word(n, net->elements[i].id, net->elements[i].primitive);
	for (size_t i = 1; i < net->n_primitives; i++)
		link_word(n, net->primitives[i].id, net->primitives[i].parent);
	for (size_t i = 0; i < net->n_ports; i++)
		link_word(n, net->ports[i].id, net->ports[i].primitive);
	for (size_t i = 0; i < net->n_connections; i++)
		link_connection(n, i);
	/* one link per primitive: an id of it may have the same name */
	for (size_t i = 0; i < net->n_nodes; i++)
		if (bxt_map_get(&net->primitives[net->nodes[i].primitive].ids, net->nodes[i].name) <
		    0)
			link_word(n, net->nodes[i].name, net->nodes[i].primitive);
	for (size_t i = 0; i < net->n_signal_ids; i++)
		if (bxt_map_get(&net->primitives[net->signal_ids[i].primitive].nodes,
				net->signal_ids[i].id) < 0)
			link_word(n, net->signal_ids[i].id, net->signal_ids[i].primitive);
}

/* ---- Owners ---- */

/* The owner that the first words name from a primitive, and how well it fits the other words. */
struct owner {
	bxt_owner owner;
	int element, class; /* a lower class is preferred */
	size_t words;
	bool exact, broken;
};

static bool is(struct owner *o, bxt_owner owner, int element, size_t words, int class)
{
	o->owner = owner;
	o->element = element;
	o->words = words;
	o->class = class;
	return element >= 0;
}

static int find_made_up(bxt_names *n, int primitive, size_t j)
{
	if (!is_multiplier(n, j + 1))
		return -1;
	make_index(n);
	const int i = bxt_map_get(&n->made_up, n->word[j]);
	return i >= 0 && n->net->connections[i].primitive == primitive ? i : -1;
}

/* Word j names an owner in a primitive, and the words after it its quantity. */
static bool owner_of_path(bxt_names *n, int primitive, size_t j, int there, struct owner *o)
{
	const size_t rest = n->n_words - j - 1;
	const int i = there / 4;
	if (there < 0)
		return is(o, BXT_OWNER_CONNECTION, find_made_up(n, primitive, j), j + 1, 1);
	switch (there % 4) {
	case BXT_ID_CONNECTION:
		return rest > 0 &&
		       is(o, BXT_OWNER_CONNECTION, i, j + 1, is_multiplier(n, j + 1) ? 1 : 6);
	case BXT_ID_ELEMENT:
		return rest > 0 && rest < 3 && is(o, BXT_OWNER_ELEMENT, i, j + 1, rest > 1 ? 4 : 3);
	case BXT_ID_PORT:
		return rest == 1 && is(o, BXT_OWNER_PORT, i, j + 1, 3);
	default:
		return false;
	}
}

/* The owner in a call, WORD(PATH): the last words of the path name it. */
static bool owner_of_call(const bxt_names *n, size_t j, int there, struct owner *o)
{
	const bool last = j + 1 == n->n_words, element = there >= 0 && there % 4 == BXT_ID_ELEMENT;
	const bxt_call call = n->name.call;
	if (there < 0)
		return false;
	if (call == BXT_CALL_POWER)
		return last ? there % 4 == BXT_ID_PORT && is(o, BXT_OWNER_PORT, there / 4, j + 1, 0)
			    : j + 2 == n->n_words && element &&
				       is(o, BXT_OWNER_ELEMENT, there / 4, j + 1, 1);
	if (last && there % 4 == BXT_ID_SUBSYSTEM)
		return is(o, BXT_OWNER_SUBSYSTEM, there / 4, j + 1, 0);
	return last && element && is(o, BXT_OWNER_ELEMENT, there / 4, j + 1, 0);
}

/* Descends from a primitive along the words of the name. */
static bool find_owner(bxt_names *n, int p, struct owner *o)
{
	const bxt_call call = n->name.call;
	o->broken = false;
	for (size_t j = 0; j < n->n_words; j++) {
		const bxt_primitive *scope = &n->net->primitives[p];
		const char *word = n->word[j];
		const bool last = j + 1 == n->n_words;
		o->broken = o->broken || scope->missing;
		if (last && call == BXT_CALL_NODE)
			return is(o, BXT_OWNER_NODE, bxt_map_get(&scope->nodes, word), j + 1, 0);
		if (last && call == BXT_CALL_NONE && strcmp(word, "*") == 0)
			return j > 0 && is(o, BXT_OWNER_SUBSYSTEM, p, j, 2);
		if (last && call == BXT_CALL_NONE)
			return is(o, BXT_OWNER_SIGNAL, bxt_map_get(&scope->signals, word), j + 1,
				  j > 0 ? 5 : 0);
		const int there = bxt_map_get(&scope->ids, word);
		if (last || there < 0 || there % 4 != BXT_ID_SUBSYSTEM)
			return call == BXT_CALL_NONE ? owner_of_path(n, p, j, there, o)
						     : owner_of_call(n, j, there, o);
		p = there / 4;
	}
	return call != BXT_CALL_NODE && call != BXT_CALL_NONE &&
	       is(o, BXT_OWNER_SUBSYSTEM, p, 0, 0); /* "energy()" */
}

/* ---- Quantities of an owner ---- */

static bool has(bxt_designator *d, bxt_word word, int index)
{
	d->word = word;
	d->index = index;
	return true;
}

/* Is it NAME, NAME.p or NAME.pc? */
static bool is_of(const char *written, const char *name, bool moves, bxt_word *word)
{
	const size_t length = strlen(name);
	if (strncmp(written, name, length) != 0)
		return false;
	const char *rest = written + length;
	*word = !*rest                     ? BXT_WORD_COORDINATE
		: strcmp(rest, ".p") == 0  ? BXT_WORD_MOMENTUM
		: strcmp(rest, ".pc") == 0 ? BXT_WORD_CENTRED
					   : BXT_WORD_ALL;
	return *word == BXT_WORD_COORDINATE || (moves && *word != BXT_WORD_ALL);
}

bool bxt_effort_of_element(const bxt_element_type *type, int index, bxt_element_effort *out)
{
	const bxt_component *c = type->component;
	const int first = index / BXT_PORT_MAX_COORDINATES, sub = index % BXT_PORT_MAX_COORDINATES;
	int count = 0;
	if (first >= c->n_ports || sub >= c->ports[first].kind->n)
		return false;
	for (int p = 0; p < c->n_ports; p++)
		if (c->ports[p].kind == c->ports[first].kind)
			out->port[count++ > 0] = p;
	out->sub = sub;
	out->local = -1;
	for (int a = 0; a < type->n_shared; a++)
		if (type->origin.port_of_coord[a] == first && type->origin.sub_of_coord[a] == sub)
			out->local = type->n_own + a;
	if (count != 2 || out->port[0] != first)
		return false;
	return c->ports[first].kind->type == BXT_PORT_BALANCE ||
	       (!type->inertia_shared && !c->discrete.lagrangian.text && out->local >= 0 &&
		type->uses[out->local]);
}

static bool has_effort(const bxt_element_type *type, bxt_designator *d, const char *written)
{
	bxt_element_effort e;
	for (int i = 0; i < type->component->n_ports * BXT_PORT_MAX_COORDINATES; i++) {
		const bxt_port_kind *kind =
			type->component->ports[i / BXT_PORT_MAX_COORDINATES].kind;
		const int sub = i % BXT_PORT_MAX_COORDINATES;
		if (sub < kind->n && strcmp(written, kind->effort[sub]) == 0 &&
		    bxt_effort_of_element(type, i, &e))
			return has(d, BXT_WORD_EFFORT, i);
	}
	return false;
}

static bool has_element(const bxt_network *net, bxt_designator *d, const char *written,
			bool recorded)
{
	const bxt_component *c = net->types[net->elements[d->element].type]->component;
	const int only = bxt_component_only_momentum(c);
	bxt_word word;
	if (strcmp(written, "*") == 0)
		return has(d, BXT_WORD_ALL, -1);
	for (int a = 0; a < c->n_coordinates; a++) {
		if (is_of(written, c->coordinates[a].name, true, &word))
			return has(d, word, a);
		if (strcmp(written, c->coordinates[a].flow) == 0)
			return has(d, BXT_WORD_FLOW, a);
	}
	for (int o = 0; o < c->n_outputs; o++)
		if (strcmp(written, c->outputs[o].name) == 0)
			return has(d, BXT_WORD_OUTPUT, o);
	if (only >= 0 && (strcmp(written, "p") == 0 || strcmp(written, "pc") == 0))
		return has(d, written[1] ? BXT_WORD_CENTRED : BXT_WORD_MOMENTUM, only);
	for (int r = 0; r < c->n_constraints; r++) {
		const size_t length = strlen(c->constraints[r].name);
		if (strncmp(written, c->constraints[r].name, length) == 0 &&
		    written[length] == '.' && of_row(written + length + 1, &word))
			return has(d, word, r);
	}
	return recorded && has_effort(net->types[net->elements[d->element].type], d, written);
}

static bool has_node(const bxt_network *net, bxt_designator *d, const char *written)
{
	const bxt_port_kind *kind = net->nodes[d->element].kind;
	bxt_word word;
	if (strcmp(written, "*") == 0)
		return has(d, BXT_WORD_ALL, -1);
	if (kind->type == BXT_PORT_BALANCE && strcmp(written, "mu") == 0)
		return has(d, BXT_WORD_IMPULSE, 0);
	if (kind->type == BXT_PORT_BALANCE)
		return strcmp(written, kind->effort[0]) == 0 && has(d, BXT_WORD_EFFORT, 0);
	for (int s = 0; s < kind->n; s++) {
		if (is_of(written, kind->coordinate[s], true, &word))
			return has(d, word, s);
		if (strcmp(written, kind->flow[s]) == 0)
			return has(d, BXT_WORD_FLOW, s);
	}
	for (int i = 0; kind->derived && kind->derived[i].name; i++)
		if (strcmp(written, kind->derived[i].name) == 0)
			return has(d, BXT_WORD_OUTPUT, i);
	return false;
}

int bxt_designator_of_output(const bxt_network *net, const bxt_designator *d)
{
	const int element = d->owner == BXT_OWNER_NODE ? net->nodes[d->element].frame : d->element;
	return element >= 0 && net->elements[element].type >= 0 &&
			       d->index <
				       net->types[net->elements[element].type]->component->n_outputs
		       ? element
		       : -1;
}

const bxt_port_kind *bxt_port_kind_of(const bxt_network *net, int port)
{
	const int node = net->ports[port].node;
	return node < 0 ? NULL : net->nodes[node].kind;
}

static bool has_port(const bxt_network *net, bxt_designator *d, const char *written)
{
	const bxt_port_kind *kind = bxt_port_kind_of(net, d->element);
	if (!kind || kind->type != BXT_PORT_BALANCE)
		return false;
	if (strcmp(written, "*") == 0)
		return has(d, BXT_WORD_ALL, -1);
	if (strcmp(written, kind->coordinate[0]) == 0)
		return has(d, BXT_WORD_COORDINATE, 0);
	return strcmp(written, kind->flow[0]) == 0 && has(d, BXT_WORD_FLOW, 0);
}

/* "c.2.lambda", "c.2.mu" are of row 1, counted from 0; numbers with too many digits match no row.
 */
static bool has_connection(bxt_designator *d, const char *written)
{
	const char *dot = strchr(written, '.');
	bxt_word word;
	if (!dot)
		return of_row(written, &word) && has(d, word, -1);
	const int row = of_row(dot + 1, &word) && dot - written < 9 ? atoi(written) : 0;
	return row > 0 && has(d, word, row - 1);
}

/* The balance port of an element. */
static bool has_power(const bxt_network *net, bxt_designator *d, const char *port)
{
	const bxt_element_type *type = net->types[net->elements[d->element].type];
	for (int r = 0; r < type->ml - type->n_constraint; r++)
		if (strcmp(type->component->ports[type->origin.port_of_row[r]].name, port) == 0)
			return has(d, BXT_WORD_POWER, r);
	return false;
}

static bool has_quantity(const bxt_names *n, const struct owner *o, bxt_designator *d)
{
	static const bxt_word words[] = {[BXT_CALL_ENERGY] = BXT_WORD_ENERGY,
					 [BXT_CALL_DISSIPATED] = BXT_WORD_DISSIPATED,
					 [BXT_CALL_SUPPLIED] = BXT_WORD_SUPPLIED,
					 [BXT_CALL_POWER] = BXT_WORD_POWER};
	const char *rest = behind(n, o->words);
	const bxt_call call = n->name.call;
	*d = (bxt_designator){BXT_WORD_ALL, o->owner, o->element, -1};
	if (call == BXT_CALL_NODE)
		return has_node(n->net, d, n->name.rest.at + 1);
	if (call == BXT_CALL_POWER && o->owner == BXT_OWNER_ELEMENT)
		return has_power(n->net, d, rest);
	if (call != BXT_CALL_NONE)
		return (call != BXT_CALL_POWER || o->owner == BXT_OWNER_PORT) &&
		       (o->owner != BXT_OWNER_SUBSYSTEM || call < BXT_CALL_POWER) &&
		       has(d, words[call], 0);
	switch (o->owner) {
	case BXT_OWNER_ELEMENT:
		return has_element(n->net, d, rest, n->recorded);
	case BXT_OWNER_PORT:
		return has_port(n->net, d, rest);
	case BXT_OWNER_CONNECTION:
		return has_connection(d, rest);
	case BXT_OWNER_SIGNAL:
		return has(d, BXT_WORD_FLOW, 0);
	default:
		return true; /* ".*" of a subsystem */
	}
}

/* Did errors, which are already reported, leave the owner incomplete? */
static bool is_broken(const bxt_names *n, const struct owner *o)
{
	if (o->owner == BXT_OWNER_NODE)
		return !n->net->nodes[o->element].kind;
	if (o->owner == BXT_OWNER_SIGNAL)
		return n->net->signal_ids[o->element].element < 0;
	return o->owner == BXT_OWNER_ELEMENT && n->net->elements[o->element].type < 0;
}

/* ---- The whole ---- */

/* Compares a further owner with the best one: lower classes take precedence, exact ones among equal
 * classes. */
static void consider(bxt_names *n, const struct owner *o, struct owner *best)
{
	const bool better = n->n_found == 0 || o->class < best->class ||
			    (o->class == best->class && o->exact && !best->exact);
	const bool worse = n->n_found > 0 && (o->class > best->class || best->exact);
	if (!better && (worse || (o->owner == best->owner && o->element == best->element)))
		return;
	n->n_found = better ? 1 : n->n_found + 1;
	if (n->n_found <= 2)
		n->found[n->n_found - 1] = (bxt_designator){BXT_WORD_ALL, o->owner, o->element, -1};
	if (better)
		*best = *o;
}

/* Sets *out even for a signal whose input is not known yet. */
static bxt_name_fault found(const bxt_names *n, const struct owner *o, bxt_designator *out)
{
	const bool broken = is_broken(n, o);
	if (broken && o->owner != BXT_OWNER_SIGNAL)
		return BXT_NAME_BROKEN;
	const bool good = has_quantity(n, o, out);
	return broken ? BXT_NAME_BROKEN : good ? BXT_NAME_GOOD : BXT_NAME_NO_QUANTITY;
}

static bxt_name_fault find_by_end(bxt_names *n, bxt_designator *out)
{
	struct owner o, best = {0};
	make_index(n);
	const int head = n->n_words ? bxt_map_get(&n->first, n->word[0]) : -1;
	for (int l = head; l >= 0 && !n->failed; l = n->link[l].next) {
		const int p = n->link[l].primitive;
		if (!bxt_names_is_inside(n->net, p, n->scope) || !find_owner(n, p, &o))
			continue;
		o.exact = p == n->scope;
		if (!is_broken(n, &o) || o.exact)
			consider(n, &o, &best);
	}
	if (n->n_found != 1 || n->failed)
		return n->n_found > 1 ? BXT_NAME_AMBIGUOUS : BXT_NAME_NO_OWNER;
	n->owner_words = best.words;
	return found(n, &best, out);
}

/* Is the name "energy", "dissipated" or "supplied" alone? */
static bool is_whole(bxt_names *n, bxt_designator *out)
{
	if (n->name.call != BXT_CALL_NONE)
		return false;
	for (int c = BXT_CALL_ENERGY; c <= BXT_CALL_SUPPLIED; c++)
		if (strcmp(n->text, bxt_call_words[c]) == 0) {
			*out = (bxt_designator){(bxt_word)(BXT_WORD_ENERGY + c - BXT_CALL_ENERGY),
						BXT_OWNER_SUBSYSTEM, n->scope, 0};
			return n->recorded ||
			       bxt_map_get(&n->net->primitives[n->scope].signals, n->text) < 0;
		}
	return false;
}

static bxt_name_fault find_family(bxt_names *n, bxt_designator *out)
{
	if (n->path.length && strcmp(n->path.text, bxt_family_of_positions) == 0) {
		*out = (bxt_designator){BXT_WORD_DRIFT, BXT_OWNER_FAMILY, BXT_FAMILY_COUNT, 0};
		return BXT_NAME_GOOD;
	}
	for (int f = 0; f < BXT_FAMILY_COUNT && n->path.length; f++) {
		const size_t length = strlen(bxt_family_names[f]);
		const char *rest = n->path.text + length;
		if (strncmp(n->path.text, bxt_family_names[f], length) != 0 ||
		    (*rest && strcmp(rest, ".q") != 0))
			continue;
		*out = (bxt_designator){BXT_WORD_DRIFT, BXT_OWNER_FAMILY, f, *rest != '\0'};
		return BXT_NAME_GOOD;
	}
	return BXT_NAME_NO_FAMILY;
}

/* "ROTATION" or "ELEMENT.ROTATION"; a linear search, since symmetries are few. */
static bxt_name_fault find_symmetry(bxt_names *n, bxt_designator *out)
{
	const bxt_network *net = n->net;
	const char *outer = net->primitives[n->scope].path;
	bool exact = false;
	for (size_t i = 0; i < net->n_symmetries && n->path.length > 0; i++) {
		if (!bxt_names_is_inside(net, net->symmetries[i].primitive, n->scope))
			continue;
		const char *full = bxt_network_symmetry_name(net, (int)i, &n->cut);
		full += *outer ? strlen(outer) + 1 : 0;
		const bxt_path_fit fit =
			n->cut.failed ? BXT_PATH_OTHER : bxt_path_fits_text(full, n->path.text);
		if (fit == BXT_PATH_OTHER || (exact && fit == BXT_PATH_END))
			continue;
		exact = fit == BXT_PATH_WHOLE;
		n->n_found = exact ? 1 : n->n_found + 1;
		if (n->n_found <= 2)
			n->found[n->n_found - 1] = (bxt_designator){
				n->name.call == BXT_CALL_NOETHER ? BXT_WORD_NOETHER : BXT_WORD_MAP,
				BXT_OWNER_SYMMETRY, (int)i, 0};
	}
	n->failed = n->failed || n->cut.failed;
	n->owner_words = n->n_words;
	*out = n->found[0];
	return n->n_found == 1  ? BXT_NAME_GOOD
	       : n->n_found > 1 ? BXT_NAME_AMBIGUOUS
				: BXT_NAME_NO_OWNER;
}

static bxt_name_fault find_owner_or_word(bxt_names *n, bxt_designator *out)
{
	struct owner o;
	if (is_whole(n, out))
		return BXT_NAME_GOOD;
	split(n);
	if (n->failed)
		return BXT_NAME_NO_OWNER;
	if (n->name.call == BXT_CALL_DRIFT)
		return find_family(n, out);
	if (n->name.call == BXT_CALL_MOMENTUM || n->name.call == BXT_CALL_NOETHER)
		return find_symmetry(n, out);
	const bool exact = find_owner(n, n->scope, &o);
	const bxt_name_fault fault = exact ? found(n, &o, out) : BXT_NAME_NO_OWNER;
	n->owner_words = exact ? o.words : 0;
	return fault == BXT_NAME_GOOD || fault == BXT_NAME_BROKEN ? fault
	       : o.broken                                         ? BXT_NAME_BROKEN
								  : find_by_end(n, out);
}

bxt_name_fault bxt_names_find(bxt_names *n, int scope, const char *text, bxt_designator *out)
{
	n->scope = scope;
	n->text = text;
	n->name = bxt_name_parse(text);
	n->owner_words = 0;
	n->n_found = 0;
	bxt_buffer_clear(&n->path);
	n->fault = n->name.fault ? n->name.fault : find_owner_or_word(n, out);
	return n->fault;
}

static const char *with_path(const bxt_names *n, bxt_arena *arena, const char *owner,
			     const char *rest)
{
	const bxt_name *name = &n->name;
	const bool call = name->call != BXT_CALL_NONE;
	return bxt_arena_printf(arena, "%.*s%s%s%s%s%s%s", (int)name->word.length,
				call ? name->word.at : "", call ? "(" : "", owner,
				*owner && *rest ? "." : "", rest, call ? ")" : "",
				call ? name->rest.at : "");
}

const char *bxt_names_renamed(const bxt_names *n, bxt_arena *arena, const char *owner)
{
	return with_path(n, arena, owner, behind(n, n->owner_words));
}

const char *bxt_names_plain(const bxt_names *n)
{
	return n->path.length ? with_path(n, n->arena, "", n->path.text) : n->text;
}
