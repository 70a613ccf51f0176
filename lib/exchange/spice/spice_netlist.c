/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the netlist around the elements: its description, its run and its records. */
#include "exchange/spice/spice.h"
#include "ground/base/plain.h"

#include <math.h>
#include <string.h>

enum { MOST_RECORDED = 200 };

static void add(bxt_buffer *out, const char *text)
{
	bxt_buffer_add(out, text, strlen(text));
}

static void add_value(bxt_buffer *out, const char *name, double value)
{
	bxt_buffer_printf(out, " %s=\"", name);
	bxt_spice_add_number(out, value);
	add(out, " s\"");
}

/*
 * SPICE bounds the error of a step relative to the larger of the charge and of the charge that the
 * current moves in the step, times 7, for steps of order 2. The closest equivalent here is the
 * largest value so far and a tenth of reltol.
 */
static const double OF_RELTOL = 10, LEAST = 1e-12, MOST = 1e-2;

static void write_simulation(const bxt_deck *deck, bxt_buffer *out)
{
	const double tolerance = fmin(fmax(deck->reltol / OF_RELTOL, LEAST), MOST);
	add(out, "  <simulation");
	if (deck->tran.line) {
		/*
		 * rows at the step of the deck, or at its largest step, which sets the rows where
		 * errors bound steps; at most 100,000 rows, as a table that people read
		 */
		const double least = deck->tran.stop / 100000, most = deck->tran.max;
		const double step = most > 0 ? fmin(deck->tran.step, most) : deck->tran.step;
		add_value(out, "end", deck->tran.stop);
		add_value(out, "step", fmax(step, least));
	}
	add(out, " scheme=\"radau3\" tolerance=\"");
	bxt_spice_add_number(out, tolerance);
	bxt_buffer_printf(out, "\" step-control=\"range\"%s/>\n",
			  deck->uic ? "" : " start=\"operating-point\"");
}

/* ---- Records ---- */

typedef struct records {
	bxt_spice_scope *root;
	bxt_map taken;
	bxt_buffer list;
	int left_out;
} records;

static void record(records *r, const char *format, const char *id)
{
	char *name = bxt_arena_printf(r->root->deck->arena, format, id);
	r->root->deck->failed = r->root->deck->failed || !name;
	if (!name || bxt_map_get(&r->taken, name) >= 0)
		return;
	bxt_buffer_printf(&r->list, "%s%s", r->list.length ? ", " : "", name);
	if (bxt_map_put(&r->taken, name, 1) != BXT_OK)
		r->root->deck->failed = true;
}

static void record_at(records *r, const bxt_spice_node *node)
{
	const bool own = node->used || node->port;
	if (own || node->alias)
		record(r, "node(%s).v", own ? node->id : node->alias);
}

static void record_node(records *r, const char *name)
{
	const int k = bxt_map_get(&r->root->node_index, name);
	if (k >= 0)
		record_at(r, &r->root->nodes[k]);
	else if (strcmp(name, "0") != 0 && strcmp(name, "gnd") != 0)
		r->left_out++;
}

/* Adds V(a), V(a, b) and I(V1) of one line. */
static void record_line(records *r, const bxt_deck_line *line)
{
	bxt_deck *deck = r->root->deck;
	for (const char *open = strchr(line->text, '('); open; open = strchr(open + 1, '(')) {
		const char *close = strchr(open, ')'), *word = open;
		if (!close)
			return;
		while (word > line->text && !strchr(" \t=", word[-1]))
			word--;
		const bool voltage = bxt_spice_begins(word, "v("),
			   current = bxt_spice_begins(word, "i(");
		bxt_spice_words names = bxt_spice_split(
			deck, bxt_arena_strndup(deck->arena, open + 1, (size_t)(close - open - 1)));
		for (int i = 0; i < names.n; i++) {
			const char *name =
				bxt_spice_lower(deck->arena, names.word[i], strlen(names.word[i]));
			const char *id = name ? bxt_spice_element_id(r->root, name) : NULL;
			if (voltage && name)
				record_node(r, name);
			else if (current && id && (*name == 'v' || *name == 'l'))
				record(r, "%s.i", id);
			else
				r->left_out++;
		}
	}
}

static bool is_print(const char *text)
{
	return bxt_spice_begins(text, ".print") || bxt_spice_begins(text, ".plot") ||
	       bxt_spice_begins(text, ".save") || bxt_spice_begins(text, ".probe");
}

static void write_records(bxt_spice_scope *root, bxt_buffer *out)
{
	bxt_deck *deck = root->deck;
	records r = {.root = root};
	for (size_t i = 0; i < deck->n_commands && !deck->failed; i++)
		if (is_print(deck->commands[i]->text))
			record_line(&r, deck->commands[i]);
	if (r.left_out)
		bxt_note(deck->d, ((bxt_place){deck->file, 0}),
			 "%d quantities of .print and the like are left out: only V(node) and "
			 "I(source) of the deck itself are recorded",
			 r.left_out);
	if (r.list.length == 0 && root->n_nodes <= MOST_RECORDED) {
		for (size_t i = 0; i < root->n_nodes; i++)
			record_at(&r, &root->nodes[i]);
		for (size_t i = 0; i < root->n_id_names && i < MOST_RECORDED; i++)
			if (strchr("vV", root->id_names[i][0]))
				record(&r, "%s.i", root->id_names[i]);
	}
	if (r.list.length)
		bxt_buffer_printf(out, "  <record>%s</record>\n", r.list.text);
	deck->failed = deck->failed || r.list.failed;
	bxt_map_free(&r.taken);
	bxt_buffer_free(&r.list);
}

/* ---- The whole netlist ---- */

static void write_title(bxt_deck *deck, bxt_buffer *out)
{
	bxt_buffer plain = {0};
	const char *title = deck->title ? deck->title : "";
	size_t length = strlen(title);
	while (length > 0 && strchr(" \t\r*", title[length - 1]))
		length--;
	char *copy = bxt_arena_strndup(deck->arena, title, length);
	const char *start = copy ? copy + strspn(copy, "* \t") : "";
	bxt_plain_add(&plain, start, false);
	bxt_spice_add_escaped(out, plain.text ? plain.text : "");
	deck->failed = deck->failed || !copy || plain.failed;
	bxt_buffer_free(&plain);
}

void bxt_spice_write(bxt_deck *deck, bxt_spice_scope *root, bxt_buffer *out)
{
	add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!--\n  Imported from a deck of "
		 "SPICE.");
	if (deck->remarks.length) {
		add(out, " What only other analyses use:\n");
		add(out, deck->remarks.text);
	} else {
		add(out, "\n");
	}
	add(out, "-->\n<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"");
	write_title(deck, out);
	add(out, "\">\n");
	write_simulation(deck, out);
	add(out, deck->components.text ? deck->components.text : "");
	add(out, root->xml.text ? root->xml.text : "");
	write_records(root, out);
	add(out, "</netlist>\n");
	deck->failed =
		deck->failed || root->xml.failed || deck->remarks.failed || deck->components.failed;
}
