/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Independent sources. Waveforms are expressions of time, whose edges and corners are time events.
 * Omitted values have the defaults of ngspice: TSTEP and TSTOP of .tran, also where PULSE and EXP
 * give 0.
 */
#include "exchange/spice/spice.h"

#include <math.h>
#include <string.h>

enum { MOST = 9 };

typedef struct wave {
	bxt_spice_scope *scope;
	const bxt_spice_element *e;
	double *values;
	int n;
	bxt_buffer out; /* without "=" */
	bool constant;
	bool has_dc;      /* a DC value was given beside the waveform */
	double dc, first; /* the DC value; the first value of the waveform */
} wave;

static void add(wave *w, const char *text)
{
	bxt_buffer_add(&w->out, text, strlen(text));
}

/* Replaces each # of the form by the next number, in parentheses if it is negative. */
static void add_form(wave *w, const char *form, const double *numbers)
{
	for (const char *c = form; *c; c++) {
		if (*c != '#') {
			bxt_buffer_add(&w->out, c, 1);
			continue;
		}
		const bool brackets = *numbers < 0 && c > form && strchr("*/+- ", c[-1]);
		add(w, brackets ? "(" : "");
		bxt_spice_add_number(&w->out, *numbers++);
		add(w, brackets ? ")" : "");
	}
}

static double given(const wave *w, int i, double usual)
{
	return i < w->n ? w->values[i] : usual;
}

/* The step or the end of .tran if the value is omitted or 0. */
static double or_time(wave *w, int i, double usual)
{
	const double value = given(w, i, 0);
	if (value == 0 && usual == 0)
		bxt_deck_error(w->scope->deck, w->e->line,
			       "'%s': value %d is taken from .tran, and there is none",
			       w->e->words.word[0], i + 1);
	return value != 0 ? value : usual;
}

/* ---- Waveforms ---- */

static void pulse(wave *w)
{
	const bxt_deck *deck = w->scope->deck;
	double v[8] = {given(w, 0, 0), given(w, 1, 0), given(w, 2, 0)};
	v[3] = or_time(w, 3, deck->tran.step);
	v[4] = or_time(w, 4, deck->tran.step);
	v[5] = or_time(w, 5, deck->tran.stop);
	v[6] = given(w, 6, 0); /* 0: one pulse, as the run ends before the next */
	if (v[6] == 0 && v[2] < 0)
		v[6] = deck->tran.stop;
	if (v[3] < 0 || v[4] < 0 || v[5] < 0 || v[6] < 0) {
		bxt_deck_error(w->scope->deck, w->e->line, "'%s': times of PULSE are not negative",
			       w->e->words.word[0]);
		return;
	}
	if (v[6] > 0 && v[3] + v[4] + v[5] > v[6] * (1 + 1e-12)) {
		/* the next pulse begins before this one ends */
		if (v[3] + v[5] > v[6])
			v[5] = fmax(0, v[6] - v[3]);
		if (v[3] > v[6]) {
			bxt_deck_error(w->scope->deck, w->e->line,
				       "'%s': the period of PULSE is shorter than its rise",
				       w->e->words.word[0]);
			return;
		}
		/* the remaining part of the fall, to the level that it reaches */
		const double left = v[6] - v[3] - v[5];
		if (left > 0) {
			bxt_deck_error(w->scope->deck, w->e->line,
				       "'%s': the period of PULSE is shorter than rise, width and "
				       "fall together",
				       w->e->words.word[0]);
			return;
		}
		v[4] = 0;
	}
	add_form(w, "pulse(t, #, #, #, #, #, #, #)", v);
}

static void sine(wave *w)
{
	const bxt_deck *deck = w->scope->deck;
	const double offset = given(w, 0, 0), size = given(w, 1, 0), theta = given(w, 4, 0),
		     delay = given(w, 3, 0), phase = given(w, 5, 0) / 180;
	const double f = or_time(w, 2, deck->tran.stop > 0 ? 1 / deck->tran.stop : 0);
	add_form(w, "# + #", (const double[]){offset, size});
	add(w, "*");
	if (theta != 0)
		add_form(w,
			 delay > 0   ? "exp(-#*max(t - #, 0))*"
			 : delay < 0 ? "exp(-#*(t - #))*"
				     : "exp(-#*t)*",
			 (const double[]){theta, delay});
	add_form(w,
		 delay > 0   ? "sin(2*pi*#*max(t - #, 0)"
		 : delay < 0 ? "sin(2*pi*#*(t - #)"
			     : "sin(2*pi*#*t",
		 (const double[]){f, delay});
	if (phase != 0)
		add_form(w, " + pi*#", &phase);
	add(w, ")");
}

static void exponential(wave *w)
{
	const double step = w->scope->deck->tran.step, v1 = given(w, 0, 0), v2 = given(w, 1, 0);
	const double begin = or_time(w, 2, step), rise = or_time(w, 3, step);
	const double back = or_time(w, 4, begin + step), fall = or_time(w, 5, step);
	if (back < begin || rise <= 0 || fall <= 0) {
		bxt_deck_error(
			w->scope->deck, w->e->line,
			"'%s': EXP needs time constants above 0, and its fall behind its rise",
			w->e->words.word[0]);
		return;
	}
	add_form(w, "# + #*(exp(-max(t - #, 0)/#) - exp(-max(t - #, 0)/#))",
		 (const double[]){v1, v2 - v1, back, fall, begin, rise});
}

static void frequency_modulated(wave *w)
{
	const double stop = w->scope->deck->tran.stop, slow = stop > 0 ? 1 / stop : 0;
	const double depth = given(w, 3, 0);
	add_form(w, "# + #*sin(2*pi*#*t",
		 (const double[]){given(w, 0, 0), given(w, 1, 0), or_time(w, 2, slow)});
	if (depth != 0)
		add_form(w, " + #*sin(2*pi*#*t)", (const double[]){depth, or_time(w, 4, slow)});
	add(w, ")");
}

static void amplitude_modulated(wave *w)
{
	const double delay = given(w, 4, 0), late = fmax(delay, 0);
	if (w->n < 4 || delay < 0) {
		bxt_deck_error(w->scope->deck, w->e->line,
			       "'%s': write AM(AMPLITUDE OFFSET MODULATION CARRIER [DELAY])",
			       w->e->words.word[0]);
		return;
	}
	add_form(w, "#*(# + sin(2*pi*#*max(t - #, 0)))*sin(2*pi*#*max(t - #, 0))",
		 (const double[]){w->values[0], w->values[1], w->values[2], late, w->values[3],
				  late});
}

/* With r=TIME the waveform repeats from TIME to its last point, which is later by the delay td. */
static void piecewise(wave *w)
{
	bxt_deck *deck = w->scope->deck;
	const double again = bxt_spice_assigned(w->scope, w->e, "r", -1);
	const double late = bxt_spice_assigned(w->scope, w->e, "td", 0);
	bool good = w->n >= 2 && w->n % 2 == 0, known = again < 0;
	for (int i = 0; i < w->n && good; i += 2) {
		good = i == 0 || w->values[i] > w->values[i - 2];
		known = known || w->values[i] == again;
	}
	const double period = w->n >= 2 ? w->values[w->n - 2] - again : 0;
	if (!good || !known || (again >= 0 && !(period > 0))) {
		bxt_deck_error(
			deck, w->e->line,
			good ? "'%s': r of PWL is none of its times before the last"
			     : "'%s': PWL needs pairs of times and values, and times that rise",
			w->e->words.word[0]);
		return;
	}
	add(w, "pwl(");
	if (again >= 0)
		add_form(w, "if(t < #, t - #, # + mod(t - #, #))",
			 (const double[]){again + late, late, again, again + late, period});
	else
		add(w, "t");
	for (int i = 0; i < w->n; i += 2)
		add_form(
			w, ", #, #",
			(const double[]){w->values[i] + (again >= 0 ? 0 : late), w->values[i + 1]});
	add(w, ")");
}

static const struct {
	const char *name;
	void (*write)(wave *);
	int most;
} waves[] = {{"pulse", pulse, 7},           {"sin", sine, 6},      {"sine", sine, 6},
	     {"exp", exponential, 6},       {"pwl", piecewise, 0}, {"sffm", frequency_modulated, 5},
	     {"am", amplitude_modulated, 5}};

/* ---- The line ---- */

static bool is_word_of_source(const char *word)
{
	static const char *const words[] = {"dc",      "ac",       "distof1", "distof2",
					    "trnoise", "trrandom", "external"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (bxt_spice_same(word, words[i]))
			return true;
	for (size_t i = 0; i < sizeof waves / sizeof *waves; i++)
		if (bxt_spice_same(word, waves[i].name))
			return true;
	return false;
}

/* Reads values from word i on. Returns the index of the word after them. */
static int take_values(wave *w, int i)
{
	const bxt_spice_words *words = &w->e->words;
	w->n = 0;
	for (; i < words->n && !is_word_of_source(words->word[i]); i++)
		if (!bxt_spice_value(w->scope->deck, w->scope->env, words->word[i], w->e->line,
				     &w->values[w->n++]))
			break;
	return i;
}

static int take_wave(wave *w, size_t kind, int i)
{
	const int end = take_values(w, i);
	bxt_buffer_clear(&w->out);
	w->constant = false;
	w->first = given(w, 0, 0);
	if (waves[kind].most && w->n > waves[kind].most)
		bxt_deck_error(w->scope->deck, w->e->line,
			       "'%s': %s has %d values at most here, not %d", w->e->words.word[0],
			       waves[kind].name, waves[kind].most, w->n);
	else if (!w->e->line->error)
		waves[kind].write(w);
	return end;
}

static void take_ac(wave *w, int begin, int end)
{
	bxt_buffer text = {0};
	bxt_buffer_printf(&text, "%s of %.100s:", "small signal", w->e->words.word[0]);
	for (int i = begin; i < end; i++)
		bxt_buffer_printf(&text, " %.100s", w->e->words.word[i]);
	w->scope->deck->failed = w->scope->deck->failed || text.failed;
	if (!text.failed)
		bxt_deck_remark(w->scope->deck, text.text);
	bxt_buffer_free(&text);
}

static void take_words(wave *w)
{
	const bxt_spice_words *words = &w->e->words;
	double value = 0;
	for (int i = 3; i < words->n && !bxt_deck_is_over(w->scope->deck);) {
		const char *word = words->word[i];
		size_t kind = 0;
		while (kind < sizeof waves / sizeof *waves &&
		       !bxt_spice_same(word, waves[kind].name))
			kind++;
		if (kind < sizeof waves / sizeof *waves) {
			i = take_wave(w, kind, i + 1);
		} else if (bxt_spice_same(word, "ac") || bxt_spice_begins(word, "distof")) {
			const int end = take_values(w, i + 1);
			take_ac(w, i, end);
			i = end;
		} else if (bxt_spice_same(word, "dc") && i + 1 < words->n) {
			i++;
		} else if (is_word_of_source(word)) {
			bxt_deck_error(w->scope->deck, w->e->line,
				       "'%s': sources '%.20s' are not taken over", words->word[0],
				       word);
			return;
		} else {
			if (!bxt_spice_value(w->scope->deck, w->scope->env, word, w->e->line,
					     &value))
				return;
			if (w->constant) {
				bxt_buffer_clear(&w->out);
				bxt_spice_add_number(&w->out, value);
			}
			w->has_dc = true;
			w->dc = value;
			i++;
		}
	}
}

/*
 * A DC value beside a waveform applies to all analyses except .tran. Without .tran the netlist
 * starts at it; with .tran the import reports it.
 */
static void add_value(wave *w, bool voltage)
{
	bxt_deck *deck = w->scope->deck;
	bxt_buffer text = {0};
	if (w->constant || !w->has_dc)
		return;
	if (!deck->tran.line) {
		bxt_buffer_printf(&text, "if(t > 0, %s, ", w->out.text ? w->out.text : "");
		bxt_spice_add_number(&text, w->dc);
		bxt_buffer_printf(&text, ")");
		deck->failed = deck->failed || text.failed;
		bxt_buffer_clear(&w->out);
		add(w, text.text ? text.text : "");
	} else if (w->first != w->dc) { /* most waveforms begin at the DC value */
		bxt_buffer_printf(&text, "operating point of other analyses: %s.%s = ", w->e->id,
				  voltage ? "e" : "I");
		bxt_spice_add_number(&text, w->dc);
		bxt_buffer_printf(&text, " %s", voltage ? "V" : "A");
		deck->failed = deck->failed || text.failed;
		bxt_deck_remark(deck, text.text ? text.text : "");
	}
	bxt_buffer_free(&text);
}

void bxt_spice_source(bxt_spice_scope *scope, const bxt_spice_element *e)
{
	const bool voltage = strchr("vV", *e->words.word[0]) != NULL;
	static const char *const names[] = {"r", "td", "m", NULL};
	wave w = {.scope = scope, .e = e, .constant = true};
	if (!bxt_spice_needs(scope, e, 3, "NODE NODE VALUE or WAVEFORM"))
		return;
	w.values = BXT_NEW(scope->deck->arena, double, (size_t)e->words.n + MOST);
	scope->deck->failed = scope->deck->failed || !w.values;
	if (!w.values)
		return;
	add(&w, "0");
	take_words(&w);
	add_value(&w, voltage);
	bxt_spice_check_names(scope, e, names);
	const char *lower =
		bxt_spice_lower(scope->deck->arena, e->words.word[0], strlen(e->words.word[0]));
	const int k = lower ? bxt_map_get(&scope->sense_index, lower) : -1;
	const double m = bxt_spice_assigned(scope, e, "m", 1);
	bxt_spice_open(scope, voltage ? "voltage-source" : "current-source", e->id);
	bxt_spice_node_attribute(scope, "p", e->words.word[1]);
	if (voltage && k >= 0 && scope->senses[k].series)
		bxt_spice_text_attribute(scope, "n", scope->senses[k].series[0]);
	else
		bxt_spice_node_attribute(scope, "n", e->words.word[2]);
	bxt_buffer value = {0};
	if (!voltage && m != 1) {
		bxt_buffer_printf(&value, "=");
		bxt_spice_add_number(&value, m);
		bxt_buffer_printf(&value, "*(%s)", w.out.text ? w.out.text : "");
	} else {
		bxt_buffer_printf(&value, "%s%s%s", w.constant ? "" : "=",
				  w.out.text ? w.out.text : "",
				  !w.constant ? ""
				  : voltage   ? " V"
					      : " A");
	}
	scope->deck->failed = scope->deck->failed || value.failed || w.out.failed;
	bxt_spice_text_attribute(scope, voltage ? "e" : "I", value.text ? value.text : "");
	bxt_spice_close(scope);
	bxt_buffer_free(&value);
	bxt_buffer_free(&w.out);
}
