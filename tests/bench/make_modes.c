/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parks' thesis, chapter 4, Figs. 4.1 to 4.5: the dipoles reduced by proper orthogonal
 * decomposition, in R^12N and in exponential coordinates. Equations, y = snapshots, U = the first d
 * left singular vectors:
 *
 *     full          (4.11) to (4.14) in (q, p, m, Q)
 *     embedded      y = (q, p, Q, m), x' = U^T F(U x)                                     (4.44)
 *     positions     y = (q, v), Q = exp(v), x'' = U^T F(U x, U x')                        (4.87)
 *     exponential   y = (q, v, p, m), x' = U^T G(U x)                                     (4.108)
 *
 * all by the classical Runge-Kutta method. The thesis gives neither d nor the snapshots: d is an
 * argument, snapshots are taken every 0.1. Usage: make_modes D FOLDER writes FOLDER/modes.csv and
 * FOLDER/reduced.csv.
 */
#include "bench/dipoles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	N = 15,
	Q_ = 3 * N,
	FULL = 18 * N,
	LOCAL = 12 * N,
	HALF = 6 * N,
	SNAPSHOTS = 201,
	STEPS = 80
};
static const double END = 20;

void dgesdd_(const char *job, const int *m, const int *n, double *a, const int *lda, double *s,
	     double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork,
	     int *iwork, int *info, size_t length);

static double inertia[3];
static double moment[N][3]; /* in axes of the bodies */

/* ---- Rotations ---- */

static void cross(const double *a, const double *b, double *c)
{
	c[0] = a[1] * b[2] - a[2] * b[1];
	c[1] = a[2] * b[0] - a[0] * b[2];
	c[2] = a[0] * b[1] - a[1] * b[0];
}

/* v = log Q, for angles below pi. */
static void logarithm(double Q[3][3], double *v)
{
	const double axis[3] = {Q[2][1] - Q[1][2], Q[0][2] - Q[2][0], Q[1][0] - Q[0][1]};
	const double s = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]) / 2;
	const double c = (Q[0][0] + Q[1][1] + Q[2][2] - 1) / 2;
	const double f = s > 1e-12 ? atan2(s, c) / (2 * s) : 0.5;
	for (int k = 0; k < 3; k++)
		v[k] = f * axis[k];
}

/* v' of Q' = Q hat(w): D(v)^-1 w = w + v x w/2 + c v x (v x w). */
static void rate_of_log(const double *v, const double *w, double *out)
{
	const double a = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	const double c =
		a < 1e-3 ? 1.0 / 12 + a * a / 720 : (1 - a / 2 * cos(a / 2) / sin(a / 2)) / (a * a);
	double b[3], d[3];
	cross(v, w, b);
	cross(v, b, d);
	for (int k = 0; k < 3; k++)
		out[k] = w[k] + b[k] / 2 + c * d[k];
}

/* w = D(v) v' = v' - c1 v x v' + c2 v x (v x v'). */
static void spin_of_log(const double *v, const double *rate, double *w)
{
	const double a = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	const double c1 = a < 1e-3 ? 0.5 - a * a / 24 : (1 - cos(a)) / (a * a);
	const double c2 = a < 1e-3 ? 1.0 / 6 - a * a / 120 : (a - sin(a)) / (a * a * a);
	double b[3], d[3];
	cross(v, rate, b);
	cross(v, b, d);
	for (int k = 0; k < 3; k++)
		w[k] = rate[k] - c1 * b[k] + c2 * d[k];
}

/* ---- Forces: -dV/dq and the torques in axes of the bodies; returns V ---- */

static double forces(const double *q, double (*Q)[3][3], double *force, double *torque)
{
	double mu[N][3], slope[N][3] = {{0}}, V = 0;
	memset(force, 0, Q_ * sizeof *force);
	for (int i = 0; i < N; i++)
		for (int k = 0; k < 3; k++)
			mu[i][k] = Q[i][k][0] * moment[i][0] + Q[i][k][1] * moment[i][1] +
				   Q[i][k][2] * moment[i][2];
	for (int i = 0; i < N; i++)
		for (int j = 0; j < i; j++) {
			double r[3], d2 = 0, a = 0, b = 0, m = 0;
			for (int k = 0; k < 3; k++) {
				r[k] = q[3 * i + k] - q[3 * j + k];
				d2 += r[k] * r[k];
				a += mu[i][k] * r[k];
				b += mu[j][k] * r[k];
				m += mu[i][k] * mu[j][k];
			}
			const double d3 = d2 * sqrt(d2), d5 = d3 * d2;
			V += 4 / pow(d2, 6) + m / d3 - 3 * a * b / d5;
			const double c = -48 / pow(d2, 7) - 3 * m / d5 + 15 * a * b / (d5 * d2);
			for (int k = 0; k < 3; k++) {
				const double g =
					c * r[k] - 3 * b / d5 * mu[i][k] - 3 * a / d5 * mu[j][k];
				force[3 * i + k] -= g;
				force[3 * j + k] += g;
				slope[i][k] += mu[j][k] / d3 - 3 * b / d5 * r[k];
				slope[j][k] += mu[i][k] / d3 - 3 * a / d5 * r[k];
			}
		}
	for (int i = 0; i < N; i++) {
		double inner[3], t[3];
		for (int k = 0; k < 3; k++)
			inner[k] = Q[i][0][k] * slope[i][0] + Q[i][1][k] * slope[i][1] +
				   Q[i][2][k] * slope[i][2];
		cross(moment[i], inner, t);
		for (int k = 0; k < 3; k++)
			torque[3 * i + k] = -t[k];
	}
	return V;
}

/* m' = m x w + torque */
static void momenta(const double *m, const double *torque, double *w, double *rate)
{
	for (int i = 0; i < N; i++) {
		double c[3];
		for (int k = 0; k < 3; k++)
			w[3 * i + k] = m[3 * i + k] / inertia[k];
		cross(m + 3 * i, w + 3 * i, c);
		for (int k = 0; k < 3; k++)
			rate[3 * i + k] = c[k] + torque[3 * i + k];
	}
}

/* ---- The models: y = (q, p, m, Q by rows); (q, v, p, m); (q, v, q', v') ---- */

static void full(const double *y, double *out)
{
	double torque[Q_], w[Q_];
	double(*Q)[3][3] = (double(*)[3][3])(y + 3 * Q_),
	(*R)[3][3] = (double(*)[3][3])(out + 3 * Q_);
	memcpy(out, y + Q_, Q_ * sizeof *y);
	forces(y, Q, out + Q_, torque);
	momenta(y + 2 * Q_, torque, w, out + 2 * Q_);
	for (int i = 0; i < N; i++)
		for (int k = 0; k < 3; k++)
			cross(Q[i][k], w + 3 * i, R[i][k]); /* rows of Q hat(w) */
}

static void rotations(const double *v, double (*Q)[3][3])
{
	for (int i = 0; i < N; i++)
		dipoles_rotation(v + 3 * i, Q[i]);
}

static void local(const double *y, double *out)
{
	double Q[N][3][3], torque[Q_], w[Q_];
	rotations(y + Q_, Q);
	memcpy(out, y + 2 * Q_, Q_ * sizeof *y);
	forces(y, Q, out + 2 * Q_, torque);
	momenta(y + 3 * Q_, torque, w, out + 3 * Q_);
	for (int i = 0; i < N; i++)
		rate_of_log(y + Q_ + 3 * i, w + 3 * i, out + Q_ + 3 * i);
}

/* (q, v)'': v'' is the derivative of D(v)^-1 w along the motion, whose part in v is a difference of
 * high order. */
static void second(const double *y, const double *rate, double *out)
{
	double Q[N][3][3], torque[Q_], w[Q_], m[Q_], dm[Q_];
	rotations(y + Q_, Q);
	forces(y, Q, out, torque);
	for (int i = 0; i < N; i++) {
		spin_of_log(y + Q_ + 3 * i, rate + Q_ + 3 * i, w + 3 * i);
		for (int k = 0; k < 3; k++)
			m[3 * i + k] = inertia[k] * w[3 * i + k];
	}
	momenta(m, torque, w, dm);
	for (int i = 0; i < N; i++) {
		const double *v = y + Q_ + 3 * i, *dv = rate + Q_ + 3 * i, h = 2e-3;
		double dw[3], along[3] = {0}, part[3];
		for (int k = 0; k < 3; k++)
			dw[k] = dm[3 * i + k] / inertia[k];
		static const double weight[3] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
		for (int s = 1; s <= 3; s++)
			for (int sign = -1; sign <= 1; sign += 2) {
				double at[3];
				for (int k = 0; k < 3; k++)
					at[k] = v[k] + sign * s * h * dv[k];
				rate_of_log(at, w + 3 * i, part);
				for (int k = 0; k < 3; k++)
					along[k] += sign * weight[s - 1] * part[k] / h;
			}
		rate_of_log(v, dw, part);
		for (int k = 0; k < 3; k++)
			out[Q_ + 3 * i + k] = part[k] + along[k];
	}
}

static double energy(const double *q, double (*Q)[3][3], const double *p, const double *m)
{
	double force[Q_], torque[Q_], E = forces(q, Q, force, torque);
	for (int k = 0; k < Q_; k++)
		E += p[k] * p[k] / 2 + m[k] * m[k] / inertia[k % 3] / 2;
	return E;
}

/* ---- Bases ---- */

/* The left singular vectors of n rows, SNAPSHOTS columns, as columns; `a` is lost. */
static void decompose(double *a, int n, double *s, double *u)
{
	const int m = SNAPSHOTS, least = n < m ? n : m, lwork = 400000;
	double *vt = calloc((size_t)least * (size_t)m, sizeof *vt),
	       *work = calloc((size_t)lwork, sizeof *work);
	int *iwork = calloc(8 * (size_t)least, sizeof *iwork), info = 1;
	if (vt && work && iwork)
		dgesdd_("S", &n, &m, a, &n, s, u, &n, vt, &least, work, &lwork, iwork, &info, 1);
	free(vt);
	free(work);
	free(iwork);
	if (info != 0)
		exit(1);
}

/* A model whose states are U x. */
typedef struct reduced {
	void (*slope)(const double *y, double *out);
	const double *u; /* (n, d); NULL: the model itself */
	int n, d;
} reduced;

static void expand(const reduced *r, const double *x, double *y)
{
	for (int i = 0; i < r->n; i++) {
		y[i] = 0;
		for (int j = 0; j < r->d; j++)
			y[i] += r->u[(size_t)j * (size_t)r->n + (size_t)i] * x[j];
	}
}

static void restrict_to(const reduced *r, const double *y, double *x)
{
	for (int j = 0; j < r->d; j++) {
		x[j] = 0;
		for (int i = 0; i < r->n; i++)
			x[j] += r->u[(size_t)j * (size_t)r->n + (size_t)i] * y[i];
	}
}

/* (x, x') of the second-order model have 2 d entries. */
static void slope_of(const reduced *r, const double *x, double *out)
{
	double y[FULL], z[FULL], rate[FULL];
	if (!r->u) {
		r->slope(x, out);
	} else if (r->slope) {
		expand(r, x, y);
		r->slope(y, z);
		restrict_to(r, z, out);
	} else {
		expand(r, x, y);
		expand(r, x + r->d, rate);
		second(y, rate, z);
		memcpy(out, x + r->d, (size_t)r->d * sizeof *x);
		restrict_to(r, z, out + r->d);
	}
}

static void advance(const reduced *r, int n, double *x)
{
	const double h = END / (SNAPSHOTS - 1) / STEPS;
	double k[4][FULL], at[FULL];
	for (int step = 0; step < STEPS; step++) {
		slope_of(r, x, k[0]);
		for (int s = 1; s < 4; s++) {
			for (int i = 0; i < n; i++)
				at[i] = x[i] + (s < 3 ? h / 2 : h) * k[s - 1][i];
			slope_of(r, at, k[s]);
		}
		for (int i = 0; i < n; i++)
			x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
	}
}

/* ---- The run ---- */

static double way[SNAPSHOTS][FULL], logs[SNAPSHOTS][Q_];

/* Charts: the logarithm that is nearest to the one before. */
static void take_logs(int t)
{
	double(*Q)[3][3] = (double(*)[3][3])(way[t] + 3 * Q_);
	for (int i = 0; i < N; i++)
		logarithm(Q[i], logs[t] + 3 * i);
}

static double distance(const double *q, int t)
{
	double sum = 0;
	for (int k = 0; k < Q_; k++)
		sum += (q[k] - way[t][k]) * (q[k] - way[t][k]);
	return sqrt(sum / N);
}

static void local_state(int t, double *y)
{
	memcpy(y, way[t], Q_ * sizeof *y);
	memcpy(y + Q_, logs[t], Q_ * sizeof *y);
	memcpy(y + 2 * Q_, way[t] + Q_, Q_ * sizeof *y);
	memcpy(y + 3 * Q_, way[t] + 2 * Q_, Q_ * sizeof *y);
}

/* modes.csv: the singular values of the three matrices of snapshots. */
static bool write_modes(const char *folder, double s[3][SNAPSHOTS])
{
	char path[4096];
	snprintf(path, sizeof path, "%s/modes.csv", folder);
	FILE *f = fopen(path, "w");
	if (!f)
		return false;
	fputs("mode,embedded,positions,exponential\n", f);
	for (int i = 0; i < SNAPSHOTS; i++)
		fprintf(f, "%d,%.6g,%.6g,%.6g\n", i + 1, s[0][i], i < HALF ? s[1][i] : NAN,
			i < LOCAL ? s[2][i] : NAN);
	return fclose(f) == 0;
}

int main(int argc, char **argv)
{
	static double a[FULL * SNAPSHOTS], u[3][FULL * SNAPSHOTS], s[3][SNAPSHOTS], x[3][2 * FULL];
	static double y[FULL], z[FULL], Q[N][3][3];
	const int d = argc == 3 ? atoi(argv[1]) : 0;
	if (d < 1 || d > HALF) {
		fprintf(stderr, "Usage: make_modes D FOLDER\nD: 1 to %d modes\n", HALF);
		return 2;
	}
	const dipoles shipped = dipoles_shipped();
	memcpy(inertia, shipped.inertia, sizeof inertia);
	dipoles_start(&shipped, way[0], (double(*)[3])moment);
	take_logs(0);
	const reduced itself = {.slope = full, .n = FULL, .d = FULL};
	for (int t = 1; t < SNAPSHOTS; t++) {
		memcpy(way[t], way[t - 1], sizeof way[t]);
		advance(&itself, FULL, way[t]);
		take_logs(t);
	}
	static const int rows[3] = {FULL, HALF, LOCAL};
	for (int k = 0; k < 3; k++) {
		for (int t = 0; t < SNAPSHOTS; t++) {
			local_state(t, y);
			memcpy(a + (size_t)t * (size_t)rows[k], k ? y : way[t],
			       (size_t)rows[k] * sizeof *a);
		}
		decompose(a, rows[k], s[k], u[k]);
	}
	if (!write_modes(argv[2], s))
		return 1;
	const reduced models[3] = {
		{full, u[0], FULL, d}, {NULL, u[1], HALF, d}, {local, u[2], LOCAL, d}};
	restrict_to(&models[0], way[0], x[0]);
	local_state(0, y);
	restrict_to(&models[1], y, x[1]);
	restrict_to(&models[2], y, x[2]);
	/* v' at the start, for x' */
	local(y, z);
	restrict_to(&models[1], z, x[1] + d);
	char path[4096];
	snprintf(path, sizeof path, "%s/reduced.csv", argv[2]);
	FILE *f = fopen(path, "w");
	if (!f)
		return 1;
	const double E0 =
		energy(way[0], (double(*)[3][3])(way[0] + 3 * Q_), way[0] + Q_, way[0] + 2 * Q_);
	fputs("time,q embedded,E embedded,q positions,E positions,q exponential,E exponential\n",
	      f);
	for (int t = 0; t < SNAPSHOTS; t++) {
		fprintf(f, "%.6g", END * t / (SNAPSHOTS - 1));
		for (int k = 0; k < 3; k++) {
			double p[Q_], m[Q_];
			if (t)
				advance(&models[k], k == 1 ? 2 * d : d, x[k]);
			expand(&models[k], x[k], y);
			if (k == 0) {
				memcpy(Q, y + 3 * Q_, sizeof Q);
				memcpy(p, y + Q_, sizeof p);
				memcpy(m, y + 2 * Q_, sizeof m);
			} else if (k == 1) {
				expand(&models[k], x[k] + d, z);
				memcpy(p, z, sizeof p);
				for (int i = 0; i < N; i++)
					spin_of_log(y + Q_ + 3 * i, z + Q_ + 3 * i, m + 3 * i);
				for (int i = 0; i < Q_; i++)
					m[i] *= inertia[i % 3];
				rotations(y + Q_, Q);
			} else {
				memcpy(p, y + 2 * Q_, sizeof p);
				memcpy(m, y + 3 * Q_, sizeof m);
				rotations(y + Q_, Q);
			}
			fprintf(f, ",%.4e,%.4e", distance(y, t), fabs(energy(y, Q, p, m) - E0));
		}
		fputc('\n', f);
	}
	return fclose(f) != 0;
}
