/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads files into logical lines: removes comments, joins continued lines, includes files. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "exchange/spice/spice.h"
#include "ground/base/local_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
	bxt_deck *deck;
	const char *file, *folder;
	const char *section; /* section of a library to read, in lower case; NULL: all of it */
	bool skipping;       /* outside that section */
	int depth;
	bxt_buffer line; /* the logical line that is being read */
	int number;      /* number of its first line */
} reader;

/* ---- Comments ---- */

/* The end of the line: before ; or // or a $ that begins a word, outside quotes. */
static size_t without_comment(const char *s, size_t length)
{
	char quote = '\0';
	for (size_t i = 0; i < length; i++) {
		const bool first = i == 0 || strchr(" \t,", s[i - 1]);
		if (quote)
			quote = s[i] == quote ? '\0' : quote;
		else if (s[i] == '\'' || s[i] == '"')
			quote = s[i];
		else if (s[i] == ';' || (s[i] == '/' && i + 1 < length && s[i + 1] == '/') ||
			 (s[i] == '$' && first &&
			  (i + 1 == length || strchr(" \t$", s[i + 1]) || i == 0)))
			return i;
	}
	return length;
}

/* ---- Files ---- */

static const char *first_word(bxt_deck *deck, const char *text, int which)
{
	bxt_spice_words words = bxt_spice_split(deck, text);
	return which < words.n ? words.word[which] : NULL;
}

static char *load(bxt_deck *deck, const char *path, size_t *length, const char **why)
{
	off_t bytes = 0;
	errno = 0;
	FILE *f = bxt_local_file_open(path, &bytes, why);
	deck->failed = deck->failed || (!f && errno == ENOMEM);
	if (!f)
		return NULL;
	char *text = NULL;
	*why = "all files together are too large";
	if ((size_t)bytes <= BXT_SPICE_BYTES - deck->bytes) {
		text = bxt_arena_alloc(deck->arena, (size_t)bytes + 1, 1);
		deck->failed = deck->failed || !text;
	}
	if (text) {
		*length = fread(text, 1, (size_t)bytes, f);
		deck->bytes += *length;
	}
	fclose(f);
	return text;
}

static void read_text(reader *r, const char *text, size_t length, bool titled);

static void include(reader *r, bxt_deck_line *line, const char *name, const char *section)
{
	bxt_deck *deck = r->deck;
	const char *why = NULL;
	size_t length = 0;
	if (!name) {
		bxt_deck_error(deck, line, "a file is missing: .include FILE");
		return;
	}
	if (!deck->folder) {
		bxt_deck_error(deck, line,
			       "'%s' is not read: a deck that is no file has no folder to include "
			       "from",
			       name);
		return;
	}
	if (r->depth >= BXT_SPICE_DEPTH || deck->files >= BXT_SPICE_FILES) {
		bxt_deck_error(deck, line,
			       "'%s': files include each other %s: does a file include itself?",
			       name, r->depth >= BXT_SPICE_DEPTH ? "too deeply" : "too often");
		deck->errors = BXT_SPICE_ERRORS;
		return;
	}
	deck->files++;
	const char *path = *name == '/' ? name : bxt_local_file(deck->arena, r->folder, name);
	const bool confined = path && bxt_local_file_is_below(deck->folder, path);
	char *real = path ? realpath(path, NULL) : NULL;
	char *text = confined ? load(deck, path, &length, &why) : NULL;
	if (!path)
		deck->failed = true;
	else if (!real)
		bxt_deck_error(deck, line,
			       "file '%s' is not found beside the file that includes it", name);
	else if (!confined)
		bxt_deck_error(
			deck, line,
			"file '%s' is not read: files that a deck includes lie in its folder "
			"or below; copy it there",
			name);
	else if (!text && !deck->failed)
		bxt_deck_error(deck, line, "file '%s' is not read: %s", name, why);
	free(real);
	if (!text || deck->failed)
		return;
	reader inner = {.deck = deck,
			.file = path,
			.folder = bxt_local_file_folder(deck->arena, path),
			.section = section ? bxt_spice_lower(deck->arena, section, strlen(section))
					   : NULL,
			.skipping = section != NULL,
			.depth = r->depth + 1};
	read_text(&inner, text, length, false);
}

/* ---- Lines ---- */

static void keep(reader *r, bxt_deck_line *line)
{
	bxt_deck *deck = r->deck;
	if (BXT_GROW(deck->lines, deck->lines_capacity, deck->n_lines + 1) != BXT_OK)
		deck->failed = true;
	else
		deck->lines[deck->n_lines++] = line;
}

/* A section begins with ".lib NAME" and ends with ".endl". */
static bool is_of_section(reader *r, const char *text)
{
	const char *name = bxt_spice_begins(text, ".lib") ? first_word(r->deck, text, 1) : NULL;
	if (bxt_spice_begins(text, ".endl"))
		r->skipping = r->section != NULL;
	else if (r->section && name && !first_word(r->deck, text, 2))
		r->skipping = !bxt_spice_same(name, r->section);
	else
		return !r->skipping;
	return false;
}

static void finish_line(reader *r)
{
	bxt_deck *deck = r->deck;
	deck->failed = deck->failed || r->line.failed;
	if (r->line.length == 0 || bxt_deck_is_over(deck))
		return;
	bxt_deck_line *line = BXT_NEW(deck->arena, bxt_deck_line, 1);
	char *text = bxt_arena_strndup(deck->arena, r->line.text, r->line.length);
	deck->failed = deck->failed || !line || !text;
	if (deck->failed)
		return;
	*line = (bxt_deck_line){.text = text, .file = r->file, .number = r->number};
	bxt_buffer_clear(&r->line);
	if (!is_of_section(r, text))
		return;
	if (bxt_spice_begins(text, ".inc"))
		include(r, line, first_word(deck, text, 1), NULL);
	else if (bxt_spice_begins(text, ".lib"))
		include(r, line, first_word(deck, text, 1), first_word(deck, text, 2));
	else
		keep(r, line);
}

static void take_physical(reader *r, const char *s, size_t length, int number)
{
	while (length > 0 && strchr(" \t\r\f\v\x1a", s[length - 1])) /* also the end mark of DOS */
		length--;
	const char *end = s + length;
	while (s < end && strchr(" \t\f\v", *s))
		s++;
	length = (size_t)(end - s);
	if (length == 0 || *s == '*' || *s == '#')
		return;
	length = without_comment(s, length);
	if (length == 0)
		return;
	if (*s == '+') {
		bxt_buffer_add(&r->line, " ", 1);
		bxt_buffer_add(&r->line, s + 1, length - 1);
		return;
	}
	finish_line(r);
	bxt_buffer_add(&r->line, s, length);
	r->number = number;
}

/* Does the line end the file: .end, but not .ends or .endc? */
static bool is_end(const char *s, const char *end)
{
	while (s < end && strchr(" \t", *s))
		s++;
	return end - s >= 4 && bxt_spice_begins(s, ".end") &&
	       (end - s == 4 || strchr(" \t\r;", s[4]));
}

static void read_text(reader *r, const char *text, size_t length, bool titled)
{
	bxt_deck *deck = r->deck;
	const char *stop = text + length;
	int number = 0;
	if (memchr(text, '\0', length)) {
		bxt_error(deck->d, ((bxt_place){r->file, 0}), "it holds a NUL byte: it is no text");
		deck->errors = BXT_SPICE_ERRORS;
		return;
	}
	for (const char *s = text; s < stop && !bxt_deck_is_over(deck);) {
		const char *end = memchr(s, '\n', (size_t)(stop - s));
		end = end ? end : stop;
		number++;
		if (++deck->physical > BXT_SPICE_LINES) {
			bxt_error(deck->d, ((bxt_place){r->file, number}),
				  "the deck has more than %d lines: no more are read",
				  BXT_SPICE_LINES);
			deck->errors = BXT_SPICE_ERRORS;
		} else if (titled && number == 1) {
			deck->title = bxt_arena_strndup(deck->arena, s, (size_t)(end - s));
			deck->failed = deck->failed || !deck->title;
		} else if (titled && is_end(s, end)) {
			break;
		} else {
			take_physical(r, s, (size_t)(end - s), number);
		}
		s = end + 1;
	}
	finish_line(r);
	bxt_buffer_free(&r->line);
}

void bxt_deck_read_text(bxt_deck *deck, const char *text, size_t length)
{
	reader r = {.deck = deck, .file = deck->file, .folder = ""};
	char *copy = NULL;
	if (length > BXT_SPICE_BYTES) {
		bxt_error(deck->d, ((bxt_place){deck->file, 0}), "the deck is too large: %d bytes",
			  BXT_SPICE_BYTES);
		deck->errors++;
		return;
	}
	copy = bxt_arena_strndup(deck->arena, text, length);
	deck->failed = deck->failed || !copy;
	if (copy && strlen(copy) < length) {
		bxt_error(deck->d, ((bxt_place){deck->file, 0}),
			  "it holds a NUL byte: it is no text");
		deck->errors++;
	} else if (copy) {
		read_text(&r, copy, length, true);
	}
}

void bxt_deck_read_file(bxt_deck *deck, const char *path)
{
	const char *why = NULL;
	size_t length = 0;
	char *text = load(deck, path, &length, &why);
	if (!text) {
		if (!deck->failed)
			bxt_error(deck->d, ((bxt_place){path, 0}), "cannot be read: %s", why);
		deck->errors++;
		return;
	}
	deck->folder = bxt_local_file_folder(deck->arena, path);
	reader r = {.deck = deck, .file = deck->file, .folder = deck->folder};
	read_text(&r, text, length, true);
}
