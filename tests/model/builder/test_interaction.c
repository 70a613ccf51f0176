/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interaction structures: rows of Sigma_Q with expressions, transformers, gyrators, two-forms. */
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bxt_table *run(const char *body, double step, double end, const char *scheme,
		      const char *record, bxt_summary *summary)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.step = step;
	def.end = end;
	def.scheme = scheme;
	def.record = record;
	model m = model_of_text(body);
	bxt_table *t = model_run(&m, &def, summary);
	model_free(&m);
	return t;
}

/* Two models, the same physics: each pair "a=b" of the list agrees. */
static void agree(const char *one, const char *other, const char *const (*pairs)[2], size_t n,
		  double tolerance)
{
	char a[512] = "", b[512] = "";
	for (size_t i = 0; i < n; i++) {
		strcat(strcat(a, i ? ", " : ""), pairs[i][0]);
		strcat(strcat(b, i ? ", " : ""), pairs[i][1]);
	}
	static const char *const schemes[] = {"gauss1", "gauss2", "radau2", "dirac+"};
	for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
		bxt_table *x = run(one, 0.01, 2, schemes[s], a, NULL);
		bxt_table *y = run(other, 0.01, 2, schemes[s], b, NULL);
		for (size_t i = 0; i < n; i++) {
			ck_assert_double_gt(largest(x, pairs[i][0]), 0);
			ck_assert_double_le(difference(x, pairs[i][0], y, pairs[i][1]), tolerance);
		}
		bxt_table_free(x);
		bxt_table_free(y);
	}
}
#define AGREE(one, other, tolerance, ...)                                                          \
	do {                                                                                       \
		static const char *const pairs[][2] = {__VA_ARGS__};                               \
		agree(one, other, pairs, sizeof pairs / sizeof *pairs, tolerance);                 \
	} while (0)

/* Linear models of a few unknowns, 200 steps: round-off stays below this. */
static const double LINEAR = 1e-12;

/* ---- Twins whose joint is a component ---- */

#define SOURCE                                                                                     \
	"<voltage-source id='V' p='s' n='0' e='=sin(3*t)'/><resistor id='R' p='s' n='a' R='2'/>"   \
	"<inductor id='L' p='a' n='0' L='0.3'/>"
#define LOAD "<resistor id='RL' p='b' n='0' R='5'/><capacitor id='C' p='b' n='0' C='0.02'/>"

START_TEST(electrical_transformer)
{
	AGREE(NETLIST("<subsystem id='A'>" SOURCE "<port id='s' node='a'/></subsystem>"
		      "<subsystem id='B'>" LOAD "<port id='s' node='b'/></subsystem>"
		      /* v1 = 2 v2 and i2 = -2 i1 of the currents into the transformer */
		      "<interconnection><transformer id='T' a='A.s' b='B.s' ratio='-0.5'/>"
		      "</interconnection>"),
	      NETLIST(SOURCE LOAD "<transformer id='T' p1='a' n1='0' p2='b' n2='0' n='2'/>"),
	      LINEAR, {"A.L.i", "L.i"}, {"B.C.q", "C.q"}, {"node(A.a).v", "node(a).v"},
	      {"energy", "energy"});
}
END_TEST

START_TEST(electrical_gyrator)
{
	AGREE(NETLIST("<subsystem id='A'>" SOURCE "<port id='s' node='a'/></subsystem>"
		      "<subsystem id='B'>" LOAD "<port id='s' node='b'/></subsystem>"
		      "<interconnection><gyrator id='G' a='A.s' b='B.s' ratio='3 ohm'/>"
		      "</interconnection>"),
	      /* v1 = r i2, v2 = -r i1 with currents into the element, opposite to the ports' */
	      NETLIST(SOURCE LOAD "<gyrator id='G' p1='a' n1='0' p2='b' n2='0' r='3 ohm'/>"),
	      LINEAR, {"A.L.i", "L.i"}, {"B.C.q", "C.q"}, {"node(B.b).v", "node(b).v"},
	      {"energy", "energy"});
}
END_TEST

#define ROTOR                                                                                      \
	"<inertia id='J' a='r' J='0.02'/><torque id='T' a='wall' b='r' tau='=cos(t)'/>"            \
	"<rotational-damper id='D' a='wall' b='r' c='0.1'/>"
#define SHAFT "<inertia id='K' a='w' J='0.5'/><torsion-spring id='S' a='wall' b='w' k='2'/>"

START_TEST(gear)
{
	AGREE(NETLIST("<subsystem id='A'>" ROTOR "<port id='s' node='r'/></subsystem>"
		      "<subsystem id='B'>" SHAFT "<port id='s' node='w'/></subsystem>"
		      "<interconnection><transformer id='G' a='A.s' b='B.s' ratio='4'/>"
		      "</interconnection>"),
	      NETLIST(ROTOR SHAFT "<gear id='G' a='r' b='w' ratio='4'/>"), LINEAR,
	      {"node(A.r).theta", "node(r).theta"}, {"node(B.w).omega", "node(w).omega"},
	      {"G.lambda", "G.mesh.lambda"}, {"energy", "energy"});
}
END_TEST

#define CART                                                                                       \
	"<mass id='M' a='c' m='2'/><damper id='D' a='wall' b='c' c='0.4'/>"                        \
	"<force id='F' a='wall' b='c' f='=cos(2*t)'/>"
#define SPRUNG "<mass id='m' a='d' m='1'/><spring id='k' a='wall' b='d' k='7'/>"

START_TEST(lever_as_a_row)
{
	AGREE(NETLIST("<subsystem id='A'>" CART "<port id='s' node='c'/></subsystem>"
		      "<subsystem id='B'>" SPRUNG "<port id='s' node='d'/></subsystem>"
		      "<interconnection><sigma id='S'>A.s.v - 1.5*B.s.v</sigma></interconnection>"),
	      NETLIST(CART SPRUNG "<lever id='S' a='c' b='d' ratio='1.5'/>"), LINEAR,
	      {"node(A.c).x", "node(c).x"}, {"node(B.d).v", "node(d).v"}, {"energy", "energy"});
}
END_TEST

#define MOTOR                                                                                      \
	"<component xmlns='urn:boxtimes:component:1' name='motor'>"                                \
	"<parameter name='k' unit='V.s/rad'/><coordinate name='q' unit='C' flow='i'/>"             \
	"<port name='p' kind='electrical' flow='i'/><port name='n' kind='electrical' flow='-i'/>"  \
	"<port name='shaft' kind='rotational'/>"                                                   \
	"<gyrator a='q' b='shaft.theta'>k</gyrator></component>"

START_TEST(motor)
{
	/* the component feels -k omega in its branch; the port's flow is that branch's, negative */
	AGREE(NETLIST("<subsystem id='A'>" SOURCE "<port id='s' node='a'/></subsystem>"
		      "<subsystem id='B'>" ROTOR "<port id='s' node='r'/></subsystem>"
		      "<interconnection><gyrator id='M' a='A.s' b='B.s' ratio='-0.7 V.s/rad'/>"
		      "</interconnection>"),
	      NETLIST(MOTOR SOURCE ROTOR "<motor id='M' p='a' n='0' shaft='r' k='0.7'/>"), LINEAR,
	      {"A.L.i", "L.i"}, {"node(B.r).omega", "node(r).omega"}, {"node(A.a).v", "node(a).v"},
	      {"energy", "energy"});
}
END_TEST

/* A two-form of two flows is a gyrator; rows with units say what transformers say. */
START_TEST(ways_to_say_it)
{
#define PARTS                                                                                      \
	"<parameter name='k' unit='V.s' default='0.7'/>"                                           \
	"<subsystem id='A'>" SOURCE "<port id='s' node='a'/></subsystem>"                          \
	"<subsystem id='B'>" ROTOR "<port id='s' node='r'/></subsystem>"
	AGREE(NETLIST(PARTS "<interconnection><gyrator a='A.s' b='B.s' ratio='=2*k'/>"
			    "</interconnection>"),
	      NETLIST(PARTS "<interconnection><omega flows='B.s.omega A.s.i'>0, -2*k; 2*k, 0"
			    "</omega></interconnection>"),
	      LINEAR, {"A.L.i", "A.L.i"}, {"node(B.r).omega", "node(B.r).omega"});
	AGREE(NETLIST(PARTS "<interconnection><transformer a='A.s' b='B.s' ratio='0.2 A.s'/>"
			    "</interconnection>"),
	      NETLIST(PARTS "<interconnection><sigma units='SI'>5*A.s.i - B.s.omega</sigma>"
			    "</interconnection>"),
	      LINEAR, {"A.L.i", "A.L.i"}, {"node(B.r).omega", "node(B.r).omega"});
#undef PARTS
}
END_TEST

/* ---- Composition ---- */

#define THREE                                                                                      \
	"<subsystem id='A'>" SOURCE "<port id='s' node='a'/><port id='u' node='s'/></subsystem>"   \
	"<subsystem id='B'>" LOAD "<port id='s' node='b'/></subsystem>"                            \
	"<subsystem id='C'>" ROTOR "<port id='s' node='r'/></subsystem>"                           \
	"<subsystem id='D'><resistor id='R' p='d' n='0' R='9'/>"                                   \
	"<inductor id='L' p='d' n='0' L='1'/><port id='s' node='d'/></subsystem>"
#define JOIN_1 "<gyrator id='g' a='A.s' b='C.s' ratio='0.4'/>"
#define JOIN_2 "<sigma id='s'>A.s.i - 2*B.s.i</sigma>"
#define JOIN_3 "<transformer id='n' a='A.u' b='D.s' ratio='=-1.5 - 0.3*sin(C.s.theta)'/>"
#define IN(x) "<interconnection>" x "</interconnection>"

/* [x] is associative and commutative on the rows: structures compose in any order. */
START_TEST(order_does_not_matter)
{
	static const char *const orders[] = {
		NETLIST(THREE IN(JOIN_1 JOIN_2 JOIN_3)),
		NETLIST(THREE IN(JOIN_3 JOIN_1 JOIN_2)),
		NETLIST(THREE IN(JOIN_2) IN(JOIN_1) IN(JOIN_3)),
		NETLIST(IN(JOIN_3 JOIN_2) THREE IN(JOIN_1)),
	};
	static const char *const record =
		"A.L.i, B.C.q, D.L.i, node(C.r).theta, s.lambda, n.lambda, energy";
	static const char *const names[] = {"A.L.i",    "B.C.q",    "D.L.i", "node(C.r).theta",
					    "s.lambda", "n.lambda", "energy"};
	bxt_table *first = run(orders[0], 0.01, 3, "gauss1", record, NULL);
	for (size_t i = 1; i < sizeof orders / sizeof *orders; i++) {
		bxt_table *t = run(orders[i], 0.01, 3, "gauss1", record, NULL);
		for (size_t k = 0; k < sizeof names / sizeof *names; k++)
			/* 300 nonlinear steps, each solved to some 1e-15 */
			ck_assert_double_le(difference(first, names[k], t, names[k]), 1e-12);
		bxt_table_free(t);
	}
	bxt_table_free(first);
}
END_TEST

/* Rows and columns of the assembled annihilator, whatever the order of interconnections. */
START_TEST(structure_composes)
{
	bxt_summary s;
	bxt_table *t =
		run(NETLIST(THREE IN(JOIN_1 JOIN_2 JOIN_3)), 0.01, 3, "gauss2", "energy", &s);
	bxt_table_free(t);
	double work = 0, carried = 0;
	for (size_t i = 0; i < s.n_ledger; i++) {
		if (strcmp(s.ledger[i].kind, "port") == 0)
			carried += fabs(s.ledger[i].through);
		if (strcmp(s.ledger[i].kind, "connection") == 0)
			work += fabs(s.ledger[i].through);
		if (strcmp(s.ledger[i].kind, "component") == 0)
			ck_assert_ptr_null(strchr("gsn", s.ledger[i].path[0]));
	}
	ck_assert_double_gt(carried, 1e-3);
	ck_assert_double_le(work, 1e-13 * carried); /* sums of 900 products of one size */
	/* gauss2 is exact for quadratic energies; the ratio that turns with C does no work */
	ck_assert_double_le(fabs(s.total.residual), 1e-12 * s.total.supplied);
	bxt_summary_free(&s);
}
END_TEST

/* Neither of two floating circuits that a two-form or a row joins loses a current. */
START_TEST(floating_circuits)
{
#define FLOATING                                                                                   \
	"<subsystem id='A'><voltage-source id='V' p='a' n='b' e='=sin(t)'/>"                       \
	"<resistor id='R' p='a' n='c' R='1'/><port id='s' node='c'/><port id='u' node='b'/>"       \
	"</subsystem>"                                                                             \
	"<subsystem id='B'><inductor id='L' p='a' n='b' L='1'/><port id='s' node='a'/>"            \
	"<port id='u' node='b'/></subsystem>"
	bxt_summary s;
	bxt_table *t =
		run(NETLIST(FLOATING "<interconnection>"
				     "<transformer id='T' a='A.s' b='B.s' ratio='=-2 - 0*A.s.q'/>"
				     "<transformer id='U' a='A.u' b='B.u' ratio='-2'/>"
				     "</interconnection>"),
		    0.01, 3, "gauss1", "A.V.i, B.L.i", &s);
	/* i_A = 2 i_B through both; L i_B' = 2 (v - R 2 i_B), v = sin t, at rest at first */
	const double at = 3, w = 1, a = 4;
	const double exact =
		2 * (a * sin(w * at) - w * cos(w * at) + w * exp(-a * at)) / (a * a + w * w);
	/* second order: (a h)^2/12 and some */
	ck_assert_double_eq_tol(fabs(last_value(t, "B.L.i")), fabs(exact), 1e-3);
	ck_assert_double_le(fabs(s.total.residual), 1e-13);
	bxt_summary_free(&s);
	bxt_table_free(t);
#undef FLOATING
}
END_TEST

/* ---- Coefficients that depend on coordinates ---- */

#define CRANK                                                                                      \
	NETLIST("<subsystem id='W'><inertia id='J' a='r' J='0.02'/>"                               \
		"<node id='r' kind='rotational' theta='1' omega='3'/><port id='s' node='r'/>"      \
		"</subsystem><subsystem id='S'><mass id='M' a='x' m='1'/>"                         \
		"<spring id='K' a='wall' b='x' k='20' l0='0'/>"                                    \
		"<node id='x' kind='translational' x='0.054030230586813977'/>"                     \
		"<port id='s' node='x'/></subsystem><interconnection>"                             \
		"<transformer id='c' a='S.s' b='W.s' ratio='=-0.1*sin(W.s.theta)'/>"               \
		"</interconnection>")

/* (J + m r^2) omega' = -m r r' omega^2 - k x r with x = a cos(theta), r = dx/dtheta */
static void crank_slope(const double y[2], double dy[2])
{
	const double a = 0.1, r = -a * sin(y[0]), dr = -a * cos(y[0]);
	dy[0] = y[1];
	dy[1] = (-r * dr * y[1] * y[1] - 20 * a * cos(y[0]) * r) / (0.02 + r * r);
}

/* By 20,000 steps of a Runge-Kutta method of order 4: 1e-13. */
static void crank_exact(double end, double y[2])
{
	const int n = 20000;
	const double h = end / n;
	for (int i = 0; i < n; i++) {
		double k[4][2], z[2];
		crank_slope(y, k[0]);
		for (int s = 1; s < 4; s++) {
			for (int j = 0; j < 2; j++)
				z[j] = y[j] + h * (s == 3 ? 1 : 0.5) * k[s - 1][j];
			crank_slope(z, k[s]);
		}
		for (int j = 0; j < 2; j++)
			y[j] += h * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]) / 6;
	}
}

static double crank_error(const char *scheme, double step, const double exact[2])
{
	bxt_summary s;
	bxt_table *t = run(CRANK, step, 1, scheme, "node(W.r).theta, node(S.x).x", &s);
	const double error = fabs(last_value(t, "node(W.r).theta") - exact[0]);
	for (size_t i = 0; i < s.n_ledger; i++)
		if (strcmp(s.ledger[i].kind, "connection") == 0)
			/* of 0.02 J that went through */
			ck_assert_double_le(fabs(s.ledger[i].through), 1e-15);
	bxt_summary_free(&s);
	bxt_table_free(t);
	return error;
}

START_TEST(crank_orders)
{
	static const struct {
		const char *scheme;
		double order, step;
	} cases[] = {{"gauss1", 2, 0.02},
		     {"gauss2", 4, 0.05},
		     {"gauss3", 6, 0.1},
		     {"radau2", 3, 0.02},
		     {"dirac+", 2, 0.02}};
	double exact[2] = {1, 3};
	/* the written rate of the wheel is held, the slide's velocity follows */
	crank_exact(1, exact);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const double e1 = crank_error(cases[i].scheme, cases[i].step, exact),
			     e2 = crank_error(cases[i].scheme, cases[i].step / 2, exact);
		ck_assert_msg(fabs(log2(e1 / e2) - cases[i].order) < 0.25, "%s: %g, %g: order %.2f",
			      cases[i].scheme, e1, e2, log2(e1 / e2));
	}
}
END_TEST

/* Energy is kept by the symmetric projection: no trend over many turns. */
START_TEST(crank_energy)
{
	bxt_table *t = run(CRANK, 0.05, 500, "gauss1", "energy", NULL);
	/* 10,000 steps; quadratic energies and rows that do no work: round-off of 0.1 J */
	ck_assert_double_eq_tol(last_value(t, "energy"), value_at(t, 0, "energy"), 1e-12);
	bxt_table_free(t);
}
END_TEST

/* ---- Inertia that parameters take away ---- */

#define DRIVE(lagrangian, name)                                                                    \
	"<component xmlns='urn:boxtimes:component:1' name='" name "'>"                             \
	"<parameter name='La' unit='H' default='0 H'/><parameter name='J' unit='kg.m2'/>"          \
	"<coordinate name='q' unit='C' flow='i'/><coordinate name='s' unit='V.s' flow='u'/>"       \
	"<port name='p' kind='electrical' flow='i'/><port name='n' kind='electrical' flow='-i'/>"  \
	"<port name='shaft' kind='rotational'/><lagrangian>" lagrangian                            \
	" + J*shaft.omega^2/2 + 0.1*s*i</lagrangian><rayleigh>0.7*i^2 + 0.2*u^2</rayleigh>"        \
	"<gyrator a='q' b='shaft.theta'>0.4</gyrator></component>"
#define DRIVEN(attributes)                                                                         \
	"<voltage-source id='V' p='a' n='b' e='=sin(3*t)'/><inductor id='L' p='0' n='a' L='1.5'/>" \
	"<drive id='D' p='a' n='b' shaft='r' J='0.3'" attributes "/>"                              \
	"<torsion-spring id='K' a='wall' b='r' k='2'/>"                                            \
	"<node id='r' kind='rotational' theta='0.3' omega='0.2'/>"

/* A term that is there in the Lagrangian and 0 by its parameter is as good as none. */
START_TEST(no_inductance)
{
	AGREE(NETLIST(DRIVE("La*i^2/2", "drive") DRIVEN(" La='0 H'")),
	      NETLIST(DRIVE("0*i", "drive") DRIVEN("")), LINEAR, {"node(r).theta", "node(r).theta"},
	      {"node(b).v", "node(b).v"}, {"D.s", "D.s"}, {"energy", "energy"});
}
END_TEST

/* ---- The shipped netlists ---- */

/* A matched circulator passes all that the source can give to the next port. */
START_TEST(circulator)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	model m = model_of_file("circulator.xml");
	bxt_table *t = model_run(&m, &def, NULL);
	/* 2 V / (2 R0), but for the tail exp(-19 ns 100 ohm / 10 nH) that is below round-off */
	ck_assert_double_eq_tol(fabs(last_value(t, "two.R.i")), 0.02, 1e-15);
	ck_assert_double_le(largest(t, "three.R.i"), 1e-17);
	double worst = 0;
	for (size_t i = 0; i < bxt_table_rows(t); i++)
		worst = fmax(worst, fabs(value_at(t, i, "power(one.line)") +
					 value_at(t, i, "power(two.line)") +
					 value_at(t, i, "power(three.line)")));
	ck_assert_double_le(worst, 1e-16); /* of 20 mW */
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* Both carts feel the same: (20 N - lambda) and (10 N - lambda) against their dampers. */
START_TEST(whiffletree)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.end = 60;
	model m = model_of_file("whiffletree.xml");
	bxt_table *t = model_run(&m, &def, NULL);
	/* at rest of the motion: 4 vl = 20 - l, 4 vr = 10 - l, 3 vh = 2 l, 2 vh = vl + vr */
	const double l = 30.0 / (2 * 4 * 2.0 / 3 + 2);
	ck_assert_double_eq_tol(last_value(t, "beam.lambda"), l, 1e-9);
	ck_assert_double_eq_tol(last_value(t, "node(left.cart).v"), (20 - l) / 4, 1e-9);
	ck_assert_double_eq_tol(last_value(t, "node(load.hook).v"), 2 * l / 3, 1e-9);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* Two rows over two ports, the second at a circuit without ground: its nodes are counted from b,
 * where -2 m1 - 3 m2 = 0, and 1 V at the other port is m1 + m2. */
START_TEST(rows_that_share_ports)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = 0.1,
				 .end = 0.3,
				 .record = "node(y.b).v, r1.lambda, r2.lambda"};
	bxt_table *t = run_text(
		NETLIST("<subsystem id='x'><voltage-source id='V' p='a' n='0' e='1 V'/>"
			"<port id='s' node='a'/></subsystem>"
			"<subsystem id='y'><capacitor id='C' p='b' n='m' C='1 F' q='1 C'/>"
			"<resistor id='R' p='b' n='m' R='1 ohm'/><port id='s' node='b'/>"
			"</subsystem><interconnection><sigma id='r1'>x.s.i - 2*y.s.i</sigma>"
			"<sigma id='r2'>x.s.i - 3*y.s.i</sigma></interconnection>"),
		&def);
	ck_assert_double_eq(last_value(t, "node(y.b).v"), 0);
	ck_assert_double_eq_tol(last_value(t, "r1.lambda"), 3, 1e-14);
	ck_assert_double_eq_tol(last_value(t, "r2.lambda"), -2, 1e-14);
	bxt_table_free(t);
}
END_TEST

/* What would create power, or is no number. */
START_TEST(refused)
{
#define TWO_CHARGES(row)                                                                           \
	"<netlist xmlns='urn:boxtimes:netlist:1' name='test'>"                                     \
	"<subsystem id='x'><capacitor id='C' p='a' n='0' C='1 F'/><port id='s' node='a'/>"         \
	"</subsystem><subsystem id='y'><capacitor id='C' p='a' n='0' C='1 F'/>"                    \
	"<port id='s' node='a'/></subsystem><interconnection>" row "</interconnection></netlist>"
	static const char *const texts[][2] = {
		{TWO_CHARGES("<omega id='o' flows='x.s.i y.s.i'>0, 2; -1.9, 0</omega>"),
		 "entry (1,2) is 2 and (2,1) is -1.9: not opposite"},
		{TWO_CHARGES("<omega id='o' flows='x.s.i y.s.i'>0, 1+x.s.q^2; -1-0.9*x.s.q^2, 0"
			     "</omega>"),
		 "not opposite"},
		{TWO_CHARGES("<sigma id='r'>x.s.i - y.s.i/0</sigma>"), "is not finite"},
		{TWO_CHARGES("<transformer id='r' a='x.s' b='y.s' ratio='=1/0'/>"),
		 "the ratio is not finite"},
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		const char *directory = getenv("BOXTIMES_PATH");
		model m = {.findings = bxt_diagnostics_new()};
		m.library = bxt_library_new(&directory, 1, m.findings);
		ck_assert_int_eq(bxt_netlist_read_memory(texts[i][0], strlen(texts[i][0]), "x",
							 m.findings, &m.netlist),
				 BXT_OK);
		ck_assert_int_eq(bxt_system_compile(m.netlist, m.library, m.findings, &m.system),
				 BXT_ERR_MODEL);
		ck_assert_msg(has_finding(&m, BXT_ERROR, texts[i][1]), "%s: %s", texts[i][1],
			      bxt_diagnostics_get(m.findings, 0)->text);
		model_free(&m);
	}
}
END_TEST

TEST_SUITE("interaction")
{
	const test_case tests[] = {
		{"electrical transformer", electrical_transformer},
		{"electrical gyrator", electrical_gyrator},
		{"gear", gear},
		{"lever as a row", lever_as_a_row},
		{"motor", motor},
		{"ways to say it", ways_to_say_it},
		{"order does not matter", order_does_not_matter},
		{"structure composes", structure_composes},
		{"floating circuits", floating_circuits},
		{"crank orders", crank_orders},
		{"crank energy", crank_energy},
		{"no inductance", no_inductance},
		{"rows that share ports", rows_that_share_ports},
		{"refused", refused},
		{"circulator", circulator},
		{"whiffletree", whiffletree},
	};
	ADD_TESTS(tests);
}
