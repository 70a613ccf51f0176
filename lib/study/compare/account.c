/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the power that connections carry, and the energy accounts of two runs. */

#include "ground/base/diagnostics.h"
#include "motion/scheme/scheme.h"
#include "study/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_WHAT = 7 };
static const char *const what_names[N_WHAT] = {"start",   "end",        "dissipated", "supplied",
					       "through", "projection", "impact"};

static double number_of_entry(const bxt_ledger_entry *e, int what)
{
	const double values[N_WHAT] = {e->start,   e->end,        e->dissipated, e->supplied,
				       e->through, e->projection, e->impact};
	return values[what];
}

/* ---- What connections carry ---- */

/* Columns of a product; -1: none. */
struct factors {
	long of[2];
};

/* One row: the power through each port of a connection, summed with and without sign. */
static void carry_row(const bxt_side *side, const bxt_table *table, const struct factors *column,
		      size_t row, double *sum, double *absolute)
{
	double port = 0;
	for (size_t i = 0; i < side->n_carry; i++) {
		const bxt_carry *c = &side->carry[i];
		double p = c->weight * bxt_table_value(table, row, (size_t)column[i].of[0]);
		if (column[i].of[1] >= 0)
			p *= bxt_table_value(table, row, (size_t)column[i].of[1]);
		port += p;
		sum[c->connection] += p;
		if (i + 1 < side->n_carry && c[1].connection == c->connection &&
		    c[1].port == c->port)
			continue;
		absolute[c->connection] += fabs(port) / 2;
		port = 0;
	}
}

static bxt_status carried(bxt_arena *arena, const bxt_side *side, const bxt_table *table,
			  bxt_carried *out)
{
	const size_t n = side->net->n_connections;
	struct factors *column = BXT_NEW(arena, struct factors, side->n_carry);
	double *sum = BXT_NEW(arena, double, n), *absolute = BXT_NEW(arena, double, n);
	if (!column || !sum || !absolute)
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < side->n_carry; i++)
		for (int k = 0; k < 2; k++) {
			const int signal = side->carry[i].signal[k];
			column[i].of[k] =
				signal < 0 ? -1 : bxt_table_find(table, side->signal[signal].name);
			if (signal >= 0 && column[i].of[k] < 0)
				return BXT_ERR_ARGUMENT;
		}
	for (size_t row = 0; row < bxt_table_rows(table); row++) {
		for (size_t c = 0; c < n; c++)
			sum[c] = absolute[c] = 0;
		carry_row(side, table, column, row, sum, absolute);
		for (size_t c = 0; c < n; c++) {
			out[c].carried = fmax(out[c].carried, absolute[c]);
			if (fabs(sum[c]) <= out[c].lost || isnan(out[c].lost))
				continue;
			out[c].lost = fabs(sum[c]);
			out[c].at = bxt_table_time(table, row);
		}
	}
	return BXT_OK;
}

/*
 * The largest number of an account. It includes the largest energy at any time, because
 * oscillations may end at zero.
 */
double bxt_exchanged(const bxt_summary *s)
{
	double most = s->energy_largest;
	for (int k = 0; k < N_WHAT; k++) {
		most = fmax(most, fabs(number_of_entry(&s->total, k)));
		for (size_t i = 0; i < s->n_ledger; i++)
			most = fmax(most, fabs(number_of_entry(&s->ledger[i], k)));
	}
	return most;
}

/*
 * The mean power of the energy exchanged, or the power of the connection with the most power if
 * that is larger.
 */
static double power_scale(const bxt_summary *s, const bxt_carried *c, size_t n)
{
	double most = s->t != 0 ? bxt_exchanged(s) / fabs(s->t) : 0;
	for (size_t i = 0; i < n; i++)
		most = fmax(most, c[i].carried);
	return most;
}

/*
 * The first of the connections that share ports with this one. It represents the ports of all of
 * them.
 */
static int first_of(const bxt_network *net, int connection)
{
	const bxt_connection *c = &net->connections[connection];
	return c->is_sigma && c->n_term > 0 ? net->ports[c->term[0]].connection : connection;
}

static bool splits_forces(const bxt_summary *summary)
{
	for (int i = 0; bxt_schemes[i] && summary->scheme; i++)
		if (strcmp(bxt_schemes[i]->name, summary->scheme) == 0)
			return bxt_schemes[i]->carries_momenta;
	return false;
}

/* Power balances that a connection must satisfy. */
struct trust {
	bool *run;  /* (connections) the sum over the run vanishes */
	bool *grid; /* (connections) at grid points as well */
};

/*
 * Two-forms lose no power at an instant. But the discrete Dirac schemes divide forces between
 * steps, so that a step contains work of the next one. Where coefficients depend on the state,
 * schemes satisfy the rows between grid points, and the coefficients at grid points differ from
 * those.
 */
static bxt_status find_trust(bxt_arena *arena, const bxt_network *net, const bxt_summary *summary,
			     struct trust *out)
{
	const bool splits = splits_forces(summary);
	const size_t n = net->n_connections;
	*out = (struct trust){BXT_NEW(arena, bool, n), BXT_NEW(arena, bool, n)};
	if (!out->run || !out->grid)
		return BXT_ERR_MEMORY;
	for (size_t c = 0; c < n; c++)
		out->run[c] = out->grid[c] = true;
	for (size_t c = 0; c < n; c++) {
		const int element = net->connections[c].element, first = first_of(net, (int)c);
		if (element < 0)
			continue;
		const bxt_element_type *type = net->types[net->elements[element].type];
		if (splits && type->component->n_gyrators > 0)
			out->run[first] = out->grid[first] = false;
		out->grid[first] = out->grid[first] && type->affine;
	}
	return BXT_OK;
}

bxt_status bxt_twins_carried(const bxt_twins *twins, int model, const bxt_table *table,
			     const bxt_summary *summary, double tolerance, bxt_carried **out,
			     size_t *n_out)
{
	BXT_NEEDS(NULL, out);
	*out = NULL;
	BXT_NEEDS(NULL, n_out);
	*n_out = 0;
	BXT_NEEDS(NULL, twins && table && summary);
	BXT_TRY(bxt_check_filled(twins, sizeof *twins, "bxt_twins", NULL));
	BXT_TRY(bxt_check_filled(summary, sizeof *summary, "bxt_summary", NULL));
	BXT_NEEDS(NULL, twins->memory);
	BXT_NEEDS(NULL, model == 0 || model == 1);
	const bxt_twins_memory *m = twins->memory;
	const bxt_side *side = &m->side[model];
	const size_t n = side->net->n_connections;
	bxt_arena *arena = bxt_arena_new();
	bool *told = arena ? BXT_NEW(arena, bool, n) : NULL;
	*out = calloc(n + 1, sizeof **out);
	struct trust trust;
	bxt_status status =
		told && *out ? find_trust(arena, side->net, summary, &trust) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = carried(arena, side, table, *out);
	for (size_t i = 0; i < side->n_carry && status == BXT_OK; i++)
		told[side->carry[i].connection] = trust.grid[side->carry[i].connection];
	const double least = status == BXT_OK ? power_scale(summary, *out, n) *
							fmin(1, BXT_COMPARE_ROUND_OFF / tolerance)
					      : 0;
	for (size_t c = 0; c < n && status == BXT_OK; c++) {
		/*
		 * rows of <sigma> that share ports carry power together: the first row has all of
		 * it
		 */
		bxt_carried one = (*out)[c];
		one.size = sizeof one;
		one.connection = side->parts[BXT_SIDE_CONNECTION].path[c];
		one.n_ports = (size_t)side->net->connections[c].n;
		const double scale = fmax(one.carried, least);
		one.relative = scale > 0 ? one.lost / scale : one.lost;
		if (told[c])
			(*out)[(*n_out)++] = one;
	}
	if (status != BXT_OK)
		*out = bxt_free(*out);
	bxt_arena_free(arena);
	return status;
}

/* ---- Accounts ---- */

/* The number that differs most. Numbers that one of the two accounts lacks are not compared. */
static bxt_account_difference differ(const bxt_ledger_entry *a, const bxt_ledger_entry *b,
				     double scale)
{
	bxt_account_difference out = {.size = sizeof out,
				      .kind = a->kind,
				      .a = a->path,
				      .b = b->path,
				      .what = what_names[0],
				      .value = fabs(number_of_entry(a, 0))};
	for (int i = 0; i < N_WHAT; i++) {
		const double d = fabs(number_of_entry(a, i) - number_of_entry(b, i));
		if (!(d > out.difference))
			continue;
		out.difference = d;
		out.what = what_names[i];
		out.value = fabs(number_of_entry(a, i));
	}
	out.relative = scale > 0 ? out.difference / scale : out.difference;
	return out;
}

struct accounts {
	const bxt_side *side[2];
	const bxt_summary *summary[2];
	const bxt_ledger_entry **of_element[2]; /* (elements) */
	double scale;
	bxt_account_difference *out;
	size_t n;
};

static bool is_kind(const bxt_ledger_entry *e, const char *kind)
{
	return strcmp(e->kind, kind) == 0;
}

/* The part of the model that an entry belongs to; -1: none, for example an entry of another run. */
static int part_of(const struct accounts *x, int s, bxt_part_type type, const char *path)
{
	return bxt_map_get(&x->side[s]->parts[type].by_path, path);
}

static bxt_status index_elements(bxt_arena *arena, struct accounts *x, int s)
{
	const bxt_summary *summary = x->summary[s];
	x->of_element[s] = BXT_NEW(arena, const bxt_ledger_entry *, x->side[s]->net->n_elements);
	if (!x->of_element[s])
		return BXT_ERR_MEMORY;
	for (size_t i = 0; i < summary->n_ledger; i++) {
		const bxt_ledger_entry *e = &summary->ledger[i];
		const int element =
			is_kind(e, "component") ? part_of(x, s, BXT_SIDE_ELEMENT, e->path) : -1;
		if (element >= 0)
			x->of_element[s][element] = e;
	}
	return BXT_OK;
}

static void put_account(struct accounts *x, bxt_account_difference d, const char *kind,
			const char *a, const char *b)
{
	d.kind = kind; /* the summaries may be freed before the result */
	d.a = a;
	d.b = b;
	x->out[x->n++] = d;
}

static void compare_elements(struct accounts *x)
{
	const bxt_parts *a = &x->side[0]->parts[BXT_SIDE_ELEMENT],
			*b = &x->side[1]->parts[BXT_SIDE_ELEMENT];
	for (size_t i = 0; i < a->n; i++) {
		const int j = a->partner[i];
		if (j >= 0 && x->of_element[0][i] && x->of_element[1][j])
			put_account(x, differ(x->of_element[0][i], x->of_element[1][j], x->scale),
				    "component", a->path[i], b->path[j]);
	}
}

/*
 * The elements of each subsystem in the other model; good[p]: all of them exist there. The energy
 * through the ports of the subsystem is the energy balance of these elements if that is exact. This
 * compares the multipliers of a torn model with the energies of the whole one.
 */
static void sum_elements(const struct accounts *x, int s, bxt_ledger_entry *sum, bool *good)
{
	const bxt_side *me = x->side[s];
	const bool exact = x->summary[0]->energy_exact && x->summary[1]->energy_exact;
	for (size_t p = 0; p < me->net->n_primitives; p++)
		good[p] = true;
	for (size_t i = 0; i < me->net->n_elements; i++) {
		const bxt_element *e = &me->net->elements[i];
		const int j = me->parts[BXT_SIDE_ELEMENT].partner[i];
		const bxt_ledger_entry *of = j < 0 ? NULL : x->of_element[1 - s][j];
		for (int p = e->primitive; p > 0 && !e->is_interaction;
		     p = me->net->primitives[p].parent) {
			good[p] = good[p] && of;
			if (!of)
				continue;
			sum[p].start += of->start;
			sum[p].end += of->end;
			sum[p].dissipated += of->dissipated;
			sum[p].supplied += of->supplied;
			sum[p].impact += of->impact;
		}
	}
	for (size_t p = 0; p < me->net->n_primitives; p++)
		sum[p].through = exact ? sum[p].end - sum[p].start + sum[p].dissipated -
						 sum[p].supplied - sum[p].impact
				       : NAN;
}

static bxt_status compare_subsystems(bxt_arena *arena, struct accounts *x, int s)
{
	const bxt_parts *mine = &x->side[s]->parts[BXT_SIDE_SUBSYSTEM];
	bxt_ledger_entry *sum = BXT_NEW(arena, bxt_ledger_entry, mine->n);
	bool *good = BXT_NEW(arena, bool, mine->n);
	if (!sum || !good)
		return BXT_ERR_MEMORY;
	sum_elements(x, s, sum, good);
	for (size_t i = 0; i < x->summary[s]->n_ledger; i++) {
		const bxt_ledger_entry *e = &x->summary[s]->ledger[i];
		const int p =
			is_kind(e, "subsystem") ? part_of(x, s, BXT_SIDE_SUBSYSTEM, e->path) : -1;
		bxt_ledger_entry own = *e;
		if (p < 0 || !good[p])
			continue;
		own.projection = 0; /* not accounted by element */
		if (x->summary[s]->total.projection != 0)
			own.through = NAN;
		put_account(x,
			    s ? differ(&sum[p], &own, x->scale) : differ(&own, &sum[p], x->scale),
			    "subsystem", s ? "" : mine->path[p], s ? mine->path[p] : "");
	}
	return BXT_OK;
}

/* The powers that an interconnection carries sum to zero. */
static bxt_status judge_connections(bxt_arena *arena, struct accounts *x, int s)
{
	struct trust trust;
	BXT_TRY(find_trust(arena, x->side[s]->net, x->summary[s], &trust));
	const bxt_parts *mine = &x->side[s]->parts[BXT_SIDE_CONNECTION];
	for (size_t i = 0; i < x->summary[s]->n_ledger; i++) {
		const bxt_ledger_entry *e = &x->summary[s]->ledger[i];
		const int c =
			is_kind(e, "connection") ? part_of(x, s, BXT_SIDE_CONNECTION, e->path) : -1;
		if (c < 0 || !trust.run[c])
			continue;
		const double lost = fabs(e->residual);
		put_account(
			x,
			(bxt_account_difference){.size = sizeof(bxt_account_difference),
						 .what = "lost",
						 .difference = lost,
						 .relative = x->scale > 0 ? lost / x->scale : lost},
			"connection", s ? "" : mine->path[c], s ? mine->path[c] : "");
	}
	return BXT_OK;
}

bxt_status bxt_twins_accounts(const bxt_twins *twins, const bxt_summary *a, const bxt_summary *b,
			      bxt_account_difference **out, size_t *n_out)
{
	BXT_NEEDS(NULL, out);
	*out = NULL;
	BXT_NEEDS(NULL, n_out);
	*n_out = 0;
	BXT_NEEDS(NULL, twins && a && b);
	BXT_TRY(bxt_check_filled(twins, sizeof *twins, "bxt_twins", NULL));
	BXT_TRY(bxt_check_filled(a, sizeof *a, "bxt_summary", NULL));
	BXT_TRY(bxt_check_filled(b, sizeof *b, "bxt_summary", NULL));
	BXT_NEEDS(NULL, twins->memory);
	const bxt_twins_memory *m = twins->memory;
	struct accounts x = {
		.side = {&m->side[0], &m->side[1]}, .summary = {a, b}, .scale = bxt_exchanged(a)};
	bxt_arena *arena = bxt_arena_new();
	*out = x.out = calloc(a->n_ledger + b->n_ledger + 1, sizeof **out);
	bxt_status status = arena && *out ? BXT_OK : BXT_ERR_MEMORY;
	for (int s = 0; s < 2 && status == BXT_OK; s++)
		status = index_elements(arena, &x, s);
	if (status == BXT_OK) {
		put_account(&x, differ(&a->total, &b->total, x.scale), "total", "", "");
		compare_elements(&x);
	}
	for (int s = 0; s < 2 && status == BXT_OK; s++) {
		status = compare_subsystems(arena, &x, s);
		if (status == BXT_OK)
			status = judge_connections(arena, &x, s);
	}
	if (status == BXT_OK)
		*n_out = x.n;
	else
		*out = bxt_free(*out);
	bxt_arena_free(arena);
	return status;
}
