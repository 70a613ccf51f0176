/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The step's Jacobian against finite differences, and no allocation inside the time loop. */
#include "motion/step/stepper.h"
#include "support/allocation.h"
#include "support/harness.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(x) (sizeof x / sizeof *x)

static const char *const shipped[] = {
	"bridge-rectifier.xml", "c-loop.xml",       "l-cutset.xml",      "lc-leok-ohsawa.xml",
	"rcl-ladder.xml",       "rlc-parallel.xml", "rlc-resonator.xml", "rlc-series.xml",
	"rlc-torn.xml",         "vc-loop.xml",
};

/* ---- Jacobian ---- */

static uint64_t seed = 7;

static double random_between(double low, double high)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return low + (high - low) * (double)(seed >> 33) / 2147483648.0;
}

static bool is_spare(const bxt_stepper *st, int i)
{
	const int size = st->system->size;
	return i < st->stages.s * size && i % size == st->system->spare;
}

/* Every entry of dr/dx, those outside of the pattern as well, at a random point. */
static void check_jacobian(model *m, const bxt_run_def *def, const char *what)
{
	bxt_settings settings;
	bxt_state *state = NULL;
	bxt_stepper *st = NULL;
	const bxt_status started = bxt_initialize(m->system, def, m->findings, &state);
	if (started == BXT_ERR_MODEL && has_finding(m, BXT_ERROR, "scheme 'dirac+'"))
		return; /* singular, or unstable with this step: by name */
	ck_assert_msg(started == BXT_OK, "%s", what);
	ck_assert_int_eq(bxt_settings_resolve(m->system, def, m->findings, &settings), BXT_OK);
	for (int i = 0; i < m->system->n; i++) {
		state->q[i] += random_between(-0.3, 0.3);
		state->p[i] += random_between(-0.3, 0.3);
	}
	ck_assert_int_eq(bxt_stepper_new(m->system, &settings, state, &st), BXT_OK);
	/* lets the stepper point to the state; the matrix itself is of no interest */
	bxt_stepper_factor(st, state, settings.step);
	const int n = st->n_x;
	const bxt_equations *eq = &st->equations;
	double *x = calloc((size_t)n + BXT_LANES, sizeof *x),
	       *dense = calloc((size_t)n * (size_t)n, sizeof *x);
	double *low = calloc((size_t)n, sizeof *x), *high = calloc((size_t)n, sizeof *x);
	double *r_abs = calloc((size_t)n, sizeof *x);
	double *values = calloc((size_t)bxt_sparse_nnz(&st->pattern) + 1, sizeof *x);
	ck_assert(x && dense && low && high && r_abs && values);
	for (int i = 0; i < n; i++) /* diodes: exp(0.3 / 0.026) is 1e5 at most */
		x[i] = is_spare(st, i) ? 0 : random_between(-0.3, 0.3);
	eq->jacobian(eq->context, x, values);
	for (int j = 0; j < n; j++)
		for (int k = st->pattern.colptr[j]; k < st->pattern.colptr[j + 1]; k++)
			dense[(size_t)j * (size_t)n + (size_t)st->pattern.rowind[k]] += values[k];
	for (int j = 0; j < n; j++) {
		/* truncation: (delta / Vt)^2 / 6 = 2e-10 of the entry; noise: eps r_abs / delta */
		const double delta = 1e-6, at = x[j];
		if (is_spare(st, j))
			continue;
		x[j] = at + delta;
		eq->residual(eq->context, x, high, r_abs);
		x[j] = at - delta;
		eq->residual(eq->context, x, low, r_abs);
		x[j] = at;
		for (int i = 0; i < n; i++) {
			const double entry = dense[(size_t)j * (size_t)n + (size_t)i];
			const double slope = (high[i] - low[i]) / (2 * delta);
			const double noise = 8 * DBL_EPSILON * r_abs[i] / delta;
			ck_assert_msg(fabs(entry - slope) <= 1e-8 * fabs(entry) + noise + 1e-300,
				      "%s: entry %d, %d is %.12g, by differences %.12g (noise %g)",
				      what, i, j, entry, slope, noise);
		}
	}
	free(x);
	free(dense);
	free(low);
	free(high);
	free(r_abs);
	free(values);
	bxt_stepper_free(st);
	bxt_state_free(state);
}

static const bxt_run_def variants[] = {
	/* the slopes of the projection's scale tau are left out where rows or inertia vary */
	{.size = sizeof(bxt_run_def),
	 .step = 0.0625,
	 .end = 1,
	 .scheme = "gauss1",
	 .projection = "off"},
	{.size = sizeof(bxt_run_def),
	 .step = 0.0625,
	 .end = 1,
	 .scheme = "gauss2",
	 .projection = "off"},
	{.size = sizeof(bxt_run_def),
	 .step = 0.0625,
	 .end = 1,
	 .scheme = "gauss3",
	 .projection = "off"},
	{.size = sizeof(bxt_run_def), .step = 0.0625, .end = 1, .scheme = "radau2"},
	{.size = sizeof(bxt_run_def), .step = 0.0625, .end = 1, .scheme = "radau3"},
	{.size = sizeof(bxt_run_def), .step = 0.0625, .end = 1, .scheme = "discrete-gradient"},
	{.size = sizeof(bxt_run_def),
	 .step = 0.0625,
	 .end = 1,
	 .scheme = "discrete-gradient",
	 .gradient = "increments"},
	{.size = sizeof(bxt_run_def),
	 .step = 0.0625,
	 .end = 1,
	 .scheme = "discrete-gradient",
	 .gradient = "increments-symmetric"},
	{.size = sizeof(bxt_run_def),
	 .step = 0.0625,
	 .end = 1,
	 .scheme = "gauss1",
	 .projection = "on"},
	{.size = sizeof(bxt_run_def),
	 .step = 0.0625,
	 .end = 1,
	 .scheme = "gauss2",
	 .projection = "on"},
	{.size = sizeof(bxt_run_def),
	 .step = 0.0625,
	 .end = 1,
	 .scheme = "dirac+",
	 .rule = "midpoint"},
	{.size = sizeof(bxt_run_def),
	 .step = 0.0625,
	 .end = 1,
	 .scheme = "dirac+",
	 .rule = "midpoint",
	 .constraint = "base"},
	{.size = sizeof(bxt_run_def),
	 .step = 0.0625,
	 .end = 1,
	 .scheme = "dirac+",
	 .rule = "rectangle"},
	{.size = sizeof(bxt_run_def),
	 .step = 0.0625,
	 .end = 1,
	 .scheme = "dirac+",
	 .rule = "rectangle",
	 .constraint = "base"},
};

START_TEST(test_jacobian_shipped)
{
	for (size_t k = 0; k < LENGTH(shipped); k++) {
		model m = model_of_file(shipped[k]);
		const bool diodes = strcmp(shipped[k], "bridge-rectifier.xml") == 0;
		for (size_t v = 0; v < LENGTH(variants); v++)
			if (!diodes || !variants[v].rule ||
			    strcmp(variants[v].rule, "midpoint") == 0)
				check_jacobian(&m, &variants[v], shipped[k]);
		model_free(&m);
	}
}
END_TEST

/* Nonlinear in everything: inertia, stiffness, losses, a force, rows that depend on q and t. */
#define COMPONENT                                                                                  \
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"knot\" domain=\"electrical\">"       \
	"<doc>Nothing real.</doc>"                                                                 \
	"<coordinate name=\"q1\" unit=\"C\" flow=\"i1\"/>"                                         \
	"<coordinate name=\"q2\" unit=\"C\" flow=\"i2\"/>"                                         \
	"<coordinate name=\"q3\" unit=\"C\" flow=\"i3\"/>"                                         \
	"<port name=\"p\" kind=\"electrical\" flow=\"i1 + i2*cos(q3)\"/>"                          \
	"<port name=\"n\" kind=\"electrical\" flow=\"-i1 - i2*cos(q3)\"/>"                         \
	"<lagrangian>(2 + sin(q1))*i1^2/2 + i2^2*exp(q2)/2 + i1*i2*q3/4 + i3^2/2 "                 \
	"- q1^2*q2^2 - cos(q3)</lagrangian>"                                                       \
	"<rayleigh>(1 + q2^2)*i1^2/2 + i3^4/12</rayleigh>"                                         \
	"<force on=\"q2\">sin(t)*q1 - 0.1*i3*i1</force>"                                           \
	"<constraint name=\"c\" kind=\"flow\">i3*(1 + q1^2) - i2*cos(q2) - "                       \
	"0.1*sin(t)</constraint>"                                                                  \
	"</component>"

static const char knotted[] = NETLIST(
	COMPONENT "<knot id=\"K\" p=\"a\" n=\"0\"/><knot id=\"M\" p=\"a\" n=\"b\"/>"
		  "<capacitor id=\"C\" p=\"b\" n=\"0\" C=\"2 F\"/>"
		  "<resistor id=\"R\" p=\"a\" n=\"0\" R=\"3 ohm\"/>"
		  "<nonlinear-capacitor id=\"N\" p=\"b\" n=\"a\" energy=\"=q^2/2 + q^4/4\"/>");

START_TEST(test_jacobian_nonlinear)
{
	model m = model_of_text(knotted);
	ck_assert(!m.system->affine);
	for (size_t v = 0; v < LENGTH(variants); v++)
		if (!variants[v].projection || strcmp(variants[v].projection, "on") != 0)
			check_jacobian(&m, &variants[v], "knots");
	model_free(&m);
}
END_TEST

/* A massless element whose momentum is a nonlinear function of q, and a diode: both by midpoint. */
START_TEST(test_jacobian_massless)
{
	model m = model_of_text(NETLIST(
		"<component xmlns=\"urn:boxtimes:component:1\" name=\"twist\" "
		"domain=\"electrical\">"
		"<doc>Nothing real.</doc><coordinate name=\"q\" unit=\"C\" flow=\"i\"/>"
		"<coordinate name=\"s\" unit=\"V.s\" flow=\"v\"/>"
		"<port name=\"p\" kind=\"electrical\" flow=\"i\"/>"
		"<port name=\"n\" kind=\"electrical\" flow=\"-i\"/>"
		"<lagrangian>(s + s^3/3)*i - q^2/2</lagrangian><rayleigh>v^2/2 + v^4/4</rayleigh>"
		"</component><twist id=\"A\" p=\"a\" n=\"0\"/><diode id=\"D\" p=\"a\" n=\"b\"/>"
		"<inductor id=\"L\" p=\"b\" n=\"0\" L=\"1 H\"/>"
		"<gyrator id=\"G\" p1=\"a\" n1=\"0\" p2=\"c\" n2=\"0\" r=\"2 ohm\"/>"
		"<capacitor id=\"C\" p=\"c\" n=\"0\" C=\"1 F\"/>"));
	for (size_t v = 0; v < LENGTH(variants); v++)
		if (!variants[v].rule || strcmp(variants[v].rule, "midpoint") == 0)
			check_jacobian(&m, &variants[v], "twist");
	model_free(&m);
}
END_TEST

/* ---- Allocation ---- */

struct counted {
	long rows, at_third, last;
};

static bxt_status count_row(void *context, double t, size_t n, const double *values)
{
	struct counted *c = context;
	(void)t, (void)n, (void)values;
	c->last = allocation_count();
	if (++c->rows == 3) /* gauss1 gives rows one step late; the first step factors */
		c->at_third = c->last;
	return BXT_OK;
}

static void check_no_allocation(model m, bxt_run_def def, const char *what)
{
	struct counted c = {0};
	const bxt_sink sink = {.size = sizeof(bxt_sink), .row = count_row, .context = &c};
	bxt_state *state = NULL;
	bxt_summary summary;
	char *record = all_elements(&m);
	bxt_buffer list = {0};
	bxt_buffer_printf(&list, "%s, energy, dissipated, supplied, drift(node)", record);
	def.record = list.text;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	const long before = allocation_count();
	ck_assert_int_eq(bxt_run(m.system, state, &def, &sink, &summary, m.findings), BXT_OK);
	ck_assert_int_gt(c.rows, 100);
	ck_assert_int_gt(c.at_third, before); /* the count counts */
	ck_assert_str_eq(summary.solver, m.system->constraints.constant ? "compiled" : "klu");
	/* grid values choose pivots anew where diodes switch: a new list of operations allocates */
	ck_assert_msg(c.last - c.at_third <= 32,
		      "%s: %ld allocations in %ld rows, %ld full factorisations", what,
		      c.last - c.at_third, c.rows,
		      summary.factorizations - summary.refactorizations);
	bxt_summary_free(&summary);
	bxt_state_free(state);
	bxt_buffer_free(&list);
	free(record);
	model_free(&m);
}

START_TEST(test_no_allocation)
{
	allocation_hook();
	for (size_t k = 0; k < LENGTH(shipped); k++) {
		check_no_allocation(model_of_file(shipped[k]),
				    (bxt_run_def){.size = sizeof(bxt_run_def)}, shipped[k]);
		check_no_allocation(model_of_file(shipped[k]),
				    (bxt_run_def){.size = sizeof(bxt_run_def),
						  .scheme = "dirac+",
						  .rule = "midpoint"},
				    shipped[k]);
	}
	check_no_allocation(model_of_text(knotted),
			    (bxt_run_def){.size = sizeof(bxt_run_def), .step = 0.01, .end = 2},
			    "knots");
	check_no_allocation(
		model_of_text(knotted),
		(bxt_run_def){
			.size = sizeof(bxt_run_def), .step = 0.01, .end = 2, .scheme = "gauss2"},
		"knots");
}
END_TEST

TEST_SUITE("system")
{
	const test_case tests[] = {
		{"Jacobian of shipped netlists", test_jacobian_shipped},
		{"Jacobian, nonlinear", test_jacobian_nonlinear},
		{"Jacobian, massless", test_jacobian_massless},
		{"no allocation", test_no_allocation},
	};
	ADD_TESTS(tests);
}
