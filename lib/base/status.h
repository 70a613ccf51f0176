/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Status codes. The list itself is the X-macro of boxtimes.h. */
#ifndef BXT_BASE_STATUS_H
#define BXT_BASE_STATUS_H

#include "boxtimes.h"

/* Returns early from a function whose result is a bxt_status. */
#define BXT_TRY(call)                                                                              \
	do {                                                                                       \
		bxt_status status_ = (call);                                                       \
		if (status_ != BXT_OK)                                                             \
			return status_;                                                            \
	} while (0)

#endif
