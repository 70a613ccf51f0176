/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random networks of several domains, each whole and torn at random places, as made and in another
 * order: their responses and their modes are the same but for round-off.
 */
#include "support/harness.h"

#include "support/random_mixed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMS = 4, MOST_INPUTS = 6, N_FREQUENCIES = 4 };
/* Numbers of models are of order 1. */
static const double NOTHING = 1e-12;
static const double frequencies[N_FREQUENCIES] = {0.013, 0.7, 31, 2300};

typedef struct outcome {
	bxt_linear *linear;
	const bxt_linear_mode *mode;
	size_t n_modes;
	size_t n;                        /* outputs times inputs */
	double *response[N_FREQUENCIES]; /* (2n) */
	model m;
} outcome;

/* Parameters whose names end alike in all forms. */
static char *inputs_of(model *m)
{
	char *list = calloc(4096, 1);
	int found = 0;
	const size_t n = bxt_system_count(m->system, BXT_PART_PARAMETER);
	for (size_t i = 0; i < n && found < MOST_INPUTS; i++) {
		bxt_part_info info = {.size = sizeof info};
		ck_assert_int_eq(bxt_system_part(m->system, BXT_PART_PARAMETER, i, &info), BXT_OK);
		if (!info.tunable || info.parent < 0 || i % 5 != 0)
			continue;
		strcat(list, found++ ? ", " : "");
		strcat(list, info.path);
	}
	return list;
}

/* The list without signals node(...).v: in an island without node 0 potentials are counted from a
 * node that the order decides. */
static char *without_potentials(const char *list)
{
	char *copy = strdup(list), *out = calloc(strlen(list) + 1, 1), *rest = NULL;
	for (char *item = strtok_r(copy, ", ", &rest); item; item = strtok_r(NULL, ", ", &rest)) {
		const size_t n = strlen(item);
		if (strncmp(item, "node(", 5) == 0 && n > 3 && strcmp(item + n - 3, ").v") == 0)
			continue;
		strcat(strcat(out, *out ? ", " : ""), item);
	}
	free(copy);
	return out;
}

static outcome form_of(const random_mixed *net, uint64_t seed, int form, char **inputs)
{
	outcome out = {0};
	const bool torn = form / 2 == 1;
	const mixed_order order = random_mixed_order(net, seed, form % 2 == 1);
	bxt_buffer xml = {0}, record = {0};
	random_mixed_write(net, &order, torn, &xml);
	random_mixed_motion(net, torn, &record);
	ck_assert(!xml.failed && !record.failed);
	out.m = model_of_text(xml.text);
	if (form == 0)
		*inputs = inputs_of(&out.m);
	bxt_linear_def def;
	bxt_linear *alone = NULL;
	bxt_default_linear_def(&def);
	if (net->family == MIXED_CONTROLLED &&
	    bxt_linear_new(out.m.system, &def, out.m.findings, &alone) == BXT_ERR_MODEL) {
		ck_assert(has_finding(&out.m, BXT_ERROR, "is sampled"));
		bxt_buffer_free(&xml);
		bxt_buffer_free(&record);
		return out;
	}
	bxt_linear_free(alone);
	ck_assert_int_eq(bxt_linear_new(out.m.system, &def, out.m.findings, &alone), BXT_OK);
	ck_assert_int_eq(bxt_linear_modes(alone, &out.mode, &out.n_modes, out.m.findings), BXT_OK);
	def.from = *inputs;
	char *outputs = without_potentials(record.text);
	def.to = outputs;
	bxt_linear *l = NULL;
	const bxt_status status = bxt_linear_new(out.m.system, &def, out.m.findings, &l);
	ck_assert_msg(status == BXT_OK, "%s\n%s", bxt_status_name(status), xml.text);
	out.n = bxt_linear_count(l, BXT_LINEAR_OUTPUTS) * bxt_linear_count(l, BXT_LINEAR_INPUTS);
	for (int k = 0; k < N_FREQUENCIES; k++) {
		out.response[k] = malloc((2 * out.n + 1) * sizeof(double));
		ck_assert_int_eq(
			bxt_linear_response(l, frequencies[k], out.response[k], out.m.findings),
			BXT_OK);
	}
	bxt_linear_free(l);
	free(outputs);
	out.linear = alone;
	bxt_buffer_free(&xml);
	bxt_buffer_free(&record);
	return out;
}

static void release(outcome *o)
{
	bxt_linear_free(o->linear);
	for (int k = 0; k < N_FREQUENCIES; k++)
		free(o->response[k]);
	model_free(&o->m);
}

/* The largest difference of responses to one input, by the largest of them. */
static double responses_differ(const outcome *a, const outcome *b, size_t inputs)
{
	double worst = 0;
	ck_assert_uint_eq(a->n, b->n);
	for (int k = 0; k < N_FREQUENCIES; k++)
		for (size_t in = 0; in < inputs; in++) {
			double most = 0, off = 0;
			for (size_t i = in; i < a->n; i += inputs) {
				const double *x = a->response[k] + 2 * i,
					     *y = b->response[k] + 2 * i;
				most = fmax(most, hypot(x[0], x[1]));
				off = fmax(off, hypot(x[0] - y[0], x[1] - y[1]));
			}
			/* what does nothing at the start leaves round-off */
			if (most > NOTHING)
				worst = fmax(worst, off / most);
		}
	return worst;
}

/* Each mode of a that is not 0 is one of b, up to what both errors are. */
static double modes_differ(const outcome *a, const outcome *b)
{
	double worst = 0;
	for (size_t i = 0; i < a->n_modes; i++) {
		const bxt_linear_mode *x = &a->mode[i];
		double best = INFINITY;
		if (hypot(x->re, x->im) < 1e-5)
			continue;
		for (size_t k = 0; k < b->n_modes; k++) {
			const bxt_linear_mode *y = &b->mode[k];
			const double off = hypot(x->re - y->re, x->im - y->im);
			best = fmin(best, fmax(off - 16 * (x->error + y->error), 0));
		}
		worst = fmax(worst, best / hypot(x->re, x->im));
	}
	return worst;
}

START_TEST(forms)
{
	enum { BATCH = 20 };
	const mixed_family family = (mixed_family)_i;
	double worst[2] = {0, 0};
	int refused = 0;
	for (uint64_t seed = 1; seed <= BATCH; seed++) {
		static random_mixed net;
		outcome of[FORMS];
		char *inputs = NULL;
		random_mixed_make(&net, family, seed);
		for (int form = 0; form < FORMS; form++)
			of[form] = form_of(&net, seed, form, &inputs);
		for (int form = 0; form < FORMS; form++)
			refused += !of[form].linear;
		size_t n_inputs = 1;
		for (const char *c = inputs; *c; c++)
			n_inputs += *c == ',';
		for (int form = 1; form < FORMS && of[0].linear; form++) {
			const double r = responses_differ(&of[0], &of[form], n_inputs);
			const double one = modes_differ(&of[0], &of[form]);
			const double other = modes_differ(&of[form], &of[0]);
			ck_assert_msg(r <= 1e-9,
				      "family %d, seed %d, form %d: responses differ by %g", _i,
				      (int)seed, form, r);
			ck_assert_msg(one <= 1e-9 && other <= 1e-9,
				      "family %d, seed %d, form %d: modes differ by %g, %g", _i,
				      (int)seed, form, one, other);
			worst[0] = fmax(worst[0], r);
			worst[1] = fmax(worst[1], fmax(one, other));
		}
		for (int form = 0; form < FORMS; form++)
			release(&of[form]);
		free(inputs);
	}
	ck_assert_int_lt(refused, FORMS * BATCH); /* sampled controllers */
	fprintf(stderr, "family %d: responses %.1e, modes %.1e\n", _i, worst[0], worst[1]);
}
END_TEST

TEST_SUITE("random linearised models")
{
	const test_case tests[] = {
		{"forms", forms, .loops = MIXED_FAMILIES},
	};
	ADD_TESTS(tests);
}
