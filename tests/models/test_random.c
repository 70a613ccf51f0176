/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many small random networks, each in three forms: as made, with its elements in another order, and
 * torn into two to four subsystems. For each Kirchhoff's laws and the energy balance must hold, and
 * the three must agree. A model that is refused must be refused in all its forms; of those made
 * here none is (sources that contradict each other, random_network.h, are that rare).
 */
#include "support/harness.h"

#include "support/random_network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NETWORKS = 160, FORMS = 3, STEPS = 100 };
static const double STEP = 0.05;

/*
 * Of the largest quantity of its kind in the network. Rows of flows have a handful of terms, and
 * lossless networks sum the round-off of a hundred steps: 1e-14 was measured. Solutions carry the
 * condition of the step's matrix, up to 1e5, times 1e-16 a step, and where there are diodes also
 * what Newton leaves open: 1e-11 was measured.
 */
static const double DRIFT = 1e-13, BALANCE = 1e-11, SAME = 1e-10;
/* Nonlinear capacitors: second order in h = 0.05, and periods down to half a second. */
static const double BALANCE_BOUNDED = 0.05;

/* Values are of order 1; a network that stays at rest has only round-off. */
static const double REST = 1e-3;

static const char *const form_names[FORMS] = {"as made", "permuted", "torn"};

typedef struct outcome {
	bxt_status status;
	bxt_table *table;
	bxt_summary summary;
} outcome;

typedef struct worst {
	double drift, balance, bounded, permuted, torn;
	int runs, ill_posed, affine;
} worst;

static bxt_library *library;

static void open_library(void)
{
	const char *path = getenv("BOXTIMES_PATH");
	ck_assert_msg(path, "BOXTIMES_PATH is not set: use make check");
	library = bxt_library_new(&path, 1, NULL);
	ck_assert_ptr_nonnull(library);
}

static void close_library(void)
{
	library = bxt_library_free(library);
}

/* ---- Runs ---- */

static void tell(const bxt_diagnostics *d, const char *xml)
{
	if (!getenv("BXT_TESTS_TELL"))
		return;
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++)
		if (bxt_diagnostics_get(d, i)->severity == BXT_ERROR)
			fprintf(stderr, "%s\n", bxt_diagnostics_get(d, i)->text);
	fprintf(stderr, "%s\n", xml);
}

static outcome run_xml(const char *xml, const char *record)
{
	outcome out = {.table = bxt_table_new()};
	bxt_sink sink;
	bxt_table_sink(out.table, &sink);
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = STEP,
				 .end = STEPS * STEP,
				 .scheme = "gauss1",
				 .record = record};
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *netlist = NULL;
	bxt_system *system = NULL;
	bxt_state *state = NULL;
	out.status = bxt_netlist_read_memory(xml, strlen(xml), "random", d, &netlist);
	ck_assert_int_eq(out.status, BXT_OK);
	out.status = bxt_system_compile(netlist, library, d, &system);
	if (out.status == BXT_OK)
		out.status = bxt_initialize(system, &def, d, &state);
	if (out.status == BXT_OK)
		out.status = bxt_run(system, state, &def, &sink, &out.summary, d);
	if (out.status != BXT_OK)
		tell(d, xml);
	if (out.status == BXT_ERR_MODEL) /* and says why */
		ck_assert_uint_gt(bxt_diagnostics_count(d, BXT_ERROR), 0);
	bxt_state_free(state);
	bxt_system_free(system);
	bxt_netlist_free(netlist);
	bxt_diagnostics_free(d);
	return out;
}

static outcome run_form(const random_network *net, uint64_t seed, int form)
{
	int order[RANDOM_ELEMENTS];
	bxt_buffer xml = {0}, record = {0};
	random_network_shuffle(net, seed, order);
	random_network_write(net, form == 0 ? NULL : order, form == 2, &xml, &record);
	ck_assert(!xml.failed && !record.failed);
	const outcome out = run_xml(xml.text, record.text);
	bxt_buffer_free(&xml);
	bxt_buffer_free(&record);
	return out;
}

static void free_outcome(outcome *out)
{
	bxt_table_free(out->table);
	bxt_summary_free(&out->summary);
}

/* ---- What must hold ---- */

/* A charge, a flow or a potential: the last letter of a name but for digits. */
static char kind_of(const bxt_table *t, size_t column)
{
	const char *dot = strrchr(bxt_table_name(t, column), '.');
	ck_assert_ptr_nonnull(dot);
	return dot[1];
}

/* The largest value of a kind in the table. */
static double scale_of(const bxt_table *t, char kind)
{
	double most = REST;
	for (size_t j = 0; j < bxt_table_columns(t); j++)
		for (size_t i = 0; i < bxt_table_rows(t) && kind_of(t, j) == kind; i++)
			most = fmax(most, fabs(bxt_table_value(t, i, j)));
	return most;
}

/* Kirchhoff's laws: rows of flows by the largest flow, integrated rows by the largest charge. */
static double drift(const outcome *o)
{
	const double flows = scale_of(o->table, 'i'), charges = scale_of(o->table, 'q');
	double most = 0;
	for (size_t i = 0; i < o->summary.n_drift; i++) {
		const bxt_drift_entry *e = &o->summary.drift[i];
		const double scale = strstr(e->family, ".q") ? charges : flows;
		ck_assert(isfinite(e->max));
		most = fmax(most, e->max / scale);
	}
	return most;
}

/* The residuals of all balances by the largest energy that went anywhere. */
static double balance(const outcome *o)
{
	const bxt_summary *s = &o->summary;
	double exchanged = REST * REST, most = fabs(s->total.residual);
	for (size_t i = 0; i < s->n_ledger; i++) {
		const bxt_ledger_entry *e = &s->ledger[i];
		exchanged = fmax(exchanged, fabs(e->start) + fabs(e->end));
		exchanged = fmax(exchanged, fabs(e->supplied) + fabs(e->dissipated));
		exchanged = fmax(exchanged, fabs(e->through));
		if (strcmp(e->kind, "port") != 0)
			most = fmax(most, fabs(e->residual));
	}
	ck_assert(isfinite(most));
	return most / exchanged;
}

/* Column by column, of the largest value of the kind; potentials only where none was chosen. */
static double apart(const outcome *a, const outcome *b)
{
	const bxt_table *ta = a->table, *tb = b->table;
	const double scale[] = {
		['i'] = scale_of(ta, 'i'), ['q'] = scale_of(ta, 'q'), ['v'] = scale_of(ta, 'v')};
	const bool grounded = a->summary.references == 0 && b->summary.references == 0;
	/* inductors against a blocking diode make potentials of 1e11 V, whose round-off is in the
	 * flows that follow from their rates */
	const bool driven = scale['v'] > 1e6;
	double most = 0;
	ck_assert_uint_eq(bxt_table_rows(ta), STEPS + 1);
	ck_assert_uint_eq(bxt_table_rows(tb), STEPS + 1);
	ck_assert_uint_eq(bxt_table_columns(ta), bxt_table_columns(tb));
	for (size_t j = 0; j < bxt_table_columns(ta); j++) {
		const char kind = kind_of(ta, j);
		if ((kind == 'v' && !grounded) || (kind != 'q' && driven))
			continue;
		for (size_t i = 0; i < bxt_table_rows(ta); i++) {
			const double d =
				fabs(bxt_table_value(ta, i, j) - bxt_table_value(tb, i, j));
			ck_assert(isfinite(d));
			most = fmax(most, d / scale[(int)kind]);
		}
	}
	return most;
}

static void check_form(uint64_t seed, int form, const outcome *o, worst *w)
{
	const double a = drift(o), b = balance(o);
	ck_assert_msg(a <= DRIFT, "seed %llu %s: drift %g", (unsigned long long)seed,
		      form_names[form], a);
	ck_assert_msg(b <= (o->summary.energy_exact ? BALANCE : BALANCE_BOUNDED),
		      "seed %llu %s: residual of the balance %g", (unsigned long long)seed,
		      form_names[form], b);
	w->drift = fmax(w->drift, a);
	if (o->summary.energy_exact)
		w->balance = fmax(w->balance, b);
	else
		w->bounded = fmax(w->bounded, b);
}

static void check_network(uint64_t seed, bool linear, worst *w)
{
	random_network net;
	outcome o[FORMS];
	random_network_make(&net, seed, linear);
	for (int form = 0; form < FORMS; form++) {
		o[form] = run_form(&net, seed, form);
		ck_assert_msg(o[form].status == BXT_OK || o[form].status == BXT_ERR_MODEL,
			      "seed %llu %s: %s", (unsigned long long)seed, form_names[form],
			      bxt_status_text(o[form].status));
		ck_assert_msg(o[form].status == o[0].status, "seed %llu: only %s is refused",
			      (unsigned long long)seed,
			      form_names[o[0].status == BXT_OK ? form : 0]);
	}
	if (o[0].status == BXT_OK) {
		double d[FORMS] = {0};
		for (int form = 0; form < FORMS; form++) {
			check_form(seed, form, &o[form], w);
			d[form] = apart(&o[0], &o[form]);
			ck_assert_msg(d[form] <= SAME, "seed %llu: %s differs by %g",
				      (unsigned long long)seed, form_names[form], d[form]);
		}
		w->permuted = fmax(w->permuted, d[1]);
		w->torn = fmax(w->torn, d[2]);
		ck_assert_int_eq(o[0].summary.affine, !net.nonlinear);
	}
	w->runs++;
	w->affine += !net.nonlinear;
	w->ill_posed += o[0].status != BXT_OK;
	for (int form = 0; form < FORMS; form++)
		free_outcome(&o[form]);
}

static void check_networks(int batch, bool linear)
{
	worst w = {0};
	open_library();
	for (int i = 0; i < NETWORKS; i++)
		check_network((uint64_t)(batch * NETWORKS + i), linear, &w);
	close_library();
	ck_assert_int_eq(w.ill_posed, 0);
	if (getenv("BXT_TESTS_TELL"))
		fprintf(stderr,
			"%d networks, %d linear, %d ill-posed: drift %.1e, balance %.1e (bounded "
			"%.1e), permuted %.1e, torn %.1e\n",
			w.runs, w.affine, w.ill_posed, w.drift, w.balance, w.bounded, w.permuted,
			w.torn);
}

START_TEST(test_linear)
{
	check_networks(_i, true);
}
END_TEST

START_TEST(test_nonlinear)
{
	check_networks(campaign(2) + _i, false);
}
END_TEST

TEST_SUITE("random")
{
	const test_case tests[] = {
		{"linear", test_linear, .loops = campaign(2), .slow = true},
		{"nonlinear", test_nonlinear, .loops = campaign(2), .slow = true},
	};
	ADD_TESTS(tests);
}
