/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The consistent start: runs the four parts of start.h and reports the values that moved. */
#include "motion/start/grid_values.h"
#include "motion/start/start_internal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of alternations between positions and lossless loops, each of which moves the
 * other. */
enum { MAX_TURNS = 100 };

/* Size of a move, relative to the largest value of its unit, below which it is round-off and not
 * reported. */
static const double REPORTED = 1e-12;

/* SETTLED: relative size of the move of a loop at which the alternation ends. SHRINKING: ratio of a
 * move to the previous one above which the move was too long. */
static const double SETTLED = 1e-14, SHRINKING = 0.7;

static int place_in_x(const bxt_system *s, int element, int node, int coordinate)
{
	const int first = element >= 0 ? s->where.first_coord[element] : s->where.node_coord[node];
	return s->x_of_coord[first + coordinate];
}

/* Unwritten coordinates start at those of the fixed node. */
static void place_unwritten(const bxt_system *s, double *q)
{
	for (size_t i = 0; i < s->net->n_nodes; i++) {
		const bxt_net_node *node = &s->net->nodes[i];
		for (int k = 0; node->kind && node->kind->frame > 0 && k < node->kind->n; k++) {
			const int at = bxt_network_coordinate(node, k);
			if (at >= 0)
				q[place_in_x(s, -1, (int)i, at)] = node->kind->fixed[k];
		}
	}
}

/* Copies the frame of one node to another; false: they have other coordinates. */
static void copy_frame(const bxt_system *s, int from, int to, double *q)
{
	const bxt_net_node *a = &s->net->nodes[from], *b = &s->net->nodes[to];
	for (int k = 0; k < a->kind->n; k++) {
		const int there = bxt_network_coordinate(a, k), here = bxt_network_coordinate(b, k);
		if (there >= 0 && here >= 0)
			q[place_in_x(s, -1, to, here)] = q[place_in_x(s, -1, from, there)];
	}
}

/* Copies the frame of the first placed node of a connection to the others; false: nothing to do. */
static bool place_at(const bxt_system *s, const bxt_connection *c, bool *placed, double *q)
{
	const bxt_net_port *ports = s->net->ports;
	int known = -1;
	bool any = false;
	for (int k = 0; k < c->n && known < 0; k++) {
		const int node = ports[c->port[k]].node;
		known = node >= 0 && placed[node] ? node : -1;
	}
	for (int k = 0; k < c->n && known >= 0; k++) {
		const int node = ports[c->port[k]].node;
		if (node < 0 || placed[node])
			continue;
		copy_frame(s, known, node, q);
		placed[node] = any = true;
	}
	return any;
}

/*
 * An unwritten frame starts at a written one that a <connect> joins to it: the rows of a connection
 * also have solutions that are rotated by half a turn, which are not wanted.
 */
static bxt_status place_joined(const bxt_system *s, double *q)
{
	const bxt_network *net = s->net;
	bool *placed = calloc(net->n_nodes + 1, sizeof *placed), again = placed != NULL;
	for (size_t i = 0; placed && i < net->n_initials; i++) {
		const bxt_initial *w = &net->initials[i];
		if (w->node >= 0 && !w->is_flow && !w->is_momentum)
			placed[w->node] = true;
	}
	while (again) { /* along chains of connections */
		again = false;
		for (size_t i = 0; i < net->n_connections; i++) {
			const bxt_connection *c = &net->connections[i];
			if (!c->is_sigma && c->kind->joined)
				again = place_at(s, c, placed, q) || again;
		}
	}
	const bxt_status status = placed ? BXT_OK : BXT_ERR_MEMORY;
	free(placed);
	return status;
}

static bxt_status read_written(struct bxt_start *a)
{
	const bxt_network *net = a->s->net;
	place_unwritten(a->s, a->q);
	for (size_t i = 0; i < net->n_initials; i++) {
		const bxt_initial *w = &net->initials[i];
		const int x = place_in_x(a->s, w->element, w->node, w->coordinate);
		if (w->is_momentum)
			continue; /* written_momenta.c, when the positions are known */
		(w->is_flow ? a->v : a->q)[x] = w->value;
		(w->is_flow ? a->held_v : a->held_q)[x] = true;
	}
	for (size_t i = 0; i < net->n_fixes; i++) {
		const bxt_fix *f = &net->fixes[i];
		const int x = place_in_x(a->s, f->element, f->node, f->coordinate);
		a->fixed[x] = a->held_q[x] = true;
	}
	BXT_TRY(place_joined(a->s, a->q));
	memcpy(a->q_written, a->q, (size_t)a->s->size * sizeof *a->q);
	memcpy(a->v_written, a->v, (size_t)a->s->size * sizeof *a->v);
	return BXT_OK;
}

bxt_status bxt_written_positions(const bxt_system *s, double *q)
{
	place_unwritten(s, q);
	for (size_t i = 0; i < s->net->n_initials; i++) {
		const bxt_initial *w = &s->net->initials[i];
		if (!w->is_flow && !w->is_momentum)
			q[place_in_x(s, w->element, w->node, w->coordinate)] = w->value;
	}
	return place_joined(s, q);
}

bxt_status bxt_mark_coefficients(const bxt_system *s, const double *q, double t, bool *mark)
{
	static const bxt_weights slopes = {{{[BXT_CQ] = 1}, {[BXT_CQ] = 1}}};
	static const double GOLDEN = 0.61803398874989485;
	const bxt_sparse *p = &s->pattern;
	bxt_evaluator *e = bxt_evaluator_new(s);
	double *values = calloc((size_t)bxt_sparse_nnz(p) + 1, sizeof *values);
	double *v = calloc((size_t)s->size + BXT_LANES, sizeof *v);
	const bool ok = e && values && v;
	for (int i = 0; ok && i < s->n;
	     i++) /* d(A v)/dq at flows that are not zero and do not cancel */
		v[i] = 1 + GOLDEN * (i + 1) - floor(GOLDEN * (i + 1));
	if (ok && !s->constraints.constant) {
		bxt_evaluator_set_time(e, t);
		bxt_evaluate_jacobian(e, BXT_SET_JAC_CON, (bxt_point){q, v, t}, &slopes, values);
		bxt_evaluate_jacobian(e, BXT_SET_JAC_DYN, (bxt_point){q, v, t}, &slopes, values);
	}
	for (int j = 0; ok && j < s->n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			mark[j] = mark[j] || values[k] != 0;
	free(v);
	free(values);
	bxt_evaluator_free(e);
	return ok ? BXT_OK : BXT_ERR_MEMORY;
}

/* ---- Report ---- */

static void report_moves(struct bxt_start *a, bool flow, bxt_diagnostics *d)
{
	const bxt_system *s = a->s;
	const double *now = flow ? a->v : a->q, *then = flow ? a->v_written : a->q_written;
	bxt_buffer name = {0};
	double largest = 0;
	for (int j = 0; j < s->n; j++)
		largest = fmax(largest, fabs(now[j]));
	for (int j = 0; j < s->n; j++) {
		if (fabs(now[j] - then[j]) <= REPORTED * largest ||
		    (flow ? s->pinned[j] : !a->telling[j]))
			continue;
		bxt_dirac_coord_name(s->net, &s->dirac.coord[s->coord_of_x[j]], flow, &name);
		if (!name.text)
			break;
		if ((flow ? a->held_v : a->held_q)[j])
			bxt_warning(d, bxt_system_x_place(s, j),
				    "initial value of %s moved from %.9g to %.9g (by %.3g): the "
				    "equations demand it",
				    name.text, then[j], now[j], now[j] - then[j]);
		else
			bxt_note(d, bxt_system_x_place(s, j),
				 "%s starts at %.9g: the equations demand it", name.text, now[j]);
	}
	bxt_buffer_free(&name);
}

/* Marks coordinates whose values enter a force or the coefficient of a row. */
static bxt_status find_stiff(struct bxt_start *a)
{
	static const bxt_weights stiffness = {
		{{[BXT_FQ] = 1, [BXT_DQ] = 1}, {[BXT_FQ] = 1, [BXT_DQ] = 1}}};
	const bxt_sparse *p = &a->s->pattern;
	bxt_start_slopes(a, &stiffness);
	for (int j = 0; j < a->s->n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			a->telling[j] = a->telling[j] || a->values[k] != 0;
	return bxt_mark_coefficients(a->s, a->q, a->t0, a->telling);
}

/* ---- Coordinates that flows and multipliers determine ---- */

/* The largest move from q to `moved`, relative to the largest coordinate; infinite if a fixed
 * coordinate would move. */
static double part_moved(const struct bxt_start *a, const double *moved)
{
	double most = 0, largest = 0;
	bool fixed = false;
	for (int j = 0; j < a->s->n; j++) {
		most = fmax(most, fabs(moved[j] - a->q[j]));
		largest = fmax(largest, fmax(fabs(a->q[j]), fabs(moved[j])));
	}
	for (int j = 0; j < a->s->n; j++)
		fixed = fixed || (a->fixed[j] && fabs(moved[j] - a->q[j]) > REPORTED * largest);
	return fixed ? INFINITY : largest > 0 ? most / largest : 0;
}

static bxt_status move_to_grid_values(struct bxt_start *a, bxt_grid_values *g, bxt_diagnostics *d)
{
	const size_t size = (size_t)a->s->size;
	double *q = BXT_NEW(a->arena, double, size + BXT_LANES);
	double *x = BXT_NEW(a->arena, double, size + BXT_LANES);
	int moving;
	bool plain;
	if (!q || !x)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_grid_values_look(g, (bxt_point){a->q, a->v, a->t0}, &moving, &plain));
	if (moving == 0 || plain)
		return BXT_OK;
	memcpy(q, a->q, size * sizeof *q);
	memcpy(x, a->v, size * sizeof *x);
	const bxt_status status = bxt_grid_values_close(g, q, a->p, a->t0, x);
	if (bxt_status_is_recoverable(status)) {
		bxt_buffer rows = {0};
		bxt_grid_values_name_rows(g, &rows);
		bxt_warning(d, BXT_NOWHERE,
			    "coordinates that flows and multipliers determine keep their initial "
			    "values: no others are found (%s; at %s)",
			    bxt_status_text(status), rows.text ? rows.text : "no row");
		bxt_buffer_free(&rows);
	}
	BXT_TRY(status);
	const double part = part_moved(a, q);
	if (part > REPORTED && isfinite(part))
		memcpy(a->q, q, size * sizeof *q);
	return BXT_OK;
}

/*
 * Coordinates that algebraic equations with flows and multipliers determine: a spring without mass
 * at a force that follows a signal, the states of a port-Hamiltonian part that rows hold. If the
 * model is ill-posed the check of the first step reports the cause. Positions were closed before
 * and stay unchanged.
 */
static bxt_status close_by_flows(struct bxt_start *a, bxt_diagnostics *d)
{
	bxt_grid_values *g = NULL;
	if (a->s->constraints.has_positions || a->s->n_optional > 0)
		return BXT_OK;
	bxt_status status = bxt_grid_values_new(a->s, 0, false, &g);
	if (status == BXT_OK) {
		bxt_evaluator_set_time(g->e, a->t0);
		status = move_to_grid_values(a, g, d);
	}
	bxt_grid_values_free(g);
	return status == BXT_ERR_MEMORY ? status : BXT_OK;
}

/* ---- The whole ---- */

static bxt_status prepare(struct bxt_start *a)
{
	const bxt_system *s = a->s;
	const size_t size = (size_t)s->size;
	a->arena = bxt_arena_new();
	if (!a->arena)
		return BXT_ERR_MEMORY;
	a->e = bxt_evaluator_new(s);
	a->q_written = BXT_NEW(a->arena, double, size);
	a->v_written = BXT_NEW(a->arena, double, size);
	a->held_q = BXT_NEW(a->arena, bool, size);
	a->held_v = BXT_NEW(a->arena, bool, size);
	a->fixed = BXT_NEW(a->arena, bool, size);
	a->telling = BXT_NEW(a->arena, bool, size);
	a->delta = BXT_NEW(a->arena, double, size + BXT_LANES);
	a->force = BXT_NEW(a->arena, double, size + BXT_LANES);
	a->sizes = BXT_NEW(a->arena, double, size + BXT_LANES);
	a->values = BXT_NEW(a->arena, double, (size_t)bxt_sparse_nnz(&s->pattern) + 1);
	if (!a->e || !a->q_written || !a->v_written || !a->held_q || !a->held_v || !a->fixed ||
	    !a->telling || !a->delta || !a->force || !a->sizes || !a->values)
		return BXT_ERR_MEMORY;
	return bxt_velocity_new(s, &a->velocity);
}

/* The largest change since q_before, relative to the largest coordinate. */
static double change_since(const struct bxt_start *a, const double *q_before)
{
	double change = 0, largest = 0;
	for (int j = 0; j < a->s->n; j++) {
		change = fmax(change, fabs(a->q[j] - q_before[j]));
		largest = fmax(largest, fabs(a->q[j]));
	}
	return largest > 0 ? change / largest : 0;
}

/*
 * Closes positions and charges in turn, until neither moves the other. A lossless loop is closed
 * along the tangent of curved constraints; where this overshoots, only part of the move is taken.
 */
static bxt_status take_turns(struct bxt_start *a, struct bxt_position_closing *closing,
			     bxt_diagnostics *d)
{
	double *q_before = BXT_NEW(a->arena, double, (size_t)a->s->size);
	double part = 1, last = INFINITY;
	bool moved = false;
	if (!q_before)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_closing_close(closing, d, &moved));
	for (int turn = 0; turn < MAX_TURNS; turn++) {
		memcpy(q_before, a->q, (size_t)a->s->n * sizeof *q_before);
		BXT_TRY(bxt_start_charges(a, d));
		if (!a->loops || a->loops->r == 0)
			return BXT_OK;
		const double change = change_since(a, q_before);
		if (change <= SETTLED)
			return BXT_OK;
		part = change > SHRINKING * last ? part / 2 : part;
		last = change;
		for (int j = 0; j < a->s->n; j++)
			a->q[j] =
				part == 1 ? a->q[j] : q_before[j] + part * (a->q[j] - q_before[j]);
		BXT_TRY(bxt_closing_close(closing, d, &moved));
		if (!moved && part == 1)
			return BXT_OK;
	}
	bxt_warning(d, BXT_NOWHERE,
		    "the start is not settled: closing position constraints and closing lossless "
		    "loops undo each other (by %.3g of the largest coordinate after %d turns)",
		    last, MAX_TURNS);
	return BXT_OK;
}

static bxt_status close_all(struct bxt_start *a, bxt_diagnostics *d)
{
	struct bxt_position_closing *closing = NULL;
	bxt_status status = bxt_closing_new(a, &closing);
	if (status == BXT_OK)
		status = closing ? take_turns(a, closing, d) : bxt_start_charges(a, d);
	bxt_closing_release(closing);
	return status;
}

static bxt_status start(struct bxt_start *a, bxt_diagnostics *d)
{
	static const bxt_weights momentum = {{{[BXT_P] = 1}, {[BXT_P] = 1}}};
	BXT_TRY(prepare(a));
	bxt_evaluator_set_time(a->e, a->t0);
	BXT_TRY(read_written(a));
	BXT_TRY(find_stiff(a));
	BXT_TRY(close_all(a, d));
	bxt_evaluator_set_time(a->e, a->t0);
	BXT_TRY(bxt_start_momenta(a, d));
	BXT_TRY(bxt_start_flows(a, d));
	bxt_evaluate(a->e, BXT_SET_MOMENTUM, (bxt_point){a->q, a->v, a->t0}, &momentum, a->p, NULL);
	BXT_TRY(close_by_flows(a, d));
	memset(a->p, 0, (size_t)a->s->size * sizeof *a->p);
	bxt_evaluate(a->e, BXT_SET_MOMENTUM, (bxt_point){a->q, a->v, a->t0}, &momentum, a->p, NULL);
	a->p[a->s->spare] = a->q[a->s->spare] = a->v[a->s->spare] = 0;
	report_moves(a, false, d);
	report_moves(a, true, d);
	return BXT_OK;
}

bxt_status bxt_consistent_start(const bxt_system *s, double t0, double *q, double *v, double *p,
				bxt_diagnostics *d)
{
	struct bxt_start a = {.s = s, .t0 = t0, .q = q, .v = v, .p = p};
	bxt_status status = start(&a, d);
	bxt_lossless_loops_free(a.loops);
	bxt_velocity_free(a.velocity);
	bxt_evaluator_free(a.e);
	bxt_arena_free(a.arena);
	return status;
}
