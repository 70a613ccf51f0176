/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of boxtimes.h: the fields of public structures as a table, for other languages and for
 * documentation. */
#ifndef BOXTIMES_MEMBERS_H
#define BOXTIMES_MEMBERS_H

#include "boxtimes_status.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The type of a field in C. */
typedef enum bxt_member_type {
	BXT_MEMBER_TEXT,      /* const char *; NULL: none */
	BXT_MEMBER_TEXTS,     /* const char *const *; the field behind it is their number */
	BXT_MEMBER_REAL,      /* double */
	BXT_MEMBER_LONG,      /* long */
	BXT_MEMBER_INT,       /* int */
	BXT_MEMBER_COUNT,     /* size_t */
	BXT_MEMBER_FLAG,      /* bool */
	BXT_MEMBER_STRUCTURE, /* a structure inside, named by bxt_member.structure */
	BXT_MEMBER_ARRAY,     /* a pointer to structures; "n_" and its name is their number */
	BXT_MEMBER_POINTER,   /* void * */
	BXT_MEMBER_FUNCTION,  /* a pointer to a function */
} bxt_member_type;

/* A field of a public structure. All texts are constant. */
typedef struct bxt_member {
	size_t size; /* sizeof(bxt_member) */
	const char *name;
	bxt_member_type type;
	size_t offset, bytes; /* within its structure */
	const char *structure;
	const char *unit; /* in SI: "s"; NULL: none, or that of another field */
	/* Of a setting: its name in <simulation> and on the command line, "max-step". NULL: the
	 * field is for programs alone. */
	const char *setting;
	const char *values; /* bxt_setting_values of that word lists the values; NULL: any value */
	const char *standard; /* what a setting is that nobody gives, in words; NULL: nothing */
	const char *key;      /* its name in the JSON of its structure; NULL: it is not there */
	const char *
		needs; /* JSON has it only where the text of that field is not NULL; NULL: always */
	const char *doc;
} bxt_member;

/*
 * The field number i of a structure, in the order of the header: of "bxt_run_def", "bxt_summary"
 * and what it consists of ("bxt_summary.seconds" is the structure without a name). NULL behind the
 * last, and of other structures. Level: rare.
 */
BXT_API const bxt_member *bxt_structure_member(const char *structure, size_t i);
/* The size of such a structure in this library [bytes]; 0: another structure. Level: rare. */
BXT_API size_t bxt_structure_size(const char *structure);

#ifdef __cplusplus
}
#endif
#endif
