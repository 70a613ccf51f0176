/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages about errors of quantities. */
#include "boxtimes_quantity.h"
#include "ground/base/diagnostics.h"
#include "ground/base/text.h"
#include "model/component/library.h"
#include "model/component/quantity.h"

#include <string.h>

bxt_status bxt_quantity_report(bxt_units *units, bxt_quantity_error error, const char *text,
			       const char *unit, const char *what, bxt_place place,
			       bxt_diagnostics *d)
{
	if (error == BXT_QUANTITY_OK)
		return BXT_OK;
	bxt_arena *scratch = bxt_arena_new();
	if (error == BXT_QUANTITY_MEMORY || !scratch) {
		bxt_arena_free(scratch);
		return BXT_ERR_MEMORY;
	}
	const char *meant = error == BXT_QUANTITY_NO_NUMBER
				    ? NULL
				    : bxt_quantity_suggest(units, scratch, text, unit);
	if (error == BXT_QUANTITY_NO_NUMBER)
		bxt_error(d, place, "%s: '%s' is not a finite number%s%s%s", what, text,
			  *unit ? " with a unit of dimension '" : "", unit, *unit ? "'" : "");
	else if (error == BXT_QUANTITY_BAD_UNIT)
		bxt_error(d, place, "%s: the unit of '%s' is not known; expected '%s'%s", what,
			  text, *unit ? unit : "1",
			  strchr(text, ',') ? " (the decimal sign is a point)"
					    : bxt_did_you_mean(scratch, meant));
	else
		bxt_error(d, place, "%s: '%s' has the wrong unit; expected '%s'%s", what, text,
			  *unit ? unit : "1", bxt_did_you_mean(scratch, meant));
	bxt_arena_free(scratch);
	return BXT_ERR_MODEL;
}

bxt_status bxt_library_read_quantity(bxt_library *library, const char *what, const char *text,
				     const char *unit, bxt_diagnostics *d, double *value)
{
	BXT_NEEDS(d, library);
	BXT_NEEDS(d, what);
	BXT_NEEDS(d, text);
	BXT_NEEDS(d, unit);
	BXT_NEEDS(d, value);
	bxt_units *units = bxt_library_units(library);
	return bxt_quantity_report(units, bxt_quantity_read(units, text, unit, value), text, unit,
				   what, BXT_NOWHERE, d);
}
