/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What models are made of: a small one by hand, then that the lists of all shipped ones agree with
 * what the rest of the library says of them. */
#include "ground/base/text.h"
#include "model/names/designator_list.h"
#include "model/netlist/edit.h"
#include "support/harness.h"

#include "model/system/parts.h"
#include "model/system/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bxt_part_info part(const model *m, bxt_part which, size_t i)
{
	bxt_part_info info = {.size = sizeof info};
	ck_assert_int_eq(bxt_system_part(m->system, which, i, &info), BXT_OK);
	ck_assert_uint_eq(info.size, sizeof info);
	ck_assert(info.path && info.kind && info.unit && info.doc);
	return info;
}

static bxt_part_info named(const model *m, bxt_part which, const char *path)
{
	const long i = bxt_system_find(m->system, which, path, m->findings);
	ck_assert_msg(i >= 0, "%s is not found", path);
	return part(m, which, (size_t)i);
}

/* ---- By hand ---- */

static const char torn_text[] = NETLIST(
	"<parameter name='top' unit='ohm' default='36'>its speed</parameter>"
	"<subsystem id='left'><resistor id='R' p='a' n='0' R='2 kohm'/>"
	"<voltage-source id='V' p='b' n='0' e='=sin(t)'/><resistor id='R2' p='b' n='a' R='3'/>"
	"<port id='s' node='a'/></subsystem>"
	"<capacitor id='C' p='c' n='0' C='2 mF'/><resistor id='R' p='c' n='0' R='=top'/>"
	"<subsystem id='right'><capacitor id='C' p='a' n='0' C='1 mF'/><port id='s' node='a'/>"
	"</subsystem><sampled-pid id='P' Ts='1 ms' Kp='1'/>"
	"<signal id='y' to='P.y'>2*t</signal><signal to='P.r'>1</signal>"
	"<interconnection><connect id='c' ports='left.s right.s'/></interconnection>");

START_TEST(by_hand)
{
	model m = model_of_text(torn_text);
	const bxt_system *s = m.system;
	ck_assert_uint_eq(bxt_system_count(s, BXT_PART_SUBSYSTEM), 2);
	ck_assert_uint_eq(bxt_system_count(s, BXT_PART_ELEMENT), 7);
	ck_assert_uint_eq(bxt_system_count(s, BXT_PART_PORT), 2);
	ck_assert_uint_eq(bxt_system_count(s, BXT_PART_CONNECTION), 1);
	ck_assert_uint_eq(bxt_system_count(s, BXT_PART_INPUT), 0);
	const bxt_part_info r = named(&m, BXT_PART_PARAMETER, "left.R.R");
	ck_assert_double_eq(r.value, 2000);
	ck_assert_str_eq(r.unit, "ohm");
	ck_assert_str_eq(part(&m, BXT_PART_ELEMENT, (size_t)r.parent).path, "left.R");
	ck_assert(r.tunable && r.line == 1 && strcmp(r.file, "test") == 0);
	const bxt_part_info e = named(&m, BXT_PART_PARAMETER, "V.e");
	ck_assert_str_eq(e.path, "left.V.e");
	ck_assert(isnan(e.value) && !e.tunable);
	const bxt_part_info top = named(&m, BXT_PART_PARAMETER, "top");
	ck_assert(top.value == 36 && top.parent == -1 && top.tunable);
	ck_assert_str_eq(top.doc, "its speed");
	ck_assert_double_eq(named(&m, BXT_PART_PARAMETER, "R.R").value, 36);
	ck_assert(!named(&m, BXT_PART_PARAMETER, "P.Ts").tunable);
	ck_assert(named(&m, BXT_PART_PARAMETER, "P.Ts").positive);
	ck_assert_str_eq(named(&m, BXT_PART_SIGNAL, "left.R.v").kind, "effort");
	ck_assert_str_eq(named(&m, BXT_PART_SIGNAL, "node(left.a).v").unit, "V");
	ck_assert_str_eq(named(&m, BXT_PART_SIGNAL, "energy(left)").kind, "energy");
	ck_assert_str_eq(named(&m, BXT_PART_SIGNAL, "c.lambda").kind, "multiplier");
	ck_assert_str_eq(named(&m, BXT_PART_COORDINATE, "left.R.q").kind, "resistor");
	ck_assert(named(&m, BXT_PART_COORDINATE, "left.R.q").massless);
	ck_assert_str_eq(named(&m, BXT_PART_ROW, "c").kind, "connection");
	ck_assert_str_eq(named(&m, BXT_PART_ELEMENT, "left.R").kind, "resistor");
	ck_assert_str_eq(named(&m, BXT_PART_NODE, "left.a").kind, "electrical");
	model_free(&m);
}
END_TEST

/* An own parameter in km/h: its value is in m/s, and its unit says so. */
START_TEST(coherent_units)
{
	model m = model_of_text(NETLIST("<parameter name='top' unit='km/h' default='36'/>"
					"<resistor id='R' p='a' n='0' R='1'/>"
					"<capacitor id='C' p='a' n='0' C='1'/>"));
	const bxt_part_info top = named(&m, BXT_PART_PARAMETER, "top");
	ck_assert_double_eq(top.value, 10);
	ck_assert_str_eq(top.unit, "m.s-1");
	model_free(&m);
}
END_TEST

START_TEST(ports)
{
	model m = model_of_text(torn_text);
	const long *node;
	const char *const *name;
	const size_t i = (size_t)bxt_system_find(m.system, BXT_PART_ELEMENT, "R2", NULL);
	ck_assert_uint_eq(bxt_system_element_ports(m.system, i, &node, &name), 2);
	ck_assert_str_eq(name[0], "p");
	ck_assert_str_eq(name[1], "n");
	ck_assert_int_eq(node[0], bxt_system_find(m.system, BXT_PART_NODE, "left.b", NULL));
	ck_assert_int_eq(node[1], bxt_system_find(m.system, BXT_PART_NODE, "left.a", NULL));
	const size_t v = (size_t)bxt_system_find(m.system, BXT_PART_ELEMENT, "left.V", NULL);
	ck_assert_uint_eq(bxt_system_element_ports(m.system, v, &node, NULL), 2);
	ck_assert_int_eq(node[1], -1);
	ck_assert_uint_eq(bxt_system_element_ports(m.system, 1000, &node, &name), 0);
	ck_assert(!node && !name);
	ck_assert_uint_eq(bxt_system_element_ports(NULL, 0, &node, &name), 0);
	model_free(&m);
}
END_TEST

static const struct {
	bxt_part part;
	const char *path, *finding;
} wrong_paths[] = {
	{BXT_PART_PARAMETER, "left.R3.R", "no parameter 'left.R3.R' (did you mean 'left.R"},
	{BXT_PART_PARAMETER, "e", "no parameter 'e'"}, /* of too many things */
	{BXT_PART_PARAMETER, "C.C", NULL},             /* exact before an end */
	{BXT_PART_ELEMENT, "V", NULL},
	{BXT_PART_PORT, "s", "the port 's' is ambiguous: 'left.s' or 'right.s'"},
	{BXT_PART_NODE, "b)", "no node 'b)'"},
	{BXT_PART_SIGNAL, "node(b).v", NULL},
	{BXT_PART_SIGNAL, "", "no signal ''"},
	{BXT_PART_INPUT, "u", "no input 'u'"},
	{BXT_PART_COUNT, "u", "'part' is NULL"},
	{(bxt_part)-1, "u", "'part' is NULL"},
};

START_TEST(found_or_not)
{
	model m = model_of_text(torn_text);
	const long i =
		bxt_system_find(m.system, wrong_paths[_i].part, wrong_paths[_i].path, m.findings);
	ck_assert_int_eq(i >= 0, !wrong_paths[_i].finding);
	if (wrong_paths[_i].finding)
		ck_assert_msg(has_finding(&m, BXT_ERROR, wrong_paths[_i].finding), "%s",
			      bxt_diagnostics_get(m.findings,
						  bxt_diagnostics_count(m.findings, BXT_NOTE) - 1)
				      ->text);
	model_free(&m);
}
END_TEST

START_TEST(refused)
{
	model m = model_of_text(torn_text);
	bxt_part_info info = {.size = sizeof info},
		      shorter = {.size = offsetof(bxt_part_info, unit)};
	ck_assert_uint_eq(bxt_system_count(NULL, BXT_PART_ELEMENT), 0);
	ck_assert_uint_eq(bxt_system_count(m.system, BXT_PART_COUNT), 0);
	ck_assert_int_eq(bxt_system_part(NULL, BXT_PART_ELEMENT, 0, &info), BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_system_part(m.system, BXT_PART_ELEMENT, 7, &info), BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_system_part(m.system, BXT_PART_INPUT, 0, &info), BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_system_part(m.system, BXT_PART_COUNT, 0, &info), BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_system_part(m.system, BXT_PART_ELEMENT, 0, NULL), BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_system_part(m.system, BXT_PART_ELEMENT, 0, &shorter), BXT_OK);
	ck_assert_str_eq(shorter.path, "left.R");
	ck_assert(shorter.kind && !shorter.unit && shorter.size == offsetof(bxt_part_info, unit));
	info.size = 0;
	ck_assert_int_eq(bxt_system_part(m.system, BXT_PART_ELEMENT, 0, &info), BXT_ERR_ARGUMENT);
	info.size = sizeof info + 8;
	ck_assert_int_eq(bxt_system_part(m.system, BXT_PART_ELEMENT, 0, &info), BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_system_find(NULL, BXT_PART_ELEMENT, "R", NULL), -1);
	ck_assert_int_eq(bxt_system_find(m.system, BXT_PART_ELEMENT, NULL, NULL), -1);
	model_free(&m);
}
END_TEST

/* ---- All that are shipped ---- */

/* Its index, and the path of what holds it, which its own begins with. */
static void check_part(const model *m, bxt_part which, size_t i, const char *file)
{
	const bxt_part_info info = part(m, which, i);
	const bxt_part holder = which == BXT_PART_PARAMETER ? BXT_PART_ELEMENT : BXT_PART_SUBSYSTEM;
	const long found = bxt_system_find(m->system, which, info.path, NULL);
	ck_assert_msg(found == (long)i, "%s: %s %zu '%s' is found as %ld", file, info.kind, i,
		      info.path, found);
	ck_assert(info.parent < (long)bxt_system_count(m->system, holder));
	if (info.parent < 0)
		return;
	const bxt_part_info parent = part(m, holder, (size_t)info.parent);
	const char *open = strchr(info.path, '('), *path = open ? open + 1 : info.path;
	const size_t length = strlen(parent.path);
	ck_assert_msg(strncmp(path, parent.path, length) == 0 && path[length] == '.',
		      "%s: '%s' is not in '%s'", file, info.path, parent.path);
}

/* A list of all signals, as a record: the same names and units in the same order. */
static void check_signals(const model *m, const char *file)
{
	bxt_buffer list = {0};
	bxt_column *columns;
	size_t n;
	const size_t count = bxt_system_count(m->system, BXT_PART_SIGNAL);
	for (size_t i = 0; i < count; i++)
		bxt_buffer_printf(&list, "%s%s", i ? ", " : "", part(m, BXT_PART_SIGNAL, i).path);
	const bxt_run_def def = {.size = sizeof def, .record = list.text};
	ck_assert_msg(bxt_signal_columns(m->system, &def, m->findings, &columns, &n) == BXT_OK,
		      "%s: its signals cannot be recorded: %s", file,
		      bxt_diagnostics_get(m->findings, 0)->text);
	ck_assert_uint_eq(n, count);
	for (size_t i = 0; i < n; i++) {
		const bxt_part_info info = part(m, BXT_PART_SIGNAL, i);
		ck_assert_str_eq(columns[i].name, info.path);
		ck_assert_str_eq(columns[i].unit, info.unit);
		ck_assert(*info.kind);
	}
	free(columns);
	bxt_buffer_free(&list);
}

/* What patterns and the netlist itself record is there. */
static void check_recorded(const model *m, const char *record, const char *file)
{
	bxt_column *columns;
	size_t n;
	const bxt_run_def def = {.size = sizeof def, .record = record};
	if (bxt_signal_columns(m->system, &def, NULL, &columns, &n) != BXT_OK)
		return; /* no part has such */
	for (size_t i = 0; i < n; i++) {
		const char *name = columns[i].name;
		/* a column "gain = ..." is called "gain" */
		const bool expression = bxt_record_is_expression(name) || !strpbrk(name, ".(");
		ck_assert_msg(expression ||
				      bxt_system_find(m->system, BXT_PART_SIGNAL, name, NULL) >= 0,
			      "%s records '%s', which is in no list", file, name);
	}
	free(columns);
}

static void check_netlist(const char *file)
{
	static const char *const patterns[] = {NULL,        "*",          "*.p",      "*.pc",
					       "node(*).*", "power(*)",   "*.lambda", "*.mu",
					       "energy(*)", "supplied(*)"};
	model m = model_of_file(file);
	for (int which = 0; which < BXT_PART_COUNT; which++) {
		const size_t n = bxt_system_count(m.system, (bxt_part)which);
		for (size_t i = 0; i < n; i++)
			check_part(&m, (bxt_part)which, i, file);
	}
	ck_assert_int_eq((int)bxt_system_count(m.system, BXT_PART_COORDINATE), m.system->n);
	ck_assert_int_eq((int)bxt_system_count(m.system, BXT_PART_ROW), bxt_rows_outside(m.system));
	check_signals(&m, file);
	for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++)
		check_recorded(&m, patterns[k], file);
	model_free(&m);
}

START_TEST(shipped)
{
	netlist_names all = all_netlists();
	for (size_t k = 0; k < all.n; k++)
		check_netlist(all.name[k]);
	all_netlists_free(&all);
}
END_TEST

/* ---- Values ---- */

/* The <parameter> of the netlist itself. */
static bxt_item *declared(const bxt_netlist *netlist, const char *name)
{
	bxt_item *item = NULL;
	do
		item = bxt_item_child(netlist->root, "parameter", item);
	while (item && strcmp(bxt_item_get(item, "name"), name) != 0);
	ck_assert_ptr_nonnull(item);
	return item;
}

/* A copy of the netlist with another value of a parameter; NULL: it lies in an included file, or
 * the model is refused. */
static bxt_system *changed(const model *m, const bxt_part_info *info, double value,
			   bxt_netlist **copy)
{
	const char *dot = strrchr(info->path, '.');
	bxt_system *system = NULL;
	bxt_buffer path = {0}, text = {0};
	*copy = NULL;
	bxt_buffer_printf(&path, "%.*s", dot ? (int)(dot - info->path) : 0, info->path);
	bxt_buffer_printf(&text, "%.17g %s", value, info->unit);
	ck_assert_int_eq(bxt_tree_copy(m->netlist, copy), BXT_OK);
	const bxt_status status =
		dot ? bxt_netlist_set(*copy, path.text, dot + 1, text.text, NULL)
		    : bxt_item_set(*copy, declared(*copy, info->path), "default", text.text);
	if (status == BXT_OK)
		bxt_system_compile(*copy, m->library, NULL, &system);
	bxt_buffer_free(&path);
	bxt_buffer_free(&text);
	return system;
}

/* Of parameter i: the value of the changed model, at the same index; of an element no other is
 * changed. How many were compared. */
static int check_value(const model *m, size_t i, const char *file)
{
	const bxt_part_info was = part(m, BXT_PART_PARAMETER, i);
	const double value = was.value == 0 ? 1 : was.value * 1.0009765625;
	bxt_netlist *netlist;
	if (!was.tunable || value < was.least || value > was.most)
		return 0;
	bxt_system *system = changed(m, &was, value, &netlist);
	const model other = {.system = system};
	for (size_t k = 0; system && k < bxt_system_count(m->system, BXT_PART_PARAMETER); k++) {
		const bxt_part_info a = part(m, BXT_PART_PARAMETER, k),
				    b = part(&other, BXT_PART_PARAMETER, k);
		ck_assert_str_eq(a.path, b.path);
		if (k == i)
			ck_assert_msg(b.value == value, "%s: %s is %.17g, set to %.17g", file,
				      a.path, b.value, value);
		else if (was.parent >= 0) /* nothing is made of it */
			ck_assert_msg(memcmp(&a.value, &b.value, sizeof a.value) == 0,
				      "%s: %s changes with %s", file, a.path, was.path);
	}
	bxt_system_free(system);
	bxt_netlist_free(netlist);
	return system != NULL;
}

START_TEST(values)
{
	enum { OF_EACH = 4 };
	netlist_names all = all_netlists();
	int elements = 0, own = 0, tried = 0;
	for (size_t k = 0; k < all.n; k++) {
		model m = model_of_file(all.name[k]);
		const size_t n = bxt_system_count(m.system, BXT_PART_PARAMETER);
		for (size_t i = 0; i < n; i++) {
			const bool of_netlist = part(&m, BXT_PART_PARAMETER, i).parent < 0;
			if (!of_netlist && i % (n / OF_EACH + 1) != 0)
				continue;
			tried++;
			*(of_netlist ? &own : &elements) += check_value(&m, i, all.name[k]);
		}
		model_free(&m);
	}
	printf("values: %d parameters tried, %d of elements and %d of netlists compared\n", tried,
	       elements, own);
	ck_assert_int_gt(elements + own, tried * 3 / 4);
	ck_assert_int_gt(own, 50);
	all_netlists_free(&all);
}
END_TEST

TEST_SUITE("parts of models")
{
	const test_case tests[] = {
		{"by hand", by_hand},
		{"coherent units", coherent_units},
		{"ports", ports},
		{"found or not", found_or_not, .loops = COUNT(wrong_paths)},
		{"refused", refused},
		{"shipped", shipped, .slow = true},
		{"values", values, .slow = true},
	};
	ADD_TESTS(tests);
}
