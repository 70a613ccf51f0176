/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands of small signals share: one model (command_linear.c), and families of them. */
#ifndef BXT_TOOL_LINEAR_H
#define BXT_TOOL_LINEAR_H

#include "tool.h"

/* A model and its linearisation. */
typedef struct linearised {
	bxt_library *library; /* NULL: the caller's */
	model m;
	bxt_linear *linear;
} linearised;

/* Linearises a model that is open. Returns an exit status. */
int linear_make(const options *o, linearised *l);
void linear_close(linearised *l);

/* Frequency k, and how many there are. */
size_t linear_points(const frequencies *s);
double linear_point(const frequencies *s, size_t k);
/* "node(o).v", or with several inputs "node(o).v / V1.e"; NULL when memory ends. */
char *linear_pair_name(const bxt_linear *l, size_t out, size_t in);
/* Of a value in a form: magnitude and phase [deg], in decibels, re and im; *last as of draw. */
enum { FORM_POLAR, FORM_DECIBEL, FORM_COMPLEX };
/* Writes "abs(NAME) [V/A]" of both numbers of a pair, each behind a comma. */
void linear_write_head(const char *name, const char *unit_y, const char *unit_u, int form, FILE *f);
/* Both numbers; *last, unless NULL: the phase before, of which this one is the nearest. */
void linear_take_form(int form, const double *value, double *last, double out[2]);
/* The modes that the options ask for. Returns an exit status. */
int linear_modes(const options *o, const linearised *l, const bxt_linear_mode **list, size_t *n);
const bxt_linear_mode *linear_mode_at(const bxt_linear_mode *list, size_t k);

/* The same for all cases of --set, and pictures in the complex plane. Return exit statuses. */
int families_ac(const options *o, int form);
int families_modes(const options *o);

#endif
