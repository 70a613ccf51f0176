/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/netlist/setting_members.h"

#include <string.h>

/* The common part of all descriptors of a member. */
#define MEMBER(member, of_type)                                                                    \
	.size = sizeof(bxt_member), .name = #member, .type = BXT_MEMBER_##of_type,                 \
	.offset = offsetof(bxt_run_def, member), .bytes = sizeof((bxt_run_def *)NULL)->member

#define CHOICE(member, word, otherwise, text)                                                      \
	{MEMBER(member, TEXT), .setting = (word), .values = (word), .standard = (otherwise),       \
	 .doc = (text)},
#define SETTING(member, of_type, word, kind, in_unit, otherwise, text)                             \
	{MEMBER(member, of_type), .unit = (in_unit), .setting = (word), .standard = (otherwise),   \
	 .doc = (text)},
#define OPTION(member, of_type, word, in_unit, otherwise, text)                                    \
	{MEMBER(member, of_type), .unit = (in_unit), .setting = (word), .standard = (otherwise),   \
	 .doc = (text)},
#define FIELD(member, of_type, in_unit, text)                                                      \
	{MEMBER(member, of_type), .unit = (in_unit), .doc = (text)},

const bxt_member bxt_run_def_members[] = {
#include "model/netlist/setting_rows.h"
};

const bxt_member *bxt_setting_member(const char *name)
{
	for (int i = 0; i < BXT_RUN_DEF_MEMBERS; i++) {
		const bxt_member *field = &bxt_run_def_members[i];
		if (field->setting && strcmp(field->setting, name) == 0)
			return field;
	}
	return NULL;
}

/* The position of a field in the definition. */
static const void *find_member(const bxt_run_def *def, const bxt_member *field)
{
	return (const char *)def + field->offset;
}

const char *bxt_setting_text(const bxt_run_def *def, const bxt_member *field)
{
	return field->type == BXT_MEMBER_TEXT ? *(const char *const *)find_member(def, field)
					      : NULL;
}

double bxt_setting_number(const bxt_run_def *def, const bxt_member *field)
{
	return field->type == BXT_MEMBER_REAL ? *(const double *)find_member(def, field) : 0;
}
