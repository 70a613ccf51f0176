/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of verification share. */
#ifndef BXT_TESTS_SUPPORT_VERIFY_CHECKS_H
#define BXT_TESTS_SUPPORT_VERIFY_CHECKS_H

#include "support/harness.h"

/* All checks, on standard error. */
void verify_tell(const bxt_verification *v, const char *what);
/* The check of that name, or NULL. */
const bxt_verify_check *verify_check_of(const bxt_verification *v, const char *name);
/* The one against the other. */
bxt_verification *verify_both(model *a, model *b);
/* Every allocation fails once: out of memory is said, nothing is lost or taken for a result. b may
 * be NULL: a by itself. */
void verify_without_memory(model *a, model *b);

#endif
