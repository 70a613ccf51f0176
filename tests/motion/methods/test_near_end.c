/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stages taken apart with the end block of the symmetric projection: solutions against the whole
 * matrix, steps and long runs against those with the Jacobian. */
#include "motion/methods/blocks.h"
#include "motion/step/stepper.h"
#include "support/backward_error.h"
#include "support/harness.h"
#include "support/random_network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const schemes[] = {"gauss2", "gauss3"};

/* With an end block; and without, where rows may be left out and positions are imposed. */
static const struct variant {
	const char *scheme, *projection;
} variants[] = {
	{"gauss2", "on"}, {"gauss3", "on"}, {"gauss2", "off"}, {"radau2", "off"}, {"radau3", "off"},
};

typedef struct run {
	bxt_settings settings;
	bxt_state *state;
	bxt_stepper *stepper;
} run;

/* False: that model cannot be stepped so. */
static bool run_of(model *m, const bxt_run_def *given, run *r)
{
	bxt_run_def def = *given;
	def.projection = given->projection ? given->projection : "on";
	def.solver = "klu";
	*r = (run){.state = NULL};
	return bxt_initialize(m->system, &def, m->findings, &r->state) == BXT_OK &&
	       bxt_settings_resolve(m->system, &def, m->findings, &r->settings) == BXT_OK &&
	       bxt_stepper_new(m->system, &r->settings, r->state, &r->stepper) == BXT_OK;
}

static void free_run(run *r)
{
	bxt_stepper_free(r->stepper);
	bxt_state_free(r->state);
}

/* The near matrix of a step, whatever its size; false: it has none. */
static bool take_apart(bxt_stepper *st)
{
	if (!st->method->has_stages || st->factors.local)
		return false;
	if (st->near)
		return true;
	ck_assert_int_eq(bxt_stage_transform_new(st->arena, st->system, &st->stages,
						 &bxt_linsol_klu, &st->factors.transform),
			 BXT_OK);
	ck_assert_ptr_nonnull(st->factors.transform);
	ck_assert_int_eq(bxt_near_stages_make(st), BXT_OK);
	return true;
}

static bool has_end(const bxt_stepper *st)
{
	return st->n_x > st->stages.s * st->system->size;
}

static void use_near(bxt_stepper *st, bool use)
{
	st->near->preferred = use;
	st->near->left = 2;
	st->near->pause = false;
}

/* ---- Solutions ---- */

/* Does an equation of the end block say that massless flows meet no impulse? These hold after the
 * first update: the solution for other right-hand sides is only near. */
static bool holds(const bxt_stepper *st, int i)
{
	const bxt_projection *p = ((const bxt_blocks *)st->own)->projection;
	const int at = i - st->stages.s * st->system->size;
	return at >= p->n_row && (at < p->first_flow || st->system->pinned[p->place[at]]);
}

/* Slopes that are the same everywhere: then the near matrix is the Jacobian. */
static int check_solution(model *m, const char *scheme, uint64_t *seed)
{
	const bxt_run_def def = {.size = sizeof def, .scheme = scheme, .step = 1e-3, .end = 1};
	run r;
	int checked = 0;
	if (run_of(m, &def, &r) && bxt_stepper_factor(r.stepper, r.state, def.step) == BXT_OK &&
	    has_end(r.stepper) && take_apart(r.stepper)) {
		bxt_stepper *st = r.stepper;
		bxt_sparse whole = st->pattern;
		double *b = calloc(3 * (size_t)st->n_x, sizeof *b), *x = b + st->n_x,
		       *y = x + st->n_x;
		whole.values = st->newton.values;
		for (int i = 0; i < st->n_x; i++)
			b[i] = x[i] = y[i] =
				holds(st, i) ? 0 : (double)random_below(seed, 2000001) / 1e6 - 1;
		const bxt_near_matrix *near = &st->near->matrix;
		ck_assert_int_eq(near->set(st, &st->newton, st->x), BXT_OK);
		ck_assert_int_eq(near->solve(st, x), BXT_OK);
		ck_assert_int_eq(bxt_linsol_solve(st->solver, y), BXT_OK);
		const double error = backward_error(&whole, x, b),
			     usual = backward_error(&whole, y, b);
		ck_assert_msg(error <= 1e-12 + 30 * usual && usual < 1e-9, "%g, as a whole %g",
			      error, usual);
		free(b);
		checked = 1;
	}
	free_run(&r);
	return checked;
}

/* A row of masses: neighbours share a rod each, and a spring. */
START_TEST(masses_on_rods)
{
	enum { N = 30 };
	uint64_t seed = 7;
	bxt_buffer xml = {0};
	bxt_buffer_printf(&xml, "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"row\">");
	for (int j = 0; j < N; j++)
		bxt_buffer_printf(&xml,
				  "<inductor id='L%d' p='n%d' n='0' L='%d H' q='0.1 C'/>"
				  "<inductor id='K%d' p='n%d' n='m%d' L='2 H'/>"
				  "<capacitor id='C%d' p='m%d' n='0' C='1 F'/>"
				  "<resistor id='R%d' p='m%d' n='0' R='3 ohm'/>",
				  j, j, 1 + j % 3, j, j, j, j, j, j, j);
	bxt_buffer_printf(&xml, "</netlist>");
	model m = model_of_text(xml.text);
	ck_assert_ptr_nonnull(m.system);
	ck_assert(m.system->affine);
	ck_assert_int_eq(check_solution(&m, schemes[_i], &seed), 1);
	bxt_buffer_free(&xml);
	model_free(&m);
}
END_TEST

START_TEST(networks)
{
	int checked = 0;
	for (int k = 0; k < campaign(20); k++) {
		uint64_t seed = 1 + (uint64_t)k;
		random_network net;
		bxt_buffer xml = {0}, record = {0};
		random_network_make(&net, seed, true);
		random_network_write(&net, NULL, false, &xml, &record);
		model m = model_of_text(xml.text);
		if (m.system)
			checked += check_solution(&m, schemes[_i], &seed);
		bxt_buffer_free(&xml);
		bxt_buffer_free(&record);
		model_free(&m);
	}
	ck_assert_int_ge(checked, 2);
}
END_TEST

/* ---- Steps ---- */

/* By *most, the largest so far: where a motion turns, momenta vanish. */
static double furthest(int n, const double *a, const double *b, double *most)
{
	double off = 0;
	for (int i = 0; i < n; i++) {
		off = fmax(off, fabs(a[i] - b[i]));
		*most = fmax(*most, fabs(b[i]));
	}
	return *most > 0 ? off / *most : off;
}

static void copy(const bxt_system *s, const bxt_state *from, bxt_state *to)
{
	const size_t bytes = (size_t)s->size * sizeof *to->q;
	to->t = from->t;
	to->h = from->h;
	memcpy(to->q, from->q, bytes);
	memcpy(to->p, from->p, bytes);
	memcpy(to->x, from->x, bytes);
}

/* The same step from the same state, with the near matrix and with the Jacobian; half of the steps
 * go back. */
static int compare_steps(model *m, const char *name, const bxt_run_def *def, int steps)
{
	run near, exact;
	double q_most = 0, p_most = 0;
	int by_near = 0;
	const bool good = run_of(m, def, &near) && run_of(m, def, &exact) &&
			  (has_end(near.stepper) || strcmp(def->projection, "on") != 0) &&
			  take_apart(near.stepper);
	const double size = good ? near.settings.step : 0;
	const int n = m->system->n;
	for (int k = 1; good && k <= steps; k++) {
		bxt_stepper *st = near.stepper;
		const double h = 2 * k > steps ? -size : size, t = exact.state->t + h;
		use_near(st, k > 1); /* the costs of the Jacobian are known then */
		copy(m->system, exact.state, near.state);
		if (bxt_stepper_solve(exact.stepper, exact.state, h) != BXT_OK)
			break;
		const bxt_status status = bxt_stepper_solve(st, near.state, h);
		ck_assert_msg(status == BXT_OK, "%s, %s, step %d: %s", name, def->scheme, k,
			      bxt_status_text(status));
		by_near += st->newton.by_near.updates > 0;
		ck_assert_int_eq(bxt_stepper_advance(st, near.state, t), BXT_OK);
		ck_assert_int_eq(bxt_stepper_advance(exact.stepper, exact.state, t), BXT_OK);
		const double q = furthest(n, near.state->q, exact.state->q, &q_most),
			     p = furthest(n, near.state->p, exact.state->p, &p_most);
		/* momenta are known to the round-off of coordinates by the step, from rest above
		 * all */
		ck_assert_msg(q < 1e-14 && p < 1e-10, "%s, %s, step %d: q %g, p %g", name,
			      def->scheme, k, q, p);
	}
	free_run(&near);
	if (good)
		free_run(&exact);
	return by_near;
}

START_TEST(shipped)
{
	enum { STEPS = 12 };
	netlist_names names = all_netlists();
	int models = 0;
	for (size_t i = 0; i < names.n; i++) {
		model m = model_of_file(names.name[i]);
		if (m.system && !m.system->affine && m.system->m > 0) {
			const bxt_run_def given = {.size = sizeof given,
						   .scheme = variants[_i].scheme,
						   .projection = variants[_i].projection};
			bxt_run_def def = first_steps(&m, given, STEPS);
			models += compare_steps(&m, names.name[i], &def, STEPS) > 0;
		}
		model_free(&m);
	}
	ck_assert_int_ge(models, 8);
	all_netlists_free(&names);
}
END_TEST

/* ---- Chains ---- */

/* N points of 1 kg on rods of 1 m, stretched out along the horizontal, their parts in an order that
 * `by` makes: a number prime to N. */
static model chain(int n, int by)
{
	bxt_buffer xml = {0};
	bxt_buffer_printf(&xml, "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"chain\">");
	for (int j = 0; j < n; j++) {
		const int k = 1 + (int)((long)j * by % n);
		char before[16];
		snprintf(before, sizeof before, "n%d", k - 1);
		bxt_buffer_printf(&xml,
				  "<node id='n%d' kind='planar' x='%d m'/>"
				  "<point-mass id='M%d' a='n%d' m='1 kg' g='9.81 m/s2'/>"
				  "<rod id='R%d' a='%s' b='n%d' l='1 m'/>",
				  k, k, k, k, k, k > 1 ? before : "wall", k);
	}
	bxt_buffer_printf(&xml, "</netlist>");
	model m = model_of_text(xml.text);
	bxt_buffer_free(&xml);
	ck_assert_ptr_nonnull(m.system);
	return m;
}

START_TEST(large)
{
	enum { LINKS = 140, STEPS = 30 };
	const bxt_run_def def = {.size = sizeof def,
				 .scheme = schemes[_i / 2],
				 .projection = "on",
				 .step = 1e-3,
				 .end = 1};
	model m = chain(LINKS, _i % 2 ? 37 : 1);
	ck_assert_int_eq(compare_steps(&m, "chain", &def, STEPS), STEPS - 1);
	model_free(&m);
}
END_TEST

static double energy(const model *m, const bxt_state *state)
{
	bxt_buffer name = {0};
	double e = 0;
	for (int i = 0; i < m->system->n; i++) {
		const char *text = bxt_system_x_name(m->system, i, &name);
		e += state->p[i] * state->p[i] / 2;
		if (strcmp(text + strlen(text) - 2, ".y") == 0)
			e += 9.81 * state->q[i];
	}
	bxt_buffer_free(&name);
	return e;
}

/* The largest change of energy on the way. */
static double drift(const bxt_run_def *def, bool near, long steps)
{
	model m = chain(4, 1);
	run r;
	double most = 0;
	ck_assert(run_of(&m, def, &r) && take_apart(r.stepper));
	const double start = energy(&m, r.state);
	for (long k = 1; k <= steps; k++) {
		use_near(r.stepper, near);
		ck_assert_int_eq(bxt_stepper_solve(r.stepper, r.state, def->step), BXT_OK);
		ck_assert(r.stepper->newton.by_near.all == near);
		ck_assert_int_eq(bxt_stepper_advance(r.stepper, r.state, (double)k * def->step),
				 BXT_OK);
		most = fmax(most, fabs(energy(&m, r.state) - start));
	}
	free_run(&r);
	model_free(&m);
	return most;
}

/* A chain of four links, whose motion is chaotic: what updates leave must not add up. */
START_TEST(long_run)
{
	const bxt_run_def def = {.size = sizeof def,
				 .scheme = schemes[_i / 2],
				 .projection = _i % 2 ? "on" : "off",
				 .step = 1e-3,
				 .end = 1000};
	const long steps = getenv("LONG") ? 100000 : 8000;
	const double near = drift(&def, true, steps), exact = drift(&def, false, steps);
	ck_assert_msg(near < 3 * exact + 1e-12, "near %g J, exact %g J", near, exact);
}
END_TEST

TEST_SUITE("stages taken apart, with an end block")
{
	const test_case tests[] = {
		{"inductors in cut sets", masses_on_rods, .loops = COUNT(schemes)},
		{"networks", networks, .loops = COUNT(schemes)},
		{"shipped models", shipped, .slow = true, .loops = COUNT(variants)},
		{"large chains", large, .loops = 2 * COUNT(schemes)},
		{"long runs", long_run, .slow = true, .loops = 2 * COUNT(schemes)},
	};
	ADD_TESTS(tests);
}
