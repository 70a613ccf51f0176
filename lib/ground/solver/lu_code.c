/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the list of compiled.c as C, operation by operation, so that the bits are the same. */
#include "ground/solver/lu_code.h"

#include "ground/base/shared_object.h"
#include "ground/base/text.h"

#include <stdlib.h>
#include <string.h>

/* Number of products up to which a list is compiled. Compilers need seconds for longer ones, which
 * also exceed the processor's instruction cache. */
enum { LONGEST = 3000 };

typedef void eliminate(const double *values, double *number, double *inverse,
		       bxt_lu_pivots *pivots);
typedef void substitute(const double *number, const double *inverse, double *b);

struct bxt_lu_code {
	bxt_shared_object *object;
	eliminate *eliminate;
	substitute *substitute;
};

/* Lines of one function: the compile time grows more than proportionally with the length of a
 * function. */
enum { CHUNK = 400 };

/* The parts of one function, e0, e1, ..., each a function of its own. */
struct parts {
	bxt_buffer *text;
	const char *head, *tail; /* of a part */
	char letter;
	int n, lines;
};

static void begin_line(struct parts *p)
{
	if (p->lines == 0)
		bxt_buffer_printf(p->text, "static __attribute__((noinline)) void %c%d%s",
				  p->letter, p->n++, p->head);
	p->lines++;
}

static void end_part(struct parts *p)
{
	if (p->lines > 0)
		bxt_buffer_printf(p->text, "%s}\n", p->tail);
	p->lines = 0;
}

static void call_parts(const struct parts *p, const char *arguments)
{
	for (int i = 0; i < p->n; i++)
		bxt_buffer_printf(p->text, "\t%c%d(%s);\n", p->letter, i, arguments);
}

#define LINE(p, ...) (begin_line(p), bxt_buffer_printf((p)->text, __VA_ARGS__))

static void write_pivot(const bxt_lu_list *list, struct parts *p, int k, int at, const int **target)
{
	const int first_u = at + 1 + list->n_l[k], end = first_u + list->n_u[k];
	LINE(p,
	     "\tinverse[%d] = 1 / f[%d];\n\ts = fabs(f[%d]);\n\tbad |= !(s > 0);\n"
	     "\tleast = s < least ? s : least;\n\tmost = s > most ? s : most;\n",
	     k, at, at);
	for (int i = at + 1; i < first_u; i++) {
		LINE(p,
		     "\tf[%d] /= f[%d];\n\ts = fabs(f[%d]);\n"
		     "\tgrown = s > grown ? s : grown;\n",
		     i, at, i);
		for (int j = first_u; j < end; j++)
			LINE(p, "\tf[%d] -= f[%d] * f[%d];\n", *(*target)++, i, j);
	}
	if (p->lines > CHUNK)
		end_part(p);
}

static void write_eliminate(const bxt_lu_list *list, bool *has_entry, bxt_buffer *text)
{
	struct parts p = {
		.text = text,
		.letter = 'e',
		.head = "(const double *restrict a, double *restrict f, double *restrict inverse, "
			"struct pivots *restrict out)\n{\n\tdouble least = out->least, most = "
			"out->most, grown = out->grown, s;\n\tint bad = out->bad;\n",
		.tail = "\tout->least = least;\n\tout->most = most;\n\tout->grown = grown;\n"
			"\tout->bad = bad;\n"};
	const int *target = list->target;
	memset(has_entry, 0, (size_t)list->n_slots * sizeof *has_entry);
	for (int e = 0; e < list->nnz; e++) {
		LINE(&p, "\tf[%d] = a[%d];\n", list->slot[e], e);
		has_entry[list->slot[e]] = true;
	}
	for (int i = 0; i < list->n_slots; i++)
		if (!has_entry[i])
			LINE(&p, "\tf[%d] = 0;\n", i);
	for (int k = 0, at = 0; k < list->n; k++) {
		write_pivot(list, &p, k, at, &target);
		at += 1 + list->n_l[k] + list->n_u[k];
	}
	end_part(&p);
	bxt_buffer_printf(text, "void eliminate(const double *a, double *f, double *inverse, "
				"struct pivots *out)\n{\n");
	call_parts(&p, "a, f, inverse, out");
	bxt_buffer_printf(text, "}\n");
}

static void write_substitute(const bxt_lu_list *list, bxt_buffer *text)
{
	struct parts p = {
		.text = text,
		.letter = 's',
		.head = "(const double *restrict f, const double *restrict inverse, double "
			"*restrict x, double *restrict b)\n{\n",
		.tail = ""};
	int at = 0;
	for (int k = 0; k < list->n; k++)
		LINE(&p, "\tx[%d] = b[%d];\n", k, list->row[k]);
	for (int k = 0; k < list->n; k++) {
		for (int i = at + 1; i <= at + list->n_l[k]; i++)
			LINE(&p, "\tx[%d] -= f[%d] * x[%d];\n", list->place[i], i, k);
		at += 1 + list->n_l[k] + list->n_u[k];
		if (p.lines > CHUNK)
			end_part(&p);
	}
	for (int k = list->n - 1; k >= 0; k--) {
		for (int j = at - 1; j >= at - list->n_u[k]; j--)
			LINE(&p, "\tx[%d] -= f[%d] * x[%d];\n", k, j, list->place[j]);
		at -= 1 + list->n_l[k] + list->n_u[k];
		LINE(&p, "\tx[%d] *= inverse[%d];\n\tb[%d] = x[%d];\n", k, k, list->col[k], k);
		if (p.lines > CHUNK)
			end_part(&p);
	}
	end_part(&p);
	bxt_buffer_printf(text,
			  "void substitute(const double *f, const double *inverse, double *b)\n{\n"
			  "\tdouble x[%d];\n",
			  list->n + 1);
	call_parts(&p, "f, inverse, x, b");
	bxt_buffer_printf(text, "}\n");
}

/* ISO C cannot convert an object's address to a function's. */
static bool find(bxt_lu_code *code)
{
	void *first = bxt_shared_object_find(code->object, "eliminate"),
	     *second = bxt_shared_object_find(code->object, "substitute");
	memcpy(&code->eliminate, &first, sizeof first);
	memcpy(&code->substitute, &second, sizeof second);
	return first && second;
}

void bxt_lu_code_make(const bxt_lu_list *list, bxt_lu_code **out)
{
	bxt_buffer text = {0};
	*out = NULL;
	if (list->n_targets > LONGEST)
		return;
	bool *has_entry = malloc((size_t)list->n_slots + 1);
	bxt_lu_code *code = calloc(1, sizeof *code);
	bool made = has_entry && code;
	if (made) {
		bxt_buffer_printf(&text, "#include <math.h>\n"
					 "struct pivots {\n"
					 "\tdouble least, most, grown;\n"
					 "\tint bad;\n"
					 "};\n");
		write_eliminate(list, has_entry, &text);
		write_substitute(list, &text);
		made = !text.failed &&
		       bxt_shared_object_make(text.text, NULL, &code->object) == BXT_OK &&
		       find(code);
	}
	bxt_buffer_free(&text);
	free(has_entry);
	*out = made ? code : bxt_lu_code_free(code);
}

bxt_lu_code *bxt_lu_code_free(bxt_lu_code *code)
{
	if (code)
		bxt_shared_object_free(code->object);
	free(code);
	return NULL;
}

void bxt_lu_code_eliminate(const bxt_lu_code *code, const double *values, double *number,
			   double *inverse, bxt_lu_pivots *pivots)
{
	code->eliminate(values, number, inverse, pivots);
}

void bxt_lu_code_substitute(const bxt_lu_code *code, const double *number, const double *inverse,
			    double *b)
{
	code->substitute(number, inverse, b);
}
