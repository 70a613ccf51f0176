/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chapters of the reference, made from the tables that the program itself uses. */
#include "show/report/reference.h"

#include "boxtimes_reference.h"
#include "ground/base/diagnostics.h"
#include "ground/expr/functions.h"
#include "model/component/quantity.h"
#include "model/names/designator.h"
#include "model/netlist/language.h"
#include "run/initial/setting_values.h"
#include "show/report/describe.h"

#include <string.h>

/* ---- Functions ---- */

static bxt_page *functions(bxt_arena *arena)
{
	bxt_page *page = bxt_page_new(
		arena, "functions of expressions",
		"Expressions have the operators ^ (from the right), unary -, * and /, + and -, in "
		"this "
		"order of binding; parentheses; numbers; the constant pi; names. There is no "
		"implicit "
		"product. Tables of a file are further functions of one argument.\n\n"
		"Derivatives are found symbolically. The column \"derivative\" has that by x.");
	bxt_page *section = bxt_page_add(arena, page, "Functions", NULL);
	if (!section)
		return NULL;
	bxt_page_set_label(page, "functions");
	bxt_page_make_table(section, "function");
	for (const bxt_function *f = bxt_functions; f->name; f++) {
		bxt_page *row = bxt_page_add(arena, section, f->name, f->doc);
		bxt_page_fact_add(row, "arguments", f->list);
		bxt_page_fact_add(row, "derivative", f->slope);
	}
	return page;
}

/* ---- Signals ---- */

static bxt_page *signals(bxt_arena *arena)
{
	bxt_page *page = bxt_page_new(arena, "names of quantities",
				      "Records, signals, symmetries and options name quantities by "
				      "designators. A name means "
				      "the thing with exactly that path; else the only thing whose "
				      "path ends so. Words in "
				      "capitals stand for names of the model.");
	bxt_page *section = bxt_page_add(arena, page, "Designators", NULL);
	if (!section)
		return NULL;
	bxt_page_set_label(page, "signals");
	bxt_page_make_table(section, "designator");
	for (const bxt_designator_row *r = bxt_designator_rows; r->pattern; r++) {
		bxt_page *row = bxt_page_add(arena, section, r->pattern, r->doc);
		bxt_page_fact_add(row, "examples", r->example);
	}
	return page;
}

/* ---- Settings ---- */

/* The destination of a setting's values. */
struct values {
	bxt_arena *arena;
	bxt_page *section;
};

static void add_value(void *context, const char *name, const char *doc)
{
	const struct values *v = context;
	bxt_page_add(v->arena, v->section, name, doc);
}

static bxt_page *settings(bxt_arena *arena)
{
	bxt_page *page =
		bxt_page_new(arena, "settings of a run",
			     "Each is an attribute of <simulation> and an option of the command "
			     "line, which wins. A "
			     "setting that the scheme makes no use of is left out with a warning.");
	bxt_page *section = bxt_page_add(arena, page, "Settings", NULL);
	const bxt_element_row *row =
		bxt_language_find(BXT_LANGUAGE_NETLIST, "netlist", "simulation");
	if (!section)
		return NULL;
	bxt_page_set_label(page, "settings");
	bxt_page_make_table(section, "setting");
	for (const bxt_attribute_row *a = row->attributes; a->name; a++) {
		bxt_page *line = bxt_page_add(arena, section, a->name, a->doc);
		bxt_page_fact_add(line, "type", a->type);
		bxt_page_fact_add(line, "default", a->otherwise ? a->otherwise : "");
	}
	for (int i = 0; bxt_setting_names[i]; i++) {
		const char *name = bxt_setting_names[i];
		struct values v = {
			arena, bxt_page_add(arena, page,
					    bxt_arena_printf(arena, "Values of %s", name), NULL)};
		bxt_page_make_table(v.section, "value");
		bxt_page_set_label(v.section, bxt_arena_printf(arena, "setting-%s", name));
		bxt_setting_values(name, add_value, &v);
	}
	struct values v = {arena,
			   bxt_page_add(arena, page, "Step methods",
					"A scheme names those that may step it. The first one "
					"that can step the model does.")};
	bxt_page_make_table(v.section, "method");
	bxt_setting_values("method", add_value, &v);
	return page;
}

/* ---- Units ---- */

/* Units that models often use, by quantity. The database has more. */
static const char *const common_units[][2] = {
	{"m", "length"},
	{"mm", "length"},
	{"inch", "length"},
	{"s", "time"},
	{"ms", "time"},
	{"min", "time"},
	{"h", "time"},
	{"rad", "angle"},
	{"deg", "angle"},
	{"rev", "angle, a full turn"},
	{"kg", "mass"},
	{"g", "mass"},
	{"lb", "mass"},
	{"m/s", "velocity"},
	{"km/h", "velocity"},
	{"rad/s", "angular velocity"},
	{"rpm", "angular velocity"},
	{"Hz", "frequency; no angular velocity"},
	{"N", "force"},
	{"N.m", "torque"},
	{"J", "energy"},
	{"kW.h", "energy"},
	{"W", "power"},
	{"Pa", "pressure"},
	{"bar", "pressure"},
	{"m3", "volume"},
	{"L", "volume, the litre"},
	{"m3/s", "volume flow"},
	{"L/min", "volume flow"},
	{"K", "temperature"},
	{"degC", "temperature, with its own zero"},
	{"J/K", "entropy"},
	{"W/K", "entropy flow"},
	{"C", "charge"},
	{"A", "current"},
	{"V", "voltage"},
	{"ohm", "resistance"},
	{"S", "conductance"},
	{"mho", "conductance"},
	{"F", "capacitance"},
	{"uF", "capacitance"},
	{"H", "inductance"},
	{"Wb", "magnetic flux"},
	{"T", "flux density"},
	{"kg.m2", "moment of inertia"},
	{"N/m", "stiffness"},
	{"N.s/m", "damping"},
	{"%", "a number, the hundredth part"},
	{"1", "a number"},
};

static void add_units(bxt_arena *arena, bxt_page *page, bxt_units *units)
{
	char si[BXT_UNIT_TEXT];
	bxt_page *section = bxt_page_add(
		arena, page, "Units in use",
		"The names and symbols of UDUNITS-2 are known; these are the usual ones.");
	bxt_page_make_table(section, "unit");
	for (size_t i = 0; i < sizeof common_units / sizeof *common_units; i++) {
		const char *unit = common_units[i][0];
		bxt_page *row = bxt_page_add(arena, section, unit, common_units[i][1]);
		const char *text = bxt_arena_printf(arena, "1 %s", unit);
		double value;
		const bool read = text &&
				  bxt_units_si(units, unit, si, sizeof si) == BXT_QUANTITY_OK &&
				  bxt_quantity_read(units, text, si, &value) == BXT_QUANTITY_OK;
		bxt_page_fact_add(row, "in SI units",
				  read ? bxt_arena_printf(arena, "%.12g%s%s", value,
							  *si != '1' && *si ? " " : "",
							  *si != '1' ? si : "")
				       : NULL);
	}
}

static bxt_page *units(bxt_arena *arena)
{
	bxt_units *database = bxt_units_new();
	bxt_page *page = bxt_page_new(
		arena, "quantities and units",
		"A quantity is a decimal number and a unit with a blank between: 4.7 kohm. Units "
		"are "
		"names with prefixes and integer powers, joined by a point or by / : kg.m2, V/s, "
		"N.m/rad. A number without a unit counts in the unit of what it is for. A unit of "
		"another dimension is refused.\n\n"
		"Equations know SI units alone. Decimal prefixes act on the exponent, so that 10 "
		"uF "
		"is exactly 1e-05.");
	bxt_page *section = bxt_page_add(arena, page, "Prefixes", NULL);
	bxt_page_make_table(section, "prefix");
	for (const bxt_unit_prefix *p = bxt_unit_prefixes; p->text; p++)
		bxt_page_add(arena, section, p->text, bxt_arena_printf(arena, "1e%d", p->exponent));
	section = bxt_page_add(arena, page, "Other names", "Names that stand for others.");
	bxt_page_make_table(section, "name");
	for (int i = 0; bxt_unit_aliases[i][0]; i++)
		bxt_page_add(arena, section, bxt_unit_aliases[i][0], bxt_unit_aliases[i][1]);
	if (database && section)
		add_units(arena, page, database);
	bxt_units_free(database);
	bxt_page_set_label(page, "units");
	return database ? page : NULL;
}

/* ---- Public functions ---- */

static const struct chapter {
	const char *name, *doc;
	bxt_page *(*make)(bxt_arena *arena);
} chapters[] = {
	{"netlist", "elements and attributes of netlists", bxt_reference_netlist},
	{"component", "elements and attributes of components", bxt_reference_component},
	{"functions", "functions of expressions", functions},
	{"signals", "names of quantities that can be recorded", signals},
	{"settings", "settings of a run and their values", settings},
	{"units", "units, prefixes, quantities", units},
	{"structures", "fields of the structures of a run, for programs", bxt_reference_structures},
};

static const struct chapter *find_chapter(const char *name)
{
	for (size_t i = 0; i < sizeof chapters / sizeof *chapters; i++)
		if (strcmp(chapters[i].name, name) == 0)
			return &chapters[i];
	return NULL;
}

void bxt_reference_chapters(bxt_setting_visit *visit, void *context)
{
	for (size_t i = 0; i < sizeof chapters / sizeof *chapters && visit; i++)
		visit(context, chapters[i].name, chapters[i].doc);
}

void bxt_page_formats(bxt_setting_visit *visit, void *context)
{
	if (!visit)
		return;
	visit(context, "md", "Markdown, with MyST's labels and mathematics");
	visit(context, "man", "a manual page");
	visit(context, "json", "JSON");
}

/* Moves the sections of a further chapter to the page. */
static bool append(bxt_page *page, bxt_page *more)
{
	if (!more || !more->first)
		return false;
	if (!more->first->text)
		more->first->text = more->text;
	if (page->last)
		page->last->next = more->first;
	page->last = more->last;
	page->failed = page->failed || more->failed;
	return true;
}

bxt_status bxt_reference_write(const char *const *names, size_t n, const char *format, FILE *stream)
{
	BXT_NEEDS(NULL, names);
	BXT_NEEDS(NULL, format);
	BXT_NEEDS(NULL, stream);
	const bxt_page_format *as = bxt_page_format_find(format);
	bool known = as && n > 0;
	for (size_t i = 0; i < n; i++)
		known = known && names[i] && find_chapter(names[i]);
	if (!known)
		return BXT_ERR_ARGUMENT;
	bxt_arena *arena = bxt_arena_new();
	bxt_page *page = arena ? find_chapter(names[0])->make(arena) : NULL;
	bool whole = page != NULL;
	for (size_t i = 1; i < n && whole; i++)
		whole = append(page, find_chapter(names[i])->make(arena));
	whole = whole && bxt_page_is_whole(page);
	if (whole)
		as->print(page, stream);
	bxt_arena_free(arena);
	return whole ? bxt_stream_status(stream) : BXT_ERR_MEMORY;
}
