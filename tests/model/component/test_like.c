/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Components that are like another one, and what components say of decks. */
#include "ground/base/text.h"
#include "model/component/library.h"
#include "support/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *folder;

/* NAME.xml in the folder: attributes of the root, then its content. */
static void write_component(const char *name, const char *attributes, const char *content)
{
	bxt_buffer path = {0};
	bxt_buffer_printf(&path, "%s/%s.xml", folder, name);
	FILE *f = fopen(path.text, "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f,
		"<component xmlns='" BXT_NS_COMPONENT
		"' name='%s' domain='d' %s>\n%s\n</component>\n",
		name, attributes, content);
	fclose(f);
	bxt_buffer_free(&path);
}

static void make_folder(void)
{
	folder = scratch_folder();
	write_component("base", "",
			"<doc>base</doc><parameter name='R' unit='ohm' default='1 ohm'/>\n"
			"<parameter name='G' unit='S' default='0 S'/>\n"
			"<let name='turn' unit='1'>1</let>\n"
			"<coordinate name='q' unit='C' flow='i'/>\n"
			"<port name='p' kind='electrical' flow='turn*i'/>\n"
			"<port name='n' kind='electrical' flow='-turn*i'/>\n"
			"<rayleigh>R*i^2/2</rayleigh><force on='q'>1*R</force>");
}

static void remove_folder(void)
{
	scratch_remove(folder);
}

static const bxt_component *find_component(const char *name, bxt_diagnostics *d,
					   bxt_library **library)
{
	bool broken;
	*library = bxt_library_new((const char *const *)&folder, 1, d);
	return bxt_library_find(*library, name, d, &broken);
}

/* Parts replace those of the same name, and of the same element; others are added. */
START_TEST(parts)
{
	bxt_library *library;
	bxt_diagnostics *d = bxt_diagnostics_new();
	write_component("other", "like='base'",
			"<doc>other</doc><let name='turn' unit='1'>-1</let>\n"
			"<parameter name='R' unit='ohm' default='3 ohm'/>\n"
			"<force on='q'>2*R</force><rayleigh>R*i^2</rayleigh>\n"
			"<output name='o' unit='A'>i</output>");
	const bxt_component *c = find_component("other", d, &library);
	ck_assert_msg(c && bxt_diagnostics_count(d, BXT_NOTE) == 0, "%s",
		      bxt_diagnostics_count(d, BXT_NOTE) ? bxt_diagnostics_get(d, 0)->text : "");
	ck_assert_str_eq(c->name, "other");
	ck_assert_str_eq(c->doc, "other");
	ck_assert_int_eq(c->n_parameters, 2);
	ck_assert_str_eq(c->parameters[0].name, "R");
	ck_assert(c->parameters[0].default_value == 3);
	ck_assert_int_eq(c->n_lets, 1);
	ck_assert_str_eq(c->lets[0].expression.text, "-1");
	ck_assert_str_eq(c->rayleigh.text, "R*i^2");
	ck_assert_int_eq(c->n_forces, 1);
	ck_assert_str_eq(c->forces[0].expression.text, "2*R");
	ck_assert_int_eq(c->n_ports, 2);
	ck_assert_int_eq(c->n_outputs, 1);
	/* where each part is written */
	ck_assert_ptr_nonnull(strstr(c->parameters[0].place.file, "/other.xml"));
	ck_assert_ptr_nonnull(strstr(c->parameters[1].place.file, "/base.xml"));
	ck_assert_int_eq(c->parameters[0].place.line, 3);
	bxt_library_free(library);
	bxt_diagnostics_free(d);
}
END_TEST

static const struct {
	const char *attributes, *content, *finding;
} wrong[] = {
	{"like='absent'", "", "absent.xml"},
	{"like='../base'", "", "write the name of a component whose file is in the same folder"},
	{"like='twin'", "", "that component is itself like 'base', name this one"},
	{"like='base'", "<port name='p' kind='electrical' flow='nothing*x'/>text", "text outside"},
	{"like='base'", "<parameter name='R' unit='ohm' default='1 V'/>", "is not a quantity in"},
	{"spice='D'", "", "has both the attribute spice"},
	{"spice='D'", "<spice letter='DD' nodes=''/>", "'DD' is not one letter"},
	{"spice='D'", "<spice letter='D' nodes='p'/>", "there is no port 'p'"},
	{"like='base' spice='D'", "<spice letter='D' nodes='p n'/><spice letter='D' nodes='p'/>",
	 "a second <spice>"},
};

START_TEST(findings)
{
	bxt_library *library;
	bxt_diagnostics *d = bxt_diagnostics_new();
	bool found = false;
	write_component("twin", "like='base'", "");
	write_component("wrong", wrong[_i].attributes, wrong[_i].content);
	ck_assert_ptr_null(find_component("wrong", d, &library));
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_ERROR); i++) {
		const bxt_finding *f = bxt_diagnostics_get(d, i);
		found = found || strstr(f->text, wrong[_i].finding) ||
			strstr(f->file, wrong[_i].finding);
	}
	ck_assert_msg(found, "%s: %s", wrong[_i].finding,
		      bxt_diagnostics_count(d, BXT_ERROR) ? bxt_diagnostics_get(d, 0)->text : "");
	bxt_library_free(library);
	bxt_diagnostics_free(d);
}
END_TEST

/* What is no file of a library has no folder in which the other one could be. */
START_TEST(in_netlist)
{
	bxt_netlist *netlist = NULL;
	bxt_system *system = NULL;
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = bxt_library_new((const char *const *)&folder, 1, d);
	const char *text = "<netlist xmlns='urn:boxtimes:netlist:1'><component "
			   "xmlns='urn:boxtimes:component:1' name='x' like='base'/></netlist>";
	ck_assert_int_eq(bxt_netlist_read_memory(text, strlen(text), "n.xml", d, &netlist), BXT_OK);
	ck_assert_int_eq(bxt_system_compile(netlist, library, d, &system), BXT_ERR_MODEL);
	ck_assert_ptr_nonnull(
		strstr(bxt_diagnostics_get(d, 0)->text, "which only a file of a library can have"));
	bxt_netlist_free(netlist);
	bxt_library_free(library);
	bxt_diagnostics_free(d);
}
END_TEST

TEST_SUITE("like")
{
	const test_case tests[] = {
		{"parts", parts},
		{"findings", findings, .loops = COUNT(wrong)},
		{"in netlist", in_netlist},
	};
	ADD_TESTS_WITH(make_folder, remove_folder, tests);
}
