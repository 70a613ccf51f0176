/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluates the vector fields xi(q) of symmetries on their tapes. */
#include "model/system/symmetry.h"

#include <math.h>

static int place_of(const bxt_system *s, const bxt_net_coordinate *c)
{
	if (c->element >= 0)
		return s->x_of_coord[s->where.first_coord[c->element] + c->coordinate];
	const int k = bxt_network_coordinate(&s->net->nodes[c->node], c->coordinate);
	return k < 0 ? s->spare : s->x_of_coord[s->where.node_coord[c->node] + k];
}

/* x indices of the field's coordinates: those of the element type, or those that the netlist names.
 */
static void find_places(const bxt_system *s, const bxt_net_symmetry *y, bxt_vector_field *v)
{
	const int e = y->element;
	const bxt_group *g = e < 0 ? NULL : &s->groups[s->of_element.group[e]];
	for (int a = 0; a < y->field->nl; a++)
		v->at[a] = e < 0 ? place_of(s, &y->at[a]) : g->at[a][s->of_element.place[e]];
	for (int i = 0; i < v->n; i++)
		v->place[i] = v->at[y->field->on[i]];
}

static bxt_status make_vector_field(bxt_arena *arena, const bxt_system *s, int i,
				    bxt_vector_field *v)
{
	const bxt_net_symmetry *y = &s->net->symmetries[i];
	const bxt_field *field = v->field = y->field;
	const size_t variables = (size_t)field->n_parameter + (size_t)field->nl;
	bxt_buffer name = {0};
	v->name = bxt_arena_strdup(arena, bxt_network_symmetry_name(s->net, i, &name));
	v->n = field->n;
	v->place = BXT_NEW(arena, int, (size_t)v->n);
	v->at = BXT_NEW(arena, int, (size_t)field->nl);
	v->in = BXT_NEW(arena, const double *, variables);
	v->lanes = BXT_NEW(arena, double, variables *BXT_FEW_LANES);
	v->work = BXT_NEW(arena, double, field->tape ? bxt_tape_work(field->tape) : 0);
	const bool good =
		v->name && !name.failed && v->place && v->at && v->in && v->lanes && v->work;
	bxt_buffer_free(&name);
	if (!good)
		return BXT_ERR_MEMORY;
	find_places(s, y, v);
	for (size_t k = 0; k < variables; k++) {
		double *lanes = v->lanes + k * BXT_FEW_LANES;
		v->in[k] = lanes;
		for (int l = 0; l < BXT_FEW_LANES && k < (size_t)field->n_parameter; l++)
			lanes[l] = s->net->elements[y->element].parameter[k];
	}
	return BXT_OK;
}

bxt_status bxt_vector_fields_new(bxt_arena *arena, const bxt_system *s, bxt_vector_field **out)
{
	const size_t n = s->net->n_symmetries;
	*out = BXT_NEW(arena, bxt_vector_field, n);
	if (!*out)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < n; i++)
		BXT_TRY(make_vector_field(arena, s, (int)i, *out + i));
	return BXT_OK;
}

void bxt_vector_field_evaluate(bxt_vector_field *v, const double *q, double *xi, double *slopes)
{
	const bxt_field *field = v->field;
	if (!field->tape)
		return; /* the field 0 */
	for (int a = 0; a < field->nl; a++) {
		double *lanes = v->lanes + (size_t)(field->n_parameter + a) * BXT_FEW_LANES;
		for (int l = 0; l < BXT_FEW_LANES; l++)
			lanes[l] = q[v->at[a]];
	}
	bxt_tape_run_first(field->tape, v->in, v->work, 1);
	for (int i = 0; i < v->n; i++)
		xi[i] = *bxt_tape_result(field->tape, i, v->in, v->work);
	for (int k = 0; slopes && k < field->n_slope; k++)
		slopes[k] = *bxt_tape_result(field->tape, v->n + k, v->in, v->work);
}

double bxt_vector_field_dot(const bxt_vector_field *v, const double *xi, const double *f,
			    double *size)
{
	double sum = 0;
	for (int i = 0; i < v->n; i++) {
		sum += f[v->place[i]] * xi[i];
		if (size)
			*size += fabs(f[v->place[i]] * xi[i]);
	}
	return sum;
}
