/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks forces that must have no power, element by element. With F = dL/dq - dR/dv + f + G v,
 *
 *     S = dF/dv - (dP/dq)^T + d2R/dv2 = df/dv + G       (d2L/dqdv = (dP/dq)^T)
 *
 * and without <force> S + S^T = 0: a coupling of flows is a gyrator, and the two-form of L is the
 * part subtracted above. A <force> may supply power, which its account contains. But one that
 * couples two flows in both directions, and damps or drives neither by itself, is a gyrator written
 * by hand and must be skew, too. All is checked at v = 0, where R is nearly quadratic: d2R/dv2 is
 * half the second derivative of the dissipated power v.dR/dv, by differences.
 */
#include "study/verify/verify_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Steps of differences of the dissipated power, from the largest to the smallest by factors of ten.
 * The truncation error (d/Vt)^2 of a diode is 1e-7 at 1e-5 V, but an orifice of 1 cm2 changes from
 * laminar to turbulent flow at 1e-6 m3/s.
 */
static const double DELTA = 1e-5, TOLERANCE = 1e-6;
/* Round-off of an entry, relative to its row and column: a few products of numbers up to 1. */
static const double ROUND_OFF = 1e-14;
enum { DELTAS = 8 };

struct elements {
	bxt_verifier *v;
	bxt_point at;
	double *x;     /* (size) zero, except for displaced flows */
	size_t *first; /* (elements) of its nl x nl entries */
	double *slope; /* S, or the part computed so far */
	double *size;  /* magnitudes of its terms */
	int looked_at;
	double worst; /* the worst figure that passes */
};

static const bxt_element_type *type_of(const bxt_system *s, size_t i)
{
	return s->groups[s->of_element.group[i]].type;
}

static void collect_element(void *context, const bxt_group *group, int first, int count,
			    const bxt_output_set *set, const double *const *in, const double *work)
{
	const struct elements *m = context;
	const size_t nl = (size_t)group->type->nl;
	for (int k = 0; k < set->n; k++) {
		const bxt_entry e = set->entries[k];
		if (e.term != BXT_FV && e.term != BXT_PQ)
			continue;
		const double *lane = bxt_tape_result(set->tape, k, in, work);
		/* dP/dq enters transposed */
		const size_t row = (size_t)(e.term == BXT_FV ? e.row : e.col);
		const size_t col = (size_t)(e.term == BXT_FV ? e.col : e.row);
		for (int i = 0; i < count; i++) {
			const size_t at = m->first[group->element[first + i]] + row * nl + col;
			m->slope[at] += e.term == BXT_FV ? lane[i] : -lane[i];
			m->size[at] += fabs(lane[i]);
		}
	}
}

static int place(const bxt_system *s, size_t i, int a)
{
	return s->groups[s->of_element.group[i]].at[a][s->of_element.place[i]];
}

/* The dissipated power of an element at small flows of two of its coordinates. */
static double dissipated(struct elements *m, size_t i, int x, double dx, int y, double dy)
{
	m->x[x] += dx;
	m->x[y] += dy;
	const double power = bxt_evaluate_one(m->v->e, BXT_SET_POWER, (int)i, BXT_P,
					      BXT_POWER_DISSIPATED, m->at);
	m->x[x] = m->x[y] = 0;
	return power;
}

/* A fixed coordinate has no flow, and nothing sums its forces. */
static bool is_fixed(const struct elements *m, size_t i, int a)
{
	return place(m->v->s, i, a) == m->v->s->spare;
}

/* d2R/dv_a dv_b for a given step */
static double resistance_by(struct elements *m, size_t i, int x, int y, double d)
{
	return (dissipated(m, i, x, d, y, d) - dissipated(m, i, x, d, y, -d) -
		dissipated(m, i, x, -d, y, d) + dissipated(m, i, x, -d, y, -d)) /
	       (8 * d * d);
}

/*
 * The same at the step where a tenth of the step changes it least: truncation is small there, and
 * round-off not yet large.
 */
static double resistance(struct elements *m, size_t i, int a, int b)
{
	const int x = place(m->v->s, i, a), y = place(m->v->s, i, b);
	double d = DELTA, r = resistance_by(m, i, x, y, d), best = r, least = INFINITY;
	for (int k = 1; k < DELTAS && least > 1e-3 * TOLERANCE * fabs(best); k++) {
		const double next = resistance_by(m, i, x, y, d /= 10);
		if (fabs(next - r) < least) {
			least = fabs(next - r);
			best = next;
		}
		r = next;
	}
	return best;
}

/* The power of a signal, for example through an input, is supply. */
static bool is_signal(const bxt_element_type *type, int a)
{
	const bxt_role role = a < type->n_own ? type->component->coordinates[a].role : BXT_PLAIN;
	return bxt_role_is_signal(role);
}

/* Must entry (a, b) be skew? */
static bool must_be_skew(const struct elements *m, size_t i, int a, int b)
{
	const bxt_element_type *type = type_of(m->v->s, i);
	const int nl = type->nl;
	const double *slope = m->slope + m->first[i], *size = m->size + m->first[i];
	if (is_signal(type, a) || is_signal(type, b))
		return false;
	if (type->component->n_forces == 0)
		return true;
	return a != b && fabs(slope[a * nl + b]) > TOLERANCE * size[a * nl + b] &&
	       fabs(slope[b * nl + a]) > TOLERANCE * size[b * nl + a] &&
	       fabs(slope[a * nl + a]) <= TOLERANCE * size[a * nl + a] &&
	       fabs(slope[b * nl + b]) <= TOLERANCE * size[b * nl + b];
}

static void add_resistances(struct elements *m, size_t i)
{
	const bxt_element_type *type = type_of(m->v->s, i);
	const int nl = type->nl;
	double *slope = m->slope + m->first[i], *size = m->size + m->first[i];
	for (int a = 0; a < nl && type->dissipative; a++)
		for (int b = 0; b <= a; b++) {
			if ((size[a * nl + b] == 0 && size[b * nl + a] == 0) || is_fixed(m, i, a) ||
			    is_fixed(m, i, b))
				continue;
			const double r = resistance(m, i, a, b);
			slope[a * nl + b] += r;
			size[a * nl + b] += fabs(r);
			if (a != b) {
				slope[b * nl + a] += r;
				size[b * nl + a] += fabs(r);
			}
		}
}

static void report_miss(struct elements *m, size_t i, int a, int b, double miss)
{
	bxt_verifier *v = m->v;
	const bxt_network *net = v->s->net;
	const bxt_element *e = &net->elements[i];
	const int nl = type_of(v->s, i)->nl;
	const double *slope = m->slope + m->first[i];
	bxt_buffer path = {0}, row = {0}, col = {0};
	const int x = place(v->s, i, a), y = place(v->s, i, b);
	bxt_checks_add(&v->checks, BXT_CHECK_GYRATORS, miss, e->place,
		       "%s '%s': dF(%s)/dv(%s) = %.9g and dF(%s)/dv(%s) = %.9g are not opposite",
		       net->types[e->type]->component->name,
		       bxt_network_path(net, e->primitive, e->id, &path),
		       x == v->s->spare ? "0" : bxt_system_x_name(v->s, x, &row),
		       y == v->s->spare ? "0" : bxt_system_x_name(v->s, y, &col), slope[a * nl + b],
		       col.text ? col.text : "0", row.text ? row.text : "0", slope[b * nl + a]);
	bxt_checks_release(&v->checks, &path);
	bxt_checks_release(&v->checks, &row);
	bxt_checks_release(&v->checks, &col);
}

static void check_element(struct elements *m, size_t i)
{
	const int nl = type_of(m->v->s, i)->nl;
	const double *slope = m->slope + m->first[i], *size = m->size + m->first[i];
	bool any = false;
	double worst = 0;
	int row = 0, col = 0;
	for (int k = 0; k < nl * nl; k++)
		any = any || size[k] > 0;
	if (!any)
		return;
	add_resistances(m, i);
	m->looked_at++;
	for (int a = 0; a < nl; a++)
		for (int b = 0; b <= a && !is_fixed(m, i, a); b++) {
			const double scale = size[a * nl + b] + size[b * nl + a];
			const double sum = fabs(slope[a * nl + b] + slope[b * nl + a]);
			/* entries that vanish are round-off of entries on the diagonal */
			const double noise = ROUND_OFF * sqrt(size[a * nl + a] * size[b * nl + b]);
			const double miss = sum > noise ? sum / scale : 0;
			if (miss > worst && isfinite(miss) && must_be_skew(m, i, a, b) &&
			    !is_fixed(m, i, b)) {
				worst = miss;
				row = a;
				col = b;
			}
		}
	if (worst <= bxt_checks_tolerance(&m->v->checks, BXT_CHECK_GYRATORS))
		m->worst = fmax(m->worst, worst);
	else
		report_miss(m, i, row, col, worst);
}

bxt_status bxt_verify_elements(bxt_verifier *v, const bxt_state *state)
{
	const bxt_system *s = v->s;
	const size_t n = s->net->n_elements;
	size_t total = 0;
	bxt_arena *arena = bxt_arena_new();
	struct elements m = {.v = v};
	if (!arena)
		return BXT_ERR_MEMORY;
	m.first = BXT_NEW(arena, size_t, n);
	m.x = BXT_NEW(arena, double, (size_t)s->size + BXT_LANES);
	for (size_t i = 0; m.first && i < n; i++) {
		m.first[i] = total;
		total += (size_t)type_of(s, i)->nl * (size_t)type_of(s, i)->nl;
	}
	m.slope = BXT_NEW(arena, double, total);
	m.size = BXT_NEW(arena, double, total);
	const bool ok = m.first && m.x && m.slope && m.size;
	if (ok) {
		m.at = (bxt_point){state->q, m.x, state->t};
		bxt_evaluator_set_time(v->e, state->t);
		bxt_evaluate_blocks(v->e, BXT_SET_JAC_CONST, m.at, collect_element, &m);
		bxt_evaluate_blocks(v->e, BXT_SET_JAC_DYN, m.at, collect_element, &m);
		for (size_t i = 0; i < n; i++)
			check_element(&m, i);
		bxt_checks_add(&v->checks, BXT_CHECK_GYRATORS, m.worst, BXT_NOWHERE,
			       "%d of %zu elements have forces that depend on flows", m.looked_at,
			       n);
	}
	bxt_arena_free(arena);
	return ok ? BXT_OK : BXT_ERR_MEMORY;
}
