/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports settings of step control that exclude each other, by name. */
#include "run/initial/settings_internal.h"

#include "motion/scheme/traits.h"

#include <string.h>

void bxt_settings_need_no_step(const bxt_system *s, bxt_run_def *def)
{
	static const double STEP = 1e-6; /* [s] */
	bool written = def->step != 0;
	for (size_t i = 0; i < s->net->simulation.n_settings; i++)
		written = written || strcmp(s->net->simulation.settings[i].name, "step") == 0;
	if (!written)
		def->step = STEP;
}

void bxt_settings_steps(const bxt_settings *settings, bxt_place place, bxt_diagnostics *d)
{
	const char *scheme = settings->scheme->name;
	if (settings->tolerance == 0 &&
	    ((settings->max_step > 0 && !settings->reversible) || settings->min_step > 0))
		bxt_warning(d, BXT_NOWHERE,
			    "max-step and min-step are left out: they bound steps of a tolerance, "
			    "and there is none");
	if (settings->tolerance > 0 && settings->newton_tolerance > 0)
		bxt_error(d, BXT_NOWHERE,
			  "a tolerance measures errors of steps, which have to be solved to "
			  "round-off: leave out newton-tolerance, or the tolerance");
	if (settings->tolerance == 0 && settings->by_range)
		bxt_warning(d, place,
			    "step-control=\"range\" is left out: it is about the error that a "
			    "tolerance allows, and there is none");
	if (settings->tolerance == 0 && settings->absolute)
		bxt_warning(d, settings->absolute_place,
			    "absolute is left out: it is added to the error that a tolerance "
			    "allows, and there is none");
	if (!settings->reversible) {
		if (settings->density)
			bxt_warning(d, settings->density_place,
				    "density is left out: it chooses reversible steps alone "
				    "(step-control=\"reversible\")");
		return;
	}
	if (settings->tolerance > 0)
		bxt_error(d, place,
			  "a tolerance chooses steps by their errors, and reversible steps go by a "
			  "density alone: leave one of both out");
	if (bxt_traits(settings).direction < 0 || !bxt_traits(settings).symmetric ||
	    bxt_traits(settings).massless_momenta)
		bxt_error(d, place,
			  "reversible steps need a symmetric scheme, and %s is none: use gauss1, "
			  "gauss2 or gauss3",
			  scheme);
}
