/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a table in memory knows beside its columns. */
#ifndef BXT_ACCOUNT_TABLE_H
#define BXT_ACCOUNT_TABLE_H

#include "boxtimes_records.h"

/* Are the first numbers of its rows times? Not so for a file whose first column is something else.
 */
bool bxt_table_is_over_time(const bxt_table *t);

#endif
