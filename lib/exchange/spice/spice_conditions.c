/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * .if, .elseif, .else and .endif. Outside subcircuits a test is evaluated where it occurs, with the
 * parameters defined before it, and the lines of branches that do not hold are skipped. In a
 * subcircuit the result may differ between uses, so each element there keeps a reference to its
 * branch.
 */
#include "exchange/spice/spice.h"

#include <string.h>

bool bxt_spice_is_command(const char *text, const char *name)
{
	const size_t length = strlen(name);
	return bxt_spice_begins(text, name) && (!text[length] || strchr(" \t(", text[length]));
}

/* A single = is a comparison here. */
static const char *test_of(bxt_deck *deck, const char *text)
{
	bxt_buffer out = {0};
	for (const char *c = text; *c; c++) {
		const bool single =
			*c == '=' && c[1] != '=' && (c == text || !strchr("<>!=", c[-1]));
		bxt_buffer_add(&out, single ? "==" : c, single ? 2 : 1);
	}
	char *copy = bxt_arena_strdup(deck->arena, out.text ? out.text : "");
	deck->failed = deck->failed || out.failed || !copy;
	bxt_buffer_free(&out);
	return copy ? copy : "0";
}

static bool is_true(bxt_deck *deck, const bxt_spice_env *env, const bxt_spice_branch *branch)
{
	double value = 0;
	if (!branch->test)
		return true;
	return bxt_spice_value(deck, env, branch->test, branch->line, &value) && value != 0;
}

bool bxt_spice_branch_holds(bxt_deck *deck, const bxt_spice_env *env,
			    const bxt_spice_branch *branch)
{
	for (; branch && !bxt_deck_is_over(deck); branch = branch->outer) {
		for (const bxt_spice_branch *b = branch->before; b; b = b->before)
			if (++deck->work > BXT_SPICE_WORK || is_true(deck, env, b))
				return false;
		if (!is_true(deck, env, branch))
			return false;
	}
	return true;
}

/* ---- While lines are read ---- */

/* The test of a branch outside subcircuits. */
static bool holds_now(bxt_deck *deck, const bxt_deck_block *block, const bxt_spice_branch *branch)
{
	if ((deck->work += block->parameters.n) > BXT_SPICE_WORK) {
		bxt_deck_error(deck, branch->line, "there are too many .if in the deck");
		deck->errors = BXT_SPICE_ERRORS;
		return false;
	}
	const bxt_spice_env *env = bxt_spice_enter(deck, NULL, block);
	return env && is_true(deck, env, branch);
}

static void begin_branch(bxt_deck *deck, bxt_spice_ifs *ifs, const bxt_deck_block *block,
			 bxt_deck_line *line, const char *test)
{
	bxt_spice_if *f = &ifs->stack[ifs->n - 1];
	bxt_spice_branch *branch = BXT_NEW(deck->arena, bxt_spice_branch, 1);
	deck->failed = deck->failed || !branch;
	if (deck->failed)
		return;
	*branch = (bxt_spice_branch){.test = test ? test_of(deck, test) : NULL,
				     .line = line,
				     .before = f->branch,
				     .outer = ifs->n > 1 ? ifs->stack[ifs->n - 2].branch : NULL};
	f->branch = branch;
	if (block->outer) {
		f->active = f->outside;
		return;
	}
	f->active = f->outside && !f->taken && holds_now(deck, block, branch);
	f->taken = f->taken || f->active;
}

static void begin_if(bxt_deck *deck, bxt_spice_ifs *ifs, const bxt_deck_block *block,
		     bxt_deck_line *line)
{
	if (ifs->n == BXT_SPICE_DEPTH) {
		bxt_deck_error(deck, line, ".if stand in each other too deeply");
		deck->errors = BXT_SPICE_ERRORS;
		return;
	}
	const bool outside = ifs->n == 0 || ifs->stack[ifs->n - 1].active;
	ifs->stack[ifs->n++] = (bxt_spice_if){.block = block, .line = line, .outside = outside};
	begin_branch(deck, ifs, block, line, line->text + 3);
}

bool bxt_spice_take_if(bxt_deck *deck, bxt_spice_ifs *ifs, const bxt_deck_block *block,
		       bxt_deck_line *line)
{
	const char *s = line->text;
	const bool more = bxt_spice_is_command(s, ".elseif"),
		   other = bxt_spice_is_command(s, ".else");
	const bool end = bxt_spice_is_command(s, ".endif");
	bxt_spice_if *f = ifs->n > 0 ? &ifs->stack[ifs->n - 1] : NULL;
	if (bxt_spice_is_command(s, ".if")) {
		begin_if(deck, ifs, block, line);
	} else if (more || other || end) {
		if (!f || f->block != block || (!end && f->last))
			bxt_deck_error(deck, line, "there is no .if here that this belongs to");
		else if (end)
			ifs->n--;
		else
			begin_branch(deck, ifs, block, line, more ? s + strlen(".elseif") : NULL);
		if (f && other)
			f->last = true;
	} else {
		return false;
	}
	return true;
}

bool bxt_spice_is_skipped(bxt_deck *deck, const bxt_spice_ifs *ifs, const bxt_deck_block *block,
			  bxt_deck_line *line)
{
	const bxt_spice_if *f = ifs->n > 0 ? &ifs->stack[ifs->n - 1] : NULL;
	if (!f || !f->active)
		return f != NULL;
	if (!f->block->outer)
		return false;
	line->branch = f->branch;
	if (*line->text != '.' && f->block == block)
		return false;
	bxt_deck_error(deck, line,
		       "only elements may depend on an .if in a subcircuit: take '%.40s' out of it",
		       line->text);
	return true;
}

void bxt_spice_check_ifs(bxt_deck *deck, const bxt_spice_ifs *ifs)
{
	for (int i = 0; i < ifs->n; i++)
		bxt_deck_error(deck, ifs->stack[i].line, "this .if has no .endif");
}
