/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Comparison of the step with the frequencies of sources. A sine of frequency f, sampled with
 * period h, is an alias of a lower frequency if f h > 1/2 (Nyquist): 50 Hz in steps of 20 ms is a
 * constant. No error estimate that uses values within the steps can detect this. The expressions of
 * the sources can.
 *
 * The turns in a step are |phase(t + h) - phase(t)|. A phase is the argument of sin or cos divided
 * by 2 pi, or the argument of floor, which periodic waveforms use. Arguments that depend on more
 * than parameters and the time belong to motions, not to sources.
 */
#ifndef BXT_TRUST_SOURCE_FREQUENCY_H
#define BXT_TRUST_SOURCE_FREQUENCY_H

#include "model/system/system.h"
#include "motion/scheme/settings.h"

/* Checks phases at times over the whole run. Adds to *notes and *errors the numbers of findings,
 * each of which names the fastest source. */
bxt_status bxt_check_source_frequencies(const bxt_system *s, const bxt_settings *settings,
					double start, bxt_diagnostics *d, long *notes,
					long *errors);

/* The highest frequency of a source over the run [Hz]; 0: there is none. */
bxt_status bxt_find_source_frequency(const bxt_system *s, const bxt_settings *settings,
				     double start, double *frequency);

#endif
