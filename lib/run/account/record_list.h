/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions among records, while a list is resolved (record_expressions.c). */
#ifndef BXT_ACCOUNT_RECORD_LIST_H
#define BXT_ACCOUNT_RECORD_LIST_H

#include "run/account/record.h"

typedef struct bxt_record_expressions {
	bxt_recorder *r;
	bxt_diagnostics *d; /* NULL: errors are not reported */
	bxt_place place;
	/* Resolves a name in an expression to the index of a signal; -1 after a finding. */
	int (*operand)(void *context, const char *text);
	/* Is a word without dots a signal? Others may be functions. */
	bool (*known)(void *context, const char *word);
	void *context;
	bxt_graph *g; /* of all of them; NULL: none yet */
	bxt_ex *expression;
	size_t n, capacity;
} bxt_record_expressions;

/* Adds one. *unit is its unit, by dimension. BXT_ERR_MODEL after findings. */
bxt_status bxt_record_expression(bxt_record_expressions *e, const char *written, const char **unit);
/* Makes the recorder's tape of all of them; it keeps the expressions as well. */
bxt_status bxt_record_expressions_compile(bxt_record_expressions *e);
void bxt_record_expressions_free(bxt_record_expressions *e);

#endif
