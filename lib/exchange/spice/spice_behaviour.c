/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts controlled sources. Linear ones become components of the library. Others become inline
 * components with a force, one for each law: ports without a current sense voltages, and a binding
 * to the voltage source senses its current. Linear F and H sense the current in series with their
 * source.
 */
#include "exchange/spice/spice.h"

#include <math.h>
#include <string.h>

static void add(bxt_buffer *out, const char *text)
{
	bxt_buffer_add(out, text, strlen(text));
}

static const char *lower_of(bxt_deck *deck, const char *text)
{
	char *copy = bxt_spice_lower(deck->arena, text, strlen(text));
	deck->failed = deck->failed || !copy;
	return copy ? copy : "";
}

/* ---- Senses in series ---- */

/* The source that a linear F or H senses; NULL: nothing is sensed in series. */
static const char *sensed_by(const bxt_spice_words *w)
{
	return strchr("fFhH", *w->word[0]) && w->n >= 5 && !bxt_spice_same(w->word[3], "poly")
		       ? w->word[3]
		       : NULL;
}

void bxt_spice_count_sense(bxt_spice_scope *scope, bxt_deck_line *line, const bxt_spice_words *w)
{
	bxt_deck *deck = scope->deck;
	const char *source = sensed_by(w);
	if (!source)
		return;
	source = lower_of(deck, source);
	int k = bxt_map_get(&scope->sense_index, source);
	if (k < 0) {
		k = (int)scope->n_senses;
		deck->failed = deck->failed ||
			       BXT_GROW(scope->senses, scope->senses_capacity,
					scope->n_senses + 1) != BXT_OK ||
			       bxt_map_put(&scope->sense_index, source, k) != BXT_OK;
		if (deck->failed)
			return;
		scope->senses[scope->n_senses++] = (bxt_spice_sense){source, line, 0, 0, NULL};
	}
	scope->senses[k].n++;
}

void bxt_spice_place_sense(bxt_spice_scope *scope, const bxt_spice_words *w)
{
	bxt_deck *deck = scope->deck;
	const int k = w->n >= 3 ? bxt_map_get(&scope->sense_index, lower_of(deck, w->word[0])) : -1;
	if (k < 0)
		return;
	bxt_spice_sense *s = &scope->senses[k];
	s->series = BXT_NEW(deck->arena, const char *, (size_t)s->n + 1);
	deck->failed = deck->failed || !s->series;
	for (int i = 0; i < s->n && s->series; i++) {
		char *wish = bxt_arena_printf(deck->arena, "%s-sense%d", w->word[0], i + 1);
		deck->failed = deck->failed || !wish;
		s->series[i] = wish ? bxt_spice_new_node(scope, wish) : "";
	}
	if (s->series)
		s->series[s->n] = bxt_spice_node_id(scope, w->word[2], true);
}

void bxt_spice_check_senses(bxt_spice_scope *scope)
{
	for (size_t i = 0; i < scope->n_senses; i++)
		if (!scope->senses[i].series)
			bxt_deck_error(
				scope->deck, scope->senses[i].line,
				"there is no voltage source '%.100s' here to sense the current "
				"of",
				scope->senses[i].source);
}

/* ---- Inline components ---- */

const char *bxt_spice_inline(bxt_deck *deck, const char *before, const char *after)
{
	char *text = bxt_arena_printf(deck->arena, "%s%s", before, after);
	int k = text ? bxt_map_get(&deck->component_numbers, text) : -1;
	if (k < 0 && text) {
		k = (int)deck->component_numbers.count + 1;
		deck->failed =
			deck->failed || bxt_map_put(&deck->component_numbers, text, k) != BXT_OK;
		bxt_buffer_printf(&deck->components,
				  "  <component xmlns=\"urn:boxtimes:component:1\" "
				  "name=\"deck-law-%d\" domain=\"electrical\">\n%s  </component>\n",
				  k, text);
	}
	const char *name = bxt_arena_printf(deck->arena, "deck-law-%d", k);
	deck->failed = deck->failed || !text || !name || deck->components.failed;
	return name ? name : "";
}

typedef struct sensing {
	bxt_spice_scope *scope;
	bxt_deck_line *line;
	bxt_map numbers;
	int n_voltages, n_currents;
	bool own;         /* the current of the element itself */
	bxt_buffer ports; /* of the component */
	bxt_buffer store; /* terms of its Lagrangian */
	bxt_buffer pins;  /* of the element */
} sensing;

static const char *sense_voltage(sensing *s, const bxt_spice_expr *e, int k)
{
	bxt_buffer_printf(&s->ports,
			  "    <coordinate name=\"q%d\" unit=\"C\" flow=\"i%d\"/>\n"
			  "    <coordinate name=\"s%d\" unit=\"V.s\" flow=\"v%d\"/>\n"
			  "    <port name=\"a%d\" kind=\"electrical\" flow=\"i%d\"/>\n"
			  "    <port name=\"b%d\" kind=\"electrical\" flow=\"-i%d\"/>\n",
			  k, k, k, k, k, k, k, k);
	bxt_buffer_printf(&s->store, "%ss%d*i%d", s->store.length ? " + " : "", k, k);
	bxt_buffer_printf(&s->pins, " a%d=\"%s\"", k, bxt_spice_node_id(s->scope, e->name, true));
	bxt_buffer_printf(&s->pins, " b%d=\"%s\"", k,
			  e->other ? bxt_spice_node_id(s->scope, e->other, true) : "0");
	return bxt_arena_printf(s->scope->deck->arena, "v%d", k);
}

static const char *sense_current(sensing *s, const bxt_spice_expr *e, int k)
{
	const char *id = bxt_spice_element_id(s->scope, e->name);
	const bool source = id && *e->name == 'v';
	if (!source && !(id && *e->name == 'l')) {
		bxt_deck_error(
			s->scope->deck, s->line, "I(%.100s): %s", e->name,
			id ? "only currents of V and L are sensed; put a voltage source of 0 "
			     "V in series"
			   : "there is no such element here");
		return "0";
	}
	bxt_buffer_printf(&s->ports, "    <binding name=\"j%d\" component=\"%s\"/>\n", k,
			  source ? "voltage-source" : "inductor");
	bxt_buffer_printf(&s->pins, " j%d=\"%s\"", k, id);
	return bxt_arena_printf(s->scope->deck->arena, "j%d.i", k);
}

static bool is_reference(const char *node)
{
	return !node || strcmp(node, "0") == 0 || strcmp(node, "gnd") == 0;
}

/* A voltage that is sensed twice has one port. */
static const char *sense(void *context, const bxt_spice_expr *e)
{
	sensing *s = context;
	bxt_deck *deck = s->scope->deck;
	const bool voltage = e->op == 'v';
	if (!e->name) { /* the element's own current */
		s->own = true;
		return "i";
	}
	if (voltage && is_reference(e->name) && is_reference(e->other))
		return "0";
	char *key =
		bxt_arena_printf(deck->arena, "%c %s %s", e->op, e->name, e->other ? e->other : "");
	int k = key ? bxt_map_get(&s->numbers, key) : -1;
	deck->failed = deck->failed || !key;
	if (k >= 0)
		return bxt_arena_printf(deck->arena, voltage ? "v%d" : "j%d.i", k);
	if (!key)
		return NULL;
	k = voltage ? ++s->n_voltages : ++s->n_currents;
	deck->failed = deck->failed || bxt_map_put(&s->numbers, key, k) != BXT_OK;
	return voltage ? sense_voltage(s, e, k) : sense_current(s, e, k);
}

/* A law that depends on time alone is the value of an independent source. */
static void write_independent(bxt_spice_scope *scope, const bxt_spice_element *e, bool voltage,
			      const bxt_spice_expr *law, const bxt_buffer *text)
{
	bxt_spice_open(scope, voltage ? "voltage-source" : "current-source", e->id);
	bxt_spice_node_attribute(scope, "p", e->words.word[1]);
	bxt_spice_node_attribute(scope, "n", e->words.word[2]);
	if (law->op == 'n')
		bxt_spice_value_attribute(scope, voltage ? "e" : "I", law->value,
					  voltage ? "V" : "A");
	else
		bxt_spice_text_attribute(scope, voltage ? "e" : "I",
					 bxt_arena_printf(scope->deck->arena, "=%s", text->text));
	bxt_spice_close(scope);
}

static void write_law(sensing *s, const bxt_spice_element *e, bool voltage, const bxt_buffer *law)
{
	bxt_buffer before = {0};
	bxt_spice_scope *scope = s->scope;
	if (!voltage)
		bxt_buffer_printf(&s->store, "%ss*i", s->store.length ? " + " : "");
	add(&before, "    <coordinate name=\"q\" unit=\"C\" flow=\"i\"/>\n");
	if (!voltage)
		add(&before, "    <coordinate name=\"s\" unit=\"V.s\" flow=\"v\"/>\n");
	add(&before, "    <port name=\"p\" kind=\"electrical\" flow=\"i\"/>\n"
		     "    <port name=\"n\" kind=\"electrical\" flow=\"-i\"/>\n");
	add(&before, s->ports.text ? s->ports.text : "");
	if (s->store.length)
		bxt_buffer_printf(&before, "    <lagrangian>%s</lagrangian>\n", s->store.text);
	bxt_buffer_printf(&before, "    <force on=\"%s\">-(", voltage ? "q" : "s");
	bxt_spice_add_escaped(&before, law->text ? law->text : "");
	scope->deck->failed = scope->deck->failed || before.failed || s->ports.failed ||
			      s->store.failed || s->pins.failed;
	const char *name = scope->deck->failed
				   ? ""
				   : bxt_spice_inline(scope->deck, before.text, ")</force>\n");
	bxt_spice_open(scope, name, e->id);
	bxt_spice_node_attribute(scope, "p", e->words.word[1]);
	bxt_spice_node_attribute(scope, "n", e->words.word[2]);
	add(&scope->root->xml, s->pins.text ? s->pins.text : "");
	bxt_spice_close(scope);
	bxt_buffer_free(&before);
}

static void behaviour(bxt_spice_scope *scope, const bxt_spice_element *e, char kind,
		      const bxt_spice_expr *law)
{
	sensing s = {.scope = scope, .line = e->line};
	bxt_spice_senses senses = {&s, sense};
	bxt_buffer text = {0};
	bxt_deck *deck = scope->deck;
	if (!law)
		return;
	bxt_spice_print(deck, law, &senses, e->line, &text);
	deck->failed = deck->failed || text.failed;
	if (!bxt_deck_is_over(deck) && s.n_voltages + s.n_currents == 0 && !s.own) {
		write_independent(scope, e, kind == 'v', law, &text);
	} else if (!bxt_deck_is_over(deck)) {
		deck->nonlinear = true;
		write_law(&s, e, kind == 'v', &text);
	}
	bxt_map_free(&s.numbers);
	bxt_buffer_free(&s.ports);
	bxt_buffer_free(&s.store);
	bxt_buffer_free(&s.pins);
	bxt_buffer_free(&text);
}

static const bxt_spice_expr *law_of(bxt_spice_scope *scope, const char *text, bxt_deck_line *line)
{
	scope->deck->behavioural = true;
	const bxt_spice_expr *law = bxt_spice_reduce(
		scope->deck, scope->env, bxt_spice_parse(scope->deck, text, line), line);
	scope->deck->behavioural = false;
	return law;
}

void bxt_spice_law(bxt_spice_scope *scope, const bxt_spice_element *e, char kind, const char *text)
{
	behaviour(scope, e, kind, law_of(scope, text, e->line));
}

/* ---- B ---- */

void bxt_spice_b_source(bxt_spice_scope *scope, const bxt_spice_element *e)
{
	const bxt_spice_assignment *v = bxt_spice_find(&e->values, "v");
	const bxt_spice_assignment *i = bxt_spice_find(&e->values, "i");
	static const char *const names[] = {"v", "i", "tc1", "tc2", "temp", "dtemp", NULL};
	if (!bxt_spice_needs(scope, e, 3, "NODE NODE V=EXPRESSION or I=EXPRESSION"))
		return;
	bxt_spice_check_names(scope, e, names);
	const bxt_spice_assignment *law = v ? v : i;
	if (!law || !law->text || (v && i)) {
		bxt_deck_error(scope->deck, e->line, "'%s': write V=EXPRESSION or I=EXPRESSION",
			       e->words.word[0]);
		return;
	}
	const bxt_spice_expr *e_law = law_of(scope, law->text, e->line);
	const double dt = bxt_spice_temperature(scope, e) - scope->deck->nominal;
	const double factor = 1 + dt * (bxt_spice_assigned(scope, e, "tc1", 0) +
					dt * bxt_spice_assigned(scope, e, "tc2", 0));
	if (factor != 1 && e_law)
		e_law = bxt_spice_binary(scope->deck, '*', bxt_spice_constant(scope->deck, factor),
					 e_law);
	behaviour(scope, e, v ? 'v' : 'i', e_law);
}

static bool is_constant(const bxt_spice_expr *e)
{
	bool constant = e->op != 'v' && e->op != 'i' && e->op != 't';
	for (int i = 0; i < e->n && constant; i++)
		constant = is_constant(e->of[i]);
	return constant;
}

/* The voltage R i of a resistance R that is an expression. R may be 0. */
bool bxt_spice_b_resistor(bxt_spice_scope *scope, const bxt_spice_element *e, const char *text,
			  double factor)
{
	bxt_deck *deck = scope->deck;
	const bool word = strstr(text, "time") != NULL || strstr(text, "TIME") != NULL;
	if (!word && !strchr(text, '('))
		return false;
	const bxt_spice_expr *r = law_of(scope, text, e->line);
	if (!r || is_constant(r))
		return !r;
	bxt_spice_expr *current = bxt_spice_new(deck, 'i', 0);
	r = bxt_spice_binary(deck, '*', bxt_spice_constant(deck, factor), r);
	if (current)
		behaviour(scope, e, 'v', bxt_spice_binary(deck, '*', r, current));
	return true;
}

/* ---- POLY ---- */

static const bxt_spice_expr *sensed(bxt_deck *deck, char op, const char *name, const char *other)
{
	bxt_spice_expr *e = bxt_spice_new(deck, op, 0);
	if (e) {
		e->name = lower_of(deck, name);
		e->other = other ? lower_of(deck, other) : NULL;
	}
	return e;
}

/*
 * Monomials in SPICE's order: by degree, and within a degree those with x1 first. `at` holds the
 * indices of the factors, in ascending order with repetitions.
 */
static bool next_monomial(int *at, int *degree, int n, int most)
{
	int k = *degree - 1;
	while (k >= 0 && at[k] == n - 1)
		k--;
	if (k < 0) {
		if (*degree == most)
			return false;
		at[(*degree)++] = 0;
		memset(at, 0, (size_t)*degree * sizeof *at);
		return true;
	}
	const int next = at[k] + 1;
	for (; k < *degree; k++)
		at[k] = next;
	return true;
}

enum { MOST_DEGREE = 16 };

static const bxt_spice_expr *polynomial(bxt_spice_scope *scope, const bxt_spice_element *e,
					const bxt_spice_expr **x, int n, int first)
{
	bxt_deck *deck = scope->deck;
	const int count = e->words.n - first;
	int at[MOST_DEGREE] = {0}, degree = 0;
	const bxt_spice_expr *sum = NULL;
	double value = 0;
	for (int i = 0; i < count && !bxt_deck_is_over(deck); i++) {
		/* one coefficient of one variable is that of the linear term */
		if ((i > 0 || (count == 1 && n == 1)) &&
		    !next_monomial(at, &degree, n, MOST_DEGREE)) {
			bxt_deck_error(deck, e->line, "'%s': POLY has a degree above %d",
				       e->words.word[0], MOST_DEGREE);
			return NULL;
		}
		if (!bxt_spice_value(deck, scope->env, e->words.word[first + i], e->line, &value))
			return NULL;
		if (value == 0)
			continue;
		const bxt_spice_expr *term = bxt_spice_constant(deck, value);
		for (int k = 0; k < degree; k++)
			term = bxt_spice_binary(deck, '*', term, x[at[k]]);
		sum = sum ? bxt_spice_binary(deck, '+', sum, term) : term;
		if (sum && sum->depth > BXT_SPICE_TERMS) {
			bxt_deck_error(deck, e->line, "'%s': POLY has too many terms",
				       e->words.word[0]);
			return NULL;
		}
	}
	return sum ? sum : bxt_spice_constant(deck, 0);
}

static void poly(bxt_spice_scope *scope, const bxt_spice_element *e, bool by_current, char kind)
{
	bxt_deck *deck = scope->deck;
	double dimension = 0;
	const int each = by_current ? 1 : 2;
	if (e->words.n < 5 ||
	    !bxt_spice_value(deck, scope->env, e->words.word[4], e->line, &dimension) ||
	    !(dimension >= 1 && dimension <= 100) || e->words.n < 6 + each * (int)dimension) {
		bxt_deck_error(deck, e->line,
			       "'%s': write POLY(N), N controls and at least one coefficient",
			       e->words.word[0]);
		return;
	}
	const int n = (int)dimension;
	const bxt_spice_expr **x = BXT_NEW(deck->arena, const bxt_spice_expr *, (size_t)n);
	deck->failed = deck->failed || !x;
	for (int i = 0; i < n && !deck->failed; i++) {
		const char **w = &e->words.word[5 + each * i];
		x[i] = by_current ? sensed(deck, 'i', w[0], NULL) : sensed(deck, 'v', w[0], w[1]);
	}
	if (!deck->failed)
		behaviour(scope, e, kind, polynomial(scope, e, x, n, 5 + each * n));
}

/* ---- TABLE ---- */

/*
 * ngspice rounds corners by parabolas, which extend to this fraction of the shorter adjacent
 * segment.
 */
static const double ROUNDED = 0.1;

static const bxt_spice_expr *number(const bxt_spice_scope *scope, double value)
{
	return bxt_spice_constant(scope->deck, value);
}

/* A piecewise law with ascending thresholds: 2 n + 1 pieces and 2 n thresholds for n points. */
typedef struct pieces {
	bxt_spice_scope *scope;
	const bxt_spice_expr *x;
	const double *points; /* (n) pairs */
	int n;
} pieces;

/* The slope from point i to the next one. Before the first point and after the last one it is 0. */
static double slope_of(const pieces *p, int i)
{
	const double *at = &p->points[2 * i];
	return i < 0 || i + 1 >= p->n ? 0 : (at[3] - at[1]) / (at[2] - at[0]);
}

/* The distance from point i within which the corner is rounded. */
static double width_of(const pieces *p, int i)
{
	const double *at = &p->points[2 * i];
	return ROUNDED *
	       fmin(i + 1 < p->n ? at[2] - at[0] : INFINITY, i > 0 ? at[0] - at[-2] : INFINITY);
}

static double threshold_of(const pieces *p, int k)
{
	return p->points[2 * (k / 2)] + (k % 2 ? 1 : -1) * width_of(p, k / 2);
}

/* The line from point i on, as y0 + slope x. A line through the origin gets exactly y0 = 0. */
static const bxt_spice_expr *line(const pieces *p, int i)
{
	bxt_deck *deck = p->scope->deck;
	const double slope = slope_of(p, i), *at = &p->points[2 * (i < 0 ? 0 : i)];
	const bxt_spice_expr *constant = number(p->scope, at[1] - slope * at[0]);
	if (slope == 0)
		return constant;
	return bxt_spice_binary(deck, '+', constant,
				bxt_spice_binary(deck, '*', number(p->scope, slope), p->x));
}

/* A line, or at a corner the line before it plus a parabola that leads to the next line. */
static const bxt_spice_expr *piece(const pieces *p, int k)
{
	bxt_deck *deck = p->scope->deck;
	const int i = k / 2;
	if (k % 2 == 0)
		return line(p, i - 1);
	const double change = slope_of(p, i) - slope_of(p, i - 1), d = width_of(p, i);
	const bxt_spice_expr *from =
		bxt_spice_binary(deck, '-', p->x, number(p->scope, p->points[2 * i] - d));
	const bxt_spice_expr *square = bxt_spice_binary(deck, '^', from, number(p->scope, 2));
	return bxt_spice_binary(
		deck, '+', line(p, i - 1),
		bxt_spice_binary(deck, '*', number(p->scope, change / (4 * d)), square));
}

/* Writes pieces first ... last by bisection, so that conditions nest only log2(n) deep. */
static const bxt_spice_expr *choose(const pieces *p, int first, int last)
{
	bxt_deck *deck = p->scope->deck;
	if (first == last)
		return piece(p, first);
	const int middle = (first + last - 1) / 2;
	const bxt_spice_expr *below = choose(p, first, middle),
			     *above = choose(p, middle + 1, last);
	bxt_spice_expr *e = below && above ? bxt_spice_new(deck, '?', 3) : NULL;
	if (!e)
		return NULL;
	e->of[0] = bxt_spice_binary(deck, '<', p->x, number(p->scope, threshold_of(p, middle)));
	e->of[1] = below;
	e->of[2] = above;
	e->depth = 1 + (below->depth > above->depth ? below->depth : above->depth);
	return e->of[0] ? e : NULL;
}

static void table(bxt_spice_scope *scope, const bxt_spice_element *e, char kind)
{
	bxt_deck *deck = scope->deck;
	const int count = e->words.n - 5;
	double *points = count > 0 ? BXT_NEW(deck->arena, double, (size_t)count) : NULL;
	deck->failed = deck->failed || (count > 0 && !points);
	if (count < 4 || count % 2 || deck->failed) {
		bxt_deck_error(deck, e->line, "'%s': write TABLE {EXPRESSION} = (X, Y) (X, Y) ...",
			       e->words.word[0]);
		return;
	}
	bool rises = true;
	for (int i = 0; i < count; i++) {
		if (!bxt_spice_value(deck, scope->env, e->words.word[5 + i], e->line, &points[i]))
			return;
		rises = rises && (i % 2 || i == 0 || points[i] > points[i - 2]);
	}
	if (!rises || count > BXT_SPICE_TERMS) {
		bxt_deck_error(deck, e->line,
			       rises ? "'%s': TABLE has too many points"
				     : "'%s': the arguments of TABLE do not rise",
			       e->words.word[0]);
		return;
	}
	const bxt_spice_expr *x = law_of(scope, e->words.word[4], e->line);
	if (x)
		behaviour(scope, e, kind, choose(&(pieces){scope, x, points, count / 2}, 0, count));
}

/* ---- E, F, G, H ---- */

static void linear(bxt_spice_scope *scope, const bxt_spice_element *e, char letter)
{
	static const struct {
		const char *component, *gain, *unit;
	} parts[] = {{"vcvs", "mu", ""},
		     {"cccs", "beta", ""},
		     {"vccs", "gm", "S"},
		     {"ccvs", "r", "ohm"}};
	const int k = letter - 'e';
	const bool by_current = letter == 'f' || letter == 'h';
	double gain = 0;
	if (!bxt_spice_needs(scope, e, by_current ? 5 : 6,
			     by_current ? "NODE NODE SOURCE GAIN" : "NODE NODE NODE NODE GAIN") ||
	    !bxt_spice_value(scope->deck, scope->env, e->words.word[by_current ? 4 : 5], e->line,
			     &gain))
		return;
	if (letter == 'f' || letter == 'g')
		gain *= bxt_spice_assigned(scope, e, "m", 1);
	const int s = by_current ? bxt_map_get(&scope->sense_index,
					       lower_of(scope->deck, e->words.word[3]))
				 : -1;
	bxt_spice_open(scope, parts[k].component, e->id);
	bxt_spice_node_attribute(scope, "p", e->words.word[1]);
	bxt_spice_node_attribute(scope, "n", e->words.word[2]);
	if (by_current && s >= 0 && scope->senses[s].series) {
		bxt_spice_sense *sense = &scope->senses[s];
		bxt_spice_text_attribute(scope, "cp", sense->series[sense->taken]);
		bxt_spice_text_attribute(scope, "cn", sense->series[++sense->taken]);
	} else if (!by_current) {
		bxt_spice_node_attribute(scope, "cp", e->words.word[3]);
		bxt_spice_node_attribute(scope, "cn", e->words.word[4]);
	}
	bxt_spice_value_attribute(scope, parts[k].gain, gain, parts[k].unit);
	bxt_spice_close(scope);
}

void bxt_spice_controlled(bxt_spice_scope *scope, const bxt_spice_element *e)
{
	static const char *const laws[] = {"value", "vol", "cur"};
	static const char *const refused[] = {"laplace", "freq", "and",   "nand",     "or",
					      "nor",     "cur",  "delay", "chebyshev"};
	static const char *const names[] = {"value", "vol", "cur", "m", NULL};
	const char letter = (char)(*e->words.word[0] | 32);
	const char kind = letter == 'e' || letter == 'h' ? 'v' : 'i';
	const char *law = NULL;
	const char *word = e->words.n > 3 ? e->words.word[3] : "";
	if (!bxt_spice_needs(scope, e, 3, "two nodes, and what controls it"))
		return;
	bxt_spice_check_names(scope, e, names);
	for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
		const bxt_spice_assignment *a = bxt_spice_find(&e->values, laws[i]);
		law = a ? a->text : law;
		if (e->words.n == 5 && bxt_spice_same(word, laws[i]))
			law = e->words.word[4];
	}
	for (size_t i = 0; i < sizeof refused / sizeof *refused && !law; i++)
		if (bxt_spice_same(word, refused[i])) {
			bxt_deck_error(scope->deck, e->line,
				       "'%s': the form '%s' is not taken over", e->words.word[0],
				       word);
			return;
		}
	if (law)
		behaviour(scope, e, kind, law_of(scope, law, e->line));
	else if (bxt_spice_same(word, "poly"))
		poly(scope, e, letter == 'f' || letter == 'h', kind);
	else if (bxt_spice_same(word, "table"))
		table(scope, e, kind);
	else
		linear(scope, e, letter);
}
