/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Circuits in nodal form. Transistor amplifier and ring modulator: F. Mazzia and C. Magherini, Test
 * Set for IVP Solvers. The inverters are those of netlists/cmos-inverter-chain.xml, the diode
 * ladder that of ladder.h.
 */
#include "bench/ladder.h"
#include "bench/peer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static void see_first(const peer_problem *p, double t, const double *y, double *seen)
{
	(void)t;
	memcpy(seen, y, (size_t)p->n_seen * sizeof *seen);
}

/* y' = f where M is the unit matrix. */
static void begin_explicit(const peer_problem *p, const double *y, double *dot)
{
	p->right(p, 0, y, dot);
}

static void unit_mass(const peer_problem *p, peer_entries *e)
{
	for (int i = 0; i < p->n; i++)
		peer_put(e, i, i, 1);
}

/* ---- Transistor amplifier: 8 nodes, index 1 ---- */

static const double R0 = 1000, R = 9000, UB = 6, UF = 0.026, ALPHA = 0.99, BETA = 1e-6, C = 1e-6;

static double junction(double u)
{
	return BETA * (exp(u / UF) - 1);
}

static double junction_slope(double u)
{
	return BETA / UF * exp(u / UF);
}

static void amplifier_right(const peer_problem *p, double t, const double *y, double *f)
{
	(void)p;
	const double ue = 0.1 * sin(200 * PI * t), g1 = junction(y[1] - y[2]),
		     g2 = junction(y[4] - y[5]);
	f[0] = (y[0] - ue) / R0;
	f[1] = y[1] / R + (y[1] - UB) / R + (1 - ALPHA) * g1;
	f[2] = y[2] / R - g1;
	f[3] = (y[3] - UB) / R + ALPHA * g1;
	f[4] = y[4] / R + (y[4] - UB) / R + (1 - ALPHA) * g2;
	f[5] = y[5] / R - g2;
	f[6] = (y[6] - UB) / R + ALPHA * g2;
	f[7] = y[7] / R;
}

static void amplifier_slopes(const peer_problem *p, double t, const double *y, peer_entries *e)
{
	(void)p, (void)t;
	static const double leak[8] = {1 / R0, 2 / R, 1 / R, 1 / R, 2 / R, 1 / R, 1 / R, 1 / R};
	for (int i = 0; i < 8; i++)
		peer_put(e, i, i, leak[i]);
	for (int b = 1; b < 5; b += 3) { /* the base; the emitter and the collector follow */
		static const double share[3] = {1 - ALPHA, -1, ALPHA};
		const double g = junction_slope(y[b] - y[b + 1]);
		for (int i = 0; i < 3; i++) {
			peer_put(e, b + i, b, share[i] * g);
			peer_put(e, b + i, b + 1, -share[i] * g);
		}
	}
}

/* Of capacitor k = 1 ... 5, with k C, between the node `a` and the next one, or the ground. */
static void amplifier_mass(const peer_problem *p, peer_entries *e)
{
	(void)p;
	static const int first[5] = {0, 2, 3, 5, 6};
	for (int k = 0; k < 5; k++) {
		const double c = (k + 1) * C;
		const int a = first[k];
		peer_put(e, a, a, -c);
		if (k % 2)
			continue;
		peer_put(e, a, a + 1, c);
		peer_put(e, a + 1, a, c);
		peer_put(e, a + 1, a + 1, -c);
	}
}

/* The currents of each loop add up to 0, so their rates do. */
static void amplifier_begin(peer_problem *p, double *y, double *dot)
{
	static const double at[8] = {0, UB / 2, UB / 2, UB, UB / 2, UB / 2, UB, 0};
	double f[8];
	memcpy(y, at, sizeof at);
	p->right(p, 0, y, f);
	const double ue_dot = 20 * PI, g1 = junction_slope(0), g2 = junction_slope(0);
	const double over1 = -f[0] / C, over3 = -f[3] / (3 * C), over5 = -f[6] / (5 * C);
	dot[2] = -f[2] / (2 * C);
	dot[5] = -f[5] / (4 * C);
	dot[1] = (ue_dot / R0 - over1 / R0 + (1 - ALPHA) * g1 * dot[2]) /
		 (1 / R0 + 2 / R + (1 - ALPHA) * g1);
	dot[0] = dot[1] + over1;
	dot[4] = (-over3 / R - ALPHA * g1 * (dot[1] - dot[2]) + (1 - ALPHA) * g2 * dot[5]) /
		 (3 / R + (1 - ALPHA) * g2);
	dot[3] = dot[4] + over3;
	dot[7] = (-over5 / R - ALPHA * g2 * (dot[4] - dot[5])) / (2 / R);
	dot[6] = dot[7] + over5;
}

peer_problem *peer_amplifier(void)
{
	static peer_problem p = {.name = "transistor amplifier",
				 .n = 8,
				 .end = 0.2,
				 .begin = amplifier_begin,
				 .right = amplifier_right,
				 .slopes = amplifier_slopes,
				 .mass = amplifier_mass,
				 .n_seen = 8,
				 .see = see_first};
	return &p;
}

/*
 * With the voltages of the capacitors z1 = y1 - y2, z4 = y4 - y5, z7 = y7 - y8 as unknowns in place
 * of y1, y4, y7 the derivatives of y2, y5, y8 do not occur.
 */
static void to_nodes(const double *z, double *y)
{
	memcpy(y, z, 8 * sizeof *y);
	for (int k = 0; k < 8; k += 3)
		y[k] += z[k + 1];
}

static void semi_right(const peer_problem *p, double t, const double *z, double *f)
{
	double y[8];
	to_nodes(z, y);
	amplifier_right(p, t, y, f);
}

static void semi_slopes(const peer_problem *p, double t, const double *z, peer_entries *e)
{
	double y[8];
	to_nodes(z, y);
	amplifier_slopes(p, t, y, e);
	for (int i = 0; i < 8; i += 3)
		peer_put(e, i, i + 1, i == 0 ? 1 / R0 : 1 / R);
}

static void semi_mass(const peer_problem *p, peer_entries *e)
{
	(void)p;
	static const int first[5] = {0, 2, 3, 5, 6};
	for (int k = 0; k < 5; k++) {
		peer_put(e, first[k], first[k], -(k + 1) * C);
		if (k % 2 == 0)
			peer_put(e, first[k] + 1, first[k], (k + 1) * C);
	}
}

static void semi_begin(peer_problem *p, double *z, double *dot)
{
	(void)p;
	amplifier_begin(peer_amplifier(), z, dot);
	for (int k = 0; k < 8; k += 3) {
		z[k] -= z[k + 1];
		dot[k] -= dot[k + 1];
	}
}

static void semi_see(const peer_problem *p, double t, const double *z, double *seen)
{
	(void)p, (void)t;
	to_nodes(z, seen);
}

peer_problem *peer_amplifier_semi(void)
{
	static const bool algebraic[8] = {[1] = true, [4] = true, [7] = true};
	static peer_problem p = {.name = "transistor amplifier, voltages of capacitors",
				 .n = 8,
				 .algebraic = algebraic,
				 .end = 0.2,
				 .begin = semi_begin,
				 .right = semi_right,
				 .slopes = semi_slopes,
				 .mass = semi_mass,
				 .n_seen = 8,
				 .see = semi_see};
	return &p;
}

/* ---- Ring modulator: 15 equations, those of the small capacitances included ---- */

static const double RING_C = 1.6e-8, RING_CS = 2e-12, RING_CP = 1e-8, LH = 4.45, LS1 = 0.002,
		    LS2 = 5e-4, RING_R = 25000, RP = 50, RG1 = 36.3, RG2 = 17.3, RI = 50, RC = 600,
		    RING_BETA = 40.67286402e-9, RING_DELTA = 17.7493332;

/* The voltages of the four diodes: combinations of y3 ... y7 and the carrier. */
static void ring_diodes(const double *y, double carrier, double *u)
{
	u[0] = y[2] - y[4] - y[6] - carrier;
	u[1] = -y[3] + y[5] - y[6] - carrier;
	u[2] = y[3] + y[4] + y[6] + carrier;
	u[3] = -y[2] - y[5] + y[6] + carrier;
}

static double carrier_at(double t)
{
	return 2 * sin(20000 * PI * t);
}

static void ring_right(const peer_problem *p, double t, const double *y, double *f)
{
	(void)p;
	const double signal = 0.5 * sin(2000 * PI * t), carrier = carrier_at(t);
	double u[4], q[4];
	ring_diodes(y, carrier, u);
	for (int k = 0; k < 4; k++)
		q[k] = RING_BETA * (exp(RING_DELTA * u[k]) - 1);
	f[0] = (y[7] - 0.5 * y[9] + 0.5 * y[10] + y[13] - y[0] / RING_R) / RING_C;
	f[1] = (y[8] - 0.5 * y[11] + 0.5 * y[12] + y[14] - y[1] / RING_R) / RING_C;
	f[2] = (y[9] - q[0] + q[3]) / RING_CS;
	f[3] = (-y[10] + q[1] - q[2]) / RING_CS;
	f[4] = (y[11] + q[0] - q[2]) / RING_CS;
	f[5] = (-y[12] - q[1] + q[3]) / RING_CS;
	f[6] = (-y[6] / RP + q[0] + q[1] - q[2] - q[3]) / RING_CP;
	f[7] = -y[0] / LH;
	f[8] = -y[1] / LH;
	f[9] = (0.5 * y[0] - y[2] - RG2 * y[9]) / LS2;
	f[10] = (-0.5 * y[0] + y[3] - RG2 * y[10]) / LS2;
	f[11] = (0.5 * y[1] - y[4] - RG2 * y[11]) / LS2;
	f[12] = (-0.5 * y[1] + y[5] - RG2 * y[12]) / LS2;
	f[13] = (-y[0] + signal - (RI + RG1) * y[13]) / LS1;
	f[14] = (-y[1] - (RC + RG1) * y[14]) / LS1;
}

/* A row's linear part; zeros end it. */
static const struct ring_entry {
	int row, col;
	double value;
} ring_linear[] = {{0, 7, 1 / RING_C},
		   {0, 9, -0.5 / RING_C},
		   {0, 10, 0.5 / RING_C},
		   {0, 13, 1 / RING_C},
		   {0, 0, -1 / (RING_R * RING_C)},
		   {1, 8, 1 / RING_C},
		   {1, 11, -0.5 / RING_C},
		   {1, 12, 0.5 / RING_C},
		   {1, 14, 1 / RING_C},
		   {1, 1, -1 / (RING_R * RING_C)},
		   {2, 9, 1 / RING_CS},
		   {3, 10, -1 / RING_CS},
		   {4, 11, 1 / RING_CS},
		   {5, 12, -1 / RING_CS},
		   {6, 6, -1 / (RP * RING_CP)},
		   {7, 0, -1 / LH},
		   {8, 1, -1 / LH},
		   {9, 0, 0.5 / LS2},
		   {9, 2, -1 / LS2},
		   {9, 9, -RG2 / LS2},
		   {10, 0, -0.5 / LS2},
		   {10, 3, 1 / LS2},
		   {10, 10, -RG2 / LS2},
		   {11, 1, 0.5 / LS2},
		   {11, 4, -1 / LS2},
		   {11, 11, -RG2 / LS2},
		   {12, 1, -0.5 / LS2},
		   {12, 5, 1 / LS2},
		   {12, 12, -RG2 / LS2},
		   {13, 0, -1 / LS1},
		   {13, 13, -(RI + RG1) / LS1},
		   {14, 1, -1 / LS1},
		   {14, 14, -(RC + RG1) / LS1}};

static void ring_slopes(const peer_problem *p, double t, const double *y, peer_entries *e)
{
	(void)p;
	/* slopes of u by y3 ... y7, and where the diodes' currents go to */
	static const signed char by[4][5] = {
		{1, 0, -1, 0, -1}, {0, -1, 0, 1, -1}, {0, 1, 1, 0, 1}, {-1, 0, 0, -1, 1}};
	static const signed char to[4][5] = {
		{-1, 0, 1, 0, 1}, {0, 1, 0, -1, 1}, {0, -1, -1, 0, -1}, {1, 0, 0, 1, -1}};
	double u[4];
	for (size_t k = 0; k < sizeof ring_linear / sizeof *ring_linear; k++)
		peer_put(e, ring_linear[k].row, ring_linear[k].col, ring_linear[k].value);
	ring_diodes(y, carrier_at(t), u);
	for (int k = 0; k < 4; k++) {
		const double g = RING_BETA * RING_DELTA * exp(RING_DELTA * u[k]);
		for (int i = 0; i < 5; i++)
			for (int j = 0; j < 5; j++)
				if (to[k][i] && by[k][j])
					peer_put(e, 2 + i, 2 + j,
						 to[k][i] * by[k][j] * g /
							 (i < 4 ? RING_CS : RING_CP));
	}
}

/* The charges of its capacitors. */
static void ring_see(const peer_problem *p, double t, const double *y, double *seen)
{
	(void)t;
	for (int k = 0; k < p->n_seen; k++)
		seen[k] = y[k] * (k < 2 ? RING_C : k < 6 ? RING_CS : RING_CP);
}

static void ring_begin(peer_problem *p, double *y, double *dot)
{
	memset(y, 0, (size_t)p->n * sizeof *y);
	begin_explicit(p, y, dot);
}

peer_problem *peer_ring_modulator(void)
{
	/* volts, then amperes */
	static const double typical[15] = {1,    1,    1,    1,    1,    1,    1,   1e-3,
					   1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3};
	static peer_problem p = {.name = "ring modulator",
				 .n = 15,
				 .end = 1e-3,
				 .begin = ring_begin,
				 .right = ring_right,
				 .slopes = ring_slopes,
				 .mass = unit_mass,
				 .typical = typical,
				 .n_seen = 7,
				 .see = ring_see};
	return &p;
}

/* ---- Five CMOS inverters of level 1, 100 fF each, driven by a pulse ---- */

enum { INVERTERS = 5, CORNERS = 4 };
static const double VDD = 3.3, LOAD = 1e-13, THRESHOLD = 0.7, LAMBDA = 0.02, GMIN = 1e-12;
static const double K_N = 1e-4 * 10 / 2, K_P = 4e-5 * 25 / 2;
/* of the pulse: [s] rise and fall begin and end */
static const double corner[CORNERS] = {1e-9, 1.2e-9, 10.2e-9, 10.4e-9};

static double pulse_at(const peer_problem *p, double t)
{
	switch (p->piece) {
	case 1:
		return VDD * (t - corner[0]) / (corner[1] - corner[0]);
	case 2:
		return VDD;
	case 3:
		return VDD * (1 - (t - corner[2]) / (corner[3] - corner[2]));
	default:
		return 0;
	}
}

/* The channel's current by gate and drain, both against the source; slopes by them. */
static double channel(double k, double vg, double v, double *by_g, double *by_v)
{
	const double a = fmax(vg - THRESHOLD, 0), b = fmax(vg - v - THRESHOLD, 0),
		     wide = 1 + LAMBDA * fabs(v);
	*by_g = 2 * k * (a - b) * wide;
	*by_v = 2 * k * b * wide + k * (a * a - b * b) * (v < 0 ? -LAMBDA : LAMBDA) + GMIN;
	return k * (a * a - b * b) * wide + GMIN * v;
}

static void inverter_right(const peer_problem *p, double t, const double *y, double *f)
{
	double in = pulse_at(p, t), g, v;
	for (int k = 0; k < INVERTERS; in = y[k++])
		f[k] = (channel(K_P, VDD - in, VDD - y[k], &g, &v) -
			channel(K_N, in, y[k], &g, &v)) /
		       LOAD;
}

static void inverter_slopes(const peer_problem *p, double t, const double *y, peer_entries *e)
{
	double in = pulse_at(p, t);
	for (int k = 0; k < INVERTERS; in = y[k++]) {
		double g_p, v_p, g_n, v_n;
		channel(K_P, VDD - in, VDD - y[k], &g_p, &v_p);
		channel(K_N, in, y[k], &g_n, &v_n);
		peer_put(e, k, k, -(v_p + v_n) / LOAD);
		if (k > 0)
			peer_put(e, k, k - 1, -(g_p + g_n) / LOAD);
	}
}

static void inverter_begin(peer_problem *p, double *y, double *dot)
{
	p->piece = 0;
	for (int k = 0; k < INVERTERS; k++)
		y[k] = k % 2 ? 0 : VDD;
	begin_explicit(p, y, dot);
}

static double inverter_break(const peer_problem *p, double t)
{
	(void)t;
	return p->piece < CORNERS ? corner[p->piece] : INFINITY;
}

static void inverter_pass(peer_problem *p, double t, const double *y, bool root)
{
	(void)t, (void)y, (void)root;
	p->piece++;
}

peer_problem *peer_inverters(void)
{
	static peer_problem p = {.name = "CMOS inverter chain",
				 .n = INVERTERS,
				 .end = 20e-9,
				 .begin = inverter_begin,
				 .right = inverter_right,
				 .slopes = inverter_slopes,
				 .mass = unit_mass,
				 .next_break = inverter_break,
				 .pass = inverter_pass,
				 .n_seen = INVERTERS,
				 .see = see_first};
	return &p;
}

/* ---- Diode ladder: currents of the coils and voltages of the capacitors in turns ---- */

static const double IS = 1e-14, VT = 25.85e-3;

static void ladder_right(const peer_problem *p, double t, const double *y, double *f)
{
	const ladder *l = p->data;
	double before = l->amplitude * sin(2 * PI * l->frequency * t);
	for (int k = 0; k < l->sections; k++) {
		const double i = y[2 * k], v = y[2 * k + 1],
			     on = k + 1 < l->sections ? y[2 * k + 2] : 0;
		f[2 * k] = (before - l->R * i - v) / l->L;
		f[2 * k + 1] = (i - on - IS * (exp(v / VT) - 1) - GMIN * v) / l->C;
		before = v;
	}
}

static void ladder_slopes(const peer_problem *p, double t, const double *y, peer_entries *e)
{
	const ladder *l = p->data;
	(void)t;
	for (int k = 0; k < l->sections; k++) {
		const int i = 2 * k, v = i + 1;
		if (k > 0)
			peer_put(e, i, i - 1, 1 / l->L);
		peer_put(e, i, i, -l->R / l->L);
		peer_put(e, i, v, -1 / l->L);
		peer_put(e, v, i, 1 / l->C);
		if (k + 1 < l->sections)
			peer_put(e, v, v + 1, -1 / l->C);
		peer_put(e, v, v, -(IS / VT * exp(y[v] / VT) + GMIN) / l->C);
	}
}

static void ladder_begin(peer_problem *p, double *y, double *dot)
{
	const ladder *l = p->data;
	for (int k = 0; k < l->sections; k++) {
		y[2 * k] = 0;
		y[2 * k + 1] = ladder_charge(l, k + 1);
	}
	begin_explicit(p, y, dot);
}

/* All voltages. */
static void ladder_see(const peer_problem *p, double t, const double *y, double *seen)
{
	(void)t;
	for (int k = 0; k < p->n_seen; k++)
		seen[k] = y[2 * k + 1];
}

peer_problem *peer_diode_ladder(const ladder *l)
{
	static double *typical;
	static peer_problem p = {.name = "diode ladder",
				 .begin = ladder_begin,
				 .right = ladder_right,
				 .slopes = ladder_slopes,
				 .mass = unit_mass,
				 .see = ladder_see};
	p.n = 2 * l->sections;
	p.n_seen = l->sections;
	p.end = l->step * (double)l->steps;
	p.data = l;
	free(typical);
	typical = malloc((size_t)p.n * sizeof *typical);
	for (int k = 0; typical && k < p.n; k++)
		typical[k] = k % 2 ? 1 : 0.03; /* [V], [A]: by the wave impedance of 31.6 ohm */
	p.typical = typical;
	return typical ? &p : NULL;
}
