/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests of netlists in files. Each test has its own folder, which is the working folder. */
#ifndef BXT_TESTS_SUPPORT_FILES_H
#define BXT_TESTS_SUPPORT_FILES_H

#include "support/harness.h"

#define HEAD "<netlist xmlns='urn:boxtimes:netlist:1'>"

/* A fixture that makes the folder, with a folder "parts" in it. */
void make_folder(void);
void remove_folder(void);
void put(const char *name, const char *text);

/* Compiles a file. set is "PATH", "ATTRIBUTE", "VALUE" or NULL. Only compiling may fail. */
bxt_status compile(model *m, const char *name, const char *const set[3]);
/* The same with n directories of the library that precede the shipped one. */
bxt_status compile_with(model *m, const char *name, const char *const set[3],
			const char *const *directories, size_t n);

/* All findings, one per line: "FILE:LINE: TEXT"; heap memory. */
char *told(const model *m);
/* Checks that the file gives exactly these findings. $PATH stands for the library's directory. */
void check_told(const char *name, const char *const set[3], bxt_status expected, const char *text);
/* The value of a numeric parameter of the element with that path. */
double parameter(const model *m, const char *path, int index);

#endif
