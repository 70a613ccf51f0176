/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that do the same for several values of parameters: --set NAME='FROM : TO : NUMBER'. */
#ifndef BXT_TOOL_CASES_H
#define BXT_TOOL_CASES_H

#include "tool.h"

/* Does --set NAME=VALUE give several values? An =EXPR is one. */
bool cases_varies(const char *set);
/* Does any --set of the options? */
bool cases_any(const options *o);
/* The options of the model alone, with lists of their own; *vary gets the rest of --set. False
 * after a message. */
bool cases_split(const options *o, options *fixed, list *vary);

/* All cases of a command. Zero-initialise. */
typedef struct cases {
	options fixed;
	list vary;
	bxt_parameter_sweep *list; /* parameters alone */
	char *text;                /* scratch */
} cases;
/* Finds them. Returns an exit status. */
int cases_open(cases *c, const options *o, bxt_library *library);
void cases_close(cases *c);
/* The model of a case. Returns an exit status. */
int cases_model(cases *c, size_t number, bxt_library *library, model *m);
/* "R1.R = 100 ohm, C1.C = 1e-06 F" without the parameter of that column (< 0: with all); NULL when
 * memory ends. */
char *cases_words(const cases *c, size_t number, long but);

#endif
