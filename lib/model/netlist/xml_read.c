/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * XML to tree: libxml2's SAX2 push parser, hardened. All input is checked to be UTF-8 before the
 * parser sees it. A DOCTYPE is refused as soon as its name is read, so only the five predefined
 * entities can exist. No state of the parser is global: handlers sit in its own context.
 */
#include "model/netlist/xml.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1 << 16 };                         /* bytes handed to the parser at once */
static const size_t size_limit = (size_t)1 << 30; /* bytes of a file */

/* ---- Feeding ---- */

size_t bxt_utf8_prefix(const char *bytes, size_t length, bool *bad)
{
	/* The least code point for each number of continuation bytes; smaller ones are overlong. */
	static const unsigned least[] = {0, 0x80, 0x800, 0x10000};
	const unsigned char *s = (const unsigned char *)bytes;
	size_t i = 0;
	*bad = false;
	while (i < length) {
		const unsigned c = s[i];
		if (c - 1 < 0x7F) {
			i++;
			continue;
		}
		const size_t more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
		unsigned code = c & (0x3Fu >> more);
		*bad = c < 0xC2 || c > 0xF4;
		size_t k = 1;
		for (; k <= more && i + k < length && !*bad; k++) {
			code = code << 6 | (s[i + k] & 0x3F);
			*bad = (s[i + k] & 0xC0) != 0x80;
		}
		if (!*bad && k <= more)
			return i; /* cut off */
		*bad = *bad || code < least[more] || code > 0x10FFFF ||
		       (code >= 0xD800 && code < 0xE000);
		if (*bad)
			return i;
		i += more + 1;
	}
	return i;
}

static void report_bytes(bxt_xml_reader *r, const char *bytes, size_t left)
{
	const unsigned char *b = (const unsigned char *)bytes;
	const bxt_place place = bxt_xml_at(r, (int)r->newlines + 1);
	const bool wide = left >= 2 && ((b[0] == 0xFF && b[1] == 0xFE) ||
					(b[0] == 0xFE && b[1] == 0xFF) || !b[0] || !b[1]);
	if (r->bytes <= 1 && wide)
		bxt_error(r->d, place, "the file is UTF-16 or UTF-32; only UTF-8 is read");
	else if (!*b)
		bxt_error(r->d, place, "the file holds a NUL byte: it is not text");
	else
		bxt_error(r->d, place, "byte 0x%02X is not UTF-8; save the file as UTF-8", *b);
	bxt_xml_stop(r);
}

/* Does a line begin as in a SPICE deck: ".tran", ".end", "* comment"? */
static bool is_deck(const char *bytes, size_t length)
{
	bool begins = true;
	for (size_t i = 0; i < length; i++) {
		const bool dot = bytes[i] == '.' && i + 1 < length &&
				 ((bytes[i + 1] | 0x20) >= 'a' && (bytes[i + 1] | 0x20) <= 'z');
		if (begins && (dot || bytes[i] == '*'))
			return true;
		begins = bytes[i] == '\n';
	}
	return false;
}

/* Reports a file that does not begin like XML, and its probable format. */
static bool is_xml(bxt_xml_reader *r, const char *bytes, size_t length)
{
	size_t i = length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
	while (i < length && memchr(" \t\r\n", bytes[i], 4))
		i++;
	if (i == length || bytes[i] == '<' || (unsigned char)bytes[i] < 0x20)
		return true;
	bxt_error(r->d, bxt_xml_at(r, 1), "the file is no XML: it has to begin with <%s%s%s%s>%s",
		  r->expected_root, *r->expected_ns ? " xmlns=\"" : "", r->expected_ns,
		  *r->expected_ns ? "\"" : "",
		  is_deck(bytes, length) ? "; it looks like a SPICE deck, which is not read" : "");
	bxt_xml_stop(r);
	return false;
}

/* Passes the whole characters to the parser; returns their number of bytes. */
static size_t feed(bxt_xml_reader *r, const char *bytes, size_t length, bool last)
{
	bool bad;
	const size_t good = bxt_utf8_prefix(bytes, length, &bad);
	if (good > size_limit - r->bytes) {
		bxt_error(r->d, bxt_xml_at(r, 0), "the file is larger than %zu bytes", size_limit);
		bxt_xml_stop(r);
		return 0;
	}
	if (r->bytes == 0 && good && !is_xml(r, bytes, good))
		return 0;
	r->bytes += good;
	if (good && xmlParseChunk(r->parser, bytes, (int)good, 0) == XML_ERR_NO_MEMORY &&
	    !r->stopped)
		bxt_xml_out_of_memory(r);
	r->newlines += (size_t)bxt_xml_newlines(bytes, good);
	if ((bad || (last && good < length)) && !r->stopped)
		report_bytes(r, bytes + good, length - good);
	return good;
}

/* Ends the document and checks that it is complete. */
static void finish(bxt_xml_reader *r)
{
	if (r->stopped)
		return;
	r->ending = true;
	const int code = xmlParseChunk(r->parser, "", 0, 1);
	if (r->stopped)
		return;
	if (code == XML_ERR_NO_MEMORY) {
		bxt_xml_out_of_memory(r);
	} else if (!r->tree->root || r->current || !r->parser->wellFormed) {
		bxt_error(r->d, bxt_xml_at(r, (int)r->newlines + 1),
			  "the file ends before <%s> is complete", r->expected_root);
		bxt_xml_stop(r);
	}
}

static struct bxt_netlist *tree_new(const char *name)
{
	bxt_arena *arena = bxt_arena_new();
	struct bxt_netlist *tree = arena ? BXT_NEW(arena, struct bxt_netlist, 1) : NULL;
	if (tree) {
		tree->arena = arena;
		tree->file = bxt_arena_strdup(arena, name ? name : "");
	}
	if (!tree || !tree->file) {
		bxt_arena_free(arena);
		return NULL;
	}
	return tree;
}

/* Initialises the global data of libxml2, which two threads must not do at once. */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bxt_status reader_open(bxt_xml_reader *r, const char *name)
{
	pthread_once(&once, xmlInitParser);
	if (!(r->tree = tree_new(name)))
		return BXT_ERR_MEMORY;
	r->prologue_end = &r->tree->prologue;
	r->epilogue_end = &r->tree->epilogue;
	xmlSAXHandler sax = bxt_xml_handlers; /* the parser makes its own copy of it */
	r->parser = xmlCreatePushParserCtxt(&sax, r, NULL, 0, NULL);
	if (!r->parser)
		return BXT_ERR_MEMORY;
	xmlCtxtUseOptions(r->parser, XML_PARSE_NONET);
	return BXT_OK;
}

/* Frees the reader; *out gets the tree when it is complete. */
static bxt_status reader_close(bxt_xml_reader *r, bxt_status status, struct bxt_netlist **out)
{
	if (status == BXT_OK)
		status = r->status;
	if (status == BXT_OK && r->errors)
		status = BXT_ERR_MODEL;
	if (r->parser)
		xmlFreeParserCtxt(r->parser);
	bxt_buffer_free(&r->text);
	bxt_free(r->names);
	if (status == BXT_OK)
		*out = r->tree;
	else if (r->tree)
		bxt_arena_free(r->tree->arena);
	return status;
}

bxt_status bxt_tree_read_memory(const char *bytes, size_t length, const char *name,
				const char *expected_ns, const char *expected_root,
				bxt_diagnostics *d, struct bxt_netlist **out)
{
	bxt_xml_reader r = {.d = d, .expected_ns = expected_ns, .expected_root = expected_root};
	*out = NULL;
	bxt_status status = reader_open(&r, name);
	for (size_t done = 0; status == BXT_OK && done < length && !r.stopped;) {
		const size_t n = length - done < CHUNK ? length - done : CHUNK;
		done += feed(&r, bytes + done, n, done + n == length);
	}
	if (status == BXT_OK)
		finish(&r);
	return reader_close(&r, status, out);
}

/* ---- Files ---- */

static bxt_status read_failed(bxt_xml_reader *r, const char *path)
{
	const int code = errno; /* before anything else can change it */
	const bxt_place place = {path, 0};
	bxt_error(r->d, place, "cannot be read: %s", strerror(code));
	return BXT_ERR_IO;
}

static bxt_status feed_all(bxt_xml_reader *r, int fd, const char *path, char *buffer)
{
	size_t held = 0; /* bytes of a character cut off by the last chunk */
	while (!r->stopped) {
		const ssize_t got = read(fd, buffer + held, CHUNK - held);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return read_failed(r, path);
		const size_t length = held + (size_t)got;
		const size_t done = feed(r, buffer, length, got == 0);
		held = length - done;
		memmove(buffer, buffer + done, held);
		if (got == 0)
			break;
	}
	finish(r);
	return BXT_OK;
}

bxt_status bxt_tree_read_file(const char *path, const char *expected_ns, const char *expected_root,
			      bxt_diagnostics *d, struct bxt_netlist **out)
{
	bxt_xml_reader r = {.d = d, .expected_ns = expected_ns, .expected_root = expected_root};
	const bool standard = strcmp(path, "-") == 0;
	*out = NULL;
	const int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return read_failed(&r, path);
	bxt_status status = reader_open(&r, path);
	char *buffer = NULL;
	size_t capacity = 0;
	if (status == BXT_OK)
		status = BXT_GROW(buffer, capacity, CHUNK);
	if (status == BXT_OK)
		status = feed_all(&r, fd, path, buffer);
	bxt_free(buffer);
	if (!standard)
		close(fd);
	return reader_close(&r, status, out);
}
