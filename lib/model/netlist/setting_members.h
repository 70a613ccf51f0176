/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fields of bxt_run_def as descriptors, made of the rows in setting_rows.h. */
#ifndef BXT_NETLIST_SETTING_MEMBERS_H
#define BXT_NETLIST_SETTING_MEMBERS_H

#include "boxtimes_members.h"
#include "boxtimes_run.h"

/* The number of fields. */
enum {
	BXT_RUN_DEF_MEMBERS = 0
#define CHOICE(...) +1
#define SETTING(...) +1
#define OPTION(...) +1
#define FIELD(...) +1
#include "model/netlist/setting_rows.h"
};
/* All fields of bxt_run_def; the attributes of <simulation> come first, in their order. */
extern const bxt_member bxt_run_def_members[BXT_RUN_DEF_MEMBERS];

/* The field of a setting of that name, "max-step"; NULL: there is none. */
const bxt_member *bxt_setting_member(const char *name);
/* The value of a text; NULL: it is not given. */
const char *bxt_setting_text(const bxt_run_def *def, const bxt_member *field);
/* The value of a number; 0: it is not given. */
double bxt_setting_number(const bxt_run_def *def, const bxt_member *field);

#endif
