/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matrix_market.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <suitesparse/cholmod.h>
#include <sys/stat.h>

/*
 * The size that a file of so many bytes can have: an entry takes two of them at least. What
 * promises more is refused before memory is asked for.
 */
static bool is_possible(FILE *file, off_t bytes)
{
	char line[1100]; /* of comments and sizes; CHOLMOD reads no longer ones either */
	double rows = 0, cols = 0, entries = 0;
	while (fgets(line, sizeof line, file)) {
		if (line[0] == '%' || line[strspn(line, " \t\r\n")] == '\0')
			continue;
		const int n = sscanf(line, "%lf %lf %lf", &rows, &cols, &entries);
		rewind(file);
		if (n == 2)
			entries = rows * cols;
		return n >= 2 && rows >= 1 && cols >= 1 && rows <= INT_MAX / 4 &&
		       cols <= INT_MAX / 4 && entries <= (double)bytes / 2;
	}
	return false;
}

static bool is_regular(FILE *file, off_t *bytes)
{
	struct stat about;
	if (fstat(fileno(file), &about) != 0 || !S_ISREG(about.st_mode))
		return false;
	*bytes = about.st_size;
	return true;
}

/* Both triangles of a symmetric matrix, of which CHOLMOD keeps one. */
static bxt_status take(bxt_arena *arena, const cholmod_triplet *t, bxt_market_matrix *out)
{
	const int *row = t->i, *col = t->j;
	const double *value = t->x;
	const size_t most = (t->stype != 0 ? 2 : 1) * t->nnz;
	if (most > INT_MAX)
		return BXT_ERR_MEMORY;
	*out = (bxt_market_matrix){.rows = (int)t->nrow,
				   .cols = (int)t->ncol,
				   .row = BXT_NEW(arena, int, most),
				   .col = BXT_NEW(arena, int, most),
				   .value = BXT_NEW(arena, double, most)};
	if (!out->row || !out->col || !out->value)
		return BXT_ERR_MEMORY;
	for (size_t k = 0; k < t->nnz; k++)
		for (int mirrored = 0; mirrored < (t->stype != 0 && row[k] != col[k] ? 2 : 1);
		     mirrored++) {
			out->row[out->n] = mirrored ? col[k] : row[k];
			out->col[out->n] = mirrored ? row[k] : col[k];
			out->value[out->n++] = value ? value[k] : 1;
		}
	return BXT_OK;
}

/* All entries of a full matrix but zeros. */
static bxt_status take_full(bxt_arena *arena, const cholmod_dense *d, bxt_market_matrix *out)
{
	const double *value = d->x;
	const size_t most = d->nrow * d->ncol;
	if (most > INT_MAX)
		return BXT_ERR_MEMORY;
	*out = (bxt_market_matrix){.rows = (int)d->nrow,
				   .cols = (int)d->ncol,
				   .row = BXT_NEW(arena, int, most),
				   .col = BXT_NEW(arena, int, most),
				   .value = BXT_NEW(arena, double, most)};
	if (!out->row || !out->col || !out->value)
		return BXT_ERR_MEMORY;
	for (size_t j = 0; j < d->ncol; j++)
		for (size_t i = 0; i < d->nrow; i++) {
			if (value[i + j * d->d] == 0)
				continue;
			out->row[out->n] = (int)i;
			out->col[out->n] = (int)j;
			out->value[out->n++] = value[i + j * d->d];
		}
	return BXT_OK;
}

static bxt_status check(const bxt_market_matrix *m, const char **why)
{
	for (int k = 0; k < m->n; k++)
		if (!isfinite(m->value[k])) {
			*why = "it has an entry that is no finite number";
			return BXT_ERR_IO;
		}
	return BXT_OK;
}

bxt_status bxt_matrix_market_read(bxt_arena *arena, const char *path, bxt_market_matrix *out,
				  const char **why)
{
	cholmod_common common;
	off_t bytes = 0;
	*why = "it cannot be opened";
	FILE *file = fopen(path, "r");
	if (!file)
		return BXT_ERR_IO;
	if (!is_regular(file, &bytes)) {
		*why = "it is no regular file";
		fclose(file);
		return BXT_ERR_IO;
	}
	*why = "it is no Matrix Market file of a matrix that its length could hold";
	if (!is_possible(file, bytes)) {
		fclose(file);
		return BXT_ERR_IO;
	}
	cholmod_start(&common);
	common.print = 0;
	int type = 0;
	void *read = cholmod_read_matrix(file, 0, &type, &common);
	cholmod_triplet *t = type == CHOLMOD_TRIPLET ? read : NULL;
	cholmod_dense *full = type == CHOLMOD_DENSE ? read : NULL;
	const int xtype = t ? t->xtype : full ? full->xtype : CHOLMOD_PATTERN;
	bxt_status status = BXT_ERR_IO;
	*why = "an entry is wrong or missing";
	if (common.status == CHOLMOD_OUT_OF_MEMORY)
		status = BXT_ERR_MEMORY;
	else if (xtype == CHOLMOD_COMPLEX || xtype == CHOLMOD_ZOMPLEX)
		*why = "its entries are complex numbers";
	else if (t)
		status = take(arena, t, out);
	else if (full)
		status = take_full(arena, full, out);
	if (status == BXT_OK)
		status = check(out, why);
	cholmod_free_triplet(&t, &common);
	cholmod_free_dense(&full, &common);
	cholmod_finish(&common);
	fclose(file);
	return status;
}
