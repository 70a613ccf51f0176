/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Andrews' squeezing mechanism (E. Hairer and G. Wanner, Solving Ordinary Differential Equations
 * II, section VII.7) and Kepler's problem.
 *
 *     M(q) w = f(q, v) - G(q)^T lambda ,   g(q) = 0 ,   G = dg/dq
 *
 * for RADAU5 with the unknowns q, v, w, lambda and the positions as rows (index 3); for IDA with q,
 * v, lambda, mu, the velocities as rows and positions held by q' = v - G^T mu (C. W. Gear, B.
 * Leimkuhler and G. K. Gupta, 1985), since IDA does not integrate index 3.
 */
#include "bench/peer.h"
#include "bench/peer_linear.h"

#include <math.h>
#include <string.h>

static void see_first(const peer_problem *p, double t, const double *y, double *seen)
{
	(void)t;
	memcpy(seen, y, (size_t)p->n_seen * sizeof *seen);
}

/* ---- Kepler ---- */

static const double PI = 3.14159265358979323846, ECCENTRICITY = 0.9;

static void kepler_right(const peer_problem *p, double t, const double *y, double *f)
{
	(void)p, (void)t;
	const double r2 = y[0] * y[0] + y[1] * y[1], cube = r2 * sqrt(r2);
	f[0] = y[2];
	f[1] = y[3];
	f[2] = -y[0] / cube;
	f[3] = -y[1] / cube;
}

static void kepler_slopes(const peer_problem *p, double t, const double *y, peer_entries *e)
{
	(void)p, (void)t;
	const double r2 = y[0] * y[0] + y[1] * y[1], cube = r2 * sqrt(r2), fifth = cube * r2;
	peer_put(e, 0, 2, 1);
	peer_put(e, 1, 3, 1);
	peer_put(e, 2, 0, 3 * y[0] * y[0] / fifth - 1 / cube);
	peer_put(e, 2, 1, 3 * y[0] * y[1] / fifth);
	peer_put(e, 3, 0, 3 * y[0] * y[1] / fifth);
	peer_put(e, 3, 1, 3 * y[1] * y[1] / fifth - 1 / cube);
}

static void unit_mass(const peer_problem *p, peer_entries *e)
{
	for (int i = 0; i < p->n; i++)
		peer_put(e, i, i, 1);
}

static void kepler_begin(peer_problem *p, double *y, double *dot)
{
	y[0] = 1 - ECCENTRICITY;
	y[1] = y[2] = 0;
	y[3] = sqrt((1 + ECCENTRICITY) / (1 - ECCENTRICITY));
	p->right(p, 0, y, dot);
}

peer_problem *peer_kepler(void)
{
	static peer_problem p = {.name = "Kepler, e = 0.9",
				 .n = 4,
				 .begin = kepler_begin,
				 .right = kepler_right,
				 .slopes = kepler_slopes,
				 .mass = unit_mass,
				 .n_seen = 2,
				 .see = see_first};
	p.end = 10 * PI;
	return &p;
}

/* ---- Andrews ---- */

enum { BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON, ANGLES, ROWS = 6 };

static const double M1 = .04325, M2 = .00365, M3 = .02373, M4 = .00706, M5 = .07050, M6 = .00706,
		    M7 = .05498;
static const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
		    I6 = 5.667e-7, I7 = 1.912e-5;
static const double XA = -.06934, YA = -.00227, XB = -.03635, YB = .03273, XC = .014, YC = .072,
		    C0 = 4530, L0 = .07785, D = .028, DA = .0115, E = .02, EA = .01421, RR = .007,
		    RA = .00092, SS = .035, SA = .01874, SB = .01043, SC = .018, SD = .02,
		    TA = .02308, TB = .00916, U = .04, UA = .01228, UB = .00449, ZF = .02, ZT = .04,
		    FA = .01421, TORQUE = .033;
static const double K1 = M2 * DA * RR, K4 = M4 * ZT * (E - EA), K6 = M6 * U * (ZF - FA);

/* Directions: beta, beta + Theta, gamma, Phi + delta, delta, Omega + epsilon, epsilon. */
enum { DIRECTIONS = 7 };
static const signed char made_of[DIRECTIONS][2] = {{BETA, -1},   {BETA, THETA}, {GAMMA, -1},
						   {PHI, DELTA}, {DELTA, -1},   {OMEGA, EPSILON},
						   {EPSILON, -1}};

/* g: sums of amplitudes times sines or cosines of directions, less constants. */
static const struct part {
	int row, direction;
	bool sine;
	double amplitude;
} parts[] = {{0, 0, false, RR},  {0, 1, false, -D},  {0, 2, true, -SS}, {1, 0, true, RR},
	     {1, 1, true, -D},   {1, 2, false, SS},  {2, 0, false, RR}, {2, 1, false, -D},
	     {2, 3, true, -E},   {2, 4, false, -ZT}, {3, 0, true, RR},  {3, 1, true, -D},
	     {3, 3, false, E},   {3, 4, true, -ZT},  {4, 0, false, RR}, {4, 1, false, -D},
	     {4, 5, false, -ZF}, {4, 6, true, -U},   {5, 0, true, RR},  {5, 1, true, -D},
	     {5, 5, true, -ZF},  {5, 6, false, U}};
enum { PARTS = sizeof parts / sizeof *parts };
static const double minus[ROWS] = {XB, YB, XA, YA, XA, YA};

struct trigonometry {
	double sine[DIRECTIONS], cosine[DIRECTIONS];
};

static void find_directions(const double *q, struct trigonometry *d)
{
	for (int k = 0; k < DIRECTIONS; k++) {
		const double angle = q[made_of[k][0]] + (made_of[k][1] < 0 ? 0 : q[made_of[k][1]]);
		d->sine[k] = sin(angle);
		d->cosine[k] = cos(angle);
	}
}

static double value_of(const struct part *p, const struct trigonometry *d)
{
	return p->amplitude * (p->sine ? d->sine : d->cosine)[p->direction];
}

static double slope_of(const struct part *p, const struct trigonometry *d)
{
	return p->amplitude * (p->sine ? d->cosine[p->direction] : -d->sine[p->direction]);
}

static void positions(const struct trigonometry *d, double *g)
{
	for (int k = 0; k < ROWS; k++)
		g[k] = -minus[k];
	for (int k = 0; k < PARTS; k++)
		g[parts[k].row] += value_of(&parts[k], d);
}

/* to (7) += G^T lambda */
static void add_forces(const struct trigonometry *d, const double *lambda, double *to)
{
	for (int k = 0; k < PARTS; k++) {
		const signed char *angle = made_of[parts[k].direction];
		const double a = slope_of(&parts[k], d) * lambda[parts[k].row];
		to[angle[0]] += a;
		if (angle[1] >= 0)
			to[angle[1]] += a;
	}
}

/* to (6) = G v */
static void velocities(const struct trigonometry *d, const double *v, double *to)
{
	memset(to, 0, ROWS * sizeof *to);
	for (int k = 0; k < PARTS; k++) {
		const signed char *angle = made_of[parts[k].direction];
		to[parts[k].row] +=
			slope_of(&parts[k], d) * (v[angle[0]] + (angle[1] < 0 ? 0 : v[angle[1]]));
	}
}

/* Entries of G, or of its transpose. */
static void put_rows(const struct trigonometry *d, int row, int col, double share, bool transpose,
		     peer_entries *e)
{
	for (int k = 0; k < PARTS; k++)
		for (int s = 0; s < 2; s++) {
			const int angle = made_of[parts[k].direction][s];
			if (angle >= 0 && !transpose)
				peer_put(e, row + parts[k].row, col + angle,
					 share * slope_of(&parts[k], d));
			else if (angle >= 0)
				peer_put(e, row + angle, col + parts[k].row,
					 share * slope_of(&parts[k], d));
		}
}

/* share d(G^T lambda)/dq */
static void put_curvature(const struct trigonometry *d, const double *lambda, int row, int col,
			  double share, peer_entries *e)
{
	for (int k = 0; k < PARTS; k++) {
		const double a = -share * lambda[parts[k].row] * value_of(&parts[k], d);
		const signed char *angle = made_of[parts[k].direction];
		for (int i = 0; i < 2; i++)
			for (int j = 0; j < 2; j++)
				if (angle[i] >= 0 && angle[j] >= 0)
					peer_put(e, row + angle[i], col + angle[j], a);
	}
}

/* d(G v)/dq */
static void put_turning(const struct trigonometry *d, const double *v, int row, int col,
			peer_entries *e)
{
	for (int k = 0; k < PARTS; k++) {
		const signed char *angle = made_of[parts[k].direction];
		const double rate = v[angle[0]] + (angle[1] < 0 ? 0 : v[angle[1]]);
		for (int j = 0; j < 2; j++)
			if (angle[j] >= 0)
				peer_put(e, row + parts[k].row, col + angle[j],
					 -value_of(&parts[k], d) * rate);
	}
}

/* Those that vary, and the others. */
struct inertia {
	double m11, m21, m54, m55, m76, m77;
};
static const double M22 = M2 * DA * DA + I2, M33 = M3 * (SA * SA + SB * SB) + I3,
		    M44 = M4 * (E - EA) * (E - EA) + I4, M66 = M6 * (ZF - FA) * (ZF - FA) + I6;

static struct inertia inertia_at(const double *q)
{
	const double by_theta = cos(q[THETA]), by_phi = sin(q[PHI]), by_omega = sin(q[OMEGA]);
	return (struct inertia){.m11 = M1 * RA * RA + M2 * (RR * RR + DA * DA) - 2 * K1 * by_theta +
				       I1 + I2,
				.m21 = M2 * DA * DA - K1 * by_theta + I2,
				.m54 = M44 + K4 * by_phi,
				.m55 = M4 * (ZT * ZT + (E - EA) * (E - EA)) + 2 * K4 * by_phi +
				       M5 * (TA * TA + TB * TB) + I4 + I5,
				.m76 = M66 - K6 * by_omega,
				.m77 = M6 * ((ZF - FA) * (ZF - FA) + U * U) - 2 * K6 * by_omega +
				       M7 * (UA * UA + UB * UB) + I6 + I7};
}

/* to = M w */
static void times_inertia(const struct inertia *m, const double *w, double *to)
{
	to[0] = m->m11 * w[0] + m->m21 * w[1];
	to[1] = m->m21 * w[0] + M22 * w[1];
	to[2] = M33 * w[2];
	to[3] = M44 * w[3] + m->m54 * w[4];
	to[4] = m->m54 * w[3] + m->m55 * w[4];
	to[5] = M66 * w[5] + m->m76 * w[6];
	to[6] = m->m76 * w[5] + m->m77 * w[6];
}

static void put_inertia(const struct inertia *m, int row, int col, double share, peer_entries *e)
{
	const double own[ANGLES] = {m->m11, M22, M33, M44, m->m55, M66, m->m77};
	const double mixed[3] = {m->m21, m->m54, m->m76};
	for (int i = 0; i < ANGLES; i++)
		peer_put(e, row + i, col + i, share * own[i]);
	for (int i = 0; i < 3; i++) {
		const int a = i == 0 ? 0 : 2 * i + 1;
		peer_put(e, row + a, col + a + 1, share * mixed[i]);
		peer_put(e, row + a + 1, col + a, share * mixed[i]);
	}
}

/* The spring's moment about b, and its slope. */
static double spring(const double *q, double *slope)
{
	const double s = sin(q[GAMMA]), c = cos(q[GAMMA]), rx = SD * c + SC * s,
		     ry = SD * s - SC * c, x = rx + XB - XC, y = ry + YB - YC, l = hypot(x, y);
	const double l1 = (-x * ry + y * rx) / l;
	const double l2 = (rx * rx + ry * ry - x * rx - y * ry - l1 * l1) / l;
	*slope = -C0 * (l1 * l1 + (l - L0) * l2);
	return -C0 * (l - L0) * l1;
}

static void forces(const double *q, const double *v, double *f)
{
	const double theta = K1 * sin(q[THETA]), phi = K4 * cos(q[PHI]), omega = K6 * cos(q[OMEGA]);
	double slope;
	f[0] = TORQUE - theta * v[THETA] * (v[THETA] + 2 * v[BETA]);
	f[1] = theta * v[BETA] * v[BETA];
	f[2] = spring(q, &slope);
	f[3] = phi * v[DELTA] * v[DELTA];
	f[4] = -phi * v[PHI] * (v[PHI] + 2 * v[DELTA]);
	f[5] = -omega * v[EPSILON] * v[EPSILON];
	f[6] = omega * v[OMEGA] * (v[OMEGA] + 2 * v[EPSILON]);
}

/* share d(M w - f)/dq, and by v */
static void put_forces(const double *q, const double *v, const double *w, int row, int col_q,
		       int col_v, double share, peer_entries *e)
{
	const double st = share * K1 * sin(q[THETA]), ct = share * K1 * cos(q[THETA]),
		     sp = share * K4 * sin(q[PHI]), cp = share * K4 * cos(q[PHI]),
		     so = share * K6 * sin(q[OMEGA]), co = share * K6 * cos(q[OMEGA]);
	const double b = v[BETA], t = v[THETA], p = v[PHI], d = v[DELTA], o = v[OMEGA],
		     n = v[EPSILON];
	double slope;
	spring(q, &slope);
	peer_put(e, row, col_q + THETA, st * (2 * w[0] + w[1]) + ct * t * (t + 2 * b));
	peer_put(e, row + 1, col_q + THETA, st * w[0] - ct * b * b);
	peer_put(e, row + 2, col_q + GAMMA, -share * slope);
	peer_put(e, row + 3, col_q + PHI, cp * w[4] + sp * d * d);
	peer_put(e, row + 4, col_q + PHI, cp * (w[3] + 2 * w[4]) - sp * p * (p + 2 * d));
	peer_put(e, row + 5, col_q + OMEGA, -co * w[6] - so * n * n);
	peer_put(e, row + 6, col_q + OMEGA, -co * (w[5] + 2 * w[6]) + so * o * (o + 2 * n));
	peer_put(e, row, col_v + THETA, st * 2 * (t + b));
	peer_put(e, row, col_v + BETA, st * 2 * t);
	peer_put(e, row + 1, col_v + BETA, -st * 2 * b);
	peer_put(e, row + 3, col_v + DELTA, -cp * 2 * d);
	peer_put(e, row + 4, col_v + PHI, cp * 2 * (p + d));
	peer_put(e, row + 4, col_v + DELTA, cp * 2 * p);
	peer_put(e, row + 5, col_v + EPSILON, co * 2 * n);
	peer_put(e, row + 6, col_v + OMEGA, -co * 2 * (o + n));
	peer_put(e, row + 6, col_v + EPSILON, -co * 2 * o);
}

/* At rest; accelerations and multipliers by M w + G^T lambda = f, G w = 0. */
static void start_at_rest(double *q, double *v, double *w, double *lambda)
{
	static const double at[ANGLES] = {
		-0.0617138900142764496358948458001, 0,
		0.455279819163070380255912382449,   0.222668390165885884674473185609,
		0.487364979543842550225598953530,   -0.222668390165885884674473185609,
		1.23054744454982119249735015568};
	struct trigonometry d;
	peer_pattern pattern = {0};
	peer_entries e = {0};
	peer_linear l = {0};
	double x[ANGLES + ROWS] = {0};
	memcpy(q, at, sizeof at);
	memset(v, 0, sizeof at);
	find_directions(q, &d);
	const struct inertia m = inertia_at(q);
	forces(q, v, x);
	for (int turn = 0; turn < 2; turn++) {
		put_inertia(&m, 0, 0, 1, &e);
		put_rows(&d, 0, ANGLES, 1, true, &e);
		put_rows(&d, ANGLES, 0, 1, false, &e);
		peer_entries *const sets[] = {&e};
		if (turn == 0 && (!peer_pattern_make(ANGLES + ROWS, sets, 1, &pattern) ||
				  !peer_linear_new(&l, &pattern, false)))
			break;
		if (turn == 0)
			peer_entries_begin(&e, &pattern, l.values);
		else if (peer_linear_factor(&l))
			peer_linear_solve(&l, x);
	}
	memcpy(w, x, ANGLES * sizeof *w);
	memcpy(lambda, x + ANGLES, ROWS * sizeof *lambda);
	peer_linear_free(&l);
	peer_entries_free(&e);
	peer_pattern_free(&pattern);
}

/* Unknowns. */
enum { Q = 0, V = 7, W = 14, LAMBDA = 21, INDEX3 = 27 };

static void andrews_begin(peer_problem *p, double *y, double *dot)
{
	start_at_rest(y + Q, y + V, y + W, y + LAMBDA);
	memset(dot, 0, (size_t)p->n * sizeof *dot);
}

static void andrews_right(const peer_problem *p, double t, const double *y, double *f)
{
	(void)p, (void)t;
	struct trigonometry d;
	double force[ANGLES];
	find_directions(y, &d);
	const struct inertia m = inertia_at(y);
	memcpy(f, y + V, 2 * ANGLES * sizeof *f);
	times_inertia(&m, y + W, f + W);
	forces(y, y + V, force);
	for (int i = 0; i < ANGLES; i++)
		f[W + i] -= force[i];
	add_forces(&d, y + LAMBDA, f + W);
	positions(&d, f + LAMBDA);
}

static void andrews_slopes(const peer_problem *p, double t, const double *y, peer_entries *e)
{
	(void)p, (void)t;
	struct trigonometry d;
	find_directions(y, &d);
	const struct inertia m = inertia_at(y);
	for (int i = 0; i < 2 * ANGLES; i++)
		peer_put(e, i, V + i, 1);
	put_inertia(&m, W, W, 1, e);
	put_forces(y, y + V, y + W, W, Q, V, 1, e);
	put_curvature(&d, y + LAMBDA, W, Q, 1, e);
	put_rows(&d, W, LAMBDA, 1, true, e);
	put_rows(&d, LAMBDA, Q, 1, false, e);
}

static void andrews_mass(const peer_problem *p, peer_entries *e)
{
	(void)p;
	for (int i = 0; i < 2 * ANGLES; i++)
		peer_put(e, i, i, 1);
}

peer_problem *peer_andrews(void)
{
	static double typical[INDEX3];
	static peer_problem p = {.name = "Andrews' squeezer",
				 .n = INDEX3,
				 .end = 0.03,
				 .begin = andrews_begin,
				 .right = andrews_right,
				 .slopes = andrews_slopes,
				 .mass = andrews_mass,
				 .of_index = {ANGLES, ANGLES, ANGLES + ROWS},
				 .typical = typical,
				 .n_seen = ANGLES,
				 .see = see_first};
	for (int i = 0; i < INDEX3; i++) /* [rad], [rad/s], [rad/s2], [N] */
		typical[i] = i < V ? 1 : i < W ? 1e3 : i < LAMBDA ? 1e6 : 100;
	return &p;
}

/* ---- The form for IDA ---- */

enum { OF_POSITIONS = 14, OF_FORCES = 14, MU = 20, GGL = 26 };

static void ggl_begin(peer_problem *p, double *y, double *dot)
{
	memset(y, 0, (size_t)p->n * sizeof *y);
	memset(dot, 0, (size_t)p->n * sizeof *dot);
	start_at_rest(y + Q, y + V, dot + V, y + OF_FORCES);
}

static void ggl_residual(const peer_problem *p, double t, const double *y, const double *dot,
			 double *r)
{
	(void)p, (void)t;
	struct trigonometry d;
	double force[ANGLES];
	find_directions(y, &d);
	const struct inertia m = inertia_at(y);
	for (int i = 0; i < ANGLES; i++)
		r[i] = dot[i] - y[V + i];
	add_forces(&d, y + MU, r);
	times_inertia(&m, dot + V, r + V);
	forces(y, y + V, force);
	for (int i = 0; i < ANGLES; i++)
		r[V + i] -= force[i];
	add_forces(&d, y + OF_FORCES, r + V);
	positions(&d, r + OF_POSITIONS);
	velocities(&d, y + V, r + OF_POSITIONS + ROWS);
}

static void ggl_matrix(const peer_problem *p, double t, double c, const double *y,
		       const double *dot, peer_entries *e)
{
	(void)p, (void)t;
	struct trigonometry d;
	find_directions(y, &d);
	const struct inertia m = inertia_at(y);
	for (int i = 0; i < ANGLES; i++) {
		peer_put(e, i, i, c);
		peer_put(e, i, V + i, -1);
	}
	put_curvature(&d, y + MU, Q, Q, 1, e);
	put_rows(&d, Q, MU, 1, true, e);
	put_inertia(&m, V, V, c, e);
	put_forces(y, y + V, dot + V, V, Q, V, 1, e);
	put_curvature(&d, y + OF_FORCES, V, Q, 1, e);
	put_rows(&d, V, OF_FORCES, 1, true, e);
	put_rows(&d, OF_POSITIONS, Q, 1, false, e);
	put_turning(&d, y + V, OF_POSITIONS + ROWS, Q, e);
	put_rows(&d, OF_POSITIONS + ROWS, V, 1, false, e);
}

peer_problem *peer_andrews_ggl(void)
{
	static double typical[GGL];
	static bool algebraic[GGL];
	static peer_problem p = {.name = "Andrews' squeezer, index 2",
				 .n = GGL,
				 .end = 0.03,
				 .begin = ggl_begin,
				 .residual = ggl_residual,
				 .matrix = ggl_matrix,
				 .algebraic = algebraic,
				 .typical = typical,
				 .n_seen = ANGLES,
				 .see = see_first};
	/* Multipliers are in no test, of local errors (that of an index-2 variable would not shrink
	 * with the step) or of Newton's method: IDA meets both with fewer iterations so. */
	for (int i = 0; i < GGL; i++) {
		algebraic[i] = i >= 2 * ANGLES;
		typical[i] = i < V ? 1 : algebraic[i] ? 1e40 : 1e3;
	}
	return &p;
}
