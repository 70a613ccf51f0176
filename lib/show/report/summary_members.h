/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fields of a summary and of its parts, in the order of its JSON. */
#ifndef BXT_REPORT_SUMMARY_MEMBERS_H
#define BXT_REPORT_SUMMARY_MEMBERS_H

#include "boxtimes_members.h"
#include "boxtimes_summary.h"

typedef struct bxt_structure {
	const char *name;
	size_t size; /* [bytes] */
	const bxt_member *members;
	size_t n;
} bxt_structure;

extern const bxt_structure bxt_structure_summary, bxt_structure_ledger_entry,
	bxt_structure_symmetry_entry, bxt_structure_accuracy, bxt_structure_seconds,
	bxt_structure_step_figures, bxt_structure_trust_figures;

/* All public structures with a descriptor; the list ends with NULL. */
extern const bxt_structure *const bxt_structures[];

#endif
