/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Properties of a table in memory besides its columns. */
#ifndef BXT_ACCOUNT_TABLE_H
#define BXT_ACCOUNT_TABLE_H

#include "boxtimes_records.h"

/* Is the first column of its rows the time? A file may have another first column. */
bool bxt_table_is_over_time(const bxt_table *t);

#endif
