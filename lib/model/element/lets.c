/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names that a component gives to expressions: each use of such a name is replaced by the
 * expression. The expression is parsed once for each kind of terms, because a name means another
 * node in each: terms of the equations, of L_d (q@0 for q), of conditions (with multipliers), of an
 * argument, of dimensions.
 */
#include "ground/base/text.h"
#include "model/element/element_internal.h"

#include <string.h>

/* Largest depth of nesting: a stack of 8 MB has room for some thousands. */
enum { MOST_INSIDE = 100 };

bxt_status bxt_type_lay_out_lets(struct bxt_type_maker *m)
{
	m->let = BXT_NEW(m->arena, struct bxt_let_value, m->c->n_lets);
	return m->let ? BXT_OK : BXT_ERR_MEMORY;
}

static int terms_of(const struct bxt_type_maker *m)
{
	return 1 + m->parsing.measuring + 2 * m->parsing.discrete + 4 * m->parsing.at_event +
	       8 * m->parsing.no_expressions;
}

static int find_let(const struct bxt_type_maker *m, const char *name)
{
	for (int i = 0; i < m->c->n_lets; i++)
		if (strcmp(m->c->lets[i].name, name) == 0)
			return i;
	return -1;
}

static void report_let(struct bxt_type_maker *m, const bxt_let *let, const char *text)
{
	if (m->parsing.measuring) /* reported while the equations were made */
		return;
	bxt_error(m->d, let->expression.place, "component '%s', <let> '%s'%s", m->c->name,
		  let->name, text);
	m->errors++;
}

static void report_errors(struct bxt_type_maker *m, const bxt_let *let,
			  const bxt_expr_error *errors, int n)
{
	for (int e = 0; e < n && e < BXT_ERRORS_PER_TEXT; e++) {
		bxt_buffer text = {0};
		bxt_buffer_printf(&text, ", column %d: %s", errors[e].column, errors[e].text);
		if (text.failed)
			m->failed = true;
		else
			report_let(m, let, text.text);
		bxt_buffer_free(&text);
	}
}

bool bxt_type_let(struct bxt_type_maker *m, const bxt_scope *scope, const char *name, bxt_ex *out)
{
	const int i = find_let(m, name);
	if (i < 0)
		return false;
	const bxt_let *let = &m->c->lets[i];
	struct bxt_let_value *value = &m->let[i];
	const bool inside = value->is_read;
	bxt_expr_error errors[BXT_ERRORS_PER_TEXT];
	*out = bxt_ex_const(m->g, 0);
	if (m->parsing.measuring && let->unit) {
		*out = bxt_ex_var(m->g, bxt_type_measured_let(m, i));
		return true;
	}
	if (value->terms == terms_of(m)) {
		*out = value->f;
		return true;
	}
	if (inside || m->lets_inside == MOST_INSIDE) {
		if (!value->is_reported)
			report_let(m, let,
				   inside ? " stands for itself"
					  : " stands inside too many others");
		value->is_reported = true;
		return true;
	}
	value->is_read = true;
	m->lets_inside++;
	const int n =
		bxt_expr_parse(m->g, let->expression.text, scope, out, errors, BXT_ERRORS_PER_TEXT);
	if (n > 0 && !value->is_reported)
		report_errors(m, let, errors, n);
	if (n > 0)
		*out = bxt_ex_const(m->g, 0);
	if (n == 0 && let->unit && bxt_graph_node(m->g, *out).op == BXT_OP_CONST)
		*out = bxt_ex_const(m->g, let->scale * bxt_graph_node(m->g, *out).value);
	m->lets_inside--;
	*value = (struct bxt_let_value){*out, terms_of(m), false, value->is_reported || n > 0};
	return true;
}

void bxt_type_forget_lets(struct bxt_type_maker *m)
{
	for (int i = 0; i < m->c->n_lets; i++)
		m->let[i].terms = 0;
}
