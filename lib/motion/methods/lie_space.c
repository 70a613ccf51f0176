/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/methods/lie_space.h"

#include <string.h>

/* ---- Making ---- */

bool bxt_lie_is_group(const bxt_manifold *m)
{
	return m->retraction->dimension > 0;
}

bool bxt_lie_is_sphere(const bxt_manifold *m)
{
	return m->retraction->chord && m->n == 3;
}

const bxt_retraction *bxt_lie_of_frames(const bxt_system *s, const bxt_group *group, int *place)
{
	const bxt_element_type *type = group->type;
	int n = 0;
	if (!s->net->elements[group->element[0]].is_frame)
		return NULL;
	for (int k = 0; k < type->n_shared; k++) {
		const bxt_port *port = &type->component->ports[type->origin.port_of_coord[k]];
		if (type->origin.sub_of_coord[k] >= port->kind->frame && n < 9)
			place[n++] = type->n_own + k;
	}
	return n == 9 ? &bxt_rotation_retractions[1] : NULL;
}

static int count_groups(const bxt_system *s)
{
	int n = 0;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_component *c = s->groups[g].type->component;
		int place[9];
		for (int i = 0; i < c->geometry.n_manifolds; i++)
			n += bxt_lie_is_group(&c->geometry.manifolds[i]) ||
					     bxt_lie_is_sphere(&c->geometry.manifolds[i])
				     ? s->groups[g].count
				     : 0;
		n += bxt_lie_of_frames(s, &s->groups[g], place) ? s->groups[g].count : 0;
	}
	return n;
}

static void append_part(bxt_lie_space *space, const bxt_retraction *retraction, int n,
			const int *place)
{
	bxt_lie_part *part = &space->part[space->n_parts];
	part->retraction = retraction && retraction->dimension > 0 ? retraction : NULL;
	part->sphere = retraction && !part->retraction ? retraction : NULL;
	part->dimension = part->retraction ? retraction->dimension : n;
	part->first = space->n;
	space->n += part->dimension;
	for (int k = 0; k < n; k++) {
		part->place[k] = place[k];
		space->part_of_x[place[k]] = space->n_parts;
		space->at_of_x[place[k]] = k;
	}
	space->n_parts++;
}

static void list_groups(bxt_lie_space *space)
{
	const bxt_system *s = space->system;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_component *c = group->type->component;
		for (int i = 0; i < group->count * c->geometry.n_manifolds; i++) {
			const bxt_manifold *m = &c->geometry.manifolds[i % c->geometry.n_manifolds];
			int place[9];
			if (!bxt_lie_is_group(m) && !bxt_lie_is_sphere(m))
				continue;
			for (int k = 0; k < m->n; k++) /* own coordinates come first */
				place[k] = group->at[m->coordinate[k]][i / c->geometry.n_manifolds];
			append_part(space, m->retraction, m->n, place);
		}
	}
}

/* The frames of nodes. */
static void list_frames(bxt_lie_space *space)
{
	const bxt_system *s = space->system;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		int local[9], place[9];
		const bxt_retraction *r = bxt_lie_of_frames(s, group, local);
		for (int i = 0; r && i < group->count; i++) {
			for (int k = 0; k < 9; k++)
				place[k] = group->at[local[k]][i];
			append_part(space, r, 9, place);
		}
	}
}

static bxt_status list_parts(bxt_lie_space *space, bxt_arena *arena)
{
	const bxt_system *s = space->system;
	const size_t n = (size_t)s->n + 1;
	/* a group has nine coordinates */
	space->part = BXT_NEW(arena, bxt_lie_part, (size_t)(s->n + count_groups(s)) + 1);
	space->part_of_x = BXT_NEW(arena, int, n);
	space->at_of_x = BXT_NEW(arena, int, n);
	if (!space->part || !space->part_of_x || !space->at_of_x)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < s->n; i++)
		space->part_of_x[i] = -1;
	list_groups(space);
	list_frames(space);
	for (int i = 0; i < s->n; i++)
		if (space->part_of_x[i] < 0)
			append_part(space, NULL, 1, &i);
	return BXT_OK;
}

/* The pattern of parts: pairs that the system's pattern couples, and each part with itself. */
static bxt_status couple_parts(bxt_lie_space *space, bxt_arena *arena, bxt_triplets *t,
			       bxt_sparse *parts)
{
	const bxt_sparse *p = &space->system->pattern;
	const int n = space->system->n;
	for (int k = 0; k < space->n_parts; k++)
		BXT_TRY(bxt_triplets_add(t, k, k));
	for (int j = 0; j < n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			if (p->rowind[k] < n)
				BXT_TRY(bxt_triplets_add(t, space->part_of_x[p->rowind[k]],
							 space->part_of_x[j]));
	return bxt_sparse_pattern(arena, t, space->n_parts, space->n_parts, parts, NULL);
}

static bxt_status list_blocks(bxt_lie_space *space, bxt_arena *arena, const bxt_sparse *parts)
{
	space->block = BXT_NEW(arena, bxt_lie_block, (size_t)bxt_sparse_nnz(parts));
	space->diagonal = BXT_NEW(arena, int, (size_t)space->n_parts + 1);
	if (!space->block || !space->diagonal)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < parts->ncol; j++)
		for (int k = parts->colptr[j]; k < parts->colptr[j + 1]; k++) {
			const int i = parts->rowind[k];
			space->block[space->n_blocks++] = (bxt_lie_block){i, j, space->n_values};
			if (i == j)
				space->diagonal[i] = space->n_values;
			space->n_values += space->part[i].dimension * space->part[j].dimension;
		}
	return BXT_OK;
}

static int find_block(const bxt_lie_space *space, const bxt_sparse *parts, int row, int col)
{
	int k = parts->colptr[col];
	while (parts->rowind[k] != row)
		k++;
	return space->block[k].first;
}

static bxt_status list_entries(bxt_lie_space *space, bxt_arena *arena, const bxt_sparse *parts)
{
	const bxt_sparse *p = &space->system->pattern;
	const int n = space->system->n;
	space->entry = BXT_NEW(arena, bxt_lie_entry, (size_t)bxt_sparse_nnz(p));
	if (!space->entry)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
			const int i = p->rowind[k], col = space->part_of_x[j];
			if (i >= n)
				continue;
			space->entry[space->n_entries++] = (bxt_lie_entry){
				.slot = k,
				.row = i,
				.col = j,
				.first = find_block(space, parts, space->part_of_x[i], col),
				.columns = space->part[col].dimension};
		}
	return BXT_OK;
}

bxt_status bxt_lie_space_new(const bxt_system *s, bxt_arena *arena, bxt_lie_space *out)
{
	bxt_triplets t = {0};
	bxt_sparse parts;
	*out = (bxt_lie_space){.system = s};
	BXT_TRY(list_parts(out, arena));
	bxt_status status = couple_parts(out, arena, &t, &parts);
	bxt_triplets_free(&t);
	BXT_TRY(status);
	BXT_TRY(list_blocks(out, arena, &parts));
	BXT_TRY(list_entries(out, arena, &parts));
	for (int k = 0; k < 4; k++)
		if (!(out->values[k] =
			      BXT_NEW(arena, double, (size_t)bxt_sparse_nnz(&s->pattern) + 1)))
			return BXT_ERR_MEMORY;
	out->p = BXT_NEW(arena, double, (size_t)s->size + BXT_LANES);
	out->f = BXT_NEW(arena, double, (size_t)s->size + BXT_LANES);
	out->rows[0] = BXT_NEW(arena, double, 3 * (size_t)s->size);
	out->rows[1] = BXT_NEW(arena, double, 3 * (size_t)s->size);
	return out->p && out->f && out->rows[0] && out->rows[1] ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_lie_point_new(const bxt_lie_space *space, bxt_arena *arena, bxt_lie_point *out)
{
	const size_t size = (size_t)space->system->size + BXT_LANES, n = (size_t)space->n + 1,
		     values = (size_t)space->n_values + 1;
	out->q = BXT_NEW(arena, double, size);
	out->v = BXT_NEW(arena, double, size);
	out->rate = BXT_NEW(arena, double, n);
	out->m = BXT_NEW(arena, double, n);
	out->n = BXT_NEW(arena, double, n);
	out->m_w = BXT_NEW(arena, double, values);
	out->m_phi = BXT_NEW(arena, double, values);
	out->n_w = BXT_NEW(arena, double, values);
	out->n_phi = BXT_NEW(arena, double, values);
	return out->q && out->v && out->rate && out->m && out->n && out->m_w && out->m_phi &&
			       out->n_w && out->n_phi
		       ? BXT_OK
		       : BXT_ERR_MEMORY;
}

/* ---- T and S ---- */

void bxt_lie_take(const bxt_lie_part *part, const double *q, double *matrix)
{
	for (int k = 0; k < 9; k++)
		matrix[k] = q[part->place[k]];
}

void bxt_lie_give(const bxt_lie_part *part, const double *matrix, double *q)
{
	for (int k = 0; k < 9; k++)
		q[part->place[k]] = matrix[k];
}

/* V from q and rates. */
static void find_flows(const bxt_lie_space *space, bxt_lie_point *point)
{
	for (int k = 0; k < space->n_parts; k++) {
		const bxt_lie_part *part = &space->part[k];
		double q[9], hat[9] = {0}, v[9];
		if (!part->retraction) {
			for (int i = 0; i < part->dimension; i++)
				point->v[part->place[i]] = point->rate[part->first + i];
			continue;
		}
		bxt_lie_take(part, point->q, q);
		bxt_add_hat3(1, point->rate + part->first, hat);
		bxt_product3(q, hat, v);
		bxt_lie_give(part, v, point->v);
	}
}

/* Rows of T and S of one coordinate: Q_ab has e_b x Q_a and (w x e_b) x Q_a, Q_a being the row. */
static void take_rows(const bxt_lie_space *space, const bxt_lie_point *point, int x, double *t,
		      double *s)
{
	const bxt_lie_part *part = &space->part[space->part_of_x[x]];
	if (!part->retraction) {
		for (int k = 0; k < 3; k++) {
			t[k] = k == space->at_of_x[x];
			s[k] = 0;
		}
		return;
	}
	const int a = space->at_of_x[x] % 3, b = space->at_of_x[x] / 3;
	double row[3], unit[3] = {0}, turned[3];
	unit[b] = 1;
	for (int k = 0; k < 3; k++)
		row[k] = point->q[part->place[3 * k + a]];
	bxt_cross3(unit, row, t);
	bxt_cross3(point->rate + part->first, unit, turned);
	bxt_cross3(turned, row, s);
}

void bxt_lie_momenta(const bxt_lie_space *space, const double *q, const double *p, double *m)
{
	for (int k = 0; k < space->n_parts; k++) {
		const bxt_lie_part *part = &space->part[k];
		double matrix[9], of_p[9], b[9];
		if (!part->retraction) {
			for (int i = 0; i < part->dimension; i++)
				m[part->first + i] = p[part->place[i]];
			continue;
		}
		bxt_lie_take(part, q, matrix);
		bxt_lie_take(part, p, of_p);
		bxt_transposed_product3(matrix, of_p, b);
		bxt_axial3(b, m + part->first);
	}
}

void bxt_lie_rates(const bxt_lie_space *space, const double *q, const double *v, double *rate)
{
	bxt_lie_momenta(space, q, v, rate); /* T^T V = 2 w on a group */
	for (int k = 0; k < space->n_parts; k++)
		for (int i = 0; i < 3 && space->part[k].retraction; i++)
			rate[space->part[k].first + i] /= 2;
}

void bxt_lie_add_momenta(const bxt_lie_space *space, const double *q, const double *x, double *p)
{
	for (int k = 0; k < space->n_parts; k++) {
		const bxt_lie_part *part = &space->part[k];
		double matrix[9], hat[9] = {0}, change[9];
		if (!part->retraction) {
			for (int i = 0; i < part->dimension; i++)
				p[part->place[i]] += x[part->first + i];
			continue;
		}
		bxt_lie_take(part, q, matrix);
		bxt_add_hat3(0.5, x + part->first, hat);
		bxt_product3(matrix, hat, change);
		for (int i = 0; i < 9; i++)
			p[part->place[i]] += change[i];
	}
}

/* ---- m and n ---- */

/* B = Q^T P and B' = Q^T F - B w^ of a group. */
static void take_products(const bxt_lie_space *space, const bxt_lie_point *point,
			  const bxt_lie_part *part, double *b, double *of_force)
{
	double q[9], p[9], f[9], hat[9] = {0}, turned[9];
	bxt_lie_take(part, point->q, q);
	bxt_lie_take(part, space->p, p);
	bxt_lie_take(part, space->f, f);
	bxt_transposed_product3(q, p, b);
	bxt_transposed_product3(q, f, of_force);
	bxt_add_hat3(1, point->rate + part->first, hat);
	bxt_product3(b, hat, turned);
	for (int i = 0; i < 9; i++)
		of_force[i] -= turned[i];
}

void bxt_lie_evaluate(const bxt_lie_space *space, bxt_evaluator *e, bxt_lie_point *point)
{
	static const bxt_weights one = {{{[BXT_P] = 1, [BXT_F] = 1}, {[BXT_P] = 1, [BXT_F] = 1}}};
	const size_t bytes = (size_t)space->system->size * sizeof(double);
	memset(space->p, 0, bytes);
	memset(space->f, 0, bytes);
	find_flows(space, point);
	bxt_evaluate_apart(e, BXT_SET_DYNAMICS, (bxt_point){point->q, point->v, point->t}, &one,
			   &(bxt_residual){space->f, NULL, space->p, NULL});
	for (int k = 0; k < space->n_parts; k++) {
		const bxt_lie_part *part = &space->part[k];
		double b[9], of_force[9];
		if (!part->retraction) {
			for (int i = 0; i < part->dimension; i++) {
				point->m[part->first + i] = space->p[part->place[i]];
				point->n[part->first + i] = space->f[part->place[i]];
			}
			continue;
		}
		take_products(space, point, part, b, of_force);
		bxt_axial3(b, point->m + part->first);
		bxt_axial3(of_force, point->n + part->first);
	}
}

/* ---- Slopes ---- */

/* out += g(B), or its transpose, B - tr B, of values by rows. */
static void add_turned(const double *b, bool transposed, double *out)
{
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			out[3 * i + j] += b[transposed ? 3 * i + j : 3 * j + i];
	for (int i = 0; i < 3; i++)
		out[4 * i] -= b[0] + b[4] + b[8];
}

static void add_entry(const bxt_lie_space *space, const bxt_lie_point *point,
		      const bxt_lie_entry *entry)
{
	const double pv = space->values[0][entry->slot], pq = space->values[1][entry->slot],
		     fv = space->values[2][entry->slot], fq = space->values[3][entry->slot];
	if (pv == 0 && pq == 0 && fv == 0 && fq == 0)
		return;
	const double *t_row = space->rows[0] + 3 * entry->row,
		     *s_row = space->rows[1] + 3 * entry->row;
	const double *t_col = space->rows[0] + 3 * entry->col,
		     *s_col = space->rows[1] + 3 * entry->col;
	const int rows = space->part[space->part_of_x[entry->row]].dimension;
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < entry->columns; j++) {
			const int k = entry->first + i * entry->columns + j;
			const double of_m = pv * s_col[j] + pq * t_col[j];
			point->m_w[k] += t_row[i] * pv * t_col[j];
			point->m_phi[k] += t_row[i] * of_m;
			point->n_w[k] += (t_row[i] * fv + s_row[i] * pv) * t_col[j];
			point->n_phi[k] +=
				t_row[i] * (fv * s_col[j] + fq * t_col[j]) + s_row[i] * of_m;
		}
}

void bxt_lie_slopes(const bxt_lie_space *space, bxt_evaluator *e, bxt_lie_point *point)
{
	static const bxt_weights of[4] = {{{{[BXT_PV] = 1}, {[BXT_PV] = 1}}},
					  {{{[BXT_PQ] = 1}, {[BXT_PQ] = 1}}},
					  {{{[BXT_FV] = 1}, {[BXT_FV] = 1}}},
					  {{{[BXT_FQ] = 1}, {[BXT_FQ] = 1}}}};
	const size_t bytes = (size_t)space->n_values * sizeof(double);
	const bxt_point at = {point->q, point->v, point->t};
	for (int k = 0; k < 4; k++)
		memset(space->values[k], 0,
		       ((size_t)bxt_sparse_nnz(&space->system->pattern) + 1) *
			       sizeof *space->values[k]);
	bxt_evaluate_jacobian_to(e, BXT_SET_JAC_CONST, at, 4, of, space->values);
	bxt_evaluate_jacobian_to(e, BXT_SET_JAC_DYN, at, 4, of, space->values);
	memset(point->m_w, 0, bytes);
	memset(point->m_phi, 0, bytes);
	memset(point->n_w, 0, bytes);
	memset(point->n_phi, 0, bytes);
	for (int x = 0; x < space->system->n; x++)
		take_rows(space, point, x, space->rows[0] + 3 * x, space->rows[1] + 3 * x);
	for (int k = 0; k < space->n_entries; k++)
		add_entry(space, point, &space->entry[k]);
	for (int k = 0; k < space->n_parts; k++) {
		double b[9], of_force[9];
		if (!space->part[k].retraction)
			continue;
		take_products(space, point, &space->part[k], b, of_force);
		add_turned(b, false, point->m_phi + space->diagonal[k]);
		add_turned(b, true, point->n_w + space->diagonal[k]);
		add_turned(of_force, false, point->n_phi + space->diagonal[k]);
	}
}

/* ---- Products ---- */

/* out (rows) = L x or L^T x; a line has one number. */
static void multiply(const double *l, bool transposed, int rows, const double *x, double *out)
{
	if (rows == 1)
		out[0] = l[0] * x[0];
	else if (transposed)
		bxt_transposed_times3(l, x, out);
	else
		bxt_times3(l, x, out);
}

void bxt_lie_add_product(const bxt_lie_space *space, double factor, bxt_lie_factors by,
			 const double *x, double *out)
{
	for (int k = 0; k < space->n_blocks; k++) {
		const bxt_lie_block *block = &space->block[k];
		const int rows = space->part[block->row].dimension,
			  cols = space->part[block->col].dimension;
		double turned[9], column[3], left[3];
		for (int i = 0; i < rows; i++) { /* x R, row by row */
			const double *from = x + block->first + i * cols;
			if (by.right)
				multiply(by.right[block->col], true, cols, from, turned + i * cols);
			else
				memcpy(turned + i * cols, from, (size_t)cols * sizeof *from);
		}
		for (int j = 0; j < cols; j++) {
			for (int i = 0; i < rows; i++)
				left[i] = column[i] = turned[i * cols + j];
			if (by.left)
				multiply(by.left[block->row], by.transposed, rows, column, left);
			for (int i = 0; i < rows; i++)
				out[block->first + i * cols + j] += factor * left[i];
		}
	}
}

void bxt_lie_add_local(const bxt_lie_space *space, double factor, const bxt_lie_matrix *k,
		       bool transposed, double *out)
{
	for (int part = 0; part < space->n_parts; part++) {
		const int n = space->part[part].dimension;
		double *to = out + space->diagonal[part];
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
				to[i * n + j] += factor * k[part][n == 1       ? 0
								  : transposed ? 3 * i + j
									       : 3 * j + i];
	}
}
