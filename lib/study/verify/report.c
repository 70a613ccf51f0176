/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the result of a verification as text and as JSON. */
#include "boxtimes_verify.h"
#include "ground/base/diagnostics.h"
#include "ground/base/json.h"
#include "ground/base/plain.h"

#include <math.h>
#include <string.h>

bxt_status bxt_verification_write_json(const bxt_verification *verification, FILE *stream)
{
	const bxt_verification *const v = verification;
	bxt_json json = {.stream = stream}, *j = &json;
	BXT_NEEDS(NULL, verification);
	BXT_NEEDS(NULL, stream);
	BXT_TRY(bxt_check_filled(verification, sizeof *verification, "bxt_verification", NULL));
	bxt_json_object(j, NULL, BXT_JSON_LINES);
	bxt_json_boolean(j, "passed", v->passed);
	bxt_json_integer(j, "states", v->states);
	bxt_json_array(j, "checks", BXT_JSON_LINES);
	for (size_t i = 0; i < v->n; i++) {
		const bxt_verify_check *c = &v->checks[i];
		bxt_json_object(j, NULL, BXT_JSON_INLINE);
		bxt_json_text(j, "name", c->name);
		bxt_json_boolean(j, "passed", c->passed);
		if (c->note)
			bxt_json_boolean(j, "note", true);
		bxt_json_number(j, "figure", c->figure);
		bxt_json_number(j, "tolerance", c->tolerance);
		bxt_json_text(j, "text", c->text);
		if (c->file) {
			bxt_json_text(j, "file", c->file);
			bxt_json_integer(j, "line", c->line);
		}
		bxt_json_close(j);
	}
	bxt_json_close(j);
	bxt_json_close(j);
	return bxt_json_end(j);
}

static void write_text(const bxt_verification *v, FILE *f)
{
	size_t failed = 0, notes = 0;
	int width = 0;
	for (size_t i = 0; i < v->n; i++) {
		const int length = (int)strlen(v->checks[i].name);
		width = length > width ? length : width;
	}
	for (size_t i = 0; i < v->n; i++) {
		const bxt_verify_check *c = &v->checks[i];
		failed += !c->passed;
		notes += c->note;
		fprintf(f, "%s %-*s %9.2g",
			c->note     ? "note  "
			: c->passed ? "passed"
				    : "FAILED",
			width, c->name, c->figure);
		if (c->tolerance > 0)
			fprintf(f, " (%7.1g)", c->tolerance);
		else
			fputs("          ", f);
		fprintf(f, "  %s\n", c->text);
		if (!c->passed && c->file)
			fprintf(f, "       at %s:%d\n", c->file, c->line);
	}
	fprintf(f, "%zu passed, %zu failed", v->n - failed - notes, failed);
	if (v->states > 0)
		fprintf(f, "; %d state%s", v->states, v->states == 1 ? "" : "s");
	fputc('\n', f);
}

bxt_status bxt_verification_write_text(const bxt_verification *verification, FILE *stream)
{
	bxt_plain_stream plain;
	BXT_NEEDS(NULL, verification);
	BXT_NEEDS(NULL, stream);
	BXT_TRY(bxt_check_filled(verification, sizeof *verification, "bxt_verification", NULL));
	FILE *f = bxt_plain_open(&plain, stream); /* it contains names of files */
	if (f)
		write_text(verification, f);
	BXT_TRY(bxt_plain_close(&plain, f ? BXT_OK : BXT_ERR_MEMORY));
	return bxt_stream_status(stream);
}
