/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Joined forms against the tapes that they are made of: every shipped netlist, with several
 * schemes, gives the same to the last bit either way, accounts included.
 */
#include "motion/scheme/settings.h"
#include "support/harness.h"

#include "model/system/fused.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 12 };

static int joined_forms(const bxt_system *s)
{
	int n = 0;
	for (int f = 0; f < BXT_SET_COUNT; f++)
		n += s->tapes.fused[f] != NULL;
	return n;
}

/* Not-a-number included: what is nobody's account is that. */
static bool same_bits(double a, double b)
{
	return memcmp(&a, &b, sizeof a) == 0;
}

static void check_table(const bxt_table *a, const bxt_table *b, const char *what)
{
	ck_assert_uint_eq(bxt_table_rows(a), bxt_table_rows(b));
	ck_assert_uint_eq(bxt_table_columns(a), bxt_table_columns(b));
	for (size_t i = 0; i < bxt_table_rows(a); i++)
		for (size_t j = 0; j < bxt_table_columns(a); j++)
			ck_assert_msg(same_bits(bxt_table_value(a, i, j), bxt_table_value(b, i, j)),
				      "%s: %s in row %zu: %a joined, %a by tapes", what,
				      bxt_table_name(a, j), i, bxt_table_value(a, i, j),
				      bxt_table_value(b, i, j));
}

static void check_summary(const bxt_summary *a, const bxt_summary *b, const char *what)
{
	ck_assert_uint_eq(a->n_ledger, b->n_ledger);
	for (size_t i = 0; i < a->n_ledger; i++) {
		ck_assert_msg(same_bits(a->ledger[i].supplied, b->ledger[i].supplied) &&
				      same_bits(a->ledger[i].dissipated, b->ledger[i].dissipated) &&
				      same_bits(a->ledger[i].end, b->ledger[i].end),
			      "%s: account of %s", what, a->ledger[i].path);
		/* nan has no sign that would mean anything */
		ck_assert_msg(same_bits(a->ledger[i].through, b->ledger[i].through) ||
				      (a->ledger[i].through != a->ledger[i].through &&
				       b->ledger[i].through != b->ledger[i].through),
			      "%s: through ports of %s", what, a->ledger[i].path);
	}
	ck_assert_int_eq(a->newton_iterations, b->newton_iterations);
}

/* Runs some steps of a model, which is freed; NULL where the scheme refuses it. */
static bxt_table *run(model m, const char *scheme, bool joined, int *sets, bxt_summary *summary)
{
	*sets = 0;
	const bxt_run_def asked = {.size = sizeof asked, .scheme = scheme};
	bxt_settings settings;
	if (bxt_settings_resolve(m.system, &asked, m.findings, &settings) != BXT_OK) {
		model_free(&m); /* refused before its steps could be asked for */
		return NULL;
	}
	const bxt_run_def def = first_steps(&m, asked, STEPS);
	*sets = joined_forms(m.system);
	if (!joined)
		bxt_fused_release(m.system);
	bxt_table *table = bxt_table_new();
	bxt_sink sink;
	bxt_table_sink(table, &sink);
	bxt_state *state = NULL;
	bxt_status status = bxt_initialize(m.system, &def, m.findings, &state);
	if (status == BXT_OK)
		status = bxt_run(m.system, state, &def, &sink, summary, m.findings);
	bxt_state_free(state);
	model_free(&m);
	return status == BXT_OK ? table : bxt_table_free(table);
}

/* Whether two copies of a model ran, the first with joined forms. */
static bool check_models(model first, model second, const char *name, const char *scheme)
{
	int sets, ignored;
	bxt_summary a = {0}, b = {0};
	bxt_table *joined = run(first, scheme, true, &sets, &a);
	bxt_table *tapes = run(second, scheme, false, &ignored, &b);
	const bool ran = joined != NULL;
	ck_assert_msg(ran == (tapes != NULL), "%s runs in one way only", name);
	if (ran) {
		check_table(joined, tapes, name);
		check_summary(&a, &b, name);
	}
	bxt_table_free(joined);
	bxt_table_free(tapes);
	bxt_summary_free(&a);
	bxt_summary_free(&b);
	return ran && sets > 0;
}

/* Schemes refuse some models; of the others most are small. */
static void check_scheme(const char *scheme)
{
	netlist_names names = all_netlists();
	size_t joined = 0;
	for (size_t i = 0; i < names.n; i++)
		joined += check_models(model_of_file(names.name[i]), model_of_file(names.name[i]),
				       names.name[i], scheme);
	ck_assert_msg(joined > names.n / 3, "%s: of %zu netlists %zu ran with joined forms", scheme,
		      names.n, joined);
	all_netlists_free(&names);
}

START_TEST(test_gauss1)
{
	check_scheme("gauss1");
}
END_TEST

START_TEST(test_radau2)
{
	check_scheme("radau2");
}
END_TEST

START_TEST(test_radau3)
{
	check_scheme("radau3");
}
END_TEST

START_TEST(test_dirac)
{
	check_scheme("dirac+");
}
END_TEST

START_TEST(test_discrete_gradient)
{
	check_scheme("discrete-gradient");
}
END_TEST

/* Where there are many elements of a kind blocks are faster. */
START_TEST(test_large_models_keep_tapes)
{
	bxt_buffer xml = {0};
	bxt_buffer_printf(&xml, "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"test\">");
	for (int i = 0; i < 200; i++)
		bxt_buffer_printf(&xml,
				  "<inductor id=\"L%d\" p=\"a%d\" n=\"0\" L=\"1 H\"/>"
				  "<capacitor id=\"C%d\" p=\"a%d\" n=\"0\" C=\"1 F\"/>",
				  i, i, i, i);
	bxt_buffer_printf(&xml, "</netlist>");
	model m = model_of_text(xml.text);
	ck_assert_int_eq(joined_forms(m.system), 0);
	model_free(&m);
	bxt_buffer_free(&xml);
}
END_TEST

/*
 * Twelve windings, each coupled to each: the 66 couplings are three blocks of one kind, and those
 * of different blocks add to the same rows, in the order of blocks.
 */
START_TEST(test_several_blocks)
{
	enum { N = 12 };
	bxt_buffer xml = {0};
	bxt_buffer_printf(&xml, "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"test\">"
				"<simulation end=\"1 s\" step=\"0.01 s\"/>");
	for (int i = 0; i < N; i++)
		bxt_buffer_printf(
			&xml,
			"<inductor id=\"L%d\" p=\"a%d\" n=\"0\" L=\"%.9g H\" i=\"%.9g A\"/>"
			"<capacitor id=\"C%d\" p=\"a%d\" n=\"0\" C=\"%.9g F\"/>",
			i, i, 1 + 0.013 * i, 0.37 * i - 1.1, i, i, 1.1 + 0.017 * i);
	for (int i = 0, k = 0; i < N; i++)
		for (int j = 0; j < i; j++, k++)
			bxt_buffer_printf(&xml,
					  "<mutual-inductance id=\"M%d\" a=\"L%d\" b=\"L%d\" "
					  "M=\"%.9g H\"/>",
					  k, j, i, 0.01 + 0.00037 * k);
	bxt_buffer_printf(&xml, "<diode id=\"D\" p=\"a2\" n=\"0\"/>"
				"<record>L0.i, L5.i, L11.p, energy</record></netlist>");
	ck_assert(check_models(model_of_text(xml.text), model_of_text(xml.text), "coupled windings",
			       "gauss1"));
	bxt_buffer_free(&xml);
}
END_TEST

TEST_SUITE("joined")
{
	const test_case tests[] = {{"gauss1", test_gauss1, .slow = true},
				   {"radau2", test_radau2, .slow = true},
				   {"radau3", test_radau3, .slow = true},
				   {"dirac+", test_dirac, .slow = true},
				   {"discrete gradient", test_discrete_gradient, .slow = true},
				   {"several blocks", test_several_blocks},
				   {"large models keep tapes", test_large_models_keep_tapes}};
	ADD_TESTS(tests);
}
