/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Commands of a deck: .tran and the temperature are used, the others are reported or kept as a
 * remark.
 */
#include "exchange/spice/spice.h"

#include <math.h>
#include <string.h>

/* How commands are reported: those of one kind once, with their number. */
typedef struct kind {
	const char *names; /* with blanks around each */
	const char *told;  /* the report; NULL: none */
} kind;
static const kind kinds[] = {
	{" .print .plot .save .probe ", NULL},
	{" .end .op .title .width .backanno .four .endl .nopage ", NULL},
	{" .ac .dc .noise .disto .tf .sens .pz .sp .hb ",
	 "other analyses are comments: only .tran is run"},
	{" .meas .measure ", "measurements (.meas) are left out"},
	{" .csparam .probe .echo ", "commands of ngspice's shell are left out"},
};

static bool is_kind(const char *text, const kind *k)
{
	char word[16] = " ";
	const size_t length = strcspn(text, " \t(");
	if (length + 3 > sizeof word)
		return false;
	for (size_t i = 0; i < length; i++)
		word[i + 1] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i]);
	strcpy(word + length + 1, " ");
	return strstr(k->names, word) != NULL;
}

/* Writes text inside an XML comment, which must not contain "--" nor bytes that are not text. */
void bxt_deck_remark(bxt_deck *deck, const char *text)
{
	bxt_buffer_add(&deck->remarks, "  ", 2);
	for (const char *c = text; *c; c++) {
		const bool plain = *c >= ' ' && *c < 127;
		bxt_buffer_add(&deck->remarks, plain ? c : "?", 1);
		if (*c == '-')
			bxt_buffer_add(&deck->remarks, " ", c[1] == '-' || c[1] == '\0');
	}
	bxt_buffer_add(&deck->remarks, "\n", 1);
}

/* ---- .tran ---- */

static void read_tran(bxt_deck *deck, const bxt_spice_env *env, bxt_deck_line *line)
{
	double *const values[] = {&deck->tran.step, &deck->tran.stop, &deck->tran.start,
				  &deck->tran.max};
	bxt_spice_words words = bxt_spice_split(deck, line->text);
	int n = 0;
	for (int i = 1; i < words.n; i++)
		if (bxt_spice_same(words.word[i], "uic"))
			deck->uic = true;
		else if (n < 4)
			bxt_spice_value(deck, env, words.word[i], line, values[n++]);
	if (n < 2 || !(deck->tran.stop > 0) || !(deck->tran.step > 0)) {
		bxt_deck_error(deck, line, "write .tran STEP END, two times above 0");
		return;
	}
	if (deck->tran.step > deck->tran.stop)
		deck->tran.step = deck->tran.stop;
	if (deck->tran.max > 0)
		bxt_note(deck->d, ((bxt_place){line->file, line->number}),
			 "the largest step, %g s, is one of rows: the tolerance bounds steps, and "
			 "max-step where it is given",
			 deck->tran.max);
	if (deck->tran.start > 0)
		bxt_note(deck->d, ((bxt_place){line->file, line->number}),
			 "rows begin at 0, not at %g s", deck->tran.start);
	deck->tran.line = line;
}

/* ---- .options ---- */

/* The first word of a value. Flags may follow it. */
static void read_option(bxt_deck *deck, const bxt_spice_env *env, const char *text,
			bxt_deck_line *line, double *value)
{
	const bxt_spice_words words = bxt_spice_split(deck, text);
	if (words.n > 0)
		bxt_spice_value(deck, env, words.word[0], line, value);
}

static void read_options(bxt_deck *deck, const bxt_spice_env *env, bxt_deck_line *line)
{
	bxt_spice_list list = {0};
	bxt_spice_assignments(deck, line->text + strcspn(line->text, " \t"), line, &list);
	for (size_t i = 0; i < list.n; i++) {
		const bxt_spice_assignment *a = &list.items[i];
		if (strcmp(a->name, "temp") == 0 && a->text)
			read_option(deck, env, a->text, line, &deck->temperature);
		else if (strcmp(a->name, "tnom") == 0 && a->text)
			read_option(deck, env, a->text, line, &deck->nominal);
		else if (strcmp(a->name, "reltol") == 0 && a->text)
			read_option(deck, env, a->text, line, &deck->reltol);
		else if (strcmp(a->name, "scale") == 0)
			bxt_deck_error(deck, line,
				       "the option 'scale' is not taken over: write "
				       "lengths in metres");
	}
}

static void read_temperature(bxt_deck *deck, const bxt_spice_env *env, bxt_deck_line *line)
{
	bxt_spice_words words = bxt_spice_split(deck, line->text);
	if (words.n < 2 || !bxt_spice_value(deck, env, words.word[1], line, &deck->temperature) ||
	    deck->temperature <= -273.15)
		bxt_deck_error(deck, line, "write .temp DEGREES, above -273.15");
}

static bool is_named(const char *text, const char *name)
{
	const size_t length = strlen(name);
	return bxt_spice_begins(text, name) && (!text[length] || strchr(" \t(", text[length]));
}

/* ---- All commands ---- */

static void read_command(bxt_deck *deck, const bxt_spice_env *env, bxt_deck_line *line, int *counts)
{
	const char *s = line->text;
	const size_t n = sizeof kinds / sizeof *kinds;
	size_t k = 0;
	if (is_named(s, ".tran")) {
		read_tran(deck, env, line);
		return;
	}
	if (is_named(s, ".control"))
		return;
	if (bxt_spice_begins(s, ".opt")) {
		read_options(deck, env, line);
		return;
	}
	if (is_named(s, ".temp")) {
		read_temperature(deck, env, line);
		return;
	}
	while (k < n && !is_kind(s, &kinds[k]))
		k++;
	if (k < n) {
		counts[k]++;
		if (k == 2)
			bxt_deck_remark(deck, s);
	} else {
		bxt_deck_warning(deck, line, "the command '%.*s' is left out",
				 (int)strcspn(s, " \t("), s);
	}
}

void bxt_deck_read_commands(bxt_deck *deck, const bxt_spice_env *env)
{
	int counts[sizeof kinds / sizeof *kinds] = {0};
	bxt_deck_line *control = NULL;
	for (size_t i = 0; i < deck->n_commands && !bxt_deck_is_over(deck); i++) {
		read_command(deck, env, deck->commands[i], counts);
		if (is_named(deck->commands[i]->text, ".control"))
			control = deck->commands[i];
	}
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		if (counts[k] && kinds[k].told)
			bxt_note(deck->d, ((bxt_place){deck->file, 0}), "%s", kinds[k].told);
	if (!deck->tran.line && deck->control)
		read_tran(deck, env, deck->control);
	if (control)
		bxt_note(deck->d, ((bxt_place){control->file, control->number}),
			 deck->control && deck->tran.line == deck->control
				 ? ".control is left out, but for the time of its 'tran'"
				 : ".control is left out");
	if (!deck->tran.line)
		bxt_note(deck->d, ((bxt_place){deck->file, 0}),
			 "there is no .tran: give the end of the run with --end, and --step");
}
