/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads get the bits of a single one: with everything of their own, with one library and one
 * netlist between them, with one system between them; and where libraries below are not made for
 * threads (units, METIS). Under ThreadSanitizer: configure --enable-thread-sanitizer, make
 * check-threads.
 */
#include "motion/scheme/settings.h"
#include "support/harness.h"
#include "support/plugins.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, STEPS = 40, MODELS = 9 };

/* Assertions are for the thread that the test runs in: work returns what went wrong. */
typedef const char *work_function(int thread, const void *context);

struct one {
	pthread_t thread;
	work_function *work;
	const void *context;
	int index;
	const char *failed;
};

static void *begin(void *context)
{
	struct one *one = context;
	one->failed = one->work(one->index, one->context);
	return NULL;
}

static void at_once(work_function *work, const void *context)
{
	struct one one[THREADS];
	for (int i = 0; i < THREADS; i++) {
		one[i] = (struct one){.work = work, .context = context, .index = i};
		ck_assert_int_eq(pthread_create(&one[i].thread, NULL, begin, &one[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(one[i].thread, NULL);
	for (int i = 0; i < THREADS; i++)
		ck_assert_msg(!one[i].failed, "thread %d: %s", i, one[i].failed);
}

/* ---- The models ---- */

static const char units_text[] =
	NETLIST("<simulation step='0.1 ms' end='2 ms'/>"
		"<voltage-source id='V' p='a' n='0' e='=sin(t)'/>"
		"<resistor id='R' p='a' n='b' R='4.7 mohm'/><inductor id='L' p='b' n='c' L='3 mH'/>"
		"<capacitor id='C' p='c' n='0' C='1.5e-3 s/ohm' q='1 mC'/>"
		"<record>C.q, L.i, R.i</record>");
static const char plugin_text[] = NETLIST(
	"<simulation step='0.1 s' end='4 s'/>" COMPONENT("plant",
							 "<coordinate name='x' unit='1' flow='v'/>"
							 "<lagrangian>v^2/2</lagrangian>")
		COMPONENT("control", "<parameter name='Ts' unit='s' default='0.2 s'/>"
				     "<parameter name='r' unit='1' default='1' time='true'/>"
				     "<parameter name='kp' unit='1' default='2'/>"
				     "<parameter name='ki' unit='1' default='0.7'/>"
				     "<parameter name='u_min' unit='1' default='-0.5'/>"
				     "<parameter name='u_max' unit='1' default='0.6'/>"
				     "<parameter name='Tt' unit='1' default='0.3'/>"
				     "<binding name='m' component='plant'/>"
				     "<force on='m.x'>u - m.v</force><state name='u' "
				     "unit='1'/>"
				     "<sample period='Ts'/><plugin reads='r m.x' "
				     "writes='u'/>") "<plant id='X' v='0.3'/><control id='C' "
						     "m='X'/>"
						     "<record>X.x, X.v, C.u</record>");

/* A file of $BXT_NETLISTS, or a text. */
static const struct {
	const char *file, *text, *solver, *plugin;
} models[MODELS] = {
	{.text = units_text},
	{.file = "bridge-rectifier.xml"}, /* nonlinear */
	{.file = "slider-crank.xml"},     /* constraints on positions */
	{.file = "chaplygin-sleigh.xml"}, /* nonholonomic */
	{.file = "rlc-torn.xml"},
	{.file = "speed-control.xml"}, /* files that it includes */
	{.file = "ua741.xml", .solver = "klu-metis"},
	{.file = "msd-chain.xml", .solver = "umfpack"}, /* matrices from files */
	{.text = plugin_text, .plugin = "pi"},
};

static bxt_library *open_library(bxt_diagnostics *d)
{
	const char *path = getenv("BOXTIMES_PATH");
	return bxt_library_new(&path, 1, d);
}

static bxt_netlist *read_model(int i, bxt_diagnostics *d)
{
	char path[4096];
	bxt_netlist *netlist = NULL;
	if (models[i].text) {
		bxt_netlist_read_memory(models[i].text, strlen(models[i].text), "m", d, &netlist);
	} else {
		snprintf(path, sizeof path, "%s/%s", getenv("BXT_NETLISTS"), models[i].file);
		bxt_netlist_read(path, d, &netlist);
	}
	return netlist;
}

/* A run of so many steps, with what the netlist records; NULL when something fails. */
static bxt_table *run_system(int i, const bxt_system *system, bxt_diagnostics *d)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	bxt_state *state = NULL;
	bxt_table *table = bxt_table_new();
	bxt_sink sink;
	bxt_settings settings;
	char plugin[4096];
	const char *const plugins[] = {plugin};
	snprintf(plugin, sizeof plugin, "C=%s/%s.so", getenv("BXT_PLUGINS"), models[i].plugin);
	def.every = 1;
	def.solver = models[i].solver;
	def.plugins = plugins;
	def.n_plugins = models[i].plugin != NULL;
	bxt_table_sink(table, &sink);
	bool good = bxt_settings_resolve(system, &def, d, &settings) == BXT_OK;
	def.step = settings.step;
	def.end = fmin(settings.end, STEPS * settings.step);
	good = good && bxt_initialize(system, &def, d, &state) == BXT_OK &&
	       bxt_run(system, state, &def, &sink, NULL, d) == BXT_OK;
	bxt_state_free(state);
	return good ? table : bxt_table_free(table);
}

static bxt_table *run_netlist(int i, const bxt_netlist *netlist, bxt_library *library,
			      bxt_diagnostics *d)
{
	bxt_system *system = NULL;
	bxt_system_compile(netlist, library, d, &system);
	bxt_table *table = system ? run_system(i, system, d) : NULL;
	bxt_system_free(system);
	return table;
}

static bxt_table *run_alone(int i)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = open_library(d);
	bxt_netlist *netlist = read_model(i, d);
	bxt_table *table = netlist ? run_netlist(i, netlist, library, d) : NULL;
	bxt_netlist_free(netlist);
	bxt_library_free(library);
	bxt_diagnostics_free(d);
	return table;
}

/* NULL: the same bits. Frees `found`. */
static const char *differs(const bxt_table *expected, bxt_table *found)
{
	const char *what = NULL;
	if (!found)
		return "it does not run";
	const size_t rows = bxt_table_rows(expected), columns = bxt_table_columns(expected);
	if (bxt_table_rows(found) != rows || bxt_table_columns(found) != columns)
		what = "its table has another shape";
	for (size_t i = 0; i < rows && !what; i++)
		for (size_t k = 0; k < columns && !what; k++) {
			const double a = bxt_table_value(expected, i, k),
				     b = bxt_table_value(found, i, k);
			if (memcmp(&a, &b, sizeof a) != 0)
				what = "a value differs";
		}
	bxt_table_free(found);
	return what;
}

/* What all models give to one thread. */
static void run_all_alone(bxt_table **table)
{
	for (int i = 0; i < MODELS; i++) {
		table[i] = run_alone(i);
		ck_assert_msg(table[i], "model %d does not run", i);
		ck_assert_uint_gt(bxt_table_rows(table[i]), 10);
		ck_assert_uint_gt(bxt_table_columns(table[i]), 1);
	}
}

static void free_all(bxt_table **table)
{
	for (int i = 0; i < MODELS; i++)
		bxt_table_free(table[i]);
}

/* ---- Nothing shared; one library; one system ---- */

static const char *run_own(int thread, const void *context)
{
	bxt_table *const *table = context;
	const char *failed = NULL;
	for (int k = 0; k < MODELS && !failed; k++) {
		const int i = (thread + k) % MODELS;
		failed = differs(table[i], run_alone(i));
	}
	return failed;
}

START_TEST(libraries)
{
	bxt_table *table[MODELS];
	run_all_alone(table);
	at_once(run_own, table);
	free_all(table);
}
END_TEST

struct shared {
	bxt_library *library;
	bxt_netlist *netlist[MODELS];
	bxt_system *system[MODELS];
	bxt_table *table[MODELS];
};

static const char *compile_shared(int thread, const void *context)
{
	const struct shared *s = context;
	const char *failed = NULL;
	for (int k = 0; k < MODELS && !failed; k++) {
		const int i = (thread + k) % MODELS;
		bxt_diagnostics *d = bxt_diagnostics_new();
		failed = differs(s->table[i], run_netlist(i, s->netlist[i], s->library, d));
		bxt_diagnostics_free(d);
	}
	return failed;
}

/* Its components are read by whichever thread needs them first. */
START_TEST(one_library)
{
	struct shared s = {.library = open_library(NULL)};
	run_all_alone(s.table);
	for (int i = 0; i < MODELS; i++)
		ck_assert_ptr_nonnull(s.netlist[i] = read_model(i, NULL));
	at_once(compile_shared, &s);
	for (int i = 0; i < MODELS; i++)
		bxt_netlist_free(s.netlist[i]);
	free_all(s.table);
	bxt_library_free(s.library);
}
END_TEST

/* Whoever asks first makes the lists of parts. */
static const char *look_at_parts(const bxt_system *system)
{
	for (int part = 0; part < BXT_PART_COUNT; part++) {
		bxt_part_info info = {.size = sizeof info};
		const size_t n = bxt_system_count(system, (bxt_part)part);
		if (n > 0 &&
		    (bxt_system_part(system, (bxt_part)part, n - 1, &info) != BXT_OK ||
		     bxt_system_find(system, (bxt_part)part, info.path, NULL) != (long)n - 1))
			return "a part is not found";
	}
	return bxt_system_element_ports(system, 0, NULL, NULL) <= 4 ? NULL : "many ports";
}

static const char *run_shared(int thread, const void *context)
{
	const struct shared *s = context;
	const char *failed = NULL;
	for (int k = 0; k < MODELS && !failed; k++) {
		const int i = (thread + k) % MODELS;
		bxt_diagnostics *d = bxt_diagnostics_new();
		failed = look_at_parts(s->system[i]);
		if (!failed)
			failed = differs(s->table[i], run_system(i, s->system[i], d));
		bxt_diagnostics_free(d);
	}
	return failed;
}

START_TEST(one_system)
{
	struct shared s = {.library = open_library(NULL)};
	run_all_alone(s.table);
	for (int i = 0; i < MODELS; i++) {
		ck_assert_ptr_nonnull(s.netlist[i] = read_model(i, NULL));
		ck_assert_int_eq(bxt_system_compile(s.netlist[i], s.library, NULL, &s.system[i]),
				 BXT_OK);
	}
	at_once(run_shared, &s);
	for (int i = 0; i < MODELS; i++) {
		bxt_system_free(s.system[i]);
		bxt_netlist_free(s.netlist[i]);
	}
	free_all(s.table);
	bxt_library_free(s.library);
}
END_TEST

/* ---- Simulations of one system ---- */

enum { STEPPED = 6, VARIANTS = 4 };

/* Inputs, parameters of elements and of netlists, relations between signals, samples, constraints,
 * included files, curves. */
static const struct {
	const char *file, *text;
} stepped[STEPPED] = {
	{.text = NETLIST(
		 "<parameter name='C0' unit='F' default='2 uF'/>"
		 "<parameter name='T0' unit='s' default='1 ms'/>"
		 "<input name='u' unit='V' default='1 V'/><simulation step='10 us' end='1 ms'/>"
		 "<voltage-source id='V' p='a' n='0' e='=u*cos(1000*t)'/><diode id='D' p='a' "
		 "n='b'/>"
		 "<resistor id='R1' p='b' n='0' R='1 kohm'/><capacitor id='C1' p='b' n='0' "
		 "C='=C0'/>"
		 "<resistor id='R2' p='b' n='0' R='=T0/C0'/>")},
	{.text = NETLIST(
		 "<input name='u' unit='m/s' default='1 m/s'/><simulation step='10 ms' end='1 s'/>"
		 "<mass id='M' a='a' m='0.5 kg'/><damper id='D' a='a' b='wall' c='1 N.s/m'/>"
		 "<force-actuator id='A' a='wall' b='a'/><sampled-pid id='C' Kp='2' Ki='1 s-1' "
		 "Ts='20 ms' umin='-5' umax='5'/><signal to='C.r'>u</signal>"
		 "<signal to='C.y'>node(a).v</signal><signal to='A.u'>C.u</signal>")},
	{.file = "pendulum-cartesian.xml"},
	{.file = "rlc-torn.xml"},
	{.file = "speed-control.xml"},
	{.file = "bjtamp.xml"},
};

static bxt_netlist *read_stepped(int i)
{
	char path[4096];
	bxt_netlist *netlist = NULL;
	if (stepped[i].text) {
		bxt_netlist_read_memory(stepped[i].text, strlen(stepped[i].text), "m", NULL,
					&netlist);
	} else {
		snprintf(path, sizeof path, "%s/%s", getenv("BXT_NETLISTS"), stepped[i].file);
		bxt_netlist_read(path, NULL, &netlist);
	}
	return netlist;
}

/* What a simulation said on its way. */
struct course {
	double *value;
	size_t n, room;
	const char *failed;
};

static void say(struct course *c, const double *x, size_t n)
{
	if (c->n + n > c->room) {
		c->room = 2 * (c->n + n);
		c->value = realloc(c->value, c->room * sizeof *c->value);
	}
	memcpy(c->value + c->n, x, n * sizeof *x);
	c->n += n;
}

static void expect(struct course *c, bxt_status status, const char *what)
{
	if (status != BXT_OK && !c->failed)
		c->failed = what;
}

/* Vectors, signals, a matrix, parameters, the account. */
static void look(struct course *c, const bxt_system *system, bxt_simulation *m)
{
	const size_t n = bxt_system_count(system, BXT_PART_COORDINATE),
		     rows = bxt_system_count(system, BXT_PART_ROW),
		     parameters = bxt_system_count(system, BXT_PART_PARAMETER),
		     signals = bxt_simulation_signals(m);
	double *x = calloc(3 * n + rows + parameters + signals + 1, sizeof *x);
	double *lambda = x + 3 * n, *p = lambda + rows, *s = p + parameters;
	bxt_csc matrix = {.size = sizeof matrix};
	bxt_summary summary;
	expect(c, bxt_simulation_get_vectors(m, x, x + n, x + 2 * n, lambda), "vectors");
	expect(c, bxt_simulation_get_parameters(m, p), "parameters");
	expect(c, bxt_simulation_read(m, s), "signals");
	say(c, x, 3 * n + rows + parameters + signals);
	free(x);
	expect(c, bxt_simulation_matrix(m, BXT_MATRIX_STEP, &matrix), "matrix");
	say(c, matrix.values, (size_t)matrix.colptr[matrix.n_columns]);
	const bxt_status status = bxt_simulation_summary(m, &summary, NULL);
	expect(c, status == BXT_ERR_TRUST ? BXT_OK : status, "summary");
	const double account[] = {summary.total.start, summary.total.end, summary.total.supplied,
				  summary.total.dissipated};
	say(c, account, 4);
	bxt_summary_free(&summary);
}

/* Sets the k-th parameter of those that may be set, or the next one that takes the value. */
static void tune(struct course *c, const bxt_system *system, bxt_simulation *m, size_t k, double by)
{
	const size_t n = bxt_system_count(system, BXT_PART_PARAMETER);
	bxt_status status = BXT_ERR_MODEL;
	for (size_t i = 0; i < n && status != BXT_OK; i++) {
		bxt_part_info info = {.size = sizeof info};
		const size_t index = (k + i) % n;
		bxt_system_part(system, BXT_PART_PARAMETER, index, &info);
		const double value = info.value * by;
		if (info.tunable && info.value != 0)
			status = bxt_simulation_set_parameters(m, 1, &index, &value, NULL);
	}
	expect(c, status, "no parameter can be set");
}

/* Through bytes and back. */
static void through_bytes(struct course *c, const bxt_system *system, bxt_simulation *m)
{
	bxt_state *state = NULL, *again = NULL;
	void *bytes = NULL;
	size_t length;
	expect(c, bxt_simulation_get_state(m, &state), "state");
	expect(c, bxt_state_to_memory(state, &bytes, &length), "bytes");
	expect(c, bxt_state_from_memory(system, bytes, length, "m", NULL, &again), "from bytes");
	expect(c, bxt_simulation_step(m, 3, NULL, NULL), "steps that are taken back");
	expect(c, bxt_simulation_set_state(m, again, NULL), "going back");
	bxt_state_free(state);
	bxt_state_free(again);
	bxt_release(bytes);
}

/* What a simulation of the system does with its own inputs and parameters. */
static struct course follow(const bxt_system *system, int variant)
{
	struct course c = {0};
	bxt_simulation *m = NULL, *copy = NULL;
	const size_t inputs = bxt_system_count(system, BXT_PART_INPUT);
	double u[8];
	for (size_t k = 0; k < 8; k++)
		u[k] = 0.3 + 0.1 * variant;
	expect(&c, bxt_simulation_new(system, NULL, NULL, &m), "it does not start");
	if (m && inputs > 0 && inputs <= 8)
		expect(&c, bxt_simulation_set_inputs(m, inputs, NULL, u, NULL), "inputs");
	expect(&c, bxt_simulation_step(m, 5, NULL, NULL), "steps");
	for (int round = 0; round < 2 && m && !c.failed; round++) {
		tune(&c, system, m, (size_t)(variant + round), 1.01 + 0.01 * variant);
		expect(&c, bxt_simulation_step(m, 3, NULL, NULL), "steps");
		look(&c, system, m);
		through_bytes(&c, system, m);
		expect(&c, bxt_simulation_copy(m, NULL, &copy), "copy");
		expect(&c, bxt_simulation_step(copy, 3, NULL, NULL), "steps of the copy");
		if (!c.failed)
			look(&c, system, copy);
		copy = bxt_simulation_free(copy);
	}
	bxt_simulation_free(m);
	return c;
}

struct simulating {
	bxt_library *library;
	bxt_netlist *netlist[STEPPED];
	bxt_system *system[STEPPED];
	struct course expected[STEPPED][VARIANTS];
};

static const char *simulate_shared(int thread, const void *context)
{
	const struct simulating *s = context;
	const int variant = thread % VARIANTS;
	const char *failed = NULL;
	for (int k = 0; k < STEPPED && !failed; k++) {
		/* all of them at once, then each another one */
		const int i = thread < THREADS / 2 ? k : (thread + k) % STEPPED;
		const struct course *expected = &s->expected[i][variant];
		failed = look_at_parts(s->system[i]);
		struct course c = follow(s->system[i], variant);
		if (!failed)
			failed = c.failed;
		if (!failed && (c.n != expected->n ||
				memcmp(c.value, expected->value, c.n * sizeof *c.value) != 0))
			failed = "a value differs";
		free(c.value);
	}
	return failed;
}

START_TEST(simulations)
{
	struct simulating s = {.library = open_library(NULL)};
	for (int i = 0; i < STEPPED; i++) {
		bxt_library *own = open_library(NULL);
		bxt_netlist *netlist = read_stepped(i);
		bxt_system *alone = NULL;
		ck_assert_msg(bxt_system_compile(netlist, own, NULL, &alone) == BXT_OK, "model %d",
			      i);
		for (int v = 0; v < VARIANTS; v++) {
			s.expected[i][v] = follow(alone, v);
			ck_assert_msg(!s.expected[i][v].failed, "model %d: %s", i,
				      s.expected[i][v].failed);
		}
		ck_assert_mem_ne(s.expected[i][0].value, s.expected[i][1].value,
				 s.expected[i][0].n * sizeof(double));
		bxt_system_free(alone);
		bxt_netlist_free(netlist);
		bxt_library_free(own);
		s.netlist[i] = read_stepped(i);
		ck_assert_int_eq(bxt_system_compile(s.netlist[i], s.library, NULL, &s.system[i]),
				 BXT_OK);
	}
	at_once(simulate_shared, &s);
	for (int i = 0; i < STEPPED; i++) {
		for (int v = 0; v < VARIANTS; v++)
			free(s.expected[i][v].value);
		bxt_system_free(s.system[i]);
		bxt_netlist_free(s.netlist[i]);
	}
	bxt_library_free(s.library);
}
END_TEST

/* ---- Texts: cuts by METIS, descriptions, findings ---- */

/* The netlist cut into parts, as text; heap memory. */
static char *cut(const bxt_netlist *netlist, bxt_library *library)
{
	bxt_tear_def def;
	bxt_netlist *torn = NULL;
	char *text = NULL;
	size_t length;
	bxt_default_tear_def(&def);
	def.parts = 3;
	FILE *stream = open_memstream(&text, &length);
	if (bxt_netlist_tear(netlist, library, &def, NULL, &torn) == BXT_OK)
		bxt_netlist_write(torn, stream);
	bxt_component_write_description(library, "diode", stream, NULL);
	fclose(stream);
	bxt_netlist_free(torn);
	return text;
}

struct cutting {
	bxt_library *library;
	bxt_netlist *netlist;
	char *text;
};

static const char *cut_shared(int thread, const void *context)
{
	const struct cutting *c = context;
	const char *failed = NULL;
	for (int k = 0; k < 4 && !failed; k++) {
		bxt_library *own = thread % 2 ? open_library(NULL) : NULL;
		char *text = cut(c->netlist, own ? own : c->library);
		failed = strcmp(text, c->text) == 0 ? NULL : "the text differs";
		free(text);
		bxt_library_free(own);
	}
	return failed;
}

START_TEST(cuts)
{
	enum { UA741 = 6 };
	struct cutting c = {.library = open_library(NULL), .netlist = read_model(UA741, NULL)};
	bxt_library *first = open_library(NULL);
	c.text = cut(c.netlist, first);
	ck_assert_ptr_nonnull(strstr(c.text, "part3"));
	at_once(cut_shared, &c);
	free(c.text);
	bxt_library_free(first);
	bxt_netlist_free(c.netlist);
	bxt_library_free(c.library);
}
END_TEST

/* Findings of a netlist with errors, with nearest names from the library, are the same. */
static char *findings(bxt_library *library)
{
	static const char wrong[] = NETLIST("<resistr id='R' p='a' n='0' R='1'/>"
					    "<capacitor id='C' p='a' n='0' C='2 kg.K' q='1'/>"
					    "<inductor id='L' p='a' n='0' L='4k7'/>");
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *netlist = NULL;
	bxt_system *system = NULL;
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);
	if (bxt_netlist_read_memory(wrong, strlen(wrong), "m", d, &netlist) == BXT_OK)
		bxt_system_compile(netlist, library, d, &system);
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++)
		fprintf(stream, "%s\n", bxt_diagnostics_get(d, i)->text);
	fclose(stream);
	bxt_netlist_free(netlist);
	bxt_diagnostics_free(d);
	return text;
}

static const char *find_shared(int thread, const void *context)
{
	bxt_library *own = thread % 2 ? open_library(NULL) : NULL;
	bxt_library *library = own ? own : *(bxt_library *const *)context;
	char *alone = findings(library), *again = findings(library);
	const bool good =
		strstr(alone, "resistor") && strstr(alone, "kg.K") && strcmp(alone, again) == 0;
	free(alone);
	free(again);
	bxt_library_free(own);
	return good ? NULL : "the findings differ";
}

START_TEST(wrong_netlists)
{
	bxt_library *library = open_library(NULL);
	at_once(find_shared, &library);
	bxt_library_free(library);
}
END_TEST

TEST_SUITE("threads")
{
	const test_case tests[] = {
		{"with a library each", libraries, .slow = true},
		{"with one library", one_library, .slow = true},
		{"with one system", one_system, .slow = true},
		{"simulations", simulations, .slow = true},
		{"cuts", cuts, .slow = true},
		{"findings", wrong_netlists},
	};
	ADD_TESTS(tests);
}
