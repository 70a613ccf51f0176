/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a linearised model to one uncompressed file of MATLAB's level 5 (The MathWorks, MAT-File
 * Format): sparse matrices E, A, B, C, D, and cell arrays of texts: states, equations, inputs,
 * outputs, and their units. Numbers have the machine's byte order, which the header declares.
 */
#include "study/linear/linear.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Types of data elements, and classes of arrays. */
enum { MI_INT8 = 1, MI_UINT16 = 4, MI_INT32, MI_UINT32, MI_DOUBLE = 9, MI_MATRIX = 14 };
enum { MX_CELL = 1, MX_CHAR = 4, MX_SPARSE = 5, MX_DOUBLE = 6 };
enum { HEADER_TEXT = 116, HEADER = 128 };
/* [bytes] Largest length of a data element: lengths have 32 bits. */
static const size_t LONGEST = 0xffffff00u;

/* A data element in memory: its length is known only at its end. */
typedef struct element {
	char *text;
	size_t size;
	FILE *f;
} element;

static size_t padded(size_t bytes)
{
	return (bytes + 7) / 8 * 8;
}

static void put_element(uint32_t type, const void *data, size_t bytes, FILE *f)
{
	static const char zeros[8];
	const uint32_t tag[2] = {type, (uint32_t)bytes};
	fwrite(tag, sizeof tag, 1, f);
	if (bytes > 0)
		fwrite(data, 1, bytes, f);
	fwrite(zeros, 1, padded(bytes) - bytes, f);
}

static bool begin_element(element *e)
{
	*e = (element){0};
	e->f = open_memstream(&e->text, &e->size);
	return e->f != NULL;
}

/* Flags, dimensions and name, which begin each array. */
static void put_head(uint32_t class, int32_t nonzeros, int rows, int columns, const char *name,
		     FILE *f)
{
	const uint32_t flags[2] = {class, (uint32_t)nonzeros};
	const int32_t dimensions[2] = {rows, columns};
	put_element(MI_UINT32, flags, sizeof flags, f);
	put_element(MI_INT32, dimensions, sizeof dimensions, f);
	put_element(MI_INT8, name, strlen(name), f);
}

/* Ends an array and appends it to a file; false: out of memory, or it is too long. */
static bool end_element(element *e, FILE *to)
{
	const bool good = fclose(e->f) == 0 && e->size <= LONGEST;
	if (good)
		put_element(MI_MATRIX, e->text, e->size, to);
	free(e->text);
	return good;
}

static bool put_matrix(const bxt_sparse *a, const char *name, FILE *to)
{
	const size_t n = (size_t)bxt_sparse_nnz(a);
	element e;
	if (!begin_element(&e))
		return false;
	/* a matrix without entries has room for one */
	put_head(MX_SPARSE, n > 0 ? (int32_t)n : 1, a->nrow, a->ncol, name, e.f);
	put_element(MI_INT32, a->rowind, n * sizeof *a->rowind, e.f);
	put_element(MI_INT32, a->colptr, ((size_t)a->ncol + 1) * sizeof *a->colptr, e.f);
	put_element(MI_DOUBLE, a->values, n * sizeof *a->values, e.f);
	return end_element(&e, to);
}

/* The next character of UTF-8 as a unit of UTF-16; '?' if it has no such unit. */
static uint16_t next_unit(const unsigned char **c)
{
	const unsigned char first = *(*c)++;
	const int more = first < 0xc0 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
	uint32_t code = more == 0 ? first : more == 1 ? first & 0x1f : first & 0x0f;
	for (int k = 0; k < more && (**c & 0xc0) == 0x80; k++)
		code = code << 6 | (*(*c)++ & 0x3f);
	return more == 3 || (more == 0 && first >= 0x80) ? '?' : (uint16_t)code;
}

static bool put_text(const char *text, FILE *to)
{
	element e;
	uint16_t *unit = malloc((strlen(text) + 1) * sizeof *unit);
	int n = 0;
	if (!unit || !begin_element(&e)) {
		free(unit);
		return false;
	}
	for (const unsigned char *c = (const unsigned char *)text; *c;)
		unit[n++] = next_unit(&c);
	put_head(MX_CHAR, 0, n > 0, n, "", e.f);
	put_element(MI_UINT16, unit, (size_t)n * sizeof *unit, e.f);
	free(unit);
	return end_element(&e, to);
}

static bool put_dense(const double *a, size_t rows, size_t columns, const char *name, FILE *to)
{
	element e;
	if (!begin_element(&e))
		return false;
	put_head(MX_DOUBLE, 0, (int)rows, (int)columns, name, e.f);
	put_element(MI_DOUBLE, a, rows * columns * sizeof *a, e.f);
	return end_element(&e, to);
}

/* The names of a list; of the states of l->states for LIST_REDUCED. */
enum { LIST_REDUCED = BXT_LINEAR_LIST_COUNT };

static bool put_list(const bxt_linear *l, int list, bool units, const char *name, FILE *to)
{
	const bool reduced = list == LIST_REDUCED;
	const size_t n = reduced ? l->states->n : bxt_linear_count(l, (bxt_linear_list)list);
	element e;
	if (!begin_element(&e))
		return false;
	bool good = true;
	put_head(MX_CELL, 0, (int)n, 1, name, e.f);
	for (size_t i = 0; i < n && good; i++) {
		const bxt_column *c = reduced ? &l->states->state[i]
					      : bxt_linear_name(l, (bxt_linear_list)list, i);
		good = put_text(units ? c->unit : c->name, e.f);
	}
	return end_element(&e, to) && good;
}

static void put_header(FILE *f)
{
	char header[HEADER];
	const uint16_t version = 0x0100, order = 'M' << 8 | 'I';
	const int n = snprintf(header, HEADER_TEXT, "MATLAB 5.0 MAT-file, written by boxtimes %s",
			       bxt_version());
	memset(header + n, ' ', (size_t)(HEADER_TEXT - n));
	memset(header + HEADER_TEXT, 0, HEADER - HEADER_TEXT);
	memcpy(header + HEADER - 4, &version, sizeof version);
	memcpy(header + HEADER - 2, &order, sizeof order);
	fwrite(header, 1, sizeof header, f);
}

/* The list for each cell array. */
struct list {
	int list;
	bool units;
	const char *name;
};

bxt_status bxt_linear_write_states_mat(bxt_linear *l, FILE *f, bxt_diagnostics *d)
{
	static const struct list lists[] = {
		{LIST_REDUCED, false, "states"},        {LIST_REDUCED, true, "state_units"},
		{BXT_LINEAR_INPUTS, false, "inputs"},   {BXT_LINEAR_INPUTS, true, "input_units"},
		{BXT_LINEAR_OUTPUTS, false, "outputs"}, {BXT_LINEAR_OUTPUTS, true, "output_units"}};
	const bxt_linear_states *s;
	BXT_NEEDS(d, l);
	BXT_NEEDS(d, f);
	BXT_TRY(bxt_linear_to_states(l, &s, d));
	put_header(f);
	bool good = put_dense(s->a, s->n, s->n, "A", f) &&
		    put_dense(s->b, s->n, s->inputs, "B", f) &&
		    put_dense(s->c, s->outputs, s->n, "C", f) &&
		    put_dense(s->d, s->outputs, s->inputs, "D", f);
	for (size_t k = 0; k < sizeof lists / sizeof *lists && good; k++)
		good = put_list(l, lists[k].list, lists[k].units, lists[k].name, f);
	return !good ? BXT_ERR_MEMORY : ferror(f) ? BXT_ERR_IO : BXT_OK;
}

bxt_status bxt_linear_write_mat(const bxt_linear *l, FILE *f)
{
	static const char *const matrices[BXT_LINEAR_MATRIX_COUNT] = {"E", "A", "B", "C", "D"};
	static const struct list lists[] = {{BXT_LINEAR_STATES, false, "states"},
					    {BXT_LINEAR_STATES, true, "state_units"},
					    {BXT_LINEAR_EQUATIONS, false, "equations"},
					    {BXT_LINEAR_INPUTS, false, "inputs"},
					    {BXT_LINEAR_INPUTS, true, "input_units"},
					    {BXT_LINEAR_OUTPUTS, false, "outputs"},
					    {BXT_LINEAR_OUTPUTS, true, "output_units"}};
	bool good = true;
	BXT_NEEDS(NULL, l);
	BXT_NEEDS(NULL, f);
	BXT_TRY(bxt_linear_refuse_delays(l, "this", NULL));
	put_header(f);
	for (int k = 0; k < BXT_LINEAR_MATRIX_COUNT && good; k++)
		good = put_matrix(&l->matrix[k], matrices[k], f);
	for (size_t k = 0; k < sizeof lists / sizeof *lists && good; k++)
		good = put_list(l, lists[k].list, lists[k].units, lists[k].name, f);
	return !good ? BXT_ERR_MEMORY : ferror(f) ? BXT_ERR_IO : BXT_OK;
}
