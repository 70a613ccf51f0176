/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mechanisms in Cartesian coordinates against the same in as few coordinates as they have degrees
 * of freedom, integrated here with small steps; invariants; order of elements; tearing; chains.
 */
#include "bench/chain.h"
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(x) (sizeof x / sizeof *x)

static const double G = 9.81, PI = 3.14159265358979323846;

/* ---- Minimal coordinates ---- */

enum { MAX_BODIES = 3, MAX_STATE = 4 };

/* y' of the model; y = (coordinates, rates). */
typedef void rate_fn(const double *y, double *rate);

static void rk4(rate_fn *f, double *y, int n, double h, long steps)
{
	double k[4][MAX_STATE], z[MAX_STATE];
	static const double at[4] = {0, 0.5, 0.5, 1};
	for (long s = 0; s < steps; s++) {
		for (int i = 0; i < 4; i++) {
			for (int j = 0; j < n; j++)
				z[j] = y[j] + (i ? h * at[i] * k[i - 1][j] : 0);
			f(z, k[i]);
		}
		for (int j = 0; j < n; j++)
			y[j] += h * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]) / 6;
	}
}

/* A body of a mechanism with one degree of freedom: where it is for a crank angle. */
struct body {
	double m, J, x, y, theta;
};
typedef int place_fn(double angle, struct body *bodies);

/* Inertia I(angle) and potential V(angle): T = I angle'^2/2, by the slopes of positions. */
static void reduce(place_fn *place, double angle, double *inertia, double *potential)
{
	/* truncation 1e-10, round-off 1e-11 */
	static const double e = 1e-5;
	struct body at[MAX_BODIES], up[MAX_BODIES], down[MAX_BODIES];
	const int n = place(angle, at);
	place(angle + e, up);
	place(angle - e, down);
	*inertia = *potential = 0;
	for (int i = 0; i < n; i++) {
		const double vx = (up[i].x - down[i].x) / (2 * e),
			     vy = (up[i].y - down[i].y) / (2 * e),
			     w = (up[i].theta - down[i].theta) / (2 * e);
		*inertia += at[i].m * (vx * vx + vy * vy) + at[i].J * w * w;
		*potential += at[i].m * G * at[i].y;
	}
}

/* I a'' + I' a'^2/2 + V' = 0; I' to 1e-7, which over seconds is far below what is compared. */
static void reduced_rate(place_fn *place, const double *y, double *rate)
{
	static const double e = 1e-4;
	double inertia, up[2], down[2], unused;
	reduce(place, y[0], &inertia, &unused);
	reduce(place, y[0] + e, &up[0], &up[1]);
	reduce(place, y[0] - e, &down[0], &down[1]);
	rate[0] = y[1];
	rate[1] = -((up[0] - down[0]) * y[1] * y[1] / 2 + up[1] - down[1]) / (2 * e * inertia);
}

/* ---- The mechanisms of netlists/ ---- */

/* y[0]: angle from the x axis */
static void pendulum_rate(const double *y, double *rate)
{
	rate[0] = y[1];
	rate[1] = -G * cos(y[0]);
}

/* Two equal points: angles a, b from the x axis, l = m = 1; [2, c; c, 1] (a'', b'') = right side.
 */
static void double_pendulum_rate(const double *y, double *rate)
{
	const double c = cos(y[0] - y[1]), s = sin(y[0] - y[1]);
	const double fa = -s * y[3] * y[3] - 2 * G * cos(y[0]);
	const double fb = s * y[2] * y[2] - G * cos(y[1]);
	rate[0] = y[2];
	rate[1] = y[3];
	rate[2] = (fa - c * fb) / (2 - c * c);
	rate[3] = (2 * fb - c * fa) / (2 - c * c);
}

static int place_slider_crank(double angle, struct body *b)
{
	const double x = 0.6 * cos(angle), y = 0.6 * sin(angle), reach = sqrt(1 - y * y);
	b[0] = (struct body){2, 0.06, x / 2, y / 2, angle};
	b[1] = (struct body){1, 0.08, x + reach / 2, y / 2, -asin(y)};
	b[2] = (struct body){3, 0.1, x + reach, 0, 0};
	return 3;
}

static void slider_crank_rate(const double *y, double *rate)
{
	reduced_rate(place_slider_crank, y, rate);
}

/* C is where circles about B (2.5) and (2, 0) (2.5) meet, on the left of the way from B there. */
static int place_four_bar(double angle, struct body *b)
{
	const double x = cos(angle), y = sin(angle), dx = 2 - x, dy = -y, d = hypot(dx, dy);
	const double height = sqrt(2.5 * 2.5 - d * d / 4);
	b[0] = (struct body){1, 0, x, y, 0};
	b[1] = (struct body){2, 0, x + dx / 2 - height * dy / d, y + dy / 2 + height * dx / d, 0};
	return 2;
}

static void four_bar_rate(const double *y, double *rate)
{
	reduced_rate(place_four_bar, y, rate);
}

static const struct oracle {
	const char *netlist, *signal;
	rate_fn *rate;
	int n;
	double start[MAX_STATE];
	int coordinate;  /* of y; -1: the x of the last body of the place function */
	place_fn *place; /* NULL: the signal is cos (of a point at 1 m) */
	double end, step;
} oracles[] = {
	{"pendulum-cartesian.xml", "node(p).x", pendulum_rate, 2, {0, 0}, -1, NULL, 2, 0.01},
	{"double-pendulum-points.xml",
	 "node(p).x",
	 double_pendulum_rate,
	 4,
	 {0, 0, 0, 0},
	 -1,
	 NULL,
	 1,
	 0.005},
	{"slider-crank.xml",
	 "node(crank).theta",
	 slider_crank_rate,
	 2,
	 {1.5707963267948966, 2},
	 0,
	 NULL,
	 2,
	 0.004},
	{"slider-crank.xml",
	 "node(slider).x",
	 slider_crank_rate,
	 2,
	 {1.5707963267948966, 2},
	 -1,
	 place_slider_crank,
	 2,
	 0.004},
	/* B moves with 1 m/s to the right from upright: the angle falls */
	{"four-bar.xml",
	 "node(c).x",
	 four_bar_rate,
	 2,
	 {1.5707963267948966, -1},
	 -1,
	 place_four_bar,
	 2,
	 0.005},
};

static double oracle_end(const struct oracle *o)
{
	/* fourth order with 2000 steps a second: errors of 1e-11 */
	const long steps = lround(2000 * o->end);
	double y[MAX_STATE];
	memcpy(y, o->start, sizeof y);
	rk4(o->rate, y, o->n, o->end / (double)steps, steps);
	if (o->coordinate >= 0)
		return y[o->coordinate];
	if (!o->place)
		return cos(y[0]);
	struct body b[MAX_BODIES];
	return b[o->place(y[0], b) - 1].x;
}

/* The end of a run at the wanted step differs by C h^2 from the oracle's. */
START_TEST(test_minimal_coordinates)
{
	for (size_t k = 0; k < LENGTH(oracles); k++) {
		const struct oracle *o = &oracles[k];
		const double exact = oracle_end(o);
		double error[2];
		for (int i = 0; i < 2; i++) {
			model m = model_of_file(o->netlist);
			bxt_table *t = model_run(&m,
						 &(bxt_run_def){.size = sizeof(bxt_run_def),
								.scheme = "gauss1",
								.step = o->step / (1 + i),
								.end = o->end,
								.record = o->signal},
						 NULL);
			error[i] = fabs(last_value(t, o->signal) - exact);
			bxt_table_free(t);
			model_free(&m);
		}
		const double order = log2(error[0] / error[1]);
		/* 1e-3: positions of about 1 m at some hundred steps a swing; 0.15: the next term
		 */
		ck_assert_msg(error[1] < 1e-3 && fabs(order - 2) < 0.15,
			      "%s, %s: errors %g and %g, order %.3f", o->netlist, o->signal,
			      error[0], error[1], order);
	}
}
END_TEST

/* Ten loops swing like one pendulum, and the couplers carry nothing. */
START_TEST(test_n_four_bar)
{
	model m = model_of_file("n-four-bar.xml");
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .scheme = "gauss1",
				 .step = 0.01,
				 .end = 5,
				 .record = "node(b0).y, node(b10).y, C4.length.lambda"};
	bxt_table *loops = model_run(&m, &def, NULL);
	bxt_table *one = run_text(
		NETLIST("<node id=\"p\" kind=\"planar\" x=\"0.6 m\" y=\"-0.8 m\"/>"
			"<point-mass id=\"M\" a=\"p\" m=\"1 kg\" g=\"9.81 m/s2\"/>"
			"<rod id=\"R\" a=\"wall\" b=\"p\" l=\"1 m\"/><record>node(p).y</record>"),
		&(bxt_run_def){
			.size = sizeof(bxt_run_def), .scheme = "gauss1", .step = 0.01, .end = 5});
	/* round-off of 500 steps, grown as frequencies of the pendulums drift apart */
	ck_assert_double_le(difference(one, "node(p).y", loops, "node(b0).y"), 1e-11);
	ck_assert_double_le(difference(one, "node(p).y", loops, "node(b10).y"), 1e-11);
	/* against the weights of 9.81 N, and a position's round-off by the stiffness 1/h^2 */
	ck_assert_double_le(largest(loops, "C4.length.lambda"), 1e-9);
	bxt_table_free(loops);
	bxt_table_free(one);
	model_free(&m);
}
END_TEST

/* A circle of 2 m about (0, 2 m); heading and roll are linear in time, which gauss1 has exactly. */
START_TEST(test_rolling_disk)
{
	double error[2];
	for (int i = 0; i < 2; i++) {
		model m = model_of_file("rolling-disk.xml");
		const double step = 0.05 / (1 + i);
		bxt_table *t = model_run(&m,
					 &(bxt_run_def){.size = sizeof(bxt_run_def),
							.step = step,
							.end = 2,
							.record = "node(centre).*, D.phi"},
					 NULL);
		ck_assert_double_eq_tol(last_value(t, "node(centre).theta"), 2, 1e-13);
		const double x = last_value(t, "node(centre).x"),
			     y = last_value(t, "node(centre).y");
		error[i] = hypot(x - 2 * sin(2), y - (2 - 2 * cos(2)));
		bxt_table_free(t);
		model_free(&m);
	}
	ck_assert_double_lt(error[1], 1e-3);
	ck_assert_double_eq_tol(log2(error[0] / error[1]), 2, 0.15);
}
END_TEST

/*
 * A disk on a rack, pulled with 3 N: m a + I a/r^2 = f, a = 3/(2 + 0.25/0.25) = 1 m/s2; it turns
 * clockwise. Constant acceleration is exact for gauss1.
 */
START_TEST(test_rack)
{
	bxt_table *t = run_text(
		NETLIST("<node id=\"c\" kind=\"planar\" y=\"0.75 m\"/>"
			"<rigid-body id=\"D\" a=\"c\" m=\"2 kg\" J=\"0.25 kg.m2\" g=\"9.81 m/s2\"/>"
			"<rack-contact id=\"K\" a=\"wall\" b=\"c\" r=\"0.5 m\" y0=\"0.25 m\"/>"
			"<point-force id=\"F\" a=\"c\" fx=\"3 N\"/>"
			"<record>node(c).*, K.contact.lambda, K.roll.lambda</record>"),
		&(bxt_run_def){.size = sizeof(bxt_run_def), .step = 0.125, .end = 2});
	/* round-off of 16 steps */
	ck_assert_double_eq_tol(last_value(t, "node(c).x"), 2, 1e-13);
	ck_assert_double_eq_tol(last_value(t, "node(c).theta"), -4, 1e-13);
	ck_assert_double_eq_tol(last_value(t, "node(c).y"), 0.75, 1e-15);
	ck_assert_double_eq_tol(last_value(t, "K.contact.lambda"), 2 * G, 1e-12);
	ck_assert_double_eq_tol(last_value(t, "K.roll.lambda"), 2 - 3, 1e-12); /* m a - f */
	bxt_table_free(t);
}
END_TEST

/* A crank that is turned: the angle is given, the mass at its end goes round. */
START_TEST(test_prescribed)
{
	bxt_table *t = run_text(
		NETLIST("<node id=\"c\" kind=\"planar\"/>"
			"<node id=\"e\" kind=\"planar\" x=\"0.5 m\"/>"
			"<rigid-body id=\"D\" a=\"c\" m=\"2 kg\" J=\"0.25 kg.m2\"/>"
			"<pin id=\"P\" a=\"c\"/><body-point id=\"E\" a=\"c\" b=\"e\" ax=\"0.5 m\"/>"
			"<point-mass id=\"M\" a=\"e\" m=\"1 kg\"/>"
			"<prescribed-rotation id=\"R\" a=\"wall\" b=\"c\" Theta=\"=t + t^2/2\"/>"
			"<record>node(c).theta, node(e).x, node(e).y</record>"),
		&(bxt_run_def){.size = sizeof(bxt_run_def), .step = 0.001, .end = 2});
	/* a rate that is linear in t is integrated exactly */
	ck_assert_double_eq_tol(last_value(t, "node(c).theta"), 4, 1e-11);
	/* second order: (h w)^2/24 t w of the radius, w up to 3 rad/s */
	ck_assert_double_eq_tol(last_value(t, "node(e).x"), 0.5 * cos(4), 2e-6);
	ck_assert_double_eq_tol(last_value(t, "node(e).y"), 0.5 * sin(4), 2e-6);
	bxt_table_free(t);
}
END_TEST

/* A plate on springs comes to rest where each carries half the weight; the driven tricycle turns as
 * its steering says. */
START_TEST(test_rest_and_steering)
{
	model m = model_of_file("hung-plate.xml");
	bxt_table *t = model_run(&m, &(bxt_run_def){.size = sizeof(bxt_run_def), .end = 60}, NULL);
	/* what is left of the swing after a minute, exp(-t/10 s) of centimetres */
	ck_assert_double_eq_tol(last_value(t, "node(plate).y"), -0.5 - 0.9 - G / 100, 1e-5);
	bxt_table_free(t);
	model_free(&m);
	m = model_of_file("steered-vehicle.xml");
	t = model_run(&m, &(bxt_run_def){.size = sizeof(bxt_run_def)}, NULL);
	double most = 0;
	for (size_t i = 1; i + 1 < bxt_table_rows(t); i++) {
		const double angle = 0.3 * (1 - cos(bxt_table_time(t, i)));
		const double rate = 0.3 * value_at(t, i, "node(axle).omega") * tan(angle);
		/* means of neighbouring stages: h^2/8 of a second derivative of about 1 */
		ck_assert_double_eq_tol(value_at(t, i, "node(frame).omega"), rate, 5e-5);
		most = fmax(most, fabs(rate));
	}
	ck_assert_double_gt(most, 1); /* it has turned */
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* ---- Invariants ---- */

static const struct {
	const char *netlist;
	double energy; /* [J] what is exchanged */
} mechanisms[] = {
	{"pendulum-cartesian.xml", 10}, {"double-pendulum-points.xml", 40},
	{"slider-crank.xml", 30},       {"four-bar.xml", 60},
	{"n-four-bar.xml", 90},         {"rolling-disk.xml", 3},
	{"steered-vehicle.xml", 110},   {"crank-and-roller.xml", 110},
	{"pendulum-chain.xml", 2000},
};

START_TEST(test_invariants)
{
	for (size_t k = 0; k < LENGTH(mechanisms); k++) {
		model m = model_of_file(mechanisms[k].netlist);
		bxt_summary s;
		/* as shipped: a mistake in an initial value would be told */
		bxt_table_free(model_run(
			&m, &(bxt_run_def){.size = sizeof(bxt_run_def), .record = "energy"}, &s));
		ck_assert_msg(bxt_diagnostics_count(m.findings, BXT_WARNING) == 0, "%s: findings",
			      mechanisms[k].netlist);
		ck_assert_msg(!has_finding(&m, BXT_NOTE, "demand it"), "%s: an inexact start",
			      mechanisms[k].netlist);
		/* thousands of steps that are solved to round-off each */
		ck_assert_msg(fabs(s.total.residual) <=
				      1e-12 * (double)s.steps * mechanisms[k].energy / 100,
			      "%s: residual %g J", mechanisms[k].netlist, s.total.residual);
		for (size_t i = 0; i < s.n_drift; i++)
			ck_assert_msg(s.drift[i].max <= 1e-12, "%s: drift(%s) %g",
				      mechanisms[k].netlist, s.drift[i].family, s.drift[i].max);
		ck_assert_int_eq(s.halvings, 0);
		bxt_summary_free(&s);
		model_free(&m);
	}
}
END_TEST

/* Rods keep their lengths at grid points: the constraint is quadratic. */
START_TEST(test_length)
{
	model m = model_of_file("pendulum-cartesian.xml");
	bxt_table *t = model_run(&m,
				 &(bxt_run_def){.size = sizeof(bxt_run_def),
						.scheme = "gauss1",
						.step = 0.05,
						.end = 500,
						.every = 100,
						.record = "node(p).x, node(p).y"},
				 NULL);
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double x = value_at(t, i, "node(p).x"), y = value_at(t, i, "node(p).y");
		/* round-off of 10,000 steps, as a random walk 1e-14, at worst its sum 1e-12 */
		ck_assert_double_eq_tol(x * x + y * y, 1, 1e-12);
	}
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* ---- The same written otherwise ---- */

#define CRANK_NODES                                                                                \
	"<node id=\"crank\" kind=\"planar\" x=\"0 m\" y=\"0.3 m\" theta=\"=pi/2\" "                \
	"vx=\"-0.6 m/s\" omega=\"2 rad/s\"/>"                                                      \
	"<node id=\"rod\" kind=\"planar\" x=\"0.4 m\" y=\"0.3 m\" theta=\"=-asin(0.6)\" "          \
	"vx=\"-1.2 m/s\"/>"                                                                        \
	"<node id=\"slider\" kind=\"planar\" x=\"0.8 m\" vx=\"-1.2 m/s\"/>"
#define B1 "<rigid-body id=\"B1\" a=\"crank\" m=\"2 kg\" J=\"0.06 kg.m2\" g=\"9.81 m/s2\"/>"
#define B2 "<rigid-body id=\"B2\" a=\"rod\" m=\"1 kg\" J=\"0.08 kg.m2\" g=\"9.81 m/s2\"/>"
#define B3 "<rigid-body id=\"B3\" a=\"slider\" m=\"3 kg\" J=\"0.1 kg.m2\" g=\"9.81 m/s2\"/>"
#define P "<pin id=\"P\" a=\"crank\" ax=\"-0.3 m\"/>"
#define H1 "<revolute id=\"H1\" a=\"crank\" b=\"rod\" ax=\"0.3 m\" bx=\"-0.5 m\"/>"
#define H1_SWAPPED "<revolute id=\"H1\" a=\"rod\" b=\"crank\" ax=\"-0.5 m\" bx=\"0.3 m\"/>"
#define H2 "<revolute id=\"H2\" a=\"rod\" b=\"slider\" ax=\"0.5 m\"/>"
#define S "<prismatic id=\"S\" a=\"wall\" b=\"slider\"/>"
#define RECORD "<record>node(crank).theta, node(rod).theta, node(slider).x</record>"

START_TEST(test_order_of_elements)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .step = 0.005, .end = 2};
	bxt_table *a = run_text(NETLIST(CRANK_NODES B1 B2 B3 P H1 H2 S RECORD), &def);
	const char *const others[] = {
		NETLIST(S H2 H1 P B3 B2 B1 CRANK_NODES RECORD),
		NETLIST(H1_SWAPPED B3 B1 CRANK_NODES S P B2 H2 RECORD),
	};
	for (size_t k = 0; k < LENGTH(others); k++) {
		bxt_table *b = run_text(others[k], &def);
		/* the order of sums differs: round-off of 400 steps */
		ck_assert_double_le(difference(a, "node(crank).theta", b, "node(crank).theta"),
				    1e-11);
		ck_assert_double_le(difference(a, "node(slider).x", b, "node(slider).x"), 1e-11);
		bxt_table_free(b);
	}
	bxt_table_free(a);
}
END_TEST

/* A double pendulum torn at its middle: two rows of Sigma_Q, the same trajectory. */
START_TEST(test_torn)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .step = 0.005, .end = 1.5};
	model m = model_of_file("double-pendulum-points.xml");
	bxt_table *whole = model_run(
		&m, &(bxt_run_def){.size = sizeof(bxt_run_def), .step = 0.005, .end = 1.5}, NULL);
	bxt_table *torn = run_text(
		NETLIST("<subsystem id=\"upper\"><node id=\"p\" kind=\"planar\" x=\"1 m\"/>"
			"<point-mass id=\"M1\" a=\"p\" m=\"1 kg\" g=\"9.81 m/s2\"/>"
			"<rod id=\"R1\" a=\"wall\" b=\"p\" l=\"1 m\"/>"
			"<port id=\"s\" node=\"p\"/></subsystem>"
			"<subsystem id=\"lower\"><node id=\"p\" kind=\"planar\" x=\"1 m\"/>"
			"<node id=\"q\" kind=\"planar\" x=\"2 m\"/>"
			"<point-mass id=\"M2\" a=\"q\" m=\"1 kg\" g=\"9.81 m/s2\"/>"
			"<rod id=\"R2\" a=\"p\" b=\"q\" l=\"1 m\"/>"
			"<port id=\"s\" node=\"p\"/></subsystem>"
			"<interconnection><connect id=\"c\" a=\"upper.s\" b=\"lower.s\"/>"
			"</interconnection><record>node(upper.p).x, node(lower.p).x, node(q).x, "
			"c.lambda</record>"),
		&def);
	ck_assert_uint_eq(bxt_table_columns(torn), 5); /* c.1.lambda, c.2.lambda */
	/* round-off of 300 steps, grown by the chaos of 1.5 s */
	ck_assert_double_le(difference(whole, "node(q).x", torn, "node(lower.q).x"), 1e-11);
	ck_assert_double_le(difference(torn, "node(upper.p).x", torn, "node(lower.p).x"), 1e-14);
	bxt_table_free(whole);
	bxt_table_free(torn);
	model_free(&m);
}
END_TEST

/* ---- Chains ---- */

static char *chain_text(const chain *c)
{
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);
	ck_assert_ptr_nonnull(stream);
	ck_assert(chain_write_netlist(c, stream));
	fclose(stream);
	return text;
}

/* netlists/pendulum-chain.xml is what the generator writes. */
START_TEST(test_chain_shipped)
{
	const chain c = chain_make(20, false, 500);
	char path[4096], *text = chain_text(&c), *read = calloc(strlen(text) + 2, 1);
	snprintf(path, sizeof path, "%s/pendulum-chain.xml", getenv("BXT_NETLISTS"));
	FILE *f = fopen(path, "r");
	ck_assert(f && read);
	ck_assert_uint_eq(fread(read, 1, strlen(text) + 1, f), strlen(text));
	ck_assert_str_eq(read, text);
	fclose(f);
	free(read);
	free(text);
}
END_TEST

/* A thousand links: as many unknowns as there must be, all constraints, the energy. */
START_TEST(test_chain)
{
	for (int bodies = 0; bodies < 2; bodies++) {
		const chain c = chain_make(1000, bodies, 50);
		char *text = chain_text(&c);
		model m = model_of_text(text);
		bxt_summary s;
		bxt_table_free(model_run(&m, &(bxt_run_def){.size = sizeof(bxt_run_def)}, &s));
		ck_assert_int_eq(s.coordinates, bodies ? 3000 : 2000);
		ck_assert_int_eq(s.rows, bodies ? 2000 : 1000);
		ck_assert_double_le(s.drift[0].max, 1e-12);
		/* in 0.5 s the links have fallen about a metre, 1e4 J, each to round-off */
		ck_assert_double_le(fabs(s.total.residual), 1e-9);
		bxt_summary_free(&s);
		model_free(&m);
		free(text);
	}
}
END_TEST

/* One bar on a hinge: the physical pendulum a'' = -(3/2) g cos(a) / l. */
static void bar_rate(const double *y, double *rate)
{
	rate[0] = y[1];
	rate[1] = -1.5 * G * cos(y[0]);
}

START_TEST(test_one_bar)
{
	const chain c = chain_make(1, true, 100);
	char *text = chain_text(&c);
	model m = model_of_text(text);
	double y[2] = {0, 0};
	rk4(bar_rate, y, 2, 1e-3, 1000);
	bxt_table *t = model_run(
		&m,
		&(bxt_run_def){.size = sizeof(bxt_run_def), .record = "node(n1).theta, node(n1).x"},
		NULL);
	/* second order: (h w)^2/12 w t for w of some rad/s is 1e-3 */
	ck_assert_double_eq_tol(last_value(t, "node(n1).theta"), y[0], 2e-3);
	ck_assert_double_gt(fabs(y[0]), PI / 2); /* it has swung */
	bxt_table_free(t);
	model_free(&m);
	free(text);
}
END_TEST

TEST_SUITE("mechanisms")
{
	const test_case tests[] = {
		{"minimal coordinates", test_minimal_coordinates, .slow = true},
		{"n four-bars", test_n_four_bar},
		{"rolling disk", test_rolling_disk},
		{"rack", test_rack},
		{"prescribed rotation", test_prescribed},
		{"rest and steering", test_rest_and_steering, .slow = true},
		{"invariants", test_invariants, .slow = true},
		{"length", test_length},
		{"order of elements", test_order_of_elements, .slow = true},
		{"torn", test_torn},
		{"chain as shipped", test_chain_shipped},
		{"chain", test_chain, .slow = true},
		{"one bar", test_one_bar},
	};
	ADD_TESTS(tests);
}
