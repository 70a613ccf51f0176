/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running gnuplot, and words that may be shown to it. */
#ifndef BXT_TOOL_GNUPLOT_H
#define BXT_TOOL_GNUPLOT_H

#include <stddef.h>
#include <stdio.h>

/*
 * Writes text[0..length) of any origin as part of a line of data: valid UTF-8 without control
 * characters, quotes and backticks. gnuplot substitutes nothing in data lines; the last two are
 * replaced all the same.
 */
void gnuplot_word(const char *text, size_t length, FILE *script);
/* Runs gnuplot on the script and gives what it drew, for fclose; NULL after a message. */
FILE *gnuplot_run(FILE *script);

#endif
