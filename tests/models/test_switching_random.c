/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many random networks that switch: circuits with ideal diodes and relays, mechanisms with end
 * stops and dry friction. Each is run whole, in another order, and torn: the same events at the
 * same times, the same values beside them. Rows are complementary at every time, multipliers are
 * within their bounds, and energy balances to round-off.
 */
#include "support/harness.h"

#include "support/random_switching.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SOME = 2, BATCH = 10, BATCHES = 10, FORMS = 3, MOST_PARTS = 3, MOST_EVENTS = 200 };

/* Of the times of events [s]; and of values, by the largest of the same kind in the run. */
static const double SAME_TIME = 1e-10, SAME = 1e-8;
/* Of times where a gap of CLOSED closes: GAP by its rate [m, s]. */
static const double GAP = 1e-11, CLOSED = 1e-8, SLOWEST = 1e-6;
/* How fast a value changes in the time by which rows differ, by its scale [1/s]. */
static const double FASTEST = 20;
/* Of the energy that was exchanged. */
static const double BALANCE = 1e-12;
/* Of the largest value of the kind: a gap below zero, a multiplier out of its bounds. */
static const double WITHIN = 1e-8, SLIPS = 1e-6;

typedef struct outcome {
	bxt_table *table;
	bxt_summary summary;
} outcome;

typedef struct worst {
	double time, value, balance, outside, product;
	long events, networks;
} worst;

static bxt_library *library;
static double over; /* divides the step; 0: it is the netlist's */
static const double STEP = 5e-3;

static void tell(const bxt_diagnostics *d, const char *xml)
{
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++)
		fprintf(stderr, "%s\n", bxt_diagnostics_get(d, i)->text);
	fprintf(stderr, "%s\n", xml);
}

static const char *scheme_of(uint64_t seed)
{
	static const char *const schemes[] = {"gauss2", "radau2", "gauss3", "radau3", "gauss1"};
	return schemes[seed % (sizeof schemes / sizeof *schemes)];
}

/* The netlist, torn into that many parts; 1: whole. */
static model model_in_parts(const char *xml, int parts)
{
	model m = {.findings = bxt_diagnostics_new(), .library = library};
	bxt_netlist *torn = NULL;
	bxt_tear_def def;
	bxt_default_tear_def(&def);
	def.parts = parts;
	bxt_status status =
		bxt_netlist_read_memory(xml, strlen(xml), "random", m.findings, &m.netlist);
	if (status == BXT_OK && parts > 1) {
		status = bxt_netlist_tear(m.netlist, library, &def, m.findings, &torn);
		bxt_netlist_free(m.netlist);
		m.netlist = torn;
	}
	if (status == BXT_OK)
		status = bxt_system_compile(m.netlist, library, m.findings, &m.system);
	if (status != BXT_OK) {
		tell(m.findings, xml);
		ck_abort_msg("a network is refused");
	}
	return m;
}

static outcome run_form(const random_switching *net, uint64_t seed, bool shuffled, int parts,
			const char *scheme)
{
	outcome out = {0};
	bxt_buffer xml = {0};
	random_switching_write(net, seed, shuffled, &xml);
	ck_assert(!xml.failed && !net->record.failed);
	model m = model_in_parts(xml.text, parts);
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .scheme = scheme, .step = over > 0 ? STEP / over : 0};
	out.table = model_run(&m, &def, &out.summary);
	ck_assert_uint_eq(bxt_table_columns(out.table), (size_t)net->n_columns);
	m.library = NULL; /* kept for the others */
	model_free(&m);
	bxt_buffer_free(&xml);
	return out;
}

static void release(outcome *o)
{
	bxt_table_free(o->table);
	bxt_summary_free(&o->summary);
}

/* ---- What must hold ---- */

/* What comes after the last dot: "i", "x", "lambda". */
static const char *kind_of(const bxt_table *t, int j)
{
	return strrchr(bxt_table_name(t, (size_t)j), '.') + 1;
}

/* The largest value of the columns of the same kind. */
static double scale_of(const bxt_table *t, int j)
{
	double most = 1e-6;
	for (size_t k = 0; k < bxt_table_columns(t); k++)
		for (size_t i = 0;
		     i < bxt_table_rows(t) && !strcmp(kind_of(t, (int)k), kind_of(t, j)); i++)
			most = fmax(most, fabs(bxt_table_value(t, i, k)));
	return most;
}

/* Two forms of a network: the first is the whole. */
typedef struct pair {
	const random_switching *net;
	const bxt_table *a, *b;
	const double *scale; /* of the columns */
	uint64_t seed;
	const char *form;
	worst *w;
} pair;

/* w of a row, or its rate. */
static double value_of_row(const bxt_table *t, const switching_row *r, size_t i, bool rate)
{
	double w = rate ? 0 : -r->offset;
	for (int k = 0; k < 2; k++)
		if (r->column[k] >= 0)
			w += r->weight[k] * bxt_table_value(t, i, (size_t)(r->column[k] + rate));
	return w;
}

/* The slower a gap closes, the less is known when: by its precision over its rate. */
static double precision_of_time(const pair *p, size_t i)
{
	double most = SAME_TIME;
	for (int k = 0; k < p->net->n_rows && p->net->family == SWITCHING_MECHANISM; k++) {
		const switching_row *r = &p->net->rows[k];
		if (r->one_sided && fabs(value_of_row(p->a, r, i, false)) < CLOSED)
			most = fmax(most, GAP / fabs(value_of_row(p->a, r, i, true)));
	}
	return fmin(most, SLOWEST);
}

/* Is row i the one before again but for round-off, at the same time? Nothing jumps there. */
static bool repeats(const pair *p, const bxt_table *t, size_t i)
{
	if (i >= bxt_table_rows(t) || bxt_table_time(t, i) != bxt_table_time(t, i - 1))
		return false;
	for (size_t k = 0; k < bxt_table_columns(t); k++)
		if (fabs(bxt_table_value(t, i, k) - bxt_table_value(t, i - 1, k)) >
		    SAME * p->scale[k])
			return false;
	return true;
}

/* The same time and the same values in row i of a and row j of b. */
static void check_rows(const pair *p, size_t i, size_t j)
{
	const unsigned long long number = p->seed;
	const double t = bxt_table_time(p->a, i), d = fabs(t - bxt_table_time(p->b, j));
	ck_assert_msg(d <= precision_of_time(p, i),
		      "network %llu, %s: the row at %.15g s is at %.15g s", number, p->form, t,
		      bxt_table_time(p->b, j));
	if (d <= SAME_TIME)
		p->w->time = fmax(p->w->time, d);
	for (size_t k = 0; k < bxt_table_columns(p->a); k++) {
		const double x = bxt_table_value(p->a, i, k), y = bxt_table_value(p->b, j, k);
		const double off = fabs(x - y) / p->scale[k];
		ck_assert_msg(off <= SAME + d * FASTEST, "network %llu, %s: %s at %.9g s: %g or %g",
			      number, p->form, bxt_table_name(p->a, k), t, x, y);
		p->w->value = fmax(p->w->value, off);
	}
}

/* The same rows, but for those of events where nothing jumps: there round-off decides. */
static void check_same(const pair *p)
{
	size_t i = 0, j = 0;
	while (i < bxt_table_rows(p->a) && j < bxt_table_rows(p->b)) {
		const double late = bxt_table_time(p->b, j) - bxt_table_time(p->a, i);
		if (late > 0 && repeats(p, p->a, i + 1)) {
			i += 2;
		} else if (late < 0 && repeats(p, p->b, j + 1)) {
			j += 2;
		} else {
			check_rows(p, i++, j++);
			while (repeats(p, p->a, i) && !repeats(p, p->b, j))
				i++;
			while (repeats(p, p->b, j) && !repeats(p, p->a, i))
				j++;
		}
	}
	ck_assert_msg(i == bxt_table_rows(p->a) && j == bxt_table_rows(p->b),
		      "network %llu, %s: %zu rows in place of %zu", (unsigned long long)p->seed,
		      p->form, bxt_table_rows(p->b), bxt_table_rows(p->a));
}

static void check_balance(const outcome *o, uint64_t seed, worst *w)
{
	const bxt_ledger_entry *e = &o->summary.total;
	const double exchanged = fabs(e->supplied) + fabs(e->dissipated) + fabs(e->impact) +
				 o->summary.energy_largest;
	/* Radau schemes take energy by themselves */
	const bool exact = o->summary.energy_exact;
	const double off = (exact ? fabs(e->residual) : e->residual) / exchanged;
	ck_assert(exact == !strstr(o->summary.scheme, "radau"));
	ck_assert_msg(off <= BALANCE, "network %llu, %s: %g J of %g J is missing",
		      (unsigned long long)seed, o->summary.scheme, e->residual, exchanged);
	ck_assert_double_le(e->impact, BALANCE * exchanged); /* an event takes energy */
	w->balance = fmax(w->balance, off);
}

/* The row is complementary at every time: w and lambda by the largest of their kinds. */
static void check_row(const outcome *o, const switching_row *r, uint64_t seed, worst *w)
{
	const bxt_table *t = o->table;
	const double of_w = scale_of(t, r->column[r->column[0] < 0]), of_l = scale_of(t, r->lambda);
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double lambda = bxt_table_value(t, i, (size_t)r->lambda);
		const double gap = value_of_row(t, r, i, false);
		const double below = fmax(r->lower - lambda, lambda - r->upper) / of_l;
		const double outside = fmax(below, r->one_sided ? -gap / of_w : 0);
		const double product =
			r->one_sided ? fmin(fabs(gap) / of_w, fabs(lambda) / of_l) : 0;
		ck_assert_msg(
			outside <= WITHIN && product <= WITHIN,
			"network %llu, %s at %.9g s: gap or flow %g, multiplier %g in [%g, %g]",
			(unsigned long long)seed, bxt_table_name(t, (size_t)r->lambda),
			bxt_table_time(t, i), gap, lambda, r->lower, r->upper);
		if (!r->one_sided && fabs(gap) > SLIPS * of_w)
			ck_assert_double_eq_tol(lambda, gap > 0 ? -r->slipping : r->slipping,
						WITHIN * r->slipping);
		w->outside = fmax(w->outside, outside);
		w->product = fmax(w->product, product);
	}
}

static long events_of(const bxt_table *t)
{
	long n = 0;
	for (size_t i = 1; i < bxt_table_rows(t); i++)
		n += bxt_table_time(t, i) == bxt_table_time(t, i - 1);
	return n;
}

static void check_network(switching_family family, uint64_t seed, worst *w)
{
	static const char *const form[FORMS] = {"whole", "permuted", "torn"};
	random_switching net;
	random_switching_make(&net, family, seed);
	outcome whole = run_form(&net, seed, false, 1, scheme_of(seed));
	const long events = events_of(whole.table);
	double scale[SWITCHING_COLUMNS];
	for (int j = 0; j < net.n_columns; j++)
		scale[j] = scale_of(whole.table, j);
	ck_assert_int_le(events, MOST_EVENTS);
	w->events += events;
	w->networks++;
	check_balance(&whole, seed, w);
	for (int k = 0; k < net.n_rows; k++)
		check_row(&whole, &net.rows[k], seed, w);
	for (int f = 1; f < FORMS; f++) {
		const int parts = f == 1 ? 1 : 2 + (int)(seed % (MOST_PARTS - 1));
		outcome o = run_form(&net, seed, f == 1, parts, scheme_of(seed));
		check_same(&(pair){&net, whole.table, o.table, scale, seed, form[f], w});
		check_balance(&o, seed, w);
		release(&o);
	}
	release(&whole);
	random_switching_free(&net);
}

/*
 * Positions of some mechanisms at the end, by another way: Moreau's time stepping in a program of
 * its own, 3e6 steps of 1 us without any search for events, with Newton's law of restitution and
 * Coulomb's at each step, solved by projected Gauss-Seidel sweeps (Moreau, Unilateral contact and
 * dry friction, 1988). Those with twice the step differ by 4e-6 at most. Mechanisms where static
 * friction is larger are left out: it has none.
 */
static const struct {
	uint64_t seed;
	double x[SWITCHING_NODES];
} by_moreau[] = {
	{0, {1.038979}},
	{2, {0.862087, 1.822276, 2.806435, 4.082076}},
	{6, {1.269850}},
	{8, {1.131517, 2.002565, 2.895565, 3.889945, 4.815945}},
	{9, {0.819516, 0.880148}},
	{11, {1.227939, 3.181960}},
	{12, {1.211286, 2.020255, 2.676157, 0.703421}},
	{13, {0.945689, 2.121101, 2.950343, 4.390253, 5.348232}},
	{14, {1.307466}},
	{17, {0.889000}},
	{19, {1.156751, 2.532119, 3.900337, 4.692493, 5.771332}},
	{20, {0.732157, 1.636601, 10.045841, 11.176784}},
	{23, {1.051743}},
};
static const double OF_MOREAU = 3e-5;

START_TEST(another_way)
{
	random_switching net;
	const char *path = getenv("BOXTIMES_PATH");
	library = bxt_library_new(&path, 1, NULL);
	ck_assert_ptr_nonnull(library);
	random_switching_make(&net, SWITCHING_MECHANISM, by_moreau[_i].seed);
	outcome o = run_form(&net, by_moreau[_i].seed, false, 1, "gauss2");
	const size_t last = bxt_table_rows(o.table) - 1;
	for (int k = 0; k < net.n_nodes; k++)
		ck_assert_double_eq_tol(bxt_table_value(o.table, last, (size_t)(2 * k)),
					by_moreau[_i].x[k], OF_MOREAU);
	release(&o);
	random_switching_free(&net);
	library = bxt_library_free(library);
}
END_TEST

/* ---- Steps over events ---- */

/* The largest difference of rows, by the largest value of the kind. */
static double differ(const outcome *a, const outcome *b)
{
	double most = 0;
	ck_assert_uint_eq(bxt_table_rows(a->table), bxt_table_rows(b->table));
	for (size_t j = 0; j < bxt_table_columns(a->table); j++)
		for (size_t i = 1; i < bxt_table_rows(a->table); i++)
			most = fmax(most, fabs(bxt_table_value(a->table, i, j) -
					       bxt_table_value(b->table, i, j)) /
						  scale_of(a->table, (int)j));
	return most;
}

/* A step of 0.1 ms errs by so much [m] at most; steps of an eighth of that by a third, or
 * as much as the reference. Networks differ in these forms by round-off over contacts that depend
 * on each other. */
static const double ERRS = 1e-3, SAME_OVER = 1e-10, BALANCE_OVER = 5e-11;

static outcome run_over(const random_switching *net, uint64_t seed, double refine, int form)
{
	over = refine;
	const outcome o = run_form(net, seed, form == 1, form == 2 ? 2 : 1, "moreau");
	over = 0;
	return o;
}

/* How far the positions at the end are from those of the other program. */
static double off_by(const outcome *o, const random_switching *net, const double *x)
{
	const size_t last = bxt_table_rows(o->table) - 1;
	double most = 0;
	for (int j = 0; j < net->n_nodes; j++)
		most = fmax(most, fabs(bxt_table_value(o->table, last, (size_t)(2 * j)) - x[j]));
	return most;
}

START_TEST(over_events)
{
	random_switching net;
	const uint64_t seed = by_moreau[_i].seed;
	const char *path = getenv("BOXTIMES_PATH");
	library = bxt_library_new(&path, 1, NULL);
	ck_assert_ptr_nonnull(library);
	random_switching_make(&net, SWITCHING_MECHANISM, seed);
	double off[2];
	for (int k = 0; k < 2; k++) {
		outcome o = run_over(&net, seed, k == 0 ? 50 : 400, 0);
		const bxt_ledger_entry *e = &o.summary.total;
		const double exchanged = fabs(e->dissipated) + fabs(e->impact) + fabs(e->end) +
					 fabs(e->start) + fabs(e->supplied);
		off[k] = off_by(&o, &net, by_moreau[_i].x);
		ck_assert_double_le(fabs(e->residual), BALANCE_OVER * exchanged);
		release(&o);
	}
	ck_assert_double_le(off[0], ERRS);
	ck_assert_double_le(off[1], off[0] / 3 + OF_MOREAU);
	outcome whole = run_over(&net, seed, 4, 0);
	for (int form = 1; form < FORMS; form++) {
		outcome o = run_over(&net, seed, 4, form);
		ck_assert_double_le(differ(&whole, &o), SAME_OVER);
		release(&o);
	}
	release(&whole);
	random_switching_free(&net);
	library = bxt_library_free(library);
}
END_TEST

static void check_batch(switching_family family, int first, int n)
{
	worst w = {0};
	const char *path = getenv("BOXTIMES_PATH");
	ck_assert_msg(path, "BOXTIMES_PATH is not set: use make check");
	library = bxt_library_new(&path, 1, NULL);
	ck_assert_ptr_nonnull(library);
	for (int i = 0; i < n; i++)
		check_network(family, (uint64_t)(first + i), &w);
	library = bxt_library_free(library);
	if (getenv("BXT_TESTS_TELL"))
		fprintf(stderr,
			"%ld networks, %ld events: times %.1e s, values %.1e, balance %.1e, "
			"outside %.1e, product %.1e\n",
			w.networks, w.events, w.time, w.value, w.balance, w.outside, w.product);
}

START_TEST(some)
{
	check_batch(_i == 0 ? SWITCHING_CIRCUIT : SWITCHING_MECHANISM, 0, SOME);
}
END_TEST

START_TEST(circuits)
{
	check_batch(SWITCHING_CIRCUIT, _i * BATCH, BATCH);
}
END_TEST

START_TEST(mechanisms)
{
	check_batch(SWITCHING_MECHANISM, _i * BATCH, BATCH);
}
END_TEST

TEST_SUITE("switching random")
{
	const int batches = campaign(BATCHES);
	const test_case tests[] = {
		{"some", some, .loops = 2},
		{"another way", another_way, .loops = COUNT(by_moreau)},
		{"over events", over_events, .loops = COUNT(by_moreau)},
		{"circuits", circuits, .loops = batches, .slow = true},
		{"mechanisms", mechanisms, .loops = batches, .slow = true},
	};
	ADD_TESTS(tests);
}
