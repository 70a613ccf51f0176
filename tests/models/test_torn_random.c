/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many random networks of several domains, each whole and torn at random places, as made and in
 * another order. The trajectories of a thousand steps
 * are the same but for round-off, because D = (D_1 (+) ... (+) D_n) [x] D_int is the structure of
 * the whole (Parks, Theorem 6); and what flows into a connection flows out of it.
 */
#include "support/harness.h"

#include "support/random_mixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__ /* that costs speed: the first of each batch tell as much of memory */
enum { BATCH = 5, MOST_COLUMNS = 2000 };
#else
enum { BATCH = 17, MOST_COLUMNS = 2000 };
#endif

/*
 * Of a signal's largest value over the run, or of FLOOR times the largest of its kind in the
 * network where that is more: signals as small as that are sums of larger ones, whose round-off
 * they have. What comes out of a step is exact to eps times the condition of its matrix; potentials
 * and forces are differences over a step, 2 L/h <= 2e3 times that. 5e-12 was measured.
 */
static const double SAME = 1e-11, FLOOR = 0.01;
/* The same for what is at rest: values are of order 1 elsewhere. */
static const double REST = 1e-3;
/* Sums of a few products whose largest is the scale: 1e-16 was measured. */
static const double POWER = 1e-13;

typedef struct form {
	const char *name;
	bool torn, shuffled;
} form;

static const form forms[] = {
	{"whole", false, false},
	{"whole, permuted", false, true},
	{"torn", true, false},
	{"torn, permuted", true, true},
};
enum { FORMS = sizeof forms / sizeof *forms };

typedef struct outcome {
	bxt_table *table; /* NULL: not run */
	bxt_summary summary;
	size_t n_motion, n_forces;           /* columns of both kinds */
	size_t n_power, power[MOST_COLUMNS]; /* columns of what powers are made of */
	int n_connections;
	mixed_connection connections[MIXED_NODES];
} outcome;

typedef struct worst {
	double motion[FORMS], forces, power, cut;
	int runs, connections;
} worst;

static bxt_library *library;

/* ---- Runs ---- */

static void tell(const bxt_diagnostics *d, const char *xml)
{
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++)
		fprintf(stderr, "%s\n", bxt_diagnostics_get(d, i)->text);
	fprintf(stderr, "%s\n", xml);
}

static model model_of(const char *xml)
{
	model m = {.findings = bxt_diagnostics_new(), .library = library};
	bxt_status status =
		bxt_netlist_read_memory(xml, strlen(xml), "random", m.findings, &m.netlist);
	if (status == BXT_OK)
		status = bxt_system_compile(m.netlist, library, m.findings, &m.system);
	if (status != BXT_OK) {
		tell(m.findings, xml);
		ck_abort_msg("a network is refused");
	}
	return m;
}

static void release(model *m)
{
	m->library = NULL; /* kept for the others */
	model_free(m);
}

/* The columns of those names, parted by ", ". */
static void find_columns(char *names, outcome *out)
{
	char *rest = NULL;
	for (char *name = strtok_r(names, ", ", &rest); name; name = strtok_r(NULL, ", ", &rest)) {
		const long j = bxt_table_find(out->table, name);
		ck_assert_msg(j >= 0, "no column %s", name);
		ck_assert_uint_lt(out->n_power, MOST_COLUMNS);
		out->power[out->n_power++] = (size_t)j;
	}
}

static size_t items(const bxt_buffer *list)
{
	size_t n = list->length > 0;
	for (size_t i = 0; i < list->length; i++)
		n += list->text[i] == ',';
	return n;
}

/* Each network has a scheme, by its number: those that refuse none. */
static const char *scheme_of(uint64_t seed)
{
	static const char *const schemes[] = {"gauss1", "gauss2", "radau2", "discrete-gradient",
					      "gauss3", "theta",  "radau3"};
	return schemes[seed % (sizeof schemes / sizeof *schemes)];
}

static outcome run_form(const random_mixed *net, uint64_t seed, const form *f)
{
	outcome out = {0};
	const mixed_order order = random_mixed_order(net, seed, f->shuffled);
	bxt_buffer xml = {0}, record = {0}, columns = {0};
	random_mixed_write(net, &order, f->torn, &xml);
	random_mixed_motion(net, f->torn, &record);
	out.n_motion = items(&record);
	random_mixed_forces(net, f->torn, &record);
	out.n_forces = items(&record) - out.n_motion;
	if (f->torn)
		out.n_connections =
			random_mixed_powers(net, &order, out.connections, &columns, &record);
	ck_assert(!xml.failed && !record.failed && !columns.failed);
	model m = model_of(xml.text);
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def),
		.scheme = scheme_of(seed),
		.record = record.text,
	};
	out.table = model_run(&m, &def, &out.summary);
	if (columns.length)
		find_columns(columns.text, &out);
	release(&m);
	bxt_buffer_free(&xml);
	bxt_buffer_free(&record);
	bxt_buffer_free(&columns);
	return out;
}

/* ---- What must hold ---- */

static double peak(const bxt_table *t, size_t j)
{
	double most = 0;
	for (size_t i = 0; i < bxt_table_rows(t); i++)
		most = fmax(most, fabs(bxt_table_value(t, i, j)));
	return most;
}

/* What comes after the last dot: "q", "i1", "omega", "lambda". */
static const char *kind_of(const bxt_table *t, size_t j)
{
	return strrchr(bxt_table_name(t, j), '.') + 1;
}

/* The scale of each of the columns. */
static void find_scales(const bxt_table *t, size_t first, size_t end, double *scale)
{
	double peaks[MOST_COLUMNS];
	ck_assert_uint_le(end, MOST_COLUMNS);
	for (size_t j = first; j < end; j++)
		peaks[j] = peak(t, j);
	for (size_t j = first; j < end; j++) {
		scale[j] = fmax(peaks[j], REST);
		for (size_t k = first; k < end; k++)
			if (strcmp(kind_of(t, k), kind_of(t, j)) == 0)
				scale[j] = fmax(scale[j], FLOOR * peaks[k]);
	}
}

/* node(s1.n7).v of an electrical node: known but for a constant in a part that nothing grounds. */
static bool is_potential(const random_mixed *net, const char *name)
{
	const char *n = strncmp(name, "node(", 5) == 0 ? strrchr(name, 'n') : NULL;
	return n && net->nodes[atoi(n + 1)].kind == 'e';
}

static double apart(const random_mixed *net, const outcome *a, const outcome *b, size_t first,
		    size_t end, const char **who)
{
	const bool grounded = a->summary.references == 0 && b->summary.references == 0;
	double scale[MOST_COLUMNS], most = 0;
	/* where sources jump there are two rows of one time */
	ck_assert_uint_ge(bxt_table_rows(a->table), MIXED_STEPS + 1);
	ck_assert_uint_eq(bxt_table_rows(b->table), bxt_table_rows(a->table));
	find_scales(a->table, first, end, scale);
	for (size_t j = first; j < end; j++) {
		double d = 0;
		bool finite = true;
		ck_assert_str_eq(kind_of(a->table, j), kind_of(b->table, j));
		if (!grounded && is_potential(net, bxt_table_name(a->table, j)))
			continue;
		for (size_t i = 0; i < bxt_table_rows(a->table); i++) {
			const double x = bxt_table_value(a->table, i, j);
			const double y = bxt_table_value(b->table, i, j);
			finite = finite && isfinite(x) && isfinite(y);
			d = fmax(d, fabs(x - y));
		}
		ck_assert(finite);
		if (d > most * scale[j]) {
			most = d / scale[j];
			*who = bxt_table_name(a->table, j);
		}
	}
	return most;
}

/* The power that goes into port p of a connection, row i; `at` are its columns. */
static double port_power(const bxt_table *t, size_t i, const size_t *at, const mixed_connection *c,
			 int p)
{
	if (c->n_flows == 0)
		return bxt_table_value(t, i, at[p]);
	const size_t *flows = at + p * c->n_flows, *multipliers = at + c->n_ports * c->n_flows;
	double power = 0;
	for (int row = 0; row < (c->n_ports - 1) * c->n_flows; row++) {
		const int on = p == 0 ? 1 : p == row / c->n_flows + 1 ? -1 : 0;
		if (on)
			power += on * bxt_table_value(t, i, multipliers[row]) *
				 bxt_table_value(t, i, flows[row % c->n_flows]);
	}
	return power;
}

/* What is lost in a connection at most, and what goes through it. */
static void transmit(const outcome *o, const mixed_connection *c, const size_t *at, double *lost,
		     double *through)
{
	bool finite = true;
	*lost = *through = 0;
	for (size_t i = 0; i < bxt_table_rows(o->table); i++) {
		double sum = 0, all = 0;
		for (int p = 0; p < c->n_ports; p++) {
			const double power = port_power(o->table, i, at, c, p);
			sum += power;
			all += fabs(power);
		}
		finite = finite && isfinite(sum);
		*lost = fmax(*lost, fabs(sum));
		*through = fmax(*through, all);
	}
	ck_assert(finite);
}

/* The largest loss by what goes through, or by FLOOR times what goes through any connection. */
static double power_lost(const outcome *o)
{
	double lost[MIXED_NODES], through[MIXED_NODES], most = REST * REST, relative = 0;
	size_t at = 0;
	for (int c = 0; c < o->n_connections; c++) {
		const mixed_connection *k = &o->connections[c];
		transmit(o, k, o->power + at, &lost[c], &through[c]);
		most = fmax(most, FLOOR * through[c]);
		at += (size_t)(k->n_flows ? (2 * k->n_ports - 1) * k->n_flows : k->n_ports);
	}
	ck_assert_uint_eq(at, o->n_power);
	for (int c = 0; c < o->n_connections; c++)
		relative = fmax(relative, lost[c] / fmax(most, through[c]));
	return relative;
}

static void check_form(const random_mixed *net, uint64_t seed, int f, const outcome *whole,
		       const outcome *o, worst *w)
{
	const char *who = "";
	const unsigned long long number = seed;
	const double motion = apart(net, whole, o, 0, whole->n_motion, &who);
	ck_assert_msg(motion <= SAME, "network %llu, %s: %s differs by %g", number, forms[f].name,
		      who, motion);
	const double forces =
		apart(net, whole, o, whole->n_motion, whole->n_motion + whole->n_forces, &who);
	ck_assert_msg(forces <= SAME, "network %llu, %s: %s differs by %g", number, forms[f].name,
		      who, forces);
	if (forms[f].torn) {
		const double power = power_lost(o);
		ck_assert_msg(power <= POWER, "network %llu, %s: connections lose %g of the power",
			      number, forms[f].name, power);
		w->power = fmax(w->power, power);
	}
	w->motion[f] = fmax(w->motion[f], motion);
	w->forces = fmax(w->forces, forces);
	w->connections += o->n_connections;
}

static void check_network(mixed_family family, uint64_t seed, worst *w)
{
	random_mixed net;
	random_mixed_make(&net, family, seed);
	outcome whole = run_form(&net, seed, &forms[0]);
	for (int f = 1; f < FORMS; f++) {
		outcome o = run_form(&net, seed, &forms[f]);
		check_form(&net, seed, f, &whole, &o, w);
		bxt_table_free(o.table);
		bxt_summary_free(&o.summary);
		w->runs++;
	}
	bxt_table_free(whole.table);
	bxt_summary_free(&whole.summary);
}

/* ---- Taking apart, putting together, checking ---- */

static model model_of_form(const random_mixed *net, const mixed_order *order, bool torn)
{
	bxt_buffer xml = {0};
	random_mixed_write(net, order, torn, &xml);
	ck_assert(!xml.failed);
	const model m = model_of(xml.text);
	bxt_buffer_free(&xml);
	return m;
}

static void complain(uint64_t seed, const char *what, const bxt_diagnostics *d)
{
	tell(d, "");
	ck_abort_msg("network %llu: %s", (unsigned long long)seed, what);
}

/* The canonical form as text; heap memory. */
static char *canonical_text(const bxt_netlist *netlist)
{
	bxt_netlist *canonical = NULL;
	char *text = NULL;
	size_t length;
	ck_assert_int_eq(bxt_netlist_canonical(netlist, &canonical), BXT_OK);
	FILE *stream = open_memstream(&text, &length);
	ck_assert_ptr_nonnull(stream);
	ck_assert_int_eq(bxt_netlist_write(canonical, stream), BXT_OK);
	fclose(stream);
	bxt_netlist_free(canonical);
	return text;
}

/* The torn form put together is the whole, to the letter. */
static void check_flat(uint64_t seed, const model *whole, const model *torn)
{
	bxt_netlist *flat = NULL;
	if (bxt_netlist_flatten(torn->netlist, library, torn->findings, &flat) != BXT_OK)
		complain(seed, "cannot be put together", torn->findings);
	char *a = canonical_text(whole->netlist), *b = canonical_text(flat);
	if (strcmp(a, b) != 0 && getenv("BXT_TESTS_TELL"))
		fprintf(stderr, "%s\n%s\n", a, b);
	ck_assert_msg(strcmp(a, b) == 0, "network %llu: put together it is another",
		      (unsigned long long)seed);
	free(a);
	free(b);
	bxt_netlist_free(flat);
}

/* All that the theory says of them, and that they are the same system. */
static void check_theory(uint64_t seed, const model *whole, const model *torn)
{
	bxt_verify_def def;
	bxt_default_verify_def(&def);
	def.states = 1;
	for (int k = 0; k < 3; k++) {
		const model *m = k == 0 ? whole : torn;
		bxt_verification *v = NULL;
		const bxt_status status = k < 2 ? bxt_verify(m->system, &def, m->findings, &v)
						: bxt_verify_against(whole->system, torn->system,
								     &def, m->findings, &v);
		if (status != BXT_OK)
			complain(seed, "cannot be verified", m->findings);
		for (size_t i = 0; i < v->n; i++)
			ck_assert_msg(v->checks[i].passed, "network %llu, %s: %s: %g, %s",
				      (unsigned long long)seed,
				      k == 0   ? "whole"
				      : k == 1 ? "torn"
					       : "both",
				      v->checks[i].name, v->checks[i].figure,
				      v->checks[i].text ? v->checks[i].text : "");
		ck_assert(v->passed && v->n > 0);
		bxt_verification_free(v);
	}
}

static bxt_table *run_twin(model *m, const bxt_twins *twins, int side, const bxt_run_def *general,
			   bxt_summary *summary)
{
	bxt_run_def def = *general;
	def.record = "energy";
	def.record_also = twins->record[side];
	def.n_record_also = twins->n_record[side];
	return model_run(m, &def, summary);
}

/* The whole torn by the library into as many parts as it shall. */
static double check_tear(uint64_t seed, const random_mixed *net, model *whole)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	bxt_tear_def tear;
	bxt_default_tear_def(&tear);
	model torn = {.findings = bxt_diagnostics_new(), .library = library};
	tear.parts = 2 + (int)(seed % (MIXED_PARTS - 1));
	if (tear.parts > net->n_elements)
		tear.parts = net->n_elements;
	if (bxt_netlist_tear(whole->netlist, library, &tear, torn.findings, &torn.netlist) !=
		    BXT_OK ||
	    bxt_system_compile(torn.netlist, library, torn.findings, &torn.system) != BXT_OK)
		complain(seed, "cannot be torn", torn.findings);
	bxt_twins twins;
	bxt_difference *differences;
	double most = 0;
	bxt_summary account;
	if (bxt_twins_find(whole->system, torn.system, &def, NULL, 0, torn.findings, &twins) !=
	    BXT_OK)
		complain(seed, "has no twin", torn.findings);
	bxt_table *a = run_twin(whole, &twins, 0, &def, &account);
	bxt_table *b = run_twin(&torn, &twins, 1, &def, NULL);
	ck_assert_int_eq(
		bxt_twins_compare(&twins, a, b, &account, SAME, torn.findings, &differences),
		BXT_OK);
	for (size_t i = 0; i < twins.n; i++) {
		const bxt_difference *d = &differences[i];
		if (d->group == BXT_SIGNALS_DRIFT)
			continue;
		ck_assert_msg(d->relative <= SAME,
			      "network %llu torn into %d: %s differs by %g of %g",
			      (unsigned long long)seed, tear.parts, d->a, d->largest, d->scale);
		most = fmax(most, d->relative);
	}
	ck_assert_uint_gt(twins.n, (size_t)net->n_elements);
	free(differences);
	bxt_table_free(a);
	bxt_table_free(b);
	bxt_twins_free(&twins);
	bxt_summary_free(&account);
	release(&torn);
	return most;
}

static void check_tools(mixed_family family, uint64_t seed, worst *w)
{
	random_mixed net;
	random_mixed_make(&net, family, seed);
	const mixed_order order = random_mixed_order(&net, seed, false);
	model whole = model_of_form(&net, &order, false), torn = model_of_form(&net, &order, true);
	check_flat(seed, &whole, &torn);
	if (seed % 3 == 0) /* test_verify has more */
		check_theory(seed, &whole, &torn);
	w->cut = fmax(w->cut, check_tear(seed, &net, &whole));
	release(&whole);
	release(&torn);
}

static void check_batch(mixed_family family, int batch)
{
	worst w = {0};
	const char *path = getenv("BOXTIMES_PATH");
	ck_assert_msg(path, "BOXTIMES_PATH is not set: use make check");
	library = bxt_library_new(&path, 1, NULL);
	ck_assert_ptr_nonnull(library);
	for (int i = 0; i < BATCH; i++) {
		check_network(family, (uint64_t)(batch * BATCH + i), &w);
		check_tools(family, (uint64_t)(batch * BATCH + i), &w);
	}
	library = bxt_library_free(library);
	if (getenv("BXT_TESTS_TELL")) {
		fprintf(stderr, "%d runs, %d connections: forces %.1e, power %.1e, cut %.1e\n",
			w.runs, w.connections, w.forces, w.power, w.cut);
		for (int f = 1; f < FORMS; f++)
			fprintf(stderr, "\t%s: %.1e\n", forms[f].name, w.motion[f]);
	}
}

START_TEST(circuits)
{
	check_batch(MIXED_CIRCUIT, _i);
}
END_TEST

START_TEST(mechanisms)
{
	check_batch(MIXED_MECHANISM, _i);
}
END_TEST

START_TEST(mixed)
{
	check_batch(MIXED_MIXED, _i);
}
END_TEST

START_TEST(controlled)
{
	check_batch(MIXED_CONTROLLED, _i);
}
END_TEST

TEST_SUITE("torn random")
{
	const int batches = campaign(4);
	const test_case tests[] = {
		{"circuits", circuits, .loops = batches, .slow = true},
		{"mechanisms", mechanisms, .loops = batches, .slow = true},
		{"mixed", mixed, .loops = batches, .slow = true},
		{"controlled", controlled, .loops = batches, .slow = true},
	};
	ADD_TESTS(tests);
}
