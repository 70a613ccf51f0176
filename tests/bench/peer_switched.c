/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What switches, as its user would write it: the equations of each piece by hand, of the lowest
 * index there is, and a function whose root ends the piece.
 */
#include "bench/peer.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static void unit_mass(const peer_problem *p, peer_entries *e)
{
	for (int i = 0; i < p->n; i++)
		peer_put(e, i, i, 1);
}

static void see_all(const peer_problem *p, double t, const double *y, double *seen)
{
	(void)t;
	memcpy(seen, y, (size_t)p->n_seen * sizeof *seen);
}

static void begin_at_rest(peer_problem *p, double *y, double *dot)
{
	memset(y, 0, (size_t)p->n * sizeof *y);
	p->right(p, 0, y, dot);
}

/* ---- Half-wave rectifier: 10 V, 50 Hz, 100 uF, 1 kohm; on: v' = V', off: v' = -v/(RC) ---- */

enum { ON, OFF };
static const double V0 = 10, OMEGA = 100 * PI, C1 = 100e-6, R1 = 1000;

static void rectifier_right(const peer_problem *p, double t, const double *y, double *f)
{
	f[0] = p->piece == ON ? V0 * OMEGA * cos(OMEGA * t) : -y[0] / (R1 * C1);
}

static void rectifier_slopes(const peer_problem *p, double t, const double *y, peer_entries *e)
{
	(void)t, (void)y;
	peer_put(e, 0, 0, p->piece == ON ? 0 : -1 / (R1 * C1));
}

/* On: less the current of the diode; off: its voltage. */
static void rectifier_roots(const peer_problem *p, double t, const double *y, double *g)
{
	g[0] = p->piece == ON ? -(C1 * V0 * OMEGA * cos(OMEGA * t) + y[0] / R1)
			      : V0 * sin(OMEGA * t) - y[0];
}

static void rectifier_pass(peer_problem *p, double t, const double *y, bool root)
{
	(void)t, (void)y, (void)root;
	p->piece = p->piece == ON ? OFF : ON;
}

static void rectifier_begin(peer_problem *p, double *y, double *dot)
{
	p->piece = ON;
	begin_at_rest(p, y, dot);
}

peer_problem *peer_rectifier(void)
{
	static const double typical[1] = {10};
	/* a twentieth of a period: a longer step may jump over the time when the diode is on */
	static peer_problem p = {.name = "half-wave rectifier",
				 .n = 1,
				 .end = 0.05,
				 .longest = 1e-3,
				 .begin = rectifier_begin,
				 .right = rectifier_right,
				 .slopes = rectifier_slopes,
				 .mass = unit_mass,
				 .n_roots = 1,
				 .roots = rectifier_roots,
				 .pass = rectifier_pass,
				 .typical = typical,
				 .n_seen = 1,
				 .see = see_all};
	return &p;
}

/* ---- Boost converter: 15 V, 20 mH, 20 uF, 30 ohm, 50 kHz, half of the time closed. Pieces: the
 * number of switchings; even: the switch is closed. The diode blocks while i would be below 0. ----
 */

static const double E = 15, L2 = 20e-3, C2 = 20e-6, R2 = 30, HALF = 10e-6;
enum { BLOCKS = 1 << 20 }; /* added to the piece */

static void boost_right(const peer_problem *p, double t, const double *y, double *f)
{
	(void)t;
	const bool closed = p->piece % 2 == 0, blocked = p->piece >= BLOCKS;
	f[0] = blocked ? 0 : (closed ? E : E - y[1]) / L2;
	f[1] = ((closed || blocked ? 0 : y[0]) - y[1] / R2) / C2;
}

static void boost_slopes(const peer_problem *p, double t, const double *y, peer_entries *e)
{
	(void)t, (void)y;
	const bool through = p->piece % 2 == 1 && p->piece < BLOCKS;
	peer_put(e, 0, 1, through ? -1 / L2 : 0);
	peer_put(e, 1, 0, through ? 1 / C2 : 0);
	peer_put(e, 1, 1, -1 / (R2 * C2));
}

static double boost_break(const peer_problem *p, double t)
{
	(void)t;
	return (p->piece % BLOCKS + 1) * HALF;
}

/* The diode's current, less; where it blocks its voltage. */
static void boost_roots(const peer_problem *p, double t, const double *y, double *g)
{
	(void)t;
	g[0] = p->piece % 2 == 0 ? -1 : p->piece >= BLOCKS ? E - y[1] : -y[0];
}

static void boost_pass(peer_problem *p, double t, const double *y, bool root)
{
	(void)t, (void)y;
	if (root)
		p->piece = p->piece >= BLOCKS ? p->piece - BLOCKS : p->piece + BLOCKS;
	else
		p->piece = p->piece % BLOCKS + 1;
}

static void boost_begin(peer_problem *p, double *y, double *dot)
{
	p->piece = 0;
	begin_at_rest(p, y, dot);
}

peer_problem *peer_boost(void)
{
	static const double typical[2] = {1, 10};
	static peer_problem p = {.name = "boost converter",
				 .n = 2,
				 .end = 2e-3,
				 .begin = boost_begin,
				 .right = boost_right,
				 .slopes = boost_slopes,
				 .mass = unit_mass,
				 .next_break = boost_break,
				 .n_roots = 1,
				 .roots = boost_roots,
				 .pass = boost_pass,
				 .typical = typical,
				 .n_seen = 2,
				 .see = see_all};
	return &p;
}
