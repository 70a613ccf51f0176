/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads logical lines into blocks: the deck and its subcircuits, with models, parameters and
 * functions.
 */
#include "exchange/spice/spice.h"

#include <string.h>

static const char *lower_of(bxt_deck *deck, const char *text)
{
	char *copy = bxt_spice_lower(deck->arena, text, strlen(text));
	deck->failed = deck->failed || !copy;
	return copy ? copy : "";
}

static void enter(bxt_deck *deck, bxt_map *map, const char *name, size_t k)
{
	deck->failed = deck->failed || bxt_map_put(map, name, (int)k) != BXT_OK;
}

static bxt_deck_block *new_block(bxt_deck *deck, bxt_deck_block *outer, bxt_deck_line *line)
{
	bxt_deck_block *block = BXT_NEW(deck->arena, bxt_deck_block, 1);
	deck->failed = deck->failed || !block ||
		       BXT_GROW(deck->blocks, deck->blocks_capacity, deck->n_blocks + 1) != BXT_OK;
	if (deck->failed)
		return NULL;
	*block = (bxt_deck_block){.outer = outer, .name = "", .line = line};
	deck->blocks[deck->n_blocks++] = block;
	return block;
}

/* ---- .param ---- */

static void take_parameters(bxt_deck *deck, bxt_deck_block *block, const char *text,
			    bxt_deck_line *line)
{
	bxt_spice_list list = {0};
	bxt_spice_assignments(deck, text, line, &list);
	for (size_t i = 0; i < list.n && !bxt_deck_is_over(deck); i++) {
		const bxt_spice_assignment *a = &list.items[i];
		if (!a->text) {
			bxt_deck_error(deck, line, "'%.100s': write NAME=VALUE", a->name);
			return;
		}
		enter(deck, &block->parameter_index, a->name, block->parameters.n);
		bxt_spice_list_add(deck, &block->parameters, *a);
	}
}

/* ---- .subckt ---- */

static bxt_deck_block *begin_block(bxt_deck *deck, bxt_deck_block *outer, bxt_deck_line *line)
{
	int depth = 0;
	for (const bxt_deck_block *b = outer; b; b = b->outer)
		depth++;
	if (depth > BXT_SPICE_DEPTH) {
		bxt_deck_error(deck, line, "subcircuits are defined in each other too deeply");
		deck->errors = BXT_SPICE_ERRORS;
		return NULL;
	}
	bxt_deck_block *block = new_block(deck, outer, line);
	bxt_spice_words words = bxt_spice_split(deck, line->text);
	if (!block || deck->failed)
		return NULL;
	if (words.n < 2) {
		bxt_deck_error(deck, line, "write .subckt NAME NODE ...");
		return block;
	}
	block->name = lower_of(deck, words.word[1]);
	block->pins = BXT_NEW(deck->arena, const char *, (size_t)words.n);
	deck->failed = deck->failed || !block->pins;
	for (int i = 2; i < words.n && block->pins; i++) {
		if (bxt_spice_same(words.word[i], "params:"))
			break;
		block->pins[block->n_pins++] = lower_of(deck, words.word[i]);
	}
	take_parameters(deck, block, words.rest, line);
	block->n_given = block->parameters.n;
	enter(deck, &outer->block_index, block->name, deck->n_blocks - 1);
	return block;
}

/* ---- .func ---- */

/* .func NAME(A, B) {BODY}, or = BODY */
static void take_function(bxt_deck *deck, bxt_deck_block *block, bxt_deck_line *line)
{
	const char *open = strchr(line->text, '('), *close = open ? strchr(open, ')') : NULL;
	if (!close) {
		bxt_deck_error(deck, line, "write .func NAME(ARGUMENT, ...) {EXPRESSION}");
		return;
	}
	bxt_spice_words head = bxt_spice_split(
		deck, bxt_arena_strndup(deck->arena, line->text, (size_t)(close - line->text)));
	const char *body = close + 1;
	while (*body && strchr(" \t=", *body))
		body++;
	bxt_spice_words quoted = bxt_spice_split(deck, body);
	bxt_spice_function f = {.line = line, .n = head.n - 2};
	if (deck->failed || head.n < 2) {
		bxt_deck_error(deck, line, "write .func NAME(ARGUMENT, ...) {EXPRESSION}");
		return;
	}
	f.arguments = BXT_NEW(deck->arena, const char *, (size_t)head.n);
	f.body =
		bxt_spice_parse(deck, *body == '\'' && quoted.n == 1 ? quoted.word[0] : body, line);
	deck->failed = deck->failed || !f.arguments ||
		       BXT_GROW(block->functions, block->functions_capacity,
				block->n_functions + 1) != BXT_OK;
	if (deck->failed)
		return;
	for (int i = 0; i < f.n; i++)
		f.arguments[i] = lower_of(deck, head.word[i + 2]);
	enter(deck, &block->function_index, lower_of(deck, head.word[1]), block->n_functions);
	block->functions[block->n_functions++] = f;
}

/* ---- .model ---- */

static bool is_number(const char *text)
{
	double value;
	const size_t length = bxt_spice_number(text, &value);
	return length > 0 && text[length] == '\0';
}

/*
 * Reads words without "=": a name followed by a number, or a flag. A number alone has no meaning.
 */
static void take_words(bxt_deck *deck, bxt_spice_model *m, const char **word, int n)
{
	for (int i = 0; i < n && !deck->failed; i++) {
		const bool pair = i + 1 < n && is_number(word[i + 1]) && !is_number(word[i]);
		if (is_number(word[i]))
			bxt_deck_warning(deck, m->line, "model '%.100s': '%.40s' is left out",
					 m->name, word[i]);
		else
			bxt_spice_list_add(deck, &m->values,
					   (bxt_spice_assignment){lower_of(deck, word[i]),
								  pair ? word[i + 1] : NULL,
								  m->line});
		i += pair;
	}
}

/* Words may follow a number: "CJO=1n PCHAN", "CJC=2p VA 50". */
static void part_words(bxt_deck *deck, bxt_spice_model *m, const bxt_spice_list *list)
{
	for (size_t i = 0; i < list->n && !deck->failed; i++) {
		bxt_spice_assignment a = list->items[i];
		double value;
		const size_t length = a.text ? bxt_spice_number(a.text, &value) : 0;
		const char *words =
			length > 0 ? a.text + length + strspn(a.text + length, " \t") : "";
		const bool parted =
			length > 0 && strchr(" \t", a.text[length]) && bxt_spice_is_word(*words);
		if (!parted || strpbrk(words, "+-*/()<>?:{}'")) {
			bxt_spice_list_add(deck, &m->values, a);
			continue;
		}
		const bxt_spice_words more = bxt_spice_split(deck, words);
		a.text = bxt_arena_strndup(deck->arena, a.text, length);
		deck->failed = deck->failed || !a.text;
		bxt_spice_list_add(deck, &m->values, a);
		take_words(deck, m, more.word, more.n);
	}
}

/* .model NAME TYPE (A=1 B=2): the outer parentheses are left out. */
static void take_model(bxt_deck *deck, bxt_deck_block *block, bxt_deck_line *line)
{
	bxt_spice_words head = bxt_spice_split(deck, line->text);
	if (head.n < 3) {
		bxt_deck_error(deck, line, "write .model NAME TYPE NAME=VALUE ...");
		return;
	}
	char *rest = bxt_arena_strdup(deck->arena, head.rest);
	bxt_spice_model m = {.name = lower_of(deck, head.word[1]),
			     .type = lower_of(deck, head.word[2]),
			     .line = line};
	char *close = rest ? strrchr(rest, ')') : NULL;
	int depth = 0;
	for (const char *c = rest; c && *c; c++)
		depth += (*c == '(') - (*c == ')');
	if (close && depth < 0)
		*close = ' ';
	deck->failed =
		deck->failed || !rest ||
		BXT_GROW(block->models, block->models_capacity, block->n_models + 1) != BXT_OK;
	if (deck->failed)
		return;
	bxt_spice_list list = {0};
	take_words(deck, &m, head.word + 3, head.n - 3);
	bxt_spice_assignments(deck, rest, line, &list);
	part_words(deck, &m, &list);
	enter(deck, &block->model_index, m.name, block->n_models);
	block->models[block->n_models++] = m;
}

const bxt_spice_model *bxt_deck_model(const bxt_spice_env *env, const char *name,
				      const bxt_spice_env **where)
{
	for (; env; env = env->outer) {
		const int k = bxt_map_get(&env->block->model_index, name);
		if (k >= 0) {
			*where = env;
			return &env->block->models[k];
		}
	}
	return NULL;
}

/* ---- Lines ---- */

static void add_line(bxt_deck *deck, bxt_deck_line ***list, size_t *n, size_t *capacity,
		     bxt_deck_line *line)
{
	if (bxt_grow((void **)list, capacity, *n + 1, sizeof **list) != BXT_OK)
		deck->failed = true;
	else
		(*list)[(*n)++] = line;
}

static void take_globals(bxt_deck *deck, const bxt_deck_line *line)
{
	bxt_spice_words words = bxt_spice_split(deck, line->text);
	for (int i = 1; i < words.n; i++)
		enter(deck, &deck->globals, lower_of(deck, words.word[i]), 1);
}

static void take_line(bxt_deck *deck, bxt_deck_block *block, bxt_deck_line *line)
{
	const char *s = line->text;
	if (*s != '.')
		add_line(deck, &block->elements, &block->n_elements, &block->elements_capacity,
			 line);
	else if (bxt_spice_is_command(s, ".param") || bxt_spice_is_command(s, ".params"))
		take_parameters(deck, block, s + strcspn(s, " \t"), line);
	else if (bxt_spice_is_command(s, ".func"))
		take_function(deck, block, line);
	else if (bxt_spice_is_command(s, ".model"))
		take_model(deck, block, line);
	else if (bxt_spice_is_command(s, ".global"))
		take_globals(deck, line);
	else if (bxt_spice_is_command(s, ".ic") || bxt_spice_is_command(s, ".nodeset"))
		add_line(deck, &block->conditions, &block->n_conditions,
			 &block->conditions_capacity, line);
	else
		add_line(deck, &deck->commands, &deck->n_commands, &deck->commands_capacity, line);
}

void bxt_deck_read_blocks(bxt_deck *deck)
{
	bxt_deck_block *block = new_block(deck, NULL, NULL);
	bxt_spice_ifs ifs = {.n = 0};
	bool control = false;
	for (size_t i = 0; i < deck->n_lines && !bxt_deck_is_over(deck) && block; i++) {
		bxt_deck_line *line = deck->lines[i];
		const char *s = line->text;
		if (control) {
			control = !bxt_spice_is_command(s, ".endc");
			/* $NAME is a variable of the shell that runs the script */
			if (bxt_spice_is_command(s, "tran") && !strchr(s, '$'))
				deck->control = line;
		} else if (bxt_spice_take_if(deck, &ifs, block, line) ||
			   bxt_spice_is_skipped(deck, &ifs, block, line)) {
			continue;
		} else if (bxt_spice_is_command(s, ".control")) {
			control = true;
			add_line(deck, &deck->commands, &deck->n_commands, &deck->commands_capacity,
				 line);
		} else if (bxt_spice_is_command(s, ".subckt")) {
			block = begin_block(deck, block, line);
		} else if (bxt_spice_is_command(s, ".ends") && block->outer) {
			block = block->outer;
		} else if (bxt_spice_is_command(s, ".ends")) {
			bxt_deck_error(deck, line, "there is no .subckt that this ends");
		} else {
			take_line(deck, block, line);
		}
	}
	bxt_spice_check_ifs(deck, &ifs);
	if (block && block->outer)
		bxt_deck_error(deck, block->line, "subcircuit '%s' has no .ends", block->name);
}
