/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chapter of the structures of a run: their fields, from the descriptors. */
#include "show/report/reference.h"
#include "show/report/summary_members.h"

/* The type of a member in C. */
static const char *write_type(bxt_arena *arena, const bxt_member *m)
{
	switch (m->type) {
	case BXT_MEMBER_TEXT:
		return "const char *";
	case BXT_MEMBER_TEXTS:
		return "const char *const *";
	case BXT_MEMBER_REAL:
		return "double";
	case BXT_MEMBER_LONG:
		return "long";
	case BXT_MEMBER_INT:
		return "int";
	case BXT_MEMBER_COUNT:
		return "size_t";
	case BXT_MEMBER_FLAG:
		return "bool";
	case BXT_MEMBER_STRUCTURE:
		return m->structure;
	case BXT_MEMBER_ARRAY:
		return bxt_arena_printf(arena, "array of %s", m->structure);
	case BXT_MEMBER_POINTER:
		return "void *";
	case BXT_MEMBER_FUNCTION:
		return "function";
	}
	return NULL;
}

bxt_page *bxt_reference_structures(bxt_arena *arena)
{
	bxt_page *page = bxt_page_new(
		arena, "structures of a run",
		"The fields of the structures that a program fills and reads, in the order of the "
		"header. The column \"name\" has the setting's name in <simulation> and on the "
		"command line, or the key in the JSON of a summary.");
	bxt_page_set_label(page, "structures");
	for (size_t k = 0; bxt_structures[k]; k++) {
		const bxt_structure *s = bxt_structures[k];
		bxt_page *section = bxt_page_add(arena, page, s->name, NULL);
		const bxt_member *m;
		bxt_page_make_table(section, "field");
		for (size_t i = 0; (m = bxt_structure_member(s->name, i)); i++) {
			bxt_page *row = bxt_page_add(arena, section, m->name, m->doc);
			const char *name = m->setting ? m->setting : m->key;
			bxt_page_fact_add(row, "type", write_type(arena, m));
			bxt_page_fact_add(row, "unit", m->unit ? m->unit : "");
			bxt_page_fact_add(row, "name", name ? name : "");
			bxt_page_fact_add(row, "default", m->standard ? m->standard : "");
		}
	}
	return page;
}
