/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a <port-hamiltonian>: states with their efforts as coordinates, H, and the matrices J, R,
 * E, Q, B and D, inline or from Matrix Market files beside the component. element/hamiltonian.c
 * gives the equations.
 */
#include "model/component/component_internal.h"

#include "ground/base/local_file.h"
#include "ground/sparse/matrix_market.h"

#include <stdlib.h>
#include <string.h>

typedef struct bxt_component_builder builder;

/* ---- Coordinates ---- */

/* "J.s/(UNIT)" for the time integral of dH/dx. */
static const char *unit_of_integral(builder *b, const char *unit)
{
	const bool number = !*unit || strcmp(unit, "1") == 0;
	const char *text = number ? "J.s" : bxt_arena_printf(b->arena, "J.s.(%s)-1", unit);
	b->no_memory = b->no_memory || !text;
	return text ? text : "";
}

static const char *rate_of(builder *b, const char *unit)
{
	const bool number = !*unit || strcmp(unit, "1") == 0;
	const char *text = number ? "s-1" : bxt_arena_printf(b->arena, "%s.s-1", unit);
	b->no_memory = b->no_memory || !text;
	return text ? text : "";
}

/* Declares a coordinate with these names; its index. */
static int add_coordinate(builder *b, const char *name, const char *unit, const char *flow,
			  bxt_place place)
{
	bxt_component *c = b->c;
	c->coordinates[c->n_coordinates] =
		(bxt_coordinate){.name = name,
				 .unit = unit,
				 .flow = flow,
				 .flow_unit = rate_of(b, unit),
				 .converts = bxt_component_converts(b, unit),
				 .place = place};
	c->coordinates[c->n_coordinates].measure = bxt_component_measure_coordinate(b, unit);
	bxt_component_declare(b, place, name, true);
	bxt_component_declare(b, place, flow, true);
	return c->n_coordinates++;
}

static const char *prefixed(builder *b, const char *prefix, const char *name)
{
	const char *text = bxt_arena_printf(b->arena, "%s%s", prefix, name);
	b->no_memory = b->no_memory || !text;
	return text ? text : "";
}

/* The name in an attribute; when absent, a prefix and the state's name. */
static const char *name_for(builder *b, const bxt_item *item, const char *attribute,
			    const char *prefix, const char *name)
{
	return bxt_item_get(item, attribute) ? bxt_component_required(b, item, attribute)
					     : prefixed(b, prefix, name);
}

enum { MOST_STATES = 100000 };

/* The number of states of a <state>: count="50" makes NAME1 ... NAME50. */
static int count_of(builder *b, const bxt_item *item)
{
	const char *text = bxt_item_get(item, "count");
	char *end = NULL;
	if (!text)
		return 1;
	const long n = strtol(text, &end, 10);
	if (end != text && *end == '\0' && n >= 1 && n <= MOST_STATES)
		return (int)n;
	BXT_FAIL(b, bxt_component_place_of(b, item), "count=\"%s\" is no whole number from 1 to %d",
		 text, MOST_STATES);
	return 1;
}

static void read_state(builder *b, const bxt_item *item, int *x, int *s)
{
	bxt_component *c = b->c;
	const bxt_place place = bxt_component_place_of(b, item);
	const char *name = bxt_component_required(b, item, "name");
	const char *unit = bxt_component_si_unit(b, item);
	const int n = count_of(b, item);
	bxt_component_check_attributes(b, item);
	const char *rate = name_for(b, item, "rate", "d_", name);
	const char *effort = name_for(b, item, "effort", "e_", name);
	const char *integral = prefixed(b, "s_", name);
	for (int k = 1; k <= n && *name && !b->no_memory; k++) {
		const char *numbered[4] = {name, rate, integral, effort};
		for (int i = 0; i < 4 && bxt_item_get(item, "count"); i++)
			if (!(numbered[i] = bxt_arena_printf(b->arena, "%s%d", numbered[i], k)))
				b->no_memory = true;
		if (b->no_memory)
			return;
		/* states first, then their efforts, so that both indices are known */
		const int end = c->n_coordinates;
		c->n_coordinates = (*x)++;
		add_coordinate(b, numbered[0], unit, numbered[1], place);
		c->n_coordinates = (*s)++;
		add_coordinate(b, numbered[2], unit_of_integral(b, unit), numbered[3], place);
		c->n_coordinates = end;
	}
}

/* Makes room for coordinates of states and inputs after the present ones. */
static bool make_room(builder *b, int more)
{
	bxt_component *c = b->c;
	bxt_coordinate *all =
		BXT_NEW(b->arena, bxt_coordinate, (size_t)c->n_coordinates + (size_t)more);
	if (!all) {
		b->no_memory = true;
		return false;
	}
	memcpy(all, c->coordinates, (size_t)c->n_coordinates * sizeof *all);
	c->coordinates = all;
	return true;
}

/* ---- Matrices ---- */

/* The end of the text of an entry: a ',' or ';' outside of parentheses, or the end. */
static size_t entry_length(const char *text)
{
	size_t i = 0;
	for (int depth = 0; text[i] && (depth > 0 || (text[i] != ',' && text[i] != ';')); i++)
		depth += (text[i] == '(') - (text[i] == ')');
	return i;
}

static size_t count_entries(const char *text)
{
	size_t n = 1;
	for (; *text; text++)
		n += *text == ',' || *text == ';';
	return n;
}

static bool is_blank(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '\0';
}

/* "a, b; c, d": rows end with ';', entries with ','. Entries "0" are skipped. */
static void read_inline(builder *b, const char *text, bxt_matrix *m)
{
	int row = 0, column = 0, most = 0;
	bool even = true;
	m->entry = BXT_NEW(b->arena, bxt_matrix_entry, count_entries(text));
	if (!m->entry) {
		b->no_memory = true;
		return;
	}
	for (;; text++) {
		const size_t length = entry_length(text);
		const char *entry = bxt_arena_strndup(b->arena, text, length);
		if (!entry) {
			b->no_memory = true;
			return;
		}
		text += length;
		if (!*text && column == 0 && row > 0 && is_blank(entry))
			break; /* after a last ';' */
		if (is_blank(entry))
			BXT_FAIL(b, m->place, "entry (%d,%d) of the matrix is empty", row + 1,
				 column + 1);
		else if (strcmp(entry + strspn(entry, " \t\r\n"), "0") != 0)
			m->entry[m->n++] = (bxt_matrix_entry){row, column, {entry, m->place}, 0};
		column++;
		if (*text == ',')
			continue;
		even = even && (row == 0 || column == most);
		most = column;
		row++;
		column = 0;
		if (!*text)
			break;
	}
	if (!even)
		BXT_FAIL(b, m->place,
			 "the rows of the matrix have different lengths; entries end "
			 "with ',' and rows with ';'");
	m->rows = row;
	m->cols = most;
}

static void read_file(builder *b, const char *name, bxt_matrix *m)
{
	bxt_market_matrix market;
	const char *why = "", *folder = bxt_local_file_folder(b->arena, b->file);
	const char *path = folder ? bxt_local_file(b->arena, folder, name) : NULL;
	if (!path) {
		b->no_memory = true;
		return;
	}
	if (!bxt_local_file_is_plain(name)) {
		BXT_FAIL(b, m->place,
			 "file=\"%s\": a matrix lies in the folder of the file that "
			 "names it, or below",
			 name);
		return;
	}
	bxt_status status = bxt_matrix_market_read(b->arena, path, &market, &why);
	if (status == BXT_OK && !bxt_local_file_is_below(folder, path)) {
		status = BXT_ERR_IO;
		why = "it leads out of the folder of the file that names it";
	}
	if (status == BXT_ERR_IO) {
		BXT_FAIL(b, m->place, "the matrix '%s' cannot be read: %s", path, why);
		return;
	}
	m->entry = status == BXT_OK ? BXT_NEW(b->arena, bxt_matrix_entry, (size_t)market.n) : NULL;
	if (!m->entry) {
		b->no_memory = true;
		return;
	}
	for (int k = 0; k < market.n; k++)
		m->entry[m->n++] = (bxt_matrix_entry){
			market.row[k], market.col[k], {NULL, m->place}, market.value[k]};
	m->rows = market.rows;
	m->cols = market.cols;
}

/* A matrix of size rows x cols, inline or from file="...". */
static void read_matrix(builder *b, const bxt_item *item, int rows, int cols, bxt_matrix *m)
{
	const char *file = bxt_item_get(item, "file"), *text = bxt_component_content(b, item);
	if (m->entry) {
		BXT_FAIL(b, bxt_component_place_of(b, item),
			 "a second <%s>; the first is in line %d", item->name, m->place.line);
		return;
	}
	*m = (bxt_matrix){.place = bxt_component_place_of(b, item)};
	if (file && *text)
		BXT_FAIL(b, m->place, "<%s> has a file and entries: one of them", item->name);
	else if (!file && !*text)
		BXT_FAIL(b, m->place, "<%s> is empty: it needs entries or file=\"…\"", item->name);
	else if (file)
		read_file(b, bxt_component_keep(b, file), m);
	else
		read_inline(b, text, m);
	if (m->entry && !b->no_memory && (m->rows != rows || m->cols != cols))
		BXT_FAIL(b, m->place, "<%s> is a matrix of %d x %d, and %d x %d is needed",
			 item->name, m->rows, m->cols, rows, cols);
}

/* ---- Inputs ---- */

static int find_port(const builder *b, const char *name, size_t length)
{
	for (int i = 0; i < b->c->n_ports; i++)
		if (strlen(b->c->ports[i].name) == length &&
		    strncmp(b->c->ports[i].name, name, length) == 0)
			return i;
	return -1;
}

/* The port of an input, "a" or with one of its coordinates "a.x"; -1 after a finding. */
static int port_of(builder *b, bxt_place place, const char *name, int *sub)
{
	const size_t length = strcspn(name, ".");
	bxt_nearest_search search = {.name = name};
	const int i = find_port(b, name, length);
	*sub = 0;
	if (i >= 0 && b->c->ports[i].kind) {
		const bxt_port_kind *kind = b->c->ports[i].kind;
		if (!name[length] && kind->n == 1)
			return i;
		for (int k = 0; k < kind->n && name[length]; k++)
			if (kind->type == BXT_PORT_SHARED &&
			    strcmp(kind->coordinate[k], name + length + 1) == 0) {
				*sub = k;
				return i;
			}
		BXT_FAIL(b, place,
			 "<input> port '%s': the %s port '%s' has the coordinates %s%s%s%s%s", name,
			 kind->name, b->c->ports[i].name, kind->coordinate[0],
			 kind->n > 1 ? ", " : "", kind->n > 1 ? kind->coordinate[1] : "",
			 kind->n > 2 ? ", " : "", kind->n > 2 ? kind->coordinate[2] : "");
		return -1;
	}
	for (int k = 0; k < b->c->n_ports; k++)
		bxt_nearest_offer(&search, b->c->ports[k].name);
	if (i < 0)
		BXT_FAIL(b, place, "<input>: there is no port '%s'%s", name,
			 bxt_did_you_mean(b->arena, search.best));
	return -1;
}

/* Gives a balance port the flow of input k, or minus it. */
static void feed_port(builder *b, bxt_place place, int port, int input)
{
	bxt_port *p = &b->c->ports[port];
	if (p->flow.text || p->input != 0)
		BXT_FAIL(b, place, "<input>: the port '%s' has a flow already", p->name);
	p->input = input;
}

static void read_port_input(builder *b, const bxt_item *item, bxt_input *in, int number)
{
	const char *takes = bxt_item_get(item, "takes"), *back = bxt_item_get(item, "return");
	int sub, unused;
	const int port = port_of(b, in->place, in->name, &sub);
	if (takes && strcmp(takes, "effort") != 0 && strcmp(takes, "flow") != 0)
		BXT_FAIL(b, in->place,
			 "takes=\"%s\": an input is the \"effort\" or the \"flow\" of its port",
			 takes);
	in->kind = takes && strcmp(takes, "flow") == 0 ? BXT_INPUT_FLOW : BXT_INPUT_EFFORT;
	if (port < 0)
		return;
	const bxt_port_kind *kind = b->c->ports[port].kind;
	if (kind->type == BXT_PORT_SHARED) {
		in->shared = prefixed(b, b->c->ports[port].name, "");
		in->shared = bxt_arena_printf(b->arena, "%s.%s", in->shared, kind->coordinate[sub]);
		b->no_memory = b->no_memory || !in->shared;
		if (back)
			BXT_FAIL(b, in->place, "return=\"%s\" is for balance ports, '%s' is %s",
				 back, b->c->ports[port].name, kind->name);
		return;
	}
	feed_port(b, in->place, port, number + 1);
	const int other = back ? port_of(b, in->place, bxt_component_keep(b, back), &unused) : -1;
	if (other < 0)
		return;
	if (b->c->ports[other].kind != kind)
		BXT_FAIL(b, in->place, "return=\"%s\": the port is not %s as '%s' is", back,
			 kind->name, b->c->ports[port].name);
	else
		feed_port(b, in->place, other, -number - 1);
}

/* A parameter that may depend on time, or a signal. */
static void read_signal(builder *b, const bxt_item *item, bxt_input *in)
{
	bxt_nearest_search search = {.name = in->name};
	in->kind = BXT_INPUT_SIGNAL;
	if (bxt_item_get(item, "takes") || bxt_item_get(item, "return"))
		BXT_FAIL(b, in->place, "<input> signal=\"%s\": takes and return are for ports",
			 in->name);
	for (int i = 0; i < b->c->n_parameters; i++) {
		if (strcmp(b->c->parameters[i].name, in->name) == 0 && !b->c->parameters[i].of)
			return;
		bxt_nearest_offer(&search, b->c->parameters[i].name);
	}
	for (int i = 0; i < b->c->n_coordinates; i++) {
		const bxt_coordinate *q = &b->c->coordinates[i];
		if (q->role != BXT_SIGNAL_IN && q->role != BXT_SIGNAL_OUT)
			continue;
		if (strcmp(q->flow, in->name) == 0)
			return;
		bxt_nearest_offer(&search, q->flow);
	}
	BXT_FAIL(b, in->place, "<input>: there is no parameter that is a number, or signal, '%s'%s",
		 in->name, bxt_did_you_mean(b->arena, search.best));
}

static void read_input(builder *b, const bxt_item *item, bxt_hamiltonian *h)
{
	const int number = h->n_inputs++;
	bxt_input *in = &h->inputs[number];
	const char *port = bxt_item_get(item, "port"), *signal = bxt_item_get(item, "signal");
	*in = (bxt_input){.coordinate = -1,
			  .output = -1,
			  .name = "",
			  .place = bxt_component_place_of(b, item)};
	bxt_component_check_attributes(b, item);
	if (!port == !signal)
		BXT_FAIL(b, in->place,
			 "<input> needs one of the attributes port=\"…\" and signal=\"…\"");
	in->name = bxt_component_keep(b, port ? port : signal ? signal : "");
	if (port)
		read_port_input(b, item, in, number);
	else if (signal)
		read_signal(b, item, in);
	read_matrix(b, item, h->n, 1, &in->b);
}

/* Does D have entries of the input? */
static bool is_fed_through(const bxt_hamiltonian *h, int input)
{
	for (int k = 0; k < h->d.n; k++)
		if (h->d.entry[k].row == input || h->d.entry[k].col == input)
			return true;
	return false;
}

/* The kind of the port that an input names; NULL for signals. */
static const bxt_port_kind *kind_of(const builder *b, const bxt_input *in)
{
	const int port =
		in->kind == BXT_INPUT_SIGNAL ? -1 : find_port(b, in->name, strcspn(in->name, "."));
	return port < 0 ? NULL : b->c->ports[port].kind;
}

/*
 * The coordinates of inputs. A flow into a balance port is the flow of one coordinate. An effort
 * with feed-through is the flow of its integral, and its output the flow of another coordinate.
 */
static void add_input_coordinates(builder *b, bxt_hamiltonian *h)
{
	for (int k = 0; k < h->n_inputs && !b->no_memory; k++) {
		bxt_input *in = &h->inputs[k];
		const bxt_port_kind *kind = kind_of(b, in);
		if (!kind)
			continue;
		const bool through = in->kind == BXT_INPUT_EFFORT && is_fed_through(h, k);
		if (in->kind == BXT_INPUT_FLOW && !in->shared)
			in->coordinate = add_coordinate(b, prefixed(b, "q_", in->name),
							kind->coordinate_unit[0],
							prefixed(b, "f_", in->name), in->place);
		if (!through)
			continue;
		if (in->shared) {
			BXT_FAIL(
				b, in->place,
				"<input> port '%s': a force with feed-through is not possible at a "
				"node that has motion of its own: take the flow as the input",
				in->name);
			continue;
		}
		in->output =
			add_coordinate(b, prefixed(b, "q_", in->name), kind->coordinate_unit[0],
				       prefixed(b, "f_", in->name), in->place);
		in->coordinate = add_coordinate(b, prefixed(b, "s_", in->name),
						unit_of_integral(b, kind->coordinate_unit[0]),
						prefixed(b, "e_", in->name), in->place);
	}
}

/* The rows of shared ports whose velocity is an output; they are constraints. */
static void add_rows(builder *b, const bxt_hamiltonian *h)
{
	bxt_component *c = b->c;
	bxt_constraint *all =
		BXT_NEW(b->arena, bxt_constraint, (size_t)c->n_constraints + (size_t)h->n_inputs);
	if (!all) {
		b->no_memory = true;
		return;
	}
	memcpy(all, c->constraints, (size_t)c->n_constraints * sizeof *all);
	c->constraints = all;
	for (int k = 0; k < h->n_inputs && !b->no_memory; k++) {
		const bxt_input *in = &h->inputs[k];
		if (in->kind != BXT_INPUT_EFFORT || !in->shared)
			continue;
		char *name = bxt_arena_printf(b->arena, "y_%s", in->name);
		if (!name) {
			b->no_memory = true;
			return;
		}
		if (strchr(name, '.')) /* of a port with several coordinates: "y_a_x" */
			*strchr(name, '.') = '_';
		bxt_component_declare(b, in->place, name, false);
		all[c->n_constraints++] = (bxt_constraint){
			.name = name, .expression = {NULL, in->place}, .input = k + 1};
	}
}

/* ---- The element ---- */

static int count_states(builder *b, const bxt_item *item)
{
	int n = 0;
	for (const bxt_item *i = NULL; (i = bxt_item_child(item, "state", i));) {
		const char *text = bxt_item_get(i, "count");
		const long many = text ? strtol(text, NULL, 10) : 1;
		n += many >= 1 && many <= MOST_STATES ? (int)many : 1;
		if (n > MOST_STATES) {
			BXT_FAIL(b, bxt_component_place_of(b, i), "more than %d states",
				 MOST_STATES);
			return -1;
		}
	}
	if (n == 0)
		BXT_FAIL(b, bxt_component_place_of(b, item), "<%s> needs a <state>", item->name);
	return n > 0 ? n : -1;
}

/* The matrix of an XML element's name. */
static bxt_matrix *matrix_of(bxt_hamiltonian *h, const char *name)
{
	return strcmp(name, "structure") == 0     ? &h->j
	       : strcmp(name, "dissipation") == 0 ? &h->r
	       : strcmp(name, "descriptor") == 0  ? &h->e
	       : strcmp(name, "energy") == 0      ? &h->q
	       : strcmp(name, "feedthrough") == 0 ? &h->d
						  : NULL;
}

static void read_part(builder *b, const bxt_item *item, bxt_hamiltonian *h)
{
	bxt_matrix *m = matrix_of(h, item->name);
	if (strcmp(item->name, "state") == 0 || strcmp(item->name, "input") == 0 || m == &h->d)
		return; /* are read later */
	if (m) {
		bxt_component_check_attributes(b, item);
		read_matrix(b, item, h->n, h->n, m);
	} else if (strcmp(item->name, "hamiltonian") == 0) {
		bxt_component_check_attributes(b, item);
		if (h->energy.text)
			BXT_FAIL(b, bxt_component_place_of(b, item),
				 "a second <hamiltonian>; the first is in line %d",
				 h->energy.place.line);
		else
			h->energy = bxt_component_written(b, item);
	} else {
		BXT_FAIL(b, bxt_component_place_of(b, item), "<port-hamiltonian> has no <%s>%s",
			 item->name,
			 bxt_did_you_mean(b->arena,
					  bxt_language_nearest(BXT_LANGUAGE_COMPONENT,
							       "port-hamiltonian", item->name)));
	}
}

static void read_states(builder *b, const bxt_item *item, bxt_hamiltonian *h)
{
	bxt_component *c = b->c;
	int x = c->n_coordinates, s = x + h->n;
	h->first_state = x;
	h->first_effort = s;
	for (const bxt_item *i = NULL; (i = bxt_item_child(item, "state", i)) && !b->no_memory;)
		read_state(b, i, &x, &s);
	c->n_coordinates += 2 * h->n;
}

void bxt_component_read_hamiltonian(builder *b, const bxt_item *item)
{
	bxt_hamiltonian *h = BXT_NEW(b->arena, bxt_hamiltonian, 1);
	const int inputs = bxt_component_count(item, "input"), n = count_states(b, item);
	if (n < 0)
		return;
	if (!h || !(h->inputs = BXT_NEW(b->arena, bxt_input, (size_t)inputs)) ||
	    !make_room(b, 2 * n + 2 * inputs)) {
		b->no_memory = true;
		return;
	}
	h->place = bxt_component_place_of(b, item);
	h->n = n;
	read_states(b, item, h);
	for (const bxt_item *i = item->first; i; i = i->next)
		if (i->type == BXT_ITEM_TEXT && !is_blank(i->text))
			BXT_FAIL(b, bxt_component_place_of(b, i),
				 "text inside <%s> that is in no element", item->name);
	for (const bxt_item *i = NULL; (i = bxt_item_child(item, NULL, i)) && !b->no_memory;)
		read_part(b, i, h);
	for (const bxt_item *i = NULL; (i = bxt_item_child(item, "input", i)) && !b->no_memory;)
		read_input(b, i, h);
	for (const bxt_item *i = NULL;
	     (i = bxt_item_child(item, "feedthrough", i)) && !b->no_memory;) {
		bxt_component_check_attributes(b, i);
		read_matrix(b, i, h->n_inputs, h->n_inputs, &h->d);
	}
	if (!h->energy.text && !h->q.entry && !b->bad) /* otherwise its own error is reported */
		BXT_FAIL(b, h->place, "<%s> needs <hamiltonian> or <energy>, its H", item->name);
	if (b->bad || b->no_memory)
		return;
	add_input_coordinates(b, h);
	add_rows(b, h);
	b->c->hamiltonian = h;
}
