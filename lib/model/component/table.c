/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a <table> of a component: a function that its expressions may call. */
#include "model/component/component_internal.h"
#include "model/component/curve_table.h"

void bxt_component_read_table(struct bxt_component_builder *b, const bxt_item *item)
{
	const bxt_place place = bxt_component_place_of(b, item);
	const char *name = bxt_component_required(b, item, "name");
	const bxt_curve *curve = NULL;
	bool bad = false;
	bxt_component_declare(b, place, name, true);
	if (!b->tables && !(b->tables = bxt_curve_tables_new(b->arena, b->units, b->d))) {
		b->no_memory = true;
		return;
	}
	if (!b->c->curves.list)
		b->c->curves.list = b->curves;
	if (bxt_curve_table_read(b->tables, item, place, b->file, &bad, &curve) != BXT_OK)
		b->no_memory = true;
	else
		b->curves[b->c->curves.n++] = curve;
	b->bad = b->bad || bad;
}
