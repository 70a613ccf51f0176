/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/account.h"

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
