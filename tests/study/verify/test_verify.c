/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Verification: what is sound passes, all shipped netlists and random networks among it; what is
 * broken on purpose fails in the check that is meant for it, and the culprit is named.
 */
#include "model/system/fused.h"
#include "motion/methods/methods.h"
#include "study/verify/verify_internal.h"
#include "support/allocation.h"
#include "support/random_mixed.h"
#include "support/random_network.h"
#include "support/runner.h"
#include "support/verify_checks.h"

#include <stdlib.h>
#include <string.h>

enum { NETWORKS = 40, MIXED = 20 };

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
		verify_tell(v, what);
	ck_assert_msg(v->passed, "%s does not pass", what);
	ck_assert_int_gt(v->states, 0);
	ck_assert_ptr_nonnull(verify_check_of(v, "D = D^perp"));
	ck_assert_ptr_nonnull(verify_check_of(v, "step: Jacobian by differences"));
	bxt_verification_free(v);
}

/* ---- What is sound ---- */

START_TEST(test_shipped)
{
	netlist_names names = all_netlists();
	for (size_t i = 0; i < names.n; i++) {
		bxt_verify_def def;
		bxt_default_verify_def(&def);
		/* at its start round-off decides the rank of the product of its parts */
		if (strcmp(names.name[i], "torn-linkage.xml") == 0)
			def.at = 0.7;
		model m = model_of_file(names.name[i]);
		check_passes(&m, &def, names.name[i]);
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
				bxt_verify_def def;
				bxt_default_verify_def(&def);
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
		bxt_verify_def def;
		bxt_default_verify_def(&def);
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
	bxt_verify_def def;
	bxt_default_verify_def(&def);
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

/* Whole, torn, and the one against the other both ways. */
START_TEST(test_random)
{
	bxt_verify_def def;
	bxt_default_verify_def(&def);
	def.run.step = 0.05;
	def.run.end = 1;
	for (uint64_t seed = 0; seed < (uint64_t)campaign(NETWORKS); seed++) {
		random_network net;
		model m[2];
		random_network_make(&net, seed, seed % 2 == 0);
		for (int torn = 0; torn < 2; torn++) {
			m[torn] = model_of_random(&net, torn);
			check_passes(&m[torn], &def, torn ? "torn" : "whole");
		}
		for (int a = 0; a < 2; a++) {
			bxt_verification *v = verify_both(&m[a], &m[1 - a]);
			if (!v->passed)
				verify_tell(v, "random");
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
	for (uint64_t seed = 0; seed < (uint64_t)campaign(MIXED); seed++) {
		random_mixed net;
		bxt_verify_def def;
		bxt_default_verify_def(&def);
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
			bxt_verification *v = verify_both(&m[a], &m[1 - a]);
			if (!v->passed)
				verify_tell(v, "mixed");
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

/* ---- What is broken ---- */

#define SIMULATION "<simulation step=\"0.01 s\" end=\"1 s\"/>"

static void check_fails(const char *xml, const char *name, const char *culprit)
{
	model m = model_of_text(xml);
	bxt_verification *v = verify(&m, NULL);
	const bxt_verify_check *c = verify_check_of(v, name);
	ck_assert_msg(c, "there is no check '%s'", name);
	if (c->passed || !strstr(c->text, culprit))
		verify_tell(v, culprit);
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
	bxt_fused_release(m.system); /* copies of what is changed below */
	tamper(m.system);
	bxt_verification *v = verify(&m, NULL);
	const bxt_verify_check *c = verify_check_of(v, name);
	const bool found = c && !c->passed && strstr(c->text, culprit);
	if (!found)
		verify_tell(v, name);
	ck_assert_msg(found, "%s does not fail with %s", name, culprit);
	bxt_verification_free(v);
	model_free(&m);
}

/* The rows of the residual are not those of the matrix. */
static void change_row(bxt_system *s)
{
	s->constraints.a.values[0] *= 1.0001;
}

/* The flow of a port counts with 1.001 in the step, with 1 in the structure. */
static void change_port(bxt_system *s)
{
	const int col = s->exported.col[0];
	s->exported.value[0] *= 1.001;
	for (int k = s->constraints.a.colptr[col]; k < s->constraints.a.colptr[col + 1]; k++)
		if (s->constraints.a.rowind[k] == s->exported.row[0] - s->n)
			s->constraints.a.values[k] *= 1.001;
}

/* Two entries of the Jacobian change places. */
static void change_slots(bxt_system *s)
{
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_output_set *set = &s->groups[g].type->set[BXT_SET_JAC_DYN];
		for (int k = 1; k < set->n; k++) {
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
	bxt_run_def def;
	bxt_default_run_def(&def);
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
	ck_assert_ptr_eq(st->method, &bxt_method_rectangle_border);
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

/* ---- Memory ---- */

START_TEST(test_memory)
{
	static const char *const files[] = {"rlc-torn.xml", "chaplygin-sleigh.xml"};
	allocation_hook();
	for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
		model m = model_of_file(files[k]);
		verify_without_memory(&m, NULL);
		model_free(&m);
	}
}
END_TEST

TEST_SUITE("verify")
{
	const test_case tests[] = {
		{"shipped netlists", test_shipped},
		{"schemes", test_schemes, .slow = true},
		{"after a run", test_later},
		{"random networks", test_random, .slow = true},
		{"mixed: circuits", test_mixed_circuits, .slow = true},
		{"mixed: mechanisms", test_mixed_mechanisms, .slow = true},
		{"mixed: all", test_mixed_mixed, .slow = true},
		{"tampered", test_tampered},
		{"blocks", test_blocks},
		{"memory", test_memory, .slow = true},
		{"gyrators", test_gyrator},
		{"rows of Sigma_Q", test_sigma},
		{"refused", test_refused},
		{"not clean", test_not_clean},
	};
	ADD_TESTS(tests);
}
