/* SPDX-License-Identifier: GPL-3.0-or-later */
/* States that are saved and gone on from: the same bits, and files that are refused. */
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 60, SAVED = 20 };

static bool same(double a, double b)
{
	return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void assert_ok(bxt_status status, const bxt_diagnostics *d, const char *what)
{
	const bxt_finding *last = NULL;
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_ERROR) + 100; i++) {
		const bxt_finding *f = bxt_diagnostics_get(d, i);
		last = f && f->severity == BXT_ERROR ? f : last;
	}
	ck_assert_msg(status == BXT_OK, "%s: %s: %s", what, bxt_status_name(status),
		      last ? last->text : "");
}

/* ---- Runs that are saved on the way ---- */

struct saved {
	void *bytes;
	size_t size;
	long rows;
};

static bxt_status keep_first(void *context, const bxt_state *state)
{
	struct saved *to = context;
	to->rows = to->bytes ? to->rows : bxt_state_rows(state);
	return to->bytes ? BXT_OK : bxt_state_to_memory(state, &to->bytes, &to->size);
}

static bxt_run_def saving_def(const model *m, struct saved *to)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def = first_steps(m, def, STEPS);
	def.record = NULL;
	def.save = keep_first;
	def.save_context = to;
	return def;
}

static double step_of(model *m, const bxt_run_def *def)
{
	bxt_simulation *s;
	assert_ok(bxt_simulation_new(m->system, def, m->findings, &s), m->findings, "step");
	assert_ok(bxt_simulation_step(s, 1, NULL, m->findings), m->findings, "step");
	const double h = bxt_simulation_time(s);
	bxt_simulation_free(s);
	return fabs(h);
}

static bxt_table *go_on(model *m, const bxt_run_def *def, const struct saved *from,
			bxt_summary *summary)
{
	bxt_state *state;
	bxt_table *t = bxt_table_new();
	bxt_sink sink = {.size = sizeof sink};
	bxt_table_sink(t, &sink);
	assert_ok(bxt_state_from_memory(m->system, from->bytes, from->size, "saved", m->findings,
					&state),
		  m->findings, "load");
	const bxt_status status = bxt_run(m->system, state, def, &sink, summary, m->findings);
	ck_assert_msg(status == BXT_OK || status == BXT_ERR_TRUST, "%s", bxt_status_name(status));
	bxt_state_free(state);
	return t;
}

static void compare_rows(const char *name, const bxt_table *whole, const bxt_table *rest,
			 long first)
{
	ck_assert_msg((long)bxt_table_rows(whole) == first + (long)bxt_table_rows(rest),
		      "%s: %zu rows, and %ld and %zu", name, bxt_table_rows(whole), first,
		      bxt_table_rows(rest));
	for (size_t i = 0; i < bxt_table_rows(rest); i++)
		for (size_t j = 0; j < bxt_table_columns(rest); j++)
			ck_assert_msg(same(bxt_table_value(rest, i, j),
					   bxt_table_value(whole, (size_t)first + i, j)),
				      "%s, row %ld: %s is %.17g, and %.17g in one run", name,
				      first + (long)i, bxt_table_name(rest, j),
				      bxt_table_value(rest, i, j),
				      bxt_table_value(whole, (size_t)first + i, j));
}

static void compare_summaries(const char *name, const bxt_summary *a, const bxt_summary *b)
{
	ck_assert_msg(same(a->total.end, b->total.end) &&
			      same(a->total.residual, b->total.residual) &&
			      same(a->total.supplied, b->total.supplied) &&
			      same(a->total.dissipated, b->total.dissipated),
		      "%s: residual %.17g, and %.17g in one run", name, b->total.residual,
		      a->total.residual);
	for (size_t i = 0; i < a->n_drift; i++)
		ck_assert_msg(same(a->drift[i].max, b->drift[i].max), "%s: drift", name);
	for (size_t i = 0; i < a->n_symmetry; i++)
		ck_assert_msg(same(a->symmetry[i].residual, b->symmetry[i].residual),
			      "%s: symmetry", name);
	ck_assert_msg(same(a->trust.residual, b->trust.residual) &&
			      same(a->trust.coarse, b->trust.coarse) &&
			      a->trust.notes == b->trust.notes,
		      "%s: trust", name);
	ck_assert_msg(a->newton_iterations == b->newton_iterations &&
			      a->factorizations == b->factorizations && a->halvings == b->halvings,
		      "%s: work", name);
}

/* A run that saves its state on the way, and another system that goes on from the bytes. */
START_TEST(all_netlists_go_on_with_the_same_bits)
{
	netlist_names names = all_netlists();
	for (size_t k = 0; k < names.n; k++) {
		struct saved saved = {0};
		bxt_summary a, b;
		model m = model_of_file(names.name[k]), n = model_of_file(names.name[k]);
		bxt_run_def def = saving_def(&m, &saved);
		def.save_every = SAVED * step_of(&m, &def);
		bxt_table *whole = model_run(&m, &def, &a);
		ck_assert_msg(saved.bytes, "%s: nothing was saved", names.name[k]);
		def.go_on = true;
		bxt_table *rest = go_on(&n, &def, &saved, &b);
		compare_rows(names.name[k], whole, rest, saved.rows);
		compare_summaries(names.name[k], &a, &b);
		bxt_table_free(whole);
		bxt_table_free(rest);
		bxt_summary_free(&a);
		bxt_summary_free(&b);
		model_free(&m);
		model_free(&n);
		free(saved.bytes);
	}
	all_netlists_free(&names);
}
END_TEST

/* ---- Files that are refused ---- */

static void state_of(model *m, long steps, struct saved *out)
{
	bxt_simulation *s;
	bxt_state *state;
	bxt_run_def def;
	bxt_default_run_def(&def);
	assert_ok(bxt_simulation_new(m->system, &def, m->findings, &s), m->findings, "new");
	assert_ok(bxt_simulation_step(s, steps, NULL, m->findings), m->findings, "step");
	assert_ok(bxt_simulation_get_state(s, &state), m->findings, "state");
	assert_ok(bxt_state_to_memory(state, &out->bytes, &out->size), m->findings, "bytes");
	bxt_state_free(state);
	bxt_simulation_free(s);
}

static bxt_status load(model *m, const void *bytes, size_t size)
{
	bxt_state *state = NULL;
	bxt_diagnostics *d = bxt_diagnostics_new();
	const bxt_status status = bxt_state_from_memory(m->system, bytes, size, "file", d, &state);
	ck_assert_int_eq(status == BXT_OK, state != NULL);
	ck_assert(status == BXT_OK || bxt_diagnostics_count(d, BXT_ERROR) == 1);
	bxt_diagnostics_free(d);
	bxt_state_free(state);
	return status;
}

START_TEST(cut_and_damaged)
{
	model m = model_of_file("rlc-series.xml"), other = model_of_file("c-loop.xml");
	struct saved saved = {0};
	state_of(&m, 20, &saved);
	unsigned char *bytes = saved.bytes;
	ck_assert_int_eq(load(&m, bytes, saved.size), BXT_OK);
	ck_assert_int_eq(load(&other, bytes, saved.size), BXT_ERR_MODEL);
	for (size_t n = 0; n < saved.size; n++)
		ck_assert_int_eq(load(&m, bytes, n), BXT_ERR_MODEL);
	for (size_t i = 0; i < saved.size; i++)
		for (int bit = 0; bit < 8; bit += 7) {
			bytes[i] ^= (unsigned char)(1 << bit);
			ck_assert_msg(load(&m, bytes, saved.size) == BXT_ERR_MODEL, "byte %zu", i);
			bytes[i] ^= (unsigned char)(1 << bit);
		}
	free(saved.bytes);
	model_free(&m);
	model_free(&other);
}
END_TEST

/* CRC-64/ECMA-182 by the definition of its polynomial division, most significant bit first. */
static uint64_t crc64(const unsigned char *bytes, size_t n)
{
	uint64_t rest = 0;
	for (size_t bit = 0; bit < 8 * n; bit++) {
		const uint64_t in = bytes[bit / 8] >> (7 - bit % 8) & 1, out = rest >> 63;
		rest = (rest << 1) ^ ((in ^ out) ? UINT64_C(0x42F0E1EBA9EA3693) : 0);
	}
	return rest;
}

/* Right checksums for content that was forged. */
static void seal(unsigned char *bytes, size_t n)
{
	size_t at = 16;
	while (at + 24 <= n) {
		uint64_t length;
		memcpy(&length, bytes + at + 8, sizeof length);
		if (length > n - at - 24)
			return;
		const bool last = memcmp(bytes + at, "DONE", 4) == 0;
		if (last && length == 8) {
			const uint64_t all = crc64(bytes, at);
			memcpy(bytes + at + 16, &all, sizeof all);
		}
		const uint64_t crc = crc64(bytes + at, 16 + (size_t)length);
		memcpy(bytes + at + 16 + length, &crc, sizeof crc);
		at += 24 + (size_t)length;
	}
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

static void forge(unsigned char *bytes, size_t n, uint64_t *seed)
{
	static const unsigned char odd[] = {0, 1, 0x7f, 0x80, 0xff};
	const int changes = 1 + (int)(next_random(seed) % 4);
	for (int k = 0; k < changes; k++) {
		const size_t at = 16 + next_random(seed) % (n - 16);
		const uint64_t how = next_random(seed) % 3;
		if (how == 0)
			bytes[at] = odd[next_random(seed) % sizeof odd];
		else if (how == 1)
			bytes[at] = (unsigned char)next_random(seed);
		else if (at + 8 <= n)
			memset(bytes + at, odd[next_random(seed) % sizeof odd], 8);
	}
	seal(bytes, n);
}

static const char *const forged[] = {"rlc-series.xml", "pendulum-cartesian.xml", "ua741.xml",
				     "boost-control.xml", "chaplygin-sleigh.xml"};

/* Whatever a file with right checksums holds: it is refused, or a simulation goes on from it. */
START_TEST(forged_content)
{
	model m = model_of_file(forged[_i]);
	struct saved saved = {0};
	bxt_simulation *s;
	bxt_run_def def;
	uint64_t seed = 7 + (uint64_t)_i;
	int taken = 0;
	bxt_default_run_def(&def);
	state_of(&m, 6, &saved);
	assert_ok(bxt_simulation_new(m.system, &def, m.findings, &s), m.findings, "new");
	unsigned char *bytes = malloc(saved.size);
	const int n = campaign(strcmp(forged[_i], "ua741.xml") == 0 ? 40 : 300);
	for (int k = 0; k < n; k++) {
		bxt_state *state;
		memcpy(bytes, saved.bytes, saved.size);
		forge(bytes, saved.size, &seed);
		if (bxt_state_from_memory(m.system, bytes, saved.size, "forged", NULL, &state) !=
		    BXT_OK)
			continue;
		if (bxt_simulation_set_state(s, state, NULL) == BXT_OK) {
			bxt_summary summary;
			taken++;
			bxt_simulation_step(s, 2, NULL, NULL);
			bxt_simulation_summary(s, &summary, NULL);
			bxt_summary_free(&summary);
		}
		bxt_state_free(state);
	}
	ck_assert_int_gt(taken, 0);
	free(bytes);
	free(saved.bytes);
	bxt_simulation_free(s);
	model_free(&m);
}
END_TEST

TEST_SUITE("states")
{
	const test_case tests[] = {
		{"cut and damaged", cut_and_damaged},
		{"forged content", forged_content, .loops = COUNT(forged), .slow = true},
		{"all netlists", all_netlists_go_on_with_the_same_bits, .slow = true},
	};
	ADD_TESTS(tests);
}
