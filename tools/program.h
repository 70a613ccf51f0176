/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a program that makes a picture. */
#ifndef BXT_TOOL_PROGRAM_H
#define BXT_TOOL_PROGRAM_H

#include <stdio.h>

/*
 * Runs argv[0], found by PATH, without a shell. Its standard input is all of the file `input`.
 * Returns what it wrote, for fclose, or NULL after a message; where the program is not there it
 * names `package`, Debian's, and `who` needs it.
 */
FILE *program_run(const char *const *argv, FILE *input, const char *who, const char *package);

/* Starts a program that shows something, and waits until it has; a message where it fails. */
void program_start(const char *const *argv);

#endif
