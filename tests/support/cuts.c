/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/cuts.h"

#include "ground/base/text.h"

#include <stdlib.h>
#include <string.h>

char *text_of(const bxt_netlist *n)
{
	char *text = NULL;
	size_t length;
	FILE *f = open_memstream(&text, &length);
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(bxt_netlist_write(n, f), BXT_OK);
	fclose(f);
	return text;
}

char *canonical_of(const bxt_netlist *n)
{
	bxt_netlist *c = NULL;
	ck_assert_int_eq(bxt_netlist_canonical(n, &c), BXT_OK);
	char *text = text_of(c);
	bxt_netlist_free(c);
	return text;
}

bxt_netlist *netlist_of(const char *text)
{
	bxt_netlist *n = NULL;
	ck_assert_int_eq(bxt_netlist_read_memory(text, strlen(text), "test", NULL, &n), BXT_OK);
	return n;
}

void tell(const bxt_diagnostics *d)
{
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++)
		fprintf(stderr, "%s:%d: %s\n", bxt_diagnostics_get(d, i)->file,
			bxt_diagnostics_get(d, i)->line, bxt_diagnostics_get(d, i)->text);
}

bxt_library *library_of(void)
{
	const char *path = getenv("BOXTIMES_PATH");
	ck_assert_msg(path, "BOXTIMES_PATH is not set: use make check");
	bxt_library *library = bxt_library_new(&path, 1, NULL);
	ck_assert_ptr_nonnull(library);
	return library;
}

bxt_netlist *flat(const bxt_netlist *n, bxt_library *library)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *out = NULL;
	if (bxt_netlist_flatten(n, library, d, &out) != BXT_OK) {
		tell(d);
		ck_abort_msg("cannot be made flat");
	}
	bxt_diagnostics_free(d);
	return out;
}

/* NULL after findings. The first of them must contain the words (NULL: any words). */
bxt_netlist *torn(const bxt_netlist *n, bxt_library *library, const bxt_tear_def *def,
		  const char *words)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *out = NULL;
	const bxt_status status = bxt_netlist_tear(n, library, def, d, &out);
	bool said = false;
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++)
		said = said || (bxt_diagnostics_get(d, i)->severity == BXT_ERROR && words &&
				strstr(bxt_diagnostics_get(d, i)->text, words));
	if (status != BXT_OK && (status != BXT_ERR_MODEL || !said)) {
		tell(d);
		ck_abort_msg("cannot be torn: %s", bxt_status_text(status));
	}
	ck_assert((status == BXT_OK) == (out != NULL));
	bxt_diagnostics_free(d);
	return out;
}

bxt_netlist *read_shipped(const char *name)
{
	bxt_buffer path = {0};
	bxt_netlist *n = NULL;
	bxt_buffer_printf(&path, "%s/%s", getenv("BXT_NETLISTS"), name);
	ck_assert_int_eq(bxt_netlist_read(path.text, NULL, &n), BXT_OK);
	bxt_buffer_free(&path);
	return n;
}
