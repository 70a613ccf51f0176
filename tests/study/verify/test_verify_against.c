/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One netlist verified against another: what is said otherwise is the same system, and what is
 * another system is found by the check that is meant for it, with the culprit's name.
 */
#include "support/verify_checks.h"

#include "ground/base/text.h"
#include "support/allocation.h"
#include "support/runner.h"

#include <stdlib.h>
#include <string.h>

/* An element of every kind of mistake, in four parts. */
static const char *const part[] = {
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"wheel-on-rail\" domain=\"test\">",
	"<parameter name=\"r\" unit=\"1\"/>",
	"<coordinate name=\"x\" unit=\"1\" flow=\"vx\"/>",
	"<coordinate name=\"w\" unit=\"1\" flow=\"vw\"/>",
	"<lagrangian>vx^2/2 + vw^2/4 - cos(x)</lagrangian><rayleigh>0.1*vx^2</rayleigh>",
	"<constraint name=\"roll\" kind=\"flow\">vx - r*vw</constraint></component>",
	"<simulation step=\"0.01 s\" end=\"1 s\"/>",
	"<subsystem id=\"loop\">",
	"<resistor id=\"R1\" p=\"a\" n=\"0\" R=\"1 ohm\"/>",
	"<inductor id=\"L1\" p=\"a\" n=\"0\" L=\"1 H\"/>",
	"<port id=\"s\" node=\"a\"/><port id=\"w\" node=\"a\"/></subsystem>",
	"<subsystem id=\"store\">",
	"<capacitor id=\"C1\" p=\"b\" n=\"0\" C=\"1 F\" q=\"1 C\"/>",
	"<diode id=\"D1\" p=\"b\" n=\"d\" Is=\"1e-12 A\"/>",
	"<voltage-source id=\"V1\" p=\"d\" n=\"0\" e=\"=sin(3*t)\"/>",
	"<port id=\"s\" node=\"b\"/><port id=\"u\" node=\"d\"/></subsystem>",
	"<subsystem id=\"far\">",
	"<resistor id=\"R2\" p=\"f\" n=\"0\" R=\"10 ohm\"/>",
	"<nonlinear-capacitor id=\"N1\" p=\"f\" n=\"0\" energy=\"q^2/2 + q^4/4\"/>",
	"<port id=\"s\" node=\"f\"/><port id=\"w\" node=\"f\"/></subsystem>",
	"<subsystem id=\"left\">",
	"<mass id=\"m1\" a=\"x1\" m=\"1 kg\"/>",
	"<spring id=\"k1\" a=\"x1\" b=\"wall\" k=\"2 N/m\"/>",
	"<port id=\"s\" node=\"x1\"/></subsystem>",
	"<subsystem id=\"right\">",
	"<damper id=\"d1\" a=\"y1\" b=\"wall\" c=\"1 N.s/m\"/>",
	"<spring id=\"k2\" a=\"y1\" b=\"y2\" k=\"3 N/m\"/>",
	"<mass id=\"m2\" a=\"y2\" m=\"2 kg\"/>",
	"<port id=\"s\" node=\"y1\"/></subsystem>",
	"<wheel-on-rail id=\"W1\" r=\"0.5\"/>",
	"<interconnection>",
	"<connect id=\"c1\" a=\"loop.s\" b=\"store.s\"/>",
	"<connect id=\"c2\" a=\"left.s\" b=\"right.s\"/>",
	"<sigma id=\"t1\">store.u.i - 2*far.s.i</sigma>",
	"</interconnection>",
};
enum { PARTS = sizeof part / sizeof *part };

/* With the first occurrence of a text replaced by another. */
static char *twin_text(const char *from, const char *to)
{
	bxt_buffer xml = {0}, out = {0};
	bxt_buffer_printf(&xml, "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"twin\">\n");
	for (int k = 0; k < PARTS; k++)
		bxt_buffer_printf(&xml, "%s\n", part[k]);
	bxt_buffer_printf(&xml, "</netlist>\n");
	char *at = from ? strstr(xml.text, from) : xml.text;
	ck_assert_msg(at, "the twin has no %s", from);
	bxt_buffer_add(&out, xml.text, (size_t)(at - xml.text));
	bxt_buffer_printf(&out, "%s%s", to ? to : "", at + (from ? strlen(from) : 0));
	bxt_buffer_free(&xml);
	return out.text;
}

/* What is changed in B, the check that must fail ("": none), and what its text must name. */
static const char *const changes[][4] = {
	{NULL, NULL, "", ""},
	/* said otherwise, and still the same */
	{"<connect id=\"c1\" a=\"loop.s\" b=\"store.s\"/>",
	 "<sigma id=\"c1\">3*loop.s.i + 3*store.s.i</sigma>", "", ""},
	{"store.u.i - 2*far.s.i", "-0.5*store.u.i + far.s.i", "", ""},
	{"a=\"left.s\" b=\"right.s\"", "a=\"right.s\" b=\"left.s\"", "", ""},
	{"k=\"2 N/m\"", "k=\"=4/2\"", "", ""},
	{"<connect id=\"c2\" a=\"left.s\" b=\"right.s\"/>",
	 "<sigma id=\"c2\">2*left.s.v - 2*right.s.v</sigma>", "", ""},
	{"vx - r*vw", "-2*vx + 2*r*vw", "", ""},
	/* a transformer is the same row */
	{"<sigma id=\"t1\">store.u.i - 2*far.s.i</sigma>",
	 "<sigma id=\"t2\">-2*far.s.i*(3 - 2) + store.u.i</sigma>", "", ""},
	{"</interconnection>",
	 "<gyrator id=\"y1\" a=\"loop.w\" b=\"far.w\" ratio=\"2 ohm\"/></interconnection>",
	 "same elements", "'y1' of B has no counterpart in A"},
	/* a spring has no direction, and names of nodes are nobody's business */
	{"<spring id=\"k2\" a=\"y1\" b=\"y2\"", "<spring id=\"k2\" a=\"y2\" b=\"y1\"", "", ""},
	{"b=\"y2\" k=\"3 N/m\"/>\n<mass id=\"m2\" a=\"y2\"",
	 "b=\"x7\" k=\"3 N/m\"/>\n<mass id=\"m2\" a=\"x7\"", "", ""},
	/* interconnections */
	{"<connect id=\"c1\" a=\"loop.s\" b=\"store.s\"/>",
	 "<sigma id=\"c1\">loop.s.i - store.s.i</sigma>", "same distribution",
	 "port store.s of B has the opposite sign in c1"},
	{"<connect id=\"c1\" a=\"loop.s\" b=\"store.s\"/>",
	 "<sigma id=\"c1\">loop.s.i + 1.000001*store.s.i</sigma>", "same distribution",
	 "the coefficient of port store.s of B is 1.000001, in A 1, in c1"},
	{"- 2*far.s.i", "- 2.000002*far.s.i", "same distribution",
	 "the coefficient of port far.s of B is 1.000001, in A 1, in t1"},
	{"- 2*far.s.i", "+ 2*far.s.i", "same distribution",
	 "port far.s of B has the opposite sign in t1"},
	{"<connect id=\"c1\" a=\"loop.s\" b=\"store.s\"/>", "", "same distribution",
	 "connection c1 of A has no counterpart in B"},
	{"<connect id=\"c2\" a=\"left.s\" b=\"right.s\"/>", "", "same coordinates",
	 "connection c2 of A has no counterpart in B"},
	{"<sigma id=\"t1\">store.u.i - 2*far.s.i</sigma>", "", "same distribution", "t1"},
	{"</interconnection>", "<connect id=\"c9\" a=\"loop.w\" b=\"far.w\"/></interconnection>",
	 "same distribution", "connection c9 of B has no counterpart in A"},
	/* joints */
	{"<resistor id=\"R1\" p=\"a\" n=\"0\"", "<resistor id=\"R1\" p=\"0\" n=\"a\"",
	 "same distribution", "flow of R1.q"},
	{"<diode id=\"D1\" p=\"b\" n=\"d\"", "<diode id=\"D1\" p=\"b\" n=\"0\"",
	 "same distribution", "D1.n"},
	{"<spring id=\"k1\" a=\"x1\" b=\"wall\"", "<spring id=\"k1\" a=\"x1\" b=\"x0\"",
	 "same coordinates", "k1.b"},
	/* elements */
	{"<resistor id=\"R1\" p=\"a\" n=\"0\" R=\"1 ohm\"/>", "", "same elements",
	 "resistor 'loop.R1' of A has no counterpart in B"},
	{"<port id=\"s\" node=\"f\"/>",
	 "<capacitor id=\"C9\" p=\"f\" n=\"0\" C=\"1 F\"/><port id=\"s\" node=\"f\"/>",
	 "same elements", "capacitor 'far.C9' of B has no counterpart in A"},
	{"id=\"L1\"", "id=\"L11\"", "same elements", "is it 'L11'?"},
	{"<resistor id=\"R1\" p=\"a\" n=\"0\" R=\"1 ohm\"/>",
	 "<conductance id=\"R1\" p=\"a\" n=\"0\" G=\"1 S\"/>", "same components",
	 "'loop.R1' of A is a resistor (test:10), 'loop.R1' of B a conductance (test:10)"},
	/* parameters */
	{"L=\"1 H\"", "L=\"1.000000001 H\"", "same parameters",
	 "loop.L1.L is 1 in A (test:11), 1.000000001 in B (test:11)"},
	{"m=\"2 kg\"", "m=\"3 kg\"", "same parameters", "right.m2.m"},
	{"Is=\"1e-12 A\"", "Is=\"1.01e-12 A\"", "same parameters", "store.D1.Is"},
	{"=sin(3*t)", "=sin(3.0001*t)", "same parameters", "store.V1.e"},
	{"r=\"0.5\"", "r=\"0.25\"", "same parameters", "W1.r"},
	/* what a component is */
	{"q^4/4", "q^4/5", "same L, R and forces", "'far.N1'"},
	{"cos(x)", "cos(2*x)", "same L, R and forces", "W1"},
	{"0.1*vx^2", "0.1000001*vx^2", "same L, R and forces", "W1"},
	{"vx - r*vw", "vx + r*vw", "same distribution", "W1"},
	{"vx - r*vw", "vx - r*vw - 1", "same L, R and forces", "roll"},
	{"vx - r*vw", "vx - r*vw*(1 + x^2)", "same distribution", "W1"},
	/* where it starts */
	{"q=\"1 C\"", "q=\"1.0001 C\"", "same start", "C1.q starts at 1 in A, at 1.0001 in B"},
	{"L=\"1 H\"", "L=\"1 H\" i=\"1 mA\"", "same start", "the flow of L1.q"},
};

static void check_change(const char *const change[4])
{
	char *text_a = twin_text(NULL, NULL), *text_b = twin_text(change[0], change[1]);
	model a = model_of_text(text_a), b = model_of_text(text_b);
	bxt_verification *v = verify_both(&a, &b);
	if (!*change[2]) {
		if (!v->passed)
			verify_tell(v, change[1]);
		ck_assert_msg(v->passed, "%s makes a difference", change[1]);
	} else {
		const bxt_verify_check *c = verify_check_of(v, change[2]);
		const bool found = c && !c->passed && strstr(c->text, change[3]);
		if (!found)
			verify_tell(v, change[1]);
		ck_assert_msg(found, "%s: %s does not name '%s'", change[1], change[2], change[3]);
		ck_assert(!v->passed);
		/* and the checks before have nothing to say of it */
		for (size_t i = 0; i < v->n && &v->checks[i] != c; i++)
			ck_assert_msg(v->checks[i].passed, "%s: %s fails, too", change[1],
				      v->checks[i].name);
	}
	bxt_verification_free(v);
	model_free(&a);
	model_free(&b);
	free(text_a);
	free(text_b);
}

START_TEST(test_twins)
{
	for (size_t k = 0; k < sizeof changes / sizeof *changes; k++)
		check_change(changes[k]);
}
END_TEST

/* Shipped pairs; the order does not matter. */
START_TEST(test_pairs)
{
	static const char *const pairs[][2] = {{"rlc-parallel.xml", "rlc-torn.xml"},
					       {"spring-chain.xml", "spring-chain-torn.xml"}};
	for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
		model m[2] = {model_of_file(pairs[k][0]), model_of_file(pairs[k][1])};
		for (int i = 0; i < 4; i++) {
			bxt_verification *v = verify_both(&m[i / 2], &m[i % 2]);
			if (!v->passed)
				verify_tell(v, pairs[k][i % 2]);
			ck_assert(v->passed);
			bxt_verification_free(v);
		}
		model_free(&m[0]);
		model_free(&m[1]);
	}
}
END_TEST

START_TEST(test_memory)
{
	allocation_hook();
	model a = model_of_file("rlc-torn.xml"), b = model_of_file("rlc-parallel.xml");
	char *text_c = twin_text(NULL, NULL);
	char *text_d = twin_text("<connect id=\"c1\" a=\"loop.s\" b=\"store.s\"/>",
				 "<sigma id=\"c1\">loop.s.i - store.s.i</sigma>");
	char *text_e = twin_text("<connect id=\"c2\" a=\"left.s\" b=\"right.s\"/>", "");
	model c = model_of_text(text_c), d = model_of_text(text_d), e = model_of_text(text_e);
	verify_without_memory(&c, &d); /* what differs is explained, which allocates, too */
	verify_without_memory(&c, &e);
	verify_without_memory(&e, NULL);
	verify_without_memory(&a, &b);
	model_free(&a);
	model_free(&b);
	model_free(&c);
	model_free(&d);
	model_free(&e);
	free(text_c);
	free(text_d);
	free(text_e);
}
END_TEST

TEST_SUITE("verify against")
{
	const test_case tests[] = {
		{"changed twins", test_twins, .slow = true},
		{"shipped pairs", test_pairs},
		{"memory", test_memory, .slow = true},
	};
	ADD_TESTS(tests);
}
