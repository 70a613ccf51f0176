/* SPDX-License-Identifier: GPL-3.0-or-later */
/* R, L, C, lossless lines and switches. */
#include "exchange/spice/spice.h"

#include <math.h>
#include <string.h>

static const char *lower_of(bxt_deck *deck, const char *text)
{
	char *copy = bxt_spice_lower(deck->arena, text, strlen(text));
	deck->failed = deck->failed || !copy;
	return copy ? copy : "";
}

static void open_between(bxt_spice_scope *scope, const bxt_spice_element *e, const char *component)
{
	bxt_spice_open(scope, component, e->id);
	bxt_spice_node_attribute(scope, "p", e->words.word[1]);
	bxt_spice_node_attribute(scope, "n", e->words.word[2]);
}

/* ---- R, L, C ---- */

/* Numbers from a model. v initially has the defaults. */
static void model_values(bxt_spice_scope *scope, const bxt_spice_model *model,
			 const bxt_spice_env *where, const char *const *names, double *v)
{
	for (int i = 0; names[i]; i++) {
		const bxt_spice_assignment *a = bxt_spice_find(&model->values, names[i]);
		if (a && a->text)
			bxt_spice_value(scope->deck, where, a->text, model->line, &v[i]);
	}
}

/*
 * Sheet values and dimensions, as in ngspice. Etching reduces a resistor on both sides, R = RSH (L
 * - 2 SHORT)/(W - 2 NARROW). It reduces a capacitor once, and C = CJ A + CJSW P with the area A and
 * the circumference P that remain. Without these dimensions, the value of the model.
 */
static bool sheet_value(bxt_spice_scope *scope, const bxt_spice_element *e,
			const bxt_spice_model *model, const bxt_spice_env *where, bool resistor,
			double *value)
{
	static const char *const of_r[] = {"rsh",   "",           "defw", "narrow",
					   "short", "resistance", "r",    NULL},
				 *const of_c[] = {"cj",    "cjsw", "defw", "narrow",
						  "short", "c",    "cap",  NULL};
	double v[] = {0, 0, 10e-6, 0, 0, 0, 0};
	model_values(scope, model, where, resistor ? of_r : of_c, v);
	const double l = bxt_spice_assigned(scope, e, "l", 0), off = resistor ? 2 : 1;
	const double length = l - off * v[4],
		     width = bxt_spice_assigned(scope, e, "w", v[2]) - off * v[3];
	const double own = v[6] != 0 ? v[6] : v[5];
	const bool sized = l > 0 && (v[0] != 0 || v[1] != 0) && (resistor || own == 0);
	if (sized && !(length > 0 && width > 0)) {
		bxt_deck_error(
			scope->deck, e->line,
			"'%s': its model takes off more than there is: %g m by %g m are left",
			e->words.word[0], length, width);
		return false;
	}
	*value = !sized     ? own
		 : resistor ? v[0] * length / width
			    : v[0] * length * width + 2 * v[1] * (length + width);
	return *value > 0;
}

/* The factor of a temperature that differs from the nominal one. */
static double by_temperature(bxt_spice_scope *scope, const bxt_spice_element *e,
			     const bxt_spice_model *model, const bxt_spice_env *where)
{
	static const char *const names[] = {"tc1", "tc2", "tce"}, *const tnom[] = {"tnom", NULL};
	double tc[3] = {0, 0, 0}, nominal = scope->deck->nominal;
	if (model)
		model_values(scope, model, where, tnom, &nominal);
	const double t = bxt_spice_temperature(scope, e) - nominal;
	bool power = false;
	for (int i = 0; i < 3; i++) {
		const bxt_spice_assignment *a =
			model ? bxt_spice_find(&model->values, names[i]) : NULL;
		power = i == 2 && (a || bxt_spice_find(&e->values, names[i]));
		if (a && a->text)
			bxt_spice_value(scope->deck, where, a->text, model->line, &tc[i]);
		tc[i] = bxt_spice_assigned(scope, e, names[i], tc[i]);
	}
	const bxt_spice_assignment *both = bxt_spice_find(&e->values, "tc"); /* "1m, 2u" */
	bxt_spice_words parts = bxt_spice_split(scope->deck, both && both->text ? both->text : "");
	for (int i = 0; i < parts.n && i < 2; i++)
		bxt_spice_value(scope->deck, scope->env, parts.word[i], e->line, &tc[i]);
	return power ? pow(1.01, tc[2] * t) : 1 + t * (tc[0] + t * tc[1]);
}

/* Names of the model that this import ignores. */
static void check_model(bxt_spice_scope *scope, const bxt_spice_model *model)
{
	static const char *const known[] = {
		"rsh",  "defw",   "narrow", "r",     "c",  "l",          "tc1", "tc2",
		"tce",  "kf",     "af",     "ef",    "lf", "resistance", "wf",  "level",
		"tnom", "bv_max", "m",      "short", "cj", "cjsw",       "cap", NULL};
	for (size_t i = 0; i < model->values.n; i++) {
		int k = 0;
		while (known[k] && strcmp(known[k], model->values.items[i].name) != 0)
			k++;
		if (!known[k])
			bxt_deck_warning(scope->deck, model->line,
					 "model '%.100s': '%.100s' of passive elements is left out",
					 model->name, model->values.items[i].name);
	}
}

static bool passive_value(bxt_spice_scope *scope, const bxt_spice_element *e, const char *own,
			  double *value)
{
	bxt_deck *deck = scope->deck;
	const bxt_spice_words *w = &e->words;
	const bxt_spice_env *where = NULL;
	const bxt_spice_model *model = NULL;
	bool known = false;
	for (int i = 3; i < w->n && i < 5; i++) {
		double number = 0;
		const bxt_spice_model *m =
			bxt_deck_model(scope->env, lower_of(deck, w->word[i]), &where);
		if (m) {
			model = m;
			check_model(scope, m);
		} else if (!known &&
			   bxt_spice_value(deck, scope->env, w->word[i], e->line, &number)) {
			*value = number;
			known = true;
		}
	}
	const bxt_spice_assignment *a = bxt_spice_find(&e->values, own);
	if (!a && *own == 'r')
		a = bxt_spice_find(&e->values, "resistance");
	if (a && a->text && !(strcmp(own, "l") == 0 && *w->word[0] != 'l' && *w->word[0] != 'L'))
		known = bxt_spice_value(deck, scope->env, a->text, e->line, value) || known;
	if (!known && model && *own != 'l')
		known = sheet_value(scope, e, model, where, *own == 'r', value);
	if (!known && !e->line->error)
		bxt_deck_error(deck, e->line, "'%s': a value is missing%s", w->word[0],
			       model ? ": its model needs one, or a sheet and its size" : "");
	*value *= by_temperature(scope, e, model, where);
	return known;
}

static void write_resistor(bxt_spice_scope *scope, const bxt_spice_element *e, double value)
{
	if (value < 0) { /* a current source that is controlled by its own voltage */
		open_between(scope, e, "vccs");
		bxt_spice_node_attribute(scope, "cp", e->words.word[1]);
		bxt_spice_node_attribute(scope, "cn", e->words.word[2]);
		bxt_spice_value_attribute(scope, "gm", 1 / value, "S");
	} else {
		open_between(scope, e, "resistor");
		bxt_spice_value_attribute(scope, "R", value, "ohm");
	}
	bxt_spice_close(scope);
}

static void add_winding(bxt_spice_scope *scope, const bxt_spice_element *e, double L)
{
	bxt_deck *deck = scope->deck;
	deck->failed = deck->failed ||
		       BXT_GROW(scope->windings, scope->windings_capacity, scope->n_windings + 1) !=
			       BXT_OK ||
		       bxt_map_put(&scope->winding_index, lower_of(deck, e->words.word[0]),
				   (int)scope->n_windings) != BXT_OK;
	if (!deck->failed)
		scope->windings[scope->n_windings++] = (bxt_spice_winding){e->id, L};
}

/* With UIC: IC of the element, otherwise the difference of the .ic voltages of its nodes. */
static void write_initial(bxt_spice_scope *scope, const bxt_spice_element *e, bool capacitor)
{
	double a = 0, b = 0;
	const bool p = bxt_spice_condition(scope, e->words.word[1], &a);
	const bool n = bxt_spice_condition(scope, e->words.word[2], &b);
	if (bxt_spice_find(&e->values, "ic"))
		bxt_spice_value_attribute(scope, capacitor ? "v" : "i",
					  bxt_spice_assigned(scope, e, "ic", 0),
					  capacitor ? "V" : "A");
	else if (capacitor && (p || n))
		bxt_spice_value_attribute(scope, "v", a - b, "V");
}

/* Is the value an expression of voltages, currents or time? Then the element is written here. */
static bool follows(bxt_spice_scope *scope, const bxt_spice_element *e)
{
	const bxt_spice_assignment *a = bxt_spice_find(&e->values, "r");
	a = a ? a : bxt_spice_find(&e->values, "resistance");
	const char *text = a ? a->text : e->words.n > 3 ? e->words.word[3] : NULL;
	return text && bxt_spice_b_resistor(scope, e, text, by_temperature(scope, e, NULL, NULL));
}

/* The resistance that .ac uses in place of R. The import reports a value that it does not use. */
static void note_small_signal(bxt_spice_scope *scope, const bxt_spice_element *e, double value,
			      double m)
{
	const double ac = bxt_spice_assigned(scope, e, "ac", 0) *
			  bxt_spice_assigned(scope, e, "scale", 1) *
			  by_temperature(scope, e, NULL, NULL) / m;
	char *text =
		bxt_arena_printf(scope->deck->arena, "small signal of %.100s: %s.R = %.15g ohm",
				 e->words.word[0], e->id, ac);
	scope->deck->failed = scope->deck->failed || !text;
	if (text && ac != value)
		bxt_deck_remark(scope->deck, text);
}

void bxt_spice_passive(bxt_spice_scope *scope, const bxt_spice_element *e)
{
	static const char *const names[] = {"r",     "l",   "c",     "w",    "m",          "ic",
					    "tc1",   "tc2", "ac",    "temp", "dtemp",      "noisy",
					    "noise", "tc",  "scale", "tce",  "resistance", NULL};
	bxt_deck *deck = scope->deck;
	const char letter = (char)(*e->words.word[0] | 32);
	double value = 0;
	if (!bxt_spice_needs(scope, e, 3, "NODE NODE VALUE"))
		return;
	bxt_spice_check_names(scope, e, names);
	if (letter == 'r' && follows(scope, e))
		return;
	if (!passive_value(scope, e, (char[]){letter, 0}, &value))
		return;
	const double m = bxt_spice_assigned(scope, e, "m", 1);
	value *= bxt_spice_assigned(scope, e, "scale", 1);
	value = letter == 'c' ? value * m : value / m;
	if (letter == 'r') {
		if (bxt_spice_find(&e->values, "ac"))
			note_small_signal(scope, e, value, m);
		write_resistor(scope, e, value);
		return;
	}
	if (!(value > 0) && !(letter == 'c' && value == 0)) {
		bxt_deck_error(deck, e->line, "'%s': %g is not above 0", e->words.word[0], value);
		return;
	}
	if (value == 0) {
		bxt_note(deck->d, ((bxt_place){e->line->file, e->line->number}),
			 "'%s' has no capacitance: it is left out", e->words.word[0]);
		return;
	}
	open_between(scope, e, letter == 'c' ? "capacitor" : "inductor");
	bxt_spice_value_attribute(scope, letter == 'c' ? "C" : "L", value,
				  letter == 'c' ? "F" : "H");
	if (deck->uic)
		write_initial(scope, e, letter == 'c');
	bxt_spice_close(scope);
	if (letter == 'l')
		add_winding(scope, e, value);
}

/* ---- T ---- */

/* The delay of a line: TD, or its length in wavelengths at a frequency; 0 after findings. */
static double delay_of(bxt_spice_scope *scope, const bxt_spice_element *e)
{
	const double td = bxt_spice_assigned(scope, e, "td", 0),
		     f = bxt_spice_assigned(scope, e, "f", 0),
		     nl = bxt_spice_assigned(scope, e, "nl", 0.25);
	const double by = td != 0 ? td : f > 0 ? nl / f : 0;
	if (by > 0)
		return by;
	if (!e->line->error)
		bxt_deck_error(scope->deck, e->line,
			       "'%s': a line needs its delay above 0, as TD or as NL/F",
			       e->words.word[0]);
	return 0;
}

/* IC=V1,I1,V2,I2, with UIC: the voltages and currents at the ends of the line before the start. */
static void write_waves(bxt_spice_scope *scope, const bxt_spice_element *e)
{
	static const char *const names[] = {"V1", "I1", "V2", "I2"};
	const bxt_spice_assignment *a = bxt_spice_find(&e->values, "ic");
	const bxt_spice_words parts = bxt_spice_split(scope->deck, a && a->text ? a->text : "");
	for (int i = 0; i < parts.n && i < 4; i++) {
		double value = 0;
		bxt_spice_value(scope->deck, scope->env, parts.word[i], e->line, &value);
		if (value != 0)
			bxt_spice_value_attribute(scope, names[i], value, i % 2 == 0 ? "V" : "A");
	}
}

void bxt_spice_line(bxt_spice_scope *scope, const bxt_spice_element *e)
{
	/* REL and ABS control the breakpoints of ngspice, which have no counterpart */
	static const char *const names[] = {"z0", "zo", "td",  "f",   "nl",
					    "ic", "",   "rel", "abs", NULL};
	static const char *const ports[] = {"p1", "n1", "p2", "n2"};
	if (!bxt_spice_needs(scope, e, 5, "NODE NODE NODE NODE Z0=VALUE TD=VALUE"))
		return;
	bxt_spice_check_names(scope, e, names);
	const double zo = bxt_spice_assigned(scope, e, "zo", 0),
		     z0 = bxt_spice_assigned(scope, e, "z0", zo), td = delay_of(scope, e);
	if (!(z0 > 0) && !e->line->error)
		bxt_deck_error(scope->deck, e->line, "'%s': a line needs its impedance Z0 above 0",
			       e->words.word[0]);
	if (!(z0 > 0) || !(td > 0))
		return;
	bxt_spice_open(scope, "delay-line", e->id);
	for (int i = 0; i < 4; i++)
		bxt_spice_node_attribute(scope, ports[i], e->words.word[i + 1]);
	bxt_spice_value_attribute(scope, "z0", z0, "ohm");
	bxt_spice_value_attribute(scope, "td", td, "s");
	if (scope->deck->uic)
		write_waves(scope, e);
	bxt_spice_close(scope);
}

/* ---- S and W ---- */

static const char switch_head[] = "    <parameter name=\"Ron\" unit=\"ohm\" positive=\"true\"/>\n"
				  "    <parameter name=\"Roff\" unit=\"ohm\" positive=\"true\"/>\n"
				  "    <parameter name=\"above\" unit=\"%s\"/>\n"
				  "    <parameter name=\"below\" unit=\"%s\"/>\n"
				  "    <parameter name=\"start\" unit=\"1\" default=\"0\"/>\n"
				  "    <coordinate name=\"q\" unit=\"C\" flow=\"i\"/>\n"
				  "    <coordinate name=\"s\" unit=\"V.s\" flow=\"v\"/>\n"
				  "    <port name=\"p\" kind=\"electrical\" flow=\"i\"/>\n"
				  "    <port name=\"n\" kind=\"electrical\" flow=\"-i\"/>\n";
static const char by_voltage[] = "    <coordinate name=\"qc\" unit=\"C\" flow=\"ic\"/>\n"
				 "    <coordinate name=\"sc\" unit=\"V.s\" flow=\"vc\"/>\n"
				 "    <port name=\"cp\" kind=\"electrical\" flow=\"ic\"/>\n"
				 "    <port name=\"cn\" kind=\"electrical\" flow=\"-ic\"/>\n"
				 "    <lagrangian>s*i + sc*ic</lagrangian>\n";
static const char by_current[] = "    <binding name=\"control\" component=\"voltage-source\"/>\n"
				 "    <lagrangian>s*i</lagrangian>\n";
static const char switch_tail[] =
	"    <rayleigh>(closed/Ron + (1 - closed)/Roff)*v^2/2</rayleigh>\n"
	"    <mode name=\"closed\" initial=\"start\">\n"
	"      <on when=\"%s &gt; above\"/>\n"
	"      <off when=\"%s &lt; below\"/>\n"
	"    </mode>\n";

static const char *switch_component(bxt_deck *deck, bool current)
{
	const char *unit = current ? "A" : "V", *signal = current ? "control.i" : "vc";
	const char *head = bxt_arena_printf(deck->arena, switch_head, unit, unit);
	const char *tail = bxt_arena_printf(deck->arena, switch_tail, signal, signal);
	const char *all = head && tail ? bxt_arena_printf(deck->arena, "%s%s", head,
							  current ? by_current : by_voltage)
				       : NULL;
	deck->failed = deck->failed || !all;
	return all ? bxt_spice_inline(deck, all, tail) : "";
}

/* Models of switches: with a threshold and a hysteresis, or PSPICE's smooth switches. */
static const struct switch_kind {
	const char *type, *names[4];
	bool current, smooth;
	double usual[4];
} switch_kinds[] = {{"sw", {"vt", "vh", "ron", "roff"}, false, false, {0, 0, 1, 1e12}},
		    {"csw", {"it", "ih", "ron", "roff"}, true, false, {0, 0, 1, 1e12}},
		    {"vswitch", {"von", "voff", "ron", "roff"}, false, true, {1, 0, 1, 1e6}},
		    {"iswitch", {"ion", "ioff", "ron", "roff"}, true, true, {1e-3, 0, 1, 1e6}}};

static bool switch_is_possible(const struct switch_kind *kind, const double *v)
{
	return v[2] > 0 && v[3] > 0 && (kind->smooth ? v[0] != v[1] : v[1] >= 0);
}

/* Reads the values of the model into v (4); NULL after errors. */
static const struct switch_kind *switch_model(bxt_spice_scope *scope, const bxt_spice_element *e,
					      const char *name, bool current, double *v)
{
	const bxt_spice_env *where = NULL;
	const bxt_spice_model *m = bxt_deck_model(scope->env, lower_of(scope->deck, name), &where);
	const struct switch_kind *kind = NULL;
	for (size_t i = 0; m && i < sizeof switch_kinds / sizeof *switch_kinds; i++)
		if (switch_kinds[i].current == current &&
		    strcmp(m->type, switch_kinds[i].type) == 0)
			kind = &switch_kinds[i];
	if (!kind) {
		bxt_deck_error(scope->deck, e->line,
			       m ? "'%s': model '%.100s' is none of a switch"
				 : "'%s': there is no model '%.100s'",
			       e->words.word[0], name);
		return NULL;
	}
	memcpy(v, kind->usual, sizeof kind->usual);
	for (size_t i = 0; i < m->values.n; i++) {
		const bxt_spice_assignment *a = &m->values.items[i];
		int k = 0;
		while (k < 4 && strcmp(kind->names[k], a->name) != 0)
			k++;
		if (k < 4 && a->text)
			bxt_spice_value(scope->deck, where, a->text, m->line, &v[k]);
		else
			bxt_deck_error(scope->deck, m->line,
				       "model '%.100s': '%.100s' is not known here", m->name,
				       a->name);
	}
	if (!switch_is_possible(kind, v))
		bxt_deck_error(
			scope->deck, m->line,
			kind->smooth ? "model '%.100s': a smooth switch has other values for on "
				       "and off, "
				       "and resistances above 0"
				     : "model '%.100s': a switch has a hysteresis of 0 or more and "
				       "resistances above 0; those with a negative one, which are "
				       "smooth, "
				       "are not taken over",
			m->name);
	return m->line->error ? NULL : kind;
}

/*
 * The logarithm of the resistance is a cubic of the control between off and on (VSWITCH and ISWITCH
 * of PSPICE): with x = (control - middle)/(on - off) within -1/2 and 1/2
 *
 *     log R = log(Ron Roff)/2 + log(Ron/Roff) (3 x/2 - 2 x^3) .
 */
static void smooth_switch(bxt_spice_scope *scope, const bxt_spice_element *e, bool current,
			  const double *v)
{
	const char **w = e->words.word;
	bxt_buffer control = {0}, law = {0};
	if (current)
		bxt_buffer_printf(&control, "I(%s)", w[3]);
	else
		bxt_buffer_printf(&control, "V(%s,%s)", w[3], w[4]);
	bxt_buffer x = {0};
	bxt_buffer_printf(&x, "max(-0.5,min(0.5,(%s-(%.17g))/(%.17g)))",
			  control.text ? control.text : "", (v[0] + v[1]) / 2, v[0] - v[1]);
	const char *text = x.text ? x.text : "";
	bxt_buffer_printf(&law, "V(%s,%s)*exp(-(%.17g)-(%.17g)*(1.5*%s-2*%s*%s*%s))", w[1], w[2],
			  log(v[2] * v[3]) / 2, log(v[2] / v[3]), text, text, text, text);
	scope->deck->failed = scope->deck->failed || control.failed || x.failed || law.failed;
	if (!scope->deck->failed)
		bxt_spice_law(scope, e, 'i', law.text);
	bxt_buffer_free(&control);
	bxt_buffer_free(&x);
	bxt_buffer_free(&law);
}

void bxt_spice_switch(bxt_spice_scope *scope, const bxt_spice_element *e)
{
	static const char *const none[] = {NULL};
	const bool current = strchr("wW", *e->words.word[0]) != NULL;
	const int at = current ? 4 : 5;
	const struct switch_kind *kind = NULL;
	double v[4];
	if (!bxt_spice_needs(scope, e, at + 1,
			     current ? "NODE NODE SOURCE MODEL" : "NODE NODE NODE NODE MODEL") ||
	    !(kind = switch_model(scope, e, e->words.word[at], current, v)))
		return;
	bxt_spice_check_names(scope, e, none);
	if (kind->smooth) {
		smooth_switch(scope, e, current, v);
		return;
	}
	const char *source =
		current ? bxt_spice_element_id(scope, lower_of(scope->deck, e->words.word[3]))
			: NULL;
	if (current && (!source || !strchr("vV", *e->words.word[3]))) {
		bxt_deck_error(scope->deck, e->line,
			       "'%s': there is no voltage source '%.100s' here", e->words.word[0],
			       e->words.word[3]);
		return;
	}
	scope->deck->nonlinear = true;
	open_between(scope, e, switch_component(scope->deck, current));
	if (current) {
		bxt_spice_text_attribute(scope, "control", source);
	} else {
		bxt_spice_node_attribute(scope, "cp", e->words.word[3]);
		bxt_spice_node_attribute(scope, "cn", e->words.word[4]);
	}
	bxt_spice_value_attribute(scope, "Ron", v[2], "ohm");
	bxt_spice_value_attribute(scope, "Roff", v[3], "ohm");
	bxt_spice_value_attribute(scope, "above", v[0] + v[1], current ? "A" : "V");
	bxt_spice_value_attribute(scope, "below", v[0] - v[1], current ? "A" : "V");
	if (e->words.n > at + 1 && bxt_spice_same(e->words.word[at + 1], "on"))
		bxt_spice_text_attribute(scope, "start", "1");
	bxt_spice_close(scope);
}
