/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/verify_checks.h"

#include "support/allocation.h"

#include <string.h>

void verify_tell(const bxt_verification *v, const char *what)
{
	fprintf(stderr, "%s\n", what);
	bxt_verification_write_text(v, stderr);
}

const bxt_verify_check *verify_check_of(const bxt_verification *v, const char *name)
{
	for (size_t i = 0; i < v->n; i++)
		if (strcmp(v->checks[i].name, name) == 0)
			return &v->checks[i];
	return NULL;
}

bxt_verification *verify_both(model *a, model *b)
{
	bxt_verification *v = NULL;
	ck_assert_int_eq(bxt_verify_against(a->system, b->system, NULL, a->findings, &v), BXT_OK);
	return v;
}

void verify_without_memory(model *a, model *b)
{
	long n = 0;
	for (bool failed = true; failed; n++) {
		bxt_verification *v = NULL;
		bxt_diagnostics *d = bxt_diagnostics_new();
		allocation_fail(n);
		const bxt_status status = b ? bxt_verify_against(a->system, b->system, NULL, d, &v)
					    : bxt_verify(a->system, NULL, d, &v);
		failed = allocation_failed();
		allocation_fail(-1);
		ck_assert_msg(status == BXT_OK || (failed && status == BXT_ERR_MEMORY),
			      "allocation %ld: %s", n, bxt_status_text(status));
		ck_assert_int_eq(v != NULL, status == BXT_OK);
		bxt_verification_free(v);
		bxt_diagnostics_free(d);
	}
	ck_assert_int_gt(n, 50); /* otherwise nothing was tested */
}
