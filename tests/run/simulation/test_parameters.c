/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters that are set while a simulation runs: the bits of a model that is compiled with them.
 */
#include "support/harness.h"

#include "model/system/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEFORE = 7, STEPS = 20, PARTS = 6 };

/* Of models that switch, what Newton leaves open of multipliers: guesses come another way. */
static double open_digits;

static bool same(double a, double b)
{
	if (open_digits > 0 && fabs(a - b) <= open_digits * (1 + fabs(a)))
		return true;
	return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static bxt_simulation *begin(model *m, const bxt_run_def *def)
{
	bxt_simulation *s = NULL;
	return bxt_simulation_new(m->system, def, m->findings, &s) == BXT_OK ? s : NULL;
}

/* Steps both, and compares what they read; set: what the change supplied is a's alone. */
static void compare(const char *what, bxt_simulation *a, bxt_simulation *b, bool set)
{
	const size_t n = bxt_simulation_signals(a);
	double *x = malloc((n + 1) * sizeof *x), *y = malloc((n + 1) * sizeof *y);
	ck_assert_uint_eq(n, bxt_simulation_signals(b));
	for (int k = 0; k < STEPS; k++) {
		ck_assert_int_eq(bxt_simulation_read(a, x), bxt_simulation_read(b, y));
		for (size_t j = 0; j < n; j++)
			ck_assert_msg(same(x[j], y[j]) ||
					      (set && strncmp(bxt_simulation_signal(a, j)->name,
							      "supplied", 8) == 0),
				      "%s, step %d: %s is %.17g, and %.17g compiled", what, k,
				      bxt_simulation_signal(a, j)->name, x[j], y[j]);
		const bxt_status one = bxt_simulation_step(a, 1, NULL, NULL),
				 two = bxt_simulation_step(b, 1, NULL, NULL);
		ck_assert_msg(one == two, "%s: %s, and %s compiled", what, bxt_status_name(one),
			      bxt_status_name(two));
		if (one != BXT_OK)
			break;
	}
	free(x);
	free(y);
}

/* The netlist with another value of a parameter; false: it is in an included file, or not allowed.
 */
static bool compile_with(const char *file, const bxt_part_info *p, double value, model *out)
{
	char *path = strdup(p->path), *dot = strrchr(path, '.'), text[100];
	*out = model_of_file(file);
	snprintf(text, sizeof text, "%.17g %s", value, strcmp(p->unit, "1") == 0 ? "" : p->unit);
	bool done = dot && p->parent >= 0;
	if (done) {
		*dot = '\0';
		bxt_system_free(out->system);
		out->system = NULL;
		done = bxt_netlist_set(out->netlist, path, dot + 1, text, out->findings) ==
			       BXT_OK &&
		       bxt_system_compile(out->netlist, out->library, out->findings,
					  &out->system) == BXT_OK;
	}
	free(path);
	if (!done)
		model_free(out);
	return done;
}

/* From the start, and from a state on the way. */
static int check_parameter(const char *file, model *m, const bxt_run_def *def, size_t k)
{
	bxt_part_info p = {.size = sizeof p};
	model other;
	ck_assert_int_eq(bxt_system_part(m->system, BXT_PART_PARAMETER, k, &p), BXT_OK);
	const double value = p.value == 0 ? 0.125 : p.value * 1.0625;
	if (!p.tunable || value < p.least || value > p.most ||
	    !compile_with(file, &p, value, &other))
		return 0;
	char what[400];
	open_digits = m->system->net->n_switches > 0 ? 1e-9 : 0;
	snprintf(what, sizeof what, "%s, %s = %g", file, p.path, value);
	bxt_simulation *a = begin(m, def), *b = begin(&other, def), *c = NULL;
	bxt_state *here = NULL, *there = NULL;
	void *bytes = NULL;
	size_t size;
	int compared = 0;
	ck_assert_msg(a, "%s: no start", what);
	if (b && bxt_simulation_step(a, BEFORE, NULL, NULL) == BXT_OK &&
	    bxt_simulation_get_state(a, &here) == BXT_OK) {
		const bxt_status status =
			bxt_simulation_set_parameters(a, 1, &k, &value, m->findings);
		ck_assert_msg(status == BXT_OK || status == BXT_ERR_MODEL, "%s: %s", what,
			      bxt_status_name(status));
		ck_assert_int_eq(bxt_state_to_memory(here, &bytes, &size), BXT_OK);
		if (status == BXT_OK &&
		    bxt_state_from_memory(other.system, bytes, size, "state", NULL, &there) ==
			    BXT_OK &&
		    bxt_simulation_set_state(b, there, NULL) == BXT_OK) {
			compare(what, a, b, true);
			if (bxt_simulation_reset(a, NULL) == BXT_OK && (c = begin(&other, def)))
				compare(what, a, c, false);
			compared = 1;
		}
	}
	free(bytes);
	bxt_state_free(here);
	bxt_state_free(there);
	bxt_simulation_free(a);
	bxt_simulation_free(b);
	bxt_simulation_free(c);
	model_free(&other);
	return compared;
}

START_TEST(bits_of_a_compiled_model)
{
	netlist_names names = all_netlists();
	int compared = 0, netlists = 0;
	for (size_t i = 0; i < names.n; i++) {
		model m = model_of_file(names.name[i]);
		bxt_run_def def;
		bxt_default_run_def(&def);
		def = first_steps(&m, def, 100);
		const size_t n = bxt_system_count(m.system, BXT_PART_PARAMETER),
			     stride = n > PARTS ? n / PARTS : 1;
		int of_this = 0;
		for (size_t k = i % stride; k < n; k += stride)
			of_this += check_parameter(names.name[i], &m, &def, k);
		compared += of_this;
		netlists += of_this > 0;
		model_free(&m);
	}
	fprintf(stderr, "%d parameters of %d netlists, of %zu\n", compared, netlists, names.n);
	ck_assert_int_ge(netlists, (int)names.n * 3 / 4);
	all_netlists_free(&names);
}
END_TEST

static const char LC[] =
	NETLIST("<parameter name='C0' unit='F' default='2 uF'/><parameter name='U0' unit='V' "
		"default='3 V'/><parameter name='T0' unit='s' default='1 ms'/>"
		"<capacitor id='C1' p='a' n='0' C='=C0' q='=C0*U0'/>"
		"<inductor id='L1' p='a' n='0' L='1 mH'/>"
		"<resistor id='R1' p='a' n='0' R='=T0/C0'/>");

static long index_of(const model *m, const char *path)
{
	const long k = bxt_system_find(m->system, BXT_PART_PARAMETER, path, m->findings);
	ck_assert_msg(k >= 0, "%s", path);
	return k;
}

static bxt_simulation *begin_lc(model *m)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.step = 1e-6;
	def.record = "C1.q, energy";
	bxt_simulation *s = begin(m, &def);
	ck_assert_ptr_nonnull(s);
	return s;
}

static void read_both(bxt_simulation *s, double *q, double *energy)
{
	double values[2];
	ck_assert_int_eq(bxt_simulation_read(s, values), BXT_OK);
	*q = values[0];
	*energy = values[1];
}

/* The netlist's own parameter sets C, the start and R; the energy that it adds is supplied by C1.
 */
START_TEST(own_parameter)
{
	model m = model_of_text(LC);
	bxt_simulation *s = begin_lc(&m);
	const size_t k = (size_t)index_of(&m, "C0");
	const double half = 1e-6, twice = 4e-6;
	double q, e, after;
	bxt_summary summary;
	read_both(s, &q, &e);
	ck_assert(fabs(q - 6e-6) < 1e-20 && fabs(e - 9e-6) < 1e-19); /* q^2/(2 C) */
	ck_assert_int_eq(bxt_simulation_set_parameters(s, 1, &k, &half, m.findings), BXT_OK);
	read_both(s, &q, &after);
	ck_assert(fabs(q - 6e-6) < 1e-20 && fabs(after - 18e-6) < 1e-19);
	ck_assert_int_eq(bxt_simulation_step(s, 500, NULL, m.findings), BXT_OK);
	ck_assert_int_eq(bxt_simulation_summary(s, &summary, m.findings), BXT_OK);
	ck_assert_msg(fabs(summary.total.supplied - 9e-6) < 1e-18, "%g", summary.total.supplied);
	ck_assert_msg(fabs(summary.total.residual) < 1e-19, "%g", summary.total.residual);
	bxt_summary_free(&summary);
	ck_assert_int_eq(bxt_simulation_set_parameters(s, 1, &k, &twice, m.findings), BXT_OK);
	ck_assert_int_eq(bxt_simulation_reset(s, m.findings), BXT_OK);
	read_both(s, &q, &e);
	ck_assert(fabs(q - 12e-6) < 1e-20 && fabs(e - 18e-6) < 1e-19);
	bxt_simulation_free(s);
	model_free(&m);
}
END_TEST

/* Out of range, another structure, no number, no parameter, an edited netlist: nothing changes. */
START_TEST(refused)
{
	model m = model_of_text(LC);
	bxt_simulation *s = begin_lc(&m);
	const size_t c = (size_t)index_of(&m, "C1.C"), l = (size_t)index_of(&m, "L1.L"),
		     r = (size_t)index_of(&m, "R1.R"), none = 1000, both[] = {r, c};
	const double bad[] = {5, -1}, zero = 0, nan = NAN;
	double values[6], later[6];
	ck_assert_uint_eq(bxt_system_count(m.system, BXT_PART_PARAMETER), 6);
	ck_assert_int_eq(bxt_simulation_get_parameters(s, values), BXT_OK);
	ck_assert_int_eq(bxt_simulation_set_parameters(s, 2, both, bad, m.findings), BXT_ERR_MODEL);
	ck_assert_int_eq(bxt_simulation_set_parameters(s, 1, &l, &zero, m.findings), BXT_ERR_MODEL);
	ck_assert_int_eq(bxt_simulation_set_parameters(s, 1, &r, &nan, m.findings), BXT_ERR_MODEL);
	ck_assert_int_eq(bxt_simulation_set_parameters(s, 1, &none, &zero, m.findings),
			 BXT_ERR_ARGUMENT);
	ck_assert_int_eq(bxt_simulation_get_parameters(s, later), BXT_OK);
	ck_assert_int_eq(memcmp(values, later, sizeof values), 0);
	ck_assert_int_eq(bxt_simulation_step(s, 3, NULL, m.findings), BXT_OK);
	ck_assert_int_eq(bxt_netlist_set(m.netlist, "R1", "R", "2 ohm", m.findings), BXT_OK);
	ck_assert_int_eq(bxt_simulation_set_parameters(s, 1, &r, bad, m.findings),
			 BXT_ERR_ARGUMENT);
	bxt_simulation_free(s);
	model_free(&m);
}
END_TEST

TEST_SUITE("parameters that are set")
{
	const test_case tests[] = {
		{"own parameter", own_parameter},
		{"refused", refused},
		{"all netlists", bits_of_a_compiled_model, .slow = true},
	};
	ADD_TESTS(tests);
}
