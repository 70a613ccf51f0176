/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Status codes. The list itself is the X-macro of boxtimes_status.h. */
#ifndef BXT_BASE_STATUS_H
#define BXT_BASE_STATUS_H

#include "boxtimes_status.h"

/* Returns early from a function whose result is a bxt_status. */
#define BXT_TRY(call)                                                                              \
	do {                                                                                       \
		bxt_status status_ = (call);                                                       \
		if (status_ != BXT_OK)                                                             \
			return status_;                                                            \
	} while (0)

/* Flushes the stream; BXT_ERR_IO when that or any earlier write failed. */
bxt_status bxt_stream_status(FILE *stream);

/* A numerical failure of a step: a shorter step or another method of solution may succeed. */
static inline bool bxt_status_is_recoverable(bxt_status status)
{
	return status == BXT_ERR_SINGULAR || status == BXT_ERR_NEWTON ||
	       status == BXT_ERR_NOT_FINITE;
}

#endif
