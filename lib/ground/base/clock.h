/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock for measured times and deadlines. */
#ifndef BXT_BASE_CLOCK_H
#define BXT_BASE_CLOCK_H

/* [s] since a fixed moment in the past; never goes back, even when the time of day is set. */
double bxt_clock_seconds(void);

#endif
