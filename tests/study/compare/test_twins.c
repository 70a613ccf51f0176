/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which signals of two models are the same quantity: torn, whole, and torn in other ways. */
#include "support/both.h"

#include <check.h>
#include <string.h>

/* ---- Shipped pairs ---- */

static const char *const schemes[] = {"gauss1", "gauss2", "radau2", "dirac+"};

START_TEST(circuit_agrees)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .scheme = schemes[_i]};
	both x = both_of_files("rlc-parallel.xml", "rlc-torn.xml");
	both_agree(&x, &def, false);
	EXPECT_TWINS(&x, {"C1.q", "store.C1.q"}, {"L1.i", "loop.L1.i"}, {"L1.p", "loop.L1.p"},
		     {"node(a).v", "node(loop.a).v"}, {"node(a).v", "node(store.b).v"},
		     {"node(a).v", "c1.lambda"}, {"power(C1.p)", "power(store.s)"},
		     {"energy", "energy"});
	ck_assert_int_eq(both_twin(&x, "node(a).v", "c1.lambda")->group, BXT_SIGNALS_MULTIPLIER);
	ck_assert_int_eq(both_twin(&x, "node(a).v", "node(store.b).v")->group, BXT_SIGNALS_EFFORT);
	ck_assert_uint_eq(x.twins.n_alone[0], 0);
	ck_assert(both_alone(&x, 1, "store.s.q")); /* a whole model has no ports */
	both_close(&x);
}
END_TEST

START_TEST(circuit_agrees_the_other_way)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .scheme = NULL};
	both x = both_of_files("rlc-torn.xml", "rlc-parallel.xml");
	both_agree(&x, &def, false);
	EXPECT_TWINS(&x, {"store.C1.q", "C1.q"}, {"node(loop.a).v", "node(a).v"},
		     {"node(store.b).v", "node(a).v"}, {"c1.lambda", "node(a).v"});
	both_close(&x);
}
END_TEST

START_TEST(chain_agrees)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .scheme = schemes[_i], .end = 20};
	both x = both_of_files("spring-chain.xml", "spring-chain-torn.xml");
	both_agree(&x, &def, true);
	EXPECT_TWINS(&x, {"node(m2).x", "node(left.m2).x"}, {"node(m2).x", "node(right.m2).x"},
		     {"node(m1).v", "node(left.m1).v"},
		     {"node(m2).x.p", "node(left.m2).x.p + node(right.m2).x.p"},
		     {"node(m3).x.p", "node(right.m3).x.p"});
	ck_assert(both_alone(&x, 1, "c1.lambda"));
	both_close(&x);
}
END_TEST

/* R and C meet at n in the one model, not in the other: elements say nothing then, and the name
 * decides. */
START_TEST(elements_that_contradict)
{
#define SOURCE                                                                                     \
	"<voltage-source id='V' p='s' n='0' e='1 V'/><resistor id='R' p='s' n='n' R='1 ohm'/>"
	static const char met[] = NETLIST(SOURCE "<capacitor id='C' p='n' n='0' C='1 F'/>");
	static const char apart[] = NETLIST(SOURCE "<resistor id='S' p='n' n='m' R='1 ohm'/>"
						   "<capacitor id='C' p='m' n='0' C='1 F'/>");
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .step = 0.1, .end = 0.2};
	both x = both_of_texts(met, apart);
	ck_assert_int_eq(both_find(&x, &def, NULL, 0), BXT_OK);
	EXPECT_TWINS(&x, {"node(n).v", "node(n).v"}, {"node(s).v", "node(s).v"}, {"C.q", "C.q"});
	ck_assert(both_alone(&x, 1, "node(m).v"));
	both_close(&x);
}
END_TEST

/* Any model is its own twin, whatever it is made of. */
START_TEST(everything_is_its_own_twin)
{
	static const char *const names[] = {"four-winding-transformer.xml",
					    "crank-press.xml",
					    "whiffletree.xml",
					    "circulator.xml",
					    "steered-vehicle.xml",
					    "slider-crank.xml"};
	both x = both_of_files(names[_i], names[_i]);
	const bxt_run_def def =
		first_steps(&x.m[0], (bxt_run_def){.size = sizeof(bxt_run_def)}, 20);
	both_agree(&x, &def, false);
	ck_assert_double_eq(x.largest, 0);
	for (size_t i = 0; i < x.twins.n; i++)
		ck_assert(x.twins.twin[i].side[0].n > 1 ||
			  strcmp(x.twins.twin[i].side[0].name, x.twins.twin[i].side[1].name) == 0);
	for (int s = 0; s < 2; s++)
		ck_assert_uint_eq(x.twins.n_alone[s], 0);
	both_close(&x);
}
END_TEST

/* ---- Pairing ---- */

#define SIMULATION "<simulation step=\"0.05 s\" end=\"5 s\"/>"
#define LC(a, b)                                                                                   \
	"<inductor id=\"L1\" p=\"" a "\" n=\"0\" L=\"1 H\"/>"                                      \
	"<capacitor id=\"C1\" p=\"" b "\" n=\"0\" C=\"1 F\" q=\"1 C\"/>"

/* The names of nodes do not tell: b of the one is a of the other. */
START_TEST(nodes_are_what_is_at_them)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .scheme = NULL};
	both x = both_of_texts(
		NETLIST(SIMULATION LC("a", "b") "<resistor id=\"R1\" p=\"a\" n=\"b\" "
						"R=\"1 ohm\"/>"),
		NETLIST(SIMULATION "<subsystem id=\"S\"><inductor id=\"L1\" p=\"b\" n=\"0\" L=\"1 "
				   "H\"/><port id=\"s\" node=\"b\"/></subsystem>"
				   "<subsystem id=\"T\"><capacitor id=\"C1\" p=\"c\" n=\"0\" C=\"1 "
				   "F\" q=\"1 C\"/><resistor id=\"R1\" p=\"x\" n=\"c\" R=\"1 "
				   "ohm\"/><port id=\"s\" node=\"x\"/></subsystem>"
				   "<interconnection><connect id=\"j\" a=\"S.s\" "
				   "b=\"T.s\"/></interconnection>"));
	both_agree(&x, &def, false);
	EXPECT_TWINS(&x, {"node(a).v", "node(S.b).v"}, {"node(a).v", "node(T.x).v"},
		     {"node(b).v", "node(T.c).v"}, {"node(a).v", "j.lambda"});
	both_close(&x);
}
END_TEST

/* Elements of one name in two subsystems have their path in the whole. */
START_TEST(paths_tell_equal_names_apart)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .scheme = NULL};
#define PART(id, node, q)                                                                          \
	"<subsystem id=\"" id "\"><capacitor id=\"C\" p=\"" node "\" n=\"0\" C=\"1 F\" q=\"" q     \
	"\"/><resistor id=\"R\" p=\"" node                                                         \
	"\" n=\"s\" R=\"1 ohm\"/><port id=\"s\" node=\"s\"/></subsystem>"
	both x = both_of_texts(
		NETLIST(SIMULATION "<capacitor id=\"left_C\" p=\"m\" n=\"0\" C=\"1 F\" q=\"1 C\"/>"
				   "<resistor id=\"left_R\" p=\"m\" n=\"s\" R=\"1 ohm\"/>"
				   "<capacitor id=\"right_C\" p=\"k\" n=\"0\" C=\"1 F\" q=\"2 C\"/>"
				   "<resistor id=\"right_R\" p=\"k\" n=\"s\" R=\"1 ohm\"/>"),
		NETLIST(SIMULATION PART("left", "n", "1 C") PART(
			"right", "n",
			"2 C") "<interconnection><connect id=\"j\" a=\"left.s\" b=\"right.s\"/>"
			       "</interconnection>"));
	both_agree(&x, &def, false);
	EXPECT_TWINS(&x, {"left_C.q", "left.C.q"}, {"right_C.q", "right.C.q"},
		     {"node(m).v", "node(left.n).v"}, {"node(k).v", "node(right.n).v"},
		     {"node(s).v", "node(right.s).v"});
	both_close(&x);
}
END_TEST

/* One model, torn in two ways; the connections have one name and join different nodes. */
START_TEST(two_tearings_agree)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .scheme = NULL};
	static const char r[] = "<resistor id=\"R1\" p=\"a\" n=\"b\" R=\"1 ohm\"/>";
	char first[1024], second[1024];
	snprintf(first, sizeof first,
		 NETLIST(SIMULATION
			 "<subsystem id=\"S\"><inductor id=\"L1\" p=\"a\" n=\"0\" L=\"1 H\"/>%s"
			 "<port id=\"s\" node=\"b\"/></subsystem><subsystem id=\"T\"><capacitor "
			 "id=\"C1\" p=\"b\" n=\"0\" C=\"1 F\" q=\"1 C\"/><port id=\"s\" "
			 "node=\"b\"/></subsystem><interconnection><connect id=\"c\" a=\"S.s\" "
			 "b=\"T.s\"/></interconnection>"),
		 r);
	snprintf(second, sizeof second,
		 NETLIST(SIMULATION
			 "<subsystem id=\"S\"><inductor id=\"L1\" p=\"a\" n=\"0\" L=\"1 H\"/>"
			 "<port id=\"s\" node=\"a\"/></subsystem><subsystem id=\"T\">%s<capacitor "
			 "id=\"C1\" p=\"b\" n=\"0\" C=\"1 F\" q=\"1 C\"/><port id=\"s\" "
			 "node=\"a\"/></subsystem><interconnection><connect id=\"c\" a=\"S.s\" "
			 "b=\"T.s\"/></interconnection>"),
		 r);
	both x = both_of_texts(first, second);
	both_agree(&x, &def, false);
	EXPECT_TWINS(&x, {"S.R1.q", "T.R1.q"}, {"c.lambda", "node(T.b).v"},
		     {"node(S.a).v", "c.lambda"}, {"node(S.b).v", "node(T.b).v"},
		     {"node(T.b).v", "node(T.b).v"});
	ck_assert_ptr_null(both_twin(&x, "c.lambda", "c.lambda"));
	both_close(&x);
}
END_TEST

/* Mass on both sides of a connection, or on the other one than in the other tearing. */
START_TEST(momenta_of_joined_nodes_add_up)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .scheme = schemes[_i]};
#define MASS(id, m) "<mass id=\"" id "\" a=\"x\" m=\"" m " kg\"/>"
#define HALF(id, body)                                                                             \
	"<subsystem id=\"" id "\">" body                                                           \
	"<node id=\"x\" kind=\"translational\" x=\"1 m\" v=\"0.3 m/s\"/><port id=\"s\" "           \
	"node=\"x\"/></subsystem>"
#define HUNG                                                                                       \
	"<spring id=\"k\" a=\"wall\" b=\"x\" k=\"2 N/m\"/><damper id=\"d\" "                       \
	"a=\"wall\" b=\"x\" c=\"0.1 N.s/m\"/>"
#define JOINED "<interconnection><connect id=\"c\" a=\"A.s\" b=\"B.s\"/></interconnection>"
	static const char whole[] = NETLIST(
		SIMULATION HUNG MASS("M", "1") MASS("N", "2") "<node id=\"x\" "
							      "kind=\"translational\" x=\"1 m\" "
							      "v=\"0.3 m/s\"/>");
	static const char one[] =
		NETLIST(SIMULATION HALF("A", HUNG MASS("M", "1")) HALF("B", MASS("N", "2")) JOINED);
	static const char two[] =
		NETLIST(SIMULATION HALF("A", HUNG) HALF("B", MASS("M", "1") MASS("N", "2")) JOINED);
	both x = both_of_texts(whole, one);
	both_agree(&x, &def, true);
	EXPECT_TWINS(&x, {"node(x).x.p", "node(A.x).x.p + node(B.x).x.p"});
	both_close(&x);
	x = both_of_texts(one, two);
	both_agree(&x, &def, true);
	EXPECT_TWINS(&x, {"node(A.x).x.p + node(B.x).x.p", "node(A.x).x.p + node(B.x).x.p"});
	both_close(&x);
}
END_TEST

/* A part without the reference: each model chooses its own, and potentials are counted from one. */
START_TEST(potentials_of_an_island_count_from_one_node)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .scheme = NULL};
#define ISLAND "<capacitor id=\"C2\" p=\"e\" n=\"f\" C=\"1 F\" q=\"1 C\"/>"
	both x = both_of_texts(
		NETLIST(SIMULATION LC("a", "a") ISLAND
			"<resistor id=\"R2\" p=\"e\" n=\"f\" R=\"1 ohm\"/>"
			"<resistor id=\"R3\" p=\"e\" n=\"g\" R=\"1 ohm\"/>"
			"<inductor id=\"L3\" p=\"f\" n=\"g\" L=\"1 H\"/>"),
		NETLIST(SIMULATION LC(
			"a", "a") "<subsystem id=\"S\">" ISLAND
				  "<resistor id=\"R2\" p=\"e\" n=\"f\" R=\"1 ohm\"/>"
				  "<port id=\"e\" node=\"e\"/><port id=\"f\" node=\"f\"/>"
				  "</subsystem><subsystem id=\"T\">"
				  "<resistor id=\"R3\" p=\"e\" n=\"g\" R=\"1 ohm\"/>"
				  "<inductor id=\"L3\" p=\"f\" n=\"g\" L=\"1 H\"/>"
				  "<resistor id=\"R4\" p=\"f\" n=\"h\" R=\"1 ohm\"/>"
				  "<resistor id=\"R5\" p=\"f\" n=\"h\" R=\"1 ohm\"/>"
				  "<port id=\"e\" node=\"e\"/><port id=\"f\" node=\"f\"/>"
				  "</subsystem><interconnection>"
				  "<connect id=\"u\" a=\"S.e\" b=\"T.e\"/>"
				  "<connect id=\"v\" a=\"S.f\" b=\"T.f\"/></interconnection>"));
	both_agree(&x, &def, false);
	bool subtracted = false;
	for (size_t i = 0; i < x.twins.n; i++)
		subtracted = subtracted || strstr(x.twins.twin[i].side[0].name, " - ");
	ck_assert(subtracted); /* else both chose the same, and nothing was tested */
	ck_assert(both_alone(&x, 1, "T.R4.i"));
	both_close(&x);
}
END_TEST

START_TEST(lists_are_of_either_model)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .record = "store.C1.q, L1.i, energy(loop), power(C1.p)"};
	both x = both_of_files("rlc-parallel.xml", "rlc-torn.xml");
	both_run(&x, &def, BOTH_SAME);
	ck_assert_double_le(x.largest, BOTH_SAME);
	ck_assert_uint_eq(x.twins.n, 4);
	EXPECT_TWINS(&x, {"C1.q", "store.C1.q"}, {"L1.i", "loop.L1.i"},
		     {"energy(R1) + energy(L1)", "energy(loop)"},
		     {"power(C1.p)", "power(store.C1.p)"});
	both_close(&x);

	const bxt_run_def wrong = {.size = sizeof(bxt_run_def), .record = "L1.i, store.C1.x"};
	x = both_of_files("rlc-parallel.xml", "rlc-torn.xml");
	ck_assert_int_eq(both_find(&x, &wrong, NULL, 0), BXT_ERR_MODEL);
	ck_assert(both_say(&x, "C1.x"));
	both_close(&x);
}
END_TEST

START_TEST(maps_come_first)
{
	static const char *const map[] = {"C1.q", "L1.q"}, *const wrong[] = {"C1.x", "C2.q"};
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .scheme = NULL};
	both x = both_of_files("rlc-parallel.xml", "rlc-torn.xml");
	ck_assert_int_eq(both_find(&x, &def, map, 1), BXT_OK);
	EXPECT_TWINS(&x, {"C1.q", "loop.L1.q"}); /* the end of a name will do */
	ck_assert_ptr_null(both_twin(&x, "C1.q", "store.C1.q"));
	bxt_twins_free(&x.twins);
	ck_assert_int_eq(both_find(&x, &def, wrong, 1), BXT_ERR_MODEL);
	ck_assert(both_say(&x, "first model has no signal 'C1.x' (did you mean 'C1.q'?)"));
	ck_assert(both_say(&x, "second model has no signal 'C2.q'"));
	both_close(&x);
}
END_TEST

START_TEST(rows_at_other_times_are_refused)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .scheme = NULL};
	both x = both_of_texts(NETLIST("<simulation step=\"0.1 s\" end=\"5 s\"/>" LC("a", "a")),
			       NETLIST(SIMULATION LC("a", "a")));
	ck_assert_int_eq(both_find(&x, &def, NULL, 0), BXT_ERR_MODEL);
	ck_assert(both_say(&x, "a row every 0.05 s up to 5 s, in the first model every 0.1 s"));
	both_close(&x);
	/* another step, the same rows */
	x = both_of_texts(
		NETLIST("<simulation step=\"0.1 s\" end=\"5 s\"/>" LC("a", "a")),
		NETLIST("<simulation step=\"0.05 s\" end=\"5 s\" every=\"2\"/>" LC("a", "a")));
	both_run(&x, &def, BOTH_SAME);
	ck_assert_double_gt(x.largest, 1e-6);
	both_close(&x);
}
END_TEST

TEST_SUITE("twins")
{
	const test_case tests[] = {
		{"circuit agrees the other way", circuit_agrees_the_other_way},
		{"nodes are what is at them", nodes_are_what_is_at_them},
		{"paths tell equal names apart", paths_tell_equal_names_apart},
		{"elements that contradict", elements_that_contradict},
		{"two tearings agree", two_tearings_agree},
		{"potentials of an island count from one node",
		 potentials_of_an_island_count_from_one_node},
		{"lists are of either model", lists_are_of_either_model},
		{"maps come first", maps_come_first},
		{"rows at other times are refused", rows_at_other_times_are_refused},
		{"circuit agrees", circuit_agrees, .loops = 4},
		{"chain agrees", chain_agrees, .loops = 4},
		{"momenta of joined nodes add up", momenta_of_joined_nodes_add_up, .loops = 4},
		{"everything is its own twin", everything_is_its_own_twin, .loops = 6},
	};
	ADD_TESTS(tests);
}
