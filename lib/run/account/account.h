/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The account of a run, as bytes: all data that its ledger, records and checks have accumulated and
 * continue with. Each of them lists its numbers once, in one function that measures, saves and
 * restores them.
 */
#ifndef BXT_ACCOUNT_ACCOUNT_H
#define BXT_ACCOUNT_ACCOUNT_H

#include "model/system/system.h"

typedef enum bxt_account_way {
	BXT_ACCOUNT_MEASURE, /* counts bytes */
	BXT_ACCOUNT_SAVE,    /* numbers to bytes */
	BXT_ACCOUNT_RESTORE  /* bytes to numbers */
} bxt_account_way;

typedef struct bxt_account {
	bxt_account_way way;
	unsigned char *bytes; /* (at least as many as were measured) */
	size_t at;            /* bytes so far */
	bool same_rows;       /* the run continues with the same constraint rows */
} bxt_account;

/* The next `size` bytes of the account are those at `numbers`; NULL, which a model without them
 * has: none. */
void bxt_account_keep(bxt_account *account, void *numbers, size_t size);
/* Keeps n flags. Bytes other than 0 and 1, which a damaged account may contain, are restored as
 * true. */
void bxt_account_flags(bxt_account *account, bool *flags, size_t n);
/* Keeps an index or a count, which is restored as `instead` if it is not in least ... most. */
void bxt_account_within(bxt_account *account, int *number, int least, int most, int instead);
/* Keeps a count, which is restored as 0 if no run can have it. */
void bxt_account_count(bxt_account *account, long *count);
/* Keeps numbers by x index (size), in the order of D, since modes of a model leave out different
 * rows. NULL: there are none. */
void bxt_account_by_x(bxt_account *account, const bxt_system *s, double *numbers);
/* A single number or a structure without pointers; an array of n numbers. */
#define BXT_KEEP(account, number) bxt_account_keep((account), &(number), sizeof(number))
#define BXT_KEEP_ARRAY(account, array, n)                                                          \
	bxt_account_keep((account), (array), (size_t)(n) * sizeof *(array))

#endif
