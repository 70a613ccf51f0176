/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The numbers of an elimination of local rows (equations: local_rows.h):
 *
 *     H = (J B)^-1 J ,  P = 1 - B H ;   N = orth(P N_last) ,   L = P^T N = N - H^T B^T N
 *
 * and the products L^T K_UU N, K_oU N, L^T K_Uo. All dense matrices are by rows and small: 9 x 6
 * for a frame in a scheme of one stage.
 */
#include "ground/solver/local_rows_internal.h"

#include <math.h>
#include <string.h>

/*
 * Least pivot of J B, relative to the largest: with a smaller one the projector loses six digits.
 */
static const double SMALLEST_PIVOT = 1e-6;
/* Least size of a column of N after projection, relative to its size before; below it N is chosen
 * anew. */
static const double TURNED = 0.1;
/* Least part of a column that is left by orthonormalisation for one pass to suffice. */
static const double ONE_PASS = 0.7;

/*
 * Blocks of a frame in a scheme of one stage have known sizes: loops over them are inlined with
 * these constants, which saves two fifths of the instructions.
 */
#if defined(__GNUC__) && !defined(__clang__)
#define ALWAYS_INLINE __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 8")
#else
#define ALWAYS_INLINE
#define UNROLL
#endif
#define BY_SIZE(f, block, ...)                                                                     \
	((block)->m == 9 && (block)->r == 6                                                        \
		 ? f(9, 6, 3, block, __VA_ARGS__)                                                  \
		 : f((block)->m, (block)->r, (block)->d, block, __VA_ARGS__))

/* ---- Dense matrices ---- */

/* L U of s (n x n) with row exchanges, in place, pivots inverted. False: a pivot is too small, or
 * not a number. */
static inline ALWAYS_INLINE bool factor(int n, double *restrict s, int *restrict exchange)
{
	double least = INFINITY, most = 0;
	for (int k = 0; k < n; k++) {
		int best = k;
		for (int i = k + 1; i < n; i++)
			if (fabs(s[i * n + k]) > fabs(s[best * n + k]))
				best = i;
		exchange[k] = best;
		for (int j = 0; j < n && best != k; j++) {
			const double x = s[k * n + j];
			s[k * n + j] = s[best * n + j];
			s[best * n + j] = x;
		}
		const double pivot = fabs(s[k * n + k]);
		if (!(pivot > 0))
			return false;
		const double inverse = s[k * n + k] = 1 / s[k * n + k];
		least = fmin(least, pivot);
		most = fmax(most, pivot);
		for (int i = k + 1; i < n; i++) {
			const double f = s[i * n + k] *= inverse;
			for (int j = k + 1; j < n; j++)
				s[i * n + j] -= f * s[k * n + j];
		}
	}
	return least > SMALLEST_PIVOT * most;
}

/* x <- S^-1 x for x of c columns (n x c) */
static inline ALWAYS_INLINE void solve(int n, const double *restrict s, const int *exchange, int c,
				       double *restrict x)
{
	for (int k = 0; k < n; k++)
		for (int j = 0; j < c && exchange[k] != k; j++) {
			const double y = x[k * c + j];
			x[k * c + j] = x[exchange[k] * c + j];
			x[exchange[k] * c + j] = y;
		}
	for (int i = 1; i < n; i++)
		for (int k = 0; k < i; k++)
			UNROLL
	for (int j = 0; j < c; j++)
		x[i * c + j] -= s[i * n + k] * x[k * c + j];
	for (int i = n - 1; i >= 0; i--) {
		for (int k = i + 1; k < n; k++)
			UNROLL
		for (int j = 0; j < c; j++)
			x[i * c + j] -= s[i * n + k] * x[k * c + j];
		for (int j = 0; j < c; j++)
			x[i * c + j] *= s[i * n + i];
	}
}

/* c (rows x cols) += f a (rows x inner) b (inner x cols) */
static inline ALWAYS_INLINE void multiply_add(int rows, int inner, int cols, double f,
					      const double *restrict a, const double *restrict b,
					      double *restrict c)
{
	for (int i = 0; i < rows; i++) {
		double sum[BXT_MOST_LOCAL];
		UNROLL
		for (int j = 0; j < cols; j++)
			sum[j] = 0;
		for (int k = 0; k < inner; k++) {
			const double x = a[i * inner + k];
			UNROLL
			for (int j = 0; j < cols; j++)
				sum[j] += x * b[k * cols + j];
		}
		UNROLL
		for (int j = 0; j < cols; j++)
			c[i * cols + j] += f * sum[j];
	}
}

/* c (rows x cols) += f a^T b, a (inner x rows), b (inner x cols) */
static inline ALWAYS_INLINE void multiply_transposed(int rows, int inner, int cols, double f,
						     const double *restrict a,
						     const double *restrict b, double *restrict c)
{
	for (int i = 0; i < rows; i++) {
		double sum[BXT_MOST_LOCAL];
		UNROLL
		for (int j = 0; j < cols; j++)
			sum[j] = 0;
		for (int k = 0; k < inner; k++) {
			const double x = a[k * rows + i];
			UNROLL
			for (int j = 0; j < cols; j++)
				sum[j] += x * b[k * cols + j];
		}
		UNROLL
		for (int j = 0; j < cols; j++)
			c[i * cols + j] += f * sum[j];
	}
}

/* ---- Bases ---- */

/* Column j of a (m x n) less its parts along the columns before it, scaled to 1; false if little is
 * left, relative to its size or to 1. */
static inline ALWAYS_INLINE bool orthonormalise(int m, int n, double *a, int j, bool own_size)
{
	double before = own_size ? 0 : 1;
	for (int i = 0; i < m && own_size; i++)
		before += a[i * n + j] * a[i * n + j];
	double norm = 0;
	for (int pass = 0; pass < 2; pass++) { /* the second removes the round-off of the first */
		for (int k = 0; k < j; k++) {
			double dot = 0;
			for (int i = 0; i < m; i++)
				dot += a[i * n + k] * a[i * n + j];
			for (int i = 0; i < m; i++)
				a[i * n + j] -= dot * a[i * n + k];
		}
		norm = 0;
		for (int i = 0; i < m; i++)
			norm += a[i * n + j] * a[i * n + j];
		if (norm > ONE_PASS * before)
			break;
	}
	if (!(norm > TURNED * TURNED * before))
		return false;
	norm = 1 / sqrt(norm);
	for (int i = 0; i < m; i++)
		a[i * n + j] *= norm;
	return true;
}

static void swap_columns(int m, int n, double *a, int j, int k)
{
	for (int i = 0; i < m; i++) {
		const double x = a[i * n + j];
		a[i * n + j] = a[i * n + k];
		a[i * n + k] = x;
	}
}

/*
 * The first basis: unit vectors, those farthest from the span of B, less their parts in it. If B is
 * block diagonal by stages, so is this basis. q (m x m) is scratch.
 */
static bool first_basis(const bxt_local_block *b, double *q)
{
	const int m = b->m, r = b->r;
	int axis[BXT_MOST_LOCAL];
	memset(q, 0, (size_t)(m * m) * sizeof *q);
	for (int i = 0; i < m; i++)
		memcpy(q + i * m, b->b + i * r, (size_t)r * sizeof *q);
	for (int j = 0; j < r; j++)
		if (!orthonormalise(m, m, q, j, true))
			return false;
	for (int j = r; j < m; j++) {
		double least = INFINITY;
		for (int i = 0; i < m; i++) {
			double inside = 0;
			for (int k = 0; k < j; k++)
				inside += q[i * m + k] * q[i * m + k];
			if (inside < least) {
				least = inside;
				axis[j] = i;
			}
		}
		if (!(least < 1))
			return false;
		q[axis[j] * m + j] = 1;
		if (!orthonormalise(m, m, q, j, false))
			return false;
	}
	for (int j = r + 1; j < m; j++) /* in the order of their axes */
		for (int k = j; k > r && axis[k] < axis[k - 1]; k--) {
			const int a = axis[k];
			axis[k] = axis[k - 1];
			axis[k - 1] = a;
			swap_columns(m, m, q, k, k - 1);
		}
	for (int i = 0; i < m; i++)
		memcpy(b->n + i * b->d, q + i * m + r, (size_t)b->d * sizeof *q);
	return true;
}

/* N <- orth(P N) */
static inline ALWAYS_INLINE bool project(int m, int r, int d, const bxt_local_block *b,
					 double *work)
{
	memset(work, 0, (size_t)(r * d) * sizeof *work);
	multiply_add(r, m, d, 1, b->h, b->n, work);
	multiply_add(m, r, d, -1, b->b, work, b->n);
	for (int j = 0; j < d; j++)
		if (!orthonormalise(m, d, b->n, j, false))
			return false;
	return true;
}

/* S^-1 and H = S^-1 J */
static inline ALWAYS_INLINE bool invert(int m, int r, const bxt_local_block *b, double *work)
{
	int exchange[BXT_MOST_LOCAL];
	memset(work, 0, (size_t)(r * r) * sizeof *work);
	multiply_add(r, m, r, 1, b->jac, b->b, work);
	if (!factor(r, work, exchange))
		return false;
	memset(b->inverse, 0, (size_t)(r * r) * sizeof *work);
	for (int i = 0; i < r; i++)
		b->inverse[i * r + i] = 1;
	solve(r, work, exchange, r, b->inverse);
	memset(b->h, 0, (size_t)(r * m) * sizeof *work);
	multiply_add(r, r, m, 1, b->inverse, b->jac, b->h);
	return true;
}

/* N and L of one block from its J and B. */
static inline ALWAYS_INLINE bool find_bases(int m, int r, int d, bxt_local_block *b, double *work)
{
	if (!invert(m, r, b, work))
		return false;
	b->has_basis = b->has_basis && project(m, r, d, b, work);
	if (!b->has_basis && !(first_basis(b, work) && project(m, r, d, b, work)))
		return false;
	b->has_basis = true;
	memset(work, 0, (size_t)(r * d) * sizeof *work);
	multiply_transposed(r, m, d, 1, b->b, b->n, work);
	memcpy(b->left, b->n, (size_t)(m * d) * sizeof *work);
	multiply_transposed(m, r, d, -1, b->h, work, b->left);
	return true;
}

/* ---- The matrix that is left ---- */

/* t (rows x d) += K N for n entries, rows counted from the first. */
static inline ALWAYS_INLINE void times_n(int d, const bxt_local_block *b,
					 const bxt_local_entry *entry, int n, int first_row,
					 double *restrict t)
{
	for (int e = 0; e < n; e++) {
		const double *restrict from = b->n + (entry[e].col - b->first) * d;
		double *restrict to = t + (entry[e].row - first_row) * d;
		const double x = entry[e].value;
		for (int j = 0; j < d; j++)
			to[j] += x * from[j];
	}
}

/* L^T K_UU N of one product, whose block may have the same size as its target or not. */
static inline ALWAYS_INLINE void add_inner(int m, int r, int d, const bxt_local_block *to,
					   bxt_local_rows *l, const bxt_local_product *p, int e)
{
	const bxt_local_block *b = &l->block[p->block];
	const int *slot = l->slot + p->first_slot, columns = b->d;
	double *restrict t = l->work, *restrict sum = l->work + BXT_MOST_LOCAL * BXT_MOST_LOCAL;
	(void)r;
	memset(t, 0, (size_t)(m * columns) * sizeof *t);
	memset(sum, 0, (size_t)(columns * d) * sizeof *t);
	if (columns == d) {
		times_n(d, b, l->uu + e, p->end - e, to->first, t);
		multiply_transposed(d, m, d, 1, t, to->left, sum);
	} else {
		times_n(columns, b, l->uu + e, p->end - e, to->first, t);
		multiply_transposed(columns, m, d, 1, t, to->left, sum);
	}
	for (int c = 0; c < columns; c++)
		for (int k = 0; k < d; k++)
			l->matrix.values[slot[c] + k] += sum[c * d + k];
}

/* K_oU N of one product, of one row */
static inline ALWAYS_INLINE void add_row(int m, int r, int d, const bxt_local_block *b,
					 bxt_local_rows *l, const bxt_local_product *p, int e)
{
	const int *slot = l->slot + p->first_slot;
	double *restrict t = l->work;
	(void)m;
	(void)r;
	memset(t, 0, (size_t)d * sizeof *t);
	times_n(d, b, l->ou + e, p->end - e, l->ou[e].row, t);
	for (int c = 0; c < d; c++)
		l->matrix.values[slot[c]] += t[c];
}

/* L^T K_Uo of one product, of one column */
static inline ALWAYS_INLINE void add_column(int m, int r, int d, const bxt_local_block *to,
					    bxt_local_rows *l, const bxt_local_product *p, int e)
{
	double *restrict at = l->matrix.values + l->slot[p->first_slot];
	(void)m;
	(void)r;
	for (; e < p->end; e++) {
		const double *restrict left = to->left + (l->uo[e].row - to->first) * d;
		for (int k = 0; k < d; k++)
			at[k] += l->uo[e].value * left[k];
	}
}

static void add_products(bxt_local_rows *l)
{
	for (int k = 0, e = 0; k < l->n_puu; e = l->puu[k++].end)
		BY_SIZE(add_inner, &l->block[l->puu[k].target], l, &l->puu[k], e);
	for (int k = 0, e = 0; k < l->n_pou; e = l->pou[k++].end)
		BY_SIZE(add_row, &l->block[l->pou[k].block], l, &l->pou[k], e);
	for (int k = 0, e = 0; k < l->n_puo; e = l->puo[k++].end)
		BY_SIZE(add_column, &l->block[l->puo[k].target], l, &l->puo[k], e);
}

static void gather(bxt_local_entry *entry, int n, const double *values)
{
	for (int e = 0; e < n; e++)
		entry[e].value = values[entry[e].from];
}

bool bxt_local_rows_reduce(bxt_local_rows *l, const double *values)
{
	double *restrict v = l->matrix.values;
	for (int k = 0; k < l->n_diagonal; k++)
		if (values[l->diagonal[k]] != 0)
			return false;
	for (int k = 0; k < l->n_of_blocks; k++)
		l->dense[l->of_blocks[k].to] = values[l->of_blocks[k].from];
	gather(l->uu, l->n_uu, values);
	gather(l->ou, l->n_ou, values);
	gather(l->uo, l->n_uo, values);
	for (int c = 0; c < l->n_block; c++)
		if (!BY_SIZE(find_bases, &l->block[c], l->work))
			return false;
	memset(v, 0, (size_t)bxt_sparse_nnz(&l->matrix) * sizeof *v);
	for (int k = 0; k < l->n_others; k++)
		v[l->others[k].to] = values[l->others[k].from];
	add_products(l);
	return true;
}

/* ---- Solving ---- */

/* Subtracts K_UU u from y and K_oU u (not for rows NULL) from the other rows. */
static void subtract(const bxt_local_rows *l, const double *restrict u, double *restrict y,
		     double *restrict rows)
{
	for (int e = 0; e < l->n_uu; e++)
		y[l->uu[e].row] -= l->uu[e].value * u[l->uu[e].col];
	for (int e = 0; e < l->n_ou && rows; e++)
		rows[l->ou[e].row] -= l->ou[e].value * u[l->ou[e].col];
}

/* U_0 of a block from its local rows; the right-hand side of its other rows. */
static inline ALWAYS_INLINE void begin(int m, int r, int d, const bxt_local_block *k,
				       const bxt_local_rows *l, const double *b)
{
	double *restrict g = l->work, *restrict u = l->u + k->first, *restrict y = l->y + k->first;
	double *restrict of_rows = l->work + BXT_MOST_LOCAL;
	(void)d;
	for (int i = 0; i < r; i++)
		of_rows[i] = b[k->row[i]];
	memset(g, 0, (size_t)r * sizeof *g);
	multiply_add(r, r, 1, 1, k->inverse, of_rows, g);
	memset(u, 0, (size_t)m * sizeof *u);
	multiply_add(m, r, 1, 1, k->b, g, u);
	for (int i = 0; i < m; i++)
		y[i] = b[k->col[i]];
}

/* z_w = L^T y */
static inline ALWAYS_INLINE void test(int m, int r, int d, const bxt_local_block *k,
				      const bxt_local_rows *l)
{
	double *restrict z = l->z + k->w;
	(void)r;
	memset(z, 0, (size_t)d * sizeof *z);
	multiply_transposed(d, m, 1, 1, k->left, l->y + k->first, z);
}

double *bxt_local_rows_forward(bxt_local_rows *l, double *b)
{
	for (int c = 0; c < l->n_block; c++)
		BY_SIZE(begin, &l->block[c], l, b);
	subtract(l, l->u, l->y, b);
	for (int k = 0; k < l->n_free; k++)
		l->z[l->place[k]] = b[l->free[k]];
	for (int c = 0; c < l->n_block; c++)
		BY_SIZE(test, &l->block[c], l);
	return l->z;
}

/* N w */
static inline ALWAYS_INLINE void expand(int m, int r, int d, const bxt_local_block *k,
					const bxt_local_rows *l)
{
	double *restrict du = l->du + k->first;
	(void)r;
	memset(du, 0, (size_t)m * sizeof *du);
	multiply_add(m, d, 1, 1, k->n, l->z + k->w, du);
}

/* U = U_0 + N w, l = H y */
static inline ALWAYS_INLINE void finish(int m, int r, int d, const bxt_local_block *k,
					const bxt_local_rows *l, double *b)
{
	double *restrict g = l->work;
	(void)d;
	memset(g, 0, (size_t)r * sizeof *g);
	multiply_add(r, m, 1, 1, k->h, l->y + k->first, g);
	for (int i = 0; i < r; i++)
		b[k->row[i]] = g[i];
	for (int i = 0; i < m; i++)
		b[k->col[i]] = l->u[k->first + i] + l->du[k->first + i];
}

void bxt_local_rows_back(bxt_local_rows *l, double *b)
{
	for (int k = 0; k < l->n_free; k++)
		b[l->free[k]] = l->z[l->place[k]];
	for (int c = 0; c < l->n_block; c++)
		BY_SIZE(expand, &l->block[c], l);
	subtract(l, l->du, l->y, NULL);
	for (int e = 0; e < l->n_uo; e++)
		l->y[l->uo[e].row] -= l->uo[e].value * b[l->uo[e].col];
	for (int c = 0; c < l->n_block; c++)
		BY_SIZE(finish, &l->block[c], l, b);
}
