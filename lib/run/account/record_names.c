/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolves the designators of <record> and --record to signals. */
#include "model/names/designator_list.h"
#include "run/account/record_list.h"

#include <string.h>

enum { MAX_DEFAULT_COLUMNS = 200 };

/* While a list is resolved. */
struct names {
	bxt_recorder *r;
	const bxt_system *s;
	const bxt_network *net;
	bxt_diagnostics *d;
	bxt_place place;
	bxt_names finder;
	bxt_buffer text; /* scratch */
	size_t capacity;
	bxt_map seen;  /* names of the present signals */
	bxt_map shown; /* names of columns */
	size_t c_columns, c_of;
	bool hidden; /* signals are operands of an expression, no columns */
	int last;    /* the signal added last, even if it was present before */
	int added;   /* how many were asked for */
	bxt_record_expressions expressions;
	int errors;
	bool failed;
};

/* Adds a column unless there is one of that name; `of` as in bxt_recorder.of_column. */
static void add_column(struct names *n, const char *name, const char *unit, int of)
{
	bxt_recorder *r = n->r;
	if (n->failed || bxt_map_get(&n->shown, name) >= 0)
		return; /* one is enough */
	if (BXT_GROW(r->columns, n->c_columns, r->n + 1) != BXT_OK ||
	    BXT_GROW(r->of_column, n->c_of, r->n + 1) != BXT_OK ||
	    bxt_map_put(&n->shown, name, (int)r->n) != BXT_OK) {
		n->failed = true;
		return;
	}
	r->columns[r->n] = (bxt_column){sizeof(bxt_column), name, unit};
	r->of_column[r->n++] = of;
}

static void add(struct names *n, const bxt_signal *signal, const char *name)
{
	bxt_recorder *r = n->r;
	n->failed = n->failed || !signal->unit.text;
	if (n->failed)
		return;
	n->added++;
	n->last = bxt_map_get(&n->seen, name);
	if (n->last < 0) {
		char *copy = bxt_arena_strdup(r->arena, name);
		if (!copy || BXT_GROW(r->signals, n->capacity, r->n_signals + 1) != BXT_OK ||
		    bxt_map_put(&n->seen, copy, (int)r->n_signals) != BXT_OK) {
			n->failed = true;
			return;
		}
		n->last = (int)r->n_signals;
		r->signals[r->n_signals] = *signal;
		r->signals[r->n_signals++].name = copy;
	}
	if (!n->hidden)
		add_column(n, r->signals[n->last].name, r->signals[n->last].unit.text, n->last);
}

/* Under its full name. */
static bool add_named(struct names *n, const bxt_designator *d, bxt_signal signal)
{
	bxt_buffer_clear(&n->text);
	bxt_designator_print(n->net, 0, d, &n->text);
	n->failed = n->failed || n->text.failed;
	signal.group = bxt_group_of_designator(d);
	if (!n->failed)
		add(n, &signal, n->text.text);
	return true;
}

/* A signal whose unit never varies. */
static bxt_signal in_unit(const char *unit, bxt_signal_type type, int a, int b)
{
	return (bxt_signal){.type = type, .a = a, .b = b, .unit = bxt_unit_declared(unit)};
}

/* Of a coordinate in the order of the system. */
static bxt_signal of_coordinate(struct names *n, bxt_signal_type type, size_t coord)
{
	const bxt_of_coordinate what = type == BXT_SIGNAL_COORDINATE ? BXT_OF_COORDINATE
				       : type == BXT_SIGNAL_FLOW     ? BXT_OF_FLOW
								     : BXT_OF_MOMENTUM;
	return (bxt_signal){.type = type,
			    .a = n->s->x_of_coord[coord],
			    .unit = bxt_unit_of_coordinate(n->r->arena, n->net,
							   &n->s->dirac.coord[coord], what)};
}

/* Finds the bound that is the multiplier of a released row; false: the multiplier is 0. */
static bool find_bound(const struct names *n, int row, bxt_signal *out)
{
	const bxt_row_info *info = &n->s->dirac.row[row];
	if (!info->released || info->family != BXT_FAMILY_CONSTRAINT)
		return false;
	const bxt_element *e = &n->net->elements[info->owner];
	const bxt_element_type *type = n->net->types[e->type];
	for (int i = 0; i < type->n_switches; i++) {
		const bxt_switch *of = &type->switches[i];
		const unsigned char state = n->net->switches[e->first_switch + i];
		if (!of->row || of->index != info->local || state == BXT_ABSENT)
			continue;
		out->a = info->owner;
		out->b = of->value + (state == BXT_AT_LOWER ? BXT_SWITCH_LOWER : BXT_SWITCH_UPPER);
		return true;
	}
	return false;
}

/* The multiplier of a row in the order of the system, or its impulse. */
static bxt_signal of_row(struct names *n, bxt_signal_type type, int row)
{
	bxt_signal at_bound = {.type = BXT_SIGNAL_BOUND};
	if (type == BXT_SIGNAL_MULTIPLIER && find_bound(n, row, &at_bound)) {
		at_bound.unit = bxt_unit_of_row(n->r->arena, n->net, &n->s->dirac.row[row], false);
		return at_bound;
	}
	return (bxt_signal){.type = type,
			    .a = n->s->x_of_row[row],
			    .unit = bxt_unit_of_row(n->r->arena, n->net, &n->s->dirac.row[row],
						    type == BXT_SIGNAL_IMPULSE)};
}

/* ---- What owners have ---- */

/* The coordinate in the order of the system; -1: there is none. */
static int coord_of(const struct names *n, const bxt_designator *d)
{
	const int i = d->element;
	switch (d->owner) {
	case BXT_OWNER_ELEMENT:
		return n->s->where.first_coord[i] + d->index;
	case BXT_OWNER_NODE: {
		const int at = bxt_network_coordinate(&n->net->nodes[i], d->index);
		return at < 0 ? -1 : n->s->where.node_coord[i] + at;
	}
	case BXT_OWNER_PORT:
		return n->s->where.port_coord[i];
	case BXT_OWNER_SIGNAL: {
		const bxt_net_signal *s = &n->net->signal_ids[i];
		return n->s->where.first_coord[s->element] + s->coordinate;
	}
	default:
		return -1;
	}
}

static bool add_moving(struct names *n, const bxt_designator *d)
{
	static const bxt_signal_type types[] = {[BXT_WORD_COORDINATE] = BXT_SIGNAL_COORDINATE,
						[BXT_WORD_FLOW] = BXT_SIGNAL_FLOW,
						[BXT_WORD_MOMENTUM] = BXT_SIGNAL_MOMENTUM,
						[BXT_WORD_CENTRED] = BXT_SIGNAL_CENTRED};
	const int coord = coord_of(n, d);
	return coord >= 0 && add_named(n, d, of_coordinate(n, types[d->word], (size_t)coord));
}

/* The rows of Sigma_Q that a connection is. */
static int rows_of(const bxt_network *net, const bxt_connection *c)
{
	if (c->element >= 0)
		return net->types[net->elements[c->element].type]->n_constraint;
	return c->is_sigma || c->kind->type == BXT_PORT_BALANCE
		       ? 1
		       : (c->n - 1) * net->nodes[net->ports[c->port[0]].node].n_used;
}

/* One row of a connection, or all; a two-form has none. */
static bool add_rows(struct names *n, const bxt_designator *d, bxt_signal_type type)
{
	const int rows = rows_of(n->net, &n->net->connections[d->element]);
	const int row = n->s->where.connection_row[d->element];
	const int first = d->index < 0 ? 0 : d->index, end = d->index < 0 ? rows : first + 1;
	for (int r = first; r < end && end <= rows; r++) {
		bxt_designator one = *d;
		one.index = rows > 1 ? r : -1;
		add_named(n, &one, of_row(n, type, row + r));
	}
	return rows > 0 && end <= rows;
}

static bool add_multiplier(struct names *n, const bxt_designator *d)
{
	const bxt_signal_type type =
		d->word == BXT_WORD_IMPULSE ? BXT_SIGNAL_IMPULSE : BXT_SIGNAL_MULTIPLIER;
	if (d->owner == BXT_OWNER_CONNECTION)
		return add_rows(n, d, type);
	const int row = d->owner == BXT_OWNER_NODE ? n->s->where.node_row[d->element]
						   : n->s->where.first_row[d->element] + d->index;
	return add_named(n, d, of_row(n, type, row));
}

/* Of an element's balance port, or of an exported one that is connected. */
static bool add_power(struct names *n, const bxt_designator *d)
{
	if (d->owner == BXT_OWNER_ELEMENT)
		return add_named(n, d, in_unit("W", BXT_SIGNAL_PIN_POWER, d->element, d->index));
	const int coord = n->s->where.port_coord[d->element];
	if (coord >= 0)
		return add_named(
			n, d,
			in_unit("W", BXT_SIGNAL_PORT_POWER, n->s->x_of_coord[coord],
				n->s->x_of_row[n->s->where
						       .node_row[n->net->ports[d->element].node]]));
	bxt_note(n->d, n->place,
		 "record: power(%s) is left out: only ports with an effort that are connected "
		 "carry it",
		 n->net->ports[d->element].id);
	return true;
}

static const char *unit_of_output(const struct names *n, const bxt_designator *d)
{
	const bxt_element *e = &n->net->elements[bxt_designator_of_output(n->net, d)];
	return n->net->types[e->type]->component->outputs[d->index].unit;
}

static bool add_drift(struct names *n, const bxt_designator *d)
{
	return add_named(n, d,
			 (bxt_signal){.type = BXT_SIGNAL_DRIFT,
				      .a = d->element,
				      .b = d->index,
				      .unit = bxt_unit_of_drift(n->r->arena, n->r->stepped,
								d->element, d->index != 0)});
}

/* Across an element, where two of its ports are of one kind. */
static bool add_effort(struct names *n, const bxt_designator *d)
{
	const bxt_element *e = &n->net->elements[d->element];
	const bxt_element_type *type = n->net->types[e->type];
	bxt_element_effort effort;
	int at[2];
	if (!bxt_effort_of_element(type, d->index, &effort))
		return false;
	const bxt_port_kind *kind = type->component->ports[effort.port[0]].kind;
	if (kind->type == BXT_PORT_SHARED)
		return add_named(n, d,
				 in_unit(kind->effort_unit[effort.sub], BXT_SIGNAL_FORCE,
					 d->element, effort.local));
	for (int k = 0; k < 2; k++) {
		const int node = e->node[effort.port[k]];
		const int row = node < 0 ? -1 : n->s->where.node_row[node];
		at[k] = row < 0 ? n->s->spare : n->s->x_of_row[row];
	}
	return add_named(n, d, in_unit(kind->effort_unit[0], BXT_SIGNAL_DIFFERENCE, at[0], at[1]));
}

/* False when there is no such quantity in this system. */
static bool add_one(struct names *n, const bxt_designator *d)
{
	const bool whole = d->owner == BXT_OWNER_SUBSYSTEM;
	switch (d->word) {
	case BXT_WORD_COORDINATE:
	case BXT_WORD_FLOW:
	case BXT_WORD_MOMENTUM:
	case BXT_WORD_CENTRED:
		return add_moving(n, d);
	case BXT_WORD_OUTPUT:
		return bxt_designator_of_output(n->net, d) >= 0 &&
		       add_named(n, d,
				 in_unit(unit_of_output(n, d), BXT_SIGNAL_OUTPUT,
					 bxt_designator_of_output(n->net, d), d->index));
	case BXT_WORD_EFFORT:
		return d->owner == BXT_OWNER_ELEMENT ? add_effort(n, d) : add_multiplier(n, d);
	case BXT_WORD_MULTIPLIER:
	case BXT_WORD_IMPULSE:
		return add_multiplier(n, d);
	case BXT_WORD_ENERGY:
	case BXT_WORD_DISSIPATED:
	case BXT_WORD_SUPPLIED:
		return add_named(
			n, d,
			in_unit("J",
				(bxt_signal_type)(BXT_SIGNAL_ENERGY + d->word - BXT_WORD_ENERGY),
				whole ? d->element : 0, whole ? -1 : d->element));
	case BXT_WORD_POWER:
		return add_power(n, d);
	case BXT_WORD_DRIFT:
		return add_drift(n, d);
	case BXT_WORD_MAP:
		return add_named(n, d, in_unit("", BXT_SIGNAL_MAP, d->element, 0));
	case BXT_WORD_NOETHER:
		return add_named(n, d, in_unit("", BXT_SIGNAL_NOETHER, d->element, 0));
	default:
		return false;
	}
}

static void add_word(struct names *n, bxt_designator d, bxt_word word, int index)
{
	d.word = word;
	d.index = index;
	add_one(n, &d);
}

/* n coordinates with their flows. */
static void add_motion(struct names *n, const bxt_designator *d, int count)
{
	for (int a = 0; a < count; a++) {
		add_word(n, *d, BXT_WORD_COORDINATE, a);
		add_word(n, *d, BXT_WORD_FLOW, a);
	}
}

static void add_element(struct names *n, int element)
{
	const bxt_component *c = n->net->types[n->net->elements[element].type]->component;
	const bxt_designator d = {.owner = BXT_OWNER_ELEMENT, .element = element};
	add_motion(n, &d, c->n_coordinates);
	for (int o = 0; o < c->n_outputs; o++)
		add_word(n, d, BXT_WORD_OUTPUT, o);
}

/* Everything of all elements in a subsystem and below, and its signals. */
static void add_subsystem(struct names *n, int primitive)
{
	const bxt_network *net = n->net;
	for (size_t i = 0; i < net->n_elements; i++)
		if (bxt_names_is_inside(net, net->elements[i].primitive, primitive) &&
		    !net->elements[i].is_interaction)
			add_element(n, (int)i);
	for (size_t i = 0; i < net->n_signal_ids; i++)
		if (bxt_names_is_inside(net, net->signal_ids[i].primitive, primitive))
			add_word(n, (bxt_designator){.owner = BXT_OWNER_SIGNAL, .element = (int)i},
				 BXT_WORD_FLOW, 0);
}

/* Coordinates and flows of a node, and what follows from them. */
static void add_node(struct names *n, const bxt_designator *d, const bxt_port_kind *kind)
{
	add_motion(n, d, kind->n);
	for (int i = 0; kind->derived && kind->derived[i].name; i++)
		add_word(n, *d, BXT_WORD_OUTPUT, i);
}

/* ".*"; false when there is nothing. */
static bool add_all(struct names *n, const bxt_designator *d)
{
	const size_t before = n->seen.count;
	const bxt_component *c;
	switch (d->owner) {
	case BXT_OWNER_SUBSYSTEM:
		add_subsystem(n, d->element);
		return true;
	case BXT_OWNER_ELEMENT:
		add_element(n, d->element);
		c = n->net->types[n->net->elements[d->element].type]->component;
		return c->n_coordinates + c->n_outputs > 0;
	case BXT_OWNER_NODE: {
		const bxt_port_kind *kind = n->net->nodes[d->element].kind;
		if (kind->type == BXT_PORT_BALANCE)
			add_word(n, *d, BXT_WORD_EFFORT, 0);
		else
			add_node(n, d, kind);
		return kind->type == BXT_PORT_BALANCE || n->net->nodes[d->element].n_used > 0;
	}
	default:
		add_motion(n, d, 1);
		return n->seen.count > before || coord_of(n, d) >= 0;
	}
}

/* ---- Lists ---- */

/* Is that a coordinate or flow of a node's kind that no element uses? */
static bool is_unused(const struct names *n, const bxt_designator *d)
{
	return d->owner == BXT_OWNER_NODE && d->word != BXT_WORD_ALL && coord_of(n, d) < 0;
}

static void report(struct names *n, const bxt_designator *d, bxt_name_fault fault)
{
	n->errors++;
	if (!n->d)
		return;
	if (fault == BXT_NAME_GOOD && is_unused(n, d)) {
		bxt_error(n->d, n->place, "record: no element uses %s of node(%s)",
			  n->finder.name.rest.at + 1, n->finder.path.text);
		return;
	}
	if (fault == BXT_NAME_GOOD) /* the word names a quantity, but the system has none of it */
		n->finder.fault = BXT_NAME_NO_QUANTITY;
	bxt_error(n->d, n->place, "record: %s", bxt_names_why(&n->finder, "signal", true));
}

/* One designator. */
static void add_item(struct names *n, const char *item)
{
	bxt_designator d;
	const bxt_name_fault fault = bxt_names_find(&n->finder, 0, item, &d);
	if (fault != BXT_NAME_GOOD || !(d.word == BXT_WORD_ALL ? add_all(n, &d) : add_one(n, &d)))
		report(n, &d, fault);
}

/* ---- Expressions and patterns ---- */

/* A name in an expression. */
static int operand(void *context, const char *text)
{
	struct names *n = context;
	const int before = n->errors;
	n->added = 0;
	add_item(n, text);
	if (n->errors > before || n->failed)
		return -1;
	if (n->added == 1)
		return n->last;
	n->errors++;
	if (n->d)
		bxt_error(n->d, n->place, "record: '%s' is %s: an expression needs one", text,
			  n->added > 1 ? "several signals" : "no signal");
	return -1;
}

/* The text with one blank where there is white space. */
static const char *in_one_line(struct names *n, const char *text)
{
	static const char white[] = " \t\r\n\f\v";
	char *copy = bxt_arena_strdup(n->r->arena, text), *to = copy;
	n->failed = n->failed || !copy;
	for (const char *c = text; copy && *c; c++)
		if (!strchr(white, *c))
			*to++ = *c;
		else if (!strchr(white, c[1]))
			*to++ = ' ';
	if (copy)
		*to = '\0';
	return copy;
}

static bool is_known(void *context, const char *word)
{
	struct names *n = context;
	bxt_designator d;
	return bxt_names_find(&n->finder, 0, word, &d) == BXT_NAME_GOOD;
}

static void add_expression(struct names *n, const char *name, const char *text)
{
	const char *unit = NULL;
	if (name && (!bxt_record_is_name(name) || bxt_map_get(&n->shown, name) >= 0)) {
		n->errors++;
		if (n->d)
			bxt_error(n->d, n->place, "record: '%s = %s': %s", name, text,
				  bxt_record_is_name(name)
					  ? "there is a column of that name"
					  : "a name has letters, digits, '_' and '-' alone");
		return;
	}
	n->hidden = true;
	n->expressions.d = n->d;
	const int before = n->errors;
	const bxt_status status = bxt_record_expression(&n->expressions, text, &unit);
	n->hidden = false;
	n->failed = n->failed || status == BXT_ERR_MEMORY;
	if (status == BXT_ERR_MODEL && n->errors == before)
		n->errors++;
	const char *title = name || status != BXT_OK ? name : in_one_line(n, text);
	if (status == BXT_OK && title)
		add_column(n, title, unit, -(int)n->expressions.n);
}

/* Is the text an expression, although an id may contain its '-'? Signals added for the test are
 * removed. */
static bool is_difference(struct names *n, const char *text)
{
	bxt_designator d;
	return strchr(text, '-') && bxt_names_find(&n->finder, 0, text, &d) != BXT_NAME_GOOD &&
	       bxt_record_is_difference(&n->finder, text);
}

static void add_match(void *context, const char *text, const bxt_designator *d)
{
	struct names *n = context;
	(void)text;
	if (d->word == BXT_WORD_ALL)
		add_all(n, d);
	else
		add_one(n, d);
}

static void add_pattern(struct names *n, const char *pattern)
{
	n->added = 0;
	n->failed = n->failed || !bxt_record_match(&n->finder, pattern, add_match, n);
	if (n->added > 0)
		return;
	n->errors++;
	if (n->d)
		bxt_error(n->d, n->place, "record: nothing has a name like '%s'", pattern);
}

/* An item of the list, of any form. */
static void add_written(struct names *n, char *item)
{
	const char *name;
	const char *text = bxt_record_cut_name(item, &name);
	if (name || bxt_record_is_expression(text) || is_difference(n, text))
		add_expression(n, name, text);
	else if (bxt_record_is_pattern(text))
		add_pattern(n, text);
	else
		add_item(n, text);
}

/* Without a list: adds everything, unless that is too much. */
static void add_default(struct names *n)
{
	const bxt_system *s = n->s;
	size_t nodes = 0;
	for (size_t i = 0; i < s->net->n_nodes; i++)
		nodes += s->where.node_row[i] >= 0;
	if (2 * (size_t)s->n + nodes > MAX_DEFAULT_COLUMNS) {
		bxt_note(n->d, BXT_NOWHERE,
			 "no <record>, and all signals would be %zu columns: only the energy is "
			 "recorded",
			 2 * (size_t)s->n + nodes);
		const bxt_signal energy = in_unit("J", BXT_SIGNAL_ENERGY, 0, -1);
		add(n, &energy, "energy");
		return;
	}
	for (int flow = 0; flow < 2; flow++)
		for (size_t c = 0; c < s->dirac.n; c++) {
			const bxt_coord_info *coord = &s->dirac.coord[c];
			const bxt_element *e = coord->type == BXT_COORD_ELEMENT
						       ? &n->net->elements[coord->owner]
						       : NULL;
			if (e && (e->reads || (e->is_signal && !flow)))
				continue; /* recorded under another name; the integral of a signal
					   */
			const char *name = bxt_dirac_coord_name(n->net, coord, flow, &n->text);
			n->failed = n->failed || n->text.failed;
			const bxt_signal signal =
				of_coordinate(n, flow ? BXT_SIGNAL_FLOW : BXT_SIGNAL_COORDINATE, c);
			add(n, &signal, name);
		}
	for (size_t i = 0; i < s->net->n_nodes; i++)
		if (s->where.node_row[i] >= 0)
			add_all(n, &(bxt_designator){BXT_WORD_ALL, BXT_OWNER_NODE, (int)i, -1});
}

/* Items between commas, white space around them gone. */
static void resolve_list(struct names *n, char *list)
{
	static const char white[] = " \t\r\n\f\v";
	for (char *item = list, *next; item; item = next) {
		char *end = item + bxt_record_item_length(item);
		next = *end ? end + 1 : NULL;
		*end = '\0';
		item += strspn(item, white);
		while (end > item && strchr(white, end[-1]))
			*--end = '\0';
		if (*item)
			add_written(n, item);
	}
}

/* A full name of another model, in this one: as it is, or with leading path words dropped. */
static void add_foreign(struct names *n, const char *name)
{
	bxt_diagnostics *const told = n->d;
	const char *open = strchr(name, '(');
	const char *path = open ? open + 1 : name;
	n->d = NULL; /* a name that does not exist here is no error */
	for (;;) {
		const size_t prefix = open ? (size_t)(open + 1 - name) : 0;
		char *item = bxt_arena_printf(n->r->arena, "%.*s%s", (int)prefix, name, path);
		if (!item) {
			n->failed = true;
			break;
		}
		n->errors = 0;
		add_item(n, item);
		const char *dot = strchr(path, '.');
		if (n->errors == 0 || !dot || (open && dot > strchr(open, ')')))
			break;
		path = dot + 1;
	}
	n->d = told;
	n->errors = 0;
}

static bxt_status end(struct names *n)
{
	n->failed = n->failed || n->finder.failed || n->text.failed;
	if (!n->failed && n->errors == 0)
		n->failed = bxt_record_expressions_compile(&n->expressions) != BXT_OK;
	bxt_record_expressions_free(&n->expressions);
	bxt_names_end(&n->finder);
	bxt_buffer_free(&n->text);
	bxt_map_free(&n->seen);
	bxt_map_free(&n->shown);
	return n->failed ? BXT_ERR_MEMORY : n->errors ? BXT_ERR_MODEL : BXT_OK;
}

bxt_status bxt_recorder_resolve(bxt_recorder *r, const bxt_settings *settings, bxt_diagnostics *d)
{
	const char *list = settings->record;
	struct names n = {.r = r,
			  .s = r->system,
			  .net = r->system->net,
			  .d = d,
			  .place = settings->record_place};
	char *copy = list ? bxt_arena_strdup(r->arena, list) : NULL;
	if (list && !copy)
		return BXT_ERR_MEMORY;
	n.expressions = (bxt_record_expressions){
		.r = r, .place = n.place, .operand = operand, .known = is_known, .context = &n};
	bxt_names_begin(&n.finder, n.net, r->arena);
	n.finder.recorded = true;
	if (copy)
		resolve_list(&n, copy);
	if (r->n == 0 && n.errors == 0)
		add_default(&n);
	for (size_t i = 0; i < settings->n_record_also && n.errors == 0 && !n.failed; i++)
		add_foreign(&n, settings->record_also[i]);
	return end(&n);
}

/* Adds a signal under its own name, which others may hide. */
static void add_visited(void *context, const bxt_designator *d)
{
	struct names *n = context;
	bxt_designator found;
	bxt_buffer_clear(&n->text);
	bxt_designator_print(n->net, 0, d, &n->text);
	n->failed = n->failed || n->text.failed;
	const char *name = n->failed ? NULL : bxt_arena_strdup(n->r->arena, n->text.text);
	n->failed = n->failed || !name;
	if (!n->failed && bxt_names_find(&n->finder, 0, name, &found) == BXT_NAME_GOOD &&
	    found.word == d->word && found.owner == d->owner && found.element == d->element)
		add_one(n, d);
}

bxt_status bxt_recorder_resolve_all(bxt_recorder *r)
{
	struct names n = {.r = r, .s = r->system, .net = r->system->net};
	n.expressions = (bxt_record_expressions){.r = r};
	bxt_names_begin(&n.finder, n.net, r->arena);
	n.finder.recorded = true;
	bxt_designators_visit_all(n.net, add_visited, &n);
	return end(&n);
}
