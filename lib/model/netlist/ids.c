/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/netlist/ids.h"

#include <stdlib.h>

void bxt_ids_forget(struct bxt_netlist *n)
{
	struct bxt_ids *ids = n->ids;
	n->ids = NULL;
	if (!ids)
		return;
	for (size_t i = 0; i < ids->n_scopes; i++)
		for (int k = 0; k < BXT_ID_KINDS; k++)
			bxt_map_free(&ids->scopes[i].ids[k]);
	bxt_map_free(&ids->by_path);
	free(ids->scopes);
	free(ids->items);
	free(ids);
}
