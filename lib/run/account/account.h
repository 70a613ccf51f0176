/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The account of a run, as bytes: all that its ledger, records and checks have gathered so far and
 * go on with. Each of them lists its numbers once, in a function that serves to measure, to save
 * and to restore them.
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
	bool same_rows;       /* the run goes on with the rows that it has now */
} bxt_account;

/* The next `size` bytes of the account are those at `numbers`; NULL, which a model without them
 * has: none. */
void bxt_account_keep(bxt_account *account, void *numbers, size_t size);
/* n flags: bytes other than 0 and 1, which no flag may have, become true. */
void bxt_account_flags(bxt_account *account, bool *flags, size_t n);
/* A number that is restored as `instead` when it lies outside: it will be an index or a count. */
void bxt_account_within(bxt_account *account, int *number, int least, int most, int instead);
/* A count, which is restored as 0 unless it is one that a run may have. */
void bxt_account_count(bxt_account *account, long *count);
/* Numbers by x index (size), in the order of D: modes of a model leave out different rows. NULL:
 * none. */
void bxt_account_by_x(bxt_account *account, const bxt_system *s, double *numbers);
/* A single number or a structure without pointers; an array of n numbers. */
#define BXT_KEEP(account, number) bxt_account_keep((account), &(number), sizeof(number))
#define BXT_KEEP_ARRAY(account, array, n)                                                          \
	bxt_account_keep((account), (array), (size_t)(n) * sizeof *(array))

#endif
