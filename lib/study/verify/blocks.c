/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A certificate for each primitive: its block of the step's matrix,
 *
 *     [S_i  A_i^T] [v]       S_i: slopes of its momentum rows
 *     [A_i      0] [l] = 0
 *
 * must have no solution without flow and effort at its ports. Such a solution is a part of the
 * motion that no interconnection can determine. Other solutions are determined by what is
 * connected, for example by a voltage source at a port. Slopes that vanish at rest (r i^3) need not
 * vanish elsewhere, so one regular state suffices.
 */
#include "ground/base/tolerances.h"
#include "study/verify/verify_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct certificate {
	bxt_verifier *v;
	bxt_stepper *st;
	double *values; /* (nnz + 1) the matrix of the step */
	bool *joined;   /* (nodes) a connected port is at the node */
	int *row, *col; /* (size) index in the block, -1 */
	int *places;    /* (size) the columns of the block in x */
};

static void find_joined(struct certificate *c)
{
	const bxt_network *net = c->v->s->net;
	for (size_t i = 0; i < net->n_ports; i++)
		if (net->ports[i].connection >= 0 && net->ports[i].node >= 0)
			c->joined[net->ports[i].node] = true;
}

/*
 * Flows at ports and efforts at nodes with ports are no unknowns of the block; all rows are used.
 */
static void number_block(struct certificate *c, int p, int *n_row, int *n_col)
{
	const bxt_verifier *v = c->v;
	const bxt_system *s = v->s;
	*n_row = *n_col = 0;
	for (int d = v->coord_first[p]; d < v->coord_first[p + 1]; d++) {
		const bxt_coord_info *q = &s->dirac.coord[d];
		const int x = s->x_of_coord[d];
		const bool port = q->type == BXT_COORD_PORT ||
				  (q->type == BXT_COORD_NODE && c->joined[q->owner]);
		c->row[x] = (*n_row)++;
		if (!port)
			c->places[*n_col] = x;
		c->col[x] = port ? -1 : (*n_col)++;
	}
	for (int d = v->row_first[p]; d < v->row_first[p + 1]; d++) {
		const bxt_row_info *row = &s->dirac.row[d];
		const int x = s->x_of_row[d];
		const bool port = row->family == BXT_FAMILY_NODE && c->joined[row->owner];
		if (x == s->spare)
			continue;
		c->row[x] = (*n_row)++;
		if (!port)
			c->places[*n_col] = x;
		c->col[x] = port ? -1 : (*n_col)++;
	}
}

static void forget(struct certificate *c, int p)
{
	const bxt_verifier *v = c->v;
	const bxt_system *s = v->s;
	for (int d = v->coord_first[p]; d < v->coord_first[p + 1]; d++)
		c->row[s->x_of_coord[d]] = c->col[s->x_of_coord[d]] = -1;
	for (int d = v->row_first[p]; d < v->row_first[p + 1]; d++)
		c->row[s->x_of_row[d]] = c->col[s->x_of_row[d]] = -1;
}

static bxt_status null_space(struct certificate *c, bxt_arena *arena, int n_row, int n_col,
			     bxt_sparse *z)
{
	const bxt_sparse *p = &c->st->pattern;
	bxt_entries e = {0};
	bxt_sparse block;
	bxt_status status = BXT_OK;
	for (int j = 0; j < n_col; j++)
		for (int k = p->colptr[c->places[j]];
		     k < p->colptr[c->places[j] + 1] && status == BXT_OK; k++)
			if (p->rowind[k] < c->v->s->size && c->row[p->rowind[k]] >= 0 &&
			    c->values[k] != 0)
				status = bxt_entries_add(&e, c->row[p->rowind[k]], j, c->values[k]);
	if (status == BXT_OK)
		status = bxt_entries_matrix(arena, &e, n_row, n_col, &block);
	bxt_entries_free(&e);
	if (status == BXT_OK)
		status = bxt_sparse_scale_rows(&block);
	return status == BXT_OK ? bxt_sparse_null_space(arena, &block, BXT_DEPENDENT, z) : status;
}

static bxt_status check_primitive(struct certificate *c, int p)
{
	bxt_verifier *v = c->v;
	int n_row, n_col, at = -1;
	double most = 0;
	bxt_sparse z;
	bxt_arena *arena = bxt_arena_new();
	if (!arena)
		return BXT_ERR_MEMORY;
	number_block(c, p, &n_row, &n_col);
	const bxt_status status = null_space(c, arena, n_row, n_col, &z);
	forget(c, p);
	for (int k = 0; status == BXT_OK && z.ncol > 0 && k < z.colptr[1]; k++)
		if (fabs(z.values[k]) > most) { /* flows come before multipliers */
			most = 2 * fabs(z.values[k]);
			at = c->places[z.rowind[k]];
		}
	if (status == BXT_OK && z.ncol == 0)
		v->block_regular[p] = true;
	else if (status == BXT_OK)
		v->block_culprit[p] = at;
	bxt_arena_free(arena);
	return status;
}

static bxt_status check_all(struct certificate *c)
{
	const bxt_system *s = c->v->s;
	for (int i = 0; i < s->size; i++)
		c->row[i] = c->col[i] = -1;
	find_joined(c);
	c->st->equations.jacobian(c->st->equations.context, c->st->x, c->values);
	for (int k = 0; k < bxt_sparse_nnz(&c->st->pattern); k++)
		if (!isfinite(c->values[k]))
			return BXT_ERR_NOT_FINITE;
	for (size_t p = 0; p < s->net->n_primitives; p++)
		if (!c->v->block_regular[p])
			BXT_TRY(check_primitive(c, (int)p));
	return BXT_OK;
}

bxt_status bxt_verify_blocks(bxt_verifier *v, bxt_stepper *st)
{
	const size_t size = (size_t)v->s->size;
	bxt_arena *arena = bxt_arena_new();
	struct certificate c = {.v = v, .st = st};
	if (!arena)
		return BXT_ERR_MEMORY;
	c.values = BXT_NEW(arena, double, (size_t)bxt_sparse_nnz(&st->pattern) + 1);
	c.joined = BXT_NEW(arena, bool, v->s->net->n_nodes);
	c.row = BXT_NEW(arena, int, size);
	c.col = BXT_NEW(arena, int, size);
	c.places = BXT_NEW(arena, int, size);
	const bxt_status status =
		c.values && c.joined && c.row && c.col && c.places ? check_all(&c) : BXT_ERR_MEMORY;
	bxt_arena_free(arena);
	return status;
}

void bxt_verify_blocks_report(bxt_verifier *v)
{
	const bxt_system *s = v->s;
	bxt_buffer words = {0}, name = {0};
	bxt_place place = BXT_NOWHERE;
	int singular = 0;
	for (size_t p = 0; p < s->net->n_primitives; p++) {
		if (v->block_regular[p] || v->coord_first[p + 1] == v->coord_first[p])
			continue;
		if (singular++ > 0)
			continue;
		place = bxt_system_x_place(s, v->block_culprit[p]);
		bxt_buffer_printf(&words, "; %s%snothing determines %s",
				  p ? s->net->primitives[p].path : "", p ? ": " : "",
				  bxt_system_x_name(s, v->block_culprit[p], &name));
	}
	bxt_checks_add(&v->checks, BXT_CHECK_STEP_BLOCKS, singular, place,
		       "%zu primitives, %d singular whatever is joined to the ports%s",
		       s->net->n_primitives, singular, words.text ? words.text : "");
	bxt_checks_release(&v->checks, &words);
	bxt_checks_release(&v->checks, &name);
}
