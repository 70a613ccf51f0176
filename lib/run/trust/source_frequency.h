/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps against the frequencies of sources. A sine of frequency f, sampled each h, looks like one
 * of a lower frequency where f h > 1/2 (Nyquist): 50 Hz in steps of 20 ms is a constant. No
 * estimate that looks at values within the steps can see that; the expressions tell.
 *
 * The turns in a step are |phase(t + h) - phase(t)|, where a phase is the argument of sin or cos by
 * 2 pi, or of floor, which periodic waveforms are folded with. Arguments that read more than
 * parameters and the time are motions, not sources.
 */
#ifndef BXT_TRUST_SOURCE_FREQUENCY_H
#define BXT_TRUST_SOURCE_FREQUENCY_H

#include "model/system/system.h"
#include "motion/scheme/settings.h"

/* Looks at times over the whole run. *notes, *errors: of findings, each names the fastest source.
 */
bxt_status bxt_check_source_frequencies(const bxt_system *s, const bxt_settings *settings,
					double start, bxt_diagnostics *d, long *notes,
					long *errors);

/* The highest frequency of a source over the run [Hz]; 0: there is none. */
bxt_status bxt_find_source_frequency(const bxt_system *s, const bxt_settings *settings,
				     double start, double *frequency);

#endif
