/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/names/path_end.h"

#include <string.h>

bxt_path_fit bxt_path_fits(bxt_span path, bxt_span end)
{
	if (path.length < end.length)
		return BXT_PATH_OTHER;
	const size_t rest = path.length - end.length;
	if (end.length > 0 && memcmp(path.at + rest, end.at, end.length) != 0)
		return BXT_PATH_OTHER;
	if (rest == 0)
		return BXT_PATH_WHOLE;
	return end.length > 0 && path.at[rest - 1] == '.' ? BXT_PATH_END : BXT_PATH_OTHER;
}

bxt_path_fit bxt_path_fits_text(const char *path, const char *end)
{
	return bxt_path_fits((bxt_span){path, strlen(path)}, (bxt_span){end, strlen(end)});
}
