/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/base/diagnostics.h"

#include "ground/base/plain.h"

#include <stdlib.h>
#include <string.h>

struct bxt_diagnostics {
	bxt_arena *text; /* strings of the findings */
	bxt_finding *findings;
	size_t count, capacity;
	bool incomplete; /* a finding was lost because memory ran out */
};

/* Replaces a finding that could not be stored. */
static const bxt_finding lost = {
	sizeof lost, BXT_ERROR, NULL, 0,
	"out of memory while reporting: the list of findings is incomplete"};

bxt_diagnostics *bxt_diagnostics_new(void)
{
	bxt_diagnostics *d = calloc(1, sizeof *d);
	if (d && !(d->text = bxt_arena_new()))
		d = bxt_free(d);
	return d;
}

bxt_diagnostics *bxt_diagnostics_free(bxt_diagnostics *d)
{
	if (d) {
		bxt_arena_free(d->text);
		free(d->findings);
		free(d);
	}
	return NULL;
}

size_t bxt_diagnostics_count(const bxt_diagnostics *d, bxt_severity at_least)
{
	if (!d)
		return 0;
	size_t count = d->incomplete;
	for (size_t i = 0; i < d->count; i++)
		count += d->findings[i].severity >= at_least;
	return count;
}

const bxt_finding *bxt_diagnostics_get(const bxt_diagnostics *d, size_t i)
{
	if (!d || i > d->count || (i == d->count && !d->incomplete))
		return NULL;
	return i == d->count ? &lost : &d->findings[i];
}

/* The text as terminals may show it: a finding is one line. */
static char *plain(bxt_arena *arena, char *text)
{
	bxt_buffer b = {0};
	if (!text || !bxt_plain_needs(text, false))
		return text;
	bxt_plain_add(&b, text, false);
	char *copy = b.failed ? NULL : bxt_arena_strdup(arena, b.text);
	bxt_buffer_free(&b);
	return copy;
}

void bxt_report(bxt_diagnostics *d, bxt_severity severity, bxt_place place, const char *format, ...)
{
	if (!d)
		return;
	va_list arguments;
	va_start(arguments, format);
	char *text = plain(d->text, bxt_arena_vprintf(d->text, format, arguments));
	va_end(arguments);
	char *file = plain(d->text, bxt_arena_strdup(d->text, place.file));
	if (!text || (place.file && !file) ||
	    BXT_GROW(d->findings, d->capacity, d->count + 1) != BXT_OK) {
		d->incomplete = true;
		return;
	}
	d->findings[d->count++] =
		(bxt_finding){sizeof(bxt_finding), severity, file, place.line, text};
}

void bxt_diagnostics_move(bxt_diagnostics *from, bxt_diagnostics *to)
{
	if (!from || from == to || (from->count == 0 && !from->incomplete))
		return;
	for (size_t i = 0; i < from->count; i++) {
		const bxt_finding *f = &from->findings[i];
		bxt_report(to, f->severity, (bxt_place){f->file, f->line}, "%s", f->text);
	}
	if (to)
		to->incomplete = to->incomplete || from->incomplete;
	from->count = 0;
	from->incomplete = false;
	bxt_arena *text = bxt_arena_new(); /* else the old texts stay until the list is freed */
	if (text) {
		bxt_arena_free(from->text);
		from->text = text;
	}
}

bxt_status bxt_missing(bxt_diagnostics *d, const char *function, const char *what)
{
	bxt_error(d, BXT_NOWHERE, "%s: '%s' is NULL, and must be given", function, what);
	return BXT_ERR_ARGUMENT;
}

/* The size that a structure of the caller begins with. */
static bxt_status read_size(const void *given, size_t known, const char *what, size_t *size,
			    bxt_diagnostics *d)
{
	memcpy(size, given, sizeof *size);
	if (*size >= sizeof *size && *size <= known)
		return BXT_OK;
	bxt_error(d, BXT_NOWHERE,
		  "%s has size %zu, of %zu that are known: its default, or sizeof, sets it", what,
		  *size, known);
	return BXT_ERR_ARGUMENT;
}

bxt_status bxt_check_filled(const void *given, size_t known, const char *what, bxt_diagnostics *d)
{
	size_t size;
	memcpy(&size, given, sizeof size);
	if (size == known)
		return BXT_OK;
	bxt_error(d, BXT_NOWHERE, "%s has size %zu, not %zu: the library has not filled it", what,
		  size, known);
	return BXT_ERR_ARGUMENT;
}

bxt_status bxt_give_sized(const void *own, size_t known, void *given, const char *what,
			  bxt_diagnostics *d)
{
	size_t size;
	BXT_TRY(read_size(given, known, what, &size, d));
	memcpy(given, own, size);
	memcpy(given, &size, sizeof size);
	return BXT_OK;
}

bxt_status bxt_take_sized(const void *given, void *own, size_t known, const char *what,
			  bxt_diagnostics *d)
{
	size_t size;
	BXT_TRY(read_size(given, known, what, &size, d));
	memset(own, 0, known);
	memcpy(own, given, size);
	return BXT_OK;
}
