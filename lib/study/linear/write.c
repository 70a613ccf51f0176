/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a linearised model to files: Matrix Market (Boisvert, Pozo and Remington, NISTIR 5935),
 * and the names of its lists as CSV.
 */
#include "study/linear/linear.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Writes file number `which` of a list. */
typedef void (*writer)(const bxt_linear *l, int which, FILE *f);

static void write_matrix(const bxt_linear *l, int which, FILE *f)
{
	const bxt_sparse *a = &l->matrix[which];
	char number[32];
	fprintf(f, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", a->nrow, a->ncol,
		bxt_sparse_nnz(a));
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			bxt_format_number(number, a->values[k]);
			fprintf(f, "%d %d %s\n", a->rowind[k] + 1, j + 1, number);
		}
}

/* Writes a field in quotes. */
static void write_field(const char *text, FILE *f)
{
	putc('"', f);
	for (const char *c = text; *c; c++) {
		if (*c == '"')
			putc('"', f);
		putc(*c, f);
	}
	putc('"', f);
}

static void write_name(const char *list, size_t i, const bxt_column *c, FILE *f)
{
	fprintf(f, "%s,%zu,", list, i + 1);
	write_field(c->name, f);
	putc(',', f);
	write_field(c->unit, f);
	putc('\n', f);
}

static void write_list(const bxt_linear *l, bxt_linear_list list, FILE *f)
{
	static const char *const of[BXT_LINEAR_LIST_COUNT] = {"state", "equation", "input",
							      "output"};
	for (size_t i = 0; i < bxt_linear_count(l, list); i++)
		write_name(of[list], i, bxt_linear_name(l, list, i), f);
}

static void write_names(const bxt_linear *l, int unused, FILE *f)
{
	(void)unused;
	fputs("list,index,name,unit\n", f);
	for (int list = 0; list < BXT_LINEAR_LIST_COUNT; list++)
		write_list(l, (bxt_linear_list)list, f);
}

/* Matrix A, B, C or D of the states. */
static void write_dense(const bxt_linear *l, int which, FILE *f)
{
	const bxt_linear_states *s = l->states;
	const double *const of[] = {s->a, s->b, s->c, s->d};
	const size_t rows = which < 2 ? s->n : s->outputs, columns = which % 2 ? s->inputs : s->n;
	char number[32];
	fprintf(f, "%%%%MatrixMarket matrix array real general\n%zu %zu\n", rows, columns);
	for (size_t k = 0; k < rows * columns; k++) {
		bxt_format_number(number, of[which][k]);
		fprintf(f, "%s\n", number);
	}
}

static void write_state_names(const bxt_linear *l, int unused, FILE *f)
{
	(void)unused;
	fputs("list,index,name,unit\n", f);
	for (size_t i = 0; i < l->states->n; i++)
		write_name("state", i, &l->states->state[i], f);
	write_list(l, BXT_LINEAR_INPUTS, f);
	write_list(l, BXT_LINEAR_OUTPUTS, f);
}

static bxt_status report_write_error(const char *path, const char *what, bxt_diagnostics *d)
{
	bxt_error(d, (bxt_place){path, 0}, "%s: %s", what, strerror(errno));
	return BXT_ERR_IO;
}

/* Writes to a temporary file beside the target, and renames it. */
static bxt_status write_file(const bxt_linear *l, const char *folder, const char *name,
			     writer write, int which, bxt_diagnostics *d)
{
	bxt_buffer path = {0}, beside = {0};
	bxt_status status = BXT_OK;
	bxt_buffer_printf(&path, "%s/%s", folder, name);
	bxt_buffer_printf(&beside, "%s/%s.boxtimes-part", folder, name);
	if (path.failed || beside.failed) {
		status = BXT_ERR_MEMORY;
	} else {
		FILE *f = fopen(beside.text, "w");
		if (!f) {
			status = report_write_error(path.text, "cannot be written", d);
		} else {
			write(l, which, f);
			const bool bad = ferror(f) != 0;
			if (fclose(f) != 0 || bad || rename(beside.text, path.text) != 0) {
				status = report_write_error(path.text, "cannot be written", d);
				remove(beside.text);
			}
		}
	}
	bxt_buffer_free(&path);
	bxt_buffer_free(&beside);
	return status;
}

static bxt_status make_folder(const char *folder, bxt_diagnostics *d)
{
	return mkdir(folder, 0777) == 0 || errno == EEXIST
		       ? BXT_OK
		       : report_write_error(folder, "the folder cannot be made", d);
}

bxt_status bxt_linear_write(const bxt_linear *l, const char *folder, bxt_diagnostics *d)
{
	static const char *const names[BXT_LINEAR_MATRIX_COUNT] = {"E.mtx", "A.mtx", "B.mtx",
								   "C.mtx", "D.mtx"};
	BXT_NEEDS(d, l);
	BXT_NEEDS(d, folder);
	BXT_TRY(bxt_linear_refuse_delays(l, "a linearised model as files", d));
	BXT_TRY(make_folder(folder, d));
	for (int k = 0; k < BXT_LINEAR_MATRIX_COUNT; k++)
		BXT_TRY(write_file(l, folder, names[k], write_matrix, k, d));
	return write_file(l, folder, "names.csv", write_names, 0, d);
}

bxt_status bxt_linear_write_states(bxt_linear *l, const char *folder, bxt_diagnostics *d)
{
	static const char *const names[] = {"A.mtx", "B.mtx", "C.mtx", "D.mtx"};
	const bxt_linear_states *states;
	BXT_NEEDS(d, l);
	BXT_NEEDS(d, folder);
	BXT_TRY(bxt_linear_to_states(l, &states, d));
	BXT_TRY(make_folder(folder, d));
	for (int k = 0; k < 4; k++)
		BXT_TRY(write_file(l, folder, names[k], write_dense, k, d));
	return write_file(l, folder, "names.csv", write_state_names, 0, d);
}
