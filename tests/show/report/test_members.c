/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The descriptors of public structures: they cover each structure without a gap, and they say what
 * a program needs to know. */
#include "support/harness.h"

#include <stdlib.h>
#include <string.h>

/* Sizes by the headers; a structure that is described has a row here. */
static const struct structure {
	const char *name;
	size_t size;
} structures[] = {
	{"bxt_run_def", sizeof(bxt_run_def)},
	{"bxt_summary", sizeof(bxt_summary)},
	{"bxt_ledger_entry", sizeof(bxt_ledger_entry)},
	{"bxt_drift_entry", sizeof(bxt_drift_entry)},
	{"bxt_symmetry_entry", sizeof(bxt_symmetry_entry)},
	{"bxt_trust_figures", sizeof(bxt_trust_figures)},
	{"bxt_step_figures", sizeof(bxt_step_figures)},
	{"bxt_accuracy", sizeof(bxt_accuracy)},
	{"bxt_column", sizeof(bxt_column)},
	{"bxt_summary.seconds", sizeof(((bxt_summary *)NULL)->seconds)},
};

/* The size of a type in C, and to which multiple the compiler aligns it. */
static void lay_out(const bxt_member *m, size_t *bytes, size_t *alignment)
{
	switch (m->type) {
	case BXT_MEMBER_REAL:
		*bytes = *alignment = sizeof(double);
		break;
	case BXT_MEMBER_LONG:
		*bytes = *alignment = sizeof(long);
		break;
	case BXT_MEMBER_INT:
		*bytes = *alignment = sizeof(int);
		break;
	case BXT_MEMBER_COUNT:
		*bytes = *alignment = sizeof(size_t);
		break;
	case BXT_MEMBER_FLAG:
		*bytes = *alignment = sizeof(bool);
		break;
	case BXT_MEMBER_STRUCTURE:
		*bytes = bxt_structure_size(m->structure);
		*alignment = sizeof(size_t);
		break;
	default:
		*bytes = *alignment = sizeof(void *);
		break;
	}
}

static size_t round_up(size_t n, size_t alignment)
{
	return (n + alignment - 1) / alignment * alignment;
}

/* Each member begins where the one before it ends, but for its alignment; so a member of the header
 * without a descriptor is a gap, and one behind the last makes the structure longer. */
START_TEST(members_cover_the_structure)
{
	const struct structure *s = &structures[_i];
	size_t end = 0, largest = 1, bytes, alignment;
	const bxt_member *m;
	for (size_t i = 0; (m = bxt_structure_member(s->name, i)); i++) {
		lay_out(m, &bytes, &alignment);
		ck_assert_uint_eq(m->size, sizeof *m);
		ck_assert_msg(m->offset == round_up(end, alignment), "%s.%s is at %zu, not at %zu",
			      s->name, m->name, m->offset, round_up(end, alignment));
		ck_assert_msg(m->bytes == bytes, "%s.%s has %zu bytes, not %zu", s->name, m->name,
			      m->bytes, bytes);
		ck_assert_msg(m->doc && *m->doc && m->doc[strlen(m->doc) - 1] == '.',
			      "%s.%s is not explained by a sentence", s->name, m->name);
		end = m->offset + bytes;
		largest = alignment > largest ? alignment : largest;
	}
	ck_assert_uint_eq(round_up(end, largest), s->size);
	ck_assert_uint_eq(bxt_structure_size(s->name), s->size);
}
END_TEST

START_TEST(names_are_known)
{
	const struct structure *s = &structures[_i];
	const bxt_member *m, *other;
	for (size_t i = 0; (m = bxt_structure_member(s->name, i)); i++) {
		bool needed = !m->needs;
		if (m->structure)
			ck_assert_uint_gt(bxt_structure_size(m->structure), 0);
		else
			ck_assert(m->type != BXT_MEMBER_STRUCTURE && m->type != BXT_MEMBER_ARRAY);
		for (size_t k = 0; (other = bxt_structure_member(s->name, k)); k++) {
			needed = needed || (strcmp(other->name, m->needs) == 0 &&
					    other->type == BXT_MEMBER_TEXT);
			if (k != i && m->key && other->key)
				ck_assert_str_ne(m->key, other->key);
		}
		ck_assert_msg(needed, "%s.%s needs a text that is not there", s->name, m->name);
		if (m->type == BXT_MEMBER_TEXTS) {
			other = bxt_structure_member(s->name, i + 1);
			ck_assert_ptr_nonnull(other);
			ck_assert_int_eq(other->type, BXT_MEMBER_COUNT);
		}
	}
	ck_assert_ptr_null(bxt_structure_member("bxt_nothing", 0));
	ck_assert_uint_eq(bxt_structure_size("bxt_nothing"), 0);
}
END_TEST

struct search {
	const char *name;
	bool found;
};

static void compare_value(void *context, const char *name, const char *doc)
{
	struct search *s = context;
	(void)doc;
	s->found = s->found || strcmp(name, s->name) == 0;
}

START_TEST(standard_values_are_values)
{
	int n = 0;
	const bxt_member *m;
	for (size_t i = 0; (m = bxt_structure_member("bxt_run_def", i)); i++) {
		struct search s = {m->standard, false}, setting = {m->setting, false};
		if (!m->values)
			continue;
		n++;
		bxt_setting_values(m->values, compare_value, &s);
		bxt_setting_values("setting", compare_value, &setting);
		ck_assert_msg(s.found, "'%s' is no value of %s", m->standard, m->setting);
		ck_assert(setting.found);
	}
	ck_assert_int_eq(n, 9);
}
END_TEST

static const char rlc[] = NETLIST("<resistor id=\"R\" p=\"a\" n=\"0\" R=\"1 kohm\"/>"
				  "<capacitor id=\"C\" p=\"a\" n=\"0\" C=\"1 mF\" q=\"1 mC\"/>");

/* A simulation keeps no text of its caller: these are overwritten before it starts again. */
START_TEST(texts_are_copied)
{
	model m = model_of_text(rlc);
	bxt_run_def def;
	bxt_simulation *simulation;
	char *kept[32];
	size_t n = 0;
	const bxt_member *of;
	bxt_default_run_def(&def);
	def.step = 0.01;
	def.end = 1;
	for (size_t i = 0; (of = bxt_structure_member("bxt_run_def", i)); i++)
		if (of->type == BXT_MEMBER_TEXT && of->values) {
			kept[n] = strdup(of->standard);
			*(const char **)((char *)&def + of->offset) = kept[n++];
		}
	ck_assert_uint_eq(n, 9);
	ck_assert_int_eq(bxt_simulation_new(m.system, &def, m.findings, &simulation), BXT_OK);
	for (size_t i = 0; i < n; i++)
		memset(kept[i], '?', strlen(kept[i]));
	bxt_simulation *copy;
	ck_assert_int_eq(bxt_simulation_copy(simulation, m.findings, &copy), BXT_OK);
	for (size_t i = 0; i < n; i++)
		free(kept[i]);
	bxt_simulation_free(copy);
	bxt_simulation_free(simulation);
	model_free(&m);
}
END_TEST

TEST_SUITE("members")
{
	const test_case tests[] = {
		{"members cover the structure", members_cover_the_structure,
		 .loops = COUNT(structures)},
		{"names are known", names_are_known, .loops = COUNT(structures)},
		{"standard values are values", standard_values_are_values},
		{"texts are copied", texts_are_copied},
	};
	ADD_TESTS(tests);
}
