/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the values that settings take. */
#include "run/initial/setting_values.h"

#include "ground/base/diagnostics.h"

static void print_name(void *stream, const char *name, const char *doc)
{
	(void)doc;
	fprintf(stream, " %s", name);
}

bxt_status bxt_write_settings(FILE *stream)
{
	FILE *const f = stream;
	BXT_NEEDS(NULL, stream);
	for (int i = 0; bxt_setting_names[i]; i++) {
		fputs(bxt_setting_names[i], f);
		bxt_setting_values(bxt_setting_names[i], print_name, f);
		fputc('\n', f);
	}
	return bxt_stream_status(f);
}
