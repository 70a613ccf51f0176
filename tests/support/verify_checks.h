/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the tests of verification. */
#ifndef BXT_TESTS_SUPPORT_VERIFY_CHECKS_H
#define BXT_TESTS_SUPPORT_VERIFY_CHECKS_H

#include "support/harness.h"

/* Prints all checks on standard error. */
void verify_tell(const bxt_verification *v, const char *what);
/* The check of that name, or NULL. */
const bxt_verify_check *verify_check_of(const bxt_verification *v, const char *name);
/* Verifies one model against the other. */
bxt_verification *verify_both(model *a, model *b);
/*
 * Lets every allocation fail once: the library must report that memory ran out, and lose nothing. b
 * may be NULL: verifies a by itself.
 */
void verify_without_memory(model *a, model *b);

#endif
