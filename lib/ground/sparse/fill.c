/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/sparse/fill.h"

#include <stdlib.h>
#include <suitesparse/amd.h>

bxt_status bxt_predict_fill(const bxt_sparse *pattern, double *entries)
{
	const int n = pattern->ncol;
	double info[AMD_INFO] = {0};
	int *order = malloc(((size_t)n + 1) * sizeof *order);
	if (!order)
		return BXT_ERR_MEMORY;
	const int status = amd_order(n, pattern->colptr, pattern->rowind, order, NULL, info);
	free(order);
	if (status == AMD_OUT_OF_MEMORY)
		return BXT_ERR_MEMORY;
	*entries = status < AMD_OK ? 0 : 2 * info[AMD_LNZ] + n;
	return status < AMD_OK ? BXT_ERR_ARGUMENT : BXT_OK;
}
