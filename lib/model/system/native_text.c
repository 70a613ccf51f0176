/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes native code. One function evaluates one output set of all elements: the operations of its
 * fused tape, then its outputs in the same order, each with its weight. Destinations are taken into
 * local variables, added to, and stored at the end.
 */
#include "model/system/fused.h"
#include "model/system/native_internal.h"

#include <stdlib.h>
#include <string.h>

/*
 * Number of operations and outputs of an output set, and of entries of A, up to which they are
 * compiled. Compilers need seconds for longer ones, which also exceed the processor's instruction
 * cache.
 */
enum { LONGEST = 1500, MOST_ENTRIES = 500 };
/* Time of an operation of the code, relative to that of the interpreter. */
static const double SPEED = 4;

struct writer {
	const bxt_system *s;
	bxt_native *native;
	bxt_code *code;
	bxt_buffer *text;
	bool *named; /* (4 (size + LANES)) by destination array and place: is there a variable? */
};

/* ---- Residuals ---- */

/* The four destinations: which array an output goes to. */
enum { R, R_ABS, P, P_ABS, DESTINATIONS };
static const char *const array_name[DESTINATIONS] = {"r", "ra", "p", "pa"};

static size_t width(const bxt_system *s)
{
	return (size_t)s->size + BXT_LANES;
}

static void name_destinations(struct writer *w, const bxt_fused *j, bool apart, bool store)
{
	memset(w->named, 0, DESTINATIONS * width(w->s) * sizeof *w->named);
	for (const bxt_fused_output *o = j->outputs; o < j->outputs + j->n; o++) {
		const int first = apart && o->term == BXT_P ? P : R;
		for (int a = first; a < first + 2; a++) {
			bool *named = &w->named[(size_t)a * width(w->s) + (size_t)o->place];
			if (*named)
				continue;
			*named = true;
			bxt_buffer_printf(
				w->text, store ? "\t%s[%d] = %s%d;\n" : "\tdouble %s%d = %s[%d];\n",
				array_name[a], o->place, array_name[a], o->place);
		}
	}
}

/* One output for all that has the same weight in a row. */
static void add_outputs(struct writer *w, const bxt_fused *j, const bxt_code_values *values,
			bool apart)
{
	int open = -1;
	for (const bxt_fused_output *o = j->outputs; o < j->outputs + j->n; o++) {
		const int weight = o->role * BXT_TERM_COUNT + o->term;
		const int first = apart && o->term == BXT_P ? P : R;
		if (weight != open)
			bxt_buffer_printf(w->text, "%s\tif (w[%d] != 0) {\n",
					  open >= 0 ? "\t}\n" : "", weight);
		open = weight;
		bxt_buffer_printf(w->text, "\t\t{ const double y = w[%d] * ", weight);
		bxt_code_name_value(w->code, values, o->value);
		bxt_buffer_printf(w->text, "; %s%d += y; %s%d += fabs(y); }\n", array_name[first],
				  o->place, array_name[first + 1], o->place);
	}
	if (open >= 0)
		bxt_buffer_printf(w->text, "\t}\n");
}

static bxt_status write_residual(struct writer *w, bxt_output_set_id id, const bxt_fused *j,
				 bool apart)
{
	bxt_code_values values = {0};
	bxt_buffer_printf(w->text,
			  "void %s_%d(const struct tables *z, const double *const *s, const double "
			  "*w, double *r, double *ra, double *p, double *pa)\n{\n",
			  apart ? "apart" : "residual", (int)id);
	const bxt_status status = bxt_code_write_tape(w->code, j->program, &values);
	if (status == BXT_OK) {
		name_destinations(w, j, apart, false);
		add_outputs(w, j, &values, apart);
		name_destinations(w, j, apart, true);
	}
	bxt_buffer_printf(w->text, "}\n");
	bxt_code_values_free(&values);
	return status;
}

/* ---- Jacobians and sums ---- */

static bxt_status write_jacobian(struct writer *w, bxt_output_set_id id, const bxt_fused *j)
{
	bxt_code_values values = {0};
	int open = -1;
	bxt_buffer_printf(w->text,
			  "void jacobian_%d(const struct tables *z, const double *const *s, int n, "
			  "const double *w, double *const *values)\n{\n",
			  (int)id);
	const bxt_status status = bxt_code_write_tape(w->code, j->program, &values);
	bxt_buffer_printf(w->text,
			  "\tfor (int i = 0; i < n; i++, w += %d) {\n\tdouble *const J = "
			  "values[i];\n",
			  2 * BXT_TERM_COUNT);
	for (const bxt_fused_output *o = j->outputs; o < j->outputs + j->n && status == BXT_OK;
	     o++) {
		const int weight = o->role * BXT_TERM_COUNT + o->term;
		if (weight != open)
			bxt_buffer_printf(w->text, "%s\tif (w[%d] != 0) {\n",
					  open >= 0 ? "\t}\n" : "", weight);
		open = weight;
		bxt_buffer_printf(w->text, "\t\tJ[%d] += w[%d] * ", o->place, weight);
		bxt_code_name_value(w->code, &values, o->value);
		bxt_buffer_printf(w->text, ";\n");
	}
	bxt_buffer_printf(w->text, "%s\t}\n}\n", open >= 0 ? "\t}\n" : "");
	bxt_code_values_free(&values);
	return status;
}

static bxt_status write_sums(struct writer *w, bxt_output_set_id id, const bxt_fused *j)
{
	bxt_code_values values = {0};
	bxt_buffer_printf(
		w->text,
		"void sums_%d(const struct tables *z, const double *const *s, const double "
		"*w, double *const *to)\n{\n",
		(int)id);
	const bxt_status status = bxt_code_write_tape(w->code, j->program, &values);
	for (const bxt_fused_output *o = j->outputs; o < j->outputs + j->n && status == BXT_OK;
	     o++) {
		bxt_buffer_printf(w->text, "\tto[%d][%d] += w[%d] * ", o->role, o->place, o->role);
		bxt_code_name_value(w->code, &values, o->value);
		bxt_buffer_printf(w->text, ";\n");
	}
	bxt_buffer_printf(w->text, "}\n");
	bxt_code_values_free(&values);
	return status;
}

/* ---- Constant rows, and expressions of time ---- */

/* +, - or the number: products with +-1 are exact. */
static void write_term(struct writer *w, double a, const char *before, int place)
{
	if (a == 1 || a == -1)
		bxt_buffer_printf(w->text, "%s%s%d", a < 0 ? "-" : "", before, place);
	else
		bxt_buffer_printf(w->text, "k[%zu] * %s%d", bxt_code_number(w->code, a), before,
				  place);
}

/* C += w_C A v, K += w_K A^T l, in the order of evaluate.c. */
static bxt_status write_rows(struct writer *w)
{
	const bxt_system *s = w->s;
	const bxt_sparse *a = &s->constraints.a;
	bxt_buffer_printf(w->text,
			  "void rows(const struct tables *z, const double *w, const double "
			  "*x, double *r, double *ra)\n{\n\tconst double *const k = z->k;\n");
	for (int i = 0; i < s->m; i++)
		bxt_buffer_printf(
			w->text,
			"\tconst double l%d = x[%d];\n\tdouble r%d = r[%d], a%d = ra[%d];\n", i,
			s->n + i, i, s->n + i, i, s->n + i);
	for (int j = 0; j < s->n; j++) {
		bxt_buffer_printf(w->text,
				  "\t{\n\t\tconst double v0 = w[%d] * x[%d];\n\t\tdouble sum = 0, "
				  "size = 0, t;\n",
				  (int)BXT_C, j);
		for (int e = a->colptr[j]; e < a->colptr[j + 1]; e++) {
			const int i = a->rowind[e];
			bxt_buffer_printf(w->text, "\t\tt = ");
			write_term(w, a->values[e], "l", i);
			bxt_buffer_printf(w->text, "; sum += t; size += fabs(t);\n\t\tt = ");
			write_term(w, a->values[e], "v", 0);
			bxt_buffer_printf(w->text, "; r%d += t; a%d += fabs(t);\n", i, i);
		}
		bxt_buffer_printf(
			w->text,
			"\t\tr[%d] += w[%d] * sum;\n\t\tra[%d] += fabs(w[%d]) * size;\n\t}\n", j,
			s->pinned[j] * BXT_TERM_COUNT + BXT_K, j,
			s->pinned[j] * BXT_TERM_COUNT + BXT_K);
	}
	for (int i = 0; i < s->m; i++)
		bxt_buffer_printf(w->text, "\tr[%d] = r%d;\n\tra[%d] = a%d;\n", s->n + i, i,
				  s->n + i, i);
	bxt_buffer_printf(w->text, "}\n");
	return BXT_OK;
}

static bxt_status write_signals(struct writer *w)
{
	const bxt_fused *j = w->s->tapes.fused_signals;
	bxt_code_values values = {0};
	bxt_buffer_printf(w->text, "void signals(const struct tables *z, const double *const *s, "
				   "double *signal)\n{\n");
	const bxt_status status = bxt_code_write_tape(w->code, j->program, &values);
	for (int i = 0; i < j->n && status == BXT_OK; i++) {
		bxt_buffer_printf(w->text, "\tsignal[%d] = ", i);
		bxt_code_name_value(w->code, &values, j->outputs[i].value);
		bxt_buffer_printf(w->text, ";\n");
	}
	bxt_buffer_printf(w->text, "}\n");
	bxt_code_values_free(&values);
	return status;
}

/* ---- All of them ---- */

static bxt_status write_set(struct writer *w, bxt_output_set_id id, bxt_arena *arena)
{
	bxt_fused *j = NULL;
	bxt_status status = bxt_fused_new(w->s, id, arena, &j);
	if (status == BXT_OK && bxt_set_is_jacobian(id)) {
		status = write_jacobian(w, id, j);
	} else if (status == BXT_OK && bxt_set_is_sum(id)) {
		status = write_sums(w, id, j);
	} else if (status == BXT_OK) {
		status = write_residual(w, id, j, false);
		if (status == BXT_OK)
			status = write_residual(w, id, j, true);
	}
	if (status == BXT_OK) {
		w->native->has[id] = true;
		w->native->set[id].terms = j->terms;
		w->native->n++;
	}
	if (j)
		bxt_fused_tape_free(j->program);
	return status;
}

static bxt_status write_all(struct writer *w, bxt_arena *arena)
{
	const bxt_system *s = w->s;
	bxt_code_begin(w->code);
	for (int i = 0; i < BXT_FUSED_SETS; i++)
		if (bxt_fused_pays(s, bxt_fused_sets[i], SPEED, LONGEST))
			BXT_TRY(write_set(w, bxt_fused_sets[i], arena));
	if (s->tapes.fused_signals)
		BXT_TRY(write_signals(w));
	if (s->constraints.a.colptr && bxt_sparse_nnz(&s->constraints.a) <= MOST_ENTRIES)
		BXT_TRY(write_rows(w));
	return w->code->failed || w->text->failed ? BXT_ERR_MEMORY : BXT_OK;
}

bxt_status bxt_native_write(const bxt_system *s, bxt_native *native)
{
	bxt_arena *arena = bxt_arena_new();
	struct writer w = {.s = s,
			   .native = native,
			   .code = &native->code,
			   .text = &native->code.text,
			   .named = malloc(DESTINATIONS * width(s))};
	const bxt_status status = arena && w.named ? write_all(&w, arena) : BXT_ERR_MEMORY;
	free(w.named);
	bxt_arena_free(arena);
	return status;
}
