/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An XML schema of netlists, made from the component library, so that editors complete and
 * explain. It is looser than the compiler where XSD has no words: names that refer to others, units
 * and ranges are checked by the compiler alone.
 */
#include "report/describe.h"

#include "component/curve_table.h"
#include "scheme/scheme.h"
#include "sparse/linsol.h"

#include <string.h>

static void documentation(const char *doc, FILE *f)
{
	fputs("<xs:annotation><xs:documentation>", f);
	bxt_xml_escape(f, doc, true);
	fputs("</xs:documentation></xs:annotation>", f);
}

static void attribute(const char *name, const char *type, bool required, FILE *f)
{
	fprintf(f, "        <xs:attribute name=\"%s\" type=\"%s\"%s>", name, type,
		required ? " use=\"required\"" : "");
}

static void plain_attribute(const char *name, const char *type, bool required, const char *doc,
			    FILE *f)
{
	attribute(name, type, required, f);
	documentation(doc, f);
	fputs("</xs:attribute>\n", f);
}

static const char foreign_attributes[] =
	"        <xs:anyAttribute namespace=\"##other\" processContents=\"lax\"/>\n";
static const char foreign_elements[] =
	"<xs:any namespace=\"##other\" processContents=\"lax\" minOccurs=\"0\" "
	"maxOccurs=\"unbounded\"/>";

/* ---- Types ---- */

static void enumeration(const char *type, const char *words, FILE *f)
{
	fprintf(f, "  <xs:simpleType name=\"%s\"><xs:restriction base=\"xs:string\">\n", type);
	while (*words) {
		const size_t length = strcspn(words, " ");
		fprintf(f, "    <xs:enumeration value=\"%.*s\"/>\n", (int)length, words);
		words += length + strspn(words + length, " ");
	}
	fputs("  </xs:restriction></xs:simpleType>\n", f);
}

static void open_enumeration(const char *type, FILE *f)
{
	fprintf(f, "  <xs:simpleType name=\"%s\"><xs:restriction base=\"xs:string\">\n", type);
}

static void choice(const char *name, FILE *f)
{
	fprintf(f, "    <xs:enumeration value=\"%s\"/>\n", name);
}

static void pattern(const char *type, const char *expression, const char *doc, FILE *f)
{
	fprintf(f, "  <xs:simpleType name=\"%s\">", type);
	documentation(doc, f);
	fprintf(f,
		"<xs:restriction base=\"xs:string\"><xs:pattern value=\"%s\"/></xs:restriction>"
		"</xs:simpleType>\n",
		expression);
}

static void write_types(FILE *f)
{
	static const char end[] = "  </xs:restriction></xs:simpleType>\n";
	pattern("id", "[A-Za-z_][A-Za-z0-9_\\-]*", "a name that is unique in its subsystem", f);
	pattern("node", "[A-Za-z_][A-Za-z0-9_\\-]*|[0-9]+",
		"a node; 0 (balance kinds) and wall (shared kinds) are the references", f);
	pattern("quantity",
		"\\s*[+\\-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+\\-]?[0-9]+)?(\\s*[^\\s,].*)?|=.+",
		"a number with a unit, or =EXPRESSION", f);
	pattern("count", "[0-9]+(\\.0*)?([eE]\\+?[0-9]+)?", "a positive whole number", f);
	open_enumeration("scheme", f);
	for (int i = 0; bxt_schemes[i]; i++)
		choice(bxt_schemes[i]->name, f);
	fputs(end, f);
	open_enumeration("rule", f);
	for (int i = 0; bxt_rules[i].name; i++)
		choice(bxt_rules[i].name, f);
	fputs(end, f);
	open_enumeration("solver", f);
	choice("auto", f);
	for (int i = 0; bxt_linsol_kinds[i]; i++)
		choice(bxt_linsol_kinds[i]->name, f);
	fputs(end, f);
	open_enumeration("torn", f);
	for (int i = 0; i < BXT_TORN_COUNT; i++)
		choice(bxt_condensation_names[i], f);
	fputs(end, f);
	open_enumeration("gradient", f);
	for (int i = 0; bxt_discrete_gradients[i].name; i++)
		choice(bxt_discrete_gradients[i].name, f);
	fputs(end, f);
	open_enumeration("kind", f);
	for (int i = 0; i < bxt_port_kind_count; i++)
		choice(bxt_port_kinds[i].name, f);
	fputs(end, f);
	open_enumeration("interpolation", f);
	for (int i = 0; bxt_curve_table_shapes[i]; i++)
		choice(bxt_curve_table_shapes[i], f);
	fputs(end, f);
	open_enumeration("outside", f);
	for (int i = 0; bxt_curve_table_outsides[i]; i++)
		choice(bxt_curve_table_outsides[i], f);
	fputs(end, f);
	enumeration("constraint", BXT_CHOICES_CONSTRAINT, f);
	enumeration("start", BXT_CHOICES_START, f);
	enumeration("projection", BXT_CHOICES_PROJECTION, f);
}

/* ---- Components ---- */

static void write_parameter(const bxt_parameter *p, FILE *f)
{
	const bool pure = !*p->unit || strcmp(p->unit, "1") == 0;
	attribute(p->name, p->of ? "xs:string" : "quantity",
		  p->of ? !p->default_text : !p->has_default, f);
	fputs("<xs:annotation><xs:documentation>", f);
	bxt_xml_escape(f, p->doc, true);
	fprintf(f, "%s[", *p->doc ? " " : "");
	bxt_xml_escape(f, pure ? "number" : p->unit, true);
	fputc(']', f);
	if (p->of)
		fprintf(f, ", an expression in %s", p->of);
	if (p->has_default)
		fprintf(f, ", default %g", p->default_value);
	if (p->positive)
		fputs(", positive", f);
	if (p->time)
		fputs(", may depend on t", f);
	fputs("</xs:documentation></xs:annotation></xs:attribute>\n", f);
}

static void write_binding(const bxt_binding *binding, FILE *f)
{
	attribute(binding->name, "id", true, f);
	fputs("<xs:annotation><xs:documentation>", f);
	bxt_xml_escape(f, binding->doc, true);
	fprintf(f, "%s[id of an element of this subsystem:", *binding->doc ? " " : "");
	for (int i = 0; i < binding->n_components; i++)
		fprintf(f, "%s %s", i ? " or" : "", binding->components[i]);
	fputs("]</xs:documentation></xs:annotation></xs:attribute>\n", f);
}

static void write_component(const bxt_component *c, FILE *f)
{
	fprintf(f, "      <xs:element name=\"%s\">", c->name);
	documentation(c->doc, f);
	fprintf(f, "<xs:complexType>\n        <xs:sequence>%s</xs:sequence>\n", foreign_elements);
	attribute("id", "id", true, f);
	fputs("</xs:attribute>\n", f);
	for (int i = 0; i < c->n_ports; i++) {
		attribute(c->ports[i].name, "node", true, f);
		fprintf(f,
			"<xs:annotation><xs:documentation>%s port</xs:documentation>"
			"</xs:annotation></xs:attribute>\n",
			c->ports[i].kind->name);
	}
	for (int i = 0; i < c->n_bindings; i++)
		write_binding(&c->bindings[i], f);
	for (int i = 0; i < c->n_parameters; i++)
		write_parameter(&c->parameters[i], f);
	if (c->plugin)
		plain_attribute("plugin", "xs:string", false,
				"the shared object that is its controller, beside this file", f);
	for (int i = 0; i < c->n_coordinates; i++) {
		plain_attribute(c->coordinates[i].name, "quantity", false, "initial value", f);
		plain_attribute(c->coordinates[i].flow, "quantity", false, "initial flow", f);
	}
	fprintf(f, "%s      </xs:complexType></xs:element>\n", foreign_attributes);
}

/* ---- The netlist's own elements ---- */

/* Coordinates and flows of all shared kinds, each once. */
static void write_node_values(FILE *f)
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
			plain_attribute(name, "quantity", false, "initial value", f);
		}
}

static void write_simulation(FILE *f)
{
	static const char *const settings[][2] = {
		{"scheme", "scheme"},         {"rule", "rule"},   {"force-rule", "rule"},
		{"constraint", "constraint"}, {"start", "start"}, {"projection", "projection"},
		{"solver", "solver"},         {"torn", "torn"},   {"gradient", "gradient"}};
	fprintf(f, "      <xs:element name=\"simulation\"><xs:complexType>\n");
	plain_attribute("step", "quantity", false, "the step, a time", f);
	plain_attribute("end", "quantity", false, "the end of the run, a time", f);
	plain_attribute("every", "count", false, "a row every so many steps", f);
	plain_attribute("theta", "xs:decimal", false,
			"of the scheme and the rule theta: a number from 0 to 1", f);
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		attribute(settings[i][0], settings[i][1], false, f);
		fputs("</xs:attribute>\n", f);
	}
	fprintf(f, "%s      </xs:complexType></xs:element>\n", foreign_attributes);
}

/* A vector field on coordinates. */
static void write_symmetry(FILE *f)
{
	fputs("      <xs:element name=\"symmetry\"><xs:complexType>\n"
	      "        <xs:choice minOccurs=\"0\" maxOccurs=\"unbounded\">\n"
	      "        <xs:element name=\"doc\" type=\"xs:string\"/>\n"
	      "        <xs:element name=\"generator\"><xs:complexType mixed=\"true\">\n",
	      f);
	plain_attribute("on", "xs:string", true,
			"ELEMENT.NAME or node(NODE).NAME, the coordinate that moves as it says", f);
	fprintf(f, "%s        </xs:complexType></xs:element>\n", foreign_attributes);
	fputs("        <xs:any namespace=\"##other\" processContents=\"lax\"/>\n"
	      "        </xs:choice>\n",
	      f);
	plain_attribute("id", "id", true, "records: momentum(ID), noether(ID)", f);
	fprintf(f, "%s      </xs:complexType></xs:element>\n", foreign_attributes);
}

static void write_signal(FILE *f)
{
	fputs("      <xs:element name=\"signal\"><xs:complexType mixed=\"true\">\n", f);
	plain_attribute("id", "id", false, "a name under which it can be read, recorded and joined",
			f);
	plain_attribute("to", "xs:string", false, "ELEMENT.SIGNAL, the input that it is for", f);
	fprintf(f, "%s      </xs:complexType></xs:element>\n", foreign_attributes);
}

static void write_table(FILE *f)
{
	fputs("      <xs:element name=\"table\"><xs:complexType mixed=\"true\">\n", f);
	plain_attribute("name", "id", true, "of the function that it is in expressions", f);
	plain_attribute("file", "xs:string", true, "a CSV file beside this one or below", f);
	plain_attribute("column", "xs:string", false, "its values; of two columns the other one",
			f);
	plain_attribute("argument", "xs:string", false, "the column that increases: the first", f);
	plain_attribute("interpolation", "interpolation", false, "between the rows", f);
	plain_attribute("outside", "outside", false, "before the first row and after the last", f);
	fprintf(f, "%s      </xs:complexType></xs:element>\n", foreign_attributes);
}

static void write_structure(FILE *f)
{
	fputs("      <xs:element name=\"parameter\"><xs:complexType mixed=\"true\">\n", f);
	plain_attribute("name", "id", true, "an attribute of the elements that include this", f);
	plain_attribute("unit", "xs:string", false, "its unit, none: a number", f);
	plain_attribute("default", "quantity", false, "its value when none is given", f);
	fprintf(f, "%s      </xs:complexType></xs:element>\n", foreign_attributes);
	fprintf(f, "      <xs:element name=\"doc\" type=\"xs:string\"/>\n"
		   "      <xs:element name=\"subsystem\"><xs:complexType>\n"
		   "        <xs:group ref=\"content\" minOccurs=\"0\" maxOccurs=\"unbounded\"/>\n");
	attribute("id", "id", true, f);
	fputs("</xs:attribute>\n", f);
	plain_attribute("rule", "rule", false, "of dirac+, below here", f);
	plain_attribute("href", "xs:string", false,
			"a netlist file that stands here; its parameters are further attributes",
			f);
	/* an included netlist declares the names of further attributes itself */
	fputs("        <xs:anyAttribute namespace=\"##any\" processContents=\"lax\"/>\n"
	      "      </xs:complexType></xs:element>\n"
	      "      <xs:element name=\"port\"><xs:complexType>\n",
	      f);
	plain_attribute("id", "id", true, "the name of the exported port", f);
	plain_attribute("node", "node", true, "the node of this subsystem that is exported", f);
	fprintf(f,
		"%s      </xs:complexType></xs:element>\n"
		"      <xs:element name=\"node\"><xs:complexType>\n",
		foreign_attributes);
	plain_attribute("id", "node", true, "the name of the node", f);
	plain_attribute("kind", "kind", true, "the kind of ports that join here", f);
	write_node_values(f);
	fprintf(f,
		"%s      </xs:complexType></xs:element>\n"
		"      <xs:element name=\"fix\"><xs:complexType>\n",
		foreign_attributes);
	plain_attribute("node", "xs:string", false, "nodes that the start may not move", f);
	plain_attribute("of", "xs:string", false,
			"coordinates that it may not move: ELEMENT.NAME, node(NODE).NAME", f);
	fprintf(f, "%s      </xs:complexType></xs:element>\n", foreign_attributes);
	write_symmetry(f);
	write_signal(f);
	write_table(f);
}

/* <transformer> or <gyrator> of an interconnection. */
static void write_two(const char *name, const char *ratio, FILE *f)
{
	fprintf(f, "        <xs:element name=\"%s\"><xs:complexType>\n", name);
	plain_attribute("id", "id", false, "a name for people and records", f);
	plain_attribute("a", "xs:string", true, "SUBSYSTEM.PORT", f);
	plain_attribute("b", "xs:string", true, "SUBSYSTEM.PORT", f);
	plain_attribute("ratio", "xs:string", true, ratio, f);
	fprintf(f, "%s        </xs:complexType></xs:element>\n", foreign_attributes);
}

static void write_joining(FILE *f)
{
	fputs("      <xs:element name=\"interconnection\"><xs:complexType>\n"
	      "        <xs:choice minOccurs=\"0\" maxOccurs=\"unbounded\">\n"
	      "        <xs:element name=\"connect\"><xs:complexType>\n",
	      f);
	plain_attribute("id", "id", false, "names the multiplier: record ID.lambda", f);
	plain_attribute("a", "xs:string", false, "SUBSYSTEM.PORT", f);
	plain_attribute("b", "xs:string", false, "SUBSYSTEM.PORT", f);
	plain_attribute("ports", "xs:string", false, "instead of a and b: any number of ports", f);
	fprintf(f, "%s        </xs:complexType></xs:element>\n", foreign_attributes);
	fputs("        <xs:element name=\"sigma\"><xs:complexType mixed=\"true\">\n", f);
	plain_attribute("id", "id", false, "names the multiplier: record ID.lambda", f);
	plain_attribute("units", "xs:string", false,
			"SI: coefficients are in SI units; for flows of different kinds", f);
	fprintf(f, "%s        </xs:complexType></xs:element>\n", foreign_attributes);
	write_two("transformer",
		  "flow of a by flow of b: NUMBER UNIT, or =EXPRESSION in coordinates", f);
	write_two("gyrator", "effort of b by flow of a: NUMBER UNIT, or =EXPRESSION in coordinates",
		  f);
	fputs("        <xs:element name=\"omega\"><xs:complexType mixed=\"true\">\n", f);
	plain_attribute("id", "id", false, "a name for people", f);
	plain_attribute("flows", "xs:string", true, "SUBSYSTEM.PORT.FLOW of each row and column",
			f);
	fprintf(f, "%s        </xs:complexType></xs:element>\n", foreign_attributes);
	fputs("        <xs:any namespace=\"##other\" processContents=\"lax\"/>\n"
	      "        </xs:choice>\n",
	      f);
	plain_attribute("id", "id", false, "a name for people", f);
	fprintf(f,
		"%s      </xs:complexType></xs:element>\n"
		"      <xs:element name=\"record\"><xs:complexType mixed=\"true\">"
		"<xs:sequence>%s</xs:sequence>\n",
		foreign_attributes, foreign_elements);
	plain_attribute("id", "id", false, "a name for people", f);
	fprintf(f, "%s      </xs:complexType></xs:element>\n", foreign_attributes);
}

static void write_root(FILE *f)
{
	fputs("  <xs:element name=\"netlist\"><xs:complexType>\n"
	      "        <xs:group ref=\"content\" minOccurs=\"0\" maxOccurs=\"unbounded\"/>\n",
	      f);
	plain_attribute("name", "xs:string", false, "what the model is", f);
	plain_attribute("version", "xs:string", false, "of the model", f);
	fprintf(f, "%s  </xs:complexType></xs:element>\n", foreign_attributes);
}

/* ---- Inline components ---- */

static const bxt_item *next_item(const bxt_item *root, const bxt_item *item, bool inside)
{
	if (inside && item->first)
		return item->first;
	while (item != root && !item->next)
		item = item->parent;
	return item == root ? NULL : item->next;
}

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
	for (const bxt_item *i = next_item(netlist->root, netlist->root, true); i;) {
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
		i = next_item(netlist->root, i, !component && i->type == BXT_ITEM_ELEMENT);
	}
	return status;
}

/* ---- The whole ---- */

static void write_schema(const bxt_component *const *c, size_t n, const bxt_component *const *inner,
			 size_t n_inner, FILE *f)
{
	fprintf(f,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<!-- Written by boxtimes %s from its component library. -->\n"
		"<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" xmlns=\"%s\"\n"
		"    targetNamespace=\"%s\" elementFormDefault=\"qualified\">\n",
		bxt_version(), BXT_NS_NETLIST, BXT_NS_NETLIST);
	write_types(f);
	write_root(f);
	fputs("  <xs:group name=\"content\"><xs:choice>\n", f);
	write_simulation(f);
	write_structure(f);
	write_joining(f);
	for (size_t i = 0; i < n; i++)
		write_component(c[i], f);
	for (size_t i = 0; i < n_inner; i++)
		if (!is_known(c, n, inner[i]->name))
			write_component(inner[i], f);
	fputs("      <xs:any namespace=\"##other\" processContents=\"lax\"/>\n"
	      "  </xs:choice></xs:group>\n</xs:schema>\n",
	      f);
}

bxt_status bxt_library_write_schema(bxt_library *library, const bxt_netlist *netlist, FILE *stream,
				    bxt_diagnostics *d)
{
	const bxt_component **c = NULL, **inner = NULL;
	size_t n = 0, n_inner = 0;
	bxt_arena *arena = bxt_arena_new();
	bxt_status status = arena ? bxt_library_gather(library, d, &c, &n) : BXT_ERR_MEMORY;
	if (status == BXT_OK && netlist)
		status = gather_inline(arena, netlist, bxt_library_units(library), d, &inner,
				       &n_inner);
	if (status == BXT_OK) {
		write_schema(c, n, inner, n_inner, stream);
		status = bxt_stream_status(stream);
	}
	bxt_free(inner);
	bxt_free(c);
	bxt_arena_free(arena);
	return status;
}
