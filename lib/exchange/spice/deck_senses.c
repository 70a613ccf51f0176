/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the currents that F and H sense in series with a voltage source, in the form in which the
 * import writes them: each node has two pins, one of the source or of a sense before it, and one of
 * the sense after it. Also recognises waveforms by the forms in which the import writes them.
 */
#include "exchange/spice/deck.h"

#include <stdlib.h>
#include <string.h>

/* ---- Senses ---- */

static bool is_sense(const bxt_item *item)
{
	return strcmp(item->name, "cccs") == 0 || strcmp(item->name, "ccvs") == 0;
}

static bool is_port(const char *name)
{
	static const char *const ports[] = {"p", "n", "cp", "cn", "a", "b",
					    "c", "d", "e",  "g",  "s"};
	for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
		if (strcmp(ports[i], name) == 0)
			return true;
	return false;
}

static void enter(bxt_deck_writer *w, bxt_map *map, const char *key, int value)
{
	if (key && bxt_map_put(map, key, value) != BXT_OK)
		w->failed = true;
}

void bxt_deck_find_elements(bxt_deck_writer *w)
{
	size_t n = 0;
	for (const bxt_item *i = NULL; (i = bxt_item_child(w->tree->root, NULL, i));)
		n++;
	w->items = BXT_NEW(w->arena, const bxt_item *, n);
	w->failed = w->failed || !w->items;
	n = 0;
	for (const bxt_item *i = NULL;
	     (i = bxt_item_child(w->tree->root, NULL, i)) && !w->failed;) {
		const int k = (int)n;
		w->items[n++] = i;
		if (strcmp(i->name, "node") != 0)
			enter(w, &w->ids, bxt_item_get(i, "id"), k);
		if (is_sense(i)) {
			enter(w, &w->senses[0], bxt_item_get(i, "cp"), k);
			enter(w, &w->senses[1], bxt_item_get(i, "cn"), k);
		}
		if (strcmp(i->name, "voltage-source") == 0)
			enter(w, &w->sources, bxt_item_get(i, "n"), k);
		if (strcmp(i->name, "mutual-inductance") == 0)
			continue;
		for (const bxt_attribute *a = NULL; (a = bxt_item_attribute(i, a));)
			if (is_port(a->name))
				enter(w, &w->pins, a->value,
				      1 + (bxt_map_get(&w->pins, a->value) < 0
						   ? 0
						   : bxt_map_get(&w->pins, a->value)));
	}
}

static const bxt_item *at(const bxt_deck_writer *w, const bxt_map *map, const char *key)
{
	const int k = key ? bxt_map_get(map, key) : -1;
	return k < 0 ? NULL : w->items[k];
}

static bool is_between_two(const bxt_deck_writer *w, const char *node)
{
	return node && bxt_map_get(&w->pins, node) == 2;
}

const bxt_item *bxt_deck_sense_at(const bxt_deck_writer *w, const char *node)
{
	const bxt_item *sense = is_between_two(w, node) ? at(w, &w->senses[0], node) : NULL;
	const char *behind = sense ? bxt_item_get(sense, "cn") : NULL;
	return behind && strcmp(behind, node) != 0 ? sense : NULL;
}

/* No node on the way has a third pin, so a closed ring would lead back to the element. */
const bxt_item *bxt_deck_source_before(const bxt_deck_writer *w, const bxt_item *item)
{
	const bxt_item *found = item;
	do {
		const char *node = bxt_item_get(found, "cp");
		if (!is_between_two(w, node))
			return NULL;
		const bxt_item *source = at(w, &w->sources, node);
		if (source)
			return source;
		found = at(w, &w->senses[1], node);
	} while (found && found != item);
	return NULL;
}

const bxt_item *bxt_deck_element(const bxt_deck_writer *w, const char *id)
{
	return at(w, &w->ids, id);
}

/* ---- Waveforms ---- */

enum { MOST = 10 };

/*
 * Does the text begin with this form, with a number for each #? Returns the text after it; NULL: it
 * does not.
 */
static const char *match(const char *text, const char *form, double *numbers)
{
	for (; *form; form++) {
		if (*form != '#') {
			if (*text++ != *form)
				return NULL;
			continue;
		}
		const bool brackets = *text == '(';
		text += brackets;
		const size_t length = bxt_read_number(text, strlen(text), numbers++);
		if (length == 0 || (brackets && text[length] != ')'))
			return NULL;
		text += length + brackets;
	}
	return text;
}

static void write_wave(bxt_deck_writer *w, const char *name, const double *v, int n)
{
	bxt_buffer_printf(&w->out, " %s(", name);
	for (int i = 0; i < n; i++)
		bxt_deck_add(w, v[i]);
	bxt_buffer_printf(&w->out, ")");
}

/* SPICE would replace a rise, fall or width of 0 by a value from .tran. */
static bool write_pulse(bxt_deck_writer *w, const double v[7])
{
	if (!(v[3] > 0) || !(v[4] > 0) || !(v[5] > 0))
		return false;
	write_wave(w, "PULSE", v, v[6] > 0 ? 7 : 6);
	return true;
}

/* The text from the first comma on. */
static bool write_points(bxt_deck_writer *w, const char *text)
{
	double last = -1, v[2];
	bool first = true;
	bxt_buffer_printf(&w->out, " PWL(");
	for (; text && *text == ','; first = false) {
		text = match(text, ", #, #", v);
		if (!text || (!first && v[0] <= last))
			return false;
		bxt_deck_add(w, v[0]);
		bxt_deck_add(w, v[1]);
		last = v[0];
	}
	bxt_buffer_printf(&w->out, ")");
	return !first && strcmp(text, ")") == 0;
}

/* Points that repeat from a given time on. */
static bool write_repeated(bxt_deck_writer *w, const char *points, const double v[5])
{
	if (v[0] != v[3] || !write_points(w, points))
		return false;
	bxt_buffer_printf(&w->out, " r=");
	bxt_deck_add(w, v[2]);
	if (v[1] != 0) {
		bxt_buffer_printf(&w->out, " td=");
		bxt_deck_add(w, v[1]);
	}
	return true;
}

/* offset + size*[exp(...)*]sin(2*pi*f*...) */
static bool write_sine(bxt_deck_writer *w, const char *text)
{
	static const char *const damped[] = {"exp(-#*max(t - #, 0))*", "exp(-#*(t - #))*",
					     "exp(-#*t)*", ""};
	static const char *const waves[] = {"sin(2*pi*#*max(t - #, 0)", "sin(2*pi*#*(t - #)",
					    "sin(2*pi*#*t"};
	double v[2], decay[2], wave[2], phase;
	const char *rest = match(text, "# + #*", v);
	for (int d = 0; d < 4 && rest; d++)
		for (int k = 0; k < 3; k++) {
			decay[0] = decay[1] = wave[1] = phase = 0;
			const char *s = match(rest, damped[d], decay);
			s = s ? match(s, waves[k], wave) : NULL;
			const char *shifted = s ? match(s, " + pi*#", &phase) : NULL;
			s = shifted ? shifted : s;
			if (!s || strcmp(s, ")") != 0 || (d < 3 && decay[1] != wave[1]) ||
			    wave[0] == 0)
				continue;
			const double all[] = {v[0], v[1], wave[0], wave[1], decay[0], phase * 180};
			write_wave(w, "SIN", all,
				   phase != 0      ? 6
				   : decay[0] != 0 ? 5
				   : wave[1] != 0  ? 4
						   : 3);
			return true;
		}
	return false;
}

static bool is_end(const char *rest)
{
	return rest && *rest == '\0';
}

bool bxt_deck_waveform(bxt_deck_writer *w, const char *text)
{
	double v[MOST];
	if (*text++ != '=')
		return false;
	if (is_end(match(text, "pulse(t, #, #, #, #, #, #, #)", v)))
		return write_pulse(w, v);
	if (strncmp(text, "pwl(t,", 6) == 0)
		return write_points(w, text + 5);
	const char *points = match(text, "pwl(if(t < #, t - #, # + mod(t - #, #))", v);
	if (points)
		return write_repeated(w, points, v);
	if (is_end(match(text, "# + #*(exp(-max(t - #, 0)/#) - exp(-max(t - #, 0)/#))", v))) {
		const double all[] = {v[0], v[0] + v[1], v[4], v[5], v[2], v[3]};
		if (!(v[4] > 0) || !(v[2] > 0))
			return false;
		write_wave(w, "EXP", all, 6);
		return true;
	}
	if (is_end(match(text, "# + #*sin(2*pi*#*t + #*sin(2*pi*#*t))", v))) {
		write_wave(w, "SFFM", v, 5);
		return true;
	}
	if (is_end(match(text, "#*(# + sin(2*pi*#*max(t - #, 0)))*sin(2*pi*#*max(t - #, 0))", v))) {
		const double all[] = {v[0], v[1], v[2], v[4], v[3]};
		write_wave(w, "AM", all, 5);
		return v[3] == v[5];
	}
	return write_sine(w, text);
}
