/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The matrices of all shipped models against central differences of the equations that runs solve,
 * and slopes by parameters against the equations of models that are compiled again with others.
 */
#include "model/network/parameters.h"
#include "study/linear/linear.h"
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_sampled(const bxt_system *s)
{
	for (size_t i = 0; i < s->net->n_types; i++)
		if (s->net->types[i]->component->sampled.n_updates > 0 ||
		    s->net->types[i]->component->sampled.plugin)
			return true;
	return false;
}

/* ---- The equations ---- */

/* r: D - F - K of massless rows, - F - K of the others, C; p: momenta of those with mass. */
static void evaluate(bxt_evaluator *e, bxt_point at, double *r, double *p)
{
	static const bxt_weights rest = {{{[BXT_F] = -1}, {[BXT_D] = 1, [BXT_F] = -1}}};
	static const bxt_weights rows = {{{[BXT_K] = -1, [BXT_C] = 1}, {[BXT_K] = -1}}};
	static const bxt_weights momenta = {{{[BXT_P] = 1}, {0}}};
	const size_t bytes = (size_t)e->system->size * sizeof *r;
	memset(r, 0, bytes);
	memset(p, 0, bytes);
	bxt_evaluate(e, BXT_SET_DYNAMICS, at, &rest, r, NULL);
	bxt_evaluate(e, BXT_SET_CONSTRAINT, at, &rows, r, NULL);
	bxt_evaluate(e, BXT_SET_MOMENTUM, at, &momenta, p, NULL);
}

struct difference {
	double *r, *p; /* (size) */
	double *bend;  /* (size) of r: how far slopes of both sides, and those nearer by, differ */
	double h;
};

/* (f(x + h) - f(x - h)) / 2h by one coordinate, or by one flow or multiplier. */
static void differ(const bxt_linear *l, bool by_q, int j, struct difference *d)
{
	const size_t size = (size_t)l->s->size;
	double *moved = by_q ? (double *)l->at.q : (double *)l->at.x; /* this simulation's own */
	const double before = moved[j];
	double *r[5], *p[5], at[5];
	double *memory = malloc(10 * size * sizeof *memory);
	d->h = 1e-6 * fmax(fabs(before), 1e-3);
	const double places[] = {-1, -0.125, 0, 0.125, 1};
	for (int k = 0; k < 5; k++) {
		r[k] = memory + (size_t)(2 * k) * size;
		p[k] = r[k] + size;
		moved[j] = at[k] = before + places[k] * d->h;
		evaluate(l->e, l->at, r[k], p[k]);
	}
	moved[j] = before;
	for (size_t i = 0; i < size; i++) {
		d->r[i] = (r[4][i] - r[0][i]) / (at[4] - at[0]);
		d->p[i] = (p[4][i] - p[0][i]) / (at[4] - at[0]);
		const double near = (r[3][i] - r[1][i]) / (at[3] - at[1]);
		d->bend[i] = fabs(r[4][i] - 2 * r[2][i] + r[0][i]) / d->h + fabs(near - d->r[i]);
	}
	free(memory);
}

static double entry(const bxt_system *s, const double *values, int row, int col)
{
	for (int k = s->pattern.colptr[col]; k < s->pattern.colptr[col + 1]; k++)
		if (s->pattern.rowind[k] == row)
			return values[k];
	return 0;
}

/* What round-off of the terms of a row may do to a difference. */
static double noise(const double *terms, int i, double h)
{
	return 64 * 2.3e-16 * terms[i] / h;
}

static void check(const char *name, const bxt_linear *l, const char *what, int i, int j,
		  double expected, double found, double round_off)
{
	bxt_buffer one = {0}, other = {0};
	/* curvature: h is 1e-6 of a value, of exponentials with it in units of 1/40 */
	ck_assert_msg(fabs(expected - found) <=
			      1e-5 * fmax(fabs(expected), fabs(found)) + round_off + 1e-16,
		      "%s: %s of %s by %s is %.12g, by differences %.12g", name, what,
		      bxt_system_x_name(l->s, i, &one), bxt_system_x_name(l->s, j, &other),
		      expected, found);
	bxt_buffer_free(&one);
	bxt_buffer_free(&other);
}

/* Sizes of the terms of all rows, and of momenta. Those that cancel in one expression are seen by
 * their slopes. */
static void sizes(const bxt_linear *l, double *of_r, double *of_p)
{
	static const bxt_weights all = {{{[BXT_D] = 1, [BXT_F] = 1, [BXT_K] = 1, [BXT_C] = 1},
					 {[BXT_D] = 1, [BXT_F] = 1, [BXT_K] = 1}}};
	static const bxt_weights momenta = {{{[BXT_P] = 1}, {[BXT_P] = 1}}};
	const size_t bytes = (size_t)l->s->size * sizeof *of_r;
	double *sum = calloc(1, bytes);
	memset(of_r, 0, bytes);
	memset(of_p, 0, bytes);
	bxt_evaluate(l->e, BXT_SET_DYNAMICS, l->at, &all, sum, of_r);
	bxt_evaluate(l->e, BXT_SET_CONSTRAINT, l->at, &all, sum, of_r);
	bxt_evaluate(l->e, BXT_SET_MOMENTUM, l->at, &momenta, sum, of_p);
	for (int j = 0; j < l->s->spare; j++)
		for (int k = l->s->pattern.colptr[j]; k < l->s->pattern.colptr[j + 1]; k++)
			of_r[l->s->pattern.rowind[k]] +=
				fabs(l->by_x[k] * l->at.x[j]) +
				fabs(l->by_q[k]) * (fabs(l->at.q[j]) + 1e-6);
	free(sum);
}

static void compare(const char *name, const bxt_linear *l)
{
	const bxt_system *s = l->s;
	const size_t size = (size_t)s->size;
	double *memory = malloc(8 * size * sizeof *memory);
	double *of_r = memory + 4 * size, *of_p = memory + 5 * size;
	struct difference by_q = {memory, memory + size, memory + 6 * size, 0},
			  by_x = {memory + 2 * size, memory + 3 * size, memory + 7 * size, 0};
	sizes(l, of_r, of_p);
	for (int j = 0; j < s->spare; j++) {
		if (j < s->n)
			differ(l, true, j, &by_q);
		differ(l, false, j, &by_x);
		for (int i = 0; i < s->spare; i++) {
			const bool heavy = i < s->n && !s->pinned[i];
			/* at a corner, as of a limit, there are two slopes */
			const bool corner =
				by_x.bend[i] > 1e-3 * fabs(by_x.r[i]) + 1e-9 ||
				(j < s->n && by_q.bend[i] > 1e-3 * fabs(by_q.r[i]) + 1e-9);
			if (corner)
				continue;
			if (j < s->n)
				check(name, l, "slope", i, j, entry(s, l->by_q, i, j), by_q.r[i],
				      noise(of_r, i, by_q.h));
			double slope = by_x.r[i], round_off = noise(of_r, i, by_x.h);
			if (heavy && j < s->n) {
				slope += by_q.p[i];
				round_off += noise(of_p, i, by_q.h);
			}
			check(name, l, "rate", i, j, entry(s, l->by_x, i, j), slope, round_off);
			if (heavy && j < s->n)
				check(name, l, "inertia", i, j, entry(s, l->by_rate, i, j),
				      by_x.p[i], noise(of_p, i, by_x.h));
		}
	}
	free(memory);
}

START_TEST(slopes)
{
	netlist_names names = all_netlists();
	int compared = 0;
	for (size_t k = 0; k < names.n; k++) {
		model m = model_of_file(names.name[k]);
		bxt_linear *l = NULL;
		if (!is_sampled(m.system) && m.system->size <= 200 &&
		    bxt_linear_new(m.system, NULL, m.findings, &l) == BXT_OK) {
			compare(names.name[k], l);
			compared++;
		}
		bxt_linear_free(l);
		model_free(&m);
	}
	ck_assert_int_ge(compared, 90);
	all_netlists_free(&names);
}
END_TEST

/* ---- Parameters ---- */

/* The equations at the point with another value of a parameter; false: it may not have that. */
static bool with_value(const bxt_linear *l, const bxt_parameter_ref *ref, double value, double *r,
		       double *p)
{
	const bxt_override override = {ref->element, ref->index, 0, NULL, value};
	bxt_system *other = NULL;
	if (bxt_system_rebuild(l->s, &override, 1, NULL, &other) != BXT_OK)
		return false;
	const bool same = other->size == l->s->size;
	other->inputs = l->s->inputs; /* what is under way in delays stays as it is */
	bxt_evaluator *e = bxt_evaluator_new(other);
	bxt_evaluator_set_time(e, l->at.t);
	bxt_evaluator_set_step(e, 1);
	if (same)
		evaluate(e, l->at, r, p);
	bxt_evaluator_free(e);
	bxt_system_free(other);
	return same;
}

/* One parameter; false: it cannot be moved. */
static bool check_parameter(const char *name, model *m, const bxt_parameter_ref *ref,
			    const char *path)
{
	bxt_linear_def def;
	bxt_linear *l = NULL;
	bxt_default_linear_def(&def);
	def.from = path;
	ck_assert_msg(bxt_linear_new(m->system, &def, m->findings, &l) == BXT_OK, "%s: %s", name,
		      path);
	const size_t size = (size_t)l->s->size;
	double *up = malloc(8 * size * sizeof *up), *down = up + 2 * size;
	double *of_r = up + 4 * size, *of_p = up + 5 * size, *here = up + 6 * size;
	const double value = bxt_parameter_value(m->system->net, ref);
	const double h = 1e-6 * fmax(fabs(value), 1e-6);
	const bool moved = with_value(l, ref, value + h, up, up + size) &&
			   with_value(l, ref, value - h, down, down + size);
	sizes(l, of_r, of_p);
	evaluate(l->e, l->at, here, here + size);
	for (int i = 0; i < l->s->spare && moved; i++) {
		const double r = (up[i] - down[i]) / (2 * h);
		const double p = (up[size + (size_t)i] - down[size + (size_t)i]) / (2 * h);
		const bool heavy = i < l->s->n && !l->s->pinned[i];
		/* of rows with mass the change of dP/dq v is in `rest` alone */
		const bool corner =
			fabs(up[i] - 2 * here[i] + down[i]) > 1e-3 * fabs(up[i] - down[i]);
		if ((!heavy || l->s->affine) && !corner)
			check(name, l, path, i, i, l->input[0].rest[i], r, noise(of_r, i, h));
		if (heavy)
			check(name, l, path, i, i, l->input[0].rate[i], p, noise(of_p, i, h));
	}
	free(up);
	bxt_linear_free(l);
	return moved;
}

START_TEST(parameters)
{
	enum { MOST = 12 };
	netlist_names names = all_netlists();
	int compared = 0;
	for (size_t k = 0; k < names.n; k++) {
		model m = model_of_file(names.name[k]);
		bxt_arena *arena = bxt_arena_new();
		bxt_parameter_ref *list;
		size_t n;
		bxt_buffer path = {0};
		ck_assert_int_eq(bxt_network_parameters(m.system->net, arena, &list, &n), BXT_OK);
		const bool fit = !is_sampled(m.system) && m.system->size <= 200;
		for (size_t i = 0; i < n && i < MOST && fit; i++)
			if (list[i].element >= 0 &&
			    bxt_parameter_is_tunable(m.system->net, &list[i]))
				compared += check_parameter(
					names.name[k], &m, &list[i],
					bxt_parameter_path(m.system->net, &list[i], &path));
		bxt_buffer_free(&path);
		bxt_arena_free(arena);
		model_free(&m);
	}
	ck_assert_int_ge(compared, 300);
	all_netlists_free(&names);
}
END_TEST

TEST_SUITE("linear equations")
{
	const test_case tests[] = {
		{"slopes", slopes},
		{"parameters", parameters},
	};
	ADD_TESTS(tests);
}
