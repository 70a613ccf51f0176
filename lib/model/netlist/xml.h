/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Internals of the XML reader: xml_sax.c builds the tree from the parser's events, xml_read.c feeds
 * the parser.
 */
#ifndef BXT_NETLIST_XML_H
#define BXT_NETLIST_XML_H

#include "ground/base/text.h"
#include "model/netlist/netlist.h"

#include <libxml/parser.h>

/* Names come as pointers into the parser's dictionary: the same name is the same pointer. */
typedef struct bxt_xml_name {
	const xmlChar *key;
	const char *value;
} bxt_xml_name;

/* Values that were read recently, by a hash of their text, and their maximum length. */
enum { BXT_XML_RECENT = 4096, BXT_XML_SHORT = 24 };

typedef struct bxt_xml_reader {
	struct bxt_netlist *tree;
	bxt_diagnostics *d;
	const char *expected_ns, *expected_root;
	xmlParserCtxtPtr parser;
	bxt_item *current; /* innermost open element */
	int depth;
	bxt_item **prologue_end, **epilogue_end;
	bxt_buffer text; /* text since the last tag */
	int text_line;
	const char *last_space; /* indentation repeats: it is stored once */
	bxt_xml_name *names;
	size_t n_names, names_capacity;
	const char *recent[BXT_XML_RECENT];
	size_t bytes, newlines; /* handed to the parser so far */
	bool ending;            /* the parser has received the end of the document */
	bool errors;            /* errors were found: there will be no tree */
	bool no_ns_warned;
	bool stopped; /* set by the first fatal finding; later events are ignored */
	bxt_status status;
} bxt_xml_reader;

/* The event handlers of the parser; its user data is the reader. */
extern const xmlSAXHandler bxt_xml_handlers;

/* Stops reading after a fatal finding, or because memory ended. */
void bxt_xml_stop(bxt_xml_reader *r);
void bxt_xml_out_of_memory(bxt_xml_reader *r);
bxt_place bxt_xml_at(const bxt_xml_reader *r, int line);
int bxt_xml_newlines(const char *text, size_t length);

#endif
