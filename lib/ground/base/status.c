/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/base/status.h"

const char *bxt_status_name(bxt_status status)
{
	switch (status) {
#define BXT_CASE(name, text)                                                                       \
	case name:                                                                                 \
		return #name;
		BXT_STATUS_LIST(BXT_CASE)
#undef BXT_CASE
	}
	return "BXT_ERR_UNKNOWN";
}

const char *bxt_status_text(bxt_status status)
{
	switch (status) {
#define BXT_CASE(name, text)                                                                       \
	case name:                                                                                 \
		return text;
		BXT_STATUS_LIST(BXT_CASE)
#undef BXT_CASE
	}
	return "unknown status";
}

bxt_status bxt_stream_status(FILE *stream)
{
	return fflush(stream) == 0 && !ferror(stream) ? BXT_OK : BXT_ERR_IO;
}

const char *bxt_version(void)
{
	return BXT_VERSION;
}
