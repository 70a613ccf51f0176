/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the settings' files share. */
#ifndef BXT_RUN_SETTINGS_INTERNAL_H
#define BXT_RUN_SETTINGS_INTERNAL_H

#include "scheme/scheme.h"

/*
 * What moves along Taylor's polynomial finds all flows together: one rule for all, and for forces
 * another of that degree; false after findings, `place` being that of the force-rule.
 */
bool bxt_settings_taylor(const bxt_system *s, const bxt_settings *settings, bxt_place place,
			 bxt_diagnostics *d);
#endif
