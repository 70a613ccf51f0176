/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * <symmetry>: momentum maps, the discrete forced Noether theorem (de Leon, Lainz and Lopez-Gordon,
 * section 3.6), the algebra of those that forces respect.
 */
#include "support/harness.h"

#include "motion/scheme/discrete_lagrangian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COMPONENT(name, body)                                                                      \
	"<component xmlns='urn:boxtimes:component:1' name='" name "'>" body "</component>"
#define PLANE "<coordinate name='x' unit='1' flow='vx'/><coordinate name='y' unit='1' flow='vy'/>"
#define ROTATION                                                                                   \
	"<symmetry name='rotation'><generator on='x'>-y</generator>"                               \
	"<generator on='y'>x</generator></symmetry>"

#define KEPLER                                                                                     \
	NETLIST(COMPONENT("planet", PLANE "<lagrangian>(vx^2 + vy^2)/2 + 1/sqrt(x^2 + y^2)"        \
					  "</lagrangian>" ROTATION) "<planet id='P' x='0.8' "      \
								    "vy='1.2'/>")
/* DL, Example 2, with a stronger damping */
#define QUARTIC                                                                                    \
	NETLIST(COMPONENT(                                                                         \
		"trough", PLANE                                                                    \
		"<lagrangian>(vx^2 + vy^2)/2 - (x^2 + y^2)*(x^2 + y^2 - 1)^2"                      \
		"</lagrangian><rayleigh>0.02*(vx^2 + vy^2)</rayleigh>" ROTATION) "<trough id='P' " \
										 "y='1."           \
										 "1554991867498' " \
										 "vx='0.5'/>")

/* Round-off of a step: a few ulps of J, and of Newton's iteration, which stops at round-off. */
static const double ROUND_OFF = 1e-14;

static bxt_run_def run_with(const char *scheme, const char *rule, double step, double end)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = scheme;
	def.rule = rule;
	def.step = step;
	def.end = end;
	return def;
}

/* The first symmetry's account of a run. */
static bxt_symmetry_entry account(const char *xml, bxt_run_def def)
{
	model m = model_of_text(xml);
	bxt_summary summary;
	def.record = "energy";
	bxt_table *t = model_run(&m, &def, &summary);
	ck_assert_uint_ge(summary.n_symmetry, 1);
	bxt_symmetry_entry e = summary.symmetry[0];
	ck_assert(!isnan(e.residual));
	e.path = NULL; /* the summary's */
	bxt_table_free(t);
	bxt_summary_free(&summary);
	model_free(&m);
	return e;
}

/* ---- Momentum maps ---- */

static void check_constant(const char *scheme, const char *rule)
{
	const bxt_symmetry_entry e = account(KEPLER, run_with(scheme, rule, 0.05, 10));
	ck_assert(e.affine);
	ck_assert_double_eq_tol(e.start, 0.96, 1e-15);
	ck_assert_msg(e.residual <= ROUND_OFF * e.scale, "%s %s: %g", scheme, rule ? rule : "",
		      e.residual);
	/* 200 steps of round-off */
	ck_assert_double_eq_tol(e.end, e.start, 200 * ROUND_OFF);
	ck_assert(e.forces == 0 && e.constraints == 0);
}

START_TEST(kepler_rotation)
{
	static const char *const gauss[] = {"gauss1", "gauss2", "gauss3"};
	for (int i = 0; bxt_rules[i].name; i++)
		for (int minus = 0; minus < 2; minus++)
			check_constant(minus ? "dirac-" : "dirac+", bxt_rules[i].name);
	for (size_t i = 0; i < sizeof gauss / sizeof *gauss; i++)
		check_constant(gauss[i], NULL);
	/* a scheme that keeps no quadratic invariant is told from those that do */
	ck_assert_double_ge(account(KEPLER, run_with("rk4", NULL, 0.05, 10)).residual, 1e-10);
}
END_TEST

/* Damping takes J away; what it takes is known to round-off. */
START_TEST(damped_quartic)
{
	static const char *const schemes[] = {"dirac+", "dirac-", "gauss1", "gauss2", "gauss3"};
	static const char *const rules[] = {"midpoint", "rectangle",        "trapezoid",
					    "lobatto4", "galerkin2-gauss2", "galerkin3-gauss3"};
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
		for (size_t k = 0; k < (i < 2 ? sizeof rules / sizeof *rules : 1); k++) {
			const bool back = strcmp(schemes[i], "dirac-") == 0;
			const bxt_run_def def =
				run_with(schemes[i], i < 2 ? rules[k] : NULL, 0.05, 10);
			const bxt_symmetry_entry e = account(QUARTIC, def);
			ck_assert_msg(e.residual <= ROUND_OFF * e.scale, "%s %s: %g", schemes[i],
				      rules[k], e.residual / e.scale);
			ck_assert_double_eq_tol(e.end - e.start, e.forces, 1e-12);
			/* J' = -0.04 J; the rules' errors are below 1 % of it */
			ck_assert_double_eq_tol(e.end / e.start, exp(back ? 0.4 : -0.4), 0.01);
		}
}
END_TEST

START_TEST(records)
{
	bxt_run_def def = run_with("dirac+", "midpoint", 0.1, 5);
	def.record = "P.x, P.y, P.x.p, P.y.p, momentum(P.rotation), noether(rotation)";
	bxt_table *t = run_text(QUARTIC, &def);
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double J = value_at(t, i, "P.x") * value_at(t, i, "P.y.p") -
				 value_at(t, i, "P.y") * value_at(t, i, "P.x.p");
		/* products in another order */
		ck_assert_double_eq_tol(value_at(t, i, "momentum(P.rotation)"), J, 1e-15);
	}
	ck_assert_double_le(largest(t, "noether(P.rotation)"), ROUND_OFF);
	bxt_table_free(t);
}
END_TEST

/* ---- Networks ---- */

#define CHAIN(more, generators)                                                                    \
	NETLIST("<mass id='A' a='a' m='1'/><mass id='B' a='b' m='2'/><mass id='C' a='c' m='1.5'/>" \
		"<spring id='S1' a='a' b='b' k='2'/><spring id='S2' a='b' b='c' k='3'/>" more      \
		"<node id='a' kind='translational' x='0.3' v='0.4'/>"                              \
		"<symmetry id='shift'>" generators "</symmetry>")
#define ALL_NODES                                                                                  \
	"<generator on='node(a).x'>1</generator><generator on='node(b).x'>1</generator>"           \
	"<generator on='node(c).x'>1</generator>"
#define TO_THE_WALL "<damper id='D' a='wall' b='a' c='0.1'/>"

START_TEST(chain_translation)
{
	static const char *const schemes[] = {"dirac+", "gauss1", "gauss2"};
	for (size_t i = 0; i < 3; i++) {
		const bxt_run_def def = run_with(schemes[i], NULL, 0.05, 10);
		bxt_symmetry_entry e = account(CHAIN("", ALL_NODES), def);
		ck_assert_double_eq_tol(e.end, 0.4, 200 * ROUND_OFF);
		ck_assert_double_le(e.residual, ROUND_OFF * e.scale);
		e = account(CHAIN(TO_THE_WALL, ALL_NODES), def);
		ck_assert_double_le(e.residual, ROUND_OFF * e.scale);
		ck_assert_double_le(e.forces, -0.03);
		/* half of the chain is held by the other half: no symmetry, and the residual says
		 * so */
		e = account(CHAIN("", "<generator on='node(a).x'>1</generator>"), def);
		ck_assert_double_ge(e.residual, 1e-3);
	}
}
END_TEST

/* Two parts joined by <connect>: copies move together, and the force between them does no more. */
#define TORN                                                                                       \
	NETLIST("<subsystem id='l'><mass id='A' a='a' m='1'/><spring id='S' a='a' b='b' k='2'/>"   \
		"<node id='a' kind='translational' v='0.7'/><port id='s' node='b'/></subsystem>"   \
		"<subsystem id='r'><mass id='B' a='b' m='2'/><port id='s' node='b'/></subsystem>"  \
		"<interconnection><connect id='c' a='l.s' b='r.s'/></interconnection>"             \
		"<symmetry id='shift'><generator on='node(l.a).x'>1</generator>"                   \
		"<generator on='node(l.b).x'>1</generator>"                                        \
		"<generator on='node(r.b).x'>1</generator></symmetry>"                             \
		"<symmetry id='half'><generator on='node(r.b).x'>2</generator></symmetry>")

START_TEST(torn_pair)
{
	static const char *const schemes[] = {"dirac+", "gauss1", "gauss3"};
	for (size_t i = 0; i < 3; i++) {
		model m = model_of_text(TORN);
		bxt_summary s;
		bxt_run_def def = run_with(schemes[i], NULL, 0.05, 5);
		def.record = "momentum(shift), momentum(half)";
		bxt_table *t = model_run(&m, &def, &s);
		ck_assert_uint_eq(s.n_symmetry, 2);
		ck_assert_double_eq_tol(last_value(t, "momentum(shift)"), 0.7, 100 * ROUND_OFF);
		ck_assert_double_le(fabs(s.symmetry[0].constraints), 100 * ROUND_OFF);
		ck_assert_double_le(s.symmetry[0].residual, ROUND_OFF);
		/* the right mass alone: the connection gives it all that it has */
		ck_assert_double_le(s.symmetry[1].residual, ROUND_OFF);
		ck_assert_double_ge(fabs(s.symmetry[1].constraints), 0.1);
		ck_assert_double_eq_tol(s.symmetry[1].end - s.symmetry[1].start,
					s.symmetry[1].constraints, 100 * ROUND_OFF);
		bxt_table_free(t);
		bxt_summary_free(&s);
		model_free(&m);
	}
}
END_TEST

/* Impulses of nonholonomic rows, kicks of the symmetric projection among them. */
static void check_rows(const char *xml, const char *const *schemes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		model m = model_of_text(xml);
		bxt_summary s;
		bxt_run_def def = run_with(schemes[i], NULL, 0.05, 3);
		def.record = "energy";
		bxt_table *t = model_run(&m, &def, &s);
		double most = 0;
		for (size_t k = 0; k < s.n_symmetry; k++) {
			const bxt_symmetry_entry *e = &s.symmetry[k];
			ck_assert_msg(e->residual <= ROUND_OFF * fmax(e->scale, 1),
				      "%s with %s: %g", e->path, schemes[i], e->residual);
			most = fmax(most, fabs(e->constraints));
		}
		ck_assert_double_ge(most, 0.1);
		bxt_table_free(t);
		bxt_summary_free(&s);
		model_free(&m);
	}
}

#define TURN                                                                                       \
	"<symmetry name='turn'><generator on='x'>-y</generator><generator on='y'>x</generator>"    \
	"<generator on='phi'>1</generator></symmetry>"                                             \
	"<symmetry name='shift'><generator on='x'>1</generator></symmetry>"
#define DISK                                                                                       \
	NETLIST(COMPONENT("disk", PLANE                                                            \
			  "<coordinate name='theta' unit='rad' flow='wt'/>"                        \
			  "<coordinate name='phi' unit='rad' flow='wp'/>"                          \
			  "<lagrangian>(vx^2 + vy^2 + wt^2 + wp^2)/2</lagrangian>"                 \
			  "<constraint name='along' kind='flow'>vx - cos(phi)*wt</constraint>"     \
			  "<constraint name='across' kind='flow'>vy - "                            \
			  "sin(phi)*wt</constraint>" TURN) "<disk id='D' x='0.5' vx='1' wt='1' "   \
							   "wp='2'/>")
#define KNIFE                                                                                      \
	NETLIST(COMPONENT("blade",                                                                 \
			  PLANE "<coordinate name='phi' unit='rad' flow='w'/>"                     \
				"<lagrangian>(vx^2 + vy^2 + 0.3*w^2)/2</lagrangian>"               \
				"<rayleigh>0.1*(vx^2 + vy^2)</rayleigh>"                           \
				"<constraint name='edge' kind='flow'>vx*sin(phi) - "               \
				"vy*cos(phi)</constraint>" TURN) "<blade id='K' vx='1' w='1.5'/>")
/* A position constraint that is not quadratic: displacements move J, too. */
#define BEAD                                                                                       \
	NETLIST(COMPONENT("bead",                                                                  \
			  PLANE "<coordinate name='z' unit='1' flow='vz'/>"                        \
				"<lagrangian>(vx^2 + vy^2 + vz^2)/2 - z</lagrangian>"              \
				"<constraint name='bowl' kind='position'>z - (x^2 + "              \
				"y^2)^2</constraint>"                                              \
				"<symmetry name='rotation'><generator on='x'>-y</generator>"       \
				"<generator on='y'>x</generator></symmetry>"                       \
				"<symmetry name='lift'><generator "                                \
				"on='z'>1</generator></symmetry>") "<bead id='B' x='0.8' "         \
								   "vy='0.7' z='0.4096'/>")

START_TEST(constraints)
{
	static const char *const schemes[] = {"dirac+", "dirac-", "gauss1", "gauss2", "gauss3"};
	check_rows(DISK, schemes, 5);
	check_rows(KNIFE, schemes, 5);
}
END_TEST

START_TEST(position_constraints)
{
	static const char *const schemes[] = {"gauss1", "gauss2"};
	for (size_t i = 0; i < 2; i++) {
		model m = model_of_text(BEAD);
		bxt_summary s;
		bxt_run_def def = run_with(schemes[i], NULL, 0.05, 5);
		def.record = "energy";
		bxt_table *t = model_run(&m, &def, &s);
		ck_assert_str_eq(s.symmetry[0].path, "B.rotation");
		ck_assert_double_le(s.symmetry[0].residual, ROUND_OFF);
		/* A xi = 0: no impulse turns it; but each displacement onto the bowl is one of q
		 * alone, along which p is not parallel */
		ck_assert_double_eq_tol(s.symmetry[0].end - s.symmetry[0].start,
					s.symmetry[0].constraints, 1e-12);
		ck_assert_double_le(fabs(s.symmetry[0].constraints), 1e-3);
		/* gravity takes z, which is no symmetry: dL/dz = -1 */
		ck_assert_double_eq_tol(s.symmetry[1].residual, 0.05, 1e-12);
		bxt_table_free(t);
		bxt_summary_free(&s);
		model_free(&m);
	}
}
END_TEST

/* Every symmetry's balance is round-off. */
static void check_balances(const char *xml, bxt_run_def def)
{
	model m = model_of_text(xml);
	bxt_summary s;
	def.record = "energy";
	bxt_table *t = model_run(&m, &def, &s);
	ck_assert_uint_ge(s.n_symmetry, 1);
	for (size_t k = 0; k < s.n_symmetry; k++)
		ck_assert_msg(s.symmetry[k].residual <= ROUND_OFF * s.symmetry[k].scale,
			      "%s with %s: %g", s.symmetry[k].path, def.scheme,
			      s.symmetry[k].residual);
	bxt_table_free(t);
	bxt_summary_free(&s);
	model_free(&m);
}

/* Subsystems with rules of their own, beside a discrete Lagrangian and forces that are written. */
#define MIXTURE                                                                                    \
	NETLIST(COMPONENT("trough",                                                                \
			  PLANE "<lagrangian>(vx^2 + vy^2)/2 - (x^2 + y^2)*(x^2 + y^2 - 1)^2"      \
				"</lagrangian><rayleigh>0.1*(x^2 + y^2)*(vx^2 + vy^2)</rayleigh>") \
			COMPONENT("written", PLANE                                                 \
				  "<lagrangian>(vx^2 + vy^2)/2 - (x^2 + y^2)/2</lagrangian>"       \
				  "<rayleigh>0.1*(vx^2 + vy^2)</rayleigh><discrete-lagrangian>"    \
				  "h*(((x@1 - x@0)/h)^2 + ((y@1 - y@0)/h)^2)/2 - "                 \
				  "h*((x@0 + x@1)^2 + (y@0 + y@1)^2)/8</discrete-lagrangian>"      \
				  "<discrete-force on='x' at='0'>-0.1*(x@1 - x@0)"                 \
				  "</discrete-force><discrete-force on='x' at='1'>"                \
				  "-0.1*(x@1 - x@0)</discrete-force>"                              \
				  "<discrete-force on='y' at='0'>-0.1*(y@1 - y@0)"                 \
				  "</discrete-force><discrete-force on='y' at='1'>"                \
				  "-0.1*(y@1 - y@0)</discrete-force>")                             \
				COMPONENT(                                                         \
					"pull",                                                    \
					"<binding name='a' component='trough'/>"                   \
					"<binding name='b' component='written'/>"                  \
					"<lagrangian>-((a.x - b.x)^2 + (a.y - b.y)^2)/2"           \
					"</lagrangian><rayleigh>0.03*((a.vx - b.vx)^2 + "          \
					"(a.vy - b.vy)^2)</rayleigh>") "<subsystem id='s' "        \
								       "rule='trapezoid'><trough " \
								       "id='P' y='1.1' vx='0.5'/>" \
								       "<symmetry "                \
								       "id='turn'><generator "     \
								       "on='P.x'>-P.y</generator>" \
								       "<generator "               \
								       "on='P.y'>P.x</"            \
								       "generator></symmetry></"   \
								       "subsystem>"                \
								       "<trough id='P' y='1.1' "   \
								       "vx='0.5'/><written "       \
								       "id='W' x='1' vy='0.3'/>"   \
								       "<pull id='K' a='P' "       \
								       "b='W'/>"                   \
								       "<symmetry "                \
								       "id='both'><generator "     \
								       "on='P.x'>-P.y</generator>" \
								       "<generator "               \
								       "on='P.y'>P.x</"            \
								       "generator><generator "     \
								       "on='W.x'>-W.y</generator>" \
								       "<generator "               \
								       "on='W.y'>W.x</"            \
								       "generator></symmetry>")

START_TEST(mixed_rules)
{
	static const char *const force_rules[] = {NULL, "trapezoid", "rectangle"};
	for (int minus = 0; minus < 2; minus++)
		for (int k = 0; k < 3; k++) {
			bxt_run_def def = run_with(minus ? "dirac-" : "dirac+", "simpson", 0.05, 5);
			def.force_rule = force_rules[k];
			check_balances(MIXTURE, def);
			check_balances(QUARTIC, def);
		}
	check_balances(MIXTURE, run_with("gauss2", NULL, 0.05, 5));
}
END_TEST

/* Branches without mass: the balance along a mesh is its voltage law, that along a branch its own.
 */
START_TEST(circuit)
{
	static const char xml[] = NETLIST(
		"<voltage-source id='V' p='a' n='0' e='=sin(3*t)'/>"
		"<resistor id='R' p='a' n='b' R='0.5'/><inductor id='L' p='b' n='0' L='0.7' "
		"i='0.3'/>"
		"<symmetry id='mesh'><generator on='V.q'>-1</generator>"
		"<generator on='R.q'>1</generator><generator on='L.q'>1</generator></symmetry>"
		"<symmetry id='coil'><generator on='L.q'>1</generator></symmetry>");
	static const char *const schemes[] = {"dirac+", "gauss1", "gauss3"};
	for (size_t i = 0; i < 3; i++)
		check_balances(xml, run_with(schemes[i], NULL, 0.05, 5));
	model m = model_of_text(xml);
	bxt_summary s;
	const bxt_run_def def = run_with("gauss2", NULL, 0.05, 5);
	bxt_table *t = model_run(&m, &def, &s);
	/* potentials of nodes cancel around the mesh */
	ck_assert_double_le(fabs(s.symmetry[0].constraints), 100 * ROUND_OFF);
	ck_assert_double_ge(fabs(s.symmetry[1].constraints), 1e-2);
	bxt_table_free(t);
	bxt_summary_free(&s);
	model_free(&m);
}
END_TEST

/* No mass at all: J = alpha(q).xi(q) of momenta that are only computed. */
START_TEST(vortices)
{
	static const char xml[] = NETLIST(COMPONENT(
		"pair",
		"<coordinate name='x' unit='1' flow='vx'/><coordinate name='y' unit='1' flow='vy'/>"
		"<coordinate name='u' unit='1' flow='vu'/><coordinate name='w' unit='1' flow='vw'/>"
		"<lagrangian>(x*vy - y*vx)/2 + (u*vw - w*vu) - log((x - u)^2 + (y - w)^2)/2"
		"</lagrangian>"
		"<symmetry name='turn'><generator on='x'>-y</generator><generator "
		"on='y'>x</generator>"
		"<generator on='u'>-w</generator><generator on='w'>u</generator></symmetry>"
		"<symmetry name='shift'><generator on='x'>1</generator>"
		"<generator on='u'>1</generator></symmetry>") "<pair id='P' x='1' y='0.3' "
							      "u='-0.4'/>");
	static const char *const schemes[] = {"gauss1", "gauss2", "gauss3"};
	for (size_t i = 0; i < 3; i++)
		check_balances(xml, run_with(schemes[i], NULL, 0.1, 10));
}
END_TEST

/* ---- DL, Example 3 ---- */

#define POLAR                                                                                      \
	NETLIST(COMPONENT(                                                                         \
		"polar",                                                                           \
		"<coordinate name='r' unit='m' flow='u'/><coordinate name='a' unit='rad' "         \
		"flow='w'/>"                                                                       \
		"<lagrangian>(u^2 + r^2*w^2)/2 - r^2*(r^2 - 1)^2</lagrangian>"                     \
		"<discrete-lagrangian>h/2*((r@1 - r@0)/h)^2 + h/2*((r@0 + r@1)/2)^2*((a@1 - "      \
		"a@0)/h)^2"                                                                        \
		" - h*((r@0 + r@1)/2)^2*(((r@0 + r@1)/2)^2 - 1)^2</discrete-lagrangian>"           \
		"<discrete-force on='r' at='0'>0.02*(r@0 + r@1)*sin(a@0 + a@1)</discrete-force>"   \
		"<discrete-force on='r' at='1'>-0.02*(r@0 + r@1)*sin(a@0 + a@1)</discrete-force>"  \
		"<discrete-force on='a' at='0'>0.01*(r@0 + r@1)^2*cos(a@0 + a@1)</discrete-force>" \
		"<discrete-force on='a' at='1'>-0.01*(r@0 + r@1)^2*cos(a@0 + a@1)"                 \
		"</discrete-force>"                                                                \
		"<symmetry name='rotation'><generator on='a'>1</generator></symmetry>") "<polar "  \
											"id='P' "  \
											"r='1.1' " \
											"w='0.4'/" \
											">")

/* R_d = F(r_1, r_2, theta_1 + theta_2) does no work along the rotation: (112) is kept. */
START_TEST(polar_momentum)
{
	for (int minus = 0; minus < 2; minus++) {
		const bxt_symmetry_entry e =
			account(POLAR, run_with(minus ? "dirac-" : "dirac+", NULL, 0.1, 100));
		ck_assert_double_eq_tol(e.start, 0.484, 1e-15);
		ck_assert_double_eq_tol(e.end, 0.484, 1e-12); /* 1000 steps of round-off */
		ck_assert_double_le(e.residual, ROUND_OFF);
		ck_assert_double_le(fabs(e.forces), 1e-12);
	}
}
END_TEST

/* ---- Verification ---- */

#define RADIAL                                                                                     \
	"<force on='x'>-0.1*x*(x*vx + y*vy + z*vz)</force>"                                        \
	"<force on='y'>-0.1*y*(x*vx + y*vy + z*vz)</force>"                                        \
	"<force on='z'>-0.1*z*(x*vx + y*vy + z*vz)</force>"
#define RX                                                                                         \
	"<symmetry name='rx'><generator on='y'>-z</generator><generator on='z'>y</generator>"      \
	"</symmetry>"
#define RY                                                                                         \
	"<symmetry name='ry'><generator on='z'>-x</generator><generator on='x'>z</generator>"      \
	"</symmetry>"
#define RZ                                                                                         \
	"<symmetry name='rz'><generator on='x'>-y</generator><generator on='y'>x</generator>"      \
	"</symmetry>"
#define SPACE(more)                                                                                \
	NETLIST(COMPONENT("particle",                                                              \
			  PLANE "<coordinate name='z' unit='1' flow='vz'/>"                        \
				"<lagrangian>(vx^2 + vy^2 + vz^2)/2 - (x^2 + y^2 + z^2 - 1)^2"     \
				"</lagrangian>" more) "<particle id='P' x='0.8' vy='1.2' "         \
						      "vz='0.3'/>")

static bxt_verification *verify(const char *xml, const char *scheme)
{
	model m = model_of_text(xml);
	bxt_verification *v = NULL;
	bxt_verify_def def;
	bxt_default_verify_def(&def);
	def.run.scheme = scheme;
	def.run.step = 0.05;
	def.run.end = 1;
	ck_assert_int_eq(bxt_verify(m.system, &def, m.findings, &v), BXT_OK);
	model_free(&m);
	return v;
}

/* The check of that name, NULL for none. */
static const bxt_verify_check *check_of(const bxt_verification *v, const char *name)
{
	for (size_t i = 0; i < v->n; i++)
		if (strcmp(v->checks[i].name, name) == 0)
			return &v->checks[i];
	return NULL;
}

static void expect(const bxt_verification *v, const char *name, bool passed, const char *words)
{
	const bxt_verify_check *c = check_of(v, name);
	ck_assert_msg(c && c->passed == passed && strstr(c->text, words), "%s: %s", name,
		      c ? c->text : "no such check");
}

static const char *const schemes_of_verify[] = {"gauss2", "dirac+", "dirac-"};

/* Theorem 3 on so(3): a force along the radius respects all rotations, and their brackets close. */
START_TEST(rotations_close)
{
	for (size_t i = 0; i < 3; i++) {
		bxt_verification *v = verify(SPACE(RADIAL RX RY RZ), schemes_of_verify[i]);
		ck_assert(v->passed);
		expect(v, "symmetry P.rx: L is invariant", true, "2 coordinates");
		expect(v, "symmetry P.ry: forces", true, "nor change under it");
		expect(v, "symmetries: [P.rx, P.ry]", true, "= -P.rz");
		expect(v, "symmetries: [P.rx, P.rz]", true, "= P.ry");
		expect(v, "symmetries: [P.ry, P.rz]", true, "= -P.rx");
		bxt_verification_free(v);
		/* what two of them make is known, though nobody declared it */
		v = verify(SPACE(RADIAL RX RY), schemes_of_verify[i]);
		ck_assert(v->passed);
		expect(v, "symmetries: [P.rx, P.ry]", true, "one more, none of those declared");
		bxt_verification_free(v);
	}
}
END_TEST

/* Drag along x alone: it respects the rotation about x, works along the others, no fault of L. */
START_TEST(a_force_breaks_one)
{
	bxt_verification *v = verify(SPACE("<force on='x'>-0.2*vx</force>" RX RY RZ), "dirac+");
	ck_assert(v->passed);
	expect(v, "symmetry P.rx: forces", true, "nor change under it");
	expect(v, "symmetry P.ry: forces", true, "J changes by f_d(xi)");
	expect(v, "symmetry P.rz: forces", true, "J changes by f_d(xi)");
	ck_assert_ptr_null(check_of(v, "symmetries: [P.rx, P.ry]"));
	bxt_verification_free(v);
	/* no work along the rotation about x, but a force that is not the same everywhere on it */
	v = verify(SPACE("<force on='x'>-0.2*y*vx</force>" RX RY RZ), "gauss1");
	ck_assert(v->passed);
	expect(v, "symmetry P.rx: forces", true, "and change under it");
	bxt_verification_free(v);
	/* DL, Example 3: R_d depends on theta_1 + theta_2, f_d(xi) = 0 all the same */
	v = verify(POLAR, "dirac+");
	ck_assert(v->passed);
	expect(v, "symmetry P.rotation: forces", true, "and change under it");
	bxt_verification_free(v);
}
END_TEST

START_TEST(no_symmetry)
{
	bxt_verification *v =
		verify(NETLIST(COMPONENT("planet", PLANE
					 "<lagrangian>(vx^2 + vy^2)/2 + 1/sqrt(x^2 + 1.001*y^2)"
					 "</lagrangian>" ROTATION) "<planet id='P' x='0.8' "
								   "y='0.1' vy='1.2'/>"),
		       "dirac+");
	ck_assert(!v->passed);
	expect(v, "symmetry P.rotation: L is invariant", false, "2 coordinates");
	expect(v, "symmetry P.rotation: L_d is invariant", false, "of a step");
	bxt_verification_free(v);
	/* a translation in polar coordinates: it leaves L invariant, the midpoint rule does not
	 * know what a straight line is */
	static const char polar[] = NETLIST(COMPONENT(
		"free",
		"<coordinate name='r' unit='1' flow='u'/><coordinate name='a' unit='1' flow='w'/>"
		"<lagrangian>(u^2 + r^2*w^2)/2</lagrangian>"
		"<symmetry name='shift'><generator on='r'>cos(a)</generator>"
		"<generator on='a'>-sin(a)/r</generator>"
		"</symmetry>") "<free id='P' r='1' a='0.3' w='0.7' u='0.2'/>");
	v = verify(polar, "dirac+");
	ck_assert(!v->passed);
	expect(v, "symmetry P.shift: L is invariant", true, "not affine");
	expect(v, "symmetry P.shift: L_d is invariant", false, "of a step");
	bxt_verification_free(v);
	v = verify(polar, "gauss2"); /* whose balance is a quadrature here, which is no check */
	ck_assert(v->passed);
	ck_assert_ptr_null(check_of(v, "symmetry P.shift: balance of a step"));
	bxt_verification_free(v);
}
END_TEST

TEST_SUITE("symmetry")
{
	const test_case tests[] = {
		{"kepler_rotation", kepler_rotation, .slow = true},
		{"damped_quartic", damped_quartic},
		{"records", records},
		{"chain_translation", chain_translation},
		{"torn_pair", torn_pair},
		{"constraints", constraints},
		{"position_constraints", position_constraints},
		{"mixed_rules", mixed_rules},
		{"circuit", circuit},
		{"vortices", vortices},
		{"polar_momentum", polar_momentum},
		{"rotations_close", rotations_close},
		{"a_force_breaks_one", a_force_breaks_one},
		{"no_symmetry", no_symmetry},
	};
	ADD_TESTS(tests);
}
