/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The netlist of N rigid dipoles on (SO(3) x R^3)^N: Parks' thesis, equations (4.20) to (4.24). The
 * attitude Q of a body is its matrix of directors. With U = Q', U = Q hat(W), the kinetic energy of
 * its turning is
 *
 *     W . I W / 2 = 1/2 sum_b J_b |U e_b|^2 ,   J_b = (I_1 + I_2 + I_3)/2 - I_b .
 *
 * Starts are drawn by splitmix64 (Steele, Lea and Flood, OOPSLA 2014), u = (x >> 11)/2^53, s = 2 u
 * - 1, in this order: all positions, lattice point + 0.2 s; all rotation vectors s/sqrt(3), Q =
 * exp(hat(v)); all momenta 0.15 s; all body angular momenta 0.15 s.
 */
#include "bench/dipoles.h"

#include <math.h>
#include <string.h>

enum { LATTICE = 18, AXES = 3 };

typedef struct body {
	double q[AXES], v[AXES], p[AXES], m[AXES];
} body;

dipoles dipoles_shipped(void)
{
	return (dipoles){.n = 15,
			 .seed = 20240515,
			 .spacing = 6,
			 .inertia = {2, 2.5, 3},
			 .step = 0.05,
			 .end = 20};
}

/* ---- Draws ---- */

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* In [-1, 1). */
static double draw(uint64_t *state)
{
	return 2 * ((double)(splitmix64(state) >> 11) * 0x1p-53) - 1;
}

static void draw_bodies(const dipoles *d, body *b)
{
	uint64_t state = d->seed;
	for (int i = 0; i < d->n; i++) {
		const int at[AXES] = {i % 2, i / 2 % 3, i / 6};
		for (int k = 0; k < AXES; k++)
			b[i].q[k] = d->spacing * at[k] + 0.2 * draw(&state);
	}
	for (int i = 0; i < d->n; i++)
		for (int k = 0; k < AXES; k++)
			b[i].v[k] = draw(&state) / sqrt(3);
	for (int i = 0; i < d->n; i++)
		for (int k = 0; k < AXES; k++)
			b[i].p[k] = 0.15 * draw(&state);
	for (int i = 0; i < d->n; i++)
		for (int k = 0; k < AXES; k++)
			b[i].m[k] = 0.15 * draw(&state);
}

/* R = exp(hat(v)), by Rodrigues' formula. */
void dipoles_rotation(const double *v, double R[3][3])
{
	const double a = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	const double s = a > 0 ? sin(a) / a : 1;
	const double half = a > 0 ? sin(a / 2) / (a / 2) : 1, c = half * half / 2;
	const double hat[AXES][AXES] = {{0, -v[2], v[1]}, {v[2], 0, -v[0]}, {-v[1], v[0], 0}};
	for (int i = 0; i < AXES; i++)
		for (int j = 0; j < AXES; j++)
			R[i][j] =
				(i == j) + s * hat[i][j] + c * (v[i] * v[j] - (i == j ? a * a : 0));
}

/* U = R hat(w). */
static void rates(double R[AXES][AXES], const double *w, double U[AXES][AXES])
{
	for (int i = 0; i < AXES; i++) {
		U[i][0] = R[i][1] * w[2] - R[i][2] * w[1];
		U[i][1] = R[i][2] * w[0] - R[i][0] * w[2];
		U[i][2] = R[i][0] * w[1] - R[i][1] * w[0];
	}
}

void dipoles_start(const dipoles *d, double *state, double (*moment)[3])
{
	body b[LATTICE];
	draw_bodies(d, b);
	for (int i = 0; i < d->n; i++) {
		double *Q = state + 9 * d->n + 9 * i, R[AXES][AXES];
		dipoles_rotation(b[i].v, R);
		memcpy(Q, R, sizeof R);
		for (int k = 0; k < AXES; k++) {
			state[3 * i + k] = b[i].q[k];
			state[3 * (d->n + i) + k] = b[i].p[k];
			state[3 * (2 * d->n + i) + k] = b[i].m[k];
			moment[i][k] = R[1][k] + R[2][k];
		}
	}
}

/* ---- The netlist ---- */

static void write_head(const dipoles *d, FILE *f)
{
	fprintf(f,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<!--\n"
		"  %d rigid dipoles in space, on (SO(3) x R^3)^%d: the molecular dynamics of "
		"Parks' thesis,\n"
		"  chapter 4, equations (4.20) to (4.24). Written by tests/bench/make_dipoles; "
		"starts are random.\n"
		"  The start is random, by splitmix64; each dipole is (0, 1, 1) in "
		"space then.\n"
		"  In (4.65) as printed the factor r_ij is missing behind the first two terms of "
		"each bracket.\n"
		"  What it shows: a body's attitude as the matrix of its directors, which six rows "
		"keep\n"
		"  orthonormal; bodies of which every two interact. Momentum and angular momentum "
		"are constant\n"
		"  to round-off. The integrator of the thesis is lie-dirac+ with the rule "
		"trapezoid.\n"
		"  From E(0) = 0.243618138560764 the true motion comes to\n"
		"  q_0(10) = (-0.7430617805855, 1.0598293217679, 0.0032227084432) and\n"
		"  q_0(20) = (-0.8066787093711, 3.3730502290447, 0.6434604254657).\n"
		"-->\n"
		"<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"%d dipoles\" "
		"subject=\"papers\">\n"
		"  <simulation end=\"%.15g s\" step=\"%.15g s\" scheme=\"gauss2\"/>\n",
		d->n, d->n, d->n, d->end, d->step);
}

static void write_dipole(const dipoles *d, FILE *f)
{
	fputs("  <component xmlns=\"urn:boxtimes:component:1\" name=\"dipole\" "
	      "domain=\"mechanical\">\n"
	      "    <doc>A rigid body with a dipole, free in space: its centre, and the directors "
	      "that are the columns of Q.</doc>\n"
	      "    <parameter name=\"m\" unit=\"1\" default=\"1\" "
	      "positive=\"true\">mass</parameter>\n",
	      f);
	for (int k = 0; k < AXES; k++)
		fprintf(f,
			"    <parameter name=\"I%d\" unit=\"1\" default=\"%.15g\" "
			"positive=\"true\"%s\n",
			k + 1, d->inertia[k],
			k ? "/>" : ">principal moments of inertia</parameter>");
	for (int k = 0; k < AXES; k++)
		fprintf(f, "    <coordinate name=\"%c\" unit=\"1\" flow=\"v%c\"/>\n", "xyz"[k],
			"xyz"[k]);
	for (int j = 1; j <= AXES; j++)
		for (int i = 1; i <= AXES; i++)
			fprintf(f, "    <coordinate name=\"R%d%d\" unit=\"1\" flow=\"U%d%d\"/>\n",
				i, j, i, j);
	fputs("    <lagrangian>\n"
	      "      m*(vx^2 + vy^2 + vz^2)/2 + ((I2 + I3 - I1)*(U11^2 + U21^2 + U31^2)\n"
	      "      + (I3 + I1 - I2)*(U12^2 + U22^2 + U32^2) + (I1 + I2 - I3)*(U13^2 + U23^2 + "
	      "U33^2))/4\n"
	      "    </lagrangian>\n",
	      f);
	fputs("    <manifold kind=\"SO3\" name=\"d\" coordinates=\"R11 R21 R31 R12 R22 R32 R13 R23 "
	      "R33\"/>\n",
	      f);
	fputs("  </component>\n", f);
}

/* The dipole of element e in space is its matrix of directors times (em1, em2, em3). */
static void write_pair(FILE *f)
{
	fputs("  <component xmlns=\"urn:boxtimes:component:1\" name=\"dipole-pair\" "
	      "domain=\"mechanical\">\n"
	      "    <doc>Repulsion at short range, and the energy of each dipole in the field of "
	      "the other.</doc>\n"
	      "    <parameter name=\"e\" unit=\"1\" default=\"1\">strength of the "
	      "repulsion</parameter>\n"
	      "    <parameter name=\"s\" unit=\"1\" default=\"1\">its length</parameter>\n",
	      f);
	for (int what = 0; what < 2; what++)
		for (int k = 1; k <= AXES; k++)
			fprintf(f, "    <parameter name=\"%cm%d\" unit=\"1\"%s\n", "ab"[what], k,
				k > 1 ? "/>" : ">dipole in the axes of the body</parameter>");
	fputs("    <binding name=\"a\" component=\"dipole\"/>\n"
	      "    <binding name=\"b\" component=\"dipole\"/>\n"
	      "    <lagrangian>\n"
	      "      -4*e*s^12/((a.x - b.x)^2 + (a.y - b.y)^2 + (a.z - b.z)^2)^6\n"
	      "      - (",
	      f);
	for (int i = 1; i <= AXES; i++)
		fprintf(f,
			"%s(am1*a.R%d1 + am2*a.R%d2 + am3*a.R%d3)*(bm1*b.R%d1 + bm2*b.R%d2 + "
			"bm3*b.R%d3)",
			i > 1 ? "\n      + " : "", i, i, i, i, i, i);
	fputs(")\n      /((a.x - b.x)^2 + (a.y - b.y)^2 + (a.z - b.z)^2)^1.5\n      + 3", f);
	for (int what = 0; what < 2; what++) {
		const char e = "ab"[what];
		fputs("*(", f);
		for (int i = 1; i <= AXES; i++)
			fprintf(f, "%s(%cm1*%c.R%d1 + %cm2*%c.R%d2 + %cm3*%c.R%d3)*(a.%c - b.%c)",
				i > 1 ? "\n      + " : "", e, e, i, e, e, i, e, e, i, "xyz"[i - 1],
				"xyz"[i - 1]);
		fputs(")\n      ", f);
	}
	fputs("/((a.x - b.x)^2 + (a.y - b.y)^2 + (a.z - b.z)^2)^2.5\n"
	      "    </lagrangian>\n"
	      "  </component>\n",
	      f);
}

/* The dipole of a body in its own axes: in space it is (0, 1, 1) at the start, m = Q^T (0, 1, 1).
 */
static void write_moment(int i, const body *b, FILE *f)
{
	double R[AXES][AXES];
	dipoles_rotation(b->v, R);
	for (int k = 0; k < AXES; k++)
		fprintf(f, "  <parameter name=\"m%d_%d\" unit=\"1\" default=\"%.17g\"/>\n", i,
			k + 1, R[1][k] + R[2][k]);
}

static void write_pair_of(int i, int j, FILE *f)
{
	fprintf(f, "  <dipole-pair id=\"V%d-%d\" a=\"D%d\" b=\"D%d\"", i, j, i, j);
	for (int what = 0; what < 2; what++)
		for (int k = 1; k <= AXES; k++)
			fprintf(f, " %cm%d=\"=m%d_%d\"", "ab"[what], k, what ? j : i, k);
	fputs("/>\n", f);
}

static void write_body(const dipoles *d, int i, const body *b, FILE *f)
{
	double R[AXES][AXES], U[AXES][AXES], w[AXES];
	for (int k = 0; k < AXES; k++)
		w[k] = b->m[k] / d->inertia[k];
	dipoles_rotation(b->v, R);
	rates(R, w, U);
	fprintf(f, "  <dipole id=\"D%d\"", i);
	for (int k = 0; k < AXES; k++)
		fprintf(f, " %c=\"%.17g\"", "xyz"[k], b -> q[k]);
	fputs("\n   ", f);
	for (int k = 0; k < AXES; k++)
		fprintf(f, " v%c=\"%.17g\"", "xyz"[k], b -> p[k]);
	for (int what = 0; what < 2; what++)
		for (int j = 0; j < AXES; j++) {
			fputs("\n   ", f);
			for (int k = 0; k < AXES; k++)
				fprintf(f, " %c%d%d=\"%.17g\"", "RU"[what], k + 1, j + 1,
					what ? U[k][j] : R[k][j]);
		}
	fputs("/>\n", f);
}

/* A translation along an axis, or a rotation of all about it: the velocity of a vector r is e x r.
 */
static void write_symmetry(const dipoles *d, int axis, bool turn, FILE *f)
{
	const int y = (axis + 1) % AXES, z = (axis + 2) % AXES;
	fprintf(f, "  <symmetry id=\"%s%c\">\n", turn ? "turn" : "shift", "xyz"[axis]);
	for (int i = 0; i < d->n; i++) {
		if (!turn) {
			fprintf(f, "    <generator on=\"D%d.%c\">1</generator>\n", i, "xyz"[axis]);
			continue;
		}
		fprintf(f,
			"    <generator on=\"D%d.%c\">-D%d.%c</generator><generator "
			"on=\"D%d.%c\">D%d.%c</generator>\n",
			i, "xyz"[y], i, "xyz"[z], i, "xyz"[z], i, "xyz"[y]);
		for (int j = 1; j <= AXES; j++)
			fprintf(f,
				"    <generator on=\"D%d.R%d%d\">-D%d.R%d%d</generator>"
				"<generator on=\"D%d.R%d%d\">D%d.R%d%d</generator>\n",
				i, y + 1, j, i, z + 1, j, i, z + 1, j, i, y + 1, j);
	}
	fputs("  </symmetry>\n", f);
}

bool dipoles_write_netlist(const dipoles *d, FILE *stream)
{
	body bodies[LATTICE];
	if (d->n < 1 || d->n > LATTICE)
		return false;
	draw_bodies(d, bodies);
	write_head(d, stream);
	for (int i = 0; i < d->n; i++)
		write_moment(i, &bodies[i], stream);
	write_dipole(d, stream);
	write_pair(stream);
	for (int i = 0; i < d->n; i++)
		write_body(d, i, &bodies[i], stream);
	for (int i = 0; i < d->n; i++)
		for (int j = 0; j < i; j++)
			write_pair_of(i, j, stream);
	for (int k = 0; k < 2 * AXES; k++)
		write_symmetry(d, k % AXES, k >= AXES, stream);
	fputs("  <record>", stream);
	for (int i = 0; i < d->n; i++)
		fprintf(stream, "D%d.x, D%d.y, D%d.z,%s", i, i, i, i % 5 == 4 ? "\n    " : " ");
	fputs("momentum(turnx), momentum(turny), momentum(turnz), energy</record>\n"
	      "</netlist>\n",
	      stream);
	return fflush(stream) == 0 && !ferror(stream);
}
