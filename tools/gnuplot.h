/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs gnuplot, and writes text of any origin safely into its data. */
#ifndef BXT_TOOL_GNUPLOT_H
#define BXT_TOOL_GNUPLOT_H

#include "columns.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum gnuplot_format { GNUPLOT_TEXT, GNUPLOT_SVG, GNUPLOT_PNG, GNUPLOT_PDF };

/* Finds the format by the suffix of a picture's name, which `option` gave; NULL is text. False
 * after a message. */
bool gnuplot_find_format(const char *option, const char *path, enum gnuplot_format *format);
/* Writes the head of the script for a picture of that height. */
void gnuplot_picture(enum gnuplot_format format, int height, FILE *script);
/* Writes a number into a line of data. */
void gnuplot_value(double value, FILE *script);

/*
 * Writes text[0..length) of any origin as part of a line of data: valid UTF-8 without control
 * characters, quotes and backticks. gnuplot substitutes nothing in data lines; the last two are
 * replaced all the same.
 */
void gnuplot_word(const char *text, size_t length, FILE *script);
/* A thin line at each event between rows[0] and rows[1], unless they would hide the curves; times
 * are multiplied by `factor`. */
void gnuplot_events(const bxt_table *t, const size_t rows[2], double factor, FILE *script);
/* Runs gnuplot on the script. Returns what it drew, for fclose; NULL after a message. */
FILE *gnuplot_run(FILE *script);

#endif
