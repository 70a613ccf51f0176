/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock for measured times and deadlines. */
#ifndef BXT_BASE_CLOCK_H
#define BXT_BASE_CLOCK_H

/* [s] since some moment in the past; it never goes back, whatever happens to the time of day. */
double bxt_clock_seconds(void);

#endif
