/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/account/account.h"

#include <string.h>

void bxt_account_keep(bxt_account *account, void *numbers, size_t size)
{
	if (!numbers || size == 0)
		return;
	if (account->way == BXT_ACCOUNT_SAVE)
		memcpy(account->bytes + account->at, numbers, size);
	if (account->way == BXT_ACCOUNT_RESTORE)
		memcpy(numbers, account->bytes + account->at, size);
	account->at += size;
}

void bxt_account_by_x(bxt_account *account, const bxt_system *s, double *numbers)
{
	bxt_account_keep(account, numbers, (size_t)s->n * sizeof *numbers);
	for (size_t r = 0; r < s->dirac.m && numbers; r++)
		bxt_account_keep(account, &numbers[s->x_of_row[r]], sizeof *numbers);
}

void bxt_account_flags(bxt_account *account, bool *flags, size_t n)
{
	for (size_t i = 0; i < n && flags; i++) {
		unsigned char byte = account->way != BXT_ACCOUNT_RESTORE && flags[i];
		bxt_account_keep(account, &byte, 1);
		if (account->way == BXT_ACCOUNT_RESTORE)
			flags[i] = byte != 0;
	}
}

void bxt_account_within(bxt_account *account, int *number, int least, int most, int instead)
{
	bxt_account_keep(account, number, sizeof *number);
	if (*number < least || *number > most)
		*number = instead;
}

void bxt_account_count(bxt_account *account, long *count)
{
	static const long MOST = 1000000000000000; /* a run has fewer steps */
	bxt_account_keep(account, count, sizeof *count);
	if (*count < 0 || *count > MOST)
		*count = 0;
}
