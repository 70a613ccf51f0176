/* SPDX-License-Identifier: GPL-3.0-or-later */
/* XML to tree: the handlers of libxml2's SAX2 events. */
#include "model/netlist/xml.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

enum {
	DEPTH_LIMIT = 64,   /* elements; hand-written netlists stay below 10 */
	ATTRIBUTE_WORDS = 5 /* libxml2 gives local name, prefix, URI, start, end */
};

/* ---- Stopping ---- */

void bxt_xml_stop(bxt_xml_reader *r)
{
	r->stopped = true;
	r->errors = true;
	xmlStopParser(r->parser);
}

void bxt_xml_out_of_memory(bxt_xml_reader *r)
{
	r->status = BXT_ERR_MEMORY;
	bxt_xml_stop(r);
}

bxt_place bxt_xml_at(const bxt_xml_reader *r, int line)
{
	return (bxt_place){r->tree->file, line};
}

/* ---- Places ---- */

int bxt_xml_newlines(const char *text, size_t length)
{
	int count = 0;
	const char *end = text + length;
	while ((text = memchr(text, '\n', (size_t)(end - text)))) {
		count++;
		text++;
	}
	return count;
}

/*
 * Finds the '<' of the start tag whose end the parser has reached, and its line; the parser's own
 * line is that of the tag's end. A backward search is safe: neither attribute values nor names can
 * contain a '<', and the parser's buffer holds the whole start tag.
 */
static const char *tag_start(const bxt_xml_reader *r, int *line)
{
	const xmlParserInput *input = r->parser->input;
	const xmlChar *c = input->cur;
	*line = input->line;
	for (; c > input->base && (c == input->cur || *c != '<'); c--)
		*line -= c != input->cur && *c == '\n';
	return (const char *)c;
}

/* ---- Strings ---- */

static size_t slot_of(const bxt_xml_name *names, size_t capacity, const xmlChar *key)
{
	size_t i = (size_t)(((uintptr_t)key * 0x9E3779B97F4A7C15u) >> 20) & (capacity - 1);
	while (names[i].key && names[i].key != key)
		i = (i + 1) & (capacity - 1);
	return i;
}

static bool names_grow(bxt_xml_reader *r)
{
	bxt_xml_name *grown = NULL;
	size_t capacity = 0;
	if (BXT_GROW(grown, capacity, r->names_capacity ? 2 * r->names_capacity : 64) != BXT_OK)
		return false;
	for (size_t i = 0; i < r->names_capacity; i++)
		if (r->names[i].key)
			grown[slot_of(grown, capacity, r->names[i].key)] = r->names[i];
	bxt_free(r->names);
	r->names = grown;
	r->names_capacity = capacity;
	return true;
}

/*
 * Copies the value of an attribute. Without entity substitution the parser leaves a '&' as "&#38;"
 * for a second pass, and no other entity with '&' remains. The copy has '&' again.
 */
static const char *value_copy(bxt_arena *arena, const char *start, size_t length)
{
	char *copy = bxt_arena_strndup(arena, start, length);
	if (!copy || !memchr(copy, '&', length))
		return copy;
	char *to = copy;
	for (const char *from = copy; *from; from++) {
		*to++ = *from;
		if (strncmp(from, "&#38;", 5) == 0)
			from += 4;
	}
	*to = '\0';
	return copy;
}

/*
 * The same with a cache: nodes, units and defaults repeat, mostly soon, and these are stored once.
 */
static const char *shared_value(bxt_xml_reader *r, const char *start, size_t length)
{
	uint32_t h = 2166136261u; /* FNV-1a */
	if (length > BXT_XML_SHORT || memchr(start, '&', length))
		return value_copy(r->tree->arena, start, length);
	for (size_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)start[i]) * 16777619u;
	const char **known = &r->recent[(h ^ h >> 15) % BXT_XML_RECENT];
	if (!*known || strncmp(*known, start, length) != 0 || (*known)[length])
		*known = bxt_arena_strndup(r->tree->arena, start, length);
	return *known;
}

/* The tree's copy of a dictionary string (a name or a namespace), made once; "" for NULL; NULL when
 * out of memory. */
static const char *intern(bxt_xml_reader *r, const xmlChar *key)
{
	if (!key)
		return "";
	if (2 * (r->n_names + 1) > r->names_capacity && !names_grow(r))
		return NULL;
	bxt_xml_name *slot = &r->names[slot_of(r->names, r->names_capacity, key)];
	if (!slot->key) {
		const char *copy =
			value_copy(r->tree->arena, (const char *)key, strlen((const char *)key));
		if (!copy)
			return NULL;
		*slot = (bxt_xml_name){key, copy};
		r->n_names++;
	}
	return slot->value;
}

/* ---- Building the tree ---- */

static bxt_item *new_item(bxt_xml_reader *r, bxt_item_type type, int line)
{
	bxt_item *item = BXT_NEW(r->tree->arena, bxt_item, 1);
	if (!item) {
		bxt_xml_out_of_memory(r);
		return NULL;
	}
	item->type = type;
	item->ns = item->prefix = item->name = item->text = "";
	item->place = bxt_xml_at(r, line);
	return item;
}

/* Appends an item to the current element, or around the root. */
static void attach(bxt_xml_reader *r, bxt_item *item)
{
	bxt_item *parent = r->current;
	item->parent = parent;
	if (parent) {
		if (parent->last)
			parent->last->next = item;
		else
			parent->first = item;
		parent->last = item;
		return;
	}
	bxt_item ***end = r->tree->root ? &r->epilogue_end : &r->prologue_end;
	**end = item;
	*end = &item->next;
}

/* Character data may come in pieces, which are joined to one item when something else follows. */
static void flush_text(bxt_xml_reader *r)
{
	const size_t length = r->text.length;
	if (r->text.failed) {
		bxt_xml_out_of_memory(r);
		return;
	}
	if (!length)
		return;
	bxt_item *item = new_item(r, BXT_ITEM_TEXT, r->text_line);
	if (!item)
		return;
	const bool space = strspn(r->text.text, " \n\t") == length;
	if (space && r->last_space && strcmp(r->last_space, r->text.text) == 0)
		item->text = r->last_space;
	else if (!(item->text = bxt_arena_strndup(r->tree->arena, r->text.text, length))) {
		bxt_xml_out_of_memory(r);
		return;
	}
	if (space)
		r->last_space = item->text;
	attach(r, item);
	bxt_buffer_clear(&r->text);
}

static void on_text(void *context, const xmlChar *text, int length)
{
	bxt_xml_reader *r = context;
	if (r->stopped || !r->current)
		return;
	if (!r->text.length)
		r->text_line = r->parser->input->line -
			       bxt_xml_newlines((const char *)text, (size_t)length);
	bxt_buffer_add(&r->text, (const char *)text, (size_t)length);
}

static void on_comment(void *context, const xmlChar *text)
{
	bxt_xml_reader *r = context;
	if (r->stopped)
		return;
	flush_text(r);
	const char *content = (const char *)text;
	const int line = r->parser->input->line - bxt_xml_newlines(content, strlen(content));
	bxt_item *item = r->stopped ? NULL : new_item(r, BXT_ITEM_COMMENT, line);
	if (!item)
		return;
	if (!(item->text = bxt_arena_strdup(r->tree->arena, content)))
		bxt_xml_out_of_memory(r);
	attach(r, item);
}

static void on_instruction(void *context, const xmlChar *target, const xmlChar *data)
{
	bxt_xml_reader *r = context;
	if (r->stopped)
		return;
	flush_text(r);
	const char *content = data ? (const char *)data : "";
	const int line = r->parser->input->line - bxt_xml_newlines(content, strlen(content));
	bxt_item *item = r->stopped ? NULL : new_item(r, BXT_ITEM_PI, line);
	if (!item)
		return;
	item->name = bxt_arena_strdup(r->tree->arena, (const char *)target);
	item->text = bxt_arena_strdup(r->tree->arena, content);
	if (!item->name || !item->text)
		bxt_xml_out_of_memory(r);
	attach(r, item);
}

/* ---- Elements ---- */

/* A start tag as the parser passes it. */
struct tag {
	const xmlChar *name, *prefix, *uri;
	int n_ns, n_attributes;
	const xmlChar **ns, **attributes;
};

static bool check_root(bxt_xml_reader *r, const struct tag *tag, int line)
{
	const char *name = (const char *)tag->name, *uri = (const char *)tag->uri;
	const char *ns = r->expected_ns, *root = r->expected_root;
	if (strcmp(uri ? uri : "", ns) == 0 && strcmp(name, root) == 0)
		return true;
	if (!*ns) {
		bxt_error(r->d, bxt_xml_at(r, line), "expected <%s>, found <%s>", root, name);
		bxt_xml_stop(r);
		return false;
	}
	if (!uri && strcmp(name, root) == 0)
		bxt_error(r->d, bxt_xml_at(r, line),
			  "<%s> is in no namespace: write <%s xmlns=\"%s\"> so that its version is "
			  "known",
			  root, root, ns);
	else if (uri && strcmp(name, root) == 0)
		bxt_error(r->d, bxt_xml_at(r, line),
			  "<%s> is in the namespace \"%s\"; this version reads xmlns=\"%s\"", root,
			  uri, ns);
	else
		bxt_error(r->d, bxt_xml_at(r, line), "expected <%s xmlns=\"%s\">, found <%s>", root,
			  ns, name);
	bxt_xml_stop(r);
	return false;
}

/* Marks an element as own or foreign; reports likely mistakes in its namespace. */
static void classify(bxt_xml_reader *r, bxt_item *item)
{
	if (strcmp(item->ns, BXT_NS_NETLIST) == 0 || strcmp(item->ns, BXT_NS_COMPONENT) == 0 ||
	    (!*item->ns && !*r->expected_ns)) {
		item->type = BXT_ITEM_ELEMENT;
		return;
	}
	item->type = BXT_ITEM_FOREIGN;
	if (strncmp(item->ns, "urn:boxtimes:", 13) == 0) {
		bxt_error(r->d, item->place,
			  "unknown namespace \"%s\" of <%s>: this version knows \"%s\" and \"%s\"",
			  item->ns, item->name, BXT_NS_NETLIST, BXT_NS_COMPONENT);
		r->errors = true;
	} else if (!*item->ns && !*item->prefix && !r->no_ns_warned && r->current &&
		   r->current->type == BXT_ITEM_ELEMENT) {
		bxt_warning(r->d, item->place,
			    "<%s> is in no namespace and is skipped, like all others without one",
			    item->name);
		r->no_ns_warned = true;
	}
}

static void add_ns(bxt_xml_reader *r, const struct tag *tag, int i, bxt_item *item)
{
	const char *prefix = (const char *)tag->ns[2 * i];
	bxt_attribute *a = &item->attributes[item->n_attributes++];
	a->name = prefix ? bxt_arena_printf(r->tree->arena, "xmlns:%s", prefix) : "xmlns";
	a->value = intern(r, tag->ns[2 * i + 1]);
	if (!a->name || !a->value)
		bxt_xml_out_of_memory(r);
}

static void add_plain(bxt_xml_reader *r, const struct tag *tag, int i, bxt_item *item)
{
	const xmlChar **words = tag->attributes + (size_t)i * ATTRIBUTE_WORDS;
	bxt_attribute *a = &item->attributes[item->n_attributes++];
	a->name = words[1] ? bxt_arena_printf(r->tree->arena, "%s:%s", (const char *)words[1],
					      (const char *)words[0])
			   : intern(r, words[0]);
	a->value = shared_value(r, (const char *)words[3], (size_t)(words[4] - words[3]));
	if (!a->name || !a->value)
		bxt_xml_out_of_memory(r);
}

/* The number of the namespace declaration written as name[0..length), -1 when there is none. */
static int find_ns(const struct tag *tag, const char *name, size_t length)
{
	const char *prefix = length > 6 ? name + 6 : "";
	const size_t n = length > 6 ? length - 6 : 0;
	for (int i = 0; i < tag->n_ns; i++) {
		const char *known = tag->ns[2 * i] ? (const char *)tag->ns[2 * i] : "";
		if (strncmp(known, prefix, n) == 0 && !known[n])
			return i;
	}
	return -1;
}

/*
 * The parser passes namespace declarations and attributes separately. Their written order is read
 * off the start tag, which is well-formed when this is called: NAME (space NAME = "value")*.
 */
static void add_in_written_order(bxt_xml_reader *r, const struct tag *tag, const char *start,
				 bxt_item *item)
{
	const char *limit = (const char *)r->parser->input->cur;
	int plain = 0;
	const char *c = start + 1;
	while (c < limit && !strchr(" \t\r\n", *c))
		c++;
	while (c < limit && !r->stopped && item->n_attributes < tag->n_ns + tag->n_attributes) {
		while (c < limit && strchr(" \t\r\n", *c))
			c++;
		const char *name = c;
		while (c < limit && !strchr(" \t\r\n=", *c))
			c++;
		const size_t length = (size_t)(c - name);
		while (c < limit && *c != '"' && *c != '\'')
			c++;
		if (c >= limit)
			break;
		const char *close = memchr(c + 1, *c, (size_t)(limit - c - 1));
		c = close ? close + 1 : limit;
		if (strncmp(name, "xmlns", 5) == 0 && (length == 5 || name[5] == ':')) {
			const int i = find_ns(tag, name, length);
			if (i >= 0)
				add_ns(r, tag, i, item);
		} else if (plain < tag->n_attributes) {
			add_plain(r, tag, plain++, item);
		}
	}
}

static void on_start(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
		     int n_ns, const xmlChar **ns, int n_attributes, int n_defaulted,
		     const xmlChar **attributes)
{
	(void)n_defaulted; /* defaults come from a DOCTYPE only */
	bxt_xml_reader *r = context;
	const struct tag tag = {name, prefix, uri, n_ns, n_attributes, ns, attributes};
	if (r->stopped)
		return;
	int line;
	const char *start = tag_start(r, &line);
	if (!r->current && !check_root(r, &tag, line))
		return;
	flush_text(r);
	if (!r->stopped && ++r->depth > DEPTH_LIMIT) {
		bxt_error(r->d, bxt_xml_at(r, line), "elements nest deeper than %d", DEPTH_LIMIT);
		bxt_xml_stop(r);
	}
	bxt_item *item = r->stopped ? NULL : new_item(r, BXT_ITEM_ELEMENT, line);
	if (!item)
		return;
	item->ns = intern(r, uri);
	item->prefix = intern(r, prefix);
	item->name = intern(r, name);
	if (!item->ns || !item->prefix || !item->name) {
		bxt_xml_out_of_memory(r);
		return;
	}
	classify(r, item);
	item->attributes = BXT_NEW(r->tree->arena, bxt_attribute, (size_t)(n_ns + n_attributes));
	if (!item->attributes) {
		bxt_xml_out_of_memory(r);
		return;
	}
	if (n_ns > 0)
		add_in_written_order(r, &tag, start, item);
	else
		for (int i = 0; i < n_attributes && !r->stopped; i++)
			add_plain(r, &tag, i, item);
	if (r->current)
		attach(r, item);
	else
		r->tree->root = item;
	r->current = item;
}

static void on_end(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
	(void)name, (void)prefix, (void)uri;
	bxt_xml_reader *r = context;
	if (r->stopped)
		return;
	flush_text(r);
	r->current = r->current->parent;
	r->depth--;
}

/* ---- Refusals ---- */

static void on_document(void *context)
{
	bxt_xml_reader *r = context;
	const xmlChar *encoding = r->parser->input->encoding;
	if (!encoding)
		encoding = r->parser->encoding;
	if (r->stopped || !encoding || strcasecmp((const char *)encoding, "UTF-8") == 0)
		return;
	bxt_error(r->d, bxt_xml_at(r, 1), "the encoding is declared as '%s'; only UTF-8 is read",
		  (const char *)encoding);
	bxt_xml_stop(r);
}

static void on_doctype(void *context, const xmlChar *name, const xmlChar *public_id,
		       const xmlChar *system_id)
{
	(void)name, (void)public_id, (void)system_id;
	bxt_xml_reader *r = context;
	if (r->stopped)
		return;
	int line;
	tag_start(r, &line);
	bxt_error(r->d, bxt_xml_at(r, line), "a DOCTYPE is not allowed");
	bxt_xml_stop(r);
}

/* Is the error only that the input ends too early? */
static bool is_truncated(const bxt_xml_reader *r, const xmlError *e)
{
	const xmlParserInput *input = r->parser->input;
	const bool complete = r->tree->root && !r->current;
	return r->ending && !complete &&
	       (e->code == XML_ERR_DOCUMENT_END || !input || input->cur >= input->end);
}

/* The parser's message for a fatal finding, or a better one of our own. */
static void report_fatal(bxt_xml_reader *r, const xmlError *e)
{
	const bxt_item *open = r->current;
	const bxt_place end = bxt_xml_at(r, (int)r->newlines + 1);
	const char *name = e->str1 ? e->str1 : "";
	const int length = e->message ? (int)strcspn(e->message, "\n") : 0;
	if (is_truncated(r, e)) {
		if (!r->bytes)
			bxt_error(r->d, end, "the file is empty");
		else if (open)
			bxt_error(r->d, end,
				  "the file ends inside <%s> of line %d: it is incomplete",
				  open->name, open->place.line);
		else
			bxt_error(r->d, end, "the file ends before <%s> is complete",
				  r->expected_root);
	} else if (e->code == XML_ERR_UNDECLARED_ENTITY) {
		bxt_error(r->d, bxt_xml_at(r, e->line),
			  "the entity '&%s;' is unknown; there are only &lt; &gt; &amp; &quot; "
			  "&apos; and &#number;",
			  name);
	} else if (e->code == XML_ERR_TAG_NAME_MISMATCH && open) {
		bxt_error(r->d, bxt_xml_at(r, e->line), "</%s> closes <%s> of line %d",
			  e->str2 ? e->str2 : "", open->name, open->place.line);
	} else if (e->code == XML_ERR_ATTRIBUTE_REDEFINED) {
		bxt_error(r->d, bxt_xml_at(r, e->line), "the attribute '%s%s%s' is written twice",
			  name, e->str2 ? ":" : "", e->str2 ? e->str2 : "");
	} else {
		bxt_error(r->d, bxt_xml_at(r, e->line), "malformed XML: %.*s", length,
			  e->message ? e->message : "");
	}
	bxt_xml_stop(r);
}

static void on_error(void *context, xmlErrorPtr e)
{
	bxt_xml_reader *r = context;
	if (r->stopped || !e || e->level <= XML_ERR_WARNING)
		return;
	if (e->code == XML_ERR_NO_MEMORY) {
		bxt_xml_out_of_memory(r);
	} else if (e->level == XML_ERR_FATAL) {
		report_fatal(r, e);
	} else { /* an error of namespaces: the parser continues, and so does the reader */
		r->errors = true;
		bxt_error(r->d, bxt_xml_at(r, e->line), "malformed XML: %.*s",
			  e->message ? (int)strcspn(e->message, "\n") : 0,
			  e->message ? e->message : "");
	}
}

const xmlSAXHandler bxt_xml_handlers = {
	.initialized = XML_SAX2_MAGIC,
	.startDocument = on_document,
	.internalSubset = on_doctype,
	.startElementNs = on_start,
	.endElementNs = on_end,
	.characters = on_text,
	.cdataBlock = on_text,
	.ignorableWhitespace = on_text,
	.comment = on_comment,
	.processingInstruction = on_instruction,
	.serror = on_error,
};
