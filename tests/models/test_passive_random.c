/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random passive interconnections of random port-Hamiltonian blocks: energy never grows beyond what
 * sources supply, and interconnections do no power.
 */
#include "support/allocation.h"
#include "support/harness.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { NETWORKS = 500, PER_TEST = 50, MOST_STATES = 4, NODES = 3 };

struct text {
	char *bytes;
	size_t n, capacity;
};

static void add(struct text *t, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	for (;;) {
		va_list copy;
		va_copy(copy, arguments);
		const int n = vsnprintf(t->bytes + t->n, t->capacity - t->n, format, copy);
		va_end(copy);
		ck_assert_int_ge(n, 0);
		if (t->n + (size_t)n < t->capacity) {
			t->n += (size_t)n;
			break;
		}
		t->capacity = 2 * t->capacity + (size_t)n;
		ck_assert_ptr_nonnull(t->bytes = realloc(t->bytes, t->capacity));
	}
	va_end(arguments);
}

/* Between -1 and 1. */
static double number(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static int below(uint64_t *seed, int n)
{
	return (int)((number(seed) + 1) / 2 * n) % n;
}

/* A A^T + shift of a random A, or what is skew of it. */
static void matrix(struct text *t, const char *name, int n, double shift, bool skew, uint64_t *seed)
{
	double a[MOST_STATES][MOST_STATES];
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			a[i][j] = number(seed);
	add(t, "<%s>", name);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			double entry = i == j ? shift : 0;
			for (int k = 0; k < n && !skew; k++)
				entry += a[i][k] * a[j][k];
			if (skew)
				entry = a[i][j] - a[j][i];
			add(t, "%.17g%s", entry, j < n - 1 ? ", " : i < n - 1 ? "; " : "");
		}
	add(t, "</%s>", name);
}

static void block(struct text *t, int number_of, bool nonlinear, uint64_t *seed)
{
	const int n = 1 + below(seed, MOST_STATES), inputs = 1 + below(seed, 2);
	add(t, "<component xmlns='urn:boxtimes:component:1' name='block%d'>", number_of);
	for (int k = 0; k < inputs; k++)
		add(t, "<port name='a%d' kind='electrical'/><port name='b%d' kind='electrical'/>",
		    k, k);
	add(t, "<port-hamiltonian><state name='x' unit='1' count='%d'/>", n);
	if (nonlinear) {
		add(t, "<hamiltonian>x1^4/4 + 0.1*cosh(x1)");
		for (int i = 2; i <= n; i++)
			add(t, " + (x%d - 0.3*x%d)^4", i, i - 1);
		add(t, "</hamiltonian>");
	}
	matrix(t, "energy", n, 0.1, false, seed);
	matrix(t, "structure", n, 0, true, seed);
	if (below(seed, 2))
		matrix(t, "dissipation", n, 0, false, seed);
	for (int k = 0; k < inputs; k++) {
		add(t, "<input port='a%d' return='b%d' takes='%s'>", k, k,
		    below(seed, 2) ? "effort" : "flow");
		for (int i = 0; i < n; i++)
			add(t, "%.17g%s", number(seed), i < n - 1 ? "; " : "");
		add(t, "</input>");
	}
	if (below(seed, 2))
		matrix(t, "feedthrough", inputs, 0.1, false, seed);
	add(t, "</port-hamiltonian></component><block%d id='B%d' x1='%.17g'", number_of, number_of,
	    number(seed));
	for (int k = 0; k < inputs; k++) {
		/* never the same node twice: of two inputs that are both shorted only the sum of
		 * the currents is determined where there is one state, and such a model is refused
		 */
		const int from = 1 + below(seed, NODES), to = below(seed, NODES + 1);
		add(t, " a%d='%d' b%d='%d'", k, from, k, to == from ? 0 : to);
	}
	add(t, "/>");
}

/* Blocks between nodes that each have a resistor and a capacitor; one source, or none. */
static char *network(uint64_t seed, bool nonlinear, bool *driven)
{
	struct text t = {0};
	const int blocks = 2 + below(&seed, 4);
	*driven = below(&seed, 2);
	add(&t, "<netlist xmlns='urn:boxtimes:netlist:1' name='random'>");
	for (int k = 1; k <= blocks; k++)
		block(&t, k, nonlinear, &seed);
	for (int k = 1; k <= NODES; k++)
		add(&t,
		    "<conductance id='G%d' p='%d' n='0' G='%g S'/>"
		    "<capacitor id='C%d' p='%d' n='0' C='%g F'/>",
		    k, k, 1 + number(&seed) / 2, k, k, 1 + number(&seed) / 2);
	if (*driven)
		add(&t, "<current-source id='S' p='0' n='1' I='=sin(3*t)'/>");
	add(&t, "</netlist>");
	return t.bytes;
}

static void check_passive(int loop, bool nonlinear)
{
	double worst = 0, worst_balance = 0;
	for (int i = 0; i < PER_TEST; i++) {
		bool driven;
		char *xml = network((uint64_t)(loop * PER_TEST + i) * 7919 + 1, nonlinear, &driven);
		model m = model_of_text(xml);
		bxt_run_def def;
		bxt_default_run_def(&def);
		bxt_summary summary;
		def.scheme = nonlinear ? "discrete-gradient" : "gauss1";
		def.step = 0.05;
		def.end = nonlinear ? 2 : 5;
		def.record = "energy, supplied";
		bxt_table *t = model_run(&m, &def, &summary);
		const double start = value_at(t, 0, "energy");
		double scale = start;
		for (size_t k = 0; k < bxt_table_rows(t); k++)
			scale = fmax(scale, value_at(t, k, "energy"));
		for (size_t k = 0; k < bxt_table_rows(t); k++)
			worst = fmax(worst, (value_at(t, k, "energy") - start -
					     value_at(t, k, "supplied")) /
						    scale);
		worst_balance = fmax(worst_balance, fabs(summary.total.residual) / scale);
		ck_assert_double_ge(summary.total.dissipated, 0);
		if (!driven) /* nothing is supplied: it only falls */
			for (size_t k = 1; k < bxt_table_rows(t); k++)
				ck_assert_double_le(value_at(t, k, "energy"),
						    value_at(t, k - 1, "energy") + 1e-13 * scale);
		bxt_summary_free(&summary);
		bxt_table_free(t);
		model_free(&m);
		free(xml);
	}
	/* with a quadratic H the midpoint rule is exact, with others the discrete gradient: what
	 * is left is the round-off of 100 steps */
	ck_assert_double_le(worst, 1e-12);
	ck_assert_double_le(worst_balance, 1e-12);
	printf("networks %d-%d%s: gained %.2g, balance %.2g\n", loop * PER_TEST,
	       (loop + 1) * PER_TEST - 1, nonlinear ? ", nonlinear" : "", worst, worst_balance);
}

START_TEST(passive)
{
	check_passive(_i, false);
}
END_TEST

START_TEST(passive_nonlinear)
{
	check_passive(_i, true);
}
END_TEST

/* What creates power is refused at the start, or where it begins to. */
START_TEST(refused)
{
	static const struct {
		const char *r, *words;
		bool later;
	} wrong[] = {
		{"1, 0; 0, -1e-6", "along the effort 'e_x2'", false},
		{"1, 2; 2, 1", "not positive semidefinite", false},
		{"0, 1; 1, 0", "not positive semidefinite", false},
		{"1e9, 0; 0, -1e-4", "along the effort 'e_x2'", false},
		{"1e9, 0; 0, sqrt(x1 - 1)", "an entry of R or D is not a number", false},
		{"1, 0; 0, cos(x1)", "along the effort 'e_x2'", true},
		{"1, 1; 1, 1.5 - t", "not positive semidefinite at t = 0.5", true},
		/* between the grid points, where gauss1 takes its forces */
		{"1, 0; 0, 1 - 2*exp(-((t - 0.505)/0.001)^2)", "semidefinite at t = 0.505 s", true},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct text t = {0};
		add(&t,
		    NETLIST("<component xmlns='urn:boxtimes:component:1' name='block'>"
			    "<port-hamiltonian><state name='x' unit='1' count='2'/>"
			    "<hamiltonian>(x1^2 + x2^2)/2</hamiltonian>"
			    "<structure>0, 2; -2, 0</structure><dissipation>%s</dissipation>"
			    "</port-hamiltonian></component><block id='B' x1='0' x2='10'/>"),
		    wrong[i].r);
		model m = model_of_text(t.bytes);
		bxt_run_def def;
		bxt_default_run_def(&def);
		bxt_state *state = NULL;
		def.step = 0.01;
		def.end = 1;
		const bxt_status start = bxt_initialize(m.system, &def, m.findings, &state);
		ck_assert_int_eq(start, wrong[i].later ? BXT_OK : BXT_ERR_MODEL);
		if (wrong[i].later)
			ck_assert_int_eq(bxt_run(m.system, state, &def, NULL, NULL, m.findings),
					 BXT_ERR_MODEL);
		ck_assert_msg(has_finding(&m, BXT_ERROR, wrong[i].words), "%s: %s", wrong[i].r,
			      bxt_diagnostics_get(m.findings, 0)->text);
		bxt_state_free(state);
		model_free(&m);
		free(t.bytes);
	}
}
END_TEST

/* A block of 200 states goes to the sparse factorisation: the one wrong entry is found. */
START_TEST(large)
{
	for (int wrong = 0; wrong < 2; wrong++) {
		struct text t = {0};
		const int n = 200;
		add(&t, "<netlist xmlns='urn:boxtimes:netlist:1' name='large'>"
			"<component xmlns='urn:boxtimes:component:1' name='block'>"
			"<port-hamiltonian><state name='x' unit='1' count='200'/>"
			"<hamiltonian>0");
		for (int i = 1; i <= n; i++)
			add(&t, " + x%d^2", i);
		add(&t, "</hamiltonian><dissipation>");
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
				add(&t, "%s%s",
				    i != j              ? "0"
				    : wrong && i == 123 ? "-0.001"
				    : i % 3 == 0        ? "0"
							: "1",
				    j < n - 1   ? ","
				    : i < n - 1 ? ";"
						: "");
		add(&t, "</dissipation></port-hamiltonian></component><block id='B' x1='1'/>"
			"</netlist>");
		model m = model_of_text(t.bytes);
		bxt_run_def def;
		bxt_default_run_def(&def);
		bxt_state *state = NULL;
		def.step = 0.01;
		def.end = 1;
		ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state),
				 wrong ? BXT_ERR_MODEL : BXT_OK);
		ck_assert(!wrong || has_finding(&m, BXT_ERROR, "along the effort 'e_x124'"));
		bxt_state_free(state);
		model_free(&m);
		free(t.bytes);
	}
}
END_TEST

/* D as well, at the points that a scheme looks at: the dip is between the grid points. */
START_TEST(feedthrough)
{
	static const struct {
		const char *scheme, *words;
	} seen[] = {{"gauss1", "semidefinite at t = 0.505 s"},
		    {"discrete-gradient", "semidefinite at t = 0.505 s"},
		    {"dirac+", "semidefinite at t = 0.505 s"},
		    {"radau2", NULL}}; /* its stages are elsewhere */
	for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
		model m = model_of_text(NETLIST(
			"<component xmlns='urn:boxtimes:component:1' name='block'>"
			"<port name='p' kind='electrical'/><port name='n' kind='electrical'/>"
			"<port-hamiltonian><state name='x' unit='Wb' effort='j' rate='v'/>"
			"<hamiltonian>x^2/2</hamiltonian><dissipation>1</dissipation>"
			"<input port='p' return='n'>1</input>"
			"<feedthrough>1 - 1.5*exp(-((t - 0.505)/0.001)^2)</feedthrough>"
			"</port-hamiltonian></component><block id='B' p='a' n='0' x='1'/>"
			"<resistor id='R' p='a' n='0' R='1 ohm'/>"));
		bxt_run_def def;
		bxt_default_run_def(&def);
		bxt_state *state = NULL;
		def.step = 0.01;
		def.end = 1;
		def.scheme = seen[i].scheme;
		ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
		const bxt_status status = bxt_run(m.system, state, &def, NULL, NULL, m.findings);
		ck_assert_msg(status == (seen[i].words ? BXT_ERR_MODEL : BXT_OK), "%s: %s",
			      seen[i].scheme, bxt_status_name(status));
		ck_assert_msg(!seen[i].words || has_finding(&m, BXT_ERROR, seen[i].words), "%s",
			      seen[i].scheme);
		bxt_state_free(state);
		model_free(&m);
	}
}
END_TEST

/* Rows of a chain whose neighbours rub at each other, R_ii = 2 + a, R_i,i+1 = -1, but that a of row
 * 124 falls with t: for a -> 0 all is positive definite, and stays so for all i but with a < -1. */
static model chain(void)
{
	struct text t = {0};
	const int n = 150;
	add(&t, "<netlist xmlns='urn:boxtimes:netlist:1' name='chain'>"
		"<component xmlns='urn:boxtimes:component:1' name='block'>"
		"<port-hamiltonian><state name='x' unit='1' count='150'/><hamiltonian>0");
	for (int i = 1; i <= n; i++)
		add(&t, " + x%d^2", i);
	add(&t, "</hamiltonian><dissipation>");
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			add(&t, "%s%s",
			    i == j && i == 123 ? "3 - 3*t"
			    : i == j           ? "2.5 + 0*t"
			    : abs(i - j) == 1  ? "-1"
					       : "0",
			    j < n - 1   ? ","
			    : i < n - 1 ? ";"
					: "");
	add(&t, "</dissipation></port-hamiltonian></component><block id='B' x1='1'/></netlist>");
	model m = model_of_text(t.bytes);
	free(t.bytes);
	return m;
}

static long allocations_until(model *m, double end)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	bxt_state *state = NULL;
	def.step = 0.01;
	def.end = end;
	ck_assert_int_eq(bxt_initialize(m->system, &def, m->findings, &state), BXT_OK);
	const long before = allocation_count();
	ck_assert_int_eq(bxt_run(m->system, state, &def, NULL, NULL, m->findings), BXT_OK);
	const long count = allocation_count() - before;
	bxt_state_free(state);
	return count;
}

/*
 * The Schur complement of row 124 in the chain: 3 - 3 t - 2 z with z = 1/(2.5 - z), z = 1/2: it is
 * not positive from t = 2/3 on.
 */
START_TEST(large_in_time)
{
	allocation_hook();
	model m = chain();
	allocations_until(&m, 0.1);                        /* what is made once in a process */
	ck_assert_int_gt(allocations_until(&m, 0.2), 100); /* the counter counts */
	ck_assert_int_eq(allocations_until(&m, 0.2), allocations_until(&m, 0.6));
	bxt_run_def def;
	bxt_default_run_def(&def);
	bxt_state *state = NULL;
	def.step = 0.01;
	def.end = 1;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	ck_assert_int_eq(bxt_run(m.system, state, &def, NULL, NULL, m.findings), BXT_ERR_MODEL);
	/* the first point looked at behind 2/3: a grid point */
	ck_assert(has_finding(&m, BXT_ERROR, "semidefinite at t = 0.67 s"));
	bxt_state_free(state);
	model_free(&m);
}
END_TEST

TEST_SUITE("passive")
{
	const test_case tests[] = {
		{"passive", passive, .loops = NETWORKS / PER_TEST, .slow = true},
		{"passive nonlinear", passive_nonlinear, .loops = NETWORKS / PER_TEST,
		 .slow = true},
		{"refused", refused},
		{"feedthrough", feedthrough},
		{"large", large, .slow = true},
		{"large in time", large_in_time},
	};
	ADD_TESTS(tests);
}
