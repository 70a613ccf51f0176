/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names, source locations and sizes of verified quantities. */
#include "ground/base/tolerances.h"
#include "ground/base/vector.h"
#include "model/system/quantities.h"
#include "study/verify/verify_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMED = 6 };

static double largest_in(const bxt_sparse *z, int j)
{
	return bxt_largest(z->colptr[j + 1] - z->colptr[j], z->values + z->colptr[j]);
}

/*
 * Names the first entries of column j that exceed round-off: rows of D, beginning with `first`, or
 * flows.
 */
static void name_column(const bxt_system *s, const bxt_sparse *z, int j, const int *first,
			bxt_buffer *words, bxt_place *place)
{
	const bxt_network *net = s->net;
	const double least = BXT_NULL_PART * largest_in(z, j);
	bxt_buffer name = {0};
	int n = 0;
	for (int k = z->colptr[j]; k < z->colptr[j + 1]; k++) {
		const bxt_row_info *row = first ? &s->dirac.row[*first + z->rowind[k]] : NULL;
		const bxt_coord_info *coord = first ? NULL : &s->dirac.coord[z->rowind[k]];
		if (fabs(z->values[k]) < least)
			continue;
		if (n++ == 0)
			*place = row ? bxt_dirac_row_place(net, row)
				     : bxt_dirac_coord_place(net, coord);
		if (n <= MAX_NAMED)
			bxt_buffer_printf(words, "%s%s", n > 1 ? ", " : "",
					  row ? bxt_dirac_row_name(net, row, &name)
					      : bxt_dirac_coord_name(net, coord, true, &name));
	}
	if (n > MAX_NAMED)
		bxt_buffer_printf(words, " and %d more", n - MAX_NAMED);
	words->failed = words->failed || name.failed;
	bxt_buffer_free(&name);
}

void bxt_verify_name_rows(const bxt_system *s, const bxt_sparse *y, int j, int first,
			  bxt_buffer *words, bxt_place *place)
{
	name_column(s, y, j, &first, words, place);
}

void bxt_verify_name_flows(const bxt_system *s, const bxt_sparse *z, int j, bxt_buffer *words,
			   bxt_place *place)
{
	name_column(s, z, j, NULL, words, place);
}

/* ---- Sizes ---- */

static const char *unit_of(const bxt_system *s, int x)
{
	return bxt_dirac_coord_unit(s->net, &s->dirac.coord[s->coord_of_x[x]]);
}

bxt_status bxt_verify_sizes(const bxt_system *s, const double *value, double *size)
{
	double *largest = calloc((size_t)s->n_quantities, sizeof *largest);
	if (!largest)
		return BXT_ERR_MEMORY;
	bxt_quantity_largest(s, value, s->n, largest);
	for (int x = 0; x < s->n; x++)
		size[x] = largest[s->quantity[x]];
	free(largest);
	return BXT_OK;
}

bool bxt_verify_is_number(const bxt_system *s, int x)
{
	return strcmp(unit_of(s, x), "rad") == 0 || strcmp(unit_of(s, x), "1") == 0;
}
