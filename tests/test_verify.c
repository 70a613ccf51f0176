/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Verification: what is sound passes, all shipped netlists and random networks among it; what is
 * broken on purpose fails in the check that is meant for it, and the culprit is named.
 */
#include "allocation.h"
#include "harness.h"
#include "joined.h"
#include "random_mixed.h"
#include "random_network.h"
#include "verify_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NETWORKS = 40, MIXED = 20 };

static void tell(const bxt_verification *v, const char *what)
{
	fprintf(stderr, "%s\n", what);
	bxt_verification_write_text(v, stderr);
}

static const bxt_verify_check *find_check(const bxt_verification *v, const char *name)
{
	for (size_t i = 0; i < v->n; i++)
		if (strcmp(v->checks[i].name, name) == 0)
			return &v->checks[i];
	return NULL;
}

static bxt_verification *verify(model *m, const bxt_verify_def *def)
{
	bxt_verification *v = NULL;
	const bxt_status status = bxt_verify(m->system, def, m->findings, &v);
	for (size_t i = 0; status != BXT_OK && i < bxt_diagnostics_count(m->findings, BXT_NOTE);
	     i++)
		fprintf(stderr, "%s\n", bxt_diagnostics_get(m->findings, i)->text);
	ck_assert_int_eq(status, BXT_OK);
	return v;
}

static void check_passes(model *m, const bxt_verify_def *def, const char *what)
{
	bxt_verification *v = verify(m, def);
	if (!v->passed)
		tell(v, what);
	ck_assert_msg(v->passed, "%s does not pass", what);
	ck_assert_int_gt(v->states, 0);
	ck_assert_ptr_nonnull(find_check(v, "D = D^perp"));
	ck_assert_ptr_nonnull(find_check(v, "step: Jacobian by differences"));
	bxt_verification_free(v);
}

/* ---- What is sound ----------------------------------------------------------------------------
 */

START_TEST(test_shipped)
{
	netlist_names names = all_netlists();
	for (size_t i = 0; i < names.n; i++) {
		model m = model_of_file(names.name[i]);
		check_passes(&m, NULL, names.name[i]);
		model_free(&m);
	}
	all_netlists_free(&names);
}
END_TEST

/* Every scheme has other equations; explicit ones are verified by the step of gauss1. */
START_TEST(test_schemes)
{
	static const char *const netlists[] = {"rlc-torn.xml",          "rlc-parallel.xml",
					       "spring-chain-torn.xml", "four-bar.xml",
					       "chaplygin-sleigh.xml",  "bridge-rectifier.xml"};
	static const char *const schemes[] = {"gauss1", "gauss2", "gauss3", "radau2",
					      "radau3", "dirac+", "dirac-"};
	for (size_t k = 0; k < sizeof netlists / sizeof *netlists; k++)
		for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
			for (int variant = 0; variant < (i < 5 ? 1 : 3); variant++) {
				/* the rectangle rule wants inertia or resistance in every loop */
				if (variant == 2 && (k < 2 || k > 4))
					continue;
				bxt_verify_def def = bxt_default_verify_def();
				def.run.scheme = schemes[i];
				def.run.rule = i < 5          ? NULL
					       : variant == 2 ? "rectangle"
							      : "midpoint";
				def.run.constraint = variant == 1 ? "base" : NULL;
				model m = model_of_file(netlists[k]);
				check_passes(&m, &def, schemes[i]);
				model_free(&m);
			}
	static const char *const others[][3] = {
		{"kepler.xml", "rk4"},
		{"double-pendulum-angles.xml", "discrete-gradient"},
		{"four-bar.xml", "discrete-gradient"},
		{"bridge-rectifier.xml", "discrete-gradient"},
		{"kepler.xml", "discrete-gradient", "increments"},
		{"double-pendulum-angles.xml", "discrete-gradient", "increments"},
		{"four-bar.xml", "discrete-gradient", "increments-symmetric"},
		{"spring-chain-torn.xml", "discrete-gradient", "increments"}};
	for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
		bxt_verify_def def = bxt_default_verify_def();
		def.run.scheme = others[k][1];
		def.run.gradient = others[k][2];
		model m = model_of_file(others[k][0]);
		check_passes(&m, &def, others[k][1]);
		model_free(&m);
	}
}
END_TEST

START_TEST(test_later)
{
	bxt_verify_def def = bxt_default_verify_def();
	def.seed = 7;
	def.at = 0.5;
	static const char *const netlists[] = {"rlc-torn.xml", "double-pendulum-points.xml",
					       "snakeboard.xml"};
	for (size_t k = 0; k < sizeof netlists / sizeof *netlists; k++) {
		model m = model_of_file(netlists[k]);
		check_passes(&m, &def, netlists[k]);
		model_free(&m);
	}
}
END_TEST

static model model_of_random(const random_network *net, bool torn)
{
	bxt_buffer xml = {0}, record = {0};
	random_network_write(net, NULL, torn, &xml, &record);
	ck_assert(!xml.failed && !record.failed);
	model m = model_of_text(xml.text);
	bxt_buffer_free(&xml);
	bxt_buffer_free(&record);
	return m;
}

static bxt_verification *against(model *a, model *b)
{
	bxt_verification *v = NULL;
	ck_assert_int_eq(bxt_verify_against(a->system, b->system, NULL, a->findings, &v), BXT_OK);
	return v;
}

/* Whole, torn, and the one against the other both ways. */
START_TEST(test_random)
{
	bxt_verify_def def = bxt_default_verify_def();
	def.run.step = 0.05;
	def.run.end = 1;
	for (uint64_t seed = 0; seed < NETWORKS; seed++) {
		random_network net;
		model m[2];
		random_network_make(&net, seed, seed % 2 == 0);
		for (int torn = 0; torn < 2; torn++) {
			m[torn] = model_of_random(&net, torn);
			check_passes(&m[torn], &def, torn ? "torn" : "whole");
		}
		for (int a = 0; a < 2; a++) {
			bxt_verification *v = against(&m[a], &m[1 - a]);
			if (!v->passed)
				tell(v, "random");
			ck_assert_msg(v->passed, "seed %llu", (unsigned long long)seed);
			bxt_verification_free(v);
		}
		model_free(&m[0]);
		model_free(&m[1]);
	}
}
END_TEST

/* Circuits, mechanisms and both: constraints, loops of rods, several domains, nested parts. */
static void check_mixed(mixed_family family)
{
	for (uint64_t seed = 0; seed < MIXED; seed++) {
		random_mixed net;
		bxt_verify_def def = bxt_default_verify_def();
		model m[2];
		random_mixed_make(&net, family, seed);
		const mixed_order order = random_mixed_order(&net, seed, seed % 2 == 1);
		def.run.step = net.step;
		def.run.end = 10 * net.step;
		for (int torn = 0; torn < 2; torn++) {
			bxt_buffer xml = {0};
			random_mixed_write(&net, &order, torn, &xml);
			ck_assert(!xml.failed);
			m[torn] = model_of_text(xml.text);
			bxt_buffer_free(&xml);
			check_passes(&m[torn], &def, torn ? "torn" : "whole");
		}
		for (int a = 0; a < 2; a++) {
			bxt_verification *v = against(&m[a], &m[1 - a]);
			if (!v->passed)
				tell(v, "mixed");
			ck_assert_msg(v->passed, "seed %llu", (unsigned long long)seed);
			bxt_verification_free(v);
		}
		model_free(&m[0]);
		model_free(&m[1]);
	}
}

START_TEST(test_mixed_circuits)
{
	check_mixed(MIXED_CIRCUIT);
}
END_TEST

START_TEST(test_mixed_mechanisms)
{
	check_mixed(MIXED_MECHANISM);
}
END_TEST

START_TEST(test_mixed_mixed)
{
	check_mixed(MIXED_MIXED);
}
END_TEST

/* ---- What is broken ----------------------------------------------------------------------------
 */

#define SIMULATION "<simulation step=\"0.01 s\" end=\"1 s\"/>"

static void check_fails(const char *xml, const char *name, const char *culprit)
{
	model m = model_of_text(xml);
	bxt_verification *v = verify(&m, NULL);
	const bxt_verify_check *c = find_check(v, name);
	ck_assert_msg(c, "there is no check '%s'", name);
	if (c->passed || !strstr(c->text, culprit))
		tell(v, culprit);
	ck_assert_msg(!c->passed && !v->passed, "'%s' passes", name);
	ck_assert_msg(strstr(c->text, culprit), "'%s' does not name %s", c->text, culprit);
	ck_assert_ptr_nonnull(c->file);
	ck_assert_int_gt(c->line, 0);
	bxt_verification_free(v);
	model_free(&m);
}

#define GYRATOR(sign)                                                                              \
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"turn\" domain=\"test\">"             \
	"<parameter name=\"k\" unit=\"1\"/>"                                                       \
	"<coordinate name=\"x\" unit=\"1\" flow=\"vx\"/>"                                          \
	"<coordinate name=\"y\" unit=\"1\" flow=\"vy\"/>"                                          \
	"<lagrangian>(vx^2 + vy^2 - x^2 - 2*y^2)/2</lagrangian>"                                   \
	"<force on=\"x\">-k*vy</force><force on=\"y\">" sign "k*vx</force></component>"            \
	"<turn id=\"G7\" k=\"0.5\" x=\"1\"/>"

START_TEST(test_gyrator)
{
	model m = model_of_text(NETLIST(SIMULATION GYRATOR("")));
	check_passes(&m, NULL, "a gyrator by hand");
	model_free(&m);
	check_fails(NETLIST(SIMULATION GYRATOR("-")), "gyrators do no power", "'G7'");
	/* off by 1e-5 alone */
	check_fails(NETLIST(SIMULATION GYRATOR("1.00001*")), "gyrators do no power", "'G7'");
}
END_TEST

#define TWO_PARTS(rows)                                                                            \
	SIMULATION                                                                                 \
	"<subsystem id=\"x\"><resistor id=\"R1\" p=\"a\" n=\"0\" R=\"1 ohm\"/>"                    \
	"<capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"1 F\" q=\"1 C\"/>"                               \
	"<port id=\"s\" node=\"a\"/></subsystem>"                                                  \
	"<subsystem id=\"y\"><inductor id=\"L1\" p=\"a\" n=\"0\" L=\"1 H\"/>"                      \
	"<port id=\"s\" node=\"a\"/></subsystem>"                                                  \
	"<interconnection>" rows "</interconnection>"

START_TEST(test_sigma)
{
	model m = model_of_text(NETLIST(TWO_PARTS("<sigma id=\"t1\">x.s.i - 2*y.s.i</sigma>")));
	check_passes(&m, NULL, "a transformer");
	model_free(&m);
	check_fails(NETLIST(TWO_PARTS("<sigma id=\"t1\">x.s.i - 2*y.s.i</sigma>\n"
				      "<sigma id=\"t2\">-2*x.s.i + 4*y.s.i</sigma>")),
		    "rows of Sigma_Q are independent", "t2");
}
END_TEST

/* What cannot be started is refused by name: sources around a loop, rows that contradict. */
START_TEST(test_refused)
{
	static const char *const bodies[][2] = {
		{"<voltage-source id=\"V1\" p=\"a\" n=\"0\" e=\"1 V\"/>"
		 "<voltage-source id=\"V2\" p=\"a\" n=\"0\" e=\"1 V\"/>"
		 "<capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"1 F\"/>",
		 "V1"},
		{"<component xmlns=\"urn:boxtimes:component:1\" name=\"both\" domain=\"test\">"
		 "<coordinate name=\"x\" unit=\"1\" flow=\"vx\"/>"
		 "<lagrangian>vx^2/2</lagrangian>"
		 "<constraint name=\"one\" kind=\"flow\">vx - 1</constraint>"
		 "<constraint name=\"two\" kind=\"flow\">vx - 2</constraint></component>"
		 "<both id=\"B3\"/>",
		 "B3"},
	};
	for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
		bxt_buffer xml = {0};
		bxt_verification *v = NULL;
		bxt_buffer_printf(&xml, NETLIST(SIMULATION "%s"), bodies[k][0]);
		const char *path = getenv("BOXTIMES_PATH");
		model m = {.findings = bxt_diagnostics_new()};
		m.library = bxt_library_new(&path, 1, m.findings);
		bxt_status status = bxt_netlist_read_memory(xml.text, xml.length, "test",
							    m.findings, &m.netlist);
		ck_assert_int_eq(status, BXT_OK);
		status = bxt_system_compile(m.netlist, m.library, m.findings, &m.system);
		if (status == BXT_OK)
			status = bxt_verify(m.system, NULL, m.findings, &v);
		ck_assert_int_eq(status, BXT_ERR_MODEL);
		ck_assert_ptr_null(v);
		ck_assert_msg(has_finding(&m, BXT_ERROR, bodies[k][1]), "%s is not named",
			      bodies[k][1]);
		model_free(&m);
		bxt_buffer_free(&xml);
	}
}
END_TEST

/* A rank that changes: two rods from one point to another, which are parallel at the start. */
START_TEST(test_not_clean)
{
	check_fails(NETLIST(SIMULATION
			    "<component xmlns=\"urn:boxtimes:component:1\" name=\"pair\" "
			    "domain=\"test\">"
			    "<coordinate name=\"x\" unit=\"1\" flow=\"vx\"/>"
			    "<coordinate name=\"y\" unit=\"1\" flow=\"vy\"/>"
			    "<coordinate name=\"z\" unit=\"1\" flow=\"vz\"/>"
			    "<lagrangian>(vx^2 + vy^2 + vz^2)/2 - z^2</lagrangian>"
			    "<constraint name=\"roll\" kind=\"flow\">vx + y*vz</constraint>"
			    "<constraint name=\"slide\" kind=\"flow\">vx - z*vy</constraint>"
			    "</component><pair id=\"P4\"/>"),
		    "the rank is the same near by", "P4");
}
END_TEST

/* What a netlist cannot express, an error of the program: the compiled system is tampered with. */
static void check_tampered(model m, void (*tamper)(bxt_system *s), const char *name,
			   const char *culprit)
{
	bxt_joined_release(m.system); /* copies of what is changed below */
	tamper(m.system);
	bxt_verification *v = verify(&m, NULL);
	const bxt_verify_check *c = find_check(v, name);
	const bool found = c && !c->passed && strstr(c->text, culprit);
	if (!found)
		tell(v, name);
	ck_assert_msg(found, "%s does not fail with %s", name, culprit);
	bxt_verification_free(v);
	model_free(&m);
}

/* The rows of the residual are not those of the matrix. */
static void change_row(bxt_system *s)
{
	s->rows.values[0] *= 1.0001;
}

/* The flow of a port counts with 1.001 in the step, with 1 in the structure. */
static void change_port(bxt_system *s)
{
	const int col = s->entry_col[0];
	s->entry_value[0] *= 1.001;
	for (int k = s->rows.colptr[col]; k < s->rows.colptr[col + 1]; k++)
		if (s->rows.rowind[k] == s->entry_row[0] - s->n)
			s->rows.values[k] *= 1.001;
}

/* Two entries of the Jacobian change places. */
static void change_slots(bxt_system *s)
{
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_form *form = &s->groups[g].kind->form[BXT_FORM_JAC_DYN];
		for (int k = 1; k < form->n; k++) {
			const int slot = s->groups[g].slot[1][k][0];
			s->groups[g].slot[1][k][0] = s->groups[g].slot[1][0][0];
			s->groups[g].slot[1][0][0] = slot;
		}
	}
}

/* A row that is needed is left out in words only. */
static void forget_reference(bxt_system *s)
{
	for (size_t r = 0; r < s->dirac.m; r++)
		s->dirac.row[r].reference = s->dirac.row[r].optional = false;
}

START_TEST(test_tampered)
{
	check_tampered(model_of_file("rlc-torn.xml"), change_row, "step: Jacobian by differences",
		       "row ");
	check_tampered(model_of_file("rlc-torn.xml"), change_port,
		       "step: forces of multipliers annihilate Delta", "loop.");
	check_tampered(model_of_file("rlc-torn.xml"), change_port, "step: power of D", "work");
	check_tampered(model_of_file("double-pendulum-angles.xml"), change_slots,
		       "step: Jacobian by differences", "row p.");
	/* nothing here is tied to the reference node: one row is left out */
	check_tampered(model_of_text(NETLIST(SIMULATION
					     "<resistor id=\"R1\" p=\"a\" n=\"b\" R=\"1 ohm\"/>"
					     "<capacitor id=\"C1\" p=\"a\" n=\"b\" C=\"1 F\"/>")),
		       forget_reference, "rank of all rows", "node(a), node(b)");
}
END_TEST

/*
 * A model whose block is singular is refused at its start; the certificate itself is tried on the
 * matrix of the rectangle rule, which without its border holds a lossless loop by nothing.
 */
START_TEST(test_blocks)
{
	model m = model_of_file("lc-leok-ohsawa.xml");
	const bxt_system *s = m.system;
	const bxt_run_def def = bxt_default_run_def();
	bxt_state *state = NULL;
	bxt_stepper *st = NULL;
	bxt_verifier v = {.s = s};
	bxt_verification *out;
	bxt_buffer name = {0};
	ck_assert_uint_eq(s->net->n_primitives, 1);
	v.coord_first = (int[]){0, (int)s->dirac.n};
	v.row_first = (int[]){0, (int)s->dirac.m};
	v.block_regular = (bool[]){false};
	v.block_culprit = (int[]){-1};
	ck_assert_int_eq(bxt_initialize(s, &def, m.findings, &state), BXT_OK);
	ck_assert_int_eq(bxt_settings_resolve(s, &def, m.findings, &v.settings), BXT_OK);
	ck_assert_int_eq(bxt_checks_open(&v.checks, 0), BXT_OK);
	ck_assert_int_eq(bxt_stepper_new(s, &v.settings, state, &st), BXT_OK);
	ck_assert_int_eq(bxt_stepper_solve(st, state, v.settings.step), BXT_OK);
	ck_assert_ptr_nonnull(st->border);
	ck_assert_int_eq(bxt_verify_blocks(&v, st), BXT_OK);
	ck_assert(!v.block_regular[0]);
	bxt_system_x_name(s, v.block_culprit[0], &name);
	ck_assert_msg(strcmp(name.text, "c1.q") == 0 || strcmp(name.text, "c3.q") == 0, "%s",
		      name.text);
	bxt_verify_blocks_report(&v);
	ck_assert_int_eq(bxt_checks_close(&v.checks, BXT_OK, &out), BXT_OK);
	ck_assert(!out->passed);
	ck_assert_ptr_nonnull(strstr(out->checks[0].text, name.text));
	bxt_verification_free(out);
	bxt_buffer_free(&name);
	bxt_stepper_free(st);
	bxt_state_free(state);
	model_free(&m);
}
END_TEST

/* ---- Twins -------------------------------------------------------------------------------------
 */

/* An element of every kind of mistake, in four parts. */
static const char *const part[] = {
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"wheel-on-rail\" domain=\"test\">",
	"<parameter name=\"r\" unit=\"1\"/>",
	"<coordinate name=\"x\" unit=\"1\" flow=\"vx\"/>",
	"<coordinate name=\"w\" unit=\"1\" flow=\"vw\"/>",
	"<lagrangian>vx^2/2 + vw^2/4 - cos(x)</lagrangian><rayleigh>0.1*vx^2</rayleigh>",
	"<constraint name=\"roll\" kind=\"flow\">vx - r*vw</constraint></component>",
	SIMULATION,
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
};

static void check_change(const char *const change[4])
{
	char *text_a = twin_text(NULL, NULL), *text_b = twin_text(change[0], change[1]);
	model a = model_of_text(text_a), b = model_of_text(text_b);
	bxt_verification *v = against(&a, &b);
	if (!*change[2]) {
		if (!v->passed)
			tell(v, change[1]);
		ck_assert_msg(v->passed, "%s makes a difference", change[1]);
	} else {
		const bxt_verify_check *c = find_check(v, change[2]);
		const bool found = c && !c->passed && strstr(c->text, change[3]);
		if (!found)
			tell(v, change[1]);
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
			bxt_verification *v = against(&m[i / 2], &m[i % 2]);
			if (!v->passed)
				tell(v, pairs[k][i % 2]);
			ck_assert(v->passed);
			bxt_verification_free(v);
		}
		model_free(&m[0]);
		model_free(&m[1]);
	}
}
END_TEST

/* ---- Memory ------------------------------------------------------------------------------------
 */

/* Every allocation fails once: out of memory is said, nothing is lost or taken for a result. */
static void fail_each(model *a, model *b)
{
	long n = 0;
	for (bool failed = true; failed; n++) {
		bxt_verification *v = NULL;
		bxt_diagnostics *d = bxt_diagnostics_new();
		allocation_fail(n);
		const bxt_status status = b ? bxt_verify_against(a->system, b->system, NULL, d, &v)
					    : bxt_verify(a->system, NULL, d, &v);
		failed = allocation_failed();
		allocation_fail(-1);
		ck_assert_msg(status == BXT_OK || (failed && status == BXT_ERR_MEMORY),
			      "allocation %ld: %s", n, bxt_status_text(status));
		ck_assert_int_eq(v != NULL, status == BXT_OK);
		bxt_verification_free(v);
		bxt_diagnostics_free(d);
	}
	ck_assert_int_gt(n, 50); /* else nothing was tested */
}

START_TEST(test_memory)
{
	allocation_hook();
	model a = model_of_file("rlc-torn.xml"), b = model_of_file("rlc-parallel.xml");
	model c = model_of_file("chaplygin-sleigh.xml");
	char *text_d = twin_text(NULL, NULL);
	char *text_e = twin_text("<connect id=\"c1\" a=\"loop.s\" b=\"store.s\"/>",
				 "<sigma id=\"c1\">loop.s.i - store.s.i</sigma>");
	char *text_f = twin_text("<connect id=\"c2\" a=\"left.s\" b=\"right.s\"/>", "");
	model d = model_of_text(text_d), e = model_of_text(text_e), f = model_of_text(text_f);
	fail_each(&d, &e); /* what differs is explained, which allocates, too */
	fail_each(&d, &f);
	fail_each(&f, NULL);
	fail_each(&a, NULL);
	fail_each(&c, NULL);
	fail_each(&a, &b);
	model_free(&a);
	model_free(&b);
	model_free(&c);
	model_free(&d);
	model_free(&e);
	model_free(&f);
	free(text_d);
	free(text_e);
	free(text_f);
}
END_TEST

int main(void)
{
	const named_test tests[] = {
		{"shipped netlists", test_shipped},
		{"schemes", test_schemes},
		{"after a run", test_later},
		{"random networks", test_random},
		{"mixed: circuits", test_mixed_circuits},
		{"mixed: mechanisms", test_mixed_mechanisms},
		{"mixed: all", test_mixed_mixed},
		{"tampered", test_tampered},
		{"blocks", test_blocks},
		{"memory", test_memory},
		{"gyrators", test_gyrator},
		{"rows of Sigma_Q", test_sigma},
		{"refused", test_refused},
		{"not clean", test_not_clean},
		{"changed twins", test_twins},
		{"shipped pairs", test_pairs},
	};
	return RUN_TESTS("verify", tests);
}
