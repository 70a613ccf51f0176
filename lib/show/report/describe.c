/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes the component library as text: lists, and a component with its derived equations. */
#include "show/report/describe.h"

#include "boxtimes_reference.h"
#include "ground/base/diagnostics.h"
#include "ground/base/plain.h"
#include "model/element/describe.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LINE_WIDTH = 78, LIST_WIDTH = 100 };

/* ---- The list ---- */

static const char *domain_of(const bxt_component *c)
{
	return *c->domain ? c->domain : "other";
}

static int compare(const void *a, const void *b)
{
	const bxt_component *x = *(const bxt_component *const *)a;
	const bxt_component *y = *(const bxt_component *const *)b;
	const int by_domain = strcmp(domain_of(x), domain_of(y));
	return by_domain ? by_domain : strcmp(x->name, y->name);
}

struct gathering {
	bxt_library *library;
	bxt_diagnostics *d;
	const bxt_component **found;
	size_t n, capacity;
	bxt_status status;
};

/* A component with errors is reported as a finding, and the list continues. */
static void gather(void *context, const char *name)
{
	struct gathering *g = context;
	bool broken;
	if (g->status == BXT_ERR_MEMORY)
		return;
	const bxt_component *c = bxt_library_find(g->library, name, g->d, &broken);
	if (!c && broken)
		g->status = BXT_ERR_MODEL;
	else if (!c)
		return; /* the file is a netlist among the components */
	else if (BXT_GROW(g->found, g->capacity, g->n + 1) != BXT_OK)
		g->status = BXT_ERR_MEMORY;
	else
		g->found[g->n++] = c;
}

bxt_status bxt_library_gather(bxt_library *library, bxt_diagnostics *d,
			      const bxt_component ***components, size_t *n)
{
	struct gathering g = {.library = library, .d = d};
	bxt_library_offer_names(library, gather, &g);
	if (g.n)
		qsort(g.found, g.n, sizeof *g.found, compare);
	if (g.status == BXT_ERR_MEMORY)
		g.found = bxt_free(g.found);
	*components = g.found;
	*n = g.found ? g.n : 0;
	return g.status;
}

/*
 * Does the text continue with the word, in any case of letters? "voltage source" matches
 * "voltage-source".
 */
static bool goes_on(const char *text, const char *word)
{
	for (; *word; word++, text++)
		if (tolower((unsigned char)*text) != tolower((unsigned char)*word) &&
		    !(*text == '-' && *word == ' '))
			return false;
	return true;
}

/*
 * Does a word of the text begin with `word`? A word of LONG letters or more may also occur inside
 * another: "mosfet" in "nmosfet", but not "led" in "coupled". An empty word occurs in every text.
 */
static bool holds(const char *text, const char *word)
{
	enum { LONG = 5 };
	const bool anywhere = strlen(word) >= LONG;
	bool inside = false;
	do {
		if ((!inside || anywhere) && goes_on(text, word))
			return true;
		inside = isalnum((unsigned char)*text) || (unsigned char)*text >= 0x80;
	} while (*text++);
	return false;
}

static size_t characters(const char *text, size_t bytes)
{
	size_t n = 0;
	for (size_t i = 0; i < bytes; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80; /* not a continuation of UTF-8 */
	return n;
}

/* Does a sentence, or its first half, end here? "e.g." is not followed by a capital. */
static bool is_end(const char *s)
{
	const size_t space = strspn(s + 1, " \t\r\n");
	if (*s == ';')
		return space > 0;
	return *s == '.' && (!s[1] || (space > 0 && isupper((unsigned char)s[1 + space])));
}

/* The words of the first sentence that fit on a line. */
static void write_first_words(const char *doc, size_t column, FILE *f)
{
	static const char space[] = " \t\r\n";
	for (doc += strspn(doc, space); *doc; doc += strspn(doc, space)) {
		size_t bytes = 0;
		while (doc[bytes] && !strchr(space, doc[bytes]) && !is_end(doc + bytes))
			bytes++;
		const size_t wide = characters(doc, bytes);
		if (column + 1 + wide > LIST_WIDTH) {
			fputs(" ...", f);
			return;
		}
		fprintf(f, " %.*s", (int)bytes, doc);
		column += 1 + wide;
		doc += bytes;
		if (is_end(doc))
			return;
	}
}

static bxt_status write_list(bxt_library *library, const char *word, bool names_only, FILE *stream,
			     bxt_diagnostics *d)
{
	const bxt_component **c;
	const char *domain = NULL;
	size_t n, shown = 0;
	const bxt_status status = bxt_library_gather(library, d, &c, &n);
	if (status == BXT_ERR_MEMORY)
		return status;
	for (size_t i = 0; i < n; i++) {
		if (word && !holds(c[i]->name, word) && !holds(domain_of(c[i]), word) &&
		    !holds(c[i]->doc, word))
			continue;
		shown++;
		if (names_only) {
			fprintf(stream, "%s\n", c[i]->name);
			continue;
		}
		if (!domain || strcmp(domain, domain_of(c[i])) != 0)
			fprintf(stream, "%s%s\n", domain ? "\n" : "", domain_of(c[i]));
		domain = domain_of(c[i]);
		fprintf(stream, "  %-22s", c[i]->name);
		write_first_words(c[i]->doc, 24, stream);
		fputc('\n', stream);
	}
	bxt_free(c);
	if (!shown && status == BXT_OK) {
		if (n)
			bxt_error(d, BXT_NOWHERE,
				  "no component has '%s' in its name or description", word);
		else
			bxt_error(d, BXT_NOWHERE, "the component library is empty");
		return BXT_ERR_MODEL;
	}
	const bxt_status written = bxt_stream_status(stream);
	return status == BXT_OK ? written : status;
}

/* ---- A component ---- */

/* Prints words in lines. The first line begins at `column`, the others at `indent`. */
static void write_wrapped(const char *text, size_t column, size_t indent, FILE *f)
{
	static const char space[] = " \t\r\n";
	bool first = true;
	for (text += strspn(text, space); *text; text += strspn(text, space)) {
		const size_t bytes = strcspn(text, space), wide = characters(text, bytes);
		if (!first && column + 1 + wide > LINE_WIDTH) {
			fprintf(f, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!first) {
			fputc(' ', f);
			column++;
		}
		fwrite(text, 1, bytes, f);
		column += wide;
		text += bytes;
		first = false;
	}
	fputc('\n', f);
}

/* The shortest decimal that reads back as the same number. */
static void write_number(double value, FILE *f)
{
	char text[32];
	for (int digits = 6; digits <= 17; digits++) {
		double back = 0;
		snprintf(text, sizeof text, "%.*g", digits, value);
		bxt_read_number(text, strlen(text), &back);
		if (back == value)
			break;
	}
	fputs(text, f);
}

static const char *unit_of(const char *unit)
{
	return *unit && strcmp(unit, "1") != 0 ? unit : "-";
}

/* "A" for "C.s-1": the unit that a port kind uses for the same flow. */
static const char *flow_unit(const bxt_coordinate *q, bxt_units *units)
{
	for (int i = 0; i < bxt_port_kind_count; i++)
		for (int s = 0; s < bxt_port_kinds[i].n; s++)
			if (strcmp(bxt_port_kinds[i].coordinate_unit[s], q->unit) == 0)
				return bxt_port_kinds[i].flow_unit[s];
	return bxt_units_same_dimension(units, q->unit, "Wb") == 1 ? "V" : q->flow_unit;
}

static void write_range(const bxt_parameter *p, FILE *f)
{
	if (p->positive)
		fputs("; must be positive", f);
	if (isfinite(p->min)) {
		fputs("; at least ", f);
		write_number(p->min, f);
	}
	if (isfinite(p->max)) {
		fputs("; at most ", f);
		write_number(p->max, f);
	}
	if (p->time)
		fputs("; may be \"=EXPR\" in the time t", f);
	fputc('\n', f);
}

static void write_parameters(const bxt_component *c, FILE *f)
{
	if (c->n_parameters)
		fputs("\nParameters\n", f);
	for (int i = 0; i < c->n_parameters; i++) {
		const bxt_parameter *p = &c->parameters[i];
		if (p->hidden)
			continue;
		fprintf(f, "  %-8s [%s]  ", p->name, unit_of(p->unit));
		if (*p->doc)
			write_wrapped(p->doc, 15 + strlen(unit_of(p->unit)), 11, f);
		else
			fputc('\n', f);
		fprintf(f, "%11s", "");
		if (p->of) {
			fprintf(f, "an expression \"=EXPR\" in %s", p->of);
			if (p->default_text)
				fprintf(f, "; default %s\n", p->default_text);
			else
				fputs("; must be given\n", f);
			continue;
		}
		if (p->has_default) {
			fputs("default ", f);
			write_number(p->default_value, f);
			if (*unit_of(p->si) != '-')
				fprintf(f, " %s", p->si);
		} else {
			fputs("must be given", f);
		}
		write_range(p, f);
	}
}

static void write_ports(const bxt_component *c, FILE *f)
{
	if (c->n_ports)
		fputs("\nPorts\n", f);
	for (int i = 0; i < c->n_ports; i++) {
		const bxt_port *p = &c->ports[i];
		const bxt_port_kind *kind = p->kind;
		fprintf(f, "  %-8s %s; ", p->name, kind->name);
		if (kind->type == BXT_PORT_BALANCE) {
			fprintf(f, "flow in %s%s%s [%s], effort %s.%s [%s]\n", kind->flow[0],
				p->flow.text ? " = " : ", below,", p->flow.text ? p->flow.text : "",
				kind->flow_unit[0], p->name, kind->effort[0], kind->effort_unit[0]);
			continue;
		}
		fputs("shares", f);
		for (int s = 0; s < kind->n; s++)
			fprintf(f, "%s %s.%s [%s] with flow %s.%s [%s]", s ? "," : "", p->name,
				kind->coordinate[s], kind->coordinate_unit[s], p->name,
				kind->flow[s], kind->flow_unit[s]);
		fputs(" of its node\n", f);
	}
}

static void write_bindings(const bxt_component *c, const bxt_component *const *bound, FILE *f)
{
	if (c->n_bindings)
		fputs("\nBound to other elements of the subsystem\n", f);
	for (int i = 0; i < c->n_bindings; i++) {
		const bxt_binding *b = &c->bindings[i];
		fprintf(f, "  %-8s ", b->name);
		for (int k = 0; k < b->n_components; k++)
			fprintf(f, "%s%s", k ? " or " : "", b->components[k]);
		fputs("; shares", f);
		for (int a = 0; a < bound[i]->n_coordinates; a++)
			fprintf(f, "%s %s.%s with flow %s.%s", a ? "," : "", b->name,
				bound[i]->coordinates[a].name, b->name,
				bound[i]->coordinates[a].flow);
		fputc('\n', f);
		if (*b->doc) {
			fprintf(f, "%11s", "");
			write_wrapped(b->doc, 11, 11, f);
		}
	}
}

static void write_coordinates(const bxt_component *c, const bxt_type_text *t, bxt_units *units,
			      FILE *f)
{
	if (t->nl)
		fputs("\nCoordinates\n", f);
	for (int a = 0; a < t->nl; a++) {
		const char *massless = t->massless[a] ? "; massless" : "";
		if (a < c->n_coordinates)
			fprintf(f, "  %-8s [%s], flow %s [%s]%s\n", t->coordinate[a],
				unit_of(c->coordinates[a].unit), t->flow[a],
				flow_unit(&c->coordinates[a], units), massless);
		else
			fprintf(f, "  %-8s of the %s, flow %s%s\n", t->coordinate[a],
				a < c->n_coordinates + t->n_shared ? "port" : "bound element",
				t->flow[a], massless);
	}
}

static bool is_zero(const char *text)
{
	return strcmp(text, "0") == 0;
}

/* " + x" or " - x" after `left`. A reaction that begins with a minus keeps it. */
static void write_sum(const char *left, const char *right, FILE *f)
{
	if (is_zero(left))
		fputs(right, f);
	else if (is_zero(right))
		fputs(left, f);
	else if (*right == '-')
		fprintf(f, "%s - %s", left, right + 1);
	else
		fprintf(f, "%s + %s", left, right);
}

static void write_plugin(const bxt_plugin_part *p, FILE *f)
{
	fputs("  at samples ", f);
	for (int i = 0; i < p->n_writes; i++)
		fprintf(f, "%s%s", i ? ", " : "", p->writes[i]);
	fprintf(f, " := plug-in %s(", p->file ? p->file : "of the element");
	for (int i = 0; i < p->n_reads; i++)
		fprintf(f, "%s%s", i ? ", " : "", p->reads[i]);
	fputs(")\n", f);
}

/* States and signals: the meaning of their flows. */
static void write_relations(const bxt_component *c, FILE *f)
{
	for (int i = 0; i < c->n_forces; i++)
		for (int a = 0; a < c->n_coordinates && c->forces[i].relation; a++) {
			const bxt_coordinate *q = &c->coordinates[a];
			if (strcmp(q->name, c->forces[i].on) == 0 && q->role != BXT_DELAYED)
				fprintf(f, "  %s %s: %s = %s\n",
					q->role == BXT_SIGNAL_OUT ? "signal" : "state",
					q->role == BXT_SIGNAL_OUT ? q->flow : q->name, q->flow,
					c->forces[i].expression.text);
		}
	for (int i = 0; i < c->delayed.n_delays; i++)
		fprintf(f, "  delayed by %s: %s = %s; at rest the same of now\n",
			c->delayed.delays[i].by, c->delayed.delays[i].name,
			c->delayed.delays[i].expression.text);
	for (int i = 0; i < c->sampled.n_updates; i++)
		fprintf(f, "  at samples %s := %s\n", c->sampled.updates[i].of,
			c->sampled.updates[i].expression.text);
	if (c->sampled.plugin)
		write_plugin(c->sampled.plugin, f);
	if (c->sampled.sample.period)
		fprintf(f, "  a sample each %s%s%s\n", c->sampled.sample.period,
			c->sampled.sample.delay ? ", in force after " : "",
			c->sampled.sample.delay ? c->sampled.sample.delay : "");
	for (int i = 0; i < c->n_coordinates; i++)
		if (c->coordinates[i].role == BXT_SIGNAL_IN)
			fprintf(f, "  signal %s: an input\n", c->coordinates[i].flow);
}

static void write_derivatives(const bxt_component *c, const bxt_type_text *t, FILE *f)
{
	fputs("\nEquations, as derived\n", f);
	fprintf(f, "  L = %s\n", t->lagrangian);
	for (int a = 0; a < t->nl; a++) {
		if (!is_zero(t->momentum[a]))
			fprintf(f, "    %s%s%s = %s = p_%s\n",
				t->has_term[a] ? "momentum of " : "dL/d(",
				t->has_term[a] ? t->coordinate[a] : t->flow[a],
				t->has_term[a] ? ", no dL/dv" : ")", t->momentum[a],
				t->coordinate[a]);
		if (!is_zero(t->dL_dq[a]))
			fprintf(f, "    dL/d(%s) = %s\n", t->coordinate[a], t->dL_dq[a]);
	}
	fprintf(f, "  R = %s\n", t->rayleigh);
	for (int a = 0; a < t->nl; a++)
		if (!is_zero(t->dR_dv[a]))
			fprintf(f, "    dR/d(%s) = %s\n", t->flow[a], t->dR_dv[a]);
	for (int i = 0; i < c->n_forces; i++)
		if (!c->forces[i].relation)
			fprintf(f, "  force on %s: %s\n", c->forces[i].on,
				c->forces[i].expression.text);
	write_relations(c, f);
	if (c->discrete.lagrangian.text)
		fprintf(f, "  L_d = %s\n", c->discrete.lagrangian.text);
	for (int i = 0; i < c->discrete.n_forces; i++)
		fprintf(f, "  f_d%c on %s: %s\n", c->discrete.forces[i].at_end ? '+' : '-',
			c->discrete.forces[i].on, c->discrete.forces[i].expression.text);
	for (int i = 0; i < c->n_gyrators; i++)
		fprintf(f, "  gyrator %s, %s: %s\n", c->gyrators[i].a, c->gyrators[i].b,
			c->gyrators[i].k.text);
	for (int i = 0; i < c->geometry.n_manifolds; i++) {
		const bxt_manifold *m = &c->geometry.manifolds[i];
		fprintf(f, "  manifold %s: %s of", m->name, m->kind->name);
		for (int a = 0; a < m->n; a++)
			fprintf(f, " %s", c->coordinates[m->coordinate[a]].name);
		fprintf(f, ", %s (%s)\n", m->retraction->name, m->retraction->doc);
	}
	for (int i = 0; i < c->geometry.n_symmetries; i++)
		for (int k = 0; k < c->geometry.symmetries[i].n_generators; k++)
			fprintf(f, "  symmetry %s along %s: %s\n", c->geometry.symmetries[i].name,
				c->geometry.symmetries[i].generators[k].on,
				c->geometry.symmetries[i].generators[k].expression.text);
	for (int r = 0; r < t->n_constraint; r++)
		fprintf(f, "  constraint %s%s: %s = 0, multiplier %s\n", c->constraints[r].name,
			c->constraints[r].position ? " (differentiated)" : "", t->row[r],
			t->multiplier[r]);
	for (int r = t->n_constraint; r < t->ml; r++)
		fprintf(f, "  flow into %.*s: %s, multiplier %s\n",
			(int)strcspn(t->multiplier[r], "."), t->multiplier[r], t->row[r],
			t->multiplier[r]);
	if (t->nl)
		fputs("\nEquations of motion, dp/dt = dL/dq - dR/dv + forces + A^T lambda\n", f);
	for (int a = 0; a < t->nl; a++) {
		if (t->inertia[a])
			fprintf(f, "  %s: %s = ", t->coordinate[a], t->inertia[a]);
		else
			fprintf(f, "  %s: d/dt(%s) = ", t->coordinate[a], t->momentum[a]);
		write_sum(t->force[a], t->reaction[a], f);
		fputc('\n', f);
	}
}

static void write_facts(const bxt_component *c, const bxt_type_text *t, FILE *f)
{
	const int n_port = t->ml - t->n_constraint;
	bool grounded = false;
	fputs("\nFacts\n", f);
	fprintf(f, "  energy %s\n", t->energy);
	if (!is_zero(t->dissipated))
		fprintf(f, "  dissipates %s\n", t->dissipated);
	if (!is_zero(t->supplied))
		fprintf(f, "  supplies %s\n", t->supplied);
	if (!is_zero(t->prescribed))
		fprintf(f, "  supplies by prescribed motion %s\n", t->prescribed);
	fprintf(f, "  %s\n",
		!t->affine     ? "nonlinear: its part of the matrix changes with the state"
		: t->affine_if ? "affine as long as its expressions are at most quadratic"
			       : "affine: its part of the matrix is constant");
	if (!t->constant_rows)
		fputs("  its constraint rows depend on coordinates\n", f);
	if (t->explicit_time)
		fputs("  may depend on time\n", f);
	for (int p = 0; p < n_port; p++)
		grounded = grounded || t->port_group[p] < 0;
	for (int p = 0; p < n_port; p++) {
		bool more = false;
		for (int i = p; t->port_group[p] == p && i < n_port; i++)
			if (t->port_group[i] == p) {
				const char *name = t->multiplier[t->n_constraint + i];
				fprintf(f, "%s%.*s", more ? ", " : "  flows sum to zero over ",
					(int)strcspn(name, "."), name);
				more = true;
			}
		if (more)
			fputc('\n', f);
	}
	if (grounded)
		fputs("  flows into its ports do not balance: it refers to the reference node\n",
		      f);
	for (int i = 0; i < c->curves.n; i++) {
		const bxt_curve *curve = c->curves.list[i];
		fprintf(f, "  table %s: %d points from %g to %g, %s\n", curve->name, curve->n,
			curve->x[0], curve->x[curve->n - 1],
			curve->shape == BXT_CURVE_HOLD    ? "held"
			: curve->shape == BXT_CURVE_CUBIC ? "joined by monotone cubics"
							  : "joined by straight lines");
	}
	for (int i = 0; i < c->n_lets; i++)
		fprintf(f, "  let %s = %s\n", c->lets[i].name, c->lets[i].expression.text);
	for (int i = 0; i < c->n_requirements; i++)
		fprintf(f, "  required: %s >= 0, so that %s\n", c->requirements[i].expression.text,
			c->requirements[i].doc);
	for (int i = 0; i < c->n_outputs; i++)
		fprintf(f, "  output %s [%s] = %s\n", c->outputs[i].name,
			unit_of(c->outputs[i].unit), c->outputs[i].expression.text);
}

static void write_use(const bxt_component *c, FILE *f)
{
	fprintf(f, "\nIn a netlist\n  <%s id=\"%c1\"", c->name, toupper((unsigned char)c->name[0]));
	for (int i = 0; i < c->n_ports; i++)
		fprintf(f, " %s=\"NODE\"", c->ports[i].name);
	for (int i = 0; i < c->n_bindings; i++)
		fprintf(f, " %s=\"ID\"", c->bindings[i].name);
	for (int i = 0; i < c->n_parameters; i++) {
		const bxt_parameter *p = &c->parameters[i];
		if (p->of && !p->default_text)
			fprintf(f, " %s=\"=EXPR\"", p->name);
		else if (!p->of && !p->has_default)
			fprintf(f, " %s=\"NUMBER%s%s\"", p->name,
				*unit_of(p->unit) == '-' ? "" : " ",
				*unit_of(p->unit) == '-' ? "" : p->unit);
	}
	fputs("/>\n", f);
	if (c->n_coordinates)
		fprintf(f, "  initial values: %s=\"...\" and %s=\"...\"%s\n",
			c->coordinates[0].name, c->coordinates[0].flow,
			c->n_coordinates > 1 ? ", and so on" : "");
}

static void offer(void *search, const char *name)
{
	bxt_nearest_offer(search, name);
}

static bxt_status unknown(bxt_arena *arena, bxt_library *library, const char *name,
			  bxt_diagnostics *d)
{
	bxt_nearest_search near = {.name = name};
	bxt_library_offer_names(library, offer, &near);
	bxt_error(d, BXT_NOWHERE, "no component '%s'%s", name, bxt_did_you_mean(arena, near.best));
	return BXT_ERR_MODEL;
}

static const bxt_component *find_in_library(void *library, const char *name, bool *broken)
{
	return bxt_library_find(library, name, NULL, broken);
}

static void offer_library(void *library, void (*visit)(void *, const char *), void *visitor)
{
	bxt_library_offer_names(library, visit, visitor);
}

static bxt_status write_description(bxt_library *library, const char *name, FILE *stream,
				    bxt_diagnostics *d)
{
	bool broken;
	bxt_type_text *t = NULL;
	bxt_arena *arena = bxt_arena_new();
	if (!arena)
		return BXT_ERR_MEMORY;
	const bxt_component *c = bxt_library_find(library, name, d, &broken);
	const bxt_component_finder finder = {find_in_library, offer_library, library};
	const bxt_component *const *bound = NULL;
	bxt_status status = c        ? bxt_type_find_bound(arena, c, &finder, d, &bound)
			    : broken ? BXT_ERR_MODEL
				     : unknown(arena, library, name, d);
	if (status == BXT_OK)
		status = bxt_type_describe(arena, c, bound, d, &t);
	if (status == BXT_OK) {
		fprintf(stream, "%s, %s%s%s\n", c->name, domain_of(c),
			c->place.file ? ", from " : "", c->place.file ? c->place.file : "");
		if (*c->doc) {
			fputs("  ", stream);
			write_wrapped(c->doc, 2, 2, stream);
		}
		write_parameters(c, stream);
		write_ports(c, stream);
		write_bindings(c, bound, stream);
		write_coordinates(c, t, bxt_library_units(library), stream);
		write_derivatives(c, t, stream);
		write_facts(c, t, stream);
		write_use(c, stream);
		status = bxt_stream_status(stream);
	}
	bxt_arena_free(arena);
	return status;
}

/* ---- Public functions. Descriptions in component files may contain any characters ---- */

bxt_status bxt_library_write_list(bxt_library *library, const char *word, bool names_only,
				  FILE *stream, bxt_diagnostics *d)
{
	bxt_plain_stream plain;
	BXT_NEEDS(d, library);
	BXT_NEEDS(d, stream);
	FILE *f = bxt_plain_open(&plain, stream);
	const bxt_status status = bxt_plain_close(
		&plain, f ? write_list(library, word, names_only, f, d) : BXT_ERR_MEMORY);
	return status == BXT_OK ? bxt_stream_status(stream) : status;
}

bxt_status bxt_component_write_description(bxt_library *library, const char *name, FILE *stream,
					   bxt_diagnostics *d)
{
	bxt_plain_stream plain;
	BXT_NEEDS(d, library);
	BXT_NEEDS(d, name);
	BXT_NEEDS(d, stream);
	FILE *f = bxt_plain_open(&plain, stream);
	const bxt_status status = bxt_plain_close(&plain, f ? write_description(library, name, f, d)
							    : BXT_ERR_MEMORY);
	return status == BXT_OK ? bxt_stream_status(stream) : status;
}
