/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replaces parameters by their numbers and calls of .func by their bodies, and computes what has no
 * variable. A function is copied for each call, so the size of an expression can double with each
 * level of calls; `work` therefore bounds the number of operations.
 */
#include "exchange/spice/spice.h"
#include "exchange/spice/spice_functions.h"

#include <math.h>
#include <string.h>

/* Arguments of the function that is being expanded. */
typedef struct frame {
	const bxt_spice_function *function;
	const bxt_spice_expr **values;
} frame;

typedef struct reduction {
	bxt_deck *deck;
	const bxt_spice_env *env;
	bxt_deck_line *line;
	const frame *frame;
	int calls;
} reduction;

static const bxt_spice_expr *reduce(reduction *r, const bxt_spice_expr *e);

static const bxt_spice_expr *give_up(bxt_deck *deck, bxt_deck_line *line)
{
	bxt_deck_error(
		deck, line,
		"expressions are nested too deeply, or too long: does a .func or a .param use "
		"itself?");
	deck->errors = deck->errors > BXT_SPICE_ERRORS ? deck->errors : BXT_SPICE_ERRORS;
	return NULL;
}

/* ---- Parameters ---- */

bxt_spice_env *bxt_spice_enter(bxt_deck *deck, const bxt_spice_env *outer,
			       const bxt_deck_block *block)
{
	bxt_spice_env *env = BXT_NEW(deck->arena, bxt_spice_env, 1);
	double *values = BXT_NEW(deck->arena, double, block->parameters.n + 1);
	char *states = BXT_NEW(deck->arena, char, block->parameters.n + 1);
	deck->failed = deck->failed || !env || !values || !states;
	if (deck->failed)
		return NULL;
	*env = (bxt_spice_env){outer, block, values, states};
	return env;
}

enum { UNKNOWN, IN_WORK, KNOWN, FAULTY };

/* NULL: there is no such parameter, without an error; or an error was reported. */
static const double *parameter(reduction *r, const char *name, bool *found)
{
	const bxt_spice_env *env = r->env;
	int k = -1;
	while (env && (k = bxt_map_get(&env->block->parameter_index, name)) < 0)
		env = env->outer;
	*found = env != NULL;
	if (!env)
		return NULL;
	const bxt_spice_assignment *p = &env->block->parameters.items[k];
	if (env->states[k] == IN_WORK)
		bxt_deck_error(r->deck, p->line, "parameter '%s' depends on itself", name);
	if (env->states[k] == UNKNOWN) {
		const bool behavioural = r->deck->behavioural;
		r->deck->behavioural = false;
		env->states[k] = IN_WORK;
		const bxt_spice_expr *e =
			p->text ? bxt_spice_parse(r->deck, p->text, p->line) : NULL;
		reduction inner = {.deck = r->deck, .env = env, .line = p->line};
		e = e ? reduce(&inner, e) : NULL;
		if (e && e->op != 'n')
			bxt_deck_error(r->deck, p->line, "parameter '%s' is not constant", name);
		env->states[k] = e && e->op == 'n' ? KNOWN : FAULTY;
		env->values[k] = e ? e->value : 0;
		r->deck->behavioural = behavioural;
	}
	return env->states[k] == KNOWN ? &env->values[k] : NULL;
}

static const bxt_spice_expr *reduce_name(reduction *r, const bxt_spice_expr *e)
{
	bool found = false;
	for (int i = 0; r->frame && i < r->frame->function->n; i++)
		if (strcmp(r->frame->function->arguments[i], e->name) == 0)
			return r->frame->values[i];
	const double *value = parameter(r, e->name, &found);
	if (value)
		return bxt_spice_constant(r->deck, *value);
	if (found) {
		r->line->error = true; /* which was reported at the parameter */
		r->deck->errors += r->deck->errors == 0;
		return NULL;
	}
	if (strcmp(e->name, "pi") == 0)
		return bxt_spice_constant(r->deck, 3.141592653589793);
	if (strcmp(e->name, "e") == 0 && r->deck->behavioural)
		return bxt_spice_constant(r->deck, 2.718281828459045);
	if (strcmp(e->name, "temper") == 0 || strcmp(e->name, "temp") == 0)
		return bxt_spice_constant(r->deck, r->deck->temperature);
	bxt_deck_error(r->deck, r->line, "there is no parameter '%.100s'", e->name);
	return NULL;
}

/* ---- Calls ---- */

static const bxt_spice_function *function_of(const bxt_spice_env *env, const char *name)
{
	for (; env; env = env->outer) {
		const int k = bxt_map_get(&env->block->function_index, name);
		if (k >= 0)
			return &env->block->functions[k];
	}
	return NULL;
}

static const bxt_spice_expr *reduce_function(reduction *r, const bxt_spice_function *f,
					     const bxt_spice_expr *call)
{
	if (f->n != call->n) {
		bxt_deck_error(r->deck, r->line, "function '%s' has %d arguments, not %d",
			       call->name, f->n, call->n);
		return NULL;
	}
	if (!f->body || r->calls >= BXT_SPICE_DEPTH)
		return f->body ? give_up(r->deck, r->line) : NULL;
	const frame inner = {f, call->of}, *outer = r->frame;
	r->frame = &inner;
	r->calls++;
	const bxt_spice_expr *e = reduce(r, f->body);
	r->calls--;
	r->frame = outer;
	return e;
}

/* ---- Values ---- */

static double truth(bool yes)
{
	return yes ? 1 : 0;
}

static double compute(char op, double a, double b)
{
	switch (op) {
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	case '/':
		return a / b;
	case '^':
		return pow(fabs(a), b);
	case '<':
		return truth(a < b);
	case '>':
		return truth(a > b);
	case 'l':
		return truth(a <= b);
	case 'g':
		return truth(a >= b);
	case '=':
		return truth(a == b);
	case '#':
		return truth(a != b);
	case '&':
		return truth(a != 0 && b != 0);
	case '|':
		return truth(a != 0 || b != 0);
	case '~':
		return -a;
	default:
		return truth(a == 0); /* ! */
	}
}

static const bxt_spice_expr *number(reduction *r, double value)
{
	if (isfinite(value))
		return bxt_spice_constant(r->deck, value);
	bxt_deck_error(r->deck, r->line, "an expression has no finite value here");
	return NULL;
}

static const bxt_spice_expr *fold(reduction *r, const bxt_spice_expr *e)
{
	bool constant = e->n > 0;
	for (int i = 0; i < e->n; i++)
		constant = constant && e->of[i]->op == 'n';
	if (e->op == '?' && e->of[0]->op == 'n')
		return e->of[0]->value != 0 ? e->of[1] : e->of[2];
	if (!constant)
		return e;
	const double a = e->of[0]->value, b = e->n > 1 ? e->of[1]->value : 0;
	if (e->op != 'f')
		return number(r, compute(e->op, a, b));
	const bxt_spice_builtin *f = bxt_spice_builtin_of(e->name, e->n, r->deck->behavioural);
	return f ? number(r, f->one ? f->one(a) : f->two(a, b)) : e;
}

static bool is_function(const reduction *r, const bxt_spice_expr *e)
{
	return bxt_spice_builtin_of(e->name, e->n, r->deck->behavioural) ||
	       (strcmp(e->name, "pwl") == 0 && r->deck->behavioural && e->n >= 5 && e->n % 2 == 1);
}

/* limit(x, a, b): x between a and b, whichever of a and b is lower. */
static const bxt_spice_expr *limit(reduction *r, const bxt_spice_expr *e)
{
	static const char *const names[] = {"min", "max", "max", "min"};
	bxt_spice_expr *calls[4];
	for (int i = 0; i < 4; i++) {
		if (!(calls[i] = bxt_spice_new(r->deck, 'f', 2)))
			return NULL;
		calls[i]->name = names[i];
		calls[i]->depth = e->depth + 1 + i;
	}
	for (int i = 0; i < 2; i++)
		calls[0]->of[i] = calls[1]->of[i] = e->of[i + 1];
	calls[2]->of[0] = e->of[0];
	calls[2]->of[1] = fold(r, calls[0]);
	calls[3]->of[0] = fold(r, calls[2]);
	calls[3]->of[1] = fold(r, calls[1]);
	return fold(r, calls[3]);
}

static const bxt_spice_expr *reduce_call(reduction *r, bxt_spice_expr *e)
{
	const bxt_spice_function *f = function_of(r->env, e->name);
	if (f)
		return reduce_function(r, f, e);
	if (e->n == 3 && (strcmp(e->name, "if") == 0 || strcmp(e->name, "ternary_fcn") == 0)) {
		e->op = '?';
	} else if (e->n == 3 && strcmp(e->name, "limit") == 0) {
		return limit(r, e);
	} else if (e->n == 1 && (strcmp(e->name, "min") == 0 || strcmp(e->name, "max") == 0)) {
		return e->of[0];
	} else if (!is_function(r, e)) {
		bxt_deck_error(r->deck, r->line,
			       "there is no function '%.100s' of %d arguments here", e->name, e->n);
		return NULL;
	}
	return fold(r, e);
}

static const bxt_spice_expr *reduce_inner(reduction *r, const bxt_spice_expr *e)
{
	if (e->op == 'x')
		return reduce_name(r, e);
	if (e->n == 0 && e->op != 'f')
		return e;
	bxt_spice_expr *copy = bxt_spice_new(r->deck, e->op, e->n);
	if (!copy)
		return NULL;
	copy->name = e->name;
	for (int i = 0; i < e->n; i++) {
		if (!(copy->of[i] = reduce(r, e->of[i])))
			return NULL;
		if (copy->of[i]->depth >= copy->depth)
			copy->depth = copy->of[i]->depth + 1;
	}
	return e->op == 'f' ? reduce_call(r, copy) : fold(r, copy);
}

static const bxt_spice_expr *reduce(reduction *r, const bxt_spice_expr *e)
{
	if (bxt_deck_is_over(r->deck))
		return NULL;
	if (r->deck->depth >= 2 * BXT_SPICE_TERMS || ++r->deck->work > BXT_SPICE_WORK ||
	    e->depth > 2 * BXT_SPICE_TERMS)
		return give_up(r->deck, r->line);
	r->deck->depth++;
	e = reduce_inner(r, e);
	r->deck->depth--;
	return e;
}

const bxt_spice_expr *bxt_spice_reduce(bxt_deck *deck, const bxt_spice_env *env,
				       const bxt_spice_expr *e, bxt_deck_line *line)
{
	reduction r = {.deck = deck, .env = env, .line = line};
	return e ? reduce(&r, e) : NULL;
}

bool bxt_spice_value(bxt_deck *deck, const bxt_spice_env *env, const char *text,
		     bxt_deck_line *line, double *value)
{
	const size_t length = bxt_spice_number(text, value);
	if (length > 0 && text[length] == '\0')
		return true;
	const bool behavioural = deck->behavioural;
	deck->behavioural = false;
	const bxt_spice_expr *e =
		bxt_spice_reduce(deck, env, bxt_spice_parse(deck, text, line), line);
	deck->behavioural = behavioural;
	if (e && e->op != 'n')
		bxt_deck_error(deck, line, "'%.200s' is not constant", text);
	*value = e && e->op == 'n' ? e->value : 0;
	return e && e->op == 'n';
}
