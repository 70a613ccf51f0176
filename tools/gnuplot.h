/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running gnuplot, and words that may be shown to it. */
#ifndef BXT_TOOL_GNUPLOT_H
#define BXT_TOOL_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum gnuplot_format { GNUPLOT_TEXT, GNUPLOT_SVG, GNUPLOT_PNG };

/* By the end of a picture's name, which `option` gave; NULL is text. False after a message. */
bool gnuplot_find_format(const char *option, const char *path, enum gnuplot_format *format);
/* The script's beginning for a picture of that height. */
void gnuplot_picture(enum gnuplot_format format, int height, FILE *script);
/* A number in a line of data. */
void gnuplot_value(double value, FILE *script);

/*
 * Writes text[0..length) of any origin as part of a line of data: valid UTF-8 without control
 * characters, quotes and backticks. gnuplot substitutes nothing in data lines; the last two are
 * replaced all the same.
 */
void gnuplot_word(const char *text, size_t length, FILE *script);
/* Runs gnuplot on the script and gives what it drew, for fclose; NULL after a message. */
FILE *gnuplot_run(FILE *script);
/* Copies the picture to that file, standard output for NULL and "-"; an exit status. */
int gnuplot_deliver(FILE *picture, const char *path);

#endif
