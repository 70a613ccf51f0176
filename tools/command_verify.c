/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tool.h"

#include <errno.h>
#include <string.h>

static int write_result(const options *o, const bxt_verification *v)
{
	const bxt_status status = o->json ? bxt_verification_write_json(v, stdout)
					  : bxt_verification_write_text(v, stdout);
	if (status != BXT_OK) {
		print_message("boxtimes: cannot write the checks: %s\n", strerror(errno));
		return EXIT_NUMERICS;
	}
	return v->passed ? EXIT_OK : EXIT_DIFFERENT;
}

static bxt_verify_def definition(const options *o)
{
	bxt_verify_def def;
	bxt_default_verify_def(&def);
	def.run = watched(o);
	def.at = o->verify.at;
	def.seed = o->seed;
	def.tolerance = o->tolerance;
	def.hamilton_jacobi = o->verify.hamilton_jacobi;
	return def;
}

int command_verify(const options *o)
{
	if (o->verify.against && o->verify.hamilton_jacobi) {
		fputs("boxtimes: --hamilton-jacobi takes one model, without --against\n", stderr);
		return EXIT_USAGE;
	}
	model m[2] = {{0}, {0}};
	bxt_library *library = open_library(o);
	const bxt_verify_def def = definition(o);
	bxt_verification *v = NULL;
	int result = library ? EXIT_OK : EXIT_NUMERICS;
	if (result == EXIT_OK)
		result = model_open(&m[0], o, o->files.text[0], library, false);
	if (result == EXIT_OK && o->verify.against)
		result = model_open(&m[1], o, o->verify.against, library, false);
	if (result == EXIT_OK) {
		bxt_diagnostics *d = bxt_diagnostics_new();
		const bxt_status status =
			!d ? BXT_ERR_MEMORY
			: o->verify.against
				? bxt_verify_against(m[0].system, m[1].system, &def, d, &v)
				: bxt_verify(m[0].system, &def, d, &v);
		progress_done();
		result = report(status, d, m[0].file, o->quiet);
	}
	if (result == EXIT_OK)
		result = write_result(o, v);
	bxt_verification_free(v);
	for (int i = 0; i < 2; i++)
		model_close(&m[i]);
	bxt_library_free(library);
	return result;
}
