/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Robots in URDF. Motions are held to recursive Newton-Euler equations in joint coordinates, with
 * the mass matrix by its columns, stepped by SciPy's DOP853 (rtol 1e-12): nothing of directors,
 * rows and multipliers is in them.
 */
#include "support/harness.h"

#include "ground/base/text.h"
#include "support/allocation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Robots ---- */

static const bxt_import_def fixed = {.size = sizeof(bxt_import_def)};

static char *path_of(const char *name)
{
	bxt_buffer path = {0};
	bxt_buffer_printf(&path, "%s/exchange/robot/%s", getenv("BXT_TESTDATA"), name);
	ck_assert(!path.failed);
	return path.text;
}

static bxt_status import_text(const char *text, const bxt_import_def *def, bxt_diagnostics *d,
			      bxt_netlist **out)
{
	return bxt_import_urdf_memory(text, strlen(text), "robot.urdf", def, d, out);
}

static bxt_table *run(bxt_netlist *netlist, const char *scheme, double step, double end)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	ck_assert(f && bxt_netlist_write(netlist, f) == BXT_OK);
	fclose(f);
	bxt_table *t = run_text(text, &(bxt_run_def){.size = sizeof(bxt_run_def),
						     .scheme = scheme,
						     .step = step,
						     .end = end});
	free(text);
	return t;
}

static bxt_table *run_file(const char *name, double step, double end)
{
	bxt_netlist *netlist = NULL;
	char *path = path_of(name);
	ck_assert_int_eq(bxt_import_urdf(path, NULL, NULL, &netlist), BXT_OK);
	bxt_table *t = run(netlist, "gauss3", step, end);
	bxt_netlist_free(netlist);
	free(path);
	return t;
}

/* ---- Motions ---- */

/* gauss3 errs by 2e-7 in a step at most here, and the twelve digits are those of the reference. */
START_TEST(arm)
{
	bxt_table *t = run_file("arm.urdf", 0.01, 1);
	ck_assert_double_eq_tol(last_value(t, "node(turn-shaft).theta"), 1.407476821478, 1e-10);
	ck_assert_double_eq_tol(last_value(t, "node(slide-shaft).x"), -0.908189300287, 1e-10);
	ck_assert_double_eq_tol(last_value(t, "node(wrist-shaft).theta"), 6.720018382296, 1e-9);
	bxt_table_free(t);
}
END_TEST

START_TEST(followers)
{
	bxt_table *t = run_file("gripper.urdf", 0.01, 1);
	ck_assert_double_eq_tol(value_at(t, 0, "node(left-shaft).theta"), 0.3, 1e-15);
	ck_assert_double_eq_tol(last_value(t, "node(left-shaft).theta"), 3.516765974890, 1e-10);
	ck_assert_double_eq_tol(last_value(t, "node(right-shaft).theta"), -4.020957468612, 1e-10);
	ck_assert_double_eq_tol(last_value(t, "node(rack-shaft).x"), -0.201047873431, 1e-11);
	bxt_table_free(t);
}
END_TEST

#define BAR(name)                                                                                  \
	"<link name='" name "'><inertial><origin xyz='0.5 0 0'/><mass value='1'/>"                 \
	"<inertia ixx='0.01' ixy='0' ixz='0' iyy='0.09' iyz='0' izz='0.09'/></inertial></link>"
#define HINGE(name, parent, child, x, yaw)                                                         \
	"<joint name='" name "' type='continuous'><parent link='" parent "'/><child link='" child  \
	"'/><origin xyz='" x " 0 0' rpy='0 0 " yaw "'/><axis xyz='0 0 1'/></joint>"
/* Its plane leans, so that gravity acts in it: a rhombus of three bars over the ground. */
#define RHOMBUS(joints)                                                                            \
	"<robot name='rhombus'><link name='ground'/><link name='lean'/>" BAR("a") BAR("b") BAR(    \
		"c") "<joint name='up' type='fixed'><parent link='ground'/><child link='lean'/>"   \
		     "<origin rpy='1.2 0 0'/></joint>" joints "</robot>"

/*
 * A loop cut at either end is the same mechanism. Squares of side 1, leaning by 1.2 rad: the open
 * end is where bar c, or bar a, meets what it was cut from.
 */
START_TEST(loops)
{
	const char *const cuts[] = {"ball c lean 1 0 0", "ball a lean 0 0 0"};
	const char *const robots[] = {
		RHOMBUS(HINGE("A", "lean", "a", "0", "1.5") HINGE("B", "a", "b", "1", "-1.5")
				HINGE("C", "b", "c", "1", "-1.6415926535897931")),
		/* bar a of this one goes from its top down */
		RHOMBUS(HINGE("A", "lean", "c", "1", "1.5")
				HINGE("B", "c", "b", "1", "1.6415926535897931")
					HINGE("C", "b", "a", "1", "1.5"))};
	double energy[2], turned[2];
	for (int k = 0; k < 2; k++) {
		bxt_import_def def = fixed;
		bxt_netlist *netlist = NULL;
		def.close = &cuts[k];
		def.n_close = 1;
		ck_assert_int_eq(import_text(robots[k], &def, NULL, &netlist), BXT_OK);
		bxt_table *t = run(netlist, "gauss3", 0.01, 1);
		turned[k] = last_value(t, "node(A-shaft).theta");
		energy[k] = value_at(t, 0, "energy");
		/* the bars weigh some 10 N */
		ck_assert_double_eq_tol(last_value(t, "energy"), energy[k], 1e-10);
		bxt_table_free(t);
		bxt_netlist_free(netlist);
	}
	/* bars a and c of a rhombus turn alike */
	ck_assert_double_ge(fabs(turned[0]), 0.5);
	ck_assert_double_eq_tol(turned[1], turned[0], 1e-9);
	ck_assert_double_eq_tol(energy[1], energy[0], 1e-12);
}
END_TEST

/* A body that nothing holds falls. */
START_TEST(floating)
{
	bxt_import_def def = fixed;
	bxt_netlist *netlist = NULL;
	def.floating = true;
	ck_assert_int_eq(import_text("<robot name='r'>" BAR("a") "</robot>", &def, NULL, &netlist),
			 BXT_OK);
	ck_assert_int_eq(
		bxt_netlist_add_xml(netlist, "", "<record>node(a).z, node(a).x</record>", NULL),
		BXT_OK);
	bxt_table *t = run(netlist, "gauss1", 0.1, 1);
	ck_assert_double_eq_tol(last_value(t, "node(a).z"), -9.81 / 2, 1e-13);
	ck_assert_double_eq_tol(last_value(t, "node(a).x"), 0, 1e-14);
	bxt_table_free(t);
	bxt_netlist_free(netlist);
}
END_TEST

/* ---- Names ---- */

START_TEST(names)
{
	bxt_netlist *netlist = NULL;
	char *text;
	size_t length;
	static const char robot[] =
		"<robot name='a &lt;&quot;--&gt;'><link name='energy'/>" BAR("a/b") BAR("a b")
			BAR("1-shaft") "<joint name='1' type='continuous'><parent link='energy'/>"
				       "<child link='a/b'/><limit lower='--'/></joint>"
				       "<joint name='2' type='continuous'><parent link='energy'/>"
				       "<child link='a b'/></joint>"
				       "<joint name='_1' type='floating'><parent link='energy'/>"
				       "<child link='1-shaft'/></joint></robot>";
	ck_assert_int_eq(import_text(robot, &fixed, NULL, &netlist), BXT_OK);
	ck_assert_int_eq(bxt_netlist_to_memory(netlist, &text, &length), BXT_OK);
	static const char *const there[] = {"name=\"a &lt;&quot;-->\"", "<node id=\"a_b\"",
					    "<node id=\"a_b_2\"", "<node id=\"_1-shaft\"",
					    "<motor-hinge id=\"_1_2\""};
	for (int i = 0; i < COUNT(there); i++)
		ck_assert_msg(strstr(text, there[i]), "no %s in %s", there[i], text);
	bxt_release(text);
	bxt_netlist_free(netlist);
}
END_TEST

/* ---- What is wrong ---- */

#define LINKS BAR("a") BAR("b")
#define JOINT(type, rest)                                                                          \
	"<joint name='j' type='" type "'><parent link='a'/><child link='b'/>" rest "</joint>"
#define BODY(mass, moments)                                                                        \
	"<link name='a'><inertial><mass value='" mass "'/><inertia " moments "/></inertial></"     \
	"link>"

static const struct {
	const char *robot, *close, *finding;
} wrong[] = {
	{"<netlist/>", NULL, "expected <robot>, found <netlist>"},
	{"robot", NULL, "the file is no XML: it has to begin with <robot>"},
	{"<robot/>", NULL, "the robot has no <link>"},
	{"<robot><link name='a'/></robot>", NULL, "no link has a mass"},
	{"<robot><link/></robot>", NULL, "<link> has no name"},
	{"<robot>" BAR("a") BAR("a") "</robot>", NULL, "there is a link 'a' already, in line 1"},
	{"<robot>" LINKS "</robot>", NULL, "a robot has one base"},
	{"<robot>" LINKS JOINT("revolut", "") "</robot>", NULL, "did you mean 'revolute'?"},
	{"<robot>" LINKS "<joint name='j' type='fixed'><parent link='A'/></joint></robot>", NULL,
	 "joint 'j': there is no link 'A' (did you mean 'a'?)"},
	{"<robot>" LINKS "<joint name='j' type='fixed'><parent link='a'/></joint></robot>", NULL,
	 "joint 'j' has no <child link=\"...\"/>"},
	{"<robot>" LINKS JOINT("revolute", "<axis xyz='0 0 0'/>") "</robot>", NULL,
	 "joint 'j': the axis has no direction"},
	{"<robot>" LINKS JOINT("revolute", "<axis xyz='0 1'/>") "</robot>", NULL,
	 "<axis> xyz=\"0 1\": three numbers are expected"},
	{"<robot>" LINKS JOINT("revolute", "<dynamics damping='-1'/>") "</robot>", NULL,
	 "joint 'j' has negative damping"},
	{"<robot>" LINKS JOINT("revolute", "<dynamics damping='1e999'/>") "</robot>", NULL,
	 "<dynamics> damping=\"1e999\": a number is expected"},
	{"<robot>" LINKS JOINT("revolute", "<mimic joint='k'/>") "</robot>", NULL,
	 "joint 'j' follows 'k', which is no joint"},
	{"<robot>" LINKS JOINT("revolute", "<mimic joint='j'/>") "</robot>", NULL,
	 "joint 'j' follows joints that follow it"},
	{"<robot>" LINKS JOINT("planar", "<mimic joint='j'/>") "</robot>", NULL,
	 "one of them is planar"},
	{"<robot>" LINKS JOINT("revolute", "<origin xyz='1e308 1e308 1e308' rpy='1 1 1'/>")
		 JOINT("fixed", "") "</robot>",
	 NULL, "there is a joint 'j' already"},
	{"<robot>" LINKS JOINT("revolute", "") "<joint name='k' type='fixed'><parent link='b'/>"
					       "<child link='a'/></joint></robot>",
	 NULL, "every link is a joint's child"},
	{"<robot><link name='o'/>" LINKS JOINT("revolute",
					       "") "<joint name='k' type='fixed'><parent "
						   "link='b'/><child link='a'/></joint></robot>",
	 NULL, "link 'a' does not hang on the base 'o'"},
	{"<robot>" LINKS JOINT("revolute", "") "<joint name='k' type='fixed'><parent link='a'/>"
					       "<child link='b'/></joint></robot>",
	 NULL, "link 'b' is the child of joint 'j' already"},
	{"<robot>" BODY("-1", "ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'") "</robot>", NULL,
	 "link 'a' has a negative mass"},
	{"<robot>" BODY("1", "ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='2.001'") "</robot>",
	 NULL, "link 'a': no body has these moments of inertia"},
	/* products of inertia can break it as well: the moments are 1.5, 0.5 and 0.9 */
	{"<robot>" BODY("1", "ixx='1' ixy='0.5' ixz='0' iyy='1' iyz='0' izz='0.9'") "</robot>",
	 NULL, "link 'a': no body has these moments of inertia"},
	{"<robot>" BODY("1", "ixx='1' iyy='1'") "</robot>", NULL, "<inertia> has no ixy"},
	{"<robot><link name='a'><inertial><mass value='1'/></inertial></link></robot>", NULL,
	 "link 'a': <inertial> has no <inertia>"},
	{"<robot>" BAR("a") "<link name='b'/>" JOINT("revolute", "") "</robot>", NULL,
	 "joint 'j' moves link 'b', which has no mass"},
	{"<robot xmlns:xacro='http://www.ros.org/wiki/xacro'><xacro:macro name='m'/>" BAR(
		 "a") "</robot>",
	 NULL, "<xacro:macro> is a macro of xacro: run xacro on the file first"},
	{"<!DOCTYPE robot [<!ENTITY a 'b'>]><robot/>", NULL, "DOCTYPE"},
	{"<robot>" BAR("a") "</robot>", "hinge a a 0 0 0", "is not \"ball A B X Y Z\""},
	{"<robot>" BAR("a") "</robot>", "ball a a 0 0 0 0", "is not \"ball A B X Y Z\""},
	{"<robot>" BAR("a") "</robot>", "ball a A 0 0 0",
	 "there is no link 'A' (did you mean 'a'?)"},
	{"<robot>" BAR("a") "</robot>", "ball a a 0 0 x", "'x' is no number"},
	{"<robot>" BAR("a") "</robot>", "ball a a 0 0 0", "joins link 'a' with itself"},
};

START_TEST(refused)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *netlist = NULL;
	bxt_import_def def = fixed;
	def.close = &wrong[_i].close;
	def.n_close = wrong[_i].close != NULL;
	ck_assert_int_eq(import_text(wrong[_i].robot, &def, d, &netlist), BXT_ERR_MODEL);
	ck_assert_ptr_null(netlist);
	bool found = false;
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_ERROR); i++)
		found = found || strstr(bxt_diagnostics_get(d, i)->text, wrong[_i].finding);
	ck_assert_msg(found, "no finding '%s' but '%s'", wrong[_i].finding,
		      bxt_diagnostics_count(d, BXT_NOTE) ? bxt_diagnostics_get(d, 0)->text : "");
	bxt_diagnostics_free(d);
}
END_TEST

/* All mistakes are told at once, each with its line. */
START_TEST(all_at_once)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *netlist = NULL;
	static const char robot[] = "<robot>\n<link/>\n" BAR("a") "\n" BAR(
		"a") "\n<joint name='j' type='x'>\n<parent link='q'/></joint></robot>";
	static const int lines[] = {2, 4, 5, 6, 5};
	ck_assert_int_eq(import_text(robot, NULL, d, &netlist), BXT_ERR_MODEL);
	ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_NOTE), COUNT(lines));
	for (size_t i = 0; i < COUNT(lines); i++) {
		ck_assert_str_eq(bxt_diagnostics_get(d, i)->file, "robot.urdf");
		ck_assert_int_eq(bxt_diagnostics_get(d, i)->line, lines[i]);
	}
	bxt_diagnostics_free(d);
}
END_TEST

START_TEST(arguments)
{
	bxt_netlist *netlist = NULL;
	const bxt_import_def unsized = {0};
	ck_assert_int_eq(bxt_import_urdf(NULL, NULL, NULL, &netlist), BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_import_urdf("a.urdf", NULL, NULL, NULL), BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_import_urdf("a.urdf", &unsized, NULL, &netlist), BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_import_urdf("/no/such.urdf", NULL, NULL, &netlist), BXT_ERR_IO);
	ck_assert_int_eq(bxt_import_urdf_memory(NULL, 0, "a", NULL, NULL, &netlist),
			 BXT_ERR_ARGUMENT);
	bxt_default_import_def(NULL);
}
END_TEST

/* ---- Memory, size ---- */

START_TEST(memory)
{
	const char *close = "ball tool shoulder 0 0 0";
	bxt_import_def def = fixed;
	def.close = &close;
	def.n_close = 1;
	char *path = path_of("arm.urdf");
	bool failed = true;
	allocation_hook();
	for (long n = 0; failed; n++) {
		bxt_netlist *netlist = NULL;
		bxt_diagnostics *d = bxt_diagnostics_new();
		allocation_fail(n);
		const bxt_status status = bxt_import_urdf(path, &def, d, &netlist);
		failed = allocation_failed();
		allocation_fail(-1);
		ck_assert(status == BXT_OK || (failed && status == BXT_ERR_MEMORY));
		ck_assert_int_eq(netlist != NULL, status == BXT_OK);
		bxt_netlist_free(netlist);
		bxt_diagnostics_free(d);
	}
	free(path);
}
END_TEST

/* Each link hangs on the next of the file, and each joint follows the next: time in proportion. */
START_TEST(long_chains)
{
	enum { LINKS_OF_CHAIN = 20000 };
	bxt_buffer text = {0};
	bxt_netlist *netlist = NULL;
	const double begin = cpu_seconds();
	bxt_buffer_printf(&text, "<robot name='chain'>");
	for (int i = 0; i <= LINKS_OF_CHAIN; i++)
		bxt_buffer_printf(
			&text,
			"<link name='l%d'><inertial><mass value='1'/><inertia ixx='1' ixy='0' "
			"ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>\n",
			i);
	for (int i = 0; i < LINKS_OF_CHAIN; i++)
		bxt_buffer_printf(&text,
				  "<joint name='j%d' type='revolute'><parent link='l%d'/><child "
				  "link='l%d'/><mimic joint='j%d'/></joint>\n",
				  i, i + 1, i, i + 1 < LINKS_OF_CHAIN ? i + 1 : 0);
	bxt_buffer_printf(&text, "</robot>");
	bxt_diagnostics *d = bxt_diagnostics_new();
	/* the last joint follows the first one: a ring */
	ck_assert_int_eq(import_text(text.text, NULL, d, &netlist), BXT_ERR_MODEL);
	char *ring = strstr(text.text, "<mimic joint='j0'/>");
	memset(ring, ' ', strlen("<mimic joint='j0'/>"));
	ck_assert_int_eq(import_text(text.text, NULL, d, &netlist), BXT_OK);
	ck_assert_double_le(cpu_seconds() - begin, 10);
	bxt_netlist_free(netlist);
	bxt_diagnostics_free(d);
	bxt_buffer_free(&text);
}
END_TEST

TEST_SUITE("URDF")
{
	const test_case tests[] = {
		{"arm", arm, .slow = true},
		{"followers", followers, .slow = true},
		{"loops", loops, .slow = true},
		{"floating", floating},
		{"names", names},
		{"refused", refused, .loops = COUNT(wrong)},
		{"all at once", all_at_once},
		{"arguments", arguments},
		{"memory", memory, .slow = true},
		{"long chains", long_chains, .slow = true},
	};
	ADD_TESTS(tests);
}
