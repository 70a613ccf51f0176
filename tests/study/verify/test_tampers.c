/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every check of verify can fail. Each row of bxt_check_rows has a tamper: a model that is not
 * what the theory says, two models that differ, or a fault in what the check computes with, put
 * between verify and the function that it calls (the linker's --wrap). A check without a tamper,
 * a tamper without a check, and a check of a name that is not listed fail the test.
 */
#include "model/system/fused.h"
#include "model/system/switch_values.h"
#include "model/system/symmetry.h"
#include "motion/methods/contacts.h"
#include "motion/methods/legendre.h"
#include "run/account/grid_point.h"
#include "study/verify/verify_internal.h"
#include "support/runner.h"
#include "support/verify_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Faults ---- */

enum fault {
	NO_FAULT,
	NULL_VALUES, /* of the n-th null space: its vectors turn */
	NULL_LESS,   /* one vector is lost */
	NULL_MORE,   /* a vector too many */
	DEPENDENCY,  /* the n-th search for dependent rows finds one less, or one that is none */
	SOLUTION,    /* the n-th unknown of every step that is solved is off */
	RESULT,      /* momenta and positions after a step are off */
	START,       /* gamma^- of every step, */
	END,         /* gamma^+ */
	ACTION,      /* and L_d, each time otherwise */
	FIELD,       /* the n-th vector field has another slope */
	BEYOND,      /* row n / n_x of a step also depends on unknown n % n_x */
	LASTING,     /* no switch ever changes */
	FIRST_SET,   /* of contacts in a step */
	IMPULSE,     /* the n-th impulse of every jump is off */
	BOUNCE,      /* flows after a jump are off */
};

static struct {
	enum fault what;
	long n, calls;
} armed;

static bool is_now(enum fault what)
{
	return armed.what == what && armed.calls++ == armed.n;
}

/* The linker's names for the real functions. */
bxt_status __real_bxt_sparse_null_space(bxt_arena *arena, const bxt_sparse *a, double tol,
					bxt_sparse *out);
bxt_status __wrap_bxt_sparse_null_space(bxt_arena *arena, const bxt_sparse *a, double tol,
					bxt_sparse *out);
bxt_status __real_bxt_dependent_rows(bxt_arena *arena, const bxt_sparse *a, double tol,
				     bxt_sparse *y, bool *dropped);
bxt_status __wrap_bxt_dependent_rows(bxt_arena *arena, const bxt_sparse *a, double tol,
				     bxt_sparse *y, bool *dropped);
bxt_status __real_bxt_stepper_solve(bxt_stepper *st, const bxt_state *state, double h);
bxt_status __wrap_bxt_stepper_solve(bxt_stepper *st, const bxt_state *state, double h);
bxt_status __real_bxt_stepper_advance(bxt_stepper *st, bxt_state *state, double t_next);
bxt_status __wrap_bxt_stepper_advance(bxt_stepper *st, bxt_state *state, double t_next);
void __real_bxt_legendre_at(bxt_legendre *l, const double *q, const double *v, double t, double h);
void __wrap_bxt_legendre_at(bxt_legendre *l, const double *q, const double *v, double t, double h);
void __real_bxt_vector_field_evaluate(bxt_vector_field *v, const double *q, double *xi,
				      double *slopes);
void __wrap_bxt_vector_field_evaluate(bxt_vector_field *v, const double *q, double *xi,
				      double *slopes);

double __real_bxt_switch_margin(const bxt_switch_values *v, int k, bxt_switch_state *next);
bxt_status __wrap_bxt_contacts_settle(bxt_contacts *c, const double *x, const double *w,
				      bool *again);
bxt_status __real_bxt_contacts_settle(bxt_contacts *c, const double *x, const double *w,
				      bool *again);
double __wrap_bxt_switch_margin(const bxt_switch_values *v, int k, bxt_switch_state *next);
bxt_status __real_bxt_grid_point_project(bxt_grid_point *g, bxt_state *state, const double *target,
					 double *x);
bxt_status __wrap_bxt_grid_point_project(bxt_grid_point *g, bxt_state *state, const double *target,
					 double *x);

/* With a last column that is a unit vector. */
static bxt_status add_column(bxt_arena *arena, bxt_sparse *z)
{
	const size_t nnz = (size_t)bxt_sparse_nnz(z);
	bxt_sparse more = {z->nrow, z->ncol + 1, BXT_NEW(arena, int, (size_t)z->ncol + 2),
			   BXT_NEW(arena, int, nnz + 1), BXT_NEW(arena, double, nnz + 1)};
	if (!more.colptr || !more.rowind || !more.values)
		return BXT_ERR_MEMORY;
	memcpy(more.colptr, z->colptr, ((size_t)z->ncol + 1) * sizeof *z->colptr);
	if (nnz > 0) {
		memcpy(more.rowind, z->rowind, nnz * sizeof *z->rowind);
		memcpy(more.values, z->values, nnz * sizeof *z->values);
	}
	more.colptr[z->ncol + 1] = (int)nnz + 1;
	more.values[nnz] = 1;
	*z = more;
	return BXT_OK;
}

bxt_status __wrap_bxt_sparse_null_space(bxt_arena *arena, const bxt_sparse *a, double tol,
					bxt_sparse *out)
{
	const bxt_status status = __real_bxt_sparse_null_space(arena, a, tol, out);
	if (status != BXT_OK)
		return status;
	/* the least that is to be seen: 1e-6 of an entry of each vector */
	if (is_now(NULL_VALUES))
		for (int j = 0; j < out->ncol; j++)
			if (out->colptr[j + 1] - out->colptr[j] > 1)
				out->values[out->colptr[j]] *= 1 + 1e-6;
	if (is_now(NULL_LESS) && out->ncol > 0)
		out->ncol--;
	if (is_now(NULL_MORE) && out->nrow > 0)
		return add_column(arena, out);
	return BXT_OK;
}

bxt_status __wrap_bxt_dependent_rows(bxt_arena *arena, const bxt_sparse *a, double tol,
				     bxt_sparse *y, bool *dropped)
{
	const bxt_status status = __real_bxt_dependent_rows(arena, a, tol, y, dropped);
	if (status != BXT_OK || !is_now(DEPENDENCY))
		return status;
	if (y->ncol == 0)
		return y->nrow > 0 ? add_column(arena, y) : BXT_OK;
	y->ncol--;
	return BXT_OK;
}

static bool has_entry(const bxt_sparse *p, int row, int col)
{
	for (int k = p->colptr[col]; k < p->colptr[col + 1]; k++)
		if (p->rowind[k] == row)
			return true;
	return false;
}

/* Where the pattern has an entry nothing is changed. */
static void residual_beyond(void *stepper, const double *x, double *r, double *r_abs)
{
	const bxt_stepper *st = stepper;
	const int row = (int)(armed.n / st->n_x), col = (int)(armed.n % st->n_x);
	bxt_stepper_residual(stepper, x, r, r_abs);
	if (armed.what == BEYOND && row < st->n_x && !has_entry(&st->pattern, row, col))
		r[row] += x[col];
}

bxt_status __wrap_bxt_stepper_solve(bxt_stepper *st, const bxt_state *state, double h)
{
	const bxt_status status = __real_bxt_stepper_solve(st, state, h);
	if (status == BXT_OK && armed.what == SOLUTION && armed.n < st->n_x)
		st->x[armed.n] = st->x[armed.n] * (1 + 1e-6) + 1e-9;
	if (status == BXT_OK && armed.what == BEYOND)
		st->equations.residual = residual_beyond;
	return status;
}

bxt_status __wrap_bxt_stepper_advance(bxt_stepper *st, bxt_state *state, double t_next)
{
	const bxt_status status = __real_bxt_stepper_advance(st, state, t_next);
	if (status == BXT_OK && armed.what == RESULT)
		for (int i = 0; i < st->system->n; i++) {
			state->q[i] *= 1 + 1e-6 * i;
			state->p[i] *= 1 + 1e-6;
		}
	return status;
}

void __wrap_bxt_legendre_at(bxt_legendre *l, const double *q, const double *v, double t, double h)
{
	__real_bxt_legendre_at(l, q, v, t, h);
	for (int i = 0; i < l->system->n; i++) {
		l->start[i] *= armed.what == START ? 1 + 1e-5 : 1;
		l->end[i] *= armed.what == END ? 1 + 1e-5 : 1;
	}
	if (armed.what == ACTION)
		l->action *= 1 + 1e-4 * sin((double)armed.calls++);
}

void __wrap_bxt_vector_field_evaluate(bxt_vector_field *v, const double *q, double *xi,
				      double *slopes)
{
	__real_bxt_vector_field_evaluate(v, q, xi, slopes);
	if (slopes && v->field->n_slope > 0 && is_now(FIELD))
		slopes[0] *= 1 + 1e-3;
}

bxt_status __wrap_bxt_contacts_settle(bxt_contacts *c, const double *x, const double *w,
				      bool *again)
{
	const bxt_status status = __real_bxt_contacts_settle(c, x, w, again);
	*again = *again && armed.what != FIRST_SET;
	return status;
}

double __wrap_bxt_switch_margin(const bxt_switch_values *v, int k, bxt_switch_state *next)
{
	const double margin = __real_bxt_switch_margin(v, k, next);
	return armed.what == LASTING ? INFINITY : margin;
}

bxt_status __wrap_bxt_grid_point_project(bxt_grid_point *g, bxt_state *state, const double *target,
					 double *x)
{
	const bxt_status status = __real_bxt_grid_point_project(g, state, target, x);
	const bxt_system *s = g->values->system;
	if (status == BXT_OK && armed.what == IMPULSE && s->n + armed.n < s->spare)
		x[s->n + armed.n] *= 1 + 1e-6;
	for (int i = 0; i < s->n && status == BXT_OK && armed.what == BOUNCE; i++)
		x[i] *= 1 + 1e-6;
	return status;
}

/* ---- Models ---- */

#define SIMULATION "<simulation step=\"0.01 s\" end=\"0.05 s\"/>"
#define COMPONENT(name, body)                                                                      \
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"" name "\" domain=\"test\">" body    \
	"</component>"
#define PLANE                                                                                      \
	"<coordinate name=\"x\" unit=\"1\" flow=\"vx\"/><coordinate name=\"y\" unit=\"1\" "        \
	"flow=\"vy\"/>"

/* Two parts and what joins them: a resistor takes what a charge gives. */
#define PARTS(elements, rows)                                                                      \
	NETLIST(SIMULATION                                                                         \
		"<subsystem id=\"x\"><resistor id=\"R1\" p=\"a\" n=\"0\" R=\"1 ohm\"/>"            \
		"<capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"1 F\" q=\"1 C\"/>"                       \
		"<port id=\"s\" node=\"a\"/></subsystem>"                                          \
		"<subsystem id=\"y\"><inductor id=\"L1\" p=\"a\" n=\"0\" L=\"1 H\"/>" elements     \
		"<port id=\"s\" node=\"a\"/></subsystem>"                                          \
		"<interconnection>" rows "</interconnection>")
static const char joined[] = PARTS("", "<connect id=\"c1\" a=\"x.s\" b=\"y.s\"/>");
static const char reversed[] = PARTS("", "<sigma id=\"c1\">x.s.i - y.s.i</sigma>");
static const char turned[] = PARTS("", "<sigma id=\"c1\">x.s.i + 1.000001*y.s.i</sigma>");
static const char twice[] = PARTS("", "<sigma id=\"t1\">x.s.i - 2*y.s.i</sigma>"
				      "<sigma id=\"t2\">-2*x.s.i + 4*y.s.i</sigma>");
static const char conductance[] = NETLIST(SIMULATION "<conductance id=\"R1\" p=\"a\" n=\"b\" "
						     "G=\"1 S\"/><capacitor id=\"C1\" p=\"a\" "
						     "n=\"b\" C=\"1 F\"/>");
static const char one_more[] = PARTS("<capacitor id=\"C2\" p=\"a\" n=\"0\" C=\"1 F\"/>",
				     "<connect id=\"c1\" a=\"x.s\" b=\"y.s\"/>");

#define LOOSE(ohms)                                                                                \
	NETLIST(SIMULATION "<resistor id=\"R1\" p=\"a\" n=\"b\" R=\"" ohms " ohm\"/>"              \
			   "<capacitor id=\"C1\" p=\"a\" n=\"b\" C=\"1 F\"/>")

/* Rows that are parallel at the start, or, with another slope, nowhere. */
#define ROWS(slope)                                                                                \
	NETLIST(SIMULATION COMPONENT(                                                              \
		"pair", PLANE "<coordinate name=\"z\" unit=\"1\" flow=\"vz\"/>"                    \
			      "<lagrangian>(vx^2 + vy^2 + vz^2)/2 - z^2</lagrangian>"              \
			      "<constraint name=\"roll\" kind=\"flow\">vx + y*vz</constraint>"     \
			      "<constraint name=\"slide\" kind=\"flow\">vx - (" slope              \
			      " + z)*vy</constraint>") "<pair id=\"P4\"/>")

#define GYRATOR(sign)                                                                              \
	NETLIST(SIMULATION COMPONENT("turn", PLANE                                                 \
				     "<lagrangian>(vx^2 + vy^2 - x^2 - 2*y^2)/2</lagrangian>"      \
				     "<force on=\"x\">-0.5*vy</force><force on=\"y\">" sign        \
				     "0.5*vx</force>") "<turn id=\"G7\" x=\"1\"/>")

/* A point in the plane, with forces, and what is said of it. */
#define POINT(potential, more)                                                                     \
	NETLIST(SIMULATION COMPONENT(                                                              \
		"point",                                                                           \
		PLANE "<lagrangian>(vx^2 + vy^2)/2 - " potential                                   \
		      "</lagrangian>" more) "<point id=\"P\" x=\"0.8\" y=\"0.1\" vy=\"1.2\"/>")
#define ROTATION                                                                                   \
	"<symmetry name=\"turn\"><generator on=\"x\">-y</generator><generator "                    \
	"on=\"y\">x</generator></symmetry>"
#define ROUND "(x^2 + y^2 - 1)^2"
#define DAMPED "<rayleigh>0.05*(vx^2 + vy^2)</rayleigh>"

/* A point in space with a force along the radius, which respects all rotations. */
#define TURN(name, a, b, w)                                                                        \
	"<symmetry name=\"" name "\"><generator on=\"" a "\">-" w "*" b "</generator><generator "  \
	"on=\"" b "\">" w "*" a "</generator></symmetry>"
#define SPACE(more)                                                                                \
	NETLIST(SIMULATION COMPONENT("particle",                                                   \
				     PLANE "<coordinate name=\"z\" unit=\"1\" flow=\"vz\"/>"       \
					   "<lagrangian>(vx^2 + vy^2 + vz^2)/2</lagrangian>"       \
					   "<force on=\"x\">-0.1*x*(x*vx + y*vy + z*vz)</force>"   \
					   "<force on=\"y\">-0.1*y*(x*vx + y*vy + z*vz)</force>"   \
					   "<force on=\"z\">-0.1*z*(x*vx + y*vy + "                \
					   "z*vz)</force>" more) "<particle id=\"P\" x=\"0.8\" "   \
								 "vy=\"1.2\" vz=\"0.3\"/>")
#define TURNS(n, w) TURN("rx" n, "y", "z", w) TURN("ry" n, "z", "x", w) TURN("rz" n, "x", "y", w)
static const char rotations[] = SPACE(TURNS("", "1"));
static const char many_rotations[] = SPACE(TURNS("1", "1") TURNS("2", "2") TURNS("3", "3"));

#define OSCILLATOR_AT(at)                                                                          \
	NETLIST(SIMULATION "<mass id=\"M\" a=\"m\" m=\"1.3\"/>"                                    \
			   "<spring id=\"K\" a=\"wall\" b=\"m\" k=\"2.1\"/>"                       \
			   "<node id=\"m\" kind=\"translational\" x=\"" at "\" v=\"0.4\"/>")
#define OSCILLATOR OSCILLATOR_AT("0.7")
static const char MASSLESS[] = NETLIST(SIMULATION COMPONENT(
	"whirl", PLANE "<lagrangian>x*vy - (x^2 + 2*y^2)/2</lagrangian>") "<whirl id=\"W\" "
									  "x=\"0.8\" y=\"0.3\"/>");
#define PORTS(b)                                                                                   \
	NETLIST(SIMULATION COMPONENT(                                                              \
		"part",                                                                            \
		"<port name=\"a\" kind=\"translational\"/><port name=\"b\" "                       \
		"kind=\"translational\"/><port-hamiltonian><state name=\"q\" "                     \
		"unit=\"m\"/><state name=\"p\" unit=\"N.s\"/><hamiltonian>p^2/2 + "                \
		"q^4/4</hamiltonian><structure>0, 2; -2, 0</structure>"                            \
		"<input port=\"a\">1; 0</input><input port=\"b\">" b "</input>"                    \
		"</port-hamiltonian>") "<part id=\"P\" a=\"m\" b=\"n\" q=\"0.8\"/>"                \
				       "<mass id=\"M\" a=\"m\" m=\"2 kg\"/><mass id=\"N\" "        \
				       "a=\"n\" m=\"2 kg\"/>")
static const char PORT[] = NETLIST(SIMULATION COMPONENT(
	"part",
	"<port name=\"a\" kind=\"translational\"/><port-hamiltonian>"
	"<state name=\"q\" unit=\"m\"/><state name=\"p\" unit=\"N.s\"/>"
	"<hamiltonian>p^2/2 + q^4/4</hamiltonian><structure>0, 2; -2, 0</structure>"
	"<input port=\"a\">0.5; 1 + q^2</input></port-hamiltonian>") "<part id=\"P\" a=\"m\" "
								     "q=\"0.8\"/><mass id=\"M\" "
								     "a=\"m\" m=\"2 kg\"/>");

#define MASSES(rows)                                                                               \
	NETLIST(SIMULATION "<subsystem id=\"left\"><mass id=\"m\" a=\"a\" m=\"1 kg\"/>"            \
			   "<port id=\"s\" node=\"a\"/></subsystem><subsystem id=\"right\"><mass " \
			   "id=\"m\" a=\"a\" m=\"2 kg\"/><port id=\"s\" node=\"a\"/>"              \
			   "</subsystem><interconnection>" rows "</interconnection>")
#define DRIVEN(law, gain)                                                                          \
	NETLIST(SIMULATION "<mass id=\"M\" a=\"a\" m=\"2 kg\"/><force-actuator id=\"F\" "          \
			   "a=\"wall\" b=\"a\"/>" law "<signal to=\"F.u\">" gain                   \
			   "*node(a).v</signal>")
#define SAMPLED(period)                                                                            \
	COMPONENT("keeper", "<parameter name=\"Ts\" unit=\"s\" default=\"" period "\"/>"           \
			    "<state name=\"u\" unit=\"1\"/><sample period=\"Ts\"/>"                \
			    "<update of=\"u\">u/2</update>")                                       \
	"<keeper id=\"S\" u=\"1\"/>"

/* ---- Tampers ---- */

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

/* A row that is needed is left out in words only. */
static void forget_reference(bxt_system *s)
{
	for (size_t r = 0; r < s->dirac.m; r++)
		s->dirac.row[r].reference = s->dirac.row[r].optional = false;
}

/* A row is left out in words only that the others do not give. */
static void claim_reference(bxt_system *s)
{
	s->dirac.row[0].reference = true;
}

typedef struct tamper {
	const char *check; /* a name of bxt_check_rows */
	const char *xml;   /* what passes */
	const char *other; /* what does not, or is not the same; NULL: the fault is elsewhere */
	const char *words; /* of a note: said of what is tampered with, of nothing else */
	enum fault fault;
	void (*change)(bxt_system *s);
	const char *scheme, *rule; /* the rule is that of what is tampered with */
	bool against, along;       /* other against xml; along a run */
	bool at_start;             /* no random states: one state alone may be at fault */
} tamper;

static const tamper tampers[] = {
	{"D_* = D_*^perp, *", joined, .fault = NULL_VALUES},
	{"D_* = D_*^perp, *", joined, .fault = NULL_LESS},
	{"D_int = D_int^perp", joined, .fault = NULL_VALUES},
	{"D_int = D_int^perp", joined, .fault = DEPENDENCY},
	{"D = D^perp", joined, .fault = NULL_VALUES},
	{"D = D^perp", joined, .fault = NULL_LESS},
	{"D = D^perp", joined, .fault = DEPENDENCY},
	{"(+)D_i [x] D_int = D_Delta, flows", joined, .fault = NULL_VALUES},
	{"(+)D_i [x] D_int = D_Delta, flows", joined, .fault = NULL_LESS},
	{"(+)D_i [x] D_int = D_Delta, efforts", joined, .fault = NULL_VALUES},
	{"(+)D_i [x] D_int = D_Delta, efforts", joined, .fault = NULL_LESS},
	{"rows of Sigma_Q are independent", joined, .other = twice},
	{"rank of all rows", joined, .change = claim_reference},
	{"rank of all rows", LOOSE("1"), .change = forget_reference},
	{"rank of all rows", joined, .fault = DEPENDENCY},
	{"the rank is the same near by", ROWS("1"), .other = ROWS("0")},
	{"step: A v = b", joined, .fault = SOLUTION},
	{"step: A v = b", joined, .fault = SOLUTION, .scheme = "gauss2"},
	{"step: forces of multipliers annihilate Delta", joined, .change = change_port},
	{"step: forces of multipliers annihilate Delta", joined, .fault = SOLUTION},
	{"step: power of D", joined, .change = change_port},
	{"step: power of interconnections", joined, .fault = SOLUTION},
	{"step: Jacobian by differences", joined, .change = change_row},
	{"step: block of each primitive", joined, .fault = NULL_MORE, .at_start = true},
	{"a discrete Rayleigh potential", POINT(ROUND, DAMPED), .other = POINT(ROUND, DAMPED),
	 .words = "it does not exist", .scheme = "dirac+", .rule = "rectangle"},
	{"omega_d* on the (*) step", joined, .other = "nonholonomic-particle.xml",
	 .words = "constraints depend on q", .scheme = "dirac+"},
	{"omega_d* on the (*) step", joined, .other = "nonholonomic-particle.xml",
	 .words = "constraints depend on q", .scheme = "dirac-"},
	{"gyrators do no power", GYRATOR(""), .other = GYRATOR("1.00001*")},
	{"the step is symplectic", OSCILLATOR, .fault = RESULT},
	{"the step is symplectic", OSCILLATOR, .fault = RESULT, .scheme = "dirac+"},
	{"the step is presymplectic", MASSLESS, .fault = RESULT},
	{"port-Hamiltonian parts, open: coisotropic", PORT, .fault = NULL_VALUES},
	{"port-Hamiltonian parts, closed: D = D^perp", PORT, .fault = NULL_VALUES},
	{"port-Hamiltonian parts, closed: D = D^perp", PORT, .fault = NULL_LESS},
	{"port-Hamiltonian parts, closed: B^T dH = 0", PORTS("1; 0"), .other = PORTS("0; 1"),
	 .words = "not coisotropic"},
	{"constraint algorithm: M_0", OSCILLATOR, .other = "nonholonomic-particle.xml",
	 .words = "velocities 1"},
	{"constraint algorithm: M_1", joined, .other = "c-loop.xml", .words = "1 more"},
	{"constraint algorithm: M_2", joined, .other = "c-loop.xml", .words = "M_2 = M_1"},
	{"symmetry *: L is invariant", POINT(ROUND, ROTATION),
	 .other = POINT("(x^2 + 1.001*y^2 - 1)^2", ROTATION)},
	{"symmetry *: L_d is invariant", POINT(ROUND, ROTATION), .fault = RESULT,
	 .scheme = "dirac+"},
	{"symmetry *: balance of a step", POINT(ROUND, ROTATION), .fault = RESULT,
	 .scheme = "gauss2"},
	{"symmetry *: forces", POINT(ROUND, ROTATION), .other = POINT(ROUND, DAMPED ROTATION),
	 .words = "they do work along it"},
	{"symmetries: [*, *]", rotations, .fault = FIELD},
	{"symmetries: brackets of those that forces respect", many_rotations, .fault = FIELD},
	{"bounded rows: complementarity", "bouncing-ball.xml", .fault = LASTING},
	{"bounded rows: complementarity", "stick-slip-belt.xml", .fault = LASTING},
	{"bounded rows: complementarity", "half-wave-rectifier.xml", .fault = LASTING},
	{"bounded rows: complementarity", "bouncing-ball.xml", .fault = RESULT, .scheme = "moreau"},
	{"bounded rows: complementarity", "stick-slip-belt.xml", .fault = FIRST_SET,
	 .scheme = "moreau"},
	{"jumps: p+ = p- + A^T Pi", "bouncing-ball.xml", .fault = IMPULSE},
	{"jumps: p+ = p- + A^T Pi", "newtons-cradle.xml", .fault = IMPULSE},
	{"jumps: restitution and friction", "bouncing-ball.xml", .fault = BOUNCE},
	{"Hamilton-Jacobi: the run", OSCILLATOR, .other = OSCILLATOR, .words = "not judged",
	 .along = true, .rule = "taylor3-gauss2"},
	{"Hamilton-Jacobi: gamma^- = p_j", OSCILLATOR, .fault = START, .along = true},
	{"Hamilton-Jacobi: gamma^+ = p_j+1", OSCILLATOR, .fault = END, .along = true},
	{"Hamilton-Jacobi: flow on Q x Q", OSCILLATOR, .fault = END, .along = true},
	{"Hamilton-Jacobi: dL_d", OSCILLATOR, .fault = ACTION, .along = true},
	{"Hamilton-Jacobi: dL_d", OSCILLATOR, .fault = END, .along = true},
	{"Hamilton-Jacobi: H_d+, H_d-", OSCILLATOR, .other = joined, .words = "not judged",
	 .along = true},
	{"Hamilton-Jacobi: (123a)", OSCILLATOR, .fault = ACTION, .along = true},
	{"Hamilton-Jacobi: (123b)", OSCILLATOR, .fault = ACTION, .along = true},
	{"Hamilton equations: (48a)", OSCILLATOR, .fault = ACTION, .along = true},
	{"Hamilton equations: (48b)", OSCILLATOR, .fault = ACTION, .along = true},
	{"Hamilton equations: (49a)", OSCILLATOR, .fault = ACTION, .along = true},
	{"Hamilton equations: (49b)", OSCILLATOR, .fault = ACTION, .along = true},
	{"same elements", joined, .other = one_more, .against = true},
	{"same components", LOOSE("1"), .other = conductance, .against = true},
	{"same parameters", LOOSE("1"), .other = LOOSE("1.00000001"), .against = true},
	{"same coordinates", MASSES("<connect id=\"c\" a=\"left.s\" b=\"right.s\"/>"),
	 .other = MASSES(""), .against = true},
	{"same distribution", joined, .other = reversed, .against = true},
	{"same distribution", joined, .other = turned, .against = true},
	{"same L, R and forces", GYRATOR(""), .other = GYRATOR("1.00001*"), .against = true},
	{"same start", OSCILLATOR, .other = OSCILLATOR_AT("0.700001"), .against = true},
	{"same signals", DRIVEN("", "-0.4"), .other = DRIVEN("", "-0.4001"), .against = true},
	{"same samples", DRIVEN(SAMPLED("0.02 s"), "-0.4"),
	 .other = DRIVEN(SAMPLED("0.03 s"), "-0.4"), .against = true},
};
enum { TAMPERS = sizeof tampers / sizeof *tampers, MOST_CALLS = 200 };

/* ---- The test ---- */

/* Is the name what the pattern says, with anything for each *? */
static bool is_like(const char *name, const char *pattern)
{
	if (*pattern == '*')
		return is_like(name, pattern + 1) || (*name && is_like(name + 1, pattern));
	return *name == *pattern && (*name == '\0' || is_like(name + 1, pattern + 1));
}

static model model_of(const char *xml)
{
	return *xml == '<' ? model_of_text(xml) : model_of_file(xml);
}

static bxt_verification *verify(const tamper *t, model *m, model *other)
{
	bxt_verify_def def;
	bxt_default_verify_def(&def);
	bxt_verification *v = NULL;
	def.hamilton_jacobi = t->along;
	def.run.scheme = t->along ? "dirac+" : t->scheme;
	def.run.rule = other ? t->rule : NULL;
	def.states = t->at_start ? 0 : 3;
	const bxt_status status =
		other && t->against
			? bxt_verify_against(m->system, other->system, &def, m->findings, &v)
			: bxt_verify(other ? other->system : m->system, &def, m->findings, &v);
	ck_assert(status == BXT_OK || armed.what != NO_FAULT);
	return v;
}

/* Does a check of that name fail; does a note say that? */
static bool fails(const tamper *t, const bxt_verification *v)
{
	for (size_t i = 0; v && i < v->n; i++) {
		const bxt_verify_check *c = &v->checks[i];
		if (!is_like(c->name, t->check))
			continue;
		if (c->note ? (t->words ? strstr(c->text, t->words) != NULL : c->figure > 1e-7)
			    : !c->passed)
			return true;
	}
	return false;
}

static bool fails_once(const tamper *t, model *m, model *other)
{
	bxt_verification *v = verify(t, m, other);
	const bool failed = fails(t, v);
	bxt_verification_free(v);
	return failed;
}

/* The fault at each call in turn, until the check sees it. */
static bool fails_somewhere(const tamper *t, model *m)
{
	bool failed = false;
	for (long n = 0; n < MOST_CALLS && !failed; n++) {
		armed.what = t->fault;
		armed.n = n;
		armed.calls = 0;
		failed = fails_once(t, m, m);
		armed.what = NO_FAULT;
	}
	return failed;
}

static void check_tamper(const tamper *t)
{
	model m = model_of(t->xml);
	model other = model_of(t->other ? t->other : t->xml);
	/* against itself nothing differs */
	ck_assert_msg(!(t->against ? fails_once(t, &m, &m) : fails_once(t, &m, NULL)),
		      "'%s' fails without a tamper", t->check);
	if (t->change) {
		bxt_fused_release(other.system); /* copies of what is changed */
		t->change(other.system);
	}
	ck_assert_msg(t->fault ? fails_somewhere(t, &other) : fails_once(t, &m, &other),
		      "'%s' sees nothing of tamper %d", t->check, (int)(t - tampers));
	model_free(&m);
	model_free(&other);
}

START_TEST(each_can_fail)
{
	check_tamper(&tampers[_i]);
}
END_TEST

/* A row that depends on an unknown where the pattern has no entry: said in these words, also where
 * no entry of its group of columns is wrong for it. */
START_TEST(slopes_beyond_the_pattern)
{
	model m = model_of(joined);
	bool said = false;
	for (armed.n = 0; armed.n < MOST_CALLS && !said; armed.n++) {
		bxt_verify_def def;
		bxt_verification *v = NULL;
		bxt_default_verify_def(&def);
		armed.what = BEYOND;
		def.states = 0;
		bxt_verify(m.system, &def, m.findings, &v);
		armed.what = NO_FAULT;
		for (size_t i = 0; v && i < v->n; i++)
			said = said ||
			       (!v->checks[i].passed &&
				strstr(v->checks[i].text,
				       "depends on unknowns that its pattern does not have"));
		bxt_verification_free(v);
	}
	ck_assert(said);
	model_free(&m);
}
END_TEST

/* Every check has a tamper, and every tamper is one of a check. */
START_TEST(none_is_forgotten)
{
	for (int i = 0; i < BXT_CHECK_COUNT; i++) {
		int n = 0;
		for (int k = 0; k < TAMPERS; k++)
			n += strcmp(tampers[k].check, bxt_check_rows[i].name) == 0;
		ck_assert_msg(n > 0, "'%s' has no tamper", bxt_check_rows[i].name);
	}
	for (int k = 0; k < TAMPERS; k++) {
		int n = 0;
		for (int i = 0; i < BXT_CHECK_COUNT; i++)
			n += strcmp(tampers[k].check, bxt_check_rows[i].name) == 0;
		ck_assert_msg(n == 1, "'%s' is no check", tampers[k].check);
	}
}
END_TEST

/* Every check has a name of its own, and a tolerance unless it is a count or a note. */
START_TEST(rows_are_complete)
{
	for (int i = 0; i < BXT_CHECK_COUNT; i++) {
		const bxt_check_row *row = &bxt_check_rows[i];
		const bool none = row->type == BXT_CHECK_IS_COUNT || row->type == BXT_CHECK_IS_NOTE;
		ck_assert(row->name && *row->name);
		ck_assert_msg(none ? row->tolerance == 0 : row->tolerance > 0, "%s", row->name);
		for (int k = 0; k < i; k++)
			ck_assert_str_ne(row->name, bxt_check_rows[k].name);
	}
}
END_TEST

/* One figure of a check with the user's tolerance. */
static bool passes(bxt_check check, double user, double figure)
{
	bxt_checks c;
	bxt_verification *v;
	ck_assert_int_eq(bxt_checks_open(&c, user), BXT_OK);
	bxt_checks_add(&c, check, figure, BXT_NOWHERE, "a figure");
	ck_assert_int_eq(bxt_checks_close(&c, BXT_OK, &v), BXT_OK);
	const bool passed = v->passed;
	ck_assert(v->n == 1 && v->checks[0].passed == passed);
	bxt_verification_free(v);
	return passed;
}

START_TEST(as_they_are_judged)
{
	ck_assert(passes(BXT_CHECK_RANK, 10, 0) && !passes(BXT_CHECK_RANK, 10, 1));
	ck_assert(passes(BXT_CHECK_WHOLE, 0, 1e-11) && !passes(BXT_CHECK_WHOLE, 0, 1e-9));
	ck_assert(passes(BXT_CHECK_WHOLE, 1e-6, 1e-7) && !passes(BXT_CHECK_WHOLE, 1e-13, 1e-12));
	ck_assert(!passes(BXT_CHECK_WHOLE, 1, NAN));
	ck_assert(!passes(BXT_CHECK_SAME_DISTRIBUTION, 1e-6, 1e-7));
	ck_assert(passes(BXT_CHECK_SAME_VALUES, 1e-6, 9e-5));
	ck_assert(!passes(BXT_CHECK_SAME_VALUES, 1e-6, 2e-4));
	ck_assert(passes(BXT_CHECK_SAME_VALUES, 1e-15, 9e-10)); /* never below its own */
	ck_assert(passes(BXT_CHECK_SYMPLECTIC, 1e-9, INFINITY));
}
END_TEST

TEST_SUITE("tampers")
{
	const test_case tests[] = {
		{"each can fail", each_can_fail, .loops = TAMPERS},
		{"slopes beyond the pattern", slopes_beyond_the_pattern},
		{"none is forgotten", none_is_forgotten},
		{"rows are complete", rows_are_complete},
		{"as they are judged", as_they_are_judged},
	};
	ADD_TESTS(tests);
}
