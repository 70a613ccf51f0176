/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was verified, for people and for programs. */
#include "base/text.h"

#include <math.h>
#include <string.h>

static bxt_status stream_status(FILE *stream)
{
	return fflush(stream) == 0 && !ferror(stream) ? BXT_OK : BXT_ERR_IO;
}

static void write_number(FILE *f, double value)
{
	char text[32];
	bxt_format_number(text, value);
	fputs(isfinite(value) ? text : "null", f);
}

static void write_string(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;
		if (c == '"' || c == '\\')
			fprintf(f, "\\%c", c);
		else if (c < 0x20)
			fprintf(f, "\\u%04x", c);
		else
			fputc(c, f);
	}
	fputc('"', f);
}

bxt_status bxt_verification_write_json(const bxt_verification *v, FILE *f)
{
	fprintf(f, "{\n  \"passed\": %s,\n  \"states\": %d,\n  \"checks\": [",
		v->passed ? "true" : "false", v->states);
	for (size_t i = 0; i < v->n; i++) {
		const bxt_verify_check *c = &v->checks[i];
		fputs(i ? ",\n    {\"name\": " : "\n    {\"name\": ", f);
		write_string(f, c->name);
		fprintf(f, ", \"passed\": %s", c->passed ? "true" : "false");
		fprintf(f, "%s, \"figure\": ", c->note ? ", \"note\": true" : "");
		write_number(f, c->figure);
		fputs(", \"tolerance\": ", f);
		write_number(f, c->tolerance);
		fputs(", \"text\": ", f);
		write_string(f, c->text);
		if (c->file) {
			fputs(", \"file\": ", f);
			write_string(f, c->file);
			fprintf(f, ", \"line\": %d", c->line);
		}
		fputc('}', f);
	}
	fputs("\n  ]\n}\n", f);
	return stream_status(f);
}

bxt_status bxt_verification_write_text(const bxt_verification *v, FILE *f)
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
	return stream_status(f);
}
