/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * min |A x - b|^2, x >= 0, by the active sets of Lawson and Hanson (Solving least squares problems,
 * 1974, chapter 23). At the least value g = A^T (b - A x) obeys
 *
 *     g_j = 0 where x_j > 0,   g_j <= 0 where x_j = 0
 *
 * Columns with x_j > 0, the active ones, have A_active = Q R. The column with the largest g_j joins
 * them, which reduces |A x - b|. If the solution on them has negative entries, x moves towards it
 * until a first x_j is 0, and that column leaves. Few columns join if b is nearly in the cone of a
 * few columns: then x is sparse.
 */
#include "study/reduce/nnls.h"

#include "ground/base/vector.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * A column depends on the active ones if less than this fraction of its length is orthogonal to Q.
 */
static const double DEPENDENT = 1e-10;
/* A column shorter than this fraction of the longest is round-off of zero: its x would be huge. */
static const double NOTHING = 1e-12;
/* g_j below this fraction of |a_j| |b| is round-off: no column can reduce the misfit further. */
static const double ROUND_OFF = 1e-13;
/*
 * Limit on the number of columns that join, as a multiple of all columns. Each joins once or twice;
 * more would be a cycle caused by round-off.
 */
enum { MOST_JOINS = 3 };

struct nnls {
	int m, n, k; /* k: number of active columns */
	const double *a, *b;
	double *x, *q, *r;     /* (n), (m x least), (least x least) by columns */
	double *z, *right;     /* (least) the solution on active columns, Q^T b */
	double *left, *length; /* (m) b - A x, (n) of columns */
	int *active;           /* (least) */
	char *state;           /* (n) */
	int least;             /* the smaller of m and n: more columns are dependent */
	double longest;
};
enum { IDLE, ACTIVE, BARRED }; /* barred: it cannot lower the misfit at this x */

static const double *column(const struct nnls *s, int j)
{
	return s->a + (size_t)s->m * (size_t)j;
}

/* Appends column j to Q R by Gram-Schmidt, done twice; false: it depends on the active ones. */
static bool append_column(struct nnls *s, int j)
{
	double *q = s->q + (size_t)s->m * (size_t)s->k, *r = s->r + (size_t)s->least * (size_t)s->k;
	if (s->k == s->least)
		return false;
	memcpy(q, column(s, j), (size_t)s->m * sizeof *q);
	for (int i = 0; i < s->k; i++)
		r[i] = 0;
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < s->k; i++) {
			const double *other = s->q + (size_t)s->m * (size_t)i;
			const double c = bxt_dot(s->m, other, q);
			r[i] += c;
			for (int l = 0; l < s->m; l++)
				q[l] -= c * other[l];
		}
	r[s->k] = sqrt(bxt_dot(s->m, q, q));
	if (!(r[s->k] > DEPENDENT * s->length[j]))
		return false;
	for (int l = 0; l < s->m; l++)
		q[l] /= r[s->k];
	s->right[s->k] = bxt_dot(s->m, q, s->b);
	s->active[s->k++] = j;
	s->state[j] = ACTIVE;
	return true;
}

/* z: R z = Q^T b. */
static void solve_active(struct nnls *s)
{
	for (int i = s->k - 1; i >= 0; i--) {
		double sum = s->right[i];
		for (int l = i + 1; l < s->k; l++)
			sum -= s->r[(size_t)i + (size_t)s->least * (size_t)l] * s->z[l];
		s->z[i] = sum / s->r[(size_t)i + (size_t)s->least * (size_t)i];
	}
}

/* Removes active columns with x = 0. The columns after the first of them are appended again. */
static void leave(struct nnls *s)
{
	int first = 0;
	const int before = s->k;
	while (first < before && s->x[s->active[first]] > 0)
		first++;
	s->k = first;
	for (int i = first; i < before; i++) {
		const int j = s->active[i]; /* i >= s->k: not yet overwritten */
		s->state[j] = IDLE;
		if (s->x[j] > 0 && !append_column(s, j))
			s->x[j] = 0;
	}
}

/* Moves x to the solution on active columns, without the columns at which it is not positive. */
static void settle(struct nnls *s)
{
	for (solve_active(s); s->k > 0; solve_active(s)) {
		double part = 1;
		int worst = -1;
		for (int i = 0; i < s->k; i++) {
			const double x = s->x[s->active[i]];
			if (s->z[i] <= 0 && (worst < 0 || x / (x - s->z[i]) < part)) {
				part = x > 0 ? x / (x - s->z[i]) : 0;
				worst = i;
			}
		}
		for (int i = 0; i < s->k; i++) {
			double *x = &s->x[s->active[i]];
			*x = worst < 0 ? s->z[i] : fmax(0, *x + part * (s->z[i] - *x));
		}
		if (worst < 0)
			return;
		s->x[s->active[worst]] = 0;
		leave(s);
	}
}

static double misfit(struct nnls *s)
{
	memcpy(s->left, s->b, (size_t)s->m * sizeof *s->left);
	for (int i = 0; i < s->k; i++) {
		const double *a = column(s, s->active[i]);
		const double x = s->x[s->active[i]];
		for (int l = 0; l < s->m; l++)
			s->left[l] -= x * a[l];
	}
	return sqrt(bxt_dot(s->m, s->left, s->left));
}

/* The column that reduces the misfit fastest; -1: none does. */
static int steepest(const struct nnls *s, double scale)
{
	int best = -1;
	double most = 0;
	for (int j = 0; j < s->n; j++) {
		if (s->state[j] != IDLE || !(s->length[j] > NOTHING * s->longest))
			continue;
		const double g = bxt_dot(s->m, column(s, j), s->left);
		if (g > most && g > ROUND_OFF * s->length[j] * scale) {
			most = g;
			best = j;
		}
	}
	return best;
}

static void work(struct nnls *s, double enough, double *found)
{
	const double scale = sqrt(bxt_dot(s->m, s->b, s->b));
	*found = misfit(s);
	for (long joins = 0; joins<MOST_JOINS *(long)s->n && * found> enough * scale; joins++) {
		const int j = steepest(s, scale);
		if (j < 0)
			return;
		if (append_column(s, j))
			settle(s);
		const double now = misfit(s);
		if (s->state[j] != ACTIVE && !(now < *found)) {
			s->state[j] = BARRED; /* until x has moved */
			continue;
		}
		*found = now;
		for (int i = 0; i < s->n; i++)
			s->state[i] = s->state[i] == BARRED ? IDLE : s->state[i];
	}
}

bxt_status bxt_nnls(int m, int n, const double *a, const double *b, double enough, double *x,
		    double *found)
{
	const int least = m < n ? m : n;
	const size_t k = (size_t)least, rows = (size_t)m;
	struct nnls s = {.m = m, .n = n, .a = a, .b = b, .x = x, .least = least};
	s.q = malloc((rows * k + 1) * sizeof *s.q);
	s.r = malloc((k * k + 1) * sizeof *s.r);
	s.z = malloc((2 * k + 1) * sizeof *s.z);
	s.left = malloc((rows + (size_t)n + 1) * sizeof *s.left);
	s.active = malloc((k + 1) * sizeof *s.active);
	s.state = calloc((size_t)n + 1, sizeof *s.state);
	const bool good = s.q && s.r && s.z && s.left && s.active && s.state;
	if (good) {
		s.right = s.z + k;
		s.length = s.left + rows;
		for (int j = 0; j < n; j++) {
			s.length[j] = sqrt(bxt_dot(m, column(&s, j), column(&s, j)));
			s.longest = fmax(s.longest, s.length[j]);
			x[j] = 0;
		}
		work(&s, enough, found);
	}
	free(s.q);
	free(s.r);
	free(s.z);
	free(s.left);
	free(s.active);
	free(s.state);
	return good ? BXT_OK : BXT_ERR_MEMORY;
}
