/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An XML schema of netlists, made from the component library, with which editors complete names and
 * show explanations. It is less strict than the compiler where XSD cannot express a rule: only the
 * compiler checks references by name, units and ranges.
 */
#include "boxtimes_reference.h"
#include "run/initial/setting_values.h"
#include "show/report/describe.h"

#include "ground/base/diagnostics.h"
#include "model/component/curve_table.h"
#include "model/netlist/language.h"

#include <libxml/xmlwriter.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

/* The document, and whether libxml2 has reported a failure. */
struct schema {
	xmlTextWriter *writer;
	bool failed;
};

/* ---- Tags ---- */

static void check(struct schema *x, int written)
{
	x->failed = x->failed || written < 0;
}

/* Opens an element with attributes: names and values in turn, ending with NULL. */
static void start(struct schema *x, const char *tag, ...)
{
	va_list attributes;
	check(x, xmlTextWriterStartElement(x->writer, BAD_CAST tag));
	va_start(attributes, tag);
	for (const char *name; (name = va_arg(attributes, const char *));) {
		const char *value = va_arg(attributes, const char *);
		check(x, xmlTextWriterWriteAttribute(x->writer, BAD_CAST name, BAD_CAST value));
	}
	va_end(attributes);
}

/* Closes the last n open elements. */
static void end(struct schema *x, int n)
{
	while (n-- > 0)
		check(x, xmlTextWriterEndElement(x->writer));
}

static void text(struct schema *x, const char *format, ...) BXT_PRINTF(2, 3);
static void text(struct schema *x, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	check(x, xmlTextWriterWriteVFormatString(x->writer, format, arguments));
	va_end(arguments);
}

static void start_documentation(struct schema *x)
{
	start(x, "xs:annotation", NULL);
	start(x, "xs:documentation", NULL);
}

static void documentation(struct schema *x, const char *doc)
{
	start_documentation(x);
	text(x, "%s", doc);
	end(x, 2);
}

/* The element stays open. */
static void start_attribute(struct schema *x, const char *name, const char *type, bool required)
{
	start(x, "xs:attribute", "name", name, "type", type, required ? "use" : NULL, "required",
	      NULL);
}

static void attribute(struct schema *x, const char *name, const char *type, bool required,
		      const char *doc)
{
	start_attribute(x, name, type, required);
	documentation(x, doc);
	end(x, 1);
}

/* An element and its type, both left open; mixed: with text. */
static void start_element(struct schema *x, const char *name, const char *doc, bool mixed)
{
	start(x, "xs:element", "name", name, NULL);
	documentation(x, doc);
	start(x, "xs:complexType", mixed ? "mixed" : NULL, "true", NULL);
}

/* Closes both. Attributes and elements of other namespaces are allowed. */
static void end_element(struct schema *x)
{
	start(x, "xs:anyAttribute", "namespace", "##other", "processContents", "lax", NULL);
	end(x, 3);
}

static void start_choice(struct schema *x)
{
	start(x, "xs:choice", "minOccurs", "0", "maxOccurs", "unbounded", NULL);
}

static void any(struct schema *x, bool many)
{
	start(x, "xs:any", "namespace", "##other", "processContents", "lax",
	      many ? "minOccurs" : NULL, "0", "maxOccurs", "unbounded", NULL);
	end(x, 1);
}

/* ---- Types ---- */

static void start_enumeration(struct schema *x, const char *type)
{
	start(x, "xs:simpleType", "name", type, NULL);
	start(x, "xs:restriction", "base", "xs:string", NULL);
}

static void choice(struct schema *x, const char *name)
{
	start(x, "xs:enumeration", "value", name, NULL);
	end(x, 1);
}

/* An enumeration of names that are `stride` bytes apart: n of them, or fewer if NULL ends them. */
static void enumeration_of(struct schema *x, const char *type, const char *const *names,
			   size_t stride, int n)
{
	start_enumeration(x, type);
	for (const char *at = (const char *)names; n-- > 0 && *(const char *const *)at;
	     at += stride)
		choice(x, *(const char *const *)at);
	end(x, 2);
}

static void pattern(struct schema *x, const char *type, const char *expression, const char *doc)
{
	start(x, "xs:simpleType", "name", type, NULL);
	documentation(x, doc);
	start(x, "xs:restriction", "base", "xs:string", NULL);
	start(x, "xs:pattern", "value", expression, NULL);
	end(x, 3);
}

static void choice_of_setting(void *schema, const char *name, const char *doc)
{
	start(schema, "xs:enumeration", "value", name, NULL);
	documentation(schema, doc);
	end(schema, 1);
}

static void write_types(struct schema *x)
{
	pattern(x, "id", "[A-Za-z_][A-Za-z0-9_\\-]*", "a name that is unique in its subsystem");
	pattern(x, "node", "[A-Za-z_][A-Za-z0-9_\\-]*|[0-9]+",
		"a node; 0 (balance kinds) and wall (shared kinds) are the references");
	pattern(x, "quantity",
		"\\s*[+\\-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+\\-]?[0-9]+)?(\\s*[^\\s,].*)?|=.+",
		"a number with a unit, or =EXPRESSION");
	pattern(x, "count", "[0-9]+(\\.0*)?([eE]\\+?[0-9]+)?", "a positive whole number");
	for (int i = 0; bxt_setting_names[i]; i++) {
		start_enumeration(x, bxt_setting_names[i]);
		bxt_setting_values(bxt_setting_names[i], choice_of_setting, x);
		end(x, 2);
	}
	enumeration_of(x, "kind", &bxt_port_kinds[0].name, sizeof *bxt_port_kinds,
		       bxt_port_kind_count);
	enumeration_of(x, "interpolation", bxt_curve_table_shapes, sizeof(char *), INT_MAX);
	enumeration_of(x, "outside", bxt_curve_table_outsides, sizeof(char *), INT_MAX);
}

/* ---- Components ---- */

static void write_parameter(struct schema *x, const bxt_parameter *p)
{
	const bool pure = !*p->unit || strcmp(p->unit, "1") == 0;
	start_attribute(x, p->name, p->of ? "xs:string" : "quantity",
			p->of ? !p->default_text : !p->has_default);
	start_documentation(x);
	text(x, "%s%s[%s]", p->doc, *p->doc ? " " : "", pure ? "number" : p->unit);
	if (p->of)
		text(x, ", an expression in %s", p->of);
	if (p->has_default)
		text(x, ", default %g%s%s", p->default_value, p->si != p->unit ? " " : "",
		     p->si != p->unit ? p->si : "");
	if (p->positive)
		text(x, ", positive");
	if (p->time)
		text(x, ", may depend on t");
	end(x, 3);
}

static void write_binding(struct schema *x, const bxt_binding *binding)
{
	start_attribute(x, binding->name, "id", true);
	start_documentation(x);
	text(x, "%s%s[id of an element of this subsystem:", binding->doc, *binding->doc ? " " : "");
	for (int i = 0; i < binding->n_components; i++)
		text(x, "%s %s", i ? " or" : "", binding->components[i]);
	text(x, "]");
	end(x, 3);
}

static void write_port(struct schema *x, const bxt_port *port)
{
	start_attribute(x, port->name, "node", true);
	start_documentation(x);
	text(x, "%s port", port->kind->name);
	end(x, 3);
}

/* The types of the attributes of elements, by the names of the component's items. */
static const char *doc_of(const char *attribute)
{
	const bxt_attribute_row *a = bxt_component_use.attributes;
	while (strcmp(a->name, attribute) != 0)
		a++;
	return a->doc;
}

/* A momentum may be written in place of a flow: "x.p" for that of x. */
static void write_momentum(struct schema *x, const char *coordinate)
{
	char name[128];
	const int n = snprintf(name, sizeof name, "%s.p", coordinate);
	if (n > 0 && (size_t)n < sizeof name)
		attribute(x, name, "quantity", false, doc_of("COORDINATE.p"));
}

/* Does the element already have an attribute of that name? */
static bool has_name(const bxt_component *c, const char *name)
{
	bool known = false;
	for (int i = 0; i < c->n_ports; i++)
		known = known || strcmp(c->ports[i].name, name) == 0;
	for (int i = 0; i < c->n_bindings; i++)
		known = known || strcmp(c->bindings[i].name, name) == 0;
	for (int i = 0; i < c->n_parameters; i++)
		known = known || strcmp(c->parameters[i].name, name) == 0;
	for (int i = 0; i < c->n_coordinates; i++)
		known = known || strcmp(c->coordinates[i].name, name) == 0 ||
			strcmp(c->coordinates[i].flow, name) == 0;
	return known;
}

/* "p" denotes the only momentum, unless the word has another meaning. */
static bool has_plain_momentum(const bxt_component *c)
{
	return bxt_component_only_momentum(c) >= 0 && !has_name(c, "p");
}

/* Does an earlier placement have that attribute? */
static bool is_repeated(const bxt_component *c, int placement)
{
	for (int i = 0; i < placement; i++)
		if (strcmp(c->geometry.placements[i].attribute,
			   c->geometry.placements[placement].attribute) == 0)
			return true;
	return false;
}

static void write_component(struct schema *x, const bxt_component *c)
{
	start(x, "xs:element", "name", c->name, NULL);
	documentation(x, c->doc);
	start(x, "xs:complexType", NULL);
	start(x, "xs:sequence", NULL);
	any(x, true);
	end(x, 1);
	attribute(x, "id", "id", true, doc_of("id"));
	for (int i = 0; i < c->n_ports; i++)
		write_port(x, &c->ports[i]);
	for (int i = 0; i < c->n_bindings; i++)
		write_binding(x, &c->bindings[i]);
	for (int i = 0; i < c->n_parameters; i++)
		if (!c->parameters[i].hidden)
			write_parameter(x, &c->parameters[i]);
	for (int i = 0; i < c->geometry.n_placements; i++)
		if (!is_repeated(c, i))
			attribute(x, c->geometry.placements[i].attribute, "xs:string", false,
				  c->geometry.placements[i].part == BXT_PLACEMENT_POINT
					  ? "a point in axes of the ground at the start pose: X Y Z"
					  : "a direction in axes of the ground at the start pose: "
					    "X Y Z");
	if (!bxt_component_why_no_weight(c))
		attribute(x, "weight", "quantity", false, doc_of("weight"));
	if (c->sampled.plugin)
		attribute(x, "plugin", "xs:string", false, doc_of("plugin"));
	for (int i = 0; i < c->n_coordinates; i++) {
		attribute(x, c->coordinates[i].name, "quantity", false, doc_of("COORDINATE"));
		attribute(x, c->coordinates[i].flow, "quantity", false, doc_of("FLOW"));
		write_momentum(x, c->coordinates[i].name);
	}
	const int through = bxt_component_through(c);
	if (through >= 0 && !has_name(c, c->ports[0].kind->effort[0]))
		attribute(x, c->ports[0].kind->effort[0], "quantity", false, doc_of("EFFORT"));
	if (has_plain_momentum(c))
		attribute(x, "p", "quantity", false, doc_of("p"));
	end_element(x);
}

/* ---- The netlist's own elements ---- */

/* Coordinates and flows of all shared kinds, each once. */
static void write_node_values(struct schema *x)
{
	const char *seen[6 * BXT_PORT_MAX_COORDINATES * 2];
	size_t n = 0;
	for (int i = 0; i < bxt_port_kind_count; i++)
		for (int s = 0; s < 2 * bxt_port_kinds[i].n; s++) {
			const bxt_port_kind *kind = &bxt_port_kinds[i];
			const char *name = s % 2 ? kind->flow[s / 2] : kind->coordinate[s / 2];
			bool known =
				kind->type != BXT_PORT_SHARED || n == sizeof seen / sizeof *seen;
			for (size_t j = 0; j < n && !known; j++)
				known = strcmp(seen[j], name) == 0;
			if (known)
				continue;
			seen[n++] = name;
			attribute(x, name, "quantity", false, "initial value");
			if (s % 2 == 0)
				write_momentum(x, name);
		}
	for (int i = 0; i < BXT_POSE_COUNT; i++)
		attribute(x, bxt_pose_rows[i].name,
			  bxt_pose_rows[i].numbers == 1 ? "quantity" : "xs:string", false,
			  bxt_pose_rows[i].doc);
	attribute(x, "p", "quantity", false, "initial momentum, of kinds with one coordinate");
}

static void refer_to_content(struct schema *x)
{
	start(x, "xs:group", "ref", "content", "minOccurs", "0", "maxOccurs", "unbounded", NULL);
	end(x, 1);
}

/* The type of the schema; settings whose values have names are types by themselves. */
static const char *type_of(const bxt_attribute_row *a)
{
	for (const bxt_value_type *t = bxt_value_types; t->name; t++)
		if (strcmp(t->name, a->type) == 0)
			return t->xsd;
	return a->type;
}

static void write_row(struct schema *x, const bxt_element_row *row);

/* The elements allowed inside another one. */
static void write_inside(struct schema *x, const char *name)
{
	for (const bxt_element_row *row = bxt_netlist_rows; row->name; row++)
		if (bxt_language_find(BXT_LANGUAGE_NETLIST, name, row->name) == row)
			write_row(x, row);
}

/* The contents of a scope are a group, because subsystems nest. */
static void write_holds(struct schema *x, const bxt_element_row *row)
{
	if (strcmp(row->name, "netlist") == 0 || strcmp(row->name, "subsystem") == 0) {
		refer_to_content(x);
	} else if (strcmp(row->holds, "elements") == 0) {
		start_choice(x);
		write_inside(x, row->name);
		any(x, false);
		end(x, 1);
	} else if (*row->holds) {
		start(x, "xs:sequence", NULL);
		any(x, true);
		end(x, 1);
	}
}

static void write_row(struct schema *x, const bxt_element_row *row)
{
	start_element(x, row->name, row->doc, *row->holds && strcmp(row->holds, "elements") != 0);
	write_holds(x, row);
	for (const bxt_attribute_row *a = row->attributes; a->name; a++)
		attribute(x, a->name, type_of(a), a->required, a->doc);
	if (strcmp(row->name, "node") == 0)
		write_node_values(x);
	if (strcmp(row->name, "subsystem") == 0) {
		/* an included netlist declares the names of further attributes itself */
		start(x, "xs:anyAttribute", "namespace", "##any", "processContents", "lax", NULL);
		end(x, 3);
	} else {
		end_element(x);
	}
}

/* ---- Inline components ---- */

static bool is_known(const bxt_component *const *c, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(c[i]->name, name) == 0)
			return true;
	return false;
}

static bxt_status gather_inline(bxt_arena *arena, const bxt_netlist *netlist, bxt_units *units,
				bxt_diagnostics *d, const bxt_component ***c, size_t *n)
{
	size_t capacity = 0;
	bxt_status status = BXT_OK;
	for (const bxt_item *i = bxt_item_next(netlist->root, netlist->root, true); i;) {
		const bool component = i->type == BXT_ITEM_ELEMENT &&
				       strcmp(i->ns, BXT_NS_COMPONENT) == 0 &&
				       strcmp(i->name, "component") == 0;
		const bxt_component *found =
			component ? bxt_component_read(arena, i, units, d) : NULL;
		if (component && !found)
			status = BXT_ERR_MODEL;
		if (found && !is_known(*c, *n, found->name)) {
			BXT_TRY(BXT_GROW(*c, capacity, *n + 1));
			(*c)[(*n)++] = found;
		}
		i = bxt_item_next(netlist->root, i, !component && i->type == BXT_ITEM_ELEMENT);
	}
	return status;
}

/* ---- The whole ---- */

static void write_all(struct schema *x, const bxt_component *const *c, size_t n,
		      const bxt_component *const *inner, size_t n_inner)
{
	start(x, "xs:schema", "xmlns:xs", "http://www.w3.org/2001/XMLSchema", "xmlns",
	      BXT_NS_NETLIST, "targetNamespace", BXT_NS_NETLIST, "elementFormDefault", "qualified",
	      NULL);
	write_types(x);
	write_inside(x, "");
	start(x, "xs:group", "name", "content", NULL);
	start(x, "xs:choice", NULL);
	write_inside(x, "netlist");
	for (size_t i = 0; i < n; i++)
		write_component(x, c[i]);
	for (size_t i = 0; i < n_inner; i++)
		if (!is_known(c, n, inner[i]->name))
			write_component(x, inner[i]);
	any(x, false);
	end(x, 3);
}

static bxt_status write_schema(const bxt_component *const *c, size_t n,
			       const bxt_component *const *inner, size_t n_inner, FILE *f)
{
	/*
	 * written to memory first: libxml2 would print the reason if writing to the stream failed
	 */
	xmlBuffer *out = xmlBufferCreate();
	struct schema x = {.writer = out ? xmlNewTextWriterMemory(out, 0) : NULL};
	if (!x.writer) {
		xmlBufferFree(out);
		return BXT_ERR_MEMORY;
	}
	check(&x, xmlTextWriterSetIndent(x.writer, 1));
	check(&x, xmlTextWriterSetIndentString(x.writer, BAD_CAST "  "));
	check(&x, xmlTextWriterStartDocument(x.writer, NULL, "UTF-8", NULL));
	check(&x, xmlTextWriterWriteFormatComment(
			  x.writer, " Written by boxtimes %s from its component library. ",
			  bxt_version()));
	write_all(&x, c, n, inner, n_inner);
	check(&x, xmlTextWriterEndDocument(x.writer));
	xmlFreeTextWriter(x.writer);
	if (!x.failed)
		fwrite(xmlBufferContent(out), 1, (size_t)xmlBufferLength(out), f);
	xmlBufferFree(out);
	return x.failed ? BXT_ERR_MEMORY : bxt_stream_status(f);
}

bxt_status bxt_library_write_schema(bxt_library *library, const bxt_netlist *netlist, FILE *stream,
				    bxt_diagnostics *d)
{
	const bxt_component **c = NULL, **inner = NULL;
	size_t n = 0, n_inner = 0;
	BXT_NEEDS(d, library);
	BXT_NEEDS(d, stream);
	bxt_arena *arena = bxt_arena_new();
	bxt_status status = arena ? bxt_library_gather(library, d, &c, &n) : BXT_ERR_MEMORY;
	if (status == BXT_OK && netlist)
		status = gather_inline(arena, netlist, bxt_library_units(library), d, &inner,
				       &n_inner);
	if (status == BXT_OK)
		status = write_schema(c, n, inner, n_inner, stream);
	bxt_free(inner);
	bxt_free(c);
	bxt_arena_free(arena);
	return status;
}
