/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Planar components, equation by equation: rows and forces at a point that nothing singles out
 * against geometry written by hand: where material points are, how far apart, what work forces do
 * when a coordinate is moved a little. And which coordinates a shared node has at all.
 */
#include "support/allocation.h"

#include "model/system/evaluate.h"
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(x) (sizeof x / sizeof *x)

/* Frames a and b and an axle: q, and v alike. */
enum { AX, AY, ATHETA, BX, BY, BTHETA, AXLE, N };
static const char *const names[N] = {"node(a).x", "node(a).y",     "node(a).theta",   "node(b).x",
				     "node(b).y", "node(b).theta", "node(axle).theta"};
static const double Q[N] = {0.31, -0.42, 0.73, 1.94, 0.85, -1.26, 0.57};
static const double V[N] = {-0.64, 0.27, 1.38, 0.91, -0.53, 0.46, 2.15};

/* Central differences over this: their error is 1e-10 of values of about 1 by truncation, and 1e-11
 * by round-off; so TOLERANCE has room for sums of some of them and none for a wrong term. */
static const double EPSILON = 1e-5, TOLERANCE = 1e-8;

/* ---- A model of one element, at that point ---- */

struct bench {
	model m;
	bxt_evaluator *e;
	double *q, *x, *r; /* (size + lanes): positions, flows and multipliers, what is computed */
};

static int place_of(const bxt_system *s, const char *name)
{
	bxt_buffer buffer = {0};
	int place = -1;
	for (int i = 0; i < s->spare && place < 0; i++)
		if (strcmp(bxt_system_x_name(s, i, &buffer), name) == 0)
			place = i;
	bxt_buffer_free(&buffer);
	return place;
}

static struct bench bench_of(const char *elements, double t)
{
	bxt_buffer text = {0};
	bxt_buffer_printf(&text,
			  "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"one\">%s</netlist>",
			  elements);
	struct bench b = {.m = model_of_text(text.text)};
	bxt_buffer_free(&text);
	const bxt_system *s = b.m.system;
	const size_t size = (size_t)s->size + BXT_LANES;
	b.e = bxt_evaluator_new(s);
	b.q = calloc(size, sizeof *b.q);
	b.x = calloc(size, sizeof *b.x);
	b.r = calloc(size, sizeof *b.r);
	ck_assert(b.e && b.q && b.x && b.r);
	bxt_evaluator_set_time(b.e, t);
	for (int i = 0; i < N; i++) {
		const int place = place_of(s, names[i]);
		if (place >= 0) {
			b.q[place] = Q[i];
			b.x[place] = V[i];
		}
	}
	return b;
}

static void bench_free(struct bench *b)
{
	bxt_evaluator_free(b->e);
	free(b->q);
	free(b->x);
	free(b->r);
	model_free(&b->m);
}

/* One class of a form, at the point; in b->r. */
static void evaluate(struct bench *b, bxt_output_set_id set, bxt_term term, double t)
{
	bxt_weights w = {{{0}}};
	w.of[0][term] = w.of[1][term] = 1;
	memset(b->r, 0, (size_t)b->m.system->size * sizeof *b->r);
	bxt_evaluate(b->e, set, (bxt_point){b->q, b->x, t}, &w, b->r, NULL);
}

/* b->r at a coordinate; one that the model does not have must feel nothing. */
static void check_value(const struct bench *b, int i, double expected, const char *what)
{
	const int place = place_of(b->m.system, names[i]);
	const double got = place >= 0 ? b->r[place] : 0;
	ck_assert_msg(fabs(got - expected) <= TOLERANCE, "%s: %s is %.12g, by hand %.12g", what,
		      names[i], got, expected);
}

/* ---- Geometry by hand ---- */

/* A point of a frame (three numbers of q), by turning an arrow. */
static void point(const double *frame, double px, double py, double *x, double *y)
{
	const double length = hypot(px, py), angle = atan2(py, px) + frame[2];
	*x = frame[0] + length * cos(angle);
	*y = frame[1] + length * sin(angle);
}

static double revolute_x(const double *q)
{
	double x1, y1, x2, y2;
	point(q + AX, 0.2, 0.3, &x1, &y1);
	point(q + BX, -0.5, 0.7, &x2, &y2);
	return x2 - x1;
}

static double revolute_y(const double *q)
{
	double x1, y1, x2, y2;
	point(q + AX, 0.2, 0.3, &x1, &y1);
	point(q + BX, -0.5, 0.7, &x2, &y2);
	return y2 - y1;
}

/* The distance of b's point from the line, by the area of a parallelogram. */
static double prismatic_line(const double *q)
{
	double x0, y0, x1, y1, x2, y2;
	point(q + AX, 0.2, 0.3, &x0, &y0);
	point(q + AX, 0.2 + cos(0.4), 0.3 + sin(0.4), &x1, &y1);
	point(q + BX, -0.5, 0.7, &x2, &y2);
	return (x1 - x0) * (y2 - y0) - (y1 - y0) * (x2 - x0);
}

static double prismatic_angle(const double *q)
{
	return q[BTHETA] - q[ATHETA] - 0.1;
}

static double rod(const double *q)
{
	return (pow(hypot(q[BX] - q[AX], q[BY] - q[AY]), 2) - 4) / 4;
}

static double ground_rod(const double *q)
{
	return (pow(hypot(q[AX] - 3, q[AY] + 1), 2) - 4) / 4;
}

static double wall_rod(const double *q)
{
	return (pow(hypot(q[BX], q[BY]), 2) - 4) / 4;
}

static double body_rod(const double *q)
{
	return (pow(hypot(revolute_x(q), revolute_y(q)), 2) - 4) / 4;
}

/* Off the direction to which the wheels have turned, by the angle of the arrow from a to b. */
static double gear_mesh(const double *q)
{
	const double x = q[BX] - q[AX], y = q[BY] - q[AY];
	const double turned = 0.6 * q[ATHETA] + 0.4 * q[BTHETA] + 0.2;
	return hypot(x, y) * sin(atan2(y, x) - turned);
}

static double pin_x(const double *q)
{
	double x, y;
	point(q + AX, 0.2, 0.3, &x, &y);
	return x - 3;
}

static double pin_y(const double *q)
{
	double x, y;
	point(q + AX, 0.2, 0.3, &x, &y);
	return y + 1;
}

static double point_pin_x(const double *q)
{
	return q[AX] - 3;
}

static double point_pin_y(const double *q)
{
	return q[AY] + 1;
}

static double body_point_x(const double *q)
{
	return q[BX] - pin_x(q) - 3;
}

static double body_point_y(const double *q)
{
	return q[BY] - pin_y(q) + 1;
}

/* Height of b over the line y = 0.25 of frame a, less the radius. */
static double rack_contact(const double *q)
{
	double x0, y0, x1, y1;
	point(q + AX, 0, 0.25, &x0, &y0);
	point(q + AX, 1, 0.25, &x1, &y1);
	return (x1 - x0) * (q[BY] - y0) - (y1 - y0) * (q[BX] - x0) - 0.6;
}

/* The disk's material point at the contact against the rack's there: a velocity in all of v. */
static double rack_roll(const double *q, const double *v)
{
	double down[3] = {q[BX] - q[AX], q[BY] - q[AY], 0}, rack[3] = {0, 0, q[ATHETA]};
	/* the contact in frame a: b's foot on the line */
	const double foot = down[0] * cos(q[ATHETA]) + down[1] * sin(q[ATHETA]);
	double x, y, cx, cy;
	point(rack, foot, 0.25, &x, &y); /* from a's origin to the contact on the rack */
	point(rack, 0, -0.6, &cx, &cy);  /* from b's origin to the contact on the disk */
	const double vx = v[BX] - v[BTHETA] * cy - (v[AX] - v[ATHETA] * y);
	const double vy = v[BY] + v[BTHETA] * cx - (v[AY] + v[ATHETA] * x);
	return vx * cos(q[ATHETA]) + vy * sin(q[ATHETA]);
}

/* The velocity of the point (0.2, 0.3) of a, along the angle `turn` from its x axis. */
static double velocity_along(const double *q, const double *v, double px, double py, double turn)
{
	const double rotated[3] = {0, 0, q[ATHETA]};
	double x, y;
	point(rotated, px, py, &x, &y);
	return (v[AX] - v[ATHETA] * y) * cos(q[ATHETA] + turn) +
	       (v[AY] + v[ATHETA] * x) * sin(q[ATHETA] + turn);
}

static double wheel_roll(const double *q, const double *v)
{
	return velocity_along(q, v, 0.2, 0.3, 0) - 0.6 * v[AXLE];
}

static double wheel_slip(const double *q, const double *v)
{
	return velocity_along(q, v, 0.2, 0.3, acos(0));
}

static double knife_slip(const double *q, const double *v)
{
	return velocity_along(q, v, 0.2, 0, acos(0));
}

/* ---- Constraints ---- */

#define OFFSETS "ax=\"0.2 m\" ay=\"0.3 m\" bx=\"-0.5 m\" by=\"0.7 m\""

static const struct {
	const char *xml, *row;
	double (*position)(const double *);             /* vanishes, or */
	double (*flow)(const double *, const double *); /* linear in v, vanishes */
} constraints[] = {
	{"<revolute id=\"E\" a=\"a\" b=\"b\" " OFFSETS "/>", "E.x", revolute_x, NULL},
	{"<revolute id=\"E\" a=\"a\" b=\"b\" " OFFSETS "/>", "E.y", revolute_y, NULL},
	{"<prismatic id=\"E\" a=\"a\" b=\"b\" alpha=\"0.4 rad\" theta0=\"0.1 rad\" " OFFSETS "/>",
	 "E.line", prismatic_line, NULL},
	{"<prismatic id=\"E\" a=\"a\" b=\"b\" alpha=\"0.4 rad\" theta0=\"0.1 rad\" " OFFSETS "/>",
	 "E.angle", prismatic_angle, NULL},
	{"<rod id=\"E\" a=\"a\" b=\"b\" l=\"2 m\"/>", "E.length", rod, NULL},
	{"<rod id=\"E\" a=\"wall\" b=\"b\" l=\"2 m\"/>", "E.length", wall_rod, NULL},
	{"<ground-rod id=\"E\" a=\"a\" X=\"3 m\" Y=\"-1 m\" l=\"2 m\"/>", "E.length", ground_rod,
	 NULL},
	{"<body-rod id=\"E\" a=\"a\" b=\"b\" l=\"2 m\" " OFFSETS "/>", "E.length", body_rod, NULL},
	{"<gear-mesh id=\"E\" a=\"a\" b=\"b\" ra=\"0.3 m\" rb=\"0.2 m\" phase=\"0.2 rad\"/>",
	 "E.mesh", gear_mesh, NULL},
	{"<pin id=\"E\" a=\"a\" ax=\"0.2 m\" ay=\"0.3 m\" X=\"3 m\" Y=\"-1 m\"/>", "E.x", pin_x,
	 NULL},
	{"<pin id=\"E\" a=\"a\" ax=\"0.2 m\" ay=\"0.3 m\" X=\"3 m\" Y=\"-1 m\"/>", "E.y", pin_y,
	 NULL},
	{"<point-pin id=\"E\" a=\"a\" X=\"3 m\" Y=\"-1 m\"/>", "E.x", point_pin_x, NULL},
	{"<point-pin id=\"E\" a=\"a\" X=\"3 m\" Y=\"-1 m\"/>", "E.y", point_pin_y, NULL},
	{"<body-point id=\"E\" a=\"a\" b=\"b\" ax=\"0.2 m\" ay=\"0.3 m\"/>", "E.x", body_point_x,
	 NULL},
	{"<body-point id=\"E\" a=\"a\" b=\"b\" ax=\"0.2 m\" ay=\"0.3 m\"/>", "E.y", body_point_y,
	 NULL},
	{"<rack-contact id=\"E\" a=\"a\" b=\"b\" r=\"0.6 m\" y0=\"0.25 m\"/>", "E.contact",
	 rack_contact, NULL},
	{"<rack-contact id=\"E\" a=\"a\" b=\"b\" r=\"0.6 m\" y0=\"0.25 m\"/>", "E.roll", NULL,
	 rack_roll},
	{"<wheel id=\"E\" a=\"a\" axle=\"axle\" r=\"0.6 m\" ax=\"0.2 m\" ay=\"0.3 m\"/>", "E.roll",
	 NULL, wheel_roll},
	{"<wheel id=\"E\" a=\"a\" axle=\"axle\" r=\"0.6 m\" ax=\"0.2 m\" ay=\"0.3 m\"/>", "E.slip",
	 NULL, wheel_slip},
	{"<knife-edge id=\"E\" a=\"a\" ax=\"0.2 m\"/>", "E.slip", NULL, knife_slip},
};

/* df/dq_i by differences. */
static double slope(double (*f)(const double *), int i)
{
	double q[N];
	memcpy(q, Q, sizeof q);
	q[i] = Q[i] + EPSILON;
	const double up = f(q);
	q[i] = Q[i] - EPSILON;
	return (up - f(q)) / (2 * EPSILON);
}

/* A row's i-th entry by hand. */
static double entry_by_hand(size_t k, int i)
{
	if (constraints[k].position)
		return slope(constraints[k].position, i);
	double unit[N] = {0};
	unit[i] = 1;
	return constraints[k].flow(Q, unit);
}

/* What names mean in a constraint of the one element: its parameters, and the point Q. */
static bool lookup(void *context, bxt_graph *g, const char *name, bxt_ex *out)
{
	const bxt_network *net = ((const struct bench *)context)->m.system->net;
	const bxt_element *e = &net->elements[0];
	const bxt_component *c = net->types[e->type]->component;
	static const char *const local[] = {"a.x", "a.y", "a.theta", "b.x", "b.y", "b.theta"};
	for (int i = 0; i < c->n_parameters; i++)
		if (strcmp(name, c->parameters[i].name) == 0) {
			*out = bxt_ex_const(g, e->parameter[bxt_type_parameter(c, i)]);
			return true;
		}
	for (int p = 0; p < c->n_ports; p++)
		for (int i = 0; i < 6; i++)
			if (strcmp(name, local[i]) == 0 && c->ports[p].name[0] == name[0]) {
				*out = bxt_ex_const(g, e->node[p] == BXT_GROUND ? 0 : Q[i]);
				return true;
			}
	return false;
}

/* Rows know the slopes of position constraints only; so here the constants, by the texts. */
START_TEST(test_positions)
{
	int checked = 0;
	for (size_t k = 0; k < LENGTH(constraints); k++) {
		struct bench b = bench_of(constraints[k].xml, 0);
		const bxt_component *c = b.m.system->net->types[0]->component;
		const bxt_scope scope = {.lookup = lookup, .context = &b};
		for (int r = 0; r < c->n_constraints && constraints[k].position; r++) {
			bxt_graph *g = bxt_graph_new();
			bxt_expr_error error;
			bxt_ex f = 0;
			if (strcmp(c->constraints[r].name, constraints[k].row + 2) == 0) {
				ck_assert_int_eq(bxt_expr_parse(g,
								c->constraints[r].expression.text,
								&scope, &f, &error, 1),
						 0);
				/* a handful of operations on numbers of about 1 */
				ck_assert_double_eq_tol(bxt_ex_value(g, f, Q),
							constraints[k].position(Q), 1e-14);
				checked++;
			}
			bxt_graph_free(g);
		}
		bench_free(&b);
	}
	ck_assert_int_eq(checked, 16);
}
END_TEST

/* A v as the model has it, and A^T lambda: the force of a multiplier does the work of its row. */
START_TEST(test_constraints)
{
	for (size_t k = 0; k < LENGTH(constraints); k++) {
		struct bench b = bench_of(constraints[k].xml, 0);
		const int row = place_of(b.m.system, constraints[k].row);
		double rate = 0;
		ck_assert_int_ge(row, b.m.system->n);
		for (int i = 0; i < N; i++)
			rate += entry_by_hand(k, i) * V[i];
		evaluate(&b, BXT_SET_CONSTRAINT, BXT_C, 0);
		ck_assert_msg(fabs(b.r[row] - rate) <= TOLERANCE * 10, /* a sum of seven */
			      "%s, %s: %.12g, by hand %.12g", constraints[k].xml,
			      constraints[k].row, b.r[row], rate);
		b.x[row] = 1.7; /* the multiplier */
		evaluate(&b, BXT_SET_CONSTRAINT, BXT_K, 0);
		for (int i = 0; i < N; i++)
			check_value(&b, i, 1.7 * entry_by_hand(k, i), constraints[k].xml);
		bench_free(&b);
	}
}
END_TEST

/* ---- Forces ---- */

static double spring(const double *q)
{
	return -1.5 * pow(hypot(q[BX] - q[AX], q[BY] - q[AY]) - 0.4, 2) / 2;
}

static double loose_spring(const double *q)
{
	return -1.5 * pow(hypot(q[BX] - q[AX], q[BY] - q[AY]), 2) / 2;
}

static double torsion(const double *q)
{
	return -1.5 * pow(q[BTHETA] - q[ATHETA] - 0.2, 2) / 2;
}

static double weight(const double *q)
{
	return -2 * 9.81 * q[AY];
}

/* (2 t, 3 N) at a point of a, at t = 0.5 s: the work of a constant force there. */
static double body_force(const double *q)
{
	double x, y;
	point(q + AX, 0.2, 0.3, &x, &y);
	return 1 * x + 3 * y;
}

static double point_force(const double *q)
{
	return 1 * q[AX] + 3 * q[AY];
}

static double torque(const double *q)
{
	return 0.5 * (q[BTHETA] - q[ATHETA]);
}

/* Drives the points of a and b apart. */
static double line_force(const double *q)
{
	return 0.5 * hypot(revolute_x(q), revolute_y(q));
}

static const struct {
	const char *xml;
	double (*work)(const double *); /* whose slopes are the forces */
} forces[] = {
	{"<point-spring id=\"E\" a=\"a\" b=\"b\" k=\"1.5 N/m\" l0=\"0.4 m\"/>", spring},
	{"<point-spring id=\"E\" a=\"a\" b=\"b\" k=\"1.5 N/m\"/>", loose_spring},
	{"<joint-spring id=\"E\" a=\"a\" b=\"b\" k=\"1.5 N.m/rad\" theta0=\"0.2 rad\"/>", torsion},
	{"<point-mass id=\"E\" a=\"a\" m=\"2 kg\" g=\"9.81 m/s2\"/>", weight},
	{"<rigid-body id=\"E\" a=\"a\" m=\"2 kg\" J=\"3 kg.m2\" g=\"9.81 m/s2\"/>", weight},
	{"<body-force id=\"E\" a=\"a\" ax=\"0.2 m\" ay=\"0.3 m\" fx=\"=2*t\" fy=\"3 N\"/>",
	 body_force},
	{"<point-force id=\"E\" a=\"a\" fx=\"=2*t\" fy=\"3 N\"/>", point_force},
	{"<point-torque id=\"E\" a=\"a\" b=\"b\" tau=\"=t\"/>", torque},
	{"<line-force id=\"E\" a=\"a\" b=\"b\" f=\"=t\" " OFFSETS "/>", line_force},
};

START_TEST(test_forces)
{
	for (size_t k = 0; k < LENGTH(forces); k++) {
		struct bench b = bench_of(forces[k].xml, 0.5);
		evaluate(&b, BXT_SET_DYNAMICS, BXT_F, 0.5);
		for (int i = 0; i < N; i++)
			check_value(&b, i, slope(forces[k].work, i), forces[k].xml);
		bench_free(&b);
	}
}
END_TEST

/* Dampers act on relative velocities: along the line, in every direction, on the angle. */
START_TEST(test_dampers)
{
	const double dx = Q[BX] - Q[AX], dy = Q[BY] - Q[AY], l = hypot(dx, dy);
	const double vx = V[BX] - V[AX], vy = V[BY] - V[AY];
	const double along = (vx * dx + vy * dy) / l;
	const struct {
		const char *xml;
		double fx, fy, tau; /* on b; the opposite on a */
	} dampers[] = {
		{"<point-damper id=\"E\" a=\"a\" b=\"b\" c=\"1.5 N.s/m\"/>", -1.5 * along * dx / l,
		 -1.5 * along * dy / l, 0},
		{"<relative-damper id=\"E\" a=\"a\" b=\"b\" c=\"1.5 N.s/m\"/>", -1.5 * vx,
		 -1.5 * vy, 0},
		{"<joint-damper id=\"E\" a=\"a\" b=\"b\" c=\"1.5 N.m.s/rad\"/>", 0, 0,
		 -1.5 * (V[BTHETA] - V[ATHETA])},
	};
	for (size_t k = 0; k < LENGTH(dampers); k++) {
		struct bench b = bench_of(dampers[k].xml, 0);
		const double f[3] = {dampers[k].fx, dampers[k].fy, dampers[k].tau};
		evaluate(&b, BXT_SET_DYNAMICS, BXT_F, 0);
		for (int i = 0; i < 3; i++) {
			check_value(&b, BX + i, f[i], dampers[k].xml);
			check_value(&b, AX + i, -f[i], dampers[k].xml);
		}
		bench_free(&b);
	}
}
END_TEST

/* Momenta are m v and J omega. */
START_TEST(test_momenta)
{
	struct bench b = bench_of("<rigid-body id=\"E\" a=\"a\" m=\"2 kg\" J=\"3 kg.m2\"/>"
				  "<point-mass id=\"M\" a=\"b\" m=\"5 kg\"/>",
				  0);
	const double p[N] = {2 * V[AX], 2 * V[AY], 3 * V[ATHETA], 5 * V[BX], 5 * V[BY], 0, 0};
	evaluate(&b, BXT_SET_MOMENTUM, BXT_P, 0);
	for (int i = 0; i < N; i++)
		check_value(&b, i, p[i], "masses");
	bench_free(&b);
}
END_TEST

/* A spring without length at rest has a slope where its ends meet: 0/0 nowhere. */
START_TEST(test_ends_meet)
{
	struct bench b = bench_of("<point-spring id=\"E\" a=\"a\" b=\"b\" k=\"1.5 N/m\"/>", 0);
	b.q[place_of(b.m.system, "node(b).x")] = Q[AX];
	b.q[place_of(b.m.system, "node(b).y")] = Q[AY];
	evaluate(&b, BXT_SET_DYNAMICS, BXT_F, 0);
	for (int i = 0; i < b.m.system->n; i++)
		ck_assert_double_eq(b.r[i], 0);
	bench_free(&b);
}
END_TEST

/* ---- Which coordinates there are ---- */

static const struct {
	const char *what, *xml;
	int n, m; /* coordinates and rows */
} sizes[] = {
	{"points and rods have no angles",
	 "<point-mass id=\"M\" a=\"p\" m=\"1 kg\"/><rod id=\"R\" a=\"wall\" b=\"p\" l=\"1 m\"/>", 2,
	 1},
	{"a body has one", "<rigid-body id=\"M\" a=\"p\" m=\"1 kg\" J=\"1 kg.m2\"/>", 3, 0},
	{"any element at the node will do",
	 "<point-mass id=\"M\" a=\"p\" m=\"1 kg\"/>"
	 "<joint-spring id=\"S\" a=\"wall\" b=\"p\" k=\"1 N.m/rad\"/>",
	 3, 0},
	{"a force is a use",
	 "<point-torque id=\"T\" a=\"wall\" b=\"p\" tau=\"1 N.m\"/>"
	 "<joint-damper id=\"D\" a=\"wall\" b=\"p\" c=\"1 N.m.s/rad\"/>",
	 1, 0},
	{"a connection of points has two rows",
	 "<subsystem id=\"u\"><point-mass id=\"M\" a=\"p\" m=\"1 kg\"/><port id=\"s\" node=\"p\"/>"
	 "</subsystem><subsystem id=\"w\"><rod id=\"R\" a=\"wall\" b=\"p\" l=\"1 m\"/>"
	 "<port id=\"s\" node=\"p\"/></subsystem>"
	 "<interconnection><connect id=\"c\" a=\"u.s\" b=\"w.s\"/></interconnection>",
	 4, 3},
	{"what one side of a connection has both have, along chains of connections too",
	 "<subsystem id=\"u\"><point-mass id=\"M\" a=\"p\" m=\"1 kg\"/><port id=\"s\" node=\"p\"/>"
	 "</subsystem><subsystem id=\"w\"><point-mass id=\"M\" a=\"p\" m=\"1 kg\"/>"
	 "<port id=\"s\" node=\"p\"/><port id=\"z\" node=\"p\"/></subsystem>"
	 "<subsystem id=\"y\"><rigid-body id=\"M\" a=\"p\" m=\"1 kg\" J=\"1 kg.m2\"/>"
	 "<port id=\"z\" node=\"p\"/></subsystem><interconnection>"
	 "<connect id=\"c\" a=\"u.s\" b=\"w.s\"/><connect id=\"d\" a=\"w.z\" b=\"y.z\"/>"
	 "</interconnection>",
	 9, 6},
};

START_TEST(test_coordinates)
{
	for (size_t k = 0; k < LENGTH(sizes); k++) {
		struct bench b = bench_of(sizes[k].xml, 0);
		ck_assert_msg(b.m.system->n == sizes[k].n && b.m.system->m == sizes[k].m,
			      "%s: %d coordinates and %d rows", sizes[k].what, b.m.system->n,
			      b.m.system->m);
		bench_free(&b);
	}
}
END_TEST

/* An initial value finds its coordinate where the node lacks others before it. */
START_TEST(test_initial_values)
{
	bxt_table *t =
		run_text(NETLIST("<node id=\"p\" kind=\"planar\" x=\"5 m\" theta=\"0.5 rad\" "
				 "omega=\"2 rad/s\"/>"
				 "<component xmlns=\"urn:boxtimes:component:1\" name=\"flywheel\" "
				 "domain=\"planar\"><doc>An angle and nothing else.</doc>"
				 "<port name=\"a\" kind=\"planar\"/>"
				 "<lagrangian>a.omega^2/2</lagrangian></component>"
				 "<flywheel id=\"F\" a=\"p\"/><record>node(p).*</record>"),
			 &(bxt_run_def){.size = sizeof(bxt_run_def), .step = 0.25, .end = 1});
	ck_assert_uint_eq(bxt_table_columns(t), 2);
	ck_assert_double_eq(value_at(t, 0, "node(p).theta"), 0.5);
	ck_assert_double_eq(last_value(t, "node(p).theta"), 2.5); /* dyadic: exact */
	ck_assert_double_eq(last_value(t, "node(p).omega"), 2);
	bxt_table_free(t);
}
END_TEST

/* ---- Memory ---- */

/* Compiling and starting a model of text; all that is made is freed. */
static bxt_status start_of(const char *text, bxt_library *library, bxt_diagnostics *d)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .step = 0.1, .end = 1};
	bxt_netlist *netlist = NULL;
	bxt_system *system = NULL;
	bxt_state *state = NULL;
	bxt_status status = bxt_netlist_read_memory(text, strlen(text), "test", d, &netlist);
	if (status == BXT_OK)
		status = bxt_system_compile(netlist, library, d, &system);
	if (status == BXT_OK)
		status = bxt_initialize(system, &def, d, &state);
	bxt_state_free(state);
	bxt_system_free(system);
	bxt_netlist_free(netlist);
	return status;
}

/* Torn points with an initial value that finds nothing, memory ending at each place once; and a
 * body whose angle nothing holds, which is told or memory has ended. */
START_TEST(test_memory_ends)
{
	static const struct {
		const char *xml;
		bxt_status status;
	} texts[] = {
		{NETLIST("<subsystem id=\"u\"><node id=\"p\" kind=\"planar\" x=\"1 m\" "
			 "theta=\"1 rad\"/><point-mass id=\"M\" a=\"p\" m=\"1 kg\"/>"
			 "<port id=\"s\" node=\"p\"/></subsystem><subsystem id=\"w\">"
			 "<node id=\"p\" kind=\"planar\" x=\"1 m\"/>"
			 "<rod id=\"R\" a=\"wall\" b=\"p\" l=\"1 m\"/><port id=\"s\" node=\"p\"/>"
			 "</subsystem><interconnection><connect id=\"c\" a=\"u.s\" b=\"w.s\"/>"
			 "</interconnection>"),
		 BXT_OK},
		{NETLIST("<node id=\"p\" kind=\"planar\" x=\"1 m\"/>"
			 "<point-mass id=\"M\" a=\"p\" m=\"1 kg\"/><pin id=\"P\" a=\"p\"/>"),
		 BXT_ERR_MODEL},
	};
	const char *directory = getenv("BOXTIMES_PATH");
	bxt_library *library = bxt_library_new(&directory, 1, NULL);
	ck_assert_ptr_nonnull(library);
	allocation_hook();
	for (size_t k = 0; k < LENGTH(texts); k++) {
		long n = 0;
		/* the library keeps what it has read */
		ck_assert_int_eq(start_of(texts[k].xml, library, NULL), texts[k].status);
		for (bool failed = true; failed; n++) {
			bxt_diagnostics *d = bxt_diagnostics_new();
			allocation_fail(n);
			const bxt_status status = start_of(texts[k].xml, library, d);
			failed = allocation_failed();
			allocation_fail(-1);
			ck_assert_msg(status == texts[k].status ||
					      (failed && status == BXT_ERR_MEMORY),
				      "allocation %ld: %s", n, bxt_status_text(status));
			bxt_diagnostics_free(d);
		}
		ck_assert_int_gt(n, 100); /* else nothing was tested */
	}
	bxt_library_free(library);
}
END_TEST

TEST_SUITE("planar")
{
	const test_case tests[] = {
		{"constraints", test_constraints},
		{"positions", test_positions},
		{"forces", test_forces},
		{"dampers", test_dampers},
		{"momenta", test_momenta},
		{"ends meet", test_ends_meet},
		{"coordinates", test_coordinates},
		{"initial values", test_initial_values},
		{"memory ends", test_memory_ends, .slow = true},
	};
	ADD_TESTS(tests);
}
