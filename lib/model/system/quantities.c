/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/system/quantities.h"

#include "ground/base/text.h"

static bxt_status number_flows(bxt_system *s, bxt_map *units)
{
	for (int j = 0; j < s->n; j++) {
		const char *unit = bxt_dirac_coord_unit(s->net, &s->dirac.coord[s->coord_of_x[j]]);
		int k = bxt_map_get(units, unit);
		if (k < 0) {
			k = (int)units->count;
			BXT_TRY(bxt_map_put(units, unit, k));
		}
		s->quantity[j] = 2 * k;
	}
	return BXT_OK;
}

bxt_status bxt_number_quantities(bxt_system *s)
{
	const bxt_sparse *p = &s->pattern;
	bxt_map units = {0};
	if (!(s->quantity = BXT_NEW(s->arena, int, (size_t)s->size)))
		return BXT_ERR_MEMORY;
	const bxt_status status = number_flows(s, &units);
	for (int x = s->n; x < s->size; x++)
		s->quantity[x] = 1;
	/* backward, so that the first coordinate in a row is the last to write */
	for (int j = s->n - 1; j >= 0; j--)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			if (p->rowind[k] >= s->n && p->rowind[k] < s->spare)
				s->quantity[p->rowind[k]] = s->quantity[j] + 1;
	s->n_quantities = units.count > 0 ? 2 * (int)units.count : 2;
	bxt_map_free(&units);
	return status;
}

void bxt_quantity_largest(const bxt_system *s, const double *value, int n, double *largest)
{
	for (int i = 0; i < n; i++) {
		const double size = value[i] < 0 ? -value[i] : value[i];
		double *to = &largest[s->quantity[i]];
		*to = size > *to ? size : *to;
	}
}
