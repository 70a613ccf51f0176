/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A dotted path may be written in full, or by its last words alone: "loop.R1" or "R1". */
#ifndef BXT_NAMES_PATH_END_H
#define BXT_NAMES_PATH_END_H

#include "model/names/designator.h"

typedef enum bxt_path_fit {
	BXT_PATH_OTHER, /* the text does not name the path */
	BXT_PATH_END,   /* it is the last words of the path, after a dot */
	BXT_PATH_WHOLE  /* it is the whole path */
} bxt_path_fit;

/* How `end` names `path`. An empty `end` names only the empty path. O(length of end). */
bxt_path_fit bxt_path_fits(bxt_span path, bxt_span end);
/* The same for texts. */
bxt_path_fit bxt_path_fits_text(const char *path, const char *end);

#endif
