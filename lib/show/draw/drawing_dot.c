/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a drawing in the language of dot. All text from the model is in labels between < and >,
 * where dot interprets only entities and tags. Names of nodes are generated numbers.
 */
#include "show/draw/drawing.h"

#include "ground/base/plain.h"

#include <string.h>

enum {
	MOST_PINS = 6,        /* a node with more pins is drawn as a stub at each pin */
	MOST_CHARACTERS = 48, /* of a name */
	WIDE = 24             /* characters: a longer second line is broken before the value */
};

static const struct {
	const char *domain, *colour;
} domains[] = {
	{"electrical", "#1f77b4"}, {"electromechanical", "#6a51a3"},
	{"hydraulic", "#0b7a75"},  {"thermal", "#c0392b"},
	{"magnetic", "#a1478e"},   {"translational", "#8c5a1e"},
	{"rotational", "#b8651b"}, {"planar", "#5b7a1f"},
	{"spatial", "#6d4f9c"},    {"spatial", "#3d7a4a"},
	{"mechanical", "#6b6b2a"}, {"control", "#d97706"},
};
static const char signal_colour[] = "#d97706", stub_colour[] = "#a50f15",
		  other_colour[] = "#555555";

/* State of writing. */
struct writer {
	const bxt_drawing *g;
	FILE *f;
	bxt_buffer text;
	int extra; /* number of stubs and grounds so far */
};

static const char *colour_of(const char *domain)
{
	for (size_t i = 0; domain && i < sizeof domains / sizeof *domains; i++)
		if (strcmp(domains[i].domain, domain) == 0)
			return domains[i].colour;
	return other_colour;
}

static const char *colour_of_kind(const bxt_port_kind *kind)
{
	return colour_of(kind ? kind->name : NULL);
}

/* ---- Text ---- */

/* The bytes of a name that are displayed. */
static size_t shown(const char *text, bool *cut)
{
	size_t characters = 0, i = 0;
	for (; text[i] && characters <= MOST_CHARACTERS; i++)
		characters += ((unsigned char)text[i + 1] & 0xc0) != 0x80;
	*cut = text[i] != '\0';
	return i;
}

/*
 * Writes text of any origin in a label: first as plain text, then with entities. An empty text
 * becomes a space.
 */
static void put(struct writer *w, const char *text)
{
	bool cut;
	bxt_buffer_clear(&w->text);
	bxt_plain_add(&w->text, text && *text ? text : " ", false);
	if (w->text.failed)
		return;
	const size_t n = shown(w->text.text, &cut);
	for (size_t i = 0; i < n; i++) {
		const char c = w->text.text[i];
		if (strchr("&<>\"'\\[]{}|", c))
			fprintf(w->f, "&#%d;", c);
		else
			fputc(c == '\t' ? ' ' : c, w->f);
	}
	if (cut)
		fputs("…", w->f);
}

static size_t length_of(const char *text)
{
	size_t n = 0;
	for (; text && *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

/* label=<<b>id</b><br/>word, value>: the parts that exist */
static void put_label(struct writer *w, const char *id, const char *word, const char *value)
{
	fputs("label=<<b>", w->f);
	put(w, id);
	fputs("</b>", w->f);
	if (word) {
		fputs("<br/><font point-size=\"8\">", w->f);
		put(w, word);
	}
	if (value) {
		const bool wide = word && length_of(word) + length_of(value) > WIDE;
		fputs(!word ? "<br/><font point-size=\"8\">" : wide ? "<br/>" : " · ", w->f);
		put(w, value);
	}
	fputs(word || value ? "</font>>" : ">", w->f);
}

static void put_name(struct writer *w, const char *attribute, const char *text, const char *colour)
{
	if (!text || !*text)
		return;
	fprintf(w->f, ", %s=<<font point-size=\"8\" color=\"%s\">", attribute, colour);
	put(w, text);
	fputs("</font>>", w->f);
}

/* ---- Shapes ---- */

static bool is_stub(const bxt_drawing *g, int node)
{
	return g->shapes[node].n_pins > MOST_PINS;
}

/* Draws a name in place of the node, and returns its number. */
static int put_stub(struct writer *w, const char *name)
{
	fprintf(w->f, "x%d [shape=plaintext, height=0.2, width=0.2, margin=\"0.02,0.01\", ",
		w->extra);
	fprintf(w->f, "label=<<font color=\"%s\">", stub_colour);
	put(w, name);
	fputs("</font>>]\n", w->f);
	return w->extra++;
}

/* Draws the fixed node: a triangle for potentials, a grey square for motions. */
static int put_ground(struct writer *w, const bxt_port_kind *kind)
{
	const bool wall = kind && kind->type == BXT_PORT_SHARED;
	fprintf(w->f,
		wall ? "x%d [shape=square, width=0.13, height=0.13, label=\"\", style=filled, "
		       "fillcolor=\"#999999\", color=\"#444444\"]\n"
		     : "x%d [shape=invtriangle, width=0.16, height=0.11, label=\"\", style=filled, "
		       "fillcolor=\"#333333\", color=\"#333333\"]\n",
		w->extra);
	return w->extra++;
}

/* Pins are labelled if the element has more than two, or pins of several kinds. */
static bool has_names(const bxt_component *c, int n_pins)
{
	return n_pins > 2 || (c && n_pins == 2 && c->ports[0].kind != c->ports[1].kind);
}

static void put_pin(struct writer *w, int element, const bxt_drawn_pin *pin, bool named)
{
	const bxt_drawing *g = w->g;
	char letter = 'x';
	int other;
	if (pin->node == BXT_PIN_OPEN)
		return;
	if (pin->node == BXT_PIN_GROUND) {
		other = put_ground(w, pin->kind);
	} else if (is_stub(g, pin->node)) {
		other = put_stub(w, g->shapes[pin->node].id);
	} else {
		other = pin->node;
		letter = 's';
	}
	const bool down = pin->node == BXT_PIN_GROUND || !pin->above;
	if (down)
		fprintf(w->f, "s%d -> %c%d [arrowhead=none", element, letter, other);
	else
		fprintf(w->f, "%c%d -> s%d [arrowhead=none", letter, other, element);
	fprintf(w->f, ", color=\"%s\"",
		pin->node == BXT_PIN_GROUND ? "#777777" : colour_of_kind(pin->kind));
	if (named)
		put_name(w, down ? "taillabel" : "headlabel", pin->name, "#777777");
	fputs("]\n", w->f);
}

static void put_element(struct writer *w, int index)
{
	const bxt_shape *s = &w->g->shapes[index];
	const bxt_component *c = s->component;
	fprintf(w->f, "s%d [shape=box, style=\"filled%s\", penwidth=%s, color=\"%s\", ", index,
		c ? "" : ",dashed", c ? "1.5" : "1.2", c ? colour_of(c->domain) : "#d62728");
	put_label(w, s->id, s->word, c ? s->value : "unknown");
	fputs("]\n", w->f);
	for (int k = 0; k < s->n_pins; k++)
		put_pin(w, index, &w->g->pins[s->first_pin + k], has_names(c, s->n_pins));
}

static void put_node(struct writer *w, int index)
{
	const bxt_shape *s = &w->g->shapes[index];
	if (is_stub(w->g, index))
		return;
	fprintf(w->f, "s%d [shape=point, width=0.07, height=0.07, fillcolor=black", index);
	put_name(w, "xlabel", s->id, "#555555");
	fputs("]\n", w->f);
}

static void put_port(struct writer *w, int index)
{
	const bxt_shape *s = &w->g->shapes[index];
	const bxt_port_kind *kind = s->node >= 0 ? w->g->shapes[s->node].kind : NULL;
	fprintf(w->f,
		"s%d [shape=square, width=0.13, height=0.13, label=\"\", style=filled, "
		"fillcolor=\"#7a9cbf\"",
		index);
	put_name(w, "xlabel", s->id, "#222222");
	fputs("]\n", w->f);
	if (s->node < 0)
		return;
	const bool stub = is_stub(w->g, s->node);
	const int other = stub ? put_stub(w, w->g->shapes[s->node].id) : s->node;
	fprintf(w->f, "s%d -> %c%d [arrowhead=none, color=\"%s\"]\n", index, stub ? 'x' : 's',
		other, colour_of_kind(kind));
}

static void put_shape(struct writer *w, int index)
{
	const bxt_shape *s = &w->g->shapes[index];
	switch (s->type) {
	case BXT_SHAPE_ELEMENT:
		put_element(w, index);
		return;
	case BXT_SHAPE_NODE:
		put_node(w, index);
		return;
	case BXT_SHAPE_PORT:
		put_port(w, index);
		return;
	case BXT_SHAPE_CONNECTION:
		fprintf(w->f,
			"s%d [shape=ellipse, style=filled, fillcolor=\"#fff2cc\", "
			"color=\"#c9a227\", ",
			index);
		put_label(w, s->id, s->word, s->value);
		break;
	case BXT_SHAPE_INPUT:
		fprintf(w->f,
			"s%d [shape=cds, style=filled, fillcolor=\"#fdebd0\", height=0.25, "
			"color=\"%s\", label=<<font point-size=\"9\" color=\"#9a5200\">",
			index, signal_colour);
		put(w, s->id);
		fputs("</font>>", w->f);
		break;
	case BXT_SHAPE_SIGNAL:
	case BXT_SHAPE_TEXT:
		fprintf(w->f,
			"s%d [shape=box, style=\"rounded,%s\", height=0.25, color=\"%s\", "
			"label=<<font point-size=\"9\" color=\"#9a5200\">",
			index, s->type == BXT_SHAPE_TEXT ? "dashed" : "filled", signal_colour);
		put(w, s->id);
		fputs("</font>>", w->f);
		break;
	case BXT_SHAPE_SUBSYSTEM:
		fprintf(w->f,
			"s%d [shape=box, style=\"rounded,filled\", fillcolor=\"#f3f7fc\", "
			"color=\"#8aa4c8\", penwidth=1.5, ",
			index);
		put_label(w, s->id, s->word, s->value);
		break;
	}
	fputs("]\n", w->f);
}

/* ---- Scopes and lines ---- */

/* Draws the shapes of a scope, then those of its subsystems, each in a frame. */
static void put_scope(struct writer *w, int scope)
{
	const bxt_drawn_scope *s = &w->g->scopes[scope];
	if (scope > 0) {
		fprintf(w->f,
			"subgraph cluster%d {\nstyle=\"rounded,filled\"; fillcolor=\"#f3f7fc\"; "
			"color=\"#8aa4c8\"; label=<",
			scope);
		put(w, s->id);
		if (s->href) {
			fputs(" (", w->f);
			put(w, s->href);
			fputs(")", w->f);
		}
		fputs(">\n", w->f);
	}
	/* scopes are numbered, and shapes listed, in the order of the netlist */
	for (size_t i = 0; i < w->g->n_shapes; i++)
		if (w->g->shapes[i].scope == scope)
			put_shape(w, (int)i);
	for (size_t i = (size_t)scope + 1; i < w->g->n_scopes; i++)
		if (w->g->scopes[i].parent == scope)
			put_scope(w, (int)i);
	if (scope > 0)
		fputs("}\n", w->f);
}

static void put_line(struct writer *w, const bxt_drawn_line *line)
{
	const bxt_shape *from = &w->g->shapes[line->from];
	char letter = 's';
	int source = line->from;
	if (from->type == BXT_SHAPE_NODE && is_stub(w->g, line->from)) {
		source = put_stub(w, from->id);
		letter = 'x';
	}
	fprintf(w->f, "%c%d -> s%d [", letter, source, line->to);
	switch (line->type) {
	case BXT_LINE_CONNECTION:
		fputs("arrowhead=none, penwidth=2, color=\"#c9a227\"", w->f);
		if (w->g->shapes[line->to].type == BXT_SHAPE_SUBSYSTEM)
			put_name(w, "headlabel", line->at_to, "#222222");
		break;
	case BXT_LINE_SIGNAL:
		fprintf(w->f, "style=dashed, arrowsize=0.7, color=\"%s\"", signal_colour);
		put_name(w, "taillabel", line->at_from, "#9a5200");
		put_name(w, "headlabel", line->at_to, "#9a5200");
		break;
	case BXT_LINE_BINDING:
		fputs("style=dotted, arrowhead=none, color=\"#555555\"", w->f);
		put_name(w, "taillabel", line->at_from, "#777777");
		break;
	}
	fputs("]\n", w->f);
}

bxt_status bxt_drawing_write(const bxt_drawing *g, const char *title, FILE *stream)
{
	struct writer w = {.g = g, .f = stream};
	fputs("digraph netlist {\n"
	      "graph [nodesep=0.25, ranksep=0.35, fontname=\"Helvetica\", fontsize=11, "
	      "forcelabels=true]\n"
	      "node [fontname=\"Helvetica\", fontsize=10, fillcolor=white, height=0.35, width=0.5, "
	      "margin=\"0.08,0.04\"]\n"
	      "edge [fontname=\"Helvetica\", fontsize=8, labeldistance=1.2]\n",
	      stream);
	if (title) {
		fputs("labelloc=t; label=<<font point-size=\"13\"><b>", stream);
		put(&w, title);
		fputs("</b></font>>\n", stream);
	}
	put_scope(&w, 0);
	for (size_t i = 0; i < g->n_lines; i++)
		put_line(&w, &g->lines[i]);
	fputs("}\n", stream);
	const bool failed = w.text.failed;
	bxt_buffer_free(&w.text);
	return failed ? BXT_ERR_MEMORY : ferror(stream) ? BXT_ERR_IO : BXT_OK;
}
